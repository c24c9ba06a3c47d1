/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlxconfig, mstconfig: values that a card keeps in non-volatile memory. Parameter names are parsed by what they begin
 * with: per-port ones end in _P1, _P2. Names that published pages invented are told apart from those that exist.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"
#include "explain/tool.h"

static void roce_control(struct answer *a, const char *value)
{
	if (!strcmp(value, "0") || !strcasecmp(value, "DEVICE_DEFAULT"))
		answer_no_policy(a, "the device default is whatever the card says; want roce: {enabled: true} or "
				    "false");
	else
		tool_switch(a, "roce.enabled", value, "2 ROCE_ENABLE", "1 ROCE_DISABLE");
}

static void no_such_enable(struct answer *a, const char *value)
{
	tool_switch(a, "roce.enabled", value, "1 true True", "0 false False");
}

#define CC(name_, does_, key_) { name_, "VALUE", .does = does_, .effect = &effect_nv, .key = key_ }
static const struct fact parameters[] = {
	{ "ROCE_CONTROL", "VALUE", .does = "RoCE of the function: 0 device default, 1 off, 2 on", .effect = &effect_nv,
	  .take = roce_control },
	{ "ROCE_EN", "VALUE", .exists = EXISTS_NO, .take = no_such_enable,
	  .instead = "`devlink dev param set pci/BDF name enable_roce value true cmode driverinit` and a devlink "
		     "reload; or "
		     "ROCE_CONTROL in the card's memory" },
	{ "LINK_TYPE", "1|2", .does = "1 InfiniBand, 2 Ethernet", .effect = &effect_nv },
	{ "SRIOV_EN", "0|1", .does = "virtual functions possible", .effect = &effect_nv },
	{ "NUM_OF_VFS", "N", .does = "how many virtual functions at most", .effect = &effect_nv },
	{ "PCI_WR_ORDERING", "VALUE", .does = "relaxed ordering by memory key (0), or forced (1)",
	  .effect = &effect_nv },
	{ "ADVANCED_PCI_SETTINGS", "0|1", .does = "shows further PCIe parameters", .effect = &effect_nv },
	{ "MAX_ACC_OUT_READ", "VALUE", .does = "outstanding PCIe reads", .effect = &effect_nv },
	{ "ROCE_CC_PRIO_MASK", "MASK", .does = "priorities on which DCQCN runs; 255 is all", .effect = &effect_nv },
	{ "ROCE_CC_ALGORITHM", "VALUE", .does = "congestion control of the port: ECN or quantized",
	  .effect = &effect_nv },
	{ "LLDP_NB_DCBX", "0|1", .does = "firmware runs DCBX", .effect = &effect_nv },
	{ "LLDP_NB_RX_MODE", "VALUE", .does = "which LLDP frames firmware takes; the host does not see those",
	  .effect = &effect_nv },
	{ "LLDP_NB_TX_MODE", "VALUE", .does = "which LLDP frames firmware sends", .effect = &effect_nv },
	{ "DCBX_IEEE", "0|1", .does = "firmware DCBX speaks IEEE", .effect = &effect_nv },
	{ "DCBX_CEE", "0|1", .does = "firmware DCBX speaks CEE", .effect = &effect_nv },
	{ "DCBX_WILLING", "0|1", .does = "firmware takes the switch's values", .effect = &effect_nv },
	{ "CNP_RES_PRIO_MODE", "0|1", .does = "CNPs use CNP_802P_PRIO (0), or the received packet's priority (1)",
	  .effect = &effect_nv },
	CC("CNP_DSCP", "DSCP of CNPs", "ecn.cnp.dscp"),
	CC("CNP_802P_PRIO", "priority of CNPs", "ecn.cnp.priority"),
	CC("MIN_TIME_BETWEEN_CNPS", "µs between two CNPs", "ecn.np_min_time_between_cnps"),
	CC("CLAMP_TGT_RATE_AFTER_TIME_INC", "DCQCN", "ecn.rp_clamp_tgt_rate_ati"),
	CC("CLAMP_TGT_RATE", "DCQCN", "ecn.rp_clamp_tgt_rate"),
	CC("RPG_TIME_RESET", "DCQCN, µs between increases", "ecn.rp_time_reset"),
	CC("RPG_BYTE_RESET", "DCQCN, bytes between increases", "ecn.rp_byte_reset"),
	CC("RPG_THRESHOLD", "DCQCN, increases before the next stage", "ecn.rp_threshold"),
	CC("RPG_MAX_RATE", "DCQCN, Mb/s", "ecn.rp_max_rate"),
	CC("RPG_AI_RATE", "DCQCN, additive step in Mb/s", "ecn.rp_ai_rate"),
	CC("RPG_HAI_RATE", "DCQCN, hyper step in Mb/s", "ecn.rp_hai_rate"),
	CC("RPG_GD", "DCQCN, log2 divisor of alpha", "ecn.rp_gd"),
	CC("RPG_MIN_DEC_FAC", "DCQCN, percent kept in a decrease", "ecn.rp_min_dec_fac"),
	CC("RPG_MIN_RATE", "DCQCN, Mb/s", "ecn.rp_min_rate"),
	CC("RATE_TO_SET_ON_FIRST_CNP", "DCQCN, Mb/s", "ecn.rp_rate_to_set_on_first_cnp"),
	CC("DCE_TCP_G", "DCQCN, gain of alpha", "ecn.rp_dce_tcp_g"),
	CC("DCE_TCP_RTT", "DCQCN, µs between updates of alpha", "ecn.rp_dce_tcp_rtt"),
	CC("RATE_REDUCE_MONITOR_PERIOD", "DCQCN, µs between decreases", "ecn.rp_rate_reduce_monitor_period"),
	CC("INITIAL_ALPHA_VALUE", "DCQCN", "ecn.rp_initial_alpha_value"),
	{ 0 },
};

static const struct fact options[] = {
	{ "-d --dev", .value = "DEVICE" }, { "-b --db", .value = "FILE" }, { "-f --file", .value = "FILE" },
	{ .name = "-y --yes" }, { .name = "-e --enable_verbosity" },
	{ .name = "-a --all_attrs" }, { .name = "-h --help" }, { .name = "-v --version" }, { .name = "-j --json" },
	{ 0 },
};

/* "CNP_DSCP_P1" is CNP_DSCP of port 1. The name without port, in capitals as the program takes both. */
static const char *base_name(struct answer *a, const char *name)
{
	char *s = arena_strdup(a->arena, name);
	size_t n;

	for (char *c = s; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	n = strlen(s);
	if (n > 3 && s[n - 3] == '_' && s[n - 2] == 'P' && isdigit((unsigned char)s[n - 1]))
		s[n - 3] = '\0';
	return s;
}

static void parameter(struct answer *a, const char *word)
{
	const char *equals = strchr(word, '=');
	const char *name = base_name(a, arena_strndup(a->arena, word, equals ? (size_t)(equals - word) : strlen(word)));

	for (const struct fact *f = parameters; f->name; f++)
		if (!strcmp(f->name, name)) {
			answer_fact(a, f, equals ? equals + 1 : NULL);
			return;
		}
	answer_does(a, "%s: a parameter that is not known here; `mlxconfig -d DEVICE show_confs` lists those of the "
		       "card", name);
	answer_effect(a, &effect_nv);
}

static bool starts(const char *word, const char *command)
{
	return *word && !strncmp(command, word, strlen(word));
}

static void set(struct answer *a)
{
	for (size_t i = 1; i < a->rest.n; i++)
		parameter(a, a->rest.at[i]);
	if (a->rest.n == 1)
		answer_wrong(a, "set needs NAME=VALUE");
	if (a->writes)
		answer_beware(a, "rdmactl reads and sets the running value; what the card keeps in its memory stays, "
				 "until "
				 "the same is set there");
	if (!answer_has(a, "-y"))
		answer_beware(a, "without -y it asks; in a script it waits for ever");
	if (a->exists == EXISTS_PARTLY && !a->writes)
		answer_not(a, EXISTS_NO);
}

static void explain(struct answer *a, const struct tool *t)
{
	const char *command, *name;

	(void)t;
	tool_options(a, options, 1);
	a->device = answer_arg(a, "-d");
	command = a->rest.n ? a->rest.at[0] : "query";
	name = a->device ? shell_basename(a->device) : "";
	if (starts(command, "set")) {
		set(a);
	} else if (starts(command, "query")) {
		answer_does(a, "shows the values of the card's memory: those of the next boot");
	} else if (starts(command, "reset")) {
		answer_does(a, "puts every value of the card's memory back to its default");
		answer_effect(a, &effect_nv);
	} else if (starts(command, "show_confs")) {
		answer_does(a, "lists the parameters of the card");
	} else {
		answer_does(a, "%s: a command of mlxconfig that is not known here", command);
	}
	if (!strncmp(name, "mt4099", 6) || !strncmp(name, "mt4103", 6))
		answer_beware(a, "%s is a ConnectX-3 (mlx4_core), not an mlx5 card; its file would be "
				 "/dev/mst/%s_pci_cr0", name,
			      arena_strndup(a->arena, name, 6));
	if (a->device && !strncmp(a->device, "/dev/mt", 7))
		answer_wrong(a, "%s: devices of mst are below /dev/mst; a PCI address works without mst", a->device);
}

const struct tool tools_mlxconfig[] = {
	{ .names = "mlxconfig mstconfig", .explain = explain,
	  .is = "of the vendor's firmware tools (MFT), mstconfig of mstflint: non-volatile configuration of a card",
	  .no_policy = "rdmactl sets what the running kernel takes, and never the card's memory" },
	{ 0 },
};
