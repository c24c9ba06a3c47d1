/* SPDX-License-Identifier: Apache-2.0 */
/* What a field takes, in words. */
#include "explain/kinds.h"

#include "base/text.h"
#include "base/units.h"

const char *kind_name(enum kind k)
{
	static const char *const names[] = {
		[KIND_BOOL] = "boolean", [KIND_UINT] = "number", [KIND_WORD] = "word",	   [KIND_TEXT] = "text",
		[KIND_SET] = "list",	 [KIND_MAP] = "map",	 [KIND_SHARES] = "shares", [KIND_TEXTS] = "texts",
		[KIND_AMOUNTS] = "amounts",
	};

	return names[k];
}

static void add_range(const struct field *f, struct text *out)
{
	if (f->max <= f->min)
		return;
	text_add(out, ", ");
	units_print(f->min, f->unit, out);
	text_add(out, " to ");
	units_print(f->max, f->unit, out);
	if (f->unit && !units_suffixed(f->unit))
		text_printf(out, " %s", f->unit);
}

static void add_words(const struct field *f, struct text *out)
{
	for (size_t i = 0; f->words[i]; i++)
		text_printf(out, "%s%s", i == 0 ? "" : f->words[i + 1] ? ", " : " or ", f->words[i]);
}

void kind_takes(const struct field *f, struct text *out)
{
	switch (f->kind) {
	case KIND_BOOL:
		text_add(out, "true or false");
		break;
	case KIND_UINT:
		text_add(out, "a number");
		add_range(f, out);
		break;
	case KIND_WORD:
		add_words(f, out);
		break;
	case KIND_TEXT:
		text_add(out, "a text");
		break;
	case KIND_SET:
		text_printf(out, "a list of numbers from 0 to %lld; [] is none", (long long)f->max);
		break;
	case KIND_MAP:
		text_printf(out, "a map: 0 to %u, each to 0 to %lld", f->span - 1, (long long)f->max);
		break;
	case KIND_SHARES:
		text_add(out, "a map: traffic class 0 to 7, each to a share such as 40%, or strict");
		break;
	case KIND_AMOUNTS:
		text_printf(out, "a map: 0 to %u, each to a number", AMOUNTS - 1u);
		add_range(f, out);
		break;
	case KIND_TEXTS:
		text_add(out, "a list of texts");
		break;
	}
}
