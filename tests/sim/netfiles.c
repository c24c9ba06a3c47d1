/* SPDX-License-Identifier: Apache-2.0 */
/* sys/class/net: NICs below their PCI function, lo, bonds and VLANs below devices/virtual. */
#include "state.h"

#include <errno.h>
#include <linux/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One netdev, whatever it is; for lo both are NULL. */
struct any { struct nic *nic; struct upper *upper; };

static struct any any_of(struct sim *s, const struct node *n)
{
	return (struct any){ .nic = n->nic, .upper = n->arg ? &s->st->upper[n->arg - 1] : NULL };
}

static bool up_of(struct any a)
{
	return a.nic ? a.nic->net.up : a.upper ? a.upper->up : true;
}

static int show_address(struct sim *s, const struct node *n, struct text *out)
{
	uint8_t mac[6] = { 0 };

	if (n->nic)
		nic_mac(s, n->nic, mac);
	else if (n->arg)
		mac[0] = 2;
	text_printf(out, "%02x:%02x:%02x:%02x:%02x:%02x\n", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return 0;
}

static int show_mtu(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);

	text_printf(out, "%u\n", a.nic ? a.nic->net.mtu : a.upper ? a.upper->mtu : 65536);
	return 0;
}

static uint32_t ifindex_of(struct any a)
{
	return a.nic ? a.nic->net.ifindex : a.upper ? a.upper->ifindex : 1;
}

static int store_mtu(struct sim *s, const struct node *n, const char *text, size_t len)
{
	char copy[32], *end;
	const char *why;
	unsigned long v;

	if (len >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%.*s", (int)text_trim(text, len), text);
	v = strtoul(copy, &end, 0);
	if (!*copy || *end || v > INT32_MAX)
		return -EINVAL;
	return mtu_set(s, ifindex_of(any_of(s, n)), (uint32_t)v, &why);
}

static int show_ifindex(struct sim *s, const struct node *n, struct text *out)
{
	text_printf(out, "%u\n", ifindex_of(any_of(s, n)));
	return 0;
}

static int show_flags(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);
	unsigned flags = a.nic || a.upper ? IFF_BROADCAST | IFF_MULTICAST : IFF_LOOPBACK;

	text_printf(out, "0x%x\n", flags | (up_of(a) ? IFF_UP : 0));
	return 0;
}

static int show_carrier(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);

	if (!up_of(a))
		return -EINVAL;
	text_printf(out, "%d\n", !a.nic || nic_carrier(a.nic));
	return 0;
}

static int show_operstate(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);

	text_printf(out, "%s\n", !a.nic && !a.upper ? "unknown" : !up_of(a) ? "down" : !a.nic || nic_carrier(a.nic) ? "up" : "down");
	return 0;
}

static int show_speed(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);

	if (!up_of(a) || !a.nic)
		return -EINVAL;
	text_printf(out, "%d\n", nic_carrier(a.nic) ? (int)a.nic->hw.speed : -1);
	return 0;
}

static int show_duplex(struct sim *s, const struct node *n, struct text *out)
{
	struct any a = any_of(s, n);

	if (!up_of(a) || !a.nic)
		return -EINVAL;
	text_add(out, "full\n");
	return 0;
}

static int show_changes(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", n->nic ? n->nic->net.carrier_ups + n->nic->net.carrier_downs : 0);
	return 0;
}

static int show_ups(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", n->nic ? n->nic->net.carrier_ups : 0);
	return 0;
}

static int show_downs(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", n->nic ? n->nic->net.carrier_downs : 0);
	return 0;
}

static int show_port_name(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	if (!n->nic)
		return -EOPNOTSUPP;
	text_add(out, "p0\n");
	return 0;
}

static int show_unsupported(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	(void)out;
	return -EOPNOTSUPP;
}

static int show_dev_port(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "0\n");
	return 0;
}

static int show_dev_id(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "0x0\n");
	return 0;
}

static int show_type(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_add(out, n->nic || n->arg ? "1\n" : "772\n");
	return 0;
}

static const struct { const char *name; uint16_t mode; node_show *show; node_store *store; } files[] = {
	{ "address", 0444, show_address, NULL },
	{ "mtu", 0644, show_mtu, store_mtu },
	{ "ifindex", 0444, show_ifindex, NULL },
	{ "flags", 0644, show_flags, NULL },
	{ "carrier", 0644, show_carrier, NULL },
	{ "operstate", 0444, show_operstate, NULL },
	{ "speed", 0444, show_speed, NULL },
	{ "duplex", 0444, show_duplex, NULL },
	{ "carrier_changes", 0444, show_changes, NULL },
	{ "carrier_up_count", 0444, show_ups, NULL },
	{ "carrier_down_count", 0444, show_downs, NULL },
	{ "phys_port_name", 0444, show_port_name, NULL },
	{ "phys_switch_id", 0444, show_unsupported, NULL },
	{ "phys_port_id", 0444, show_unsupported, NULL },
	{ "dev_port", 0444, show_dev_port, NULL },
	{ "dev_id", 0444, show_dev_id, NULL },
	{ "type", 0444, show_type, NULL },
};

static void files_add(struct sim *s, struct nic *n, uint32_t upper, const char *dir)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tree_file(s, n, files[i].mode, files[i].show, files[i].store, upper, "%s/%s", dir, files[i].name);
}

static const char *netdev_path(struct sim *s, uint32_t ifindex)
{
	struct nic *n = nic_by_index(s, ifindex);
	struct upper *u = upper_by_index(s, ifindex);

	return n ? tree_path(s, "%s/net/%s", pci_dir(s, n), n->name) :
	       u ? tree_path(s, "sys/devices/virtual/net/%s", u->name) : NULL;
}

static void lower_link(struct sim *s, const char *upper_dir, const char *upper, uint32_t lower)
{
	const char *below = netdev_path(s, lower);

	if (!below)
		return;
	tree_link(s, tree_path(s, "../../../../%s", below + strlen("sys/")), "%s/lower_%s", upper_dir, strrchr(below, '/') + 1);
	tree_link(s, tree_path(s, "%s%s", tree_up(s, below), upper_dir + strlen("sys/")), "%s/upper_%s", below, upper);
}

static void upper_add(struct sim *s, unsigned i)
{
	const struct upper *u = &s->st->upper[i];
	const char *dir = tree_path(s, "sys/devices/virtual/net/%s", u->name);

	files_add(s, NULL, i + 1, dir);
	tree_link(s, tree_path(s, "../../devices/virtual/net/%s", u->name), "sys/class/net/%s", u->name);
	tree_link(s, "../../../../class/net", "%s/subsystem", dir);
	if (u->kind == UPPER_VLAN) {
		lower_link(s, dir, u->name, u->lower);
		return;
	}
	tree_dir(s, "%s/bonding", dir);
	for (unsigned k = 0; k < s->st->nnics; k++) {
		struct nic *n = &s->st->nic[k];
		const char *below;

		if (!(u->member[k / 64] >> k % 64 & 1))
			continue;
		lower_link(s, dir, u->name, n->net.ifindex);
		below = netdev_path(s, n->net.ifindex);
		tree_link(s, tree_path(s, "%s%s", tree_up(s, below), dir + strlen("sys/")), "%s/master", below);
	}
}

static void nic_add(struct sim *s, struct nic *n)
{
	const char *dir = netdev_path(s, n->net.ifindex);
	char bdf[16];

	nic_bdf(s, n, bdf);
	files_add(s, n, 0, dir);
	tree_link(s, tree_path(s, "../../../%s", bdf), "%s/device", dir);
	tree_link(s, "../../../../../../../../class/net", "%s/subsystem", dir);
	tree_link(s, tree_path(s, "../../%s", dir + strlen("sys/")), "sys/class/net/%s", n->name);
}

void netfiles_add(struct sim *s)
{
	files_add(s, NULL, 0, "sys/devices/virtual/net/lo");
	tree_link(s, "../../devices/virtual/net/lo", "sys/class/net/lo");
	for (unsigned i = 0; i < s->st->nnics; i++)
		if (s->st->nic[i].present)
			nic_add(s, &s->st->nic[i]);
	for (unsigned i = 0; i < SIM_UPPERS; i++)
		if (s->st->upper[i].kind)
			upper_add(s, i);
}
