/* SPDX-License-Identifier: Apache-2.0 */
/* Brings policy and lint together, which do not know each other. */
#include "cmd.h"
#include "lint/lint.h"
#include "policy/policy.h"

int lint_policy(struct policy *p, const char *node, const struct catalog *c, struct diags *d)
{
	struct lint l;

	lint_init(&l, c);
	return policy_each(p, node, c, lint_visit, &l, d);
}
