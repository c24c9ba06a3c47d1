/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of a check: counters are read, and a text file written, only if they are asked for. */
#ifndef CMD_METRICS_H
#define CMD_METRICS_H

#include "cmd.h"

struct outcome;

bool metrics_wanted(const struct options *o);
/** metrics_read - o->readings, of all ports (--port: of those that the run is limited to), if metrics are wanted */
void metrics_read(struct session *s, struct outcome *o);
/**
 * metrics_report - when the run ended, and --textfile
 * A file that cannot be written is an error, and a run that is in sync becomes unknown (2). An old file is taken away then:
 * whoever reads it would take it for this run's.
 */
void metrics_report(struct session *s, struct outcome *o);

#endif
