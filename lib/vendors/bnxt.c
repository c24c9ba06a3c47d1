/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bnxt_en and bnxt_re (Broadcom NetXtreme). Its DCB needs HOST mode. It answers zeros for ETS and PFC until its driver
 * has set them, takes PFC only after ETS, adds a second APP entry for a DSCP instead of replacing the first, and
 * reopens the NIC for classes and lossless queues. So ETS and PFC are one object here, ETS first: what may not be
 * written over ETS keeps PFC from being tried. Its congestion control (debugfs cc_config, the vendor build's configfs)
 * is not served yet.
 */
#include <stddef.h>

#include "model/change.h"
#include "settings/dcb.h"
#include "settings/ets.h"
#include "settings/pause.h"
#include "settings/pfc.h"
#include "vendors/vendors.h"

static int queues_write(struct kernel *k, const struct change *c, struct diags *d)
{
	int r = 0;

	if (change_want(c, &setting_ets))
		r = ets_write(k, c, d);
	if (r == 0 && change_want(c, &setting_pfc))
		r = pfc_write(k, c, d);
	return r;
}

static int queues_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct dcb *dcb;

	if (!change_want(c, &setting_ets) && dcbnl_get(k, c->target->ifname, &dcb) == 0 && dcb_unset(c->target, dcb))
		return change_refuse(c, REFUSED_IMPOSSIBLE, "this driver takes PFC only after it has set ETS once: "
							    "add qos.tc for all 8 priorities, and qos.ets");
	ets_weigh(k, c, d);
	return c->refused ? 0 : pfc_weigh(k, c, d);
}

static const struct setting *const disturbed[] = { &setting_pause, NULL };

static const struct home ets = {
	.object = "queues", .read = ets_read, .write = queues_write, .weigh = queues_weigh, .disturbs = disturbed,
	.interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_ETS",
};
static const struct home pfc = {
	.object = "queues", .read = pfc_read, .write = queues_write, .weigh = queues_weigh, .disturbs = disturbed,
	.interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_PFC",
};

static const struct provider providers[] = {
	{ &setting_ets, &ets }, { &setting_pfc, &pfc }, { 0 },
};

static const struct dcb_manners manners = {
	.delete_before_replace = true,
	.zeros_until_set = true,
	.no_zero_share = true,
	.strict_or_ets = true,
	.deleted_becomes = VALUE_UNSET,
	.pfc_impact = IMPACT_TRAFFIC,
	.ets_impact = IMPACT_TRAFFIC,
	.app_impact = IMPACT_NONE,
	.trust_impact = IMPACT_NONE,
	.mtu_impact = IMPACT_TRAFFIC,
	.needs_host_mode = true,
	.pfc_does = "NIC reopen",
	.ets_does = "NIC reopen",
	.mtu_does = "NIC reopen",
	.ets_free = ETS_BANDWIDTH | ETS_TSA | ETS_MAP,	/* only another number of classes reopens it */
	.unlisted = UNLISTED_PCP,
	.dcbx_remedy = "turn the firmware's LLDP and DCBX agents off in NVRAM (bnxtnvm or niccli) and reboot",
};

static const char *const drivers[] = { "bnxt_en", NULL }, *const rdma_drivers[] = { "bnxt_re", NULL };

const struct vendor vendor_bnxt = {
	.name = "bnxt",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.providers = providers,
	.manners = &manners,
	.roce_overhead = 96,
};
