/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arista EOS: text of a running-config. Facts: the schema, templates and expected configurations of Arista's validated designs,
 * and two guides.
 *
 * What surprises: the default map sends DSCP 8n to class n but 0-7 to 1 and 8-15 to 0, and lines that repeat a default are not
 * shown; a queue is named tx-queue or uc-tx-queue by platform; `segments` and `milliseconds` have no size in bytes; the
 * interface's lines beat those of its service-profile; a queue is strict unless it or one above it says `no priority`; mtu is
 * the IP MTU; text for people ends in a line EOF.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"
#include "nos/template.h"

enum { FRAME_BEYOND_MTU = 22, MTU_MOST = 9214, MS_STEP = 10, MS_MOST = 60000, LINE_NUMBERS = 512 };
enum { KMAX_MOST = 256000000 };

/* --- what it can say -------------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "EOS: %s", what);
	return -EINVAL;
}

/* Seconds with two places. */
static int time_of(const struct switch_tier *t, struct cell *c, unsigned field, struct diags *d)
{
	const struct cell *first = &t->link[0].want->at[field];

	if (c->state != CELL_VALUE)
		return 0;
	if (c->value.num < MS_STEP || c->value.num > MS_MOST)
		return refuse(d, c, "its watchdog takes 10ms to 60s");
	if (c->value.num % MS_STEP) {
		diag_warning(d, &c->pos, "EOS: %jdms is rounded down to whole 10ms", (intmax_t)c->value.num);
		c->value.num -= c->value.num % MS_STEP;
	}
	return first->state == CELL_VALUE && first->value.num == c->value.num ? 0 :
	       refuse(d, c, "its watchdog has one time for the whole switch");
}

/* Queues are strict from the highest one down. */
static int strict_first(const struct record *want, struct diags *d)
{
	const struct cell *shares = &want->at[SWITCH_SHARES];
	bool fair = false;

	for (unsigned q = PRIORITIES; shares->state == CELL_VALUE && q--;) {
		if (shares->value.map[q] == SHARE_STRICT && fair)
			return refuse(d, shares, "no queue is strict below one that has a share");
		fair |= shares->value.map[q] < SHARE_STRICT;
	}
	return 0;
}

static int express_link(struct switch_tier *t, struct record *want, struct diags *d)
{
	const struct cell *frame = &want->at[SWITCH_FRAME], *action = &want->at[SWITCH_ACTION];

	if (frame->state == CELL_VALUE && frame->value.num > MTU_MOST + FRAME_BEYOND_MTU)
		return refuse(d, frame, "its MTU is at most 9214, a frame of 9236 bytes");
	if (action->state == CELL_VALUE && action->value.num != ACTION_DROP)
		return refuse(d, action, "only drop is known of its watchdog's actions");
	if (record_at(want, SWITCH_QUEUE, 7, 7) != 7)
		return refuse(d, &want->at[SWITCH_QUEUE], "traffic class 7 always has queue 7");
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct cell *pmax = switch_port_at(want, SWITCH_PMAX, q), *kmax = switch_port_at(want, SWITCH_KMAX, q);

		if (pmax && !pmax->value.num)
			return refuse(d, pmax, "a probability is 1 to 100");
		if (kmax && kmax->value.num > KMAX_MOST)
			return refuse(d, kmax, "a threshold is at most 256000000 bytes");
	}
	if (strict_first(want, d) < 0 || time_of(t, &want->at[SWITCH_DETECT], SWITCH_DETECT, d) < 0)
		return -EINVAL;
	return time_of(t, &want->at[SWITCH_RESTORE], SWITCH_RESTORE, d);
}

static int express(struct switch_tier *t, struct diags *d)
{
	const struct record *want = t->link[0].want;

	for (size_t i = 0; i < t->n; i++)
		if (express_link(t, t->link[i].want, d) < 0)
			return -EINVAL;
	if (want->at[SWITCH_DETECT].state == CELL_VALUE && want->at[SWITCH_ACTION].state != CELL_VALUE)
		diag_warning(d, &want->at[SWITCH_DETECT].pos, "EOS disables a stuck port for good where watchdog.action is not said");
	return 0;
}

/* Half of the smaller of both times at most, or the switch takes another. */
static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	int64_t detect = record_num(t->link[0].want, SWITCH_DETECT, MS_MOST), restore = record_num(t->link[0].want, SWITCH_RESTORE, detect);
	int64_t poll = (detect < restore ? detect : restore) / 2;

	if (l)
		return;
	poll = poll > 30000 ? 30000 : poll;
	vars_set(n, "poll_s", "%jd.%03jd", (intmax_t)(poll / 1000), (intmax_t)(poll % 1000));
	for (unsigned i = 0; i < 2; i++) {	/* the same of all links */
		const struct cell *c = &t->link[0].want->at[i ? SWITCH_RESTORE : SWITCH_DETECT];

		vars_set(n, i ? "restore_s" : "detect_s", "%s", "");
		if (c->state == CELL_VALUE)
			vars_set(n, i ? "restore_s" : "detect_s", "%jd.%02jd", (intmax_t)(c->value.num / 1000),
				 (intmax_t)(c->value.num % 1000 / 10));
	}
	vars_set(n, "action", "%s", record_has(t->link[0].want, SWITCH_ACTION) ? "drop" : "");
}

/* --- reading ------------------------------------------------------------------------------------- */

/* In the order in which a cut word is taken. */
static const char *const types[] = { "Ethernet", "Management", "Port-Channel", "Loopback", "Vlan", "Vxlan", "Tunnel", "Register", "Recirc-Channel",
				     "Fabric", "Dps", "Null", NULL };

static const struct tree_text texts[] = {
	{ .begins = "banner %", .end = "EOF" },
	{ .begins = "action bash", .end = "EOF" },
	{ .begins = "comment", .end = "EOF" },
	{ .begins = "code", .end = "EOF" },
	{ .begins = "code unit %", .end = "EOF" },
	{ 0 },
};

static int parse(struct switch_file *f)
{
	static const struct conf_form form = {
		.interface = "interface ...", .but = { "interface defaults", "interface profile ..." },
		.known = { "qos ...", "priority-flow-control ..." },
		.what = "no running-config: it has neither interfaces nor a qos line", .texts = texts,
	};

	return conf_running(f, &form);
}

/* What an interface takes from elsewhere, and is not followed there. */
static void check_profiles(const struct switch_file *f, const struct conf_place *own)
{
	static const char *const of_channel[] = { "service-profile ...", "qos ...", "priority-flow-control ...", "mtu %",
						  "tx-queue %", "uc-tx-queue %", NULL };
	struct line_args args;
	const struct word *w = conf_line(f, own, "channel-group % ...", &args);

	if (w && conf_says(f, "Port-Channel", args.at[0], of_channel))
		f->notes->port_unsure = w;
	w = conf_line(f, own, "profile ...", &args);
	if (w)
		f->notes->port_unsure = w;
}

static void places(const struct switch_file *f, const char *port, struct conf_place *p)
{
	struct conf_place own;
	const struct word *profile = NULL;
	struct line_args args;

	own.own = 0;
	own.n = conf_sections(f, &f->tree.root, port, own.at);
	check_profiles(f, &own);
	if (conf_line(f, &own, "service-profile %", &args))
		profile = conf_named(f, "qos profile %", args.at[0]);
	if (f->notes->unsure)		/* which profile is in force decides all */
		f->notes->port_unsure = f->notes->unsure;
	p->n = 0;
	if (profile)
		p->at[p->n++] = profile;
	p->own = p->n;
	for (size_t i = 0; i < own.n; i++)
		p->at[p->n++] = own.at[i];
}

/* The numbers of "qos map KIND 24 25-27 to …", and where they go. */
static bool map_line(const char *line, const char *kind, const char *to, unsigned most, uint64_t *from, uint64_t *n)
{
	const char *at = strstr(line, " to "), *list = line;
	struct line_args args;
	char numbers[LINE_NUMBERS];

	if (!at || !line_match(line, kind, NULL) || !line_match(at + 1, to, &args) || !line_number(args.at[0], 7, n))
		return false;
	for (unsigned i = 0; i < 3; i++)
		list += strcspn(list, " ") + 1;
	if (list > at || (size_t)(at - list) >= sizeof(numbers))
		return false;
	memcpy(numbers, list, (size_t)(at - list));
	numbers[at - list] = 0;
	return line_set(numbers, most, from);
}

/* The same of all ports. */
struct maps {
	uint8_t dscp[DSCPS], queue[PRIORITIES];
	const struct word *last, *last_queue, *unsure;
};

static void take_line(const struct switch_file *f, const struct word *w, struct maps *m)
{
	uint64_t set, n;

	if (map_line(w->key, "qos map dscp ...", "to traffic-class % ...", DSCPS - 1, &set, &n)) {
		m->last = w;
		for (unsigned i = 0; i < DSCPS; i++)
			m->dscp[i] = set >> i & 1 ? (uint8_t)n : m->dscp[i];
	} else if (map_line(w->key, "qos map traffic-class ...", "to tx-queue %", PRIORITIES - 1, &set, &n) ||
		   map_line(w->key, "qos map traffic-class ...", "to uc-tx-queue %", PRIORITIES - 1, &set, &n)) {
		m->last_queue = w;
		for (unsigned i = 0; i < PRIORITIES; i++)
			m->queue[i] = set >> i & 1 ? (uint8_t)n : m->queue[i];
	} else if (conf_takes(f, w, "qos map dscp ...", m->last != NULL) ||
		   conf_takes(f, w, "qos map traffic-class ...", m->last_queue != NULL)) {
		m->unsure = f->notes->unsure;
	} else if (line_match(w->key, "qos map dscp ...", NULL) ||
		   line_match(w->key, "qos map traffic-class % to tx-queue ...", NULL)) {
		m->unsure = w;	/* a form of it that is not read */
	}
}

static const struct maps *maps_of(const struct switch_file *f)
{
	bool first;
	struct maps *m = conf_memo(f, "qos map", sizeof(*m), &first);

	if (!first)
		return m;
	conf_fresh(f);			/* what is in doubt of one port is not of all */
	for (unsigned i = 0; i < DSCPS; i++)
		m->dscp[i] = (uint8_t)(i < 8 ? 1 : i < 16 ? 0 : i / 8);
	for (unsigned i = 0; i < PRIORITIES; i++)
		m->queue[i] = (uint8_t)i;
	for (const struct word *w = f->tree.root.child; w; w = w->next)
		take_line(f, w, m);
	return m;
}

static void read_maps(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	static const char *const policies[] = { "service-policy [type] [qos] input ...", "service-policy type quality-of-service input ...", NULL };
	const struct maps *m = maps_of(f);
	struct line_args args;
	const struct word *own = conf_line(f, p, "qos map ...", &args);	/* a map of this port alone */

	conf_fresh(f);
	if (own || m->unsure)
		conf_doubt(f, own ? own : m->unsure);
	conf_say_map(f, &have->at[SWITCH_QUEUE], m->last_queue, m->queue, PRIORITIES);
	conf_changes(f, p, policies);
	conf_say_map(f, &have->at[SWITCH_DSCP], m->last, m->dscp, DSCPS);
}

static void read_trust(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args;
	const struct word *w;

	conf_fresh(f);
	w = conf_line(f, p, "qos trust %", &args);
	if (w)
		conf_say(f, &have->at[SWITCH_TRUST], w, !strcasecmp(args.at[0], "dscp") ? SWITCH_TRUST_DSCP :
			 !strcasecmp(args.at[0], "cos") ? SWITCH_TRUST_PCP : SWITCH_TRUST_NONE);
}

static void read_pfc(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args;
	const struct word *on, *off, *last;
	uint64_t mask = 0, some;

	conf_fresh(f);
	conf_pauses(f, p);
	on = conf_line(f, p, "priority-flow-control [mode] on", &args);
	off = conf_global(f, "priority-flow-control all off", &args);
	last = off ? off : on;
	for (size_t i = 0; on && !off && i < p->n; i++)
		for (const struct word *w = p->at[i]->child; w; w = w->next) {
			if (conf_takes(f, w, "priority-flow-control priority % % ...", mask))
				continue;
			if (!line_match(w->key, "priority-flow-control priority % % ...", &args))
				continue;
			if (!line_set(args.at[0], 7, &some)) {
				conf_doubt(f, w);
				continue;
			}
			last = w;
			mask = !strcasecmp(args.at[1], "no-drop") ? mask | some : mask & ~some;
		}
	conf_say(f, &have->at[SWITCH_PFC], last, (int64_t)mask);
}

static void read_bytes(struct switch_file *f, const struct word *w, const char *number, const char *unit, struct cell *c)
{
	uint64_t n;

	if (!line_number(number, KMAX_MOST, &n))
		return;
	if (!strncasecmp(unit, "kb", 2)) {
		conf_say_kb(f, c, w, (int64_t)n);
	} else if (!strncasecmp(unit, "mb", 2) || !strncasecmp(unit, "by", 2)) {
		conf_say(f, c, w, (int64_t)(tolower((unsigned char)*unit) == 'm' ? n << 20 : n));
	} else {
		cell_set_reason(c, REASON_UNREADABLE, "segments and milliseconds have no size in bytes");
	}
}

static void read_detect(struct switch_file *f, const struct word *w, unsigned q, struct record *have)
{
	struct line_args args;
	uint64_t pmax;

	if (!line_match(w->key, "random-detect ecn minimum-threshold % % maximum-threshold % % ...", &args))
		return;
	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), w, true);
	read_bytes(f, w, args.at[0], args.at[1], switch_port_cell(have, SWITCH_KMIN, q));
	read_bytes(f, w, args.at[2], args.at[3], switch_port_cell(have, SWITCH_KMAX, q));
	if (line_match(w->key, "random-detect ecn minimum-threshold % % maximum-threshold % % max-mark-probability % ...", &args) &&
	    line_number(args.at[4], 100, &pmax))
		conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), w, (int64_t)pmax);
}

/* How the queues are served. */
struct service {
	const struct word *strict[PRIORITIES];	/* "priority strict" */
	bool fair[PRIORITIES];			/* "no priority" */
	const struct word *bandwidth[PRIORITIES];
	uint8_t percent[PRIORITIES];
	const struct word *rate;	/* some queue does not exceed a rate, or has one before all others */
};

/* What is said of queue @q is taken back, or said, by a line of it. Return: it is none of these lines. */
static bool serve(struct switch_file *f, const struct word *w, unsigned q, struct service *s)
{
	struct line_args args;
	uint64_t n;

	if (line_match(w->key, "no priority", NULL)) {
		s->strict[q] = NULL;
		s->fair[q] = true;
	} else if (line_match(w->key, "priority strict", NULL)) {
		s->strict[q] = w;
		s->fair[q] = false;
	} else if (line_match(w->key, "bandwidth percent %", &args) && line_number(args.at[0], 100, &n)) {
		s->percent[q] = (uint8_t)n;
		s->bandwidth[q] = w;
	} else if (line_match(w->key, "shape ...", NULL) || line_match(w->key, "bandwidth guaranteed ...", NULL)) {
		s->rate = w;
	} else {
		return !conf_takes(f, w, "priority strict", s->strict[q] != NULL) && !conf_takes(f, w, "bandwidth percent %", s->bandwidth[q] != NULL);
	}
	return false;
}

/*
 * A queue is strict if nobody says otherwise: one with a share is, too, and whether it was meant so cannot be told. Below
 * one that says `no priority` none is, whatever it says.
 */
static void shares_of(struct switch_file *f, const struct service *s, uint8_t share[PRIORITIES])
{
	bool fair = false;

	if (s->rate)
		conf_doubt(f, s->rate);
	for (unsigned q = PRIORITIES; q--;) {
		if (s->strict[q] && fair)
			conf_doubt(f, s->strict[q]);
		fair |= s->fair[q];
		share[q] = s->strict[q] ? SHARE_STRICT : s->bandwidth[q] ? s->percent[q] : VALUE_UNSET;
		if (s->bandwidth[q] && !s->strict[q] && !fair)
			conf_doubt(f, s->bandwidth[q]);
	}
}

static void read_queue(struct switch_file *f, const struct word *queue, unsigned q, struct record *have, struct service *s)
{
	const struct cell *ecn = switch_port_at(have, SWITCH_ECN, q);
	const struct word *beside = NULL;	/* drops before it marks, or marks by waiting time as well */

	for (const struct word *w = queue->child; w; w = w->next) {
		if (line_match(w->key, "random-detect drop ...", NULL) || line_match(w->key, "random-detect ecn delay ...", NULL))
			beside = w;
		else if (serve(f, w, q, s) &&
			 !conf_takes(f, w, "random-detect ecn minimum-threshold ...", ecn && ecn->state == CELL_VALUE && ecn->value.num))
			read_detect(f, w, q, have);
	}
	if (beside && ecn && ecn->state == CELL_VALUE && ecn->value.num)
		conf_doubt(f, beside);
	conf_doubt_marking(f, have, q);
}

/* "tx-queue 3", "uc-tx-queue 3": which one, or eight. */
static unsigned queue_of(const char *line)
{
	struct line_args args;
	uint64_t q;

	if (!line_match(line, "tx-queue %", &args) && !line_match(line, "uc-tx-queue %", &args))
		return PRIORITIES;
	return line_number(args.at[0], PRIORITIES - 1, &q) ? (unsigned)q : PRIORITIES;
}

static void read_queues(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	static const char *const shapes[] = { "shape ...", NULL };
	uint8_t share[PRIORITIES];
	struct service service = { .strict = { NULL } };
	const struct word *last = NULL, *unsure = NULL;

	conf_fresh(f);
	for (unsigned i = 0; i < PRIORITIES; i++)
		conf_say(f, switch_port_cell(have, SWITCH_ECN, i), p->n ? p->at[0] : NULL, false);
	for (size_t i = 0; i < p->n; i++)
		for (const struct word *w = p->at[i]->child; w; w = w->next) {
			const char *no = tree_taken_back(w->key);
			unsigned q = queue_of(no ? no : w->key);

			if (q == PRIORITIES || (no && (w->took || !last)))
				continue;
			conf_fresh(f);
			if (no)
				conf_doubt(f, w);
			else
				last = w;
			read_queue(f, w, q, have, &service);
			unsure = f->notes->unsure ? f->notes->unsure : unsure;
		}
	conf_fresh(f);
	shares_of(f, &service, share);
	conf_changes(f, p, shapes);
	if (unsure)
		conf_doubt(f, unsure);
	conf_say_map(f, &have->at[SWITCH_SHARES], last, share, PRIORITIES);
}

static void read_time(struct switch_file *f, const struct word *w, const char *s, struct cell *c)
{
	int64_t ms;

	if (w && line_seconds(s, &ms))
		conf_say(f, c, w, ms);
}

/* One value of the watchdog, by itself in doubt. */
static void read_whole(struct switch_file *f, const char *pattern, struct cell *c)
{
	struct line_args args = { .n = 0 };
	const struct word *w;

	conf_fresh(f);
	w = conf_global(f, pattern, &args);
	read_time(f, w, args.at[0], c);
}

static void read_action(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args;
	const struct word *w;

	conf_fresh(f);
	w = conf_line(f, p, "priority-flow-control pause watchdog port action %", &args);
	if (!w)
		w = conf_global(f, "priority-flow-control pause watchdog action %", &args);
	if (w)
		conf_say(f, &have->at[SWITCH_ACTION], w, !strcasecmp(args.at[0], "drop") ? ACTION_DROP : ACTION_ALERT);
}

static void read_watchdog(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args;
	const struct word *timeout, *own, *no;

	conf_fresh(f);
	timeout = conf_global(f, "priority-flow-control pause watchdog default timeout %", &args);
	own = conf_line(f, p, "priority-flow-control pause watchdog", &args);
	no = conf_line(f, p, "no priority-flow-control pause watchdog", &args);
	conf_say(f, &have->at[SWITCH_WATCHDOG], no ? no : timeout ? timeout : own, (timeout || own) && !no);
	read_whole(f, "priority-flow-control pause watchdog default timeout %", &have->at[SWITCH_DETECT]);
	read_whole(f, "priority-flow-control pause watchdog default recovery-time %", &have->at[SWITCH_RESTORE]);
	read_action(f, p, have);
	conf_fresh(f);
	own = conf_line(f, p, "priority-flow-control pause watchdog port timer timeout % polling-interval % recovery-time % ...", &args);
	if (own) {
		read_time(f, own, args.at[0], &have->at[SWITCH_DETECT]);
		read_time(f, own, args.at[2], &have->at[SWITCH_RESTORE]);
	}
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	static const char *const smaller[] = { "l2 mtu ...", "l2 mru ...", NULL };
	struct conf_place p;
	struct line_args args;
	const struct word *mtu;
	uint64_t n;

	places(f, name, &p);
	read_maps(f, &p, have);
	read_trust(f, &p, have);
	read_pfc(f, &p, have);
	read_queues(f, &p, have);
	read_watchdog(f, &p, have);
	conf_fresh(f);
	conf_changes(f, &p, smaller);
	mtu = conf_line(f, &p, "mtu %", &args);
	if (mtu && line_number(args.at[0], 65535, &n))
		conf_say(f, &have->at[SWITCH_FRAME], mtu, (int64_t)n + FRAME_BEYOND_MTU);
}

static const char *const marks[] = { "! Command: show running-config", "EOS-", "service-profile ", "tx-queue ", "qos profile ", "to traffic-class ",
				     "priority-flow-control pause watchdog", "management api ", NULL };

const struct nos nos_eos = {
	.name = "eos",
	.id = NOS_EOS,
	.called = "EOS",
	.says = SAYS(SWITCH_PRESENT) | SAYS(SWITCH_TRUST) | SAYS(SWITCH_DSCP) | SAYS(SWITCH_QUEUE) | SAYS(SWITCH_PFC) | SAYS(SWITCH_ECN) |
		SAYS(SWITCH_KMIN) | SAYS(SWITCH_KMAX) | SAYS(SWITCH_PMAX) | SAYS(SWITCH_SHARES) | SAYS(SWITCH_FRAME) |
		SAYS(SWITCH_WATCHDOG) | SAYS(SWITCH_DETECT) | SAYS(SWITCH_RESTORE) | SAYS(SWITCH_ACTION),
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.marks = marks,
	.types = types,
};
