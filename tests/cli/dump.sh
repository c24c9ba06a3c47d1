#!/bin/bash
# A dump read elsewhere, by somebody without rights, on a machine that has nothing of it: drift, plan and show say the
# same, byte for byte. A dump that is damaged is refused.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# The real program, without the machine: under the simulator on this host, in the guest as nobody under another name.
elsewhere() {
	(
		cd "$T" || exit
		unset RDMACTL_SIM
		as_nobody "$B/rdmactl" "$@"
	)
}

# Where and when it was looked at is all that may differ, and that is the dump's.
without_time() {
	sed '/^  "time": /d'
}

# same COMMAND [OPTION]...: live and from $T/node.dump
same() {
	local form live=$T/live.out from=$T/from.out status_live
	for form in table json; do
		rdmactl "$@" -o $form >"$live" 2>"$live.err"
		status_live=$?
		elsewhere "$@" -o $form --from "$T/node.dump" >"$from" 2>"$from.err"
		assertEquals "exit status of $* -o $form" $status_live $?
		assertTrue "$* -o $form --from says something" "[ -s '$from' ]"
		diff <(without_time <"$live") <(without_time <"$from")
		assertEquals "$* -o $form" 0 $?
		diff "$live.err" "$from.err"
		assertEquals "standard error of $* -o $form" 0 $?
	done
}

# forget the machine: what is asked from now on can only come from the dump
elsewhere_machine() {
	[ "$BACKEND" != vm ] || hostname "$1"
}

test_with_the_policy() {
	demo_policy
	chmod 644 "$policy"
	machine_set_addr nic0 198.51.100.10
	assertStatus 0 rdmactl dump -p "$policy" "$T/node.dump"
	assertEquals "mode" 600 "$(stat -c %a "$T/node.dump")"
	chmod 644 "$T/node.dump"
	same drift -v -p "$policy"
	same drift -p "$policy"
	same plan -p "$policy"
	same show
	same show ports
	same show qos gid --port nic1
	assertStatus 0 rdmactl apply -p "$policy"
	machine_set_mtu nic1 1500
	machine_set_pfc nic0 3,5
	assertStatus 0 rdmactl dump -p "$policy" "$T/node.dump"
	assertEquals "mode of a file that was there" 600 "$(stat -c %a "$T/node.dump")"
	chmod 644 "$T/node.dump"
	same drift -p "$policy"
	same show
	# time and node are the dump's
	local when name
	when=$(rdmactl drift -o json -p "$policy" | jq -r .time)
	name=$(machine_node)
	elsewhere_machine other
	run elsewhere drift -o json -p "$policy" --from "$T/node.dump"
	elsewhere_machine "$name"
	assertEquals 1 "$status"
	assertEquals "$name" "$(json .node)"
	assertTrue "of the dump: $(json .time) is not later than $when" "[[ ! '$(json .time)' > '$when' ]]"
}

# No policy was at hand: everything that this one asks was asked all the same.
test_without_a_policy() {
	demo_policy
	chmod 644 "$policy"
	machine_set_ets nic0 '0:30% 3:70%'
	rdmactl dump >"$T/node.dump" 2>"$T/err"
	assertEquals 0 $?
	same drift -p "$policy"
	same plan -p "$policy"
	same show
}

test_readable_by_others_is_told() {
	(
		umask 022
		rdmactl dump >"$T/node.dump" 2>"$T/err"
	)
	assertContains "$(cat "$T/err")" 'goes to a file that others can read'
	(
		umask 077
		rdmactl dump >"$T/node2.dump" 2>"$T/err2"
	)
	assertEquals "" "$(cat "$T/err2")"
}

# What was never asked is unknown, not in sync and not drift.
test_never_asked() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	machine_write etc/sysctl.d/50-ours.conf 'kernel.sched_rt_runtime_us = 950000'
	assertStatus 0 rdmactl dump "$T/node.dump"
	[ "$BACKEND" = sim ] || rm /etc/sysctl.d/50-ours.conf
	sed -i 's/      max_backlog: 8192 /&\n      sysctl: {kernel.sched_rt_runtime_us: 950000}/' "$policy"
	assertStatus 2 rdmactl drift -o json -p "$policy" --from "$T/node.dump"
	assertEquals 'sysctl.kernel.sched_rt_runtime_us unknown not-recorded' \
		"$(json '.items[] | select(.status != "in-sync") | "\(.setting) \(.status) \(.reason)"')"
}

test_damaged() {
	demo_policy
	assertStatus 0 rdmactl dump "$T/node.dump"
	local size n
	size=$(stat -c %s "$T/node.dump")
	: >"$T/empty.dump"
	head -c $((size / 2)) "$T/node.dump" >"$T/truncated.dump"
	head -c 2000 /dev/urandom >"$T/noise.dump"
	sed '1s/^/x/' "$T/node.dump" >"$T/first.dump"
	for n in empty truncated noise first; do
		for command in "drift -p $policy" "plan -p $policy" show; do
			# shellcheck disable=SC2086	# words
			assertStatus 64 rdmactl $command --from "$T/$n.dump"
			assertErr "$n.dump"
			assertEquals "$n" "" "$out"
		done
	done
	assertStatus 64 rdmactl apply -p "$policy" --from "$T/node.dump"
	cat "$T/node.dump" "$T/node.dump" >"$T/two.dump"
	refused 64 "$T/two.dump:$(($(wc -l <"$T/node.dump") + 1)):1: error: another dump begins here" rdmactl show --from "$T/two.dump"
}

. shunit2
