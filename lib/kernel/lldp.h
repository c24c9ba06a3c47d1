/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLDP neighbours, as lldpd knows them: what the switch at the other end of each cable says of itself. One question
 * for all ports. lldpd decodes the basic TLVs; those of 802.1Qaz, and whatever else it does not know, it hands on as
 * bytes (dcbx.h takes these apart). Strings are the neighbour's own: foreign text, to be made safe before it is shown.
 */
#ifndef KERNEL_LLDP_H
#define KERNEL_LLDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel;

enum {
	LLDP_TEXT = 255,		/* bytes of any string; longer ones are cut (a TLV has no more than 511) */
	LLDP_INFO = 507,		/* bytes of an organisational TLV behind OUI and subtype */
	LLDP_TLVS = 256,		/* of one neighbour; more are not kept */
	LLDP_NEIGHBORS = 64,		/* of one port */
	LLDP_PORTS = 4096,
};

struct lldp_tlv {			/* an organisational TLV (type 127) that lldpd did not decode */
	uint8_t oui[3], subtype;
	const uint8_t *info;		/* the bytes behind the subtype */
	size_t n;
};

struct lldp_neighbor {
	const char *ifname;		/* where it is seen */
	const char *protocol;		/* "LLDP", "CDPv2", … */
	const char *chassis_id, *chassis_name, *chassis_descr;	/* the name is the system name; "" where not sent */
	const char *port_id, *port_descr;
	uint16_t ttl;			/* seconds; 0: a shutdown frame, the neighbour is about to go */
	int64_t changed_s;		/* when what it says last changed, since the epoch */
	uint32_t mfs;			/* bytes, 802.3 maximum frame size; 0: not sent */
	const struct lldp_tlv *tlv;	/* in the order of the frame */
	size_t ntlvs;
};

struct lldp_port {			/* a port that lldpd listens on; counters since lldpd started */
	const char *ifname;
	uint64_t received, discarded;	/* frames; discarded: malformed ones */
	uint64_t inserted, deleted;	/* neighbours that came, and that went for whatever reason */
	uint64_t expired;		/* of those that went: silent for longer than their TTL */
	const struct lldp_tlv *tlv;	/* what lldpd sends there because somebody told it to: custom TLVs, oldest first */
	size_t ntlvs;
};

struct lldp {
	const struct lldp_port *port;
	size_t nports;
	const struct lldp_neighbor *neighbor;
	size_t n;
};

struct lldp_words {			/* all that lldpd is to send on an interface of one OUI and subtype; the rest is kept */
	const char *ifname;
	uint8_t oui[3], subtype;
	const struct lldp_tlv *tlv;	/* their OUI and subtype are those above */
	size_t n;			/* 0: none */
};

/**
 * lldp_get - all neighbours of all ports, asked once in an observation (liblldpctl, the socket of lldpd)
 * @out: in the kernel's arena
 * Return: 0; -ENODATA not asked (--root, a dump without it); -ELIBACC liblldpctl is not installed; -ENOSYS it is older
 *	than 0.8, or made without custom TLVs; -ENOENT no socket of lldpd; -ECONNREFUSED a socket that nobody listens on;
 *	-EACCES, -EPERM no right to it; -EPROTO lldpd has another version than the library; -ETIMEDOUT lldpd does not answer;
 *	-ECONNRESET it ended the conversation; -EOVERFLOW more ports or neighbours than anybody has.
 */
int lldp_get(struct kernel *k, const struct lldp **out);
/** lldp_port - what lldpd counts on an interface; NULL: it does not listen there */
const struct lldp_port *lldp_port(const struct lldp *l, const char *ifname);

#endif
