#!/bin/bash
# The bad habits of adapters, on the simulator, for every driver that it knows: accepts and ignores, clamps, fails, loses
# PFC with something else. None ends in a reported success; the message has what was wanted, wrote and got.
# tests/vm/habits.sh does it on a real kernel.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

if [ "$BACKEND" = vm ]; then
	elsewhere() { skip 'tests/vm/habits.sh does it'; }
	suite() { suite_addTest elsewhere; }
fi

setting_of() { # OP: what is written with it
	case $1 in
	ets) echo qos ;;
	pfc) echo qos ;;
	app | delapp) echo qos ;;
	mtu) echo mtu ;;
	pause) echo pause ;;
	cc | ecn) echo ecn ;;
	cm | tclass) echo roce ;;
	esac
}

# rolled_back OP SPEC TEXT...: apply meets the fault, says so, exits 3, and the host reads as before; then it goes through
rolled_back() {
	local op=$1 spec=$2 before text
	shift 2
	before=$(sim snapshot)
	# shellcheck disable=SC2086	# words
	sim fault nic1 "$op" $spec
	assertStatus 3 rdmactl apply -o json -p "$policy"
	assertErr nic1
	assertErr "$(setting_of "$op")"
	for text; do assertErr "$text"; done
	assertEquals "$op $spec" 'failed-rolled-back false' "$(json '"\(.result) \(.changed)"')"
	sim fault nic1 "$op" none
	assertMachine "$before"
	assertStatus 0 rdmactl apply -p "$policy"
	assertStatus 0 rdmactl drift -p "$policy"
	restart
}

restart() { cp "$T/pristine" "$RDMACTL_SIM"; }

# One port of this driver has a policy that its driver can hold; nic1 is the one that misbehaves.
ports_of() { # DRIVER MANNERS SETTING...
	local driver=$1 manners=$2
	shift 2
	sim reset --pairs 2 --driver "$driver" --manners "$manners"
	policy < <(
		cat <<-END
			version: 1
			fabric:
			  mtu: 9000
			  classes:
			    rdma:    {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
			    default: {priority: 0, bandwidth: 40%}
			profiles:
			  all:
			    ports:
			      rail:
			        match: {driver: $driver}
			        mtu: 9000
		END
		printf '        %s\n' "$@"
		printf 'nodes:\n  node1: {profiles: [all]}\n'
	)
	pristine
}

pristine() {
	local nic
	for nic in nic0 nic1; do sim set flap_ms $nic 0; done	# nothing to wait for
	cp "$RDMACTL_SIM" "$T/pristine"
}

ignored() { rolled_back "$1" ignore 'and ignored it' "${@:2}"; }
failing() { # OP: with the errnos that drivers give
	rolled_back "$1" 'err EBUSY 1' busy
	rolled_back "$1" 'err EIO 1' 'Input/output error'
	rolled_back "$1" 'err EOPNOTSUPP 1' 'not supported'
	rolled_back "$1" 'err EIO' 'Input/output error'	# for good: what did not come about cannot be written back either
}

test_mlx5() {
	ports_of mlx5_core mlx5 'roce: {tos: rdma}' 'qos: fabric' 'pause: {rx: false, tx: false}' \
		'ecn: {np_min_time_between_cnps: 9us, rp_threshold: 4}'
	local op
	for op in mtu ets pfc app cc cm; do
		failing $op
		ignored $op
	done
	rolled_back mtu 'clamp 4096' 'mtu: wanted 9000, wrote 9000, got 4096'
	rolled_back app 'clamp 2' 'qos.dscp: wanted' 'got'
	rolled_back cc 'clamp 3 1' 'ecn.np_min_time_between_cnps: wanted 9us, wrote 9us, got 3us'
	rolled_back pfc 'clamp 7 1' 'qos.pfc: wanted 3, wrote 3, got 0,1,2'
}

# Global pause alone: with PFC in one register the first write does both.
test_mlx5_pause() {
	ports_of mlx5_core mlx5 'pause: {rx: false, tx: false}'
	failing pause
	ignored pause 'pause.rx: wanted false, wrote false, got true'
}

test_ofed() {
	ports_of mlx5_core mlx5 'roce: {tos: rdma}' 'ecn: {np: [3], rp: [3], cnp: {dscp: 46, priority: 5}}'
	sim reset --pairs 2 --ofed
	sim set tclass nic0 96
	sim set tclass nic1 96
	pristine
	failing ecn
	ignored ecn
	failing tclass
	ignored tclass
}

test_other_drivers() {
	local line op
	for line in ice:ice bnxt_en:bnxt hns3:hns3; do
		ports_of "${line%:*}" "${line#*:}" 'qos: fabric' 'optional: [qos.trust, qos.dscp]'
		for op in mtu ets pfc; do
			rolled_back $op 'err EOPNOTSUPP 1' 'not supported'
		done
		case $line in	# bnxt refuses PFC until it has ETS
		bnxt*) rolled_back ets ignore 'cannot set PFC: Invalid argument' ;;
		*) rolled_back ets ignore 'wanted ' ', wrote ' ', got ' ;;
		esac
	done
	ports_of ice ice 'qos: fabric'
	failing app
	ports_of bnxt_en bnxt 'qos: fabric'
	failing app
}

# Another write takes PFC away: put right in the same run, not reported as done.
test_pfc_is_lost_with_the_mtu() {
	ports_of mlx5_core mlx5 'qos: {pfc: [3]}'
	assertStatus 0 rdmactl apply --only qos -p "$policy"
	sim set pfc_reset_on_mtu nic0 Y
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals "9000 3" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
	# nobody asks for PFC, and it was there: it is put back, or what was lost is named
	machine_set_mtu nic0 1500
	machine_set_pfc nic0 4
	sed -i '/qos:/d' "$policy"
	assertStatus 0 rdmactl apply -p "$policy"
	assertEquals "9000 4" "$(machine_get_mtu nic0) $(machine_get_pfc nic0)"
}

test_pfc_is_lost_each_time() {
	ports_of mlx5_core mlx5 'qos: fabric'
	sim fault nic1 app lose
	run rdmactl apply -o json -p "$policy"
	assertNotEquals "PFC of nic1 is '$(machine_get_pfc nic1)'" "0 " "$status $(machine_get_pfc nic1)"
	assertStatus 0 rdmactl drift -p "$policy"
}

. shunit2
