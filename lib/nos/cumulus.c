/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cumulus Linux: `nv set` commands, or the tree that `nv config show` prints as JSON or YAML. Facts: NVUE command reference and
 * the guides of 5.9 to 5.15.
 *
 * What surprises: link mtu is the IP MTU; the watchdog's time is interval times count, for the whole switch, and it always drops
 * and knows no restore time; a PFC profile without cable-length is made for 10 m; RoCE mode implies what nobody set.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"
#include "nos/template.h"

enum { FRAME_BEYOND_MTU = 22, MTU_DEFAULT = 9216, CABLE_DEFAULT = 10, ROCE_CABLE = 100 };
enum { POLL = 100, POLL_MOST = 5000, POLLS = 3, POLLS_MOST = 1000, ROCE_PRIORITY = 3, ROCE_CNP = 6, ROCE_KMIN = 150000,
       ROCE_KMAX = 1500000, ROCE_SHARE = 50 };

/* --- what it can say ------------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "Cumulus: %s", what);
	return -EINVAL;
}

static int watchdog(struct switch_tier *t, struct record *want, struct diags *d)
{
	struct cell *detect = &want->at[SWITCH_DETECT], *restore = &want->at[SWITCH_RESTORE], *action = &want->at[SWITCH_ACTION];

	if (action->state == CELL_VALUE && action->value.num != ACTION_DROP)
		return refuse(d, action, "its watchdog always drops");
	if (detect->state == CELL_VALUE && detect->value.num != record_num(t->link[0].want, SWITCH_DETECT, 0))
		return refuse(d, detect, "its watchdog has one time for the whole switch");
	if (detect->state == CELL_VALUE && detect->value.num < POLL)
		return refuse(d, detect, "its watchdog takes 100ms or more");
	if (detect->state == CELL_VALUE && detect->value.num % POLL && detect->value.num > POLL_MOST) {
		diag_warning(d, &detect->pos, "Cumulus: detect is rounded down to whole 100ms");
		for (size_t i = 0; i < t->n; i++)
			t->link[i].want->at[SWITCH_DETECT].value.num -= detect->value.num % POLL;
	}
	if (restore->state == CELL_VALUE && t->link[0].want == want)
		diag_warning(d, &restore->pos, "Cumulus restores after one interval without pause: restore is left out");
	restore->state = action->state = CELL_SILENT;
	return 0;
}

static int express(struct switch_tier *t, struct diags *d)
{
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;

		for (unsigned q = 0; q < PRIORITIES; q++) {
			const struct cell *pmax = switch_port_at(want, SWITCH_PMAX, q);

			if (pmax && !pmax->value.num)
				return refuse(d, pmax, "a probability is 1 to 100");
		}
		if (watchdog(t, want, d) < 0)
			return -EINVAL;
	}
	return 0;
}

static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	int64_t detect = record_num(t->link[0].want, SWITCH_DETECT, POLL * POLLS);
	int64_t poll = detect % POLL ? detect : POLL;

	if (l)
		return;
	vars_set(n, "poll", "%jd", (intmax_t)poll);
	vars_set(n, "polls", "%jd", (intmax_t)(detect / poll));
}

/* --- reading ------------------------------------------------------------------------------------ */

static const struct word *top(const struct switch_file *f)
{
	const struct word *set = word_at(&f->tree, &f->tree.root, "set");

	return set ? set : &f->tree.root;
}

static const struct word *qos(const struct switch_file *f, const char *path)
{
	return word_path(&f->tree, word_at(&f->tree, top(f), "qos"), path);
}

static const char *const refused[] = { "nv config patch", "nv config replace", NULL };
static const struct tree_verbs verbs = { .lead = { [TREE_ADD] = "nv set", [TREE_DROP] = "nv unset" }, .refused = refused, .lists = true };

static int read_form(struct switch_file *f)
{
	const char *s = f->source->text, *end = s + f->source->len;
	int commands = tree_sets(&f->tree, &verbs, f->diags);

	if (commands)
		return commands < 0 ? commands : 0;
	while (s < end && strchr(" \t\r\n", *s) && *s)
		s++;
	return s < end && (*s == '[' || *s == '{') ? tree_json(&f->tree, f->diags) : tree_yaml(&f->tree, f->diags);
}

/* A patch may have what is unset beside what is set. */
static int unset(struct switch_file *f)
{
	const struct word *what = word_at(&f->tree, &f->tree.root, "unset");

	return what ? tree_unset(&f->tree, &verbs, what, (struct word *)top(f), f->diags) : 0;
}

static int parse(struct switch_file *f)
{
	const struct word *interfaces;

	if (read_form(f) < 0 || unset(f) < 0)
		return -EINVAL;
	interfaces = word_at(&f->tree, top(f), "interface");
	if (!interfaces && !word_at(&f->tree, top(f), "qos")) {
		const struct pos pos = { .source = f->source, .line = 1 };

		diag_error(f->diags, &pos, "this is no configuration of Cumulus: neither interface nor qos is set in it");
		diag_hint(f->diags, "`nv config show -o json`, its YAML, or `nv set` commands");
		return -EINVAL;
	}
	if (conf_narrow(f, word_at(&f->tree, top(f), "qos"), 2) < 0)
		return -EINVAL;
	for (const struct word *w = word_children(interfaces); w; w = w->next)
		conf_section(f, w, w->key);
	for (const struct word *w = word_children(interfaces); w; w = w->next)	/* members of a bond have what it says */
		for (const struct word *m = word_children(word_path(&f->tree, w, "bond member")); m; m = m->next)
			conf_section(f, w, m->key);
	return 0;
}

static bool is_on(const struct word *w)
{
	return w && (!strcmp(w->key, "enable") || !strcmp(w->key, "enabled") || !strcmp(w->key, "on"));
}

static const char *last_of(const struct word *w)
{
	const struct word *value = word_value(w);

	return value ? value->key : "";
}

/* What an interface says along a path; what stands later in the file beats what stands before it, but not between a bond and its member. */
static const struct word *of_port(const struct switch_file *f, const char *port, const char *path)
{
	const struct word *section[CONF_SECTIONS], *found = NULL;
	size_t n = conf_sections(f, word_at(&f->tree, top(f), "interface"), port, section);
	bool bond = false;

	for (size_t i = 0; i < n; i++)
		bond |= word_at(&f->tree, section[i], "bond") != NULL;
	for (size_t i = 0; i < n; i++) {
		const struct word *w = word_path(&f->tree, section[i], path);

		if (w && found && bond && strcmp(last_of(w), last_of(found)) != 0)
			conf_doubt(f, w);
		found = w && (!found || w->line >= found->line) ? w : found;
		if (w)
			conf_sure(f, word_value(w) ? word_value(w) : w);
	}
	return found;
}

/* The profile that is in force: the port's, or the one of every port. */
static const struct word *profile(const struct switch_file *f, const char *port, const char *kind)
{
	char path[64];
	const struct word *name, *all = qos(f, kind);

	snprintf(path, sizeof(path), "qos %s profile", kind);
	name = word_value(of_port(f, port, path));
	return word_at(&f->tree, all, name ? name->key : "default-global");
}

/* What of a port is not followed and changes what is read next: its profile of this kind, or that of every port. */
static void changed_by(const struct switch_file *f, const char *port, const char *kind)
{
	const struct word *w = profile(f, port, kind);

	if (w)
		conf_doubt(f, w);
}

/* Keys are lists of numbers: "10,21,36". Each is given the number below @path of it. */
static void read_list(const struct switch_file *f, const struct word *list, const char *path, uint8_t *to, unsigned n)
{
	for (const struct word *w = word_children(list); w; w = w->next) {
		const struct word *v = word_value(word_path(&f->tree, w, path));
		uint64_t keys, number;

		conf_sure(f, w);
		if (v)
			conf_sure(f, v);
		if (!v || !line_set(w->key, n - 1, &keys) || !line_number(v->key, 15, &number))
			continue;
		for (unsigned i = 0; i < n; i++)
			if (keys >> i & 1)
				to[i] = (uint8_t)number;
	}
}

static bool roce(const struct switch_file *f)
{
	const struct word *w = qos(f, "roce"), *state = word_value(qos(f, "roce state")), *enable = word_value(qos(f, "roce enable"));
	const struct word *mode = word_value(qos(f, "roce mode"));

	if (!w || (mode && strncmp(mode->key, "lossless", 8) != 0))
		return false;
	return state ? is_on(state) : enable ? is_on(enable) : true;
}

static void read_classes(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *map = profile(f, port, "mapping"), *trust = word_value(word_at(&f->tree, map, "trust"));
	const struct word *queues = word_at(&f->tree, profile(f, port, "egress-queue-mapping"), "switch-priority");
	uint8_t dscp[DSCPS], queue[PRIORITIES];
	bool by_dscp = trust ? !strcmp(trust->key, "l3") || !strcmp(trust->key, "both") : !map && roce(f);

	memset(dscp, VALUE_UNSET, sizeof(dscp));
	for (unsigned i = 0; !map && roce(f) && i < DSCPS; i++)
		dscp[i] = (uint8_t)(i / PRIORITIES);
	read_list(f, word_at(&f->tree, map, "dscp"), "switch-priority", dscp, DSCPS);
	conf_say(f, &have->at[SWITCH_TRUST], trust ? trust : map,
		 by_dscp ? SWITCH_TRUST_DSCP : trust ? SWITCH_TRUST_PCP : SWITCH_TRUST_NONE);
	if (by_dscp)
		conf_say_map(f, &have->at[SWITCH_DSCP], map, dscp, DSCPS);
	for (unsigned i = 0; i < PRIORITIES; i++)
		queue[i] = !roce(f) ? (uint8_t)i : i == ROCE_PRIORITY || i == ROCE_CNP ? (uint8_t)i : 0;
	read_list(f, queues, "traffic-class", queue, PRIORITIES);
	conf_say_map(f, &have->at[SWITCH_QUEUE], queues, queue, PRIORITIES);
}

static void read_cable(struct switch_file *f, const struct word *p, struct record *have)
{
	const struct word *length = word_value(p ? word_at(&f->tree, p, "cable-length") : qos(f, "roce cable-length"));
	const struct word *before = f->notes->unsure, *buffer = p ? word_at(&f->tree, p, "port-buffer") : NULL;
	const struct word *by_hand = buffer ? buffer : qos(f, "advance-buffer-config");
	int64_t metres;

	if (by_hand)			/* then headroom is what was said there, and not what the cable needs */
		conf_doubt(f, by_hand);
	if (conf_number(f, length, 100000, &metres))
		conf_say(f, &have->at[SWITCH_CABLE], length, metres);
	else if (!length)
		conf_say(f, &have->at[SWITCH_CABLE], p, p ? CABLE_DEFAULT : ROCE_CABLE);
	f->notes->unsure = before;
}

static void read_pfc(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = profile(f, port, "pfc"), *priorities = word_at(&f->tree, p, "switch-priority");
	const struct word *tx = word_value(word_at(&f->tree, p, "tx")), *rx = word_value(word_at(&f->tree, p, "rx"));
	uint64_t mask = 0, some;

	changed_by(f, port, "link-pause");
	if (!p && !roce(f)) {
		conf_say(f, &have->at[SWITCH_PFC], NULL, 0);
		return;
	}
	for (const struct word *w = word_children(priorities); w; w = w->next) {
		conf_sure(f, w);
		mask |= line_set(w->key, 7, &some) ? some : 0;
	}
	if (!p)
		mask = 1u << ROCE_PRIORITY;
	if ((tx && !is_on(tx)) || (rx && !is_on(rx)))
		mask = 0;
	conf_say(f, &have->at[SWITCH_PFC], !mask && tx && !is_on(tx) ? tx : !mask && rx ? rx : priorities ? priorities : p,
		 (int64_t)mask);
	read_cable(f, p, have);
}

/* A value of a traffic class, from the list of classes ("0-7", "3") that said it last. */
static const struct word *of_class(const struct switch_file *f, const struct word *p, unsigned q, const char *name)
{
	const struct word *found = NULL;
	uint64_t mask;

	for (const struct word *w = word_children(word_at(&f->tree, p, "traffic-class")); w; w = w->next) {
		const struct word *value = word_value(word_at(&f->tree, w, name));

		if (!line_set(w->key, 15, &mask) || !(mask >> q & 1))
			continue;
		conf_sure(f, value ? value : w);
		found = value && (!found || value->line >= found->line) ? value : found;
	}
	return found;
}

static void read_threshold(struct switch_file *f, const struct word *w, struct cell *to)
{
	int64_t n;

	if (conf_number(f, w, UINT32_MAX, &n))
		conf_say(f, to, w, n);
}

static void read_roce_marking(struct switch_file *f, unsigned q, struct record *have)
{
	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), NULL, q == 0 || q == ROCE_PRIORITY);
	conf_say(f, switch_port_cell(have, SWITCH_KMIN, q), NULL, ROCE_KMIN);
	conf_say(f, switch_port_cell(have, SWITCH_KMAX, q), NULL, ROCE_KMAX);
	conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), NULL, 100);
}

static void read_marking(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = profile(f, port, "congestion-control");

	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct word *ecn = of_class(f, p, q, "ecn");

		if (!p && roce(f)) {
			read_roce_marking(f, q, have);
			continue;
		}
		conf_say(f, switch_port_cell(have, SWITCH_ECN, q), ecn ? ecn : p, is_on(ecn));
		read_threshold(f, of_class(f, p, q, "min-threshold"), switch_port_cell(have, SWITCH_KMIN, q));
		read_threshold(f, of_class(f, p, q, "max-threshold"), switch_port_cell(have, SWITCH_KMAX, q));
		read_threshold(f, of_class(f, p, q, "probability"), switch_port_cell(have, SWITCH_PMAX, q));
	}
}

static void read_shares(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *p = profile(f, port, "egress-scheduler");
	uint8_t share[PRIORITIES];

	memset(share, VALUE_UNSET, sizeof(share));
	if (!p && roce(f)) {
		share[0] = share[ROCE_PRIORITY] = ROCE_SHARE;
		share[ROCE_CNP] = SHARE_STRICT;
	}
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct word *mode = of_class(f, p, q, "mode"), *percent = of_class(f, p, q, "bw-percent");
		int64_t n;

		if (mode && !strcmp(mode->key, "strict"))
			share[q] = SHARE_STRICT;
		else if (conf_number(f, percent, 100, &n))
			share[q] = (uint8_t)n;
	}
	changed_by(f, port, "egress-shaper");
	conf_say_map(f, &have->at[SWITCH_SHARES], p, share, PRIORITIES);
}

static void read_watchdog(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *w = of_port(f, port, "qos pfc-watchdog"), *state = word_value(word_at(&f->tree, w, "state"));
	const struct word *poll = word_value(qos(f, "pfc-watchdog polling-interval")), *polls = word_value(qos(f, "pfc-watchdog robustness"));
	int64_t interval = POLL, count = POLLS;

	conf_say(f, &have->at[SWITCH_WATCHDOG], state ? state : w, w && (!state || is_on(state)));
	if (poll && !conf_number(f, poll, POLL_MOST, &interval))
		return;
	if (polls && !conf_number(f, polls, POLLS_MOST, &count))
		return;
	conf_say(f, &have->at[SWITCH_DETECT], poll ? poll : polls, interval * count);
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	const struct word *mtu;
	int64_t n = MTU_DEFAULT;

	conf_fresh(f);
	mtu = word_value(of_port(f, name, "link mtu"));
	if (!mtu || conf_number(f, mtu, 65535, &n))
		conf_say(f, &have->at[SWITCH_FRAME], mtu, n + FRAME_BEYOND_MTU);
	conf_fresh(f);
	read_classes(f, name, have);
	conf_fresh(f);
	read_pfc(f, name, have);
	conf_fresh(f);
	read_marking(f, name, have);
	conf_fresh(f);
	read_shares(f, name, have);
	conf_fresh(f);
	read_watchdog(f, name, have);
}

static const char *const marks[] = { "nv set qos", "nv set interface", "nv set ", "nvue-api-version", "egress-queue-mapping", "congestion-control",
				     "egress-scheduler", "switch-priority", NULL };

const struct nos nos_cumulus = {
	.name = "cumulus",
	.id = NOS_CUMULUS,
	.called = "Cumulus",
	.says = SAYS(SWITCH_PRESENT) | SAYS(SWITCH_TRUST) | SAYS(SWITCH_DSCP) | SAYS(SWITCH_QUEUE) | SAYS(SWITCH_PFC) | SAYS(SWITCH_ECN) |
		SAYS(SWITCH_KMIN) | SAYS(SWITCH_KMAX) | SAYS(SWITCH_PMAX) | SAYS(SWITCH_SHARES) | SAYS(SWITCH_FRAME) |
		SAYS(SWITCH_CABLE) | SAYS(SWITCH_WATCHDOG) | SAYS(SWITCH_DETECT),
	.against = "nv set",
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.marks = marks,
};
