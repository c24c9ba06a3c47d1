/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCQCN parameters: debugfs mlx5/BDF/cc_params as upstream has it, sys/class/net/IF/ecn as the vendor's driver; one
 * set of registers behind both. Also the vendor's other files of a port: roce_enable.
 */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MAX 11 /* the driver's buffer */

static const struct { const char *name, *ofed; uint32_t min, max, factory; } rows[CC_COUNT] = {
	{ "rp_clamp_tgt_rate", "clamp_tgt_rate", 0, 1, 0 },
	{ "rp_clamp_tgt_rate_ati", "clamp_tgt_rate_after_time_inc", 0, 1, 1 },
	{ "rp_time_reset", "rpg_time_reset", 0, 131071, 300 },
	{ "rp_byte_reset", "rpg_byte_reset", 0, 32767, 32767 },
	{ "rp_threshold", "rpg_threshold", 0, 31, 1 },
	{ "rp_ai_rate", "rpg_ai_rate", 0, 100000, 5 },
	{ "rp_max_rate", "rpg_max_rate", 0, 100000, 0 },
	{ "rp_hai_rate", "rpg_hai_rate", 0, 100000, 50 },
	{ "rp_min_dec_fac", "rpg_min_dec_fac", 1, 100, 50 },
	{ "rp_min_rate", "rpg_min_rate", 0, 100000, 1 },
	{ "rp_rate_to_set_on_first_cnp", "rate_to_set_on_first_cnp", 0, 100000, 0 },
	{ "rp_dce_tcp_g", "dce_tcp_g", 0, 1023, 1019 },
	{ "rp_dce_tcp_rtt", "dce_tcp_rtt", 1, 131071, 1 },
	{ "rp_rate_reduce_monitor_period", "rate_reduce_monitor_period", 0, 131071, 4 },
	{ "rp_initial_alpha_value", "initial_alpha_value", 1, 1023, 1023 },
	{ "rp_gd", "rpg_gd", 0, 15, 11 },
	{ "np_min_time_between_cnps", "min_time_between_cnps", 0, 4095, 4 },
	{ "np_cnp_dscp", "cnp_dscp", 0, 63, 48 },
#define CNP_PRIO_MODE 18
	{ "np_cnp_prio_mode", NULL, 0, 1, 0 },
#define CNP_PRIO 19
	{ "np_cnp_prio", "cnp_802p_prio", 0, 7, 6 },
};

void ccparams_factory(struct hw *hw)
{
	for (int i = 0; i < CC_COUNT; i++)
		hw->cc[i] = rows[i].factory;
	hw->ecn_np = hw->ecn_rp = 0xff;
}

int ccparams_row(const char *name)
{
	for (int i = 0; i < CC_COUNT; i++)
		if (!strcmp(rows[i].name, name))
			return i;
	return -1;
}

const char *ccparams_name(unsigned row)
{
	return rows[row].name;
}

int ccparams_set(struct sim *s, struct nic *n, unsigned row, uint32_t val)
{
	int r;

	if (val < rows[row].min || val > rows[row].max)
		return -EINVAL;
	r = sim_fault(s, n, OP_CC, &val);
	if (r)
		return r < 0 ? r : 0;
	n->hw.cc[row] = val;
	if (row == CNP_PRIO)		/* a fixed priority ends "that of the packet" */
		n->hw.cc[CNP_PRIO_MODE] = 0;
	return 0;
}

static int show_cc(struct sim *s, const struct node *n, struct text *out)
{
	int r = sim_fault(s, n->nic, OP_GETCC, NULL);

	if (r < 0)
		return r;
	text_printf(out, "%u\n", n->nic->hw.cc[n->arg]);
	return 0;
}

static int number(const char *text, size_t len, uint32_t *v)
{
	char copy[WRITE_MAX + 1], *end;
	unsigned long long u;

	if (len > WRITE_MAX)
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%.*s", (int)text_trim(text, len), text);
	if (copy[0] < '0' || copy[0] > '9')
		return -EINVAL;
	u = strtoull(copy, &end, 0);
	if (*end)
		return -EINVAL;
	if (u > UINT32_MAX)
		return -ERANGE;
	*v = (uint32_t)u;
	return 0;
}

static int store_cc(struct sim *s, const struct node *n, const char *text, size_t len)
{
	uint32_t v;
	int r = number(text, len, &v);

	return r < 0 ? r : ccparams_set(s, n->nic, n->arg, v);
}

/* --- the vendor's --- */

static int show_ofed(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", n->nic->hw.cc[n->arg]);
	return 0;
}

/* As the vendor's driver does: text that is no number counts as some number, here 0. */
static uint32_t careless(const char *text, size_t len)
{
	char copy[32];

	snprintf(copy, sizeof(copy), "%.*s", len < sizeof(copy) ? (int)len : 0, text);
	return (uint32_t)strtoul(copy, NULL, 10);
}

static int store_ofed(struct sim *s, const struct node *n, const char *text, size_t len)
{
	return ccparams_set(s, n->nic, n->arg, careless(text, len));
}

static uint8_t *bits_of(const struct node *n)
{
	return n->arg & 8 ? &n->nic->hw.ecn_rp : &n->nic->hw.ecn_np;
}

static int show_enable(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%d\n", *bits_of(n) >> (n->arg & 7) & 1);
	return 0;
}

static int store_enable(struct sim *s, const struct node *n, const char *text, size_t len)
{
	uint32_t v = careless(text, len) & 1, bit = 1u << (n->arg & 7);
	int r = sim_fault(s, n->nic, OP_ECN, &v);

	if (r)
		return r < 0 ? r : 0;
	*bits_of(n) = (uint8_t)(v ? *bits_of(n) | bit : *bits_of(n) & ~bit);
	return 0;
}

static int show_roce(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%d\n", n->nic->roce_pending);
	return 0;
}

/* The same value as devlink's enable_roce: it counts at the next load. */
static int store_roce(struct sim *s, const struct node *n, const char *text, size_t len)
{
	uint32_t v;
	int r = number(text, len, &v);

	if (r == 0 && v > 1)
		r = -EINVAL;
	if (r == 0 && nic_in_bond(s, n->nic))
		r = -EOPNOTSUPP;
	if (r == 0)
		r = sim_fault(s, n->nic, OP_ROCE, NULL);
	if (r == 0)
		n->nic->roce_pending = v;
	return r < 0 ? r : 0;
}

void ccparams_add(struct sim *s, struct nic *n)
{
	char bdf[16];

	if (!driver_of(s)->cc_params)
		return;
	nic_bdf(s, n, bdf);
	for (unsigned i = 0; s->st->debugfs && s->st->rdma && i < CC_COUNT; i++)	/* made by mlx5_ib */
		tree_file(s, n, 0600, show_cc, store_cc, i, "sys/kernel/debug/mlx5/%s/cc_params/%s", bdf, rows[i].name);
	if (!s->st->ofed)
		return;
	for (unsigned i = 0; i < CC_COUNT; i++)
		if (rows[i].ofed)
			tree_file(s, n, 0644, show_ofed, store_ofed, i, "%s/net/%s/ecn/roce_%cp/%s", pci_dir(s, n), n->name,
				  rows[i].name[0], rows[i].ofed);
	for (unsigned i = 0; i < 16; i++)
		tree_file(s, n, 0644, show_enable, store_enable, i, "%s/net/%s/ecn/roce_%cp/enable/%u", pci_dir(s, n), n->name,
			  i & 8 ? 'r' : 'n', i & 7);
	tree_file(s, n, 0644, show_roce, store_roce, 0, "%s/roce_enable", pci_dir(s, n));
}
