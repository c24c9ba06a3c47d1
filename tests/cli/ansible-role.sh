#!/bin/bash
# What else stops the rollout of the Ansible collection: a reload outside its window, a port that does not come back, a
# node that nobody reaches; and the window of confirm. On the simulator alone so far.
# shellcheck disable=SC2154	# out, status: lib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ansible-lib"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	four_nodes
	small_policy mtu: 4200
}

small_policy() { # KEY VALUE: of the ports
	cat >"$T/policy.yaml" <<-END
		version: 1
		profiles:
		  small: {ports: {rail: {match: {driver: mlx5_core}, count: 2, $*}}}
		nodes:
		  node[1-4]: {profiles: [small]}
	END
}

test_a_reload_has_its_window() {
	local before window='"rdmactl_reload_window": {"from": "22:00", "to": "04:00"}'
	node 1 set roce nic0 off
	node 1 reload nic0
	small_policy roce: '{enabled: true}'
	before=$(node 1 snapshot)
	canary -e "{$window, \"rdmactl_clock\": \"04:00\"}"
	assertNotEquals 0 "$status"
	said "node1 needs a reload, and the window (22:00 to 04:00 UTC) is not open at 04:00"
	said "nothing was written"
	said "not touched: node2, node3, node4"
	assertEquals "node1=0" "$(recap changed)"
	assertEquals "$before" "$(node 1 snapshot)"
	assertFalse "[ -e '$T/node1/etc' ]"

	canary --limit node1 -e "{$window, \"rdmactl_clock\": \"03:59\", \"rdmactl_confirm\": 600}"
	assertEquals 0 "$status" || show_run canary
	assertEquals on "$(node 1 get roce nic0)"
	assertEquals "confirmed" "$("$T/node1/rdmactl" history -o json | jq -r '.runs[-1].result')"
}

test_a_port_that_stays_away() {
	small_policy qos: '{pfc: [3]}'	# a changed mask bounces the link, and this one does not come back
	node 1 set flap_on_set nic1 Y
	node 1 set flap_ms nic1 60000000
	canary -e rdmactl_ports_retries=1
	assertNotEquals 0 "$status"
	said "the rollout stops with node1, at: Stop if a port did not come back"
	said "node1: nic1 had a carrier before, and none after"
	said "not touched: node2, node3, node4"
	assertEquals "the others are as they were" "" "$(node 2 get pfc nic0)"
}

# node2 is node 2, by a connection that nobody answers; IF it is: a condition of Ansible's
node2_away() { # [IF]
	local away="ansible_connection: \"{{ 'ssh' if ${1:-true} else 'local' }}\", ansible_host: 127.0.0.1, ansible_port: 1"
	sed -i "s/^    node\[1:4\]:$/    node1:\n    node2: {$away}\n    node[3:4]:/" "$T/hosts.yml"
}

test_a_node_that_nobody_reaches() {
	node2_away
	canary --limit node2,node3
	assertNotEquals 0 "$status"
	assertEquals "node2=1" "$(recap failed)"
	said "the rollout stops with node2, at: Reach the node nobody reaches node2: "
	said "Connection refused"
	said "what next: see why SSH does not get there, and start again: nodes in policy are not written to; or leave it out, with"
	said "--limit 'all:!node2'"
	said "not touched: node3"
	assertEquals "the next batch" 1500 "$(node 3 get mtu nic0)"
}

test_a_node_that_is_lost_on_the_way() {
	node2_away 'rdmactl_before is defined'
	canary -e '{"rdmactl_serial": [2, 2]}'
	assertNotEquals 0 "$status"
	assertEquals "node1=0 node2=1 node3=0" "$(recap unreachable)"
	assertEquals "who is in its batch comes to the end" 4200 "$(node 1 get mtu nic1)"
	said "the rollout stops before node3: node2 was lost on the way (UNREACHABLE! above has at what, and why)"
	said "what next: see why SSH no longer gets there, and what was done, with \`rdmactl history\` on the node; then start again"
	said "not touched: node3, node4"
	assertEquals "once, where it stopped" "node1=0 node2=0 node3=1" "$(recap failed)"

	canary --limit node2,node3
	assertEquals "nobody of its batch is left" "4 node2=1" "$status $(recap unreachable)"
	assertFalse "no policy came to them" "[ -e '$T/node3/etc' ] || [ -e '$T/node4/etc' ]"
}

# Check mode fails as well if nobody knows what apply would do.
test_a_report_that_is_lost() {
	sed -i 's/^RDMACTL_SIM=/[ "$1" != apply ] || exit 0; &/' "$T/node1/rdmactl"
	canary --check
	assertNotEquals 0 "$status"
	said "the rollout stops with node1, at: Bring the node into policy rdmactl apply ended with status 0 and no report: its output is empty, or was lost"
	said "not touched: node2, node3, node4"
}

test_do_they_still_match() {
	local drift="$T/{{ inventory_hostname }}/rdmactl"
	small_policy mtu: 1500
	node 2 set mtu nic1 9000
	as_controller ansible node1,node2 -i "$T/hosts.yml" -a "$drift drift -q -p $T/policy.yaml"
	assertEquals 2 "$status"
	assertContains "in policy, nothing below" "$out" $'node1 | CHANGED | rc=0 >>\n\n'
	assertContains "what differs" "$out" $'node2 | FAILED | rc=1 >>\nnode2: drift;'
	assertContains "$out" "nic1 (rail) mtu     1500 9000 drift"
	as_controller ansible node2 -i "$T/hosts.yml" -m rdmactl.node.rdmactl_info -a "executable=$drift policy=$T/policy.yaml"
	assertEquals "no failure" 0 "$status"
	assertContains "$out" 'node2 | SUCCESS => {'
	assertContains "$out" '"in_sync": false'
}

test_the_page() {
	sed 's/^  node1:/  node[1-4]:/' "$TOP/policies/demo.yaml" >"$T/policy.yaml"
	page "RDMA nodes in policy"
	playbook -i "$T/hosts.yml" "$T/page.yml" --diff
	assertEquals "the role" 0 "$status" || show_run role
	said "node max_backlog: 8192"
	assertEquals "nothing else" 1500 "$(node 1 get mtu nic0)"

	page "One node by hand"
	cat >>"$T/page.yml" <<-END
		  module_defaults:
		    rdmactl.node.rdmactl_info: &node {executable: "{{ rdmactl_executable }}", policy: "{{ rdmactl_policy }}"}
		    rdmactl.node.rdmactl_apply: *node
	END
	playbook -i "$T/hosts.yml" "$T/page.yml"
	assertEquals "the modules" 0 "$status" || show_run modules
	assertEquals 9000 "$(node 1 get mtu nic0)"
	assertEquals confirmed "$("$T/node1/rdmactl" history -o json | jq -r '.runs[-1].result')"
}

. shunit2
