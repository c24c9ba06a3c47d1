/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MTUs. A RoCE packet carries a path MTU of payload behind its own headers, and the path MTU is a power of
 * two: most drivers take 96 bytes off the netdev MTU (GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4) and round down,
 * so that 4096 gives 2048.
 */
#include "fabric/frames.h"

enum { ROCE_MTU_MIN = 256, ROCE_MTU_MAX = 4096 };

unsigned frames_roce_mtu(unsigned netdev_mtu, unsigned overhead)
{
	unsigned mtu = ROCE_MTU_MAX;

	if (netdev_mtu < overhead || netdev_mtu - overhead < ROCE_MTU_MIN)
		return 0;
	while (mtu > netdev_mtu - overhead)
		mtu /= 2;
	return mtu;
}

unsigned frames_netdev_mtu(unsigned roce_mtu, unsigned overhead)
{
	return roce_mtu + overhead;
}

static unsigned around(unsigned tags)
{
	return FRAMES_HEADER + tags * FRAMES_TAG + FRAMES_FCS;
}

unsigned frames_of_mtu(unsigned mtu, unsigned tags)
{
	return mtu + around(tags);
}

unsigned frames_to_mtu(unsigned frame, unsigned tags)
{
	return frame > around(tags) ? frame - around(tags) : 0;
}
