/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a port that exclude each other, or that no hardware has: a row that could never be in sync. */
#include <string.h>

#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/facts.h"
#include "model/record.h"
#include "model/setting.h"
#include "model/vendor.h"

enum { ETHERNET_MTU_MOST = 10240, IPOIB_MTU_MOST = 4092 };

/* --- RoCE --------------------------------------------------------------------- */

static bool is_v1(const struct cell *c)
{
	return !strcmp(c->field->words[c->value.num], "v1");
}

static bool v1_without_ip(struct lint *l)
{
	const struct cell *mode = lint_cell(l, "roce.mode"), *tos = lint_cell(l, "roce.tos"), *map = lint_cell(l, "qos.dscp");

	if (!mode || (!tos && !map))
		return false;
	if (is_v1(mode) && tos)
		lint_find(l, &tos->pos, "roce.tos marks IP packets, but roce.mode is v1, which has no IP header");
	else if (is_v1(mode))
		lint_find(l, &mode->pos, "roce.mode is v1, whose frames have no DSCP, but the port sorts by DSCP (qos.dscp)");
	return true;
}

static bool gid_of_other_version(struct lint *l)
{
	const struct cell *mode = lint_cell(l, "roce.mode"), *gid = lint_cell(l, "gid.version");

	if (!mode || !gid)
		return false;
	if (is_v1(mode) != is_v1(gid))
		lint_find(l, &gid->pos, "gid.version is %s, but new connections take RoCE %s (roce.mode)",
			  gid->field->words[gid->value.num], mode->field->words[mode->value.num]);
	return true;
}

static bool needs_roce(struct lint *l)
{
	static const char *const names[] = { "roce.mode", "roce.tos", "gid.version", "gid.family" };
	const struct cell *enabled = lint_cell(l, "roce.enabled"), *c = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !c; i++)
		c = lint_cell(l, names[i]);
	if (!enabled || !c)
		return false;
	if (!enabled->value.num)
		lint_find(l, &c->pos, "%s is asked for, but roce.enabled is false", c->name);
	return true;
}

static bool of_ethernet(const char *name)
{
	return !strncmp(name, "qos.", 4) || !strncmp(name, "pause.", 6) || !strncmp(name, "roce.", 5);
}

static bool on_infiniband(struct lint *l)
{
	const struct port *p = l->group->port;
	const struct cell *mtu = lint_cell(l, "mtu");

	if (!p || p->link_layer != LINK_LAYER_INFINIBAND)
		return false;
	for (size_t i = 0; i < l->cell.n; i++)
		if (of_ethernet(l->cell.at[i]->name)) {
			lint_find(l, &l->cell.at[i]->pos,
				  "%s is a setting of Ethernet, but the group matches link: infiniband",
				  l->cell.at[i]->name);
			return true;		/* the others have the same cause */
		}
	if (mtu && l->fabric && mtu->value.num == l->fabric->mtu && mtu->value.num > IPOIB_MTU_MOST &&
	    lint_find(l, &mtu->pos, "mtu %d is that of the Ethernet fabric %s; IPoIB takes %d at most, but in connected mode",
		      (int)mtu->value.num, l->fabric->name, IPOIB_MTU_MOST))
		diag_hint(l->d, "say fabric: null in the group, and the MTU of IPoIB if it matters: 2044 or 4092");
	return true;
}

/* --- what hardware has -------------------------------------------------------- */

static const int64_t lanes[] = { 1, 2, 4, 8, 12, 16, 32, 0 };
static const int64_t transfers[] = { 2500, 5000, 8000, 16000, 32000, 64000, 128000, 0 };
static const int64_t speeds[] = { 1000, 2500, 5000, 10000, 14000, 20000, 25000, 40000, 50000, 56000, 100000,
				  200000, 400000, 800000, 1600000, 3200000, 0 };

static const struct cell *judge_among(struct lint *l, const struct cell *c, const int64_t *values, const char *what)
{
	TEXT_CLEANUP struct text t = { 0 };
	bool known = !c;

	for (; *values && !known; values++)
		known = *values == c->value.num;
	if (!known) {
		value_print(c->field, &c->value, &t);
		lint_find(l, &c->pos, "no %s has %s %s", what, c->name, text_str(&t));
	}
	return c;
}

static bool no_such_slot(struct lint *l)
{
	const struct cell *width = judge_among(l, lint_cell(l, "pcie.width"), lanes, "slot"),
			  *speed = judge_among(l, lint_cell(l, "pcie.speed"), transfers, "slot");

	return width || speed;
}

static bool no_such_speed(struct lint *l)
{
	return judge_among(l, lint_cell(l, "link.speed"), speeds, "port");
}

static bool mtu_of_no_ethernet(struct lint *l)
{
	const struct cell *c = lint_cell(l, "mtu");

	if (!c || !l->group->port || l->group->port->link_layer == LINK_LAYER_INFINIBAND)
		return false;
	if (c->value.num > ETHERNET_MTU_MOST)
		lint_find(l, &c->pos, "no Ethernet adapter takes an MTU of %lld", (long long)c->value.num);
	return true;
}

/* The driver of the PCI function on which this RDMA driver's devices sit, or NULL. */
static const char *rides_on(const struct lint *l, const char *driver)
{
	for (size_t v = 0; v < l->catalog->nvendors; v++)
		for (const char *const *d = l->catalog->vendor[v]->rdma_drivers; d && *d; d++)
			if (!strcmp(*d, driver))
				return l->catalog->vendor[v]->drivers[0];
	return NULL;
}

/* lspci shows one driver of a card, ibv_devinfo the other. */
static bool driver_of_rdma(struct lint *l)
{
	const char *below = rides_on(l, l->group->driver);

	if (!l->group->port || !*l->group->driver)
		return false;
	if (below && lint_find(l, l->group->driver_pos, "%s is the driver of the RDMA device: no port is matched by it", l->group->driver))
		diag_hint(l->d, "say the driver of the card, driver: %s", below);
	return true;
}

/* Drivers outside the tables are served as any other is: it may be right, and it may be misspelt. */
static bool driver_not_known(struct lint *l)
{
	const char *driver = l->group->driver, *near = NULL;

	if (!l->group->port || !*driver || rides_on(l, driver))
		return false;
	for (size_t v = 0; v < l->catalog->nvendors; v++)
		for (const char *const *d = l->catalog->vendor[v]->drivers; d && *d; d++)
			if (!strcmp(*d, driver))
				return true;
	for (size_t v = 0; v < l->catalog->nvendors && !near && l->catalog->vendor[v]->drivers; v++)
		near = text_nearest(driver, l->catalog->vendor[v]->drivers);
	if (lint_find(l, l->group->driver_pos, "rdmactl knows nothing of a driver %s", driver) && near)
		diag_hint(l->d, "did you mean %s?", near);
	return true;
}

static bool serves(const struct vendor *v, const char *setting)
{
	for (const struct provider *p = v->providers; p && p->setting; p++)
		if (!strcmp(p->setting->name, setting))
			return true;
	return false;
}

static bool is_optional(const struct lint *l, const struct cell *c)
{
	for (const char *const *o = l->group->optional; o && *o; o++)
		if (catalog_selects(*o, c->name))
			return true;
	return c->if_supported;
}

/* DCB is the driver's, and congestion control has no interface of the kernel's own: each vendor that has it brings its home. */
static bool driver_lacks(struct lint *l)
{
	const struct vendor *v = catalog_vendor(l->catalog, l->group->driver);
	const struct { const char *prefix; bool has; } parts[] = { { "qos.", v->manners }, { "ecn.", serves(v, "ecn") } };
	bool any = false;

	for (size_t p = 0; *v->drivers && p < sizeof(parts) / sizeof(parts[0]); p++)
		for (size_t i = 0; i < l->cell.n; i++) {
			const struct cell *c = l->cell.at[i];

			if (strncmp(c->name, parts[p].prefix, strlen(parts[p].prefix)) != 0)
				continue;
			any = true;
			if (parts[p].has || is_optional(l, c))
				continue;
			lint_find(l, &c->pos, "%s is asked for, and %s has nothing of %.3s", c->name, l->group->driver, c->name);
			break;			/* the others have the same cause */
		}
	return any;
}

/* A card that is not there moves the numbers of those behind it, as would one too many. */
static bool rails_without_count(struct lint *l)
{
	if (!l->group->rails_pos)
		return false;
	if (!lint_cell(l, "count"))
		lint_find(l, l->group->rails_pos, "the ports are numbered, and nothing says how many there are");
	return true;
}

const struct lint_rule lint_ports[] = {
	{ { "roce-v1-has-no-tos", SEVERITY_ERROR,
	    "The packets would have no DSCP at all, and every map by DSCP would miss them.",
	    "InfiniBand specification, annex A16: RoCE v1 is an Ethernet frame",
	    "say roce: {mode: v2}, or leave tos and qos.dscp out", "roce.mode, and roce.tos or qos.dscp" },
	  .group = v1_without_ip },
	{ { "gid-of-other-version", SEVERITY_WARNING, "What is verified is not what connections use.",
	    "rdma_cm takes GIDs of its default mode", "ask for the same version in both", "roce.mode and gid.version" },
	  AFTER("roce-v1-has-no-tos"),
	  .group = gid_of_other_version },
	{ { "roce-disabled", SEVERITY_WARNING,
	    "Without RoCE the port has neither GIDs of it nor anything that could be marked.", "devlink enable_roce",
	    "leave it out, or enable RoCE", "roce.enabled, and roce.mode, roce.tos or gid" },
	  .group = needs_roce },
	{ { "ethernet-on-infiniband", SEVERITY_ERROR,
	    "No port of the group could ever have it: each would be drift for ever.",
	    "IEEE 802.1Q and 802.3; InfiniBand has service levels and credits",
	    "make a group of its own with match: {link: ethernet}", "a group with match: {link: infiniband}" },
	  .group = on_infiniband },
	{ { "pcie-no-such-link", SEVERITY_ERROR, "No card in any slot could ever meet it.",
	    "PCI Express base specification",
	    "widths are 1, 2, 4, 8, 12, 16, 32; speeds 2.5, 5, 8, 16, 32, 64, 128 GT/s", "pcie.width or pcie.speed" },
	  .group = no_such_slot },
	{ { "speed-no-such-link", SEVERITY_ERROR, "No port could ever have it.", "IEEE 802.3; ethtool link modes",
	    "speeds are 1, 10, 25, 40, 50, 100, 200, 400, 800 Gb/s, and few others",
	    "link.speed" },
	  .group = no_such_speed },
	{ { "mtu-not-ethernet", SEVERITY_WARNING, "The kernel would refuse it, and the port stay as it was.",
	    "drivers: 9500 (bnxt) to 9978 (mlx5)", "write 9000, or what the adapters take", "mtu, of a group that is not InfiniBand" },
	  .group = mtu_of_no_ethernet },
	{ { "driver-of-rdma-device", SEVERITY_ERROR, "The group would match no port on any node.",
	    "kernel: RDMA drivers bind to auxiliary devices, and what is matched is the driver of the PCI function", NULL,
	    "a group with match: {driver: …}" },
	  .group = driver_of_rdma },
	{ { "driver-not-known", SEVERITY_NOTE, "A driver that is misspelt matches no port.",
	    "the drivers of lib/vendors", "if it is misspelt, correct match: {driver: …}", "a group with match: {driver: …}" },
	  .group = driver_not_known },
	{ { "driver-lacks", SEVERITY_WARNING, "Each port of the group drifts, now and for ever: driver-lacks.",
	    "docs/support.md; a vendor's own tool may set it in the card, beside the kernel",
	    "take it out, or say in the group what you can live without, such as optional: [qos, ecn]",
	    "qos or ecn, and match: {driver: …} of a driver that is known" },
	  AFTER("driver-of-rdma-device"),
	  .group = driver_lacks },
	{ { "rails-without-count", SEVERITY_WARNING,
	    "If a card is lost, the ports behind it move up, and are taken for their neighbours; with a count it is seen.",
	    "rails are numbered by the order of what is there", "add count: and the number of ports, 8 for eight rails",
	    "a group with rails:" },
	  .group = rails_without_count },
	{ .is.name = NULL },
};
