/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report for people: what differs, by target, and below each row why and what to do. A value too long for its column
 * is cut there and stands in full below the row. Ports of a group with the same rows are told once, and named below the first.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "report/words.h"

enum { VALUE_COLUMNS = 40 };

struct columns {
	size_t target, setting, want, live, boot, status;
	bool has_want, has_boot;
};

/* The rows of one target in the grid. */
struct block {
	const struct target *target;
	size_t first, n;
	struct text also;		/* "nic1, nic2": the other targets whose rows are these */
};

struct view {
	const struct outcome *o;
	const struct report_options *opt;
	struct arena *arena;
	struct grid grid;
	struct columns col;
	const struct row *last;		/* shown before */
	struct { struct block *at; size_t n, room; } blocks;
};

static void below(struct text *t, const char *word, const char *s)
{
	if (!s)
		return;
	text_printf(t, "    %-8s", word);
	text_add_safe(t, s, strlen(s));
	text_char(t, '\n');
}

static void below_place(struct text *t, const char *word, const struct pos *pos)
{
	if (!pos->source)
		return;
	text_printf(t, "    %-8s", word);
	text_add_safe(t, pos->source->name, strlen(pos->source->name));
	if (pos->line)
		text_printf(t, ":%u", pos->line);
	text_char(t, '\n');
}

/* A cell of the grid; what is too long for it goes below, too. */
static const char *fitting(struct view *v, const char *word, const char *value, struct text *t)
{
	const char *cut = text_safe(v->arena, value, strlen(value), VALUE_COLUMNS);

	if (strcmp(cut, value) == 0)
		return cut;
	below(t, word, value);
	return arena_printf(v->arena, "%s...", text_safe(v->arena, value, VALUE_COLUMNS - 8, VALUE_COLUMNS));
}

static bool same_target(const struct row *a, const struct row *b)
{
	return a && strcmp(a->target->name, b->target->name) == 0 && strcmp(a->target->group, b->target->group) == 0;
}

/* The changes below the rows say what is done about it; what cannot be read is not cured by the boot files of such a change. */
static bool planned(const struct view *v, const struct row *r)
{
	return v->o->nchanges && r->change && !r->change->refused && !(r->live && r->live->state == CELL_REASON && reason_is_unknown(r->live->reason));
}

/* One fault, told once: rows of one target with the cause and remedy of the row above them do not repeat both. */
static void add_story(struct view *v, const struct row *r, struct text *t)
{
	const struct row *last = v->last;

	if (same_target(last, r) && text_same(last->cause, r->cause) && text_same(last->remedy, r->remedy))
		return;
	below(t, "cause:", r->cause);
	if (planned(v, r))
		return;
	if (r->status == STATUS_DRIFT && (!last || last->setting != r->setting || !same_target(last, r)))
		below(t, "why:", r->setting->why);
	below(t, "remedy:", r->remedy);
}

static void add_places(struct view *v, const struct row *r, struct text *t)
{
	if (r->boot && r->boot_wrong)
		below_place(t, "boot:", &r->boot->pos);
	if (!v->opt->all)
		return;
	for (size_t i = 0; r->boot && i < r->boot->nlosers; i++) {
		const struct loser *l = &r->boot->loser[i];

		below(t, "loses:", arena_printf(v->arena, "%s:%u says %s: %s", l->pos.source->name, l->pos.line, l->value, l->why));
	}
	if (r->want)
		below_place(t, "policy:", &r->want->pos);
	if (r->live)
		below(t, "read:", r->live->via);
}

/* Which of the two is wrong, where there are two; what a row that waits is waiting for. */
static const char *status_where(const struct row *r)
{
	if (r->status == STATUS_PENDING || !r->boot)
		return r->event ? r->event : "";
	if (r->status != STATUS_DRIFT)
		return "";
	return !r->boot_wrong ? "live" : r->live_wrong ? "live and boot" : "boot";
}

static const char *status_text(struct view *v, const struct row *r)
{
	const char *where = status_where(r), *reason = r->reason && *r->reason ? r->reason : NULL;

	return arena_printf(v->arena, "%s%s%s%s%s%s%s", status_name(r->status), *where ? " (" : "", where, *where ? ")" : "",
			    reason ? ": " : "", reason ? reason : "", r->changed ? ", changed" : "");
}

static bool shows_boot(const struct row *r)
{
	return r->boot && (r->boot_wrong || r->status == STATUS_PENDING);
}

static void add_row(struct view *v, const struct row *r)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct grid_row *g = grid_add(&v->grid);
	const char *want, *live;

	words_difference(v->arena, r->want, r->live, &want, &live);
	if (!same_target(v->last, r))
		g->cell[v->col.target] = words_target(v->arena, r->target);
	g->cell[v->col.setting] = text_safe(v->arena, r->name, strlen(r->name), SIZE_MAX);
	if (v->col.has_want)
		g->cell[v->col.want] = fitting(v, "want:", want, &t);
	g->cell[v->col.live] = fitting(v, "live:", live, &t);
	if (v->col.has_boot && shows_boot(r))
		g->cell[v->col.boot] = fitting(v, "next:", words_value(v->arena, r->boot), &t);
	g->cell[v->col.status] = status_text(v, r);
	g->tone = words_tone(r->status);
	add_places(v, r, &t);
	add_story(v, r, &t);
	if (t.n)
		g->below = arena_strndup(v->arena, text_str(&t), t.n);
	v->last = r;
}

/* A value that nobody wants anything of: what it is, or why it is not known. */
static void add_shown(struct view *v, const struct row *r)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct grid_row *g = grid_add(&v->grid);

	if (!same_target(v->last, r))
		g->cell[v->col.target] = words_target(v->arena, r->target);
	g->cell[v->col.setting] = text_safe(v->arena, r->name, strlen(r->name), SIZE_MAX);
	g->cell[v->col.live] = *r->reason ? arena_printf(v->arena, "(%s)", r->reason) : words_value(v->arena, r->live);
	g->tone = *r->reason ? words_tone(r->status) : TONE_PLAIN;
	if (v->opt->all || r->status == STATUS_UNKNOWN)
		add_story(v, r, &t);
	add_places(v, r, &t);
	if (t.n)
		g->below = arena_strndup(v->arena, text_str(&t), t.n);
	v->last = r;
}

/* --- ports that are alike --------------------------------------------------- */

/* Lines below a row: the same, but for the own name of each (in a remedy: `--port nic0`)? */
static bool same_lines(const char *a, const char *name_a, const char *b, const char *name_b)
{
	size_t na = strlen(name_a), nb = strlen(name_b);

	if (!a || !b)
		return a == b;
	while (*a && *b) {
		if (!strncmp(a, name_a, na) && !strncmp(b, name_b, nb)) {
			a += na;
			b += nb;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

static bool same_rows(const struct view *v, const struct block *a, const struct block *b)
{
	if (a->n != b->n || strcmp(a->target->group, b->target->group) != 0)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct grid_row *x = &v->grid.at[a->first + i], *y = &v->grid.at[b->first + i];

		for (size_t c = 0; c < v->grid.columns; c++)
			if (c != v->col.target && !text_same(x->cell[c], y->cell[c]))
				return false;
		if (!same_lines(x->below, a->target->name, y->below, b->target->name))
			return false;
	}
	return true;
}

/* The rows of a target are complete. Those that another target of its group has as well leave the grid again. */
static void close_block(struct view *v)
{
	struct block *last = v->blocks.n ? &v->blocks.at[v->blocks.n - 1] : NULL;

	if (!last)
		return;
	last->n = v->grid.n - last->first;
	for (struct block *b = v->blocks.at; b < last; b++) {
		if (!same_rows(v, b, last))
			continue;
		text_add(&b->also, b->also.n ? ", " : "");
		text_add(&b->also, last->target->name);
		v->grid.n = last->first;
		v->blocks.n--;
		return;
	}
}

static void open_block(struct view *v, const struct row *r)
{
	if (same_target(v->last, r))
		return;
	close_block(v);
	list_add(&v->blocks, v->arena) = (struct block){ .target = r->target, .first = v->grid.n };
}

/* "also: nic1, nic2", and what differs in a command that names the port. */
static void tell_alike(struct view *v)
{
	for (struct block *b = v->blocks.at; b < v->blocks.at + v->blocks.n; b++) {
		TEXT_CLEANUP struct text t = { 0 };
		struct grid_row *end = &v->grid.at[b->first + b->n - 1];
		bool named = false;

		if (!b->also.n)
			continue;
		for (size_t i = 0; i < b->n; i++)
			named |= v->grid.at[b->first + i].below && strstr(v->grid.at[b->first + i].below, " --port ");
		text_add(&t, end->below ? end->below : "");
		below(&t, "also:", arena_printf(v->arena, "%s%s", text_str(&b->also), named ? "; each with its own name behind --port" : ""));
		end->below = arena_strndup(v->arena, text_str(&t), t.n);
		text_done(&b->also);
	}
}

static void add_columns(struct view *v)
{
	struct columns *c = &v->col;

	c->has_want = v->o->desired != NULL;
	for (size_t i = 0; i < v->o->nrows; i++)
		c->has_boot |= words_shown(v->o, &v->o->row[i], v->opt->all) && shows_boot(&v->o->row[i]);
	c->target = grid_column(&v->grid, "TARGET");
	c->setting = grid_column(&v->grid, "SETTING");
	if (!c->has_want) {
		c->live = grid_column(&v->grid, "VALUE");
		return;
	}
	c->want = grid_column(&v->grid, "WANT");
	c->live = grid_column(&v->grid, "LIVE");
	if (c->has_boot)
		c->boot = grid_column(&v->grid, "BOOT");
	c->status = grid_column(&v->grid, "STATUS");
}

static void print_rows(const struct outcome *o, const struct report_options *opt, struct arena *a, struct text *out)
{
	struct view v = { .o = o, .opt = opt, .arena = a, .grid = { .arena = a } };

	add_columns(&v);
	for (size_t i = 0; i < o->nrows; i++) {
		if (!words_shown(o, &o->row[i], opt->all))
			continue;
		if (!opt->all && o->desired)
			open_block(&v, &o->row[i]);
		if (o->desired)
			add_row(&v, &o->row[i]);
		else
			add_shown(&v, &o->row[i]);
	}
	if (!v.grid.n)
		return;
	close_block(&v);
	tell_alike(&v);
	text_char(out, '\n');
	grid_print(&v.grid, opt->color, out);
}

void report_table(const struct outcome *o, const struct report_options *opt, struct text *out)
{
	size_t before;
	struct arena *a;

	if (opt->quiet && o->exit_code == 0 && (o->desired || o->returns))
		return;
	words_headline(o, opt->color, out);
	a = arena_new();
	before = out->n;
	print_rows(o, opt, a, out);
	changes_print(o, opt, a, out);
	arena_free(a);
	if (out->n != before)
		text_char(out, '\n');
	before = out->n;
	words_counts(o, out);
	if (out->n != before)
		text_char(out, '\n');
}
