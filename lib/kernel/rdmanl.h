/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA nldev: devices in one dump; ports and who holds what, one request a device (the kernel has no dump over devices). */
#ifndef KERNEL_RDMANL_H
#define KERNEL_RDMANL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel;

struct rdma_port {
	const char *ibdev, *protocol, *fw_version, *netdev;	/* "" if not told */
	uint32_t ibindex, port, netdev_index;			/* port from 1; 0: no netdev */
	uint8_t state, phys_state;				/* IB_PORT_*: 4 ACTIVE · 5 LinkUp */
	uint64_t node_guid;
	uint32_t lid, sm_lid;
};

/**
 * rdmanl_ports - all ports of all RDMA devices, kept for this observation
 * Return: 0; -EPROTONOSUPPORT no RDMA subsystem; -ENODATA not asked.
 */
int rdmanl_ports(struct kernel *k, const struct rdma_port **port, size_t *n);

enum rdma_resource { RDMA_CONTEXT, RDMA_QP, RDMA_CM_ID, RDMA_RESOURCES };

enum { RDMA_QPT_SMI = 0, RDMA_QPT_GSI = 1 };	/* enum ib_qp_type of the kernel */

/* Whose one resource is. */
struct rdma_holder {
	const char *kernel;		/* the kernel's own, by the name of the module that made it; NULL: a process's */
	uint32_t pid;			/* in our PID namespace; 0: gone, or of another namespace */
	uint32_t port;			/* from 1; 0: not bound to one, or the kernel did not say */
	uint8_t state;			/* RDMA_CM_ID: enum rdma_cm_state of the kernel, 8 is LISTEN; RDMA_QP: enum ib_qp_state */
	uint8_t type;			/* RDMA_QP: RDMA_QPT_*, the lower 8 bits, which is all that nldev tells */
};

/**
 * rdmanl_holders - all resources of one kind on one device (RES_CTX_GET, RES_QP_GET, RES_CM_ID_GET; no right needed)
 * One dump, asked afresh each time. Contexts and CM IDs of listeners are the device's, whatever port they are for.
 * Return: 0; -EINVAL no such device (any more), or a kernel that does not know the command (contexts: before 5.14);
 *	other -errno of the talk, or of the driver that would not describe one of them.
 */
int rdmanl_holders(struct kernel *k, uint32_t ibindex, enum rdma_resource what, const struct rdma_holder **holder, size_t *n);

#endif
