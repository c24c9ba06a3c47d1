/* SPDX-License-Identifier: Apache-2.0 */
/* Which object of a port a setting goes to: DCB to every member of a bond, the MTU to the bond itself. */
#ifndef MODEL_TARGETS_H
#define MODEL_TARGETS_H

#include "model/facts.h"

/**
 * target_of_port - the target of @scope (WIRE, RDMA_PORT, NETDEV) that @port leads to
 * @group: its name, or "" without a policy
 * Return: in the arena; NULL if the port has no such object (a netdev without RDMA device has no RDMA port).
 */
struct target *target_of_port(struct arena *a, const struct facts *f, const struct port *port, enum scope scope,
			      const char *group);
/** target_same - do two targets name one object (two members of a bond have one netdev, one RDMA port) */
bool target_same(const struct target *a, const struct target *b);
/** target_of_node - the node's */
struct target *target_of_node(struct arena *a);

#endif
