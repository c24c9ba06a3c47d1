/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safest order (law 8): node first, then one port at a time, so that a bond keeps its other members. On a port
 * what grows comes in the catalog's order and what shrinks backwards. Boot files come last: nothing waits for them.
 */
#include <stdlib.h>

#include "engine/engine.h"

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

static int compare(const void *a, const void *b, void *arg)
{
	const struct change *x = *(struct change *const *)a, *y = *(struct change *const *)b;
	const struct run *run = arg;
	size_t px, py;

	if ((x->phase == PHASE_BOOT) != (y->phase == PHASE_BOOT))
		return x->phase == PHASE_BOOT ? 1 : -1;
	if (x->target->port != y->target->port)		/* ports are one array: by its order; the node has none */
		return x->target->port < y->target->port ? -1 : 1;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	px = place_of(run->catalog, x);
	py = place_of(run->catalog, y);
	if (px == py)
		return 0;
	return (px < py) == (x->phase != PHASE_SHRINK) ? -1 : 1;
}

void order_changes(const struct run *run, struct change **change, size_t n)
{
	/* qsort_r is not stable everywhere, but equal places are changes of one setting, each a field of its own */
	qsort_r(change, n, sizeof(*change), compare, (void *)(uintptr_t)run);
}
