/* SPDX-License-Identifier: Apache-2.0 */
/* What comes on the priorities that a group protects: too much, or nothing. Told where the classes do not tell more. */
#include "base/dscp.h"
#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"

static bool rest_on_lossless(struct lint *l)
{
	const struct cell *map = chain_map(l), *pfc = lint_cell(l, "qos.pfc");
	unsigned rest = map && map->value.map[0] != VALUE_UNSET ? map->value.map[0] : 0;

	if (!pfc)
		return false;
	if (pfc->value.num >> rest & 1)
		lint_find(l, &pfc->pos, "PFC is on for priority %u, to which DSCP 0 goes: every packet that nobody marked", rest);
	else if (pfc->value.num & 1)
		lint_find(l, &pfc->pos, "PFC is on for priority 0: that of every frame without a tag");
	return true;
}

/* With a map that names all 64, it is certain what comes where. */
static bool pfc_unused(struct lint *l)
{
	const struct cell *map = chain_map(l), *pfc = lint_cell(l, "qos.pfc");
	uint64_t used = 0;

	if (!map || !pfc)
		return false;
	for (unsigned i = 0; i < DSCPS; i++) {
		if (map->value.map[i] == VALUE_UNSET)
			return false;
		used |= chain_bit(map->value.map[i]);
	}
	if ((uint64_t)pfc->value.num & ~used)
		lint_find(l, &pfc->pos, "PFC is on for priority %u, to which no DSCP goes",
			  chain_first((uint64_t)pfc->value.num & ~used));
	return true;
}

const struct lint_rule lint_pfc[] = {
	{ { "pfc-best-effort", SEVERITY_WARNING,
	    "Any program fills the lossless buffers then, and each pause stops ssh and storage along with RoCE.",
	    "RFC 2474: DSCP 0 is the default; IEEE 802.1Q: so is priority 0", "give RoCE a DSCP and a priority of its own", "qos.pfc" },
	  AFTER("lossless-best-effort", "tos-taken-for-dscp", "data-dscp-not-lossless", "dscp-not-of-class", "pfc-not-of-classes"),
	  .group = rest_on_lossless },
	{ { "pfc-unused", SEVERITY_WARNING, "Headroom is taken from the others for a priority on which nothing comes.",
	    "IEEE 802.1Qbb: each lossless priority has buffers of its own", "take it from qos.pfc, or map a DSCP to it",
	    "qos.pfc, and a qos.dscp (trust dscp) that names all 64" },
	  AFTER("tos-taken-for-dscp", "data-dscp-not-lossless", "too-many-lossless", "lossless-without-dscp", "lossless-best-effort",
		"cnp-class-lossless", "dscp-not-of-class", "pfc-not-of-classes", "pfc-best-effort"),
	  .group = pfc_unused },
	{ .is.name = NULL },
};
