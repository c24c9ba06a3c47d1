/* SPDX-License-Identifier: Apache-2.0 */
/* What a key of the policy language means that is no setting, and what a rule of lint says. */
#include "explain/language.h"

#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "explain/kinds.h"
#include "explain/print.h"
#include "model/catalog.h"

/* --- keys --------------------------------------------------------------------- */

static const char *last_word(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

/* "fabrics.backend.classes.rdma.lossless" is a path as somebody reads it from a policy: …PLACE.NAME.KEY. */
static bool is_path_of(const char *what, const struct language_key *k)
{
	size_t n = strlen(what), key = strlen(k->key), place = strlen(k->place);

	if (!place || n <= key || what[n - key - 1] != '.' || strcmp(what + n - key, k->key) != 0)
		return false;
	for (n -= key + 1; n && what[n - 1] != '.'; n--)
		;
	if (n <= place || memcmp(what + n - 1 - place, k->place, place) != 0)
		return false;
	return n - 1 == place || what[n - 2 - place] == '.';
}

static bool asks_for(const char *what, const struct language_key *k, enum language_match match)
{
	size_t n = strlen(k->place);

	if (catalog_selects(what, k->key))
		return true;
	if (n && !strncmp(what, k->place, n) && what[n] == '.' && catalog_selects(what + n + 1, k->key))
		return true;
	return match == LANGUAGE_WORD && (!strcmp(what, last_word(k->key)) || is_path_of(what, k));
}

static void print_key(const struct language_key *k, struct text *out)
{
	TEXT_CLEANUP struct text takes = { 0 };

	if (out->n)
		text_char(out, '\n');
	text_printf(out, "%s%s%s\n", k->place, *k->place ? "." : "", k->key);
	print_line(out, "means", k->doc);
	if (k->field) {
		kind_takes(k->field, &takes);
		print_line(out, "takes", text_str(&takes));
	}
	print_whole(out, "written", k->written);
}

static void json_key(const struct language_key *k, struct json *j)
{
	json_object_open(j, NULL);
	json_string(j, "language", k->key);
	json_string(j, "place", k->place);
	json_string(j, "means", k->doc);
	json_string(j, "written", k->written);
	if (k->field)
		json_string(j, "kind", kind_name(k->field->kind));
	json_object_close(j);
}

size_t language_explain(const struct explain_lists *l, const char *what, enum language_match match, struct text *out,
			struct json *json)
{
	size_t n = 0;

	for (size_t i = 0; l && *what && i < l->nkeys; i++) {
		if (!asks_for(what, &l->key[i], match))
			continue;
		n++;
		if (json)
			json_key(&l->key[i], json);
		else
			print_key(&l->key[i], out);
	}
	return n;
}

/* --- rules -------------------------------------------------------------------- */

static void print_rule(const struct rule *r, struct text *out)
{
	text_printf(out, "%s\n", r->name);
	print_line(out, "severity", severity_name(r->severity));
	print_line(out, "otherwise", r->reason);
	print_line(out, "fix", r->fix);
	print_line(out, "needs", r->needs);
	print_line(out, "source", r->source);
	print_label(out, "allowed by");
	text_printf(out, "# " RULE_MARK " allow %s because …\n", r->name);
}

static void json_rule(const struct rule *r, struct json *j)
{
	json_object_open(j, NULL);
	json_string(j, "rule", r->name);
	json_string(j, "severity", severity_name(r->severity));
	json_string(j, "reason", r->reason);
	if (r->fix)
		json_string(j, "fix", r->fix);
	json_string(j, "needs", r->needs);
	json_string(j, "source", r->source);
	json_object_close(j);
}

bool rule_explain(const struct explain_lists *l, const char *what, struct text *out, struct json *json)
{
	for (size_t i = 0; l && i < l->nrules; i++) {
		if (strcmp(what, l->rule[i]->name) != 0)
			continue;
		if (json)
			json_rule(l->rule[i], json);
		else
			print_rule(l->rule[i], out);
		return true;
	}
	return false;
}

const char *language_nearest(const struct explain_lists *l, const char *what, struct arena *a)
{
	struct { const char **at; size_t n, room; } words = { 0 };

	for (size_t i = 0; l && i < l->nkeys; i++) {
		list_add(&words, a) = l->key[i].key;
		list_add(&words, a) = last_word(l->key[i].key);
	}
	for (size_t i = 0; l && i < l->nrules; i++)
		list_add(&words, a) = l->rule[i]->name;
	list_add(&words, a) = NULL;
	return text_nearest(what, words.at);
}
