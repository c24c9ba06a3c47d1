/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports of a running machine: one dump of links, one of RDMA devices with a request for each. A netdev is a port if
 * it sits on a device, or if an RDMA device sits on it. Names are never parsed for meaning.
 */
#include <errno.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "inventory/ports.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/rdmanl.h"
#include "kernel/rtnl.h"

struct join {
	struct ports *l;
	const struct rtnl_link *link;
	size_t nlinks;
};

static const struct rtnl_link *by_index(const struct join *j, uint32_t ifindex)
{
	for (size_t i = 0; ifindex && i < j->nlinks; i++)
		if (j->link[i].ifindex == ifindex)
			return &j->link[i];
	return NULL;
}

static bool is_bond(const struct rtnl_link *link)
{
	return link && (!strcmp(link->kind, "bond") || !strcmp(link->kind, "team"));
}

static struct port *add_port(struct join *j, const struct rtnl_link *link)
{
	struct port *p = ports_add(j->l);
	const struct rtnl_link *master;

	if (!link)
		return p;
	p->name = p->ifname = link->ifname;
	p->ifindex = link->ifindex;
	p->mtu = link->mtu;
	p->min_mtu = link->min_mtu;
	p->max_mtu = link->max_mtu;
	p->up = link->up;
	p->carrier = link->carrier;
	p->link_known = true;
	if (link->type == ARPHRD_INFINIBAND)
		p->link_layer = LINK_LAYER_INFINIBAND;
	else if (link->type == ARPHRD_ETHER)
		p->link_layer = LINK_LAYER_ETHERNET;
	master = by_index(j, link->master);
	if (is_bond(master)) {
		p->master = master->ifname;
		p->master_ifindex = master->ifindex;
	}
	return p;
}

/* May this link be a device's own? Software links have a kind; of IPoIB the one that is not another's child. */
static bool may_be_hardware(const struct rtnl_link *link)
{
	if (link->loopback || device_is_representor(link->phys_port_name))
		return false;
	return !*link->kind || (!strcmp(link->kind, "ipoib") && !link->lower);
}

static void add_hardware(struct join *j, const struct rtnl_link *link)
{
	struct port *p;
	const char *path;
	int err;

	if (!may_be_hardware(link) || !files_component(link->ifname))
		return;
	path = device_path(j->l, "sys/class/net", link->ifname, &err);
	if (path ? device_is_virtual(path) : !*link->parent)
		return;
	p = add_port(j, link);
	if (path)
		device_take(j->l, p, path);
	else if (!strcmp(link->parent_bus, "pci"))
		p->bdf = link->parent; /* no sysfs here */
}

static struct port *of_ifindex(struct join *j, uint32_t ifindex)
{
	for (size_t i = 0; ifindex && i < j->l->n; i++)
		if (j->l->at[i].ifindex == ifindex)
			return &j->l->at[i];
	return NULL;
}

/* Port number of an IPoIB netdev; read only where its function has several. */
static bool is_ipoib_of(struct join *j, const struct port *p, const struct rdma_port *rp, bool several)
{
	uint64_t dev_port;

	if (p->link_layer != LINK_LAYER_INFINIBAND || *p->ibdev)
		return false;
	if (!several)
		return true;
	return files_u64(j->l->k, &dev_port, "sys/class/net/%s/dev_port", p->ifname) == 0 && dev_port + 1 == rp->port;
}

static struct port *of_function(struct join *j, const struct rdma_port *rp, const char *path, bool ipoib, bool several)
{
	const char *pci = device_pci_path(j->l->arena, path);

	for (size_t i = 0; *pci && i < j->l->n; i++) {
		struct port *p = &j->l->at[i];

		if (strcmp(p->pci_path, pci) || p->function == FUNCTION_SF)
			continue;
		if (ipoib ? is_ipoib_of(j, p, rp, several) : !*p->ibdev)
			return p;
	}
	return NULL;
}

/*
 * Whose port is this? RoCE names its netdev. A LAG device may name the bond or any member: it belongs to the member
 * on whose function it sits. InfiniBand names none: IPoIB's netdev sits on the same function.
 */
static struct port *owner_of_hardware(struct join *j, const struct rdma_port *rp, const char *path, bool several)
{
	const struct rtnl_link *link = by_index(j, rp->netdev_index);
	struct port *p = of_ifindex(j, rp->netdev_index), *q;

	if (!link)
		return path && !rp->netdev_index ? of_function(j, rp, path, true, several) : NULL;
	if (p && !is_bond(by_index(j, link->master)))
		return *p->ibdev ? NULL : p;
	q = path ? of_function(j, rp, path, false, several) : NULL;
	return q ? q : p && !*p->ibdev ? p : NULL;
}

/* A software device belongs to its netdev, unless that has a device of its own: then it stands alone. */
static struct port *owner_of_software(struct join *j, const struct rdma_port *rp)
{
	struct port *p = of_ifindex(j, rp->netdev_index);
	const struct rtnl_link *link = by_index(j, rp->netdev_index);

	if (p)
		return *p->ibdev ? NULL : p;
	return link ? add_port(j, link) : NULL;
}

static void take_rdma(struct port *p, const struct rdma_port *rp)
{
	p->ibdev = rp->ibdev;
	p->ibport = rp->port;
	p->ibindex = rp->ibindex;
	p->ibindex_known = true;
	p->ib_state = rp->state;
	p->ib_phys_state = rp->phys_state;
	p->protocol = rp->protocol;
	p->fw_version = rp->fw_version;
	if (!strcmp(rp->protocol, "ib"))
		p->link_layer = LINK_LAYER_INFINIBAND;
	else if (!strcmp(rp->protocol, "roce") || !strcmp(rp->protocol, "iw"))
		p->link_layer = LINK_LAYER_ETHERNET;
}

static void add_rdma(struct join *j, const struct rdma_port *rp, const char *path, bool software, bool several)
{
	struct port *p = software ? owner_of_software(j, rp) : owner_of_hardware(j, rp, path, several);

	if (!p) {
		p = add_port(j, NULL);
		p->name = arena_printf(j->l->arena, "%s/%u", rp->ibdev, rp->port);
		if (path && !software)
			device_take(j->l, p, path);
	}
	take_rdma(p, rp);
	if (software)
		ports_software(j->l, p, !strcmp(rp->protocol, "iw") ? "siw" : "rdma_rxe");
}

/* Hardware first, so that software on the same netdev finds it taken. */
static int join_rdma(struct join *j)
{
	const struct rdma_port *rp;
	const char **path;
	size_t n;
	int err, r = rdmanl_ports(j->l->k, &rp, &n);

	if (r < 0)
		return r;
	path = arena_array_of(j->l->arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		if (i && rp[i].ibindex == rp[i - 1].ibindex)
			path[i] = path[i - 1];
		else if (files_component(rp[i].ibdev))
			path[i] = device_path(j->l, "sys/class/infiniband", rp[i].ibdev, &err);
	}
	for (int software = 0; software < 2; software++)
		for (size_t i = 0; i < n; i++) {
			bool several = (i && rp[i - 1].ibindex == rp[i].ibindex) ||
				       (i + 1 < n && rp[i + 1].ibindex == rp[i].ibindex);

			if ((path[i] && device_is_virtual(path[i])) == software)
				add_rdma(j, &rp[i], path[i], software, several);
		}
	return 0;
}

/* --- what lies above ports ------------------------------------------------------- */

static bool is_port_or_upper(const struct join *j, uint32_t ifindex)
{
	for (size_t i = 0; ifindex && i < j->l->n; i++)
		if (j->l->at[i].ifindex == ifindex)
			return true;
	for (size_t i = 0; ifindex && i < j->l->upper.n; i++)
		if (j->l->upper.at[i].ifindex == ifindex)
			return true;
	return false;
}

static bool is_upper(const struct join *j, const struct rtnl_link *link)
{
	static const char *const masters[] = { "bond", "team", "bridge" };
	static const char *const riders[] = { "vlan", "macvlan", "ipvlan", "ipoib" };

	for (size_t i = 0; i < sizeof(riders) / sizeof(riders[0]); i++)
		if (!strcmp(link->kind, riders[i]))
			return is_port_or_upper(j, link->lower);
	for (size_t i = 0; i < sizeof(masters) / sizeof(masters[0]); i++)
		if (!strcmp(link->kind, masters[i]))
			for (size_t k = 0; k < j->nlinks; k++)
				if (j->link[k].master == link->ifindex && is_port_or_upper(j, j->link[k].ifindex))
					return true;
	return false;
}

/* A VLAN on a bond is found in the second round; each round finds one or ends. */
static void add_uppers(struct join *j)
{
	size_t before;

	do {
		before = j->l->upper.n;
		for (size_t i = 0; i < j->nlinks; i++) {
			const struct rtnl_link *link = &j->link[i];

			if (!*link->kind || is_port_or_upper(j, link->ifindex) || !is_upper(j, link))
				continue;
			list_add(&j->l->upper, j->l->arena) = (struct bond){
				.ifname = link->ifname,
				.ifindex = link->ifindex,
				.lower_ifindex = link->lower,
				.mtu = link->mtu,
				.kind = link->kind,
			};
		}
	} while (j->l->upper.n != before);
}

int ports_from_netlink(struct ports *l)
{
	struct join j = { .l = l };
	int r = rtnl_links(l->k, &j.link, &j.nlinks);

	if (r < 0)
		return r;
	for (size_t i = 0; i < j.nlinks; i++)
		add_hardware(&j, &j.link[i]);
	r = join_rdma(&j);
	l->rdma = r == 0;
	l->rdma_err = r;
	if (r == -EPROTONOSUPPORT)
		l->rdma_why = "ib_core is not loaded";
	else if (r == -ENODATA)
		l->rdma_why = "RDMA devices are not recorded here";
	else if (r < 0)
		l->rdma_why = arena_printf(l->arena, "RDMA netlink: %s", strerror(-r));
	add_uppers(&j);
	return 0;
}
