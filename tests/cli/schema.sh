#!/bin/bash
# `rdmactl schema`: what it refuses is refused by the parser, it takes what the parser takes, and the two know the same keys.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, status: lib.sh's
. "$(dirname "$0")/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	export RDMACTL_SIM=$T/none
	rdmactl schema >"$T/schema.json"
}

python() {
	timeout 120 python3 "$TOP/tests/cli/schema.py" "$@"
}

# Policies that lint does not refuse, the examples of the documentation among them.
test_takes_what_lint_takes() {
	local f good=()
	awk -v dir="$T" '/^```yaml$/ { file = dir "/" ++n ".yaml"; next } /^```$/ { file = ""; next } file { print >file }' \
		"$TOP/docs/policy.md"
	for f in "$T"/*.yaml; do grep -q '^version:' "$f" || sed -i '1i version: 1' "$f"; done
	for f in "$TOP"/policies/*.yaml "$TOP"/tests/cases/lint/*/*.yaml "$TOP"/tests/cases/*/policy.yaml; do
		run rdmactl lint "$f"
		[ "$status" = 65 ] || good+=("$f")
	done
	run python check "$T/schema.json" "${good[@]}" "$T"/*.yaml
	assertEquals "exit status" 0 "$status"
	assertEquals "refused" "" "$(grep -v '^ok ' <<<"$out")"
	assertTrue "enough policies" "[ $(wc -l <<<"$out") -ge 20 ]"
}

# Every key that the schema has is one that the parser knows.
test_has_no_key_of_its_own() {
	run python keys "$T/schema.json"
	assertEquals "exit status" 0 "$status"
	printf '%s\n' "$out" >"$T/keys.yaml"
	assertTrue "it has keys" "[ $(jq '[paths] | length' "$T/keys.yaml") -ge 300 ]"
	run rdmactl lint "$T/keys.yaml"
	assertErr 'it has no priority'	# it was judged
	assertNotContains "the parser lacks a key of the schema" "$err" 'unknown key'
	assertNotContains "the parser lacks a key of the schema" "$err" 'not supported'
}

# A body for the one profile of a policy, or with "top:" a whole one: lint refuses it, and so does the schema.
bad() {
	local n
	n=$(find "$T" -name 'bad*.yaml' | wc -l)
	case $1 in
	top:*) printf 'version: 1\n%s\n' "${1#top:}" ;;
	*) printf 'version: 1\nprofiles:\n  p: {%s}\nnodes:\n  n1: {profiles: [p]}\n' "$1" ;;
	esac >"$T/bad$n.yaml"
	assertStatus 65 rdmactl lint "$T/bad$n.yaml"
}

test_refuses() {
	bad 'nodes: {}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtuu: 9000}}'
	bad 'ports: {g: {match: {drivr: mlx5_core}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtu: 67}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtu: 70000}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtu: 9000.5}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtu: 90m}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, mtu: [9000]}}'
	bad 'ports: {g: {match: {driver: mlx5_core, link: token-ring}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, link: {speed: 400Gbps}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {pfc: 3}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {pfc: [8]}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {pfc: [3, 3]}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {trust: maybe}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {dscp: {26: 8}}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {dscp: {a: 3}}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, qos: {ets: {0: 101%}, tc: {9-: 1}}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, pause: {rx: maybe}}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, except: [{match: {rail: 0}, set: {mtu: 9000}}]}}'
	bad 'ports: {g: {match: {driver: mlx5_core}, except: [{nodes: n1, set: {count: 2}, because: x}]}}'
	bad 'node: {max_backlog: 0}'
	bad 'node: {max_backlog: many}'
	bad 'node: {sysctl: {a b: 1}}'
	bad 'top:nodes: {n1: {set: {nodes: {}}}}'
	bad 'top:nodes: {}'
	bad 'top:nodes: {"@gpu": {set: {node: {max_backlog: 1}}}}'
	bad 'top:nodes: {n1: {profile: [p]}}'
	bad 'top:profiles: [p]'
	bad $'top:nodes: {n1: {set: {node: {max_backlog: 1}}}}\ncohorts: {c: {nodes: n1}}'
	bad $'top:nodes: {n1: {set: {node: {max_backlog: 1}}}}\ncohorts: {c: {hash: 1, set: {node: {max_backlog: 2}}}}'
	bad $'top:nodes: {n1: {set: {node: {max_backlog: 1}}}}\nfabric: {mtu: 9000, clases: {}}'
	bad $'top:nodes: {n1: {set: {node: {max_backlog: 1}}}}\nfabric: {classes: {a: {priority: 8}}}'
	bad $'top:nodes: {n1: {set: {node: {max_backlog: 1}}}}\nfabric: {tiers: {leaf: {nos: sonix, links: {all: {speed: 1Gb/s}}}}}'
	printf 'version: 2\nnodes: {n1: {set: {node: {max_backlog: 1}}}}\n' >"$T/bad-version.yaml"
	printf 'nodes: {n1: {set: {node: {max_backlog: 1}}}}\n' >"$T/bad-none.yaml"
	printf -- '- version: 1\n' >"$T/bad-list.yaml"
	run python check "$T/schema.json" "$T"/bad*.yaml
	assertEquals "exit status" 0 "$status"
	assertEquals "taken" "" "$(grep -v '^bad ' <<<"$out")"
	assertEquals "judged" "$(find "$T" -name 'bad*.yaml' | wc -l)" "$(wc -l <<<"$out")"
}

# What a line of fragments.txt stands for, as a policy that is right but for it.
fragment() { # TEXT
	local part=ports text=$1 node='max_backlog: 8192' class='priority: 3, dscp: [26]' tier='links: {all: {speed: 400Gb/s}}' top='' except=''
	case $text in node:* | class:* | tier:* | except:* | top:*) part=${text%%:*} text=${text#*: } ;; esac
	case $part in
	node) node=$text text='mtu: 9000' ;;
	class) class=$text text='mtu: 9000' ;;
	tier) tier=$text text='mtu: 9000' ;;
	except) except=", rails: {by: pci}, except: [{$text}]" text='mtu: 4200' ;;
	top) top=$text text='mtu: 9000' ;;
	esac
	printf 'version: 1\n%s\nfabric: {classes: {rdma: {%s}, default: {priority: 0}}, tiers: {leaf: {%s}}}\n' "$top" "$class" "$tier"
	printf 'nodes:\n  n1:\n    set:\n      node: {%s}\n      ports: {g: {match: {driver: mlx5_core}, %s%s}}\n' "$node" "$text" "$except"
}

# Rules of lint are no part of a schema: what counts is whether the language takes it.
test_judges_fragments_as_the_program_does() {
	local verdict text n=0 expected='' program=''
	while IFS=$'\t' read -r verdict text; do
		case $verdict in '#'* | '') continue ;; esac
		n=$((n + 1))
		fragment "$text" >"$T/f$(printf %03d $n).yaml"
		expected+="$verdict $text"$'\n'
		rdmactl lint -o json "$T/f$(printf %03d $n).yaml" >"$T/lint.json" 2>/dev/null
		program+="$(jq -r 'if any(.findings[]; .severity == "error" and (has("rule") | not)) then "bad" else "ok" end' "$T/lint.json") $text"$'\n'
	done <"$TOP/tests/cli/fragments.txt"
	run python check "$T/schema.json" "$T"/f*.yaml
	assertEquals "exit status" 0 "$status"
	assertEquals "the program" "$expected" "$program"
	assertEquals "the schema" "$(cut -d' ' -f1 <<<"${expected%$'\n'}")" "$(cut -d' ' -f1 <<<"$out")"
	assertTrue "enough of them" "[ $n -ge 60 ]"
}

. shunit2
