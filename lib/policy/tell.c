/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of a policy, each once. */
#include "policy/tell.h"

#include <string.h>

#include "base/arena.h"

static bool same(const struct diag *x, const struct diag *y)
{
	return x->severity == y->severity && pos_same(&x->pos, &y->pos) && !strcmp(x->what, y->what);
}

static bool told_before(const struct diags *d, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same(&d->at[k], &d->at[i]))
			return true;
	return false;
}

void tell_again(struct diags *d, size_t from)
{
	size_t *count[] = { &d->notes, &d->warnings, &d->errors };
	size_t to = from;

	for (size_t i = from; i < d->n; i++) {
		d->at[to] = d->at[i];
		if (told_before(d, to)) {
			d->repeated += d->at[to].severity == SEVERITY_ERROR;
			--*count[d->at[to].severity];
		} else {
			to++;
		}
	}
	d->n = to;
}

static bool tell(struct diags *d, const struct diag *one, const char *fmt, va_list ap)
{
	const char *what = arena_vprintf(d->arena, fmt, ap);
	size_t from = d->n;
	struct diag *at = diag_error(d, &one->pos, "%s", what);

	at->hint = one->hint ? arena_strdup(d->arena, one->hint) : NULL;
	at->other = one->other;
	at->other_what = one->other_what;
	tell_again(d, from);
	return d->n > from;
}

void tell_error(struct diags *d, const struct pos *pos, const char *hint, const char *fmt, ...)
{
	struct diag one = { .hint = hint };
	va_list ap;

	if (pos)
		one.pos = *pos;
	va_start(ap, fmt);
	tell(d, &one, fmt, ap);
	va_end(ap);
}

bool tell_both(struct diags *d, const struct pos *pos, const struct pos *other, const char *other_what, const char *fmt,
	       ...)
{
	struct diag one = { .pos = *pos, .other = *other, .other_what = other_what };
	va_list ap;
	bool new;

	va_start(ap, fmt);
	new = tell(d, &one, fmt, ap);
	va_end(ap);
	return new;
}

const char *tell_places(struct arena *a, const struct pos *first, const struct pos *second)
{
	if (first->source == second->source)
		return arena_printf(a, "lines %u and %u", first->line, second->line);
	return arena_printf(a, "%s:%u and %s:%u", first->source ? first->source->name : "", first->line,
			    second->source ? second->source->name : "", second->line);
}
