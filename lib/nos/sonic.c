/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SONiC: config_db.json. Facts: its YANG models, and orchagent where a number is turned into another.
 *
 * What surprises: mtu is the IP MTU (orchagent adds 22 bytes); thresholds mark only with wred_green_enable and an ecn mode that
 * has green; pfc_enable "" is off; references were in brackets on old images; keys are lists of ports and ranges of queues.
 * What the switch does not take as it stands, or takes one way or the other, is a reason and no value.
 */
#include <errno.h>
#include <string.h>

#include "fabric/headroom.h"
#include "model/record.h"
#include "nos/nos.h"
#include "nos/sonic.h"
#include "nos/template.h"

enum { MTU_LEAST = 68, MTU_MOST = 9216, POLL_DEFAULT = 200 };

/* --- what it can say ----------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "SONiC: %s", what);
	return -EINVAL;
}

static bool outside(const struct cell *c, int64_t min, int64_t max)
{
	return c->state == CELL_VALUE && (c->value.num < min || c->value.num > max);
}

static int check_ranges(const struct record *want, struct diags *d)
{
	const struct cell *at = want->at;

	if (outside(&at[SWITCH_DETECT], DETECT_LEAST, DETECT_MOST))
		return refuse(d, &at[SWITCH_DETECT], "a watchdog's detect is 100ms to 5s");
	if (outside(&at[SWITCH_RESTORE], 100, 60000))
		return refuse(d, &at[SWITCH_RESTORE], "a watchdog's restore is 100ms to 60s");
	if (outside(&at[SWITCH_FRAME], MTU_LEAST + FRAME_BEYOND_MTU, MTU_MOST + FRAME_BEYOND_MTU))
		return refuse(d, &at[SWITCH_FRAME], "its MTU is at most 9216, a frame of 9238 bytes");
	for (unsigned q = 0; q < PRIORITIES; q++)
		if (record_at(want, SWITCH_SHARES, q, VALUE_UNSET) == 0)
			return refuse(d, &at[SWITCH_SHARES], "a weight is 1 to 100: a class of bandwidth 0% cannot be said");
	return 0;
}

/* Pool and alpha are needed to write the buffers ourselves; else the switch computes them from cable and speed. */
static bool says_buffers(const struct switch_tier *t)
{
	const struct cell *pool = fabric_says(t->link[0].link->has, FABRIC_POOL);

	for (size_t i = 0; i < t->n; i++) {
		const struct record *has = t->link[i].link->has;
		bool whole = false;

		for (unsigned p = 0; p < PRIORITIES; p++)
			whole |= switch_port_at(t->link[i].want, SWITCH_SIZE, p) && switch_port_at(t->link[i].want, SWITCH_ALPHA, p);
		if (!whole || !pool || record_num(has, FABRIC_POOL, 0) != pool->value.num)
			return false;
	}
	return true;
}

/* Where the switch has profiles of its own all the same, they may hold more than what is computed, and not less. */
static void want_least(const struct switch_link *l)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct cell *size = switch_port_at(l->want, SWITCH_SIZE, p), *xon = switch_port_at(l->want, SWITCH_XON, p);

		if (!size || !xon)
			continue;
		if (xon->value.num < size->value.num)
			cell_set_num(switch_port_cell(l->want, SWITCH_SIZE, p), xon->value.num);
		switch_port_least(switch_port_cell(l->want, SWITCH_SIZE, p));
		switch_port_least(switch_port_cell(l->want, SWITCH_XOFF, p));
		if (!fabric_says(l->link->has, FABRIC_LANES))
			switch_port_lanes(switch_port_cell(l->want, SWITCH_XON, p));
	}
}

/* An upper bound is no measure of what somebody else computed. */
static bool is_estimate(const struct switch_link *l)
{
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (switch_port_at(l->want, SWITCH_SIZE, p))
			return false;
	return true;
}

static int leave_to_switch(struct switch_tier *t, struct diags *d)
{
	for (unsigned field = SWITCH_XOFF; field <= SWITCH_POOL; field++)
		t->may_lack |= SAYS(field);
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;

		if (is_estimate(&t->link[i]))
			switch_port_drop(want, SWITCH_XOFF);
		want_least(&t->link[i]);
		for (unsigned field = SWITCH_LOSSLESS_MTU; field <= SWITCH_SMALL_PACKETS; field++) {
			const struct cell *c = &want->at[field], *first = &t->link[0].want->at[field];

			if (c->state != first->state || (c->state == CELL_VALUE && c->value.num != first->value.num))
				return refuse(d, c->state == CELL_VALUE ? c : first,
					      "lossless_mtu and small_packets are the same for all ports of a switch");
		}
	}
	if (fabric_pfc(t->fabric) && fabric_says(t->link[0].link->has, FABRIC_POOL))
		diag_warning(d, &t->tier->pos, "headroom is left to the switch, which computes it from cable and speed: this tier does not "
			  "say one pool, alpha, and an asic that can be computed");
	return 0;
}

static int express(struct switch_tier *t, struct diags *d)
{
	bool all_dscps = true;

	for (size_t i = 0; i < t->n; i++)
		if (check_ranges(t->link[i].want, d) < 0)
			return -EINVAL;
	for (unsigned i = 0; i < DSCPS; i++)
		all_dscps &= record_at(t->link[0].want, SWITCH_DSCP, i, VALUE_UNSET) != VALUE_UNSET;
	if (!all_dscps)
		diag_warning(d, &t->fabric->pos, "SONiC wants all 64 DSCPs in its map, and what becomes of others is not defined: no "
			     "class is named default");
	if (!says_buffers(t))
		return leave_to_switch(t, d);
	for (size_t i = 0; i < t->n; i++) {
		switch_port_drop(t->link[i].want, SWITCH_LOSSLESS_MTU);
		switch_port_drop(t->link[i].want, SWITCH_SMALL_PACKETS);
	}
	return 0;
}

/* --- names for the template ------------------------------------------------------------------ */

static bool computed(const struct switch_tier *t)
{
	return t->may_lack >> SWITCH_XOFF & 1;
}

/* What all ports together may take of the shared pool at once. */
static int64_t pool_xoff(const struct switch_tier *t)
{
	int64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		for (unsigned p = 0; p < PRIORITIES; p++) {
			const struct cell *xoff = switch_port_at(t->link[i].want, SWITCH_XOFF, p);

			if (xoff && record_num(t->link[i].link->has, FABRIC_SHARED_POOL, 0))
				sum += xoff->value.num * (int64_t)t->link[i].link->nports;
		}
	return sum;
}

static int64_t poll_interval(const struct switch_tier *t)
{
	int64_t poll = POLL_DEFAULT;

	for (size_t i = 0; i < t->n; i++) {
		int64_t detect = record_num(t->link[i].want, SWITCH_DETECT, poll),
			restore = record_num(t->link[i].want, SWITCH_RESTORE, poll);

		poll = detect < poll ? detect : poll;
		poll = restore < poll ? restore : poll;
	}
	return poll;
}

static void name_top(const struct switch_tier *t, struct vars *n)
{
	const struct record *want = t->link[0].want;
	bool pattern = want->at[SWITCH_LOSSLESS_MTU].state == CELL_VALUE || want->at[SWITCH_SMALL_PACKETS].state == CELL_VALUE;
	int64_t xoff = pool_xoff(t);

	vars_set(n, "computed", "%s", computed(t) && fabric_pfc(t->fabric) ? "1" : "");
	vars_set(n, "lossless_mtu", "%s", "");
	if (pattern) {
		vars_set(n, "lossless_mtu", "%jd", (intmax_t)record_num(want, SWITCH_LOSSLESS_MTU, HEADROOM_LOSSLESS_MTU));
		vars_set(n, "small_packets", "%jd", (intmax_t)record_num(want, SWITCH_SMALL_PACKETS, HEADROOM_SMALL_PERCENT));
	}
	vars_set(n, "pool", "%s", "");
	vars_set(n, "pool_xoff", "%s", "");
	if (!computed(t))
		vars_set(n, "pool", "%jd", (intmax_t)record_num(t->link[0].link->has, FABRIC_POOL, 0));
	if (!computed(t) && xoff)
		vars_set(n, "pool_xoff", "%jd", (intmax_t)xoff);
	vars_set(n, "poll", "%jd", (intmax_t)poll_interval(t));
}

static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	if (!l)
		name_top(t, n);
	else
		vars_set(n, "buffer", computed(t) ? "%s" : "%s_pg", computed(t) ? "NULL" : l->profile);
}

static bool looks(const struct source *s)
{
	return memchr(s->text, '{', s->len) && (conf_has(s, "\"PORT_QOS_MAP\"") || conf_has(s, "\"DSCP_TO_TC_MAP\"") ||
						conf_has(s, "\"DEVICE_METADATA\"") || conf_has(s, "\"WRED_PROFILE\""));
}

const struct nos nos_sonic = {
	.name = "sonic",
	.id = NOS_SONIC,
	.called = "SONiC",
	.says = ~(SAYS(SWITCH_FILL_MIN) | SAYS(SWITCH_FILL_MAX)),
	.may_lack = SAYS(SWITCH_SPEED) | SAYS(SWITCH_POOL),
	.patch = true,
	.express = express,
	.names = names,
	.parse = sonic_parse,
	.port = sonic_port,
	.looks = looks,
};
