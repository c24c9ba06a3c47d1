/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a node, as `history` lists them. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct facts;
struct json;
struct text;

struct run_line {
	int64_t run;
	const char *command, *at, *user;
	const char *ended_at;		/* NULL: it has not ended */
	const char *policy, *revision, *policy_digest, *digest;		/* "" without a policy */
	size_t changes;			/* that were begun */
	const int64_t *undoes;		/* of a rollback; 0 at the end, or NULL */
	const char *result;		/* "done", "rolled-back", "waits-for-confirm", "unfinished", … */
};

/** report_runs - oldest first; a table, or JSON */
void report_runs(const struct facts *f, const struct run_line *line, size_t n, bool json, bool color, struct arena *a,
		 struct text *out);
/** report_undoes - "undoes": the runs that a rollback undoes, 0 at the end; nothing if there is none, or NULL */
void report_undoes(struct json *j, const int64_t *undoes);

#endif
