/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ice and irdma (Intel E810). The first DSCP entry puts the port into "L3 DSCP mode" and resets ETS (TC 0 with 100 %,
 * priority n on TC n), and the last one that goes brings the defaults back: so trust, map and ETS are one object here,
 * the map first if it resets ETS, else last, so that no DSCP comes to a class that is not there yet. In DSCP mode the
 * priority is the TC, and no other can be set. Every DCB change closes and opens the netdev and suspends RDMA; none is
 * taken in a bond or while the firmware's LLDP agent runs. One APP entry a message: a positive status, which is no
 * failure, ends the rest.
 */
#include <stddef.h>

#include "kernel/kernel.h"
#include "model/change.h"
#include "settings/dcb.h"
#include "settings/dscp.h"
#include "settings/ets.h"
#include "settings/pfc.h"
#include "vendors/vendors.h"

#define SETTLE_TRIES 20			/* a late answer is waited for: 20 × 50 ms */
#define SETTLE_MS    50

/* ETS is written over what it was reset to, so that has to be what is read. */
static void wait_for_map(struct kernel *k, const struct change *c)
{
	for (int try = 0; try < SETTLE_TRIES && !dscp_there(k, c); try++) {
		kernel_wait(k, SETTLE_MS);
		kernel_renew(k);
	}
}

static int dcb_write(struct kernel *k, const struct change *c, struct diags *d)
{
	int to, r = 0;
	bool ets = change_want(c, &setting_ets), resets = dscp_flips(k, c, &to);

	if (ets && !resets)
		r = ets_write(k, c, d);
	if (r == 0 && change_want(c, &setting_dscp))
		r = dscp_write(k, c, d);
	if (r < 0 || !ets || !resets)
		return r;
	wait_for_map(k, c);
	return ets_write(k, c, d);
}

static bool identity(const struct record *want)
{
	for (unsigned i = 0; i < 8; i++)
		if (record_at(want, QOS_TC, i, (uint8_t)i) != i)
			return false;
	return true;
}

/* Trust as the change leaves it. */
static int trust_after(struct kernel *k, const struct change *c)
{
	const struct dcb *dcb;
	int to = TRUST_PCP;

	if (dscp_flips(k, c, &to) || change_want(c, &setting_dscp))
		return to;
	if (dcbnl_get(k, c->target->ifname, &dcb) == 0)
		for (size_t i = 0; i < dcb->napps; i++)
			if (dcb->app[i].selector == IEEE_8021QAZ_APP_SEL_DSCP)
				return TRUST_DSCP;
	return TRUST_PCP;
}

/* What is left of ETS when DSCP trust comes, and when it goes: the driver's own for software's DCB. */
static const struct ieee_ets first_entry_ets = {
	.ets_cap = IEEE_8021QAZ_MAX_TCS,
	.tc_tx_bw = { 100 },
	.tc_tsa = { IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS,
		    IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS, IEEE_8021QAZ_TSA_ETS },
	.prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 },
};
static const struct ieee_ets last_entry_ets = {
	.ets_cap = IEEE_8021QAZ_MAX_TCS,
	.tc_tx_bw = { 100 },
	.tc_tsa = { IEEE_8021QAZ_TSA_ETS },
};

static int dcb_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *ets = change_want(c, &setting_ets);
	bool flips;
	int to = TRUST_PCP;

	dscp_weigh(k, c, d);
	if (c->refused)
		return 0;
	flips = dscp_flips(k, c, &to);
	if (ets && trust_after(k, c) == TRUST_DSCP && !identity(ets))
		return change_refuse(c, REFUSED_IMPOSSIBLE,
				     "under DSCP trust this driver has priority n on traffic class n, and no other "
				     "can be set: correct qos.tc");
	if (!flips)
		return ets ? ets_weigh(k, c, d) : 0;
	if (ets)
		ets_check(c, to == TRUST_DSCP ? &first_entry_ets : &last_entry_ets);
	else
		c->leaves = "ETS: this driver resets it whenever DSCP trust comes or goes";
	return 0;
}

static const struct setting *const disturbed[] = { &setting_ets, &setting_pfc, NULL };

static const struct home map = {
	.object = "dcb", .read = dscp_read, .write = dcb_write, .weigh = dcb_weigh, .disturbs = disturbed,
	.interface = "dcb netlink IEEE_GET, IEEE_SET, IEEE_DEL: APP entries, selector 5",
};
static const struct home ets = {
	.object = "dcb", .read = ets_read, .write = dcb_write, .weigh = dcb_weigh, .disturbs = disturbed,
	.interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_ETS",
};

static const struct provider providers[] = {
	{ &setting_dscp, &map }, { &setting_ets, &ets }, { 0 },
};

static const struct dcb_manners manners = {
	.one_app_per_message = true,
	.delete_before_replace = true,
	.not_in_bond = true,
	.deleted_becomes = DELETED_MODULO_8,
	.pfc_impact = IMPACT_TRAFFIC,
	.ets_impact = IMPACT_TRAFFIC,
	.app_impact = IMPACT_TRAFFIC,
	.trust_impact = IMPACT_TRAFFIC,
	.mtu_impact = IMPACT_TRAFFIC,
	.agent_flag = "fw-lldp-agent",
	.needs_host_mode = true,
	.pfc_does = "netdev reopen and RDMA suspension",
	.ets_does = "netdev reopen and RDMA suspension",
	.app_does = "netdev reopen and RDMA suspension",
	.trust_does = "netdev reopen and RDMA suspension",
	.mtu_does = "netdev restart",
	.switches_trust = true,
	.unlisted = UNLISTED_CLASS,
	.first_entry_ets = &first_entry_ets,
	.last_entry_ets = &last_entry_ets,
	.last_entry_stops_pfc = true,
	.dcbx_remedy = "turn its agent off (`ethtool --set-priv-flags IFNAME fw-lldp-agent off`, kept on the device)",
};

static const char *const drivers[] = { "ice", "idpf", NULL }, *const rdma_drivers[] = { "irdma", NULL };

const struct vendor vendor_ice = {
	.name = "ice",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.providers = providers,
	.manners = &manners,
	.roce_overhead = 0,
};
