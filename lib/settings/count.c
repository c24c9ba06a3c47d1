/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count: how many ports of this machine a group matched. Verified only, and never unmanaged: a group that the policy
 * gives no number must match at least one port, since a card that fell off the bus, or a selector with a slip of the
 * pen, would else pass for in sync. Speaks to nobody: the inventory has looked already.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/setting.h"

enum { COUNT };

enum { AT_LEAST_ONE = 0, LISTED = 16 };	/* LISTED: ports named in one message */

/* Only a wish of 0 has no text: the number that was found brings its own. */
static void print_count(const struct field *f, const struct value *v, struct text *out)
{
	(void)f;
	if (v->text)
		text_add(out, v->text);
	else if (v->num == AT_LEAST_ONE)
		text_add(out, "at least 1");
	else
		text_uint(out, (uint64_t)v->num);
}

static bool same_count(const struct field *f, const struct value *want, const struct value *have,
		       const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->num == AT_LEAST_ONE ? have->num > 0 : want->num == have->num;
}

static const struct field fields[] = {
	[COUNT] = { "count", KIND_UINT, .min = 1, .max = 4096, .unit = "ports", .print = print_count,
		    .same = same_count, .verify_only = true, .always = true,
		    .doc = "number of ports that the group must match; without it, at least 1" },
	{ 0 },
};

static void list_port(const struct port *p, struct text *out)
{
	text_add_safe(out, p->name, strlen(p->name));
	if (*p->driver) {
		text_char(out, ' ');
		text_add_safe(out, p->driver, strlen(p->driver));
	}
	if (*p->bdf) {
		text_char(out, ' ');
		text_add_safe(out, p->bdf, strlen(p->bdf));
	}
}

/* "7 ports match; this machine has 9: ens1f0np0 mlx5_core 0000:03:00.0, …" */
static const char *what_is_there(const struct part *p)
{
	TEXT_CLEANUP struct text t = { 0 };
	const struct facts *f = p->facts;
	unsigned n = p->target->matched;

	if (f->nports == 0)
		return arena_printf(p->arena, "no port matches: this machine has none%s%s", f->rdma_why ? "; " : "",
				    f->rdma_why ? f->rdma_why : "");
	if (n == 0)
		text_add(&t, "no port matches");
	else
		text_printf(&t, n == 1 ? "%u port matches" : "%u ports match", n);
	text_printf(&t, "; this machine has %zu: ", f->nports);
	for (size_t i = 0; i < f->nports && i < LISTED; i++) {
		text_add(&t, i ? ", " : "");
		list_port(&f->port[i], &t);
	}
	if (f->nports > LISTED)
		text_printf(&t, " and %zu more", f->nports - LISTED);
	return arena_strdup(p->arena, text_str(&t));
}

static int count_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct cell *c = &p->have->at[COUNT];
	unsigned n = p->target->matched;
	struct value found = { .num = n };
	bool same = !record_has(p->want, COUNT) || same_count(c->field, &p->want->at[COUNT].value, &found, p->have);
	enum reason r = p->facts->rdma ? REASON_NONE : part_no_rdma(p);

	(void)k;
	(void)d;
	if (!part_open(p, COUNT))
		return 0;
	if (!same && reason_is_unknown(r)) {	/* what was not seen may be there */
		part_reason(p, COUNT, r, "inventory", "%s", what_is_there(p));
		return 0;
	}
	part_num(p, COUNT, n, "inventory");
	c->value.text = arena_printf(p->arena, "%u", n);
	if (same)
		return 0;
	c->because = what_is_there(p);
	c->remedy = "a card off the bus shows in lspci and the kernel log; else correct match or count";
	return 0;
}

const struct setting setting_count = {
	.name = "count",
	.why = "A card that fell off the bus, or a selector that matches nothing, leaves nothing that could differ.",
	.scope = SCOPE_GROUP,
	.fields = fields,
	.live = { .read = count_read, .interface = "inventory" },
};
