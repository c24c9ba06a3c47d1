#!/bin/bash
# Command lines and policies that are refused: 64 and 65, each with its own words, and nothing written. It is over before
# a machine is asked, so no machine is needed in earnest: the guest does not run it.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

test_bad_policies() {
	demo_policy
	local before command text
	before=$(machine_state)
	: >"$T/empty.yaml"
	printf -- '---\n' >"$T/marker.yaml"
	printf 'null\n' >"$T/null.yaml"
	cp "$policy" "$T/unreadable.yaml"
	chmod 000 "$T/unreadable.yaml"
	for command in drift plan apply; do
		refused 65 "$T/none.yaml: error: cannot be read: No such file or directory" rdmactl $command -p "$T/none.yaml"
		refused 65 'policy is empty' rdmactl $command -p "$T/empty.yaml"
		refused 65 'no entry of nodes matches "gpu77"' rdmactl $command -p "$policy" --node gpu77
	done
	mkdir "$T/none.d"
	refused 65 'none.d: error: holds no *.yaml: there is no policy' rdmactl drift -p "$T/none.d"
	for text in marker null; do
		refused 65 'policy is empty' rdmactl drift -p "$T/$text.yaml"
	done
	refused 65 'policy is empty' rdmactl drift -p - <"$T/empty.yaml"
	refused 65 'policy is empty' rdmactl dump -p "$T/empty.yaml" "$T/node.dump"
	# root reads everything, unless he gives that right away
	[ "$(id -u)" != 0 ] || set -- setpriv --bounding-set=-dac_override,-dac_read_search
	refused 65 'unreadable.yaml: error: cannot be read: Permission denied' "$@" "$RDMACTL" drift -p "$T/unreadable.yaml"
	sed -i 's/8192/many/' "$policy"
	for command in drift plan apply; do
		refused 65 'max_backlog is not a whole decimal number' rdmactl $command -p "$policy"
		assertErr ':16:20: error:'
	done
	assertMachine "$before"
}

# Whatever is opened first must not become standard output: the report would go into it.
test_closed_standard_output() {
	demo_policy
	local before command
	before=$(machine_state)
	for command in drift plan; do
		assertStatus 1 bash -c "exec \"\$0\" $command -p \"\$1\" >&-" "$RDMACTL" "$policy"
		assertErr 'cannot write the report: Bad file descriptor'
		assertStatus 1 bash -c "exec \"\$0\" $command -p \"\$1\" >&- 2>&- <&-" "$RDMACTL" "$policy"
	done
	assertStatus 2 bash -c 'exec "$0" version >&-' "$RDMACTL"
	assertMachine "$before"
}

test_version() {
	assertStatus 0 rdmactl version
	local version=$out
	assertStatus 0 rdmactl --version
	assertEquals "$version" "$out"
	assertContains "$version" 'rdmactl '
}

test_usage() {
	demo_policy
	local before text line
	before=$(machine_state)
	printf 'no dump\n' >"$T/broken"
	: >"$T/nothing"
	while IFS=: read -r line text; do
		# shellcheck disable=SC2086	# words
		refused 64 "$text" rdmactl $line
	done <<-END
		:which command?
		frobnicate:there is no command 'frobnicate'
		drift --frobnicate:there is no option --frobnicate
		drift -z:there is no option -z
		drift -zq:there is no option -z
		drift -qz:there is no option -z
		drift --quiet -zv:there is no option -z
		drift --quiet=1:there is no option --quiet=1
		drift -p:-p needs a value
		drift -o xml:-o takes table, json, prometheus or nagios, not 'xml'
		drift --color red:--color takes auto, always or never, not 'red'
		apply --allow all:--allow takes IDLE[/BUSY], each none, traffic or reload, not 'all'
		drift --allow none:this command takes no --allow
		show --only mtu:this command takes no
		drift -p $policy --only firmwear:--only firmwear
		lint --port nic0:this command takes no
		version --policy x:this command takes no
		drift extra -p $policy:this command takes no argument 'extra'
		plan extra -p $policy:this command takes no argument 'extra'
		apply -p $policy extra:this command takes no argument 'extra'
		version extra:this command takes no argument 'extra'
		drift $policy:-p names the policy: rdmactl drift -p $policy
		drift none.yaml:-p names the policy: rdmactl drift -p none.yaml
		apply qos.pfc:a setting is named by --only
		drift -p $policy --port nic7:--port nic7
		apply -p $policy --port nic7:--port nic7
		show --port nic7:--port nic7
		plan -p $policy --only firmwear:--only firmwear
		plan -p $policy --only gid:--only gid
		apply -p $policy --only gid:--only gid
		apply -p $policy --only=:--only
		apply -p $policy --only=,mtu:--only
		show frobnicate:there is no setting 'frobnicate'
		explain frobnicate:frobnicate
		drift -p $policy --from $T/none:cannot be read: No such file or directory
		drift -p $policy --from $T/broken:$T/broken
		drift -p $policy --from $T/nothing:$T/nothing
		drift -p $policy --from $T/broken --root $T:--from and --root exclude each other
		apply -p $policy --root $T --confirm 9:--confirm and --root exclude each other: nothing runs there
		apply -p $policy --root $T --revert-dropped:--revert-dropped and --root exclude each other: only what runs
		plan -p $policy --root $T --revert-dropped:--revert-dropped and --root exclude each other: only what runs
		apply -p $policy --from $T/broken:apply does not write to a dump
		dump a b:dump takes one file at most
	END
	assertMachine "$before"
}

. shunit2
