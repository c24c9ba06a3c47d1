/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What systemd-sysctl will set at the next boot: sysctl.d(5). The last assignment of a key wins, files in the order
 * of their base names; an assignment by name beats every pattern, wherever it stands; "-key" without a value takes a
 * key out of the patterns and undoes what was assigned before. /etc/sysctl.conf counts only where a link in sysctl.d
 * leads to it. Patterns are matched against the key alone, so that a tree without /proc/sys gives the same answer.
 */
#ifndef BOOT_SYSCTLD_H
#define BOOT_SYSCTLD_H

#include "boot/confd.h"

struct sysctl_line {
	const char *path;		/* "net/core/rmem_max", or a pattern */
	const char *value;		/* blanks at both ends taken off; NULL: "-key" alone */
	struct pos pos;
	const struct confd_file *file;
	bool pattern;
};

struct sysctld {
	const struct confd *confd;
	struct sysctl_line *at;		/* in the order of reading */
	size_t n;
};

/** sysctld_load - all assignments, read once an observation. Return: 0; -errno if a directory could not be listed */
int sysctld_load(struct kernel *k, const struct sysctld **out);

/**
 * sysctld_path - a key with dots or slashes as a path below /proc/sys: "net.ipv4.conf.eth0/100.rp_filter" is
 *	"net/ipv4/conf/eth0.100/rp_filter". If the first separator is a slash, dots are letters.
 * Return: in @a; empty for an empty key.
 */
char *sysctld_path(struct arena *a, const char *key);
/** sysctld_key - a path below /proc/sys as a key for sysctl.d: with dots, or with slashes if a name has a dot */
const char *sysctld_key(struct arena *a, const char *path);

struct sysctl_answer {
	const struct sysctl_line *wins;	/* the value at boot; NULL: no file sets it, or "-key" (then undone is set) */
	const struct sysctl_line *undone;
	const struct confd_file *unread;	/* not NULL: this file could not be read and might win */
};

/** sysctld_find - who sets @path ("net/core/rmem_max") */
struct sysctl_answer sysctld_find(const struct sysctld *s, struct arena *a, const char *path);
/**
 * sysctld_losers - every line for @path that does not count, and why: beaten, taken out again, in a file that is hidden or
 *	that systemd-sysctl does not read (/etc/sysctl.conf). Reads what sysctld_load did not need to.
 */
void sysctld_losers(struct kernel *k, const struct sysctld *s, const char *path, const struct sysctl_answer *answer,
		    struct confd_losers *out);

/**
 * sysctld_procps - the line that `sysctl --system` of procps 4 would apply last: it reads /etc/sysctl.conf at the end
 *	(procps 3 also puts /run before /etc: not told). Return: in the kernel's arena; NULL: none, or patterns decide,
 *	which it takes otherwise
 */
const struct sysctl_line *sysctld_procps(struct kernel *k, const struct sysctld *s, const char *path);
/** sysctld_after - the last assignment of @path by name in a file that sorts after the base name @name, or NULL */
const struct sysctl_line *sysctld_after(const struct sysctld *s, const char *path, const char *name);

/**
 * sysctld_on_module - does a udev rule run systemd-sysctl when @module is added, so that its keys come late but come
 *	Looks into the rules of this host (/etc, /run), not into those of packages. Return: the file, or NULL.
 */
const struct confd_file *sysctld_on_module(struct kernel *k, const char *module);

#endif
