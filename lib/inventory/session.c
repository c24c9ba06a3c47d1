/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's own session: SSH_CONNECTION ("CLIENT PORT SERVER PORT") in the environment of this process or of an
 * ancestor (/proc/PID/environ), or an established TCP connection of an ancestor that is sshd (/proc/PID/fd,
 * /proc/net/tcp). From our end's address to the netdev by one RTM_GETADDR dump, and down its links to the port.
 */
#include "inventory/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "inventory/ports.h"
#include "kernel/kernel.h"
#include "kernel/rtnl.h"
#include "model/facts.h"

#define ANCESTORS_MAX	64
#define DESCRIPTORS_MAX 4096u
#define DEPTH_MAX	8
#define VARIABLE	"SSH_CONNECTION="
#define SHOWN		64

struct search {
	struct kernel *k;
	struct arena *a;
	char address[INET6_ADDRSTRLEN + 20];	/* "" not found; with %ZONE where sshd said so */
	int refused;			/* -errno of the first that could not be looked at, or 0 */
};

/* --- our end of the connection ------------------------------------------------ */

/* The third word is our address. */
static bool take_connection(struct search *s, const char *text, size_t n)
{
	char copy[256], *save = NULL, *word = NULL;

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	for (int i = 0; i < 3; i++) {
		word = strtok_r(i ? NULL : copy, " ", &save);
		if (!word)
			return false;
	}
	return snprintf(s->address, sizeof(s->address), "%s", word) < (int)sizeof(s->address);
}

static bool in_environment(struct search *s, unsigned pid)
{
	TEXT_CLEANUP struct text t = { 0 };
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%u/environ", pid);
	r = kernel_read(s->k, path, &t);
	if (r < 0 && r != -ENOENT && !s->refused)
		s->refused = r;
	for (const char *at = text_str(&t), *end = at + t.n; r == 0 && at < end;) {
		size_t n = strnlen(at, (size_t)(end - at));

		if (n > strlen(VARIABLE) && !memcmp(at, VARIABLE, strlen(VARIABLE)))
			return take_connection(s, at + strlen(VARIABLE), n - strlen(VARIABLE));
		at += n + 1;
	}
	return false;
}

/* "PID (NAME) S PPID …"; a name may hold anything. */
static bool parent_of(struct search *s, const char *process, unsigned *pid, char name[32])
{
	TEXT_CLEANUP struct text t = { 0 };
	char path[64];
	const char *from, *to;

	snprintf(path, sizeof(path), "proc/%s/stat", process);
	if (kernel_read(s->k, path, &t) < 0)
		return false;
	from = strchr(text_str(&t), '(');
	to = strrchr(text_str(&t), ')');
	if (!from || !to || to < from || sscanf(to + 1, " %*c %u", pid) != 1)
		return false;
	snprintf(name, 32, "%.*s", (int)(to - from - 1 < 31 ? to - from - 1 : 31), from + 1);
	return true;
}

/* A line of proc/net/tcp or tcp6: local and remote end in hexadecimal, words in the machine's order; state 1: established. */
static bool take_line(struct search *s, const char *line, uint64_t inode, int family)
{
	char local[33];
	uint32_t word[4] = { 0 };
	unsigned state;
	unsigned long long ino;

	if (sscanf(line, " %*u: %32[0-9A-F]:%*4s %*[0-9A-F]:%*4s %2x %*s %*s %*s %*u %*u %llu", local, &state, &ino) != 3 ||
	    state != 1 || ino != inode || strlen(local) != (family == AF_INET ? 8u : 32u))
		return false;
	for (size_t i = 0; i < strlen(local) / 8; i++) {
		char part[9];

		snprintf(part, sizeof(part), "%.8s", local + 8 * i);
		word[i] = (uint32_t)strtoul(part, NULL, 16);
	}
	return inet_ntop(family, word, s->address, sizeof(s->address)) != NULL;
}

static bool find_connection(struct search *s, const char *path, int family, uint64_t inode)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (kernel_read(s->k, path, &t) < 0)
		return false;
	for (const char *line = text_str(&t); *line;) {
		size_t n = strcspn(line, "\n");

		if (take_line(s, line, inode, family))
			return true;
		line += n + (line[n] == '\n');
	}
	return false;
}

static bool in_sockets(struct search *s, unsigned pid)
{
	struct names fds;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%u/fd", pid);
	r = kernel_list(s->k, path, &fds);
	if (r < 0) {
		if (r != -ENOENT && !s->refused)
			s->refused = r;
		return false;
	}
	for (size_t i = 0; i < fds.n && i < DESCRIPTORS_MAX; i++) {
		TEXT_CLEANUP struct text to = { 0 };
		unsigned long long inode;

		if (strlen(fds.at[i]) > 10)
			continue;
		snprintf(path, sizeof(path), "proc/%u/fd/%s", pid, fds.at[i]);
		if (kernel_link(s->k, path, &to) < 0 || sscanf(text_str(&to), "socket:[%llu]", &inode) != 1)
			continue;
		if (find_connection(s, "proc/net/tcp", AF_INET, inode) || find_connection(s, "proc/net/tcp6", AF_INET6, inode))
			return true;
	}
	return false;
}

/* An environment beats a socket: sshd of another session may be an ancestor, too (a terminal multiplexer's). */
static bool among_ancestors(struct search *s)
{
	unsigned pid, sshd = 0;
	char name[32], process[16] = "self";

	for (int i = 0; i < ANCESTORS_MAX && parent_of(s, process, &pid, name); i++) {
		if (i && !sshd && !strncmp(name, "sshd", 4))
			sshd = (unsigned)strtoul(process, NULL, 10);
		if (pid <= 1)
			break;
		if (in_environment(s, pid))
			return true;
		snprintf(process, sizeof(process), "%u", pid);
	}
	return sshd && in_sockets(s, sshd);
}

/* --- whose address it is -------------------------------------------------------- */

static int netdev_of(struct kernel *k, char *address, uint32_t *ifindex)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char *zone = strchr(address, '%');
	uint8_t bytes[16];

	if (zone) {			/* a link-local address is its netdev's alone */
		const struct rtnl_link *link = rtnl_link(k, zone + 1);

		*ifindex = link ? link->ifindex : 0;
		return link ? 0 : -ENODEV;
	}
	if (inet_pton(AF_INET, address, bytes) == 1)
		return rtnl_address_owner(k, bytes, 4, ifindex);
	if (inet_pton(AF_INET6, address, bytes) != 1)
		return -EINVAL;
	if (!memcmp(bytes, mapped, sizeof(mapped)))
		return rtnl_address_owner(k, bytes + sizeof(mapped), 4, ifindex);
	return rtnl_address_owner(k, bytes, sizeof(bytes), ifindex);
}

const struct own_session *session_own(struct kernel *k, struct arena *a, const char *connection)
{
	struct own_session *own = arena_new_of(a, struct own_session);
	struct search s = { .k = k, .a = a };
	const struct rtnl_link *link;
	int r;

	if (!(connection && take_connection(&s, connection, strlen(connection))) && !among_ancestors(&s)) {
		if (s.refused)
			own->why = arena_printf(a, "the processes above this one cannot be looked at: %s", strerror(-s.refused));
		return own;
	}
	own->address = text_safe(a, s.address, strlen(s.address), SHOWN);
	r = netdev_of(k, s.address, &own->ifindex);
	link = r == 0 ? rtnl_link_by_index(k, own->ifindex) : NULL;
	if (link && link->loopback)
		own->why = "its address is on the loopback, so any port may carry it";
	else if (link)
		own->ifname = link->ifname;
	else
		own->why = arena_printf(a, "which interface has its address: %s", strerror(r < 0 ? -r : ENODEV));
	return own;
}

/* --- down to the ports ------------------------------------------------------------ */

static bool is_below(struct kernel *k, uint32_t ifindex, const struct port *p, int depth)
{
	const struct rtnl_link *link, *all;
	size_t n;

	if (p->ifindex && ifindex == p->ifindex)
		return true;
	link = ifindex && depth < DEPTH_MAX ? rtnl_link_by_index(k, ifindex) : NULL;
	if (!link || rtnl_links(k, &all, &n) < 0)
		return false;
	if (link->lower && is_below(k, link->lower, p, depth + 1))
		return true;
	for (size_t i = 0; i < n; i++)
		if (all[i].master == ifindex && is_below(k, all[i].ifindex, p, depth + 1))
			return true;
	return false;
}

bool session_over(const struct own_session *s, struct kernel *k, const struct facts *f, const struct port *p)
{
	if (!s->ifname)
		return false;
	if (is_below(k, s->ifindex, p, 0))
		return true;
	for (size_t i = 0; i < f->nports; i++)
		if (device_rides(&f->port[i], p) && is_below(k, s->ifindex, &f->port[i], 0))
			return true;
	return false;
}
