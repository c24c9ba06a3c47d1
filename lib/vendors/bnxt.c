/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bnxt_en and bnxt_re (Broadcom NetXtreme). Its DCB needs HOST mode. It answers zeros for ETS and PFC until its driver
 * has set them, takes PFC only after ETS, adds a second APP entry for a DSCP instead of replacing the first, and
 * reopens the NIC for classes and lossless queues. Its congestion control (debugfs cc_config, the vendor build's
 * configfs) is not served yet.
 */
#include "vendors/vendors.h"

static const struct dcb_manners manners = {
	.delete_before_replace = true,
	.ets_before_pfc = true,
	.zeros_until_set = true,
	.no_zero_share = true,
	.strict_or_ets = true,
	.deleted_becomes = 255,
	.pfc_impact = IMPACT_TRAFFIC,
	.ets_impact = IMPACT_TRAFFIC,
	.app_impact = IMPACT_NONE,
	.trust_impact = IMPACT_NONE,
	.mtu_impact = IMPACT_TRAFFIC,
	.dcbx_remedy = "turn the firmware's LLDP and DCBX agents off in NVRAM (bnxtnvm or niccli) and reboot",
};

static const char *const drivers[] = { "bnxt_en", "bnxt_re", NULL };

const struct vendor vendor_bnxt = {
	.name = "bnxt",
	.drivers = drivers,
	.manners = &manners,
	.roce_overhead = 96,
};
