#!/bin/bash
# What is verified and never set, from files alone: the cases of tests/cases that GIDs, PCIe and PCI addresses decide.
# shellcheck disable=SC2154,SC2034	# root, policy: lib.sh's; T: for it
. "$(dirname "$0")/lib.sh"

setUp() {	# no machine is needed
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
}

# port_policy MATCH SETTINGS: one group of ports for node1
port_policy() {
	policy <<-END
		version: 1
		profiles:
		  all:
		    ports:
		      one:
		        match: {$1}
		        $2
		nodes:
		  node1: {profiles: [all]}
	END
}

# rows: "TARGET SETTING WANT LIVE STATUS" of the last run, without count
rows() {
	json '.items[] | select(.setting != "count") | "\(.target) \(.setting) \(.want) \(.live) \(.status)"'
}

# cause SETTING
cause() {
	json ".items[] | select(.setting == \"$1\") | .cause"
}

test_gid_index_differs_between_nodes() {
	port_policy 'ifname: ens1f0np0' 'gid: {version: v2, family: ipv4}'
	local node expected
	for node in a:3:198.51.100.10 b:1:198.51.100.11; do
		IFS=: read -r node expected address <<<"$node"
		root_of "gid-index-differs-between-nodes/node-$node.tsv" node1
		assertStatus 0 rdmactl drift -v -o json --root "$root" -p "$policy"
		assertEquals "node $node" "$(printf '%s\n' 'ens1f0np0 gid.version v2 v2 in-sync' 'ens1f0np0 gid.family ipv4 ipv4 in-sync')" "$(rows)"
		assertContains "node $node" "$(cause gid.version)" "index $expected, $address"
		assertContains "node $node" "$(cause gid.version)" "moves when addresses change"
	done
}

test_pcie_slot_limited() {
	port_policy 'ifname: ens1f0np0' 'pcie: {width: 16, speed: 32GT/s}'
	root_of pcie-slot-limited/tree.tsv node1
	assertStatus 1 rdmactl drift -v -o json --root "$root" -p "$policy"
	assertEquals "$(printf '%s\n' 'ens1f0np0 pcie.width 16 16 in-sync' 'ens1f0np0 pcie.speed 32GT/s 16GT/s drift')" "$(rows)"
	assertContains "$(cause pcie.speed)" 'limited by root port 0000:26:02.0 (max 16.0 GT/s): not degraded'
	assertContains "$(cause pcie.speed)" 'card 0000:27:00.0 (max 32.0 GT/s)'
	assertContains "$(json '.items[] | select(.setting == "pcie.speed") | .remedy')" 'another slot, or a policy that allows it'
	assertNotOut reseat
}

test_pcie_unknown_values() {
	port_policy 'ifname: ens1f0v0' 'pcie: {width: 8, speed: 8GT/s}'
	root_of pcie-unknown-values/tree.tsv node1
	assertStatus 2 rdmactl drift -v -o json --root "$root" -p "$policy"
	assertEquals "$(printf '%s\n' 'ens1f0v0 pcie.width 8 null unknown' 'ens1f0v0 pcie.speed 8GT/s null unknown')" "$(rows)"
	assertNotOut 255
}

test_pci_domain_and_same_serial() {
	root_of pci-domain-and-same-serial/tree.tsv node1
	port_policy 'pci: "0001:03:00.0"' 'mtu: 4200'
	assertStatus 1 rdmactl drift -v -o json --root "$root" -p "$policy"
	assertEquals 'ens1np0d1 mtu 4200 1500 drift' "$(rows)"
	assertNotOut '"ens1np0"'
	port_policy 'pci: "0000:03:00.0"' 'mtu: 4200'
	assertStatus 1 rdmactl drift -v -o json --root "$root" -p "$policy"
	assertEquals 'ens1np0 mtu 4200 1500 drift' "$(rows)"
}

test_zero_matches() {
	root_of pci-domain-and-same-serial/tree.tsv node1
	port_policy 'pci: "0002:03:00.0"' 'mtu: 4200'
	assertStatus 1 rdmactl drift -o json --root "$root" -p "$policy"
	assertEquals 'one at least 1 0 drift' "$(json '.items[] | "\(.target) \(.want) \(.live) \(.status)"')"
	assertContains "$(cause count)" 'no port matches; this machine has 2: ens1np0'
	port_policy 'ifname: "ens*"' 'count: 2'
	assertStatus 0 rdmactl drift --root "$root" -p "$policy"
	port_policy 'ifname: "ens*"' 'count: 8'
	assertStatus 1 rdmactl drift -o json --root "$root" -p "$policy"
	assertContains "$(cause count)" '2 ports match; this machine has 2'
}

. shunit2
