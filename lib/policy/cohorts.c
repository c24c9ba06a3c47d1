/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cohorts: nodes that take new values first, by name, by label or by a hash of their name, which picks the same nodes on
 * every machine and another set for each cohort. They are the highest rank: what they set beats all entries.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/load.h"
#include "policy/tell.h"

enum { COHORTS_MAX = 256, ALL_HUNDREDTHS = 10000 };

/* --- how they select -------------------------------------------------------- */

static bool load_by_nodes(struct loader *l, const struct yaml *key, const struct yaml *y, struct cohort *c)
{
	struct pos pos = load_pos(l, y);
	const char *why;
	size_t at;

	if (!decode_is(&l->x, y, SHAPE_SCALAR, key, schema_cohort[COHORT_BY_NODES].key))
		return false;
	c->by = COHORT_NODES;
	c->nodes = hostlist_of(y->text, y->n);
	why = hostlist_check(c->nodes, &at);
	if (why)
		tell_error(l->d, &pos, NULL, "%sthe node name \"%s\" %s", l->x.where, yaml_shown(l->p->a, y), why);
	return !why;
}

static bool load_by_labels(struct loader *l, const struct yaml *key, const struct yaml *y, struct cohort *c)
{
	struct pos pos = load_pos(l, key);

	if (!load_check_labels(l, key, y))
		return false;
	if (!y->n)
		tell_error(l->d, &pos, "name at least one: {row: a}", "%slabels is empty, and would select all nodes", l->x.where);
	c->by = COHORT_LABELS;
	c->labels = y;
	return y->n;
}

/* "1%", "0.5%", "12.25%": 1 to 10000 hundredths, or 0 if it is none of that. */
static unsigned hundredths(const char *s, size_t n)
{
	unsigned whole = 0, part = 0;
	size_t i = 0, digits = 0;

	if (n < 2 || s[n - 1] != '%' || (s[0] == '0' && s[1] != '.' && s[1] != '%'))
		return 0;
	for (; i < n - 1 && i < 4 && s[i] >= '0' && s[i] <= '9'; i++)
		whole = whole * 10 + (unsigned)(s[i] - '0');
	if (!i)
		return 0;
	if (s[i] == '.')
		for (i++; i < n - 1 && digits < 2 && s[i] >= '0' && s[i] <= '9'; i++, digits++)
			part = part * 10 + (unsigned)(s[i] - '0');
	if (i != n - 1 || s[i - 1] == '.')
		return 0;
	whole = whole * 100 + (digits == 1 ? part * 10 : part);
	return whole <= ALL_HUNDREDTHS ? whole : 0;
}

static bool load_by_hash(struct loader *l, const struct yaml *key, const struct yaml *y, struct cohort *c)
{
	struct pos pos = load_pos(l, y);

	if (!decode_is(&l->x, y, SHAPE_SCALAR, key, "hash"))
		return false;
	c->by = COHORT_HASH;
	c->hundredths = hundredths(y->text, y->n);
	if (!c->hundredths)
		tell_error(l->d, &pos, "write 1%, or 0.25%: more than 0 and at most 100", "%shash is %s, which is no share of the nodes",
			   l->x.where, yaml_what(l->p->a, y));
	return c->hundredths;
}

static bool (*const ways[COHORT_WAYS])(struct loader *l, const struct yaml *key, const struct yaml *y, struct cohort *c) = {
	[COHORT_BY_NODES] = load_by_nodes, [COHORT_BY_LABELS] = load_by_labels, [COHORT_BY_HASH] = load_by_hash,
};

/* --- loading ---------------------------------------------------------------- */

/* Return: was exactly one way named, and rightly. */
static bool load_way(struct loader *l, const struct yaml *map, struct cohort *c)
{
	unsigned named = 0;
	bool good = true;

	for (size_t i = 0; i < map->n; i++)
		for (size_t w = 0; w < COHORT_WAYS; w++)
			if (yaml_is(yaml_key(map, i), schema_cohort[w].key) && ++named == 1)
				good = ways[w](l, yaml_key(map, i), yaml_value(map, i), c);
	if (named != 1)
		tell_error(l->d, &c->pos, "say one of nodes: a host list, labels: {row: a}, or hash: 1%",
			   named ? "%sit selects its nodes in more than one way" : "%sit does not say which nodes belong to it",
			   l->x.where);
	return good && named == 1;
}

static bool load_cohort(struct loader *l, const struct yaml *key, const struct yaml *map, struct cohort *c)
{
	const struct yaml *set;
	bool good;

	*c = (struct cohort){ .name = yaml_dup(l->p->a, key), .pos = load_pos(l, key), .source = l->x.source };
	l->x.where = arena_printf(l->p->a, "cohort %s: ", yaml_shown(l->p->a, key));
	if (!key->n || key->n > DECODE_NAME_MAX || memchr(key->text, '/', key->n))
		tell_error(l->d, &c->pos, NULL, "%sa cohort needs a name of 1 to %d bytes, without /", l->x.where, DECODE_NAME_MAX);
	if (!decode_is(&l->x, map, SHAPE_MAP, key, ""))
		return false;
	load_check_words(l, map, schema_cohort);
	good = load_way(l, map, c);
	set = yaml_get(map, schema_cohort[COHORT_SET].key);
	if (!set || (set->shape == SHAPE_MAP && !set->n))
		tell_error(l->d, &c->pos, "add set: {ports: {…}} or set: {node: {…}}", "%sit sets nothing", l->x.where);
	else
		load_check_set(l, set - 1, set);	/* its key stands before it */
	c->set = set && set->shape == SHAPE_MAP ? set : NULL;
	return good;
}

static void check_cohort_name(struct loader *l, const struct cohort *c)
{
	for (const struct cohort *other = l->p->cohort; other < c; other++)
		if (!strcmp(other->name, c->name))
			tell_both(l->d, &c->pos, &other->pos, "and here", "cohort %s is defined in two files (%s)",
				  text_safe(l->p->a, c->name, strlen(c->name), DECODE_NAME_MAX),
				  tell_places(l->p->a, &other->pos, &c->pos));
}

void load_cohorts(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	struct policy *p = l->p;
	struct pos pos = load_pos(l, key);

	if (!decode_is(&l->x, map, SHAPE_MAP, key, schema_top[TOP_COHORTS].key))
		return;
	if (p->ncohorts + map->n > COHORTS_MAX) {
		tell_error(l->d, &pos, NULL, "the policy has more than %d cohorts", COHORTS_MAX);
		return;
	}
	p->cohort = arena_grow(p->a, p->cohort, p->ncohorts, map->n, sizeof(*p->cohort));
	for (size_t i = 0; i < map->n; i++) {
		struct cohort *c = &p->cohort[p->ncohorts];

		decode_enter(&l->x, yaml_value(map, i));
		if (load_cohort(l, yaml_key(map, i), yaml_value(map, i), c))
			p->ncohorts++;
		l->x.used = NULL;
		check_cohort_name(l, c);
		l->x.where = "";
	}
}

/* --- who belongs to them ---------------------------------------------------- */

const struct yaml *resolved_label(const struct resolved *r, const struct yaml *label)
{
	for (size_t i = r->nentries; i-- > 0;) {
		const struct yaml *labels = yaml_get(r->entry[i]->body, schema_entry[ENTRY_LABELS].key);

		for (size_t k = 0; labels && labels->shape == SHAPE_MAP && k < labels->n; k++)
			if (yaml_same(yaml_key(labels, k), label))
				return yaml_value(labels, k);
	}
	return NULL;
}

static bool has_labels(const struct cohort *c, const struct resolved *r)
{
	for (size_t i = 0; i < c->labels->n; i++) {
		const struct yaml *have = resolved_label(r, yaml_key(c->labels, i));

		if (!have || !yaml_same(have, yaml_value(c->labels, i)))
			return false;
	}
	return true;
}

/* The first four bytes, big-endian, of SHA-256("COHORT/SHORTNAME") modulo 10 000. */
static bool is_hashed(const struct cohort *c, const char *node)
{
	struct sha256 sha;
	uint8_t h[32];

	sha256_init(&sha);
	sha256_add(&sha, c->name, strlen(c->name));
	sha256_add(&sha, "/", 1);
	sha256_add(&sha, node, strcspn(node, "."));
	sha256_done(&sha, h);
	return ((uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3]) % ALL_HUNDREDTHS < c->hundredths;
}

static bool belongs(const struct cohort *c, const struct resolved *r)
{
	switch (c->by) {
	case COHORT_NODES:
		return hostlist_match(c->nodes, r->node);
	case COHORT_LABELS:
		return has_labels(c, r);
	case COHORT_HASH:
		return is_hashed(c, r->node);
	}
	return false;
}

void cohorts_of(const struct policy *p, struct arena *a, struct resolved *r, bool hashed)
{
	r->ncohorts = 0;
	if (!p->ncohorts)
		return;
	r->cohort = arena_array_of(a, const struct cohort *, p->ncohorts);
	for (size_t i = 0; i < p->ncohorts; i++)
		if ((hashed || p->cohort[i].by != COHORT_HASH) && belongs(&p->cohort[i], r))
			r->cohort[r->ncohorts++] = &p->cohort[i];
}
