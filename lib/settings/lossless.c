/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a port safe at this moment (law 8)? Between two writes a port holds neither what it had nor what it is to have, and
 * on some drivers something else again: a hidden map, an ETS that was reset. Here a port is a small model that is taken
 * through a change write by write, with the driver's manners as data, and each moment is held against four rules:
 *
 *   a. a DSCP that is on a lossless priority before and after is on one now; and a priority that is lossless before and
 *      after is so now, for what comes with a VLAN tag
 *   b. a DSCP is on its priority of before, or on that of after
 *   c. a DSCP that has reached its new priority finds PFC there, if that has it after
 *   d. and its traffic class, with its TSA, if the priority is lossless after, or that class strict
 *
 * What the kernel does not show is unknown, and a rule that only some values of it keep is broken.
 */
#include "settings/lossless.h"

#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "settings/dcb.h"
#include "settings/dscp.h"
#include "settings/ets.h"
#include "settings/pfc.h"

enum { PCP = 8, ANY = 0xff };	/* PCP: no priority by DSCP, the VLAN tag decides */
enum { AS_AT_START, AS_RESET, KNOWN };

struct moment {
	const struct dcb_manners *manners;
	struct dscp_entries entries;
	uint16_t at[DSCPS];		/* priorities that a DSCP may be on, a bit each, and PCP */
	uint8_t since[DSCPS];		/* two unknown priorities of one time are one priority */
	struct ieee_ets ets;
	uint8_t pfc, pfc_start;
	bool pfc_managed;
};

static const struct setting *const settings[] = { &setting_ets, &setting_pfc, &setting_dscp, NULL };

enum { ETS, PFC, MAP };

/* --- what a DSCP is on -------------------------------------------------------- */

static void place(struct moment *m, unsigned dscp, unsigned at, uint8_t since)
{
	m->at[dscp] = (uint16_t)at;
	m->since[dscp] = since;
}

/* Without an entry, while others have one. @maybe_deleted: it may have had one before anybody looked */
static unsigned unlisted(const struct dcb_manners *m, unsigned dscp, bool maybe_deleted)
{
	switch (m->unlisted) {
	case UNLISTED_PCP:
		return 1u << PCP;
	case UNLISTED_ZERO:
		return 1;
	case UNLISTED_CLASS:
		return 1u << dscp / 8 | (maybe_deleted ? 1u << dscp % 8 : 0);
	case UNLISTED_HIDDEN:
		break;
	}
	return ANY;
}

static unsigned deleted(const struct dcb_manners *m, unsigned dscp)
{
	if (m->deleted_becomes == DELETED_MODULO_8)
		return 1u << dscp % 8;
	return m->deleted_becomes == VALUE_UNSET ? unlisted(m, dscp, true) : 1u << m->deleted_becomes;
}

static void add(struct moment *m, unsigned dscp, unsigned prio)
{
	const struct dcb_manners *manners = m->manners;

	if (manners->switches_trust && !dscp_any(&m->entries)) {
		for (unsigned i = 0; i < DSCPS; i++)
			place(m, i, unlisted(manners, i, false), AS_RESET);
		if (manners->first_entry_ets)
			m->ets = *manners->first_entry_ets;
	}
	m->entries.prio[dscp] = (uint8_t)((manners->delete_before_replace ? m->entries.prio[dscp] : 0) | 1u << prio);
	place(m, dscp, 1u << prio, KNOWN);
}

static void delete(struct moment *m, unsigned dscp, unsigned prio)
{
	const struct dcb_manners *manners = m->manners;

	m->entries.prio[dscp] &= (uint8_t)~(1u << prio);
	if (!manners->switches_trust || dscp_any(&m->entries)) {
		place(m, dscp, deleted(manners, dscp), KNOWN);
		return;
	}
	for (unsigned i = 0; i < DSCPS; i++)
		place(m, i, 1u << PCP, KNOWN);
	if (manners->last_entry_ets)
		m->ets = *manners->last_entry_ets;
	if (manners->last_entry_stops_pfc)
		m->pfc = 0;
}

/* --- from before to after ------------------------------------------------------ */

static void start(struct moment *m, const struct target *t, const struct record *const *have, const bool *managed)
{
	memset(m, 0, sizeof(*m));
	m->manners = dcb_manners_of(t);
	ets_fill(have[ETS], &m->ets);
	m->pfc = m->pfc_start = (uint8_t)record_num(have[PFC], QOS_PFC, 0);
	m->pfc_managed = managed[PFC];
	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t prio = record_at(have[MAP], QOS_DSCP, i, VALUE_UNSET);

		m->entries.prio[i] = prio < 8 ? (uint8_t)(1u << prio) : 0;
	}
	for (unsigned i = 0; i < DSCPS; i++)
		place(m, i, m->entries.prio[i]	     ? m->entries.prio[i]
			    : dscp_any(&m->entries) ? unlisted(m->manners, i, true)
						     : 1u << PCP, AS_AT_START);
}

struct making {
	struct moment *m;
	void (*see)(const struct moment *m, void *arg);
	void *arg;
};

static void seen(const struct making *g)
{
	if (g->see)
		g->see(g->m, g->arg);
}

static void make_map(const struct making *g, const struct change *c)
{
	struct dscp_step at[DSCP_STEPS];
	struct dscp_entries to;
	size_t n;

	dscp_wanted(c, &g->m->entries, &to);
	n = dscp_steps(g->m->manners, &g->m->entries, &to, at);
	for (size_t i = 0; i < n; i++) {
		(at[i].add ? add : delete)(g->m, at[i].dscp, at[i].prio);
		seen(g);
	}
}

static void make_rest(const struct making *g, const struct change *c)
{
	struct moment *m = g->m;

	if (change_want(c, &setting_ets)) {
		ets_fill(change_want(c, &setting_ets), &m->ets);
		seen(g);
	}
	if (change_want(c, &setting_pfc)) {
		m->pfc = (uint8_t)record_num(change_want(c, &setting_pfc), QOS_PFC, m->pfc);
		seen(g);
	}
}

/* Does the map of this change reset ETS? Then that has to be written after it. */
static bool resets_ets(const struct moment *m, const struct change *c)
{
	struct dscp_entries to;

	if (!m->manners->first_entry_ets || !change_want(c, &setting_dscp))
		return false;
	dscp_wanted(c, &m->entries, &to);
	return dscp_any(&to) != dscp_any(&m->entries);
}

/* Of one object ETS comes before PFC, and both before the map, unless that resets ETS. */
static void make(struct moment *m, const struct change *c, void (*see)(const struct moment *m, void *arg), void *arg)
{
	const struct making g = { m, see, arg };
	bool map_first = resets_ets(m, c);

	if (!map_first)
		make_rest(&g, c);
	if (change_want(c, &setting_dscp))
		make_map(&g, c);
	if (map_first)
		make_rest(&g, c);
	if (!m->pfc_managed && m->pfc != m->pfc_start) {
		m->pfc = m->pfc_start;		/* what the policy is silent about is put back */
		seen(&g);
	}
}

static bool holds(const struct moment *m, const struct moment *other, size_t i)
{
	if (i == PFC)
		return m->pfc == other->pfc;
	if (i == MAP)
		return !memcmp(&m->entries, &other->entries, sizeof(m->entries));
	return !memcmp(m->ets.prio_tc, other->ets.prio_tc, 8) && !memcmp(m->ets.tc_tsa, other->ets.tc_tsa, 8) &&
	       !memcmp(m->ets.tc_tx_bw, other->ets.tc_tx_bw, 8);
}

/* --- judging ------------------------------------------------------------------- */

/* A DSCP and the priorities that it is on, each one that may be. */
struct on {
	const struct moment *m[3];	/* before, now, after */
	unsigned dscp, before, now, after;
};

static bool on_lossless(const struct moment *m, unsigned prio)
{
	return prio < 8 && m->pfc >> prio & 1;
}

static bool same_class(const struct moment *now, const struct moment *after, unsigned prio)
{
	unsigned tc = after->ets.prio_tc[prio] & 7;

	return now->ets.prio_tc[prio] == after->ets.prio_tc[prio] && now->ets.tc_tsa[tc] == after->ets.tc_tsa[tc];
}

static const char *name_of(struct arena *a, unsigned prio)
{
	return prio == PCP ? "the priority of the VLAN tag" : arena_printf(a, "priority %u", prio);
}

/* The rule that is broken, in words if @a; NULL: none. */
static const char *broken(const struct on *on, struct arena *a)
{
	const struct moment *before = on->m[0], *now = on->m[1], *after = on->m[2];
	bool reached = on->now == on->after && on->now != on->before && on->now < 8;

	if (on->now != on->before && on->now != on->after)
		return !a ? "b" :
		       now->at[on->dscp] == ANY ? arena_printf(a, "DSCP %u is on a priority that the kernel does not show",
							       on->dscp) :
		       arena_printf(a, "DSCP %u is on %s, neither where it was nor where it is to be", on->dscp,
				    name_of(a, on->now));
	if (on_lossless(before, on->before) && on_lossless(after, on->after) && !on_lossless(now, on->now))
		return !a ? "a" : arena_printf(a, "DSCP %u is on %s without PFC, and it is lossless before and after", on->dscp,
					       name_of(a, on->now));
	if (!reached)
		return NULL;
	if (on_lossless(after, on->now) && !on_lossless(now, on->now))
		return !a ? "c" : arena_printf(a, "DSCP %u is on its new priority %u before that has PFC", on->dscp, on->now);
	if ((on_lossless(after, on->now) ||
	     after->ets.tc_tsa[after->ets.prio_tc[on->now] & 7] == IEEE_8021QAZ_TSA_STRICT) && !same_class(now, after, on->now))
		return !a ? "d" : arena_printf(a, "DSCP %u is on its new priority %u before that has its traffic class",
					       on->dscp, on->now);
	return NULL;
}

/* All priorities that one moment allows; one that is known by another moment's is the same. */
static unsigned choices(const struct moment *m, const struct moment *like, unsigned dscp, unsigned known)
{
	bool same = m->since[dscp] == like->since[dscp] && m->at[dscp] == like->at[dscp];

	return same ? 1u << known : m->at[dscp];
}

static bool next(unsigned *bits, unsigned *prio)
{
	if (!*bits)
		return false;
	*prio = (unsigned)__builtin_ctz(*bits);
	*bits &= *bits - 1;
	return true;
}

static const char *judge_dscp(const struct moment *const m[3], unsigned dscp, struct arena *a)
{
	struct on on = { .m = { m[0], m[1], m[2] }, .dscp = dscp };

	for (unsigned before = m[0]->at[dscp]; next(&before, &on.before);)
		for (unsigned after = choices(m[2], m[0], dscp, on.before); next(&after, &on.after);) {
			bool kept = m[1]->since[dscp] == AS_AT_START;
			unsigned now = kept ? 1u << on.before : choices(m[1], m[2], dscp, on.after);

			while (next(&now, &on.now)) {
				const char *why = broken(&on, a);

				if (why)
					return why;
			}
		}
	return NULL;
}

static bool unsafe(const struct moment *before, const struct moment *now, const struct moment *after, struct arena *a,
		   const char **why)
{
	const struct moment *const m[3] = { before, now, after };
	unsigned lost = before->pfc & after->pfc & (unsigned)~now->pfc;
	const char *words = NULL;

	for (unsigned i = 0; !words && i < DSCPS; i++)
		words = judge_dscp(m, i, a);
	if (!words && lost)
		words = !a ? "a" : arena_printf(a, "priority %d has no PFC, and it has before and after", __builtin_ctz(lost));
	if (words && why)
		*why = words;
	return words;
}

const struct judge judge_lossless = {
	.setting = settings,
	.size = sizeof(struct moment),
	.start = start,
	.make = make,
	.unsafe = unsafe,
	.holds = holds,
};
