#!/bin/bash
# Two real lldpd, the node's and the switch's, over veth (tests/lldp/wire.sh): what the switch's frames say, and what
# rdmactl makes of it; what rdmactl advertises, as the switch hears it. In a guest the lldpd alone.
# shellcheck disable=SC2034,SC2154	# T, out, err, status: of lib.sh
. "$(dirname "$0")/lib.sh"
. "$TOP/tests/lldp/wire.sh"

OUI_QAZ=00,80,c2 OUI_DOT3=00,12,0f OUI_CEE=00,1b,21
PFC=08,08		# not willing, 8 classes, priority 3
ETS=00,01,23,45,67,28,00,00,3c,00,00,00,00,02,00,00,02,00,00,00,00	# priority n in TC n, 40 % of TC 0, 60 % of TC 3
APP=00,65,00,1a,63,12,b7	# DSCP 26 and UDP 4791 to priority 3

PORTS=13
AGREES=0 PLAIN=1 CEE=2 CIN=3 MUTE=4 AGES=5 TWO=6 CASE=7 ODD=8 LOUD=9 LONG=10 WILLING=11 NARROW=12
HEARD="$AGREES $PLAIN $CEE $CIN $TWO $CASE $ODD $LOUD $LONG $WILLING $NARROW"

# What the switch says on each port.
switch_config() {
	cat <<-END
		configure lldp tx-interval 1
		configure lldp tx-hold 120
		configure system hostname leaf-a1
		configure ports swp$AGREES lldp portidsubtype local Ethernet16
		configure ports swp$AGREES lldp portdescription "to node1 rail 0"
	END
	local n
	for n in $MUTE $AGES $TWO $CASE $LOUD $LONG; do	# they speak by hand, or not at all
		echo "configure ports swp$n lldp status rx-only"
	done
	wire_says swp$AGREES $OUI_QAZ 9 $ETS
	wire_says swp$AGREES $OUI_QAZ 10 $ETS
	wire_says swp$AGREES $OUI_QAZ 11 $PFC
	wire_says swp$AGREES $OUI_QAZ 12 $APP
	wire_says swp$AGREES $OUI_DOT3 4 24,00
	wire_says swp$NARROW $OUI_DOT3 4 05,ee
	wire_says swp$WILLING $OUI_QAZ 11 88,08
	wire_says swp$WILLING $OUI_QAZ 9 "80${ETS#00}"
	wire_says swp$CEE $OUI_CEE 2 02,0a,00,00,00,00,00,01,00,00,00,01
	wire_says swp$CIN $OUI_CEE 1 02,0a,00,00,00,00,00,01,00,00,00,01
	wire_says swp$ODD $OUI_QAZ 11 08
	wire_says swp$ODD $OUI_QAZ 9 "$ETS,ff"
	wire_says swp$ODD $OUI_QAZ 12 00,65,00
}

# What no honest agent says.
frames_by_hand() {
	local long
	wire_send swp$TWO "$(<"$TOP/tests/cases/lldp-two-neighbours-one-port/frame-1.hex")" \
		"$(<"$TOP/tests/cases/lldp-two-neighbours-one-port/frame-2.hex")"
	wire_send swp$CASE "$(<"$TOP/tests/cases/lldp-dcbx-switch-agrees/frame.hex")"
	wire_send swp$LOUD "$(frame 10 120 'leaf\033[31m-a1\007' 'Eth\r\n\0331' "$(tlv 4 "$(hex '\033]0;title\007')")")"
	long=$(hex "$(printf '%255s' '' | tr ' ' L)")
	wire_send swp$LONG "$(frame 11 120 '' Ethernet1 "$(tlv 4 "$long")" "$(tlv 5 "$long")" "$(tlv 127 "0080c20b$long")")"
}

oneTimeSetUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/wire.XXXXXX")
	wire_up $PORTS && wire_lldpd node -I 'nic*' <<<'configure lldp tx-interval 1' &&
		wire_lldpd switch -I 'swp*' < <(switch_config) || return
	frames_by_hand
	# shellcheck disable=SC2046,SC2086	# words
	wire_heard $(printf 'nic%d ' $HEARD)
}

oneTimeTearDown() { wire_down; }

setUp() { T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX"); }

# heard N EXPRESSION: jq's, of each neighbour of the node's port N
heard() {
	on_node lldpcli -f json0 show neighbors details | jq -r ".lldp[].interface[]? | select(.name == \"nic$1\") | $2"
}

# --- what rdmactl makes of it ---------------------------------------------------------
# veth has no RDMA device: on the simulator's host the ports, their DCB and all else is simulated, and lldpd is real.

rdmactl() { on_node env RDMACTL_SIM="$RDMACTL_SIM" "$RDMACTL" "$@"; }

on_simulated_ports() {
	machine_reset $((PORTS + 1))
	assertTrue 'lldpd is real' 'sim lldpd real'
}

# meant N LINE...: a policy for port N alone
meant() {
	local n=$1
	shift
	policy < <(
		cat <<-END
			version: 1
			profiles:
			  all:
			    ports:
			      rail:
			        match: {ifname: nic$n}
		END
		printf '        %s\n' "$@"
		echo 'nodes:'
		echo "  $(machine_node): {profiles: [all]}"
	)
}

AGREED='system: leaf-a1; port: Ethernet16; frame: 9216; pfc: [3]; tc: {0: 0, 3: 3}; ets: {0: 40%, 3: 60%, 1: strict}; dscp: {26: 3}; willing: false'

# agreed [FIELD VALUE]: what port 0 is meant to have, one field with another value
agreed() {
	meant $AGREES "neighbor: {$(sed "s/$1: [^;]*/$1: $2/; s/;/,/g" <<<"$AGREED")}"
}

test_agrees() {
	on_simulated_ports
	agreed none none
	assertStatus 0 rdmactl drift -v -o json -p "$policy"
	assertEquals 8 "$(json '[.items[] | select(.setting | startswith("neighbor."))] | length')"
}

# Each field that differs is the one finding.
test_each_field_differs() {
	on_simulated_ports
	local field other
	while IFS=: read -r field other; do
		agreed "$field" "$other"
		assertStatus 1 rdmactl drift -o json -p "$policy"
		assertEquals "$field" "neighbor.$field" "$(json '.items[] | select(.status == "drift" and (.follows | not)).setting')"
	done <<-END
		system:leaf-b1
		port:Ethernet24
		frame:9217
		pfc:[4]
		tc:{3: 4}
		ets:{0: 60%, 3: 40%}
		dscp:{26: 4}
		willing:true
	END
}

# Silence is never in sync: port, what is meant, and the reason of the row.
test_unknown_has_a_reason() {
	on_simulated_ports
	local n wish reason
	while IFS=/ read -r n wish reason; do
		meant "$n" "neighbor: {$wish}"
		assertStatus 2 rdmactl drift -o json -p "$policy"
		assertEquals "nic$n" "$reason" "$(json '[.items[] | select(.status == "unknown").reason] | unique | join(" ")')"
	done <<-END
		$PLAIN/pfc: [3]/not-advertised
		$CEE/pfc: [3]/cee-peer
		$CIN/pfc: [3]/cee-peer
		$MUTE/system: leaf-a1/no-neighbor
		$TWO/system: leaf-a1/two-neighbors
		$ODD/pfc: [3]/malformed
	END
}

test_frames_of_the_cases() {
	on_simulated_ports
	meant $CASE 'neighbor: {system: leaf-a1, port: Ethernet16, pfc: [3], dscp: {26: 3}, willing: false}'
	assertStatus 0 rdmactl drift -p "$policy"
	meant $TWO 'neighbor: {system: leaf-a1}'
	assertStatus 2 rdmactl drift -p "$policy"
	assertOut leaf-a1
	assertOut leaf-a2
}

test_hostile_text_stays_text() {
	on_simulated_ports
	run rdmactl show neighbor
	assertOut 'leaf'
	assertEquals 'control characters' '' "$(tr -d '\n' <"$T/.out" | LC_ALL=C tr -dc '\000-\037\177')"
	run rdmactl show neighbor -o json
	assertTrue 'JSON' "jq -e . '$T/.out' >/dev/null"
}

test_lldpd_cannot_be_asked() {
	on_simulated_ports
	meant $AGREES 'neighbor: {system: leaf-a1}'
	# shellcheck disable=SC2016	# the inner shell's
	assertStatus 2 on_node unshare -m sh -c 'mount -t tmpfs none /run && exec "$@"' sh \
		env RDMACTL_SIM="$RDMACTL_SIM" "$RDMACTL" drift -o json -p "$policy"
	assertEquals lldpd-not-running "$(json '.items[] | select(.status == "unknown").reason')"
	chmod -R a+rwX "$T"
	chmod go+x "${SHUNIT_TMPDIR%/*}" "$SHUNIT_TMPDIR"
	assertStatus 2 on_node setpriv --reuid 65534 --regid 65534 --clear-groups \
		env RDMACTL_SIM="$RDMACTL_SIM" "$RDMACTL" drift -o json -p "$policy"
	assertEquals not-permitted "$(json '.items[] | select(.status == "unknown").reason')"
}

# The socket is that of lldpd's user: root has no right in it but CAP_DAC_OVERRIDE, which the units have to keep.
test_rights_of_the_units() {
	on_simulated_ports
	local rights
	rights=-all,$(sed -n 's/^CapabilityBoundingSet=//p' "$TOP/templates/systemd/hardening.inc" | sed 's/CAP_/+/g; s/ /,/g' | tr '[:upper:]' '[:lower:]')
	meant $AGREES 'neighbor: {system: leaf-a1}'
	with() { on_node setpriv --bounding-set "$1" env RDMACTL_SIM="$RDMACTL_SIM" "$RDMACTL" drift -o json -p "$policy"; }
	assertStatus 0 with "$rights"
	assertStatus 2 with "$rights,-dac_override"
	assertEquals not-permitted "$(json '.items[] | select(.status == "unknown").reason')"
}

# switch_hears: the TLVs that came to it from the port that advertises
switch_hears() {
	on_switch lldpcli -f json0 show neighbors details |
		jq -r ".lldp[].interface[] | select(.name == \"swp$PLAIN\") | .\"unknown-tlvs\"[]?.\"unknown-tlv\"[] | \"\(.oui) \(.subtype) \(.value)\"" |
		sort
}

# Ours, said by a real lldpd, arrives at the other one; what somebody else had it say stays.
test_advertise() {
	on_simulated_ports
	local i app=00
	for ((i = 0; i < 64; i++)); do app+=$(printf ',%s,00,%02X' "$([ $i = 26 ] && echo 65 || echo 05)" $i); done
	on_node lldpcli configure ports nic$PLAIN lldp custom-tlv oui 00,11,22 subtype 7 oui-info 01,02 >/dev/null
	meant $PLAIN 'qos: {pfc: [3], dscp: {0-25: 0, 26: 3, 27-63: 0}}' 'dcbx: {advertise: true}'
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
	for ((i = 0; i < 50; i++)); do [[ $(switch_hears) != *'80,C2 12'* ]] || break; sleep 0.1; done
	assertEquals $'00,11,22 7 01,02\n00,80,C2 11 08,08\n'"00,80,C2 12 $app" "$(switch_hears | grep -v 'C2 9 ')"
	sim get file etc/lldpd.d/rdmactl.conf >"$T/started.conf"
	on_node lldpcli unconfigure ports nic$PLAIN lldp custom-tlv >/dev/null	# as a restart does
	assertStatus 1 rdmactl drift -p "$policy"
	on_node sh -c 'cat >/run/started.conf' <"$T/started.conf"
	on_node lldpcli -c /run/started.conf >/dev/null
	assertStatus 0 rdmactl drift -p "$policy"
	meant $PLAIN 'qos: {pfc: [3], dscp: {26: 3}}'	# silent about it
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals '' "$(on_node lldpcli -f json0 show interfaces details | jq -r ".lldp[].interface[] | select(.name == \"nic$PLAIN\") | .\"unknown-tlvs\"[]?.\"unknown-tlv\"[]?.oui")"
}

# --- what lldpd hears -----------------------------------------------------------------

test_the_switch_is_heard() {
	assertEquals leaf-a1 "$(heard $AGREES '.chassis[].name[].value')"
	assertEquals Ethernet16 "$(heard $AGREES '.port[].id[].value')"
	assertEquals 9216 "$(heard $AGREES '.port[].mfs[].value')"
	assertEquals '9 10 11 12' "$(heard $AGREES '[."unknown-tlvs"[]."unknown-tlv"[].subtype] | join(" ")')"
	assertEquals 08,08 "$(heard $AGREES '."unknown-tlvs"[]."unknown-tlv"[] | select(.subtype == "11").value')"
}

test_silence() { assertEquals '' "$(heard $MUTE .)"; }

test_two_neighbors() { assertEquals $'leaf-a1\nleaf-a2' "$(heard $TWO '.chassis[].name[].value')"; }

# gone N: waits until the node's port N has no neighbour any more
gone() {
	local i
	for ((i = 0; i < 150; i++)); do
		[ -n "$(heard "$1" .)" ] || return 0
		sleep 0.1
	done
	fail "nic$1 still has a neighbour"
}

test_expired() {
	wire_send swp$AGES "$(frame 06 5 leaf-a3 Ethernet1)"	# in a guest asking takes longer than a second
	assertEquals leaf-a3 "$(heard $AGES '.chassis[].name[].value')"
	gone $AGES
}

test_shutdown() {
	wire_send swp$AGES "$(frame 07 120 leaf-a4 Ethernet1)"
	assertEquals leaf-a4 "$(heard $AGES '.chassis[].name[].value')"
	wire_send swp$AGES "$(frame 07 0 '' Ethernet1)"
	gone $AGES
}

test_hostile() {
	assertEquals 'leaf?[31m-a1?' "$(heard $LOUD '.chassis[].name[].value' | tr '\033\007' '??')"
	assertEquals 256 "$(heard $LONG '.chassis[].name[].value' | wc -c)"
}

# The last one: it ends the switch's daemon, which says farewell on each port.
test_the_switch_goes_down() {
	assertEquals leaf-a1 "$(heard $PLAIN '.chassis[].name[].value')"
	wire_end switch
	gone $PLAIN
}

if ! wire_allowed; then
	elsewhere() { skip 'the namespaces that two lldpd need are not allowed'; }
	suite() { suite_addTest elsewhere; }
	unset -f oneTimeSetUp
fi

if [ "$BACKEND" = vm ] && wire_allowed; then	# the first part wants the simulator beside the real lldpd
	suite() {
		local t
		for t in $(grep -o '^test_[a-z_]*' "$0" | sed -n '/^test_the_switch_is_heard/,$p'); do suite_addTest "$t"; done
	}
fi

. shunit2
