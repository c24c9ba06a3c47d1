/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink requests, byte by byte: unlike libmnl it lets one be wrong. */
#include "ask.h"

#include <linux/dcbnl.h>
#include <linux/genetlink.h>
#include <string.h>

#include "kernel/kernel.h"

static void align(struct ask *a)
{
	while (a->request.n % NLMSG_ALIGNTO)
		text_char(&a->request, 0);
}

void ask_begin(struct ask *a, uint16_t type, uint16_t flags, const void *header, size_t size)
{
	const struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags };

	text_reset(&a->request);
	text_addn(&a->request, &h, sizeof(h));
	if (size)
		text_addn(&a->request, header, size);
	align(a);
}

void ask_genl(struct ask *a, uint16_t family, uint8_t cmd, uint16_t flags)
{
	const struct genlmsghdr g = { .cmd = cmd, .version = 1 };

	ask_begin(a, family, flags, &g, sizeof(g));
}

void ask_dcb(struct ask *a, uint16_t type, uint8_t cmd, const char *ifname)
{
	const struct dcbmsg m = { .cmd = cmd };

	ask_begin(a, type, 0, &m, sizeof(m));
	if (ifname)
		ask_str(a, DCB_ATTR_IFNAME, ifname);
}

void ask_attr(struct ask *a, uint16_t type, const void *data, size_t len)
{
	const struct nlattr at = { .nla_type = type, .nla_len = (uint16_t)(NLA_HDRLEN + len) };

	text_addn(&a->request, &at, sizeof(at));
	if (len)
		text_addn(&a->request, data, len);
	align(a);
}

void ask_u8(struct ask *a, uint16_t type, uint8_t v)
{
	ask_attr(a, type, &v, sizeof(v));
}

void ask_u32(struct ask *a, uint16_t type, uint32_t v)
{
	ask_attr(a, type, &v, sizeof(v));
}

void ask_str(struct ask *a, uint16_t type, const char *s)
{
	ask_attr(a, type, s, strlen(s) + 1);
}

size_t ask_nest(struct ask *a, uint16_t type)
{
	size_t at = a->request.n;

	ask_attr(a, type, NULL, 0);
	return at;
}

void ask_nest_end(struct ask *a, size_t at)
{
	uint16_t len = (uint16_t)(a->request.n - at);

	memcpy(a->request.s + at, &len, sizeof(len));
}

int ask_talk(struct ask *a, struct kernel *k, int protocol, struct text *reply)
{
	uint32_t len = (uint32_t)a->request.n;

	memcpy(a->request.s, &len, sizeof(len));
	return k->ops->talk(k, protocol, a->request.s, a->request.n, reply);
}

uint16_t ask_family(struct ask *a, struct kernel *k, const char *name)
{
	TEXT_CLEANUP struct text reply = { 0 };
	uint16_t id = 0;

	ask_genl(a, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	ask_str(a, CTRL_ATTR_FAMILY_NAME, name);
	if (ask_talk(a, k, NETLINK_GENERIC, &reply) < 0)
		return 0;
	for (size_t at = NLMSG_HDRLEN + GENL_HDRLEN; at + NLA_HDRLEN <= reply.n;) {
		struct nlattr one;

		memcpy(&one, reply.s + at, sizeof(one));
		if (one.nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&id, reply.s + at + NLA_HDRLEN, sizeof(id));
		at += one.nla_len ? NLA_ALIGN(one.nla_len) : reply.n;
	}
	return id;
}
