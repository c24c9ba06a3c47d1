/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting means, from the tables. */
#include "cmd.h"
#include "base/json.h"
#include "explain/command.h"

static int explain(struct session *s)
{
	struct json j, *json = NULL;
	int r = 0;

	if (s->opt->output == OUTPUT_JSON) {
		json = &j;
		json_init(json, &s->out, true);
		json_array_open(json, NULL);
	}
	if (!s->opt->nargs)
		r = explain_any(s->catalog, "", &s->out, json, &s->diags);
	for (int i = 0; i < s->opt->nargs && r == 0; i++)
		r = explain_any(s->catalog, s->opt->arg[i], &s->out, json, &s->diags);
	if (json) {
		json_array_close(json);
		text_add(&s->out, "\n");
	}
	return r < 0 ? EXIT_USAGE : EXIT_SYNC;
}

const struct command command_explain = {
	"explain", "[KEY|TOPIC|'COMMAND LINE']…", "Says what a setting means; or what a command does, and the policy line in its place",
	OPTION_OUTPUT, explain,
};
