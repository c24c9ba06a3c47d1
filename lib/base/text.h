/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, and text made safe for a terminal. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Bytes on the heap, NUL behind them. { 0 } is empty; text_done() frees. May hold NUL bytes (netlink). */
struct text {
	char *s;
	size_t n, room;
};

#define TEXT_CLEANUP __attribute__((cleanup(text_done)))

void text_done(struct text *t);
void text_reset(struct text *t);		/* empty, memory kept */
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const void *s, size_t n);
void text_char(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** text_uint - decimal, without the cost of printf */
void text_uint(struct text *t, uint64_t v);
/** text_str - the bytes so far as a C string; "" when empty */
const char *text_str(const struct text *t);
/** text_room - @n writable bytes behind the text; text_used() says how many were filled */
char *text_room(struct text *t, size_t n);
void text_used(struct text *t, size_t n);

/**
 * text_safe - @s with control characters, invalid UTF-8, and Unicode that reorders or hides text (C1, bidi,
 * zero width) written as \xNN, cut at @max bytes with "…"; for whatever devices, neighbours and files said.
 * Newline counts as a control character.
 */
const char *text_safe(struct arena *a, const char *s, size_t n, size_t max);
void text_add_safe(struct text *t, const char *s, size_t n);
/** text_add_word - as one word of a command line, quoted where a shell needs it; @open: but for variables and globs */
void text_add_word(struct text *t, const char *s, bool open);

/**
 * text_utf8 - decode one character of at most @n bytes
 * Return: its length in bytes, 1 to 4; 0 if it is not valid UTF-8 (overlong, surrogate, cut off) or @n is 0.
 */
size_t text_utf8(const char *s, size_t n, uint32_t *cp);
/** text_harmless - may this character go to a terminal: no control, nothing that reorders or hides text */
bool text_harmless(uint32_t cp);
/** text_columns - what a harmless character takes on a terminal: 0 (combining), 1 or 2 (wide) */
unsigned text_columns(uint32_t cp);

/** text_same - the same text, or no text twice */
bool text_same(const char *x, const char *y);
/** text_trim - end of @s without trailing blanks and newlines; returns the new length */
size_t text_trim(const char *s, size_t n);
/** text_is_utf8 - false also for NUL inside and surrogates */
bool text_is_utf8(const char *s, size_t n);
/** text_u64 - the whole of @s as a plain decimal number; false for sign, blank, leading zero of "010", overflow */
bool text_u64(const char *s, uint64_t *v);
/** text_nearest - the word of @words (NULL at the end) that is spelled most like @s, or NULL if none is near */
const char *text_nearest(const char *s, const char *const *words);

#endif
