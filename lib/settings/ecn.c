/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecn.*: DCQCN on the host. The receiver (NP) answers marked packets with CNPs, the sender (RP) slows down on them.
 * Where each parameter lives is the vendor's business: this file says what there is, in the kernel's names, and that a
 * driver nobody described has none. Switches mark; what they mark at is not to be seen from here.
 *
 * What surprises: net.ipv4.tcp_ecn concerns TCP alone. A CNP priority that is not in use (mlx5: np_cnp_prio_mode 1,
 * "that of the received packet") reads back like one that is: it comes with a text beside the number, and is not the
 * same as a wish.
 */
#include "settings/ecn.h"

#include <errno.h>
#include <stdint.h>

#include "base/diag.h"
#include "fabric/fabric.h"
#include "fabric/sketch.h"

static bool same_if_used(const struct field *f, const struct value *want, const struct value *have,
			 const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->num == have->num && !want->text == !have->text;
}

#define FLAG(name_, doc_)  { name_, KIND_BOOL, .doc = doc_ }
#define US(name_, min_, max_, doc_)  { name_, KIND_UINT, .min = min_, .max = max_, .unit = "us", .doc = doc_ }
#define RATE(name_, doc_)  { name_, KIND_UINT, .min = 0, .max = UINT32_MAX, .unit = "Mb/s", .doc = doc_ }
#define COUNT(name_, min_, max_, doc_)  { name_, KIND_UINT, .min = min_, .max = max_, .doc = doc_ }

static const struct field fields[] = {
	[ECN_NP] = { "ecn.np", KIND_SET, .max = 7, .doc = "priorities whose marked packets are answered with CNPs" },
	[ECN_RP] = { "ecn.rp", KIND_SET, .max = 7, .doc = "priorities whose senders slow down on a CNP" },
	[ECN_CNP_DSCP] = COUNT("ecn.cnp.dscp", 0, 63, "DSCP of CNPs that this port sends"),
	[ECN_CNP_PRIORITY] = { "ecn.cnp.priority", KIND_UINT, .min = 0, .max = 7, .same = same_if_used,
			      .doc = "priority of CNPs that this port sends" },
	[ECN_NP_MIN_TIME_BETWEEN_CNPS] =
		US("ecn.np_min_time_between_cnps", 0, UINT32_MAX, "least time between two CNPs"),
	[ECN_RP_CLAMP_TGT_RATE] = FLAG("ecn.rp_clamp_tgt_rate", "each CNP sets the target rate to the current one"),
	[ECN_RP_CLAMP_TGT_RATE_ATI] = FLAG("ecn.rp_clamp_tgt_rate_ati", "the same after an increase by time"),
	[ECN_RP_TIME_RESET] = US("ecn.rp_time_reset", 0, 131071, "time between rate increases"),
	[ECN_RP_BYTE_RESET] = { "ecn.rp_byte_reset", KIND_UINT, .min = 0, .max = UINT32_MAX, .unit = "bytes",
			       .doc = "bytes between rate increases; 0: off" },
	[ECN_RP_THRESHOLD] = COUNT("ecn.rp_threshold", 0, 31, "increases before the next stage"),
	[ECN_RP_MAX_RATE] = RATE("ecn.rp_max_rate", "highest rate of a flow; 0: line rate"),
	[ECN_RP_AI_RATE] = RATE("ecn.rp_ai_rate", "step of additive increase"),
	[ECN_RP_HAI_RATE] = RATE("ecn.rp_hai_rate", "step of hyper increase"),
	[ECN_RP_GD] = COUNT("ecn.rp_gd", 0, 15, "log2 divisor of alpha in a decrease"),
	[ECN_RP_MIN_DEC_FAC] = { "ecn.rp_min_dec_fac", KIND_UINT, .min = 1, .max = 100, .unit = "%",
				.doc = "least share of its rate that a flow keeps in one decrease" },
	[ECN_RP_MIN_RATE] = RATE("ecn.rp_min_rate", "lowest rate of a flow"),
	[ECN_RP_RATE_TO_SET_ON_FIRST_CNP] =
		RATE("ecn.rp_rate_to_set_on_first_cnp", "rate after a flow's first CNP; 0: keep line rate"),
	[ECN_RP_DCE_TCP_G] = COUNT("ecn.rp_dce_tcp_g", 0, 1023, "gain of alpha, of 1024"),
	[ECN_RP_DCE_TCP_RTT] = US("ecn.rp_dce_tcp_rtt", 1, 131071, "time between updates of alpha"),
	[ECN_RP_RATE_REDUCE_MONITOR_PERIOD] =
		US("ecn.rp_rate_reduce_monitor_period", 0, UINT32_MAX, "least time between decreases"),
	[ECN_RP_INITIAL_ALPHA_VALUE] =
		COUNT("ecn.rp_initial_alpha_value", 1, 1023, "alpha of a flow's first CNP, of 1024"),
	[ECN_RTT_RESP_DSCP] =
		COUNT("ecn.rtt_resp_dscp", 0, 63, "DSCP of answers to RTT requests; setting it makes it valid"),
	[ECN_RTT_RESP_DSCP_VALID] = FLAG("ecn.rtt_resp_dscp_valid", "answers to RTT requests carry rtt_resp_dscp"),
	[ECN_FIELDS] = { 0 },
};

/* --- wishes ----------------------------------------------------------------- */

static int derive_cnp(const struct wishes *w, struct record *want, struct diags *d)
{
	struct cell *dscp = &want->at[ECN_CNP_DSCP], *priority = &want->at[ECN_CNP_PRIORITY];
	const struct cell *asked = dscp->state == CELL_FABRIC ? dscp : priority;
	const struct traffic_class *cnp = fabric_class(w->fabric, CLASS_CNP);

	if (asked->state != CELL_FABRIC)
		return 0;
	if (!cnp || !cnp->dscp) {
		diag_error(d, &asked->pos,
			   cnp ? "ecn: the class cnp of the fabric %s has no DSCP"
			       : "ecn: the fabric %s has no class cnp",
			   w->fabric->name);
		diag_hint(d, "add cnp: {priority: 6, dscp: [48], strict: true} to its classes, or spell out ecn.cnp");
		dscp->state = dscp->state == CELL_FABRIC ? CELL_SILENT : dscp->state;
		priority->state = priority->state == CELL_FABRIC ? CELL_SILENT : priority->state;
		return -EINVAL;
	}
	if (dscp->state == CELL_FABRIC)
		cell_set_num(dscp, __builtin_ctzll(cnp->dscp));
	if (priority->state == CELL_FABRIC)
		cell_set_num(priority, cnp->priority);
	return 0;
}

/* `ecn: fabric` asks for every key, and the classes know four of them: the parameters stay unmanaged. */
static int ecn_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	bool all = want->at[ECN_NP].state == CELL_FABRIC && want->at[ECN_RP].state == CELL_FABRIC;
	int r;

	if (!w->fabric)
		return 0;
	r = derive_cnp(w, want, d);
	for (unsigned i = ECN_NP; i <= ECN_RP; i++)
		if (want->at[i].state == CELL_FABRIC) {
			cell_set_num(&want->at[i], fabric_pfc(w->fabric));
			want->at[i].if_supported = true;
		}
	for (unsigned i = ECN_NP_MIN_TIME_BETWEEN_CNPS; all && i < want->n; i++)
		if (want->at[i].state == CELL_FABRIC)
			want->at[i].state = CELL_SILENT;
	return r;
}

/* --- the drivers that nobody described --------------------------------------- */

static int ecn_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)k;
	(void)d;
	part_reasons(p, REASON_DRIVER_LACKS, NULL, "this driver has no such parameter that rdmactl knows of");
	return 0;
}

static void ecn_suggest(const struct record *have, struct fabric_sketch *s)
{
	s->cnp_dscp = (int)record_num(have, ECN_CNP_DSCP, -1);
	s->cnp_priority = (int)record_num(have, ECN_CNP_PRIORITY, -1);
}

const struct setting setting_ecn = {
	.name = "ecn",
	.why = "Senders that do not slow down fill the switch, and PFC then stops flows that have done nothing.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = {.read = ecn_read, .interface = "by driver: mlx5 debugfs cc_params, sysfs ecn/ of the vendor's stack" },
	.derive = ecn_derive,
	.suggest = ecn_suggest,
};
