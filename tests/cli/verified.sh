#!/bin/bash
# What is verified and never set, on a machine with two ports: GIDs, firmware, PCIe, link, count. Each is in sync, then
# changed behind our back, and then one row says what happened, whose it is and what to do; nothing is ever written.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# changed IFNAME WHAT WORD...: a knob of the adapter that no driver has; pcie, uplink, slot, fw, speed
changed() {
	local nic=$1 what=$2
	shift 2
	case $BACKEND in
	sim) sim set "$what" "$nic" "$@" ;;
	vm) echo "$*" >"$DEBUG/$(machine_bdf "$nic")/${what/pcie/link}" ;;
	esac
}

address() { # IFNAME ADDRESS, or none
	case $BACKEND,$2 in
	sim,*) sim set addr "$1" "$2" ;;
	vm,none) ip addr flush dev "$1" scope global ;;
	vm,*) ip addr add "$2/24" dev "$1" ;;
	esac
}

link() { # IFNAME up|down
	case $BACKEND in
	sim) sim set link "$1" "$2" ;;
	vm) ip link set "$1" "$2" ;;
	esac
}

cable() { # IFNAME on|off
	case $BACKEND in
	sim) sim set carrier "$1" "$2" ;;
	vm) ip link set "$1" carrier "$2" ;;
	esac
}

ports() { # SETTINGS of the group
	policy <<-END
		version: 1
		profiles:
		  all:
		    ports:
		      compute:
		        match: {driver: mlx5_core}
		        count: 2
		$(sed 's/^/        /')
		nodes:
		  $(machine_node): {profiles: [all]}
	END
}

# drifts STATUS ROW...: drift ends with STATUS, and "TARGET SETTING WANT LIVE STATUS" of what is not in sync is ROW...
drifts() {
	local status=$1
	shift
	assertStatus "$status" rdmactl drift -o json -p "$policy"
	assertEquals "rows" "$(printf '%s\n' "$@")" \
		"$(json '.items[] | select(.status != "in-sync") | "\(.target) \(.setting) \(.want) \(.live) \(.status)"')"
}

# said FIELD SETTING TEXT: cause or remedy of the row holds it
said() {
	assertContains "$1 of $2" "$(json ".items[] | select(.setting == \"$2\") | .$1 // empty")" "$3"
}

test_all_in_sync_and_never_written() {
	address nic0 198.51.100.10
	address nic1 198.51.100.11
	ports <<-END
		gid: {version: v2, family: ipv4}
		firmware: {version: ">=22.39.1002 <22.44", board: MT_0000000359, deny: [22.40.1000]}
		pcie: {width: 16, speed: 16GT/s}
		link: {state: up, speed: 100Gb/s}
	END
	assertStatus 0 rdmactl drift -p "$policy"
	assertSets 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals 19 "$(json '.items | length')"
	said cause gid.version 'index 3, 198.51.100.10'
	said cause gid.version 'index 3, 198.51.100.11'
}

test_gid_of_an_address_that_went() {
	address nic0 198.51.100.10
	address nic1 198.51.100.11
	ports <<<'gid: {version: v2, family: ipv4}'
	drifts 0
	address nic1 none
	drifts 1 'nic1 gid.family ipv4 link-local drift'
	said remedy gid.family 'give nic1 an IPv4 address'
}

test_firmware() {
	ports <<<'firmware: {version: ">=22.41", deny: [22.42.1000]}'
	drifts 0
	changed nic0 fw 22.9.1000 22.9.1000
	drifts 1 'nic0 firmware.version >=22.41 22.9.1000 drift'
	changed nic0 fw 22.9.1000 22.41.1000
	assertStatus 0 rdmactl drift --ignore-pending -p "$policy"
	drifts 1 'nic0 firmware.version >=22.41 22.9.1000 pending'
	said cause firmware.version '22.41.1000 is stored, pending a reset'
	changed nic0 fw 22.42.1000 22.42.1000
	drifts 1 'nic0 firmware.deny ["22.42.1000"] ["22.42.1000"] drift'
}

test_firmware_for_another_card() {
	ports <<<'firmware: {version: ">=16.35.3502"}'
	assertStatus 0 rdmactl drift -p "$policy"
	assertErr 'firmware.version >=16.35.3502 was written for another card: nic0 runs 22.x'
	assertEquals "told once for all ports" 1 "$(grep -c 'another card' <<<"$err")"
}

test_pcie() {
	ports <<<'pcie: {width: 16, speed: 16GT/s}'
	drifts 0
	changed nic0 pcie 3 8
	drifts 1 'nic0 pcie.width 16 8 drift' 'nic0 pcie.speed 16GT/s 8GT/s drift'
	said cause pcie.speed 'degraded: runs at 8.0 GT/s, both ends can do 16.0 GT/s'
	said remedy pcie.width reseat
	changed nic0 pcie 4 16
	drifts 0
	changed nic1 slot 4 8		# a width: kernels of today keep what they once read of a speed
	changed nic1 pcie 4 8
	drifts 1 'nic1 pcie.width 16 8 drift'
	said cause pcie.width 'limited by switch port 0002:02:00.0 (max x8): not degraded'
	said remedy pcie.width 'another slot'
}

test_pcie_above_a_switch() {
	ports <<<'pcie: {speed: 16GT/s}'
	changed nic0 uplink 2 16
	drifts 1 'nic0 pcie.speed 16GT/s 5GT/s drift'
	said cause pcie.speed 'degraded: runs at 5.0 GT/s, both ends can do 32.0 GT/s'
	said cause pcie.speed 'root port 0001:00:00.0'
}

test_link() {
	ports <<<'link: {state: up, speed: 100Gb/s}'
	drifts 0
	changed nic0 speed 25000
	drifts 1 'nic0 link.speed 100Gb/s 25Gb/s drift'
	changed nic0 speed 100000
	cable nic1 off
	drifts 1 'nic1 link.state up down drift' 'nic1 link.speed 100Gb/s null unknown'
	said cause link.state 'no carrier'
	cable nic1 on
	link nic1 down
	drifts 1 'nic1 link.state up down drift' 'nic1 link.speed 100Gb/s null unknown'
	said cause link.state 'administratively down'
	ports <<<'link: {speed: 100Gb/s}'
	drifts 2 'nic1 link.speed 100Gb/s null unknown'
}

test_card_off_the_bus() {
	ports <<<'link: {state: up}'
	drifts 0
	machine_vanish nic1
	drifts 1 'compute count 2 1 drift'
	said cause count '1 port matches; this machine has 1: nic0'
}

. shunit2
