/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the runs of this node: who, when, which policy, and what became of it. */
#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "report/runs.h"
#include "runs.h"

static int load_all(struct session *s, struct run_line **out, size_t *n)
{
	struct { struct run_line *at; size_t n, room; } list = { 0 };
	const int64_t *run;
	size_t m;
	int worst = 0;

	if (past_runs(s->kernel, s->arena, &run, &m, &s->diags) < 0)
		worst = EXIT_UNKNOWN;
	for (size_t i = 0; i <= m; i++) {
		struct past *p;
		int r = i < m ? past_load_run(s->kernel, s->arena, run[i], &p, &s->diags) :
				past_load(s->kernel, s->arena, JOURNAL_RUN, &p, &s->diags);

		if (r == -ENOENT)
			continue;
		if (r < 0) {
			worst = EXIT_UNKNOWN;
			continue;
		}
		list_add(&list, s->arena) = (struct run_line){
			.run = p->head.run, .command = p->head.command, .at = p->head.at, .user = p->head.user,
			.policy = p->head.policy, .revision = p->head.revision, .policy_digest = p->head.policy_digest,
			.digest = p->head.digest, .changes = p->started.n, .undoes = p->head.undoes,
			.result = p->state == PAST_ENDED ? p->result : runs_waits(s, p) ? "waits-for-confirm" : "unfinished",
			.ended_at = p->state == PAST_ENDED ? p->ended_at : NULL,
		};
		past_done(p);
	}
	*out = list.at;
	*n = list.n;
	return worst;
}

static int history(struct session *s)
{
	struct run_line *line;
	size_t n;
	int r = session_facts(s);

	if (r)
		return r;
	r = load_all(s, &line, &n);
	if (r && !n)
		return r;		/* told; "no run is known" would be another thing */
	report_runs(s->facts, line, n, s->opt->output == OUTPUT_JSON, session_color(s, STDOUT_FILENO), s->arena, &s->out);
	return r;
}

const struct command command_history = {
	"history", "", "Lists the runs on this node: who, when, and what became of them",
	OPTION_REPORT | OPTION_MACHINE, history,
};
