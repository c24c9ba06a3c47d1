/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI. Each NIC has a domain of its own, as with the simulated adapter of tests/vm: root port, switch, the NIC at
 * DOMAIN:03:00.0 and a GPU at DOMAIN:04:00.0, each with its link files and its configuration space.
 */
#include "state.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum { RP, UP, DP0, DP1, NIC, GPU, FUNCTIONS };
#define CAP 0x40 /* where the PCI Express capability stands */

static const struct function {
	uint16_t vendor, device;
	uint32_t class;
	uint8_t type;			/* PCI_EXP_TYPE_* */
	const char *dir;		/* below pciDDDD:00, with the domain for each %1$04x */
	const char *bdf, *driver;	/* driver NULL: the NIC's own; "": none */
	struct pcie max;
} functions[FUNCTIONS] = {
#define ROOT "%1$04x:00:00.0"
#define SWITCH ROOT "/%1$04x:01:00.0"
	[RP] = { 0x1b36, 0x000c, 0x060400, PCI_EXP_TYPE_ROOT_PORT, ROOT, "%04x:00:00.0", "pcieport", { 5, 16 } },
	[UP] = { 0x1000, 0xc030, 0x060400, PCI_EXP_TYPE_UPSTREAM, SWITCH, "%04x:01:00.0", "pcieport", { 5, 16 } },
	[DP0] = { 0x1000, 0xc030, 0x060400, PCI_EXP_TYPE_DOWNSTREAM, SWITCH "/%1$04x:02:00.0", "%04x:02:00.0", "pcieport",
		  { 4, 16 } },
	[DP1] = { 0x1000, 0xc030, 0x060400, PCI_EXP_TYPE_DOWNSTREAM, SWITCH "/%1$04x:02:01.0", "%04x:02:01.0", "pcieport",
		  { 5, 16 } },
	[NIC] = { 0x15b3, 0x101d, 0x020000, PCI_EXP_TYPE_ENDPOINT, SWITCH "/%1$04x:02:00.0/%1$04x:03:00.0", "%04x:03:00.0",
		  NULL, { 4, 16 } },
	[GPU] = { 0x10de, 0x2330, 0x030200, PCI_EXP_TYPE_ENDPOINT, SWITCH "/%1$04x:02:01.0/%1$04x:04:00.0", "%04x:04:00.0",
		  "", { 5, 16 } },
};

/* A link has two ends: the NIC's is also the switch port's above it, the switch's upstream one the root port's. */
static struct pcie now_of(const struct nic *n, unsigned f)
{
	switch (f) {
	case NIC:
	case DP0:
		return n->hw.link;
	case UP:
	case RP:
		return n->hw.uplink;
	default:
		return functions[f].max;
	}
}

static struct pcie max_of(const struct nic *n, unsigned f)
{
	return f == DP0 ? n->hw.slot : functions[f].max;
}

static const char *const speeds[] = { "Unknown", "2.5 GT/s PCIe", "5.0 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe",
				      "32.0 GT/s PCIe", "64.0 GT/s PCIe" };

static const char *speed_text(uint8_t speed)
{
	return speeds[speed < sizeof(speeds) / sizeof(speeds[0]) ? speed : 0];
}

static int show_now_speed(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s\n", speed_text(now_of(n->nic, n->arg).speed));
	return 0;
}

static int show_now_width(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", now_of(n->nic, n->arg).width);
	return 0;
}

static int show_max_speed(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%s\n", speed_text(max_of(n->nic, n->arg).speed));
	return 0;
}

static int show_max_width(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%u\n", max_of(n->nic, n->arg).width);
	return 0;
}

static int show_vendor(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%04x\n", functions[n->arg].vendor);
	return 0;
}

static int show_device(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%04x\n", functions[n->arg].device);
	return 0;
}

static bool bridge(unsigned f)
{
	return functions[f].class == 0x060400;
}

static int show_subvendor(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%04x\n", bridge(n->arg) ? 0 : functions[n->arg].vendor);
	return 0;
}

static int show_subdevice(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%04x\n", bridge(n->arg) ? 0 : 0x0016);
	return 0;
}

static int show_class(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "0x%06x\n", functions[n->arg].class);
	return 0;
}

static int show_revision(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "0x00\n");
	return 0;
}

static int show_numa(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_printf(out, "%d\n", n->nic->numa);
	return 0;
}

static int show_cpus(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	text_add(out, n->nic->numa == 1 ? "2-3\n" : n->nic->numa == 0 ? "0-1\n" : "0-3\n");
	return 0;
}

static void put(uint8_t *at, unsigned size, uint32_t v)
{
	for (; size--; v >>= 8)
		*at++ = (uint8_t)v;
}

/* Without CAP_SYS_ADMIN the kernel gives the first 64 bytes. */
static int show_config(struct sim *s, const struct node *n, struct text *out)
{
	const struct function *f = &functions[n->arg];
	struct pcie max = max_of(n->nic, n->arg), now = now_of(n->nic, n->arg);
	uint8_t c[4096] = { 0 };

	put(c + PCI_VENDOR_ID, 2, f->vendor);
	put(c + PCI_DEVICE_ID, 2, f->device);
	put(c + PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	put(c + PCI_CLASS_REVISION, 4, f->class << 8);
	put(c + PCI_HEADER_TYPE, 1, bridge(n->arg));
	put(c + PCI_CAPABILITY_LIST, 1, CAP);
	put(c + CAP, 2, PCI_CAP_ID_EXP);
	put(c + CAP + PCI_EXP_FLAGS, 2, 2u | (uint32_t)f->type << 4);
	put(c + CAP + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_READRQ_512B | PCI_EXP_DEVCTL_PAYLOAD_256B);
	put(c + CAP + PCI_EXP_LNKCAP, 4, max.speed | (uint32_t)max.width << 4);
	put(c + CAP + PCI_EXP_LNKSTA, 2, now.speed | (uint32_t)now.width << 4);
	put(c + CAP + PCI_EXP_LNKCAP2, 4, (1u << (max.speed + 1)) - 2);
	text_addn(out, c, s->st->unprivileged ? 64 : sizeof(c));
	return 0;
}

static const struct { const char *name; uint16_t mode; node_show *show; } files[] = {
	{ "vendor", 0444, show_vendor },
	{ "device", 0444, show_device },
	{ "subsystem_vendor", 0444, show_subvendor },
	{ "subsystem_device", 0444, show_subdevice },
	{ "class", 0444, show_class },
	{ "revision", 0444, show_revision },
	{ "numa_node", 0644, show_numa },
	{ "local_cpulist", 0444, show_cpus },
	{ "current_link_speed", 0444, show_now_speed },
	{ "current_link_width", 0444, show_now_width },
	{ "max_link_speed", 0444, show_max_speed },
	{ "max_link_width", 0444, show_max_width },
	{ "config", 0644, show_config },
};

static const char *dir_of(struct sim *s, const struct nic *n, unsigned f)
{
	unsigned domain = nic_number(s, n) + 1;
	char below[128];

	snprintf(below, sizeof(below), functions[f].dir, domain);
	return tree_path(s, "sys/devices/pci%04x:00/%s", domain, below);
}

const char *pci_dir(struct sim *s, const struct nic *n)
{
	return dir_of(s, n, NIC);
}

static void function_add(struct sim *s, struct nic *n, unsigned f)
{
	const char *dir = dir_of(s, n, f), *driver = functions[f].driver ? functions[f].driver : s->st->driver;
	char bdf[16];

	snprintf(bdf, sizeof(bdf), functions[f].bdf, nic_number(s, n) + 1);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tree_file(s, n, files[i].mode, files[i].show, NULL, f, "%s/%s", dir, files[i].name);
	tree_link(s, tree_path(s, "%sbus/pci", tree_up(s, dir)), "%s/subsystem", dir);
	tree_link(s, tree_path(s, "../../../%s", dir + strlen("sys/")), "sys/bus/pci/devices/%s", bdf);
	if (!*driver)
		return;
	tree_link(s, tree_path(s, "%sbus/pci/drivers/%s", tree_up(s, dir), driver), "%s/driver", dir);
	tree_link(s, tree_path(s, "../../../../%s", dir + strlen("sys/")), "sys/bus/pci/drivers/%s/%s", driver, bdf);
}

void pcifiles_add(struct sim *s, struct nic *n)
{
	for (unsigned f = 0; f < FUNCTIONS; f++)
		if (f != NIC || n->present)
			function_add(s, n, f);
}
