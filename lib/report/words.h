/* SPDX-License-Identifier: Apache-2.0 */
/* Words and values that the forms of a report share. Known to report/ only. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stdbool.h>

#include "model/desired.h"
#include "model/row.h"
#include "report/grid.h"
#include "report/report.h"

/** words_headline - "gpu0001: drift; kernel 6.1.0; policy prod.yaml, revision …" and a newline */
void words_headline(const struct outcome *o, bool color, struct text *out);
/** words_runs - "3, 2" of numbers that end with 0 */
void words_runs(const int64_t *run, struct text *out);
/** words_counts - "3 drift, 2 unsupported (ecn.np), 119 in-sync; 4 more explained by these", without newline; nothing if there is no row */
void words_counts(const struct outcome *o, struct text *out);
/** words_result - the outcome's result for people: "in sync" */
const char *words_result(const struct outcome *o);
/** words_limited - is the verdict one on a part of the node */
bool words_limited(const struct outcome *o);
/** words_limits - "; looked at: mtu of nic0 and the node, what runs" behind a verdict on a part of the node; or nothing */
void words_limits(const struct outcome *o, struct text *out);
/** words_found - the results that a check of a node may have, one a call from *@i = 0 on; NULL: no more */
const char *words_found(size_t *i);
/** words_shown - is this row one that people are shown (-v: @all) */
bool words_shown(const struct outcome *o, const struct row *r, bool all);
/** words_errno - ": Invalid argument" behind what could not be done, ": error 524" of what only drivers say; or nothing */
void words_errno(const struct diag *d, struct text *out);
enum tone words_tone(enum status s);

/** words_value - a cell's value in @a; "-" where it has none */
const char *words_value(struct arena *a, const struct cell *c);
/**
 * words_difference - both values; of maps only the entries that differ, so that a line says what is wrong
 * Where one is missing, as words_value().
 */
void words_difference(struct arena *a, const struct cell *x, const struct cell *y, const char **xs, const char **ys);
/** words_target - "ens1f0np0 (compute)" */
const char *words_target(struct arena *a, const struct target *t);

/** changes_print - what is or was written, in order, and what is left alone and why */
void changes_print(const struct outcome *o, const struct report_options *opt, struct arena *a, struct text *out);
/** change_differing - cell @i of part @p is one that the change sets */
bool change_differing(const struct change_part *p, size_t i);

#endif
