/* SPDX-License-Identifier: Apache-2.0 */
/* How many there are of what a fabric sorts by: 802.1Q has three bits of priority, RFC 2474 six of DSCP. */
#ifndef BASE_DSCP_H
#define BASE_DSCP_H

#include <stdint.h>

enum { PRIORITIES = 8, DSCPS = 64 };

/** dscp_of_tos - the DSCP of a ToS byte: its two lowest bits are those of ECN (RFC 3168) */
static inline unsigned dscp_of_tos(int64_t tos)
{
	return (unsigned)tos >> 2 & (DSCPS - 1);
}

#endif
