#!/bin/bash
# The modules of the Ansible collection, run as Ansible runs them on a node: is what check mode foretells what is then
# done; what comes of each exit status; the examples of docs/ansible.md. On the simulator alone so far.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ansible-lib"

applied() { # [KEY=JSON]...: rdmactl_apply with the policy
	module rdmactl_apply "policy=\"$policy\"" '_ansible_diff=true' "$@"
}

# What check mode says, and what is then done: the changes, the values, the status and the words for it.
foretold() {
	json '{changed, exit_code, failed: (.failed // false), diff, left: [.remaining[]? | [.target, .setting, .status]],
		changes: [.changes[]? | select(.refused | not) | del(.done)],
		refused: [.changes[]? | select(.refused) | [.target, .object, .refused]]} | tojson'
}

# assertForetold WHAT [KEY=JSON]...: check mode writes nothing, and apply then does what it said. A second apply of
# what was in policy changes nothing.
assertForetold() {
	local what=$1 before said
	shift
	before=$(machine_state)
	applied _ansible_check_mode=true "$@"
	said=$(foretold)
	assertMachine "$before"
	applied "$@"
	assertEquals "$what: as foretold" "$said" "$(foretold)" || show_run "$what"
	applied "$@"
	assertEquals "$what: once more" false "$(json .changed)"
}

test_check_is_what_is_then_done() {
	demo_policy
	assertForetold "nothing above none" 'allow="none"'
	assertEquals "above what is allowed" 1 "$(json .exit_code)"
	assertForetold "only the MTU" 'only=["mtu"]'
	assertForetold "all"
	assertEquals 0 "$(json .exit_code)"
	assertStatus 0 rdmactl drift -p "$policy"
}

test_check_of_what_stays_wrong() {
	demo_policy
	sim set fw nic0 22.40.1 22.40.1
	assertForetold "firmware that is too old"
	assertEquals "true 1" "$(json '"\(.failed) \(.exit_code)"')"
	assertEquals "nic0 firmware.version drift" "$(json '.remaining[] | "\(.target) \(.setting) \(.status)"')"
	assertContains "where, what, what next" "$(json .msg)" "nic0 firmware.version: wants >=22.41.1000, has 22.40.1"
	assertContains "$(json .msg)" "policy.yaml:"
	assertContains "$(json .msg)" "what next: install firmware that the policy takes"
}

test_check_of_a_port_in_use() {
	demo_policy
	machine_hold nic0
	assertForetold "a port in use"
	assertEquals above-allow "$(json '[.changes[] | .refused // empty] | unique | .[]')"
	assertForetold "a port in use, and nothing then" 'if_idle=true'
	machine_release nic0
}

test_check_of_another_value() {
	demo_policy
	applied
	policy other.yaml < <(sed 's/priority: 3, dscp: \[26\]/priority: 4, dscp: [26]/; s/mtu: 9000/mtu: 4200/' "$policy")
	assertForetold "lossless on another priority"
	machine_set_pfc nic1 3
	machine_set_dscp nic1 '26:3 48:0'
	assertForetold "somebody else's values"
	policy less.yaml < <(sed '/max_backlog:/d' "$policy")
	assertForetold "a line that goes"
	assertForetold "and what it had set" 'revert_dropped=true'
}

test_check_without_debugfs() {
	demo_policy
	sim umount debugfs
	assertForetold "what cannot be read"
	assertEquals 2 "$(json .exit_code)"
}

test_diff_is_what_the_machine_has() {
	demo_policy
	applied
	assertContains "before" "$(json .diff.before)" "nic0 mtu: 1500"
	assertContains "$(json .diff.after)" "nic0 mtu: 9000"
	assertContains "ranges" "$(json .diff.after)" "nic0 qos.dscp: {0-25: 0, 26: 3, 27-47: 0, 48: 6, 49-63: 0}"
	assertContains "what is kept" "$(json .diff.after)" "qos.ets: {0: 40%, 1-2: vendor, 3: 60%, 4-5: vendor, 6: strict, 7: vendor}"
	assertContains "the next boot" "$(json .diff.after)" "node max_backlog (boot): 8192"
	assertEquals "and no field that Ansible takes for its own" null "$(json '[.rc, .items] | .[]' | sort -u)"
	assertEquals '0:40% 3:60% 6:strict' "$(machine_get_ets nic0 | grep -oE '[036]:[a-z0-9%]+' | paste -sd' ')"
	assertEquals "lines before and after" "$(json .diff.before | wc -l)" "$(json .diff.after | wc -l)"
}

test_refused_and_undone() {
	local before
	demo_policy
	before=$(machine_state)
	machine_fault nic1 pfc err 22
	applied
	machine_fault nic1 pfc none
	assertEquals "false true 3 failed-rolled-back" "$(json '"\(.changed) \(.failed) \(.exit_code) \(.result)"')"
	assertContains "the kernel's words" "$(json .msg)" "Invalid argument"
	assertContains "$(json .msg)" "everything was undone"
	assertMachine "$before"
}

test_in_between() {
	demo_policy
	sim fail-write 4 EIO all
	applied
	assertEquals "true 4" "$(json '"\(.failed) \(.exit_code)"')"
	sim fail-write 0
	assertContains "$(json .msg)" "run \`rdmactl recover\` on the node"
}

test_a_window() {
	demo_policy
	applied confirm=600
	assertEquals "true confirm" "$(json '"\(.changed) \(.rows[] | .event)"' | sort -u)"
	applied _ansible_check_mode=true
	assertEquals "locked, as apply then says" 75 "$(json .exit_code)"
	assertContains "$(json .msg)" "waits for"
	applied wait=0
	assertEquals "true 75" "$(json '"\(.failed) \(.exit_code)"')"
	module rdmactl_apply 'state="confirmed"' "policy=\"$policy\"" _ansible_check_mode=true
	assertEquals "true null" "$(json '"\(.changed) \(.failed)"')"
	module rdmactl_apply 'state="confirmed"'
	assertEquals "true confirmed" "$(json '"\(.changed) \(.result)"')"
	module rdmactl_apply 'state="confirmed"'
	assertEquals "true" "$(json .failed)"
	assertContains "$(json .msg)" "no run waits for confirm"
	module rdmactl_apply 'state="confirmed"' _ansible_check_mode=true
	assertEquals true "$(json .skipped)"
	applied
	assertEquals "in policy" "false null" "$(json '"\(.changed) \(.failed)"')"
}

test_a_lock_is_waited_for() {
	local holder
	demo_policy
	python3 - "$RDMACTL_SIM.lock" "$T/held" <<-'END' &
		import fcntl, os, struct, sys, time
		lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
		fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))	# F_OFD_SETLK
		open(sys.argv[2], "w").close()
		while os.path.exists(sys.argv[2]): time.sleep(0.1)
	END
	holder=$!
	while [ ! -e "$T/held" ]; do sleep 0.05; done
	applied wait=0
	assertEquals "false true 75" "$(json '"\(.changed) \(.failed) \(.exit_code)"')"
	assertContains "$(json .msg)" "another rdmactl holds the lock"
	assertContains "$(json .msg)" "what next: wait longer"
	(sleep 1; rm "$T/held") &
	applied wait=60
	assertEquals "true 0" "$(json '"\(.changed) \(.exit_code)"')"
	wait "$holder"
}

test_no_program_no_policy_no_node() {
	local node
	node=$(machine_node)
	policy </dev/null
	applied
	assertEquals "true false 65" "$(json '"\(.failed) \(.changed) \(.exit_code)"')"
	assertContains "$(json .msg)" "rdmactl lint"
	demo_policy
	applied 'node="elsewhere"' _ansible_check_mode=true
	assertEquals 65 "$(json .exit_code)"
	assertContains "$(json .msg)" 'no entry of nodes matches "elsewhere"'
	applied 'allow="everything"'
	assertEquals "true 64" "$(json '"\(.failed) \(.exit_code)"')"
	assertContains "$(json .msg)" everything
	RDMACTL=$T/none module rdmactl_info
	assertEquals true "$(json .failed)"
	RDMACTL=none module rdmactl_info
	assertContains "$(json .msg)" "none is not on this node"
	assertEquals "$node" "$(machine_node)"
}

# stand_in: standard input, as a program in rdmactl's place; what the module says of it is in $said
stand_in() { # [KEY=JSON]...: rdmactl_info
	cat >"$T/stand-in"
	chmod +x "$T/stand-in"
	RDMACTL=$T/stand-in module rdmactl_info "$@"
	assertEquals true "$(json .failed)"
	said=$(json .msg)
}

test_no_report() {
	local said lost="what next: \`rdmactl history\` on the node says what was done, \`rdmactl drift\` what is there; then run this again"
	stand_in <<<$'#!/bin/sh\necho "{\\"report\\": 2}"'
	assertContains "$said" "the report has form 2"
	stand_in <<<$'#!/bin/sh\nkill -9 $$'
	assertContains "$said" "was killed by signal 9"
	assertContains "$said" "rdmactl recover"
	stand_in <<<$'#!/bin/sh'
	assertEquals "rdmactl drift ended with status 0 and no report: its output is empty, or was lost"$'\n'"$lost" "$said"
	stand_in 'query="ports"' <<<$'#!/bin/sh\necho "{\\"report\\": 1, "; exit 1'
	assertEquals "rdmactl show ended with status 1 and no report: its output is cut off"$'\n'"$lost" "$said"
	stand_in <<<$'#!/bin/sh\necho what is this; exit 1'
	assertEquals $'rdmactl drift ended with status 1 and no report\nwhat is this\nwhat next: read what it said' "$said"
	stand_in <<<$'#!/bin/sh\necho "libmnl.so.0: cannot open shared object file" >&2; exit 127'
	assertEquals $'rdmactl drift ended with status 127 and no report\nlibmnl.so.0: cannot open shared object file
what next: install what it names on the node' "$said"
}

test_what_does_not_start() {
	local said
	stand_in <<<"neither a program nor a script"
	assertEquals "$T/stand-in cannot be started: Exec format error; what next: install the one that was built for this machine (uname -m)" "$said"
	stand_in <<<"#!/nowhere/sh"
	assertContains "$said" "cannot be started: No such file or directory; what next: install what it is started by, which is not there"
	: >"$T/not-executable"
	RDMACTL=$T/not-executable module rdmactl_apply
	assertContains "$(json .msg)" "cannot be started: Permission denied; what next: give it mode 0755"
}

# A program that prints all of it whole seconds after it began, and ends, while the module waits for a processor: so the
# module is stopped until then.
test_a_late_report() {
	demo_policy
	cat >"$T/late" <<-END
		#!/bin/sh
		sleep 0.3
		kill -STOP \$PPID
		sleep 1
		$RDMACTL "\$@"
		status=\$?
		(sleep 0.2; kill -CONT \$PPID) >/dev/null 2>&1 </dev/null &
		exit \$status
	END
	chmod +x "$T/late"
	RDMACTL=$T/late applied
	assertEquals "true 0 in-sync" "$(json '"\(.changed) \(.exit_code) \(.result)"')" || show_run late
}

test_files_by_name() {
	local before fabric='"version: 1\nfabric: {mtu: 4200}\n"' main
	main='"version: 1\ninclude: [fabric.yaml]\nprofiles: {all: {ports: {rail: {match: {driver: mlx5_core}, mtu: fabric}}}}\nnodes: {\"*\": {profiles: [all]}}\n"'
	before=$(machine_state)
	files_module "{\"policy.yaml\": $main, \"fabric.yaml\": $fabric}"
	assertEquals "2 4200" "$(json '"\(.changes | length) \(.changes[0].cells[0].to)"')" || show_run files
	files_module "{\"any.yaml\": ${main/rail:/rial}}"
	assertEquals "true 65" "$(json '"\(.failed) \(.exit_code)"')"
	assertContains "by its name" "$(json .msg)" "any.yaml:3:"
	files_module "{\"a.yaml\": $main, \"fabric.yaml\": $fabric}"
	assertContains "$(json .msg)" "none of a.yaml, fabric.yaml is called policy.yaml"
	files_module '{"../policy.yaml": ""}'
	assertContains "$(json .msg)" "../policy.yaml is not the name of a file in one directory"
	module rdmactl_info 'files={"a.yaml": ""}' 'content=""'
	assertContains "$(json .msg)" "mutually exclusive"
	assertMachine "$before"
	assertEquals "nothing stays behind" "" "$(ls "$T/remote")"
}

# files_module FILES: a plan of these; Ansible's own folder is $T/remote
files_module() {
	mkdir -p "$T/remote"
	module rdmactl_info 'query="plan"' "files=$1" "_ansible_remote_tmp=\"$T/remote\""
}

test_info_reads() {
	local before
	demo_policy
	before=$(machine_state)
	module rdmactl_info "policy=\"$policy\""
	assertEquals "false false 1" "$(json '"\(.changed // false) \(.in_sync) \(.exit_code)"')"
	assertContains "$(json .summary)" "nic0 mtu: wants 9000, has 1500"
	module rdmactl_info "content=$(jq -Rs . "$policy")" 'query="plan"'
	assertEquals "12 0" "$(json '"\(.changes | length) \(.remaining | length)"')"
	module rdmactl_info 'query="ports"'
	assertEquals "nic0 true" "$(json '.ports[0] | "\(.name) \(.carrier)"')"
	module rdmactl_info "policy=\"$policy\"" 'query="lint"'
	assertEquals true "$(json .in_sync)"
	module rdmactl_info "content=$(sed 's/mtu: fabric/mtu: 90000/' "$policy" | jq -Rs .)" 'query="lint"'
	assertEquals "true 65" "$(json '"\(.failed) \(.exit_code)"')"
	assertContains "$(json .msg)" mtu
	assertMachine "$before"
	applied
	module rdmactl_info 'query="history"'
	assertEquals "apply done" "$(json '.runs[-1] | "\(.command) \(.result)"')"
	module rdmactl_info "policy=\"$policy\""
	assertEquals "true " "$(json '"\(.in_sync) \(.summary)"')"
}

. shunit2
