/* SPDX-License-Identifier: Apache-2.0 */
/* A command line that somebody copied: cut, parsed by its tool's table, answered for people and for programs. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog.h"
#include "explain/command.h"

/* Whatever the line was, nothing that a terminal would obey comes back. */
static void look(const char *s)
{
	uint32_t cp;

	for (size_t n = strlen(s), len; n; s += len, n -= len) {
		len = text_utf8(s, n, &cp);
		if (!len || (cp != '\n' && !text_harmless(cp)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	TEXT_CLEANUP struct text out = { 0 }, json = { 0 };
	struct arena *a = arena_new();
	const char *line = arena_strndup(a, (const char *)data, n), *error;
	struct json j;
	struct diags d;
	int r;

	diags_init(&d, a);
	r = explain_any(catalog_default(), NULL, line, &out, NULL, &d);
	if (r < 0 && !d.errors)
		abort();
	look(text_str(&out));
	json_init(&j, &json, false);
	json_array_open(&j, NULL);
	explain_any(catalog_default(), NULL, line, NULL, &j, &d);
	json_array_close(&j);
	struct json_object *o = json_parse(text_str(&json), json.n, &error);
	if (!o)
		abort();
	json_put(o);
	arena_free(a);
	return 0;
}
