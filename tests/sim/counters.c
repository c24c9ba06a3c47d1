/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a port counts, under the names that its driver has for it: ethtool's statistics, hw_counters/ and, of mlx5, the
 * counters/ that IBTA defines. simctl takes mlx5's names for any driver, and each driver's own.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

/* '#' is the priority. NULL: that driver does not count it. */
static const struct { uint32_t first, n; const char *name[MANNERS]; } rows[] = {
	{ COUNTER_RX_PAUSE, 8,
	  { "rx_prio#_pause", "rx_pfc_ena_frames_pri#", "rx_priority_#_xoff.nic", "mac_rx_pfc_pri#_pkt_num" } },
	{ COUNTER_TX_PAUSE, 8,
	  { "tx_prio#_pause", "tx_pfc_ena_frames_pri#", "tx_priority_#_xoff.nic", "mac_tx_pfc_pri#_pkt_num" } },
	{ COUNTER_RX_PACKETS, 8, { "rx_prio#_packets", "rx_packets_pri#" } },
	{ COUNTER_TX_PACKETS, 8, { "tx_prio#_packets", "tx_packets_pri#" } },
	{ COUNTER_RX_DISCARDS, 8, { "rx_prio#_discards" } },
	{ COUNTER_RX_PAUSED, 8, { "rx_prio#_pause_duration", "pfc_pri#_rx_duration_us" } },
	{ COUNTER_TX_PAUSED, 8, { "tx_prio#_pause_duration", "pfc_pri#_tx_duration_us" } },
	{ COUNTER_REST, 1, { "rx_discards_phy", NULL, "rx_dropped.nic" } },
	{ COUNTER_REST + 1, 1, { "rx_out_of_buffer" } },
	{ COUNTER_REST + 2, 1, { "rx_crc_errors_phy", "rx_fcs_err_frames", "rx_crc_errors.nic", "mac_rx_fcs_err_pkt_num" } },
	{ COUNTER_LINK_DOWN, 1, { "link_down_events_phy", "link_down_events" } },
	{ COUNTER_REST + 4, 1, { "outbound_pci_stalled_wr" } },
	{ COUNTER_HW, 1, { "out_of_buffer" } },
	{ COUNTER_HW + 1, 1, { "out_of_sequence", "oos_drop_count" } },
	{ COUNTER_HW + 2, 1, { "packet_seq_err", "seq_err_naks_rcvd" } },
	{ COUNTER_HW + 3, 1, { "rnr_nak_retry_err", "rnr_naks_rcvd" } },
	{ COUNTER_HW + 4, 1, { "local_ack_timeout_err", "to_retransmits" } },
	{ COUNTER_HW + 5, 1, { "rx_icrc_encapsulated" } },
	{ COUNTER_CC, 1, { "np_ecn_marked_roce_packets", "rx_ecn_marked_pkts", "RxECNMrkd" } },
	{ COUNTER_CC + 1, 1, { "np_cnp_sent", "tx_cnp_pkts", "cnpSent", "tx_cnp_pkt" } },
	{ COUNTER_CC + 2, 1, { "rp_cnp_handled", "rx_cnp_pkts", "cnpHandled", "rx_cnp_pkt" } },
	{ COUNTER_CC + 3, 1, { "rp_cnp_ignored", NULL, "cnpIgnored" } },
	{ COUNTER_CC + 4, 1, { NULL, "missing_resp" } },
	{ COUNTER_CC + 5, 1, { NULL, "max_retry_exceeded" } },
	{ COUNTER_CC + 6, 1, { NULL, "dup_req" } },
	{ COUNTER_PORT, 1, { "port_xmit_data" } },
	{ COUNTER_PORT + 1, 1, { "port_rcv_data" } },
	{ COUNTER_PORT + 2, 1, { "port_xmit_packets" } },
	{ COUNTER_PORT + 3, 1, { "port_rcv_packets" } },
	{ COUNTER_PORT + 4, 1, { "symbol_error" } },
	{ COUNTER_PORT + 5, 1, { "link_error_recovery" } },
	{ COUNTER_PORT + 6, 1, { "link_downed" } },
	{ COUNTER_PORT + 7, 1, { "port_rcv_errors" } },
	{ COUNTER_PORT + 8, 1, { "port_rcv_remote_physical_errors" } },
	{ COUNTER_PORT + 9, 1, { "port_xmit_discards" } },
	{ COUNTER_PORT + 10, 1, { "port_xmit_wait" } },
};

/* Where a counter of IBTA's stops; 0: it is as wide as a number can be. */
static uint64_t stop_of(unsigned i)
{
	static const uint64_t stops[COUNTERS - COUNTER_PORT] = { 0, 0, 0, 0, UINT16_MAX, UINT8_MAX, UINT8_MAX, UINT16_MAX,
								  UINT16_MAX, UINT16_MAX, UINT32_MAX };

	return i < COUNTER_PORT ? 0 : stops[i - COUNTER_PORT];
}

static const char *spelled(unsigned i, enum manners manners, char buf[32])
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		const char *name = rows[r].name[manners], *at;

		if (i < rows[r].first || i >= rows[r].first + rows[r].n)
			continue;
		if (!name)
			return NULL;
		at = strchr(name, '#');
		if (at)
			snprintf(buf, 32, "%.*s%u%s", (int)(at - name), name, i - rows[r].first, at + 1);
		else
			snprintf(buf, 32, "%s", name);
		return buf;
	}
	return NULL;
}

/* bnxt_re of Linux 6.1 does not count congestion, and hns counts nothing. */
static bool is_too_old(const struct sim *s, unsigned i)
{
	return s->st->old && i >= COUNTER_CC && i < COUNTER_PORT && s->st->identity != MANNERS_MLX5;
}

/* mlx5 shows pause only of priorities that have PFC. */
static bool is_hidden(const struct sim *s, const struct nic *n, unsigned i)
{
	bool pause = i < COUNTER_RX_PACKETS || (i >= COUNTER_RX_PAUSED && i < COUNTER_REST);

	return pause && s->st->identity == MANNERS_MLX5 && !(n->hw.pfc_en & 1u << i % 8);
}

const char *counter_name(const struct sim *s, const struct nic *n, unsigned i, char buf[32])
{
	return is_too_old(s, i) || is_hidden(s, n, i) ? NULL : spelled(i, s->st->identity, buf);
}

uint64_t counter_value(const struct nic *n, unsigned i)
{
	uint64_t stop = stop_of(i);

	return stop && n->hw.counter[i] > stop ? stop : n->hw.counter[i];
}

int counter_find(const struct sim *s, const char *name)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		char buf[32];
		const char *own = spelled(i, s->st->identity, buf);

		if (own && !strcmp(own, name))
			return (int)i;
		own = spelled(i, MANNERS_MLX5, buf);
		if (own && !strcmp(own, name))
			return (int)i;
	}
	return -1;
}
