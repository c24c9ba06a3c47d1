/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine behind its doors. Everything rdmactl learns from a machine or
 * does to one goes through struct kernel: files below a root, a netlink talk,
 * the ethtool ioctl, the verbs queries, lldpd. Three implementations: live.c (this
 * machine, or files below --root), dump.c (recorded answers), tests/sim (a
 * kernel in memory). Nothing else in the tree opens a file of the machine or a socket.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct kernel;
struct lldp;
struct lldp_words;

#define KERNEL_OWN "var/lib/rdmactl/"	/* where rdmactl remembers runs */
#define KERNEL_FILE_MAX (4u << 20)	/* longer files are -EFBIG */

struct kernel_stat {
	uint32_t mode;			/* as in struct stat; symbolic links are followed */
	uint64_t size;
	int64_t mtime_ns;		/* since the epoch */
};

struct names {				/* a directory's entries, sorted by strcmp, without . and .. */
	const char **at;		/* in the kernel's arena */
	size_t n;
};

/* One entry of a GID table (UVERBS_METHOD_QUERY_GID_TABLE, or gids/ and gid_attrs/ of sysfs). */
struct gid_entry {
	uint8_t gid[16];
	uint32_t index;
	uint32_t port;
	uint32_t type;			/* 0 IB, 1 RoCE v1, 2 RoCE v2 (enum ib_uverbs_gid_type) */
	uint32_t ifindex;		/* 0: unknown or none */
};

struct verbs_port {			/* ibv_query_port: what neither sysfs nor netlink tells */
	uint32_t active_mtu, max_mtu;	/* bytes */
	uint32_t state;
};

/*
 * Paths have no leading slash: "sys/class/net/eth0/mtu", "etc/sysctl.d/50-x.conf". Symbolic links are resolved
 * below the root. All return 0 or a negative errno; -ENODATA means "this door was not asked" (a dump without the
 * answer, netlink under --root): reason not-recorded.
 */
struct kernel_ops {
	int (*read)(struct kernel *k, const char *path, struct text *out);	/* appends; one open, read, close */
	/* at most @n bytes from @offset on, by one pread; returns how many. NULL: no such door */
	int (*read_at)(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n);
	int (*list)(struct kernel *k, const char *path, struct names *out);
	int (*link)(struct kernel *k, const char *path, struct text *out);	/* readlink, as it is */
	int (*stat)(struct kernel *k, const char *path, struct kernel_stat *st);
	/* kernel files: one write(2) to a file that exists (procfs, sysfs, debugfs, configfs) */
	int (*write)(struct kernel *k, const char *path, const char *s, size_t n);
	int (*mkdir)(struct kernel *k, const char *path);
	int (*rmdir)(struct kernel *k, const char *path);
	/* files that rdmactl owns: new content by rename in the same directory, fsynced, missing parents made;
	 * symbolic links in the last component refused (-ELOOP). remove: -ENOENT is fine with callers. */
	int (*replace)(struct kernel *k, const char *path, const char *s, size_t n, uint32_t mode);
	int (*remove)(struct kernel *k, const char *path);
	/*
	 * What rdmactl remembers for itself (var/lib/rdmactl): appended to a file, made with its parents if missing, in one
	 * write, fsynced with its directory if @sync; a torn write is taken back. A file gets another name in its directory
	 * tree, fsynced on both sides.
	 */
	int (*append)(struct kernel *k, const char *path, const char *s, size_t n, bool sync);
	int (*rename)(struct kernel *k, const char *from, const char *to);
	/*
	 * One netlink request (whole nlmsghdr; sequence and port are the door's business) on NETLINK_ROUTE,
	 * NETLINK_GENERIC or NETLINK_RDMA; appends all messages of the answer to @reply, up to and with the
	 * NLMSG_DONE of a dump, the NLMSG_ERROR of a failure or of NLM_F_ACK. Not an error for the door: an
	 * NLMSG_ERROR inside the reply. NETLINK_RDMA is -EPROTONOSUPPORT, without a socket, if
	 * sys/module/ib_core does not exist (opening it would load the module: law 1).
	 */
	int (*talk)(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply);
	int (*ethtool)(struct kernel *k, const char *ifname, void *cmd, size_t n);	/* SIOCETHTOOL, in place */
	int (*verbs)(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out);
	int (*gids)(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n);
	/* what lldpd knows of all ports (lldp.h), in the kernel's arena */
	int (*lldp)(struct kernel *k, struct lldp *out);
	int (*lldp_say)(struct kernel *k, const struct lldp_words *w);	/* what it is to send; NULL: no such door */
	/* lets time pass by CLOCK_MONOTONIC, at least @ms; a dump's does at once */
	int (*wait)(struct kernel *k, uint32_t ms);
	void (*close)(struct kernel *k);
};

struct kernel {
	const struct kernel_ops *ops;
	void *self;			/* the implementation's */
	struct arena *arena;		/* of this observation; names and memos live here */
	const char *kind;		/* "live", "root", "dump", "sim" */
	bool files_only;		/* --root: boot files may be written, nothing else */
	bool asks_verbs;		/* the verbs door is open: starting libibverbs costs more than all other reads */
	bool read_only;			/* a dump, or one being made: whatever would set something is -EROFS */
	bool (*keep)(const char *line, size_t n);	/* while set, a dump gets only these lines of a file, the others empty */
	bool keep_joined;		/* those that a backslash joins are asked about as one, with comments among them */
	int64_t observed_s;		/* a dump: when it was taken, since the epoch; 0: now */
	const char *ack;		/* the kernel's own words for the last failed talk, or NULL; safe text */
	uint64_t writes;		/* sets done through any door so far: a second apply has 0 */
	struct memo *memo;		/* answers shared within one observation; dropped by every write */
};

/*
 * Wrappers; use these, not ops. Those that change something drop all memos and count in k->writes, also when the
 * door says that it failed. A path with a leading slash or a `..` is -EINVAL, one of 4096 bytes or more
 * -ENAMETOOLONG; a door that an implementation does not have is -EOPNOTSUPP.
 */
int kernel_read(struct kernel *k, const char *path, struct text *out);
/** kernel_read_at - a piece of a binary file (PCI config space). Return: bytes read, 0 at its end, or -errno */
int kernel_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n);
int kernel_list(struct kernel *k, const char *path, struct names *out);
int kernel_link(struct kernel *k, const char *path, struct text *out);
int kernel_stat(struct kernel *k, const char *path, struct kernel_stat *st);
int kernel_write(struct kernel *k, const char *path, const char *s, size_t n);
int kernel_mkdir(struct kernel *k, const char *path);	/* mkdir and rmdir of configfs/rdma_cm: law 1's exception, */
int kernel_rmdir(struct kernel *k, const char *path);	/* not counted as writes, no memo dropped */
int kernel_replace(struct kernel *k, const char *path, const char *s, size_t n, uint32_t mode);
int kernel_remove(struct kernel *k, const char *path);
/** kernel_tidy - takes away what a kernel_replace() of @path that was killed left beside it; counts as no write. 0, -errno */
int kernel_tidy(struct kernel *k, const char *path);
#define KERNEL_BESIDE ".%s.rdmactl-new"	/* the new content of a file, by its name, until it takes its place */
/*
 * kernel_append, kernel_rename, kernel_keep, kernel_drop - rdmactl's own memory in var/lib/rdmactl, and nothing else (-EINVAL):
 * no setting of the machine, so they are not counted as writes and drop no memo. keep replaces, drop removes. mode 0644
 */
int kernel_append(struct kernel *k, const char *path, const char *s, size_t n, bool sync);
int kernel_rename(struct kernel *k, const char *from, const char *to);
int kernel_keep(struct kernel *k, const char *path, const char *s, size_t n);
int kernel_drop(struct kernel *k, const char *path);
int kernel_talk(struct kernel *k, int protocol, const void *request, size_t n, bool sets, struct text *reply);
int kernel_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n, bool sets);
/** kernel_verbs - what the device says of a port; -ENODATA unless k->asks_verbs */
int kernel_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out);
int kernel_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n);
/** kernel_lldp - the question of lldp_get(), each time anew */
int kernel_lldp(struct kernel *k, struct lldp *out);
/**
 * kernel_lldp_say - tells lldpd what to send from now on (lldp.h); a write
 * Return: 0; what lldp_get() returns; -ENODEV lldpd does not listen on that interface; -EOPNOTSUPP no such door.
 */
int kernel_lldp_say(struct kernel *k, const struct lldp_words *w);
/**
 * kernel_wait - let the machine go on for at least @ms milliseconds, between two readings of the same thing
 * A recorded machine has its second reading behind the first: no time passes. Memos stay.
 * Return: 0; -EOPNOTSUPP no such door.
 */
int kernel_wait(struct kernel *k, uint32_t ms);
void kernel_close(struct kernel *k);

/**
 * kernel_memo - the slot for what @key answered in this observation; *slot is NULL the first time
 * Dropped by every write (kernel_changed), so that what is read back is read afresh. Keys name interface and
 * object: "dcb:eth0", "rtnl:links". Values live in k->arena.
 */
void **kernel_memo(struct kernel *k, const char *key);
void kernel_changed(struct kernel *k);
/** kernel_renew - forget all memos without counting a write: the world is observed anew */
void kernel_renew(struct kernel *k);

/** kernel_live - this machine; @root "/" or NULL: all doors, else only the files below it. NULL with errno set */
struct kernel *kernel_live(struct arena *a, const char *root);

#endif
