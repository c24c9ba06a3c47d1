/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules across values: each value may be right by itself, and the whole wrong. A rule is a row of a table, with its
 * reason, source and way out, and is judged for each group of ports of each kind of node, without a machine.
 */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include <stddef.h>

#include "base/diag.h"
#include "model/catalog.h"
#include "model/group.h"

struct lint;

struct lint_rule {
	const char *name;		/* "data-dscp-not-lossless"; NULL ends a table */
	enum severity severity;		/* errors are the policy's (65), warnings count with --strict, notes never */
	const char *reason;		/* what happens otherwise */
	const char *source;		/* who says so */
	const char *fix;		/* hint, unless the finding has a better one */
	void (*check)(struct lint *l);
};

/* Judging one policy. */
struct lint {
	const struct catalog *catalog;
	const struct policy_group *group;	/* the one in hand */
	const struct lint_rule *rule;	/* and the rule */
	struct diags *d;
};

void lint_init(struct lint *l, const struct catalog *c);
/** lint_visit - all rules for one group, for policy_each(); @lint: a struct lint. What was told is not repeated */
void lint_visit(const struct policy_group *g, void *lint, struct diags *d);
/** lint_rule - the @i-th rule of all tables, or NULL */
const struct lint_rule *lint_rule(size_t i);

/* For rules. */
/** lint_cell - what the group asks for under this name, or NULL */
const struct cell *lint_cell(const struct lint *l, const char *name);
/** lint_set - the priorities of "qos.pfc" as bits; false if the group does not say */
bool lint_set(const struct lint *l, const char *name, uint64_t *set);
bool lint_num(const struct lint *l, const char *name, int64_t *num);
/** lint_tos_is_dscp - does roce.tos hold a DSCP where the whole byte is due; told by marking.c, and by no other rule */
bool lint_tos_is_dscp(const struct lint *l);
/** lint_find - a finding of the rule in hand, at @pos. Return: NULL if the same was told already */
struct diag *lint_find(struct lint *l, const struct pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
