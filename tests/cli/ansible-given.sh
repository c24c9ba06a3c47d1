#!/bin/bash
# What the role of the Ansible collection is given: a policy of several files, from judging it to the way back to the old
# one; and what it cannot work with, said before anything is written. On the simulator alone so far.
# shellcheck disable=SC2154	# out, status: lib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ansible-lib"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	cd "$T" || return
	four_nodes
	several_files
}

several_files() {
	mkdir "$T/fabric"
	cat >"$T/fabric/fabric.yaml" <<-'END'
		version: 1
		fabric:
		  mtu: 4200	# "ü" and '\n' are text, {{ and }} too
	END
	small_policy
}

small_policy() { # [KEY: VALUE]: of the ports
	cat >"$T/fabric/policy.yaml" <<-END
		version: 1
		include: [fabric.yaml]
		profiles:
		  small: {ports: {rail: {match: {driver: mlx5_core}, count: 2, mtu: fabric${1:+, $1}}}}
		nodes:
		  node[1-4]: {profiles: [small]}
	END
}

# host N KEY: VALUE...: these variables for node N
host() {
	sed -i 's/^    node\[1:4\]:$/    node1:\n    node2:\n    node3:\n    node4:/' "$T/hosts.yml"
	sed -i "s|^    node$1:.*|    node$1: {$2}|" "$T/hosts.yml"
}

test_several_files_and_the_way_back() {
	canary --limit node3 --check -e rdmactl_policy_src=fabric
	assertEquals "check, by a relative path" 0 "$status" || show_run check
	assertFalse "no policy came to it" "[ -e '$T/node3/etc' ]"
	canary -e '{"rdmactl_serial": ["100%"]}' -e rdmactl_policy_src=fabric --limit node1,node3
	assertEquals 0 "$status" || show_run canary
	assertEquals "4200 4200" "$(node 1 get mtu nic1) $(node 3 get mtu nic1)"
	assertTrue "both files are there" "cmp '$T/fabric/fabric.yaml' '$T/node3/etc/fabric.yaml' && cmp '$T/fabric/policy.yaml' '$T/node3/etc/policy.yaml'"

	small_policy 'firmware: {version: 1.0}, roce: {tos: 96}'
	ANSIBLE_CALLBACK_RESULT_FORMAT=yaml canary -e rdmactl_policy_src=fabric -e rdmactl_hosts=node3,all
	assertNotEquals 0 "$status"
	said "the rollout stops with node3, at: Bring the node into policy"
	assertContains "as people read it" "$out" $'\n        not touched: node1, node2, node4\n'
	assertEquals 96 "$(node 3 get roce_tos nic0)"

	small_policy
	canary -e rdmactl_policy_src=fabric --limit node3 -e rdmactl_revert_dropped=true
	assertEquals "the old one" 0 "$status" || show_run back
	assertEquals "node3=2" "$(recap changed)"	# policy; apply
	assertEquals "gives back" 0 "$(node 3 get roce_tos nic0)"
}

test_what_it_cannot_work_with() {
	mkdir "$T/parts"
	cp "$T/fabric/fabric.yaml" "$T/parts/"
	host 1 'rdmactl_policy_src: fabric/policy.yaml'
	host 2 'rdmactl_policy_src: parts'
	host 3 'rdmactl_policy_src: elsewhere.yaml'
	host 4 'rdmactl_policy_src: fabric, rdmactl_install: binary'
	sed -i '/^    rdmactl_policy_src:/d' "$T/hosts.yml"
	canary -e rdmactl_serial=100%
	assertNotEquals 0 "$status"
	said "the rollout stops with node1, at: Have all files of the policy"
	said "fabric/policy.yaml includes other files, and this file alone would come to the node"
	said "and give the directory"
	said "the directory $T/parts has no policy.yaml"
	said "elsewhere.yaml is not on the controller, neither where the playbook is nor in $T"
	said "rdmactl_install=binary needs rdmactl_binary, the program on the controller, and it is not set"
	assertEquals "node1=0 node2=0 node3=0 node4=0" "$(recap changed)"
}

test_what_a_node_lacks() {
	host 1 'rdmactl_executable: /nowhere/rdmactl'
	host 2 'rdmactl_boot_unit: true'
	sed -i 's|^  mtu: |  mtuu: |' fabric/fabric.yaml
	sed -i "s|^    rdmactl_policy_src:.*|    rdmactl_policy_src: $T/fabric|" "$T/hosts.yml"
	canary -e rdmactl_serial=100% --limit node1,node3 --check
	said "/nowhere/rdmactl is not on this node, and check mode installs nothing"
	said "what next: install it first, which enables and changes nothing, and check again"
	said "fabric.yaml:3:3: fabric default: unknown key"

	sed -i 's/^  mtuu: /  mtu: /' fabric/fabric.yaml
	canary --limit node2 -e '{"rdmactl_systemd": {"stat": {"exists": true}}}'
	said "the rollout stops with node2, at: Stop before units that are not there"
	said "node2 has not all of rdmactl.service, which the role would enable (systemctl: "
	assertFalse "no policy came to it" "[ -e '$T/node2/etc' ]"
}

test_the_program_alone() {
	page "Only the program"
	mkdir "$T/sbin"
	host 1 "rdmactl_install: binary, rdmactl_binary: node2/rdmactl, rdmactl_executable: $T/sbin/rdmactl"
	playbook -i "$T/hosts.yml" "$T/page.yml" -e ansible_become=false --limit node1
	assertEquals 0 "$status" || show_run page
	assertTrue "it is there" "cmp '$T/node2/rdmactl' '$T/sbin/rdmactl'"
	assertEquals "and nothing else was done" "node1=1" "$(recap changed)"
}

. shunit2
