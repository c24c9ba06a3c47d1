/* SPDX-License-Identifier: Apache-2.0 */
/* Cells in columns, laid out by libsmartcols, and lines between the rows that no column holds. For report/ and commands. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct arena;

enum { GRID_COLUMNS = 13 };

enum tone { TONE_PLAIN, TONE_HEAD, TONE_BAD, TONE_DOUBT, TONE_QUIET };

struct grid_row {
	const char *cell[GRID_COLUMNS];	/* safe text without newlines; NULL: empty */
	enum tone tone;
	const char *below;		/* whole lines that stand below the row, or NULL */
};

struct grid {
	const char *head[GRID_COLUMNS];
	bool right[GRID_COLUMNS];	/* numbers, aligned to the right */
	size_t columns;
	struct grid_row *at;
	size_t n, room;
	struct arena *arena;
};

/** grid_column - adds a column; returns its number */
size_t grid_column(struct grid *g, const char *head);
/** grid_add - an empty row, valid until the next one is added */
struct grid_row *grid_add(struct grid *g);
/**
 * grid_print - heading, rows, and what stands below them; nothing if there is no row
 * Opens libsmartcols: if that fails, says so and prints the cells without layout, since what was found matters more
 * than how it looks.
 */
void grid_print(const struct grid *g, bool color, struct text *out);
/** tone_begin, tone_end - colour of a tone, or nothing */
void tone_begin(enum tone t, bool color, struct text *out);
void tone_end(enum tone t, bool color, struct text *out);

#endif
