/* SPDX-License-Identifier: Apache-2.0 */
/* Will our units run at the next boot: installed, ours, not masked, enabled, as systemd and udev would find them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/units.h"
#include "model/desired.h"
#include "model/targets.h"
#include "catalog.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NODE_UNIT "[Service]\\nExecStart=/usr/sbin/rdmactl apply\\n"
#define RULE	  "ENV{SYSTEMD_WANTS}+=\\\"rdmactl@%b.service\\\"\\n"

static void install(const struct root *r, const char *lib)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/systemd/system/rdmactl.service", lib);
	root_put(r, path, NODE_UNIT);
	snprintf(path, sizeof(path), "%s/systemd/system/rdmactl@.service", lib);
	root_put(r, path, NODE_UNIT);
	snprintf(path, sizeof(path), "%s/systemd/system/rdmactl-module@.service", lib);
	root_put(r, path, NODE_UNIT);
	snprintf(path, sizeof(path), "%s/udev/rules.d/90-rdmactl.rules", lib);
	root_put(r, path, RULE);
	root_put(r, "run/systemd/system/x", "");
}

#define UNITS "etc/systemd/system/"
#define ENABLED UNITS "multi-user.target.wants/rdmactl.service", "@/usr/lib/systemd/system/rdmactl.service"

static void faults(void **state)
{
	static const struct {
		const char *why;
		struct { const char *path, *text; } file[4];
		const char *because, *remedy;	/* NULL: they run */
	} rows[] = {
		{ "as a package has it", { { ENABLED } }, NULL, NULL },
		{ "only installed", { { 0 } }, "rdmactl.service is not enabled", "systemctl enable rdmactl.service" },
		{ "enabled elsewhere",
		  { { UNITS "sysinit.target.wants/rdmactl.service", "@/usr/lib/systemd/system/rdmactl.service" } }, NULL, NULL },
		{ "enabled until the reboot",
		  { { "run/systemd/system/multi-user.target.wants/rdmactl.service", "@x" } }, NULL, NULL },
		{ "by the vendor of an image",
		  { { "usr/lib/systemd/system/multi-user.target.wants/rdmactl.service", "@../rdmactl.service" } }, NULL, NULL },
		{ "a file is no link", { { "etc/systemd/system/multi-user.target.wants/rdmactl.service", "x" } },
		  "rdmactl.service is not enabled", "systemctl enable rdmactl.service" },
		{ "another folder", { { "etc/systemd/system/multi-user.target.d/rdmactl.service", "@x" } },
		  "rdmactl.service is not enabled", "systemctl enable rdmactl.service" },
		{ "masked", { { ENABLED }, { "etc/systemd/system/rdmactl.service", "@/dev/null" } },
		  "/etc/systemd/system/rdmactl.service masks it", "systemctl unmask rdmactl.service" },
		{ "masked until the reboot", { { ENABLED }, { "run/systemd/system/rdmactl@.service", "@/dev/null" } },
		  "/run/systemd/system/rdmactl@.service masks it", "systemctl unmask rdmactl@.service" },
		{ "an empty file masks", { { ENABLED }, { "etc/udev/rules.d/90-rdmactl.rules", "" } },
		  "/etc/udev/rules.d/90-rdmactl.rules masks it", "rm /etc/udev/rules.d/90-rdmactl.rules" },
		{ "a changed copy", { { ENABLED }, { UNITS "rdmactl@.service", "ExecStart=/opt/rdmactl apply --port %I" } }, NULL, NULL },
		{ "somebody else's", { { ENABLED }, { UNITS "rdmactl@.service", "[Service]\\nExecStart=/bin/true\\n" } },
		  "/" UNITS "rdmactl@.service hides ours and does not start rdmactl", "take /" UNITS "rdmactl@.service away" },
		{ "a rule of that name", { { ENABLED }, { "etc/udev/rules.d/90-rdmactl.rules", "# nothing\\n" } },
		  "/etc/udev/rules.d/90-rdmactl.rules hides ours and does not start rdmactl",
		  "take /etc/udev/rules.d/90-rdmactl.rules away" },
		{ "the first place counts",
		  { { ENABLED }, { UNITS "rdmactl.service", NODE_UNIT }, { "run/systemd/system/rdmactl.service", "@/dev/null" } },
		  NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		struct units_fault f = { 0 };
		int got;

		install(r, i % 2 ? "usr/lib" : "lib");		/* where /usr is not merged, /lib */
		for (size_t n = 0; n < COUNT(rows[i].file) && rows[i].file[n].path; n++)
			root_put(r, rows[i].file[n].path, rows[i].file[n].text);
		got = units_fault(r->k, r->a, &f);
		if (got != (rows[i].because ? 1 : 0))
			fail_msg("%s: %d", rows[i].why, got);
		if (got) {
			assert_string_equal(f.because, rows[i].because);
			assert_string_equal(f.remedy, rows[i].remedy);
		}
		root_close(r);
	}
}

static void each_must_be_there(void **state)
{
	static const char *const files[] = { "systemd/system/rdmactl.service", "systemd/system/rdmactl@.service",
					     "systemd/system/rdmactl-module@.service", "udev/rules.d/90-rdmactl.rules" };

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct root *r = root_open(NULL);
		struct units_fault f;
		char path[512];

		install(r, "usr/lib");
		root_put(r, ENABLED);
		snprintf(path, sizeof(path), "%s/usr/lib/%s", r->dir, files[i]);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(units_fault(r->k, r->a, &f), 1);
		assert_non_null(strstr(f.because, strrchr(files[i], '/') + 1));
		assert_non_null(strstr(f.because, "is not installed"));
		root_close(r);
	}
}

/* --- the row ----------------------------------------------------------------------- */

struct asking {
	struct root *r;
	const struct setting *unit;
	struct desired des;
	struct wish wish[2];
	struct record *want;
};

static const struct setting *setting(const char *name)
{
	const struct catalog *c = catalog_default();

	for (size_t i = 0; i < c->nsettings; i++)
		if (!strcmp(c->setting[i]->name, name))
			return c->setting[i];
	fail_msg("no setting %s", name);
	return NULL;
}

/* A policy that asks for @other, which is MTU or something that no unit keeps. */
static void ask(struct asking *q, const char *other, const char *field, const char *value)
{
	struct record *want;

	*q = (struct asking){ .r = root_open(NULL), .unit = setting("unit") };
	want = record_new(q->r->a, setting(other));
	for (unsigned i = 0; i < want->n; i++)
		if (!strcmp(want->at[i].name, field))
			root_want(q->r, want, i, value);
	assert_true(record_managed(want));
	q->want = record_new(q->r->a, q->unit);
	cell_set_num(&q->want->at[0], 0);
	q->wish[0] = (struct wish){ .setting = want->setting, .want = want };
	q->wish[1] = (struct wish){ .setting = q->unit, .want = q->want };
	q->des = (struct desired){ .wish = q->wish, .n = 2 };
}

static const struct cell *answer(struct asking *q)
{
	struct part p = { .setting = q->unit, .home = &q->unit->boot, .target = target_of_node(q->r->a),
			  .want = q->want, .have = record_open(q->r->a, q->unit, q->want), .arena = q->r->a, .desired = &q->des };

	kernel_renew(q->r->k);
	assert_int_equal(q->unit->boot.read(q->r->k, &p, &q->r->d), 0);
	return &p.have->at[0];
}

static void no_row(void **state)
{
	struct asking q;

	(void)state;
	ask(&q, "mtu", "mtu", "9000");
	install(q.r, "usr/lib");
	assert_int_equal(answer(&q)->state, CELL_VALUE);
	root_want(q.r, q.want, 0, "unused");
	assert_int_equal(answer(&q)->state, CELL_OPEN);		/* nobody expects it */
	root_close(q.r);

	ask(&q, "mtu", "mtu", "9000");
	assert_int_equal(answer(&q)->state, CELL_OPEN);		/* no systemd */
	root_close(q.r);

	ask(&q, "max_backlog", "max_backlog", "8192");		/* kept by a file */
	install(q.r, "usr/lib");
	assert_int_equal(answer(&q)->state, CELL_OPEN);
	root_close(q.r);

	ask(&q, "link", "link.state", "up");			/* set by nobody */
	install(q.r, "usr/lib");
	assert_int_equal(answer(&q)->state, CELL_OPEN);
	root_close(q.r);
}

static void the_row(void **state)
{
	static const struct installed same = { 0 }, other = { "/etc/rdmactl/policy.yaml asks something else", "install it" };
	const struct cell *c;
	struct asking q;

	(void)state;
	ask(&q, "mtu", "mtu", "9000");
	install(q.r, "usr/lib");
	c = answer(&q);
	assert_false(cell_same(&q.want->at[0], &c->value, NULL));
	assert_string_equal(c->because, "rdmactl.service is not enabled");
	root_put(q.r, ENABLED);
	c = answer(&q);
	assert_true(cell_same(&q.want->at[0], &c->value, NULL));
	assert_null(c->because);
	q.des.installed = &other;
	c = answer(&q);
	assert_false(cell_same(&q.want->at[0], &c->value, NULL));
	assert_string_equal(c->because, other.why);
	assert_string_equal(c->remedy, "install it");
	q.des.installed = &same;
	assert_true(cell_same(&q.want->at[0], &answer(&q)->value, NULL));
	root_close(q.r);
}

/* --- a door that fails ------------------------------------------------------------------ */

static int no_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	(void)k;
	(void)path;
	(void)st;
	return -EACCES;
}

static void unknown(void **state)
{
	const struct cell *c;
	struct asking q;

	(void)state;
	ask(&q, "mtu", "mtu", "9000");
	install(q.r, "usr/lib");
	q.r->ops.stat = no_stat;
	c = answer(&q);
	assert_int_equal(c->state, CELL_REASON);
	assert_int_equal(c->reason, REASON_NOT_PERMITTED);
	root_close(q.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults),	cmocka_unit_test(each_must_be_there),
		cmocka_unit_test(no_row),	cmocka_unit_test(the_row),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
