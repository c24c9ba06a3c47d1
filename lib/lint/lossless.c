/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain that makes RoCE lossless: DSCP, priority, PFC. Which DSCP carries data is said by roce.tos or the lossless
 * classes of the fabric; where neither says, by the entries of a map that was written for a port with PFC.
 */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "fabric/fabric.h"
#include "fabric/headroom.h"
#include "lint/chain.h"
#include "model/record.h"

enum { LOSSLESS_MOST = 2 };

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

/* All DSCPs of @lossy that go to the priority of the first one: they have one cause. */
static uint64_t alike(const struct cell *map, uint64_t lossy)
{
	unsigned priority = map->value.map[chain_first(lossy)];

	for (unsigned i = 0; i < DSCPS; i++)
		if (map->value.map[i] != priority)
			lossy &= ~chain_bit(i);
	return lossy;
}

static bool is_lossless_class(const struct lint *l, unsigned dscp)
{
	const struct fabric *f = l->fabric;

	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].lossless && f->at[i].dscp >> dscp & 1)
			return true;
	return false;
}

static bool is_paused(const uint8_t *map, uint64_t pfc, unsigned dscp)
{
	return map[dscp] != VALUE_UNSET && pfc >> map[dscp] & 1;
}

/*
 * What roce.tos was rather to be, where the chain behind it is whole: the lossless class in place of another one, and in
 * place of what nobody marked a DSCP that the map sends to PFC. NULL: it is as good as any.
 */
static const char *better_tos(const struct lint *l, const uint8_t *map, uint64_t pfc, unsigned dscp)
{
	const struct fabric *f = l->fabric;

	if (!lint_cell(l, "roce.tos"))
		return NULL;
	for (size_t i = 0; f && i < f->n && !is_lossless_class(l, dscp); i++)
		if (f->at[i].lossless && f->at[i].dscp && is_paused(map, pfc, chain_first(f->at[i].dscp)))
			return f->at[i].name;
	for (unsigned i = 1; i < DSCPS && !dscp; i++)
		if (is_paused(map, pfc, i))
			return arena_printf(l->d->arena, "%u, which is DSCP %u", i << 2, i);
	return NULL;
}

/* PFC where everybody's packets go is no way out. */
static void hint_lossy(struct lint *l, const struct cell *map, uint64_t pfc, unsigned dscp)
{
	const char *tos = better_tos(l, map->value.map, pfc, dscp), *names = lint_priorities(l, pfc);
	unsigned priority = map->value.map[dscp];

	if (tos)
		diag_hint(l->d, "mark RoCE with a DSCP that goes to %s: roce.tos: %s", names, tos);
	else if (!pfc)
		diag_hint(l->d, "turn PFC on for priority %u (qos.pfc: [%u]), or take lossless from the class of DSCP %u", priority,
			  priority, dscp);
	else if (priority == map->value.map[0])
		diag_hint(l->d, "map DSCP %u to one of %s (qos.dscp: {%u: %u})", dscp, names, dscp, chain_first(pfc));
	else
		diag_hint(l->d, "turn PFC on for priority %u (qos.pfc: [%u]), or map DSCP %u to one of %s (qos.dscp: {%u: %u})", priority,
			  priority, dscp, names, dscp, chain_first(pfc));
}

static void tell_lossy(struct lint *l, uint64_t dscps, const struct cell *map, const struct cell *pfc)
{
	uint64_t set = (uint64_t)pfc->value.num;
	const char *which = lint_dscps(l, dscps), *go = dscps & (dscps - 1) ? "go" : "goes";
	unsigned dscp = chain_first(dscps), priority = map->value.map[dscp];
	struct diag *one;

	one = lint_find(l, &pfc->pos, "RoCE %s %s to priority %u (line %u), but PFC is on for %s only: RoCE would be lossy", which, go,
			priority, map->pos.line, lint_priorities(l, set));
	if (!one)
		return;
	one->other = map->pos;
	one->other_what = arena_printf(l->d->arena, "%s %s to priority %u here", which, go, priority);
	hint_lossy(l, map, set, dscp);
}

/* Nobody says which DSCP carries data, and none goes where PFC is on. */
static void tell_no_entry(struct lint *l, const struct cell *map, const struct cell *pfc)
{
	uint64_t set = (uint64_t)pfc->value.num;
	struct diag *one;

	one = lint_find(l, &pfc->pos, "PFC is on for %s only, and the map sends no DSCP there (line %u): RoCE would be lossy",
			lint_priorities(l, set), map->pos.line);
	if (!one)
		return;
	one->other = map->pos;
	one->other_what = "the map";
	diag_hint(l->d, "map the DSCP of RoCE to priority %u, such as qos.dscp: {26: %u}", chain_first(set), chain_first(set));
}

static bool data_on_lossy(struct lint *l)
{
	const struct cell *map = chain_map(l), *pfc = lint_cell(l, "qos.pfc");
	uint64_t dscps, set, lossy = 0;
	struct pos where;

	if (!map || !pfc)
		return false;
	set = (uint64_t)pfc->value.num;
	dscps = chain_data(l, &where);
	if (!dscps && set)
		lossy = lossy_entries(l, map->value.map, set);
	if (lossy & (lossy - 1)) {
		tell_no_entry(l, map, pfc);
		return true;
	}
	for (unsigned i = 0; i < DSCPS; i++)
		if (dscps >> i & 1 && map->value.map[i] != VALUE_UNSET && !(set >> map->value.map[i] & 1) &&
		    (set || is_lossless_class(l, i)))	/* RoCE without any PFC is a choice, unless a class says else */
			lossy |= chain_bit(i);
	for (uint64_t same; lossy; lossy &= ~same) {
		same = alike(map, lossy);
		tell_lossy(l, same, map, pfc);
	}
	return true;
}

static bool data_not_mapped(struct lint *l)
{
	const struct cell *map = chain_map(l);
	uint64_t set, dscps, unnamed = 0;
	struct pos where;

	if (!map || !lint_set(l, "qos.pfc", &set) || !set)
		return false;
	dscps = chain_data(l, &where);
	for (unsigned i = 0; i < DSCPS; i++)
		unnamed |= map->value.map[i] == VALUE_UNSET ? dscps & chain_bit(i) : 0;
	if (unnamed)
		lint_find(l, &map->pos, "RoCE %s %s not named in the map, so %s priority is whatever the port has",
			  lint_dscps(l, unnamed), unnamed & (unnamed - 1) ? "are" : "is", unnamed & (unnamed - 1) ? "their" : "its");
	return dscps;
}

/* --- what nobody marked, and what must not wait ------------------------------- */

/* A class that lossless traffic shares with everything that nobody marked. */
static bool rest_of_classes(struct lint *l)
{
	bool any = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		any = any || c->lossless;
		if (c->lossless && (c->dscp & 1 || !strcmp(c->name, CLASS_DEFAULT)))
			lint_find(l, &c->pos, "class %s is lossless, and takes DSCP 0: every packet that nobody marked", c->name);
		else if (c->lossless && !c->priority)
			lint_find(l, &c->pos, "class %s is lossless on priority 0: that of every frame without a tag", c->name);
	}
	return any;
}

/* On ports that sort by the tag a class needs none. */
static bool class_without_dscp(struct lint *l)
{
	bool any = false;

	if (chain_by_pcp(l))
		return false;
	for (size_t i = 0; l->fabric && i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		any = any || c->lossless;
		if (c->lossless && !c->dscp)
			lint_find(l, &c->pos, "class %s is lossless, but has no DSCP: only tagged frames could be in it", c->name);
	}
	return any;
}

static bool control_on_lossless(struct lint *l)
{
	bool any = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		any = any || c->lossless;
		if (!strcmp(c->name, CLASS_CNP))
			continue;		/* that it is lossless is the fault */
		if (c->lossless && c->priority == PRIORITY_CONTROL)
			lint_find(l, &c->pos, "class %s is lossless on priority %d, that of the network's own control", c->name,
				  PRIORITY_CONTROL);
		else if (c->lossless && c->dscp >> DSCP_CS6 & 1)
			lint_find(l, &c->pos, "class %s is lossless, and takes DSCP %d: routing protocols", c->name, DSCP_CS6);
		else if (c->lossless && c->dscp >> DSCP_CS7 & 1)
			lint_find(l, &c->pos, "class %s is lossless, and takes DSCP %d: the network's own control", c->name, DSCP_CS7);
	}
	return any;
}

/* A traffic class is one queue: what PFC stops there stops for all that share it. */
static bool classes_share_tc(struct lint *l)
{
	const struct fabric *f = l->fabric;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->n; k++)
			if (f->at[i].lossless && !f->at[k].lossless && f->at[i].tc == f->at[k].tc)
				lint_find(l, &f->at[i].pos, "lossless class %s and lossy class %s share traffic class %d", f->at[i].name,
					  f->at[k].name, f->at[i].tc);
	return f->n > 1;
}

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
	const struct traffic_class *cnp = chain_class(l, CLASS_CNP);

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
	{ { "lossless-best-effort", SEVERITY_WARNING,
	    "Any program fills the lossless buffers then, and each pause stops ssh and storage along with RoCE.",
	    "RFC 2474: DSCP 0 is the default; IEEE 802.1Q: so is priority 0", "give RoCE a DSCP and a priority of its own",
	    "a lossless class" },
	  .fabric = rest_of_classes },
	{ { "lossless-without-dscp", SEVERITY_WARNING,
	    "RoCEv2 is mostly untagged, and known by its DSCP alone: it would travel in another class, and be lost there.",
	    "one policy for both ends of the wire",
	    "name the DSCP that RoCE is marked with, such as dscp: [26]; ports that sort by VLAN tag say qos: {trust: pcp}",
	    "a lossless class, and a group that does not say trust: pcp" },
	  AFTER("lossless-best-effort"),
	  .group = class_without_dscp },
	{ { "lossless-network-control", SEVERITY_WARNING,
	    "A pause would hold back routing and spanning tree too, and a link that is slow becomes one that is lost.",
	    "IEEE 802.1Q, traffic types: 7 is network control; RFC 4594: CS6 is routing",
	    "put RoCE on another priority and DSCP, such as 3 and 26", "a lossless class" },
	  AFTER("lossless-best-effort"),
	  .fabric = control_on_lossless },
	{ { "data-dscp-not-lossless", SEVERITY_ERROR,
	    "Without PFC on the priority of its DSCP, RoCE drops under load, and a priority that nothing uses may be "
	    "paused.",
	    "IEEE 802.1Qbb; the chain DSCP, priority, PFC must close", NULL, "qos.dscp (trust dscp) and qos.pfc" },
	  AFTER("tos-taken-for-dscp", "data-with-cnp", "lossless-best-effort", "lossless-without-dscp"),
	  .group = data_on_lossy },
	{ { "data-dscp-not-mapped", SEVERITY_WARNING,
	    "What a port does with a DSCP that no entry names differs by driver.",
	    "drivers: mlx5 has what its hidden map holds, DSCP >> 3 at first; hns3 priority 0",
	    "name it in qos.dscp, with a lossless priority",
	    "qos.dscp (trust dscp), qos.pfc, and a DSCP of data: roce.tos or a lossless class" },
	  AFTER("tos-taken-for-dscp", "lossless-best-effort"),
	  .group = data_not_mapped },
	{ { "lossless-shares-tc", SEVERITY_WARNING,
	    "One queue serves both: a pause stops the lossy traffic too, and that delays the lossless.",
	    "IEEE 802.1Qaz and 802.1Qbb: priorities are paused, traffic classes are served",
	    "give the lossless priority a traffic class of its own in qos.tc, with a share in qos.ets",
	    "two classes; or qos.dscp (trust dscp), qos.tc and qos.pfc" },
	  AFTER("data-dscp-not-lossless", "lossless-best-effort"),
	  .fabric = classes_share_tc,
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
