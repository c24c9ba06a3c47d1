/* SPDX-License-Identifier: Apache-2.0 */
/* What packets are marked with: the ToS byte against the DSCP, trust, and how much of the map is named. */
#include "base/dscp.h"
#include "lint/chain.h"
#include "lint/lint.h"
#include "model/record.h"
#include "model/vendor.h"
#include "settings/dscp.h"

/* Is this a DSCP for data: on a lossless priority, or, where nothing is said of PFC, one that the map names at all? */
static bool carries_data(const struct lint *l, const struct cell *map, unsigned dscp)
{
	uint64_t pfc = 0;

	if (map->value.map[dscp] == VALUE_UNSET)
		return false;
	return !lint_set(l, "qos.pfc", &pfc) || !pfc || pfc >> map->value.map[dscp] & 1;
}

/*
 * roce.tos is the whole byte: DSCP 26 is 104 to 107, by its two ECN bits, and 26 is DSCP 6. A byte that is itself a
 * DSCP for data, where the DSCP that it stands for is none, was meant as that DSCP.
 */
static bool tos_for_dscp(struct lint *l)
{
	const struct cell *tos = lint_cell(l, "roce.tos"), *map = lint_cell(l, "qos.dscp");
	unsigned byte = tos ? (unsigned)tos->value.num : 0;

	if (!tos || !map)
		return false;
	if (!byte || tos->value.text || byte >= DSCPS || !carries_data(l, map, byte) || carries_data(l, map, byte >> 2))
		return true;
	if (lint_find(l, &tos->pos, "roce.tos %u is DSCP %u, not DSCP %u", byte, byte >> 2, byte))
		diag_hint(l->d, "ToS is DSCP × 4: for DSCP %u write tos: %u, or the name of its class", byte,
			  byte << 2);
	return true;
}

static bool data_with_cnp(struct lint *l)
{
	const struct cell *tos = lint_cell(l, "roce.tos");
	unsigned cnp;

	if (!tos || !chain_cnp(l, &cnp))
		return false;
	if (dscp_of_tos(tos->value.num) == cnp)
		lint_find(l, &tos->pos, "roce.tos %u is DSCP %u, that of the CNPs", (unsigned)tos->value.num, cnp);
	return true;
}

static bool trust_pcp(struct lint *l)
{
	const struct cell *trust = lint_cell(l, "qos.trust");
	struct pos where;
	uint64_t dscps = chain_data(l, &where);

	if (!trust || !dscps)
		return false;
	if (trust->value.num == TRUST_PCP)
		lint_find(l, &trust->pos,
			  "RoCE is marked with DSCP %u, but the port trusts PCP, which untagged packets lack",
			  chain_first(dscps));
	return true;
}

static bool map_in_part(struct lint *l)
{
	const struct vendor *v = catalog_vendor(l->catalog, l->group->driver);
	const struct cell *map = lint_cell(l, "qos.dscp");
	unsigned named = 0;

	if (!map || !v->manners || !v->manners->activates_all_64)
		return false;
	for (unsigned i = 0; i < DSCPS; i++)
		named += map->value.map[i] != VALUE_UNSET;
	if (named && named < DSCPS)
		lint_find(l, &map->pos, "%u of 64 DSCPs are named, but %s activates all 64 with the first entry", named,
			  l->group->driver);
	return true;
}

const struct lint_rule lint_marking[] = {
	{ { "tos-taken-for-dscp", SEVERITY_ERROR, "The packets would carry another DSCP, and travel in another class.",
	    "RFC 2474: the DSCP is the upper six bits of the byte", NULL, "roce.tos and qos.dscp" },
	  .group = tos_for_dscp },
	{ { "data-with-cnp", SEVERITY_ERROR,
	    "Data would fill the queue that is to overtake it, is never marked there, and starves all else.",
	    "DCQCN (SIGCOMM 2015): CNPs travel in a class of their own", "write roce: {tos: NAME} with the name of the data's class",
	    "roce.tos, and ecn.cnp.dscp or a class cnp" },
	  AFTER("tos-taken-for-dscp"),
	  .group = data_with_cnp },
	{ { "trust-pcp", SEVERITY_WARNING,
	    "An untagged packet has no PCP: RoCE falls to the port's default priority, and is lossy there.",
	    "IEEE 802.1Q; RoCEv2 is mostly untagged", "say qos.trust: dscp, or nothing of trust beside qos.dscp",
	    "qos.trust, and a DSCP of data: roce.tos or a lossless class" },
	  .group = trust_pcp },
	{ { "dscp-map-in-part", SEVERITY_WARNING,
	    "DSCPs without an entry then follow what the device has kept for them, which nothing shows.",
	    "mlx5: the first DSCP entry turns DSCP trust on for the whole map",
	    "name the rest: a class default, or qos.dscp: {0-63: 0, …}; a single DSCP beats a range",
	    "qos.dscp of a driver that activates all 64 (match: {driver: mlx5_core})" },
	  .group = map_in_part },
	{ .is.name = NULL },
};
