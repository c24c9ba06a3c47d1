#!/bin/bash
# The canary rollout of the Ansible collection over four nodes: it stops at the first batch in which a node is not in
# policy, firmware is judged per cohort, --check foretells, and a second rollout changes nothing.
# On the simulator alone so far.
# shellcheck disable=SC2154	# out, status: lib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ansible-lib"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	four_nodes
}

cohort_policy() {
	{
		sed 's/^  node1:/  node[1-4]:/; s/version: ">=22.41.1000"/version: 22.41.1000/' "$TOP/policies/demo.yaml"
		printf 'cohorts:\n  canary: {nodes: "node[1,4]", set: {ports: {rail: {firmware: {version: 22.44.1000}}}}}\n'
	} >"$T/policy.yaml"
}

# states: of the four machines, a sum each
states() {
	local n
	for n in 1 2 3 4; do node "$n" snapshot | cksum; done
}

test_a_rollout() {
	local before again foretold
	cohort_policy
	node 1 set fw nic0 22.44.1000 22.44.1000	# ahead of node1's nic1: both are in sync in the cohort
	node 2 set fw nic1 22.44.1000 22.44.1000	# not in the cohort
	before=$(states)

	canary
	assertNotEquals "it fails" 0 "$status"
	assertEquals "the first node is done, the second one tried" "node1=3 node2=2" "$(recap changed)"	# folder, policy; apply
	assertEquals "node1=0 node2=1" "$(recap failed)"
	said "the rollout stops with node2, at: Bring the node into policy"
	said "node2 is not in policy (exit status 1, drift)"
	said "nic1 firmware.version: wants 22.41.1000, has 22.44.1000"
	said "what next: install firmware that the policy takes"
	said "not touched: node3, node4"
	assertEquals "the others are as they were" "$(tail -n 2 <<<"$before")" "$(states | tail -n 2)"
	assertFalse "no policy came to them" "[ -e '$T/node3/etc' ] || [ -e '$T/node4/etc' ]"

	node 2 set fw nic1 22.41.1000 22.41.1000
	again=$(states)
	canary --limit node3 --check --diff
	assertEquals "check" 0 "$status" || show_run check
	assertEquals "check writes nothing" "$again" "$(states)"
	assertFalse "also no policy" "[ -e '$T/node3/etc' ]"
	assertContains "the diff has the values" "$out" "+nic0 mtu: 9000"
	foretold=$(recap changed)

	canary -e '{"rdmactl_serial": ["100%"]}'
	assertEquals "the rollout goes through" 0 "$status" || show_run canary
	assertEquals "what was tried is in policy but for its firmware" "node1=0 node2=0 node3=3 node4=3" "$(recap changed)"
	assertEquals "as foretold" "$foretold" "$(recap changed | grep -o 'node3=[0-9]*')"
	assertEquals "9000 3" "$(node 4 get mtu nic1) $(node 4 get pfc nic1)"

	canary -e '{"rdmactl_serial": ["100%"]}' --limit node3,node4
	assertEquals 0 "$status"
	assertEquals "in policy means no change" "node3=0 node4=0" "$(recap changed)"
}

. shunit2
