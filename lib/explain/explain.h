/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting means, all of it from the tables that policy, engine and report use: it cannot say something else. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

struct catalog;
struct diags;
struct json;
struct text;

struct explain_lists;

/**
 * explain_key - one setting ("qos.pfc", "sysctl.net.core.rmem_max"), or the keys below a prefix ("qos"; "" is all)
 * @json: where not NULL, objects go there, into an open array, and @out is left alone
 * @lists: further names that an unknown key may be misspelt from, or NULL
 * Return: 0; -ENOENT for an unknown key, told in @d with the nearest one.
 */
int explain_key(const struct catalog *c, const struct explain_lists *lists, const char *key, struct text *out, struct json *json,
		struct diags *d);

#endif
