/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.state, link.speed: is the wire up, and how fast. Verified only. Speaks to rtnetlink (carrier), RDMA nldev (port
 * state), ethtool netlink (link modes), and sysfs where these were not asked or have no answer.
 *
 * A RoCE port follows its netdev; an InfiniBand port has none, waits in INIT for a subnet manager, and tells its speed
 * only in sysfs ("400 Gb/sec (4X NDR)"). Linux 6.1 does not know XDR and calls it SDR, so that an 800 Gb/s port reads
 * 10 Gb/sec. A link that is down has no speed: ethtool says unknown, sysfs -1 or EINVAL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/ethnl.h"
#include "kernel/files.h"
#include "kernel/rdmanl.h"
#include "kernel/rtnl.h"
#include "model/setting.h"

enum { LINK_STATE, LINK_SPEED };
enum { DOWN, UP };
enum { PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4, PORT_ACTIVE_DEFER = 5 };	/* enum ib_port_state */

static const char *const states[] = { "down", "up", NULL };

static const struct field fields[] = {
	[LINK_STATE] = { "link.state", KIND_WORD, .words = states, .verify_only = true,
			 .doc = "up: the netdev has carrier and the RDMA port, if there is one, is active" },
	[LINK_SPEED] = { "link.speed", KIND_UINT, .min = 1, .max = 3200000, .unit = "Mb/s", .verify_only = true,
			 .follows = LINK_STATE + 1, .doc = "speed of the wire, exactly (400Gb/s)" },
	{ 0 },
};

/* --- state ------------------------------------------------------------------ */

struct state {
	bool netdev_known, running;	/* administratively up, and carrier */
	bool admin_up;
	uint8_t rdma;			/* IB_PORT_*; 0: no RDMA port, or not known */
	const char *via;
};

/*
 * Asked afresh, not taken from the inventory: a write may just have bounced the link. The netdev of an InfiniBand port
 * is IPoIB, which may be down while the port is up.
 */
static void state_netdev(struct kernel *k, const struct port *p, struct state *s)
{
	const struct rtnl_link *l;
	uint64_t carrier;
	int r;

	if (!*p->ifname || p->link_layer == LINK_LAYER_INFINIBAND)
		return;
	l = rtnl_link(k, p->ifname);
	if (l) {
		*s = (struct state){ .netdev_known = true, .admin_up = l->up, .running = l->up && l->carrier,
				     .via = "rtnetlink" };
		return;
	}
	if (!files_component(p->ifname))
		return;
	r = files_u64(k, &carrier, "sys/class/net/%s/carrier", p->ifname);
	if (r == 0)
		*s = (struct state){ .netdev_known = true, .admin_up = true, .running = carrier == 1, .via = "sysfs" };
	else if (r == -EINVAL)		/* how the kernel says: administratively down */
		*s = (struct state){ .netdev_known = true, .via = "sysfs" };
}

static uint8_t state_of_file(struct kernel *k, const struct port *p)
{
	const char *text;

	if (!files_component(p->ibdev) ||
	    files_text(k, &text, "sys/class/infiniband/%s/ports/%u/state", p->ibdev, p->ibport) < 0)
		return 0;
	return *text >= '0' && *text <= '9' && text[1] == ':' ? (uint8_t)(*text - '0') : 0;
}

static void state_rdma(struct kernel *k, const struct port *p, struct state *s)
{
	const struct rdma_port *port;
	size_t n;

	if (!*p->ibdev)
		return;
	if (rdmanl_ports(k, &port, &n) == 0)
		for (size_t i = 0; i < n; i++)
			if (port[i].port == p->ibport && !strcmp(port[i].ibdev, p->ibdev))
				s->rdma = port[i].state;
	if (!s->rdma)
		s->rdma = state_of_file(k, p);
	if (s->rdma && !s->netdev_known)
		s->via = "rdma netlink";
}

static bool state_up(const struct state *s)
{
	bool active = s->rdma == PORT_ACTIVE || s->rdma == PORT_ACTIVE_DEFER;

	return s->netdev_known ? s->running && (active || !s->rdma) : active;
}

static void state_explain(const struct state *s, struct cell *c)
{
	static const char *const rdma[] = {
		[PORT_DOWN] = "the RDMA port is DOWN",
		[PORT_INIT] = "the RDMA port is in INIT: no subnet manager has seen it",
		[PORT_ARMED] = "the RDMA port is ARMED: the subnet manager has not finished",
	};

	if (s->netdev_known && !s->admin_up) {
		c->because = "administratively down";
		c->remedy = "ip link set up, and find out who took it down";
	} else if (s->netdev_known && !s->running) {
		c->because = "no carrier";
		c->remedy = "look at cable, transceiver and switch port";
	} else {
		c->because = s->rdma <= PORT_ARMED && rdma[s->rdma] ? rdma[s->rdma] : "the RDMA port is not active";
		c->remedy = s->rdma == PORT_DOWN ? "look at cable, transceiver and switch port" :
						   "look for a subnet manager on this fabric";
	}
}

static bool link_is_up(struct kernel *k, struct part *p)
{
	const struct port *port = p->target->port;
	struct cell *c = &p->have->at[LINK_STATE];
	struct state s = { 0 };
	bool up;

	state_netdev(k, port, &s);
	state_rdma(k, port, &s);
	up = state_up(&s);
	if (!part_open(p, LINK_STATE))
		return up;
	if (!s.netdev_known && !s.rdma) {
		part_reason(p, LINK_STATE, *port->ifname || *port->ibdev ? REASON_NOT_RECORDED : REASON_VANISHED, NULL,
			    "neither netdev nor RDMA port tells its state");
		return true;
	}
	part_num(p, LINK_STATE, up ? UP : DOWN, s.via);
	if (!up)
		state_explain(&s, c);
	return up;
}

/* --- speed ------------------------------------------------------------------ */

/* "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)": Mb/s, or 0 */
static uint32_t rate_parse(const char *s)
{
	char *end;
	unsigned long whole, half = 0;

	if (*s < '0' || *s > '9')
		return 0;
	whole = strtoul(s, &end, 10);
	if (!strncmp(end, ".5", 2)) {
		half = 500;
		end += 2;
	}
	if (strncmp(end, " Gb/sec", 7) != 0 || whole > 100000)
		return 0;
	return (uint32_t)(whole * 1000 + half);
}

struct speed {
	uint32_t mbps;			/* 0: not told */
	int err;			/* why nobody could be asked, or 0 */
	const char *via, *because;
};

static struct speed speed_rdma(struct kernel *k, const struct port *p)
{
	struct speed s = { .via = "sysfs rate" };
	const char *text;

	if (!*p->ibdev || !files_component(p->ibdev))
		return s;
	s.err = files_text(k, &text, "sys/class/infiniband/%s/ports/%u/rate", p->ibdev, p->ibport);
	if (s.err < 0)
		return s;
	s.mbps = rate_parse(text);
	if (strstr(text, "SDR"))
		s.because = "SDR: kernels that do not know XDR call it that, too (Linux 6.1)";
	return s;
}

static struct speed speed_netdev(struct kernel *k, const struct port *p)
{
	struct speed s = { .via = "ethtool link modes" };
	const struct ethnl_mode *mode;
	const char *text;
	uint64_t mbps;
	int err = -ENODATA;

	mode = p->ifindex ? ethnl_mode(k, p->ifindex, &err) : NULL;
	if (mode) {
		s.mbps = mode->speed_mbps == UINT32_MAX ? 0 : mode->speed_mbps;
		return s;
	}
	s.via = "sysfs speed";
	s.err = files_component(p->ifname) ? files_text(k, &text, "sys/class/net/%s/speed", p->ifname) : -EBADMSG;
	if (s.err == 0)
		s.mbps = text_u64(text, &mbps) && mbps < UINT32_MAX ? (uint32_t)mbps : 0;
	else if (s.err == -ENOENT || s.err == -EINVAL)	/* EINVAL: how the kernel says that it does not know */
		s.err = err == -ENODATA && s.err == -ENOENT ? err : 0;
	return s;
}

static void tell_speed(struct kernel *k, struct part *p, bool up)
{
	const struct port *port = p->target->port;
	struct cell *c = &p->have->at[LINK_SPEED];
	struct speed s;

	if (!part_open(p, LINK_SPEED))
		return;
	s = *port->ifname && port->link_layer != LINK_LAYER_INFINIBAND ? speed_netdev(k, port) : speed_rdma(k, port);
	if (!up)
		part_reason(p, LINK_SPEED, REASON_UNREADABLE, s.via, "the link is down");
	else if (s.err == -ENODATA)
		part_reason(p, LINK_SPEED, REASON_NOT_RECORDED, s.via, "neither ethtool nor sysfs was asked");
	else if (s.err < 0)
		part_reason(p, LINK_SPEED, reason_of(s.err), s.via, "%s", strerror(-s.err));
	else if (!s.mbps)
		part_reason(p, LINK_SPEED, REASON_UNREADABLE, s.via, "the driver does not tell it");
	if (!part_open(p, LINK_SPEED))
		return;
	part_num(p, LINK_SPEED, s.mbps, s.via);
	c->because = s.because;
	c->remedy = "compare what NIC, cable and switch port offer, and their autonegotiation";
}

static int link_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)d;
	tell_speed(k, p, link_is_up(k, p));
	return 0;
}

const struct setting setting_link = {
	.name = "link",
	.why = "A port that is down or came up slower makes every collective wait for it; nothing else looks wrong.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = { .read = link_read, .interface = "rtnetlink, RDMA nldev, ethtool link modes; sysfs" },
};
