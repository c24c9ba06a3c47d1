/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Congestion notifications must overtake the congestion: a class of their own, strict, never paused; and someone must
 * answer them on every priority that can be paused.
 */
#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"

enum { CNP_TIME_MOST_US = 1000, DSCPS = 64, PRIORITIES = 8 };

#define OF_ITS_OWN "give class cnp a priority of its own, strict and not lossless"

/* --- the class ---------------------------------------------------------------- */

static bool class_not_strict(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, "cnp");

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

static bool with_others(struct lint *l)
{
	unsigned dscp, priority, other = 0;
	const struct cell *map;

	if (!chain_cnp_priority(l, &dscp, &priority, &map))
		return false;
	while (other < DSCPS && (other == dscp || map->value.map[other] != priority))
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

const struct lint_rule lint_cnp[] = {
	{ { "cnp-on-lossless", SEVERITY_WARNING,
	    "A paused CNP comes too late to slow the sender down, and so prolongs the pause.",
	    "DCQCN (SIGCOMM 2015): CNPs travel with high priority", OF_ITS_OWN,
	    "qos.dscp, qos.pfc, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-class-lossless", "cnp-not-of-class", "dscp-not-of-class", "pfc-not-of-classes"),
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
	  AFTER("cnp-not-of-class", "dscp-not-of-class", "shares-not-of-classes", "tc-without-share", "cnp-on-lossless",
		"cnp-two-priorities", "cnp-with-others", "cnp-class-lossless"),
	  .fabric = class_not_strict,
	  .group = not_strict },
	{ { "ecn-misses-lossless", SEVERITY_WARNING,
	    "PFC alone then holds that priority back: it stops the fabric instead of slowing one sender down.",
	    "DCQCN (SIGCOMM 2015); vendors' ROCE_CC priority mask",
	    "name every priority of qos.pfc in ecn.np and ecn.rp, or write ecn: fabric",
	    "qos.pfc, and ecn.np or ecn.rp" },
	  AFTER("data-dscp-not-lossless", "too-many-lossless", "cnp-class-lossless", "pfc-not-of-classes",
		"cnp-on-lossless"),
	  .group = ecn_misses },
	{ { "cnp-too-rare", SEVERITY_WARNING, "Congestion that is told once in a millisecond is over, or has filled the buffers.",
	    "DCQCN (SIGCOMM 2015): 50us; adapters come with 4us and less", "write a few microseconds: 4us",
	    "ecn.np_min_time_between_cnps" },
	  .group = cnp_too_rare },
	{ .is.name = NULL },
};
