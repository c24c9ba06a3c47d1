/* SPDX-License-Identifier: Apache-2.0 */
/* ethtool: its first option says what it does, then comes the interface, then keywords. */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static void take_rx(struct answer *a, const char *value)
{
	tool_switch(a, "pause.rx", value, "on", "off");
}

static void take_tx(struct answer *a, const char *value)
{
	tool_switch(a, "pause.tx", value, "on", "off");
}

static void pause_autoneg(struct answer *a, const char *value)
{
	if (!strcmp(value, "on"))
		answer_beware(a, "mlx5 refuses pause autonegotiation (EINVAL)");
}

static void take_speed(struct answer *a, const char *value)
{
	answer_offer(a, "link.speed", arena_printf(a->arena, "%sMb/s", value));
	answer_no_policy(a, "link.speed is verified, and not set");
}

static void firmware_agent(struct answer *a, const char *value)
{
	if (!strcmp(value, "off"))
		answer_does(a, "turns ice's firmware LLDP agent off, so that the host may set DCB");
	else
		answer_beware(a, "with the agent on, firmware owns DCB of the port");
	answer_no_policy(a, "who owns DCB is verified before each write");
}

static const struct fact pause[] = {
	{ "rx", "on|off", .does = "obeys global pause frames", .effect = &effect_pause, .take = take_rx },
	{ "tx", "on|off", .does = "sends global pause frames", .effect = &effect_pause, .take = take_tx },
	{ "autoneg", "on|off", .does = "negotiates pause with the peer", .effect = &effect_pause,
	  .take = pause_autoneg },
	{ 0 },
};
static const struct fact change[] = {
	{ "speed", "MBIT", .does = "forces a speed", .effect = &effect_link, .take = take_speed },
	{ "autoneg", "on|off", .does = "negotiates the speed", .effect = &effect_link },
	{ "duplex", .value = "half|full" }, { "lanes", .value = "N" }, { "port", .value = "TYPE" },
	{ "advertise", .value = "MASK" }, { "wol", .value = "MODES" },
	{ "msglvl", .value = "N" }, { "mdix", .value = "MODE" },
	{ 0 },
};
static const struct fact flags[] = {
	{ "fw-lldp-agent", "on|off", .does = "the LLDP agent in firmware (ice)", .effect = &effect_agent,
	  .take = firmware_agent },
	{ "disable-fw-lldp", "on|off", .does = "the LLDP agent in firmware (i40e), on means that it is off",
	  .effect = &effect_agent },
	{ "rx_cqe_compress", "on|off", .does = "packs completions of Ethernet queues (mlx5), not of RDMA" },
	{ "rx_striding_rq", "on|off", .does = "receive queues of Ethernet (mlx5), not of RDMA" },
	{ "dropless_rq", "on|off", .does = "Ethernet queues wait instead of dropping (mlx5, vendor's stack)" },
	{ 0 },
};
static const struct fact tunable[] = {
	{ "pfc-prevention-tout", "MS", .does = "after so many ms of being paused a mlx5 port drops rather than stall "
					       "the fabric: 0 "
					       "off, 65535 auto",
	  .effect = &effect_stall, .key = "qos.pfc_stall_prevention" },
	{ "rx-copybreak", "BYTES", .does = "copies small packets" }, { "tx-copybreak", .value = "BYTES" },
	{ 0 },
};

/* What the first option does. Keywords NULL: of no account here; they are not judged. */
static const struct mode {
	struct fact what;
	const struct fact *keywords;
} modes[] = {
	{ { .name = "-A --pause" }, pause },
	{ { "-a --show-pause", .does = "shows global pause; PFC is not in it" }, NULL },
	{ { .name = "-s --change" }, change },
	{ { .name = "--set-priv-flags" }, flags },
	{ { "--show-priv-flags", .does = "shows the driver's private flags" }, NULL },
	{ { .name = "--set-tunable" }, tunable },
	{ { "--get-tunable", .does = "shows a tunable" }, NULL },
	{ { "-G --set-ring", .does = "sizes of the Ethernet rings; RDMA queues are the application's",
	  .effect = &effect_offload }, NULL },
	{ { "-L --set-channels", .does = "number of Ethernet channels, and so of MSI-X vectors",
	  .effect = &effect_offload }, NULL },
	{ { "-C --coalesce", .does = "interrupt moderation of Ethernet queues; RDMA completions have their own (rdma "
				     "dev set "
				     "adaptive-moderation)", .effect = &effect_moderation }, NULL },
	{ { "-K --features --offload", .does = "offloads of the Ethernet path; RDMA passes none of them",
	    .effect = &effect_offload }, NULL },
	{ { "-N -U --config-nfc --config-ntuple", .does = "steering and hashing of Ethernet packets", .effect = &effect_moderation }, NULL },
	{ { "-X --rxfh --set-rxfh-indir", .does = "hash table of received Ethernet packets", .effect = &effect_moderation }, NULL },
	{ { "--set-fec", .does = "forward error correction of the link", .effect = &effect_link }, NULL },
	{ { "--set-eee", .does = "energy efficient Ethernet", .effect = &effect_link }, NULL },
	{ { "-r --negotiate", .does = "negotiates the link anew", .effect = &effect_link }, NULL },
	{ { "--reset", .does = "resets parts of the card", .effect = &effect_reload }, NULL },
	{ { "-f --flash", .does = "writes firmware", .effect = &effect_flash }, NULL },
	{ { "-S --statistics", .does = "shows counters: PFC of priority 3 is rx_prio3_pause on mlx5, which lists it "
				       "only while "
				       "PFC is on there; other drivers have other names" }, NULL },
	{ { "-i --driver", .does = "shows driver and firmware, cut at 31 characters" }, NULL },
	{ { "-m --module-info --dump-module-eeprom",
	  .does = "shows the optical module: power, temperature, thresholds" }, NULL },
	{ { "--show-fec", .does = "shows forward error correction of the link" }, NULL },
	{ { "-g --show-ring", .does = "shows sizes of the Ethernet rings" }, NULL },
	{ { "-l --show-channels", .does = "shows Ethernet channels" }, NULL },
	{ { "-c --show-coalesce", .does = "shows interrupt moderation of Ethernet queues" }, NULL },
	{ { "-k --show-features --show-offload", .does = "shows offloads of the Ethernet path" }, NULL },
	{ { "-n -u --show-nfc --show-ntuple", .does = "shows steering of Ethernet packets" }, NULL },
	{ { "-x --show-rxfh --show-rxfh-indir", .does = "shows the hash table of received Ethernet packets" }, NULL },
	{ { "-T --show-time-stamping", .does = "shows time stamping" }, NULL },
	{ { "-P --show-permaddr", .does = "shows the permanent MAC address" }, NULL },
	{ { "-p --identify", .does = "blinks the port's light" }, NULL },
	{ { "-t --test", .does = "runs a self test; `offline` stops traffic", .effect = &effect_link }, NULL },
	{ { "-d --register-dump -e --eeprom-dump -w --get-dump --phy-statistics --show-eee --get-phy-tunable",
	  .does = "shows raw "
	    "contents" }, NULL },
	{ { "-h --help --version", .does = "shows its options" }, NULL },
};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static const struct mode *find_mode(const char *option)
{
	for (size_t i = 0; i < MODES; i++)
		if (fact_named(&modes[i].what, option))
			return &modes[i];
	return NULL;
}

static void no_mode(struct answer *a, const char *option)
{
	struct fact all[MODES + 1] = { { 0 } };

	for (size_t i = 0; i < MODES; i++)
		all[i] = modes[i].what;
	tool_unknown(a, "option", option, all);
}

/* "NAME on NAME off": each driver has flags of its own, so that one which is not known here may well be there. */
static void private_flags(struct answer *a, size_t i)
{
	for (; i < a->command->n; i += 2) {
		const struct fact *f = flags;

		while (f->name && strcmp(f->name, a->command->word[i]) != 0)
			f++;
		if (f->name) {
			list_add(&a->args, a->arena) = (struct arg){ f, a->command->word[i + 1] };
			continue;
		}
		answer_does(a, "%s: a flag of the driver's own that is not known here; `ethtool --show-priv-flags` lists those there are",
			    a->command->word[i]);
		answer_effect(a, &effect_offload);
	}
}

static void explain(struct answer *a, const struct tool *t)
{
	const struct mode *mode;
	size_t i = 1;

	(void)t;
	while (i < a->command->n && (!strcmp(a->command->word[i], "--json") || !strcmp(a->command->word[i], "-I") ||
				     !strcmp(a->command->word[i], "--include-statistics")))
		i++;
	if (i == a->command->n || a->command->word[i][0] != '-') {
		a->device = i < a->command->n ? a->command->word[i] : NULL;
		answer_does(a, "shows link, speed and modes of the interface");
		return;
	}
	mode = find_mode(a->command->word[i]);
	if (!mode) {
		no_mode(a, a->command->word[i]);
		return;
	}
	if (i + 1 < a->command->n)
		a->device = a->command->word[i + 1];
	answer_fact(a, &mode->what, NULL);
	if (mode->keywords == flags)
		private_flags(a, i + 2);
	else if (mode->keywords)
		tool_keywords(a, mode->keywords, i + 2, 0);
	tool_tell(a);
}

const struct tool tools_ethtool[] = {
	{ .names = "ethtool", .is = "over ethtool netlink and ioctl; it speaks to the Ethernet side of a port",
	  .explain = explain,
	  .no_policy = "pause.rx and pause.tx are what rdmactl sets over ethtool; link.state and link.speed are "
		       "verified" },
	{ 0 },
};
