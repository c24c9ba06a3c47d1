/* SPDX-License-Identifier: Apache-2.0 */
/* Text with {{name}} and lines that repeat. */
#include "nos/template.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum { DEPTH = 16, NAME = 64 };

struct list {
	const char *name;
	struct { struct vars **at; size_t n, room; } entry;
};

struct vars {
	struct arena *arena;
	const struct vars *up;
	struct { struct { const char *name, *value; } *at; size_t n, room; } value;
	struct { struct list **at; size_t n, room; } list;
};

struct vars *vars_new(struct arena *a, const struct vars *up)
{
	struct vars *n = arena_new_of(a, struct vars);

	n->arena = a;
	n->up = up;
	return n;
}

void vars_set(struct vars *n, const char *name, const char *fmt, ...)
{
	va_list ap;
	const char *value;
	size_t i = 0;

	va_start(ap, fmt);
	value = arena_vprintf(n->arena, fmt, ap);
	va_end(ap);
	while (i < n->value.n && strcmp(n->value.at[i].name, name) != 0)
		i++;
	if (i == n->value.n)
		list_add(&n->value, n->arena).name = name;
	n->value.at[i].value = value;
}

static struct list *own_list(const struct vars *n, const char *name)
{
	for (size_t i = 0; i < n->list.n; i++)
		if (!strcmp(n->list.at[i]->name, name))
			return n->list.at[i];
	return NULL;
}

void vars_put(struct vars *n, const char *list, struct vars *entry)
{
	struct list *l = own_list(n, list);

	if (!l) {
		l = arena_new_of(n->arena, struct list);
		l->name = list;
		list_add(&n->list, n->arena) = l;
	}
	list_add(&l->entry, n->arena) = entry;
}

struct vars *vars_add(struct vars *n, const char *list)
{
	struct vars *entry = vars_new(n->arena, n);

	vars_put(n, list, entry);
	return entry;
}

const char *vars_get(const struct vars *n, const char *name)
{
	for (; n; n = n->up)
		for (size_t i = 0; i < n->value.n; i++)
			if (!strcmp(n->value.at[i].name, name))
				return n->value.at[i].value;
	return NULL;
}

static const struct list *find_list(const struct vars *n, const char *name)
{
	const struct list *l = NULL;

	for (; n && !l; n = n->up)
		l = own_list(n, name);
	return l;
}

/* The entries of the lists around a place: an inner one comes before those outside, each with what is around it. */
struct frame {
	const struct vars *at;
	const struct frame *up;
	bool last;			/* the last round of all the lists so far */
};

static const char *value_of(const struct frame *f, const char *name)
{
	const char *v = NULL;

	for (; f && !v; f = f->up)
		v = vars_get(f->at, name);
	return v;
}

static const struct list *list_of(const struct frame *f, const char *name)
{
	const struct list *l = NULL;

	for (; f && !l; f = f->up)
		l = find_list(f->at, name);
	return l;
}

/* --- rendering ---------------------------------------------------------------------- */

struct render {
	const struct source *s;
	const char *end;
	struct text *out;
	struct diags *d;
};

struct tag {
	const char *at, *behind;	/* with its braces, and with the rest of its line if it has that for itself */
	char word[NAME], arg[NAME];	/* "for" "port"; "" "ip_mtu" */
	bool closed;
};

static int wrong(const struct render *r, const char *at, const char *fmt, const char *what)
{
	struct pos pos = { .source = r->s, .line = 1, .col = 1, .len = 2 };

	for (const char *s = r->s->text; s < at; s++) {
		pos.col++;
		if (*s == '\n') {
			pos.line++;
			pos.col = 1;
		}
	}
	diag_error(r->d, &pos, fmt, what);
	return -EINVAL;
}

static const char *find(const char *s, const char *end, const char *two)
{
	for (; s + 1 < end; s++)
		if (s[0] == two[0] && s[1] == two[1])
			return s;
	return NULL;
}

/* A tag that has its line for itself takes the line with it. */
static void take_line(const struct render *r, struct tag *t)
{
	const char *from = t->at, *to = t->behind;

	while (from > r->s->text && (from[-1] == ' ' || from[-1] == '\t'))
		from--;
	while (to < r->end && (*to == ' ' || *to == '\t'))
		to++;
	if ((from == r->s->text || from[-1] == '\n') && (to == r->end || *to == '\n')) {
		t->at = from;
		t->behind = to < r->end ? to + 1 : to;
	}
}

static bool word_in(const char **s, const char *end, char word[NAME])
{
	size_t n = 0;

	while (*s < end && **s == ' ')
		(*s)++;
	while (*s + n < end && (*s)[n] != ' ')
		n++;
	if (!n || n >= NAME)
		return false;
	memcpy(word, *s, n);
	word[n] = 0;
	*s += n;
	return true;
}

/* The next tag from @s on. Return: 1; 0: none; -EINVAL */
static int next_tag(const struct render *r, const char *s, struct tag *t)
{
	const char *open = find(s, r->end, "{{"), *close = open ? find(open + 2, r->end, "}}") : NULL, *in;

	if (!open)
		return 0;
	if (!close)
		return wrong(r, open, "{{ without }}%s", "");
	*t = (struct tag){ .at = open, .behind = close + 2 };
	in = open + 2;
	if (in < close && *in == '#') {
		strcpy(t->word, "#");
		take_line(r, t);
		return 1;
	}
	if (!word_in(&in, close, t->word))
		return wrong(r, open, "{{ }} needs a name%s", "");
	if (!word_in(&in, close, t->arg)) {
		if (!strcmp(t->word, "end")) {
			take_line(r, t);
			return 1;
		}
		if (!strcmp(t->word, "for") || !strcmp(t->word, "if"))
			return wrong(r, open, "{{%s}} needs a name", t->word);
		strcpy(t->arg, t->word);
		*t->word = 0;
		return 1;
	}
	if (strcmp(t->word, "for") != 0 && strcmp(t->word, "if") != 0)
		return wrong(r, open, "{{%s …}} is neither for nor if", t->word);
	take_line(r, t);
	return 1;
}

/* Behind the end that belongs to an open tag: *body_end is where its body ends. */
static int find_end(const struct render *r, const struct tag *open, const char **body_end, const char **behind)
{
	const char *s = open->behind;
	unsigned depth = 1;
	struct tag t;
	int got;

	while ((got = next_tag(r, s, &t)) > 0) {
		depth += !strcmp(t.word, "for") || !strcmp(t.word, "if");
		depth -= !strcmp(t.word, "end");
		if (!depth) {
			*body_end = t.at;
			*behind = t.behind;
			return 0;
		}
		s = t.behind;
	}
	return got < 0 ? got : wrong(r, open->at, "{{%s}} without {{end}}", open->word);
}

static int part(const struct render *r, const char *s, const char *end, const struct frame *f, unsigned depth);

static int repeat(const struct render *r, const struct tag *t, const char *end, const struct frame *f, unsigned depth)
{
	const struct list *l = list_of(f, t->arg);

	for (size_t i = 0; l && i < l->entry.n; i++) {
		const struct frame in = { l->entry.at[i], f, f->last && i + 1 == l->entry.n };

		if (part(r, t->behind, end, &in, depth + 1) < 0)
			return -EINVAL;
	}
	return 0;
}

static bool holds(const struct frame *f, const char *name)
{
	bool not = *name == '!';
	const char *value = value_of(f, name + not);
	const struct list *l = list_of(f, name + not);

	return ((value && *value) || (l && l->entry.n)) != not;
}

static int block(const struct render *r, const struct tag *t, const struct frame *f, unsigned depth, const char **s)
{
	const char *end = r->end;

	if (depth >= DEPTH)
		return wrong(r, t->at, "{{%s}} is nested too deep", t->word);
	if (find_end(r, t, &end, s) < 0)
		return -EINVAL;
	if (!strcmp(t->word, "for"))
		return repeat(r, t, end, f, depth);
	return holds(f, t->arg) ? part(r, t->behind, end, f, depth + 1) : 0;
}

static int value(const struct render *r, const struct tag *t, const struct frame *f)
{
	const char *v = value_of(f, t->arg);

	if (!strcmp(t->arg, ",")) {
		text_add(r->out, f->last ? "" : ",");
		return 0;
	}
	if (!v)
		return wrong(r, t->at, "{{%s}}: there is no such value here", t->arg);
	text_add(r->out, v);
	return 0;
}

static int part(const struct render *r, const char *s, const char *end, const struct frame *f, unsigned depth)
{
	struct tag t;
	int got = 0;

	while (s < end && (got = next_tag(r, s, &t)) > 0 && t.at < end) {
		text_addn(r->out, s, (size_t)(t.at - s));
		s = t.behind;
		if (!strcmp(t.word, "#"))
			continue;
		if (!strcmp(t.word, "end"))
			return wrong(r, t.at, "{{end}} without for or if%s", "");
		if (*t.word ? block(r, &t, f, depth, &s) < 0 : value(r, &t, f) < 0)
			return -EINVAL;
	}
	if (got < 0)
		return got;
	if (s < end)
		text_addn(r->out, s, (size_t)(end - s));
	return 0;
}

/* No configuration has such bytes, and a terminal would obey them: C0, DEL, and C1 as UTF-8 has them. */
static bool is_control(const char *s, const char *end)
{
	unsigned char c = (unsigned char)*s, next = s + 1 < end ? (unsigned char)s[1] : 0;

	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

int template_render(const struct source *s, const struct vars *n, struct text *out, struct diags *d)
{
	const struct render r = { s, s->text + s->len, out, d };
	const struct frame top = { n, NULL, true };

	for (const char *at = s->text; at < r.end; at++)
		if (is_control(at, r.end))
			return wrong(&r, at, "a template holds no control bytes but tabs and newlines%s", "");
	return part(&r, s->text, r.end, &top, 0);
}
