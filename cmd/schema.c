/* SPDX-License-Identifier: Apache-2.0 */
/* The language as JSON Schema, for editors and merge requests. */
#include "base/json.h"
#include "cmd.h"
#include "policy/json_schema.h"

static int schema(struct session *s)
{
	struct json j;

	json_init(&j, &s->out, true);
	json_schema(s->arena, s->catalog, &j);
	text_char(&s->out, '\n');
	return EXIT_SYNC;
}

const struct command command_schema = { "schema", "", "Prints the JSON Schema (draft-07) of a policy, for editors", 0, schema };
