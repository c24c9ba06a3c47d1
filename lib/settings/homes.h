/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Homes that several settings of the node share: sysctls as they run (/proc/sys), and the boot files that set sysctls,
 * module options, what is loaded and what is not. A setting's table says which of its fields is which.
 */
#ifndef SETTINGS_HOMES_H
#define SETTINGS_HOMES_H

#include "model/change.h"

enum key_kind {
	KEY_SYSCTL,			/* a key of /proc/sys */
	KEY_OPTION,			/* module and parameter: the names that stand for the two `*` */
	KEY_LOAD,			/* module */
	KEY_BLACKLIST,			/* module */
};

struct key_row {
	unsigned field;
	const char *key;		/* "net.rdma_ucm.max_backlog"; "*": what stands for the `*`; NULL: end */
	enum key_kind kind;
	const char *module;		/* that brings the key; NULL: as homes_modules() knows */
	int64_t otherwise;		/* KIND_UINT: the kernel's own value where nothing sets the key */
};

/* The boot files are one kernel object: a key may need a line in one and a module in another. */
#define BOOT_FILES "boot files"
#define BOOT_NOT_SET "(not set)"	/* what a text field shows at boot if no file sets it */

/**
 * sysctl_read, sysctl_write - the running value; an absent key is module-not-loaded if a module brings it, else
 *	driver-lacks; not-recorded where nothing runs (no /proc/sys). Runs of blanks are one blank.
 */
int sysctl_read(struct kernel *k, struct part *p, struct diags *d);
int sysctl_write(struct kernel *k, const struct change *c, struct diags *d);

/**
 * boot_read - what the next boot gives, with file and line (cell->pos); of a key that will not exist yet when its
 *	line is applied: module-not-loaded. Lines that modprobe skips are told as warnings.
 */
int boot_read(struct kernel *k, struct part *p, struct diags *d);
/** boot_weigh - other-owner where somebody else's line would beat ours; if that is so for some cells, they are left out */
int boot_weigh(struct kernel *k, struct change *c, struct diags *d);
/**
 * boot_files - the files of boot/ours.h, each whole from all parts; files that no differing cell concerns are not among
 *	them. Lines of cells not observed (--only) stay.
 */
int boot_files(struct kernel *k, struct change *c, struct diags *d);

/* --- for the homes' own files --------------------------------------------------- */

/** homes_row - the row of @home's table that has @c, or NULL */
const struct key_row *homes_row(const struct home *home, const struct setting *s, const struct cell *c);
/** homes_path - KEY_SYSCTL: path below /proc/sys ("net/core/rmem_max"), in @a; NULL if it is no key */
const char *homes_path(struct arena *a, const struct key_row *row, const struct cell *c);
/** homes_name_ok - a module's or parameter's name: letters, digits, '_' and '-' */
bool homes_name_ok(const char *name);
/** homes_value_ok - may this stand in a line of a boot file: no control characters; @option: nor quotes, backslash */
bool homes_value_ok(const char *value, bool option);
/** homes_modules - modules that bring the key @path, any of which is enough, NULL at the end; NULL: none is needed */
const char *const *homes_modules(const char *path);
/** homes_same_number - are both whole numbers in C's bases, as the kernel takes them, up to 64 bits, and the same one */
bool homes_same_number(const char *a, size_t na, const char *b, size_t nb);
/** homes_squeeze - @s with every run of blanks as one, none at the ends */
const char *homes_squeeze(struct arena *a, const char *s);

#endif
