/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel command line, as far as the next boot may repeat it: module parameters, blacklists, modules_load=. It is
 * that of the running kernel; what the boot loader is configured to say next time is not read.
 */
#ifndef BOOT_CMDLINE_H
#define BOOT_CMDLINE_H

#include <stddef.h>

#include "base/diag.h"

struct kernel;

struct cmdline_word {
	const char *name;		/* before the first '='; quotes taken off */
	const char *value;		/* behind it; NULL without '=' */
	struct pos pos;
};

struct cmdline {
	struct cmdline_word *at;
	size_t n;
};

/**
 * cmdline_load - words of /proc/cmdline, read once an observation; blanks inside "double quotes" belong to a word
 * Return: 0, also with no word where there is no such file; -errno.
 */
int cmdline_load(struct kernel *k, const struct cmdline **out);

#endif
