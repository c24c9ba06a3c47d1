/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the past: finishing, undoing, confirming. Each returns the exit status, with @out filled; all told in @d. */
#ifndef ENGINE_RECOVER_H
#define ENGINE_RECOVER_H

#include "engine/journal.h"

/**
 * recover_run - a run that did not end: completed if all of it was written and verified, else undone
 * On another boot live values are gone, and only our files are put back. A rollback that was killed goes on.
 * Return: 0; 1: of a rollback, somebody changed it since, so it is left alone; 4: something could not be put back, and the journal stays.
 */
int recover_run(struct run *run, struct past *p, struct outcome *out, struct diags *d);
/** undo_nothing - there is nothing to finish or to undo */
void undo_nothing(struct run *run, struct outcome *out);
/** rollback_waiting - undoes a run that waits for confirm; @unconfirmed: its time is over, and its digest is refused */
int rollback_waiting(struct run *run, struct past *p, bool unconfirmed, struct outcome *out, struct diags *d);
/** confirm_run - writes the boot files that waited. Return: 0; 2: they could not be written, and the run waits on; 4 */
int confirm_run(struct run *run, struct past *p, struct outcome *out, struct diags *d);
/**
 * rollback_run - undoes runs that ended, newest first, under run->journal and run->consent
 * What somebody changed since, and what costs more than is allowed, is left alone.
 * Return: 0; 1: something was left alone; 2: nothing was begun; 4: it failed on the way, and `recover` goes on.
 */
int rollback_run(struct run *run, struct past *const *past, size_t n, struct outcome *out, struct diags *d);

/**
 * rollback_preview - what undoing these runs would write now, newest first, and what it would leave alone; writes nothing
 * A run that waits for confirm is undone whole, as rollback_waiting() does it; of others as rollback_run(), under
 * run->consent. Exit status and changes in @out are those of the rollback itself, as far as they can be known: 0, 1 or 2.
 */
void rollback_preview(struct run *run, struct past *const *past, size_t n, struct outcome *out, struct diags *d);

#endif
