/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the comments that allow something. The policy's reader drops comments, so lines are looked at here, as YAML has
 * them: a # begins a comment at the start of a line or behind a blank, but not inside quotes, and not in a block of text.
 */
#include "lint/allow.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/rule.h"

enum { BECAUSE_MAX = 300 };

static const char mark[] = RULE_MARK;

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

/* --- what of a line is text ---------------------------------------------------- */

/* What the lines above have begun: brackets, a quoted text, or a block of text behind | or >. */
struct scan {
	unsigned depth;			/* of brackets */
	char quote;			/* 0: none is open */
	bool block;			/* lines indented by @indent or more belong to one */
	int above, indent;		/* column of the key that the block belongs to, -1: not known; of its text, 0: not yet */
};

/*
 * May a quoted text, a bracket or a block begin here: first of all in the line, or behind an indicator, with an anchor
 * between at most? Elsewhere it is part of a plain text: the 7" disk.
 */
static bool token_begins(const struct scan *x, const char *line, const char *s)
{
	while (s > line) {
		const char *word = s;

		while (word > line && is_blank(word[-1]))
			word--;
		if (word == line)
			return true;
		if (word[-1] == ':')
			return x->depth || word < s;
		if (x->depth && (word[-1] == '[' || word[-1] == '{' || word[-1] == ','))
			return true;
		if (word == s)
			return false;
		for (s = word; s > line && !is_blank(s[-1]); s--)
			;
		if (*s != '&' && !((*s == '-' || *s == '?') && word - s == 1))
			return false;
	}
	return true;
}

/* One byte of a line that is in no quotes. */
static void scan_byte(struct scan *x, const char *line, const char *s)
{
	if ((*s == '[' || *s == '{') && token_begins(x, line, s))
		x->depth++;
	else if (x->depth && (*s == ']' || *s == '}'))
		x->depth--;
	else if ((*s == '"' || *s == '\'') && token_begins(x, line, s))
		x->quote = *s;
}

/* The # of a line's comment, or NULL. */
static const char *comment_of(struct scan *x, const char *line, const char *end)
{
	for (const char *s = line; s < end; s++) {
		if ((x->quote == '"' && *s == '\\') || (x->quote == '\'' && *s == x->quote && s + 1 < end && s[1] == x->quote))
			s++;		/* what follows is escaped */
		else if (x->quote)
			x->quote = *s == x->quote ? 0 : x->quote;
		else if (*s == '#' && (s == line || is_blank(s[-1])))
			return s;
		else
			scan_byte(x, line, s);
	}
	return NULL;
}

/* Column of what a block of text belongs to: of the key behind the dashes, else of the last dash; -1: of a line above. */
static int owner(const char *line, const char *end)
{
	const char *s = skip_blanks(line, end), *dash = NULL;

	while (s + 1 < end && (*s == '-' || *s == '?') && is_blank(s[1])) {
		dash = s;
		s = skip_blanks(s + 1, end);
	}
	if (memchr(s, ':', (size_t)(end - s)))
		return (int)(s - line);
	return dash ? (int)(dash - line) : -1;
}

/* A line, its comment cut off, that ends in | or >, or "|2-", begins a block. */
static void begin_block(struct scan *x, const char *line, const char *end)
{
	const char *s;
	int given = 0;

	while (end > line && is_blank(end[-1]))
		end--;
	for (s = end; s > line && end - s < 2 && (s[-1] == '+' || s[-1] == '-' || (s[-1] >= '1' && s[-1] <= '9')); s--)
		given = s[-1] >= '1' ? s[-1] - '0' : given;
	if (s == line || (s[-1] != '|' && s[-1] != '>') || !token_begins(x, line, s - 1))
		return;
	x->block = true;
	x->above = owner(line, s);
	x->indent = !given ? 0 : x->above < 0 ? given : x->above + given;
}

/* Is the line of the block that is open? The first that is not empty says how far its text is indented. */
static bool in_block(struct scan *x, const char *line, const char *end)
{
	const char *s = line;

	while (s < end && *s == ' ')
		s++;
	if (s == end)
		return true;
	if (!x->indent)
		x->indent = s - line > x->above ? (int)(s - line) : INT_MAX;
	x->block = s - line >= x->indent;
	return x->block;
}

/* The # of the comment of the next line, or NULL. */
static const char *next_comment(struct scan *x, const char *line, const char *end)
{
	const char *hash;

	if (x->block && in_block(x, line, end))
		return NULL;
	hash = comment_of(x, line, end);
	if (!x->quote && !x->depth)
		begin_block(x, line, hash ? hash : end);
	return hash;
}

/* --- what a comment says ------------------------------------------------------- */

/* A word of at most up to @end; sets *n, and returns what follows it and its blanks. */
static const char *word(const char *s, const char *end, size_t *n)
{
	const char *from = s;

	while (s < end && !is_blank(*s))
		s++;
	*n = (size_t)(s - from);
	return skip_blanks(s, end);
}

static bool is_word(const char *s, size_t n, const char *w)
{
	return n == strlen(w) && !memcmp(s, w, n);
}

/* "allow RULE because REASON" */
static void read_words(struct allow *one, const char *s, const char *end, struct arena *a)
{
	const char *rule, *because, *reason;
	size_t n, nrule, nbecause;

	rule = word(s, end, &n);
	if (!is_word(s, n, "allow"))
		return;
	because = word(rule, end, &nrule);
	if (!nrule)
		return;
	reason = word(because, end, &nbecause);
	if (!is_word(because, nbecause, "because") || reason == end)
		return;
	one->rule = text_safe(a, rule, nrule, BECAUSE_MAX);
	one->because = text_safe(a, reason, (size_t)(end - reason), BECAUSE_MAX);
}

static uint32_t characters(const char *s, const char *end)
{
	uint32_t n = 0, cp;

	for (size_t len; s < end; s += len ? len : 1, n++)
		len = text_utf8(s, (size_t)(end - s), &cp);
	return n;
}

static void add(struct allows *all, const struct source *s, uint32_t line, const char *start, const char *hash,
		const char *end, struct arena *a)
{
	const char *at = skip_blanks(hash + 1, end);
	struct allow one = { .line = line };

	if ((size_t)(end - at) < strlen(mark) || memcmp(at, mark, strlen(mark)) != 0)
		return;
	one.pos = (struct pos){ .source = s, .line = line, .col = characters(start, hash) + 1, .len = characters(hash, end) };
	end = at + text_trim(at, (size_t)(end - at));
	read_words(&one, skip_blanks(at + strlen(mark), end), end, a);
	list_add(all, a) = one;
}

/* A comment by itself speaks of the next line; of several, all speak of the first line that is none. */
static void point_down(struct allows *all, size_t from, uint32_t line)
{
	for (size_t i = from; i < all->n; i++)
		all->at[i].line = line;
}

static void read_lines(struct allows *all, const struct source *s, struct arena *a)
{
	const char *end = s->text + s->len, *next;
	size_t alone = all->n;			/* from here on they wait for their line */
	uint32_t line = 1;
	struct scan scan = { 0 };

	for (const char *start = s->text; start < end; start = next, line++) {
		const char *stop = memchr(start, '\n', (size_t)(end - start)), *hash;

		next = stop ? stop + 1 : end;
		stop = stop ? stop : end;
		stop -= stop > start && stop[-1] == '\r';
		hash = next_comment(&scan, start, stop);
		if (hash)
			add(all, s, line, start, hash, stop, a);
		if (hash && skip_blanks(start, stop) == hash)
			continue;
		point_down(all, alone, line);
		alone = all->n;
	}
}

static struct allows_source source_of(struct allows *all, const struct source *s, struct arena *a)
{
	struct allows_source one = { .source = s, .first = all->n };

	for (size_t i = 0; i < all->source.n; i++)
		if (all->source.at[i].source == s)
			return all->source.at[i];
	if (s->text && memmem(s->text, s->len, mark, strlen(mark)))
		read_lines(all, s, a);
	one.end = all->n;
	list_add(&all->source, a) = one;
	return one;
}

void allows_of(struct allows *all, const struct source *s, struct arena *a)
{
	source_of(all, s, a);
}

/* The first one of a source that is about @line or one behind it. */
static size_t first_of(const struct allows *all, const struct allows_source *in, uint32_t line)
{
	size_t low = in->first, high = in->end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all->at[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct allow *allows_find(struct allows *all, const struct pos *pos, const char *rule, struct arena *a)
{
	struct allows_source in;

	if (!pos->source)
		return NULL;
	in = source_of(all, pos->source, a);
	for (size_t i = first_of(all, &in, pos->line); i < in.end && all->at[i].line == pos->line; i++) {
		struct allow *one = &all->at[i];

		if (!one->rule || strcmp(one->rule, rule) != 0)
			continue;
		one->used = true;
		return one;
	}
	return NULL;
}
