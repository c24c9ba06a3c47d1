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
	struct word *up, *child, *last, *next;
	const struct word *is;		/* an alias: children are those of this one */
};

struct tree {
	struct arena *arena;
	const struct source *source;
	struct word root;
	struct word **slot;		/* children by parent and key */
	size_t nslots, n;
};

enum { TREE_DEPTH = 64, TREE_FILE_MAX = 32 << 20 };

void tree_init(struct tree *t, struct arena *a, const struct source *s);
/** tree_word - the child of this name, made if it is not there; @line is kept of the first */
struct word *tree_word(struct tree *t, struct word *up, const char *key, size_t n, uint32_t line);
/** tree_alias - another name for @of, below its parent; if something else has it already, that is marked as said twice */
void tree_alias(struct tree *t, struct word *of, const char *key);

/*
 * tree_json, tree_yaml, tree_sets, tree_indented - the whole source, as one of the forms; words unite with those there
 * JSON: what stands before the first { or [ is skipped; an object that says a name twice is an error.
 * YAML: block maps, lists and scalars, as systems print them.
 * Sets: lines that begin with @lead; others are not read. Return: 0; -EINVAL, told in @d with its line.
 */
int tree_json(struct tree *t, struct diags *d);
int tree_yaml(struct tree *t, struct diags *d);
int tree_sets(struct tree *t, const char *lead);
int tree_indented(struct tree *t);

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
