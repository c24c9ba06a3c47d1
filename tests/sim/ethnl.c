/* SPDX-License-Identifier: Apache-2.0 */
/* ethtool netlink: pause parameters, read of all or one, set; link modes; ice's private flags. */
#include "message.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/if.h>
#include <stdio.h>
#include <string.h>

#define HEADER ETHTOOL_A_PAUSE_HEADER /* 1, as in every command */

static const struct policy header_policy[] = {
	{ ETHTOOL_A_HEADER_DEV_INDEX, WANT_U32, 0 },
	{ ETHTOOL_A_HEADER_DEV_NAME, WANT_NUL_STRING, 127 },
	{ ETHTOOL_A_HEADER_FLAGS, WANT_U32, 0 },
	{ .want = WANT_END },
};

static const struct policy get_policy[] = { { HEADER, WANT_NEST, 0 }, { .want = WANT_END } };

static const struct policy pause_set_policy[] = {
	{ HEADER, WANT_NEST, 0 },
	{ ETHTOOL_A_PAUSE_AUTONEG, WANT_U8, 0 },
	{ ETHTOOL_A_PAUSE_RX, WANT_U8, 0 },
	{ ETHTOOL_A_PAUSE_TX, WANT_U8, 0 },
	{ .want = WANT_END },
};

static int fail(struct request *r, int err, const char *why)
{
	r->ack = why;
	return err;
}

static bool other_device(struct sim *s, uint32_t index, const char *name)
{
	return index == 1 || upper_by_index(s, index) || (*name && (upper_by_name(s, name) || !strcmp(name, "lo")));
}

/* The header names one device; a dump may go without it, and does not look at it. */
static int find(struct request *r, const struct attr tb[ATTRS_MAX], struct nic **n)
{
	struct attr h[ATTRS_MAX];
	char name[IFNAMSIZ] = "";
	uint32_t index = 0;
	int err;

	*n = NULL;
	if (!tb[HEADER].data && request_dump(r))
		return r->sim->st->old ? -EINVAL : 0;
	if (!tb[HEADER].data)
		return request_need(r, tb, HEADER);
	err = request_nest(r, &tb[HEADER], header_policy, STRICT, h);
	if (err < 0)
		return err;
	if (h[ETHTOOL_A_HEADER_FLAGS].data && attr_u32(&h[ETHTOOL_A_HEADER_FLAGS]) & ~(uint32_t)ETHTOOL_FLAG_COMPACT_BITSETS)
		return sim_untaught(r->sim, "ethtool flags 0x%x", attr_u32(&h[ETHTOOL_A_HEADER_FLAGS]));
	if (h[ETHTOOL_A_HEADER_DEV_INDEX].data)
		index = attr_u32(&h[ETHTOOL_A_HEADER_DEV_INDEX]);
	if (h[ETHTOOL_A_HEADER_DEV_NAME].data)
		attr_str(&h[ETHTOOL_A_HEADER_DEV_NAME], name, sizeof(name));
	if (!index && !*name)
		return request_dump(r) ? 0 : fail(r, -EINVAL, "neither ifindex nor name specified");
	*n = index ? nic_by_index(r->sim, index) : nic_by_name(r->sim, name);
	if (*n)
		return index && *name && strcmp((*n)->name, name) ? fail(r, -ENODEV, "ifindex and name do not match") : 0;
	if (other_device(r->sim, index, name))
		return -EOPNOTSUPP;
	return fail(r, -ENODEV, index ? "no device matches ifindex" : "no device matches name");
}

static void put_header(struct request *r, const struct nic *n)
{
	size_t nest = nest_begin(r->reply, HEADER | NLA_F_NESTED);

	put_u32(r->reply, ETHTOOL_A_HEADER_DEV_INDEX, n->net.ifindex);
	put_str(r->reply, ETHTOOL_A_HEADER_DEV_NAME, n->name);
	nest_end(r->reply, nest);
}

static int each(struct request *r, const struct attr tb[ATTRS_MAX], void (*one)(struct request *r, const struct nic *n))
{
	struct sim *s = r->sim;
	struct nic *n;
	int err = find(r, tb, &n);

	if (err < 0)
		return err;
	if (!request_dump(r)) {
		one(r, n);
		return 0;
	}
	for (uint32_t index = 2; index < s->st->next_ifindex; index++) {
		n = nic_by_index(s, index);
		if (n)
			one(r, n);	/* lo, bonds and VLANs have neither */
	}
	return 0;
}

/* --- pause --- */

static void put_pause(struct request *r, const struct nic *n)
{
	size_t at = genl_begin(r, ETHTOOL_MSG_PAUSE_GET_REPLY);

	put_header(r, n);
	put_u8(r->reply, ETHTOOL_A_PAUSE_AUTONEG, 0);
	put_u8(r->reply, ETHTOOL_A_PAUSE_RX, n->hw.rx_pause);
	put_u8(r->reply, ETHTOOL_A_PAUSE_TX, n->hw.tx_pause);
	message_end(r, at);
}

static int pause_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return each(r, tb, put_pause);
}

static bool bool_of(const struct attr tb[ATTRS_MAX], uint16_t type, bool now)
{
	return tb[type].data ? attr_u8(&tb[type]) != 0 : now;
}

/* The driver is not asked if nothing differs. */
static int pause_set(struct request *r, const struct attr tb[ATTRS_MAX])
{
	const bool autoneg = bool_of(tb, ETHTOOL_A_PAUSE_AUTONEG, false);
	struct nic *n;
	bool rx, tx;
	int err = find(r, tb, &n);

	if (err < 0)
		return err;
	rx = bool_of(tb, ETHTOOL_A_PAUSE_RX, n->hw.rx_pause);
	tx = bool_of(tb, ETHTOOL_A_PAUSE_TX, n->hw.tx_pause);
	err = sim_set_begin(r->sim, "pause %s rx %d tx %d autoneg %d", n->name, rx, tx, autoneg);
	if (err < 0 || (!autoneg && rx == n->hw.rx_pause && tx == n->hw.tx_pause))
		return err;
	return driver_of(r->sim)->dcb.set_pause(r->sim, n, autoneg, rx, tx);
}

/* --- link modes --- */

static void put_modes(struct request *r, const struct nic *n)
{
	size_t at = genl_begin(r, ETHTOOL_MSG_LINKMODES_GET_REPLY), ours;
	const bool on = nic_carrier(n);

	put_header(r, n);
	put_u8(r->reply, ETHTOOL_A_LINKMODES_AUTONEG, AUTONEG_ENABLE);
	ours = nest_begin(r->reply, ETHTOOL_A_LINKMODES_OURS | NLA_F_NESTED);
	put_u32(r->reply, ETHTOOL_A_BITSET_SIZE, 0);
	nest_end(r->reply, ours);
	put_u32(r->reply, ETHTOOL_A_LINKMODES_SPEED, on ? n->hw.speed : (uint32_t)SPEED_UNKNOWN);
	put_u8(r->reply, ETHTOOL_A_LINKMODES_DUPLEX, DUPLEX_FULL);
	message_end(r, at);
}

static int modes_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	return each(r, tb, put_modes);
}

/* --- private flags --- */

static void put_flag(struct request *r, uint32_t index, const char *name, bool on)
{
	size_t bit = nest_begin(r->reply, ETHTOOL_A_BITSET_BITS_BIT | NLA_F_NESTED);

	put_u32(r->reply, ETHTOOL_A_BITSET_BIT_INDEX, index);
	put_str(r->reply, ETHTOOL_A_BITSET_BIT_NAME, name);
	if (on)
		nest_end(r->reply, nest_begin(r->reply, ETHTOOL_A_BITSET_BIT_VALUE));
	nest_end(r->reply, bit);
}

static void put_flags(struct request *r, const struct nic *n)
{
	size_t at, set, bits;

	if (driver_of(r->sim) != &driver_ice)	/* mlx5's were not taught: nobody asks for them */
		return;
	at = genl_begin(r, ETHTOOL_MSG_PRIVFLAGS_GET_REPLY);
	put_header(r, n);
	set = nest_begin(r->reply, ETHTOOL_A_PRIVFLAGS_FLAGS | NLA_F_NESTED);
	put_u32(r->reply, ETHTOOL_A_BITSET_SIZE, 2);
	bits = nest_begin(r->reply, ETHTOOL_A_BITSET_BITS | NLA_F_NESTED);
	put_flag(r, 0, "link-down-on-close", false);
	put_flag(r, 1, "fw-lldp-agent", n->hw.fw_lldp);
	nest_end(r->reply, bits);
	nest_end(r->reply, set);
	message_end(r, at);
}

static int flags_get(struct request *r, const struct attr tb[ATTRS_MAX])
{
	if (!request_dump(r) && driver_of(r->sim) != &driver_ice)
		return -EOPNOTSUPP;
	return each(r, tb, put_flags);
}

static const struct genl_command commands[] = {
	{ ETHTOOL_MSG_LINKMODES_GET, true, false, get_policy, modes_get },
	{ ETHTOOL_MSG_LINKMODES_GET, false, false, get_policy, modes_get },
	{ ETHTOOL_MSG_PAUSE_GET, true, false, get_policy, pause_get },
	{ ETHTOOL_MSG_PAUSE_GET, false, false, get_policy, pause_get },
	{ ETHTOOL_MSG_PAUSE_SET, false, true, pause_set_policy, pause_set },
	{ ETHTOOL_MSG_PRIVFLAGS_GET, true, false, get_policy, flags_get },
	{ ETHTOOL_MSG_PRIVFLAGS_GET, false, false, get_policy, flags_get },
	{ 0 },
};

const struct genl_family family_ethtool = { "ethtool", GENL_ETHTOOL, 1, commands };
