#!/bin/bash
# The order of a port's changes, as plan tells it and apply makes it: what is not safe, the other way that there is, a
# device that cannot hold what serves both, what a change resets, and what is held back with what was refused.
# On the simulator alone so far: drivers that the guest has not.
# shellcheck disable=SC2154	# out, err, status, policy, sets, holder: lib.sh's
. "$(dirname "$0")/lib.sh"

wants() { # QOS of nic0
	policy <<-END
		version: 1
		profiles:
		  all:
		    ports:
		      rail:
		        match: {ifname: nic0}
		        qos: $1
		nodes:
		  $(machine_node): {profiles: [all]}
	END
}

# lossless_on_3: nic0 has DSCP 26 on the lossless priority 3
lossless_on_3() {
	machine_set_pfc nic0 3
	machine_set_dscp nic0 26:3
}

changes() { # "OBJECT VALUE-OF-PFC" of each, in order
	json '.changes[] | "\(.object) \([.cells[] | select(.setting == "qos.pfc").to] | first // "-" | tojson)"' | paste -sd,
}

test_two_ways() {
	lossless_on_3
	wants '{dscp: {26: 4}, pfc: [4]}'
	# nobody uses it: the link bounces once, and the moment is named
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'PFCC [4],app "-"' "$(changes)"
	assertContains "$(json '.changes[0].unsafe')" 'DSCP 26'
	assertEquals 'the safe way is qos.pfc 3,4, then app, then qos.pfc 4: with 1 more that traffic notices, it is for a port in use' \
		"$(json '.changes[0].instead')"
	assertStatus 1 rdmactl plan -p "$policy"
	assertOut 'not safe: DSCP 26 is on priority 3 without PFC, and it is lossless before and after'
	assertOut '2 changes: 1 none, 1 traffic (link bounce of nic0); effective now'
	# in use, and allowed: twice, and no moment is unsafe
	machine_hold nic0 1
	assertStatus 1 rdmactl plan --allow traffic/traffic -o json -p "$policy"
	assertEquals 'PFCC [3,4],app "-",PFCC [4]' "$(changes)"
	assertEquals 0 "$(json '[.changes[] | select(.unsafe)] | length')"
	assertContains "$(json '.changes[0].instead')" 'the cheaper way is'
	assertSets 3 rdmactl apply --allow traffic/traffic -p "$policy"
	assertEquals 0 "$status"
	assertSets 0 rdmactl apply --allow traffic/traffic -p "$policy"
	machine_release nic0
	assertEquals '4 26:4' "$(machine_get_pfc nic0) $(machine_get_dscp nic0)"
}

# PFC may not change on a port in use, and without it the map would leave the lossless priority.
test_held_back() {
	lossless_on_3
	wants '{dscp: {26: 4}, pfc: [4]}'
	machine_hold nic0 1
	assertSets 0 rdmactl apply -o json -p "$policy"
	assertEquals 1 "$status"
	assertEquals 'PFCC above-allow app held-back' "$(json '[.changes[] | "\(.object) \(.refused)"] | sort | join(" ")')"
	assertContains "$(json '.changes[] | select(.object == "app") | .why')" 'DSCP 26'
	machine_release nic0
	assertEquals '3 26:3' "$(machine_get_pfc nic0) $(machine_get_dscp nic0)"
}

test_same_mask_costs_nothing() {
	lossless_on_3
	wants '{dscp: {26: 3}, pfc: [3]}'
	assertStatus 0 rdmactl plan -o json -p "$policy"
	assertEquals 0 "$(json '.changes | length')"
	wants '{dscp: {26: 3, 48: 6}, pfc: [3]}'
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'app none' "$(json '.changes[] | "\(.object) \(.impact)"')"
	wants '{dscp: {}, pfc: [3]}'	# the last entry: trust goes
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'app traffic channel rebuild' "$(json '.changes[] | "\(.object) \(.impact) \(.does)"')"
}

# A map that the kernel does not show counts between the first entry and the last.
test_no_order_is_safe() {
	wants '{dscp: {26: 3, 48: 6}, pfc: [3]}'
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'PFCC [3],app "-"' "$(changes)"
	assertEquals 'no order is safe' "$(json '.changes[0].instead')"
	assertContains "$(json '.changes[1].unsafe')" 'is on a priority that the kernel does not show'
	wants '{dscp: {26: 3}, pfc: [3]}'	# one entry: from before to after in one write
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 0 "$(json '[.changes[] | select(.unsafe or .instead)] | length')"
}

# A bond's netdev is that of its members: either one in use is enough.
test_a_bond_asks_its_members() {
	machine_bond bond0 nic0 nic1
	policy <<-END
		version: 1
		profiles:
		  all: {ports: {rail: {match: {driver: mlx5_core}, mtu: 9000}}}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
	machine_hold nic1 1
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals 'bond0 above-allow' "$(json '.changes[] | "\(.target) \(.refused)"')"
	assertContains "$(json '.changes[0].why')" 'nic1 is in use'
	machine_release nic1
	assertStatus 0 rdmactl apply -p "$policy"
	machine_unlink bond0
}

if [ "$BACKEND" = sim ]; then

test_a_device_that_cannot_hold_both() {
	machine_reset 1 drv=bnxt_en
	sim set tc nic0 0:0 1:0 2:0 3:1 4:1 5:2 6:2 7:0
	sim set ets nic0 0:50% 1:50%
	sim set dscp nic0 26:3
	sim set pfc nic0 3,4
	wants '{dscp: {26: 5}, pfc: [5, 6]}'
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertContains "$(json '[.changes[].instead] | join("")')" \
		'no order is safe, and the device cannot hold what serves both: 4 priorities with PFC, and this device can have 2'
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals '5,6 26:5' "$(machine_get_pfc nic0) $(machine_get_dscp nic0)"
}

# ice stops PFC with the last DSCP entry: it is written again, and plan says so.
test_what_is_reset_is_planned() {
	machine_reset 1 drv=ice
	lossless_on_3
	wants '{dscp: {}, pfc: [3]}'
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'dcb "-",pfc [3]' "$(changes)"
	assertEquals 'a change of dcb resets it' "$(json '.changes[1].because')"
	assertContains "$(json '.changes[0].unsafe')" 'priority 3 has no PFC'
	assertSets 2 rdmactl apply -p "$policy"
	assertEquals '3 ' "$(machine_get_pfc nic0) $(machine_get_dscp nic0)"
}

# The only entry is replaced: another one, on its own priority, holds DSCP trust meanwhile, and with it ETS and PFC.
test_trust_is_held() {
	machine_reset 1 drv=ice
	lossless_on_3
	sim set ets nic0 0:40% 3:60%
	wants '{dscp: {26: 2}}'
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 0 "$(json '[.changes[] | select(.unsafe)] | length')"	# 26 % 8 is 2
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals '3 26:2' "$(machine_get_pfc nic0) $(machine_get_dscp nic0)"
	assertContains "$(machine_get_ets nic0)" '3:60%'
}

fi

. shunit2
