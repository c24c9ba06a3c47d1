/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated machine for a test of its own: made, asked by raw requests, looked at as simctl prints it. */
#ifndef TESTS_UNIT_SIM_TEST_H
#define TESTS_UNIT_SIM_TEST_H

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../sim/ask.h"
#include "../sim/sim.h"
#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

struct machine {
	struct arena *a;
	struct sim *s;
	struct kernel *k;
	struct ask ask;
	char ack[160];			/* extended ACK of the last answer, or "" */
	uint32_t missing;		/* the type that was missing, or 0 */
};

static inline void machine_open_sim(struct machine *m, const char *options)
{
	*m = (struct machine){ .a = arena_new() };
	m->s = sim_new(m->a, options);
	m->k = sim_kernel(m->s);
}

static inline void machine_close_sim(struct machine *m)
{
	text_done(&m->ask.request);
	sim_close(m->s);
	arena_free(m->a);
}

#define DO(m, ...)                                                                                       \
	do {                                                                                             \
		if (sim_do((m)->s, __VA_ARGS__) < 0)                                                     \
			fail_msg("%s", sim_why((m)->s));                                                 \
	} while (0)

/* What simctl prints for @command, without its newline. */
static inline const char *see(struct machine *m, const char *command)
{
	TEXT_CLEANUP struct text out = { 0 };
	char *argv[8], *save = NULL, *line = arena_strdup(m->a, command);
	int argc = 0;

	for (char *w = strtok_r(line, " ", &save); w && argc < 8; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	if (sim_command(m->s, argc, argv, &out) < 0)
		fail_msg("%s: %s", command, sim_why(m->s));
	return arena_strndup(m->a, text_str(&out), text_trim(text_str(&out), out.n));
}

#define SEES(m, command, want) assert_string_equal(see(m, command), want)

/* --- answers --- */

static inline void take_ack(struct machine *m, const char *s, size_t n)
{
	while (n >= NLA_HDRLEN) {
		struct nlattr a;
		size_t step;

		memcpy(&a, s, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > n)
			fail_msg("a cut attribute in an error");
		if (a.nla_type == NLMSGERR_ATTR_MSG)
			snprintf(m->ack, sizeof(m->ack), "%s", s + NLA_HDRLEN);
		if (a.nla_type == 5)
			memcpy(&m->missing, s + NLA_HDRLEN, sizeof(m->missing));
		step = NLA_ALIGN((size_t)a.nla_len);
		step = step < n ? step : n;
		s += step;
		n -= step;
	}
}

/* Sends the request. Return: what NLMSG_ERROR or NLMSG_DONE says, 0 if neither; the door's own errors as they are. */
static inline int verdict(struct machine *m, int protocol, struct text *reply)
{
	TEXT_CLEANUP struct text own = { 0 };
	struct text *t = reply ? reply : &own;
	int r = ask_talk(&m->ask, m->k, protocol, t), error = 0;

	m->ack[0] = 0;
	m->missing = 0;
	for (size_t at = 0; r == 0 && at + NLMSG_HDRLEN <= t->n;) {
		struct nlmsghdr h;
		const char *payload = t->s + at + NLMSG_HDRLEN;

		memcpy(&h, t->s + at, sizeof(h));
		if (h.nlmsg_len < NLMSG_HDRLEN || h.nlmsg_len > t->n - at)
			fail_msg("a cut message in an answer");
		if (h.nlmsg_type == NLMSG_ERROR || h.nlmsg_type == NLMSG_DONE)
			memcpy(&error, payload, sizeof(error));
		if (h.nlmsg_type == NLMSG_ERROR && h.nlmsg_flags & NLM_F_ACK_TLVS)
			take_ack(m, payload + sizeof(struct nlmsgerr), h.nlmsg_len - NLMSG_HDRLEN - sizeof(struct nlmsgerr));
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
	return r < 0 ? r : error;
}

/* The same for DCB: the status byte as a signed number, where there is no error. */
static inline int dcb_status(struct machine *m)
{
	TEXT_CLEANUP struct text reply = { 0 };
	const size_t at = NLMSG_HDRLEN + sizeof(struct dcbmsg);
	struct nlattr a;
	int r = verdict(m, NETLINK_ROUTE, &reply);

	if (r < 0)
		return r;
	assert_true(reply.n > at + NLA_HDRLEN);
	memcpy(&a, reply.s + at, sizeof(a));
	assert_int_equal(a.nla_len, NLA_HDRLEN + 1);
	return (int8_t)reply.s[at + NLA_HDRLEN];
}

static inline int dcb_set(struct machine *m, const char *ifname, uint16_t type, const void *data, size_t len)
{
	size_t nest;

	ask_dcb(&m->ask, RTM_SETDCB, DCB_CMD_IEEE_SET, ifname);
	nest = ask_nest(&m->ask, DCB_ATTR_IEEE);
	ask_attr(&m->ask, type, data, len);
	ask_nest_end(&m->ask, nest);
	return dcb_status(m);
}

static inline int dcb_set_pfc(struct machine *m, const char *ifname, uint8_t en, uint16_t delay)
{
	const struct ieee_pfc pfc = { .pfc_en = en, .delay = delay };

	return dcb_set(m, ifname, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
}

/* DCB_CMD_IEEE_SET or IEEE_DEL of DSCP entries in one message. */
static inline int dcb_apps(struct machine *m, const char *ifname, uint8_t cmd, const struct dcb_app *app, size_t n)
{
	size_t ieee, table;

	ask_dcb(&m->ask, RTM_SETDCB, cmd, ifname);
	ieee = ask_nest(&m->ask, DCB_ATTR_IEEE);
	table = ask_nest(&m->ask, DCB_ATTR_IEEE_APP_TABLE);
	for (size_t i = 0; i < n; i++)
		ask_attr(&m->ask, 1, &app[i], sizeof(app[i]));
	ask_nest_end(&m->ask, table);
	ask_nest_end(&m->ask, ieee);
	return dcb_status(m);
}

static inline int dcb_add(struct machine *m, const char *ifname, uint8_t dscp, uint8_t prio)
{
	return dcb_apps(m, ifname, DCB_CMD_IEEE_SET, &(struct dcb_app){ 5, prio, dscp }, 1);
}

static inline int dcb_del(struct machine *m, const char *ifname, uint8_t dscp, uint8_t prio)
{
	return dcb_apps(m, ifname, DCB_CMD_IEEE_DEL, &(struct dcb_app){ 5, prio, dscp }, 1);
}

/* Files through the doors. */
static inline int write_line(struct machine *m, const char *path, const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "%s\n", line);
	return m->k->ops->write(m->k, path, text, strlen(text));
}

/* Text without its newline, or "error N". */
static inline const char *read_file(struct machine *m, const char *path)
{
	TEXT_CLEANUP struct text out = { 0 };
	int r = m->k->ops->read(m->k, path, &out);

	return r < 0 ? arena_printf(m->a, "error %d", r) : arena_strndup(m->a, text_str(&out), text_trim(text_str(&out), out.n));
}

#define READS(m, path, want) assert_string_equal(read_file(m, path), want)

#endif
