/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .d directories that systemd and kmod read at boot: files of /etc, /run, /usr/local/lib, /usr/lib and (where
 * /usr is not merged) /lib, in the order of their base names. A file of a higher directory hides those of the same
 * name below it, also if it is empty or a link to /dev/null.
 */
#ifndef BOOT_CONFD_H
#define BOOT_CONFD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct arena;
struct kernel;

struct confd_file {
	const char *name;		/* base name: "99-sysctl.conf" */
	const char *path;		/* as kernel.h wants it: "etc/sysctl.d/99-sysctl.conf" */
	struct source source;		/* "/etc/sysctl.d/99-sysctl.conf" and its text; "" if masked */
	int err;			/* why it could not be read (negative errno), else 0 */
};

struct confd {
	struct confd_file *at;		/* by base name, as strcmp orders */
	size_t n;
	struct confd_file *hidden;	/* by a file of the same name in a higher directory; not read before confd_hidden() */
	size_t nhidden;
};

/* A line that one might think wins, and does not. */
struct confd_loser {
	struct pos pos;
	const char *value;		/* what it says */
	const char *why;		/* why it does not count */
};

struct confd_losers {
	struct confd_loser *at;
	size_t n, room;
};

/**
 * confd_load - all files of the directories for @subdir ("sysctl.d"), each read once an observation
 * @suffixes: of names that count (".conf"), NULL at the end; hidden files never do
 * Return: 0, also if no directory exists; -errno if one could not be listed.
 */
int confd_load(struct kernel *k, const char *subdir, const char *const *suffixes, const struct confd **out);
/** confd_dirs - the same for @dirs ("etc/rdma/modules"), highest first, NULL at the end */
int confd_dirs(struct kernel *k, const char *const *dirs, const char *const *suffixes, const struct confd **out);

/** confd_unread - the first file from @from on that could not be read, or NULL; what it says is not known */
const struct confd_file *confd_unread(const struct confd *c, size_t from);
/** confd_hidden - reads the hidden files, for those who ask why theirs does not count */
void confd_hidden(struct kernel *k, const struct confd *c);
/** confd_hides - the file that hides @f, of the same name */
const struct confd_file *confd_hides(const struct confd *c, const struct confd_file *f);
/** confd_link - where the file is a symbolic link to ("../sysctl.conf"), or NULL; safe text in the kernel's arena */
const char *confd_link(struct kernel *k, const struct confd_file *f);

/* One line after the other: struct confd_line l = { .source = s }; while (confd_line(&l)) … */
struct confd_line {
	const struct source *source;
	const char *s;			/* without the newline, and without blanks at both ends */
	size_t n;
	unsigned line;			/* from 1 */
	size_t next;			/* offset behind it */
};
bool confd_line(struct confd_line *l);
/** confd_pos - where @s of @n bytes inside the line stands */
struct pos confd_pos(const struct confd_line *l, const char *s, size_t n);

#endif
