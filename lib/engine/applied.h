/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What we set last, and what was there before we first did: a line of JSON for each cell. So a setting that the policy
 * drops is told as "last set by us", and can be given back.
 */
#ifndef ENGINE_APPLIED_H
#define ENGINE_APPLIED_H

#include <stdint.h>

#include "model/change.h"

struct diags;
struct journal_head;
struct json_object;
struct kernel;

struct applied {
	const char *target, *cell;	/* "wire 0001:03:00.0/1", "node"; "qos.pfc" */
	int64_t since, run;		/* the run that set it first; the last one */
	const char *text;		/* the whole line */
	struct json_object *line;	/* the same: "set" and "before" are cells as cells.h reads them. Owned by the list */
};

/* Names as they stand in the file, not terminated. */
struct applied_name {
	const char *s;
	size_t n;
};

struct applied_list {
	struct applied *at;
	size_t n, room;
};

/**
 * applied_load - all of them; none if there is no such file
 * @keep: is asked by target and cell, before a line is parsed; NULL keeps all
 * Return: 0; -errno, told as a warning. A line that does not hold is told as a warning and left out. With applied_done().
 */
int applied_load(struct kernel *k, struct arena *a,
		 bool (*keep)(struct applied_name target, struct applied_name cell, void *arg), void *arg,
		 struct applied_list *out, struct diags *d);
void applied_done(struct applied_list *l);

/**
 * applied_update - after a run: cells that @done set are remembered, those that an undo gave back are forgotten
 * Return: 0 or -errno.
 */
int applied_update(struct kernel *k, struct arena *a, const struct journal_head *head, struct change *const *done, size_t n,
		   struct diags *d);

#endif
