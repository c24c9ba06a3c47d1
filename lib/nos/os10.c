/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dell OS10: text of a running-configuration. Facts: Dell's reference for Azure Local and manuals, Microsoft's template.
 *
 * What surprises: thresholds and pause buffers are KB, of 1000 or 1024 bytes nobody says; what a trust map does not name goes to
 * class 0; a queue is strict or has a percent; mtu counts the whole frame. The DSCP form of a trust map is built by analogy to
 * that of dot1p, which is seen in use.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/text.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"
#include "nos/template.h"

enum { KIBI = 1024, KB_MOST = 12480, CABLE_MOST = 100, FRAME_MOST = 9216 };

/* --- what it can say --------------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "OS10: %s", what);
	return -EINVAL;
}

static int thresholds(struct record *want, struct diags *d)
{
	for (unsigned q = 0; q < PRIORITIES; q++)
		for (unsigned field = SWITCH_KMIN; field <= SWITCH_KMAX; field++) {
			const struct cell *c = switch_port_at(want, field, q);

			if (!c)
				continue;
			if (c->value.num < KIBI || c->value.num / KIBI > KB_MOST)
				return refuse(d, c, "a threshold is 1 to 12480 KB");
			if (c->value.num % KIBI)
				diag_warning(d, &c->pos, "OS10: %s is rounded down to whole KB", c->name);
			switch_port_cell(want, field, q)->value.num -= c->value.num % KIBI;
		}
	return 0;
}

static int express(struct switch_tier *t, struct diags *d)
{
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;
		const struct cell *frame = &want->at[SWITCH_FRAME], *cable = &want->at[SWITCH_CABLE], *dog = &want->at[SWITCH_DETECT];

		if (frame->state == CELL_VALUE && frame->value.num > FRAME_MOST)
			return refuse(d, frame, "its MTU is at most 9216, header and check sequence included");
		if (cable->state == CELL_VALUE && cable->value.num > CABLE_MOST)
			diag_warning(d, &cable->pos, "OS10: its default headroom is made for 100m; pause buffers for more are not rendered");
		if (dog->state == CELL_VALUE && i == 0)
			diag_warning(d, &dog->pos, "OS10: no PFC watchdog of it is known: left out");
		if (thresholds(want, d) < 0)
			return -EINVAL;
	}
	return 0;
}

static const char *unverified(const struct switch_tier *t)
{
	(void)t;
	return "the trust map by DSCP (trust dscp-map)";
}

/* All groups have a queue: those of no class go with the lowest. */
static void name_groups(const struct record *want, struct vars *n)
{
	for (unsigned q = 0; q < PRIORITIES; q++) {
		TEXT_CLEANUP struct text groups = { 0 };
		struct vars *one;

		for (unsigned p = 0; p < PRIORITIES; p++)
			if (record_at(want, SWITCH_QUEUE, p, 0) == q)
				text_printf(&groups, "%s%u", groups.n ? "," : "", p);
		if (!groups.n)
			continue;
		one = vars_add(n, "queue_groups");
		vars_set(one, "queue", "%u", q);
		vars_set(one, "groups", "%s", text_str(&groups));
	}
}

/* A class-map for each queue that any link's policy names. */
static void name_queues(const struct switch_tier *t, struct vars *n)
{
	for (unsigned q = 0; q < PRIORITIES; q++) {
		bool any = record_at(t->link[0].want, SWITCH_SHARES, q, VALUE_UNSET) != VALUE_UNSET;

		for (size_t i = 0; i < t->n; i++)
			any |= switch_port_at(t->link[i].want, SWITCH_ECN, q) != NULL;
		if (any)
			vars_set(vars_add(n, "attached_queue"), "queue", "%u", q);
	}
}

static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	if (l)
		return;
	name_groups(t->link[0].want, n);
	name_queues(t, n);
}

/* --- reading --------------------------------------------------------------------------------------- */

/* In the order in which a cut word is taken. */
static const char *const types[] = { "ethernet", "mgmt", "port-channel", "loopback", "vlan", "virtual-network", "fibrechannel", "null", NULL };

static const struct tree_text texts[] = {
	{ .begins = "banner motd ...", .words = 2 },
	{ .begins = "banner login ...", .words = 2 },
	{ 0 },
};

static int parse(struct switch_file *f)
{
	static const struct conf_form form = {
		.interface = "interface [range] ...", .but = { "interface breakout ..." }, .known = { "policy-map ...", "trust ..." },
		.what = "no running-configuration: it has neither interfaces nor policy-maps", .texts = texts,
	};

	return conf_running(f, &form);
}

/* A policy that classifies beside the trust map, or a second map: which of the two counts for a packet is not followed. */
static const struct word *policy_of(const struct switch_file *f, const struct conf_place *p)
{
	static const char pattern[] = "service-policy input type qos %";
	struct line_args args;
	const struct word *w = conf_line(f, p, pattern, &args), *system = conf_global(f, "system qos", &args);

	if (conf_line(f, p, "trust-map dscp %", &args) && conf_line(f, p, "trust-map dot1p %", &args))
		w = conf_line(f, p, "trust-map dot1p %", &args);
	return w ? w : system ? conf_below(f, system, pattern, &args) : NULL;
}

static void read_dscp(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	const struct word *map;
	uint8_t to[DSCPS] = { 0 };
	struct line_args args;
	uint64_t group, dscps;
	bool any = false;

	conf_fresh(f);
	if (policy_of(f, p))
		conf_doubt(f, policy_of(f, p));
	map = conf_bound(f, p, "trust-map dscp %", "trust dscp-map %");
	for (const struct word *w = map ? map->child : NULL; w; w = w->next) {
		if (conf_takes(f, w, "qos-group % dscp ...", any) || !line_match(w->key, "qos-group % dscp ...", &args))
			continue;
		if (!line_number(args.at[0], 7, &group) || !line_dscps(args.rest, &dscps)) {
			conf_doubt(f, w);
			continue;
		}
		any = true;
		for (unsigned i = 0; i < DSCPS; i++)
			to[i] = dscps >> i & 1 ? (uint8_t)group : to[i];
	}
	conf_say(f, &have->at[SWITCH_TRUST], map, map ? SWITCH_TRUST_DSCP :
		 conf_bound(f, p, "trust-map dot1p %", "trust dot1p-map %") ? SWITCH_TRUST_PCP : SWITCH_TRUST_NONE);
	if (map)
		conf_say_map(f, &have->at[SWITCH_DSCP], map, to, DSCPS);
}

static void read_queue_map(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	const struct word *map;
	uint8_t to[PRIORITIES];
	struct line_args args;
	uint64_t q, groups;
	bool any = false;

	conf_fresh(f);
	map = conf_bound(f, p, "qos-map traffic-class %", "qos-map traffic-class %");
	for (unsigned i = 0; i < PRIORITIES; i++)
		to[i] = map ? 0 : (uint8_t)i;
	for (const struct word *w = map ? map->child : NULL; w; w = w->next) {
		if (conf_takes(f, w, "queue % qos-group % ...", any) || !line_match(w->key, "queue % qos-group % ...", &args) ||
		    line_match(w->key, "queue % qos-group % type mcast", NULL))
			continue;
		if (!line_number(args.at[0], 7, &q) || !line_set(args.at[1], 7, &groups)) {
			conf_doubt(f, w);
			continue;
		}
		any = true;
		for (unsigned i = 0; i < PRIORITIES; i++)
			to[i] = groups >> i & 1 ? (uint8_t)q : to[i];
	}
	conf_say_map(f, &have->at[SWITCH_QUEUE], map, to, PRIORITIES);
}

/* The group whose packets a class of the network-qos policy holds. */
static void read_group(const struct switch_file *f, const char *class, uint64_t priorities, uint8_t group[PRIORITIES])
{
	unsigned n;

	if (!conf_named_number(f, "class-map type network-qos [match-any] [match-all] %", class, "match qos-group %", &n))
		return;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (priorities >> p & 1)
			group[p] = (uint8_t)n;
}

static void read_pfc(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	const struct word *policy, *mode, *last;
	struct line_args args = { .n = 0 };
	uint64_t mask = 0, some;
	uint8_t group[PRIORITIES];
	bool on;

	conf_fresh(f);
	conf_pauses(f, p);
	policy = conf_bound(f, p, "service-policy input type network-qos %", "policy-map type network-qos %");
	mode = last = conf_line(f, p, "priority-flow-control mode %", &args);
	on = mode && !strcasecmp(args.at[0], "on");
	memset(group, VALUE_UNSET, sizeof(group));
	for (const struct word *c = on && policy ? policy->child : NULL; c; c = c->next) {
		const struct word *cos;

		if (conf_takes(f, c, "class %", mask))
			continue;
		cos = conf_below(f, c, "pfc-cos %", &args);
		if (!cos || !line_set(args.at[0], 7, &some) || !conf_below(f, c, "pause ...", &args))
			continue;
		mask |= some;
		last = cos;
		if (line_match(c->key, "class %", &args))
			read_group(f, args.at[0], some, group);
	}
	if (mask)
		conf_say_map(f, &have->at[SWITCH_PAUSE_GROUP], last, group, PRIORITIES);
	conf_say(f, &have->at[SWITCH_PFC], last ? last : policy, (int64_t)mask);
}

static bool queue_of(const struct switch_file *f, const char *class, unsigned *q)
{
	return conf_named_number(f, "class-map type queuing [match-any] [match-all] %", class, "match queue %", q);
}

static void read_wred(struct switch_file *f, const char *name, unsigned q, struct record *have)
{
	static const char pattern[] = "random-detect color green minimum-threshold % maximum-threshold % drop-probability %";
	const struct word *found = conf_named(f, "wred %", name), *w;
	const struct conf_place one = { { found }, found != NULL, 0 };
	struct line_args args;
	uint64_t n[3];

	w = conf_line(f, &one, "random-detect ecn", &args);
	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), w ? w : found, w != NULL);
	w = conf_line(f, &one, pattern, &args);
	for (unsigned i = 0; i < 3; i++)
		if (!w || !line_number(args.at[i], UINT32_MAX, &n[i]))
			return;
	for (unsigned i = 0; i < 2; i++) {
		struct cell *c = switch_port_cell(have, i ? SWITCH_KMAX : SWITCH_KMIN, q);

		conf_say_kb(f, c, w, (int64_t)n[i]);
	}
	conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), w, (int64_t)n[2]);
}

static void read_queue(struct switch_file *f, const struct word *class, unsigned q, struct record *have, uint8_t *share, const struct word **shape)
{
	struct line_args args;
	uint64_t percent;

	for (const struct word *w = class->child; w; w = w->next) {
		const struct cell *ecn = switch_port_at(have, SWITCH_ECN, q);

		if (conf_takes(f, w, "random-detect ...", ecn && ecn->state == CELL_VALUE && ecn->value.num) ||
		    conf_takes(f, w, "priority", *share == SHARE_STRICT) || conf_takes(f, w, "bandwidth ...", *share <= 100))
			continue;
		if (line_match(w->key, "shape ...", NULL))
			*shape = w;
		else if (line_match(w->key, "priority", NULL))
			conf_serve(f, w, SHARE_STRICT, share);
		else if (line_match(w->key, "bandwidth percent %", &args) && line_number(args.at[0], 100, &percent))
			conf_serve(f, w, (uint8_t)percent, share);
		else if (line_match(w->key, "random-detect %", &args))
			read_wred(f, args.at[0], q, have);
	}
	conf_doubt_marking(f, have, q);
}

static void read_queues(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	const struct word *out, *unsure, *shape = NULL;
	uint8_t share[PRIORITIES];
	struct line_args args;
	unsigned q;

	conf_fresh(f);
	out = conf_bound(f, p, "service-policy output type queuing %", "policy-map type queuing %");
	unsure = f->notes->unsure;
	memset(share, VALUE_UNSET, sizeof(share));
	for (q = 0; q < PRIORITIES; q++)
		conf_say(f, switch_port_cell(have, SWITCH_ECN, q), out, false);
	for (const struct word *c = out ? out->child : NULL; c; c = c->next) {
		const char *no = tree_taken_back(c->key);

		if ((no && c->took) || !line_match(no ? no : c->key, "class %", &args) || !queue_of(f, args.at[0], &q))
			continue;
		if (no)
			conf_doubt(f, c);
		read_queue(f, c, q, have, &share[q], &shape);
		unsure = f->notes->unsure ? f->notes->unsure : unsure;
		if (!unsure)
			conf_fresh(f);
	}
	if (unsure || shape)		/* a queue that does not exceed a rate has less than its share */
		conf_doubt(f, unsure ? unsure : shape);
	conf_say_map(f, &have->at[SWITCH_SHARES], out, share, PRIORITIES);
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	static const char *const of_channel[] = { "trust-map % ...", "qos-map traffic-class %", "service-policy ...", "priority-flow-control mode %",
						  "mtu %", NULL };
	struct conf_place p;
	struct line_args args;
	const struct word *mtu;
	uint64_t n;

	p.own = 0;
	p.n = conf_sections(f, &f->tree.root, name, p.at);
	conf_channel(f, "port-channel", of_channel, &p);
	read_dscp(f, &p, have);
	read_queue_map(f, &p, have);
	read_pfc(f, &p, have);
	read_queues(f, &p, have);
	conf_fresh(f);
	mtu = conf_line(f, &p, "mtu %", &args);
	if (mtu && line_number(args.at[0], 65535, &n))
		conf_say(f, &have->at[SWITCH_FRAME], mtu, (int64_t)n);
}

static const char *const marks[] = { "! Version 10.", "trust-map ", "trust dscp-map ", "qos-map traffic-class ", "service-policy input type ",
				     "service-policy output type ", "ets mode on", "interface breakout ", "\nwred ", NULL };

const struct nos nos_os10 = {
	.name = "os10",
	.id = NOS_OS10,
	.called = "OS10",
	.says = SAYS(SWITCH_PRESENT) | SAYS(SWITCH_TRUST) | SAYS(SWITCH_DSCP) | SAYS(SWITCH_QUEUE) | SAYS(SWITCH_PFC) | SAYS(SWITCH_PAUSE_GROUP) | SAYS(SWITCH_ECN) |
		SAYS(SWITCH_KMIN) | SAYS(SWITCH_KMAX) | SAYS(SWITCH_PMAX) | SAYS(SWITCH_SHARES) | SAYS(SWITCH_FRAME),
	.unverified = unverified,
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.marks = marks,
	.types = types,
};
