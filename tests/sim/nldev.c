/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA netlink: devices in one dump, ports of a device, who holds what on it, the namespace mode. Messages have no
 * header of their own.
 */
#include "message.h"

#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#define ATTR_DEV_TYPE	      99 /* since 6.2 and later: not in 6.1's headers */
#define ATTR_NAME_ASSIGN_TYPE 101
#define DEV_TYPE_UNKNOWN      0

static const struct policy policy[] = {
	{ RDMA_NLDEV_ATTR_DEV_INDEX, WANT_U32, 0 },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, WANT_U32, 0 },
	{ .want = WANT_END },
};

static struct nic *by_index(struct sim *s, uint32_t index)
{
	for (unsigned i = 0; i < s->st->nnics; i++)
		if (s->st->nic[i].present && s->st->nic[i].ib.present && s->st->nic[i].ib.index == index)
			return &s->st->nic[i];
	return NULL;
}

static uint64_t guid_of(const struct sim *s, const struct nic *n)
{
	uint8_t m[6];
	uint64_t guid = 0;

	nic_mac(s, n, m);
	const uint8_t eui[8] = { m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5] };

	for (int i = 0; i < 8; i++)
		guid = guid << 8 | eui[i];
	return guid;
}

static size_t begin(struct request *r)
{
	return message_begin(r, r->h->nlmsg_type, request_dump(r) ? NLM_F_MULTI : 0, NULL, 0);
}

static void put_handle(struct request *r, const struct nic *n)
{
	put_u32(r->reply, RDMA_NLDEV_ATTR_DEV_INDEX, n->ib.index);
	put_str(r->reply, RDMA_NLDEV_ATTR_DEV_NAME, n->ib.name);
}

static void put_device(struct request *r, const struct nic *n)
{
	size_t at = begin(r);

	put_handle(r, n);
	put_u32(r->reply, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_u64(r->reply, RDMA_NLDEV_ATTR_CAP_FLAGS, 0);
	if (n->hw.fw[0])
		put_str(r->reply, RDMA_NLDEV_ATTR_FW_VERSION, n->hw.fw);
	put_u64(r->reply, RDMA_NLDEV_ATTR_NODE_GUID, guid_of(r->sim, n));
	put_u64(r->reply, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, guid_of(r->sim, n));
	put_u8(r->reply, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, 1);
	put_u8(r->reply, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	if (!r->sim->st->old)
		put_u8(r->reply, ATTR_NAME_ASSIGN_TYPE, 1);
	put_str(r->reply, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
	message_end(r, at);
}

static void put_port(struct request *r, const struct nic *n)
{
	const bool on = nic_carrier(n);
	size_t at = begin(r);

	put_handle(r, n);
	put_u32(r->reply, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_u8(r->reply, RDMA_NLDEV_ATTR_PORT_STATE, on ? 4 : 1);
	put_u8(r->reply, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, on ? 5 : 3);
	put_u32(r->reply, RDMA_NLDEV_ATTR_NDEV_INDEX, n->net.ifindex);
	put_str(r->reply, RDMA_NLDEV_ATTR_NDEV_NAME, n->name);
	message_end(r, at);
}

static int find(struct request *r, const struct attr tb[ATTRS_MAX], struct nic **n)
{
	*n = tb[RDMA_NLDEV_ATTR_DEV_INDEX].data ? by_index(r->sim, attr_u32(&tb[RDMA_NLDEV_ATTR_DEV_INDEX])) : NULL;
	return *n ? 0 : -EINVAL;
}

static int get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	struct nic *n;
	int err;

	if (!request_dump(r)) {
		err = find(r, tb, &n);
		if (err == 0)
			put_device(r, n);
		return err;
	}
	for (uint32_t i = 0; i < r->sim->st->next_ibindex; i++) {
		n = by_index(r->sim, i);
		if (n)
			put_device(r, n);
	}
	return 0;
}

/* A dump is of one device's ports. */
static int port_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	struct nic *n;
	int err = find(r, tb, &n);

	if (err < 0 && request_dump(r)) {
		r->dump_error = err;
		return 0;
	}
	if (err < 0)
		return err;
	if (!request_dump(r) && (!tb[RDMA_NLDEV_ATTR_PORT_INDEX].data || attr_u32(&tb[RDMA_NLDEV_ATTR_PORT_INDEX]) != 1))
		return -EINVAL;
	put_port(r, n);
	return 0;
}

static int sys_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	size_t at;

	(void)tb;
	if (request_dump(r))
		return sim_untaught(r->sim, "a dump of SYS_GET");
	at = begin(r);
	put_u8(r->reply, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	message_end(r, at);
	return 0;
}

/* --- who holds what --- */

static void put_holder(struct request *r, const struct user *u)
{
	if (u->kernel)
		put_str(r->reply, RDMA_NLDEV_ATTR_RES_KERN_NAME, u->name);
	else if (u->pid)
		put_u32(r->reply, RDMA_NLDEV_ATTR_RES_PID, u->pid);
}

static void put_context(struct request *r, const struct user *u)
{
	put_u32(r->reply, RDMA_NLDEV_ATTR_RES_CTXN, u->id);
	put_holder(r, u);
}

/* As it is in RTS, or in RESET without a port. */
static void put_qp(struct request *r, const struct user *u)
{
	const bool connected = u->type == 2 || u->type == 3, migrates = connected || u->type == 9 || u->type == 10;

	if (u->port)
		put_u32(r->reply, RDMA_NLDEV_ATTR_PORT_INDEX, u->port);
	put_u32(r->reply, RDMA_NLDEV_ATTR_RES_LQPN, u->type < 2 ? u->type : u->id);
	if (!u->kernel)
		put_u32(r->reply, RDMA_NLDEV_ATTR_RES_PDN, 0);
	put_holder(r, u);
	if (connected) {
		put_u32(r->reply, RDMA_NLDEV_ATTR_RES_RQPN, 0);
		put_u32(r->reply, RDMA_NLDEV_ATTR_RES_RQ_PSN, 0);
	}
	put_u32(r->reply, RDMA_NLDEV_ATTR_RES_SQ_PSN, 0);
	if (migrates)
		put_u8(r->reply, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, 0);
	put_u8(r->reply, RDMA_NLDEV_ATTR_RES_TYPE, u->type);
	put_u8(r->reply, RDMA_NLDEV_ATTR_RES_STATE, u->port ? 3 : 0);
}

/* A listener on every address: the device's, of no port, and without a queue pair. */
static void put_cm_id(struct request *r, const struct user *u)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(7174) };
	struct sockaddr_storage from = { 0 };

	memcpy(&from, &any, sizeof(any));
	put_u32(r->reply, RDMA_NLDEV_ATTR_RES_PS, 0x0106);	/* RDMA_PS_TCP */
	put_u8(r->reply, RDMA_NLDEV_ATTR_RES_STATE, 8);		/* RDMA_CM_LISTEN */
	put(r->reply, RDMA_NLDEV_ATTR_RES_SRC_ADDR, &from, sizeof(from));
	put_u32(r->reply, RDMA_NLDEV_ATTR_RES_CM_IDN, u->id);
	put_holder(r, u);
}

static const struct {
	uint16_t table, entry;
	void (*put)(struct request *r, const struct user *u);
} holdings[USER_KINDS] = {
	[USER_CONTEXT] = { RDMA_NLDEV_ATTR_RES_CTX, RDMA_NLDEV_ATTR_RES_CTX_ENTRY, put_context },
	[USER_QP] = { RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY, put_qp },
	[USER_CM_ID] = { RDMA_NLDEV_ATTR_RES_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, put_cm_id },
};

/* One message with a table of them, and none at all if nobody holds any. */
static void put_all_of(struct request *r, const struct nic *n, enum user_kind kind)
{
	uint32_t next = 0;
	const struct user *u = users_each(r->sim, n, kind, &next);
	size_t at, table;

	if (!u)
		return;
	at = begin(r);
	put_handle(r, n);
	table = nest_begin(r->reply, holdings[kind].table);
	for (; u; u = users_each(r->sim, n, kind, &next)) {
		size_t entry = nest_begin(r->reply, holdings[kind].entry);

		holdings[kind].put(r, u);
		nest_end(r->reply, entry);
	}
	nest_end(r->reply, table);
	message_end(r, at);
}

static int res_get(struct request *r, const struct attr tb[ATTRS_MAX], enum user_kind kind)
{
	struct nic *n;

	if (!request_dump(r))
		return sim_untaught(r->sim, "one resource by its number");
	if (tb[RDMA_NLDEV_ATTR_PORT_INDEX].data)
		return sim_untaught(r->sim, "resources of one port");
	r->dump_error = find(r, tb, &n);
	if (r->dump_error == 0)
		put_all_of(r, n, kind);
	return 0;
}

static int res_ctx_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return res_get(r, tb, USER_CONTEXT);
}

static int res_qp_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return res_get(r, tb, USER_QP);
}

static int res_cm_id_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return res_get(r, tb, USER_CM_ID);
}

static const struct { unsigned cmd; int (*run)(struct request *r, const struct attr tb[ATTRS_MAX]); } commands[] = {
	{ RDMA_NLDEV_CMD_GET, get },
	{ RDMA_NLDEV_CMD_PORT_GET, port_get },
	{ RDMA_NLDEV_CMD_SYS_GET, sys_get },
	{ RDMA_NLDEV_CMD_RES_CTX_GET, res_ctx_get },
	{ RDMA_NLDEV_CMD_RES_QP_GET, res_qp_get },
	{ RDMA_NLDEV_CMD_RES_CM_ID_GET, res_cm_id_get },
};

int nldev_talk(struct request *r)
{
	struct attr tb[ATTRS_MAX];
	unsigned client = RDMA_NL_GET_CLIENT(r->h->nlmsg_type), cmd = RDMA_NL_GET_OP(r->h->nlmsg_type);
	int err;

	if (client != RDMA_NL_NLDEV)
		return sim_untaught(r->sim, "RDMA netlink client %u", client);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].cmd != cmd)
			continue;
		err = request_attrs(r, 0, policy, LIBERAL, tb);
		return err < 0 ? err : commands[i].run(r, tb);
	}
	return sim_untaught(r->sim, "nldev command %u", cmd);
}
