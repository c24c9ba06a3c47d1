/* SPDX-License-Identifier: Apache-2.0 */
/* MTUs that are good for IP and give RoCE less than was meant. */
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"

enum { ROCE_MTU_MOST = 4096, ROCE_MTU_LEAST = 256, ROUND = 100 };

/* 4192 is enough for 4096, but people remember 4200. */
static unsigned rounded(unsigned mtu)
{
	return (mtu + ROUND - 1) / ROUND * ROUND;
}

/* Just below a step: within the RoCE headers of the next path MTU, which was surely meant. */
static void below_a_step(struct lint *l)
{
	const struct cell *c = lint_cell(l, "mtu");
	unsigned overhead = catalog_vendor(l->catalog, l->group->driver)->roce_overhead, mtu, roce, next;

	if (!c)
		return;
	mtu = (unsigned)c->value.num;
	roce = frames_roce_mtu(mtu, overhead);
	next = roce ? 2 * roce : ROCE_MTU_LEAST;
	if (next > ROCE_MTU_MOST || (roce && mtu < next))
		return;
	if (roce)
		lint_find(l, &c->pos, "netdev MTU %u yields RoCE MTU %u; set %u", mtu, roce,
			  rounded(frames_netdev_mtu(next, overhead)));
	else
		lint_find(l, &c->pos, "netdev MTU %u leaves no room for RoCE; set at least %u", mtu,
			  frames_netdev_mtu(next, overhead));
}

const struct lint_rule lint_mtu[] = {
	{ "roce-mtu-below-step", SEVERITY_WARNING,
	  "RoCE takes its headers off the netdev MTU and rounds down to a power of two, so that a few bytes halve it.",
	  "kernel ib_addr.h, ib_pack.h: 40 + 8 + 12 + 4 + 28 + 4 = 96 bytes on most drivers",
	  "RoCE headers come on top of the RoCE MTU; the switches' frame size must hold the larger one too",
	  below_a_step },
	{ 0 },
};
