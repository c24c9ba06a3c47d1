/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that look: at RDMA devices, at InfiniBand fabrics, at PCI and NUMA. */
#include <string.h>

#include "explain/tool.h"

static const struct fact ibstat_options[] = {
	{ "-d --debug", .does = "debug output of ibstat itself" }, { .name = "-l --list_of_cas" },
	{ .name = "-s --short" }, { .name = "-p --port_list" },
	{ .name = "-V --version" }, { .name = "-h --help" }, { .name = "-v --verbose" },
	{ 0 },
};

/* People give -d a device, which is debug, and look for errors, which it does not print. */
static void ibstat(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, ibstat_options, 1);
	tool_tell(a);
	if (a->rest.n)
		a->device = a->rest.at[0];
	answer_does(a, "shows state, physical state, rate and link layer of RDMA ports; no errors");
	if (answer_has(a, "-d") && a->rest.n)
		answer_wrong(a, "-d is debug and takes no device: the device is the word without an option");
	answer_instead(a, "errors: counters/symbol_error and counters/link_error_recovery in sysfs, or perfquery");
	answer_offer(a, "link.state", "up");
}

static void looks(struct answer *a, const struct tool *t)
{
	(void)t;
	for (size_t i = 1; i + 1 < a->command->n; i++)
		if (!strcmp(a->command->word[i], "-d") || !strcmp(a->command->word[i], "-C"))
			a->device = a->command->word[i + 1];
}

static void gids(struct answer *a, const struct tool *t)
{
	looks(a, t);
	if (a->command->n > 1 && a->command->word[1][0] != '-')
		a->device = a->command->word[1];
	answer_beware(a, "index 3 is RoCE v2 with IPv4 on some nodes only; addresses, VLANs and drivers move it");
	answer_offer(a, "gid.version", "v2");
	answer_offer(a, "gid.family", "ipv4");
}

static const struct fact numactl_options[] = {
	{ "-N --cpunodebind", "NODES", .does = "runs on the CPUs of these nodes" },
	{ "-m --membind", "NODES", .does = "takes memory of these nodes" },
	{ "-p --preferred", .value = "NODE" }, { "-i --interleave", .value = "NODES" },
	{ "-C --physcpubind", .value = "CPUS" }, { .name = "-l --localalloc" },
	{ .name = "-s --show" }, { "-H --hardware", .does = "shows nodes and distances" },
	{ 0 },
};

static void numactl(struct answer *a, const struct tool *t)
{
	const char *node;

	(void)t;
	tool_options(a, numactl_options, 1);
	tool_tell(a);
	node = answer_arg(a, "-N");
	if (!node)
		node = answer_arg(a, "-m");
	if (!node)
		return;
	answer_effect(a, &effect_process);
	answer_beware(a, "node %s is a guess: the NIC's own is in /sys/class/net/IFNAME/device/numa_node", node);
}

static void pci(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_no_policy(a, "pcie.width and pcie.speed verify each hop between card and root");
}

static void counters(struct answer *a, const struct tool *t)
{
	looks(a, t);
	if (strstr(a->text, " -r") || strstr(a->text, " -R"))
		answer_effect(a, &effect_counters);
}

static void opensm(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "runs a subnet manager: assigns LIDs, routes and partitions of an InfiniBand fabric");
	answer_effect(a, &effect_service);
	answer_beware(a, "two of them are a fault unless they are meant to stand by for each other");
}

static void modinfo(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows a module's version and parameters (-p): the only true list of those, also of a vendor's "
		       "build");
}

#define RDMA_CORE "of rdma-core and infiniband-diags"
#define READS "it reads"
#define LOOKS(names_, is_, does_) { .names = names_, .is = is_, .does = does_, .explain = looks, .no_policy = READS }
const struct tool tools_looking[] = {
	{ .names = "ibstat", .is = RDMA_CORE, .explain = ibstat },
	LOOKS("ibstatus", RDMA_CORE, "shows state and rate of RDMA ports"),
	LOOKS("ibv_devinfo", RDMA_CORE, "shows what a device can do: max_qp_wr, max_srq_wr, max_mr_size, active_mtu"),
	LOOKS("ibv_devices", RDMA_CORE, "lists RDMA devices"),
	LOOKS("ibdev2netdev", "a script of the vendor's stack",
	      "shows which netdev belongs to which RDMA device; `rdma link` and `rdmactl show ports` do without it"),
	{ .names = "show_gids", .is = "a script of mlnx-tools", .does = "shows the GID tables", .explain = gids },
	LOOKS("ibdiagnet", "of ibutils2", "examines a whole InfiniBand fabric; InfiniBand fabrics are out of scope "
					  "here"),
	LOOKS("ibnetdiscover iblinkinfo ibhosts ibswitches ibroute ibtracert ibping smpquery saquery ibaddr", RDMA_CORE,
	      "asks an InfiniBand fabric"),
	LOOKS("sminfo", RDMA_CORE, "shows the subnet manager that the port sees"),
	{ .names = "perfquery ibqueryerrors ibcheckerrors", .is = RDMA_CORE,
	  .does = "shows the counters of InfiniBand ports",
	  .explain = counters, .no_policy = READS },
	{ .names = "opensm", .is = "the InfiniBand subnet manager", .explain = opensm,
	  .no_policy = "out of scope: a node does not start subnet managers" },
	{ .names = "numactl", .is = "of numactl", .explain = numactl,
	  .no_policy = "where a program runs is the job scheduler's; the NIC's node is told by the inventory" },
	{ .names = "lspci", .is = "of pciutils", .does = "shows PCI functions, with -vv their links", .explain = pci },
	LOOKS("nvidia-smi rocm-smi", "of the GPU's vendor", "shows GPUs; `topo -m` their distance to NICs"),
	LOOKS("lstopo hwloc-ls lscpu", "of hwloc and util-linux", "shows CPUs, NUMA nodes and what hangs on them"),
	LOOKS("lsmod", "of kmod", "lists the modules that are loaded"),
	{ .names = "modinfo", .is = "of kmod", .explain = modinfo, .no_policy = READS },
	LOOKS("ofed_info", "of MLNX_OFED", "shows its version"),
	LOOKS("dmesg journalctl", "of the system", "shows the kernel's log: drivers tell there what netlink does not "
						   "say"),
	LOOKS("show_counters mlnx_perf", "of mlnx-tools", "shows counters, or their rates"),
	LOOKS("tcpdump ibdump", "of tcpdump and the vendor", "records packets; RDMA packets only where the NIC is "
							     "told to hand them over"),
	{ 0 },
};
