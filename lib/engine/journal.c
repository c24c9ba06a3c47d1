/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the journal of one run, see journal.h. Reading is past.c's. */
#include "engine/journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/units.h"
#include "engine/applied.h"
#include "engine/cells.h"
#include "engine/sums.h"

enum { HISTORY_KEPT = 100 };

/* What past_load() reads: the door gives no more, and the run's later lines are short. */
#define JOURNAL_MAX (KERNEL_FILE_MAX - (256u << 10))

/* --- lines ------------------------------------------------------------------ */

static void line_open(struct json *j, struct text *t)
{
	json_init(j, t, false);
	json_object_open(j, NULL);
}

/* Closes the line that begins at @from and adds its sum, in place of the last brace. */
static void line_close(struct journal *jn, struct json *j, size_t from)
{
	struct text *t = j->out;
	char sum[SUM_TEXT];

	json_object_close(j);
	sum_of(jn->sum, text_str(t) + from, t->n - from - 1, sum);
	t->n--;
	text_printf(t, ",\"sum\":\"%s\"}\n", sum);
	memcpy(jn->sum, sum, sizeof(sum));
}

/* A line that could not be written has no part in the sum of the next one. */
static int kept(struct journal *jn, int r)
{
	if (r < 0)
		memcpy(jn->sum, jn->sum_kept, sizeof(jn->sum));
	else
		memcpy(jn->sum_kept, jn->sum, sizeof(jn->sum));
	return r;
}

static int append(struct journal *jn, const struct text *t, bool sync)
{
	return kept(jn, kernel_append(jn->kernel, JOURNAL_RUN, text_str(t), t->n, sync));
}

static void put_head(struct journal *jn, struct text *t)
{
	const struct journal_head *h = &jn->head;
	struct json j;

	line_open(&j, t);
	json_int(&j, "journal", 1);
	json_int(&j, "run", h->run);
	json_string(&j, "command", h->command);
	json_string(&j, "at", h->at);
	json_string(&j, "boot_id", h->boot_id);
	json_string(&j, "node", h->node);
	json_string(&j, "kernel", h->kernel);
	json_string(&j, "rdmactl", h->version);
	json_string(&j, "policy", h->policy);
	json_string(&j, "revision", h->revision);
	json_string(&j, "policy_digest", h->policy_digest);
	json_string(&j, "digest", h->digest);
	json_string(&j, "user", h->user);
	json_int(&j, "pid", h->pid);
	json_int(&j, "confirm_s", h->confirm_s);
	json_array_open(&j, "undoes");
	for (size_t i = 0; h->undoes && h->undoes[i]; i++)
		json_int(&j, NULL, h->undoes[i]);
	json_array_close(&j);
	json_boolean(&j, "partly", h->partly);
	line_close(jn, &j, 0);
}

static void put_part(struct json *j, const struct change_part *p)
{
	json_object_open(j, NULL);
	json_string(j, "setting", p->setting->name);
	json_array_open(j, "cells");
	for (size_t i = 0; i < p->want->n; i++) {
		if (p->want->at[i].state != CELL_VALUE || i >= p->have->n)
			continue;
		json_object_open(j, NULL);
		cell_name_put(j, &p->want->at[i]);
		json_boolean(j, "differs", !p->differs || p->differs[i]);
		cell_put(j, "have", &p->have->at[i]);
		cell_put(j, "want", &p->want->at[i]);
		json_object_close(j);
	}
	json_array_close(j);
	json_object_close(j);
}

static void put_files(struct json *j, const struct change *c)
{
	json_array_open(j, "files");
	for (size_t i = 0; i < c->nfiles; i++) {
		json_object_open(j, NULL);
		json_string(j, "path", c->file[i].path);
		json_string(j, "before", c->file[i].before);
		json_string(j, "after", c->file[i].after);
		json_object_close(j);
	}
	json_array_close(j);
}

static void put_disturbed(struct json *j, const struct change_before *b)
{
	json_object_open(j, NULL);
	json_string(j, "setting", b->setting->name);
	target_put(j, "target", b->target);
	json_array_open(j, "cells");
	for (size_t i = 0; i < b->before->n; i++) {
		if (b->before->at[i].state != CELL_VALUE)
			continue;
		json_object_open(j, NULL);
		cell_name_put(j, &b->before->at[i]);
		cell_put(j, "have", &b->before->at[i]);
		json_object_close(j);
	}
	json_array_close(j);
	json_object_close(j);
}

static void put_change(struct json *j, const struct change *c)
{
	static const char *const phases[] = { [PHASE_GROW] = "grow", [PHASE_SHRINK] = "shrink", [PHASE_BOOT] = "boot" };

	json_object_open(j, NULL);
	json_int(j, "number", c->number);
	json_string(j, "object", c->object);
	target_put(j, "target", c->target);
	json_string(j, "phase", phases[c->phase]);
	json_string(j, "impact", impact_name(c->impact));
	json_string(j, "effective", effective_name(c->effective));
	json_string(j, "leaves", c->leaves);
	json_boolean(j, "undo", c->undo);
	json_string(j, "before", c->before);
	json_array_open(j, "parts");
	for (size_t i = 0; i < c->nparts; i++)
		put_part(j, &c->part[i]);
	json_array_close(j);
	put_files(j, c);
	json_array_open(j, "disturbs");
	for (size_t i = 0; i < c->ndisturbed; i++)
		put_disturbed(j, &c->disturbed[i]);
	json_array_close(j);
	json_object_close(j);
}

/* --- what callers ask for ------------------------------------------------------ */

static int cannot(const struct journal *jn, struct diags *d, int r)
{
	diag_error(d, NULL, "cannot write the journal /%s", JOURNAL_RUN)->err = -r;
	diag_hint(d, "nothing %sis changed without a journal: make room, or the file system writable, and try again",
		  jn->begun ? "more " : "");
	return r;
}

/* JSON holds UTF-8, and nothing else exactly: what was there would come back as something else. */
static bool exact_text(const char *s)
{
	return !s || text_is_utf8(s, strlen(s));
}

static bool exact_record(const struct record *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct value *v = &r->at[i].value;

		if (r->at[i].state != CELL_VALUE)
			continue;
		for (size_t k = 0; v->texts && v->texts[k]; k++)
			if (!exact_text(v->texts[k]))
				return false;
		if (!exact_text(v->text))
			return false;
	}
	return true;
}

static bool exact_change(const struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++)
		if (!exact_record(c->part[i].have) || !exact_record(c->part[i].want))
			return false;
	for (size_t i = 0; i < c->nfiles; i++)
		if (!exact_text(c->file[i].before) || !exact_text(c->file[i].after))
			return false;
	for (size_t i = 0; i < c->ndisturbed; i++)
		if (!exact_record(c->disturbed[i].before))
			return false;
	return exact_text(c->before);
}

static int inexact(const struct change *c, struct diags *d)
{
	diag_error(d, NULL, "cannot journal %s: what is there is no UTF-8, and would not come back as it was", c->object)->err = EILSEQ;
	diag_object(d, "%s", c->target->name);
	diag_hint(d, "nothing is changed without a journal: put this value, or our boot file, right by hand first");
	return -EILSEQ;
}

int journal_plan(struct journal *jn, struct change *const *change, size_t n, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;
	size_t from;
	int r;

	for (size_t i = 0; i < n; i++)
		if (!exact_change(change[i]))
			return inexact(change[i], d);
	if (!jn->begun)
		put_head(jn, &t);
	from = t.n;
	line_open(&j, &t);
	json_array_open(&j, "plan");
	for (size_t i = 0; i < n; i++) {
		change[i]->number = ++jn->changes;
		put_change(&j, change[i]);
	}
	json_array_close(&j);
	line_close(jn, &j, from);
	/* the file appears with its first lines whole, or not at all: a run that has no head cannot be recovered */
	if (jn->bytes + t.n > JOURNAL_MAX)
		r = kept(jn, -EFBIG);
	else
		r = jn->begun ? append(jn, &t, true) : kept(jn, kernel_keep(jn->kernel, JOURNAL_RUN, text_str(&t), t.n));
	if (r < 0)
		return cannot(jn, d, r);
	jn->bytes += t.n;
	jn->begun = true;
	return 0;
}

int journal_start(struct journal *jn, const struct change *c, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;
	int r;

	line_open(&j, &t);
	json_int(&j, "start", c->number);
	line_close(jn, &j, 0);
	r = append(jn, &t, c->phase == PHASE_BOOT);
	return r < 0 ? cannot(jn, d, r) : 0;
}

int journal_note(struct journal *jn, const char *word, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;
	int r;

	line_open(&j, &t);
	json_string(&j, "note", word);
	line_close(jn, &j, 0);
	r = append(jn, &t, false);
	return r < 0 && d ? cannot(jn, d, r) : r;
}

int journal_wait(struct journal *jn, int64_t deadline_s, const char *deadline_at, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;
	int r;

	line_open(&j, &t);
	json_int(&j, "waits_until_s", deadline_s);
	json_string(&j, "waits_until", deadline_at);
	line_close(jn, &j, 0);
	r = append(jn, &t, true);
	return r < 0 ? cannot(jn, d, r) : 0;
}

/* The oldest runs go; what was there before we first set a value is kept in applied.jsonl all the same. */
static void prune(struct journal *jn, struct diags *d)
{
	const int64_t *run;
	size_t n;

	if (past_runs(jn->kernel, jn->arena, &run, &n, d) < 0)
		return;
	for (size_t i = 0; n - i > HISTORY_KEPT; i++)
		kernel_drop(jn->kernel, past_path(jn->arena, run[i]));
}

int journal_end(struct journal *jn, const char *result, int exit_code, struct change *const *done, size_t n, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	char now[UNITS_UTC];
	struct json j;
	int r;

	if (!jn->begun)
		return 0;
	units_now(now);
	jn->begun = false;
	line_open(&j, &t);
	json_string(&j, "end", result);
	json_int(&j, "exit_code", exit_code);
	json_string(&j, "at", now);
	line_close(jn, &j, 0);
	r = append(jn, &t, true);
	if (r == 0)
		r = applied_update(jn->kernel, jn->arena, &jn->head, done, n, d);
	if (r == 0)
		r = kernel_rename(jn->kernel, JOURNAL_RUN, past_path(jn->arena, jn->head.run));
	if (r < 0) {
		diag_error(d, NULL, "cannot end the journal of run %lld", (long long)jn->head.run)->err = -r;
		diag_hint(d, "the run itself is over (%s); `rdmactl recover` tries again", result);
		return r;
	}
	prune(jn, d);
	return 0;
}
