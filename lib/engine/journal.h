/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rdmactl remembers of its runs, in /var/lib/rdmactl, so that a killed run can be finished or undone by another
 * process, perhaps on another boot:
 *
 *	run.jsonl		the run that has not ended, or that waits for `rdmactl confirm`
 *	history/00000012.jsonl	runs that have ended
 *	applied.jsonl		what we set last, and what was there before we first did
 *	unconfirmed		digest of a desired state that was applied, and that nobody confirmed
 *
 * A run is lines of JSON. Each ends with a sum over itself and the line before, so that a line that was torn, changed,
 * lost or moved is seen. Whatever stands behind a plan's line was done after that line was on disk.
 */
#ifndef ENGINE_JOURNAL_H
#define ENGINE_JOURNAL_H

#include <stdint.h>

#include "engine/engine.h"
#include "kernel/kernel.h"

struct json_object;

#define JOURNAL_RUN	KERNEL_OWN "run.jsonl"
#define JOURNAL_HISTORY KERNEL_OWN "history"
#define JOURNAL_APPLIED KERNEL_OWN "applied.jsonl"
#define JOURNAL_REFUSED KERNEL_OWN "unconfirmed"

#define RUN_LAST 99999999		/* names of runs have eight digits, so that their order is that of time */

/* The first line: whose run it is. Strings are never NULL. */
struct journal_head {
	int64_t run;			/* from 1 */
	const char *command;		/* "apply", "rollback" */
	const char *at;			/* ISO 8601, UTC */
	const char *boot_id, *node, *kernel, *version;
	const char *policy, *revision, *policy_digest, *digest;		/* "" in a rollback */
	const char *user;		/* login name or uid, "root (sudo by alice)"; the unit's name */
	int64_t pid;
	int64_t confirm_s;		/* --confirm, or 0 */
	const int64_t *undoes;		/* rollback: the runs it undoes, newest first, 0 at the end; or NULL */
	bool partly;			/* rollback: --allow leaves some of their changes alone */
};

/* --- writing ------------------------------------------------------------------ */

struct journal {
	struct kernel *kernel;
	struct arena *arena;
	struct journal_head head;
	bool begun;			/* the first line is on disk, and the last one is not due yet */
	unsigned changes;		/* numbered so far, over all plans */
	size_t bytes;			/* in plans so far */
	char sum[17];			/* of the last line */
	char sum_kept[17];		/* of the last one that is in the file */
};

/**
 * journal_plan - the changes of a plan, with all that undo needs, fsynced; with the first one, the head
 * Sets the number of each change. Nothing may be written to the machine before this returned 0. Told in @d.
 */
int journal_plan(struct journal *j, struct change *const *change, size_t n, struct diags *d);
/**
 * journal_start - this change is being made, from now on; survives a kill, and that of a boot file also a power loss
 * Live values do not survive one themselves. Told in @d.
 */
int journal_start(struct journal *j, const struct change *c, struct diags *d);
/**
 * journal_note - "undo": what was done is being undone; "verified": planned again, and empty
 * @d: told there if it cannot be written; NULL: the run goes on without
 * Return: 0 or -errno.
 */
int journal_note(struct journal *j, const char *word, struct diags *d);
/** journal_wait - the live part is done; boot files wait for `confirm` until @deadline_s after boot. Told in @d. */
int journal_wait(struct journal *j, int64_t deadline_s, const char *deadline_at, struct diags *d);
/**
 * journal_end - the run is over: its file goes to the history, and what we set last is updated from @done
 * @result: "done", "rolled-back", "partly-rolled-back", "confirmed", "unconfirmed", "restored", "interrupted"
 * @done: changes that stay made; of a rollback those that it made. Told in @d: the machine is as the run left it all the
 *	same, but until the journal is put away nobody writes.
 */
int journal_end(struct journal *j, const char *result, int exit_code, struct change *const *done, size_t n, struct diags *d);

/* --- reading ------------------------------------------------------------------ */

enum past_state {
	PAST_UNFINISHED,		/* killed, or still going on: the lock tells */
	PAST_WAITING,			/* for `rdmactl confirm` */
	PAST_ENDED,
};

struct past {
	struct journal_head head;
	enum past_state state;
	int64_t deadline_s;		/* waiting: seconds since boot (CLOCK_BOOTTIME) */
	const char *deadline_at;	/* the same for people */
	const char *result, *ended_at;	/* of PAST_ENDED */
	int64_t exit_code;
	bool undoing, verified;		/* notes */
	struct { unsigned *at; size_t n, room; } started;	/* numbers of the changes that were begun */
	unsigned last_plan, changes;	/* first number of the last plan; the last number of all */
	const char *torn;		/* why the last line was left out ("line 7 ends too early"), or NULL */
	struct json_object **line;	/* that hold; owned by the past */
	size_t nlines;
	size_t held;			/* bytes of the file up to the last line that holds */
	char sum[17];			/* of that line */
};

/**
 * past_load - one run's file ("var/lib/rdmactl/run.jsonl"), with past_done()
 * A last line that is torn is left out: it was being written when the machine stopped, and nothing came after it.
 * Return: 0; -ENOENT: no such run; -EBADMSG: damaged before its last line, told in @d: nothing is guessed; -errno.
 */
int past_load(struct kernel *k, struct arena *a, const char *path, struct past **out, struct diags *d);
void past_done(struct past *p);
/** past_is_rollback - it undid other runs */
bool past_is_rollback(const struct past *p);
/** past_started - was this change begun? Its line was on disk before, so that one torn line more says nothing */
bool past_started(const struct past *p, unsigned number);
/** past_path - of a run in the history, in @a */
const char *past_path(struct arena *a, int64_t run);
/** past_load_run - one of the history; a file that is of another run is damaged. Otherwise as past_load() */
int past_load_run(struct kernel *k, struct arena *a, int64_t run, struct past **out, struct diags *d);
/** past_runs - numbers of the runs in the history, oldest first. Return: 0, also if there is none; -errno, told in @d */
int past_runs(struct kernel *k, struct arena *a, const int64_t **run, size_t *n, struct diags *d);
/**
 * past_resume - the journal of an unfinished run, to be continued: a torn last line is cut off, or the next one would
 *	make one damaged line of both
 * Return: 0; -errno, told in @d.
 */
int past_resume(struct kernel *k, struct arena *a, const struct past *p, struct journal *out, struct diags *d);

/* rebuild.c */

/* Changes of a run: of live values and of our boot files, those that were begun and those that were not. */
enum {
	PAST_LIVE_BEGUN = 1, PAST_LIVE_OTHER = 2, PAST_FILES_BEGUN = 4, PAST_FILES_OTHER = 8,
	PAST_BEGUN = PAST_LIVE_BEGUN | PAST_FILES_BEGUN,
	PAST_FILES = PAST_FILES_BEGUN | PAST_FILES_OTHER,
	PAST_ALL = PAST_BEGUN | PAST_LIVE_OTHER | PAST_FILES_OTHER,
};

/**
 * past_changes - the changes of a run for the machine as it is now, in order; ports are found by their PCI address
 * @which: the others are not looked at: it does not matter whether this machine still serves them
 * A change whose port is not there any more is left out, told as a note.
 * Return: 0; -ENXIO: nobody serves one of them now, -EBADMSG: it is not known to this version. Told in @d; all others are
 *	in *change.
 */
int past_changes(struct run *run, const struct past *p, unsigned which, struct change ***change, size_t *n, struct diags *d);

#endif
