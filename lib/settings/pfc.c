/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qos.pfc: the priorities with priority flow control (dcb netlink, DCB_ATTR_IEEE_PFC). The struct also holds the
 * delay, in bit times on paper and metres of cable on mlx5: it is written back as read.
 *
 * What surprises: mlx5 toggles the physical link whenever the mask differs, and the same write turns global pause off
 * (vendors/mlx5.c has both as one object). bnxt takes PFC only after ETS (vendors/bnxt.c), no more priorities than it
 * has lossless queues, and answers 0 until its driver has set PFC once. hns3 does not refuse more than it can.
 */
#include "settings/pfc.h"

#include <errno.h>

#include "base/diag.h"
#include "fabric/fabric.h"
#include "fabric/sketch.h"
#include "settings/dcb.h"
#include "settings/pause.h"
#include "settings/writing.h"

#define UNSET_WHY "this driver answers 0 until it has set PFC once, whatever the hardware holds"

/* A text beside the number: the device does not know it (UNSET_WHY), so that it satisfies no wish but that of an undo. */
static bool same_mask(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->num == have->num && (want->text || !have->text);
}

static const struct field fields[] = {
	[QOS_PFC] = { "qos.pfc", KIND_SET, .max = 7, .same = same_mask,
		     .doc = "priorities that are paused one by one instead of dropping; [] is none" },
	{ 0 },
};

int pfc_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct dcb *dcb = dcb_ask(k, p);

	(void)d;
	if (!dcb)
		return 0;
	if (!dcb->has_pfc)
		dcb_missing(p, "PFC");
	else if (dcb_unset(p->target, dcb) && !record_has(p->want, QOS_PFC))
		part_reasons(p, REASON_UNREADABLE, DCB_VIA, "%s", UNSET_WHY);
	else
		part_num(p, QOS_PFC, dcb->pfc.pfc_en, DCB_VIA);
	if (dcb->has_pfc && dcb_unset(p->target, dcb) && record_has(p->have, QOS_PFC))
		p->have->at[QOS_PFC].value.text = p->have->at[QOS_PFC].because = UNSET_WHY;
	return 0;
}

int pfc_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = &change_want(c, &setting_pfc)->at[QOS_PFC];
	struct writing_link link = writing_link(k, c->target);
	size_t told = d->n;
	const struct dcb *dcb;
	struct ieee_pfc pfc;
	int r;

	r = dcbnl_get(k, c->target->ifname, &dcb);
	if (r == 0 && !dcb->has_pfc)
		r = -EIO;		/* read a moment ago: the delay would be written as zero */
	if (r < 0)
		return writing_told(c, want, d, told, r);
	if (dcb->pfc.pfc_en == want->value.num && (c->undo || !dcb_unset(c->target, dcb)))
		return 0;
	pfc = dcb->pfc;
	pfc.pfc_en = (uint8_t)want->value.num;
	r = dcbnl_set_pfc(k, c->target->ifname, &pfc, d);
	if (r == 0)
		writing_wait_link(k, c, link, d);
	return writing_told(c, want, d, told, r);
}

int pfc_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_pfc);
	const struct dcb_manners *m = dcb_manners_of(c->target);
	const struct dcb *dcb;
	unsigned mask, n;

	(void)d;
	if (!want || !change_differs(c, &setting_pfc, QOS_PFC) || dcb_refused(k, c) ||
	    dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return 0;
	mask = (unsigned)record_num(want, QOS_PFC, 0);
	n = (unsigned)__builtin_popcount(mask);
	if (dcb->pfc.pfc_cap && n > dcb->pfc.pfc_cap)
		return change_refuse(c, REFUSED_IMPOSSIBLE,
				     "%u priorities with PFC, and this device can have %u: correct qos.pfc", n,
				     dcb->pfc.pfc_cap);
	if (mask != dcb->pfc.pfc_en || c->again)
		change_costs(c, m->pfc_impact, m->pfc_does);
	return 0;
}

static int pfc_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	(void)d;
	if (w->fabric && want->at[QOS_PFC].state == CELL_FABRIC)
		cell_set_num(&want->at[QOS_PFC], fabric_pfc(w->fabric));
	return 0;
}

/* The union: on the way no class that is lossless before and after may be lossy. */
static void pfc_grow(const struct record *have, const struct record *want, struct record *both)
{
	if (record_has(have, QOS_PFC) && record_has(want, QOS_PFC))
		cell_set_num(&both->at[QOS_PFC], record_num(have, QOS_PFC, 0) | record_num(want, QOS_PFC, 0));
}

static const struct setting *const disturbed[] = { &setting_pause, NULL };

static void pfc_suggest(const struct record *have, struct fabric_sketch *s)
{
	s->pfc = (uint8_t)record_num(have, QOS_PFC, 0);
}

const struct setting setting_pfc = {
	.name = "pfc",
	.why = "A lossless class without PFC drops under load; PFC that the switch does not expect pauses the fabric.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .object = "pfc", .read = pfc_read, .write = pfc_write, .weigh = pfc_weigh, .disturbs = disturbed,
		  .interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_PFC" },
	.derive = pfc_derive,
	.suggest = pfc_suggest,
	.grow = pfc_grow,
};
