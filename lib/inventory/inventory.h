/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: the host and its ports. Ports are joined from rtnetlink, RDMA nldev, devlink and sysfs, or from sysfs alone (--root). */
#ifndef INVENTORY_INVENTORY_H
#define INVENTORY_INVENTORY_H

struct arena;
struct catalog;
struct diags;
struct facts;
struct kernel;

/**
 * inventory_take - look at the machine
 * @hostname: what to call it instead of the kernel's own name (--node, a dump's header), or NULL
 * Return: 0; -errno only if nothing could be learned at all (told in @d). No RDMA subsystem is not an error: facts->rdma.
 */
int inventory_take(struct kernel *k, struct arena *a, const struct catalog *c, const char *hostname,
		   struct facts **facts, struct diags *d);
/** inventory_gpus - facts->gpu: PCI functions that are GPUs, in the order of their addresses; none if nobody tells */
void inventory_gpus(struct kernel *k, struct arena *a, struct facts *facts);

#endif
