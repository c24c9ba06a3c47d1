/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of apply share: the state of one run, and how one change is made. */
#ifndef ENGINE_DOING_H
#define ENGINE_DOING_H

#include "engine/engine.h"

struct applying {
	struct run *run;
	struct diags *d;
	struct { struct change **at; size_t n, room; } done;	/* in order, over all rounds */
	struct { struct row *at; size_t n, room; } lost;	/* rows of devices that vanished in this run */
	struct { struct change **at; size_t n, room; } undone;	/* as they were written back: have and want swapped */
	struct plan *plan;
	bool stopped;			/* a signal asked for it */
	bool unwritten;			/* the journal, or the watcher, could not be had, so nothing was written */
};

/** doing_prepare - reads what each change is known to disturb, so that it can be journalled before anything is written */
void doing_prepare(struct applying *a, struct change *const *change, size_t n);

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

/** doing_differs - what of the change is not there, read afresh (by the homes that served it), or NULL */
const struct cell *doing_differs(struct applying *a, const struct change *c);

/**
 * undo_changes - puts back what @change made, newest first, each verified. undo.c
 * Return: 0, or how many could not be put back (told).
 */
size_t undo_changes(struct applying *a, struct change *const *change, size_t n);
/** undo_is_needless - the device of this target is gone (doing_is_gone): nothing is left to undo on it (told) */
bool undo_is_needless(struct applying *a, const struct target *t);
/** undo_of - the change that puts @c back */
struct change *undo_of(struct applying *a, const struct change *c);
/** undo_outcome - rows none, the changes that were written back, result and exit status */
void undo_outcome(struct applying *a, const char *result, int exit_code, struct outcome *out);

/**
 * rollback_put_back - puts one change back, unless somebody changed its object since. rollback.c
 * @begun: by a rollback that was killed, so that it may be half done
 * What is as before needs nothing, whether it was refused or not. Return: 0; -errno: it failed.
 */
int rollback_put_back(struct applying *a, struct change *u, bool begun);
/**
 * rollback_end - the outcome of a rollback, and its journal's end
 * One that was not allowed to do all of it leaves its runs to the next rollback; what somebody changed since stays his.
 * Return: the exit status.
 */
int rollback_end(struct applying *a, struct change *const *u, size_t n, bool failed, struct outcome *out);

/**
 * doing_is_gone - is the device that this target was found on away, or a new one by now (another ifindex or RDMA index at
 * the same PCI address), which holds nothing of what was written? Observes anew. False for the node, and where nothing
 * can be observed.
 */
bool doing_is_gone(struct applying *a, const struct target *t);
/** doing_same_port - is it one port, seen at two times? By PCI address, else by name. */
bool doing_same_port(const struct port *a, const struct port *b);

#endif
