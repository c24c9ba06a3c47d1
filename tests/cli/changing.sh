#!/bin/bash
# The machine changes while a unit's run is at it, before any door: udev renames the interface or its RDMA device, rdma_ucm is
# loaded, the NIC goes and comes back as a new one. Nothing of it fails the run, or leaves the port half set.
# On the simulator alone so far: in tests/vm/units a boot does all of it, when it likes.
#
# CHANGES=N: so many doors for each change and state, chosen by SEED (default: 6); CHANGES=all: every one.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"
CHANGES=${CHANGES:-6} SEED=${SEED:-$RANDOM}
RANDOM=$SEED
export RDMACTL_UNIT=rdmactl@0001:03:00.0.service

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	demo_policy
	sed -i '/^ *link: /d' "$policy"	# a new NIC has no link yet
	bdf=$(machine_bdf nic0)
}

# The files are there, the ports are new, the module is not loaded yet; with $1 on the kernel command line.
booting() {
	run rdmactl apply -q -p "$policy"
	sim unload rdma_ucm
	sim reload nic0
	sim reload nic1
	sim put proc/cmdline "quiet $1"
}

unit() { run env "$@" "$RDMACTL" apply --port "$bdf" -p "$policy"; }

# Rows of the port that are not in sync, after the run; the node's own are for a module's unit.
wrong() {
	"$RDMACTL" drift -p "$policy" --port "$bdf" -o json 2>/dev/null |
		jq -r '[.items[] | select(.target != "node" and .status != "in-sync") | .setting] | join(" ")'
}

doors() { # the last door at which a run of the unit can still be killed
	local low=0 high=1 n
	while cp "$T/start" "$RDMACTL_SIM" && unit RDMACTL_SIM_KILL=$high 2>/dev/null && [ "$status" = 137 ]; do low=$high high=$((2 * high)); done
	while [ $((high - low)) -gt 1 ]; do
		n=$(((low + high) / 2))
		cp "$T/start" "$RDMACTL_SIM"
		unit RDMACTL_SIM_KILL=$n 2>/dev/null
		if [ "$status" = 137 ]; then low=$n; else high=$n; fi
	done
	last=$low
}

# changes WANTED EVENT...: before any door, or some; the exit status is WANTED, and the port has all of its values
changes() {
	local wanted=$1 event n list last tried=0 again=0
	shift
	cp "$RDMACTL_SIM" "$T/start"
	doors
	[ "$last" -gt 100 ] || fail "only $last doors"
	for event; do
		list=$(seq 1 "$last")
		[ "$CHANGES" = all ] || list=$(for ((n = 0; n < CHANGES; n++)); do echo $((1 + RANDOM % last)); done | sort -nu)
		for n in $list; do
			cp "$T/start" "$RDMACTL_SIM"
			unit "RDMACTL_SIM_$event=$n"
			tried=$((tried + 1))
			[ "$status" = "$wanted" ] || { fail "$event before door $n of $last: status $status, not $wanted (SEED=$SEED)"; show_run apply; }
			[ -n "$(wrong)" ] || continue
			# a device that comes after the last look starts the unit again
			[ "$event $((last - n < 40))" = 'RELOAD 1' ] || fail "$event before door $n of $last: not in policy: $(wrong) (SEED=$SEED)"
			again=$((again + 1))
			unit "RDMACTL_SIM_KILL=0"
			assertEquals "$event before door $n of $last, the unit once more (SEED=$SEED)" '' "$(wrong)"
		done
	done
	echo "$last doors; $* before $tried of them, and $again times it took the unit's next run"
}

test_on_a_new_port() { changes 0 RENAME RENAME_RDMA RELOAD LOAD; }

test_at_boot() {
	booting ''
	changes 0 RENAME RENAME_RDMA LOAD RELOAD
}

# A module that the command line keeps away, and that somebody loads all the same: the node's rows say so.
test_at_boot_with_a_module_kept_away() {
	booting modprobe.blacklist=rdma_ucm
	changes 1 LOAD RENAME
}

# What failed for another reason is tried once more, and no third time.
test_once_more() {
	booting ''
	machine_fault nic0 mtu err EIO 1
	unit RDMACTL_SIM_KILL=0
	assertEquals 0 "$status"
	assertErr 'what failed was undone; it is tried once more'
	assertEquals '' "$(wrong)"
	machine_set_mtu nic0 1500
	machine_fault nic0 mtu err EIO
	unit RDMACTL_SIM_KILL=0
	assertEquals 3 "$status"
	assertEquals 2 "$(grep -c 'cannot set mtu to 9000' <<<"$err")"
}

test_a_person_is_asked() {
	booting ''
	machine_fault nic0 mtu err EIO 1
	unset RDMACTL_UNIT
	assertStatus 3 rdmactl apply -p "$policy"
	export RDMACTL_UNIT=rdmactl@0001:03:00.0.service
}

. shunit2
