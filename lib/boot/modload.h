/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which modules are loaded by name at the next boot, and when: modules-load.d(5) and modules_load= of the kernel
 * command line before systemd-sysctl; /etc/rdma/modules/ of rdma-core only when udev sees RDMA hardware, which is after
 * it.
 */
#ifndef BOOT_MODLOAD_H
#define BOOT_MODLOAD_H

#include "boot/confd.h"

struct modload_line {
	const char *module;		/* with underscores */
	struct pos pos;
	bool early;			/* before systemd-sysctl */
};

struct modload {
	const struct confd *early;	/* modules-load.d; for confd_unread() */
	struct modload_line *at;
	size_t n;
};

/** modload_load - all of them, read once an observation. Return: 0; -errno if a directory could not be listed */
int modload_load(struct kernel *k, const struct modload **out);
/** modload_find - who loads @module: early lines first; @except: a file that does not count, or NULL. NULL: nobody */
const struct modload_line *modload_find(const struct modload *m, const char *module, const char *except);

/* What a module is on the machine as it runs. */
enum module_state {
	MODULE_ABSENT,
	MODULE_LOADED,
	MODULE_BUILTIN,			/* modprobe.d does not apply to it, and loading it is not needed */
	MODULE_UNKNOWN,			/* no /sys/module: nothing runs here (--root) */
};

/**
 * modload_state - is @module there now: /sys/module, modules.builtin of kernel @release ("": not known)
 * Return: 0 with *state; -errno of a door that could not be asked.
 */
int modload_state(struct kernel *k, const char *release, const char *module, enum module_state *state);

#endif
