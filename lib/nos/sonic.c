/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SONiC: config_db.json. Facts: its YANG models, and orchagent where a number is turned into another.
 *
 * What surprises: mtu is the IP MTU (orchagent adds 22 bytes); thresholds mark only with wred_green_enable and an ecn mode that
 * has green; pfc_enable "" is off; references were in brackets on old images; keys are lists of ports and ranges of queues.
 * What the switch does not take as it stands, or takes one way or the other, is a reason and no value.
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

enum { PRIORITIES = 8, DSCPS = 64, TRAFFIC_CLASSES = 16, POLL_LEAST = 100, POLL_MOST = 1000, DETECT_LEAST = 100, DETECT_MOST = 5000, LAG_MTU = 9100,
       FRAME_BEYOND_MTU = 22, MTU_LEAST = 68, MTU_MOST = 9216, POLL_DEFAULT = 200, NUMBER_MOST = 1 << 30,
       ALIASES_MOST = 1 << 17 };

/* A table of ours beside those of the file: no name of SONiC's has a blank. */
#define MEMBERS "members of channels"

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

/* --- reading ----------------------------------------------------------------------------------- */

static const struct word *table(const struct switch_file *f, const char *name)
{
	return word_at(&f->tree, &f->tree.root, name);
}

/* Why there is no value: what a word in the file is. */
static const char *not_taken(const struct switch_file *f, const struct word *w, const char *what)
{
	return arena_printf(f->arena, "\"%s\" %s (%s:%u)", text_safe(f->arena, w->key, strlen(w->key), 40), what, f->source->name, w->line);
}

static void unsure(struct cell *c, const char *why)
{
	cell_set_reason(c, REASON_UNREADABLE, why);
}

/* "3" or "3-4", as keys have it: numbers of at most two digits. */
static bool key_numbers(const char *s, uint64_t *numbers)
{
	return strspn(s, "0123456789-") == strlen(s) && line_set(s, 63, numbers);
}

static bool alias(struct switch_file *f, struct word *of, const char *port, const char *behind)
{
	uint64_t numbers = 0;

	if (f->named++ >= ALIASES_MOST)
		return false;		/* no switch has so many: ranges of ranges must end */
	if (!*behind) {
		tree_alias(&f->tree, of, port);
		return true;
	}
	if (!key_numbers(behind + 1, &numbers))
		return false;
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (numbers >> i & 1)
			tree_alias(&f->tree, of, arena_printf(f->arena, "%s|%u", port, i));
	return true;
}

/* The next of "Ethernet0,Ethernet4"; NULL behind the last. A dash is part of a name: ports have no ranges here. */
static const char *next_port(struct arena *a, const char **list)
{
	size_t n = strcspn(*list, ",");
	const char *port = n ? arena_strndup(a, *list, n) : NULL;

	*list += n + ((*list)[n] == ',');
	return port;
}

/* "Ethernet0,Ethernet4|3-4" becomes four names for the same. */
static void expand_keys(struct switch_file *f, const char *name)
{
	struct word *up = (struct word *)table(f, name), *end = up ? up->last : NULL;

	for (struct word *w = up ? up->child : NULL; w; w = w == end ? NULL : w->next) {
		const char *bar = strchr(w->key, '|'), *list, *port;

		if (!strchr(w->key, ',') && !(bar && strchr(bar, '-')))
			continue;
		list = arena_strndup(f->arena, w->key, strcspn(w->key, "|"));
		while ((port = next_port(f->arena, &list)) != NULL)
			if (!alias(f, w, port, bar ? bar : ""))
				break;
	}
}

static void list_ports(struct switch_file *f, const char *name)
{
	for (const struct word *w = word_children(table(f, name)); w; w = w->next) {
		const char *list = arena_strndup(f->arena, w->key, strcspn(w->key, "|")), *port;

		while (!w->is && strcmp(w->key, "global") != 0 && (port = next_port(f->arena, &list)) != NULL)
			conf_ports(f, port);
	}
}

/* A port that is up is one, also where nothing else is said of it. Those inside a chassis are somebody else's. */
static void list_up(struct switch_file *f)
{
	for (const struct word *w = word_children(table(f, "PORT")); w; w = w->next) {
		const struct word *up = word_value(word_at(&f->tree, w, "admin_status")), *role = word_value(word_at(&f->tree, w, "role"));

		if (up && !strcmp(up->key, "up") && (!role || !strcmp(role->key, "Ext")))
			conf_ports(f, w->key);
	}
}

/* Members of a port channel take its MTU: which one a port is in, by the port. */
static void list_members(struct switch_file *f)
{
	const struct word *w = word_children(table(f, "PORTCHANNEL_MEMBER"));
	struct word *members = w ? tree_word(&f->tree, &f->tree.root, MEMBERS, strlen(MEMBERS), 0) : NULL;

	for (; w; w = w->next) {
		const char *bar = strchr(w->key, '|');

		if (bar)
			tree_word(&f->tree, tree_word(&f->tree, members, bar + 1, strlen(bar + 1), w->line), w->key, (size_t)(bar - w->key), w->line);
	}
}

/* --- shapes -------------------------------------------------------------------------------------- */

static int bad_shape(const struct switch_file *f, const char *name, const struct word *w, const char *what)
{
	const struct pos pos = word_pos(&f->tree, w);

	diag_error(f->diags, &pos, "%s: \"%s\" %s: a config_db has strings here", name,
		   text_safe(f->arena, w->key, strlen(w->key), 60), what);
	return -EINVAL;
}

static int check_member(const struct switch_file *f, const char *name, const struct word *m)
{
	const struct word *v = word_value(m);

	if (m->list || m->object)
		return bad_shape(f, name, m, m->list ? "is a list" : "is an object");
	if (m->scalar)
		return bad_shape(f, name, m, "stands without a name");
	if (v && v->bare && strchr("tfn", *v->key))
		return bad_shape(f, name, m, "is true, false or null without quotes");
	return 0;
}

/* A table of entries of members, each a string; numbers become strings when they are loaded. */
static int check_table(const struct switch_file *f, const char *name)
{
	const struct word *t = table(f, name);

	if (t && (t->list || (!t->object && t->child)))
		return bad_shape(f, name, t, "is no object");
	for (const struct word *w = word_children(t); w; w = w->next) {
		if (w->list || (!w->object && w->child))
			return bad_shape(f, name, w, "is no object");
		for (const struct word *m = w->child; m; m = m->next)
			if (check_member(f, name, m) < 0)
				return -EINVAL;
	}
	return 0;
}

static int check_port_members(const struct switch_file *f)
{
	static const char *const members[] = { "mtu", "speed", "pfc_asym", "admin_status", "role" };

	for (const struct word *w = word_children(table(f, "PORT")); w; w = w->next)
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
			const struct word *m = word_at(&f->tree, w, members[i]);

			if (m && check_member(f, "PORT", m) < 0)
				return -EINVAL;
		}
	return 0;
}

static int check_shapes(const struct switch_file *f)
{
	static const char *const judged[] = {
		"PORT_QOS_MAP", "QUEUE", "SCHEDULER", "WRED_PROFILE", "BUFFER_PG", "BUFFER_PROFILE", "BUFFER_POOL", "CABLE_LENGTH", "PFC_WD",
		"LOSSLESS_TRAFFIC_PATTERN", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP",
		"MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	};

	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++)
		if (check_table(f, judged[i]) < 0)
			return -EINVAL;
	return check_port_members(f);
}

static void warn_of_mark(const struct switch_file *f)
{
	const struct pos pos = { .source = f->source, .line = 1 };

	if (f->source->len >= 3 && !memcmp(f->source->text, "\xef\xbb\xbf", 3))
		diag_warning(f->diags, &pos, "this file begins with a byte order mark: SONiC does not load it so");
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
		const struct pos pos = { .source = f->source, .line = 1 };

		diag_error(f->diags, &pos, "this is no config_db of SONiC: it has none of its tables");
		return -EINVAL;
	}
	if (check_shapes(f) < 0)
		return -EINVAL;
	warn_of_mark(f);
	for (size_t i = 0; i < sizeof(expanded) / sizeof(expanded[0]); i++)
		expand_keys(f, expanded[i]);
	list_ports(f, "PORT_QOS_MAP");
	list_ports(f, "QUEUE");
	list_up(f);
	list_members(f);
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

/* Two keys that hold the same port and number: the switch takes one after the other, in no order that is said. */
static const char *said_twice(const struct switch_file *f, const struct word *w)
{
	return w && w->twice ? not_taken(f, w, "is said by two entries, of which one has a range or a list") : NULL;
}

/* What a name in @w refers to: "RDMA", or "[TABLE|RDMA]" as old images have it. */
static const struct word *referred(const struct switch_file *f, const struct word *w, const char *name)
{
	const char *s = word_text(w), *bar = s ? strchr(s, '|') : NULL;

	if (s && *s == '[' && bar)
		s = arena_strndup(f->arena, bar + 1, strcspn(bar + 1, "]"));
	return s ? word_at(&f->tree, table(f, name), s) : NULL;
}

/* A map that has an entry which is none is not taken at all. */
struct map {
	const struct word *at;		/* NULL: none is referred to */
	uint8_t to[DSCPS];		/* of 16 traffic classes and 64 DSCPs */
	const char *why;		/* it cannot be told; NULL: it can */
};

static bool plain_number(const char *s, uint64_t max, uint64_t *n)
{
	return (s[0] != '0' || !s[1]) && line_number(s, max, n);
}

static void read_map(const struct switch_file *f, const struct word *at, unsigned n, uint64_t max, struct map *map)
{
	*map = (struct map){ .at = at };
	memset(map->to, VALUE_UNSET, sizeof(map->to));
	for (const struct word *w = word_children(at); w; w = w->next) {
		const struct word *value = word_value(w);
		uint64_t key, v;

		if (!plain_number(w->key, n - 1, &key))
			map->why = not_taken(f, w, "is no number that this map has");
		else if (!value || !plain_number(value->key, max, &v))
			map->why = not_taken(f, value ? value : w, "is no number that this map leads to");
		else
			map->to[key] = (uint8_t)v;
	}
}

static void say_map(const struct switch_file *f, struct cell *c, const struct word *q, const struct map *map, unsigned n)
{
	conf_say_map(f, c, map->at ? map->at : q, map->to, n);
	if (map->why)
		unsure(c, map->why);
}

/* Classes that no priority has share a lossless one's queue or group: no priority says so. */
static void check_beyond(const struct switch_file *f, struct map *map, const struct word *q)
{
	uint64_t pfc = 0;
	const struct word *on = member(f, q, "pfc_enable");

	if (on && *on->key && !line_set(on->key, 7, &pfc))
		return;
	for (unsigned tc = PRIORITIES; tc < TRAFFIC_CLASSES; tc++)
		for (unsigned p = 0; p < PRIORITIES; p++)
			if (map->at && pfc >> p & 1 && map->to[tc] != VALUE_UNSET && map->to[tc] == map->to[p])
				map->why = arena_printf(f->arena, "traffic class %u shares what priority %u has for itself (%s:%u)", tc, p,
							f->source->name, map->at->line);
}

static void read_maps(struct switch_file *f, const struct word *q, struct record *have)
{
	const struct word *dscp = member(f, q, "dscp_to_tc_map");
	struct map map;

	if (!dscp)
		dscp = member(f, entry(f, "PORT_QOS_MAP", "global", -1), "dscp_to_tc_map");
	read_map(f, referred(f, dscp, "DSCP_TO_TC_MAP"), DSCPS, TRAFFIC_CLASSES - 1, &map);
	conf_say(f, &have->at[SWITCH_TRUST], dscp ? dscp : q,
		 map.at ? TRUST_DSCP : member(f, q, "dot1p_to_tc_map") ? TRUST_PCP : TRUST_NONE);
	if (map.at)
		say_map(f, &have->at[SWITCH_DSCP], q, &map, DSCPS);
	read_map(f, referred(f, member(f, q, "tc_to_queue_map"), "TC_TO_QUEUE_MAP"), TRAFFIC_CLASSES, 9, &map);
	check_beyond(f, &map, q);
	say_map(f, &have->at[SWITCH_QUEUE], q, &map, PRIORITIES);
	read_map(f, referred(f, member(f, q, "tc_to_pg_map"), "TC_TO_PRIORITY_GROUP_MAP"), TRAFFIC_CLASSES, 7, &map);
	check_beyond(f, &map, q);
	say_map(f, &have->at[SWITCH_GROUP], q, &map, PRIORITIES);
}

/* PFC's own maps; without one a priority stands for the queue and group of its number. */
static void read_pause_map(struct switch_file *f, const struct word *q, const char *name, const char *in, struct cell *c)
{
	const struct word *said = member(f, q, name);
	struct map map;

	read_map(f, referred(f, said, in), PRIORITIES, 7, &map);
	for (unsigned p = 0; p < PRIORITIES; p++)
		map.to[p] = map.to[p] == VALUE_UNSET ? (uint8_t)p : map.to[p];
	if (said && !map.at)
		map.why = not_taken(f, said, "is a map that the file does not have");
	say_map(f, c, q, &map, PRIORITIES);
}

/* "3,4"; "" is none. Ranges and blanks are not taken. */
static void read_set(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t mask = 0;

	if (!w)
		return;
	if (*w->key && (strspn(w->key, "01234567,") != strlen(w->key) || !line_set(w->key, 7, &mask)))
		unsure(c, not_taken(f, w, "is no list of priorities such as 3,4"));
	else
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
	uint64_t n;

	if (w && line_number(w->key, NUMBER_MOST, &n))
		conf_say(f, c, w, (int64_t)n);
	else if (w)
		unsure(c, not_taken(f, w, "is no number that is taken here"));
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

/* Return: NULL, or why the share cannot be told. */
static const char *share_of(const struct switch_file *f, const struct word *scheduler, uint8_t *share)
{
	const struct word *type = member(f, scheduler, "type"), *weight = member(f, scheduler, "weight");
	const struct word *pir = member(f, scheduler, "pir");
	uint64_t n;

	if (pir && strcmp(pir->key, "0") != 0)
		return not_taken(f, pir, "is a rate that this queue does not exceed");
	if (!type)
		return not_taken(f, scheduler, "says no type: STRICT, DWRR or WRR");
	*share = SHARE_STRICT;
	if (!strcmp(type->key, "STRICT"))
		return NULL;
	if (strcmp(type->key, "DWRR") != 0 && strcmp(type->key, "WRR") != 0)
		return not_taken(f, type, "is none of STRICT, DWRR and WRR");
	if (!weight || !line_number(weight->key, 100, &n) || !n)
		return not_taken(f, weight ? weight : scheduler, "has no weight from 1 to 100");
	*share = (uint8_t)n;
	return NULL;
}

static void read_queues(struct switch_file *f, const char *port, struct record *have)
{
	uint8_t share[PRIORITIES];
	const struct word *of_all = member(f, entry(f, "PORT_QOS_MAP", port, -1), "scheduler");
	const struct word *last = NULL, *rate = member(f, referred(f, of_all, "SCHEDULER"), "pir");
	const char *why = NULL;

	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct word *queue = entry(f, "QUEUE", port, (int)q), *s = referred(f, member(f, queue, "scheduler"), "SCHEDULER");

		const char *twice = said_twice(f, queue), *not = s ? share_of(f, s, &share[q]) : NULL;

		share[q] = s && !not ? share[q] : VALUE_UNSET;
		last = s ? s : last;
		why = twice ? twice : not ? not : why;
		read_marking(f, queue, q, have);
		if (twice)
			unsure(switch_port_cell(have, SWITCH_ECN, q), twice);
	}
	conf_say_map(f, &have->at[SWITCH_SHARES], last, share, PRIORITIES);
	if (rate && strcmp(rate->key, "0") != 0)
		why = not_taken(f, rate, "is a rate that this port does not exceed");
	if (why)
		unsure(&have->at[SWITCH_SHARES], why);
}

static void read_alpha(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t n;

	if (!w)
		return;
	if (line_number(w->key + (*w->key == '-'), *w->key == '-' ? 8 : 7, &n))
		conf_say(f, c, w, *w->key == '-' ? -(int64_t)n : (int64_t)n);
	else
		unsure(c, not_taken(f, w, "is no dynamic_th from -8 to 7"));
}

/* A profile that says only a part is not taken. */
static void check_whole(const struct switch_file *f, const struct word *profile, unsigned p, struct record *have)
{
	static const struct {
		unsigned field;
		const char *name;
	} parts[] = { { SWITCH_XOFF, "xoff" }, { SWITCH_XON, "xon" }, { SWITCH_SIZE, "size" }, { SWITCH_ALPHA, "dynamic_th" } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!member(f, profile, parts[i].name))
			unsure(switch_port_cell(have, parts[i].field, p),
			       not_taken(f, profile, arena_printf(f->arena, "says no %s", parts[i].name)));
}

/* Of xoff counts what the group has behind xon, and what the pool has for all groups. */
static void limit_xoff(const struct switch_file *f, const struct word *profile, const struct word *pool, unsigned p, struct record *have)
{
	struct cell *xoff = switch_port_cell(have, SWITCH_XOFF, p);
	const struct cell *size = switch_port_at(have, SWITCH_SIZE, p), *xon = switch_port_at(have, SWITCH_XON, p);
	const struct word *shared = member(f, pool, "xoff");
	uint64_t n = 0;
	int64_t room;

	if (shared && !line_number(shared->key, UINT64_C(1) << 40, &n)) {
		unsure(xoff, not_taken(f, shared, "is no size of a shared headroom pool"));
		return;
	}
	if (!size || !xon || xoff->state != CELL_VALUE)
		return;
	room = size->value.num > xon->value.num ? size->value.num - xon->value.num : 0;
	room += (int64_t)n;
	if (room < xoff->value.num)
		conf_say(f, xoff, shared ? shared : member(f, profile, "size"), room);
}

static void read_pool_size(const struct switch_file *f, const struct word *pool, struct record *have)
{
	const struct word *size = member(f, pool, "size");
	uint64_t n;

	if (size && line_number(size->key, UINT64_C(1) << 40, &n))
		conf_say(f, &have->at[SWITCH_POOL], size, (int64_t)n);
	else
		unsure(&have->at[SWITCH_POOL], not_taken(f, size ? size : pool, "has no size of the pool"));
}

static void read_pool(const struct switch_file *f, const struct word *profile, unsigned p, struct record *have)
{
	const struct word *name = member(f, profile, "pool"), *pool = referred(f, name, "BUFFER_POOL");
	const struct word *type = member(f, pool, "type"), *mode = member(f, pool, "mode");
	struct cell *given = switch_port_cell(have, SWITCH_GIVEN, p);

	if (!pool) {
		unsure(given, not_taken(f, name ? name : profile, name ? "is a pool that the file does not have" : "says no pool"));
		return;
	}
	if (type && strcmp(type->key, "ingress") != 0 && strcmp(type->key, "both") != 0)
		unsure(given, not_taken(f, type, "is no type of pool that a priority group has: ingress"));
	if (mode && strcmp(mode->key, "dynamic") != 0)
		unsure(switch_port_cell(have, SWITCH_ALPHA, p), not_taken(f, mode, "is a mode of the pool where dynamic_th does not count"));
	limit_xoff(f, profile, pool, p, have);
	read_pool_size(f, pool, have);
}

/* Profile NULL, or one that only says dynamic_th: computed, where the model is the dynamic one. */
static void read_computed(const struct switch_file *f, const struct word *name, const struct word *profile, unsigned p, struct record *have)
{
	const struct word *meta = table(f, "DEVICE_METADATA"), *model = member(f, word_at(&f->tree, meta, "localhost"), "buffer_model");
	const struct word *defaults = word_children(table(f, "DEFAULT_LOSSLESS_BUFFER_PARAMETER")), *alpha = member(f, profile, "dynamic_th");
	struct cell *given = switch_port_cell(have, SWITCH_GIVEN, p);

	conf_say(f, given, model ? model : name, model && !strcmp(model->key, "dynamic"));
	if (!meta)
		unsure(given, "the switch computes headroom if its buffer_model is dynamic, and the file has no DEVICE_METADATA that says so");
	switch_port_cell(have, SWITCH_XOFF, p)->because = "the switch computes headroom itself (profile NULL)";
	read_alpha(f, alpha ? alpha : member(f, defaults, "default_dynamic_th"), switch_port_cell(have, SWITCH_ALPHA, p));
}

static void read_group(const struct switch_file *f, const struct word *pg, unsigned p, struct record *have)
{
	const struct word *name = member(f, pg, "profile"), *profile = referred(f, name, "BUFFER_PROFILE");
	const struct word *kind = member(f, profile, "headroom_type");

	if ((name && !strcmp(name->key, "NULL")) || (kind && !strcmp(kind->key, "dynamic"))) {
		read_computed(f, name, profile, p, have);
		return;
	}
	conf_say(f, switch_port_cell(have, SWITCH_GIVEN, p), name ? name : pg, member(f, profile, "xoff") != NULL);
	if (!member(f, profile, "xoff"))
		return;
	read_number(f, member(f, profile, "xoff"), switch_port_cell(have, SWITCH_XOFF, p));
	read_number(f, member(f, profile, "xon"), switch_port_cell(have, SWITCH_XON, p));
	read_number(f, member(f, profile, "size"), switch_port_cell(have, SWITCH_SIZE, p));
	read_alpha(f, member(f, profile, "dynamic_th"), switch_port_cell(have, SWITCH_ALPHA, p));
	check_whole(f, profile, p, have);
	read_pool(f, profile, p, have);
}

static void read_buffers(struct switch_file *f, const char *port, struct record *have)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct word *pg = entry(f, "BUFFER_PG", port, (int)p);
		const char *twice = said_twice(f, pg);

		read_group(f, pg, p, have);
		if (twice)
			unsure(switch_port_cell(have, SWITCH_GIVEN, p), twice);
	}
}

static void read_length(const struct switch_file *f, const struct word *length, struct cell *c)
{
	size_t n = strlen(length->key);
	uint64_t metres;

	if (n < 2 || length->key[n - 1] != 'm' || !line_number(arena_strndup(f->arena, length->key, n - 1), 100000, &metres))
		unsure(c, not_taken(f, length, "is no length such as 40m"));
	else if (c->state == CELL_VALUE && c->value.num != (int64_t)metres)
		unsure(c, not_taken(f, length, "is one of two lengths that are said"));
	else
		conf_say(f, c, length, (int64_t)metres);
}

static void read_cable(struct switch_file *f, const char *port, struct record *have)
{
	for (const struct word *w = word_children(table(f, "CABLE_LENGTH")); w; w = w->next) {
		const struct word *length = member(f, w, port);

		if (length)
			read_length(f, length, &have->at[SWITCH_CABLE]);
	}
	for (const struct word *w = word_children(table(f, "LOSSLESS_TRAFFIC_PATTERN")); w; w = w->next) {
		read_number(f, member(f, w, "mtu"), &have->at[SWITCH_LOSSLESS_MTU]);
		read_number(f, member(f, w, "small_packet_percentage"), &have->at[SWITCH_SMALL_PACKETS]);
	}
}

static void read_frame(const struct switch_file *f, const char *port, const struct word *mtu, struct cell *c)
{
	const struct word *member_of = word_value(word_at(&f->tree, table(f, MEMBERS), port));
	const struct word *lag = member_of ? word_at(&f->tree, table(f, "PORTCHANNEL"), member_of->key) : NULL;
	const struct word *lag_mtu = member(f, lag, "mtu");
	uint64_t n;

	if (lag && !lag_mtu)
		conf_say(f, c, lag, LAG_MTU + FRAME_BEYOND_MTU);
	mtu = lag ? lag_mtu : mtu;
	if (mtu && line_number(mtu->key, 65535, &n))
		conf_say(f, c, mtu, (int64_t)n + FRAME_BEYOND_MTU);
	else if (mtu)
		unsure(c, not_taken(f, mtu, "is no MTU"));
}

static void read_port(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = entry(f, "PORT", port, -1), *asymmetric = member(f, p, "pfc_asym"), *up = member(f, p, "admin_status");
	const struct pos pos = word_pos(&f->tree, up);

	read_frame(f, port, member(f, p, "mtu"), &have->at[SWITCH_FRAME]);
	read_number(f, member(f, p, "speed"), &have->at[SWITCH_SPEED]);
	if (asymmetric && strcmp(asymmetric->key, "off") != 0)
		unsure(&have->at[SWITCH_PFC], not_taken(f, asymmetric, "is a pfc_asym with which a port obeys pauses of every priority"));
	if (up && !strcmp(up->key, "down"))
		diag_note(f->diags, &pos, "%s is down (admin_status)", text_safe(f->arena, port, strlen(port), 60));
}

/* An entry without a detection time, or with an action that is none, starts nothing. Return: ACTION_*, or -1 */
static int started(const struct switch_file *f, const struct word *w)
{
	static const char *const words[] = { [ACTION_DROP] = "drop", [ACTION_FORWARD] = "forward", [ACTION_ALERT] = "alert", NULL };
	const struct word *action = member(f, w, "action"), *detect = member(f, w, "detection_time");
	uint64_t n;

	if (!detect || !line_number(detect->key, DETECT_MOST, &n) || n < DETECT_LEAST)
		return -1;
	for (int i = 0; action && words[i]; i++)
		if (!strcmp(action->key, words[i]))
			return i;
	return action ? -1 : ACTION_DROP;
}

/* Looked at less often, a queue is stuck, or well again, no sooner than that. */
static void slow_down(const struct switch_file *f, const struct word *poll, struct cell *c)
{
	uint64_t n;

	if (!line_number(poll->key, POLL_MOST, &n) || n < POLL_LEAST)
		unsure(c, not_taken(f, poll, "is no POLL_INTERVAL from 100 to 1000"));
	else if (c->state == CELL_VALUE && c->value.num < (int64_t)n)
		conf_say(f, c, poll, (int64_t)n);
}

static void read_watchdog(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *w = entry(f, "PFC_WD", port, -1), *global = entry(f, "PFC_WD", "GLOBAL", -1), *action = member(f, w, "action");
	const struct word *red = member(f, global, "BIG_RED_SWITCH"), *poll = member(f, global, "POLL_INTERVAL");
	const struct word *counters = member(f, word_at(&f->tree, table(f, "FLEX_COUNTER_TABLE"), "PFCWD"), "FLEX_COUNTER_STATUS");
	int does = w ? started(f, w) : -1;
	bool drops_all = red && !strcmp(red->key, "enable"), blind = counters && strcmp(counters->key, "enable") != 0;

	conf_say(f, &have->at[SWITCH_WATCHDOG], drops_all ? red : blind ? counters : w, does >= 0 && !drops_all && !blind);
	if (does < 0)
		return;
	read_number(f, member(f, w, "detection_time"), &have->at[SWITCH_DETECT]);
	read_number(f, member(f, w, "restoration_time"), &have->at[SWITCH_RESTORE]);
	conf_say(f, &have->at[SWITCH_ACTION], action ? action : w, does);
	if (poll) {
		slow_down(f, poll, &have->at[SWITCH_DETECT]);
		slow_down(f, poll, &have->at[SWITCH_RESTORE]);
	}
	if (said_twice(f, w))
		unsure(&have->at[SWITCH_WATCHDOG], said_twice(f, w));
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
	if (said_twice(f, q))
		unsure(&have->at[SWITCH_TRUST], said_twice(f, q));
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
	.parse = parse,
	.port = port,
	.looks = looks,
};
