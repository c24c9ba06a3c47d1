/* SPDX-License-Identifier: Apache-2.0 */
/* lldptool and lldpad (IEEE DCBX in user space), lldpctl and lldpcli of lldpd: who talks LLDP, and what it then sets. */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static const struct fact options[] = {
	{ "-i", .value = "IFNAME" },
	{ .name = "-T set-tlv" },
	{ .name = "-t get-tlv" },
	{ .name = "-L set-lldp" },
	{ .name = "-l get-lldp" },
	{ "-V", .value = "TLV" },
	{ "-g", .value = "SCOPE" },
	{ .name = "-n" }, { .name = "-c" }, { .name = "-d" }, { .name = "-r" }, { .name = "-R" },
	{ .name = "-S stats" }, { .name = "-p ping" }, { .name = "-q" }, { .name = "-h" }, { .name = "-v" },
	{ 0 },
};

static void take_enabled(struct answer *a, const char *value)
{
	struct lines list = { 0 };

	answer_empty(a, "qos.pfc");
	tool_list(a, strcmp(value, "none") ? value : "", ",", &list);
	for (size_t i = 0; i < list.n; i++)
		answer_entry(a, "qos.pfc", NULL, list.at[i]);
}

static void each_pair(struct answer *a, const char *value, void (*pair)(struct answer *, const char *, const char *))
{
	struct lines list = { 0 };

	tool_list(a, value, ",", &list);
	for (size_t i = 0; i < list.n; i++) {
		const char *colon = strchr(list.at[i], ':');

		if (colon)
			pair(a, arena_strndup(a->arena, list.at[i], (size_t)(colon - list.at[i])), colon + 1);
		else
			answer_wrong(a, "%s: a colon is missing", list.at[i]);
	}
}

static void tc_pair(struct answer *a, const char *prio, const char *tc)
{
	answer_entry(a, "qos.tc", prio, tc);
}

static void take_up2tc(struct answer *a, const char *value)
{
	each_pair(a, value, tc_pair);
}

static void tsa_pair(struct answer *a, const char *tc, const char *tsa)
{
	if (!strcmp(tsa, "strict")) {
		answer_entry(a, "qos.ets", tc, tsa);
	} else if (strcmp(tsa, "ets") != 0 && !shell_open_value(tsa)) {
		answer_wrong(a, "tsa: %s is neither strict nor ets", tsa);
		answer_refuse(a, "qos.ets");
	}
}

static void take_tsa(struct answer *a, const char *value)
{
	each_pair(a, value, tsa_pair);
}

/* Shares of classes that --tsa made strict are not looked at, and 0 is what is filled in. */
static void take_tcbw(struct answer *a, const char *value)
{
	struct lines shares = { 0 };
	const char *tsa = "";

	for (size_t i = 0; i < a->args.n; i++)
		if (!strcmp(a->args.at[i].fact->name, "tsa") && a->args.at[i].value)
			tsa = a->args.at[i].value;
	tool_list(a, value, ",", &shares);
	for (size_t i = 0; i < shares.n && i < 8; i++) {
		const char *tc = arena_printf(a->arena, "%zu", i);

		if (strcmp(shares.at[i], "0") != 0 && !strstr(tsa, arena_printf(a->arena, "%s:strict", tc)))
			answer_entry(a, "qos.ets", tc, arena_printf(a->arena, "%s%%", shares.at[i]));
	}
}

/* "3,5,26": priority, selector, protocol */
static void take_app(struct answer *a, const char *value)
{
	struct lines part = { 0 };

	tool_list(a, value, ",", &part);
	if (part.n != 3)
		answer_wrong(a, "app=PRIO,SELECTOR,PROTOCOL has three numbers, not %s", value);
	else if (!strcmp(part.at[1], "5"))
		answer_entry(a, "qos.dscp", part.at[2], part.at[0]);
	else
		answer_no_policy(a, "of the APP table rdmactl owns DSCP entries (selector 5) only");
}

#define ALL \
	{ "enableTx", "yes|no", .does = "advertised to the switch or not" }, \
	{ "willing", "yes|no", .does = "takes the switch's values when it offers them" }
static const struct fact pfc[] = {
	ALL,
	{ "enabled", "LIST", .does = "priorities with PFC", .effect = &effect_pfc, .take = take_enabled },
	{ "delay", "N", .does = "delay of the link, in bit times; mlx5 takes it for metres", .effect = &effect_cable },
	{ 0 },
};
static const struct fact ets[] = {
	ALL,
	{ "tsa", "LIST", .does = "how each class is served", .effect = &effect_ets, .take = take_tsa },
	{ "up2tc", "LIST", .does = "traffic class of each priority", .effect = &effect_ets, .take = take_up2tc },
	{ "tcbw", "LIST", .does = "share in percent of each class", .effect = &effect_ets, .take = take_tcbw },
	{ "numtcs", "N", .does = "how many classes there are, shown only" },
	{ 0 },
};
static const struct fact app[] = {
	ALL,
	{ "app", "PRIO,SELECTOR,PROTOCOL", .does = "an entry of the APP table", .effect = &effect_dscp,
	  .take = take_app },
	{ 0 },
};
static const struct fact other[] = { ALL, { "ipv4", .value = "ADDRESS" }, { "ipv6", .value = "ADDRESS" },
{ "mode", .value = "MODE" }, { 0 } };
static const struct fact lldp[] = {
	{ "adminStatus", "STATUS", .does = "whether LLDP frames are sent and received: disabled, rx, tx, rxtx" }, { 0 }
};

static const struct fact *tlv_keys(const char *tlv)
{
	if (!strcmp(tlv, "PFC"))
		return pfc;
	if (!strcmp(tlv, "ETS-CFG") || !strcmp(tlv, "ETS-REC"))
		return ets;
	if (!strcmp(tlv, "APP"))
		return app;
	return other;
}

/* "enabled=3": found first, told afterwards, since shares need to know of tsa */
static void keep_pair(struct answer *a, const struct fact *table, const char *word)
{
	const char *equals = strchr(word, '=');
	const char *name = arena_strndup(a->arena, word, equals ? (size_t)(equals - word) : strlen(word));

	for (const struct fact *f = table; f->name; f++)
		if (!strcmp(f->name, name)) {
			list_add(&a->args, a->arena) = (struct arg){ f, equals ? equals + 1 : NULL };
			return;
		}
	tool_unknown(a, "argument", name, table);
}

/* Long spellings of commands are words without dashes. */
static bool command_word(const char *word)
{
	static const char *const words[] = { "set-tlv", "get-tlv", "set-lldp", "get-lldp", "stats", "ping", "help", "version" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static bool given(const struct answer *a, const char *letter, const char *word)
{
	for (size_t i = 0; i < a->rest.n; i++)
		if (!strcmp(a->rest.at[i], word))
			return true;
	return answer_has(a, letter);
}

static void explain(struct answer *a, const struct tool *t)
{
	const char *tlv;
	bool set, set_lldp;

	(void)t;
	tool_options(a, options, 1);
	a->device = answer_arg(a, "-i");
	tlv = answer_arg(a, "-V");
	set = given(a, "-T", "set-tlv");
	set_lldp = given(a, "-L", "set-lldp");
	if (!set && !set_lldp) {
		answer_does(a, "shows what lldpad knows, of this port or with -n of the neighbour");
		answer_no_policy(a, "it reads; what it can set has the keys qos.pfc, qos.dscp, qos.tc, qos.ets");
		return;
	}
	a->args.n = 0;
	for (size_t i = 0; i < a->rest.n; i++)
		if (!command_word(a->rest.at[i]))
			keep_pair(a, set_lldp ? lldp : tlv_keys(tlv ? tlv : ""), a->rest.at[i]);
	if (set && !tlv)
		answer_wrong(a, "-T needs the TLV: -V PFC, ETS-CFG, ETS-REC, APP");
	tool_tell(a);
	a->lasts.n = 0;			/* lldpad keeps it, whatever the kernel does */
	answer_effect(a, &effect_lldpad);
	answer_beware(a, "rdmactl names lldpad as another owner of DCB; decide for one of the two");
}

static void dcbx_daemon(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "a daemon that takes DCB over: it sets host mode and writes ETS, PFC and APP at each link "
		       "event");
	answer_effect(a, &effect_lldpad);
}

static void show(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows or configures lldpd: neighbours, their ports, and the TLVs that they send");
	answer_beware(a, "lldpd does not touch DCB; a firmware agent on the card may eat the frames before it sees "
			 "them");
}

const struct tool tools_lldptool[] = {
	{ .names = "lldptool", .is = "of lldpad (open-lldp), which runs IEEE DCBX in user space and writes over dcb "
				     "netlink",
	  .explain = explain, .no_policy = "qos.pfc, qos.dscp, qos.tc and qos.ets are the keys; this sets none of "
					   "them" },
	{ .names = "lldpad", .is = "of open-lldp", .explain = dcbx_daemon,
	  .no_policy = "rdmactl starts and stops no service" },
	{ .names = "lldpctl lldpcli lldpd", .is = "of lldpd", .explain = show, .no_policy = "it reads" },
	{ 0 },
};
