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
	printf '%s' "$seen" >>"$SHUNIT_TMPDIR/covered"
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

# A policy that leaves the loading of rdma_ucm to itself: the backlog waits for it.
test_backlog_alone() {
	local target=node NODE='      max_backlog: 8192'
	in_policy <<<'{}'
	fault max_backlog pending reboot 'unload rdma_ucm'
	matrix 'max_backlog alone'
}

# Installed, enabled, and with this policy as the installed one.
test_unit() {
	local target=node lib=usr/lib/systemd/system
	in_policy < <(ports mlx5_core '{mode: v2}' 'board: MT_0000000359')
	sim mkdir run/systemd/system
	sim put $lib/rdmactl.service 'ExecStart=/usr/sbin/rdmactl apply'
	sim put $lib/rdmactl@.service 'ExecStart=/usr/sbin/rdmactl apply --port %I'
	sim put $lib/rdmactl-module@.service 'ExecStart=/usr/sbin/rdmactl apply --allow none'
	sim put usr/lib/udev/rules.d/90-rdmactl.rules 'ENV{SYSTEMD_WANTS}+="rdmactl@%b.service"'
	sim symlink etc/systemd/system/multi-user.target.wants/rdmactl.service /$lib/rdmactl.service
	cat "$policy" >"$RDMACTL_SIM.policy.yaml"
	assertStatus 0 rdmactl drift -p "$policy"
	cp "$RDMACTL_SIM" "$base"
	fault boot.unit boot '' 'del etc/systemd/system/multi-user.target.wants/rdmactl.service'
	fault boot.unit boot '' "del $lib/rdmactl@.service"
	fault boot.unit boot '' 'put etc/systemd/system/rdmactl@.service "[Service]"'
	fault boot.unit boot '' 'put etc/udev/rules.d/90-rdmactl.rules "# nothing"'
	matrix 'the unit'
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
	[ "${1:-}" = ice ] || fault qos.trust live '' 'set dscp nic0 none'
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
		rdmactl_ecn
		echo '  buffer: {cable: 30m, sizes: {0: 128KiB, 1: 128KiB}, prio: {0-2: 0, 3: 1, 4-7: 0}}')
	common_faults
	fault buffer.cable live '' 'set cable nic0 7'
	fault buffer.sizes live '' 'set buffer nic0 0:98304/0'
	fault buffer.prio live '' 'set buffer nic0 5:0/1'
	fault firmware.version pending reboot 'set fw nic0 22.9.1000 22.41.1000'
	fault firmware.version boot '' 'set fw nic0 22.41.1000 22.9.1000'
	fault firmware.version both '' 'set fw nic0 22.9.1000 22.9.1000'
	fault firmware.board live '' 'set board nic0 MT_0000000001'
	fault pause.rx live '' 'set pause nic0 rx on tx off'	# and with it PFC, the other half of the register
	fault pause.tx live '' 'set pause nic0 rx off tx on'
	fault ecn.cnp.dscp live '' 'set cc nic0 np_cnp_dscp 46'
	fault ecn.cnp.priority live '' 'set cc nic0 np_cnp_prio 5'
	while read -r name v; do
		fault "ecn.$name" live '' "set cc nic0 $name $v"
	done < <(other_cc)
	matrix mlx5_core
}

# What goes with a reload, which resets the rest of the port: asked for alone.
test_mlx5_one_by_one() {
	in_policy < <(printf 'a:\n  match: {driver: mlx5_core}\n  roce: {enabled: true}\n')
	fault roce.enabled live '' 'set roce nic0 off;; reload nic0'
	matrix 'mlx5_core, RoCE alone'
	in_policy < <(printf 'a:\n  match: {driver: mlx5_core}\n  gid: {version: v2}\n')
	fault gid.version live '' 'set roce nic0 off;; reload nic0'
	matrix 'mlx5_core, a GID alone'
	in_policy < <(printf 'a:\n  match: {driver: mlx5_core}\n  firmware: {deny: [22.10.1000]}\n')
	fault firmware.deny pending reboot 'set fw nic0 22.10.1000 22.41.1000'
	fault firmware.deny boot '' 'set fw nic0 22.41.1000 22.10.1000'
	fault firmware.deny both '' 'set fw nic0 22.10.1000 22.10.1000'
	matrix 'mlx5_core, denied firmware alone'
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

# What a setting can be wrong in, by its own word: how it runs, at the next boot. An event is waited for where the next boot is
# right, and another file may win where we write one.
# shellcheck disable=SC2016	# jq's
KINDS='.[] | . as $s | [if .live then "live" else empty end,
	if .next_boot then "boot" else empty end,
	if .live and .next_boot then "both", "pending" else empty end,
	if .next_boot and .set then "shadowed" else empty end] | .[] | "\($s.key) \(.)"'

# Why a setting has no row of a kind: KEY KIND reason; a key that ends in * is all that begin so.
without() {
	cat <<'EOF'
sysctl.* pending it is written at once, and holds at once
modules.*.options.* live only a boot or a reload sets it: wrong as it runs, it is pending
modules.*.load live likewise
modules.*.blacklist live likewise
modules.*.blacklist shadowed they add up: no line takes one back
boot.files shadowed what is in our own files, nobody else has
firmware.version live what is stored comes with the next reset: wrong as it runs, it is pending
firmware.deny live likewise
firmware.board boot a card is what it is
firmware.board both likewise
firmware.board pending likewise
firmware.component.* live as firmware.version
firmware.component.* boot as firmware.version
firmware.component.* both as firmware.version
firmware.component.* pending as firmware.version
neighbor.* live tests/cli/neighbor.sh has a switch that says otherwise
dcbx.advertise live tests/cli/advertise.sh has an lldpd that says otherwise
dcbx.conf live likewise
dcbx.conf boot likewise
dcbx.conf both likewise
dcbx.conf pending likewise
dcbx.conf shadowed what is in our own files, nobody else has
ecn.rtt_resp_dscp live the simulator has none
ecn.rtt_resp_dscp_valid live the simulator has none
EOF
}

# Each setting of the catalog and each kind that it can have: a row above, or a reason.
test_every_setting() {
	without >"$T/without"
	rdmactl explain -o json | jq -r "$KINDS" >"$T/asked"
	sort -u "$SHUNIT_TMPDIR/covered" >"$T/covered"
	run awk '
	function is(key, name,   re) {
		re = key
		gsub(/\./, "\\.", re); gsub(/\*/, ".*", re)
		return name ~ "^" re "$"
	}
	FILENAME ~ /covered$/ { row[++rows] = $1; of[rows] = $2; next }
	FILENAME ~ /without$/ { why[++whys] = $1; whykind[whys] = $2; next }
	{
		asked++
		tested = reason = 0
		for (i = 1; i <= rows; i++) tested = tested || (of[i] == $2 && is($1, row[i]))
		for (i = 1; i <= whys; i++)
			if (whykind[i] == $2 && (why[i] == $1 || (why[i] ~ /\*$/ && index($1, substr(why[i], 1, length(why[i]) - 1)) == 1))) {
				reason = used[i] = 1
				if (tested) print "the reason of " why[i] " " $2 " is out of date: " $1 " has a row"
			}
		if (tested) n++; else if (reason) m++
		else print "no single fault of " $1 ", " $2 ": add `fault " $1 " " $2 " FILE COMMANDS` to a test above, or a line to without()"
	}
	END {
		for (i = 1; i <= whys; i++) if (!used[i]) print "the reason of " why[i] " " whykind[i] " is of nothing"
		print asked " pairs of a setting and a kind: " n " have rows, " m " a reason" >"/dev/stderr"
	}' "$T/covered" "$T/without" "$T/asked"
	printf '%s\n' "$err"
	assertEquals 'the matrix' '' "$out"
	assertTrue 'settings' "[ $(cut -d' ' -f1 "$T/asked" | sort -u | wc -l) -ge 45 ]"
}

# shellcheck source=/dev/null
. shunit2
