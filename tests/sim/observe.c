/* SPDX-License-Identifier: Apache-2.0 */
/* What simctl prints: values of a NIC as its tools would print them, and the snapshot of all that can be read. */
#include "observe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

static void print_pfc(struct sim *s, const struct nic *n, struct text *out)
{
	bool any = false;

	(void)s;
	for (int i = 0; i < 8; i++) {
		if (!(n->hw.pfc_en >> i & 1))
			continue;
		text_printf(out, "%s%d", any ? "," : "", i);
		any = true;
	}
}

static int by_dscp(const void *pa, const void *pb)
{
	const struct dcb_app *a = pa, *b = pb;

	return a->protocol != b->protocol ? a->protocol - b->protocol : a->priority - b->priority;
}

static void print_apps(const struct nic *n, bool dscp, struct text *out)
{
	struct dcb_app app[SIM_APPS];
	uint32_t count = n->net.napps;
	bool any = false;

	memcpy(app, n->net.app, count * sizeof(app[0]));
	qsort(app, count, sizeof(app[0]), by_dscp);
	for (uint32_t i = 0; i < count; i++) {
		if (app_is_dscp(&app[i]) != dscp)
			continue;
		if (dscp)
			text_printf(out, "%s%u:%u", any ? " " : "", app[i].protocol, app[i].priority);
		else
			text_printf(out, "%s%u/%u:%u", any ? " " : "", app[i].selector, app[i].protocol, app[i].priority);
		any = true;
	}
}

static void print_dscp(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	print_apps(n, true, out);
}

static void print_map(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	for (int i = 0; i < 64; i++)
		text_char(out, (char)('0' + n->hw.dscp2prio[i]));
}

static void print_trust(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_add(out, n->hw.dscp_trust ? "dscp" : "pcp");
}

static void print_ets(struct sim *s, const struct nic *n, struct text *out)
{
	static const char *const tsa[] = { "strict", "cbs", NULL };
	struct ieee_ets ets;

	driver_of(s)->dcb.get_ets(s, (struct nic *)n, &ets);
	for (int i = 0; i < SIM_TCS; i++) {
		text_printf(out, "%s%d:", i ? " " : "", i);
		if (ets.tc_tsa[i] == IEEE_8021QAZ_TSA_ETS)
			text_printf(out, "%u%%", ets.tc_tx_bw[i]);
		else
			text_add(out, ets.tc_tsa[i] < 2 ? tsa[ets.tc_tsa[i]] : "vendor");
	}
}

static void print_tc(struct sim *s, const struct nic *n, struct text *out)
{
	struct ieee_ets ets;

	driver_of(s)->dcb.get_ets(s, (struct nic *)n, &ets);
	for (int i = 0; i < SIM_TCS; i++)
		text_printf(out, "%s%d:%u", i ? " " : "", i, ets.prio_tc[i]);
}

static void print_pause(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "rx %s tx %s", n->hw.rx_pause ? "on" : "off", n->hw.tx_pause ? "on" : "off");
}

static void print_maxrate(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	for (int i = 0; i < SIM_TCS; i++)
		text_printf(out, "%s%llu", i ? " " : "", (unsigned long long)n->hw.maxrate.tc_maxrate[i]);
}

static void print_buffer(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	for (int i = 0; i < DCBX_MAX_BUFFERS; i++)
		text_printf(out, "%s%u", i ? " " : "", n->hw.buffer.buffer_size[i]);
	for (int i = 0; i < 8; i++)
		text_printf(out, " %d:%u", i, n->hw.buffer.prio2buffer[i]);
}

static void print_cc_all(const struct nic *n, struct text *out)
{
	for (unsigned i = 0; i < CC_COUNT; i++)
		text_printf(out, "%s%s=%u", i ? " " : "", ccparams_name(i), n->hw.cc[i]);
	text_printf(out, " np=0x%02x rp=0x%02x", n->hw.ecn_np, n->hw.ecn_rp);
}

static void print_pcie(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u %u", n->hw.link.speed, n->hw.link.width);
}

static void print_mtu(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u", n->net.mtu);
}

static void print_link(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_add(out, n->net.up ? "up" : "down");
}

static void print_carrier(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_add(out, nic_carrier(n) ? "on" : "off");
}

static void print_downs(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%llu", (unsigned long long)n->hw.counter[COUNTER_LINK_DOWN]);
}

static void print_fw(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s %s", n->hw.fw, n->hw.fw_stored);
}

static void print_ifindex(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u", n->net.ifindex);
}

static void print_ibdev(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_add(out, n->ib.present ? n->ib.name : "none");
}

static void print_roce(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s", n->roce ? "on" : "off");
	if (n->roce != n->roce_pending)
		text_printf(out, " pending %s", n->roce_pending ? "on" : "off");
}

static void print_roce_mode(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_add(out, n->ib.cm_v1 ? "v1" : "v2");
}

static void print_roce_tos(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u", n->ib.cm_tos);
}

static void print_tclass(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%d", n->ib.tclass);
}

static void print_dcbx(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%02x", n->net.dcbx);
}

static void print_cable(struct sim *s, const struct nic *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u", n->net.cable_m);
}

const struct observable observables[] = {
	{ "mtu", print_mtu }, { "pfc", print_pfc }, { "dscp", print_dscp }, { "map", print_map }, { "trust", print_trust },
	{ "ets", print_ets }, { "tc", print_tc }, { "pause", print_pause }, { "maxrate", print_maxrate },
	{ "buffer", print_buffer }, { "pcie", print_pcie }, { "link", print_link }, { "carrier", print_carrier },
	{ "downs", print_downs }, { "fw", print_fw }, { "ifindex", print_ifindex }, { "ibdev", print_ibdev },
	{ "roce", print_roce }, { "roce_mode", print_roce_mode }, { "roce_tos", print_roce_tos }, { "tclass", print_tclass },
	{ "dcbx", print_dcbx }, { "cable", print_cable },
	{ "said", lldp_print_said },
	{ NULL, NULL },
};

/* --- snapshot --- */

/* What a NIC's owner may have set, and can read: the map hidden under pcp trust is not among it. */
static const char *const kept[] = {
	"mtu", "pfc", "dscp", "trust", "ets", "tc", "pause", "maxrate", "buffer", "link", "ibdev", "roce", "roce_mode",
	"roce_tos", "tclass", "dcbx", "cable", "said",
};

static void snapshot_nic(struct sim *s, const struct nic *n, struct text *out)
{
	if (!n->present) {
		text_printf(out, "%s gone\n", n->name);
		return;
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const struct observable *o = observables;

		while (strcmp(o->name, kept[i]))
			o++;
		text_printf(out, "%s %s ", n->name, kept[i]);
		o->print(s, n, out);
		text_char(out, '\n');
	}
	text_printf(out, "%s cc ", n->name);
	print_cc_all(n, out);
	text_printf(out, "\n%s apps ", n->name);
	print_apps(n, false, out);
	text_char(out, '\n');
}

static int by_path(const void *pa, const void *pb)
{
	const struct plain_file *const *a = pa, *const *b = pb;

	return strcmp((*a)->path, (*b)->path);
}

static void snapshot_files(struct sim *s, struct text *out)
{
	const struct plain_file **list = calloc(s->st->nfiles + 1u, sizeof(*list));
	size_t n = 0;

	if (!list)
		abort();
	for (uint32_t i = 0; i < s->st->nfiles; i++)
		if (s->st->file[i].used && strncmp(s->st->file[i].path, "var/lib/rdmactl", 15))
			list[n++] = &s->st->file[i];
	qsort(list, n, sizeof(*list), by_path);
	for (size_t i = 0; i < n; i++) {
		text_printf(out, "%s %06o ", list[i]->path, list[i]->mode);
		text_add_safe(out, overlay_text(s, list[i]), list[i]->len);
		text_char(out, '\n');
	}
	free(list);
}

void sim_snapshot(struct sim *s, struct text *out)
{
	sim_lock(s);
	for (unsigned i = 0; i < s->st->nnics; i++)
		snapshot_nic(s, &s->st->nic[i], out);
	for (unsigned i = 0; i < SIM_UPPERS; i++)
		if (s->st->upper[i].kind)
			text_printf(out, "%s mtu %u up %d\n", s->st->upper[i].name, s->st->upper[i].mtu, s->st->upper[i].up);
	for (unsigned i = 0; i < SIM_CM_DIRS; i++)
		if (s->st->cm_dir[i][0])
			text_printf(out, "configfs %s\n", s->st->cm_dir[i]);
	text_add(out, "modules ");
	for (uint32_t m = s->st->modules, bit = 0; m; m >>= 1, bit++)
		if (m & 1)
			text_printf(out, "%u ", bit);
	text_char(out, '\n');
	snapshot_files(s, out);
	sim_unlock(s);
}

uint64_t sim_digest(struct sim *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	uint64_t h = 14695981039346656037u;	/* FNV-1a */

	sim_snapshot(s, &t);
	for (size_t i = 0; i < t.n; i++)
		h = (h ^ (uint8_t)t.s[i]) * 1099511628211u;
	return h;
}
