/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the next boot will give for keys of the node: who wins among sysctl.d, modprobe.d, modules-load.d and the kernel
 * command line, in which file and line, and whether the key is there when the line is applied. That order was measured:
 * systemd-modules-load, then systemd-sysctl, and about two seconds later udev and rdma-core, which bring rdma_ucm. A
 * line for net.rdma_ucm alone is lost at every boot, without a message.
 */
#include "settings/boot_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/initramfs.h"
#include "boot/modload.h"
#include "boot/modprobe.h"
#include "boot/ours.h"
#include "boot/sysctld.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { SHOWN = 200, LOSERS = 16 };

struct boot_key boot_key_of(struct kernel *k, struct arena *a, const struct facts *f, const struct home *home,
			    const struct setting *s, const struct cell *c)
{
	struct boot_key q = { .k = k, .arena = a, .facts = f, .row = homes_row(home, s, c), .cell = c };

	if (!c->star[0] && strchr(c->field->name, '*'))
		q.row = NULL;		/* stands for all names, and is none */
	if (q.row && q.row->kind == KEY_SYSCTL)
		q.path = homes_path(a, q.row, c);
	else if (q.row)
		q.module = modprobe_name(a, c->star[0]);
	if (q.row && q.row->kind == KEY_OPTION)
		q.param = modprobe_name(a, c->star[1]);
	return q;
}

static const char *safe(struct arena *a, const char *s)
{
	return text_safe(a, s, strlen(s), SHOWN);
}

const char *boot_place(struct arena *a, const struct pos *pos)
{
	return arena_printf(a, "%s:%u", safe(a, pos->source->name), pos->line);
}

/* --- in time --------------------------------------------------------------------- */

static bool is_builtin(const struct boot_key *q, const char *module)
{
	enum module_state state;

	if (modload_state(q->k, q->facts ? q->facts->kernel : "", module, &state) < 0)
		return false;
	/*
	 * Built in without parameters it has no directory in /sys/module, but its key is there all the same. One that was
	 * loaded since it was looked for has both; the directory is looked for last, since it comes first.
	 */
	return state == MODULE_BUILTIN || (state == MODULE_ABSENT && files_exist(q->k, "proc/sys/%s", q->path) &&
					   !files_exist(q->k, "sys/module/%s", module));
}

static bool loaded_early(const struct modload *m, const struct modprobe *mp, const char *module, const char *except)
{
	const struct modload_line *l = modload_find(m, module, except);

	return l && l->early && !modprobe_disabled(mp, module, NULL);
}

static void why_late(const struct boot_key *q, const struct modload *m, const struct modprobe *mp, const char *except,
		     struct boot_timing *t)
{
	const struct modload_line *l = modload_find(m, t->module, except);
	const struct modprobe_line *off = modprobe_disabled(mp, t->module, NULL);
	const struct confd_file *unread = confd_unread(m->early, 0);

	if (off)
		t->keeps = boot_place(q->arena, &off->pos);
	if (unread) {
		t->unread = unread->source.name;
		t->err = unread->err;
	}
	if (off)
		t->because = arena_printf(q->arena, "%s keeps %s from being loaded", t->keeps, t->module);
	else if (l)
		t->because =
			arena_printf(q->arena, "%s is loaded later (%s)", t->module, boot_place(q->arena, &l->pos));
	else
		t->because = arena_printf(q->arena, "nothing loads %s before", t->module);
}

int boot_timing(const struct boot_key *q, bool without_ours, struct boot_timing *t)
{
	const char *const *modules = homes_modules(q->path), *const only[] = { q->row->module, NULL };
	const char *except = without_ours ? ours_path(OURS_MODLOAD) : NULL;
	const struct modload *m;
	const struct modprobe *mp;
	int r;

	*t = (struct boot_timing){ 0 };
	if (q->row->module)
		modules = only;
	if (!modules)
		return 0;
	r = modload_load(q->k, &m);
	if (r == 0)
		r = modprobe_load(q->k, &mp);
	if (r < 0)
		return r;
	for (size_t i = 0; modules[i]; i++)
		if (loaded_early(m, mp, modules[i], except))
			return 0;
	if (is_builtin(q, modules[0]) || sysctld_on_module(q->k, modules[0]))
		return 0;
	t->module = modules[0];
	why_late(q, m, mp, except, t);
	return 0;
}

/* --- answers ---------------------------------------------------------------------- */

struct answering {
	struct boot_key key;
	struct part *p;
	unsigned i;
	struct cell *cell;
	const struct cell *want;	/* NULL: nothing wanted */
};

static bool wrong(const struct answering *q)
{
	return q->want && q->want->state == CELL_VALUE && q->cell->state == CELL_VALUE &&
	       !value_same(q->cell->field, &q->want->value, &q->cell->value, q->p->have);
}

static void answer_bool(struct answering *q, bool value, const struct pos *pos)
{
	part_num(q->p, q->i, value, NULL);
	if (pos) {
		q->cell->pos = *pos;
		q->cell->via = pos->source->name;
	}
}

/* The kernel takes numbers in C's bases; what it refuses leaves its own value in place. */
static void answer_number(struct answering *q, const char *text, const struct pos *pos)
{
	char *end;
	long long num;

	errno = 0;
	num = strtoll(text, &end, 0);
	if (errno || end == text || *end || num > q->cell->field->max) {
		num = q->key.row->otherwise;
		q->cell->because =
			arena_printf(q->p->arena, "%s says \"%s\", which the kernel refuses: its own value stays",
				     boot_place(q->p->arena, pos), safe(q->p->arena, text));
	}
	part_num(q->p, q->i, num, pos->source->name);
	q->cell->pos = *pos;
}

static void answer_text(struct answering *q, const char *text, const struct pos *pos)
{
	if (q->cell->field->kind == KIND_UINT) {
		answer_number(q, text, pos);
		return;
	}
	part_text(q->p, q->i, homes_squeeze(q->p->arena, text), pos->source->name);
	q->cell->pos = *pos;
}

static void answer_not_set(struct answering *q, const char *because)
{
	if (q->cell->field->kind == KIND_UINT)
		part_num(q->p, q->i, q->key.row->otherwise, NULL);
	else
		part_text(q->p, q->i, BOOT_NOT_SET, NULL);
	if (wrong(q))
		q->cell->because = because;
}

static void answer_unread(struct answering *q, const char *name, int err)
{
	part_reason(q->p, q->i, reason_of(err), name, "%s could not be read (%s), and what it says might win",
		    safe(q->p->arena, name), strerror(-err));
}

/* --- who wins, and who does not ----------------------------------------------------- */

bool boot_wanted(struct arena *a, const struct cell *want, const struct record *have, const char *text)
{
	struct value v = { .text = homes_squeeze(a, text) };
	char *end;

	if (!want || want->state != CELL_VALUE)
		return false;
	if (want->field->kind == KIND_UINT) {
		v.num = strtoll(text, &end, 0);
		if (end == text || *end)
			return false;
	}
	return value_same(want->field, &want->value, &v, have);
}

static bool is_wanted(const struct answering *q, const char *text)
{
	return boot_wanted(q->p->arena, q->want, q->p->have, text);
}

/* Losers are worth a look where the policy's own value may be among them, and where all is told. */
static bool wants_losers(const struct answering *q)
{
	return wrong(q) || q->p->tells_all;
}

/* Those that say what is wanted first. Return: the first of them, or NULL. */
static const struct loser *keep_losers(struct answering *q, const struct confd_losers *l)
{
	struct loser *to = arena_array_of(q->p->arena, struct loser, LOSERS);
	size_t n = 0, first;

	for (int wanted = 1; wanted >= 0; wanted--) {
		for (size_t i = l->n; i-- > 0 && n < LOSERS;)	/* the last line is the nearest to winning */
			if (is_wanted(q, l->at[i].value) == (bool)wanted)
				to[n++] = (struct loser){ l->at[i].pos, safe(q->p->arena, l->at[i].value), safe(q->p->arena, l->at[i].why) };
		first = wanted ? n : first;
	}
	q->cell->loser = to;
	q->cell->nlosers = n;
	return first ? to : NULL;
}

/* Who wins, through which link, and who one might think does. */
static void tell_winner(struct answering *q, const struct pos *wins, const struct confd_file *file, const struct loser *l)
{
	struct arena *a = q->p->arena;
	const char *link = file ? confd_link(q->key.k, file) : NULL;
	const char *through = link ? arena_printf(a, " (a link to %s)", link) : "";

	if (!wrong(q) || q->cell->because)		/* told already: the kernel refuses it */
		return;
	if (!l)
		q->cell->because =
			arena_printf(a, "%s%s decides what the next boot gives", boot_place(a, wins), through);
	else
		q->cell->because = arena_printf(a, "%s%s wins; %s, which says what is wanted, is outvoted: %s", boot_place(a, wins),
						through, boot_place(a, &l->pos), l->why);
}

#define BOOT_RULE_IS_LATER "the rule of udev sets the key again, whenever the device appears"

static void tell_rule(struct answering *q, const struct udev_act *rule, const struct loser *l)
{
	struct arena *a = q->p->arena;

	if (!wrong(q) || q->cell->because)
		return;
	q->cell->because = arena_printf(a, "%s, a rule of udev, sets it whenever the device appears%s%s", boot_place(a, &rule->pos),
					l ? ", and so outvotes what is wanted: " : "", l ? boot_place(a, &l->pos) : "");
}

/* Nobody wins; somebody may seem to. */
static void tell_nobody(struct answering *q, const struct loser *l)
{
	if (l && q->cell->because)
		q->cell->because = arena_printf(q->p->arena, "%s; %s says what is wanted, and does not count: %s", q->cell->because,
						boot_place(q->p->arena, &l->pos), l->why);
}

/* --- sysctl.d --------------------------------------------------------------------- */

/* The kernel takes sysctl.KEY=VALUE from its command line before anything else runs: files beat it. */
static bool read_sysctl_cmdline(struct answering *q)
{
	const struct cmdline *c;

	if (homes_modules(q->key.path) || cmdline_load(q->key.k, &c) < 0)
		return false;
	for (size_t i = c->n; i-- > 0;)
		if (!strncmp(c->at[i].name, "sysctl.", 7) && c->at[i].value &&
		    !strcmp(sysctld_path(q->p->arena, c->at[i].name + 7), q->key.path)) {
			answer_text(q, c->at[i].value, &c->at[i].pos);
			return true;
		}
	return false;
}

static void read_sysctl_unset(struct answering *q, const struct sysctl_answer *answer)
{
	struct arena *a = q->p->arena;

	if (answer->undone)
		answer_not_set(q, arena_printf(a, "%s takes the key out again", boot_place(a, &answer->undone->pos)));
	else if (!read_sysctl_cmdline(q))
		answer_not_set(q, "no file in sysctl.d sets it");
}

/* A line that is right and comes too early is as good as none. */
static int check_timing(struct answering *q)
{
	struct pos pos = q->cell->pos;
	struct boot_timing t;
	int r = boot_timing(&q->key, false, &t);

	if (r < 0 || !t.module)
		return r;
	q->cell->state = CELL_OPEN;
	if (t.unread)
		answer_unread(q, t.unread, t.err);
	else
		part_reason(q->p, q->i, REASON_MODULE_NOT_LOADED, q->cell->via,
			    "the key does not exist when systemd-sysctl runs: %s, and %s is skipped without a word",
			    t.because, boot_place(q->p->arena, &pos));
	q->cell->follows = arena_printf(q->p->arena, "modules.%s.load", t.module);
	q->cell->pos = pos;
	return 0;
}

/* Not all programs that read sysctl.d read it alike: what the other one would set, and from where. */
static void warn_of_procps(struct answering *q, const struct sysctld *s, const struct sysctl_answer *answer)
{
	const struct sysctl_line *l = sysctld_procps(q->key.k, s, q->key.path);
	struct arena *a = q->p->arena;

	if (!l || !l->value || (answer->wins && !strcmp(l->value, answer->wins->value)))
		return;
	q->cell->because =
		arena_printf(a, "%s%swarning: `sysctl --system` would set %s (%s), for it reads /etc/sysctl.conf last",
			     q->cell->because ? q->cell->because : "", q->cell->because ? "; " : "", safe(a, l->value),
			     boot_place(a, &l->pos));
}

static int read_sysctl(struct answering *q, struct diags *d)
{
	struct confd_losers losers = { 0 };
	const struct loser *loser = NULL;
	const struct udev_act *rule;
	struct sysctl_answer answer;
	const struct sysctld *s;
	int r;

	if (!q->key.path) {
		part_reason(q->p, q->i, REASON_DRIVER_LACKS, NULL, "that cannot be the name of a sysctl");
		return 0;
	}
	r = sysctld_load(q->key.k, &s);
	if (r < 0)
		return r;
	answer = sysctld_find(s, q->p->arena, q->key.path);
	if (answer.unread) {
		answer_unread(q, answer.unread->source.name, answer.unread->err);
		return 0;
	}
	rule = boot_udev(&q->key, q->want, q->p->have, d);
	if (rule)
		answer_text(q, rule->value, &rule->pos);
	else if (answer.wins)
		answer_text(q, answer.wins->value, &answer.wins->pos);
	else
		read_sysctl_unset(q, &answer);
	if (answer.wins && !rule && !wrong(q))
		r = check_timing(q);
	if (r < 0 || !wants_losers(q))
		return r;
	sysctld_losers(q->key.k, s, q->key.path, &answer, &losers);
	if (rule && answer.wins)
		list_add(&losers, q->key.k->arena) = (struct confd_loser){ answer.wins->pos, answer.wins->value, BOOT_RULE_IS_LATER };
	boot_udev_losers(&q->key, rule, &losers);
	loser = keep_losers(q, &losers);
	if (rule)
		tell_rule(q, rule, loser);
	else if (answer.wins)
		tell_winner(q, &answer.wins->pos, answer.wins->file, loser);
	else
		tell_nobody(q, loser);
	warn_of_procps(q, s, &answer);
	return 0;
}

/* --- modprobe.d, modules-load.d --------------------------------------------------- */

/* Lines that were meant for this module and do not do what they seem to: told once, whoever asks. */
static void warn_of_faults(const struct answering *q, const struct modprobe *m, struct diags *d)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct modprobe_line *l = &m->at[i];
		const char *fault = modprobe_fault(l, q->key.module);

		if (!fault || diag_told(d, SEVERITY_WARNING, &l->pos))
			continue;
		if (l->kind == MODPROBE_BAD) {
			diag_warning(d, &l->pos, "line %u is ignored by modprobe: it %s", l->pos.line, fault);
			diag_hint(d,
				  "a line is options, blacklist, install, remove, softdep or alias and its arguments");
		} else if (l->kind == MODPROBE_INSTALL) {
			diag_warning(d, &l->pos, "line %u %s", l->pos.line, fault);
			diag_hint(d, "the running module tells: /sys/module/%s/parameters", q->key.module);
		} else {
			diag_warning(d, &l->pos, "line %u %s", l->pos.line, fault);
			diag_hint(d, "put the comment on a line of its own, with the # in the first column");
		}
	}
}

static int module_state(const struct answering *q, enum module_state *state)
{
	return modload_state(q->key.k, q->p->facts ? q->p->facts->kernel : "", q->key.module, state);
}

/* Does what runs show that the line counts: the module was loaded since, and has what is wanted? */
static bool runs_so(const struct answering *q)
{
	const struct field *f = q->cell->field;
	enum module_state state;
	const char *text;

	if (q->key.row->kind == KEY_BLACKLIST)
		return module_state(q, &state) == 0 && state == MODULE_ABSENT;
	return files_text(q->key.k, &text, "sys/module/%s/parameters/%s", q->key.module, q->key.param) == 0 &&
	       value_same(f, &q->want->value, &(struct value){ .text = homes_squeeze(q->p->arena, text) }, q->p->have);
}

/*
 * A line that wins, in a file that was changed after the initramfs was made: if the module is loaded from there, it is not
 * in the copy that counts. Not so if the machine booted since and runs as wanted.
 */
static void check_initramfs(struct answering *q, const struct modprobe_line *l)
{
	const struct facts *f = q->p->facts;
	const struct pos pos = q->cell->pos;
	const struct initramfs *image;
	bool older = false, booted;
	int r = l->file ? initramfs_load(q->key.k, f ? f->kernel : "", &image) : 0;

	if (l->file && r == 0)
		r = initramfs_older(q->key.k, image, l->file->path, f ? f->observed_s : 0, &older, &booted);
	if (r == 0 && !older)
		return;
	if (wrong(q) || !q->want || q->want->state != CELL_VALUE || (r == 0 && booted && runs_so(q)))
		return;
	q->cell->state = CELL_OPEN;
	if (r < 0) {
		part_reason(q->p, q->i, reason_of(r), pos.source->name, "whether the initramfs is older than %s is not known: %s",
			    safe(q->p->arena, pos.source->name), strerror(-r));
		return;
	}
	part_reason(q->p, q->i, REASON_STALE_INITRAMFS, q->cell->via,
		    "%s is older than %s, and holds a copy of modprobe.d: if %s is loaded from there, that copy counts",
		    image->path, boot_place(q->p->arena, &pos), q->key.module);
	q->cell->remedy = image->remake;
	q->cell->pos = pos;
}

static int read_option(struct answering *q, struct diags *d)
{
	struct arena *a = q->p->arena;
	const char *module = q->key.module, *param = q->key.param;
	struct confd_losers losers = { 0 };
	const struct loser *loser;
	struct modprobe_option o;
	const struct modprobe *m;
	enum module_state state;
	bool builtin;
	int r = modprobe_load(q->key.k, &m);

	boot_udev(&q->key, q->want, q->p->have, d);

	if (r == 0)
		r = module_state(q, &state);
	if (r < 0)
		return r;
	warn_of_faults(q, m, d);
	builtin = state == MODULE_BUILTIN;
	o = builtin ? modprobe_option_cmdline(m, a, module, param) : modprobe_option(m, a, module, param);
	if (o.unread) {
		answer_unread(q, o.unread->source.name, o.unread->err);
		return 0;
	}
	if (o.value) {
		answer_text(q, o.value, &o.pos);
		check_initramfs(q, o.line);
	} else {
		answer_not_set(q, builtin ? "the module is built into this kernel: modprobe.d does not apply, and the "
					    "command line says nothing"
					  : "neither a file in modprobe.d nor the kernel command line sets it");
	}
	if (!wants_losers(q))
		return 0;
	modprobe_losers(q->key.k, m, module, param, builtin, &o, &losers);
	loser = keep_losers(q, &losers);
	if (o.value)
		tell_winner(q, &o.pos, o.line->file, loser);
	else
		tell_nobody(q, loser);
	return 0;
}

/* @along: the line that has it loaded with another module, or NULL */
static void tell_not_loaded(struct answering *q, const struct modprobe_line *along, const char *because)
{
	if (!wrong(q))
		return;
	q->cell->because = because;
	if (along && q->want->value.num)
		q->cell->because = arena_printf(q->p->arena, "%s; %s loads it along with %s, if that is loaded", because,
						boot_place(q->p->arena, &along->pos), safe(q->p->arena, along->module));
}

static int read_load(struct answering *q, struct diags *d)
{
	const struct modload *m;
	const struct modprobe *mp;
	const struct modload_line *l;
	const struct modprobe_line *off;
	const struct confd_file *unread;
	enum module_state state;
	int r = modload_load(q->key.k, &m);

	(void)d;
	if (r == 0)
		r = modprobe_load(q->key.k, &mp);
	if (r < 0)
		return r;
	l = modload_find(m, q->key.module, NULL);
	unread = confd_unread(m->early, 0);
	off = l ? modprobe_disabled(mp, q->key.module, NULL) : NULL;
	if (off) {
		answer_bool(q, false, &off->pos);
		/* a blacklist and an alias of its name do not keep a module away that another one brings */
		tell_not_loaded(q, off->kind == MODPROBE_INSTALL ? NULL : modprobe_softdep(mp, q->key.module),
				arena_printf(q->p->arena, "%s names it, but %s keeps it from being loaded",
					     boot_place(q->p->arena, &l->pos), boot_place(q->p->arena, &off->pos)));
	} else if (l) {
		answer_bool(q, true, &l->pos);
		if (wrong(q))
			q->cell->because = arena_printf(q->p->arena, "%s names it", boot_place(q->p->arena, &l->pos));
	} else if (unread) {
		answer_unread(q, unread->source.name, unread->err);
	} else {
		r = module_state(q, &state);
		if (r < 0)
			return r;
		answer_bool(q, state == MODULE_BUILTIN, NULL);
		tell_not_loaded(q, modprobe_softdep(mp, q->key.module), "no file in modules-load.d names it");
	}
	return 0;
}

static int read_blacklist(struct answering *q, struct diags *d)
{
	const struct modprobe *m;
	const struct modprobe_line *l;
	const struct confd_file *unread;
	int r = modprobe_load(q->key.k, &m);

	if (r < 0)
		return r;
	warn_of_faults(q, m, d);
	l = modprobe_blacklisted(m, q->key.module, NULL);
	unread = confd_unread(m->confd, 0);
	if (!l && unread) {
		answer_unread(q, unread->source.name, unread->err);
		return 0;
	}
	answer_bool(q, l != NULL, l ? &l->pos : NULL);
	if (l)
		check_initramfs(q, l);
	if (wrong(q))
		q->cell->because = l ? arena_printf(q->p->arena, "%s blacklists it", boot_place(q->p->arena, &l->pos)) :
				       "no file in modprobe.d blacklists it";
	return 0;
}

int boot_read(struct kernel *k, struct part *p, struct diags *d)
{
	static int (*const readers[])(struct answering *, struct diags *) = {
		[KEY_SYSCTL] = read_sysctl, [KEY_OPTION] = read_option, [KEY_LOAD] = read_load,
		[KEY_BLACKLIST] = read_blacklist,
	};

	for (unsigned i = 0; i < p->have->n; i++) {
		struct answering q = { .p = p, .i = i, .cell = &p->have->at[i] };
		int r;

		if (!part_open(p, i))
			continue;
		q.key = boot_key_of(k, p->arena, p->facts, p->home, p->setting, q.cell);
		if (!q.key.row)
			continue;
		q.want = p->want && i < p->want->n ? &p->want->at[i] : NULL;
		r = readers[q.key.row->kind](&q, d);
		if (r < 0)
			return r;
	}
	return 0;
}
