/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of all commands, in one table: the command line is parsed by it, and --help, completion and the manual are
 * made of it.
 *
 * A value's placeholder says what may stand there: words in small letters stand for themselves, those in capitals for a
 * kind of word ("auto|always|never", "IDLE[/BUSY]"). The arguments of a command (struct command) are written likewise.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "cmd.h"

/* How a value is taken, and what kind of member of struct options keeps it. */
enum option_how {
	TAKE_FLAG,			/* bool */
	TAKE_TEXT,			/* const char * */
	TAKE_TRUE,			/* const char *: it has no value, and stands for "true" */
	TAKE_WORD,			/* const char *: one of the placeholder's words */
	TAKE_SECONDS,			/* unsigned, from min to max */
	TAKE_RUN,			/* int64_t, from min to max */
	TAKE_FORM,			/* enum output */
	TAKE_CONSENT,			/* struct consent */
	TAKE_LIST,			/* const char **, NULL at the end; may be given again */
	TAKE_HELP,			/* nothing: it ends the program */
};

struct option_row {
	const char *name;
	char letter;			/* "-p", or 0 */
	const char *value;		/* placeholder; NULL: it takes none */
	const char *doc;		/* fits a line of --help; NULL: nobody is told of it */
	const char *more;		/* what the manual says besides, in whole sentences; NULL: nothing */
	unsigned group;			/* OPTION_* of the commands that take it; 0: all */
	enum option_how how;
	size_t at;			/* in struct options */
	int64_t min, max;
};

/** option_at - the @i-th, in the order of --help; NULL behind the last */
const struct option_row *option_at(size_t i);
/** option_taken - does this command take it */
bool option_taken(const struct command *c, const struct option_row *o);
/** option_form - the @i-th form of report that this command's -o takes; NULL behind the last */
const char *option_form(const struct command *c, size_t i);
/** option_value - the placeholder to show, of -o the forms that this command takes; NULL: it takes no value */
const char *option_value(const struct command *c, const struct option_row *o, struct arena *a);

/** options_parse - the words behind the command's name (@argv[0]). Return: 0, or 1 + the exit status that ends it, told */
int options_parse(int argc, char **argv, const struct command *c, struct options *o, struct arena *a);
/** options_usage - what is wrong with a command line, and where its help is; @c may be NULL. Return: EXIT_USAGE */
int options_usage(const struct command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** placeholder_word - cuts the next word off a placeholder: "auto|always" is auto; *s behind it, 0: there is none */
size_t placeholder_word(const char **s, const char **word);
/** placeholder_is_kind - does such a word stand for a kind of words, and not for itself */
bool placeholder_is_kind(const char *word);

#endif
