/* SPDX-License-Identifier: Apache-2.0 */
/* Topics: what people read about RDMA and look for in a configuration tool. Much of it is the application's. */
#include "explain/topics.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "explain/answer.h"
#include "explain/print.h"

static const struct topic topics[] = {
	{ "queue-depth receive-queue rnr", true,
	  "How deep queues are is decided where they are made: a receive queue as deep as the peer's send queue, "
	  "within max_qp_wr and max_srq_wr of the device (ibv_devinfo -v). Too few receives show as rnr_nak_retry_err "
	  "at the sender and out_of_buffer at the receiver (hw_counters): the application, not the network.", NULL },
	{ "credits flow-control-application", true,
	  "When a sender may send again is agreed between the programs. Where they do not agree, RNR counters rise.",
	  NULL },
	{ "cm-events rdma-destroy-id", true,
	  "rdma_ack_cm_event() comes before rdma_destroy_id(), or the latter waits for ever: the program's source. "
	  "`rdma resource show cm_id` shows identifiers that stay.", NULL },
	{ "connect-timeout rdma-connect", true,
	  "No sysctl and no module option sets how long a connect may take: the connection manager's constants (up to "
	  "15 repetitions) and the program's own timers do. cm_tx_retries/req that rises tells of connects that "
	  "nobody answers; first suspect is the listener's backlog.", "max_backlog" },
	{ "backlog listen dropped-connects", false,
	  "A listener queues as many requests as its program asks for, at most net.rdma_ucm.max_backlog, which is "
	  "1024 by itself and is looked at when it begins to listen: raising it later does nothing before a restart. "
	  "A full one drops requests without reject, log line or counter of its own; what shows is cm_rx_msgs/req "
	  "outgrowing rep and rej at the server, and cm_tx_retries/req rising at the client. The key exists only once "
	  "rdma_ucm is loaded, after sysctl.d was applied.", "max_backlog modules.*.load" },
	{ "srq", true,
	  "Whether a shared receive queue is used is the program's choice; max_srq says how many the device has.",
	  NULL },
	{ "zero-copy", true,
	  "Copies are made or avoided in the program; no setting of a node changes that.", NULL },
	{ "null", false,
	  "A key that is null asks for nothing: it takes back what a profile says, and what runs stays as it is. It "
	  "is not the kernel's default; who wants that writes the value. What rdmactl set before is reported as "
	  "unmanaged, and its boot lines go with the next apply. count: null still asks for one port at least.", NULL },
	{ "unmanaged", false,
	  "A value that the policy does not ask for: never written, never a finding. It has a row only if rdmactl set "
	  "it last, when the policy still asked for it; apply --revert-dropped gives back what was there before.", NULL },
	{ "memory-pool mr-pool", true,
	  "A pool of registered memory is the program's. What a node gives to it can be seen: huge pages of the NIC's "
	  "NUMA node, the memlock limit of the service (LimitMEMLOCK=, limits.d), and max_mr_size of the device.",
	  NULL },
	{ "memory-registration mr pre-registration", true,
	  "Registering early is the program's. A registration that fails with ENOMEM meets the memlock limit of its "
	  "process: see /proc/PID/limits.", NULL },
	{ "memlock", true,
	  "RDMA pins memory, and RLIMIT_MEMLOCK bounds it: LimitMEMLOCK= for services, limits.d for logins, the "
	  "resource manager for jobs. rdmactl edits none of them.", NULL },
	{ "polling interrupts completion", true,
	  "Polling or waiting for completions is the program's choice, as is how many it takes at a time. Where the "
	  "driver moderates interrupts of completion queues: rdma dev set IBDEV adaptive-moderation on.", NULL },
	{ "batch-polling", true,
	  "How many completions one ibv_poll_cq() takes is decided in the program.", NULL },
	{ "send-or-write message-size", true,
	  "SEND and RECV for small messages, READ and WRITE for large ones is a choice of the program; benchmarks "
	  "show where they cross on your cards.", NULL },
	{ "direct-io", true,
	  "Direct I/O belongs to the storage software.", NULL },
	{ "numa gpu-affinity", false,
	  "A NIC has a NUMA node (numa_node in sysfs; -1: the firmware does not say), and a GPU is near if both hang "
	  "on one PCIe switch. Node 0 in a copied command is a guess.", "pcie.width pcie.speed" },
	{ "multi-nic rails", false,
	  "Several ports work as one only if all are there and alike: count finds the missing one, and each row that "
	  "differs names the odd one out. How traffic is spread is the program's.",
	  "count link.speed mtu qos.pfc firmware.version" },
	{ "link-rate ndr hdr speed", false,
	  "The speed of a link is negotiated by card, cable and switch; what it should be is verified.",
	  "link.speed link.state" },
	{ "firmware-choice firmware-upgrade", false,
	  "A version, a range or a list of bad ones, by board, since each board has trains of its own. Flashing is "
	  "out of scope: the vendor's tool signs and writes; what is stored and waits for a reset is told as pending.",
	  "firmware.version firmware.board firmware.deny" },
	{ "firmware-bug", false,
	  "A version known to be bad stands in a deny list, and a node that runs it drifts.", "firmware.deny" },
	{ "canary rollout", false,
	  "A rollout goes by nodes of the policy: a profile with the new value for some, then for all; a dump before "
	  "and after lets them be compared. Flashing is out of scope.", "firmware.version" },
	{ "pcie-switch topology-pcie", false,
	  "Where NIC and GPU hang is decided when a machine is built; each link from the card to the root is verified "
	  "for width and speed, and the narrow one is named: card, slot, or trained too low.",
	  "pcie.width pcie.speed" },
	{ "bond bonding lag", false,
	  "DCB, pause and ETS belong to the physical ports: each member of a bond is set, one after the other. The "
	  "MTU belongs to the bond. Which mode a bond has stays with NetworkManager or networkd.",
	  "mtu qos.pfc qos.dscp" },
	{ "pcie-width pcie-speed", false,
	  "What a link can is the lesser of its two ends; what it does is compared with that at each hop up to the "
	  "root.", "pcie.width pcie.speed" },
	{ "jumbo jumbo-frames", false,
	  "The MTU must be alike on both NICs, and every hop between takes the frame: MTU + 14, + 4 for each tag, + "
	  "4. RoCE MTU 4096 takes 4192 on most drivers. A switch that takes less drops in silence.", "mtu" },
	{ "congestion-control timely swift", false,
	  "Commodity NICs have one choice for a port, not one for each queue pair. mlx5: ROCE_CC_ALGORITHM in the "
	  "card's memory; bnxt: cc_mode; hns: by firmware. Timely for single queue pairs cannot be had from the host; "
	  "nearest are programmable algorithms that measure round trips.", "ecn.np ecn.rp" },
	{ "dcqcn cc-parameters", false,
	  "Where marking begins is the switch's (WRED). How a sender recovers and slows down is the NIC's: rp_ai_rate "
	  "and rp_hai_rate are steps, rp_gd and rp_min_dec_fac the decrease.",
	  "ecn.rp_ai_rate ecn.rp_hai_rate ecn.rp_gd ecn.rp_min_dec_fac ecn.np_min_time_between_cnps" },
	{ "ecn-marking ecn-threshold wred kmin kmax", false,
	  "The switch marks: from Kmin on, with Pmax at Kmax. Kmin must be below Kmax, and marking must begin before "
	  "PFC pauses. The NIC answers marks (NP) and obeys the answers (RP).", "ecn.np ecn.rp ecn.cnp.dscp" },
	{ "ecn-tiers", false,
	  "Leaf and spine have other speeds and cables, hence other thresholds; they belong to switches, and a node "
	  "knows nothing of them.", NULL },
	{ "qp-count wr-depth cq-config", true,
	  "How many queue pairs and how deep is the program's; the device's limits are max_qp, max_qp_wr and max_cqe.",
	  NULL },
	{ "nccl ucx nccl-buffers", true,
	  "Algorithms, rings and buffers are NCCL's own. What must agree with the node: its traffic class "
	  "(NCCL_IB_TC) with the DSCP map, and no GID by index.", "qos.dscp qos.pfc gid.version gid.family" },
	{ "overlap batching", true,
	  "Overlapping communication with computation is done in the program.", NULL },
	{ "link-quality signal", false,
	  "State and speed are verified. Quality shows in rx_symbol_err_phy, FEC counters and the module's values "
	  "(ethtool -S, ethtool -m).", "link.state link.speed" },
	{ "crc crc-errors llr", false,
	  "rx_crc_errors_phy, symbol_error and link_error_recovery that rise mean this one cable, plug or module: "
	  "clean or replace. Names differ by driver.", "link.state" },
	{ "congestion", false,
	  "np_cnp_sent and rp_cnp_handled, np_ecn_marked_roce_packets, and how long each priority was paused "
	  "(rx_prio3_pause_duration): rates over an interval, not totals.", "ecn.np ecn.rp qos.pfc" },
	{ "pause-counters pfc-counters", false,
	  "Frames and duration of pause for each priority; duration says more. mlx5 shows them only for priorities "
	  "with PFC.", "qos.pfc" },
	{ "marking-ratio", false,
	  "Marked RoCE packets by all RoCE packets received, over an interval: np_ecn_marked_roce_packets on mlx5.",
	  "ecn.np" },
	{ "diagnosis root-cause", false,
	  "By who shows it: one host with many peers is the host, one pair of ends the cable, many hosts behind one "
	  "switch the switch, one priority everywhere the policy; counters of remote access are the program's.", NULL },
	{ "logs", false,
	  "A dump holds every raw answer of a node, and gives the same verdict on another machine.", NULL },
	{ "routing ecmp arp", false,
	  "Paths through the fabric are the switches'. A host with several ports in one subnet needs arp_ignore 1, "
	  "arp_announce 2 and rp_filter 2 or 0.", "sysctl.*" },
	{ "application-metrics", true,
	  "Throughput of an application is a goal; rdmactl proves what it stands on.", NULL },
	{ "roce-version roce-v1 iwarp infiniband", false,
	  "RoCE v2 is routed, v1 is not; the version that rdma_cm prefers can be set. iWARP has neither ToS nor DCB "
	  "of RoCE. InfiniBand has its subnet manager instead of most of this.", "roce.mode roce.enabled gid.version" },
	{ "ofed mlnx-ofed packages", true,
	  "Which driver stack is installed is the package manager's. Where the vendor's differs, rdmactl takes the "
	  "interface that is there.", NULL },
	{ "subnet-manager opensm", true,
	  "A node does not start a subnet manager: two are a fault. sm_lid 0x0 says that the port sees none.", NULL },
	{ "latency bandwidth benchmark", true,
	  "ib_write_bw and ib_send_lat measure; SEND is two-sided. Low figures: PCIe link, firmware, another job, "
	  "then the fabric.", "pcie.width pcie.speed firmware.version" },
	{ "slow slow-network", false,
	  "First the PCIe link of card and slot, then firmware, then MTU, PFC and DSCP at both ends; on InfiniBand "
	  "the subnet manager.", "pcie.width pcie.speed firmware.version mtu qos.pfc qos.dscp" },
	{ "headroom", false,
	  "A lossless buffer holds what still arrives after a pause was sent: bits on the cable, there and back, the "
	  "peer's response, one frame each way, rounded up to cells. It grows with speed and length.",
	  "buffer.cable qos.pfc" },
	{ "buffers receive-buffer", false,
	  "Firmware sizes receive buffers when PFC changes. mlnx_qos computes only where --cable_len is given, and "
	  "then the kernel does; --buffer_size is by hand, and leaves the port manual.", "buffer.cable buffer.sizes" },
	{ "link-flap flapping", false,
	  "A cable that fails; or PFC that was set: on mlx5 each change of the mask takes the link down and up. "
	  "rdmactl says so before it writes, and writes only what differs.", "qos.pfc link.state" },
	{ "fat-tree spine-leaf clos", true,
	  "Topology is data about the fabric, not a setting of a node.", NULL },
	{ "exporter prometheus metrics", false,
	  "Counters of RoCE are in hw_counters; files of counters/ may read N/A (no PMA). The device belongs into a "
	  "label.", NULL },
	{ "pfc-deadlock pause-storm", false,
	  "Pauses that wait for each other stop a fabric. Few lossless priorities, two at most, a watchdog on "
	  "switches, and a limit on the host (pfc-prevention-tout) keep it local.", "qos.pfc" },
	{ "ecn-storm cnp-storm", false,
	  "Many CNPs for few packets: incast on the receiver that sends them. np_cnp_sent names it.",
	  "ecn.np ecn.cnp.priority" },
	{ "pfc-priority storage-priority", false,
	  "PFC is by priority, not by port: training and storage have one each, two lossless ones at most, and never "
	  "one for two.", "qos.pfc qos.dscp" },
	{ "ibdiagnet-regularly fabric-check", true,
	  "Examining an InfiniBand fabric is ibdiagnet's; rdmactl looks at one node.", NULL },
	{ "bit-errors ber fec", false,
	  "Corrected errors are what FEC is for; uncorrected ones, symbol and CRC errors are not, and a rate says "
	  "more than a count.", "link.state" },
	{ 0 },
};

const struct topic *topic_at(unsigned i)
{
	return i < sizeof(topics) / sizeof(topics[0]) - 1 ? &topics[i] : NULL;
}

/* "Memory pool", "memory_pool" as memory-pool */
static const char *spelled(const char *name, struct arena *a)
{
	char *s = arena_strdup(a, name);

	for (char *c = s; *c; c++)
		*c = *c == ' ' || *c == '_' ? '-' : (char)tolower((unsigned char)*c);
	return s;
}

const struct topic *topic_find(const char *name, struct arena *a)
{
	for (const struct topic *t = topics; t->names; t++)
		if (fact_named(&(struct fact){ .name = t->names }, spelled(name, a)))
			return t;
	return NULL;
}

const char *topic_nearest(const char *name, struct arena *a)
{
	struct lines names = { 0 };

	for (const struct topic *t = topics; t->names; t++)
		list_add(&names, a) = arena_strndup(a, t->names, strcspn(t->names, " "));
	list_add(&names, a) = NULL;
	return text_nearest(spelled(name, a), names.at);
}

void topic_print(const struct topic *t, const char *name, struct text *out)
{
	text_add_safe(out, name, strlen(name));
	text_char(out, '\n');
	print_line(out, "means", t->says);
	if (t->out)
		print_line(out, "rdmactl", t->keys ? "does nothing about it itself, and verifies what it stands on"
						   : "does nothing about it: out of scope, for that reason");
	print_line(out, "keys", t->keys);
}

void topic_json(const struct topic *t, const char *name, struct json *j)
{
	json_object_open(j, NULL);
	json_string(j, "topic", name);
	json_string(j, "means", t->says);
	json_boolean(j, "out_of_scope", t->out);
	json_string(j, "keys", t->keys);
	json_object_close(j);
}
