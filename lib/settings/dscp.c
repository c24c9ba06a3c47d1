/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qos.trust and qos.dscp: the APP table of dcb netlink, selector 5 (DSCP). Other selectors belong to somebody else
 * and are left alone. No RDMA NIC has a trust switch of its own: the first DSCP entry turns DSCP trust on, and the
 * last one that goes turns it off. So both keys are one object, and a wrong trust is one finding.
 *
 * What surprises: on mlx5 one entry makes all 64 mappings of the hardware active, and only that one is listed; under
 * PCP trust the map is hidden, and deleting an entry sets its DSCP to priority 0. bnxt adds a second entry where mlx5
 * replaces the first; ice refuses one. Hence entries are added before others go, so that trust does not flip on the
 * way, except where the driver wants the old entry of a DSCP gone first.
 */
#include "settings/dscp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/dscp.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "fabric/sketch.h"
#include "kernel/kernel.h"
#include "settings/dcb.h"
#include "settings/ets.h"
#include "settings/pfc.h"
#include "settings/writing.h"

#define SETTLE_TRIES 20 /* a late answer is waited for: 20 × 50 ms */
#define SETTLE_MS    50

static const char *const trusts[] = { [TRUST_PCP] = "pcp", [TRUST_DSCP] = "dscp", NULL };

static const struct field fields[] = {
	[QOS_TRUST] = { "qos.trust", KIND_WORD, .words = trusts,
			.doc = "header field that gives a received packet its priority" },
	[QOS_DSCP] = { "qos.dscp", KIND_MAP, .max = 7, .span = DSCPS, .follows = QOS_TRUST + 1,
		       .doc = "priority of each DSCP; those not named are kept; {} is no entries, and trust pcp" },
	{ 0 },
};

static void entries_of(const struct dcb *dcb, struct dscp_entries *e)
{
	memset(e, 0, sizeof(*e));
	for (size_t i = 0; i < dcb->napps; i++) {
		const struct dcb_app *a = &dcb->app[i];

		if (a->selector == IEEE_8021QAZ_APP_SEL_DSCP && a->protocol < DSCPS && a->priority < 8)
			e->prio[a->protocol] |= (uint8_t)(1u << a->priority);
	}
}

bool dscp_any(const struct dscp_entries *e)
{
	for (int i = 0; i < DSCPS; i++)
		if (e->prio[i])
			return true;
	return false;
}

/* --- reading ---------------------------------------------------------------- */

/* Of several entries for one DSCP the one that is not wanted is told: which of them counts, nobody defines. */
static uint8_t priority_told(uint8_t bits, uint8_t want)
{
	if (bits & (bits - 1) && want < 8)
		bits &= (uint8_t)~(1u << want);
	return (uint8_t)__builtin_ctz(bits);
}

static void tell_map(struct part *p, const struct dscp_entries *e)
{
	uint8_t map[DSCPS];
	int twice = -1;

	for (unsigned i = 0; i < DSCPS; i++) {
		map[i] = e->prio[i] ? priority_told(e->prio[i], record_at(p->want, QOS_DSCP, i, VALUE_UNSET))
				    : VALUE_UNSET;
		if (e->prio[i] & (e->prio[i] - 1))
			twice = (int)i;
	}
	if (!part_open(p, QOS_DSCP))
		return;
	part_map(p, QOS_DSCP, map, DSCPS, DCB_VIA);
	if (twice >= 0)
		p->have->at[QOS_DSCP].because =
			arena_printf(p->arena,
				     "DSCP %d has more than one entry, and which of them counts is "
				     "not defined",
				     twice);
}

int dscp_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct dcb *dcb = dcb_ask(k, p);
	struct dscp_entries e;

	(void)d;
	if (!dcb)
		return 0;
	entries_of(dcb, &e);
	part_num(p, QOS_TRUST, dscp_any(&e) ? TRUST_DSCP : TRUST_PCP, DCB_VIA);
	tell_map(p, &e);
	return 0;
}

/* --- the whole table as text, for an undo ------------------------------------ */

/* "26:3 48:6 48:7": a DSCP may have had several entries, which a map cannot say */
static const char *entries_text(struct arena *a, const struct dscp_entries *e)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (unsigned i = 0; i < DSCPS; i++)
		for (unsigned prio = 0; prio < 8; prio++)
			if (e->prio[i] >> prio & 1)
				text_printf(&t, "%s%u:%u", t.n ? " " : "", i, prio);
	return arena_strdup(a, text_str(&t));
}

static bool entries_parse(const char *s, struct dscp_entries *e)
{
	unsigned dscp, prio;
	int n;

	memset(e, 0, sizeof(*e));
	for (; s && *s; s += n + (s[n] == ' ')) {
		if (sscanf(s, "%2u:%1u%n", &dscp, &prio, &n) != 2 || dscp >= DSCPS || prio > 7 || (s[n] && s[n] != ' '))
			return false;
		e->prio[dscp] |= (uint8_t)(1u << prio);
	}
	return s != NULL;
}

/* --- what is to be there ---------------------------------------------------- */

static bool map_empty(const struct record *want)
{
	for (unsigned i = 0; i < DSCPS; i++)
		if (record_at(want, QOS_DSCP, i, VALUE_UNSET) != VALUE_UNSET)
			return false;
	return true;
}

/* Is the table to be left without any DSCP entry? */
static bool none_wanted(const struct record *want)
{
	if (record_has(want, QOS_DSCP))
		return map_empty(want);
	return record_has(want, QOS_TRUST) && record_num(want, QOS_TRUST, TRUST_PCP) == TRUST_PCP;
}

/* What the policy does not name stays as it is; undone, an entry that was not there before goes. */
void dscp_wanted(const struct change *c, const struct dscp_entries *now, struct dscp_entries *to)
{
	const struct record *want = change_want(c, &setting_dscp), *have = change_have(c, &setting_dscp);

	if (c->undo && entries_parse(c->before, to))
		return;
	memset(to, 0, sizeof(*to));
	if (none_wanted(want))
		return;
	*to = *now;
	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t prio = record_at(want, QOS_DSCP, i, VALUE_UNSET);

		if (prio < 8)
			to->prio[i] = (uint8_t)(1u << prio);
		else if (c->undo && record_at(have, QOS_DSCP, i, VALUE_UNSET) != VALUE_UNSET)
			to->prio[i] = 0;
	}
}

bool dscp_there(struct kernel *k, const struct change *c)
{
	struct dscp_entries now, to;
	const struct dcb *dcb;

	if (!change_want(c, &setting_dscp) || dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return true;
	entries_of(dcb, &now);
	dscp_wanted(c, &now, &to);
	return !memcmp(&now, &to, sizeof(now));
}

static bool flips(const struct dscp_entries *now, const struct dscp_entries *to)
{
	return dscp_any(now) != dscp_any(to);
}

bool dscp_flips(struct kernel *k, const struct change *c, int *to)
{
	struct dscp_entries now, then;
	const struct dcb *dcb;

	if (!change_want(c, &setting_dscp) || dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return false;
	entries_of(dcb, &now);
	dscp_wanted(c, &now, &then);
	*to = dscp_any(&then) ? TRUST_DSCP : TRUST_PCP;
	return flips(&now, &then);
}

/* --- in which order ---------------------------------------------------------- */

/* What a DSCP without an entry has while others have one, as a bit; 0: nobody knows, or the VLAN tag decides. */
static uint8_t unlisted(const struct dcb_manners *m, unsigned dscp, bool deleted)
{
	if (deleted && m->deleted_becomes == DELETED_MODULO_8)
		return (uint8_t)(1u << dscp % 8);
	if (deleted && m->deleted_becomes != VALUE_UNSET)
		return (uint8_t)(1u << m->deleted_becomes);
	if (m->unlisted == UNLISTED_ZERO)
		return 1;
	return m->unlisted == UNLISTED_CLASS ? (uint8_t)(1u << dscp / 8) : 0;
}

struct steps {
	struct dscp_step *at;
	size_t n;
};

static void step(struct steps *s, bool add, unsigned dscp, uint8_t bits)
{
	for (uint8_t prio = 0; prio < 8; prio++)
		if (bits >> prio & 1)
			s->at[s->n++] = (struct dscp_step){ .add = add, .dscp = (uint8_t)dscp, .prio = prio };
}

/*
 * DSCPs without any entry get theirs first: with them there, trust stays on while others are replaced. If the first of
 * them turns it on, that is one which the driver itself would put elsewhere: the others are right already.
 */
static void add_new(struct steps *s, const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to)
{
	for (int right = 0; right < 2; right++)
		for (unsigned i = 0; i < DSCPS; i++)
			if (!now->prio[i] && (to->prio[i] == unlisted(m, i, false)) == right)
				step(s, true, i, to->prio[i]);
}

/*
 * Where the only entry must be deleted before it can be replaced, trust would go and come back, with all that hangs on
 * it. A DSCP that stays on its priority whether it has an entry or not keeps it on meanwhile. Return: 64 if none is needed.
 */
static unsigned holder(const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to)
{
	unsigned have = 0, new = 0;

	for (unsigned i = 0; i < DSCPS; i++) {
		have += now->prio[i] && !(now->prio[i] & to->prio[i]);
		new += (!now->prio[i] && to->prio[i]) || now->prio[i] & to->prio[i];
	}
	if (!m->delete_before_replace || !m->switches_trust || have != 1 || new || !dscp_any(to))
		return DSCPS;
	for (unsigned i = 0; i < DSCPS; i++)
		if (!now->prio[i] && unlisted(m, i, false) && unlisted(m, i, false) == unlisted(m, i, true))
			return i;
	return DSCPS;
}

/* Has the DSCP entries before and after, and not the same ones? */
static bool replaced(const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to, unsigned i)
{
	uint8_t missing = (uint8_t)(to->prio[i] & ~now->prio[i]);

	return now->prio[i] && to->prio[i] && (missing || (m->delete_before_replace && now->prio[i] != to->prio[i]));
}

static void replace(struct steps *s, const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to)
{
	unsigned hold = holder(m, now, to);

	if (hold < DSCPS)
		step(s, true, hold, unlisted(m, hold, false));
	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t missing = (uint8_t)(to->prio[i] & ~now->prio[i]), rest = (uint8_t)(now->prio[i] & ~to->prio[i]);

		if (!replaced(m, now, to, i))
			continue;
		if (m->delete_before_replace && rest) {	/* any entry that goes takes the DSCP out of the device's map */
			step(s, false, i, now->prio[i]);
			missing = to->prio[i];
		}
		step(s, true, i, missing);
	}
	if (hold < DSCPS)
		step(s, false, hold, unlisted(m, hold, false));
}

/* What goes for good; those first that stay where they are, since the last one only changes trust. */
static void delete_rest(struct steps *s, const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to)
{
	for (int stays = 1; stays >= 0; stays--)
		for (unsigned i = 0; i < DSCPS; i++) {
			uint8_t rest = (uint8_t)(now->prio[i] & ~to->prio[i]);

			if (rest && !replaced(m, now, to, i) && (now->prio[i] == unlisted(m, i, true)) == stays)
				step(s, false, i, rest);
		}
}

size_t dscp_steps(const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to,
		  struct dscp_step at[DSCP_STEPS])
{
	struct steps s = { .at = at };

	add_new(&s, m, now, to);
	replace(&s, m, now, to);
	delete_rest(&s, m, now, to);
	return s.n;
}

/* --- writing ---------------------------------------------------------------- */

struct batch {
	struct kernel *k;
	const char *ifname;
	size_t at_once;			/* entries in one message */
	struct dcb_app app[DSCP_STEPS];
	size_t n;
	bool adds;
	struct diags *d;
};

static int batch_send(struct batch *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->n; i += b->at_once)
		r = (b->adds ? dcbnl_add_apps : dcbnl_del_apps)(b->k, b->ifname, &b->app[i],
								 b->n - i < b->at_once ? b->n - i : b->at_once, b->d);
	b->n = 0;
	return r;
}

/* Steps of one kind that follow each other are one message, where the driver takes that. */
static int batch_step(struct batch *b, const struct dscp_step *s)
{
	int r = b->n && b->adds != s->add ? batch_send(b) : 0;

	b->adds = s->add;
	b->app[b->n++] = (struct dcb_app){ .selector = IEEE_8021QAZ_APP_SEL_DSCP, .priority = s->prio, .protocol = s->dscp };
	return r;
}

/* An entry that is not among those wanted and is still there, late answers waited for; 64: none. */
static unsigned kept(struct batch *b, const struct dscp_entries *to)
{
	for (int try = 0;; try++) {
		unsigned i = 0;
		const struct dcb *dcb;
		struct dscp_entries now;

		if (dcbnl_get(b->k, b->ifname, &dcb) < 0)
			return DSCPS;		/* whoever reads it back says so */
		entries_of(dcb, &now);
		while (i < DSCPS && !(now.prio[i] & ~to->prio[i]))
			i++;
		if (i == DSCPS || try == SETTLE_TRIES)
			return i;
		kernel_wait(b->k, SETTLE_MS);
		kernel_renew(b->k);
	}
}

/* What is deleted may be no cell of the policy's, so that nobody else would miss it. */
static int verify_deleted(struct batch *b, const struct dscp_entries *to)
{
	unsigned i = kept(b, to);

	if (i == DSCPS)
		return 0;
	diag_error(b->d, NULL, "the device accepted that the entry of DSCP %u goes, and kept it", i);
	diag_hint(b->d, "the kernel log may say why; `rdmactl show qos.dscp` shows what the device holds");
	return -EIO;
}

static int write_steps(struct batch *b, const struct dcb_manners *m, const struct dscp_entries *now, const struct dscp_entries *to)
{
	struct dscp_step at[DSCP_STEPS];
	size_t n = dscp_steps(m, now, to, at);
	bool deletes = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		deletes |= !at[i].add;
		r = batch_step(b, &at[i]);
	}
	if (r == 0)
		r = batch_send(b);
	return r == 0 && deletes ? verify_deleted(b, to) : r;
}

int dscp_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct dcb_manners *m = dcb_manners_of(c->target);
	const struct record *want = change_want(c, &setting_dscp);
	const struct cell *cell = &want->at[want->at[QOS_DSCP].state == CELL_VALUE ? QOS_DSCP : QOS_TRUST];
	struct batch b = { .k = k, .ifname = c->target->ifname, .at_once = m->one_app_per_message ? 1 : DSCPS, .d = d };
	struct writing_link link = writing_link(k, c->target);
	size_t told = d->n;
	struct dscp_entries now, to;
	const struct dcb *dcb;
	int r;

	r = dcbnl_get(k, b.ifname, &dcb);
	if (r < 0)
		return writing_told(c, cell, d, told, r);
	entries_of(dcb, &now);
	dscp_wanted(c, &now, &to);
	r = write_steps(&b, m, &now, &to);
	if (r == 0)
		writing_wait_link(k, c, link, d);
	return writing_told(c, cell, d, told, r);
}

/* --- weighing --------------------------------------------------------------- */

/* Entries where the kernel listed none, under DSCP trust: what the hardware did with those DSCPs is not to be seen. */
static const char *hidden_before(const struct change *c, const struct dcb_manners *m, const struct dscp_entries *now,
				 const struct dscp_entries *to)
{
	for (unsigned i = 0; i < DSCPS; i++) {
		unsigned then = m->deleted_becomes == DELETED_MODULO_8 ? i % 8 : m->deleted_becomes;

		if (now->prio[i] || !to->prio[i])
			continue;
		return arena_printf(c->arena,
				    "DSCP %u had no entry: undone, it would have priority %u, whatever it had before",
				    i, then);
	}
	return NULL;
}

int dscp_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_dscp);
	const struct dcb_manners *m = dcb_manners_of(c->target);
	struct dscp_entries now, to;
	const struct dcb *dcb;

	(void)d;
	if (!want || dcb_refused(k, c) || dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return 0;
	entries_of(dcb, &now);
	dscp_wanted(c, &now, &to);
	if (record_num(want, QOS_TRUST, TRUST_PCP) == TRUST_DSCP && !dscp_any(&to))
		return change_refuse(c, REFUSED_IMPOSSIBLE,
				     "DSCP trust comes with the first DSCP entry, and the policy names none: "
				     "add qos.dscp");
	c->before = entries_text(c->arena, &now);
	if (flips(&now, &to))
		change_costs(c, m->trust_impact, m->trust_does);
	else
		change_costs(c, m->app_impact, m->app_does);
	if (!dscp_any(&now))
		c->leaves = m->trust_leaves;
	else if (m->deleted_becomes != VALUE_UNSET)
		c->leaves = hidden_before(c, m, &now, &to);
	return 0;
}

/* --- wishes ----------------------------------------------------------------- */

static int dscp_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	struct cell *trust = &want->at[QOS_TRUST], *dscp = &want->at[QOS_DSCP];
	uint8_t map[DSCPS];

	if (w->fabric && trust->state == CELL_FABRIC)
		cell_set_num(trust, TRUST_DSCP);
	if (w->fabric && dscp->state == CELL_FABRIC) {
		fabric_dscp_map(w->fabric, map);
		cell_set_map(dscp, w->arena, map, DSCPS);
	}
	if (!record_has(want, QOS_TRUST) || !record_has(want, QOS_DSCP) ||
	    map_empty(want) == (trust->value.num == TRUST_PCP))
		return 0;
	if (map_empty(want))
		diag_error(d, &dscp->pos, "qos.dscp is empty, which means trust pcp, but qos.trust is dscp");
	else
		diag_error(d, &trust->pos,
			   "qos.trust is pcp, but qos.dscp names entries, and the first one turns DSCP trust on");
	diag_hint(d, "leave one of the two keys out");
	return -EINVAL;
}

static const struct setting *const disturbed[] = { &setting_ets, &setting_pfc, NULL };

static void dscp_suggest(const struct record *have, struct fabric_sketch *s)
{
	for (unsigned i = 0; i < DSCPS; i++)
		s->dscp[i] = record_at(have, QOS_DSCP, i, VALUE_UNSET);
}

const struct setting setting_dscp = {
	.name = "dscp",
	.why = "Under the wrong trust, or without its DSCP, RoCE lands on a lossy class and drops.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .object = "app", .read = dscp_read, .write = dscp_write, .weigh = dscp_weigh, .disturbs = disturbed,
		  .interface = "dcb netlink IEEE_GET, IEEE_SET, IEEE_DEL: APP entries, selector 5" },
	.derive = dscp_derive,
	.suggest = dscp_suggest,
};
