#!/bin/bash
# headroom: the command against every row of the tables that ship with switch images, labels of what is not computed,
# the links of a policy, and the sum of docs/headroom.md done again.
# What is asked here is the program alone: no machine is needed.
# shellcheck disable=SC2154	# out, status, policy: lib.sh's
. "$(dirname "$0")/lib.sh"

# One process for each row: "ASIC SPEED CABLE LOSSLESS SMALL FRAME SHP LANES XOFF".
rows_of_tables() {
	awk -F'\t' '$1 ~ /^Spectrum/ {
		wide = ($1 == "Spectrum-3" && $2 == 400000) || ($1 == "Spectrum-4" && $2 == 800000)
		print $1, $2, $3, $11, $12, $13, $9, wide ? 8 : 4, $6
	}' "$TOP/tests/cases/headroom.tsv"
}

test_every_row() {
	local asic speed cable lossless small frame shp lanes xoff n=0 right=0 pool got
	while read -r asic speed cable lossless small frame shp lanes xoff; do
		pool=()
		[ "$shp" = no ] || pool=(--shared-pool)
		n=$((n + 1))
		got=$(rdmactl headroom --asic "$asic" --speed "$speed" --cable "$cable" --lossless-mtu "$lossless" \
			--small-packets "$small%" --port-mtu "$frame" --lanes "$lanes" "${pool[@]}" -o json |
			grep -oP '^ *"xoff": \K[0-9]+')
		if [ "$got" = "$xoff" ]; then right=$((right + 1)); else echo "$asic $speed $cable: $got, not $xoff"; fi
	done < <(rows_of_tables)
	echo "headroom: $right of $n rows exact"
	assertEquals 114 "$n"
	assertEquals "$n" "$right"
}

test_terms_have_units() {
	assertStatus 0 rdmactl headroom --asic Spectrum-5 --speed 400Gb/s --cable 40m --lossless-mtu 4096 \
		--small-packets 50% --shared-pool
	assertOut '  occupancy            1.0615'
	assertOut '  on_cable         20202.0202 bytes'
	assertOut '  response              57920 bytes'
	assertOut 'xoff 104448 bytes, xon 19456 bytes, size 19456 bytes (computed'
	assertStatus 0 rdmactl headroom --asic Spectrum-5 --speed 400Gb/s --cable 40m --lossless-mtu 4096 \
		--small-packets 50% --shared-pool -o json
	assertEquals '104448 19456 19456 computed' "$(json '.links[0] | "\(.xoff) \(.xon) \(.size) \(.way)"')"
	assertEquals '20202.0202 bytes' "$(json '.links[0].terms[] | select(.name == "on_cable") | "\(.value) \(.unit)"')"
}

test_what_is_not_computed() {
	assertStatus 0 rdmactl headroom --asic Tomahawk5 --speed 400Gb/s --cable 30m
	assertOut 'xoff 330200 bytes, xon 2288 bytes, size 1248 bytes (reference: what images ship'
	assertStatus 0 rdmactl headroom --speed 100Gb/s --cable 40m --lossless-mtu 4200
	assertOut '(estimate by bit times'
	assertOut '  bytes                 59116 bytes'
	assertOut 'xoff 236464 bytes ('
	assertStatus 2 rdmactl headroom --asic Unheard-1 --speed 400Gb/s --cable 40m
	assertErr 'headroom is not known'
}

test_peer_response() {
	run rdmactl headroom --asic Spectrum-4 --speed 400Gb/s --cable 40m --peer-response 3891.2
	assertOut '  response          3891.2000 bytes      as given'
	# no standard gives the quanta of these speeds, and the ASIC's software would take a fifteenth of the response at 800Gb/s
	refused 2 'no standard says how long the peer of Spectrum-4 takes' rdmactl headroom --asic Spectrum-4 --speed 1600Gb/s --cable 30m
	assertStatus 0 rdmactl headroom --asic Spectrum-4 --speed 1600Gb/s --cable 30m --peer-response 57920
	refused 64 "not both" rdmactl headroom -p policy.yaml --asic Spectrum-4 --speed 400Gb/s --cable 40m
	refused 64 '--peer-response 1e9 is no number' rdmactl headroom --asic Spectrum-4 --speed 400Gb/s --cable 40m --peer-response 1e9
	refused 64 '--peer-response -1 is no number' rdmactl headroom --asic Spectrum-4 --speed 400Gb/s --cable 40m --peer-response -1
	refused 64 'headroom of which link?' rdmactl headroom
	refused 64 '--cable 40ft' rdmactl headroom --asic Spectrum-4 --speed 400Gb/s --cable 40ft
}

# 400 is no speed in Mb/s, and one letter more is another ASIC.
test_what_was_meant() {
	refused 64 'did you mean 400Gb/s?' rdmactl headroom --asic Spectrum-3 --speed 400 --cable 30m
	refused 64 'did you mean 100Gb/s?' rdmactl headroom --asic Spectrum-3 --speed 100 --cable 30m
	refused 64 'did you mean 400Gb/s?' rdmactl headroom --asic Spectrum-3 --speed 400Mb/s --cable 30m
	refused 64 'a speed that no link has' rdmactl headroom --asic Spectrum-3 --speed 399Gb/s --cable 30m
	refused 64 'did you mean Spectrum-4?' rdmactl headroom --asic spectrum4 --speed 400Gb/s --cable 30m
	refused 64 'did you mean Tomahawk' rdmactl headroom --asic Tomahawk6 --speed 400Gb/s --cable 30m
	refused 64 'said twice' rdmactl headroom --asic Spectrum-3 --speed 400Gb/s --cable 30m --cable 5m
	assertStatus 0 rdmactl headroom --asic Spectrum-3 --speed 100000 --cable 30m
}

test_links_of_a_policy() {
	policy <<-'END'
		version: 1
		fabric:
		  mtu: 9000
		  classes: {rdma: {priority: 3, dscp: [26], lossless: true}, default: {priority: 0}}
		  tiers:
		    leaf:
		      asic: Spectrum-4
		      frame: 9216
		      links:
		        down: {speed: 400Gb/s, cable: 40m}
		        up: {speed: 800Gb/s, cable: 80m, lanes: 8}
		        none: {speed: 800Gb/s}
		nodes: {n1: {set: {node: {max_backlog: 1024}}}}
	END
	assertStatus 2 rdmactl headroom -p "$policy"
	assertOut 'leaf down: Spectrum-4, 400Gb/s, 40 m'
	assertOut 'xoff 283648 bytes, xon 19456 bytes, size 303104 bytes'
	assertOut 'leaf up: Spectrum-4, 800Gb/s, 80 m'
	assertErr 'leaf none: headroom needs cable'
}

# docs/headroom.md: the sum worked by hand there, done again from its own lines.
test_the_document() {
	local doc=$TOP/docs/headroom.md sum
	sum=$(sed -n '/^by hand:/,/^$/p' "$doc" | awk '$1 ~ /^(port_mtu|on_cable|mac_phy|response|tile)$/ { s += $NF } END { printf "%.2f", s }')
	assertEquals 94157.22 "$sum"
	assertContains "$(<"$doc")" "delay         $sum"
}

. shunit2
