#!/bin/bash
# explain of command lines and topics: exit statuses, -o json.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, err, status: lib.sh's
. "$(dirname "$0")/lib.sh"

test_answers_and_exit_statuses() {
	assertStatus 0 rdmactl explain 'mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0'
	assertOut 'policy      qos: {pfc: [3]}'
	assertOut 'impact      traffic'
	assertStatus 0 rdmactl explain 'options mlx5_core log_num_mtt=24'
	assertOut 'exists      no'
	assertOut 'it is an option of mlx4_core'
	assertStatus 0 rdmactl explain backlog
	assertOut 'keys        max_backlog'
	assertStatus 0 rdmactl explain 'mlnx_qos -i eth0 --pcf 1'
	assertOut 'there is no option --pcf; the nearest is --pfc'
	refused 64 "did you mean 'mlnx_qos'" rdmactl explain 'mlnx_qoss -i eth0'
	refused 64 'here-documents are not read' rdmactl explain 'cat <<EOF'
	refused 64 "did you mean 'qos.pfc'" rdmactl explain pfc
	refused 64 "nothing is known of a command 'cat'" rdmactl explain 'cat notes.txt'
	assertNotContains "no word is near itself" "$err" "did you mean 'cat'"
	assertStatus 0 rdmactl explain ' mtu '
}

# What is written is not told as if it were read.
test_what_writes_says_so() {
	local line
	for line in 'ip link set eth0 up' 'ip addr add 10.0.0.1/24 dev eth0' 'ip link add link eth0 name eth0.5 type vlan id 5' \
		'ip route del default' 'ethtool -N eth0 rx-flow-hash udp4 sdfn'; do
		assertStatus 0 rdmactl explain "$line"
		assertNotOut 'it changes nothing'
	done
	for line in 'ip link show' 'ip -s a' 'ip route' 'ip neigh show dev eth0' 'ethtool eth0'; do
		assertStatus 0 rdmactl explain "$line"
		assertOut 'it changes nothing'
	done
}

test_several_commands() {
	assertStatus 0 rdmactl explain 'sudo modprobe rdma_ucm && sysctl -w net.rdma_ucm.max_backlog=8192; frobnicate'
	assertOut 'node: {modules: {rdma_ucm: {load: true}}}'
	assertOut 'node: {max_backlog: 8192}'
	assertErr "nothing is known of 'frobnicate' in this line"
	assertStatus 0 rdmactl explain qos.pfc backlog 'ethtool -A eth0 rx off'
	assertOut 'each physical port'
	assertOut 'pause: {rx: false}'
}

test_json() {
	assertStatus 0 rdmactl explain -o json 'cma_roce_tos -d mlx5_0 -t 106' 'sysctl -w net.rdma_ucm.max_backlog=8192' memory-pool
	assertEquals 'roce: {tos: 106}' "$(json '.[0].group')"
	assertEquals 'yes none mlx5_0' "$(json '.[0] | "\(.exists) \(.impact) \(.device)"')"
	assertEquals 'node: {max_backlog: 8192}' "$(json '.[1].node')"
	assertEquals true "$(json '.[2].out_of_scope')"
}

test_nothing_reaches_the_terminal() {
	run rdmactl explain $'mlnx_qos -i \e[2J --trust \e]0;x\a'
	assertEquals 0 "$status"
	assertEquals '' "$(printf '%s' "$out$err" | tr -d '\n' | tr -dc '\000-\037\177')"
}

# Nothing is run, expanded or asked: what a command line names is not even looked for.
test_nothing_happens() {
	local before
	before=$(machine_state)
	assertStatus 0 rdmactl explain "echo \$(touch $T/made) > /sys/class/net/nic0/mtu; sysctl -w net.core.rmem_max=\`touch $T/made\`"
	assertFalse 'a substitution was run' "[ -e $T/made ]"
	assertOut 'with what'
	assertMachine "$before"
}

. shunit2
