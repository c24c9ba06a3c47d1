#!/bin/bash
# Who uses a port: an open context and queue pairs of a process, by name; counters that move; nobody. And the port that
# carries the own session: whoever is about to cut it is told so beforehand.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy, holder: lib.sh's
. "$(dirname "$0")/lib.sh"

# uses: "PORT USE WHY" of each port
uses() {
	assertStatus 0 rdmactl show ports -v -o json
	json '.ports[] | "\(.name) \(.use)\(.use_why // "" | if . == "" then . else " " + . end)"'
}

test_nobody() {
	assertEquals "$(printf '%s\n' 'nic0 idle' 'nic1 idle')" "$(uses)"
	# without -v nobody is asked, and no time is spent on it
	assertStatus 0 rdmactl show ports -o json
	assertEquals 0 "$(json '[.ports[] | select(.use)] | length')"
}

test_a_context() {
	machine_hold nic0
	assertEquals "$(printf '%s\n' "nic0 busy 1 open context of $holder" 'nic1 idle')" "$(uses)"
	assertStatus 0 rdmactl show ports -v
	assertOut "nic0: 1 open context of $holder"
	machine_release nic0
	assertEquals "$(printf '%s\n' 'nic0 idle' 'nic1 idle')" "$(uses)"
}

test_queue_pairs() {
	machine_hold nic1 2
	assertEquals "$(printf '%s\n' 'nic0 idle' "nic1 busy 2 queue pairs of $holder")" "$(uses)"
	machine_release nic1
	assertEquals "$(printf '%s\n' 'nic0 idle' 'nic1 idle')" "$(uses)"
}

test_counters_that_move() {
	machine_traffic nic0 on
	assertEquals 'nic0 busy np_cnp_sent of mlx5_0/1 moves' "$(uses | sed -n 's/ moves: from [0-9]* to [0-9]* within a second$/ moves/p')"
	assertEquals 'nic1 idle' "$(uses | grep nic1)"
	machine_traffic nic0 off
	assertEquals 'nic0 idle' "$(uses | grep nic0)"
}

test_elsewhere() {
	machine_hold nic0 1
	assertStatus 0 rdmactl dump "$T/node.dump"
	machine_release nic0
	assertStatus 0 rdmactl show ports -v -o json --from "$T/node.dump"
	assertEquals 'busy idle' "$(json '[.ports[].use] | join(" ")')"
	assertContains "$(json '.ports[0].use_why')" '1 queue pair of'
}

# A job on nic0: what it would notice waits, and who it is stands beside the row.
test_a_job_is_left_alone() {
	demo_policy
	machine_hold nic0 2
	assertStatus 1 rdmactl apply --if-idle -o json -p "$policy"
	assertErr "nic0 is in use (2 queue pairs of $holder): nothing is done"
	assertEquals 0 "$(json .writes)"
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals 'nic0' "$(json '[.items[] | select(.reason == "above-allow") | .target] | unique | join(" ")')"
	assertContains "$(json '.items[] | select(.target == "nic0" and .setting == "mtu") | .remedy')" "2 queue pairs of $holder"
	assertEquals 1500 "$(machine_get_mtu nic0)"
	assertEquals '' "$(machine_get_pfc nic0)"
	assertEquals 9000 "$(machine_get_mtu nic1)"
	assertEquals 3 "$(machine_get_pfc nic1)"
	machine_release nic0
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals 9000 "$(machine_get_mtu nic0)"
	assertEquals 3 "$(machine_get_pfc nic0)"
}

# --- the own session -----------------------------------------------------------

in_session() { # COMMAND [ARG]...
	SSH_CONNECTION='203.0.113.9 50000 198.51.100.10 22' "$RDMACTL" "$@"
}

test_own_session() {
	demo_policy
	machine_set_addr nic1 198.51.100.10
	run in_session plan -p "$policy"
	assertErr 'nic1: your own session (198.51.100.10 on nic1) comes over this port'
	assertErr '--confirm 120'
	assertNotContains "nic0" "$err" nic0
	# nothing is planned there that may cut it
	run in_session plan -p "$policy" --port nic0
	assertNotContains "another port" "$err" session
	run in_session plan -p "$policy" --only max_backlog
	assertNotContains "nothing but impact none" "$err" session
	run in_session drift -p "$policy"
	assertNotContains "nothing is written" "$err" session
	# apply says it, too, and then has nothing more to say
	assertStatus 0 in_session apply -p "$policy"
	assertErr 'comes over this port'
	assertStatus 0 in_session apply -p "$policy"
	assertNotContains "in sync" "$err" session
}

test_session_of_another_address() {
	demo_policy
	run in_session plan -p "$policy"
	assertErr 'whether your own session comes over a port that is changed is not known'
	assertNotContains "no warning" "$err" warning
	run env -u SSH_CONNECTION "$RDMACTL" plan -p "$policy"
	assertNotContains "no session" "$err" session
}

. shunit2
