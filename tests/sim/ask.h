/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink requests built by hand, right or wrong, for those who want to see what a kernel says to them. */
#ifndef TESTS_SIM_ASK_H
#define TESTS_SIM_ASK_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct kernel;

struct ask { struct text request; };	/* { 0 } at first; text_done(&ask.request) at last */

/** ask_begin - a new request: NLM_F_REQUEST and @flags, then the family's header */
void ask_begin(struct ask *a, uint16_t type, uint16_t flags, const void *header, size_t size);
void ask_genl(struct ask *a, uint16_t family, uint8_t cmd, uint16_t flags);
void ask_dcb(struct ask *a, uint16_t type, uint8_t cmd, const char *ifname);	/* NULL: no DCB_ATTR_IFNAME */
void ask_attr(struct ask *a, uint16_t type, const void *data, size_t len);
void ask_u8(struct ask *a, uint16_t type, uint8_t v);
void ask_u32(struct ask *a, uint16_t type, uint32_t v);
void ask_str(struct ask *a, uint16_t type, const char *s);
/** ask_nest - opens a nest; ask_nest_end() with what it returned closes it */
size_t ask_nest(struct ask *a, uint16_t type);
void ask_nest_end(struct ask *a, size_t at);
/** ask_talk - sends it through the door; the answer is added to @reply. Return: the door's */
int ask_talk(struct ask *a, struct kernel *k, int protocol, struct text *reply);
/** ask_family - number of a generic netlink family, or 0 */
uint16_t ask_family(struct ask *a, struct kernel *k, const char *name);

#endif
