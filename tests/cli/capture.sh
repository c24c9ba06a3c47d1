#!/bin/bash
# `rdmactl capture`: what it writes lints, has no drift where it was taken, asks for all that show shows, and notices each
# value that changes. Of several dumps it makes one policy that holds for each of them.
# On the simulator alone so far: drivers and dumps of many nodes are the simulator's.
# shellcheck disable=SC2154	# out, err, status: lib.sh's
. "$(dirname "$0")/lib.sh"

# known_good DRIVER [EDIT]: this machine as a good policy makes it; EDIT, for sed, changes that policy first.
known_good() {
	sed "s/DRIVER/$1/;${2:-}" <<-'END' >"$T/good.yaml"
		version: 1
		fabric:
		  mtu: 9000
		  classes:
		    rdma:    {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
		    cnp:     {priority: 6, dscp: [48], strict: true}
		    default: {priority: 0, bandwidth: 40%}
		nodes:
		  "*":
		    set:
		      node: {max_backlog: 8192, modules: {rdma_ucm: {load: true}}}
		      ports:
		        g: {match: {driver: DRIVER}, mtu: fabric, qos: fabric, pause: {rx: false, tx: false}, roce: {mode: v2, tos: rdma}}
	END
	assertStatus 0 rdmactl apply -p "$T/good.yaml"
}

captured() { # [ARG]...
	assertStatus 0 rdmactl capture "$@"
	printf '%s\n' "$out" >"$T/captured.yaml"
}

# Not among show's: what a policy asks of groups and of the boot unit.
asked() {
	json '[.items[] | select(.setting != "count" and .setting != "boot.unit")] | length'
}

test_each_driver() {
	local driver shown
	for driver in mlx5_core bnxt_en ice hns3; do
		machine_reset 2 "drv=$driver"
		known_good "$driver"
		captured
		if [ $driver = ice ]; then	# priorities of no class keep classes of their own, with nothing
			assertContains "$(grep -c warning: <<<"$err") $err" '1 rdmactl: warning: ice: what was found has a finding: traffic class 1 is'
		else
			assertNotContains "$driver" "$err" 'warning'
		fi
		assertStatus 0 rdmactl lint --strict "$T/captured.yaml"
		run rdmactl show -o json
		shown=$(json '[.items[] | select(.status == "unmanaged")] | length')
		assertStatus 0 rdmactl drift --live -v -o json -p "$T/captured.yaml"
		assertEquals "$driver: values that are asked for" "$shown" "$(asked)"
		assertEquals "$driver: drift" "" "$(rows)"
	done
}

# From the factory, where nothing follows from classes.
test_each_driver_untouched() {
	local driver shown
	for driver in mlx5_core bnxt_en ice hns3; do
		machine_reset 2 "drv=$driver"
		captured
		run rdmactl show -o json
		shown=$(json '[.items[] | select(.status == "unmanaged")] | length')
		assertStatus 0 rdmactl drift --live -v -o json -p "$T/captured.yaml"
		assertEquals "$driver: values that are asked for" "$shown" "$(asked)"
		assertStatus 0 rdmactl lint --strict "$T/captured.yaml"
	done
}

# changed ROW COMMAND [ARG]...: it makes exactly this row drift, of a port that is named first
changed() {
	local row=$1
	shift
	machine_reset 2
	known_good mlx5_core
	captured
	"$@"
	assertStatus 1 rdmactl drift --live -o json -p "$T/captured.yaml"
	assertEquals "after $*" "$row" "$(json '.items[] | select(.status == "drift") | "\(.target) \(.setting)"')"
}

test_one_value_is_one_row() {
	changed 'nic0 mtu' machine_set_mtu nic0 4200
	changed 'nic1 qos.pfc' machine_set_pfc nic1 3,4
	changed 'nic0 qos.dscp' machine_set_dscp nic0 30:3
	changed 'nic0 qos.ets' machine_set_ets nic0 '0:50% 3:50%'
	changed 'nic1 ecn.rp_threshold' machine_set_cc nic1 rp_threshold 5
	changed 'node max_backlog' machine_set_sysctl net.rdma_ucm.max_backlog 2048
}

test_uses_classes() {
	known_good mlx5_core
	captured
	assertContains "$out" '      rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}'
	assertContains "$out" '      cnp: {priority: 6, dscp: [48], strict: true}'
	assertContains "$out" '      default: {priority: 0, bandwidth: 40%}'
	assertContains "$out" '        mtu: fabric'
	assertContains "$out" '          pfc: fabric'
	assertContains "priorities of no class are said as well" "$out" '          tc: {0'
	assertContains "why it was not read" "$out" '# ecn.np, ecn.rp: not read, driver-lacks: '
}

# Two ports with one driver and other values: each has a group that selects it alone.
test_ports_that_differ() {
	known_good mlx5_core
	machine_set_mtu nic1 1500
	machine_set_pfc nic1 ''
	captured
	assertEquals "groups" 2 "$(grep -c '^        match:' "$T/captured.yaml")"
	assertStatus 0 rdmactl drift --live -p "$T/captured.yaml"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift --live -o json -p "$T/captured.yaml"
	assertEquals "nic0 mtu" "$(json '.items[] | select(.status == "drift") | "\(.target) \(.setting)"')"
}

test_bond() {
	known_good mlx5_core
	machine_bond bond0 nic0 nic1
	captured
	assertStatus 0 rdmactl drift --live -v -o json -p "$T/captured.yaml"
	assertContains "the bond's" "$(json '.items[] | "\(.target) \(.setting)"')" 'bond0 mtu'
}

dump_node() { # NAME COMMAND [ARG]...: a dump of a good node, after the command
	local name=$1
	shift
	sim reset --pairs 4 --name "$name"
	known_good mlx5_core
	"$@"
	assertStatus 0 rdmactl dump "$T/$name.dump"
}

test_many_nodes() {
	local n
	for n in 1 2 4 6 7 8; do dump_node "gpu000$n" true; done
	dump_node gpu0003 machine_set_sysctl net.rdma_ucm.max_backlog 2048
	dump_node gpu0005 machine_set_mtu nic2 4200
	dump_node stor01 machine_set_cc nic1 rp_threshold 5
	captured --from "$T"/*.dump
	assertContains "$out" '  gpu[0001-0002,0004-0008],stor01: {profiles: [node, mlx5]}'
	assertContains "$out" '  gpu0003: {profiles: [node, mlx5], set: {node: {max_backlog: 2048}}}'
	assertContains "$out" '          - {nodes: "gpu0005", match: {pci: "0003:03:00.0"}, set: {mtu: 4200},'
	assertContains "$out" '          - {nodes: "stor01", match: {pci: "0002:03:00.0"}, set: {ecn: {rp_threshold: 5}},'
	assertContains "$out" '# rdmactl: allow mtu-not-of-fabric because it was found so'
	assertErr 'mlx5: what was found has a finding: mtu 4200 differs'
	assertErr 'note: gpu0003 is odd: '
	assertErr 'note: gpu0005: nic2 is odd: mtu: 4200'
	assertStatus 0 rdmactl lint --strict "$T/captured.yaml"
	for n in "$T"/*.dump; do
		assertStatus 0 rdmactl drift --live --from "$n" -p "$T/captured.yaml"
	done
}

# Names that other readers of YAML take for a number, or for nothing.
test_names_that_are_no_text() {
	local name
	for name in null yes 010 1e3 -x; do
		sim reset --pairs 1 --name "$name"
		captured
		assertContains "$out" "  \"$name\": {profiles: "
		assertStatus 0 rdmactl drift --live -p "$T/captured.yaml"
	done
}

test_refusals() {
	rdmactl dump "$T/a.dump"
	refused 64 'files are dumps, and stand behind --from' rdmactl capture "$T/a.dump"
	refused 64 'node node1 was given twice' rdmactl capture --from "$T/a.dump" "$T/a.dump"
	refused 64 '--node names one node' rdmactl capture --node x --from "$T/a.dump" "$T/a.dump"
	refused 64 'a node cannot have the name "a[1-"' rdmactl capture --node 'a[1-'
	refused 64 'none.dump' rdmactl capture --from "$T/a.dump" "$T/none.dump"
}

. shunit2
