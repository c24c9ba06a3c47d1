/* SPDX-License-Identifier: Apache-2.0 */
/* sys/class/infiniband: an RDMA device below its PCI function, with one port. */
#include "state.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <stdio.h>
#include <string.h>

static int show_fw_ver(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s\n", n->nic->hw.fw);
	return 0;
}

static int show_board_id(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s\n", n->nic->hw.board);
	return 0;
}

static int show_text(struct sim *s, const struct node *n, struct text *out)
{
	static const char *const texts[] = { "MT4125\n", "simulated\n", "1: CA\n", "Ethernet\n", "0x0\n", "0\n",
					     "0x00000000\n", "0xffff\n" };

	(void)s;
	text_add(out, texts[n->arg]);
	return 0;
}

static int show_guid(struct sim *s, const struct node *n, struct text *out)
{
	uint8_t m[6];

	nic_mac(s, n->nic, m);
	text_printf(out, "%02x%02x:%02xff:fe%02x:%02x%02x\n", m[0] ^ 2, m[1], m[2], m[3], m[4], m[5]);
	return 0;
}

static int show_state(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_add(out, nic_carrier(n->nic) ? "4: ACTIVE\n" : "1: DOWN\n");
	return 0;
}

static int show_phys_state(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_add(out, nic_carrier(n->nic) ? "5: LinkUp\n" : "3: Disabled\n");
	return 0;
}

static int show_rate(struct sim *s, const struct node *n, struct text *out)
{
	static const struct { uint32_t lane_gbps; const char *name; } lanes[] = {
		{ 25, "EDR" }, { 50, "HDR" }, { 100, "NDR" }, { 200, "XDR" },
	};
	uint32_t lane = n->nic->hw.speed / 4000;

	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++) {
		if (lanes[i].lane_gbps != lane)
			continue;
		if (lane == 200 && s->st->old)
			break;		/* 6.1 does not know it */
		text_printf(out, "%u Gb/sec (4X %s)\n", 4 * lane, lanes[i].name);
		return 0;
	}
	text_add(out, "10 Gb/sec (4X SDR)\n");
	return 0;
}

static bool gid_at(struct sim *s, const struct node *n, struct gid_entry *g)
{
	struct gid_entry all[SIM_GIDS];
	size_t count = gids_of(s, n->nic, all);

	for (size_t i = 0; i < count; i++) {
		if (all[i].index != n->arg)
			continue;
		*g = all[i];
		return true;
	}
	return false;
}

static int show_gid(struct sim *s, const struct node *n, struct text *out)
{
	struct gid_entry g = { 0 };

	gid_at(s, n, &g);		/* an empty one reads as zeros */
	for (int i = 0; i < 16; i += 2)
		text_printf(out, "%02x%02x%c", g.gid[i], g.gid[i + 1], i < 14 ? ':' : '\n');
	return 0;
}

static int show_gid_type(struct sim *s, const struct node *n, struct text *out)
{
	struct gid_entry g;

	if (!gid_at(s, n, &g))
		return -EINVAL;
	text_add(out, g.type == IB_UVERBS_GID_TYPE_ROCE_V2 ? "RoCE v2\n" : "IB/RoCE v1\n");
	return 0;
}

static int show_gid_ndev(struct sim *s, const struct node *n, struct text *out)
{
	struct gid_entry g;

	if (!gid_at(s, n, &g))
		return -EINVAL;
	text_printf(out, "%s\n", n->nic->name);
	return 0;
}

static int show_counter(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%llu\n", (unsigned long long)counter_value(n->nic, n->arg));
	return 0;
}

static int show_lifespan(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "12\n");	/* 10 ms, in the kernel's ticks */
	return 0;
}

static int show_tclass(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	if (n->nic->ib.tclass >= 0)
		text_printf(out, "Global tclass=%d\n", n->nic->ib.tclass);
	return 0;
}

/* "106", "tclass=106"; a negative one clears it. Rules with addresses were not taught. */
static int store_tclass(struct sim *s, const struct node *n, const char *text, size_t len)
{
	char copy[128];
	const char *at = copy;
	int v, end = 0, r;
	uint32_t val;

	if (len >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%.*s", (int)text_trim(text, len), text);
	if (strstr(copy, "_ip="))
		return sim_untaught(s, "traffic_class rules (%s)", copy);
	if (!strncmp(at, "tclass=", 7))
		at += 7;
	if (sscanf(at, "%d%n", &v, &end) != 1 || at[end] || v > 255)
		return -EINVAL;
	val = v < 0 ? 0 : (uint32_t)v;
	r = sim_fault(s, n->nic, OP_TCLASS, &val);
	if (r == 0)
		n->nic->ib.tclass = v < 0 ? -1 : (int32_t)val;
	return r < 0 ? r : 0;
}

static int show_verbs_ibdev(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s\n", n->nic->ib.name);
	return 0;
}

static const struct { const char *name; uint16_t mode; node_show *show; uint32_t arg; } files[] = {
	{ "fw_ver", 0444, show_fw_ver, 0 },
	{ "board_id", 0444, show_board_id, 0 },
	{ "hca_type", 0444, show_text, 0 },
	{ "node_desc", 0644, show_text, 1 },
	{ "node_type", 0444, show_text, 2 },
	{ "node_guid", 0444, show_guid, 0 },
	{ "sys_image_guid", 0444, show_guid, 0 },
	{ "ports/1/link_layer", 0444, show_text, 3 },
	{ "ports/1/lid", 0444, show_text, 4 },
	{ "ports/1/sm_lid", 0444, show_text, 4 },
	{ "ports/1/lid_mask_count", 0444, show_text, 5 },
	{ "ports/1/sm_sl", 0444, show_text, 5 },
	{ "ports/1/cap_mask", 0444, show_text, 6 },
	{ "ports/1/pkeys/0", 0444, show_text, 7 },
	{ "ports/1/state", 0444, show_state, 0 },
	{ "ports/1/phys_state", 0444, show_phys_state, 0 },
	{ "ports/1/rate", 0444, show_rate, 0 },
	{ "ports/1/hw_counters/lifespan", 0644, show_lifespan, 0 },
};

void ibfiles_add(struct sim *s, struct nic *n)
{
	const char *pci = pci_dir(s, n), *dir = tree_path(s, "%s/infiniband/%s", pci, n->ib.name);
	char bdf[16];

	nic_bdf(s, n, bdf);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tree_file(s, n, files[i].mode, files[i].show, NULL, files[i].arg, "%s/%s", dir, files[i].name);
	for (unsigned i = 0; i < SIM_GIDS; i++) {
		tree_file(s, n, 0444, show_gid, NULL, i, "%s/ports/1/gids/%u", dir, i);
		tree_file(s, n, 0444, show_gid_type, NULL, i, "%s/ports/1/gid_attrs/types/%u", dir, i);
		tree_file(s, n, 0444, show_gid_ndev, NULL, i, "%s/ports/1/gid_attrs/ndevs/%u", dir, i);
	}
	for (unsigned i = COUNTER_HW; i < COUNTERS; i++) {
		char buf[32];
		const char *name = counter_name(s, n, i, buf);

		if (name)
			tree_file(s, n, 0444, show_counter, NULL, i, "%s/ports/1/%scounters/%s", dir, i < COUNTER_PORT ? "hw_" : "",
				  name);
	}
	if (s->st->ofed)
		tree_file(s, n, 0644, show_tclass, store_tclass, 0, "%s/tc/1/traffic_class", dir);
	tree_link(s, tree_path(s, "../../../%s", bdf), "%s/device", dir);
	tree_link(s, "../../../../../../../../class/infiniband", "%s/subsystem", dir);
	tree_link(s, tree_path(s, "../../%s", dir + strlen("sys/")), "sys/class/infiniband/%s", n->ib.name);
	if (!module_loaded(s, "ib_uverbs"))
		return;
	dir = tree_path(s, "%s/infiniband_verbs/uverbs%u", pci, nic_number(s, n));
	tree_file(s, n, 0444, show_verbs_ibdev, NULL, 0, "%s/ibdev", dir);
	tree_link(s, tree_path(s, "../../%s", dir + strlen("sys/")), "sys/class/infiniband_verbs/uverbs%u", nic_number(s, n));
}
