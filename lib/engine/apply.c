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

/* Newest first, verified each. Return: exit status 3, or 4 if something could not be put back. */
static int undo_all(struct applying *a)
{
	int status = 3;

	for (size_t i = a->done.n; i-- > 0;) {
		struct change *c = a->done.at[i], *u = reverse(a, c);

		if (doing_change(a, u) < 0) {
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
	for (size_t i = 0; i < a->done.n;)	/* nothing is left to undo on it */
		if (a->done.at[i]->target->port == t->port) {
			memmove(&a->done.at[i], &a->done.at[i + 1], (a->done.n - i - 1) * sizeof(a->done.at[0]));
			a->done.n--;
		} else {
			i++;
		}
}

/* All changes of one plan. Return: 1 if the world must be observed anew, 0, or -errno of the one that failed. */
static int do_plan(struct applying *a)
{
	const struct port *lost = NULL;

	for (size_t i = 0; i < a->plan->n; i++) {
		struct change *c = a->plan->change[i];
		bool reloads = c->impact == IMPACT_RELOAD;
		int r;

		if (lost && c->target->port == lost)
			continue;
		r = doing_change(a, c);
		if (r == -ENODEV && c->target->port) {
			lost = c->target->port;
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

static void outcome(struct applying *a, struct outcome *out, int failed)
{
	struct plan *plan = a->plan;

	plan_outcome(a->run, plan, true, out);
	if (a->lost.n) {
		struct row *rows = arena_grow(a->run->arena, plan->row, plan->nrows, a->lost.n, sizeof(*rows));

		memcpy(rows + plan->nrows, a->lost.at, a->lost.n * sizeof(*rows));
		out->row = rows;
		out->nrows = plan->nrows + a->lost.n;
		out->count[STATUS_UNKNOWN] += a->lost.n;
		if (out->exit_code == 0) {
			out->exit_code = 2;
			out->result = "unknown";
		}
	}
	for (size_t i = 0; i < plan->nrows; i++)
		plan->row[i].changed = failed == 0 && was_done(a, &plan->row[i]);
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
		if (r < 0 || a.plan->n == 0)
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
