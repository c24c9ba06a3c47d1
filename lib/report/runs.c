/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for people and programs, see runs.h. */
#include "report/runs.h"

#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "model/facts.h"
#include "report/grid.h"
#include "report/report.h"
#include "report/words.h"

enum { RUN, AT, COMMAND, USER, POLICY, REVISION, DIGEST, CHANGES, RESULT };

static const char *safe(struct arena *a, const char *s)
{
	return text_safe(a, s, strlen(s), SIZE_MAX);
}

/* The first digits of "sha256:…", enough to tell two policies apart. */
static const char *short_digest(struct arena *a, const char *digest)
{
	const char *hex = strchr(digest, ':');

	return hex ? safe(a, arena_strndup(a, hex + 1, strnlen(hex + 1, 12))) : "-";
}

static const char *result_text(struct arena *a, const struct run_line *l)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_add(&t, l->result);
	if (l->undoes && l->undoes[0]) {
		text_add(&t, ", undid ");
		words_runs(l->undoes, &t);
	}
	return safe(a, text_str(&t));
}

static enum tone tone_of(const struct run_line *l)
{
	if (!strcmp(l->result, "done") || !strcmp(l->result, "confirmed"))
		return TONE_PLAIN;
	return !strcmp(l->result, "unfinished") ? TONE_BAD : TONE_DOUBT;
}

static void runs_table(const struct run_line *line, size_t n, bool color, struct arena *a, struct text *out)
{
	static const char *const heads[] = { "RUN", "STARTED", "COMMAND", "BY", "POLICY", "REVISION", "DIGEST", "CHANGES", "RESULT" };
	struct grid g = { .arena = a };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		grid_column(&g, heads[i]);
	g.right[RUN] = g.right[CHANGES] = true;
	for (size_t i = 0; i < n; i++) {
		const struct run_line *l = &line[i];
		struct grid_row *row = grid_add(&g);

		row->cell[RUN] = arena_printf(a, "%lld", (long long)l->run);
		row->cell[AT] = safe(a, l->at);
		row->cell[COMMAND] = safe(a, l->command);
		row->cell[USER] = safe(a, l->user);
		row->cell[POLICY] = *l->policy ? safe(a, l->policy) : "-";
		row->cell[REVISION] = *l->revision ? safe(a, l->revision) : "-";
		row->cell[DIGEST] = short_digest(a, l->policy_digest);
		row->cell[CHANGES] = arena_printf(a, "%zu", l->changes);
		row->cell[RESULT] = result_text(a, l);
		row->tone = tone_of(l);
	}
	if (n)
		grid_print(&g, color, out);
	else
		text_add(out, "no run is known on this node\n");
}

static void string_if(struct json *j, const char *key, const char *s)
{
	if (s && *s)
		json_string(j, key, s);
}

void report_undoes(struct json *j, const int64_t *undoes)
{
	if (!undoes || !undoes[0])
		return;
	json_array_open(j, "undoes");
	for (size_t i = 0; undoes[i]; i++)
		json_int(j, NULL, undoes[i]);
	json_array_close(j);
}

static void run_json(struct json *j, const struct run_line *l)
{
	json_object_open(j, NULL);
	j->pretty = false;
	json_int(j, "run", l->run);
	json_string(j, "command", l->command);
	json_string(j, "started", l->at);
	string_if(j, "ended", l->ended_at);
	json_string(j, "user", l->user);
	string_if(j, "policy", l->policy);
	string_if(j, "revision", l->revision);
	string_if(j, "policy_digest", l->policy_digest);
	string_if(j, "digest", l->digest);
	json_int(j, "changes", (int64_t)l->changes);
	report_undoes(j, l->undoes);
	json_string(j, "result", l->result);
	json_object_close(j);
	j->pretty = true;
}

static void runs_json(const struct facts *f, const struct run_line *line, size_t n, struct text *out)
{
	struct json j;

	json_init(&j, out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_int(&j, "report", REPORT_FORMAT);
	json_string(&j, "command", "history");
	json_string(&j, "node", f->hostname);
	json_array_open(&j, "runs");
	for (size_t i = 0; i < n; i++)
		run_json(&j, &line[i]);
	json_array_close(&j);
	json_object_close(&j);
	text_char(out, '\n');
}

void report_runs(const struct facts *f, const struct run_line *line, size_t n, bool json, bool color, struct arena *a,
		 struct text *out)
{
	if (json)
		runs_json(f, line, n, out);
	else
		runs_table(line, n, color, a, out);
}
