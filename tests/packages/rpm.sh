#!/bin/bash
# The RPM spec, built from the tarball by rpmbuild, wherever that comes from: what its packages hold, and that they do
# nothing when they are installed. Not that their dependencies exist, which only such a distribution knows.
# Behind `make check-packages`: it compiles once.
. "$(dirname "$0")/../cli/lib.sh"

version=$(sed -n 's/^VERSION := //p' "$TOP/Makefile")
setUp() { :; }

oneTimeSetUp() {
	W=$SHUNIT_TMPDIR/rpm
	mkdir -p "$W"
	make -s --no-print-directory -C "$TOP" B="$W" RPMFLAGS=--nodeps rpm >"$W/log" 2>&1 || { tail -n 40 "$W/log" >&2; exit 1; }
	node=$(echo "$W"/dist/rpm/RPMS/*/rdmactl-"$version"-1*.rpm)
	ansible=$(echo "$W"/dist/rpm/RPMS/noarch/rdmactl-ansible-"$version"-1*.rpm)
}

test_what_it_holds() {
	local f list
	list=$(rpm -qlp "$node")
	for f in /usr/sbin/rdmactl /usr/lib/systemd/system/rdmactl.service /usr/lib/udev/rules.d/90-rdmactl.rules /etc/rdmactl \
		/usr/share/rdmactl/policy.schema.json /usr/share/bash-completion/completions/rdmactl; do
		assertContains "$list" "$f"
	done
	assertContains "$(rpm -qlp "$ansible")" /ansible_collections/rdmactl/node/plugins/modules/rdmactl_apply.py
	assertNotContains "$(rpm -qlp "$ansible")" /tests/
}

test_it_does_nothing_when_installed() {
	assertEquals '' "$(rpm -qp --scripts --triggers --filetriggers "$node" "$ansible")"
}

test_the_program_runs() {
	mkdir "$W/x"
	(cd "$W/x" && rpm2cpio "$node" | cpio -idm --quiet)
	assertEquals "rdmactl $version" "$("$W/x/usr/sbin/rdmactl" version)"
	assertEquals 'no folder of the build' '' "$(grep -rlF "$W" "$W/x")"
}

. shunit2
