/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of vendors that set many things at once, and their wipes, orders and services that they stop. */
#include <string.h>

#include "explain/tool.h"

static void take_dscp(struct answer *a, const char *value)
{
	answer_entry(a, "qos.dscp", value, answer_arg(a, "-r") ? answer_arg(a, "-r") : "$prio");
}

static bool is_mode(const struct answer *a, const char *mode)
{
	const char *m = answer_arg(a, "-m");

	return m && !strcmp(m, mode);
}

static void take_priority(struct answer *a, const char *value)
{
	if (!is_mode(a, "2"))
		answer_entry(a, "qos.pfc", NULL, value);
}

/* What ETS takes is whole, and one share is not. */
static void take_share(struct answer *a, const char *value)
{
	answer_no_policy(a, "qos.ets takes the shares of all classes, %s%% for that of RoCE and the rest of 100%% for the others",
			 value);
}

/* The script maps the DSCP of CNPs as well. */
static void take_cnp_dscp(struct answer *a, const char *value)
{
	if (!is_mode(a, "1"))
		answer_entry(a, "qos.dscp", value, answer_arg(a, "-c") ? answer_arg(a, "-c") : "$prio");
}

static void take_cnp_priority(struct answer *a, const char *value)
{
	(void)value;
	if (is_mode(a, "1"))
		return;
	answer_no_policy(a, "ecn.cnp does not reach bnxt (docs/support.md): a policy that asks it for that drifts, but with "
			    "optional: [ecn]");
}

static const struct fact setupcc[] = {
	{ "-d", .value = "IBDEV" }, { "-i", .value = "IFNAME" },
	{ "-m", "1|2|3", .does = "1: PFC alone, 2: congestion control alone, 3: both" },
	{ "-s", "DSCP", .does = "DSCP of RoCE packets", .effect = &effect_dscp, .take = take_dscp },
	{ "-p", "DSCP", .does = "DSCP of CNPs", .effect = &effect_bnxt_cc, .take = take_cnp_dscp },
	{ "-r", "PRIO", .does = "priority of RoCE packets", .effect = &effect_pfc, .take = take_priority },
	{ "-c", "PRIO", .does = "priority of CNPs", .effect = &effect_bnxt_cc, .take = take_cnp_priority },
	{ "-b", "PERCENT", .does = "share of RoCE traffic", .effect = &effect_ets, .take = take_share },
	{ "-u", "N", .does = "which tool it calls: dcb, lldptool or the vendor's" },
	{ "-t", .value = "N" }, { .name = "-a" }, { .name = "-C" }, { .name = "-g" }, { .name = "-q" },
	{ .name = "-v" }, { .name = "-h" }, { .name = "-x" }, { .name = "-k" }, { .name = "-w" },
	{ 0 },
};

static void bnxt_setupcc(struct answer *a, const struct tool *t)
{
	tool_options(a, t->options, 1);
	a->device = answer_arg(a, "-i") ? answer_arg(a, "-i") : answer_arg(a, "-d");
	tool_tell(a);
	answer_effect(a, &effect_ets);
	answer_beware(a, "it stops lldpad, deletes the entries that are there and writes its own, and goes on when a "
			 "step fails");
}

static void tunes(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "spreads interrupts over CPUs, and some set sysctls, ring sizes and CPU governors as well");
	answer_effect(a, &effect_affinity);
	answer_beware(a, "interrupts do not stay where irqbalance runs");
}

static void nic_cli(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows and sets what is in the card's NVRAM, and DCB");
	answer_effect(a, &effect_nv);
}

static void qos_cli(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows and sets PFC, ETS and the APP table");
	for (size_t i = 1; i < a->command->n; i++)
		if (!strncmp(a->command->word[i], "set", 3)) {
			answer_effect(a, &effect_pfc);
			answer_effect(a, &effect_ets);
		}
}

/* Its card keeps QoS to itself: the kernel's driver has no DCB (docs/support.md). */
static void pensando(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows and sets QoS, PFC and DCQCN in the card's own processor, beside the kernel's driver");
	a->writes = strcmp(a->command->n > 1 ? a->command->word[1] : "show", "show") != 0;
	a->impact = a->writes ? IMPACT_TRAFFIC : IMPACT_NONE;
	answer_beware(a, "ionic has no DCB in the kernel: qos.* of a policy is driver-lacks there");
}

const struct tool tools_vendors[] = {
	{ .names = "bnxt_setupcc.sh bnxt_setupcc",
	  .is = "a script of Broadcom's: DCB and congestion control of bnxt_re",
	  .options = setupcc, .explain = bnxt_setupcc,
	  .no_policy = "qos.dscp, qos.pfc, qos.ets, ecn.cnp are the keys" },
	{ .names = "nicctl", .is = "of AMD Pensando (ionic)", .explain = pensando,
	  .no_policy = "rdmactl sets what the kernel's driver takes; mtu, pause, roce.mode and roce.tos are that of ionic" },
	{ .names = "bnxtqos", .is = "of Broadcom, over the driver of bnxt", .explain = qos_cli,
	  .no_policy = "qos.pfc, qos.dscp, qos.tc and qos.ets are the keys" },
	{ .names = "niccli bnxtnvm lcdiag", .is = "of Broadcom", .explain = nic_cli,
	  .no_policy = "rdmactl sets what the running kernel takes, and never the card's memory" },
	{ .names = "mlnx_tune mlnx_affinity set_irq_affinity.sh set_irq_affinity_bynode.sh set_irq_affinity_cpulist.sh "
		   "set_irq_affinity show_irq_affinity.sh", .is = "scripts of mlnx-tools", .explain = tunes,
	  .no_policy = "interrupts are not set by rdmactl" },
	{ 0 },
};
