/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters by meaning: what a port has counted since its driver was loaded, whatever the driver calls it. Read by
 * inventory/meters.c when metrics are asked for, printed by report/.
 */
#ifndef MODEL_METER_H
#define MODEL_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum meter_unit {			/* of the number that the kernel gives */
	METER_ONE,			/* packets, frames, events, bytes */
	METER_WORD,			/* 4 bytes */
	METER_US,			/* microseconds */
};

enum { METER_NAMES = 5 };

struct meter {
	const char *metric;		/* Prometheus's name: base units, _total */
	const char *doc;
	enum meter_unit unit;
	bool of_interface;		/* its statistics (ethtool); else the RDMA port's counters (sysfs) */
	const char *called[METER_NAMES];	/* by drivers; none: all that no other meter means */
};

struct reading {
	const struct meter *meter;
	const char *ifname;		/* counters of an interface; else "" */
	const char *ibdev;		/* "" where the interface has no RDMA device */
	uint32_t ibport;
	int priority;			/* 0 to 7; -1: not counted by priority */
	const char *own;		/* the driver's name of a counter that no meter means, or NULL */
	uint64_t value;			/* in the meter's unit */
};

struct metered {			/* what was asked, and could all that is there be read */
	const char *ifname;		/* an interface's statistics, or "" */
	const char *ibdev;
	uint32_t ibport;
	bool readable;
};

struct readings {
	const struct meter *meter;	/* every one there is, read or not */
	size_t nmeters;
	struct { struct reading *at; size_t n, room; } list;
	struct { struct metered *at; size_t n, room; } asked;
};

#endif
