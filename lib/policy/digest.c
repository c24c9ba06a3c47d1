/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's desired state as text: a line for each key that is managed, sorted, so that neither the order of a file nor
 * where a value came from matters. The classes of a group's fabric belong to it, since values follow from them.
 */
#include "policy/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/desired.h"
#include "policy/records.h"

struct lines {
	struct arena *a;
	const char *node;
	char **at;
	size_t n, room;
};

/* --- values ----------------------------------------------------------------- */

/* A text or a name of the policy's own, in which nothing passes for what stands between them. */
static const char *plain(struct arena *a, const char *s)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (const char *c = s; *c; c++)
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			text_printf(&t, "\\%02x", (unsigned char)*c);
		else
			text_char(&t, *c);
	return arena_strdup(a, text_str(&t));
}

static void add_map(struct text *t, const struct item *i)
{
	unsigned span = value_span(i->key->field);
	uint8_t map[64];

	keyed_map(i->keyed, span, map);
	text_char(t, '{');
	for (unsigned k = 0; k < span; k++)
		if (map[k] != VALUE_UNSET)
			text_printf(t, "%u:%u ", k, map[k]);
	text_char(t, '}');
}

static void add_amounts(struct text *t, const int64_t *amount)
{
	text_char(t, '{');
	for (unsigned k = 0; k < AMOUNTS; k++)
		if (amount[k] >= 0)
			text_printf(t, "%u:%lld ", k, (long long)amount[k]);
	text_char(t, '}');
}

static void add_value(struct lines *lines, struct text *t, const struct item *i)
{
	if (i->op == ITEM_FABRIC) {
		text_add(t, "fabric");
	} else if (i->keyed) {
		add_map(t, i);
	} else if (i->value.amount) {
		add_amounts(t, i->value.amount);
	} else if (i->value.texts) {
		for (size_t k = 0; i->value.texts[k]; k++)
			text_printf(t, "\"%s\" ", plain(lines->a, i->value.texts[k]));
	} else {
		text_printf(t, "%lld", (long long)i->value.num);
		if (i->value.text)
			text_printf(t, " \"%s\"", plain(lines->a, i->value.text));
	}
}

/* --- lines ------------------------------------------------------------------ */

static void add_item(struct lines *lines, const char *before, const struct part_of_layer *part, const struct item *i)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (!i || i->op == ITEM_NULL || i->except)
		return;
	text_printf(&t, "%s%s\t%s\t", before, part->name ? plain(lines->a, part->name) : "", i->key->path);
	if (i->key->starred)
		text_printf(&t, "%s\t%s\t", i->star[0], i->star[1] ? i->star[1] : "");
	add_value(lines, &t, i);
	if (i->also) {
		text_add(&t, " also ");
		add_value(lines, &t, i->also);
	}
	list_add(lines, lines->a) = arena_strdup(lines->a, text_str(&t));
}

static void add_class(struct lines *lines, const char *group, const struct traffic_class *c)
{
	list_add(lines, lines->a) =
		arena_printf(lines->a, "%s\tclass\t%s\t%d %d %llx %d %d %d", group, plain(lines->a, c->name), c->priority, c->tc,
			     (unsigned long long)c->dscp, c->lossless, c->strict, c->bandwidth_percent);
}

/* Those for this node; why and until when is for people. Their order counts: it is that of the list. */
static void add_exceptions(struct lines *lines, const struct part_of_layer *part)
{
	const struct exceptions *all = records_exceptions(part);

	for (size_t n = 0; all && n < all->n; n++) {
		const struct exception *e = &all->at[n];
		const char *before = arena_printf(lines->a, "except %zu ", n);

		if (e->nodes.n && !hostlist_match(e->nodes, lines->node))
			continue;
		for (unsigned f = 0; f < GROUP_MATCHES; f++)
			add_item(lines, before, part, e->match[f]);
		for (size_t i = 0; i < e->set.n; i++)
			add_item(lines, before, part, &e->set.at[i]);
	}
}

static void add_part(struct lines *lines, const struct policy *p, const struct part_of_layer *part)
{
	const struct fabric *f;
	const char *group;

	for (size_t i = 0; i < p->schema->nleaves; i++)
		add_item(lines, "", part, part->item[i]);
	for (size_t i = 0; i < part->stars.n; i++)
		add_item(lines, "", part, part->stars.at[i]);
	if (!part->name)
		return;
	add_exceptions(lines, part);
	group = plain(lines->a, part->name);
	list_add(lines, lines->a) = arena_printf(lines->a, "%s\tgroup", group);
	f = records_fabric(p, part);
	if (!f)
		return;
	list_add(lines, lines->a) = arena_printf(lines->a, "%s\tfabric mtu\t%lld", group, (long long)f->mtu);
	for (size_t i = 0; i < f->n; i++)
		add_class(lines, group, &f->at[i]);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

void digest_of(const struct policy *p, const struct layer *l, const char *node, char text[SHA256_TEXT])
{
	struct lines lines = { .a = arena_new(), .node = node };
	struct sha256 sha;

	add_part(&lines, p, &l->node);
	for (size_t i = 0; i < l->groups.n; i++)
		if (!l->groups.at[i]->removed)
			add_part(&lines, p, l->groups.at[i]);
	if (lines.n)
		qsort(lines.at, lines.n, sizeof(*lines.at), by_text);
	sha256_init(&sha);
	for (size_t i = 0; i < lines.n; i++) {
		sha256_add(&sha, lines.at[i], strlen(lines.at[i]));
		sha256_add(&sha, "\n", 1);
	}
	sha256_done_text(&sha, text);
	arena_free(lines.a);
}

void policy_identity(const struct policy *p, struct desired *des)
{
	des->policy_file = p->name;
	des->revision = p->revision;
	des->policy_digest = p->digest;
}
