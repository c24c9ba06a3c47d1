/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tier as names for a template, the same for every system (docs/switches.md lists them), and the text that comes of it:
 * read back before it is given out, since a template may be anybody's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/file.h"
#include "base/text.h"
#include "fabric/frames.h"
#include "model/record.h"
#include "model/row.h"
#include "nos/nos.h"
#include "nos/template.h"
#include "nos/templates.h"

enum { TEMPLATE_MOST = 1 << 20 };

/* --- classes ------------------------------------------------------------------------------ */

static const char *numbers(struct arena *a, uint64_t mask, const char *comma)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			text_printf(&t, "%s%u", t.n ? comma : "", i);
	return arena_strndup(a, text_str(&t), t.n);
}

static const char *bits(struct arena *a, unsigned v, unsigned n)
{
	char *s = arena_alloc(a, n + 1);

	for (unsigned i = 0; i < n; i++)
		s[i] = (char)('0' + (v >> (n - 1 - i) & 1));
	return s;
}

static void name_dscp(const struct switch_tier *t, struct vars *top)
{
	uint8_t map[DSCPS];

	fabric_dscp_map(t->fabric, map);
	for (unsigned d = 0; d < DSCPS; d++) {
		struct vars *n;

		if (map[d] == VALUE_UNSET)
			continue;
		n = vars_add(top, "dscp");
		vars_set(n, "dscp", "%u", d);
		vars_set(n, "priority", "%u", map[d]);
	}
}

static uint64_t dscps_of(const struct switch_tier *t, unsigned priority)
{
	uint8_t map[DSCPS];
	uint64_t mask = 0;

	fabric_dscp_map(t->fabric, map);
	for (unsigned d = 0; d < DSCPS; d++)
		mask |= (uint64_t)(map[d] == priority) << d;
	return mask;
}

static unsigned lossy_group(uint8_t pfc)
{
	unsigned g = 0;

	while (g < PRIORITIES - 1 && pfc >> g & 1)
		g++;
	return g;
}

static const char *class_of(const struct switch_tier *t, unsigned priority)
{
	for (size_t i = 0; i < t->fabric->n; i++)
		if (t->fabric->at[i].priority == (int)priority)
			return t->fabric->at[i].name;
	return "none";
}

/* Of each priority that a class has. */
static void name_priorities(const struct switch_tier *t, struct vars *top, const struct record *want)
{
	uint8_t pfc = (uint8_t)record_num(want, SWITCH_PFC, 0);

	for (unsigned p = 0; p < PRIORITIES; p++) {
		uint8_t queue = record_at(want, SWITCH_QUEUE, p, VALUE_UNSET);
		struct vars *n;

		if (queue == VALUE_UNSET)
			continue;
		n = vars_add(top, "priority");
		vars_set(n, "priority", "%u", p);
		vars_set(n, "priority3", "%s", bits(t->arena, p, 3));
		vars_set(n, "queue", "%u", queue);
		vars_set(n, "class", "%s", class_of(t, p));
		vars_set(n, "rest", "%s", !strcmp(class_of(t, p), CLASS_DEFAULT) ? "1" : "");
		vars_set(n, "movable", "%s", p == PRIORITIES - 1 ? "" : "1");
		vars_set(n, "group", "%u", pfc >> p & 1 ? p : lossy_group(pfc));
		vars_set(n, "lossless_class", "%s", pfc >> p & 1 ? "1" : "");
		vars_set(n, "dscps", "%s", numbers(t->arena, dscps_of(t, p), ","));
		vars_set(n, "dscps_blank", "%s", numbers(t->arena, dscps_of(t, p), " "));
		for (unsigned d = 0; d < DSCPS; d++)
			if (dscps_of(t, p) >> d & 1) {
				struct vars *one = vars_add(n, "dscp_of");

				vars_set(one, "dscp", "%u", d);
				vars_set(one, "dscp6", "%s", bits(t->arena, d, 6));
			}
		if (pfc >> p & 1)
			vars_put(top, "lossless", n);
	}
}

/* --- queues --------------------------------------------------------------------------------- */

static void name_marking(struct vars *n, const struct switch_link *l, unsigned queue)
{
	static const struct {
		unsigned field;
		const char *name, *kb;
	} all[] = { { SWITCH_KMIN, "kmin", "kmin_kb" }, { SWITCH_KMAX, "kmax", "kmax_kb" }, { SWITCH_PMAX, "pmax", NULL },
		    { SWITCH_FILL_MIN, "fill_min", NULL }, { SWITCH_FILL_MAX, "fill_max", NULL } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct cell *c = switch_port_at(l->want, all[i].field, queue);

		vars_set(n, all[i].name, "%s", "");
		if (all[i].kb)
			vars_set(n, all[i].kb, "%s", "");
		if (c)
			vars_set(n, all[i].name, "%jd", (intmax_t)c->value.num);
		if (c && all[i].kb)
			vars_set(n, all[i].kb, "%jd", (intmax_t)(c->value.num / 1024));
	}
}

/*
 * "scheduled", "mark" and "attached" (either), of the link's queues; at the top the first link's are scheduled, since all links
 * have the same, and every link's are marked.
 */
static void list_queue(const struct switch_tier *t, const struct switch_link *l, struct vars *queue, struct vars *link,
		       struct vars *top)
{
	bool marks = *vars_get(queue, "marks"), scheduled = *vars_get(queue, "has_share");

	vars_set(queue, "both", "%s", marks && scheduled ? "1" : "");
	if (marks) {
		vars_put(link, "mark", queue);
		vars_put(top, "mark", queue);
	}
	if (scheduled) {
		vars_put(link, "scheduled", queue);
		if (l == t->link)
			vars_put(top, "scheduled", queue);
	}
	if (marks || scheduled) {
		vars_put(link, "attached", queue);
		vars_put(top, "attached", queue);
	}
}

static struct vars *name_queue(const struct switch_tier *t, const struct switch_link *l, struct vars *link, unsigned q)
{
	uint8_t share = record_at(l->want, SWITCH_SHARES, q, VALUE_UNSET);
	struct vars *n = vars_add(link, "every_queue");
	unsigned p = 0;

	while (p < PRIORITIES && record_at(l->want, SWITCH_QUEUE, p, VALUE_UNSET) != q)
		p++;
	vars_set(n, "queue", "%u", q);
	vars_set(n, "lowest", "%s", q ? "" : "1");
	vars_set(n, "used", "%s", p < PRIORITIES ? "1" : "");
	vars_set(n, "class", "%s", p < PRIORITIES ? class_of(t, p) : "");
	vars_set(n, "strict", "%s", share == SHARE_STRICT ? "1" : "");
	vars_set(n, "share", "%s", "");
	if (share <= 100)
		vars_set(n, "share", "%u", share);
	vars_set(n, "has_share", "%s", share == SHARE_STRICT || share <= 100 ? "1" : "");
	vars_set(n, "marks", "%s", switch_port_at(l->want, SWITCH_ECN, q) ? "1" : "");
	name_marking(n, l, q);
	return n;
}

/* Of each queue, from the highest down, and of those that a class has, from the lowest up, with the thresholds of this link. */
static void name_queues(const struct switch_tier *t, const struct switch_link *l, struct vars *link, struct vars *top)
{
	struct vars *n[PRIORITIES];

	for (unsigned q = PRIORITIES; q-- > 0;)
		n[q] = name_queue(t, l, link, q);
	for (unsigned q = 0; q < PRIORITIES; q++)
		if (*vars_get(n[q], "used")) {
			vars_put(link, "queue", n[q]);
			list_queue(t, l, n[q], link, top);
		}
}

/* --- links ------------------------------------------------------------------------------------ */

static void name_num(struct vars *n, const char *name, const struct cell *c)
{
	if (c && c->state == CELL_VALUE)
		vars_set(n, name, "%jd", (intmax_t)c->value.num);
	else
		vars_set(n, name, "%s", "");
}

static void name_headroom(const struct switch_tier *t, const struct switch_link *l, struct vars *n)
{
	static const struct {
		unsigned field;
		const char *name;
	} all[] = { { SWITCH_XOFF, "xoff" }, { SWITCH_XON, "xon" }, { SWITCH_SIZE, "size" }, { SWITCH_ALPHA, "alpha" } };
	uint8_t pfc = fabric_pfc(t->fabric);
	unsigned first = 0;

	while (pfc && !(pfc >> first & 1))
		first++;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)	/* the same of every lossless priority */
		name_num(n, all[i].name, switch_port_at(l->want, all[i].field, first));
}

static void name_watchdog(const struct switch_link *l, struct vars *n)
{
	const struct cell *at = l->want->at;

	vars_set(n, "watchdog", "%s", record_num(l->want, SWITCH_WATCHDOG, 0) ? "1" : "");
	name_num(n, "detect", &at[SWITCH_DETECT]);
	name_num(n, "restore", &at[SWITCH_RESTORE]);
	vars_set(n, "action", "%s",
		  at[SWITCH_ACTION].state == CELL_VALUE ? at[SWITCH_ACTION].field->words[at[SWITCH_ACTION].value.num] : "");
}

static const char *joined(struct arena *a, const char *const *name, size_t n)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < n; i++)
		text_printf(&t, "%s%s", i ? "," : "", name[i]);
	return arena_strndup(a, text_str(&t), t.n);
}

/* Those of which something is said. */
static void list_port(struct vars *port, struct vars *top)
{
	static const struct {
		const char *list, *name;
	} all[] = { { "sized", "frame" }, { "cabled", "cable" }, { "watched", "watchdog" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*vars_get(port, all[i].name))
			vars_put(top, all[i].list, port);
}

static void name_link(const struct switch_tier *t, const struct switch_link *l, struct vars *top)
{
	struct vars *n = vars_add(top, "link");
	unsigned frame = (unsigned)record_num(l->want, SWITCH_FRAME, 0);

	vars_set(n, "link", "%s", l->link->name);
	vars_set(n, "profile", "%s", l->profile);
	vars_set(n, "first", "%s", l == t->link ? "1" : "");
	vars_set(n, "frame", "%s", "");
	vars_set(n, "ip_mtu", "%s", "");
	if (frame) {
		vars_set(n, "frame", "%u", frame);
		vars_set(n, "ip_mtu", "%u", frames_to_mtu(frame, 1));
	}
	name_num(n, "speed", &l->want->at[SWITCH_SPEED]);
	name_num(n, "cable", &l->want->at[SWITCH_CABLE]);
	name_headroom(t, l, n);
	name_watchdog(l, n);
	name_queues(t, l, n, top);
	vars_set(n, "ports", "%s", joined(t->arena, l->link->port, l->link->nports));
	for (size_t i = 0; i < l->link->nports; i++) {
		struct vars *port = vars_add(n, "port");

		vars_set(port, "port", "%s", l->link->port[i]);
		vars_put(top, "port", port);
		list_port(port, top);
	}
	if (t->nos->names)
		t->nos->names(t, l, n);
}

static struct vars *name_tier(const struct switch_tier *t)
{
	struct vars *top = vars_new(t->arena, NULL);
	const struct record *want = t->link[0].want;

	vars_set(top, "tier", "%s", t->tier->name);
	vars_set(top, "fabric", "%s", t->fabric->name);
	vars_set(top, "version", "%s", VERSION);
	vars_set(top, "pfc", "%s", numbers(t->arena, (uint64_t)record_num(want, SWITCH_PFC, 0), ","));
	name_dscp(t, top);
	name_priorities(t, top, want);
	if (t->nos->names)
		t->nos->names(t, NULL, top);
	for (size_t i = 0; i < t->n; i++)
		name_link(t, &t->link[i], top);
	return top;
}

/* --- the text ----------------------------------------------------------------------------------- */

static int load(const struct switch_tier *t, const char *dir, const struct source **s, struct diags *d)
{
	if (dir)
		return file_load(t->arena, arena_printf(t->arena, "%s/%s", dir, t->nos->name), TEMPLATE_MOST, s, d);
	*s = templates_find(t->nos->name, t->arena);
	return 0;
}

/* Whatever the template, what comes out must say what the policy says. */
static int read_back(struct switch_tier *t, const struct source *from, const struct text *out, struct diags *d)
{
	struct source *s = arena_new_of(t->arena, struct source);
	const char *name = arena_printf(t->arena, "(rendered from %s)", from->name);
	struct switch_file *f;
	struct row *row;
	size_t n;
	int r = 0;

	*s = (struct source){ name, text_str(out), out->n };
	if (nos_read(t->arena, t->nos, s, &f, d) < 0)
		return -EINVAL;
	nos_compare(t, f, &row, &n);
	for (size_t i = 0; i < n; i++) {
		if (row[i].status == STATUS_IN_SYNC || row[i].follows)
			continue;
		diag_error(d, NULL, "%s: the template does not give %s what the policy says of %s: %s", from->name,
			   row[i].target->name, row[i].name, row[i].cause ? row[i].cause : "it is not there");
		r = -EINVAL;
	}
	return r;
}

int nos_render(struct switch_tier *t, const char *dir, struct text *out, struct diags *d)
{
	const struct source *s;

	for (size_t i = 0; i < t->n; i++)
		if (!t->link[i].link->nports) {
			diag_error(d, &t->link[i].link->pos, "link %s says no ports: a configuration needs them", t->link[i].link->name);
			diag_hint(d, "add ports: \"Ethernet[0-248/8]\"");
			return -EINVAL;
		}
	if (load(t, dir, &s, d) < 0 || template_render(s, name_tier(t), out, d) < 0)
		return -EINVAL;
	return read_back(t, s, out, d);
}
