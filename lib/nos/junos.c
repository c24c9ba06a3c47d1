/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Junos and Junos Evolved (QFX): set lines, as `display set` prints them. Facts: Juniper's documentation and validated designs.
 *
 * What surprises: marking is a scheduler's, in percent of the queue's buffer, two lists paired by position; PFC needs a class
 * that is no-loss and a profile that names its code points; a DSCP belongs to a class and a queue, and only lossless classes have
 * a priority, so that a DSCP is compared by its queue; a named interface beats a pattern; mtu has no check sequence in it.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/text.h"
#include "model/record.h"
#include "model/setting.h"
#include "nos/junos.h"
#include "nos/lines.h"
#include "nos/nos.h"
#include "nos/template.h"

enum { FCS = 4, POLL = 100, POLLS = 2, RECOVERY = 200, CABLE_DEFAULT = 100, CLASSES = 16, PROPERTIES = 5,
       FRAME_BEYOND_IP_MTU = 22 };

/* --- what it can say --------------------------------------------------------------------------- */

static int refuse(struct diags *d, const struct cell *c, const char *what)
{
	diag_error(d, &c->pos, "Junos: %s", what);
	return -EINVAL;
}

static int fill_of(struct record *want, unsigned q, int64_t buffer, struct diags *d)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct cell *k = switch_port_at(want, i ? SWITCH_KMAX : SWITCH_KMIN, q);
		struct pos pos = k ? k->pos : (struct pos){ 0 };
		struct cell *fill;
		int64_t percent;

		if (!k)
			continue;
		percent = k->value.num * 100 / buffer;
		if (k->value.num > buffer)
			return refuse(d, k, "a threshold is more than queue_buffer");
		if (k->value.num * 100 % buffer)
			diag_warning(d, &pos, "Junos: %s is rounded down to %jd%% of the queue's buffer, %jd bytes", k->name,
				     (intmax_t)percent, (intmax_t)(percent * buffer / 100));
		fill = switch_port_cell(want, i ? SWITCH_FILL_MAX : SWITCH_FILL_MIN, q);
		cell_set_num(fill, percent);
		fill->pos = pos;
	}
	return 0;
}

static int fills(struct record *want, const struct fabric_link *l, struct diags *d)
{
	const struct cell *buffer = fabric_says(l->has, FABRIC_QUEUE_BUFFER);

	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct cell *kmin = switch_port_at(want, SWITCH_KMIN, q);

		if (!kmin)
			continue;
		if (!buffer)
			return refuse(d, kmin, "it marks in percent of the queue's buffer: say queue_buffer");
		if (fill_of(want, q, buffer->value.num, d) < 0)
			return -EINVAL;
		kmin = switch_port_at(want, SWITCH_FILL_MIN, q);
		if (switch_port_at(want, SWITCH_FILL_MAX, q)->value.num <= kmin->value.num)
			return refuse(d, kmin, "kmin and kmax are the same whole percent of queue_buffer");
	}
	switch_port_drop(want, SWITCH_KMIN);
	switch_port_drop(want, SWITCH_KMAX);
	return 0;
}

static int watchdog(struct record *want, struct diags *d, bool tell)
{
	struct cell *detect = &want->at[SWITCH_DETECT], *action = &want->at[SWITCH_ACTION];

	if (detect->state == CELL_VALUE && detect->value.num < POLL)
		return refuse(d, detect, "its watchdog polls each 100ms");
	if (detect->state == CELL_VALUE && detect->value.num % POLL) {
		diag_warning(d, &detect->pos, "Junos: detect is rounded down to whole 100ms");
		detect->value.num -= detect->value.num % POLL;
	}
	if (action->state == CELL_VALUE && tell)
		diag_warning(d, &action->pos, "Junos: how its watchdog is told to %s is not known: action is left out",
			     action->field->words[action->value.num]);
	action->state = CELL_SILENT;
	return 0;
}

static void dscp_by_queue(struct record *want)
{
	uint8_t map[DSCPS];

	for (unsigned i = 0; i < DSCPS; i++) {
		uint8_t p = record_at(want, SWITCH_DSCP, i, VALUE_UNSET);

		map[i] = p == VALUE_UNSET ? p : record_at(want, SWITCH_QUEUE, p, p);
	}
	cell_set_map(&want->at[SWITCH_DSCP], want->arena, map, DSCPS);
}

static int express(struct switch_tier *t, struct diags *d)
{
	for (size_t i = 0; i < t->n; i++) {
		struct record *want = t->link[i].want;

		if (fills(want, t->link[i].link, d) < 0 || watchdog(want, d, i == 0) < 0)
			return -EINVAL;
		dscp_by_queue(want);
	}
	return 0;
}

static const char *unverified(const struct switch_tier *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (unsigned q = 0; q < PRIORITIES; q++) {
			const struct cell *pmax = switch_port_at(t->link[i].want, SWITCH_PMAX, q);

			if (pmax && pmax->value.num < 100)
				return "a drop-profile that ends below 100 percent (pmax)";
		}
	return record_has(t->link[0].want, SWITCH_WATCHDOG) ? "the watchdog's options in a configuration" : NULL;
}

static void names(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	if (!l)
		return;
	(void)t;
	vars_set(n, "l2_mtu", "%s", "");
	if (record_has(l->want, SWITCH_FRAME))
		vars_set(n, "l2_mtu", "%jd", (intmax_t)(record_num(l->want, SWITCH_FRAME, 0) - FCS));
	vars_set(n, "polls", "%jd", (intmax_t)(record_num(l->want, SWITCH_DETECT, POLL * POLLS) / POLL));
}

/* --- reading --------------------------------------------------------------------------------------- */

static const struct word *cos_at(const struct switch_file *f, const char *path)
{
	return word_path(&f->tree, word_at(&f->tree, &f->tree.root, "class-of-service"), path);
}

static const char *const refused[] = { "rename", "copy", "insert", "replace", "wildcard", "edit", "load", "rollback", NULL };
static const struct tree_verbs verbs = {
	.lead = { [TREE_ADD] = "set", [TREE_DROP] = "delete", [TREE_OFF] = "deactivate", [TREE_ON] = "activate" }, .refused = refused,
};

static int parse(struct switch_file *f)
{
	const struct pos pos = { .source = f->source, .line = 1 };
	int any = tree_sets(&f->tree, &verbs, f->diags);

	if (any < 0)
		return -EINVAL;
	if (!word_at(&f->tree, &f->tree.root, "class-of-service") && !word_at(&f->tree, &f->tree.root, "interfaces")) {
		diag_error(f->diags, &pos, "this is no configuration of Junos in set lines");
		diag_hint(f->diags, "export it with `show configuration | display inheritance | display set`");
		return -EINVAL;
	}
	if (conf_narrow(f, word_at(&f->tree, &f->tree.root, "class-of-service"), 3) < 0 ||
	    conf_narrow(f, cos_at(f, "forwarding-classes class"), 0) < 0 || junos_groups(f) < 0)
		return -EINVAL;
	for (const struct word *w = word_children(cos_at(f, "interfaces")); w; w = w->next)
		conf_section(f, w, strcmp(w->key, "all") ? w->key : "*");
	return 0;
}

static bool is_pattern(const struct word *section)
{
	return strchr(section->key, '*') || !strcmp(section->key, "all");
}

/* What `class-of-service interfaces PORT` says along a path; a port's name beats a pattern, and of two patterns nobody says which. */
static const struct word *of_port(const struct switch_file *f, const char *port, const char *path)
{
	const struct word *section[CONF_SECTIONS], *found = NULL;
	size_t n = conf_sections(f, cos_at(f, "interfaces"), port, section);
	bool patterns = false;

	for (size_t i = 0; i < n; i++) {
		const struct word *w = word_path(&f->tree, section[i], path);
		const struct word *value = word_value(w), *before = word_value(found);

		if (!w)
			continue;
		if (is_pattern(section[i]) && patterns && before && value && strcmp(value->key, before->key) != 0)
			conf_doubt(f, w);
		else if (!is_pattern(section[i]))
			conf_fresh(f);
		patterns = is_pattern(section[i]);
		found = w;
	}
	return found;
}

static bool code_point(const char *s, unsigned digits, unsigned *n)
{
	uint64_t mask;

	*n = 0;
	if (strlen(s) == digits && strspn(s, "01") == digits) {
		for (; *s; s++)
			*n = *n * 2 + (unsigned)(*s - '0');
		return true;
	}
	if (digits != 6 || !line_dscps(s, &mask) || !mask || mask & (mask - 1))
		return false;
	*n = (unsigned)__builtin_ctzll(mask);
	return true;
}

/* Properties of a class may stand in one line, each below the one before: "queue-num 3 no-loss pfc-priority 3". */
static const struct word *property(const struct switch_file *f, const struct word *up, const char *name, unsigned depth)
{
	const struct word *found = word_at(&f->tree, up, name);

	for (const struct word *w = word_children(up); !found && depth && w; w = w->next)
		found = property(f, w, name, depth - 1);
	return found;
}

static const struct word *class_property(const struct switch_file *f, const char *class, const char *name)
{
	return property(f, word_at(&f->tree, cos_at(f, "forwarding-classes class"), class), name, PROPERTIES);
}

static const struct word *class_value(const struct switch_file *f, const char *class, const char *name)
{
	return word_value(class_property(f, class, name));
}

static bool queue_of(const struct switch_file *f, const char *class, unsigned *q)
{
	const struct word *w = class_value(f, class, "queue-num");
	uint64_t n;

	if (!w || !line_number(w->key, 7, &n))
		return false;
	*q = (unsigned)n;
	return true;
}

/* A unit with a class or a classifier of its own: which packets of the port are in it is not followed. */
static void other_units(const struct switch_file *f, const char *port, const struct word *classifier)
{
	const struct word *section[CONF_SECTIONS];
	size_t n = conf_sections(f, cos_at(f, "interfaces"), port, section);

	for (size_t i = 0; i < n; i++)
		for (const struct word *unit = word_children(word_at(&f->tree, section[i], "unit")); unit; unit = unit->next) {
			const struct word *w = word_value(word_path(&f->tree, unit, "classifiers dscp"));

			if (word_at(&f->tree, unit, "forwarding-class"))
				conf_doubt(f, unit);
			if (w && (!classifier || strcmp(w->key, classifier->key) != 0) && strcmp(unit->key, "*") != 0 && strcmp(unit->key, "0") != 0)
				conf_doubt(f, w);
		}
}

static const struct word *classifier(const struct switch_file *f, const char *port)
{
	const struct word *every = word_value(of_port(f, port, "unit * classifiers dscp")), *own = word_value(of_port(f, port, "unit 0 classifiers dscp"));
	const struct word *w = own ? own : every ? every : word_value(of_port(f, port, "classifiers dscp"));

	other_units(f, port, w);
	return w ? word_at(&f->tree, cos_at(f, "classifiers dscp"), w->key) : NULL;
}

/* The class of each DSCP, the same for all ports that have this classifier. */
struct classes {
	const char *of[DSCPS];
	uint8_t queue[DSCPS];
	const struct word *unsure;	/* a code point that two classes claim, that is none, or that has a name of one's own */
};

static void add_point(const struct word *class, const struct word *point, bool renamed, struct classes *to)
{
	unsigned dscp;

	if (!strcmp(point->key, "[") || !strcmp(point->key, "]"))
		return;
	if (renamed || !code_point(point->key, 6, &dscp) || (to->of[dscp] && strcmp(to->of[dscp], class->key) != 0))
		to->unsure = point;
	else
		to->of[dscp] = class->key;
}

static const struct classes *classes(const struct switch_file *f, const struct word *c)
{
	static const struct word none;
	const struct word *aliases = cos_at(f, "code-point-aliases dscp");
	bool first;
	struct classes *to = conf_memo(f, c ? c : &none, sizeof(*to), &first);
	unsigned q;

	for (const struct word *w = first ? word_children(word_at(&f->tree, c, "forwarding-class")) : NULL; w; w = w->next)
		for (const struct word *loss = word_children(word_at(&f->tree, w, "loss-priority")); loss; loss = loss->next)
			for (const struct word *p = word_children(word_at(&f->tree, loss, "code-points")); p; p = p->next)
				add_point(w, p, word_at(&f->tree, aliases, p->key) != NULL, to);
	for (unsigned i = 0; first && i < DSCPS; i++)
		to->queue[i] = to->of[i] && queue_of(f, to->of[i], &q) ? (uint8_t)q : VALUE_UNSET;
	if (first && word_at(&f->tree, c, "import"))
		to->unsure = word_at(&f->tree, c, "import");
	return to;
}

static void read_dscp(struct switch_file *f, const struct word *c, const struct classes *class, struct record *have)
{
	conf_say(f, &have->at[SWITCH_TRUST], c, c ? SWITCH_TRUST_DSCP : SWITCH_TRUST_NONE);
	if (!c)
		return;
	if (class->unsure)
		conf_doubt(f, class->unsure);
	conf_say_map(f, &have->at[SWITCH_DSCP], c, class->queue, DSCPS);
}

static const struct word *profile(const struct switch_file *f, const char *port)
{
	const struct word *name = word_value(of_port(f, port, "congestion-notification-profile"));

	return name ? word_at(&f->tree, cos_at(f, "congestion-notification-profile"), name->key) : NULL;
}

/* The priority of a lossless class; of all there are for a code point that nothing classifies, which is another fault. */
static uint64_t priorities(const struct switch_file *f, const char *class)
{
	uint64_t mask = 0, n;

	for (const struct word *c = word_children(cos_at(f, "forwarding-classes class")); c; c = c->next) {
		const struct word *priority = class_value(f, c->key, "pfc-priority");

		if ((!class || !strcmp(class, c->key)) && class_property(f, c->key, "no-loss") && priority && line_number(priority->key, 7, &n))
			mask |= UINT64_C(1) << n;
	}
	return mask;
}

static void read_pfc(struct switch_file *f, const struct word *p, const struct classes *class, struct record *have)
{
	uint8_t stops[PRIORITIES];
	const struct word *points = word_path(&f->tree, p, "input dscp code-point");
	const struct word *outs = word_path(&f->tree, p, "output ieee-802.1 code-point");
	const struct word *tags = word_path(&f->tree, p, "input ieee-802.1 code-point"), *before = f->notes->unsure;
	uint64_t mask = 0, n;
	unsigned v;

	for (const struct word *w = word_children(points); w; w = w->next)
		if (code_point(w->key, 6, &v) && word_at(&f->tree, w, "pfc"))
			mask |= priorities(f, class->of[v]);
	for (const struct word *w = word_children(tags); w; w = w->next)	/* of tagged packets, beside those by DSCP */
		if (word_at(&f->tree, w, "pfc") && (!code_point(w->key, 3, &v) || !(mask >> v & 1)))
			conf_doubt(f, w);
	conf_say(f, &have->at[SWITCH_PFC], points ? points : p, (int64_t)mask);
	f->notes->unsure = before;
	memset(stops, VALUE_UNSET, sizeof(stops));
	for (const struct word *w = word_children(outs); w; w = w->next) {
		const struct word *q = word_value(word_at(&f->tree, w, "flow-control-queue"));

		if (code_point(w->key, 3, &v) && q && line_number(q->key, 7, &n))
			stops[v] = (uint8_t)n;
	}
	if (p)
		conf_say_map(f, &have->at[SWITCH_PAUSE_QUEUE], outs ? outs : p, stops, PRIORITIES);
}

static void read_number(struct switch_file *f, const struct word *w, int64_t otherwise, struct cell *c)
{
	int64_t n;

	if (conf_number(f, w, UINT32_MAX, &n))
		conf_say(f, c, w, n);
	else if (!w)			/* and not where something stands that is no number */
		conf_say(f, c, NULL, otherwise);
}

/* Headroom follows from cable and mru; without the latter from the MTU of the port. */
static void read_cable(struct switch_file *f, const struct word *p, struct cell *c)
{
	static const char *const points[] = { "input dscp code-point", "input ieee-802.1 code-point" };
	const struct word *before = f->notes->unsure;

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		for (const struct word *w = word_children(word_path(&f->tree, p, points[i])); w; w = w->next) {
			const struct word *mru = word_path(&f->tree, w, "pfc mru");

			if (mru)
				conf_doubt(f, mru);
		}
	read_number(f, word_value(word_path(&f->tree, p, "input cable-length")), CABLE_DEFAULT, c);
	f->notes->unsure = before;
}

static void read_profile(struct switch_file *f, const struct word *p, struct record *have)
{
	const struct word *dog = word_at(&f->tree, p, "pfc-watchdog");
	const struct word *poll = word_value(word_at(&f->tree, dog, "poll-interval"));
	const struct word *count = word_value(word_at(&f->tree, dog, "detection"));
	int64_t interval = POLL, polls = POLLS;

	if (p)
		read_cable(f, p, &have->at[SWITCH_CABLE]);
	conf_say(f, &have->at[SWITCH_WATCHDOG], dog ? dog : p, dog != NULL);
	if (!dog)
		return;
	if ((!poll || conf_number(f, poll, 60000, &interval)) && (!count || conf_number(f, count, 1000, &polls)))
		conf_say(f, &have->at[SWITCH_DETECT], count ? count : poll, interval * polls);
	read_number(f, word_value(word_at(&f->tree, dog, "recovery")), RECOVERY, &have->at[SWITCH_RESTORE]);
}

/* The list that a name of an interpolation has, in the order of the file. */
static size_t levels(const struct switch_file *f, const struct word *profile_of, const char *name, int64_t to[CLASSES])
{
	size_t n = 0;

	for (const struct word *w = word_children(word_path(&f->tree, profile_of, name)); w && n < CLASSES; w = w->next)
		if (strcmp(w->key, "[") != 0 && strcmp(w->key, "]") != 0 && conf_number(f, w, 100, &to[n]))
			n++;
	return n;
}

/* From nothing to the end in a straight line, to one percent: other curves are not those of two thresholds. */
static bool is_line(const int64_t *fill, const int64_t *probability, size_t n)
{
	int64_t width = fill[n - 1] - fill[0], height = probability[n - 1];

	for (size_t i = 1; i + 1 < n; i++) {
		int64_t off = probability[i] * width - (fill[i] - fill[0]) * height;

		if (off > width || off < -width)
			return false;
	}
	return !probability[0];
}

static void read_marking(struct switch_file *f, const struct word *s, unsigned q, struct record *have)
{
	const struct word *ecn = word_at(&f->tree, s, "explicit-congestion-notification");
	const struct word *map = word_path(&f->tree, s, "drop-profile-map loss-priority"), *name = NULL, *d;
	int64_t fill[CLASSES], probability[CLASSES];
	const struct word *before = f->notes->unsure;
	size_t n, m;

	for (const struct word *w = word_children(map); w; w = w->next)
		if (!strcmp(w->key, "any") || !strcmp(w->key, "low"))
			name = word_value(word_path(&f->tree, w, "protocol any drop-profile"));
	d = name ? word_at(&f->tree, cos_at(f, "drop-profiles"), name->key) : NULL;
	conf_say(f, switch_port_cell(have, SWITCH_ECN, q), ecn ? ecn : s, ecn && d);
	n = levels(f, d, "interpolate fill-level", fill);
	m = levels(f, d, "interpolate drop-probability", probability);
	if (n < 2 || n != m)
		return;
	if (!is_line(fill, probability, n))
		conf_doubt(f, word_path(&f->tree, d, "interpolate drop-probability"));
	conf_say(f, switch_port_cell(have, SWITCH_FILL_MIN, q), word_path(&f->tree, d, "interpolate fill-level"), fill[0]);
	conf_say(f, switch_port_cell(have, SWITCH_FILL_MAX, q), word_path(&f->tree, d, "interpolate fill-level"), fill[n - 1]);
	conf_say(f, switch_port_cell(have, SWITCH_PMAX, q), word_path(&f->tree, d, "interpolate drop-probability"), probability[m - 1]);
	f->notes->unsure = before;
}

static uint8_t share_of(const struct switch_file *f, const struct word *s)
{
	const struct word *priority = word_value(word_at(&f->tree, s, "priority"));
	const struct word *percent = word_value(word_path(&f->tree, s, "transmit-rate percent"));
	int64_t n;

	if (priority && (!strcmp(priority->key, "strict-high") || !strcmp(priority->key, "strict-priority")))
		return SHARE_STRICT;
	return conf_number(f, percent, 100, &n) ? (uint8_t)n : VALUE_UNSET;
}

/* What gives a queue a rate, or keeps it from having more: "shaping-rate", "transmit-rate 10g", "transmit-rate percent 60 exact". */
static const struct word *limited(const struct switch_file *f, const struct word *s)
{
	const struct word *rate = word_at(&f->tree, s, "shaping-rate"), *other = word_value(word_at(&f->tree, s, "transmit-rate"));
	const struct word *percent = word_value(word_path(&f->tree, s, "transmit-rate percent"));

	if (rate)
		return rate;
	return other && strcmp(other->key, "percent") != 0 ? other : word_at(&f->tree, percent, "exact");
}

static void read_queues(struct switch_file *f, const char *port, struct record *have)
{
	const struct word *name = word_value(of_port(f, port, "scheduler-map"));
	const struct word *map = name ? word_at(&f->tree, cos_at(f, "scheduler-maps"), name->key) : NULL;
	const struct word *limit = of_port(f, port, "shaping-rate") ? of_port(f, port, "shaping-rate") : of_port(f, port, "forwarding-class-set");
	uint8_t share[PRIORITIES];
	unsigned q;

	memset(share, VALUE_UNSET, sizeof(share));
	for (unsigned i = 0; i < PRIORITIES; i++)
		conf_say(f, switch_port_cell(have, SWITCH_ECN, i), map ? map : name, false);
	for (const struct word *w = word_children(word_at(&f->tree, map, "forwarding-class")); w; w = w->next) {
		const struct word *s = word_value(word_at(&f->tree, w, "scheduler"));

		s = s ? word_at(&f->tree, cos_at(f, "schedulers"), s->key) : NULL;
		if (!s || !queue_of(f, w->key, &q))
			continue;
		share[q] = share_of(f, s);
		read_marking(f, s, q, have);
		limit = limited(f, s) ? limited(f, s) : limit;
	}
	if (limit)
		conf_doubt(f, limit);
	conf_say_map(f, &have->at[SWITCH_SHARES], map ? map : name, share, PRIORITIES);
}

/* The frame that the port takes, or the largest of a family's packets, which is less if somebody said so. */
static void read_frame(struct switch_file *f, const char *name, struct record *have)
{
	const struct word *of = word_path(&f->tree, &f->tree.root, "interfaces"), *mtu;
	int64_t least, n;

	of = word_at(&f->tree, of, name);
	mtu = word_value(word_at(&f->tree, of, "mtu"));
	if (!conf_number(f, mtu, 65535, &least))
		return;
	least += FCS;
	for (const struct word *unit = word_children(word_at(&f->tree, of, "unit")); unit; unit = unit->next)
		for (const struct word *family = word_children(word_at(&f->tree, unit, "family")); family; family = family->next) {
			const struct word *own = word_value(word_at(&f->tree, family, "mtu"));

			if (own && conf_number(f, own, 65535, &n) && n + FRAME_BEYOND_IP_MTU < least) {
				least = n + FRAME_BEYOND_IP_MTU;
				mtu = own;
			}
		}
	conf_say(f, &have->at[SWITCH_FRAME], mtu, least);
}

/* A member of an aggregate has what the aggregate says. */
static void check_channel(const struct switch_file *f, const char *name)
{
	const struct word *interfaces = word_at(&f->tree, &f->tree.root, "interfaces"), *of = word_at(&f->tree, interfaces, name);
	const struct word *ether = word_path(&f->tree, of, "ether-options 802.3ad"), *gigether = word_path(&f->tree, of, "gigether-options 802.3ad");
	const struct word *channel = word_value(ether ? ether : gigether);

	if (channel && (word_at(&f->tree, cos_at(f, "interfaces"), channel->key) ||
			word_at(&f->tree, word_at(&f->tree, interfaces, channel->key), "mtu")))
		f->notes->port_unsure = channel;
}

/* Pauses of the whole link, beside those of priorities. */
static void check_pauses(const struct switch_file *f, const char *name)
{
	static const char *const paths[] = { "ether-options flow-control", "gigether-options flow-control" };
	const struct word *of = word_at(&f->tree, word_at(&f->tree, &f->tree.root, "interfaces"), name);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct word *w = word_path(&f->tree, of, paths[i]);

		if (w)
			conf_doubt(f, w);
	}
}

static void port(struct switch_file *f, const char *name, struct record *have)
{
	const struct word *c, *p, *before;
	const struct classes *class;

	check_channel(f, name);
	conf_fresh(f);
	c = classifier(f, name);
	class = classes(f, c);
	read_dscp(f, c, class, have);
	conf_fresh(f);
	p = profile(f, name);
	before = f->notes->unsure;
	check_pauses(f, name);
	read_pfc(f, p, class, have);
	f->notes->unsure = before;
	read_profile(f, p, have);
	conf_fresh(f);
	read_queues(f, name, have);
	conf_fresh(f);
	read_frame(f, name, have);
}

static const char *const marks[] = { "set class-of-service ", "forwarding-classes", "set interfaces ", "set version ", "congestion-notification-profile",
				     "\nclass-of-service {", NULL };

const struct nos nos_junos = {
	.name = "junos",
	.id = NOS_JUNOS,
	.called = "Junos",
	.says = SAYS(SWITCH_PRESENT) | SAYS(SWITCH_TRUST) | SAYS(SWITCH_DSCP) | SAYS(SWITCH_PFC) | SAYS(SWITCH_PAUSE_QUEUE) | SAYS(SWITCH_ECN) |
		SAYS(SWITCH_PMAX) | SAYS(SWITCH_FILL_MIN) | SAYS(SWITCH_FILL_MAX) | SAYS(SWITCH_SHARES) | SAYS(SWITCH_FRAME) |
		SAYS(SWITCH_CABLE) | SAYS(SWITCH_WATCHDOG) | SAYS(SWITCH_DETECT) | SAYS(SWITCH_RESTORE),
	.against = "set",
	.unverified = unverified,
	.express = express,
	.names = names,
	.parse = parse,
	.port = port,
	.marks = marks,
};
