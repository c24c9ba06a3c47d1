/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Netlink messages for the families of this room: built and walked with libmnl, sent through the door. An answer is
 * checked whole before anybody looks into it, since a dump file may hold anything.
 */
#ifndef KERNEL_NETLINK_H
#define KERNEL_NETLINK_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct diags;
struct kernel;

#define NETLINK_REQUEST_MAX 8192u

struct netlink_request {
	_Alignas(struct nlmsghdr) char bytes[NETLINK_REQUEST_MAX];
};

/** netlink_begin - header of a request in @r; NLM_F_REQUEST is added to @flags */
struct nlmsghdr *netlink_begin(struct netlink_request *r, uint16_t type, uint16_t flags);
/** netlink_begin_genl - the same for a generic netlink family, version 1 */
struct nlmsghdr *netlink_begin_genl(struct netlink_request *r, uint16_t family, uint8_t cmd, uint16_t flags);

/* A message of the answer, its length checked. Return: 0, or -errno to end the walk. */
typedef int netlink_each(const struct nlmsghdr *n, void *arg);

/**
 * netlink_get, netlink_set - send @request and hand every message of the answer to @each (NULL: only the verdict)
 * A dump that the kernel marks as interrupted (NLM_F_DUMP_INTR) is asked again, three times at most.
 * Sets @k->ack to the kernel's own words: with a failure their reason, with success a warning.
 * Return: 0; the error of NLMSG_ERROR or of a dump's end; -EBADMSG a cut or malformed answer; -EAGAIN interrupted
 *	again and again; -errno of the door or of @each.
 */
int netlink_get(struct kernel *k, int protocol, const struct nlmsghdr *request, netlink_each *each, void *arg);
int netlink_set(struct kernel *k, int protocol, const struct nlmsghdr *request, netlink_each *each, void *arg);

/** netlink_family - number of a generic netlink family. Return: 0; -ENOENT this kernel has none; as netlink_get */
int netlink_family(struct kernel *k, const char *name, uint16_t *id);

/**
 * netlink_attrs - walk @n bytes of attributes: table[type] becomes the last one of each type below @max
 * Types beyond are skipped: a newer kernel has more of them than our headers know. @table NULL: only check.
 * Return: 0; -EBADMSG a length that does not fit.
 */
int netlink_attrs(const void *at, size_t n, const struct nlattr **table, unsigned max);
/** netlink_nest - the same for the attributes inside @nest */
int netlink_nest(const struct nlattr *nest, const struct nlattr **table, unsigned max);
/** netlink_payload - the attributes of message @n behind a family header of @header bytes. Return: as netlink_attrs */
int netlink_payload(const struct nlmsghdr *n, size_t header, const struct nlattr **table, unsigned max);

/* A value, or @otherwise if the attribute is missing (NULL) or too short. */
uint8_t netlink_u8(const struct nlattr *a, uint8_t otherwise);
uint32_t netlink_u32(const struct nlattr *a, uint32_t otherwise);
uint64_t netlink_u64(const struct nlattr *a, uint64_t otherwise);
/** netlink_string - made safe, at most 255 bytes; "" if missing */
const char *netlink_string(struct arena *a, const struct nlattr *attr);
/** netlink_copy - exactly @n bytes of a struct, from an attribute that holds at least as many; false if not */
bool netlink_copy(const struct nlattr *a, void *to, size_t n);

/**
 * netlink_tell - the story of a set that failed (@r < 0), or the warning of one that did not
 * @object: interface or device
 * @message: what was sent ("RTM_SETLINK IFLA_MTU"), told beside the kernel's words
 * Return: @r.
 */
int netlink_tell(struct kernel *k, struct diags *d, int r, const char *object, const char *message,
		 const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

#endif
