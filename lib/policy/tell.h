/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of a policy, each once: an anchor used twice, a profile of a thousand nodes, a class that eight ports derive
 * from are one mistake in one place.
 */
#ifndef POLICY_TELL_H
#define POLICY_TELL_H

#include "base/diag.h"

/** tell_error - @hint may be NULL; it is copied */
void tell_error(struct diags *d, const struct pos *pos, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/** tell_both - an error between two places. Return: is it new, so that a hint may be added */
bool tell_both(struct diags *d, const struct pos *pos, const struct pos *other, const char *other_what, const char *fmt,
	       ...) __attribute__((format(printf, 5, 6)));
/** tell_again - takes out of those told since there were @from what had been told before */
void tell_again(struct diags *d, size_t from);

/** tell_seen - errors met so far, told now or before: more of them than there were is "something is wrong here" */
static inline size_t tell_seen(const struct diags *d)
{
	return d->errors + d->repeated;
}

/** tell_places - "lines 4 and 6", or "a.yaml:4 and b.yaml:6" of two files */
const char *tell_places(struct arena *a, const struct pos *first, const struct pos *second);

#endif
