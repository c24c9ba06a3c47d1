/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands, for the program and for what makes its manual. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "list.h"
#undef COMMAND
	NULL,
};

const struct command *command_named(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

const char *policy_path(const struct options *o)
{
	return o->policy ? o->policy : POLICY_DEFAULT;
}

void policy_hint(const struct options *o, struct diags *d)
{
	if (!o->policy && d->n && access(POLICY_DEFAULT, F_OK) < 0 && errno == ENOENT)
		diag_hint(d, "no policy was named, and the usual one is not there: -p FILE names another");
}
