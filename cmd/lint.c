/* SPDX-License-Identifier: Apache-2.0 */
/* Judges policies without a machine: for all nodes, or for one. */
#include <limits.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd.h"
#include "compiled.h"
#include "judge.h"
#include "policy/policy.h"
#include "report/findings.h"

/* Return: what became of --compile: EXIT_SYNC, EXIT_POLICY if the policy has errors, EXIT_UNKNOWN if it could not be written. */
static int judge(struct session *s, struct lint *l, const char *path)
{
	struct policy *p;

	if (policy_load(s->arena, path, s->catalog, &p, &s->diags) < 0 && !s->opt->nargs)
		policy_hint(s->opt, &s->diags);
	if (p)				/* what is right in it is judged all the same: one run tells all errors */
		judge_policy(l, p, s->opt->node);
	if (s->diags.errors)
		return EXIT_POLICY;
	return s->opt->compile && compiled_save(s, p, s->opt->compile) < 0 ? EXIT_UNKNOWN : EXIT_SYNC;
}

static void print(struct session *s, const struct findings *f)
{
	if (s->opt->output == OUTPUT_SARIF)
		findings_sarif(f, &s->out);
	else if (s->opt->output == OUTPUT_JSON)
		findings_json(f, &s->out);
	else if (!s->opt->quiet || f->exit_code)
		findings_table(f, s->opt->verbose, &s->out);
}

static int lint(struct session *s)
{
	const struct rule *rule[LINT_RULES_MAX];
	char folder[PATH_MAX];
	struct lint l;
	struct findings f = { .diags = &s->diags,
			      .judged = l.judged,
			      .rule = rule,
			      .nrules = lint_rules(rule),
			      .folder = getcwd(folder, sizeof(folder)) ? folder : "" };

	lint_init(&l, s->catalog, &s->diags);
	if (s->opt->nargs && (s->opt->policy || s->opt->rules)) {
		diag_error(&s->diags, NULL, s->opt->rules ? "--rules lists the rules, and judges no policy" :
							    "-p and POLICY both name what is judged: give one of them");
		return EXIT_USAGE;
	}
	if (s->opt->rules) {
		findings_rules(&f, s->opt->output == OUTPUT_JSON, s->opt->verbose, session_color(s, STDOUT_FILENO),
			       &s->out);
		return EXIT_SYNC;
	}
	s->remarks = true;
	if (s->opt->compile && s->opt->nargs > 1) {
		diag_error(&s->diags, NULL, "--compile takes one policy");
		return EXIT_USAGE;
	}
	if (!s->opt->nargs)
		f.exit_code = judge(s, &l, policy_path(s->opt));
	for (int i = 0; i < s->opt->nargs; i++)
		f.exit_code = judge(s, &l, s->opt->arg[i]);
	if (f.exit_code == EXIT_SYNC && s->opt->strict && s->diags.warnings)
		f.exit_code = EXIT_DRIFT;
	print(s, &f);
	return f.exit_code;
}

const struct command command_lint = {
	"lint", "[POLICY]…", "Judges a policy without a machine, for all its nodes or for one",
	OPTION_POLICY | OPTION_REPORT | OPTION_LINT, lint,
};
