#!/bin/bash
# apply, recover, rollback and confirm are killed at their system calls, from the lock to the exit, on a real kernel.
# Then drift says that something was cut off, and after `recover` the independent tools say that the node is entirely as
# before or entirely as wanted. tests/cli/killed.sh does the same at the simulator's doors, a hundred times faster.
#
# KILLS=N: so many kills of each command, chosen by SEED (default: 10); KILLS=all: every one (tests/long/kill), with a
# line now and then that says how far it is; SHARD=I/N: every Nth of them, from the Ith on, for several guests at once. Up to the first write to disk nothing can change: there the whole of the
# machine is asked after every 25th kill only.
#
# What may stay is a directory in configfs/rdma_cm: see tests/cli/killed.sh.
. "$(dirname "$0")/../cli/lib.sh"
KILLS=${KILLS:-10} SEED=${SEED:-$RANDOM} SHARD=${SHARD:-1/1}
RANDOM=$SEED
RUN=/var/lib/rdmactl/run.jsonl
killed=0 missed=0 restored=0 completed=0 bad=0 whole=0

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	fresh
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
		        roce: {tos: 104}
		        qos: {trust: dscp, dscp: {26: 3}, pfc: [3]}
		        ecn: {np_min_time_between_cnps: 8us}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
	before=$(state)
	glance
	before_glance=$glance
	assertStatus 0 rdmactl apply -p "$policy"
	after=$(state)
	glance
	after_glance=$glance
	assertNotEquals "a glance tells before from after" "$before_glance" "$after_glance"
	assertStatus 0 rdmactl rollback
	assertEquals "the node as before the first apply" "$before" "$(state)"
}

fresh() {
	machine_reset 2
	machine_quirk nic0 flap_ms 0
	machine_quirk nic1 flap_ms 0
}

state() {
	machine_state | grep -v '^mlx5_[01]$'
	printf '%s\n' /etc/{sysctl,modprobe,modules-load}.d/{,.}*rdmactl*	# nothing half written beside our files
}

# What can be read without a process: sets $glance.
glance() {
	local f line
	glance=
	for f in /sys/class/net/nic[01]/mtu /proc/sys/net/rdma_ucm/max_backlog \
		/sys/kernel/debug/mlx5/*/cc_params/np_min_time_between_cnps; do
		read -r line <"$f"
		glance+="$line "
	done
	for f in /etc/{sysctl,modprobe,modules-load}.d/{,.}*rdmactl*; do
		[ ! -e "$f" ] || glance+="${f##*/} "
	done
}

wrong() { # WORD...
	bad=$((bad + 1))
	fail "$*"
	[ ! -d /out ] || echo "FAILED $*" >>/out/progress
	show_run "(last command)"
}

# --- what the commands find ---------------------------------------------------

start_apply() { :; }
start_rollback() { assertStatus 0 rdmactl apply -p "$policy"; }
start_confirm() { assertStatus 0 rdmactl apply --confirm 3000 -p "$policy"; }

# An apply that was killed just before its last boot file took its place: all but this is done.
start_recover() {
	knife renameat "$boot_rename" apply -p "$policy"
	[ -e $RUN ] || wrong "apply was to be killed at renameat $boot_rename"
}

# --- killing ------------------------------------------------------------------

# Records the system calls of a command, a line each, from the lock on: "NAME K TAG", where K counts its name from the
# start of the program, and TAG is `w` from the first write to the disk on.
record() { # COMMAND [ARG]...
	strace -o "$T/trace" "$RDMACTL" "$@" >"$T/.out" 2>"$T/.err"
	sed -E 's/^[0-9]+ +//' "$T/trace" | awk '
		{ name = $0; sub(/\(.*/, "", name) }
		name !~ /^[a-z_0-9]+$/ { next }
		{ k = ++n[name] }
		/F_OFD_SETLK/ { on = 1 }
		/rdmactl-new|run\.jsonl.*O_APPEND/ { if (on) tag = "w" }
		on { print name, k, tag == "" ? "r" : tag, $0 }' >"$T/calls"
}

knife() { # NAME K COMMAND [ARG]...; $status is 137 if it was killed there
	local name=$1 k=$2
	shift 2
	{ run strace -o /dev/null -e "trace=$name" -e "inject=$name:signal=KILL:when=$k" "$RDMACTL" "$@"; } 2>/dev/null
}

# Lines of $T/calls that are always among the chosen: in the middle of configfs' mkdir and rmdir, between a write and its
# read-back, between the end of the journal and its rename.
places() {
	awk '$3 == "w" {
		if ($1 == "mkdirat" && /mlx5/) made = NR + 1
		if (/AT_REMOVEDIR/) gone = NR
		if ($1 == "sendto") sent = NR + 1
		if ($1 == "renameat" && /"run\.jsonl"/) put = NR
	} END { print made; print gone; print sent; print put; print put - 1 }' "$T/calls" | awk '$1 > 0'
}

chosen() {
	local n last
	last=$(wc -l <"$T/calls")
	if [ "$KILLS" = all ]; then
		seq "${SHARD%/*}" "${SHARD#*/}" "$last"
		return
	fi
	{
		places
		for ((n = 0; n < KILLS; n++)); do echo $((RANDOM * 32768 + RANDOM)); done | awk -v last="$last" '{ print 1 + $1 % last }'
	} | awk '!seen[$1]++' | head -n "$KILLS" | sort -n
}

# --- afterwards ---------------------------------------------------------------

# With a directory that stayed the next run makes other calls than were recorded.
no_directory() {
	[ ! -e /sys/kernel/config/rdma_cm/mlx5_0 ] && [ ! -e /sys/kernel/config/rdma_cm/mlx5_1 ] || rmdir /sys/kernel/config/rdma_cm/*
}

back() { # to what was before; the machine anew, if a rollback does not do it
	no_directory
	[ "$now" != "$before" ] || return 0
	run rdmactl rollback
	now=$(state)
	[ "$status" = 0 ] && [ "$now" = "$before" ] || { wrong "a rollback afterwards: $status"; fresh; }
}

check_recovery() { # WHERE
	run rdmactl drift -p "$policy"
	if [ -e $RUN ]; then
		[ "$status" = 4 ] || [[ $1$status$err == confirm*[01]*'waits for'* ]] || wrong "$1: drift says $status, and $RUN is there"
	else
		[ "$status" = 0 ] || [ "$status" = 1 ] || wrong "$1: drift says $status, and no run is unfinished"
	fi
	run rdmactl recover
	if [ "$status" = 75 ] && [[ $1 == *confirm* ]]; then	# it waits on
		if [ $((killed % 2)) = 0 ]; then run rdmactl confirm; else run rdmactl rollback; fi
	fi
	[ "$status" = 0 ] || wrong "$1: recover says $status"
	now=$(state)
	case $now in
	"$before") restored=$((restored + 1)) ;;
	"$after") completed=$((completed + 1)) ;;
	*)
		wrong "$1: the node is in between after recover"
		diff <(printf '%s\n' "$before") <(printf '%s\n' "$now") | head -n 12
		;;
	esac
	run rdmactl recover -o json
	[[ $status$out == 0*'"result"'*'"nothing-to-do"'* ]] || wrong "$1: a second recover says $status"
	[ ! -e $RUN ] || wrong "$1: $RUN is there after recover"
	back
}

# Nothing was written yet: what the command found is there as before.
cheap_check() { # WHERE
	no_directory
	if [ "$has_run" = 1 ]; then [ -e $RUN ]; else [ ! -e $RUN ]; fi || wrong "$1: $RUN came or went"
	glance
	[ "$glance" = "$found" ] || wrong "$1: something was changed"
}

# The call before the killed one changed nothing, so the machine is as it was after the kill before.
quick_check() { # WHERE
	run rdmactl recover
	[ "$status" = 0 ] || wrong "$1: recover says $status"
	[ ! -e $RUN ] || wrong "$1: $RUN is there after recover"
	glance
	case $glance in
	"$before_glance") restored=$((restored + 1)) ;;
	"$after_glance")
		completed=$((completed + 1))
		run rdmactl rollback
		glance
		[ "$status" = 0 ] && [ "$glance" = "$before_glance" ] || { wrong "$1: a rollback afterwards: $status"; fresh; }
		;;
	*) wrong "$1: the node is in between after recover: $glance" && fresh ;;
	esac
	no_directory
}

changes() { # CALL: can that system call change what another process sees?
	case $1 in
	sendto* | sendmsg* | write* | pwrite* | rename* | unlink* | mkdir* | rmdir* | link* | symlink* | ftruncate* | ioctl* | *O_CREAT* | *F_OFD*) true ;;
	*) false ;;
	esac
}

kill_each() { # COMMAND [ARG]...
	local n name k tag rest before_it last fresh_start='' had=$killed where calls
	start_"$1"
	record "$@"
	run rdmactl recover
	now=$(state)
	back
	mapfile -t calls <"$T/calls"
	last=${#calls[@]}
	[ "$last" -gt 0 ] || { fail "no system calls of $1"; return; }
	while read -r n; do
		read -r name k tag rest <<<"${calls[n - 1]}"
		before_it=${calls[n > 1 ? n - 2 : 0]#* * * }
		where="$1 killed at call $n of $last, $name $k"
		if [ -z "$fresh_start" ]; then
			start_"$1"
			has_run=0
			[ ! -e $RUN ] || has_run=1
			glance
			found=$glance
			fresh_start=1
		fi
		knife "$name" "$k" "$@"
		[ "$status" = 137 ] || { missed=$((missed + 1)); echo "# not killed: $where ($rest)"; }
		killed=$((killed + 1))
		if [ "$status" = 137 ] && [ "$tag" = r ] && [ $((killed % 25)) != 0 ]; then
			cheap_check "$where"
		elif [ "$KILLS$status" = all137 ] && [ "$1" != confirm ] && ! changes "$before_it" && [ $((killed % 25)) != 0 ]; then
			quick_check "$where: $rest"
			fresh_start=''
		else
			whole=$((whole + 1))
			check_recovery "$where: $rest"
			fresh_start=''
		fi
		[ "$KILLS" != all ] || [ $((killed % 50)) != 0 ] || progress
		[ $bad -lt 20 ] || return
	done < <(chosen)
	[ -z "$fresh_start" ] || check_recovery "$1, last of all"
	echo "# $1: $((killed - had)) kills of $last system calls"
	[ "$KILLS" != all ] || progress
}

progress() { echo "# $killed kills, the tools asked after $whole: $restored restored, $completed completed, $bad failures" | tee -a /out/progress; }

test_killed() {
	local command
	record apply -p "$policy"
	boot_rename=$(awk '$1 == "renameat" && !/jsonl/ { k = $2 } END { print k }' "$T/calls")
	assertStatus 0 rdmactl rollback
	for command in ${COMMANDS:-apply recover rollback confirm}; do
		case $command in
		apply) kill_each apply -p "$policy" ;;
		*) kill_each "$command" ;;
		esac
	done
	echo "# SEED=$SEED SHARD=$SHARD: $killed kills at system calls (the tools asked after $whole; $missed came to nothing): $restored restored, $completed completed, $bad failures"
	assertTrue "kills that came to nothing: $missed" "[ $missed -le $((1 + killed / 50)) ]"
}

. shunit2
