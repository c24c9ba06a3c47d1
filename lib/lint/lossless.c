/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain that makes RoCE lossless: DSCP, priority, PFC. Which DSCP carries data is said by the lossless classes of
 * the fabric or by roce.tos; where neither says, by the entries of a map that was written for a port with PFC.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"
#include "settings/dscp.h"

enum { DSCPS = 64, PRIORITIES = 8 };

/* "{3,4}" */
static const char *set_text(struct arena *a, uint64_t set)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_char(&t, '{');
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (set >> i & 1)
			text_printf(&t, t.n > 1 ? ",%u" : "%u", i);
	text_char(&t, '}');
	return arena_strdup(a, text_str(&t));
}

/* The DSCP map that decides on this group's ports; NULL if it is not ours, or trust is pcp. */
static const struct cell *map_in_force(const struct lint *l)
{
	int64_t trust;

	if (lint_num(l, "qos.trust", &trust) && trust == TRUST_PCP)
		return NULL;
	return lint_cell(l, "qos.dscp");
}

static uint64_t bit(unsigned i)
{
	return UINT64_C(1) << i;
}

static bool cnp_dscp(const struct lint *l, unsigned *dscp)
{
	const struct traffic_class *cnp = l->group->fabric ? fabric_class(l->group->fabric, "cnp") : NULL;
	int64_t num;

	if (lint_num(l, "ecn.cnp.dscp", &num)) {
		*dscp = (unsigned)num;
		return true;
	}
	if (!cnp || !cnp->dscp)
		return false;
	*dscp = (unsigned)__builtin_ctzll(cnp->dscp);
	return true;
}

/* DSCPs of data that must not be lost, as bits; *where says who says so. 0: nobody. */
static uint64_t data_dscps(const struct lint *l, struct pos *where)
{
	const struct fabric *f = l->group->fabric;
	const struct cell *tos = lint_cell(l, "roce.tos");
	uint64_t dscps = 0;

	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].lossless && f->at[i].dscp) {
			dscps |= f->at[i].dscp;
			*where = f->at[i].pos;
		}
	if (tos) {
		*where = tos->pos;
		return bit((unsigned)tos->value.num >> 2 & (DSCPS - 1));
	}
	return dscps;
}

/* Without a word about data: entries of the map by themselves, but for the CNPs. Are all of them lossy? */
static uint64_t lossy_entries(const struct lint *l, const uint8_t *map, uint64_t pfc)
{
	uint64_t lossy = 0;
	unsigned cnp = DSCPS;

	cnp_dscp(l, &cnp);
	for (unsigned i = 0; i < DSCPS; i++) {
		if (map[i] == VALUE_UNSET || i == cnp)
			continue;
		if (pfc >> map[i] & 1)
			return 0;
		lossy |= bit(i);
	}
	return lossy;
}

static void tell_lossy(struct lint *l, unsigned dscp, const struct cell *map, const struct cell *pfc)
{
	uint64_t set = (uint64_t)pfc->value.num;
	const char *names = set_text(l->d->arena, set);
	unsigned priority = map->value.map[dscp];
	struct diag *one;

	one = lint_find(l, &pfc->pos,
			"RoCE DSCP %u goes to priority %u (line %u), but PFC is on for %s only: RoCE would be lossy",
			dscp, priority, map->pos.line, names);
	if (!one)
		return;
	one->other = map->pos;
	one->other_what = arena_printf(l->d->arena, "DSCP %u goes to priority %u here", dscp, priority);
	if (set)
		diag_hint(
			l->d,
			"turn PFC on for priority %u (qos.pfc: [%u]), or map DSCP %u to one of %s (qos.dscp: {%u: %u})",
			priority, priority, dscp, names, dscp, (unsigned)__builtin_ctzll(set));
	else
		diag_hint(l->d,
			  "turn PFC on for priority %u (qos.pfc: [%u]), or take lossless from the class of DSCP %u",
			  priority, priority, dscp);
}

static bool is_lossless_class(const struct lint *l, unsigned dscp)
{
	const struct fabric *f = l->group->fabric;

	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].lossless && f->at[i].dscp >> dscp & 1)
			return true;
	return false;
}

static void data_on_lossy(struct lint *l)
{
	const struct cell *map = map_in_force(l), *pfc = lint_cell(l, "qos.pfc");
	uint64_t dscps, set;
	struct pos where;

	if (!map || !pfc || lint_tos_is_dscp(l))
		return;
	set = (uint64_t)pfc->value.num;
	dscps = data_dscps(l, &where);
	if (!dscps && set)
		dscps = lossy_entries(l, map->value.map, set);
	for (unsigned i = 0; i < DSCPS; i++)
		if (dscps >> i & 1 && map->value.map[i] != VALUE_UNSET && !(set >> map->value.map[i] & 1) &&
		    (set || is_lossless_class(l, i)))	/* RoCE without any PFC is a choice, unless a class says else */
			tell_lossy(l, i, map, pfc);
}

static void data_not_mapped(struct lint *l)
{
	const struct cell *map = map_in_force(l);
	uint64_t set, dscps;
	struct pos where;

	if (!map || !lint_set(l, "qos.pfc", &set) || !set || lint_tos_is_dscp(l))
		return;
	dscps = data_dscps(l, &where);
	for (unsigned i = 0; i < DSCPS; i++)
		if (dscps >> i & 1 && map->value.map[i] == VALUE_UNSET)
			lint_find(l, &map->pos,
				  "RoCE DSCP %u is not named in the map, so its priority is whatever the port has", i);
}

static void too_many(struct lint *l)
{
	const struct cell *pfc = lint_cell(l, "qos.pfc");
	int n = pfc ? __builtin_popcountll((uint64_t)pfc->value.num) : 0;

	if (n > 2)
		lint_find(l, &pfc->pos, "%d lossless priorities %s: buffers hold headroom for two", n,
			  set_text(l->d->arena, (uint64_t)pfc->value.num));
}

static void pause_with_pfc(struct lint *l)
{
	static const char *const names[] = { "pause.rx", "pause.tx" };
	uint64_t set;

	if (!lint_set(l, "qos.pfc", &set) || !set)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct cell *c = lint_cell(l, names[i]);

		if (c && c->value.num)
			lint_find(l, &c->pos, "%s is on, and PFC for %s: a port has one or the other", names[i],
				  set_text(l->d->arena, set));
	}
}

/* Where CNPs arrive: the map's priority of their DSCP. Sets *at to what is to be corrected. */
static bool cnp_priority(const struct lint *l, unsigned *dscp, unsigned *priority, const struct cell **map)
{
	*map = map_in_force(l);
	if (!*map || !cnp_dscp(l, dscp) || (*map)->value.map[*dscp] == VALUE_UNSET)
		return false;
	*priority = (*map)->value.map[*dscp];
	return true;
}

static void cnp_on_lossless(struct lint *l)
{
	unsigned dscp, priority;
	const struct cell *map;
	uint64_t set;

	if (cnp_priority(l, &dscp, &priority, &map) && lint_set(l, "qos.pfc", &set) && set >> priority & 1)
		lint_find(l, &map->pos, "CNP DSCP %u goes to priority %u, which PFC can pause", dscp, priority);
}

static void cnp_with_others(struct lint *l)
{
	unsigned dscp, priority, other = 0;
	const struct cell *map;
	uint64_t set = 0;

	if (!cnp_priority(l, &dscp, &priority, &map))
		return;
	lint_set(l, "qos.pfc", &set);
	if (set >> priority & 1)
		return;			/* told by cnp-on-lossless */
	while (other < DSCPS && (other == dscp || map->value.map[other] != priority))
		other++;
	if (other < DSCPS)
		lint_find(l, &map->pos, "CNP DSCP %u shares priority %u with DSCP %u", dscp, priority, other);
}

static void cnp_not_strict(struct lint *l)
{
	const struct cell *map, *ets = lint_cell(l, "qos.ets"), *tc = lint_cell(l, "qos.tc");
	unsigned dscp, priority, class;
	uint64_t set = 0;

	if (!ets || !cnp_priority(l, &dscp, &priority, &map))
		return;
	lint_set(l, "qos.pfc", &set);
	class = tc && tc->value.map[priority] != VALUE_UNSET ? tc->value.map[priority] : priority;
	if (set >> priority & 1 || class >= PRIORITIES || ets->value.map[class] == VALUE_UNSET ||
	    ets->value.map[class] == SHARE_STRICT)
		return;
	lint_find(l, &ets->pos, "CNP DSCP %u goes to priority %u, whose traffic class %u is not strict", dscp, priority,
		  class);
}

const struct lint_rule lint_lossless[] = {
	{ "data-dscp-not-lossless", SEVERITY_ERROR,
	  "Without PFC on the priority of its DSCP, RoCE drops under load, and a priority that nothing uses may be "
	  "paused.",
	  "IEEE 802.1Qbb; the chain DSCP, priority, PFC must close", NULL, data_on_lossy },
	{ "data-dscp-not-mapped", SEVERITY_WARNING,
	  "What a port does with a DSCP that no entry names differs by driver.",
	  "drivers: mlx5 has what its hidden map holds, DSCP >> 3 at first; hns3 priority 0", "name it in qos.dscp, with a lossless priority",
	  data_not_mapped },
	{ "too-many-lossless", SEVERITY_WARNING,
	  "Each lossless priority reserves headroom for a whole round trip; with three the shared buffer is gone.",
	  "\"RDMA over Commodity Ethernet at Scale\" (SIGCOMM 2016): two lossless classes",
	  "put what may drop on a lossy priority", too_many },
	{ "pause-with-pfc", SEVERITY_ERROR,
	  "Global pause stops every class; drivers turn one off when the other comes.",
	  "IEEE 802.1Qbb 36.1; on mlx5 both are one register", "set pause: {rx: false, tx: false}", pause_with_pfc },
	{ "cnp-on-lossless", SEVERITY_WARNING,
	  "A paused CNP comes too late to slow the sender down, and so prolongs the pause.",
	  "DCQCN (SIGCOMM 2015): CNPs travel with high priority",
	  "give class cnp a priority of its own, strict and not lossless", cnp_on_lossless },
	{ "cnp-with-others", SEVERITY_WARNING,
	  "Behind other packets in one queue a CNP comes too late to slow the sender down.", "DCQCN (SIGCOMM 2015)",
	  "give class cnp a priority of its own, strict and not lossless", cnp_with_others },
	{ "cnp-not-strict", SEVERITY_WARNING,
	  "A CNP that waits for its share of bandwidth comes too late to slow the sender down.", "DCQCN (SIGCOMM 2015)",
	  "make its traffic class strict in qos.ets", cnp_not_strict },
	{ 0 },
};
