/* SPDX-License-Identifier: Apache-2.0 */
/* The live machine's own parts; nobody outside live*.c and verbs.c includes this, but for tests. */
#ifndef KERNEL_LIVE_H
#define KERNEL_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gid_entry;
struct kernel;
struct kernel_stat;
struct lldp;
struct lldp_words;
struct names;
struct text;
struct verbs_port;

enum { LIVE_ROUTE, LIVE_GENERIC, LIVE_RDMA, LIVE_SOCKETS };

struct live {
	int root;			/* directory that all paths are below */
	bool whole;			/* the root is "/": all doors are open */
	bool no_openat2;		/* links are followed by live_resolve() */
	struct live_socket {
		int fd;			/* -1: not opened yet */
		uint32_t portid, seq;
	} socket[LIVE_SOCKETS];
	size_t receive_room;		/* bytes for one datagram */
	struct {			/* the directory of the last file read, see live_files.c */
		int fd;			/* -1: not open */
		size_t n;
		char path[256];
	} near;
};

/** live_open - open(2) below the root; links are resolved inside it. Return: a descriptor or -errno */
int live_open(struct live *l, const char *path, int flags);
/** live_leave - forget the directory of the last file: whatever is asked now may change what its name means */
void live_leave(struct live *l);
/**
 * live_resolve - @path below @root without symbolic links in it, where the kernel has no openat2(2)
 * @follow: also the last component
 * Return: 0; -ELOOP, -ENAMETOOLONG. A component that is missing stays as it is.
 */
int live_resolve(int root, const char *path, bool follow, char out[PATH_MAX]);

int live_read(struct kernel *k, const char *path, struct text *out);
int live_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n);
int live_list(struct kernel *k, const char *path, struct names *out);
int live_link(struct kernel *k, const char *path, struct text *out);
int live_stat(struct kernel *k, const char *path, struct kernel_stat *st);
int live_write(struct kernel *k, const char *path, const char *s, size_t n);
int live_mkdir(struct kernel *k, const char *path);
int live_rmdir(struct kernel *k, const char *path);
int live_replace(struct kernel *k, const char *path, const char *s, size_t n, uint32_t mode);
int live_remove(struct kernel *k, const char *path);
int live_append(struct kernel *k, const char *path, const char *s, size_t n, bool sync);
int live_rename(struct kernel *k, const char *from, const char *to);

int live_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out);
int live_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n);
int live_lldp(struct kernel *k, struct lldp *out);
int live_lldp_say(struct kernel *k, const struct lldp_words *w);

#endif
