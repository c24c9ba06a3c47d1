/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer.sizes, buffer.prio: a port's receive buffers, and which of them holds what comes on a priority (dcb netlink,
 * DCB_ATTR_DCB_BUFFER); buffer.cable: the length from which mlx5 derives xoff, how much a lossless buffer must still
 * take in after a pause was sent (ieee_pfc.delay, which is bit times on paper and metres there). Of NICs mlx5 alone has
 * buffers; a kernel accepts them for others too, and does nothing, so they are only written where they can be read.
 *
 * What surprises: until a size or a priority is written that differs, firmware sizes the buffers, and again with each
 * change of PFC; then the driver has them, sizes nothing, and derives xoff with each change of PFC, cable and, on newer
 * kernels, MTU. Nothing shows which of the two it is. Linux 6.1 forgets it with the driver, as all forget the cable, which
 * is why a wrong cable makes the driver take the buffers: a byte more is another size to it, and the same cells to the
 * device. The driver judges a new map by the old sizes, and refuses a lossless buffer that is too small with ENOMEM; when
 * that shows in a PFC write, PFC is on already. Hence the arithmetic before the write (fabric/headroom.h).
 *
 * PFC and MTU do not name buffers among what they disturb: to put firmware's sizes back would take the buffers from it.
 * Where the policy asks for buffers, the plan that follows a run sees what became of them.
 */
#include "settings/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "fabric/headroom.h"
#include "kernel/ethnl.h"
#include "kernel/rtnl.h"
#include "model/desired.h"
#include "settings/dcb.h"
#include "settings/mtu.h"
#include "settings/pause.h"
#include "settings/pfc.h"
#include "settings/writing.h"

#define N DCBX_MAX_BUFFERS
#define LEAVES "manual buffers: firmware no longer sizes them when PFC changes, until the driver is loaded anew"

enum { CELL_MOST = 256, CABLE_MOST = 999 };

_Static_assert(DCBX_MAX_BUFFERS == AMOUNTS, "one entry a buffer");

/* The device rounds down to its cells. */
static bool same_sizes(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	for (unsigned i = 0; i < N; i++)
		if (want->amount[i] != AMOUNT_UNSET &&
		    (have->amount[i] > want->amount[i] || want->amount[i] - have->amount[i] >= CELL_MOST))
			return false;
	return true;
}

/* A text beside the number: a lossless buffer is too small for it, so that it satisfies no wish but that of an undo. */
static bool same_cable(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->num == have->num && (want->text || !have->text);
}

static const struct field fields[] = {
	[BUFFER_CABLE] = { "buffer.cable", KIND_UINT, .min = 1, .max = CABLE_MOST, .unit = "m", .same = same_cable,
			   .doc = "length of the cable, from which the driver derives xoff; a lossless buffer that is too small for "
				  "it, and that buffer.sizes does not name, is made as large as it must be" },
	[BUFFER_SIZES] = { "buffer.sizes", KIND_AMOUNTS, .max = UINT32_MAX, .unit = "bytes", .same = same_sizes,
			   .doc = "size of each receive buffer, rounded down to the device's cells; those not named are kept" },
	[BUFFER_PRIO] = { "buffer.prio", KIND_MAP, .max = N - 1, .span = 8,
			  .doc = "receive buffer of each priority; those not named are kept" },
	{ 0 },
};

/* --- arithmetic --------------------------------------------------------------- */

/* Buffers that must lose nothing: a priority with PFC is in it, or global pause is on. */
static unsigned lossless(const struct dcbnl_buffer *b, unsigned priorities)
{
	unsigned set = 0;

	for (unsigned i = 0; i < 8; i++)
		if (priorities >> i & 1)
			set |= 1u << b->prio2buffer[i];
	return set;
}

static unsigned paused(struct kernel *k, const struct target *t, const struct dcb *dcb)
{
	int err = 0;
	const struct ethnl_pause *pause = ethnl_pause(k, t->ifindex, &err);

	return pause && (pause->rx || pause->tx) ? 0xff : dcb->has_pfc ? dcb->pfc.pfc_en : 0;
}

static uint64_t sum_of(const struct dcbnl_buffer *b)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < N; i++)
		sum += b->buffer_size[i];
	return sum;
}

/* What a lossless buffer needs, and by what it was reckoned. */
struct need {
	struct headroom_receive in;
	struct headroom is;
};

static uint32_t mtu_now(struct kernel *k, const struct target *t)
{
	const struct rtnl_link *link = rtnl_link(k, t->ifname);

	return link ? link->mtu : t->port->mtu;
}

static struct need need_of(struct kernel *k, const struct target *t, unsigned cable, uint32_t mtu)
{
	const struct rtnl_link *link = rtnl_link(k, t->ifname);
	struct need need = { .in = { .speed_mbps = t->port->speed_mbps, .cable_m = cable, .mtu = mtu,
				     .max_mtu = link ? link->max_mtu : t->port->max_mtu } };

	headroom_receive(&need.in, &need.is);
	return need;
}

/* "xoff is 56080 bytes (100Gb/s, 7m, MTU 9000), a lossless buffer 66304 at least" */
static const char *arithmetic(struct arena *a, const struct need *need)
{
	const struct headroom_receive *in = &need->in;
	TEXT_CLEANUP struct text speed = { 0 };

	if (in->speed_mbps)
		units_print(in->speed_mbps, "Mb/s", &speed);
	else
		text_add(&speed, "no link, so as for 40Gb/s");
	return arena_printf(a, "xoff is %" PRIu64 " bytes (%s, %um, MTU %u), a lossless buffer %" PRIu64 " at least",
			    need->is.xoff, text_str(&speed), in->cable_m, in->mtu, need->is.size);
}

/* --- reading ------------------------------------------------------------------ */

static bool has_cable(const struct target *t, const struct dcb *dcb)
{
	return dcb_manners_of(t)->delay_is_cable && dcb->has_pfc && dcb->has_buffer;
}

static void tell_cable(struct kernel *k, struct part *p, const struct dcb *dcb)
{
	struct cell *c = &p->have->at[BUFFER_CABLE];
	struct need need;
	unsigned set;

	if (!part_open(p, BUFFER_CABLE))
		return;
	part_num(p, BUFFER_CABLE, dcb->pfc.delay, DCB_VIA);
	need = need_of(k, p->target, dcb->pfc.delay, mtu_now(k, p->target));
	c->because = arithmetic(p->arena, &need);
	if (!record_has(p->want, BUFFER_CABLE))
		return;
	set = lossless(&dcb->buffer, paused(k, p->target, dcb));
	for (unsigned i = 0; i < N; i++)
		if (set >> i & 1 && dcb->buffer.buffer_size[i] + CELL_MOST <= need.is.size)
			c->value.text = c->because = arena_printf(p->arena, "buffer %u has %u bytes: %s", i,
								  dcb->buffer.buffer_size[i], arithmetic(p->arena, &need));
}

static void tell_sizes(struct part *p, const struct dcbnl_buffer *b)
{
	int64_t size[N];

	for (unsigned i = 0; i < N; i++)
		size[i] = b->buffer_size[i];
	part_amounts(p, BUFFER_SIZES, size, DCB_VIA);
	for (unsigned i = 0; i < N; i++) {
		int64_t want = record_amount(p->want, BUFFER_SIZES, i, size[i]);

		if (want > size[i] && want - size[i] < CELL_MOST && record_has(p->have, BUFFER_SIZES))
			p->have->at[BUFFER_SIZES].because =
				arena_printf(p->arena, "the device has whole cells: of %" PRId64 " bytes buffer %u keeps %" PRId64,
					     want, i, size[i]);
	}
}

static int buffer_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct dcb *dcb = dcb_ask(k, p);

	(void)d;
	if (!dcb)
		return 0;
	if (!dcb->has_buffer && dcb_manners_of(p->target)->delay_is_cable)
		part_reasons(p, REASON_UNREADABLE, DCB_VIA,
			     "the driver did not tell them: it failed to, see the kernel log, or the firmware has no such registers");
	if (!dcb->has_buffer) {
		part_reasons(p, REASON_DRIVER_LACKS, DCB_VIA, "the driver has DCB, but no receive buffers in it");
		return 0;
	}
	tell_sizes(p, &dcb->buffer);
	part_map(p, BUFFER_PRIO, dcb->buffer.prio2buffer, 8, DCB_VIA);
	if (has_cable(p->target, dcb))
		tell_cable(k, p, dcb);
	part_reasons(p, REASON_DRIVER_LACKS, DCB_VIA, "the delay of this driver is no length of cable");
	return 0;
}

/* --- what is to be -------------------------------------------------------------- */

struct layout {
	struct dcbnl_buffer now, to;
	unsigned cable_now, cable;
	unsigned lossless_now, lossless_then;	/* priorities: now, and as the policy has it */
	struct need need, need_then;		/* by the larger of the MTU that is there and the one that comes, and by the latter */
};

/* What is asked of the same port under another setting; NULL: nothing, or nobody knows. */
static const struct record *wish_of(const struct change *c, const struct setting *s)
{
	const struct desired *all = c->desired;

	for (size_t i = 0; all && i < all->n; i++) {
		const struct target *t = all->wish[i].target;

		if (all->wish[i].setting == s && t->port && (t->port == c->target->port ||
		    (*t->ifname && !strcmp(t->ifname, c->target->port->master))))
			return all->wish[i].want;
	}
	return NULL;
}

/* Global pause makes all of them lossless. It goes when the policy says so, and with a PFC that is written. */
static unsigned lossless_later(const struct change *c, unsigned now, unsigned pfc_now)
{
	const struct record *pause = wish_of(c, &setting_pause);
	unsigned pfc = (unsigned)record_num(wish_of(c, &setting_pfc), QOS_PFC, pfc_now);

	if (record_num(pause, PAUSE_RX, 0) || record_num(pause, PAUSE_TX, 0))
		return 0xff;
	return pfc != pfc_now || (!record_num(pause, PAUSE_RX, 1) && !record_num(pause, PAUSE_TX, 1)) ? pfc : now;
}

static void fill(const struct record *want, struct layout *l)
{
	for (unsigned i = 0; i < N; i++)
		l->to.buffer_size[i] = (uint32_t)record_amount(want, BUFFER_SIZES, i, l->now.buffer_size[i]);
	for (unsigned i = 0; i < 8; i++)
		l->to.prio2buffer[i] = record_at(want, BUFFER_PRIO, i, l->now.prio2buffer[i]);
}

/* As large as it must be, where the policy says the cable and leaves the size to it. */
static void enlarge(const struct record *want, struct layout *l)
{
	unsigned set = lossless(&l->to, l->lossless_now | l->lossless_then);

	for (unsigned i = 0; i < N; i++)
		if (set >> i & 1 && l->to.buffer_size[i] < l->need.is.size &&
		    record_amount(want, BUFFER_SIZES, i, AMOUNT_UNSET) == AMOUNT_UNSET)
			l->to.buffer_size[i] = (uint32_t)l->need.is.size;
}

static bool buffer_parse(const char *s, struct dcbnl_buffer *b)
{
	for (unsigned i = 0; s && i < N; i++) {
		uint64_t size;
		unsigned prio;
		int used = 0;

		if (sscanf(s, "%10" SCNu64 ":%1u%n", &size, &prio, &used) != 2 || size > UINT32_MAX || prio >= N)
			return false;
		b->buffer_size[i] = (uint32_t)size;
		b->prio2buffer[i] = (uint8_t)prio;
		s += used;
	}
	return s && !*s;
}

/* Size of each buffer, and buffer of each priority. */
static const char *buffer_text(struct arena *a, const struct dcbnl_buffer *b)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (unsigned i = 0; i < N; i++)
		text_printf(&t, "%s%u:%u", i ? " " : "", b->buffer_size[i], b->prio2buffer[i]);
	return arena_strdup(a, text_str(&t));
}

static int survey(struct kernel *k, const struct change *c, struct layout *l)
{
	const struct record *want = change_want(c, &setting_buffer);
	uint32_t mtu = mtu_now(k, c->target), mtu_then = (uint32_t)record_num(wish_of(c, &setting_mtu), MTU, mtu);
	const struct dcb *dcb;
	int r = dcbnl_get(k, c->target->ifname, &dcb);

	if (r == 0 && !dcb->has_buffer)
		r = -EIO;		/* read a moment ago: what is to be kept would be written as zeros */
	if (r < 0)
		return r;
	*l = (struct layout){ .now = dcb->buffer, .to = dcb->buffer };
	l->cable_now = has_cable(c->target, dcb) ? dcb->pfc.delay : 0;
	l->cable = (unsigned)record_num(want, BUFFER_CABLE, l->cable_now);
	l->lossless_now = paused(k, c->target, dcb);
	l->lossless_then = lossless_later(c, l->lossless_now, dcb->has_pfc ? dcb->pfc.pfc_en : 0);
	l->need = need_of(k, c->target, l->cable, mtu > mtu_then ? mtu : mtu_then);
	l->need_then = need_of(k, c->target, l->cable, mtu_then);
	if (c->undo && buffer_parse(c->before, &l->to))
		return 0;
	fill(want, l);
	if (record_has(want, BUFFER_CABLE))
		enlarge(want, l);
	return 0;
}

/* --- writing -------------------------------------------------------------------- */

/* With the mask that is there, so that the link stays. */
static int set_cable(struct kernel *k, const char *ifname, unsigned cable, struct diags *d)
{
	const struct dcb *dcb;
	struct ieee_pfc pfc;
	int r = dcbnl_get(k, ifname, &dcb);

	if (r == 0 && !dcb->has_pfc)
		r = -EIO;
	if (r < 0 || dcb->pfc.delay == cable)
		return r;
	pfc = dcb->pfc;
	pfc.delay = (uint16_t)cable;
	return dcbnl_set_pfc(k, ifname, &pfc, d);
}

static int step(struct kernel *k, const char *ifname, struct dcbnl_buffer *at, const struct dcbnl_buffer *to, struct diags *d)
{
	int r = memcmp(at, to, sizeof(*at)) ? dcbnl_set_buffer(k, ifname, to, d) : 0;

	if (r == 0)
		*at = *to;
	return r;
}

/* The larger of each, with the old map; @least: of what was there no more than it needs. Return: does the port have room? */
static bool both_fit(const struct layout *l, bool least, struct dcbnl_buffer *both)
{
	unsigned used = lossless(&l->now, 0xff);

	*both = l->now;
	for (unsigned i = 0; i < N; i++) {
		uint64_t most = !least ? UINT32_MAX : used >> i & 1 ? l->need.is.size : 0;

		if (both->buffer_size[i] > most)
			both->buffer_size[i] = (uint32_t)most;
		if (both->buffer_size[i] < l->to.buffer_size[i])
			both->buffer_size[i] = l->to.buffer_size[i];
	}
	return sum_of(both) <= l->now.total_size;
}

/* The driver judges a map by the sizes that were there: first room for both, then the map, then the sizes. */
static int set_buffers(struct kernel *k, const char *ifname, const struct layout *l, struct diags *d)
{
	struct dcbnl_buffer at = l->now, both;
	int r = 0;

	if (memcmp(at.prio2buffer, l->to.prio2buffer, 8) && (both_fit(l, false, &both) || both_fit(l, true, &both))) {
		r = step(k, ifname, &at, &both, d);
		memcpy(both.prio2buffer, l->to.prio2buffer, 8);
		if (r == 0)
			r = step(k, ifname, &at, &both, d);
	}
	return r == 0 ? step(k, ifname, &at, &l->to, d) : r;
}

/* Has the driver take the buffers, so that it derives xoff from the cable: a byte more, or in a full port a cell less, and back. */
static int take(struct kernel *k, const char *ifname, struct layout *l, struct diags *d)
{
	struct dcbnl_buffer less = l->now;
	unsigned most = 0;

	for (unsigned i = 1; i < N; i++)
		most = l->now.buffer_size[i] > l->now.buffer_size[most] ? i : most;
	if (!less.buffer_size[most]--)
		return 0;
	if (sum_of(&l->now) >= l->now.total_size)
		return step(k, ifname, &l->now, &less, d);
	l->to.buffer_size[most]++;
	return 0;
}

static const struct cell *first_wanted(const struct record *want)
{
	size_t i = 0;

	while (i + 1 < want->n && want->at[i].state != CELL_VALUE)
		i++;
	return &want->at[i];
}

static int buffer_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = first_wanted(change_want(c, &setting_buffer));
	const char *ifname = c->target->ifname;
	size_t told = d->n;
	struct layout l;
	int r = survey(k, c, &l);

	if (r < 0)
		return writing_told(c, want, d, told, r);
	if (l.cable != l.cable_now && !c->undo && !memcmp(&l.now, &l.to, sizeof(l.now)))
		r = take(k, ifname, &l, d);
	if (r == 0 && l.cable < l.cable_now)	/* xoff has to fit the smaller buffers at each moment */
		r = set_cable(k, ifname, l.cable, d);
	if (r == 0)
		r = set_buffers(k, ifname, &l, d);
	if (r == 0 && l.cable > l.cable_now)
		r = set_cable(k, ifname, l.cable, d);
	return writing_told(c, want, d, told, r);
}

/* --- weighing --------------------------------------------------------------------- */

static bool refuse_total(struct change *c, const struct layout *l)
{
	uint64_t sum = sum_of(&l->to);

	if (sum <= l->to.total_size)
		return false;
	change_refuse(c, REFUSED_IMPOSSIBLE,
		      "the receive buffers would take %" PRIu64 " bytes together, and the port has %u; %s: name smaller ones in "
		      "buffer.sizes",
		      sum, l->to.total_size, arithmetic(c->arena, &l->need));
	return true;
}

static bool refuse_empty(struct change *c, const struct layout *l)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = l->to.prio2buffer[i], was = l->now.prio2buffer[i];

		if (l->to.buffer_size[at] || (at == was && !l->now.buffer_size[was]))
			continue;
		change_refuse(c, REFUSED_IMPOSSIBLE,
			      "priority %u would have receive buffer %u, which has no bytes: name its size in buffer.sizes, or "
			      "another buffer in buffer.prio",
			      i, at);
		return true;
	}
	return false;
}

static bool refuse_small(struct change *c, const struct layout *l, unsigned priorities, const struct need *need, bool for_now)
{
	unsigned set = lossless(&l->to, priorities);

	for (unsigned i = 0; i < N; i++) {
		if (!(set >> i & 1) || l->to.buffer_size[i] >= need->is.size)
			continue;
		change_refuse(c, REFUSED_IMPOSSIBLE, "receive buffer %u is lossless and would have %u bytes; %s: %scorrect buffer.sizes",
			      i, l->to.buffer_size[i], arithmetic(c->arena, need),
			      for_now ? "apply writes it after PFC, pause or the MTU, with which it is large enough; if they stay, " : "");
		return true;
	}
	return false;
}

static bool differs(const struct layout *l)
{
	return l->cable != l->cable_now || memcmp(&l->now, &l->to, sizeof(l->now));
}

static int buffer_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	bool by_xoff = dcb_manners_of(c->target)->delay_is_cable;
	struct layout l;

	(void)d;
	if (!change_want(c, &setting_buffer) || dcb_refused(k, c) || survey(k, c, &l) < 0)
		return 0;
	if (differs(&l))
		change_costs(c, IMPACT_TRAFFIC, "receive buffers laid out anew");
	c->before = buffer_text(c->arena, &l.now);
	c->leaves = LEAVES;
	if (refuse_total(c, &l) || refuse_empty(c, &l) || !by_xoff)
		return 0;
	if (!refuse_small(c, &l, l.lossless_then, &l.need_then, false))
		refuse_small(c, &l, l.lossless_now | l.lossless_then, &l.need, true);
	return 0;
}

/* The larger of both, and the map that is wanted. */
static void buffer_grow(const struct record *have, const struct record *want, struct record *both)
{
	int64_t size[N];

	if (record_num(have, BUFFER_CABLE, 0) > record_num(want, BUFFER_CABLE, INT64_MAX))
		cell_set_num(&both->at[BUFFER_CABLE], record_num(have, BUFFER_CABLE, 0));
	if (!record_has(have, BUFFER_SIZES) || !record_has(want, BUFFER_SIZES))
		return;
	for (unsigned i = 0; i < N; i++) {
		int64_t had = record_amount(have, BUFFER_SIZES, i, 0), wish = record_amount(want, BUFFER_SIZES, i, had);

		size[i] = had > wish ? had : wish;
	}
	cell_set_amounts(&both->at[BUFFER_SIZES], both->arena, size);
}

const struct setting setting_buffer = {
	.name = "buffer",
	.why = "What still arrives after a pause was sent needs room in the receive buffer: too little loses packets of a "
	       "lossless class under load, and nothing counts them as PFC's fault.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .object = "buffer",
		  .read = buffer_read,
		  .write = buffer_write,
		  .weigh = buffer_weigh,
		  .interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_DCB_BUFFER; the cable: DCB_ATTR_IEEE_PFC" },
	.grow = buffer_grow,
};
