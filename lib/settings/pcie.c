/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie.width, pcie.speed: the narrowest and the slowest link between card and root port. Verified only. Speaks to
 * sysfs (current_link_*, max_link_* of every PCI function on the path).
 *
 * A wish is a floor: wider or faster is in sync. A link that runs below what both its ends can do is degraded (reseat,
 * riser, BIOS); one that runs at the lesser end's maximum is limited by that end: card, slot or switch, and nothing is
 * broken. max_link_* of the card says nothing about the slot: that is its parent's. "Unknown", 0 and 255 are not
 * known, never slow. A VF has no link of its own: its PF's is looked at.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/pci.h"
#include "model/setting.h"

enum { PCIE_WIDTH, PCIE_SPEED };

static bool at_least(const struct field *f, const struct value *want, const struct value *have,
		     const struct record *observed)
{
	(void)f;
	(void)observed;
	return have->num >= want->num;
}

static const struct field fields[] = {
	[PCIE_WIDTH] = { "pcie.width", KIND_UINT, .min = 1, .max = 32, .unit = "lanes", .same = at_least,
			 .verify_only = true,
			 .doc = "lanes that every link from card to root port must have at least" },
	[PCIE_SPEED] = { "pcie.speed", KIND_UINT, .min = 2500, .max = 128000, .unit = "MT/s", .same = at_least,
			 .verify_only = true,
			 .doc = "speed a lane that every link from card to root port must have at least (32GT/s)" },
	{ 0 },
};

/* --- one quantity along the path -------------------------------------------- */

/* What one end of a link says; 0: not known. */
struct end {
	const char *bdf;		/* NULL: there is no such end */
	uint32_t now, max;
};

struct link {
	struct end lower, upper;	/* card or switch upstream port · root or switch downstream port */
	unsigned depth;			/* 0: the card's own link */
	bool root;			/* the upper end is the root port */
};

static struct end end_of(const struct pci_hop *h, unsigned field)
{
	if (field == PCIE_WIDTH)
		return (struct end){ .bdf = h->bdf, .now = h->width, .max = h->max_width };
	return (struct end){ .bdf = h->bdf, .now = h->speed_mts, .max = h->max_speed_mts };
}

/* Functions on a path come in pairs: an endpoint or upstream port speaks of the link above, its parent of the same. */
static struct link link_at(const struct pci_hop *hop, size_t n, size_t i, unsigned field)
{
	struct link l = { .lower = end_of(&hop[i], field), .depth = (unsigned)(i / 2), .root = i + 2 >= n };

	if (i + 1 < n)
		l.upper = end_of(&hop[i + 1], field);
	return l;
}

/* Both ends report one negotiated value; the lesser, should they differ. 0: neither knows */
static uint32_t link_now(const struct link *l)
{
	if (!l->lower.now || !l->upper.now)
		return l->lower.now | l->upper.now;
	return l->lower.now < l->upper.now ? l->lower.now : l->upper.now;
}

/* What both ends can do; 0: not known */
static uint32_t link_can(const struct link *l)
{
	if (!l->upper.bdf)
		return l->lower.max;
	if (!l->lower.max || !l->upper.max)
		return 0;
	return l->lower.max < l->upper.max ? l->lower.max : l->upper.max;
}

static bool link_degraded(const struct link *l)
{
	return link_can(l) && link_now(l) < link_can(l);
}

/* --- in words --------------------------------------------------------------- */

static const char *amount(struct arena *a, unsigned field, uint32_t v)
{
	if (v == 0)
		return "unknown";
	if (field == PCIE_WIDTH)
		return arena_printf(a, "x%u", v);
	return arena_printf(a, "%u.%u GT/s", v / 1000, v % 1000 / 100);
}

static const char *lower_name(const struct link *l)
{
	return l->depth == 0 ? "card" : "switch upstream port";
}

static const char *upper_name(const struct link *l)
{
	return l->root ? "root port" : "switch port";
}

/* "root port 0000:26:02.0 (max 16.0 GT/s)" */
static const char *end_text(struct arena *a, const char *name, const struct end *e, unsigned field)
{
	return arena_printf(a, "%s %s (max %s)", name, e->bdf, amount(a, field, e->max));
}

static const char *both_ends(struct arena *a, const struct link *l, unsigned field)
{
	const char *lower = end_text(a, lower_name(l), &l->lower, field);

	if (!l->upper.bdf)
		return lower;
	return arena_printf(a, "%s, %s", lower, end_text(a, upper_name(l), &l->upper, field));
}

static void explain_degraded(struct arena *a, const struct link *l, unsigned field, struct cell *c)
{
	c->because = arena_printf(a, "degraded: runs at %s, both ends can do %s: %s", amount(a, field, link_now(l)),
				  amount(a, field, link_can(l)), both_ends(a, l, field));
	c->remedy = "read it again under load; then reseat the card, check riser and BIOS";
}

static void explain_limit(struct arena *a, const struct link *l, unsigned field, struct cell *c)
{
	const char *lower = end_text(a, lower_name(l), &l->lower, field), *upper;

	c->remedy = l->depth ? "another slot, not behind this switch, or a policy that allows it" :
			       "no slot makes this card faster: another card, or a policy that allows it";
	if (!l->upper.bdf) {
		c->because = arena_printf(a, "limited by %s: not degraded", lower);
		return;
	}
	upper = end_text(a, upper_name(l), &l->upper, field);
	if (l->upper.max < l->lower.max) {
		c->because = arena_printf(a, "limited by %s: not degraded; %s", upper, lower);
		if (l->depth == 0)
			c->remedy = "another slot, or a policy that allows it for this model";
	} else if (l->lower.max < l->upper.max) {
		c->because = arena_printf(a, "limited by %s: not degraded; %s", lower, upper);
	} else {
		c->because = arena_printf(a, "limited by %s and %s %s alike: not degraded", lower, upper_name(l),
					  l->upper.bdf);
		if (l->depth == 0)
			c->remedy = "another card in another slot, or a policy that allows it for this model";
	}
}

static void explain_open(struct arena *a, const struct link *l, unsigned field, struct cell *c)
{
	c->because = arena_printf(a, "whether card, slot or training is the limit cannot be told: %s",
				  both_ends(a, l, field));
	c->remedy = "compare with what card and slot are sold for";
}

/* --- the answer ------------------------------------------------------------- */

/* The narrowest link of those that are known; of two alike the degraded one. False: none is known. */
static bool narrowest(const struct pci_hop *hop, size_t n, unsigned field, struct link *least, size_t *blind)
{
	bool any = false;

	*blind = n;
	for (size_t i = 0; i < n; i += 2) {
		struct link l = link_at(hop, n, i, field);

		if (!link_now(&l)) {
			*blind = *blind < n ? *blind : i;
			continue;
		}
		if (!any || link_now(&l) < link_now(least) ||
		    (link_now(&l) == link_now(least) && link_degraded(&l) && !link_degraded(least)))
			*least = l;
		any = true;
	}
	return any;
}

static void tell_blind(struct part *p, unsigned field, const struct pci_hop *hop)
{
	const char *what = field == PCIE_WIDTH ? "current_link_width" : "current_link_speed";

	if (hop->err && hop->err != -ENOENT)
		part_reason(p, field, reason_of(hop->err), "sysfs", "%s of %s: %s", what, hop->bdf,
			    strerror(-hop->err));
	else
		part_reason(p, field, REASON_UNREADABLE, "sysfs", "the kernel does not know %s of %s%s", what, hop->bdf,
			    hop->err ? ": no such file" : "");
}

static void tell(struct part *p, unsigned field, const struct pci_hop *hop, size_t n)
{
	struct cell *c = &p->have->at[field];
	int64_t want = record_num(p->want, field, INT64_MAX);
	struct link least = { 0 };
	size_t blind;
	bool known;

	if (!part_open(p, field))
		return;
	known = narrowest(hop, n, field, &least, &blind);
	if (blind < n && (!known || !p->want || link_now(&least) >= want)) {	/* a blind link may be narrower still */
		tell_blind(p, field, &hop[blind]);
		return;
	}
	part_num(p, field, link_now(&least), "sysfs");
	if (p->want && link_now(&least) >= want)
		return;
	if (!link_can(&least))
		explain_open(p->arena, &least, field, c);
	else if (link_degraded(&least))
		explain_degraded(p->arena, &least, field, c);
	else
		explain_limit(p->arena, &least, field, c);
}

/* Is every wish met? Then a quarter of the files is enough, and nothing needs to be explained. */
static bool is_met(struct kernel *k, struct part *p, const char *path)
{
	uint32_t now[2];

	if (!p->want || pci_now(k, path, &now[PCIE_SPEED], &now[PCIE_WIDTH]) < 0)
		return false;
	for (unsigned f = PCIE_WIDTH; f <= PCIE_SPEED; f++)
		if (part_open(p, f) && (!now[f] || now[f] < record_num(p->want, f, INT64_MAX)))
			return false;
	for (unsigned f = PCIE_WIDTH; f <= PCIE_SPEED; f++)
		part_num(p, f, now[f], "sysfs");
	return true;
}

/* A VF stands beside its PF, and has no link of its own. */
static const char *path_of(struct arena *a, const struct port *p)
{
	const char *slash = strrchr(p->pci_path, '/');

	if (!*p->physfn || !slash)
		return p->pci_path;
	return arena_printf(a, "%.*s/%s", (int)(slash - p->pci_path), p->pci_path, p->physfn);
}

static int pcie_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct port *port = p->target->port;
	const struct pci_hop *hop;
	const char *path = path_of(p->arena, port);
	size_t n = 0;
	int r;

	(void)d;
	if (!*path) {
		part_reasons(p, REASON_DRIVER_LACKS, NULL, "not a PCI device");
		return 0;
	}
	if (is_met(k, p, path))
		return 0;
	r = pci_hops(k, path, &hop, &n);
	if (r == -ENOENT || (r == 0 && n == 0))
		part_reasons(p, REASON_UNREADABLE, "sysfs", "the kernel tells no link of %s", path);
	if (r < 0)
		return r;
	tell(p, PCIE_WIDTH, hop, n);
	tell(p, PCIE_SPEED, hop, n);
	return 0;
}

const struct setting setting_pcie = {
	.name = "pcie",
	.why = "A card behind a narrow or slow link cannot drain its wire: it pauses the fabric, and all slow down.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .read = pcie_read, .interface = "sysfs current_link_*, max_link_* from card to root port" },
};
