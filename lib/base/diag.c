/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What failed, where, why, and what next: collected in the run's arena, printed as compilers do, because that is what
 * editors and people can follow. What is printed came from policies, files and devices, and is made safe here.
 */
#include "base/diag.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum {
	LINE_COLUMNS = 96,		/* of a source line that are shown */
	LINE_BEFORE = 32,		/* of them, before the column, if the line is cut */
	TAB = 8,
	WHAT_MAX = 2000,		/* bytes of one text */
};

struct palette {
	const char *severity[3], *where, *mark, *off;
};

static const struct palette plain = { { "", "", "" }, "", "", "" };
static const struct palette colored = {
	.severity = { "\033[1;36m", "\033[1;35m", "\033[1;31m" },
	.where = "\033[1m",
	.mark = "\033[1;32m",
	.off = "\033[0m",
};

void diags_init(struct diags *d, struct arena *a)
{
	*d = (struct diags){ .arena = a };
}

const char *severity_name(enum severity s)
{
	static const char *const name[] = { "note", "warning", "error" };

	return name[s];
}

static struct diag *diag_add(struct diags *d, enum severity severity, const struct pos *pos, const char *fmt,
			     va_list ap)
{
	size_t *told = severity == SEVERITY_ERROR     ? &d->errors
		       : severity == SEVERITY_WARNING ? &d->warnings
						      : &d->notes;
	struct diag one = { .severity = severity };

	if (pos)
		one.pos = *pos;
	if (++*told > DIAGS_MAX) {
		one.what = "";
		d->spare = one;
		return &d->spare;
	}
	one.what = arena_vprintf(d->arena, fmt, ap);
	d->spare.what = NULL;
	list_add(d, d->arena) = one;
	return &d->at[d->n - 1];
}

bool diag_told(const struct diags *d, enum severity severity, const struct pos *pos)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i].severity == severity && d->at[i].pos.source && d->at[i].pos.line == pos->line &&
		    !strcmp(d->at[i].pos.source->name, pos->source->name))
			return true;
	return false;
}

/* The newest one if it is kept, else NULL: it is not worth a text. */
static struct diag *newest(struct diags *d)
{
	return d->n && !d->spare.what ? &d->at[d->n - 1] : NULL;
}

#define DIAG_FUNCTION(name, severity) \
	struct diag *name(struct diags *d, const struct pos *pos, const char *fmt, ...) \
	{ \
		struct diag *one; \
		va_list ap; \
\
		va_start(ap, fmt); \
		one = diag_add(d, severity, pos, fmt, ap); \
		va_end(ap); \
		return one; \
	}

DIAG_FUNCTION(diag_error, SEVERITY_ERROR)
DIAG_FUNCTION(diag_warning, SEVERITY_WARNING)
DIAG_FUNCTION(diag_note, SEVERITY_NOTE)

#define REFINE_FUNCTION(name, member) \
	void name(struct diags *d, const char *fmt, ...) \
	{ \
		struct diag *one = newest(d); \
		va_list ap; \
\
		if (!one) \
			return; \
		va_start(ap, fmt); \
		one->member = arena_vprintf(d->arena, fmt, ap); \
		va_end(ap); \
	}

REFINE_FUNCTION(diag_hint, hint)
REFINE_FUNCTION(diag_kernel, kernel)
REFINE_FUNCTION(diag_object, object)

static void add_safe(struct text *out, const char *s)
{
	size_t n = strlen(s);

	text_add_safe(out, s, n < WHAT_MAX ? n : WHAT_MAX);
	if (n > WHAT_MAX)
		text_add(out, "\xe2\x80\xa6");
}

/* Moves to line @number of @s; false if it has no such line. */
static bool find_line(struct diag_place *c, const struct source *s, uint32_t number)
{
	const char *end;

	if (!s || !s->text || !number)
		return false;
	if (c->source != s || c->line > number)
		*c = (struct diag_place){ .source = s, .line = 1, .col = 1, .len = SIZE_MAX };
	for (; c->line < number; c->line++) {
		end = memchr(s->text + c->at, '\n', s->len - c->at);
		if (!end)
			return false;
		*c = (struct diag_place){
			.source = s, .line = c->line, .col = 1, .at = (size_t)(end - s->text) + 1, .len = SIZE_MAX,
		};
	}
	if (c->len != SIZE_MAX)
		return true;
	end = memchr(s->text + c->at, '\n', s->len - c->at);
	c->len = (size_t)((end ? end : s->text + s->len) - (s->text + c->at));
	if (c->len && s->text[c->at + c->len - 1] == '\r')
		c->len--;
	return true;
}

struct glyph {			/* one character of a line as it is shown */
	size_t len;		/* bytes of the source */
	unsigned columns;
	bool tab, hex;
};

static struct glyph glyph_at(const char *s, size_t n, size_t column)
{
	struct glyph g = { .tab = *s == '\t' };
	uint32_t cp;

	if (g.tab)
		return (struct glyph){ .len = 1, .columns = TAB - (unsigned)(column % TAB), .tab = true };
	g.len = text_utf8(s, n, &cp);
	g.hex = !g.len || !text_harmless(cp);
	g.len = g.len ? g.len : 1;
	g.columns = g.hex ? 4 * (unsigned)g.len : text_columns(cp);
	return g;
}

/* Moves to character @col of the line, or to its end. */
static void find_col(struct diag_place *c, uint32_t col)
{
	const char *line = c->source->text + c->at;

	if (c->col > col) {
		c->col = 1;
		c->byte = c->width = 0;
	}
	for (; c->col < col && c->byte < c->len; c->col++) {
		struct glyph g = glyph_at(line + c->byte, c->len - c->byte, c->width);

		c->byte += g.len;
		c->width += g.columns;
	}
}

/* Width of the @n characters at the cursor, of which no more than a screen line is shown. */
static size_t measure(const struct diag_place *c, uint32_t n)
{
	size_t byte = c->byte, column = c->width;

	for (; n && byte < c->len && column - c->width < LINE_COLUMNS; n--) {
		struct glyph g = glyph_at(c->source->text + c->at + byte, c->len - byte, column);

		byte += g.len;
		column += g.columns;
	}
	return column > c->width ? column - c->width : 1;
}

static void print_glyph(const char *s, const struct glyph *g, size_t column, size_t skip, struct text *out)
{
	size_t from = column > skip ? column : skip;

	if (!g->tab && column >= skip)
		text_add_safe(out, s, g->len);
	else				/* a tab, or what is cut in its middle */
		for (; from < column + g->columns; from++)
			text_char(out, ' ');
}

/* The line from column @skip to @end of the screen, drawn from the byte @byte in column @column on. */
static void print_line(const struct diag_place *c, size_t byte, size_t column, size_t skip, size_t end, struct text *out)
{
	const char *line = c->source->text + c->at;

	while (byte < c->len && column < end) {
		struct glyph g = glyph_at(line + byte, c->len - byte, column);

		if (column + g.columns > end)
			break;
		print_glyph(line + byte, &g, column, skip, out);
		column += g.columns;
		byte += g.len;
	}
	text_add(out, byte < c->len ? "\xe2\x80\xa6\n" : "\n");
}

static void print_mark(size_t from, size_t to, const struct palette *p, struct text *out)
{
	text_add(out, "      | ");
	for (size_t i = 0; i < from; i++)
		text_char(out, ' ');
	text_add(out, p->mark);
	text_char(out, '^');
	for (size_t i = from + 1; i < to; i++)
		text_char(out, '~');
	text_add(out, p->off);
	text_char(out, '\n');
}

/* Where a cut line begins: a few characters before the mark. A tab on the way is taken for as wide as one can be. */
static void find_start(struct diag_place *start, size_t skip)
{
	const char *line = start->source->text + start->at;

	while (start->byte && start->width > skip) {
		size_t byte = start->byte;

		size_t columns;

		do
			byte--;
		while (byte && start->byte - byte < 4 && ((unsigned char)line[byte] & 0xc0) == 0x80);
		columns = glyph_at(line + byte, start->byte - byte, 0).columns;
		start->width -= columns < start->width ? columns : start->width;
		start->byte = byte;
	}
}

/* Is the line wider than the screen; only its first few bytes are looked at. */
static bool is_cut(const struct diag_place *c)
{
	size_t byte = 0, column = 0;

	while (byte < c->len && column <= LINE_COLUMNS) {
		struct glyph g = glyph_at(c->source->text + c->at + byte, c->len - byte, column);

		byte += g.len;
		column += g.columns;
	}
	return column > LINE_COLUMNS;
}

static void print_source(const struct pos *pos, const struct palette *p, struct diag_place *c, struct text *out)
{
	struct diag_place start;
	size_t n, skip = 0, to;

	if (!find_line(c, pos->source, pos->line))
		return;
	find_col(c, pos->col ? pos->col : 1);
	n = measure(c, pos->len);
	start = *c;
	if (c->width > LINE_BEFORE && is_cut(c))
		skip = c->width - LINE_BEFORE;
	text_printf(out, "%5u | %s", pos->line, skip ? "\xe2\x80\xa6" : "");
	if (skip)
		find_start(&start, skip);
	else
		start.byte = start.width = 0;
	print_line(c, start.byte, start.width, skip, skip + LINE_COLUMNS, out);
	to = c->width + n < skip + LINE_COLUMNS ? c->width + n : skip + LINE_COLUMNS;
	if (pos->col && pos->len)
		print_mark(c->width - skip + (skip ? 1 : 0), to - skip + (skip ? 1 : 0), p, out);
}

static void print_where(const struct pos *pos, const struct palette *p, struct text *out)
{
	text_add(out, p->where);
	add_safe(out, pos->source && pos->source->name ? pos->source->name : "rdmactl");
	if (pos->source && pos->line)
		text_printf(out, ":%u", pos->line);
	if (pos->source && pos->line && pos->col)
		text_printf(out, ":%u", pos->col);
	text_add(out, ":");
	text_add(out, p->off);
	text_char(out, ' ');
}

static void print_word(const char *word, const char *s, struct text *out)
{
	if (!s)
		return;
	text_printf(out, "  %s: ", word);
	add_safe(out, s);
	text_char(out, '\n');
}

struct pos diag_use(const struct pos *pos)
{
	if (!pos->use_line)
		return (struct pos){ .source = NULL };
	return (struct pos){ .source = pos->source, .line = pos->use_line, .col = pos->use_col, .len = 1 };
}

/* A second place of a finding. */
static void print_other(const struct pos *pos, const char *what, const struct palette *p, struct diag_cursor *c, struct text *out)
{
	print_where(pos, p, out);
	text_printf(out, "%snote:%s ", p->severity[SEVERITY_NOTE], p->off);
	add_safe(out, what);
	text_char(out, '\n');
	print_source(pos, p, &c->other, out);
}

static void print_one(const struct diag *one, const struct palette *p, struct diag_cursor *c, struct text *out)
{
	const char *why = one->err ? strerrordesc_np(one->err) : NULL;
	struct pos use;

	print_where(&one->pos, p, out);
	text_printf(out, "%s%s:%s ", p->severity[one->severity], severity_name(one->severity), p->off);
	if (one->object) {
		add_safe(out, one->object);
		text_add(out, ": ");
	}
	add_safe(out, one->what);
	if (why)
		text_printf(out, ": %s", why);
	else if (one->err)
		text_printf(out, ": error %d", one->err);
	if (one->rule)
		text_printf(out, " [%s]", one->rule);
	text_char(out, '\n');
	print_source(&one->pos, p, &c->pos, out);
	print_word("kernel", one->kernel, out);
	print_word(one->allowed ? "allowed" : "hint", one->allowed ? one->allowed : one->hint, out);
	if (one->other.source)
		print_other(&one->other, one->other_what ? one->other_what : "see here", p, c, out);
	use = diag_use(&one->pos);
	if (use.source)
		print_other(&use, "used here", p, c, out);
}

void diag_print(const struct diag *one, bool color, struct diag_cursor *c, struct text *out)
{
	print_one(one, color ? &colored : &plain, c, out);
}

void diags_print(const struct diags *d, bool color, struct text *out)
{
	size_t told = d->errors + d->warnings + d->notes;
	struct diag_cursor c = { 0 };

	for (size_t i = 0; i < d->n; i++)
		print_one(&d->at[i], color ? &colored : &plain, &c, out);
	if (told > d->n)
		text_printf(out, "rdmactl: note: %zu more are not shown\n", told - d->n);
}
