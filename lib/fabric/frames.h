/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of packets, the three ways of counting them: IP MTU (what a policy and a netdev say), frame (what a switch must
 * let pass, Ethernet header and check sequence included), RoCE MTU (payload, a power of two).
 */
#ifndef FABRIC_FRAMES_H
#define FABRIC_FRAMES_H

enum {
	FRAMES_HEADER = 14,		/* bytes: addresses and EtherType */
	FRAMES_TAG = 4,			/* one 802.1Q tag */
	FRAMES_FCS = 4,			/* frame check sequence */
};

/** frames_roce_mtu - RoCE path MTU of a netdev MTU: 256..4096, 0 if too small; @overhead 96, 80 or 0 bytes */
unsigned frames_roce_mtu(unsigned netdev_mtu, unsigned overhead);
/** frames_netdev_mtu - the least netdev MTU for a RoCE MTU */
unsigned frames_netdev_mtu(unsigned roce_mtu, unsigned overhead);
/** frames_of_mtu - bytes of the largest frame that an IP MTU makes, with @tags 802.1Q tags */
unsigned frames_of_mtu(unsigned mtu, unsigned tags);
/** frames_to_mtu - the largest IP MTU whose frames fit into @frame bytes with @tags tags; 0 if none does */
unsigned frames_to_mtu(unsigned frame, unsigned tags);

#endif
