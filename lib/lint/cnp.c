/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Congestion notifications must overtake the congestion: a class of their own, strict, never paused; and someone must
 * answer them on every priority that can be paused.
 */
#include "base/dscp.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"

enum { CNP_TIME_MOST_US = 1000, ECN_ECT0 = 2, ECN_CE = 3 };

#define OF_ITS_OWN "give class cnp a priority of its own, strict and not lossless"

/* --- the class ---------------------------------------------------------------- */

static bool class_not_strict(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, CLASS_CNP);

	if (cnp && !cnp->strict)
		lint_find(l, &cnp->pos, "class cnp is not strict: CNPs wait for their turn");
	return cnp;
}

/* --- what ports are told ------------------------------------------------------ */

static bool on_lossless(struct lint *l)
{
	unsigned dscp, priority;
	const struct cell *map;
	uint64_t set;

	if (!chain_cnp_priority(l, &dscp, &priority, &map) || !lint_set(l, "qos.pfc", &set))
		return false;
	if (set >> priority & 1)
		lint_find(l, &map->pos, "CNP DSCP %u goes to priority %u, which PFC can pause", dscp, priority);
	return true;
}

/*
 * Maps by precedence, eight DSCPs to a priority, are what adapters come with: those beside the CNPs' are nobody's, unless
 * data has one of them or they are what nobody marks.
 */
static bool is_nobodys(unsigned other, unsigned dscp, uint64_t data)
{
	return other >> 3 && other >> 3 == dscp >> 3 && !(data >> other & 1);
}

static bool with_others(struct lint *l)
{
	unsigned dscp, priority, other = 0;
	const struct cell *map;
	struct pos where;
	uint64_t data;

	if (!chain_cnp_priority(l, &dscp, &priority, &map))
		return false;
	data = chain_data(l, &where);
	while (other < DSCPS && (other == dscp || map->value.map[other] != priority || is_nobodys(other, dscp, data)))
		other++;
	if (other < DSCPS)
		lint_find(l, &map->pos, "CNP DSCP %u shares priority %u with DSCP %u", dscp, priority, other);
	return true;
}

static bool not_strict(struct lint *l)
{
	const struct cell *map, *ets = lint_cell(l, "qos.ets"), *tc = lint_cell(l, "qos.tc");
	unsigned dscp, priority, class;

	if (!ets || !chain_cnp_priority(l, &dscp, &priority, &map))
		return false;
	class = tc && tc->value.map[priority] != VALUE_UNSET ? tc->value.map[priority] : priority;
	if (class < PRIORITIES && ets->value.map[class] != VALUE_UNSET && ets->value.map[class] != SHARE_STRICT)
		lint_find(l, &ets->pos, "CNP DSCP %u goes to priority %u, whose traffic class %u is not strict", dscp,
			  priority, class);
	return true;
}

static bool two_priorities(struct lint *l)
{
	const struct cell *said = lint_cell(l, "ecn.cnp.priority"), *map;
	unsigned dscp, priority;

	if (!said || !chain_cnp_priority(l, &dscp, &priority, &map))
		return false;
	if (said->value.num != priority)
		lint_find(l, &said->pos, "CNPs are sent with priority %d, but their DSCP %u goes to priority %u",
			  (int)said->value.num, dscp, priority);
	return true;
}

static bool ecn_misses(struct lint *l)
{
	static const struct { const char *name, *what; } sides[] = {
		{ "ecn.np", "marked packets are not answered" }, { "ecn.rp", "senders do not slow down" },
	};
	bool said = false;
	uint64_t pfc, set;

	if (!lint_set(l, "qos.pfc", &pfc))
		return false;
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		if (!lint_set(l, sides[i].name, &set))
			continue;
		said = true;
		if (pfc & ~set)
			lint_find(l, &lint_cell(l, sides[i].name)->pos,
				  "%s is on for %s, but PFC for %s: %s on priority %u", sides[i].name,
				  lint_priorities(l, set), lint_priorities(l, pfc), sides[i].what,
				  chain_first(pfc & ~set));
	}
	return said;
}

/* Where nothing is lossless, congestion control is all that keeps RoCE from loss. */
static bool ecn_misses_data(struct lint *l)
{
	static const char *const sides[] = { "ecn.np", "ecn.rp" };
	const struct cell *map = chain_map(l), *tos = lint_cell(l, "roce.tos");
	unsigned dscp = tos ? dscp_of_tos(tos->value.num) : 0, priority;
	bool said = false;
	uint64_t set;

	if (!map || !tos || map->value.map[dscp] == VALUE_UNSET)
		return false;
	priority = map->value.map[dscp];
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		if (!lint_set(l, sides[i], &set))
			continue;
		said = true;
		if (!(set >> priority & 1) &&
		    lint_find(l, &lint_cell(l, sides[i])->pos, "%s is on for %s, but RoCE DSCP %u goes to priority %u", sides[i],
			      set ? lint_priorities(l, set) : "no priority", dscp, priority) && !set && l->fabric)
			diag_hint(l->d, "`fabric` is the lossless priorities, and there are none: write ecn: {np: [%u], rp: [%u], "
					"cnp: fabric}, and optional: [ecn.np, ecn.rp] for drivers without such a switch",
				  priority, priority);
	}
	return said;
}

/* Routing protocols, LACP and the like: few and small, and the network is gone without them. */
static bool is_control(const struct traffic_class *c)
{
	return c->dscp ? !(c->dscp & (chain_bit(DSCP_CS6) - 1)) : c->priority == PRIORITY_CONTROL;
}

/* Of two strict classes the higher one is served first. */
static bool behind_strict(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, CLASS_CNP);

	for (size_t i = 0; cnp && cnp->strict && i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		if (c->strict && c->tc > cnp->tc && !is_control(c))
			lint_find(l, &cnp->pos, "class cnp is in traffic class %d, and strict class %s in %d is served before it", cnp->tc,
				  c->name, c->tc);
	}
	return cnp && cnp->strict;
}

/* The low two bits are ECN: 3 says that the packet met congestion already. */
static bool tos_marks(struct lint *l)
{
	const struct cell *tos = lint_cell(l, "roce.tos");
	unsigned byte = tos ? (unsigned)tos->value.num : 0;

	if (tos && (byte & ECN_CE) == ECN_CE && lint_find(l, &tos->pos, "roce.tos %u marks each packet as having met congestion", byte))
		diag_hint(l->d, "its low two bits are ECN: write %u or %u", byte & ~(unsigned)ECN_CE, (byte & ~(unsigned)ECN_CE) | ECN_ECT0);
	return tos;
}

static bool cnp_too_rare(struct lint *l)
{
	const struct cell *c = lint_cell(l, "ecn.np_min_time_between_cnps");
	TEXT_CLEANUP struct text t = { 0 };

	if (!c)
		return false;
	value_print(c->field, &c->value, &t);
	if (c->value.num > CNP_TIME_MOST_US)
		lint_find(l, &c->pos, "a CNP every %s at most: many round trips pass before the sender is told", text_str(&t));
	return true;
}

/* A highest rate of 0 is the line's. */
static bool rates_crossed(struct lint *l)
{
	const struct cell *least = lint_cell(l, "ecn.rp_min_rate"), *most = lint_cell(l, "ecn.rp_max_rate");
	TEXT_CLEANUP struct text low = { 0 }, high = { 0 };

	if (!least || !most)
		return false;
	value_print(least->field, &least->value, &low);
	value_print(most->field, &most->value, &high);
	if (most->value.num && least->value.num > most->value.num)
		lint_find(l, &least->pos, "the lowest rate of a flow, %s, is above the highest, %s", text_str(&low), text_str(&high));
	return true;
}

const struct lint_rule lint_cnp[] = {
	{ { "cnp-on-lossless", SEVERITY_WARNING,
	    "A paused CNP comes too late to slow the sender down, and so prolongs the pause.",
	    "DCQCN (SIGCOMM 2015): CNPs travel with high priority", OF_ITS_OWN,
	    "qos.dscp, qos.pfc, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-class-lossless", "cnp-not-of-class", "dscp-not-of-class", "pfc-not-of-classes", "data-with-cnp"),
	  .group = on_lossless },
	{ { "cnp-two-priorities", SEVERITY_WARNING,
	    "Tagged and untagged CNPs would travel in two classes, and only one of them was meant.",
	    "drivers take both values and compare nothing",
	    "say the priority to which qos.dscp sends the CNPs, or ecn: {cnp: fabric}",
	    "ecn.cnp.priority, qos.dscp, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-not-of-class", "dscp-not-of-class", "cnp-on-lossless"),
	  .group = two_priorities },
	{ { "cnp-with-others", SEVERITY_WARNING,
	    "Behind other packets in one queue a CNP comes too late to slow the sender down.", "DCQCN (SIGCOMM 2015)",
	    OF_ITS_OWN, "qos.dscp, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-class-lossless", "cnp-not-of-class", "dscp-not-of-class", "cnp-on-lossless", "cnp-two-priorities"),
	  .group = with_others },
	{ { "cnp-not-strict", SEVERITY_WARNING,
	    "A CNP that waits for its share of bandwidth comes too late to slow the sender down.",
	    "DCQCN (SIGCOMM 2015)", "make class cnp strict, or its traffic class in qos.ets",
	    "a class cnp; or qos.dscp, qos.ets and ecn.cnp.dscp" },
	  AFTER("cnp-not-of-class", "dscp-not-of-class", "shares-not-of-classes", "tc-without-share", "tc-starved", "cnp-on-lossless",
		"cnp-two-priorities", "cnp-with-others", "cnp-class-lossless"),
	  .fabric = class_not_strict,
	  .group = not_strict },
	{ { "ecn-misses-lossless", SEVERITY_WARNING,
	    "PFC alone then holds that priority back: it stops the fabric instead of slowing one sender down.",
	    "DCQCN (SIGCOMM 2015); vendors' ROCE_CC priority mask",
	    "name every priority of qos.pfc in ecn.np and ecn.rp, or write ecn: fabric",
	    "qos.pfc, and ecn.np or ecn.rp" },
	  AFTER("data-dscp-not-lossless", "too-many-lossless", "cnp-class-lossless", "pfc-unused", "pfc-not-of-classes",
		"cnp-on-lossless"),
	  .group = ecn_misses },
	{ { "ecn-misses-data", SEVERITY_WARNING,
	    "Nothing slows the senders of RoCE down, whatever switches mark.",
	    "DCQCN (SIGCOMM 2015); vendors' ROCE_CC priority mask", "name the priority of RoCE in ecn.np and ecn.rp",
	    "roce.tos, qos.dscp (trust dscp), and ecn.np or ecn.rp" },
	  AFTER("tos-taken-for-dscp", "data-with-cnp", "data-dscp-not-lossless", "tos-not-of-class", "dscp-not-of-class",
		"ecn-misses-lossless"),
	  .group = ecn_misses_data },
	{ { "cnp-behind-strict", SEVERITY_WARNING, "Behind other strict traffic a CNP comes too late to slow the sender down.",
	    "IEEE 802.1Q: of strict classes the higher number is served first",
	    "give class cnp the highest traffic class of those that are strict, but for network control (DSCP 48 and more)",
	    "a class cnp that is strict" },
	  AFTER("data-strict", "cnp-class-lossless"),
	  .fabric = behind_strict },
	{ { "tos-marks-congestion", SEVERITY_WARNING,
	    "The receiver answers every packet with a CNP where the adapter does not set these bits itself, and senders crawl.",
	    "RFC 3168: ECN field 3 is congestion experienced", NULL, "roce.tos" },
	  AFTER("tos-taken-for-dscp", "data-with-cnp", "data-dscp-not-lossless", "data-dscp-not-mapped", "tos-not-of-class"),
	  .group = tos_marks },
	{ { "cnp-too-rare", SEVERITY_WARNING, "Congestion that is told once in a millisecond is over, or has filled the buffers.",
	    "DCQCN (SIGCOMM 2015): 50us; adapters come with 4us and less", "write a few microseconds: 4us",
	    "ecn.np_min_time_between_cnps" },
	  .group = cnp_too_rare },
	{ { "rates-crossed", SEVERITY_ERROR, "What a sender does then is the firmware's secret: it never slows down, or never speeds up.",
	    "kernel: drivers/net/ethernet/mellanox/mlx5 writes each by itself and compares nothing",
	    "make ecn.rp_min_rate the smaller one; ecn.rp_max_rate: 0 is line rate", "ecn.rp_min_rate and ecn.rp_max_rate" },
	  .group = rates_crossed },
	{ .is.name = NULL },
};
