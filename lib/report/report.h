/* SPDX-License-Identifier: Apache-2.0 */
/* One document per run, printed for people (libsmartcols, opened only if there are rows to show) or programs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>

struct outcome;
struct text;

struct report_options {
	bool all;			/* -v: also rows in sync and rows that follow */
	bool color;
	bool quiet;			/* -q: print only on trouble */
	unsigned columns;		/* width of the terminal, 0: not one */
};

/** report_table - findings as a table with cause and remedy, then one line of counts; a plan shows its changes in order */
void report_table(const struct outcome *o, const struct report_options *opt, struct text *out);
/** report_json - docs/report.schema.json; @all rows or only those not in sync (counts hold all) */
void report_json(const struct outcome *o, bool all, struct text *out);

#endif
