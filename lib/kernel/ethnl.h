/* SPDX-License-Identifier: Apache-2.0 */
/* ethtool netlink: pause parameters, link modes and private flags, one dump each. */
#ifndef KERNEL_ETHNL_H
#define KERNEL_ETHNL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diags;
struct kernel;

struct ethnl_pause { uint32_t ifindex; bool has_autoneg, autoneg, rx, tx; };
struct ethnl_mode { uint32_t ifindex; uint32_t speed_mbps; };	/* UINT32_MAX: unknown */

/**
 * ethnl_pause, ethnl_mode - of one netdev, from a dump kept for this observation
 * Return: NULL with *err -EOPNOTSUPP if the driver has none, -ENOENT without the family, -ENODATA not asked.
 */
const struct ethnl_pause *ethnl_pause(struct kernel *k, uint32_t ifindex, int *err);
const struct ethnl_mode *ethnl_mode(struct kernel *k, uint32_t ifindex, int *err);
/**
 * ethnl_private_flag - one of a driver's own switches ("fw-lldp-agent" of ice), from a dump kept for this observation
 * Return: 0 with *on; -EOPNOTSUPP if the driver has none of that name; else as above.
 */
int ethnl_private_flag(struct kernel *k, uint32_t ifindex, const char *name, bool *on);
/** ethnl_set_pause - PAUSE_SET; autoneg as read */
int ethnl_set_pause(struct kernel *k, const char *ifname, bool autoneg, bool rx, bool tx, struct diags *d);

#endif
