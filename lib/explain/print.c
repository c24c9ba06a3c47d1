/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an explanation. What is cut is counted in columns, not in bytes. */
#include "explain/print.h"

#include <string.h>

#include "base/text.h"

enum { WIDTH = 100 };

/* Bytes of @s that fit into @columns: to the last blank that does, or a word that is too long by itself. */
static size_t fitting(const char *s, size_t columns)
{
	size_t n = strlen(s), at = 0, cut = 0, used = 0;

	while (at < n && used <= columns) {
		uint32_t cp;
		size_t len = text_utf8(s + at, n - at, &cp);

		if (s[at] == ' ')
			cut = at;
		used += len ? text_columns(cp) : 1;
		at += len ? len : 1;
	}
	if (used <= columns)
		return n;
	return cut ? cut : strcspn(s, " ");
}

void print_label(struct text *out, const char *word)
{
	text_printf(out, "  %-*s", PRINT_LABEL, word);
}

void print_line(struct text *out, const char *word, const char *s)
{
	TEXT_CLEANUP struct text safe = { 0 };

	if (!s)
		return;
	text_add_safe(&safe, s, strlen(s));
	s = text_str(&safe);
	for (; s; word = "") {
		size_t n = fitting(s, WIDTH - 2 - PRINT_LABEL);

		print_label(out, word);
		text_addn(out, s, n);
		text_char(out, '\n');
		s = s[n] ? s + n + 1 : NULL;
	}
}

void print_whole(struct text *out, const char *word, const char *s)
{
	print_label(out, word);
	text_add_safe(out, s, strlen(s));
	text_char(out, '\n');
}
