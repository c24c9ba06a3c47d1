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

# limits SECONDS: of processor time, and 256 MiB; a build with sanitizers reserves terabytes, and is ten times as slow
limits() {
	if grep -q __asan_init "$RDMACTL"; then ulimit -t $(($1 * 10)); else ulimit -v 262144 -t "$1"; fi
}

# In well under a second and 64 MiB.
test_alias_bomb() {
	policy=$cases/yaml-alias-bomb/policy.yaml
	(
		limits 2
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
		limits 2
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

# What YAML lets pass and a person did not mean: one error each, at its place.
test_as_it_bites() {
	local pre=$'version: 1\nnodes: {a: {set: {node: {max_backlog: ' post=$'}}}}\n' i
	one "${pre}010$post" '2:39: error: max_backlog has a leading zero'
	one "${pre}1e3$post" '2:39: error: max_backlog is not a whole decimal number'
	one "${pre}26.0$post" '2:39: error: max_backlog has a decimal point, and a whole number is due'
	one "${pre}2.5$post" '2:39: error: max_backlog is not a whole number of connections'
	one "${pre}0x10$post" '2:39: error: max_backlog is not a whole decimal number'
	one "${pre}no$post" '2:39: error: max_backlog is not a whole decimal number'
	one "${pre}12345678901234567890$post" '2:39: error: max_backlog is too large even for 64 bits'
	one "${pre}-5$post" '2:39: error: max_backlog is out of range'
	one "${pre}$post" '2:26: error: max_backlog has no value'
	one "${pre}!!int 5$post" '2:39: error: a `!` begins a YAML tag here'
	one $'version: 1\nnodes: {a: {set: {ports: {c: {match: {numa: 0}, qos: {dscp: {26:3}}}}}}}\n' \
		'2:62: error: qos.dscp has "26:3" without a value'
	one $'version: 1\nnodes: {a: {set: {node: {max_backlog:5}}}}\n' '2:26: error: unknown key "max_backlog:5"'
	one $'version: 1\nnodes: {a: {set: {ports: {c: {match: {numa: 0}, roce: {enabled: maybe}}}}}}\n' \
		'2:65: error: roce.enabled is not a boolean'
	one $'version: 1\nnodes: {gpu[1-2]: {}}\n' '2:12: error: not valid YAML'
	assertErr 'a host list must be quoted'
	one $'version: 1\nnodes:\n  *: {}\n' '3:3: error: not valid YAML'
	assertErr 'must be quoted'
	one $'version: 1\nnodes: &a {x: *a}\n' '2:15: error: the alias *a stands inside its own anchor'
	for i in 40 10000 100000; do
		one "version: 1
nodes: $(head -c "$i" /dev/zero | tr '\0' '[')" '2:39: error: the file is nested deeper than 32 levels'
	done
	printf 'version: 1\nnodes: {a\0b: {}}\n' | policy_file
	wrong '2:10: error: the file holds a NUL byte'
	printf 'version: 1\nnodes: {a\xc3(: {}}\n' | policy_file
	wrong '2:10: error: the file is not valid UTF-8 here'
	printf 'v\0e\0r\0' | policy_file
	wrong '1:2: error: the file holds a NUL byte'
	printf 'version: 1\rnodes: {}\n' | policy_file
	wrong '1:11: error: the file holds a carriage return without a newline behind it'
	printf 'version: 1\n\xef\xbb\xbfnodes: {}\n' | policy_file
	wrong '2:1: error: the file holds a byte order mark in its middle'
}

# In double quotes YAML can spell a NUL byte, at which C and the kernel end a text.
test_nul_in_quotes() {
	one $'version: 1\nprofiles: {base: {node: {max_backlog: 5}}}\nnodes: {a: {profiles: ["base\\0x"]}}\n' \
		'3:24: error: the text holds a NUL character'
	one $'version: 1\nprofiles: {"base\\x00y": {node: {max_backlog: 5}}}\nnodes: {a: {profiles: [base]}}\n' \
		'2:12: error: the text holds a NUL character'
	one $'version: 1\nrequires: ">=0.1\\0 >=99"\nnodes: {a: {}}\n' '2:11: error: the text holds a NUL character'
	one $'version: 1\ninclude: ["a.yaml\\u0000"]\nnodes: {a: {}}\n' '2:11: error: the text holds a NUL character'
}

# null is no text, and a setting of a node follows from no fabric.
test_words_that_are_no_values() {
	local set='nodes: {a: {set: {node: {max_backlog: 5}}}}'
	one "version: 1
revision: ~
$set" '2:11: error: revision: a value is due here, found null'
	one $'version: 1\nnodes: {a: {labels: {row: null}, set: {node: {max_backlog: 5}}}}\n' \
		'2:27: error: a label: a value is due here, found null'
	one "version: 1
include: [~]
$set" '2:11: error: include: a value is due here, found null'
	one $'version: 1\nnodes: {a: {set: {node: {modules: {ib_core: {load: fabric}}}}}}\n' \
		'2:52: error: modules.ib_core.load is not a boolean'
	one "version: 1
fabric: {classes: {\"104\": {priority: 3, dscp: [26]}}}
$set" '2:20: error: fabric default: a class cannot have the name "104"'
	one $'version: 1\nnodes: {a: {set: {node: {max_backlog: -0}}}}\n' '2:39: error: max_backlog is not a whole decimal number'
}

# What is no error: a byte order mark at the begin, and lines that end as on other systems; positions are an editor's.
test_mark_and_crlf() {
	printf '\xef\xbb\xbfversion: 1\r\nnodes: {a: {set: {node: {max_backlog: 5}}}}\r\n' | policy_file
	assertStatus 0 rdmactl lint "$policy"
	printf '\xef\xbb\xbfversion: 1\r\nnodes: {a: {set: {node: {max_backlog: 0}}}}\r\n' | policy_file
	wrong '2:39: error: max_backlog is out of range'
}

# A line of 16 MiB with errors at its end, each shown: the line is not walked for each.
test_errors_in_a_long_line() {
	{
		printf 'version: 1\nprofiles: {p: {}}\nnodes: {x: {labels: {a: "'
		head -c $((16 << 20)) /dev/zero | tr '\0' x
		printf '"}}'
		printf ', n%d: {profiles: [nope]}' {1..1000}
		printf '}\n'
	} | policy_file
	(
		ulimit -t 10
		rdmactl lint "$policy" >"$T/out" 2>"$T/err"
	)
	assertEquals 65 $?
	assertEquals 1000 "$(grep -c 'there is no profile "nope"' "$T/err")"
	assertTrue "shown briefly" "[ $(wc -c <"$T/err") -lt 500000 ]"
}

# Standard input, a directory, and a file that includes others: errors are told at their own places.
test_where_policies_come_from() {
	assertStatus 0 rdmactl lint - <<<$'version: 1\nnodes: {a: {set: {node: {max_backlog: 5}}}}'
	assertStatus 65 rdmactl lint - <<<$'version: 1\nnodes: {a: {set: {node: {max_backlog: 0}}}}'
	assertErr '<stdin>:2:39: error: max_backlog is out of range'
	assertStatus 65 rdmactl lint - <<<$'version: 1\ninclude: [x.yaml]\nnodes: {a: {set: {node: {max_backlog: 5}}}}'
	assertErr '<stdin>:2:11: error: include: "x.yaml" is relative to a file, and this policy is none'
	policy <<<$'version: 1\ninclude: ["-", ""]\nnodes: {a: {set: {node: {max_backlog: 5}}}}'
	cp "$policy" "$T/stdin.yaml"
	(cd "$T" && rdmactl lint stdin.yaml </dev/null >.out 2>.err)
	assertEquals "standard input is not included" 65 $?
	assertContains "$(<"$T/.err")" 'stdin.yaml:2:11: error: include: "-" is no name of a file'
	assertContains "$(<"$T/.err")" 'stdin.yaml:2:16: error: include: "" is no name of a file'
	: >"$T/nothing.yaml"
	policy <<<$'version: 1\ninclude: [nothing.yaml]\nnodes: {a: {set: {node: {max_backlog: 5}}}}'
	assertStatus 65 rdmactl lint "$policy"
	assertErr "$T/nothing.yaml: error: policy is empty"
	assertErr "$policy:2:11: note: included here"
	mkdir "$T/d"
	printf 'version: 1\nprofiles: {p: {node: {max_backlog: 5}}}\n' >"$T/d/1.yaml"
	printf 'version: 1\nnodes: {a: {profiles: [q]}}\n' >"$T/d/2.yaml"
	assertStatus 65 rdmactl lint "$T/d"
	assertErr "$T/d/2.yaml:2:24: error: there is no profile \"q\""
	printf 'version: 1\ninclude: [1.yaml]\nnodes: {a: {profiles: [p]}}\n' >"$T/d/2.yaml"
	assertStatus 0 rdmactl lint "$T/d/2.yaml"
	assertStatus 0 rdmactl lint - <<<"version: 1
include: [$T/d/2.yaml]"
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

# Two globs of which one has a host by its short name, the other by the full one.
test_globs_that_meet_behind_a_dot() {
	one 'version: 1
nodes:
  "*.rack1": {set: {node: {max_backlog: 5}}}
  "gpu*-a": {set: {node: {max_backlog: 6}}}
' '4:40: error: two entries of one rank match this node and set max_backlog differently (lines 3 and 4)'
	printf '%s\n' 'version: 1' 'nodes:' '  "*.rack1": {set: {node: {max_backlog: 5000}}}' \
		'  "*.rack2": {set: {node: {max_backlog: 6000}}}' | policy_file
	assertStatus 0 rdmactl lint "$policy"
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

# many KIND N: a short text that stands for much work
many() {
	python3 - "$@" <<-'END' | policy_file
		import sys
		kind, n = sys.argv[1], int(sys.argv[2])
		print("version: 1")
		node, match = "node: {max_backlog: 5000}", "match: {driver: mlx5_core}"
		if kind == "misspelt":
		    print("profiles:")
		    for i in range(n): print(f"  profile-number-{i:06d}: {{{node}}}")
		    print("nodes:")
		    for i in range(n): print(f"  n{i}: {{profiles: [profile-nunber-{i:06d}x]}}")
		elif kind == "globs":
		    print("nodes:")
		    for i in range(n): print(f'  "n{i}*": {{set: {{{node}}}}}')
		elif kind == "exceptions":
		    print("profiles:")
		    for p in range(200):
		        print(f"  p{p}: {{ports: {{c: {{{match}, mtu: 9000, except: [" + ", ".join(
		            f'{{nodes: "x[{i}-{i + 1}]", set: {{mtu: 4200}}, because: x}}' for i in range(64)) + "]}}}")
		    print("nodes:")
		    for i in range(n): print(f"  n{i}: {{profiles: [p{i % 200}]}}")
		elif kind == "hashes":
		    print("nodes:")
		    for i in range(n): print(f"  n{i}: {{set: {{node: {{max_backlog: {5000 + i}}}}}}}")
		    print("cohorts:")
		    for i in range(256): print(f"  c{i}: {{hash: 1%, set: {{node: {{sysctl: {{a.b{i}: 1}}}}}}}}")
		elif kind == "comments":
		    print(f"nodes:\n  n: {{set: {{{node}}}}}")
		    for i in range(n): print("# rdmactl: allow mtu because\n# rdmactl: allow roce-mtu-below-step because x")
		elif kind == "ports":
		    print("fabrics:")
		    for i in range(n):
		        print(f"  f{i}: {{tiers: {{" + ", ".join(f"t{t}: {{links: {{" + ", ".join(
		            f'l{k}: {{ports: "e{k}-[0-4000]"}}' for k in range(8)) + "}}" for t in range(8)) + "}}")
		    print(f"nodes: {{n: {{set: {{{node}}}}}}}")
		elif kind == "profiles":
		    print(f"profiles: {{p: {{{node}}}}}\nnodes: {{n: {{profiles: [{', '.join(['p'] * n)}]}}}}")
		elif kind == "optional":
		    print(f"nodes: {{n: {{set: {{ports: {{c: {{{match}, optional: [{', '.join(['ecn'] * n)}]}}}}}}}}}}")
		elif kind == "labels":
		    labels = ", ".join(f"l{i}: x" for i in range(n))
		    print(f"nodes: {{n: {{labels: {{{labels}}}, set: {{{node}}}}}}}\ncohorts:")
		    for c in range(8): print(f"  c{c}: {{labels: {{{labels}}}, set: {{{node}}}}}")
		elif kind == "top":
		    for i in range(n): print(f"nodez{i}: 1")
	END
}

# bounded STATUS KIND N: within seconds and 256 MiB, and told in a few lines or as many as are ever told
bounded() {
	many "$2" "$3"
	(
		limits 20
		rdmactl lint "$policy" >"$T/out" 2>"$T/err"
	)
	assertEquals "$2" "$1" $?
}

test_short_texts_that_stand_for_much() {
	bounded 65 misspelt 20000
	bounded 0 globs 20000
	bounded 0 exceptions 20000
	bounded 0 hashes 900
	assertContains "$(cat "$T/err")" 'than are held against each other without a node; --node judges one'
	bounded 0 comments 50000
	bounded 65 ports 250
	assertContains "$(cat "$T/err")" 'the policy has more than 262144'
	assertEquals "told once" 1 "$(grep -c 'error: .*more than 262144' "$T/err")"
	bounded 65 profiles 50000
	assertContains "$(cat "$T/err")" 'profiles names more than 64 profiles'
	assertEquals "one error" 1 "$(grep -c ': error: ' "$T/err")"
	bounded 65 optional 20000
	assertContains "$(cat "$T/err")" 'optional names more than 256 settings'
	bounded 65 labels 20000
	assertContains "$(cat "$T/err")" 'more than 64 labels'
	bounded 65 top 100000
}

test_a_name_that_stands_twice() {
	one $'version: 1\nprofiles: {p: {node: {max_backlog: 5}}}\nnodes: {a: {profiles: [p, p, p]}}\n' \
		'3:27: error: profile "p" stands twice in one list' '3:30: error: profile "p" stands twice in one list'
}

# A value on a line of its own, a unit of something else, `fabric` in quotes, and classes that are not there.
test_what_is_meant() {
	local c='match: {driver: mlx5_core}'
	one $'version: 1\nnodes: {a: {set: {node: {max_backlog: "5000\\n"}}}}\n' '2:39: error: max_backlog holds a line break'
	assertErr 'write the value behind its key'
	one "version: 1
nodes: {a: {set: {ports: {c: {$c, link: {speed: 400G}}}}}}
" "2:73: error: link.speed has a unit that is not one of this key's: Tb/s, Gb/s, Mb/s, kb/s"
	one "version: 1
nodes: {a: {set: {ports: {c: {$c, qos: \"fabric\"}}}}}
" '2:64: error: qos takes a map of keys but is "fabric"'
	assertErr 'write fabric without quotes'
	one "version: 1
fabric: {mtu: 9000}
nodes: {a: {set: {ports: {c: {$c, mtu: fabric, qos: fabric}}}}}
" '3:77: error: the fabric default has no classes'
}

# Nobody may ever write into a pipe that is included or lies in a directory.
test_pipes() {
	mkdir "$T/d"
	mkfifo "$T/d/pipe.yaml"
	printf 'version: 1\ninclude: [d/pipe.yaml]\nnodes: {a: {set: {node: {max_backlog: 5}}}}\n' | policy_file
	assertStatus 65 timeout 10 "$RDMACTL" lint "$policy"
	assertErr "$T/d/pipe.yaml: error: is a pipe"
	assertStatus 65 timeout 10 "$RDMACTL" lint "$T/d"
	assertErr 'is a pipe: only the policy itself can be one'
	printf 'version: 1\nnodes: {a: {set: {node: {max_backlog: 5}}}}\n' | policy_file
	assertStatus 0 timeout 10 "$RDMACTL" lint <(cat "$policy")
}

# Options that would leave a policy unjudged, or overwrite it.
test_lint_does_what_it_says() {
	printf 'version: 1\nnodes: {a: {set: {node: {max_backlog: 5}}}}\n' | policy_file
	refused 64 'judges no policy' rdmactl lint --rules "$policy"
	refused 64 'give one of them' rdmactl lint -p "$policy" "$policy"
	touch -d '1 minute ago' "$policy"
	cp "$policy" "$T/kept.yaml"
	rdmactl lint --compile "$policy" "$policy" >/dev/null 2>"$T/err"
	assertNotEquals 0 $?
	assertTrue "the policy is as it was" "cmp '$policy' '$T/kept.yaml'"
	assertContains "$(cat "$T/err")" 'holds something else than a compiled form, and is kept'
}

test_explain_of_no_setting() {
	printf 'version: 1\nnodes: {a: {set: {node: {max_backlog: 5}}}}\n' | policy_file
	refused 64 "did you mean 'max_backlog'?" rdmactl explain max_backlgo --node a -p "$policy"
	refused 64 'the policy says nothing of mtu for node a' rdmactl explain mtu --node a -p "$policy"
}

. shunit2
