/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of the past that have not ended: finishing or undoing one that was killed, undoing or confirming one that waits.
 * All of it from the journal, perhaps on another boot: then live values are gone, and only our files are looked at.
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

/* --- a run that did not end ----------------------------------------------------- */

/* A rollback that was killed goes on where it stood: what it had not begun may have been changed since. */
static int go_on(struct returning *r, struct outcome *out)
{
	struct applying *a = &r->a;
	bool failed = r->unfit;

	a->run->journal = &r->journal;
	a->run->undoing = true;
	for (size_t i = 0; i < r->n; i++)
		failed |= rollback_put_back(a, r->change[i], past_started(r->past, r->change[i]->number)) < 0;
	a->run->undoing = false;
	return rollback_end(a, r->change, r->n, failed, out);
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
