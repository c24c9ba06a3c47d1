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

enum modprobe_kind { MODPROBE_NOTHING, MODPROBE_OPTIONS, MODPROBE_BLACKLIST, MODPROBE_INSTALL, MODPROBE_BAD };

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
/** modprobe_option_loser - the last place before @wins that says @value and does not count; value NULL: none */
struct modprobe_option modprobe_option_loser(const struct modprobe *m, struct arena *a, const char *module,
					     const char *param, const struct modprobe_option *wins, const char *value);

/**
 * modprobe_blacklisted - the line, or word of the kernel command line, that keeps @module from being loaded by its
 *	aliases and by systemd-modules-load; NULL if none. @except: a file that does not count, or NULL
 */
const struct modprobe_line *modprobe_blacklisted(const struct modprobe *m, const char *module, const char *except);
/** modprobe_disabled - blacklisted, or an install line that runs true or false instead of loading */
const struct modprobe_line *modprobe_disabled(const struct modprobe *m, const char *module, const char *except);

/** modprobe_fault - what is wrong with a line that concerns @module, or NULL: it is bad, or hands on a comment */
const char *modprobe_fault(const struct modprobe_line *l, const char *module);

#endif
