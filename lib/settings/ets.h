/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of ets.c, and its home's functions for drivers where ETS hangs together with more. */
#ifndef SETTINGS_ETS_H
#define SETTINGS_ETS_H

#include <linux/dcbnl.h>

#include "model/change.h"

enum { QOS_TC, QOS_ETS };

extern const struct setting setting_ets;

int ets_read(struct kernel *k, struct part *p, struct diags *d);
int ets_write(struct kernel *k, const struct change *c, struct diags *d);
int ets_weigh(struct kernel *k, struct change *c, struct diags *d);
/** ets_fill - @ets as read becomes what is to be written: a class that nobody uses gives its bandwidth back */
void ets_fill(const struct record *want, struct ieee_ets *ets);
/** ets_check - refuses a change that would make something of @now that the device or the policy cannot mean */
void ets_check(struct change *c, const struct ieee_ets *now);

#endif
