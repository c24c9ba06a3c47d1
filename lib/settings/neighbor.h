/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a port's cable, by LLDP: what the setting `neighbor` verifies, and `show neighbor` prints. */
#ifndef SETTINGS_NEIGHBOR_H
#define SETTINGS_NEIGHBOR_H

#include <stdint.h>

#include "model/value.h"

struct arena;
struct dcbx;
struct kernel;
struct lldp_neighbor;
struct port;

struct neighbor_seen {
	const struct lldp_neighbor *is;	/* the one that is there; NULL: none, or nobody knows which */
	enum reason reason;		/* of NULL */
	const char *why, *remedy;	/* safe text, or NULL */
};

/**
 * neighbor_look - the LLDP neighbour of a port
 * Two that are there at once are never one: a bond or a hub lets frames of others through, and neither is picked.
 * Neighbours of other protocols (CDP, EDP) are passed over.
 * @out: text in @a
 */
void neighbor_look(struct kernel *k, struct arena *a, const struct port *p, struct neighbor_seen *out);
/** neighbor_trouble - why lldpd could not be asked: of lldp_get()'s error */
void neighbor_trouble(struct arena *a, int err, struct neighbor_seen *out);
/** neighbor_not_listening - lldpd was asked, and does not know this port */
void neighbor_not_listening(struct arena *a, const struct port *p, struct neighbor_seen *out);
/** neighbor_name - its system name; its chassis id where it sends none. Foreign text */
const char *neighbor_name(const struct lldp_neighbor *n);

/** neighbor_shares - transmission selection and bandwidth of 8 classes as shares (model/value.h) */
void neighbor_shares(const uint8_t tsa[8], const uint8_t bandwidth[8], uint8_t share[8]);
/** neighbor_dscp - the priority of each DSCP, VALUE_UNSET where the switch names it not. Return: how many it names */
unsigned neighbor_dscp(const struct dcbx *x, uint8_t map[64]);

#endif
