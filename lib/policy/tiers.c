/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switches of a fabric. A link's record begins as its tier's and takes its own keys over it, so that whoever asks
 * later asks the link alone, and each value keeps the line in which it stands.
 */
#include "policy/tiers.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/hostlist.h"
#include "policy/tell.h"

/* --- records ------------------------------------------------------------------ */

/* null, of one key or of all names under a `*`: what the tier says does not hold here. */
static void forget(struct record *r, const struct item *i)
{
	for (size_t k = 0; k < r->n; k++) {
		struct cell *c = &r->at[k];

		if (c->field == i->key->field && (!i->star[0] || (c->star[0] && !strcmp(c->star[0], i->star[0]))))
			c->state = CELL_SILENT;
	}
}

static void take(struct record *r, const struct items *items)
{
	for (size_t k = 0; k < items->n; k++) {
		const struct item *i = &items->at[k];
		struct cell *c;

		if (i->op != ITEM_VALUE) {
			forget(r, i);
			continue;
		}
		c = i->key->starred ? record_named(r, i->key->index, i->star[0], NULL) : &r->at[i->key->index];
		c->state = CELL_VALUE;
		c->value = i->value;
		c->pos = i->pos;
	}
}

static const char *nearest_class(struct decoder *x, const struct fabric *f, const char *name)
{
	const char **names = arena_array_of(x->a, const char *, f->n + 1), *near;

	for (size_t i = 0; i < f->n; i++)
		names[i] = f->at[i].name;
	near = text_nearest(name, names);
	return near ? arena_printf(x->a, "did you mean %s?", near)
		    : "ecn is said by class; add it to classes, or take its name";
}

/* Of a class that is misspelt in three keys, one is told. */
static void check_classes(struct decoder *x, const struct fabric *f, const struct fabric_tier *t,
			  const struct record *has)
{
	const char *last = NULL;

	for (size_t k = FABRIC_LINK_FIELDS; k < has->n; k++) {
		const struct cell *c = &has->at[k];
		const char *name = c->star[0];

		if (c->state != CELL_VALUE || fabric_class(f, name) || (last && !strcmp(last, name)))
			continue;
		tell_error(x->d, &c->pos, nearest_class(x, f, name), "%stier %s: ecn: there is no class \"%s\"",
			   x->where, t->name, text_safe(x->a, name, strlen(name), DECODE_NAME_MAX));
		last = name;
	}
}

/* A link has what its tier says, so that one place may be told twice: told once by tell_error(). */
static void check_all_classes(struct decoder *x, const struct fabric *f)
{
	for (size_t t = 0; t < f->ntiers; t++) {
		check_classes(x, f, &f->tier[t], f->tier[t].has);
		for (size_t i = 0; i < f->tier[t].n; i++)
			check_classes(x, f, &f->tier[t], f->tier[t].link[i].has);
	}
}

/* The keys of a tier or a link over what @above says. */
static struct record *record_of(struct decoder *x, const struct key *root, const struct yaml *map,
				const struct record *above, const struct word *others)
{
	struct record *r = above ? record_copy(x->a, above) : record_new(x->a, &fabric_link_setting);
	struct items items = { 0 };

	x->out = &items;
	decode_map(x, root, map, others);
	take(r, &items);
	return r;
}

static bool name_ok(struct decoder *x, const struct yaml *key, const char *what)
{
	struct pos pos = decode_pos(x, key);
	bool clean = key->n && key->n <= DECODE_NAME_MAX;

	for (size_t i = 0; i < key->n; i++)
		clean = clean && (unsigned char)key->text[i] > ' ' && key->text[i] != '/' && key->text[i] != 0x7f;
	if (!clean)
		tell_error(x->d, &pos, NULL, "%sa %s cannot have the name \"%s\"", x->where, what,
			   yaml_shown(x->a, key));
	return clean;
}

/* --- ports -------------------------------------------------------------------- */

struct ports {
	const char **at;
	size_t n, room;
	struct arena *a;
};

static void found_port(const char *name, void *arg)
{
	struct ports *p = arg;

	list_add(p, p->a) = arena_strdup(p->a, name);
}

/* Ports are written as host lists are, but their names hold slashes and colons: those pass for letters. */
static const char *check_list(struct arena *a, const char *list)
{
	char *copy = arena_strdup(a, list);
	struct hostlist h;
	bool inside = false;
	size_t at;

	for (char *c = copy; *c; c++) {
		inside = *c == '[' || (inside && *c != ']');
		if (!inside && (*c == '/' || *c == ':'))
			*c = '_';
	}
	h = hostlist_of(copy, strlen(copy));
	return h.rank == RANK_GLOB ? "is a pattern, but the ports of a switch are named: \"Ethernet[0-248/8]\"" :
				     hostlist_check(h, &at);
}

static void decode_ports(struct decoder *x, struct fabric_link *l)
{
	const struct cell *c = fabric_says(l->has, FABRIC_PORTS);
	struct ports p = { .a = x->a };
	const char *why;

	if (!c || x->ports > ALL_PORTS_MAX)	/* too many: that was told */
		return;
	why = check_list(x->a, c->value.text);
	if (!why && !hostlist_each(hostlist_of(c->value.text, strlen(c->value.text)), TIER_PORTS_MAX, found_port, &p))
		why = arena_printf(x->a, "names more than %d ports, which no switch has", TIER_PORTS_MAX);
	x->ports += p.n;
	if (!why && x->ports > ALL_PORTS_MAX)
		why = arena_printf(x->a, "names the port with which the policy has more than %d", ALL_PORTS_MAX);
	if (why) {
		tell_error(x->d, &c->pos, NULL, "%sports %s", x->where, why);
		return;
	}
	l->nports = p.n;
	found_port("", &p);
	p.at[l->nports] = NULL;
	l->port = p.at;
}

struct claim {
	const char *port;
	const struct fabric_link *link;
};

static int by_port(const void *x, const void *y)
{
	const struct claim *c = x, *d = y;
	int order = strcmp(c->port, d->port);

	return order ? order : c->link < d->link ? -1 : c->link > d->link;
}

static void tell_claims(struct decoder *x, const struct fabric_tier *t, const struct claim *c)
{
	const struct cell *first = fabric_says(c[0].link->has, FABRIC_PORTS),
			  *second = fabric_says(c[1].link->has, FABRIC_PORTS);
	const char *port = text_safe(x->a, c->port, strlen(c->port), DECODE_NAME_MAX);

	if (c[0].link == c[1].link)
		tell_error(x->d, &second->pos, NULL, "tier %s: link %s: ports names %s twice", t->name, c->link->name,
			   port);
	else
		tell_both(x->d, &second->pos, &first->pos, "the other one",
			  "tier %s: links %s and %s both have port %s", t->name, c[0].link->name, c[1].link->name,
			  port);
}

/* A port is named once in a tier; of several that are not, one is told for each pair of links. */
static void check_ports(struct decoder *x, const struct fabric_tier *t)
{
	size_t n = 0, room = 0;
	struct claim *all;
	const struct fabric_link *told[2] = { NULL, NULL };

	for (size_t i = 0; i < t->n; i++)
		room += t->link[i].nports;
	all = arena_array_of(x->a, struct claim, room + 1);
	for (size_t i = 0; i < t->n; i++)
		for (size_t p = 0; p < t->link[i].nports; p++)
			all[n++] = (struct claim){ t->link[i].port[p], &t->link[i] };
	qsort(all, n, sizeof(*all), by_port);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(all[i - 1].port, all[i].port) != 0 || (told[0] == all[i - 1].link && told[1] == all[i].link))
			continue;
		told[0] = all[i - 1].link;
		told[1] = all[i].link;
		tell_claims(x, t, &all[i - 1]);
	}
}

/* --- links and tiers ---------------------------------------------------------- */

static void decode_link(struct decoder *x, const struct tier_keys *keys, struct fabric_tier *t, const struct yaml *key,
			const struct yaml *map)
{
	const char *above = x->where;
	struct fabric_link *l = &t->link[t->n];

	if (!name_ok(x, key, "link"))
		return;
	*l = (struct fabric_link){ .name = yaml_dup(x->a, key), .pos = decode_pos(x, key) };
	x->where = arena_printf(x->a, "%slink %s: ", above, l->name);
	x->context = "link";
	if (decode_is(x, map, SHAPE_MAP, key, "")) {
		l->has = record_of(x, keys->link, map, t->has, NULL);
		decode_ports(x, l);
		t->n++;
	}
	x->where = above;
}

static void decode_links(struct decoder *x, const struct tier_keys *keys, struct fabric_tier *t, const struct yaml *key,
			 const struct yaml *links)
{
	const struct yaml *used;

	if (!links || (links->shape == SHAPE_MAP && !links->n)) {
		tell_error(x->d, &t->pos, "add links: with a name for each kind, such as down and up, or all",
			   "%sit has no links", x->where);
		return;
	}
	if (!decode_is(x, links, SHAPE_MAP, key, "links"))
		return;
	t->link = arena_array_of(x->a, struct fabric_link, LINKS_MAX);
	for (size_t i = 0; i < links->n; i++) {
		if (i == LINKS_MAX) {
			tell_error(x->d, &t->pos, NULL, "%smore than %d kinds of links", x->where, LINKS_MAX);
			break;
		}
		if (++x->links > ALL_LINKS_MAX) {
			if (x->links == ALL_LINKS_MAX + 1)
				tell_error(x->d, &t->pos, NULL, "%swith this tier the policy has more than %d kinds of links",
					   x->where, ALL_LINKS_MAX);
			break;
		}
		used = decode_enter(x, yaml_value(links, i));
		decode_link(x, keys, t, yaml_key(links, i), yaml_value(links, i));
		x->used = used;
	}
	check_ports(x, t);
}

static void decode_links_of(struct decoder *x, const struct tier_keys *keys, struct fabric_tier *t, const struct yaml *key,
			    const struct yaml *links)
{
	const struct yaml *above = links ? decode_enter(x, links) : x->used;

	decode_links(x, keys, t, key, links);
	x->used = above;
}

static void decode_tier(struct decoder *x, const struct tier_keys *keys, struct fabric *f, const struct yaml *key,
			const struct yaml *map)
{
	const char *above = x->where;
	struct fabric_tier *t = &f->tier[f->ntiers];
	size_t errors = tell_seen(x->d);

	if (!name_ok(x, key, "tier"))
		return;
	*t = (struct fabric_tier){ .name = yaml_dup(x->a, key), .pos = decode_pos(x, key) };
	x->where = arena_printf(x->a, "%stier %s: ", above, t->name);
	x->context = "tier";
	if (decode_is(x, map, SHAPE_MAP, key, "")) {
		t->has = record_of(x, keys->tier, map, NULL, schema_tier);
		if (yaml_get(map, schema_tier[TIER_LINKS].key) || tell_seen(x->d) == errors)	/* of a misspelt key nothing more is told */
			decode_links_of(x, keys, t, key, yaml_get(map, schema_tier[TIER_LINKS].key));
		f->ntiers++;
	}
	x->where = above;
}

void tiers_decode(struct decoder *x, const struct yaml *map, struct fabric *f, bool whole)
{
	struct tier_keys keys = schema_tiers(x->a);
	struct pos none = decode_pos(x, map);
	const struct yaml *used;

	if (!map->n)
		tell_error(x->d, &none, NULL, "%stiers is empty: leave it out where the switches are not described",
			   x->where);
	f->tier = arena_array_of(x->a, struct fabric_tier, TIERS_MAX);
	for (size_t i = 0; i < map->n; i++) {
		if (i == TIERS_MAX) {
			struct pos pos = decode_pos(x, yaml_key(map, i));

			tell_error(x->d, &pos, NULL, "%smore than %d tiers", x->where, TIERS_MAX);
			break;
		}
		used = decode_enter(x, yaml_value(map, i));
		decode_tier(x, &keys, f, yaml_key(map, i), yaml_value(map, i));
		x->used = used;
	}
	if (whole)
		check_all_classes(x, f);
}
