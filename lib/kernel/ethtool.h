/* SPDX-License-Identifier: Apache-2.0 */
/* The ethtool ioctl, for what ethtool netlink lacks: a driver's own statistics, by the driver's own names. */
#ifndef KERNEL_ETHTOOL_H
#define KERNEL_ETHTOOL_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct kernel;

struct ethtool_stat {
	const char *name;		/* as the driver spells it: any bytes, at most 31 */
	uint64_t value;
};

/**
 * ethtool_stats - `ethtool -S` (ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS): three questions, the last of
 *	which many drivers pass on to their firmware
 * @stat: in @a
 * Return: 0, also if there are none; -EOPNOTSUPP the driver has none; -EAGAIN their number changed meanwhile; -ENODEV;
 * -ENODATA; -EBADMSG an answer that cannot be.
 */
int ethtool_stats(struct kernel *k, struct arena *a, const char *ifname, struct ethtool_stat **stat, size_t *n);

#endif
