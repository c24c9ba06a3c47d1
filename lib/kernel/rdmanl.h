/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA nldev: devices in one dump, ports one request a device (the kernel has no dump over devices). */
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

#endif
