#!/bin/bash
# render switch and check-switch: exit statuses and reports, what is refused or rounded, SONiC's constraints on what is
# rendered, patches that are applied, templates of one's own, and files that are broken or hostile.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

ALL=(sonic cumulus eos nxos junos os10)

leaf() { # [KEY: VALUE]...: further lines of the tier
	policy < <(
		cat <<-'END'
			version: 1
			fabric:
			  mtu: 9000
			  classes:
			    rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
			    cnp: {priority: 6, dscp: [48], strict: true}
			    default: {priority: 0, bandwidth: 40%}
			  tiers:
			    leaf:
			      asic: Spectrum-4
			      frame: 9216
			      watchdog: {detect: 200ms, restore: 400ms, action: drop}
			      queue_buffer: 3000KiB
		END
		printf '      %s\n' "$@"
		cat <<-'END'
			      links:
			        down: {ports: "Ethernet[0-16/8]", speed: 400Gb/s, cable: 30m, ecn: {rdma: {kmin: 150KiB, kmax: 1500KiB, pmax: 20%}}}
			        up: {ports: "Ethernet[256,264]", speed: 800Gb/s, cable: 80m, ecn: {rdma: {kmin: 300KiB, kmax: 3000KiB, pmax: 20%}}}
			nodes: {n1: {set: {node: {sysctl: {kernel.panic: 1}}}}}
		END
	)
}

render() { # NOS [OPTION]...
	rdmactl render switch -p "$policy" --tier leaf --unverified --nos "$@"
}

test_there_and_back() {
	local nos
	leaf 'pool: 26451968' 'alpha: 1' 'shared_pool: true'
	for nos in "${ALL[@]}"; do
		assertStatus 0 render "$nos"
		printf '%s\n' "$out" >"$T/$nos.conf"
		assertStatus 0 rdmactl check-switch -p "$policy" --nos "$nos" "$T/$nos.conf"
		assertOut 'in sync'
		assertStatus 0 rdmactl check-switch -p "$policy" --nos "$nos" -v "$T/$nos.conf"
		assertOut 'ecn.3.enabled'
	done
	# without --nos it is told by the file's own words; the tier says none here
	assertStatus 0 rdmactl check-switch -p "$policy" "$T/eos.conf"
	assertStatus 0 rdmactl check-switch -p "$policy" "$T/junos.conf"
	assertStatus 0 rdmactl check-switch -p "$policy" - <"$T/sonic.conf"
}

test_report() {
	leaf
	render sonic 2>/dev/null | sed 's/"26": "3"/"26": "4"/; s/"30m"/"5m"/; s/"wred_green_enable": "true"/"wred_green_enable": "false"/' >"$T/leaf1.json"
	assertStatus 1 rdmactl check-switch -p "$policy" "$T/leaf1.json"
	assertOut 'leaf1.json: drift; policy'
	assertOut 'DSCP 26 of the lossless class rdma goes to a priority of another class'
	assertOut 'headroom is made for a shorter cable: it drops'
	assertOut 'thresholds are there, and marking is not enabled'
	assertOut '3 drift'
	run rdmactl check-switch -p "$policy" -o json "$T/leaf1.json"
	assertEquals 'cable dscp ecn.3.enabled' "$(json '[.items[] | select(.status == "drift") | .setting] | sort | join(" ")')"
	assertEquals 'check-switch 1 drift' "$(json '"\(.command) \(.exit_code) \(.result)"')"
}

test_ports_of_others() {
	leaf
	render eos 2>/dev/null | sed 's/Ethernet8$/Ethernet9/' >"$T/leaf1"
	assertStatus 1 rdmactl check-switch -p "$policy" "$T/leaf1"
	assertOut 'the policy lists this port, and the file does not have it'
	assertOut 'Ethernet8 (down)'
	# a link without ports is every port that no other link has
	sed -i 's/ports: "Ethernet\[0-16\/8\]", //' "$policy"
	assertStatus 0 rdmactl check-switch -p "$policy" "$T/leaf1"
	refused 2 'link down says no ports' rdmactl render switch -p "$policy" --nos eos
}

test_unknown_is_not_ok() {
	leaf
	render eos 2>/dev/null | sed '/mtu/d' >"$T/leaf1"
	assertStatus 2 rdmactl check-switch -p "$policy" "$T/leaf1"
	assertOut 'unknown: not-recorded'
}

test_refused() {
	leaf
	refused 2 "NX-OS: no source confirms the watchdog's multipliers" rdmactl render switch -p "$policy" --nos nxos
	refused 2 'OS10: no source confirms the trust map by DSCP' rdmactl render switch -p "$policy" --nos os10
	refused 2 'Junos: no source confirms a drop-profile that ends below 100' rdmactl render switch -p "$policy" --nos junos
	refused 64 '--nos ios: not a switch system' rdmactl render switch -p "$policy" --nos ios
	refused 64 'tier leaf: which switch system?' rdmactl render switch -p "$policy"
	refused 64 '--tier spine: there is no such tier' rdmactl render switch -p "$policy" --tier spine --nos eos
	sed -i 's/action: drop/action: alert/' "$policy"
	refused 2 'Cumulus: its watchdog always drops' render cumulus
	sed -i 's/, pmax: 20%//' "$policy"
	refused 2 'says no ecn.rdma.pmax' render sonic
	leaf
	sed -i 's/ default:/ "the rest":/' "$policy"
	refused 2 'cannot be a name' render eos
	leaf
	sed -i 's/priority: 6, dscp/priority: 2, dscp/' "$policy"
	refused 2 'EOS: no queue is strict below one that has a share' render eos
	assertStatus 0 render sonic
}

test_rounded_with_a_word() {
	leaf
	assertStatus 0 render cumulus
	assertErr 'Cumulus restores after one interval without pause: restore is left out'
	sed -i 's/kmin: 150KiB/kmin: 153000/' "$policy"
	assertStatus 0 render nxos
	assertErr 'NX-OS: ecn.3.kmin is rounded down to whole kbytes'
	assertOut 'minimum-threshold 149 kbytes'
	assertErr 'NX-OS: the strict class goes to qos-group 7'
	assertStatus 0 render junos
	assertErr "Junos: ecn.3.kmin is rounded down to 4% of the queue's buffer"
	sed -i 's/queue_buffer: 3000KiB/queue_buffer: 1GiB/' "$policy"
	refused 2 'the same whole percent' render junos
}

# switches.md 5: ranges, references that exist, and nothing that no port refers to.
test_sonic_constraints() {
	local way
	for way in 'alpha: 1' 'pool: 26451968'; do
		leaf "$way" 'alpha: 2' 2>/dev/null
		[ "$way" = 'alpha: 1' ] && leaf 'alpha: 1'
		[ "$way" = 'alpha: 1' ] || leaf 'pool: 26451968' 'alpha: 1' 'shared_pool: true'
		render sonic >"$T/c.json" 2>/dev/null
		run jq -r '
			def names: test("^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$");
			def n: tonumber;
			. as $c |
			def refs($from; $field): [$c[$from] // {} | .[] | .[$field] // empty] | unique;
			def check($ok; $what): if $ok then empty else $what end;
			check([.. | scalars | type == "string"] | all; "a scalar is no string"),
			check(.DSCP_TO_TC_MAP.RDMA | (keys | length == 64) and (to_entries | all((.key | n) < 64 and (.value | n) < 16)); "DSCP map"),
			check(.TC_TO_QUEUE_MAP.RDMA | to_entries | all((.key | n) < 16 and (.value | n) < 10); "queue map"),
			check(.TC_TO_PRIORITY_GROUP_MAP.RDMA | to_entries | all((.value | n) < 8); "group map"),
			check(.WRED_PROFILE | to_entries | all((.key | names) and (.value.green_max_threshold | n) >= (.value.green_min_threshold | n)
				and (.value.green_drop_probability | n) <= 100); "WRED"),
			check(.SCHEDULER | to_entries | all(.key | names) and (map(.value) | all(.type == "STRICT" or
				(.type == "DWRR" and (.weight | n) >= 1 and (.weight | n) <= 100))); "scheduler"),
			check(refs("QUEUE"; "scheduler") == (.SCHEDULER | keys); "schedulers and queues"),
			check(refs("QUEUE"; "wred_profile") == (.WRED_PROFILE | keys); "WRED profiles and queues"),
			check(refs("BUFFER_PG"; "profile") - ["NULL"] == (.BUFFER_PROFILE // {} | keys); "buffer profiles and groups"),
			check(refs("BUFFER_PROFILE"; "pool") == (.BUFFER_POOL // {} | keys); "pools and profiles"),
			check(refs("PORT_QOS_MAP"; "dscp_to_tc_map") == (.DSCP_TO_TC_MAP | keys); "maps and ports"),
			check([.BUFFER_PROFILE // {} | .[] | (.dynamic_th | n) >= -8 and (.dynamic_th | n) <= 7] | all; "dynamic_th"),
			check([.CABLE_LENGTH.AZURE[] | test("^[0-9]+m$")] | all; "cable"),
			check([.PFC_WD | to_entries[] | select(.key != "GLOBAL") | .value | (.detection_time | n) >= 100 and (.detection_time | n) <= 5000
				and (.restoration_time | n) >= 100 and (.restoration_time | n) <= 60000 and (.action | test("^(drop|forward|alert)$"))
				and (.detection_time | n) >= ($c.PFC_WD.GLOBAL.POLL_INTERVAL | n)] | all; "watchdog"),
			check([.PORT[] | (.mtu | n) <= 9216] | all; "mtu"),
			check([.PORT_QOS_MAP[] | .pfc_enable | test("^[0-7](,[0-7])*$")] | all; "pfc_enable")
		' "$T/c.json"
		assertEquals "jq on: $way" '0 ' "$status $out"
	done
}

# A patch made against a configuration leads to one that is in sync, and keeps what is somebody else's.
patched() { # FILE PATCH
	python3 - "$1" "$2" <<-'END'
		import json, sys
		doc, patch = (json.load(open(f)) for f in sys.argv[1:])
		for op in patch:
		    *way, last = [p.replace("~1", "/").replace("~0", "~") for p in op["path"].split("/")[1:]]
		    at = doc
		    for p in way:
		        at = at[p]
		    if op["op"] == "remove":
		        del at[last]
		    else:
		        assert op["op"] == "add" or last in at, op
		        at[last] = op["value"]
		json.dump(doc, sys.stdout)
	END
}

test_json_patch() {
	leaf
	render sonic 2>/dev/null >"$T/whole.json"
	assertEquals '[]' "$(render sonic --against "$T/whole.json" 2>/dev/null | tr -d '\n ')"
	jq '.WRED_PROFILE.leaf_down_rdma.green_min_threshold = "1" | del(.CABLE_LENGTH) | .DSCP_TO_TC_MAP.RDMA["26"] = "4"
		| .SCHEDULER.RDMA_Q3.pir = "1" | .PORT.Ethernet0.lanes = "1,2" | .VLAN = {"Vlan1": {"vlanid": "1"}}' "$T/whole.json" >"$T/base.json"
	assertStatus 1 rdmactl check-switch -p "$policy" "$T/base.json"
	assertStatus 0 render sonic --against "$T/base.json"
	printf '%s' "$out" >"$T/patch.json"
	assertEquals 'add /CABLE_LENGTH
remove /SCHEDULER/RDMA_Q3/pir
replace /DSCP_TO_TC_MAP/RDMA/26
replace /WRED_PROFILE/leaf_down_rdma/green_min_threshold' "$(json '.[] | "\(.op) \(.path)"' | sort)"
	patched "$T/base.json" "$T/patch.json" >"$T/after.json"
	assertStatus 0 rdmactl check-switch -p "$policy" "$T/after.json"
	assertEquals '1,2 1' "$(jq -r '"\(.PORT.Ethernet0.lanes) \(.VLAN.Vlan1.vlanid)"' "$T/after.json")"
}

test_lines_against() {
	local nos
	leaf
	for nos in cumulus eos nxos junos os10; do
		render "$nos" 2>/dev/null >"$T/whole"
		assertEquals "$nos against itself" '' "$(render "$nos" --against "$T/whole" 2>/dev/null)"
	done
	render cumulus 2>/dev/null | sed '/dscp 26/d; s/cable-length 30/cable-length 5/' >"$T/base"
	assertEquals 'nv set qos mapping rdma dscp 26 switch-priority 3
nv set qos pfc leaf_down cable-length 30' "$(render cumulus --against "$T/base" 2>/dev/null)"
	render eos 2>/dev/null | sed '0,/random-detect/{/random-detect/d}' >"$T/base"
	assertEquals 'qos profile leaf_down
   uc-tx-queue 3
      random-detect ecn minimum-threshold 153600 bytes maximum-threshold 1536000 bytes max-mark-probability 20 weight 0' \
		"$(render eos --against "$T/base" 2>/dev/null)"
}

test_templates() {
	leaf
	mkdir "$T/mine"
	{
		echo '! site: lab'
		cat "$TOP/templates/switch/eos"
	} >"$T/mine/eos"
	assertStatus 0 render eos --templates "$T/mine"
	assertOut '! site: lab'
	sed -i '/random-detect/d' "$T/mine/eos"
	refused 2 'the template does not give leaf what the policy says of ecn.3.enabled' render eos --templates "$T/mine"
	echo '{{nothing}}' >"$T/mine/eos"
	refused 2 'mine/eos:1:1: error: {{nothing}}: there is no such value here' render eos --templates "$T/mine"
	refused 2 'mine/junos' render junos --templates "$T/mine"
}

# Nothing of a file reaches the terminal as it is, and nothing of it brings the program down.
test_broken_files() {
	local nos esc=$'\033'
	leaf
	printf '{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3' >"$T/cut.json"
	refused 2 'this JSON ends too early' rdmactl check-switch -p "$policy" --nos sonic "$T/cut.json"
	printf '{"a": {"b": 1}}' >"$T/foreign.json"
	refused 2 'this is no config_db of SONiC' rdmactl check-switch -p "$policy" --nos sonic "$T/foreign.json"
	for nos in "${ALL[@]}"; do
		refused 2 'error:' rdmactl check-switch -p "$policy" --nos "$nos" /etc/passwd
		: >"$T/empty"
		refused 2 'error:' rdmactl check-switch -p "$policy" --nos "$nos" "$T/empty"
		head -c 100000 /dev/urandom >"$T/noise"
		run rdmactl check-switch -p "$policy" --nos "$nos" "$T/noise"
		assertTrue "$nos: status $status of noise" "[ $status = 1 -o $status = 2 ]"
	done
	render eos 2>/dev/null | sed 's/leaf1/x/; s/^interface Ethernet8$/interface Ethernet8'"$esc"'[31m/; s/mtu 9194/mtu '"$esc"'[2J/' >"$T/esc"
	run rdmactl check-switch -p "$policy" -v "$T/esc"
	assertNotContains "escape sequences" "$out$err" "$esc"
	refused 2 'looks like a configuration of SONiC, not of EOS' rdmactl check-switch -p <(sed 's/asic:/nos: eos\n      asic:/' "$policy") \
		<(render sonic 2>/dev/null)
	refused 2 'No such file' rdmactl check-switch -p "$policy" "$T/none"
	refused 64 'which file?' rdmactl check-switch -p "$policy"
}

# A terminal would obey a template's control bytes; of a file that is read, what is not taken is told and never in sync.
test_templates_hold_text() {
	leaf
	mkdir "$T/raw"
	sed '2s/$/ \x1b[2J/' "$TOP/templates/switch/eos" >"$T/raw/eos"
	refused 2 'raw/eos:2:' render eos --templates "$T/raw"
	assertErr 'no control bytes but tabs and newlines'
	printf '\xc2\x9b2J\n' >"$T/raw/eos"
	refused 2 'raw/eos:1:1' render eos --templates "$T/raw"
}

test_sonic_files_that_are_not_taken() {
	leaf
	render sonic 2>/dev/null >"$T/whole.json"
	sed 's/"26": "3"/"26": ["3"]/' "$T/whole.json" >"$T/list.json"
	refused 2 'DSCP_TO_TC_MAP: "26" is a list' rdmactl check-switch -p "$policy" "$T/list.json"
	sed 's/"26": "3"/"26": "3", "26": "4"/' "$T/whole.json" >"$T/twice.json"
	refused 2 'says "26" twice' rdmactl check-switch -p "$policy" "$T/twice.json"
	sed 's/"BUFFER_PG": {/&"Ethernet0|3-4": {"profile": "NULL"},/' "$T/whole.json" >"$T/both.json"
	assertStatus 2 rdmactl check-switch -p "$policy" "$T/both.json"
	assertOut 'is said by two entries'
	{
		printf '\xef\xbb\xbf'
		cat "$T/whole.json"
	} >"$T/bom.json"
	assertStatus 0 rdmactl check-switch -p "$policy" "$T/bom.json"
	assertErr 'byte order mark'
}

# What is appended to a right file is not passed over: it is drift, or unknown with its line, or the file is refused.
appended() { # NOS STATUS TEXT WORDS
	render "$1" 2>/dev/null >"$T/$1.conf"
	printf '%b' "$3" >>"$T/$1.conf"
	assertStatus "$2" rdmactl check-switch -p "$policy" --nos "$1" "$T/$1.conf"
	assertContains "$1: $3" "$out$err" "$4"
}

test_taken_back() {
	leaf
	appended eos 1 'qos profile leaf_down\n   no priority-flow-control on\n' 'a lossless priority has no PFC'
	appended eos 2 'interface Et8\n   no qos trust\n' 'what "no qos trust" leaves of this cannot be told'
	appended eos 1 'interface et0-8\n   mtu 1500\n' 'frames of the nodes do not fit'
	appended nxos 1 'default interface e8\n' 'drift'
	appended os10 1 'interface range ethernet 0-8\n mtu 1500\n' 'frames of the nodes do not fit'
	appended junos 1 'deactivate class-of-service forwarding-classes class rdma no-loss\n' 'a lossless priority has no PFC'
	appended junos 2 'rename class-of-service schedulers a to schedulers b\n' 'cannot be told'
	appended cumulus 1 'nv unset qos pfc leaf_down\n' 'a lossless priority has no PFC'
	appended cumulus 2 'nv unset interface Ethernet8 qos pfc\n' 'leaves of this cannot be told'
	appended eos 0 'banner motd\nno qos profile leaf_down\nEOF\n' 'in sync'
}

test_other_systems() {
	leaf
	render eos 2>/dev/null >"$T/eos.conf"
	refused 2 'this looks like a configuration of EOS, not of NX-OS' rdmactl check-switch -p "$policy" --nos nxos "$T/eos.conf"
	refused 2 'this looks like a configuration of EOS, not of OS10' rdmactl check-switch -p "$policy" --nos os10 "$T/eos.conf"
	refused 2 'this looks like a configuration of EOS, not of NX-OS' rdmactl render switch -p "$policy" --unverified --nos nxos --against "$T/eos.conf"
}

# What a template of one's own takes back is missing from what it gives.
test_templates_take_back() {
	leaf
	mkdir "$T/back"
	{
		cat "$TOP/templates/switch/eos"
		printf 'qos profile leaf_down\n   no priority-flow-control on\n'
	} >"$T/back/eos"
	refused 2 'the template does not give leaf down what the policy says of pfc' render eos --templates "$T/back"
	{
		cat "$TOP/templates/switch/junos"
		printf 'deactivate class-of-service schedulers leaf_down-rdma\n'
	} >"$T/back/junos"
	refused 2 'the template does not give leaf down what the policy says of ecn.3.enabled' render junos --templates "$T/back"
}

. shunit2
