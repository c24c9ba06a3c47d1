#!/bin/bash
# Every exit status of a run that cannot go as wished, each with its own words, and nothing written: ports that match
# nothing, no rights, no RDMA, no devlink, no DCB, no debugfs, refusals. usage.sh has those that ask no kernel.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

# machine_without rdma|devlink|dcb: a machine with NICs like that; nic is one of them. On a real kernel, rxe on a veth
# has neither devlink nor DCB; without RDMA there is that veth alone.
machine_without() {
	nic=nic0
	case $BACKEND in
	sim) machine_reset 2 "no-$1" ;;
	vm)
		nic=veth0
		modprobe -a veth rdma_rxe
		ip link add veth0 type veth peer veth1
		ip link set veth0 up
		ip link set veth1 up
		if [ "$1" != rdma ]; then
			rdma link add rxe0 type rxe netdev veth0
			return
		fi
		rmmod fabricsim
		umount /sys/kernel/config
		modprobe -r rdma_ucm rdma_rxe
		modprobe -r ib_uverbs rdma_cm iw_cm ib_cm ib_core 2>/dev/null
		[ ! -e /sys/module/ib_core ]
		;;
	esac
}

tearDown() {
	[ "$BACKEND" != vm ] || ip link del veth0 2>/dev/null
	true
}

# one_port SETTING...: a policy for $nic alone
one_port() {
	policy < <(
		cat <<-END
			version: 1
			profiles:
			  all:
			    ports:
			      one:
			        match: {ifname: $nic}
		END
		printf '        %s\n' "$@"
		printf 'nodes:\n  %s: {profiles: [all]}\n' "$(machine_node)"
	)
}

test_no_port_matches() {
	demo_policy
	sed -i 's/driver: mlx5_core, link/driver: bnxt_en, link/' "$policy"
	local nics
	nics="$(machine_get_mtu nic0) $(machine_get_pfc nic0) $(machine_get_mtu nic1)"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'rail count 2 0 drift' "$(rows '.setting == "count"')"
	assertEquals "no other row of the group" 0 "$(json '[.items[] | select(.group == "rail" and .setting != "count")] | length')"
	assertStatus 1 rdmactl apply -p "$policy"
	assertOut 'no port matches; this machine has 2: nic0 mlx5_core 0001:03:00.0'
	assertEquals "the ports" "$nics" "$(machine_get_mtu nic0) $(machine_get_pfc nic0) $(machine_get_mtu nic1)"
	assertEquals "the node's own rows are done" 8192 "$(machine_get_sysctl net.rdma_ucm.max_backlog)"
	sed -i '/count:/d' "$policy"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'rail count at least 1 0 drift' "$(rows)"
}

# The real program says no before it looks, whoever the machine belongs to.
test_apply_without_permission() {
	demo_policy
	chmod 644 "$policy"
	local before
	before=$(machine_state)
	run as_nobody "$B/rdmactl" apply -p "$policy"
	assertEquals 77 "$status"
	assertErr 'apply needs root'
	assertEquals "" "$out"
	assertMachine "$before"
}

test_reading_without_permission() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	case $BACKEND in
	sim)
		sim user nobody
		run rdmactl drift -o json -p "$policy"
		;;
	vm) run as_nobody "$RDMACTL" drift -o json -p "$policy" ;;
	esac
	assertEquals 2 "$status"
	assertEquals 'unknown not-permitted' "$(json '.items[] | select(.status != "in-sync") | "\(.status) \(.reason)"' | sort -u)"
	assertContains "$(rows)" 'nic0 ecn.cnp.dscp 48 null unknown'
}

test_policy_that_others_may_write() {
	if [ "$BACKEND" = sim ]; then
		skip "the simulator's apply trusts every policy"
		return
	fi
	demo_policy
	local before
	before=$(machine_state)
	chmod 666 "$policy"
	refused 77 'policy.yaml' rdmactl apply -p "$policy"
	assertMachine "$before"
	assertStatus 1 rdmactl plan -p "$policy"
	assertStatus 0 rdmactl apply --trust-policy -p "$policy"
}

test_no_rdma_subsystem() {
	machine_without rdma
	one_port 'roce: {mode: v2}'
	sed -i 's/^    ports:/    node: {max_backlog: 8192}\n&/' "$policy"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'max_backlog drift module-not-loaded' \
		"$(json '.items[] | select(.setting == "max_backlog") | "\(.setting) \(.status) \(.reason)"')"
	assertContains "$(json '.items[] | select(.setting == "max_backlog") | .cause')" 'rdma_ucm not loaded'
	# without an RDMA device a veth is nothing to judge
	[ "$BACKEND" = vm ] || assertEquals 'roce.mode drift module-not-loaded' \
		"$(json '.items[] | select(.setting == "roce.mode") | "\(.setting) \(.status) \(.reason)"')"
	assertSets 0 rdmactl plan -p "$policy"
	assertEquals 1 "$status"
}

test_no_devlink() {
	machine_without devlink
	one_port 'roce: {enabled: true}' 'optional: []'
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "$nic roce.enabled true null drift" "$(rows)"
	assertEquals driver-lacks "$(json '.items[] | select(.status == "drift") | .reason')"
	assertEquals 'take it out of the policy, or list it as optional in the group if other nodes have it' \
		"$(json '.items[] | select(.status == "drift") | .remedy')"
	assertStatus 1 rdmactl apply --allow reload -o json -p "$policy"
	assertEquals 'false 0' "$(json '"\(.changed) \(.writes)"')"
	sed -i 's/optional: .*/optional: [roce.enabled]/' "$policy"
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals "$nic roce.enabled true null unsupported" "$(rows)"
}

test_no_dcb() {
	machine_without dcb
	one_port 'qos: {trust: dscp, pfc: [3], dscp: {26: 3}, tc: {0: 0}, ets: {0: 100%}}' 'optional: []'
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "drift driver-lacks" "$(json '.items[] | select(.status != "in-sync") | "\(.status) \(.reason)"' | sort -u)"
	assertContains "$(rows)" "$nic qos.pfc [3] null drift"
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals 'false 0' "$(json '"\(.changed) \(.writes)"')"
	sed -i 's/optional: .*/optional: [qos]/' "$policy"
	assertStatus 0 rdmactl apply -o json -p "$policy"
	assertEquals 'false 0' "$(json '"\(.changed) \(.writes)"')"
	assertContains "$(rows)" "$nic qos.pfc [3] null unsupported"
	assertStatus 0 rdmactl drift -p "$policy"
	assertContains "$(tail -n 1 <<<"$out")" ' unsupported (qos.tc, qos.ets, qos.pfc, qos.trust, and others), '
}

test_no_debugfs() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	case $BACKEND in
	sim) sim umount debugfs ;;
	vm) umount /sys/kernel/debug ;;
	esac
	assertStatus 2 rdmactl drift -o json -p "$policy"
	assertEquals 'unknown not-mounted' "$(json '.items[] | select(.status != "in-sync") | "\(.status) \(.reason)"' | sort -u)"
	assertStatus 2 rdmactl apply -o json -p "$policy"
	assertEquals 'false 0' "$(json '"\(.changed) \(.writes)"')"
	assertStatus 2 rdmactl drift -p "$policy"
	assertOut 'debugfs is not mounted on /sys/kernel/debug'
	[ "$BACKEND" = sim ] || mount -t debugfs none /sys/kernel/debug
}

# PFC cannot be read, and global pause is one register with it: what is wanted of pause is left alone, the rest is done.
test_unread_field_of_an_object() {
	demo_policy
	local before
	before=$(machine_get_pfc nic0)
	machine_fault nic0 getpfc err 5
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals "$(printf '%s\n' 'nic0 pause.rx false true drift' 'nic0 pause.tx false true drift' 'nic0 qos.pfc [3] null unknown')" "$(rows)"
	assertEquals 'object-unread' "$(json '.items[] | select(.setting == "pause.rx" and .target == "nic0") | .reason')"
	assertEquals 'PFCC object-unread' "$(json '.changes[] | select(.refused) | "\(.object) \(.refused)"')"
	assertEquals "nic0 has the rest" "9000" "$(machine_get_mtu nic0)"
	assertEquals "nic1 is done" "9000 3" "$(machine_get_mtu nic1) $(machine_get_pfc nic1)"
	machine_fault nic0 getpfc none
	assertEquals "PFC is left alone" "$before" "$(machine_get_pfc nic0)"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "$(printf '%s\n' 'nic0 pause.rx false true drift' 'nic0 pause.tx false true drift' 'nic0 qos.pfc [3] [] drift')" "$(rows)"
	# nothing but the unread field is wrong
	assertStatus 0 rdmactl apply -p "$policy"
	machine_fault nic0 getpfc err 5
	assertStatus 2 rdmactl apply -o json -p "$policy"
	assertEquals 'nic0 qos.pfc [3] null unknown' "$(rows)"
	machine_fault nic0 getpfc none
}

test_vanishes_between_read_and_write() {
	demo_policy
	machine_fault nic1 pfc vanish
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals "rail count 2 1 drift" "$(rows '.status == "drift"')"
	assertEquals "every row of nic1" "18 vanished" \
		"$(json '[.items[] | select(.target == "nic1")] | "\(length) \(map(.reason) | unique | join(" "))"')"
	assertEquals "counted" 18 "$(json .counts.unknown)"
	assertErr 'nic1: the device vanished; the other ports are finished'
	assertEquals "9000 3" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
	machine_rescan
}

# A device in a reset of its own says that it is gone, and is there: left alone, told once, and undone with the others.
test_only_says_that_it_is_gone() {
	demo_policy
	machine_fault nic0 pfc err 19
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals 'nic0 qos.pfc [3] [] drift' "$(rows '.target == "nic0" and .setting == "qos.pfc"')"
	assertEquals 0 "$(json .counts.unknown)"
	assertEquals "9000 3" "$(machine_get_mtu nic1) $(machine_get_pfc nic1)"
	machine_reset 2
	demo_policy
	machine_fault nic0 pfc err 19
	machine_fault nic1 mtu err 22
	assertStatus 3 rdmactl apply -p "$policy"
	assertEquals "1500 1500" "$(machine_get_mtu nic0) $(machine_get_mtu nic1)"
}

test_refused_by_the_kernel() {
	demo_policy
	local before
	before=$(machine_state)
	machine_fault nic1 pfc err 22
	assertStatus 3 rdmactl apply -o json -p "$policy"
	assertErr 'nic1 (mlx5_1/1): cannot set PFC: Invalid argument'
	assertEquals 'failed-rolled-back false 3' "$(json '"\(.result) \(.changed) \(.exit_code)"')"
	machine_fault nic1 pfc none
	assertMachine "$before"
	assertStatus 0 rdmactl apply -p "$policy"
}

. shunit2
