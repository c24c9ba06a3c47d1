#!/bin/bash
# -o prometheus, --textfile, -o nagios and --quiet: what other programs read, as they read it; counters of every driver that the
# simulator knows, hostile names and numbers, runs that fail, runs at the same time.
# On the simulator alone so far: counters are set there by their names, and promtool is no tool of the guest.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# where the files of mlx5_0/1 really stand
files=sys/devices/pci0001:00/0001:00:00.0/0001:01:00.0/0001:02:00.0/0001:03:00.0/infiniband/mlx5_0/ports/1

in_policy() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
}

# sound FILE: promtool finds nothing to say, no sample has a timestamp of its own, and no series is there twice
sound() {
	assertEquals "promtool on $1" '' "$(promtool check metrics <"$1" 2>&1)"
	assertEquals "samples of $1 that are not NAME{LABELS} VALUE" '' \
		"$(grep -v '^#' "$1" | grep -vE '^[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [0-9.]+$')"
	assertEquals "series of $1 that are there twice" '' "$(grep -v '^#' "$1" | sed 's/ [0-9.]*$//' | sort | uniq -d)"
}

# metrics [OPTION]...: a check, printed; leaves $T/m and $status
metrics() {
	run rdmactl drift -p "$policy" -o prometheus "$@"
	cp "$T/.out" "$T/m"
	sound "$T/m"
}

# value SERIES [FILE]: of one series, written as in the file; nothing if it is not there
value() {
	name=$1 awk 'BEGIN { name = ENVIRON["name"] " " } index($0, name) == 1 { print substr($0, length(name) + 1) }' "${2:-$T/m}"
}

# result [FILE]: the one result that the file tells
result() { sed -n 's/^rdmactl_node_result{result="\(.*\)"} 1$/\1/p' "${1:-$T/m}"; }

test_rows() {
	demo_policy
	run rdmactl drift -o json -p "$policy"
	local drift sync
	drift=$(json .counts.drift) sync=$(json '.counts["in-sync"]')
	metrics
	assertEquals 1 "$status"
	assertEquals "$drift $sync" "$(value 'rdmactl_rows{status="drift"}') $(value 'rdmactl_rows{status="in-sync"}')"
	assertEquals 'a series for each row that differs' "$drift" "$(grep -c '^rdmactl_row{' "$T/m")"
	assertEquals 1 "$(value 'rdmactl_row{target="nic0",group="rail",device="mlx5_0",port="1",setting="mtu",status="drift"}')"
	assertEquals 1 "$(value 'rdmactl_row{target="node",setting="max_backlog",status="drift"}')"
	assertEquals 'drift 1' "$(result) $(value rdmactl_last_run_exit_status)"
	assertStatus 0 rdmactl apply -p "$policy"
	metrics
	assertEquals 'in-sync 0 0' "$(result) $(value rdmactl_last_run_exit_status) $(grep -c '^rdmactl_row{' "$T/m")"
	assertEquals 'all results but one are 0' 7 "$(grep -c '^rdmactl_node_result.* 0$' "$T/m")"
	assertTrue 'it says when' "[ $(($(date +%s) - $(value rdmactl_last_run_timestamp_seconds))) -le 60 ]"
	assertEquals 1 "$(grep -c '^rdmactl_policy_info{node="node1",policy=".*",revision=".*",digest="sha256:.*",desired="sha256:.*"} 1$' "$T/m")"
}

test_unknown_and_reason() {
	in_policy
	machine_fault nic0 getcc err EIO
	metrics
	assertEquals '2 unknown' "$status $(result)"
	assertContains "$(<"$T/m")" 'status="unknown",reason="'
}

# Each counter under one name, whatever the driver calls it.
test_counters_of_each_driver() {
	local driver port=device=\"mlx5_0\",port=\"1\" wire=interface=\"nic0\",device=\"mlx5_0\",port=\"1\"
	for driver in mlx5_core:mlx5 bnxt_en:bnxt ice:ice hns3:hns3; do
		sim reset --pairs 1 --driver "${driver%:*}" --manners "${driver#*:}"
		demo_policy
		[ "$driver" != mlx5_core:mlx5 ] || sim set pfc nic0 3
		sim set counter nic0 np_cnp_sent 5
		sim set counter nic0 rx_prio3_pause 7
		sim set counter nic0 rx_crc_errors_phy 9
		sim set counter nic0 rx_prio3_pause_duration 1234567
		metrics
		port=$(sed -n 's/^rdmactl_counters_readable{\(device[^}]*\)} 1$/\1/p' "$T/m") wire="interface=\"nic0\",$port"
		assertEquals "$driver" '5 7 9' "$(value "rdmactl_rdma_cnps_sent_total{$port}") $(value \
			"rdmactl_pfc_received_frames_total{$wire,priority=\"3\"}") $(value "rdmactl_interface_crc_errors_total{$wire}")"
		assertEquals "$driver: by a name of its own" '' "$(grep '^rdmactl_rdma_driver_events' "$T/m")"
		case $driver in
		mlx5* | bnxt*) assertEquals 'seconds' 1.234567 "$(value "rdmactl_pfc_received_pause_seconds_total{$wire,priority=\"3\"}")" ;;
		*) assertNotContains 'what it lacks is not zero' "$(<"$T/m")" pause_seconds ;;
		esac
	done
}

test_units_and_widths() {
	local port='device="mlx5_0",port="1"'
	in_policy
	sim set counter nic0 port_xmit_data 1000
	sim set counter nic0 symbol_error 70000
	sim set counter nic0 link_downed 300
	metrics
	assertEquals 'words of four bytes' 4000 "$(value "rdmactl_rdma_transmitted_bytes_total{$port}")"
	assertEquals 'it stops' '65535 255' "$(value "rdmactl_rdma_symbol_errors_total{$port}") $(value "rdmactl_rdma_link_downs_total{$port}")"
	assertEquals 'mlx5 counts pauses only where PFC is on' 'priority="3"' \
		"$(grep '^rdmactl_pfc_received_frames_total.*nic0' "$T/m" | grep -o 'priority="."')"
	sim put $files/counters/port_rcv_data 18446744073709551615
	metrics
	assertEquals '2^66 is 73786976294838206464' 73786976294838206464 "$(value "rdmactl_rdma_received_bytes_total{$port}")"
}

# What is no number is left out and told; the rest is there. What the driver says it lacks is no fault.
test_hostile_counters() {
	local text port='device="mlx5_0",port="1"'
	in_policy
	for text in -1 18446744073709551616 0x10 010 many '' '1 2' '7"} 1' "$(printf 'x%.0s' {1..5000})"; do
		sim put $files/hw_counters/np_cnp_sent "$text"
		metrics
		assertEquals "exit status with $text" 0 "$status"
		assertEquals "$text" ' 0 0' "$(value "rdmactl_rdma_cnps_sent_total{$port}") $(value "rdmactl_rdma_cnps_handled_total{$port}") $(value \
			"rdmactl_counters_readable{$port}")"
	done
	sim put $files/hw_counters/np_cnp_sent 5
	sim put $files/counters/symbol_error 'N/A (no PMA)'
	metrics
	assertEquals '5  1' "$(value "rdmactl_rdma_cnps_sent_total{$port}") $(value "rdmactl_rdma_symbol_errors_total{$port}") $(value \
		"rdmactl_counters_readable{$port}")"
	sim put "$files/hw_counters/a \"name\\" 3
	sim put $files/hw_counters/roce_slow_restart 4
	metrics
	assertEquals '3 4' "$(value "rdmactl_rdma_driver_events_total{$port,counter=\"a \\\"name\\\\\"}") $(value \
		"rdmactl_rdma_driver_events_total{$port,counter=\"roce_slow_restart\"}")"
	sim deny $files/hw_counters EIO
	metrics
	assertEquals '0 0' "$status $(value "rdmactl_counters_readable{$port}")"
}

test_hostile_labels() {
	demo_policy
	mv "$policy" "$T/"$'a "name" \\ with é\n.yaml'
	policy=$T/$'a "name" \\ with é\n.yaml'
	sed -i $'s/^revision: .*/revision: "r\\\\"1\\\\\\\\ \\\\e[31m \\\\u202e"/' "$policy"
	metrics
	assertContains "$(<"$T/m")" 'revision="r\"1\\ \\x1b[31m '
	assertNotContains "$(<"$T/m")" $'\e'
	assertContains "$(<"$T/m")" 'a \"name\" \\ with é'
}

# Nobody who does not ask for metrics pays for them: the doors of counters are shut, and nobody notices.
test_counters_are_read_only_for_metrics() {
	in_policy
	sim deny $files/hw_counters EIO
	assertStatus 0 rdmactl drift -v -p "$policy"
	assertStatus 0 rdmactl dump -p "$policy" "$T/dump"
	assertEquals 'ethtool statistics in a dump' 0 "$(grep -c '^{"ethtool"' "$T/dump")"
	command -v strace >/dev/null || return
	mkdir -p "$T/root/sys/class/infiniband/mlx5_0/ports/1/hw_counters"
	strace -f -o "$T/trace" "$B/rdmactl" drift --root "$T/root" --node "$(machine_node)" -p "$policy" >/dev/null 2>&1
	assertEquals 'counters looked at' 0 "$(grep -c counters "$T/trace")"
}

test_dump() {
	local port='device="mlx5_0",port="1"'
	in_policy
	sim set counter nic0 rx_prio3_pause 7
	sim set counter nic0 symbol_error 3
	assertStatus 0 rdmactl dump --counters -p "$policy" "$T/dump"
	metrics
	mv "$T/m" "$T/live"
	metrics --from "$T/dump"
	assertEquals 0 "$status"
	assertEquals "the same counters" "$(grep _total "$T/live")" "$(grep _total "$T/m")"
	assertStatus 0 rdmactl dump -p "$policy" "$T/dump"
	metrics --from "$T/dump"
	assertEquals 'not recorded is not readable' '0 ' "$(value "rdmactl_counters_readable{interface=\"nic0\",$port}") $(value \
		"rdmactl_pfc_received_frames_total{interface=\"nic0\",$port,priority=\"3\"}")"
}

test_port() {
	in_policy
	metrics --port nic1
	assertNotContains "$(<"$T/m")" mlx5_0
	assertContains "$(<"$T/m")" 'interface="nic1",device="mlx5_1"'
}

# --- the text file ---------------------------------------------------------------

test_textfile() {
	in_policy
	echo old >"$T/r.prom"
	chmod 600 "$T/r.prom"
	umask 077
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$T/r.prom"
	umask 022
	assertEquals 'quiet' '' "$out$err"
	sound "$T/r.prom"
	assertEquals 644 "$(stat -c %a "$T/r.prom")"
	assertEquals in-sync "$(result "$T/r.prom")"
	assertStatus 0 rdmactl drift -o json -p "$policy" --textfile "$T/new.prom"
	assertEquals 'beside another form' 'in-sync in-sync 644' "$(json .result) $(result "$T/new.prom") $(stat -c %a "$T/new.prom")"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift -q -p "$policy" --textfile "$T/r.prom"
	assertEquals drift "$(result "$T/r.prom")"
	assertEquals 'nothing beside it' 'new.prom r.prom' "$(cd "$T" && echo *.prom .*.prom* | sed 's/ \.\*.*//')"
	assertStatus 0 rdmactl drift --until-ready 1 -p "$policy" --port nic1 --textfile "$T/r.prom"
	assertEquals in-sync "$(result "$T/r.prom")"
}

# Replaced in one step, and on the disk before it has its name; then the directory.
test_textfile_is_synced() {
	command -v strace >/dev/null || return
	in_policy
	strace -f -e trace=openat,fsync,rename,renameat,renameat2,fchmod -o "$T/trace" "$RDMACTL" drift -p "$policy" --textfile "$T/r.prom" >/dev/null
	assertEquals 'fchmod fsync rename fsync' "$(sed -n '/r\.prom\./,$p' "$T/trace" | grep -oE '\b(fchmod|fsync|rename)' | paste -sd' ')"
}

# A run that failed tells so in the file, and has no rows: no old file looks healthy.
test_a_failed_run() {
	in_policy
	local f=$T/r.prom
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$f"
	assertStatus 65 rdmactl drift -q -p "$T/none.yaml" --textfile "$f"
	sound "$f"
	assertEquals 'failed 65 ' "$(result "$f") $(value rdmactl_last_run_exit_status "$f") $(grep '^rdmactl_rows\|^rdmactl_row{' "$f")"
	assertEquals 'and nothing on standard output' '' "$out"
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$f"
	assertStatus 65 rdmactl drift -q -p "$policy" --node stranger --textfile "$f"
	assertEquals failed "$(result "$f")"
	assertStatus 64 rdmactl drift -q -p "$policy" --port nic7 --textfile "$f"
	assertEquals 'failed 64' "$(result "$f") $(value rdmactl_last_run_exit_status "$f")"
	assertStatus 65 rdmactl drift -o prometheus -p "$T/none.yaml"
	assertEquals failed "$(result "$T/.out")"
	# options that do not exist: no run, and the file's time is what tells
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$f"
	assertStatus 64 rdmactl drift -q --frobnicate --textfile "$f"
	assertEquals in-sync "$(result "$f")"
}

test_a_textfile_that_cannot_be_written() {
	in_policy
	assertStatus 2 rdmactl drift -o json -p "$policy" --textfile "$T/none/r.prom"
	assertErr "cannot write $T/none/r.prom: No such file or directory"
	assertEquals 'the report agrees' 'unknown 2' "$(json '"\(.result) \(.exit_code)"')"
	mkdir "$T/dir.prom"
	assertStatus 2 rdmactl drift -q -p "$policy" --textfile "$T/dir.prom"
	assertTrue 'a directory is left alone' "[ -d '$T/dir.prom' ]"
	echo mine >"$T/mine"
	ln -s mine "$T/link.prom"
	assertStatus 2 rdmactl drift -q -p "$policy" --textfile "$T/link.prom"
	assertErr 'symbolic link'
	assertEquals mine "$(<"$T/mine")"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift -q -p "$policy" --textfile "$T/none/r.prom"
	# no room: what was there told of another run, and is taken away
	machine_set_mtu nic0 9000
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$T/r.prom"
	run bash -c 'ulimit -f 1; trap "" XFSZ; exec "$@"' - "$RDMACTL" drift -q -p "$policy" --textfile "$T/r.prom"
	assertEquals 2 "$status"
	assertErr "cannot write $T/r.prom: File too large"
	assertErr 'the old one was taken away'
	assertFalse 'no old file' "[ -e '$T/r.prom' ]"
	assertEquals 'and nothing beside it' '' "$(cd "$T" && echo .r.prom.* | grep -v '\*')"
}

# Many at once, against one file that is read all the while: each ends as it would alone, each file is whole.
test_overlapping_runs() {
	in_policy
	local i pids=() bad=0 f=$T/r.prom
	assertStatus 0 rdmactl drift -q -p "$policy" --textfile "$f"
	for i in {1..8}; do
		(
			for _ in {1..5}; do
				"$RDMACTL" drift -q -p "$policy" --textfile "$f" || exit 1
				[ "$(tail -n 1 "$f" | grep -c '^rdmactl_rdma_driver_events\|^rdmactl_interface')" = 1 ] &&
					grep -q '^rdmactl_node_result{result="in-sync"} 1' "$f" || exit 1
			done
		) >>"$T/said" 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || bad=$((bad + 1)); done
	assertEquals 'runs that went wrong' 0 $bad
	assertEquals 'what they said' '' "$(<"$T/said")"
	sound "$f"
	assertEquals 'nothing beside it' '' "$(cd "$T" && echo .r.prom.* | grep -v '\*')"
}

# --- Nagios -----------------------------------------------------------------------

# nagios STATUS START [OPTION]...: one line that begins so, with performance data behind a bar, and that status
nagios() {
	local want=$1 start=$2
	shift 2
	run rdmactl drift -o nagios "$@"
	assertEquals "status of: $*" "$want" "$status"
	assertEquals "lines of: $*" 1 "$(wc -l <"$T/.out")"
	assertEquals "$start" "${out:0:${#start}}"
	assertTrue "$out" "[ $(grep -o '|' <<<"$out" | wc -l) -le 1 ]"
}

test_nagios() {
	demo_policy
	nagios 2 'RDMACTL CRITICAL - node1: drift: modules.rdma_ucm.load of node, max_backlog of node, pause.rx of nic0 and ' -p "$policy"
	local data="${out##* | }" one
	for one in $data; do
		assertTrue "$one" "grep -qE '^[a-z-]+=[0-9]+;[0-9]*;[0-9]*;0?$' <<<'$one'"
	done
	assertEquals 'in-sync drift pending unsupported unknown unmanaged' "$(sed 's/=[^ ]*//g' <<<"$data")"
	assertStatus 0 rdmactl apply -p "$policy"
	nagios 0 'RDMACTL OK - node1: in sync |' -p "$policy"
	machine_fault nic0 getcc err EIO
	nagios 3 'RDMACTL UNKNOWN - node1: not all of it could be read: ecn' -p "$policy"
	nagios 3 'RDMACTL UNKNOWN - ' -p "$T/none.yaml"
	assertOut 'none.yaml: cannot be read: No such file or directory'
	nagios 3 'RDMACTL UNKNOWN - ' -p "$policy" --port nic7
	run rdmactl drift -o nagios --frobnicate
	assertEquals 3 "$status"
	run bash -c 'exec "$@" >&-' - "$RDMACTL" drift -o nagios -p "$policy" --port nic1
	assertEquals 3 "$status"
}

# A bar ends the text: none may come from a name.
test_nagios_bars() {
	in_policy
	sim set ifname nic0 'a|b'
	machine_set_mtu nic1 1500
	nagios 2 'RDMACTL CRITICAL - node1: drift: mtu of nic1 |' -p "$policy"
	sim set mtu 'a|b' 1500
	nagios 2 'RDMACTL CRITICAL - node1: drift: mtu of a/b, mtu of nic1 |' -p "$policy"
}

test_nagios_pending() {
	in_policy
	sed -i 's/^      modules:$/&\n        ib_core: {options: {netns_mode: 0}}/' "$policy"
	run rdmactl apply -p "$policy"
	run rdmactl drift -o json -p "$policy"
	assertEquals pending "$(json .result)"
	nagios 1 'RDMACTL WARNING - node1: pending: boot is right, live follows: modules.ib_core.options.netns_mode of node |' -p "$policy"
	nagios 0 'RDMACTL OK' --ignore-pending -p "$policy"
	metrics
	assertEquals 'pending 1' "$(result) $(value 'rdmactl_rows{status="pending"}')"
}

# --- quiet -------------------------------------------------------------------------

test_quiet() {
	in_policy
	assertStatus 0 rdmactl drift --quiet -p "$policy"
	assertEquals '' "$out$err"
	machine_set_mtu nic0 1500
	assertStatus 1 rdmactl drift --quiet -p "$policy"
	assertOut 'mtu'
	assertOut '1 drift'
	assertStatus 65 rdmactl drift --quiet -p "$T/none.yaml"
	assertErr 'cannot be read'
}

test_refusals() {
	demo_policy
	refused 64 '-o prometheus is for drift alone' rdmactl plan -o prometheus -p "$policy"
	refused 64 '-o nagios is for drift alone' rdmactl show -o nagios
	refused 64 'takes no --textfile' rdmactl apply --textfile "$T/r.prom" -p "$policy"
	refused 64 'takes no --counters' rdmactl drift --counters -p "$policy"
	refused 64 "-o takes table, json, prometheus or nagios, not 'xml'" rdmactl drift -o xml
	refused 64 "-o takes table, json or sarif, not 'xml'" rdmactl lint -o xml
	refused 64 "-o takes table or json, not 'xml'" rdmactl plan -o xml
}

. shunit2
