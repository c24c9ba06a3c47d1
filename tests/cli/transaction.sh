#!/bin/bash
# A run as a transaction: journalled, undone by rollback, kept by confirm, given back when the policy drops it; the lock.
# Kills at any moment are tests/long/kill's.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

OWN=var/lib/rdmactl

# A small policy, in one file: what the node is asked for stands in "$@".
small() { # NAME KEY...
	local name=$1
	shift
	policy "$name" < <(
		cat <<-END
			version: 1
			revision: $name
			profiles:
			  all:
			    node: {max_backlog: 8192}
			    ports:
			      rail:
			        match: {driver: mlx5_core, link: ethernet}
			        count: 2
		END
		printf '        %s\n' "$@"
		printf 'nodes:\n  %s: {profiles: [all]}\n' "$(machine_node)"
	)
}

last_line() { # of the last run
	machine_read "$OWN/history/$(printf '%08d' "$1").jsonl" | tail -n 1
}

# What a rollback says, without how often it wrote.
rollback_story() {
	[[ $out != '{'* ]] || { json '[(.changes | map(del(.done))), .undoes, .back_to, .exit_code]'; return; }
	sed -e '1s/would roll back/rolled back/' -e '1s/, \(nothing written\|[0-9]* writes*\);.*//' \
		-e 's/^Would be put back, in/Put back and read back, in/' <<<"$out"
}

# assertRollback STATUS ARG...: rdmactl rollback, and --dry-run told the same before, and touched nothing.
assertRollback() {
	local want=$1 told='' before
	shift
	if [ "$BACKEND" = sim ] || [ -n "${foretell:-}" ]; then	# it costs seconds in an emulated guest
		before=$(machine_state)
		assertStatus "$want" rdmactl rollback --dry-run "$@"
		told=$(rollback_story)
		assertMachine "$before"
	fi
	assertStatus "$want" rdmactl rollback "$@"
	[ -z "$told" ] || assertEquals "told ahead" "$told" "$(rollback_story)"
}

test_rollback_gives_back_what_was_there() {
	local before after
	demo_policy
	machine_set_pause nic0 on
	before=$(machine_state)
	assertStatus 0 rdmactl apply --allow traffic -o json -p "$policy"
	after=$(machine_state)
	assertNotEquals "apply changed something" "$before" "$after"
	assertStatus 0 rdmactl history -o json
	assertEquals "1 apply done" "$(json '.runs[] | "\(.run) \(.command) \(.result)"')"
	assertRollback 0 --allow traffic
	assertOut ": rolled back run 1: as before it, "
	assertMachine "$before"
	assertStatus 0 rdmactl history -o json
	assertEquals $'1 apply done\n2 rollback done' "$(json '.runs[] | "\(.run) \(.command) \(.result)"')"
	assertEquals 1 "$(json '.runs[1].undoes[0]')"
	assertRollback 0
	assertOut "nothing to do"
	assertMachine "$before"
}

test_rollback_to_a_run() {
	local first second third told foretell=1
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	first=$(machine_state)
	small two 'mtu: 5000'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	second=$(machine_state)
	small three 'mtu: 6000' 'qos: {pfc: [3]}'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	third=$(machine_state)
	assertStatus 64 rdmactl rollback --to 9
	assertErr "there is no run of that number"
	assertMachine "$third"
	run rdmactl history
	told=$out
	assertStatus 0 rdmactl rollback --dry-run --allow traffic --to 1
	run rdmactl history
	assertEquals "what is told ahead is no run" "$told" "$out"
	assertRollback 0 --allow traffic --to 1
	assertOut ": rolled back runs 3, 2: as run 1 left it, "
	assertMachine "$first"
	assertNotEquals "$first" "$second"
	# the runs that were undone do not count any more
	assertRollback 0 --allow traffic
	assertEquals 1500 "$(machine_get_mtu nic0)"
	assertStatus 0 rdmactl history
	assertOut "undid 3, 2"
}

test_rollback_leaves_alone_what_somebody_changed() {
	small one 'mtu: 4200' 'qos: {pfc: [3]}'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	machine_set_mtu nic0 4300
	assertRollback 1 --allow traffic
	assertOut ": rolled back, but not all of it: run 1, "
	assertOut "somebody changed it since"
	assertEquals 4300 "$(machine_get_mtu nic0)"
	assertEquals 1500 "$(machine_get_mtu nic1)"
	assertEquals "" "$(machine_get_pfc nic0)"
}

# What --allow kept from being undone is undone by the next rollback, as the first one says.
test_rollback_of_a_port_in_use() {
	local before
	small one 'mtu: 4200' 'qos: {pfc: [3]}'
	before=$(machine_state)
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	machine_hold nic0 1
	assertSets 0 rdmactl rollback --if-idle
	assertEquals 1 "$status"
	assertErr "nic0 is in use"
	assertRollback 1
	assertOut "allow it with --allow traffic"
	assertEquals "4200 1500" "$(machine_get_mtu nic0) $(machine_get_mtu nic1)"
	assertRollback 0 --allow traffic
	machine_release nic0
	assertMachine "$before"
	assertStatus 0 rdmactl history -o json
	assertEquals $'apply done 6\nrollback partly-rolled-back 4\nrollback done 2' \
		"$(json '.runs[] | "\(.command) \(.result) \(.changes)"')"
	assertRollback 0
	assertOut "nothing to do"
}

# On a device that goes away meanwhile nothing is left to undo, and the rest is.
test_rollback_of_a_device_that_vanishes() {
	[ "$BACKEND" = sim ] || { skip "fabricsim has no such fault of an MTU"; return; }
	small one 'mtu: 4200' 'qos: {pfc: [3]}'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	machine_fault nic0 mtu vanish
	assertStatus 0 rdmactl rollback --allow traffic
	assertErr "nic0 is not there any more"
	assertEquals "1500 1024" "$(machine_get_mtu nic1) $(machine_get_sysctl net.rdma_ucm.max_backlog)"
	assertStatus 0 rdmactl recover
	assertOut "nothing to do"
}

# What a bond gave its members stays with them when it goes, and is told.
test_rollback_of_a_bond_that_is_gone() {
	machine_bond bond0 nic0 nic1
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	machine_unlink bond0
	assertRollback 0 --allow traffic
	assertErr "warning: bond0 is not there any more: what run 1 gave the ports below it is not taken back"
	assertErr "the kernel gave ports of a bond the MTU back"
	assertEquals "1500 1024" "$(machine_get_mtu nic0) $(machine_get_sysctl net.rdma_ucm.max_backlog)"
}

# A rollback that failed goes on with recover, and what somebody changed is left alone by it too.
test_recover_of_a_rollback_leaves_alone_what_somebody_changed() {
	small one 'mtu: 4200' 'qos: {pfc: [3]}'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	machine_set_mtu nic0 4300
	machine_fault nic1 mtu err 5
	assertStatus 4 rdmactl rollback --allow traffic
	machine_fault nic1 mtu none
	assertStatus 1 rdmactl recover
	assertOut "somebody changed it since"
	assertEquals "4300 1500" "$(machine_get_mtu nic0) $(machine_get_mtu nic1)"
	assertStatus 0 rdmactl recover
	assertOut "nothing to do"
}

test_a_run_without_changes_leaves_no_journal() {
	demo_policy
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	assertSets 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl history -o json
	assertEquals 1 "$(json '.runs | length')"
}

test_a_failed_run_is_in_the_history() {
	local before
	small one 'mtu: 4200' 'qos: {pfc: [3]}'
	before=$(machine_state)
	machine_fault nic1 pfc err 5
	assertStatus 3 rdmactl apply --allow traffic -p "$policy"
	assertMachine "$before"
	assertStatus 0 rdmactl history
	assertOut "rolled-back"
	assertContains "$(last_line 1)" '"exit_code":3'
	assertRollback 0
	assertOut "nothing to do"
}

# Whoever means the last run, and comes after it was undone by itself, does not lose the one before.
test_rollback_of_what_is_undone_already() {
	local before after
	before=$(machine_state)
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	after=$(machine_state)
	small two 'mtu: 5000'
	machine_fault nic1 mtu err 5
	assertStatus 3 rdmactl apply --allow traffic -q -p "$policy"
	machine_fault nic1 mtu none
	assertSets 0 rdmactl rollback --allow traffic
	assertEquals "1 " "$status $out"
	assertErr "the last run is undone already: run 2 (apply by "
	assertErr ": it failed, or was stopped"
	assertErr "hint: run 1 (apply by "
	assertErr "stands; \`rdmactl rollback --to 0\` undoes that as well"
	assertMachine "$after"
	# as the hint says; after a rollback by hand the next one has nothing to guess
	assertRollback 0 --to 0 --allow traffic -o json
	assertEquals 'rolled-back [1] null' "$(json '"\(.result) \(.undoes) \(.back_to)"')"
	assertMachine "$before"
	assertRollback 0
	assertOut "nothing to do"
}

# A rollback that comes when the window is just over; and what a reboot, and recover, undid.
test_rollback_just_too_late() {
	local after end n=1
	[ "$BACKEND" = sim ] || { skip "its journals are made up"; return; }
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	after=$(machine_state)
	small two 'mtu: 5000'
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	assertRollback 0 -o json
	assertEquals 'rolled-back [2] 1' "$(json '"\(.result) \(.undoes) \(.back_to)"')"
	assertMachine "$after"
	for end in 'unconfirmed:nobody confirmed it in time' 'interrupted:the machine went down before it ended' \
		"restored:it was cut off, and \`rdmactl recover\` undid it"; do
		machine_read $OWN/history/00000002.jsonl | sed "s/\"end\":\"[a-z-]*\"/\"end\":\"${end%%:*}\"/" | resum >"$T/journal"
		sim put $OWN/history/00000002.jsonl "$(<"$T/journal")
"
		assertSets 0 rdmactl rollback --allow traffic
		assertEquals "1 " "$status $out"
		assertErr ": ${end#*:}"
		assertErr "\`rdmactl rollback --to 0\`"
		n=$((n + 1))
	done
	assertEquals "ends looked at" 4 "$n"
	assertRollback 0 --to 1
	assertOut "nothing to do"
	assertMachine "$after"
}

# Refused before the first write: a journal that cannot be written.
test_no_journal_no_write() {
	local before errno
	demo_policy
	[ "$BACKEND" = sim ] || {
		mkdir -p /$OWN
		mount -t tmpfs -o ro none /$OWN
	}
	before=$(machine_state)
	for errno in ENOSPC EROFS; do
		[ "$BACKEND" = vm ] || sim memory $errno
		machine_count_sets rdmactl apply --allow traffic -p "$policy"
		assertEquals 2 "$status"
		assertEquals "sets" 0 "$sets"
		assertErr "cannot write the journal"
		assertErr "nothing is changed without a journal"
	done
	[ "$BACKEND" = sim ] || umount /$OWN
	assertMachine "$before"
}

# What JSON cannot hold exactly would not come back as it was.
test_no_journal_of_what_is_no_text() {
	local before
	small one 'mtu: 4200'
	machine_write etc/sysctl.d/zz-rdmactl.conf "# Written by rdmactl."$'\n'"# caf"$'\xe9\n'"net.rdma_ucm.max_backlog = 2048"
	before=$(machine_state)
	machine_count_sets rdmactl apply --allow traffic -p "$policy"
	assertEquals 2 "$status"
	assertEquals "sets" 0 "$sets"
	assertErr "cannot journal boot files"
	assertMachine "$before"
}

test_what_was_set_and_cannot_be_read_is_told() {
	[ "$BACKEND" = sim ] || { skip 'no file can be kept from root there'; return; }
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	sim deny $OWN/applied.jsonl EIO
	run rdmactl drift -p "$policy"
	assertErr "cannot read /$OWN/applied.jsonl"
}

test_a_damaged_journal_is_never_guessed() {
	local before text
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	before=$(machine_state)
	text=$(machine_read $OWN/history/00000001.jsonl)
	machine_write $OWN/run.jsonl "${text//1500/1400}"
	assertStatus 4 rdmactl drift -p "$policy"
	assertErr "is damaged: line 2: its sum is wrong"
	assertStatus 4 rdmactl apply -p "$policy"
	assertStatus 4 rdmactl recover
	assertErr "nothing is guessed from it"
	assertStatus 4 rdmactl rollback
	assertMachine "$before"
}

# A history that cannot be read, or is not ours, is no empty one.
test_a_history_that_cannot_be_read() {
	[ "$BACKEND" = sim ] || { skip "root may read everything there"; return; }
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	sim deny $OWN/history EACCES
	refused 2 "cannot read /$OWN/history: Permission denied" rdmactl history
	refused 2 "cannot read /$OWN/history: Permission denied" rdmactl rollback
	sim deny $OWN/history none
	sim put $OWN/history/00000002.jsonl "$(machine_read $OWN/history/00000001.jsonl)
"
	assertStatus 2 rdmactl history
	assertErr "00000002.jsonl is damaged: line 1: it is of run 1"
	assertOut "done"
	refused 2 "it is of run 1" rdmactl rollback
	sim del $OWN/history/00000002.jsonl
	sim put $OWN/history/99999999.jsonl x
	machine_set_mtu nic0 1500
	assertSets 0 rdmactl apply --allow traffic -p "$policy"
	assertEquals 2 "$status"
	assertErr "99999999.jsonl"
	sim del $OWN/history/99999999.jsonl
	sim mkdir $OWN/run.jsonl
	refused 4 "nobody writes until it can be read" rdmactl apply -p "$policy"
}

# As a run that was killed with its last line half written, and after its last write.
test_a_torn_line_is_left_out() {
	local text
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	text=$(machine_read $OWN/history/00000001.jsonl)
	machine_write $OWN/run.jsonl "${text%?????}"
	assertStatus 4 rdmactl drift -p "$policy"
	assertErr "did not end: it was killed"
	assertErr "rdmactl recover"
	assertStatus 4 rdmactl apply -p "$policy"
	assertStatus 4 rdmactl plan -p "$policy"
	assertErr "did not end: it was killed"
	refused 4 "\`rdmactl recover\` finishes or undoes it" rdmactl confirm
	assertStatus 0 rdmactl recover -v
	assertErr "is left out"
	assertStatus 0 rdmactl drift -p "$policy"
	assertStatus 0 rdmactl recover
	assertOut "nothing to do"
}

test_confirm_keeps_a_run() {
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -o json -p "$policy"
	assertEquals "max_backlog pending confirm" "$(json '.items[] | select(.status != "in-sync") | "\(.setting) \(.status) \(.reason)"')"
	assertEquals "no boot file yet" "" "$(machine_read etc/sysctl.d/zz-rdmactl.conf 2>/dev/null)"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut "pending"
	assertErr "waits for \`rdmactl confirm\`"
	assertStatus 0 rdmactl drift --ignore-pending -p "$policy"
	assertStatus 75 rdmactl apply -p "$policy"
	assertStatus 75 rdmactl recover
	assertStatus 0 rdmactl plan -p "$policy"
	assertErr "waits for \`rdmactl confirm\`"
	assertOut "pending"
	# what another policy asks for has to wait as well
	small two 'mtu: 5000'
	assertStatus 1 rdmactl drift -o json -p "$policy"
	assertEquals "rdmactl confirm or rdmactl rollback, then rdmactl apply --only mtu --port nic0 -p $policy (impact: traffic)" \
		"$(json '.items[] | select(.target == "nic0" and .setting == "mtu").remedy')"
	small one 'mtu: 4200'
	assertStatus 0 rdmactl confirm
	assertOut "confirmed"
	assertStatus 0 rdmactl drift -p "$policy"
	assertContains "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" "net.rdma_ucm.max_backlog = 8192"
	assertStatus 1 rdmactl confirm
	assertErr "no run waits for confirm"
}

# node_sysctls KEY VALUE [KEY VALUE]: a policy for the node's sysctls alone
node_sysctls() {
	policy < <(
		printf '%s\n' 'version: 1' 'profiles:' '  all:' '    node:' '      sysctl:'
		printf '        %s: %s\n' "$@"
		printf '%s\n' 'nodes:' "  $(machine_node): {profiles: [all]}"
	)
}

# What is not asked for any more cannot be counted when the policy is not at hand; the files are as the run meant them.
test_confirm_takes_lines_away() {
	node_sysctls net.core.somaxconn 5000 net.core.rmem_max 300000
	assertStatus 0 rdmactl apply -p "$policy"
	node_sysctls net.core.rmem_max 400000
	assertStatus 0 rdmactl apply --confirm 600 -q -p "$policy"
	assertStatus 0 rdmactl confirm
	assertEquals 'net.core.rmem_max = 400000' "$(machine_read etc/sysctl.d/zz-rdmactl.conf | grep -v '^#')"
	assertStatus 0 rdmactl drift -p "$policy"
}

test_what_is_not_confirmed_is_undone() {
	local before n
	small one 'mtu: 4200'
	before=$(machine_state)
	assertStatus 0 rdmactl apply --allow traffic --confirm 1 -q -p "$policy"
	assertEquals 4200 "$(machine_get_mtu nic0)"
	for ((n = 0; n < 100; n++)); do
		rdmactl history -o json | grep -q '"unconfirmed"' && break
		sleep 0.2
	done
	assertMachine "$before"
	assertStatus 0 rdmactl history
	assertOut "unconfirmed"
	assertStatus 0 rdmactl rollback		# no run stands that could be lost
	assertOut "nothing to do"
	# a unit does not bring it back by itself; a person may
	RDMACTL_UNIT=boot assertStatus 1 rdmactl apply --allow traffic -p "$policy"
	assertErr "applied before and not confirmed"
	assertMachine "$before"
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	RDMACTL_UNIT=boot assertStatus 0 rdmactl apply -q -p "$policy"
}

# A terminal that goes away, and a reader that has enough, do not end a run half done.
test_nobody_listens() {
	small one 'mtu: 4200'
	assertStatus 2 python3 - "$RDMACTL" apply --allow traffic -v -p "$policy" <<-'END'
		import os, signal, sys
		signal.signal(signal.SIGPIPE, signal.SIG_DFL)
		reader, writer = os.pipe()
		os.close(reader)
		os.dup2(writer, 1)
		os.dup2(writer, 2)
		os.execv(sys.argv[1], sys.argv[1:])
	END
	assertStatus 0 rdmactl drift -p "$policy"
}

# Ctrl-C and systemctl stop: what was done is undone first.
test_stopped() {
	local before
	small one 'mtu: 4200'
	before=$(machine_state)
	assertStatus 3 python3 - "$RDMACTL" apply --allow traffic -p "$policy" <<-'END'
		import os, signal, sys
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
		os.kill(os.getpid(), signal.SIGINT)
		os.execv(sys.argv[1], sys.argv[1:])
	END
	assertErr "stopped by SIGINT"
	assertMachine "$before"
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
}

# Without a watcher nothing is written, and nothing is left of the run but its line in the history.
test_no_watcher_no_window() {
	local before
	[ "$BACKEND" = sim ] || { skip "here systemd starts the watcher"; return; }
	small one 'mtu: 4200'
	before=$(machine_state)
	chmod -R a+rwX "$T"
	assertStatus 2 as_nobody prlimit --nproc=1 "$RDMACTL" apply --allow traffic --confirm 600 -p "$policy"
	assertErr "cannot start the watcher"
	assertNotContains "$err" "unless \`rdmactl confirm\` comes"
	assertMachine "$before"
	assertStatus 1 rdmactl drift -q -p "$policy"
	assertStatus 1 rdmactl confirm
	assertErr "no run waits for confirm"
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
}

# What cannot be put away is done all the same; the exit status is the one that drift has until it is.
test_a_journal_that_cannot_be_put_away() {
	[ "$BACKEND" = sim ] || { skip "root may read everything there"; return; }
	small one 'mtu: 4200'
	sim put $OWN/applied.jsonl ''
	sim deny $OWN/applied.jsonl EACCES
	assertStatus 4 rdmactl apply --allow traffic -p "$policy"
	assertErr "cannot end the journal of run 1: Permission denied"
	assertErr "\`rdmactl recover\` tries again"
	assertStatus 4 rdmactl drift -p "$policy"
	assertErr "the node is as it left it: \`rdmactl recover\` puts the journal away"
	assertStatus 4 rdmactl recover
	sim deny $OWN/applied.jsonl none
	assertStatus 0 rdmactl recover
	assertStatus 0 rdmactl drift -p "$policy"
}

test_rollback_ends_a_window() {
	local before
	small one 'mtu: 4200'
	before=$(machine_state)
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	assertRollback 0
	assertMachine "$before"
	assertStatus 1 rdmactl confirm
	# it was not confirmed: a unit does not bring it back
	RDMACTL_UNIT=boot assertStatus 1 rdmactl apply --allow traffic -p "$policy"
	assertErr "applied before and not confirmed"
	assertMachine "$before"
}

# What failed, or could not begin, was applied by nobody; and what cannot be read may be a refusal.
test_a_refused_state_stays_refused() {
	[ "$BACKEND" = sim ] || { skip "no file can be kept from root there"; return; }
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	assertRollback 0
	machine_fault nic0 mtu err 5
	assertStatus 3 rdmactl apply --allow traffic -p "$policy"
	machine_fault nic0 mtu none
	sim memory ENOSPC
	assertStatus 2 rdmactl apply --allow traffic -p "$policy"
	sim memory ok
	RDMACTL_UNIT=boot assertStatus 1 rdmactl apply --allow traffic -p "$policy"
	assertErr "applied before and not confirmed"
	sim deny $OWN/unconfirmed EIO
	RDMACTL_UNIT=boot refused 2 "cannot read /$OWN/unconfirmed" rdmactl apply --allow traffic -p "$policy"
	sim deny $OWN/unconfirmed none
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	RDMACTL_UNIT=boot assertStatus 0 rdmactl apply -q -p "$policy"
}

# In a window nothing is undone that the journal does not know of: it could be confirmed afterwards.
test_no_room_in_a_window() {
	local before after
	[ "$BACKEND" = sim ] || { skip "the disk of the guest is never full"; return; }
	small one 'mtu: 4200'
	before=$(machine_state)
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	after=$(machine_state)
	sim memory ENOSPC
	assertSets 0 rdmactl rollback
	assertEquals 2 "$status"
	assertErr "cannot write the journal"
	assertOut "nothing was begun"
	assertStatus 2 rdmactl confirm
	assertErr "nothing more is changed without a journal"
	assertMachine "$after"
	sim memory ok
	assertRollback 0
	assertMachine "$before"
}

# The run waits on as if confirm had not been tried, and nothing is told as written.
test_confirm_that_cannot_write() {
	local after
	[ "$BACKEND" = sim ] || { skip "no file can be kept from root there"; return; }
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	after=$(machine_state)
	sim deny etc/sysctl.d EROFS
	assertStatus 2 rdmactl confirm
	assertOut "not confirmed"
	assertNotOut "Written"
	sim deny etc/sysctl.d none
	assertMachine "$after"
	assertStatus 75 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl confirm
	assertOut "Written"
	assertContains "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" "net.rdma_ucm.max_backlog = 8192"
}

# resum: a journal from standard input, with the sums that it would have had
resum() {
	python3 -c '
import hashlib, re, sys
sum = ""
for line in sys.stdin:
	body = re.sub(r",\"sum\":\"[0-9a-f]*\"}\n$", "", line)
	sum = hashlib.sha256((sum + body).encode()).hexdigest()[:16]
	print(body + ",\"sum\":\"" + sum + "\"}")'
}

test_a_window_without_end() {
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	machine_read $OWN/run.jsonl >"$T/journal"
	assertEquals "its own sums" "$(<"$T/journal")" "$(resum <"$T/journal")"
	machine_write $OWN/run.jsonl "$(sed 's/"waits_until_s":[0-9]*/"waits_until_s":9223372036854775807/' "$T/journal" | resum)"
	assertStatus 75 rdmactl apply -p "$policy"
	assertErr "waits for \`rdmactl confirm\`"
	assertStatus 0 rdmactl confirm
}

test_confirm_after_a_reboot_is_too_late() {
	small one 'mtu: 4200'
	[ "$BACKEND" = sim ] || { skip "the guest reboots in transaction.sh of tests/vm"; return; }
	assertStatus 0 rdmactl apply --allow traffic --confirm 600 -q -p "$policy"
	sim set file proc/sys/kernel/random/boot_id 11111111-2222-3333-4444-555555555555
	assertStatus 4 rdmactl confirm
	assertErr "too late"
	assertStatus 4 rdmactl drift -p "$policy"
	assertErr "was not confirmed before the machine started anew"
	assertStatus 0 rdmactl recover
	RDMACTL_UNIT=boot assertStatus 1 rdmactl apply -p "$policy"
}

test_what_the_policy_drops() {
	small one 'mtu: 4200' 'qos: {pfc: [3]}' 'roce: {tos: 104}'
	machine_set_pfc nic0 5
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	small two 'mtu: 4200'
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals $'nic0 qos.pfc null 3 unmanaged\nnic0 roce.tos null 104 unmanaged\nnic1 qos.pfc null 3 unmanaged\nnic1 roce.tos null 104 unmanaged' \
		"$(json '.items[] | select(.reason == "last-set-by-us") | "\(.target) \(.setting) \(.want) \(.live | if type == "array" then .[0] else . end) \(.status)"' | sort)"
	# set by somebody else since: not ours any more
	machine_set_pfc nic1 6
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals 3 "$(json '[.items[] | select(.reason == "last-set-by-us")] | length')"
	assertStatus 1 rdmactl plan --revert-dropped -o json -p "$policy"
	assertEquals "of nic1, what is ours" "roce.tos" "$(json '.changes[] | select(.target == "nic1") | .object')"
	machine_set_pfc nic1 3
	assertStatus 0 rdmactl apply --allow traffic --revert-dropped -q -p "$policy"
	assertEquals 5 "$(machine_get_pfc nic0)"
	assertEquals "" "$(machine_get_pfc nic1)"
	assertStatus 0 rdmactl drift -p "$policy"
	assertNotOut "last-set-by-us"
	assertEquals 4200 "$(machine_get_mtu nic0)"
	# a run over a part of the node says nothing of the rest
	assertStatus 0 rdmactl plan --only mtu -p "$policy"
	assertNotOut "last-set-by-us"
}

# A rollback gives back what its run set; what an older run had set there is still ours.
test_what_a_rollback_leaves_ours() {
	small one 'mtu: 4200'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	small two 'mtu: 5000'
	assertStatus 0 rdmactl apply --allow traffic -q -p "$policy"
	assertRollback 0 --allow traffic
	small three 'link: {state: up}'
	assertStatus 0 rdmactl drift -o json -p "$policy"
	assertEquals $'nic0 mtu 4200\nnic1 mtu 4200' "$(json '.items[] | select(.reason == "last-set-by-us") | "\(.target) \(.setting) \(.live)"' | sort)"
	assertStatus 0 rdmactl apply --allow traffic --revert-dropped -q -p "$policy"
	assertEquals "1500 1500" "$(machine_get_mtu nic0) $(machine_get_mtu nic1)"
}

test_one_writer_at_a_time() {
	local lock=/run/rdmactl.lock
	[ "$BACKEND" = vm ] || lock=$RDMACTL_SIM.lock
	small one 'mtu: 4200'
	# an open-file-description lock, as a process of ours holds it
	python3 - "$lock" "$T/held" "$T/enough" <<-'END' &
		import fcntl, os, struct, sys, time
		f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
		fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))	# F_OFD_SETLK
		os.write(f, b"process 4711, rdmactl apply, since 2026-11-29T00:00:00Z\n")
		open(sys.argv[2], "w").close()
		while not os.path.exists(sys.argv[3]): time.sleep(0.1)
	END
	while [ ! -e "$T/held" ]; do sleep 0.05; done
	assertStatus 75 rdmactl apply --allow traffic -p "$policy"
	assertErr "another rdmactl holds the lock"
	assertErr "held by process 4711, rdmactl apply"
	assertStatus 75 rdmactl recover
	assertStatus 75 rdmactl rollback
	assertStatus 1 rdmactl drift -q -p "$policy"	# readers never wait
	assertStatus 0 rdmactl rollback --dry-run
	{ sleep 1; touch "$T/enough"; } &
	assertStatus 0 rdmactl apply --wait 30 --allow traffic -q -p "$policy"
	wait
	assertEquals 4200 "$(machine_get_mtu nic0)"
}

# A lock that cannot be taken, for another reason than rights and other writers.
test_no_lock() {
	[ "$BACKEND" = sim ] || { skip "the lock of the guest is everybody's"; return; }
	small one 'mtu: 4200'
	ln -s nowhere "$RDMACTL_SIM.lock"
	refused 2 "cannot take the lock" rdmactl apply -p "$policy"
}

# What was refused needs no undoing, and could not be written back: the node reads as before, and nothing is left over.
test_a_value_that_nobody_may_write() {
	policy <<-END
		version: 1
		profiles:
		  all:
		    node: {sysctl: {net.core.rmem_max: 1000000, kernel.osrelease: 7}}
		nodes:
		  $(machine_node): {profiles: [all]}
	END
	local before
	before=$(machine_state)
	assertStatus 3 rdmactl apply -p "$policy"
	assertErr '/proc/sys/kernel/osrelease: cannot write 7: Permission denied'
	assertMachine "$before"
	assertStatus 1 rdmactl drift -p "$policy"
}

. shunit2
