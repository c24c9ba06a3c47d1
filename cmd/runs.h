/* SPDX-License-Identifier: Apache-2.0 */
/* What the writing commands share: the lock, the journal of a run, and runs that have not ended. 0 or an exit status. */
#ifndef CMD_RUNS_H
#define CMD_RUNS_H

#include "cmd.h"
#include "engine/journal.h"

/** runs_permitted - root, and no dump */
int runs_permitted(struct session *s);
/** runs_lock - the node's lock, waited for --wait seconds; *lock for file_unlock(), -1: none is needed (--root) */
int runs_lock(struct session *s, int *lock);
/** runs_journal - run->journal with its head, for a run of this session; none for --root */
int runs_journal(struct session *s, struct run *run);
/** runs_pending - the run that has not ended, with past_done(), or NULL; a damaged journal is told */
int runs_pending(struct session *s, struct past **p);
/** runs_waits - does it wait for `rdmactl confirm`, on this boot */
bool runs_waits(const struct session *s, const struct past *p);
/** runs_check_writing - refuses to write over a run that has not ended (4) or waits (75) */
int runs_check_writing(struct session *s);
/** runs_check_reading - tells of such a run; 4 if it was cut off; sets run->confirm while one waits */
int runs_check_reading(struct session *s, struct run *run);
/** runs_run - a run without a policy, for what the journal holds */
int runs_run(struct session *s, struct run *run);
/** runs_boottime_s - seconds since the machine started, suspended ones too */
int64_t runs_boottime_s(void);

#endif
