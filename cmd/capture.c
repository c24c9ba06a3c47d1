/* SPDX-License-Identifier: Apache-2.0 */
/* A policy from what is there: of this machine, of a dump, or of many dumps. */
#include <string.h>

#include "base/arena.h"
#include "cmd.h"
#include "judge.h"
#include "kernel/kernel.h"
#include "policy/emit.h"
#include "policy/policy.h"

enum { ROUNDS = 4 };

/* All that `show` shows, of the session's machine. Return: 0 or the exit status. */
static int look(struct session *s, struct emit_node *node)
{
	struct { struct emit_record *at; size_t n, room; } list = { 0 };
	const struct target **target;
	struct finding *f;
	struct run run;
	size_t n, nf;
	int r = session_targets(s, &target, &n);

	if (r)
		return r;
	run = (struct run){ .kernel = s->kernel, .arena = s->arena, .catalog = s->catalog, .facts = s->facts };
	observe_all(&run, target, n, &f, &nf, &s->diags);
	for (size_t i = 0; i < nf; i++)
		list_add(&list, s->arena) = (struct emit_record){ f[i].target, f[i].live };
	*node = (struct emit_node){ s->opt->node ? s->opt->node : s->facts->hostname, s->facts, list.at, list.n };
	return 0;
}

/* The next dump in the place of the one before. What was read stays: it is in the arena. */
static int look_at_dump(struct session *s, const char *path, struct emit_node *node)
{
	const struct options *given = s->opt;
	struct options o = *given;
	int r;

	if (s->kernel)
		kernel_close(s->kernel);
	s->kernel = NULL;
	s->facts = NULL;
	o.from = path;
	s->opt = &o;
	r = look(s, node);
	s->opt = given;
	return r;
}

/* --- what rules say of it -------------------------------------------------------- */

/* Finding @i is of a rule, and the first one of this rule at its line. */
static bool is_first(const struct diags *d, size_t i)
{
	const struct diag *one = &d->at[i];

	if (!one->rule || one->severity == SEVERITY_NOTE || !one->pos.source)
		return false;
	for (size_t k = 0; k < i; k++)
		if (d->at[k].rule && d->at[k].pos.line == one->pos.line && !strcmp(d->at[k].rule, one->rule) &&
		    d->at[k].severity != SEVERITY_NOTE)
			return false;
	return true;
}

/* A comment above the line of each finding, so that it is there to be read and to be decided, and refuses nothing. */
static void allow(const struct diags *d, struct text *policy)
{
	TEXT_CLEANUP struct text t = { 0 };
	uint32_t line = 1;

	for (const char *s = text_str(policy); *s; line++) {
		size_t n = strcspn(s, "\n") + 1;

		for (size_t i = 0; i < d->n; i++)
			if (d->at[i].pos.line == line && is_first(d, i))
				text_printf(&t, "%.*s# rdmactl: allow %s because it was found so\n", (int)strspn(s, " "), s, d->at[i].rule);
		text_addn(&t, s, n);
		s += n;
	}
	text_reset(policy);
	text_addn(policy, text_str(&t), t.n);
}

static void tell(struct session *s, const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++) {
		if (!is_first(d, i))
			continue;
		diag_warning(&s->diags, NULL, "%s%swhat was found has a finding: %s", d->at[i].object ? d->at[i].object : "",
			     d->at[i].object ? ": " : "", d->at[i].what)->rule = d->at[i].rule;
		diag_hint(&s->diags, "the policy allows it, in a comment: decide there");
	}
}

/* What it wrote is a policy, and lints clean: of what rules say to it, what is behind one finding may show after it. */
static int judge(struct session *s)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct policy *p;
		struct diags d;
		struct lint l;

		diags_init(&d, s->arena);
		lint_init(&l, s->catalog, &d);
		if (policy_parse(s->arena, "(captured)", text_str(&s->out), s->out.n, s->catalog, &p, &d) < 0 ||
		    (judge_policy(&l, p, NULL) < 0 && judge_refused(&d))) {
			for (size_t i = 0; i < d.n; i++)
				diag_error(&s->diags, NULL, "what was found makes no policy: %s", d.at[i].what);
			return EXIT_UNKNOWN;
		}
		if (!d.errors && !d.warnings)
			break;
		tell(s, &d);
		allow(&d, &s->out);
	}
	return EXIT_SYNC;
}

static int capture(struct session *s)
{
	struct emit_node *node = arena_array_of(s->arena, struct emit_node, (size_t)s->opt->nargs + 1);
	size_t n = 0;
	int r;

	if (s->opt->nargs && (!s->opt->from || s->opt->node)) {
		diag_error(&s->diags, NULL, s->opt->from ? "capture: --node names one node, and there are several dumps"
							 : "capture: files are dumps, and stand behind --from: --from a.dump b.dump");
		return EXIT_USAGE;
	}
	r = look(s, &node[n++]);
	for (int i = 0; i < s->opt->nargs && r == 0; i++)
		r = look_at_dump(s, s->opt->arg[i], &node[n++]);
	s->remarks = true;
	if (r == 0 && emit_policy(s->arena, s->catalog, node, n, &s->out, &s->diags) < 0) {
		text_reset(&s->out);
		r = EXIT_USAGE;
	}
	return r ? r : judge(s);
}

const struct command command_capture = {
	"capture", "[DUMP]…", "Writes the policy that describes this node, or many by dumps",
	OPTION_MACHINE | OPTION_CAPTURE, capture,
};
