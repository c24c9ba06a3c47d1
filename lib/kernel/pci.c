/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCIe links from sysfs: current and largest speed and width of each function between a card and its root port. Root
 * finds all four in the function's config space, at a quarter of the cost of four attributes; who may not read it, and
 * whatever is not plain there (a function that sleeps or vanished reads as ones), asks the attributes.
 * "Unknown", 0 and 255 are the kernel's words for not knowing, not numbers.
 */
#include "kernel/pci.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define HOPS_MAX  32
#define SPEED_MAX 1000000u /* MT/s */
#define LANES_MAX 32u

#define CONFIG_SIZE	 256u
#define CONFIG_FIRST	 0xa0u	/* up to here in one read: each dword is one across PCIe, and most capabilities are there */
#define CAPABILITIES_MAX 48

uint32_t pci_speed_parse(const char *s)
{
	uint64_t v = 0, unit = 1000;

	if (!isdigit((unsigned char)*s))
		return 0;
	for (; isdigit((unsigned char)*s) && v < SPEED_MAX; s++)
		v = v * 10 + (unsigned)(*s - '0') * 1000u;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++) {
			unit /= 10;
			v += (unsigned)(*s - '0') * unit;
		}
	return !strncmp(s, " GT/s", 5) && v <= SPEED_MAX ? (uint32_t)v : 0;
}

/* Domain of four or more hex digits, bus, device, function. */
static bool is_bdf(const char *s, size_t n)
{
	static const char tail[] = "xx:xx.x";
	size_t domain = 0;

	while (domain < n && isxdigit((unsigned char)s[domain]))
		domain++;
	if (domain < 4 || domain > 8 || n != domain + 1 + sizeof(tail) - 1 || s[domain] != ':')
		return false;
	for (size_t i = 0; tail[i]; i++) {
		char c = s[domain + 1 + i];

		if (tail[i] == 'x' ? !isxdigit((unsigned char)c) : c != tail[i])
			return false;
	}
	return true;
}

static int read_speed(struct kernel *k, const char *dir, const char *name, uint32_t *v)
{
	const char *s;
	int r = files_text(k, &s, "%s/%s", dir, name);

	if (r == 0)
		*v = pci_speed_parse(s);
	return r;
}

static uint32_t lanes_of(uint64_t lanes)
{
	return lanes <= LANES_MAX ? (uint32_t)lanes : 0;
}

static int read_width(struct kernel *k, const char *dir, const char *name, uint32_t *v)
{
	uint64_t lanes;
	int r = files_u64(k, &lanes, "%s/%s", dir, name);

	if (r == 0)
		*v = lanes_of(lanes);
	return r;
}

/* --- config space ------------------------------------------------------------------- */

struct config {
	struct kernel *k;
	const char *path;
	uint8_t byte[CONFIG_SIZE];
	size_t have;			/* read up to here, from PCI_CAPABILITY_LIST on */
};

/* Are the bytes below @end there? Others than root see no more than the first 64. */
static bool config_reaches(struct config *c, size_t end)
{
	while (c->have < end && end <= CONFIG_SIZE) {
		size_t upto = c->have < CONFIG_FIRST ? CONFIG_FIRST : CONFIG_SIZE;
		int got = kernel_read_at(c->k, c->path, (uint32_t)c->have, c->byte + c->have, upto - c->have);

		if (got <= 0)
			return false;
		c->have += (size_t)got;
	}
	return end <= CONFIG_SIZE;
}

static unsigned config_u16(const struct config *c, size_t at)
{
	return c->byte[at] | (unsigned)c->byte[at + 1] << 8;
}

/* Where the PCI Express capability is; 0: none that could be read. */
static size_t express_capability(struct config *c)
{
	size_t at = 0;

	if (config_reaches(c, PCI_CAPABILITY_LIST + 1))
		at = c->byte[PCI_CAPABILITY_LIST] & ~3u;
	for (int i = 0; i < CAPABILITIES_MAX && at >= PCI_STD_HEADER_SIZEOF; i++) {
		if (!config_reaches(c, at + 2) || c->byte[at] == 0xff)
			return 0;
		if (c->byte[at] == PCI_CAP_ID_EXP)
			return at;
		at = c->byte[at + PCI_CAP_LIST_NEXT] & ~3u;
	}
	return 0;
}

static bool has_link(unsigned flags)
{
	switch ((flags & PCI_EXP_FLAGS_TYPE) >> 4) {
	case PCI_EXP_TYPE_ENDPOINT:
	case PCI_EXP_TYPE_LEG_END:
	case PCI_EXP_TYPE_ROOT_PORT:
	case PCI_EXP_TYPE_UPSTREAM:
	case PCI_EXP_TYPE_DOWNSTREAM:
		return true;
	}
	return false;
}

/* MT/s of the link registers' codes, which are also the bits of "supported speeds"; false: a code of the future */
static bool speed_of(unsigned code, uint32_t *mts)
{
	static const uint32_t speeds[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };

	if (code >= sizeof(speeds) / sizeof(speeds[0]))
		return false;
	*mts = speeds[code];
	return true;
}

static bool largest_speed(unsigned supported, unsigned code, uint32_t *mts)
{
	unsigned highest = 0;

	for (unsigned i = 1; i <= 7; i++)
		if (supported >> i & 1)
			highest = i;
	return speed_of(highest ? highest : code, mts);
}

static bool read_config(struct kernel *k, const char *dir, struct pci_hop *h)
{
	char path[PATH_MAX + 8];
	struct config c = { .k = k, .path = path, .have = PCI_CAPABILITY_LIST };
	unsigned flags, status, can, supported = 0;
	size_t at;

	snprintf(path, sizeof(path), "%s/config", dir);
	at = express_capability(&c);
	if (!at || !config_reaches(&c, at + PCI_EXP_LNKSTA + 2))
		return false;
	flags = config_u16(&c, at + PCI_EXP_FLAGS);
	if (!has_link(flags))
		return false;
	if ((flags & PCI_EXP_FLAGS_VERS) >= 2) {	/* the first version ends before it */
		if (!config_reaches(&c, at + PCI_EXP_LNKCAP2 + 2))
			return false;
		supported = config_u16(&c, at + PCI_EXP_LNKCAP2);
	}
	status = config_u16(&c, at + PCI_EXP_LNKSTA);
	can = config_u16(&c, at + PCI_EXP_LNKCAP);
	if (!speed_of(status & PCI_EXP_LNKSTA_CLS, &h->speed_mts) ||
	    !largest_speed(supported, can & PCI_EXP_LNKCAP_SLS, &h->max_speed_mts))
		return false;
	h->width = lanes_of((status & PCI_EXP_LNKSTA_NLW) >> PCI_EXP_LNKSTA_NLW_SHIFT);
	h->max_width = lanes_of((can & PCI_EXP_LNKCAP_MLW) >> 4);
	return true;
}

/* --- hops --------------------------------------------------------------------------- */

static int read_attributes(struct kernel *k, const char *dir, struct pci_hop *h)
{
	int r = read_speed(k, dir, "current_link_speed", &h->speed_mts);

	if (r == 0)
		r = read_width(k, dir, "current_link_width", &h->width);
	if (r == 0)
		r = read_speed(k, dir, "max_link_speed", &h->max_speed_mts);
	if (r == 0)
		r = read_width(k, dir, "max_link_width", &h->max_width);
	return r;
}

struct kept {
	struct pci_hop hop;
	bool known;
};

/* What is known of a function without asking its attributes; each is looked at once an observation. */
static struct kept *hop_kept(struct kernel *k, const char *dir)
{
	const char *bdf = strrchr(dir, '/') + 1;
	char key[32] = "pci:";
	struct kept *kept;
	void **slot;

	memcpy(key + 4, bdf, strnlen(bdf, sizeof(key) - 5));
	slot = kernel_memo(k, key);
	if (*slot)
		return *slot;
	*slot = kept = arena_new_of(k->arena, struct kept);
	kept->hop.bdf = arena_strdup(k->arena, bdf);
	kept->known = read_config(k, dir, &kept->hop);
	return kept;
}

static const struct pci_hop *hop_of(struct kernel *k, const char *dir)
{
	struct kept *kept = hop_kept(k, dir);

	if (!kept->known)
		kept->hop.err = read_attributes(k, dir, &kept->hop);
	kept->known = true;
	return &kept->hop;
}

/* Ends of the path's PCI functions, from the root port on; what hangs below the card (a sub-function) is left out. */
static size_t functions(const char *path, size_t end[HOPS_MAX])
{
	size_t n = 0;

	for (const char *s = path; *s;) {
		size_t len = strcspn(s, "/");

		if (is_bdf(s, len)) {
			if (n == HOPS_MAX)
				return 0;
			end[n++] = (size_t)(s - path) + len;
		}
		s += len;
		s += *s == '/';
	}
	return n;
}

static int link_now(struct kernel *k, const char *dir, uint32_t *speed_mts, uint32_t *width)
{
	const struct kept *kept = hop_kept(k, dir);
	uint32_t speed = kept->hop.speed_mts, lanes = kept->hop.width;
	int r = kept->hop.err;

	if (!kept->known)
		r = read_speed(k, dir, "current_link_speed", &speed);
	if (!kept->known && r == 0)
		r = read_width(k, dir, "current_link_width", &lanes);
	if (speed < *speed_mts)
		*speed_mts = speed;
	if (lanes < *width)
		*width = lanes;
	return r;
}

int pci_now(struct kernel *k, const char *pci_path, uint32_t *speed_mts, uint32_t *width)
{
	uint32_t speed = UINT32_MAX, lanes = UINT32_MAX;
	size_t end[HOPS_MAX], n;
	int r = 0;

	if (strlen(pci_path) >= PATH_MAX)
		return -ENAMETOOLONG;
	n = functions(pci_path, end);
	if (!n)
		return -ENODEV;
	/* from the card on every other function: the lower end of its link, the next one being the upper */
	for (size_t i = n; r == 0 && i > 0; i = i > 2 ? i - 2 : 0) {
		char dir[PATH_MAX];

		memcpy(dir, pci_path, end[i - 1]);
		dir[end[i - 1]] = '\0';
		r = link_now(k, dir, &speed, &lanes);
	}
	if (r < 0)
		return r;
	*speed_mts = speed;
	*width = lanes;
	return 0;
}

int pci_hops(struct kernel *k, const char *pci_path, const struct pci_hop **hop, size_t *n)
{
	size_t end[HOPS_MAX], count;
	struct pci_hop *all;
	char dir[PATH_MAX];

	if (strlen(pci_path) >= sizeof(dir))
		return -ENODEV;
	count = functions(pci_path, end);
	if (!count)
		return -ENODEV;
	all = arena_array_of(k->arena, struct pci_hop, count);
	for (size_t i = 0; i < count; i++) {
		size_t at = end[count - 1 - i];

		memcpy(dir, pci_path, at);
		dir[at] = '\0';
		all[i] = *hop_of(k, dir);
	}
	if (all[0].err < 0)
		return all[0].err;
	*hop = all;
	*n = count;
	return 0;
}
