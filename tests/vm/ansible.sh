#!/bin/bash
# The canary rollout of the Ansible collection over four nodes of a real kernel, by SSH: this machine's ansible-playbook is
# the controller, and the nodes are tests/vm/nodes. Judged by what ip, dcb, ethtool and sysctl say on the nodes.
# Boots a guest of its own: inside one the controller alone would take 13 s of each playbook. KERNEL=6.1 for the other.
# With EACH=1 the nodes start a python for each module, as real ones do, and all of it takes thrice the time.
# shellcheck disable=SC2154	# out, status: lib.sh's
export BACKEND=vm
. "$(dirname "$0")/../cli/lib.sh"
. "$TOP/tests/cli/ansible-lib"

oneTimeSetUp() {
	ready=/usr/local/sbin/python
	[ -z "${EACH:-}" ] || ready=''
	T=$SHUNIT_TMPDIR/all OUT=$SHUNIT_TMPDIR/out
	mkdir "$T" "$OUT"
	cp "$B/rdmactl" "$OUT/"
	ssh-keygen -q -t ed25519 -N '' -f "$T/client"
	cp "$T/client.pub" "$OUT/"
	dropbearkey -t ed25519 -f "$OUT/hostkey" 2>&1 | sed -n 's/^ssh-/nodes &/p' >"$T/known_hosts"
	inventory
	boot
}

# Ports of this machine that nobody has, ${port[N]} for node N, and the inventory.
inventory() {
	mapfile -t -O 1 port < <("$ansible_python" -c 'import socket
for one in [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]: print(one.getsockname()[1])')
	ssh=(-F none -i "$T/client" -o UserKnownHostsFile="$T/known_hosts" -o HostKeyAlias=nodes -o IdentitiesOnly=yes -o IdentityAgent=none)
	cat >"$T/hosts.yml" <<-END
		all:
		  hosts:
		    node1: {ansible_port: ${port[1]}, rdmactl_install: binary, rdmactl_binary: $OUT/rdmactl}
		    node2: {ansible_port: ${port[2]}}
		    node3: {ansible_port: ${port[3]}}
		    node4: {ansible_port: ${port[4]}}
		  vars:
		    ansible_host: 127.0.0.1
		    ansible_user: root
		    ansible_ssh_common_args: ${ssh[*]}
		    ansible_ssh_transfer_method: piped
		    ansible_python_interpreter: ${ready:-/usr/bin/python3}
		    rdmactl_install: none
		    rdmactl_policy_src: $T/policy.yaml
		    rdmactl_ports_delay: 1
	END
	policy < <(sed 's/^  node1:/  node[1-4]:/; s/max_backlog: 8192 .*/sysctl: {net.ipv4.conf.all.arp_ignore: 1}/' "$TOP/policies/demo.yaml")
}

boot() {
	local n cards=()
	for n in 1 2 3 4; do
		cards+=("-netdev user,id=n$n,restrict=on,hostfwd=tcp:127.0.0.1:${port[n]}-:22 -device virtio-net-pci,netdev=n$n")
	done
	: >"$T/guest"
	(cd "$TOP" && SMP=1 exec tests/vm/run-guest -k "${KERNEL:-6.12}" -t 1800 -o "$OUT" -q "${cards[*]}" \
		tests/vm/nodes 4 ${ready:+ready}) >"$T/guest" 2>&1 &
	guest=$!
	until grep -qx ready "$T/guest"; do
		kill -0 $guest 2>/dev/null || { cat "$T/guest"; return 1; }
		sleep 0.5
	done
}

setUp() { :; }	# each test begins where the one before has ended

oneTimeTearDown() {
	[ -e "$OUT" ] || return 0
	touch "$OUT/end"
	wait $guest
}

# on N COMMAND: a line for the shell of node N
on() {
	ssh "${ssh[@]}" -p "${port[$1]}" -o ControlMaster=auto -o ControlPersist=yes -o ControlPath="$T/on.%p" root@127.0.0.1 "${@:2}"
}

# values N: all that the policy is about, in the words of other tools
values() {
	on "$1" 'for nic in nic0 nic1; do
		ip -o link show $nic
		dcb ets show dev $nic
		dcb pfc show dev $nic
		dcb -N app show dev $nic
		ethtool -a $nic
		grep -H . /sys/kernel/debug/mlx5/$(basename $(readlink /sys/class/net/$nic/device))/cc_params/np_*
	done
	sysctl net.ipv4.conf.all.arp_ignore'
}

# files N: what was written there
files() {
	on "$1" 'find /etc/rdmactl /var/lib/rdmactl /etc/sysctl.d/zz-rdmactl.conf -type f 2>/dev/null | sort'
}

# fault N NIC OP SPEC: as tests/vm/README.md has them
fault() {
	on "$1" "echo ${*:4} >/sys/kernel/debug/fabricsim/\$(basename \$(readlink /sys/class/net/$2/device))/$3"
}

# returned N: what rdmactl_apply returned on node N in the last playbook, with -v
returned() {
	awk -v node="[node$1]" '/^TASK / { it = /Bring the node into policy/ } it && $2 == node { sub(/^[^{]*/, ""); print }' <<<"$out"
}

# diff_of N: what --diff showed of it
diff_of() {
	awk -v head="--- before: node$1 as it is" 'index($0, head) == 1 { it = 1 } it && /^$/ { exit } it' <<<"$out"
}

rollout() {
	canary -e '{"rdmactl_serial": [1, "25%", "100%"]}' "$@"
}

test_a_node_that_refuses_stops_it() {
	local before2 before3 before4
	before2=$(values 2) before3=$(values 3) before4=$(values 4)
	fault 2 nic1 fault/mtu err 16
	rollout
	assertEquals "it fails" 2 "$status" || show_run rollout
	assertEquals "the first batch is done, the second was tried" "node1=4 node2=2" "$(recap changed)"	# program, folder, policy; apply
	assertEquals "node1=0 node2=1" "$(recap failed)"
	said "the rollout stops with node2, at: Bring the node into policy"
	said "node2 refused a change, and everything was undone (exit status 3, failed-rolled-back)"
	said "cannot set mtu to 9000: Device or resource busy"
	said "not touched: node3, node4"
	assertEquals "node2 is as it was" "$before2" "$(values 2)"
	assertEquals "node3 is as it was" "$before3" "$(values 3)"
	assertEquals "node4 is as it was" "$before4" "$(values 4)"
	assertEquals "nothing was written there" "" "$(files 3)$(files 4)"
	out=$(values 1)
	assertEquals "node1 has it" 2 "$(grep -c 'mtu 9000 ' <<<"$out")" || echo "$out"
	assertContains "$out" "3:on"
	assertContains "$out" "26:3"
	assertContains "$out" "arp_ignore = 1"
	assertNotEquals "$before3" "$out"
	fault 2 nic1 fault/mtu none
}

test_check_says_what_apply_does() {
	local before check diff n
	before=$(values 3)
	rollout --limit node3 --check --diff -v
	assertEquals "check" 0 "$status" || show_run check
	assertEquals "check writes nothing" "$before" "$(values 3)"
	assertEquals "also no file" "" "$(files 3)"
	check=$(returned 3) diff=$(diff_of 3)
	assertContains "the diff has the values" "$diff" "+nic0 mtu: 9000"

	rollout --diff -v
	assertEquals "the rollout goes through" 0 "$status" || show_run rollout
	assertEquals "node1 is in policy, node2 has the policy" "node1=0 node2=1 node3=3 node4=3" "$(recap changed)"
	assertEquals "the diff" "$diff" "$(diff_of 3)"
	assertEquals "what it returns" "$(foretold <<<"$check")" "$(returned 3 | foretold)"
	for n in 1 2 3 4; do assertTrue "node$n is in policy" "on $n rdmactl drift -q"; done
}

foretold() {
	jq -S '[.changed, .exit_code, .remaining, (.changes | map(del(.done)))]'
}

test_in_policy_means_no_change() {	# node1 had its second run in the test before
	local before
	before=$(values 2; values 4)
	rollout --limit '!node1' -e rdmactl_serial=100%
	assertEquals 0 "$status" || show_run rollout
	assertEquals "node2=0 node3=0 node4=0" "$(recap changed)"
	assertEquals "$before" "$(values 2; values 4)"
}

test_a_port_that_stays_away() {
	local before
	before=$(values 2)
	sed -i 's/, link: ethernet}/}/; /^ *link:/d; s/^    cnp:/    more:    {priority: 4, dscp: [34], lossless: true}\n&/' "$policy"
	fault 1 nic1 flap_on_set Y
	fault 1 nic1 flap_ms 60000000
	rollout -e rdmactl_ports_retries=2
	assertEquals "it fails" 2 "$status" || show_run rollout
	said "the rollout stops with node1, at: Stop if a port did not come back"
	said "node1: nic1 had a carrier before, and none after"
	said "not touched: node2, node3, node4"
	assertEquals "node2 is as it was" "$before" "$(values 2)"
}

test_the_kernels_log_is_clean() {
	assertEquals "" "$(on 1 dmesg | grep -E 'WARNING:|BUG:|Call Trace|Oops')"
}

. shunit2
