/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a group spells out against the classes of its fabric: the switches are made from the classes, so that a port
 * which is told something else agrees with itself and with nobody.
 */
#include "base/dscp.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"
#include "model/setting.h"

#define FROM_CLASSES \
	"write qos: fabric, or change the class; both ends must say the same; ports of another network say fabric: null"

static bool cnp_not_of_class(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, CLASS_CNP);
	const struct cell *dscp = lint_cell(l, "ecn.cnp.dscp"), *priority = lint_cell(l, "ecn.cnp.priority");

	if (!cnp || !cnp->dscp || (!dscp && !priority))
		return false;
	if (dscp && dscp->value.num != chain_first(cnp->dscp))
		lint_find(l, &dscp->pos, "CNPs are sent with DSCP %d, but the fabric's class cnp is DSCP %u",
			  (int)dscp->value.num, chain_first(cnp->dscp));
	else if (priority && priority->value.num != cnp->priority)
		lint_find(l, &priority->pos,
			  "CNPs are sent with priority %d, but the fabric's class cnp is priority %d",
			  (int)priority->value.num, cnp->priority);
	return true;
}

static bool dscp_not_of_class(struct lint *l)
{
	const struct cell *map = chain_map(l);
	const struct fabric *f = l->fabric;

	if (!map || !f || !f->n)
		return false;
	for (size_t i = 0; i < f->n; i++)
		for (uint64_t rest = f->at[i].dscp; rest; rest &= rest - 1) {
			unsigned dscp = chain_first(rest), to = map->value.map[dscp];

			if (to == VALUE_UNSET || to == (unsigned)f->at[i].priority)
				continue;
			lint_find(l, &map->pos, "DSCP %u goes to priority %u, but class %s is priority %d", dscp, to,
				  f->at[i].name, f->at[i].priority);
			return true;		/* of two that changed places, or of 62, one is enough */
		}
	return true;
}

static bool pfc_not_of_classes(struct lint *l)
{
	const struct cell *pfc = lint_cell(l, "qos.pfc");

	if (!pfc || !l->fabric || !l->fabric->n)
		return false;
	if (pfc->value.num != fabric_pfc(l->fabric))
		lint_find(l, &pfc->pos, "PFC is on for %s, but the lossless classes are priorities %s",
			  lint_priorities(l, (uint64_t)pfc->value.num), lint_priorities(l, fabric_pfc(l->fabric)));
	return true;
}

static bool tos_not_of_class(struct lint *l)
{
	const struct cell *tos = lint_cell(l, "roce.tos");
	unsigned dscp = tos ? dscp_of_tos(tos->value.num) : 0;
	uint64_t lossless = 0;

	for (size_t i = 0; l->fabric && i < l->fabric->n; i++)
		lossless |= l->fabric->at[i].lossless ? l->fabric->at[i].dscp : 0;
	if (!tos || !lossless)
		return false;
	if (!(lossless >> dscp & 1))
		lint_find(l, &tos->pos, "roce.tos %u is DSCP %u, which no lossless class of the fabric has",
			  (unsigned)tos->value.num, dscp);
	return true;
}

/* The first key in which two maps of 8 differ where both say something; PRIORITIES: none. */
static unsigned differ(const uint8_t *map, const uint8_t *of_classes)
{
	unsigned i = 0;

	while (i < PRIORITIES && (map[i] == VALUE_UNSET || of_classes[i] == VALUE_UNSET || map[i] == of_classes[i]))
		i++;
	return i;
}

static bool shares_not_of_classes(struct lint *l)
{
	const struct cell *tc = lint_cell(l, "qos.tc"), *ets = lint_cell(l, "qos.ets");
	uint8_t map[PRIORITIES];
	unsigned i;

	if (!l->fabric || !l->fabric->n || (!tc && !ets))
		return false;
	fabric_prio_tc(l->fabric, map);
	i = tc ? differ(tc->value.map, map) : PRIORITIES;
	if (i < PRIORITIES) {
		lint_find(l, &tc->pos, "priority %u goes to traffic class %u, but by the classes to %u", i,
			  tc->value.map[i], map[i]);
		return true;
	}
	fabric_shares(l->fabric, map);
	i = ets ? differ(ets->value.map, map) : PRIORITIES;
	if (i < PRIORITIES) {
		const struct value share = { .map = map };
		TEXT_CLEANUP struct text t = { 0 };

		value_print(ets->field, &share, &t);
		lint_find(l, &ets->pos, "the share of traffic class %u differs from the classes', which are %s", i,
			  text_str(&t));
	}
	return true;
}

static bool speed_not_in_fabric(struct lint *l)
{
	const struct cell *speed = lint_cell(l, "link.speed");
	const struct fabric *f = l->fabric;
	bool said = false, same = false;

	for (size_t t = 0; speed && f && t < f->ntiers; t++)
		for (size_t i = 0; i < f->tier[t].n; i++) {
			const struct cell *c = fabric_says(f->tier[t].link[i].has, FABRIC_SPEED);

			said = said || c;
			same = same || (c && c->value.num == speed->value.num);
		}
	if (said && !same) {
		TEXT_CLEANUP struct text t = { 0 };

		value_print(speed->field, &speed->value, &t);
		lint_find(l, &speed->pos, "link.speed is %s, but no tier of the fabric has a link of that speed",
			  text_str(&t));
	}
	return said;
}

const struct lint_rule lint_classes[] = {
	{ { "cnp-not-of-class", SEVERITY_ERROR,
	    "Switches know CNPs by the class alone: others travel, and wait, with whatever their DSCP says.",
	    "one policy for both ends of the wire", "say ecn: {cnp: fabric}, or change the class",
	    "a class cnp, and ecn.cnp.dscp or ecn.cnp.priority" },
	  .group = cnp_not_of_class },
	{ { "dscp-not-of-class", SEVERITY_ERROR,
	    "Node and switch would put the same packets into different classes, and PFC would hold back the wrong one.",
	    "one policy for both ends of the wire", FROM_CLASSES, "classes and qos.dscp" },
	  AFTER("tos-taken-for-dscp", "data-dscp-not-lossless", "cnp-not-of-class"),
	  .group = dscp_not_of_class },
	{ { "pfc-not-of-classes", SEVERITY_ERROR,
	    "A pause of a priority that the other end does not know as lossless stops nothing, or the wrong traffic.",
	    "IEEE 802.1Qbb: both ends of a link enable the same priorities", FROM_CLASSES, "classes and qos.pfc" },
	  AFTER("too-many-lossless", "cnp-class-lossless", "tos-taken-for-dscp", "data-dscp-not-lossless",
		"dscp-not-of-class", "lossless-best-effort"),
	  .group = pfc_not_of_classes },
	{ { "tos-not-of-class", SEVERITY_WARNING, "The switches would carry RoCE in a class that may drop.",
	    "one policy for both ends of the wire", "write roce: {tos: NAME} with the name of the class",
	    "a lossless class with a DSCP, and roce.tos" },
	  AFTER("tos-taken-for-dscp", "data-with-cnp", "data-dscp-not-lossless", "data-dscp-not-mapped", "dscp-not-of-class"),
	  .group = tos_not_of_class },
	{ { "shares-not-of-classes", SEVERITY_WARNING,
	    "Each end would hand out bandwidth by its own rule, and congestion moves to where nobody looks for it.",
	    "one policy for both ends of the wire", FROM_CLASSES, "classes, and qos.tc or qos.ets" },
	  AFTER("ets-not-100", "tc-without-share", "tc-starved", "data-strict", "lossless-shares-tc"),
	  .group = shares_not_of_classes },
	{ { "speed-not-in-fabric", SEVERITY_WARNING, "The headroom of the switch port was computed for another speed.",
	    "headroom grows with the speed of the link", "correct the speed, or add the links to a tier",
	    "link.speed, and tiers whose links have a speed" },
	  AFTER("speed-no-such-link"),
	  .group = speed_not_in_fabric },
	{ .is.name = NULL },
};
