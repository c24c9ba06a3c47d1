/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's own session: which ports it comes over, so that nobody cuts the branch that he sits on unwarned. */
#ifndef INVENTORY_SESSION_H
#define INVENTORY_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct facts;
struct kernel;
struct port;

struct own_session {
	const char *address;		/* our end of the connection, safe text; NULL: no session over the network, or not known */
	const char *ifname;		/* netdev that has the address, or NULL */
	uint32_t ifindex;		/* of it; 0: not known */
	const char *why;		/* why address or netdev is not known, or NULL: there is no session over the network */
};

/**
 * session_own - the SSH session that this process is part of
 * @connection: SSH_CONNECTION of the environment, or NULL: that of the nearest ancestor that has one (sudo takes it
 *	away), else the connection of an sshd among them. Either wants the right to look at them.
 * Return: never NULL, in @a.
 */
const struct own_session *session_own(struct kernel *k, struct arena *a, const char *connection);
/** session_over - may it come over this port: its netdev, what lies above (VLAN, bond, bridge), or a function on its wire */
bool session_over(const struct own_session *s, struct kernel *k, const struct facts *f, const struct port *p);

#endif
