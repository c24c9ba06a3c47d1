/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other end of a switch's headroom: what a receive buffer of the node's own adapter needs to be lossless. The rule is
 * that of the mlx5 driver (en/port_buffer.c), in whole numbers and rounded where the driver rounds, since a byte less is
 * refused there: xoff = (301 + 2.16 a metre) for each Gb/s, 40 at least, + 2.72 times the MTU; and above xoff the largest
 * frame that may come, 9216 bytes at least, and a cell. The device keeps whole cells, and the driver judges what it kept by the
 * next write of PFC: what is not whole is filled up.
 */
#include "fabric/headroom.h"

enum { SPEED_LEAST_MBPS = 40000, FRAME_LEAST = 9216, DELAY = 301 };

static uint64_t term(struct headroom *h, const char *name, const char *how, uint64_t bytes)
{
	h->term[h->n++] = (struct headroom_term){ name, how, (double)bytes, "bytes" };
	return bytes;
}

void headroom_receive(const struct headroom_receive *r, struct headroom *h)
{
	uint64_t speed = r->speed_mbps > SPEED_LEAST_MBPS ? r->speed_mbps : SPEED_LEAST_MBPS;

	*h = (struct headroom){ 0 };
	h->xoff = term(h, "in_flight", "(301 + 2.16 * cable) * Gb/s", (DELAY + UINT64_C(216) * r->cable_m / 100) * speed / 1000);
	h->xoff += term(h, "frames", "2.72 * MTU", UINT64_C(272) * r->mtu / 100);
	h->size = h->xoff + term(h, "max_frame", "the largest MTU of the netdev, 9216 at least",
				 r->max_mtu > FRAME_LEAST ? r->max_mtu : FRAME_LEAST);
	h->size += term(h, "cell", "one cell", HEADROOM_RECEIVE_CELL);
	h->size += term(h, "rest", "to whole cells", (HEADROOM_RECEIVE_CELL - h->size % HEADROOM_RECEIVE_CELL) % HEADROOM_RECEIVE_CELL);
}
