/* SPDX-License-Identifier: Apache-2.0 */
/* From a command line to a command, and the way out: one exit status that agrees with the text. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd.h"
#include "kernel/kernel.h"
#include "options.h"
#include "report/report.h"

static bool write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t did = write(fd, s, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return false;
		s += did;
		n -= (size_t)did;
	}
	return true;
}

/*
 * A run goes on when its terminal, or who reads its report, goes away; and where a file may not grow (ulimit -f), that is
 * the error of a write.
 */
static void outlive_caller(void)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static int run_command(const struct command *c, const struct options *o, struct arena *a)
{
	struct session s = { .arena = a, .opt = o, .command = c, .catalog = catalog_default(), .begun_us = session_now_us() };
	int status;

	if (c->options & OPTION_WRITES)
		outlive_caller();
	diags_init(&s.diags, a);
	status = c->run(&s);
	/* one document per run, also for one that did not get as far as a report */
	if ((o->output != OUTPUT_TABLE || o->textfile) && !s.reported && !s.out.n && (c->options & OPTION_REPORT))
		status = session_failed(&s, status);
	session_tell(&s);
	if (s.out.n && !write_all(STDOUT_FILENO, text_str(&s.out), s.out.n)) {
		fprintf(stderr, "rdmactl: cannot write the report: %s\n", strerror(errno));
		if (status == EXIT_SYNC)
			status = o->output == OUTPUT_NAGIOS ? REPORT_NAGIOS_UNKNOWN : EXIT_UNKNOWN;
	}
	text_done(&s.out);
	if (s.kernel)
		kernel_close(s.kernel);
	return status;
}

/*
 * Started with standard output or error closed, the first socket or file would get its number, and the report would go
 * there. What takes its place gives the error that a closed one gives.
 */
static void hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_UNKNOWN);
}

/* What programs do with two dashes is a command here. */
static const char *alias(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") ? "help" : !strcmp(word, "--version") ? "version" : word;
}

int main(int argc, char **argv)
{
	struct options o = { .color = "auto", .consent = { IMPACT_TRAFFIC, IMPACT_NONE, false }, .to = -1, .watch = -1 };
	const struct command *c;
	struct arena *a;
	int r;

	hold_standard();
	if (argc < 2)
		return options_usage(NULL, "which command?");
	c = command_named(alias(argv[1]));
	if (!c)
		return options_usage(NULL, "there is no command '%s'", argv[1]);
	a = arena_new();
	r = options_parse(argc - 1, argv + 1, c, &o, a);
	if (r == 0)
		r = run_command(c, &o, a);
	else if (--r == EXIT_USAGE && o.output == OUTPUT_NAGIOS)
		r = REPORT_NAGIOS_UNKNOWN;
	arena_free(a);
	return r;
}
