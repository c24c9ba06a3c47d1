#!/bin/bash
# Policies that are wrong as YAML, or as values: status 65 from every command, each error once and with its position, in
# bounded time and memory.
# shellcheck disable=SC2154,SC2034	# out, err, policy: lib.sh's; T: for it
. "$(dirname "$0")/lib.sh"

setUp() {	# no machine is needed
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	export RDMACTL_SIM=$T/none
	cases=$TOP/tests/cases
	policy=$T/policy.yaml
}

errors() {
	grep -E ': error: ' <<<"$err" | sed "s|^$policy:||" | sort -n
}

# wrong ERROR...: lint and every command that takes a policy tell just these (position and begin of the text)
wrong() {
	local want
	want=$(printf '%s\n' "$@")
	assertStatus 65 rdmactl lint "$policy"
	assertEquals "$want" "$(errors | cut -c1-"$(wc -L <<<"$want")" | sed 's/ *$//')"
	assertOut "$# error"
	assertStatus 65 rdmactl lint -o json "$policy"
	assertEquals "$# 65" "$(json '"\(.errors) \(.exit_code)"')"
	assertEquals $# "$(json '[.findings[] | select(.severity == "error")] | length')"
}

# one TEXT ERROR: of a policy that holds TEXT
one() {
	printf '%s' "$1" | policy_file
	shift
	wrong "$@"
}

policy_file() {
	cat >"$T/policy.yaml"
}

test_duplicate_key() {
	policy=$cases/yaml-duplicate-key/policy.yaml
	assertStatus 65 rdmactl lint "$policy"
	assertEquals 1 "$(errors | wc -l)"
	assertContains "$(errors)" '6:5: error:'
	assertErr mtu
	assertContains "the first one is named" "$err" ':4:5'
	mkdir -p "$T/root/etc"
	echo default >"$T/root/etc/hostname"
	local command
	for command in drift plan apply; do
		assertStatus 65 rdmactl $command -p "$policy" --root "$T/root"
		assertEquals "" "$out"
	done
	assertEquals "nothing is written" ./etc/hostname "$(cd "$T/root" && find . -type f)"
}

test_empty() {
	local text
	for text in "$(cat "$cases/yaml-empty-policy/policy.yaml")" '' '---' 'null' '~' '# only a comment' $'---\n...\n'; do
		printf '%s' "$text" | policy_file
		assertStatus 65 rdmactl lint "$policy"
		assertErr 'policy is empty'
		assertEquals "one error for: $text" 1 "$(errors | wc -l)"
	done
}

test_scalars() {
	policy=$cases/yaml-no-octal-bigint/policy.yaml
	assertStatus 65 rdmactl lint "$policy"
	assertEquals "$(printf '%s\n' 8:18 11:19 13:19 15:22 19:22)" "$(errors | grep -oE '^[0-9]+:[0-9]+')"
	assertErr '0644'
	assertErr '010'
	assertErr 'the largest here is 2147483647'
	assertErr 'max_backlog is out of range: 1 to 2147483647'
	assertStatus 65 rdmactl drift -p "$policy" --node default
}

# In well under a second and 64 MiB.
test_alias_bomb() {
	policy=$cases/yaml-alias-bomb/policy.yaml
	(
		ulimit -v 262144 -t 2
		rdmactl lint "$policy" >"$T/out" 2>"$T/err"
	)
	assertEquals 65 $?
	assertTrue "something is told" "[ -s '$T/err' ]"
	assertTrue "not more than can be read" "[ $(wc -c <"$T/err") -lt 20000 ]"
	# as values of keys that exist
	policy=$T/policy.yaml
	{
		printf 'version: 1\nnodes: {n: {profiles: &a [x, x, x, x, x, x, x, x, x, x]}}\nprofiles:\n'
		printf '  p0: &b {extends: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}\n'
		for i in 1 2 3 4 5 6 7 8 9; do
			printf '  p%s: &b%s {<<: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]}\n' $i $i
		done
	} | policy_file
	(
		ulimit -v 262144 -t 2
		rdmactl lint "$policy" >"$T/out" 2>"$T/err"
	)
	assertEquals 65 $?
}

test_cycle() {
	local text
	for text in $'version: 1\nnodes: &x {a: *x}\n' $'version: 1\nnodes: {a: {profiles: &x [*x]}}\n' \
		$'version: 1\nprofiles: {p: &x {<<: *x}}\nnodes: {a: {}}\n'; do
		printf '%s' "$text" | policy_file
		assertStatus 65 timeout 5 "$RDMACTL" lint "$policy"
		assertContains "$(errors)" ': error: '
	done
}

test_structure() {
	local deep n
	one $'version: 1\nnodes: {a: {}}\n---\nversion: 1\n' '3:1: error:'
	one $'version: 1\nnodes: {a: {}\n' '3:1: error:'
	one $'version: 1\nnodes:\n\ta: {}\n' '3:1: error:'
	one $'version: 1\nnodes: {a: {}}\nprofils: {}\n' '3:1: error:'
	assertContains "$(rdmactl lint "$policy" 2>&1)" profiles
	one $'version: 1\nnodes: {a: {profiles: [none]}}\n' '2:24: error:'
	one $'version: 1\nprofiles: {p: {extends: [p]}}\nnodes: {a: {profiles: [p]}}\n' '2:26: error:'
	one $'version: 2\nnodes: {a: {}}\n' '1:10: error:'
	one $'requires: ">=99"\nversion: 1\nfuture: 1\nnodes: {a: {}}\n' '1:11: error:'
	printf 'version: 1\nnodes: {a: {}}\n\xff\xfe\n' | policy_file
	assertStatus 65 rdmactl lint "$policy"
	assertEquals 1 "$(errors | wc -l)"
	deep=$(printf '[%.0s' {1..5000})
	printf 'version: 1\nnodes: %s\n' "$deep" | policy_file
	assertStatus 65 rdmactl lint "$policy"
	assertEquals 1 "$(errors | wc -l)"
	# all in one run
	one $'version: 1\nfrobs: 1\nprofiles:\n  p: {node: {max_backlog: many, sysctl: [1]}}\n  p: {}\nnodes: {a: {profiles: [p, q]}}\n' \
		'2:1: error:' '4:27: error:' '4:41: error:' '5:3: error:' '6:27: error:'
}

# What a file holds cannot reach a terminal raw.
test_control_characters() {
	printf 'version: 1\nnodes: {a: {}}\n"\\e[2Jx": 1\n' | policy_file
	assertStatus 65 rdmactl lint "$policy"
	assertFalse "an escape came through" "grep -q $'\\e' '$T/.err'"
	assertStatus 65 rdmactl lint -o json "$policy"
	assertFalse "an escape came through" "grep -q $'\\e' '$T/.out'"
}

test_too_large() {
	head -c $((33 << 20)) /dev/zero | tr '\0' '#' >"$T/large.yaml"
	policy=$T/large.yaml
	assertStatus 65 rdmactl lint "$policy"
	assertTrue "told briefly" "[ $(wc -c <"$T/.err") -lt 1000 ]"
}

# Two lists that have one name in common, far behind their first ranges.
test_lists_that_meet_late() {
	local a b
	a=$(seq -s, 0 39) b=$(seq -s, 100 139)
	one "version: 1
nodes:
  \"n[$a]\": {set: {node: {max_backlog: 5}}}
  \"n[$b,39]\": {set: {node: {max_backlog: 6}}}
" '4:199: error: two entries of one rank match this node and set max_backlog differently (lines 3 and 4)'
}

test_key_longer_than_yaml_takes() {
	one "version: 1
nodes:
  \"n[$(seq -s, 1000 1300)]\": {set: {node: {max_backlog: 5}}}
" '3:1512: error: not valid YAML: mapping values are not allowed in this context'
	assertErr 'split a longer host list into several entries'
}

# A thousand are told, and that there are more.
test_more_errors_than_are_told() {
	{
		printf 'version: 1\nprofiles: {p: {}}\nnodes:\n'
		printf '  n%d: {profiles: [nope]}\n' {1..1200}
	} | policy_file
	assertStatus 65 rdmactl lint "$policy"
	assertOut '1200 errors'
	assertEquals 1000 "$(errors | wc -l)"
	assertErr 'rdmactl: note: 200 more are not shown'
}

. shunit2
