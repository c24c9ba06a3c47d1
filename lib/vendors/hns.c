/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hns3 and hns_roce (HiSilicon). ETS and PFC changes take the client down and up and reallocate buffers. APP entries
 * are replaced; after a move to another network namespace the kernel's list is empty while the driver keeps its own
 * copy, and adding the same entry again does nothing: the read after the write tells. Its congestion control (debugfs
 * *_cc_param of newer kernels) is not served yet.
 */
#include "vendors/vendors.h"

static const struct dcb_manners manners = {
	.no_zero_share = true,
	.strict_or_ets = true,
	.ets_up_to_highest_tc = true,
	.deleted_becomes = VALUE_UNSET,	/* without an entry: priority 0 */
	.pfc_impact = IMPACT_TRAFFIC,
	.ets_impact = IMPACT_TRAFFIC,
	.app_impact = IMPACT_NONE,
	.trust_impact = IMPACT_NONE,
	.mtu_impact = IMPACT_TRAFFIC,
	.needs_host_mode = true,
	.dcbx_owner = "a mqprio qdisc",
	.pfc_does = "client restart",
	.ets_does = "client restart",
	.mtu_does = "client restart",
	.ets_free = ETS_BANDWIDTH,
	.switches_trust = true,
	.unlisted = UNLISTED_ZERO,
	.dcbx_remedy = "remove the mqprio qdisc, which takes DCB away from the host",
};

static const char *const drivers[] = { "hns3", NULL }, *const rdma_drivers[] = { "hns_roce_hw_v2", "hns_roce", NULL };

const struct vendor vendor_hns = {
	.name = "hns",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.manners = &manners,
	.roce_overhead = 96,
};
