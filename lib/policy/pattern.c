/* SPDX-License-Identifier: Apache-2.0 */
/* Words in braces, in fields that say that they are patterns. */
#include "policy/pattern.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/setting.h"

enum pattern_word { WORD_NODE, WORD_IFNAME, WORD_RAIL, WORDS };

const struct word pattern_names[] = {
	[WORD_NODE] = { "{node}", "the node's short name" },
	[WORD_IFNAME] = { "{ifname}", "the port's netdev name" },
	[WORD_RAIL] = { "{rail}", "the port's number in its group, which rails: gives it" },
	[WORDS] = { 0 },
};

static const char *name_of(enum pattern_word w)
{
	return pattern_names[w].key;
}

/* Which word stands at the brace @s, or WORDS. */
static enum pattern_word word_at(const char *s)
{
	for (unsigned w = 0; w < WORDS; w++)
		if (!strncmp(s, name_of(w), strlen(name_of(w))))
			return (enum pattern_word)w;
	return WORDS;
}

int pattern_check(const char *s, const char **why)
{
	for (s = strchr(s, '{'); s; s = strchr(s + 1, '{'))
		if (word_at(s) == WORDS) {
			*why = "has braces with something else than {rail}, {node} or {ifname}";
			return -EINVAL;
		}
	return 0;
}

static const char *text_in(const struct cell *c)
{
	return c->state == CELL_VALUE && c->field->pattern && c->value.text && strchr(c->value.text, '{') ? c->value.text : NULL;
}

bool pattern_names_rail(const struct cell *c)
{
	const char *s = text_in(c);

	return s && strstr(s, name_of(WORD_RAIL));
}

bool pattern_in(const struct record *r, bool *rail)
{
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		any = any || text_in(&r->at[i]);
		*rail = *rail || pattern_names_rail(&r->at[i]);
	}
	return any;
}

static const char *fill(struct arena *a, const char *s, const struct pattern_words *words)
{
	TEXT_CLEANUP struct text t = { 0 };

	while (*s) {
		enum pattern_word w = *s == '{' ? word_at(s) : WORDS;

		if (w == WORD_NODE)
			text_addn(&t, words->node, strcspn(words->node, "."));
		else if (w == WORD_IFNAME)
			text_add(&t, words->ifname);
		else if (w == WORD_RAIL)
			text_printf(&t, "%d", words->rail);
		else
			text_char(&t, *s);
		s += w == WORDS ? 1 : strlen(name_of(w));
	}
	return arena_strdup(a, text_str(&t));
}

struct record *pattern_fill(struct arena *a, struct record *r, const struct pattern_words *words)
{
	bool rail = false;

	if (!pattern_in(r, &rail))
		return r;
	r = record_copy(a, r);
	for (size_t i = 0; i < r->n; i++)
		if (text_in(&r->at[i]))
			r->at[i].value.text = fill(a, r->at[i].value.text, words);
	return r;
}
