// SPDX-License-Identifier: GPL-2.0
/* DCQCN parameters: debugfs cc_params as upstream has it, <netdev>/ecn as the vendor's driver. */
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "fabricsim.h"

/* Upstream's debugfs name, the vendor's sysfs name under ecn/roce_rp/ or
 * ecn/roce_np/, what firmware accepts, the default. */
static const struct { const char *name, *ofed; u32 min, max, def; } cc[FAB_CC_COUNT] = {
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

static int cc_set(struct fab_cc *c, u32 val)
{
	int err;

	if (val < cc[c->idx].min || val > cc[c->idx].max)
		return -EINVAL;
	err = fab_fault(c->nic, FAB_OP_CC, &val);
	if (err)
		return min(err, 0);
	c->nic->hw->cc[c->idx] = val;
	if (c->idx == CNP_PRIO)		/* mlx5: a fixed priority ends "that of the packet" */
		c->nic->hw->cc[CNP_PRIO_MODE] = 0;
	return 0;
}

static int cc_show(struct seq_file *m, void *v)
{
	struct fab_cc *c = m->private;
	int err = fab_fault(c->nic, FAB_OP_GETCC, NULL);

	if (err < 0)
		return err;
	seq_printf(m, "%u\n", c->nic->hw->cc[c->idx]);
	return 0;
}

static ssize_t cc_write(struct file *file, const char __user *ubuf, size_t len, loff_t *off)
{
	struct fab_cc *c = ((struct seq_file *)file->private_data)->private;
	u32 val;
	int err;

	if (len > 11)		/* the driver's buffer */
		return -EINVAL;
	err = kstrtou32_from_user(ubuf, len, 0, &val) ?: cc_set(c, val);
	return err ? err : len;
}
FAB_RW_FILE(cc);

void fab_cc_init(struct fab_hw *hw)
{
	int i;

	for (i = 0; i < FAB_CC_COUNT; i++)
		hw->cc[i] = cc[i].def;
	hw->ecn_np = hw->ecn_rp = 0xff;
}

void fab_cc_add(struct fab_nic *nic, struct dentry *dir)
{
	int i;

	for (i = 0; i < FAB_CC_COUNT; i++) {
		nic->ccref[i] = (struct fab_cc){ nic, i };
		debugfs_create_file(cc[i].name, 0600, dir, &nic->ccref[i], &cc_fops);
	}
}

/* --- <netdev>/ecn ------------------------------------------------------- */

struct ecn_attr {
	struct kobj_attribute a;
	s8 cc;		/* index into cc[], or -1: enable bit */
	u8 prio;
	bool rp;
};

static struct ecn_attr ecn_enable[2][8], ecn_cc[FAB_CC_COUNT];
static struct attribute *ecn_enable_attrs[2][9], *ecn_cc_attrs[2][FAB_CC_COUNT + 1];
static char ecn_digit[8][2];

static struct fab_nic *nic_of_kobj(struct kobject *k, int up)
{
	while (up--)
		k = k->parent;
	return ((struct fab_net *)netdev_priv(to_net_dev(kobj_to_dev(k))))->nic;
}

static ssize_t ecn_show(struct kobject *k, struct kobj_attribute *ka, char *buf)
{
	struct ecn_attr *e = container_of(ka, struct ecn_attr, a);
	struct fab_hw *hw = nic_of_kobj(k, e->cc < 0 ? 3 : 2)->hw;

	if (e->cc >= 0)
		return sysfs_emit(buf, "%u\n", hw->cc[e->cc]);
	return sysfs_emit(buf, "%d\n", (e->rp ? hw->ecn_rp : hw->ecn_np) >> e->prio & 1);
}

/* As in the vendor's driver, text that is no number counts as some number: here 0. */
static ssize_t ecn_store(struct kobject *k, struct kobj_attribute *ka, const char *buf, size_t len)
{
	struct ecn_attr *e = container_of(ka, struct ecn_attr, a);
	struct fab_nic *nic = nic_of_kobj(k, e->cc < 0 ? 3 : 2);
	u8 *bits = e->rp ? &nic->hw->ecn_rp : &nic->hw->ecn_np;
	u32 val = 0;
	int err;

	if (sscanf(buf, "%u", &val) != 1)
		val = 0;
	if (e->cc >= 0) {
		err = cc_set(&nic->ccref[e->cc], val);
	} else {
		val &= 1;
		err = fab_fault(nic, FAB_OP_ECN, &val);
		if (!err)
			*bits = (*bits & ~(1 << e->prio)) | val << e->prio;
	}
	return err < 0 ? err : len;
}

static void ecn_attr_init(struct ecn_attr *e, const char *name)
{
	sysfs_attr_init(&e->a.attr);
	e->a.attr.name = name;
	e->a.attr.mode = 0644;
	e->a.show = ecn_show;
	e->a.store = ecn_store;
}

void fab_ecn_init(void)
{
	int i, rp, n[2] = {};

	for (i = 0; i < 8; i++) {
		ecn_digit[i][0] = '0' + i;
		for (rp = 0; rp < 2; rp++) {
			ecn_enable[rp][i].cc = -1;
			ecn_enable[rp][i].prio = i;
			ecn_enable[rp][i].rp = rp;
			ecn_attr_init(&ecn_enable[rp][i], ecn_digit[i]);
			ecn_enable_attrs[rp][i] = &ecn_enable[rp][i].a.attr;
		}
	}
	for (i = 0; i < FAB_CC_COUNT; i++) {
		if (!cc[i].ofed)
			continue;
		rp = cc[i].name[0] == 'r';
		ecn_cc[i].cc = i;
		ecn_attr_init(&ecn_cc[i], cc[i].ofed);
		ecn_cc_attrs[rp][n[rp]++] = &ecn_cc[i].a.attr;
	}
}

void fab_ecn_add(struct net_device *ndev)
{
	struct fab_net *net = netdev_priv(ndev);
	struct kobject **k = net->ecn;
	int rp;

	k[0] = kobject_create_and_add("ecn", &ndev->dev.kobj);
	for (rp = 0; k[0] && rp < 2; rp++) {
		k[1 + rp] = kobject_create_and_add(rp ? "roce_rp" : "roce_np", k[0]);
		if (!k[1 + rp] ||
		    sysfs_create_files(k[1 + rp], (const struct attribute **)ecn_cc_attrs[rp]))
			continue;
		k[3 + rp] = kobject_create_and_add("enable", k[1 + rp]);
		if (k[3 + rp] &&
		    sysfs_create_files(k[3 + rp], (const struct attribute **)ecn_enable_attrs[rp]))
			netdev_warn(ndev, "no ecn files\n");
	}
}

void fab_ecn_del(struct net_device *ndev)
{
	struct fab_net *net = netdev_priv(ndev);
	int i;

	for (i = 4; i >= 0; i--) {
		if (net->ecn[i])
			kobject_del(net->ecn[i]);
		kobject_put(net->ecn[i]);
		net->ecn[i] = NULL;
	}
}
