/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our units: will they run at the next boot, and when a device appears. Known from files alone, as systemd and udev
 * would find them: /etc, /run, /usr/local/lib, /usr/lib and /lib, the first one counts; a link to /dev/null or an empty
 * file masks. Presets and generators are not asked, and no message goes to systemd.
 */
#ifndef BOOT_UNITS_H
#define BOOT_UNITS_H

#include <stdbool.h>

struct arena;
struct kernel;

#define UNITS_NODE "rdmactl.service"		/* the switch: what is enabled */
#define UNITS_PORT "rdmactl@.service"
#define UNITS_MODULE "rdmactl-module@.service"
#define UNITS_RULE "90-rdmactl.rules"

/** units_exist - is systemd process 1 (/run/systemd/system)? Return: 1, 0 (also where a dump does not know), -errno */
int units_exist(struct kernel *k);

struct units_fault {
	const char *because, *remedy;	/* in the arena */
};

/**
 * units_fault - why our units will not run: not installed, not ours, masked, not enabled
 * Return: 0: they will; 1 with *fault; -errno if a file could not be asked.
 */
int units_fault(struct kernel *k, struct arena *a, struct units_fault *fault);

#endif
