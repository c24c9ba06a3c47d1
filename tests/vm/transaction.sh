#!/bin/bash
# The lock and the window of --confirm on a real kernel, where no systemd runs: one writer at a time, readers never wait,
# and the watcher outlives parent, session and cgroup. tests/vm/reboots has the same with systemd, and over reboots.
. "$(dirname "$0")/../cli/lib.sh"
RUN=/var/lib/rdmactl/run.jsonl

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	machine_quirk nic0 flap_ms 0
	machine_quirk nic1 flap_ms 0
	policy <<-END
		version: 1
		profiles:
		  all:
		    node:
		      max_backlog: 8192
		    ports:
		      rail:
		        match: {driver: mlx5_core}
		        mtu: 9000
		        qos: {pfc: [3]}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
	before=$(machine_state)
}

until_true() { # SECONDS COMMAND [ARG]...
	local n=$((10 * $1))
	shift
	while ! "$@" 2>/dev/null; do
		[ $((n -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}
has_line() { grep -q "$1" $RUN; }
watcher() { pgrep -f -- '^rdmactl confirm --watch' >/dev/null; }
no_watcher() { ! watcher; }

# An apply that stands still once its Kth rename is done: the first gives the journal its name, the second is that of a
# boot file. $apply is rdmactl's own process; SIGCONT lets it go on.
stopped_apply() { # K
	strace -o "$T/calls" -e trace=renameat -e "inject=renameat:signal=STOP:when=$1" "$RDMACTL" apply -p "$policy" >"$T/slow" 2>&1 &
	slow=$!
	until_true 60 grep -q 'rdmactl apply' /run/rdmactl.lock || fail "the apply did not take the lock: $(<"$T/slow")"
	apply=$(sed -n 's/^process \([0-9]*\),.*/\1/p' /run/rdmactl.lock)
	until_true 60 grep -q 'stopped by SIGSTOP' "$T/calls" || fail "the apply did not stop"
}

# Whoever waited for the one that stands still would wait for ever.
at_once() { assertStatus "$1" timeout 100 "$RDMACTL" "${@:2}"; }

test_one_writer_and_readers_that_do_not_wait() {
	stopped_apply 2
	at_once 75 apply -p "$policy"
	assertErr "process $apply, rdmactl apply, since"
	at_once 75 rollback
	at_once 75 recover
	at_once 75 confirm
	at_once 75 apply --wait 1 -p "$policy"
	at_once 1 drift -p "$policy"
	assertErr 'a run is going on'
	at_once 0 history
	"$RDMACTL" apply --wait 300 -p "$policy" >"$T/patient" 2>&1 &
	sleep 1
	kill -CONT "$apply"
	wait $slow
	assertEquals "the one that stood still" 0 $?
	wait $!
	assertEquals "the one that waited" 0 $?
	assertContains "it found all done" "$(<"$T/patient")" 'nothing written'
}

test_a_holder_that_is_killed_frees_the_lock() {
	stopped_apply 1
	at_once 75 apply -p "$policy"
	{ kill -9 "$apply"; wait $slow; } 2>/dev/null
	at_once 4 drift -p "$policy"
	at_once 4 apply -p "$policy"
	assertErr 'rdmactl recover'
	assertMachine "$before"
	assertStatus 0 rdmactl recover
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl rollback
	assertMachine "$before"
}

test_a_holder_that_is_killed_at_its_last_write() {
	stopped_apply 2
	{ kill -9 "$apply"; wait $slow; } 2>/dev/null
	at_once 4 drift -p "$policy"
	assertStatus 0 rdmactl recover
	assertMachine "$before"
}

test_the_watcher_outlives_parent_session_and_cgroup() {
	local cgroup=/sys/fs/cgroup/session pid
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	mkdir $cgroup
	setsid bash -c "echo \$\$ >$cgroup/cgroup.procs; '$RDMACTL' apply --confirm 30 -p '$policy'; sleep 1000" >"$T/session" 2>&1 &
	until_true 60 has_line '"waits_until"' || fail "no window: $(<"$T/session")"
	ip link set nic0 down
	ip link set lo down
	echo 1 >$cgroup/cgroup.kill
	assertTrue "the cgroup is removed" "until_true 20 rmdir $cgroup"
	pid=$(pgrep -f -- '^rdmactl confirm --watch')
	assertEquals "its cgroup" '0::/' "$(</proc/"$pid"/cgroup)"
	assertEquals "its parent" 1 "$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status")"
	assertEquals "its terminal" 0 "$(awk '{ print $7 }' "/proc/$pid/stat")"
	assertEquals "what it has open" '/dev/null /dev/null /dev/null' "$(readlink /proc/"$pid"/fd/[012] | paste -sd' ')"
	assertEquals "no memory is taken from it" -1000 "$(</proc/"$pid"/oom_score_adj)"
	assertEquals "the window is open" 9000 "$(machine_get_mtu nic0)"
	assertStatus 75 rdmactl recover
	until_true 90 no_watcher || fail "the watcher did not end"
	ip link set nic0 up
	ip link set lo up
	assertMachine "$before"
	assertStatus 0 rdmactl history
	assertOut unconfirmed
	assertStatus 0 rdmactl recover
	RDMACTL_UNIT=boot assertStatus 1 rdmactl apply -p "$policy"
	assertErr 'not confirmed'
	assertStatus 0 rdmactl apply -p "$policy"
}

test_confirmed_in_time() {
	assertStatus 0 rdmactl apply --confirm 60 -p "$policy"
	assertFalse "no boot file yet" "[ -e /etc/sysctl.d/zz-rdmactl.conf ]"
	assertStatus 0 rdmactl confirm
	assertTrue "boot files" "[ -e /etc/sysctl.d/zz-rdmactl.conf -a -e /etc/modules-load.d/rdmactl.conf ]"
	until_true 30 no_watcher || fail "the watcher did not end"
	assertStatus 0 rdmactl drift -p "$policy"
	assertStatus 0 rdmactl history
	assertOut confirmed
}

# Nothing is written without a watcher that lives: here it cannot leave the caller's cgroup.
test_no_watcher_no_write() {
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	mount -o remount,ro /sys/fs/cgroup
	assertStatus 2 rdmactl apply --confirm 60 -p "$policy"
	mount -o remount,rw /sys/fs/cgroup
	assertErr 'cannot start the watcher'
	assertMachine "$before"
	assertTrue "no watcher" no_watcher
}

. shunit2
