/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled form of a policy (policy/cache.h): where it lies, who reads it and who leaves one. */
#ifndef CMD_COMPILED_H
#define CMD_COMPILED_H

struct policy;
struct session;

/** compiled_load - the policy, for a check of one node by its compiled form if there is one. Return: 0 or an exit status */
int compiled_load(struct session *s, struct policy **p);
/** compiled_leave - after apply: a compiled form for the checks that follow, of a policy for which it pays */
void compiled_leave(struct session *s);
/** compiled_save - lint --compile: into a file. Return: 0; -errno, told */
int compiled_save(struct session *s, const struct policy *p, const char *path);

#endif
