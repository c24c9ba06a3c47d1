#!/bin/bash
# After apply the independent tools agree with the policy, on a real kernel.
. "$(dirname "$0")/../cli/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	sed "s/^  node1:/  $(machine_node):/" "$TOP/policies/demo.yaml" >"$T/policy.yaml"
	dir=/sys/kernel/config/rdma_cm
}

# What policies/demo.yaml means, said by hand.
agree() { # NIC
	local cc
	cc=/sys/kernel/debug/mlx5/$(machine_bdf "$1")/cc_params
	assertEquals "MTU of $1" 9000 "$(ip -d -j link show "$1" | jq .[0].mtu)"
	assertEquals "PFC of $1" '[3]' "$(dcb -j pfc show dev "$1" | jq -c '[.prio_pfc | to_entries[] | select(.value).key]')"
	assertEquals "DSCP 26 of $1" 3 "$(dcb -N -j app show dev "$1" | jq '.dscp_prio[] | select(.[0] == 26)[1]')"
	assertEquals "DSCP 48 of $1" 6 "$(dcb -N -j app show dev "$1" | jq '.dscp_prio[] | select(.[0] == 48)[1]')"
	assertEquals "other DSCPs of $1" '[0]' "$(dcb -N -j app show dev "$1" |
		jq -c '[.dscp_prio[] | select(.[0] != 26 and .[0] != 48)[1]] | unique')"
	assertEquals "64 DSCPs of $1" 64 "$(dcb -N -j app show dev "$1" | jq '.dscp_prio | length')"
	assertEquals "ETS of $1" '["ets",40,"ets",60,"strict"]' "$(dcb -j ets show dev "$1" |
		jq -c '[.tc_tsa[0], .tc_bw[0], .tc_tsa[3], .tc_bw[3], .tc_tsa[6]]')"
	assertEquals "TCs of $1" '[0,3,6]' "$(dcb -j ets show dev "$1" | jq -c '[.prio_tc[0, 3, 6]]')"
	assertEquals "pause of $1" 'RX: off TX: off' "$(ethtool -a "$1" | awk '/^[RT]X:/ { print $1, $2 }' | paste -sd' ')"
	assertEquals "CNP DSCP of $1" 48 "$(cat "$cc/np_cnp_dscp")"
	assertEquals "CNP priority of $1" 6 "$(cat "$cc/np_cnp_prio")"
	assertEquals "time between CNPs of $1" 4 "$(cat "$cc/np_min_time_between_cnps")"
	mkdir "$dir/mlx5_${1#nic}"
	assertEquals "ToS of $1" 104 "$(cat "$dir/mlx5_${1#nic}/ports/1/default_roce_tos")"
	assertEquals "mode of $1" 'RoCE v2' "$(cat "$dir/mlx5_${1#nic}/ports/1/default_roce_mode")"
	rmdir "$dir/mlx5_${1#nic}"
	assertEquals "link of $1" UP "$(ip -j link show "$1" | jq -r .[0].operstate)"
}

agree_all() {
	agree nic0
	agree nic1
	assertEquals "backlog" 8192 "$(cat /proc/sys/net/rdma_ucm/max_backlog)"
	assertEquals "backlog at boot" 8192 "$(sed -n 's/^net.rdma_ucm.max_backlog *= *//p' /etc/sysctl.d/zz-rdmactl.conf)"
	assertStatus 0 rdmactl drift -p "$T/policy.yaml"
}

test_fresh_node() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	agree_all
}

test_node_in_disorder() {
	local n
	for n in nic0 nic1; do
		machine_set_mtu $n 4200
		machine_set_dscp $n "26:5 10:1 48:3"
		machine_set_pfc $n 5,6
		machine_set_cc $n np_cnp_prio_mode 1
		machine_set_cc $n np_cnp_dscp 46
	done
	dcb ets set dev nic0 prio-tc 3:1 tc-tsa 0:ets 1:ets tc-bw all:0 0:10 1:90
	machine_set_pause nic1 on
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	agree_all
}

test_after_a_reload() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	machine_reload nic0
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	agree_all
}

test_only_one_setting() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml" --only mtu
	assertEquals 9000 "$(machine_get_mtu nic0)"
	assertEquals "" "$(machine_get_pfc nic0)"
	assertEquals 1024 "$(cat /proc/sys/net/rdma_ucm/max_backlog)"
}

# MTU goes to the bond, DCB to its members.
test_bond() {
	machine_bond bond0 nic0 nic1
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals "MTU of the bond" 9000 "$(machine_get_mtu bond0)"
	assertEquals "MTU of a member" 9000 "$(machine_get_mtu nic1)"
	assertEquals "PFC of a member" 3 "$(machine_get_pfc nic0)"
	assertEquals "PFC of the other" 3 "$(machine_get_pfc nic1)"
	assertStatus 0 rdmactl drift -p "$T/policy.yaml"
	machine_unlink bond0
}

. shunit2
