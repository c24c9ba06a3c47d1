/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One exchange with the kernel: request out, all messages of the answer in, errors and their text (extended ACK)
 * found in each of the places where kernels put them.
 */
#include "kernel/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/kernel.h"

#define TRIES		 4 /* one, and three more */
#define STRING_MAX	 255
#define ACK_MISSING_TYPE 5 /* NLMSGERR_ATTR_MISS_TYPE, an enumerator of Linux 6.1 */

struct answer {
	bool interrupted, done, acked;
	size_t messages;
	int error;			/* 0 or -errno */
	const char *ack;
};

struct nlmsghdr *netlink_begin(struct netlink_request *r, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *h;

	/* libmnl leaves padding as it was, and a dump finds its answers by the request's bytes */
	memset(r->bytes, 0, sizeof(r->bytes));
	h = mnl_nlmsg_put_header(r->bytes);
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	return h;
}

struct nlmsghdr *netlink_begin_genl(struct netlink_request *r, uint16_t family, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *h = netlink_begin(r, family, flags);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(h, sizeof(*g));

	g->cmd = cmd;
	g->version = 1;
	return h;
}

int netlink_attrs(const void *at, size_t n, const struct nlattr **table, unsigned max)
{
	const char *s = at, *end;

	if (table)
		memset(table, 0, max * sizeof(*table));
	if (!n)
		return 0;
	end = s + n;
	while ((size_t)(end - s) >= sizeof(struct nlattr)) {
		const struct nlattr *a = (const void *)s;
		size_t len = a->nla_len, step = MNL_ALIGN(len);

		if (len < sizeof(*a) || len > (size_t)(end - s))
			return -EBADMSG;
		if (mnl_attr_get_type(a) < max)
			table[mnl_attr_get_type(a)] = a;
		if (step >= (size_t)(end - s))
			return 0;
		s += step;
	}
	return s == end ? 0 : -EBADMSG;
}

int netlink_nest(const struct nlattr *nest, const struct nlattr **table, unsigned max)
{
	return netlink_attrs(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), table, max);
}

int netlink_payload(const struct nlmsghdr *n, size_t header, const struct nlattr **table, unsigned max)
{
	size_t len = mnl_nlmsg_get_payload_len(n), at = MNL_ALIGN(header);

	if (len < header)
		return -EBADMSG;
	if (len <= at)
		return netlink_attrs(NULL, 0, table, max);
	return netlink_attrs((const char *)mnl_nlmsg_get_payload(n) + at, len - at, table, max);
}

bool netlink_copy(const struct nlattr *a, void *to, size_t n)
{
	if (!a || mnl_attr_get_payload_len(a) < n)
		return false;
	memcpy(to, mnl_attr_get_payload(a), n);
	return true;
}

uint8_t netlink_u8(const struct nlattr *a, uint8_t otherwise)
{
	netlink_copy(a, &otherwise, sizeof(otherwise));
	return otherwise;
}

uint32_t netlink_u32(const struct nlattr *a, uint32_t otherwise)
{
	netlink_copy(a, &otherwise, sizeof(otherwise));
	return otherwise;
}

uint64_t netlink_u64(const struct nlattr *a, uint64_t otherwise)
{
	netlink_copy(a, &otherwise, sizeof(otherwise));
	return otherwise;
}

const char *netlink_string(struct arena *a, const struct nlattr *attr)
{
	const char *s;

	if (!attr || !mnl_attr_get_payload_len(attr))
		return "";
	s = mnl_attr_get_payload(attr);
	return text_safe(a, s, strnlen(s, mnl_attr_get_payload_len(attr)), STRING_MAX);
}

static const char *ack_text(struct arena *a, const void *at, size_t n)
{
	const struct nlattr *tb[ACK_MISSING_TYPE + 1];

	if (netlink_attrs(at, n, tb, ACK_MISSING_TYPE + 1) < 0)
		return NULL;
	if (tb[NLMSGERR_ATTR_MSG])
		return netlink_string(a, tb[NLMSGERR_ATTR_MSG]);
	if (tb[ACK_MISSING_TYPE])
		return arena_printf(a, "attribute %u is missing", netlink_u32(tb[ACK_MISSING_TYPE], 0));
	return NULL;
}

/* NLMSG_ERROR: the attributes stand behind struct nlmsgerr, or behind the copy of the request that follows it. */
static int take_error(const struct nlmsghdr *h, struct arena *a, struct answer *out)
{
	const char *payload = mnl_nlmsg_get_payload(h);
	size_t n = mnl_nlmsg_get_payload_len(h), at = sizeof(struct nlmsgerr);
	struct nlmsgerr e;

	if (n < sizeof(e))
		return -EBADMSG;
	memcpy(&e, payload, sizeof(e));
	if (e.error > 0 || e.error < -4095)
		return -EBADMSG;
	out->acked = true;
	out->error = e.error;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return 0;
	if (!(h->nlmsg_flags & NLM_F_CAPPED)) {
		if (e.msg.nlmsg_len < sizeof(e.msg) || e.msg.nlmsg_len > n)
			return -EBADMSG;
		at += NLMSG_ALIGN(e.msg.nlmsg_len - sizeof(e.msg));
	}
	if (at < n)
		out->ack = ack_text(a, payload + at, n - at);
	return 0;
}

/* NLMSG_DONE: a dump that failed on the way says so in the number that it carries. */
static int take_done(const struct nlmsghdr *h, struct arena *a, struct answer *out)
{
	const char *payload = mnl_nlmsg_get_payload(h);
	size_t n = mnl_nlmsg_get_payload_len(h);
	int error = 0;

	out->done = true;
	if (n < sizeof(error))
		return 0;
	memcpy(&error, payload, sizeof(error));
	if (error >= 0)
		return 0;
	if (error < -4095)
		return -EBADMSG;
	out->error = error;
	if (h->nlmsg_flags & NLM_F_ACK_TLVS)
		out->ack = ack_text(a, payload + sizeof(error), n - sizeof(error));
	return 0;
}

static const struct nlmsghdr *message(const char *s, size_t n, size_t *step)
{
	const struct nlmsghdr *h = (const void *)s;

	if (n < sizeof(*h) || h->nlmsg_len < sizeof(*h) || h->nlmsg_len > n)
		return NULL;
	*step = MNL_ALIGN((size_t)h->nlmsg_len);
	if (*step > n)
		*step = n;
	return h;
}

/* Reads the answer to its end without looking into its messages. */
static int scan(const char *s, size_t n, bool dump, struct arena *a, struct answer *out)
{
	size_t step;

	for (int r; n; s += step, n -= step) {
		const struct nlmsghdr *h = message(s, n, &step);

		if (!h)
			return -EBADMSG;
		out->interrupted |= (h->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (h->nlmsg_type >= NLMSG_MIN_TYPE) {
			out->messages++;
			continue;
		}
		if (h->nlmsg_type == NLMSG_OVERRUN)
			return -EBADMSG;
		r = h->nlmsg_type == NLMSG_ERROR ? take_error(h, a, out) :
		    h->nlmsg_type == NLMSG_DONE	 ? take_done(h, a, out) : 0;
		if (r < 0)
			return r;
	}
	if (out->error < 0)
		return out->error;
	return (dump ? out->done : out->messages || out->acked) ? 0 : -EBADMSG;
}

static int deliver(const char *s, size_t n, netlink_each *each, void *arg)
{
	size_t step;

	for (int r; n; s += step, n -= step) {
		const struct nlmsghdr *h = message(s, n, &step);

		if (!h)
			return -EBADMSG;
		if (h->nlmsg_type < NLMSG_MIN_TYPE)
			continue;
		r = each(h, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

static int exchange(struct kernel *k, int protocol, const struct nlmsghdr *request, bool sets, netlink_each *each,
		    void *arg)
{
	const bool dump = !sets && (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	TEXT_CLEANUP struct text reply = { 0 };

	k->ack = NULL;
	for (int tries = 0; tries < TRIES; tries++) {
		struct answer a = { 0 };
		int r;

		text_reset(&reply);
		r = kernel_talk(k, protocol, request, request->nlmsg_len, sets, &reply);
		if (r < 0)
			return r;
		r = scan(reply.s, reply.n, dump, k->arena, &a);
		k->ack = a.ack;
		if (r < 0)
			return r;
		if (!dump || !a.interrupted)
			return each ? deliver(reply.s, reply.n, each, arg) : 0;
	}
	return -EAGAIN;
}

int netlink_get(struct kernel *k, int protocol, const struct nlmsghdr *request, netlink_each *each, void *arg)
{
	return exchange(k, protocol, request, false, each, arg);
}

int netlink_set(struct kernel *k, int protocol, const struct nlmsghdr *request, netlink_each *each, void *arg)
{
	return exchange(k, protocol, request, true, each, arg);
}

struct family {
	int err;
	uint16_t id;
};

static int on_family(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_FAMILY_NAME + 1];
	struct family *f = arg;

	if (netlink_payload(n, GENL_HDRLEN, tb, CTRL_ATTR_FAMILY_NAME + 1) < 0 ||
	    !netlink_copy(tb[CTRL_ATTR_FAMILY_ID], &f->id, sizeof(f->id)) || f->id < NLMSG_MIN_TYPE)
		return -EBADMSG;
	return 0;
}

int netlink_family(struct kernel *k, const char *name, uint16_t *id)
{
	char key[64];
	struct netlink_request r;
	struct nlmsghdr *h;
	struct family *f;
	void **slot;

	snprintf(key, sizeof(key), "genl:%s", name);
	slot = kernel_memo(k, key);
	if (!*slot) {
		*slot = f = arena_new_of(k->arena, struct family);
		h = netlink_begin_genl(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
		mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, name);
		f->err = netlink_get(k, NETLINK_GENERIC, h, on_family, f);
	}
	f = *slot;
	*id = f->id;
	return f->err < 0 ? f->err : f->id ? 0 : -EBADMSG;
}

static void hint(struct diags *d, int r)
{
	if (r == -EPERM || r == -EACCES)
		diag_hint(d, "this needs CAP_NET_ADMIN in the initial user namespace: run as root, outside containers");
	else if (r == -ENODEV)
		diag_hint(d, "the interface went away or is in another network namespace");
	else if (r == -EOPNOTSUPP)
		diag_hint(d, "the driver does not offer this on this device");
}

int netlink_tell(struct kernel *k, struct diags *d, int r, const char *object, const char *message,
		 const char *fmt, ...)
{
	va_list ap;
	const char *what;
	struct diag *one;

	if (r >= 0 && !k->ack)
		return r;
	va_start(ap, fmt);
	what = arena_vprintf(k->arena, fmt, ap);
	va_end(ap);
	one = r < 0 ? diag_error(d, NULL, "cannot %s", what) : diag_warning(d, NULL, "%s: done, with a warning", what);
	one->err = r < 0 ? -r : 0;
	diag_object(d, "%s", object);
	if (k->ack)
		diag_kernel(d, "%s (%s)", k->ack, message);
	hint(d, r);
	return r;
}
