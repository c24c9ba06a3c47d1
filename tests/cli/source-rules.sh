#!/bin/bash
# The rules of tests/lint/check over a small tree: each fires at its fault, and not at what stands just beside it.
# shellcheck disable=SC2154	# err: lib.sh's
. "$(dirname "$0")/lib.sh"

license='/* SPDX-License-Identifier: Apache-2.0 */'

# put FILE LINE...: a source file that opens as all do
put() {
	mkdir -p "$T/$(dirname "$1")"
	printf '%s\n' "$license" '/* What it is for. */' "${@:2}" >"$T/$1"
}

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	mkdir -p "$T/tests/lint" "$T/cmd" "$T/docs" "$T/.ci"
	cp "$TOP/tests/lint/check" "$TOP/tests/lint/layers" "$T/tests/lint/"
	put lib/base/text.h '#include <stddef.h>'
	put lib/base/json.c '#include <json-c/json.h>' '#include "base/text.h"'
	put lib/model/setting.h '#include "base/text.h"'
	put lib/engine/plan.c '#include "model/setting.h"'
	put lib/settings/list.h 'SETTING(mtu)'
	put lib/settings/mtu.c '#include "model/setting.h"' 'const struct setting setting_mtu = { 0 };'
	put cmd/list.h 'COMMAND(plan)'
	put cmd/plan.c '#include "engine/plan.h"' '#include "settings/mtu.h"' 'const struct command command_plan = { 0 };'
	printf '%s\n' '# Title' 'See `lib/base/text.h`, and `lib/settings/NAME.c`.' >"$T/README.md"
	printf '{}\n' >"$T/docs/report.json"
	check() { "$T/tests/lint/check" "$@"; }
}

# faulty RULE TEXT: the rule finds one thing, and says TEXT
faulty() {
	assertStatus 1 check "$1"
	assertErr "$2"
	assertErr "lint: 1 found"
}

# In a virtual machine the rules would say the same of the same files, only slower.
suite() {
	local test tests
	tests=$(declare -F | grep -o ' test_.*')
	[ "$BACKEND" = sim ] || tests=elsewhere
	for test in $tests; do
		suite_addTest "$test"
	done
}

elsewhere() {
	skip "tried where the program is built"
}

test_good_tree() {
	assertStatus 0 check rooms libraries cycles opening blanks leftovers listed documents json
	assertEquals "says nothing" "" "$err"
}

test_every_rule_is_tried_here() {
	local rule
	for rule in $(check -l); do
		assertContains "$rule" "$(declare -f)" "faulty $rule"
	done
}

test_rooms() {
	put lib/engine/plan.c '#include "model/setting.h"' '#include "settings/mtu.h"'
	faulty rooms 'lib/engine/plan.c:4: engine may not know settings; it may include: engine base model kernel'
}

test_room_without_layer() {
	put lib/sundry/x.h
	faulty rooms 'lib/sundry/: is a room that tests/lint/layers does not name'
}

test_include_from_here() {
	put lib/engine/plan.c '#include "../base/text.h"'
	faulty rooms 'lib/engine/plan.c:3: includes ../base/text.h: write the path from lib/'
}

test_libraries() {
	put lib/kernel/dump.c '#include <json-c/json.h>'
	faulty libraries 'lib/kernel/dump.c:3: includes json-c, which belongs to lib/base'
}

test_library_of_a_like_name() {
	put lib/kernel/dump.c '#include <json-certain.h>'
	assertStatus 0 check libraries
}

test_cycles() {
	put lib/base/text.h '#include "base/diag.h"'
	put lib/base/diag.h '#include "base/text.h"'
	faulty cycles 'include each other in a circle:'
}

test_cycle_of_rooms() {
	sed -i 's/^base:.*/base: model/' "$T/tests/lint/layers"
	faulty cycles 'tests/lint/layers: has a circle:'
}

test_opening() {
	sed -i 1d "$T/lib/base/text.h"
	assertStatus 1 check opening
	assertErr 'lib/base/text.h:1: does not begin with'
	printf '%s\n' "$license" '#include <stddef.h>' >"$T/lib/base/text.h"
	faulty opening 'lib/base/text.h:2: has no comment that says what the file is for'
}

test_opening_of_scripts() {
	printf '#!/bin/sh\ntrue\n' >"$T/.ci/run"
	faulty opening '.ci/run:2: has no comment that says what the script is for'
}

test_blanks() {
	put lib/base/text.h 'int x; '
	faulty blanks 'lib/base/text.h:3: ends in a blank, has CRLF, or blanks before a tab'
	put lib/base/text.h $'int x;\r'
	faulty blanks 'lib/base/text.h:3: ends in a blank'
	put lib/base/text.h $'  \tint x;'
	faulty blanks 'lib/base/text.h:3: ends in a blank'
	put lib/base/text.h '        int x;'
	faulty blanks 'lib/base/text.h:3: is indented with blanks'
	printf '%s\n' "$license" >"$T/lib/base/text.h"
	printf '/* What it is for. */' >>"$T/lib/base/text.h"
	faulty blanks 'lib/base/text.h: does not end with a newline'
}

test_leftovers() {
	put lib/base/text.h '/* TO''DO: later */'
	faulty leftovers 'lib/base/text.h:3: is unfinished by its own words'
}

test_listed() {
	put lib/settings/gid.c 'const struct setting setting_gid = { 0 };'
	faulty listed 'lib/settings/gid.c: setting_gid is not in lib/settings/list.h'
	put lib/settings/list.h 'SETTING(mtu)' 'SETTING(gid)'
	assertStatus 0 check listed
}

test_listed_command() {
	put cmd/apply.c 'const struct command command_apply = { 0 };'
	faulty listed 'cmd/apply.c: command_apply is not in cmd/list.h'
}

test_documents() {
	printf '%s\n' 'See `lib/base/none.h`.' >>"$T/README.md"
	faulty documents 'README.md:3: lib/base/none.h does not exist'
}

test_json() {
	printf '{"a": 1,}\n' >"$T/docs/report.json"
	faulty json 'docs/report.json:'
}

# without TOOL COMMAND [ARG]...: as if TOOL were not installed
without() (
	local tool=$1
	eval "command() { [ \"\$2\" != $tool ] && builtin command \"\$@\"; }"
	export -f command
	"${@:2}"
)

test_scripts() {
	mkdir -p "$T/debian" "$T/templates" "$T/completions"
	printf '%s\n' '#!/bin/sh' '# What stops what the package started.' 'set -e' >"$T/debian/x.prerm"
	printf '%s\n' '# Words.' '# shellcheck shell=bash' 'words=""' >"$T/completions/x.bash"
	assertStatus 0 check scripts
	check() { without shellcheck "$T/tests/lint/check" "$@"; }
	faulty scripts 'shellcheck: is not here, and no script was judged'
	check() { "$T/tests/lint/check" "$@"; }
	echo 'cd "$1"' >>"$T/completions/x.bash"
	faulty scripts 'completions/x.bash:4:'
	sed -i '$d' "$T/completions/x.bash"
	echo 'rm -rf $1/*; unused=1' >>"$T/debian/x.prerm"
	assertStatus 1 check scripts
	assertErr 'debian/x.prerm:4:'
}

test_pages_of_the_manual() {
	local page=$T/rdmactl-plan.8
	printf '%s\n' '.Dd November 30, 2026' '.Dt RDMACTL-PLAN 8' '.Os' '.Sh NAME' '.Nm rdmactl-plan' '.Nd says what' >"$page"
	assertStatus 0 "$TOP/tests/lint/manual" "$page"
	assertStatus 1 without mandoc "$TOP/tests/lint/manual" "$page"
	assertErr 'mandoc is not here'
	printf '%s\n' '.Sh SEE ALSO' '.Xr rdmactl-frob 8' >>"$page"
	assertStatus 1 "$TOP/tests/lint/manual" "$page"
	assertErr 'there is no rdmactl-frob(8)'
	sed -i '$d' "$page"
	printf '%s\n' '.Xr rdmactl-plan 8' '.Frob' >>"$page"
	assertStatus 1 "$TOP/tests/lint/manual" "$page"
	assertErr 'unknown macro'
}

test_unknown_rule() {
	assertStatus 64 check rums
}

. shunit2
