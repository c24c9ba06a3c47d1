/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line cut into simple commands as a shell would, without expanding anything: variables, globs and
 * substitutions stay as they are written. What wraps a command (sudo, env, nohup, sh -c, …) is taken off.
 */
#ifndef EXPLAIN_SHELL_H
#define EXPLAIN_SHELL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum { SHELL_LINE_MAX = 8192, SHELL_COMMANDS_MAX = 32, SHELL_NESTING_MAX = 4 };

struct redirect {
	char op;			/* '>' writes, 'a' appends, '<' reads */
	bool errors;			/* of standard error alone */
	const char *path;
};

struct simple {
	const char **word;		/* NULL behind the last of @n; none where only variables are set */
	size_t n;
	const char **variable;		/* "NAME=value" before the command, of export or of env */
	size_t nvariables;
	struct redirect *redirect;
	size_t nredirects;
	const char *folder;		/* where a `cd` before it went; NULL: there was none */
	const char *input;		/* what `echo` before it writes into the pipe, or <<< gives it; NULL: not known */
	bool piped;			/* reads what the command before it writes */
	bool heeded;			/* nothing like `|| true` behind it */
};

struct script {
	struct simple *at;
	size_t n, room;
};

/**
 * shell_split - the simple commands of @line, in order, those of `sh -c '…'` in its place
 * @why: set where the line cannot be taken: a quote that is left open, a here-document, too long, too deep
 * Return: 0 or -EINVAL. Everything is kept in @a.
 */
int shell_split(struct arena *a, const char *line, struct script *script, const char **why);

/** shell_words - one simple command as a line again, quoted where a shell needs it */
const char *shell_words(struct arena *a, const struct simple *c);
/** shell_open_value - does this text hold a variable or a substitution, so that its value is not known */
bool shell_open_value(const char *s);
/** shell_among - is @s one of @words, which blanks part: "-f --pfc" */
bool shell_among(const char *words, const char *s);
/** shell_basename - "/usr/sbin/tc" is tc */
const char *shell_basename(const char *s);

#endif
