/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report for programs: docs/report.schema.json. A key is absent where there is nothing to say. Each item, change and
 * message stands on a line of its own, so that two reports can be compared line by line.
 */
#include "base/json.h"

#include <string.h>

#include "report/runs.h"
#include "report/words.h"

static void string_if(struct json *j, const char *key, const char *s)
{
	if (s && *s)
		json_string(j, key, s);
}

static void place(struct json *j, const struct pos *pos)
{
	json_string(j, "file", pos->source->name ? pos->source->name : "");
	if (pos->line)
		json_int(j, "line", pos->line);
	if (pos->col)
		json_int(j, "column", pos->col);
}

static void place_if(struct json *j, const char *key, const struct pos *pos)
{
	if (!pos->source)
		return;
	json_object_open(j, key);
	place(j, pos);
	json_object_close(j);
}

static void losers(struct json *j, const struct cell *c)
{
	if (!c->nlosers)
		return;
	json_array_open(j, "losers");
	for (size_t i = 0; i < c->nlosers; i++) {
		json_object_open(j, NULL);
		place(j, &c->loser[i].pos);
		json_string(j, "value", c->loser[i].value);
		json_string(j, "why", c->loser[i].why);
		json_object_close(j);
	}
	json_array_close(j);
}

/* One member of an array, on one line. */
static void line_open(struct json *j)
{
	json_object_open(j, NULL);
	j->pretty = false;
}

static void line_close(struct json *j)
{
	json_object_close(j);
	j->pretty = true;
}

static void cell(struct json *j, const char *key, const struct cell *c)
{
	if (c && c->state == CELL_VALUE)
		value_json(c->field, &c->value, j, key);
}

static void target(struct json *j, const struct target *t)
{
	json_string(j, "target", t->name);
	string_if(j, "group", t->group);
}

static void item(struct json *j, const struct row *r)
{
	line_open(j);
	target(j, r->target);
	json_string(j, "setting", r->name);
	cell(j, "want", r->want);
	cell(j, "live", r->live);
	cell(j, "boot", r->boot);
	json_string(j, "status", status_name(r->status));
	string_if(j, "reason", r->reason);
	string_if(j, "event", r->event);
	if (r->live_wrong)
		json_boolean(j, "live_wrong", true);
	if (r->boot_wrong)
		json_boolean(j, "boot_wrong", true);
	if (r->change) {
		json_string(j, "impact", impact_name(r->impact));
		json_string(j, "effective", effective_name(r->effective));
	}
	if (r->changed)
		json_boolean(j, "changed", true);
	if (r->follows)
		json_boolean(j, "follows", true);
	if (r->want)
		place_if(j, "origin", &r->want->pos);
	if (r->boot) {
		place_if(j, "boot_origin", &r->boot->pos);
		losers(j, r->boot);
	}
	if (r->live)
		string_if(j, "interface", r->live->via);
	string_if(j, "cause", r->cause);
	if (r->status != STATUS_IN_SYNC)
		string_if(j, "scope", r->scope);
	string_if(j, "remedy", r->remedy);
	line_close(j);
}

/* What the result is true of, where that is not all of the node. */
static void limits(struct json *j, const struct outcome *o)
{
	const struct limits *l = &o->limits;

	if (!words_limited(o))
		return;
	json_object_open(j, "limits");
	if (l->only) {
		json_array_open(j, "only");
		for (const char *const *s = l->only; *s; s++)
			json_string(j, NULL, *s);
		json_array_close(j);
	}
	string_if(j, "port", l->port);
	if (l->live || l->boot)
		json_string(j, "home", l->live ? "live" : "boot");
	json_object_close(j);
}

static void items(struct json *j, const struct outcome *o, bool all)
{
	json_array_open(j, "items");
	for (size_t i = 0; i < o->nrows; i++)
		if (all || !o->desired || (o->row[i].status != STATUS_IN_SYNC && !o->row[i].follows))
			item(j, &o->row[i]);
	json_array_close(j);
}

static void change_cells(struct json *j, const struct change *c)
{
	json_array_open(j, "cells");
	for (size_t i = 0; i < c->nparts; i++)
		for (size_t k = 0; k < c->part[i].want->n; k++) {
			const struct change_part *p = &c->part[i];

			if (!change_differing(p, k))
				continue;
			json_object_open(j, NULL);
			json_string(j, "setting", p->want->at[k].name);
			cell(j, "from", k < p->have->n ? &p->have->at[k] : NULL);
			cell(j, "to", &p->want->at[k]);
			json_object_close(j);
		}
	json_array_close(j);
}

static const char *refusal_name(enum refusal r)
{
	static const char *const names[] = {
		[REFUSED_NOT] = NULL,
		[REFUSED_OTHER_OWNER] = "other-owner",
		[REFUSED_UNREAD] = "object-unread",
		[REFUSED_IMPOSSIBLE] = "refused",
		[REFUSED_ALLOW] = "above-allow",
		[REFUSED_WITHOUT] = "held-back",
	};

	return names[r];
}

static void changes(struct json *j, const struct outcome *o)
{
	json_array_open(j, "changes");
	for (size_t i = 0; i < o->nchanges + o->nrefused; i++) {
		const struct change *c = o->change[i];

		line_open(j);
		target(j, c->target);
		json_string(j, "object", c->object);
		json_string(j, "impact", impact_name(c->impact));
		json_string(j, "effective", effective_name(c->effective));
		if (c->done)
			json_boolean(j, "done", true);
		string_if(j, "does", c->does);
		string_if(j, "because", c->because);
		string_if(j, "leaves", c->leaves);
		string_if(j, "unsafe", c->unsafe);
		string_if(j, "instead", c->instead);
		string_if(j, "refused", refusal_name(c->refused));
		string_if(j, "why", c->refused_why);
		change_cells(j, c);
		line_close(j);
	}
	json_array_close(j);
}

static void messages(struct json *j, const struct diags *d)
{
	json_array_open(j, "messages");
	for (size_t i = 0; d && i < d->n; i++) {
		const struct diag *one = &d->at[i];

		line_open(j);
		json_string(j, "severity", severity_name(one->severity));
		string_if(j, "rule", one->rule);
		if (one->pos.source)
			place(j, &one->pos);
		string_if(j, "object", one->object);
		json_string(j, "what", one->what);
		if (one->err) {
			json_int(j, "errno", one->err);
			string_if(j, "error", strerrordesc_np(one->err));
		}
		string_if(j, "kernel", one->kernel);
		string_if(j, "hint", one->hint);
		place_if(j, "see", &one->other);
		line_close(j);
	}
	json_array_close(j);
}

static void policy(struct json *j, const struct desired *d)
{
	if (!d)
		return;
	json_object_open(j, "policy");
	string_if(j, "file", d->policy_file);
	string_if(j, "revision", d->revision);
	string_if(j, "digest", d->policy_digest);
	string_if(j, "desired", d->digest);
	json_object_close(j);
}

static void counts(struct json *j, const struct outcome *o)
{
	json_object_open(j, "counts");
	for (int s = 0; s < STATUS_N; s++)
		json_int(j, status_name((enum status)s), (int64_t)o->count[s]);
	json_object_close(j);
}

void report_json(const struct outcome *o, bool all, struct text *out)
{
	struct json j;

	json_init(&j, out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_int(&j, "report", REPORT_FORMAT);
	json_string(&j, "command", o->command);
	string_if(&j, "node", o->desired ? o->desired->node : o->facts ? o->facts->hostname : NULL);
	if (o->facts) {
		string_if(&j, "kernel", o->facts->kernel);
		string_if(&j, "time", o->facts->observed_at);
	}
	policy(&j, o->desired);
	json_string(&j, "result", o->result);
	json_boolean(&j, "changed", o->changed);
	json_int(&j, "writes", (int64_t)o->nwrites);
	json_int(&j, "exit_code", o->exit_code);
	limits(&j, o);
	report_undoes(&j, o->undoes);
	if (o->back_to)
		json_int(&j, "back_to", o->back_to);
	counts(&j, o);
	items(&j, o, all);
	changes(&j, o);
	messages(&j, o->diags);
	json_object_close(&j);
	text_char(out, '\n');
}
