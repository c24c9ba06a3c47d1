#!/bin/bash
# explain KEY --node: the value of one node, the line it came from, and what that line beat; without a machine.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, err, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	export RDMACTL_SIM=$T/none
	mkdir "$T/p"
	cat >"$T/p/10-profiles.yaml" <<-'END'
		version: 1
		profiles:
		  base: {node: {max_backlog: 1024}}
		  gpu:
		    extends: [base]
		    node: {max_backlog: 4096}
		    ports: {compute: {match: {driver: mlx5_core}, mtu: fabric, firmware: {version: 28.39.1002}}}
		fabric: {mtu: 9000}
	END
	cat >"$T/p/20-nodes.yaml" <<-'END'
		version: 1
		nodes:
		  gpu[0001-1024]: {profiles: [gpu]}
		  gpu0007: {set: {node: {max_backlog: 8192}}}
		cohorts:
		  canary: {nodes: "gpu[0001-0010]", set: {ports: {compute: {firmware: {version: 28.45.1000}}}}}
	END
}

test_text() {
	assertStatus 0 rdmactl explain max_backlog -p "$T/p" --node gpu0007
	assertEquals "max_backlog on gpu0007
  value     8192
  from      $T/p/20-nodes.yaml:4:39: 8192, set of nodes gpu0007
  beats     $T/p/10-profiles.yaml:6:25: 4096, profile gpu, of nodes gpu[0001-1024]
            an exact name beats a list or a glob
  beats     $T/p/10-profiles.yaml:3:30: 1024, profile base, of nodes gpu[0001-1024]
            an exact name beats a list or a glob" "$out"
	assertStatus 0 rdmactl explain firmware -p "$T/p" --node gpu0007 --port compute
	assertOut 'value     28.45.1000; in sync as well: 28.39.1002'
	assertOut 'cohort canary'
}

test_json() {
	assertStatus 0 rdmactl explain mtu -o json -p "$T/p" --node gpu0100
	assertEquals '9000 10-profiles.yaml 7 fabric counts' \
		"$(jq -r '.[0] | "\(.value) \(.said[0].file | split("/") | last) \(.said[0].line) \(.said[0].value) \(.said[0].is)"' <<<"$out")"
}

# What null takes back was said all the same.
test_taken_back() {
	cat >"$T/back.yaml" <<-'END'
		version: 1
		profiles:
		  base: {node: {max_backlog: 1024, sysctl: {vm.swappiness: 1, vm.dirty_ratio: 5}}}
		nodes:
		  gpu[1-9]: {profiles: [base]}
		  gpu1: {set: {node: {sysctl: ~}}}
		  gpu2: {set: {node: {sysctl: {vm.swappiness: ~}}}}
	END
	assertStatus 0 rdmactl explain sysctl -p "$T/back.yaml" --node gpu1
	assertEquals "sysctl.vm.swappiness on gpu1
  value     unmanaged
  from      $T/back.yaml:6:31: null, set of nodes gpu1
  beats     $T/back.yaml:3:60: 1, profile base, of nodes gpu[1-9]
            an exact name beats a list or a glob
sysctl.vm.dirty_ratio on gpu1
  value     unmanaged
  from      $T/back.yaml:6:31: null, set of nodes gpu1
  beats     $T/back.yaml:3:79: 5, profile base, of nodes gpu[1-9]
            an exact name beats a list or a glob" "$out"
	assertStatus 0 rdmactl explain sysctl.vm.swappiness -p "$T/back.yaml" --node gpu2
	assertOut 'value     unmanaged'
	assertStatus 64 rdmactl explain sysctl.vm.swappines -p "$T/back.yaml" --node gpu2
}

# Names are the policy's and the file system's, and go to a terminal.
test_names_are_made_safe() {
	cat >"$T/"$'odd\e[31m.yaml' <<-'END'
		version: 1
		nodes: {gpu1: {set: {ports: {"g\u202e\u009b31m": {match: {driver: mlx5_core}, mtu: 9000}}}}}
	END
	assertStatus 0 rdmactl explain mtu -p "$T/"$'odd\e[31m.yaml' --node gpu1
	assertOut 'mtu of group g\xe2\x80\xae\xc2\x9b31m on gpu1'
	assertOut 'odd\x1b[31m.yaml:2:'
	assertEquals '' "$(tr -d '\n' <<<"$out" | tr -d ' -~')"
}

test_refusals() {
	assertStatus 64 rdmactl explain qos.pfc -p "$T/p" --node gpu0007
	assertErr 'the policy says nothing of qos.pfc for node gpu0007'
	assertStatus 64 rdmactl explain mtu -p "$T/p" --node gpu0007 --port storage
	assertErr 'in group storage'
	assertStatus 65 rdmactl explain mtu -p "$T/p" --node stor1
	assertErr 'no entry of nodes matches "stor1"'
	assertStatus 65 rdmactl explain mtu -p "$T/none.yaml" --node gpu0007
	assertStatus 64 rdmactl explain mtu -p "$T/p"
	assertErr 'need --node'
}

. shunit2
