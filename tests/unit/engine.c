/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine over two settings and a machine of this file: what is compared, grouped, written, read back, undone.
 * The engine knows no setting, so neither policy nor kernel is needed here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/engine.h"
#include "kernel/kernel.h"
#include "model/targets.h"

/* --- a machine of four registers ---------------------------------------------- */

enum { SIZE, DEPTH, MODE, NREGS };

struct machine {
	int reg[NREGS];
	enum reason unreadable[NREGS];
	bool ignores[NREGS];		/* accepts a write and keeps the old value */
	int most[NREGS];		/* clamps to this; 0: no limit */
	int late;			/* a read gives the old value this many times after a write */
	int old[NREGS];
	int fail_at, err, nwrites;	/* the nth write fails */
	int signal_at;			/* SIGTERM comes during the nth write */
	bool loses_mode;		/* a write of queue resets mode */
	bool gone;
	int reads;
};

static struct machine *machine_of(struct kernel *k)
{
	return k->self;
}

static int reg_read(struct kernel *k, struct part *p, const int *regs, size_t n)
{
	struct machine *m = machine_of(k);

	m->reads++;
	if (m->gone)
		return -ENODEV;
	for (unsigned i = 0; i < n; i++) {
		int r = regs[i];

		if (m->unreadable[r])
			part_reason(p, i, m->unreadable[r], "reg", "register %d", r);
		else
			part_num(p, i, m->late > 0 ? m->old[r] : m->reg[r], "reg");
	}
	if (m->late > 0)
		m->late--;
	return 0;
}

static int reg_write(struct kernel *k, const struct record *want, const int *regs, size_t n, struct diags *d)
{
	struct machine *m = machine_of(k);

	m->nwrites++;
	kernel_changed(k);
	if (m->signal_at == m->nwrites)
		raise(SIGTERM);
	if (m->fail_at == m->nwrites) {
		diag_error(d, NULL, "write %d", m->nwrites)->err = m->err;
		return -m->err;
	}
	for (unsigned i = 0; i < n; i++) {
		int r = regs[i], v = (int)record_num(want, i, m->reg[r]);

		m->old[r] = m->reg[r];
		if (!m->ignores[r])
			m->reg[r] = m->most[r] && v > m->most[r] ? m->most[r] : v;
	}
	return 0;
}

static const int queue_regs[] = { SIZE, DEPTH }, mode_regs[] = { MODE };
extern const struct setting setting_queue, setting_mode;

static int queue_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)d;
	return reg_read(k, p, queue_regs, 2);
}

static int queue_write(struct kernel *k, const struct change *c, struct diags *d)
{
	int r = reg_write(k, change_want(c, &setting_queue), queue_regs, 2, d);

	if (r == 0 && machine_of(k)->loses_mode)
		machine_of(k)->reg[MODE] = 0;
	return r;
}

static int mode_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)d;
	return reg_read(k, p, mode_regs, 1);
}

static int mode_write(struct kernel *k, const struct change *c, struct diags *d)
{
	return reg_write(k, change_want(c, &setting_mode), mode_regs, 1, d);
}

static int mode_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	(void)k;
	(void)d;
	if (record_num(change_want(c, &setting_mode), 0, 0) == 13)
		change_refuse(c, REFUSED_OTHER_OWNER, "thirteen belongs to somebody else");
	return 0;
}

static const struct setting *const disturbs_mode[] = { &setting_mode, NULL };
static const struct field queue_fields[] = { { .name = "queue.size", .kind = KIND_UINT, .max = 1000 },
					     { .name = "queue.depth", .kind = KIND_UINT, .max = 1000 }, { 0 } };
static const struct field mode_fields[] = { { .name = "mode", .kind = KIND_UINT, .max = 1000 }, { 0 } };
const struct setting setting_queue = {
	.name = "queue", .scope = SCOPE_NODE, .fields = queue_fields,
	.live = { .object = "queue", .read = queue_read, .write = queue_write, .impact = IMPACT_TRAFFIC, .disturbs = disturbs_mode },
};
const struct setting setting_mode = {
	.name = "mode", .scope = SCOPE_NODE, .fields = mode_fields,
	.live = { .read = mode_read, .write = mode_write, .weigh = mode_weigh },
};

/* --- a run -------------------------------------------------------------------- */

struct bench {
	struct arena *arena;
	struct machine m;
	struct kernel kernel;
	struct facts facts;
	struct port port;
	struct use use;
	int asked;			/* whether the port is in use */
	struct desired desired;
	struct wish wish[2];
	const struct target *target[1];
	struct catalog catalog;
	struct run run;
	struct diags d;
	struct outcome out;
};

static const struct setting *const settings[] = { &setting_queue, &setting_mode };
static const struct kernel_ops no_ops;

static void wish_num(struct bench *b, int which, unsigned field, int64_t v)
{
	struct record *want = (struct record *)(uintptr_t)b->wish[which].want;

	cell_set_num(&want->at[field], v);
}

static int setup(void **state)
{
	struct arena *a = arena_new();
	struct bench *b = arena_new_of(a, struct bench);

	b->arena = a;
	b->m = (struct machine){ .reg = { 10, 20, 5 } };
	b->kernel = (struct kernel){ .ops = &no_ops, .self = &b->m, .arena = a };
	b->target[0] = target_of_node(a);
	for (int i = 0; i < 2; i++)
		b->wish[i] = (struct wish){ .target = b->target[0], .setting = settings[i], .want = record_new(a, settings[i]) };
	b->desired = (struct desired){ .wish = b->wish, .n = 2, .target = b->target, .ntargets = 1 };
	b->catalog = (struct catalog){ .setting = settings, .nsettings = 2 };
	diags_init(&b->d, a);
	b->run = (struct run){ .kernel = &b->kernel, .arena = a, .catalog = &b->catalog, .facts = &b->facts,
			       .desired = &b->desired, .consent = { IMPACT_RELOAD, IMPACT_RELOAD, false }, .want_rows = true };
	b->port = (struct port){ .name = "nic0", .bdf = "0000:03:00.0" };
	b->facts = (struct facts){ .port = &b->port, .nports = 1 };
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	arena_free(b->arena);
	return 0;
}

static const struct row *row_named(const struct outcome *o, const char *name)
{
	for (size_t i = 0; i < o->nrows; i++)
		if (!strcmp(o->row[i].name, name))
			return &o->row[i];
	return NULL;
}

static struct plan *planned(struct bench *b)
{
	struct plan *p;

	assert_int_equal(plan_build(&b->run, &p, &b->d), 0);
	plan_outcome(&b->run, p, false, &b->out);
	return p;
}

static void in_sync_plans_nothing(void **state)
{
	struct bench *b = *state;
	struct plan *p;

	wish_num(b, 0, 0, 10);
	wish_num(b, 1, 0, 5);
	p = planned(b);
	assert_int_equal(p->n, 0);
	assert_int_equal(b->out.exit_code, 0);
	assert_int_equal(b->out.count[STATUS_IN_SYNC], 2);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.nwrites, 0);
	assert_false(b->out.changed);
}

static void one_object_is_one_write_and_keeps_the_rest(void **state)
{
	struct bench *b = *state;
	struct plan *p;

	wish_num(b, 0, 0, 11);		/* depth stays silent: 20 must survive */
	p = planned(b);
	assert_int_equal(p->n, 1);
	assert_string_equal(p->change[0]->object, "queue");
	assert_int_equal(p->change[0]->impact, IMPACT_TRAFFIC);
	assert_int_equal(b->out.exit_code, 1);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.nwrites, 1);
	assert_int_equal(b->m.reg[SIZE], 11);
	assert_int_equal(b->m.reg[DEPTH], 20);
	assert_true(b->out.changed);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.nwrites, 1);
}

static void unknown_is_not_ok_and_its_object_is_not_written(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 0, 1, 20);
	b->m.unreadable[DEPTH] = REASON_NOT_PERMITTED;
	planned(b);
	assert_int_equal(row_named(&b->out, "queue.depth")->status, STATUS_UNKNOWN);
	assert_int_equal(row_named(&b->out, "queue.size")->status, STATUS_DRIFT);
	assert_int_equal(b->out.nchanges, 0);
	assert_int_equal(b->out.nrefused, 1);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 1);
	assert_int_equal(b->m.nwrites, 0);
}

static void only_unknown_is_two(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 10);
	b->m.unreadable[SIZE] = REASON_NOT_MOUNTED;
	planned(b);
	assert_int_equal(b->out.exit_code, 2);
	assert_string_equal(row_named(&b->out, "queue.size")->reason, "not-mounted");
}

static void lack_is_drift_unless_optional(void **state)
{
	struct bench *b = *state;
	static const char *const optional[] = { "queue", NULL };

	wish_num(b, 0, 0, 10);
	b->m.unreadable[SIZE] = REASON_DRIVER_LACKS;
	planned(b);
	assert_int_equal(b->out.exit_code, 1);
	assert_string_equal(row_named(&b->out, "queue.size")->reason, "driver-lacks");
	b->wish[0].optional = optional;
	planned(b);
	assert_int_equal(b->out.exit_code, 0);
	assert_int_equal(row_named(&b->out, "queue.size")->status, STATUS_UNSUPPORTED);
}

static void another_owner_is_named_and_left_alone(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 13);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 1);
	assert_int_equal(b->m.reg[SIZE], 11);
	assert_int_equal(b->m.reg[MODE], 5);
	assert_string_equal(row_named(&b->out, "mode")->reason, "other-owner");
	assert_string_equal(row_named(&b->out, "mode")->remedy, "thirteen belongs to somebody else");
}

static void above_allow_is_left_alone_and_the_rest_is_done(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
	b->run.consent.idle = IMPACT_NONE;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 1);
	assert_int_equal(b->m.reg[SIZE], 10);
	assert_int_equal(b->m.reg[MODE], 6);
	assert_string_equal(row_named(&b->out, "queue.size")->reason, "above-allow");
}

static bool told(const struct diags *d, const char *word)
{
	for (size_t i = 0; i < d->n; i++)
		if (strstr(d->at[i].what, word))
			return true;
	return false;
}

/* --- consent ------------------------------------------------------------------ */

static const struct use *in_use(struct run *run, const struct port *p, struct diags *d)
{
	struct bench *b = run->in_use_arg;

	(void)p;
	(void)d;
	b->asked++;
	return &b->use;
}

/* Both settings differ: the queue has impact traffic, mode has none. */
static void ask_of_port(struct bench *b, enum use_state state, enum impact idle, enum impact busy, bool if_idle)
{
	b->use = (struct use){ state, state == USE_IDLE ? NULL : "2 queue pairs of job (7)" };
	b->run.in_use = in_use;
	b->run.in_use_arg = b;
	b->run.consent = (struct consent){ idle, busy, if_idle };
	b->asked = 0;
	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
}

static void a_port_in_use_has_a_limit_of_its_own(void **state)
{
	struct bench *b = *state;
	struct plan *p;

	ask_of_port(b, USE_BUSY, IMPACT_TRAFFIC, IMPACT_NONE, false);
	p = planned(b);
	assert_int_equal(p->n, 1);
	assert_string_equal(p->change[0]->object, "mode");
	assert_int_equal(p->nrefused, 1);
	assert_int_equal(p->change[1]->refused, REFUSED_ALLOW);
	assert_string_equal(p->change[1]->refused_why, "its impact is traffic, and nic0 is in use (2 queue pairs of job (7)): allow it "
						       "with --allow traffic");
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 1);
	assert_int_equal(b->m.reg[MODE], 6);
	assert_int_equal(b->m.reg[SIZE], 10);
	ask_of_port(b, USE_UNKNOWN, IMPACT_RELOAD, IMPACT_NONE, false);
	assert_string_equal(planned(b)->change[0]->refused_why,
			    "its impact is traffic, and nic0 may be in use (2 queue pairs of job (7)): allow it with "
			    "--allow reload/traffic");
	ask_of_port(b, USE_IDLE, IMPACT_TRAFFIC, IMPACT_NONE, false);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.reg[SIZE], 11);
}

/* It costs a second, so it is asked only where the answer decides. */
static void use_is_asked_only_where_it_decides(void **state)
{
	struct bench *b = *state;

	ask_of_port(b, USE_BUSY, IMPACT_RELOAD, IMPACT_TRAFFIC, false);	/* allowed in any case */
	assert_int_equal(planned(b)->n, 2);
	assert_int_equal(b->asked, 0);
	ask_of_port(b, USE_BUSY, IMPACT_NONE, IMPACT_NONE, false);	/* refused in any case */
	assert_int_equal(planned(b)->nrefused, 1);
	assert_int_equal(b->asked, 0);
	ask_of_port(b, USE_BUSY, IMPACT_TRAFFIC, IMPACT_NONE, true);
	wish_num(b, 0, 0, 10);			/* in sync: what is left has impact none */
	assert_int_equal(planned(b)->n, 1);
	assert_int_equal(b->asked, 0);
}

static void if_idle_refuses_all_of_it(void **state)
{
	struct bench *b = *state;

	ask_of_port(b, USE_BUSY, IMPACT_TRAFFIC, IMPACT_TRAFFIC, true);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 1);
	assert_int_equal(b->m.nwrites, 0);
	assert_int_equal(b->out.nrefused, 2);
	assert_int_equal(b->d.errors, 1);
	assert_true(told(&b->d, "nic0 is in use (2 queue pairs of job (7)): nothing is done (--if-idle)"));
	assert_string_equal(row_named(&b->out, "mode")->reason, "above-allow");
	ask_of_port(b, USE_IDLE, IMPACT_TRAFFIC, IMPACT_NONE, true);
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
}

static void an_ignored_write_is_undone_and_told(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
	b->m.ignores[MODE] = true;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 3);
	assert_int_equal(b->m.reg[SIZE], 10);
	assert_int_equal(b->m.reg[MODE], 5);
	assert_false(b->out.changed);
	assert_true(told(&b->d, "wanted 6, wrote 6, got 5"));
	assert_true(told(&b->d, "ignored"));
}

static void a_clamped_write_names_what_it_got(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 500);
	b->m.most[SIZE] = 100;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 3);
	assert_true(told(&b->d, "wanted 500, wrote 500, got 100"));
	assert_int_equal(b->m.reg[SIZE], 10);
}

static void every_failing_write_leaves_the_machine_as_before(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 0, 1, 21);
	wish_num(b, 1, 0, 6);
	for (int n = 1; n <= 2; n++) {
		b->m.fail_at = n;
		b->m.err = EIO;
		b->m.nwrites = 0;
		assert_int_equal(apply_run(&b->run, &b->out, &b->d), 3);
		assert_int_equal(b->m.reg[SIZE], 10);
		assert_int_equal(b->m.reg[DEPTH], 20);
		assert_int_equal(b->m.reg[MODE], 5);
	}
	b->m.fail_at = 0;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
}

/* Held back, as by who holds the lock: seen before the next change. */
static void a_run_that_is_to_stop_is_undone(void **state)
{
	struct bench *b = *state;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
	b->m.signal_at = 1;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 3);
	assert_int_equal(b->m.nwrites, 2);
	assert_int_equal(b->m.reg[SIZE], 10);
	assert_int_equal(b->m.reg[MODE], 5);
	assert_string_equal(b->d.at[0].what, "stopped by SIGTERM: what was done is undone");
	assert_int_equal(sigpending(&set), 0);
	assert_false(sigismember(&set, SIGTERM));
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void a_late_answer_is_waited_for(void **state)
{
	struct bench *b = *state;

	wish_num(b, 1, 0, 6);
	b->m.late = 0;
	planned(b);
	b->m.late = 3;
	b->m.old[MODE] = 5;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.reg[MODE], 6);
}

static void what_a_write_disturbs_is_put_back(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);		/* mode is unmanaged, and the write of the queue resets it */
	b->m.loses_mode = true;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.reg[MODE], 5);
	wish_num(b, 0, 0, 12);
	wish_num(b, 1, 0, 7);		/* managed: the next round puts it right */
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.reg[MODE], 7);
}

static void only_leaves_the_rest_out(void **state)
{
	struct bench *b = *state;
	static const char *const only[] = { "mode", NULL };

	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
	b->run.only = only;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);
	assert_int_equal(b->m.reg[SIZE], 10);
	assert_int_equal(b->m.reg[MODE], 6);
	assert_null(row_named(&b->out, "queue.size"));
}

static void a_fight_ends(void **state)
{
	struct bench *b = *state;

	wish_num(b, 0, 0, 11);
	wish_num(b, 1, 0, 6);
	b->m.loses_mode = true;
	b->m.most[MODE] = 0;
	assert_int_equal(apply_run(&b->run, &b->out, &b->d), 0);	/* queue first, then mode: no fight */
	assert_int_equal(b->m.reg[MODE], 6);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(in_sync_plans_nothing), T(one_object_is_one_write_and_keeps_the_rest),
		T(unknown_is_not_ok_and_its_object_is_not_written), T(only_unknown_is_two), T(lack_is_drift_unless_optional),
		T(another_owner_is_named_and_left_alone), T(above_allow_is_left_alone_and_the_rest_is_done),
		T(an_ignored_write_is_undone_and_told), T(a_clamped_write_names_what_it_got),
		T(every_failing_write_leaves_the_machine_as_before), T(a_late_answer_is_waited_for),
		T(a_run_that_is_to_stop_is_undone),
		T(a_port_in_use_has_a_limit_of_its_own), T(use_is_asked_only_where_it_decides), T(if_idle_refuses_all_of_it),
		T(what_a_write_disturbs_is_put_back), T(only_leaves_the_rest_out), T(a_fight_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
