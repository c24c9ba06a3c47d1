#!/bin/bash
# Receive buffers and the cable (mlx5): set whole, in an order that the driver takes, rounded by it, refused beforehand where a
# lossless one would be too small; and what a driver without them says.
# The kernels take turns in make check-vm.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

buffers() { # IFNAME: size of each buffer, and buffer of each priority
	case $BACKEND in
	sim) sim get buffer "$1" ;;
	vm) dcb -j buffer show dev "$1" | jq -r '[.buffer_size[], (.prio_buffer | to_entries[] | "\(.key):\(.value)")] | join(" ")' ;;
	esac
}

cable() { # IFNAME
	case $BACKEND in
	sim) sim get cable "$1" ;;
	vm) dcb -j pfc show dev "$1" | jq .delay ;;
	esac
}

# wants BUFFER [PFC [MORE]]: nic0 without global pause, with these priorities lossless
wants() {
	policy <<-P
		version: 1
		nodes:
		  $(machine_node):
		    set:
		      ports:
		        d:
		          match: {ifname: nic0}
		          pause: {rx: false, tx: false}
		          qos: {pfc: ${2:-[3]}}
		          buffer: $1
		${3:+          $3}
	P
}

FACTORY='262144 0 0 0 0 0 0 0 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0'
APART='{sizes: {0: 128KiB, 1: 100000}, prio: {0-2: 0, 3: 1, 4-7: 0}}'

test_whole() {
	wants '{cable: 30m, sizes: {0: 128KiB, 1: 100000}, prio: {0-2: 0, 3: 1, 4-7: 0}}'
	assertStatus 1 rdmactl plan -p "$policy"
	assertOut 'manual buffers: firmware no longer sizes them'
	assertEquals "buffers before" "$FACTORY" "$(buffers nic0)"
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" '131072 99968 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	assertEquals "cable" 30 "$(cable nic0)"
	assertEquals "PFC" 3 "$(machine_get_pfc nic0)"
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy -o json
	assertEquals "changes when all is there" 0 "$(json '.changes | length')"
	assertStatus 0 rdmactl drift -v -p "$policy"
	assertOut 'of 100000 bytes buffer 1 keeps 99968'
	assertOut 'xoff is 40580 bytes (100Gb/s, 30m, MTU 1500), a lossless buffer 50688 at least'
	assertStatus 0 rdmactl rollback
	assertEquals "buffers put back" "$FACTORY" "$(buffers nic0)"
	assertEquals "cable put back" 7 "$(cable nic0)"
}

# A number that a part of the map has as well is more likely a slip than a wish; that of all the rest is meant.
test_overlap() {
	wants '{cable: 30m, sizes: {0: 128KiB, 1: 100000}, prio: {0-3: 0, 3: 1, 4-7: 0}}'
	refused 65 'buffer.prio names 3 twice in one map: by itself and in the range 0-3' rdmactl plan -p "$policy"
	assertErr 'the range stands at'
	wants '{sizes: {0: 128KiB, 0-1: 100000}}'
	refused 65 'buffer.sizes names 0 twice in one map' rdmactl plan -p "$policy"
	assertErr 'the other stands at'
	wants '{cable: 30m, sizes: {0: 128KiB, 1: 100000}, prio: {0-7: 0, 3: 1}}'
	assertStatus 1 rdmactl plan -p "$policy"
}

# What the policy is silent about is kept, also where it is not what another one would have.
test_silent_parts() {
	wants "$APART"
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	wants '{sizes: {1: 96KiB}}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" '131072 98304 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	assertEquals "cable" 7 "$(cable nic0)"
}

# The cable alone: a lossless buffer that has no size of its own in the policy is made as large as it must be.
test_cable_alone() {
	wants '{cable: 30m}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers are large enough" "$FACTORY" "$(buffers nic0)"
	assertEquals "cable" 30 "$(cable nic0)"
	wants '{cable: 30m, sizes: {0: 128KiB}, prio: {3: 1}}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "enlarged" '131072 50688 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	wants '{cable: 300m}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "and again" '131072 109184 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	assertStatus 0 rdmactl rollback
	assertEquals "put back" '131072 50688 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	assertEquals "cable" 30 "$(cable nic0)"
	wants '{cable: 7m, sizes: {0: 256KiB, 1: 0}, prio: {3: 0}}' '[]'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "back" "$FACTORY" "$(buffers nic0)"
}

# left STATUS TEXT: the plan leaves buffers alone, and says why
left() {
	assertStatus 1 rdmactl plan -p "$policy" -o json
	assertContains "refused" "$(json '.items[] | select(.setting | startswith("buffer.")) | select(.reason == "refused") | .remedy')" "$1"
	assertStatus 1 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" "$FACTORY" "$(buffers nic0)"
}

test_refused_beforehand() {
	wants '{sizes: {0: 128KiB, 1: 40000}, prio: {3: 1}}'
	left 'receive buffer 1 is lossless and would have 40000 bytes; xoff is 35680 bytes (100Gb/s, 7m, MTU 1500), a lossless buffer 45824 at least'
	wants '{sizes: {0: 128KiB, 1: 50000}, prio: {3: 1}}' '[3]' 'mtu: 9000'	# enough for the MTU that is, not for the one that comes
	left 'receive buffer 1 is lossless and would have 50000 bytes; xoff is 56080 bytes (100Gb/s, 7m, MTU 9000), a lossless buffer 66304 at least'
	wants '{sizes: {0: 512KiB, 1: 128KiB}}'
	left 'would take 655360 bytes together, and the port has 524288'
	wants '{prio: {3: 5}}'
	left 'priority 3 would have receive buffer 5, which has no bytes'
	wants '{cable: 999m, sizes: {0: 400KiB}, prio: {3: 1}}'
	left 'would take'
}

# What the device keeps of a size has to be enough: of 45786 bytes those are 45696, which PFC, that comes after it, finds too few.
test_whole_cells() {
	wants '{sizes: {0: 128KiB, 1: 45786}, prio: {3: 1}}'
	left 'receive buffer 1 is lossless and would have 45786 bytes; xoff is 35680 bytes (100Gb/s, 7m, MTU 1500), a lossless buffer 45824 at least'
	wants '{sizes: {0: 128KiB, 1: 45824}, prio: {3: 1}}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" '131072 45824 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
}

# The sizes before and after do not fit together: of what was there no more is kept than it needs, until the map is another one.
test_no_room_for_both() {
	wants '{sizes: {0: 400KiB}}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	wants '{sizes: {0: 100000, 1: 400000}, prio: {3: 1}}'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" '99968 400000 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
	assertStatus 0 rdmactl rollback
	assertEquals "put back" '409600 0 0 0 0 0 0 0 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0' "$(buffers nic0)"
}

# While global pause is on, a small buffer for the rest is refused, and apply comes back to it.
test_after_pause() {
	wants '{sizes: {0: 20000, 1: 128KiB}, prio: {3: 1}}'
	assertStatus 1 rdmactl plan -p "$policy"
	assertOut 'apply writes it after PFC, pause or the MTU'
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertEquals "buffers" '19968 131072 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0' "$(buffers nic0)"
}

# What was changed behind our back is seen, and put right, without a word about the rest.
test_drift() {
	wants "$APART"
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	case $BACKEND in
	sim) sim set buffer nic0 1:65536/0 ;;
	vm) dcb buffer set dev nic0 buffer-size 1:65536 ;;
	esac
	assertStatus 1 rdmactl drift -p "$policy" -o json
	assertEquals "rows" "nic0 buffer.sizes" "$(json '.items[] | select(.status != "in-sync") | "\(.target) \(.setting)"')"
	assertStatus 0 rdmactl apply -p "$policy" --trust-policy
	assertStatus 0 rdmactl drift -p "$policy"
}

test_accepted_and_ignored() {
	wants "$APART"
	machine_fault nic0 buffer ignore
	assertStatus 3 rdmactl apply -p "$policy" --trust-policy
	assertErr 'buffer'
	machine_fault nic0 buffer none
	assertEquals "buffers" "$FACTORY" "$(buffers nic0)"
}

test_cannot_be_read() {
	wants "$APART"
	machine_fault nic0 getbuffer err 5
	assertStatus 1 rdmactl plan -p "$policy" -o json
	assertEquals "unknown" "buffer.prio buffer.sizes" \
		"$(json '[.items[] | select(.status == "unknown") | .setting] | sort | join(" ")')"
	assertEquals "changes" "PFCC" "$(json '[.changes[].object] | join(" ")')"
}

# A driver without buffers takes them and does nothing: it is not asked to.
test_other_drivers() {
	machine_reset 1 manners=bnxt drv=bnxt_en
	policy <<-P
		version: 1
		nodes:
		  $(machine_node): {set: {ports: {d: {match: {ifname: nic0}, buffer: {cable: 30m, sizes: {0: 128KiB}}}}}}
	P
	assertStatus 1 rdmactl drift -p "$policy" -o json
	assertEquals "reasons" "drift driver-lacks" \
		"$(json '.items[] | select(.setting | startswith("buffer.")) | "\(.status) \(.reason)"' | sort -u)"
	sed -i 's/match:/optional: [buffer], match:/' "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
}

# shellcheck source=/dev/null
. shunit2
