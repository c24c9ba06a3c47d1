/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by meaning (model/meter.h): one table from each driver's names to metrics. */
#ifndef INVENTORY_METERS_H
#define INVENTORY_METERS_H

#include "model/meter.h"

struct arena;
struct kernel;
struct port;

void meters_init(struct readings *out);
/**
 * meters_port - what a port has counted, added to @out: its RDMA port's counters (sysfs counters/ and hw_counters/; an RDMA
 *	port that several interfaces share once), and its interface's statistics (ethtool)
 * Each is a question to the firmware on some adapters, so this is asked for metrics alone. What the driver lacks is left
 * out; what is there and cannot be read, or is no number, makes its entry in @out->asked unreadable.
 */
void meters_port(struct kernel *k, struct arena *a, const struct port *p, struct readings *out);

#endif
