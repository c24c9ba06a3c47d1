/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cisco NX-OS (Nexus 9000): text of a running-config. Facts: Cisco's guides and script for RoCE, published configurations.
 *
 * What surprises: four kinds of policy must agree, and names lead from the port to each; a random-detect line without `ecn` drops;
 * classes go to groups, and queue n serves group n, so that a DSCP is compared by its group; strict priority is queue 7's; what
 * no class takes goes to class-default; kbytes may be 1000 or 1024 bytes each.
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

enum { FRAME_BEYOND_MTU = 22, MTU_MOST = 9216, KIBI = 1024, POLL = 100, STRICT_QUEUE = 7, CABLE_MOST = 100 };

/* --- what it can say -------------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "NX-OS: %s", what);
	return -EINVAL;
}

/* Strict priority is that of queue 7: the class goes there, whatever its number in the policy. */
static int move_strict(struct record *want, struct diags *d, bool tell)
{
	const struct cell *shares = &want->at[SWITCH_SHARES];
	uint8_t queue[PRIORITIES], share[PRIORITIES];
	unsigned strict = 0, from = 0;

	if (shares->state != CELL_VALUE)
		return 0;
	memcpy(queue, want->at[SWITCH_QUEUE].value.map, sizeof(queue));
	memcpy(share, shares->value.map, sizeof(share));
	for (unsigned q = 0; q < PRIORITIES; q++)
		if (share[q] == SHARE_STRICT) {
			strict++;
			from = q;
		}
	if (!strict || (strict == 1 && from == STRICT_QUEUE))
		return 0;
	if (strict > 1 || memchr(queue, STRICT_QUEUE, sizeof(queue)) || switch_port_at(want, SWITCH_ECN, from))
		return refuse(d, shares, "one strict class fits, in queue 7, and it cannot mark there");
	if (tell)
		diag_warning(d, &shares->pos, "NX-OS: the strict class goes to qos-group 7, which has the strict queue");
	share[from] = VALUE_UNSET;
	share[STRICT_QUEUE] = SHARE_STRICT;
	for (unsigned p = 0; p < PRIORITIES; p++)
		queue[p] = queue[p] == from ? STRICT_QUEUE : queue[p];
	cell_set_map(&want->at[SWITCH_SHARES], want->arena, share, PRIORITIES);
	cell_set_map(&want->at[SWITCH_QUEUE], want->arena, queue, PRIORITIES);
	return 0;
}

static void dscp_by_group(struct record *want)
{
	uint8_t map[DSCPS];

	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t p = record_at(want, SWITCH_DSCP, i, VALUE_UNSET);

		map[i] = p == VALUE_UNSET ? 0 : record_at(want, SWITCH_QUEUE, p, p);
	}
	cell_set_map(&want->at[SWITCH_DSCP], want->arena, map, DSCPS);
}

static int thresholds(struct record *want, struct diags *d)
{
	for (unsigned q = 0; q < PRIORITIES; q++)
		for (unsigned field = SWITCH_KMIN; field <= SWITCH_KMAX; field++) {
			const struct cell *c = switch_port_at(want, field, q);

			if (!c || c->value.num % KIBI == 0)
				continue;
			if (c->value.num < KIBI)
				return refuse(d, c, "thresholds are whole kbytes");
			diag_warning(d, &c->pos, "NX-OS: %s is rounded down to whole kbytes", c->name);
			switch_port_cell(want, field, q)->value.num -= c->value.num % KIBI;
		}
	return 0;
}

static int times(const struct switch_tier *t, struct record *want, struct diags *d)
{
	for (unsigned field = SWITCH_DETECT; field <= SWITCH_RESTORE; field++) {
		struct cell *c = &want->at[field];

		if (c->state != CELL_VALUE)
			continue;
		if (c->value.num < POLL)
			return refuse(d, c, "its watchdog polls each 100ms");
		if (c->value.num % POLL)
			diag_warning(d, &c->pos, "NX-OS: %s is rounded down to whole 100ms", c->name);
		c->value.num -= c->value.num % POLL;
		if (c->value.num != record_num(t->link[0].want, field, -1))
			return refuse(d, c, "its watchdog has one time for the whole switch");
	}
	if (want->at[SWITCH_ACTION].state == CELL_VALUE && want->at[SWITCH_ACTION].value.num != ACTION_DROP)
		return refuse(d, &want->at[SWITCH_ACTION], "its watchdog always drops");
	return 0;
}

static int express(struct switch_tier *t, struct diags *d)
{
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;
		const struct cell *frame = &want->at[SWITCH_FRAME], *cable = &want->at[SWITCH_CABLE];

		if (frame->state == CELL_VALUE && frame->value.num > MTU_MOST + FRAME_BEYOND_MTU)
			return refuse(d, frame, "its MTU is at most 9216, a frame of 9238 bytes");
		if (cable->state == CELL_VALUE && cable->value.num > CABLE_MOST)
			diag_warning(d, &cable->pos, "NX-OS: a cable above 100m needs pause buffers in a policy of type queuing input, which is not rendered");
		if (move_strict(want, d, i == 0) < 0 || thresholds(want, d) < 0 || times(t, want, d) < 0)
			return -EINVAL;
		dscp_by_group(want);
	}
	return 0;
}

static const char *unverified(const struct switch_tier *t)
{
	return record_has(t->link[0].want, SWITCH_WATCHDOG) ? "the watchdog's multipliers" : NULL;
}

static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	const struct record *want = t->link[0].want;
	int64_t most = 0;

	if (l)
		return;
	for (size_t i = 0; i < t->n; i++) {
		int64_t frame = record_num(t->link[i].want, SWITCH_FRAME, MTU_MOST + FRAME_BEYOND_MTU);

		most = frame > most ? frame : most;
	}
	vars_set(n, "nq_mtu", "%jd", (intmax_t)(most - FRAME_BEYOND_MTU));
	vars_set(n, "polls", "%jd", (intmax_t)(record_num(want, SWITCH_DETECT, POLL) / POLL));
	vars_set(n, "restore_polls", "%s", "");
	if (record_has(want, SWITCH_RESTORE))
		vars_set(n, "restore_polls", "%jd", (intmax_t)(record_num(want, SWITCH_RESTORE, 0) / POLL));
}

/* --- reading ------------------------------------------------------------------------------------- */

/* In the order in which a cut word is taken. */
static const char *const types[] = { "Ethernet", "mgmt", "port-channel", "loopback", "Vlan", "nve", "Tunnel", "Bdi", "fc", "vfc", "null", NULL };

static const struct tree_text texts[] = {
	{ .begins = "banner motd ...", .words = 2 },
	{ .begins = "banner exec ...", .words = 2 },
	{ .begins = "banner login ...", .words = 2 },
	{ 0 },
};

static const char class_map[] = "class-map type qos [match-any] [match-all] %";
static const char input_policy[] = "service-policy [type] [qos] input % [no-stats]";
static const char plain_class_map[] = "class-map [match-any] [match-all] %";
static const char port_profile[] = "port-profile type ethernet %";

static int parse(struct switch_file *f)
{
	static const struct conf_form form = {
		.interface = "interface ...", .but = { "interface breakout ..." },
		.known = { "policy-map ...", "class-map ...", "system qos" },
		.what = "no running-config: it has neither interfaces nor policy-maps", .texts = texts,
	};

	return conf_running(f, &form);
}

/* A port's lines beat those of the profiles that it inherits. */
static void places(const struct switch_file *f, const char *port, struct conf_place *p)
{
	static const char *const of_channel[] = { input_policy, "service-policy type queuing output % [no-stats]", "mtu %",
						  "priority-flow-control mode % ...", "priority-flow-control watch-dog-interval %", NULL };
	struct conf_place own;
	struct line_args args, more;

	own.n = conf_sections(f, &f->tree.root, port, own.at);
	p->n = 0;
	for (size_t i = 0; i < own.n; i++)
		for (const struct word *w = own.at[i]->child; w; w = w->next) {
			const struct word *profile;

			if (conf_takes(f, w, "inherit port-profile %", p->n))
				f->notes->port_unsure = f->notes->unsure ? f->notes->unsure : f->notes->port_unsure;
			if (!line_match(w->key, "inherit port-profile %", &args))
				continue;
			profile = conf_named(f, port_profile, args.at[0]);
			if (!profile || p->n == CONF_SECTIONS || conf_below(f, profile, "inherit port-profile %", &more) || f->notes->unsure)
				f->notes->port_unsure = w;
			else
				p->at[p->n++] = profile;
		}
	p->own = p->n;
	for (size_t i = 0; i < own.n; i++)
		p->at[p->n++] = own.at[i];
	conf_channel(f, "port-channel", of_channel, p);
}

static const struct word *class_section(const struct switch_file *f, const char *name)
{
	const struct word *w = conf_named(f, class_map, name);

	return w ? w : conf_named(f, plain_class_map, name);
}

/* Which DSCPs a class takes. What it asks besides can only be told for a class tag, which packets of RoCE need not have. */
static uint64_t dscps_of(const struct switch_file *f, const char *class)
{
	const struct word *section = class_section(f, class);
	bool all = section && !strcasestr(section->key, " match-any ");
	struct line_args args;
	uint64_t mask = 0, some;
	unsigned lines = 0;

	for (const struct word *w = section ? section->child : NULL; w; w = w->next) {
		if (conf_takes(f, w, "match [ip] dscp ...", mask))
			continue;
		if (line_match(w->key, "match [ip] dscp ...", &args) && line_dscps(args.rest, &some)) {
			mask = all && lines ? mask & some : mask | some;
			lines++;
		} else if (line_match(w->key, "match ...", NULL) && (all || !line_match(w->key, "match cos ...", NULL))) {
			conf_doubt(f, w);
		}
	}
	return mask;
}

/* The groups of a policy, the same for all ports that have it. */
struct groups {
	uint8_t map[DSCPS];
	const struct word *unsure;
};

static const char *class_of(const char *line, struct line_args *args)
{
	return line_match(line, "class type qos %", args) || line_match(line, "class %", args) ? args->at[0] : NULL;
}

static void read_class(const struct switch_file *f, const struct word *w, struct groups *g, uint64_t *taken)
{
	struct line_args class, args;
	const char *name = class_of(w->key, &class);
	const struct word *set;
	uint64_t group, mask;

	if (conf_takes(f, w, "class [type] [qos] %", *taken) || !name)
		return;
	set = conf_below(f, w, "set qos-group %", &args);
	if (!set || !line_number(args.at[0], PRIORITIES - 1, &group))
		group = 0;		/* taken, and left in the group of the rest */
	mask = !strcmp(name, "class-default") ? UINT64_MAX : dscps_of(f, name);
	for (unsigned i = 0; i < DSCPS; i++)	/* the first class that matches */
		if (mask >> i & 1 && !(*taken >> i & 1))
			g->map[i] = (uint8_t)group;
	*taken |= mask;
}

static const struct groups *groups_of(const struct switch_file *f, const struct word *policy)
{
	const struct word *of_port = f->notes->unsure;	/* which policy it has: not what another port's policy says */
	bool first;
	struct groups *g = conf_memo(f, policy, sizeof(*g), &first);
	uint64_t taken = 0;

	if (!first)
		return g;
	conf_fresh(f);
	for (const struct word *w = policy->child; w; w = w->next)
		read_class(f, w, g, &taken);
	g->unsure = f->notes->unsure;
	conf_doubt(f, of_port);
	return g;
}

/* A policy of a VLAN, which beats that of the switch: who is in that VLAN is not followed. */
static const struct word *of_vlans(const struct switch_file *f)
{
	static const struct word vlans;
	bool first;
	const struct word **found = conf_memo(f, &vlans, sizeof(*found), &first);
	struct line_args args;

	for (const struct word *w = first ? f->tree.root.child : NULL; w; w = w->next)
		if (line_match(w->key, "vlan configuration ...", NULL) && conf_below(f, w, input_policy, &args))
			*found = conf_below(f, w, input_policy, &args);
	return *found;
}

static void read_dscp(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	const struct word *in;
	const struct groups *g;
	struct line_args args;

	conf_fresh(f);
	if (!conf_line(f, p, input_policy, &args) && of_vlans(f))
		conf_doubt(f, of_vlans(f));
	in = conf_bound(f, p, input_policy, "policy-map [type] [qos] %");
	conf_say(f, &have->at[SWITCH_TRUST], in, in ? SWITCH_TRUST_DSCP : SWITCH_TRUST_NONE);
	if (!in)
		return;
	g = groups_of(f, in);
	if (g->unsure)
		conf_doubt(f, g->unsure);
	conf_say_map(f, &have->at[SWITCH_DSCP], in, g->map, DSCPS);
}

static const struct word *network_qos(const struct switch_file *f)
{
	const struct conf_place none = { .n = 0 };

	return conf_bound(f, &none, "service-policy type network-qos % [no-stats]", "policy-map type network-qos %");
}

/* "class type network-qos c-8q-nq3" */
static bool nq_queue(const char *line, unsigned *q)
{
	struct line_args args;
	const char *nq;
	uint64_t n;

	if (!line_match(line, "class type network-qos %", &args))
		return false;
	nq = strstr(args.at[0], "-nq");
	if (!nq || !line_number(nq + 3, 7, &n))
		return false;
	*q = (unsigned)n;
	return true;
}

/* What a class of the network-qos policy pauses, and in which queue. */
static uint64_t read_pauses(const struct switch_file *f, const struct word *class, uint8_t stops[PRIORITIES], const struct word **last)
{
	struct line_args args;
	const struct word *pause = conf_below(f, class, "pause pfc-cos %", &args);
	unsigned at = pause ? 0 : 3;
	uint64_t some;
	unsigned q;

	if (!pause)
		pause = conf_below(f, class, "pause buffer-size % pause-threshold % resume-threshold % pfc-cos %", &args);
	if (!pause)
		return 0;
	if (!line_set(args.at[at], 7, &some)) {
		conf_doubt(f, class);
		return 0;
	}
	*last = pause;
	for (unsigned i = 0; nq_queue(class->key, &q) && i < PRIORITIES; i++)
		stops[i] = some >> i & 1 ? (uint8_t)q : stops[i];
	return some;
}

static void read_pfc(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args = { .n = 0 };
	const struct word *mode, *nq, *last;
	uint64_t mask = 0;
	uint8_t stops[PRIORITIES];
	bool on;

	conf_fresh(f);
	conf_pauses(f, p);
	mode = last = conf_line(f, p, "priority-flow-control mode % ...", &args);
	on = mode && (!strcasecmp(args.at[0], "on") || !strcasecmp(args.at[0], "auto"));
	nq = on ? network_qos(f) : NULL;
	memset(stops, VALUE_UNSET, sizeof(stops));
	for (const struct word *c = nq ? nq->child : NULL; c; c = c->next) {
		if (!conf_takes(f, c, "class type network-qos %", mask))
			mask |= read_pauses(f, c, stops, &last);
	}
	if (mask)
		conf_say_map(f, &have->at[SWITCH_PAUSE_QUEUE], last, stops, PRIORITIES);
	conf_say(f, &have->at[SWITCH_PFC], last, (int64_t)mask);
}

static void read_frame(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args args;
	const struct word *mtu, *nq;
	uint64_t least, n;

	conf_fresh(f);
	mtu = conf_line(f, p, "mtu %", &args);
	if (!mtu || !line_number(args.at[0], 65535, &least))
		return;
	nq = network_qos(f);
	for (const struct word *c = nq ? nq->child : NULL; c; c = c->next) {
		const struct word *w = conf_below(f, c, "mtu %", &args);

		if (w && line_number(args.at[0], 65535, &n) && n < least) {
			least = n;
			mtu = w;
		}
	}
	conf_say(f, &have->at[SWITCH_FRAME], mtu, (int64_t)least + FRAME_BEYOND_MTU);
}

static bool queue_number(const char *name, unsigned *q)
{
	const char *at = strstr(name, "-q-default") ? NULL : strrchr(name, 'q');
	uint64_t n;

	*q = 0;
	if (!at)
		return !strncmp(name, "c-out", 5);
	if (!line_number(at + 1, 7, &n))
		return false;
	*q = (unsigned)n;
	return true;
}

/* "c-out-8q-q3", "c-out-q-default", or a class of one's own that matches a group. */
static bool queue_of(const struct switch_file *f, const char *name, unsigned *q)
{
	if (!strncmp(name, "c-out", 5))
		return queue_number(name, q);
	return conf_named_number(f, "class-map type queuing [match-any] [match-all] %", name, "match qos-group %", q);
}

static void read_bytes(struct switch_file *f, const struct word *w, const char *number, const char *unit, struct cell *c)
{
	uint64_t n;

	if (!line_number(number, UINT32_MAX, &n))
		return;
	if (!strncasecmp(unit, "kb", 2)) {
		conf_say_kb(f, c, w, (int64_t)n);
	} else if (!strncasecmp(unit, "by", 2) || !strncasecmp(unit, "mb", 2)) {
		conf_say(f, c, w, (int64_t)(tolower((unsigned char)*unit) == 'm' ? n << 20 : n));
	} else {
		cell_set_reason(c, REASON_UNREADABLE, "this unit has no size in bytes");
	}
}

static void read_marking(struct switch_file *f, const struct word *w, unsigned q, struct record *have)
{
	static const char pattern[] = "random-detect minimum-threshold % % maximum-threshold % % ...";
	size_t n = strlen(w->key);
	bool ecn = n > 4 && !strcasecmp(w->key + n - 4, " ecn");
	struct line_args args;
	uint64_t pmax;

	if (line_match(w->key, "random-detect threshold burst-optimized ecn", NULL)) {
		conf_say(f, switch_port_cell(have, SWITCH_ECN, q), w, true);
		return;
	}
	if (!line_match(w->key, pattern, &args))
		return;
	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), w, ecn);
	read_bytes(f, w, args.at[0], args.at[1], switch_port_cell(have, SWITCH_KMIN, q));
	read_bytes(f, w, args.at[2], args.at[3], switch_port_cell(have, SWITCH_KMAX, q));
	if (line_match(w->key, "random-detect minimum-threshold % % maximum-threshold % % drop-probability % ...", &args) &&
	    line_number(args.at[4], 100, &pmax))
		conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), w, (int64_t)pmax);
}

static void read_queue(struct switch_file *f, const struct word *class, unsigned q, struct record *have, uint8_t *share, const struct word **shape)
{
	struct line_args args;
	uint64_t percent;

	for (const struct word *w = class->child; w; w = w->next) {
		const struct cell *ecn = switch_port_at(have, SWITCH_ECN, q);

		if (conf_takes(f, w, "random-detect ...", ecn && ecn->state == CELL_VALUE && ecn->value.num) ||
		    conf_takes(f, w, "priority [level] ...", *share == SHARE_STRICT) || conf_takes(f, w, "bandwidth ...", *share <= 100))
			continue;
		read_marking(f, w, q, have);
		if (line_match(w->key, "shape ...", NULL))
			*shape = w;
		else if (line_match(w->key, "priority level %", NULL) || line_match(w->key, "priority", NULL))
			conf_serve(f, w, SHARE_STRICT, share);
		else if (line_match(w->key, "bandwidth [remaining] percent %", &args) && line_number(args.at[0], 100, &percent))
			conf_serve(f, w, (uint8_t)percent, share);
	}
	conf_doubt_marking(f, have, q);
}

static void read_queues(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	static const char class[] = "class type queuing %";
	const struct word *out, *unsure, *shape = NULL;
	uint8_t share[PRIORITIES];
	struct line_args args;

	conf_fresh(f);
	out = conf_bound(f, p, "service-policy type queuing output % [no-stats]", "policy-map type queuing %");
	unsure = f->notes->unsure;
	memset(share, VALUE_UNSET, sizeof(share));
	for (unsigned q = 0; q < PRIORITIES; q++)
		conf_say(f, switch_port_cell(have, SWITCH_ECN, q), out, false);
	for (const struct word *c = out ? out->child : NULL; c; c = c->next) {
		const char *no = tree_taken_back(c->key);
		unsigned q;

		if ((no && c->took) || !line_match(no ? no : c->key, class, &args) || !queue_of(f, args.at[0], &q))
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

static void read_multiplier(struct switch_file *f, const char *pattern, struct cell *c)
{
	struct line_args args, every;
	const struct word *w, *interval;
	uint64_t n, poll = POLL;

	conf_fresh(f);
	interval = conf_global(f, "priority-flow-control watch-dog interval %", &every);
	if (interval && !line_number(every.at[0], 1000, &poll))
		conf_doubt(f, interval);
	w = conf_global(f, pattern, &args);
	if (w && line_number(args.at[0], 6000, &n))
		conf_say(f, c, w, (int64_t)(n * poll));
}

static void read_watchdog(struct switch_file *f, const struct conf_place *p, struct record *have)
{
	struct line_args all = { .n = 0 }, own = { .n = 0 };
	const struct word *everywhere, *here;
	bool on;

	conf_fresh(f);
	everywhere = conf_global(f, "priority-flow-control watch-dog-interval %", &all);
	here = conf_line(f, p, "priority-flow-control watch-dog-interval %", &own);
	on = everywhere && here && !strcasecmp(all.at[0], "on") && !strcasecmp(own.at[0], "on");
	conf_say(f, &have->at[SWITCH_WATCHDOG], here ? here : everywhere, on);
	read_multiplier(f, "priority-flow-control watch-dog shutdown-multiplier %", &have->at[SWITCH_DETECT]);
	read_multiplier(f, "priority-flow-control fixed-restore multiplier %", &have->at[SWITCH_RESTORE]);
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	struct conf_place p;

	places(f, name, &p);
	read_dscp(f, &p, have);
	read_pfc(f, &p, have);
	read_frame(f, &p, have);
	read_queues(f, &p, have);
	read_watchdog(f, &p, have);
}

static const char *const marks[] = { "!Command: show running-config", "Bios:version", "pause pfc-cos ", "type queuing c-out-", "type network-qos c-",
				     "policy-map type qos ", "class-map type qos ", "watch-dog-interval", "service-policy type ", "inherit port-profile ",
				     NULL };

const struct nos nos_nxos = {
	.name = "nxos",
	.id = NOS_NXOS,
	.called = "NX-OS",
	.says = SAYS(SWITCH_PRESENT) | SAYS(SWITCH_TRUST) | SAYS(SWITCH_DSCP) | SAYS(SWITCH_PFC) | SAYS(SWITCH_PAUSE_QUEUE) | SAYS(SWITCH_ECN) | SAYS(SWITCH_KMIN) |
		SAYS(SWITCH_KMAX) | SAYS(SWITCH_PMAX) | SAYS(SWITCH_SHARES) | SAYS(SWITCH_FRAME) | SAYS(SWITCH_WATCHDOG) |
		SAYS(SWITCH_DETECT) | SAYS(SWITCH_RESTORE),
	.unverified = unverified,
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.marks = marks,
	.types = types,
};
