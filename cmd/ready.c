/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready: what starts jobs may start now. Looks again twice a second; each look is a session of its own, so that a
 * policy that was replaced counts, and that memory does not grow.
 */
#include "ready.h"

#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "progress.h"
#include "runs.h"

enum { STEP_MS = 500, MISSING_SHOWN = 6 };

static bool is_reason(const struct row *r, enum reason reason)
{
	return !strcmp(r->reason, reason_name(reason));
}

/* Will a unit put it right, or is it still to come? */
static bool waits(const struct row *r)
{
	if (r->follows || r->status == STATUS_IN_SYNC || r->status == STATUS_UNSUPPORTED)
		return false;
	if (!strcmp(r->name, "count") || is_reason(r, REASON_MODULE_NOT_LOADED) || is_reason(r, REASON_VANISHED))
		return true;
	return r->status == STATUS_DRIFT && r->live_wrong && r->change && !r->change->refused;
}

/* "count of compute, mtu of nic0", or NULL */
static const char *what_waits(struct arena *a, const struct outcome *o)
{
	TEXT_CLEANUP struct text t = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < o->nrows; i++) {
		const struct row *r = &o->row[i];

		if (!waits(r) || n++ >= MISSING_SHOWN)
			continue;
		text_printf(&t, "%s%s of ", t.n ? ", " : "", r->name);
		text_add_safe(&t, r->target->name, strlen(r->target->name));
	}
	if (n > MISSING_SHOWN)
		text_printf(&t, " and %zu more", n - MISSING_SHOWN);
	return n ? arena_strdup(a, text_str(&t)) : NULL;
}

static int report(struct session *s, struct session *one, struct outcome *o)
{
	int r = session_report(one, o);

	s->reported = true;
	text_addn(&s->out, text_str(&one->out), one->out.n);
	return r;
}

/* Return: -1: not ready, look again. */
static int judge(struct session *s, struct session *one, struct outcome *o, bool last)
{
	const char *missing = o->exit_code == EXIT_IN_BETWEEN ? "a run that did not end" : what_waits(one->arena, o);

	if (missing && !last) {
		progress(one, "waits for %s", missing);
		return -1;
	}
	progress_end(one);
	if (missing) {
		diag_error(&one->diags, NULL, "not ready after %u s: waits for %s", s->opt->until_ready_s, missing);
	} else if (o->exit_code != EXIT_SYNC) {
		o->exit_code = EXIT_SYNC;
		o->result = "ready";
	}
	return report(s, one, o);
}

static int look_once(struct session *s, int (*look)(struct session *s, struct outcome *o), bool last)
{
	struct session one = { .arena = arena_new(), .opt = s->opt, .command = s->command, .catalog = s->catalog,
			       .begun_us = s->begun_us };
	struct outcome o = { .command = s->command->name };
	int r;

	diags_init(&one.diags, one.arena);
	r = look(&one, &o);
	if (r == EXIT_SYNC)
		r = judge(s, &one, &o, last);
	else if (r == EXIT_UNKNOWN && !last)
		r = -1;
	if (r >= 0)
		session_tell(&one);
	else if (kernel_wait(one.kernel, STEP_MS) < 0)
		r = EXIT_UNKNOWN;
	text_done(&one.out);
	if (one.kernel)
		kernel_close(one.kernel);
	arena_free(one.arena);
	return r;
}

/* A machine of a test lets time pass without taking any: both are counted. */
int ready_wait(struct session *s, int (*look)(struct session *s, struct outcome *o))
{
	int64_t end = runs_boottime_s() + s->opt->until_ready_s;
	int64_t steps = 1000 * (int64_t)s->opt->until_ready_s / STEP_MS;
	int r;

	if (s->opt->from || s->opt->root) {
		diag_error(&s->diags, NULL, "--until-ready is for a machine that runs: nothing changes in %s",
			   s->opt->from ? s->opt->from : s->opt->root);
		return EXIT_USAGE;
	}
	do {
		r = look_once(s, look, steps <= 0 || runs_boottime_s() >= end);
		steps--;
	} while (r < 0);
	return r;
}
