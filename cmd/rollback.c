/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes the last run, or all after a given one; or at once the one that waits for confirm. */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "engine/recover.h"
#include "runs.h"

struct chosen {
	struct { struct past **at; size_t n, room; } past;	/* newest first */
	struct { int64_t *at; size_t n, room; } run;
};

static bool is_undone(const struct chosen *undone, int64_t run)
{
	for (size_t i = 0; i < undone->run.n; i++)
		if (undone->run.at[i] == run)
			return true;
	return false;
}

/*
 * Runs that a later rollback gave back, and rollbacks themselves, are no runs to undo. One that --allow kept from giving
 * back all of it is taken up again.
 */
static bool counts(struct session *s, struct chosen *undone, const struct past *p)
{
	bool whole = p->result && strcmp(p->result, "partly-rolled-back") != 0;

	for (size_t i = 0; whole && p->head.undoes && p->head.undoes[i]; i++)
		list_add(&undone->run, s->arena) = p->head.undoes[i];
	if (p->head.undoes && p->head.undoes[0])
		return false;
	return p->state == PAST_ENDED && (!strcmp(p->result, "done") || !strcmp(p->result, "confirmed")) &&
	       !is_undone(undone, p->head.run);
}

/* The runs to undo: the newest that counts, or with --to all newer than that one. */
static int choose(struct session *s, struct chosen *c)
{
	struct chosen undone = { 0 };
	const int64_t *run;
	bool found = s->opt->to <= 0;
	size_t n;

	if (past_runs(s->kernel, s->arena, &run, &n, &s->diags) < 0)
		return EXIT_UNKNOWN;
	for (size_t i = n; i-- > 0;) {
		struct past *p;

		if (run[i] == s->opt->to) {
			found = true;
			break;
		}
		if (s->opt->to < 0 && c->past.n)
			break;
		if (past_load_run(s->kernel, s->arena, run[i], &p, &s->diags) < 0)
			return EXIT_UNKNOWN;
		if (!counts(s, &undone, p)) {
			past_done(p);
			continue;
		}
		list_add(&c->past, s->arena) = p;
		list_add(&c->run, s->arena) = run[i];
	}
	list_add(&c->run, s->arena) = 0;
	if (found)
		return 0;
	diag_error(&s->diags, NULL, "--to %lld: there is no run of that number", (long long)s->opt->to);
	diag_hint(&s->diags, "`rdmactl history` lists them");
	return EXIT_USAGE;
}

static int roll_back(struct session *s, struct run *run, struct outcome *o)
{
	struct chosen c = { 0 };
	int r = choose(s, &c);

	if (r == 0 && !c.past.n) {
		undo_nothing(run, o);
		return session_report(s, o);
	}
	r = r ? r : runs_journal(s, run);
	if (r == 0) {
		run->journal->head.undoes = c.run.at;
		rollback_run(run, c.past.at, c.past.n, o, &s->diags);
		r = session_report(s, o);
	}
	for (size_t i = 0; i < c.past.n; i++)
		past_done(c.past.at[i]);
	return r;
}

static int locked_rollback(struct session *s)
{
	struct outcome o = { .command = "rollback" };
	struct past *p;
	struct run run;
	int r = runs_pending(s, &p);

	if (r)
		return r;
	if (p && !runs_waits(s, p)) {
		past_done(p);
		return runs_check_writing(s);
	}
	r = runs_run(s, &run);
	if (r)
		return r;
	session_in_use(s, &run);
	if (!p)
		return roll_back(s, &run, &o);
	rollback_waiting(&run, p, false, &o, &s->diags);
	past_done(p);
	return session_report(s, &o);
}

static int rollback(struct session *s)
{
	int lock, r = runs_permitted(s);

	r = r ? r : runs_lock(s, &lock);
	if (r)
		return r;
	r = locked_rollback(s);
	file_unlock(lock);
	return r;
}

const struct command command_rollback = {
	"rollback", "", "Undoes the last run, verified; not what somebody changed since",
	OPTION_REPORT | OPTION_WRITES | OPTION_ALLOW | OPTION_TO, rollback,
};
