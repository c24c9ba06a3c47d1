/* SPDX-License-Identifier: Apache-2.0 */
/* dcb of iproute2: dcb netlink, the interface that rdmactl speaks as well. Maps are written entry by entry. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"
#include "model/dscp.h"

static bool is_of(const char *entry, const char *key)
{
	size_t n = strlen(key);

	return (!strncmp(entry, key, n) && entry[n] == ':') || !strncmp(entry, "all:", 4);
}

/* What a map says last of a key; NULL: nothing. */
static const char *last_of(const struct lines *entries, const char *key)
{
	for (size_t i = entries->n; i-- > 0;)
		if (is_of(entries->at[i], key))
			return entries->at[i];
	return NULL;
}

/*
 * "all:on", "3:on 4:off": what counts of each key goes to @entry as key and value, in the order of the map, or with an
 * "all", which is eight keys, in that of the keys. As in dcb, what is said later of a key counts: "all:off 3:on" is 3.
 */
static void each_entry(struct answer *a, const char *map, void (*entry)(struct answer *, const char *, const char *))
{
	struct lines entries = { 0 };
	bool all = false;

	tool_list(a, map, " ", &entries);
	for (size_t i = 0; i < entries.n; i++)
		all |= !strncmp(entries.at[i], "all:", 4);
	for (size_t i = 0; i < (all ? 8 : entries.n); i++) {
		const char *key = all ? arena_printf(a->arena, "%zu", i)
				      : arena_strndup(a->arena, entries.at[i], strcspn(entries.at[i], ":"));
		const char *last = last_of(&entries, key);

		if (last && (all || last == entries.at[i]))
			entry(a, key, strchr(last, ':') + 1);
	}
	if (!entries.n)
		answer_wrong(a, "a map such as 3:on is due, not '%s'", map);
}

static void pfc_entry(struct answer *a, const char *prio, const char *value)
{
	if (!strcmp(value, "on")) {
		answer_entry(a, "qos.pfc", NULL, prio);
	} else if (strcmp(value, "off") != 0) {
		if (shell_open_value(value))
			answer_no_policy(a, "qos.pfc, with what `%s` stands for", value);
		else
			answer_wrong(a, "prio-pfc: %s is neither on nor off", value);
		answer_refuse(a, "qos.pfc");
	}
}

/* Nothing is left on only where the map says so of all: one that turns a few off is no list. */
static void take_pfc(struct answer *a, const char *value)
{
	bool whole = strstr(value, "all:off") != NULL;
	size_t offers, told = a->wrong.n + a->no_policy.n;

	if (whole)
		answer_empty(a, "qos.pfc");
	offers = a->offers.n;
	each_entry(a, value, pfc_entry);
	if (!whole && a->offers.n == offers && a->wrong.n + a->no_policy.n == told)
		answer_no_policy(a, "qos.pfc is the whole list of priorities: leave out of it what is turned off");
	answer_beware(a, "priorities that are not named keep theirs; the policy's list is the whole of it");
}

static void tc_entry(struct answer *a, const char *prio, const char *tc)
{
	answer_entry(a, "qos.tc", prio, tc);
}

static void take_tc(struct answer *a, const char *value)
{
	each_entry(a, value, tc_entry);
}

static void tsa_entry(struct answer *a, const char *tc, const char *tsa)
{
	if (!strcmp(tsa, "strict"))
		answer_entry(a, "qos.ets", tc, tsa);
	else if (!strcmp(tsa, "cbs") || !strcmp(tsa, "vendor"))
		answer_no_policy(a, "TSA %s cannot be wanted: say strict or a share", tsa);
	else if (strcmp(tsa, "ets") != 0) {
		answer_wrong(a, "tc-tsa: %s is none of strict, cbs, ets, vendor", tsa);
		answer_refuse(a, "qos.ets");
	}
}

static void take_tsa(struct answer *a, const char *value)
{
	each_entry(a, value, tsa_entry);
}

static void share_entry(struct answer *a, const char *tc, const char *percent)
{
	const char *map = answer_arg(a, "tc-tsa"), *tsa;
	struct lines entries = { 0 };

	if (map)
		tool_list(a, map, " ", &entries);
	tsa = last_of(&entries, tc);
	if (!tsa || strcmp(strchr(tsa, ':'), ":strict") != 0)
		answer_entry(a, "qos.ets", tc, arena_printf(a->arena, "%s%%", percent));
}

static void take_shares(struct answer *a, const char *value)
{
	each_entry(a, value, share_entry);
}

/* Names are those of /etc/iproute2/rt_dsfield, numbers of any base. */
static void dscp_entry(struct answer *a, const char *dscp, const char *prio)
{
	unsigned named;
	int64_t number;

	if (tool_number(dscp, &number))
		dscp = arena_printf(a->arena, "%" PRId64, number);
	else if (dscp_named(dscp, strlen(dscp), &named))
		dscp = arena_printf(a->arena, "%u", named);
	answer_entry(a, "qos.dscp", dscp, prio);
}

static void take_dscp(struct answer *a, const char *value)
{
	each_entry(a, value, dscp_entry);
}

static void rate_entry(struct answer *a, const char *tc, const char *rate)
{
	answer_entry(a, "qos.rate", tc, rate);
}

static void take_rate(struct answer *a, const char *value)
{
	each_entry(a, value, rate_entry);
}

static void buffer_entry(struct answer *a, const char *prio, const char *buffer)
{
	answer_entry(a, "buffer.prio", prio, buffer);
}

static void take_buffers(struct answer *a, const char *value)
{
	each_entry(a, value, buffer_entry);
}

/* "96K", "1m": its own suffixes, of which none is this language's. */
static void size_entry(struct answer *a, const char *buffer, const char *size)
{
	static const struct { const char *suffix, *unit; } sizes[] = {
		{ "k", "KiB" }, { "kb", "KiB" }, { "m", "MiB" }, { "mb", "MiB" }, { "b", "" }, { "", "" },
	};
	size_t n = strspn(size, "0123456789");

	for (size_t i = 0; n && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcasecmp(size + n, sizes[i].suffix)) {
			answer_entry(a, "buffer.sizes", buffer, arena_printf(a->arena, "%.*s%s", (int)n, size, sizes[i].unit));
			return;
		}
	answer_entry(a, "buffer.sizes", buffer, size);
}

static void take_sizes(struct answer *a, const char *value)
{
	each_entry(a, value, size_entry);
}

static void take_delay(struct answer *a, const char *value)
{
	answer_offer(a, "buffer.cable", arena_printf(a->arena, "%sm", value));
}

static const struct fact dev[] = { { "dev", .value = "IFNAME" }, { 0 } };
#define SHOW(name_) { .name = name_ }
static const struct fact pfc_show[] = {
	{ "dev", .value = "IFNAME" }, SHOW("pfc-cap"), SHOW("prio-pfc"), SHOW("macsec-bypass"), SHOW("delay"), SHOW("requests"),
	SHOW("indications"), { 0 }
};
static const struct fact pfc_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "prio-pfc", "MAP…", .does = "PFC on or off for the priorities named", .effect = &effect_pfc,
	  .take = take_pfc },
	{ "delay", "N", .does = "delay of the link; mlx5 takes it for metres of cable", .effect = &effect_cable,
	  .take = take_delay },
	{ "macsec-bypass", "on|off", .does = "capability flag" },
	{ 0 },
};
static const struct fact ets_show[] = {
	{ "dev", .value = "IFNAME" }, SHOW("willing"), SHOW("ets-cap"), SHOW("cbs"), SHOW("tc-tsa"), SHOW("reco-tc-tsa"),
	SHOW("pg-bw"), SHOW("tc-bw"), SHOW("reco-tc-bw"), SHOW("prio-tc"), SHOW("reco-prio-tc"), { 0 }
};
static const struct fact ets_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "prio-tc", "MAP…", .does = "traffic class of each priority", .effect = &effect_ets, .take = take_tc },
	{ "tc-tsa", "MAP…", .does = "how each class is served", .effect = &effect_ets, .take = take_tsa },
	{ "tc-bw", "MAP…", .does = "share in percent of each ETS class", .effect = &effect_ets, .take = take_shares },
	{ "pg-bw", "MAP…", .does = "shares of received classes, for DCBX", .effect = &effect_ets },
	{ "willing", "on|off", .does = "takes the switch's values when it offers them" },
	{ "reco-tc-tsa", "MAP…", .does = "what DCBX recommends to the peer" },
	{ "reco-tc-bw", "MAP…", .does = "what DCBX recommends to the peer" },
	{ "reco-prio-tc", "MAP…", .does = "what DCBX recommends to the peer" },
	{ 0 },
};
#define OTHER(name, means) \
	{ name, "MAP…", .does = means, \
	  .beware = "of the APP table rdmactl owns DSCP entries only, and leaves the others" }
static const struct fact app_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "dscp-prio", "MAP…", .does = "priority of a DSCP (APP selector 5); the first entry turns trust DSCP on",
	  .effect = &effect_dscp, .take = take_dscp },
	{ "default-prio", "PRIO", .does = "priority of what no entry matches (selector 1, protocol 0)" },
	OTHER("ethtype-prio", "priority of an ethertype (selector 1)"),
	OTHER("stream-port-prio", "priority of a TCP or SCTP port (selector 2)"),
	OTHER("dgram-port-prio", "priority of a UDP port (selector 3); 4791 is RoCEv2, which bnxt reads"),
	OTHER("port-prio", "priority of a port of any transport (selector 4)"),
	OTHER("pcp-prio", "priority of a PCP, for switches (selector 255)"),
	{ 0 },
};
static const struct fact app_del[] = {
	{ "dev", .value = "IFNAME" },
	{ "dscp-prio", "MAP…", .does = "deletes an entry, which must match in priority too", .effect = &effect_dscp,
	  .beware = "mlx5 then maps that DSCP to priority 0, ice to DSCP modulo 8; the last one that goes turns trust "
		    "DSCP off" },
	{ "default-prio", .value = "PRIO" }, { "ethtype-prio", .value = "MAP…" },
	{ "stream-port-prio", .value = "MAP…" }, { "dgram-port-prio", .value = "MAP…" },
	{ "port-prio", .value = "MAP…" }, { "pcp-prio", .value = "MAP…" },
	{ 0 },
};
static const struct fact app_show[] = {
	{ "dev", .value = "IFNAME" }, SHOW("dscp-prio"), SHOW("default-prio"), SHOW("ethtype-prio"), SHOW("stream-port-prio"),
	SHOW("dgram-port-prio"), SHOW("port-prio"), SHOW("pcp-prio"), { 0 }
};
static const struct fact buffer_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "prio-buffer", "MAP…", .does = "receive buffer of each priority", .effect = &effect_buffer,
	  .take = take_buffers },
	{ "buffer-size", "MAP…", .does = "size of each receive buffer in bytes", .effect = &effect_buffer,
	  .take = take_sizes,
	  .beware = "a lossless buffer smaller than xoff plus a frame is refused, with status 244 and a line in the "
		    "kernel log" },
	{ 0 },
};
static const struct fact buffer_show[] = { { "dev",
.value = "IFNAME" }, SHOW("prio-buffer"), SHOW("buffer-size"), SHOW("total-size"), { 0 } };
static const struct fact maxrate_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "tc-maxrate", "MAP…", .does = "limit of each class; a bare number is in bit/s", .effect = &effect_rate,
	  .take = take_rate },
	{ 0 },
};
static const struct fact maxrate_show[] = { { "dev", .value = "IFNAME" }, SHOW("tc-maxrate"), { 0 } };
static const struct fact dcbx_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "host", .does = "the host owns DCB", .effect = &effect_dcbx },
	{ "lld-managed", .does = "firmware owns DCB", .effect = &effect_dcbx },
	{ "ieee", .does = "IEEE DCBX", .effect = &effect_dcbx },
	{ "cee", .does = "CEE DCBX", .effect = &effect_dcbx },
	{ "static", .does = "no exchange with the peer", .effect = &effect_dcbx },
	{ 0 },
};
static const struct fact rewr_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "prio-pcp", "MAP…", .does = "PCP and DEI that packets of a priority leave with" },
	{ "prio-dscp", "MAP…", .does = "DSCP that packets of a priority leave with" },
	{ 0 },
};
static const struct fact trust_set[] = {
	{ "dev", .value = "IFNAME" },
	{ "order", "LIST", .does = "order in which selectors are trusted" },
	{ 0 },
};

#define REWRITES ", which no RDMA NIC has; RoCE gets its DSCP from roce.tos"
static const struct form forms[] = {
	{ "pfc show", 0, { .does = "shows PFC; requests are frames sent, indications received" }, pfc_show },
	{ "pfc set", 0, { 0 }, pfc_set },
	{ "ets show", 0, { .does = "shows classes and shares" }, ets_show },
	{ "ets set", 0, { 0 }, ets_set },
	{ "app show", 0, { .does = "shows the APP table" }, app_show },
	{ "app add", 0, { .does = "adds entries: a DSCP that has one already is refused by ice, has two on bnxt, and "
				  "is replaced "
				  "by mlx5 and hns3" }, app_set },
	{ "app replace", 0, { .does = "adds entries and deletes older ones of the same key" }, app_set },
	{ "app del", 0, { .does = "deletes entries" }, app_del },
	{ "app flush", 0, { .does = "deletes every entry, also those of others", .effect = &effect_dscp }, app_show },
	{ "buffer show", 0, { .does = "shows receive buffers (mlx5)" }, buffer_show },
	{ "buffer set", 0, { 0 }, buffer_set },
	{ "maxrate show", 0, { .does = "shows limits of classes (mlx5)" }, maxrate_show },
	{ "maxrate set", 0, { 0 }, maxrate_set },
	{ "dcbx show", 0, { .does = "shows who owns DCB" }, dev },
	{ "dcbx set", 0, { 0 }, dcbx_set },
	{ "apptrust set", 0, { .does = "trust order of a switch port",
			       .beware = "no RDMA NIC has it: Linux 6.1 accepts and ignores it, later kernels refuse. "
					 "A NIC trusts "
					 "DSCP as soon as there is a DSCP entry" }, trust_set },
	{ "apptrust show", 0, { .does = "shows the trust order, which no RDMA NIC has" }, dev },
	{ "rewr show", 0, { .does = "shows egress rewriting" REWRITES }, rewr_set },
	{ "rewr add", 0, { .does = "adds egress rewriting" REWRITES }, rewr_set },
	{ "rewr replace", 0, { .does = "replaces egress rewriting" REWRITES }, rewr_set },
	{ "rewr del", 0, { .does = "deletes egress rewriting" REWRITES }, rewr_set },
	{ "rewr flush", 0, { .does = "deletes all egress rewriting" REWRITES }, rewr_set },
	{ 0 },
};

const struct tool tools_dcb[] = {
	{ .names = "dcb", .is = "of iproute2, over dcb netlink; for mlx5, bnxt, ice and hns3 alike", .forms = forms,
	  .device = "dev", .flags = "-n --netns -b --batch",
	  .no_policy = "qos.pfc, qos.dscp, qos.tc and qos.ets are the keys; this sets none of them" },
	{ 0 },
};
