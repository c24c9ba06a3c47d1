/* SPDX-License-Identifier: Apache-2.0 */
/* rtnetlink: RTM_GETLINK without statistics, in one dump; RTM_SETLINK for the MTU; RTM_GETADDR. */
#include "kernel/rtnl.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/netlink.h"

#define LINKS_MAX (1u << 20)

struct links {
	struct rtnl_link *at;
	size_t n, room;
	int err;
	struct arena *arena;
};

static const char *kind_of(struct arena *a, const struct nlattr *info)
{
	const struct nlattr *tb[IFLA_INFO_KIND + 1];

	if (!info || netlink_nest(info, tb, IFLA_INFO_KIND + 1) < 0)
		return "";
	return netlink_string(a, tb[IFLA_INFO_KIND]);
}

static int on_link(const struct nlmsghdr *n, void *arg)
{
	enum { MAX = IFLA_PARENT_DEV_BUS_NAME + 1 };
	const struct nlattr *tb[MAX];
	struct links *l = arg;
	struct ifinfomsg i;

	if (n->nlmsg_type != RTM_NEWLINK)
		return 0;
	if (netlink_payload(n, sizeof(i), tb, MAX) < 0)
		return -EBADMSG;
	memcpy(&i, mnl_nlmsg_get_payload(n), sizeof(i));
	if (i.ifi_index <= 0 || !tb[IFLA_IFNAME] || l->n == LINKS_MAX)
		return -EBADMSG;
	list_add(l, l->arena) = (struct rtnl_link){
		.ifindex = (uint32_t)i.ifi_index,
		.type = i.ifi_type,
		.ifname = netlink_string(l->arena, tb[IFLA_IFNAME]),
		.kind = kind_of(l->arena, tb[IFLA_LINKINFO]),
		.parent = netlink_string(l->arena, tb[IFLA_PARENT_DEV_NAME]),
		.parent_bus = netlink_string(l->arena, tb[IFLA_PARENT_DEV_BUS_NAME]),
		.phys_port_name = netlink_string(l->arena, tb[IFLA_PHYS_PORT_NAME]),
		.mtu = netlink_u32(tb[IFLA_MTU], 0),
		.min_mtu = netlink_u32(tb[IFLA_MIN_MTU], 0),
		.max_mtu = netlink_u32(tb[IFLA_MAX_MTU], 0),
		.master = netlink_u32(tb[IFLA_MASTER], 0),
		/* a lower device in another network namespace has a number that means nothing here */
		.lower = tb[IFLA_LINK_NETNSID] ? 0 : netlink_u32(tb[IFLA_LINK], 0),
		.up = i.ifi_flags & IFF_UP,
		.carrier = netlink_u8(tb[IFLA_CARRIER], 0),
		.loopback = i.ifi_flags & IFF_LOOPBACK,
	};
	return 0;
}

static const struct links *links_of(struct kernel *k)
{
	void **slot = kernel_memo(k, "rtnl:links");
	struct netlink_request r;
	struct nlmsghdr *h;
	struct links *l;

	if (*slot)
		return *slot;
	*slot = l = arena_new_of(k->arena, struct links);
	l->arena = k->arena;
	h = netlink_begin(&r, RTM_GETLINK, NLM_F_DUMP);
	mnl_nlmsg_put_extra_header(h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(h, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	l->err = netlink_get(k, NETLINK_ROUTE, h, on_link, l);
	return l;
}

int rtnl_links(struct kernel *k, const struct rtnl_link **links, size_t *n)
{
	const struct links *l = links_of(k);

	if (l->err < 0)
		return l->err;
	*links = l->at;
	*n = l->n;
	return 0;
}

const struct rtnl_link *rtnl_link(struct kernel *k, const char *ifname)
{
	const struct links *l = links_of(k);

	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (!strcmp(l->at[i].ifname, ifname))
			return &l->at[i];
	return NULL;
}

const struct rtnl_link *rtnl_link_by_index(struct kernel *k, uint32_t ifindex)
{
	const struct links *l = links_of(k);

	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (l->at[i].ifindex == ifindex)
			return &l->at[i];
	return NULL;
}

struct address {
	const void *bytes;
	size_t len;
	uint32_t ifindex;		/* 0: not found yet */
};

/* IFA_LOCAL is ours where the link has two ends; IPv6 without a peer has IFA_ADDRESS alone. */
static int on_address(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[IFA_LOCAL + 1], *own;
	struct address *a = arg;
	struct ifaddrmsg i;

	if (n->nlmsg_type != RTM_NEWADDR)
		return 0;
	if (netlink_payload(n, sizeof(i), tb, IFA_LOCAL + 1) < 0)
		return -EBADMSG;
	memcpy(&i, mnl_nlmsg_get_payload(n), sizeof(i));
	own = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!a->ifindex && own && mnl_attr_get_payload_len(own) == a->len &&
	    !memcmp(mnl_attr_get_payload(own), a->bytes, a->len))
		a->ifindex = i.ifa_index;
	return 0;
}

int rtnl_address_owner(struct kernel *k, const void *address, size_t len, uint32_t *ifindex)
{
	struct address a = { .bytes = address, .len = len };
	struct netlink_request r;
	struct nlmsghdr *h = netlink_begin(&r, RTM_GETADDR, NLM_F_DUMP);
	int err;

	mnl_nlmsg_put_extra_header(h, sizeof(struct ifaddrmsg));
	err = netlink_get(k, NETLINK_ROUTE, h, on_address, &a);
	if (err < 0)
		return err;
	if (!a.ifindex)
		return -EADDRNOTAVAIL;
	*ifindex = a.ifindex;
	return 0;
}

int rtnl_set_mtu(struct kernel *k, const char *ifname, uint32_t mtu, struct diags *d)
{
	struct netlink_request r;
	struct nlmsghdr *h = netlink_begin(&r, RTM_SETLINK, NLM_F_ACK);
	int err = -ENODEV; /* a longer name is an alternative one, which is not a device's own */

	mnl_nlmsg_put_extra_header(h, sizeof(struct ifinfomsg));
	if (strlen(ifname) < IFNAMSIZ) {
		/* with a number in ifinfomsg the name would be a new name: the link is found by name alone */
		mnl_attr_put_strz(h, IFLA_IFNAME, ifname);
		mnl_attr_put_u32(h, IFLA_MTU, mtu);
		err = netlink_set(k, NETLINK_ROUTE, h, NULL, NULL);
	}
	return netlink_tell(k, d, err, ifname, "RTM_SETLINK IFLA_MTU", "set mtu to %u", mtu);
}
