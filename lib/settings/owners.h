/* SPDX-License-Identifier: Apache-2.0 */
/* Other owners of a port's settings (law 10): named, not fought. */
#ifndef SETTINGS_OWNERS_H
#define SETTINGS_OWNERS_H

#include <stdbool.h>

#include "model/change.h"

struct kernel;

/**
 * owners_dcb - refuses a change of ETS, PFC or APP that somebody else would undo or the driver would not take:
 *	lldpad (its socket in proc/net/unix), firmware that runs DCBX (dcbx mode without HOST, or LLD_MANAGED)
 * Return: was it refused. What cannot be seen refuses nothing.
 */
bool owners_dcb(struct kernel *k, struct change *c);

#endif
