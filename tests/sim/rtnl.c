/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtnetlink: RTM_GETLINK of one or all, RTM_SETLINK and RTM_NEWLINK of an existing one: MTU, up and down; RTM_GETADDR of
 * all, IPv4 alone.
 */
#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct policy get_policy[] = {
	{ IFLA_IFNAME, WANT_STRING, IFNAMSIZ - 1 },
	{ IFLA_EXT_MASK, WANT_U32, 0 },
	{ .want = WANT_END },
};

static const struct policy set_policy[] = {
	{ IFLA_IFNAME, WANT_STRING, IFNAMSIZ - 1 },
	{ IFLA_ALT_IFNAME, WANT_STRING, 127 },
	{ IFLA_MTU, WANT_U32, 0 },
	{ .want = WANT_END },
};

/* What RTM_NEWLINK tells of any netdev. */
struct link {
	uint32_t ifindex, mtu, min_mtu, max_mtu, master, lower;
	const char *name, *kind;
	bool up, carrier, loopback;
	const struct nic *nic;
	uint32_t ups, downs;
};

static uint32_t master_of(struct sim *s, const struct nic *n)
{
	unsigned i = nic_number(s, n);

	for (const struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++)
		if (u->kind == UPPER_BOND && u->member[i / 64] >> i % 64 & 1)
			return u->ifindex;
	return 0;
}

static struct link of_nic(struct sim *s, const struct nic *n)
{
	return (struct link){
		.ifindex = n->net.ifindex, .mtu = n->net.mtu, .min_mtu = identity_of(s)->min_mtu,
		.max_mtu = identity_of(s)->max_mtu, .master = master_of(s, n), .name = n->name, .up = n->net.up,
		.carrier = nic_carrier(n), .nic = n, .ups = n->net.carrier_ups, .downs = n->net.carrier_downs,
	};
}

static struct link of_upper(const struct upper *u)
{
	return (struct link){
		.ifindex = u->ifindex, .mtu = u->mtu, .min_mtu = u->kind == UPPER_BOND ? 68 : 0, .max_mtu = 65535,
		.lower = u->kind == UPPER_VLAN ? u->lower : 0, .name = u->name,
		.kind = u->kind == UPPER_BOND ? "bond" : "vlan", .up = u->up, .carrier = u->up,
	};
}

static void put_device(struct request *r, const struct link *l)
{
	char bdf[16];
	uint8_t mac[6] = { 0 }, all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (l->nic)
		nic_mac(r->sim, l->nic, mac);
	put(r->reply, IFLA_ADDRESS, mac, sizeof(mac));
	put(r->reply, IFLA_BROADCAST, l->loopback ? mac : all, sizeof(all));
	if (!l->nic)
		return;
	nic_bdf(r->sim, l->nic, bdf);
	put_str(r->reply, IFLA_PHYS_PORT_NAME, "p0");
	put_str(r->reply, IFLA_PARENT_DEV_NAME, bdf);
	put_str(r->reply, IFLA_PARENT_DEV_BUS_NAME, "pci");
}

static void put_stats(struct request *r, uint32_t ext_mask)
{
	const struct rtnl_link_stats64 stats = { 0 };

	if (!(ext_mask & RTEXT_FILTER_SKIP_STATS))
		put(r->reply, IFLA_STATS64, &stats, sizeof(stats));
}

static void put_link(struct request *r, const struct link *l, uint32_t ext_mask)
{
	unsigned flags = (l->loopback ? IFF_LOOPBACK : IFF_BROADCAST | IFF_MULTICAST) | (l->up ? IFF_UP : 0) |
			 (l->up && l->carrier ? IFF_RUNNING | IFF_LOWER_UP : 0) | (l->master ? IFF_SLAVE : 0);
	const struct ifinfomsg i = {
		.ifi_type = l->loopback ? ARPHRD_LOOPBACK : ARPHRD_ETHER, .ifi_index = (int)l->ifindex, .ifi_flags = flags,
	};
	size_t at = message_begin(r, RTM_NEWLINK, request_dump(r) ? NLM_F_MULTI : 0, &i, sizeof(i)), nest;

	put_str(r->reply, IFLA_IFNAME, l->name);
	put_u32(r->reply, IFLA_TXQLEN, 1000);
	put_u8(r->reply, IFLA_OPERSTATE, l->loopback ? IF_OPER_UNKNOWN : l->carrier ? IF_OPER_UP : IF_OPER_DOWN);
	put_u8(r->reply, IFLA_LINKMODE, 0);
	put_u32(r->reply, IFLA_MTU, l->mtu);
	put_u32(r->reply, IFLA_MIN_MTU, l->min_mtu);
	put_u32(r->reply, IFLA_MAX_MTU, l->max_mtu);
	put_u32(r->reply, IFLA_GROUP, 0);
	if (l->lower)
		put_u32(r->reply, IFLA_LINK, l->lower);
	if (l->master)
		put_u32(r->reply, IFLA_MASTER, l->master);
	put_u8(r->reply, IFLA_CARRIER, l->carrier);
	put_u32(r->reply, IFLA_CARRIER_CHANGES, l->ups + l->downs);
	put_u32(r->reply, IFLA_CARRIER_UP_COUNT, l->ups);
	put_u32(r->reply, IFLA_CARRIER_DOWN_COUNT, l->downs);
	put_stats(r, ext_mask);
	put_device(r, l);
	if (l->kind) {
		nest = nest_begin(r->reply, IFLA_LINKINFO);
		put_str(r->reply, IFLA_INFO_KIND, l->kind);
		nest_end(r->reply, nest);
	}
	message_end(r, at);
}

static const struct link loopback = {
	.ifindex = 1, .mtu = 65536, .name = "lo", .up = true, .carrier = true, .loopback = true,
};

/* In the order of their numbers, as the kernel has them. */
static void put_all(struct request *r, uint32_t ext_mask)
{
	struct sim *s = r->sim;

	put_link(r, &loopback, ext_mask);
	for (uint32_t index = 2; index < s->st->next_ifindex; index++) {
		const struct nic *n = nic_by_index(s, index);
		const struct upper *u = upper_by_index(s, index);
		struct link l;

		if (!n && !u)
			continue;
		l = n ? of_nic(s, n) : of_upper(u);
		put_link(r, &l, ext_mask);
	}
}

static uint32_t index_by_name(struct sim *s, const char *name)
{
	const struct nic *n = nic_by_name(s, name);
	const struct upper *u = upper_by_name(s, name);

	return n ? n->net.ifindex : u ? u->ifindex : !strcmp(name, "lo") ? 1 : 0;
}

/* By number if there is one, else by name. */
static int find(struct request *r, const struct ifinfomsg *i, const struct attr tb[ATTRS_MAX], uint32_t *index)
{
	char name[IFNAMSIZ];

	if (i->ifi_index < 0)
		return -EINVAL;
	*index = (uint32_t)i->ifi_index;
	if (!*index && !tb[IFLA_IFNAME].data)
		return tb[IFLA_ALT_IFNAME].data ? sim_untaught(r->sim, "alternative interface names") : -EINVAL;
	if (!*index) {
		attr_str(&tb[IFLA_IFNAME], name, sizeof(name));
		*index = index_by_name(r->sim, name);
	}
	return *index == 1 || nic_by_index(r->sim, *index) || upper_by_index(r->sim, *index) ? 0 : -ENODEV;
}

static int get_link(struct request *r)
{
	struct attr tb[ATTRS_MAX];
	struct ifinfomsg i = { 0 };
	uint32_t index, ext_mask;
	struct link l;
	int err;

	if (!request_header(r, &i, sizeof(i)))	/* a shorter header is old, and taken for a dump */
		return request_dump(r) ? sim_untaught(r->sim, "RTM_GETLINK with a short header") : -EINVAL;
	err = request_attrs(r, sizeof(i), get_policy, LIBERAL, tb);
	if (err < 0)
		return err;
	ext_mask = tb[IFLA_EXT_MASK].data ? attr_u32(&tb[IFLA_EXT_MASK]) : 0;
	if (request_dump(r)) {
		put_all(r, ext_mask);
		return 0;
	}
	err = find(r, &i, tb, &index);
	if (err < 0)
		return err;
	l = index == 1 ? loopback : nic_by_index(r->sim, index) ? of_nic(r->sim, nic_by_index(r->sim, index)) :
								  of_upper(upper_by_index(r->sim, index));
	put_link(r, &l, ext_mask);
	return 0;
}

static int set_up(struct request *r, uint32_t index, bool up)
{
	struct nic *n = nic_by_index(r->sim, index);
	struct upper *u = upper_by_index(r->sim, index);

	if (n)
		nic_set_up(n, up);
	else if (u)
		u->up = up;
	else
		return sim_untaught(r->sim, "flags of interface %u", index);
	return 0;
}

static int set_link(struct request *r)
{
	struct attr tb[ATTRS_MAX];
	struct ifinfomsg i;
	uint32_t index, mtu;
	int err;

	if (r->sim->st->unprivileged)
		return -EPERM;
	if (!request_header(r, &i, sizeof(i)))
		return -EINVAL;
	err = request_attrs(r, sizeof(i), set_policy, LIBERAL, tb);
	if (err == 0)
		err = find(r, &i, tb, &index);
	if (err < 0)
		return err;
	if (i.ifi_index && tb[IFLA_IFNAME].data)
		return sim_untaught(r->sim, "renaming an interface");
	if ((i.ifi_flags | i.ifi_change) & ~(unsigned)IFF_UP)
		return sim_untaught(r->sim, "interface flags 0x%x", i.ifi_flags | i.ifi_change);
	mtu = tb[IFLA_MTU].data ? attr_u32(&tb[IFLA_MTU]) : 0;
	err = sim_set_begin(r->sim, "link %u mtu %u flags 0x%x/0x%x", index, mtu, i.ifi_flags, i.ifi_change);
	if (err == 0 && tb[IFLA_MTU].data)
		err = mtu_set(r->sim, index, mtu, &r->ack);
	if (err == 0 && i.ifi_flags | i.ifi_change)
		err = set_up(r, index, i.ifi_flags & IFF_UP);
	return err;
}

/* --- addresses --- */

static void put_address(struct request *r, uint32_t index, const char *name, uint32_t addr, bool host)
{
	const uint32_t own = htonl(addr), broadcast = htonl(addr | 0xff), flags = IFA_F_PERMANENT;
	const struct ifa_cacheinfo times = { .ifa_prefered = UINT32_MAX, .ifa_valid = UINT32_MAX };
	const struct ifaddrmsg i = {
		.ifa_family = AF_INET, .ifa_prefixlen = host ? 8 : 24, .ifa_flags = IFA_F_PERMANENT,
		.ifa_scope = host ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE, .ifa_index = index,
	};
	size_t at = message_begin(r, RTM_NEWADDR, NLM_F_MULTI, &i, sizeof(i));

	put(r->reply, IFA_ADDRESS, &own, sizeof(own));
	put(r->reply, IFA_LOCAL, &own, sizeof(own));
	if (!host)
		put(r->reply, IFA_BROADCAST, &broadcast, sizeof(broadcast));
	put_str(r->reply, IFA_LABEL, name);
	put(r->reply, IFA_FLAGS, &flags, sizeof(flags));
	put(r->reply, IFA_CACHEINFO, &times, sizeof(times));
	message_end(r, at);
}

static int get_addresses(struct request *r)
{
	struct sim *s = r->sim;

	if (!request_dump(r))
		return sim_untaught(s, "RTM_GETADDR of one address");
	put_address(r, 1, "lo", 0x7f000001, true);
	for (uint32_t index = 2; index < s->st->next_ifindex; index++) {
		const struct nic *n = nic_by_index(s, index);
		const struct upper *u = upper_by_index(s, index);
		const uint32_t *addr = n ? n->net.addr : u ? u->addr : NULL;

		for (int i = 0; addr && i < SIM_ADDRS; i++)
			if (addr[i])
				put_address(r, index, n ? n->name : u->name, addr[i], false);
	}
	return 0;
}

int rtnl_talk(struct request *r)
{
	switch (r->h->nlmsg_type) {
	case RTM_GETLINK:
		return get_link(r);
	case RTM_GETADDR:
		return get_addresses(r);
	case RTM_SETLINK:
		return set_link(r);
	case RTM_NEWLINK:
		if (r->h->nlmsg_flags & (NLM_F_CREATE | NLM_F_EXCL | NLM_F_REPLACE))
			return sim_untaught(r->sim, "making interfaces");
		return set_link(r);
	default:
		return sim_untaught(r->sim, "rtnetlink message type %u", r->h->nlmsg_type);
	}
}
