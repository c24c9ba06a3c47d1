/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the values of a port to classes: a class for each priority that some DSCP leads to. The priority that most DSCPs
 * lead to is the default class, where all 64 have an entry.
 */
#include "fabric/sketch.h"

#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "model/value.h"

enum { MOST = DSCPS / 2, CNP_USUAL = 48 };

void fabric_sketch_init(struct fabric_sketch *s)
{
	*s = (struct fabric_sketch){ .cnp_dscp = -1, .cnp_priority = -1 };
	memset(s->dscp, VALUE_UNSET, sizeof(s->dscp));
	memset(s->prio_tc, VALUE_UNSET, sizeof(s->prio_tc));
	memset(s->share, VALUE_UNSET, sizeof(s->share));
}

static uint64_t dscps_of(const struct fabric_sketch *s, unsigned priority)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < DSCPS; i++)
		if (s->dscp[i] == priority)
			set |= (uint64_t)1 << i;
	return set;
}

/* The priority of all DSCPs that are not worth a name, or -1. */
static int rest_of(const struct fabric_sketch *s)
{
	int rest = -1;

	for (unsigned i = 0; i < DSCPS; i++)
		if (s->dscp[i] == VALUE_UNSET)
			return -1;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (__builtin_popcountll(dscps_of(s, p)) > MOST)
			rest = (int)p;
	return rest;
}

static const char *name_of(struct arena *a, const struct fabric_sketch *s, const struct fabric *f, unsigned priority, bool rest)
{
	int dscp = s->cnp_dscp < 0 ? CNP_USUAL : s->cnp_dscp;	/* most drivers do not tell */
	bool cnp = (s->cnp_priority < 0 || s->cnp_priority == (int)priority) && dscps_of(s, priority) == (uint64_t)1 << dscp;

	if (rest)
		return CLASS_DEFAULT;
	if (cnp)
		return CLASS_CNP;
	if (s->pfc >> priority & 1)
		return fabric_class(f, "rdma") ? arena_printf(a, "rdma%u", priority) : "rdma";
	return arena_printf(a, "class%u", priority);
}

/* Two classes on one traffic class share it: the first one has all of its bandwidth. */
static void take_share(const struct fabric_sketch *s, const struct fabric *f, struct traffic_class *c)
{
	uint8_t share = s->share[c->tc];

	c->strict = share == SHARE_STRICT;
	c->bandwidth_percent = share <= 100 ? share : -1;
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].tc == c->tc)
			c->bandwidth_percent = -1;
}

/* Shares that do not make up the whole between them are none that classes can say. */
static void check_shares(struct fabric *f)
{
	int sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += f->at[i].bandwidth_percent > 0 ? f->at[i].bandwidth_percent : 0;
	for (size_t i = 0; i < f->n && sum != 100; i++)
		f->at[i].bandwidth_percent = -1;
}

bool fabric_of_sketch(struct arena *a, const struct fabric_sketch *s, const char *name, struct fabric *f)
{
	int rest = rest_of(s);

	*f = (struct fabric){ .name = name, .mtu = s->mtu };
	f->at = arena_array_of(a, struct traffic_class, PRIORITIES);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		struct traffic_class c = { .priority = (int)p, .dscp = dscps_of(s, p), .lossless = s->pfc >> p & 1 };

		if (!c.dscp)
			continue;
		c.name = name_of(a, s, f, p, (int)p == rest);
		c.tc = s->prio_tc[p] < PRIORITIES ? s->prio_tc[p] : (int)p;
		take_share(s, f, &c);
		f->at[f->n++] = c;
	}
	check_shares(f);
	return f->n;
}
