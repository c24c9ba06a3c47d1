#!/bin/bash
# -o json of every command: the shape of docs/report.schema.json, an exit_code that is the exit status, counts that are
# those of the items, and a table that tells the same number of findings.
# On the simulator alone so far: the shapes are the program's own, and checking them takes four minutes of an emulated machine.
# shellcheck disable=SC2154	# out, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# A schema checker in jq, for the words that the schema uses; prints what is wrong, a line each.
# shellcheck disable=SC2016	# jq's
definitions='
def kind: if type == "number" then (if floor == . then "integer" else "number" end) else type end;
def errors($s; $root; $at):
	. as $v
	| if $s["$ref"] then errors($root["$defs"][$s["$ref"] | sub(".*/"; "")]; $root; $at) else
	(if $s.type and ([$s.type] | flatten | index($v | kind) | not) then "\($at): is \($v | kind), not \($s.type)" else empty end),
	(if $s | has("const") and .const != $v then "\($at): is \($v), not \($s.const)" else empty end),
	(if $s.enum and ($s.enum | index([$v]) | not) then "\($at): \($v) is not in \($s.enum)" else empty end),
	(if $s.minimum and ($v | type) == "number" and $v < $s.minimum then "\($at): \($v) is below \($s.minimum)" else empty end),
	(if $s.pattern and ($v | type) == "string" and ($v | test($s.pattern) | not) then "\($at): \($v) does not match" else empty end),
	(if $s.oneOf then ([$s.oneOf[] | . as $o | [$v | errors($o; $root; $at)] | select(length == 0)] | length
		| if . == 1 then empty else "\($at): fits \(.) of oneOf" end) else empty end),
	(if ($v | type) == "object" then
		(($s.required // [])[] | select(. as $k | $v | has($k) | not) | "\($at): has no \(.)"),
		($v | to_entries[] | .key as $k | .value
			| if $s.properties[$k] then errors($s.properties[$k]; $root; "\($at).\($k)")
			elif $s.additionalProperties == false then "\($at): \($k) is unknown to the schema" else empty end)
	else empty end),
	(if ($v | type) == "array" and $s.items then ($v | to_entries[] | .key as $i | .value | errors($s.items; $root; "\($at)[\($i)]")) else empty end)
	end;
'
# shellcheck disable=SC2016	# jq's
checker="$definitions"'. as $v | $schema[0] as $root | $v | errors($root; $root; "report")'

# The words of a schema that the checker does not know would be promises that nobody checks.
test_the_checker_knows_every_word() {
	local schema
	for schema in report findings outputs; do
		assertEquals "$schema" "" "$(jq -r '[.. | objects | keys[]] | unique[]' "$TOP/docs/$schema.schema.json" |
			comm -23 - <(jq -r '[.. | objects | .properties? // empty | keys[]] + (.["$defs"] | keys) +
				["$schema", "$id", "$ref", "$defs", "title", "description", "type", "const", "enum", "minimum", "pattern", "oneOf",
				"required", "properties", "additionalProperties", "items", "format"] | unique[]' "$TOP/docs/$schema.schema.json"))"
	done
	assertEquals "report: has no command" "$(jq -nr --slurpfile schema "$TOP/docs/report.schema.json" \
		"{rdmactl: \"1\", report: 1, rdma: true, ports: []} | $checker")"
}

# valid COMMAND...: its JSON has the schema's shape, and its own figures agree
valid() {
	run rdmactl "$@" -o json
	local json_status=$status
	assertEquals "shape of: $*" "" "$(printf '%s\n' "$out" | jq -r --slurpfile schema "$TOP/docs/report.schema.json" "$checker" 2>&1)"
	[[ "$1 ${2:-}" != 'show ports' && "$1 ${2:-}" != 'show neighbor' && $1 != history ]] || return 0
	assertEquals "exit_code of: $*" "$json_status" "$(json .exit_code)"
	assertEquals "counts of: $*" "$(json '.counts | del(.[] | select(. == 0)) | to_entries | sort_by(.key)[] | "\(.key) \(.value)"')" \
		"$(json '[.items[] | select(.follows | not)] | group_by(.status) | map("\(.[0].status) \(length)") | sort[]')"
	assertEquals "changed of: $*" "$(json '.changed')" "$(json '.writes > 0 and .exit_code != 3')"
}

# agrees COMMAND...: reads only; the table tells the same
agrees() {
	valid "$@"
	local json_status=$status counts
	counts=$(json '.counts | del(.[] | select(. == 0)) | to_entries | sort_by(.key)[] | "\(.value) \(.key)"')
	local shown
	shown=$(json '[.items[] | select((.follows | not) and .status != "in-sync" and .status != "unsupported")] | length')
	assertStatus "$json_status" rdmactl "$@"
	assertEquals "last line of: $*" "$counts" \
		"$(tail -n 1 <<<"$out" | sed 's/ ([^)]*)//; s/;.*//; s/, /\n/g' | sort -k 2)"
	[ "$1" = show ] || assertEquals "rows of: $*" "$shown" "$(sed -n '/^TARGET/,/^$/p' <<<"$out" | count_rows)"
}

# Rows of a table; those of a port that others are like count for each of them.
count_rows() {
	awk '/^[^ ]/ { n = 0 }
	/ (drift|unknown|pending)( \([a-z -]+\))?(: [a-z-]+)?$/ { n++; rows++ }
	/^    also:/ { sub(/;.*/, ""); rows += n * (split($0, names, ", ")) }
	END { print rows + 0 }'
}

test_reports() {
	demo_policy
	agrees drift -p "$policy"
	agrees plan -p "$policy"
	agrees show
	agrees show qos --port nic1
	valid show ports
	valid show neighbor
	valid apply --allow none -p "$policy"
	valid apply -p "$policy"
	assertEquals 0 "$status"
	agrees drift -p "$policy"
	valid apply -p "$policy"
	machine_set_mtu nic0 1500
	machine_fault nic1 getets err 5
	agrees drift -p "$policy"
	machine_fault nic1 getets none
	machine_fault nic0 mtu err 22
	valid apply -p "$policy"
	assertEquals 3 "$status"
	assertEquals "error with what was tried" 'error 22 true' \
		"$(json '.messages[] | select(.severity == "error") | "\(.severity) \(.errno) \(has("what"))"' | head -n 1)"
	machine_fault nic0 mtu none
	sed -i 's/count: 2 /count: 3 /' "$policy"
	agrees drift -p "$policy"
}

test_a_run_that_does_not_get_as_far_as_a_report() {
	demo_policy
	sed -i 's/mtu: fabric/mtu: jumbo/' "$policy"
	valid drift -p "$policy"
	assertEquals '65 failed' "$status $(json .result)"
	assertContains "$(json '.messages[].what')" 'mtu'
	valid plan -p "$policy" --node nobody
	assertEquals 65 "$status"
}

test_pending_and_warnings() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	machine_quirk nic0 fw 22.9.1000 22.41.1000
	agrees drift -p "$policy"
	assertEquals 1 "$status"
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals 'pending 1' "$(json '"\(.result) \(.counts.pending)"')"
	valid drift --ignore-pending -p "$policy"
	assertEquals 0 "$status"
	sed -i 's/    mtu: 9000/    mtu: 4096/; s/  mtu: 9000/  mtu: 4096/' "$policy"
	valid drift -p "$policy"
	assertEquals warning "$(json '.messages[] | select(.rule) | .severity' | sort -u | grep warning)"
}

# findings OPTION...: lint's JSON has the shape of its own schema
findings() {
	run rdmactl lint -o json "$@"
	assertEquals "shape of: lint $*" "" "$(printf '%s\n' "$out" | jq -r --slurpfile schema "$TOP/docs/findings.schema.json" "$checker" 2>&1)"
}

# output FORM COMMAND...: what is no report has the shape that docs/outputs.schema.json gives to FORM
output() {
	local form=$1
	shift
	run rdmactl "$@" -o json
	assertEquals "shape of: $*" "" "$(printf '%s\n' "$out" | jq -r --slurpfile schema "$TOP/docs/outputs.schema.json" \
		"$definitions"'. as $v | $schema[0] as $root | $v | errors($root["$defs"].'"$form"'; $root; "output")' 2>&1)"
	assertTrue "something of: $*" "[ $(jq 'length' <<<"$out") -gt 0 ]"
}

test_outputs() {
	local command
	demo_policy
	output render_boot render boot -p "$policy"
	assertEquals '/etc/modules-load.d/rdmactl.conf /etc/sysctl.d/zz-rdmactl.conf' "$(json '[.files[].path] | sort | join(" ")')"
	output version version
	output headroom headroom --asic Spectrum-4 --speed 400Gb/s --cable 30m
	output headroom headroom --asic mlx5 --speed 100Gb/s --cable 30m
	output explain_keys explain
	output explain_keys explain mtu qos.ets match cohorts.hash lossless-shares-tc
	output explain_origins explain mtu -p "$policy" --node "$(machine_node)"
	for command in 'mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0' 'sysctl -w net.core.rmem_max=1' 'modprobe -r mlx5_core' 'ethtool -A eth0 rx off' \
		'dcb pfc set dev eth0 prio-pfc all:off 3:on'; do
		output explain_commands explain "$command"
	done
}

test_findings() {
	local file
	demo_policy
	findings "$policy"
	findings --rules
	for file in "$TOP"/tests/cases/lint/*/fires.yaml "$TOP"/tests/cases/*/policy.yaml; do
		findings "$file"
	done
}

test_lint_and_version_and_explain() {
	demo_policy
	assertStatus 0 rdmactl lint -o json "$policy"
	assertEquals "0 0 0 lint" "$(json '"\(.errors) \(.exit_code) \([.findings[] | select(.severity == "error")] | length) \(.command)"')"
	sed -i 's/mtu: 9000/mtu: many/' "$policy"
	assertStatus 65 rdmactl lint -o json "$policy"
	assertEquals "1 65 1" "$(json '"\(.errors) \(.exit_code) \([.findings[] | select(.severity == "error")] | length)"')"
	assertEquals "$policy 7 8" "$(json '.findings[] | select(.severity == "error") | "\(.file) \(.line) \(.column)"')"
	assertStatus 0 rdmactl version -o json
	assertEquals "rdmactl $(json .rdmactl)" "$(rdmactl version)"
	assertStatus 0 rdmactl explain -o json qos.pfc mtu
	assertEquals 'qos.pfc mtu fabrics.mtu' "$(json '[.[] | .key // "\(.place).\(.language)"] | join(" ")')"
}

# A run, undone, kept and listed.
test_runs_of_the_past() {
	demo_policy
	valid history
	valid apply --allow traffic --confirm 600 -p "$policy"
	valid drift -p "$policy"
	valid history
	valid confirm
	valid rollback --allow traffic
	valid rollback
	valid recover
	valid history
	assertEquals "confirmed done" "$(json '[.runs[].result] | join(" ")')"
}

. shunit2
