#!/bin/bash
# Debian's packages, as they lie in build/dist: one version, lintian, how the program is linked, what is where, and that
# the tarball they are made of is the same whoever makes it. Takes seconds.
# shellcheck disable=SC2046	# names without blanks
. "$(dirname "$0")/lib"

node=$(echo "$dist"/rdmactl_"$version"_*.deb)
ansible=$dist/rdmactl-ansible_${version}_all.deb

oneTimeSetUp() {
	X=$SHUNIT_TMPDIR/x
	dpkg-deb -x "$node" "$X" || exit 1
}

field() { dpkg-deb -f "$node" "$1"; }
# held DEB: paths of files, from the root
held() { dpkg-deb -c "$1" | awk '!/^d/ { print substr($6, 2) }'; }

test_the_version_stands_in_one_place() {
	local tree=$dist/rdmactl-$version
	assertEquals "$version" "$(cd "$tree" && dpkg-parsechangelog -S Version)"
	assertEquals "Version:        $version" "$(grep '^Version:' "$tree/rdmactl.spec")"
	assertEquals 'the top of NEWS' "$version" "$(grep -m1 -oE '^[0-9]+[.0-9]+' "$TOP/NEWS")"
	assertEquals 'no placeholder is left' '' "$(grep -n '@[A-Z]*@' "$tree/debian/changelog" "$tree/rdmactl.spec")"
	assertEquals "rdmactl $version" "$("$X/usr/sbin/rdmactl" version)"
	assertEquals "$version" "$("$X/usr/sbin/rdmactl" version -o json | jq -r .rdmactl)"
}

test_dist_is_the_same_twice() {
	local tar=dist/rdmactl-$version.tar.gz
	(umask 077 && TZ=Asia/Kathmandu make -s --no-print-directory -C "$TOP" B="$T/one" dist) >/dev/null 2>&1
	(umask 002 && make -s --no-print-directory -C "$TOP" B="$T/a/longer/name" dist) >/dev/null 2>&1
	cmp "$T/one/$tar" "$T/a/longer/name/$tar" || fail 'the tarballs differ'
	tar -xf "$T/one/$tar" -C "$T"
	GIT_CEILING_DIRECTORIES=$T make -s --no-print-directory -C "$T/rdmactl-$version" dist >"$T/said" 2>&1
	assertContains 'without a repository' "$(cat "$T/said")" 'a clone of the repository'
}

test_lintian() {
	assertEquals '' "$(lintian --allow-root --profile debian --display-info --pedantic "$dist"/rdmactl_*.changes 2>&1)"
}

# blhc reads of each compiler's command line that Debian's hardening is in it; the rest is what came of it.
test_hardening() {
	assertEquals '' "$(blhc --all --debian "$dist/deb.log" 2>&1)"
	assertContains "$(readelf -dW "$X/usr/sbin/rdmactl")" 'NOW PIE'
	assertContains "$(readelf -lW "$X/usr/sbin/rdmactl")" GNU_RELRO
	assertContains "$(readelf --dyn-syms -W "$X/usr/sbin/rdmactl")" __stack_chk_fail
	assertContains "$(readelf --dyn-syms -W "$X/usr/sbin/rdmactl")" __snprintf_chk
}

# What the program opens when it needs it is in a package that this one recommends or suggests.
test_libraries_that_are_opened() {
	local library owner n=0
	for library in $(grep -rhoE '"lib[a-z]+\.so\.[0-9]+"' "$TOP/lib" --include='*.c' | tr -d '"' | sort -u); do
		owner=$(dpkg -S "*/$library" | cut -d: -f1 | sort -u)
		assertContains "$library is in $owner" " $(field Recommends), $(field Suggests)," " $owner,"
		n=$((n + 1))
	done
	assertEquals 'libraries' 4 $n
}

test_everything_is_where_it_is_looked_for() {
	local f here
	here=$(held "$node")
	for f in /usr/sbin/rdmactl "$(pkg-config --variable=systemdsystemunitdir systemd)/rdmactl.service" \
		"$(pkg-config --variable=udevdir udev)/rules.d/90-rdmactl.rules" /usr/share/man/man8/rdmactl.8.gz \
		/usr/share/bash-completion/completions/rdmactl /usr/share/fish/vendor_completions.d/rdmactl.fish \
		/usr/share/doc/rdmactl/boot.md /usr/share/doc/rdmactl/NEWS.gz /usr/share/doc/rdmactl/changelog.gz; do
		assertContains "$here" "$f"
	done
	f=$(grep '/_rdmactl$' <<<"$here")
	assertContains 'where zsh looks' "$(zsh -fc 'print -l $fpath')" "${f%/*}"
	assertEquals 'pages that are not compressed' '' "$(grep '^/usr/share/man/.*[0-9]$' <<<"$here")"
	assertEquals 'nothing that it wants to be asked about' '' "$(dpkg-deb --ctrl-tarfile "$node" | tar -t | grep conffiles)"
	assertEquals 'units' '' "$(grep -l '@[A-Z]*@\|/usr/local/sbin' "$X"/*/systemd/system/rdmactl*)"
	assertEquals 'the collection is in the other one' '' "$(grep -x '.*/roles/.*\|.*\.py' <<<"$here")"
	here=$(held "$ansible")
	assertContains "$here" /usr/share/ansible/collections/ansible_collections/rdmactl/node/plugins/modules/rdmactl_apply.py
	assertNotContains "$here" /tests/
}

# Units, remedies and pages name files of this package: each is there.
test_files_that_are_named() {
	local f
	for f in $(grep -rhoE '/usr/share/(doc/)?rdmactl/[a-z0-9./-]+[a-z]' "$X" --include='rdmactl*' --include='*.yaml' | sort -u); do
		assertTrue "$f" "[ -e '$X$f' ] || [ -e '$X$f.gz' ]"
	done
}

test_no_folder_of_the_build_in_it() {
	assertEquals '' "$(grep -rlF "$B" "$X")"
}

. shunit2
