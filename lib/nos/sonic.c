/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SONiC: config_db.json. Facts: its YANG models, and orchagent where a number is turned into another.
 *
 * What surprises: mtu is the IP MTU (orchagent adds 22 bytes); thresholds mark only with wred_green_enable and an ecn mode that
 * has green; pfc_enable "" is off; references were in brackets on old images; keys are lists of ports and ranges of queues.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fabric/headroom.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"
#include "nos/template.h"

enum { PRIORITIES = 8, DSCPS = 64, FRAME_BEYOND_MTU = 22, MTU_LEAST = 68, MTU_MOST = 9216, POLL_DEFAULT = 200, NUMBER_MOST = 1 << 30,
       ALIASES_MOST = 1 << 17 };

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

	if (outside(&at[SWITCH_DETECT], 100, 5000))
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

static int leave_to_switch(struct switch_tier *t, struct diags *d)
{
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;

		for (unsigned field = SWITCH_XOFF; field <= SWITCH_ALPHA; field++)
			switch_port_drop(want, field);
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
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (switch_port_at(t->link[0].want, SWITCH_SIZE, p))
			return false;
	return true;
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

/* --- reading ----------------------------------------------------------------------------------- */

static const struct word *table(const struct switch_file *f, const char *name)
{
	return word_at(&f->tree, &f->tree.root, name);
}

struct expansion {
	struct switch_file *f;
	struct word *of;
	const char *behind;		/* "|3-4", or "" */
};

static bool alias_port(const char *port, void *arg)
{
	struct expansion *x = arg;
	uint64_t numbers = 0;

	if (x->f->named++ >= ALIASES_MOST)
		return false;		/* no switch has so many: ranges of ranges must end */
	if (!*x->behind)
		tree_alias(&x->f->tree, x->of, port);
	else if (!line_set(x->behind + 1, 63, &numbers))
		return false;
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (numbers >> i & 1)
			tree_alias(&x->f->tree, x->of, arena_printf(x->f->arena, "%s|%u", port, i));
	return true;
}

/* "Ethernet0,Ethernet4|3-4" becomes four names for the same. */
static void expand_keys(struct switch_file *f, const char *name)
{
	struct word *up = (struct word *)table(f, name), *end = up ? up->last : NULL;

	for (struct word *w = up ? up->child : NULL; w; w = w == end ? NULL : w->next) {
		const char *bar = strchr(w->key, '|');
		struct expansion x = { f, w, bar ? bar : "" };

		if (strchr(w->key, ',') || (bar && strchr(bar, '-')))
			ports_each(arena_strndup(f->arena, w->key, strcspn(w->key, "|")), alias_port, &x);
	}
}

static void list_ports(struct switch_file *f, const char *name)
{
	for (const struct word *w = word_children(table(f, name)); w; w = w->next)
		if (!w->is && strcmp(w->key, "global") != 0)
			conf_ports(f, arena_strndup(f->arena, w->key, strcspn(w->key, "|")));
}

static int parse(struct switch_file *f)
{
	static const char *const expanded[] = { "PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "PFC_WD" };
	static const char *const known[] = { "PORT", "PORT_QOS_MAP", "QUEUE", "WRED_PROFILE", "DSCP_TO_TC_MAP", "DEVICE_METADATA" };
	bool any = false;

	if (tree_json(&f->tree, f->diags) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		any |= table(f, known[i]) != NULL;
	if (!any) {
		const struct pos pos = { f->source, 1, 0, 0 };

		diag_error(f->diags, &pos, "this is no config_db of SONiC: it has none of its tables");
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(expanded) / sizeof(expanded[0]); i++)
		expand_keys(f, expanded[i]);
	list_ports(f, "PORT_QOS_MAP");
	list_ports(f, "QUEUE");
	return 0;
}

static const struct word *entry(const struct switch_file *f, const char *name, const char *port, int number)
{
	char key[LINE_ARG + 16];

	if (number < 0)
		return word_at(&f->tree, table(f, name), port);
	if (strlen(port) > LINE_ARG)
		return NULL;
	strcpy(key, port);
	sprintf(key + strlen(key), "|%d", number);
	return word_at(&f->tree, table(f, name), key);
}

static const struct word *member(const struct switch_file *f, const struct word *w, const char *name)
{
	return word_value(word_at(&f->tree, w, name));
}

/* What a name in @w refers to: "RDMA", or "[TABLE|RDMA]" as old images have it. */
static const struct word *referred(const struct switch_file *f, const struct word *w, const char *name)
{
	const char *s = word_text(w), *bar = s ? strchr(s, '|') : NULL;

	if (s && *s == '[' && bar)
		s = arena_strndup(f->arena, bar + 1, strcspn(bar + 1, "]"));
	return s ? word_at(&f->tree, table(f, name), s) : NULL;
}

/* Numbers to numbers; what is neither is passed over. */
static const struct word *read_map(const struct switch_file *f, const struct word *map, uint8_t *to, unsigned n, uint64_t max)
{
	memset(to, VALUE_UNSET, n);
	for (const struct word *w = word_children(map); w; w = w->next) {
		uint64_t key;
		int64_t v;

		if (line_number(w->key, n - 1, &key) && conf_number(f, word_value(w), max, &v))
			to[key] = (uint8_t)v;
	}
	return map;
}

static void read_maps(struct switch_file *f, const struct word *q, struct record *have)
{
	const struct word *dscp = member(f, q, "dscp_to_tc_map"), *map;
	uint8_t to[DSCPS];

	if (!dscp)
		dscp = member(f, entry(f, "PORT_QOS_MAP", "global", -1), "dscp_to_tc_map");
	map = referred(f, dscp, "DSCP_TO_TC_MAP");
	conf_say(f, &have->at[SWITCH_TRUST], dscp ? dscp : q,
		 map ? TRUST_DSCP : member(f, q, "dot1p_to_tc_map") ? TRUST_PCP : TRUST_NONE);
	if (map)
		conf_say_map(f, &have->at[SWITCH_DSCP], read_map(f, map, to, DSCPS, 15), to, DSCPS);
	map = referred(f, member(f, q, "tc_to_queue_map"), "TC_TO_QUEUE_MAP");
	conf_say_map(f, &have->at[SWITCH_QUEUE], read_map(f, map, to, PRIORITIES, 9) ? map : q, to, PRIORITIES);
	map = referred(f, member(f, q, "tc_to_pg_map"), "TC_TO_PRIORITY_GROUP_MAP");
	conf_say_map(f, &have->at[SWITCH_GROUP], read_map(f, map, to, PRIORITIES, 7) ? map : q, to, PRIORITIES);
}

/* PFC's own maps; without one a priority stands for the queue and group of its number. */
static void read_pause_map(struct switch_file *f, const struct word *q, const char *name, const char *in, struct cell *c)
{
	const struct word *map = referred(f, member(f, q, name), in);
	uint8_t to[PRIORITIES];

	read_map(f, map, to, PRIORITIES, 7);
	for (unsigned p = 0; p < PRIORITIES; p++)
		to[p] = to[p] == VALUE_UNSET ? (uint8_t)p : to[p];
	conf_say_map(f, c, map ? map : q, to, PRIORITIES);
}

static void read_set(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t mask;

	if (w && line_set(w->key, 7, &mask))
		conf_say(f, c, w, (int64_t)mask);
}

static void read_pfc(struct switch_file *f, const struct word *q, struct record *have)
{
	const struct word *on = member(f, q, "pfc_enable");

	if (on)
		read_set(f, on, &have->at[SWITCH_PFC]);
	else
		conf_say(f, &have->at[SWITCH_PFC], q, 0);
	read_set(f, member(f, q, "pfcwd_sw_enable"), &have->at[SWITCH_WATCHDOG_QUEUES]);
	read_pause_map(f, q, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", &have->at[SWITCH_PAUSE_QUEUE]);
	read_pause_map(f, q, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", &have->at[SWITCH_PAUSE_GROUP]);
}

static void read_number(const struct switch_file *f, const struct word *w, struct cell *c)
{
	int64_t n;

	if (conf_number(f, w, NUMBER_MOST, &n))
		conf_say(f, c, w, n);
}

static bool marks_green(const char *mode)
{
	return mode && (!strcmp(mode, "ecn_all") || !strcmp(mode, "ecn_green") || !strcmp(mode, "ecn_green_yellow") ||
			!strcmp(mode, "ecn_green_red"));
}

static void read_marking(struct switch_file *f, const struct word *queue, unsigned q, struct record *have)
{
	const struct word *name = member(f, queue, "wred_profile"), *p = referred(f, name, "WRED_PROFILE");
	const struct word *mode = member(f, p, "ecn"), *enable = member(f, p, "wred_green_enable");
	bool on = p && marks_green(word_text(mode)) && enable && !strcmp(enable->key, "true");
	const struct word *off = !p ? name : !marks_green(word_text(mode)) ? mode : enable;

	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), on ? mode : off ? off : p ? p : queue, on);
	if (!p)
		return;
	read_number(f, member(f, p, "green_min_threshold"), switch_port_cell(have, SWITCH_KMIN, q));
	read_number(f, member(f, p, "green_max_threshold"), switch_port_cell(have, SWITCH_KMAX, q));
	read_number(f, member(f, p, "green_drop_probability"), switch_port_cell(have, SWITCH_PMAX, q));
	if (on && !member(f, p, "green_drop_probability"))
		conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), p, 100);
}

static uint8_t share_of(const struct switch_file *f, const struct word *scheduler)
{
	const struct word *type = member(f, scheduler, "type");
	int64_t weight;

	if (type && !strcmp(type->key, "STRICT"))
		return SHARE_STRICT;
	return conf_number(f, member(f, scheduler, "weight"), 100, &weight) ? (uint8_t)weight : VALUE_UNSET;
}

static void read_queues(struct switch_file *f, const char *port, struct record *have)
{
	uint8_t share[PRIORITIES];
	const struct word *last = NULL;

	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct word *queue = entry(f, "QUEUE", port, (int)q), *s = referred(f, member(f, queue, "scheduler"), "SCHEDULER");

		share[q] = s ? share_of(f, s) : VALUE_UNSET;
		last = s ? s : last;
		read_marking(f, queue, q, have);
	}
	conf_say_map(f, &have->at[SWITCH_SHARES], last, share, PRIORITIES);
}

static void read_alpha(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t n;

	if (w && line_number(w->key + (*w->key == '-'), 8, &n))
		conf_say(f, c, w, *w->key == '-' ? -(int64_t)n : (int64_t)n);
}

static void read_buffers(struct switch_file *f, const char *port, struct record *have)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct word *pg = entry(f, "BUFFER_PG", port, (int)p), *name = member(f, pg, "profile");
		const struct word *profile = referred(f, name, "BUFFER_PROFILE");
		bool left = name && !strcmp(name->key, "NULL");

		conf_say(f, switch_port_cell(have, SWITCH_GIVEN, p), name ? name : pg, left || member(f, profile, "xoff"));
		if (left)
			switch_port_cell(have, SWITCH_XOFF, p)->because = "the switch computes headroom itself (profile NULL)";
		read_number(f, member(f, profile, "xoff"), switch_port_cell(have, SWITCH_XOFF, p));
		read_number(f, member(f, profile, "xon"), switch_port_cell(have, SWITCH_XON, p));
		read_number(f, member(f, profile, "size"), switch_port_cell(have, SWITCH_SIZE, p));
		read_alpha(f, member(f, profile, "dynamic_th"), switch_port_cell(have, SWITCH_ALPHA, p));
	}
}

static void read_cable(struct switch_file *f, const char *port, struct record *have)
{
	for (const struct word *w = word_children(table(f, "CABLE_LENGTH")); w; w = w->next) {
		const struct word *length = member(f, w, port);
		size_t n = length ? strlen(length->key) : 0;
		uint64_t metres;

		if (n > 1 && length->key[n - 1] == 'm' && line_number(arena_strndup(f->arena, length->key, n - 1), 100000, &metres))
			conf_say(f, &have->at[SWITCH_CABLE], length, (int64_t)metres);
	}
	for (const struct word *w = word_children(table(f, "LOSSLESS_TRAFFIC_PATTERN")); w; w = w->next) {
		read_number(f, member(f, w, "mtu"), &have->at[SWITCH_LOSSLESS_MTU]);
		read_number(f, member(f, w, "small_packet_percentage"), &have->at[SWITCH_SMALL_PACKETS]);
	}
}

static void read_port(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = entry(f, "PORT", port, -1), *mtu = member(f, p, "mtu");
	int64_t n;

	if (conf_number(f, mtu, 65535, &n))
		conf_say(f, &have->at[SWITCH_FRAME], mtu, n + FRAME_BEYOND_MTU);
	read_number(f, member(f, p, "speed"), &have->at[SWITCH_SPEED]);
}

static void read_watchdog(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *w = entry(f, "PFC_WD", port, -1), *action = member(f, w, "action");
	static const char *const words[] = { [ACTION_DROP] = "drop", [ACTION_FORWARD] = "forward", [ACTION_ALERT] = "alert", NULL };

	conf_say(f, &have->at[SWITCH_WATCHDOG], w, w != NULL);
	read_number(f, member(f, w, "detection_time"), &have->at[SWITCH_DETECT]);
	read_number(f, member(f, w, "restoration_time"), &have->at[SWITCH_RESTORE]);
	for (int i = 0; action && words[i]; i++)
		if (!strcmp(action->key, words[i]))
			conf_say(f, &have->at[SWITCH_ACTION], action, i);
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	const struct word *q = entry(f, "PORT_QOS_MAP", name, -1);

	read_maps(f, q, have);
	read_pfc(f, q, have);
	read_queues(f, name, have);
	read_buffers(f, name, have);
	read_cable(f, name, have);
	read_port(f, name, have);
	read_watchdog(f, name, have);
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
	.may_lack = SAYS(SWITCH_SPEED),
	.patch = true,
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.looks = looks,
};
