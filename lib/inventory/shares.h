/* SPDX-License-Identifier: Apache-2.0 */
/* What processes and the kernel hold on RDMA devices. Included by this room alone. */
#ifndef INVENTORY_SHARES_H
#define INVENTORY_SHARES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/rdmanl.h"

struct arena;
struct kernel;

struct share {				/* of one holder, one kind */
	enum rdma_resource what;
	const char *kernel;		/* as in struct rdma_holder */
	uint32_t pid;
	size_t n;
};

struct shares { struct share *at; size_t n, room; };

/**
 * shares_sum_up - one share for each holder, those with most first: its queue pairs, or what else it has
 * Queue pairs that a driver made for itself are taken out.
 */
void shares_sum_up(struct kernel *k, struct shares *l);
/** shares_text - "2 queue pairs of python3 (4711), 1 of nvme_rdma (kernel); 3 more", of shares summed up. Safe text */
const char *shares_text(struct kernel *k, struct arena *a, const struct shares *l);

#endif
