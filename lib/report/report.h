/* SPDX-License-Identifier: Apache-2.0 */
/* One document per run, printed for people (libsmartcols, opened only if there are rows to show) or programs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>

struct facts;
struct outcome;
struct text;
struct use;

enum { REPORT_FORMAT = 1 };		/* "report" in the JSON: another number is another, incompatible form */

struct report_options {
	bool all;			/* -v: also rows in sync and rows that follow */
	bool color;
	bool quiet;			/* -q: print only on trouble */
};

/**
 * report_table - one line that says it all; findings by target, with cause and remedy below; a plan's changes in order;
 *	the number of rows of each status. A run that is in sync is one line and opens no library.
 */
void report_table(const struct outcome *o, const struct report_options *opt, struct text *out);
/** report_json - docs/report.schema.json; @all rows or only those not in sync (counts hold all) */
void report_json(const struct outcome *o, bool all, struct text *out);
/**
 * report_prometheus - metrics of one check, in Prometheus's text form, without sample timestamps: when and how it ended,
 *	rows, and what o->readings has. A run that failed has no rows, so that nothing looks healthy.
 */
void report_prometheus(const struct outcome *o, struct text *out);
/**
 * report_nagios - one line as plugins of Nagios print it, with performance data
 * Return: the status that goes with it: 0 OK, 1 WARNING (pending, warnings), 2 CRITICAL (drift), 3 UNKNOWN.
 */
int report_nagios(const struct outcome *o, struct text *out);
enum { REPORT_NAGIOS_UNKNOWN = 3 };
/** report_ports - the machine's ports, as `show ports` lists them; @use: of each, or NULL if nobody asked */
void report_ports(const struct facts *f, const struct use *const *use, bool json, bool color, struct text *out);

#endif
