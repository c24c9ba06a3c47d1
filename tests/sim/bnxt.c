/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bnxt_en in host mode. It forgets at each load what it was told, and reads back zeros until it is told again; it
 * will not set PFC before ETS; an APP entry is added, never replaced. Its own 524 arrives as status 244.
 */
#include "state.h"

#include <errno.h>
#include <linux/devlink.h>
#include <string.h>

#define LOSSLESS	2
#define KERNEL_ENOTSUPP 524

static void bnxt_factory(struct hw *hw)
{
	dscp_default(hw->dscp2prio);
	hw->dcbx_host = hw->rx_pause = hw->tx_pause = true;
	for (int i = 0; i < SIM_TCS; i++)
		hw->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_STRICT;
}

static void bnxt_load(struct sim *s, struct nic *n)
{
	(void)s;
	n->net.dcbx = DCB_CAP_DCBX_VER_IEEE | (n->hw.dcbx_host ? DCB_CAP_DCBX_HOST : 0);
}

static bool may_change(const struct nic *n)
{
	const uint8_t both = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

	return (n->net.dcbx & both) == both;
}

static int bnxt_get_ets(struct sim *s, struct nic *n, struct ieee_ets *ets)
{
	(void)s;
	*ets = n->net.ets_known ? n->hw.ets : (struct ieee_ets){ 0 };
	ets->ets_cap = SIM_TCS;
	return 0;
}

static unsigned highest_tc(const struct ieee_ets *ets)
{
	unsigned max = 0;

	for (int i = 0; i < SIM_TCS; i++)
		max = ets->prio_tc[i] > max ? ets->prio_tc[i] : max;
	return max;
}

/* The highest class in use is left out of the checks, and prio_tc may be one too high: so is the driver. */
static int bnxt_set_ets(struct sim *s, struct nic *n, const struct ieee_ets *ets)
{
	unsigned max_tc = 0;
	bool any, zero;
	int sum, r;

	if (!may_change(n))
		return -EINVAL;
	for (int i = 0; i < SIM_TCS; i++) {
		if (ets->prio_tc[i] > SIM_TCS)
			return -EINVAL;
		if (ets->prio_tc[i] > max_tc)
			max_tc = ets->prio_tc[i];
	}
	for (unsigned i = 0; i < max_tc && i < SIM_TCS; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT && ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			return -KERNEL_ENOTSUPP;
	sum = ets_sum(ets, max_tc < SIM_TCS ? max_tc : SIM_TCS, &any, &zero);
	if (sum > 100 || (sum == 100 && zero))
		return -EINVAL;
	r = sim_fault(s, n, OP_ETS, NULL);
	if (r)
		return r < 0 ? r : 0;
	if (!n->net.ets_known || max_tc != highest_tc(&n->hw.ets))
		nic_flap(n);		/* another number of classes: closed and opened */
	n->hw.ets = *ets;
	n->net.ets_known = true;
	return 0;
}

static int bnxt_get_pfc(struct sim *s, struct nic *n, struct ieee_pfc *pfc)
{
	(void)s;
	*pfc = (struct ieee_pfc){ .pfc_cap = LOSSLESS };
	if (!n->net.pfc_known)
		return 0;
	pfc->pfc_en = n->hw.pfc_en;
	pfc->delay = n->net.cable_m;	/* echoed */
	for (int i = 0; i < SIM_TCS; i++) {
		pfc->requests[i] = n->hw.counter[COUNTER_TX_PAUSE + i];
		pfc->indications[i] = n->hw.counter[COUNTER_RX_PAUSE + i];
	}
	return 0;
}

static int bnxt_set_pfc(struct sim *s, struct nic *n, const struct ieee_pfc *pfc)
{
	uint32_t en = pfc->pfc_en;
	int r;

	if (!may_change(n))
		return -EINVAL;
	if (!n->net.ets_known || __builtin_popcount(en) > LOSSLESS)
		return -EINVAL;
	r = sim_fault(s, n, OP_PFC, &en);
	if (r)
		return r < 0 ? r : 0;
	n->net.pfc_known = true;
	n->net.cable_m = pfc->delay;
	if (en != n->hw.pfc_en)
		nic_flap(n);
	n->hw.pfc_en = (uint8_t)en;
	return 0;
}

static int bnxt_set_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	struct dcb_app new = *app;
	uint32_t prio = app->priority;
	int r;

	if (app->selector == IEEE_8021QAZ_APP_SEL_DSCP && app->protocol > 63)
		return -EINVAL;
	if (!may_change(n) || prio > 7)
		return -EINVAL;
	r = sim_fault(s, n, OP_APP, &prio);
	if (r)
		return r < 0 ? r : 0;
	new.priority = (uint8_t)prio;
	r = app_list_add(n, &new);
	if (r == 0 && app_is_dscp(&new)) {
		n->hw.dscp2prio[new.protocol] = new.priority;
		n->net.dscp_mapped |= UINT64_C(1) << new.protocol;
	}
	return r;
}

static int bnxt_del_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	int r;

	if (!may_change(n))
		return -EINVAL;
	r = sim_fault(s, n, OP_DELAPP, NULL);
	if (r)
		return r < 0 ? r : 0;
	r = app_list_del(n, app);
	if (r == 0 && app_is_dscp(app))	/* whatever its priority: firmware has one mapping for each DSCP */
		n->net.dscp_mapped &= ~(UINT64_C(1) << app->protocol);
	return r;
}

static uint8_t bnxt_set_dcbx(struct sim *s, struct nic *n, uint8_t mode)
{
	int r;

	if (n->net.dcbx & DCB_CAP_DCBX_LLD_MANAGED || mode & (DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_CEE) ||
	    !(mode & DCB_CAP_DCBX_VER_IEEE) || !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	r = sim_fault(s, n, OP_DCBX, NULL);
	if (r == 0)
		n->net.dcbx = mode;
	return r < 0;
}

static int bnxt_set_pause(struct sim *s, struct nic *n, bool autoneg, bool rx, bool tx)
{
	int r;

	if (autoneg)
		return sim_untaught(s, "pause autonegotiation of %s", driver_bnxt.name);
	r = sim_fault(s, n, OP_PAUSE, NULL);
	if (r)
		return r < 0 ? r : 0;
	n->hw.rx_pause = rx;
	n->hw.tx_pause = tx;
	return 0;
}

static const struct devlink_version_row versions[] = {
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "board.id", "BCM957508-P2100G" },
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "asic.id", "1750" },
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "asic.rev", "B1" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.psid", "0.0.0" },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "fw.psid", "0.0.0" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "fw", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt", "227.0.131.0" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt.api", "1.10.2" },
	{ 0 },
};

const struct driver driver_bnxt = {
	.name = "bnxt_en",
	.short_name = "bnxt",
	.factory = bnxt_factory,
	.load = bnxt_load,
	.dcb = {
		.get_ets = bnxt_get_ets, .set_ets = bnxt_set_ets,
		.get_pfc = bnxt_get_pfc, .set_pfc = bnxt_set_pfc,
		.set_app = bnxt_set_app, .del_app = bnxt_del_app,
		.set_dcbx = bnxt_set_dcbx, .set_pause = bnxt_set_pause,
	},
	.min_mtu = 60,
	.max_mtu = 9500,
	.roce_overhead = 96,
	.mtu_flaps = true,
	.roce_v1 = true,
	.roce_cmode = 255,
	.versions = versions,
	.fw = "227.0.131.0",
	.board = "BCM957508-P2100G",
};
