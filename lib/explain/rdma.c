/* SPDX-License-Identifier: Apache-2.0 */
/* rdma of iproute2: RDMA netlink. */
#include <string.h>

#include "explain/tool.h"

static void take_netns(struct answer *a, const char *value)
{
	if (strcmp(value, "shared") != 0 && strcmp(value, "exclusive") != 0) {
		answer_wrong(a, "netns is shared or exclusive, not %s", value);
		return;
	}
	answer_offer(a, "modules.ib_core.options.netns_mode", !strcmp(value, "shared") ? "1" : "0");
}

static const struct fact system_set[] = {
	{ "netns", "shared|exclusive", .does = "whether every network namespace sees every RDMA device",
	  .effect = &effect_netns_mode, .take = take_netns },
	{ "privileged-qkey", "on|off", .does = "whether users may use privileged Q_Keys", .effect = &effect_parameter },
	{ "monitor", .value = "on|off" },
	{ 0 },
};
static const struct fact dev_set[] = {
	{ "name", "IBDEV", .does = "renames the device", .effect = &effect_rename },
	{ "netns", "NAME", .does = "moves it to another network namespace; needs exclusive mode" },
	{ "adaptive-moderation", "on|off", .does = "interrupt moderation of completion queues by load (dim)",
	  .effect = &effect_moderation },
	{ 0 },
};
static const struct fact link_add[] = {
	{ "type", "rxe|siw", .does = "RoCE (rxe) or iWARP (siw) in software", .effect = &effect_soft_device },
	{ "netdev", .value = "IFNAME" },
	{ 0 },
};
static const struct fact statistic[] = { { "link", .value = "IBDEV/PORT" }, { 0 } };

static const struct form forms[] = {
	{ "system set", 0, { 0 }, system_set },
	{ "system show", 1, { .does = "shows whether network namespaces share RDMA devices" }, NULL },
	{ "dev set", 1, { 0 }, dev_set },
	{ "dev show", 1, { .does = "lists RDMA devices, their firmware and GUIDs" }, NULL },
	{ "dev", 1, { .does = "lists RDMA devices, their firmware and GUIDs" }, NULL },
	{ "link add", 1, { 0 }, link_add },
	{ "link delete", 1, { .does = "removes a software device", .effect = &effect_soft_device }, NULL },
	{ "link show", 1, { .does = "lists ports, their state and netdev" }, NULL },
	{ "link", 1, { .does = "lists ports, their state and netdev" }, NULL },
	{ "resource show", 9, { .does = "lists queue pairs, listeners (cm_id), completion queues, memory regions and "
					"who owns them",
				.beware = "the backlog of a listener is not among it: nothing shows that" }, NULL },
	{ "resource", 9, { .does = "counts queue pairs, completion queues and memory regions of each device" }, NULL },
	{ "statistic qp", 9, { .does = "binds counters to queue pairs, or shows them" }, NULL },
	{ "statistic set", 9, { .does = "turns optional counters on: cc_rx_ce_pkts, cc_rx_cnp_pkts, "
					"cc_tx_cnp_pkts", .effect = &effect_moderation }, NULL },
	{ "statistic show", 9, { .does = "shows the RDMA counters of a port, those of hw_counters in "
					 "sysfs" }, statistic },
	{ "statistic", 9, { .does = "shows the RDMA counters of a port, those of hw_counters in sysfs" }, NULL },
	{ "monitor", 9, { .does = "tells devices that come and go" }, NULL },
	{ 0 },
};

const struct tool tools_rdma[] = {
	{ .names = "rdma", .is = "of iproute2, over RDMA netlink", .forms = forms,
	  .no_policy = "nothing of it is a setting of rdmactl" },
	{ 0 },
};
