#!/bin/bash
# The other end of the cable, on a real kernel: nic1, cabled to nic0, plays the switch in a network of its own, each end with
# a real lldpd. What the switch says by LLDP and DCBX is held against the policy that nic0's own DCB was set from, and what
# nic0 has is what the switch hears when the policy advertises. tests/cli/lldpd.sh has the frames that no honest agent sends.
# shellcheck disable=SC2154,SC2034	# out, err, status, policy: lib.sh's; T, wire_holder, wire_node: for it and wire.sh
. "$(dirname "$0")/../cli/lib.sh"
. "$TOP/tests/lldp/wire.sh"

ETS=00,01,23,45,67,28,00,00,3c,00,00,00,00,02,00,00,02,00,00,00,00	# priority n in TC n, 40 % of TC 0, 60 % of TC 3
APP=00,65,00,1a		# DSCP 26 to priority 3

oneTimeSetUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/wire.XXXXXX")
	machine_reset 2
	wire_holder=() wire_node=$$
	wire_side wire_switch && ip link set nic1 netns "$wire_switch" && on_switch ip link set nic1 mtu 9000 up || return
	on_switch mount -t tmpfs run /run && on_switch mkdir /run/lldpd && mkdir -p /run/lldpd || return
	wire_lldpd node -I nic0 <<<'configure lldp tx-interval 1' && wire_lldpd switch -I nic1 <<-END
		configure lldp tx-interval 1
		configure system hostname leaf-a1
		configure ports nic1 lldp portidsubtype local Ethernet16
	END
}

oneTimeTearDown() {	# shunit2 calls it twice
	[ -z "${wire_node_daemon:-}" ] || wire_end node
	wire_node_daemon=
	wire_down
}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	policy <<-END
		version: 1
		fabric:
		  mtu: 9000
		  classes:
		    rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
		    default: {priority: 0, bandwidth: 40%}
		  tiers:
		    leaf: {nos: sonic, asic: Spectrum-4, frame: 9216, links: {down: {ports: "Ethernet[0-248/8]", speed: 400Gb/s, cable: 30m}}}
		profiles:
		  all:
		    ports:
		      rail:
		        match: {ifname: nic0}
		        mtu: fabric
		        qos: fabric
		        neighbor: {tier: leaf, system: "leaf-a*", port: "Ethernet*"}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
}

# says TLV...: from now on the switch sends these ("9 BYTES" of 802.1Qaz), and the node has heard them
says() {
	local tlv want=''
	on_switch lldpcli unconfigure ports nic1 lldp custom-tlv >/dev/null
	on_switch lldpcli configure ports nic1 lldp custom-tlv add oui 00,12,0f subtype 4 oui-info 24,00 >/dev/null
	for tlv; do
		on_switch lldpcli configure ports nic1 lldp custom-tlv add oui 00,80,c2 subtype "${tlv% *}" oui-info "${tlv#* }" >/dev/null
		want+="${tlv^^} "
	done
	for ((i = 0; i < 100; i++)); do
		[ "$(hears)" != "$want" ] || return 0
		sleep 0.2
	done
	fail "the node heard '$(hears)', not '$want'"
}

hears() {
	lldpcli -f json0 show neighbors details |
		jq -j '.lldp[].interface[]?."unknown-tlvs"[]?."unknown-tlv"[] | select(.oui == "00,80,C2") | "\(.subtype) \(.value) "'
}

differs() { # what drift -o json finds
	json '[.items[] | select(.status == "drift" and (.follows | not)).setting] | join(" ")'
}

test_both_ends_agree() {
	assertStatus 0 rdmactl apply -p "$policy"
	says "9 $ETS" "11 08,08" "12 $APP"
	assertStatus 0 rdmactl drift -v -o json -p "$policy"
	assertEquals 8 "$(json '[.items[] | select(.setting | startswith("neighbor.")) | select(.status == "in-sync")] | length')"
}

# The port is as the policy wants it, and the switch is not: that one row is told, and apply has nothing to write.
test_the_switch_differs() {
	local tlvs
	while IFS=/ read -r setting tlvs; do
		IFS=';' read -ra tlvs <<<"$tlvs"
		says "${tlvs[@]}"
		assertStatus 1 rdmactl drift -o json -p "$policy"
		assertEquals "${tlvs[*]}" "$setting" "$(differs)"
	done <<-END
		neighbor.pfc/9 $ETS;11 08,10;12 $APP
		neighbor.ets/9 ${ETS/28,00,00,3c/3c,00,00,28};11 08,08;12 $APP
		neighbor.dscp/9 $ETS;11 08,08;12 00,85,00,1a
		neighbor.willing/9 $ETS;11 88,08;12 $APP
	END
	assertSets 0 rdmactl apply -p "$policy"
}

# Now the port is wrong and the switch is right: it is the port's row.
test_the_port_differs() {
	says "9 $ETS" "11 08,08" "12 $APP"
	machine_set_pfc nic0 4
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals qos.pfc "$(differs)"
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
}

# What nic0 really has is what the switch hears.
test_advertise() {
	says
	sed -i 's/^        neighbor: .*/        dcbx: {advertise: true}/' "$policy"
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
	local i pfc
	for ((i = 0; i < 100; i++)); do
		pfc=$(on_switch lldpcli -f json0 show neighbors details |
			jq -r '.lldp[].interface[]?."unknown-tlvs"[]?."unknown-tlv"[] | select(.oui == "00,80,C2" and .subtype == "11").value')
		[ -z "$pfc" ] || break
		sleep 0.2
	done
	assertEquals 08,08 "$pfc"
	assertEquals 3 "$(machine_get_pfc nic0)"
	sed -i '/dcbx:/d' "$policy"
	assertStatus 0 rdmactl apply -p "$policy"
	assertTrue 'our file is gone' '[ ! -e /etc/lldpd.d/rdmactl.conf ]'
}

. shunit2
