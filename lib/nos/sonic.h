/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of SONiC share; nobody else knows of it. */
#ifndef NOS_SONIC_H
#define NOS_SONIC_H

#include <stdint.h>

#include "base/dscp.h"

struct cell;
struct record;
struct switch_file;
struct word;

enum { FRAME_BEYOND_MTU = 22, DETECT_LEAST = 100, DETECT_MOST = 5000 };	/* the watchdog's in ms */

/** sonic_parse, sonic_port - struct nos: parse, port; sonic_buffers - of a port, what belongs to headroom */
int sonic_parse(struct switch_file *f);
void sonic_port(struct switch_file *f, const char *port, struct record *have);
void sonic_buffers(struct switch_file *f, const char *port, struct record *have);

/** sonic_table - a table of the file, or NULL, as all that is not there */
const struct word *sonic_table(const struct switch_file *f, const char *name);
/** sonic_entry - that of "PORT", or of "PORT|NUMBER" where @number is not negative */
const struct word *sonic_entry(const struct switch_file *f, const char *name, const char *port, int number);
/** sonic_member - the value of a member of an entry */
const struct word *sonic_member(const struct switch_file *f, const struct word *w, const char *name);
/** sonic_referred - the entry of table @name that the value @w names: "RDMA", or "[TABLE|RDMA]" as old images have it */
const struct word *sonic_referred(const struct switch_file *f, const struct word *w, const char *name);
/** sonic_channel - the port channel that a port is a member of */
const struct word *sonic_channel(const struct switch_file *f, const char *port);

/** sonic_why - why there is no value: @w of the file @what, such as "is no MTU" */
const char *sonic_why(const struct switch_file *f, const struct word *w, const char *what);
/** sonic_unsure - there is none, for this reason */
void sonic_unsure(struct cell *c, const char *why);
/**
 * sonic_twice - do two keys hold the same port and number: the switch takes one after the other, in no order that is said
 * Return: NULL, or why that is no value.
 */
const char *sonic_twice(const struct switch_file *f, const struct word *w);
/** sonic_number - says a number of the file, if it is there, or why it is none */
void sonic_number(const struct switch_file *f, const struct word *w, struct cell *c);

#endif
