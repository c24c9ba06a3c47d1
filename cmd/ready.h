/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting until a node is ready for jobs. */
#ifndef CMD_READY_H
#define CMD_READY_H

#include "cmd.h"

/**
 * ready_wait - look at the machine again and again, until all ports that are counted are there and no value waits
 *	for a unit
 * @look: one check of a session that has nothing yet: sets rows and exit status, or returns the status that ends it
 * What no unit puts right (firmware, links, cards) is reported, and not waited for. After --until-ready seconds: what
 * is missing. The last look is reported.
 * Return: EXIT_SYNC: ready; else the exit status of the last look.
 */
int ready_wait(struct session *s, int (*look)(struct session *s, struct outcome *o));

#endif
