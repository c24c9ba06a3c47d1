/* SPDX-License-Identifier: Apache-2.0 */
/* pcie: which link is the narrow one, and is it the card, the slot, a switch, or damage. Unknown is neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "root.h"

extern const struct setting setting_pcie;

enum { PCIE_WIDTH, PCIE_SPEED };

static const struct facts facts = { .rdma = true };

static struct record *look(struct root *r, const char *path, const char *physfn, const char *width, const char *speed,
			   struct record **want)
{
	struct port p = { .name = "ens1f0np0", .ifname = "ens1f0np0", .pci_path = path, .physfn = physfn };
	struct target t = { .scope = SCOPE_WIRE, .name = p.name, .port = &p };
	struct record *w = record_new(r->a, &setting_pcie);
	int err;

	if (width)
		root_want(r, w, PCIE_WIDTH, width);
	if (speed)
		root_want(r, w, PCIE_SPEED, speed);
	if (want)
		*want = w;
	w = root_ask(r, &setting_pcie, &setting_pcie.live, &t, &facts, width || speed ? w : NULL, &err);
	for (size_t i = 0; err < 0 && i < w->n; i++)
		if (w->at[i].state == CELL_OPEN)
			cell_set_reason(&w->at[i], reason_of(err), NULL);
	return w;
}

static bool same(const struct record *want, const struct record *have, unsigned i)
{
	return value_same(want->at[i].field, &want->at[i].value, &have->at[i].value, have);
}

/* --- the cases -------------------------------------------------------------------- */

static void slot_limited(void **state)
{
	struct root *r = root_open("tests/cases/pcie-slot-limited/tree.tsv");
	const char *path = "sys/devices/pci0000:26/0000:26:02.0/0000:27:00.0";
	struct record *want, *have = look(r, path, "", "16", "32GT/s", &want);
	const struct cell *speed = &have->at[PCIE_SPEED];

	(void)state;
	assert_true(same(want, have, PCIE_WIDTH));
	assert_null(have->at[PCIE_WIDTH].because);
	assert_int_equal(speed->value.num, 16000);
	assert_false(same(want, have, PCIE_SPEED));
	assert_non_null(strstr(speed->because, "limited by root port 0000:26:02.0 (max 16.0 GT/s)"));
	assert_non_null(strstr(speed->because, "not degraded"));
	assert_non_null(strstr(speed->because, "card 0000:27:00.0 (max 32.0 GT/s)"));
	assert_non_null(strstr(speed->remedy, "another slot"));
	assert_non_null(strstr(speed->remedy, "a policy that allows it"));
	assert_null(strstr(speed->remedy, "reseat"));
	root_close(r);
}

static void unknown_values(void **state)
{
	struct root *r = root_open("tests/cases/pcie-unknown-values/tree.tsv");
	const char *path = "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.2";

	(void)state;
	for (unsigned vf = 0; vf < 2; vf++) { /* by itself, and by its PF, which tells nothing either */
		struct record *have = look(r, path, vf ? "0000:3b:00.0" : "", "8", "8GT/s", NULL);

		for (unsigned i = PCIE_WIDTH; i <= PCIE_SPEED; i++) {
			assert_int_equal(have->at[i].state, CELL_REASON);
			assert_true(reason_is_unknown(have->at[i].reason));
			assert_null(strstr(have->at[i].because, "255"));
		}
	}
	root_close(r);
}

/* --- every kind of path ------------------------------------------------------------- */

static const struct {
	const char *name, *bdf;
} levels[] = {
	{ "root port", "0000:20:01.0" },
	{ "upstream", "0000:21:00.0" },
	{ "downstream", "0000:22:04.0" },
	{ "card", "0000:23:00.0" },
};

/* "16.0/32.0 x16/16": current and maximum of both, from the root port down */
static void put_hop(struct root *r, const char *dir, const char *spec)
{
	static const char *const files[] = { "current_link_speed", "max_link_speed", "current_link_width",
					     "max_link_width" };
	char copy[96], path[256], *save = NULL, *word;
	unsigned i = 0;

	snprintf(copy, sizeof(copy), "%s", spec);
	for (word = strtok_r(copy, "/ x", &save); word; word = strtok_r(NULL, "/ x", &save), i++) {
		char text[64];

		snprintf(text, sizeof(text), i < 2 && *word != 'U' ? "%s GT/s PCIe\\n" : "%s\\n",
			 *word == 'U' ? "Unknown" : word);
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		root_put(r, path, text);
	}
	assert_int_equal(i, 4);
}

struct path_row {
	const char *hop[4];	      /* from the root down, card last; NULL behind it */
	const char *speed, *width;    /* observed, or a reason's name */
	const char *because, *remedy; /* of the field that is off */
};

static const char *number(struct root *r, const struct cell *c)
{
	struct text t = { 0 };
	const char *s;

	if (c->state != CELL_VALUE)
		return reason_name(c->reason);
	value_print(c->field, &c->value, &t);
	s = arena_strdup(r->a, text_str(&t));
	text_done(&t);
	return s;
}

static const struct path_row rows[] = {
	{ { "32.0/32.0 x16/16", "32.0/32.0 x16/16" }, "32GT/s", "16", NULL, NULL },
	{ { "64.0/64.0 x16/16", "64.0/64.0 x16/16" }, "64GT/s", "16", NULL, NULL }, /* more is in sync */
	{ { "32.0/32.0 x16/16", "16.0/16.0 x16/16" },
	  "16GT/s",
	  "16",
	  "limited by card 0000:23:00.0 (max 16.0 GT/s): not degraded",
	  "no slot" },
	{ { "16.0/32.0 x16/16", "16.0/32.0 x16/16" },
	  "16GT/s",
	  "16",
	  "degraded: runs at 16.0 GT/s, both ends can do 32.0 GT/s",
	  "reseat" },
	{ { "32.0/32.0 x8/16", "32.0/32.0 x8/16" },
	  "32GT/s",
	  "8",
	  "degraded: runs at x8, both ends can do x16",
	  "reseat" },
	{ { "32.0/32.0 x8/8", "32.0/32.0 x8/16" },
	  "32GT/s",
	  "8",
	  "limited by root port 0000:20:01.0 (max x8)",
	  "another slot" },
	{ { "16.0/16.0 x16/16", "16.0/16.0 x16/16" },
	  "16GT/s",
	  "16",
	  "limited by card 0000:23:00.0 (max 16.0 GT/s) and root port 0000:20:01.0 alike: not degraded",
	  "another card in another slot" },
	{ { "16.0/16.0 x16/16" },
	  "16GT/s",
	  "16",
	  "limited by card 0000:23:00.0 (max 16.0 GT/s): not degraded",
	  "no slot" },
	/* behind a switch: the uplink is the slow one, damaged or not */
	{ { "16.0/16.0 x16/16", "16.0/32.0 x16/16", "32.0/32.0 x16/16", "32.0/32.0 x16/16" },
	  "16GT/s",
	  "16",
	  "limited by root port 0000:20:01.0 (max 16.0 GT/s): not degraded; switch upstream port 0000:21:00.0 (max "
	  "32.0 GT/s)",
	  "not behind this switch" },
	{ { "16.0/32.0 x16/16", "16.0/32.0 x16/16", "32.0/32.0 x16/16", "32.0/32.0 x16/16" },
	  "16GT/s",
	  "16",
	  "degraded",
	  "reseat" },
	{ { "32.0/32.0 x16/16", "16.0/16.0 x16/16", "32.0/32.0 x16/16", "32.0/32.0 x16/16" },
	  "16GT/s",
	  "16",
	  "limited by switch upstream port 0000:21:00.0",
	  "not behind this switch" },
	{ { "32.0/32.0 x16/16", "32.0/32.0 x16/16", "32.0/32.0 x4/4", "32.0/32.0 x4/16" },
	  "32GT/s",
	  "4",
	  "limited by switch port 0000:22:04.0 (max x4)",
	  "another slot" },
	/* one end knows: both run what it says; what the other could do is not known */
	{ { "U/U x0/255", "32.0/32.0 x16/16" }, "32GT/s", "16", NULL, NULL },
	{ { "U/U x0/255", "16.0/32.0 x16/16" }, "16GT/s", "16", "cannot be told", "compare" },
	/* a link of which nobody knows anything may be narrower: unknown, unless another is too narrow already */
	{ { "U/U x0/255", "U/U x0/255" }, "unreadable", "unreadable", NULL, NULL },
	{ { "U/U x0/255", "U/U x0/255", "32.0/32.0 x16/16", "32.0/32.0 x16/16" },
	  "unreadable",
	  "unreadable",
	  NULL,
	  NULL },
	{ { "U/U x0/255", "U/U x0/255", "16.0/32.0 x16/16", "16.0/32.0 x16/16" },
	  "16GT/s",
	  "unreadable",
	  "degraded",
	  "reseat" },
	{ { "32.0/32.0 x16/16", "32.0/32.0 x255/255" }, "32GT/s", "16", NULL, NULL },
	{ { "nonsense/9 x-1/16", "99999999999/1 x99999999999/16" }, "unreadable", "unreadable", NULL, NULL },
};

static void paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct path_row *row = &rows[i];
		struct root *r = root_open(NULL);
		char dir[256] = "sys/devices/pci0000:20";
		struct record *have, *want;
		unsigned told = 0;

		for (unsigned j = 0; j < 4 && row->hop[j]; j++) {
			bool card = j == 3 || !row->hop[j + 1];

			strcat(strcat(dir, "/"), levels[card ? 3 : j].bdf);
			put_hop(r, dir, row->hop[j]);
		}
		have = look(r, dir, "", "16", "32GT/s", &want);
		if (strcmp(number(r, &have->at[PCIE_SPEED]), row->speed) ||
		    strcmp(number(r, &have->at[PCIE_WIDTH]), row->width))
			fail_msg("row %zu: %s x %s", i, number(r, &have->at[PCIE_SPEED]),
				 number(r, &have->at[PCIE_WIDTH]));
		for (unsigned f = PCIE_WIDTH; f <= PCIE_SPEED; f++) {
			const struct cell *c = &have->at[f];

			if (c->state != CELL_VALUE || same(want, have, f))
				continue;
			told++;
			if (!strstr(c->because, row->because) || !strstr(c->remedy, row->remedy))
				fail_msg("row %zu: %s; %s", i, c->because, c->remedy);
		}
		assert_int_equal(told, row->because != NULL);
		root_close(r);
	}
}

/* --- a VF has the link of its PF ------------------------------------------------------ */

static void vf_follows_pf(void **state)
{
	struct root *r = root_open(NULL);
	struct record *have;

	(void)state;
	put_hop(r, "sys/devices/pci0000:20/0000:20:01.0", "32.0/32.0 x16/16");
	put_hop(r, "sys/devices/pci0000:20/0000:20:01.0/0000:23:00.0", "32.0/32.0 x16/16");
	put_hop(r, "sys/devices/pci0000:20/0000:20:01.0/0000:23:00.2", "U/U x0/255");
	have = look(r, "sys/devices/pci0000:20/0000:20:01.0/0000:23:00.2", "0000:23:00.0", "16", "32GT/s", NULL);
	assert_string_equal(number(r, &have->at[PCIE_SPEED]), "32GT/s");
	assert_string_equal(number(r, &have->at[PCIE_WIDTH]), "16");
	have = look(r, "sys/devices/pci0000:20/0000:20:01.0/0000:23:00.2", "", "16", "32GT/s", NULL);
	assert_int_equal(have->at[PCIE_SPEED].state, CELL_VALUE); /* the other end of the link knows */
	root_close(r);
}

static void no_pci(void **state)
{
	struct root *r = root_open(NULL);

	(void)state;
	assert_string_equal(number(r, &look(r, "", "", "16", NULL, NULL)->at[PCIE_WIDTH]), "driver-lacks");
	assert_string_equal(
		number(r, &look(r, "sys/devices/pci0000:20/0000:23:00.0", "", "16", NULL, NULL)->at[PCIE_WIDTH]),
		"unreadable");
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slot_limited),	 cmocka_unit_test(unknown_values), cmocka_unit_test(paths),
		cmocka_unit_test(vf_follows_pf), cmocka_unit_test(no_pci),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
