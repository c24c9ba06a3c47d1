/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules across values: each value may be right by itself, and the whole wrong. A rule is a row of a table, with its
 * reason, source and way out, and is judged without a machine in up to three views: a fabric, each kind of link of its
 * switches, each group of ports of each kind of node.
 *
 * One fault is one finding: a rule names those that explain it (`after`), and is not judged where one of them found
 * something. What a comment allows is a note with its reason (allow.h).
 */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/hash.h"
#include "lint/allow.h"
#include "model/catalog.h"
#include "model/group.h"
#include "model/rule.h"

struct fabric;
struct fabric_link;
struct fabric_tier;
struct lint;

enum { LINT_RULES_MAX = 128 };

struct fabric_found;

/* Return of the views: were the values there that the rule needs, whatever it found. */
struct lint_rule {
	struct rule is;
	const char *const *after;	/* names of rules before it in the tables, NULL at the end; or NULL */
	bool (*fabric)(struct lint *l);
	bool (*link)(struct lint *l);
	bool (*group)(struct lint *l);
};

#define AFTER(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Judging one policy. */
struct lint {
	const struct catalog *catalog;
	struct diags *d;
	const struct fabric *fabric;	/* in hand; of a group its own, or NULL */
	const struct fabric_tier *tier;	/* NULL outside the view of links */
	const struct fabric_link *link;
	const struct policy_group *group;	/* NULL outside the view of groups */
	struct {			/* what the group asks for, values alone: rules look up a hundred of them */
		const struct cell **at;
		size_t n, room;
	} cell;
	const char *object;		/* of findings, or NULL */
	const struct lint_rule *rule;
	size_t number;			/* of the rule among all */
	struct found {			/* rules that found something in what is in hand, each once */
		const struct lint_rule *rule[LINT_RULES_MAX];
		size_t n;
	} found;
	struct {			/* in a fabric and all its links: it explains what ports are told */
		struct fabric_found *at;
		size_t n, room;
	} fabrics;
	bool judged[LINT_RULES_MAX];	/* anywhere */
	struct allows allows;
	struct hash_set told;		/* findings */
};

void lint_init(struct lint *l, const struct catalog *c, struct diags *d);
/** lint_fabric - all rules for a fabric by itself and for its links */
void lint_fabric(struct lint *l, const struct fabric *f);
/** lint_visit - all rules for one group, for policy_each(); @lint: a struct lint. What was told is not repeated */
void lint_visit(const struct policy_group *g, void *lint, struct diags *d);
/**
 * lint_end - what is wrong with the comments of a source, when all that could be judged was
 * @whole: every node and fabric was; else a comment may be of use where nobody looked
 */
void lint_end(struct lint *l, const struct source *s, bool whole);

/** lint_rule - the @i-th rule of all tables, or NULL; lint_named - by name, or NULL */
const struct lint_rule *lint_rule(size_t i);
const struct lint_rule *lint_named(const char *name);
/** lint_number - the i of lint_rule(); of a name that no rule has, how many there are */
size_t lint_number(const char *name);
/** lint_rules - what all of them are, in that order. Return: how many */
size_t lint_rules(const struct rule *rule[LINT_RULES_MAX]);

/* For rules. */
/** lint_cell - what the group asks for under this name, or NULL */
const struct cell *lint_cell(const struct lint *l, const char *name);
/** lint_set - the priorities of "qos.pfc" as bits; false if the group does not say */
bool lint_set(const struct lint *l, const char *name, uint64_t *set);
bool lint_num(const struct lint *l, const char *name, int64_t *num);
/** lint_bytes - "150KiB" */
const char *lint_bytes(struct lint *l, int64_t bytes);
/** lint_priorities - "{3,4}" */
const char *lint_priorities(struct lint *l, uint64_t set);
/** lint_dscps - "DSCP 26", "DSCPs 24,26,40-63" */
const char *lint_dscps(struct lint *l, uint64_t set);
/** lint_find - a finding of the rule in hand, at @pos. Return: NULL if the same was told already */
struct diag *lint_find(struct lint *l, const struct pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
