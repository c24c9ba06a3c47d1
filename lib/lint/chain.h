/* SPDX-License-Identifier: Apache-2.0 */
/* Who carries what in a group of ports: the DSCPs of data and of CNPs, and the map that sends them to priorities. */
#ifndef LINT_CHAIN_H
#define LINT_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lint/lint.h"

struct traffic_class;

/* 802.1Q puts network control on priority 7; CS6 and CS7 are routing protocols and the like. */
enum { PRIORITY_CONTROL = 7, DSCP_CS6 = 48, DSCP_CS7 = 56 };

/** chain_map - the DSCP map that decides on the group's ports; NULL if it is not the policy's, or trust is pcp */
const struct cell *chain_map(const struct lint *l);
/** chain_data - DSCPs of data that must not be lost, as bits; *where says who says so. 0: nobody says */
uint64_t chain_data(const struct lint *l, struct pos *where);
/** chain_cnp - the DSCP of CNPs; false: nobody says */
bool chain_cnp(const struct lint *l, unsigned *dscp);
/** chain_cnp_priority - where CNPs arrive by the map in force */
bool chain_cnp_priority(const struct lint *l, unsigned *dscp, unsigned *priority, const struct cell **map);
/** chain_by_pcp - does the group sort by the tag, and not by the DSCP */
bool chain_by_pcp(const struct lint *l);
/** chain_class - the class of that name in the fabric in hand, or NULL */
const struct traffic_class *chain_class(const struct lint *l, const char *name);

static inline uint64_t chain_bit(unsigned i)
{
	return UINT64_C(1) << i;
}

/** chain_first - the lowest of a set that is not empty */
static inline unsigned chain_first(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}

#endif
