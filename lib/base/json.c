/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON out, straight into text: a report of thousands of rows is written without a tree and without a printf per
 * member. JSON in: json-c, strict and bounded.
 */
#include "base/json.h"

#include <assert.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 64 };

void json_init(struct json *j, struct text *out, bool pretty)
{
	*j = (struct json){ .out = out, .pretty = pretty };
	j->first[0] = true;
}

static void add_u(struct text *out, uint32_t unit)
{
	static const char digit[] = "0123456789abcdef";
	char u[6] = {
		'\\', 'u', digit[unit >> 12 & 15], digit[unit >> 8 & 15], digit[unit >> 4 & 15], digit[unit & 15]
	};

	text_addn(out, u, sizeof(u));
}

static void add_escape(struct text *out, uint32_t cp)
{
	static const char plain[] = "\"\\\b\f\n\r\t", spelled[] = "\"\\bfnrt";
	const char *at = cp && cp < 0x80 ? strchr(plain, (int)cp) : NULL;
	char two[2] = { '\\', at ? spelled[at - plain] : 0 };

	if (at) {
		text_addn(out, two, sizeof(two));
	} else if (cp > 0xffff) {
		add_u(out, 0xd800 + ((cp - 0x10000) >> 10));
		add_u(out, 0xdc00 + ((cp - 0x10000) & 0x3ff));
	} else {
		add_u(out, cp);
	}
}

/* From the first character on that needs more than a copy. */
static void add_rest(struct text *out, const char *s, size_t n)
{
	size_t from = 0, i = 0;

	while (i < n) {
		uint32_t cp = 0;
		size_t len = text_utf8(s + i, n - i, &cp);

		if (len && cp != '"' && cp != '\\' && text_harmless(cp)) {
			i += len;
			continue;
		}
		text_addn(out, s + from, i - from);
		if (len)
			add_escape(out, cp);
		else
			text_add(out, "\xef\xbf\xbd");
		i += len ? len : 1;
		from = i;
	}
	text_addn(out, s + from, n - from);
}

/* Bytes of a string that stand for more than themselves. */
static const bool special[256] = { [0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true };

/* text_room and text_used, without a call: reports are written in pieces of a few bytes. */
static inline char *room(struct text *out, size_t n)
{
	return out->room - out->n > n ? out->s + out->n : text_room(out, n);
}

static inline void ends(struct text *out, char *to)
{
	*to = '\0';
	out->n = (size_t)(to - out->s);
}

/*
 * A string and a byte or two behind it, most often short and plain: copied in one go. Whatever a terminal would not
 * show as it is, is escaped too: reports are read there as well.
 */
static void add_string(struct text *out, const char *s, const char *behind)
{
	size_t n = strlen(s);
	char *to = room(out, n + 5);

	*to++ = '"';
	for (; !special[(unsigned char)*s]; n--)
		*to++ = *s++;
	if (n) {
		ends(out, to);
		add_rest(out, s, n);
		to = room(out, 4);
	}
	*to++ = '"';
	while (*behind)
		*to++ = *behind++;
	ends(out, to);
}

static char *add_line(const struct json *j, char *to)
{
	*to++ = '\n';
	memset(to, ' ', 2 * (size_t)j->depth);
	return to + 2 * j->depth;
}

/* What stands before a value: comma, line, key. */
static void member(struct json *j, const char *key)
{
	char *to = room(j->out, 2 + 2 * (size_t)j->depth);

	if (!j->first[j->depth])
		*to++ = ',';
	j->first[j->depth] = false;
	if (j->depth && j->pretty)
		to = add_line(j, to);
	ends(j->out, to);
	if (key)
		add_string(j->out, key, j->pretty ? ": " : ":");
}

static void open_with(struct json *j, const char *key, char c)
{
	member(j, key);
	text_char(j->out, c);
	assert(j->depth + 1 < (int)(sizeof(j->first) / sizeof(j->first[0])));
	j->first[++j->depth] = true;
}

static void close_with(struct json *j, char c)
{
	bool empty = j->first[j->depth];

	assert(j->depth > 0);
	j->depth--;
	if (!empty && j->pretty)
		ends(j->out, add_line(j, room(j->out, 1 + 2 * (size_t)j->depth)));
	text_char(j->out, c);
}

void json_object_open(struct json *j, const char *key)
{
	open_with(j, key, '{');
}

void json_object_close(struct json *j)
{
	close_with(j, '}');
}

void json_array_open(struct json *j, const char *key)
{
	open_with(j, key, '[');
}

void json_array_close(struct json *j)
{
	close_with(j, ']');
}

void json_string(struct json *j, const char *key, const char *s)
{
	member(j, key);
	if (s)
		add_string(j->out, s, "");
	else
		text_add(j->out, "null");
}

void json_int(struct json *j, const char *key, int64_t v)
{
	member(j, key);
	if (v < 0)
		text_char(j->out, '-');
	text_uint(j->out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_decimal(struct json *j, const char *key, double v)
{
	char s[64];
	size_t n = (size_t)snprintf(s, sizeof(s), "%.4f", v);

	n = n < sizeof(s) ? n : sizeof(s) - 1;
	while (n && s[n - 1] == '0')
		n--;
	n -= n && s[n - 1] == '.';
	member(j, key);
	text_addn(j->out, s, n);
}

void json_boolean(struct json *j, const char *key, bool v)
{
	member(j, key);
	text_add(j->out, v ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	member(j, key);
	text_add(j->out, "null");
}

static struct json_object *fail(struct json_object *o, const char **error, const char *why)
{
	json_object_put(o);
	*error = why;
	return NULL;
}

struct json_object *json_parse(const char *s, size_t n, const char **error)
{
	struct json_tokener *tok;
	struct json_object *o;
	enum json_tokener_error e;
	size_t end;

	if (n >= INT_MAX)
		return fail(NULL, error, "is longer than 2 GiB");
	tok = json_tokener_new_ex(JSON_DEPTH_MAX);
	if (!tok)
		return fail(NULL, error, "no memory");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, s, (int)n);
	e = json_tokener_get_error(tok);
	end = e == json_tokener_success ? json_tokener_get_parse_end(tok) : n;
	if (e == json_tokener_continue) {	/* a number at the very end: only what follows ends it */
		o = json_tokener_parse_ex(tok, "", 1);
		e = json_tokener_get_error(tok);
	}
	json_tokener_free(tok);
	if (e == json_tokener_continue)
		return fail(o, error, "ends too early");
	if (e != json_tokener_success)
		return fail(o, error, json_tokener_error_desc(e));
	if (text_trim(s + end, n - end))
		return fail(o, error, "has something behind its end");
	if (!o)
		return fail(o, error, "is null");
	return o;
}

void json_put(struct json_object *o)
{
	json_object_put(o);
}

bool json_is_object(struct json_object *o)
{
	return json_object_is_type(o, json_type_object);
}

const char *json_text_of(struct json_object *o)
{
	const char *s;

	if (!json_object_is_type(o, json_type_string))
		return NULL;
	s = json_object_get_string(o);
	return strlen(s) == (size_t)json_object_get_string_len(o) ? s : NULL;
}

bool json_has(struct json_object *o, const char *key)
{
	return json_object_object_get_ex(o, key, NULL);
}

const char *json_text_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_text_of(v) : NULL;
}

bool json_int_of(struct json_object *o, int64_t min, int64_t max, int64_t *v)
{
	if (!json_object_is_type(o, json_type_int))
		return false;
	*v = json_object_get_int64(o);
	return *v >= min && *v <= max;
}

bool json_int_at(struct json_object *o, const char *key, int64_t min, int64_t max, int64_t *v)
{
	struct json_object *member;

	return json_object_object_get_ex(o, key, &member) && json_int_of(member, min, max, v);
}

bool json_true_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_boolean) && json_object_get_boolean(v);
}

struct json_object *json_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_is_object(v) ? v : NULL;
}

struct json_object *json_list_at(struct json_object *o, const char *key, size_t *n)
{
	struct json_object *list;

	if (!json_object_object_get_ex(o, key, &list) || !json_object_is_type(list, json_type_array))
		return NULL;
	*n = json_object_array_length(list);
	return list;
}

struct json_object *json_entry(struct json_object *list, size_t i)
{
	return json_object_array_get_idx(list, i);
}
