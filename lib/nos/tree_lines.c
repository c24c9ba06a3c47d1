/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of commands, read into a tree of words in their order: `set` and what takes it back, and lines that belong together by
 * their indentation with their `no` and `default`. What a line may take back without anybody being able to say how much is
 * marked, and is unknown later.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"
#include "nos/lines.h"
#include "nos/tree_text.h"

enum { LOOKED_MOST = 1 << 25, PATH_MOST = TREE_DEPTH };

int tree_bad(const struct tree *t, uint32_t line, struct diags *d, const char *why)
{
	const struct pos pos = { .source = t->source, .line = line };

	diag_error(d, &pos, "%s", why);
	return -EINVAL;
}

bool tree_line(const struct tree *t, const char **at, struct line *l)
{
	const char *end = t->source->text + t->source->len, *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	l->s = *at;
	l->n = text_trim(*at, (size_t)((newline ? newline : end) - *at));
	l->number++;
	*at = newline ? newline + 1 : end;
	return true;
}

size_t tree_indent(const struct line *l)
{
	size_t n = 0;

	while (n < l->n && (l->s[n] == ' ' || l->s[n] == '\t'))
		n++;
	return n;
}

bool tree_next(const struct line *l, size_t *i, size_t *n)
{
	while (*i < l->n && (l->s[*i] == ' ' || l->s[*i] == '\t'))
		(*i)++;
	for (*n = 0; *i + *n < l->n && l->s[*i + *n] != ' ' && l->s[*i + *n] != '\t'; (*n)++)
		;
	return *n;
}

struct word *tree_above(struct tree *t, struct word *w, size_t indent)
{
	while (w != &t->root && w->indent >= indent + 1)
		w = w->up;
	return w;
}

/* Files in which lines take back others by the thousand are nobody's; looking at all lines for each would take hours. */
static int look(struct tree *t, uint32_t line, struct diags *d)
{
	return ++t->looked <= LOOKED_MOST ? 0 : tree_bad(t, line, d, "too many lines of this file take others back");
}

static struct word *remark(struct tree *t, const struct line *l)
{
	struct word *w = arena_new_of(t->arena, struct word);
	size_t i = tree_indent(l);

	w->key = arena_strndup(t->arena, l->s + i, l->n - i);
	w->line = l->number;
	return w;
}

/* --- set commands ------------------------------------------------------------------- */

struct path {
	struct { const char *s; size_t n; } word[PATH_MOST];
	size_t n;
};

static bool leads(const struct line *l, const char *lead, size_t *i)
{
	size_t n;

	*i = 0;
	while (*lead) {
		size_t want = strcspn(lead, " ");

		if (!tree_next(l, i, &n) || n != want || strncmp(l->s + *i, lead, n) != 0)
			return false;
		*i += n;
		lead += want + (lead[want] == ' ');
	}
	return true;
}

static enum tree_verb verb_of(const struct tree_verbs *v, const struct line *l, size_t *i)
{
	for (size_t k = 0; k < TREE_VERBS; k++)
		if (v->lead[k] && leads(l, v->lead[k], i))
			return (enum tree_verb)k;
	for (const char *const *r = v->refused; *r; r++)
		if (leads(l, *r, i))
			return TREE_REFUSED;
	return TREE_VERBS;
}

static void split(const struct line *l, size_t i, struct path *p)
{
	size_t n;

	for (p->n = 0; p->n < PATH_MOST && tree_next(l, &i, &n); i += n) {
		bool quoted = n >= 2 && strchr("\"'", l->s[i]) && l->s[i + n - 1] == l->s[i];

		p->word[p->n].s = l->s + i + quoted;
		p->word[p->n++].n = n - 2 * quoted;
	}
}

static bool is_word(const struct path *p, size_t i, char c)
{
	return p->word[i].n == 1 && *p->word[i].s == c;
}

static void add_set(struct tree *t, const struct path *p, uint32_t line)
{
	struct word *w = &t->root;
	bool list = false;

	for (size_t i = 0; i < p->n; i++) {
		if (!list && i && is_word(p, i, '[')) {
			list = true;
			continue;
		}
		if (list && is_word(p, i, ']')) {	/* what follows a list stands beside it */
			list = false;
			w = w->up ? w->up : w;
			continue;
		}
		if (list)
			tree_word(t, w, p->word[i].s, p->word[i].n, line);
		else
			w = tree_word(t, w, p->word[i].s, p->word[i].n, line);
	}
}

struct taking {
	struct tree *t;
	const struct tree_verbs *verbs;
	const struct path *path;
	struct word *why;
	enum tree_verb verb;
	struct diags *d;
};

static void reach(const struct taking *x, struct word *w, bool partly)
{
	if (partly) {
		w->doubt = x->why;
		x->t->doubts++;
	} else if (x->verb == TREE_DROP) {
		tree_take_back(w);
	} else {
		w->inactive = x->verb == TREE_OFF;
	}
}

static int take_back(const struct taking *x, struct word *up, size_t i, bool partly);

/* Other names below @up that stand for some of what this one stands for: "swp1-32" and "swp1". */
static int take_lists(const struct taking *x, struct word *up, const char *key, size_t i, bool partly)
{
	struct word *next;

	for (struct word *w = up->child; w; w = next) {
		enum list_covers covers;
		bool last = i + 1 == x->path->n;

		next = w->next;
		if (look(x->t, x->why->line, x->d) < 0)
			return -EINVAL;
		covers = strcmp(w->key, key) ? list_covers(key, w->key) : COVERS_NONE;
		if (covers == COVERS_NONE)
			continue;
		if (last)
			reach(x, w, partly || covers == COVERS_SOME);
		else if (take_back(x, w, i + 1, partly || covers == COVERS_SOME) < 0)
			return -EINVAL;
	}
	return 0;
}

static int take_back(const struct taking *x, struct word *up, size_t i, bool partly)
{
	const char *key = arena_strndup(x->t->arena, x->path->word[i].s, x->path->word[i].n);
	struct word *w = (struct word *)word_at(x->t, up, key);
	bool list = is_word(x->path, i, '[') || is_word(x->path, i, ']');

	if (x->verbs->lists && take_lists(x, up, key, i, partly) < 0)
		return -EINVAL;
	if (x->verb == TREE_OFF && !w && !list)
		w = tree_word(x->t, up, key, strlen(key), x->why->line);
	if (list)
		return i + 1 < x->path->n ? take_back(x, up, i + 1, partly) : 0;
	if (i && is_word(x->path, i - 1, '[') && i + 1 < x->path->n) {	/* each of a list */
		size_t k = i;

		for (; k < x->path->n && !is_word(x->path, k, ']'); k++) {
			w = (struct word *)word_at(x->t, up, arena_strndup(x->t->arena, x->path->word[k].s, x->path->word[k].n));
			if (w)
				reach(x, w, partly);
		}
		return 0;
	}
	if (!w)
		return 0;
	if (i + 1 < x->path->n)
		return take_back(x, w, i + 1, partly);
	reach(x, w, partly);
	return 0;
}

static void settle(struct word *up)
{
	struct word *next;

	for (struct word *w = up->child; w; w = next) {
		next = w->next;
		if (w->inactive)
			tree_take_back(w);
		else
			settle(w);
	}
}

static int command(struct tree *t, const struct tree_verbs *v, enum tree_verb verb, const struct line *l, size_t i, struct diags *d)
{
	struct path p;

	split(l, i, &p);
	if (verb == TREE_ADD) {
		add_set(t, &p, l->number);
		return 0;
	}
	if (!p.n) {			/* all of it */
		if (verb == TREE_DROP)
			tree_take_back_below(&t->root);
		return 0;
	}
	return take_back(&(struct taking){ t, v, &p, remark(t, l), verb, d }, &t->root, 0, false);
}

/* A block in braces among commands is the same configuration in a form that is not read: it may say anything. */
static bool is_block(const struct line *l)
{
	size_t i = tree_indent(l);

	return l->n > i + 1 && isalpha((unsigned char)l->s[i]) && l->s[l->n - 1] == '{';
}

static int not_read(const struct tree *t, const struct line *l, struct diags *d)
{
	tree_bad(t, l->number, d, "what this line leads to cannot be told: the rest of the file may mean something else after it");
	diag_hint(d, "give it what the switch exports, and not what was typed");
	return -EINVAL;
}

int tree_sets(struct tree *t, const struct tree_verbs *verbs, struct diags *d)
{
	const char *at = t->source->text;
	struct line l = { 0 }, odd = { 0 };
	bool any = false;

	while (tree_line(t, &at, &l)) {
		size_t i = 0;
		enum tree_verb verb = verb_of(verbs, &l, &i);

		if (!odd.number && (verb == TREE_REFUSED || (verb == TREE_VERBS && is_block(&l))))
			odd = l;
		if (verb >= TREE_VERBS)
			continue;
		any = true;
		if (command(t, verbs, verb, &l, i, d) < 0)
			return -EINVAL;
	}
	if (any && odd.number)
		return not_read(t, &odd, d);
	settle(&t->root);
	return any;
}

/* Each end of the tree below @w, with the way to it. */
static int unset_below(struct tree *t, const struct tree_verbs *v, const struct word *w, struct path *p, struct word *to, struct diags *d)
{
	for (const struct word *c = word_children(w); c && p->n < PATH_MOST; c = c->next) {
		int r;

		p->word[p->n].s = c->key;
		p->word[p->n++].n = strlen(c->key);
		if (word_children(c)) {
			r = unset_below(t, v, c, p, to, d);
		} else {
			struct line l = { c->key, strlen(c->key), c->line };

			r = take_back(&(struct taking){ t, v, p, remark(t, &l), TREE_DROP, d }, to, 0, false);
		}
		p->n--;
		if (r < 0)
			return r;
	}
	return 0;
}

int tree_unset(struct tree *t, const struct tree_verbs *v, const struct word *what, struct word *from, struct diags *d)
{
	struct path p = { .n = 0 };

	return unset_below(t, v, what, &p, from, d);
}

/* --- indented lines ------------------------------------------------------------------ */

static void single_blanks(const struct line *l, size_t i, struct text *out)
{
	size_t n;

	text_reset(out);
	while (tree_next(l, &i, &n)) {
		if (out->n)
			text_char(out, ' ');
		text_addn(out, l->s + i, n);
		i += n;
	}
}

static bool begins(const struct line *l, const char *with)
{
	size_t i = tree_indent(l), n = strlen(with);

	return l->n - i >= n && !memcmp(l->s + i, with, n);
}

/* The line is as long as the words, and no longer. */
static bool is_end(const struct line *l, const char *words)
{
	size_t i = tree_indent(l);

	return l->n - i == strlen(words) && !strncmp(l->s + i, words, l->n - i);
}

static int no_end(const struct tree *t, uint32_t line, struct diags *d)
{
	return tree_bad(t, line, d, "the text that begins here has no end in this file");
}

static int skip_to(const struct tree *t, const char **at, struct line *l, const char *end, struct diags *d)
{
	uint32_t begin = l->number;

	while (tree_line(t, at, l))
		if (is_end(l, end))
			return 1;
	return no_end(t, begin, d);
}

/* From a character to where it stands again: "banner motd #", lines, "#". */
static int skip_quoted(const struct tree *t, const char **at, struct line *l, const char *from, struct diags *d)
{
	uint32_t begin = l->number;
	const char *s = from + 1;

	do {
		size_t n = (size_t)(l->s + l->n - s);

		if (s <= l->s + l->n && memchr(s, *from, n))
			return 1;
		if (!tree_line(t, at, l))
			return no_end(t, begin, d);
		s = l->s;
	} while (true);
}

/* Words for people, scripts and keys, which are no configuration. Return: 1 if lines were skipped; 0; -EINVAL, told. */
static int skip_text(const struct tree *t, const struct tree_text *text, const char **at, struct line *l, const char *words, struct diags *d)
{
	struct line_args args;

	if (begins(l, "-----BEGIN ")) {
		uint32_t begin = l->number;

		while (tree_line(t, at, l))
			if (begins(l, "-----END "))
				return 1;
		return no_end(t, begin, d);
	}
	for (; text && text->begins; text++) {
		size_t i = tree_indent(l), n;

		if (!line_match(words, text->begins, &args))
			continue;
		if (text->end)
			return skip_to(t, at, l, text->end, d);
		for (unsigned k = text->words; k && tree_next(l, &i, &n); k--)
			i += n;
		return tree_next(l, &i, &n) ? skip_quoted(t, at, l, l->s + i, d) : 1;
	}
	return 0;
}

/* Does "no @rest" take back the whole of @key: its words are the first ones of it. A number that begins a list is not. */
static bool takes(const char *rest, const char *key)
{
	const char *last = rest;

	while (*rest) {
		size_t n = strcspn(rest, " "), m = strcspn(key, " ");

		if (!m || strncasecmp(rest, key, n < m ? n : m) != 0 || (n != m && (n < m ? n : m) < 3))
			return false;
		last = rest;
		rest += n + (rest[n] == ' ');
		key += m + (key[m] == ' ');
	}
	return !(isdigit((unsigned char)*last) && isdigit((unsigned char)*key));
}

static int negate(struct tree *t, struct word *no, const char *rest, struct diags *d)
{
	struct word *before;

	for (struct word *w = no->before; w; w = before) {
		before = w->before;
		if (look(t, no->line, d) < 0)
			return -EINVAL;
		if (tree_taken_back(w->key) || !takes(rest, w->key))
			continue;
		tree_take_back(w);
		no->took++;
	}
	return 0;
}

const char *tree_taken_back(const char *key)
{
	return !strncasecmp(key, "no ", 3) ? key + 3 : !strncasecmp(key, "default ", 8) ? key + 8 : NULL;
}

/* Said again, what was taken back is there. */
static void affirm(struct tree *t, const struct word *w)
{
	static const char *const lead[] = { "no ", "default " };

	for (size_t i = 0; i < 2; i++) {
		struct word *no;

		if (strlen(w->key) > LINE_ARG)
			return;
		no = (struct word *)word_at(t, w->up, arena_printf(t->arena, "%s%s", lead[i], w->key));
		if (no)
			tree_take_back(no);
	}
}

static int add_line(struct tree *t, struct word **last, const struct line *l, size_t indent, const struct text *text, struct diags *d)
{
	struct word *up = tree_above(t, *last, indent);
	const char *rest;
	size_t depth = 0;

	for (const struct word *w = up; w != &t->root; w = w->up)
		depth++;
	if (depth > TREE_DEPTH)
		return tree_bad(t, l->number, d, "the lines of this file are nested too deep");
	*last = tree_word(t, up, text_str(text), text->n, l->number);
	(*last)->indent = (unsigned)indent + 1;
	rest = tree_taken_back((*last)->key);
	if (rest) {
		t->negations = true;
		return negate(t, *last, rest, d);
	}
	if (t->negations)
		affirm(t, *last);
	return 0;
}

int tree_indented(struct tree *t, const struct tree_text *texts, struct diags *d)
{
	TEXT_CLEANUP struct text text = { 0 };
	const char *at = t->source->text;
	struct line l = { 0 };
	struct word *last = &t->root;

	while (tree_line(t, &at, &l)) {
		size_t i = tree_indent(&l);
		int r;

		if (i == l.n || l.s[i] == '!' || l.s[i] == '#')
			continue;
		single_blanks(&l, i, &text);
		r = skip_text(t, texts, &at, &l, text_str(&text), d);
		if (r == 0)
			r = add_line(t, &last, &l, i, &text, d);
		if (r < 0)
			return -EINVAL;
	}
	return 0;
}
