/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safest order of one port's judged changes (law 8). The order of the catalog is tried first: it has the fewest
 * writes. If a moment in it is not safe, all orders are tried, each with every choice of changes that are made in two
 * steps, grown first and shrunk later; they are few. Of the safe ones the cheapest is taken. Where being safe costs
 * another write that traffic notices, a port that nobody uses gets the cheaper way, and the other one is told.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/planning.h"
#include "kernel/kernel.h"
#include "model/moment.h"

enum { MOST = 5, SETTINGS = 8 };	/* changes that are permuted: 5, all in two steps, are 113400 orders; 3 are usual */

enum pass { WHOLE, GROWN, REST };

struct step {
	unsigned change;
	enum pass pass;
};

struct way {
	struct step step[2 * MOST];
	size_t n;
	unsigned unsafe, traffic;	/* moments, and writes with an impact */
	bool complete;			/* ends with all that is asked for */
};

struct judged {
	struct run *run;
	struct diags *d;
	const struct judge *judge;
	size_t nsettings;
	bool managed[SETTINGS];
	struct moment *before, *now, *after;
	struct change *change[MOST], *grown[MOST];	/* grown NULL: not to be had, or no different */
	const char *cannot_hold;	/* why a change cannot be grown, or NULL */
	size_t n;
	unsigned seen_unsafe;
	struct way cheap, safe;		/* the best if impact counts more, and if safety does */
};

/* --- the port ------------------------------------------------------------------- */

static struct moment *copy_of(const struct judged *j, const struct moment *m)
{
	struct moment *copy = arena_alloc(j->run->arena, j->judge->size);

	if (m)
		memcpy(copy, m, j->judge->size);
	return copy;
}

static bool is_judged(const struct judge *judge, const struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++)
		for (const struct setting *const *s = judge->setting; *s; s++)
			if (c->part[i].setting == *s)
				return true;
	return false;
}

static bool asked_for(const struct plan *plan, const struct port *port, const struct setting *s)
{
	for (size_t i = 0; i < plan->nfindings; i++)
		if (plan->finding[i].setting == s && plan->finding[i].target->port == port &&
		    record_managed(plan->finding[i].want))
			return true;
	return false;
}

static void look(struct judged *j, const struct plan *plan, const struct target *t)
{
	const struct record *have[SETTINGS] = { NULL };

	for (j->nsettings = 0; j->judge->setting[j->nsettings] && j->nsettings < SETTINGS; j->nsettings++) {
		const struct setting *s = j->judge->setting[j->nsettings];

		have[j->nsettings] = observe_setting(j->run, t, s, j->d);
		j->managed[j->nsettings] = asked_for(plan, t->port, s);
	}
	j->before = copy_of(j, NULL);
	j->judge->start(j->before, t, have, j->managed);
	j->now = copy_of(j, j->before);
	j->after = copy_of(j, j->before);
}

/* Made twice: what one change resets of another is as the other wants it in the end. */
static void look_ahead(struct judged *j)
{
	for (size_t i = 0; i < 2 * j->n; i++)
		j->judge->make(j->after, j->change[i % j->n], NULL, NULL);
}

struct judged *judged_port(struct run *run, const struct plan *plan, const struct port *port, struct change *const *change,
			   size_t n, struct diags *d)
{
	const struct judge *judge = run->catalog->judge;
	struct judged *j;

	if (!judge)
		return NULL;
	j = arena_new_of(run->arena, struct judged);
	*j = (struct judged){ .run = run, .d = d, .judge = judge };
	for (size_t i = 0; i < n; i++) {
		if (change[i]->target->port != port || change[i]->phase == PHASE_BOOT || !is_judged(judge, change[i]))
			continue;
		if (j->n == MOST)
			return NULL;
		j->change[j->n++] = change[i];
	}
	if (!j->n)
		return NULL;
	look(j, plan, j->change[0]->target);
	look_ahead(j);
	return j;
}

bool judged_has(const struct judged *j, const struct change *c)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->change[i] == c)
			return true;
	return false;
}

bool judged_resets(const struct judged *j, size_t i)
{
	if (!j->managed[i] || j->judge->holds(j->after, j->before, i))
		return false;
	for (size_t k = 0; k < j->n; k++)
		if (plan_part(j->change[k], j->judge->setting[i]))
			return false;
	return true;
}

/* --- one of two steps ------------------------------------------------------------ */

static bool same_cell(const struct cell *a, const struct cell *b, const struct record *observed)
{
	return a->state == CELL_VALUE && b->state == CELL_VALUE && value_same(a->field, &a->value, &b->value, observed);
}

/* What serves both ends of a part; NULL if that is one of the ends. */
static struct record *both_of(const struct judged *j, const struct change_part *p)
{
	struct record *both;
	bool other = false, more = false;

	if (!p->setting->grow)
		return NULL;
	both = record_copy(j->run->arena, p->want);
	p->setting->grow(p->have, p->want, both);
	for (size_t i = 0; i < both->n; i++) {
		if (both->at[i].state != CELL_VALUE)
			continue;
		other |= !same_cell(&both->at[i], &p->want->at[i], p->have);
		more |= !same_cell(&both->at[i], &p->have->at[i], p->have);
	}
	return other && more ? both : NULL;
}

static void find_differences(struct change_part *p, struct arena *a)
{
	p->differs = arena_array_of(a, bool, p->want->n);
	for (size_t i = 0; i < p->want->n; i++)
		p->differs[i] = p->want->at[i].state == CELL_VALUE && !same_cell(&p->want->at[i], &p->have->at[i], p->have);
}

/* The first of the two: parts that do not grow are made whole in it. */
static struct change *grow(struct judged *j, const struct change *c)
{
	struct arena *a = j->run->arena;
	struct change *g = arena_new_of(a, struct change);
	bool grows = false;

	*g = *c;
	g->phase = PHASE_GROW;
	g->part = arena_array_of(a, struct change_part, c->nparts);
	for (size_t i = 0; i < c->nparts; i++) {
		struct record *both = both_of(j, &c->part[i]);

		g->part[i] = c->part[i];
		if (!both)
			continue;
		grows = true;
		g->part[i].want = both;
		find_differences(&g->part[i], a);
	}
	if (!grows)
		return NULL;
	g->impact = IMPACT_NONE;
	g->does = g->leaves = g->before = NULL;
	plan_weigh(j->run, g, j->d);
	if (!g->refused)
		return g;
	j->cannot_hold = g->refused_why;
	return NULL;
}

/* What is left of a change after its first step: it has what that wanted. */
static void shrink(struct judged *j, struct change *c, const struct change *grown)
{
	for (size_t i = 0; i < c->nparts; i++) {
		struct change_part *p = &c->part[i];
		struct record *have = record_copy(j->run->arena, p->have);

		for (size_t k = 0; k < have->n && k < grown->part[i].want->n; k++)
			if (grown->part[i].want->at[k].state == CELL_VALUE) {
				have->at[k].state = CELL_VALUE;
				have->at[k].value = grown->part[i].want->at[k].value;
			}
		p->have = have;
		find_differences(p, j->run->arena);
	}
	c->phase = PHASE_SHRINK;
	if (c->leaves && grown->leaves && !strcmp(c->leaves, grown->leaves))
		c->leaves = NULL;	/* it is told already */
}

/* --- trying ---------------------------------------------------------------------- */

static struct change *change_of(const struct judged *j, const struct step *s)
{
	return s->pass == GROWN ? j->grown[s->change] : j->change[s->change];
}

static void see(const struct moment *m, void *arg)
{
	struct judged *j = arg;

	j->seen_unsafe += j->judge->unsafe(j->before, m, j->after, NULL, NULL);
}

static bool ends_well(const struct judged *j)
{
	for (size_t i = 0; i < j->nsettings; i++)
		if (j->managed[i] && !j->judge->holds(j->now, j->after, i))
			return false;
	return true;
}

static void try(struct judged *j, struct way *w)
{
	memcpy(j->now, j->before, j->judge->size);
	j->seen_unsafe = w->traffic = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct change *c = change_of(j, &w->step[i]);

		w->traffic += c->impact > IMPACT_NONE;
		j->judge->make(j->now, c, see, j);
	}
	w->unsafe = j->seen_unsafe;
	w->complete = ends_well(j);
}

/* Is @a better than @b? Of equals the first one that was tried stays. */
static bool better(const struct way *a, const struct way *b, bool safety)
{
	const unsigned x[] = { safety ? a->unsafe : a->traffic, safety ? a->traffic : a->unsafe, (unsigned)a->n };
	const unsigned y[] = { safety ? b->unsafe : b->traffic, safety ? b->traffic : b->unsafe, (unsigned)b->n };

	if (a->complete != b->complete)
		return a->complete;
	for (size_t i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] < y[i];
	return false;
}

static void consider(struct judged *j, struct way *w)
{
	try(j, w);
	if (!j->cheap.n || better(w, &j->cheap, false))
		j->cheap = *w;
	if (!j->safe.n || better(w, &j->safe, true))
		j->safe = *w;
}

/* @todo: steps that are left; the second one of two waits for the first. */
static void permute(struct judged *j, struct way *w, const struct step *todo, bool *used, size_t n)
{
	if (w->n == n) {
		struct way done = *w;

		consider(j, &done);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (used[i] || (todo[i].pass == REST && !used[i - 1]))
			continue;
		used[i] = true;
		w->step[w->n++] = todo[i];
		permute(j, w, todo, used, n);
		w->n--;
		used[i] = false;
	}
}

static void try_all(struct judged *j)
{
	for (unsigned in_two = 0; in_two < 1u << j->n; in_two++) {
		struct step todo[2 * MOST];
		bool used[2 * MOST] = { false }, possible = true;
		struct way w = { .n = 0 };
		size_t n = 0;

		for (unsigned i = 0; i < j->n; i++) {
			bool two = in_two >> i & 1;

			possible &= !two || j->grown[i];
			todo[n++] = (struct step){ i, two ? GROWN : WHOLE };
			if (two)
				todo[n++] = (struct step){ i, REST };
		}
		if (possible)
			permute(j, &w, todo, used, n);
	}
}

/* --- the result ------------------------------------------------------------------- */

static bool values_of(const struct change *c, struct text *t)
{
	bool any = false;

	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];

		for (size_t k = 0; p->setting->grow && k < p->want->n; k++) {
			if (p->want->at[k].state != CELL_VALUE || !(p->differs[k] || c->again))
				continue;
			text_printf(t, "%s%s ", any ? " and " : "", p->want->at[k].name);
			value_print(p->want->at[k].field, &p->want->at[k].value, t);
			any = true;
		}
	}
	return any;
}

/* "app, qos.pfc 4": what grows is told by its value, since it may come twice. */
static const char *words_of(const struct judged *j, const struct way *w)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < w->n; i++) {
		const struct change *c = change_of(j, &w->step[i]);

		text_add(&t, i ? ", then " : "");
		if (!values_of(c, &t))
			text_add(&t, c->object);
	}
	return arena_strdup(j->run->arena, text_str(&t));
}

struct telling {
	struct judged *j;
	const char *why;
};

static void tell(const struct moment *m, void *arg)
{
	struct telling *t = arg;

	if (!t->why)
		t->j->judge->unsafe(t->j->before, m, t->j->after, t->j->run->arena, &t->why);
}

/* Names the first moment in each change that is not safe. Return: the first of all, or NULL */
static const char *name_moments(struct judged *j, const struct way *w, bool keep)
{
	const char *first = NULL;

	memcpy(j->now, j->before, j->judge->size);
	for (size_t i = 0; i < w->n; i++) {
		struct change *c = change_of(j, &w->step[i]);
		struct telling t = { .j = j };

		j->judge->make(j->now, c, tell, &t);
		first = first ? first : t.why;
		if (keep)
			c->unsafe = t.why;
	}
	return first;
}

static const char *no_safe_order(const struct judged *j)
{
	if (j->cannot_hold)
		return arena_printf(j->run->arena, "no order is safe, and the device cannot hold what serves both: %s", j->cannot_hold);
	return "no order is safe";
}

/* What there is beside the way that is taken. */
static const char *other_way(struct judged *j, const struct way *w)
{
	struct arena *a = j->run->arena;

	if (w->unsafe && j->safe.complete && !j->safe.unsafe)
		return arena_printf(a, "the safe way is %s: with %u more that traffic notices, it is for a port in use",
				    words_of(j, &j->safe), j->safe.traffic - w->traffic);
	if (w->unsafe)
		return no_safe_order(j);
	if (w->traffic > j->cheap.traffic)
		return arena_printf(a, "the cheaper way is %s; it is for a port that nobody uses: %s", words_of(j, &j->cheap),
				    name_moments(j, &j->cheap, false));
	return NULL;
}

/* Does safety cost impact, so that it matters whether somebody uses the port? */
static const struct way *chosen(struct judged *j)
{
	const struct use *use;

	if (j->cheap.traffic < j->safe.traffic)
		for (size_t i = 0; i < j->n; i++)
			if (j->change[i]->impact > IMPACT_NONE && consent_in_use(j->run, j->change[i], &use, j->d))
				return &j->safe;
	return &j->cheap;
}

/* In the order of the list, as one pass. Return: is every moment safe */
static bool try_first(struct judged *j)
{
	struct way w = { .n = j->n };

	for (unsigned i = 0; i < j->n; i++)
		w.step[i] = (struct step){ i, WHOLE };
	consider(j, &w);
	return w.complete && !w.unsafe;
}

size_t judged_order(struct judged *j, struct change ***out)
{
	const struct way *w;

	if (!try_first(j)) {
		for (size_t i = 0; i < j->n; i++)
			j->grown[i] = grow(j, j->change[i]);
		try_all(j);
	}
	w = chosen(j);
	name_moments(j, w, true);
	if (w->n)
		change_of(j, &w->step[0])->instead = other_way(j, w);
	*out = arena_array_of(j->run->arena, struct change *, w->n);
	for (size_t i = 0; i < w->n; i++) {
		(*out)[i] = change_of(j, &w->step[i]);
		if (w->step[i].pass == REST)
			shrink(j, (*out)[i], j->grown[w->step[i].change]);
	}
	return w->n;
}

/* --- some of them were refused ------------------------------------------------------ */

/* Is the port unsafe for good, once those that are not refused were made? */
static bool ends_unsafe(struct judged *j, const char **why)
{
	memcpy(j->now, j->before, j->judge->size);
	for (size_t i = 0; i < 2 * j->n; i++)
		if (!j->change[i % j->n]->refused)
			j->judge->make(j->now, j->change[i % j->n], NULL, NULL);
	return j->judge->unsafe(j->before, j->now, j->after, j->run->arena, why);
}

void judged_holds_back(struct judged *j)
{
	const char *why = NULL;
	bool refused = false;

	for (size_t i = 0; i < j->n; i++)
		refused |= j->change[i]->refused;
	for (size_t i = j->n; refused && i-- > 0 && ends_unsafe(j, &why);)
		if (!j->change[i]->refused)
			change_refuse(j->change[i], REFUSED_WITHOUT, "without what is left alone beside it, %s: allow that too", why);
}
