/* SPDX-License-Identifier: Apache-2.0 */
/* Long work says what it is at, to whoever sits there: a program that reads us, a log and a file get nothing of it. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

enum { LINE_BYTES = 72 };		/* of a terminal that is as narrow as they are: no line is broken */

static bool is_seen(const struct session *s)
{
	return !s->opt->quiet && s->opt->output == OUTPUT_TABLE && isatty(STDERR_FILENO);
}

void progress(const struct session *s, const char *fmt, ...)
{
	const char *what;
	va_list ap;

	if (!is_seen(s))
		return;
	va_start(ap, fmt);
	what = arena_vprintf(s->arena, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\r\033[K%s: %s", s->command->name, text_safe(s->arena, what, strlen(what), LINE_BYTES));
	fflush(stderr);
}

void progress_end(const struct session *s)
{
	if (is_seen(s))
		fputs("\r\033[K", stderr);
}
