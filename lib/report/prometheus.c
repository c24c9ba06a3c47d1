/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report for Prometheus: its text form, version 0.0.4, as node_exporter's textfile collector reads it. That collector
 * refuses a whole file for one sample that has a timestamp of its own, or is there twice; so the run's time is a value.
 * Rows that are in sync are counted, not listed: a fleet in policy costs a few series a node.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "model/facts.h"
#include "model/meter.h"
#include "report/words.h"

enum { WORD_BYTES = 4, US = 1000000 };

/* A sample that is being written: name{labels} value. */
struct sample {
	struct text *out;
	bool labelled;
};

static void family(struct text *out, const char *name, const char *type, const char *help)
{
	text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static struct sample sample(struct text *out, const char *name)
{
	text_add(out, name);
	return (struct sample){ .out = out };
}

/* Made safe first, so that what is left to escape is a quote and a backslash. An empty value is no label. */
static void label(struct sample *s, const char *key, const char *value)
{
	TEXT_CLEANUP struct text safe = { 0 };

	if (!value || !*value)
		return;
	text_add_safe(&safe, value, strlen(value));
	text_printf(s->out, "%s%s=\"", s->labelled ? "," : "{", key);
	for (const char *c = text_str(&safe); *c; c++) {
		if (*c == '"' || *c == '\\')
			text_char(s->out, '\\');
		text_char(s->out, *c);
	}
	text_char(s->out, '"');
	s->labelled = true;
}

static void label_number(struct sample *s, const char *key, uint32_t value)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", value);
	label(s, key, number);
}

static void value_begin(const struct sample *s)
{
	text_add(s->out, s->labelled ? "} " : " ");
}

static void value(const struct sample *s, uint64_t v)
{
	value_begin(s);
	text_uint(s->out, v);
	text_char(s->out, '\n');
}

static void value_us(const struct sample *s, uint64_t us)
{
	value_begin(s);
	text_printf(s->out, "%llu.%06llu\n", (unsigned long long)(us / US), (unsigned long long)(us % US));
}

static void value_meter(const struct sample *s, enum meter_unit unit, uint64_t v)
{
	if (unit == METER_US) {
		value_us(s, v);
	} else if (unit == METER_WORD && v > UINT64_MAX / WORD_BYTES) {
		value_begin(s);		/* more than 64 bits of it; Prometheus keeps 53 */
		text_printf(s->out, "%.0f\n", (double)v * WORD_BYTES);
	} else {
		value(s, unit == METER_WORD ? v * WORD_BYTES : v);
	}
}

static void single(struct text *out, const char *name, const char *help, uint64_t v)
{
	struct sample s;

	family(out, name, "gauge", help);
	s = sample(out, name);
	value(&s, v);
}

/* --- the run ------------------------------------------------------------------ */

static void run(const struct outcome *o, struct text *out)
{
	struct sample s;

	family(out, "rdmactl_build_info", "gauge", "The version of rdmactl that ran.");
	s = sample(out, "rdmactl_build_info");
	label(&s, "version", VERSION);
	value(&s, 1);
	single(out, "rdmactl_last_run_timestamp_seconds", "When the node was last looked at, or a look at it failed.",
	       (uint64_t)(o->ended_s > 0 ? o->ended_s : 0));
	single(out, "rdmactl_last_run_exit_status",
	       "Exit status of that run: 0 in sync, 1 drift or pending, 2 not all could be read.", (uint64_t)o->exit_code);
	if (o->took_us < 0)
		return;
	family(out, "rdmactl_last_run_duration_seconds", "gauge", "How long that run took until its report.");
	s = sample(out, "rdmactl_last_run_duration_seconds");
	value_us(&s, (uint64_t)o->took_us);
}

static void result(const struct outcome *o, struct text *out)
{
	const char *found;
	size_t i = 0;

	family(out, "rdmactl_node_result", "gauge", "What that run found: 1 for the one result, 0 for all others.");
	while ((found = words_found(&i))) {
		struct sample s = sample(out, "rdmactl_node_result");

		label(&s, "result", found);
		value(&s, !strcmp(found, o->result));
	}
}

static void policy(const struct desired *d, struct text *out)
{
	struct sample s;

	family(out, "rdmactl_policy_info", "gauge", "Which policy judged the node, under which name.");
	s = sample(out, "rdmactl_policy_info");
	label(&s, "node", d->node);
	label(&s, "policy", d->policy_file);
	label(&s, "revision", d->revision);
	label(&s, "digest", d->policy_digest);
	label(&s, "desired", d->digest);
	value(&s, 1);
}

/* --- rows ----------------------------------------------------------------------- */

static void counts(const struct outcome *o, struct text *out)
{
	family(out, "rdmactl_rows", "gauge", "Values that the policy asks for, by what became of them.");
	for (int i = 0; i < STATUS_N; i++) {
		struct sample s = sample(out, "rdmactl_rows");

		label(&s, "status", status_name((enum status)i));
		value(&s, o->count[i]);
	}
}

static void label_port(struct sample *s, const char *ibdev, uint32_t ibport)
{
	label(s, "device", ibdev);
	if (*ibdev)
		label_number(s, "port", ibport);
}

static void row(const struct row *r, struct text *out)
{
	struct sample s = sample(out, "rdmactl_row");

	label(&s, "target", r->target->name);
	label(&s, "group", r->target->group);
	if (r->target->port)
		label_port(&s, r->target->port->ibdev, r->target->port->ibport);
	label(&s, "setting", r->name);
	label(&s, "status", status_name(r->status));
	label(&s, "reason", r->reason);
	value(&s, 1);
}

static void rows(const struct outcome *o, struct text *out)
{
	counts(o, out);
	family(out, "rdmactl_row", "gauge",
	       "A value that is not as the policy wants it; one that is in sync has no series.");
	for (size_t i = 0; i < o->nrows; i++)
		if (words_shown(o, &o->row[i], false))
			row(&o->row[i], out);
}

/* --- counters -------------------------------------------------------------------- */

static void readable(const struct readings *r, struct text *out)
{
	family(out, "rdmactl_counters_readable", "gauge", "Could all counters that are there be read.");
	for (size_t i = 0; i < r->asked.n; i++) {
		struct sample s = sample(out, "rdmactl_counters_readable");

		label(&s, "interface", r->asked.at[i].ifname);
		label_port(&s, r->asked.at[i].ibdev, r->asked.at[i].ibport);
		value(&s, r->asked.at[i].readable);
	}
}

static void reading(const struct reading *r, struct text *out)
{
	struct sample s = sample(out, r->meter->metric);

	label(&s, "interface", r->ifname);
	label_port(&s, r->ibdev, r->ibport);
	if (r->priority >= 0)
		label_number(&s, "priority", (uint32_t)r->priority);
	label(&s, "counter", r->own);
	value_meter(&s, r->meter->unit, r->value);
}

static void readings(const struct readings *r, struct text *out)
{
	readable(r, out);
	for (size_t i = 0; i < r->nmeters; i++) {
		bool any = false;

		for (size_t j = 0; j < r->list.n; j++) {
			if (r->list.at[j].meter != &r->meter[i])
				continue;
			if (!any)
				family(out, r->meter[i].metric, "counter", r->meter[i].doc);
			any = true;
			reading(&r->list.at[j], out);
		}
	}
}

void report_prometheus(const struct outcome *o, struct text *out)
{
	run(o, out);
	result(o, out);
	if (o->desired)
		policy(o->desired, out);
	if (o->desired && strcmp(o->result, "failed") != 0)
		rows(o, out);
	if (o->readings)
		readings(o->readings, out);
}
