/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comments of a policy that let a finding pass: `# rdmactl: allow RULE because REASON`, at the end of the line that the
 * finding points at, or by itself above it. Rules of every severity can be allowed; what is wrong with the language itself
 * has no rule, so that no comment reaches it.
 */
#ifndef LINT_ALLOW_H
#define LINT_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct allow {
	struct pos pos;			/* of the comment */
	uint32_t line;			/* that it is about */
	const char *rule;		/* NULL: it could not be read */
	const char *because;		/* safe text; NULL likewise */
	bool used;
};

/* A source, and where its comments stand: in order of the lines that they are about. */
struct allows_source {
	const struct source *source;
	size_t first, end;
};

/* Those of all sources that were looked at. */
struct allows {
	struct allow *at;
	size_t n, room;
	struct {
		struct allows_source *at;
		size_t n, room;
	} source;
};

/** allows_of - reads the comments of @s, once */
void allows_of(struct allows *all, const struct source *s, struct arena *a);
/** allows_find - the one that lets @rule pass at @pos, or NULL; it counts as used */
const struct allow *allows_find(struct allows *all, const struct pos *pos, const char *rule, struct arena *a);

#endif
