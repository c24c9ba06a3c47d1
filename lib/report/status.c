/* SPDX-License-Identifier: Apache-2.0 */
/* Results, statuses and values in words. */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "model/setting.h"
#include "report/words.h"

static const struct {
	const char *result, *words;
	enum tone tone;
	bool found;			/* what drift may find of a node */
	bool verdict;			/* on the values that were looked at */
} results[] = {
	{ "in-sync", "in sync", TONE_PLAIN, true, true },
	{ "drift", "drift", TONE_BAD, true, true },
	{ "ready", "ready: all ports are there, and nothing waits for a unit", TONE_PLAIN, true, false },
	{ "pending", "pending: boot is right, live follows", TONE_DOUBT, true, true },
	{ "unknown", "not all of it could be read", TONE_DOUBT, true, true },
	{ "warnings", "in sync, with warnings", TONE_DOUBT, true, true },
	{ "failed", "not judged", TONE_BAD, true, false },
	{ "rolled-back", "rolled back", TONE_PLAIN, false, false },
	{ "partly-rolled-back", "rolled back, but not all of it", TONE_DOUBT, false, false },
	{ "would-roll-back", "would roll back", TONE_PLAIN, false, false },
	{ "would-roll-back-partly", "would roll back, but not all of it", TONE_DOUBT, false, false },
	{ "restored", "restored as it was before the run", TONE_PLAIN, false, false },
	{ "interrupted", "live values went with the reboot; boot files are as before the run", TONE_PLAIN, false, false },
	{ "completed", "the run was complete; its journal is put away", TONE_PLAIN, false, false },
	{ "unconfirmed", "not confirmed in time, and undone", TONE_DOUBT, false, false },
	{ "confirmed", "confirmed", TONE_PLAIN, false, false },
	{ "not-confirmed", "not confirmed: the boot files could not be written", TONE_BAD, false, false },
	{ "forgotten", "forgotten: our boot files are gone", TONE_PLAIN, false, false },
	{ "nothing-to-do", "nothing to do", TONE_PLAIN, false, false },
	{ "not-begun", "nothing was begun", TONE_BAD, false, false },
	{ "failed-rolled-back", "apply failed and was rolled back", TONE_BAD, false, false },
	{ "in-between", "in between: run `rdmactl recover`", TONE_BAD, true, false },
};

enum { NRESULTS = sizeof(results) / sizeof(results[0]), DIGEST_DIGITS = 12, UNSUPPORTED_NAMED = 4 };

static void add_safe(struct text *out, const char *s)
{
	text_add_safe(out, s, strlen(s));
}

static size_t find_result(const char *result)
{
	size_t i = 0;

	while (i < NRESULTS && strcmp(results[i].result, result) != 0)
		i++;
	return i;
}

const char *words_result(const struct outcome *o)
{
	size_t i = find_result(o->result);

	return i < NRESULTS ? results[i].words : o->result;
}

void words_errno(const struct diag *d, struct text *out)
{
	const char *why = d->err ? strerrordesc_np(d->err) : NULL;

	if (why)
		text_printf(out, ": %s", why);
	else if (d->err)
		text_printf(out, ": error %d", d->err);
}

const char *words_found(size_t *i)
{
	while (*i < NRESULTS && !results[*i].found)
		++*i;
	return *i < NRESULTS ? results[(*i)++].result : NULL;
}

bool words_limited(const struct outcome *o)
{
	const struct limits *l = &o->limits;
	size_t i = find_result(o->result);

	return o->desired && i < NRESULTS && results[i].verdict && (l->only || l->port || l->live || l->boot);
}

void words_limits(const struct outcome *o, struct text *out)
{
	const struct limits *l = &o->limits;
	const char *sep = "; looked at: ";

	if (!words_limited(o))
		return;
	for (const char *const *s = l->only; s && *s; s++, sep = ", ") {
		text_add(out, sep);
		add_safe(out, *s);
	}
	if (l->port) {
		text_printf(out, "%s", l->only ? " of " : sep);
		add_safe(out, l->port);
		text_add(out, " and the node");
		sep = ", ";
	}
	if (l->live || l->boot)
		text_printf(out, "%s%s", sep, l->live ? "what runs" : "the next boot");
}

static void add_result(const struct outcome *o, bool color, struct text *out)
{
	size_t i = find_result(o->result);
	enum tone tone = i < NRESULTS ? results[i].tone : TONE_PLAIN;

	tone_begin(tone, color, out);
	text_add(out, words_result(o));
	tone_end(tone, color, out);
}

void words_runs(const int64_t *run, struct text *out)
{
	for (size_t i = 0; run[i]; i++)
		text_printf(out, "%s%lld", i ? ", " : "", (long long)run[i]);
}

/* Which runs a rollback undid, or would undo, and, if all of them, as what run it left the node. */
static void add_runs(const struct outcome *o, struct text *out)
{
	bool whole = !strcmp(o->result, "rolled-back") || !strcmp(o->result, "would-roll-back");

	if (!o->undoes || (!whole && strcmp(o->result, "partly-rolled-back") != 0 && strcmp(o->result, "would-roll-back-partly") != 0))
		return;
	text_printf(out, "%s run%s ", whole ? "" : ":", o->undoes[1] ? "s" : "");
	words_runs(o->undoes, out);
	if (whole && o->back_to)
		text_printf(out, ": as run %lld left it", (long long)o->back_to);
	else if (whole)
		text_printf(out, ": as before %s", o->undoes[1] ? "them" : "it");
}

static void add_writes(const struct outcome *o, struct text *out)
{
	if (o->changed)
		text_printf(out, ", %zu write%s", o->nwrites, o->nwrites == 1 ? "" : "s");
	else
		text_add(out, ", nothing written");
}

/* The first digits are enough to tell two policies apart; JSON has all. */
static void add_digest(const char *digest, struct text *out)
{
	size_t n = strcspn(digest, ":");

	n += digest[n] ? 1 + DIGEST_DIGITS : 0;
	text_add_safe(out, digest, strnlen(digest, n));
}

void words_headline(const struct outcome *o, bool color, struct text *out)
{
	const struct desired *d = o->desired;

	add_safe(out, d ? d->node : *o->facts->hostname ? o->facts->hostname : "(no host name)");
	if (d || o->returns) {
		text_add(out, ": ");
		add_result(o, color, out);
		add_runs(o, out);
	}
	if ((!strcmp(o->command, "apply") && o->exit_code != 3 && o->exit_code != 4) || o->returns)
		add_writes(o, out);
	if (!strcmp(o->command, "plan"))
		text_printf(out, ", %zu change%s planned", o->nchanges, o->nchanges == 1 ? "" : "s");
	words_limits(o, out);
	if (o->facts && *o->facts->kernel) {
		text_add(out, "; kernel ");
		add_safe(out, o->facts->kernel);
	}
	if (d) {
		text_add(out, "; policy ");
		add_safe(out, d->policy_file);
		text_add(out, *d->revision ? ", revision " : "");
		add_safe(out, d->revision);
		text_add(out, ", ");
		add_digest(d->policy_digest, out);
	}
	text_char(out, '\n');
}

/* Which settings a machine lacks that nobody insists on: their rows are shown with -v alone, and yet they are not done. */
static void add_unsupported(const struct outcome *o, struct text *out)
{
	const char *sep = " (";
	size_t named = 0;

	for (size_t i = 0; i < o->nrows; i++) {
		const struct row *r = &o->row[i];
		size_t k = 0;

		if (r->status != STATUS_UNSUPPORTED)
			continue;
		while (k < i && (o->row[k].status != STATUS_UNSUPPORTED || strcmp(o->row[k].name, r->name) != 0))
			k++;		/* the same of another port */
		if (k < i)
			continue;
		if (named++ == UNSUPPORTED_NAMED) {
			text_add(out, ", and others");
			break;
		}
		text_add(out, sep);
		add_safe(out, r->name);
		sep = ", ";
	}
	text_add(out, named ? ")" : "");
}

static size_t following(const struct outcome *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nrows; i++)
		n += o->row[i].follows;
	return n;
}

void words_counts(const struct outcome *o, struct text *out)
{
	static const enum status order[] = { STATUS_DRIFT,	 STATUS_PENDING,   STATUS_UNKNOWN,
					     STATUS_UNSUPPORTED, STATUS_UNMANAGED, STATUS_IN_SYNC };
	const char *comma = "";
	size_t explained;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!o->count[order[i]])
			continue;
		text_printf(out, "%s%zu %s", comma, o->count[order[i]], status_name(order[i]));
		if (o->desired && order[i] == STATUS_UNSUPPORTED)
			add_unsupported(o, out);
		comma = ", ";
	}
	if (o->desired && (explained = following(o)) > 0)
		text_printf(out, "; %zu more explained by these", explained);
}

bool words_shown(const struct outcome *o, const struct row *r, bool all)
{
	if (all || !o->desired)
		return true;
	return !r->follows && r->status != STATUS_IN_SYNC && r->status != STATUS_UNSUPPORTED;
}

enum tone words_tone(enum status s)
{
	static const enum tone tone[STATUS_N] = {
		[STATUS_DRIFT] = TONE_BAD,	  [STATUS_PENDING] = TONE_DOUBT,   [STATUS_UNKNOWN] = TONE_DOUBT,
		[STATUS_UNSUPPORTED] = TONE_QUIET, [STATUS_UNMANAGED] = TONE_QUIET,
	};

	return tone[s];
}

static const char *value_text(struct arena *a, const struct field *f, const struct value *v)
{
	TEXT_CLEANUP struct text t = { 0 };

	value_print(f, v, &t);
	return text_safe(a, text_str(&t), t.n, SIZE_MAX);
}

const char *words_value(struct arena *a, const struct cell *c)
{
	return c && c->state == CELL_VALUE ? value_text(a, c->field, &c->value) : "-";
}

static size_t map_span(const struct field *f)
{
	if (f->kind == KIND_SHARES)
		return 8;
	return f->kind == KIND_MAP ? f->span : 0;
}

/* The map of @v without what is the same in @other or what only the other names. */
static const uint8_t *reduced(struct arena *a, const uint8_t *v, const uint8_t *other, const uint8_t *wanted, size_t n)
{
	uint8_t *map = arena_array_of(a, uint8_t, n);

	for (size_t i = 0; i < n; i++)
		map[i] = wanted[i] == VALUE_UNSET || v[i] == other[i] ? VALUE_UNSET : v[i];
	return map;
}

static bool map_empty(const uint8_t *map, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (map[i] != VALUE_UNSET)
			return false;
	return true;
}

static const int64_t *amounts_reduced(struct arena *a, const int64_t *v, const int64_t *other, const int64_t *wanted, bool *any)
{
	int64_t *amount = arena_array_of(a, int64_t, AMOUNTS);

	for (unsigned i = 0; i < AMOUNTS; i++) {
		amount[i] = wanted[i] == AMOUNT_UNSET || v[i] == other[i] ? AMOUNT_UNSET : v[i];
		*any |= amount[i] != AMOUNT_UNSET;
	}
	return amount;
}

/* Both values without what is the same. Return: is anything left; if all that is wanted is there, the whole says more */
static bool reduce(struct arena *a, const struct cell *x, const struct cell *y, struct value *vx, struct value *vy)
{
	size_t n = map_span(x->field);
	bool any = false;

	*vx = x->value;
	*vy = y->value;
	if (x->field->kind == KIND_AMOUNTS) {
		vx->amount = amounts_reduced(a, x->value.amount, y->value.amount, x->value.amount, &any);
		vy->amount = amounts_reduced(a, y->value.amount, x->value.amount, x->value.amount, &any);
		return any;
	}
	if (!n)
		return false;
	vx->map = reduced(a, x->value.map, y->value.map, x->value.map, n);
	vy->map = reduced(a, y->value.map, x->value.map, x->value.map, n);
	return !map_empty(vx->map, n);
}

void words_difference(struct arena *a, const struct cell *x, const struct cell *y, const char **xs, const char **ys)
{
	struct value vx, vy;

	*xs = words_value(a, x);
	*ys = words_value(a, y);
	if (!x || !y || x->state != CELL_VALUE || y->state != CELL_VALUE || !strcmp(*xs, *ys) || !reduce(a, x, y, &vx, &vy))
		return;
	*xs = value_text(a, x->field, &vx);
	*ys = value_text(a, y->field, &vy);
}

const char *words_target(struct arena *a, const struct target *t)
{
	const char *name = text_safe(a, t->name, strlen(t->name), SIZE_MAX);

	if (!*t->group || !strcmp(t->group, t->name))
		return name;
	return arena_printf(a, "%s (%s)", name, text_safe(a, t->group, strlen(t->group), SIZE_MAX));
}
