/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Netlink from the kernel's side. Errors are what NETLINK_CAP_ACK and NETLINK_EXT_ACK make of them: the header of
 * the request alone, then the text, the offset, or the type that was missing.
 */
#include "message.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/text.h"

#define MISS_TYPE 5 /* an enumerator only since Linux 6.1 */

/* --- requests --- */

static int refuse(struct request *r, int err, const void *at, const char *why)
{
	r->ack = why;
	r->bad = (uint32_t)((const char *)at - (const char *)r->h);
	return err;
}

/* What a length may be; liberal families take more than they need. */
static int check(struct request *r, const struct policy *p, const struct nlattr *a, enum strictness how)
{
	static const uint16_t exact[] = { [WANT_U8] = 1, [WANT_U16] = 2, [WANT_U32] = 4, [WANT_FLAG] = 0 };
	const uint8_t *data = (const uint8_t *)a + NLA_HDRLEN;
	uint16_t len = a->nla_len - NLA_HDRLEN, shown = len;
	bool nul = false;

	switch (p->want) {
	case WANT_U8:
	case WANT_U16:
	case WANT_U32:
		if (how == STRICT && len != exact[p->want])
			return refuse(r, -EINVAL, a, "invalid attribute length");
		return len < exact[p->want] ? refuse(r, -ERANGE, a, "Attribute failed policy validation") : 0;
	case WANT_FLAG:
		return len ? refuse(r, -ERANGE, a, "Attribute failed policy validation") : 0;
	case WANT_NEST:
		if (how == STRICT && !(a->nla_type & NLA_F_NESTED))
			return refuse(r, -EINVAL, a, "NLA_F_NESTED is missing");
		return 0;
	case WANT_BYTES:
		return len < p->len ? refuse(r, -ERANGE, a, "Attribute failed policy validation") : 0;
	case WANT_NUL_STRING:
		nul = memchr(data, 0, len < p->len + 1 ? len : p->len + 1u) != NULL;
		if (!nul)
			return refuse(r, -EINVAL, a, "Attribute failed policy validation");
		/* fall through */
	case WANT_STRING:
		if (shown && !data[shown - 1])
			shown--;
		return !len || shown > p->len ? refuse(r, -ERANGE, a, "Attribute failed policy validation") : 0;
	default:
		return 0;
	}
}

static const struct policy *row_of(const struct policy *p, uint16_t type)
{
	for (; p->want != WANT_END; p++)
		if (p->type == type)
			return p;
	return NULL;
}

static int parse(struct request *r, const uint8_t *at, size_t n, const struct policy *p, enum strictness how,
		 struct attr tb[ATTRS_MAX])
{
	memset(tb, 0, sizeof(*tb) * ATTRS_MAX);
	while (n >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)at;
		uint16_t type = a->nla_type & NLA_TYPE_MASK;
		size_t step = NLA_ALIGN((size_t)a->nla_len);
		const struct policy *row = row_of(p, type);
		int err;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > n)
			break;
		if (!row && how == STRICT)
			return refuse(r, -EINVAL, a, "Unknown attribute type");
		if (!row || row->want == WANT_NOT_TAUGHT)
			return sim_untaught(r->sim, "attribute %u of message type %u", type, r->h->nlmsg_type);
		err = check(r, row, a, how);
		if (err < 0)
			return err;
		if (type < ATTRS_MAX && row->want != WANT_IGNORED)
			tb[type] = (struct attr){ at + NLA_HDRLEN, (uint16_t)(a->nla_len - NLA_HDRLEN), a->nla_type };
		step = step < n ? step : n;
		at += step;
		n -= step;
	}
	if (n && how == STRICT) {
		r->ack = "bytes leftover after parsing attributes";
		return -EINVAL;
	}
	return n ? sim_untaught(r->sim, "%zu bytes left over behind the attributes of message type %u", n, r->h->nlmsg_type) : 0;
}

int request_attrs(struct request *r, size_t header, const struct policy *p, enum strictness how, struct attr tb[ATTRS_MAX])
{
	size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(header);

	if (r->h->nlmsg_len < NLMSG_HDRLEN + header)
		return -EINVAL;
	return parse(r, (const uint8_t *)r->h + at, r->h->nlmsg_len > at ? r->h->nlmsg_len - at : 0, p, how, tb);
}

int request_nest(struct request *r, const struct attr *nest, const struct policy *p, enum strictness how,
		 struct attr tb[ATTRS_MAX])
{
	return parse(r, nest->data, nest->len, p, how, tb);
}

bool request_each(const struct attr *nest, size_t *at, struct attr *one)
{
	const struct nlattr *a = (const void *)(nest->data + *at);

	if (nest->len - *at < NLA_HDRLEN || a->nla_len < NLA_HDRLEN || a->nla_len > nest->len - *at)
		return false;
	*one = (struct attr){ nest->data + *at + NLA_HDRLEN, (uint16_t)(a->nla_len - NLA_HDRLEN),
			      a->nla_type & NLA_TYPE_MASK };
	*at += NLA_ALIGN((size_t)a->nla_len);
	if (*at > nest->len)
		*at = nest->len;
	return true;
}

bool request_header(const struct request *r, void *header, size_t size)
{
	if (r->h->nlmsg_len < NLMSG_HDRLEN + size)
		return false;
	memcpy(header, (const char *)r->h + NLMSG_HDRLEN, size);
	return true;
}

bool request_dump(const struct request *r)
{
	return (r->h->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

int request_need(struct request *r, const struct attr tb[ATTRS_MAX], uint16_t type)
{
	if (tb[type].data)
		return 0;
	r->missing = type;
	return -EINVAL;
}

uint8_t attr_u8(const struct attr *a)
{
	return a->len ? a->data[0] : 0;
}

uint32_t attr_u32(const struct attr *a)
{
	uint32_t v = 0;

	if (a->len >= sizeof(v))
		memcpy(&v, a->data, sizeof(v));
	return v;
}

void attr_str(const struct attr *a, char *to, size_t size)
{
	size_t n = strnlen((const char *)a->data, a->len);

	if (n >= size)
		n = size - 1;
	memcpy(to, a->data, n);
	to[n] = 0;
}

/* --- answers --- */

static void align(struct text *t, size_t start)
{
	static const char zero[4];

	text_addn(t, zero, NLMSG_ALIGN(t->n - start) - (t->n - start));
}

size_t message_begin(struct request *r, uint16_t type, uint16_t flags, const void *header, size_t size)
{
	const struct nlmsghdr h = {
		.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = r->h->nlmsg_seq, .nlmsg_pid = r->h->nlmsg_pid,
	};
	size_t at = r->reply->n;

	text_addn(r->reply, &h, sizeof(h));
	if (size)
		text_addn(r->reply, header, size);
	align(r->reply, at);
	return at;
}

void message_end(struct request *r, size_t at)
{
	uint32_t len = (uint32_t)(r->reply->n - at);

	memcpy(r->reply->s + at + offsetof(struct nlmsghdr, nlmsg_len), &len, sizeof(len));
}

void put(struct text *t, uint16_t type, const void *data, size_t len)
{
	const struct nlattr a = { .nla_type = type, .nla_len = (uint16_t)(NLA_HDRLEN + len) };
	size_t at = t->n;

	text_addn(t, &a, sizeof(a));
	if (len)
		text_addn(t, data, len);
	align(t, at);
}

void put_u8(struct text *t, uint16_t type, uint8_t v)
{
	put(t, type, &v, sizeof(v));
}

void put_u16(struct text *t, uint16_t type, uint16_t v)
{
	put(t, type, &v, sizeof(v));
}

void put_u32(struct text *t, uint16_t type, uint32_t v)
{
	put(t, type, &v, sizeof(v));
}

void put_u64(struct text *t, uint16_t type, uint64_t v)
{
	put(t, type, &v, sizeof(v));
}

void put_str(struct text *t, uint16_t type, const char *s)
{
	put(t, type, s, strlen(s) + 1);
}

size_t nest_begin(struct text *t, uint16_t type)
{
	size_t at = t->n;

	put(t, type, NULL, 0);
	return at;
}

void nest_end(struct text *t, size_t at)
{
	uint16_t len = (uint16_t)(t->n - at);

	memcpy(t->s + at + offsetof(struct nlattr, nla_len), &len, sizeof(len));
}

/* NLMSG_ERROR: of a failure always, of success for NLM_F_ACK. */
static void answer_error(struct request *r, int err)
{
	struct nlmsgerr e = { .error = err, .msg = *r->h };
	bool text = r->ack || (err && (r->bad || r->missing));
	size_t at = message_begin(r, NLMSG_ERROR, NLM_F_CAPPED | (text ? NLM_F_ACK_TLVS : 0), &e, sizeof(e));

	if (r->ack)
		put_str(r->reply, NLMSGERR_ATTR_MSG, r->ack);
	if (err && r->bad)
		put_u32(r->reply, NLMSGERR_ATTR_OFFS, r->bad);
	if (err && r->missing)
		put_u32(r->reply, MISS_TYPE, r->missing);
	message_end(r, at);
}

static void answer_done(struct request *r)
{
	message_end(r, message_begin(r, NLMSG_DONE, NLM_F_MULTI, &r->dump_error, sizeof(r->dump_error)));
}

static int route_talk(struct request *r)
{
	return r->h->nlmsg_type == RTM_GETDCB || r->h->nlmsg_type == RTM_SETDCB ? dcb_talk(r) : rtnl_talk(r);
}

static int family_talk(struct request *r, int protocol)
{
	switch (protocol) {
	case NETLINK_ROUTE:
		return route_talk(r);
	case NETLINK_GENERIC:
		return genl_talk(r);
	case NETLINK_RDMA:
		return nldev_talk(r);
	default:
		return sim_untaught(r->sim, "netlink protocol %d", protocol);
	}
}

int talk(struct sim *s, int protocol, const void *request, size_t n, struct text *reply)
{
	struct request r = { .sim = s, .h = request, .reply = reply };
	const size_t before = reply->n;
	int err;

	if (n < NLMSG_HDRLEN || r.h->nlmsg_len < NLMSG_HDRLEN || r.h->nlmsg_len > n)
		return -EINVAL;
	if (protocol == NETLINK_RDMA && !module_loaded(s, "ib_core"))
		return -EPROTONOSUPPORT;
	if (!(r.h->nlmsg_flags & NLM_F_REQUEST))	/* the kernel does not look at it */
		return sim_untaught(s, "a message without NLM_F_REQUEST, which is never answered");
	err = family_talk(&r, protocol);
	if (err < 0) {
		reply->n = before;
		answer_error(&r, err);
		return 0;
	}
	if (request_dump(&r))
		answer_done(&r);
	else if (r.h->nlmsg_flags & NLM_F_ACK)
		answer_error(&r, 0);
	if (reply->n > before)
		return 0;
	sim_untaught(s, "waiting for an answer to message type %u, which has none without NLM_F_ACK", r.h->nlmsg_type);
	return -ETIMEDOUT;
}
