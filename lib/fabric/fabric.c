/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from the classes of a fabric, the same at both ends of a wire. What no class says stays unset (255):
 * the policy is silent about it.
 */
#include "fabric/fabric.h"

#include <string.h>

#include "base/dscp.h"
#include "model/value.h"

const struct traffic_class *fabric_class(const struct fabric *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].name, name))
			return &f->at[i];
	return NULL;
}

void fabric_dscp_map(const struct fabric *f, uint8_t map[64])
{
	memset(map, VALUE_UNSET, DSCPS);
	for (size_t i = 0; i < f->n; i++)
		for (unsigned dscp = 0; dscp < DSCPS; dscp++)
			if (f->at[i].dscp >> dscp & 1)
				map[dscp] = (uint8_t)f->at[i].priority;
}

uint8_t fabric_pfc(const struct fabric *f)
{
	unsigned mask = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].lossless)
			mask |= 1u << f->at[i].priority;
	return (uint8_t)mask;
}

void fabric_prio_tc(const struct fabric *f, uint8_t prio_tc[8])
{
	memset(prio_tc, VALUE_UNSET, PRIORITIES);
	for (size_t i = 0; i < f->n; i++)
		prio_tc[f->at[i].priority] = (uint8_t)f->at[i].tc;
}

/* Classes on one TC share it: their bandwidths add up. */
void fabric_shares(const struct fabric *f, uint8_t share[8])
{
	memset(share, VALUE_UNSET, PRIORITIES);
	for (size_t i = 0; i < f->n; i++) {
		const struct traffic_class *c = &f->at[i];
		uint8_t *s = &share[c->tc];

		if (c->strict)
			*s = SHARE_STRICT;
		else if (c->bandwidth_percent >= 0)
			*s = (uint8_t)((*s <= 100 ? *s : 0) + c->bandwidth_percent);
	}
}
