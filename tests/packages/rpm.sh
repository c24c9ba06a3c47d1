#!/bin/bash
# The RPM spec, built twice from the tarball by rpmbuild, wherever that comes from: what its packages hold, the same bytes,
# and what they do when they are installed, upgraded and erased. Not that their dependencies exist, which only such a
# distribution knows. Compiles twice, without -O2, which says nothing about a spec.
. "$(dirname "$0")/lib"

oneTimeSetUp() {
	W=$SHUNIT_TMPDIR/rpm
	mkdir -p "$W/a/deeper/folder"
	make -s --no-print-directory -C "$TOP" B="$W/one" RPMFLAGS="--nodeps --define 'optflags -O0'" rpm >"$W/log" 2>&1 || stop
	elsewhere rpmbuild -tb --nodeps --define 'optflags -O0' --define "_topdir $W/a/deeper/folder" \
		"$W/one/dist/rdmactl-$version.tar.gz" >"$W/log" 2>&1 || stop
	node=$(echo "$W"/one/dist/rpm/RPMS/*/rdmactl-"$version"-1*.rpm)
	ansible=$(echo "$W"/one/dist/rpm/RPMS/noarch/rdmactl-ansible-"$version"-1*.rpm)
}

stop() {
	tail -n 40 "$W/log" >&2
	exit 1
}

test_the_same_bytes() {
	local f n=0
	for f in "$W"/one/dist/rpm/RPMS/*/*.rpm; do
		cmp "$f" "$W/a/deeper/folder/${f#"$W/one/dist/rpm/"}" || fail "${f##*/} differs"
		n=$((n + 1))
	done
	assertTrue "two packages at least, not $n" "[ $n -ge 2 ]"
}

test_rpmbuild_has_nothing_to_say() {
	assertEquals '' "$(grep -E '^(warning|error):|listed twice|but unpackaged' "$W/one/dist/rpm.log")"
}

test_what_it_holds() {
	local f list
	list=$(rpm -qlp "$node")
	for f in /usr/sbin/rdmactl /usr/lib/systemd/system/rdmactl.service /usr/lib/udev/rules.d/90-rdmactl.rules /etc/rdmactl \
		/usr/share/rdmactl/policy.schema.json /usr/share/bash-completion/completions/rdmactl \
		/usr/share/zsh/site-functions/_rdmactl; do
		assertContains "$list" "$f"
	done
	assertEquals 'the collection is in the other one' '' "$(grep '/roles/\|\.py$' <<<"$list")"
	assertContains "$(rpm -qlp "$ansible")" /ansible_collections/rdmactl/node/plugins/modules/rdmactl_apply.py
	assertNotContains "$(rpm -qlp "$ansible")" /tests/
}

test_the_program_runs() {
	mkdir "$T/x"
	(cd "$T/x" && rpm2cpio "$node" | cpio -idm --quiet)
	assertEquals "rdmactl $version" "$("$T/x/usr/sbin/rdmactl" version)"
	assertEquals 'no folder of the build' '' "$(grep -rlF "$W" "$T/x")"
}

# Erasing is the one thing that calls somebody.
test_scripts() {
	assertEquals '' "$(rpm -qp --scripts --triggers --filetriggers "$ansible")"
	assertEquals preuninstall "$(rpm -qp --scripts --triggers --filetriggers "$node" | grep -oE '^[a-z]+ (scriptlet|program)' | cut -d' ' -f1)"
	rpm -qp --scripts "$node" | sed 1d >"$T/preun"
	# shellcheck disable=SC2317	# the script calls it
	systemctl() { echo "systemctl $*" >>"$T/called"; }
	sed -i "s|/run/systemd/system|$T|; s|systemctl .*timer|& |" "$T/preun"
	(set -- 1 && . "$T/preun")
	assertEquals 'an upgrade' '' "$(cat "$T/called" 2>/dev/null)"
	(set -- 0 && . "$T/preun")
	assertEquals 'systemctl stop rdmactl-drift.timer' "$(cat "$T/called")"
}

test_installing_and_erasing() {
	local rpm=(rpm --root "$T/root" --dbpath /var/lib/rpm)
	mkdir -p "$T/root"
	quietly "${rpm[@]}" --initdb
	rpm+=(--nodeps --noscripts)
	list "$T/root" >"$T/before"
	quietly "${rpm[@]}" -i "$node" "$ansible"
	assertTrue 'installed' "[ -x '$T/root/usr/sbin/rdmactl' ]"
	echo 'version: 1' >"$T/root/etc/rdmactl/policy.yaml"
	quietly "${rpm[@]}" -U --force "$node" "$ansible"
	assertEquals 'a policy through an upgrade' 'version: 1' "$(cat "$T/root/etc/rdmactl/policy.yaml")"
	quietly "${rpm[@]}" -e rdmactl rdmactl-ansible
	assertEquals 'and through erasing' 'version: 1' "$(cat "$T/root/etc/rdmactl/policy.yaml")"
	rm -r "$T/root/etc/rdmactl"
	list "$T/root" | grep -vxE '\./(etc|usr(/.*)?|var(/lib)?)' >"$T/after"
	assertEquals 'left over' '' "$(comm -13 "$T/before" "$T/after")"
}

. shunit2
