/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports into groups. Ports of one driver, function and link layer are of one kind; those of a kind that have the same
 * values are alike. A few that differ in little from many that are alike are odd, not a group of their own: a policy
 * says what all shall have, and where it is otherwise.
 */
#include "policy/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "model/targets.h"

enum {
	ODD_KEYS_MAX = 4,		/* that differ, of ports that are odd; with more they are a group */
	ODD_SHARE = 4,			/* there are as many times more that are alike */
};

/* --- what was read ------------------------------------------------------------ */

static void list_keys(struct gather *g, const struct catalog *c)
{
	struct { struct gather_key *at; size_t n, room; } list = { 0 };

	for (size_t i = 0; i < c->nsettings; i++)
		for (unsigned f = 0; c->setting[i]->scope != SCOPE_GROUP && c->setting[i]->fields[f].name; f++)
			if (!strchr(c->setting[i]->fields[f].name, '*'))
				list_add(&list, g->a) = (struct gather_key){ c->setting[i], &c->setting[i]->fields[f], f };
	g->key = list.at;
	g->nkeys = list.n;
}

static const struct record *record_of(const struct emit_node *n, const struct setting *s, const struct target *t)
{
	for (size_t i = 0; t && i < n->n; i++)
		if (n->record[i].live->setting == s && target_same(n->record[i].target, t))
			return n->record[i].live;
	return NULL;
}

static const struct target *target_of(struct gather *g, const struct emit_node *n, const struct port *p, enum scope scope)
{
	if (scope == SCOPE_NODE)
		return p ? NULL : target_of_node(g->a);
	return p ? target_of_port(g->a, n->facts, p, scope, "") : NULL;
}

const struct record *gather_record(struct gather *g, const struct gather_object *o, const struct setting *s)
{
	return record_of(o->node, s, target_of(g, o->node, o->port, s->scope));
}

static struct gather_object *object_new(struct gather *g, const struct emit_node *n, const struct port *p)
{
	struct gather_object *o = arena_new_of(g->a, struct gather_object);

	*o = (struct gather_object){ .node = n, .port = p };
	o->cell = arena_array_of(g->a, const struct cell *, g->nkeys + 1);
	o->yaml = arena_array_of(g->a, const char *, g->nkeys + 1);
	for (size_t k = 0; k < g->nkeys; k++) {
		const struct setting *s = g->key[k].setting;
		const struct record *r = gather_record(g, o, s);
		const struct cell *c = r ? &r->at[g->key[k].index] : NULL;

		if (!c || c->state == CELL_SILENT)
			continue;
		o->cell[k] = c;
		if (c->state == CELL_VALUE)
			o->yaml[k] = gather_yaml(g->a, c->field, &c->value);
	}
	return o;
}

bool gather_differs(const struct gather_object *usual, const struct gather_object *o, size_t key)
{
	return !text_same(usual->yaml[key], o->yaml[key]);
}

static size_t differences(const struct gather *g, const struct gather_object *a, const struct gather_object *b)
{
	size_t n = 0;

	for (size_t k = 0; k < g->nkeys; k++)
		n += gather_differs(a, b, k);
	return n;
}

/* --- criteria ------------------------------------------------------------------ */

const char *gather_criterion(struct arena *a, const struct port *p, unsigned criterion)
{
	const struct field *f = &schema_group.fields[criterion];
	TEXT_CLEANUP struct text t = { 0 };

	switch (criterion) {
	case GROUP_DRIVER:
		return p->driver;
	case GROUP_FUNCTION:		/* of words, 0 is what is not known */
		return p->function ? f->words[p->function - 1] : "";
	case GROUP_LINK:
		return p->link_layer ? f->words[p->link_layer - 1] : "";
	case GROUP_ID:
		return p->pci_vendor ? arena_printf(a, "%04x:%04x", p->pci_vendor, p->pci_device) : "";
	case GROUP_BOARD:
		return p->board;
	case GROUP_NUMA:
		return p->numa_node >= 0 ? arena_printf(a, "%d", p->numa_node) : "";
	case GROUP_SPEED:
		if (p->speed_mbps)
			units_print(p->speed_mbps, f->unit, &t);
		return arena_strdup(a, text_str(&t));
	case GROUP_PCI:		/* what is on another bus has no such address */
		return strlen(p->bdf) >= 12 && p->bdf[strspn(p->bdf, "0123456789abcdef:.")] == 0 ? p->bdf : "";
	case GROUP_IFNAME:
		return p->ifname;
	case GROUP_IBDEV:
		return p->ibdev;
	}
	return "";
}

#define BIT(criterion) (1u << (criterion))
#define KIND (BIT(GROUP_DRIVER) | BIT(GROUP_FUNCTION) | BIT(GROUP_LINK))

static bool meets(struct arena *a, const struct port *p, const struct port *like, unsigned match)
{
	for (unsigned c = 0; c < GROUP_MATCHES; c++)
		if (match & BIT(c) && strcmp(gather_criterion(a, p, c), gather_criterion(a, like, c)) != 0)
			return false;
	return true;
}

static void count_ports(const struct gather *g, struct gather_group *group)
{
	group->on = arena_array_of(g->a, size_t, g->nnodes);
	for (size_t i = 0; i < group->n; i++)
		group->on[group->at[i]->node - g->node]++;
}

static void mark_ports(const struct gather *g, const struct gather_group *group, bool in)
{
	for (size_t i = 0; i < group->n; i++)
		g->in[group->at[i]->number] = in;
}

/* Do these criteria select all ports of the group, which are marked, and on its nodes no other one. */
static bool selects(const struct gather *g, const struct gather_group *group, unsigned match)
{
	const struct port *like = group->at[0]->port;
	size_t number = 0;

	for (unsigned c = 0; c < GROUP_MATCHES; c++)
		if (match & BIT(c) && !*gather_criterion(g->a, like, c))
			match &= ~BIT(c);
	if (!match)
		return false;
	for (size_t i = 0; i < g->nnodes; number += g->node[i++].facts->nports)
		for (size_t p = 0; group->on[i] && p < g->node[i].facts->nports; p++)
			if (meets(g->a, &g->node[i].facts->port[p], like, match) != g->in[number + p])
				return false;
	return true;
}

/* From what holds for cards of a kind to what names one port; 0 if none of it selects just them. */
static void find_match(const struct gather *g, struct gather_group *group)
{
	static const unsigned tries[] = {
		KIND, KIND | BIT(GROUP_ID), KIND | BIT(GROUP_BOARD), KIND | BIT(GROUP_NUMA), KIND | BIT(GROUP_SPEED),
		KIND | BIT(GROUP_BOARD) | BIT(GROUP_NUMA), KIND | BIT(GROUP_SPEED) | BIT(GROUP_NUMA),
		BIT(GROUP_PCI), BIT(GROUP_IFNAME), BIT(GROUP_PCI) | BIT(GROUP_IFNAME), BIT(GROUP_IBDEV),
	};

	count_ports(g, group);
	mark_ports(g, group, true);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]) && !group->match; i++)
		group->match = selects(g, group, tries[i]) ? tries[i] : 0;
	mark_ports(g, group, false);
}

/* --- groups -------------------------------------------------------------------- */

struct objects {
	struct gather_object **at;
	size_t n, room;
};

static int by_kind(const void *x, const void *y)
{
	const struct port *p = (*(struct gather_object *const *)x)->port, *q = (*(struct gather_object *const *)y)->port;
	int order = strcmp(p->driver, q->driver);

	if (!order)
		order = (int)p->function - (int)q->function;
	return order ? order : (int)p->link_layer - (int)q->link_layer;
}

static int by_kind_and_number(const void *x, const void *y)
{
	const struct gather_object *a = *(struct gather_object *const *)x, *b = *(struct gather_object *const *)y;
	int order = by_kind(x, y);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

/* Ports with the same values. */
struct alike {
	struct gather_object **at;
	size_t n, room;
};

struct clusters {
	struct alike *at;
	size_t n, room;
};

static int by_size(const void *x, const void *y)
{
	const struct alike *a = x, *b = y;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->at[0]->number < b->at[0]->number ? -1 : a->at[0]->number > b->at[0]->number;
}

static struct gather_group *group_new(struct gather *g)
{
	if (g->ngroups == g->rgroups) {
		g->group = arena_grow(g->a, g->group, g->ngroups, g->ngroups + 8, sizeof(*g->group));
		g->rgroups += g->ngroups + 8;
	}
	g->group[g->ngroups] = (struct gather_group){ 0 };
	return &g->group[g->ngroups++];
}

static void take(struct gather *g, struct gather_group *group, const struct alike *c)
{
	if (!group->usual)
		group->usual = c->at[0];
	for (size_t i = 0; i < c->n; i++)
		list_add(group, g->a) = c->at[i];
}

static struct gather_group *odd_of(struct gather *g, size_t first, const struct alike *c)
{
	for (size_t i = first; i < g->ngroups; i++) {
		struct gather_group *group = &g->group[i];
		size_t alike = 0;

		for (size_t k = 0; k < group->n; k++)
			alike += !differences(g, group->usual, group->at[k]);
		if (c->n * ODD_SHARE <= alike && differences(g, group->usual, c->at[0]) <= ODD_KEYS_MAX)
			return group;
	}
	return NULL;
}

static void cluster(struct gather *g, struct clusters *list, struct gather_object *o)
{
	for (size_t i = 0; i < list->n; i++)
		if (!differences(g, list->at[i].at[0], o)) {
			list_add(&list->at[i], g->a) = o;
			return;
		}
	list_add(list, g->a) = (struct alike){ 0 };
	list_add(&list->at[list->n - 1], g->a) = o;
}

/* Ports of one kind. */
static void group_kind(struct gather *g, struct gather_object **at, size_t n)
{
	struct clusters list = { 0 };
	size_t first = g->ngroups;

	for (size_t i = 0; i < n; i++)
		cluster(g, &list, at[i]);
	qsort(list.at, list.n, sizeof(*list.at), by_size);
	for (size_t i = 0; i < list.n; i++) {
		struct gather_group *group = odd_of(g, first, &list.at[i]);

		take(g, group ? group : group_new(g), &list.at[i]);
	}
}

static int by_address(const void *x, const void *y)
{
	const struct gather_object *a = *(struct gather_object *const *)x, *b = *(struct gather_object *const *)y;
	int order = strcmp(a->port->bdf, b->port->bdf);

	order = order ? order : strcmp(a->port->ifname, b->port->ifname);
	order = order ? order : strcmp(a->port->ibdev, b->port->ibdev);
	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

/* A group that nothing sets apart becomes one for each port, by its address; the same one on several nodes is one. */
static void split(struct gather *g, size_t which)
{
	struct gather_group whole = g->group[which];

	qsort(whole.at, whole.n, sizeof(*whole.at), by_address);
	for (size_t i = 0, end; i < whole.n; i = end) {
		struct gather_group *part = i ? group_new(g) : &g->group[which];
		struct alike c = { 0 };

		*part = (struct gather_group){ 0 };
		for (end = i; end < whole.n && meets(g->a, whole.at[end]->port, whole.at[i]->port,
						     BIT(GROUP_PCI) | BIT(GROUP_IFNAME) | BIT(GROUP_IBDEV)); end++)
			list_add(&c, g->a) = whole.at[end];
		take(g, part, &c);
		find_match(g, part);
	}
}

/* What most nodes have, not the first one. */
static void set_count(const struct gather *g, struct gather_group *group)
{
	size_t *nodes = arena_array_of(g->a, size_t, group->n + 1), best = 0;	/* that have so many ports of it */

	for (size_t i = 0; i < g->nnodes; i++)
		nodes[group->on[i]]++;
	for (size_t i = 0; i < g->nnodes; i++)
		if (group->on[i] && nodes[group->on[i]] > best) {
			best = nodes[group->on[i]];
			group->count = group->on[i];
		}
}

/* "mlx5" of mlx5_core; with a number if there are several. */
static void name_group(const struct gather *g, struct gather_group *group, size_t number)
{
	const struct port *p = group->at[0]->port;
	size_t letters = strspn(p->driver, "abcdefghijklmnopqrstuvwxyz0123456789"), taken = 0;	/* a dump may say anything */
	char driver[32];

	snprintf(driver, sizeof(driver), "%.*s%s", letters && letters < 16 ? (int)letters : 4, letters && letters < 16 ? p->driver : "port",
		 p->function == FUNCTION_VF ? "-vf" : p->function == FUNCTION_SF ? "-sf" : "");
	for (size_t i = 0; i < number; i++) {
		size_t n = strlen(driver);
		const char *other = g->group[i].name;

		taken += !strncmp(other, driver, n) && (!other[n] || (other[n] == '-' && other[n + 1] >= '0' && other[n + 1] <= '9'));
	}
	group->name = taken ? arena_printf(g->a, "%s-%zu", driver, taken + 1) : arena_strdup(g->a, driver);
}

static void gather_all_ports(struct gather *g, struct objects *all)
{
	for (size_t i = 0; i < g->nnodes; i++)
		for (size_t p = 0; p < g->node[i].facts->nports; p++) {
			struct gather_object *o = object_new(g, &g->node[i], &g->node[i].facts->port[p]);

			o->number = all->n;
			list_add(all, g->a) = o;
		}
}

void gather_ports(struct gather *g, struct arena *a, const struct catalog *c, const struct emit_node *node, size_t n)
{
	struct objects all = { 0 };

	*g = (struct gather){ .a = a, .node = node, .nnodes = n };
	list_keys(g, c);
	g->nodes = arena_array_of(a, struct gather_object, n);
	for (size_t i = 0; i < n; i++)
		g->nodes[i] = *object_new(g, &node[i], NULL);
	gather_all_ports(g, &all);
	g->in = arena_array_of(a, bool, all.n);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_kind_and_number);
	for (size_t i = 0, end; i < all.n; i = end) {
		for (end = i + 1; end < all.n && !by_kind(&all.at[i], &all.at[end]); end++)
			;
		group_kind(g, all.at + i, end - i);
	}
	for (size_t i = 0, formed = g->ngroups; i < formed; i++) {
		find_match(g, &g->group[i]);
		if (!g->group[i].match)
			split(g, i);
	}
	for (size_t i = 0; i < g->ngroups; i++) {
		set_count(g, &g->group[i]);
		name_group(g, &g->group[i], i);
	}
}
