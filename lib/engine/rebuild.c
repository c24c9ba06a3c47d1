/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes from the journal, for the machine as it is now: settings by name, ports by PCI address, homes by asking who
 * serves a cell today. What does not fit is refused, never guessed.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "engine/cells.h"
#include "engine/journal.h"

struct rebuild {
	struct run *run;
	const struct past *past;
	unsigned which;			/* PAST_… */
	struct { struct change **at; size_t n, room; } list;
	struct diags *d;
};

static const struct setting *find_setting(const struct catalog *c, const char *name)
{
	for (size_t i = 0; name && i < c->nsettings; i++)
		if (!strcmp(c->setting[i]->name, name))
			return c->setting[i];
	return NULL;
}

static int word_at(struct json_object *o, const char *key, const char *(*name)(int), int n)
{
	const char *s = json_text_at(o, key);

	for (int i = 0; s && i < n; i++)
		if (!strcmp(name(i), s))
			return i;
	return -1;
}

static const char *impact_word(int i) { return impact_name((enum impact)i); }
static const char *effective_word(int i) { return effective_name((enum effective)i); }
static const char *phase_word(int i)
{
	static const char *const phases[] = { "grow", "shrink", "boot" };

	return phases[i];
}

static char *copy_at(struct arena *a, struct json_object *o, const char *key)
{
	const char *s = json_text_at(o, key);

	return s ? arena_strdup(a, s) : NULL;
}

/* --- parts ------------------------------------------------------------------ */

static int get_cells(struct rebuild *b, struct json_object *o, struct record *have, struct record *want, bool **differs)
{
	struct arena *a = b->run->arena;
	size_t n = 0;
	struct json_object *cells = json_list_at(o, "cells", &n);

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_entry(cells, i);

		if (!cell_named(have, one, a) || !cell_named(want, one, a))
			return -EBADMSG;
	}
	*differs = arena_array_of(a, bool, want->n);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_entry(cells, i);
		struct cell *w = cell_named(want, one, a);

		if (cell_get(one, "want", w, a) < 0 || cell_get(one, "have", cell_named(have, one, a), a) < 0)
			return -EBADMSG;
		(*differs)[w - want->at] = json_true_at(one, "differs");
	}
	return cells ? 0 : -EBADMSG;
}

/* Who serves these cells now: boot files say so themselves, live values are asked for. */
static int find_home(struct rebuild *b, struct change *c, struct change_part *p, struct record *have)
{
	struct record *now;

	if (c->phase == PHASE_BOOT) {
		p->home = &p->setting->boot;
		return p->home->files ? 0 : -EBADMSG;
	}
	now = observe_record(b->run, c->target, p->setting, p->want, b->d);
	for (size_t i = 0; i < have->n; i++) {
		have->at[i].home = now->at[i].home;
		if (p->want->at[i].state == CELL_VALUE && now->at[i].home && home_sets(now->at[i].home) && (p->differs[i] || !p->home))
			p->home = now->at[i].home;
	}
	if (!p->home)
		return -ENXIO;
	return p->home->object && strcmp(p->home->object, c->object) != 0 ? -ENXIO : 0;
}

static int get_part(struct rebuild *b, struct change *c, struct json_object *o)
{
	const struct setting *s = find_setting(b->run->catalog, json_text_at(o, "setting"));
	struct change_part *p = &c->part[c->nparts];
	struct record *have, *want;
	int r;

	if (!s)
		return -EBADMSG;
	have = record_new(b->run->arena, s);
	want = record_new(b->run->arena, s);
	*p = (struct change_part){ .setting = s, .have = have, .want = want };
	r = get_cells(b, o, have, want, &p->differs);
	if (r == 0)
		r = find_home(b, c, p, have);
	if (r == 0)
		c->nparts++;
	return r;
}

static int get_files(struct rebuild *b, struct change *c, struct json_object *o)
{
	size_t n = 0;
	struct json_object *list = json_list_at(o, "files", &n);

	c->file = arena_array_of(b->run->arena, struct change_file, n);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_entry(list, i);
		struct change_file *f = &c->file[c->nfiles++];

		*f = (struct change_file){ copy_at(b->run->arena, one, "path"), copy_at(b->run->arena, one, "before"),
					   copy_at(b->run->arena, one, "after") };
		if (!f->path || *f->path == '/' || strncmp(f->path, "etc/", 4) != 0)
			return -EBADMSG;
	}
	return list ? 0 : -EBADMSG;
}

static int get_disturbed(struct rebuild *b, struct change *c, struct json_object *o)
{
	size_t n = 0, cells = 0;
	struct json_object *list = json_list_at(o, "disturbs", &n);

	c->disturbed = arena_array_of(b->run->arena, struct change_before, n);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_entry(list, i), *of = json_list_at(one, "cells", &cells);
		const struct setting *s = find_setting(b->run->catalog, json_text_at(one, "setting"));
		const struct target *t;
		const char *name;
		struct record *before;
		int r = s && of ? target_get(one, "target", b->run->facts, b->run->arena, &t, &name) : -EBADMSG;

		if (r == -ENODEV)
			continue;
		if (r < 0)
			return r;
		before = record_new(b->run->arena, s);
		for (size_t j = 0; j < cells; j++) {
			struct cell *cell = cell_named(before, json_entry(of, j), b->run->arena);

			if (!cell || cell_get(json_entry(of, j), "have", cell, b->run->arena) < 0)
				return -EBADMSG;
		}
		c->disturbed[c->ndisturbed++] = (struct change_before){ s, t, before };
	}
	return list ? 0 : -EBADMSG;
}

/* --- changes ---------------------------------------------------------------- */

static int get_head(struct rebuild *b, struct change *c, struct json_object *o)
{
	int phase = word_at(o, "phase", phase_word, 3), impact = word_at(o, "impact", impact_word, 3),
	    effective = word_at(o, "effective", effective_word, 4);
	int64_t number;

	c->object = copy_at(b->run->arena, o, "object");
	c->leaves = copy_at(b->run->arena, o, "leaves");
	c->before = copy_at(b->run->arena, o, "before");
	c->undo = json_true_at(o, "undo");
	if (!c->object || phase < 0 || impact < 0 || effective < 0 || !json_int_at(o, "number", 1, UINT32_MAX, &number))
		return -EBADMSG;
	c->number = (unsigned)number;
	c->phase = (enum phase)phase;
	c->impact = (enum impact)impact;
	c->effective = (enum effective)effective;
	return 0;
}

static int get_change(struct rebuild *b, struct json_object *o, struct change *c, const char **name)
{
	size_t n = 0;
	struct json_object *parts = json_list_at(o, "parts", &n);
	int r = parts && n ? get_head(b, c, o) : -EBADMSG;

	if (r == 0)
		r = target_get(o, "target", b->run->facts, b->run->arena, &c->target, name);
	c->part = arena_array_of(b->run->arena, struct change_part, n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = get_part(b, c, json_entry(parts, i));
	if (r == 0)
		r = get_files(b, c, o);
	return r == 0 ? get_disturbed(b, c, o) : r;
}

/* A bond or VLAN of its own name: its port may still be there, and holds what it was given by it. */
static bool had_own_name(struct json_object *o)
{
	struct json_object *t = json_at(o, "target");
	const char *scope = json_text_at(t, "scope"), *name = json_text_at(t, "name"), *port = json_text_at(t, "port_name");

	return scope && name && port && !strcmp(scope, "netdev") && strcmp(name, port) != 0;
}

static void tell_gone(struct rebuild *b, struct json_object *o, const char *name)
{
	long long run = (long long)b->past->head.run;

	if (had_own_name(o)) {
		diag_warning(b->d, NULL, "%s is not there any more: what run %lld gave the ports below it is not taken back", name, run);
		diag_hint(b->d, "the kernel gave ports of a bond the MTU back that they had before it; `rdmactl show` says what they hold");
	} else {
		diag_note(b->d, NULL, "%s is not there any more: nothing is left of run %lld on it", name, run);
	}
}

static void tell_unfit(struct rebuild *b, const struct change *c, const char *name, int r)
{
	long long run = (long long)b->past->head.run;

	if (r == -ENXIO)
		diag_error(b->d, NULL, "%s of run %lld is served by another interface now, or by none", c->object, run);
	else
		diag_error(b->d, NULL, "run %lld was written by another version of rdmactl (%s): what it says of %s is not known here",
			   run, b->past->head.version, c->object ? c->object : "a change");
	diag_object(b->d, "%s", name);
	if (r == -ENXIO)
		diag_hint(b->d, "bring back what served it (debugfs mounted, module loaded), and try again; a restart of the machine ends it too");
	else
		diag_hint(b->d, "try again with that version");
}

static bool is_asked_for(const struct rebuild *b, struct json_object *o)
{
	const char *phase = json_text_at(o, "phase");
	int64_t number = 0;
	bool begun = json_int_at(o, "number", 1, UINT32_MAX, &number) && past_started(b->past, (unsigned)number);

	if (phase && !strcmp(phase, phase_word(PHASE_BOOT)))
		return b->which & (begun ? PAST_FILES_BEGUN : PAST_FILES_OTHER);
	return b->which & (begun ? PAST_LIVE_BEGUN : PAST_LIVE_OTHER);
}

static int add_change(struct rebuild *b, struct json_object *o)
{
	struct change *c = arena_new_of(b->run->arena, struct change);
	const char *name = "?";
	int r;

	if (!is_asked_for(b, o))
		return 0;
	*c = (struct change){ .facts = b->run->facts, .arena = b->run->arena };
	r = get_change(b, o, c, &name);
	if (r == 0)
		list_add(&b->list, b->run->arena) = c;
	else if (r == -ENODEV)
		tell_gone(b, o, name);
	else
		tell_unfit(b, c, name, r);
	return r == -ENODEV ? 0 : r;
}

int past_changes(struct run *run, const struct past *p, unsigned which, struct change ***change, size_t *n, struct diags *d)
{
	struct rebuild b = { .run = run, .past = p, .which = which, .d = d };
	bool undoing = run->undoing;
	int r = 0;

	run->undoing = true;			/* homes are asked for what was read then */
	for (size_t i = 0; i < p->nlines; i++) {
		size_t m = 0;
		struct json_object *plan = json_list_at(p->line[i], "plan", &m);

		for (size_t j = 0; j < m; j++) {
			int err = add_change(&b, json_entry(plan, j));

			r = err < 0 ? err : r;
		}
	}
	run->undoing = undoing;
	*change = b.list.at;
	*n = b.list.n;
	return r;
}
