/* SPDX-License-Identifier: Apache-2.0 */
/* `show neighbor`: what the switch at the end of each cable says, decoded. */
#ifndef CMD_SHOW_NEIGHBOR_H
#define CMD_SHOW_NEIGHBOR_H

struct session;

/** show_neighbors - all ports, or that of --port. Return: exit status; EXIT_UNKNOWN: lldpd could not be asked */
int show_neighbors(struct session *s);

#endif
