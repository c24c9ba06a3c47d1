/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCIe links from sysfs: current and largest speed and width of each function between a card and its root port.
 * "Unknown", 0 and 255 are the kernel's words for not knowing, not numbers.
 */
#include "kernel/pci.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define HOPS_MAX  32
#define SPEED_MAX 1000000u /* MT/s */
#define LANES_MAX 32u

struct kept {
	const struct pci_hop *hop;
	size_t n;
};

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

static int read_width(struct kernel *k, const char *dir, const char *name, uint32_t *v)
{
	uint64_t lanes;
	int r = files_u64(k, &lanes, "%s/%s", dir, name);

	if (r == 0)
		*v = lanes <= LANES_MAX ? (uint32_t)lanes : 0;
	return r;
}

static const struct pci_hop *hop_of(struct kernel *k, const char *dir)
{
	char key[PATH_MAX + 8];
	struct pci_hop *h;
	void **slot;

	snprintf(key, sizeof(key), "pci:%s", dir);
	slot = kernel_memo(k, key);
	if (*slot)
		return *slot;
	*slot = h = arena_new_of(k->arena, struct pci_hop);
	h->bdf = arena_strdup(k->arena, strrchr(dir, '/') + 1);
	h->err = read_speed(k, dir, "current_link_speed", &h->speed_mts);
	if (h->err == 0)
		h->err = read_width(k, dir, "current_link_width", &h->width);
	if (h->err == 0)
		h->err = read_speed(k, dir, "max_link_speed", &h->max_speed_mts);
	if (h->err == 0)
		h->err = read_width(k, dir, "max_link_width", &h->max_width);
	return h;
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
	uint32_t speed = 0, lanes = 0;
	int r = read_speed(k, dir, "current_link_speed", &speed);

	if (r == 0)
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

static struct kept *hops_of(struct kernel *k, const char *path)
{
	struct kept *kept = arena_new_of(k->arena, struct kept);
	size_t end[HOPS_MAX];
	struct pci_hop *hop;
	char dir[PATH_MAX];

	if (strlen(path) >= sizeof(dir))
		return kept;
	kept->n = functions(path, end);
	kept->hop = hop = arena_array_of(k->arena, struct pci_hop, kept->n);
	for (size_t i = 0; i < kept->n; i++) {
		size_t at = end[kept->n - 1 - i];

		memcpy(dir, path, at);
		dir[at] = '\0';
		hop[i] = *hop_of(k, dir);
	}
	return kept;
}

int pci_hops(struct kernel *k, const char *pci_path, const struct pci_hop **hop, size_t *n)
{
	char key[PATH_MAX + 8];
	const struct kept *kept;
	void **slot;

	snprintf(key, sizeof(key), "hops:%.*s", PATH_MAX, pci_path);
	slot = kernel_memo(k, key);
	if (!*slot)
		*slot = hops_of(k, pci_path);
	kept = *slot;
	if (!kept->n)
		return -ENODEV;
	if (kept->hop[0].err < 0)
		return kept->hop[0].err;
	*hop = kept->hop;
	*n = kept->n;
	return 0;
}
