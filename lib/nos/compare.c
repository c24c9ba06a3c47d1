/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tier wants of each port against what a file gives it. Ports with the same finding share a row, and so do links:
 * a fault in a profile that sixty ports use is one finding.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/row.h"
#include "model/setting.h"
#include "nos/lines.h"
#include "nos/nos.h"

enum { NAMED = 4 };			/* ports of a row that are named; the rest is counted */

/* Ports with one finding. */
struct group {
	const struct cell *want, *have;	/* have NULL or silent: not in the file */
	const struct switch_link *link;	/* the first; links: how many */
	size_t links;
	struct { const char **at; size_t n, room; } port;
	struct row row;
};

struct comparison {
	const struct switch_tier *tier;
	struct switch_file *file;
	struct arena *arena;
	struct { struct group **at; size_t n, room; } group;
	struct tree keys;		/* number of the group in indent */
	size_t ports;
};

/* --- one value -------------------------------------------------------------------------- */

/* What explains that a value is not there. */
static const unsigned char leader[SWITCH_FIELDS] = {
	[SWITCH_DSCP] = SWITCH_TRUST,	      [SWITCH_KMIN] = SWITCH_ECN,	 [SWITCH_KMAX] = SWITCH_ECN,
	[SWITCH_PMAX] = SWITCH_ECN,	      [SWITCH_FILL_MIN] = SWITCH_ECN,	 [SWITCH_FILL_MAX] = SWITCH_ECN,
	[SWITCH_XOFF] = SWITCH_GIVEN,	      [SWITCH_XON] = SWITCH_GIVEN,	 [SWITCH_SIZE] = SWITCH_GIVEN,
	[SWITCH_ALPHA] = SWITCH_GIVEN,	      [SWITCH_WATCHDOG_QUEUES] = SWITCH_WATCHDOG,
	[SWITCH_DETECT] = SWITCH_WATCHDOG,    [SWITCH_RESTORE] = SWITCH_WATCHDOG, [SWITCH_ACTION] = SWITCH_WATCHDOG,
};

static unsigned field_of(const struct cell *c)
{
	return (unsigned)(c->field - switch_port_setting.fields);
}

/* The cell of another field for the same queue or priority. */
static const struct cell *other(const struct record *r, const struct cell *c, unsigned field)
{
	for (size_t i = 0; r && i < r->n; i++) {
		const struct cell *o = &r->at[i];

		if (field_of(o) == field && (!o->star[0] || (c->star[0] && !strcmp(o->star[0], c->star[0]))) &&
		    (o->star[0] || !strchr(o->field->name, '*')))
			return o;
	}
	return NULL;
}

static bool is_value(const struct cell *c)
{
	return c && c->state == CELL_VALUE;
}

static bool drifts(const struct record *want, const struct record *have, const struct cell *c, unsigned field)
{
	const struct cell *w = other(want, c, field), *h = other(have, c, field);

	return is_value(w) && is_value(h) && !cell_same(w, &h->value, have);
}

/* Headroom of some bytes is there, and the policy says too little to tell whether they are enough. */
static const char *unjudged(const struct comparison *x, const struct record *want, const struct record *have, const struct cell *w)
{
	const struct cell *xoff = field_of(w) == SWITCH_GIVEN && w->value.num ? other(have, w, SWITCH_XOFF) : NULL;

	if (!is_value(xoff) || is_value(other(want, w, SWITCH_XOFF)))
		return NULL;
	return arena_printf(x->arena, "xoff is %jd bytes, and whether that is enough cannot be computed: the tier says no asic with a known "
			    "formula, or no speed and cable", (intmax_t)xoff->value.num);
}

static enum status judge(const struct comparison *x, const struct record *want, const struct record *have, const struct cell *w,
			 const struct cell *h, struct row *row)
{
	unsigned field = field_of(w);

	if (is_value(h) && cell_same(w, &h->value, have)) {
		const char *bytes = unjudged(x, want, have, w);

		if (!bytes)
			return STATUS_IN_SYNC;
		row->reason = reason_name(REASON_NOT_RECORDED);
		row->cause = bytes;
		return STATUS_UNKNOWN;
	}
	if ((field == SWITCH_PAUSE_QUEUE || field == SWITCH_PAUSE_GROUP) && drifts(want, have, w, SWITCH_PFC)) {
		row->follows = true;	/* where a pause goes follows from which there are */
		return STATUS_DRIFT;
	}
	if (is_value(h))
		return STATUS_DRIFT;
	if (leader[field] && drifts(want, have, w, leader[field])) {
		row->follows = true;
		return STATUS_UNKNOWN;
	}
	row->reason = reason_name(h && h->state == CELL_REASON ? h->reason : REASON_NOT_RECORDED);
	row->cause = h && h->because ? h->because
				     : arena_printf(x->arena, "%s does not say it for these ports", x->file->source->name);
	return STATUS_UNKNOWN;
}

/* --- words ------------------------------------------------------------------------------- */

static const char *class_of_dscp(const struct switch_tier *t, unsigned dscp)
{
	for (size_t i = 0; i < t->fabric->n; i++)
		if (t->fabric->at[i].dscp >> dscp & 1)
			return t->fabric->at[i].name;
	return CLASS_DEFAULT;
}

static const char *about_dscp(const struct comparison *x, const struct cell *w, const struct cell *h)
{
	for (unsigned d = 0; d < 64; d++) {
		uint8_t want = w->value.map[d], have = h->value.map[d];

		if (want == VALUE_UNSET || want == have || !(fabric_pfc(x->tier->fabric) >> want & 1))
			continue;
		return arena_printf(x->arena, "DSCP %u of the lossless class %s %s", d, class_of_dscp(x->tier, d),
				    have == VALUE_UNSET ? "has no entry in the map" : "goes to a priority of another class");
	}
	return NULL;
}

static const char *about_pfc(const struct comparison *x, const struct cell *w, const struct cell *h)
{
	if (h->value.num & ~w->value.num)
		return "PFC is on for a priority that is not lossless in the policy: what waits there stops others";
	(void)x;
	return "a lossless priority has no PFC: it drops under load";
}

/* All that is wanted is there: what is not wanted is wrong. */
static const char *about_lossy(const struct comparison *x, const struct cell *w, const struct cell *h)
{
	uint8_t pfc = fabric_pfc(x->tier->fabric);

	for (unsigned p = 0; p < 8; p++)
		for (unsigned lossless = 0; lossless < 8; lossless++)
			if (!(pfc >> p & 1) && pfc >> lossless & 1 && h->value.map[p] != VALUE_UNSET &&
			    h->value.map[p] == w->value.map[lossless])
				return arena_printf(x->arena, "priority %u is not lossless, and shares that of lossless priority %u: it is paused "
						    "with it, and fills its buffer", p, lossless);
	return NULL;
}

static const char *about(const struct comparison *x, const struct record *have, const struct cell *w, const struct cell *h)
{
	const struct cell *kmin = other(have, w, SWITCH_KMIN), *kmax = other(have, w, SWITCH_KMAX);

	switch (field_of(w)) {
	case SWITCH_PRESENT:
		return "the policy lists this port, and the file does not have it";
	case SWITCH_DSCP:
		return about_dscp(x, w, h);
	case SWITCH_PFC:
		return about_pfc(x, w, h);
	case SWITCH_GROUP:
	case SWITCH_QUEUE:
		return about_lossy(x, w, h);
	case SWITCH_ECN:
		return is_value(kmin) || is_value(kmax) ? "thresholds are there, and marking is not enabled" : "no thresholds are in force";
	case SWITCH_KMIN:
	case SWITCH_KMAX:
		return is_value(kmin) && is_value(kmax) && kmin->value.num > kmax->value.num ? "kmin is above kmax" : NULL;
	case SWITCH_CABLE:
		return h->value.num < w->value.num ? "headroom is made for a shorter cable: it drops" :
						     "headroom is made for a longer cable: it wastes buffer";
	case SWITCH_FRAME:
		return "frames of the nodes do not fit";
	}
	return NULL;
}

static void explain(const struct comparison *x, const struct record *have, const struct cell *w, const struct cell *h, struct row *row)
{
	const char *words = about(x, have, w, h);
	const char *where = h->pos.source && h->pos.line ?
		arena_printf(x->arena, "%s:%u", h->pos.source->name, h->pos.line) : NULL;

	row->cause = words && where ? arena_printf(x->arena, "%s (%s)", words, where) : words ? words : where;
	if (!row->cause)
		row->cause = arena_printf(x->arena, "%s", h->because ? h->because : "what it has without such a line");
}

/* --- groups -------------------------------------------------------------------------------- */

static void print_key(const struct cell *w, const struct cell *h, const struct row *row, struct text *key)
{
	text_printf(key, "%s\n", w->name);
	value_print(w->field, &w->value, key);
	text_printf(key, "\n%d%d\n", row->status, row->follows);
	if (is_value(h))
		value_print(h->field, &h->value, key);
}

static struct group *group_of(struct comparison *x, const struct switch_link *l, const struct cell *w, const struct cell *h,
			      const struct row *row)
{
	TEXT_CLEANUP struct text key = { 0 };
	struct group *g;
	struct word *word;
	size_t before = x->keys.n;

	print_key(w, h, row, &key);
	word = tree_word(&x->keys, &x->keys.root, text_str(&key), key.n, 0);
	if (x->keys.n == before) {
		g = x->group.at[word->indent];
		g->links += g->link != l;
		g->link = l;
		return g;
	}
	word->indent = (unsigned)x->group.n;
	g = arena_new_of(x->arena, struct group);
	*g = (struct group){ .want = w, .have = h, .link = l, .links = 1, .row = *row };
	list_add(&x->group, x->arena) = g;
	return g;
}

static bool asked(const struct comparison *x, const struct cell *w, const struct cell *h)
{
	const struct nos *nos = x->tier->nos;

	if (w->state != CELL_VALUE || !(nos->says >> field_of(w) & 1))
		return false;
	return is_value(h) || (h && h->state == CELL_REASON) || !(x->tier->may_lack >> field_of(w) & 1);
}

static void compare_port(struct comparison *x, const struct switch_link *l, const char *port)
{
	struct record *have = record_new(x->arena, &switch_port_setting);
	bool there = conf_has_port(x->file, port);

	cell_set_num(&have->at[SWITCH_PRESENT], there);
	conf_fresh(x->file);
	x->file->notes->port_unsure = NULL;
	if (there)
		x->file->nos->port(x->file, port, have);
	x->ports++;
	for (size_t i = 0; i < l->want->n; i++) {
		const struct cell *w = &l->want->at[i], *h = record_find(have, w->name);
		struct row row = { .setting = &switch_port_setting, .reason = "" };

		if (!asked(x, w, h) || (!there && i != SWITCH_PRESENT))
			continue;
		row.field = w->field;
		row.name = w->name;
		row.want = w;
		row.live = h;
		row.status = judge(x, l->want, have, w, h, &row);
		row.live_wrong = row.status == STATUS_DRIFT;
		if (row.live_wrong)
			explain(x, have, w, h, &row);
		list_add(&group_of(x, l, w, h, &row)->port, x->arena) = port;
	}
}

/* --- targets --------------------------------------------------------------------------------- */

static const struct target *target_of(struct comparison *x, const struct group *g)
{
	struct target *t = arena_new_of(x->arena, struct target);
	TEXT_CLEANUP struct text name = { 0 };
	size_t n = g->port.n < NAMED ? g->port.n : NAMED;

	t->scope = SCOPE_WIRE;
	t->ifname = "";
	t->group = g->links == 1 ? g->link->link->name : "";
	if (g->port.n == x->ports && g->port.n > 1) {
		t->name = x->tier->tier->name;
		t->group = arena_printf(x->arena, "all %zu ports", g->port.n);
		return t;
	}
	if (g->links == 1 && g->port.n == g->link->link->nports && g->port.n > 1) {
		t->name = arena_printf(x->arena, "%s %s", x->tier->tier->name, g->link->link->name);
		t->group = arena_printf(x->arena, "%zu ports", g->port.n);
		return t;
	}
	for (size_t i = 0; i < n; i++)
		text_printf(&name, "%s%s", i ? "," : "", g->port.at[i]);
	if (g->port.n > n)
		text_printf(&name, " and %zu more", g->port.n - n);
	t->name = arena_strndup(x->arena, text_str(&name), name.n);
	return t;
}

static bool listed(const struct switch_tier *t, const struct switch_file *f, const char *port)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t p = 0; p < t->link[i].link->nports; p++)
			if (conf_same(f, port, t->link[i].link->port[p]))
				return true;
	return false;
}

static void compare_link(struct comparison *x, const struct switch_link *l)
{
	for (size_t i = 0; i < l->link->nports; i++)
		compare_port(x, l, l->link->port[i]);
	for (size_t i = 0; !l->link->nports && i < x->file->port.n; i++)
		if (!listed(x->tier, x->file, x->file->port.at[i]))
			compare_port(x, l, x->file->port.at[i]);
}

void nos_compare(const struct switch_tier *t, struct switch_file *f, struct row **row, size_t *n)
{
	struct comparison x = { .tier = t, .file = f, .arena = f->arena };
	struct row *rows;

	tree_init(&x.keys, f->arena, f->source);
	for (size_t i = 0; i < t->n; i++)
		compare_link(&x, &t->link[i]);
	rows = arena_array_of(f->arena, struct row, x.group.n + 1);
	for (size_t i = 0; i < x.group.n; i++) {
		rows[i] = x.group.at[i]->row;
		rows[i].target = target_of(&x, x.group.at[i]);
	}
	*row = rows;
	*n = x.group.n;
}
