#!/bin/bash
# Twenty units at once, as at the boot of a node with twenty ports: each run waits for the lock of the node and writes its own
# port only, and started again none writes anything. Times are printed and not judged.
# On the simulator alone: no guest has as many ports.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'no guest has twenty ports'; }
	suite() { suite_addTest elsewhere; }
fi

PORTS=20

setUp() {
	local i
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset $PORTS
	for ((i = 0; i < PORTS; i++)); do sim set addr nic$i 192.0.2.$((i + 1)); done
	policy <<-EOT
		version: 1
		fabric: {mtu: 9000, classes: {rdma: {priority: 3, dscp: [26], lossless: true}, default: {priority: 0}}}
		nodes:
		  "$(machine_node)":
		    set:
		      node: {max_backlog: 8192}
		      ports:
		        all: {match: {driver: mlx5_core}, count: $PORTS, mtu: fabric, roce: {tos: rdma}, qos: {pfc: [3]}}
	EOT
	bdfs=()
	while read -r i; do bdfs+=("$i"); done < <(rdmactl show ports -o json | jq -r '.ports[].pci')
}

# unit NAME OPTION...: what its service runs, and again where the lock was not to be had in time, as systemd starts it again
unit() {
	local name=$1 status
	shift
	while
		RDMACTL_UNIT=$name.service rdmactl apply --wait 60 -p "$policy" -o json "$@" >"$T/unit.$name" 2>"$T/err.$name"
		status=$?
		[ $status = 75 ]
	do echo "$name" >>"$T/restarts"; done
	echo "$status $name" >>"$T/status"
}

# All at once.
start_all() { # WORD
	local began=$EPOCHREALTIME bdf module
	rm -f "$T/status" "$T/restarts"
	touch "$T/restarts"
	for bdf in "${bdfs[@]}"; do unit "rdmactl@$bdf" --port "$bdf" --allow reload/none & done
	for module in rdma_cm rdma_ucm; do unit "rdmactl-module@$module" --allow none & done
	wait
	printf '%s: %d units, %s s, %d of them started again\n' "$1" "$(wc -l <"$T/status")" \
		"$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')" "$(wc -l <"$T/restarts")"
	assertEquals "$1: all came to an end" $((PORTS + 2)) "$(wc -l <"$T/status")"
}

test_twenty_at_once() {
	local bdf others
	assertEquals 'ports' $PORTS "${#bdfs[@]}"
	start_all 'first'
	assertEquals 'none failed' '' "$(grep -vE '^[01] ' "$T/status")"
	for bdf in "${bdfs[@]}"; do
		others=$(jq -r '[.changes[]? | .target] | unique - ["node"] | length' "$T/unit.rdmactl@$bdf")
		assertTrue "$bdf wrote to $others ports" "[ ${others:-9} -le 1 ]"
	done
	assertStatus 0 rdmactl drift -p "$policy"
	sim count sets >"$T/before"
	start_all 'again'
	assertEquals 'every one is content' '0' "$(cut -d' ' -f1 "$T/status" | sort -u)"
	assertEquals 'nothing was written' "$(<"$T/before")" "$(sim count sets)"
}

. shunit2
