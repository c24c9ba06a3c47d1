/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which neighbour a port has, or why nobody knows. Speaks to lldpd. Silence has many causes and none of them is "in
 * sync": each is told apart, by what the library says and by what lldpd counts on the port.
 *
 * lldpd forgets a neighbour when its TTL is over, when it says goodbye (a frame with TTL 0), and when the link goes down.
 * It counts those that went, and of them those whose TTL was over. The rest said goodbye, or went with the link: while it
 * is down that is told first, but after a bounce nothing is heard until the switch speaks again.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/lldp.h"
#include "model/facts.h"
#include "settings/neighbor.h"

#define SOCKET "run in lldpd's group, or as root with CAP_DAC_OVERRIDE"
#define SEE "docs/neighbor.md says what a port needs to be heard"

enum { NAMED = 8 };			/* neighbours that one message names */

const char *neighbor_name(const struct lldp_neighbor *n)
{
	return *n->chassis_name ? n->chassis_name : n->chassis_id;
}

/* --- lldpd could not be asked ---------------------------------------------------- */

static const struct trouble {
	int err;
	enum reason reason;
	const char *why, *remedy;
} troubles[] = {
	{ ENODATA, REASON_NOT_RECORDED, "lldpd was not asked", NULL },
	{ ELIBACC, REASON_LLDPCTL_MISSING, "the library that talks to lldpd is not installed",
	  "install liblldpctl.so.4 (it comes with lldpd)" },
	{ ENOSYS, REASON_LLDPD_TOO_OLD, "this liblldpctl does not hand on the TLVs that lldpd does not know",
	  "lldpd 0.8 or later, made with custom TLVs" },
	{ ENOENT, REASON_LLDPD_NOT_RUNNING, "lldpd has no socket here: it is not installed, or was never started",
	  "start lldpd" },
	{ ECONNREFUSED, REASON_LLDPD_NOT_RUNNING, "nobody listens on lldpd's socket: it has ended", "start lldpd" },
	{ EACCES, REASON_NOT_PERMITTED, "lldpd's socket is not open to this user", SOCKET },
	{ EPERM, REASON_NOT_PERMITTED, "lldpd's socket is not open to this user", SOCKET },
	{ EPROTO, REASON_LLDPD_OTHER_VERSION, "lldpd and its library are of different versions",
	  "restart lldpd after its update" },
	{ ETIMEDOUT, REASON_LLDPD_HANGS, "lldpd does not answer", "restart lldpd, and find out what stopped it" },
	{ ECONNRESET, REASON_UNREADABLE, "lldpd ended the conversation", "look into its log" },
	{ EOVERFLOW, REASON_UNREADABLE, "lldpd knows more ports or neighbours than anybody has", NULL },
};

void neighbor_trouble(struct arena *a, int err, struct neighbor_seen *out)
{
	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		if (troubles[i].err == -err) {
			*out = (struct neighbor_seen){ NULL, troubles[i].reason, troubles[i].why, troubles[i].remedy };
			return;
		}
	*out = (struct neighbor_seen){ NULL, reason_of(err), arena_printf(a, "lldpd: %s", strerror(-err)), NULL };
}

/* --- nobody there ---------------------------------------------------------------- */

static void silent(struct arena *a, const struct port *p, const struct lldp_port *l, struct neighbor_seen *out)
{
	uint64_t said_goodbye = l->deleted > l->expired ? l->deleted - l->expired : 0;

	*out = (struct neighbor_seen){ NULL, REASON_NO_NEIGHBOR, NULL, SEE };
	if (p->link_known && !p->carrier) {
		out->why = "the link is down";
		out->remedy = "look at cable, transceiver and switch port";
	} else if (l->expired) {
		out->reason = REASON_NEIGHBOR_EXPIRED;
		out->why = said_goodbye ? arena_printf(a, "it has been silent for longer than its TTL, has said goodbye, or went with "
						       "the link: lldpd counts %llu of the first and %llu of the others",
						       (unsigned long long)l->expired,
						       (unsigned long long)said_goodbye)
					: "it has been silent for longer than its TTL";
		out->remedy = "is LLDP still on at the switch port, and does a firmware agent eat the frames since? " SEE;
	} else if (said_goodbye) {
		out->reason = REASON_NEIGHBOR_SHUTDOWN;
		out->why = "it has said goodbye (a frame with TTL 0), or the link went down, and it has not spoken since";
		out->remedy = "if it stays so for longer than 30 s, turn LLDP on at the switch port";
	} else if (l->discarded) {
		out->why = arena_printf(a, "lldpd has thrown away %llu malformed frames here, and taken none",
					(unsigned long long)l->discarded);
	} else {
		out->why = "lldpd has heard nothing here: the switch port does not send LLDP, an agent in the NIC's firmware eats "
			   "the frames, or lldpd has just started (30 s between frames)";
	}
}

void neighbor_not_listening(struct arena *a, const struct port *p, struct neighbor_seen *out)
{
	*out = (struct neighbor_seen){ NULL, REASON_LLDPD_NOT_ON_PORT,
				       arena_printf(a, "lldpd does not listen on %s", text_safe(a, p->ifname, strlen(p->ifname), 64)),
				       p->function == FUNCTION_VF ? "frames of LLDP reach only the physical function: ask its host" :
								   "configure system interface pattern, in lldpd's configuration" };
}

/* --- more than one --------------------------------------------------------------- */

static bool is_lldp(const struct lldp_neighbor *n, const struct port *p)
{
	return !strcmp(n->ifname, p->ifname) && !strcmp(n->protocol, "LLDP");
}

static void add_one(const struct lldp_neighbor *n, unsigned before, struct text *t)
{
	text_add(t, before ? " and " : "");
	text_add_safe(t, neighbor_name(n), strlen(neighbor_name(n)));
	text_add(t, " (port ");
	text_add_safe(t, n->port_id, strlen(n->port_id));
	text_char(t, ')');
}

static void several(struct arena *a, const struct lldp *l, const struct port *p, unsigned count, struct neighbor_seen *out)
{
	const struct lldp_neighbor *first = NULL;
	TEXT_CLEANUP struct text t = { 0 };
	bool one_name = true;
	unsigned n = 0;

	for (size_t i = 0; i < l->n && n < NAMED; i++) {
		if (!is_lldp(&l->neighbor[i], p) || !l->neighbor[i].ttl)
			continue;
		first = first ? first : &l->neighbor[i];
		one_name = one_name && !strcmp(neighbor_name(first), neighbor_name(&l->neighbor[i]));
		add_one(&l->neighbor[i], n++, &t);
	}
	if (n < count)
		text_printf(&t, " and %u more", count - n);
	*out = (struct neighbor_seen){ .reason = REASON_TWO_NEIGHBORS };
	out->why = arena_printf(a, "%u neighbours at once: %s; which of them is at the end of the cable cannot be decided", count,
				text_str(&t));
	out->remedy = one_name ? "one system, two agents: a second LLDP agent speaks there; turn one of them off" :
				 "a bond or a hub in between lets frames of others through: look at what joins these ports";
}

void neighbor_look(struct kernel *k, struct arena *a, const struct port *p, struct neighbor_seen *out)
{
	const struct lldp_neighbor *last = NULL, *leaving = NULL;
	const struct lldp_port *listens;
	const struct lldp *l;
	unsigned n = 0;
	int r;

	if (p->link_layer == LINK_LAYER_INFINIBAND || !*p->ifname) {
		*out = (struct neighbor_seen){ NULL, REASON_DRIVER_LACKS, "no netdev of Ethernet: no LLDP", NULL };
		return;
	}
	r = lldp_get(k, &l);
	if (r < 0) {
		neighbor_trouble(a, r, out);
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (!is_lldp(&l->neighbor[i], p))
			continue;
		n += l->neighbor[i].ttl != 0;
		*(l->neighbor[i].ttl ? &last : &leaving) = &l->neighbor[i];
	}
	listens = lldp_port(l, p->ifname);
	if (n == 1)
		*out = (struct neighbor_seen){ .is = last };
	else if (n > 1)
		several(a, l, p, n, out);
	else if (!listens)
		neighbor_not_listening(a, p, out);
	else if (leaving)
		silent(a, p, &(struct lldp_port){ .deleted = 1 }, out);
	else
		silent(a, p, listens, out);
}
