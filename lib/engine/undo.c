/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undo: newest first, each step written by the home that made it and verified like any other. Used when a run fails, and
 * from the journal by rollback and recover.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/doing.h"
#include "kernel/kernel.h"

/* Swaps have and want: no home knows which it does. What had no value before stays as it is. */
struct change *undo_of(struct applying *a, const struct change *c)
{
	struct change *u = arena_new_of(a->run->arena, struct change);

	*u = *c;
	u->undo = true;
	u->part = arena_array_of(a->run->arena, struct change_part, c->nparts);
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];
		struct record *want = record_copy(a->run->arena, p->have);

		for (size_t j = 0; j < want->n; j++)
			if (want->at[j].state != CELL_VALUE || p->want->at[j].state != CELL_VALUE)
				want->at[j].state = CELL_SILENT;
		u->part[i] = (struct change_part){ .setting = p->setting, .home = p->home, .have = p->want, .want = want,
						   .differs = p->differs };
		for (size_t j = 0; j < want->n; j++)	/* for read_part: who serves the cell */
			((struct record *)(uintptr_t)u->part[i].have)->at[j].home = p->have->at[j].home;
	}
	return u;
}

static bool reloads(struct change *const *change, size_t n, const struct port *p)
{
	for (size_t i = 0; i < n; i++)
		if (change[i]->impact == IMPACT_RELOAD && doing_same_port(change[i]->target->port, p))
			return true;
	return false;
}

/* A device that this run itself reloaded, on its way or back, is a new one, too, and has to hold what it held before. */
static bool reloaded(const struct applying *a, const struct port *p)
{
	return reloads(a->done.at, a->done.n, p) || reloads(a->undone.at, a->undone.n, p);
}

bool undo_is_needless(struct applying *a, const struct target *t)
{
	if (reloaded(a, t->port) || !doing_is_gone(a, t))
		return false;
	diag_note(a->d, NULL, "%s is not there any more, or came back as a new device: nothing is left to undo on it", t->name);
	return true;
}

size_t undo_changes(struct applying *a, struct change *const *change, size_t n)
{
	size_t failed = 0;

	for (size_t i = n; i-- > 0;) {
		struct change *c = change[i], *u = undo_of(a, c);
		int r;

		c->undone = true;		/* so that its own write is what counts */
		r = doing_change(a, u);
		if (r == 0) {
			list_add(&a->undone, a->run->arena) = u;
			continue;
		}
		if (undo_is_needless(a, c->target))
			continue;
		diag_error(a->d, NULL, "cannot undo %s", c->object);
		diag_object(a->d, "%s", c->target->name);
		diag_hint(a->d, "`rdmactl show` says what it holds; put it right by hand, then `rdmactl recover`");
		failed++;
	}
	return failed;
}

void undo_outcome(struct applying *a, const char *result, int exit_code, struct outcome *out)
{
	out->facts = a->run->facts;
	out->catalog = a->run->catalog;
	out->change = a->undone.at;
	out->nchanges = a->undone.n;
	out->changed = a->run->kernel->writes > 0;
	out->nwrites = a->run->kernel->writes;
	out->returns = true;
	out->result = result;
	out->exit_code = exit_code;
}
