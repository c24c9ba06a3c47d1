/* SPDX-License-Identifier: Apache-2.0 */
/* This machine's ports and values; no policy needed. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd.h"
#include "kernel/kernel.h"
#include "report/report.h"
#include "show_neighbor.h"

static bool only(const struct session *s, const char *word)
{
	return s->opt->nargs == 1 && !strcmp(s->opt->arg[0], word);
}

static int check_names(struct session *s)
{
	for (int i = 0; i < s->opt->nargs; i++) {
		bool known = catalog_field(s->catalog, s->opt->arg[i], NULL) != NULL;

		for (size_t k = 0; k < s->catalog->nsettings && !known; k++)
			for (const struct field *f = s->catalog->setting[k]->fields; f->name && !known; f++)
				known = catalog_selects(s->opt->arg[i], f->name);
		if (known)
			continue;
		diag_error(&s->diags, NULL, "show: there is no setting '%s'", s->opt->arg[i]);
		diag_hint(&s->diags, "`rdmactl explain` lists them; `rdmactl show ports` shows the ports");
		return EXIT_USAGE;
	}
	return 0;
}

/* Every cell that was asked is a row: unmanaged, as nothing says what it should be. */
static void rows_of(struct session *s, const struct finding *f, size_t n, struct outcome *o)
{
	struct { struct row *at; size_t n, room; } rows = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < f[i].live->n; j++) {
			const struct cell *c = &f[i].live->at[j];
			struct row r = { .target = f[i].target, .setting = f[i].setting, .field = c->field, .name = c->name,
					 .live = c, .status = STATUS_UNMANAGED, .reason = "", .cause = c->because };

			if (c->state == CELL_SILENT)
				continue;
			if (c->state == CELL_REASON) {
				r.reason = reason_name(c->reason);
				r.status = reason_is_lack(c->reason) ? STATUS_UNSUPPORTED : STATUS_UNKNOWN;
			}
			o->count[r.status]++;
			list_add(&rows, s->arena) = r;
		}
	o->row = rows.at;
	o->nrows = rows.n;
}

/* The arguments as a list with an end. */
static const char *const *names(struct session *s)
{
	struct { const char **at; size_t n, room; } list = { 0 };

	for (int i = 0; i < s->opt->nargs; i++)
		list_add(&list, s->arena) = s->opt->arg[i];
	list_add(&list, s->arena) = NULL;
	return list.at;
}

/* Asked only with -v: it may take a second. */
static void show_ports(struct session *s)
{
	const struct use **use = s->opt->verbose ? arena_array_of(s->arena, const struct use *, s->facts->nports) : NULL;

	for (size_t i = 0; use && i < s->facts->nports; i++)
		use[i] = session_use(s, &s->facts->port[i]);
	report_ports(s->facts, use, s->opt->output == OUTPUT_JSON, session_color(s, STDOUT_FILENO), &s->out);
}

static int show(struct session *s)
{
	struct outcome o = { .command = "show", .result = "shown" };
	const struct target **target;
	struct finding *f;
	struct run run;
	size_t n, nf;
	int r = only(s, "ports") ? 0 : check_names(s);

	if (only(s, "neighbor"))
		return show_neighbors(s);
	r = r ? r : session_targets(s, &target, &n);
	if (r)
		return r;
	run = (struct run){ .kernel = s->kernel, .arena = s->arena, .catalog = s->catalog, .facts = s->facts,
			    .only = s->opt->nargs ? names(s) : NULL };
	if (only(s, "ports")) {
		show_ports(s);
		return EXIT_SYNC;
	}
	s->kernel->asks_verbs = s->opt->verbs;
	observe_all(&run, target, n, &f, &nf, &s->diags);
	rows_of(s, f, nf, &o);
	if (s->opt->nargs && o.count[STATUS_UNKNOWN]) {
		o.exit_code = EXIT_UNKNOWN;
		o.result = "unknown";
	}
	return session_report(s, &o);
}

const struct command command_show = {
	"show", "[ports | neighbor | SETTING…]", "Shows this machine's ports and values; no policy needed",
	OPTION_MACHINE | OPTION_REPORT | OPTION_SHOW, show,
};
