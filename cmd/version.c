/* SPDX-License-Identifier: Apache-2.0 */
/* What this is. */
#include "base/json.h"
#include "cmd.h"
#include "report/report.h"

static int version(struct session *s)
{
	struct json j;

	if (s->opt->output == OUTPUT_TABLE) {
		text_add(&s->out, "rdmactl " VERSION "\n");
		return EXIT_SYNC;
	}
	json_init(&j, &s->out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_int(&j, "policy_version", 1);
	json_int(&j, "report", REPORT_FORMAT);
	json_object_close(&j);
	text_add(&s->out, "\n");
	return EXIT_SYNC;
}

const struct command command_version = { "version", "", "Says what this is", OPTION_OUTPUT, version };
