/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PFC headroom: the buffer of one lossless priority of one switch port that holds what still arrives between the moment
 * a pause is decided and the moment the peer is silent. Two ways to a number, which differ in their fixed parts, so that
 * each result names its way and its terms: what switch software computes per ASIC, and bit times of IEEE 802.1Q.
 */
#ifndef FABRIC_HEADROOM_H
#define FABRIC_HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the vendor publishes of an ASIC. */
struct headroom_asic {
	const char *name;		/* as a policy writes it: "Spectrum-4" */
	unsigned cell;			/* bytes in which its buffer is given out */
	unsigned pipeline_kib;
	double peer_kib;		/* what the peer still sends, where IEEE response times are not used */
	bool ieee_response;		/* its shipped tables are made with IEEE response times */
	bool tile;			/* a term of its own for the way between tiles */
	unsigned extra;			/* bytes on top of xoff */
	unsigned port_reserved_cells, port_max_cells;	/* of the shared headroom pool, for one port; 0: not published */
};

/** headroom_asic - by name, or NULL; headroom_asic_at - the @i-th, NULL behind the last */
const struct headroom_asic *headroom_asic(const char *name);
const struct headroom_asic *headroom_asic_at(size_t i);

enum headroom_peer {
	HEADROOM_PEER_ASIC,		/* as the ASIC's shipped tables have it */
	HEADROOM_PEER_IEEE,		/* 802.3 31B.3.7, by speed; falls back to the ASIC's where the speed has none */
	HEADROOM_PEER_BYTES,		/* peer_bytes */
};

struct headroom_link {
	const struct headroom_asic *asic;
	unsigned speed_mbps, cable_m;
	unsigned port_mtu;		/* bytes of the largest frame on the port */
	unsigned lossless_mtu;		/* bytes of the largest frame of lossless traffic */
	unsigned small_percent;		/* share of 64-byte packets, by count */
	unsigned lanes;			/* of the port; 8 has its own rules, 0 is not known */
	unsigned gearbox_ns;
	bool shared_pool;
	enum headroom_peer peer;
	double peer_bytes;
};

/* The ends of the ranges of which the shipped tables are made, for what a policy leaves out. */
enum { HEADROOM_LOSSLESS_MTU = 1024, HEADROOM_SMALL_PERCENT = 100, HEADROOM_PORT_MTU = 9216 };

struct headroom_term {
	const char *name;		/* "on_cable" */
	const char *how;		/* "2 * cable * speed / 198000000 m/s" */
	double value;
	const char *unit;		/* "bytes", or "" for a factor */
};

enum { HEADROOM_TERMS = 16 };

struct headroom {
	struct headroom_term term[HEADROOM_TERMS];	/* in the order in which they are computed */
	size_t n;
	uint64_t xoff, xon, size;	/* bytes */
};

/**
 * headroom_compute - of one priority group, as switch software has it
 * All inputs but asic may have any value: nothing overflows that a 32 bit number can say.
 */
void headroom_compute(const struct headroom_link *l, struct headroom *h);

/**
 * headroom_bit_times - the same by bit times, for an ASIC that nobody published; xoff alone
 * @cell: bytes of the unknown ASIC's cells; the sum is multiplied by cell/64, 64 and less leave it
 * Return: 0; -ENODATA if no response time or interface delay is published for that speed.
 */
int headroom_bit_times(const struct headroom_link *l, unsigned cell, struct headroom *h);

/* A lossless receive buffer of a node's own adapter, as the mlx5 driver wants it once buffers are set by hand. */
struct headroom_receive {
	unsigned speed_mbps, cable_m;	/* speed 0: not known, and taken for the driver's least */
	unsigned mtu, max_mtu;		/* of the netdev: now, and the most it takes */
};

enum { HEADROOM_RECEIVE_CELL = 128 };	/* bytes, where the device tells no other */

/** headroom_receive - xoff, and in size the least, in whole cells, that the driver takes for good; its terms are whole numbers */
void headroom_receive(const struct headroom_receive *r, struct headroom *h);

/** headroom_quanta - response time of a peer at this speed, in quanta of 512 bit times; 0: none is published */
unsigned headroom_quanta(unsigned speed_mbps);

/**
 * headroom_port_limit - bytes that the lossless priorities of one port may take of the shared headroom pool
 * Return: 0 if the ASIC's is not published.
 */
uint64_t headroom_port_limit(const struct headroom_asic *a);

/* What an image ships for an ASIC that has no formula here. */
struct headroom_reference {
	const char *asic;
	unsigned speed_mbps, cable_m, size, xon, xoff;
};

/** headroom_has_reference - is any value known of an ASIC of this name */
bool headroom_has_reference(const char *asic);
/** headroom_like - the ASIC of which something is known whose name is spelled most like @name, or NULL */
const char *headroom_like(const char *name);
/** headroom_reference - of the shortest listed cable that is not shorter than @cable_m; NULL: none for that speed */
const struct headroom_reference *headroom_reference(const char *asic, unsigned speed_mbps, unsigned cable_m);

struct fabric;
struct record;

/** headroom_link_of - the inputs as a tier or link says them, and for the rest the ends that shipped tables have */
void headroom_link_of(const struct fabric *f, const struct record *has, struct headroom_link *l);

enum headroom_way { HEADROOM_COMPUTED, HEADROOM_REFERENCE, HEADROOM_ESTIMATE };
enum { HEADROOM_CELL_UNKNOWN = 256 };	/* bytes: the largest cell that is published of any switch */

/**
 * headroom_knows_response - an ASIC that answers by IEEE quanta has none at a speed for which no standard gives them. What
 * its software takes then, 3.8 KiB, is a fifteenth of the response at 800Gb/s; l->peer_bytes has to say it.
 */
bool headroom_knows_response(const struct headroom_link *l);

/**
 * headroom_best - computed if the ASIC's formula is known, else what an image ships for it, else by bit times
 * @asic: its name, or NULL; used if l->asic is NULL
 * Return: 0, and *way says how; -ENODATA as headroom_bit_times(), or the response time of that ASIC is not known.
 */
int headroom_best(const struct headroom_link *l, const char *asic, struct headroom *h, enum headroom_way *way);

#endif
