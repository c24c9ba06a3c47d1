/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and words of a text, for the forms that trees are read from. */
#ifndef NOS_TREE_TEXT_H
#define NOS_TREE_TEXT_H

#include "nos/tree.h"

struct line {
	const char *s;
	size_t n;			/* without the newline, blanks at its end, and a carriage return */
	uint32_t number;
};

/** tree_line - the next line of the source; @at begins at its text. false: there is none */
bool tree_line(const struct tree *t, const char **at, struct line *l);
/** tree_indent - how many blanks and tabs a line begins with */
size_t tree_indent(const struct line *l);
/** tree_next - the next word at or behind @i: @i and @n are set to where it stands and how long it is. false: there is none */
bool tree_next(const struct line *l, size_t *i, size_t *n);
/** tree_above - the word above @w below which one with this indentation stands */
struct word *tree_above(struct tree *t, struct word *w, size_t indent);
/** tree_bad - Return: -EINVAL, told */
int tree_bad(const struct tree *t, uint32_t line, struct diags *d, const char *why);

#endif
