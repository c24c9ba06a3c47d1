/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devlink: what is running and stored, enable_roce, reload. A driverinit value reads as the pending one as soon as it
 * is set; a boolean's value is the presence of its attribute.
 */
#include "message.h"

#include <errno.h>
#include <linux/devlink.h>
#include <stdio.h>
#include <string.h>

#define TYPE_U32  3 /* of a parameter: NLA_U32, NLA_FLAG inside the kernel */
#define TYPE_FLAG 6
#define NAME_MAX_LEN 128

#define HANDLE { DEVLINK_ATTR_BUS_NAME, WANT_NUL_STRING, NAME_MAX_LEN }, { DEVLINK_ATTR_DEV_NAME, WANT_NUL_STRING, NAME_MAX_LEN }

static const struct policy handle_policy[] = { HANDLE, { .want = WANT_END } };

static const struct policy param_policy[] = {
	HANDLE, { DEVLINK_ATTR_PARAM_NAME, WANT_NUL_STRING, NAME_MAX_LEN }, { .want = WANT_END },
};

static const struct policy param_set_policy[] = {
	HANDLE,
	{ DEVLINK_ATTR_PARAM_NAME, WANT_NUL_STRING, NAME_MAX_LEN },
	{ DEVLINK_ATTR_PARAM_TYPE, WANT_U8, 0 },
	{ DEVLINK_ATTR_PARAM_VALUE_DATA, WANT_BYTES, 0 },
	{ DEVLINK_ATTR_PARAM_VALUE_CMODE, WANT_U8, 0 },
	{ .want = WANT_END },
};

static const struct policy reload_policy[] = {
	HANDLE,
	{ DEVLINK_ATTR_RELOAD_ACTION, WANT_U8, 0 },
	{ DEVLINK_ATTR_RELOAD_LIMITS, WANT_NOT_TAUGHT, 0 },
	{ DEVLINK_ATTR_NETNS_PID, WANT_NOT_TAUGHT, 0 },
	{ DEVLINK_ATTR_NETNS_FD, WANT_NOT_TAUGHT, 0 },
	{ DEVLINK_ATTR_NETNS_ID, WANT_NOT_TAUGHT, 0 },
	{ .want = WANT_END },
};

static int find(struct request *r, const struct attr tb[ATTRS_MAX], struct nic **n)
{
	char bus[16], dev[64];

	if (!tb[DEVLINK_ATTR_BUS_NAME].data || !tb[DEVLINK_ATTR_DEV_NAME].data)
		return -EINVAL;
	attr_str(&tb[DEVLINK_ATTR_BUS_NAME], bus, sizeof(bus));
	attr_str(&tb[DEVLINK_ATTR_DEV_NAME], dev, sizeof(dev));
	*n = strcmp(bus, "pci") ? NULL : nic_by_bdf(r->sim, dev);
	return *n ? 0 : -ENODEV;
}

static void put_handle(struct request *r, const struct nic *n)
{
	char bdf[16];

	nic_bdf(r->sim, n, bdf);
	put_str(r->reply, DEVLINK_ATTR_BUS_NAME, "pci");
	put_str(r->reply, DEVLINK_ATTR_DEV_NAME, bdf);
}

/* All devices of a dump, or the one that is named. */
static int each(struct request *r, const struct attr tb[ATTRS_MAX], int (*one)(struct request *r, struct nic *n))
{
	struct nic *n;
	int err = 0;

	if (!request_dump(r)) {
		err = find(r, tb, &n);
		return err < 0 ? err : one(r, n);
	}
	for (unsigned i = 0; err == 0 && i < r->sim->st->nnics; i++)
		if (r->sim->st->nic[i].present)
			err = one(r, &r->sim->st->nic[i]);
	return err;
}

/* --- info --- */

static void put_version(struct request *r, const struct nic *n, const struct devlink_version_row *v)
{
	size_t nest = nest_begin(r->reply, v->attr | NLA_F_NESTED);
	const char *own = v->attr == DEVLINK_ATTR_INFO_VERSION_STORED ? n->hw.fw_stored : n->hw.fw;

	put_str(r->reply, DEVLINK_ATTR_INFO_VERSION_NAME, v->name);
	put_str(r->reply, DEVLINK_ATTR_INFO_VERSION_VALUE, !v->value ? own : *v->value ? v->value : n->hw.board);
	nest_end(r->reply, nest);
}

static int put_info(struct request *r, struct nic *n)
{
	size_t at = genl_begin(r, DEVLINK_CMD_INFO_GET);

	put_handle(r, n);
	if (r->sim->st->old)		/* put by the driver, later by devlink itself */
		put_str(r->reply, DEVLINK_ATTR_INFO_DRIVER_NAME, r->sim->st->driver);
	for (const struct devlink_version_row *v = identity_of(r->sim)->versions; v->name; v++)
		put_version(r, n, v);
	if (!r->sim->st->old)
		put_str(r->reply, DEVLINK_ATTR_INFO_DRIVER_NAME, r->sim->st->driver);
	message_end(r, at);
	return 0;
}

static int info_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return each(r, tb, put_info);
}

/* --- parameters --- */

enum { PARAM_ROCE, PARAM_IWARP, PARAM_EQ_SIZE, PARAMS };

static const struct { const char *name; uint8_t type; bool ice_only, mlx5_only; } params[PARAMS] = {
	[PARAM_ROCE] = { "enable_roce", TYPE_FLAG, false, false },
	[PARAM_IWARP] = { "enable_iwarp", TYPE_FLAG, true, false },
	[PARAM_EQ_SIZE] = { "io_eq_size", TYPE_U32, false, true },	/* one that is no boolean */
};

static bool has_param(const struct sim *s, unsigned p)
{
	if (p == PARAM_ROCE)
		return identity_of(s)->roce_cmode != 255;
	return s->st->identity == (params[p].ice_only ? MANNERS_ICE : MANNERS_MLX5) && (params[p].ice_only || s->st->eq_size);
}

static uint8_t cmode_of(const struct sim *s, unsigned p)
{
	return p == PARAM_EQ_SIZE ? DEVLINK_PARAM_CMODE_DRIVERINIT : identity_of(s)->roce_cmode;
}

static bool value_of(const struct nic *n, unsigned p)
{
	return p == PARAM_ROCE ? n->roce_pending : n->iwarp;
}

static void put_param(struct request *r, const struct nic *n, unsigned p)
{
	size_t at = genl_begin(r, DEVLINK_CMD_PARAM_GET), param, list, value;

	put_handle(r, n);
	param = nest_begin(r->reply, DEVLINK_ATTR_PARAM);
	put_str(r->reply, DEVLINK_ATTR_PARAM_NAME, params[p].name);
	put(r->reply, DEVLINK_ATTR_PARAM_GENERIC, NULL, 0);
	put_u8(r->reply, DEVLINK_ATTR_PARAM_TYPE, params[p].type);
	list = nest_begin(r->reply, DEVLINK_ATTR_PARAM_VALUES_LIST);
	value = nest_begin(r->reply, DEVLINK_ATTR_PARAM_VALUE);
	put_u8(r->reply, DEVLINK_ATTR_PARAM_VALUE_CMODE, cmode_of(r->sim, p));
	if (params[p].type == TYPE_U32)
		put_u32(r->reply, DEVLINK_ATTR_PARAM_VALUE_DATA, 1024);
	else if (value_of(n, p))
		put(r->reply, DEVLINK_ATTR_PARAM_VALUE_DATA, NULL, 0);
	nest_end(r->reply, value);
	nest_end(r->reply, list);
	nest_end(r->reply, param);
	message_end(r, at);
}

static int put_params(struct request *r, struct nic *n)
{
	for (unsigned p = 0; p < PARAMS; p++)
		if (has_param(r->sim, p))
			put_param(r, n, p);
	return 0;
}

static int param_dump(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return each(r, tb, put_params);
}

static int find_param(struct request *r, const struct attr tb[ATTRS_MAX], unsigned *p)
{
	char name[NAME_MAX_LEN + 1];

	if (request_need(r, tb, DEVLINK_ATTR_PARAM_NAME) < 0)
		return -EINVAL;
	attr_str(&tb[DEVLINK_ATTR_PARAM_NAME], name, sizeof(name));
	for (*p = 0; *p < PARAMS; ++*p)
		if (has_param(r->sim, *p) && !strcmp(params[*p].name, name))
			return 0;
	return -EINVAL;
}

static int param_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	struct nic *n;
	unsigned p;
	int err = find(r, tb, &n);

	if (err == 0)
		err = find_param(r, tb, &p);
	if (err == 0)
		put_param(r, n, p);
	return err;
}

static int set_roce(struct request *r, struct nic *n, bool on)
{
	int err = 0;

	if (r->sim->st->identity == MANNERS_MLX5 && nic_in_bond(r->sim, n)) {
		r->ack = "mlx5_core: Multi port slave/Lag device can't configure RoCE";
		return -EOPNOTSUPP;
	}
	if (r->sim->st->identity == MANNERS_ICE && on && n->iwarp) {
		r->ack = "ice: iWARP is currently enabled. This device cannot enable iWARP and RoCEv2 simultaneously";
		return -EOPNOTSUPP;
	}
	err = sim_fault(r->sim, n, OP_ROCE, NULL);
	if (err < 0)
		r->ack = "mlx5_core: Device doesn't support RoCE";
	if (err)
		return err < 0 ? err : 0;
	n->roce_pending = on;
	if (identity_of(r->sim)->roce_cmode == DEVLINK_PARAM_CMODE_RUNTIME)
		nic_rdma_plug(r->sim, n, on);
	return 0;
}

/* The kernel's order: name, type, value, the driver's own check, then how the value is to last. */
static int param_set(struct request *r, const struct attr tb[ATTRS_MAX])
{
	const struct attr *data = &tb[DEVLINK_ATTR_PARAM_VALUE_DATA];
	struct nic *n;
	unsigned p;
	int err = find(r, tb, &n);

	if (err == 0)
		err = find_param(r, tb, &p);
	if (err == 0)
		err = request_need(r, tb, DEVLINK_ATTR_PARAM_TYPE);
	if (err == 0 && attr_u8(&tb[DEVLINK_ATTR_PARAM_TYPE]) != params[p].type)
		err = -EINVAL;
	if (err < 0)
		return err;
	if (p != PARAM_ROCE)
		return sim_untaught(r->sim, "setting devlink %s", params[p].name);
	if (data->data && data->len)
		return -EINVAL;
	if (tb[DEVLINK_ATTR_PARAM_VALUE_CMODE].data &&
	    attr_u8(&tb[DEVLINK_ATTR_PARAM_VALUE_CMODE]) != cmode_of(r->sim, p))
		return -EOPNOTSUPP;
	err = request_need(r, tb, DEVLINK_ATTR_PARAM_VALUE_CMODE);
	if (err == 0)
		err = sim_set_begin(r->sim, "devlink %s enable_roce %d", n->name, data->data != NULL);
	return err < 0 ? err : set_roce(r, n, data->data != NULL);
}

/* --- reload --- */

static int reload(struct request *r, const struct attr tb[ATTRS_MAX])
{
	const struct attr *action = &tb[DEVLINK_ATTR_RELOAD_ACTION];
	const struct nla_bitfield32 done = {
		.value = 1u << DEVLINK_RELOAD_ACTION_DRIVER_REINIT, .selector = 1u << DEVLINK_RELOAD_ACTION_DRIVER_REINIT,
	};
	struct nic *n;
	size_t at;
	int err = find(r, tb, &n);

	if (err < 0)
		return err;
	if (action->data && attr_u8(action) != DEVLINK_RELOAD_ACTION_DRIVER_REINIT) {
		r->ack = r->sim->st->old ? "leftover: Requested reload action is not supported by the driver" :
					   "Requested reload action is not supported by the driver";
		return -EOPNOTSUPP;
	}
	err = sim_set_begin(r->sim, "devlink %s reload", n->name);
	if (err == 0)
		err = sim_fault(r->sim, n, OP_RELOAD, NULL);
	if (err < 0)
		r->ack = "reload refused by fault";
	if (err < 0)
		return err;
	nic_reload(r->sim, n);		/* also under `ignore`: devlink makes the device anew all the same */
	if (!action->data)
		return 0;
	at = genl_begin(r, DEVLINK_CMD_RELOAD);
	put_handle(r, n);
	put(r->reply, DEVLINK_ATTR_RELOAD_ACTIONS_PERFORMED, &done, sizeof(done));
	message_end(r, at);
	return 0;
}

static const struct genl_command commands[] = {
	{ DEVLINK_CMD_INFO_GET, true, false, handle_policy, info_get },
	{ DEVLINK_CMD_INFO_GET, false, false, handle_policy, info_get },
	{ DEVLINK_CMD_PARAM_GET, true, false, handle_policy, param_dump },
	{ DEVLINK_CMD_PARAM_GET, false, false, param_policy, param_get },
	{ DEVLINK_CMD_PARAM_SET, false, true, param_set_policy, param_set },
	{ DEVLINK_CMD_RELOAD, false, true, reload_policy, reload },
	{ 0 },
};

const struct genl_family family_devlink = { "devlink", GENL_DEVLINK, 1, commands };
