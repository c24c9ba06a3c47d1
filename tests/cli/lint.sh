#!/bin/bash
# lint: comments that allow a finding, the rules, and the forms for programs: JSON by its schema, and SARIF as the standard
# wants it, so that a merge request shows the finding at its line.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# The second group's name takes two UTF-16 units for one character; its mtu is in column 62 of characters.
two_faults() {
	policy "${1-policy.yaml}" <<-'END'
		version: 1
		nodes:
		  gpu01:
		    set:
		      ports:
		        # rdmactl: allow roce-mtu-below-step because the peers are old
		        a: {match: {ifname: "a*"     }, mtu: 4096}
		        "𝒳": {match: {driver: mlx5_core, ifname: "b*"}, mtu: 4096}
	END
}

test_allow_is_told() {
	two_faults
	assertStatus 0 rdmactl lint "$policy"
	assertOut '0 errors, 1 warning, 1 note (1 allowed)'
	assertErr ":7:46: note: a: netdev MTU 4096 yields RoCE MTU 2048; set 4200 [roce-mtu-below-step]"
	assertErr 'allowed: the peers are old'
	assertErr ':8:62: warning: 𝒳: netdev MTU 4096'
	assertStatus 1 rdmactl lint --strict "$policy"
	sed -i '6d; 7,$s/$/   # rdmactl: allow roce-mtu-below-step because it is a test/' "$policy"
	assertStatus 0 rdmactl lint --strict "$policy"
	assertOut '0 errors, 0 warnings, 2 notes (2 allowed)'
}

# An error of a rule can be allowed, from any command; one of the language cannot.
test_what_can_be_allowed() {
	demo_policy
	sed -i 's/^\( *pause:\).*/\1 {rx: true, tx: false}/' "$policy"
	assertStatus 65 rdmactl drift -p "$policy"
	assertErr '[pause-with-pfc]'
	sed -i 's/^\( *pause:.*\)/\1   # rdmactl: allow pause-with-pfc because of the lab/' "$policy"
	assertStatus 0 rdmactl lint "$policy"
	run rdmactl drift -p "$policy"
	assertNotEquals 65 "$status"
	sed -i 's/^\( *mtu:\).*/\1 many   # rdmactl: allow policy-language because I want it/' "$policy"
	assertStatus 65 rdmactl lint "$policy"
}

test_comments_that_allow_nothing() {
	two_faults
	sed -i '6s/because.*//; 8s/$/  # rdmactl: allow roce-mtu because of them/; 1s/$/   # rdmactl: allow pause-with-pfc because why/' "$policy"
	run rdmactl lint "$policy"
	assertErr ':1:14: warning: pause-with-pfc finds nothing in line 1 [allow-unused]'
	assertErr ':6:9: warning: this comment allows nothing: it lacks `allow`, a rule, or `because` with a reason [allow-not-understood]'
	assertErr 'warning: there is no rule "roce-mtu" [allow-unknown-rule]'
	# with an error in the policy, or of one node, nobody can say that an allow is not used
	sed -i 's/^nodes:/nodez:/' "$policy"
	run rdmactl lint "$policy"
	assertErr allow-not-understood
	assertNotContains "of a policy with an error" "$err" allow-unused
	sed -i 's/^nodez:/nodes:/' "$policy"
	run rdmactl lint --node gpu01 "$policy"
	assertNotContains "of one node" "$err" allow-unused
}

# A # inside quotes or a word begins no comment.
test_where_comments_begin() {
	policy <<-'END'
		version: 1
		revision: "x # rdmactl: allow allow-unused because"
		cluster: a#rdmactl:allow
		nodes: {n1: {set: {node: {sysctl: {kernel.x: 'it''s # rdmactl: what'}}}}}
	END
	assertStatus 0 rdmactl lint --strict "$policy"
	assertOut '0 errors, 0 warnings, 0 notes'
}

# allowed LINE-OF-POLICY...: does a comment among them let pass what line 7 finds
allowed() {
	policy < <(printf '%s\n' 'version: 1' "$@" 'nodes: {n1: {set: {node: {max_backlog: 5}}}}')
	run rdmactl lint "$policy"
	case $out in
	*'(1 allowed)') echo yes ;;
	*' 1 warning, '* | *' 2 warnings, '*) echo no ;;
	*) echo "$out $err" ;;
	esac
}

# Of a text that goes over several lines no line is a comment, whatever it looks like; behind it they are again.
test_text_of_several_lines_holds_no_comment() {
	local c='# rdmactl: allow backlog-not-sane because nobody reads this as a comment'
	assertEquals "alone above its line" yes "$(allowed "$c")"
	assertEquals "a block" no "$(allowed 'revision: |' '  text' "  $c")"
	assertEquals "a folded block with indicators" no "$(allowed 'revision: >2-   # a block' '     text' "  $c")"
	assertEquals "a block that begins with it" no "$(allowed 'revision: |' "  $c")"
	assertEquals "a block, a blank line in it" no "$(allowed 'revision: &x |' '  text' '' "  $c")"
	assertEquals "behind a block" yes "$(allowed 'revision: |' '   text' "  $c")"
	assertEquals "behind a block, at the left" yes "$(allowed 'revision: |' '  text' "$c")"
	assertEquals "a block of an item" no "$(allowed 'profiles:' '  p:' '    ports:' '      g:' '        match: {driver: mlx5_core}' \
		'        mtu: 9000' '        except:' '          - nodes: n1' '            set: {mtu: 4200}' '            because: |' "              $c")"
	assertEquals "double quotes" no "$(allowed 'revision: "text' '' "  $c\"")"
	assertEquals "single quotes" no "$(allowed "revision: 'it''s" '' "  $c'")"
	assertEquals "behind quotes" yes "$(allowed 'revision: "text' '  text"' "$c")"
	assertEquals "a quote in a plain text" yes "$(allowed 'revision: the 7" disk, "new' "$c")"
	assertEquals "a bracket in a plain text" yes "$(allowed 'revision: a [ and a, "b' "$c")"
	assertEquals "no block" yes "$(allowed 'revision: a |' "$c")"
	assertEquals "in brackets" yes "$(allowed 'profiles: {' ' "p": {node: {sysctl: {kernel.x: "a # b", "kernel.y": '"'|'"'}}},' '}' "$c")"
}

test_not_checked() {
	two_faults
	assertStatus 0 rdmactl lint -v "$policy"
	assertOut 'not checked: pause-with-pfc: needs qos.pfc and pause'
	assertOut 'rules not checked'
	assertNotOut 'not checked: roce-mtu-below-step'
	run rdmactl lint "$policy"
	assertNotOut 'not checked'
}

test_json() {
	two_faults
	assertStatus 0 rdmactl lint -o json "$policy"
	assertEquals '0 1 1 0' "$(json '"\(.errors) \(.warnings) \(.notes) \(.exit_code)"')"
	assertEquals "roce-mtu-below-step warning $policy 7 46 true the peers are old" \
		"$(json '.findings[0] | "\(.rule) \(.severity) \(.file) \(.line) \(.column) \(.suppressed) \(.because)"')"
	assertEquals "roce-mtu-below-step warning 8 62 false" \
		"$(json '.findings[1] | "\(.rule) \(.severity) \(.line) \(.column) \(.suppressed)"')"
	assertContains "a rule whose inputs are absent" "$(json '.not_checked[] | "\(.rule): \(.needs)"')" \
		'pause-with-pfc: qos.pfc and pause'
	assertEquals "no rule is both" "" "$(json '[.findings[].rule] - ([.findings[].rule] - [.not_checked[].rule]) | .[]')"
}

test_rules() {
	assertStatus 0 rdmactl lint --rules
	assertOut 'data-dscp-not-lossless'
	assertNotOut 'needs:'
	local listed
	listed=$(printf '%s\n' "$out" | grep -c '^[a-z]')
	assertStatus 0 rdmactl lint --rules -v
	assertOut 'source: '
	assertStatus 0 rdmactl lint --rules -o json
	assertEquals "$listed" "$(json '.rules | length')"
	assertEquals "$listed" "$(find "$TOP/tests/cases/lint" -name fires.yaml | wc -l)"
	assertEquals "" "$(json '.rules[] | select((.reason | length) < 20 or (.source | length) < 8 or (.needs | length) < 3) | .rule')"
	refused 64 'this command takes no --rules' rdmactl drift --rules
}

# What SARIF 2.1.0 demands of a log and its parts (sections 3.13, 3.14, 3.18, 3.19, 3.27 to 3.30, 3.35, 3.49).
# shellcheck disable=SC2016	# jq's
sarif='
def bad($what): "\($what)";
(if ."$schema" | test("sarif-schema-2.1.0.json$") | not then bad("schema") else empty end),
(if .version != "2.1.0" then bad("version") else empty end),
(if (.runs | length) != 1 then bad("runs") else empty end),
(.runs[0] as $run | $run.tool.driver as $driver
	| (if ($driver.name | type) != "string" then bad("driver.name") else empty end),
	(if $run.columnKind != "utf16CodeUnits" then bad("columnKind") else empty end),
	(if ($run.invocations[0].executionSuccessful | type) != "boolean" then bad("executionSuccessful") else empty end),
	(if ([$driver.rules[].id] | unique | length) != ($driver.rules | length) then bad("ids of rules") else empty end),
	($driver.rules[] | select((.shortDescription.text and .fullDescription.text and .help.text
		and ([.defaultConfiguration.level] | inside(["note", "warning", "error"]))) | not) | bad("rule \(.id)")),
	($run.results[] | . as $r
		| (if $driver.rules[.ruleIndex].id != .ruleId then bad("ruleIndex of \(.ruleId)") else empty end),
		(if [.level] | inside(["note", "warning", "error"]) | not then bad("level") else empty end),
		(if (.message.text | length) == 0 then bad("message") else empty end),
		(if (.suppressions | type) != "array" then bad("suppressions") else empty end),
		(.suppressions[] | select(.kind != "inSource" or (.justification | length) == 0) | bad("suppression")),
		((.locations + (.relatedLocations // []))[].physicalLocation
			| (if .artifactLocation.uri | test("^[A-Za-z0-9._~/%-]+$|^file:///") | not then bad("uri \(.artifactLocation.uri)") else empty end),
			(if .artifactLocation.uri | startswith("/") then bad("absolute without a scheme") else empty end),
			(.region // empty | select((.startLine < 1) or (.startColumn and .startColumn < 1)
				or (.endColumn and .endColumn <= .startColumn)) | bad("region \(.)")))))
'

test_sarif() {
	mkdir "$T/check out"
	two_faults "check out/pol#icy.yaml"
	cd "$T" || exit 1
	assertStatus 0 rdmactl lint -o sarif "check out/pol#icy.yaml"
	assertEquals "" "$(json "$sarif")"
	assertEquals 'check%20out/pol%23icy.yaml %SRCROOT%' \
		"$(json '.runs[0].results[0].locations[0].physicalLocation.artifactLocation | "\(.uri) \(.uriBaseId)"')"
	assertEquals 'warning inSource the peers are old 7 46 50' \
		"$(json '.runs[0].results[0] | "\(.level) \(.suppressions[0].kind) \(.suppressions[0].justification) " +
			(.locations[0].physicalLocation.region | "\(.startLine) \(.startColumn) \(.endColumn)")')"
	assertEquals 'warning 0 8 63 67' \
		"$(json '.runs[0].results[1] | "\(.level) \(.suppressions | length) " +
			(.locations[0].physicalLocation.region | "\(.startLine) \(.startColumn) \(.endColumn)")')"
	# a path below the folder is relative to it, another one is a file URI
	assertStatus 0 rdmactl lint -o sarif "$T/check out/pol#icy.yaml"
	assertEquals 'check%20out/pol%23icy.yaml' "$(json '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri')"
	cd / || exit 1
	assertStatus 0 rdmactl lint -o sarif "$T/check out/pol#icy.yaml"
	cd "$TOP" || exit 1
	assertStatus 0 rdmactl lint -o sarif "$T/check out/pol#icy.yaml"
	assertEquals "file://$T/check%20out/pol%23icy.yaml" \
		"$(json '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri')"
}

# Every rule's fixture, and errors of the language, make a log that the standard takes.
test_sarif_of_everything() {
	local file
	for file in "$TOP"/tests/cases/lint/*/fires.yaml "$TOP"/tests/cases/yaml-*/*.yaml "$TOP"/policies/*.yaml; do
		run rdmactl lint -o sarif "$file"
		assertEquals "$file" "" "$(json "$sarif" 2>&1)"
	done
	run rdmactl lint -o sarif "$TOP/tests/cases/yaml-duplicate-key/policy.yaml"
	assertEquals 'policy-language 0' "$(json '.runs[0].results[0] | "\(.ruleId) \(.ruleIndex)"')"
	run rdmactl lint -o sarif "$T/none.yaml"
	assertEquals "a file that is not there" "65" "$(json '.runs[0].invocations[0].exitCode')"
	refused 64 '-o sarif is for lint alone' rdmactl drift -o sarif
}

# found TEXT FINDING...: lint finds just these in a policy of TEXT (position, severity and begin of the text), notes apart
found() {
	local want have
	policy <<<"version: 1
$1"
	shift
	run rdmactl lint "$policy"
	want=$(printf '%s\n' "$@")
	have=$(grep -E ':[0-9]+: (error|warning): ' <<<"$err" | sed "s|^$policy:||" | sort -n)
	assertEquals "$want" "$(cut -c1-"$(wc -L <<<"${want:-${have:-x}}")" <<<"$have" | sed 's/ *$//')" || show_run rdmactl lint
}

# Names that are written nowhere: two globs, a glob and a list of cohorts, a glob and a list of entries.
test_globs_that_meet() {
	found 'nodes:
  "gpu*": {set: {node: {max_backlog: 5000}}}
  "*1": {set: {node: {max_backlog: 6000}}}' \
		'4:36: error: two entries of one rank match this node and set max_backlog differently (lines 3 and 4)'
	found 'nodes:
  "gpu*": {set: {node: {max_backlog: 5000}}}
cohorts:
  a: {nodes: "gpu[1-4]", set: {node: {max_backlog: 6000}}}
  b: {nodes: "g*3", set: {node: {max_backlog: 7000}}}' \
		'6:47: error: two entries of one rank match this node and set max_backlog differently (lines 5 and 6)'
	found 'nodes:
  "*77": {set: {ports: {c: {match: {driver: mlx5_core}, pause: {rx: true}}}}}
  gpu[0001-1024]: {set: {ports: {c: {match: {driver: mlx5_core}, qos: {pfc: [3]}}}}}' \
		'3:69: error: c: pause.rx is on, and PFC for {3}:'
	found 'nodes:
  "gpu*": {set: {node: {max_backlog: 5000}}}
  "stor*": {set: {node: {max_backlog: 6000}}}
  "*-[1": {}' '5:3: error: the node name "*-[1" is a glob'
}

# What never takes effect looks as if it did; also where globs are in play.
test_what_never_applies() {
	local c='match: {driver: mlx5_core}, mtu: 9000'
	found 'nodes: {"gpu*": {set: {node: {max_backlog: 5000}}}}
cohorts: {a: {nodes: "gpx*", set: {node: {max_backlog: 6000}}}, b: {nodes: "*7", set: {node: {max_backlog: 6000}}}}' \
		'3:11: warning: cohort a: none of its nodes is in nodes, so it never takes effect'
	found "nodes: {g: {set: {ports: {c: {$c, except: [{match: {driver: ice}, set: {mtu: 4200}, because: x}]}}}}}" \
		'2:96: warning: exception of group c: the group itself has another match.driver, so it never applies'
	found "nodes: {g: {set: {ports: {c: {$c, except: [{nodes: \"h*\", set: {mtu: 4200}, because: x}]}}}}}" \
		'2:80: warning: exception of group c: none of its nodes is in nodes, so it never applies'
	found 'nodes:
  a: {labels: {row: a, col: x}, set: {node: {max_backlog: 5000}}}
  b: {labels: {row: b, col: y}, set: {node: {max_backlog: 5000}}}
cohorts: {c: {labels: {row: a, col: y}, set: {node: {max_backlog: 6000}}}}' \
		'5:11: warning: cohort c: no node has all of its labels, so it never takes effect'
}

# An exception means just what it says: null is no criterion, and a number needs ports that have one.
test_exceptions_that_would_take_all_ports() {
	local c='match: {driver: mlx5_core}, mtu: 9000'
	found "nodes: {g: {set: {ports: {c: {$c, except: [{match: {pci: null}, set: {mtu: 4200}, because: x}]}}}}}" \
		'2:93: error: except: match.pci is null, which says of no port that it is meant'
	found "nodes: {g: {set: {ports: {c: {$c, except: [{match: {rail: 1}, set: {mtu: 4200}, because: x}]}}}}}" \
		'2:94: error: except: match.rail: group c does not number its ports'
}

test_exceptions_that_disagree() {
	local c='match: {driver: mlx5_core}, rails: {by: pci}, count: 8, mtu: 9000' both='two exceptions match one port and set mtu of group c differently'
	found "nodes: {g: {set: {ports: {c: {$c, except: [
  {nodes: g, set: {mtu: 4200}, because: x},
  {match: {rail: 1}, set: {mtu: 1500}, because: y}]}}}}}" "4:33: error: $both (lines 3 and 4)"
	found "nodes: {g: {set: {ports: {c: {$c, except: [
  {match: {rail: 0}, set: {mtu: 4200}, because: x},
  {match: {rail: 1}, set: {mtu: 1500}, because: y}]}}}}}" ''
	found "nodes: {\"g[1-9]\": {set: {ports: {c: {$c, except: [
  {nodes: \"g[1-4]\", set: {mtu: 4200}, because: x},
  {nodes: \"g[4-9]\", set: {mtu: 1500}, because: y}]}}}}}" "4:32: error: $both (lines 3 and 4)"
}

. shunit2
