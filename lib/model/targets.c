/* SPDX-License-Identifier: Apache-2.0 */
/* Targets from ports. */
#include "model/targets.h"

#include <string.h>

#include "base/arena.h"

struct target *target_of_node(struct arena *a)
{
	struct target *t = arena_new_of(a, struct target);

	*t = (struct target){ .scope = SCOPE_NODE, .name = "node", .group = "", .ifname = "" };
	return t;
}

struct target *target_of_port(struct arena *a, const struct facts *f, const struct port *port, enum scope scope,
			      const char *group)
{
	const struct bond *bond = port->master_ifindex ? facts_upper(f, port->master_ifindex) : NULL;
	struct target *t;

	if (scope == SCOPE_RDMA_PORT && !*port->ibdev)
		return NULL;
	if (scope == SCOPE_NETDEV && !*port->ifname)
		return NULL;
	t = arena_new_of(a, struct target);
	*t = (struct target){ .scope = scope, .name = port->name, .group = group, .port = port, .ifname = port->ifname,
			      .ifindex = port->ifindex, .vendor = port->vendor };
	if (scope == SCOPE_NETDEV && bond && !strcmp(bond->kind, "bond")) {
		t->name = t->ifname = bond->ifname;
		t->ifindex = bond->ifindex;
	}
	return t;
}

bool target_same(const struct target *a, const struct target *b)
{
	if (a->scope != b->scope)
		return false;
	switch (a->scope) {
	case SCOPE_NODE:
		return true;
	case SCOPE_GROUP:
		return !strcmp(a->group, b->group);
	case SCOPE_WIRE:
		return a->port == b->port;
	case SCOPE_NETDEV:
		return !strcmp(a->ifname, b->ifname);
	case SCOPE_RDMA_PORT:
		return a->port->ibport == b->port->ibport && !strcmp(a->port->ibdev, b->port->ibdev);
	}
	return false;
}
