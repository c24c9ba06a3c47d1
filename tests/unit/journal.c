/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a run: what is written is read back, exactly; what was torn, changed, lost or moved is seen. The machine
 * is the simulator, the changes are those of a real plan.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "engine/applied.h"
#include "engine/cells.h"
#include "engine/journal.h"
#include "inventory/inventory.h"
#include "policy/policy.h"
#include "sim_test.h"

extern const struct catalog *catalog_default(void);

static const char text[] = "version: 1\n"
			   "profiles:\n"
			   "  all:\n"
			   "    node: {max_backlog: 8192, sysctl: {net.core.rmem_max: 2147483647}, modules: {ib_core: {options: {netns_mode: 0}}}}\n"
			   "    ports:\n"
			   "      p: {match: {driver: mlx5_core}, count: 2, mtu: 9000, qos: {pfc: [3], dscp: {0-63: 0, 26: 3}, ets: {0: 50%, 3: 50%}, tc: {0: 0, 3: 3}}}\n"
			   "nodes: {\"*\": {profiles: [all]}}\n";

struct node {
	struct arena *a;
	struct sim *sim;
	struct diags d;
	struct run run;
	struct plan *plan;
	struct journal j;
};

static void node_open(struct node *n)
{
	FILE *f;
	char path[] = "/tmp/journal.XXXXXX";
	int fd = mkstemp(path);
	struct policy *p;
	struct facts *facts;
	struct desired *desired;

	*n = (struct node){ .a = arena_new() };
	n->sim = sim_new(n->a, "");
	diags_init(&n->d, n->a);
	n->run = (struct run){ .kernel = sim_kernel(n->sim), .arena = n->a, .catalog = catalog_default(), .want_rows = true,
			       .consent = { IMPACT_RELOAD, IMPACT_RELOAD, false } };
	f = fdopen(fd, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(policy_load(n->a, path, n->run.catalog, &p, &n->d), 0);
	unlink(path);
	assert_int_equal(inventory_take(n->run.kernel, n->a, n->run.catalog, NULL, &facts, &n->d), 0);
	assert_int_equal(policy_compile(p, "n", facts, n->run.catalog, &desired, &n->d), 0);
	n->run.facts = facts;
	n->run.desired = desired;
	assert_int_equal(plan_build(&n->run, &n->plan, &n->d), 0);
	assert_true(n->plan->n > 8);
	n->j = (struct journal){ .kernel = n->run.kernel, .arena = n->a,
				 .head = { .run = 7, .command = "apply", .at = "2026-11-29T00:00:00Z", .boot_id = facts->boot_id,
					   .node = "n\"\x1b[31m", .kernel = "k", .version = "v", .policy = "/p", .revision = "r",
					   .policy_digest = "sha256:0", .digest = "sha256:1", .user = "root", .pid = 1 } };
}

static void node_close(struct node *n)
{
	sim_close(n->sim);
	arena_free(n->a);
}

static void same_value(const struct cell *a, const struct cell *b)
{
	TEXT_CLEANUP struct text x = { 0 }, y = { 0 };

	assert_int_equal(a->state == CELL_VALUE, b->state == CELL_VALUE);
	if (a->state != CELL_VALUE)
		return;
	assert_int_equal(a->value.num, b->value.num);
	value_print(a->field, &a->value, &x);
	value_print(b->field, &b->value, &y);
	assert_string_equal(text_str(&x), text_str(&y));
}

static void same_part(const struct change_part *a, const struct change_part *b)
{
	assert_ptr_equal(a->setting, b->setting);
	assert_ptr_equal(a->home, b->home);
	for (size_t i = 0; i < a->want->n; i++) {
		const struct cell *w = &a->want->at[i];
		struct cell *x;

		if (w->state != CELL_VALUE)
			continue;
		x = record_find(b->want, w->name);
		assert_non_null(x);
		same_value(w, x);
		same_value(&a->have->at[i], record_find(b->have, w->name));
		assert_int_equal(a->differs[i], b->differs[x - b->want->at]);
	}
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_string_equal(a, b);
}

static void same_change(const struct change *a, const struct change *b)
{
	assert_string_equal(a->object, b->object);
	assert_string_equal(a->target->name, b->target->name);
	assert_int_equal(a->target->scope, b->target->scope);
	assert_int_equal(a->phase, b->phase);
	assert_int_equal(a->impact, b->impact);
	assert_int_equal(a->effective, b->effective);
	assert_int_equal(a->number, b->number);
	same_text(a->leaves, b->leaves);
	same_text(a->before, b->before);
	assert_int_equal(a->nparts, b->nparts);
	for (size_t i = 0; i < a->nparts; i++)
		same_part(&a->part[i], &b->part[i]);
	assert_int_equal(a->nfiles, b->nfiles);
	for (size_t i = 0; i < a->nfiles; i++) {
		assert_string_equal(a->file[i].path, b->file[i].path);
		same_text(a->file[i].before, b->file[i].before);
		same_text(a->file[i].after, b->file[i].after);
	}
}

static void what_is_written_is_read(void **state)
{
	struct node n;
	struct past *p;
	struct change **change;
	size_t m;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, n.plan->n, &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), 0);
	assert_int_equal(past_load(n.run.kernel, n.a, JOURNAL_RUN, &p, &n.d), 0);
	assert_int_equal(p->state, PAST_UNFINISHED);
	assert_int_equal(p->head.run, 7);
	assert_string_equal(p->head.node, n.j.head.node);
	assert_int_equal(p->changes, n.plan->n);
	assert_true(past_started(p, 1));
	assert_false(past_started(p, 2));
	assert_int_equal(past_changes(&n.run, p, PAST_ALL, &change, &m, &n.d), 0);
	assert_int_equal(m, n.plan->n);
	for (size_t i = 0; i < m; i++)
		same_change(n.plan->change[i], change[i]);
	past_done(p);
	assert_int_equal(sim_writes(n.sim), 0);
	node_close(&n);
}

static void a_run_ends(void **state)
{
	struct node n;
	struct past *p;
	struct applied_list l;
	const int64_t *run;
	size_t m;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, n.plan->n, &n.d), 0);
	assert_int_equal(journal_end(&n.j, "done", 0, n.plan->change, n.plan->n, &n.d), 0);
	assert_false(n.j.begun);	/* whatever came now would be a file without a head */
	assert_int_equal(past_load(n.run.kernel, n.a, JOURNAL_RUN, &p, &n.d), -ENOENT);
	assert_int_equal(past_runs(n.run.kernel, n.a, &run, &m, &n.d), 0);
	assert_int_equal(m, 1);
	assert_int_equal(run[0], 7);
	assert_int_equal(past_load(n.run.kernel, n.a, past_path(n.a, 7), &p, &n.d), 0);
	assert_int_equal(p->state, PAST_ENDED);
	assert_string_equal(p->result, "done");
	past_done(p);
	assert_int_equal(applied_load(n.run.kernel, n.a, NULL, NULL, &l, &n.d), 0);
	assert_true(l.n >= 10);
	for (size_t i = 0; i < l.n; i++)
		assert_int_equal(l.at[i].since, 7);
	applied_done(&l);
	assert_int_equal(n.d.n, 0);
	node_close(&n);
}

/* The oldest of more than a hundred runs go; numbers go on. */
static void history_is_bounded(void **state)
{
	struct node n;
	const int64_t *run;
	size_t m;

	(void)state;
	node_open(&n);
	for (int64_t i = 1; i <= 105; i++) {
		struct journal j = { .kernel = n.run.kernel, .arena = n.a, .head = n.j.head };

		j.head.run = i;
		assert_int_equal(journal_plan(&j, n.plan->change, 1, &n.d), 0);
		assert_int_equal(journal_end(&j, "done", 0, NULL, 0, &n.d), 0);
	}
	sim_do(n.sim, "put " JOURNAL_HISTORY "/+0000007.jsonl x");	/* none of our names */
	assert_int_equal(past_runs(n.run.kernel, n.a, &run, &m, &n.d), 0);
	assert_int_equal(m, 100);
	assert_int_equal(run[0], 6);
	assert_int_equal(run[99], 105);
	node_close(&n);
}

/* --- damage --------------------------------------------------------------------- */

static char *journal_text(struct node *n)
{
	TEXT_CLEANUP struct text t = { 0 };

	assert_int_equal(kernel_read(n->run.kernel, JOURNAL_RUN, &t), 0);
	return arena_strdup(n->a, text_str(&t));
}

static int load_text(struct node *n, const char *s, size_t len, struct past **p)
{
	assert_int_equal(kernel_keep(n->run.kernel, JOURNAL_RUN, s, len), 0);
	return past_load(n->run.kernel, n->a, JOURNAL_RUN, p, &n->d);
}

/*
 * Cut off at every byte: the first line lost is an error, later on what holds is read and the rest left out; a cut
 * between two lines is a shorter journal.
 */
static void cut_anywhere(void **state)
{
	struct node n;
	const char *s, *first;
	size_t len;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, 2, &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[1], &n.d), 0);
	s = journal_text(&n);
	first = strchr(s, '\n') + 1;
	len = strlen(s);
	for (size_t cut = 0; cut <= len; cut++) {
		struct past *p = NULL;
		int r = load_text(&n, s, cut, &p);

		if (cut < (size_t)(first - s)) {
			assert_int_equal(r, -EBADMSG);
			continue;
		}
		assert_int_equal(r, 0);
		assert_int_equal(p->torn == NULL, s[cut - 1] == '\n');
		past_done(p);
	}
	node_close(&n);
}

/* Any byte but in the last line changed: refused, whatever it was. */
/* A line that could not be written leaves no gap: what is written once there is room holds. */
static void a_full_disk_leaves_no_gap(void **state)
{
	struct node n;
	struct past *p;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, n.plan->n, &n.d), 0);
	sim_do(n.sim, "memory ENOSPC");
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), -ENOSPC);
	assert_int_equal(journal_plan(&n.j, NULL, 0, &n.d), -ENOSPC);
	sim_do(n.sim, "memory ok");
	assert_int_equal(journal_note(&n.j, "undo", &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), 0);
	assert_int_equal(past_load(n.run.kernel, n.a, JOURNAL_RUN, &p, &n.d), 0);
	assert_null(p->torn);
	assert_true(p->undoing && past_started(p, 1));
	past_done(p);
	node_close(&n);
}

static void changed_anywhere(void **state)
{
	struct node n;
	char *s, *last;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, 2, &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[1], &n.d), 0);
	s = journal_text(&n);
	last = strstr(s, "{\"start\":2");
	assert_non_null(last);
	for (char *c = s; c < last - 1; c++) {
		struct past *p = NULL;
		char was = *c;
		int r;

		*c = was == 'x' ? 'y' : 'x';
		r = load_text(&n, s, strlen(s), &p);
		if (r != -EBADMSG)
			fail_msg("byte %zu: %d", (size_t)(c - s), r);
		*c = was;
	}
	node_close(&n);
}

/* A line lost or two exchanged: each holds by itself, and not where it stands. */
static void lines_lost_or_moved(void **state)
{
	struct node n;
	char *s, *two, *three, *end;
	char *t;
	struct past *p;

	(void)state;
	node_open(&n);
	assert_int_equal(journal_plan(&n.j, n.plan->change, 2, &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[0], &n.d), 0);
	assert_int_equal(journal_start(&n.j, n.plan->change[1], &n.d), 0);
	assert_int_equal(journal_note(&n.j, "verified", &n.d), 0);
	s = journal_text(&n);
	two = strstr(s, "{\"start\":1");
	three = strstr(s, "{\"start\":2");
	end = strstr(s, "{\"note\"");
	t = arena_printf(n.a, "%.*s%s", (int)(two - s), s, three);
	assert_int_equal(load_text(&n, t, strlen(t), &p), -EBADMSG);
	t = arena_printf(n.a, "%.*s%.*s%.*s%s", (int)(two - s), s, (int)(end - three), three, (int)(three - two), two, end);
	assert_int_equal(load_text(&n, t, strlen(t), &p), -EBADMSG);
	assert_int_equal(load_text(&n, s, strlen(s), &p), 0);
	past_done(p);
	node_close(&n);
}

/* --- what a journal may say ------------------------------------------------------- */

static void values_that_do_not_fit(void **state)
{
	static const struct { const char *cell, *json; int r; } rows[] = {
		{ "qos.pfc", "{\"v\":{\"is\":\"\",\"num\":8}}", 0 },
		{ "qos.pfc", "{\"v\":{\"is\":\"\",\"num\":256}}", -EBADMSG },
		{ "qos.pfc", "{\"v\":{\"is\":\"\",\"num\":-1}}", -EBADMSG },
		{ "qos.pfc", "{\"v\":{\"is\":\"\",\"num\":\"8\"}}", -EBADMSG },
		{ "qos.pfc", "{\"v\":{\"is\":\"\"}}", -EBADMSG },
		{ "qos.trust", "{\"v\":{\"is\":\"\",\"num\":1}}", 0 },
		{ "qos.trust", "{\"v\":{\"is\":\"\",\"num\":2}}", -EBADMSG },
		{ "qos.dscp", "{\"v\":{\"is\":\"\",\"num\":0}}", -EBADMSG },
		{ "qos.dscp", "{\"v\":{\"is\":\"\",\"num\":0,\"map\":[1,2,3]}}", -EBADMSG },
		{ "qos.ets", "{\"v\":{\"is\":\"\",\"num\":0,\"map\":[1,2,3,4,5,6,7,101]}}", 0 },
		{ "qos.ets", "{\"v\":{\"is\":\"\",\"num\":0,\"map\":[1,2,3,4,5,6,7,256]}}", -EBADMSG },
		{ "qos.ets", "{\"v\":{\"is\":\"\",\"num\":0,\"map\":{}}}", -EBADMSG },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct setting *s;
		const char *why;
		struct json_object *o = json_parse(rows[i].json, strlen(rows[i].json), &why);
		struct cell c = { .field = catalog_field(catalog_default(), rows[i].cell, &s), .state = CELL_SILENT };

		assert_non_null(o);
		assert_non_null(c.field);
		if (cell_get(o, "v", &c, a) != rows[i].r)
			fail_msg("%s %s", rows[i].cell, rows[i].json);
		assert_int_equal(c.state == CELL_VALUE, rows[i].r == 0);
		json_put(o);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(a_run_ends), cmocka_unit_test(history_is_bounded),
		cmocka_unit_test(cut_anywhere),		   cmocka_unit_test(a_full_disk_leaves_no_gap),
		cmocka_unit_test(changed_anywhere),
		cmocka_unit_test(lines_lost_or_moved),	   cmocka_unit_test(values_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
