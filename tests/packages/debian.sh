#!/bin/bash
# The tarball and Debian's packages: the same bytes from two folders, lintian, and a clean Debian into which they are
# installed, upgraded and purged. Behind `make check-packages`: it compiles twice and makes a root file system, as root.
# With KEEP=DIR the packages and the root are made there once, and used again.
# shellcheck disable=SC2154,SC2016,SC2046	# out, err, status: lib.sh's; what a shell in the root expands; names without blanks
. "$(dirname "$0")/../cli/lib.sh"

version=$(sed -n 's/^VERSION := //p' "$TOP/Makefile")
next=$version.1
parallel=${DEB_BUILD_OPTIONS:-parallel=$(nproc)}
setUp() { T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX"); }

# Two builds of one version, the second from the unpacked tarball in a deeper folder, with another umask, time zone and
# language; then the next version, in the folder of the first.
oneTimeSetUp() {
	W=${KEEP:-$SHUNIT_TMPDIR/packages}
	[ ! -e "$W/made" ] || return 0
	mkdir -p "$W/elsewhere/deeper" "$W/next"
	make -s --no-print-directory -C "$TOP" B="$W/one" DEB_BUILD_OPTIONS="$parallel" deb >"$W/log" 2>&1 || stop
	(
		umask 077
		export TZ=Asia/Kathmandu LC_ALL=POSIX DEB_BUILD_OPTIONS=$parallel
		unset MAKEFLAGS MAKELEVEL B
		cd "$W/elsewhere/deeper" && tar -xf "$W/one/dist/rdmactl-$version.tar.gz" &&
			cd "rdmactl-$version" && dpkg-buildpackage -us -uc -b
	) >"$W/log" 2>&1 || stop
	(
		unset MAKEFLAGS MAKELEVEL B
		cp -a "$W/one/dist/rdmactl-$version" "$W/next/rdmactl-$next" && cd "$W/next/rdmactl-$next" &&
			sed -i "s/^VERSION := .*/VERSION := $next/" Makefile &&
			sed -i "1s/($version)/($next)/" debian/changelog &&
			rm -rf debian/debhelper-build-stamp debian/.debhelper debian/files && grep -rlw VERSION --include='*.c' lib cmd | xargs touch &&
			dpkg-buildpackage -us -uc -b -nc
	) >"$W/log" 2>&1 || stop
	touch "$W/made"
}
stop() {
	tail -n 40 "$W/log" >&2
	exit 1
}

test_the_version_stands_in_one_place() {
	local tree=$W/one/dist/rdmactl-$version
	assertEquals "$version" "$(cd "$tree" && dpkg-parsechangelog -S Version)"
	assertEquals "Version:        $version" "$(grep '^Version:' "$tree/rdmactl.spec")"
	assertEquals 'the top of NEWS' "$version" "$(grep -m1 -oE '^[0-9]+[.0-9]+' "$TOP/NEWS")"
	assertEquals 'no placeholder is left' '' "$(grep -n '@[A-Z]*@' "$tree/debian/changelog" "$tree/rdmactl.spec")"
}

test_dist_is_the_same_twice() {
	local tar=dist/rdmactl-$version.tar.gz
	(umask 077 && TZ=Asia/Kathmandu make -s --no-print-directory -C "$TOP" B="$T/one" dist) >/dev/null 2>&1
	(umask 002 && make -s --no-print-directory -C "$TOP" B="$T/a/longer/name" dist) >/dev/null 2>&1
	cmp "$T/one/$tar" "$T/a/longer/name/$tar" || fail 'the tarballs differ'
	tar -xf "$W/one/dist/rdmactl-$version.tar.gz" -C "$T"
	GIT_CEILING_DIRECTORIES=$T make -s --no-print-directory -C "$T/rdmactl-$version" dist >"$T/said" 2>&1
	assertContains 'without a repository' "$(cat "$T/said")" 'a clone of the repository'
}

test_the_same_bytes() {
	local d n=0
	for d in "$W"/one/dist/*.deb; do
		cmp "$d" "$W/elsewhere/deeper/${d##*/}" || fail "${d##*/} differs"
		n=$((n + 1))
	done
	assertTrue "at least two packages, not $n" "[ $n -ge 2 ]"
}

test_no_folder_of_the_build_in_it() {
	dpkg-deb -x "$W"/one/dist/rdmactl_"$version"_*.deb "$T/x"
	assertEquals '' "$(grep -rlF "$W" "$T/x")"
}

test_lintian() {
	assertEquals '' "$(lintian --profile debian --fail-on error,warning "$W/one/dist/"*.changes 2>&1 |
		grep -v 'root privileges')"
}

# --- in a clean Debian ------------------------------------------------------------

# With what the packages depend on; nothing runs in it. Ansible is a name: what the collection does is tested elsewhere.
root_make() {
	local sources=/etc/apt/sources.list.d/debian.sources depends
	[ -e $sources ] || sources=/etc/apt/sources.list
	if [ ! -s "$W/root.tar" ]; then
		depends=$(dpkg-deb -f "$W"/one/dist/rdmactl_"$version"_*.deb Depends | tr ',' '\n' | awk '{ printf "%s,", $1 }')
		mmdebstrap --quiet --variant=essential --include="${depends}man-db,systemd,udev" bookworm "$W/root.tar" - <$sources \
			>"$W/log" 2>&1 || stop
	fi
	R=$T/root
	mkdir -p "$R" "$T/ansible-core/DEBIAN"
	tar -xf "$W/root.tar" -C "$R"
	printf '%s\n' 'Package: ansible-core' 'Version: 2.14.3' 'Architecture: all' 'Maintainer: nobody <nobody@invalid>' \
		'Description: a name' >"$T/ansible-core/DEBIAN/control"
	dpkg-deb -b "$T/ansible-core" "$R/ansible-core.deb" >/dev/null
	cp "$W"/one/dist/*.deb "$R/" && mkdir "$R/next" && cp "$W"/next/*.deb "$R/next/"
	rm -f "$R"/*-dbgsym_* "$R"/next/*-dbgsym_*
	in_root dpkg -i /ansible-core.deb >/dev/null
	# As if systemd ran: whoever is called writes it down.
	mkdir -p "$R/run/systemd/system" "$R/etc/modprobe.d"
	for p in systemctl udevadm systemd-tmpfiles modprobe sysctl ip devlink udevd; do
		f=$(in_root sh -c "command -v $p || echo /usr/sbin/$p")
		[ ! -e "$R$f" ] || mv "$R$f" "$R$f.real"
		printf '#!/bin/sh\necho "%s $*" >>/called\n' $p >"$R$f"
		chmod 755 "$R$f"
	done
	: >"$R/called"
	(cd "$R" && find . -xdev | files >"$T/before")
}
in_root() { chroot "$R" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# not what dpkg, man-db and ldconfig write for themselves
files() { grep -vE '^\./(proc|dev|called|var/(log|cache|lib/dpkg|lib/systemd/deb-systemd-helper-enabled$))' | sort; }
called() { cat "$R/called" && : >"$R/called"; }
quietly() { "$@" >"$T/log" 2>&1 || fail "$*: $(tail -n 5 "$T/log")"; }

test_installing_upgrading_purging() {
	local wants=etc/systemd/system/multi-user.target.wants f
	[ "$(id -u)" != 0 ] && skip 'a root file system is made by root' && return
	root_make

	quietly in_root dpkg -i $(cd "$R" && echo ./rdmactl*.deb)
	assertEquals 'nobody was called' '' "$(called)"
	assertEquals 'nothing is enabled' '' "$(find "$R/etc/systemd" "$R/var/lib/systemd" -name '*rdmactl*' -path '*wants*')"
	assertEquals 'no state' '' "$(ls -d "$R/var/lib/rdmactl" "$R/run/rdmactl"* 2>/dev/null)"
	assertEquals "rdmactl $version" "$(in_root rdmactl version)"
	assertEquals "$version" "$(in_root rdmactl version -o json | jq -r .rdmactl)"
	assertContains 'the manual' "$(in_root sh -c 'man rdmactl | head -n 20' 2>&1)" 'policy'
	for f in rdmactl.service rdmactl-drift.timer rdmactl-ready.service; do
		assertTrue "$f" "[ -e '$R/lib/systemd/system/$f' ]"
	done
	assertTrue 'the collection' "[ -s '$R/usr/share/ansible/collections/ansible_collections/rdmactl/node/plugins/modules/rdmactl_apply.py' ]"
	assertEquals 'paths in units' '' "$(grep -l '@[A-Z]*@\|/usr/local/sbin' "$R"/lib/systemd/system/rdmactl*)"

	# Somebody enables it, has a policy, and applies what can be applied here: the boot files.
	in_root systemctl.real --root=/ enable rdmactl.service rdmactl-drift.timer >/dev/null 2>&1
	assertTrue 'enabled by hand' "[ -L '$R/$wants/rdmactl.service' ]"
	printf '%s\n' 'version: 1' 'profiles: {p: {node: {sysctl: {net.core.rmem_max: 2147483647}}}}' 'nodes: {n1: {profiles: [p]}}' \
		>"$R/etc/rdmactl/policy.yaml"
	in_root rdmactl apply --root / --node n1 >"$T/applied" 2>&1
	assertTrue "our file: $(cat "$T/applied")" "[ -e '$R/etc/sysctl.d/zz-rdmactl.conf' ]"
	mkdir -p "$R/var/lib/rdmactl" "$R/run/rdmactl"
	touch "$R/var/lib/rdmactl/run.jsonl" "$R/run/rdmactl.lock" "$R/run/rdmactl/rdmactl.prom"
	echo '# mine' >"$R/etc/modprobe.d/zz-rdmactl.conf"

	quietly in_root dpkg -i $(cd "$R" && echo next/*.deb)
	assertEquals 'nobody was called by the upgrade' '' "$(called)"
	assertEquals "rdmactl $next" "$(in_root rdmactl version)"
	assertTrue 'still enabled' "[ -L '$R/$wants/rdmactl.service' ]"
	assertTrue 'the boot file stays' "[ -e '$R/etc/sysctl.d/zz-rdmactl.conf' ]"

	quietly in_root dpkg -r rdmactl rdmactl-ansible
	assertEquals 'removed' 'systemctl stop rdmactl-drift.timer;systemctl --system daemon-reload;' \
		"$(called | sed 's/ --no-block//' | sort -ru | tr '\n' ';')"
	assertTrue 'a removal keeps the boot file' "[ -e '$R/etc/sysctl.d/zz-rdmactl.conf' ]"
	assertTrue 'and the journal' "[ -e '$R/var/lib/rdmactl/run.jsonl' ]"

	quietly in_root dpkg -P rdmactl rdmactl-ansible
	assertEquals 'what is not its own stays' '# mine' "$(cat "$R/etc/modprobe.d/zz-rdmactl.conf")"
	assertTrue 'and the policy' "[ -s '$R/etc/rdmactl/policy.yaml' ]"
	rm -r "$R/etc/modprobe.d/zz-rdmactl.conf" "$R/etc/rdmactl"
	(cd "$R" && find . -xdev | files >"$T/after")
	assertEquals 'left over, or lost' '' "$(diff "$T/before" "$T/after")"
}

. shunit2
