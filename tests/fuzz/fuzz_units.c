/* SPDX-License-Identifier: Apache-2.0 */
/* A number with its unit: the first byte chooses the unit. What is taken is printed so that it reads as the same number. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"

static const char *const units[] = { NULL, "us", "ms", "Mb/s", "bytes", "%", "m", "MT/s", "connections" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *unit = n ? units[data[0] % (sizeof(units) / sizeof(units[0]))] : NULL;
	TEXT_CLEANUP struct text printed = { 0 };
	struct arena *a = arena_new();
	int64_t v = 42, again = 0;

	if (units_parse(n ? arena_strndup(a, (const char *)data + 1, n - 1) : "", unit, &v) != UNITS_OK) {
		if (v != 42)
			abort();	/* untouched where nothing was understood */
	} else {
		units_print(v, unit, &printed);
		if (units_parse(text_str(&printed), unit, &again) != UNITS_OK || again != v)
			abort();
	}
	arena_free(a);
	return 0;
}
