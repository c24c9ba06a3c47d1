/* SPDX-License-Identifier: Apache-2.0 */
/* lib/report: what people and programs are told of one outcome, and that the JSON is what its schema says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "model/desired.h"
#include "model/row.h"
#include "model/use.h"
#include "report/report.h"
#include "report/words.h"
#include "report/runs.h"

/* --- an outcome with something of everything -------------------------------- */

enum { MTU, PFC, DSCP, ETS, SPEED, TRUST, VERSION_TEXT, RELAXED, NFIELDS };

static const char *const trusts[] = { "pcp", "dscp", NULL };

static const struct field fields[] = {
	[MTU] = { "mtu", KIND_UINT, .min = 68, .max = 65535, .unit = "bytes" },
	[PFC] = { "qos.pfc", KIND_SET, .max = 7 },
	[DSCP] = { "qos.dscp", KIND_MAP, .max = 7, .span = 64 },
	[ETS] = { "qos.ets", KIND_SHARES, .doc = "shares" },
	[SPEED] = { "link.speed", KIND_UINT, .max = INT32_MAX, .unit = "Mb/s" },
	[TRUST] = { "qos.trust", KIND_WORD, .words = trusts },
	[VERSION_TEXT] = { "firmware.version", KIND_TEXT, .doc = "version" },
	[RELAXED] = { "pcie.relaxed_ordering", KIND_BOOL, .doc = "order" },
	{ 0 },
};

static const struct setting fake = { .name = "fake", .scope = SCOPE_WIRE, .fields = fields };
static const struct home home = { .object = "object" };

struct made {
	struct arena *a;
	struct outcome o;
	struct row row[24];
	struct change change[3];
	struct change *changes[3];
	struct diags diags;
	struct desired desired;
	struct source policy, sysctl;
	struct loser loser;
};

static const struct facts facts = { .hostname = "gpu0001.example",
				    .kernel = "6.12.9",
				    .observed_at = "2026-11-29T13:00:00Z" };
static const struct target node = { .scope = SCOPE_NODE, .name = "node", .group = "" };
static const struct target port = { .scope = SCOPE_WIRE, .name = "ens1f0np0", .group = "compute" };

static struct cell *cell_new(struct made *m, unsigned field)
{
	struct cell *c = arena_new_of(m->a, struct cell);

	c->field = &fields[field];
	c->name = fields[field].name;
	return c;
}

static struct cell *num(struct made *m, unsigned field, int64_t v)
{
	struct cell *c = cell_new(m, field);

	cell_set_num(c, v);
	return c;
}

static struct cell *words(struct made *m, unsigned field, const char *s)
{
	struct cell *c = cell_new(m, field);

	cell_set_text(c, s);
	return c;
}

static struct cell *map(struct made *m, unsigned field, size_t n, const char *entries)
{
	struct cell *c = cell_new(m, field);
	uint8_t v[64];

	memset(v, VALUE_UNSET, sizeof(v));
	for (const char *s = entries; *s;) {
		unsigned key, value;
		int used = 0;

		assert_int_equal(sscanf(s, "%u:%u %n", &key, &value, &used), 2);
		v[key] = (uint8_t)value;
		s += used;
	}
	cell_set_map(c, m->a, v, n);
	return c;
}

static struct cell *lacking(struct made *m, unsigned field, enum reason r)
{
	struct cell *c = cell_new(m, field);

	cell_set_reason(c, r, NULL);
	return c;
}

static struct row *add(struct made *m, const struct target *t, enum status s, const struct cell *want,
		       const struct cell *live)
{
	struct row *r = &m->row[m->o.nrows++];

	*r = (struct row){ .target = t,
			   .setting = &fake,
			   .field = live->field,
			   .name = live->name,
			   .want = want,
			   .live = live,
			   .status = s,
			   .reason = "",
			   .scope = t->name };
	m->o.count[s]++;
	return r;
}

static int setup(void **state)
{
	struct arena *a = arena_new();
	struct made *m = arena_new_of(a, struct made);

	m->a = a;
	diags_init(&m->diags, a);
	m->policy = (struct source){ .name = "prod.yaml" };
	m->sysctl = (struct source){ .name = "/etc/sysctl.d/99-x.conf" };
	m->desired = (struct desired){
		.node = "gpu0001", .policy_file = "prod.yaml", .revision = "2026-11-29.2",
		.policy_digest = "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
		.digest = "sha256:ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100",
	};
	m->o = (struct outcome){ .command = "drift",
				 .facts = &facts,
				 .desired = &m->desired,
				 .row = m->row,
				 .result = "in-sync",
				 .diags = &m->diags,
				 .change = m->changes };
	for (int i = 0; i < 3; i++)
		m->changes[i] = &m->change[i];
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct made *m = *state;

	arena_free(m->a);
	return 0;
}

static void fill_drift(struct made *m)
{
	struct cell *want, *boot;
	struct row *r;

	m->o.result = "drift";
	m->o.exit_code = 1;
	add(m, &node, STATUS_IN_SYNC, num(m, MTU, 9000), num(m, MTU, 9000));
	want = num(m, MTU, 9000);
	want->pos = (struct pos){ .source = &m->policy, .line = 18, .col = 10, .len = 4 };
	r = add(m, &port, STATUS_DRIFT, want, num(m, MTU, 1500));
	boot = num(m, MTU, 1500);
	boot->pos = (struct pos){ .source = &m->sysctl, .line = 3, .col = 1 };
	m->loser = (struct loser){ { .source = &m->policy, .line = 9, .col = 2 }, "9000", "a later file sets it" };
	boot->loser = &m->loser;
	boot->nlosers = 1;
	r->boot = boot;
	r->live_wrong = r->boot_wrong = true;
	r->cause = "somebody set it";
	r->remedy = "`rdmactl apply`";
	r->change = &m->change[0];
	r->impact = IMPACT_TRAFFIC;
	((struct cell *)(uintptr_t)r->live)->via = "RTM_GETLINK";
	r = add(m, &port, STATUS_DRIFT, num(m, PFC, 8), num(m, PFC, 0));
	r->live_wrong = true;
	r->cause = "somebody set it";
	r->remedy = "`rdmactl apply`";
	r = add(m, &port, STATUS_DRIFT, map(m, DSCP, 64, "10:0 26:3 48:6"), map(m, DSCP, 64, "10:0 26:0 46:5"));
	r->live_wrong = true;
	r = add(m, &port, STATUS_UNKNOWN, num(m, SPEED, 400000), lacking(m, SPEED, REASON_NOT_PERMITTED));
	r->reason = reason_name(REASON_NOT_PERMITTED);
	r = add(m, &port, STATUS_UNSUPPORTED, map(m, ETS, 8, "0:40 3:60 6:101"), lacking(m, ETS, REASON_DRIVER_LACKS));
	r->reason = reason_name(REASON_DRIVER_LACKS);
	r = add(m, &port, STATUS_DRIFT, num(m, TRUST, 1), num(m, TRUST, 0));
	r->follows = true;
	m->o.count[STATUS_DRIFT]--;
	r = add(m, &port, STATUS_PENDING, num(m, RELAXED, 1), num(m, RELAXED, 0));
	r->boot = num(m, RELAXED, 1);
	r->live_wrong = true;
	r->event = "reload";
	r->changed = true;
}

static struct change_part *part_of(struct made *m, struct cell *want, struct cell *have)
{
	struct change_part *p = arena_new_of(m->a, struct change_part);
	struct record *w = record_new(m->a, &fake), *h = record_new(m->a, &fake);
	size_t i = (size_t)(want->field - fields);

	w->at[i] = *want;
	h->at[i] = *have;
	p->setting = &fake;
	p->home = &home;
	p->want = w;
	p->have = h;
	p->differs = arena_array_of(m->a, bool, w->n);
	p->differs[i] = true;
	return p;
}

static void fill_changes(struct made *m)
{
	m->change[0] = (struct change){ .target = &port,
					.object = "mtu",
					.part = part_of(m, num(m, MTU, 9000), num(m, MTU, 1500)),
					.nparts = 1,
					.impact = IMPACT_TRAFFIC,
					.does = "channel rebuild",
					.because = "a change of app resets it",
					.unsafe = "DSCP 26 is on priority 3 without PFC",
					.instead = "no order is safe",
					.done = true };
	m->change[1] = (struct change){ .target = &port, .object = "app", .nparts = 1,
					.part = part_of(m, map(m, DSCP, 64, "10:0 26:3"), map(m, DSCP, 64, "10:0")),
					.leaves = "the hidden map of 64 DSCPs" };
	m->change[2] = (struct change){ .target = &node, .object = "enable_roce", .nparts = 1, .impact = IMPACT_RELOAD,
					.part = part_of(m, num(m, RELAXED, 1), lacking(m, RELAXED, REASON_BUSY)),
					.effective = EFFECTIVE_RELOAD, .refused = REFUSED_ALLOW,
					.refused_why = "its impact is reload: allow it with --allow reload" };
	m->o.nchanges = 2;
	m->o.nrefused = 1;
}

/* --- for people ------------------------------------------------------------- */

#define HEADLINE "; kernel 6.12.9; policy prod.yaml, revision 2026-11-29.2, sha256:001122334455\n"

static void assert_table(struct made *m, const struct report_options *opt, const char *expected)
{
	TEXT_CLEANUP struct text t = { 0 };

	report_table(&m->o, opt, &t);
	assert_string_equal(text_str(&t), expected);
}

static void in_sync_is_short(void **state)
{
	struct made *m = *state;
	struct row *r;

	add(m, &port, STATUS_IN_SYNC, num(m, MTU, 9000), num(m, MTU, 9000));
	r = add(m, &port, STATUS_UNSUPPORTED, num(m, PFC, 8), lacking(m, PFC, REASON_DRIVER_LACKS));
	r->reason = "driver-lacks";
	assert_table(m, &(struct report_options){ 0 }, "gpu0001: in sync" HEADLINE "1 unsupported (qos.pfc), 1 in-sync\n");
	assert_table(m, &(struct report_options){ .quiet = true }, "");
	assert_table(m, &(struct report_options){ .all = true },
		     "gpu0001: in sync" HEADLINE "\n"
		     "TARGET              SETTING WANT LIVE STATUS\n"
		     "ens1f0np0 (compute) mtu     9000 9000 in-sync\n"
		     "                    qos.pfc 3    -    unsupported: driver-lacks\n"
		     "\n1 unsupported (qos.pfc), 1 in-sync\n");
}

static void drift_names_each_row(void **state)
{
	struct made *m = *state;

	fill_drift(m);
	assert_table(
		m, &(struct report_options){ .quiet = true },
		"gpu0001: drift" HEADLINE "\n"
		"TARGET              SETTING               WANT      LIVE  BOOT STATUS\n"
		"ens1f0np0 (compute) mtu                   9000      1500  1500 drift (live and boot)\n"
		"    boot:   /etc/sysctl.d/99-x.conf:3\n"
		"    cause:  somebody set it\n"
		"    remedy: `rdmactl apply`\n"
		"                    qos.pfc               3         none       drift\n" /* same story: told once */
		"                    qos.dscp              26:3 48:6 26:0       drift\n" /* only what differs */
		"                    link.speed            400Gb/s   -          unknown: not-permitted\n"
		"                    pcie.relaxed_ordering true      false true pending (reload), changed\n"
		"\n3 drift, 1 pending, 1 unknown, 1 unsupported (qos.ets), 1 in-sync; 1 more explained by these\n");
}

static void the_result_of_a_part_says_so(void **state)
{
	struct made *m = *state;
	const struct { struct limits limits; const char *result, *words; } all[] = {
		{ { NULL, NULL, false, false }, "drift", "" },
		{ { (const char *const[]){ "mtu", "qos.pfc", NULL }, NULL, false, false }, "in-sync", "; looked at: mtu, qos.pfc" },
		{ { (const char *const[]){ "mtu", NULL }, "nic\033[0", false, false }, "drift",
		  "; looked at: mtu of nic\\x1b[0 and the node" },
		{ { NULL, "nic0", true, false }, "unknown", "; looked at: nic0 and the node, what runs" },
		{ { (const char *const[]){ "mtu", NULL }, NULL, false, true }, "pending", "; looked at: mtu, the next boot" },
		{ { NULL, NULL, false, true }, "warnings", "; looked at: the next boot" },
		{ { NULL, "nic0", false, false }, "in-between", "" },
		{ { NULL, "nic0", false, false }, "ready", "" },
	};

	fill_drift(m);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };

		m->o.limits = all[i].limits;
		m->o.result = all[i].result;
		words_limits(&m->o, &t);
		assert_string_equal(text_str(&t), all[i].words);
	}
}

/* Of a map that is to be empty, as it is before a run that is undone, all that is there differs. */
/* A port with two rows; what it tells of itself differs from what another tells by its name alone. */
static void add_port(struct made *m, const struct target *t, int64_t mtu)
{
	struct row *r = add(m, t, STATUS_DRIFT, num(m, MTU, 9000), num(m, MTU, mtu));

	r->remedy = arena_printf(m->a, "rdmactl apply --only mtu --port %s (impact: traffic)", t->name);
	add(m, t, STATUS_DRIFT, num(m, TRUST, 1), num(m, TRUST, 0));
}

static void ports_that_are_alike_are_told_once(void **state)
{
	static const struct target ports_here[] = {
		{ .scope = SCOPE_WIRE, .name = "nic1", .group = "compute" },  { .scope = SCOPE_WIRE, .name = "nic2", .group = "compute" },
		{ .scope = SCOPE_WIRE, .name = "nic10", .group = "compute" }, { .scope = SCOPE_WIRE, .name = "nic3", .group = "storage" },
		{ .scope = SCOPE_WIRE, .name = "nic4", .group = "storage" },
	};
	struct made *m = *state;
	TEXT_CLEANUP struct text t = { 0 };

	m->o.result = "drift";
	m->o.exit_code = 1;
	add_port(m, &ports_here[0], 1500);
	add_port(m, &ports_here[1], 4200);		/* the odd one, and one that is short of a row */
	add_port(m, &ports_here[2], 1500);
	add_port(m, &ports_here[3], 1500);
	add_port(m, &ports_here[4], 1500);
	m->o.nrows--;
	m->o.count[STATUS_DRIFT]--;
	assert_table(m, &(struct report_options){ .quiet = true },
		     "gpu0001: drift" HEADLINE "\n"
		     "TARGET         SETTING   WANT LIVE STATUS\n"
		     "nic1 (compute) mtu       9000 1500 drift\n"
		     "    remedy: rdmactl apply --only mtu --port nic1 (impact: traffic)\n"
		     "               qos.trust dscp pcp  drift\n"
		     "    also:   nic10; each with its own name behind --port\n"
		     "nic2 (compute) mtu       9000 4200 drift\n"
		     "    remedy: rdmactl apply --only mtu --port nic2 (impact: traffic)\n"
		     "               qos.trust dscp pcp  drift\n"
		     "nic3 (storage) mtu       9000 1500 drift\n"
		     "    remedy: rdmactl apply --only mtu --port nic3 (impact: traffic)\n"
		     "               qos.trust dscp pcp  drift\n"
		     "nic4 (storage) mtu       9000 1500 drift\n"
		     "    remedy: rdmactl apply --only mtu --port nic4 (impact: traffic)\n"
		     "\n9 drift\n");
	report_table(&m->o, &(struct report_options){ .all = true }, &t);
	assert_non_null(strstr(text_str(&t), "\nnic10 (compute) mtu"));	/* -v: each port by itself */
	assert_null(strstr(text_str(&t), "also:"));
}

static void a_map_that_is_to_be_empty(void **state)
{
	const char *want, *live;
	struct made *m = *state;

	words_difference(m->a, map(m, DSCP, 64, ""), map(m, DSCP, 64, "10:0 26:3"), &want, &live);
	assert_string_equal(want, "none");
	assert_string_equal(live, "10:0 26:3");
	words_difference(m->a, map(m, DSCP, 64, "26:3"), map(m, DSCP, 64, ""), &want, &live);
	assert_string_equal(want, "26:3");
	assert_string_equal(live, "none");
}

/* Of the errors of drivers (ENOTSUPP) the C library knows no words. */
static void errors_without_words(void **state)
{
	TEXT_CLEANUP struct text nagios = { 0 }, table = { 0 };
	struct made *m = *state;

	m->o.result = "failed";
	m->o.exit_code = 2;
	m->o.diags = &m->diags;
	diag_error(&m->diags, NULL, "cannot read mtu")->err = 524;
	assert_int_equal(report_nagios(&m->o, &nagios), REPORT_NAGIOS_UNKNOWN);
	assert_non_null(strstr(text_str(&nagios), ": cannot read mtu: error 524 |"));
	diags_print(&m->diags, false, &table);
	assert_string_equal(text_str(&table), "rdmactl: error: cannot read mtu: error 524\n");
}

static void verbose_tells_where_from(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct made *m = *state;

	fill_drift(m);
	report_table(&m->o, &(struct report_options){ .all = true }, &t);
	assert_non_null(strstr(t.s, "    loses:  prod.yaml:9 says 9000: a later file sets it\n"
				    "    policy: prod.yaml:18\n    read:   RTM_GETLINK\n"));
	assert_non_null(strstr(t.s, "qos.trust"));	/* explained by another row */
	assert_non_null(strstr(t.s, "node "));
}

static void long_values_stand_below(void **state)
{
	struct made *m = *state;

	add(m, &node, STATUS_DRIFT, words(m, VERSION_TEXT, "28.39.1002"),
	    words(m, VERSION_TEXT, "a version that goes on and on and on and on, \033[31mred"));
	m->o.result = "drift";
	m->o.exit_code = 1;
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001: drift" HEADLINE "\n"
		     "TARGET SETTING          WANT       LIVE                                STATUS\n"
		     "node   firmware.version 28.39.1002 a version that goes on and on an... drift\n"
		     "    live:   a version that goes on and on and on and on, \\x1b[31mred\n"
		     "\n1 drift\n");
}

static void plan_shows_its_order(void **state)
{
	struct made *m = *state;

	m->o.command = "plan";
	m->o.result = "drift";
	m->o.exit_code = 1;
	fill_changes(m);
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001: drift, 2 changes planned" HEADLINE "\n"
		     "Planned, in this order:\n"
		     "# TARGET              OBJECT CHANGE                 IMPACT  EFFECTIVE\n"
		     "1 ens1f0np0 (compute) mtu    mtu: 1500 -> 9000      traffic now\n"
		     "     because: a change of app resets it\n"
		     "     not safe: DSCP 26 is on priority 3 without PFC\n"
		     "     order: no order is safe\n"
		     "2 ens1f0np0 (compute) app    qos.dscp: none -> 26:3 none    now\n"
		     "     leaves: the hidden map of 64 DSCPs\n"
		     "\n2 changes: 1 none, 1 traffic (channel rebuild of ens1f0np0); effective now\n"
		     "\nLeft alone:\n"
		     "# TARGET OBJECT      CHANGE                           IMPACT EFFECTIVE\n"
		     "- node   enable_roce pcie.relaxed_ordering: - -> true reload reload\n"
		     "     not done: its impact is reload: allow it with --allow reload\n"
		     "\n");
}

static void apply_says_what_it_wrote(void **state)
{
	struct made *m = *state;
	TEXT_CLEANUP struct text t = { 0 };

	m->o.command = "apply";
	m->o.nwrites = 0;
	assert_table(m, &(struct report_options){ 0 }, "gpu0001: in sync, nothing written" HEADLINE);
	fill_changes(m);
	m->o.changed = true;
	m->o.nwrites = 5;
	report_table(&m->o, &(struct report_options){ 0 }, &t);
	assert_non_null(strstr(t.s, "gpu0001: in sync, 5 writes;"));
	assert_non_null(strstr(t.s, "Written and read back, in this order:\n"));
	text_reset(&t);
	m->o.result = "failed-rolled-back";
	report_table(&m->o, &(struct report_options){ 0 }, &t);
	assert_non_null(strstr(t.s, "Written in this order, and undone in reverse:\n"));
	text_reset(&t);
	m->o.result = "in-between";
	report_table(&m->o, &(struct report_options){ 0 }, &t);
	assert_non_null(strstr(t.s, "gpu0001: in between: run `rdmactl recover`, 5 writes;"));
}

static void rollback_names_its_runs(void **state)
{
	struct made *m = *state;

	m->o.command = "rollback";
	m->o.desired = NULL;
	m->o.returns = true;
	m->o.result = "rolled-back";
	m->o.undoes = (const int64_t[]){ 3, 2, 0 };
	m->o.back_to = 1;
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001.example: rolled back runs 3, 2: as run 1 left it, nothing written; kernel 6.12.9\n");
	m->o.back_to = 0;
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001.example: rolled back runs 3, 2: as before them, nothing written; kernel 6.12.9\n");
	m->o.result = "partly-rolled-back";
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001.example: rolled back, but not all of it: runs 3, 2, nothing written; kernel 6.12.9\n");
	m->o.result = "in-between";
	assert_table(m, &(struct report_options){ 0 },
		     "gpu0001.example: in between: run `rdmactl recover`, nothing written; kernel 6.12.9\n");
}

static void show_needs_no_policy(void **state)
{
	struct made *m = *state;
	struct row *r;

	m->o.command = "show";
	m->o.desired = NULL;
	add(m, &port, STATUS_UNMANAGED, NULL, map(m, ETS, 8, "0:40 3:60 6:101"));
	r = add(m, &port, STATUS_UNKNOWN, NULL, lacking(m, PFC, REASON_NOT_PERMITTED));
	r->reason = "not-permitted";
	r->cause = "debugfs is for root";
	assert_table(m, &(struct report_options){ .quiet = true },
		     "gpu0001.example; kernel 6.12.9\n\n"
		     "TARGET              SETTING VALUE\n"
		     "ens1f0np0 (compute) qos.ets 0:40% 3:60% 6:strict\n"
		     "                    qos.pfc (not-permitted)\n"
		     "    cause:  debugfs is for root\n"
		     "\n1 unknown, 1 unmanaged\n");
}

static void colors_when_asked(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct made *m = *state;

	fill_drift(m);
	report_table(&m->o, &(struct report_options){ 0 }, &t);
	assert_null(strchr(t.s, '\033'));
	report_table(&m->o, &(struct report_options){ .color = true }, &t);
	assert_non_null(strstr(t.s, "gpu0001: \033[31mdrift\033[0m;"));
}

/* --- for programs ----------------------------------------------------------- */

static struct json_object *parse(const char *s, size_t n)
{
	const char *why = NULL;
	struct json_object *o = json_parse(s, n, &why);

	if (!o)
		fail_msg("no JSON: %s", why);
	return o;
}

static struct json_object *load_schema(struct arena *a)
{
	const struct source *s = NULL;
	struct diags d;

	diags_init(&d, a);
	assert_int_equal(file_load(a, "docs/report.schema.json", 1 << 20, &s, &d), 0);
	return parse(s->text, s->len);
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v;
}

static bool type_is(struct json_object *v, const char *type)
{
	static const struct { const char *name; enum json_type type; } types[] = {
		{ "object", json_type_object }, { "array", json_type_array }, { "string", json_type_string },
		{ "integer", json_type_int },	{ "boolean", json_type_boolean },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, type))
			return json_object_get_type(v) == types[i].type;
	fail_msg("the schema names a type that this test does not know: %s", type);
	return false;
}

static bool type_fits(struct json_object *v, struct json_object *type)
{
	if (json_object_get_type(type) == json_type_string)
		return type_is(v, json_object_get_string(type));
	for (size_t i = 0; i < json_object_array_length(type); i++)
		if (type_is(v, json_object_get_string(json_object_array_get_idx(type, i))))
			return true;
	return false;
}

static struct json_object *resolve(struct json_object *root, struct json_object *schema)
{
	struct json_object *ref = get(schema, "$ref"), *found;

	if (!ref)
		return schema;
	assert_memory_equal(json_object_get_string(ref), "#/$defs/", 8);
	found = get(get(root, "$defs"), json_object_get_string(ref) + 8);
	assert_non_null(found);
	return found;
}

static bool one_of(struct json_object *v, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (json_object_equal(v, json_object_array_get_idx(list, i)))
			return true;
	return false;
}

static bool has_all(struct json_object *v, struct json_object *required)
{
	for (size_t i = 0; required && i < json_object_array_length(required); i++)
		if (!get(v, json_object_get_string(json_object_array_get_idx(required, i))))
			return false;
	return true;
}

/* As much of JSON Schema as ours uses; members that were met are marked by "seen" in the schema itself. */
static void validate(struct json_object *root, struct json_object *schema, struct json_object *v, const char *where)
{
	struct json_object *s = resolve(root, schema), *properties = get(s, "properties"),
			   *alternatives = get(s, "oneOf");
	size_t good = 0;

	if (get(s, "type") && !type_fits(v, get(s, "type")))
		fail_msg("%s has another type", where);
	if (get(s, "enum") && !one_of(v, get(s, "enum")))
		fail_msg("%s is %s, which the schema does not list", where, json_object_get_string(v));
	if (get(s, "const") && !json_object_equal(v, get(s, "const")))
		fail_msg("%s is not the constant", where);
	if (get(s, "minimum") && json_object_get_int64(v) < json_object_get_int64(get(s, "minimum")))
		fail_msg("%s is too small", where);
	if (!has_all(v, get(s, "required")))
		fail_msg("%s lacks a member", where);
	for (size_t i = 0; alternatives && i < json_object_array_length(alternatives); i++)
		good += has_all(v, get(json_object_array_get_idx(alternatives, i), "required"));
	if (alternatives && good != 1)
		fail_msg("%s is none of its alternatives, or two", where);
	if (json_object_get_type(v) == json_type_array && get(s, "items"))
		for (size_t i = 0; i < json_object_array_length(v); i++)
			validate(root, get(s, "items"), json_object_array_get_idx(v, i), where);
	if (!properties)
		return;
	json_object_object_foreach(v, key, member)
	{
		struct json_object *p = get(properties, key);

		if (!p)
			fail_msg("%s has a member \"%s\" that the schema lacks", where, key);
		validate(root, p, member, key);
		json_object_object_add(p, "seen", json_object_new_boolean(1));
	}
}

static void assert_seen(struct json_object *properties, const char *where, const char *const *but)
{
	json_object_object_foreach(properties, key, p)
	{
		bool excused = false;

		for (const char *const *b = but; b && *b && !excused; b++)
			excused = !strcmp(*b, key);
		if (!get(p, "seen") && !excused)
			fail_msg("no report has the member \"%s\" of %s", key, where);
	}
}

static const struct port ports[] = {
	{ .name = "ens1f0np0",
	  .ifname = "ens1f0np0",
	  .ibdev = "mlx5_0",
	  .ibport = 1,
	  .bdf = "0000:27:00.0",
	  .driver = "mlx5_core",
	  .function = FUNCTION_PF,
	  .numa_node = 0,
	  .link_layer = LINK_LAYER_ETHERNET,
	  .link_known = true,
	  .up = true,
	  .mtu = 9000,
	  .master = "bond0",
	  .protocol = "roce",
	  .board = "MT_0000000838",
	  .fw_version = "28.39.1002" },
	{ .name = "rxe0/1",
	  .ifname = "",
	  .ibdev = "rxe0",
	  .ibport = 1,
	  .bdf = "",
	  .driver = "rdma_rxe",
	  .numa_node = -1,
	  .master = "",
	  .protocol = "roce",
	  .board = "",
	  .fw_version = "" },
};
static const struct facts with_ports = { .hostname = "gpu0001",
					 .kernel = "6.12.9",
					 .observed_at = "2026-11-29T13:00:00Z",
					 .rdma = true,
					 .port = ports,
					 .nports = 2 };

static const struct use busy = { USE_BUSY, "2 queue pairs of python3 (4711)" }, idle = { USE_IDLE, NULL };
static const struct use *const uses[] = { &busy, &idle };

static void add_messages(struct made *m)
{
	struct diag *d = diag_error(&m->diags, &(struct pos){ .source = &m->policy, .line = 18, .col = 10, .len = 4 }, "cannot set mtu");

	d->err = EINVAL;
	d->rule = "some-rule";
	d->other = (struct pos){ .source = &m->policy, .line = 3, .col = 1, .len = 1 };
	diag_object(&m->diags, "ens1f0np0");
	diag_kernel(&m->diags, "mtu greater than device maximum");
	diag_hint(&m->diags, "68 to 9216");
}

static const struct run_line runs[] = {
	{ .run = 1, .command = "apply", .at = "2026-11-29T14:00:00Z", .ended_at = "2026-11-29T14:00:09Z", .user = "root (sudo by alice)",
	  .policy = "prod.yaml", .revision = "r1", .policy_digest = "sha256:0123456789abcdef", .digest = "sha256:1", .changes = 5,
	  .result = "done" },
	{ .run = 2, .command = "rollback", .at = "2026-11-29T15:00:00Z", .user = "root", .policy = "", .revision = "",
	  .policy_digest = "", .digest = "", .undoes = (const int64_t[]){ 1, 0 }, .result = "unfinished" },
};

static void lists_runs(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct arena *a = arena_new();

	(void)state;
	report_runs(&with_ports, runs, 2, false, false, a, &t);
	assert_string_equal(text_str(&t),
			    "RUN STARTED              COMMAND  BY                   POLICY    REVISION DIGEST       CHANGES RESULT\n"
			    "  1 2026-11-29T14:00:00Z apply    root (sudo by alice) prod.yaml r1       0123456789ab       5 done\n"
			    "  2 2026-11-29T15:00:00Z rollback root                 -         -        -                  0 unfinished, undid 1\n");
	text_reset(&t);
	report_runs(&with_ports, NULL, 0, false, false, a, &t);
	assert_string_equal(text_str(&t), "no run is known on this node\n");
	arena_free(a);
}

static void json_is_what_the_schema_says(void **state)
{
	struct made *m = *state;
	struct json_object *schema = load_schema(m->a), *defs = get(schema, "$defs"), *o;
	TEXT_CLEANUP struct text t = { 0 };

	fill_drift(m);
	fill_changes(m);
	add_messages(m);
	m->o.undoes = (const int64_t[]){ 3, 2, 0 };
	m->o.back_to = 1;
	m->o.limits = (struct limits){ (const char *const[]){ "mtu", "qos", NULL }, "nic0", true, false };
	report_json(&m->o, true, &t);
	o = parse(t.s, t.n);
	validate(schema, schema, o, "the report");
	json_object_put(o);
	text_reset(&t);
	report_ports(&with_ports, uses, true, false, &t);
	o = parse(t.s, t.n);
	validate(schema, schema, o, "the ports");
	json_object_put(o);
	text_reset(&t);
	report_runs(&with_ports, runs, 2, true, false, m->a, &t);
	o = parse(t.s, t.n);
	validate(schema, schema, o, "the runs");
	json_object_put(o);
	/* `show neighbor` writes those: tests/cli/neighbor.sh */
	assert_seen(get(schema, "properties"), "the report", (const char *const[]){ "neighbors", NULL });
	for (const char *const *d =
		     (const char *const[]){ "limits", "policy", "counts", "item", "change", "message", "port", "place", "run", NULL };
	     *d; d++)
		assert_seen(get(get(defs, *d), "properties"), *d, NULL);
	json_object_put(schema);
}

static const char *string_at(struct json_object *o, const char *key)
{
	return json_object_to_json_string_ext(get(o, key), JSON_C_TO_STRING_PLAIN);
}

static void json_holds_the_values(void **state)
{
	struct made *m = *state;
	TEXT_CLEANUP struct text t = { 0 };
	struct json_object *o, *items, *row, *changes;

	fill_drift(m);
	fill_changes(m);
	report_json(&m->o, false, &t);
	o = parse(t.s, t.n);
	assert_string_equal(string_at(o, "result"), "\"drift\"");
	assert_string_equal(string_at(o, "exit_code"), "1");
	assert_string_equal(string_at(get(o, "counts"), "drift"), "3");
	assert_string_equal(string_at(get(o, "counts"), "in-sync"), "1");
	items = get(o, "items");
	assert_int_equal(json_object_array_length(items), 6);	/* not the one in sync, not the one that follows */
	row = json_object_array_get_idx(items, 0);
	assert_string_equal(string_at(row, "setting"), "\"mtu\"");
	assert_string_equal(string_at(row, "want"), "9000");
	assert_string_equal(string_at(row, "live"), "1500");
	assert_string_equal(string_at(row, "origin"), "{\"file\":\"prod.yaml\",\"line\":18,\"column\":10}");
	assert_string_equal(string_at(row, "boot_origin"),
			    "{\"file\":\"\\/etc\\/sysctl.d\\/99-x.conf\",\"line\":3,\"column\":1}");
	assert_string_equal(string_at(row, "boot_wrong"), "true");
	assert_string_equal(string_at(row, "losers"),
			    "[{\"file\":\"prod.yaml\",\"line\":9,\"column\":2,\"value\":\"9000\",\"why\":\"a later file sets it\"}]");
	row = json_object_array_get_idx(items, 1);
	assert_string_equal(string_at(row, "want"), "[3]");
	assert_null(get(row, "boot_wrong"));
	assert_string_equal(string_at(row, "live"), "[]");	/* none is a value */
	assert_null(get(row, "impact"));			/* nothing would put it right */
	row = json_object_array_get_idx(items, 2);
	assert_string_equal(string_at(row, "want"), "{\"10\":0,\"26\":3,\"48\":6}");	/* whole, unlike the table */
	assert_string_equal(string_at(json_object_array_get_idx(items, 5), "event"), "\"reload\"");
	row = json_object_array_get_idx(items, 3);
	assert_string_equal(string_at(row, "want"), "\"400Gb\\/s\"");
	assert_null(get(row, "live"));
	assert_string_equal(string_at(row, "reason"), "\"not-permitted\"");
	changes = get(o, "changes");
	assert_int_equal(json_object_array_length(changes), 3);
	assert_string_equal(string_at(json_object_array_get_idx(changes, 0), "cells"),
			    "[{\"setting\":\"mtu\",\"from\":1500,\"to\":9000}]");
	assert_string_equal(string_at(json_object_array_get_idx(changes, 2), "refused"), "\"above-allow\"");
	json_object_put(o);
}

static void json_has_a_line_for_each_row(void **state)
{
	struct made *m = *state;
	TEXT_CLEANUP struct text t = { 0 };

	fill_drift(m);
	report_json(&m->o, true, &t);
	assert_non_null(strstr(
		t.s, "\n    "
		     "{\"target\":\"ens1f0np0\",\"group\":\"compute\",\"setting\":\"qos.pfc\",\"want\":[3],\"live\":[],"
		     "\"status\":\"drift\",\"live_wrong\":true,\"cause\":\"somebody set it\",\"scope\":\"ens1f0np0\","
		     "\"remedy\":\"`rdmactl apply`\"},\n"));
}

static void lists_ports(void **state)
{
	static const struct facts none = { .rdma = true }, no_rdma = { .rdma_why = "ib_core is not loaded" };
	TEXT_CLEANUP struct text t = { 0 };

	(void)state;
	report_ports(&with_ports, NULL, false, false, &t);
	assert_string_equal(text_str(&t), "PORT      RDMA     PCI          DRIVER    FUNCTION NUMA LAYER    LINK       "
					  "MTU  MASTER BOARD         FIRMWARE\n"
					  "ens1f0np0 mlx5_0/1 0000:27:00.0 mlx5_core pf       0    ethernet no carrier "
					  "9000 bond0  MT_0000000838 28.39.1002\n"
					  "rxe0/1    rxe0/1                rdma_rxe\n");
	text_reset(&t);
	report_ports(&with_ports, uses, false, false, &t);
	assert_string_equal(text_str(&t), "PORT      RDMA     PCI          DRIVER    FUNCTION NUMA LAYER    LINK       "
					  "MTU  MASTER BOARD         FIRMWARE   USE\n"
					  "ens1f0np0 mlx5_0/1 0000:27:00.0 mlx5_core pf       0    ethernet no carrier "
					  "9000 bond0  MT_0000000838 28.39.1002 busy\n"
					  "rxe0/1    rxe0/1                rdma_rxe                                     "
					  "                                    idle\n"
					  "\nens1f0np0: 2 queue pairs of python3 (4711)\n");
	text_reset(&t);
	report_ports(&none, NULL, false, false, &t);
	assert_string_equal(text_str(&t), "no RDMA port\n");
	text_reset(&t);
	report_ports(&no_rdma, NULL, false, false, &t);
	assert_string_equal(text_str(&t), "no RDMA subsystem: ib_core is not loaded\n");
}

#define WITH_OUTCOME(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_OUTCOME(in_sync_is_short),		WITH_OUTCOME(drift_names_each_row),
		WITH_OUTCOME(verbose_tells_where_from), WITH_OUTCOME(long_values_stand_below),
		WITH_OUTCOME(plan_shows_its_order),	WITH_OUTCOME(apply_says_what_it_wrote),
		WITH_OUTCOME(rollback_names_its_runs),
		WITH_OUTCOME(show_needs_no_policy),	WITH_OUTCOME(colors_when_asked),
		WITH_OUTCOME(json_is_what_the_schema_says), WITH_OUTCOME(json_holds_the_values),
		WITH_OUTCOME(json_has_a_line_for_each_row), WITH_OUTCOME(errors_without_words), cmocka_unit_test(lists_ports),
		WITH_OUTCOME(the_result_of_a_part_says_so),
		WITH_OUTCOME(ports_that_are_alike_are_told_once),
		WITH_OUTCOME(a_map_that_is_to_be_empty),
		cmocka_unit_test(lists_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
