/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the window of `apply --confirm`: the run stays, and its boot files are written. With --watch: our own watcher. */
#include "base/file.h"
#include "engine/recover.h"
#include "runs.h"
#include "watcher.h"

static int too_late(struct session *s, const struct past *p)
{
	diag_error(&s->diags, NULL, "too late: run %lld waited until %s", (long long)p->head.run, p->deadline_at);
	diag_hint(&s->diags, "it is undone, or `rdmactl recover` does it");
	return EXIT_IN_BETWEEN;
}

static int locked_confirm(struct session *s)
{
	struct outcome o = { .command = "confirm" };
	struct past *p;
	struct run run;
	int r = runs_pending(s, &p);

	if (r)
		return r;
	if (!p) {
		diag_error(&s->diags, NULL, "no run waits for confirm");
		diag_hint(&s->diags, "`rdmactl history` lists the runs; one that was not confirmed in time is undone");
		return EXIT_DRIFT;
	}
	if (p->state != PAST_WAITING)
		r = runs_check_writing(s);
	else if (!runs_waits(s, p) || runs_boottime_s() >= p->deadline_s)
		r = too_late(s, p);
	else
		r = runs_run(s, &run);
	if (r == 0) {
		confirm_run(&run, p, &o, &s->diags);
		r = session_report(s, &o);
	}
	past_done(p);
	return r;
}

static int confirm(struct session *s)
{
	int lock, r = runs_permitted(s);

	if (r)
		return r;
	if (s->opt->watch >= 0)
		return watcher_run(s->opt->watch);
	r = runs_lock(s, &lock);
	if (r)
		return r;
	r = locked_confirm(s);
	file_unlock(lock);
	return r;
}

const struct command command_confirm = {
	"confirm", "", "Keeps what `apply --confirm` did, and writes its boot files",
	OPTION_REPORT | OPTION_WRITES | OPTION_CONFIRM, confirm,
};
