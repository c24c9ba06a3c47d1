#!/bin/bash
# The compiled form of a policy: drift says the same with it as without, and the text counts whenever something is amiss.
# On the simulator alone so far: it counts what the simulator reads.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

SEEDS=${SEEDS:-12}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	[ "$BACKEND" != sim ] || machine_reset 2
	FORM=$T/root/var/lib/rdmactl/policy.compiled
	mkdir -p "$T/root/etc" "${FORM%/*}"
	echo gpu1 >"$T/root/etc/hostname"
}

# long FILE: puts comments behind it, so that it is long enough for a compiled form
long() {
	awk 'BEGIN { for (i = 0; i < 700; i++) print "# this comment makes the policy as long as one of many nodes" }' >>"$1"
}

compile() { # POLICY
	local tries=0
	rm -f "$FORM"
	until "$RDMACTL" lint -q "$1" --compile "$FORM" >"$T/.lint" 2>&1 && [ -e "$FORM" ]; do	# a file must be older than a tick
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 20 ] || { cat "$T/.lint"; return 1; }
	done
}

# report WORD POLICY ARG...: everything that drift says, without its time
report() {
	local to=$T/$1
	shift
	"$RDMACTL" drift --root "$T/root" -v "$@" -o json >"$to.json" 2>"$to.err"
	echo $? >"$to.status"
	"$RDMACTL" drift --root "$T/root" -v "$@" >"$to.table" 2>>"$to.err"
	sed -i 's/"[0-9-]*T[0-9:]*Z"/""/' "$to.json"
}

# same POLICY NODE: with the form, which must have been read, and without it
same() {
	report with -p "$1" --node "$2"
	assertNotContains "the form was used for $2" "$(<"$T/with.err")" "compiled form"
	mv "$FORM" "$T/form"
	report without -p "$1" --node "$2"
	mv "$T/form" "$FORM"
	for f in json err status table; do
		cmp "$T/with.$f" "$T/without.$f" || fail "$1, $2: $f differs"
	done
}

test_shipped_policies() {
	local p node
	for p in "$TOP"/policies/*.yaml "$TOP"/tests/cases/lint/allow-*/just-not.yaml; do
		cp "$p" "$T/p.yaml"
		long "$T/p.yaml"
		"$RDMACTL" lint -q "$T/p.yaml" >/dev/null 2>&1 || continue
		compile "$T/p.yaml" || { fail "$p: no compiled form"; continue; }
		for node in $(sed -n '/^nodes:/,/^[a-z]*:$/s/^ *"\{0,1\}\([a-z]*\)\(\[0*1-[0-9]*\]\|\*\|1\).*/\11 \1001 \10001/p' "$T/p.yaml"); do
			"$RDMACTL" drift --root "$T/root" -p "$T/p.yaml" --node "$node" >/dev/null 2>&1
			[ $? = 65 ] || same "$T/p.yaml" "$node"
		done
	done
}

# generated SEED: a policy of globs, lists, names, profiles that extend, cohorts, exceptions, anchors
generated() {
	python3 - "$1" <<-'END'
		import random, sys
		r = random.Random(int(sys.argv[1]))
		print("version: 1\nrevision: r%s" % sys.argv[1])
		print("profiles:\n  p0: &a {node: {max_backlog: 4096}, ports: {x: {match: {driver: mlx5_core}, mtu: 1500}}}")
		for i in range(1, 12):
		    ext = sorted(r.sample(range(i), min(i, r.randint(0, 2))))
		    print(f"  p{i}:\n    extends: {['p%d' % e for e in ext]}".replace("'", ""))
		    print(f"    node: {{max_backlog: {r.choice([1, 1024, 8192, 65536])}, sysctl: {{net.core.rmem_max: {r.randint(1, 9)}00000}}}}")
		    if r.random() < .5:
		        print(f"    ports: {{x: {{match: {{driver: mlx5_core}}, mtu: {r.choice([1500, 4200, 9000])}, except: [{{nodes: 'gpu[1-{r.randint(2, 9)}]', set: {{mtu: 1400}}, because: odd, until: 2020-01-31}}]}}}}")
		print("nodes:\n  \"gpu*\": {profiles: [p0]}")
		if r.random() < .6:
		    print("  \"*\": {set: {node: {sysctl: {vm.swappiness: 1}}}, labels: {row: a}}")
		for a in range(1, 60, 7):			# two that overlap would disagree
		    print(f"  \"gpu[{a}-{a + r.randint(1, 6)},{a + 100}]\": {{profiles: [p{r.randint(0, 11)}]}}")
		for k in r.sample(range(1, 60), 12):
		    print(f"  gpu{k}: {{profiles: [p{r.randint(1, 11)}, p0], labels: {{row: {r.choice('ab')}}}}}" if k % 2 else f"  gpu{k}: {{set: {{node: {{max_backlog: {k}}}}}}}")
		print("cohorts:\n  c: {hash: 30%, set: {node: {sysctl: {kernel.panic: 1}}}}\n  d: {labels: {row: a}, set: {node: {sysctl: {kernel.panic_on_oops: 1}}}}")
	END
}

test_generated_policies() {
	local seed node
	for ((seed = 1; seed <= SEEDS; seed++)); do
		generated $seed >"$T/p.yaml"
		long "$T/p.yaml"
		compile "$T/p.yaml" || fail "seed $seed: no compiled form"
		for node in gpu1 gpu7 gpu33.example.com gpu60; do same "$T/p.yaml" $node; done
	done
}

plain() {
	cat >"$T/p.yaml" <<-'END'
		version: 1
		profiles: {a: {node: {max_backlog: 8192}}, b: {node: {max_backlog: 4096}}}
		nodes: {gpu1: {profiles: [a]}, "gpu[2-9]": {profiles: [b]}}
	END
	long "$T/p.yaml"
}

drifts() { # NODE: of the JSON report, the one number that is asked for
	"$RDMACTL" drift --root "$T/root" -v -p "$T/p.yaml" --node "$1" -o json 2>"$T/.err" | grep -o '"want":[0-9]*' | head -n 1
}

test_the_text_counts() {
	plain
	compile "$T/p.yaml"
	assertEquals '"want":8192' "$(drifts gpu1)"
	assertEquals '"want":4096' "$(drifts gpu5)"
	assertNotContains "$(<"$T/.err")" "compiled form"
	sed -i 's/8192/8193/' "$T/p.yaml"			# another inode
	assertEquals '"want":8193' "$(drifts gpu1)"
	assertContains "$(<"$T/.err")" "a file of the policy changed"
	compile "$T/p.yaml"
	printf 'x' | dd of="$T/p.yaml" bs=1 conv=notrunc seek=$(($(stat -c %s "$T/p.yaml") - 2)) 2>/dev/null	# size and inode as before
	drifts gpu1 >/dev/null
	assertContains "$(<"$T/.err")" "a file of the policy changed"
	compile "$T/p.yaml"
	drifts nobody >/dev/null
	assertContains "$(<"$T/.err")" "no entry of nodes matches"
}

test_a_damaged_form() {
	local n at
	plain
	compile "$T/p.yaml"
	n=$(stat -c %s "$FORM")
	cp "$FORM" "$T/good"
	for at in 0 8 12 16 24 30 40 60 100 200 $((n - 1)) $((n - 20)) $((n - 60)) $((n / 2)); do
		cp "$T/good" "$FORM"
		printf '\377' | dd of="$FORM" bs=1 conv=notrunc seek="$at" 2>/dev/null
		assertEquals "byte $at" '"want":8192' "$(drifts gpu1)"
	done
	for at in 0 1 39 41 300 $((n / 2)) $((n - 1)); do
		head -c "$at" "$T/good" >"$FORM"
		assertEquals "cut at $at" '"want":8192' "$(drifts gpu1)"
	done
}

test_directories_and_includes() {
	plain
	mkdir "$T/d"
	sed '/^nodes/d' "$T/p.yaml" >"$T/d/a.yaml"
	printf 'version: 1\nnodes: {gpu1: {profiles: [a]}, "gpu?": {set: {node: {sysctl: {vm.swappiness: 1}}}}}\n' >"$T/d/b.yaml"
	compile "$T/d"
	same "$T/d" gpu1
	printf 'version: 1\nnodes: {gpu2: {profiles: [b]}}\n' >"$T/d/c.yaml"
	report with -p "$T/d" --node gpu2
	assertContains "$(<"$T/with.err")" "a file of the policy changed"
	printf 'version: 1\ninclude: [d/a.yaml, d/b.yaml, d/c.yaml]\n' >"$T/p.yaml"
	compile "$T/p.yaml"
	same "$T/p.yaml" gpu1
	same "$T/p.yaml" gpu2
}

test_refusals() {
	plain
	assertStatus 64 rdmactl lint --compile "$FORM" "$T/p.yaml" "$T/p.yaml"
	echo 'nodes: {}' >>"$T/p.yaml"
	assertStatus 65 rdmactl lint --compile "$FORM" "$T/p.yaml"
	assertFalse "a policy with an error has no form" "[ -e '$FORM' ]"
	plain
	assertStatus 2 rdmactl lint --compile "$FORM" - <"$T/p.yaml"
	assertErr "no compiled form is written"
}

# The policy is right, and what was asked for could not be done.
test_not_written() {
	plain
	sleep 0.1
	assertStatus 2 rdmactl lint --compile "$T/none/form" "$T/p.yaml"
	assertErr "cannot write $T/none/form: No such file or directory"
	sed -i 's/max_backlog: 8192/sysctl: {net.core.rmem_default: 4194304}/' "$T/p.yaml"
	sleep 0.1	# a file that changed a moment ago is not compiled
	assertStatus 1 rdmactl lint --strict "$T/p.yaml"
	assertStatus 2 rdmactl lint --strict --compile "$T/none/form" "$T/p.yaml"
	rdmactl lint --compile "$T/none/form" "$T/p.yaml" -o json >"$T/out.json" 2>/dev/null
	assertEquals "in JSON" '2 2 No such file or directory' \
		"$(jq -r '"\(.exit_code) " + (.findings[] | select(.severity == "error") | "\(.errno) \(.error)")' "$T/out.json")"
	echo "mine" >"$T/mine"
	assertStatus 2 rdmactl lint --compile "$T/mine" "$T/p.yaml"
	assertEquals "kept" mine "$(<"$T/mine")"
	run rdmactl lint "$T/none.yaml" -o json
	assertEquals "exit status" 65 "$status"
	assertEquals "why a file cannot be read" 'No such file or directory' "$(jq -r '.findings[0].error' <<<"$out")"
}

test_apply_leaves_one() {
	[ "$BACKEND" = sim ] || return 0
	plain
	sed -i 's/gpu1:/host:/' "$T/p.yaml"
	sleep 0.1
	assertStatus 0 rdmactl apply -p "$T/p.yaml" --node host
	"$SIMCTL" "$RDMACTL_SIM" ls var/lib/rdmactl >"$T/.ls"
	assertContains "$(<"$T/.ls")" "policy.compiled"
	sed -i '/^#/d' "$T/p.yaml"
	machine_reset 2
	assertStatus 0 rdmactl apply -p "$T/p.yaml" --node host
	assertNotContains "short" "$("$SIMCTL" "$RDMACTL_SIM" ls var/lib/rdmactl)" "policy.compiled"
}

. shunit2
