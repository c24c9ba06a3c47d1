/* SPDX-License-Identifier: Apache-2.0 */
/* One reader of options and one of keywords for all tools; their tables say what there is. */
#include "explain/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

static const struct tool *const lists[] = {
#define TOOLS(name) tools_##name,
#include "explain/list.h"
#undef TOOLS
};

/* --- names ----------------------------------------------------------------------- */

/* Calls for each spelling of "-f --pfc". */
static const char *next_name(const char **s, struct arena *a)
{
	size_t n = strcspn(*s, " ");
	const char *name;

	if (!n)
		return NULL;
	name = arena_strndup(a, *s, n);
	*s += n + ((*s)[n] == ' ');
	return name;
}

static const struct fact *exact(const struct fact *table, const char *name)
{
	for (const struct fact *f = table; f && f->name; f++)
		if (fact_named(f, name))
			return f;
	return NULL;
}

/* The only row that has a spelling which begins like this; programs take an option so shortened. */
static const struct fact *shortened(const struct fact *table, const char *name, struct arena *a)
{
	const struct fact *found = NULL;
	size_t n = strlen(name);

	if (n < 2)
		return NULL;
	for (const struct fact *f = table; f && f->name; f++) {
		const char *names = f->name, *one;

		while ((one = next_name(&names, a)) != NULL)
			if (!strncmp(one, name, n) && found != f) {
				if (found)
					return NULL;
				found = f;
			}
	}
	return found;
}

void tool_unknown(struct answer *a, const char *what, const char *word, const struct fact *table)
{
	struct lines names = { 0 };
	const char *near;

	for (const struct fact *f = table; f && f->name; f++) {
		const char *all = f->name, *one;

		while (f->exists == EXISTS_YES && (one = next_name(&all, a->arena)) != NULL)
			list_add(&names, a->arena) = one;
	}
	list_add(&names, a->arena) = NULL;
	near = text_nearest(word, names.at);
	if (near)
		answer_wrong(a, "there is no %s %s; the nearest is %s", what, word, near);
	else
		answer_wrong(a, "there is no %s %s", what, word);
}

static void add_arg(struct answer *a, const struct fact *f, const char *value)
{
	list_add(&a->args, a->arena) = (struct arg){ f, value };
}

/* --- options --------------------------------------------------------------------- */

/* "--pfc=0,1", "--pfc" "0,1", "-gmin" "5". Return: false if the table lacks it. */
static bool whole_option(struct answer *a, const struct fact *table, size_t *i)
{
	const char *word = a->command->word[*i], *equals = strchr(word, '=');
	const char *name = arena_strndup(a->arena, word, equals ? (size_t)(equals - word) : strlen(word));
	const struct fact *f = exact(table, name);

	if (!f && word[1] == '-')
		f = shortened(table, name, a->arena);
	if (!f)
		return false;
	if (equals)
		add_arg(a, f, equals + 1);
	else if (f->value && a->command->word[*i + 1])
		add_arg(a, f, a->command->word[++*i]);
	else
		add_arg(a, f, NULL);
	return true;
}

/* "-avn", "-f0,1,0": letters in one word, the last with its value. */
static void letters(struct answer *a, const struct fact *table, size_t *i)
{
	const char *word = a->command->word[*i];

	for (const char *s = word + 1; *s; s++) {
		char name[] = { '-', *s, 0 };
		const struct fact *f = isalnum((unsigned char)*s) ? exact(table, name) : NULL;

		if (!f) {
			tool_unknown(a, "option", s == word + 1 ? word : name, table);
			return;
		}
		if (f->value) {
			add_arg(a, f, s[1] ? s + 1 : a->command->word[*i + 1] ? a->command->word[++*i] : NULL);
			return;
		}
		add_arg(a, f, NULL);
	}
}

static bool is_option(const char *s)
{
	return s[0] == '-' && s[1] && !isdigit((unsigned char)s[1]);
}

void tool_options(struct answer *a, const struct fact *options, size_t first)
{
	bool over = false;

	for (size_t i = first; i < a->command->n; i++) {
		const char *word = a->command->word[i];

		if (over || !is_option(word))
			list_add(&a->rest, a->arena) = word;
		else if (!strcmp(word, "--"))
			over = true;
		else if (whole_option(a, options, &i))
			continue;
		else if (word[1] == '-')
			tool_unknown(a, "option", word, options);
		else
			letters(a, options, &i);
	}
}

/* --- keywords -------------------------------------------------------------------- */

/* "MAP…" takes words as long as they have a colon; one that has none is meant as a keyword. */
static const char *many(struct answer *a, size_t *i)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (; a->command->word[*i + 1] && strchr(a->command->word[*i + 1], ':'); ++*i)
		text_printf(&t, "%s%s", t.n ? " " : "", a->command->word[*i + 1]);
	return arena_strndup(a->arena, text_str(&t), t.n);
}

void tool_keywords(struct answer *a, const struct fact *keywords, size_t first, unsigned positions)
{
	for (size_t i = first; i < a->command->n; i++) {
		const char *word = a->command->word[i];
		const struct fact *f = exact(keywords, word);

		if (!f && !positions)
			f = shortened(keywords, word, a->arena);
		if (f && !f->value) {
			add_arg(a, f, NULL);
		} else if (f && strstr(f->value, "…")) {
			add_arg(a, f, many(a, &i));
		} else if (f) {
			add_arg(a, f, i + 1 < a->command->n ? a->command->word[++i] : NULL);
		} else if (positions) {
			list_add(&a->rest, a->arena) = word;
			positions--;
		} else if (!strchr(word, ':') || i == first || strchr(a->command->word[i - 1], ':')) {
			tool_unknown(a, "keyword", word, keywords);	/* not the map behind a word that is unknown */
		}
	}
}

void tool_tell(struct answer *a)
{
	for (size_t i = 0; i < a->args.n; i++) {
		answer_fact(a, a->args.at[i].fact, a->args.at[i].value);
	}
}

/* --- forms ------------------------------------------------------------------------- */

/* Is @word the word of a path, also shortened as iproute2 takes it? "p" is not, "pf" is. */
static bool is_path_word(const char *word, const char *path, size_t n)
{
	size_t len = strlen(word);

	return len && len <= n && !strncmp(word, path, len);
}

/* How many words of the command, from @first on, match the whole path; 0: not this form. */
static size_t match_form(const struct simple *c, size_t first, const char *path)
{
	size_t i = first;

	while (*path) {
		size_t n = strcspn(path, " ");

		if (i == c->n || !is_path_word(c->word[i], path, n))
			return 0;
		i++;
		path += n + (path[n] == ' ');
	}
	return i - first;
}

size_t tool_first(const struct answer *a, const struct tool *t)
{
	const struct simple *c = a->command;
	size_t i = 1;

	for (; i < c->n && c->word[i][0] == '-'; i++)
		i += t->flags && shell_among(t->flags, c->word[i]) && i + 1 < c->n;
	return i;
}

static void no_form(struct answer *a, const struct tool *t, size_t first)
{
	TEXT_CLEANUP struct text paths = { 0 };
	struct simple words = { .word = a->command->word + first, .n = a->command->n - first };

	if (words.n > 2)
		words.n = 2;
	for (const struct form *f = t->forms; f->path; f++)
		if (f->what.exists == EXISTS_YES)
			text_printf(&paths, "%s%s", paths.n ? ", " : "", f->path);
	if (words.n)
		answer_wrong(a, "it has no `%s` that is known here; known are: %s", shell_words(a->arena, &words),
			     text_str(&paths));
}

/* Where no effect is listed for what a form says, its word still tells a change from a look: no traffic, but not nothing. */
static bool is_change(const struct answer *a, size_t first)
{
	static const char *const verbs[] = { "add", "append", "change", "delete", "flush", "replace", "set" };

	for (size_t i = first; i < a->command->n && i < first + 3; i++)
		for (size_t v = 0; v < sizeof(verbs) / sizeof(verbs[0]); v++)
			if (strlen(a->command->word[i]) > 1 && is_path_word(a->command->word[i], verbs[v], strlen(verbs[v])))
				return true;
	return false;
}

void tool_forms(struct answer *a, const struct tool *t)
{
	size_t first = tool_first(a, t), n = 0, longest = 0;
	const struct form *form = NULL;

	for (const struct form *f = t->forms; f->path; f++) {
		n = match_form(a->command, first, f->path);
		if (n > longest) {
			longest = n;
			form = f;
		}
	}
	if (!form) {
		no_form(a, t, first);
		return;
	}
	tool_keywords(a, form->keywords, first + longest, form->positions);
	a->device = t->device ? answer_arg(a, t->device) : NULL;
	if (!a->device && a->rest.n)
		a->device = a->rest.at[0];
	struct fact what = form->what;
	what.name = form->path;
	answer_fact(a, &what, NULL);
	tool_tell(a);
	a->writes = a->writes || (!a->wrong.n && is_change(a, first));
}

/* --- tools ------------------------------------------------------------------------ */

static void by_options(struct answer *a, const struct tool *t)
{
	tool_options(a, t->options, 1);
	if (t->device)
		a->device = answer_arg(a, t->device);
	tool_tell(a);
}

/* What word processors and web pages make of - and --; shells and programs take it for a letter. */
static void printed_dashes(struct answer *a)
{
	static const char *const dashes[] = { "\u2010", "\u2011", "\u2013", "\u2014", "\u2212" };

	for (size_t i = 1; i < a->command->n; i++)
		for (size_t k = 0; k < sizeof(dashes) / sizeof(dashes[0]); k++)
			if (!strncmp(a->command->word[i], dashes[k], strlen(dashes[k])))
				answer_wrong(a, "%s begins with a dash of print, and is no option: type the hyphen of the keyboard",
					     a->command->word[i]);
}

void tool_explain(struct answer *a, const struct tool *t)
{
	if (t->exists != EXISTS_YES)
		answer_not(a, t->exists);
	answer_is(a, "%s", t->is);
	if (t->does)
		answer_does(a, "%s", t->does);
	printed_dashes(a);
	if (t->explain)
		t->explain(a, t);
	else if (t->forms)
		tool_forms(a, t);
	else
		by_options(a, t);
	answer_check_shares(a);
	if (t->no_policy && !a->idle && !a->offers.n && !a->no_policy.n)
		answer_no_policy(a, "%s", t->no_policy);
}

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct tool *t = lists[i]; t->names; t++)
			if (fact_named(&(struct fact){ .name = t->names }, name))
				return t;
	return NULL;
}

const char *tool_nearest(const char *name, struct arena *a)
{
	struct lines names = { 0 };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct tool *t = lists[i]; t->names; t++) {
			const char *all = t->names, *one;

			while ((one = next_name(&all, a)) != NULL)
				list_add(&names, a) = one;
		}
	list_add(&names, a) = NULL;
	return text_nearest(name, names.at);
}

/* --- values ----------------------------------------------------------------------- */

bool tool_number(const char *s, int64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoll(s, &end, 0);
	return !errno && !*end;
}

int tool_share(const char *s)
{
	int v = 0;

	for (s += strspn(s, " "); isdigit((unsigned char)*s) && v <= 1000; s++)
		v = 10 * v + (*s - '0');
	return v;
}

void tool_list(struct answer *a, const char *s, const char *separators, struct lines *out)
{
	while (*s) {
		size_t n = strcspn(s, separators);

		list_add(out, a->arena) = arena_strndup(a->arena, s, n);
		s += n + (s[n] != '\0');
	}
}

void tool_mask(struct answer *a, const char *key, const char *value, const char *separators)
{
	struct lines bits = { 0 };

	tool_list(a, value, separators, &bits);
	if (shell_open_value(value)) {
		answer_no_policy(a, "%s, with what `%s` stands for", key, value);
		return;
	}
	if (bits.n > 8)
		answer_wrong(a, "%s has %zu values; it takes 8, one for each priority from 0 on", value, bits.n);
	else if (bits.n < 8)
		answer_beware(a, "%zu values: the priorities behind them are off", bits.n);
	for (size_t i = 0; i < bits.n; i++)
		if (strcmp(bits.at[i], "0") != 0 && strcmp(bits.at[i], "1") != 0) {
			answer_wrong(a, "%s: %s is neither 0 nor 1", value, bits.at[i]);
			return;
		}
	if (bits.n > 8)
		return;
	answer_empty(a, key);
	for (size_t i = 0; i < bits.n; i++)
		if (*bits.at[i] == '1')
			answer_entry(a, key, NULL, arena_printf(a->arena, "%zu", i));
}

/* "150K" as people write it is 150KiB in a policy. */
static void add_threshold(struct text *t, struct arena *a, const char *name, const char *value, const char *unit)
{
	size_t n = value ? strspn(value, "0123456789") : 0;

	if (!n)
		return;
	if (value[n] == 'K' || value[n] == 'k')
		unit = "KiB";
	else if (value[n] == 'M' || value[n] == 'm')
		unit = "MiB";
	text_printf(t, "%s%s: %s%s", t->n ? ", " : "", name, arena_strndup(a, value, n), unit);
}

void tool_thresholds(struct answer *a, const char *kmin, const char *kmax, const char *pmax)
{
	TEXT_CLEANUP struct text t = { 0 };

	add_threshold(&t, a->arena, "kmin", kmin, "");
	add_threshold(&t, a->arena, "kmax", kmax, "");
	add_threshold(&t, a->arena, "pmax", pmax, "%");
	if (t.n)
		answer_instead(a, "in the policy they stand at a link of the switch's tier, for a class: ecn: {CLASS: "
				  "{%s}}", text_str(&t));
}

void tool_switch(struct answer *a, const char *key, const char *value, const char *on, const char *off)
{
	if (shell_open_value(value))
		answer_no_policy(a, "%s, with what `%s` stands for", key, value);
	else if (shell_among(on, value) || shell_among(off, value))
		answer_offer(a, key, shell_among(on, value) ? "true" : "false");
	else
		answer_wrong(a, "it takes %.*s or %.*s, not '%s'", (int)strcspn(on, " "), on, (int)strcspn(off, " "), off, value);
}

void tool_tos(struct answer *a, const char *value)
{
	int64_t tos;

	if (!tool_number(value, &tos) && !shell_open_value(value)) {
		answer_wrong(a, "'%s' is no number; it takes 0 to 255", value);
		return;
	}
	if (tool_number(value, &tos) && tos <= 255) {
		answer_does(a, "ToS %lld is DSCP %lld (the byte divided by 4) with ECN bits %lld", (long long)tos,
			    (long long)tos / 4, (long long)tos % 4);
		if (tos && tos < 64)
			answer_beware(a, "if DSCP %lld was meant, the byte is "
					 "%lld", (long long)tos, (long long)tos * 4);
		value = arena_printf(a->arena, "%lld", (long long)tos);
	}
	answer_offer(a, "roce.tos", value);
}
