/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the inventory: ports that are being put together. Included by this room alone. */
#ifndef INVENTORY_PORTS_H
#define INVENTORY_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/facts.h"

struct arena;
struct catalog;
struct kernel;

struct ports {
	struct port *at;
	size_t n, room;
	struct arena *arena;
	struct kernel *k;
	const struct catalog *catalog;
	struct { struct bond *at; size_t n, room; } upper;
	bool rdma;
	const char *rdma_why;
	int rdma_err;
};

/** ports_add - a port of which nothing is known: strings "", NUMA node -1 */
struct port *ports_add(struct ports *l);

/**
 * ports_from_netlink - links and RDMA ports, joined
 * Return: 0; -errno if links cannot be asked: then ports_from_sysfs() is the way.
 */
int ports_from_netlink(struct ports *l);
/** ports_from_sysfs - the same from sys/class/net and sys/class/infiniband (--root, or a dump without netlink) */
int ports_from_sysfs(struct ports *l);

/** ports_software - the driver of a software RDMA device, told unless the device below has one that a vendor knows */
void ports_software(struct ports *l, struct port *p, const char *driver);

/* device.c */
/** device_path - where a sys/class link leads: "sys/devices/…/net/eth0", or NULL with *err set; -EINVAL: no link */
const char *device_path(struct ports *l, const char *class_dir, const char *name, int *err);
/** device_is_virtual - is this the path of something without hardware */
bool device_is_virtual(const char *path);
/** device_take - what the device below a class device at @path tells: PCI address, driver, NUMA node, function */
void device_take(struct ports *l, struct port *p, const char *path);
/** device_pci_path - the PCI function that @path lies in, "" if none */
const char *device_pci_path(struct arena *a, const char *path);
/** device_is_representor - is this phys_port_name that of a switchdev representor ("pf0vf3", "pf0sf1", "c1pf0") */
bool device_is_representor(const char *phys_port_name);

/** device_rides - does @q, a virtual or sub-function, send through the wire of @p, its physical one */
bool device_rides(const struct port *q, const struct port *p);

#endif
