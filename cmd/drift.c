/* SPDX-License-Identifier: Apache-2.0 */
/* Reports differences between policy, live and next boot; writes nothing. */
#include "installed.h"
#include "ready.h"
#include "runs.h"

static int check(struct session *s, struct outcome *o)
{
	struct plan *plan;
	struct run run;
	int r = session_run(s, &run), between;

	if (r)
		return r;
	if (!s->opt->until_ready_s)
		run.in_use = NULL;			/* nothing is written: who would be disturbed is not asked, and no time spent on it */
	between = runs_check_reading(s, &run);
	run.consent.idle = IMPACT_RELOAD;		/* the report says what would put a row right, allowed or not */
	if (plan_build(&run, &plan, &s->diags) < 0)
		return EXIT_UNKNOWN;
	dropped_rows(&run, plan, &s->diags);
	if (run.confirm)
		plan_waits(plan);
	plan_outcome(&run, plan, s->opt->ignore_pending, o);
	installed_boot(o);
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
	"drift", "", "Reports how this node differs from its policy, live and after the next boot",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_DRIFT, drift,
};
