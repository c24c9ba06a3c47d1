/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else sets the MTU of a netdev, in which file and line, and when: udev's rules, systemd's .link, .network and .netdev
 * files, NetworkManager's profiles, netplan, ifupdown, ifcfg files, and the interface manager of the vendor's RDMA stack. A
 * program that manages a netdev and names no MTU leaves it alone, and is no owner of it:
 *
 * - networkd sends IFLA_MTU only for MTUBytes= (or, with UseMTU=yes, for what a DHCP lease names);
 * - udev's .link files likewise, once, when the device appears; rules with ATTR{mtu} at the same time, the later one wins;
 * - NetworkManager's mtu=0, its default, keeps what the kernel has (an MTU of a DHCP lease is taken, and not seen here);
 * - ifupdown and the ifcfg scripts set what `mtu` or MTU= names, and nothing else;
 * - the vendor's interface manager sets the MTU of IPoIB netdevs in connected mode only, never of Ethernet.
 *
 * Asked when a change of an MTU is planned: it opens many files, and a check in sync opens none of them.
 */
#ifndef BOOT_NETCFG_H
#define BOOT_NETCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kernel;
struct netcfg;

/* What files match a netdev by. Strings are never NULL, but "" if not known. */
struct netcfg_link {
	const char *ifname;
	uint32_t ifindex;		/* 0: not known; what the programs say of it in /run is not found then */
	const char *kind;		/* "bond", "vlan" */
	const char *driver;		/* of the PCI function: "mlx5_core" */
	bool infiniband;
};

enum netcfg_when {
	NETCFG_APPEARS,			/* once, by udev, when the device appears */
	NETCFG_MADE,			/* once, when networkd makes the bond or VLAN */
	NETCFG_UP,			/* each time a program brings the netdev up */
};

struct netcfg_claim {
	const char *owner;		/* "systemd-networkd" */
	struct pos pos;			/* FILE:LINE */
	uint32_t mtu;			/* bytes */
	enum netcfg_when when;
	const char *doubt;		/* why nobody can say here whether the line counts for this netdev; NULL: it does */
	bool counts;			/* no surely later one is set over it */
};

/* What a rule of udev may set: whether it does, or to what, is known only when it runs. It is told, and beats nothing. */
struct netcfg_may {
	struct pos pos;
	uint32_t mtu;			/* 0: not known */
	const char *why;
};

struct netcfg_answer {
	const struct netcfg_claim *claim;	/* those that count first, the first of them wins; in the kernel's arena */
	size_t n;
	const struct netcfg_may *may;
	size_t nmay;
	const char *unread;		/* a file that might say more and could not be read, with the reason, or NULL */
};

/**
 * netcfg_load - all files of all programs that are there, read once an observation
 * A program that is neither installed nor running counts for nothing, whatever files it left.
 * These files may hold passwords (of Wi-Fi, 802.1X, WireGuard): a dump gets of them only the lines that are looked at.
 * Return: 0; -ENODATA: a dump for which nobody asked.
 */
int netcfg_load(struct kernel *k, const struct netcfg **out);

/** netcfg_mtu - what is claimed for one netdev; n is 0 if nobody surely sets its MTU */
void netcfg_mtu(const struct netcfg *n, const struct netcfg_link *l, struct netcfg_answer *out);

/** netcfg_when_name - "when the device appears", "each time it comes up" */
const char *netcfg_when_name(enum netcfg_when w);

#endif
