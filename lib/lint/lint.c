/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the tables of rules, and keeps a finding from being told once for each node that has it. */
#include "lint/lint.h"

#include <string.h>

#include "base/arena.h"
#include "model/record.h"

#define LINT(name) extern const struct lint_rule lint_##name[];
#include "lint/list.h"
#undef LINT

static const struct lint_rule *const tables[] = {
#define LINT(name) lint_##name,
#include "lint/list.h"
#undef LINT
};

enum { NTABLES = sizeof(tables) / sizeof(tables[0]) };

void lint_init(struct lint *l, const struct catalog *c)
{
	*l = (struct lint){ .catalog = c };
}

const struct lint_rule *lint_rule(size_t i)
{
	for (size_t t = 0; t < NTABLES; t++)
		for (const struct lint_rule *r = tables[t]; r->name; r++)
			if (i-- == 0)
				return r;
	return NULL;
}

void lint_visit(const struct policy_group *g, void *lint, struct diags *d)
{
	struct lint *l = lint;

	l->group = g;
	l->d = d;
	for (size_t t = 0; t < NTABLES; t++)
		for (l->rule = tables[t]; l->rule->name; l->rule++)
			l->rule->check(l);
}

const struct cell *lint_cell(const struct lint *l, const char *name)
{
	for (size_t i = 0; i < l->group->n; i++) {
		const struct cell *c = record_find(l->group->record[i], name);

		if (c)
			return c->state == CELL_VALUE ? c : NULL;
	}
	return NULL;
}

bool lint_num(const struct lint *l, const char *name, int64_t *num)
{
	const struct cell *c = lint_cell(l, name);

	if (c)
		*num = c->value.num;
	return c != NULL;
}

bool lint_set(const struct lint *l, const char *name, uint64_t *set)
{
	const struct cell *c = lint_cell(l, name);

	if (c)
		*set = (uint64_t)c->value.num;
	return c != NULL;
}

static bool same_place(const struct pos *a, const struct pos *b)
{
	return a->source == b->source && a->line == b->line && a->col == b->col;
}

static bool told(const struct lint *l, const struct pos *pos, const char *what)
{
	for (size_t i = 0; i < l->d->n; i++) {
		const struct diag *one = &l->d->at[i];

		if (one->rule == l->rule->name && same_place(&one->pos, pos) && !strcmp(one->what, what))
			return true;
	}
	return false;
}

struct diag *lint_find(struct lint *l, const struct pos *pos, const char *fmt, ...)
{
	static struct diag *(*const tell[])(struct diags *, const struct pos *, const char *, ...) = {
		[SEVERITY_NOTE] = diag_note, [SEVERITY_WARNING] = diag_warning, [SEVERITY_ERROR] = diag_error,
	};
	struct diag *one;
	const char *what;
	va_list ap;

	va_start(ap, fmt);
	what = arena_vprintf(l->d->arena, fmt, ap);
	va_end(ap);
	if (told(l, pos, what))
		return NULL;
	one = tell[l->rule->severity](l->d, pos, "%s", what);
	one->rule = l->rule->name;
	one->hint = l->rule->fix;
	if (*l->group->group)
		one->object = l->group->group;
	return one;
}
