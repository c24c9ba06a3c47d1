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
void json_boolean(struct json *j, const char *key, bool v);	/* json-c has a type json_bool */
void json_null(struct json *j, const char *key);

/**
 * json_parse - one JSON value from @s of @n bytes, nothing but blanks behind it, at most 64 deep
 * Return: an object that the caller puts back with json_object_put(), or NULL with *error set (static text).
 */
struct json_object *json_parse(const char *s, size_t n, const char **error);

#endif
