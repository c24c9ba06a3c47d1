/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA nldev: attributes begin right behind the header. Devices come in one dump; ports have no dump over devices,
 * so each device is asked once: by a plain request if it has one port, by a dump if it has several.
 */
#include "kernel/rdmanl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/netlink.h"

#define ATTRS	  (RDMA_NLDEV_ATTR_DEV_PROTOCOL + 1)
#define PORTS_MAX 65536u

#define HOLDERS_MAX (4u << 20)

struct device {
	const char *name, *protocol, *fw_version;
	uint32_t index, ports;
	uint64_t node_guid;
};

struct devices {
	struct device *at;
	size_t n, room;
	struct arena *arena;
};

struct ports {
	struct rdma_port *at;
	size_t n, room;
	int err;
	const struct device *of;
	struct arena *arena;
};

static int on_device(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[ATTRS];
	struct devices *l = arg;

	if (netlink_payload(n, 0, tb, ATTRS) < 0 || !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME] ||
	    l->n == PORTS_MAX)
		return -EBADMSG;
	list_add(l, l->arena) = (struct device){
		.name = netlink_string(l->arena, tb[RDMA_NLDEV_ATTR_DEV_NAME]),
		.protocol = netlink_string(l->arena, tb[RDMA_NLDEV_ATTR_DEV_PROTOCOL]),
		.fw_version = netlink_string(l->arena, tb[RDMA_NLDEV_ATTR_FW_VERSION]),
		.index = netlink_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX], 0),
		.ports = netlink_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX], 1),
		.node_guid = netlink_u64(tb[RDMA_NLDEV_ATTR_NODE_GUID], 0),
	};
	return 0;
}

static int on_port(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[ATTRS];
	struct ports *l = arg;

	if (netlink_payload(n, 0, tb, ATTRS) < 0 || !tb[RDMA_NLDEV_ATTR_PORT_INDEX] || l->n == PORTS_MAX)
		return -EBADMSG;
	list_add(l, l->arena) = (struct rdma_port){
		.ibdev = l->of->name,
		.protocol = l->of->protocol,
		.fw_version = l->of->fw_version,
		.netdev = netlink_string(l->arena, tb[RDMA_NLDEV_ATTR_NDEV_NAME]),
		.ibindex = l->of->index,
		.port = netlink_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX], 0),
		.netdev_index = netlink_u32(tb[RDMA_NLDEV_ATTR_NDEV_INDEX], 0),
		.state = netlink_u8(tb[RDMA_NLDEV_ATTR_PORT_STATE], 0),
		.phys_state = netlink_u8(tb[RDMA_NLDEV_ATTR_PORT_PHYS_STATE], 0),
		.node_guid = l->of->node_guid,
		.lid = netlink_u32(tb[RDMA_NLDEV_ATTR_LID], 0),
		.sm_lid = netlink_u32(tb[RDMA_NLDEV_ATTR_SM_LID], 0),
	};
	return 0;
}

static struct nlmsghdr *begin(struct netlink_request *r, unsigned cmd, uint16_t flags)
{
	return netlink_begin(r, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags);
}

static int ports_of(struct kernel *k, const struct device *dev, struct ports *l)
{
	struct netlink_request r;
	struct nlmsghdr *h = begin(&r, RDMA_NLDEV_CMD_PORT_GET, dev->ports == 1 ? 0 : NLM_F_DUMP);

	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index);
	if (dev->ports == 1)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	l->of = dev;
	return netlink_get(k, NETLINK_RDMA, h, on_port, l);
}

static int all(struct kernel *k, struct ports *l)
{
	struct netlink_request r;
	struct devices devices = { .arena = k->arena };
	int err = netlink_get(k, NETLINK_RDMA, begin(&r, RDMA_NLDEV_CMD_GET, NLM_F_DUMP), on_device, &devices);

	for (size_t i = 0; err == 0 && i < devices.n; i++) {
		err = ports_of(k, &devices.at[i], l);
		if (err == -ENODEV || err == -EINVAL)
			err = 0; /* it went away meanwhile: nldev's word for a device it does not know is EINVAL */
	}
	return err;
}

int rdmanl_ports(struct kernel *k, const struct rdma_port **port, size_t *n)
{
	void **slot = kernel_memo(k, "rdma:ports");
	struct ports *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct ports);
		l->arena = k->arena;
		l->err = all(k, l);
	}
	if (l->err < 0)
		return l->err;
	*port = l->at;
	*n = l->n;
	return 0;
}

/* --- who holds what ---------------------------------------------------------- */

static const struct {
	uint16_t cmd, table, entry;
} resources[RDMA_RESOURCES] = {
	[RDMA_CONTEXT] = { RDMA_NLDEV_CMD_RES_CTX_GET, RDMA_NLDEV_ATTR_RES_CTX, RDMA_NLDEV_ATTR_RES_CTX_ENTRY },
	[RDMA_QP] = { RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY },
	[RDMA_CM_ID] = { RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY },
};

struct holders {
	struct rdma_holder *at;
	size_t n, room;
	enum rdma_resource what;
	struct arena *arena;
};

static int add_holder(struct holders *l, const struct nlattr *entry)
{
	enum { MAX = RDMA_NLDEV_ATTR_RES_KERN_NAME + 1 };
	const struct nlattr *tb[MAX];

	if (netlink_nest(entry, tb, MAX) < 0 || l->n == HOLDERS_MAX)
		return -EBADMSG;
	list_add(l, l->arena) = (struct rdma_holder){
		.kernel = tb[RDMA_NLDEV_ATTR_RES_KERN_NAME] ? netlink_string(l->arena, tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]) : NULL,
		.pid = netlink_u32(tb[RDMA_NLDEV_ATTR_RES_PID], 0),
		.port = netlink_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX], 0),
		.state = netlink_u8(tb[RDMA_NLDEV_ATTR_RES_STATE], UINT8_MAX),
		.type = netlink_u8(tb[RDMA_NLDEV_ATTR_RES_TYPE], UINT8_MAX),
	};
	return 0;
}

static int on_holders(const struct nlmsghdr *n, void *arg)
{
	enum { MAX = RDMA_NLDEV_ATTR_RES_CTX + 1 };
	const struct nlattr *tb[MAX], *table, *entry;
	struct holders *l = arg;
	int r = 0;

	if (netlink_payload(n, 0, tb, MAX) < 0)
		return -EBADMSG;
	table = tb[resources[l->what].table];
	if (!table || netlink_nest(table, NULL, 0) < 0)
		return -EBADMSG;
	mnl_attr_for_each_nested(entry, table) {
		if (mnl_attr_get_type(entry) == resources[l->what].entry)
			r = add_holder(l, entry);
		if (r < 0)
			break;
	}
	return r;
}

int rdmanl_holders(struct kernel *k, uint32_t ibindex, enum rdma_resource what, const struct rdma_holder **holder, size_t *n)
{
	struct holders l = { .what = what, .arena = k->arena };
	struct netlink_request r;
	struct nlmsghdr *h = begin(&r, resources[what].cmd, NLM_F_DUMP);
	int err;

	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, ibindex);
	err = netlink_get(k, NETLINK_RDMA, h, on_holders, &l);
	if (err < 0)
		return err;
	*holder = l.at;
	*n = l.n;
	return 0;
}
