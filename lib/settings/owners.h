/* SPDX-License-Identifier: Apache-2.0 */
/* Other owners of a port's settings (law 10): named, not fought. */
#ifndef SETTINGS_OWNERS_H
#define SETTINGS_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/change.h"

struct diags;
struct kernel;

/**
 * owners_dcb - refuses a change of ETS, PFC or APP that somebody else would undo or the driver would not take:
 *	lldpad (its socket in proc/net/unix), an LLDP agent in firmware (ethtool private flag), firmware that owns DCB
 *	(dcbx mode without HOST, or LLD_MANAGED)
 * Return: was it refused. What cannot be seen refuses nothing.
 */
bool owners_dcb(struct kernel *k, struct change *c);

/**
 * owners_mtu - refuses a change of MTU to @mtu bytes that a network manager or udev would undo (boot/netcfg.h): of the
 *	target, a bond's members, and the VLANs above that would shrink with it. One who sets the very MTU is no obstacle,
 *	nor is udev on a port that our units set again behind it (boot/units.h): that is a note.
 * What could not be read is told in @d, once an observation. Return: was it refused.
 */
bool owners_mtu(struct kernel *k, struct change *c, uint32_t mtu, struct diags *d);

#endif
