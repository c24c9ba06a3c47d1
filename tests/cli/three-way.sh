#!/bin/bash
# Policy, live and next boot from the command line: --live and --boot, keys that the policy drops, render boot, forget.
# On the simulator alone so far: its trees and drivers are the simulator's.
# shellcheck disable=SC2154	# out, err, status, policy, sets: lib.sh's
. "$(dirname "$0")/lib.sh"

OURS=(etc/modules-load.d/rdmactl.conf etc/modprobe.d/zz-rdmactl.conf etc/sysctl.d/zz-rdmactl.conf)

# node_policy LINE...: a policy for the node alone
node_policy() {
	policy < <(printf 'version: 1\nnodes:\n  "%s":\n    set:\n      ports: {a: {match: {driver: mlx5_core}}}\n      node:\n        boot: {files: 0}\n' "$(machine_node)"
		[ $# = 0 ] || printf '        %s\n' "$@")
}

KEYS=('max_backlog: 8192' 'sysctl: {vm.swappiness: 10}' 'modules: {siw: {blacklist: true}, rdma_ucm: {load: true}}')

test_one_home_alone() {
	node_policy 'max_backlog: 8192'
	assertStatus 0 rdmactl apply -p "$policy"
	machine_set_sysctl net.rdma_ucm.max_backlog 512
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'drift (live)'
	assertStatus 1 rdmactl drift --live -p "$policy" -o json
	assertEquals 'max_backlog drift true null null' \
		"$(json '.items[] | select(.status == "drift") | "\(.setting) \(.status) \(.live_wrong) \(.boot_wrong) \(.boot)"')"
	assertStatus 0 rdmactl drift --boot -p "$policy" -o json
	assertEquals 'boot.files max_backlog' "$(json '[.items[].setting] | sort | join(" ")')"	# count has no such home
	assertEquals null "$(json '.items[] | select(.setting == "max_backlog") | .live')"
	machine_set_sysctl net.rdma_ucm.max_backlog 8192
	machine_write etc/sysctl.d/zzz.conf net.rdma_ucm.max_backlog=64
	assertStatus 0 rdmactl drift --live -p "$policy"
	assertStatus 1 rdmactl drift --boot -p "$policy"
	assertOut 'drift (boot)'
	assertOut '/etc/sysctl.d/zzz.conf:1 wins; /etc/sysctl.d/zz-rdmactl.conf:4, which says what is wanted, is outvoted'
	assertStatus 1 rdmactl drift --boot -p "$policy" -o json
	assertEquals '/etc/sysctl.d/zz-rdmactl.conf 4 8192 /etc/sysctl.d/zzz.conf is read later' \
		"$(json '.items[] | select(.losers) | .losers[] | "\(.file) \(.line) \(.value) \(.why)"')"
	refused 64 '--live and --boot exclude each other' rdmactl drift --live --boot -p "$policy"
}

# A rule of udev is later than systemd-sysctl: the one that surely sets the key wins, one that may is told and decides nothing.
test_a_rule_of_udev() {
	local rules=etc/udev/rules.d/70-rdma.rules

	node_policy 'max_backlog: 8192'
	assertStatus 0 rdmactl apply -p "$policy"
	machine_write $rules 'SUBSYSTEM=="module", KERNEL=="rdma_ucm", ACTION=="add", SYSCTL{net/rdma_ucm/max_backlog}="64"'
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'drift (boot)'
	assertOut "/$rules:1, a rule of udev, sets it whenever the device appears, and so outvotes what is wanted: /etc/sysctl.d/zz-rdmactl.conf:4"
	assertStatus 1 rdmactl drift -p "$policy" -o json
	assertEquals "64 /$rules 1" "$(json '.items[] | select(.setting == "max_backlog") | "\(.boot) \(.boot_origin.file) \(.boot_origin.line)"')"
	assertSets 0 rdmactl apply -p "$policy"
	assertOut 'other-owner'
	machine_write $rules 'SUBSYSTEM=="module", KERNEL=="rdma_ucm", SYSCTL{net/rdma_ucm/max_backlog}="8192"'
	assertStatus 0 rdmactl drift -p "$policy"
	assertEquals '' "$err"
	machine_write $rules 'KERNEL=="rdma_ucm", RUN+="/sbin/sysctl -w net.rdma_ucm.max_backlog=64"'
	assertStatus 0 rdmactl drift -p "$policy"
	assertErr "/$rules:1:1: note: a udev rule may set /proc/sys/net/rdma_ucm/max_backlog to 64: it runs"
	assertStatus 0 rdmactl dump "$T/dump"
	assertStatus 0 rdmactl drift --from "$T/dump" -p "$policy"
	assertErr 'a udev rule may set'
}

# Rules that cannot be read may say anything: that is told, not taken for none.
test_rules_of_udev_that_cannot_be_read() {
	node_policy 'max_backlog: 8192'
	assertStatus 0 rdmactl apply -q -p "$policy"
	sim put etc/udev/rules.d/70-rdma.rules ''
	sim deny etc/udev/rules.d EACCES
	run rdmactl drift -p "$policy"
	assertErr 'whether a rule of udev sets /proc/sys/net/rdma_ucm/max_backlog is not wholly known: the rules of udev cannot be read: Permission denied'
}

test_a_rule_of_udev_sets_an_mtu() {
	local rules=etc/udev/rules.d/85-mtu.rules

	demo_policy
	machine_write $rules 'ACTION=="add", SUBSYSTEM=="net", DRIVERS=="mlx5_core", ATTR{mtu}="1500"'
	assertStatus 1 rdmactl plan -p "$policy"
	assertOut "/$rules:1: systemd-udevd (a rule) sets the MTU of nic0 to 1500 when the device appears"
	machine_write $rules 'ACTION=="add", SUBSYSTEM=="net", DRIVERS=="ice", ATTR{mtu}="1500"'
	assertStatus 1 rdmactl plan -p "$policy"
	assertNotOut "/$rules"
	machine_write $rules 'ACTION=="add", SUBSYSTEM=="net", TEST=="/etc/big", ATTR{mtu}="1500"'
	assertStatus 1 rdmactl plan -p "$policy"
	assertErr "/$rules:1:1: note: a udev rule may set the MTU of nic0 to 1500 when it appears: it asks for TEST"
	assertStatus 0 rdmactl apply -p "$policy"
}

# A blacklist does not keep away what another module brings; an install line does.
test_a_blacklisted_module_may_come_along() {
	local conf=etc/modprobe.d/50-x.conf

	node_policy 'modules: {rdma_ucm: {load: true}}'
	assertStatus 0 rdmactl apply -q -p "$policy"
	machine_write $conf "$(printf 'blacklist rdma_ucm\nsoftdep mlx5_core post: rdma_ucm')"
	assertStatus 1 rdmactl drift --boot -p "$policy"
	assertOut "/$conf:1 keeps it from being loaded; /$conf:2 loads it along with mlx5_core, if that is loaded"
	machine_write $conf "$(printf 'install rdma_ucm /bin/true\nsoftdep mlx5_core post: rdma_ucm')"
	assertStatus 1 rdmactl drift --boot -p "$policy"
	assertOut "/$conf:1 keeps it from being loaded"
	assertNotOut 'loads it along'
}

test_pending_names_its_event() {
	node_policy 'modules: {ib_core: {options: {netns_mode: "N"}}}'
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'pending (reload)'
	assertStatus 0 rdmactl drift --ignore-pending -p "$policy"
	assertStatus 0 rdmactl drift --boot -p "$policy"
}

# A policy that drops keys drops their lines, and at last the files, in one change.
test_dropped_keys_leave_no_line() {
	node_policy "${KEYS[@]}"
	assertStatus 0 rdmactl apply -p "$policy"
	node_policy 'sysctl: {vm.swappiness: 10}' 'modules: {rdma_ucm: {load: true}}'
	assertStatus 1 rdmactl drift --boot -p "$policy" -o json
	assertEquals 'boot.files drift' "$(json '.items[] | select(.status != "in-sync") | "\(.setting) \(.status)"')"
	assertStatus 0 rdmactl apply -p "$policy"
	assertNotContains "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" max_backlog
	assertContains "$(machine_read etc/sysctl.d/zz-rdmactl.conf)" 'vm.swappiness = 10'
	assertSets 0 rdmactl apply -p "$policy"
	node_policy
	assertStatus 1 rdmactl drift -p "$policy"
	assertOut 'boot.files'
	assertStatus 1 rdmactl plan -p "$policy" -o json
	assertEquals 1 "$(json '.changes | length')"
	assertStatus 0 rdmactl apply -p "$policy"
	assertOut 'removes: /etc/sysctl.d/zz-rdmactl.conf'
	for f in "${OURS[@]}"; do assertEquals "$f" '' "$(machine_read "$f" 2>/dev/null)"; done
	assertSets 0 rdmactl apply -p "$policy"
	assertEquals 0 "$status"
}

# A line of ours that a later file of somebody else beats stays when another one goes, and counts again when that file is gone.
test_a_line_that_is_outvoted_stays() {
	node_policy 'max_backlog: 8192' 'sysctl: {vm.swappiness: 10}' 'modules: {rdma_ucm: {load: true}}'
	assertStatus 0 rdmactl apply -p "$policy"
	machine_write etc/sysctl.d/zzz-test.conf 'net.rdma_ucm.max_backlog = 64'
	node_policy 'max_backlog: 8192' 'modules: {rdma_ucm: {load: true}}'
	# one value of the change is left, the other made: each row has its own way out
	assertStatus 1 rdmactl drift -p "$policy" -o json
	assertEquals "$(printf '%s\n' 'max_backlog other-owner /etc/sysctl.d/zzz-test.conf:1 sets it, and is read after /etc/sysctl.d/zz-rdmactl.conf: change it there, rdmactl edits no file of others' \
		"boot.files null rdmactl apply --only boot.files -p $policy")" \
		"$(json '.items[] | select(.status == "drift") | "\(.setting) \(.reason) \(.remedy)"')"
	assertStatus 1 rdmactl apply -p "$policy" -o json
	assertEquals 'max_backlog drift other-owner' \
		"$(json '.items[] | select(.status == "drift") | "\(.setting) \(.status) \(.reason)"')"
	assertEquals 'net.rdma_ucm.max_backlog = 8192' "$(machine_read etc/sysctl.d/zz-rdmactl.conf | grep -v '^#')"
	assertSets 0 rdmactl apply -p "$policy"
	machine_write etc/sysctl.d/zzz-test.conf ''
	assertStatus 0 rdmactl drift -p "$policy"
}

# What keeps one value from being written has its own reason, whatever becomes of the others.
test_a_builtin_beside_others() {
	machine_write "lib/modules/$("$RDMACTL" show -o json | jq -r .kernel)/modules.builtin" 'kernel/drivers/nvme/host/nvme-rdma.ko'
	node_policy 'sysctl: {vm.swappiness: 10}' 'modules: {nvme_rdma: {options: {register_always: 0}}}'
	assertStatus 1 rdmactl drift --boot -p "$policy" -o json
	assertEquals 'modules.nvme_rdma.options.register_always refused' \
		"$(json '.items[] | select(.setting | startswith("modules.nvme")) | "\(.setting) \(.reason)"')"
	assertOut 'put nvme_rdma.register_always=0 on the kernel command line'
}

# What render prints is what apply writes, byte for byte.
test_render_is_what_apply_writes() {
	local root=$T/root n=0 f
	node_policy "${KEYS[@]}"
	mkdir -p "$root/etc"
	machine_node >"$root/etc/hostname"
	assertStatus 0 rdmactl render boot -p "$policy" --root "$root" -o json
	assertEquals 'nothing is written' '' "$(find "$root" -name '*rdmactl*')"
	printf '%s\n' "$out" >"$T/rendered"
	assertStatus 0 rdmactl render boot -p "$policy" --root "$root"
	cp "$T/.out" "$T/shown"
	run rdmactl apply -p "$policy" --root "$root"
	while read -r f; do
		jq -j --arg f "$f" '.files[] | select(.path == $f) | .content' "$T/rendered" | cmp - "$root$f"
		assertEquals "$f" 0 "${PIPESTATUS[1]}"
		assertEquals 644 "$(stat -c %a "$root$f")"
		n=$((n + 1))
	done < <(jq -r '.files[].path' "$T/rendered")
	assertEquals 3 "$n"
	assertEquals 3 "$(find "$root" -name '*rdmactl*' -type f | wc -l)"
	for f in "${OURS[@]}"; do printf '==> /%s <==\n' "$f"; cat "$root/$f"; echo; done | sed '$d' | cmp - "$T/shown"
	assertEquals "the printed form" 0 "${PIPESTATUS[2]}"
	assertStatus 0 rdmactl render boot -p "$policy" --root "$root"	# and once they are there
	cmp "$T/.out" "$T/shown"
	assertEquals 0 $?
	echo 'vm.swappiness=60' >"$root/etc/sysctl.d/zzz.conf"
	assertStatus 1 rdmactl render boot -p "$policy" --root "$root"
	assertErr 'sysctl.vm.swappiness is not in these files: /etc/sysctl.d/zzz.conf:1 sets it'
	refused 64 'render what?' rdmactl render -p "$policy"
	refused 64 'render what?' rdmactl render boots -p "$policy"
}

# forget removes what is ours, and only that; rollback brings it back.
test_forget() {
	local before
	node_policy "${KEYS[@]}"
	assertStatus 0 rdmactl apply -p "$policy"
	before=$(machine_read etc/sysctl.d/zz-rdmactl.conf)
	machine_write etc/modprobe.d/zz-rdmactl.conf 'options ib_core netns_mode=0'
	machine_write etc/sysctl.d/50-x.conf vm.dirty_ratio=5
	assertStatus 0 rdmactl forget
	assertOut 'forgotten: our boot files are gone'
	assertErr '/etc/modprobe.d/zz-rdmactl.conf was not written by rdmactl'
	assertEquals 'options ib_core netns_mode=0' "$(machine_read etc/modprobe.d/zz-rdmactl.conf)"
	assertEquals vm.dirty_ratio=5 "$(machine_read etc/sysctl.d/50-x.conf)"
	assertEquals '' "$(machine_read etc/sysctl.d/zz-rdmactl.conf 2>/dev/null)$(machine_read etc/modules-load.d/rdmactl.conf 2>/dev/null)"
	assertEquals "what runs goes on" 8192 "$(machine_get_sysctl net.rdma_ucm.max_backlog)"
	assertSets 0 rdmactl forget
	assertOut 'nothing to do'
	assertStatus 0 rdmactl rollback
	assertEquals "$before" "$(machine_read etc/sysctl.d/zz-rdmactl.conf)"
	refused 64 'takes no argument' rdmactl forget all
	refused 64 'takes no --from' rdmactl forget --from x
}

# A listener keeps the limit of when it began. The kernel does not tell it: named are those that were there before.
test_listeners_of_before() {
	node_policy 'max_backlog: 8192' 'modules: {rdma_ucm: {load: true}}'
	machine_hold nic0
	[ "$BACKEND" = vm ] || sim open nic0 cm_id nvmf_tgt 4712
	assertStatus 0 rdmactl apply -p "$policy"
	if [ "$BACKEND" = sim ]; then
		assertErr 'max_backlog: nvmf_tgt (4712) listened before it was changed'
		assertErr 'restart it; the kernel does not tell which it has'
		assertNotContains "$err" python3		# a context is no listener
		assertStatus 0 rdmactl drift -p "$policy" -o json
		assertEquals listener-restart "$(json '.items[] | select(.setting == "max_backlog") | .event')"
		assertStatus 0 rdmactl drift -p "$policy"	# and the row is in sync: nobody knows better
		assertEquals '' "$err"
		sim put proc/stat 'btime 1'
		sim put proc/4712/stat "4712 (a) b) S $(printf '0 %.0s' {1..18})99999999999999 0"
		assertStatus 0 rdmactl drift -p "$policy" -v	# started since
		assertNotContains "$err" nvmf_tgt
	fi
	machine_release nic0
}

. shunit2
