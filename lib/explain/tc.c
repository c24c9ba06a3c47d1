/* SPDX-License-Identifier: Apache-2.0 */
/* tc: queueing disciplines of the kernel. Hardware RoCE passes none of them; mqprio alone touches what RoCE shares. */
#include <string.h>

#include "explain/tool.h"

static const struct fact disciplines[] = {
	{ "fq_codel", .does = "queues of the kernel with CoDel; its `ecn` marks TCP packets instead of dropping them" },
	{ "codel", .does = "a queue of the kernel with CoDel" },
	{ "red", .does = "random early detection in the kernel; its `ecn` marks TCP packets" },
	{ "fq", .does = "pacing of TCP flows" },
	{ "pfifo_fast", .does = "the kernel's default queue" },
	{ "htb", .does = "shaping of what the kernel sends" },
	{ "tbf", .does = "shaping of what the kernel sends" },
	{ "netem", .does = "delay and loss for tests; RDMA traffic does not see them" },
	{ "prio", .does = "bands of the kernel" },
	{ "ets", .does = "ETS of the kernel; that of the NIC is dcb ets" },
	{ "mqprio", .does = "traffic classes of the Ethernet queues of a NIC",
	  .beware = "hns3 refuses ETS by dcb netlink while mqprio is there; use one of the two" },
	{ "clsact", .does = "a place for filters" },
	{ "ingress", .does = "a place for filters of received packets" },
	{ "noqueue", .does = "no queue" },
	{ 0 },
};

static bool has(const struct answer *a, const char *word)
{
	for (size_t i = 1; i < a->command->n; i++)
		if (!strcmp(a->command->word[i], word))
			return true;
	return false;
}

static const char *device(const struct answer *a)
{
	for (size_t i = 1; i + 1 < a->command->n; i++)
		if (!strcmp(a->command->word[i], "dev"))
			return a->command->word[i + 1];
	return NULL;
}

static void discipline(struct answer *a)
{
	const struct fact *f = disciplines;

	while (f->name && !has(a, f->name))
		f++;
	if (f->name)
		answer_fact(a, f, NULL);
	else
		answer_does(a, "a queueing discipline of the kernel");
	answer_effect(a, &effect_qdisc);
	if (!has(a, "ecn"))
		return;
	answer_wrong(a, "ecn of a qdisc is no ECN for RoCE: it marks what the kernel queues, and the kernel queues no "
			"RDMA packet");
	answer_instead(a, "RoCE: the switch marks (WRED with Kmin, Kmax, Pmax); the receiving NIC answers with CNPs "
			  "and the sending "
			  "NIC slows down: ecn.np, ecn.rp, ecn.cnp");
}

static void explain(struct answer *a, const struct tool *t)
{
	(void)t;
	a->device = device(a);
	if (has(a, "show") || has(a, "list") || has(a, "ls") || a->command->n < 3) {
		answer_does(a, "shows qdiscs, classes or filters of the kernel");
	} else if (has(a, "qdisc")) {
		discipline(a);
	} else if (has(a, "filter")) {
		answer_does(a, "filters of the kernel; offloaded ones (flower) steer packets in the NIC's switch");
		answer_effect(a, &effect_qdisc);
	} else {
		answer_does(a, "classes of the kernel");
		answer_effect(a, &effect_qdisc);
	}
}

const struct tool tools_tc[] = {
	{ .names = "tc", .is = "of iproute2: queues of the kernel", .explain = explain,
	  .no_policy = "traffic classes of the NIC are qos.tc and qos.ets; DCQCN is ecn.*" },
	{ 0 },
};
