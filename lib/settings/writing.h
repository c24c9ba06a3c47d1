/* SPDX-License-Identifier: Apache-2.0 */
/* What the writes of port settings share: which cells, who is told what, and waiting for a link that bounces. */
#ifndef SETTINGS_WRITING_H
#define SETTINGS_WRITING_H

#include "model/change.h"

struct diags;
struct kernel;

/** writing_cell - is cell @field of this part to be written: a value is wanted, and it differs */
bool writing_cell(const struct change_part *p, unsigned field);

/**
 * writing_told - gives what a door told about a failure its place: the port, and where the policy says it
 * @want: the cell that could not be written, or NULL
 * @told: d->n from before the door was asked; if the door told nothing, it is told here
 * Return: @r
 */
int writing_told(const struct change *c, const struct cell *want, struct diags *d, size_t told, int r);

struct writing_link {
	bool carrier;			/* the netdev is up, and so is its wire */
	bool active;			/* the RDMA port is ACTIVE */
};

/** writing_link - the target's link now; false also where nobody knows */
struct writing_link writing_link(struct kernel *k, const struct target *t);
/**
 * writing_wait_link - wait until what was there before a write is back, 15 s at most, so that the next port or bond
 *	member is not touched while this one trains; a link that stays away is told as a warning
 */
void writing_wait_link(struct kernel *k, const struct change *c, struct writing_link was, struct diags *d);

#endif
