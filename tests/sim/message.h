/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink from the kernel's side: requests checked against what a command takes, answers built. */
#ifndef TESTS_SIM_MESSAGE_H
#define TESTS_SIM_MESSAGE_H

#include <linux/netlink.h>

#include "state.h"

/* One request on its way; what fails says so in ack. */
struct request {
	struct sim *sim;
	const struct nlmsghdr *h;
	struct text *reply;
	const char *ack;		/* extended ACK's text, or NULL */
	uint32_t bad;			/* offset of the attribute that it is about; 0: none */
	uint32_t missing;		/* type of one that is missing; 0: none */
	int dump_error;			/* a dump that began, and failed: in its NLMSG_DONE */
};

enum want {
	WANT_NOT_TAUGHT,		/* the kernel takes it, we were not taught it */
	WANT_U8, WANT_U16, WANT_U32, WANT_FLAG, WANT_NEST,
	WANT_STRING,			/* at most len characters, NUL or not */
	WANT_NUL_STRING,		/* with its NUL */
	WANT_BYTES,			/* len of them at least */
	WANT_IGNORED,			/* the kernel does not look at it */
};
struct policy { uint16_t type; enum want want; uint16_t len; };	/* ends with want WANT_END */
#define WANT_END 255

/* What is behind a type; data NULL: not sent. */
struct attr { const uint8_t *data; uint16_t len, type; };

/*
 * How strict a family is: old ones skip what is beyond their list and take more bytes than they need, generic ones
 * refuse. What no policy names is refused by either here, since nobody taught it.
 */
enum strictness { LIBERAL, STRICT };

enum { ATTRS_MAX = 192 };

/**
 * request_attrs - the attributes behind a header of @header bytes, by type
 * Return: 0; -errno with ack set: -ERANGE, -EINVAL as the kernel's; -ENOSYS not taught
 */
int request_attrs(struct request *r, size_t header, const struct policy *p, enum strictness how, struct attr tb[ATTRS_MAX]);
int request_nest(struct request *r, const struct attr *nest, const struct policy *p, enum strictness how,
		 struct attr tb[ATTRS_MAX]);
/** request_each - the next attribute of a nest from *at on; false at its end */
bool request_each(const struct attr *nest, size_t *at, struct attr *one);
/** request_header - the fixed header copied; false if the message is shorter */
bool request_header(const struct request *r, void *header, size_t size);
bool request_dump(const struct request *r);
/** request_need - is it there; else -EINVAL with the missing type noted */
int request_need(struct request *r, const struct attr tb[ATTRS_MAX], uint16_t type);

uint8_t attr_u8(const struct attr *a);
uint32_t attr_u32(const struct attr *a);
/** attr_str - into @to, cut at its size */
void attr_str(const struct attr *a, char *to, size_t size);

/* Answers. Offsets, since the text may move. */
size_t message_begin(struct request *r, uint16_t type, uint16_t flags, const void *header, size_t size);
void message_end(struct request *r, size_t at);
void put(struct text *t, uint16_t type, const void *data, size_t len);
void put_u8(struct text *t, uint16_t type, uint8_t v);
void put_u16(struct text *t, uint16_t type, uint16_t v);
void put_u32(struct text *t, uint16_t type, uint32_t v);
void put_u64(struct text *t, uint16_t type, uint64_t v);
void put_str(struct text *t, uint16_t type, const char *s);
size_t nest_begin(struct text *t, uint16_t type);
void nest_end(struct text *t, size_t at);

/* One handler for each family. Return: 0, or -errno for NLMSG_ERROR. */
int rtnl_talk(struct request *r);
int dcb_talk(struct request *r);
int genl_talk(struct request *r);
int nldev_talk(struct request *r);

/* Generic netlink: commands of a family. */
enum { GENL_CTRL = 0x10, GENL_DEVLINK = 0x15, GENL_ETHTOOL = 0x16 };

struct genl_command {
	uint8_t cmd;
	bool dump, admin;		/* asked with NLM_F_DUMP; needs CAP_NET_ADMIN */
	const struct policy *policy;
	int (*run)(struct request *r, const struct attr tb[ATTRS_MAX]);
};

struct genl_family {
	const char *name;
	uint16_t id;
	uint8_t version;
	const struct genl_command *commands;	/* cmd 0 at the end */
};
extern const struct genl_family family_devlink, family_ethtool;

/** genl_begin - a message of a family's answer; MULTI if the request is a dump */
size_t genl_begin(struct request *r, uint8_t cmd);

#endif
