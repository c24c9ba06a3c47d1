#!/bin/bash
# A clean Debian into which the packages are installed, upgraded, removed and purged: who is called, what stays, what is
# left over. As root. The root file system is made once and kept beside the kernels of the virtual machine; the next
# version is compiled from the objects of this one.
# shellcheck disable=SC2016,SC2046	# what a shell in the root expands; names without blanks
. "$(dirname "$0")/lib"
. "$TOP/tests/vm/env"

next=$version.1

# The version after this one, $N/*.deb
next_make() {
	N=$SHUNIT_TMPDIR/next
	mkdir -p "$N"
	cp -a "$dist/rdmactl-$version" "$N/rdmactl-$next" && cd "$N/rdmactl-$next" || return
	sed -i "s/^VERSION := .*/VERSION := $next/" Makefile
	sed -i "1s/($version)/($next)/" debian/changelog
	rm -rf debian/debhelper-build-stamp debian/.debhelper debian/files
	grep -rlw VERSION --include='*.c' lib cmd | xargs touch
	(unset MAKEFLAGS MAKELEVEL MFLAGS B && dpkg-buildpackage -us -uc -b -nc)
}

# $1: a Debian with what the packages depend on. Ansible is a name: what the collection does is tested elsewhere.
root_make() {
	local sources='' want
	[ ! -s /etc/apt/sources.list ] || sources=/etc/apt/sources.list
	[ ! -s /etc/apt/sources.list.d/debian.sources ] || sources=/etc/apt/sources.list.d/debian.sources
	want=$(dpkg-deb -f "$dist"/rdmactl_"$version"_*.deb Depends | tr ',' '\n' | awk '{ printf "%s,", $1 }')man-db,systemd,udev
	kept=$bed/clean-debian-$(sha256sum <<<"$want" | cut -c1-8).tar
	if [ ! -s "$kept" ]; then
		mkdir -p "$bed"
		mmdebstrap --quiet --variant=essential --include="$want" "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
			"${kept%.tar}.$$.tar" ${sources:+"$sources"} && mv "${kept%.tar}.$$.tar" "$kept"
	fi
}

oneTimeSetUp() {
	[ "$(id -u)" = 0 ] || return 0
	(next_make) >"$SHUNIT_TMPDIR/log" 2>&1 || { tail -n 40 "$SHUNIT_TMPDIR/log" >&2; exit 1; }
	N=$SHUNIT_TMPDIR/next
	root_make >"$SHUNIT_TMPDIR/log" 2>&1 || { tail -n 40 "$SHUNIT_TMPDIR/log" >&2; exit 1; }
}

# As if systemd ran: whoever is called writes it down.
root_of_test() {
	local p f
	R=$T/root
	mkdir -p "$R" "$T/ansible-core/DEBIAN"
	tar -xf "$kept" -C "$R" || exit 1
	printf '%s\n' 'Package: ansible-core' 'Version: 2.14.3' 'Architecture: all' 'Maintainer: nobody <nobody@invalid>' \
		'Description: a name' >"$T/ansible-core/DEBIAN/control"
	dpkg-deb -b "$T/ansible-core" "$R/tmp/ansible-core.deb" >/dev/null
	mkdir "$R/tmp/next"
	cp "$dist"/*.deb "$R/tmp/" && cp "$N"/*.deb "$R/tmp/next/"
	rm -f "$R"/tmp/*-dbgsym_* "$R"/tmp/next/*-dbgsym_*
	in_root dpkg -i /tmp/ansible-core.deb >/dev/null
	mkdir -p "$R/run/systemd/system" "$R/etc/modprobe.d"
	for p in systemctl udevadm systemd-tmpfiles modprobe sysctl ip devlink udevd; do
		f=$(in_root sh -c "command -v $p || echo /usr/sbin/$p")
		[ ! -e "$R$f" ] || mv "$R$f" "$R$f.real"
		printf '#!/bin/sh\necho "%s $*" >>/called\n' $p >"$R$f"
		chmod 755 "$R$f"
	done
	: >"$R/called"
	list "$R" >"$T/before"
}
in_root() { chroot "$R" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
called() { cat "$R/called" && : >"$R/called"; }
installed() { quietly in_root dpkg -i $(cd "$R" && echo tmp/"$1"rdmactl*.deb); }

test_installing_upgrading_removing_purging() {
	local wants=etc/systemd/system/multi-user.target.wants f
	[ "$(id -u)" != 0 ] && skip 'a root file system is made by root' && return
	root_of_test

	installed ''
	assertEquals 'nobody was called' '' "$(called)"
	assertEquals 'nothing is enabled' '' "$(find "$R/etc/systemd" "$R/var/lib/systemd" -name '*rdmactl*' -path '*wants*')"
	assertEquals 'no state' '' "$(ls -d "$R/var/lib/rdmactl" "$R/run/rdmactl"* 2>/dev/null)"
	assertEquals "rdmactl $version" "$(in_root rdmactl version)"
	cp "$TOP/debian/tests/installed" "$R/tmp/"
	quietly in_root /tmp/installed
	assertContains 'the manual' "$(in_root sh -c 'man rdmactl | head -n 20' 2>&1)" 'policy'

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
	cp "$R/etc/rdmactl/policy.yaml" "$T/policy.yaml"

	installed next/
	assertEquals 'units are read anew' 'systemctl --system daemon-reload' "$(called)"
	assertEquals "rdmactl $next" "$(in_root rdmactl version)"
	assertTrue 'still enabled' "[ -L '$R/$wants/rdmactl.service' ]"
	for f in etc/sysctl.d/zz-rdmactl.conf var/lib/rdmactl/run.jsonl run/rdmactl/rdmactl.prom; do
		assertTrue "an upgrade keeps $f" "[ -e '$R/$f' ]"
	done

	quietly in_root dpkg -r rdmactl rdmactl-ansible
	assertEquals 'removed' 'systemctl stop rdmactl-drift.timer;systemctl --system daemon-reload;' \
		"$(called | sed 's/ --no-block//' | sort -ru | tr '\n' ';')"
	for f in etc/sysctl.d/zz-rdmactl.conf var/lib/rdmactl/run.jsonl; do
		assertTrue "a removal keeps $f" "[ -e '$R/$f' ]"
	done
	assertFalse 'no metrics that nobody writes any more' "[ -e '$R/run/rdmactl/rdmactl.prom' ]"
	cmp "$T/policy.yaml" "$R/etc/rdmactl/policy.yaml" || fail 'a removal keeps the policy'

	quietly in_root dpkg -P rdmactl rdmactl-ansible
	assertEquals 'what is not its own stays' '# mine' "$(cat "$R/etc/modprobe.d/zz-rdmactl.conf")"
	cmp "$T/policy.yaml" "$R/etc/rdmactl/policy.yaml" || fail 'and so does the policy'
	rm -r "$R/etc/modprobe.d/zz-rdmactl.conf" "$R/etc/rdmactl"
	list "$R" >"$T/after"
	assertEquals 'left over, or lost' '' "$(diff "$T/before" "$T/after")"
}

# Every file that apply writes, as `rdmactl forget` knows them, and no policy: purge leaves nothing at all.
test_a_purge_knows_all_boot_files() {
	local f
	[ "$(id -u)" != 0 ] && skip 'a root file system is made by root' && return
	root_of_test
	installed ''
	for f in $(grep -ohE '"/etc/[a-z.-]+/[a-z-]*rdmactl\.conf"' "$TOP/lib/boot/ours.c" | tr -d '"'); do
		mkdir -p "$R${f%/*}"
		echo '# Written by rdmactl, from /etc/rdmactl/policy.yaml' >"$R$f"
		echo "$f" >>"$T/ours"
	done
	assertEquals 'boot files' 4 "$(wc -l <"$T/ours")"
	quietly in_root dpkg -P rdmactl rdmactl-ansible
	for f in $(cat "$T/ours"); do
		assertFalse "$f" "[ -e '$R$f' ]"
	done
	list "$R" | grep -vx './etc/lldpd.d' >"$T/after"
	assertEquals 'left over' '' "$(comm -13 "$T/before" "$T/after")"
}

. shunit2
