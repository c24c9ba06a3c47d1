/* SPDX-License-Identifier: Apache-2.0 */
/* What we set last, see applied.h. A line begins with target and cell, so that most of them need not be parsed. */
#include "engine/applied.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "engine/cells.h"
#include "engine/journal.h"

/* --- reading ---------------------------------------------------------------- */

/* The string that follows @start at *s, taken as it stands: our own writer escapes nothing in these two. */
static bool take_string(const char **s, const char *end, const char *start, struct applied_name *name)
{
	size_t n = strlen(start);
	const char *quote;

	if ((size_t)(end - *s) < n || memcmp(*s, start, n) != 0)
		return false;
	*s += n;
	quote = memchr(*s, '"', (size_t)(end - *s));
	if (!quote || memchr(*s, '\\', (size_t)(quote - *s)))
		return false;
	*name = (struct applied_name){ *s, (size_t)(quote - *s) };
	*s = quote + 1;
	return true;
}

static bool take_entry(struct arena *a, const char *s, size_t n, struct applied_name target, struct applied_name cell,
		       struct applied *e)
{
	const char *why;

	e->target = arena_strndup(a, target.s, target.n);
	e->cell = arena_strndup(a, cell.s, cell.n);
	e->line = json_parse(s, n, &why);
	if (json_at(e->line, "set") && json_int_at(e->line, "since", 1, INT32_MAX, &e->since) && json_int_at(e->line, "run", 1, INT32_MAX, &e->run)) {
		e->text = arena_strndup(a, s, n);
		return true;
	}
	json_put(e->line);
	return false;
}

int applied_load(struct kernel *k, struct arena *a,
		 bool (*keep)(struct applied_name target, struct applied_name cell, void *arg), void *arg,
		 struct applied_list *out, struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, JOURNAL_APPLIED, &t);
	const char *s = text_str(&t), *end = s + t.n;

	*out = (struct applied_list){ 0 };
	if (r == -ENOENT || r == -ENOTDIR || r == -ENODATA)
		return 0;
	if (r < 0) {
		diag_warning(d, NULL, "cannot read /%s: what was last set by us is not known", JOURNAL_APPLIED)->err = -r;
		return r;
	}
	for (size_t line = 1; s < end; line++) {
		const char *newline = memchr(s, '\n', (size_t)(end - s)), *at = s;
		size_t n = newline ? (size_t)(newline - s) : (size_t)(end - s);
		struct applied_name target, cell;
		struct applied e = { 0 };
		bool named = take_string(&at, s + n, "{\"target\":\"", &target) && take_string(&at, s + n, ",\"cell\":\"", &cell);

		if (named && keep && !keep(target, cell, arg))
			;
		else if (named && take_entry(a, s, n, target, cell, &e))
			list_add(out, a) = e;
		else
			diag_warning(d, NULL, "/%s: line %zu does not hold what we write there, and is left out", JOURNAL_APPLIED, line);
		s += n + 1;
	}
	return 0;
}

void applied_done(struct applied_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		json_put(l->at[i].line);
	l->n = 0;
}

/* --- updating --------------------------------------------------------------- */

/* A line as it is to be: an old one, or a new one from a change. */
struct entry {
	const char *target, *cell, *text;
	int64_t since;
};

struct update {
	struct arena *a;
	struct { struct entry *at; size_t n, room; } list;
};

static struct entry *find(struct update *u, const char *target, const char *cell)
{
	for (size_t i = 0; i < u->list.n; i++)
		if (!strcmp(u->list.at[i].target, target) && !strcmp(u->list.at[i].cell, cell))
			return &u->list.at[i];
	return NULL;
}

/* The text of a line; what was there before is of the first run that set the cell, so an old line's is kept. */
static const char *line_text(struct arena *a, const struct entry *e, const struct cell *set, const struct cell *before,
			     const char *kept_before, int64_t run)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;

	json_init(&j, &t, false);
	json_object_open(&j, NULL);
	json_string(&j, "target", e->target);
	json_string(&j, "cell", e->cell);
	if (set->star[0]) {
		json_string(&j, "field", set->field->name);
		json_array_open(&j, "stars");
		for (size_t i = 0; i < 2 && set->star[i]; i++)
			json_string(&j, NULL, set->star[i]);
		json_array_close(&j);
	}
	cell_put(&j, "set", set);
	json_int(&j, "since", e->since);
	json_int(&j, "run", run);
	if (kept_before) {
		text_add(&t, kept_before);	/* `,"before":…}`: to the end of its line */
	} else {
		cell_put(&j, "before", before);
		json_object_close(&j);
	}
	return arena_strdup(a, text_str(&t));
}

/* "set":{"is":"3",…} and "before":{"is":"3",…}: then nothing of ours is left in it. */
static bool is_as_before(const char *line)
{
	static const char set[] = ",\"set\":{\"is\":", before[] = ",\"before\":{\"is\":";
	const char *s = strstr(line, set), *b = strstr(line, before);
	size_t n;

	if (!s || !b)
		return false;
	s += sizeof(set) - 1;
	b += sizeof(before) - 1;
	n = strcspn(s + 1, "\"") + 2;
	return !strncmp(s, b, n);
}

static void set_cell(struct update *u, const struct journal_head *head, const struct change *c, const struct cell *want,
		     const struct cell *have)
{
	const char *key = target_key(u->a, c->target), *kept;
	struct entry *e = find(u, key, want->name);

	if (!e) {
		e = &list_add(&u->list, u->a);
		*e = (struct entry){ .target = key, .cell = want->name, .since = head->run };
	}
	kept = e->text ? strstr(e->text, ",\"before\":") : NULL;
	e->text = line_text(u->a, e, want, have, kept, head->run);
	if (kept && is_as_before(e->text))
		*e = u->list.at[--u->list.n];	/* given back */
}

static int64_t oldest_undone(const struct journal_head *head)
{
	int64_t oldest = INT64_MAX;

	for (size_t i = 0; head->undoes && head->undoes[i]; i++)
		oldest = head->undoes[i] < oldest ? head->undoes[i] : oldest;
	return oldest;
}

/* Given back: if the run that is undone was the first to set it, it is not ours any more. */
static void give_back(struct update *u, const struct journal_head *head, const struct change *c, const struct cell *want,
		      const struct cell *have)
{
	struct entry *e = find(u, target_key(u->a, c->target), want->name);

	if (!e)
		return;
	if (e->since >= oldest_undone(head))
		*e = u->list.at[--u->list.n];
	else
		set_cell(u, head, c, want, have);
}

static void take_change(struct update *u, const struct journal_head *head, const struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];

		for (size_t j = 0; j < p->want->n && j < p->have->n; j++) {
			if (p->want->at[j].state != CELL_VALUE || (p->differs && !p->differs[j]))
				continue;
			if (c->undo)
				give_back(u, head, c, &p->want->at[j], &p->have->at[j]);
			else
				set_cell(u, head, c, &p->want->at[j], &p->have->at[j]);
		}
	}
}

int applied_update(struct kernel *k, struct arena *a, const struct journal_head *head, struct change *const *done, size_t n,
		   struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct update u = { .a = a };
	struct applied_list l;
	int r;

	if (!n)
		return 0;
	r = applied_load(k, a, NULL, NULL, &l, d);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++)
		list_add(&u.list, a) = (struct entry){ l.at[i].target, l.at[i].cell, l.at[i].text, l.at[i].since };
	applied_done(&l);
	for (size_t i = 0; i < n; i++)
		if (done[i]->phase != PHASE_BOOT)	/* what our boot files hold, they say themselves */
			take_change(&u, head, done[i]);
	for (size_t i = 0; i < u.list.n; i++)
		text_printf(&t, "%s\n", u.list.at[i].text);
	return kernel_keep(k, JOURNAL_APPLIED, text_str(&t), t.n);
}
