# Sourced at the top of every tests/cli/*.sh (and tests/vm/*.sh), which ends with `. shunit2`.
# shellcheck shell=bash
#
# The same scripts run on the simulator and, in a virtual machine, on a real kernel:
#
#   BACKEND=sim   $RDMACTL is build/rdmactl-sim; the machine is a state file that simctl
#                 makes and changes (tests/sim)
#   BACKEND=vm    $RDMACTL is build/rdmactl; the machine is this guest with fabricsim,
#                 changed with ip, dcb, sysctl and debugfs (tests/vm)
#
# Both have NICs nic0, nic1, ... with RDMA devices mlx5_0, mlx5_1, ... Each test gets a
# fresh machine with two of them and an empty folder $T (setUp); a script that wants
# something else defines its own setUp after sourcing this.

BACKEND=${BACKEND:-sim}
B=${B:-build}
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[[ $B == /* ]] || B=$TOP/$B
case $BACKEND in
sim) RDMACTL=${RDMACTL:-$B/rdmactl-sim} ;;
vm) RDMACTL=${RDMACTL:-$B/rdmactl} ;;
*) echo "lib.sh: unknown BACKEND $BACKEND" >&2; exit 1 ;;
esac
SIMCTL=${SIMCTL:-$B/simctl}
export LC_ALL=C.UTF-8 NO_COLOR=1
unset RDMACTL_SIM

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	machine_reset 2
}
tearDown() { :; }	# shunit2 calls it a second time at the end, whatever was defined

# skip REASON: this test cannot run here; `skip "..." && return` ends it. The name has
# a line in tests/skips.txt, or the skip is a failure.
skip() {
	echo "SKIP: $1"
}

# --- commands ---------------------------------------------------------------

# Runs rdmactl on the machine under test.
rdmactl() {
	"$RDMACTL" "$@"
}

# run COMMAND [ARG]...: leaves standard output in $out, standard error in $err, the
# exit status in $status; standard input is the caller's.
run() {
	"$@" >"$T/.out" 2>"$T/.err"
	status=$?
	out=$(<"$T/.out")
	err=$(<"$T/.err")
	return 0
}

show_run() {
	printf '  | %s\n' "\$ $*"
	sed 's/^/  | /' "$T/.out" "$T/.err" | head -n 60
}

# assertStatus N COMMAND [ARG]...: runs it as `run` does; its output is shown if the
# exit status is another.
assertStatus() {
	local want=$1
	shift
	run "$@"
	assertEquals "exit status of: $*" "$want" "$status" || show_run "$@"
}

# assertOut TEXT, assertErr TEXT, assertNotOut TEXT: about the last run.
assertOut() { assertContains "standard output" "$out" "$1" || show_run "(last command)"; }
assertErr() { assertContains "standard error" "$err" "$1" || show_run "(last command)"; }
assertNotOut() { assertNotContains "standard output" "$out" "$1" || show_run "(last command)"; }

# refused STATUS TEXT COMMAND [ARG]...: it exits with STATUS and says TEXT, and reports nothing
refused() {
	local want=$1 text=$2
	shift 2
	assertStatus "$want" "$@"
	assertErr "$text"
	assertEquals "standard output of: $*" "" "$out"
}

# json EXPRESSION: of the last run's standard output, by jq's rules, raw. A list of
# rows as "SETTING STATUS" and the like is asked with it:
#   json '.items[] | select(.status == "drift") | .setting'
json() {
	printf '%s\n' "$out" | jq -r "$1"
}

# policy NAME: standard input into $T/NAME (default policy.yaml); sets $policy.
policy() {
	policy=$T/${1:-policy.yaml}
	cat >"$policy"
}

# demo_policy: policies/demo.yaml, for this machine
demo_policy() {
	policy < <(sed "s/^  node1:/  $(machine_node):/" "$TOP/policies/demo.yaml")
}

# rows [FILTER]: "TARGET SETTING WANT LIVE STATUS" of each item of the last run that jq's
# FILTER selects; without it, of those that are not in sync.
rows() {
	json ".items[] | select(${1:-.status != \"in-sync\"}) | \"\(.target) \(.setting) \(.want) \(.live) \(.status)\""
}

# as_nobody COMMAND [ARG]...: without root's rights
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		chmod go+x "${SHUNIT_TMPDIR%/*}" "$SHUNIT_TMPDIR" "$T"
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# root_of TREE NODE: builds the file tree that a fixture of tests/cases describes (path,
# content, mode; @target is a link), with this host name; sets $root, for --root.
root_of() {
	local path content mode
	root=$(mktemp -d "$T/root.XXXXXX")
	while IFS=$'\t' read -r path content mode || [ -n "$path" ]; do
		[[ -n $path && $path != \#* ]] || continue
		mkdir -p "$root/$(dirname "$path")"
		case $content in
		@*) ln -sfn "${content#@}" "$root/$path" ;;
		*) printf '%b' "$content" >"$root/$path" ;;
		esac
		[ -z "$mode" ] || chmod "$mode" "$root/$path"
	done <"$TOP/tests/cases/$1"
	mkdir -p "$root/etc"
	echo "$2" >"$root/etc/hostname"
}

# --- the machine ------------------------------------------------------------

# A new machine, as it leaves the factory: machine_reset [PAIRS [OPTION]...]. Options,
# as fabricsim's parameters: manners=, drv=, ofed=1. The driver is upstream's (ofed=0)
# unless asked otherwise. All links are up, MTU 1500.
machine_reset() {
	local pairs=${1:-2}
	[ $# = 0 ] || shift
	"reset_$BACKEND" "$pairs" "$@"
}

reset_sim() {
	export RDMACTL_SIM=$T/machine
	local pairs=$1 o args=()
	shift
	for o; do
		case $o in
		drv=*) args+=(--driver "${o#*=}") ;;
		no-*) args+=("--$o") ;;
		*) args+=("--${o%%=*}" "${o#*=}") ;;
		esac
	done
	sim reset --pairs "$pairs" "${args[@]}"
}

# Programs are slow to start in an emulated guest: none that is not needed.
reset_vm() {
	local pairs=$1 n own
	shift
	for own in /sys/class/net/bond*; do
		[ ! -d "$own" ] || ip link del "${own##*/}"
	done
	[ ! -e /sys/module/fabricsim ] || rmmod fabricsim
	vm_restore
	[ -e /sys/module/rdma_ucm ] || modprobe -a rdma_cm rdma_ucm
	[ -e /sys/kernel/config/rdma_cm ] || mount -t configfs none /sys/kernel/config
	modprobe fabricsim pairs="$pairs" ofed=0 "$@" || return 1
	for ((n = 0; n < pairs; n++)); do echo "link set nic$n up"; done | ip -batch -
	echo 1024 >/proc/sys/net/rdma_ucm/max_backlog
	for own in /var/lib/rdmactl /etc/sysctl.d/zz-rdmactl.conf /etc/modprobe.d/zz-rdmactl.conf /etc/modules-load.d/rdmactl.conf \
		/etc/lldpd.d/rdmactl.conf; do
		[ ! -e $own ] || rm -rf $own
	done
	DEBUG=/sys/kernel/debug/fabricsim
}

sim() {
	"$SIMCTL" "$RDMACTL_SIM" "$@"
}

# All that apply may have changed, as text. Two that are equal: the machine reads as before.
machine_state() {
	local nic
	if [ "$BACKEND" = sim ]; then
		sim snapshot
		return
	fi
	for nic in /sys/class/net/nic*; do	# few processes: the guest is slow
		nic=${nic##*/}
		echo "$nic $(<"/sys/class/net/$nic/mtu")"
		dcb ets show dev "$nic"
		dcb pfc show dev "$nic"
		dcb -N app show dev "$nic"
		ethtool -a "$nic"
	done
	grep -sH . /sys/kernel/debug/mlx5/*/cc_params/* /proc/sys/net/rdma_ucm/max_backlog /etc/sysctl.d/zz-rdmactl.conf \
		/etc/modprobe.d/zz-rdmactl.conf /etc/modules-load.d/rdmactl.conf
	ls -A /sys/kernel/config/rdma_cm 2>/dev/null
}

# assertMachine BEFORE: the machine reads as it did then
assertMachine() {
	local now
	now=$(machine_state)
	assertTrue "the machine reads as before" "[ $([ "$now" = "$1" ]; echo $?) = 0 ]" ||
		diff <(printf '%s\n' "$1") <(printf '%s\n' "$now") | head -n 40
}

# Address of a NIC's PCI function. NICs are in PCI domains 1, 2, ...
machine_bdf() {
	printf '%04x:03:00.0' $((${1#nic} + 1))
}

machine_node() { # the name by which the policy finds this machine
	case $BACKEND in
	sim) sim get node ;;
	vm) echo "$HOSTNAME" ;;
	esac
}

machine_set_mtu() { # IFNAME N
	case $BACKEND in
	sim) sim set mtu "$1" "$2" ;;
	vm) ip link set "$1" mtu "$2" ;;
	esac
}

machine_get_mtu() { # IFNAME
	case $BACKEND in
	sim) sim get mtu "$1" ;;
	vm) echo "$(<"/sys/class/net/$1/mtu")" ;;
	esac
}

machine_set_pfc() { # IFNAME "3,4", or "" for none
	local p on=()
	case $BACKEND in
	sim) sim set pfc "$1" "$2" ;;
	vm)
		for p in ${2//,/ }; do on+=("$p:on"); done
		dcb pfc set dev "$1" prio-pfc all:off ${on[@]+"${on[@]}"}
		;;
	esac
}

machine_get_pfc() { # IFNAME: "3,4"
	case $BACKEND in
	sim) sim get pfc "$1" ;;
	vm) dcb pfc show dev "$1" prio-pfc | grep -o '[0-7]:on' | cut -d: -f1 | paste -sd, ;;
	esac
}

machine_set_dscp() { # IFNAME "26:3 48:6": adds or replaces these entries
	local e
	case $BACKEND in
	sim) sim set dscp "$1" "$2" ;;
	vm)
		# dcb's replace adds, then deletes what the driver already replaced: its exit
		# status says nothing.
		for e in $2; do dcb app replace dev "$1" dscp-prio "$e" >/dev/null 2>&1; done
		true
		;;
	esac
}

machine_get_dscp() { # IFNAME: "26:3 48:6", sorted by DSCP
	case $BACKEND in
	sim) sim get dscp "$1" ;;
	vm) dcb -N app show dev "$1" dscp-prio | grep -oE '[0-9]+:[0-7]' | sort -n | paste -sd' ' ;;
	esac
}

machine_get_ets() { # IFNAME: "0:40% 3:60% 6:strict 7:vendor", all eight
	case $BACKEND in
	sim) sim get ets "$1" ;;
	vm)
		dcb -j ets show dev "$1" | jq -r '[range(8) as $i | "\($i):" +
			(if .tc_tsa[$i] == "ets" then "\(.tc_bw[$i])%" else .tc_tsa[$i] end)] | join(" ")'
		;;
	esac
}

machine_set_ets() { # IFNAME "0:40% 3:60% 6:strict 7:vendor": of these TCs; the rest is kept
	local e tsa=() bw=()
	case $BACKEND in
	sim) sim set ets "$1" "$2" ;;
	vm)
		for e in $2; do
			case $e in
			*%)
				tsa+=("${e%%:*}:ets")
				bw+=("${e%\%}")
				;;
			*) tsa+=("$e") ;;
			esac
		done
		dcb ets set dev "$1" tc-tsa "${tsa[@]}" tc-bw all:0 ${bw[@]+"${bw[@]}"}
		;;
	esac
}

machine_get_tc() { # IFNAME: "0:1 1:0 2:2 ...", priority and TC
	case $BACKEND in
	sim) sim get tc "$1" ;;
	vm) dcb -j ets show dev "$1" | jq -r '[.prio_tc | to_entries[] | "\(.key):\(.value)"] | join(" ")' ;;
	esac
}

machine_set_link() { # IFNAME up|down
	case $BACKEND in
	sim) sim set link "$1" "$2" ;;
	vm) ip link set "$1" "$2" ;;
	esac
}

machine_set_carrier() { # IFNAME on|off: the cable
	case $BACKEND in
	sim) sim set carrier "$1" "$2" ;;
	vm) ip link set "$1" carrier "$2" ;;
	esac
}

machine_set_addr() { # IFNAME A.B.C.D, or none
	case $BACKEND in
	sim) sim set addr "$1" "$2" ;;
	vm)
		ip addr flush dev "$1" scope global
		[ "$2" = none ] || ip addr add "$2/24" dev "$1"
		;;
	esac
}

machine_reload() { # IFNAME: devlink reload; the new port is set up again
	case $BACKEND in
	sim) sim reload "$1" ;;
	vm)
		devlink dev reload "pci/$(machine_bdf "$1")"
		ip link set "$1" up
		;;
	esac
}

machine_bond() { # NAME IFNAME...: an active-backup bond of these ports, up
	local name=$1 nic
	shift
	case $BACKEND in
	sim) sim bond "$name" "$@" ;;
	vm)
		modprobe bonding max_bonds=0
		ip link add "$name" type bond mode active-backup
		for nic; do
			ip link set "$nic" down
			ip link set "$nic" master "$name"
		done
		ip link set "$name" up
		;;
	esac
}

machine_unlink() { # NAME: of a bond
	case $BACKEND in
	sim) sim unlink "$1" ;;
	vm) ip link del "$1" ;;
	esac
}

machine_set_pause() { # IFNAME on|off: both directions
	case $BACKEND in
	sim) sim set pause "$1" "$2" ;;
	vm) ethtool -A "$1" rx "$2" tx "$2" ;;
	esac
}

machine_set_cc() { # IFNAME NAME VALUE: a DCQCN parameter under upstream's name
	case $BACKEND in
	sim) sim set cc "$1" "$2" "$3" ;;
	vm) echo "$3" >"/sys/kernel/debug/mlx5/$(machine_bdf "$1")/cc_params/$2" ;;
	esac
}

machine_get_cc() { # IFNAME NAME
	case $BACKEND in
	sim) sim get cc "$1" "$2" ;;
	vm) cat "/sys/kernel/debug/mlx5/$(machine_bdf "$1")/cc_params/$2" ;;
	esac
}

machine_set_sysctl() { # KEY VALUE
	machine_write "proc/sys/${1//.//}" "$2"
}

machine_get_sysctl() { # KEY
	machine_read "proc/sys/${1//.//}"
}

machine_write() { # PATH TEXT: a line into a file, without a leading slash; a new one is made
	case $BACKEND in
	sim) sim set file "$1" "$2" ;;
	vm)
		vm_keep "$1"
		mkdir -p "/${1%/*}"
		printf '%s\n' "$2" >"/$1"
		;;
	esac
}

# What a test writes into the guest is undone by the next reset: files of sysfs and
# debugfs go with the adapters, those below / come back as they were.
vm_keep() { # PATH
	local kept=/run/kept/${1//\//,}
	case $1 in sys/*) return ;; esac
	[ ! -e "$kept" ] && [ ! -e "$kept,new" ] || return 0
	mkdir -p /run/kept
	if [ -e "/$1" ]; then cat "/$1" >"$kept"; else : >"$kept,new"; fi
}

vm_restore() {
	local kept path
	for kept in /run/kept/*; do
		[ -e "$kept" ] || continue
		path=${kept##*/}
		path=/${path//,//}
		case $kept in
		*,new) rm -f "${path%/new}" ;;
		*) cat "$kept" >"$path" ;;
		esac
		rm -f "$kept"
	done
}

machine_read() { # PATH
	case $BACKEND in
	sim) sim get file "$1" ;;
	vm) cat "/$1" ;;
	esac
}

# The next calls of an operation fail: machine_fault IFNAME OP KIND [ARG [CALLS]], with
# the operations and kinds of fabricsim: err ERRNO, ignore, clamp MAX, lose, vanish, none.
machine_fault() {
	local nic=$1 op=$2
	shift 2
	case $BACKEND in
	sim) sim fault "$nic" "$op" "$@" ;;
	vm) echo "$*" >"$DEBUG/$(machine_bdf "$nic")/fault/$op" ;;
	esac
}

# What no driver has a knob for: machine_quirk IFNAME NAME VALUE...: flap_ms N, flap_on_set,
# pfc_reset_on_mtu Y|N; fw RUNNING STORED, speed MB/S; pcie, uplink, slot SPEED WIDTH.
machine_quirk() {
	local nic=$1 name=$2
	shift 2
	case $BACKEND in
	sim) sim set "$name" "$nic" "$@" ;;
	vm) echo "$*" >"$DEBUG/$(machine_bdf "$nic")/${name/pcie/link}" ;;
	esac
}

machine_vanish() { # IFNAME: the card falls off the bus
	case $BACKEND in
	sim) sim vanish "$1" ;;
	vm) echo 1 >"/sys/bus/pci/devices/$(machine_bdf "$1")/remove" ;;
	esac
}

machine_rescan() { # finds it again; the port is set up
	case $BACKEND in
	sim) sim rescan ;;
	vm)
		echo 1 >/sys/bus/pci/rescan
		for nic in /sys/class/net/nic*; do ip link set "${nic##*/}" up; done
		;;
	esac
}

# machine_hold IFNAME [QPS]: a process opens a verbs context on its RDMA device and makes queue pairs; "python3 (PID)"
# is in $holder. One at a time; machine_release ends it.
machine_hold() {
	local held
	case $BACKEND in
	sim)
		holder='python3 (4711)'
		sim open "$1" context python3 4711
		[ "${2:-0}" = 0 ] || sim open "$1" qp python3 4711 "$2" rc 0
		;;
	vm)
		coproc HOLD { exec "$TOP/tests/vm/hold" "mlx5_${1#nic}" "${2:-0}"; }
		read -r held <&"${HOLD[0]}" && [ "$held" = held ]
		# shellcheck disable=SC2153	# HOLD_PID: the coprocess's
		holder="python3 ($HOLD_PID)"
		;;
	esac
}

machine_release() { # IFNAME
	local pid=${HOLD_PID:-} end
	case $BACKEND in
	sim) sim close "$1" python3 ;;
	vm)
		end=${HOLD[1]}
		exec {end}>&-
		wait "$pid"
		;;
	esac
}

# machine_traffic IFNAME on|off: a counter of its RDMA port moves
machine_traffic() {
	local n=0 counters
	case $BACKEND-$2 in
	sim-on) sim set rate "$1" np_cnp_sent 1000 ;;
	sim-off) sim set rate "$1" np_cnp_sent 0 ;;
	vm-on)
		counters=$DEBUG/$(machine_bdf "$1")/counters
		while sleep 0.2; do echo "np_cnp_sent $((++n))" >"$counters"; done &
		traffic=$!
		;;
	vm-off)
		kill "$traffic"
		wait "$traffic" 2>/dev/null
		true
		;;
	esac
}

# machine_count_sets COMMAND [ARG]...: runs it as `run` does and prints nothing; the
# number of sets that it sent (netlink sets, files written, children; not its own
# lock and journal) is in $sets, and in the virtual machine their list in $T/.sets.
machine_count_sets() {
	local before
	case $BACKEND in
	sim)
		before=$(sim count sets)
		run "$@"
		sets=$(($(sim count sets) - before))
		;;
	vm)
		[ "$1" != rdmactl ] || set -- "$RDMACTL" "${@:2}"
		run "$TOP/tests/cli/trace-writes" -o "$T/.sets" "$@"
		sets=$(wc -l <"$T/.sets")
		;;
	esac
}

# assertSets N COMMAND [ARG]...
assertSets() {
	local want=$1
	shift
	machine_count_sets "$@"
	assertEquals "sets of: $*" "$want" "$sets" || { show_run "$@"; cat "$T/.sets" 2>/dev/null; }
}
