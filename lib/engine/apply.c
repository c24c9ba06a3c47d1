/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes it so. A change that fails, or is not found when read back, ends the run: what was done is undone, newest
 * first, each step verified as well. A device that vanishes ends only its own rows.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/doing.h"
#include "kernel/kernel.h"

#define ROUNDS 6

/* --- undo ------------------------------------------------------------------- */

/* Swaps have and want: no home knows which it does. What had no value before stays as it is. */
static struct change *reverse(struct applying *a, const struct change *c)
{
	struct change *u = arena_new_of(a->run->arena, struct change);

	*u = *c;
	u->undo = true;
	u->part = arena_array_of(a->run->arena, struct change_part, c->nparts);
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];
		struct record *want = record_copy(a->run->arena, p->have);

		for (size_t j = 0; j < want->n; j++)
			if (want->at[j].state != CELL_VALUE || p->want->at[j].state != CELL_VALUE)
				want->at[j].state = CELL_SILENT;
		u->part[i] = (struct change_part){ .setting = p->setting, .home = p->home, .have = p->want, .want = want,
						   .differs = p->differs };
		for (size_t j = 0; j < want->n; j++)	/* for read_part: who serves the cell */
			((struct record *)(uintptr_t)u->part[i].have)->at[j].home = p->have->at[j].home;
	}
	return u;
}

/* Is the port of this target there, seen afresh? */
static bool is_there(struct applying *a, const struct port *p)
{
	kernel_renew(a->run->kernel);
	if (!p || !a->run->renew || a->run->renew(a->run, a->d) < 0)
		return true;
	for (size_t i = 0; i < a->run->facts->nports; i++)
		if (doing_same_port(&a->run->facts->port[i], p))
			return true;
	return false;
}

/* Newest first, verified each. Return: exit status 3, or 4 if something could not be put back. */
static int undo_all(struct applying *a)
{
	int status = 3;

	for (size_t i = a->done.n; i-- > 0;) {
		struct change *c = a->done.at[i], *u = reverse(a, c);
		int r = doing_change(a, u);

		if (r == -ENODEV && !is_there(a, c->target->port))
			continue;			/* nothing is left to undo on it */
		if (r < 0) {
			diag_error(a->d, NULL, "cannot undo %s", c->object);
			diag_object(a->d, "%s", c->target->name);
			diag_hint(a->d, "this object is neither as before nor as wanted; `rdmactl drift` shows what is there");
			status = 4;
		}
	}
	return status;
}

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

/* Did this port vanish earlier in this run? It is left alone then, also if it is back, or only says that it is gone. */
static bool is_lost(const struct applying *a, const struct port *p)
{
	for (size_t i = 0; p && i < a->lost.n; i++)
		if (doing_same_port(a->lost.at[i].target->port, p))
			return true;
	return false;
}

static bool anything_to_do(const struct applying *a)
{
	for (size_t i = 0; i < a->plan->n; i++)
		if (!is_lost(a, a->plan->change[i]->target->port))
			return true;
	return false;
}

/* All changes of one plan. Return: 1 if the world must be observed anew, 0, or -errno of the one that failed. */
static int do_plan(struct applying *a)
{
	bool lost = false;

	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = a->plan->change[i];
		bool reloads = c->impact == IMPACT_RELOAD;
		int r;

		if (is_lost(a, c->target->port))
			continue;
		r = doing_change(a, c);
		if (r == -ENODEV && c->target->port) {
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

static void outcome(struct applying *a, struct outcome *out, int failed)
{
	struct plan *plan = a->plan;

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
	out->changed = failed == 0 ? a->done.n > 0 : failed == 4;
	if (failed) {
		out->exit_code = failed;
		out->result = failed == 3 ? "failed-rolled-back" : "in-between";
	}
}

int apply_run(struct run *run, struct outcome *out, struct diags *d)
{
	struct applying a = { .run = run, .d = d };
	int r = 0, failed = 0;

	for (int round = 0;; round++) {
		r = plan_build(run, &a.plan, d);
		if (r < 0 || !anything_to_do(&a))
			break;			/* planned again, empty: verified */
		if (round == ROUNDS) {
			diag_error(d, NULL, "the plan is not empty after %d rounds: something undoes what is written", ROUNDS);
			diag_hint(d, "look for another owner of these values; `rdmactl plan` shows what is left");
			r = -ELOOP;
			break;
		}
		r = do_plan(&a);
		if (r < 0)
			break;
		kernel_renew(run->kernel);
		if (r == 1 && run->renew) {
			r = run->renew(run, d);
			if (r < 0)
				break;
		}
	}
	if (r < 0) {
		run->undoing = true;
		failed = a.done.n ? undo_all(&a) : 3;
		run->undoing = false;
		kernel_renew(run->kernel);
		if (!a.plan || plan_build(run, &a.plan, d) < 0)
			a.plan = a.plan ? a.plan : arena_new_of(run->arena, struct plan);
	}
	outcome(&a, out, failed);
	return out->exit_code;
}
