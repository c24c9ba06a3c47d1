/* SPDX-License-Identifier: Apache-2.0 */
/* Records of cells: desired and observed are one type. */
#include "model/record.h"

#include <string.h>

#include "base/arena.h"
#include "model/setting.h"

bool home_sets(const struct home *h)
{
	return h->write || h->files;
}

unsigned setting_nfields(const struct setting *s)
{
	unsigned n = 0;

	while (s->fields[n].name)
		n++;
	return n;
}

struct record *record_new(struct arena *a, const struct setting *s)
{
	struct record *r = arena_new_of(a, struct record);

	r->setting = s;
	r->arena = a;
	r->n = r->room = setting_nfields(s);
	r->at = arena_array_of(a, struct cell, r->n);
	for (size_t i = 0; i < r->n; i++) {
		r->at[i].field = &s->fields[i];
		r->at[i].name = s->fields[i].name;
	}
	return r;
}

struct record *record_copy(struct arena *a, const struct record *r)
{
	struct record *copy = arena_new_of(a, struct record);

	*copy = *r;
	copy->arena = a;
	copy->room = r->n;
	copy->at = arena_grow(a, r->at, r->n, 0, sizeof(*r->at));
	return copy;
}

struct cell *record_find(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->at[i].name, name))
			return &r->at[i];
	return NULL;
}

/* "modules.*.options.*" with its stars replaced */
static const char *star_name(struct arena *a, const char *pattern, const char *const star[2])
{
	const char *first = strchr(pattern, '*'), *second = first ? strchr(first + 1, '*') : NULL;

	if (!second)
		return arena_printf(a, "%.*s%s%s", (int)(first - pattern), pattern, star[0], first + 1);
	return arena_printf(a, "%.*s%s%.*s%s%s", (int)(first - pattern), pattern, star[0], (int)(second - first - 1), first + 1,
			    star[1], second + 1);
}

static struct cell *add_named(struct record *r, unsigned field, const char *const star[2], const char *name)
{
	struct cell *c = &list_add(r, r->arena);

	*c = (struct cell){ .field = &r->setting->fields[field], .name = name };
	c->star[0] = arena_strdup(r->arena, star[0]);
	c->star[1] = star[1] ? arena_strdup(r->arena, star[1]) : NULL;
	return c;
}

struct cell *record_named(struct record *r, unsigned field, const char *star0, const char *star1)
{
	const char *const star[2] = { star0, star1 };
	const char *name = star_name(r->arena, r->setting->fields[field].name, star);
	struct cell *c = record_find(r, name);

	return c ? c : add_named(r, field, star, name);
}

struct cell *record_add(struct record *r, unsigned field, const char *star0, const char *star1)
{
	const char *const star[2] = { star0, star1 };

	return add_named(r, field, star, star_name(r->arena, r->setting->fields[field].name, star));
}

struct record *record_open(struct arena *a, const struct setting *s, const struct record *want)
{
	struct record *r;

	if (!want) {
		r = record_new(a, s);
		for (size_t i = 0; i < r->n; i++)
			if (!strchr(r->at[i].name, '*'))
				r->at[i].state = CELL_OPEN;
		return r;
	}
	r = arena_new_of(a, struct record);
	*r = (struct record){ .setting = s, .arena = a, .n = want->n, .room = want->n };
	r->at = arena_array_of(a, struct cell, want->n);
	for (size_t i = 0; i < r->n; i++) {
		const struct cell *w = &want->at[i];

		r->at[i] = (struct cell){ .field = w->field, .name = w->name, .star = { w->star[0], w->star[1] } };
		r->at[i].state = w->state == CELL_SILENT ? CELL_SILENT : CELL_OPEN;
	}
	return r;
}

bool record_has(const struct record *r, unsigned field)
{
	return r && field < r->n && r->at[field].state == CELL_VALUE;
}

int64_t record_num(const struct record *r, unsigned field, int64_t otherwise)
{
	return record_has(r, field) ? r->at[field].value.num : otherwise;
}

uint8_t record_at(const struct record *r, unsigned field, unsigned i, uint8_t otherwise)
{
	if (!record_has(r, field) || r->at[field].value.map[i] == VALUE_UNSET)
		return otherwise;
	return r->at[field].value.map[i];
}

int64_t record_amount(const struct record *r, unsigned field, unsigned i, int64_t otherwise)
{
	if (!record_has(r, field) || r->at[field].value.amount[i] == AMOUNT_UNSET)
		return otherwise;
	return r->at[field].value.amount[i];
}

bool record_managed(const struct record *r)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (r->at[i].state != CELL_SILENT)
			return true;
	return false;
}

bool cell_same(const struct cell *want, const struct value *have, const struct record *observed)
{
	return value_same(want->field, &want->value, have, observed) ||
	       (want->also && value_same(want->field, want->also, have, observed));
}

void cell_set_num(struct cell *c, int64_t num)
{
	c->state = CELL_VALUE;
	c->value = (struct value){ .num = num };
}

void cell_set_text(struct cell *c, const char *text)
{
	c->state = CELL_VALUE;
	c->value = (struct value){ .text = text };
}

void cell_set_map(struct cell *c, struct arena *a, const uint8_t *map, size_t n)
{
	c->state = CELL_VALUE;
	c->value = (struct value){ .map = arena_grow(a, map, n, 0, 1) };
}

void cell_set_amounts(struct cell *c, struct arena *a, const int64_t amount[AMOUNTS])
{
	c->state = CELL_VALUE;
	c->value = (struct value){ .amount = arena_grow(a, amount, AMOUNTS, 0, sizeof(*amount)) };
}

void cell_set_reason(struct cell *c, enum reason reason, const char *because)
{
	c->state = CELL_REASON;
	c->reason = reason;
	c->because = because;
}
