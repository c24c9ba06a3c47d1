/* SPDX-License-Identifier: Apache-2.0 */
/* hns3, the basics: every ETS class has its share and they make 100; only DSCP entries; PFC is remembered first. */
#include "state.h"

#include <errno.h>
#include <linux/devlink.h>
#include <string.h>

static void hns3_factory(struct hw *hw)
{
	hw->dcbx_host = true;
	memset(hw->dscp2prio, 0, sizeof(hw->dscp2prio));	/* of DSCPs without an entry */
	hw->ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	hw->ets.tc_tx_bw[0] = 100;
}

static void hns3_load(struct sim *s, struct nic *n)
{
	(void)s;
	n->net.dcbx = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_HOST;
	n->hw.ets = (struct ieee_ets){ 0 };
	n->hw.pfc_en = 0;
	n->hw.dscp_trust = false;
	hns3_factory(&n->hw);
}

static int hns3_get_ets(struct sim *s, struct nic *n, struct ieee_ets *ets)
{
	(void)s;
	*ets = n->hw.ets;
	ets->willing = 1;
	ets->ets_cap = SIM_TCS;
	return 0;
}

static int hns3_set_ets(struct sim *s, struct nic *n, const struct ieee_ets *ets)
{
	unsigned max_tc = 0;
	bool any, zero;
	int sum = ets_sum(ets, SIM_TCS, &any, &zero), r;

	if (!(n->net.dcbx & DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	for (int i = 0; i < SIM_TCS; i++)
		max_tc = ets->prio_tc[i] > max_tc ? ets->prio_tc[i] : max_tc;
	for (unsigned i = 0; i < SIM_TCS; i++) {
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT && ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			return -EINVAL;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS && i > max_tc)
			return -EINVAL;
	}
	if (max_tc >= SIM_TCS || (any && (zero || sum != 100)))
		return -EINVAL;
	r = sim_fault(s, n, OP_ETS, NULL);
	if (r)
		return r < 0 ? r : 0;
	if (memcmp(n->hw.ets.prio_tc, ets->prio_tc, SIM_TCS) || memcmp(n->hw.ets.tc_tsa, ets->tc_tsa, SIM_TCS))
		nic_flap(n);		/* not for bandwidth alone */
	n->hw.ets = (struct ieee_ets){ 0 };
	memcpy(n->hw.ets.prio_tc, ets->prio_tc, SIM_TCS);
	memcpy(n->hw.ets.tc_tsa, ets->tc_tsa, SIM_TCS);
	for (int i = 0; i < SIM_TCS; i++)
		n->hw.ets.tc_tx_bw[i] = ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS ? ets->tc_tx_bw[i] : 0;
	return 0;
}

static int hns3_get_pfc(struct sim *s, struct nic *n, struct ieee_pfc *pfc)
{
	(void)s;
	*pfc = (struct ieee_pfc){ .pfc_cap = SIM_TCS, .pfc_en = n->hw.pfc_en };
	return 0;
}

/* A failed set has been remembered: it reads back, and the same again is a no-op. */
static int hns3_set_pfc(struct sim *s, struct nic *n, const struct ieee_pfc *pfc)
{
	int r;

	if (!(n->net.dcbx & DCB_CAP_DCBX_VER_IEEE))
		return -EINVAL;
	if (pfc->pfc_en == n->hw.pfc_en)
		return 0;
	r = sim_fault(s, n, OP_PFC, NULL);
	if (r == 1)
		return 0;
	n->hw.pfc_en = pfc->pfc_en;
	nic_flap(n);
	return r;
}

static int hns3_set_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	struct dcb_app old = *app;
	int r;

	if (!app_is_dscp(app) || app->priority > 7)
		return -EINVAL;
	old.priority = n->hw.dscp2prio[app->protocol];
	if (n->net.dscp_mapped >> app->protocol & 1 && old.priority == app->priority)
		return 0;
	r = sim_fault(s, n, OP_APP, NULL);
	if (r)
		return r < 0 ? r : 0;
	if (n->net.dscp_mapped >> app->protocol & 1)
		app_list_del(n, &old);
	r = app_list_add(n, app);
	if (r < 0)
		return r;
	n->hw.dscp2prio[app->protocol] = app->priority;
	n->net.dscp_mapped |= UINT64_C(1) << app->protocol;
	n->hw.dscp_trust = true;
	return 0;
}

static int hns3_del_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	int r;

	if (!app_is_dscp(app) || app->priority != n->hw.dscp2prio[app->protocol])
		return -EINVAL;
	r = sim_fault(s, n, OP_DELAPP, NULL);
	if (r)
		return r < 0 ? r : 0;
	r = app_list_del(n, app);
	if (r < 0)
		return r;
	n->hw.dscp2prio[app->protocol] = 0;
	n->net.dscp_mapped &= ~(UINT64_C(1) << app->protocol);
	n->hw.dscp_trust = n->net.dscp_mapped != 0;
	return 0;
}

static uint8_t hns3_set_dcbx(struct sim *s, struct nic *n, uint8_t mode)
{
	int r;

	if (mode & (DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_CEE) || !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	r = sim_fault(s, n, OP_DCBX, NULL);
	if (r == 0)
		n->net.dcbx = mode;
	return r < 0;
}

static int hns3_set_pause(struct sim *s, struct nic *n, bool autoneg, bool rx, bool tx)
{
	int r;

	if (autoneg)
		return sim_untaught(s, "pause autonegotiation of %s", driver_hns3.name);
	if (n->hw.pfc_en)
		return -EOPNOTSUPP;
	r = sim_fault(s, n, OP_PAUSE, NULL);
	if (r)
		return r < 0 ? r : 0;
	n->hw.rx_pause = rx;
	n->hw.tx_pause = tx;
	return 0;
}

static const struct devlink_version_row versions[] = {
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", NULL },
	{ 0 },
};

const struct driver driver_hns3 = {
	.name = "hns3",
	.short_name = "hns3",
	.factory = hns3_factory,
	.load = hns3_load,
	.dcb = {
		.get_ets = hns3_get_ets, .set_ets = hns3_set_ets,
		.get_pfc = hns3_get_pfc, .set_pfc = hns3_set_pfc,
		.set_app = hns3_set_app, .del_app = hns3_del_app,
		.set_dcbx = hns3_set_dcbx, .set_pause = hns3_set_pause,
	},
	.min_mtu = 68,
	.max_mtu = 9702,
	.roce_overhead = 96,
	.mtu_flaps = true,
	.roce_v1 = true,
	.roce_cmode = 255,
	.versions = versions,
	.fw = "3.10.11.25",
	.board = "",
};
