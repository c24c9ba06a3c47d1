/* SPDX-License-Identifier: Apache-2.0 */
/* Brings policy and lint together, which do not know each other. */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include "lint/lint.h"

struct policy;

/**
 * judge_policy - all rules over the fabrics of a policy and what it asks of its nodes, or of @node alone
 * @l: filled by lint_init(); may judge several policies, one after the other
 * Return: 0 or -EINVAL if the policy could not be compiled for some node; findings are counted in l->d.
 */
int judge_policy(struct lint *l, struct policy *p, const char *node);
/** judge_refused - is there an error of the language itself, that hides what is below it from the rules */
bool judge_refused(const struct diags *d);

#endif
