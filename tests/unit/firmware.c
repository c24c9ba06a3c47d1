/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware: versions compared as numbers, the board id no part of them, other card families named, what is stored told
 * apart from what runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/devlink.h>

#include "kernel/devlink.h"
#include "model/vendor.h"
#include "root.h"
#include "talk.h"

extern const struct setting setting_firmware;

enum { FW_VERSION, FW_BOARD, FW_DENY, FW_COMPONENT };

/* What devlink tells of the one card; NULL: no devlink device. */
static const struct devlink_info *info;
static int info_err;

static void put_version(struct nlmsghdr *h, const struct devlink_info_version *v)
{
	static const uint16_t kinds[] = {
		[DEVLINK_FIXED] = DEVLINK_ATTR_INFO_VERSION_FIXED,
		[DEVLINK_RUNNING] = DEVLINK_ATTR_INFO_VERSION_RUNNING,
		[DEVLINK_STORED] = DEVLINK_ATTR_INFO_VERSION_STORED,
	};
	struct nlattr *nest = mnl_attr_nest_start(h, kinds[v->kind]);

	mnl_attr_put_strz(h, DEVLINK_ATTR_INFO_VERSION_NAME, v->name);
	mnl_attr_put_strz(h, DEVLINK_ATTR_INFO_VERSION_VALUE, v->value);
	mnl_attr_nest_end(h, nest);
}

static int answer(int protocol, uint16_t type, uint8_t cmd, unsigned i, struct nlmsghdr *h)
{
	struct genlmsghdr *g;

	if (protocol != NETLINK_GENERIC || type != TALK_DEVLINK || cmd != DEVLINK_CMD_INFO_GET)
		return -EOPNOTSUPP;
	if (info_err || !info || i > 0)
		return info_err;
	g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	g->cmd = cmd;
	mnl_attr_put_strz(h, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(h, DEVLINK_ATTR_DEV_NAME, info->bdf);
	mnl_attr_put_strz(h, DEVLINK_ATTR_INFO_DRIVER_NAME, info->driver);
	for (size_t v = 0; v < info->nversions; v++)
		put_version(h, &info->version[v]);
	return 1;
}

/* An empty machine, but for devlink */
static struct root *machine(void)
{
	struct root *r = root_open(NULL);

	talk_answer = answer;
	r->ops.talk = talk;
	return r;
}

static const struct facts facts = { .rdma = true };
static const struct vendor family = { .name = "mlx5", .firmware_family = true }, plain = { .name = "bnxt" };

static struct port port_of(const char *ibdev, const char *fw_version)
{
	return (struct port){ .name = "ens1f0np0",
			      .ifname = "ens1f0np0",
			      .ibdev = ibdev,
			      .ibport = 1,
			      .bdf = "0000:03:00.0",
			      .fw_version = fw_version,
			      .board = "" };
}

static struct record *look(struct root *r, const struct port *p, const struct vendor *v, const struct home *home,
			   const struct record *want)
{
	struct target t = { .scope = SCOPE_WIRE, .name = p->name, .port = p, .vendor = v };

	return root_ask(r, &setting_firmware, home, &t, &facts, want, NULL);
}

static bool same(const struct record *want, const struct record *have, unsigned i)
{
	return value_same(want->at[i].field, &want->at[i].value, &have->at[i].value, have);
}

static void want_deny(struct root *r, struct record *want, const char *const *deny)
{
	want->at[FW_DENY].state = CELL_VALUE;
	want->at[FW_DENY].value.texts = deny;
	(void)r;
}

/* --- the case ------------------------------------------------------------------- */

static const char *verdict(struct root *r, const char *have, const char *at_least)
{
	struct port p = port_of("mlx5_0", have);
	struct record *want = record_new(r->a, &setting_firmware), *live;
	const struct cell *c;

	root_want(r, want, FW_VERSION, !strcmp(at_least, "any") ? ">=0" : arena_printf(r->a, ">=%s", at_least));
	live = look(r, &p, &family, &setting_firmware.live, want);
	c = &live->at[FW_VERSION];
	if (c->state != CELL_VALUE)
		return reason_is_unknown(c->reason) ? "UNKNOWN" : reason_name(c->reason);
	if (strchr(c->value.text, '('))
		return "the board id counts as version";
	if (!same(want, live, FW_VERSION))
		return "DRIFT";
	return c->because ? "OK-but-other-family" : "OK";
}

static void numeric_compare(void **state)
{
	FILE *f = fopen("tests/cases/firmware-numeric-compare/table.tsv", "r");
	struct root *r = machine();
	char line[256];
	unsigned n = 0;

	(void)state;
	assert_non_null(f);
	info = NULL;
	info_err = 0;
	while (fgets(line, sizeof(line), f)) {
		char *want, *expected;
		const char *got;

		line[strcspn(line, "\n")] = 0;
		want = strchr(line, '\t');
		if (*line == '#' || !want)
			continue;
		*want++ = 0;
		expected = strchr(want, '\t');
		*expected++ = 0;
		got = verdict(r, line, want);
		if (strcmp(got, expected) != 0 && !(!strcmp(expected, "UNKNOWN-or-OK") && !strcmp(got, "OK")))
			fail_msg("have '%s', want >=%s: %s, expected %s", line, want, got, expected);
		n++;
	}
	fclose(f);
	assert_int_equal(n, 10);
	root_close(r);
}

/* --- ranges ---------------------------------------------------------------------- */

static void ranges(void **state)
{
	static const struct {
		const char *want, *have;
		bool same;
	} rows[] = {
		{ "28.39.1002", "28.39.1002", true },
		{ "28.39.1002", "28.39.1003", false },
		{ "=28.39.1002", "28.39.01002", true },
		{ "==28.39", "28.39.0", true },
		{ ">28.39.1002", "28.39.1002", false },
		{ ">28.39.1002", "28.39.1003", true },
		{ "<28.44", "28.44.0", false },
		{ "<28.44", "28.43.9999", true },
		{ "<=28.44", "28.44", true },
		{ ">=28.39.1002 <28.44", "28.43.1", true },
		{ ">=28.39.1002 <28.44", "28.44.1", false },
		{ ">= 28.39, < 28.44", "28.40", true },
		{ ">=28.39", "28.0045.1", true },
		{ ">=229.0", "229.1.123.0", true },
		{ "1.83.0", "1.83.0-C-8", true },
		{ ">=1.2.3.4.5.6.7.8", "1.2.3.4.5.6.7.8", true },
		{ ">=1", "999999999", true },
	};
	struct root *r = machine();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct port p = port_of("mlx5_0", rows[i].have);
		struct record *want = record_new(r->a, &setting_firmware), *have;

		info = NULL;
		root_want(r, want, FW_VERSION, rows[i].want);
		have = look(r, &p, &plain, &setting_firmware.live, want);
		assert_int_equal(have->at[FW_VERSION].state, CELL_VALUE);
		if (same(want, have, FW_VERSION) != rows[i].same)
			fail_msg("%s against %s", rows[i].have, rows[i].want);
	}
	root_close(r);
}

static void bad_ranges(void **state)
{
	static const char *const bad[] = { "",
					   " ",
					   ">=",
					   "28.",
					   ".28",
					   "28..1",
					   "latest",
					   ">=28.x",
					   "~28.1",
					   "28.1a",
					   "28 - 29",
					   "1.2.3.4.5.6.7.8.9",
					   "9999999999",
					   ">>28",
					   ">=1 >=1 >=1 >=1 >=1 >=1 >=1 >=1 >=1",
					   "28.39.1002 (MT_0000000838)" };
	static const unsigned fields[] = { FW_VERSION, FW_COMPONENT };
	struct root *r = machine();
	const char *why;
	struct value v;

	(void)state;
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			why = NULL;
			if (value_parse(&setting_firmware.fields[fields[f]], bad[i], &v, r->a, &why) != -EINVAL || !why)
				fail_msg("'%s' was taken", bad[i]);
		}
	root_close(r);
}

static void no_versions(void **state)
{
	static const char *const odd[] = { "",	  "N/A",	   "unknown", "28.45.1000beta",
					   "28.", "99999999999.1", "(MT_1)",  "\033[2J" };
	struct root *r = machine();

	(void)state;
	info = NULL;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct port p = port_of("", odd[i]);
		const struct cell *c = &look(r, &p, &family, &setting_firmware.live, NULL)->at[FW_VERSION];

		assert_int_equal(c->state, CELL_REASON);
		assert_int_equal(c->reason, REASON_UNREADABLE);
		assert_non_null(c->because);
		assert_null(strchr(c->because, '\033'));
	}
	root_close(r);
}

/* rxe and siw have an empty fw_ver: no value that could not be read, but none at all. */
static void software_has_none(void **state)
{
	static const struct vendor soft = { .name = "soft", .software = true };
	struct root *r = machine();
	struct port p = port_of("rxe0", "");
	struct record *have;

	(void)state;
	info = NULL;
	have = look(r, &p, &soft, &setting_firmware.live, NULL);
	for (unsigned i = FW_VERSION; i <= FW_DENY; i++)
		if (have->at[i].state != CELL_REASON || have->at[i].reason != REASON_DRIVER_LACKS)
			fail_msg("%s", have->at[i].name);
	root_close(r);
}

/* --- another card's range --------------------------------------------------------- */

static void families(void **state)
{
	static const struct {
		const char *want, *have;
		bool warned;
	} rows[] = {
		{ ">=16.35.3502", "28.45.4028", true },
		{ "<16.40", "28.45.4028", true },
		{ "22.41.1000", "28.45.4028", true },
		{ "<29", "28.45.4028", false },
		{ "<29.0.0", "28.45", false },
		{ ">=28.39 <29", "28.45", false },
		{ "<29", "22.41", true },
		{ "<=29.0", "28.45", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct root *r = machine();
		struct port p = port_of("mlx5_0", rows[i].have);
		struct record *want = record_new(r->a, &setting_firmware);

		info = NULL;
		root_want(r, want, FW_VERSION, rows[i].want);
		for (unsigned again = 0; again < 3; again++) /* told once for all ports and passes */
			look(r, &p, &family, &setting_firmware.live, want);
		assert_int_equal(r->d.warnings, rows[i].warned);
		assert_int_equal(r->d.errors, 0);
		look(r, &p, &plain, &setting_firmware.live, want); /* elsewhere the first number is a release */
		assert_int_equal(r->d.warnings, rows[i].warned);
		root_close(r);
	}
}

/* --- devlink: running, stored, components ------------------------------------------ */

static struct devlink_info_version mlx5[] = {
	{ DEVLINK_FIXED, "fw.psid", "MT_0000000838" }, { DEVLINK_RUNNING, "fw.version", "28.39.1002" },
	{ DEVLINK_RUNNING, "fw", "28.39.1002" },       { DEVLINK_STORED, "fw.version", "28.45.1000" },
	{ DEVLINK_STORED, "fw", "28.45.1000" },
};
static struct devlink_info_version ice[] = {
	{ DEVLINK_FIXED, "board.id", "K91258-000" },
	{ DEVLINK_RUNNING, "fw.mgmt", "7.4.13" },
	{ DEVLINK_RUNNING, "fw.undi", "1.3429.0" },
	{ DEVLINK_RUNNING, "fw.app.name", "ICE OS Default Package" },
};
static const struct devlink_info mlx5_info = { "0000:03:00.0", "mlx5_core", "", mlx5, 5 };
static const struct devlink_info ice_info = { "0000:03:00.0", "ice", "", ice, 4 };

static void stored_is_pending(void **state)
{
	static const char *const deny[] = { "28.44.1036", ">=28.45 <28.46", NULL };
	struct root *r = machine();
	struct port p = port_of("mlx5_0", "28.39.1002");
	struct record *want = record_new(r->a, &setting_firmware), *live, *boot;

	(void)state;
	info = &mlx5_info;
	root_want(r, want, FW_VERSION, ">=28.45");
	root_want(r, want, FW_BOARD, "MT_0000000838");
	want_deny(r, want, deny);
	live = look(r, &p, &family, &setting_firmware.live, want);
	boot = look(r, &p, &family, &setting_firmware.boot, want);
	assert_string_equal(live->at[FW_VERSION].value.text, "28.39.1002");
	assert_string_equal(live->at[FW_VERSION].because, "28.45.1000 is stored, pending a reset");
	assert_string_equal(live->at[FW_VERSION].remedy, "reset the firmware or reboot: what is stored then runs");
	assert_false(same(want, live, FW_VERSION));
	assert_true(same(want, boot, FW_VERSION));
	assert_true(same(want, live, FW_BOARD));
	assert_int_equal(boot->at[FW_BOARD].state, CELL_OPEN);
	assert_true(same(want, live, FW_DENY));
	assert_false(same(want, boot, FW_DENY));
	root_close(r);
}

static void denied(void **state)
{
	static const struct {
		const char *deny, *have;
		bool same;
	} rows[] = {
		{ "28.40.1000", "28.40.1000", false }, { "28.40.1000", "28.40.1000 (MT_1)", false },
		{ "28.40.1000", "28.40.1001", true },  { "28.40", "28.40.1000", true },
		{ "<28.39", "28.38.1002", false },     { "16.35.1", "28.40.1000", true },
	};
	struct root *r = machine();

	(void)state;
	info = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const deny[] = { "28.1.1", rows[i].deny, NULL };
		struct port p = port_of("mlx5_0", rows[i].have);
		struct record *want = record_new(r->a, &setting_firmware), *have;

		want_deny(r, want, deny);
		have = look(r, &p, &family, &setting_firmware.live, want);
		if (same(want, have, FW_DENY) != rows[i].same)
			fail_msg("%s, denied %s", rows[i].have, rows[i].deny);
	}
	root_close(r);
}

static void deny_must_be_versions(void **state)
{
	static const char *const bad[] = { "28.40.1000", "newest", "28.x", NULL };
	static const char *const good[] = { "28.40.1000", NULL };
	struct root *r = machine();
	struct record *want = record_new(r->a, &setting_firmware);
	struct wishes w = { .arena = r->a };

	(void)state;
	want_deny(r, want, good);
	assert_int_equal(setting_firmware.derive(&w, want, &r->d), 0);
	want_deny(r, want, bad);
	assert_int_equal(setting_firmware.derive(&w, want, &r->d), -EINVAL);
	assert_int_equal(r->d.errors, 2);
	root_close(r);
}

static void components(void **state)
{
	struct root *r = machine();
	struct port p = port_of("irdma0", "1.71");
	struct record *want = record_new(r->a, &setting_firmware), *have;
	static const char *const names[] = { "fw.undi", "fw.app.name", "fw.netlist" };

	(void)state;
	info = &ice_info;
	for (size_t i = 0; i < 3; i++) {
		struct cell *c = record_named(want, FW_COMPONENT, names[i], NULL);

		c->state = CELL_VALUE;
		c->value.text = ">=1.3429";
	}
	root_want(r, want, FW_VERSION, ">=7.4");
	root_want(r, want, FW_BOARD, "K91258-000");
	have = look(r, &p, &plain, &setting_firmware.live, want);
	assert_string_equal(have->at[FW_VERSION].value.text, "7.4.13");
	assert_true(same(want, have, FW_BOARD));
	assert_int_equal(have->n, FW_COMPONENT + 1 + 3);
	assert_string_equal(have->at[FW_COMPONENT + 1].name, "firmware.component.fw.undi");
	assert_true(same(want, have, FW_COMPONENT + 1));
	assert_int_equal(have->at[FW_COMPONENT + 2].reason, REASON_UNREADABLE);
	assert_int_equal(have->at[FW_COMPONENT + 3].reason, REASON_DRIVER_LACKS);
	info = NULL;
	info_err = -ENODATA;
	have = look(r, &p, &plain, &setting_firmware.live, want);
	assert_int_equal(have->at[FW_COMPONENT + 1].reason, REASON_NOT_RECORDED);
	info_err = 0;
	root_close(r);
}

/* Without devlink and without nldev (--root) the files of the RDMA device answer. */
static void files_answer(void **state)
{
	struct root *r = machine();
	struct port p = port_of("mlx5_0", "");
	struct record *have;

	(void)state;
	info = NULL;
	info_err = -ENODATA;
	root_put(r, "sys/class/infiniband/mlx5_0/fw_ver", "20.35.1012\\n");
	root_put(r, "sys/class/infiniband/mlx5_0/board_id", "MT_0000000228\\n");
	have = look(r, &p, &family, &setting_firmware.live, NULL);
	assert_string_equal(have->at[FW_VERSION].value.text, "20.35.1012");
	assert_string_equal(have->at[FW_VERSION].via, "sysfs fw_ver");
	assert_string_equal(have->at[FW_BOARD].value.text, "MT_0000000228");
	root_put(r, "sys/class/infiniband/mlx5_0/fw_ver", "\\n");
	have = look(r, &p, &family, &setting_firmware.live, NULL);
	assert_int_equal(have->at[FW_VERSION].reason, REASON_UNREADABLE);
	p.ibdev = "";
	have = look(r, &p, &family, &setting_firmware.live, NULL);
	assert_int_equal(have->at[FW_VERSION].reason, REASON_NOT_RECORDED);
	info_err = -EPERM;
	have = look(r, &p, &family, &setting_firmware.live, NULL);
	assert_int_equal(have->at[FW_BOARD].reason, REASON_NOT_PERMITTED);
	info_err = 0;
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numeric_compare), cmocka_unit_test(ranges),
		cmocka_unit_test(bad_ranges),	   cmocka_unit_test(no_versions), cmocka_unit_test(software_has_none),
		cmocka_unit_test(families),	   cmocka_unit_test(stored_is_pending),
		cmocka_unit_test(denied),	   cmocka_unit_test(components),
		cmocka_unit_test(files_answer),	   cmocka_unit_test(deny_must_be_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
