#!/bin/bash
# docs/adding-a-setting.md is true: its pieces of max_backlog.c stand in that file, and its own setting, taken from the
# page as it is printed, builds with one file and one line and then works.
# shellcheck disable=SC2154	# policy: lib.sh's
. "$(dirname "$0")/lib.sh"

page=$TOP/docs/adding-a-setting.md

setUp() {	# no machine is needed
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
}

# block TEXT: the block of C in the page that holds TEXT
block() {
	awk -v text="$1" '
	/^```c$/ { inside = 1; code = ""; next }
	/^```$/ { if (inside && index(code, text)) { printf "%s", code; exit }; inside = 0; next }
	inside { code = code $0 "\n" }' "$page"
}

# The page's setting in a tree beside ours: only the list and what reads it are compiled anew.
build() {
	local san=()

	mkdir -p "$T/lib/settings"
	block '#include <limits.h>' >"$T/lib/settings/iw_backlog.c"
	cat "$TOP/lib/settings/list.h" - >"$T/lib/settings/list.h" < <(block 'SETTING(iw_backlog)')
	! nm "$B/cmd/main.o" | grep -q __asan || san=(-fsanitize=address -fsanitize=undefined)
	# shellcheck disable=SC2046	# flags are words
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror "${san[@]}" -I"$T/lib" -I"$TOP/lib" -I"$TOP/cmd" -o "$T/rdmactl" \
		"$T/lib/settings/iw_backlog.c" "$TOP/cmd/catalog.c" \
		$(find "$B/cmd" -maxdepth 1 -name '*.o' -not -name catalog.o) "$B/librdmactl.a" \
		$(pkg-config --libs libmnl yaml-0.1 json-c) -ldl
}

test_pieces_stand_in_the_file() {
	local piece
	for piece in 'enum { MAX_BACKLOG }' 'key_row rows[]' 'setting_max_backlog = {'; do
		assertNotEquals "$piece is in the page" "" "$(block "$piece")"
		assertContains "$piece" "$(cat "$TOP/lib/settings/max_backlog.c")" "$(block "$piece")"
	done
	assertContains "list.h" "$(cat "$TOP/lib/settings/list.h")" "$(block 'SETTING(max_backlog)')"
}

test_one_file_and_one_line() {
	[ "$BACKEND" = vm ] && skip "the guest has no compiler" && return
	assertStatus 0 build
	assertStatus 0 "$T/rdmactl" explain iw_backlog
	assertOut 'backlog of iWARP listeners that ask for none'
	assertOut 'connections'

	policy <<-'END'
		version: 1
		profiles: {all: {node: {iw_backlog: 0}}}
		nodes: {node1: {profiles: [all]}}
	END
	assertStatus 65 "$T/rdmactl" lint "$policy"
	assertErr 'policy.yaml:2:'
	assertErr 'is out of range: 1 to 2147483647'

	sed -i 's/iw_backlog: 0/iw_backlog: 512/' "$policy"
	assertStatus 0 "$T/rdmactl" lint "$policy"

	mkdir -p "$T/root/proc/sys/net/iw_cm" "$T/root/etc" "$T/root/sys/module/iw_cm"
	echo 256 >"$T/root/proc/sys/net/iw_cm/default_backlog"
	echo node1 >"$T/root/etc/hostname"
	assertStatus 1 "$T/rdmactl" drift --root "$T/root" -p "$policy" -o json
	assertEquals "its row" "512 256 drift" "$(json '.items[] | select(.setting == "iw_backlog") |
		"\(.want) \(.live) \(.status)"')"
}

. shunit2
