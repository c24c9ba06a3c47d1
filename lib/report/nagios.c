/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report for Nagios and what speaks like it: one line, text and performance data apart by '|', and a status of 0 to 3.
 * What a plugin prints on standard error is not shown there, so the first error stands in the line.
 */
#include <string.h>

#include "base/diag.h"
#include "model/facts.h"
#include "report/words.h"

enum state { OK, WARNING, CRITICAL, UNKNOWN = REPORT_NAGIOS_UNKNOWN };
enum { NAMED = 3 };

static enum state state_of(const struct outcome *o)
{
	if (o->exit_code == 0)
		return OK;
	if (!strcmp(o->result, "unknown") || !strcmp(o->result, "failed"))
		return UNKNOWN;
	return !strcmp(o->result, "pending") || !strcmp(o->result, "warnings") ? WARNING : CRITICAL;
}

/* On one line, without the bar that ends the text. */
static void add_plain(struct text *out, const char *s)
{
	size_t from = out->n;

	text_add_safe(out, s, strlen(s));
	for (size_t i = from; i < out->n; i++)
		if (out->s[i] == '|')
			out->s[i] = '/';
}

static void add_rows(const struct outcome *o, struct text *out)
{
	const char *sep = ": ";
	size_t n = 0;

	for (size_t i = 0; i < o->nrows; i++) {
		const struct row *r = &o->row[i];

		if (!words_shown(o, r, false) || r->status == STATUS_UNMANAGED || n++ >= NAMED)
			continue;
		text_add(out, sep);
		add_plain(out, r->name);
		text_add(out, " of ");
		add_plain(out, r->target->name);
		sep = ", ";
	}
	if (n > NAMED)
		text_printf(out, " and %zu more", n - NAMED);
}

static void add_error(const struct diags *d, struct text *out)
{
	for (size_t i = 0; d && i < d->n; i++) {
		const struct diag *one = &d->at[i];

		if (one->severity != SEVERITY_ERROR)
			continue;
		text_add(out, ": ");
		if (one->pos.source && one->pos.source->name) {
			add_plain(out, one->pos.source->name);
			if (one->pos.line)
				text_printf(out, ":%u", one->pos.line);
			text_add(out, ": ");
		}
		add_plain(out, one->what);
		words_errno(one, out);
		return;
	}
}

/* The thresholds are those of the statuses above: any drift is critical, anything that waits a warning. */
static void add_performance(const struct outcome *o, struct text *out)
{
	static const char *const limits[STATUS_N] = { [STATUS_DRIFT] = ";;0;0", [STATUS_PENDING] = ";0;;0" };

	text_add(out, " |");
	for (int i = 0; i < STATUS_N; i++)
		text_printf(out, " %s=%zu%s", status_name((enum status)i), o->count[i], limits[i] ? limits[i] : ";;;0");
}

int report_nagios(const struct outcome *o, struct text *out)
{
	static const char *const words[] = {
		[OK] = "OK", [WARNING] = "WARNING", [CRITICAL] = "CRITICAL", [UNKNOWN] = "UNKNOWN",
	};
	TEXT_CLEANUP struct text limits = { 0 };
	enum state state = state_of(o);
	const char *node = o->desired ? o->desired->node : o->facts ? o->facts->hostname : "";

	text_printf(out, "RDMACTL %s - ", words[state]);
	add_plain(out, node);
	text_add(out, *node ? ": " : "");
	text_add(out, words_result(o));
	if (state == UNKNOWN && !o->nrows)
		add_error(o->diags, out);
	else if (state != OK)
		add_rows(o, out);
	words_limits(o, &limits);
	add_plain(out, text_str(&limits));
	if (o->desired)
		add_performance(o, out);
	text_char(out, '\n');
	return (int)state;
}
