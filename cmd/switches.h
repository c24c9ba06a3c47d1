/* SPDX-License-Identifier: Apache-2.0 */
/* Which switches of a policy a command means: shared by render and check-switch. */
#ifndef CMD_SWITCHES_H
#define CMD_SWITCHES_H

struct fabric;
struct fabric_tier;
struct nos;
struct session;
struct source;

enum { SWITCHES_FILE_MAX = 32 << 20 };

/**
 * switches_tier - the tier that --tier names, or the only one of the policy, which is judged by lint's rules first
 * Return: 0 or an exit status, told.
 */
int switches_tier(struct session *s, const struct fabric **f, const struct fabric_tier **t);
/** switches_nos - that of --nos, of the tier, or what @file looks like (NULL: no file). Return: 0 or an exit status */
int switches_nos(struct session *s, const struct fabric_tier *t, const struct source *file, const struct nos **nos);

#endif
