#!/bin/bash
# For each n, the nth write of a large apply fails; afterwards the host reads as before. And every operation of every
# driver that the simulator knows fails once, is ignored once, or is clamped: never a reported success.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'the real kernel fails no nth write on demand; tests/vm/habits.sh has its faults'; }
	suite() { suite_addTest elsewhere; }
fi

# All that can be set on a port of this driver, and on the node.
everything() { # [DRIVER]
	policy <<-END
		version: 1
		fabric:
		  mtu: 9000
		  classes:
		    rdma:    {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
		    cnp:     {priority: 6, dscp: [48], strict: true}
		    default: {priority: 0, bandwidth: 40%}
		profiles:
		  all:
		    node:
		      max_backlog: 8192
		      sysctl: {net.core.rmem_max: 33554432, vm.swappiness: 1}
		      modules:
		        rdma_ucm: {load: true}
		        ib_core: {options: {netns_mode: 0}}
		        siw: {blacklist: true}
		    ports:
		      rail:
		        match: {driver: ${1:-mlx5_core}}
		        mtu: fabric
		        roce: {mode: v2, tos: rdma}
		        qos: fabric
		        pause: {rx: false, tx: false}
		        ${2:-}
		nodes:
		  node1: {profiles: [all]}
	END
}

# What can be read; less whether nic1 is up, where a reload is made: `leaves` names that.
reads() {
	if [ -n "$reloads" ]; then sim snapshot | grep -v '^nic1 link '; else sim snapshot; fi
}

# fail_each ERRNO [OPTION-OF-APPLY]...: leaves the number of writes in $writes
fail_each() {
	local error=$1 before n=0 bad=0 now reloads=''
	shift
	[[ $* != *reload* ]] || reloads=1
	before=$(reads)
	cp "$RDMACTL_SIM" "$T/pristine"
	while [ $n -lt 200 ]; do
		n=$((n + 1))
		cp "$T/pristine" "$RDMACTL_SIM"
		sim fail-write $n "$error"
		run rdmactl apply -o json -p "$policy" "$@"
		[ "$status" = 3 ] || break
		now=$(reads)
		if [ "$now" != "$before" ]; then
			bad=$((bad + 1))
			fail "write $n failed with $error; afterwards the host does not read as before"
			sim log | tail -n 12
			diff <(echo "$before") <(echo "$now") | head -n 12
		fi
		assertEquals "write $n: result" 'failed-rolled-back false 3' "$(json '"\(.result) \(.changed) \(.exit_code)"')"
		assertNotNull "write $n: told" "$err"
		[ $bad -lt 5 ] || return 0
	done
	# with fewer writes than n, none fails, and all is done
	assertEquals "the apply in which no write failed" 0 "$status" || show_run "n=$n"
	writes=$((n - 1))
	cp "$T/pristine" "$RDMACTL_SIM"
	sim fail-write 0
	before=$(sim count sets)
	assertStatus 0 rdmactl apply -p "$policy" "$@"
	assertEquals "each write was made to fail" $(($(sim count sets) - before)) "$writes"
}

test_mlx5() {
	everything mlx5_core 'ecn: {cnp: {dscp: 46, priority: 5}, rp_threshold: 2}'
	sed -i 's/cnp:     {priority: 6, dscp: \[48\]/cnp:     {priority: 5, dscp: [46]/' "$policy"
	fail_each EIO
	assertTrue "a large apply: $writes writes" "[ $writes -ge 20 ]"
}

test_mlx5_refusals_and_a_reload() {
	everything mlx5_core 'ecn: {np_min_time_between_cnps: 8us}'
	sed -i 's/roce: {mode: v2/roce: {enabled: true, mode: v2/' "$policy"
	sim set roce nic1 off
	sim reload nic1
	sim set link nic1 up
	fail_each EINVAL --allow reload
	assertStatus 0 rdmactl plan --allow reload -p "$policy"
}

test_mlx5_that_was_set_before() {
	everything mlx5_core 'ecn: {np_min_time_between_cnps: 8us}'
	sim set pfc nic0 2,4
	sim set dscp nic0 '10:1 26:4'
	sim set ets nic1 '0:10% 1:90% 7:strict'
	sim set pause nic1 rx on tx off
	sim set mtu nic0 4200
	fail_each EOPNOTSUPP
}

test_ofed() {
	sim reset --pairs 1 --ofed
	everything mlx5_core 'ecn: {np: [3], rp: [3], cnp: {dscp: 46, priority: 5}}'
	sed -i 's/cnp:     {priority: 6, dscp: \[48\]/cnp:     {priority: 5, dscp: [46]/' "$policy"
	fail_each EBUSY
}

test_other_drivers() {
	local line driver manners writes
	for line in ice:ice bnxt_en:bnxt hns3:hns3; do
		driver=${line%:*}
		manners=${line#*:}
		sim reset --pairs 1 --driver "$driver" --manners "$manners"
		everything "$driver" 'optional: [pause, roce, qos]'
		echo "# $driver"
		fail_each EIO
		assertTrue "$driver: $writes writes" "[ $writes -ge 5 ]"
	done
}

. shunit2
