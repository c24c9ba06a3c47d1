/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes it so. A change that fails, or is not found when read back, ends the run: what was done is undone, newest
 * first, each step verified as well. A device that vanishes ends only its own rows.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/doing.h"
#include "engine/journal.h"
#include "kernel/kernel.h"

#define ROUNDS 6

/* --- the loop --------------------------------------------------------------- */

/* A device went away: its rows are told as unknown, and the others go on. */
static void remember_lost(struct applying *a, const struct target *t)
{
	diag_warning(a->d, NULL, "the device vanished; the other ports are finished");
	diag_object(a->d, "%s", t->name);
	for (size_t i = 0; i < a->plan->nrows; i++) {
		struct row r = a->plan->row[i];

		if (!t->port || r.target->port != t->port)
			continue;
		r.status = STATUS_UNKNOWN;	/* whatever was read of it before */
		r.live = r.boot = NULL;
		r.live_wrong = r.boot_wrong = r.follows = false;
		r.reason = reason_name(REASON_VANISHED);
		r.cause = "the device went away during this run";
		r.remedy = NULL;
		r.change = NULL;
		list_add(&a->lost, a->run->arena) = r;
	}
}

static const struct port *port_now(const struct run *run, const struct port *p)
{
	for (size_t i = 0; i < run->facts->nports; i++)
		if (doing_same_port(&run->facts->port[i], p))
			return &run->facts->port[i];
	return NULL;
}

/* udev gives an interface its last name soon after it appears, a reload of ours included: then only the name went away. */
static void forget_renamed(struct applying *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->lost.n; i++) {
		const struct port *was = a->lost.at[i].target->port, *now = port_now(a->run, was);
		bool told = i && a->lost.at[i - 1].target->port == was;

		if (!now || !was->ifindex || now->ifindex != was->ifindex || !strcmp(now->ifname, was->ifname)) {
			a->lost.at[n++] = a->lost.at[i];
			continue;
		}
		if (!told)
			diag_note(a->d, NULL, "%s is %s now: the run goes on under this name", was->ifname, now->ifname);
	}
	a->lost.n = n;
}

/* Did this port vanish earlier in this run? It is left alone then, also if it is back, or only says that it is gone. */
static bool is_lost(const struct applying *a, const struct port *p)
{
	for (size_t i = 0; p && i < a->lost.n; i++)
		if (doing_same_port(a->lost.at[i].target->port, p))
			return true;
	return false;
}

/* Is this change made in this run? Not on what vanished; and what `rdmactl confirm` will write waits for it. */
static bool is_due(const struct applying *a, const struct change *c)
{
	return !is_lost(a, c->target->port) && !(a->run->confirm && c->phase == PHASE_BOOT);
}

static bool anything_to_do(const struct applying *a)
{
	for (size_t i = 0; i < a->plan->n; i++)
		if (is_due(a, a->plan->change[i]))
			return true;
	return false;
}

/*
 * Is this run to stop? A command that holds the lock holds these signals back (runs_lock), so that they are seen between
 * two changes, and what was done is undone.
 */
static int asked_to_stop(struct diags *d)
{
	const struct timespec at_once = { 0 };
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sig = sigtimedwait(&set, NULL, &at_once);
	if (sig < 0)
		return 0;
	diag_error(d, NULL, "stopped by %s: what was done is undone", sig == SIGINT ? "SIGINT" : "SIGTERM");
	return -EINTR;
}

/* All changes of one plan. Return: 1 if the world must be observed anew, 0, or -errno of the one that failed. */
static int do_plan(struct applying *a)
{
	bool lost = false;

	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = a->plan->change[i];
		bool reloads = c->impact == IMPACT_RELOAD;
		int r;

		if (!is_due(a, c))
			continue;
		r = asked_to_stop(a->d);
		if (r < 0) {
			a->stopped = true;
			return r;
		}
		r = doing_change(a, c);
		if (c->target->port && (r == -ENODEV || (r < 0 && doing_is_gone(a, c->target)))) {
			lost = true;
			remember_lost(a, c->target);
			continue;
		}
		list_add(&a->done, a->run->arena) = c;	/* a half done change is undone too */
		if (r < 0)
			return r;
		if (reloads)
			return 1;
	}
	return lost ? 1 : 0;
}

static bool was_done(const struct applying *a, const struct row *r)
{
	for (size_t i = 0; i < a->done.n; i++) {
		const struct change *c = a->done.at[i];

		for (size_t j = 0; j < c->nparts; j++)
			for (size_t k = 0; k < c->part[j].want->n; k++)
				if (c->part[j].differs[k] && !strcmp(c->part[j].want->at[k].name, r->name) &&
				    !strcmp(c->target->name, r->target->name))
					return true;
	}
	return false;
}

/* The rows of what vanished, beside those of the last plan; a port that is back speaks for itself. */
static void add_lost(struct applying *a, struct outcome *out)
{
	const struct plan *plan = a->plan;
	struct row *rows = arena_grow(a->run->arena, plan->row, plan->nrows, a->lost.n, sizeof(*rows));
	size_t n = plan->nrows;

	for (size_t i = 0; i < a->lost.n; i++) {
		size_t j = 0;

		while (j < plan->nrows && (!plan->row[j].target->port ||
					   !doing_same_port(plan->row[j].target->port, a->lost.at[i].target->port)))
			j++;
		if (j == plan->nrows)
			rows[n++] = a->lost.at[i];
	}
	out->row = rows;
	out->nrows = n;
	out->count[STATUS_UNKNOWN] += n - plan->nrows;
	if (n > plan->nrows && out->exit_code == 0) {
		out->exit_code = 2;
		out->result = "unknown";
	}
}

void plan_waits(struct plan *plan)
{
	for (size_t i = 0; i < plan->nrows; i++) {
		struct row *r = &plan->row[i];

		if (r->status != STATUS_DRIFT || (r->live_wrong && !plan_live_waits(r->live)) || !r->change ||
		    r->change->phase != PHASE_BOOT || r->change->refused)
			continue;
		if (!r->follows) {
			plan->count[STATUS_DRIFT]--;
			plan->count[STATUS_PENDING]++;
		}
		r->status = STATUS_PENDING;
		r->reason = "confirm";
		r->event = "confirm";
		r->remedy = "rdmactl confirm";
	}
}

static void outcome(struct applying *a, struct outcome *out, int failed)
{
	struct plan *plan = a->plan;

	if (a->run->confirm && !failed)
		plan_waits(a->plan);
	dropped_rows(a->run, a->plan, a->d);
	plan_outcome(a->run, plan, true, out);
	for (size_t i = 0; i < plan->nrows; i++)
		plan->row[i].changed = failed == 0 && was_done(a, &plan->row[i]);
	if (a->lost.n)
		add_lost(a, out);
	out->change = a->done.at;
	out->nchanges = a->done.n;
	out->nrefused = 0;
	if (plan->nrefused) {
		struct change **all = arena_grow(a->run->arena, a->done.at, a->done.n, plan->nrefused, sizeof(*all));

		memcpy(all + a->done.n, plan->change + plan->n, plan->nrefused * sizeof(*all));
		out->change = all;
		out->nrefused = plan->nrefused;
	}
	out->lost = a->lost.n > 0;
	out->stopped = a->stopped;
	out->changed = failed == 0 ? a->done.n > 0 : failed == 4;
	if (failed) {
		out->exit_code = failed;
		out->result = failed == 2 ? "not-begun" : failed == 3 ? "failed-rolled-back" : "in-between";
	}
}

/* The plan is on disk before anything is done of it; with the first one, who is to watch over the run comes to life. */
static int note_plan(struct applying *a)
{
	struct run *run = a->run;
	bool first = run->journal && !run->journal->begun;
	int r = run->journal ? journal_plan(run->journal, a->plan->change, a->plan->n, a->d) : 0;

	if (r == 0 && first && run->before_writing)
		r = run->before_writing(run, a->plan, a->d);
	a->unwritten = r < 0;
	return r;
}

/* On disk before the first write: what each change finds, and what it disturbs. */
static int remember(struct applying *a)
{
	doing_prepare(a, a->plan->change, a->plan->n);
	return note_plan(a);
}

/* Plans and writes until a plan is empty. Return: 0; -errno of what failed, told. */
static int rounds(struct applying *a)
{
	struct run *run = a->run;

	for (int round = 0;; round++) {
		int r = plan_build(run, &a->plan, a->d);

		if (r < 0 || !anything_to_do(a))
			return r;			/* planned again, empty: verified */
		if (round == ROUNDS) {
			diag_error(a->d, NULL, "the plan is not empty after %d rounds: something undoes what is written", ROUNDS);
			diag_hint(a->d, "look for another owner of these values; `rdmactl plan` shows what is left");
			return -ELOOP;
		}
		r = remember(a);
		if (r == 0)
			r = do_plan(a);
		if (r < 0)
			return r;
		kernel_renew(run->kernel);
		if (r == 1 && run->renew) {
			r = run->renew(run, a->d);
			if (r < 0)
				return r;
			forget_renamed(a);
		}
	}
}

/* Return: exit status 3, or 4 if something could not be put back. */
static int undo(struct applying *a)
{
	struct run *run = a->run;
	size_t left = 0;

	run->undoing = true;
	if (a->done.n && run->journal)
		journal_note(run->journal, "undo", NULL);
	left = undo_changes(a, a->done.at, a->done.n);
	run->undoing = false;
	kernel_renew(run->kernel);
	if (!a->plan || plan_build(run, &a->plan, a->d) < 0)
		a->plan = a->plan ? a->plan : arena_new_of(run->arena, struct plan);
	return left ? 4 : a->unwritten && !a->done.n ? 2 : 3;
}

/* What is planned still, and left for `rdmactl confirm`: it works from the journal alone. */
static int leave_for_confirm(struct applying *a)
{
	if (!a->run->confirm)
		return 0;
	return a->plan->n || a->done.n ? note_plan(a) : 0;
}

/* The journal's last line, but for a run that waits for `confirm`, and for one that is in between: recover needs it. */
static void end(struct applying *a, int failed, struct outcome *out)
{
	struct journal *j = a->run->journal;
	int r;

	if (!j || !j->begun || failed == 4 || (!failed && a->run->confirm))
		return;
	if (failed)
		r = journal_end(j, "rolled-back", failed, NULL, 0, a->d);
	else
		r = journal_end(j, "done", out->exit_code, a->done.at, a->done.n, a->d);
	if (r < 0) {
		out->exit_code = 4;
		out->result = "in-between";
	}
}

int apply_run(struct run *run, struct outcome *out, struct diags *d)
{
	struct applying a = { .run = run, .d = d };
	int failed = 0;

	if (rounds(&a) < 0 || leave_for_confirm(&a) < 0)
		failed = undo(&a);
	else if (run->journal && run->journal->begun)
		journal_note(run->journal, "verified", NULL);
	outcome(&a, out, failed);
	end(&a, failed, out);
	return out->exit_code;
}
