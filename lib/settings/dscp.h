/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of dscp.c, and its home's functions for drivers where the map hangs together with more. */
#ifndef SETTINGS_DSCP_H
#define SETTINGS_DSCP_H

#include "model/change.h"

enum { QOS_TRUST, QOS_DSCP };
enum { TRUST_PCP, TRUST_DSCP };

extern const struct setting setting_dscp;

int dscp_read(struct kernel *k, struct part *p, struct diags *d);
int dscp_write(struct kernel *k, const struct change *c, struct diags *d);
int dscp_weigh(struct kernel *k, struct change *c, struct diags *d);
/** dscp_flips - would this change turn DSCP trust on or off; to: which of TRUST_* it ends with */
bool dscp_flips(struct kernel *k, const struct change *c, int *to);

#endif
