/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot.files: lines in our own boot files that the policy does not ask for. What it asks for is judged key by key, by
 * whoever wins; this setting sees the rest: lines of keys that were dropped, or that somebody added by hand. Asked of
 * every node, for a policy that dropped all its boot keys is silent about them. Speaks to the three files of boot/ours.h.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/modprobe.h"
#include "boot/ours.h"
#include "boot/sysctld.h"
#include "kernel/kernel.h"
#include "model/desired.h"
#include "settings/boot_files.h"

enum { FILES };

enum { SHOWN = 120 };

/* --- what is asked for ------------------------------------------------------------ */

struct asked {
	struct { struct boot_key *at; size_t n, room; } keys;
	struct arena *a;
};

static void ask_wish(struct asked *k, struct kernel *kernel, const struct facts *f, const struct wish *w)
{
	const struct home *home = &w->setting->boot;

	if (w->target->scope != SCOPE_NODE || !home->object || strcmp(home->object, BOOT_FILES) != 0)
		return;
	for (size_t i = 0; i < w->want->n; i++) {
		struct boot_key q;

		if (w->want->at[i].state != CELL_VALUE)
			continue;
		q = boot_key_of(kernel, k->a, f, home, w->setting, &w->want->at[i]);
		if (q.row)
			list_add(&k->keys, k->a) = q;
	}
}

/* Does the key need the module, or ask for it? */
static bool needs_module(const struct boot_key *q, const char *module)
{
	const char *const *modules;

	if (q->row->kind == KEY_LOAD)
		return modprobe_same(q->module, module);
	if (q->row->kind != KEY_SYSCTL || !q->path)
		return false;
	if (q->row->module)
		return modprobe_same(q->row->module, module);
	for (modules = homes_modules(q->path); modules && *modules; modules++)
		if (modprobe_same(*modules, module))
			return true;
	return false;
}

/* --- lines --------------------------------------------------------------------------- */

static char *next_word(char **s)
{
	char *word = *s + strspn(*s, " \t"), *end = word + strcspn(word, " \t");

	*s = *end ? end + 1 : end;
	*end = 0;
	return word;
}

static bool asks_sysctl(const struct asked *k, char *line)
{
	char *eq = strchr(line, '='), *end = eq;
	const char *path;

	if (!eq)
		return false;
	while (end > line && strchr(" \t", end[-1]))
		end--;
	*end = 0;
	path = sysctld_path(k->a, line);
	for (size_t i = 0; i < k->keys.n; i++)
		if (k->keys.at[i].row->kind == KEY_SYSCTL && k->keys.at[i].path && !strcmp(k->keys.at[i].path, path))
			return true;
	return false;
}

/* "options MODULE PARAM=VALUE", "blacklist MODULE": we write one option a line */
static bool asks_modprobe(const struct asked *k, char *line)
{
	const char *word = next_word(&line), *module = next_word(&line), *param = next_word(&line);
	enum key_kind kind = !strcmp(word, "options") ? KEY_OPTION : KEY_BLACKLIST;

	if (kind == KEY_BLACKLIST && strcmp(word, "blacklist") != 0)
		return false;
	param = arena_strndup(k->a, param, strcspn(param, "="));
	for (size_t i = 0; i < k->keys.n; i++) {
		const struct boot_key *q = &k->keys.at[i];

		if (q->row->kind == kind && modprobe_same(q->module, module) &&
		    (kind == KEY_BLACKLIST || modprobe_same(q->param, param)))
			return true;
	}
	return false;
}

static bool asks_module(const struct asked *k, char *line)
{
	for (size_t i = 0; i < k->keys.n; i++)
		if (needs_module(&k->keys.at[i], line))
			return true;
	return false;
}

static bool (*const asks[OURS_N])(const struct asked *, char *) = {
	[OURS_MODLOAD] = asks_module, [OURS_MODPROBE] = asks_modprobe, [OURS_SYSCTL] = asks_sysctl,
};

struct surplus {
	size_t n;
	struct pos pos;			/* of the first */
	const char *line;		/* the same, safe */
};

/* A file of ours without a line that is asked for is one too many itself. */
static void look_through(const struct asked *k, enum ours f, const struct source *s, struct surplus *out)
{
	struct confd_line l = { .source = s };
	size_t before = out->n, kept = 0;

	while (confd_line(&l)) {
		if (!l.n || *l.s == '#')
			continue;
		if (asks[f](k, arena_strndup(k->a, l.s, l.n))) {
			kept++;
			continue;
		}
		if (out->n++)
			continue;
		out->pos = confd_pos(&l, l.s, l.n);
		out->line = text_safe(k->a, l.s, l.n, SHOWN);
	}
	if (kept || out->n > before)
		return;
	if (out->n++)
		return;
	out->pos = (struct pos){ .source = s };
	out->line = NULL;
}

static void ask_all(struct asked *k, struct kernel *kernel, const struct facts *f, const struct desired *des)
{
	for (size_t i = 0; des && i < des->n; i++)
		ask_wish(k, kernel, f, &des->wish[i]);
}

/* --- the home ---------------------------------------------------------------------------- */

static void say(struct part *p, const struct surplus *s)
{
	struct cell *c = &p->have->at[FILES];
	const char *more = s->n > 1 ? arena_printf(p->arena, "; %zu line%s more", s->n - 1, s->n == 2 ? "" : "s") : "";

	part_num(p, FILES, (int64_t)s->n, NULL);
	if (!s->n)
		return;
	c->pos = s->pos;
	c->via = s->pos.source->name;
	if (s->line)
		c->because = arena_printf(p->arena, "%s says \"%s\", which the policy does not ask for%s",
					  boot_place(p->arena, &s->pos), s->line, more);
	else
		c->because = arena_printf(p->arena, "%s is ours and holds nothing that the policy asks for%s",
					  s->pos.source->name, more);
}

static int files_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct asked asked = { .a = p->arena };
	struct surplus out = { 0 };
	bool any = false;

	(void)d;
	if (!part_open(p, FILES))
		return 0;
	for (int f = 0; f < OURS_N; f++) {
		const struct source *s;
		int r = ours_source(k, (enum ours)f, &s);

		if (r < 0) {
			part_reason(p, FILES, reason_of(r), ours_path((enum ours)f), "%s could not be read (%s)",
				    ours_path((enum ours)f), strerror(-r));
			return 0;
		}
		if (!s)
			continue;
		if (!any)
			ask_all(&asked, k, p->facts, p->desired);
		any = true;
		look_through(&asked, (enum ours)f, s, &out);
	}
	say(p, &out);
	return 0;
}

static void files_print(const struct field *f, const struct value *v, struct text *out)
{
	(void)f;
	if (v->num)
		text_printf(out, "%lld line%s more", (long long)v->num, v->num == 1 ? "" : "s");
	else
		text_add(out, "nothing more");
}

static const struct field fields[] = {
	[FILES] = { "boot.files", KIND_UINT, .min = 0, .max = 0, .always = true, .print = files_print,
		    .doc = "lines in the boot files of rdmactl that the policy does not ask for, or not any more; asked of every "
			   "node: 0" },
	{ 0 },
};

/* None of its cells is a key of a file. */
static const struct key_row rows[] = { { 0 } };

const struct setting setting_boot_ours = {
	.name = "boot_ours",
	.scope = SCOPE_NODE,
	.fields = fields,
	.why = "What a policy asked for once and does not any more would go on to hold after every boot, and nobody would know "
	       "whose it is.",
	.boot = { .read = files_read, .files = boot_files, .weigh = boot_weigh, .table = rows, .object = BOOT_FILES,
		  .effective = EFFECTIVE_REBOOT, .interface = "the first line of a file, which says that it is ours" },
};
