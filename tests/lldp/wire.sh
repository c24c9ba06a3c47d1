# Sourced by scripts of tests/cli: a node and a switch, each with an lldpd of its own, and wires between them.
# shellcheck shell=bash disable=SC2154	# wire_node, wire_switch: by their names
#
# Each side has its own network, its own /run (so the daemon's compiled-in socket, pid file and chroot serve both of
# them) and its own processes, which end with it. Port nicN of the node and port swpN of the switch are one veth pair.
# What a real switch says is said by real frames: the DCBX TLVs are custom TLVs of the switch's lldpd, which sends any
# bytes. Frames that no honest agent sends come from tests/lldp/send.


# wire_allowed: may we have namespaces here? lldpd gives up root's rights, so a root of a user namespace is not enough.
wire_allowed() {
	[ "$(id -u)" = 0 ] && unshare -mnp --fork true 2>/dev/null
}

# wire_up PORTS: both sides, without their daemons; sets $wire_node and $wire_switch, processes of the namespaces
wire_up() {
	local n batch='' side
	wire_holder=()
	wire_side wire_node && wire_side wire_switch || return
	for ((n = 0; n < $1; n++)); do
		batch+="link add name nic$n type veth peer name swp$n netns $wire_switch"$'\n'"link set nic$n mtu 9000 up"$'\n'
	done
	nsenter -t "$wire_node" -n ip -batch - <<<"$batch" || return	# it names the other side by our numbers of processes
	on_switch ip -batch - < <(for ((n = 0; n < $1; n++)); do echo "link set swp$n mtu 9000 up"; done)
	for side in node switch; do
		on_$side mount -t tmpfs run /run && on_$side mkdir /run/lldpd && on_$side mount -t sysfs sysfs /sys &&
			on_$side mount -t proc proc /proc || return 1
	done
}

# wire_side VARIABLE: namespaces and a process that holds them, whose number VARIABLE gets; they end with us
wire_side() {
	local holder child i
	setpriv --pdeathsig KILL unshare -mnp --fork --kill-child sleep 3600 &
	holder=$!
	wire_holder+=("$holder")
	for ((i = 0; i < 250; i++)); do
		child=$(<"/proc/$holder/task/$holder/children")
		printf -v "$1" %s "${child% }"
		[[ -z $child || $(readlink "/proc/${child% }/exe") != */sleep ]] || return 0
		sleep 0.02
	done
	return 1
}

wire_down() {
	local holder
	for holder in ${wire_holder[@]+"${wire_holder[@]}"}; do
		kill -9 "$holder" && wait "$holder"
	done 2>/dev/null
	wire_holder=()
}

on_node() { nsenter -t "$wire_node" -m -n -p "$@"; }
on_switch() { nsenter -t "$wire_switch" -m -n -p "$@"; }

# wire_lldpd SIDE [OPTION]...: starts its daemon with what lldpcli would be told on standard input, a line each
wire_lldpd() {
	local side=$1 holder=wire_$1 i
	shift
	"on_$side" tee /run/wire.conf >/dev/null	# where its lldpcli, without root's rights, can read it
	nsenter -t "${!holder}" -m -n -p lldpd -d -O /run/wire.conf "$@" >"$T/$side.log" 2>&1 &
	printf -v "wire_${side}_daemon" %s $!
	disown	# nobody needs to hear that it is killed
	for ((i = 0; i < 200; i++)); do
		"on_$side" lldpcli show configuration >/dev/null 2>&1 && return
		sleep 0.05
	done
	cat "$T/$side.log"
	return 1
}

# wire_end SIDE: its daemon ends as an init would end it
wire_end() {
	local enters=wire_$1_daemon
	kill "$(tr -d ' ' <"/proc/${!enters}/task/${!enters}/children")"
}

# wire_says PORT OUI SUBTYPE BYTES: a line for wire_lldpd; the switch's port sends this organisational TLV
wire_says() {
	echo "configure ports $1 lldp custom-tlv add oui $2 subtype $3 oui-info $4"
}

# wire_heard PORT...: waits until the node's daemon has a neighbour on each of them
wire_heard() {
	local i port missing
	for ((i = 0; i < 100; i++)); do
		on_node lldpcli -f json0 show neighbors >"$T/heard"
		missing=''
		for port; do
			grep -q "\"name\": \"$port\"" "$T/heard" || missing+=" $port"
		done
		[ -n "$missing" ] || return 0
		sleep 0.1
	done
	fail "no frame came to$missing" >/dev/null
	echo "no frame came to$missing; the daemons said:"
	cat "$T/node.log" "$T/switch.log"
	return 1
}

# --- frames by hand -----------------------------------------------------------------

hex() { printf '%b' "$1" | od -An -v -tx1 | tr -d ' \n'; }	# TEXT with printf's escapes

# tlv TYPE HEX: one TLV
tlv() { printf '%04x%s' $(($1 << 9 | ${#2} / 2)) "$2"; }

# frame NUMBER TTL SYSTEM PORT [TLV]...: a frame of the agent whose address ends in NUMBER (two hex digits)
frame() {
	local number=$1 ttl=$2 system=$3 port=$4
	shift 4
	printf '0180c200000e02aa0000ff%s88cc' "$number"
	tlv 1 "0402aa000000$number"
	tlv 2 "05$(hex "$port")"
	tlv 3 "$(printf '%04x' "$ttl")"
	[ -z "$system" ] || tlv 5 "$(hex "$system")"
	printf '%s' ${@+"$@"}
	printf '0000'
}

# wire_send PORT FRAME...: from the switch's end
wire_send() { on_switch "$TOP/tests/lldp/send" "$@"; }
