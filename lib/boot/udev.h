/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What udev's rules write when a device appears: udev(7) as systemd 252 reads it, with what later ones added. Rules are judged for
 * one device: what its conditions ask is answered from sysfs and from what udev keeps of it, and a condition that nobody can
 * answer here (PROGRAM, TEST, IMPORT, tags, another rule's properties) makes a doubt of the rule, never a guess. So is what a
 * program does that a rule runs.
 *
 * Rules of a file that does not say the word are not taken apart, and a GOTO does not leave its file: most cost one search.
 */
#ifndef BOOT_UDEV_H
#define BOOT_UDEV_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/confd.h"

struct kernel;
struct netcfg_link;
struct netdev;

#define UDEV_NAMES_LINKS "80-net-setup-link.rules"	/* where .link files are applied, and ID_NET_DRIVER is told */

enum udev_rules {
	UDEV_HOST,			/* those of /etc and /run: few, and what somebody wrote here */
	UDEV_ALL,			/* those of packages too: some fifty files */
};

struct udev {
	struct kernel *k;
	const struct confd *confd;
};

/** udev_load - the rules' files, in their order, read once an observation. Return: 0; -errno if a directory could not be listed */
int udev_load(struct kernel *k, enum udev_rules which, const struct udev **out);

/* What conditions are judged for. Strings are never NULL. */
struct udev_device {
	const char *subsystem, *name;	/* "net" "nic0", "module" "rdma_ucm"; "" "": any device at all, so every condition is a doubt */
	const char *driver;		/* of the function behind it, "" if not known */
	const struct netdev *netdev;	/* net: what is known of it */
	const char *path;		/* "…/0000:27:00.0/net/nic0", "" if not known */
	bool renamed;			/* its name came later than it did: "add" had another one */
};

/** udev_netdev - a netdev as rules see it; udev_module - a module */
struct udev_device udev_netdev(struct kernel *k, const struct netcfg_link *l);
struct udev_device udev_module(const char *module);

struct udev_act {
	struct pos pos;
	const char *file;		/* base name: what sorts later is done later */
	const char *value;		/* NULL: made up when the rule runs */
	const char *doubt;		/* why nobody can say here whether this is done; NULL: it is */
};

struct udev_acts {
	struct udev_act *at;		/* in the order in which they are done */
	size_t n, room;
	const char *unread;		/* a file that might say more, with the reason, or NULL */
};

/**
 * udev_attr - who writes the attribute @attr ("mtu", "parameters/netns_mode") of @d: when it appears, or by its name whatever
 *	appears; added to @out, in the kernel's arena
 */
void udev_attr(const struct udev *u, const struct udev_device *d, const char *attr, struct udev_acts *out);
/** udev_sysctl - who writes the key @path ("net/core/rmem_max"); of those for @d (or NULL) it is known whether they do */
void udev_sysctl(const struct udev *u, const struct udev_device *d, const char *path, struct udev_acts *out);

#endif
