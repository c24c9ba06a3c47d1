#!/bin/bash
# The row boot.unit, waiting until a node is ready, and what a run that a unit starts does otherwise than a person's. The units themselves
# run in tests/vm/units: no machine is needed here but the simulator.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

lib=usr/lib/systemd/system

installed() {
	sim set file run/systemd/system/x ''
	sim set file $lib/rdmactl.service 'ExecStart=/usr/sbin/rdmactl apply'
	sim set file $lib/rdmactl@.service 'ExecStart=/usr/sbin/rdmactl apply --port %I'
	sim set file $lib/rdmactl-module@.service 'ExecStart=/usr/sbin/rdmactl apply --allow none'
	sim set file usr/lib/udev/rules.d/90-rdmactl.rules 'ENV{SYSTEMD_WANTS}+="rdmactl@%b.service"'
	rm -f "$RDMACTL_SIM.policy.yaml"
}

with_systemd() { # installed and enabled
	installed
	sim symlink etc/systemd/system/multi-user.target.wants/rdmactl.service /$lib/rdmactl.service
}

in_policy() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
}

# The policy that the unit applies, beside the state of the simulated machine.
install_policy() {
	cat "$1" >"$RDMACTL_SIM.policy.yaml"
}

test_no_systemd_no_row() {
	in_policy
	assertStatus 0 rdmactl drift -v -p "$policy"
	assertNotOut 'boot.unit'
}

test_in_sync() {
	in_policy
	with_systemd
	install_policy "$policy"
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals 'the row' 'node boot.unit enabled null in-sync' "$(rows '.setting == "boot.unit"')"
	assertEquals 'what the unit brings back is the next boot of a row' '9000 9000' \
		"$(json '[.items[] | select(.setting == "mtu") | .boot] | join(" ")')"
	assertEquals 'what nobody sets has none' 'null' "$(json '[.items[] | select(.setting == "count") | .boot][0]')"
	assertSets 0 rdmactl drift -p "$policy"
}

test_not_installed_masked_not_enabled() {
	in_policy
	sim set file run/systemd/system/x ''
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'rdmactl.service is not installed'
	assertOut '1 drift'
	installed
	install_policy "$policy"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'remedy: systemctl enable rdmactl.service'
	with_systemd
	install_policy "$policy"
	sim set file etc/systemd/system/rdmactl@.service ''
	assertStatus 1 rdmactl apply -p "$policy"
	assertOut '/etc/systemd/system/rdmactl@.service masks it'
	assertOut 'nothing written'
	assertStatus 0 rdmactl drift --live -p "$policy"
	assertStatus 1 rdmactl drift --boot -p "$policy"
	assertOut 'boot.unit'
}

# The same verdict elsewhere; the installed policy is in no dump, and is not compared.
test_from_a_dump() {
	in_policy
	installed
	assertStatus 0 rdmactl dump "$T/dump"
	assertStatus 1 rdmactl drift --from "$T/dump" -p "$policy"
	assertOut 'rdmactl.service is not enabled'
	with_systemd
	assertStatus 0 rdmactl dump "$T/dump"
	assertStatus 0 rdmactl drift --from "$T/dump" -p "$policy"
	assertStatus 1 rdmactl drift -p "$policy"
}

test_somebody_else_runs_apply() {
	demo_policy
	sed -i 's/^    node:/&\n      boot: {unit: unused}/' "$policy"
	sim set file run/systemd/system/x ''
	assertStatus 0 rdmactl apply -p "$policy"
	assertNotOut 'boot.unit'
}

test_another_policy_is_installed() {
	in_policy
	with_systemd
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut "there is no $RDMACTL_SIM.policy.yaml for it to apply"
	sed 's/mtu: 9000/mtu: 4200/; s/max_backlog: 8192/max_backlog: 4096/' "$policy" >"$RDMACTL_SIM.policy.yaml"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'another policy'
	assertOut 'asks something else of this node: max_backlog of node: 4096, here 8192; mtu of nic0: 4200, here 9000'
	assertOut "remedy: make what is judged the installed one: install -D -m 644 $policy $RDMACTL_SIM.policy.yaml"
	assertOut '1 drift'
	# comments, order and what is asked of other nodes make no difference
	{ echo '# the same'; cat "$policy"; echo "  other: {profiles: [gpu]}"; } >"$RDMACTL_SIM.policy.yaml"
	assertStatus 0 rdmactl drift -p "$policy"
	grep -v 'tos: rdma' "$policy" >"$RDMACTL_SIM.policy.yaml"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'roce.mode of nic0: not asked for, here v2'
	echo 'version: 7' >"$RDMACTL_SIM.policy.yaml"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'has an error'
	assertEquals 'which is no error of this run' '' "$err"
}

# What udev sets when a port appears, in a rule or a .link file, is set again by the unit, which comes behind it: tests/vm/units
# sees that with a real udev. Where no unit runs, it would stay.
test_another_mtu_by_udev() {
	local place text who
	while IFS='|' read -r place text who; do
		machine_reset 2
		in_policy
		machine_write "${place%:*}" "$(printf '%b' "$text")"
		machine_set_mtu nic0 4200
		assertSets 0 rdmactl apply -p "$policy"
		assertEquals 1 "$status"
		assertOut "/$place: $who sets the MTU of nic0 to 4200 when the device appears: change it there, or apply with --take-over"
		with_systemd
		install_policy "$policy"
		assertStatus 0 rdmactl apply -p "$policy"
		assertErr "/$place:1: note: $who sets the MTU of nic0 to 4200 when the device appears; rdmactl@.service sets it again, to what the policy asks for"
		assertStatus 0 rdmactl drift -p "$policy"
		assertEquals 'in sync nobody asks' '' "$err"
	done <<-'END'
		etc/systemd/network/10-x.link:4|[Match]\nDriver=mlx5*\n[Link]\nMTUBytes=4200\n|systemd-udevd
		etc/udev/rules.d/95-x.rules:1|ACTION=="add", SUBSYSTEM=="net", DRIVERS=="mlx5_core", ATTR{mtu}="4200"\n|systemd-udevd (a rule)
	END
}

# networkd does it again each time, and makes bonds after our units have run.
test_another_mtu_by_networkd() {
	in_policy
	with_systemd
	install_policy "$policy"
	machine_write run/systemd/netif/links/99 ADMIN_STATE=configured
	machine_write etc/systemd/network/10-x.network "$(printf '[Match]\nName=nic0\n[Link]\nMTUBytes=4200')"
	machine_set_mtu nic0 4200
	assertSets 0 rdmactl apply -p "$policy"
	assertEquals 1 "$status"
	assertOut 'systemd-networkd sets the MTU of nic0 to 4200'
}

test_ready_at_once() {
	in_policy
	assertStatus 0 rdmactl drift --until-ready 5 -p "$policy"
	assertOut 'in sync'
	assertEquals '' "$err"
}

test_not_ready() {
	demo_policy
	assertStatus 1 rdmactl drift --until-ready 5 -p "$policy"
	assertErr 'not ready after 5 s: waits for max_backlog of node, pause.rx of nic0'
	assertErr ' more'
	assertSets 0 rdmactl drift --until-ready 1 -p "$policy"
}

test_a_port_is_missing() {
	in_policy
	machine_vanish nic1
	assertStatus 1 rdmactl drift --until-ready 5 -p "$policy"
	assertErr 'not ready after 5 s: waits for count of rail'
	assertOut '1 port matches'
	assertEquals 'once' 1 "$(grep -c '1 port matches' <<<"$out")"
}

# Firmware, a link, or what a busy port does not allow: reported, and no unit would change it.
test_what_no_unit_mends() {
	in_policy
	machine_quirk nic0 fw 20.1.1 20.1.1
	machine_set_carrier nic1 off
	assertStatus 1 rdmactl drift -p "$policy"
	assertStatus 0 rdmactl drift --until-ready 5 -p "$policy"
	assertOut 'ready: all ports are there, and nothing waits for a unit'
	assertOut 'firmware.version'
	assertOut 'link.state'
	assertStatus 0 rdmactl drift --until-ready 5 -o json -p "$policy"
	assertEquals 'ready 0' "$(json '"\(.result) \(.exit_code)"')"
	machine_reset 2
	in_policy
	machine_set_pfc nic0 ''
	assertStatus 1 rdmactl drift --until-ready 2 -p "$policy"
	machine_hold nic0 1
	assertStatus 0 rdmactl drift --until-ready 2 -p "$policy"
	assertOut 'above-allow'
	machine_release nic0
}

test_until_ready_refusals() {
	demo_policy
	refused 64 "takes 1 to 86400 seconds, not '0'" rdmactl drift --until-ready 0 -p "$policy"
	refused 64 "takes 1 to 86400 seconds, not 'soon'" rdmactl drift --until-ready soon -p "$policy"
	refused 64 'is for a machine that runs' rdmactl drift --until-ready 5 --root "$T" -p "$policy"
	refused 65 'cannot' rdmactl drift --until-ready 5 -p "$T/none.yaml"
}

# udev starts a unit for each device, also for one that the policy does not know, or that is gone again.
test_a_unit_and_a_port_that_is_not_known() {
	in_policy
	refused 64 'asks nothing of a port of this name' rdmactl apply --port 0000:00:1f.0 -p "$policy"
	RDMACTL_UNIT=rdmactl@0000:00:1f.0.service assertStatus 0 rdmactl apply --port 0000:00:1f.0 -p "$policy"
	assertOut 'in sync, nothing written; looked at: 0000:00:1f.0 and the node'
}

test_a_unit_does_its_port() {
	demo_policy
	RDMACTL_UNIT=rdmactl@0001:03:00.0.service assertStatus 0 rdmactl apply --port "$(machine_bdf nic0)" -p "$policy"
	assertEquals 9000 "$(machine_get_mtu nic0)"
	assertEquals 1500 "$(machine_get_mtu nic1)"
	assertStatus 0 rdmactl history
	assertOut 'rdmactl@0001:03:00.0.service'
	RDMACTL_UNIT=rdmactl@0001:03:00.0.service assertSets 0 rdmactl apply --port "$(machine_bdf nic0)" -p "$policy"
}

# udev gives an interface its last name while the run is at it: that is no device that went away.
test_renamed_between_read_and_write() {
	demo_policy
	machine_fault nic0 mtu rename
	assertStatus 0 rdmactl apply -p "$policy"
	assertErr 'nic0 is ennic0 now: the run goes on under this name'
	assertOut 'in sync'
	assertEquals '9000 3' "$(machine_get_mtu ennic0) $(machine_get_pfc ennic0)"
	assertStatus 0 rdmactl drift -p "$policy"
}

# Left alone by a run by hand; a unit's looks again, for the event of what came back was taken for its own start.
test_away_and_back_while_a_unit_runs() {
	demo_policy
	machine_fault nic0 pfc err 19 1
	assertStatus 1 rdmactl apply -p "$policy"
	assertErr 'nic0: the device vanished; the other ports are finished'
	machine_reset 2
	demo_policy
	machine_fault nic0 pfc err 19 1
	RDMACTL_UNIT=rdmactl@0001:03:00.0.service assertStatus 0 rdmactl apply --port "$(machine_bdf nic0)" -p "$policy"
	assertEquals 3 "$(machine_get_pfc nic0)"
	machine_set_mtu nic0 1500
	machine_fault nic0 mtu err 19
	RDMACTL_UNIT=rdmactl@0001:03:00.0.service assertStatus 1 rdmactl apply --port "$(machine_bdf nic0)" -p "$policy"
	assertEquals 'and no third time' 2 "$(grep -c 'nic0: the device vanished' <<<"$err")"
}

. shunit2
