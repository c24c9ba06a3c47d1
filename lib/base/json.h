/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON out: a writer straight into text, so that a report of many rows needs no tree of objects.
 * JSON in: json-c's objects, parsed with a bound on depth (json_parse).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct json_object;

struct json {
	struct text *out;
	int depth;
	bool pretty;			/* one member a line, two blanks a level */
	bool first[32];
};

void json_init(struct json *j, struct text *out, bool pretty);
/* @key NULL inside arrays and at the top */
void json_object_open(struct json *j, const char *key);
void json_object_close(struct json *j);
void json_array_open(struct json *j, const char *key);
void json_array_close(struct json *j);
void json_string(struct json *j, const char *key, const char *s);	/* NULL s: null. Invalid UTF-8 becomes U+FFFD */
void json_int(struct json *j, const char *key, int64_t v);
void json_decimal(struct json *j, const char *key, double v);	/* finite; at most four places behind the point */
void json_boolean(struct json *j, const char *key, bool v);	/* json-c has a type json_bool */
void json_null(struct json *j, const char *key);

/**
 * json_parse - one JSON value from @s of @n bytes, nothing but blanks behind it, at most 64 deep
 * Return: a value that the caller puts back with json_put(), or NULL with *error set (static text).
 */
struct json_object *json_parse(const char *s, size_t n, const char **error);
void json_put(struct json_object *o);

/* What a value is; what it is not is NULL or false. Strings with a NUL inside are none. They live as long as @o. */
bool json_is_object(struct json_object *o);
const char *json_text_of(struct json_object *o);
/** json_has, json_text_at, json_int_at, json_true_at - a member of an object; an integer only from @min to @max */
bool json_has(struct json_object *o, const char *key);
const char *json_text_at(struct json_object *o, const char *key);
bool json_true_at(struct json_object *o, const char *key);
bool json_int_at(struct json_object *o, const char *key, int64_t min, int64_t max, int64_t *v);
/** json_int_of - an integer from @min to @max */
bool json_int_of(struct json_object *o, int64_t min, int64_t max, int64_t *v);
/** json_at - a member that is an object, else NULL */
struct json_object *json_at(struct json_object *o, const char *key);
/** json_list_at - a member that is an array; sets @n; json_entry - one of its @n values */
struct json_object *json_list_at(struct json_object *o, const char *key, size_t *n);
struct json_object *json_entry(struct json_object *list, size_t i);

#endif
