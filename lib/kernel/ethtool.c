/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIOCETHTOOL: statistics of a driver. The kernel writes as many as the driver has at that moment, whatever the buffer
 * was made for, and queues may come while we ask: so there is room to spare, and both answers say how many they are.
 */
#include "kernel/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"

enum { STATS_MAX = 16384, SPARE = 256 };

/* How many statistics it has. */
static int count(struct kernel *k, struct arena *a, const char *ifname, uint32_t *n)
{
	size_t size = sizeof(struct ethtool_sset_info) + sizeof(uint32_t);	/* a number behind it for each bit of the mask */
	struct ethtool_sset_info *q = arena_alloc(a, size);
	int r;

	*q = (struct ethtool_sset_info){ .cmd = ETHTOOL_GSSET_INFO, .sset_mask = UINT64_C(1) << ETH_SS_STATS };
	r = kernel_ethtool(k, ifname, q, size, false);
	if (r < 0)
		return r;
	if (!q->sset_mask)
		return -EOPNOTSUPP;
	if (q->data[0] > STATS_MAX)
		return -EBADMSG;
	*n = q->data[0];
	return 0;
}

int ethtool_stats(struct kernel *k, struct arena *a, const char *ifname, struct ethtool_stat **stat, size_t *n)
{
	struct ethtool_gstrings *strings;
	struct ethtool_stats *values;
	size_t strings_size, values_size;
	uint32_t have = 0;
	int r = count(k, a, ifname, &have);

	if (r < 0)
		return r;
	strings_size = sizeof(*strings) + ((size_t)have + SPARE) * ETH_GSTRING_LEN;
	values_size = sizeof(*values) + ((size_t)have + SPARE) * sizeof(uint64_t);
	strings = arena_alloc(a, strings_size);
	values = arena_alloc(a, values_size);
	*strings = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = have };
	*values = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = have };
	r = kernel_ethtool(k, ifname, strings, strings_size, false);
	if (r == 0)
		r = kernel_ethtool(k, ifname, values, values_size, false);
	if (r < 0)
		return r;
	if (strings->len != have || values->n_stats != have)
		return -EAGAIN;
	*stat = arena_array_of(a, struct ethtool_stat, have);
	for (uint32_t i = 0; i < have; i++) {
		const char *name = (const char *)strings->data + (size_t)i * ETH_GSTRING_LEN;

		(*stat)[i].name = arena_strndup(a, name, strnlen(name, ETH_GSTRING_LEN - 1));
		memcpy(&(*stat)[i].value, &values->data[i], sizeof(uint64_t));
	}
	*n = have;
	return 0;
}
