/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch's configuration as a tree of words, whatever it was written in: JSON and YAML, `set` commands, or lines that
 * belong together by their indentation. A scalar is a word below its key, so that {"trust": "l3"} and `trust l3` are the
 * same. Each word knows its line. Whoever wrote the file may be hostile: depth and work are bounded.
 */
#ifndef NOS_TREE_H
#define NOS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct arena;
struct text;

struct word {
	const char *key;		/* a word; of indented text a whole line with single blanks */
	uint32_t line;
	unsigned indent;		/* of indented text */
	bool scalar;			/* JSON: a value, not the name of one */
	bool bare;			/* JSON: that value stood without quotes: a number, true, false or null */
	bool list, object;		/* JSON: what stands below it was in [ ], in { } */
	bool twice;			/* two entries have this name, by lists or ranges: which one holds is not said */
	uint32_t within;		/* JSON: number of the object that named it last */
	bool gone;			/* taken back: it is nobody's child, and comes back if it is said again */
	bool inactive;			/* of set commands: deactivated, tree_settle() takes it away */
	uint32_t took;			/* a line that takes back ("no …"): how many lines above it in its section went with it */
	const struct word *doubt;	/* a line that takes back this or a part of what is below, nobody can tell how much */
	struct word *up, *child, *last, *next, *before;
	const struct word *is;		/* an alias: children are those of this one */
};

struct tree {
	struct arena *arena;
	const struct source *source;
	struct word root;
	struct word **slot;		/* children by parent and key */
	size_t nslots, n;
	size_t looked;			/* lines that were looked at because another takes something back */
	size_t doubts;			/* words with a doubt */
	bool negations;			/* of indented text: some line begins with no or default */
};

enum { TREE_DEPTH = 64, TREE_FILE_MAX = 32 << 20 };

void tree_init(struct tree *t, struct arena *a, const struct source *s);
/** tree_word - the child of this name, made if it is not there; @line is that of the last one who said it */
struct word *tree_word(struct tree *t, struct word *up, const char *key, size_t n, uint32_t line);
/** tree_take_back - takes a word back with all that is below it; tree_take_back_below - only that */
void tree_take_back(struct word *w);
void tree_take_back_below(struct word *w);
/** tree_alias - another name for @of, below its parent; if something else has it already, that is marked as said twice */
void tree_alias(struct tree *t, struct word *of, const char *key);

/*
 * tree_json, tree_yaml - the whole source, as one of the forms; words unite with those there
 * JSON: what stands before the first { or [ is skipped; an object that says a name twice is an error. YAML: block maps, lists
 * and scalars, as systems print them.
 * Return: 0; -EINVAL, told in @d with its line.
 */
int tree_json(struct tree *t, struct diags *d);
int tree_yaml(struct tree *t, struct diags *d);

/* Commands that set a way of words, and that take it back, in the order of the file. */
enum tree_verb {
	TREE_ADD,
	TREE_DROP,
	TREE_OFF, TREE_ON,		/* stays there, and is not in force until it is on again */
	TREE_VERBS,
	TREE_REFUSED,
};
struct tree_verbs {
	const char *lead[TREE_VERBS];	/* "nv set"; NULL: it has no such command */
	const char *const *refused;	/* commands that change other things than their own way; NULL at the end */
	bool lists;			/* a word may be a list or a range of names: "swp1-32", "24,26" */
};
/** tree_sets - lines that begin with a command; others are not read. Return: 1; 0: there was none; -EINVAL, told */
int tree_sets(struct tree *t, const struct tree_verbs *verbs, struct diags *d);
/** tree_unset - takes back below @from what has a way below @what. Return: 0; -EINVAL, told */
int tree_unset(struct tree *t, const struct tree_verbs *verbs, const struct word *what, struct word *from, struct diags *d);

/* What begins words that are no configuration: a banner, a script. */
struct tree_text {
	const char *begins;		/* a pattern of line_match(); NULL at the end of a table */
	const char *end;		/* the line that ends it; NULL: the character behind so many words, once more */
	unsigned words;
};
/** tree_indented - lines that belong together by their indentation; @texts may be NULL. Return: 0; -EINVAL, told */
int tree_indented(struct tree *t, const struct tree_text *texts, struct diags *d);
/** tree_taken_back - of a line that begins with no or default: what stands behind it; else NULL */
const char *tree_taken_back(const char *key);

/** word_at - a child by name, or NULL; of NULL, too. word_path - the same along names with blanks between them */
const struct word *word_at(const struct tree *t, const struct word *up, const char *key);
const struct word *word_path(const struct tree *t, const struct word *up, const char *path);
/** word_children - the first child, that of an alias included */
const struct word *word_children(const struct word *w);
/** word_value - what was said last below it, or NULL */
const struct word *word_value(const struct word *w);
const char *word_text(const struct word *w);	/* its key, or NULL */
/** word_pos - its place */
struct pos word_pos(const struct tree *t, const struct word *w);

#endif
