/* SPDX-License-Identifier: Apache-2.0 */
/* What reading and writing the boot files share: will a key exist when systemd-sysctl sets it? */
#ifndef SETTINGS_BOOT_FILES_H
#define SETTINGS_BOOT_FILES_H

#include "boot/confd.h"
#include "boot/udev.h"
#include "settings/homes.h"

/* One cell in question. */
struct boot_key {
	struct kernel *k;
	struct arena *arena;
	const struct facts *facts;
	const struct key_row *row;
	const struct cell *cell;	/* for its names */
	const char *module, *param;	/* KEY_OPTION, KEY_LOAD, KEY_BLACKLIST; with underscores */
	const char *path;		/* KEY_SYSCTL; NULL: no key */
};

struct boot_key boot_key_of(struct kernel *k, struct arena *a, const struct facts *f, const struct home *home,
			    const struct setting *s, const struct cell *c);

/* "/etc/sysctl.d/50-x.conf:3", safe; in the key's arena */
const char *boot_place(struct arena *a, const struct pos *pos);

/* boot_wanted - is @text, as a file says it, what is wanted? @want, or its value, may be missing: no */
bool boot_wanted(struct arena *a, const struct cell *want, const struct record *have, const char *text);

/**
 * boot_udev - rules of udev that write the key or the parameter later than the file that wins, whenever the device appears
 *	Rules of this host alone decide; what they may write is told as a note, and nothing decides by it.
 * Return: the one that surely does, of a sysctl; NULL: none.
 */
const struct udev_act *boot_udev(const struct boot_key *q, const struct cell *want, const struct record *have,
				 struct diags *d);
/** boot_udev_losers - all rules, of packages too, but for @wins */
void boot_udev_losers(const struct boot_key *q, const struct udev_act *wins, struct confd_losers *out);

struct boot_timing {
	const char *module;		/* must be loaded early for it, and is not; NULL: the key comes in time */
	const char *because;		/* why not: "rdma_ucm is loaded later (/etc/rdma/modules/rdma.conf:11)" */
	const char *keeps;		/* place of a line that keeps it from being loaded at all, or NULL */
	const char *unread;		/* a file that could not be read and might load it, or NULL */
	int err;			/* its error */
};

/**
 * boot_timing - will the key of /proc/sys exist when systemd-sysctl runs
 * @without_ours: as if our own modules-load.d file were not there, so that it is known whether it is needed
 * Return: 0; -errno if a directory could not be listed.
 */
int boot_timing(const struct boot_key *q, bool without_ours, struct boot_timing *t);

#endif
