/* SPDX-License-Identifier: Apache-2.0 */
/* Globs against globs and host lists: which name belongs to both. */
#ifndef POLICY_GLOBS_H
#define POLICY_GLOBS_H

#include "policy/hostlist.h"

/** glob_prefix - bytes of a glob before its first * or ? */
size_t glob_prefix(struct hostlist glob);

/**
 * glob_meets - is there a name that belongs to @glob and to @other, a glob or an item of a list; both passed hostlist_check
 * @name: set to one
 * @work: counted down by one for each name of a list that is tried; nothing is found once it is 0
 * A name that is only one's with its domain and the other's without is not looked for.
 */
bool glob_meets(struct hostlist glob, struct hostlist other, char name[HOSTLIST_NAME_MAX + 1], size_t *work);

#endif
