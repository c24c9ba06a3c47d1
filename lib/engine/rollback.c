/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoing runs that ended: newest first, what was allowed, and nothing that somebody changed since. And the same told
 * ahead, without a write.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "engine/doing.h"
#include "engine/journal.h"
#include "engine/planning.h"
#include "engine/recover.h"
#include "kernel/kernel.h"
#include "model/targets.h"

/* --- changes, one by one ---------------------------------------------------------- */

/* Is the object as the run left it? The undo's own `have` is what the run wanted. */
static bool as_left(struct applying *a, struct change *u)
{
	struct change *left = undo_of(a, u);

	left->undo = false;
	if (u->part[0].home->files)
		return boot_file_is(a->run->kernel, u, false);
	return !doing_differs(a, left);
}

static bool as_before(struct applying *a, const struct change *u)
{
	return u->part[0].home->files ? boot_file_is(a->run->kernel, u, true) : !doing_differs(a, u);
}

static void refuse_changed(struct change *u)
{
	change_refuse(u, REFUSED_IMPOSSIBLE, "it is neither as the run left it nor as before: somebody changed it since");
}

int rollback_put_back(struct applying *a, struct change *u, bool begun)
{
	int r = 0;

	kernel_renew(a->run->kernel);
	if (!begun && as_before(a, u)) {
		u->refused = REFUSED_NOT;
		return 0;
	}
	if (!u->refused && !begun && !as_left(a, u))
		refuse_changed(u);
	if (u->refused)
		return 0;
	u->undone = true;
	if (!begun)
		r = journal_start(a->run->journal, u, a->d);
	r = r < 0 ? r : doing_change(a, u);
	if (r == 0)
		list_add(&a->undone, a->run->arena) = u;
	return r == -ENODEV && undo_is_needless(a, u->target) ? 0 : r;
}

/* Those left alone stand behind the others. */
static void add_refused(struct applying *a, struct change *const *u, size_t n, struct outcome *out)
{
	for (size_t i = 0; i < n; i++)
		if (u[i]->refused) {
			list_add(&a->undone, a->run->arena) = u[i];
			out->nrefused++;
		}
	out->change = a->undone.at;
}

static void rollback_outcome(struct applying *a, struct change *const *u, size_t n, bool failed, struct outcome *out)
{
	undo_outcome(a, failed ? "in-between" : "rolled-back", failed ? 4 : 0, out);
	add_refused(a, u, n, out);
	if (out->nrefused && !failed) {
		out->exit_code = 1;
		out->result = "partly-rolled-back";
	}
}

int rollback_end(struct applying *a, struct change *const *u, size_t n, bool failed, struct outcome *out)
{
	struct journal *j = a->run->journal;
	const char *result = j->head.partly ? "partly-rolled-back" : "done";

	rollback_outcome(a, u, n, failed, out);
	if (!failed && j->begun && journal_end(j, result, out->exit_code, a->undone.at, out->nchanges, a->d) < 0)
		undo_outcome(a, "in-between", 4, out);
	return out->exit_code;
}

/* --- runs ------------------------------------------------------------------------- */

/* The undo of all changes of these runs, newest first. */
static int collect(struct applying *a, struct past *const *past, size_t n, struct change ***out, size_t *nout)
{
	struct { struct change **at; size_t n, room; } list = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct change **change;
		size_t m;
		int r = past_changes(a->run, past[i], PAST_BEGUN, &change, &m, a->d);

		if (r < 0)
			return r;
		while (m-- > 0)
			list_add(&list, a->run->arena) = undo_of(a, change[m]);
	}
	*out = list.at;
	*nout = list.n;
	return 0;
}

/* Those that may be made go to the journal; a rollback that is killed finishes them alone. */
static int note_allowed(struct applying *a, struct change *const *u, size_t n)
{
	struct { struct change **at; size_t n, room; } allowed = { 0 };

	consent_limit(a->run, u, n, a->d);
	for (size_t i = 0; i < n; i++) {
		u[i]->number = 0;
		if (u[i]->refused)
			a->run->journal->head.partly = true;
		else
			list_add(&allowed, a->run->arena) = u[i];
	}
	return allowed.n ? journal_plan(a->run->journal, allowed.at, allowed.n, a->d) : 0;
}

int rollback_run(struct run *run, struct past *const *past, size_t n, struct outcome *out, struct diags *d)
{
	struct applying a = { .run = run, .d = d };
	struct change **u;
	size_t m;
	bool failed = false;

	if (collect(&a, past, n, &u, &m) < 0 || note_allowed(&a, u, m) < 0) {
		undo_outcome(&a, "not-begun", 2, out);
		return 2;
	}
	for (size_t i = 0; i < m; i++)
		list_add(&a.done, run->arena) = u[i];
	run->undoing = true;
	for (size_t i = 0; i < m && !failed; i++)
		failed = rollback_put_back(&a, u[i], false) < 0;
	run->undoing = false;
	return rollback_end(&a, u, m, failed, out);
}

/* --- told ahead ------------------------------------------------------------------- */

/* Will these cells hold what they are to hold, once @later, which puts back the same object, is done? */
static bool cells_will_be(const struct change_part *want, bool left, const struct change *later)
{
	const struct record *r = left ? want->have : want->want;

	for (size_t i = 0; i < later->nparts; i++) {
		const struct change_part *q = &later->part[i];

		for (size_t j = 0; q->setting == want->setting && j < r->n; j++) {
			const struct cell *c = record_find(q->want, r->at[j].name);

			if (r->at[j].state == CELL_VALUE && (!want->differs || want->differs[j]) &&
			    (!c || c->state != CELL_VALUE || !value_same(c->field, &r->at[j].value, &c->value, q->want)))
				return false;
		}
	}
	return true;
}

static bool files_will_be(const struct change *u, bool left, const struct change *later)
{
	for (size_t i = 0; i < u->nfiles; i++)
		for (size_t j = 0; j < later->nfiles; j++) {
			const char *want = left ? u->file[i].after : u->file[i].before, *text = later->file[j].before;

			if (!strcmp(u->file[i].path, later->file[j].path) && (want && text ? strcmp(want, text) != 0 : want != text))
				return false;
		}
	return true;
}

/* Is the object of @u as it was left, or as before, once all of @done is done? What is put back before decides, else the machine. */
static bool will_be(struct applying *a, struct change *u, bool left)
{
	for (size_t i = a->undone.n; i-- > 0;) {
		const struct change *later = a->undone.at[i];
		bool is = true;

		if (!target_same(later->target, u->target) || strcmp(later->object, u->object) != 0)
			continue;
		for (size_t j = 0; j < u->nparts; j++)
			is &= cells_will_be(&u->part[j], left, later);
		return is && files_will_be(u, left, later);
	}
	return left ? as_left(a, u) : as_before(a, u);
}

void rollback_preview(struct run *run, struct past *const *past, size_t n, struct outcome *out, struct diags *d)
{
	struct applying a = { .run = run, .d = d };
	bool waits = past[0]->state != PAST_ENDED;
	struct change **u;
	size_t m;

	if (collect(&a, past, n, &u, &m) < 0) {
		undo_outcome(&a, "not-begun", 2, out);
		return;
	}
	if (!waits)
		consent_limit(run, u, m, d);
	for (size_t i = 0; i < m; i++) {
		if (will_be(&a, u[i], false)) {
			u[i]->refused = REFUSED_NOT;
			continue;
		}
		if (!u[i]->refused && !waits && !will_be(&a, u[i], true))
			refuse_changed(u[i]);
		if (!u[i]->refused)
			list_add(&a.undone, run->arena) = u[i];
	}
	undo_outcome(&a, "would-roll-back", 0, out);
	add_refused(&a, u, m, out);
	if (out->nrefused) {
		out->exit_code = 1;
		out->result = "would-roll-back-partly";
	}
}
