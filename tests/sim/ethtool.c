/* SPDX-License-Identifier: Apache-2.0 */
/* The ethtool ioctl, for what ethtool netlink lacks: driver information, and a driver's own statistics. */
#include "state.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <string.h>

/* Counters below are ethtool's. Calls @each for those that the driver shows now. */
static uint32_t each_stat(const struct sim *s, const struct nic *n,
			  void (*each)(void *to, uint32_t at, const char *name, uint64_t v), void *to)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < COUNTER_HW; i++) {
		char buf[32];
		const char *name = counter_name(s, n, i, buf);

		if (!name)
			continue;
		if (each)
			each(to, at, name, counter_value(n, i));
		at++;
	}
	return at;
}

static int drvinfo(struct sim *s, const struct nic *n, void *cmd, size_t size)
{
	struct ethtool_drvinfo *d = cmd;
	char bdf[16], fw[80];

	if (size < sizeof(*d))
		return -EFAULT;
	memset(d, 0, sizeof(*d));
	d->cmd = ETHTOOL_GDRVINFO;
	nic_bdf(s, n, bdf);
	snprintf(d->driver, sizeof(d->driver), "%s", s->st->driver);
	snprintf(d->version, sizeof(d->version), "%s", s->st->old ? "6.1.0-57-amd64" : "6.12.95+deb12-amd64");
	snprintf(fw, sizeof(fw), "%s (%s)", n->hw.fw, n->hw.board);
	memcpy(d->fw_version, fw, strnlen(fw, sizeof(d->fw_version) - 1));
	snprintf(d->bus_info, sizeof(d->bus_info), "%s", bdf);
	d->n_stats = each_stat(s, n, NULL, NULL);
	return 0;
}

static void put_name(void *to, uint32_t at, const char *name, uint64_t v)
{
	(void)v;
	snprintf((char *)to + (size_t)at * ETH_GSTRING_LEN, ETH_GSTRING_LEN, "%s", name);
}

static void put_value(void *to, uint32_t at, const char *name, uint64_t v)
{
	(void)name;
	memcpy((char *)to + (size_t)at * sizeof(v), &v, sizeof(v));
}

/* The kernel knows nothing of the caller's room: a program that made too little is broken. */
static int strings(const struct sim *s, const struct nic *n, void *cmd, size_t size)
{
	struct ethtool_gstrings *g = cmd;
	uint32_t count = each_stat(s, n, NULL, NULL);

	if (size < sizeof(*g) || g->string_set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	if (size < sizeof(*g) + (size_t)count * ETH_GSTRING_LEN)
		return -EFAULT;
	g->len = each_stat(s, n, put_name, g->data);
	return 0;
}

static int stats(const struct sim *s, const struct nic *n, void *cmd, size_t size)
{
	struct ethtool_stats *g = cmd;

	if (size < sizeof(*g) + each_stat(s, n, NULL, NULL) * sizeof(uint64_t))
		return -EFAULT;
	g->n_stats = each_stat(s, n, put_value, g->data);
	return 0;
}

static int sset_info(const struct sim *s, const struct nic *n, void *cmd, size_t size)
{
	struct ethtool_sset_info *g = cmd;
	uint32_t count = each_stat(s, n, NULL, NULL);

	if (size < sizeof(*g) + sizeof(uint32_t))
		return -EFAULT;
	g->sset_mask &= UINT64_C(1) << ETH_SS_STATS;
	memcpy(g->data, &count, sizeof(count));
	return 0;
}

int ethtool_ioctl(struct sim *s, const char *ifname, void *cmd, size_t size)
{
	const struct nic *n = nic_by_name(s, ifname);
	uint32_t which;

	if (!n)
		return upper_by_name(s, ifname) || !strcmp(ifname, "lo") ? -EOPNOTSUPP : -ENODEV;
	if (size < sizeof(which))
		return -EFAULT;
	memcpy(&which, cmd, sizeof(which));
	switch (which) {
	case ETHTOOL_GDRVINFO:
		return drvinfo(s, n, cmd, size);
	case ETHTOOL_GSSET_INFO:
		return sset_info(s, n, cmd, size);
	case ETHTOOL_GSTRINGS:
		return strings(s, n, cmd, size);
	case ETHTOOL_GSTATS:
		return stats(s, n, cmd, size);
	default:
		return sim_untaught(s, "ethtool command 0x%x", which);
	}
}
