#!/bin/bash
# Law 1 on the simulator, for each driver and each thing that a machine may lack: what reads sends no set, leaves no
# directory in configfs and changes nothing. On a real kernel tests/vm/reads.sh looks with strace.
# shellcheck disable=SC2154	# out, sets, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'tests/vm/reads.sh does it with strace'; }
	suite() { suite_addTest elsewhere; }
fi

# none COMMAND...: changes nothing, whatever it says
none() {
	assertSets 0 rdmactl "$@"
	assertTrue "exit status $status of: $*" "[ $status -le 2 ]"
	assertNotContains "asked what nobody taught the simulator: $*" "$(sim log)" 'not taught:'
}

read_all() {
	local before
	demo_policy
	sed -i "s/driver: mlx5_core, link/driver: ${1:-mlx5_core}, link/; s/mode: v2/enabled: true, mode: v2/" "$policy"
	sed -i "s/firmware: .*/&\n        gid: {version: v2, family: ipv4}/" "$policy"
	before=$(machine_state)
	none lint "$policy"
	none drift -p "$policy"
	none drift -v -o json -p "$policy"
	none plan --allow reload -p "$policy"
	none apply --dry-run --allow reload -p "$policy"
	none show
	none show ports
	none show -o json roce qos
	none explain
	none dump -p "$policy" "$T/node.dump"
	none drift -p "$policy" --from "$T/node.dump"
	none version
	assertMachine "$before"
	assertEquals "configfs" "" "$(sim ls sys/kernel/config/rdma_cm 2>/dev/null)"
}

test_mlx5() {
	read_all
	assertTrue "ToS was read, so directories were made and taken away" "[ $(sim count mkdirs) -gt 0 ]"
	assertContains "$(rdmactl show roce.tos)" roce.tos
}

test_other_drivers() {
	local line
	for line in ice:ice bnxt_en:bnxt hns3:hns3; do
		sim reset --driver "${line%:*}" --manners "${line#*:}"
		read_all "${line%:*}"
	done
}

test_ofed_and_6_1() {
	sim reset --ofed
	read_all
	sim reset --release 6.1
	read_all
}

test_what_a_machine_may_lack() {
	local what
	for what in rdma devlink debugfs configfs dcb ucm; do
		sim reset --no-$what
		read_all
	done
	sim reset
	sim user nobody
	read_all
}

test_in_a_bond_and_gone() {
	sim bond bond0 nic0 nic1
	read_all
	sim vanish nic1
	read_all
}

# A directory of somebody else stays.
test_configfs_directory_of_another() {
	demo_policy
	# what apply needs of it, it makes; here somebody has it already
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals "apply leaves none" "" "$(sim ls sys/kernel/config/rdma_cm 2>/dev/null)"
	assertStatus 0 rdmactl drift -p "$policy"
	assertEquals "" "$(sim ls sys/kernel/config/rdma_cm 2>/dev/null)"
}

. shunit2
