/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlnx_qos of mlnx-tools, part of MLNX_OFED: a host program over dcb netlink and the vendor's sysfs qos/. Published
 * pages give it switch options that it never had, and leave out -i, without which it does nothing.
 */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static void take_pfc(struct answer *a, const char *value)
{
	tool_mask(a, "qos.pfc", value, ",");
}

/* "x,x,x,1,…": those marked x stay as they are, which a list in a policy does not express */
static void take_some_pfc(struct answer *a, const char *value)
{
	if (!strchr(value, 'x'))
		tool_mask(a, "qos.pfc", value, ",");
	else
		answer_no_policy(a, "qos.pfc is the whole list of priorities; name also those that are on already");
}

static void take_map(struct answer *a, const char *key, const char *value)
{
	struct lines to = { 0 };

	tool_list(a, value, ",", &to);
	if (to.n > 8)
		answer_wrong(a, "%s has %zu values; it takes 8", value, to.n);
	for (size_t i = 0; i < to.n && i < 8; i++)
		answer_entry(a, key, arena_printf(a->arena, "%zu", i), to.at[i]);
}

static void take_prio_tc(struct answer *a, const char *value)
{
	take_map(a, "qos.tc", value);
}

static void tell_kind(struct answer *a, const char *kind)
{
	answer_wrong(a, "--tsa: %s is none of strict, ets, vendor", kind);
	answer_refuse(a, "qos.ets");
}

/* Shares of a class are one key, given by two options: --tsa says which kind, --tcbw how much. */
static void take_ets(struct answer *a, const char *value)
{
	const char *tsa = answer_arg(a, "--tsa"), *bandwidth = answer_arg(a, "--tcbw");
	struct lines kinds = { 0 }, shares = { 0 };
	int sum = 0;

	(void)value;
	tool_list(a, tsa ? tsa : "", ",", &kinds);
	tool_list(a, bandwidth ? bandwidth : "", ",", &shares);
	for (size_t i = 0; i < 8 && (i < kinds.n || i < shares.n); i++) {
		const char *tc = arena_printf(a->arena, "%zu", i), *kind = i < kinds.n ? kinds.at[i] : "ets";
		const char *share = i < shares.n ? shares.at[i] : NULL;

		if (!strcmp(kind, "strict"))
			answer_entry(a, "qos.ets", tc, kind);
		else if (strcmp(kind, "ets") != 0 && strcmp(kind, "vendor") != 0)
			tell_kind(a, kind);
		else if (!strcmp(kind, "ets") && share)
			answer_entry(a, "qos.ets", tc, arena_printf(a->arena, "%s%%", share));
		if (!strcmp(kind, "ets") && share)
			sum += tool_share(share);
	}
	if (shares.n && sum != 100 && sum <= 8 * 100 && !shell_open_value(bandwidth))	/* beyond: one of them is told already */
		answer_wrong(a, "the shares of the ETS classes sum to %d; they must to 100", sum);
	if (strstr(tsa ? tsa : "", "vendor"))
		answer_no_policy(a, "TSA vendor cannot be wanted: say strict or a share");
}

static void take_rate(struct answer *a, const char *value)
{
	struct lines rates = { 0 };

	tool_list(a, value, ",", &rates);
	for (size_t i = 0; i < rates.n && i < 8; i++)
		answer_entry(a, "qos.rate", arena_printf(a->arena, "%zu", i),
			     strcmp(rates.at[i], "0") ? arena_printf(a->arena, "%sGb/s", rates.at[i]) : "0");
}

/* "set,26,3", "del,26,3", "flush" */
static void take_dscp2prio(struct answer *a, const char *value)
{
	struct lines part = { 0 };

	tool_list(a, value, ",", &part);
	if (part.n == 1 && !strcmp(part.at[0], "flush")) {
		answer_does(a, "flush deletes every DSCP entry, and with them trust DSCP");
		answer_empty(a, "qos.dscp");
		return;
	}
	if (part.n != 3 || (strcmp(part.at[0], "set") != 0 && strcmp(part.at[0], "del") != 0)) {
		answer_wrong(a, "--dscp2prio takes set,DSCP,PRIO or del,DSCP,PRIO or flush, not %s", value);
		return;
	}
	if (!strcmp(part.at[0], "set")) {
		answer_entry(a, "qos.dscp", part.at[1], part.at[2]);
		return;
	}
	answer_beware(a, "on mlx5 a deleted DSCP goes to priority 0, not back to the default; the last one turns "
			 "trust to pcp");
	answer_entry(a, "qos.dscp", part.at[1], "0");
}

static void take_dcbx(struct answer *a, const char *value)
{
	if (!strcmp(value, "fw"))
		answer_does(a, "firmware runs DCBX and may take the switch's values");
	else if (!strcmp(value, "os"))
		answer_does(a, "the host owns DCB; what rdmactl sets needs that");
	else if (!shell_open_value(value))
		answer_wrong(a, "--dcbx takes fw or os, not %s", value);
	answer_no_policy(a, "who owns DCB is verified before each write, not set");
}

/* One value for each of the 8, from 0 on. */
static void take_each(struct answer *a, const char *key, const char *value)
{
	struct lines list = { 0 };

	tool_list(a, value, ",", &list);
	for (size_t i = 0; i < list.n; i++)
		answer_entry(a, key, arena_printf(a->arena, "%zu", i), list.at[i]);
}

static void take_sizes(struct answer *a, const char *value)
{
	take_each(a, "buffer.sizes", value);
}

static void take_buffers(struct answer *a, const char *value)
{
	take_each(a, "buffer.prio", value);
}

static void take_cable(struct answer *a, const char *value)
{
	answer_offer(a, "buffer.cable", arena_printf(a->arena, "%sm", value));
}

static const struct fact options[] = {
	{ "-i --interface", .value = "IFNAME" },
	{ "-f --pfc", "LIST", .does = "PFC on or off for each of the 8 priorities, from 0 on",
	  .effect = &effect_pfc, .take = take_pfc },
	{ "-F --specific_pfc", "LIST", .does = "PFC of single priorities; x leaves one as it is",
	  .effect = &effect_pfc, .take = take_some_pfc },
	{ "-P --get_pfc", "PRIO", .does = "shows PFC of one priority" },
	{ "-p --prio_tc", "LIST", .does = "traffic class of each priority", .effect = &effect_ets,
	  .take = take_prio_tc },
	{ "-s --tsa", "LIST", .does = "how each class is served: strict, ets or vendor", .effect = &effect_ets,
	  .take = take_ets },
	{ "-t --tcbw", "LIST", .does = "share in percent of each ETS class", .effect = &effect_ets, .take = take_ets },
	{ "-r --ratelimit", "LIST", .does = "limit of each class in Gb/s, 0 for none", .effect = &effect_rate,
	  .take = take_rate },
	{ "-d --dcbx", "fw|os", .does = "who runs DCBX, firmware or host", .effect = &effect_dcbx, .take = take_dcbx },
	{ "--trust", "pcp|dscp", .does = "header field that gives the priority; dscp writes all 64 entries",
	  .effect = &effect_dscp, .key = "qos.trust" },
	{ "--dscp2prio", "set,DSCP,PRIO", .does = "an entry of the DSCP map (dcb netlink, APP selector 5)",
	  .effect = &effect_dscp, .take = take_dscp2prio },
	{ "--cable_len", "METRES", .does = "cable length, from which the kernel computes xoff of lossless buffers",
	  .effect = &effect_cable, .take = take_cable },
	{ "--prio2buffer", "LIST", .does = "receive buffer of each priority", .effect = &effect_buffer,
	  .take = take_buffers,
	  .beware = "buffer sizes follow from nothing here: only --cable_len has the kernel compute them" },
	{ "--buffer_size", "LIST", .does = "sizes of the 8 receive buffers in bytes, by hand", .effect = &effect_buffer,
	  .take = take_sizes,
	  .beware = "nothing is computed: a lossless buffer smaller than xoff plus a frame is refused or drops" },
	{ "-a", .does = "shows all traffic classes" },
	{ "-v --version", .does = "shows its version" },
	{ "-h --help", .does = "shows its options" },
	/* published as if it configured a switch's marking */
	{ "--ecn", "PRIO", .exists = EXISTS_NO,
	  .instead = "NIC: CNPs and rate control of RoCE are ecn.np and ecn.rp (sysfs ecn/roce_np/enable/PRIO and "
		     "ecn/roce_rp/enable/PRIO of the vendor's stack); thresholds are the switch's" },
	{ "--min", "BYTES", .exists = EXISTS_NO,
	  .instead = "switch, SONiC: ecnconfig -p PROFILE -gmin BYTES -gmax BYTES -gdrop PERCENT (WRED_PROFILE); "
		     "Cumulus: "
		     "nv set qos congestion-control; EOS: random-detect ecn" },
	{ "--max", "BYTES", .exists = EXISTS_NO },
	{ "--prob", "PERCENT", .exists = EXISTS_NO,
	  .beware = "a marking probability of 100 % at Kmax is a step: senders are all slowed down at once" },
	{ 0 },
};

static size_t invented_options(const struct answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->args.n; i++)
		n += a->args.at[i].fact->exists != EXISTS_YES;
	return n;
}

static size_t writing_options(const struct answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->args.n; i++)
		n += a->args.at[i].fact->effect != NULL;
	return n;
}

static void explain(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, options, 1);
	a->device = answer_arg(a, "-i");
	if (!a->device && !answer_has(a, "-h") && !answer_has(a, "-v"))
		answer_wrong(a, "-i IFNAME is missing: it is a host program and acts on one interface, never on a "
				"switch");
	tool_tell(a);
	if (a->device && !a->writes && !a->wrong.n)
		answer_does(a, "shows trust, DSCP map, PFC, buffers and traffic classes of the interface");
	tool_thresholds(a, answer_arg(a, "--min"), answer_arg(a, "--max"), answer_arg(a, "--prob"));
	for (size_t i = 0; i < a->rest.n && !a->wrong.n; i++)
		answer_wrong(a, "%s is no option", a->rest.at[i]);
	if (invented_options(a) && !a->writes)
		answer_not(a, EXISTS_NO);
	if (writing_options(a) > 1)
		answer_beware(a, "several options are written one after the other: if the second fails, the first "
				 "stays");
}

const struct tool tools_mlnx_qos[] = {
	{ .names = "mlnx_qos mlnx_qos.py",
	  .is = "a host program of mlnx-tools (MLNX_OFED, DOCA-OFED), for mlx5; the same by dcb netlink: dcb",
	  .explain = explain, .no_policy = "qos.pfc, qos.dscp, qos.tc and qos.ets are the keys; this command sets "
					   "none of them" },
	{ 0 },
};
