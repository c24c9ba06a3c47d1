/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest change from a configuration that is there to the one that is wanted: a JSON patch (RFC 6902), or the lines that
 * are missing. What a file has beyond that stays, but for members of maps and profiles that are whole in what is rendered.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "nos/nos.h"

/* --- a JSON patch ------------------------------------------------------------------------------ */

struct patch {
	const struct tree *want, *base;
	struct json json;
	struct arena *arena;
};

/* Tables whose objects we name, so that a member that is not rendered is none of anybody's. */
static bool is_ours(const char *table)
{
	static const char *const tables[] = { "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
					      "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "SCHEDULER", "WRED_PROFILE", "BUFFER_PROFILE" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(table, tables[i]))
			return true;
	return false;
}

/* "/" and "~" of a name are written ~1 and ~0. */
static const char *pointer(struct patch *p, const char *path, const char *key)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_printf(&t, "%s/", path);
	for (; *key; key++)
		if (*key == '~' || *key == '/')
			text_add(&t, *key == '~' ? "~0" : "~1");
		else
			text_char(&t, *key);
	return arena_strndup(p->arena, text_str(&t), t.n);
}

static bool is_leaf(const struct word *w)
{
	const struct word *c = word_children(w);

	return c && c->scalar;
}

static void value(struct patch *p, const char *key, const struct word *w)
{
	if (is_leaf(w)) {
		json_string(&p->json, key, word_value(w)->key);
		return;
	}
	json_object_open(&p->json, key);
	for (const struct word *c = word_children(w); c; c = c->next)
		value(p, c->key, c);
	json_object_close(&p->json);
}

static void operation(struct patch *p, const char *op, const char *path, const struct word *w)
{
	json_object_open(&p->json, NULL);
	json_string(&p->json, "op", op);
	json_string(&p->json, "path", path);
	if (w)
		value(p, "value", w);
	json_object_close(&p->json);
}

static void removals(struct patch *p, const struct word *want, const struct word *base, const char *path)
{
	for (const struct word *c = word_children(base); c; c = c->next)
		if (!word_at(p->want, want, c->key))
			operation(p, "remove", pointer(p, path, c->key), NULL);
}

static void differences(struct patch *p, const struct word *want, const struct word *base, const char *path, bool ours)
{
	for (const struct word *c = word_children(want); c; c = c->next) {
		const struct word *b = word_at(p->base, base, c->key);
		const char *at = pointer(p, path, c->key);

		if (!b)
			operation(p, "add", at, c);
		else if (is_leaf(c) && (!is_leaf(b) || strcmp(word_value(c)->key, word_value(b)->key) != 0))
			operation(p, "replace", at, c);
		else if (!is_leaf(c))
			differences(p, c, b, at, ours || (base == &p->base->root && is_ours(c->key)));
	}
	if (ours && word_children(want) && is_leaf(word_children(want)))
		removals(p, want, base, path);
}

static int json_patch(const struct tree *want, const struct tree *base, struct arena *a, struct text *out)
{
	struct patch p = { .want = want, .base = base, .arena = a };

	json_init(&p.json, out, true);
	json_array_open(&p.json, NULL);
	differences(&p, &want->root, &base->root, "", false);
	json_array_close(&p.json);
	text_char(out, '\n');
	return 0;
}

/* --- lines ---------------------------------------------------------------------------------------- */

/* Commands say the whole way to a word. */
static void missing_sets(const struct nos *nos, const struct word *want, const struct tree *base, const struct word *in,
			 const char *way, struct arena *a, struct text *out)
{
	bool one = word_children(want) && word_children(want) == word_value(want);	/* not a list: the last one said counts */

	for (const struct word *c = word_children(want); c; c = c->next) {
		const struct word *b = word_at(base, in, c->key);
		const char *here = arena_printf(a, "%s %s", way, c->key);

		if (word_children(c))
			missing_sets(nos, c, base, b, here, a, out);
		else if (!b || (one && word_value(in) != b))
			text_printf(out, "%s%s\n", nos->against, here);
	}
}

static bool missing_below(const struct word *want, const struct tree *base, const struct word *in)
{
	for (const struct word *c = word_children(want); c; c = c->next) {
		const struct word *b = word_at(base, in, c->key);

		if (!b || missing_below(c, base, b))
			return true;
	}
	return false;
}

/* Lines below a line come with it. */
static void missing_lines(const struct word *want, const struct tree *base, const struct word *in, unsigned depth, struct text *out)
{
	for (const struct word *c = word_children(want); c; c = c->next) {
		const struct word *b = word_at(base, in, c->key);

		if (b && !missing_below(c, base, b))
			continue;
		text_printf(out, "%*s%s\n", (int)(depth * 3), "", c->key);
		missing_lines(c, base, b, depth + 1, out);
	}
}

int nos_against(const struct nos *nos, const struct source *want, const struct source *base, struct arena *a, struct text *out,
		struct diags *d)
{
	struct switch_file *w, *b;

	if (nos_read(a, nos, want, &w, d) < 0 || nos_read(a, nos, base, &b, d) < 0)
		return -EINVAL;
	if (nos->patch)
		return json_patch(&w->tree, &b->tree, a, out);
	if (nos->against)
		missing_sets(nos, &w->tree.root, &b->tree, &b->tree.root, "", a, out);
	else
		missing_lines(&w->tree.root, &b->tree, &b->tree.root, 0, out);
	return 0;
}
