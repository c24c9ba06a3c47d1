/* SPDX-License-Identifier: Apache-2.0 */
/* rtnetlink: links, one RTM_GETLINK dump for all of them, MTU set by RTM_SETLINK; whose an address is, by RTM_GETADDR. */
#ifndef KERNEL_RTNL_H
#define KERNEL_RTNL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diags;
struct kernel;

struct rtnl_link {
	uint32_t ifindex;
	uint16_t type;			/* ARPHRD_ETHER 1, ARPHRD_INFINIBAND 32 */
	const char *ifname;		/* strings never NULL, "" if not told */
	const char *kind;		/* IFLA_INFO_KIND: "bond", "vlan", "veth" */
	const char *parent;		/* IFLA_PARENT_DEV_NAME: PCI address of a PCI device's netdev */
	const char *parent_bus;		/* "pci" */
	const char *phys_port_name;	/* "p0"; "pf0vf3" is a representor */
	uint32_t mtu, min_mtu, max_mtu;	/* bytes; max 0: no limit */
	uint32_t master, lower;		/* ifindex of bond or bridge · of the device below (IFLA_LINK), 0 none */
	bool up, carrier;		/* IFF_UP · IFLA_CARRIER */
	bool loopback;
};

/**
 * rtnl_links - all links of this network namespace, in one dump, kept for this observation
 * Return: 0; -ENODATA under --root or where a dump lacks it; other -errno of the talk.
 */
int rtnl_links(struct kernel *k, const struct rtnl_link **links, size_t *n);
/** rtnl_link - one of them by name, or NULL */
const struct rtnl_link *rtnl_link(struct kernel *k, const char *ifname);
const struct rtnl_link *rtnl_link_by_index(struct kernel *k, uint32_t ifindex);
/**
 * rtnl_address_owner - number of the netdev that has this address of ours (one RTM_GETADDR dump)
 * @address: @len bytes as on the wire, 4 or 16
 * Return: 0; -EADDRNOTAVAIL no netdev of this network namespace has it; other -errno of the talk.
 */
int rtnl_address_owner(struct kernel *k, const void *address, size_t len, uint32_t *ifindex);
/**
 * rtnl_set_mtu - RTM_SETLINK with IFLA_MTU (bytes)
 * Return: 0; -EINVAL out of the device's range, -ENODEV, -EPERM, …: told in @d with the kernel's own words.
 */
int rtnl_set_mtu(struct kernel *k, const char *ifname, uint32_t mtu, struct diags *d);

#endif
