/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the boot files that are ours: each whole, from all cells of the change, see boot/ours.h. What somebody else's
 * line would beat is refused beforehand and that line named: rdmactl edits no file of others (law 10).
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

static const enum ours file_of[] = {
	[KEY_SYSCTL] = OURS_SYSCTL,
	[KEY_OPTION] = OURS_MODPROBE,
	[KEY_LOAD] = OURS_MODLOAD,
	[KEY_BLACKLIST] = OURS_MODPROBE,
};

static bool differs(const struct change_part *p, size_t i)
{
	return p->differs ? p->differs[i] : p->want->at[i].state == CELL_VALUE;
}

/* --- whose line wins --------------------------------------------------------------- */

static int other_owner(struct change_left *v, const struct boot_key *q, const struct pos *pos, const char *what,
		       enum ours f)
{
	v->refusal = REFUSED_OTHER_OWNER;
	v->why = arena_printf(q->arena, "%s %s, and is read after %s: change it there, rdmactl edits no file of others",
			      boot_place(q->arena, pos), what, ours_path(f));
	return 0;
}

/* Lines that no order of files beats: lists, where naming is enough, and what forbids loading. */
static int in_the_way(struct change_left *v, const struct boot_key *q, const struct pos *pos, const char *what)
{
	v->refusal = REFUSED_OTHER_OWNER;
	v->why = arena_printf(q->arena, "%s %s %s: change it there, rdmactl edits no file of others",
			      boot_place(q->arena, pos), what, q->module);
	return 0;
}

static int by_a_rule(struct change_left *v, const struct boot_key *q, const struct udev_act *rule)
{
	v->refusal = REFUSED_OTHER_OWNER;
	v->why = arena_printf(q->arena, "%s, a rule of udev, sets it whenever the device appears, which is later than systemd-sysctl: "
			      "change it there, rdmactl edits no file of others", boot_place(q->arena, &rule->pos));
	return 0;
}

static int weigh_sysctl(const struct boot_key *q, const struct cell *want, struct change_left *v)
{
	const struct udev_act *rule;
	const struct sysctl_line *l;
	const struct sysctld *s;
	struct boot_timing t;
	int r = q->path ? sysctld_load(q->k, &s) : -EINVAL;

	(void)want;
	if (r == 0)
		r = boot_timing(q, true, &t);
	if (r < 0)
		return r;
	rule = boot_udev(q, NULL, NULL, NULL);
	if (rule)
		return by_a_rule(v, q, rule);
	l = sysctld_after(s, q->path, ours_name(OURS_SYSCTL));
	if (l)
		return other_owner(v, q, &l->pos, l->value ? "sets it" : "takes it out", OURS_SYSCTL);
	v->refusal = REFUSED_OTHER_OWNER;
	if (t.module && t.keeps)
		v->why = arena_printf(
			q->arena, "the key exists only with %s, and %s keeps that from being loaded: change it there",
			t.module, t.keeps);
	else if (t.module)
		v->why = ours_foreign(q->k, q->arena, OURS_MODLOAD);
	return 0;
}

static int weigh_option(const struct boot_key *q, const struct cell *want, struct change_left *v)
{
	const struct modprobe *m;
	struct modprobe_option o;
	enum module_state state;
	int r = modprobe_load(q->k, &m);

	if (r == 0)
		r = modload_state(q->k, q->facts ? q->facts->kernel : "", q->module, &state);
	if (r < 0)
		return r;
	if (state == MODULE_BUILTIN) {
		v->refusal = REFUSED_IMPOSSIBLE;
		v->why = arena_printf(
			q->arena,
			"%s is built into this kernel, modprobe.d does not apply: put %s.%s=%s on the kernel "
			"command line",
			q->module, q->module, q->param, want->value.text);
		return 0;
	}
	o = modprobe_option(m, q->arena, q->module, q->param);
	if (!o.value || (o.line->file && strcmp(o.line->file->name, ours_name(OURS_MODPROBE)) <= 0))
		return 0;
	return other_owner(v, q, &o.pos, "sets it", OURS_MODPROBE);
}

static int weigh_load(const struct boot_key *q, const struct cell *want, struct change_left *v)
{
	const struct modload *m;
	const struct modprobe *mp;
	const struct modload_line *l;
	const struct modprobe_line *off;
	int r = modload_load(q->k, &m);

	if (r == 0)
		r = modprobe_load(q->k, &mp);
	if (r < 0)
		return r;
	l = modload_find(m, q->module, ours_path(OURS_MODLOAD));
	off = modprobe_disabled(mp, q->module, ours_path(OURS_MODPROBE));
	if (want->value.num && off)
		return in_the_way(v, q, &off->pos, "forbids loading");
	if (!want->value.num && l)
		return in_the_way(v, q, &l->pos, "loads");
	return 0;
}

static int weigh_blacklist(const struct boot_key *q, const struct cell *want, struct change_left *v)
{
	const struct modprobe *m;
	const struct modprobe_line *l;
	int r = modprobe_load(q->k, &m);

	if (r < 0)
		return r;
	l = want->value.num ? NULL : modprobe_blacklisted(m, q->module, ours_path(OURS_MODPROBE));
	return l ? in_the_way(v, q, &l->pos, "blacklists") : 0;
}

static int weigh_cell(const struct boot_key *q, const struct cell *want, struct change_left *v)
{
	static int (*const weighers[])(const struct boot_key *, const struct cell *, struct change_left *) = {
		[KEY_SYSCTL] = weigh_sysctl, [KEY_OPTION] = weigh_option, [KEY_LOAD] = weigh_load,
		[KEY_BLACKLIST] = weigh_blacklist,
	};
	const char *foreign = ours_foreign(q->k, q->arena, file_of[q->row->kind]);

	if (foreign) {
		*v = (struct change_left){ foreign, REFUSED_OTHER_OWNER };
		return 0;
	}
	return weighers[q->row->kind](q, want, v);
}

/* Options of a module that the initramfs loads come from the copy inside it: afterwards its row says so. Told once a run. */
static void note_initramfs(struct kernel *k, const struct change *c, const char *module, struct diags *d)
{
	const struct initramfs *i;
	const char *what;

	if (initramfs_load(k, c->facts ? c->facts->kernel : "", &i) < 0 || !i->path)
		return;
	what = arena_printf(c->arena, "%s holds a copy of modprobe.d: if %s is loaded from there, that copy counts", i->path, module);
	for (size_t j = 0; j < d->n; j++)
		if (!strcmp(d->at[j].what, what))
			return;
	diag_note(d, NULL, "%s", what);
	diag_hint(d, "after apply: `%s`", i->remake);
}

/* The parts without the cells that somebody else's line beats. */
static void leave_out(struct change *c, const struct change_left *const *verdict)
{
	for (size_t i = 0; i < c->nparts; i++) {
		struct change_part *p = &c->part[i];
		struct record *want = record_copy(c->arena, p->want);
		bool *still = arena_array_of(c->arena, bool, want->n);

		for (size_t j = 0; j < want->n; j++) {
			still[j] = differs(p, j) && !verdict[i][j].why;
			if (verdict[i][j].why)
				want->at[j].state = CELL_SILENT;
		}
		p->want = want;
		p->differs = still;
		p->left = verdict[i];
	}
}

int boot_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct change_left **verdict = arena_array_of(c->arena, const struct change_left *, c->nparts);
	const struct change_left *first = NULL;
	size_t fine = 0;

	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];
		struct change_left *of = arena_array_of(c->arena, struct change_left, p->want->n);

		verdict[i] = of;
		for (size_t j = 0; j < p->want->n; j++) {
			const struct cell *want = &p->want->at[j];
			struct boot_key q;
			int r;

			if (want->state != CELL_VALUE || !differs(p, j))
				continue;
			q = boot_key_of(k, c->arena, c->facts, p->home, p->setting, want);
			if (!q.row) {
				fine++;		/* boot.files: what we wrote, and nobody asks for any more */
				continue;
			}
			r = weigh_cell(&q, want, &of[j]);
			if (r < 0)
				return r;
			if (of[j].why) {
				first = first ? first : &of[j];
				continue;
			}
			fine++;
			if (file_of[q.row->kind] == OURS_MODPROBE)
				note_initramfs(k, c, q.module, d);
		}
	}
	if (first && fine == 0)
		return change_refuse(c, first->refusal, "%s", first->why);
	if (first)
		leave_out(c, verdict);
	return 0;
}

/* --- writing ----------------------------------------------------------------------- */

struct rendering {
	const struct change *change;
	struct text now[OURS_N];	/* what our files say so far */
	struct text next[OURS_N];
	bool there[OURS_N];
	int unread[OURS_N];		/* -errno: what it says is not known, so it stays as it is */
	bool touched[OURS_N];
};

static void rendering_done(struct rendering *r)
{
	for (size_t i = 0; i < OURS_N; i++) {
		text_done(&r->now[i]);
		text_done(&r->next[i]);
	}
}

/* The line of @t that begins with @start, whole if @start is all of it; NULL: none. Sets *n */
static const char *find_line(const struct text *t, const char *start, bool whole, size_t *n)
{
	struct source s = { "", text_str(t), t->n };
	struct confd_line l = { .source = &s };
	size_t len = strlen(start);

	while (confd_line(&l))
		if (l.n >= len && !memcmp(l.s, start, len) && (!whole || l.n == len)) {
			*n = l.n;
			return l.s;
		}
	return NULL;
}

/* "net.core.rmem_max = ", "options ib_core netns_mode=", "blacklist irdma", "rdma_ucm": the value goes behind it */
static const char *line_start(const struct boot_key *q)
{
	switch (q->row->kind) {
	case KEY_SYSCTL:
		return arena_printf(q->arena, "%s = ", sysctld_key(q->arena, q->path));
	case KEY_OPTION:
		return arena_printf(q->arena, "options %s %s=", q->module, q->param);
	case KEY_BLACKLIST:
		return arena_printf(q->arena, "blacklist %s", q->module);
	case KEY_LOAD:
		break;
	}
	return q->module;
}

/* Names and values were checked with the policy; what is not fit to stand in a file makes no line all the same. */
static bool may_stand(const struct boot_key *q, const struct cell *c)
{
	if (q->row->kind == KEY_SYSCTL)
		return q->path && (c->field->kind == KIND_UINT || homes_value_ok(c->value.text, false));
	if (!homes_name_ok(q->module))
		return false;
	return q->row->kind != KEY_OPTION || (homes_name_ok(q->param) && homes_value_ok(c->value.text, true));
}

static bool is_list(const struct boot_key *q)
{
	return q->row->kind == KEY_LOAD || q->row->kind == KEY_BLACKLIST;
}

static void add_value(struct text *out, const struct boot_key *q, const struct cell *c)
{
	if (is_list(q))
		return;
	if (c->field->kind == KIND_UINT)
		text_uint(out, (uint64_t)c->value.num);
	else if (q->row->kind == KEY_OPTION && strchr(c->value.text, ' '))
		text_printf(out, "\"%s\"", c->value.text);
	else
		text_add(out, c->value.text);
}

/* Does a cell that was observed have a line in our file? */
static bool has_line(const struct boot_key *q, const struct cell *want)
{
	return want->state == CELL_VALUE && (!is_list(q) || want->value.num);
}

/*
 * The line for a cell. A cell that was not observed, since it is in sync or --only leaves it out, keeps the line it
 * has; so does one that somebody else's line beats (leave_out): it counts again when that one is gone.
 * Return: 1 if there is one, 0, -EINVAL.
 */
static int add_line(struct rendering *r, const struct change_part *p, size_t i, const struct boot_key *q)
{
	const struct cell *want = &p->want->at[i];
	enum ours f = file_of[q->row->kind];
	const char *start = q->module || q->path ? line_start(q) : "", *kept;
	size_t n;

	if (is_list(q) && find_line(&r->next[f], start, true, &n))
		return 0;
	if (!p->have->at[i].home || want->state == CELL_SILENT) {
		kept = *start ? find_line(&r->now[f], start, is_list(q), &n) : NULL;
		if (!kept)
			return 0;
		text_addn(&r->next[f], kept, n);
	} else {
		if (!has_line(q, want))
			return 0;
		if (!may_stand(q, want))
			return -EINVAL;
		text_add(&r->next[f], start);
		add_value(&r->next[f], q, want);
	}
	text_char(&r->next[f], '\n');
	return 1;
}

/* A key that comes too late needs its module loaded earlier. */
static int add_module(struct rendering *r, const struct boot_key *q, bool line, bool differs_here)
{
	struct text *out = &r->next[OURS_MODLOAD];
	struct boot_timing t;
	int err = q->row->kind == KEY_SYSCTL && q->path ? boot_timing(q, true, &t) : 1;
	size_t n;

	if (err || !t.module)
		return err < 0 ? err : 0;
	r->touched[OURS_MODLOAD] |= differs_here;
	if (line && !find_line(out, t.module, true, &n))
		text_printf(out, "# %s exists only with it\n%s\n", sysctld_key(q->arena, q->path), t.module);
	return 0;
}

static int render_cell(struct kernel *k, struct rendering *r, const struct change_part *p, size_t i)
{
	const struct cell *want = &p->want->at[i];
	struct boot_key q = boot_key_of(k, r->change->arena, r->change->facts, p->home, p->setting, want);
	bool here = differs(p, i);
	int line;

	if (!q.row || (want->state != CELL_VALUE && p->have->at[i].state != CELL_VALUE))
		return 0;
	r->touched[file_of[q.row->kind]] |= here;
	line = add_line(r, p, i, &q);
	return line < 0 ? line : add_module(r, &q, line, here);
}

/* boot.files differs: does our file hold a line that is not to be there, or none that is? */
static int find_surplus(struct kernel *k, struct rendering *r, enum ours f)
{
	const struct source *now;
	struct confd_line l = { 0 };
	int err = ours_source(k, f, &now);
	size_t n;

	if (err < 0 || !now)
		return err;
	r->touched[f] |= r->next[f].n == 0;
	for (l.source = now; confd_line(&l);)
		r->touched[f] |= l.n && *l.s != '#' &&
				 !find_line(&r->next[f], arena_strndup(r->change->arena, l.s, l.n), true, &n);
	return 0;
}

/* Is a part of the change one that has no key of its own in the files? */
static bool sweeps(const struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++)
		for (size_t j = 0; j < c->part[i].want->n; j++)
			if (differs(&c->part[i], j) && !homes_row(c->part[i].home, c->part[i].setting, &c->part[i].want->at[j]))
				return true;
	return false;
}

static const char *policy_of(const struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++) {
		const struct record *wish = c->part[i].want;

		for (size_t j = 0; j < wish->n; j++)
			if (wish->at[j].state == CELL_VALUE && wish->at[j].pos.source)
				return wish->at[j].pos.source->name;
	}
	return NULL;
}

static int render_part(struct kernel *k, struct rendering *r, const struct change_part *p, struct diags *d)
{
	for (size_t i = 0; i < p->want->n; i++) {
		const struct cell *c = &p->want->at[i];
		int err = render_cell(k, r, p, i);

		if (err < 0) {
			struct diag *one = diag_error(d, c->pos.source ? &c->pos : NULL,
						      "cannot write %s into a boot file", c->name);

			one->err = -err;
			return err;
		}
	}
	return 0;
}

static int by_setting(const void *a, const void *b)
{
	const struct change_part *x = *(const struct change_part *const *)a, *y = *(const struct change_part *const *)b;

	return strcmp(x->setting->name, y->setting->name);
}

/* Parts come in the order in which they differ; the files are the same whatever differed. */
static int render(struct kernel *k, struct rendering *r, struct diags *d)
{
	const struct change *c = r->change;
	const struct change_part **part = arena_array_of(c->arena, const struct change_part *, c->nparts);
	int err;

	for (size_t i = 0; i < OURS_N; i++) {
		err = kernel_read(k, ours_path((enum ours)i) + 1, &r->now[i]);
		r->there[i] = err == 0;
		r->unread[i] = err == -ENOENT || err == -ENOTDIR ? 0 : err;
	}
	for (size_t i = 0; i < c->nparts; i++)
		part[i] = &c->part[i];
	qsort(part, c->nparts, sizeof(part[0]), by_setting);
	err = 0;
	for (size_t i = 0; i < c->nparts && err == 0; i++)
		err = render_part(k, r, part[i], d);
	for (size_t i = 0; i < OURS_N && err == 0 && sweeps(c); i++)
		err = find_surplus(k, r, (enum ours)i);
	for (size_t i = 0; i < OURS_N && err == 0; i++)
		if (r->touched[i] && r->unread[i] < 0) {
			err = r->unread[i];
			diag_error(d, NULL, "cannot read %s", ours_path((enum ours)i))->err = -err;
		}
	return err;
}

int boot_files(struct kernel *k, struct change *c, struct diags *d)
{
	struct rendering r __attribute__((cleanup(rendering_done))) = { .change = c };
	int err = render(k, &r, d);

	c->file = arena_array_of(c->arena, struct change_file, OURS_N);
	c->nfiles = 0;
	/* modules first: a key without its module does nothing, a module without its key does no harm */
	for (size_t i = 0; err == 0 && i < OURS_N; i++) {
		struct change_file f = { .path = ours_path((enum ours)i) + 1 };

		if (!r.touched[i])
			continue;
		f.before = r.there[i] ? arena_strdup(c->arena, text_str(&r.now[i])) : NULL;
		f.after = ours_text(c->arena, (enum ours)i, policy_of(c), text_str(&r.next[i]));
		if ((f.before || f.after) && (!f.before || !f.after || strcmp(f.before, f.after) != 0))
			c->file[c->nfiles++] = f;
	}
	return err;
}
