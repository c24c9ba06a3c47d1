/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause.rx, pause.tx: global flow control (802.3x), by ethtool netlink (PAUSE_GET, PAUSE_SET). It and PFC exclude each
 * other: ice and hns3 refuse to change it while PFC is on, mlx5 has both in one register (vendors/mlx5.c).
 */
#include "settings/pause.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "kernel/ethnl.h"
#include "settings/dcb.h"
#include "settings/writing.h"

#define VIA "ethtool netlink PAUSE_GET"

static const struct field fields[] = {
	[PAUSE_RX] = { "pause.rx", KIND_BOOL, .doc = "obey global pause frames; false where PFC is on" },
	[PAUSE_TX] = { "pause.tx", KIND_BOOL, .doc = "send global pause frames; false where PFC is on" },
	{ 0 },
};

int pause_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct ethnl_pause *pause;
	int err = 0;

	(void)d;
	if (!*p->target->ifname) {
		part_reasons(p,
			     p->target->port->link_layer == LINK_LAYER_INFINIBAND ? REASON_DRIVER_LACKS
										  : REASON_UNREADABLE,
			     VIA, "this port has no netdev in this network namespace");
		return 0;
	}
	pause = ethnl_pause(k, p->target->ifindex, &err);
	if (pause) {
		part_num(p, PAUSE_RX, pause->rx, VIA);
		part_num(p, PAUSE_TX, pause->tx, VIA);
		return 0;
	}
	if (err == -ENOENT)
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "this kernel has no ethtool netlink");
	else if (err == -EOPNOTSUPP)
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "the driver has no global pause");
	else if (err == -ENODATA)
		part_reasons(p, REASON_NOT_RECORDED, VIA, "netlink was not asked");
	else
		part_reasons(p, reason_of(err), VIA, "%s", strerror(-err));
	return 0;
}

static int pause_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_pause);
	struct writing_link link = writing_link(k, c->target);
	bool rx, tx;
	const struct cell *first = &want->at[want->at[PAUSE_RX].state == CELL_VALUE ? PAUSE_RX : PAUSE_TX];
	const struct ethnl_pause *pause;
	size_t told = d->n;
	int err = 0, r;

	pause = ethnl_pause(k, c->target->ifindex, &err);
	if (!pause)
		return writing_told(c, first, d, told, err < 0 ? err : -EOPNOTSUPP);
	rx = record_num(want, PAUSE_RX, pause->rx);
	tx = record_num(want, PAUSE_TX, pause->tx);
	if (rx == pause->rx && tx == pause->tx)
		return 0;
	r = ethnl_set_pause(k, c->target->ifname, pause->autoneg, rx, tx, d);
	if (r == 0)
		writing_wait_link(k, c, link, d);
	return writing_told(c, first, d, told, r);
}

/* Global pause wanted where PFC is on, or comes with this very change: a device holds one of the two. */
static int pause_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_pause);
	const struct dcb *dcb;
	bool on;

	(void)d;
	if (!want)
		return 0;
	on = record_num(want, PAUSE_RX, 0) || record_num(want, PAUSE_TX, 0);
	if (on && dcbnl_get(k, c->target->ifname, &dcb) == 0 && dcb->has_pfc && dcb->pfc.pfc_en)
		change_refuse(c, REFUSED_IMPOSSIBLE,
			      "PFC is on, and it excludes global pause: pause: {rx: false, tx: false}, or pfc: []");
	return 0;
}

static int pause_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	(void)d;
	for (unsigned i = 0; w->fabric && i < want->n; i++)
		if (want->at[i].state == CELL_FABRIC)
			cell_set_num(&want->at[i], 0);
	return 0;
}

const struct setting setting_pause = {
	.name = "pause",
	.why = "Global pause stops every class of a port, the lossless one and the one that it waits for.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = {.object = "pause",
		 .read = pause_read,
		 .write = pause_write,
		 .weigh = pause_weigh,
		 .impact = IMPACT_TRAFFIC,
		 .interface = "ethtool netlink PAUSE_GET, PAUSE_SET" },
	.derive = pause_derive,
};
