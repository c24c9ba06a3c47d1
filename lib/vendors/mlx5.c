/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlx5 (ConnectX, BlueField), upstream and the vendor's stack (OFED).
 *
 * PFC and global pause are one register, PFCC: a PFC write of the driver also turns global pause off, and each change
 * of the PFC mask toggles the physical link. DCQCN parameters are files of debugfs (mlx5/BDF/cc_params), and with the
 * vendor's stack of sysfs (IFNAME/ecn) as well; per priority NP and RP exist there only. On silicon each of these files
 * is a firmware command. The vendor's stack also has a traffic class for all applications of a port, which overrides
 * what rdma_cm says: where it is set, roce.tos is both.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/configfs.h"
#include "kernel/dcbnl.h"
#include "kernel/ethnl.h"
#include "kernel/files.h"
#include "model/change.h"
#include "model/vendor.h"
#include "settings/cm.h"
#include "settings/dcb.h"
#include "settings/ecn.h"
#include "settings/pause.h"
#include "settings/pfc.h"
#include "settings/port_files.h"
#include "settings/writing.h"
#include "vendors/vendors.h"

/* --- ECN -------------------------------------------------------------------- */

#define CC(file)  "sys/kernel/debug/mlx5/{bdf}/cc_params/" file
#define NP(file)  "sys/class/net/{ifname}/ecn/roce_np/" file
#define RP(file)  "sys/class/net/{ifname}/ecn/roce_rp/" file

static const struct file_row ofed_prio_rows[] = {
	{ ECN_NP, NP("enable/{prio}"), NULL },
	{ ECN_RP, RP("enable/{prio}"), NULL },
	{ 0 },
};

static const struct file_row ofed_rows[] = {
	{ ECN_CNP_DSCP, NP("cnp_dscp"), NULL },
	{ ECN_CNP_PRIORITY, NP("cnp_802p_prio"), CC("np_cnp_prio_mode") },
	{ ECN_NP_MIN_TIME_BETWEEN_CNPS, NP("min_time_between_cnps"), NULL },
	{ ECN_RP_CLAMP_TGT_RATE, RP("clamp_tgt_rate"), NULL },
	{ ECN_RP_CLAMP_TGT_RATE_ATI, RP("clamp_tgt_rate_after_time_inc"), NULL },
	{ ECN_RP_TIME_RESET, RP("rpg_time_reset"), NULL },
	{ ECN_RP_BYTE_RESET, RP("rpg_byte_reset"), NULL },
	{ ECN_RP_THRESHOLD, RP("rpg_threshold"), NULL },
	{ ECN_RP_MAX_RATE, RP("rpg_max_rate"), NULL },
	{ ECN_RP_AI_RATE, RP("rpg_ai_rate"), NULL },
	{ ECN_RP_HAI_RATE, RP("rpg_hai_rate"), NULL },
	{ ECN_RP_GD, RP("rpg_gd"), NULL },
	{ ECN_RP_MIN_DEC_FAC, RP("rpg_min_dec_fac"), NULL },
	{ ECN_RP_MIN_RATE, RP("rpg_min_rate"), NULL },
	{ ECN_RP_RATE_TO_SET_ON_FIRST_CNP, RP("rate_to_set_on_first_cnp"), NULL },
	{ ECN_RP_DCE_TCP_G, RP("dce_tcp_g"), NULL },
	{ ECN_RP_DCE_TCP_RTT, RP("dce_tcp_rtt"), NULL },
	{ ECN_RP_RATE_REDUCE_MONITOR_PERIOD, RP("rate_reduce_monitor_period"), NULL },
	{ ECN_RP_INITIAL_ALPHA_VALUE, RP("initial_alpha_value"), NULL },
	{ 0 },
};

static const struct file_row debugfs_rows[] = {
	{ ECN_CNP_DSCP, CC("np_cnp_dscp"), NULL },
	{ ECN_CNP_PRIORITY, CC("np_cnp_prio"), CC("np_cnp_prio_mode") },
	{ ECN_NP_MIN_TIME_BETWEEN_CNPS, CC("np_min_time_between_cnps"), NULL },
	{ ECN_RP_CLAMP_TGT_RATE, CC("rp_clamp_tgt_rate"), NULL },
	{ ECN_RP_CLAMP_TGT_RATE_ATI, CC("rp_clamp_tgt_rate_ati"), NULL },
	{ ECN_RP_TIME_RESET, CC("rp_time_reset"), NULL },
	{ ECN_RP_BYTE_RESET, CC("rp_byte_reset"), NULL },
	{ ECN_RP_THRESHOLD, CC("rp_threshold"), NULL },
	{ ECN_RP_MAX_RATE, CC("rp_max_rate"), NULL },
	{ ECN_RP_AI_RATE, CC("rp_ai_rate"), NULL },
	{ ECN_RP_HAI_RATE, CC("rp_hai_rate"), NULL },
	{ ECN_RP_GD, CC("rp_gd"), NULL },
	{ ECN_RP_MIN_DEC_FAC, CC("rp_min_dec_fac"), NULL },
	{ ECN_RP_MIN_RATE, CC("rp_min_rate"), NULL },
	{ ECN_RP_RATE_TO_SET_ON_FIRST_CNP, CC("rp_rate_to_set_on_first_cnp"), NULL },
	{ ECN_RP_DCE_TCP_G, CC("rp_dce_tcp_g"), NULL },
	{ ECN_RP_DCE_TCP_RTT, CC("rp_dce_tcp_rtt"), NULL },
	{ ECN_RP_RATE_REDUCE_MONITOR_PERIOD, CC("rp_rate_reduce_monitor_period"), NULL },
	{ ECN_RP_INITIAL_ALPHA_VALUE, CC("rp_initial_alpha_value"), NULL },
	{ 0 },
};

/* One register: writing the DSCP also sets the flag. The flag stands last, so that it is written last. */
static const struct file_row rtt_rows[] = {
	{ ECN_RTT_RESP_DSCP, CC("rtt_resp_dscp"), NULL },
	{ ECN_RTT_RESP_DSCP_VALID, CC("rtt_resp_dscp_valid"), NULL },
	{ 0 },
};

#define LACKS "the driver shows no such file: mlx5_ib is not bound to this function, or the firmware does not allow it"

static const struct file_table ofed_prio_table = {
	.dir = "sys/class/net/{ifname}/ecn",
	.row = ofed_prio_rows,
	.lacks = "per priority only the vendor's stack has a switch (sysfs ecn/); upstream, the firmware's "
		 "ROCE_CC_PRIO_MASK decides",
};
static const struct file_table ofed_table = { .dir = "sys/class/net/{ifname}/ecn", .row = ofed_rows };
static const struct file_table debugfs_table = { .row = debugfs_rows, .lacks = LACKS };
static const struct file_table rtt_table = { .row = rtt_rows, .lacks = LACKS };

static int rtt_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_ecn);
	const struct cell *flag = &want->at[ECN_RTT_RESP_DSCP_VALID];
	uint64_t valid, now;
	size_t told = d->n;
	int r = file_number(k, c->target, rtt_rows[1].path, 0, &valid);

	if (r == 0 && change_differs(c, &setting_ecn, ECN_RTT_RESP_DSCP))
		r = file_set_number(k, c->target, rtt_rows[0].path, 0, (uint64_t)want->at[ECN_RTT_RESP_DSCP].value.num,
				    d);
	if (r == 0 && flag->state == CELL_VALUE)
		valid = flag->value.num != 0;
	if (r == 0)
		r = file_number(k, c->target, rtt_rows[1].path, 0, &now);
	if (r == 0 && now != valid)
		r = file_set_number(k, c->target, rtt_rows[1].path, 0, valid, d);
	return writing_told(c, &want->at[ECN_RTT_RESP_DSCP], d, told, r);
}

static const struct home ofed_prio = {
	.read = file_read,
	.write = file_write,
	.table = &ofed_prio_table,
	.interface = "sysfs ecn/roce_np/enable, roce_rp/enable",
};
static const struct home ofed = {
	.read = file_read, .write = file_write, .table = &ofed_table, .interface = "sysfs ecn/roce_np, ecn/roce_rp",
};
static const struct home debugfs = {
	.read = file_read, .write = file_write, .table = &debugfs_table, .interface = "debugfs mlx5/BDF/cc_params",
};
static const struct home debugfs_rtt = {
	.object = "rtt_resp_dscp", .read = file_read, .write = rtt_write, .table = &rtt_table,
	.interface = "debugfs mlx5/BDF/cc_params",
};

/* --- PFC and global pause ----------------------------------------------------- */

static const char *pause_text(struct arena *a, const struct ethnl_pause *p)
{
	return arena_printf(a, "rx:%d tx:%d", p->rx, p->tx);
}

static bool pause_parse(const char *s, struct ethnl_pause *p)
{
	unsigned rx, tx;

	if (!s || sscanf(s, "rx:%1u tx:%1u", &rx, &tx) != 2)
		return false;
	p->rx = rx;
	p->tx = tx;
	return true;
}

/* Pause as the change is to leave it: off with PFC, else as wanted, as before, as it is. */
static void pause_wanted(const struct change *c, const struct ethnl_pause *was, bool pfc, bool *rx, bool *tx)
{
	const struct record *want = change_want(c, &setting_pause);
	const struct ethnl_pause *before = was;
	struct ethnl_pause then = { 0 };

	if (c->undo && pause_parse(c->before, &then))
		before = &then;

	*rx = record_num(want, PAUSE_RX, !pfc && before->rx);
	*tx = record_num(want, PAUSE_TX, !pfc && before->tx);
}

static int write_mask(struct kernel *k, const struct change *c, uint8_t *mask, struct diags *d)
{
	const struct record *want = change_want(c, &setting_pfc);
	struct writing_link link = writing_link(k, c->target);
	const struct dcb *dcb;
	struct ieee_pfc pfc;
	int r = dcbnl_get(k, c->target->ifname, &dcb);

	if (r == -EOPNOTSUPP && !want)
		return 0;			/* built without DCB: global pause can be set all the same */
	if (r == 0 && !dcb->has_pfc)
		r = -EIO;			/* read a moment ago: delay and mask would be written as zeros */
	if (r < 0)
		return r;
	pfc = dcb->pfc;
	*mask = (uint8_t)record_num(want, QOS_PFC, pfc.pfc_en);
	if (*mask == pfc.pfc_en)
		return 0;
	pfc.pfc_en = *mask;
	r = dcbnl_set_pfc(k, c->target->ifname, &pfc, d);
	if (r == 0)
		writing_wait_link(k, c, link, d);
	return r;
}

/* What the driver, or a kernel without ethtool netlink, does not have: there is nothing to be kept. */
static bool lacks_pause(int err)
{
	return err == -EOPNOTSUPP || err == -ENOENT;
}

/* PFC first, since its write touches pause; then pause, if it is not already as it should be. */
static int flow_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct record *pfc = change_want(c, &setting_pfc), *pause = change_want(c, &setting_pause);
	const struct cell *cell =
		pfc ? &pfc->at[QOS_PFC] : &pause->at[pause->at[PAUSE_RX].state == CELL_VALUE ? PAUSE_RX : PAUSE_TX];
	const struct ethnl_pause *now;
	struct ethnl_pause was = { 0 };
	size_t told = d->n;
	uint8_t mask = 0;
	bool rx, tx;
	int err = 0, r;

	now = ethnl_pause(k, c->target->ifindex, &err);
	if (now)
		was = *now;
	else if (!lacks_pause(err))
		return writing_told(c, cell, d, told, err < 0 ? err : -EIO);
	r = write_mask(k, c, &mask, d);
	if (r < 0)
		return writing_told(c, cell, d, told, r);
	if (!now)
		return 0;			/* no global pause in this device: nothing was wanted of it either */
	pause_wanted(c, &was, mask != 0, &rx, &tx);
	now = ethnl_pause(k, c->target->ifindex, &err);
	if (!now)
		return writing_told(c, cell, d, told, err < 0 ? err : -EOPNOTSUPP);
	if (now->rx != rx || now->tx != tx)
		r = ethnl_set_pause(k, c->target->ifname, now->autoneg, rx, tx, d);
	return writing_told(c, pause ? &pause->at[PAUSE_RX] : cell, d, told, r);
}

static void flow_leaves(struct change *c, const struct ethnl_pause *pause, unsigned mask)
{
	const struct record *want = change_want(c, &setting_pause);
	bool rx = pause->rx && !record_has(want, PAUSE_RX), tx = pause->tx && !record_has(want, PAUSE_TX);

	if (mask && (rx || tx))
		c->leaves = arena_printf(c->arena, "global pause (%s%s%s): it goes off when PFC comes", rx ? "rx" : "",
					 rx && tx ? ", " : "", tx ? "tx" : "");
}

/* Law 3: half of the register cannot be seen, and what the policy does not say of it would be guessed. */
static bool refuse_unread(struct change *c, bool has_pfc, int pause_err)
{
	if (has_pfc && (!pause_err || lacks_pause(pause_err)))
		return false;
	change_refuse(c, REFUSED_UNREAD,
		      "%s could not be read, and is one register with what is to be written: see the kernel log",
		      has_pfc ? "global pause" : "PFC");
	return true;
}

static int flow_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const struct record *pfc = change_want(c, &setting_pfc), *want = change_want(c, &setting_pause);
	const struct ethnl_pause *pause;
	const struct dcb *dcb;
	unsigned mask;
	int err = 0;

	pfc_weigh(k, c, d);
	if (c->refused || dcbnl_get(k, c->target->ifname, &dcb) < 0)
		return 0;
	pause = ethnl_pause(k, c->target->ifindex, &err);
	if (refuse_unread(c, dcb->has_pfc, pause ? 0 : err))
		return 0;
	mask = (unsigned)record_num(pfc, QOS_PFC, dcb->pfc.pfc_en);
	if (mask && (record_num(want, PAUSE_RX, 0) || record_num(want, PAUSE_TX, 0)))
		return change_refuse(c, REFUSED_IMPOSSIBLE,
				     "PFC and global pause are one register here, and PFC is wanted: "
				     "pause: {rx: false, tx: false}, or pfc: []");
	if (change_differs(c, &setting_pause, PAUSE_RX) || change_differs(c, &setting_pause, PAUSE_TX))
		c->impact = IMPACT_TRAFFIC;
	if (!pause)
		return 0;
	flow_leaves(c, pause, mask);
	c->before = pause_text(c->arena, pause);
	return 0;
}

static const struct setting *const disturbed[] = { &setting_pause, &setting_pfc, NULL };

/* Global pause takes PFC away: of one register that is wrong, one row is the fault. Pause is asked only where PFC is wrong. */
static int flow_read_pfc(struct kernel *k, struct part *p, struct diags *d)
{
	const struct ethnl_pause *pause = NULL;
	int err, r = pfc_read(k, p, d);

	if (r == 0 && record_has(p->have, QOS_PFC) && !record_num(p->have, QOS_PFC, 0) && record_num(p->want, QOS_PFC, 0))
		pause = ethnl_pause(k, p->target->ifindex, &err);
	if (pause && (pause->rx || pause->tx))
		p->have->at[QOS_PFC].follows = pause->rx ? "pause.rx" : "pause.tx";
	return r;
}

static const struct home flow_pfc = {
	.object = "PFCC", .read = flow_read_pfc, .write = flow_write, .weigh = flow_weigh, .disturbs = disturbed,
	.interface = "dcb netlink IEEE_GET, IEEE_SET: DCB_ATTR_IEEE_PFC",
};
static const struct home flow_pause = {
	.object = "PFCC", .read = pause_read, .write = flow_write, .weigh = flow_weigh, .disturbs = disturbed,
	.interface = "ethtool netlink PAUSE_GET, PAUSE_SET",
};

/* --- the vendor stack's traffic class ------------------------------------------ */

#define TCLASS  "sys/class/infiniband/{ibdev}/tc/{port}/traffic_class"
#define TCLASS_VIA  "sysfs tc/PORT/traffic_class, configfs rdma_cm"
#define GLOBAL  "Global tclass="

struct tos { unsigned global, cm; bool cm_known; };

/* "Global tclass=106", then rules. Return: 0; -ENOENT: unset, or no such file; -EBADMSG */
static int tclass_get(struct kernel *k, const struct target *t, unsigned *tclass)
{
	TEXT_CLEANUP struct text path = { 0 };
	const char *text, *at;
	unsigned long v;
	char *end;
	int r = file_path(t, TCLASS, 0, &path);

	if (r == 0)
		r = files_text(k, &text, "%s", text_str(&path));
	if (r < 0)
		return r;
	at = strstr(text, GLOBAL);
	if (!at || (at > text && at[-1] != '\n'))
		return -ENOENT;
	at += strlen(GLOBAL);
	v = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : ULONG_MAX;
	if (v > 255 || (*end != '\0' && *end != '\n' && *end != ' '))
		return -EBADMSG;
	*tclass = (unsigned)v;
	return 0;
}

static int tos_get(struct kernel *k, const struct target *t, struct tos *tos)
{
	struct rdma_cm_defaults cm;
	int r = tclass_get(k, t, &tos->global);

	if (r < 0)
		return r;
	tos->cm_known = configfs_get_rdma_cm(k, t->port->ibdev, t->port->ibport, &cm) == 0;
	tos->cm = tos->cm_known ? cm.tos : 0;
	return 0;
}

/*
 * The one of the two that is wrong is told; if neither is, the one that overrides. After an undo, both are as they were,
 * and the one that was told then is told.
 */
static void tos_tell(struct part *p, const struct tos *tos)
{
	const struct cell *want = p->want ? &p->want->at[CM_TOS] : NULL;
	struct value cm = { .num = tos->cm };
	unsigned told = tos->global;

	if (want && want->state == CELL_VALUE && tos->cm_known) {
		struct value global = { .num = tos->global };

		bool global_is = cm_tos_same(want->field, &want->value, &global, NULL);
		bool cm_is = cm_tos_same(want->field, &want->value, &cm, NULL);

		if (p->undo ? cm_is && !global_is : global_is && !cm_is)
			told = tos->cm;
	}
	part_num(p, CM_TOS, told, TCLASS_VIA);
	if (!tos->cm_known)
		p->have->at[CM_TOS].because =
			arena_printf(p->arena, "the port's global traffic class; rdma_cm's own could not be read");
	else if (tos->cm != tos->global)
		p->have->at[CM_TOS].because =
			arena_printf(p->arena, "rdma_cm has %u, and the port's global traffic class %u overrides it",
				     tos->cm, tos->global);
}

static int tos_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct tos tos;
	int r;

	(void)d;
	if (!part_open(p, CM_TOS) || !*p->target->port->ibdev)
		return 0;
	r = tos_get(k, p->target, &tos);
	if (r == 0)
		tos_tell(p, &tos);
	else if (r != -ENOENT && r != -ENODATA)		/* else it is rdma_cm's alone */
		part_reason(p, CM_TOS, reason_of(r), TCLASS_VIA, "%s",
			    r == -EBADMSG ? "traffic_class holds no number" : strerror(-r));
	return 0;
}

static bool tos_parse(const char *s, struct tos *tos)
{
	return s && sscanf(s, "global:%3u cm:%3u", &tos->global, &tos->cm) == 2 && tos->global <= 255 && tos->cm <= 255;
}

static int tos_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = &change_want(c, &setting_cm)->at[CM_TOS];
	const struct port *port = c->target->port;
	size_t told = d->n;
	struct tos now, then;
	bool before = c->undo && tos_parse(c->before, &then);
	unsigned global, cm;
	int r = tos_get(k, c->target, &now);

	if (r < 0)
		return writing_told(c, want, d, told, r);
	global = before ? then.global : cm_tos_byte(&want->value, now.global);
	cm = before ? then.cm : cm_tos_byte(&want->value, now.cm);
	if (global != now.global)
		r = file_set_number(k, c->target, TCLASS, 0, global, d);
	if (r == 0 && now.cm_known && cm != now.cm)
		r = configfs_set_rdma_cm(k, port->ibdev, port->ibport, NULL, (int)cm, d);
	return writing_told(c, want, d, told, r);
}

static int tos_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	struct tos now;

	(void)d;
	if (tos_get(k, c->target, &now) == 0)
		c->before = arena_printf(c->arena, "global:%u cm:%u", now.global, now.cm);
	return 0;
}

static const struct home tos = {
	.read = tos_read, .write = tos_write, .weigh = tos_weigh, .effective = EFFECTIVE_NOW, .interface = TCLASS_VIA,
};

/* --- together ----------------------------------------------------------------- */

static const struct provider providers[] = {
	{&setting_ecn, &ofed_prio}, {&setting_ecn, &ofed},
	{&setting_ecn, &debugfs},   {&setting_ecn, &debugfs_rtt},
	{&setting_pfc, &flow_pfc},  {&setting_pause, &flow_pause},
	{&setting_cm, &tos},	    { 0 },
};

static const struct dcb_manners manners = {
	.activates_all_64 = true,
	.delay_is_cable = true,
	.deleted_becomes = 0,
	.pfc_impact = IMPACT_TRAFFIC,		/* the physical link goes down and up */
	.ets_impact = IMPACT_NONE,
	.app_impact = IMPACT_NONE,
	.trust_impact = IMPACT_TRAFFIC,		/* channels may be rebuilt: a short drop */
	.mtu_impact = IMPACT_TRAFFIC,		/* channels are rebuilt */
	.pfc_does = "link bounce",
	.trust_does = "channel rebuild",
	.mtu_does = "channel rebuild",
	.switches_trust = true,
	.unlisted = UNLISTED_HIDDEN,
	.trust_leaves = "the hidden map of 64 DSCPs, all of which the first entry makes active",
	.dcbx_remedy = "turn it off (mlxconfig LLDP_NB_DCBX_P1=0 and a firmware reset), or give DCB to the host "
		       "(`dcb dcbx set dev IFNAME host ieee cee`)",
};

static const char *const drivers[] = { "mlx5_core", NULL }, *const rdma_drivers[] = { "mlx5_ib", NULL };

const struct vendor vendor_mlx5 = {
	.name = "mlx5",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.providers = providers,
	.manners = &manners,
	.roce_overhead = 96,
	.firmware_family = true,
};
