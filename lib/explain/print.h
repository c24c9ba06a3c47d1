/* SPDX-License-Identifier: Apache-2.0 */
/* How an explanation looks: a heading, then lines below each other that are cut at blanks. */
#ifndef EXPLAIN_PRINT_H
#define EXPLAIN_PRINT_H

struct text;

enum { PRINT_LABEL = 12 };		/* columns of a word and the blanks behind it; two blanks are before it */

/** print_label - "  WORD       ", for who writes the rest of the line himself */
void print_label(struct text *out, const char *word);
/** print_line - "  WORD       TEXT", made safe for a terminal, on as many lines as it takes; nothing if @s is NULL */
void print_line(struct text *out, const char *word, const char *s);
/** print_whole - the same on one line, however long: to be copied */
void print_whole(struct text *out, const char *word, const char *s);

#endif
