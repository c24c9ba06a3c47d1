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
		{ "sys/devices/../pci0000:00/0000:00:1f.6", -EINVAL },
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
		cmocka_unit_test(paths_without_a_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
