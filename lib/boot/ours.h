/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot files that rdmactl owns. Each is written whole, by rename, with a header that says who wrote it from which
 * policy; a file of that name without the header is somebody else's and is left alone. The names sort late ("zz-"),
 * since the last file wins.
 */
#ifndef BOOT_OURS_H
#define BOOT_OURS_H

#include <stdbool.h>

#include "base/diag.h"

struct arena;
struct kernel;

/* Those of keys, which are one kernel object, and the one that lldpd reads. */
enum ours { OURS_MODLOAD, OURS_MODPROBE, OURS_SYSCTL, OURS_N, OURS_LLDPD = OURS_N, OURS_ALL };

const char *ours_name(enum ours f);	/* "zz-rdmactl.conf" */
const char *ours_path(enum ours f);	/* "/etc/sysctl.d/zz-rdmactl.conf", as positions spell it */

/**
 * ours_foreign - why the file is not ours to write: there is one without our header, or a symbolic link
 * Return: a sentence in @a, or NULL: ours, or none there yet.
 */
const char *ours_foreign(struct kernel *k, struct arena *a, enum ours f);

/**
 * ours_source - the file as it stands, read once an observation (not at all where its directory was looked at anyway)
 * Return: 0 with *out, NULL if there is none or it is not ours to write; -errno.
 */
int ours_source(struct kernel *k, enum ours f, const struct source **out);

/**
 * ours_text - header and @lines (each with its newline) as the whole file, in @a; NULL for "": there is to be no file
 * @policy: name of the file it comes from, or NULL
 */
const char *ours_text(struct arena *a, enum ours f, const char *policy, const char *lines);

#endif
