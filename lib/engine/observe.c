/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the homes. A vendor's providers come before the setting's own live home; the first home that has a field
 * serves it, and goes on serving it for the whole run. If none has it, the reason nearest to a value is told.
 */
#include <string.h>

#include "base/arena.h"
#include "engine/engine.h"
#include "kernel/kernel.h"

static bool anything_open(const struct record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].state == CELL_OPEN)
			return true;
	return false;
}

/* A reason after which another home may still have the value. */
static bool lets_next_try(enum reason r)
{
	return reason_is_lack(r) || r == REASON_NOT_MOUNTED || r == REASON_NOT_RECORDED;
}

/* The nearest reason so far for each cell of the record being read. */
struct asked {
	struct record *have;
	struct cell *best;		/* as many as cells; reason NONE: nothing said yet */
};

/* Keeps what @home answered; cells that it lacks are open again for the next one. */
static void settle(struct asked *a, const struct home *home, int err)
{
	for (size_t i = 0; i < a->have->n; i++) {
		struct cell *c = &a->have->at[i], *best = &a->best[i];

		if (c->home || c->state == CELL_SILENT)
			continue;
		if (c->state == CELL_OPEN && err < 0) {
			cell_set_reason(c, reason_of(err), NULL);
			c->via = home->interface;
		}
		if (c->state == CELL_REASON && lets_next_try(c->reason)) {
			if (c->reason > best->reason)
				*best = *c;
			c->state = CELL_OPEN;
			continue;
		}
		if (c->state != CELL_OPEN)
			c->home = home;
	}
}

static int ask(struct run *run, struct asked *a, const struct target *t, const struct setting *s, const struct home *home,
	       const struct record *want, struct diags *d)
{
	struct part p = { .setting = s, .home = home, .target = t, .facts = run->facts,
			  .want = want, .have = a->have, .arena = run->arena, .undo = run->undoing, .checked = run->checked,
			  .desired = run->desired, .tells_all = run->want_rows };

	return home->read(run->kernel, &p, d);
}

/* Only the home that served a cell before may answer it again: hides the others' cells while @home is asked. */
static void hide(struct record *have, const struct record *before, const struct home *home, bool *hidden)
{
	for (size_t i = 0; i < have->n; i++) {
		hidden[i] = before && have->at[i].state == CELL_OPEN && before->at[i].home && before->at[i].home != home;
		if (hidden[i])
			have->at[i].state = CELL_SILENT;
	}
}

static void unhide(struct record *have, const bool *hidden)
{
	for (size_t i = 0; i < have->n; i++)
		if (hidden[i])
			have->at[i].state = CELL_OPEN;
}

static void ask_one(struct run *run, struct asked *a, const struct target *t, const struct setting *s,
		    const struct home *home, const struct record *want, const struct record *before, bool *hidden,
		    struct diags *d)
{
	if (!home->read)
		return;
	hide(a->have, before, home, hidden);
	if (anything_open(a->have)) {
		int err = ask(run, a, t, s, home, want, d);

		settle(a, home, err);
	}
	unhide(a->have, hidden);
}

/* This home does not exist, or nobody wants to know what it says. */
static void not_asked(struct record *have)
{
	for (size_t i = 0; i < have->n; i++)
		if (have->at[i].state == CELL_OPEN)
			have->at[i].state = CELL_SILENT;
}

/* @have: open cells are answered; every one has a value or a reason afterwards. */
static void ask_live(struct run *run, const struct target *t, const struct setting *s, const struct record *want,
		     struct record *have, const struct record *before, struct diags *d)
{
	struct asked a = { .have = have, .best = arena_array_of(run->arena, struct cell, have->n) };
	bool *hidden = arena_array_of(run->arena, bool, have->n);

	if (run->without_live || (!s->live.read && s->boot.read)) {
		not_asked(have);
		return;
	}
	if (t->vendor && t->vendor->providers)
		for (const struct provider *p = t->vendor->providers; p->setting; p++)
			if (p->setting == s)
				ask_one(run, &a, t, s, p->live, want, before, hidden, d);
	ask_one(run, &a, t, s, &s->live, want, before, hidden, d);
	for (size_t i = 0; i < have->n; i++) {
		struct cell *c = &have->at[i];

		if (c->state != CELL_OPEN)
			continue;
		if (a.best[i].reason) {
			cell_set_reason(c, a.best[i].reason, a.best[i].because);
			c->via = a.best[i].via;
		} else {
			cell_set_reason(c, REASON_DRIVER_LACKS, "no interface of this driver has it");
		}
	}
}

/* What the boot home does not serve goes back to silent: this home does not exist for it. */
static struct record *ask_boot(struct run *run, const struct target *t, const struct setting *s, const struct record *want,
			       struct diags *d)
{
	struct record *have;
	struct asked a;
	int err;

	if (!s->boot.read || run->without_boot)
		return NULL;
	have = record_open(run->arena, s, want);
	a = (struct asked){ .have = have, .best = arena_array_of(run->arena, struct cell, have->n) };
	err = ask(run, &a, t, s, &s->boot, want, d);
	for (size_t i = 0; i < have->n; i++) {
		struct cell *c = &have->at[i];

		if (c->state == CELL_OPEN && err < 0)
			cell_set_reason(c, reason_of(err), NULL);
		if (c->state == CELL_OPEN)
			c->state = CELL_SILENT;
		else if (c->state != CELL_SILENT)	/* what --only leaves out was not asked */
			c->home = &s->boot;
	}
	return have;
}

static bool selected(const char *const *only, const char *name)
{
	if (!only)
		return true;
	for (; *only; only++)
		if (catalog_selects(*only, name))
			return true;
	return false;
}

/* The wish, less what --only leaves out; NULL if nothing of it is left. */
static const struct record *wanted(const struct run *run, const struct wish *w)
{
	struct record *r;

	if (!run->only)
		return w->want;
	r = record_copy(run->arena, w->want);
	for (size_t i = 0; i < r->n; i++)
		if (!selected(run->only, r->at[i].name))
			r->at[i].state = CELL_SILENT;
	return record_managed(r) ? r : NULL;
}

static void look(struct run *run, struct finding *f, const struct record *before, struct diags *d)
{
	f->live = record_open(run->arena, f->setting, f->want);
	ask_live(run, f->target, f->setting, f->want, f->live, before, d);
	f->boot = f->want ? ask_boot(run, f->target, f->setting, f->want, d) : NULL;
}

int observe(struct run *run, struct finding **out, size_t *n, struct diags *d)
{
	const struct desired *des = run->desired;
	struct finding *f = arena_array_of(run->arena, struct finding, des->n);

	*n = 0;
	for (size_t i = 0; i < des->n; i++) {
		const struct record *want = wanted(run, &des->wish[i]);

		if (!want)
			continue;
		f[*n] = (struct finding){ .wish = &des->wish[i], .want = want, .target = des->wish[i].target,
					  .setting = des->wish[i].setting };
		look(run, &f[(*n)++], NULL, d);
	}
	*out = f;
	return 0;
}

void observe_again(struct run *run, struct finding *f, struct diags *d)
{
	look(run, f, f->live, d);
}

struct record *observe_record(struct run *run, const struct target *t, const struct setting *s, const struct record *want,
			      struct diags *d)
{
	struct record *have = record_open(run->arena, s, want);

	ask_live(run, t, s, want, have, NULL, d);
	return have;
}

struct record *observe_setting(struct run *run, const struct target *t, const struct setting *s, struct diags *d)
{
	struct record *have = record_open(run->arena, s, NULL);

	ask_live(run, t, s, NULL, have, NULL, d);
	return have;
}

int observe_all(struct run *run, const struct target *const *target, size_t ntargets, struct finding **out, size_t *n,
		struct diags *d)
{
	const struct catalog *c = run->catalog;
	struct { struct finding *at; size_t n, room; } list = { 0 };

	for (size_t t = 0; t < ntargets; t++)
		for (size_t i = 0; i < c->nsettings; i++) {
			const struct setting *s = c->setting[i];
			struct finding f = { .target = target[t], .setting = s };

			if (s->scope != target[t]->scope)
				continue;
			f.live = record_open(run->arena, s, NULL);
			for (size_t j = 0; j < f.live->n; j++)
				if (!selected(run->only, f.live->at[j].name))
					f.live->at[j].state = CELL_SILENT;
			if (!anything_open(f.live))
				continue;
			ask_live(run, f.target, s, NULL, f.live, NULL, d);
			list_add(&list, run->arena) = f;
		}
	*out = list.at;
	*n = list.n;
	return 0;
}
