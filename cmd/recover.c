/* SPDX-License-Identifier: Apache-2.0 */
/* Finishes or undoes a run that was killed, from its journal alone. */
#include "base/file.h"
#include "engine/recover.h"
#include "runs.h"

static int locked_recover(struct session *s)
{
	struct outcome o = { .command = "recover" };
	struct past *p;
	struct run run;
	int r = runs_pending(s, &p);

	if (r)
		return r;
	r = runs_run(s, &run);
	if (r)
		return r;
	if (!p) {
		undo_nothing(&run, &o);
		return session_report(s, &o);
	}
	if (runs_waits(s, p) && runs_boottime_s() < p->deadline_s) {
		diag_error(&s->diags, NULL, "run %lld waits for `rdmactl confirm` until %s", (long long)p->head.run, p->deadline_at);
		diag_hint(&s->diags, "nothing is broken: `rdmactl confirm` keeps it, `rdmactl rollback` undoes it");
		past_done(p);
		return EXIT_LOCKED;
	}
	recover_run(&run, p, &o, &s->diags);
	past_done(p);
	return session_report(s, &o);
}

static int recover(struct session *s)
{
	int lock, r = runs_permitted(s);

	r = r ? r : runs_lock(s, &lock);
	if (r)
		return r;
	r = locked_recover(s);
	file_unlock(lock);
	return r;
}

const struct command command_recover = {
	"recover", "", "Finishes or undoes a run that was killed",
	OPTION_REPORT | OPTION_WRITES, recover,
};
