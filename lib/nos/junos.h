/* SPDX-License-Identifier: Apache-2.0 */
/* What Junos inherits: for its reader alone. */
#ifndef NOS_JUNOS_H
#define NOS_JUNOS_H

struct switch_file;

/**
 * junos_groups - what applied groups say is in the file itself, as `display inheritance` prints it
 * Return: 0; -EINVAL, told: what the switch does cannot be told from this file.
 */
int junos_groups(const struct switch_file *f);

#endif
