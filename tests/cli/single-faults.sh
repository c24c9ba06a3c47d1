#!/bin/bash
# One thing is wrong, and that is what is reported: for every setting, wrong as it runs, wrong at the next boot, both,
# beaten by another file, or waiting for an event; where a setting has such a home. Found with the right home and the
# right file, and nothing else is told. The settings are those of the catalog; the matrix is printed with its count.
# On the simulator alone so far: drivers that the guest has not.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'the faults are made by simctl'; }
	suite() { suite_addTest elsewhere; }
fi

SYSCTL=etc/sysctl.d/zz-rdmactl.conf MODPROBE=etc/modprobe.d/zz-rdmactl.conf MODLOAD=etc/modules-load.d/rdmactl.conf
NODE='      max_backlog: 8192
      sysctl: {vm.swappiness: 10}
      modules:
        ib_core: {options: {netns_mode: "Y"}}
        rdma_ucm: {load: true}
        nvme_rdma: {load: true}
        siw: {blacklist: true}'

setUp() { T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX"); }

# A machine that is in its policy; $base is its state. The port part is standard input.
in_policy() { # [RESET OPTION]...
	machine_reset 1 "$@"
	sim put proc/sys/vm/swappiness 60
	sim load nvme_rdma >/dev/null
	sim set addr nic0 192.0.2.1
	policy < <(printf 'version: 1\nfabric:\n  mtu: 9000\n  classes:\n'
		sed -n '/^    rdma:/,/^    default:/p' "$TOP/policies/demo.yaml"
		printf 'nodes:\n  %s:\n    set:\n     node:\n%s\n     ports:\n' "$(machine_node)" "$NODE"
		sed 's/^/      /')
	run rdmactl apply -p "$policy" --allow reload
	assertStatus 0 rdmactl drift -p "$policy"
	base=$T/base
	cp "$RDMACTL_SIM" "$base"
	rows=0 seen=''
}

# fault SETTING KIND FILE COMMAND...: what the commands of simctl (with ; between them) break is all that is reported
fault() {
	local setting=$1 kind=$2 file=$3 target=${target:-nic0} want got step
	shift 3
	cp "$base" "$RDMACTL_SIM"
	while read -r step; do
		[ -z "$step" ] || eval "sim $step" || fail "simctl $step"
	done < <(printf '%s\n' "$*" | sed 's/;; */\n/g')
	case $kind in
	live) want='drift live' ;;
	boot | shadowed) want='drift boot' ;;
	both) want='drift live boot' ;;
	pending) want='pending live' ;;
	esac
	run rdmactl drift -p "$policy" -o json
	got=$(json '.items[] | select(.status != "in-sync" and (.follows | not)) |
		"\(.target) \(.setting) \(.status)\(if .live_wrong then " live" else "" end)\(if .boot_wrong then " boot" else "" end)" +
		(if .boot_wrong and .boot_origin then " \(.boot_origin.file)" else "" end) +
		(if .status == "pending" then " \(.event)" else "" end)')
	assertEquals "$setting, $kind: $*" "$target $setting $want${file:+ $file}" "$got" || show_run "$setting $kind"
	assertEquals "$setting, $kind: exit status" 1 "$status"
	rows=$((rows + 1))
	seen+="$setting $kind"$'\n'
}

# edit FILE SED: a command of simctl that changes one of our files
edit() {
	local new=$T/edited
	cp "$base" "$RDMACTL_SIM"
	sim cat "$1" | sed "$2" >"$new"
	printf 'put %s "$(cat %q; echo)"' "$1" "$new"
}

matrix() { # NAME
	printf '%s: %d single faults\n' "$1" "$rows"
	printf '%s' "$seen" | awk '
	{ k[$1, $2] = 1; if (!($1 in first)) { first[$1] = ++n; name[n] = $1 } }
	END {
		split("live boot both shadowed pending", kind, " ")
		for (i = 1; i <= n; i++) {
			printf "  %-40s", name[i]
			for (j = 1; j <= 5; j++) printf " %-8s", (name[i], kind[j]) in k ? kind[j] : "-"
			print ""
		}
	}'
	printf '%s' "$seen" | cut -d' ' -f1 >>"$SHUNIT_TMPDIR/covered"
}

test_node() {
	local target=node backlog="set file proc/sys/net/rdma_ucm/max_backlog" option="put sys/module/ib_core/parameters/netns_mode"
	in_policy <<<'{}'
	fault max_backlog live '' "$backlog 1024"
	fault max_backlog boot "/$SYSCTL" "$(edit $SYSCTL 's/max_backlog = .*/max_backlog = 512/')"
	fault max_backlog both "/$SYSCTL" "$(edit $SYSCTL 's/max_backlog = .*/max_backlog = 512/');; $backlog 1024"
	fault max_backlog shadowed /etc/sysctl.d/zzz.conf 'put etc/sysctl.d/zzz.conf net.rdma_ucm.max_backlog=64'
	fault max_backlog shadowed /usr/lib/sysctl.d/zzz.conf 'put usr/lib/sysctl.d/zzz.conf net/rdma_ucm/max_backlog=64'
	fault 'sysctl.vm.swappiness' live '' 'put proc/sys/vm/swappiness 60'
	fault 'sysctl.vm.swappiness' boot "/$SYSCTL" "$(edit $SYSCTL 's/swappiness = .*/swappiness = 1/')"
	fault 'sysctl.vm.swappiness' boot '' "$(edit $SYSCTL /swappiness/d)"
	fault 'sysctl.vm.swappiness' both "/$SYSCTL" "$(edit $SYSCTL 's/swappiness = .*/swappiness = 1/');; put proc/sys/vm/swappiness 60"
	fault 'sysctl.vm.swappiness' shadowed /etc/sysctl.d/zzz.conf 'put etc/sysctl.d/zzz.conf vm.swappiness=100'
	fault modules.ib_core.options.netns_mode pending 'reload' "$option N"
	fault modules.ib_core.options.netns_mode boot "/$MODPROBE" "$(edit $MODPROBE s/netns_mode=Y/netns_mode=N/)"
	fault modules.ib_core.options.netns_mode both "/$MODPROBE" "$(edit $MODPROBE s/netns_mode=Y/netns_mode=N/);; $option N"
	fault modules.ib_core.options.netns_mode shadowed /lib/modprobe.d/zzz.conf 'put lib/modprobe.d/zzz.conf "options ib_core netns_mode=N"'
	fault modules.ib_core.options.netns_mode shadowed /proc/cmdline 'put proc/cmdline ib_core.netns_mode=0'
	fault modules.siw.blacklist pending reboot 'put sys/module/siw/initstate live'
	fault modules.siw.blacklist boot '' "$(edit $MODPROBE /siw/d)"
	fault modules.siw.blacklist both '' "$(edit $MODPROBE /siw/d);; put sys/module/siw/initstate live"
	fault modules.nvme_rdma.load pending reboot 'unload nvme_rdma'
	fault modules.nvme_rdma.load boot '' "$(edit $MODLOAD /nvme_rdma/d)"
	fault modules.nvme_rdma.load both '' "$(edit $MODLOAD /nvme_rdma/d);; unload nvme_rdma"
	fault modules.nvme_rdma.load shadowed /etc/modprobe.d/x.conf 'put etc/modprobe.d/x.conf "blacklist nvme_rdma"'
	fault modules.rdma_ucm.load pending reboot 'unload rdma_ucm'	# and with it max_backlog, which is not told again
	fault modules.rdma_ucm.load boot '' "$(edit $MODLOAD /rdma_ucm/d)"
	fault boot.files boot "/$SYSCTL" "$(edit $SYSCTL '$s/$/\nvm.dirty_ratio = 5/')"
	fault boot.files boot "/$MODPROBE" "$(edit $MODPROBE '$s/$/\nblacklist irdma/')"
	fault boot.files boot "/$MODLOAD" "$(edit $MODLOAD '$s/$/\nib_ipoib/')"
	matrix "the node"
}

PORTS='a:
  match: {driver: DRIVER}
  count: 1
  mtu: fabric
  roce: ROCE
  qos: fabric
  pause: {rx: false, tx: false}
  link: {state: up, speed: 100Gb/s}
  pcie: {width: 16, speed: 16GT/s}
  gid: {version: v2, family: ipv4}
  firmware: {version: ">=22.41.1000", FIRMWARE}'

# What each driver has; $1: its name, $2: roce, $3: more of firmware
ports() {
	sed "s/DRIVER/$1/; s/ROCE/$2/; s/FIRMWARE/$3/" <<<"$PORTS"
}

# faults of what all drivers have
common_faults() {
	fault mtu live '' 'set mtu nic0 1500'
	fault roce.mode live '' 'set roce_mode nic0 v1'
	fault roce.tos live '' 'set roce_tos nic0 96'
	fault qos.pfc live '' 'set pfc nic0 4'
	fault qos.dscp live '' 'set dscp nic0 26:5'
	[ "${1:-}" = ice ] || fault qos.tc live '' 'set tc nic0 3:2'	# with DSCP trust it shows none
	fault qos.ets live '' 'set ets nic0 "0:50% 3:50%"'
	fault pcie.width live '' 'set pcie nic0 4 8'
	fault pcie.speed live '' 'set pcie nic0 3 16'
	fault link.speed live '' 'set speed nic0 40000'
	fault link.state live '' 'set carrier nic0 off'
	target=a fault count live '' 'vanish nic0'
	fault gid.family live '' 'set addr nic0 none'
}

# DCQCN parameters of upstream's file names, but for those of CNPs: as a policy has them, and another value for each
rdmactl_ecn() {
	rdmactl show ecn --port nic0 | sed -n 's/^.* ecn\.\(n\{0,1\}r\{0,1\}p_[a-z_]*\) *\([^( ].*\)$/    \1: \2/p'
}

other_cc() {
	rdmactl_ecn | while IFS=': ' read -r name v; do
		case $v in
		true) echo "$name 0" ;;
		false) echo "$name 1" ;;
		*) v=${v%%[!0-9]*}; echo "$name $((v > 1 ? v - 1 : v + 2))" ;;
		esac
	done
}

test_mlx5() {
	local v name
	in_policy < <(ports mlx5_core '{enabled: true, mode: v2, tos: rdma}' 'board: MT_0000000359, deny: [22.10.1000]'
		echo '  ecn:'
		echo '    cnp: {dscp: 48, priority: 6}'
		rdmactl_ecn)
	common_faults
	fault firmware.version pending reboot 'set fw nic0 22.9.1000 22.41.1000'
	fault firmware.version boot '' 'set fw nic0 22.41.1000 22.9.1000'
	fault firmware.version both '' 'set fw nic0 22.9.1000 22.9.1000'
	fault firmware.board live '' 'set board nic0 MT_0000000001'
	fault ecn.cnp.dscp live '' 'set cc nic0 np_cnp_dscp 46'
	fault ecn.cnp.priority live '' 'set cc nic0 np_cnp_prio 5'
	while read -r name v; do
		fault "ecn.$name" live '' "set cc nic0 $name $v"
	done < <(other_cc)
	matrix mlx5_core
}

# The vendor's stack has NP and RP for each priority, in files.
test_mlx5_ofed() {
	in_policy ofed=1 < <(ports mlx5_core '{enabled: true, mode: v2, tos: rdma}' 'board: MT_0000000359'
		echo '  ecn: {np: [3], rp: [3]}')
	fault ecn.np live '' 'put sys/class/net/nic0/ecn/roce_np/enable/3 0'
	fault ecn.rp live '' 'put sys/class/net/nic0/ecn/roce_rp/enable/3 0'
	matrix 'mlx5_core, vendor'
}

# PFC and pause are two registers there: on mlx5 one, so that a wrong pause is a wrong PFC too.
test_bnxt() {
	in_policy drv=bnxt_en manners=bnxt < <(ports bnxt_en '{mode: v2, tos: rdma}' 'deny: [22.10.1000]')
	common_faults
	fault pause.rx live '' 'set pause nic0 rx on tx off'
	fault pause.tx live '' 'set pause nic0 rx off tx on'
	matrix bnxt_en
}

test_ice() {
	in_policy drv=ice manners=ice < <(ports ice '{mode: v2, tos: rdma}' '' | sed '/firmware/d')
	common_faults ice
	matrix ice
}

test_hns() {
	in_policy drv=hns3 manners=hns3 < <(ports hns3 '{mode: v2, tos: rdma}' '' | sed '/firmware/d')
	common_faults
	matrix hns3
}

# Each key of the catalog has its row above, or a reason here.
test_every_setting() {
	local without key covered
	without='boot.unit: tests/vm/units has it
firmware.component.*: as firmware.version
firmware.deny: as firmware.version
gid.version: gone only together with RoCE
qos.trust: gone only together with the DSCP map
roce.enabled: goes with a reload, which resets the rest of the port
ecn.rtt_resp_dscp: the simulator has none
ecn.rtt_resp_dscp_valid: the simulator has none'
	covered=$(sort -u "$SHUNIT_TMPDIR/covered")
	rdmactl explain | awk '{ print $1 }' >"$T/keys"
	while read -r key; do
		grep -qx -- "$(sed 's/\./\\./g; s/\*/.*/g' <<<"$key")" <<<"$covered" || grep -qF -- "$key:" <<<"$without" ||
			fail "no single fault of $key"
	done <"$T/keys"
	assertTrue "keys" "[ $(wc -l <"$T/keys") -ge 45 ]"
}

# shellcheck source=/dev/null
. shunit2
