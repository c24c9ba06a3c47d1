/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA counters of a port, as sysfs has them: counters/ (data and packets of IBTA's port) and hw_counters/ (the driver's). */
#ifndef INVENTORY_COUNTERS_H
#define INVENTORY_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct kernel;

struct counter {
	const char *name;		/* the file's: "port_xmit_data", "np_cnp_sent". Safe text */
	uint64_t value;
};

struct counters {
	struct counter *at;
	size_t n, room;
};

/**
 * counters_read - all of them, read afresh; on some adapters each is a question to the firmware
 * What a driver does not have or does not answer (EINVAL, EOPNOTSUPP) is left out; a port may have none at all.
 * Return: 0; -errno of one that is there and could not be read.
 */
int counters_read(struct kernel *k, struct arena *a, const char *ibdev, uint32_t ibport, struct counters *out);
/**
 * counters_all - the same and the errors of counters/, for who wants to know all that can be known (each of those is a
 *	management datagram to the adapter)
 * A counter that is there and cannot be read, or is no number, is counted in *@unread and does not end it.
 * Return: 0; -errno if the list of counters could not be had.
 */
int counters_all(struct kernel *k, struct arena *a, const char *ibdev, uint32_t ibport, struct counters *out,
		 size_t *unread);
/** counters_moved - the first of @after that differs from @before, or is new; *from gets its old value. NULL: none */
const struct counter *counters_moved(const struct counters *before, const struct counters *after, uint64_t *from);

#endif
