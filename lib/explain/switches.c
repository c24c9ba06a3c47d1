/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of switches that stand in the same pages: they are right, on the switch, and do nothing on a node. */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static void check_probability(struct answer *a, const char *value)
{
	if (!strcmp(value, "100"))
		answer_beware(a, "a marking probability of 100 %% at Kmax is a step: senders are all slowed down at "
				 "once");
}

static const struct fact ecnconfig[] = {
	{ "-p --profile", .value = "PROFILE" },
	{ "-gmin --green-min", "BYTES", .does = "Kmin: marking begins", .effect = &effect_switch },
	{ "-gmax --green-max", "BYTES", .does = "Kmax: marking reaches its probability", .effect = &effect_switch },
	{ "-gdrop --green-drop-prob", "PERCENT", .does = "Pmax: probability of marking at Kmax",
	  .effect = &effect_switch,
	  .take = check_probability },
	{ "-ymin --yellow-min", .value = "BYTES" }, { "-ymax --yellow-max", .value = "BYTES" },
	{ "-ydrop --yellow-drop-prob", .value = "PERCENT" },
	{ "-rmin --red-min", .value = "BYTES" }, { "-rmax --red-max", .value = "BYTES" },
	{ "-rdrop --red-drop-prob", .value = "PERCENT" },
	{ "-q --queue", .value = "QUEUES" }, { "-l --list", .does = "shows profiles" }, { .name = "-vv --verbose" },
	{ .name = "-h --help" },
	{ 0 },
};

static void kmin_kmax(struct answer *a, const struct tool *t)
{
	int64_t min, max;
	const char *low, *high;

	tool_options(a, t->options, 1);
	tool_tell(a);
	low = answer_arg(a, "-gmin");
	high = answer_arg(a, "-gmax");
	tool_thresholds(a, low, high, answer_arg(a, "-gdrop"));
	if (low && high && tool_number(low, &min) && tool_number(high, &max) && min >= max)
		answer_wrong(a, "Kmin %s is not below Kmax %s", low, high);
}

static void sonic(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "configures a SONiC switch: PORT_QOS_MAP.pfc_enable has the lossless priorities of a port");
	answer_effect(a, &effect_switch);
}

/* "set qos roce", "set qos pfc …" */
static void nvue(struct answer *a, const struct tool *t)
{
	const struct simple *c = a->command;

	(void)t;
	if (c->n > 1 && strcmp(c->word[1], "set") != 0 && strcmp(c->word[1], "unset") != 0) {
		answer_does(a, c->word[1][0] == 'c' ? "applies what was set" : "shows what is set");
		return;
	}
	if (strstr(a->text, "qos roce"))
		answer_does(a, "the vendor's RoCE defaults: priority 3 lossless, CNPs in 6, ECN on the class");
	else
		answer_does(a, "stages a setting; `nv config apply` makes it hold");
	answer_effect(a, &effect_switch);
}

static void cli(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "a line of a switch's configuration");
	answer_effect(a, &effect_switch);
}

#define OTHER_END "it is for the switch; rdmactl on a node sets the port at the other end of the cable: qos.pfc, " \
		  "qos.dscp, qos.ets, ecn.*"
const struct tool tools_switches[] = {
	{ .names = "ecnconfig", .is = "of SONiC: WRED profiles of the switch", .options = ecnconfig,
	  .explain = kmin_kmax,
	  .no_policy = OTHER_END },
	{ .names = "pfc pfcwd config sonic-db-cli mmuconfig", .is = "of SONiC", .explain = sonic,
	  .no_policy = OTHER_END },
	{ .names = "nv", .is = "NVUE of Cumulus Linux", .explain = nvue, .no_policy = OTHER_END },
	{ .names = "random-detect priority-flow-control traffic-class qos interface service-policy class-map "
		   "policy-map",
	  .is = "of the command line of EOS, NX-OS or IOS", .explain = cli, .no_policy = OTHER_END },
	{ 0 },
};
