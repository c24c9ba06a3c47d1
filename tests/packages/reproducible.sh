#!/bin/bash
# Debian's packages once more, from the unpacked tarball in a deeper folder without a repository, with another umask, time
# zone and language: the same bytes. Compiles once.
. "$(dirname "$0")/lib"

# same DIR FILE...: each is in DIR as well
same() {
	local f
	for f in "${@:2}"; do
		cmp "$f" "$1/${f##*/}" || fail "${f##*/} differs"
	done
	assertTrue "two files at least" "[ $# -gt 2 ]"
}

test_the_same_packages() {
	local there=$T/a/deeper/folder
	mkdir -p "$there"
	quietly elsewhere tar --no-same-permissions -xf "$dist/rdmactl-$version.tar.gz" -C "$there"
	quietly elsewhere env -C "$there/rdmactl-$version" dpkg-buildpackage -us -uc -b
	same "$there" "$dist"/*.deb
}

# Of a tree with the modes of the tarball, which are what it holds.
test_the_same_source() {
	quietly elsewhere tar -pxf "$dist/rdmactl-$version.tar.gz" -C "$T"
	quietly elsewhere env -C "$T" dpkg-source -b "rdmactl-$version"
	same "$T" "$dist"/*.dsc "$dist"/rdmactl_*.tar.*
}

. shunit2
