/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports from files alone: sys/class/net and sys/class/infiniband of a tree below --root, or of a dump that lacks
 * netlink. A tree may hold no more than a few values: a netdev that is no link is taken for a port, since nothing
 * says that it is not one.
 */
#include <errno.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "inventory/ports.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define NET	  "sys/class/net"
#define IB	  "sys/class/infiniband"
#define GIDS_MAX  1024u
#define SHOWN_MAX 128

static uint32_t number(struct ports *l, const char *ifname, const char *name)
{
	uint64_t v;

	return files_u64(l->k, &v, NET "/%s/%s", ifname, name) == 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static const char *shown(struct ports *l, const char *s)
{
	return text_safe(l->arena, s, strlen(s), SHOWN_MAX);
}

/* Kind of a software netdev: DEVTYPE of its uevent file ("bond", "vlan", "bridge"), or its bonding directory. */
static const char *kind_of(struct ports *l, const char *ifname)
{
	const char *uevent, *s = NULL;

	if (files_exist(l->k, NET "/%s/bonding", ifname))
		return "bond";
	if (files_text(l->k, &uevent, NET "/%s/uevent", ifname) == 0)
		s = strstr(uevent, "DEVTYPE=");
	return s ? text_safe(l->arena, s + 8, strcspn(s + 8, "\n"), SHOWN_MAX) : "";
}

static void take_link(struct ports *l, struct port *p)
{
	uint64_t flags, carrier = 0;

	p->ifindex = number(l, p->ifname, "ifindex");
	p->mtu = number(l, p->ifname, "mtu");
	p->link_layer = number(l, p->ifname, "type") == ARPHRD_INFINIBAND ? LINK_LAYER_INFINIBAND : LINK_LAYER_ETHERNET;
	if (files_u64(l->k, &flags, NET "/%s/flags", p->ifname) < 0)
		return;
	p->link_known = true;
	p->up = flags & IFF_UP;
	/* EINVAL while the netdev is down */
	p->carrier = files_u64(l->k, &carrier, NET "/%s/carrier", p->ifname) == 0 && carrier;
}

static void take_master(struct ports *l, struct port *p)
{
	const char *master;

	if (files_link(l->k, &master, NET "/%s/master", p->ifname) < 0 || !files_component(master) ||
	    strcmp(kind_of(l, master), "bond"))
		return;
	p->master = shown(l, master);
	p->master_ifindex = number(l, master, "ifindex");
}

static bool is_representor(struct ports *l, const char *ifname)
{
	const char *s;

	return files_text(l->k, &s, NET "/%s/phys_port_name", ifname) == 0 && device_is_representor(s);
}

static void add_netdev(struct ports *l, const char *ifname)
{
	const char *path;
	struct port *p;
	int err;

	if (!strcmp(ifname, "lo") || !files_component(ifname))
		return;
	path = device_path(l, NET, ifname, &err);
	if (path ? device_is_virtual(path) : err != -EINVAL || *kind_of(l, ifname))
		return;
	if (is_representor(l, ifname))
		return;
	p = ports_add(l);
	p->name = p->ifname = shown(l, ifname);
	if (path)
		device_take(l, p, path);
	take_link(l, p);
	take_master(l, p);
}

/* --- what lies above ports ---------------------------------------------------------- */

static uint32_t lower_of(struct ports *l, const char *ifname, bool *above)
{
	struct names names;
	char path[256];

	*above = false;
	if (snprintf(path, sizeof(path), NET "/%s", ifname) >= (int)sizeof(path) || kernel_list(l->k, path, &names) < 0)
		return 0;
	for (size_t i = 0; i < names.n; i++)
		for (size_t p = 0; p < l->n; p++)
			if (!strncmp(names.at[i], "lower_", 6) && !strcmp(names.at[i] + 6, l->at[p].ifname)) {
				*above = true;
				return l->at[p].ifindex;
			}
	return 0;
}

static void add_upper(struct ports *l, const char *ifname)
{
	const char *kind;
	uint32_t lower;
	bool above;

	if (!files_component(ifname))
		return;
	kind = kind_of(l, ifname);
	if (!*kind)
		return;
	lower = lower_of(l, ifname, &above);
	if (!above)
		return;
	list_add(&l->upper, l->arena) = (struct bond){
		.ifname = shown(l, ifname),
		.ifindex = number(l, ifname, "ifindex"),
		.lower_ifindex = strcmp(kind, "vlan") ? 0 : lower,
		.mtu = number(l, ifname, "mtu"),
		.kind = kind,
	};
}

/* --- RDMA ------------------------------------------------------------------------------ */

static uint8_t state_of(struct ports *l, const char *ibdev, const char *port, const char *name)
{
	const char *s;

	/* "4: ACTIVE" */
	if (files_text(l->k, &s, IB "/%s/ports/%s/%s", ibdev, port, name) < 0)
		return 0;
	return s[0] >= '0' && s[0] <= '9' && s[1] == ':' ? (uint8_t)(s[0] - '0') : 0;
}

/* The netdev of the first GID that has one; names of VLANs and bonds on it stand there, too. */
static const char *netdev_of(struct ports *l, const char *ibdev, const char *port)
{
	struct names names;
	char path[256];
	const char *name, *first = "";

	snprintf(path, sizeof(path), IB "/%s/ports/%s/gid_attrs/ndevs", ibdev, port);
	if (kernel_list(l->k, path, &names) < 0)
		return "";
	for (size_t i = 0; i < names.n && i < GIDS_MAX; i++) {
		if (files_text(l->k, &name, "%s/%s", path, names.at[i]) < 0 || !files_component(name))
			continue;
		for (size_t p = 0; p < l->n; p++)
			if (!strcmp(l->at[p].ifname, name))
				return name;
		if (!*first)
			first = name;
	}
	return first;
}

static struct port *of_netdev(struct ports *l, const char *netdev)
{
	for (size_t i = 0; *netdev && i < l->n; i++)
		if (!strcmp(l->at[i].ifname, netdev) && !*l->at[i].ibdev)
			return &l->at[i];
	return NULL;
}

static struct port *of_function(struct ports *l, const char *path, uint32_t port)
{
	const char *pci = path ? device_pci_path(l->arena, path) : "";

	for (size_t i = 0; *pci && i < l->n; i++)
		if (!strcmp(l->at[i].pci_path, pci) && !*l->at[i].ibdev &&
		    number(l, l->at[i].ifname, "dev_port") + 1 == port)
			return &l->at[i];
	return NULL;
}

static void take_layer(struct ports *l, struct port *p, const char *port)
{
	const char *layer = "", *type = "";

	files_text(l->k, &layer, IB "/%s/ports/%s/link_layer", p->ibdev, port);
	files_text(l->k, &type, IB "/%s/node_type", p->ibdev);
	if (!strcmp(layer, "InfiniBand")) {
		p->link_layer = LINK_LAYER_INFINIBAND;
		p->protocol = "ib";
	} else if (!strcmp(layer, "Ethernet")) {
		p->link_layer = LINK_LAYER_ETHERNET;
		p->protocol = type[0] == '4' ? "iw" : "roce"; /* "4: RNIC" */
	}
}

static void add_rdma_port(struct ports *l, const char *ibdev, const char *path, const char *port)
{
	const char *netdev, *s;
	struct port *p;
	uint64_t n;

	if (!text_u64(port, &n) || !n || n > UINT8_MAX)
		return;
	netdev = netdev_of(l, ibdev, port);
	p = of_netdev(l, netdev);
	if (!p && !*netdev)
		p = of_function(l, path, (uint32_t)n);
	if (!p) {
		p = ports_add(l);
		p->name = arena_printf(l->arena, "%s/%u", ibdev, (unsigned)n);
		if (*netdev)
			p->name = p->ifname = shown(l, netdev);
		if (path && !device_is_virtual(path))
			device_take(l, p, path);
		if (*netdev)
			take_link(l, p);
	}
	if (path && device_is_virtual(path))
		ports_software(l, p, files_exist(l->k, IB "/%s/parent", ibdev) ? "rdma_rxe" : "siw");
	p->ibdev = ibdev;
	p->ibport = (uint32_t)n;
	p->ib_state = state_of(l, ibdev, port, "state");
	p->ib_phys_state = state_of(l, ibdev, port, "phys_state");
	if (files_text(l->k, &s, IB "/%s/fw_ver", ibdev) == 0)
		p->fw_version = shown(l, s);
	take_layer(l, p, port);
}

static void add_rdma(struct ports *l, const char *name)
{
	struct names ports;
	char path[256];
	const char *device, *ibdev;
	int err;

	if (!files_component(name) || snprintf(path, sizeof(path), IB "/%s/ports", name) >= (int)sizeof(path) ||
	    kernel_list(l->k, path, &ports) < 0)
		return;
	ibdev = shown(l, name);
	device = device_path(l, IB, name, &err);
	for (size_t i = 0; i < ports.n; i++)
		add_rdma_port(l, ibdev, device, ports.at[i]);
}

int ports_from_sysfs(struct ports *l)
{
	struct names nets = { 0 }, ibs = { 0 };
	int net = kernel_list(l->k, NET, &nets), ib = kernel_list(l->k, IB, &ibs);

	for (size_t i = 0; i < nets.n; i++)
		add_netdev(l, nets.at[i]);
	for (size_t i = 0; i < ibs.n; i++)
		add_rdma(l, ibs.at[i]);
	for (size_t i = 0; i < nets.n; i++)
		add_upper(l, nets.at[i]);
	l->rdma = ib == 0 || files_exist(l->k, "sys/module/ib_core");
	l->rdma_err = l->rdma ? 0 : ib == -ENODATA ? -ENODATA : -EPROTONOSUPPORT;
	if (!l->rdma)
		l->rdma_why = ib == -ENODATA ? "RDMA devices are not recorded here" : "ib_core is not loaded";
	return net < 0 && ib < 0 && net != -ENOENT ? net : 0;
}
