/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who uses the ports (law 7): asked once a run for all ports at once, by RDMA netlink and, of ports that nobody is
 * seen to use, by their counters, read twice a second apart.
 */
#ifndef INVENTORY_USERS_H
#define INVENTORY_USERS_H

#include <stdint.h>

#include "model/use.h"

struct arena;
struct facts;
struct kernel;
struct port;
struct users;

/** users_new - nobody asked yet; @self: process whose contexts do not count */
struct users *users_new(struct arena *a, uint32_t self);
/**
 * users_of - is this port in use
 * The first call looks at all ports of @f, and may wait a second. Later ones answer from that, also for ports of facts
 * that were taken anew: what a run does to a port brings it no new user. A port that was not there then is unknown.
 * Of a port count, too: the functions that share its wire (VF, SF, the other members of a bond with one RDMA
 * device), and devices on netdevs above it. What a device holds without saying for which port counts for each of them.
 * Return: never NULL.
 */
const struct use *users_of(struct users *u, struct kernel *k, const struct facts *f, const struct port *p);

#endif
