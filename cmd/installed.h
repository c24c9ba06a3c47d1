/* SPDX-License-Identifier: Apache-2.0 */
/* The policy that the boot unit applies, compared with the one that is judged. */
#ifndef CMD_INSTALLED_H
#define CMD_INSTALLED_H

#include "cmd.h"

/**
 * installed_look - sets s->desired->installed, where units exist and -p names another file than theirs
 * Costs nothing where the policy is the installed one. What is wrong with the other is no error of this run.
 */
void installed_look(struct session *s);

/**
 * installed_boot - of values that only a unit brings back, those of the rows are what the next boot gives
 * Only if boot.unit is in sync; says nothing otherwise, since its own row does.
 */
void installed_boot(struct outcome *o);

#endif
