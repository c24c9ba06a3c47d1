/* SPDX-License-Identifier: Apache-2.0 */
/* What a config_db says of one port: its maps, PFC, queues, frame and watchdog. */
#include "nos/sonic.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"

enum { TRAFFIC_CLASSES = 16, POLL_LEAST = 100, POLL_MOST = 1000, LAG_MTU = 9100 };

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
			map->why = sonic_why(f, w, "is no number that this map has");
		else if (!value || !plain_number(value->key, max, &v))
			map->why = sonic_why(f, value ? value : w, "is no number that this map leads to");
		else
			map->to[key] = (uint8_t)v;
	}
}

static void say_map(const struct switch_file *f, struct cell *c, const struct word *q, const struct map *map, unsigned n)
{
	conf_say_map(f, c, map->at ? map->at : q, map->to, n);
	if (map->why)
		sonic_unsure(c, map->why);
}

/* Classes that no priority has share a lossless one's queue or group: no priority says so. */
static void check_beyond(const struct switch_file *f, struct map *map, const struct word *q)
{
	uint64_t pfc = 0;
	const struct word *on = sonic_member(f, q, "pfc_enable");

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
	const struct word *dscp = sonic_member(f, q, "dscp_to_tc_map");
	struct map map;

	if (!dscp)
		dscp = sonic_member(f, sonic_entry(f, "PORT_QOS_MAP", "global", -1), "dscp_to_tc_map");
	read_map(f, sonic_referred(f, dscp, "DSCP_TO_TC_MAP"), DSCPS, TRAFFIC_CLASSES - 1, &map);
	conf_say(f, &have->at[SWITCH_TRUST], dscp ? dscp : q,
		 map.at ? SWITCH_TRUST_DSCP : sonic_member(f, q, "dot1p_to_tc_map") ? SWITCH_TRUST_PCP : SWITCH_TRUST_NONE);
	if (map.at)
		say_map(f, &have->at[SWITCH_DSCP], q, &map, DSCPS);
	read_map(f, sonic_referred(f, sonic_member(f, q, "tc_to_queue_map"), "TC_TO_QUEUE_MAP"), TRAFFIC_CLASSES, 9, &map);
	check_beyond(f, &map, q);
	say_map(f, &have->at[SWITCH_QUEUE], q, &map, PRIORITIES);
	read_map(f, sonic_referred(f, sonic_member(f, q, "tc_to_pg_map"), "TC_TO_PRIORITY_GROUP_MAP"), TRAFFIC_CLASSES, 7, &map);
	check_beyond(f, &map, q);
	say_map(f, &have->at[SWITCH_GROUP], q, &map, PRIORITIES);
}

/* PFC's own maps; without one a priority stands for the queue and group of its number. */
static void read_pause_map(struct switch_file *f, const struct word *q, const char *name, const char *in, struct cell *c)
{
	const struct word *said = sonic_member(f, q, name);
	struct map map;

	read_map(f, sonic_referred(f, said, in), PRIORITIES, 7, &map);
	for (unsigned p = 0; p < PRIORITIES; p++)
		map.to[p] = map.to[p] == VALUE_UNSET ? (uint8_t)p : map.to[p];
	if (said && !map.at)
		map.why = sonic_why(f, said, "is a map that the file does not have");
	say_map(f, c, q, &map, PRIORITIES);
}

/* "3,4"; "" is none. Ranges and blanks are not taken. */
static void read_set(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t mask = 0;

	if (!w)
		return;
	if (*w->key && (strspn(w->key, "01234567,") != strlen(w->key) || !line_set(w->key, 7, &mask)))
		sonic_unsure(c, sonic_why(f, w, "is no list of priorities such as 3,4"));
	else
		conf_say(f, c, w, (int64_t)mask);
}

static void read_pfc(struct switch_file *f, const struct word *q, struct record *have)
{
	const struct word *on = sonic_member(f, q, "pfc_enable");

	if (on)
		read_set(f, on, &have->at[SWITCH_PFC]);
	else
		conf_say(f, &have->at[SWITCH_PFC], q, 0);
	read_set(f, sonic_member(f, q, "pfcwd_sw_enable"), &have->at[SWITCH_WATCHDOG_QUEUES]);
	read_pause_map(f, q, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", &have->at[SWITCH_PAUSE_QUEUE]);
	read_pause_map(f, q, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", &have->at[SWITCH_PAUSE_GROUP]);
}

static bool marks_green(const char *mode)
{
	return mode && (!strcmp(mode, "ecn_all") || !strcmp(mode, "ecn_green") || !strcmp(mode, "ecn_green_yellow") ||
			!strcmp(mode, "ecn_green_red"));
}

static void read_marking(struct switch_file *f, const struct word *queue, unsigned q, struct record *have)
{
	const struct word *name = sonic_member(f, queue, "wred_profile"), *p = sonic_referred(f, name, "WRED_PROFILE");
	const struct word *mode = sonic_member(f, p, "ecn"), *enable = sonic_member(f, p, "wred_green_enable");
	bool on = p && marks_green(word_text(mode)) && enable && !strcmp(enable->key, "true");
	const struct word *off = !p ? name : !marks_green(word_text(mode)) ? mode : enable;

	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), on ? mode : off ? off : p ? p : queue, on);
	if (!p)
		return;
	sonic_number(f, sonic_member(f, p, "green_min_threshold"), switch_port_cell(have, SWITCH_KMIN, q));
	sonic_number(f, sonic_member(f, p, "green_max_threshold"), switch_port_cell(have, SWITCH_KMAX, q));
	sonic_number(f, sonic_member(f, p, "green_drop_probability"), switch_port_cell(have, SWITCH_PMAX, q));
	if (on && !sonic_member(f, p, "green_drop_probability"))
		conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), p, 100);
}

/* Return: NULL, or why the share cannot be told. */
static const char *share_of(const struct switch_file *f, const struct word *scheduler, uint8_t *share)
{
	const struct word *type = sonic_member(f, scheduler, "type"), *weight = sonic_member(f, scheduler, "weight");
	const struct word *pir = sonic_member(f, scheduler, "pir");
	uint64_t n;

	if (pir && strcmp(pir->key, "0") != 0)
		return sonic_why(f, pir, "is a rate that this queue does not exceed");
	if (!type)
		return sonic_why(f, scheduler, "says no type: STRICT, DWRR or WRR");
	*share = SHARE_STRICT;
	if (!strcmp(type->key, "STRICT"))
		return NULL;
	if (strcmp(type->key, "DWRR") != 0 && strcmp(type->key, "WRR") != 0)
		return sonic_why(f, type, "is none of STRICT, DWRR and WRR");
	if (!weight || !line_number(weight->key, 100, &n) || !n)
		return sonic_why(f, weight ? weight : scheduler, "has no weight from 1 to 100");
	*share = (uint8_t)n;
	return NULL;
}

static void read_queues(struct switch_file *f, const char *port, struct record *have)
{
	uint8_t share[PRIORITIES];
	const struct word *of_all = sonic_member(f, sonic_entry(f, "PORT_QOS_MAP", port, -1), "scheduler");
	const struct word *last = NULL, *rate = sonic_member(f, sonic_referred(f, of_all, "SCHEDULER"), "pir");
	const char *why = NULL;

	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct word *queue = sonic_entry(f, "QUEUE", port, (int)q);
		const struct word *s = sonic_referred(f, sonic_member(f, queue, "scheduler"), "SCHEDULER");
		const char *twice = sonic_twice(f, queue), *not = s ? share_of(f, s, &share[q]) : NULL;

		share[q] = s && !not ? share[q] : VALUE_UNSET;
		last = s ? s : last;
		why = twice ? twice : not ? not : why;
		read_marking(f, queue, q, have);
		if (twice)
			sonic_unsure(switch_port_cell(have, SWITCH_ECN, q), twice);
	}
	conf_say_map(f, &have->at[SWITCH_SHARES], last, share, PRIORITIES);
	if (rate && strcmp(rate->key, "0") != 0)
		why = sonic_why(f, rate, "is a rate that this port does not exceed");
	if (why)
		sonic_unsure(&have->at[SWITCH_SHARES], why);
}

static void read_frame(const struct switch_file *f, const char *port, const struct word *mtu, struct cell *c)
{
	const struct word *lag = sonic_channel(f, port);
	const struct word *lag_mtu = sonic_member(f, lag, "mtu");
	uint64_t n;

	if (lag && !lag_mtu)
		conf_say(f, c, lag, LAG_MTU + FRAME_BEYOND_MTU);
	mtu = lag ? lag_mtu : mtu;
	if (mtu && line_number(mtu->key, 65535, &n))
		conf_say(f, c, mtu, (int64_t)n + FRAME_BEYOND_MTU);
	else if (mtu)
		sonic_unsure(c, sonic_why(f, mtu, "is no MTU"));
}

static void read_port(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = sonic_entry(f, "PORT", port, -1);
	const struct word *asymmetric = sonic_member(f, p, "pfc_asym"), *up = sonic_member(f, p, "admin_status");
	const struct pos pos = word_pos(&f->tree, up);

	read_frame(f, port, sonic_member(f, p, "mtu"), &have->at[SWITCH_FRAME]);
	sonic_number(f, sonic_member(f, p, "speed"), &have->at[SWITCH_SPEED]);
	if (asymmetric && strcmp(asymmetric->key, "off") != 0)
		sonic_unsure(&have->at[SWITCH_PFC], sonic_why(f, asymmetric, "is a pfc_asym with which a port obeys pauses of every priority"));
	if (up && !strcmp(up->key, "down"))
		diag_note(f->diags, &pos, "%s is down (admin_status)", text_safe(f->arena, port, strlen(port), 60));
}

/* An entry without a detection time, or with an action that is none, starts nothing. Return: ACTION_*, or -1 */
static int started(const struct switch_file *f, const struct word *w)
{
	static const char *const words[] = { [ACTION_DROP] = "drop", [ACTION_FORWARD] = "forward", [ACTION_ALERT] = "alert", NULL };
	const struct word *action = sonic_member(f, w, "action"), *detect = sonic_member(f, w, "detection_time");
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
		sonic_unsure(c, sonic_why(f, poll, "is no POLL_INTERVAL from 100 to 1000"));
	else if (c->state == CELL_VALUE && c->value.num < (int64_t)n)
		conf_say(f, c, poll, (int64_t)n);
}

static void read_watchdog(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *w = sonic_entry(f, "PFC_WD", port, -1), *global = sonic_entry(f, "PFC_WD", "GLOBAL", -1);
	const struct word *action = sonic_member(f, w, "action"), *red = sonic_member(f, global, "BIG_RED_SWITCH"), *poll = sonic_member(f, global, "POLL_INTERVAL");
	const struct word *counters = sonic_member(f, word_at(&f->tree, sonic_table(f, "FLEX_COUNTER_TABLE"), "PFCWD"), "FLEX_COUNTER_STATUS");
	int does = w ? started(f, w) : -1;
	bool drops_all = red && !strcmp(red->key, "enable"), blind = counters && strcmp(counters->key, "enable") != 0;

	conf_say(f, &have->at[SWITCH_WATCHDOG], drops_all ? red : blind ? counters : w, does >= 0 && !drops_all && !blind);
	if (does < 0)
		return;
	sonic_number(f, sonic_member(f, w, "detection_time"), &have->at[SWITCH_DETECT]);
	sonic_number(f, sonic_member(f, w, "restoration_time"), &have->at[SWITCH_RESTORE]);
	conf_say(f, &have->at[SWITCH_ACTION], action ? action : w, does);
	if (poll) {
		slow_down(f, poll, &have->at[SWITCH_DETECT]);
		slow_down(f, poll, &have->at[SWITCH_RESTORE]);
	}
	if (sonic_twice(f, w))
		sonic_unsure(&have->at[SWITCH_WATCHDOG], sonic_twice(f, w));
}

void sonic_port(struct switch_file *f, const char *name, struct record *have)
{
	const struct word *q = sonic_entry(f, "PORT_QOS_MAP", name, -1);

	read_maps(f, q, have);
	read_pfc(f, q, have);
	read_queues(f, name, have);
	sonic_buffers(f, name, have);
	read_port(f, name, have);
	read_watchdog(f, name, have);
	if (sonic_twice(f, q))
		sonic_unsure(&have->at[SWITCH_TRUST], sonic_twice(f, q));
}
