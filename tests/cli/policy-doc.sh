#!/bin/bash
# The examples of docs/policy.md: each block of YAML is a policy that lints without a finding. One without nodes gets a
# node, with all its profiles.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out: lib.sh's
. "$(dirname "$0")/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	export RDMACTL_SIM=$T/none
}

test_examples() {
	local f n=0
	awk -v dir="$T" '/^```yaml$/ { file = dir "/" ++n ".yaml"; next } /^```$/ { file = ""; next } file { print >file }' \
		"$TOP/docs/policy.md"
	for f in "$T"/*.yaml; do
		n=$((n + 1))
		grep -q '^version:' "$f" || sed -i '1i version: 1' "$f"
		grep -q '^nodes:' "$f" || sed -nE '/^profiles:/,$s/^  ([a-z]+):.*/\1/p' "$f" | paste -sd, |
			sed 's/.*/nodes: {gpu0913: {profiles: [&]}}/' >>"$f"
		assertStatus 0 rdmactl lint --strict "$f"
		assertOut '0 errors, 0 warnings'
	done
	assertTrue "$n examples" "[ $n -ge 6 ]"
}

. shunit2
