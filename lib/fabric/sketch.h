/* SPDX-License-Identifier: Apache-2.0 */
/* The way back: from the values of a port to the classes that they may have come from. */
#ifndef FABRIC_SKETCH_H
#define FABRIC_SKETCH_H

#include "fabric/fabric.h"

struct arena;

/* What settings saw on one port (setting.suggest); see fabric_sketch_init(). */
struct fabric_sketch {
	uint8_t dscp[64];		/* priority of each DSCP; 255: no entry */
	uint8_t prio_tc[8], share[8];	/* as in model/value.h; 255: not known */
	uint8_t pfc;			/* mask */
	int cnp_dscp, cnp_priority;	/* -1: not known */
	int64_t mtu;			/* bytes; 0: not known */
};

/** fabric_sketch_init - nothing is known */
void fabric_sketch_init(struct fabric_sketch *s);
/**
 * fabric_of_sketch - classes from the DSCP map, each with what its priority and traffic class have
 * Return: false if there is no DSCP map to tell classes by. What the classes come to may still differ from what was seen
 *	(a share of a traffic class that no class uses): derive and compare.
 */
bool fabric_of_sketch(struct arena *a, const struct fabric_sketch *s, const char *name, struct fabric *f);

#endif
