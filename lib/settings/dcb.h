/* SPDX-License-Identifier: Apache-2.0 */
/* What dscp.c, ets.c and pfc.c share: asking for a port's DCB, and a driver's manners. */
#ifndef SETTINGS_DCB_H
#define SETTINGS_DCB_H

#include <stdbool.h>

#include "kernel/dcbnl.h"
#include "model/change.h"
#include "model/vendor.h"

struct kernel;

#define DCB_VIA "dcb netlink IEEE_GET"

/**
 * dcb_ask - a port's DCB; NULL: every open cell of @p got the reason
 * One request answers ETS, PFC and APP, and is shared within an observation.
 */
const struct dcb *dcb_ask(struct kernel *k, struct part *p);

/**
 * dcb_missing - an answer that has no @what ("ETS"): dcbnl leaves out what the driver lacks and what it failed to read
 * alike, so for a driver that is known to have it the cells are unreadable, and else lacking
 */
void dcb_missing(struct part *p, const char *what);

/** dcb_manners_of - the driver's; never NULL: a driver nobody described is expected to disturb traffic */
const struct dcb_manners *dcb_manners_of(const struct target *t);

/** dcb_unset - bnxt, before its first set: neither ETS nor PFC was ever written, so their zeros say nothing */
bool dcb_unset(const struct target *t, const struct dcb *dcb);

/** dcb_refused - owners_dcb(), and drivers that take no DCB change in a bond */
bool dcb_refused(struct kernel *k, struct change *c);

#endif
