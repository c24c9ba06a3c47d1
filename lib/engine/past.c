/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the journal of a run, see journal.h. It is ours, and yet may have been torn by a power loss or damaged since: a
 * line holds only if its sum over itself and the line before it does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "engine/journal.h"
#include "engine/sums.h"

#define SUM_MEMBER ",\"sum\":\""

enum { SUM_TAIL = sizeof(SUM_MEMBER) - 1 + SUM_TEXT - 1 + 2 };	/* …,"sum":"0123456789abcdef"} */

struct reading {
	struct past *p;
	struct arena *a;
	struct { struct json_object **at; size_t n, room; } lines;
	struct { int64_t *at; size_t n, room; } undoes;
};

/* --- lines ------------------------------------------------------------------ */

/* One line of @n bytes: parsed if its sum holds, and the sum so far goes on. */
static struct json_object *take_line(struct past *p, const char *s, size_t n, const char **why)
{
	char sum[SUM_TEXT];
	struct json_object *o;
	const char *tail = s + n - SUM_TAIL;

	*why = "its sum is wrong";
	if (n <= SUM_TAIL || memcmp(tail, SUM_MEMBER, sizeof(SUM_MEMBER) - 1) != 0 || memcmp(s + n - 2, "\"}", 2) != 0)
		return NULL;
	sum_of(p->sum, s, n - SUM_TAIL, sum);
	if (memcmp(sum, tail + sizeof(SUM_MEMBER) - 1, SUM_TEXT - 1) != 0)
		return NULL;
	o = json_parse(s, n, why);
	if (o && !json_is_object(o)) {
		json_put(o);
		*why = "is no object";
		return NULL;
	}
	if (o)
		memcpy(p->sum, sum, sizeof(sum));
	return o;
}

static const char *text_or_empty(struct reading *r, struct json_object *o, const char *key)
{
	const char *s = json_text_at(o, key);

	return s ? arena_strdup(r->a, s) : "";
}

static bool take_head(struct reading *r, struct json_object *o)
{
	struct journal_head *h = &r->p->head;
	int64_t version;
	size_t n = 0;
	struct json_object *undoes = json_list_at(o, "undoes", &n);

	if (!json_int_at(o, "journal", 1, 1, &version) || !json_int_at(o, "run", 1, INT32_MAX, &h->run) ||
	    !json_int_at(o, "pid", 0, INT64_MAX, &h->pid) || !json_int_at(o, "confirm_s", 0, INT32_MAX, &h->confirm_s))
		return false;
	h->command = text_or_empty(r, o, "command");
	h->at = text_or_empty(r, o, "at");
	h->boot_id = text_or_empty(r, o, "boot_id");
	h->node = text_or_empty(r, o, "node");
	h->kernel = text_or_empty(r, o, "kernel");
	h->version = text_or_empty(r, o, "rdmactl");
	h->policy = text_or_empty(r, o, "policy");
	h->revision = text_or_empty(r, o, "revision");
	h->policy_digest = text_or_empty(r, o, "policy_digest");
	h->digest = text_or_empty(r, o, "digest");
	h->user = text_or_empty(r, o, "user");
	for (size_t i = 0; i < n; i++) {
		int64_t run;

		if (!json_int_of(json_entry(undoes, i), 1, INT32_MAX, &run))
			return false;
		list_add(&r->undoes, r->a) = run;
	}
	list_add(&r->undoes, r->a) = 0;
	h->undoes = r->undoes.at;
	h->partly = json_true_at(o, "partly");
	return true;
}

/* A run that waited and is being undone does not wait any more. */
static bool take_note(struct past *p, const char *note)
{
	if (p->state == PAST_WAITING && !strcmp(note, "undo"))
		p->state = PAST_UNFINISHED;
	p->undoing |= !strcmp(note, "undo");
	p->verified |= !strcmp(note, "verified");
	return true;
}

/* Changes are numbered in the order in which they were planned, over all plans. */
static bool take_numbers(struct past *p, struct json_object *o)
{
	size_t n = 0;
	struct json_object *plan = json_list_at(o, "plan", &n);
	int64_t number;

	p->last_plan = p->changes + 1;
	for (size_t i = 0; i < n; i++) {
		if (!json_int_at(json_entry(plan, i), "number", p->changes + 1, p->changes + 1, &number))
			return false;
		p->changes = (unsigned)number;
	}
	return plan != NULL;
}

/* What one line says, whatever it is. */
static bool take_meaning(struct reading *r, struct json_object *o)
{
	struct past *p = r->p;
	int64_t n;

	if (r->lines.n == 0)
		return take_head(r, o);
	if (json_has(o, "plan"))
		return take_numbers(p, o);	/* rebuild.c reads the rest */
	if (json_int_at(o, "start", 1, p->changes, &n)) {
		list_add(&p->started, r->a) = (unsigned)n;
		return true;
	}
	if (json_text_at(o, "note"))
		return take_note(p, json_text_at(o, "note"));
	if (json_int_at(o, "waits_until_s", 0, INT64_MAX, &p->deadline_s)) {
		p->state = PAST_WAITING;
		p->deadline_at = text_or_empty(r, o, "waits_until");
		return true;
	}
	if (json_text_at(o, "end") && json_int_at(o, "exit_code", 0, 255, &p->exit_code)) {
		p->state = PAST_ENDED;
		p->result = text_or_empty(r, o, "end");
		p->ended_at = text_or_empty(r, o, "at");
		return true;
	}
	return false;
}

static int damaged(const char *path, size_t line, const char *why, struct diags *d)
{
	diag_error(d, NULL, "the journal /%s is damaged: line %zu: %s", path, line, why);
	diag_hint(d, "nothing is guessed from it: look at `rdmactl drift`, put the node right by hand, and take the file away");
	return -EBADMSG;
}

static int take_all(struct reading *r, const char *path, const struct text *t, struct diags *d)
{
	const char *s = text_str(t), *end = s + t->n;
	size_t number = 0;

	while (s < end) {
		const char *newline = memchr(s, '\n', (size_t)(end - s)), *why = "ends too early";
		size_t n = newline ? (size_t)(newline - s) : (size_t)(end - s);
		struct json_object *o = newline ? take_line(r->p, s, n, &why) : NULL;
		bool last = !newline || newline + 1 == end;

		number++;
		if (o && !take_meaning(r, o)) {
			json_put(o);
			return damaged(path, number, "this version does not know what it says", d);
		}
		if (!o && (!last || number == 1))
			return damaged(path, number, why, d);
		if (!o)
			r->p->torn = arena_printf(r->a, "line %zu %s", number, why);
		else
			list_add(&r->lines, r->a) = o;
		s += n + 1;
		if (o)
			r->p->held = (size_t)(s - text_str(t));
	}
	return r->lines.n ? 0 : damaged(path, 1, "it is empty", d);
}

/* --- a run ------------------------------------------------------------------ */

int past_load(struct kernel *k, struct arena *a, const char *path, struct past **out, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct reading r = { .p = arena_new_of(a, struct past), .a = a };
	int err = kernel_read(k, path, &t);

	if (err == -ENOENT || err == -ENOTDIR || err == -ENODATA)	/* an old dump says nothing of runs */
		return -ENOENT;
	if (err < 0) {
		diag_error(d, NULL, "cannot read the journal /%s", path)->err = -err;
		diag_hint(d, "it may be that of a run which did not end: nobody writes until it can be read, or is taken away");
		return err;
	}
	err = take_all(&r, path, &t, d);
	r.p->line = r.lines.at;
	r.p->nlines = r.lines.n;
	if (err < 0)
		past_done(r.p);
	else
		*out = r.p;
	return err;
}

bool past_is_rollback(const struct past *p)
{
	return p->head.undoes && p->head.undoes[0];
}

void past_done(struct past *p)
{
	for (size_t i = 0; i < p->nlines; i++)
		json_put(p->line[i]);
	p->nlines = 0;
}

bool past_started(const struct past *p, unsigned number)
{
	for (size_t i = 0; i < p->started.n; i++)
		if (p->started.at[i] == number)
			return true;
	return false;
}

const char *past_path(struct arena *a, int64_t run)
{
	return arena_printf(a, JOURNAL_HISTORY "/%08lld.jsonl", (long long)run);
}

int past_load_run(struct kernel *k, struct arena *a, int64_t run, struct past **out, struct diags *d)
{
	const char *path = past_path(a, run);
	int r = past_load(k, a, path, out, d);

	if (r < 0 || (*out)->head.run == run)
		return r;
	past_done(*out);
	return damaged(path, 1, arena_printf(a, "it is of run %lld", (long long)(*out)->head.run), d);
}

int past_runs(struct kernel *k, struct arena *a, const int64_t **run, size_t *n, struct diags *d)
{
	struct { int64_t *at; size_t n, room; } list = { 0 };
	struct names names;
	int r = kernel_list(k, JOURNAL_HISTORY, &names);

	*run = NULL;
	*n = 0;
	if (r == -ENOENT || r == -ENOTDIR || r == -ENODATA)
		return 0;
	if (r < 0) {
		diag_error(d, NULL, "cannot read /%s", JOURNAL_HISTORY)->err = -r;
		return r;
	}
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.at[i];
		long long v = strtoll(name, NULL, 10);

		if (strspn(name, "0123456789") == 8 && !strcmp(name + 8, ".jsonl") && v > 0)
			list_add(&list, a) = v;	/* names are sorted, and so are numbers of eight digits */
	}
	*run = list.at;
	*n = list.n;
	return 0;
}

/* What is left of a torn line goes. */
static int cut_torn(struct kernel *k, const struct past *p)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, JOURNAL_RUN, &t);

	if (r < 0 || t.n < p->held)
		return r < 0 ? r : -EIO;
	return kernel_keep(k, JOURNAL_RUN, text_str(&t), p->held);
}

int past_resume(struct kernel *k, struct arena *a, const struct past *p, struct journal *out, struct diags *d)
{
	struct journal j = { .kernel = k, .arena = a, .head = p->head, .begun = true, .changes = p->changes };
	int r = p->torn ? cut_torn(k, p) : 0;

	if (r < 0) {
		diag_error(d, NULL, "cannot write the journal /%s", JOURNAL_RUN)->err = -r;
		return r;
	}
	memcpy(j.sum, p->sum, sizeof(j.sum));
	memcpy(j.sum_kept, p->sum, sizeof(j.sum_kept));
	*out = j;
	return 0;
}
