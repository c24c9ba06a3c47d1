/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which netdev, RDMA port and PCI function belong together: by netlink over a tree of sysfs links, and by files
 * alone, with the trees of tests/cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "fake.h"
#include "inventory/inventory.h"
#include "model/catalog.h"
#include "root.h"

static const char *const mlx5_drivers[] = { "mlx5_core", NULL }, *const soft_drivers[] = { "rdma_rxe", "siw", NULL },
			 *const no_drivers[] = { NULL };
static const struct vendor vendors[] = {
	{ .name = "mlx5", .drivers = mlx5_drivers },
	{ .name = "soft", .drivers = soft_drivers, .software = true },
	{ .name = "other", .drivers = no_drivers },
};
static const struct vendor *const vendor_list[] = { &vendors[0], &vendors[1], &vendors[2] };
static const struct catalog catalog = { .vendor = vendor_list, .nvendors = 3 };

/* --- a machine ------------------------------------------------------------------------------ */

struct netdev {
	int index;
	const char *name, *kind, *phys_port_name, *device;	/* device: below sys/devices, or NULL: no sysfs */
	uint32_t master, lower;
	uint16_t type;						/* 0: Ethernet */
	const char *parent;
};

struct ibdev {
	uint32_t index;
	const char *name, *protocol, *device;
	uint32_t netdev[2], ports;
};

struct machine {
	const struct netdev *netdev;
	const struct ibdev *ibdev;
	int rdma_err;
};

static const struct machine *machine;

static void put_netdev(struct text *t, const struct netdev *n)
{
	struct ifinfomsg i = { .ifi_index = n->index, .ifi_type = n->type ? n->type : 1,
			       .ifi_flags = IFF_UP | (!strcmp(n->name, "lo") ? IFF_LOOPBACK : 0) };
	size_t at = msg_begin(t, RTM_NEWLINK, NLM_F_MULTI), nest;

	msg_extra(t, &i, sizeof(i));
	msg_str(t, IFLA_IFNAME, n->name);
	msg_u32(t, IFLA_MTU, 9000);
	msg_u8(t, IFLA_CARRIER, 1);
	if (n->phys_port_name)
		msg_str(t, IFLA_PHYS_PORT_NAME, n->phys_port_name);
	if (n->master)
		msg_u32(t, IFLA_MASTER, n->master);
	if (n->lower)
		msg_u32(t, IFLA_LINK, n->lower);
	if (n->parent) {
		msg_str(t, IFLA_PARENT_DEV_NAME, n->parent);
		msg_str(t, IFLA_PARENT_DEV_BUS_NAME, "pci");
	}
	if (n->kind) {
		nest = msg_nest(t, IFLA_LINKINFO);
		msg_str(t, IFLA_INFO_KIND, n->kind);
		msg_nest_end(t, nest);
	}
	msg_end(t, at);
}

static void put_ibdev(struct text *t, uint16_t type, const struct ibdev *d)
{
	size_t at = msg_begin(t, type, NLM_F_MULTI);

	msg_u32(t, RDMA_NLDEV_ATTR_DEV_INDEX, d->index);
	msg_str(t, RDMA_NLDEV_ATTR_DEV_NAME, d->name);
	msg_u32(t, RDMA_NLDEV_ATTR_PORT_INDEX, d->ports);
	msg_str(t, RDMA_NLDEV_ATTR_DEV_PROTOCOL, d->protocol);
	msg_end(t, at);
}

static void put_ports(struct text *t, const struct nlmsghdr *request, const struct ibdev *d)
{
	for (uint32_t port = 1; port <= d->ports; port++) {
		size_t at = msg_begin(t, request->nlmsg_type, d->ports > 1 ? NLM_F_MULTI : 0);

		msg_u32(t, RDMA_NLDEV_ATTR_PORT_INDEX, port);
		msg_u8(t, RDMA_NLDEV_ATTR_PORT_STATE, 4);
		if (d->netdev[port - 1])
			msg_u32(t, RDMA_NLDEV_ATTR_NDEV_INDEX, d->netdev[port - 1]);
		msg_end(t, at);
	}
	if (d->ports > 1)
		msg_done(t, 0);
}

static int talk_rdma(const struct nlmsghdr *request, struct text *reply)
{
	uint32_t index;

	if (machine->rdma_err)
		return machine->rdma_err;
	if (request->nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)) {
		for (const struct ibdev *d = machine->ibdev; d && d->name; d++)
			put_ibdev(reply, request->nlmsg_type, d);
		msg_done(reply, 0);
		return 0;
	}
	memcpy(&index, (const char *)request + NLMSG_HDRLEN + NLA_HDRLEN, sizeof(index));
	for (const struct ibdev *d = machine->ibdev; d->name; d++)
		if (d->index == index)
			put_ports(reply, request, d);
	return 0;
}

static int talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	(void)k;
	(void)n;
	if (protocol == NETLINK_RDMA)
		return talk_rdma(request, reply);
	if (protocol == NETLINK_GENERIC) {
		msg_error(reply, -ENOENT);
		return 0;
	}
	for (const struct netdev *d = machine->netdev; d->name; d++)
		put_netdev(reply, d);
	msg_done(reply, 0);
	return 0;
}

static void put_link(struct root *r, const char *class, const char *name, const char *device)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/class/%s/%s", class, name);
	snprintf(target, sizeof(target), "@../../devices/%s/%s/%s", device, class, name);
	root_put(r, path, target);
}

static struct root *machine_open(const struct machine *m)
{
	struct root *r = root_open(NULL);

	machine = m;
	r->ops.talk = talk;
	r->k->files_only = false;
	root_put(r, "proc/sys/kernel/hostname", "gpu0001.example\\n");
	for (const struct netdev *d = m->netdev; d->name; d++)
		if (d->device)
			put_link(r, "net", d->name, d->device);
	for (const struct ibdev *d = m->ibdev; d && d->name; d++)
		if (d->device)
			put_link(r, "infiniband", d->name, d->device);
	return r;
}

static struct facts *take(struct root *r)
{
	struct facts *f = NULL;

	assert_int_equal(inventory_take(r->k, r->a, &catalog, NULL, &f, &r->d), 0);
	assert_int_equal(r->d.n, 0);
	return f;
}

/* Ports in order, a line each: what belongs together */
static const char *shown(struct root *r, const struct facts *f)
{
	static const char *const functions[] = { "-", "pf", "vf", "sf" }, *const layers[] = { "-", "eth", "ib" };
	struct text t = { 0 };
	const char *s;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = &f->port[i];

		text_printf(&t, "%s if=%s ib=%s/%u bdf=%s drv=%s %s %s", p->name, p->ifname, p->ibdev, p->ibport,
			p->bdf,
			    p->driver, functions[p->function], layers[p->link_layer]);
		if (*p->master)
			text_printf(&t, " in %s", p->master);
		text_char(&t, '\n');
	}
	for (size_t i = 0; i < f->nuppers; i++)
		text_printf(&t, "upper %s %s on %u\n", f->upper[i].ifname, f->upper[i].kind, f->upper[i].lower_ifindex);
	s = arena_strdup(r->a, text_str(&t));
	text_done(&t);
	return s;
}

#define CARD0 "pci0000:26/0000:26:02.0/0000:27:00.0"
#define CARD1 "pci0000:26/0000:26:02.0/0000:27:00.1"
#define CARD2 "pci10000:00/10000:03:00.0"
#define VF0   "pci0000:26/0000:26:02.0/0000:27:00.2"

static void card(struct root *r, const char *device, const char *uevent, const char *numa)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/%s/uevent", device);
	root_put(r, path, uevent);
	snprintf(path, sizeof(path), "sys/devices/%s/numa_node", device);
	root_put(r, path, numa);
}

#define MLX5_UEVENT "DRIVER=mlx5_core\\nPCI_CLASS=20000\\nPCI_ID=15B3:1021\\nPCI_SLOT_NAME=0000:27:00.0\\n"

/* --- by netlink ------------------------------------------------------------------------------ */

static void cards_and_what_is_none(void **state)
{
	static const struct netdev netdevs[] = {
		{ 1, "lo", .device = "virtual" },
		{ 2, "mgmt", .device = "pci0000:00/0000:00:03.0/virtio0" },
		{ 3, "ens2", .device = CARD2, .phys_port_name = "p0" },
		{ 4, "ens1", .device = CARD0 },
		{ 5, "ens1v0", .device = VF0 },
		{ 6, "ens1sf", .device = CARD0 "/mlx5_core.sf.2" },
		{ 7, "rep0", .device = CARD0, .phys_port_name = "pf0vf3" },
		{ 8, "rep1", .device = CARD0, .phys_port_name = "c1pf0" },
		{ 9, "usb0", .device = "pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0" },
		{ 10, "veth0", .kind = "veth", .device = "virtual" },
		{ 11, "odd0", .device = "virtual" },
		{ 12, "unseen", .parent = "0000:41:00.0" },
		{ 0 },
	};
	static const struct ibdev ibdevs[] = {
		{ 0, "rocep", "roce", CARD0, { 4 }, 1 },
		{ 1, "rocev", "roce", VF0, { 5 }, 1 },
		{ 2, "other", "iw", CARD2, { 3 }, 1 },
		{ 0 },
	};
	static const struct machine m = { netdevs, ibdevs, 0 };
	struct root *r = machine_open(&m);
	const struct facts *f;

	(void)state;
	card(r, CARD0, MLX5_UEVENT, "1\\n");
	card(r, VF0, MLX5_UEVENT, "-1\\n");
	root_put(r, "sys/devices/" VF0 "/physfn", "@../0000:27:00.0");
	root_put(r, "sys/devices/" CARD2 "/driver", "@../../bus/pci/drivers/ice");
	root_put(r, "sys/devices/" CARD2 "/vendor", "0x8086\\n");
	root_put(r, "sys/devices/" CARD2 "/device", "0x1592\\n");
	f = take(r);
	assert_string_equal(shown(r, f),
			    "mgmt if=mgmt ib=/0 bdf=0000:00:03.0 drv= pf eth\n"
			    "ens1 if=ens1 ib=rocep/1 bdf=0000:27:00.0 drv=mlx5_core pf eth\n"
			    "ens1v0 if=ens1v0 ib=rocev/1 bdf=0000:27:00.2 drv=mlx5_core vf eth\n"
			    "unseen if=unseen ib=/0 bdf=0000:41:00.0 drv= - eth\n"
			    "ens2 if=ens2 ib=other/1 bdf=10000:03:00.0 drv=ice pf eth\n"
			    "ens1sf if=ens1sf ib=/0 bdf=mlx5_core.sf.2 drv=mlx5_core sf eth\n"
			    "usb0 if=usb0 ib=/0 bdf= drv= - eth\n");
	assert_string_equal(f->hostname, "gpu0001.example");
	assert_true(f->rdma);
	assert_null(f->rdma_why);
	assert_string_equal(f->port[1].pci_path, "sys/devices/" CARD0);
	assert_int_equal(f->port[1].pci_vendor, 0x15b3);
	assert_int_equal(f->port[1].pci_device, 0x1021);
	assert_int_equal(f->port[1].numa_node, 1);
	assert_int_equal(f->port[1].mtu, 9000);
	assert_true(f->port[1].link_known && f->port[1].up && f->port[1].carrier);
	assert_int_equal(f->port[1].ib_state, 4);
	assert_string_equal(f->port[1].vendor->name, "mlx5");
	assert_int_equal(f->port[2].numa_node, -1);
	assert_string_equal(f->port[2].physfn, "0000:27:00.0");
	assert_int_equal(f->port[4].pci_vendor, 0x8086);
	assert_string_equal(f->port[4].vendor->name, "other");
	assert_string_equal(f->port[5].pci_path, "sys/devices/" CARD0);
	root_close(r);
}

/* RoCE LAG: one RDMA device for the bond, which names the bond or any member; it sits on the first function. */
static void a_bond(void **state)
{
	static const struct netdev netdevs[] = {
		{ 2, "ens0", .device = CARD0, .master = 4 },
		{ 3, "ens1", .device = CARD1, .master = 4 },
		{ 4, "bond0", .kind = "bond", .device = "virtual" },
		{ 5, "bond0.100", .kind = "vlan", .lower = 4, .device = "virtual" },
		{ 6, "vlan7", .kind = "vlan", .lower = 2, .device = "virtual" },
		{ 7, "bond9", .kind = "bond", .device = "virtual" },
		{ 8, "br0", .kind = "bridge", .device = "virtual" },
		{ 9, "veth0", .kind = "veth", .master = 8, .lower = 2, .device = "virtual" },
		{ 0 },
	};
	static const uint32_t named[] = { 4, 2, 3 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ibdev ibdevs[2] = { { 0, "mlx5_bond_0", "roce", CARD0, { named[i] }, 1 } };
		struct machine m = { netdevs, ibdevs, 0 };
		struct root *r = machine_open(&m);

		assert_string_equal(shown(r, take(r)),
				    "ens0 if=ens0 ib=mlx5_bond_0/1 bdf=0000:27:00.0 drv= pf eth in bond0\n"
				    "ens1 if=ens1 ib=/0 bdf=0000:27:00.1 drv= pf eth in bond0\n"
				    "upper bond0 bond on 0\n"
				    "upper bond0.100 vlan on 4\n"
				    "upper vlan7 vlan on 2\n");
		root_close(r);
	}
}

/* InfiniBand names no netdev: IPoIB's sits on the same function, its dev_port tells the port; P_Key children do not count. */
static void infiniband(void **state)
{
	static const struct netdev netdevs[] = {
		{ 2, "ib1", .kind = "ipoib", .type = 32, .device = CARD0 },
		{ 3, "ib0", .kind = "ipoib", .type = 32, .device = CARD0 },
		{ 4, "ib0.8001", .kind = "ipoib", .type = 32, .lower = 3, .device = CARD0 },
		{ 0 },
	};
	static const struct ibdev ibdevs[] = {
		{ 5, "ibp39s0", "ib", CARD0, { 0, 0 }, 2 },
		{ 6, "ibp40s0", "ib", CARD1, { 0 }, 1 },
		{ 0 },
	};
	static const struct machine m = { netdevs, ibdevs, 0 };
	struct root *r = machine_open(&m);
	const struct facts *f;

	(void)state;
	root_put(r, "sys/devices/" CARD0 "/net/ib0/dev_port", "0\\n");
	root_put(r, "sys/devices/" CARD0 "/net/ib1/dev_port", "1\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/ibp39s0/node_desc", "gpu0001 \\033 HCA-1\\n");
	f = take(r);
	assert_string_equal(shown(r, f),
			    "ib0 if=ib0 ib=ibp39s0/1 bdf=0000:27:00.0 drv= pf ib\n"
			    "ib1 if=ib1 ib=ibp39s0/2 bdf=0000:27:00.0 drv= pf ib\n"
			    "ibp40s0/1 if= ib=ibp40s0/1 bdf=0000:27:00.1 drv= pf ib\n"
			    "upper ib0.8001 ipoib on 3\n");
	assert_string_equal(f->port[0].node_desc, "gpu0001 \\033 HCA-1");
	assert_false(f->port[2].link_known);
	root_close(r);
}

/* Software devices: on a netdev of their own kind, on a card without RDMA, and beside a card's own device. */
static void software(void **state)
{
	static const struct netdev netdevs[] = {
		{ 2, "ens0", .device = CARD0 },
		{ 3, "eth0", .device = "pci0000:00/0000:00:03.0" },
		{ 4, "veth0", .kind = "veth", .device = "virtual" },
		{ 5, "veth1", .kind = "veth", .device = "virtual" },
		{ 6, "lo", .device = "virtual" },
		{ 0 },
	};
	static const struct ibdev ibdevs[] = {
		{ 0, "rxe0", "roce", "virtual", { 2 }, 1 },
		{ 1, "rxe1", "roce", "virtual", { 3 }, 1 },
		{ 2, "rxe2", "roce", "virtual", { 4 }, 1 },
		{ 3, "siw0", "iw", "virtual", { 6 }, 1 },
		{ 4, "rxe9", "roce", "virtual", { 99 }, 1 },
		{ 5, "mlx5_0", "roce", CARD0, { 2 }, 1 },
		{ 0 },
	};
	static const struct machine m = { netdevs, ibdevs, 0 };
	struct root *r = machine_open(&m);

	(void)state;
	card(r, CARD0, MLX5_UEVENT, "0\\n");
	card(r, "pci0000:00/0000:00:03.0", "DRIVER=e1000e\\nPCI_ID=8086:10D3\\n", "-1\\n");
	assert_string_equal(shown(r, take(r)),
			    "eth0 if=eth0 ib=rxe1/1 bdf=0000:00:03.0 drv=rdma_rxe pf eth\n"
			    "ens0 if=ens0 ib=mlx5_0/1 bdf=0000:27:00.0 drv=mlx5_core pf eth\n"
			    "lo if=lo ib=siw0/1 bdf= drv=siw - eth\n"
			    "rxe0/1 if= ib=rxe0/1 bdf= drv=rdma_rxe - eth\n"
			    "rxe9/1 if= ib=rxe9/1 bdf= drv=rdma_rxe - eth\n"
			    "veth0 if=veth0 ib=rxe2/1 bdf= drv=rdma_rxe - eth\n");
	root_close(r);
}

/* RoCE off: the netdev has no RDMA device, and the card still knows what it is. */
static void no_rdma(void **state)
{
	static const struct netdev netdevs[] = { { 2, "ens0", .device = CARD0 }, { 0 } };
	static const struct { int err; const char *why; } cases[] = {
		{ -EPROTONOSUPPORT, "ib_core is not loaded" },
		{ -ENODATA, "RDMA devices are not recorded here" },
		{ -EPERM, "RDMA netlink: Operation not permitted" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m = { netdevs, NULL, cases[i].err };
		struct root *r = machine_open(&m);
		const struct facts *f = take(r);

		assert_string_equal(shown(r, f), "ens0 if=ens0 ib=/0 bdf=0000:27:00.0 drv= pf eth\n");
		assert_false(f->rdma);
		assert_string_equal(f->rdma_why, cases[i].why);
		assert_int_equal(f->rdma_err, cases[i].err);
		root_close(r);
	}
}

/* Two RDMA devices that name one netdev (or a netdev that another has): nothing is lost, nothing is said twice. */
static void claims_that_collide(void **state)
{
	static const struct netdev netdevs[] = { { 2, "ens0", .device = CARD0 }, { 0 } };
	static const struct ibdev ibdevs[] = {
		{ 0, "mlx5_0", "roce", CARD0, { 2 }, 1 },
		{ 1, "mlx5_1", "roce", CARD1, { 2 }, 1 },
		{ 2, "a/../b", "roce", NULL, { 0 }, 1 },
		{ 0 },
	};
	static const struct machine m = { netdevs, ibdevs, 0 };
	struct root *r = machine_open(&m);

	(void)state;
	assert_string_equal(shown(r, take(r)),
			    "ens0 if=ens0 ib=mlx5_0/1 bdf=0000:27:00.0 drv= pf eth\n"
			    "mlx5_1/1 if= ib=mlx5_1/1 bdf=0000:27:00.1 drv= pf eth\n"
			    "a/../b/1 if= ib=a/../b/1 bdf= drv= - eth\n");
	root_close(r);
}

/* --- by files alone --------------------------------------------------------------------------- */

/* tests/cases/pci-domain-and-same-serial: two cards, one serial number, told apart by the whole address */
static void domains(void **state)
{
	struct root *r = root_open("tests/cases/pci-domain-and-same-serial/tree.tsv");
	const struct facts *f = take(r);

	(void)state;
	assert_string_equal(shown(r, f),
			    "ens1np0 if=ens1np0 ib=/0 bdf=0000:03:00.0 drv= pf eth\n"
			    "ens1np0d1 if=ens1np0d1 ib=/0 bdf=0001:03:00.0 drv= pf eth\n");
	assert_int_equal(f->port[1].mtu, 1500);
	assert_false(f->port[1].link_known);
	root_close(r);
}

static void a_virtual_function_by_files(void **state)
{
	struct root *r = root_open("tests/cases/pcie-unknown-values/tree.tsv");
	const struct facts *f = take(r);

	(void)state;
	assert_string_equal(shown(r, f), "ens1f0v0 if=ens1f0v0 ib=/0 bdf=0000:3b:00.2 drv= vf eth\n");
	assert_string_equal(f->port[0].physfn, "0000:3b:00.0");
	root_close(r);
}

static void an_rdma_device_by_files(void **state)
{
	struct root *r = root_open("tests/cases/gid-index-differs-between-nodes/node-a.tsv");
	const struct facts *f = take(r);

	(void)state;
	assert_string_equal(shown(r, f), "ens1f0np0 if=ens1f0np0 ib=mlx5_0/1 bdf= drv= - eth\n");
	assert_true(f->rdma);
	root_close(r);
}

static void a_tree_of_everything(void **state)
{
	struct root *r = root_open(NULL);
	const struct facts *f;

	(void)state;
	root_put(r, "etc/hostname", "gpu0007\\n");
	root_put(r, "proc/sys/kernel/hostname", "another\\n");
	root_put(r, "proc/sys/kernel/osrelease", "6.12.9\\n");
	put_link(r, "net", "ens0", CARD0);
	put_link(r, "net", "ens1", CARD1);
	put_link(r, "net", "rep0", CARD1);
	put_link(r, "net", "bond0", "virtual");
	put_link(r, "net", "bond0.5", "virtual");
	put_link(r, "net", "lo", "virtual");
	put_link(r, "infiniband", "mlx5_0", CARD0);
	put_link(r, "infiniband", "rxe0", "virtual");
	root_put(r, "sys/devices/" CARD0 "/net/ens0/mtu", "9000\\n");
	root_put(r, "sys/devices/" CARD0 "/net/ens0/flags", "0x1003\\n");
	root_put(r, "sys/devices/" CARD0 "/net/ens0/carrier", "1\\n");
	root_put(r, "sys/devices/" CARD0 "/net/ens0/ifindex", "4\\n");
	root_put(r, "sys/devices/" CARD1 "/net/ens1/ifindex", "5\\n");
	root_put(r, "sys/devices/" CARD1 "/net/rep0/phys_port_name", "pf1vf0\\n");
	root_put(r, "sys/devices/" CARD1 "/net/ens1/master", "@../../../../../virtual/net/bond0");
	root_put(r, "sys/devices/virtual/net/bond0/bonding/mode", "802.3ad 4\\n");
	root_put(r, "sys/devices/virtual/net/bond0/ifindex", "9\\n");
	root_put(r, "sys/devices/virtual/net/bond0/lower_ens1", "@x");
	root_put(r, "sys/devices/virtual/net/bond0.5/uevent", "DEVTYPE=vlan\\nINTERFACE=bond0.5\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/ports/1/link_layer", "Ethernet\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "ens0\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/node_type", "1: CA\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/fw_ver", "28.39.1002\\n");
	root_put(r, "sys/devices/" CARD0 "/infiniband/mlx5_0/board_id", "MT_0000000838\\n");
	root_put(r, "sys/devices/virtual/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "ens1\\n");
	root_put(r, "sys/devices/virtual/infiniband/rxe0/parent", "ens1\\n");
	f = take(r);
	assert_string_equal(shown(r, f),
			    "ens0 if=ens0 ib=mlx5_0/1 bdf=0000:27:00.0 drv= pf eth\n"
			    "ens1 if=ens1 ib=rxe0/1 bdf=0000:27:00.1 drv=rdma_rxe pf eth in bond0\n"
			    "upper bond0 bond on 0\n");
	assert_string_equal(f->hostname, "gpu0007");
	assert_string_equal(f->kernel, "6.12.9");
	assert_true(f->port[0].up && f->port[0].carrier && f->port[0].link_known);
	assert_int_equal(f->port[0].ib_state, 4);
	assert_string_equal(f->port[0].fw_version, "28.39.1002");
	assert_string_equal(f->port[0].board, "MT_0000000838");
	assert_string_equal(f->port[0].protocol, "roce");
	assert_int_equal(f->port[1].master_ifindex, 9);
	root_close(r);
}

static void an_empty_tree(void **state)
{
	struct root *r = root_open(NULL);
	const struct facts *f = take(r);

	(void)state;
	assert_int_equal(f->nports, 0);
	assert_false(f->rdma);
	assert_string_equal(f->hostname, "");
	assert_string_equal(f->kernel, "");
	root_close(r);
}

static int door_shut(struct kernel *k, const char *path, struct names *out)
{
	(void)k;
	(void)path;
	(void)out;
	return -EACCES;
}

static void nothing_to_be_learned(void **state)
{
	struct root *r = root_open(NULL);
	struct facts *f = NULL;

	(void)state;
	r->ops.list = door_shut;
	assert_int_equal(inventory_take(r->k, r->a, &catalog, NULL, &f, &r->d), -EACCES);
	assert_null(f);
	assert_int_equal(r->d.errors, 1);
	root_close(r);
}

static void a_time_that_was_recorded(void **state)
{
	struct root *r = root_open(NULL);
	struct facts *f;

	(void)state;
	r->k->observed_s = 1795957200;
	assert_int_equal(inventory_take(r->k, r->a, &catalog, "gpu0009", &f, &r->d), 0);
	assert_string_equal(f->observed_at, "2026-11-29T13:00:00Z");
	assert_int_equal(f->observed_s, 1795957200);
	assert_string_equal(f->hostname, "gpu0009");
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cards_and_what_is_none),
		cmocka_unit_test(a_bond),
		cmocka_unit_test(infiniband),
		cmocka_unit_test(software),
		cmocka_unit_test(no_rdma),
		cmocka_unit_test(claims_that_collide),
		cmocka_unit_test(domains),
		cmocka_unit_test(a_virtual_function_by_files),
		cmocka_unit_test(an_rdma_device_by_files),
		cmocka_unit_test(a_tree_of_everything),
		cmocka_unit_test(an_empty_tree),
		cmocka_unit_test(nothing_to_be_learned),
		cmocka_unit_test(a_time_that_was_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
