#!/bin/bash
# The main story: one policy, one node, from the factory's defaults to a node that is proven to match; then somebody
# changes three things behind our back. The state is also read without rdmactl, by machine_get_*.
# shellcheck disable=SC2154	# out, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

# What the policy wants, asked of the machine.
wanted() {
	local nic
	for nic in nic0 nic1; do
		assertEquals "mtu of $nic" 9000 "$(machine_get_mtu $nic)"
		assertEquals "pfc of $nic" 3 "$(machine_get_pfc $nic)"
		assertContains "dscp of $nic" " $(machine_get_dscp $nic) " ' 26:3 '
		assertContains "dscp of $nic" " $(machine_get_dscp $nic) " ' 48:6 '
		assertEquals "dscp of $nic to priority 3" 1 "$(machine_get_dscp $nic | grep -o ':3' | wc -l)"
		assertEquals "ets of $nic" '0:40% 3:60% 6:strict' "$(machine_get_ets $nic | grep -oE '[036]:[a-z0-9%]+' | paste -sd' ')"
		assertEquals "tc of $nic" '0:0 3:3 6:6' "$(machine_get_tc $nic | grep -oE '[036]:[0-7]' | paste -sd' ')"
		assertEquals "cnp of $nic" '48 6' "$(machine_get_cc $nic np_cnp_dscp) $(machine_get_cc $nic np_cnp_prio)"
	done
	assertEquals 8192 "$(machine_get_sysctl net.rdma_ucm.max_backlog)"
}

test_from_defaults_to_in_sync() {
	demo_policy
	local before
	before=$(machine_state)
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals "changes, in order" "$(
		echo 'node max_backlog none new-connections'
		for nic in nic0 nic1; do
			printf "$nic %s\n" 'mtu traffic now' 'ets none now' 'PFCC traffic now' 'app traffic now' \
				'roce.tos none new-connections'
		done
		echo 'node boot files none reboot'
	)" "$(json '.changes[] | "\(.target) \(.object) \(.impact) \(.effective)"')"
	assertEquals "what cannot be undone is named" 2 "$(json '[.changes[] | select(.leaves)] | length')"
	assertStatus 1 rdmactl plan -p "$policy"
	assertOut '12 changes planned'
	assertOut 'leaves: the hidden map of 64 DSCPs'
	assertStatus 1 rdmactl apply --dry-run -p "$policy"
	assertOut '12 changes planned'
	assertMachine "$before"

	assertStatus 0 rdmactl apply -o json -p "$policy"
	assertEquals 'in-sync true 12' "$(json '"\(.result) \(.changed) \([.changes[] | select(.done)] | length)"')"
	wanted
	assertContains "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" 'net.rdma_ucm.max_backlog = 8192'
	assertContains "who wrote it, from what" "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" "$policy"
	assertEquals rdma_ucm "$(machine_read etc/modules-load.d/rdmactl.conf | grep -v '^#')"
	assertStatus 0 rdmactl drift -p "$policy"
	assertOut 'in sync'
	assertNotOut drift
}

test_in_policy_means_zero_sets() {
	demo_policy
	local before
	assertStatus 0 rdmactl apply -p "$policy"
	before=$(machine_state)
	assertSets 0 rdmactl apply -o json -p "$policy"
	assertEquals 0 "$status"
	assertEquals 'in-sync false 0 0' "$(json '"\(.result) \(.changed) \(.writes) \(.changes | length)"')"
	assertMachine "$before"
}

test_three_things_behind_our_back() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	machine_set_mtu nic0 1500
	machine_set_pfc nic1 ''
	machine_set_sysctl net.rdma_ucm.max_backlog 64
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "$(printf '%s\n' 'node max_backlog 8192 64 drift' 'nic0 mtu 9000 1500 drift' 'nic1 qos.pfc [3] [] drift')" "$(rows)"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut '3 drift, 36 in-sync'
	assertSets 3 rdmactl apply -p "$policy"
	assertEquals 0 "$status"
	wanted
	assertStatus 0 rdmactl drift -p "$policy"
	# the policy's own default place
	machine_set_mtu nic1 1500
	assertStatus 1 rdmactl drift -q -p "$policy"
	assertOut mtu
	assertStatus 0 rdmactl apply -q -p "$policy"
	assertEquals "quiet" "" "$out$err"
}

# What the policy is silent about stays as somebody has set it.
test_silent_values_are_kept() {
	demo_policy
	machine_set_ets nic0 '2:strict 4:vendor'
	machine_set_dscp nic1 '10:1'
	machine_set_cc nic1 np_min_time_between_cnps 7
	sed -i -e '/ecn:/d' "$policy"
	assertStatus 0 rdmactl apply -p "$policy"
	assertContains "$(machine_get_ets nic0)" '2:strict'
	assertContains "$(machine_get_ets nic0)" '4:vendor'
	assertEquals 7 "$(machine_get_cc nic1 np_min_time_between_cnps)"
}

. shunit2
