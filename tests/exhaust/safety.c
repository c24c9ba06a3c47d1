/* SPDX-License-Identifier: Apache-2.0 */
/* What a port does with a packet, read from the simulator's registers, and the safety rule in its plainest form. */
#include <string.h>

#include "exhaust.h"

static uint8_t priority_of(const struct sim *s, const struct nic *n, unsigned dscp)
{
	const bool mapped = n->net.dscp_mapped >> dscp & 1;

	switch (s->st->manners) {
	case MANNERS_BNXT:
		return mapped ? n->hw.dscp2prio[dscp] : BY_TAG;
	case MANNERS_HNS3:
		return !n->hw.dscp_trust ? BY_TAG : mapped ? n->hw.dscp2prio[dscp] : 0;
	default:
		return n->hw.dscp_trust ? n->hw.dscp2prio[dscp] : BY_TAG;
	}
}

void port_look(const struct sim *s, const struct nic *n, struct port_now *p)
{
	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < 64; i++)
		p->on[i] = priority_of(s, n, i);
	p->pfc = n->hw.pfc_en;
	memcpy(p->tc, n->hw.ets.prio_tc, 8);
	memcpy(p->tsa, n->hw.ets.tc_tsa, 8);
	memcpy(p->bw, n->hw.ets.tc_tx_bw, 8);
	for (uint32_t i = 0; i < n->net.napps; i++)
		if (n->net.app[i].selector == IEEE_8021QAZ_APP_SEL_DSCP)
			p->entry[n->net.app[i].protocol & 63] |= (uint8_t)(1u << n->net.app[i].priority);
}

bool port_same(const struct port_now *a, const struct port_now *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool pauses(const struct port_now *p, unsigned prio)
{
	return prio < 8 && (p->pfc & 1u << prio);
}

const char *port_danger(const struct port_now *before, const struct port_now *now, const struct port_now *after)
{
	for (unsigned prio = 0; prio < 8; prio++)
		if (pauses(before, prio) && pauses(after, prio) && !pauses(now, prio))
			return "a priority that is lossless before and after has no PFC";
	for (unsigned d = 0; d < 64; d++) {
		const unsigned was = before->on[d], is = now->on[d], will = after->on[d];

		if (is != was && is != will)
			return "a DSCP is neither where it was nor where it will be";
		if (pauses(before, was) && pauses(after, will) && !pauses(now, is))
			return "a DSCP that is lossless before and after is not";
		if (is != will || is == was || is == BY_TAG)
			continue;
		if (pauses(after, is) && !pauses(now, is))
			return "a DSCP is on its new priority, and PFC is not there yet";
		if (!pauses(after, is) && after->tsa[after->tc[is]] != IEEE_8021QAZ_TSA_STRICT)
			continue;
		if (now->tc[is] != after->tc[is] || now->tsa[now->tc[is]] != after->tsa[after->tc[is]])
			return "a DSCP is on its new priority, and the traffic class of that is not what it will be";
	}
	return NULL;
}
