#!/bin/bash
# dcbx.advertise: lldpd tells the switch what a port's PFC, ETS and APP are, now and when it starts; what somebody else
# has it send is left alone, and DCBX of somebody else is named.
# On the simulator alone so far: its lldpd is the simulator's. tests/cli/lldpd.sh has two real ones.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

CONF=etc/lldpd.d/rdmactl.conf
OTHER=00120f04:2400		# a TLV that has nothing to do with DCBX
# 802.1Qaz of the classes below on a port whose driver came up with TSA vendor: priorities that no class names stay
ETS=0080c209:00002345672800003c0000000002ffff02ffff00ff
PFC=0080c20b:0808
APP=0080c20c:00$(for d in $(seq 0 63); do
	case $d in 26) p=65 ;; 48) p=c5 ;; *) p=05 ;; esac
	printf '%s%04x' $p "$d"
done)

# rails [LOSSLESS [LINE [MATCH]]]: a policy for both ports: is rdma lossless (true), and a line of the group (it advertises)
rails() {
	local line='dcbx: {advertise: true}'
	[ $# -lt 2 ] || line=$2
	policy <<-END
		version: 1
		fabric:
		  mtu: 9000
		  classes:
		    rdma:    {priority: 3, dscp: [26], lossless: ${1:-true}, bandwidth: 60%}
		    cnp:     {priority: 6, dscp: [48], strict: true}
		    default: {priority: 0, bandwidth: 40%}
		profiles:
		  all:
		    ports:
		      rail:
		        match: ${3-{driver: mlx5_core\}}
		        qos: fabric
		        $line
		nodes:
		  node1: {profiles: [all]}
	END
}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	sim neighbor nic0 tell "${OTHER/:/}"
	rails
}

apply() { assertStatus 0 rdmactl apply -p "$policy" "$@"; }
said() { sim get said "$1"; }
file_lines() { machine_read $CONF 2>/dev/null | grep -v '^#'; }

test_ports_say_what_they_have() {
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'nic0 dcbx.advertise true false drift' "$(rows '.target == "nic0" and .setting == "dcbx.advertise"')"
	apply
	assertEquals "$OTHER $ETS $PFC $APP" "$(said nic0)"
	assertEquals "$ETS $PFC $APP" "$(said nic1)"
	assertStatus 0 rdmactl drift -p "$policy"
	assertSets 0 rdmactl apply -p "$policy"
}

test_and_will_when_lldpd_starts() {
	apply
	assertEquals 6 "$(file_lines | wc -l)"
	assertEquals "configure ports nic0 lldp custom-tlv replace oui 00,80,c2 subtype 11 oui-info 08,08" "$(file_lines | sed -n 2p)"
	assertContains "$(machine_read $CONF | head -1)" "# Written by rdmactl from the policy $policy."
	assertStatus 0 rdmactl render boot -p "$policy"
	assertOut "==> /$CONF <=="
	sim set file $CONF "$(machine_read $CONF | sed 5d)"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'node dcbx.conf as asked as asked drift' "$(rows)"
	assertContains "$(json '.items[] | select(.setting == "dcbx.conf").cause')" "lacks \"configure ports nic0"
	apply
	assertEquals 6 "$(file_lines | wc -l)"
}

test_another_policy_is_said() {
	local before
	apply
	before=$(machine_state)
	rails false
	apply
	assertContains "$(said nic0)" 0080c20b:0800
	assertNotContains "$(said nic0)" $PFC
	assertContains "$(file_lines)" 'nic1 lldp custom-tlv replace oui 00,80,c2 subtype 11 oui-info 08,00'
	assertEquals 6 "$(file_lines | wc -l)"
	assertStatus 0 rdmactl drift -p "$policy"
	assertStatus 0 rdmactl rollback
	assertMachine "$before"
}

test_silence_takes_it_away() {
	apply
	sim neighbor nic1 tell 0080c2021234	# somebody's, of the same organisation, and no DCBX
	rails true ''
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'node dcbx.conf as asked 6 wrong drift' "$(rows '.status == "drift"')"
	assertContains "$(json '.items[] | select(.setting == "dcbx.conf").cause')" 'lldpd still sends on nic0'
	local before
	before=$(machine_state)
	apply
	assertEquals $OTHER "$(said nic0)"
	assertEquals 0080c202:1234 "$(said nic1)"
	assertEquals '' "$(machine_read $CONF 2>/dev/null)"
	assertSets 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl rollback
	assertEquals 6 "$(file_lines | wc -l)"
	assertContains "$(said nic0)" $PFC
	assertContains "$(said nic1)" $APP
}

# One port alone, of which the other's lines are no business.
test_silence_of_one_port() {
	local before
	apply
	before=$(machine_state)
	rails true 'dcbx: {advertise: true}' '{ifname: nic0}'
	apply
	assertEquals '' "$(said nic1)"
	assertContains "$(said nic0)" $PFC
	assertEquals 3 "$(file_lines | wc -l)"
	assertStatus 0 rdmactl rollback
	assertMachine "$before"
}

# order: objects of nic0 in the plan
order() { json '.changes[] | select(.target == "nic0").object' | tr '\n' ' '; }

# Whatever is to grow or to shrink on the port, it is so before it is told.
test_told_last() {
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'ets PFCC app lldpd ' "$(order)"
	apply
	rails false
	assertStatus 1 rdmactl plan -o json -p "$policy"
	assertEquals 'PFCC lldpd ' "$(order)"
}

test_confirm() {
	local before
	before=$(machine_state)
	assertStatus 0 rdmactl apply --confirm 60 -p "$policy"
	assertContains "$(said nic0)" $PFC
	assertEquals '' "$(file_lines)"
	assertStatus 0 rdmactl rollback
	assertMachine "$before"
	assertStatus 0 rdmactl apply --confirm 60 -p "$policy"
	assertStatus 0 rdmactl confirm
	assertEquals 6 "$(file_lines | wc -l)"
	assertStatus 0 rdmactl drift -p "$policy"
	before=$(machine_state)
	rails false
	assertStatus 0 rdmactl apply --confirm 60 -p "$policy"
	assertContains "$(said nic0)" 0080c20b:0800
	assertStatus 0 rdmactl rollback
	assertMachine "$before"
}

# What is left alone is not told of: a port in use, on which PFC costs the link.
test_what_the_port_does_not_have_is_not_said() {
	local before
	apply
	rails false
	before=$(said nic0)
	assertStatus 1 rdmactl apply --allow none -o json -p "$policy"
	assertEquals "$before" "$(said nic0)"
	assertEquals held-back "$(json '.items[] | select(.target == "nic0" and .setting == "dcbx.advertise").reason')"
	assertStatus 1 rdmactl apply --only dcbx -p "$policy"
	assertOut 'it would tell of values that the port does not have, since their change is not part of this run'
	assertEquals "$before" "$(said nic0)"
}

test_false_takes_it_away() {
	apply
	rails true 'dcbx: {advertise: false}'
	apply
	assertEquals $OTHER "$(said nic0)"
	assertEquals '' "$(machine_read $CONF 2>/dev/null)"
	assertStatus 0 rdmactl drift -p "$policy"
	sim lldpd absent
	assertStatus 0 rdmactl drift -p "$policy"	# nobody sends anything
	sim lldpd denies
	assertStatus 2 rdmactl drift -p "$policy"
}

# A count of what no policy asks for is nothing to show, or to capture.
test_capture() {
	apply
	assertStatus 0 rdmactl capture
	assertOut 'advertise: true'
	assertNotOut dcbx.conf
	policy <<<"$out"
	assertStatus 0 rdmactl drift -p "$policy"
}

test_one_port_of_two() {
	apply
	rails false
	apply --port nic0
	assertContains "$(said nic0)" 0080c20b:0800
	assertContains "$(said nic1)" $PFC
	assertContains "$(file_lines)" 'nic1 lldp custom-tlv replace oui 00,80,c2 subtype 11 oui-info 08,08'
	assertEquals 6 "$(file_lines | wc -l)"
}

test_somebody_else_speaks_dcbx() {
	local before what
	for what in 0080c20b0810 0080c20a0000 001b2102020a; do
		machine_reset 2
		sim neighbor nic0 tell $what
		before=$(said nic0)
		assertStatus 1 rdmactl apply -o json -p "$policy"
		assertEquals "nic0 dcbx.advertise true false drift" "$(rows)"
		assertEquals other-owner "$(json '.items[] | select(.target == "nic0" and .setting == "dcbx.advertise").reason')"
		assertStatus 1 rdmactl plan -p "$policy"
		assertOut 'lldpd was told by somebody else to send DCBX on nic0'
		assertEquals "$what" "$before" "$(said nic0)"
		assertEquals "the other port" "$ETS $PFC $APP" "$(said nic1)"
		assertNotContains "$(file_lines)" nic0
		assertStatus 1 rdmactl apply --take-over -p "$policy"
		assertEquals "$what, taken over" "$before" "$(said nic0)"
	done
}

test_lldpad_speaks_dcbx() {
	sim put proc/net/unix '0000000000000000: 00000002 00000000 00000000 0002 01 12345 @/com/intel/lldpad'
	assertStatus 1 rdmactl apply --only dcbx -o json -p "$policy"
	assertEquals $'nic0 dcbx.advertise other-owner\nnic1 dcbx.advertise other-owner' \
		"$(json '.items[] | select(.status != "in-sync") | "\(.target) \(.setting) \(.reason)"')"
	assertEquals '' "$(file_lines)"
	assertEquals $OTHER "$(said nic0)"
}

test_the_file_is_somebody_elses() {
	machine_write $CONF 'configure system hostname mine'
	assertStatus 1 rdmactl apply -o json -p "$policy"
	assertEquals other-owner "$(json '.items[] | select(.setting == "dcbx.conf").reason')"
	assertEquals 'configure system hostname mine' "$(machine_read $CONF)"
	assertContains "as it runs" "$(said nic0)" $PFC
}

test_lldpd_does_not_answer() {
	apply
	local word
	for word in absent ended denies hangs no-library old other-version; do
		sim lldpd $word
		assertStatus 2 rdmactl drift -o json -p "$policy"
		assertEquals "$word: unknown" $'nic0\nnic1' "$(json '.items[] | select(.status == "unknown").target')"
	done
	sim lldpd absent
	rails true ''
	apply		# nothing is sent; the file goes all the same
	assertEquals '' "$(machine_read $CONF 2>/dev/null)"
}

test_forget() {
	apply
	assertStatus 0 rdmactl forget
	assertEquals '' "$(machine_read $CONF 2>/dev/null)"
	assertContains "what runs goes on" "$(said nic0)" $PFC
}

# each_write_fails: for each n, the nth write fails; afterwards all reads as before
each_write_fails() {
	local before n=0 now
	before=$(sim snapshot)
	cp "$RDMACTL_SIM" "$T/pristine"
	while [ $n -lt 60 ]; do
		n=$((n + 1))
		cp "$T/pristine" "$RDMACTL_SIM"
		sim fail-write $n EIO
		run rdmactl apply -p "$policy"
		[ "$status" = 3 ] || break
		now=$(sim snapshot)
		[ "$now" = "$before" ] || { fail "write $n: not as before"; diff <(echo "$before") <(echo "$now") | head -20; }
	done
	assertEquals "all writes succeeded at last" 0 "$status"
	assertTrue "$n writes" "[ $n -gt 5 ]"
}

test_a_write_that_fails() {
	apply
	rails false
	each_write_fails
}

# What is said, and stands in no file of ours any more, is as before all the same.
test_a_write_that_fails_after_forget() {
	apply
	assertStatus 0 rdmactl forget
	rails false
	each_write_fails
}

. shunit2
