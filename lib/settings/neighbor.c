/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbor: is each port cabled to the switch port that the policy means, and does that port mean the same by a priority.
 * Verified only: what is at the other end is the network team's. Speaks to lldpd, of which it asks nothing unless a
 * policy says `neighbor`.
 *
 * `tier` stands for all that the fabric says of a switch port there: PFC, ETS, the DSCP map, the frame size, and that it
 * is not willing. A switch need not send any of these. What it does not send is not compared, and the row says so; what
 * the policy spells out and the switch does not send is unknown. A switch that knows CEE alone says something that this
 * program does not read, which is not the same as saying nothing.
 */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "kernel/dcbx.h"
#include "kernel/lldp.h"
#include "model/setting.h"
#include "settings/neighbor.h"

enum { TIER, LINK, SYSTEM, PORT, FRAME, PFC, TC, ETS, DSCP, WILLING };

#define VIA "lldpd"

/* A name that was found may hold what a pattern takes for more: the same text is the same. */
static bool same_pattern(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return !strcmp(want->text, have->text) || fnmatch(want->text, have->text, 0) == 0;
}

static bool same_frame(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return have->num >= want->num;
}

/* What the switch names, no other: it may send a part of its map. */
static bool same_named(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)observed;
	for (unsigned i = 0; i < f->span; i++)
		if (have->map[i] != VALUE_UNSET && want->map[i] != VALUE_UNSET && have->map[i] != want->map[i])
			return false;
	return true;
}

#define VERIFIED .verify_only = true, .follows = SYSTEM + 1
static const struct field fields[] = {
	[TIER] = { "neighbor.tier", KIND_TEXT, .verify_only = true,
		   .doc = "tier of the fabric that the switch is of: all that the fabric says of its ports is compared with what the "
			  "switch sends" },
	[LINK] = { "neighbor.link", KIND_TEXT, .verify_only = true,
		   .doc = "link of that tier that the switch port is of, where they differ in their frame sizes" },
	[SYSTEM] = { "neighbor.system", KIND_TEXT, .pattern = true, .same = same_pattern, .verify_only = true,
		     .doc = "system name of the switch: text with * ? [ ] as in file names, and {rail} {node} {ifname}" },
	[PORT] = { "neighbor.port", KIND_TEXT, .pattern = true, .same = same_pattern, VERIFIED,
		   .doc = "port of the switch, by its id or its description; a pattern as system is" },
	[FRAME] = { "neighbor.frame", KIND_UINT, .min = 64, .max = 65535, .unit = "bytes", .same = same_frame, VERIFIED,
		    .doc = "largest frame that the switch port takes, at least: Ethernet header, tag and check sequence included" },
	[PFC] = { "neighbor.pfc", KIND_SET, .max = 7, VERIFIED, .doc = "priorities for which the switch port has PFC" },
	[TC] = { "neighbor.tc", KIND_MAP, .max = 7, .span = PRIORITIES, VERIFIED, .doc = "traffic class of each priority at the switch port" },
	[ETS] = { "neighbor.ets", KIND_SHARES, .max = 100, .span = PRIORITIES, VERIFIED,
		  .doc = "share of each traffic class at the switch port" },
	[DSCP] = { "neighbor.dscp", KIND_MAP, .max = 7, .span = DSCPS, .same = same_named, VERIFIED,
		   .doc = "priority of each DSCP at the switch port; with tier: as far as the switch names it" },
	[WILLING] = { "neighbor.willing", KIND_BOOL, VERIFIED,
		      .doc = "does the switch port take its DCB settings from the node; with tier: no" },
	{ 0 },
};

/* --- wishes ------------------------------------------------------------------------ */

/* A cell that the policy leaves to the fabric: by the word itself, or since it names the tier and not this key. */
static struct cell *left(struct record *want, unsigned i, const struct pos *pos)
{
	struct cell *c = &want->at[i];

	if (c->state == CELL_FABRIC)
		return c;
	if (!pos || c->state != CELL_SILENT)
		return NULL;
	c->pos = *pos;
	c->if_supported = true;		/* a switch that does not send it is no fault */
	return c;
}

static bool any_set(const uint8_t *map)
{
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (map[i] != VALUE_UNSET)
			return true;
	return false;
}

static void derive_classes(const struct wishes *w, struct record *want, const struct pos *pos)
{
	uint8_t dscp[DSCPS], tc[PRIORITIES], share[PRIORITIES];
	struct cell *c;

	if (!w->fabric->n)
		return;
	fabric_dscp_map(w->fabric, dscp);
	fabric_prio_tc(w->fabric, tc);
	fabric_shares(w->fabric, share);
	if ((c = left(want, PFC, pos)))
		cell_set_num(c, fabric_pfc(w->fabric));
	if ((c = left(want, TC, pos)))
		cell_set_map(c, w->arena, tc, PRIORITIES);
	if (any_set(share) && (c = left(want, ETS, pos)))
		cell_set_map(c, w->arena, share, PRIORITIES);
	if ((c = left(want, DSCP, pos)))
		cell_set_map(c, w->arena, dscp, DSCPS);
	if ((c = left(want, WILLING, pos)))
		cell_set_num(c, false);
}

static const char *tiers_there(const struct wishes *w)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < w->fabric->ntiers; i++)
		text_printf(&t, "%s%s", i ? ", " : "it has ", w->fabric->tier[i].name);
	return t.n ? arena_strdup(w->arena, text_str(&t)) : "give the fabric tiers: with their links";
}

/* The link that is meant, or any if all have the same frames; NULL: told. */
static const struct fabric_link *link_of(const struct wishes *w, const struct fabric_tier *tier, const struct record *want,
					 struct diags *d)
{
	const struct cell *named = want->at[LINK].state == CELL_VALUE ? &want->at[LINK] : NULL;

	for (size_t i = 0; i < tier->n; i++) {
		if (named ? !strcmp(tier->link[i].name, named->value.text) : i + 1 == tier->n)
			return &tier->link[i];
		if (named || fabric_frame(w->fabric, &tier->link[i]) == fabric_frame(w->fabric, &tier->link[i + 1]))
			continue;
		diag_error(d, &want->at[TIER].pos, "neighbor: links %s and %s of tier %s have different frame sizes", tier->link[i].name,
			   tier->link[i + 1].name, tier->name);
		diag_hint(d, "say which one the node is on: link: %s", tier->link[i].name);
		return NULL;
	}
	if (named)
		diag_error(d, &named->pos, "neighbor.link: tier %s has no link %s", tier->name, named->value.text);
	return NULL;
}

static int derive_tier(const struct wishes *w, struct record *want, struct diags *d)
{
	const struct cell *said = &want->at[TIER];
	const struct fabric_tier *tier = fabric_tier(w->fabric, said->value.text);
	const struct fabric_link *link = NULL;
	struct cell *frame;

	if (!tier) {
		diag_error(d, &said->pos, "neighbor.tier: the fabric %s has no tier %s", w->fabric->name, said->value.text);
		diag_hint(d, "%s", tiers_there(w));
		return -EINVAL;
	}
	if (want->at[FRAME].state != CELL_VALUE && tier->n) {
		link = link_of(w, tier, want, d);
		if (!link)
			return -EINVAL;
	}
	derive_classes(w, want, &said->pos);
	if (link && fabric_frame(w->fabric, link) && (frame = left(want, FRAME, &said->pos)))
		cell_set_num(frame, fabric_frame(w->fabric, link));
	return 0;
}

/* tier and link are no values of a switch: they are what others follow from. */
static int neighbor_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	struct cell *tier = &want->at[TIER], *link = &want->at[LINK];
	int r = 0;

	if (tier->state == CELL_VALUE && !w->fabric) {
		diag_error(d, &tier->pos, "neighbor.tier: group %s belongs to no fabric", w->target->group);
		diag_hint(d, "say fabric: NAME in the group, or give the policy a single fabric:");
		r = -EINVAL;
	} else if (tier->state == CELL_VALUE) {
		r = derive_tier(w, want, d);
	} else if (link->state == CELL_VALUE) {
		diag_error(d, &link->pos, "neighbor.link says which link of a tier, and there is no tier");
		diag_hint(d, "say tier: NAME as well, or leave link out");
		r = -EINVAL;
	} else if (w->fabric) {
		derive_classes(w, want, NULL);
	}
	tier->state = tier->state == CELL_FABRIC ? CELL_FABRIC : CELL_SILENT;
	link->state = link->state == CELL_FABRIC ? CELL_FABRIC : CELL_SILENT;
	return r;
}

/* --- answers: cabling -------------------------------------------------------------- */

struct heard {
	const struct lldp_neighbor *n;
	struct dcbx dcbx;
};

static const char *safe(struct part *p, const char *s)
{
	return text_safe(p->arena, s, strlen(s), SIZE_MAX);
}

static void explain(struct part *p, unsigned i, const char *because, const char *remedy)
{
	if (p->have->at[i].state != CELL_VALUE)
		return;
	p->have->at[i].because = because;
	p->have->at[i].remedy = remedy;
}

static bool wants(const struct part *p, unsigned i, const char *text)
{
	return record_has(p->want, i) && same_pattern(NULL, &p->want->at[i].value, &(struct value){ .text = text }, NULL);
}

static void tell_cabling(struct part *p, const struct heard *h)
{
	const struct lldp_neighbor *n = h->n;
	const char *where = arena_printf(p->arena, "chassis %s, port %s%s%s%s", safe(p, n->chassis_id), safe(p, n->port_id),
					 *n->port_descr ? " (" : "", safe(p, n->port_descr), *n->port_descr ? ")" : "");
	bool by_descr = p->want && !wants(p, PORT, n->port_id) && wants(p, PORT, n->port_descr);

	if (part_open(p, SYSTEM)) {
		part_text(p, SYSTEM, safe(p, neighbor_name(n)), VIA);
		explain(p, SYSTEM, where, arena_printf(p->arena, "plug %s into the switch that is meant, or correct the policy", p->target->name));
	}
	if (part_open(p, PORT)) {
		part_text(p, PORT, safe(p, by_descr ? n->port_descr : n->port_id), VIA);
		explain(p, PORT, where, arena_printf(p->arena, "plug %s into the port that is meant, or correct the policy", p->target->name));
	}
}

/* --- answers: what the frames carry ---------------------------------------------------- */

/* Is there a TLV to compare with; else why not. */
static bool said(struct part *p, unsigned i, const struct dcbx *x, enum dcbx_part part)
{
	if (!part_open(p, i))
		return false;
	if (x->state[part] == DCBX_SAID)
		return true;
	if (x->state[part] == DCBX_MALFORMED)
		part_reason(p, i, REASON_MALFORMED, VIA, "the %s TLV %s", dcbx_name(part), x->why[part]);
	else if (x->cee || x->cin)
		part_reason(p, i, REASON_CEE_PEER, VIA, "the switch speaks the %s form of DCBX, from before the standard, which is not decoded",
			    x->cee ? "CEE" : "CIN");
	else
		part_reason(p, i, REASON_NOT_ADVERTISED, VIA, "the switch sends no %s TLV: not compared", dcbx_name(part));
	return false;
}

void neighbor_shares(const uint8_t tsa[PRIORITIES], const uint8_t bandwidth[PRIORITIES], uint8_t share[PRIORITIES])
{
	for (unsigned i = 0; i < PRIORITIES; i++)
		share[i] = tsa[i] == IEEE_8021QAZ_TSA_STRICT	 ? SHARE_STRICT :
			   tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER ? SHARE_CBS :
			   tsa[i] == IEEE_8021QAZ_TSA_ETS	 ? bandwidth[i] :
								   SHARE_VENDOR;
}

unsigned neighbor_dscp(const struct dcbx *x, uint8_t map[DSCPS])
{
	unsigned n = 0;

	memset(map, VALUE_UNSET, DSCPS);
	for (size_t i = 0; i < x->napps; i++)
		if (x->app[i].selector == IEEE_8021QAZ_APP_SEL_DSCP) {
			map[x->app[i].protocol] = x->app[i].priority;
			n++;
		}
	return n;
}

static void tell_ets(struct part *p, const struct dcbx *x)
{
	static const char remedy[] = "set the scheduler of the switch port as the policy has it (`rdmactl render switch`)";
	uint8_t share[PRIORITIES];

	neighbor_shares(x->ets.tc_tsa, x->ets.tc_tx_bw, share);
	if (said(p, TC, x, DCBX_ETS))
		part_map(p, TC, x->ets.prio_tc, PRIORITIES, VIA);
	if (said(p, ETS, x, DCBX_ETS))
		part_map(p, ETS, share, PRIORITIES, VIA);
	explain(p, TC, NULL, remedy);
	explain(p, ETS, NULL, remedy);
}

static void tell_pfc(struct part *p, const struct dcbx *x)
{
	if (!said(p, PFC, x, DCBX_PFC))
		return;
	part_num(p, PFC, x->pfc.pfc_en, VIA);
	explain(p, PFC, NULL, "set PFC of the switch port as the policy has it: with one end alone, pauses are ignored, or frames lost");
}

/*
 * A DSCP that is asked for and that the switch does not name, or DSCPS. None, where one that it names is on another
 * priority, or where the map only follows from the tier: that is compared as far as it goes.
 */
static unsigned unnamed(const struct part *p, const uint8_t map[DSCPS])
{
	const struct cell *want = p->want ? &p->want->at[DSCP] : NULL;
	unsigned missing = DSCPS;

	if (!want || want->state != CELL_VALUE || want->if_supported)
		return DSCPS;
	for (unsigned i = DSCPS; i-- > 0;) {
		uint8_t prio = want->value.map[i];

		if (prio != VALUE_UNSET && map[i] == VALUE_UNSET)
			missing = i;
		else if (prio != VALUE_UNSET && map[i] != prio)
			return DSCPS;
	}
	return missing;
}

static void tell_dscp(struct part *p, const struct dcbx *x)
{
	uint8_t map[DSCPS];
	unsigned n = neighbor_dscp(x, map), missing;

	if (!said(p, DSCP, x, DCBX_APP))
		return;
	missing = unnamed(p, map);
	if (!n) {
		part_reason(p, DSCP, REASON_NOT_ADVERTISED, VIA, "the APP TLV of the switch names no DSCP: not compared");
		return;
	}
	if (missing < DSCPS) {
		part_reason(p, DSCP, REASON_NOT_ADVERTISED, VIA, "the APP TLV of the switch does not name DSCP %u: not known", missing);
		return;
	}
	part_map(p, DSCP, map, DSCPS, VIA);
	explain(p, DSCP, n < DSCPS ? arena_printf(p->arena, "the switch names %u of 64 DSCPs; the others are not compared", n) : NULL,
		"set the DSCP map of the switch port as the policy has it");
}

static void tell_frame(struct part *p, const struct heard *h)
{
	if (!part_open(p, FRAME))
		return;
	if (!h->n->mfs) {
		part_reason(p, FRAME, REASON_NOT_ADVERTISED, VIA, "the switch sends no maximum frame size: not compared");
		return;
	}
	part_num(p, FRAME, h->n->mfs, VIA);
	explain(p, FRAME, NULL, "raise the MTU of the switch port; its own number may be without header and check sequence");
}

/* One willing bit is enough for yes; for no, no TLV that has one may be unread. */
static void tell_willing(struct part *p, const struct dcbx *x)
{
	bool ets = x->state[DCBX_ETS] == DCBX_SAID && x->ets.willing, pfc = x->state[DCBX_PFC] == DCBX_SAID && x->pfc_willing;
	enum dcbx_part tells = x->state[DCBX_PFC] >= x->state[DCBX_ETS] ? DCBX_PFC : DCBX_ETS;

	if (!part_open(p, WILLING) || (!ets && !pfc && !said(p, WILLING, x, tells)))
		return;
	part_num(p, WILLING, ets || pfc, VIA);
	if (ets || pfc)
		explain(p, WILLING, arena_printf(p->arena, "willing for %s: it takes what a node tells it", ets && pfc ? "ETS and PFC" : ets ? "ETS" : "PFC"),
			"make the switch port not willing: with two ends that wait for each other, nobody decides");
}

/* --- the home ------------------------------------------------------------------------ */

/* One fault, one row: the first cell tells it, the others follow. Without a wish (show) they have nothing to tell. */
static void tell_nobody(struct part *p, const struct neighbor_seen *seen)
{
	const char *first = NULL;

	for (unsigned i = SYSTEM; i <= WILLING; i++) {
		struct cell *c = &p->have->at[i];

		if (!part_open(p, i))
			continue;
		if (first && !p->want) {
			c->state = CELL_SILENT;
			continue;
		}
		cell_set_reason(c, seen->reason, seen->why);
		c->via = VIA;
		c->remedy = seen->remedy;
		c->follows = first;
		first = first ? first : c->name;
	}
}

static int neighbor_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct neighbor_seen seen;
	struct heard h;

	(void)d;
	for (unsigned i = TIER; i <= LINK; i++)
		if (part_open(p, i))
			p->have->at[i].state = CELL_SILENT;
	neighbor_look(k, p->arena, p->target->port, &seen);
	if (!seen.is) {
		tell_nobody(p, &seen);
		return 0;
	}
	h.n = seen.is;
	dcbx_decode(h.n->tlv, h.n->ntlvs, &h.dcbx);
	tell_cabling(p, &h);
	tell_frame(p, &h);
	tell_pfc(p, &h.dcbx);
	tell_ets(p, &h.dcbx);
	tell_dscp(p, &h.dcbx);
	tell_willing(p, &h.dcbx);
	return 0;
}

const struct setting setting_neighbor = {
	.name = "neighbor",
	.why = "A cable in the wrong switch, or a switch port that means something else by a priority, loses frames or spreads "
	       "pauses under load, and nothing on the node looks wrong.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .read = neighbor_read, .interface = "lldpd (liblldpctl), 802.1Qaz TLVs" },
	.derive = neighbor_derive,
};
