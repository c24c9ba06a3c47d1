/* SPDX-License-Identifier: Apache-2.0 */
/* Prints files that the policy leads to, byte for byte as they would be written; writes nothing. */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "boot/ours.h"
#include "cmd.h"
#include "kernel/kernel.h"
#include "nos/nos.h"
#include "switches.h"

/* --- boot ------------------------------------------------------------------------ */

struct rendered {
	const char *path, *text;	/* "/etc/sysctl.d/zz-rdmactl.conf" */
};

/* What the plan does to a file of ours, or NULL: it is as it is to be. */
static const struct change_file *planned(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n + p->nrefused; i++) {
		const struct change *c = p->change[i];

		for (size_t j = 0; c->phase == PHASE_BOOT && !c->refused && j < c->nfiles; j++)
			if (!strcmp(c->file[j].path, path))
				return &c->file[j];
	}
	return NULL;
}

/* The file as apply leaves it: the change's, or as it stands. NULL: there is to be none */
static const char *text_after(struct session *s, const struct plan *p, enum ours f)
{
	const struct change_file *file = planned(p, ours_path(f) + 1);
	const struct source *now;

	if (file)
		return file->after;
	return ours_source(s->kernel, f, &now) == 0 && now ? now->text : NULL;
}

static bool is_written(const struct row *r)
{
	const struct change *c = r->change;

	for (size_t i = 0; c && !c->refused && i < c->nparts; i++)
		for (size_t j = 0; j < c->part[i].want->n; j++)
			if (!strcmp(c->part[i].want->at[j].name, r->name))
				return c->part[i].differs[j];
	return false;
}

/* Lines that cannot be, since somebody else's would win: no image is right without them. */
static int tell_left_out(struct session *s, const struct plan *p)
{
	int left = EXIT_SYNC;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct row *r = &p->row[i];

		if (!r->boot_wrong || is_written(r))
			continue;
		left = EXIT_DRIFT;
		diag_warning(&s->diags, r->want->pos.source ? &r->want->pos : NULL, "%s is not in these files: %s", r->name,
			     r->change && r->change->refused_why ? r->change->refused_why : r->cause ? r->cause : r->reason);
	}
	return left;
}

static void print_text(struct text *out, const struct rendered *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text_printf(out, "%s==> %s <==\n%s", i ? "\n" : "", r[i].path, r[i].text);
}

static void print_json(struct text *out, const struct session *s, const struct rendered *r, size_t n)
{
	struct json j;

	json_init(&j, out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_string(&j, "command", "render boot");
	json_string(&j, "node", s->desired->node);
	json_array_open(&j, "files");
	for (size_t i = 0; i < n; i++) {
		json_object_open(&j, NULL);
		json_string(&j, "path", r[i].path);
		json_string(&j, "mode", "0644");
		json_string(&j, "content", r[i].text);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	text_char(out, '\n');
}

static int render_boot(struct session *s)
{
	struct rendered files[OURS_ALL];
	struct plan *p;
	struct run run;
	size_t n = 0;
	int r = session_run(s, &run);

	if (r)
		return r;
	run.boot_files_only = run.without_live = true;
	run.in_use = NULL;
	if (plan_build(&run, &p, &s->diags) < 0)
		return EXIT_UNKNOWN;
	for (int f = 0; f < OURS_ALL; f++) {
		const char *text = text_after(s, p, (enum ours)f);

		if (text)
			files[n++] = (struct rendered){ ours_path((enum ours)f), text };
	}
	if (s->opt->output == OUTPUT_JSON)
		print_json(&s->out, s, files, n);
	else
		print_text(&s->out, files, n);
	if (!n)
		diag_note(&s->diags, NULL, "no file is needed: the policy asks for nothing at boot, or others say it already");
	return tell_left_out(s, p);
}

/* --- switch ------------------------------------------------------------------------ */

static int print_against(struct session *s, const struct nos *nos, const struct text *whole)
{
	struct source *want = arena_new_of(s->arena, struct source);
	const struct source *base;

	*want = (struct source){ "(rendered)", text_str(whole), whole->n };
	if (file_load(s->arena, s->opt->against, SWITCHES_FILE_MAX, &base, &s->diags) < 0)
		return EXIT_UNKNOWN;
	return nos_against(nos, want, base, s->arena, &s->out, &s->diags) < 0 ? EXIT_UNKNOWN : EXIT_SYNC;
}

static int render_tier(struct session *s, struct switch_tier *t)
{
	TEXT_CLEANUP struct text whole = { 0 };

	const char *doubt = t->nos->unverified ? t->nos->unverified(t) : NULL;

	if (doubt && !s->opt->unverified) {
		diag_error(&s->diags, &t->tier->pos, "%s: no source confirms %s", t->nos->called, doubt);
		diag_hint(&s->diags, "--unverified renders it all the same: try it on one port first");
		return EXIT_UNKNOWN;
	}
	if (nos_render(t, s->opt->templates, &whole, &s->diags) < 0)
		return EXIT_UNKNOWN;
	if (s->opt->against)
		return print_against(s, t->nos, &whole);
	text_addn(&s->out, text_str(&whole), whole.n);
	return EXIT_SYNC;
}

static int render_switch(struct session *s)
{
	const struct fabric *f;
	const struct fabric_tier *tier;
	const struct nos *nos;
	struct switch_tier *t;
	int r = switches_tier(s, &f, &tier);

	r = r ? r : switches_nos(s, tier, NULL, &nos);
	if (r)
		return r;
	return nos_tier(s->arena, nos, f, tier, &t, &s->diags) < 0 ? EXIT_UNKNOWN : render_tier(s, t);
}

/* --- the command ------------------------------------------------------------------- */

static const struct {
	const char *word;
	int (*run)(struct session *s);
} kinds[] = { { "boot", render_boot }, { "switch", render_switch } };

static int render(struct session *s)
{
	for (size_t i = 0; s->opt->nargs == 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(s->opt->arg[0], kinds[i].word))
			return kinds[i].run(s);
	diag_error(&s->diags, NULL, "render what? `rdmactl render boot` prints the boot files of a node, `render switch` a switch's part");
	return EXIT_USAGE;
}

const struct command command_render = {
	"render", "boot|switch", "Prints boot files of a node, or the configuration of switches",
	OPTION_POLICY | OPTION_ROOT | OPTION_OUTPUT | OPTION_TIER | OPTION_RENDER, render,
};
