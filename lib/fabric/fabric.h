/* SPDX-License-Identifier: Apache-2.0 */
/* What both ends of a wire share: classes of traffic, and the arithmetic of MTUs. No machine. */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct traffic_class {
	const char *name;		/* free; "cnp" and "default" are reserved */
	struct pos pos;
	int priority;			/* 0..7 */
	int tc;				/* traffic class; the priority's number unless the policy says tc: */
	uint64_t dscp;			/* bit n: DSCP n; default: every DSCP that no other class names */
	bool lossless, strict;
	int bandwidth_percent;		/* -1: not said */
};

struct fabric {
	const char *name;
	struct pos pos;
	int64_t mtu;			/* IP MTU in bytes, 0: not said */
	struct traffic_class *at;
	size_t n;
};

/** fabric_class - by name, or NULL */
const struct traffic_class *fabric_class(const struct fabric *f, const char *name);
/** fabric_dscp_map - priority of each DSCP; VALUE_UNSET (255) where no class and no default says */
void fabric_dscp_map(const struct fabric *f, uint8_t map[64]);
/** fabric_pfc - mask of lossless priorities */
uint8_t fabric_pfc(const struct fabric *f);
/** fabric_prio_tc, fabric_shares - 255 where no class says; shares as in model/value.h */
void fabric_prio_tc(const struct fabric *f, uint8_t prio_tc[8]);
void fabric_shares(const struct fabric *f, uint8_t share[8]);

/* frames.c */
/** frames_roce_mtu - RoCE path MTU of a netdev MTU: 256..4096, 0 if too small; @overhead 96, 80 or 0 bytes */
unsigned frames_roce_mtu(unsigned netdev_mtu, unsigned overhead);
/** frames_netdev_mtu - the least netdev MTU for a RoCE MTU */
unsigned frames_netdev_mtu(unsigned roce_mtu, unsigned overhead);

#endif
