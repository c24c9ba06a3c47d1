/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What modprobe will hand to a module when it is next loaded: modprobe.d(5) as kmod 30 reads it, and the kernel command
 * line. Our own reader, since libkmod gives neither file nor line, takes the command line of the running host whatever
 * the root, and costs more to start than everything that is read here.
 */
#ifndef BOOT_MODPROBE_H
#define BOOT_MODPROBE_H

#include "boot/cmdline.h"
#include "boot/confd.h"

enum modprobe_kind {
	MODPROBE_NOTHING,
	MODPROBE_OPTIONS,
	MODPROBE_BLACKLIST,
	MODPROBE_INSTALL,
	MODPROBE_ALIAS,			/* module: the alias; rest: the module that it stands for */
	MODPROBE_SOFTDEP,
	MODPROBE_BAD,
};

/* A logical line that decides something: what a backslash at the end joined is one. */
struct modprobe_line {
	enum modprobe_kind kind;
	const char *module;		/* with underscores; BAD: the line's first word */
	const char *rest;		/* options or command; "" if none */
	const char *why;		/* BAD: what is wrong with it */
	struct pos pos;			/* of the line; a joined one: of its beginning */
	const struct confd_file *file;	/* NULL: kernel command line */
};

struct modprobe {
	const struct confd *confd;
	struct modprobe_line *at;	/* in the order of reading; the kernel command line comes last */
	size_t n;
};

/** modprobe_load - all lines, read once an observation. Return: 0; -errno if a directory could not be listed */
int modprobe_load(struct kernel *k, const struct modprobe **out);

/** modprobe_name - a module's or parameter's name with underscores, as /sys/module has it */
char *modprobe_name(struct arena *a, const char *name);
/** modprobe_same - are these names of modules, or of parameters, one: '-' and '_' are the same */
bool modprobe_same(const char *a, const char *b);

struct modprobe_option {
	const char *value;		/* without quotes; NULL: not set anywhere */
	struct pos pos;			/* of the parameter where the line is not a joined one */
	const struct modprobe_line *line;
	const struct confd_file *unread;	/* not NULL: this file could not be read and might win */
};

/** modprobe_option - the last value of @param for @module, over all files and the kernel command line */
struct modprobe_option modprobe_option(const struct modprobe *m, struct arena *a, const char *module,
				       const char *param);
/** modprobe_option_cmdline - the same, from the kernel command line alone: what a built-in module gets */
struct modprobe_option modprobe_option_cmdline(const struct modprobe *m, struct arena *a, const char *module,
					       const char *param);
/**
 * modprobe_losers - every place that sets @param and does not count, and why: beaten, in a file that is hidden, or at all,
 *	since the module is built in. Reads the hidden files.
 * @wins: its line NULL: nothing sets it
 */
void modprobe_losers(struct kernel *k, const struct modprobe *m, const char *module, const char *param, bool builtin,
		     const struct modprobe_option *wins, struct confd_losers *out);

/**
 * modprobe_blacklisted - the line, or word of the kernel command line, that keeps @module from being loaded by its
 *	aliases and by systemd-modules-load; NULL if none. @except: a file that does not count, or NULL
 */
const struct modprobe_line *modprobe_blacklisted(const struct modprobe *m, const char *module, const char *except);
/** modprobe_disabled - blacklisted, an install line that runs true or false instead, or an alias of its name for something else */
const struct modprobe_line *modprobe_disabled(const struct modprobe *m, const char *module, const char *except);

/** modprobe_softdep - the line that has @module loaded along with another one ("softdep mlx5_core post: rdma_ucm"), or NULL */
const struct modprobe_line *modprobe_softdep(const struct modprobe *m, const char *module);

/** modprobe_fault - what is wrong with a line that concerns @module, or NULL: bad, hands on a comment, runs a command instead */
const char *modprobe_fault(const struct modprobe_line *l, const char *module);

#endif
