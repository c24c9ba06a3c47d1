/* SPDX-License-Identifier: Apache-2.0 */
/* What apply would write here, in order, with impact and when effective; writes nothing. */
#include "runs.h"

static int plan(struct session *s)
{
	struct outcome o = { .command = "plan" };
	struct plan *p;
	struct run run;
	int between, r = session_run(s, &run);

	if (r)
		return r;
	between = runs_check_reading(s, &run);	/* apply would refuse, and says so as well */
	if (plan_build(&run, &p, &s->diags) < 0)
		return EXIT_UNKNOWN;
	session_notice(s, p, s->opt->confirm_s != 0);
	dropped_rows(&run, p, &s->diags);
	if (run.confirm)
		plan_waits(p);
	plan_outcome(&run, p, true, &o);	/* nothing to be done about it: as apply judges it */
	if (between) {
		o.exit_code = between;
		o.result = "in-between";
	}
	return session_report(s, &o);
}

const struct command command_plan = {
	"plan", "", "Says what apply would write, in order, with the impact of each",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_CHANGES | OPTION_ALLOW, plan,
};
