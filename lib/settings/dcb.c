/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCB of a port, for the settings that are part of it. A bond, VLAN, bridge or a driver built without DCB answers
 * EOPNOTSUPP, which looks exactly like a device that has none.
 */
#include "settings/dcb.h"

#include <errno.h>
#include <string.h>

#include "kernel/kernel.h"
#include "settings/owners.h"

const struct dcb_manners *dcb_manners_of(const struct target *t)
{
	static const struct dcb_manners unknown = {
		.delete_before_replace = true, .deleted_becomes = VALUE_UNSET, .pfc_impact = IMPACT_TRAFFIC,
		.ets_impact = IMPACT_TRAFFIC, .app_impact = IMPACT_TRAFFIC, .trust_impact = IMPACT_TRAFFIC,
		.mtu_impact = IMPACT_TRAFFIC,
	};

	return t->vendor && t->vendor->manners ? t->vendor->manners : &unknown;
}

const struct dcb *dcb_ask(struct kernel *k, struct part *p)
{
	const struct dcb *dcb;
	int r;

	if (!*p->target->ifname) {
		part_reasons(p,
			     p->target->port->link_layer == LINK_LAYER_INFINIBAND ? REASON_DRIVER_LACKS
										  : REASON_UNREADABLE,
			     DCB_VIA, "this port has no netdev in this network namespace, and DCB is asked by netdev");
		return NULL;
	}
	r = dcbnl_get(k, p->target->ifname, &dcb);
	if (r == 0)
		return dcb;
	if (r == -EOPNOTSUPP)
		part_reasons(p, REASON_DRIVER_LACKS, DCB_VIA, "the driver has no DCB, or was built without it");
	else if (r == -ENODEV)
		part_reasons(p, REASON_VANISHED, DCB_VIA, "no netdev %s any more", p->target->ifname);
	else if (r == -ENODATA)
		part_reasons(p, REASON_NOT_RECORDED, DCB_VIA, "netlink was not asked");
	else
		part_reasons(p, reason_of(r), DCB_VIA, "%s: %s", k->ack ? k->ack : "the kernel says", strerror(-r));
	return NULL;
}

void dcb_missing(struct part *p, const char *what)
{
	const struct vendor *v = p->target->vendor;

	if (v && v->manners && v->drivers[0])
		part_reasons(p, REASON_UNREADABLE, DCB_VIA,
			     "the driver has %s, but failed to read it; see the kernel log", what);
	else
		part_reasons(p, REASON_DRIVER_LACKS, DCB_VIA, "the driver has DCB, but no %s", what);
}

bool dcb_unset(const struct target *t, const struct dcb *dcb)
{
	const struct ieee_ets *e = &dcb->ets;

	if (!dcb_manners_of(t)->zeros_until_set || !dcb->has_ets || (dcb->has_pfc && dcb->pfc.pfc_en))
		return false;
	for (int i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		if (e->prio_tc[i] || e->tc_tsa[i] || e->tc_tx_bw[i])
			return false;
	return true;
}

bool dcb_refused(struct kernel *k, struct change *c)
{
	const struct port *port = c->target->port;

	if (dcb_manners_of(c->target)->not_in_bond && *port->master) {
		change_refuse(c, REFUSED_IMPOSSIBLE,
			      "%s is in the bond %s, and its driver takes no DCB change there: "
			      "configure it before it is enslaved, or take it out for the change",
			      c->target->ifname, port->master);
		return true;
	}
	return owners_dcb(k, c);
}
