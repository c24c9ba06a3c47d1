/* SPDX-License-Identifier: Apache-2.0 */
/* How an answer looks: its offers as policy lines, and all of it for people and for programs. */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "explain/answer.h"
#include "explain/print.h"

/* --- policy lines ------------------------------------------------------------- */

static void add_value(const struct offer *o, struct text *out)
{
	bool list = o->field->kind == KIND_SET || o->field->kind == KIND_TEXTS;

	if (o->value) {
		text_add(out, o->value);
		return;
	}
	text_char(out, list ? '[' : '{');
	for (size_t i = 0; i < o->entries.n; i++)
		text_printf(out, "%s%s", i ? ", " : "", o->entries.at[i]);
	text_char(out, list ? ']' : '}');
}

static bool same_parts(const struct offer *a, const struct offer *b, size_t n)
{
	if (a->part.n < n || b->part.n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(a->part.at[i], b->part.at[i]) != 0)
			return false;
	return true;
}

/* Was a key with these first @n parts among the offers before @i, of the same scope? */
static bool told(const struct answer *a, size_t i, size_t n, bool node)
{
	for (size_t k = 0; k < i; k++)
		if ((a->offers.at[k].scope == SCOPE_NODE) == node && same_parts(&a->offers.at[k], &a->offers.at[i], n))
			return true;
	return false;
}

/* The members of the map that @parent's first @depth parts name, each once, in the order of the offers. */
static void add_members(const struct answer *a, const struct offer *parent, size_t depth, bool node, const char *between,
			struct text *out)
{
	bool first = true;

	for (size_t i = 0; i < a->offers.n; i++) {
		const struct offer *o = &a->offers.at[i];

		if ((o->scope == SCOPE_NODE) != node || (parent && !same_parts(o, parent, depth)) ||
		    told(a, i, depth + 1, node))
			continue;
		text_add(out, first ? "" : between);
		first = false;
		text_printf(out, "%s: ", o->part.at[depth]);
		if (o->part.n == depth + 1) {
			add_value(o, out);
			continue;
		}
		text_char(out, '{');
		add_members(a, o, depth + 1, node, ", ", out);
		text_char(out, '}');
	}
}

void answer_policy(const struct answer *a, bool node, struct text *out)
{
	TEXT_CLEANUP struct text members = { 0 };

	add_members(a, NULL, 0, node, node ? ", " : "\n", &members);
	if (members.n)
		text_printf(out, node ? "node: {%s}" : "%s", text_str(&members));
}

/* --- for people ----------------------------------------------------------------- */

static void print_lines(const struct lines *l, const char *word, struct text *out)
{
	for (size_t i = 0; i < l->n; i++)
		print_line(out, i ? "" : word, l->at[i]);
}

static const char *impact_words(const struct answer *a)
{
	if (a->exists == EXISTS_NO || a->exists == EXISTS_GONE)
		return "none: it has no effect";
	if (a->exists == EXISTS_UNKNOWN && a->writes)
		return "not known";
	return a->writes ? impact_name(a->impact) : "none: it changes nothing";
}

static void print_policy(const struct answer *a, struct text *out)
{
	TEXT_CLEANUP struct text node = { 0 }, group = { 0 };
	const char *word = "policy";

	answer_policy(a, true, &node);
	answer_policy(a, false, &group);
	if (node.n) {
		print_whole(out, word, text_str(&node));
		word = "";
	}
	for (char *s = group.n ? group.s : NULL, *end; s; s = end) {
		end = strchr(s, '\n');
		if (end)
			*end++ = '\0';
		print_whole(out, word, s);
		word = "";
	}
	if (group.n)
		print_line(out, "", a->device ? arena_printf(a->arena, "(in a group of ports that takes in "
								       "%s)", a->device)
					      : "(in a group of ports)");
	for (size_t i = 0; i < a->no_policy.n; i++, word = "")
		print_line(out, word, arena_printf(a->arena, "none: %s", a->no_policy.at[i]));
}

void answer_print(const struct answer *a, struct text *out)
{
	text_add_safe(out, a->text, strlen(a->text));
	text_char(out, '\n');
	print_line(out, "exists", exists_name(a->exists));
	print_lines(&a->is, "is", out);
	print_lines(&a->wrong, "wrong", out);
	print_lines(&a->does, "does", out);
	print_line(out, "impact", impact_words(a));
	print_lines(&a->traffic, "", out);
	print_lines(&a->lasts, "lasts", out);
	print_lines(&a->beware, "beware", out);
	print_lines(&a->instead, "instead", out);
	print_policy(a, out);
}

/* --- for programs ---------------------------------------------------------------- */

static void json_lines(struct json *j, const char *key, const struct lines *l)
{
	json_array_open(j, key);
	for (size_t i = 0; i < l->n; i++)
		json_string(j, NULL, l->at[i]);
	json_array_close(j);
}

static void json_policy(struct json *j, const struct answer *a, const char *key, bool node)
{
	TEXT_CLEANUP struct text t = { 0 };

	answer_policy(a, node, &t);
	json_string(j, key, t.n ? text_str(&t) : NULL);
}

void answer_json(const struct answer *a, struct json *j)
{
	json_object_open(j, NULL);
	json_string(j, "command", a->text);
	json_string(j, "exists", exists_name(a->exists));
	json_lines(j, "is", &a->is);
	json_lines(j, "wrong", &a->wrong);
	json_lines(j, "does", &a->does);
	json_boolean(j, "writes", a->writes);
	json_string(j, "impact", a->exists == EXISTS_UNKNOWN && a->writes ? NULL : impact_name(a->impact));
	json_lines(j, "traffic", &a->traffic);
	json_lines(j, "lasts", &a->lasts);
	json_lines(j, "beware", &a->beware);
	json_lines(j, "instead", &a->instead);
	json_string(j, "device", a->device);
	json_policy(j, a, "node", true);
	json_policy(j, a, "group", false);
	json_lines(j, "no_policy", &a->no_policy);
	json_object_close(j);
}
