/* SPDX-License-Identifier: Apache-2.0 */
/* `explain` of what is no key: a command line of another program, a line of a configuration file, a path, a topic. */
#ifndef EXPLAIN_COMMAND_H
#define EXPLAIN_COMMAND_H

#include <stdbool.h>

#include "explain/answer.h"
#include "explain/language.h"

struct answers {
	struct answer *at;		/* one for each command of which something is known */
	size_t n, room;
	const char *unknown;		/* the first command of which nothing is; NULL: none */
};

/**
 * command_answers - what is told about each command of a line
 * @line: hostile text; it is parsed, and never run or expanded
 * Return: 0, or -EINVAL with *why set if it cannot be taken apart.
 */
int command_answers(struct arena *a, const struct catalog *c, const char *line, struct answers *answers, const char **why);

/**
 * explain_any - a key or prefix of keys, of settings or of the language, a rule, a topic, else a command line
 * @lists: keys of the language and rules, or NULL
 * @json: where not NULL, objects go there, into an open array, and @out is left alone
 * Return: 0, also for a command that never existed, which is an answer; -ENOENT or -EINVAL, told in @d.
 */
int explain_any(const struct catalog *c, const struct explain_lists *lists, const char *what, struct text *out, struct json *json,
		struct diags *d);

#endif
