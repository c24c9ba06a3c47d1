/* SPDX-License-Identifier: Apache-2.0 */
/* A policy from what is there: of this machine, of a dump, or of many dumps. */
#include "base/arena.h"
#include "cmd.h"
#include "judge.h"
#include "kernel/kernel.h"
#include "policy/emit.h"
#include "policy/policy.h"

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

/* It is held to its word: what it wrote is a policy, and rules may have something to say of what was found. */
static void judge(struct session *s)
{
	struct policy *p;
	struct lint l;
	size_t warned = s->diags.warnings;

	lint_init(&l, s->catalog, &s->diags);
	if (policy_parse(s->arena, "(captured)", text_str(&s->out), s->out.n, s->catalog, &p, &s->diags) == 0)
		judge_policy(&l, p, NULL);
	if (s->diags.warnings > warned)
		diag_hint(&s->diags, "the policy is written all the same: it says what was found, and this may be wrong with it");
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
	if (r == 0)
		judge(s);
	return r;
}

const struct command command_capture = {
	"capture", "[DUMP]…", "Writes a policy from what is found here, or with --from on nodes of which there are dumps",
	OPTION_MACHINE | OPTION_CAPTURE, capture,
};
