/* SPDX-License-Identifier: Apache-2.0 */
/* A switch port as a record: its fields, and what a policy wants in them. */
#include "fabric/switch_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/text.h"
#include "fabric/headroom.h"
#include "model/record.h"
#include "model/setting.h"

enum { KILO = 1000, KIBI = 1024 };

static const char kb[] = "KB";		/* in value.text: num was written in KB, and is it in KiB */
static const char least[] = "least", lanes[] = "lanes";		/* in value.text of what is wanted: switch_port_least(), switch_port_lanes() */

static bool near(int64_t a, int64_t b)
{
	return llabs(a - b) < SWITCH_CELL;
}

static bool same_bytes(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	if (want->text == least)
		return have->num + SWITCH_CELL > want->num;
	if (want->text == lanes && near(2 * want->num, have->num))
		return true;
	if (have->text == kb && near(want->num, have->num / KIBI * KILO))
		return true;
	return near(want->num, have->num);
}

/* What is wanted; and a priority that nothing is wanted of does not share what a lossless one has for itself. */
static bool same_groups(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	for (unsigned p = 0; p < PRIORITIES; p++)
		for (unsigned lossless = 0; lossless < PRIORITIES; lossless++) {
			if (want->map[lossless] == VALUE_UNSET)
				continue;
			if (p == lossless ? have->map[p] != want->map[p] :
					    want->map[p] == VALUE_UNSET && have->map[p] == want->map[lossless])
				return false;
		}
	return true;
}

/* The same of queues: which priorities are lossless stands in the port's PFC, of which there is a row of its own. */
static bool same_queues(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	uint8_t pfc = (uint8_t)record_num(observed, SWITCH_PFC, 0);

	(void)f;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (want->map[p] != VALUE_UNSET && have->map[p] != want->map[p])
			return false;
		for (unsigned lossless = 0; want->map[p] == VALUE_UNSET && lossless < PRIORITIES; lossless++)
			if (pfc >> lossless & 1 && have->map[p] != VALUE_UNSET && have->map[p] == want->map[lossless])
				return false;
	}
	return true;
}

static bool same_frame(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return have->num >= want->num;
}

static void print_alpha(const struct field *f, const struct value *v, struct text *out)
{
	(void)f;
	text_printf(out, v->num < 0 ? "1/%u" : "%u", 1u << (v->num < 0 ? -v->num : v->num));
}

static const char *const trust_words[] = {
	[SWITCH_TRUST_NONE] = "none", [SWITCH_TRUST_DSCP] = "dscp", [SWITCH_TRUST_PCP] = "pcp", NULL,
};

#define BYTES .min = 0, .max = INT64_C(1) << 40, .unit = "bytes", .same = same_bytes
static const struct field fields[] = {
	[SWITCH_PRESENT] = { "port", KIND_BOOL, .doc = "is the port there" },
	[SWITCH_TRUST] = { "trust", KIND_WORD, .words = trust_words, .doc = "what classifies packets" },
	[SWITCH_DSCP] = { "dscp", KIND_MAP, .max = 7, .span = 64, .doc = "priority of each DSCP" },
	[SWITCH_QUEUE] = { "queue", KIND_MAP, .max = 15, .span = 8, .same = same_queues, .doc = "egress queue of each priority" },
	[SWITCH_GROUP] = { "group", KIND_MAP, .max = 7, .span = 8, .same = same_groups, .doc = "ingress group of each lossless priority" },
	[SWITCH_PAUSE_QUEUE] = { "pause.queue", KIND_MAP, .max = 7, .span = 8, .doc = "queue that a pause stops" },
	[SWITCH_PAUSE_GROUP] = { "pause.group", KIND_MAP, .max = 7, .span = 8, .doc = "group that a pause is sent for" },
	[SWITCH_PFC] = { "pfc", KIND_SET, .max = 7, .doc = "priorities with PFC" },
	[SWITCH_ECN] = { "ecn.*.enabled", KIND_BOOL, .doc = "does the queue mark" },
	[SWITCH_KMIN] = { "ecn.*.kmin", KIND_UINT, BYTES, .doc = "queue length at which marking begins" },
	[SWITCH_KMAX] = { "ecn.*.kmax", KIND_UINT, BYTES, .doc = "queue length from which all is marked" },
	[SWITCH_PMAX] = { "ecn.*.pmax", KIND_UINT, .max = 100, .unit = "%", .doc = "probability below kmax" },
	[SWITCH_FILL_MIN] = { "ecn.*.fill_min", KIND_UINT, .max = 100, .unit = "%", .doc = "kmin, of the queue's buffer" },
	[SWITCH_FILL_MAX] = { "ecn.*.fill_max", KIND_UINT, .max = 100, .unit = "%", .doc = "kmax, of the queue's buffer" },
	[SWITCH_SHARES] = { "shares", KIND_SHARES, .max = SHARE_UNKNOWN, .span = 8, .doc = "bandwidth of the queues" },
	[SWITCH_FRAME] = { "frame", KIND_UINT, .max = 65535, .unit = "bytes", .same = same_frame, .doc = "largest frame" },
	[SWITCH_SPEED] = { "speed", KIND_UINT, .max = 3200000, .unit = "Mb/s", .doc = "speed" },
	[SWITCH_CABLE] = { "cable", KIND_UINT, .max = 100000, .unit = "m", .doc = "length that headroom is made for" },
	[SWITCH_LOSSLESS_MTU] = { "lossless_mtu", KIND_UINT, BYTES, .doc = "largest lossless frame" },
	[SWITCH_SMALL_PACKETS] = { "small_packets", KIND_UINT, .max = 100, .unit = "%", .doc = "share of 64-byte packets" },
	[SWITCH_GIVEN] = { "headroom.*.given", KIND_BOOL, .doc = "has the priority headroom" },
	[SWITCH_XOFF] = { "headroom.*.xoff", KIND_UINT, BYTES, .doc = "headroom" },
	[SWITCH_XON] = { "headroom.*.xon", KIND_UINT, BYTES, .doc = "below which pause ends" },
	[SWITCH_SIZE] = { "headroom.*.size", KIND_UINT, BYTES, .doc = "reserved for the priority" },
	[SWITCH_ALPHA] = { "headroom.*.alpha", KIND_UINT, .min = -8, .max = 7, .print = print_alpha,
			   .doc = "share of the free pool" },
	[SWITCH_POOL] = { "pool", KIND_UINT, BYTES, .doc = "what lossless groups share" },
	[SWITCH_WATCHDOG] = { "watchdog.enabled", KIND_BOOL, .doc = "is the PFC watchdog on" },
	[SWITCH_WATCHDOG_QUEUES] = { "watchdog.queues", KIND_SET, .max = 7, .doc = "priorities that it watches" },
	[SWITCH_DETECT] = { "watchdog.detect", KIND_UINT, .max = 600000, .unit = "ms", .doc = "paused this long: stuck" },
	[SWITCH_RESTORE] = { "watchdog.restore", KIND_UINT, .max = 600000, .unit = "ms", .doc = "well again after" },
	[SWITCH_ACTION] = { "watchdog.action", KIND_WORD, .words = fabric_action_words, .doc = "what becomes of packets" },
	{ 0 },
};

const struct setting switch_port_setting = {
	.name = "switch", .fields = fields,
	.why = "Node and switch must mean the same by a priority, or loss and pauses come under load, without an error anywhere.",
};

/* --- cells --------------------------------------------------------------------- */

struct cell *switch_port_cell(struct record *r, unsigned field, unsigned n)
{
	char star[12];

	snprintf(star, sizeof(star), "%u", n);
	return record_named(r, field, star, NULL);
}

const struct cell *switch_port_at(const struct record *r, unsigned field, unsigned n)
{
	char star[12];

	snprintf(star, sizeof(star), "%u", n);
	for (size_t i = SWITCH_FIELDS; i < r->n; i++)
		if (r->at[i].field == &fields[field] && r->at[i].state == CELL_VALUE && !strcmp(r->at[i].star[0], star))
			return &r->at[i];
	return NULL;
}

void switch_port_kb(struct cell *c, int64_t n)
{
	cell_set_num(c, n * KIBI);
	c->value.text = kb;
}

void switch_port_least(struct cell *c)
{
	c->value.text = least;
}

void switch_port_lanes(struct cell *c)
{
	c->value.text = lanes;
}

void switch_port_drop(struct record *r, unsigned field)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].field == &fields[field])
			r->at[i].state = CELL_SILENT;
}

/* --- what a policy wants ----------------------------------------------------------- */

static void want_num(struct cell *c, int64_t num, const struct pos *pos)
{
	cell_set_num(c, num);
	c->pos = *pos;
}

static void want_map(struct record *r, unsigned field, const uint8_t *map, size_t n, const struct pos *pos)
{
	cell_set_map(&r->at[field], r->arena, map, n);
	r->at[field].pos = *pos;
}

static void want_classes(struct record *r, const struct fabric *f)
{
	uint8_t dscp[DSCPS], queue[PRIORITIES], share[PRIORITIES], group[PRIORITIES], stops[PRIORITIES];
	uint8_t pfc = fabric_pfc(f);
	const struct pos *pos = f->n ? &f->at[0].pos : &f->pos;

	fabric_dscp_map(f, dscp);
	fabric_prio_tc(f, queue);
	fabric_shares(f, share);
	for (unsigned i = 0; i < PRIORITIES; i++) {
		group[i] = pfc >> i & 1 ? (uint8_t)i : VALUE_UNSET;
		stops[i] = pfc >> i & 1 ? queue[i] : VALUE_UNSET;
	}
	want_num(&r->at[SWITCH_PRESENT], true, pos);
	want_num(&r->at[SWITCH_TRUST], SWITCH_TRUST_DSCP, pos);
	want_map(r, SWITCH_DSCP, dscp, DSCPS, pos);
	want_map(r, SWITCH_QUEUE, queue, PRIORITIES, pos);
	if (pfc) {
		want_map(r, SWITCH_GROUP, group, PRIORITIES, pos);
		want_map(r, SWITCH_PAUSE_QUEUE, stops, PRIORITIES, pos);
		want_map(r, SWITCH_PAUSE_GROUP, group, PRIORITIES, pos);
	}
	want_num(&r->at[SWITCH_PFC], pfc, pos);
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (share[i] != VALUE_UNSET) {
			want_map(r, SWITCH_SHARES, share, PRIORITIES, pos);
			break;
		}
}

static void want_marking(struct record *r, const struct fabric *f, const struct fabric_link *l)
{
	static const unsigned of[] = { [SWITCH_KMIN] = FABRIC_ECN_KMIN, [SWITCH_KMAX] = FABRIC_ECN_KMAX,
				       [SWITCH_PMAX] = FABRIC_ECN_PMAX };

	for (size_t i = 0; i < f->n; i++) {
		if (!fabric_marks(l, f->at[i].name))
			continue;
		for (unsigned field = SWITCH_KMIN; field <= SWITCH_PMAX; field++) {
			const struct cell *said = fabric_ecn(l, f->at[i].name, of[field]);

			if (!said)
				continue;
			want_num(switch_port_cell(r, SWITCH_ECN, (unsigned)f->at[i].tc), true, &said->pos);
			want_num(switch_port_cell(r, field, (unsigned)f->at[i].tc), said->value.num, &said->pos);
		}
	}
}

static void want_said(struct record *r, unsigned field, const struct cell *said)
{
	if (said)
		want_num(&r->at[field], said->value.num, &said->pos);
}

static void want_headroom(struct record *r, const struct fabric *f, const struct fabric_link *l)
{
	const struct cell *asic = fabric_says(l->has, FABRIC_ASIC), *alpha = fabric_says(l->has, FABRIC_ALPHA),
			  *cable = fabric_says(l->has, FABRIC_CABLE);
	struct headroom_link in;
	struct headroom h;
	enum headroom_way way;

	for (unsigned p = 0; p < PRIORITIES; p++)
		if (fabric_pfc(f) >> p & 1)
			want_num(switch_port_cell(r, SWITCH_GIVEN, p), true, cable ? &cable->pos : &l->pos);
	headroom_link_of(f, l->has, &in);
	if (!in.speed_mbps || !cable || headroom_best(&in, asic ? asic->value.text : NULL, &h, &way) < 0)
		return;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(fabric_pfc(f) >> p & 1))
			continue;
		want_num(switch_port_cell(r, SWITCH_XOFF, p), (int64_t)h.xoff, &cable->pos);
		if (way != HEADROOM_ESTIMATE) {
			want_num(switch_port_cell(r, SWITCH_XON, p), (int64_t)h.xon, &cable->pos);
			want_num(switch_port_cell(r, SWITCH_SIZE, p), (int64_t)h.size, &cable->pos);
		}
		if (alpha)
			want_num(switch_port_cell(r, SWITCH_ALPHA, p), alpha->value.num, &alpha->pos);
	}
}

static void want_watchdog(struct record *r, const struct fabric *f, const struct fabric_link *l)
{
	const struct cell *detect = fabric_says(l->has, FABRIC_WATCHDOG_DETECT);

	if (!detect)
		return;
	want_num(&r->at[SWITCH_WATCHDOG], true, &detect->pos);
	want_num(&r->at[SWITCH_WATCHDOG_QUEUES], fabric_pfc(f), &detect->pos);
	want_said(r, SWITCH_DETECT, detect);
	want_said(r, SWITCH_RESTORE, fabric_says(l->has, FABRIC_WATCHDOG_RESTORE));
	want_said(r, SWITCH_ACTION, fabric_says(l->has, FABRIC_WATCHDOG_ACTION));
}

struct record *switch_port_want(struct arena *a, const struct fabric *f, const struct fabric_link *l)
{
	struct record *r = record_new(a, &switch_port_setting);
	const struct cell *frame = fabric_says(l->has, FABRIC_FRAME);

	want_classes(r, f);
	want_marking(r, f, l);
	if (fabric_frame(f, l))
		want_num(&r->at[SWITCH_FRAME], fabric_frame(f, l), frame ? &frame->pos : &f->mtu_pos);
	want_said(r, SWITCH_SPEED, fabric_says(l->has, FABRIC_SPEED));
	if (fabric_pfc(f)) {
		want_said(r, SWITCH_CABLE, fabric_says(l->has, FABRIC_CABLE));
		want_said(r, SWITCH_LOSSLESS_MTU, fabric_says(l->has, FABRIC_LOSSLESS_MTU));
		want_said(r, SWITCH_SMALL_PACKETS, fabric_says(l->has, FABRIC_SMALL_PACKETS));
		want_said(r, SWITCH_POOL, fabric_says(l->has, FABRIC_POOL));
		want_headroom(r, f, l);
		want_watchdog(r, f, l);
	}
	return r;
}
