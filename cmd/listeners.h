/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA CM listeners that may still have the max_backlog of before. */
#ifndef CMD_LISTENERS_H
#define CMD_LISTENERS_H

#include "cmd.h"

/**
 * listeners_note - names the processes that listened before max_backlog was last changed here, on this boot
 * A listener keeps the limit that stood when it began, and the kernel tells nobody which that is: so the row stays what it
 * is, gets the event listener-restart, and a note says who to restart. Asks nothing unless the row is among those of @o, and
 * was changed by this run or by one that the journal knows.
 */
void listeners_note(struct session *s, struct outcome *o);

#endif
