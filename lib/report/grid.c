/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout by libsmartcols. The library is opened when there are rows to print and not before: its start costs more than
 * all that a check reads. Each row is one line of the library's output (cells hold no newline and are not wrapped),
 * so that the lines below a row find their place.
 */
#include "report/grid.h"

#include <dlfcn.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define LIBRARY "libsmartcols.so.1"

struct smartcols {
	void *handle;
	struct libscols_table *(*new_table)(void);
	void (*unref_table)(struct libscols_table *);
	struct libscols_column *(*new_column)(struct libscols_table *, const char *, double, int);
	struct libscols_line *(*new_line)(struct libscols_table *, struct libscols_line *);
	int (*set_data)(struct libscols_line *, size_t, const char *);
	int (*set_termforce)(struct libscols_table *, int);
	int (*print)(struct libscols_table *, char **);
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "scols_new_table", offsetof(struct smartcols, new_table) },
	{ "scols_unref_table", offsetof(struct smartcols, unref_table) },
	{ "scols_table_new_column", offsetof(struct smartcols, new_column) },
	{ "scols_table_new_line", offsetof(struct smartcols, new_line) },
	{ "scols_line_set_data", offsetof(struct smartcols, set_data) },
	{ "scols_table_set_termforce", offsetof(struct smartcols, set_termforce) },
	{ "scols_print_table_to_string", offsetof(struct smartcols, print) },
};

/* Return: NULL, or why it cannot be used. */
static const char *smartcols_open(struct smartcols *s)
{
	*s = (struct smartcols){ .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };
	if (!s->handle)
		return dlerror();
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *f = dlsym(s->handle, symbols[i].name);

		if (!f)
			return "it lacks a function that tables need";
		memcpy((char *)s + symbols[i].offset, &f, sizeof(f));
	}
	return NULL;
}

size_t grid_column(struct grid *g, const char *head)
{
	g->head[g->columns] = head;
	return g->columns++;
}

struct grid_row *grid_add(struct grid *g)
{
	list_add(g, g->arena) = (struct grid_row){ .cell = { NULL } };
	return &g->at[g->n - 1];
}

static const char *const tones[] = {
	[TONE_PLAIN] = "",	   [TONE_HEAD] = "\033[1m",  [TONE_BAD] = "\033[31m",
	[TONE_DOUBT] = "\033[33m", [TONE_QUIET] = "\033[2m",
};

void tone_begin(enum tone t, bool color, struct text *out)
{
	if (color)
		text_add(out, tones[t]);
}

void tone_end(enum tone t, bool color, struct text *out)
{
	if (color && *tones[t])
		text_add(out, "\033[0m");
}

static void print_line(const char *line, size_t n, enum tone tone, bool color, struct text *out)
{
	tone_begin(tone, color, out);
	text_addn(out, line, text_trim(line, n));
	tone_end(tone, color, out);
	text_char(out, '\n');
}

/* @lines: the heading and then a line for each row. */
static void interleave(const struct grid *g, const char *lines, bool color, struct text *out)
{
	for (size_t i = 0; i <= g->n && *lines; i++) {
		const struct grid_row *row = i ? &g->at[i - 1] : NULL;
		size_t n = strcspn(lines, "\n");

		print_line(lines, n, row ? row->tone : TONE_HEAD, color, out);
		if (row && row->below)
			text_add(out, row->below);
		lines += n + (lines[n] == '\n');
	}
}

static void fill(const struct grid *g, const struct smartcols *s, struct libscols_table *t)
{
	s->set_termforce(t, SCOLS_TERMFORCE_NEVER);	/* never cut to the terminal's width */
	for (size_t c = 0; c < g->columns; c++)
		s->new_column(t, g->head[c], 0, g->right[c] ? SCOLS_FL_RIGHT : 0);
	for (size_t i = 0; i < g->n; i++) {
		struct libscols_line *line = s->new_line(t, NULL);

		for (size_t c = 0; line && c < g->columns; c++)
			s->set_data(line, c, g->at[i].cell[c] ? g->at[i].cell[c] : "");
	}
}

static void print_bare(const struct grid *g, bool color, struct text *out)
{
	for (size_t i = 0; i < g->n; i++) {
		TEXT_CLEANUP struct text line = { 0 };

		for (size_t c = 0; c < g->columns; c++)
			if (g->at[i].cell[c] && *g->at[i].cell[c])
				text_printf(&line, "%s%s", line.n ? "  " : "", g->at[i].cell[c]);
		print_line(text_str(&line), line.n, g->at[i].tone, color, out);
		if (g->at[i].below)
			text_add(out, g->at[i].below);
	}
}

void grid_print(const struct grid *g, bool color, struct text *out)
{
	struct libscols_table *t = NULL;
	char *lines = NULL;
	struct smartcols s;
	const char *why;

	if (!g->n)
		return;
	why = smartcols_open(&s);
	if (!why)
		t = s.new_table();
	if (t) {
		fill(g, &s, t);
		if (s.print(t, &lines) < 0)
			lines = NULL;
		s.unref_table(t);
	}
	if (lines) {
		interleave(g, lines, color, out);
	} else {
		text_printf(out, "(no columns: cannot use " LIBRARY ": %s)\n", why ? why : "it failed");
		print_bare(g, color, out);
	}
	free(lines);
	if (s.handle)
		dlclose(s.handle);
}
