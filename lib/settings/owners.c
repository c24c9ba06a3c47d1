/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else owns the DCB or the MTU of a port.
 *
 * DCB. lldpad sets HOST mode and rewrites ETS, PFC and APP after every link event: it is known by its abstract socket.
 * Firmware that owns DCB shows in the dcbx byte of an IEEE_GET, ice's LLDP agent in a private flag of ethtool as well.
 * A willing bit alone is no owner: it says what would be taken from the switch if somebody took it, ice and others show
 * it by default, and without an agent that speaks DCBX nobody acts on it. Each agent that does is found by itself,
 * so the bit refuses nothing; beside an agent in firmware it is told, since then the switch decides. lldpd hands TLVs on
 * and does not touch DCB.
 *
 * MTU. The programs and files are those of boot/netcfg.h. What is set once, at appearance, is no obstacle on a bond's
 * member, since enslaving gives it its bond's MTU, nor on a port that our units look after: udev tells systemd of a device
 * when it is done with it, so .link files, rules and the commands in RUN come first, and the unit behind them.
 */
#include "settings/owners.h"

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/netcfg.h"
#include "boot/units.h"
#include "kernel/dcbnl.h"
#include "kernel/ethnl.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/rtnl.h"
#include "settings/dcb.h"

#define LLDPAD "@/com/intel/lldpad"
#define REMEDY "give DCB to the host with `dcb dcbx set dev IFNAME host ieee`"
#define BARRED "; its driver takes no change before that, with --take-over or without"

enum { ARPHRD_IPOIB = 32, SHOWN = 300 };

/* --- DCB ------------------------------------------------------------------------- */

/* A whole word at the end of a line: other programs have sockets below the same name. */
static bool lldpad_runs(struct kernel *k)
{
	const char *text, *at;

	if (files_text(k, &text, "proc/net/unix") < 0)
		return false;
	for (at = text; (at = strstr(at, LLDPAD)); at += strlen(LLDPAD)) {
		char behind = at[strlen(LLDPAD)];

		if (at > text && at[-1] == ' ' && (behind == '\n' || behind == '\0'))
			return true;
	}
	return false;
}

static bool agent_runs(struct kernel *k, const struct change *c)
{
	const char *flag = dcb_manners_of(c->target)->agent_flag;
	bool on;

	return flag && c->target->port && ethnl_private_flag(k, c->target->port->ifindex, flag, &on) == 0 && on;
}

static const char *mode_of(struct arena *a, const struct dcb *dcb)
{
	return arena_printf(a, "dcbx mode 0x%02x%s", dcb->dcbx,
			    dcb->dcbx & DCB_CAP_DCBX_LLD_MANAGED ? ", LLD_MANAGED" :
			    dcb->dcbx & DCB_CAP_DCBX_HOST	 ? "" : ", no HOST bit");
}

static const char *who_owns(const struct change *c, const struct dcb_manners *manners, const struct dcb *dcb, bool agent)
{
	const char *mode = mode_of(c->arena, dcb);

	if (manners->dcbx_owner)
		return arena_printf(c->arena, "%s owns DCB here (%s)", manners->dcbx_owner, mode);
	return arena_printf(c->arena, "the adapter's firmware owns DCB here (%s%s%s)%s", mode,
			    agent ? ", its LLDP agent runs: private flag " : "", agent ? manners->agent_flag : "",
			    dcb->has_ets && dcb->ets.willing ? " and takes what the switch offers (willing)" : "");
}

static bool firmware_owns(struct kernel *k, struct change *c)
{
	const struct dcb_manners *manners = dcb_manners_of(c->target);
	bool agent = agent_runs(k, c), keeps;
	const struct dcb *dcb;

	if (dcbnl_get(k, c->target->ifname, &dcb) < 0 || !dcb->has_dcbx)
		return false;
	keeps = !(dcb->dcbx & DCB_CAP_DCBX_HOST) || dcb->dcbx & DCB_CAP_DCBX_LLD_MANAGED;
	if (!keeps && !agent)
		return false;
	c->barred = keeps && manners->needs_host_mode;
	change_refuse(c, REFUSED_OTHER_OWNER, "%s: %s%s", who_owns(c, manners, dcb, agent),
		      manners->dcbx_remedy ? manners->dcbx_remedy : REMEDY, c->barred ? BARRED : "");
	return c->refused;
}

bool owners_dcb(struct kernel *k, struct change *c)
{
	if (lldpad_runs(k))
		change_refuse(c, REFUSED_OTHER_OWNER,
			      "lldpad runs (" LLDPAD ") and rewrites ETS, PFC and APP after every link event: "
			      "take %s out of its hands, or stop it",
			      c->target->ifname);
	return c->refused || firmware_owns(k, c);
}

/* --- MTU ------------------------------------------------------------------------- */

enum relation { ITSELF, MEMBER, VLAN_ABOVE };

struct asking {
	struct kernel *k;
	struct change *c;
	const struct netcfg *netcfg;
	uint32_t mtu;
	const char *unread;
	struct diags *d;
};

/* A bond or a VLAN appears at anybody's hand, and starts no unit of ours. */
static bool is_set_again(const struct asking *a, const struct netcfg_claim *claim, enum relation r)
{
	const struct port *port = a->c->target->port;
	struct units_fault f;

	return r == ITSELF && claim->when == NETCFG_APPEARS && port && *port->pci_path && units_exist(a->k) > 0 &&
	       units_fault(a->k, a->c->arena, &f) == 0;
}

static const char *place(struct arena *arena, const struct netcfg_claim *claim)
{
	const char *name = claim->pos.source->name;

	return arena_printf(arena, "%s:%u", text_safe(arena, name, strlen(name), SHOWN), claim->pos.line);
}

static const char *whose(struct arena *a, const char *ifname, enum relation r)
{
	static const char *const words[] = { "", "its member ", "the VLAN above it, " };

	return arena_printf(a, "%s%s", words[r], text_safe(a, ifname, strlen(ifname), 40));
}

static void refuse(const struct asking *a, const struct netcfg_claim *claim, const char *ifname, enum relation r)
{
	struct arena *arena = a->c->arena;

	const char *doubt = claim->doubt ? arena_printf(arena, " (%s)", claim->doubt) : "";

	change_refuse(a->c, REFUSED_OTHER_OWNER, "%s: %s %s the MTU of %s to %u %s%s: change it there%s", place(arena, claim),
		      claim->owner, claim->doubt ? "may set" : "sets", whose(arena, ifname, r), claim->mtu,
		      netcfg_when_name(claim->when), doubt, a->c->take_over ? "" : ", or apply with --take-over");
}

/* What nobody can say here: told once a line, and no obstacle. Several ports may ask. */
static void tell_may(const struct asking *a, const struct netcfg_may *may, const char *ifname)
{
	struct arena *arena = a->c->arena;
	const char *to = may->mtu ? arena_printf(arena, " to %u", may->mtu) : "";

	if (may->mtu == a->mtu || diag_told(a->d, SEVERITY_NOTE, &may->pos))
		return;
	diag_note(a->d, &may->pos, "a udev rule may set the MTU of %s%s when it appears: %s", text_safe(arena, ifname, strlen(ifname), 40),
		  to, may->why);
}

static void tell_first(const struct asking *a, const struct netcfg_claim *claim, const char *ifname)
{
	if (diag_told(a->d, SEVERITY_NOTE, &claim->pos))
		return;
	diag_note(a->d, &claim->pos, "%s %s the MTU of %s to %u %s; " UNITS_PORT " sets it again, to what the policy asks for",
		  claim->owner, claim->doubt ? "may set" : "sets", text_safe(a->c->arena, ifname, strlen(ifname), 40), claim->mtu,
		  netcfg_when_name(claim->when));
}

static bool is_obstacle(const struct asking *a, const struct netcfg_claim *claim, const char *ifname, enum relation r)
{
	if (!claim->counts || (r == MEMBER && claim->when != NETCFG_UP))
		return false;
	if (r == VLAN_ABOVE ? claim->mtu <= a->mtu : claim->mtu == a->mtu)
		return false;
	if (!is_set_again(a, claim, r))
		return true;
	tell_first(a, claim, ifname);
	return false;
}

/* The first obstacle is told whole; the others would be a second finding of one fault. */
static bool ask(struct asking *a, const struct netcfg_link *l, enum relation r)
{
	struct netcfg_answer answer;

	netcfg_mtu(a->netcfg, l, &answer);
	a->unread = answer.unread ? answer.unread : a->unread;
	for (size_t i = 0; i < answer.nmay; i++)
		tell_may(a, &answer.may[i], l->ifname);
	for (size_t i = 0; i < answer.n; i++)
		if (is_obstacle(a, &answer.claim[i], l->ifname, r)) {
			refuse(a, &answer.claim[i], l->ifname, r);
			return true;
		}
	return false;
}

static bool ask_link(struct asking *a, const struct rtnl_link *link, enum relation r)
{
	const struct port *port = r == VLAN_ABOVE ? NULL : a->c->target->port;

	return ask(a, &(struct netcfg_link){ .ifname = link->ifname, .ifindex = link->ifindex, .kind = link->kind,
					     .driver = port && !*link->kind ? port->driver : "",
					     .infiniband = link->type == ARPHRD_IPOIB }, r);
}

/* The target, then what changes with it. Links are known here: an MTU that differs was read from them. */
static bool ask_all(struct asking *a)
{
	const struct target *t = a->c->target;
	const struct rtnl_link *links, *self;
	size_t n;

	self = t->ifindex ? rtnl_link_by_index(a->k, t->ifindex) : rtnl_link(a->k, t->ifname);
	if (!self || rtnl_links(a->k, &links, &n) < 0)
		return false;
	if (ask_link(a, self, ITSELF))
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct rtnl_link *l = &links[i];
		bool member = l->master == self->ifindex && !strcmp(self->kind, "bond");
		bool shrinks = l->lower == self->ifindex && !strcmp(l->kind, "vlan") && l->mtu > a->mtu;

		if ((member && ask_link(a, l, MEMBER)) || (shrinks && ask_link(a, l, VLAN_ABOVE)))
			return true;
	}
	return false;
}

/* Told once: the same files are behind all ports. */
static void tell_unread(struct kernel *k, const char *unread, struct diags *d)
{
	void **told = kernel_memo(k, "netcfg:told");

	if (*told)
		return;
	*told = k;
	if (unread)
		diag_warning(d, NULL, "whether somebody else sets an MTU is not wholly known: %s", unread);
	else
		diag_note(d, NULL, "whether somebody else sets an MTU is not known: nobody asked for it when this dump was made");
}

bool owners_mtu(struct kernel *k, struct change *c, uint32_t mtu, struct diags *d)
{
	struct asking a = { .k = k, .c = c, .mtu = mtu, .d = d };

	if (netcfg_load(k, &a.netcfg) < 0) {
		tell_unread(k, NULL, d);
		return false;
	}
	if (!ask_all(&a) && a.unread)
		tell_unread(k, a.unread, d);
	return c->refused;
}
