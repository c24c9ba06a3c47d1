/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcbx.advertise: lldpd says on the port what its PFC, ETS and APP are (802.1Qaz), so that the switch can verify us. It
 * speaks to lldpd, as custom TLVs of the port; lldpd itself knows nothing of DCB. What is said is what the port has, and
 * where the policy asks for something else, that: it is written after them, and is true from then on. Never willing: a
 * port that a policy rules takes nothing from its switch.
 *
 * What surprises: two TLVs of one kind in a frame cancel each other, and lldpd keeps no note of who asked for a TLV. So a
 * DCBX TLV is ours if our file for lldpd's start has it, or if it says what is due or is so; any other means a second agent
 * on the port, and nothing is written beside it. 6.1 tells 100 % for classes that share nothing: those are said as 0.
 */
#include "settings/advertise.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/dscp.h"
#include "base/text.h"
#include "boot/confd.h"
#include "boot/ours.h"
#include "kernel/kernel.h"
#include "model/desired.h"
#include "settings/dcb.h"
#include "settings/dscp.h"
#include "settings/ets.h"
#include "settings/neighbor.h"
#include "settings/owners.h"
#include "settings/pfc.h"
#include "settings/writing.h"

#define VIA "lldpd"
#define LINE_START "configure ports "

static const struct field fields[] = {
	[DCBX_ADVERTISE] = { "dcbx.advertise", KIND_BOOL,
			     .doc = "lldpd tells the switch this port's PFC, ETS and APP as 802.1Qaz TLVs, so that it can compare them; "
				    "false, or silence, takes away what rdmactl had it tell" },
	{ 0 },
};

/* --- what is due --------------------------------------------------------------------- */

static const struct record *asked_of(const struct desired *des, const struct target *t, const struct setting *s)
{
	for (size_t i = 0; des && i < des->n; i++)
		if (des->wish[i].setting == s && !strcmp(des->wish[i].target->ifname, t->ifname))
			return des->wish[i].want;
	return NULL;
}

const struct wish *advertise_asked(const struct desired *des, const char *ifname)
{
	for (size_t i = 0; des && i < des->n; i++)
		if (des->wish[i].setting == &setting_advertise && !strcmp(des->wish[i].target->ifname, ifname) &&
		    record_num(des->wish[i].want, DCBX_ADVERTISE, 0))
			return &des->wish[i];
	return NULL;
}

static void due_ets(const struct dcb *dcb, const struct record *want, struct ieee_ets *ets)
{
	*ets = dcb->ets;
	if (want)
		ets_fill(want, ets);
	ets->willing = 0;
	for (int i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ets->tc_tx_bw[i] = 0;
}

static void due_pfc(const struct dcb *dcb, const struct record *want, struct dcbx *x)
{
	x->pfc = dcb->pfc;
	x->pfc.pfc_en = want ? (uint8_t)record_num(want, QOS_PFC, dcb->pfc.pfc_en) : dcb->pfc.pfc_en;
	if (!x->pfc.pfc_cap || x->pfc.pfc_cap > IEEE_8021QAZ_MAX_TCS)
		x->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
}

/* {} is no entry at all; a map of the policy leaves the DSCPs that it does not name. */
static bool takes_all(const struct record *want)
{
	if (!want || !record_has(want, QOS_DSCP))
		return want && record_num(want, QOS_TRUST, TRUST_DSCP) == TRUST_PCP;
	for (unsigned i = 0; i < DSCPS; i++)
		if (record_at(want, QOS_DSCP, i, VALUE_UNSET) != VALUE_UNSET)
			return false;
	return true;
}

/* By DSCP, then what others have in the table, in its order. Of a DSCP with several entries one is said. */
static void due_app(const struct dcb *dcb, const struct record *want, struct dcbx *x)
{
	uint8_t prio[DSCPS];

	memset(prio, VALUE_UNSET, sizeof(prio));
	for (size_t i = dcb->napps; i-- > 0 && !takes_all(want);)
		if (dcb->app[i].selector == IEEE_8021QAZ_APP_SEL_DSCP && dcb->app[i].protocol < DSCPS && dcb->app[i].priority < 8)
			prio[dcb->app[i].protocol] = dcb->app[i].priority;
	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t p = want ? record_at(want, QOS_DSCP, i, prio[i]) : prio[i];

		if (p < 8)
			x->app[x->napps++] = (struct dcb_app){ .selector = IEEE_8021QAZ_APP_SEL_DSCP, .priority = p, .protocol = (__u16)i };
	}
	for (size_t i = 0; i < dcb->napps && x->napps < DCBX_APPS; i++)
		if (dcb->app[i].selector != IEEE_8021QAZ_APP_SEL_DSCP && dcb->app[i].selector < 8 && dcb->app[i].priority < 8)
			x->app[x->napps++] = dcb->app[i];
}

int advertise_due(struct kernel *k, const struct target *t, const struct desired *des, struct advertised *out)
{
	const struct record *ets = asked_of(des, t, &setting_ets), *pfc = asked_of(des, t, &setting_pfc);
	bool said[DCBX_PARTS] = { false };
	struct dcbx x = { .napps = 0 };
	const struct dcb *dcb;
	int r = dcbnl_get(k, t->ifname, &dcb);

	if (r < 0)
		return r;
	if (dcb_unset(t, dcb) && !(ets && pfc))
		return -EIO;
	due_ets(dcb, ets, &x.ets);
	due_pfc(dcb, pfc, &x);
	due_app(dcb, asked_of(des, t, &setting_dscp), &x);
	said[DCBX_ETS] = dcb->has_ets;
	said[DCBX_PFC] = dcb->has_pfc;
	said[DCBX_APP] = true;
	for (int p = 0; p < DCBX_PARTS; p++) {
		struct lldp_tlv *tlv = &out->tlv[p];

		memcpy(tlv->oui, DCBX_OUI, sizeof(tlv->oui));
		tlv->subtype = dcbx_subtype((enum dcbx_part)p);
		tlv->info = out->bytes[p];
		tlv->n = said[p] ? dcbx_encode((enum dcbx_part)p, &x, out->bytes[p]) : 0;
	}
	return 0;
}

/* --- our file, as far as it says what is ours ------------------------------------------ */

void advertise_bytes(struct text *out, const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text_printf(out, "%s%02x", i ? "," : "", s[i]);
}

/* A line is cut at blanks, and a list of ports at commas. */
static bool fits_line(const char *ifname)
{
	return *ifname && !strpbrk(ifname, " \t\r\n,\"'\\#") && text_is_utf8(ifname, strlen(ifname));
}

void advertise_line(struct text *out, const char *ifname, const struct lldp_tlv *tlv)
{
	if (!fits_line(ifname))
		return;
	text_printf(out, LINE_START "%s lldp custom-tlv replace oui ", ifname);
	advertise_bytes(out, tlv->oui, sizeof(tlv->oui));
	text_printf(out, " subtype %u oui-info ", tlv->subtype);
	advertise_bytes(out, tlv->info, tlv->n);
	text_char(out, '\n');
}

/* A line for that port; of this TLV, or of any if it is NULL */
static bool in_file(struct kernel *k, const char *ifname, const struct lldp_tlv *tlv)
{
	TEXT_CLEANUP struct text due = { 0 };
	const struct source *file;
	struct confd_line l = { 0 };

	if (!fits_line(ifname) || ours_source(k, OURS_LLDPD, &file) < 0 || !file)
		return false;
	if (tlv)
		advertise_line(&due, ifname, tlv);
	else
		text_printf(&due, LINE_START "%s \n", ifname);
	for (l.source = file; confd_line(&l);)
		if (l.n >= due.n - 1 && !memcmp(l.s, text_str(&due), due.n - 1) && (!tlv || l.n == due.n - 1))
			return true;
	return false;
}

/* --- what is said --------------------------------------------------------------------- */

static struct lldp_tlv kind_of(int part)
{
	struct lldp_tlv t = { .subtype = dcbx_subtype((enum dcbx_part)part) };

	memcpy(t.oui, DCBX_OUI, sizeof(t.oui));
	return t;
}

static bool same_kind(const struct lldp_tlv *a, const struct lldp_tlv *b)
{
	return !memcmp(a->oui, b->oui, sizeof(a->oui)) && a->subtype == b->subtype;
}

static bool same_bytes(const struct lldp_tlv *a, const struct lldp_tlv *b)
{
	return a->n == b->n && !memcmp(a->info, b->info, a->n);
}

/* The first TLV of this kind that the port sends, and in *n how many there are. */
static const struct lldp_tlv *said_of(const struct lldp_port *port, const struct lldp_tlv *kind, size_t *n)
{
	const struct lldp_tlv *first = NULL;

	*n = 0;
	for (size_t i = 0; i < port->ntlvs; i++)
		if (same_kind(&port->tlv[i], kind) && !(*n)++)
			first = &port->tlv[i];
	return first;
}

/* Is exactly this said of that kind? n 0: nothing. */
static bool says(const struct lldp_port *port, const struct lldp_tlv *due)
{
	size_t n;
	const struct lldp_tlv *said = said_of(port, due, &n);

	return due->n ? n == 1 && same_bytes(said, due) : n == 0;
}

static const char *bytes(struct arena *a, const struct lldp_tlv *t)
{
	TEXT_CLEANUP struct text s = { 0 };

	advertise_bytes(&s, t->info, t->n);
	return arena_strdup(a, text_str(&s));
}

static bool is_part_of(const struct advertised *a, const struct lldp_tlv *t)
{
	for (int p = 0; p < DCBX_PARTS; p++)
		if (a->tlv[p].n && same_kind(t, &a->tlv[p]) && same_bytes(t, &a->tlv[p]))
			return true;
	return false;
}

/* Does it say of the port what is so, whoever asked for it? */
static bool is_so(struct kernel *k, const char *ifname, const struct lldp_tlv *t)
{
	struct advertised now;

	return advertise_due(k, &(struct target){ .scope = SCOPE_WIRE, .ifname = ifname }, NULL, &now) == 0 && is_part_of(&now, t);
}

bool advertise_ours(struct kernel *k, const char *ifname, const struct lldp_tlv *tlv)
{
	return in_file(k, ifname, tlv) || (in_file(k, ifname, NULL) && is_so(k, ifname, tlv));
}

/* Neither ours nor due, nor what the port has: somebody else's. NULL: there is none */
static const struct lldp_tlv *foreign(struct kernel *k, const struct lldp_port *port, const struct advertised *due)
{
	for (size_t i = 0; i < port->ntlvs; i++) {
		const struct lldp_tlv *t = &port->tlv[i];

		if (dcbx_speaks(t) && !is_part_of(due, t) && !advertise_ours(k, port->ifname, t) && !is_so(k, port->ifname, t))
			return t;
	}
	return NULL;
}

/* Does the port say all that is due and no more? *why: what is amiss. */
static bool says_all(struct kernel *k, struct arena *a, const struct lldp_port *port, const struct advertised *due, const char **why)
{
	const struct lldp_tlv *other = foreign(k, port, due);

	if (other) {
		*why = arena_printf(a, "lldpd also sends %s of OUI %s, which speaks DCBX and is not ours", bytes(a, other),
				    bytes(a, &(struct lldp_tlv){ .info = other->oui, .n = sizeof(other->oui) }));
		return false;
	}
	for (int p = 0; p < DCBX_PARTS; p++) {
		const struct lldp_tlv *want = &due->tlv[p], *said;
		const char *name = dcbx_name((enum dcbx_part)p);
		size_t n;

		if (says(port, want))
			continue;
		said = said_of(port, want, &n);
		*why = !n ? arena_printf(a, "lldpd sends no %s TLV", name) :
		       n > 1 ? arena_printf(a, "lldpd sends %zu %s TLVs, which cancel each other", n, name) :
			       arena_printf(a, "lldpd sends the %s TLV %s, and %s is due", name, bytes(a, said),
					    want->n ? bytes(a, want) : "none");
		return false;
	}
	return true;
}

/* Is anything said that we had it say? */
static bool says_ours(struct kernel *k, const struct lldp_port *port)
{
	for (size_t i = 0; i < port->ntlvs; i++)
		if (advertise_ours(k, port->ifname, &port->tlv[i]))
			return true;
	return false;
}

/*
 * While a run is undone, what is due is not known: other values of the port are on their way back, and the policy may be
 * another. Known is what was said before the run: once that is said again, it is as before.
 */
static bool says_since(const struct part *p, const struct lldp_port *port)
{
	const struct change *c = p->checked;
	bool want = record_num(p->want, DCBX_ADVERTISE, 0), before = c && c->before && advertise_is(p->arena, port, c->before);

	return c && before != c->undo ? !want : want;
}

bool advertise_nobody(int err)
{
	return err == -ENOENT || err == -ECONNREFUSED;
}

/* What lldpd sends on the target's port; NULL: the cell got its answer. */
static const struct lldp_port *ask(struct kernel *k, struct part *p)
{
	const struct lldp_port *port = NULL;
	struct neighbor_seen seen;
	const struct lldp *l;
	int r;

	if (!*p->target->ifname) {
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "this port has no netdev in this network namespace");
		return NULL;
	}
	r = lldp_get(k, &l);
	port = r == 0 ? lldp_port(l, p->target->ifname) : NULL;
	if (port)
		return port;
	if (advertise_nobody(r) && p->want && !record_num(p->want, DCBX_ADVERTISE, 1)) {
		part_num(p, DCBX_ADVERTISE, false, VIA);
		return NULL;
	}
	if (r < 0)
		neighbor_trouble(p->arena, r, &seen);
	else
		neighbor_not_listening(p->arena, p->target->port, &seen);
	part_reasons(p, seen.reason, VIA, "%s", seen.why);
	p->have->at[DCBX_ADVERTISE].remedy = seen.remedy;
	return NULL;
}

static int advertise_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct lldp_port *port = ask(k, p);
	struct advertised due;
	const char *why = NULL;
	int r;

	(void)d;
	if (!port)
		return 0;
	if (p->want && (p->undo || !record_num(p->want, DCBX_ADVERTISE, 1))) {
		part_num(p, DCBX_ADVERTISE, p->undo ? says_since(p, port) : says_ours(k, port), VIA);
		return 0;
	}
	if (!dcb_ask(k, p))
		return 0;
	r = advertise_due(k, p->target, p->want ? p->desired : NULL, &due);
	if (r < 0) {
		part_reasons(p, REASON_UNREADABLE, DCB_VIA, "what it would be to say is not known (%s)", strerror(-r));
		return 0;
	}
	part_num(p, DCBX_ADVERTISE, says_all(k, p->arena, port, &due, &why), VIA);
	if (why)
		p->have->at[DCBX_ADVERTISE].because = why;
	return 0;
}

/* --- writing --------------------------------------------------------------------------- */

static void add_said(struct text *t, const struct lldp_tlv *tlv)
{
	text_printf(t, "%s%u:", t->n ? " " : "", tlv->subtype);
	for (size_t i = 0; i < tlv->n; i++)
		text_printf(t, "%02x", tlv->info[i]);
}

const char *advertise_said(struct arena *a, const struct lldp_port *port)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (int p = 0; p < DCBX_PARTS; p++) {
		const struct lldp_tlv kind = kind_of(p);

		for (size_t i = 0; i < port->ntlvs; i++)
			if (same_kind(&port->tlv[i], &kind))
				add_said(&t, &port->tlv[i]);
	}
	return arena_strdup(a, text_str(&t));
}

bool advertise_is(struct arena *a, const struct lldp_port *port, const char *said)
{
	return !strcmp(advertise_said(a, port), said);
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The next of advertise_said(), which may come from a journal. Return: 1; 0 at the end; -EINVAL */
static int said_next(const char **s, struct lldp_tlv *tlv, uint8_t room[LLDP_INFO])
{
	unsigned subtype = 0;
	const char *at = *s + strspn(*s, " ");

	if (!*at)
		return 0;
	while (*at >= '0' && *at <= '9' && subtype <= UINT8_MAX)
		subtype = subtype * 10 + (unsigned)(*at++ - '0');
	if (*at++ != ':' || subtype > UINT8_MAX)
		return -EINVAL;
	tlv->n = 0;
	while (*at && *at != ' ') {
		int high = digit(at[0]), low = high < 0 ? -1 : digit(at[1]);

		if (low < 0 || tlv->n == LLDP_INFO)
			return -EINVAL;
		room[tlv->n++] = (uint8_t)(high << 4 | low);
		at += 2;
	}
	memcpy(tlv->oui, DCBX_OUI, sizeof(tlv->oui));
	tlv->subtype = (uint8_t)subtype;
	tlv->info = room;
	*s = at;
	return 1;
}

static int say(struct kernel *k, const char *ifname, const struct lldp_tlv *kind, const struct lldp_tlv *tlv, size_t n)
{
	struct lldp_words w = { .ifname = ifname, .subtype = kind->subtype, .tlv = tlv, .n = n };

	memcpy(w.oui, kind->oui, sizeof(w.oui));
	return kernel_lldp_say(k, &w);
}

int advertise_back(struct kernel *k, struct arena *a, const char *ifname, const char *before)
{
	for (int p = 0; p < DCBX_PARTS; p++) {
		const struct lldp_tlv kind = kind_of(p);
		struct { struct lldp_tlv *at; size_t n, room; } list = { 0 };
		const char *s = before ? before : "";
		uint8_t *room = arena_alloc(a, LLDP_INFO);
		struct lldp_tlv one;
		int r;

		while ((r = said_next(&s, &one, room)) > 0)
			if (same_kind(&one, &kind) && list.n < LLDP_TLVS) {
				list_add(&list, a) = one;
				room = arena_alloc(a, LLDP_INFO);
			}
		if (r == 0)
			r = say(k, ifname, &kind, list.at, list.n);
		if (r < 0)
			return r;
	}
	return 0;
}

static int say_due(struct kernel *k, const struct lldp_port *port, const struct advertised *due)
{
	int r = 0;

	for (int p = 0; r == 0 && p < DCBX_PARTS; p++)
		if (!says(port, &due->tlv[p]))
			r = say(k, port->ifname, &due->tlv[p], &due->tlv[p], due->tlv[p].n ? 1 : 0);
	return r;
}

int advertise_end(struct kernel *k, struct arena *a, const struct lldp_port *port)
{
	struct { struct lldp_tlv *at; size_t n, room; } rest[DCBX_PARTS] = { { 0 } };
	bool ours[DCBX_PARTS] = { false };
	int r = 0;

	for (size_t i = 0; i < port->ntlvs; i++)
		for (int p = 0; p < DCBX_PARTS; p++) {
			const struct lldp_tlv kind = kind_of(p);

			if (!same_kind(&port->tlv[i], &kind))
				continue;
			if (advertise_ours(k, port->ifname, &port->tlv[i]))
				ours[p] = true;
			else
				list_add(&rest[p], a) = port->tlv[i];
		}
	for (int p = 0; r == 0 && p < DCBX_PARTS; p++) {
		const struct lldp_tlv kind = kind_of(p);

		if (ours[p])
			r = say(k, port->ifname, &kind, rest[p].at, rest[p].n);
	}
	return r;
}

static int write_wanted(struct kernel *k, const struct change *c, bool say_it)
{
	const struct lldp_port *port;
	struct advertised due;
	const struct lldp *l;
	int r = lldp_get(k, &l);

	if (r < 0)
		return r;
	port = lldp_port(l, c->target->ifname);
	if (!port)
		return -ENODEV;
	if (!say_it)
		return advertise_end(k, c->arena, port);
	r = advertise_due(k, c->target, c->desired, &due);
	return r < 0 ? r : say_due(k, port, &due);
}

static int advertise_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = &change_want(c, &setting_advertise)->at[DCBX_ADVERTISE];
	size_t told = d->n;
	int r = c->undo ? advertise_back(k, c->arena, c->target->ifname, c->before) : write_wanted(k, c, want->value.num);

	if (r < 0)
		diag_error(d, want->pos.source ? &want->pos : NULL, "cannot tell lldpd what to send")->err = -r;
	return writing_told(c, want, d, told, r);
}

/* --- weighing --------------------------------------------------------------------------- */

bool advertise_obstacle(struct kernel *k, struct change *c, const struct advertised *due)
{
	const struct lldp_port *port;
	const struct lldp_tlv *other;
	const struct lldp *l;

	if (owners_dcb(k, c) || lldp_get(k, &l) < 0)
		return c->refused;
	port = lldp_port(l, c->target->ifname);
	other = port ? foreign(k, port, due) : NULL;
	c->barred = c->barred || other;		/* beside his, ours would say nothing: --take-over does not help */
	if (other)
		change_refuse(c, REFUSED_OTHER_OWNER,
			      "lldpd was told by somebody else to send DCBX on %s (OUI %s, subtype %u: %s), and two that speak it cancel "
			      "each other: see `lldpcli show interfaces ports %s details`, and unconfigure that custom-tlv",
			      c->target->ifname, bytes(c->arena, &(struct lldp_tlv){ .info = other->oui, .n = sizeof(other->oui) }),
			      other->subtype, bytes(c->arena, other), c->target->ifname);
	return c->refused;
}

static bool same_due(const struct advertised *a, const struct advertised *b)
{
	for (int p = 0; p < DCBX_PARTS; p++)
		if (!same_bytes(&a->tlv[p], &b->tlv[p]))
			return false;
	return true;
}

static int advertise_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_advertise);
	const struct lldp_port *port;
	struct advertised due, now;
	const struct lldp *l;
	int r;

	(void)d;
	r = lldp_get(k, &l);
	port = r == 0 ? lldp_port(l, c->target->ifname) : NULL;
	if (!port)
		return r < 0 ? r : -ENODEV;
	c->before = advertise_said(c->arena, port);
	if (!record_num(want, DCBX_ADVERTISE, 0))
		return 0;			/* what is ours goes, whoever owns the port */
	r = advertise_due(k, c->target, c->desired, &due);
	r = r < 0 ? r : advertise_due(k, c->target, NULL, &now);
	if (r < 0)
		return r;
	c->ahead = !same_due(&due, &now);
	advertise_obstacle(k, c, &due);
	return 0;
}

static const struct setting *const told[] = { &setting_ets, &setting_pfc, &setting_dscp, NULL };

const struct setting setting_advertise = {
	.name = "advertise",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.why = "A switch that is told nothing cannot see that the node's PFC, ETS or DSCP map is another than its own.",
	.live = { .object = "lldpd", .read = advertise_read, .write = advertise_write, .weigh = advertise_weigh, .tells = told,
		  .interface = "liblldpctl: custom TLVs of the port, OUI 00-80-C2, subtypes 9, 11 and 12" },
};
