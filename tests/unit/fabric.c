/* SPDX-License-Identifier: Apache-2.0 */
/* MTUs by the table of tests/cases/mtu-4096-gives-2048; what follows from classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/fabric.h"
#include "model/value.h"

static void roce_mtu_table(void **state)
{
	FILE *f = fopen("tests/cases/mtu-4096-gives-2048/table.tsv", "r");
	unsigned netdev, roce, rows = 0;
	char line[128];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%u\t%u", &netdev, &roce) != 2)
			continue;
		assert_int_equal(frames_roce_mtu(netdev, 96), roce);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 14);
}

static void roce_mtu_edges(void **state)
{
	static const struct {
		unsigned netdev, overhead, roce;
	} rows[] = {
		{ 0, 96, 0 },	   { 68, 96, 0 },      { 351, 96, 0 },	  { 352, 96, 256 },	{ 335, 80, 0 },
		{ 336, 80, 256 },  { 1103, 80, 512 },  { 1104, 80, 1024 }, { 4175, 80, 2048 },	{ 4176, 80, 4096 },
		{ 255, 0, 0 },	   { 256, 0, 256 },    { 4095, 0, 2048 }, { 4096, 0, 4096 },	{ 65535, 96, 4096 },
		{ 4294967295u, 96, 4096 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(frames_roce_mtu(rows[i].netdev, rows[i].overhead), rows[i].roce);
}

/* The least netdev MTU gives the RoCE MTU, and one byte less does not. */
static void netdev_mtu(void **state)
{
	static const unsigned overheads[] = { 96, 80, 0 };

	(void)state;
	assert_int_equal(frames_netdev_mtu(4096, 96), 4192);
	for (unsigned roce = 256; roce <= 4096; roce *= 2)
		for (size_t i = 0; i < 3; i++) {
			unsigned least = frames_netdev_mtu(roce, overheads[i]);

			assert_int_equal(frames_roce_mtu(least, overheads[i]), roce);
			assert_int_not_equal(frames_roce_mtu(least - 1, overheads[i]), roce);
		}
}

/* The way there and back, and what is too small for any packet. */
static void frames(void **state)
{
	(void)state;
	assert_int_equal(frames_of_mtu(9000, 0), 9018);
	assert_int_equal(frames_of_mtu(9000, 1), 9022);
	assert_int_equal(frames_to_mtu(9216, 0), 9198);
	assert_int_equal(frames_to_mtu(9216, 2), 9190);
	assert_int_equal(frames_to_mtu(18, 0), 0);
	assert_int_equal(frames_to_mtu(0, 1), 0);
	for (unsigned mtu = 68; mtu < 10000; mtu += 31)
		for (unsigned tags = 0; tags < 3; tags++)
			assert_int_equal(frames_to_mtu(frames_of_mtu(mtu, tags), tags), mtu);
}

static struct traffic_class classes[] = {
	{ .name = "rdma", .priority = 3, .tc = 3, .dscp = 1ull << 26, .lossless = true, .bandwidth_percent = 60 },
	{ .name = "cnp", .priority = 6, .tc = 6, .dscp = 1ull << 48, .strict = true, .bandwidth_percent = -1 },
	{ .name = "bulk", .priority = 1, .tc = 0, .dscp = 1ull << 10, .bandwidth_percent = 15 },
	{ .name = "default", .priority = 0, .tc = 0, .dscp = ~(1ull << 26 | 1ull << 48 | 1ull << 10),
	  .bandwidth_percent = 25 },
};
static const struct fabric whole = { .name = "backend", .at = classes, .n = 4 };
static const struct fabric partial = { .name = "partial", .at = classes, .n = 2 };

static void class_names(void **state)
{
	(void)state;
	assert_ptr_equal(fabric_class(&whole, "cnp"), &classes[1]);
	assert_null(fabric_class(&whole, "CNP"));
	assert_null(fabric_class(&partial, "default"));
}

static void dscp_map(void **state)
{
	uint8_t map[64];

	(void)state;
	fabric_dscp_map(&whole, map);
	for (unsigned dscp = 0; dscp < 64; dscp++)
		assert_int_equal(map[dscp], dscp == 26 ? 3 : dscp == 48 ? 6 : dscp == 10 ? 1 : 0);
	fabric_dscp_map(&partial, map);
	for (unsigned dscp = 0; dscp < 64; dscp++)
		assert_int_equal(map[dscp], dscp == 26 ? 3 : dscp == 48 ? 6 : VALUE_UNSET);
}

static void shares(void **state)
{
	static const uint8_t share[8] = { 40, 255, 255, 60, 255, 255, SHARE_STRICT, 255 };
	static const uint8_t tc[8] = { 0, 0, 255, 3, 255, 255, 6, 255 };
	uint8_t have[8];

	(void)state;
	fabric_shares(&whole, have);
	assert_memory_equal(have, share, 8);	/* two classes on TC 0 add up */
	fabric_prio_tc(&whole, have);
	assert_memory_equal(have, tc, 8);
	assert_int_equal(fabric_pfc(&whole), 1 << 3);
	assert_int_equal(fabric_pfc(&(struct fabric){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roce_mtu_table), cmocka_unit_test(roce_mtu_edges), cmocka_unit_test(netdev_mtu), cmocka_unit_test(frames),
		cmocka_unit_test(class_names),    cmocka_unit_test(dscp_map),	    cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
