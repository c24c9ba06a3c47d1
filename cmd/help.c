/* SPDX-License-Identifier: Apache-2.0 */
/* --help: what fits a screen. The manual pages are made of the same tables, and of more words. */
#include "help.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "options.h"

enum { NAME_COLUMNS = 15, OPTION_COLUMNS = 25, WIDTH = 80, WIDTH_MIN = 40, WIDTH_MAX = 120 };

static const struct exit_row exits[] = {
	{ EXIT_SYNC, "in sync", "in sync; done (after apply: all rows are in sync or pending)" },
	{ EXIT_DRIFT, "differs", "a row differs, is pending (drift alone, not with --ignore-pending) or was left alone; a finding" },
	{ EXIT_UNKNOWN, "unknown", "none differs, but something asked for could not be read or done; nothing is half done" },
	{ EXIT_ROLLED_BACK, "rolled back", "apply failed and was rolled back" },
	{ EXIT_IN_BETWEEN, "in between", "the node is in between: `rdmactl recover`" },
	{ EXIT_USAGE, "usage", "the command line cannot be understood, or names what is not there" },
	{ EXIT_POLICY, "policy error", "the policy has an error, or says nothing of this node" },
	{ EXIT_LOCKED, "locked", "another rdmactl holds the lock" },
	{ EXIT_NOT_PERMITTED, "not permitted", "a command that writes lacks the right to" },
};

const struct exit_row *help_exit(size_t i)
{
	return i < sizeof(exits) / sizeof(exits[0]) ? &exits[i] : NULL;
}

/* Columns of the terminal; where there is none, of a terminal as wide as they ever were. COLUMNS counts before both. */
static size_t width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	uint64_t n = WIDTH;

	if ((!columns || !text_u64(columns, &n) || !n) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col)
		n = w.ws_col;
	return n < WIDTH_MIN ? WIDTH_MIN : n > WIDTH_MAX ? WIDTH_MAX : (size_t)n;
}

static size_t columns_of(const char *s, size_t n)
{
	size_t columns = 0, len;
	uint32_t c;

	for (; n && (len = text_utf8(s, n, &c)) != 0; s += len, n -= len)
		columns += text_columns(c);
	return columns;
}

/* Words of @s, where the line is at column @now; what goes over the edge goes on at @column of the next one. */
static void wrapped(struct text *out, size_t now, size_t column, const char *s)
{
	size_t edge = width();
	bool first = true;

	for (; *s; first = false) {
		size_t n = strcspn(s, " "), wide = columns_of(s, n);

		if (!first && now + 1 + wide > edge) {
			text_printf(out, "\n%*s", (int)column, "");
			now = column;
		} else if (!first) {
			text_char(out, ' ');
			now++;
		}
		text_addn(out, s, n);
		now += wide;
		s += n + (s[n] == ' ');
	}
	text_char(out, '\n');
}

/* "  NAME   what it is", the second from @column on */
static void row(struct text *out, const char *name, size_t column, const char *what)
{
	size_t wide = columns_of(name, strlen(name)) + 2;

	text_printf(out, "  %s%*s", name, wide < column ? (int)(column - wide) : 1, "");
	wrapped(out, wide < column ? column : wide + 1, column, what);
}

static void option(struct text *out, struct arena *a, const struct command *c, const struct option_row *o)
{
	const char *value = option_value(c, o, a);
	char letter[3] = { o->letter ? '-' : ' ', o->letter ? o->letter : ' ', 0 };

	row(out, arena_printf(a, "%s --%s%s%s", letter, o->name, value ? " " : "", value ? value : ""), OPTION_COLUMNS, o->doc);
}

void help_command(const struct command *c, struct arena *a, struct text *out)
{
	const struct option_row *o;

	wrapped(out, 0, 7, arena_printf(a, "usage: rdmactl %s [OPTION]…%s%s", c->name, *c->args ? " " : "", c->args));
	wrapped(out, 0, 0, arena_printf(a, "%s.", c->does));
	text_char(out, '\n');
	for (size_t i = 0; (o = option_at(i)) != NULL; i++)
		if (o->doc && option_taken(c, o))
			option(out, a, c, o);
}

void help_all(struct arena *a, struct text *out)
{
	const char *statuses = "Exit status:";
	const struct exit_row *e;

	wrapped(out, 0, 7, "usage: rdmactl COMMAND [OPTION]… [ARGUMENT]…");
	for (const struct command *const *c = commands; *c; c++)
		if (!((*c)->options & OPTION_UNLISTED))
			row(out, (*c)->name, NAME_COLUMNS, (*c)->does);
	for (size_t i = 0; (e = help_exit(i)) != NULL; i++)
		statuses = arena_printf(a, "%s%s %d %s", statuses, i ? "," : "", e->status, e->name);
	wrapped(out, 0, 0, arena_printf(a, "%s.", statuses));
	text_add(out, "`rdmactl help COMMAND` lists its options, `man rdmactl-COMMAND` says all.\n");
}

static int help(struct session *s)
{
	const struct command *c = s->opt->nargs ? command_named(s->opt->arg[0]) : NULL;

	if (s->opt->nargs > 1)
		return options_usage(s->command, "help takes one command at most");
	if (s->opt->nargs && !c)
		return options_usage(NULL, "there is no command '%s'", s->opt->arg[0]);
	if (c)
		help_command(c, s->arena, &s->out);
	else
		help_all(s->arena, &s->out);
	return EXIT_SYNC;
}

const struct command command_help = { "help", "[COMMAND]", "Lists the commands, or the options of one", OPTION_UNLISTED, help };
