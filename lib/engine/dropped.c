/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the policy asked for once and does not any more: nobody manages it now, and it still holds what we set last. Told
 * as such, and given back when asked for (--revert-dropped). Boot lines need no memory: our files hold what is asked for.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "engine/applied.h"
#include "engine/cells.h"
#include "engine/engine.h"
#include "model/targets.h"

/* Wishes of one target, which stand together. */
struct asked {
	const char *key;		/* target_key() */
	size_t first, n;
};

struct dropped {
	struct run *run;
	struct asked *asked;
	size_t n;
	size_t last;			/* of these, the one that was asked for last */
	struct diags *d;
};

static bool is(const char *s, struct applied_name name)
{
	return !strncmp(s, name.s, name.n) && !s[name.n];
}

static bool asks_for(const struct desired *des, const struct asked *asked, struct applied_name cell)
{
	for (size_t i = asked->first; i < asked->first + asked->n; i++) {
		const struct record *want = des->wish[i].want;

		for (size_t k = 0; k < want->n; k++)
			if (want->at[k].state != CELL_SILENT && is(want->at[k].name, cell))
				return true;
	}
	return false;
}

/*
 * Asked for every line, before it is parsed: most of what we set is still asked for. What was set on one target stands
 * together, so the target of the line before is tried first.
 */
static bool is_dropped(struct applied_name target, struct applied_name cell, void *arg)
{
	struct dropped *x = arg;

	for (size_t i = 0; i < x->run->desired->nunsure; i++)
		if (is(x->run->desired->unsure[i], cell))
			return false;
	for (size_t n = 0, i = x->last; n < x->n; n++, i = i + 1 < x->n ? i + 1 : 0) {
		if (!is(x->asked[i].key, target) || !asks_for(x->run->desired, &x->asked[i], cell))
			continue;
		x->last = i;
		return false;
	}
	return true;
}

static int load(struct dropped *x, struct applied_list *l)
{
	const struct desired *des = x->run->desired;

	x->asked = arena_array_of(x->run->arena, struct asked, des->n);
	for (size_t i = 0; i < des->n; i++) {
		if (!i || des->wish[i].target != des->wish[i - 1].target)
			x->asked[x->n++] = (struct asked){ target_key(x->run->arena, des->wish[i].target), i, 0 };
		x->asked[x->n - 1].n++;
	}
	return applied_load(x->run->kernel, x->run->arena, is_dropped, x, l, x->d);
}

/* The setting that has this cell, and the cell in a record of its own; NULL: this version has none. */
static struct cell *cell_of(struct dropped *x, const struct applied *e, struct record **r)
{
	const struct setting *s;

	if (!catalog_field(x->run->catalog, e->cell, &s))
		return NULL;
	*r = record_new(x->run->arena, s);
	return cell_named(*r, e->line, x->run->arena);
}

static const struct target *target_here(struct dropped *x, const struct applied *e)
{
	for (size_t i = 0; i < x->run->desired->ntargets; i++)
		if (!strcmp(target_key(x->run->arena, x->run->desired->target[i]), e->target))
			return x->run->desired->target[i];
	return target_of_key(x->run->arena, x->run->facts, e->target);
}

/* Does the target hold what the line says under @key? What that is stands in @c of @r; *live is what it holds. */
static bool holds(struct dropped *x, const struct applied *e, const char *key, const struct target *t, struct record *r,
		  struct cell *c, const struct cell **live)
{
	struct record *now;

	if (cell_get(e->line, key, c, x->run->arena) < 0 || c->state != CELL_VALUE)
		return false;
	now = observe_record(x->run, t, r->setting, r, x->d);
	*live = record_find(now, e->cell);
	return (*live)->state == CELL_VALUE && value_same(c->field, &c->value, &(*live)->value, now);
}

/* One row; none if somebody has set another value since, or the port is gone. */
static bool row_of(struct dropped *x, const struct applied *e, struct row *row)
{
	const struct target *t = target_here(x, e);
	const struct cell *live;
	struct record *r;
	struct cell *c = t ? cell_of(x, e, &r) : NULL;

	if (!c || !holds(x, e, "set", t, r, c, &live))
		return false;
	*row = (struct row){ .target = t, .setting = r->setting, .field = c->field, .name = live->name, .live = live,
			     .status = STATUS_UNMANAGED, .reason = "last-set-by-us", .scope = t->name,
			     .cause = arena_printf(x->run->arena, "the policy does not ask for it any more; run %lld set it last", (long long)e->run),
			     .remedy = arena_printf(x->run->arena, "rdmactl apply --revert-dropped%s", x->run->repeat ? x->run->repeat : "") };
	return true;
}

int dropped_rows(struct run *run, struct plan *plan, struct diags *d)
{
	struct dropped x = { .run = run, .d = d };
	int r;
	struct { struct row *at; size_t n, room; } rows = { plan->row, plan->nrows, plan->nrows };
	struct applied_list l;

	if (!run->tells_dropped)
		return 0;
	r = load(&x, &l);
	for (size_t i = 0; r == 0 && i < l.n; i++) {
		struct row row;

		if (!row_of(&x, &l.at[i], &row))
			continue;
		list_add(&rows, run->arena) = row;
		plan->count[STATUS_UNMANAGED]++;
	}
	if (r == 0)
		applied_done(&l);
	plan->row = rows.at;
	plan->nrows = rows.n;
	return r;
}

/* The wish that gives one value back; none if somebody has set another one since: that is his. */
static bool add_wish(struct dropped *x, const struct applied *e, struct wish *w)
{
	const struct target *t = target_here(x, e);
	const struct cell *live;
	struct record *r;
	struct cell *c = t ? cell_of(x, e, &r) : NULL;
	bool ours = c && holds(x, e, "set", t, r, c, &live);

	if (!c || cell_get(e->line, "before", c, x->run->arena) < 0 || c->state != CELL_VALUE) {
		diag_warning(x->d, NULL, "%s cannot be given back: %s", e->cell,
			     t ? "what was there before could not be read then" : "it is not there any more");
		diag_object(x->d, "%s", e->target);
		return false;
	}
	if (!ours && !holds(x, e, "before", t, r, c, &live))
		return false;
	*w = (struct wish){ .target = t, .setting = r->setting, .want = r };
	return true;
}

/* Cells of one setting on one target are one wish: trust and the DSCP map are given back together. */
static void unite(struct desired *des, struct wish *w)
{
	for (size_t i = 0; i < des->n; i++) {
		struct wish *old = &des->wish[i];
		struct record *both;

		if (old->setting != w->setting || !target_same(old->target, w->target))
			continue;
		both = record_copy(w->want->arena, old->want);
		for (size_t j = 0; j < w->want->n; j++) {
			const struct cell *c = &w->want->at[j];
			struct cell *to = c->state != CELL_VALUE ? NULL :
					  c->star[0] ? record_named(both, (unsigned)(c->field - w->setting->fields), c->star[0], c->star[1]) :
						       &both->at[j];

			if (to && to->state == CELL_SILENT) {
				to->state = CELL_VALUE;
				to->value = c->value;
			}
		}
		old->want = both;
		return;
	}
	if (des->n == des->room) {
		des->wish = arena_grow(w->want->arena, des->wish, des->n, 8, sizeof(*des->wish));
		des->room += 8;
	}
	des->wish[des->n++] = *w;
}

int dropped_revert(struct run *run, struct desired *des, struct diags *d)
{
	struct dropped x = { .run = run, .d = d };
	struct applied_list l;
	int r = load(&x, &l);

	for (size_t i = 0; r == 0 && i < l.n; i++) {
		struct wish w;

		if (add_wish(&x, &l.at[i], &w))
			unite(des, &w);
	}
	if (r == 0)
		applied_done(&l);
	return r;
}
