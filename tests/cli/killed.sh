#!/bin/bash
# apply, recover, rollback and confirm are killed at any door to the machine, and in the middle of a line of the journal.
# Then drift says that something was cut off, and after `recover` the node is entirely as before or entirely as wanted.
#
# KILLS=N: so many kills of each command, on two drivers, chosen by SEED (default: 4); KILLS=all: every one, on all four
# (tests/long/kill-sim). Two kills that leave the same machine behind are recovered from once.
#
# What may stay is a directory in configfs/rdma_cm, which has to be there for a moment to read a ToS: whoever reads may be
# killed in that moment. It holds nothing: values are the device's, with the directory and without.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"
KILLS=${KILLS:-4} SEED=${SEED:-$RANDOM}
RANDOM=$SEED

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'these are doors of the simulator; tests/vm/killed.sh kills at system calls'; }
	suite() { suite_addTest elsewhere; }
fi

killed=0 recovered=0 restored=0 completed=0

machine_of() { # DRIVER MANNERS
	local qos='qos: fabric' more=''
	case $2 in
	mlx5) more='ecn: {cnp: {dscp: 48, priority: 6}, rp_threshold: 2}' ;;
	*) more='optional: [pause, roce, qos]' ;;
	esac
	sim reset --pairs 2 --driver "$1" --manners "$2"
	sim set flap_ms nic0 0
	sim set flap_ms nic1 0
	policy <<-END
		version: 1
		fabric:
		  mtu: 9000
		  classes:
		    rdma:    {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
		    cnp:     {priority: 6, dscp: [48], strict: true}
		    default: {priority: 0, bandwidth: 40%}
		profiles:
		  all:
		    node:
		      max_backlog: 8192
		      sysctl: {net.core.rmem_max: 33554432}
		      modules:
		        rdma_ucm: {load: true}
		        ib_core: {options: {netns_mode: 0}}
		    ports:
		      rail:
		        match: {driver: $1}
		        mtu: fabric
		        roce: {mode: v2, tos: rdma}
		        $qos
		        $more
		nodes:
		  node1: {profiles: [all]}
	END
	before=$(state)
	cp "$RDMACTL_SIM" "$T/factory"
	assertStatus 0 rdmactl apply -p "$policy"
	after=$(state)
	cp "$RDMACTL_SIM" "$T/applied"
	cp "$T/factory" "$RDMACTL_SIM"
}

# Killed there, this time: knife KILL|TEAR N COMMAND [ARG]...; 137
knife() {
	local how=$1 n=$2
	shift 2
	{ run env "RDMACTL_SIM_$how=$n" "$RDMACTL" "$@"; } 2>/dev/null	# the shell says "Killed" each time
}

state() { sim snapshot | grep -v '^configfs '; }

unfinished() { sim cat var/lib/rdmactl/run.jsonl >"$T/run.jsonl" 2>/dev/null; }

# After a kill: what is left is told, taken up, and gone.
check_recovery() { # WHERE
	local where=$1 now had=''
	recovered=$((recovered + 1))
	run rdmactl drift -p "$policy"
	if unfinished; then
		had=1
		[ "$status" = 4 ] || { fail "$where: drift says $status, and run.jsonl is there"; show_run drift; }
	else
		[ "$status" = 0 ] || [ "$status" = 1 ] || { fail "$where: drift says $status, and no run is unfinished"; show_run drift; }
	fi
	run rdmactl recover -o json
	[ "$status" = 0 ] || { fail "$where: recover says $status"; show_run recover; }
	now=$(state)
	case $now in
	"$before") restored=$((restored + 1)) ;;
	"$after") completed=$((completed + 1)) ;;
	*)
		fail "$where: the node is in between after recover"
		show_run recover
		diff <(echo "$before") <(echo "$now") | head -n 12
		diff <(echo "$after") <(echo "$now") | head -n 12
		;;
	esac
	run rdmactl recover -o json
	[ "$status $(json .result)" = '0 nothing-to-do' ] || { fail "$where: a second recover says $status"; show_run recover; }
	! unfinished || fail "$where: a run is unfinished after recover"
	run rdmactl drift -p "$policy"
	[ "$status" = 0 ] || [ "$status" = 1 ] || { fail "$where: drift says $status after recover"; show_run drift; }
	[ -z "$had" ] || assertStatus 0 rdmactl history
}

# The last N at which the command is still killed.
last_kill() { # HOW START COMMAND [ARG]...
	local how=$1 start=$2 low=0 high=1 n
	shift 2
	while cp "$start" "$RDMACTL_SIM" && knife "$how" $high "$@" && [ "$status" = 137 ]; do low=$high high=$((2 * high)); done
	while [ $((high - low)) -gt 1 ]; do
		n=$(((low + high) / 2))
		cp "$start" "$RDMACTL_SIM"
		knife "$how" $n "$@"
		if [ "$status" = 137 ]; then low=$n; else high=$n; fi
	done
	last=$low
}

# kill_each START AFTERWARDS COMMAND [ARG]...: killed at each door or at some, and in each append
kill_each() {
	local start=$1 afterwards=$2 how n list last had=$killed
	shift 2
	for how in KILL TEAR; do
		last_kill $how "$start" "$@"
		[ "$last" -gt 0 ] || fail "$1 has no door at which it can be killed"
		list=$(seq 1 "$last")
		[ "$KILLS" = all ] || list=$(for ((n = 0; n < KILLS; n++)); do echo $((RANDOM * 32768 + RANDOM)); done |
			awk -v last="$last" '{ print 1 + $1 % last }' | sort -nu)
		: >"$T/last"
		for n in $list; do
			cp "$start" "$RDMACTL_SIM"
			knife $how "$n" "$@"
			killed=$((killed + 1))
			[ "$status" = 137 ] || fail "$how $n of $*: $status"
			! cmp -s "$RDMACTL_SIM" "$T/last" || continue
			cp "$RDMACTL_SIM" "$T/last"
			"$afterwards" "$how $n of $last, $*"
			[ "$(failures)" -lt 12 ] || return
		done
	done
	echo "# $* from ${start##*/}: $((killed - had)) kills"
}

failures() { echo "${__shunit_assertsFailed:-0}"; }

# States in which a killed apply leaves the machine; some of them are killed on in recover.
cut_off() { # COUNT
	local last n i
	last_kill KILL "$T/factory" apply -p "$policy"
	for ((i = 1; i <= $1; i++)); do
		n=$((last * ($1 + i) / (2 * $1 + 1)))	# the first half only looks
		cp "$T/factory" "$RDMACTL_SIM"
		knife KILL $n apply -p "$policy"
		! unfinished || cp "$RDMACTL_SIM" "$T/cut$i"
	done
}

# The window is open, and the watcher of it is none of ours: it watches another machine, which is confirmed at once.
open_window() {
	local own=$RDMACTL_SIM
	export RDMACTL_SIM=$T/watched
	cp "$T/factory" "$RDMACTL_SIM"
	assertStatus 0 rdmactl apply --confirm 1000 -p "$policy"
	cp "$RDMACTL_SIM" "$T/window"
	assertStatus 0 rdmactl confirm
	assertEquals "apply and confirm are as apply alone" "$after" "$(state)"
	export RDMACTL_SIM=$own
}

# The run waits on, and may be confirmed or undone; or its end had begun.
check_confirm() { # WHERE
	run rdmactl recover
	if [ "$status" = 75 ]; then
		recovered=$((recovered + 1))
		if [ $((killed % 2)) = 0 ]; then
			assertStatus 0 rdmactl confirm
			assertEquals "$1: confirmed after all" "$after" "$(state)"
			completed=$((completed + 1))
		else
			assertStatus 0 rdmactl rollback
			assertEquals "$1: undone" "$before" "$(state)"
			restored=$((restored + 1))
		fi
		! unfinished || fail "$1: a run is unfinished"
		return
	fi
	check_recovery "$1"
}

all_kills() { # DRIVER MANNERS
	local cut
	machine_of "$1" "$2"
	kill_each "$T/factory" check_recovery apply -p "$policy"
	kill_each "$T/applied" check_recovery rollback
	cut_off "$cuts"
	for cut in "$T"/cut*; do kill_each "$cut" check_recovery recover; done
	open_window
	kill_each "$T/window" check_confirm confirm
	kill_each "$T/window" check_confirm rollback
	echo "# $1: SEED=$SEED: $killed kills, $recovered recoveries: $restored restored, $completed completed"
}

test_mlx5() { all_kills mlx5_core mlx5; }
test_bnxt() { all_kills bnxt_en bnxt; }
test_ice() { all_kills ice ice; }
test_hns3() { all_kills hns3 hns3; }

# Somebody stopped the watcher: past the deadline everybody says so, and recover undoes the run.
test_no_watcher() {
	local own=$RDMACTL_SIM
	machine_of mlx5_core mlx5
	export RDMACTL_SIM=$T/watched
	cp "$T/factory" "$RDMACTL_SIM"
	assertStatus 0 rdmactl apply --confirm 1 -p "$policy"
	cp "$RDMACTL_SIM" "$own"	# here nobody watches
	export RDMACTL_SIM=$own
	assertStatus 1 rdmactl drift -p "$policy"
	assertErr 'waits for `rdmactl confirm`'
	sleep 6.5
	assertEquals "where somebody watched" "$before" "$(RDMACTL_SIM=$T/watched state)"
	assertStatus 4 rdmactl drift -p "$policy"
	assertErr 'was not confirmed in time, and its watcher is gone'
	assertStatus 4 rdmactl apply -p "$policy"
	assertStatus 4 rdmactl confirm
	assertStatus 0 rdmactl recover
	assertEquals "undone" "$before" "$(state)"
}

# A journal that cannot be read may be that of an unfinished run: nobody writes over it.
test_journal_that_cannot_be_read() {
	machine_of mlx5_core mlx5
	cut_off 1
	cp "$T/cut1" "$RDMACTL_SIM"
	sim deny var/lib/rdmactl/run.jsonl EACCES
	assertStatus 4 rdmactl apply -p "$policy"
	assertErr 'cannot read the journal /var/lib/rdmactl/run.jsonl'
	assertStatus 1 rdmactl drift -p "$policy"
	assertErr 'cannot read the journal /var/lib/rdmactl/run.jsonl'
	sim deny var/lib/rdmactl/run.jsonl none
	assertStatus 0 rdmactl recover
	assertEquals "undone" "$before" "$(state)"
}

# What served a change is gone: the others are undone all the same, and after a reboot nothing is left to do for it.
test_served_no_more() {
	machine_of mlx5_core mlx5
	cut_off 1
	cp "$T/cut1" "$RDMACTL_SIM"
	sim umount debugfs
	assertStatus 4 rdmactl recover
	assertErr 'is served by another interface now, or by none'
	assertErr 'debugfs mounted'
	assertEquals "what could be undone" "$(grep -v ' cc ' <<<"$before")" "$(state | grep -v ' cc ')"
	sim mount debugfs
	assertStatus 0 rdmactl recover
	assertEquals "undone" "$before" "$(state)"
	cp "$T/cut1" "$RDMACTL_SIM"
	sim umount debugfs
	sim set file proc/sys/kernel/random/boot_id 11111111-2222-3333-4444-555555555555
	assertStatus 0 rdmactl recover
	assertOut 'live values went with the reboot'
	assertNotContains "$err" error:
}

# What recover says to do is what ends it.
test_what_cannot_be_put_back() {
	machine_of mlx5_core mlx5
	cut_off 1
	cp "$T/cut1" "$RDMACTL_SIM"
	assertEquals "the run came that far" 9000 "$(sim get mtu nic0)"
	sim fault nic0 mtu err 5
	assertStatus 4 rdmactl recover
	assertErr 'nic0: cannot undo mtu'
	assertErr 'put it right by hand, then `rdmactl recover`'
	assertStatus 4 rdmactl recover
	sim fault nic0 mtu none
	sim set mtu nic0 1500
	sim fault nic0 mtu err 5	# what is right is not written again
	assertStatus 0 rdmactl recover
	sim fault nic0 mtu none
	assertEquals "undone" "$before" "$(state)"
}

# A boot file that somebody changed since is his: recover says so, and how it goes on.
test_a_boot_file_changed_since() {
	local path=etc/sysctl.d/zz-rdmactl.conf had
	for had in '' "# Written by rdmactl.
net.core.rmem_max = 4096
"; do
		machine_of mlx5_core mlx5
		[ -z "$had" ] || sim put $path "$had"
		before=$(state)
		assertStatus 0 rdmactl apply -p "$policy"
		sim cat var/lib/rdmactl/history/00000001.jsonl | head -n -2 >"$T/run.jsonl"	# not verified yet
		sim put var/lib/rdmactl/run.jsonl "$(<"$T/run.jsonl")
"
		sim put $path "# Written by rdmactl, and edited"
		assertStatus 4 rdmactl recover
		assertErr "/$path is left alone: somebody changed it since the run that is undone"
		assertNotContains "$err" 'Stale file handle'
		assertEquals '# Written by rdmactl, and edited' "$(sim cat $path)"
		if [ -n "$had" ]; then
			assertErr 'its text is "before" in /var/lib/rdmactl/run.jsonl'
			sim put $path "$(jq -r "select(.plan) | .plan[].files[] | select(.path == \"$path\").before" "$T/run.jsonl")
"
		else
			assertErr 'remove it, and `rdmactl recover` goes on'
			sim del $path
		fi
		assertStatus 0 rdmactl recover
		assertEquals "undone" "$before" "$(state)"
	done
}

# A run that ends between a look at its journal and one at the lock was not killed.
test_an_end_that_nobody_saw() {
	local drift
	command -v strace >/dev/null || { skip 'strace holds it up there'; return; }
	machine_of mlx5_core mlx5
	cut_off 1
	cp "$T/cut1" "$RDMACTL_SIM"
	# the first three calls ask for the standard descriptors
	strace -qq -o "$T/trace" -e trace=fcntl -e inject=fcntl:delay_enter=2000000:when=4 "$RDMACTL" drift -p "$policy" >"$T/drift" 2>&1 &
	drift=$!
	sleep 0.7
	assertStatus 0 rdmactl recover
	wait $drift
	assertEquals 'exit status of drift' 1 $?
	assertContains 'it was delayed there' "$(<"$T/trace")" 'F_OFD_GETLK'
	assertContains 'and only there' "$(grep OFD_GETLK "$T/trace")" DELAYED
	assertNotContains "$(<"$T/drift")" 'it was killed'
}

cuts=1
if [ "$BACKEND" = sim ] && [ "$KILLS" != all ]; then
	suite() {
		local t
		for t in test_mlx5 test_bnxt test_no_watcher test_journal_that_cannot_be_read test_served_no_more test_what_cannot_be_put_back test_a_boot_file_changed_since test_an_end_that_nobody_saw; do suite_addTest $t; done
	}
elif [ "$BACKEND" = sim ]; then
	cuts=9
fi

. shunit2
