/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe hops: which functions lie on a path, what is known of each, and that each is read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/live.h"
#include "kernel/pci.h"
#include "root.h"

static void speeds(void **state)
{
	static const struct { const char *s; uint32_t mts; } cases[] = {
		{ "16.0 GT/s PCIe", 16000 }, { "16 GT/s", 16000 },   { "2.5 GT/s PCIe", 2500 }, { "64.0 GT/s PCIe",
		  64000 },
		{ "128.0 GT/s PCIe", 128000 }, { "Unknown", 0 },     { "Unknown speed", 0 },	{ "", 0 },
		{ "16.0", 0 },		     { "16.0 Gb/s", 0 },     { "-8 GT/s", 0 },		{ " 8 GT/s", 0 },
		{ "99999999999999999999 GT/s", 0 }, { "1.23456789012 GT/s", 1234 }, { "8. GT/s", 8000 }, { "8.0GT/s",
		  0 },
		{ "1001 GT/s", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("'%s'\n", cases[i].s);
		assert_int_equal(pci_speed_parse(cases[i].s), cases[i].mts);
	}
}

/* tests/cases/pcie-slot-limited: the card can do 32 GT/s, the port above it 16, and 16 runs */
static void a_slot_that_limits(void **state)
{
	struct root *r = root_open("tests/cases/pcie-slot-limited/tree.tsv");
	const struct pci_hop *hop;
	size_t n;

	(void)state;
	assert_int_equal(pci_hops(r->k, "sys/devices/pci0000:26/0000:26:02.0/0000:27:00.0", &hop, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(hop[0].bdf, "0000:27:00.0");
	assert_int_equal(hop[0].speed_mts, 16000);
	assert_int_equal(hop[0].max_speed_mts, 32000);
	assert_int_equal(hop[0].width, 16);
	assert_string_equal(hop[1].bdf, "0000:26:02.0");
	assert_int_equal(hop[1].max_speed_mts, 16000);
	assert_int_equal(hop[1].max_width, 16);
	assert_int_equal(hop[0].err | hop[1].err, 0);
	root_close(r);
}

/* tests/cases/pcie-unknown-values: Unknown, 0 and 255 are no numbers; the port above has no link files at all */
static void values_that_are_unknown(void **state)
{
	struct root *r = root_open("tests/cases/pcie-unknown-values/tree.tsv");
	const struct pci_hop *hop;
	size_t n;

	(void)state;
	assert_int_equal(pci_hops(r->k, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.2", &hop, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(hop[0].speed_mts | hop[0].max_speed_mts | hop[0].width | hop[0].max_width, 0);
	assert_int_equal(hop[0].err, 0);
	assert_int_equal(hop[1].err, -ENOENT);
	root_close(r);
}

static unsigned reads;

static int counted(struct kernel *k, const char *path, struct text *out)
{
	reads++;
	return live_read(k, path, out);
}

static void put_function(struct root *r, const char *dir)
{
	static const struct { const char *name, *value; } files[] = {
		{ "current_link_speed", "8.0 GT/s PCIe\\n" }, { "current_link_width", "8\\n" },
		{ "max_link_speed", "16.0 GT/s PCIe\\n" },    { "max_link_width", "16\\n" },
	};
	char path[256];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
		root_put(r, path, files[i].value);
	}
}

#define SWITCH "sys/devices/pci10000:e0/10000:e0:01.0/10000:e1:00.0"

/* Two cards below one switch; a sub-function below the first; a domain of five digits. */
static void a_switch_is_read_once(void **state)
{
	struct root *r = root_open(NULL);
	const struct pci_hop *hop;
	size_t n;

	(void)state;
	put_function(r, "sys/devices/pci10000:e0/10000:e0:01.0");
	put_function(r, SWITCH);
	put_function(r, SWITCH "/10000:e2:00.0");
	put_function(r, SWITCH "/10000:e2:01.0");
	r->ops.read = counted;
	reads = 0;
	assert_int_equal(pci_hops(r->k, SWITCH "/10000:e2:00.0", &hop, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(reads, 12);
	assert_int_equal(pci_hops(r->k, SWITCH "/10000:e2:01.0", &hop, &n), 0);
	assert_int_equal(reads, 16);
	assert_string_equal(hop[0].bdf, "10000:e2:01.0");
	assert_string_equal(hop[2].bdf, "10000:e0:01.0");
	assert_int_equal(pci_hops(r->k, SWITCH "/10000:e2:00.0/mlx5_core.sf.2", &hop, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(pci_hops(r->k, SWITCH "/10000:e2:01.0", &hop, &n), 0);
	assert_int_equal(reads, 16);
	root_close(r);
}

/* One end of each link is asked, and the least of all is told; what the whole path was asked for is not asked again. */
static void what_runs_now(void **state)
{
	uint32_t speed = 1, width = 1;
	struct root *r = root_open(NULL);
	const struct pci_hop *hop;
	size_t n;

	(void)state;
	put_function(r, "sys/devices/pci10000:e0/10000:e0:01.0");
	put_function(r, SWITCH);
	put_function(r, SWITCH "/10000:e2:00.0");
	put_function(r, SWITCH "/10000:e2:00.0/10000:e3:00.0");
	root_put(r, SWITCH "/current_link_speed", "5.0 GT/s PCIe\\n");
	root_put(r, SWITCH "/10000:e2:00.0/10000:e3:00.0/current_link_width", "4\\n");
	r->ops.read = counted;
	reads = 0;
	assert_int_equal(pci_now(r->k, SWITCH "/10000:e2:00.0/10000:e3:00.0", &speed, &width), 0);
	assert_int_equal(speed, 5000);
	assert_int_equal(width, 4);
	assert_int_equal(reads, 4);
	assert_int_equal(pci_hops(r->k, SWITCH "/10000:e2:00.0/10000:e3:00.0", &hop, &n), 0);
	assert_int_equal(reads, 16);
	root_put(r, SWITCH "/current_link_speed", "Unknown\\n");
	kernel_renew(r->k);
	assert_int_equal(pci_now(r->k, SWITCH "/10000:e2:00.0/10000:e3:00.0", &speed, &width), 0);
	assert_int_equal(speed, 0);
	assert_int_equal(width, 4);
	assert_int_equal(pci_now(r->k, SWITCH "/10000:e2:01.0", &speed, &width), -ENOENT);
	assert_int_equal(pci_now(r->k, "sys/devices/virtual/net/veth0", &speed, &width), -ENODEV);
	assert_int_equal(width, 4);
	root_close(r);
}

/* --- config space -------------------------------------------------------------------- */

struct config_case {
	const char *name;
	size_t size;			/* of the file */
	unsigned first, express, next;	/* capability pointer; where PCI Express is; what the last one points at */
	unsigned flags, lnkcap, lnksta, lnkcap2;
	unsigned speed, max_speed, width, max_width;	/* wanted; the attributes say 8000, 16000, 8, 16 */
};

static void put_config(struct root *r, const char *dir, const struct config_case *c)
{
	uint8_t bytes[512] = { 0 };
	uint8_t *at = bytes + c->express;
	char path[256];
	FILE *f;

	bytes[0x34] = (uint8_t)c->first;
	if (c->first && c->first != c->express && c->first < 254) {
		bytes[c->first] = 0x05;
		bytes[c->first + 1] = (uint8_t)(c->express ? c->express : c->next);
	}
	if (c->express) {
		at[0] = 0x10;
		at[1] = (uint8_t)c->next;
		at[2] = (uint8_t)c->flags;
		memcpy(at + 0x0c, &c->lnkcap, 4);
		memcpy(at + 0x12, &c->lnksta, 2);
		memcpy(at + 0x2c, &c->lnkcap2, 4);
	}
	if (c->first == 0xfc)
		memset(bytes + 0x34, 0xff, 256 - 0x34);
	snprintf(path, sizeof(path), "%s/config", dir);
	root_put(r, path, "");
	snprintf(path, sizeof(path), "%s/%s/config", r->dir, dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, c->size, f), c->size);
	fclose(f);
}

/* Root reads all four numbers at once; whatever is not plain there sends to the attributes. */
static void config_space(void **state)
{
	static const struct config_case cases[] = {
		{ "an endpoint", 256, 0x60, 0x60, 0, 0x02, 16 << 4 | 5, 8 << 4 | 4, 0x3e, 16000, 32000, 8, 16 },
		{ "behind another capability", 256, 0x40, 0x90, 0, 0x02, 16 << 4 | 4, 16 << 4 | 3, 0x1e, 8000, 16000,
		  16, 16 },
		{ "near the end", 256, 0xc0, 0xc0, 0, 0x42, 4 << 4 | 6, 2 << 4 | 6, 0x7e, 64000, 64000, 2, 4 },
		{ "a root port of the first version", 256, 0x60, 0x60, 0, 0x41, 8 << 4 | 2, 8 << 4 | 1, 0xfe, 2500, 5000,
		  8, 8 },
		{ "a VF: no link of its own", 256, 0x60, 0x60, 0, 0x02, 16 << 4 | 4, 0, 0x1e, 0, 16000, 0, 16 },
		{ "a speed of the future", 256, 0x60, 0x60, 0, 0x02, 4 << 4 | 7, 4 << 4 | 7, 0xfe, 8000, 16000, 8, 16 },
		{ "a root complex endpoint", 256, 0x60, 0x60, 0, 0x92, 1, 1, 0, 8000, 16000, 8, 16 },
		{ "somebody who is not root", 64, 0x60, 0x60, 0, 0x02, 1, 1, 0, 8000, 16000, 8, 16 },
		{ "cut in the middle", 0x70, 0x60, 0x60, 0, 0x02, 16 << 4 | 5, 8 << 4 | 4, 0x3e, 8000, 16000, 8, 16 },
		{ "no capabilities", 256, 0, 0, 0, 0, 0, 0, 0, 8000, 16000, 8, 16 },
		{ "a pointer into the header", 256, 0x10, 0x60, 0, 0x02, 1, 1, 0, 8000, 16000, 8, 16 },
		{ "asleep: all ones", 256, 0xfc, 0x60, 0, 0x02, 1, 1, 0, 8000, 16000, 8, 16 },
		{ "past the end", 256, 0xf0, 0xf0, 0, 0x02, 1, 0, 0, 8000, 16000, 8, 16 },
		{ "round and round", 256, 0x60, 0, 0x60, 0, 0, 0, 0, 8000, 16000, 8, 16 },
	};
	static const char dir[] = "sys/devices/pci0000:00/0000:00:01.0";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct config_case *c = &cases[i];
		struct root *r = root_open(NULL);
		uint32_t speed = 1, width = 1;
		const struct pci_hop *hop;
		size_t n;

		print_message("%s\n", c->name);
		put_function(r, dir);
		put_config(r, dir, c);
		assert_int_equal(pci_now(r->k, dir, &speed, &width), 0);
		assert_int_equal(speed, c->speed);
		assert_int_equal(width, c->width);
		assert_int_equal(pci_hops(r->k, dir, &hop, &n), 0);
		assert_int_equal(hop[0].speed_mts, c->speed);
		assert_int_equal(hop[0].max_speed_mts, c->max_speed);
		assert_int_equal(hop[0].width, c->width);
		assert_int_equal(hop[0].max_width, c->max_width);
		root_close(r);
	}
}

static void paths_without_a_card(void **state)
{
	static const struct { const char *path; int want; } cases[] = {
		{ "", -ENODEV },
		{ "sys/devices/virtual/net/veth0", -ENODEV },
		{ "sys/devices/pci0000:00", -ENODEV },
		{ "sys/devices/pci0000:00/0000:00:1f.6", -ENOENT },
		{ "sys/devices/pci0000:00/0000:00:1f", -ENODEV },
		{ "sys/devices/pci0000:00/000:00:1f.6", -ENODEV },
		{ "sys/devices/pci0000:00/0000:00:zz.6", -ENODEV },
		{ "sys/devices/../pci0000:00/0000:00:1e.6", -EINVAL },
	};
	struct root *r = root_open(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pci_hop *hop;
		size_t n;

		print_message("%s\n", cases[i].path);
		assert_int_equal(pci_hops(r->k, cases[i].path, &hop, &n), cases[i].want);
	}
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speeds),
		cmocka_unit_test(a_slot_that_limits),
		cmocka_unit_test(values_that_are_unknown),
		cmocka_unit_test(a_switch_is_read_once),
		cmocka_unit_test(what_runs_now),
		cmocka_unit_test(config_space),
		cmocka_unit_test(paths_without_a_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
