/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every order of the writes, by brute force: the sets that a run made, and of PFC also the union of its masks, are
 * given straight to the simulated driver in every order, any of them any number of times, as long as what that gives is
 * safe and has not been seen. Where the kernel does not show a map, an order counts only if it is safe for each that the
 * map may be: so all of them are taken along, as copies of one port.
 *
 * Of DSCPs that are alike in every way, now and in the end, the first one is tried: the others would give the same. And
 * where there are many sets, one that brings a DSCP to where it is to be, safely and while others have entries, is made at
 * once: whatever follows is as safe with that DSCP there.
 */
#include <string.h>

#include "exhaust.h"

enum { VARIANTS = 9, SETS = 160, SEEN = 1 << 16, MANY = 16 };

struct world {
	struct nic port[VARIANTS];
	unsigned n;
};

struct search {
	struct bench *b;
	struct nic *nic;		/* the simulator's, which drivers are asked with */
	struct sim_set set[SETS];
	unsigned nsets;
	struct port_now before[VARIANTS], after[VARIANTS];
	uint64_t seen[SEEN];		/* hashes of worlds that were reached safely; 0: none */
	unsigned nseen;
};

static int give(struct bench *b, struct nic *n, const struct sim_set *set)
{
	const struct dcb_ops *ops = &driver_of(b->sim)->dcb;

	switch (set->op) {
	case OP_ETS:
		return ops->set_ets(b->sim, n, &set->ets);
	case OP_PFC:
		return ops->set_pfc(b->sim, n, &set->pfc);
	case OP_APP:
		return ops->set_app(b->sim, n, &set->app);
	default:
		return ops->del_app(b->sim, n, &set->app);
	}
}

static bool listed(const struct nic *n, unsigned dscp)
{
	for (uint32_t i = 0; i < n->net.napps; i++)
		if (n->net.app[i].selector == IEEE_8021QAZ_APP_SEL_DSCP && n->net.app[i].protocol == dscp)
			return true;
	return false;
}

/* mlx5 hides what has no entry, ice whether an entry was deleted once; the others hide nothing. */
static void variants(const struct bench *b, const struct nic *start, struct world *w)
{
	const enum manners m = b->sim->st->manners;

	w->n = m == MANNERS_MLX5 ? VARIANTS : m == MANNERS_ICE && start->hw.dscp_trust ? 3 : 1;
	for (unsigned v = 0; v < w->n; v++) {
		w->port[v] = *start;
		for (unsigned d = 0; v > 0 && d < 64; d++)
			if (!listed(start, d))
				w->port[v].hw.dscp2prio[d] = (uint8_t)(m == MANNERS_MLX5 ? v - 1 : v == 1 ? d % 8 : d / 8);
	}
}

static bool same_set(const struct sim_set *a, const struct sim_set *b)
{
	if (a->op != b->op)
		return false;
	if (a->op == OP_ETS)
		return !memcmp(&a->ets, &b->ets, sizeof(a->ets));
	if (a->op == OP_PFC)
		return a->pfc.pfc_en == b->pfc.pfc_en;
	return !memcmp(&a->app, &b->app, sizeof(a->app));
}

static bool add_set(struct search *s, const struct sim_set *set)
{
	for (unsigned i = 0; i < s->nsets; i++)
		if (same_set(&s->set[i], set))
			return true;
	if (s->nsets == SETS)
		return false;
	s->set[s->nsets++] = *set;
	return true;
}

static bool collect(struct search *s, const struct nic *start)
{
	const struct recorded *r = &s->b->recorded;
	unsigned both = start->hw.pfc_en;

	for (unsigned i = 0; i < r->n; i++)
		if (r->set[i].status >= 0 && !add_set(s, &r->set[i]))
			return false;
	for (unsigned i = 0; i < r->n; i++) {
		struct sim_set more = r->set[i];

		if (more.op != OP_PFC)
			continue;
		both |= more.pfc.pfc_en;
		more.pfc.pfc_en = (uint8_t)both;
		if (!add_set(s, &more))
			return false;
		more.pfc.pfc_en = start->hw.pfc_en;	/* where something on the way resets it */
		if (!add_set(s, &more))
			return false;
	}
	return true;
}

/* One set in all worlds. Return: is it taken by all, safe in all, and has it an effect */
static bool step(struct search *s, struct world *w, const struct sim_set *set)
{
	bool effect = false;

	for (unsigned v = 0; v < w->n; v++) {
		struct port_now was, now;

		*s->nic = w->port[v];
		port_look(s->b->sim, s->nic, &was);
		if (give(s->b, s->nic, set) < 0)
			return false;
		port_look(s->b->sim, s->nic, &now);
		effect |= !port_same(&was, &now);
		if (port_danger(&s->before[v], &now, &s->after[v]))
			return false;
		w->port[v] = *s->nic;
	}
	return effect;
}

static bool arrived(const struct search *s, const struct world *w)
{
	for (unsigned v = 0; v < w->n; v++) {
		struct port_now now;

		port_look(s->b->sim, &w->port[v], &now);
		if (!port_same(&now, &s->after[v]))
			return false;
	}
	return true;
}

static void hash(uint64_t *h, const void *data, size_t n)
{
	for (const uint8_t *p = data; n--; p++)
		*h = (*h ^ *p) * 0x100000001b3u;
}

/* Was this world reached before? Return: 1 yes, 0 no, -1 there is no more room */
static int reached(struct search *s, const struct world *w)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (unsigned v = 0; v < w->n; v++) {
		struct port_now now;

		port_look(s->b->sim, &w->port[v], &now);
		hash(&h, &now, sizeof(now));
		if (s->b->sim->st->manners == MANNERS_MLX5)	/* what it hides under PCP trust */
			hash(&h, w->port[v].hw.dscp2prio, 64);
	}
	h |= 1;
	for (i = h % SEEN; s->seen[i]; i = (i + 1) % SEEN)
		if (s->seen[i] == h)
			return 1;
	if (++s->nseen > SEEN / 2)
		return -1;
	s->seen[i] = h;
	return 0;
}

/* Are two DSCPs alike: now, in the end, and where the driver would put them? */
static bool alike(const struct search *s, const struct world *w, unsigned a, unsigned b)
{
	const enum manners m = s->b->sim->st->manners;

	if (m == MANNERS_ICE && (a / 8 != b / 8 || a % 8 != b % 8))
		return false;
	for (unsigned v = 0; v < w->n; v++) {
		struct port_now now;

		port_look(s->b->sim, &w->port[v], &now);
		if (now.on[a] != now.on[b] || now.entry[a] != now.entry[b] ||
		    (m == MANNERS_MLX5 && w->port[v].hw.dscp2prio[a] != w->port[v].hw.dscp2prio[b]) ||
		    s->before[v].on[a] != s->before[v].on[b] || s->after[v].on[a] != s->after[v].on[b] ||
		    s->after[v].entry[a] != s->after[v].entry[b])
			return false;
	}
	return true;
}

static bool tried_on_another(const struct search *s, const struct world *w, unsigned i)
{
	const struct sim_set *set = &s->set[i];

	for (unsigned j = 0; (set->op == OP_APP || set->op == OP_DELAPP) && j < i; j++)
		if (s->set[j].op == set->op && s->set[j].app.priority == set->app.priority &&
		    alike(s, w, s->set[j].app.protocol, set->app.protocol))
			return true;
	return false;
}

/* Does this set bring its DSCP home, in all worlds? */
static bool brings_home(const struct search *s, const struct world *w, const struct sim_set *set)
{
	const unsigned d = set->app.protocol & 63;

	for (unsigned v = 0; set->op == OP_APP && v < w->n; v++) {
		struct port_now now;

		port_look(s->b->sim, &w->port[v], &now);
		if (!w->port[v].net.napps || now.entry[d] || s->after[v].entry[d] != 1u << set->app.priority)
			return false;
	}
	return set->op == OP_APP;
}

static int descend(struct search *s, const struct world *w)
{
	int r;

	if (arrived(s, w))
		return 1;
	r = reached(s, w);
	if (r)
		return r < 0 ? -1 : 0;
	for (unsigned i = 0; s->nsets > MANY && i < s->nsets; i++) {
		struct world next = *w;

		if (brings_home(s, w, &s->set[i]) && step(s, &next, &s->set[i]))
			return descend(s, &next);
	}
	for (unsigned i = 0; i < s->nsets; i++) {
		struct world next = *w;

		if (tried_on_another(s, w, i) || !step(s, &next, &s->set[i]))
			continue;
		r = descend(s, &next);
		if (r)
			return r;
	}
	return 0;
}

/* Where each world ends: the recorded sets, one after the other. */
static void find_ends(struct search *s, const struct world *w)
{
	const struct recorded *r = &s->b->recorded;

	for (unsigned v = 0; v < w->n; v++) {
		*s->nic = w->port[v];
		port_look(s->b->sim, s->nic, &s->before[v]);
		for (unsigned i = 0; i < r->n; i++)
			give(s->b, s->nic, &r->set[i]);
		port_look(s->b->sim, s->nic, &s->after[v]);
	}
}

static void begin(struct search *s, struct bench *b, const struct nic *start, struct world *w)
{
	*s = (struct search){ .b = b, .nic = &b->sim->st->nic[0] };
	variants(b, start, w);
	find_ends(s, w);
}

int brute_finds(struct bench *b, const struct nic *start)
{
	static struct search s;
	struct nic kept = b->sim->st->nic[0];
	struct world w;
	int r;

	begin(&s, b, start, &w);
	r = collect(&s, start) ? descend(&s, &w) : -1;
	b->sim->st->nic[0] = kept;
	return r;
}

bool brute_safe(struct bench *b, const struct nic *start, const char **why)
{
	static struct search s;
	struct nic kept = b->sim->st->nic[0];
	struct world w;

	begin(&s, b, start, &w);
	*why = NULL;
	for (unsigned v = 0; !*why && v < w.n; v++) {
		*s.nic = w.port[v];
		for (unsigned i = 0; !*why && i < b->recorded.n; i++) {
			struct port_now now;

			give(b, s.nic, &b->recorded.set[i]);
			port_look(b->sim, s.nic, &now);
			*why = port_danger(&s.before[v], &now, &s.after[v]);
		}
	}
	b->sim->st->nic[0] = kept;
	return !*why;
}
