/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for people: each kernel object in the order in which it is written, what changes in it, and what that does. */
#include <string.h>

#include "base/arena.h"
#include "report/words.h"

enum { NUMBER, TARGET, OBJECT, CHANGE, IMPACT, EFFECTIVE };

bool change_differing(const struct change_part *p, size_t i)
{
	if (p->want->at[i].state != CELL_VALUE)
		return false;
	return !p->differs || p->differs[i];
}

static void below(struct text *t, const char *word, const char *s)
{
	if (!s)
		return;
	text_printf(t, "     %s", word);
	text_add_safe(t, s, strlen(s));
	text_char(t, '\n');
}

static const char *from_to(struct arena *a, const struct cell *want, const struct cell *have)
{
	const char *from, *to;

	words_difference(a, want, have, &to, &from);
	return arena_printf(a, "%s: %s -> %s", text_safe(a, want->name, strlen(want->name), SIZE_MAX), from, to);
}

static void add_first(struct grid *g, const struct change *c, const char *number, struct grid_row *row)
{
	row->cell[NUMBER] = number;
	row->cell[TARGET] = words_target(g->arena, c->target);
	row->cell[OBJECT] = text_safe(g->arena, c->object, strlen(c->object), SIZE_MAX);
	row->cell[IMPACT] = impact_name(c->impact);
	row->cell[EFFECTIVE] = effective_name(c->effective);
	row->tone = c->refused || c->impact == IMPACT_RELOAD ? TONE_BAD
		    : c->impact == IMPACT_TRAFFIC	     ? TONE_DOUBT
							     : TONE_PLAIN;
}

/* Files of ours that go: after the change there is none. */
static void add_removed(struct text *t, const struct change *c)
{
	for (size_t i = 0; !c->refused && i < c->nfiles; i++) {
		const struct change_file *f = &c->file[i];

		if (!(c->undo ? f->before : f->after)) {
			text_add(t, "     removes: /");
			text_add_safe(t, f->path, strlen(f->path));
			text_char(t, '\n');
		}
	}
}

/* A line for each value that the change sets; the story stands below the last one. */
static void add_change(struct grid *g, const struct change *c, const char *number)
{
	TEXT_CLEANUP struct text t = { 0 };
	size_t first = g->n;

	for (size_t i = 0; i < c->nparts; i++)
		for (size_t j = 0; j < c->part[i].want->n; j++) {
			const struct change_part *p = &c->part[i];
			struct grid_row *row;

			if (!change_differing(p, j))
				continue;
			row = grid_add(g);
			row->cell[CHANGE] = from_to(g->arena, &p->want->at[j], j < p->have->n ? &p->have->at[j] : NULL);
		}
	if (g->n == first)
		grid_add(g);
	add_first(g, c, number, &g->at[first]);
	add_removed(&t, c);
	below(&t, "because: ", c->because);
	below(&t, "leaves: ", c->leaves);
	below(&t, "not safe: ", c->unsafe);
	below(&t, "order: ", c->instead);
	if (c->refused)
		below(&t, "not done: ", c->refused_why);
	if (t.n)
		g->at[g->n - 1].below = arena_strndup(g->arena, text_str(&t), t.n);
}

static struct grid grid_of_changes(struct arena *a)
{
	static const char *const heads[] = { "#", "TARGET", "OBJECT", "CHANGE", "IMPACT", "EFFECTIVE" };
	struct grid g = { .arena = a };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		grid_column(&g, heads[i]);
	g.right[NUMBER] = true;
	return g;
}

/* --- the total ---------------------------------------------------------------- */

enum { NAMES = 8 };			/* that one line tells; of more the number */

static bool does_same(const struct change *a, const struct change *b)
{
	return a->impact == b->impact && !strcmp(a->does ? a->does : "", b->does ? b->does : "");
}

/* Is there a change before @i that does the same (@at: to the same target)? */
static bool told_before(const struct outcome *o, size_t i, bool at)
{
	for (size_t j = 0; j < i; j++)
		if (does_same(o->change[j], o->change[i]) &&
		    (!at || !strcmp(o->change[j]->target->name, o->change[i]->target->name)))
			return true;
	return false;
}

/* "link bounce of nic0, nic1": all targets to which what @first does is done */
static void add_targets(struct text *t, const struct outcome *o, size_t first)
{
	const char *comma = "";
	size_t n = 0;

	if (o->change[first]->does)
		text_printf(t, "%s of ", o->change[first]->does);
	for (size_t i = first; i < o->nchanges; i++) {
		if (!does_same(o->change[i], o->change[first]) || told_before(o, i, true) || ++n > NAMES)
			continue;
		text_add(t, comma);
		text_add_safe(t, o->change[i]->target->name, strlen(o->change[i]->target->name));
		comma = ", ";
	}
	if (n > NAMES)
		text_printf(t, " and %zu more", n - NAMES);
}

static void add_does(struct text *t, const struct outcome *o, enum impact impact)
{
	const char *before = " (";

	for (size_t i = 0; i < o->nchanges; i++) {
		if (o->change[i]->impact != impact || told_before(o, i, false))
			continue;
		text_add(t, before);
		add_targets(t, o, i);
		before = "; ";
	}
	text_add(t, *before == ';' ? ")" : "");
}

/* "3 changes: 2 none, 1 traffic (link bounce of nic0); effective now" */
static void add_total(struct text *t, const struct outcome *o)
{
	size_t impacts[IMPACT_RELOAD + 1] = { 0 }, effects[EFFECTIVE_REBOOT + 1] = { 0 }, kinds = 0;
	const char *comma = "";

	for (size_t i = 0; i < o->nchanges; i++) {
		impacts[o->change[i]->impact]++;
		kinds += !effects[o->change[i]->effective]++;
	}
	text_printf(t, "\n%zu change%s: ", o->nchanges, o->nchanges == 1 ? "" : "s");
	for (int i = IMPACT_NONE; i <= IMPACT_RELOAD; i++) {
		if (!impacts[i])
			continue;
		text_printf(t, "%s%zu %s", comma, impacts[i], impact_name((enum impact)i));
		if (i != IMPACT_NONE)
			add_does(t, o, (enum impact)i);
		comma = ", ";
	}
	comma = "; effective ";
	for (int i = EFFECTIVE_NOW; i <= EFFECTIVE_REBOOT; i++) {
		if (!effects[i])
			continue;
		text_add(t, comma);
		if (kinds > 1)
			text_printf(t, "%zu ", effects[i]);
		text_add(t, effective_name((enum effective)i));
		comma = ", ";
	}
	text_char(t, '\n');
}

static const char *title(const struct outcome *o)
{
	if (!strcmp(o->command, "forget"))
		return "Removed, and looked for again:";
	if (o->returns && !strncmp(o->result, "would", 5))
		return "Would be put back, in this order:";
	if (o->returns)
		return strcmp(o->command, "confirm") ? "Put back and read back, in this order:" : "Written and read back, in this order:";
	if (strcmp(o->command, "apply") != 0)
		return "Planned, in this order:";
	if (!strcmp(o->result, "failed-rolled-back"))
		return "Written in this order, and undone in reverse:";
	if (!strcmp(o->result, "in-between"))
		return "Written in this order, before it failed:";
	return "Written and read back, in this order:";
}

void changes_print(const struct outcome *o, const struct report_options *opt, struct arena *a, struct text *out)
{
	struct grid made = grid_of_changes(a), refused = grid_of_changes(a);

	for (size_t i = 0; i < o->nchanges; i++)
		add_change(&made, o->change[i], arena_printf(a, "%zu", i + 1));
	for (size_t i = 0; i < o->nrefused; i++)
		add_change(&refused, o->change[o->nchanges + i], "-");
	if (made.n)
		text_printf(out, "\n%s\n", title(o));
	grid_print(&made, opt->color, out);
	if (made.n)
		add_total(out, o);
	if (refused.n)
		text_add(out, "\nLeft alone:\n");
	grid_print(&refused, opt->color, out);
}
