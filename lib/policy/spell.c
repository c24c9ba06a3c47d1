/* SPDX-License-Identifier: Apache-2.0 */
/* Values as YAML, in one line each: what decode.c reads. What it would not read back as the same value is not written. */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/gather.h"

static bool is_plain(const char *s)
{
	static const char *const words[] = { "null", "~", "fabric", "true", "false", "yes", "no", "on", "off", NULL };

	for (const char *const *w = words; *w; w++)
		if (!strcmp(s, *w))
			return false;
	if (!*s || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/", *s))
		return false;
	return !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/.%+-")];
}

const char *gather_quoted(struct arena *a, const char *s)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (is_plain(s))
		return arena_strdup(a, s);
	text_char(&t, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_char(&t, '\\');
		text_char(&t, *s);
	}
	text_char(&t, '"');
	return arena_strdup(a, text_str(&t));
}

/* Control characters are no part of a value, and neither is text that would not be UTF-8. */
static bool is_clean(const char *s)
{
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	return text_is_utf8(s, strlen(s));
}

static const char *scalar(struct arena *a, const struct field *f, const struct value *v)
{
	TEXT_CLEANUP struct text printed = { 0 };
	const char *s, *why;
	struct value again = { 0 };

	if (f->kind == KIND_TEXT)
		text_add(&printed, v->text ? v->text : "");
	else
		value_print(f, v, &printed);
	s = text_str(&printed);
	if (!is_clean(s) || value_parse(f, s, &again, a, &why) < 0)
		return NULL;
	if (f->kind == KIND_BOOL)
		return arena_strdup(a, s);
	return gather_quoted(a, s);
}

static void add_key(struct text *t, unsigned first, unsigned last)
{
	text_printf(t, first == last ? "%s%u: " : "%s%u-%u: ", t->n > 1 ? ", " : "", first, last);
}

/* "strict", "vendor", "" for a share in percent; NULL if the language has no word for it. */
static const char *share_word(uint8_t share)
{
	return share <= 100 ? "" : share == SHARE_STRICT ? "strict" : share == SHARE_VENDOR ? "vendor" : NULL;
}

/* {0-25: 0, 26: 3}; entries that the language has no word for are left out. NULL: nothing is left of it. */
static const char *keyed(struct arena *a, const struct field *f, const struct value *v)
{
	unsigned span = value_span(f), said = 0;
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '{');
	for (unsigned i = 0, end; i < span; i = end) {
		uint8_t at = v->map[i];

		for (end = i + 1; end < span && v->map[end] == at; end++)
			;
		said += at != VALUE_UNSET;
		if (at == VALUE_UNSET || (f->kind == KIND_SHARES && !share_word(at)))
			continue;
		add_key(&t, i, end - 1);
		if (f->kind == KIND_SHARES && *share_word(at))
			text_add(&t, share_word(at));
		else
			text_printf(&t, f->kind == KIND_SHARES ? "%u%%" : "%u", at);
	}
	if (said && t.n == 1)
		return NULL;
	text_char(&t, '}');
	return arena_strdup(a, text_str(&t));
}

static const char *amounts(struct arena *a, const struct field *f, const struct value *v)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '{');
	for (unsigned i = 0, end; i < AMOUNTS; i = end) {
		for (end = i + 1; end < AMOUNTS && v->amount[end] == v->amount[i]; end++)
			;
		if (v->amount[i] == AMOUNT_UNSET)
			continue;
		add_key(&t, i, end - 1);
		units_print(v->amount[i], f->unit, &t);
	}
	text_char(&t, '}');
	return t.n > 2 ? arena_strdup(a, text_str(&t)) : NULL;
}

static const char *set(struct arena *a, const struct value *v)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '[');
	for (unsigned i = 0; i < 64; i++)
		if ((uint64_t)v->num >> i & 1)
			text_printf(&t, "%s%u", t.n > 1 ? ", " : "", i);
	text_char(&t, ']');
	return arena_strdup(a, text_str(&t));
}

static const char *texts(struct arena *a, const struct value *v)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '[');
	for (size_t i = 0; v->texts && v->texts[i]; i++) {
		if (!is_clean(v->texts[i]))
			return NULL;
		text_printf(&t, "%s%s", i ? ", " : "", gather_quoted(a, v->texts[i]));
	}
	text_char(&t, ']');
	return arena_strdup(a, text_str(&t));
}

const char *gather_yaml(struct arena *a, const struct field *f, const struct value *v)
{
	switch (f->kind) {
	case KIND_MAP:
	case KIND_SHARES:
		return keyed(a, f, v);
	case KIND_AMOUNTS:
		return amounts(a, f, v);
	case KIND_SET:
		return set(a, v);
	case KIND_TEXTS:
		return texts(a, v);
	default:
		return scalar(a, f, v);
	}
}
