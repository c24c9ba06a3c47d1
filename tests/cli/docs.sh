#!/bin/bash
# README.md and docs/*.md: every command runs and prints what the page says, every policy lints, every option and setting that is
# named exists, every link leads somewhere (docs.py says how a page asks for it). And the check itself: it catches what is planted.
# On the simulator alone so far: what a page says of a machine is said of one that is made for it.
# shellcheck disable=SC2016,SC2154	# backquotes of pages; out, status: lib.sh's
. "$(dirname "$0")/lib.sh"

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
}

docs() { # [PAGE]...
	RDMACTL=$RDMACTL SIMCTL=$SIMCTL python3 "$TOP/tests/cli/docs.py" "$@"
}

test_pages() {
	assertStatus 0 docs
	echo "# $out"
}

# --- what is planted ----------------------------------------------------------------

# page: standard input, into $page; fine as it is
page() {
	page=$T/page.md
	cat >"$page"
}

good_page() {
	page <<-'END'
		# A title, with `code`

		See `rdmactl drift --boot`, `apply --allow traffic/none`, `-o json`, `qos.pfc`, `pause: {rx: false}`, `make check`, [above](#a-title-with-code),
		and docs/policy.md.

		```yaml
		profiles:
		  gpu: {ports: {rail: {match: {driver: mlx5_core}, mtu: 9000}}}
		```

		<!-- sh: sim set mtu nic1 9000 -->
		<!-- status: 1 0 -->
		```sh
		rdmactl drift -p policy.yaml   # nic0
		rdmactl apply -p policy.yaml
		```

		```console
		$ rdmactl drift -p policy.yaml
		node1: in sync; kernel …; policy policy.yaml, sha256:…
		…
		$ echo $?
		0
		$ ip link set nic0 mtu 1500
		$ rdmactl drift -p policy.yaml -o nagios
		RDMACTL CRITICAL - node1: drift: mtu of nic0 | in-sync=… unmanaged=0;;;0
		```

		```yaml bad
		profiles:
		  gpu: {ports: {rail: {match: {driver: mlx5_core}, mtu: 99999}}}
		```
	END
}

test_a_good_page() {
	good_page
	assertStatus 0 docs "$page"
	assertEquals '8 commands and policies run in 1 pages' "$out"
}

# planted SED TEXT...: the good page, changed, is to have a fault that says all of TEXT. All are judged at once: judge_planted.
planted() {
	good_page
	pages+=("$T/$((${#pages[@]} + 1)).md")
	sed "$1" "$page" >"${pages[-1]}"
	assertFalse "$1 changes the page" "cmp -s '$page' '${pages[-1]}'"
	printf '%s\n' "${@:2}" >"${pages[-1]}.text"
}

judge_planted() {
	local one text
	run docs "${pages[@]}"
	assertEquals 1 "$status"
	for one in "${pages[@]}"; do
		while IFS= read -r text; do
			assertContains "${one##*/}" "$(awk -v page="$one:" '/^\// { on = index($0, page) == 1 } on' <<<"$out")" "$text"
		done <"$one.text"
	done
}

test_planted() {
	local pages=()
	planted 's/`rdmactl drift --boot`/`rdmactl drift --bott`/' ':3: `rdmactl drift --bott`: `drift` has no option --bott'
	planted 's/`rdmactl drift --boot`/`rdmactl drfit --boot`/' "there is no command 'drfit' of rdmactl"
	planted 's/`apply --allow/`apply --alow/' '`apply` has no option --alow'
	planted 's/`-o json`/`drift -o jsn`/' "\`drift\` has no output 'jsn'"
	planted 's/`-o json`/`--jsno`/' 'no command of rdmactl has the option --jsno'
	planted 's/`qos.pfc`/`qos.pcf`/' 'there is no setting qos.pcf'
	planted 's/`pause: {rx/`pause: {xr/' 'there is no setting pause.xr'
	planted 's/`make check`/`make chekc`/' 'the Makefile has no such target'
	planted 's/(#a-title-with-code)/(#title)/' ':3: a link to #title: no heading there is called that'
	planted 's/(#a-title-with-code)/(none.md)/' 'a link to none.md, which is not there'
	planted 's/docs.policy.md/docs\/police.md/' 'there is no docs/police.md'
	planted 's/mtu: 9000}}}/mtu: 90000}}}/' ':6: lint finds something in this policy' 'out of range'
	planted 's/mtu: 99999/mtu: 9000/' 'lint finds nothing in this policy'
	planted 's/^```yaml bad/```yaml baad/' 'yaml baad: group, node, bad, or a file'
	planted 's/^rdmactl apply -p/rdmactl apply --alow none -p/' ':15: `apply` has no option --alow'
	planted 's/^\(<!-- status: 1\) 0/\1 1/' ':15: `rdmactl apply -p policy.yaml` ends with 0, not 1'
	planted 's/^<!-- sh: sim set/<!-- sh: sim sett/' ':11: what runs before ends with'
	planted 's/^node1: in sync; kernel …;/node1: in sync;/' ':19: `rdmactl drift -p policy.yaml` prints something else' '+node1: in sync; kernel'
	planted 's/^0$/1/' '`echo $?` prints something else'
	planted '/^RDMACTL CRITICAL/d' 'prints something else' '+RDMACTL CRITICAL'
	planted 's/^\$ echo \$?/$ echo $?; reboot/' 'nothing runs `echo $?; reboot`: tests/docs.txt'
	planted 's/^\$ echo \$?/$ echo $? >\/etc\/x/' 'nothing runs `echo $? >/etc/x`: tests/docs.txt'
	planted '3s/.*/    rdmactl drift/' ':3: nothing runs `rdmactl drift`'
	planted 's/^```sh/```text/; s/^<!-- status.*//; s/^rdmactl drift -p.*nic0$/none/' 'nothing runs `rdmactl apply -p policy.yaml`'
	planted 's/^```console/```perl/' 'a fence of perl'
	judge_planted
}

# The list says who runs what docs.py does not, and that is so.
test_the_list() {
	local script=tests/cli/lib.sh
	page <<-'END'
		```sh
		frobnicate --all   # nobody has it
		```

		```yaml
		- name: A playbook
		  hosts: all
		```
	END
	assertStatus 1 docs "$page"
	assertOut 'page.md:2: nothing runs `frobnicate --all`: tests/docs.txt'
	assertOut 'nothing runs this playbook, `- name: A playbook`'
	export DOCS_LIST=$T/list
	printf '%s\t%s\t%s\n' 'frobnicate *' - 'for this test' '- name: A playbook' $script 'rdmactl()' >"$DOCS_LIST"
	assertStatus 0 docs -l "$page"
	printf '%s\t%s\t%s\n' 'rm -rf *' - 'a reason' 'frob*' tests/cli/none.sh 'x' 'frob*all' $script 'boots a machine' >>"$DOCS_LIST"
	assertStatus 1 docs -l "$page"
	assertEquals "$(printf 'tests/docs.txt:%s\n' '4: there is no tests/cli/none.sh' \
		"5: $script does not run it: \`boots a machine\` does not stand there" '3: no page has this')" "$out"
	unset DOCS_LIST
}

# Each word that a report may say stands on the page about reports; what is heard of the switch may stand on its own.
test_every_word_of_a_report() {
	local word words reasons
	words=$(jq -r '[.. | objects | to_entries[] | select(.key | IN("status", "result", "impact", "effective", "refused")) |
		.value | objects | .enum? // empty] | add | unique[]' "$TOP/docs/report.schema.json")
	reasons=$(sed -nE 's/^\t\[REASON_[A-Z_]+\] = \{ "([a-z-]+)".*/\1/p' "$TOP/lib/model/value.c")
	assertTrue 'words' "[ $(wc -w <<<"$words") -ge 35 ] && [ $(wc -w <<<"$reasons") -ge 20 ]"
	for word in $words; do
		assertContains "$word" "$(<"$TOP/docs/report.md")" "\`$word\`"
	done
	for word in $reasons; do
		assertTrue "reason $word" "grep -qE '\`([a-z]+: )?$word\`' '$TOP/docs/report.md' '$TOP/docs/neighbor.md'"
	done
}

# The simulated node of docs/start.md, as it is typed in a clone.
test_a_node_to_try() {
	mkdir "$T/clone"
	ln -s "$B" "$T/clone/build"
	awk '/^```sh$/ { block = ""; on = 1; next } /^```$/ { if (block ~ /simctl/) printf "%s", block; on = 0 } on { block = block $0 "\n" }' \
		"$TOP/docs/start.md" >"$T/typed"
	echo 'rdmactl show ports' >>"$T/typed"
	assertStatus 0 env -C "$T/clone" -u RDMACTL_SIM HOME="$T" bash -e "$T/typed"
	assertOut 'nic1 mlx5_1/1'
}

test_the_index() {
	local f index
	index=$(<"$TOP/docs/README.md")
	for f in "$TOP"/docs/*.md; do
		f=${f##*/}
		[ "$f" = README.md ] || assertContains "docs/README.md has $f" "$index" "]($f)"
	done
}

. shunit2
