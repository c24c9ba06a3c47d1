/* SPDX-License-Identifier: Apache-2.0 */
/* --help and `rdmactl help`, from the tables of commands, options and exit statuses; each fits a screen of 24 lines. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stddef.h>

struct arena;
struct command;
struct text;

struct exit_row {
	int status;
	const char *name;		/* two words or so, for a list in one line */
	const char *means;
};

/** help_exit - the @i-th exit status; NULL behind the last */
const struct exit_row *help_exit(size_t i);
/** help_all - what `rdmactl --help` prints; help_command - the same of one command */
void help_all(struct arena *a, struct text *out);
void help_command(const struct command *c, struct arena *a, struct text *out);

#endif
