#!/bin/bash
# What is at the other end of the cable: every way in which it is not known is told apart, none is in sync, and each
# fault of the switch is one row.
# On the simulator alone so far: its switches are the simulator's. tests/cli/lldpd.sh has real frames, in the guest too.
# shellcheck disable=SC2154,SC2034	# policy, out: lib.sh's; T: for it
. "$(dirname "$0")/lib.sh"

# 802.1Qaz TLVs of a switch that agrees: OUI, subtype, bytes
PFC=0080c20b0808
APP=0080c20c0065001ac50030	# DSCP 26 to priority 3, 48 to 6

# ets [FLAGS [MAP [SHARES]]]: flags, priority to class, shares; classes 0 and 3 have ETS, the others are strict
ets() {
	echo "tlv=0080c209${1:-00}${2:-01234567}${3:-2800003c00000000}0200000200000000"
}
AGREES=(mfs=9216 "$(ets)" "tlv=$PFC" "tlv=$APP")

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	group 'tier: leaf, system: "leaf{rail}-*", port: "Ethernet*"'
	sim lldpd runs
}

# group NEIGHBOR [FABRIC]: both ports, in a fabric with two tiers
group() {
	policy <<-END
		version: 1
		fabrics:
		  backend:
		    mtu: 9000
		    classes:
		      rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
		      cnp: {priority: 6, dscp: [48], strict: true}
		      default: {priority: 0, bandwidth: 40%}
		    tiers:
		      leaf: {nos: sonic, frame: 9216, links: {down: {speed: 400Gb/s}, up: {speed: 800Gb/s}}}
		      odd: {nos: sonic, links: {down: {speed: 400Gb/s}, up: {speed: 800Gb/s, frame: 9300}}}
		profiles:
		  all:
		    ports:
		      compute:
		        match: {driver: mlx5_core}
		        rails: {by: pci}
		        ${2-fabric: backend}
		        neighbor: {$1}
		nodes:
		  node1: {profiles: [all]}
	END
}

# agree NIC RAIL: a switch that says what the policy means
agree() {
	sim neighbor "$1" say "leaf$2-a" "Ethernet$(($2 * 8))" "${AGREES[@]}"
}

# says NIC WORD...: leaf0-a says that, and nobody anything before
says() {
	sim neighbor "$1" none
	sim neighbor "$1" say leaf0-a Ethernet0 "${@:2}"
}

# rows: "TARGET SETTING STATUS REASON" of the rows that count, and are not in sync
rows() {
	json '.items[] | select((.follows | not) and .status != "in-sync" and .status != "unsupported") |
		"\(.target) \(.setting) \(.status) \(.reason // "")"' | sed 's/ *$//'
}

# of NIC SETTING MEMBER
of() {
	json ".items[] | select(.target == \"$1\" and .setting == \"neighbor.$2\") | .$3"
}

drift() { # STATUS
	assertStatus "$1" rdmactl drift -v -o json -p "$policy"
}

test_agrees() {
	agree nic0 0
	agree nic1 1
	drift 0
	assertEquals '' "$(rows)"
	assertEquals 'leaf1-*' "$(of nic1 system want)"
	assertEquals leaf1-a "$(of nic1 system live)"
	assertEquals 9216 "$(of nic0 frame live)"
	assertContains "$(of nic0 dscp cause)" 'names 2 of 64 DSCPs; the others are not compared'
	assertEquals 16 "$(json '[.items[] | select(.setting | startswith("neighbor"))] | length')"
	assertEquals 0 "$(sim writes)"
}

# Each difference is one row and no other.
test_each_fault_is_one_row() {
	local setting word
	agree nic1 1
	while read -r setting word; do
		says nic0 "$word"
		drift 1
		assertEquals "$word" "nic0 neighbor.$setting drift" "$(rows)"
		assertNotEquals "$word: a remedy" null "$(of nic0 "$setting" remedy)"
	done <<-END
		frame mfs=1500
		frame mfs=9215
		pfc tlv=0080c20b0818
		pfc tlv=0080c20b0800
		tc $(ets 00 01224567)
		ets $(ets 00 01234567 1e00004600000000)
		dscp tlv=0080c20c0065001a650030
		willing tlv=0080c20b8808
		willing $(ets 80)
	END
}

# The wrong switch says wrong things: one row tells of the cable, the others follow from it.
test_cabling() {
	agree nic0 1
	agree nic1 1
	drift 1
	assertEquals 'nic0 neighbor.system drift' "$(rows)"
	assertEquals 'plug nic0 into the switch that is meant, or correct the policy' "$(of nic0 system remedy)"
	sim neighbor nic0 none
	sim neighbor nic0 say leaf7-a Management1 tlv=0080c20b0800 mfs=1500
	drift 1
	assertEquals 'nic0 neighbor.system drift' "$(rows)"
	assertEquals true "$(of nic0 pfc follows)"
	says nic0 descr=Ethernet16
	group 'system: "leaf{rail}-a", port: Ethernet16'
	drift 1
	assertEquals 'nic1 neighbor.port drift' "$(rows)"
	assertEquals 'the description is as good as the id' Ethernet16 "$(of nic0 port live)"
}

# Every reason has its word; none is in sync, none is drift, and one row a port tells it.
test_lldpd_cannot_be_asked() {
	local reason is
	agree nic0 0
	agree nic1 1
	while read -r is reason; do
		sim lldpd "$is"
		drift 2
		assertEquals "$is" "$(printf 'nic%d neighbor.system unknown %s\n' 0 "$reason" 1 "$reason")" "$(rows)"
		assertNotEquals "$is: a cause" null "$(of nic0 system cause)"
		assertStatus 2 rdmactl show neighbor
		assertOut "$reason"
		assertStatus 2 rdmactl show neighbor.pfc
	done <<-END
		absent lldpd-not-running
		ended lldpd-not-running
		denies not-permitted
		hangs lldpd-hangs
		leaves unreadable
		no-library lldpctl-missing
		old lldpd-too-old
		other-version lldpd-other-version
	END
}

test_nobody_is_there() {
	local order reason
	agree nic1 1
	while IFS='|' read -r order reason; do
		sim neighbor nic0 none
		agree nic0 0
		# shellcheck disable=SC2086	# words
		sim neighbor nic0 $order
		drift 2
		assertEquals "$order" "nic0 neighbor.system unknown $reason" "$(rows)"
		assertStatus 0 rdmactl show neighbor
		assertOut "$reason"
	done <<-END
		none|no-neighbor
		expire|neighbor-expired
		leave|neighbor-shutdown
		frame 0180c200000e02aa0000ff0188cc0208076c656166302d61040a0745746865726e657430060200000000|neighbor-shutdown
		deaf|lldpd-not-on-port
	END
	sim set carrier nic1 off
	sim neighbor nic1 leave
	drift 2
	assertEquals 'the link is down' "$(of nic1 system cause)"
}

# A frame that lldpd throws away is no neighbour, and is told.
test_malformed_frames() {
	agree nic1 1
	sim neighbor nic0 frame 0180c200000e02aa0000ff0188cc0208076c656166
	drift 2
	assertEquals 'nic0 neighbor.system unknown no-neighbor' "$(rows)"
	assertContains "$(of nic0 system cause)" 'thrown away 1 malformed frames'
}

test_two_neighbours() {
	agree nic0 0
	agree nic1 1
	sim neighbor nic0 say leaf9-a Ethernet0
	drift 2
	assertEquals 'nic0 neighbor.system unknown two-neighbors' "$(rows)"
	assertContains "$(of nic0 system cause)" 'leaf0-a (port Ethernet0) and leaf9-a (port Ethernet0)'
	assertContains "$(of nic0 system remedy)" 'a bond or a hub in between'
	says nic0 "tlv=$PFC"
	sim neighbor nic0 say leaf0-a bmc
	drift 2
	assertContains "$(of nic0 system remedy)" 'a second LLDP agent'
}

# What the switch does not send is no fault, and is not in sync either; what the policy spells out is unknown then.
test_not_advertised() {
	agree nic1 1
	says nic0
	drift 0
	assertEquals "$(printf 'neighbor.%s not-advertised\n' frame pfc tc ets dscp willing)" \
		"$(json '.items[] | select(.status == "unsupported") | "\(.setting) \(.reason)"')"
	assertEquals 'the switch sends no PFC TLV: not compared' "$(of nic0 pfc cause)"
	group 'pfc: [3]'
	drift 2
	assertEquals 'nic0 neighbor.pfc unknown not-advertised' "$(rows)"
	group 'pfc: fabric'
	drift 2
	assertEquals 'nic0 neighbor.pfc unknown not-advertised' "$(rows)"
	# a part of a map is silence about the rest
	group 'dscp: {26: 3, 48: 6}'
	says nic0 tlv=0080c20c00c50030
	drift 2
	assertEquals 'nic0 neighbor.dscp unknown not-advertised' "$(rows)"
	assertEquals 'the APP TLV of the switch does not name DSCP 26: not known' "$(of nic0 dscp cause)"
	says nic0 tlv=0080c20c00050000
	drift 2
	assertEquals 'nic0 neighbor.dscp unknown not-advertised' "$(rows)"
	says nic0 tlv=0080c20c00a50030
	drift 1
	assertEquals 'nic0 neighbor.dscp drift' "$(rows)"
}

# Another language, and bytes that are none: neither is taken for "no PFC".
test_not_understood() {
	local setting reason cause word
	agree nic1 1
	while IFS='|' read -r word setting reason cause; do
		says nic0 "$word"
		drift 2
		assertContains "$word" "$(rows)" "nic0 neighbor.$setting unknown $reason"
		assertContains "$word" "$(of nic0 "$setting" cause)" "$cause"
		assertNotContains "$word" "$(rows)" drift
		assertStatus 0 rdmactl show neighbor
		assertOut "${cause%% *}"
	done <<-END
		tlv=001b2102020a0000000000010000|pfc|cee-peer|the switch speaks the CEE form
		tlv=001b2101020a0000000000010000|pfc|cee-peer|the switch speaks the CIN form
		tlv=0080c20b08|pfc|malformed|the PFC TLV has 1 bytes, and 2 are due
		tlv=0080c20b0f08|pfc|malformed|the PFC TLV says that 15 classes
		$(ets)ff|ets|malformed|the ETS TLV has 22 bytes, and 21 are due
		$(ets 00 81234567)|tc|malformed|the ETS TLV puts priority 0 into class 8
		$(ets 00 01234567 6500000000000000)|ets|malformed|the ETS TLV gives class 0 101 %
		tlv=0080c20c006500|dscp|malformed|the APP TLV has 3 bytes
		tlv=0080c20c00650040|dscp|malformed|the APP TLV names DSCP 64
		tlv=0080c20c0065001a85001a|dscp|malformed|the APP TLV names DSCP 26 twice
	END
	says nic0 tlv=0080c20b0808 tlv=0080c20b0808
	drift 2
	assertEquals 'the PFC TLV is there twice' "$(of nic0 pfc cause)"
}

# Names come from whoever plugs something in.
test_foreign_text() {
	local esc=$'\033[31mred'
	sim neighbor nic0 say "leaf0$esc" "Eth$esc" "descr=$esc"
	agree nic1 1
	run rdmactl drift -v -p "$policy"
	assertNotContains drift "$out$err" $'\033'
	assertOut '1b[31mred'
	run rdmactl show neighbor
	assertNotContains show "$out$err" $'\033'
	assertOut '1b[31mred'
	run rdmactl show neighbor -v
	assertNotContains 'show -v' "$out$err" $'\033'
	assertOut 'port:           \x1b[31mred'
}

test_show() {
	agree nic0 0
	assertStatus 0 rdmactl show neighbor
	assertEquals "$(printf '%s\n' 'PORT SYSTEM THERE FRAME PFC ETS DSCP' \
		'nic0 leaf0-a Ethernet0 9216 3 0:40% 1-2:strict 3:60% 4-7:strict 26:3 48:6' 'nic1 no-neighbor')" \
		"$(head -n 3 <<<"$out" | tr -s ' ' | sed 's/ *$//')"
	assertStatus 0 rdmactl show neighbor -v --port nic0
	assertOut 'priority to class 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7; 8 classes'
	assertOut 'PFC:            8 classes can have it'
	assertNotOut nic1
	assertStatus 0 rdmactl show neighbor -o json --port nic0
	assertEquals '{"willing":false,"classes":8,"priorities":[3]}' "$(jq -c '.neighbors[0].seen[0].pfc' <<<"$out")"
	assertEquals leaf0-a "$(json '.neighbors[0].seen[0].system')"
	assertEquals 64 "$(rdmactl show neighbor --port nic9 >"$T/.o" 2>&1; echo $?)"
}

# One question for all ports, and none unless the policy says neighbor.
test_asked_once_or_never() {
	agree nic0 0
	agree nic1 1
	drift 0
	assertEquals 1 "$(sim count lldpd)"
	sed -i '/neighbor:/s/.*/        link: {state: up}/' "$policy"
	drift 0
	assertStatus 0 rdmactl plan -p "$policy"
	assertEquals 1 "$(sim count lldpd)"
}

test_dump() {
	agree nic0 0
	sim neighbor nic1 say "$(printf 'leaf1-\xff')" Ethernet8 "tlv=$PFC"
	assertStatus 0 rdmactl dump "$T/node.dump"
	assertEquals 1 "$(grep -c '^{"lldp":' "$T/node.dump")"
	drift 0
	local here=$out
	sim lldpd absent
	assertStatus 0 rdmactl drift -v -o json -p "$policy" --from "$T/node.dump"
	assertEquals "$(jq 'del(.node, .time)' <<<"$here")" "$(jq 'del(.node, .time)' <<<"$out")"
	grep -v '^{"lldp":' "$T/node.dump" >"$T/old.dump"
	assertStatus 2 rdmactl drift -v -o json -p "$policy" --from "$T/old.dump"
	assertEquals "$(printf 'nic%d neighbor.system unknown not-recorded\n' 0 1)" "$(rows)"
	sed 's/"ttl":120/"ttl":65536/' "$T/node.dump" >"$T/bad.dump"
	refused 64 "the answer is malformed" rdmactl drift -p "$policy" --from "$T/bad.dump"
}

# The frames of tests/cases, as they were on the wire.
test_case_lldp_dcbx_switch_agrees() {
	group 'system: leaf-a1, port: Ethernet16, pfc: [3], dscp: {26: 3}, willing: false'
	sim neighbor nic0 frame "$(<"$TOP/tests/cases/lldp-dcbx-switch-agrees/frame.hex")"
	sim neighbor nic1 frame "$(<"$TOP/tests/cases/lldp-dcbx-switch-agrees/frame.hex")"
	drift 0
	assertEquals 10 "$(json '[.items[] | select(.status == "in-sync" and .setting != "count")] | length')"
	assertStatus 0 rdmactl show neighbor -o json
	assertEquals '[{"selector":5,"protocol":26,"priority":3},{"selector":3,"protocol":4791,"priority":3}]' \
		"$(jq -c '.neighbors[0].seen[0].app' <<<"$out")"
	assertEquals 'leaf-a1 Ethernet16 false 8' "$(json '.neighbors[0].seen[0] | "\(.system) \(.port) \(.pfc.willing) \(.pfc.classes)"')"
}

test_case_lldp_two_neighbours_one_port() {
	local nic
	group 'system: leaf-a1, port: Ethernet16'
	for nic in nic0 nic1; do
		sim neighbor $nic frame "$(<"$TOP/tests/cases/lldp-two-neighbours-one-port/frame-1.hex")"
		sim neighbor $nic frame "$(<"$TOP/tests/cases/lldp-two-neighbours-one-port/frame-2.hex")"
	done
	drift 2
	assertEquals "$(printf 'nic%d neighbor.system unknown two-neighbors\n' 0 1)" "$(rows)"
	assertContains "$(of nic0 system cause)" 'leaf-a1 (port Ethernet16) and leaf-a2 (port Ethernet16)'
	assertContains "$(of nic0 system remedy)" 'a bond or a hub in between'
	assertNull 'neither is picked' "$(json '.items[] | select(.setting == "neighbor.system") | .live // empty')"
}

# What is captured where the cables are right is in sync there, and notices a cable that is moved.
test_capture() {
	agree nic0 0
	agree nic1 1
	assertStatus 0 rdmactl capture
	policy <<<"$out"
	assertContains "$out" 'system: leaf0-a'
	assertStatus 0 rdmactl drift -p "$policy"
	sim neighbor nic0 none
	agree nic0 1
	drift 1
	assertEquals 'nic0 neighbor.system drift' "$(rows)"
}

test_policy_errors() {
	local text expect
	while IFS='|' read -r text expect; do
		group "$text"
		assertStatus "65" rdmactl lint "$policy"
		assertErr "$expect"
	done <<-END
		tier: laef|neighbor.tier: the fabric backend has no tier laef
		tier: odd|neighbor: links down and up of tier odd have different frame sizes
		tier: leaf, link: sideways|neighbor.link: tier leaf has no link sideways
		link: down|neighbor.link says which link of a tier, and there is no tier
		system: "leaf{row}"|has braces with something else
		pfc: [8]|8
	END
	group 'tier: leaf' ''
	assertStatus 65 rdmactl lint "$policy"
	assertErr 'neighbor.tier: group compute belongs to no fabric'
	group 'tier: odd, link: down'
	assertStatus 0 rdmactl lint "$policy"
	agree nic0 0
	agree nic1 1
	drift 0
	assertEquals 'the fabric MTU with one tag' 9022 "$(of nic0 frame want)"
}

# A card that fell off the bus leaves the numbers of the others unsure: nothing that depends on them is told, or written.
test_a_lost_card_shifts_no_rails() {
	local i
	sim reset --pairs 4 --name node1
	for i in 0 1 2 3; do sim neighbor nic$i say leaf$i-a Ethernet$i; done
	policy <<-'END'
		version: 1
		nodes:
		  node1:
		    set:
		      ports:
		        rail:
		          match: {driver: mlx5_core}
		          count: 4
		          rails: {by: pci}
		          mtu: 9000
		          roce: {mode: v2}
		          neighbor: {system: "leaf{rail}-*"}
		          except: [{match: {rail: 3}, nodes: node1, set: {mtu: 4200}, because: riser, until: 2027-01-31}]
	END
	assertStatus 0 rdmactl apply -q -p "$policy"
	assertEquals '9000 4200' "$(machine_get_mtu nic2) $(machine_get_mtu nic3)"
	sim vanish nic1
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'rail count drift' "$(json '.items[] | select(.status != "in-sync") | "\(.target) \(.setting) \(.status)"')"
	assertErr 'group rail has 3 ports here, not 4: which of them is which rail is not known, so these are left alone: neighbor.system, mtu'
	assertNotContains "$err" riser
	assertStatus 1 rdmactl drift -p "$policy" --port nic2
	assertOut 'in sync, with warnings'
	assertSets 0 rdmactl apply -q -p "$policy"
	assertSets 0 rdmactl apply -q --revert-dropped -p "$policy"
	assertEquals '9000 4200' "$(machine_get_mtu nic2) $(machine_get_mtu nic3)"
	sim set mtu nic2 1500
	sim rescan
	assertStatus 0 rdmactl apply -q -p "$policy"
	assertEquals '9000 9000 4200' "$(machine_get_mtu nic1) $(machine_get_mtu nic2) $(machine_get_mtu nic3)"
	assertStatus 0 rdmactl drift -p "$policy"
}

. shunit2
