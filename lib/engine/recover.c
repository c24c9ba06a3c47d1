/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of the past: finishing or undoing one that was killed, undoing one that ended, confirming one that waits. All of
 * it from the journal, perhaps on another boot: then live values are gone, and only our files are looked at.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/doing.h"
#include "engine/journal.h"
#include "engine/planning.h"
#include "engine/recover.h"
#include "kernel/kernel.h"

struct returning {
	struct applying a;
	struct past *past;
	struct journal journal;
	struct change **change;		/* of the run, in order */
	size_t n;
	bool same_boot;
	bool unfit;			/* one of them is not served any more, or not known: told */
};

/*
 * The journal, and those changes of @which that this boot still has something of: files always, live values only on the
 * same boot. One that cannot be had (unfit) does not keep the others from being put back.
 */
static int begin(struct returning *r, struct run *run, struct past *p, unsigned which, struct diags *d)
{
	int err;

	*r = (struct returning){ .a = { .run = run, .d = d }, .past = p };
	err = past_resume(run->kernel, run->arena, p, &r->journal, d);
	if (err < 0)
		return err;
	r->same_boot = !strcmp(p->head.boot_id, run->facts->boot_id);
	if (p->torn)
		diag_note(d, NULL, "the journal's last line is left out (%s): it was being written when the machine stopped", p->torn);
	r->unfit = past_changes(run, p, r->same_boot ? which : which & PAST_FILES, &r->change, &r->n, d) < 0;
	for (size_t i = 0; i < r->n; i++)	/* so that what one of them sets is not put back as disturbed by another */
		list_add(&r->a.done, run->arena) = r->change[i];
	return 0;
}

static int in_between(struct returning *r, struct outcome *out)
{
	undo_outcome(&r->a, "in-between", 4, out);
	return 4;
}

/* The digest that the boot unit must not apply again by itself. */
static int refuse_digest(struct returning *r)
{
	const char *digest = r->past->head.digest;
	int err = kernel_keep(r->a.run->kernel, JOURNAL_REFUSED, digest, strlen(digest));

	if (err < 0)
		diag_error(r->a.d, NULL, "cannot write /%s", JOURNAL_REFUSED)->err = -err;
	return err;
}

/* Back to before the run. One of --confirm that ends so was not confirmed, whoever undid it. */
static int restore(struct returning *r, const char *result, struct outcome *out)
{
	struct run *run = r->a.run;
	size_t left;

	run->undoing = true;
	left = undo_changes(&r->a, r->change, r->n);
	run->undoing = false;
	if (left || r->unfit)
		return in_between(r, out);
	if (r->past->head.confirm_s && refuse_digest(r) < 0)
		return in_between(r, out);
	if (journal_end(&r->journal, result, 0, NULL, 0, r->a.d) < 0)
		return in_between(r, out);
	undo_outcome(&r->a, result, 0, out);
	return 0;
}

/* --- changes of a rollback, one by one ------------------------------------------ */

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

/*
 * Puts one change back, unless somebody changed its object since. @begun: by a rollback that was killed, so that it may
 * be half done. What is as before needs nothing, whether it was refused or not. Return: 0; -errno: it failed.
 */
static int put_back(struct applying *a, struct change *u, bool begun)
{
	int r = 0;

	kernel_renew(a->run->kernel);
	if (!begun && as_before(a, u)) {
		u->refused = REFUSED_NOT;
		return 0;
	}
	if (!u->refused && !begun && !as_left(a, u))
		change_refuse(u, REFUSED_IMPOSSIBLE, "it is neither as the run left it nor as before: somebody changed it since");
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

static void rollback_outcome(struct applying *a, struct change *const *u, size_t n, bool failed, struct outcome *out)
{
	size_t refused = 0;

	undo_outcome(a, failed ? "in-between" : "rolled-back", failed ? 4 : 0, out);
	for (size_t i = 0; i < n; i++)
		if (u[i]->refused) {
			list_add(&a->undone, a->run->arena) = u[i];
			refused++;
		}
	out->change = a->undone.at;
	out->nrefused = refused;
	if (refused && !failed) {
		out->exit_code = 1;
		out->result = "partly-rolled-back";
	}
}

/* One that was not allowed to do all of it leaves its runs to the next rollback; what somebody changed since stays his. */
static int end_rollback(struct applying *a, struct change *const *u, size_t n, bool failed, struct outcome *out)
{
	struct journal *j = a->run->journal;
	const char *result = j->head.partly ? "partly-rolled-back" : "done";

	rollback_outcome(a, u, n, failed, out);
	if (!failed && j->begun && journal_end(j, result, out->exit_code, a->undone.at, out->nchanges, a->d) < 0)
		undo_outcome(a, "in-between", 4, out);
	return out->exit_code;
}

/* --- a run that did not end ----------------------------------------------------- */

/* A rollback that was killed goes on where it stood: what it had not begun may have been changed since. */
static int go_on(struct returning *r, struct outcome *out)
{
	struct applying *a = &r->a;
	bool failed = r->unfit;

	a->run->journal = &r->journal;
	a->run->undoing = true;
	for (size_t i = 0; i < r->n; i++)
		failed |= put_back(a, r->change[i], past_started(r->past, r->change[i]->number)) < 0;
	a->run->undoing = false;
	return end_rollback(a, r->change, r->n, failed, out);
}

/* All was written and verified, or it had ended: only the journal's own last steps are missing. */
static int complete(struct returning *r, struct outcome *out)
{
	const char *result = r->past->state == PAST_ENDED ? r->past->result : "done";
	bool kept = past_is_rollback(r->past) || !strcmp(result, "done") || !strcmp(result, "confirmed");

	if (r->unfit || journal_end(&r->journal, result, (int)r->past->exit_code, r->change, kept ? r->n : 0, r->a.d) < 0)
		return in_between(r, out);
	undo_outcome(&r->a, "completed", 0, out);
	return 0;
}

int recover_run(struct run *run, struct past *p, struct outcome *out, struct diags *d)
{
	bool goes_on = past_is_rollback(p) && p->state != PAST_ENDED;
	struct returning r;

	if (begin(&r, run, p, goes_on ? PAST_ALL : PAST_BEGUN, d) < 0)
		return in_between(&r, out);
	if (goes_on)
		return go_on(&r, out);
	if (p->state == PAST_ENDED || (p->verified && r.same_boot && !p->head.confirm_s))
		return complete(&r, out);
	journal_note(&r.journal, "undo", NULL);
	return restore(&r, p->head.confirm_s ? "unconfirmed" : r.same_boot ? "restored" : "interrupted", out);
}

/*
 * While a run may still be confirmed, it is undone only once the journal says so: or a run that is gone could be confirmed.
 * When its time is over it is undone in any case.
 */
int rollback_waiting(struct run *run, struct past *p, bool unconfirmed, struct outcome *out, struct diags *d)
{
	struct returning r;

	if (begin(&r, run, p, PAST_BEGUN, d) < 0)
		return in_between(&r, out);
	if (journal_note(&r.journal, "undo", unconfirmed ? NULL : d) < 0 && !unconfirmed) {
		undo_outcome(&r.a, "not-begun", 2, out);
		return 2;
	}
	return restore(&r, unconfirmed ? "unconfirmed" : "rolled-back", out);
}

void undo_nothing(struct run *run, struct outcome *out)
{
	struct applying a = { .run = run };

	undo_outcome(&a, "nothing-to-do", 0, out);
}

/* --- confirm ---------------------------------------------------------------- */

/* The boot files of the last plan: what older ones wanted of them was planned anew. Return: how many are written; one
 * that fails is counted too, and the number is then negative. */
static int write_boot_files(struct returning *r, struct change **written)
{
	int n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct change *c = r->change[i];

		if (c->number < r->past->last_plan || c->phase != PHASE_BOOT)
			continue;
		written[n++] = c;
		if (doing_change(&r->a, c) < 0)
			return -n;
	}
	return n;
}

/* Back to before confirm: the run waits on. Return: 2, or 4 if something could not be put back. */
static int not_confirmed(struct returning *r, struct change *const *written, size_t n, struct outcome *out)
{
	size_t left;

	r->a.run->undoing = true;
	left = undo_changes(&r->a, written, n);
	r->a.run->undoing = false;
	if (left)
		return in_between(r, out);
	r->a.undone.n = 0;			/* none of them is told as written */
	undo_outcome(&r->a, "not-confirmed", 2, out);
	return 2;
}

int confirm_run(struct run *run, struct past *p, struct outcome *out, struct diags *d)
{
	struct returning r;
	struct change **written;
	int n;

	if (begin(&r, run, p, PAST_BEGUN | PAST_FILES, d) < 0 || r.unfit)
		return not_confirmed(&r, NULL, 0, out);
	journal_note(&r.journal, "confirm", NULL);
	run->journal = &r.journal;
	written = arena_array_of(run->arena, struct change *, r.n);
	n = write_boot_files(&r, written);
	if (n < 0)
		return not_confirmed(&r, written, (size_t)-n, out);
	for (int i = 0; i < n; i++)
		list_add(&r.a.undone, run->arena) = written[i];	/* what is told as done here */
	if (journal_end(&r.journal, "confirmed", 0, r.change, r.n, d) < 0)
		return in_between(&r, out);
	undo_outcome(&r.a, "confirmed", 0, out);
	return 0;
}

/* --- rollback --------------------------------------------------------------- */

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
		failed = put_back(&a, u[i], false) < 0;
	run->undoing = false;
	return end_rollback(&a, u, m, failed, out);
}
