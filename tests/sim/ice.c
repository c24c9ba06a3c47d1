/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ice with the firmware's LLDP agent off. The first DSCP entry resets ETS, the last that goes brings all defaults
 * back; an entry is never replaced; a positive status is the driver's own and ends dcbnl's loop, so that only one
 * entry of a message counts; nothing of DCB changes inside a bond or while the agent runs.
 */
#include "state.h"

#include <errno.h>
#include <linux/devlink.h>
#include <string.h>

#define HW_CHANGE_NO_RESET 2 /* 0: changed, with a reset */

static void ets_default(struct ieee_ets *ets, bool dscp)
{
	*ets = (struct ieee_ets){ .willing = !dscp };
	ets->tc_tx_bw[0] = 100;
	ets->tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	for (uint8_t i = 1; dscp && i < SIM_TCS; i++) {
		ets->tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		ets->prio_tc[i] = i;
	}
}

static void ice_factory(struct hw *hw)
{
	hw->rx_pause = hw->tx_pause = hw->dcbx_host = true;
	ets_default(&hw->ets, false);
	dscp_default(hw->dscp2prio);
}

static void ice_load(struct sim *s, struct nic *n)
{
	(void)s;
	n->net.dcbx = DCB_CAP_DCBX_VER_IEEE | (n->hw.fw_lldp ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST);
	n->hw.dscp_trust = false;
	n->hw.pfc_en = 0;
	ets_default(&n->hw.ets, false);
	dscp_default(n->hw.dscp2prio);
}

static bool may_change(const struct sim *s, const struct nic *n)
{
	return !(n->net.dcbx & DCB_CAP_DCBX_LLD_MANAGED) && n->net.dcbx & DCB_CAP_DCBX_VER_IEEE && !nic_in_bond(s, n);
}

static int ice_get_ets(struct sim *s, struct nic *n, struct ieee_ets *ets)
{
	(void)s;
	*ets = n->hw.ets;
	ets->ets_cap = SIM_TCS;
	return 0;
}

static int ice_set_ets(struct sim *s, struct nic *n, const struct ieee_ets *ets)
{
	struct ieee_ets new = *ets;
	bool any, zero;
	int r;

	if (!may_change(s, n))
		return -EINVAL;
	if (ets_sum(ets, SIM_TCS, &any, &zero) != 100 && any)
		return -EINVAL;
	for (int i = 0; i < SIM_TCS; i++)
		if (ets->prio_tc[i] >= SIM_TCS)
			return -EINVAL;
	r = sim_fault(s, n, OP_ETS, NULL);
	if (r)
		return r < 0 ? r : 0;
	if (n->hw.dscp_trust)		/* fixed in DSCP mode: taken without a word */
		memcpy(new.prio_tc, n->hw.ets.prio_tc, SIM_TCS);
	if (!memcmp(&new, &n->hw.ets, sizeof(new)))
		return 0;
	n->hw.ets = new;
	nic_flap(n);
	return 0;
}

static int ice_get_pfc(struct sim *s, struct nic *n, struct ieee_pfc *pfc)
{
	(void)s;
	*pfc = (struct ieee_pfc){ .pfc_cap = SIM_TCS, .pfc_en = n->hw.pfc_en };
	for (int i = 0; i < SIM_TCS; i++) {
		pfc->requests[i] = n->hw.counter[COUNTER_TX_PAUSE + i];
		pfc->indications[i] = n->hw.counter[COUNTER_RX_PAUSE + i];
	}
	return 0;
}

static int ice_set_pfc(struct sim *s, struct nic *n, const struct ieee_pfc *pfc)
{
	uint32_t en = pfc->pfc_en;
	int r;

	if (!may_change(s, n))
		return -EINVAL;
	r = sim_fault(s, n, OP_PFC, &en);
	if (r)
		return r < 0 ? r : 0;
	if (en != n->hw.pfc_en)
		nic_flap(n);
	n->hw.pfc_en = (uint8_t)en;
	return 0;
}

static int ice_set_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	struct dcb_app new = *app;
	uint32_t prio = app->priority;
	int r;

	if (!app_is_dscp(app) || prio >= SIM_TCS || !may_change(s, n))
		return -EINVAL;
	r = sim_fault(s, n, OP_APP, &prio);
	if (r)
		return r < 0 ? r : 0;
	new.priority = (uint8_t)prio;
	r = app_list_add(n, &new);
	if (r < 0)
		return r;
	if (n->net.dscp_mapped >> new.protocol & 1) {	/* "already user mapped" */
		app_list_del(n, &new);
		return -EINVAL;
	}
	if (!n->net.dscp_mapped) {
		r = sim_fault(s, n, OP_TRUST, NULL);
		if (r < 0)
			return r;
		n->hw.dscp_trust = true;
		ets_default(&n->hw.ets, true);
		dscp_default(n->hw.dscp2prio);
	}
	n->net.dscp_mapped |= UINT64_C(1) << new.protocol;
	n->hw.dscp2prio[new.protocol] = new.priority;
	nic_flap(n);
	return 0;
}

static int ice_del_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	int r;

	if (!may_change(s, n))
		return -EINVAL;
	r = sim_fault(s, n, OP_DELAPP, NULL);
	if (r)
		return r < 0 ? r : 0;
	r = app_list_del(n, app);
	if (r < 0 || !app_is_dscp(app))
		return r < 0 ? r : HW_CHANGE_NO_RESET;
	n->net.dscp_mapped &= ~(UINT64_C(1) << app->protocol);
	n->hw.dscp2prio[app->protocol] = (uint8_t)(app->protocol % 8);
	if (n->net.dscp_mapped)
		return HW_CHANGE_NO_RESET;
	r = sim_fault(s, n, OP_TRUST, NULL);
	if (r < 0)
		return r;
	n->hw.dscp_trust = false;
	n->hw.pfc_en = 0;
	ets_default(&n->hw.ets, false);
	dscp_default(n->hw.dscp2prio);
	nic_flap(n);
	return 0;
}

/* It says no to the mode that it has. */
static uint8_t ice_set_dcbx(struct sim *s, struct nic *n, uint8_t mode)
{
	int r;

	if (n->hw.fw_lldp || n->hw.dscp_trust || mode == n->net.dcbx || mode & DCB_CAP_DCBX_LLD_MANAGED ||
	    (mode & DCB_CAP_DCBX_VER_IEEE && mode & DCB_CAP_DCBX_VER_CEE) || !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	r = sim_fault(s, n, OP_DCBX, NULL);
	if (r == 0)
		n->net.dcbx = mode;
	return r < 0;
}

static int ice_set_pause(struct sim *s, struct nic *n, bool autoneg, bool rx, bool tx)
{
	int r;

	if (autoneg)
		return sim_untaught(s, "pause autonegotiation of %s", driver_ice.name);
	if (n->hw.pfc_en)		/* "Priority flow control enabled. Cannot set link flow control" */
		return -EOPNOTSUPP;
	r = sim_fault(s, n, OP_PAUSE, NULL);
	if (r)
		return r < 0 ? r : 0;
	n->hw.rx_pause = rx;
	n->hw.tx_pause = tx;
	return 0;
}

static const struct devlink_version_row versions[] = {
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "board.id", "K91258-000" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt.api", "1.7.9" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt.build", "0x0fa34e1d" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.undi", "1.3429.0" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.psid.api", "4.40" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.bundle_id", "0x8001c967" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app.name", "ICE OS Default Package" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app", "1.3.35.0" },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "fw.mgmt", NULL },
	{ 0 },
};

const struct driver driver_ice = {
	.name = "ice",
	.short_name = "ice",
	.factory = ice_factory,
	.load = ice_load,
	.dcb = {
		.get_ets = ice_get_ets, .set_ets = ice_set_ets,
		.get_pfc = ice_get_pfc, .set_pfc = ice_set_pfc,
		.set_app = ice_set_app, .del_app = ice_del_app,
		.set_dcbx = ice_set_dcbx, .set_pause = ice_set_pause,
	},
	.min_mtu = 68,
	.max_mtu = 9702,
	.mtu_flaps = true,
	.roce_cmode = DEVLINK_PARAM_CMODE_RUNTIME,
	.versions = versions,
	.fw = "7.3.7",
	.board = "K91258-000",
};
