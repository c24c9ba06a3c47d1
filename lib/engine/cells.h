/* SPDX-License-Identifier: Apache-2.0 */
/* How the journal writes cells and targets as JSON, exactly, and reads them back. Included by this room alone. */
#ifndef ENGINE_CELLS_H
#define ENGINE_CELLS_H

#include <stdbool.h>

#include "model/record.h"

struct catalog;
struct facts;
struct json;
struct json_object;
struct target;

/** cell_put - {"is": "3,4", "num": 24} and what else the value holds, {"reason": "driver-lacks"}, or null for silence */
void cell_put(struct json *j, const char *key, const struct cell *c);
/**
 * cell_get - the same into @c, whose field is known; texts in @a
 * Return: 0; -EBADMSG: it does not fit the field.
 */
int cell_get(struct json_object *o, const char *key, struct cell *c, struct arena *a);
/** cell_name_put - "cell": "modules.ib_core.options.netns_mode", and what stands for the stars */
void cell_name_put(struct json *j, const struct cell *c);
/** cell_named - the cell of @r that such an object names; NULL: this version has no such field */
struct cell *cell_named(struct record *r, struct json_object *o, struct arena *a);

/** target_put - an object of that key: scope, name, group, PCI address and port, interface */
void target_put(struct json *j, const char *key, const struct target *t);
/**
 * target_get - the same target on the machine as it is now, in @a
 * Return: 0; -ENODEV: it is not there any more, *name says which; -EBADMSG.
 */
int target_get(struct json_object *o, const char *key, const struct facts *f, struct arena *a, const struct target **t,
	       const char **name);
/** target_key - "0001:03:00.0/1 wire", "node": one name for one target, over reloads and boots */
const char *target_key(struct arena *a, const struct target *t);
/** target_of_key - the target with that key, or NULL */
const struct target *target_of_key(struct arena *a, const struct facts *f, const char *key);

#endif
