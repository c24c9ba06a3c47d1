#!/bin/bash
# The bad habits of adapters, on a real kernel: none ends in a reported success, each is
# named with what was wanted and what came, and the node is as it was.
. "$(dirname "$0")/../cli/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	sed "s/^  node1:/  $(machine_node):/" "$TOP/policies/demo.yaml" >"$T/policy.yaml"
}

state() { # all that apply may have changed
	local n
	for n in nic0 nic1; do
		echo "$n $(machine_get_mtu $n) [$(machine_get_pfc $n)] [$(machine_get_dscp $n)] $(machine_get_ets $n)"
		ethtool -a $n
		grep -H . "/sys/kernel/debug/mlx5/$(machine_bdf $n)"/cc_params/*
	done
	cat /proc/sys/net/rdma_ucm/max_backlog
}

# rolled_back OP SPEC SETTING TEXT...: apply meets the fault, says so, and undoes
rolled_back() {
	local op=$1 spec=$2 setting=$3 before
	shift 3
	before=$(state)
	# shellcheck disable=SC2086	# words
	machine_fault nic1 "$op" $spec
	assertStatus 3 rdmactl apply -p "$T/policy.yaml"
	assertErr "nic1"
	assertErr "$setting"
	local text
	for text; do assertErr "$text"; done
	machine_fault nic1 "$op" none
	assertEquals "state after the rollback" "$before" "$(state)"
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
}

test_pfc_ignored() { rolled_back pfc ignore qos.pfc; }
test_mtu_ignored() { rolled_back mtu 'ignore 1' mtu 9000 1500; }
test_mtu_clamped() { rolled_back mtu 'clamp 4096 1' mtu 9000 4096; }
test_ets_ignored() { rolled_back ets 'ignore 1' qos.ets; }
test_dscp_clamped() { rolled_back app 'clamp 2' qos.dscp; }
test_cc_ignored() { machine_set_cc nic1 np_cnp_dscp 46; rolled_back cc 'ignore 1' ecn; }
test_pause_ignored() { rolled_back pause 'ignore 1' pause; }
test_pfc_busy() { rolled_back pfc 'err 16 1' qos.pfc "busy"; }
test_ets_eio() { rolled_back ets 'err 5 1' qos.ets "Input/output error"; }
test_dscp_not_supported() { rolled_back app 'err 95 1' qos.dscp "not supported"; }
test_cc_eio() { machine_set_cc nic1 np_cnp_dscp 46; rolled_back cc 'err 5 1' ecn "Input/output error"; }

# PFC goes with another write: put right in the same run, or told.
test_pfc_lost_with_the_mtu() {
	machine_quirk nic0 pfc_reset_on_mtu Y
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 3 "$(machine_get_pfc nic0)"
	machine_set_mtu nic0 1500
	assertEquals "" "$(machine_get_pfc nic0)"
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 3 "$(machine_get_pfc nic0)"
	assertEquals 9000 "$(machine_get_mtu nic0)"
}

# A link that takes its time after a PFC change is waited for.
test_slow_link() {
	machine_quirk nic0 flap_ms 3000
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	assertEquals 1 "$(cat /sys/class/net/nic0/carrier)"
	assertStatus 0 rdmactl drift -p "$T/policy.yaml"
}

# What cannot be read inside an object is unknown, and that object is not written.
test_unreadable() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	machine_fault nic0 getets err 5
	assertStatus 2 rdmactl drift -p "$T/policy.yaml"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
}

# The card falls off the bus in the middle: its rows are unknown, count drifts, the rest is done.
test_vanishes() {
	machine_fault nic1 mtu vanish
	assertStatus 1 rdmactl apply -p "$T/policy.yaml"
	assertEquals "nic0 is finished" "9000 3" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
	assertStatus 1 rdmactl drift -p "$T/policy.yaml"
	assertContains "$out" count
	echo 1 >/sys/bus/pci/rescan
}

test_gone_from_the_start() {
	machine_vanish nic1
	assertStatus 1 rdmactl apply -p "$T/policy.yaml"
	assertEquals "nic0 is finished" "9000 3" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
}

test_refused_reload() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	sed -i 's/roce: {mode: v2/roce: {enabled: false, mode: v2/' "$T/policy.yaml"
	machine_fault nic0 reload err 16
	assertStatus 3 rdmactl apply -p "$T/policy.yaml" --allow reload
	machine_fault nic0 reload none
}

. shunit2
