/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and YAML, read into a tree of words; lines of commands are tree_lines.c's. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "nos/tree_text.h"

/* --- JSON ------------------------------------------------------------------------ */

struct json_in {
	struct tree *t;
	const char *s, *end;
	uint32_t line, objects;
	struct diags *d;
	struct text word;
};

static int value(struct json_in *in, struct word *up, unsigned depth);

static void blanks(struct json_in *in)
{
	for (; in->s < in->end && strchr(" \t\r\n", *in->s) && *in->s; in->s++)
		in->line += *in->s == '\n';
}

static bool take(struct json_in *in, char c)
{
	blanks(in);
	if (in->s >= in->end || *in->s != c)
		return false;
	in->s++;
	return true;
}

static int fail(struct json_in *in, const char *why)
{
	return tree_bad(in->t, in->line, in->d, in->s >= in->end ? "this JSON ends too early" : why);
}

/* What no name of a switch has is kept as it is written: nobody asks for it. */
static int string(struct json_in *in)
{
	text_reset(&in->word);
	for (in->s++; in->s < in->end && *in->s != '"'; in->s++) {
		if (*in->s == '\n')
			return fail(in, "a string of this JSON has no end");
		if (*in->s == '\\' && in->s + 1 < in->end && strchr("\"\\/", in->s[1]))
			in->s++;
		else if (*in->s == '\\' && in->s + 1 < in->end)
			text_char(&in->word, *in->s++);
		if (in->s < in->end)
			text_char(&in->word, *in->s);
	}
	if (in->s >= in->end)
		return fail(in, "");
	in->s++;
	return 0;
}

/* Readers differ in which of two values they take, and in whether they tell. */
static int said_twice(struct json_in *in, const struct word *key)
{
	const struct pos pos = { .source = in->t->source, .line = in->line };

	diag_error(in->d, &pos, "this JSON says \"%s\" twice in one object: which of the two holds depends on who reads it",
		   text_safe(in->t->arena, key->key, strlen(key->key), 60));
	return -EINVAL;
}

static int members(struct json_in *in, struct word *up, unsigned depth)
{
	uint32_t object = ++in->objects;

	up->object = true;
	in->s++;
	if (take(in, '}'))
		return 0;
	do {
		struct word *key;

		blanks(in);
		if (in->s >= in->end || *in->s != '"' || string(in) < 0)
			return in->s < in->end && *in->s == '"' ? -EINVAL : fail(in, "expected a name in quotes in this JSON");
		key = tree_word(in->t, up, text_str(&in->word), in->word.n, in->line);
		if (key->within == object)
			return said_twice(in, key);
		key->within = object;
		if (!take(in, ':'))
			return fail(in, "expected a colon in this JSON");
		if (value(in, key, depth + 1) < 0)
			return -EINVAL;
	} while (take(in, ','));
	return take(in, '}') ? 0 : fail(in, "expected a comma or } in this JSON");
}

/* Lists of objects, as NVUE's header and set, unite; lists of values are values below one key. */
static int elements(struct json_in *in, struct word *up, unsigned depth)
{
	up->list = true;
	in->s++;
	if (take(in, ']'))
		return 0;
	do {
		if (value(in, up, depth + 1) < 0)
			return -EINVAL;
	} while (take(in, ','));
	return take(in, ']') ? 0 : fail(in, "expected a comma or ] in this JSON");
}

static int value(struct json_in *in, struct word *up, unsigned depth)
{
	size_t n = 0;

	if (depth > TREE_DEPTH)
		return fail(in, "this JSON is nested too deep");
	blanks(in);
	if (in->s >= in->end)
		return fail(in, "");
	if (*in->s == '{')
		return members(in, up, depth);
	if (*in->s == '[')
		return elements(in, up, depth);
	if (*in->s == '"') {
		if (string(in) < 0)
			return -EINVAL;
		tree_word(in->t, up, text_str(&in->word), in->word.n, in->line)->scalar = true;
		return 0;
	}
	while (in->s + n < in->end && in->s[n] && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", in->s[n]))
		n++;
	if (!n)
		return fail(in, "expected a value in this JSON");
	up = tree_word(in->t, up, in->s, n, in->line);
	up->scalar = up->bare = true;
	in->s += n;
	return 0;
}

int tree_json(struct tree *t, struct diags *d)
{
	struct json_in in = { .t = t, .s = t->source->text, .end = t->source->text + t->source->len, .line = 1, .d = d };
	int r;

	for (; in.s < in.end && *in.s != '{' && *in.s != '['; in.s++)
		in.line += *in.s == '\n';
	r = in.s < in.end ? value(&in, &t->root, 0) : tree_bad(t, 1, d, "there is no { or [ in this file: it is no JSON");
	if (r == 0) {
		blanks(&in);
		if (in.s < in.end)
			r = tree_bad(t, in.line, d, "something stands behind the end of this JSON");
	}
	text_done(&in.word);
	return r;
}

/* --- YAML -------------------------------------------------------------------------- */

/* The end of a plain or quoted scalar that begins at @i; a plain one ends at ": ", at a colon at the end, or at " #". */
static size_t scalar_end(const struct line *l, size_t i)
{
	char quote = l->s[i];

	if (quote == '"' || quote == '\'') {
		for (i++; i < l->n && l->s[i] != quote; i++)
			;
		return i < l->n ? i + 1 : i;
	}
	for (; i < l->n; i++) {
		if (l->s[i] == ':' && (i + 1 == l->n || l->s[i + 1] == ' '))
			break;
		if (l->s[i] == '#' && i && l->s[i - 1] == ' ')
			break;
	}
	return i;
}

static struct word *scalar(struct tree *t, struct word *up, const struct line *l, size_t from, size_t to)
{
	to = from + text_trim(l->s + from, to - from);
	if (to - from >= 2 && strchr("\"'", l->s[from]) && l->s[to - 1] == l->s[from])
		from++, to--;
	return tree_word(t, up, l->s + from, to - from, l->number);
}

static int yaml_line(struct tree *t, const struct line *l, size_t i, struct word **at, struct diags *d)
{
	size_t indent = i, end;
	struct word *up, *w;

	while (i + 1 < l->n && l->s[i] == '-' && l->s[i + 1] == ' ') {	/* entries unite with their list */
		i += 2;
		while (i < l->n && l->s[i] == ' ')
			i++;
		indent = i;
	}
	end = scalar_end(l, i);
	if (end == i)
		return 0;
	up = tree_above(t, *at, indent);
	w = scalar(t, up, l, i, end);
	w->indent = (unsigned)indent + 1;
	*at = w;
	if (end >= l->n || l->s[end] != ':')
		return 0;
	for (i = end + 1; i < l->n && l->s[i] == ' '; i++)
		;
	if (i >= l->n || l->s[i] == '#' || (l->n - i == 2 && !strncmp(l->s + i, "{}", 2)))
		return 0;
	if (strchr("{[&*|>!", l->s[i]))
		return tree_bad(t, l->number, d, "this form of YAML is not read; `nv config show -o json` is");
	scalar(t, w, l, i, scalar_end(l, i))->scalar = true;
	return 0;
}

int tree_yaml(struct tree *t, struct diags *d)
{
	const char *at = t->source->text;
	struct line l = { 0 };
	struct word *last = &t->root;

	while (tree_line(t, &at, &l)) {
		size_t i = tree_indent(&l);

		if (i == l.n || l.s[i] == '#' || (l.n == 3 && !strncmp(l.s, "---", 3)))
			continue;
		if (memchr(l.s, '\t', i))
			return tree_bad(t, l.number, d, "a tab indents this line of YAML");
		if (i > TREE_DEPTH * 8)
			return tree_bad(t, l.number, d, "this YAML is nested too deep");
		if (yaml_line(t, &l, i, &last, d) < 0)
			return -EINVAL;
	}
	return 0;
}
