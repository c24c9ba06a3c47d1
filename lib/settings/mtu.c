/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mtu: the IP MTU of the netdev (rtnetlink IFLA_MTU). RoCE takes its own MTU from it, rounded down to 256 to 4096 after
 * the driver's overhead, so that 4096 gives 2048: it is derived here and told beside the value. Only verbs knows it.
 *
 * What surprises: on a bond the kernel hands the value to all members, so it is set there; but a member may be given
 * another one later, and RoCE goes by the member's. A VLAN above is clamped when its lower device shrinks, and does not
 * grow back. Drivers rebuild their channels, and some lose PFC over it.
 */
#include "settings/mtu.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "fabric/sketch.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/rtnl.h"
#include "settings/dcb.h"
#include "settings/owners.h"
#include "settings/pfc.h"
#include "settings/writing.h"

#define VIA "rtnetlink IFLA_MTU"

/* A text beside the number: bond and members differ, which satisfies no wish but that of an undo. */
static bool same_mtu(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->num == have->num && (want->text || !have->text);
}

static const struct field fields[] = {
	[MTU] = { "mtu", KIND_UINT, .min = 68, .max = 65535, .unit = "bytes", .same = same_mtu,
		  .doc = "IP MTU of the netdev; RoCE takes its own from it: 4096 needs 4192 on most drivers" },
	{ 0 },
};

/* --- reading ---------------------------------------------------------------- */

/* Said once for all: rows in sync are not printed, so nothing is formatted for them. */
static const char *derived(unsigned roce_mtu)
{
	switch (roce_mtu) {
	case 4096:
		return "RoCE MTU 4096 (derived)";
	case 2048:
		return "RoCE MTU 2048 (derived)";
	case 1024:
		return "RoCE MTU 1024 (derived)";
	case 512:
		return "RoCE MTU 512 (derived)";
	case 256:
		return "RoCE MTU 256 (derived)";
	default:
		return "too small for any RoCE MTU (derived)";
	}
}

static const char *roce_mtu(struct kernel *k, const struct part *p, uint32_t mtu)
{
	const struct port *port = p->target->port;
	struct verbs_port asked;
	unsigned overhead, roce;

	if (!port || !*port->ibdev || strcmp(port->protocol, "roce") != 0 || !p->target->vendor)
		return NULL;
	if (kernel_verbs(k, port->ibdev, port->ibport, &asked) == 0)
		return arena_printf(p->arena, "RoCE MTU %u, at most %u (the device says so)", asked.active_mtu, asked.max_mtu);
	overhead = p->target->vendor->roce_overhead;
	roce = frames_roce_mtu(mtu, overhead);
	if (mtu >= 4096 && roce < 4096)		/* the number that everybody writes, and what comes of it */
		return arena_printf(p->arena, "netdev MTU %u yields RoCE MTU %u (derived); 4096 needs %u, set 4200",
				    mtu, roce, frames_netdev_mtu(4096, overhead));
	return derived(roce);
}

static void tell(struct kernel *k, struct part *p, uint32_t mtu, const char *via)
{
	part_num(p, MTU, mtu, via);
	p->have->at[MTU].because = roce_mtu(k, p, mtu);
}

/* Without netlink (--root) the file has the number. */
static int read_file(struct kernel *k, struct part *p)
{
	uint64_t mtu;
	int r = files_component(p->target->ifname) ? files_u64(k, &mtu, "sys/class/net/%s/mtu", p->target->ifname)
						   : -EINVAL;

	if (r == 0 && mtu <= UINT32_MAX)
		tell(k, p, (uint32_t)mtu, "/sys/class/net/IFNAME/mtu");
	else
		part_reason(p, MTU, REASON_NOT_RECORDED, VIA,
			    "netlink was not asked, and there is no sys/class/net/%s/mtu", p->target->ifname);
	return 0;
}

static const struct rtnl_link *link_of(struct kernel *k, const struct target *t)
{
	return t->ifindex ? rtnl_link_by_index(k, t->ifindex) : rtnl_link(k, t->ifname);
}

/* --- a bond and its members ---------------------------------------------------- */

static bool is_bond(const struct target *t)
{
	return t->port && t->port->ifindex != t->ifindex;
}

/* The first member, from *i on, whose MTU is not @mtu; NULL: none. */
static const struct rtnl_link *odd_member(const struct target *t, uint32_t mtu, const struct rtnl_link *links, size_t n,
					  size_t *i)
{
	for (; is_bond(t) && *i < n; ++*i)
		if (links[*i].master == t->ifindex && links[*i].mtu != mtu)
			return &links[*i];
	return NULL;
}

static void tell_link(struct kernel *k, struct part *p, const struct rtnl_link *link, const struct rtnl_link *links, size_t n)
{
	size_t i = 0;
	const struct rtnl_link *odd = odd_member(p->target, link->mtu, links, n, &i);
	struct cell *c = &p->have->at[MTU];

	tell(k, p, odd ? odd->mtu : link->mtu, VIA);
	if (odd)
		c->value.text = c->because = arena_printf(p->arena, "%s has %u, and its bond %s has %u",
							  text_safe(p->arena, odd->ifname, strlen(odd->ifname), 40), odd->mtu,
							  text_safe(p->arena, link->ifname, strlen(link->ifname), 40), link->mtu);
}

/* The next of "bond0:1500 nic0:1500"; no interface's name holds a colon or a blank. */
static bool next_mtu(const char **s, char ifname[IFNAMSIZ], uint32_t *mtu)
{
	int n = 0;

	if (!*s || sscanf(*s, "%15[^: ]:%6" SCNu32 "%n", ifname, mtu, &n) != 2 || ((*s)[n] && (*s)[n] != ' '))
		return false;
	*s += n + ((*s)[n] == ' ');
	return true;
}

static void add_mtu(struct text *t, const struct rtnl_link *link)
{
	text_printf(t, "%s%s:%u", t->n ? " " : "", link->ifname, link->mtu);
}

/* All that a bond's change touches, with its MTU: the bond first, since it hands its own to the members. */
static const char *mtus_of(struct kernel *k, const struct change *c)
{
	TEXT_CLEANUP struct text t = { 0 };
	const struct rtnl_link *links;
	size_t n;

	if (!is_bond(c->target) || rtnl_links(k, &links, &n) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (links[i].ifindex == c->target->ifindex)
			add_mtu(&t, &links[i]);
	for (size_t i = 0; i < n; i++)
		if (links[i].master == c->target->ifindex)
			add_mtu(&t, &links[i]);
	return arena_strdup(c->arena, text_str(&t));
}

static int set_members(struct kernel *k, const struct change *c, uint32_t mtu, struct diags *d)
{
	const char *before = c->undo ? c->before : NULL, *s = before ? before : mtus_of(k, c);
	char ifname[IFNAMSIZ];
	uint32_t was;
	int r = 0;

	while (r == 0 && next_mtu(&s, ifname, &was)) {
		const struct rtnl_link *link = rtnl_link(k, ifname);
		uint32_t to = before ? was : mtu;

		r = !link || link->mtu == to ? 0 : rtnl_set_mtu(k, link->ifname, to, d);
	}
	return r;
}

/* --- reading and writing --------------------------------------------------------- */

static int mtu_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct target *t = p->target;
	const struct rtnl_link *links, *link;
	size_t n;
	int r;

	(void)d;
	if (!part_open(p, MTU))
		return 0;
	if (!*t->ifname) {
		part_reason(p, MTU,
			    t->port && t->port->link_layer == LINK_LAYER_INFINIBAND ? REASON_DRIVER_LACKS
										    : REASON_UNREADABLE,
			    VIA, "this port has no netdev in this network namespace");
		return 0;
	}
	r = rtnl_links(k, &links, &n);
	if (r == -ENODATA)
		return read_file(k, p);
	if (r < 0)
		return r;
	link = link_of(k, t);
	if (link)
		tell_link(k, p, link, links, n);
	else
		part_reason(p, MTU, REASON_VANISHED, VIA, "no netdev %s any more", t->ifname);
	return 0;
}

static int mtu_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = &change_want(c, &setting_mtu)->at[MTU];
	struct writing_link before = writing_link(k, c->target);
	const struct rtnl_link *link = link_of(k, c->target);
	size_t told = d->n;
	int r = 0;

	if (is_bond(c->target))
		r = set_members(k, c, (uint32_t)want->value.num, d);
	else if (!link || link->mtu != want->value.num)
		r = rtnl_set_mtu(k, c->target->ifname, (uint32_t)want->value.num, d);
	else
		return 0;
	if (r == 0) {
		writing_wait_link(k, c, before, d);
		return 0;
	}
	writing_told(c, want, d, told, r);
	link = link_of(k, c->target);
	if (r == -EINVAL && link && link->max_mtu)
		diag_hint(d, "this port takes %u to %u; see `rdmactl show mtu`", link->min_mtu, link->max_mtu);
	return r;
}

/* VLANs above that shrink with it: the kernel clamps them, and they stay where they are when the lower one grows. */
static const char *clamped(struct kernel *k, const struct change *c, uint32_t mtu)
{
	TEXT_CLEANUP struct text names = { 0 };
	const struct rtnl_link *links;
	size_t n;

	if (rtnl_links(k, &links, &n) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(links[i].kind, "vlan") != 0 || links[i].lower != c->target->ifindex || links[i].mtu <= mtu)
			continue;
		text_add(&names, names.n ? ", " : "");
		text_add_safe(&names, links[i].ifname, strlen(links[i].ifname));
		text_printf(&names, " (%u)", links[i].mtu);
	}
	return names.n ? arena_printf(c->arena, "VLANs above, clamped to %u: %s", mtu, text_str(&names)) : NULL;
}

static int mtu_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct vendor *v = c->target->vendor;
	uint32_t mtu = (uint32_t)record_num(change_want(c, &setting_mtu), MTU, 0);

	if (v && v->manners)
		change_costs(c, v->manners->mtu_impact, v->manners->mtu_does);
	else if (!v || !v->software)
		change_costs(c, IMPACT_TRAFFIC, NULL);
	c->before = mtus_of(k, c);
	c->leaves = clamped(k, c, mtu);
	owners_mtu(k, c, mtu, d);
	return 0;
}

/* --- wishes ----------------------------------------------------------------- */

static int mtu_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	struct cell *c = &want->at[MTU];

	if (c->state != CELL_FABRIC || !w->fabric)
		return 0;
	if (w->fabric->mtu) {
		cell_set_num(c, w->fabric->mtu);
		return 0;
	}
	diag_error(d, &c->pos, "mtu: the fabric %s says none", w->fabric->name);
	diag_hint(d, "add mtu to the fabric, or a number here");
	c->state = CELL_SILENT;
	return -EINVAL;
}

static void mtu_grow(const struct record *have, const struct record *want, struct record *both)
{
	if (record_num(have, MTU, 0) > record_num(want, MTU, 0))
		cell_set_num(&both->at[MTU], record_num(have, MTU, 0));
}

static const struct setting *const disturbed[] = { &setting_pfc, NULL };

static void mtu_suggest(const struct record *have, struct fabric_sketch *s)
{
	s->mtu = record_num(have, MTU, 0);
}

const struct setting setting_mtu = {
	.name = "mtu",
	.why = "A smaller MTU halves the RoCE MTU without a word; a larger one than the peer's loses whole messages.",
	.scope = SCOPE_NETDEV,
	.fields = fields,
	.live = { .object = "mtu", .read = mtu_read, .write = mtu_write, .weigh = mtu_weigh, .disturbs = disturbed,
		  .interface = "rtnetlink RTM_GETLINK, RTM_SETLINK: IFLA_MTU" },
	.derive = mtu_derive,
	.suggest = mtu_suggest,
	.grow = mtu_grow,
};
