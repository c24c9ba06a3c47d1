/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of writes (law 8): node first, then one port at a time, so that a bond keeps its other members. On a port
 * what grows comes in the catalog's order and what shrinks backwards; if a moment of that is not safe, its judged changes
 * come in the order that safest.c finds. What tells others of the port comes when all of it is so. Boot files come last:
 * nothing waits for them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/planning.h"
#include "model/moment.h"

/* Place of a setting in the catalog, which is grow order. */
static size_t place(const struct catalog *c, const struct setting *s)
{
	size_t i = 0;

	while (i < c->nsettings && c->setting[i] != s)
		i++;
	return i;
}

/* An object that several settings share comes when the last of them may: PFC after ETS, though pause lives there too. */
static size_t place_of(const struct catalog *c, const struct change *change)
{
	size_t last = 0;

	for (size_t i = 0; i < change->nparts; i++) {
		size_t at = place(c, change->part[i].setting);

		last = at > last ? at : last;
	}
	return last;
}

static bool tells(const struct change *c)
{
	return c->part[0].home->tells != NULL;
}

int order_compare(const struct run *run, const struct change *x, const struct change *y)
{
	size_t px, py;

	if ((x->phase == PHASE_BOOT) != (y->phase == PHASE_BOOT))
		return x->phase == PHASE_BOOT ? 1 : -1;
	if (x->target->port != y->target->port)		/* ports are one array: by its order; the node has none */
		return x->target->port < y->target->port ? -1 : 1;
	if (tells(x) != tells(y))
		return tells(x) ? 1 : -1;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	px = place_of(run->catalog, x);
	py = place_of(run->catalog, y);
	if (px == py)
		return 0;
	return (px < py) == (x->phase != PHASE_SHRINK) ? -1 : 1;
}

static int compare(const void *a, const void *b, void *run)
{
	return order_compare(run, *(struct change *const *)a, *(struct change *const *)b);
}

struct list {
	struct change **at;
	size_t n, room;
};

static void append(struct run *run, struct list *l, struct change *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		list_add(l, run->arena) = from[i];
}

/* Changes of one port, sorted: the judged ones come together, where the first of them stood. */
static void add_port(struct run *run, struct plan *plan, struct change *const *c, size_t n, struct list *out, struct diags *d)
{
	struct judged *j = c[0]->target->port ? judged_port(run, plan, c[0]->target->port, c, n, d) : NULL;
	struct change **ordered = NULL;
	size_t nordered = j ? judged_order(j, &ordered) : 0;

	if (!nordered) {
		append(run, out, c, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!judged_has(j, c[i])) {
			append(run, out, &c[i], 1);
			continue;
		}
		append(run, out, ordered, nordered);
		nordered = 0;
	}
}

void order_changes(struct run *run, struct plan *plan, struct diags *d)
{
	struct list out = { 0 };
	size_t nrefused = plan->nrefused;

	/* qsort_r is not stable everywhere, but equal places are changes of one setting, each a field of its own */
	qsort_r(plan->change, plan->n, sizeof(*plan->change), compare, run);
	for (size_t i = 0, end; i < plan->n; i = end) {
		const struct change *first = plan->change[i];

		for (end = i + 1; end < plan->n && plan->change[end]->target->port == first->target->port &&
				  (plan->change[end]->phase == PHASE_BOOT) == (first->phase == PHASE_BOOT);)
			end++;
		if (first->phase == PHASE_BOOT)
			append(run, &out, plan->change + i, end - i);
		else
			add_port(run, plan, plan->change + i, end - i, &out, d);
	}
	append(run, &out, plan->change + plan->n, nrefused);
	plan->change = out.at;
	plan->n = out.n - nrefused;
}
