/* SPDX-License-Identifier: Apache-2.0 */
/* Values that differ from port to port: {rail}, {node} and {ifname} stand for the port's own. */
#ifndef POLICY_PATTERN_H
#define POLICY_PATTERN_H

#include <stdbool.h>

#include "policy/schema.h"

struct arena;
struct cell;
struct record;

/* "{rail}", and what it stands for; a key NULL at the end. */
extern const struct word pattern_names[];

/* What may stand for them. */
struct pattern_words {
	const char *node, *ifname;	/* node: short */
	int rail;			/* -1: the group numbers no ports */
};

/** pattern_check - are the words in braces known ones. Return: 0; -EINVAL with *why, which follows the key's name */
int pattern_check(const char *s, const char **why);
/** pattern_in - does any text of the record stand for something; *rail: does one name {rail} */
bool pattern_in(const struct record *r, bool *rail);
/** pattern_names_rail - does the value of this cell */
bool pattern_names_rail(const struct cell *c);
/** pattern_fill - the record with the words of one port, a copy if it holds any */
struct record *pattern_fill(struct arena *a, struct record *r, const struct pattern_words *words);

#endif
