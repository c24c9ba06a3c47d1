/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This machine. Sockets are opened when first needed and kept; nothing is loaded by that (law 1). With a root of
 * its own only the files below it are answered.
 */
#include "kernel/live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

#define RECEIVE_ROOM	(32u << 10) /* the kernel puts a little less into one datagram of a dump */
#define RECEIVE_MAX	(4u << 20)
#define REPLY_MAX	(64u << 20)
#define RECEIVE_SECONDS 30

static const int protocols[LIVE_SOCKETS] = { NETLINK_ROUTE, NETLINK_GENERIC, NETLINK_RDMA };

static int socket_options(int fd)
{
	const struct timeval wait = { .tv_sec = RECEIVE_SECONDS };
	const int on = 1;

	/* text of errors is a courtesy of kernels since 4.12 */
	(void)!setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)!setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ? -errno : 0;
}

static int socket_open(struct live_socket *s, int protocol)
{
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	socklen_t n = sizeof(self);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int r;

	if (fd < 0)
		return -errno;
	r = socket_options(fd);
	if (r == 0 && (bind(fd, (void *)&self, sizeof(self)) < 0 || getsockname(fd, (void *)&self, &n) < 0))
		r = -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	*s = (struct live_socket){ .fd = fd, .portid = self.nl_pid };
	return 0;
}

static int live_socket(struct live *l, int protocol, struct live_socket **s)
{
	for (int i = 0; i < LIVE_SOCKETS; i++) {
		if (protocols[i] != protocol)
			continue;
		*s = &l->socket[i];
		if ((*s)->fd >= 0)
			return 0;
		if (protocol == NETLINK_RDMA && faccessat(l->root, "sys/module/ib_core", F_OK, 0) < 0)
			return -EPROTONOSUPPORT; /* the socket would load it */
		return socket_open(*s, protocol);
	}
	return -EPROTONOSUPPORT;
}

static int send_request(struct live_socket *s, const void *request, size_t n)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	char copy[16384];
	struct nlmsghdr *h = (void *)copy;

	if (n < sizeof(*h) || n > sizeof(copy))
		return -EINVAL;
	memcpy(copy, request, n);
	h->nlmsg_seq = ++s->seq;
	h->nlmsg_pid = s->portid;
	return sendto(s->fd, copy, n, 0, (void *)&kernel, sizeof(kernel)) < 0 ? -errno : 0;
}

/* One datagram from the kernel behind @reply; -EMSGSIZE if the room was too small, and then it is lost. */
static int receive(struct live *l, struct live_socket *s, struct text *reply, size_t *got)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { text_room(reply, l->receive_room), l->receive_room };
	struct msghdr m = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	do {
		m.msg_namelen = sizeof(from);
		n = recvmsg(s->fd, &m, 0);
	} while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid != 0)); /* other processes may send, too */
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (m.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	*got = (size_t)n;
	return 0;
}

/* Looks at the messages of one datagram: drops what answers an older request, and says whether the last one came. */
static bool last_came(const struct live_socket *s, uint16_t asked, struct text *reply, size_t got)
{
	char *end = reply->s + reply->n + got, *at = reply->s + reply->n;
	bool last = false;

	while ((size_t)(end - at) >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr h;
		size_t n;

		memcpy(&h, at, sizeof(h));
		n = NLMSG_ALIGN((size_t)h.nlmsg_len);
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > (size_t)(end - at))
			break;
		if (n > (size_t)(end - at))
			n = (size_t)(end - at);
		if (h.nlmsg_seq != s->seq || h.nlmsg_pid != s->portid) {
			memmove(at, at + n, (size_t)(end - at) - n);
			end -= n;
			continue;
		}
		at += n;
		if (h.nlmsg_type == NLMSG_DONE || h.nlmsg_type == NLMSG_ERROR)
			last = true;
		else if (!(h.nlmsg_flags & NLM_F_MULTI) && !(asked & (NLM_F_DUMP | NLM_F_ACK)))
			last = true;
	}
	text_used(reply, (size_t)(end - (reply->s + reply->n)));
	return last;
}

static int exchange(struct live *l, struct live_socket *s, const void *request, size_t n, struct text *reply)
{
	const size_t before = reply->n;
	struct nlmsghdr asked;
	size_t got = 0;
	int r = send_request(s, request, n);

	if (r < 0)
		return r;
	memcpy(&asked, request, sizeof(asked));
	do {
		r = receive(l, s, reply, &got);
		if (r < 0)
			return r;
		if (reply->n - before + got > REPLY_MAX)
			return -EMSGSIZE;
	} while (!last_came(s, asked.nlmsg_flags, reply, got));
	return 0;
}

static int live_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	struct live *l = k->self;
	struct live_socket *s;
	const size_t before = reply->n;
	struct nlmsghdr asked = { 0 };
	int r;

	if (!l->whole)
		return -ENODATA;
	live_leave(l);
	r = live_socket(l, protocol, &s);
	if (r < 0)
		return r;
	if (n >= sizeof(asked))
		memcpy(&asked, request, sizeof(asked));
	for (;;) {
		r = exchange(l, s, request, n, reply);
		if (r == 0)
			return 0;
		reply->n = before;
		/* a dump changes nothing and may be asked again; what is left of the old one has another number */
		if (r != -EMSGSIZE || (asked.nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP || l->receive_room >= RECEIVE_MAX)
			return r;
		l->receive_room *= 4;
	}
}

static int live_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	struct live *l = k->self;
	struct live_socket *s;
	struct ifreq request = { .ifr_data = cmd };
	int r;

	(void)n; /* for doors that have to copy it */
	if (!l->whole)
		return -ENODATA;
	if (strlen(ifname) >= sizeof(request.ifr_name))
		return -ENODEV;
	r = live_socket(l, NETLINK_ROUTE, &s); /* any socket takes this ioctl */
	if (r < 0)
		return r;
	strcpy(request.ifr_name, ifname);
	live_leave(l);
	return ioctl(s->fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
}

static int live_wait(struct kernel *k, uint32_t ms)
{
	struct timespec until;
	int r;

	(void)k;
	if (clock_gettime(CLOCK_MONOTONIC, &until) < 0)
		return -errno;
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	do
		r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	while (r == EINTR);
	return -r;
}

static void live_close(struct kernel *k)
{
	struct live *l = k->self;

	for (int i = 0; i < LIVE_SOCKETS; i++)
		if (l->socket[i].fd >= 0)
			close(l->socket[i].fd);
	live_leave(l);
	close(l->root);
}

static const struct kernel_ops live_ops = {
	.read = live_read,
	.read_at = live_read_at,
	.list = live_list,
	.link = live_link,
	.stat = live_stat,
	.write = live_write,
	.mkdir = live_mkdir,
	.rmdir = live_rmdir,
	.replace = live_replace,
	.remove = live_remove,
	.append = live_append,
	.rename = live_rename,
	.talk = live_talk,
	.ethtool = live_ethtool,
	.verbs = live_verbs,
	.gids = live_gids,
	.lldp = live_lldp,
	.lldp_say = live_lldp_say,
	.wait = live_wait,
	.close = live_close,
};

struct kernel *kernel_live(struct arena *a, const char *root)
{
	const bool whole = !root || !strcmp(root, "/");
	struct live *l;
	struct kernel *k;
	int fd = open(whole ? "/" : root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	l = arena_new_of(a, struct live);
	*l = (struct live){ .root = fd, .whole = whole, .receive_room = RECEIVE_ROOM, .near.fd = -1 };
	for (int i = 0; i < LIVE_SOCKETS; i++)
		l->socket[i].fd = -1;
	k = arena_new_of(a, struct kernel);
	*k = (struct kernel){
		.ops = &live_ops,
		.self = l,
		.arena = a,
		.kind = whole ? "live" : "root",
		.files_only = !whole,
	};
	return k;
}
