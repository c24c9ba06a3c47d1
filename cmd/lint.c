/* SPDX-License-Identifier: Apache-2.0 */
/* Judges policies without a machine: for all nodes, or for one. */
#include "base/json.h"
#include "cmd.h"
#include "lint/lint.h"
#include "policy/policy.h"

static void judge(struct session *s, const char *path)
{
	struct policy *p;

	if (policy_load(s->arena, path, s->catalog, &p, &s->diags) < 0)
		return;
	lint_policy(p, s->opt->node, s->catalog, &s->diags);
}

static void print_json(struct session *s, int status)
{
	struct json j;

	json_init(&j, &s->out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_string(&j, "command", "lint");
	json_int(&j, "errors", (int64_t)s->diags.errors);
	json_int(&j, "warnings", (int64_t)s->diags.warnings);
	json_int(&j, "exit_code", status);
	json_array_open(&j, "findings");
	for (size_t i = 0; i < s->diags.n; i++) {
		const struct diag *d = &s->diags.at[i];

		json_object_open(&j, NULL);
		json_string(&j, "severity", severity_name(d->severity));
		if (d->rule)
			json_string(&j, "rule", d->rule);
		json_string(&j, "message", d->what);
		if (d->pos.source) {
			json_string(&j, "file", d->pos.source->name);
			json_int(&j, "line", d->pos.line);
			json_int(&j, "column", d->pos.col);
		}
		if (d->hint)
			json_string(&j, "hint", d->hint);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	text_add(&s->out, "\n");
}

static int lint(struct session *s)
{
	int status;

	s->remarks = true;
	if (!s->opt->nargs)
		judge(s, policy_path(s->opt));
	for (int i = 0; i < s->opt->nargs; i++)
		judge(s, s->opt->arg[i]);
	status = s->diags.errors ? EXIT_POLICY : s->opt->strict && s->diags.warnings ? EXIT_DRIFT : EXIT_SYNC;
	if (s->opt->output == OUTPUT_JSON)
		print_json(s, status);
	else if (!s->opt->quiet || status)
		text_printf(&s->out, "%zu error%s, %zu warning%s, %zu note%s\n", s->diags.errors, s->diags.errors == 1 ? "" : "s",
			    s->diags.warnings, s->diags.warnings == 1 ? "" : "s", s->diags.notes, s->diags.notes == 1 ? "" : "s");
	return status;
}

const struct command command_lint = {
	"lint", "[POLICY]…", "Judges a policy without a machine, for all its nodes or for --node",
	OPTION_POLICY | OPTION_REPORT, lint,
};
