/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the tables of rules, and keeps a finding from being told once for each node that has it. */
#include "lint/lint.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/text.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "model/record.h"

#define LINT(name) extern const struct lint_rule lint_##name[];
#include "lint/list.h"
#undef LINT

static const struct lint_rule *const tables[] = {
#define LINT(name) lint_##name,
#include "lint/list.h"
#undef LINT
};

enum { NTABLES = sizeof(tables) / sizeof(tables[0]), WHAT_MAX = 1024 };

/* --- rules -------------------------------------------------------------------- */

const struct lint_rule *lint_rule(size_t i)
{
	for (size_t t = 0; t < NTABLES; t++)
		for (const struct lint_rule *r = tables[t]; r->is.name; r++)
			if (i-- == 0)
				return r;
	return NULL;
}

size_t lint_number(const char *name)
{
	size_t i = 0;

	for (size_t t = 0; t < NTABLES; t++)
		for (const struct lint_rule *r = tables[t]; r->is.name; r++, i++)
			if (!strcmp(r->is.name, name))
				return i;
	return i;
}

const struct lint_rule *lint_named(const char *name)
{
	return lint_rule(lint_number(name));
}

size_t lint_rules(const struct rule *rule[LINT_RULES_MAX])
{
	size_t n = 0;

	for (size_t t = 0; t < NTABLES; t++)
		for (const struct lint_rule *r = tables[t]; r->is.name; r++)
			rule[n++] = &r->is;
	return n;
}

/* --- judging ------------------------------------------------------------------ */

void lint_init(struct lint *l, const struct catalog *c, struct diags *d)
{
	*l = (struct lint){ .catalog = c, .d = d };
}

static void found_add(struct found *f, const struct lint_rule *rule)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->rule[i] == rule)
			return;
	f->rule[f->n++] = rule;
}

static bool is_named(const char *name, const char *const *names)
{
	while (names && *names && strcmp(*names, name) != 0)
		names++;
	return names && *names;
}

/* Is this finding, or one that explains it, told of what is in hand? What was found is little, and asked one by one. */
static bool explained(const struct lint *l)
{
	for (size_t i = 0; i < l->found.n; i++)
		if (l->found.rule[i] == l->rule || is_named(l->found.rule[i]->is.name, l->rule->after))
			return true;
	return false;
}

enum view { VIEW_FABRIC, VIEW_LINK, VIEW_GROUP };

static void judge(struct lint *l, enum view view)
{
	l->number = 0;
	for (size_t t = 0; t < NTABLES; t++)
		for (l->rule = tables[t]; l->rule->is.name; l->rule++, l->number++) {
			bool (*const check[])(struct lint *) = { l->rule->fabric, l->rule->link, l->rule->group };

			if (check[view] && !explained(l) && check[view](l))
				l->judged[l->number] = true;
		}
}

static const char *object_of(struct lint *l, const char *rest)
{
	bool single = !strcmp(l->fabric->name, FABRIC_DEFAULT);

	return arena_printf(l->d->arena, "%s%s%s%s", single ? "" : "fabric ", single ? "" : l->fabric->name,
			    single || !*rest ? "" : ", ", rest);
}

struct fabric_found {
	const struct fabric *fabric;
	struct found found;
};

static void unite(struct found *all, const struct found *more)
{
	for (size_t i = 0; i < more->n; i++)
		found_add(all, more->rule[i]);
}

static void judge_links(struct lint *l, const struct fabric_tier *t, const struct found *above, struct found *all)
{
	l->tier = t;
	for (size_t i = 0; i < t->n; i++) {
		l->link = &t->link[i];
		l->object = object_of(l, arena_printf(l->d->arena, "tier %s, link %s", t->name, l->link->name));
		l->found = *above;
		judge(l, VIEW_LINK);
		unite(all, &l->found);
	}
	l->tier = NULL;
	l->link = NULL;
}

void lint_fabric(struct lint *l, const struct fabric *f)
{
	struct found own, all;

	l->group = NULL;
	l->fabric = f;
	l->found = (struct found){ .n = 0 };
	l->object = object_of(l, "");
	l->object = *l->object ? l->object : NULL;
	judge(l, VIEW_FABRIC);
	own = all = l->found;
	for (size_t t = 0; t < f->ntiers; t++)
		judge_links(l, &f->tier[t], &own, &all);
	list_add(&l->fabrics, l->d->arena) = (struct fabric_found){ f, all };
}

/* What was found in the group's fabric; judged now if nobody did so before. */
static void take_fabric(struct lint *l, const struct fabric *f)
{
	for (size_t i = 0; f && i < l->fabrics.n; i++)
		if (l->fabrics.at[i].fabric == f) {
			l->found = l->fabrics.at[i].found;
			l->fabric = f;
			return;
		}
	if (f)
		lint_fabric(l, f);
	else
		l->found = (struct found){ .n = 0 };
	l->fabric = f;
	if (f)
		l->found = l->fabrics.at[l->fabrics.n - 1].found;
}

static void take_cells(struct lint *l, const struct policy_group *g)
{
	l->cell.n = 0;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->record[i]->n; k++)
			if (g->record[i]->at[k].state == CELL_VALUE)
				list_add(&l->cell, l->d->arena) = &g->record[i]->at[k];
}

void lint_visit(const struct policy_group *g, void *lint, struct diags *d)
{
	struct lint *l = lint;

	l->d = d;
	take_fabric(l, g->fabric);
	l->group = g;
	l->object = *g->group ? g->group : NULL;
	take_cells(l, g);
	judge(l, VIEW_GROUP);
}

/* --- what rules ask ----------------------------------------------------------- */

const struct cell *lint_cell(const struct lint *l, const char *name)
{
	for (size_t i = 0; i < l->cell.n; i++)
		if (!strcmp(l->cell.at[i]->name, name))
			return l->cell.at[i];
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

const char *lint_bytes(struct lint *l, int64_t bytes)
{
	TEXT_CLEANUP struct text t = { 0 };

	units_print(bytes, "bytes", &t);
	return arena_strdup(l->d->arena, text_str(&t));
}

const char *lint_priorities(struct lint *l, uint64_t set)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '{');
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (set >> i & 1)
			text_printf(&t, t.n > 1 ? ",%u" : "%u", i);
	text_char(&t, '}');
	return arena_strdup(l->d->arena, text_str(&t));
}

const char *lint_dscps(struct lint *l, uint64_t set)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (unsigned i = 0, last; i < DSCPS; i = last + 1) {
		for (last = i; last < DSCPS - 1 && set >> i & 1 && set >> (last + 1) & 1; last++)
			;
		if (set >> i & 1)
			text_printf(&t, last > i ? "%s%u-%u" : "%s%u", t.n ? "," : "", i, last);
	}
	return arena_printf(l->d->arena, "DSCP%s %s", set & (set - 1) ? "s" : "", text_str(&t));
}

/* --- findings ----------------------------------------------------------------- */

static uint64_t hash_of(const struct lint *l, const struct pos *pos, const char *what)
{
	uint64_t h = hash_number(hash_seed(), l->number);

	h = hash_add(h, &pos->source, sizeof(pos->source));
	h = hash_number(h, (uint64_t)pos->line << 32 | pos->col);
	return hash_add(h, what, strlen(what));
}

struct diag *lint_find(struct lint *l, const struct pos *pos, const char *fmt, ...)
{
	static struct diag *(*const tell[])(struct diags *, const struct pos *, const char *, ...) = {
		[SEVERITY_NOTE] = diag_note, [SEVERITY_WARNING] = diag_warning, [SEVERITY_ERROR] = diag_error,
	};
	const struct rule *rule = &l->rule->is;
	const struct allow *allow;
	char what[WHAT_MAX]; /* of a hundred thousand nodes few are kept: nothing stays behind of the others */
	struct diag *one;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	found_add(&l->found, l->rule);
	if (!hash_set_add(&l->told, l->d->arena, hash_of(l, pos, what)))
		return NULL;
	allow = allows_find(&l->allows, pos, rule->name, l->d->arena);
	one = tell[allow ? SEVERITY_NOTE : rule->severity](l->d, pos, "%s", what);
	one->rule = rule->name;
	one->hint = rule->fix;
	if (l->object && *one->what)		/* a group lives as long as its visit */
		one->object = arena_strdup(l->d->arena, l->object);
	one->allowed = allow ? allow->because : NULL;
	return one;
}
