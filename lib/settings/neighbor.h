/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a port's cable, by LLDP: what the setting `neighbor` verifies, and `show neighbor` prints. */
#ifndef SETTINGS_NEIGHBOR_H
#define SETTINGS_NEIGHBOR_H

#include "model/value.h"

struct arena;
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
/** neighbor_name - its system name; its chassis id where it sends none. Foreign text */
const char *neighbor_name(const struct lldp_neighbor *n);

#endif
