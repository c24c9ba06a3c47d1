#!/bin/bash
# A bond of two ports: its MTU is one row, and counts for its members; DCB is each member's own.
# shellcheck disable=SC2154	# out, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

bonded() {
	machine_bond bond0 nic0 nic1
	policy <<-END
		version: 1
		profiles:
		  all:
		    ports:
		      rail:
		        match: {driver: mlx5_core}
		        mtu: 9000
		nodes:
		  $(machine_node): {profiles: [all]}
	END
}

mtus() {
	local i
	for i in bond0 nic0 nic1; do machine_get_mtu $i; done | paste -sd' '
}

tearDown() {
	[ "$BACKEND" != vm ] || ip link del bond0 2>/dev/null
	true
}

test_one_write_for_all() {
	bonded
	assertSets 1 rdmactl apply -p "$policy"
	assertEquals '9000 9000 9000' "$(mtus)"
	assertSets 0 rdmactl apply -p "$policy"
}

# --port with the name of any of them
test_by_each_name() {
	bonded
	local name
	for name in bond0 nic0 nic1; do
		assertStatus 1 rdmactl plan --port $name -o json -p "$policy"
		assertEquals "$name" 'bond0 mtu' "$(json '.changes[] | "\(.target) \(.object)"')"
	done
}

# A member may be given an MTU of its own, and the bond does not show it.
test_a_member_of_its_own_mind() {
	bonded
	assertStatus 0 rdmactl apply -p "$policy"
	machine_set_mtu nic1 1500
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'bond0 mtu 9000 1500 drift' "$(rows)"
	assertEquals 'nic1 has 1500, and its bond bond0 has 9000' "$(json '.items[] | select(.setting == "mtu").cause')"
	assertSets 1 rdmactl apply -p "$policy"
	assertEquals 0 "$status"
	assertEquals '9000 9000 9000' "$(mtus)"
	# nor is one right because its own is the one that is wanted
	machine_set_mtu nic1 1500
	sed -i 's/mtu: 9000/mtu: 1500/' "$policy"
	assertStatus 1 rdmactl drift -p "$policy"
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals '1500 1500 1500' "$(mtus)"
}

# Undone, each has what it had.
test_undone() {
	bonded
	assertStatus 0 rdmactl apply -p "$policy"
	machine_set_mtu nic1 1500
	sed -i 's/mtu: 9000/mtu: 4200/; /mtu:/a\        qos: {pfc: [3]}' "$policy"
	machine_fault nic1 pfc err 5
	assertStatus 3 rdmactl apply -p "$policy"
	assertEquals '9000 9000 1500' "$(mtus)"
}

. shunit2
