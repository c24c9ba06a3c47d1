#!/bin/bash
# Law 1, by strace on a real kernel: what reads changes nothing, has no children, loads nothing.
. "$(dirname "$0")/../cli/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	sed "s/^  node1:/  $(machine_node):/" "$TOP/policies/demo.yaml" >"$T/policy.yaml"
}

none() { # STATUS COMMAND...: it changes nothing
	local want=$1
	shift
	assertSets 0 "$@"
	assertEquals "exit status of: $*" "$want" "$status" || show_run "$@"
	assertEquals "configfs directories left" "" "$(ls /sys/kernel/config/rdma_cm)"
}

test_lint() { none 0 rdmactl lint "$T/policy.yaml"; }
test_plan() { none 1 rdmactl plan -p "$T/policy.yaml"; }
test_dry_run() { none 1 rdmactl apply --dry-run -p "$T/policy.yaml"; }
test_drift() { none 1 rdmactl drift -p "$T/policy.yaml"; }
test_show() { none 0 rdmactl show; }
test_show_ports() { none 0 rdmactl show ports; }
test_explain() { none 0 rdmactl explain qos.pfc; }
test_dump() { none 0 rdmactl dump; }
test_version() { none 0 rdmactl version; }

test_apply_in_policy() {
	assertStatus 0 rdmactl apply -p "$T/policy.yaml"
	none 0 rdmactl apply -p "$T/policy.yaml"
	none 0 rdmactl drift -p "$T/policy.yaml"
}

# A directory that somebody made is his.
test_configfs_directory_of_another() {
	mkdir /sys/kernel/config/rdma_cm/mlx5_0
	assertSets 0 rdmactl drift -p "$T/policy.yaml"
	assertEquals "mlx5_0" "$(ls /sys/kernel/config/rdma_cm)"
	rmdir /sys/kernel/config/rdma_cm/mlx5_0
}

# Opening NETLINK_RDMA would load ib_core.
test_no_rdma_subsystem() {
	rmmod fabricsim
	umount /sys/kernel/config
	modprobe -r rdma_ucm rdma_rxe 2>/dev/null
	modprobe -r ib_uverbs rdma_cm iw_cm ib_cm ib_core 2>/dev/null
	assertFalse "ib_core is out" "[ -e /sys/module/ib_core ]"
	assertSets 0 rdmactl show
	assertSets 0 rdmactl drift -p "$T/policy.yaml"
	assertEquals "exit status" 1 "$status"
	assertFalse "ib_core was loaded" "[ -e /sys/module/ib_core ]"
}

. shunit2
