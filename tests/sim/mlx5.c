/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlx5_core. Trust follows the DSCP entries, and one of them makes the hardware's whole map count; a changed PFC
 * mask toggles the link and switches global pause off; ETS starts anew at each load; delay is metres of cable.
 */
#include "state.h"

#include <errno.h>
#include <linux/devlink.h>
#include <string.h>

#define BUFFER_TOTAL 524288u
#define BUFFER_CELL  128u
#define CABLE_M	     7
#define CABLE_M_MAX  1000 /* ignored from here on */
#define RATE_STEP    100000u /* kbit/s: the smaller unit of the rate register */
#define KBPS_PER_GB  1000000u

static void mlx5_factory(struct hw *hw)
{
	dscp_default(hw->dscp2prio);
	hw->dcbx_host = hw->rx_pause = hw->tx_pause = true;
	hw->buffer.buffer_size[0] = BUFFER_TOTAL / 2;
	hw->buffer.total_size = BUFFER_TOTAL;
	ccparams_factory(hw);
}

static void mlx5_load(struct sim *s, struct nic *n)
{
	struct hw *hw = &n->hw;

	(void)s;
	n->net.cable_m = CABLE_M;
	n->net.dcbx = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE | (hw->dcbx_host ? DCB_CAP_DCBX_HOST : 0);
	for (uint8_t i = 0; hw->dcbx_host && i < SIM_TCS; i++) {
		hw->ets.prio_tc[i] = i < 2 ? !i : i; /* 0 and 1 swapped */
		hw->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		hw->ets.tc_tx_bw[i] = 0;
	}
	if (!hw->dscp_trust)
		return;
	for (uint8_t i = 0; i < 64; i++)
		app_list_add(n, &(struct dcb_app){ IEEE_8021QAZ_APP_SEL_DSCP, hw->dscp2prio[i], i });
	n->net.dscp_apps = 64;
}

/* --- ETS --- */

static int mlx5_get_ets(struct sim *s, struct nic *n, struct ieee_ets *ets)
{
	*ets = n->hw.ets;
	ets->ets_cap = SIM_TCS;
	for (int i = 0; i < SIM_TCS; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ets->tc_tx_bw[i] = s->st->old ? 100 : 0;
	return 0;
}

static int mlx5_set_ets(struct sim *s, struct nic *n, const struct ieee_ets *ets)
{
	bool any, zero;
	int sum = ets_sum(ets, SIM_TCS, &any, &zero), r;

	for (int i = 0; i < SIM_TCS; i++) {
		if (ets->prio_tc[i] >= SIM_TCS)
			return -EINVAL;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER && !s->st->old)
			return -EOPNOTSUPP;
	}
	if (any && sum != 100)
		return -EINVAL;
	r = sim_fault(s, n, OP_ETS, NULL);
	if (r)
		return r < 0 ? r : 0;
	n->hw.ets = (struct ieee_ets){ 0 };
	memcpy(n->hw.ets.prio_tc, ets->prio_tc, SIM_TCS);
	memcpy(n->hw.ets.tc_tsa, ets->tc_tsa, SIM_TCS);
	memcpy(n->hw.ets.tc_tx_bw, ets->tc_tx_bw, SIM_TCS);
	return 0;
}

/* --- rates: a value of 8 bits, newer 16, times a unit of 100 Mb/s or 1 Gb/s --- */

static int mlx5_get_maxrate(struct sim *s, struct nic *n, struct ieee_maxrate *r)
{
	(void)s;
	*r = n->hw.maxrate;
	return 0;
}

static int mlx5_set_maxrate(struct sim *s, struct nic *n, const struct ieee_maxrate *rate)
{
	const uint64_t top = s->st->old ? 255 : 65535, limit = s->st->old ? 255 * (uint64_t)KBPS_PER_GB : top * RATE_STEP;
	struct ieee_maxrate rounded = { 0 };
	int r;

	for (int i = 0; i < SIM_TCS; i++) {
		uint64_t kbps = rate->tc_maxrate[i], unit = kbps <= top * RATE_STEP ? RATE_STEP : KBPS_PER_GB;

		if (kbps > limit)
			return -EINVAL;
		if (kbps)
			rounded.tc_maxrate[i] = kbps < unit ? unit : kbps / unit * unit;
	}
	r = sim_fault(s, n, OP_MAXRATE, NULL);
	if (r == 0)
		n->hw.maxrate = rounded;
	return r < 0 ? r : 0;
}

/* --- buffers --- */

/* Buffers that a priority with PFC is in; with global pause all priorities count. */
static uint32_t lossless(const struct hw *hw, const struct dcbnl_buffer *b)
{
	uint8_t priorities = hw->rx_pause || hw->tx_pause ? 0xff : hw->pfc_en;
	uint32_t set = 0;

	for (int i = 0; i < 8; i++)
		if (priorities >> i & 1)
			set |= 1u << b->prio2buffer[i];
	return set;
}

/* With buffers set by hand each lossless one needs room for what arrives after XOFF. */
static bool buffers_fit(const struct nic *n, const struct dcbnl_buffer *b)
{
	const struct hw *hw = &n->hw;
	uint64_t gbps = (hw->speed < 40000 ? 40000 : hw->speed) / 1000;
	uint64_t xoff = (301 + 216 * (uint64_t)n->net.cable_m / 100) * gbps + 272 * (uint64_t)n->net.mtu / 100;
	uint64_t need = xoff + driver_mlx5.max_mtu + BUFFER_CELL;

	for (int i = 0; i < DCBX_MAX_BUFFERS; i++)
		if (lossless(hw, b) >> i & 1 && b->buffer_size[i] < need)
			return false;
	return true;
}

static int mlx5_get_buffer(struct sim *s, struct nic *n, struct dcbnl_buffer *b)
{
	(void)s;
	*b = n->hw.buffer;
	return 0;
}

/* A new map is judged by the sizes that are there, and only if it makes other buffers lossless; new sizes by the new map. */
static int judge_buffers(const struct nic *n, const struct dcbnl_buffer *old, const struct dcbnl_buffer *wish)
{
	struct dcbnl_buffer mapped = *old;
	uint64_t total = 0;

	memcpy(mapped.prio2buffer, wish->prio2buffer, sizeof(mapped.prio2buffer));
	if (lossless(&n->hw, &mapped) != lossless(&n->hw, old) && !buffers_fit(n, &mapped))
		return -ENOMEM;
	if (!memcmp(old->buffer_size, wish->buffer_size, sizeof(old->buffer_size)))
		return 0;
	for (int i = 0; i < DCBX_MAX_BUFFERS; i++) {
		if (lossless(&n->hw, &mapped) >> i & 1 && !wish->buffer_size[i])
			return -EINVAL;
		total += wish->buffer_size[i];
	}
	if (total > BUFFER_TOTAL)
		return -EINVAL;
	return buffers_fit(n, wish) ? 0 : -ENOMEM;
}

static int mlx5_set_buffer(struct sim *s, struct nic *n, const struct dcbnl_buffer *wish)
{
	struct dcbnl_buffer b = *wish;
	int r = 0;

	b.total_size = n->hw.buffer.total_size;
	for (int i = 0; i < 8; i++)
		if (b.prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
	if (!memcmp(&b, &n->hw.buffer, sizeof(b)))
		return 0;
	for (int i = 0; r == 0 && i < DCBX_MAX_BUFFERS; i++)
		r = sim_fault(s, n, OP_BUFFER, &b.buffer_size[i]);
	if (r)
		return r < 0 ? r : 0;
	n->net.manual_buffer = true;
	r = judge_buffers(n, &n->hw.buffer, &b);
	if (r < 0)
		return r;
	for (int i = 0; i < DCBX_MAX_BUFFERS; i++)
		b.buffer_size[i] -= b.buffer_size[i] % BUFFER_CELL;
	n->hw.buffer = b;
	return 0;
}

/* --- PFC and pause: one register --- */

static int mlx5_get_pfc(struct sim *s, struct nic *n, struct ieee_pfc *pfc)
{
	(void)s;
	*pfc = (struct ieee_pfc){ .pfc_cap = SIM_TCS, .pfc_en = n->hw.pfc_en, .delay = n->net.cable_m };
	for (int i = 0; i < SIM_TCS; i++) {
		pfc->requests[i] = n->hw.counter[COUNTER_TX_PAUSE + i];
		pfc->indications[i] = n->hw.counter[COUNTER_RX_PAUSE + i];
	}
	return 0;
}

static int mlx5_set_pfc(struct sim *s, struct nic *n, const struct ieee_pfc *pfc)
{
	uint32_t en = pfc->pfc_en;
	int r = sim_fault(s, n, OP_PFC, &en);

	if (r)
		return r < 0 ? r : 0;
	if (en != n->hw.pfc_en) {
		n->hw.pfc_en = (uint8_t)en;
		n->hw.rx_pause = n->hw.tx_pause = false;
		nic_flap(n);
	}
	if (pfc->delay && pfc->delay < CABLE_M_MAX)
		n->net.cable_m = pfc->delay;
	return n->net.manual_buffer && !buffers_fit(n, &n->hw.buffer) ? -ENOMEM : 0;
}

static int mlx5_set_pause(struct sim *s, struct nic *n, bool autoneg, bool rx, bool tx)
{
	int r;

	if (autoneg)
		return -EINVAL;
	r = sim_fault(s, n, OP_PAUSE, NULL);
	if (r)
		return r < 0 ? r : 0;
	n->hw.rx_pause = rx;
	n->hw.tx_pause = tx;
	n->hw.pfc_en = 0;
	return 0;
}

/* --- DSCP map and trust --- */

static int set_trust(struct sim *s, struct nic *n, bool dscp)
{
	int r = n->hw.dscp_trust == dscp ? 0 : sim_fault(s, n, OP_TRUST, NULL);

	if (r == 0)
		n->hw.dscp_trust = dscp;
	return r < 0 ? r : 0;
}

static int mlx5_set_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	struct dcb_app old = *app, new = *app;
	uint32_t prio = app->priority;
	bool replaced;
	int r;

	if (!app_is_dscp(app) || prio > 7)
		return -EINVAL;
	r = sim_fault(s, n, OP_APP, &prio);
	if (r)
		return r < 0 ? r : 0;
	new.priority = (uint8_t)prio;
	old.priority = n->hw.dscp2prio[app->protocol];
	r = n->net.dscp_apps ? 0 : set_trust(s, n, true);
	if (r < 0)
		return r;
	n->hw.dscp2prio[app->protocol] = new.priority;
	replaced = app_list_del(n, &old) == 0;
	r = app_list_add(n, &new);
	if (r == 0 && !replaced)
		n->net.dscp_apps++;
	return r;
}

static int mlx5_del_app(struct sim *s, struct nic *n, const struct dcb_app *app)
{
	int r;

	if (!app_is_dscp(app))
		return -EINVAL;
	r = sim_fault(s, n, OP_DELAPP, NULL);
	if (r)
		return r < 0 ? r : 0;
	if (!n->net.dscp_apps || app->priority != n->hw.dscp2prio[app->protocol])
		return -ENOENT;
	r = app_list_del(n, app);
	if (r < 0)
		return r;
	n->hw.dscp2prio[app->protocol] = 0;
	return --n->net.dscp_apps ? 0 : set_trust(s, n, false);
}

/* Mode 0 gives control to firmware; anything else must take it. */
static uint8_t mlx5_set_dcbx(struct sim *s, struct nic *n, uint8_t mode)
{
	int r;

	if (mode & DCB_CAP_DCBX_LLD_MANAGED || (mode && !(mode & DCB_CAP_DCBX_HOST)))
		return 1;
	r = sim_fault(s, n, OP_DCBX, NULL);
	if (r)
		return r < 0;
	n->hw.dcbx_host = mode & DCB_CAP_DCBX_HOST;
	n->net.dcbx = mode ? mode : n->net.dcbx & (uint8_t)~DCB_CAP_DCBX_HOST;
	return 0;
}

static const struct devlink_version_row versions[] = {
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "" },	/* the board */
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "fw.version", NULL },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "fw", NULL },
	{ 0 },
};

const struct driver driver_mlx5 = {
	.name = "mlx5_core",
	.short_name = "mlx5",
	.factory = mlx5_factory,
	.load = mlx5_load,
	.dcb = {
		.get_ets = mlx5_get_ets, .set_ets = mlx5_set_ets,
		.get_pfc = mlx5_get_pfc, .set_pfc = mlx5_set_pfc,
		.get_buffer = mlx5_get_buffer, .set_buffer = mlx5_set_buffer,
		.get_maxrate = mlx5_get_maxrate, .set_maxrate = mlx5_set_maxrate,
		.set_app = mlx5_set_app, .del_app = mlx5_del_app,
		.set_dcbx = mlx5_set_dcbx, .set_pause = mlx5_set_pause,
	},
	.min_mtu = 68,
	.max_mtu = 9978,
	.roce_overhead = 96,
	.cc_params = true,
	.roce_v1 = true,
	.roce_cmode = DEVLINK_PARAM_CMODE_DRIVERINIT,
	.versions = versions,
	.fw = "22.41.1000",
	.board = "MT_0000000359",
};
