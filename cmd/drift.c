/* SPDX-License-Identifier: Apache-2.0 */
/* Reports differences between policy, live and next boot; writes nothing. */
#include "installed.h"
#include "listeners.h"
#include "metrics.h"
#include "ready.h"
#include "runs.h"

/* A check that can never fire is no proof (law 6). */
static void note_nothing(struct session *s, const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < STATUS_N; i++)
		n += plan->count[i];
	if (n == 0 && (s->opt->live || s->opt->boot))
		diag_note(&s->diags, NULL, "--%s: nothing that the policy asks for here is %s", s->opt->live ? "live" : "boot",
			  s->opt->live ? "a value that runs" : "decided by files at boot");
}

static int check(struct session *s, struct outcome *o)
{
	struct plan *plan;
	struct run run;
	int r, between;

	if (s->opt->live && s->opt->boot) {
		diag_error(&s->diags, NULL, "--live and --boot exclude each other; without them both are judged");
		return EXIT_USAGE;
	}
	r = session_run(s, &run);
	if (r)
		return r;
	run.without_live = s->opt->boot;
	run.without_boot = s->opt->live;
	if (!s->opt->until_ready_s)
		run.in_use = NULL;			/* nothing is written: who would be disturbed is not asked, and no time spent on it */
	between = runs_check_reading(s, &run);
	run.consent.idle = IMPACT_RELOAD;		/* the report says what would put a row right, allowed or not */
	if (plan_build(&run, &plan, &s->diags) < 0)
		return EXIT_UNKNOWN;
	if (!run.without_live)			/* what the policy dropped is told of live values */
		dropped_rows(&run, plan, &s->diags);
	note_nothing(s, plan);
	if (run.confirm)
		plan_waits(plan);
	plan_outcome(&run, plan, s->opt->ignore_pending, o);
	installed_boot(o);
	if (run.want_rows)
		listeners_note(s, o);
	metrics_read(s, o);
	if (between) {
		o->exit_code = between;
		o->result = "in-between";
	}
	o->nchanges = o->nrefused = 0;		/* drift plans nothing: its rows say what differs */
	return EXIT_SYNC;
}

static int drift(struct session *s)
{
	struct outcome o = { .command = "drift" };
	int r;

	if (s->opt->until_ready_s)
		return ready_wait(s, check);
	r = check(s, &o);
	return r ? r : session_report(s, &o);
}

const struct command command_drift = {
	"drift", "", "Reports how this node differs from its policy, now and at boot",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_DRIFT, drift,
};
