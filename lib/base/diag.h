/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What failed, where, why, and what next. Functions return 0 or a negative
 * errno for control flow; the story goes into struct diags, the last parameter.
 * Each failure is told once, where most is known.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct text;

/* A text that positions point into. Outlives them (the run's arena). */
struct source {
	const char *name;		/* as the user spelled it: "prod.yaml", "<stdin>", "/etc/sysctl.d/50-x.conf" */
	const char *text;		/* whole file, or NULL if only lines are known */
	size_t len;
};

/*
 * line and column from 1, in characters as an editor counts them; len 0: no underline. What YAML's anchors and merge keys
 * bring in stands at one place and counts at another: use_line is that of the alias, 0: none.
 */
struct pos {
	const struct source *source;
	uint32_t line, col, len;
	uint32_t use_line, use_col;
};

/** pos_same - the same line and column of the same file, whatever brought it in */
static inline bool pos_same(const struct pos *x, const struct pos *y)
{
	return x->source == y->source && x->line == y->line && x->col == y->col;
}

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

struct diag {
	enum severity severity;
	struct pos pos;			/* source NULL: none */
	const char *object;		/* "ens1f0np0 (mlx5_0/1)", or NULL */
	const char *what;		/* "cannot set mtu to 9700" */
	int err;			/* positive errno, 0: none; printed behind what */
	const char *kernel;		/* the kernel's own words, or NULL */
	const char *hint;		/* what next, or NULL */
	const char *rule;		/* name of a lint rule, or NULL */
	const char *allowed;		/* why the policy lets it pass, which makes it a note; or NULL */
	struct pos other;		/* a second place ("first defined here"); source NULL: none */
	const char *other_what;
};

/*
 * A place in a source that was looked for last: diagnostics mostly come in order, and neither a file of many lines nor a
 * line of many bytes is walked anew for each. { 0 } is the start.
 */
struct diag_place {
	const struct source *source;
	uint32_t line, col;
	size_t at;			/* byte where the line begins */
	size_t byte, width;		/* of the character @col: its byte in the line, its column on the screen */
	size_t len;			/* bytes of the line; SIZE_MAX: not looked for */
};
struct diag_cursor {
	struct diag_place pos, other;
};

#define DIAGS_MAX 1000			/* of one severity that are kept: hostile input must not fill the memory */

struct diags {
	struct arena *arena;
	struct diag *at;
	size_t n, room;
	size_t errors, warnings, notes;	/* told; may be more than are kept */
	size_t repeated;		/* errors taken out again, since they had been told before */
	struct diag spare;		/* takes what is not kept */
};

/** diags_init - empty; everything is kept in @a */
void diags_init(struct diags *d, struct arena *a);

/**
 * diag_error, diag_warning, diag_note - add one; the result may be refined (object, err, kernel, hint, other)
 * @pos: where in a policy or file, or NULL
 * Return: never NULL; valid until the next one is added.
 */
struct diag *diag_error(struct diags *d, const struct pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct diag *diag_warning(struct diags *d, const struct pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct diag *diag_note(struct diags *d, const struct pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** diag_use - the alias by which what stands at @pos came to count; source NULL: none */
struct pos diag_use(const struct pos *pos);
/** diag_told - is there one of @severity for this line already: what many ask about is told once */
bool diag_told(const struct diags *d, enum severity severity, const struct pos *pos);
/** diag_hint, diag_kernel, diag_object - formatted refinements of the newest */
void diag_hint(struct diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_kernel(struct diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_object(struct diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * diag_print - FILE:LINE:COL: error: OBJECT: WHAT: strerror [rule], the line with its number, ^~~~, kernel:, hint:
 * Everything is made safe for a terminal; a long line is cut around the column. Without a position the program's
 * name stands in its place.
 * @c: one for all diagnostics that are printed one after the other
 */
void diag_print(const struct diag *one, bool color, struct diag_cursor *c, struct text *out);
/** diags_print - all that are kept, in order, and how many are not */
void diags_print(const struct diags *d, bool color, struct text *out);
const char *severity_name(enum severity s);

#endif
