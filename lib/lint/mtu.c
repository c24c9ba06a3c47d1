/* SPDX-License-Identifier: Apache-2.0 */
/* MTUs that are good for IP and give RoCE less than was meant; frames that switches would not pass. */
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/facts.h"
#include "model/record.h"

enum { ROCE_MTU_MOST = 4096, ROCE_MTU_LEAST = 256, ROUND = 100 };

/* 4192 is enough for 4096, but people remember 4200. */
static unsigned rounded(unsigned mtu)
{
	return (mtu + ROUND - 1) / ROUND * ROUND;
}

/* Just below a step: within the RoCE headers of the next path MTU, which was surely meant. */
static bool below_a_step(struct lint *l)
{
	const struct cell *c = lint_cell(l, "mtu");
	unsigned overhead = catalog_vendor(l->catalog, l->group->driver)->roce_overhead, mtu, roce, next;

	if (!c)
		return false;
	mtu = (unsigned)c->value.num;
	roce = frames_roce_mtu(mtu, overhead);
	next = roce ? 2 * roce : ROCE_MTU_LEAST;
	if (next > ROCE_MTU_MOST || (roce && mtu < next))
		return true;
	if (roce)
		lint_find(l, &c->pos, "netdev MTU %u yields RoCE MTU %u; set %u", mtu, roce,
			  rounded(frames_netdev_mtu(next, overhead)));
	else
		lint_find(l, &c->pos, "netdev MTU %u leaves no room for RoCE; set at least %u", mtu,
			  frames_netdev_mtu(next, overhead));
	return true;
}

static bool frame_small(struct lint *l)
{
	const struct cell *frame = fabric_says(l->link->has, FABRIC_FRAME);
	unsigned mtu = (unsigned)l->fabric->mtu;

	if (!frame || !mtu)
		return false;
	if (frame->value.num < frames_of_mtu(mtu, 0) &&
	    lint_find(l, &frame->pos, "frame %u is less than the %u that MTU %u makes: header 14, check sequence 4",
		      (unsigned)frame->value.num, frames_of_mtu(mtu, 0), mtu))
		diag_hint(l->d, "write frame: %u or more (with one tag), or leave it out", frames_of_mtu(mtu, 1));
	return true;
}

static bool frame_without_tag(struct lint *l)
{
	const struct cell *frame = fabric_says(l->link->has, FABRIC_FRAME);
	unsigned mtu = (unsigned)l->fabric->mtu;

	if (!frame || !mtu)
		return false;
	if (frame->value.num < frames_of_mtu(mtu, 1))
		lint_find(l, &frame->pos, "frame %u holds MTU %u, but not with a VLAN tag, which makes %u",
			  (unsigned)frame->value.num, mtu, frames_of_mtu(mtu, 1));
	return true;
}

static bool mtu_not_of_fabric(struct lint *l)
{
	const struct cell *mtu = lint_cell(l, "mtu");
	const struct port *port = l->group->port;
	struct diag *one;

	if (!mtu || !l->fabric || !l->fabric->mtu || (port && port->link_layer == LINK_LAYER_INFINIBAND))
		return false;
	if (mtu->value.num == l->fabric->mtu)
		return true;
	one = lint_find(l, &mtu->pos, "mtu %u differs from the fabric's %u", (unsigned)mtu->value.num,
			(unsigned)l->fabric->mtu);
	if (one) {
		one->other = l->fabric->mtu_pos;
		one->other_what = "the fabric's";
	}
	return true;
}

const struct lint_rule lint_mtu[] = {
	{ { "switch-frame-below-mtu", SEVERITY_ERROR,
	    "The switch drops every full packet, and small ones hide it: pings pass, transfers hang.",
	    "IEEE 802.3: frame = MTU + 14, + 4 for each tag, + 4 check sequence", NULL,
	    "the fabric's mtu and a tier's frame" },
	  .link = frame_small },
	{ { "switch-frame-without-tag", SEVERITY_NOTE, "On a VLAN full packets would be dropped.",
	    "IEEE 802.1Q: 4 bytes for a tag", "add 4 bytes if any port of the fabric is in a VLAN",
	    "the fabric's mtu and a tier's frame" },
	  AFTER("switch-frame-below-mtu"),
	  .link = frame_without_tag },
	{ { "mtu-not-of-fabric", SEVERITY_ERROR,
	    "Peers with different MTUs agree on the smaller one, or lose every large packet where no one says so.",
	    "one MTU on NIC, switch and router",
	    "write mtu: fabric, or change the fabric's; ports of another network say fabric: null",
	    "the fabric's mtu and mtu" },
	  AFTER("switch-frame-below-mtu"),
	  .group = mtu_not_of_fabric },
	{ { "roce-mtu-below-step", SEVERITY_WARNING,
	    "RoCE takes its headers off the netdev MTU and rounds down to a power of two, so that a few bytes halve "
	    "it.",
	    "kernel ib_addr.h, ib_pack.h: 40 + 8 + 12 + 4 + 28 + 4 = 96 bytes on most drivers",
	    "RoCE headers come on top of the RoCE MTU; the switches' frame size must hold the larger one too", "mtu" },
	  AFTER("mtu-not-of-fabric"),
	  .group = below_a_step },
	{ .is.name = NULL },
};
