/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A netlink door for unit tests: the test's own function makes the messages of each answer, one by one; what it does
 * not know is EOPNOTSUPP, as a kernel says it.
 */
#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>

#include "kernel/kernel.h"

enum { TALK_DEVLINK = 0x20, TALK_ETHTOOL = 0x21 }; /* numbers of the two families here */

/**
 * talk_answer - makes message number @i of the answer to a request
 * @type: message type, or the family's number; @cmd: the command of a generic family
 * @h: with room for 4096 bytes, type set; take mnl_nlmsg_put_extra_header() and mnl_attr_put*()
 * Return: 1 made; 0 there are no more; -errno the whole answer is an error; -ENODATA this door was not asked.
 */
static int (*talk_answer)(int protocol, uint16_t type, uint8_t cmd, unsigned i, struct nlmsghdr *h);

static inline int talk_family(const struct nlmsghdr *request, struct nlmsghdr *h)
{
	static const struct {
		const char *name;
		uint16_t id;
	} families[] = {
		{ "devlink", TALK_DEVLINK },
		{ "ethtool", TALK_ETHTOOL },
	};
	struct genlmsghdr *g;
	struct nlattr *a;

	mnl_attr_for_each(a, request, sizeof(*g)) for (size_t i = 0;
						       mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_NAME && i < 2;
						       i++) if (!strcmp(mnl_attr_get_str(a), families[i].name))
	{
		g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
		g->cmd = CTRL_CMD_NEWFAMILY;
		mnl_attr_put_u16(h, CTRL_ATTR_FAMILY_ID, families[i].id);
		return 1;
	}
	return -ENOENT;
}

static inline int talk_message(int protocol, const struct nlmsghdr *request, unsigned i, struct nlmsghdr *h)
{
	const struct genlmsghdr *g = protocol == NETLINK_GENERIC ? mnl_nlmsg_get_payload(request) : NULL;

	if (g && request->nlmsg_type == GENL_ID_CTRL)
		return i == 0 ? talk_family(request, h) : 0;
	return talk_answer ? talk_answer(protocol, request->nlmsg_type, g ? g->cmd : 0, i, h) : -EOPNOTSUPP;
}

static inline void talk_end(const struct nlmsghdr *request, int err, struct text *reply)
{
	_Alignas(struct nlmsghdr) char bytes[256];
	struct nlmsghdr *h = mnl_nlmsg_put_header(bytes);

	if (err || !(request->nlmsg_flags & NLM_F_DUMP)) {
		struct nlmsgerr *e = mnl_nlmsg_put_extra_header(h, sizeof(*e));

		h->nlmsg_type = NLMSG_ERROR;
		e->error = err;
		e->msg = *request;
		h->nlmsg_flags = NLM_F_CAPPED;
	} else {
		*(int *)mnl_nlmsg_put_extra_header(h, sizeof(int)) = 0;
		h->nlmsg_type = NLMSG_DONE;
		h->nlmsg_flags = NLM_F_MULTI;
	}
	text_addn(reply, h, h->nlmsg_len);
}

static inline int talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	_Alignas(struct nlmsghdr) char bytes[4096];
	const struct nlmsghdr *r = request;
	int err = 0;

	(void)k;
	(void)n;
	for (unsigned i = 0; i < 1000; i++) {
		struct nlmsghdr *h = mnl_nlmsg_put_header(bytes);

		h->nlmsg_type = r->nlmsg_type;
		h->nlmsg_flags = r->nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0;
		err = talk_message(protocol, r, i, h);
		if (err <= 0)
			break;
		text_addn(reply, h, h->nlmsg_len);
		err = 0;
	}
	if (err == -ENODATA) /* the door's own: not asked */
		return err;
	if (err || r->nlmsg_flags & (NLM_F_DUMP | NLM_F_ACK))
		talk_end(r, err, reply);
	return 0;
}

#endif
