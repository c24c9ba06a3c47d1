#!/bin/bash
# A part of the policy: --only by setting, --port by every name of a port, --allow by impact, --dry-run. What is left
# out is left alone, in our boot files as well.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

state() { # of the two ports and the node: MTU, PFC, number of DSCPs, backlog
	local nic
	for nic in nic0 nic1; do
		printf '%s[%s]%s ' "$(machine_get_mtu $nic)" "$(machine_get_pfc $nic)" "$(machine_get_dscp $nic | wc -w)"
	done
	machine_get_sysctl net.rdma_ucm.max_backlog
}

test_only() {
	demo_policy
	assertStatus 1 rdmactl plan --only qos.pfc -o json -p "$policy"
	assertEquals "qos.pfc" "$(json '[.items[].setting] | unique | join(" ")')"
	assertStatus 0 rdmactl apply --only mtu -p "$policy"
	assertEquals '9000[]0 9000[]0 1024' "$(state)"
	assertStatus 0 rdmactl drift --only mtu -p "$policy"
	assertOut 'in sync; looked at: mtu;'
	assertStatus 1 rdmactl drift --only mtu,qos.pfc -o json -p "$policy"
	assertEquals 'drift qos.pfc' "$(json '[.items[] | select(.status != "in-sync") | "\(.status) \(.setting)"] | unique | join(" ")')"
	assertStatus 0 rdmactl apply --only qos.trust,qos.dscp --only max_backlog -p "$policy"
	assertEquals '9000[]64 9000[]64 8192' "$(state)"
	# a prefix; and the object that is written whole keeps what was left out
	assertStatus 0 rdmactl apply --only qos.pfc -p "$policy"
	assertEquals '9000[3]64 9000[3]64 8192' "$(state)"
	assertStatus 0 rdmactl apply --only qos -o json -p "$policy"
	assertEquals "what was left of it" "ets" "$(json '[.changes[].object] | unique | join(" ")')"
	assertStatus 1 rdmactl drift -p "$policy"
}

test_only_keeps_the_other_lines_of_our_files() {
	demo_policy
	sed -i 's/      max_backlog: 8192 /&\n      sysctl: {net.core.rmem_max: 33554432, net.core.wmem_max: 33554432}/' "$policy"
	assertStatus 0 rdmactl apply --only sysctl.net.core.rmem_max -p "$policy"
	assertEquals 'net.core.rmem_max = 33554432' "$(machine_read etc/sysctl.d/zz-rdmactl.conf | grep -v '^#')"
	assertStatus 0 rdmactl apply --only max_backlog -p "$policy"
	assertEquals "$(printf '%s\n' 'net.core.rmem_max = 33554432' 'net.rdma_ucm.max_backlog = 8192')" \
		"$(machine_read etc/sysctl.d/zz-rdmactl.conf | grep -v '^#' | sort)"
	assertStatus 0 rdmactl apply -p "$policy"
	sed -i 's/8192/4096/' "$policy"
	assertStatus 0 rdmactl apply --only max_backlog -p "$policy"
	assertEquals "$(printf '%s\n' 'net.core.rmem_max = 33554432' 'net.core.wmem_max = 33554432' 'net.rdma_ucm.max_backlog = 4096')" \
		"$(machine_read etc/sysctl.d/zz-rdmactl.conf | grep -v '^#' | sort)"
	assertStatus 0 rdmactl drift -p "$policy"
}

# nic1 by its interface, RDMA device, RDMA port and PCI address: always the same rows. The node's rows stay.
test_port_names() {
	demo_policy
	local name
	for name in nic1 mlx5_1 mlx5_1/1 "$(machine_bdf nic1)"; do
		assertStatus 1 rdmactl plan --port "$name" -o json -p "$policy"
		assertEquals "rows for $name" 'nic1 node' "$(json '[.items[].target] | unique | join(" ")')"
		assertEquals "changes for $name" 'nic1 node' "$(json '[.changes[].target] | unique | join(" ")')"
	done
	assertStatus 1 rdmactl plan --port rail -o json -p "$policy"
	assertEquals 'nic0 nic1 node rail' "$(json '[.items[].target] | unique | join(" ")')"
	assertStatus 0 rdmactl apply --port mlx5_1 -p "$policy"
	assertEquals '1500[]0 9000[3]64 8192' "$(state)"
	assertStatus 0 rdmactl drift --port nic1 -p "$policy"
	assertStatus 1 rdmactl drift --port nic0 -p "$policy"
	assertStatus 0 rdmactl show mtu --port "$(machine_bdf nic1)" -o json
	assertEquals 'nic1 9000' "$(json '.items[] | "\(.target) \(.live)"')"
}

test_allow() {
	demo_policy
	local before
	assertStatus 1 rdmactl apply --allow none -o json -p "$policy"
	assertEquals "left alone" 'PFCC app mtu' "$(json '[.changes[] | select(.refused == "above-allow") | .object] | unique | join(" ")')"
	assertEquals "done" 'boot files ets max_backlog roce.tos' "$(json '[.changes[] | select(.done) | .object] | unique | join(" ")')"
	assertEquals "rows" 'above-allow' "$(json '[.items[] | select(.status == "drift" and (.follows | not)) | .reason] | unique | join(" ")')"
	assertEquals '1500[]0 1500[]0 8192' "$(state)"
	assertStatus 1 rdmactl apply --allow none -p "$policy"
	assertOut 'Left alone:'
	assertOut 'its impact is traffic (link bounce): allow it with --allow traffic'
	assertStatus 0 rdmactl apply -p "$policy"
	# a reload is above the default
	sed -i 's/roce: {mode: v2, tos: rdma}/roce: {enabled: false}/' "$policy"
	before=$(machine_state)
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals 'enable_roce above-allow enable_roce above-allow' "$(json '[.changes[] | "\(.object) \(.refused)"] | join(" ")')"
	assertMachine "$before"
	assertStatus 1 rdmactl plan --allow reload -o json -p "$policy"
	assertContains "$(json '.changes[] | "\(.object) \(.impact)"')" 'enable_roce reload'
}

test_reload() {
	policy <<-END
		version: 1
		profiles:
		  all:
		    ports:
		      rail:
		        match: {ifname: nic1}
		        mtu: 4200
		        roce: {enabled: false}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
	assertStatus 1 rdmactl apply -p "$policy"
	assertEquals "what is allowed is done" 4200 "$(machine_get_mtu nic1)"
	assertStatus 0 rdmactl apply --allow reload -o json -p "$policy"
	assertEquals 'nic1 roce.enabled false false in-sync' "$(rows '.setting == "roce.enabled"')"
	assertEquals "what the reload took is given back" 4200 "$(machine_get_mtu nic1)"
	assertEquals "the other port" 1500 "$(machine_get_mtu nic0)"
	assertStatus 0 rdmactl drift -p "$policy"
	sed -i 's/enabled: false/enabled: true/' "$policy"
	assertStatus 0 rdmactl apply --allow reload -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
}

# What is written together is put right together: one interruption, and nothing that shows only after it.
test_a_remedy_names_all_of_its_object() {
	demo_policy
	assertStatus 0 rdmactl apply -q -p "$policy"
	machine_set_pause nic1 on
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut "remedy: rdmactl apply --only pause.rx,pause.tx,qos.pfc --port nic1 -p $policy (impact: traffic)"
	assertStatus 0 rdmactl apply --only pause.rx,pause.tx,qos.pfc --port nic1 -q -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
}

. shunit2
