/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethtool netlink: one dump each of pause parameters, link modes, private flags. Netdevs whose driver has none are not
 * in the dump. A dump ends at the first netdev that fails; then each is asked alone.
 */
#include "kernel/ethnl.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/netlink.h"

#define NETDEVS_MAX (1u << 20)

/* Both messages begin with the header nest, number 1. */
#define HEADER 1

struct pauses {
	struct ethnl_pause *at;
	size_t n, room;
	int err;
	struct arena *arena;
};

struct modes {
	struct ethnl_mode *at;
	size_t n, room;
	int err;
	struct arena *arena;
};

struct flags {
	struct flag { uint32_t ifindex; const char *name; bool on; } *at;
	size_t n, room;
	int err;
	struct arena *arena;
};

static int ifindex_of(const struct nlattr *header, uint32_t *ifindex)
{
	const struct nlattr *tb[ETHTOOL_A_HEADER_DEV_INDEX + 1];

	if (!header || netlink_nest(header, tb, ETHTOOL_A_HEADER_DEV_INDEX + 1) < 0)
		return -EBADMSG;
	*ifindex = netlink_u32(tb[ETHTOOL_A_HEADER_DEV_INDEX], 0);
	return *ifindex ? 0 : -EBADMSG;
}

static int on_pause(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[ETHTOOL_A_PAUSE_TX + 1];
	struct pauses *l = arg;
	struct ethnl_pause p = { 0 };

	if (netlink_payload(n, GENL_HDRLEN, tb, ETHTOOL_A_PAUSE_TX + 1) < 0 || ifindex_of(tb[HEADER], &p.ifindex) < 0 ||
	    l->n == NETDEVS_MAX)
		return -EBADMSG;
	p.has_autoneg = tb[ETHTOOL_A_PAUSE_AUTONEG] != NULL;
	p.autoneg = netlink_u8(tb[ETHTOOL_A_PAUSE_AUTONEG], 0);
	p.rx = netlink_u8(tb[ETHTOOL_A_PAUSE_RX], 0);
	p.tx = netlink_u8(tb[ETHTOOL_A_PAUSE_TX], 0);
	list_add(l, l->arena) = p;
	return 0;
}

static int on_mode(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[ETHTOOL_A_LINKMODES_SPEED + 1];
	struct modes *l = arg;
	struct ethnl_mode m = { 0 };

	if (netlink_payload(n, GENL_HDRLEN, tb, ETHTOOL_A_LINKMODES_SPEED + 1) < 0 ||
	    ifindex_of(tb[HEADER], &m.ifindex) < 0 || l->n == NETDEVS_MAX)
		return -EBADMSG;
	m.speed_mbps = netlink_u32(tb[ETHTOOL_A_LINKMODES_SPEED], UINT32_MAX);
	list_add(l, l->arena) = m;
	return 0;
}

/* A bit set with names: SIZE and BITS, in BITS a nest for each bit; a bit that is on has a VALUE. */
static int on_flags(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[ETHTOOL_A_PRIVFLAGS_FLAGS + 1], *set[ETHTOOL_A_BITSET_BITS + 1];
	const struct nlattr *bit[ETHTOOL_A_BITSET_BIT_VALUE + 1];
	const struct nlattr *at;
	struct flags *l = arg;
	uint32_t ifindex;

	if (netlink_payload(n, GENL_HDRLEN, tb, ETHTOOL_A_PRIVFLAGS_FLAGS + 1) < 0 || ifindex_of(tb[HEADER], &ifindex) < 0)
		return -EBADMSG;
	if (!tb[ETHTOOL_A_PRIVFLAGS_FLAGS])
		return 0;
	if (netlink_nest(tb[ETHTOOL_A_PRIVFLAGS_FLAGS], set, ETHTOOL_A_BITSET_BITS + 1) < 0 ||
	    (set[ETHTOOL_A_BITSET_BITS] && netlink_nest(set[ETHTOOL_A_BITSET_BITS], NULL, 0) < 0))
		return -EBADMSG;
	if (!set[ETHTOOL_A_BITSET_BITS])
		return 0;
	mnl_attr_for_each_nested(at, set[ETHTOOL_A_BITSET_BITS]) {
		if (netlink_nest(at, bit, ETHTOOL_A_BITSET_BIT_VALUE + 1) < 0 || l->n == NETDEVS_MAX)
			return -EBADMSG;
		list_add(l, l->arena) = (struct flag){ ifindex, netlink_string(l->arena, bit[ETHTOOL_A_BITSET_BIT_NAME]),
						       bit[ETHTOOL_A_BITSET_BIT_VALUE] != NULL };
	}
	return 0;
}

/* @ifindex 0: a dump of all netdevs. @flags 0: bit sets with the names of their bits */
static int ask(struct kernel *k, uint8_t cmd, uint32_t ifindex, uint32_t flags, netlink_each *each, void *arg)
{
	struct netlink_request r;
	struct nlmsghdr *h;
	struct nlattr *header;
	uint16_t family;
	int err = netlink_family(k, "ethtool", &family);

	if (err < 0)
		return err;
	h = netlink_begin_genl(&r, family, cmd, ifindex ? 0 : NLM_F_DUMP);
	header = mnl_attr_nest_start(h, HEADER);
	if (ifindex)
		mnl_attr_put_u32(h, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	mnl_attr_put_u32(h, ETHTOOL_A_HEADER_FLAGS, flags);
	mnl_attr_nest_end(h, header);
	return netlink_get(k, NETLINK_GENERIC, h, each, arg);
}

/* "ethnl:pause", and ":7" where one netdev is asked alone */
static void **slot_of(struct kernel *k, const char *what, uint32_t ifindex)
{
	char key[48];

	snprintf(key, sizeof(key), ifindex ? "ethnl:%s:%u" : "ethnl:%s", what, ifindex);
	return kernel_memo(k, key);
}

static const struct pauses *pauses(struct kernel *k, uint32_t ifindex)
{
	void **slot = slot_of(k, "pause", ifindex);
	struct pauses *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct pauses);
		l->arena = k->arena;
		l->err = ask(k, ETHTOOL_MSG_PAUSE_GET, ifindex, ETHTOOL_FLAG_COMPACT_BITSETS, on_pause, l);
	}
	return l;
}

static const struct modes *modes(struct kernel *k, uint32_t ifindex)
{
	void **slot = slot_of(k, "mode", ifindex);
	struct modes *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct modes);
		l->arena = k->arena;
		l->err = ask(k, ETHTOOL_MSG_LINKMODES_GET, ifindex, ETHTOOL_FLAG_COMPACT_BITSETS, on_mode, l);
	}
	return l;
}

static const struct flags *flags(struct kernel *k, uint32_t ifindex)
{
	void **slot = slot_of(k, "flags", ifindex);
	struct flags *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct flags);
		l->arena = k->arena;
		l->err = ask(k, ETHTOOL_MSG_PRIVFLAGS_GET, ifindex, 0, on_flags, l);
	}
	return l;
}

static bool general(int err)
{
	return err == 0 || err == -ENOENT || err == -ENODATA || err == -EPERM || err == -EPROTONOSUPPORT;
}

const struct ethnl_pause *ethnl_pause(struct kernel *k, uint32_t ifindex, int *err)
{
	const struct pauses *l = pauses(k, 0);

	if (!general(l->err) && ifindex)
		l = pauses(k, ifindex);
	*err = l->err < 0 ? l->err : -EOPNOTSUPP;
	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (l->at[i].ifindex == ifindex) {
			*err = 0;
			return &l->at[i];
		}
	return NULL;
}

const struct ethnl_mode *ethnl_mode(struct kernel *k, uint32_t ifindex, int *err)
{
	const struct modes *l = modes(k, 0);

	if (!general(l->err) && ifindex)
		l = modes(k, ifindex);
	*err = l->err < 0 ? l->err : -EOPNOTSUPP;
	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (l->at[i].ifindex == ifindex) {
			*err = 0;
			return &l->at[i];
		}
	return NULL;
}

int ethnl_private_flag(struct kernel *k, uint32_t ifindex, const char *name, bool *on)
{
	const struct flags *l = flags(k, 0);

	if (!general(l->err) && ifindex)
		l = flags(k, ifindex);
	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (l->at[i].ifindex == ifindex && !strcmp(l->at[i].name, name)) {
			*on = l->at[i].on;
			return 0;
		}
	return l->err < 0 ? l->err : -EOPNOTSUPP;
}

int ethnl_set_pause(struct kernel *k, const char *ifname, bool autoneg, bool rx, bool tx, struct diags *d)
{
	struct netlink_request r;
	struct nlmsghdr *h;
	struct nlattr *header;
	uint16_t family;
	int err = netlink_family(k, "ethtool", &family);

	if (err == 0 && strlen(ifname) >= IFNAMSIZ)
		err = -ENODEV;
	if (err == 0) {
		h = netlink_begin_genl(&r, family, ETHTOOL_MSG_PAUSE_SET, NLM_F_ACK);
		header = mnl_attr_nest_start(h, HEADER);
		mnl_attr_put_strz(h, ETHTOOL_A_HEADER_DEV_NAME, ifname);
		mnl_attr_nest_end(h, header);
		mnl_attr_put_u8(h, ETHTOOL_A_PAUSE_AUTONEG, autoneg);
		mnl_attr_put_u8(h, ETHTOOL_A_PAUSE_RX, rx);
		mnl_attr_put_u8(h, ETHTOOL_A_PAUSE_TX, tx);
		err = netlink_set(k, NETLINK_GENERIC, h, NULL, NULL);
	}
	return netlink_tell(k, d, err, ifname, "ethtool PAUSE_SET", "set pause to rx %s, tx %s", rx ? "on" : "off",
			    tx ? "on" : "off");
}
