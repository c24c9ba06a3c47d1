/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion notifications must overtake the congestion: a class of their own, strict, never paused. */
#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"

enum { DSCPS = 64, PRIORITIES = 8 };

#define OF_ITS_OWN "give class cnp a priority of its own, strict and not lossless"

/* --- the class ---------------------------------------------------------------- */

static bool class_lossless(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, "cnp");

	if (cnp && cnp->lossless)
		lint_find(l, &cnp->pos, "class cnp is lossless: PFC can pause the CNPs");
	return cnp;
}

static bool class_not_strict(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, "cnp");

	if (cnp && !cnp->strict)
		lint_find(l, &cnp->pos, "class cnp is not strict: CNPs wait for their turn");
	return cnp;
}

/* --- what ports are told ------------------------------------------------------ */

static bool not_of_class(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, "cnp");
	const struct cell *dscp = lint_cell(l, "ecn.cnp.dscp"), *priority = lint_cell(l, "ecn.cnp.priority");

	if (!cnp || !cnp->dscp || (!dscp && !priority))
		return false;
	if (dscp && dscp->value.num != chain_first(cnp->dscp))
		lint_find(l, &dscp->pos, "CNPs are sent with DSCP %d, but the fabric's class cnp is DSCP %u", (int)dscp->value.num,
			  chain_first(cnp->dscp));
	else if (priority && priority->value.num != cnp->priority)
		lint_find(l, &priority->pos, "CNPs are sent with priority %d, but the fabric's class cnp is priority %d",
			  (int)priority->value.num, cnp->priority);
	return true;
}

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
		lint_find(l, &ets->pos, "CNP DSCP %u goes to priority %u, whose traffic class %u is not strict", dscp, priority,
			  class);
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

const struct lint_rule lint_cnp[] = {
	{ { "cnp-not-of-class", SEVERITY_ERROR,
	    "Switches know CNPs by the class alone: others travel, and wait, with whatever their DSCP says.",
	    "one policy for both ends of the wire", "say ecn: {cnp: fabric}, or change the class",
	    "a class cnp, and ecn.cnp.dscp or ecn.cnp.priority" },
	  .group = not_of_class },
	{ { "cnp-on-lossless", SEVERITY_WARNING,
	    "A paused CNP comes too late to slow the sender down, and so prolongs the pause.",
	    "DCQCN (SIGCOMM 2015): CNPs travel with high priority", OF_ITS_OWN,
	    "a class cnp; or qos.dscp, qos.pfc and ecn.cnp.dscp" },
	  AFTER("cnp-not-of-class"), .fabric = class_lossless, .group = on_lossless },
	{ { "cnp-with-others", SEVERITY_WARNING,
	    "Behind other packets in one queue a CNP comes too late to slow the sender down.", "DCQCN (SIGCOMM 2015)",
	    OF_ITS_OWN, "qos.dscp, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-not-of-class", "cnp-on-lossless"), .group = with_others },
	{ { "cnp-not-strict", SEVERITY_WARNING,
	    "A CNP that waits for its share of bandwidth comes too late to slow the sender down.", "DCQCN (SIGCOMM 2015)",
	    "make class cnp strict, or its traffic class in qos.ets", "a class cnp; or qos.dscp, qos.ets and ecn.cnp.dscp" },
	  AFTER("cnp-not-of-class", "cnp-on-lossless", "cnp-with-others"), .fabric = class_not_strict, .group = not_strict },
	{ { "cnp-two-priorities", SEVERITY_WARNING,
	    "Tagged and untagged CNPs would travel in two classes, and only one of them was meant.",
	    "drivers take both values and compare nothing", "say the priority to which qos.dscp sends the CNPs, or ecn: {cnp: fabric}",
	    "ecn.cnp.priority, qos.dscp, and ecn.cnp.dscp or a class cnp" },
	  AFTER("cnp-not-of-class", "cnp-on-lossless", "cnp-with-others"), .group = two_priorities },
	{ .is.name = NULL },
};
