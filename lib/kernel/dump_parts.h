/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer and the reader of dumps have in common with their parts. Private to dump*.c and replay.c. */
#ifndef KERNEL_DUMP_PARTS_H
#define KERNEL_DUMP_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct json;
struct json_object;
struct lldp;

/** dump_add_hex - bytes as a string of lower-case hexadecimal; dump_hex_of - such a member as bytes, NULL if it is none */
void dump_add_hex(struct json *j, const char *key, const void *bytes, size_t n);
const char *dump_hex_of(struct arena *a, struct json_object *o, const char *key, size_t *n);

/** dump_lldp_put - members "ports" and "neighbors"; dump_lldp_get - the same into @l; false: it is malformed */
void dump_lldp_put(struct json *j, const struct lldp *l);
bool dump_lldp_get(struct arena *a, struct json_object *o, struct lldp *l);

#endif
