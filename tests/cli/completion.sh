#!/bin/bash
# Words for the shell: what `complete` prints, and what the three shells make of it, on a terminal of their own.
# On the simulator alone so far: the guest has no shells to try.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# words WORD...: what is offered for the last of them, without the meanings; nothing is ever told besides
words() {
	assertStatus 0 rdmactl complete -- "$@"
	assertEquals "standard error" '' "$err"
	cut -f1 <<<"$out" | paste -sd' '
}

offers() { # WORDS COMMAND-LINE-WORD...
	assertEquals "${*:2}" "$1" "$(words "${@:2}")"
}

test_commands_and_options() {
	offers 'check-switch' check
	offers 'recover render rollback' r
	offers 'apply' help ap
	offers '--only' apply --on
	offers '--only' drift --on
	offers '' show --on
	offers '--only' apply --only mtu --on
	offers '' apply --wait 3 --wai
	offers '--if-idle' apply --allow none -q --if
	offers '' frobnicate ''
	offers '' confirm --wat
	assertContains 'where nothing else may stand' " $(words apply '') " ' --dry-run '
	assertContains 'with what it means' "$(rdmactl complete -- apply --dry)" $'--dry-run\tsay what'
}

test_values() {
	offers 'always auto never' drift --color ''
	offers 'json table' plan -o ''
	offers 'json sarif table' lint -o ''
	offers '--output=json' plan --output=j
	offers 'none reload traffic' apply --allow ''
	offers 'traffic/none traffic/reload traffic/traffic' apply --allow traffic/
	offers ':files' drift -p ''
	offers ':files' drift -vp x
	offers ':files' check-switch --tier leaf ''
	assertContains 'one file is enough' " $(words check-switch a '') " ' --tier '
	offers ':directories' plan --root ''
	offers 'boot switch' render ''
	offers 'cumulus eos junos nxos os10 sonic' render switch --nos ''
	offers 'Spectrum-4' headroom --asic Spectrum-4
	offers '' drift --until-ready ''
	offers '' drift --frobnicate=x
	offers '' drift -- --ver
}

test_settings() {
	offers 'qos.pfc' apply --only qos.pf
	offers 'mtu,roce.tos' apply --only mtu,roce.to
	offers '--only=mtu,roce.tos' apply --only=mtu,roce.to
	offers 'qos.ets' explain qos.et
	offers 'qos.ets' show qos.et
	offers 'ports' show por
	assertContains 'a prefix' " $(words apply --only qo) " ' qos '
	assertContains 'a topic' " $(words explain back) " ' backlog '
}

test_names_of_the_policy() {
	demo_policy
	local node
	node=$(machine_node)
	offers "$node" drift -p "$policy" --node ''
	offers "$node" drift --policy="$policy" --node "${node:0:1}"
	assertContains 'its groups' " $(words drift -p "$policy" --port '') " ' rail '
	assertContains 'the ports that are here' " $(words drift -p "$policy" --port '') " ' nic0 '
	offers "$(machine_bdf nic0)" drift -p "$policy" --port "$(machine_bdf nic0 | cut -c1-8)"
	offers 'gpu0010' lint -p "$TOP/policies/roce-gpu.yaml" --node gpu0010
	policy tiers.yaml <<-'END'
		version: 1
		fabric:
		  mtu: 9000
		  tiers: {leaf: {nos: sonic, links: {all: {}}}, spine: {nos: eos, links: {all: {}}}}
	END
	offers 'leaf spine' render switch -p "$policy" --tier ''
	offers 'default/leaf' render switch -p "$policy" --tier default/l
}

test_many_nodes() {
	policy <<-'END'
		version: 1
		nodes:
		  gpu[00000-99999]: {}
	END
	assertContains 'beginnings' "$(words drift -p "$policy" --node gpu1)" ':open gpu100 gpu101'
	offers 'gpu12340 gpu12341 gpu12342 gpu12343 gpu12344 gpu12345 gpu12346 gpu12347 gpu12348 gpu12349' \
		drift -p "$policy" --node gpu1234
}

test_runs() {
	demo_policy
	assertStatus 0 rdmactl apply -p "$policy"
	offers '0 1' rollback --to ''
	assertContains 'which it was' "$(rdmactl complete -- rollback --to 1)" 'apply done'
}

test_broken_and_hostile_policies() {
	policy <<<'{version: 1, nodes: {a1: {profiles: [none]}, b1: {frob: 1}}}'
	offers 'a1 b1' drift -p "$policy" --node ''
	policy <<<$'\tversion: {'
	offers '' drift -p "$policy" --node ''
	offers '' drift -p "$T/none" --node ''
	offers '' drift -p - --node '' <<<'nodes: {a: {}}'
	mkfifo "$T/pipe"
	offers '' drift -p "$T/pipe" --node ''
	hostile_policy
	assertEquals 'plain names alone' 'fine nic0 nic1' "$(words drift -p "$policy" --port '' | tr ' ' '\n' | grep -v mlx | paste -sd' ')"
	offers '' drift -p "$policy" --port '$'
}

# Names that a shell would run, expand, or take for an option or a line of its own.
hostile_policy() {
	# shellcheck disable=SC2016
	policy <<-'END'
		version: 1
		profiles:
		  p:
		    ports:
		      "$(touch pwned)": {mtu: 9000}
		      "`touch pwned`": {mtu: 9000}
		      "f;touch pwned": {mtu: 9000}
		      "--root=/": {mtu: 9000}
		      "a\nb": {mtu: 9000}
		      ":files": {mtu: 9000}
		      "~root": {mtu: 9000}
		      "\e]0;x\a": {mtu: 9000}
		      fine: {mtu: 9000}
		nodes:
		  "*": {profiles: [p]}
	END
}

# --- the shells -----------------------------------------------------------------

# A folder in which `rdmactl` is the one under test; the shells start in $T.
setUpShell() {
	mkdir -p "$T/bin" "$T/home"
	ln -sf "$RDMACTL" "$T/bin/rdmactl"
	export PATH="$T/bin:$PATH" HOME="$T/home" TERM=dumb
	export RDMACTL_TYPED=$T/typed
	hostile_policy
	cat "$policy" >"$T/home/own.yaml"
	demo_policy
	mkdir "$T/folder"
	cd "$T" || exit 1
}

# typed SHELL...: the lines of standard input, each completed
typed() {
	rm -f "$RDMACTL_TYPED"
	python3 "$TOP/tests/cli/typed.py" "$RDMACTL_TYPED" "$@" | sed 's/ *$//'
}

lines() {
	cat <<-END
		rdmactl che
		rdmactl apply --dry
		rdmactl apply --only qos.e
		rdmactl apply --only mtu,qos.e
		rdmactl apply --only=qos.e
		rdmactl drift -p pol
		rdmactl drift --policy=pol
		rdmactl drift --root fol
		rdmactl drift -p policy.yaml --port ra
		rdmactl drift -p policy.yaml --port $(machine_bdf nic0 | cut -c1-9)
		rdmactl drift -p policy.yaml --node $(machine_node | cut -c1)
		rdmactl drift -p ~/own.yaml --port fi
		rdmactl drift -p ~/own.yaml --port \$
		rdmactl drift -p ~/own.yaml --port \`
	END
}

completed() {
	cat <<-END
		rdmactl check-switch
		rdmactl apply --dry-run
		rdmactl apply --only qos.ets
		rdmactl apply --only mtu,qos.ets
		rdmactl apply --only=qos.ets
		rdmactl drift -p policy.yaml
		rdmactl drift --policy=policy.yaml
		rdmactl drift --root folder/
		rdmactl drift -p policy.yaml --port rail
		rdmactl drift -p policy.yaml --port $(machine_bdf nic0)
		rdmactl drift -p policy.yaml --node $(machine_node)
		rdmactl drift -p ~/own.yaml --port fine
		rdmactl drift -p ~/own.yaml --port \$
		rdmactl drift -p ~/own.yaml --port \`
	END
}

test_bash() {
	(
		setUpShell
		cat >"$T/bashrc" <<-END
			. '$TOP/completions/rdmactl.bash'
			bind 'set bell-style none'
			bind -x '"\C-t": printf "%s\n" "\$READLINE_LINE" >>"\$RDMACTL_TYPED"'
			echo >>"\$RDMACTL_TYPED"
		END
		lines | typed bash --noprofile --rcfile "$T/bashrc" -i >"$T/out"
	)
	assertEquals "$(completed)" "$(<"$T/out")"
	assertFalse 'nothing ran' "[ -e '$T/pwned' ]"
}

test_zsh() {
	command -v zsh >/dev/null || { skip 'zsh is not installed'; return; }
	(
		setUpShell
		mkdir "$T/zdot"
		cat >"$T/zdot/.zshrc" <<-END
			fpath=('$TOP/completions' \$fpath)
			autoload -Uz compinit
			compinit -u -D
			unsetopt beep
			typed() { print -r -- "\$BUFFER" >>"\$RDMACTL_TYPED" }
			zle -N typed
			bindkey '^T' typed
			bindkey '^U' kill-whole-line
			print >>"\$RDMACTL_TYPED"
		END
		lines | ZDOTDIR="$T/zdot" typed zsh -i >"$T/out"
	)
	assertEquals "$(completed)" "$(<"$T/out")"
	assertFalse 'nothing ran' "[ -e '$T/pwned' ]"
}

test_fish() {
	command -v fish >/dev/null || { skip 'fish is not installed'; return; }
	(
		setUpShell
		lines | grep -v '[$`]' | while IFS= read -r line; do
			fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$TOP/completions/rdmactl.fish" "$line" | cut -f1 | paste -sd' '
		done >"$T/out"
	)
	assertEquals "$(completed | grep -v '[$`]' | awk '{ print $NF }')" "$(<"$T/out")"
	assertFalse 'nothing ran' "[ -e '$T/pwned' ]"
}

. shunit2
