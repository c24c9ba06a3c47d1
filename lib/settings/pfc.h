/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of pfc.c, and its functions for drivers where PFC and global pause are one register. */
#ifndef SETTINGS_PFC_H
#define SETTINGS_PFC_H

#include "model/change.h"

enum { QOS_PFC };

extern const struct setting setting_pfc;

int pfc_read(struct kernel *k, struct part *p, struct diags *d);
int pfc_write(struct kernel *k, const struct change *c, struct diags *d);
int pfc_weigh(struct kernel *k, struct change *c, struct diags *d);

#endif
