/* SPDX-License-Identifier: Apache-2.0 */
/* What `simctl get` and `simctl set` know of a NIC. */
#ifndef TESTS_SIM_OBSERVE_H
#define TESTS_SIM_OBSERVE_H

#include "state.h"

struct observable { const char *name; void (*print)(struct sim *s, const struct nic *n, struct text *out); };
extern const struct observable observables[];	/* name NULL at the end */

/* How to change one; @argv: the words behind the interface's name. Return: 0 or -errno with the reason told. */
struct settable {
	const char *name, *words;	/* for the usage */
	int min, max;			/* how many words */
	int (*set)(struct sim *s, struct nic *n, int argc, char *const *argv);
};
extern const struct settable settables[];	/* name NULL at the end */

/** word_number - the whole of @word as a number of any base, @min to @max; else -EINVAL with the reason told */
int word_number(struct sim *s, const char *word, long min, long max, long *v);
/** word_errno - "EIO" or "5". Return: a positive errno, or -EINVAL with the reason told */
int word_errno(struct sim *s, const char *word);

#endif
