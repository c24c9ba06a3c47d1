/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What both ends of a wire share: classes of traffic, and the switches as tiers of links. No machine. The arithmetic
 * stands beside it: frames.h for MTUs, headroom.h for PFC headroom.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "fabric/frames.h"

struct cell;
struct record;
struct setting;

/* Names that mean something: of classes that of CNPs and that of all DSCPs no other names, and of a fabric that has none. */
#define CLASS_CNP "cnp"
#define CLASS_DEFAULT "default"
#define FABRIC_DEFAULT "default"

struct traffic_class {
	const char *name;		/* free, but for CLASS_CNP and CLASS_DEFAULT */
	struct pos pos;
	int priority;			/* 0..7 */
	int tc;				/* traffic class; the priority's number unless the policy says tc: */
	uint64_t dscp;			/* bit n: DSCP n; default: every DSCP that no other class names */
	bool lossless, strict;
	int bandwidth_percent;		/* -1: not said */
};

/*
 * Fields of a tier and its links, as numbers of fabric_link_fields. What a tier says holds for each of its links that
 * does not say it itself; nos and asic stand in a tier only, ports in a link only.
 */
enum {
	FABRIC_NOS,			/* enum fabric_nos */
	FABRIC_ASIC,			/* text; headroom.h knows some of them */
	FABRIC_PORTS,			/* text of a host list; expanded in fabric_link.port */
	FABRIC_SPEED,			/* Mb/s of one link */
	FABRIC_CABLE,			/* metres */
	FABRIC_FRAME,			/* bytes; see fabric_frame() */
	FABRIC_LOSSLESS_MTU,		/* bytes of the largest lossless frame */
	FABRIC_SMALL_PACKETS,		/* percent of packets, by count */
	FABRIC_SHARED_POOL,		/* is headroom taken from a pool that all ports share */
	FABRIC_LANES,			/* of one port */
	FABRIC_POOL,			/* bytes of the shared buffer that are left after headroom */
	FABRIC_ALPHA,			/* the exponent: alpha is 2^num, so num is SONiC's dynamic_th */
	FABRIC_QUEUE_BUFFER,		/* bytes of one egress queue, for switches that mark in percent */
	FABRIC_WATCHDOG_DETECT,		/* ms */
	FABRIC_WATCHDOG_RESTORE,	/* ms */
	FABRIC_WATCHDOG_ACTION,		/* enum fabric_action */
	FABRIC_ECN_KMIN,		/* ecn.CLASS.kmin: bytes; a cell for each class, see fabric_ecn() */
	FABRIC_ECN_KMAX,		/* bytes */
	FABRIC_ECN_PMAX,		/* percent */
	FABRIC_LINK_FIELDS,
};
enum fabric_nos { NOS_SONIC, NOS_CUMULUS, NOS_EOS, NOS_NXOS, NOS_JUNOS, NOS_OS10 };
enum fabric_action { ACTION_DROP, ACTION_FORWARD, ACTION_ALERT };
extern const char *const fabric_action_words[];	/* NULL at the end */

/* The table of them, for the policy's decoder and its schema; no homes. */
extern const struct setting fabric_link_setting;

/* Links of one kind: the same speed, cable and thresholds. */
struct fabric_link {
	const char *name;		/* "down" */
	struct pos pos;
	const struct record *has;	/* cells by FABRIC_*, those of the tier included; positions are those in the policy */
	const char *const *port;	/* names, each once; NULL at the end */
	size_t nports;			/* 0: the policy does not say */
};

/* Switches of one kind. */
struct fabric_tier {
	const char *name;		/* "leaf" */
	struct pos pos;
	const struct record *has;	/* what it says for all its links */
	struct fabric_link *link;
	size_t n;
};

struct fabric {
	const char *name;
	struct pos pos;
	int64_t mtu;			/* IP MTU in bytes, 0: not said */
	struct pos mtu_pos;
	struct traffic_class *at;
	size_t n;
	struct fabric_tier *tier;
	size_t ntiers;
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

/** fabric_tier - by name, or NULL */
const struct fabric_tier *fabric_tier(const struct fabric *f, const char *name);
/** fabric_says - a cell of a link or a tier, or NULL if neither says it */
const struct cell *fabric_says(const struct record *has, unsigned field);
/** fabric_ecn - a threshold (FABRIC_ECN_*) of a class, or NULL; fabric_marks - does the link say any for that class */
const struct cell *fabric_ecn(const struct fabric_link *l, const char *class, unsigned field);
bool fabric_marks(const struct fabric_link *l, const char *class);
/** fabric_frame - bytes of the largest frame: as said, else the fabric's MTU with one tag; 0 if neither is known */
unsigned fabric_frame(const struct fabric *f, const struct fabric_link *l);
/** fabric_tier_ports - ports of one switch; 0 if a link does not say its own */
size_t fabric_tier_ports(const struct fabric_tier *t);

#endif
