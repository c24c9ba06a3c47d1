/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_cm's configfs: default RoCE mode and ToS per RDMA port (interfaces.md 4.2). Reading needs a mkdir of
 * rdma_cm/IBDEV if it is missing; it is taken away again at once (law 1's one exception).
 */
#ifndef KERNEL_CONFIGFS_H
#define KERNEL_CONFIGFS_H

#include <stdint.h>

struct diags;
struct kernel;

struct rdma_cm_defaults { const char *mode; uint32_t tos; };	/* "IB/RoCE v1" or "RoCE v2" · whole byte, DSCP<<2|ECN */

/**
 * configfs_get_rdma_cm - both values of one port
 * Return: 0; -ENOENT rdma_cm not loaded or not built with configfs; -ENODEV the device is not known to rdma_cm;
 *	-ENXIO configfs not mounted; -EACCES, -EPERM; -ENODATA not asked.
 */
int configfs_get_rdma_cm(struct kernel *k, const char *ibdev, uint32_t port, struct rdma_cm_defaults *v);
/** configfs_set_rdma_cm - mode ("IB/RoCE v1", "RoCE v2") NULL or tos < 0: left alone */
int configfs_set_rdma_cm(struct kernel *k, const char *ibdev, uint32_t port, const char *mode, int tos, struct diags *d);

#endif
