/* SPDX-License-Identifier: Apache-2.0 */
/* What verbs tells of a port: active MTU, GID table (default entries of each type first, then each address's). */
#include "state.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <string.h>

#define PORT_ACTIVE 4
#define PORT_DOWN   1

int verbs_query(struct sim *s, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	const struct nic *n = nic_by_ibdev(s, ibdev);

	if (!n)
		return -ENODEV;
	if (!module_loaded(s, "ib_uverbs"))
		return -EOPNOTSUPP;
	if (port != 1)
		return -EINVAL;
	*out = (struct verbs_port){
		.active_mtu = mtu_active(s, n), .max_mtu = 4096, .state = nic_carrier(n) ? PORT_ACTIVE : PORT_DOWN,
	};
	return 0;
}

/* One address, once for each type that the device has. */
static size_t add(struct sim *s, const struct nic *n, const uint8_t gid[16], struct gid_entry entry[SIM_GIDS], size_t at)
{
	for (uint32_t type = IB_UVERBS_GID_TYPE_ROCE_V1; type <= IB_UVERBS_GID_TYPE_ROCE_V2; type++) {
		if ((type == IB_UVERBS_GID_TYPE_ROCE_V1 && !identity_of(s)->roce_v1) || at == SIM_GIDS)
			continue;
		entry[at] = (struct gid_entry){ .index = (uint32_t)at, .port = 1, .type = type, .ifindex = n->net.ifindex };
		memcpy(entry[at++].gid, gid, 16);
	}
	return at;
}

size_t gids_of(struct sim *s, const struct nic *n, struct gid_entry entry[SIM_GIDS])
{
	uint8_t m[6];
	size_t at;

	nic_mac(s, n, m);
	at = add(s, n, (const uint8_t[16]){ 0xfe, 0x80, 0, 0, 0, 0, 0, 0, m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5] },
		 entry, 0);
	for (int i = 0; i < SIM_ADDRS; i++) {
		uint32_t a = n->net.addr[i];

		if (a)
			at = add(s, n, (const uint8_t[16]){ [10] = 0xff, 0xff, (uint8_t)(a >> 24), (uint8_t)(a >> 16),
							    (uint8_t)(a >> 8), (uint8_t)a }, entry, at);
	}
	return at;
}
