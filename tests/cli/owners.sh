#!/bin/bash
# Other owners of MTU and DCB (law 10): named with file or flag, left alone, and with --take-over written over and warned
# of. Nothing of theirs is edited or stopped.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

NETWORK=etc/systemd/network/10-rdmactl-test.network

# rails SETTING...: a policy for all ports
rails() {
	policy < <(
		cat <<-END
			version: 1
			profiles:
			  all:
			    ports:
			      rail:
			        match: {driver: ${driver:-mlx5_core}}
		END
		printf '        %s\n' "$@"
		cat <<-END
			nodes:
			  $(machine_node): {profiles: [all]}
		END
	)
}

# networkd IFNAME MTU: systemd-networkd runs, and sets it
networkd() {
	machine_write run/systemd/netif/links/99 ADMIN_STATE=configured
	machine_write $NETWORK "$(printf '[Match]\nName=%s\n\n[Link]\nMTUBytes=%s' "$1" "$2")"
}

# lldpad: the real one in the guest; the simulator has its socket
lldpad() {
	case $BACKEND in
	sim) sim put proc/net/unix '0000000000000000: 00000002 00000000 00000000 0002 01 12345 @/com/intel/lldpad' ;;
	vm)
		/usr/sbin/lldpad -p -f "$T/lldpad.conf" >"$T/lldpad.log" 2>&1 &
		lldpad=$!
		until grep -q '@/com/intel/lldpad$' /proc/net/unix; do
			kill -0 $lldpad || { fail "lldpad: $(<"$T/lldpad.log")"; return; }
			sleep 0.1
		done
		;;
	esac
}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	driver='' lldpad=''
}

tearDown() {
	[ -z "${lldpad:-}" ] || { kill "$lldpad"; wait "$lldpad" 2>/dev/null; lldpad=; }
	[ "$BACKEND" != vm ] || ip link del bond0 2>/dev/null
	true
}

reason() { # of a row: TARGET SETTING
	json ".items[] | select(.target == \"$1\" and .setting == \"$2\") | \"\(.status) \(.reason)\""
}

test_another_mtu_is_left_alone() {
	rails 'mtu: 9000'
	networkd nic0 1500
	assertSets 1 rdmactl apply -o json -p "$policy"		# nic1
	assertEquals 1 "$status"
	assertEquals '1500 9000' "$(machine_get_mtu nic0) $(machine_get_mtu nic1)"
	assertEquals 'drift other-owner' "$(reason nic0 mtu)"
	assertEquals "/$NETWORK:5: systemd-networkd sets the MTU of nic0 to 1500 whenever it brings the link up: change it there, or apply with --take-over" \
		"$(json '.items[] | select(.target == "nic0" and .setting == "mtu").remedy')"
	assertSets 0 rdmactl plan -p "$policy"
	assertEquals 1 "$status"
	assertOut "/$NETWORK:5"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'other-owner'
	assertContains "$(machine_read $NETWORK)" 'MTUBytes=1500'
}

test_the_same_mtu_is_no_obstacle() {
	rails 'mtu: 9000'
	networkd 'nic*' 9000
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals 9000 "$(machine_get_mtu nic0)"
}

test_taken_over() {
	rails 'mtu: 9000'
	networkd nic0 1500
	assertSets 0 rdmactl plan --take-over -o json -p "$policy"
	assertEquals 'nic0 mtu nic1 mtu' "$(json '[.changes[] | .target, .object] | join(" ")')"
	assertSets 2 rdmactl apply --take-over -p "$policy"
	assertEquals 0 "$status"
	assertErr "warning: nic0: mtu is written although another owner may overwrite it: /$NETWORK:5: systemd-networkd"
	assertEquals 1 "$(grep -c warning: <<<"$err")"
	assertEquals 9000 "$(machine_get_mtu nic0)"
	assertContains "$(machine_read $NETWORK)" 'MTUBytes=1500'
	assertSets 0 rdmactl apply --take-over -p "$policy"
	assertEquals '0 ' "$status $err"
}

test_each_program() {
	local what path text expect
	rails 'mtu: 9000'
	while IFS='|' read -r what path text expect; do
		machine_reset 1
		case $what in
		NetworkManager) machine_write run/NetworkManager/devices/99 '[device]' ;;
		netplan) machine_write usr/sbin/netplan '' ;;
		ifupdown) machine_write usr/sbin/ifup '' ;;
		ifcfg) machine_write etc/sysconfig/network-scripts/ifup-eth '' ;;
		esac
		machine_write "$path" "$(printf '%b' "$text")"
		assertSets 0 rdmactl apply -o json -p "$policy"
		assertEquals "$what" '1 drift other-owner' "$status $(reason nic0 mtu)"
		assertContains "$what" "$(json '.items[] | select(.setting == "mtu").remedy')" "$expect"
	done <<-'END'
		udev|etc/systemd/network/1-rdmactl-test.link|[Match]\nDriver=mlx5*\n[Link]\nMTUBytes=4200|/etc/systemd/network/1-rdmactl-test.link:4: systemd-udevd sets the MTU of nic0 to 4200 when the device appears
		NetworkManager|etc/NetworkManager/system-connections/rail|[connection]\ntype=ethernet\ninterface-name=nic0\n[ethernet]\nmtu=4200|/etc/NetworkManager/system-connections/rail:5: NetworkManager sets
		netplan|etc/netplan/99-rail.yaml|network:\n  ethernets:\n    nic0:\n      mtu: 4200|/etc/netplan/99-rail.yaml:4: netplan sets
		ifupdown|etc/network/interfaces|iface nic0 inet manual\n  mtu 4200|/etc/network/interfaces:2: ifupdown sets
		ifcfg|etc/sysconfig/network-scripts/ifcfg-nic0|MTU=4200|/etc/sysconfig/network-scripts/ifcfg-nic0:1: ifcfg sets
	END
}

# A bond's MTU is also its members'.
test_members_of_a_bond() {
	machine_bond bond0 nic0 nic1
	rails 'mtu: 9000'
	networkd nic1 1500
	assertSets 0 rdmactl apply -p "$policy"
	assertEquals 1 "$status"
	assertOut 'sets the MTU of its member nic1 to 1500'
	networkd bond0 1500
	assertSets 0 rdmactl apply -p "$policy"
	assertOut 'sets the MTU of bond0 to 1500'
	networkd 'nic* bond0' 9000
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals 9000 "$(machine_get_mtu bond0)"
}

test_lldpad() {
	rails 'qos: {pfc: [3]}'
	lldpad
	assertSets 0 rdmactl apply -o json -p "$policy"
	assertEquals '1 drift other-owner' "$status $(reason nic0 qos.pfc)"
	assertContains "$out" '@/com/intel/lldpad'
	assertStatus 0 rdmactl apply --take-over -p "$policy"
	assertErr 'warning: nic0: PFCC is written although another owner may overwrite it: lldpad runs (@/com/intel/lldpad)'
	assertEquals '3 3' "$(machine_get_pfc nic0) $(machine_get_pfc nic1)"
}

# Its driver takes no change while the agent runs, so there is nothing to take over.
test_the_agent_of_ice() {
	[ "$BACKEND" = vm ] && skip 'fabricsim has no private flags' && return
	machine_reset 1 drv=ice
	driver=ice
	rails 'qos: {pfc: [3]}'
	sim set fw_lldp nic0 on
	local how
	for how in '' --take-over; do
		# shellcheck disable=SC2086	# one word or none
		assertSets 0 rdmactl apply $how -o json -p "$policy"
		assertEquals "1 drift other-owner" "$status $(reason nic0 qos.pfc)"
		assertContains "$out" 'private flag fw-lldp-agent'
	done
	sim set fw_lldp nic0 off
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals 3 "$(machine_get_pfc nic0)"
}

# A boot file that somebody else wrote is his, --take-over or not.
test_boot_files_of_others() {
	policy <<-END
		version: 1
		profiles: {all: {node: {sysctl: {net.core.rmem_max: 16777216}}}}
		nodes: {$(machine_node): {profiles: [all]}}
	END
	machine_write etc/sysctl.d/zz-rdmactl.conf '# mine'
	assertStatus 1 rdmactl apply --take-over -o json -p "$policy"
	assertEquals '# mine' "$(machine_read etc/sysctl.d/zz-rdmactl.conf)"
	assertContains "$(json '.items[].remedy')" 'zz-rdmactl.conf'
}

# What these programs keep in their files is nobody else's business.
test_no_password_in_a_dump() {
	rails 'mtu: 9000'
	machine_write run/NetworkManager/devices/99 '[device]'
	machine_write etc/NetworkManager/system-connections/rail "$(printf '[connection]\ntype=ethernet\n[ethernet]\nmtu=4200\n[802-1x]\npassword=hunter2')"
	rdmactl dump -p "$policy" "$T/dump"
	assertEquals 0 "$(grep -c hunter2 "$T/dump")"
	rdmactl plan -p "$policy" >"$T/live"
	assertStatus 1 rdmactl plan --from "$T/dump" -p "$policy"
	assertOut '/etc/NetworkManager/system-connections/rail:4: NetworkManager sets the MTU of nic0 to 4200'
	assertEquals "$(<"$T/live")" "$out"
	rdmactl dump "$T/dump"
	assertEquals 0 "$(grep -c hunter2 "$T/dump")"
	assertStatus 1 rdmactl plan --from "$T/dump" -p "$policy"
	assertEquals 'without a policy' "$(<"$T/live")" "$out"
}

test_an_option_of_apply_and_plan() {
	rails 'mtu: 9000'
	refused 64 'this command takes no --take-over' rdmactl drift --take-over -p "$policy"
}

. shunit2
