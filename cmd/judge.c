/* SPDX-License-Identifier: Apache-2.0 */
/* Brings policy and lint together, which do not know each other. */
#include "judge.h"

#include "cmd.h"
#include "policy/policy.h"

bool judge_refused(const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i].severity == SEVERITY_ERROR && !d->at[i].rule)
			return true;
	return false;
}

int judge_policy(struct lint *l, struct policy *p, const char *node)
{
	const struct source *s;
	const struct fabric *f;
	int r;

	for (size_t i = 0; (f = policy_fabric_at(p, i)) != NULL; i++)
		lint_fabric(l, f);
	r = policy_each(p, node, l->catalog, lint_visit, l, l->d);
	for (size_t i = 0; !node && (s = policy_source(p, i)) != NULL; i++)
		lint_end(l, s, !judge_refused(l->d));
	return r;
}

int lint_policy(struct policy *p, const char *node, const struct catalog *c, struct diags *d)
{
	struct lint l;

	lint_init(&l, c, d);
	return judge_policy(&l, p, node);
}
