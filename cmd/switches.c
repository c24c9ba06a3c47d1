/* SPDX-License-Identifier: Apache-2.0 */
/* Which switches of a policy a command means, and whose language they speak. */
#include "switches.h"

#include <string.h>

#include "cmd.h"
#include "model/record.h"
#include "nos/nos.h"
#include "policy/policy.h"

/* --- the tier ---------------------------------------------------------------------------- */

static bool is_named(const struct fabric *f, const struct fabric_tier *t, const char *name)
{
	size_t n = strlen(f->name);

	return !strcmp(t->name, name) || (!strncmp(f->name, name, n) && name[n] == '/' && !strcmp(name + n + 1, t->name));
}

struct found {
	const struct fabric *fabric;
	const struct fabric_tier *tier;
	size_t n;
	struct text names;
};

static void look(struct session *s, struct found *x)
{
	const struct fabric *f;

	for (size_t i = 0; (f = policy_fabric_at(s->policy, i)) != NULL; i++)
		for (size_t t = 0; t < f->ntiers; t++) {
			text_printf(&x->names, "%s%s/%s", x->names.n ? ", " : "", f->name, f->tier[t].name);
			if (s->opt->tier && !is_named(f, &f->tier[t], s->opt->tier))
				continue;
			x->n++;
			x->fabric = f;
			x->tier = &f->tier[t];
		}
}

static int no_tier(struct session *s, const struct found *x)
{
	if (!x->names.n)
		diag_error(&s->diags, NULL, "this policy has no tiers of switches");
	else if (s->opt->tier)
		diag_error(&s->diags, NULL, x->n ? "--tier %s: several fabrics have a tier of this name" : "--tier %s: there is no such tier",
			   s->opt->tier);
	else
		diag_error(&s->diags, NULL, "switches of which tier? --tier says it");
	if (x->names.n)
		diag_hint(&s->diags, "the policy has %s", text_str(&x->names));
	return x->names.n ? EXIT_USAGE : EXIT_POLICY;
}

int switches_tier(struct session *s, const struct fabric **f, const struct fabric_tier **t)
{
	struct found x = { 0 };
	int r = session_policy(s);

	if (r)
		return r;
	lint_policy(s->policy, NULL, s->catalog, &s->diags);
	if (s->diags.errors)
		return EXIT_POLICY;
	look(s, &x);
	r = x.n == 1 ? 0 : no_tier(s, &x);
	text_done(&x.names);
	*f = x.fabric;
	*t = x.tier;
	return r;
}

/* --- the system ---------------------------------------------------------------------------- */

static int unknown_nos(struct session *s, const struct fabric_tier *t, const char *said)
{
	TEXT_CLEANUP struct text names = { 0 };
	const struct nos *n;

	for (size_t i = 0; (n = nos_at(i)) != NULL; i++)
		text_printf(&names, "%s%s", i ? ", " : "", n->name);
	if (said)
		diag_error(&s->diags, NULL, "--nos %s: not a switch system that rdmactl knows", said);
	else
		diag_error(&s->diags, &t->pos, "tier %s: which switch system? Say nos: here, or --nos", t->name);
	diag_hint(&s->diags, "known are %s", text_str(&names));
	return EXIT_USAGE;
}

int switches_nos(struct session *s, const struct fabric_tier *t, const struct source *file, const struct nos **nos)
{
	const struct cell *says = fabric_says(t->has, FABRIC_NOS);
	const struct nos *looks = file ? nos_guess(file) : NULL;
	const char *said = s->opt->link[FABRIC_NOS];

	*nos = said ? nos_find(said) : says ? nos_of((enum fabric_nos)says->value.num) : looks;
	if (!*nos)
		return unknown_nos(s, t, said);
	if (looks && looks != *nos && !said) {
		diag_error(&s->diags, NULL, "%s looks like a configuration of %s, not of %s", file->name, looks->called, (*nos)->called);
		diag_hint(&s->diags, "--nos %s reads it so", looks->name);
		return EXIT_UNKNOWN;
	}
	return 0;
}
