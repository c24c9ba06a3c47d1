#!/bin/bash
# Host lists agree with nodeset, over a few hundred random ones; tests/long/hostlist-oracle alone has thousands.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out: lib.sh's
. "$(dirname "$0")/lib.sh"

test_oracle() {
	[ "$BACKEND" = sim ] || { skip 'nodeset is no tool of the guest'; return; }
	command -v nodeset >/dev/null || { skip 'nodeset (package clustershell) is not installed'; return; }
	out=$("$TOP/tests/long/hostlist-oracle" -n 400 -s 7 2>&1)
	assertEquals "$out" 0 $?
	assertOut 'names agree'
}

. shunit2
