/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that grows on the heap, and what makes foreign text safe for a terminal: devices, neighbours, files and
 * policies can hold escape sequences, and Unicode that turns the order of a line around or hides part of it.
 */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Ends the program, as the arena does: no caller could say more, and nothing half done is left without a journal. */
static void text_no_memory(size_t n)
{
	fprintf(stderr, "rdmactl: error: no memory for a text of %zu bytes\n", n);
	abort();
}

void text_done(struct text *t)
{
	free(t->s);
	*t = (struct text){ 0 };
}

void text_reset(struct text *t)
{
	t->n = 0;
	if (t->s)
		t->s[0] = '\0';
}

char *text_room(struct text *t, size_t n)
{
	size_t need = t->n + n + 1, room = t->room ? t->room : 64;
	char *s;

	if (need <= t->room && need > n)
		return t->s + t->n;
	if (need <= n)
		text_no_memory(n);
	while (room < need)
		room = room > SIZE_MAX / 2 ? need : room * 2;
	s = realloc(t->s, room);
	if (!s)
		text_no_memory(room);
	t->s = s;
	t->room = room;
	return t->s + t->n;
}

void text_used(struct text *t, size_t n)
{
	t->n += n;
	t->s[t->n] = '\0';
}

void text_addn(struct text *t, const void *s, size_t n)
{
	char *to = text_room(t, n);

	if (n)
		memcpy(to, s, n);
	text_used(t, n);
}

void text_add(struct text *t, const char *s)
{
	text_addn(t, s, strlen(s));
}

void text_char(struct text *t, char c)
{
	if (t->n + 2 > t->room)
		text_room(t, 1);
	t->s[t->n++] = c;
	t->s[t->n] = '\0';
}

void text_printf(struct text *t, const char *fmt, ...)
{
	char *to = text_room(t, 80);
	size_t room = t->room - t->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= room) {
		to = text_room(t, (size_t)n);
		va_start(ap, fmt);
		n = vsnprintf(to, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	text_used(t, n < 0 ? 0 : (size_t)n);
}

void text_uint(struct text *t, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	text_addn(t, digits + i, sizeof(digits) - i);
}

const char *text_str(const struct text *t)
{
	return t->s ? t->s : "";
}

size_t text_utf8(const char *s, size_t n, uint32_t *cp)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t least;		/* anything less is overlong */
	} forms[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	const uint8_t *u = (const uint8_t *)s;

	for (size_t len = 1; len <= 4 && len <= n; len++) {
		uint32_t c;

		if ((u[0] & forms[len - 1].mask) != forms[len - 1].lead)
			continue;
		c = u[0] & (uint8_t)~forms[len - 1].mask;
		for (size_t i = 1; i < len; i++) {
			if ((u[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (u[i] & 0x3f);
		}
		if (c < forms[len - 1].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		*cp = c;
		return len;
	}
	return 0;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *r, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n && cp >= r[i].first; i++)
		if (cp <= r[i].last)
			return true;
	return false;
}

#define IN(ranges, cp) in_ranges(ranges, sizeof(ranges) / sizeof((ranges)[0]), cp)

/* Controls, and what Unicode calls default ignorable, bidirectional controls, line separators and non-characters. */
static const struct range harmful[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad },   { 0x034f, 0x034f },   { 0x061c, 0x061c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

static const struct range combining[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x064b, 0x065f },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0xfe20, 0xfe2f },
};

static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
};

bool text_harmless(uint32_t cp)
{
	return (cp >= 0x20 && cp < 0x7f) || !IN(harmful, cp);
}

unsigned text_columns(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	if (IN(combining, cp))
		return 0;
	return IN(wide, cp) ? 2 : 1;
}

/* The next character of @s, or one byte of what is none; safe to spell as it is or, if *hex, as \xNN for each byte. */
static size_t safe_next(const char *s, size_t n, bool *hex)
{
	uint32_t cp;
	size_t len = text_utf8(s, n, &cp);

	*hex = len == 0 || !text_harmless(cp);
	return len ? len : 1;
}

static void add_hex(struct text *t, const char *s, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)s[i];
		char hex[4] = { '\\', 'x', digit[c >> 4], digit[c & 15] };

		text_addn(t, hex, sizeof(hex));
	}
}

static void add_safe(struct text *t, const char *s, size_t n, size_t max)
{
	static const char more[] = "\xe2\x80\xa6";	/* … */
	size_t start = t->n, cut = t->n, len;
	bool hex;

	for (size_t i = 0; i < n; i += len) {
		len = safe_next(s + i, n - i, &hex);
		if (hex)
			add_hex(t, s + i, len);
		else
			text_addn(t, s + i, len);
		if (t->n - start > max) {
			t->n = cut;
			text_add(t, max < strlen(more) ? "" : more);
			return;
		}
		if (t->n - start + strlen(more) <= max)
			cut = t->n;
	}
}


/* Bytes from the start of @s that are printable ASCII: nearly always all of them. */
static size_t plain_length(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

void text_add_safe(struct text *t, const char *s, size_t n)
{
	size_t plain = plain_length(s, n);

	text_addn(t, s, plain);
	if (plain < n)
		add_safe(t, s + plain, n - plain, SIZE_MAX);
}

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%"
#define OPEN "^$*{}[]"

void text_add_word(struct text *t, const char *s, bool open)
{
	if (*s && !s[strspn(s, open ? WORD OPEN : WORD)]) {
		text_add(t, s);
		return;
	}
	text_char(t, '\'');
	for (; *s; s++)
		text_addn(t, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
	text_char(t, '\'');
}

const char *text_safe(struct arena *a, const char *s, size_t n, size_t max)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (n <= max && plain_length(s, n) == n)
		return arena_strndup(a, s, n);
	add_safe(&t, s, n, max);
	return arena_strndup(a, text_str(&t), t.n);
}

bool text_same(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

size_t text_trim(const char *s, size_t n)
{
	while (n && memchr(" \t\r\n\v\f", s[n - 1], 6))
		n--;
	return n;
}

bool text_is_utf8(const char *s, size_t n)
{
	uint32_t cp;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = text_utf8(s + i, n - i, &cp);
		if (!len || !cp)
			return false;
	}
	return true;
}

bool text_u64(const char *s, uint64_t *v)
{
	uint64_t sum = 0;

	if (!*s || (s[0] == '0' && s[1]))
		return false;
	for (; *s; s++) {
		unsigned digit = (unsigned)*s - '0';

		if (digit > 9 || __builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	*v = sum;
	return true;
}

enum { WORD_MAX_LEN = 63 };	/* what is longer is no misspelling of ours; bounds the work on hostile input */

static char fold(char c)
{
	return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

/* Edits (insert, delete, replace, swap of neighbours) from @a to @b; case and '-' for '_' cost nothing. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[3][WORD_MAX_LEN + 1];
	unsigned *before = row[0], *last = row[1], *now = row[2];
	size_t la = strlen(a), lb = strlen(b);

	for (size_t j = 0; j <= lb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *reuse = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned least = last[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));

			if (last[j] + 1 < least)
				least = last[j] + 1;
			if (now[j - 1] + 1 < least)
				least = now[j - 1] + 1;
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
			    before[j - 2] + 1 < least)
				least = before[j - 2] + 1;
			now[j] = least;
		}
		before = last;
		last = now;
		now = reuse;
	}
	return last[lb];
}

/* Has @word all that was typed, in that order? Of two that are as near, it is the one that was meant: Spectrum-4 for Spectrum4. */
static bool spells(const char *word, const char *typed)
{
	for (; *word && *typed; word++)
		typed += fold(*word) == fold(*typed);
	return !*typed;
}

const char *text_nearest(const char *s, const char *const *words)
{
	size_t len = strlen(s);
	unsigned limit = len < 4 ? 1 : (unsigned)len / 3, best = limit + 1;
	const char *nearest = NULL;

	if (!len || len > WORD_MAX_LEN)
		return NULL;
	for (; *words; words++) {
		unsigned d;

		if (strlen(*words) > WORD_MAX_LEN)
			continue;
		d = len >= 3 && strncmp(*words, s, len) == 0 ? 1 : distance(s, *words);
		if (d < len && (d < best || (d == best && nearest && !spells(nearest, s) && spells(*words, s)))) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}
