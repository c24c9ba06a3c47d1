/* SPDX-License-Identifier: Apache-2.0 */
/* The ethtool ioctl, for what ethtool netlink lacks: driver information, and a driver's own statistics. */
#include "state.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <string.h>

#define STATS COUNTER_HW /* counters below are those of the port */

const char *counter_name(unsigned i, char buf[32])
{
	static const char *const prio[] = { "rx_prio%u_pause", "tx_prio%u_pause", "rx_prio%u_packets", "tx_prio%u_packets",
					    "rx_prio%u_discards" };
	static const char *const rest[] = {
		"rx_discards_phy", "rx_out_of_buffer", "rx_crc_errors_phy", "link_down_events_phy", "outbound_pci_stalled_wr",
		"out_of_buffer", "out_of_sequence", "packet_seq_err", "rnr_nak_retry_err", "local_ack_timeout_err",
		"rx_icrc_encapsulated", "np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled", "rp_cnp_ignored",
	};

	if (i < COUNTER_REST)
		snprintf(buf, 32, prio[i / 8], i % 8);
	else
		snprintf(buf, 32, "%s", rest[i - COUNTER_REST]);
	return buf;
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
	d->n_stats = STATS;
	return 0;
}

static int strings(void *cmd, size_t size)
{
	struct ethtool_gstrings *g = cmd;

	if (size < sizeof(*g) || g->string_set != ETH_SS_STATS || size < sizeof(*g) + (size_t)STATS * ETH_GSTRING_LEN)
		return -EOPNOTSUPP;
	g->len = STATS;
	for (unsigned i = 0; i < STATS; i++) {
		char name[32];

		memset(g->data + (size_t)i * ETH_GSTRING_LEN, 0, ETH_GSTRING_LEN);
		memcpy(g->data + (size_t)i * ETH_GSTRING_LEN, name, strlen(counter_name(i, name)));
	}
	return 0;
}

static int stats(const struct nic *n, void *cmd, size_t size)
{
	struct ethtool_stats *g = cmd;

	if (size < sizeof(*g) + STATS * sizeof(uint64_t))
		return -EFAULT;
	g->n_stats = STATS;
	memcpy(g->data, n->hw.counter, STATS * sizeof(uint64_t));
	return 0;
}

static int sset_info(void *cmd, size_t size)
{
	struct ethtool_sset_info *g = cmd;

	if (size < sizeof(*g) + sizeof(uint32_t))
		return -EFAULT;
	g->sset_mask &= UINT64_C(1) << ETH_SS_STATS;
	g->data[0] = STATS;
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
		return sset_info(cmd, size);
	case ETHTOOL_GSTRINGS:
		return strings(cmd, size);
	case ETHTOOL_GSTATS:
		return stats(n, cmd, size);
	default:
		return sim_untaught(s, "ethtool command 0x%x", which);
	}
}
