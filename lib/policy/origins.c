/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the values of one node come from, and what each beat. The layers are made as for any run, with a trace of who
 * says what in the order in which one beats the other; so the answer cannot differ from what a run does.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/catalog.h"
#include "policy/match.h"
#include "policy/records.h"

enum { SHOWN_MAX = 80 };

struct asking {
	const struct policy *p;
	struct arena *a;
	const struct catalog *c;
	const struct resolved *r;
	const char *key;
	policy_origin_visit visit;
	void *arg;
	struct diags *d;
	int found;
};

struct sayings {
	struct policy_saying *at;
	size_t n, room;
};

/* --- words ------------------------------------------------------------------ */

static const char *shown(struct arena *a, const char *s)
{
	return text_safe(a, s, strlen(s), SHOWN_MAX);
}

static const char *who(struct asking *x, const struct origin *o)
{
	const char *entry;

	if (o->cohort)
		return arena_printf(x->a, "cohort %s", shown(x->a, o->cohort->name));
	entry = yaml_shown(x->a, o->entry->key);
	if (o->profile)
		return arena_printf(x->a, "profile %s, of nodes %s", shown(x->a, o->profile->name), entry);
	return arena_printf(x->a, "set of nodes %s", entry);
}

static const char *value_text(struct asking *x, const struct item *i)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct value v;

	if (i->op != ITEM_VALUE)
		return i->op == ITEM_NULL ? "null" : "fabric";
	v = records_value(i, x->a);
	value_print(i->key->field, &v, &t);
	return arena_strdup(x->a, text_str(&t));
}

static bool extends(const struct profile *p, const struct profile *base)
{
	for (size_t i = 0; i < p->nchain; i++)
		if (p->chain[i] == base)
			return p != base;
	return false;
}

/* Why @winner, which speaks later, beats @o. */
static const char *why(const struct origin *winner, const struct origin *o)
{
	static const char *const ranks[] = {
		[RANK_GLOB] = "", [RANK_LIST] = "a host list beats a glob", [RANK_EXACT] = "an exact name beats a list or a glob",
	};

	if (winner->cohort)
		return o->cohort ? "both cohorts say the same" : "a cohort beats what nodes and profiles say";
	if (winner->entry != o->entry)
		return winner->entry->hosts.rank != o->entry->hosts.rank ? ranks[winner->entry->hosts.rank]
									  : "both entries say the same";
	if (!winner->profile)
		return "what an entry sets beats its profiles";
	return extends(winner->profile, o->profile) ? "a profile beats what it extends" : "a later profile beats an earlier one";
}

/* --- what is said of one cell ----------------------------------------------- */

/* Does the item speak of the cell: by its own key, by null for all names of a `*`, or by taking the whole group away. */
static bool speaks_of(const struct item *i, const struct cell *c, const struct setting *s, const char *group)
{
	if (!text_same(i->group, group))
		return false;
	if (!i->key)
		return i->op == ITEM_NULL;
	if (i->key->setting != s || i->key->field != c->field)
		return false;
	return (!i->star[0] || text_same(i->star[0], c->star[0])) && (!i->star[1] || text_same(i->star[1], c->star[1]));
}

/* Maps unite, as long as they are maps. */
static bool is_map(const struct item *i)
{
	return i->key && i->op == ITEM_VALUE && (i->keyed || i->value.amount);
}

static void add_exceptions(struct asking *x, struct sayings *all, const struct cell *c, const struct setting *s,
			   const struct part_of_layer *part)
{
	const struct exceptions *list = records_exceptions(part);

	for (size_t n = 0; list && n < list->n; n++)
		for (size_t i = 0; i < list->at[n].set.n; i++) {
			const struct exception *e = &list->at[n];
			const struct item *item = &e->set.at[i];

			if ((e->nodes.n && !hostlist_match(e->nodes, x->r->node)) || !item->key ||
			    !speaks_of(item, c, s, part->name))
				continue;
			list_add(all, x->a) = (struct policy_saying){
				.pos = item->pos, .value = value_text(x, item),
				.who = e->because, .except = true,
			};
		}
}

static struct sayings say(struct asking *x, const struct cell *c, const struct setting *s, const struct part_of_layer *part)
{
	const struct trace *t = x->r->trace;
	const struct origin *winner = NULL;
	struct sayings all = { 0 };
	bool open = true;

	for (size_t i = t->n; i-- > 0;) {
		const struct item *item = t->at[i].item;
		const struct origin *from = t->at[i].from;

		if (!speaks_of(item, c, s, part->name))
			continue;
		open = open && (!winner || is_map(item));	/* what lies below a map still counts, if it is one */
		list_add(&all, x->a) = (struct policy_saying){
			.pos = item->pos, .value = value_text(x, item), .who = who(x, from),
			.why = open ? NULL : why(winner, from),
		};
		winner = winner ? winner : from;
		open = open && is_map(item) && !(item->keyed && item->keyed->whole);
	}
	if (part->name)
		add_exceptions(x, &all, c, s, part);
	return all;
}

static void ask_cell(struct asking *x, const struct cell *c, const struct setting *s, const struct part_of_layer *part)
{
	struct policy_origin o = { .group = part->name ? part->name : "", .name = c->name, .cell = c };
	struct sayings all;

	if ((*x->key && !catalog_selects(x->key, c->name)) || (strchr(c->name, '*') && !c->star[0]))
		return;
	all = say(x, c, s, part);
	if (!all.n)
		return;
	o.said = all.at;
	o.n = all.n;
	x->visit(&o, x->arg);
	x->found++;
}

/* --- the node and its groups ------------------------------------------------ */

/* Does one of them have a cell for the name that the item gives? */
static bool is_recorded(struct record *const *record, size_t n, const struct item *item)
{
	for (size_t s = 0; s < n; s++)
		for (size_t i = 0; record[s]->setting == item->key->setting && i < record[s]->n; i++)
			if (record[s]->at[i].field == item->key->field && text_same(record[s]->at[i].star[0], item->star[0]) &&
			    text_same(record[s]->at[i].star[1], item->star[1]))
				return true;
	return false;
}

static bool is_same_name(const struct item *x, const struct item *y)
{
	return x->key == y->key && text_same(x->group, y->group) && text_same(x->star[0], y->star[0]) && text_same(x->star[1], y->star[1]);
}

/* Names that the policy gives, a sysctl, and takes back with null: no record has them, and the lines are there all the same. */
static void ask_taken_back(struct asking *x, const struct part_of_layer *part, struct record *const *record, size_t n)
{
	const struct trace *t = x->r->trace;

	for (size_t i = 0, k; i < t->n; i++) {
		const struct item *item = t->at[i].item;

		if (!item->key || !item->star[0] || !text_same(item->group, part->name) || is_recorded(record, n, item))
			continue;
		for (k = 0; k < i && !is_same_name(t->at[k].item, item); k++)
			;
		if (k == i)
			ask_cell(x, &(struct cell){ .field = item->key->field, .name = item_name(x->a, item),
						    .star = { item->star[0], item->star[1] } }, item->key->setting, part);
	}
}

static int ask_part(struct asking *x, const struct part_of_layer *part)
{
	struct target target;
	struct port port;
	struct asked asked;
	struct record **record;

	if (records_of(x->p, x->a, &x->r->layer, part, x->c, &asked, x->d) < 0)
		return -EINVAL;
	records_imagine(part, x->c, &port, &target);
	record = records_derive(&asked, x->a, &target, x->d);
	for (size_t s = 0; record && s < asked.n; s++)
		for (size_t i = 0; i < record[s]->n; i++)
			ask_cell(x, &record[s]->at[i], record[s]->setting, part);
	if (record)
		ask_taken_back(x, part, record, asked.n);
	return record ? 0 : -EINVAL;
}

static int ask_parts(struct asking *x, const char *group)
{
	const struct layer *l = &x->r->layer;
	int result = group ? 0 : ask_part(x, &l->node);

	for (size_t i = 0; i < l->groups.n; i++)
		if (!l->groups.at[i]->removed && (!group || !strcmp(group, l->groups.at[i]->name)) &&
		    ask_part(x, l->groups.at[i]) < 0)
			result = -EINVAL;
	return result;
}

int policy_origins(struct policy *p, const char *node, const char *group, const char *key, const struct catalog *c,
		   policy_origin_visit visit, void *arg, struct diags *d)
{
	struct resolved *r = arena_new_of(p->a, struct resolved);
	struct asking x = {
		.p = p, .a = p->a, .c = c, .r = r, .key = key, .visit = visit, .arg = arg, .d = d,
	};

	if (policy_find(p, p->a, node, r, d) < 0)
		return -EINVAL;
	r->trace = arena_new_of(p->a, struct trace);
	r->trace->a = p->a;
	if (policy_resolve(p, p->a, r, d) < 0)
		return -EINVAL;
	return ask_parts(&x, group) < 0 ? -EINVAL : x.found;
}
