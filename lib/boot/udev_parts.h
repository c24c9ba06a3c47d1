/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of udev: a rule taken apart (udev_parse.c), and whether it fits a device (udev_match.c). */
#ifndef BOOT_UDEV_PARTS_H
#define BOOT_UDEV_PARTS_H

#include "boot/udev.h"

enum udev_key {
	UDEV_ACTION, UDEV_KERNEL, UDEV_SUBSYSTEM, UDEV_DRIVER, UDEV_ENV, UDEV_ATTR,
	UDEV_PARENTS,			/* from here on: conditions that one parent, or the device itself, fits together */
	UDEV_KERNELS = UDEV_PARENTS, UDEV_SUBSYSTEMS, UDEV_DRIVERS, UDEV_ATTRS, UDEV_TAGS,
	UDEV_PARENTS_END,
	UDEV_SYSCTL = UDEV_PARENTS_END, UDEV_RUN, UDEV_PROGRAM, UDEV_GOTO, UDEV_LABEL,
	UDEV_OTHER,
};

struct udev_token {
	enum udev_key key;
	const char *name;		/* as written: "IMPORT" */
	const char *attr;		/* "" if none */
	const char *value;
	bool match, invert;		/* ==, !=; else it assigns */
	bool fold;			/* i"…": capitals are small letters */
	bool escaped;			/* e"…" with a backslash: what it says is not taken apart */
};

struct udev_rule {
	struct udev_token *at;
	size_t n, room;
	struct pos pos;			/* of its first line */
	const char *label, *go;		/* LABEL, GOTO; NULL: none */
};

struct udev_file {
	struct udev_rule *at;
	size_t n, room;
	bool cut;			/* it has more rules than are looked at */
};

/**
 * udev_keep - may this rule, or what else a line says, be asked for: one that writes what we look for, runs a program, or
 *	passes others over; of the rest a dump gets none
 */
bool udev_keep(const char *line, size_t n);
/** udev_parse - the rules of one file; lines that udev passes over for an error are none */
void udev_parse(struct arena *a, const struct source *s, struct udev_file *out);

enum udev_fits { UDEV_FITS_NOT, UDEV_FITS_MAYBE, UDEV_FITS };

struct udev_verdict {
	enum udev_fits fits;
	const char *why;		/* MAYBE: what cannot be judged */
};

/**
 * udev_judge - for each rule of @f, whether @d meets it, GOTOs followed
 * @name: the file's base name
 * @out: f->n verdicts
 */
void udev_judge(struct kernel *k, const struct udev_file *f, const char *name, const struct udev_device *d,
		struct udev_verdict *out);
/**
 * udev_expand - $kernel, %k, $name, $env{INTERFACE} and their like in @s; what is made up only when the rule runs
 *	becomes @unknown
 * Return: in @a; *known tells whether all was.
 */
const char *udev_expand(struct arena *a, const struct udev_device *d, const char *s, char unknown, bool *known);

#endif
