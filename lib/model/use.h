/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a port in use (law 7): an open verbs context, a queue pair that is not SMI, GSI or the driver's own, a kernel
 * consumer, or RDMA counters that move within a second. What could not be found out counts as in use.
 */
#ifndef MODEL_USE_H
#define MODEL_USE_H

enum use_state { USE_IDLE, USE_BUSY, USE_UNKNOWN };

struct use {
	enum use_state state;
	/* "2 queue pairs of python3 (4711)"; when idle NULL, or why nothing can use it ("it has no RDMA device"). Safe text */
	const char *why;
};

#endif
