/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of apply share: the state of one run, and how one change is made. */
#ifndef ENGINE_DOING_H
#define ENGINE_DOING_H

#include "engine/engine.h"

/* A setting that a change is known to disturb, as it was before. */
struct disturbed {
	const struct setting *setting;
	const struct target *target;	/* as it was; after a reload it is found again by its PCI address */
	struct record *before;
};

struct applying {
	struct run *run;
	struct diags *d;
	struct { struct change **at; size_t n, room; } done;	/* in order, over all rounds */
	struct { struct row *at; size_t n, room; } lost;	/* rows of devices that vanished in this run */
	struct { struct disturbed *at; size_t n, room; } disturbed;	/* by the change at hand */
	struct plan *plan;
};

/**
 * doing_change - writes one change, reads it back (with a bounded wait), puts back what it disturbed
 * Return: 0; -ENODEV the device vanished; -EIO not there when read back; other -errno of the write. Told in a->d.
 */
int doing_change(struct applying *a, struct change *c);

/**
 * boot_file_write - the files of a change as they are to be, or were before (undo). boot_file.c
 * Return: 0; -ESTALE: somebody else changed one meanwhile; -errno. Told in @d.
 */
int boot_file_write(struct kernel *k, const struct change *c, struct diags *d);
/** boot_file_is - do all files of a change read as before it, or as after it */
bool boot_file_is(struct kernel *k, const struct change *c, bool before);

/** doing_same_port - is it one port, seen at two times? By PCI address, else by name. */
bool doing_same_port(const struct port *a, const struct port *b);

#endif
