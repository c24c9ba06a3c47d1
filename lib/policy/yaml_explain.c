/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's syntax errors, with what their usual cause is in a policy. libyaml says what it expected; the person at
 * the other end wrote a host list inside braces, a key that begins with a star, or a tab.
 */
#include "policy/yaml_explain.h"

#include <string.h>
#include <yaml.h>

#include "base/text.h"

enum { KEY_MAX = 1024 };

struct place {				/* where libyaml gave up */
	const yaml_parser_t *p;
	const char *text, *line;	/* the source; its line, up to the line's end */
	size_t n, at;			/* bytes of the line; byte of it that the mark points to */
	char c;				/* the character there; 0 at the end */
};

/* --- what the text says ----------------------------------------------------- */

static struct place find(const yaml_parser_t *p, const struct source *source, const yaml_mark_t *mark)
{
	struct place w = { .p = p, .text = source->text, .line = source->text };
	const char *end = source->text + source->len, *stop;
	uint32_t cp;

	for (size_t i = 0; i < mark->line && w.line < end; i++) {
		stop = memchr(w.line, '\n', (size_t)(end - w.line));
		w.line = stop ? stop + 1 : end;
	}
	stop = memchr(w.line, '\n', (size_t)(end - w.line));
	w.n = (size_t)((stop ? stop : end) - w.line);
	for (size_t i = 0; i < mark->column && w.at < w.n; i++)
		w.at += text_utf8(w.line + w.at, w.n - w.at, &cp);
	w.c = w.at < w.n ? w.line[w.at] : 0;
	return w;
}

static bool word_char(char c)
{
	return c && !strchr(" \t,:{}[]\"'", c);
}

static bool is_tab(const struct place *w)
{
	size_t indent = 0;

	while (indent < w->n && w->line[indent] == ' ')
		indent++;
	return w->c == '\t' || (indent < w->n && w->line[indent] == '\t');
}

static bool says(const struct place *w, const char *words)
{
	return strstr(w->p->problem, words);
}

/* What libyaml says where a comma or a closing bracket is due inside { } or [ ] */
static bool is_open_flow(const struct place *w)
{
	return says(w, "expected ',' or");
}

static bool is_bracket_in_word(const struct place *w)
{
	return is_open_flow(w) && w->c == '[' && w->at && word_char(w->line[w->at - 1]);
}

static bool is_star(const struct place *w)
{
	return w->p->context && strstr(w->p->context, "alias");
}

static bool is_at(const struct place *w)
{
	return w->c == '@';
}

static bool is_reserved(const struct place *w)
{
	return w->c == '`' || w->c == '%';
}

/* "mtu:9000": the colon is part of a word. */
static bool has_glued_colon(const char *line, const char *end)
{
	const char *colon = memchr(line, ':', (size_t)(end - line));

	return colon && colon + 1 < end && word_char(colon[1]);
}

static bool is_glued_colon(const struct place *w)
{
	return says(w, "expected ':'") && has_glued_colon(w->line, w->line + w->n);
}

/* At the start of a map: the word goes on into the next line, and that one's colon comes as a surprise. */
static bool is_glued_above(const struct place *w)
{
	const char *end = w->line > w->text ? w->line - 1 : w->text, *start = end;

	while (start > w->text && start[-1] != '\n')
		start--;
	return says(w, "mapping values are not allowed") && has_glued_colon(start, end);
}

static bool is_no_colon(const struct place *w)
{
	return says(w, "expected ':'");
}

/* libyaml looks no further for the colon behind a key. */
static bool is_long_key(const struct place *w)
{
	return says(w, "mapping values are not allowed") && w->p->problem_mark.column > KEY_MAX;
}

static bool is_second_colon(const struct place *w)
{
	return says(w, "mapping values are not allowed");
}

static bool is_indentation(const struct place *w)
{
	return says(w, "did not find expected key") || says(w, "expected '-' indicator");
}

static bool is_open_quote(const struct place *w)
{
	return w->p->context && strstr(w->p->context, "quoted scalar");
}

static bool is_block_in_flow(const struct place *w)
{
	return says(w, "block sequence entries are not allowed");
}

static const struct cause {
	bool (*is)(const struct place *w);
	const char *hint;
	bool context;			/* is the problem where the context is */
} causes[] = {
	/* the first that fits is told */
	{ is_tab, "a tab stands here; YAML indents and separates with blanks only", false },
	{ is_bracket_in_word, "inside { } or [ ] a host list must be quoted: \"gpu[01-64]\"", false },
	{ is_star, "a name that begins with * must be quoted: \"*-gpu\"", true },
	{ is_at, "host lists have no @groups; other text that begins with @ must be quoted", false },
	{ is_reserved, "text that begins with % or ` must be quoted", false },
	{ is_open_quote, "the quote that begins here is not closed, or not where it should be", true },
	{ is_glued_colon, "a blank must stand behind the colon: `key: value`", true },
	{ is_glued_above, "a blank must stand behind the colon of the line above: `key: value`", false },
	{ is_no_colon, "a key stands here without its colon and value", true },
	{ is_long_key,
	  "a key takes at most 1024 characters before its colon: split a longer host list into several entries", false },
	{ is_second_colon,
	  "text that holds `: ` must be quoted; a key further in than the one above it may not stand behind "
	  "a value",
	  false },
	{ is_open_flow, "a comma is missing here, or the bracket is not closed", false },
	{ is_block_in_flow, "a list's `-` stands on a line of its own", false },
	{ is_indentation, "is this line indented as the others of its list or map?", false },
};

static struct pos pos_of(const struct source *source, const yaml_mark_t *mark)
{
	return (struct pos){
		.source = source, .line = (uint32_t)mark->line + 1, .col = (uint32_t)mark->column + 1, .len = 1
	};
}

static const struct cause *cause_of(const struct source *source, const yaml_parser_t *p)
{
	struct place at = find(p, source, &p->problem_mark), context = find(p, source, &p->context_mark);

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].is(causes[i].context ? &context : &at))
			return &causes[i];
	return NULL;
}

void yaml_explain(const struct yaml_parser_s *p, const struct source *source, struct diags *d)
{
	const struct cause *cause = cause_of(source, p);
	struct pos pos = pos_of(source, cause && cause->context ? &p->context_mark : &p->problem_mark);
	struct diag *one = diag_error(d, &pos, "not valid YAML: %s", p->problem);

	if (p->context && !(cause && cause->context) && p->context_mark.line != p->problem_mark.line) {
		one->other = pos_of(source, &p->context_mark);
		one->other_what = p->context;
	}
	if (cause)
		one->hint = cause->hint;
}
