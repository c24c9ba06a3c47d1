/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel whose netlink door is a function of the test, and helpers that build answers byte by byte, also wrong
 * ones. Files and the other doors are not there.
 */
#ifndef TESTS_UNIT_FAKE_H
#define TESTS_UNIT_FAKE_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/kernel.h"

struct fake;
typedef int fake_talk(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply);

struct fake {
	struct kernel k;
	struct kernel_ops ops;
	struct diags d;
	fake_talk *talk;
	void *arg;
	unsigned asked;			/* calls of the door */
	char request[8192];		/* the last one */
};

static inline int fake_door(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	struct fake *f = k->self;

	f->asked++;
	memcpy(f->request, request, n < sizeof(f->request) ? n : sizeof(f->request));
	return f->talk(f, protocol, request, reply);
}

static inline void fake_open(struct fake *f, fake_talk *talk, void *arg)
{
	memset(f, 0, sizeof(*f));
	f->talk = talk;
	f->arg = arg;
	f->ops.talk = fake_door;
	f->k = (struct kernel){ .ops = &f->ops, .self = f, .arena = arena_new(), .kind = "fake" };
	diags_init(&f->d, f->k.arena);
}

static inline void fake_close(struct fake *f)
{
	arena_free(f->k.arena);
}

/* --- messages ---------------------------------------------------------------- */

static inline size_t msg_begin(struct text *t, uint16_t type, uint16_t flags)
{
	struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_flags = flags };
	size_t at = t->n;

	text_addn(t, &h, sizeof(h));
	return at;
}

static inline void msg_pad(struct text *t)
{
	while (t->n % 4)
		text_addn(t, "", 1);
}

static inline void msg_extra(struct text *t, const void *extra, size_t n)
{
	text_addn(t, extra, n);
	msg_pad(t);
}

static inline void msg_genl(struct text *t, uint8_t cmd)
{
	struct genlmsghdr g = { .cmd = cmd, .version = 1 };

	msg_extra(t, &g, sizeof(g));
}

static inline void msg_attr(struct text *t, uint16_t type, const void *data, size_t n)
{
	struct nlattr a = { .nla_type = type, .nla_len = (uint16_t)(sizeof(a) + n) };

	text_addn(t, &a, sizeof(a));
	text_addn(t, data, n);
	msg_pad(t);
}

static inline void msg_str(struct text *t, uint16_t type, const char *s)
{
	msg_attr(t, type, s, strlen(s) + 1);
}

static inline void msg_u8(struct text *t, uint16_t type, uint8_t v)
{
	msg_attr(t, type, &v, sizeof(v));
}

static inline void msg_u32(struct text *t, uint16_t type, uint32_t v)
{
	msg_attr(t, type, &v, sizeof(v));
}

static inline size_t msg_nest(struct text *t, uint16_t type)
{
	size_t at = t->n;

	msg_attr(t, type, "", 0);
	return at;
}

static inline void msg_nest_end(struct text *t, size_t at)
{
	uint16_t n = (uint16_t)(t->n - at);

	memcpy(t->s + at, &n, sizeof(n));
}

static inline void msg_end(struct text *t, size_t at)
{
	uint32_t n = (uint32_t)(t->n - at);

	memcpy(t->s + at, &n, sizeof(n));
	msg_pad(t);
}

static inline void msg_done(struct text *t, int error)
{
	size_t at = msg_begin(t, NLMSG_DONE, NLM_F_MULTI);

	msg_extra(t, &error, sizeof(error));
	msg_end(t, at);
}

static inline void msg_error(struct text *t, int error)
{
	struct nlmsgerr e = { .error = error };
	size_t at = msg_begin(t, NLMSG_ERROR, NLM_F_CAPPED);

	e.msg.nlmsg_len = sizeof(e.msg);
	msg_extra(t, &e, sizeof(e));
	msg_end(t, at);
}

/* Answers a look-up of a generic family; false if the request is another. */
static inline bool msg_family(const struct nlmsghdr *request, const char *name, uint16_t id, struct text *reply)
{
	size_t at;

	if (request->nlmsg_type != GENL_ID_CTRL)
		return false;
	if (strcmp((const char *)request + NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN, name)) {
		msg_error(reply, -ENOENT);
		return true;
	}
	at = msg_begin(reply, GENL_ID_CTRL, 0);
	msg_genl(reply, CTRL_CMD_NEWFAMILY);
	msg_str(reply, CTRL_ATTR_FAMILY_NAME, name);
	msg_attr(reply, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	msg_end(reply, at);
	return true;
}

#endif
