#!/bin/bash
# The manual and the help: every command has a page with its options, examples of pages do what they say, help fits a screen,
# and all of it is installed where it is looked for.
# On the simulator alone so far: the guest has neither the pages nor mandoc.
# shellcheck disable=SC2154	# out, err, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

commands() {
	rdmactl complete -- '' | cut -f1
	echo complete
}

test_help_fits_a_screen() {
	local c
	unset COLUMNS
	for c in '' $(commands); do
		assertStatus 0 rdmactl help $c
		assertTrue "lines of help $c: $(wc -l <<<"$out")" "[ $(wc -l <<<"$out") -le 24 ]"
		assertEquals "too wide: help $c" '' "$(awk 'length($0) > 80' <<<"$out")"
		[ -z "$c" ] || assertEquals "$c --help" "$out" "$(rdmactl "$c" --help)"
	done
	assertEquals "$(rdmactl help)" "$(rdmactl --help)"
	assertEquals 'narrow' '' "$(COLUMNS=60 rdmactl help apply | awk 'length($0) > 60')"
	assertEquals 'a width that is none' "$(rdmactl help apply)" "$(COLUMNS=wide rdmactl help apply)"
	refused 64 "there is no command 'frob'" rdmactl help frob
	refused 64 'one command at most' rdmactl help apply plan
}

test_color() {
	demo_policy
	local escape=$'\033'
	assertNotContains 'a pipe' "$(unset NO_COLOR; rdmactl drift -p "$policy")" "$escape"
	assertContains 'always' "$(NO_COLOR=1 rdmactl drift -p "$policy" --color always)" "$escape"
	assertContains 'a terminal' "$(unset NO_COLOR; on_terminal drift -p "$policy")" "${escape}["
	assertNotContains 'never' "$(unset NO_COLOR; on_terminal drift -p "$policy" --color never)" "${escape}["
	assertNotContains 'NO_COLOR' "$(NO_COLOR=1 on_terminal drift -p "$policy")" "${escape}["
}

on_terminal() {
	python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$RDMACTL" "$@" </dev/null
}

test_progress_is_for_terminals() {
	assertContains 'a terminal' "$(on_terminal dump "$T/a.dump")" 'looks for a second who uses the ports'
	assertStatus 0 rdmactl dump "$T/b.dump"
	assertEquals 'a pipe' '' "$out$err"
	demo_policy
	assertContains 'what it waits for' "$(on_terminal drift --until-ready 1 -p "$policy")" 'drift: waits for '
	assertNotContains 'quiet' "$(on_terminal drift -q --until-ready 1 -p "$policy")" 'drift: waits for '
}

test_each_command_has_a_page() {
	local c o
	for c in $(commands); do
		assertTrue "story of $c" "[ -e '$TOP/docs/man/rdmactl-$c.mdoc' ]"
		for o in $(rdmactl help "$c" | grep -oE -- '^  (-.|  ) --[a-z][a-z-]+' | sed 's/.*--/--/'); do
			assertTrue "$c: $o" "grep -qE -- 'Fl -${o#--}( |$)' '$B/man/rdmactl-$c.8'"
		done
		assertTrue "rdmactl(8) has $c" "grep -q '^.It Xr rdmactl-$c 8' '$B/man/rdmactl.8'"
	done
}

test_settings_are_those_of_explain() {
	assertEquals "$(rdmactl explain | cut -d' ' -f1 | sort)" "$(sed -n 's/^\.Ss //p' "$B/man/rdmactl-settings.7" | sort)"
}

# Lines of displays that begin with "$ ", each after what the story says of its exit status
test_examples() {
	local page line want=0
	for page in "$B"/man/*.[578]; do
		demo_policy
		cd "$T" || return
		rdmactl dump node.dump
		while IFS= read -r line; do
			case $line in
			'.\" exits '*) want=${line##* } ;;
			'$ rdmactl '*)
				assertStatus "$want" bash -c "${line/#\$ rdmactl/\"\$RDMACTL\"}"
				want=0
				;;
			esac
		done <"$page"
		machine_reset 2
	done
}

test_example_policy() {
	sed -n '/^\.\\" a policy/,/^\.Ed/p' "$B/man/rdmactl-policy.5" | grep -v '^\.' >"$T/policy.yaml"
	assertStatus 0 rdmactl lint --strict "$T/policy.yaml"
}

# installs COMMAND PREFIX [VARIABLE]...: below $T/to, from a build directory of its own: others read $B meanwhile
installs() {
	mkdir -p "$T/b"
	ln -sfn "$B/rdmactl" "$T/b/rdmactl"
	ln -sfn "$B/man" "$T/b/man"
	make -s -C "$TOP" B="$T/b" -o "$T/b/rdmactl" -o "$T/b/man/made" DESTDIR="$T/to" PREFIX="$2" "${@:3}" "$1"
}

test_install() {
	local f
	assertStatus 0 installs install /usr
	for f in sbin/rdmactl share/man/man8/rdmactl-apply.8 share/man/man5/rdmactl-policy.5 share/man/man7/rdmactl-settings.7 \
		share/bash-completion/completions/rdmactl share/zsh/site-functions/_rdmactl \
		share/fish/vendor_completions.d/rdmactl.fish; do
		assertTrue "$f" "[ -s '$T/to/usr/$f' ]"
	done
	assertEquals 'all pages' "$(find "$B/man/" -name '*.[578]' | wc -l)" "$(find "$T/to/usr/share/man" -type f | wc -l)"
	assertEquals 'modes' '' "$(find "$T/to/usr/share" -type f ! -path '*/monitoring/*' ! -perm 644)"
}

# The build directory keeps what the install before was filled with.
test_install_to_two_places() {
	local unit prefix places=(UNITDIR=/units UDEVDIR=/udev TMPFILESDIR=/tmpfiles)
	for prefix in /usr /opt/rdma; do
		assertStatus 0 installs install $prefix "${places[@]}"
		for unit in "$T"/to/units/*.service; do
			assertEquals "$unit" "$prefix/sbin/rdmactl" "$(grep -o '^Exec.*/rdmactl ' "$unit" | grep -o '/.*l' | sort -u)"
		done
		assertContains "$(cat "$T"/to$prefix/share/rdmactl/cron/*)" "$prefix/sbin/rdmactl"
		assertContains "$(head -n 1 "$T/to$prefix/share/rdmactl/policies/minimal.yaml")" "=$prefix/share/rdmactl/"
	done
	# the units are those of /opt/rdma by now
	find "$T/to" | sort >"$T/before"
	assertStatus 2 installs uninstall /usr "${places[@]}"
	assertErr "uninstall: $T/to/units/rdmactl.service is of another installation"
	assertEquals 'nothing is removed' "$(<"$T/before")" "$(find "$T/to" | sort)"
	: >"$T/to/opt/rdma/share/rdmactl/mine"
	assertStatus 0 installs uninstall /opt/rdma "${places[@]}"
	assertEquals 'no unit, and what is not of the install' "$T/to/opt/rdma/share/rdmactl/mine" \
		"$(find "$T/to/opt" "$T/to/units" "$T/to/udev" "$T/to/tmpfiles" ! -type d)"
	assertStatus 0 installs uninstall /usr "${places[@]}"
	assertEquals 'nothing else is left' "$T/to/opt/rdma/share/rdmactl/mine" "$(find "$T/to" ! -type d)"
	assertEquals 'nor a folder of our name' "$T/to/opt/rdma/share/rdmactl" "$(find "$T/to" -type d -name 'rdmactl*')"
}

test_pages_are_the_same_twice() {
	mkdir "$T/again"
	assertStatus 0 "$B/manual" "$(sed -n 's/^DATE := //p' "$TOP/Makefile")" "$TOP/docs/man" "$T/again"
	assertEquals '' "$(diff -r -x made "$B/man" "$T/again")"
}

export RDMACTL
. shunit2
