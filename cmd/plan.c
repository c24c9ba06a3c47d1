/* SPDX-License-Identifier: Apache-2.0 */
/* What apply would write here, in order, with impact and when effective; writes nothing. */
#include "cmd.h"

static int plan(struct session *s)
{
	struct outcome o = { .command = "plan" };
	struct plan *p;
	struct run run;
	int r = session_run(s, &run);

	if (r)
		return r;
	if (plan_build(&run, &p, &s->diags) < 0)
		return EXIT_UNKNOWN;
	session_notice(s, p, s->opt->confirm_s != 0);
	dropped_rows(&run, p, &s->diags);
	plan_outcome(&run, p, true, &o);	/* nothing to be done about it: as apply judges it */
	return session_report(s, &o);
}

const struct command command_plan = {
	"plan", "", "Says what apply would write, in order, with the impact of each change",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_CHANGES | OPTION_ALLOW, plan,
};
