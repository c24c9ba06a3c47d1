/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of lint as a line for people and as JSON (docs/findings.schema.json), and the list of rules. */
#include "report/findings.h"

#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "report/grid.h"
#include "report/report.h"

static void count(struct text *out, size_t n, const char *what, const char *behind)
{
	text_printf(out, "%zu %s%s%s", n, what, n == 1 ? "" : "s", behind);
}

static size_t allowed(const struct diags *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->at[i].allowed != NULL;
	return n;
}

static size_t not_checked(const struct findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nrules; i++)
		n += !f->judged[i];
	return n;
}

void findings_table(const struct findings *f, bool all, struct text *out)
{
	for (size_t i = 0; all && i < f->nrules; i++)
		if (!f->judged[i])
			text_printf(out, "not checked: %s: needs %s\n", f->rule[i]->name, f->rule[i]->needs);
	count(out, f->diags->errors, "error", ", ");
	count(out, f->diags->warnings, "warning", ", ");
	count(out, f->diags->notes, "note", "");
	if (allowed(f->diags))
		text_printf(out, " (%zu allowed)", allowed(f->diags));
	if (all)
		text_printf(out, "; %zu of %zu rules not checked", not_checked(f), f->nrules);
	text_char(out, '\n');
}

/* --- JSON --------------------------------------------------------------------- */

static const struct rule *rule_of(const struct findings *f, const char *name)
{
	for (size_t i = 0; name && i < f->nrules; i++)
		if (!strcmp(f->rule[i]->name, name))
			return f->rule[i];
	return NULL;
}

static void place(struct json *j, const struct pos *pos)
{
	if (!pos->source)
		return;
	json_string(j, "file", pos->source->name);
	if (pos->line)
		json_int(j, "line", pos->line);
	if (pos->line && pos->col)
		json_int(j, "column", pos->col);
}

static void string_if(struct json *j, const char *key, const char *s)
{
	if (s)
		json_string(j, key, s);
}

static void finding(struct json *j, const struct findings *f, const struct diag *d)
{
	const struct rule *rule = rule_of(f, d->rule);
	const struct pos use = diag_use(&d->pos);

	json_object_open(j, NULL);
	json_string(j, "severity", severity_name(d->allowed && rule ? rule->severity : d->severity));
	string_if(j, "rule", d->rule);
	string_if(j, "object", d->object);
	json_string(j, "message", d->what);
	if (d->err) {
		json_int(j, "errno", d->err);
		string_if(j, "error", strerrordesc_np(d->err));
	}
	string_if(j, "kernel", d->kernel);
	place(j, &d->pos);
	string_if(j, "hint", d->hint);
	if (d->other.source) {
		json_object_open(j, "other");
		place(j, &d->other);
		json_string(j, "message", d->other_what ? d->other_what : "see here");
		json_object_close(j);
	}
	if (use.source) {
		json_object_open(j, "used");
		place(j, &use);
		json_object_close(j);
	}
	json_boolean(j, "suppressed", d->allowed);
	string_if(j, "because", d->allowed);
	json_object_close(j);
}

static void begin(struct json *j, struct text *out)
{
	json_init(j, out, true);
	json_object_open(j, NULL);
	json_string(j, "rdmactl", VERSION);
	json_int(j, "report", REPORT_FORMAT);
	json_string(j, "command", "lint");
}

void findings_json(const struct findings *f, struct text *out)
{
	struct json j;

	begin(&j, out);
	json_int(&j, "errors", (int64_t)f->diags->errors);
	json_int(&j, "warnings", (int64_t)f->diags->warnings);
	json_int(&j, "notes", (int64_t)f->diags->notes);
	json_int(&j, "exit_code", f->exit_code);
	json_array_open(&j, "findings");
	for (size_t i = 0; i < f->diags->n; i++)
		finding(&j, f, &f->diags->at[i]);
	json_array_close(&j);
	json_array_open(&j, "not_checked");
	for (size_t i = 0; i < f->nrules; i++) {
		if (f->judged[i])
			continue;
		json_object_open(&j, NULL);
		json_string(&j, "rule", f->rule[i]->name);
		json_string(&j, "needs", f->rule[i]->needs);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	text_char(out, '\n');
}

/* --- rules -------------------------------------------------------------------- */

static void rules_json(const struct findings *f, struct text *out)
{
	struct json j;

	begin(&j, out);
	json_array_open(&j, "rules");
	for (size_t i = 0; i < f->nrules; i++) {
		const struct rule *r = f->rule[i];

		json_object_open(&j, NULL);
		json_string(&j, "rule", r->name);
		json_string(&j, "severity", severity_name(r->severity));
		json_string(&j, "reason", r->reason);
		json_string(&j, "source", r->source);
		string_if(&j, "fix", r->fix);
		json_string(&j, "needs", r->needs);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	text_char(out, '\n');
}

void findings_rules(const struct findings *f, bool json, bool all, bool color, struct text *out)
{
	struct arena *a = arena_new();
	struct grid g = { .arena = a };

	if (json) {
		rules_json(f, out);
		arena_free(a);
		return;
	}
	grid_column(&g, "RULE");
	grid_column(&g, "SEVERITY");
	grid_column(&g, "REASON");
	for (size_t i = 0; i < f->nrules; i++) {
		const struct rule *r = f->rule[i];
		struct grid_row *row = grid_add(&g);

		row->cell[0] = r->name;
		row->cell[1] = severity_name(r->severity);
		row->cell[2] = r->reason;
		if (all)
			row->below = arena_printf(a, "    source: %s\n    needs: %s\n%s%s%s", r->source, r->needs,
						  r->fix ? "    fix: " : "", r->fix ? r->fix : "", r->fix ? "\n" : "");
	}
	grid_print(&g, color, out);
	arena_free(a);
}
