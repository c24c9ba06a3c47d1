#!/bin/bash
# Debian's packages once more, from the unpacked tarball in a deeper folder without a repository, with another umask, time
# zone and language: the same bytes. Compiles once.
. "$(dirname "$0")/lib"

test_the_same_bytes() {
	local d n=0
	mkdir -p "$T/a/deeper/folder"
	quietly elsewhere tar --no-same-permissions -xf "$dist/rdmactl-$version.tar.gz" -C "$T/a/deeper/folder"
	quietly elsewhere env -C "$T/a/deeper/folder/rdmactl-$version" dpkg-buildpackage -us -uc -F
	for d in "$dist"/*.deb "$dist"/*.dsc "$dist"/rdmactl_*.tar.*; do
		cmp "$d" "$T/a/deeper/folder/${d##*/}" || fail "${d##*/} differs"
		n=$((n + 1))
	done
	assertTrue "two packages, two of source, not $n" "[ $n -ge 4 ]"
}

. shunit2
