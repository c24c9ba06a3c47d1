/* SPDX-License-Identifier: Apache-2.0 */
/* DSCPs by name, as configurations of switches and commands of hosts write them. */
#ifndef MODEL_DSCP_H
#define MODEL_DSCP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * dscp_named - the DSCP whose name the first @n bytes of @s are, in capitals or not: cs0 to cs7, af11 to af43, ef, be
 * Return: false if they are none; *dscp is left alone then.
 */
bool dscp_named(const char *s, size_t n, unsigned *dscp);

#endif
