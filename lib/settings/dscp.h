/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of dscp.c, and its home's functions for drivers where the map hangs together with more. */
#ifndef SETTINGS_DSCP_H
#define SETTINGS_DSCP_H

#include "model/change.h"

enum { QOS_TRUST, QOS_DSCP };
enum { TRUST_PCP, TRUST_DSCP };
enum { DSCP_STEPS = 64 * 16 };

/* Entries of the table: a bit for each priority of each DSCP, since bnxt may hold several. */
struct dscp_entries {
	uint8_t prio[64];
};

/* One entry, added or deleted. */
struct dscp_step {
	bool add;
	uint8_t dscp, prio;
};

struct dcb_manners;

extern const struct setting setting_dscp;

int dscp_read(struct kernel *k, struct part *p, struct diags *d);
int dscp_write(struct kernel *k, const struct change *c, struct diags *d);
int dscp_weigh(struct kernel *k, struct change *c, struct diags *d);
/** dscp_any - is there any entry, so that trust is dscp where entries decide it */
bool dscp_any(const struct dscp_entries *e);
/** dscp_wanted - the entries that the change ends with, from those that are there */
void dscp_wanted(const struct change *c, const struct dscp_entries *now, struct dscp_entries *to);
/** dscp_there - does the port read as the change leaves its map; true also where nobody knows */
bool dscp_there(struct kernel *k, const struct change *c);
/** dscp_steps - the writes between the two, in the order in which they are made. Return: how many */
size_t dscp_steps(const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to,
		  struct dscp_step at[DSCP_STEPS]);
/** dscp_flips - would this change turn DSCP trust on or off; to: which of TRUST_* it ends with */
bool dscp_flips(struct kernel *k, const struct change *c, int *to);

#endif
