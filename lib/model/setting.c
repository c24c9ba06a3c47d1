/* SPDX-License-Identifier: Apache-2.0 */
/* What homes answer, what changes hold, and the lists. */
#include "model/setting.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "model/catalog.h"
#include "model/change.h"
#include "model/row.h"

const char *impact_name(enum impact i)
{
	static const char *const names[] = { "none", "traffic", "reload" };

	return names[i];
}

const char *effective_name(enum effective e)
{
	static const char *const names[] = { "now", "new-connections", "reload", "reboot" };

	return names[e];
}

const char *status_name(enum status s)
{
	static const char *const names[] = { "in-sync", "drift", "pending", "unsupported", "unknown", "unmanaged" };

	return names[s];
}

/* --- answers ---------------------------------------------------------------- */

bool part_open(const struct part *p, unsigned i)
{
	return i < p->have->n && p->have->at[i].state == CELL_OPEN;
}

void part_num(struct part *p, unsigned i, int64_t num, const char *via)
{
	if (!part_open(p, i))
		return;
	cell_set_num(&p->have->at[i], num);
	p->have->at[i].via = via;
}

void part_map(struct part *p, unsigned i, const uint8_t *map, size_t n, const char *via)
{
	if (!part_open(p, i))
		return;
	cell_set_map(&p->have->at[i], p->arena, map, n);
	p->have->at[i].via = via;
}

void part_amounts(struct part *p, unsigned i, const int64_t amount[AMOUNTS], const char *via)
{
	if (!part_open(p, i))
		return;
	cell_set_amounts(&p->have->at[i], p->arena, amount);
	p->have->at[i].via = via;
}

void part_text(struct part *p, unsigned i, const char *text, const char *via)
{
	if (!part_open(p, i))
		return;
	cell_set_text(&p->have->at[i], text);
	p->have->at[i].via = via;
}

static void part_because(struct part *p, unsigned i, enum reason r, const char *via, const char *because)
{
	if (!part_open(p, i))
		return;
	cell_set_reason(&p->have->at[i], r, because);
	p->have->at[i].via = via;
}

void part_reason(struct part *p, unsigned i, enum reason r, const char *via, const char *fmt, ...)
{
	va_list ap;

	if (!part_open(p, i))
		return;
	va_start(ap, fmt);
	part_because(p, i, r, via, arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
}

void part_reasons(struct part *p, enum reason r, const char *via, const char *fmt, ...)
{
	const char *because;
	va_list ap;

	va_start(ap, fmt);
	because = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	for (unsigned i = 0; i < p->have->n; i++)
		part_because(p, i, r, via, because);
}

enum reason part_no_rdma(const struct part *p)
{
	int err = p->facts->rdma_err;
	enum reason r = err ? reason_of(err) : REASON_MODULE_NOT_LOADED;

	return reason_is_lack(r) ? REASON_UNREADABLE : r;	/* an odd errno is no proof that there is none */
}

/* --- facts ------------------------------------------------------- */

const struct bond *facts_upper(const struct facts *f, uint32_t ifindex)
{
	for (size_t i = 0; i < f->nuppers; i++)
		if (f->upper[i].ifindex == ifindex)
			return &f->upper[i];
	return NULL;
}

/* --- changes ---------------------------------------------------------------- */

static const struct change_part *change_part(const struct change *c, const struct setting *s)
{
	for (size_t i = 0; i < c->nparts; i++)
		if (c->part[i].setting == s)
			return &c->part[i];
	return NULL;
}

const struct record *change_want(const struct change *c, const struct setting *s)
{
	const struct change_part *p = change_part(c, s);

	return p ? p->want : NULL;
}

const struct record *change_have(const struct change *c, const struct setting *s)
{
	const struct change_part *p = change_part(c, s);

	return p ? p->have : NULL;
}

bool change_differs(const struct change *c, const struct setting *s, unsigned field)
{
	const struct change_part *p = change_part(c, s);

	if (!p || field >= p->want->n)
		return false;
	return p->differs ? p->differs[field] : p->want->at[field].state == CELL_VALUE;
}

void change_costs(struct change *c, enum impact impact, const char *does)
{
	if (impact <= c->impact && (c->does || impact < c->impact))
		return;
	c->impact = impact;
	c->does = does;
}

int change_refuse(struct change *c, enum refusal r, const char *fmt, ...)
{
	bool over = r == REFUSED_OTHER_OWNER && c->take_over && !c->barred && c->phase != PHASE_BOOT;
	const char *why;
	va_list ap;

	va_start(ap, fmt);
	why = arena_vprintf(c->arena, fmt, ap);
	va_end(ap);
	if (over) {
		c->overwrites = why;
		return 0;
	}
	c->refused = r;
	c->refused_why = why;
	return 0;
}

/* --- the lists -------------------------------------------------------------- */

const struct vendor *catalog_vendor(const struct catalog *c, const char *driver)
{
	for (size_t i = 0; i + 1 < c->nvendors; i++)
		for (const char *const *d = c->vendor[i]->drivers; *d; d++)
			if (!strcmp(*d, driver))
				return c->vendor[i];
	return c->vendor[c->nvendors - 1];
}

/* A `*` at the end takes the rest, dots and all ("sysctl.*"); one in the middle ends at the last place that fits. */
static bool star_match(const char *pattern, const char *name)
{
	for (; *pattern != '*'; pattern++, name++) {
		if (*pattern != *name)
			return false;
		if (!*pattern)
			return true;
	}
	if (!pattern[1])
		return *name != 0;
	for (const char *rest = name + 1; *name && *rest; rest++)
		if (star_match(pattern + 1, rest))
			return true;
	return false;
}

const struct field *catalog_field(const struct catalog *c, const char *name, const struct setting **s)
{
	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++)
			if (!strcmp(f->name, name) || star_match(f->name, name)) {
				if (s)
					*s = c->setting[i];
				return f;
			}
	return NULL;
}

bool catalog_writes(const struct catalog *c, const struct setting *s, const struct field *f)
{
	if (f->verify_only)
		return false;
	if (home_sets(&s->live) || home_sets(&s->boot))
		return true;
	for (size_t i = 0; i < c->nvendors; i++)
		for (const struct provider *p = c->vendor[i]->providers; p && p->setting; p++)
			if (p->setting == s && p->live && home_sets(p->live))
				return true;
	return false;
}

bool catalog_selects(const char *selector, const char *name)
{
	size_t n = strlen(selector);

	return !strncmp(selector, name, n) && (!name[n] || name[n] == '.');
}
