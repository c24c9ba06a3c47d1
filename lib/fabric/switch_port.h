/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One switch port as a record: what a policy wants of it, and what a switch's configuration gives it, in one form, so that
 * they are compared, printed and reported as the values of a node are. Names of profiles and maps are nobody's business.
 */
#ifndef FABRIC_SWITCH_PORT_H
#define FABRIC_SWITCH_PORT_H

#include "fabric/fabric.h"

struct arena;
struct record;
struct setting;

/* Fields; a star is a queue (SWITCH_ECN…) or a priority (SWITCH_XOFF…), as a decimal number. */
enum {
	SWITCH_PRESENT,		/* is the port there at all */
	SWITCH_TRUST,		/* enum switch_trust */
	SWITCH_DSCP,		/* map of 64: priority of each DSCP */
	SWITCH_QUEUE,		/* map of 8: egress queue of each priority */
	SWITCH_GROUP,		/* map of 8: ingress priority group of each lossless priority */
	SWITCH_PAUSE_QUEUE,	/* map of 8: the queue that a pause for a lossless priority stops */
	SWITCH_PAUSE_GROUP,	/* map of 8: the group for which it is sent */
	SWITCH_PFC,		/* set of priorities */
	SWITCH_ECN,		/* ecn.*.enabled */
	SWITCH_KMIN,		/* ecn.*.kmin: bytes, as are the next */
	SWITCH_KMAX,
	SWITCH_PMAX,		/* percent */
	SWITCH_FILL_MIN,	/* ecn.*.fill_min: percent of the queue's buffer, in place of kmin and kmax */
	SWITCH_FILL_MAX,
	SWITCH_SHARES,		/* shares of the queues */
	SWITCH_FRAME,		/* bytes of the largest frame; more than is wanted is right, too */
	SWITCH_SPEED,		/* Mb/s */
	SWITCH_CABLE,		/* metres that headroom was made for */
	SWITCH_LOSSLESS_MTU,	/* bytes, where the switch computes headroom itself */
	SWITCH_SMALL_PACKETS,	/* percent */
	SWITCH_GIVEN,		/* headroom.*.given: has the priority headroom at all, computed by the switch or said */
	SWITCH_XOFF,		/* headroom.*.xoff: bytes, as are the next two */
	SWITCH_XON,
	SWITCH_SIZE,
	SWITCH_ALPHA,		/* headroom.*.alpha: exponent */
	SWITCH_POOL,		/* bytes of the pool that the lossless groups share */
	SWITCH_WATCHDOG,	/* is it on */
	SWITCH_WATCHDOG_QUEUES,	/* set of priorities that it watches */
	SWITCH_DETECT,		/* ms */
	SWITCH_RESTORE,
	SWITCH_ACTION,		/* enum fabric_action */
	SWITCH_FIELDS,
};
enum switch_trust { SWITCH_TRUST_NONE, SWITCH_TRUST_DSCP, SWITCH_TRUST_PCP };

extern const struct setting switch_port_setting;

/*
 * Hardware gives buffers out in cells, and show commands round to them, so that what differs by less than the largest cell
 * is the same.
 */
enum { SWITCH_CELL = 256 };

/**
 * switch_port_want - what a link of a policy asks of a port, whatever its switch can say; positions are those in the policy
 * Headroom is asked for where it can be computed, and speed and cable are said.
 */
struct record *switch_port_want(struct arena *a, const struct fabric *f, const struct fabric_link *l);

/** switch_port_cell - a cell of a queue or priority, silent if it was not there; switch_port_at - the same, NULL if so */
struct cell *switch_port_cell(struct record *r, unsigned field, unsigned n);
const struct cell *switch_port_at(const struct record *r, unsigned field, unsigned n);
/** switch_port_kb - sets a number of KB: whether 1000 or 1024 bytes each nobody says, so that both are the same */
void switch_port_kb(struct cell *c, int64_t kb);
/** switch_port_least - a wanted number of bytes is the least; switch_port_lanes - it is for 4 lanes, or twice as much for 8 */
void switch_port_least(struct cell *c);
void switch_port_lanes(struct cell *c);
/** switch_port_drop - the switch cannot say it: silent, of all queues and priorities */
void switch_port_drop(struct record *r, unsigned field);

#endif
