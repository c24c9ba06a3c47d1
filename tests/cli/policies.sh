#!/bin/bash
# The policies that are there to copy, each on a machine that it is for: linted, planned, applied, and in sync.
# On the simulator alone so far: each policy is for a machine of its own.
# shellcheck disable=SC2154	# out, err, status: lib.sh's
. "$(dirname "$0")/lib.sh"

# A machine of this name that the policy is for; sets $policy. Options as machine_reset has them.
made() { # POLICY NODE [PAIRS [OPTION]...]
	local name=$2 file=$1
	shift 2
	policy=$TOP/policies/$file.yaml
	machine_reset "${1:-2}" "name=$name" "${@:2}"
}

# Changes are planned, and what only can be verified is all that may differ once they are made.
settles() { # [ROW]...: what this machine cannot have
	assertStatus 0 rdmactl lint --strict "$policy"
	run rdmactl plan -o json -p "$policy"
	assertEquals "plan: $err" 1 "$status"
	assertTrue "changes are planned" "[ $(json '.changes | length') -ge 2 ]"
	run rdmactl apply -p "$policy"
	run rdmactl drift -o json -p "$policy"
	assertEquals "what differs" "$(printf '%s\n' "$@" | sort -u)" \
		"$(json '.items[] | select(.status != "in-sync" and .status != "unsupported") | .setting' | sort -u)" ||
		show_run "drift of $policy"
}

test_all_are_here() {
	local f
	for f in "$TOP"/policies/*.yaml; do
		f=$(basename "$f" .yaml)
		assertTrue "$f has a test" "grep -q '^	made $f ' '$TOP/tests/cli/policies.sh'"
		[ "$f" = demo ] || assertContains "$f: first line" "$(head -n 1 "$TOP/policies/$f.yaml")" \
			'# yaml-language-server: $schema='
	done
	assertTrue "fifteen lines" "[ $(wc -l <"$TOP/policies/minimal.yaml") -le 15 ]"
}

test_demo() {
	made demo node1
	settles
}

test_minimal() {
	made minimal any
	settles
}

test_training() {
	made roce-gpu gpu0007 8 fw=28.39.2048
	settles gid.family link.speed pcie.speed
}

test_storage() {
	made roce-storage stor01
	settles gid.family
}

test_storage_bond() {
	made roce-storage stor01
	machine_bond bond0 nic0 nic1
	settles gid.family
	assertContains "the bond's MTU" "$(json '.items[] | "\(.target) \(.setting)"')" 'bond0 mtu'
}

test_two_fabrics() {
	made two-fabrics gpu001 2 psid=MT_0000000359
	settles count
	assertEquals "PFC of the storage fabric" '[4]' "$(json '[.items[] | select(.setting == "qos.pfc")][0].want' | jq -c .)"
}

test_lossy() {
	made lossy-ecn gpu001 8
	settles link.speed
	assertEquals "no PFC" '[]' "$(json '[.items[] | select(.setting == "qos.pfc")][0].live' | jq -c .)"
}

# The simulator has no InfiniBand: that no Ethernet port is taken for one is what can be seen.
test_infiniband() {
	made infiniband hpc0001
	assertStatus 0 rdmactl lint --strict "$policy"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "hca count" "$(json '.items[] | select(.status == "drift" and .target == "hca") | "\(.target) \(.setting)"')"
}

test_mixed_vendors() {
	made mixed-vendors nv01
	settles
	made mixed-vendors bc01 2 drv=bnxt_en
	settles
	made mixed-vendors in01 2 drv=ice
	settles
}

. shunit2
