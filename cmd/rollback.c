/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes the last run, or all after a given one; or at once the one that waits for confirm. */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "engine/recover.h"
#include "runs.h"

/* The history, looked at from its end on; and what is chosen of it. */
struct chosen {
	const int64_t *all;			/* oldest first */
	size_t n, unseen;			/* all[unseen] and on were looked at */
	const struct past *last;		/* the newest of all, as soon as it was looked at */
	struct { int64_t *at; size_t n, room; } undone;
	struct { struct past **at; size_t n, room; } past;	/* newest first */
	struct { int64_t *at; size_t n, room; } run;
};

static bool is_undone(const struct chosen *c, int64_t run)
{
	for (size_t i = 0; i < c->undone.n; i++)
		if (c->undone.at[i] == run)
			return true;
	return false;
}

/*
 * Runs that a later rollback gave back, and rollbacks themselves, are no runs to undo. One that --allow kept from giving
 * back all of it is taken up again.
 */
static bool counts(struct session *s, struct chosen *c, const struct past *p)
{
	bool whole = p->result && strcmp(p->result, "partly-rolled-back") != 0;

	for (size_t i = 0; whole && p->head.undoes && p->head.undoes[i]; i++)
		list_add(&c->undone, s->arena) = p->head.undoes[i];
	if (past_is_rollback(p))
		return false;
	return p->state == PAST_ENDED && (!strcmp(p->result, "done") || !strcmp(p->result, "confirmed")) &&
	       !is_undone(c, p->head.run);
}

static int look_back(struct session *s, struct chosen *c, struct diags *d)
{
	if (past_runs(s->kernel, s->arena, &c->all, &c->n, d) < 0)
		return EXIT_UNKNOWN;
	c->unseen = c->n;
	return 0;
}

/* The newest run that counts of those not looked at yet, from all[floor] on; NULL: there is none. */
static int next(struct session *s, struct chosen *c, size_t floor, struct diags *d, struct past **out)
{
	struct past *p;

	*out = NULL;
	while (c->unseen > floor && !*out) {
		if (past_load_run(s->kernel, s->arena, c->all[--c->unseen], &p, d) < 0)
			return EXIT_UNKNOWN;
		if (!c->last)
			c->last = p;
		if (counts(s, c, p))
			*out = p;
		else
			past_done(p);	/* its head is the arena's, and stays */
	}
	return 0;
}

/* Where the runs after --to begin. */
static int find_floor(struct session *s, const struct chosen *c, size_t *floor)
{
	*floor = 0;
	if (s->opt->to <= 0)
		return 0;
	while (*floor < c->n)
		if (c->all[(*floor)++] == s->opt->to)
			return 0;
	diag_error(&s->diags, NULL, "--to %lld: there is no run of that number", (long long)s->opt->to);
	diag_hint(&s->diags, "`rdmactl history` lists them");
	return EXIT_USAGE;
}

/* The runs to undo: the newest that counts, or with --to all newer than that one. */
static int choose(struct session *s, struct chosen *c)
{
	struct past *p;
	size_t floor;
	int r = find_floor(s, c, &floor);

	while (r == 0 && (s->opt->to >= 0 || !c->past.n)) {
		r = next(s, c, floor, &s->diags, &p);
		if (r || !p)
			break;
		list_add(&c->past, s->arena) = p;
		list_add(&c->run, s->arena) = p->head.run;
	}
	list_add(&c->run, s->arena) = 0;
	return r;
}

/*
 * Of which run is the node as it left it, once those chosen are undone? Only to be told: a history that cannot be read
 * so far back keeps nobody from undoing what is known. 0: none that is known.
 */
static int64_t stands(struct session *s, struct chosen *c)
{
	struct diags unheard;
	struct past *p;

	diags_init(&unheard, s->arena);
	if (next(s, c, 0, &unheard, &p) || !p)
		return 0;
	past_done(p);
	return p->head.run;
}

/* Why a run that ended was undone although nobody asked `rollback` for it; or NULL. */
static const char *undone_by_itself(const struct past *p)
{
	static const struct { const char *result, *why; } ends[] = {
		{ "unconfirmed", "nobody confirmed it in time" },
		{ "interrupted", "the machine went down before it ended" },
		{ "restored", "it was cut off, and `rdmactl recover` undid it" },
		{ "rolled-back", "it failed, or was stopped" },
	};

	if (past_is_rollback(p) || p->state != PAST_ENDED || (!strcmp(p->result, "rolled-back") && !p->exit_code))
		return NULL;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(p->result, ends[i].result))
			return ends[i].why;
	return NULL;
}

/*
 * Who means the last run, and comes after it was undone by itself, must not lose the one before: that takes --to. Status 1
 * as for a confirm that comes too late: nothing failed, and something that may have been meant is left alone.
 */
static int check_undone(struct session *s, const struct chosen *c)
{
	const char *why = s->opt->to < 0 && c->past.n ? undone_by_itself(c->last) : NULL;
	const struct past *stays;

	if (!why)
		return 0;
	stays = c->past.at[0];
	diag_error(&s->diags, NULL, "the last run is undone already: run %lld (%s by %s, %s), at %s: %s", (long long)c->last->head.run,
		   c->last->head.command, c->last->head.user, c->last->head.at, c->last->ended_at, why);
	diag_hint(&s->diags, "run %lld (%s by %s, %s), the one before it, stands; `rdmactl rollback --to %lld` undoes that as well",
		  (long long)stays->head.run, stays->head.command, stays->head.user, stays->head.at,
		  (long long)(c->unseen ? c->all[c->unseen - 1] : 0));
	return EXIT_DRIFT;
}

static int roll_back(struct session *s, struct run *run, struct outcome *o)
{
	struct chosen c = { 0 };
	int r = look_back(s, &c, &s->diags);

	r = r ? r : choose(s, &c);
	if (r == 0 && !c.past.n) {
		undo_nothing(run, o);
		return session_report(s, o);
	}
	r = r ? r : check_undone(s, &c);
	if (r == 0 && !s->opt->dry_run)
		r = runs_journal(s, run);
	if (r == 0) {
		o->undoes = c.run.at;
		o->back_to = stands(s, &c);
		if (run->journal) {
			run->journal->head.undoes = o->undoes;
			rollback_run(run, c.past.at, c.past.n, o, &s->diags);
		} else {
			rollback_preview(run, c.past.at, c.past.n, o, &s->diags);
		}
		r = session_report(s, o);
	}
	for (size_t i = 0; i < c.past.n; i++)
		past_done(c.past.at[i]);
	return r;
}

/* The run that waits for confirm; it is in no history yet. */
static int end_window(struct session *s, struct run *run, struct past *p, struct outcome *o)
{
	struct chosen c = { 0 };
	struct diags unheard;
	int64_t *undoes = arena_array_of(s->arena, int64_t, 2);

	undoes[0] = p->head.run;
	diags_init(&unheard, s->arena);
	o->undoes = undoes;
	o->back_to = look_back(s, &c, &unheard) ? 0 : stands(s, &c);
	if (s->opt->dry_run)
		rollback_preview(run, &p, 1, o, &s->diags);
	else
		rollback_waiting(run, p, false, o, &s->diags);
	return session_report(s, o);
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
	r = end_window(s, &run, p, &o);
	past_done(p);
	return r;
}

static int rollback(struct session *s)
{
	int lock = -1, r = runs_permitted(s);

	if (r == 0 && !s->opt->dry_run)
		r = runs_lock(s, &lock);
	if (r)
		return r;
	r = locked_rollback(s);
	if (lock >= 0)
		file_unlock(lock);
	return r;
}

const struct command command_rollback = {
	"rollback", "", "Undoes the last run, verified; not what somebody changed since",
	OPTION_REPORT | OPTION_WRITES | OPTION_ALLOW | OPTION_TO, rollback,
};
