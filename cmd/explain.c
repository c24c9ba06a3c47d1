/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting means, from the tables; of one node, what the policy asks for, where, and what that line beat. */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd.h"
#include "explain/command.h"
#include "explain/explain.h"
#include "lint/lint.h"
#include "model/record.h"
#include "policy/language.h"
#include "policy/policy.h"

/* --- what explain cannot know of itself -------------------------------------- */

static const struct explain_lists *explain_lists(struct session *s)
{
	struct explain_lists *lists = arena_new_of(s->arena, struct explain_lists);
	const struct rule **rule = arena_array_of(s->arena, const struct rule *, LINT_RULES_MAX);

	lists->key = language_keys(s->arena, s->catalog, &lists->nkeys);
	lists->rule = rule;
	lists->nrules = lint_rules(rule);
	return lists;
}

/* --- where a value comes from ------------------------------------------------ */

struct telling {
	struct session *s;
	struct json *json;
};

/* Names of files and groups are the policy's, and go to a terminal. */
static const char *shown(struct telling *t, const char *name)
{
	return text_safe(t->s->arena, name, strlen(name), SIZE_MAX);
}

static const char *place(struct telling *t, const struct pos *pos)
{
	return pos->source ? arena_printf(t->s->arena, "%s:%u:%u", shown(t, pos->source->name), pos->line, pos->col) : "";
}

static void add_value(const struct cell *c, const struct value *v, struct text *out)
{
	if (c->state == CELL_VALUE)
		value_print(c->field, v, out);
	else
		text_add(out, c->state == CELL_FABRIC ? "fabric" : "unmanaged");
}

static void tell_origin(const struct policy_origin *o, struct telling *t)
{
	struct text *out = &t->s->out;

	text_printf(out, "%s%s%s on %s\n  value     ", o->name, *o->group ? " of group " : "", shown(t, o->group),
		    shown(t, t->s->opt->node));
	add_value(o->cell, &o->cell->value, out);
	if (o->cell->also) {
		text_add(out, "; in sync as well: ");
		add_value(o->cell, o->cell->also, out);
	}
	text_char(out, '\n');
	for (size_t i = 0; i < o->n; i++) {
		const struct policy_saying *said = &o->said[i];

		text_printf(out, "  %-10s%s: %s, %s\n", said->except ? "except" : said->why ? "beats" : i ? "and" : "from",
			    place(t, &said->pos), said->value, said->who);
		if (said->why)
			text_printf(out, "  %-10s%s\n", "", said->why);
	}
}

static void tell_json(const struct policy_origin *o, struct telling *t)
{
	struct json *j = t->json;

	json_object_open(j, NULL);
	json_string(j, "key", o->name);
	json_string(j, "node", t->s->opt->node);
	json_string(j, "group", o->group);
	if (o->cell->state == CELL_VALUE)
		value_json(o->cell->field, &o->cell->value, j, "value");
	if (o->cell->also)
		value_json(o->cell->field, o->cell->also, j, "also_in_sync");
	json_array_open(j, "said");
	for (size_t i = 0; i < o->n; i++) {
		const struct policy_saying *said = &o->said[i];

		json_object_open(j, NULL);
		json_string(j, "file", said->pos.source ? said->pos.source->name : "");
		json_int(j, "line", said->pos.line);
		json_int(j, "column", said->pos.col);
		json_string(j, "value", said->value);
		json_string(j, "by", said->who);
		json_string(j, "is", said->except ? "exception" : said->why ? "beaten" : "counts");
		if (said->why)
			json_string(j, "why", said->why);
		json_object_close(j);
	}
	json_array_close(j);
	json_object_close(j);
}

static void tell(const struct policy_origin *o, void *arg)
{
	struct telling *t = arg;

	if (t->json)
		tell_json(o, t);
	else
		tell_origin(o, t);
}

static int explain_origin(struct session *s, const char *key, struct json *json)
{
	struct telling t = { .s = s, .json = json };
	TEXT_CLEANUP struct text meaning = { 0 };
	int r = session_policy(s), n;

	if (r)
		return r;
	n = policy_origins(s->policy, s->opt->node, s->opt->port, key, s->catalog, tell, &t, &s->diags);
	if (n)
		return n < 0 ? EXIT_POLICY : EXIT_SYNC;
	if (!catalog_field(s->catalog, key, NULL) && language_explain(explain_lists(s), key, LANGUAGE_WORD, &meaning, NULL)) {
		diag_error(&s->diags, NULL, "%s is of the language, and no setting: no node has a value of it", key);
		diag_hint(&s->diags, "`rdmactl explain %s` says what it means", key);
		return EXIT_USAGE;
	}
	if (explain_key(s->catalog, explain_lists(s), key, &meaning, NULL, &s->diags) < 0)	/* it tells the nearest one */
		return EXIT_USAGE;
	diag_error(&s->diags, NULL, "the policy says nothing of %s for node %s%s%s", key, s->opt->node,
		   s->opt->port ? " in group " : "", s->opt->port ? s->opt->port : "");
	diag_hint(&s->diags, "`rdmactl explain %s` says what it means; without a line it is unmanaged", key);
	return EXIT_USAGE;
}

/* --- the command ------------------------------------------------------------- */

static int explain_one(struct session *s, const char *what, struct json *json)
{
	if (s->opt->node)
		return explain_origin(s, what, json);
	return explain_any(s->catalog, explain_lists(s), what, &s->out, json, &s->diags) < 0 ? EXIT_USAGE : EXIT_SYNC;
}

static int explain(struct session *s)
{
	struct json j, *json = NULL;
	int r = 0;

	if (s->opt->output == OUTPUT_JSON) {
		json = &j;
		json_init(json, &s->out, true);
		json_array_open(json, NULL);
	}
	if (!s->opt->node && (s->opt->policy || s->opt->port)) {
		diag_error(&s->diags, NULL, "-p and --port need --node: a value comes from a policy for one node");
		r = EXIT_USAGE;
	} else if (!s->opt->nargs) {
		r = explain_one(s, "", json);
	}
	for (int i = 0; i < s->opt->nargs && r == 0; i++)
		r = explain_one(s, s->opt->arg[i], json);
	if (json) {
		json_array_close(json);
		text_add(&s->out, "\n");
	}
	return r;
}

const struct command command_explain = {
	"explain", "[KEY|RULE|TOPIC|'COMMAND LINE']…", "Says what a setting means, or what a copied command does",
	OPTION_OUTPUT | OPTION_ORIGIN, explain,
};
