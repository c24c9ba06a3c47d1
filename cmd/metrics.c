/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of a check, for Prometheus. A text file is read by another program, at any moment, long after: so it is replaced
 * in one step, readable for all, by every run that got as far as its options, also by one that failed; and what cannot be
 * replaced is taken away. Against a run that never came there is only the time that the file holds.
 */
#include "metrics.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "inventory/meters.h"
#include "model/desired.h"
#include "report/report.h"

bool metrics_wanted(const struct options *o)
{
	return o->output == OUTPUT_PROMETHEUS || o->textfile;
}

static bool concerned(const struct session *s, const struct port *p)
{
	for (size_t i = 0; s->desired->limited && i < s->desired->n; i++)
		if (s->desired->wish[i].target->port == p)
			return true;
	return !s->desired->limited;
}

void metrics_read(struct session *s, struct outcome *o)
{
	struct readings *r;

	if (!metrics_wanted(s->opt))
		return;
	r = arena_new_of(s->arena, struct readings);
	meters_init(r);
	for (size_t i = 0; i < s->facts->nports; i++)
		if (concerned(s, &s->facts->port[i]))
			meters_port(s->kernel, s->arena, &s->facts->port[i], r);
	o->readings = r;
}

/* Only what is a file: anything else was refused because it is no file, and is not ours to take away. */
static void withdraw(struct session *s)
{
	struct stat st;

	if (lstat(s->opt->textfile, &st) < 0 || !S_ISREG(st.st_mode) || unlink(s->opt->textfile) < 0)
		return;
	diag_hint(&s->diags, "the old one was taken away: it told of another run");
}

void metrics_report(struct session *s, struct outcome *o)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (!metrics_wanted(s->opt))
		return;
	o->ended_s = s->facts && s->facts->observed_s ? s->facts->observed_s : (int64_t)time(NULL);
	o->took_us = s->begun_us ? session_now_us() - s->begun_us : -1;
	if (!s->opt->textfile)
		return;
	report_prometheus(o, &t);
	if (file_replace_mode(s->opt->textfile, text_str(&t), t.n, 0644, &s->diags) == 0)
		return;
	withdraw(s);
	if (o->exit_code != EXIT_SYNC)
		return;
	o->exit_code = EXIT_UNKNOWN;
	o->result = "unknown";
}
