#!/bin/bash
# The files for other programs (templates/cron, templates/monitoring, the timer), each run as its program runs it, on the simulator:
# arguments, environment, time-out, what becomes of the status; rules and queries by promtool; docs/monitoring.md.
# On the simulator alone so far: nothing of it depends on a kernel, and the guest has none of those programs.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# Made once, as `make install` makes them, for a program below $S/sbin: the simulator, which knows its machine and policy.
oneTimeSetUp() {
	S=$SHUNIT_TMPDIR/samples
	make -s --no-print-directory -C "$TOP" B="$S" SBINDIR="$S/sbin" DOCDIR=/usr/share/doc/rdmactl samples || exit 1
	mkdir -p "$S/sbin" "$S/stubs"
}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
	demo_policy
	rdmactl apply -p "$policy" >/dev/null
	cat >"$S/sbin/rdmactl" <<-END
		#!/bin/sh
		RDMACTL_SIM='$RDMACTL_SIM' exec '$RDMACTL' "\$@" -p '$policy'
	END
	chmod 755 "$S/sbin/rdmactl"
}

drifts() { machine_set_mtu nic0 1500; }
unreadable() { machine_fault nic0 getcc err EIO; }
hangs() { printf '#!/bin/sh\nexec sleep 100\n' >"$S/sbin/rdmactl"; }

# --- units and cron ---------------------------------------------------------------

test_units() {
	local u score
	command -v systemd-analyze >/dev/null || fail 'systemd-analyze is missing: tests/deps check'
	assertEquals 'verify' '' "$(systemd-analyze verify "$S"/rdmactl*.{service,timer} 2>&1)"
	for u in "$S"/rdmactl*.service; do
		score=$(systemd-analyze security --offline=true --no-pager "$u" | grep -o 'level for.*: [0-9.]*' | grep -o '[0-9.]*$')
		assertTrue "${u##*/}: security $score, at most 4.0" "[ '${score/./}' -le 40 ]"
	done
	for u in RandomizedDelaySec=5min FixedRandomDelay=yes OnCalendar='\*:0/5'; do
		assertTrue "$u" "grep -q '^$u$' '$S/rdmactl-drift.timer'"
	done
	assertNotContains 'only the timer can be enabled' "$(<"$S/rdmactl-drift.service")" '[Install]'
	assertNotContains 'nothing is left to fill in' "$(cat "$S"/rdmactl-drift.* "$S"/cron/* "$S"/monitoring/*)" '@SBINDIR@'
}

# What the unit starts, with the unit's directory.
test_unit_command() {
	local line
	line=$(sed -n "s|^ExecStart=||p" "$S/rdmactl-drift.service")
	assertContains "$line" ' --textfile /run/rdmactl/rdmactl.prom'
	assertContains "$(<"$S/rdmactl-drift.service")" 'RuntimeDirectory=rdmactl'
	mkdir "$T/run"
	# shellcheck disable=SC2086	# words, as systemd splits them
	run env -i ${line//\/run\/rdmactl/$T/run}
	assertEquals '0 in-sync' "$status $(sed -n 's/^rdmactl_node_result{result="\(.*\)"} 1$/\1/p' "$T/run/rdmactl.prom")"
	assertEquals '' "$out$err"
}

test_install() {
	make -s --no-print-directory -C "$TOP" B="$S" -o "$S/rdmactl" -n install DESTDIR="$T/root" >"$T/list" || fail 'make install'
	assertContains "$(<"$T/list")" "rdmactl-drift.timer"
	assertNotContains 'nothing is enabled' "$(<"$T/list")" 'systemctl'
	assertNotContains 'nothing goes into cron.d' "$(<"$T/list")" 'etc/cron'
}

# cron takes the words after the user as they are, with % as the end of a line unless it has a backslash, and gives them to
# the shell of the file, in the environment that the file says.
run_cron() {
	local line environment
	line=$(grep '^\*' "$S/cron/rdmactl")
	assertEquals 'a line that cron takes' 1 "$(grep -cE '^\*/5 \* \* \* \* root [^%]*\\%[^%]*$' <<<"$line")"
	line=${line#* root } line=${line//\\%/%}
	mapfile -t environment < <(grep -E '^[A-Z]+=' "$S/cron/rdmactl")
	mkdir -p "$T/stubs"
	printf '#!/bin/sh\necho "$1" >"%s"\n' "$T/slept" >"$T/stubs/sleep"
	chmod 755 "$T/stubs/sleep"
	mkdir -p "$T/run"
	run env -i HOME=/root LOGNAME=root "${environment[@]/#PATH=/PATH=$T/stubs:}" /bin/sh -c "${line//\/run\/rdmactl/$T/run}"
}

test_cron() {
	run_cron
	assertEquals 'in policy: no mail' '0 ' "$status $out$err"
	assertTrue 'it waited, less than five minutes' "[ $(<"$T/slept") -lt 240 ]"
	assertTrue 'and left metrics' "[ -s '$T/run/rdmactl.prom' ]"
	drifts
	run_cron
	assertEquals 1 "$status"
	assertOut 'mtu'
}

# --- node-problem-detector ----------------------------------------------------------

# npd: its checks of a configuration, then its way with one rule: no shell, at most the rule's time, 4 KiB of standard output,
# cut at max_output_length; 0 is OK, 1 NonOK, all else and a time-out Unknown. Prints that and the message.
npd() {
	python3 - "$S/monitoring/node-problem-detector.json" "${1:-}" <<-'END'
		import json, os, re, subprocess, sys
		config = json.load(open(sys.argv[1]))
		def seconds(text):
		    return int(re.fullmatch(r'(\d+)(s|m)', text).group(1)) * {'s': 1, 'm': 60}[text[-1]]
		known = {'plugin', 'pluginConfig', 'source', 'conditions', 'rules', 'metricsReporting'}
		settings = {'invoke_interval', 'timeout', 'max_output_length', 'concurrency', 'enable_message_change_based_condition_update',
		            'skip_initial_status'}
		common = config['pluginConfig']
		assert set(config) <= known and set(common) <= settings and config['plugin'] == 'custom' and config['source']
		assert seconds(common['timeout']) < seconds(common['invoke_interval'])
		[rule] = config['rules']
		[condition] = config['conditions']
		assert set(condition) == {'type', 'reason', 'message'} and set(rule) <= {'type', 'condition', 'reason', 'path', 'args', 'timeout'}
		assert rule['type'] == 'permanent' and rule['condition'] == condition['type'] and os.path.exists(rule['path'])
		assert seconds(rule['timeout']) <= seconds(common['timeout'])
		try:
		    p = subprocess.run([rule['path']] + rule['args'], stdin=subprocess.DEVNULL, capture_output=True,
		                       timeout=int(sys.argv[2] or 0) or seconds(rule['timeout']), env={'PATH': '/bin:/usr/bin'})
		    status, said = {0: 'OK', 1: 'NonOK'}.get(p.returncode, 'Unknown'), p.stdout
		except subprocess.TimeoutExpired as e:
		    status, said = 'Unknown', e.stdout or b''
		print(status, said[:4096].decode().strip()[:common['max_output_length']])
	END
}

test_node_problem_detector() {
	assertEquals 'OK ' "$(npd)"
	drifts
	assertContains "$(npd)" 'NonOK node1: drift'
	assertContains 'what differs is within the length' "$(npd)" 'mtu'
	machine_set_mtu nic0 9000
	unreadable
	assertContains "$(npd)" 'Unknown node1: not all of it could be read'
	hangs
	assertEquals 'Unknown ' "$(npd 1)"
}

# --- NHC ----------------------------------------------------------------------------

# What NHC does with a line of nhc.conf: `TARGET || CHECK`, evaluated where the target is * or matches the host; and its check:
# output thrown away, no standard input, a time-out that must not be longer than NHC's own 30 s, the status that is wanted.
nhc() {
	bash -c '
		TIMEOUT=30
		die() { echo "ERROR: nhc: $2" >&2; exit 1; }
		check_cmd_status() {
			local timeout=5 want=0 o
			OPTIND=1
			while getopts :r:t: o; do case $o in r) want=$OPTARG ;; t) timeout=$OPTARG ;; *) die 1 "check_cmd_status: option" ;; esac; done
			shift $((OPTIND - 1))
			[ "$timeout" -le $TIMEOUT ] || die 1 "check_cmd_status: Command timeout $timeout exceeds NHC timeout $TIMEOUT"
			timeout "${SOONER:-$timeout}" "$@" </dev/null >&/dev/null
			local is=$?
			[ $is = "$want" ] || die 1 "check_cmd_status: $is (expected $want) returned by \"$*\"."
		}
		while IFS= read -r line; do
			[[ $line != \#* && -n $line ]] || continue
			[[ $line == "* || "* ]] || die 1 "line: $line"
			eval "${line#"* || "}"
		done <"$1"' - "$S/monitoring/rdmactl.nhc.conf"
}

test_nhc() {
	assertStatus 0 nhc
	assertEquals '' "$out$err"
	drifts
	assertStatus 1 nhc
	assertErr 'check_cmd_status: 1 (expected 0)'
	machine_set_mtu nic0 9000
	unreadable
	assertStatus 1 nhc
	assertErr 'check_cmd_status: 2 (expected 0)'
	hangs
	SOONER=1 assertStatus 1 nhc
	assertErr 'check_cmd_status: 124'
}

# --- Slurm --------------------------------------------------------------------------

# slurm [REASON]: slurmd's way: no arguments, SLURMD_NODENAME alone in the environment, at most 60 s. The node has REASON, and what
# scontrol was told to do is in $did.
slurm() {
	local program=$T/healthcheck
	cat >"$S/stubs/scontrol" <<-END
		#!/bin/sh
		case "\$*" in
		'-o show node node1') echo 'NodeName=node1 Arch=x86_64 CPUTot=64 State=IDLE${1:++DRAIN} ThreadsPerCore=2${1:+ Reason=$1 [root@2026-11-30T00:00:00]}' ;;
		update*) echo "\$*" >>'$T/did' ;;
		*) exit 1 ;;
		esac
	END
	chmod 755 "$S/stubs/scontrol"
	: >"$T/did"
	# the stub stands where Slurm's own is: in front of the script's PATH
	sed "s|^PATH=|&$S/stubs:|; s/timeout 40/timeout ${SOONER:-40}/" "$S/monitoring/slurm-healthcheck" >"$program"
	chmod 755 "$program"
	run timeout 60 env -i SLURMD_NODENAME=node1 "$program"
	did=$(<"$T/did")
}

test_slurm() {
	assertTrue 'it can be run' "[ -x '$S/monitoring/slurm-healthcheck' ]"
	slurm
	assertEquals 'in policy: nothing' '0 ' "$status $did"
	slurm 'rdmactl: drift'
	assertEquals 'in policy again' '0 update NodeName=node1 State=RESUME' "$status $did"
	slurm 'replace a fan'
	assertEquals "somebody else's drain" '0 ' "$status $did"
	drifts
	slurm
	assertEquals '0 update NodeName=node1 State=DRAIN Reason=rdmactl: RDMACTL CRITICAL - node1: drift: mtu of nic0; looked at: what runs' "$status $did"
	slurm 'rdmactl: RDMACTL CRITICAL - node1: drift: mtu of nic0; looked at: what runs'
	assertEquals 'drained already' '0 ' "$status $did"
	slurm 'replace a fan'
	assertEquals "somebody else's drain" '0 ' "$status $did"
	machine_set_mtu nic0 9000
	unreadable
	slurm
	assertEquals 'not read: nothing is done' '1 ' "$status $did"
	assertErr 'RDMACTL UNKNOWN - node1: not all of it could be read'
	slurm 'rdmactl: drift'
	assertEquals '1 ' "$status $did"
	hangs
	SOONER=1 slurm
	assertEquals '1 ' "$status $did"
	assertErr 'no answer within'
}

# --- Prometheus, Grafana ---------------------------------------------------------------

# Every metric that any of the simulator's drivers gives.
emitted() {
	local driver
	for driver in mlx5_core:mlx5 bnxt_en:bnxt ice:ice; do
		sim reset --pairs 1 --driver "${driver%:*}" --manners "${driver#*:}"
		[ "$driver" != mlx5_core:mlx5 ] || sim set pfc nic0 3
		rdmactl drift -o prometheus -p "$policy" | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p'
	done | sort -u
}

test_rules() {
	cp "$S/monitoring/rdmactl.rules.yml" "$TOP/tests/cases/monitoring/alerts.yml" "$T/"
	assertStatus 0 promtool check rules "$T/rdmactl.rules.yml"
	assertStatus 0 env -C "$T" promtool test rules alerts.yml
	assertEquals 'every alert has a test' "$(grep -o 'alert: .*' "$T/rdmactl.rules.yml" | cut -d' ' -f2 | sort)" \
		"$(grep -o 'alertname: [A-Za-z]*' "$T/alerts.yml" | cut -d' ' -f2 | sort -u)"
	assertEquals 'metrics that nobody gives' '' "$(grep 'expr:' "$T/rdmactl.rules.yml" | grep -o 'rdmactl_[a-z_]*' | sort -u |
		comm -23 - <(emitted))"
}

# Grafana's variables are filled in, and promtool reads the queries as rules.
test_dashboard() {
	local d=$S/monitoring/grafana-dashboard.json
	assertEquals 'panels' true "$(jq '(.panels | length > 5) and ([.panels[].id] | length == (unique | length))' "$d")"
	jq -r '.panels[].targets[].expr' "$d" | sed 's/\$__rate_interval/5m/g; s/\$[a-z]*/.*/g' |
		jq -R '{record: "a:b", expr: ., labels: {n: (input_line_number | tostring)}}' | jq -s '{groups: [{name: "g", rules: .}]}' >"$T/queries.yml"
	assertStatus 0 promtool check rules "$T/queries.yml"
	assertEquals 'a query that names no metric of ours' '' "$(jq -r '.panels[].targets[].expr' "$d" | grep -v rdmactl_)"
	assertEquals 'metrics that nobody gives' '' "$(grep -oE '\b[a-z]+_[a-z_]+' <(jq -r '.. | .expr?, .definition? | strings' "$d") |
		grep -vx 'label_values\|__rate_interval' | sort -u | comm -23 - <(emitted))"
}

# --- docs/monitoring.md -----------------------------------------------------------------

test_documented_metrics() {
	local doc=$TOP/docs/monitoring.md m
	for m in $(emitted); do
		case $m in
		rdmactl_rdma_*_total | rdmactl_interface_*_total | rdmactl_pfc_*_total | rdmactl_priority_*_total) ;;
		*) assertTrue "$m is in docs/monitoring.md" "grep -q '\`$m\`' '$doc'" ;;
		esac
	done
	for m in $(grep -o '`rdmactl_[a-z_]*`' "$doc" | tr -d '`' | sort -u); do
		assertContains 'what the page names is given' "$(emitted) rdmactl_rdma_driver_events_total" "$m"
	done
}

. shunit2
