/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qos.tc and qos.ets: which traffic class a priority uses, and the share of bandwidth of each class. Both are one
 * struct of dcb netlink (DCB_ATTR_IEEE_ETS), so they are read, changed and written together.
 *
 * What surprises: mlx5 resets ETS at every load, to TSA vendor with priorities 0 and 1 swapped. Linux 6.1 reports
 * 100 % for its strict and vendor classes, newer kernels 0: bandwidth is looked at only where the TSA is ETS. bnxt
 * answers zeros until its driver has set ETS once, whatever the hardware holds, and leaves the highest class out of
 * its own checks. The kernel's refusals have no words, hence the checks before the write.
 */
#include "settings/ets.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "fabric/fabric.h"
#include "fabric/sketch.h"
#include "settings/dcb.h"
#include "settings/writing.h"

#define TCS IEEE_8021QAZ_MAX_TCS

static const struct field fields[] = {
	[QOS_TC] = { "qos.tc", KIND_MAP, .max = 7, .span = 8,
		     .doc = "traffic class of each priority; priorities not named are kept" },
	[QOS_ETS] = { "qos.ets", KIND_SHARES, .doc = "of each traffic class: its share of bandwidth (40%), strict, or vendor: the "
					       "adapter's own way" },
	{ 0 },
};

/* --- reading ---------------------------------------------------------------- */

static uint8_t share_of(const struct ieee_ets *ets, unsigned tc)
{
	switch (ets->tc_tsa[tc]) {
	case IEEE_8021QAZ_TSA_STRICT:
		return SHARE_STRICT;
	case IEEE_8021QAZ_TSA_CB_SHAPER:
		return SHARE_CBS;
	case IEEE_8021QAZ_TSA_ETS:
		return ets->tc_tx_bw[tc] <= 100 ? ets->tc_tx_bw[tc] : SHARE_UNKNOWN;
	case IEEE_8021QAZ_TSA_VENDOR:
		return SHARE_VENDOR;
	default:
		return SHARE_UNKNOWN;
	}
}

/* Does the policy say all that a first write needs: each priority's class, and the share of each class so used? */
static bool given_whole(const struct record *want)
{
	if (!want)
		return false;
	for (unsigned i = 0; i < 8; i++) {
		uint8_t tc = record_at(want, QOS_TC, i, VALUE_UNSET);

		if (tc >= TCS || record_at(want, QOS_ETS, tc, VALUE_UNSET) == VALUE_UNSET)
			return false;
	}
	return true;
}

int ets_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct dcb *dcb = dcb_ask(k, p);
	uint8_t share[TCS];

	(void)d;
	if (!dcb)
		return 0;
	if (!dcb->has_ets) {
		dcb_missing(p, "ETS");
		return 0;
	}
	if (dcb_unset(p->target, dcb) && !given_whole(p->want)) {
		part_reasons(p, REASON_UNREADABLE, DCB_VIA,
			     "this driver answers zeros until it has set ETS once, whatever the hardware holds: "
			     "the policy must name the class of all 8 priorities and the share of each class used");
		return 0;
	}
	for (unsigned i = 0; i < TCS; i++)
		share[i] = share_of(&dcb->ets, i);
	part_map(p, QOS_TC, dcb->ets.prio_tc, TCS, DCB_VIA);
	part_map(p, QOS_ETS, share, TCS, DCB_VIA);
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

/* What a class holds is kept byte for byte unless the share is another one. */
static void share_to(struct ieee_ets *ets, unsigned tc, uint8_t share)
{
	static const uint8_t tsa[] = {
		[SHARE_STRICT - SHARE_STRICT] = IEEE_8021QAZ_TSA_STRICT,
		[SHARE_CBS - SHARE_STRICT] = IEEE_8021QAZ_TSA_CB_SHAPER,
		[SHARE_VENDOR - SHARE_STRICT] = IEEE_8021QAZ_TSA_VENDOR,
	};

	if (share == VALUE_UNSET || share >= SHARE_UNKNOWN || share == share_of(ets, tc))
		return;
	ets->tc_tsa[tc] = share <= 100 ? IEEE_8021QAZ_TSA_ETS : tsa[share - SHARE_STRICT];
	ets->tc_tx_bw[tc] = share <= 100 ? share : 0;
}

static bool tc_used(const struct ieee_ets *ets, unsigned tc)
{
	return memchr(ets->prio_tc, (int)tc, TCS) != NULL;
}

static bool takes_bandwidth(const struct record *want, const struct ieee_ets *ets, unsigned tc)
{
	return record_has(want, QOS_ETS) && record_at(want, QOS_ETS, tc, VALUE_UNSET) == VALUE_UNSET &&
	       ets->tc_tsa[tc] == IEEE_8021QAZ_TSA_ETS;
}

void ets_fill(const struct record *want, struct ieee_ets *ets)
{
	for (unsigned i = 0; i < TCS; i++) {
		ets->prio_tc[i] = record_at(want, QOS_TC, i, ets->prio_tc[i]);
		share_to(ets, i, record_at(want, QOS_ETS, i, VALUE_UNSET));
	}
	for (unsigned i = 0; i < TCS; i++)
		if (takes_bandwidth(want, ets, i) && !tc_used(ets, i))
			share_to(ets, i, SHARE_STRICT);
}

int ets_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_ets);
	struct writing_link link = writing_link(k, c->target);
	size_t told = d->n;
	const struct dcb *dcb;
	struct ieee_ets ets;
	int r;

	r = dcbnl_get(k, c->target->ifname, &dcb);
	if (r == 0 && !dcb->has_ets)
		r = -EIO;		/* read a moment ago: what is to be kept would be written as zeros */
	if (r < 0)
		return writing_told(c, &want->at[QOS_ETS], d, told, r);
	ets = dcb->ets;
	ets_fill(want, &ets);
	if (!memcmp(&ets, &dcb->ets, sizeof(ets)) && (c->undo || !dcb_unset(c->target, dcb)))
		return 0;
	r = dcbnl_set_ets(k, c->target->ifname, &ets, d);
	if (r < 0)
		return writing_told(c, &want->at[want->at[QOS_ETS].state == CELL_VALUE ? QOS_ETS : QOS_TC], d, told, r);
	writing_wait_link(k, c, link, d);
	return 0;
}

/* --- weighing --------------------------------------------------------------- */

static int priority_of(const struct ieee_ets *ets, unsigned tc)
{
	const uint8_t *at = memchr(ets->prio_tc, (int)tc, TCS);

	return at ? (int)(at - ets->prio_tc) : -1;
}

/* Return: was the change refused */
static bool refuse_classes(struct change *c, const struct ieee_ets *ets, const struct record *want)
{
	for (unsigned i = 0; i < TCS; i++)
		if (ets->ets_cap && ets->prio_tc[i] >= ets->ets_cap) {
			change_refuse(c, REFUSED_IMPOSSIBLE,
				      "priority %u would use traffic class %u, and this device has classes 0 to %u", i,
				      ets->prio_tc[i], ets->ets_cap - 1u);
			return true;
		}
	for (unsigned i = 0; i < TCS; i++)
		if (takes_bandwidth(want, ets, i) && ets->tc_tx_bw[i]) {
			change_refuse(c, REFUSED_IMPOSSIBLE,
				      "traffic class %u takes %u%% of the bandwidth and priority %d uses it, but "
				      "qos.ets does not name it: "
				      "give it a share, or strict",
				      i, ets->tc_tx_bw[i], priority_of(ets, i));
			return true;
		}
	return false;
}

static bool refuse_sum(struct change *c, const struct ieee_ets *ets)
{
	unsigned sum = 0;
	bool any = false;

	for (unsigned i = 0; i < TCS; i++)
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			sum += ets->tc_tx_bw[i];
			any = true;
		}
	if (!any || sum == 100)
		return false;
	change_refuse(c, REFUSED_IMPOSSIBLE, "the shares of bandwidth would sum to %u%%, not to 100%%: correct qos.ets",
		      sum);
	return true;
}

static unsigned highest_class(const struct ieee_ets *ets)
{
	unsigned highest = 0;

	for (unsigned i = 0; i < TCS; i++)
		highest = ets->prio_tc[i] > highest ? ets->prio_tc[i] : highest;
	return highest;
}

static bool refuse_manners(struct change *c, const struct ieee_ets *ets, const struct dcb_manners *m)
{
	unsigned highest = highest_class(ets);

	for (unsigned i = 0; i < TCS; i++) {
		bool share = ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS;

		if (m->no_zero_share && share && !ets->tc_tx_bw[i])
			change_refuse(c, REFUSED_IMPOSSIBLE,
				      "traffic class %u would have 0%%, and this driver wants 1%% at least", i);
		else if (m->strict_or_ets && !share && ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT)
			change_refuse(c, REFUSED_IMPOSSIBLE,
				      "traffic class %u is neither strict nor has a share, and this driver "
				      "takes nothing else: name it in qos.ets",
				      i);
		else if (m->ets_up_to_highest_tc && share && i > highest)
			change_refuse(c, REFUSED_IMPOSSIBLE,
				      "traffic class %u would have a share, but the highest class in use is %u, "
				      "and this driver refuses that",
				      i, highest);
		if (c->refused)
			return true;
	}
	return false;
}

void ets_check(struct change *c, const struct ieee_ets *now)
{
	const struct record *want = change_want(c, &setting_ets);
	struct ieee_ets ets = *now;

	ets_fill(want, &ets);
	if (refuse_classes(c, &ets, want) || !record_has(want, QOS_ETS) || refuse_sum(c, &ets))
		return;
	refuse_manners(c, &ets, dcb_manners_of(c->target));
}

/* Is there a difference that this driver does not take for free? */
static bool ets_costs(const struct change *c, const struct ieee_ets *now, const struct dcb_manners *m)
{
	struct ieee_ets then = *now;
	unsigned differs = 0;

	ets_fill(change_want(c, &setting_ets), &then);
	if (highest_class(now) != highest_class(&then))
		return true;
	differs |= memcmp(then.prio_tc, now->prio_tc, TCS) ? ETS_MAP : 0;
	differs |= memcmp(then.tc_tsa, now->tc_tsa, TCS) ? ETS_TSA : 0;
	differs |= memcmp(then.tc_tx_bw, now->tc_tx_bw, TCS) ? ETS_BANDWIDTH : 0;
	return differs & ~m->ets_free;
}

int ets_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct dcb_manners *m = dcb_manners_of(c->target);
	const struct dcb *dcb;

	(void)d;
	if (!change_want(c, &setting_ets) || dcb_refused(k, c) || dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return 0;
	if (ets_costs(c, &dcb->ets, m) || dcb_unset(c->target, dcb))
		change_costs(c, m->ets_impact, m->ets_does);
	if (dcb_unset(c->target, dcb))
		c->leaves = "the ETS that the hardware had: it cannot be read before the first set";
	ets_check(c, &dcb->ets);
	return 0;
}

/* --- wishes ----------------------------------------------------------------- */

static bool named(const uint8_t map[8])
{
	for (int i = 0; i < 8; i++)
		if (map[i] != VALUE_UNSET)
			return true;
	return false;
}

static void derive_map(const struct wishes *w, struct cell *c, const uint8_t map[8])
{
	if (c->state != CELL_FABRIC)
		return;
	if (named(map))
		cell_set_map(c, w->arena, map, 8);
	else
		c->state = CELL_SILENT;		/* the classes say nothing about it */
}

/*
 * A driver that answers zeros at first must be told all of it (given_whole): priorities of no class carry nothing under
 * the map of the classes, and go to the default one.
 */
static void complete(const struct wishes *w, uint8_t prio_tc[8])
{
	const struct traffic_class *rest = fabric_class(w->fabric, CLASS_DEFAULT);

	if (!rest || !dcb_manners_of(w->target)->zeros_until_set)
		return;
	for (unsigned i = 0; i < 8; i++)
		if (prio_tc[i] == VALUE_UNSET)
			prio_tc[i] = (uint8_t)rest->tc;
}

static int ets_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	uint8_t map[8];

	(void)d;
	if (!w->fabric)
		return 0;
	fabric_prio_tc(w->fabric, map);
	complete(w, map);
	derive_map(w, &want->at[QOS_TC], map);
	fabric_shares(w->fabric, map);
	derive_map(w, &want->at[QOS_ETS], map);
	return 0;
}

static void ets_suggest(const struct record *have, struct fabric_sketch *s)
{
	for (unsigned i = 0; i < 8; i++) {
		s->prio_tc[i] = record_at(have, QOS_TC, i, VALUE_UNSET);
		s->share[i] = record_at(have, QOS_ETS, i, VALUE_UNSET);
	}
}

const struct setting setting_ets = {
	.name = "ets",
	.why = "Without its share a class starves behind the others, and without its own traffic class it shares their "
	       "queue.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = {.object = "ets",
		 .read = ets_read,
		 .write = ets_write,
		 .weigh = ets_weigh,
		 .interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_ETS" },
	.derive = ets_derive,
	.suggest = ets_suggest,
};
