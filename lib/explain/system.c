/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds RDMA on a node: packages, limits, PCI registers, interrupts, and variables for communication libraries. */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static void packages(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "installs, removes or lists packages");
	if (strstr(a->text, "ofed") || strstr(a->text, "doca"))
		answer_beware(a, "the vendor's stack replaces the kernel's drivers: other parameters, other files in "
				 "sysfs");
}

static void ulimit(struct answer *a, const struct tool *t)
{
	(void)t;
	if (strstr(a->text, "-l"))
		answer_does(a, "limit of memory that a process may pin; RDMA registrations need it");
	else
		answer_does(a, "limits of a process");
	answer_effect(a, &effect_process);
	answer_beware(a, "services and jobs have limits of their own: LimitMEMLOCK= of systemd, limits.d for logins");
}

/* "-s BDF CAP_EXP+8.w=5936": bits 14:12 of PCIe DevCtl are MaxReadReq */
static void setpci(struct answer *a, const struct tool *t)
{
	const char *assigned = NULL;

	(void)t;
	for (size_t i = 1; i < a->command->n; i++) {
		if (!strcmp(a->command->word[i], "-s") && i + 1 < a->command->n)
			a->device = a->command->word[i + 1];
		if (strchr(a->command->word[i], '='))
			assigned = a->command->word[i];
	}
	if (!assigned) {
		answer_does(a, "shows a register of PCI config space");
		return;
	}
	answer_does(a, "writes a register of PCI config space: %s", assigned);
	answer_effect(a, &effect_pcie);
	if (!strncasecmp(assigned, "CAP_EXP+8.w=", 12) || !strncmp(assigned, "68.w=", 5)) {
		static const char *const sizes[] = { "128", "256", "512", "1024", "2048", "4096" };
		const char *hex = strchr(assigned, '=') + 1;
		int64_t v;

		if (tool_number(arena_printf(a->arena, "0x%.4s", hex), &v) && ((v >> 12) & 7) < 6) {
			answer_does(a, "its first digit %c is MaxReadReq %s bytes", *hex, sizes[(v >> 12) & 7]);
			answer_offer(a, "pcie.max_read_request", sizes[(v >> 12) & 7]);
		}
	}
}

static void processors(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "frequencies, profiles or interrupts of CPUs");
	answer_effect(a, &effect_affinity);
}

static void exporter(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "metrics of a node; its InfiniBand part reads counters/ and hw_counters/ in sysfs");
	answer_beware(a, "N/A (no PMA) in counters/ is no number; the RDMA counters of RoCE are in hw_counters/");
}

#define NO_SETTING "it is no setting of rdmactl"
const struct tool tools_system[] = {
	{ .names = "yum dnf apt apt-get zypper rpm dpkg pip mlnxofedinstall", .is = "packages", .explain = packages,
	  .no_policy = "out of scope: rdmactl installs nothing" },
	{ .names = "ulimit prlimit", .is = "of the shell and util-linux", .explain = ulimit,
	  .no_policy = "limits of processes are not "
													   "set by "
													   "rdmactl" },
	{ .names = "setpci", .is = "of pciutils", .explain = setpci, .no_policy = NO_SETTING },
	{ .names = "cpupower tuned-adm irqbalance", .is = "CPUs", .explain = processors, .no_policy = NO_SETTING },
	{ .names = "node_exporter prometheus", .is = "monitoring", .explain = exporter, .no_policy = NO_SETTING },
	{ 0 },
};

/* --- variables --------------------------------------------------------------------------- */

static void nccl_tc(struct answer *a, const char *value)
{
	answer_beware(a, "NCCL makes its queue pairs itself: roce.tos is the same byte for users of rdma_cm, and does "
			 "not reach NCCL");
	tool_tos(a, value);
}

static void gid_index(struct answer *a, const char *value)
{
	if (strcmp(value, "-1") != 0)
		answer_beware(a, "index %s is another GID on other nodes, and moves with addresses and VLANs; leave "
				 "it unset", value);
	answer_offer(a, "gid.version", "v2");
	answer_offer(a, "gid.family", "ipv4");
}

static const struct fact variables[] = {
	{ "NCCL_IB_TC", "BYTE", .does = "traffic class (ToS byte) of NCCL's RoCE packets", .take = nccl_tc },
	{ "NCCL_IB_FIFO_TC", "BYTE", .does = "traffic class of NCCL's control messages" },
	{ "NCCL_IB_GID_INDEX", "INDEX", .does = "GID that NCCL uses; unset it finds one", .take = gid_index },
	{ "UCX_IB_GID_INDEX", "INDEX", .does = "GID that UCX uses; unset it finds one", .take = gid_index },
	{ "NVSHMEM_IB_GID_INDEX", "INDEX", .does = "GID that NVSHMEM uses", .take = gid_index },
	{ "UCX_IB_TRAFFIC_CLASS", "BYTE", .does = "traffic class of UCX's RoCE packets", .take = nccl_tc },
	{ "NVSHMEM_IB_TRAFFIC_CLASS", "BYTE", .does = "traffic class of NVSHMEM's RoCE packets", .take = nccl_tc },
	{ "NCCL_IB_HCA", "LIST", .does = "RDMA devices that NCCL uses; names differ between nodes" },
	{ "NCCL_IB_SL", "SL", .does = "service level, of InfiniBand" },
	{ "NCCL_IB_TIMEOUT", "EXPONENT", .does = "time before a packet is sent again: 4.096 µs × 2^N" },
	{ "NCCL_IB_RETRY_CNT", "N", .does = "how often a packet is sent again, at most 7" },
	{ "NCCL_IB_DISABLE", "0|1", .does = "NCCL uses TCP instead" },
	{ "NCCL_IB_QPS_PER_CONNECTION", "N", .does = "queue pairs of a connection" },
	{ "NCCL_IB_PCI_RELAXED_ORDERING", "N", .does = "relaxed ordering of NCCL's memory regions" },
	{ "NCCL_IB_ROCE_VERSION_NUM", "N", .does = "RoCE version that NCCL prefers" },
	{ "NCCL_IB_ADDR_FAMILY", "FAMILY", .does = "address family of the GID that NCCL prefers" },
	{ "NCCL_SOCKET_IFNAME", "LIST", .does = "interfaces of NCCL's start-up, by TCP" },
	{ "NCCL_ALGO NCCL_PROTO NCCL_BUFFSIZE NCCL_NET_GDR_LEVEL NCCL_CROSS_NIC NCCL_DEBUG NCCL_TOPO_FILE", "VALUE",
	  .does = "a choice of the application" },
	{ "UCX_TLS UCX_NET_DEVICES", "LIST", .does = "transports and devices of UCX" },
	{ "RDMAV_FORK_SAFE RDMAV_HUGEPAGES_SAFE IBV_FORK_SAFE", "1", .does = "memory of programs that fork" },
	{ 0 },
};

bool explain_variable(struct answer *a, const char *assignment)
{
	const char *equals = strchr(assignment, '=');
	const char *name = arena_strndup(a->arena, assignment, (size_t)(equals - assignment));

	for (const struct fact *f = variables; f->name; f++)
		if (fact_named(f, name)) {
			struct fact one = *f;

			one.name = name;
			answer_fact(a, &one, equals + 1);
			answer_effect(a, &effect_process);
			return true;
		}
	return false;
}
