/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What drivers call their counters, and what that means. Names change with the version of a kernel (bnxt_re renamed most of
 * them in 7.3), so each meter has alternatives, and none is ever presumed to be there. Counters of sysfs that no row means
 * keep the driver's name; of an interface's statistics, hundreds of which are per queue, only these are taken.
 */
#include "inventory/meters.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "inventory/counters.h"
#include "kernel/ethtool.h"
#include "model/facts.h"

/* Of a name '#' stands for a priority; of a meter's names the first counts that a driver has. */
#define ROW(of, metric, unit, doc, ...) { "rdmactl_" metric, doc, unit, of, { __VA_ARGS__ } },
#define RDMA(...)      ROW(false, __VA_ARGS__)
#define INTERFACE(...) ROW(true, __VA_ARGS__)

static const struct meter meters[] = {
	/* counters/ of sysfs, as IBTA defines them: some stop at the end of their width */
	RDMA("rdma_transmitted_bytes_total", METER_WORD,
		"Data sent by the RDMA port.", "port_xmit_data")
	RDMA("rdma_received_bytes_total", METER_WORD,
		"Data received by the RDMA port.", "port_rcv_data")
	RDMA("rdma_transmitted_packets_total", METER_ONE,
		"Packets sent by the RDMA port.", "port_xmit_packets")
	RDMA("rdma_received_packets_total", METER_ONE,
		"Packets received by the RDMA port.", "port_rcv_packets")
	RDMA("rdma_symbol_errors_total", METER_ONE,
		"Symbol errors of the link (16 bits: stops at 65535).", "symbol_error")
	RDMA("rdma_link_recoveries_total", METER_ONE,
		"Times the link recovered (8 bits: stops at 255).", "link_error_recovery")
	RDMA("rdma_link_downs_total", METER_ONE,
		"Times the link failed to recover (8 bits: stops at 255).", "link_downed")
	RDMA("rdma_receive_errors_total", METER_ONE,
		"Packets received with an error (16 bits: stops at 65535).", "port_rcv_errors")
	RDMA("rdma_remote_physical_errors_total", METER_ONE,
		"Packets marked bad upstream (16 bits: stops at 65535).", "port_rcv_remote_physical_errors")
	RDMA("rdma_transmit_discards_total", METER_ONE,
		"Packets discarded for sending (16 bits: stops at 65535).", "port_xmit_discards")
	RDMA("rdma_transmit_wait_ticks_total", METER_ONE,
		"Ticks with data to send and no credits (InfiniBand).", "port_xmit_wait")
	/* hw_counters/ of sysfs: mlx5, bnxt_re of Linux 6.12 and 7.3, irdma, hns, mana, rxe */
	RDMA("rdma_ecn_marked_packets_total", METER_ONE,
		"RoCE packets received with a congestion mark.",
		"np_ecn_marked_roce_packets", "rx_ecn_marked_pkts", "RxECNMrkd")
	RDMA("rdma_cnps_sent_total", METER_ONE,
		"CNPs sent as notification point.",
		"np_cnp_sent", "np_cnp_pkts", "tx_cnp_pkts", "cnpSent", "tx_cnp_pkt")
	RDMA("rdma_cnps_handled_total", METER_ONE,
		"CNPs received and obeyed as reaction point.",
		"rp_cnp_handled", "rx_cnp_pkts", "cnpHandled", "rx_cnp_pkt")
	RDMA("rdma_cnps_ignored_total", METER_ONE,
		"CNPs received and ignored.", "rp_cnp_ignored", "cnpIgnored")
	RDMA("rdma_out_of_sequence_total", METER_ONE,
		"Packets that the responder received out of order.", "out_of_sequence", "oos_drop_count",
		"Rcvd Out of order packets", "responder_oos", "out_of_seq_request")
	RDMA("rdma_sequence_naks_total", METER_ONE,
		"NAKs for a sequence error that the requester received.", "packet_seq_err", "seq_err_naks_rcvd",
		"Nak Sequence Error", "requester_oos_nak", "rcvd_seq_err")
	RDMA("rdma_implied_naks_total", METER_ONE,
		"Responses from which the requester inferred a loss.",
		"implied_nak_seq_err", "missing_resp", "Nak Sequence Error Implied", "requester_implicit_nak")
	RDMA("rdma_ack_timeouts_total", METER_ONE,
		"Times that no acknowledgement came in time.",
		"local_ack_timeout_err", "to_retransmits", "RTO", "requester_timeout")
	RDMA("rdma_rnr_naks_total", METER_ONE,
		"RNR NAKs received: the peer had no receive posted.",
		"rnr_nak_retry_err", "rnr_naks_rcvd", "RNR received", "requester_rnr_nak", "rcvd_rnr_err")
	RDMA("rdma_no_receive_buffer_total", METER_ONE,
		"Packets for which no receive was posted here.",
		"out_of_buffer", "RNR sent", "responder_rnr_nak", "send_rnr_err")
	RDMA("rdma_retries_exceeded_total", METER_ONE,
		"Requests whose retries were exhausted.",
		"req_transport_retries_exceeded", "max_retry_exceeded", "requester_retries_exceeded", "retry_exceeded_err")
	RDMA("rdma_duplicate_requests_total", METER_ONE,
		"Requests received twice.", "duplicate_request", "dup_req", "responder_dup_request")
	RDMA("rdma_adaptive_retransmissions_total", METER_ONE,
		"Retransmissions that hide a loss (RoCE adaptive).", "roce_adp_retrans")
	RDMA("rdma_icrc_errors_total", METER_ONE,
		"RoCE packets with a wrong ICRC.", "rx_icrc_encapsulated", "CRC errors")
	/* ethtool: mlx5, bnxt_en, ice, hns3 */
	INTERFACE("pfc_received_frames_total", METER_ONE,
		"PFC frames received; mlx5 counts only where PFC is on.",
		"rx_prio#_pause", "rx_pfc_ena_frames_pri#", "rx_priority_#_xoff.nic", "mac_rx_pfc_pri#_pkt_num")
	INTERFACE("pfc_sent_frames_total", METER_ONE,
		"PFC frames sent; mlx5 counts only where PFC is on.",
		"tx_prio#_pause", "tx_pfc_ena_frames_pri#", "tx_priority_#_xoff.nic", "mac_tx_pfc_pri#_pkt_num")
	INTERFACE("pfc_received_pause_seconds_total", METER_US,
		"Time that sending was paused by PFC received.", "rx_prio#_pause_duration", "pfc_pri#_rx_duration_us")
	INTERFACE("pfc_sent_pause_seconds_total", METER_US,
		"Time that the peer was paused by PFC sent.", "tx_prio#_pause_duration", "pfc_pri#_tx_duration_us")
	INTERFACE("priority_received_packets_total", METER_ONE,
		"Packets received by the interface.", "rx_prio#_packets", "rx_packets_pri#")
	INTERFACE("priority_transmitted_packets_total", METER_ONE,
		"Packets sent by the interface.", "tx_prio#_packets", "tx_packets_pri#")
	INTERFACE("priority_received_bytes_total", METER_ONE,
		"Bytes received by the interface.", "rx_prio#_bytes", "rx_bytes_pri#")
	INTERFACE("priority_transmitted_bytes_total", METER_ONE,
		"Bytes sent by the interface.", "tx_prio#_bytes", "tx_bytes_pri#")
	INTERFACE("priority_discarded_packets_total", METER_ONE,
		"Packets discarded at reception.", "rx_prio#_discards")
	INTERFACE("interface_received_pause_frames_total", METER_ONE,
		"Global pause frames received.",
		"rx_global_pause", "rx_pause_ctrl_phy", "rx_pause_frames", "link_xoff_rx.nic", "mac_rx_mac_pause_num")
	INTERFACE("interface_sent_pause_frames_total", METER_ONE,
		"Global pause frames sent.",
		"tx_global_pause", "tx_pause_ctrl_phy", "tx_pause_frames", "link_xoff_tx.nic", "mac_tx_mac_pause_num")
	INTERFACE("interface_discarded_packets_total", METER_ONE,
		"Packets discarded at reception, for want of buffer in the port.", "rx_discards_phy", "rx_dropped.nic")
	INTERFACE("interface_no_host_buffer_total", METER_ONE,
		"Packets discarded at reception, for want of buffer in the host.", "rx_out_of_buffer")
	INTERFACE("interface_crc_errors_total", METER_ONE,
		"Frames received with a wrong checksum.",
		"rx_crc_errors_phy", "rx_fcs_err_frames", "rx_crc_errors.nic", "mac_rx_fcs_err_pkt_num")
	INTERFACE("interface_symbol_errors_total", METER_ONE,
		"Symbol errors of the link.", "rx_symbol_err_phy", "rx_pcs_symbol_err")
	INTERFACE("interface_link_downs_total", METER_ONE,
		"Times the link went down.", "link_down_events_phy", "link_down_events")
	/* the rest of hw_counters/ */
	ROW(false, "rdma_driver_events_total", METER_ONE,
		"An RDMA counter that no other metric means, by the driver's name.", NULL)
};

enum { NMETERS = sizeof(meters) / sizeof(meters[0]), OWN = NMETERS - 1 };

void meters_init(struct readings *out)
{
	*out = (struct readings){ .meter = meters, .nmeters = NMETERS };
}

static bool is_called(const char *pattern, const char *name, int *priority)
{
	size_t n = strcspn(pattern, "#");

	*priority = -1;
	if (!pattern[n])
		return !strcmp(pattern, name);
	if (strncmp(pattern, name, n) != 0 || name[n] < '0' || name[n] > '7' || strcmp(pattern + n + 1, name + n + 1) != 0)
		return false;
	*priority = name[n] - '0';
	return true;
}

/* Which meter means it; how good a name it is in *rank, 0 the best. OWN: none. */
static size_t meaning_of(const char *name, bool of_interface, int *priority, unsigned *rank)
{
	for (size_t i = 0; i < OWN; i++)
		for (unsigned j = 0; meters[i].of_interface == of_interface && j < METER_NAMES && meters[i].called[j]; j++)
			if (is_called(meters[i].called[j], name, priority)) {
				*rank = j;
				return i;
			}
	*priority = -1;
	return OWN;
}

/* What one question brought, before it goes into the list: of two names for one thing the better one counts. */
struct sheet {
	struct { uint64_t value; unsigned rank; bool set; } at[NMETERS][9];	/* [8]: not by priority */
};

static void enter(struct sheet *sheet, size_t meter, int priority, unsigned rank, uint64_t value)
{
	size_t p = priority < 0 ? 8 : (size_t)priority;

	if (sheet->at[meter][p].set && sheet->at[meter][p].rank <= rank)
		return;
	sheet->at[meter][p].set = true;
	sheet->at[meter][p].rank = rank;
	sheet->at[meter][p].value = value;
}

static void add(struct readings *out, struct arena *a, const struct reading *r)
{
	list_add(&out->list, a) = *r;
}

static void take_sheet(struct readings *out, struct arena *a, const struct sheet *sheet, struct reading one)
{
	for (size_t i = 0; i < OWN; i++)
		for (int p = 0; p < 9; p++) {
			if (!sheet->at[i][p].set)
				continue;
			one.meter = &meters[i];
			one.priority = p < 8 ? p : -1;
			one.value = sheet->at[i][p].value;
			add(out, a, &one);
		}
}

/* counters/ and hw_counters/ may have one name in common, and one port has each series once. */
static bool seen_before(const struct counters *c, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(c->at[j].name, c->at[i].name))
			return true;
	return false;
}

static void read_rdma(struct kernel *k, struct arena *a, const struct port *p, struct readings *out)
{
	struct reading one = { .ifname = "", .ibdev = p->ibdev, .ibport = p->ibport, .priority = -1 };
	struct sheet sheet = { 0 };
	struct counters c = { 0 };
	size_t unread;
	int r = counters_all(k, a, p->ibdev, p->ibport, &c, &unread);

	for (size_t i = 0; i < c.n; i++) {
		unsigned rank = 0;
		int priority;
		size_t meter = meaning_of(c.at[i].name, false, &priority, &rank);

		if (meter != OWN) {
			enter(&sheet, meter, priority, rank, c.at[i].value);
		} else if (!seen_before(&c, i)) {
			one.meter = &meters[OWN];
			one.own = c.at[i].name;
			one.value = c.at[i].value;
			add(out, a, &one);
		}
	}
	one.own = NULL;
	take_sheet(out, a, &sheet, one);
	list_add(&out->asked, a) = (struct metered){ .ifname = "", .ibdev = p->ibdev, .ibport = p->ibport,
						     .readable = r == 0 && unread == 0 };
}

static void read_statistics(struct kernel *k, struct arena *a, const struct port *p, struct readings *out)
{
	const struct reading one = { .ifname = p->ifname, .ibdev = p->ibdev, .ibport = p->ibport };
	struct sheet sheet = { 0 };
	struct ethtool_stat *stat = NULL;
	size_t n = 0;
	int r = ethtool_stats(k, a, p->ifname, &stat, &n);

	for (size_t i = 0; i < n; i++) {
		unsigned rank = 0;
		int priority;
		size_t meter = meaning_of(stat[i].name, true, &priority, &rank);

		if (meter != OWN)
			enter(&sheet, meter, priority, rank, stat[i].value);
	}
	take_sheet(out, a, &sheet, one);
	list_add(&out->asked, a) = (struct metered){ .ifname = p->ifname, .ibdev = p->ibdev, .ibport = p->ibport,
						     .readable = r == 0 || r == -EOPNOTSUPP };
}

static bool asked_before(const struct readings *out, const struct port *p)
{
	for (size_t i = 0; i < out->asked.n; i++) {
		const struct metered *one = &out->asked.at[i];

		if (!*one->ifname && one->ibport == p->ibport && !strcmp(one->ibdev, p->ibdev))
			return true;
	}
	return false;
}

void meters_port(struct kernel *k, struct arena *a, const struct port *p, struct readings *out)
{
	if (*p->ibdev && !asked_before(out, p))
		read_rdma(k, a, p, out);
	if (*p->ifname)
		read_statistics(k, a, p, out);
}
