/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain that makes RoCE lossless: DSCP, priority, PFC. Which DSCP carries data is said by roce.tos or the lossless
 * classes of the fabric; where neither says, by the entries of a map that was written for a port with PFC.
 */
#include <inttypes.h>

#include "base/arena.h"
#include "fabric/fabric.h"
#include "fabric/headroom.h"
#include "lint/chain.h"
#include "model/record.h"

enum { DSCPS = 64, PRIORITIES = 8, LOSSLESS_MOST = 2 };

/* Without a word about data: entries of the map by themselves, but for the CNPs. Are all of them lossy? */
static uint64_t lossy_entries(const struct lint *l, const uint8_t *map, uint64_t pfc)
{
	uint64_t lossy = 0;
	unsigned cnp = DSCPS;

	chain_cnp(l, &cnp);
	for (unsigned i = 0; i < DSCPS; i++) {
		if (map[i] == VALUE_UNSET || i == cnp)
			continue;
		if (pfc >> map[i] & 1)
			return 0;
		lossy |= chain_bit(i);
	}
	return lossy;
}

static void tell_lossy(struct lint *l, unsigned dscp, const struct cell *map, const struct cell *pfc)
{
	uint64_t set = (uint64_t)pfc->value.num;
	const char *names = lint_priorities(l, set);
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
			priority, priority, dscp, names, dscp, chain_first(set));
	else
		diag_hint(l->d,
			  "turn PFC on for priority %u (qos.pfc: [%u]), or take lossless from the class of DSCP %u",
			  priority, priority, dscp);
}

static bool is_lossless_class(const struct lint *l, unsigned dscp)
{
	const struct fabric *f = l->fabric;

	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].lossless && f->at[i].dscp >> dscp & 1)
			return true;
	return false;
}

static bool data_on_lossy(struct lint *l)
{
	const struct cell *map = chain_map(l), *pfc = lint_cell(l, "qos.pfc");
	uint64_t dscps, set;
	struct pos where;

	if (!map || !pfc)
		return false;
	set = (uint64_t)pfc->value.num;
	dscps = chain_data(l, &where);
	if (!dscps && set)
		dscps = lossy_entries(l, map->value.map, set);
	for (unsigned i = 0; i < DSCPS; i++)
		if (dscps >> i & 1 && map->value.map[i] != VALUE_UNSET && !(set >> map->value.map[i] & 1) &&
		    (set || is_lossless_class(l, i)))	/* RoCE without any PFC is a choice, unless a class says else */
			tell_lossy(l, i, map, pfc);
	return true;
}

static bool data_not_mapped(struct lint *l)
{
	const struct cell *map = chain_map(l);
	uint64_t set, dscps;
	struct pos where;

	if (!map || !lint_set(l, "qos.pfc", &set) || !set)
		return false;
	dscps = chain_data(l, &where);
	for (unsigned i = 0; i < DSCPS; i++)
		if (dscps >> i & 1 && map->value.map[i] == VALUE_UNSET)
			lint_find(l, &map->pos,
				  "RoCE DSCP %u is not named in the map, so its priority is whatever the port has", i);
	return dscps;
}

/* A traffic class is one queue: what PFC stops there stops for all that share it. */
static bool lossless_shares_tc(struct lint *l)
{
	const struct cell *map = chain_map(l), *tc = lint_cell(l, "qos.tc");
	uint64_t set, used = 0;

	if (!map || !tc || !lint_set(l, "qos.pfc", &set))
		return false;
	for (unsigned i = 0; i < DSCPS; i++)
		used |= map->value.map[i] != VALUE_UNSET ? chain_bit(map->value.map[i]) : 0;
	for (unsigned p = 0; p < PRIORITIES; p++)
		for (unsigned q = 0; q < PRIORITIES; q++)
			if (set >> p & 1 && !(set >> q & 1) && used >> q & 1 && tc->value.map[p] != VALUE_UNSET &&
			    tc->value.map[p] == tc->value.map[q])
				lint_find(l, &tc->pos, "lossless priority %u and lossy priority %u share traffic class %u", p, q,
					  tc->value.map[p]);
	return true;
}

static bool too_many_classes(struct lint *l)
{
	uint64_t set = fabric_pfc(l->fabric);
	const struct traffic_class *last = NULL;

	for (size_t i = 0; i < l->fabric->n; i++)
		last = l->fabric->at[i].lossless ? &l->fabric->at[i] : last;
	if (__builtin_popcountll(set) > LOSSLESS_MOST)
		lint_find(l, &last->pos, "%d lossless classes, on priorities %s: buffers hold headroom for two",
			  __builtin_popcountll(set), lint_priorities(l, set));
	return last;
}

static bool too_many(struct lint *l)
{
	const struct cell *pfc = lint_cell(l, "qos.pfc");
	int n = pfc ? __builtin_popcountll((uint64_t)pfc->value.num) : 0;

	if (n > LOSSLESS_MOST)
		lint_find(l, &pfc->pos, "%d lossless priorities %s: buffers hold headroom for two", n,
			  lint_priorities(l, (uint64_t)pfc->value.num));
	return pfc;
}

static bool cnp_lossless(struct lint *l)
{
	const struct traffic_class *cnp = chain_class(l, "cnp");

	if (cnp && cnp->lossless)
		lint_find(l, &cnp->pos, "class cnp is lossless: PFC can pause the CNPs");
	return cnp;
}

static bool pause_with_pfc(struct lint *l)
{
	static const char *const names[] = { "pause.rx", "pause.tx" };
	bool said = false;
	uint64_t set;

	if (!lint_set(l, "qos.pfc", &set))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct cell *c = lint_cell(l, names[i]);

		said = said || c;
		if (c && c->value.num && set)
			lint_find(l, &c->pos, "%s is on, and PFC for %s: a port has one or the other", names[i],
				  lint_priorities(l, set));
	}
	return said;
}

/* By the least that any link needs, where the policy says no more of it. */
static bool pfc_without_buffer(struct lint *l)
{
	const struct cell *sizes = lint_cell(l, "buffer.sizes"), *prio = lint_cell(l, "buffer.prio");
	const struct cell *speed = lint_cell(l, "link.speed"), *cable = lint_cell(l, "buffer.cable"), *mtu = lint_cell(l, "mtu");
	struct headroom least;
	uint64_t set;

	if (!sizes || !prio || !lint_set(l, "qos.pfc", &set))
		return false;
	headroom_receive(&(const struct headroom_receive){ .speed_mbps = speed ? (unsigned)speed->value.num : 0,
							   .cable_m = cable ? (unsigned)cable->value.num : 0,
							   .mtu = mtu ? (unsigned)mtu->value.num : 0 }, &least);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		unsigned at = prio->value.map[p];
		int64_t bytes = at < AMOUNTS ? sizes->value.amount[at] : AMOUNT_UNSET;

		if (set >> p & 1 && bytes != AMOUNT_UNSET && (uint64_t)bytes < least.size)
			lint_find(l, &sizes->pos,
				  "priority %u has PFC and receive buffer %u, which has %" PRId64 " bytes: with at least %" PRIu64
				  " bytes of xoff it needs %" PRIu64, p, at, bytes, least.xoff, least.size);
	}
	return true;
}

const struct lint_rule lint_lossless[] = {
	{ { "data-dscp-not-lossless", SEVERITY_ERROR,
	    "Without PFC on the priority of its DSCP, RoCE drops under load, and a priority that nothing uses may be "
	    "paused.",
	    "IEEE 802.1Qbb; the chain DSCP, priority, PFC must close", NULL, "qos.dscp (trust dscp) and qos.pfc" },
	  AFTER("tos-taken-for-dscp"),
	  .group = data_on_lossy },
	{ { "data-dscp-not-mapped", SEVERITY_WARNING,
	    "What a port does with a DSCP that no entry names differs by driver.",
	    "drivers: mlx5 has what its hidden map holds, DSCP >> 3 at first; hns3 priority 0",
	    "name it in qos.dscp, with a lossless priority",
	    "qos.dscp (trust dscp), qos.pfc, and a DSCP of data: roce.tos or a lossless class" },
	  AFTER("tos-taken-for-dscp"),
	  .group = data_not_mapped },
	{ { "lossless-shares-tc", SEVERITY_WARNING,
	    "One queue serves both: a pause stops the lossy traffic too, and that delays the lossless.",
	    "IEEE 802.1Qaz and 802.1Qbb: priorities are paused, traffic classes are served",
	    "give the lossless priority a traffic class of its own in qos.tc, with a share in qos.ets",
	    "qos.dscp (trust dscp), qos.tc and qos.pfc" },
	  AFTER("data-dscp-not-lossless"),
	  .group = lossless_shares_tc },
	{ { "too-many-lossless", SEVERITY_WARNING,
	    "Each lossless priority reserves headroom for a whole round trip; with three the shared buffer is gone.",
	    "\"RDMA over Commodity Ethernet at Scale\" (SIGCOMM 2016): two lossless classes",
	    "put what may drop on a lossy priority", "lossless classes or qos.pfc" },
	  .fabric = too_many_classes,
	  .group = too_many },
	{ { "cnp-class-lossless", SEVERITY_WARNING,
	    "A paused CNP comes too late to slow the sender down, and so prolongs the pause.",
	    "DCQCN (SIGCOMM 2015): CNPs travel with high priority", "take lossless from class cnp, and make it strict",
	    "a class cnp" },
	  .fabric = cnp_lossless },
	{ { "pause-with-pfc", SEVERITY_ERROR,
	    "Global pause stops every class; drivers turn one off when the other comes.",
	    "IEEE 802.1Qbb 36.1; on mlx5 both are one register", "set pause: {rx: false, tx: false}",
	    "qos.pfc and pause" },
	  .group = pause_with_pfc },
	{ { "pfc-without-buffer", SEVERITY_ERROR,
	    "What arrives after the pause was sent has no room: it is dropped, or the driver refuses the buffer.",
	    "mlx5 driver, en/port_buffer.c: xoff + the largest frame + a cell",
	    "make it larger, or leave its size to buffer.cable", "buffer.sizes, buffer.prio and qos.pfc" },
	  .group = pfc_without_buffer },
	{ .is.name = NULL },
};
