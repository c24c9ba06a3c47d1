#!/bin/bash
# The bad habits of adapters, on a real kernel: none ends in a reported success, each is
# named with what was wanted, written and got, and the node is as it was.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err: lib.sh's
. "$(dirname "$0")/../cli/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	sed "s/^  node1:/  $(machine_node):/" "$TOP/policies/demo.yaml" >"$T/policy.yaml"
}

state() { # what apply may have changed, in the words of other tools
	local n
	for n in nic0 nic1; do
		dcb pfc show dev $n
		dcb app show dev $n
		dcb ets show dev $n
		ethtool -a $n
	done
	cat /sys/class/net/nic[01]/mtu /proc/sys/net/rdma_ucm/max_backlog /sys/kernel/debug/mlx5/*/cc_params/*
}

# rolled_back OP SPEC TEXT...: apply meets the fault at its second port, says TEXT, and undoes all
rolled_back() {
	local op=$1 spec=$2 before text
	shift 2
	machine_set_cc nic1 np_cnp_dscp 46
	before=$(state)
	# shellcheck disable=SC2086	# words
	machine_fault nic1 "$op" $spec
	assertStatus 3 rdmactl apply -q -p "$T/policy.yaml"
	for text in nic1 "$@"; do assertErr "$text"; done
	assertEquals "state after the rollback" "$before" "$(state)"
}

test_mtu_ignored() { rolled_back mtu 'ignore 1' 'mtu: wanted 9000, wrote 9000, got 1500'; }
test_mtu_clamped() { rolled_back mtu 'clamp 4096 1' 'mtu: wanted 9000, wrote 9000, got 4096'; }
test_pfc_ignored() { rolled_back pfc 'ignore 1' 'qos.pfc: wanted 3, wrote 3, got none'; }
test_ets_ignored() { rolled_back ets 'ignore 1' 'qos.tc: wanted 0:0 3:3 6:6'; }
test_dscp_clamped() { rolled_back app 'clamp 2 64' 'qos.dscp: wanted' '26:3' 'got 0-25:0'; }
test_cc_ignored() { rolled_back cc 'ignore 1' 'ecn.cnp.dscp: wanted 48, wrote 48, got 46'; }
test_mtu_busy() { rolled_back mtu 'err 16 1' 'cannot set mtu to 9000: Device or resource busy'; }
test_pfc_busy() { rolled_back pfc 'err 16 1' 'cannot set PFC: Device or resource busy'; }
test_ets_eio() { rolled_back ets 'err 5 1' 'cannot set ETS: Input/output error'; }
test_dscp_not_supported() { rolled_back app 'err 95 1' 'cannot set APP entries: Operation not supported'; }
test_cc_eio() { rolled_back cc 'err 5 1' 'np_cnp_dscp: cannot write 48: Input/output error'; }

# After the device is well again the same command does it.
test_second_try() {
	machine_fault nic0 pfc err 16 1
	assertStatus 3 rdmactl apply -p "$T/policy.yaml"
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertStatus 0 rdmactl drift -p "$T/policy.yaml"
}

# PFC goes with another write: put right in the same run.
test_pfc_lost_with_the_mtu() {
	machine_quirk nic0 pfc_reset_on_mtu Y
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 3 "$(machine_get_pfc nic0)"
	machine_set_mtu nic0 1500
	assertEquals "" "$(machine_get_pfc nic0)"
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals "3 9000" "$(machine_get_pfc nic0) $(machine_get_mtu nic0)"
}

# PFC is silently lost with a write that comes after it: noticed before success is reported.
test_pfc_lost_with_a_later_write() {
	machine_fault nic1 app lose
	run rdmactl apply -p "$T/policy.yaml"
	if [ "$status" = 0 ]; then
		assertEquals "success, so PFC is there" 3 "$(machine_get_pfc nic1)"
	else
		assertErr qos.pfc
	fi
}

# A link that takes its time after a PFC change is waited for.
test_slow_link() {
	machine_quirk nic0 flap_ms 3000
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 1 "$(cat /sys/class/net/nic0/carrier)"
}

# What cannot be read inside an object is unknown, and that object is not written.
test_unreadable() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	machine_fault nic0 getets err 5
	assertStatus 2 rdmactl drift -p "$T/policy.yaml"
	assertSets 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 2 "$status"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
}

# The card falls off the bus in the middle: its rows are unknown, count drifts, the rest is done.
test_vanishes() {
	machine_fault nic0 mtu vanish
	assertStatus 1 rdmactl apply -p "$T/policy.yaml"
	assertErr 'nic0'
	assertEquals "nic1 is finished" "9000 3" "$(machine_get_mtu nic1) $(machine_get_pfc nic1)"
	assertStatus 1 rdmactl drift -o json -p "$T/policy.yaml"
	assertEquals "count 2 1 drift" "$(json '.items[] | select(.status != "in-sync") | "\(.setting) \(.want) \(.live) \(.status)"')"
	machine_rescan
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
}

test_gone_from_the_start() {
	machine_vanish nic1
	assertStatus 1 rdmactl apply -p "$T/policy.yaml"
	assertEquals "nic0 is finished" "9000 3" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
}

# A refused reload leaves RoCE as it runs.
test_refused_reload() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	sed -i 's/roce: {mode: v2/roce: {enabled: false, mode: v2/' "$T/policy.yaml"
	machine_fault nic0 reload err 16
	assertStatus 3 rdmactl apply -p "$T/policy.yaml" --allow reload
	assertEquals mlx5_0 "$(ls /sys/class/net/nic0/device/infiniband)"
	machine_fault nic0 reload none
}

. shunit2
