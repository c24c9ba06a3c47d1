/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a port that are a kernel file each (sysfs, debugfs), as tables: two functions serve them all. */
#ifndef SETTINGS_PORT_FILES_H
#define SETTINGS_PORT_FILES_H

#include "base/text.h"
#include "model/change.h"

struct diags;
struct kernel;

/*
 * Paths take {ifname} {ibdev} {port} {bdf}, and {prio} for a KIND_SET: eight files with 0 or 1, a bit each. All other
 * files hold one decimal number.
 */
struct file_row {
	unsigned field;
	const char *path;
	const char *mode; /* a second file: not 0 means that the first is not in use. Writing the first resets it */
};

struct file_table {
	const char *dir;		/* without it no row exists: one look instead of one for each; or NULL */
	const char *lacks; /* what a missing directory or file means, for people; NULL: another home knows */
	const struct file_row *row;	/* path NULL at the end */
};

/** file_read, file_write - for a home whose table is a struct file_table; only files of open cells are read */
int file_read(struct kernel *k, struct part *p, struct diags *d);
int file_write(struct kernel *k, const struct change *c, struct diags *d);

/**
 * file_path - a row's path for this port
 * Return: 0; -ENOENT if the port has no such name (no PCI function, no netdev, no RDMA device)
 */
int file_path(const struct target *t, const char *pattern, unsigned prio, struct text *out);
/** file_number - the number in such a file; 0 or -errno, -EBADMSG if it holds something else */
int file_number(struct kernel *k, const struct target *t, const char *pattern, unsigned prio, uint64_t *v);
/** file_set_number - write it; failure is told in @d with the path */
int file_set_number(struct kernel *k, const struct target *t, const char *pattern, unsigned prio, uint64_t v,
		    struct diags *d);

#endif
