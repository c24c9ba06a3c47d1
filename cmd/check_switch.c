/* SPDX-License-Identifier: Apache-2.0 */
/* A switch's exported configuration against a tier of the policy, in the report of a node. Nothing is asked but the file. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "cmd.h"
#include "model/desired.h"
#include "nos/nos.h"
#include "policy/policy.h"
#include "report/report.h"
#include "switches.h"

static void conclude(struct outcome *o)
{
	for (size_t i = 0; i < o->nrows; i++)
		if (!o->row[i].follows)
			o->count[o->row[i].status]++;
	o->exit_code = o->count[STATUS_DRIFT] ? EXIT_DRIFT : o->count[STATUS_UNKNOWN] ? EXIT_UNKNOWN : EXIT_SYNC;
	o->result = o->exit_code == EXIT_DRIFT ? "drift" : o->exit_code ? "unknown" : "in-sync";
}

static int report(struct session *s, const struct switch_file *f, struct outcome *o)
{
	struct desired *des = arena_new_of(s->arena, struct desired);
	struct report_options opt = { .all = s->opt->verbose, .color = session_color(s, STDOUT_FILENO), .quiet = s->opt->quiet };

	policy_identity(s->policy, des);
	des->node = f->source->name;
	o->desired = des;
	o->diags = &s->diags;
	if (s->opt->output == OUTPUT_JSON)
		report_json(o, true, &s->out);
	else
		report_table(o, &opt, &s->out);
	return o->exit_code;
}

static void note_others(struct session *s, const struct switch_tier *t, const struct switch_file *f)
{
	size_t ports = fabric_tier_ports(t->tier), here = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t p = 0; p < t->link[i].link->nports; p++)
			here += conf_has_port(f, t->link[i].link->port[p]);
	if (ports && f->port.n > here)
		diag_note(&s->diags, NULL, "%zu more ports of this file are not in tier %s of the policy, and are not judged",
			  f->port.n - here, t->tier->name);
}

static int compare(struct session *s, const struct switch_tier *t, const struct source *source)
{
	struct outcome o = { .command = "check-switch", .catalog = s->catalog };
	struct switch_file *f;

	if (nos_read(s->arena, t->nos, source, &f, &s->diags) < 0)
		return EXIT_UNKNOWN;
	nos_compare(t, f, &o.row, &o.nrows);
	if (!o.nrows) {
		diag_error(&s->diags, NULL, "%s: no port of this file can be judged", source->name);
		return EXIT_UNKNOWN;
	}
	note_others(s, t, f);
	conclude(&o);
	return report(s, f, &o);
}

static int check_switch(struct session *s)
{
	const struct fabric *f;
	const struct fabric_tier *tier;
	const struct source *source;
	const struct nos *nos;
	struct switch_tier *t;
	int r;

	if (s->opt->nargs != 1) {
		diag_error(&s->diags, NULL, "which file? `rdmactl check-switch FILE` reads what a switch exports, - from standard input");
		return EXIT_USAGE;
	}
	r = switches_tier(s, &f, &tier);
	if (r)
		return r;
	if (file_load(s->arena, s->opt->arg[0], SWITCHES_FILE_MAX, &source, &s->diags) < 0)
		return EXIT_UNKNOWN;
	r = switches_nos(s, tier, source, &nos);
	if (r)
		return r;
	if (nos_tier(s->arena, nos, f, tier, &t, &s->diags) < 0)
		return EXIT_UNKNOWN;
	return compare(s, t, source);
}

const struct command command_check_switch = {
	"check-switch", "FILE", "Compares a switch's configuration with a tier of the policy",
	OPTION_POLICY | OPTION_REPORT | OPTION_TIER, check_switch,
};
