#!/bin/bash
# --root: the cases of tests/cases that files alone decide, from the command line to the verdict of expected.txt; apply
# writes boot files below the root and nowhere else.
# shellcheck disable=SC2154,SC2034	# root, policy, out: lib.sh's; T: for it
. "$(dirname "$0")/lib.sh"

setUp() {	# no machine is needed
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	export RDMACTL_SIM=$T/none
}

node_policy() { # SETTING...
	policy < <(
		printf 'version: 1\nprofiles:\n  all:\n    node:\n'
		printf '      %s\n' "$@"
		printf 'nodes:\n  node1: {profiles: [all]}\n'
	)
}

port_policy() { # MATCH SETTING...
	policy < <(
		printf 'version: 1\nprofiles:\n  all:\n    ports:\n      one:\n        match: {%s}\n' "$1"
		shift
		printf '        %s\n' "$@"
		printf 'nodes:\n  node1: {profiles: [all]}\n'
	)
}

# drift STATUS ROW...: "SETTING WANT LIVE BOOT STATUS" of all rows but count
verdict() {
	local want=$1
	shift
	assertStatus "$want" rdmactl drift -o json --root "$root" -p "$policy"
	assertEquals "rows" "$(printf '%s\n' "$@")" \
		"$(json '.items[] | select(.setting != "count") | "\(.setting) \(.want) \(.live) \(.boot) \(.status)"')"
}

winner() { # SETTING: file and line that decide at boot
	json ".items[] | select(.setting == \"$1\") | .boot_origin | \"\(.file):\(.line)\""
}

test_mtu_4096_gives_2048() {
	local mtu roce
	root_of mtu-4096-gives-2048/tree.tsv node1
	port_policy 'ifname: ens1f0np0' 'mtu: 4200'
	verdict 1 'mtu 4200 4096 null drift'
	port_policy 'ifname: ens1f0np0' 'mtu: 4096'
	verdict 0 'mtu 4096 4096 null in-sync'
	assertErr 'netdev MTU 4096 yields RoCE MTU 2048; set 4200'
	assertStatus 1 rdmactl drift --strict --root "$root" -p "$policy"
	while IFS=$'\t' read -r mtu roce; do
		port_policy 'ifname: ens1f0np0' "mtu: $mtu"
		run rdmactl lint --node node1 "$policy"
		case $mtu:$roce in
		4096:2048 | 4191:2048) assertErr "netdev MTU $mtu yields RoCE MTU 2048" ;;
		4192:4096 | 4200:4096 | 9000:4096) assertNotContains "$mtu" "$err" 'yields RoCE MTU' ;;
		*) fail "the table says otherwise: $mtu $roce" ;;
		esac
	done < <(grep -E '^(4096|4191|4192|4200|9000)' "$TOP/tests/cases/mtu-4096-gives-2048/table.tsv")
}

test_modprobe_later_file_wins() {
	root_of modprobe-later-file-wins/tree.tsv node1
	node_policy 'modules: {mlx4_core: {options: {log_num_mac: 7, log_num_vlan: 1}}}'
	verdict 1 'modules.mlx4_core.options.log_num_mac 7 null 3 drift' 'modules.mlx4_core.options.log_num_vlan 1 null 1 unknown'
	assertEquals /etc/modprobe.d/mlx4.conf:1 "$(winner modules.mlx4_core.options.log_num_mac)"
	assertEquals /etc/modprobe.d/50-rdmactl.conf:1 "$(winner modules.mlx4_core.options.log_num_vlan)"
	assertStatus 1 rdmactl drift --root "$root" -p "$policy"
	assertOut '/etc/modprobe.d/mlx4.conf:1'
}

test_modprobe_line_grammar() {
	root_of modprobe-line-grammar/tree.tsv node1
	node_policy 'modules: {ib_core: {options: {netns_mode: 0}}, mlx4_core: {options: {log_num_mac: 7, log_num_vlan: 3}}}'
	verdict 1 'modules.ib_core.options.netns_mode 0 null (not set) drift' \
		'modules.mlx4_core.options.log_num_mac 7 null 7 unknown' 'modules.mlx4_core.options.log_num_vlan 3 null 3 unknown'
	assertErr '/etc/modprobe.d/rdma.conf:1:1: warning: line 1 is ignored by modprobe'
	assertErr '/etc/modprobe.d/rdma.conf:2:1: warning: line 2 has text after # that is passed to the module as parameters'
	assertEquals "two warnings" 2 "$(json '[.messages[] | select(.severity == "warning")] | length')"
}

test_module_bool() {
	local word
	root_of module-bool-live-N/tree.tsv node1
	for word in 0 N n false; do
		node_policy "modules: {ib_core: {options: {netns_mode: $word}}}"
		assertStatus 0 rdmactl drift --root "$root" -p "$policy"
	done
	for word in 1 Y y true; do
		node_policy "modules: {ib_core: {options: {netns_mode: $word}}}"
		assertStatus 1 rdmactl drift --root "$root" -p "$policy"
	done
}

test_sysctl_conf_wins() {
	root_of sysctl-99-sysctl-conf-wins/tree.tsv node1
	node_policy 'sysctl: {net.core.rmem_max: 67108864}'
	verdict 1 'sysctl.net.core.rmem_max 67108864 null 212992 drift'
	assertEquals /etc/sysctl.d/99-sysctl.conf:1 "$(winner sysctl.net.core.rmem_max)"
	# our file is named so that it wins
	run rdmactl apply --root "$root" -p "$policy"
	verdict 2 'sysctl.net.core.rmem_max 67108864 null 67108864 unknown'
	assertEquals /etc/sysctl.d/zz-rdmactl.conf:4 "$(winner sysctl.net.core.rmem_max)"
	assertEquals "his file is as it was" 'net.core.rmem_max=212992' "$(cat "$root/etc/sysctl.conf")"
}

test_sysctl_whose_key_is_absent() {
	root_of sysctl-ucm-key-absent/tree.tsv node1
	node_policy 'max_backlog: 4096'
	verdict 1 'max_backlog 4096 null null drift'
	assertEquals module-not-loaded "$(json '.items[].reason')"
	assertContains "$(json '.items[].cause')" 'rdma_ucm not loaded'
	assertContains "$(json '.items[].remedy')" 'modules-load.d'
	assertFalse "the key is not made" "[ -e '$root/proc/sys/net/rdma_ucm' ]"
}

# The byte holds DSCP and ECN: 104 to 107 are DSCP 26.
test_tclass_106_is_dscp_26() {
	local byte
	root_of tclass-106-is-dscp-26/tree.tsv node1
	local tos=$root/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos
	mkdir -p "$root"/sys/class/{net/ens1f0np0,infiniband/mlx5_0/ports/1/gid_attrs/{types,ndevs},infiniband/mlx5_0/ports/1/gids}
	echo 4200 >"$root/sys/class/net/ens1f0np0/mtu"
	echo ens1f0np0 >"$root/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0"
	echo 'RoCE v2' >"$root/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0"
	echo 'fe80:0000:0000:0000:0200:00ff:fe00:0001' >"$root/sys/class/infiniband/mlx5_0/ports/1/gids/0"
	echo 'RoCE v2' >"${tos%_tos}_mode"
	port_policy 'ibdev: mlx5_0' 'roce: {tos: rdma}'
	sed -i '1a fabric: {classes: {rdma: {priority: 3, dscp: [26], lossless: true}}}' "$policy"
	for byte in 104 105 106 107; do
		echo $byte >"$tos"
		assertStatus 0 rdmactl drift --root "$root" -p "$policy"
	done
	for byte in 26 103 108; do
		echo $byte >"$tos"
		verdict 1 "roce.tos 104 $byte null drift"
	done
	# a number is the whole byte
	echo 106 >"$tos"
	port_policy 'ibdev: mlx5_0' 'roce: {tos: 104}'
	verdict 1 'roce.tos 104 106 null drift'
}

# --- apply ---

# tree: every file of the root and what it holds
tree() {
	(cd "$root" && find . -type f -o -type l | sort | while read -r f; do echo "$f $(md5sum <"$f")"; done)
}

test_apply_writes_boot_files_only() {
	root_of module-bool-live-N/tree.tsv node1
	mkdir -p "$root/proc/sys/net/core" "$root/proc/sys/net/rdma_ucm" "$root/sys/module/rdma_ucm"
	echo 212992 >"$root/proc/sys/net/core/rmem_max"
	echo 8192 >"$root/proc/sys/net/rdma_ucm/max_backlog"
	node_policy 'max_backlog: 8192' 'sysctl: {net.core.rmem_max: 33554432}' 'modules: {rdma_ucm: {load: true}, siw: {blacklist: true}}'
	local before live
	before=$(tree)
	live=$(cat "$root/proc/sys/net/core/rmem_max")
	assertStatus 1 rdmactl plan -o json --root "$root" -p "$policy"
	assertEquals "boot files alone are planned" 'boot files' "$(json '[.changes[].object] | unique | join(" ")')"
	assertEquals "a plan writes nothing" "$before" "$(tree)"
	run rdmactl apply -o json --root "$root" -p "$policy"
	assertEquals "live is as it was" "$live" "$(cat "$root/proc/sys/net/core/rmem_max")"
	assertEquals "what is new" "$(printf './etc/%s\n' modprobe.d/zz-rdmactl.conf modules-load.d/rdmactl.conf sysctl.d/zz-rdmactl.conf)" \
		"$(comm -13 <(echo "$before") <(tree) | cut -d' ' -f1)"
	assertEquals "what is gone" "" "$(comm -23 <(echo "$before") <(tree))"
	before=$(tree)
	echo 33554432 >"$root/proc/sys/net/core/rmem_max"	# as a boot with these files
	assertStatus 0 rdmactl drift --root "$root" -p "$policy"
	assertStatus 0 rdmactl apply -o json --root "$root" -p "$policy"
	assertEquals 'false 0' "$(json '"\(.changed) \(.writes)"')"
}

# A link never leads out of the root, and is never written through.
test_symlinks() {
	root_of module-bool-live-N/tree.tsv node1
	mkdir -p "$T/outside" "$root/etc/modules-load.d"
	echo '# Written by rdmactl' >"$T/outside/victim"
	ln -s "$T/outside" "$root/etc/sysctl.d"
	ln -s "$T/outside/victim" "$root/etc/modules-load.d/rdmactl.conf"
	ln -s ../../../../../../../../../../../../etc/hostname "$root/etc/modprobe.d/zz-rdmactl.conf"
	node_policy 'sysctl: {net.core.rmem_max: 33554432}' 'modules: {rdma_ucm: {load: true}, siw: {blacklist: true}}'
	assertStatus 3 rdmactl apply --root "$root" -p "$policy"
	assertErr 'cannot write /etc/sysctl.d/zz-rdmactl.conf'
	assertEquals "outside" 'victim # Written by rdmactl' "$(ls "$T/outside") $(cat "$T/outside/victim")"
	assertEquals "the root's own file" node1 "$(cat "$root/etc/hostname")"
	# each of the three alone
	assertStatus 3 rdmactl apply --only sysctl --root "$root" -p "$policy"
	assertStatus 1 rdmactl apply --only modules.rdma_ucm --root "$root" -p "$policy"
	assertOut '/etc/modules-load.d/rdmactl.conf is a symbolic link, which rdmactl does not write through'
	assertStatus 1 rdmactl apply --only modules.siw -o json --root "$root" -p "$policy"
	assertContains "$(json '.items[].remedy')" '/etc/modprobe.d/zz-rdmactl.conf is a symbolic link'
	assertEquals "outside" 'victim # Written by rdmactl' "$(ls "$T/outside") $(cat "$T/outside/victim")"
}

test_reading_through_links_stays_inside() {
	root_of module-bool-live-N/tree.tsv node1
	rm "$root/sys/module/ib_core/parameters/netns_mode"
	mkdir -p "$T/outside"
	echo Y >"$T/outside/netns_mode"
	ln -s "$T/outside/netns_mode" "$root/sys/module/ib_core/parameters/netns_mode"
	node_policy 'modules: {ib_core: {options: {netns_mode: 0}}}'
	run rdmactl drift -o json --root "$root" -p "$policy"
	assertNotContains "the file outside" "$(json '.items[].live')" Y
	assertNotContains "the file outside" "$(json '.items[].live')" true
}

test_root_that_is_none() {
	node_policy 'sysctl: {net.core.rmem_max: 1}'
	assertStatus 64 rdmactl drift --root "$T/nowhere" -p "$policy"
	assertErr "cannot open $T/nowhere"
	assertStatus 64 rdmactl drift --root "$policy" -p "$policy"
	# no host name there: the policy cannot know the node
	mkdir "$T/empty"
	assertStatus 65 rdmactl drift --root "$T/empty" -p "$policy"
	run rdmactl drift --root "$T/empty" --node node1 -p "$policy"
	assertNotEquals 0 "$status"
}

. shunit2
