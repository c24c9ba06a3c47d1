/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a network or RDMA device sits on, from sysfs. One link tells the whole path; one uevent file tells driver
 * and ids, where asking for each would be three times as many calls.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "inventory/ports.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define NAME_MAX_SHOWN 128

/* @target as seen from the directory @from, without `..`; nothing lies above the root. */
static const char *join(struct arena *a, const char *from, const char *target)
{
	char out[PATH_MAX] = "";
	size_t n = 0;

	if (strlen(from) + strlen(target) + 2 > sizeof(out))
		return NULL;
	if (*target != '/')
		n = (size_t)snprintf(out, sizeof(out), "%s", from);
	for (const char *s = target; *s;) {
		size_t len = strcspn(s, "/");

		if (len == 2 && !memcmp(s, "..", 2)) {
			while (n && out[--n] != '/')
				;
		} else if (len && !(len == 1 && *s == '.')) {
			if (n)
				out[n++] = '/';
			memcpy(out + n, s, len);
			n += len;
		}
		out[n] = '\0';
		s += len;
		s += *s == '/';
	}
	return arena_strndup(a, out, n);
}

const char *device_path(struct ports *l, const char *class_dir, const char *name, int *err)
{
	TEXT_CLEANUP struct text target = { 0 };
	char path[PATH_MAX];
	const char *full;

	*err = -ENAMETOOLONG;
	if (snprintf(path, sizeof(path), "%s/%s", class_dir, name) >= (int)sizeof(path))
		return NULL;
	*err = kernel_link(l->k, path, &target);
	if (*err < 0)
		return NULL;
	full = join(l->arena, class_dir, text_str(&target));
	*err = full ? 0 : -ENAMETOOLONG;
	return full;
}

bool device_is_virtual(const char *path)
{
	return !strncmp(path, "sys/devices/virtual/", 20);
}

bool device_is_representor(const char *s)
{
	if (*s == 'c' && isdigit((unsigned char)s[1]))
		for (s++; isdigit((unsigned char)*s); s++)
			;
	return s[0] == 'p' && s[1] == 'f' && isdigit((unsigned char)s[2]);
}

/* "0000:27:00.0" */
static bool is_bdf(const char *s, size_t n)
{
	size_t domain = 0;

	while (domain < n && isxdigit((unsigned char)s[domain]))
		domain++;
	return domain >= 4 && n == domain + 8 && s[domain] == ':' && s[domain + 3] == ':' && s[domain + 6] == '.';
}

/* End of the last PCI function in @path, 0 if there is none. What hangs on USB is not its controller. */
static size_t pci_end(const char *path)
{
	size_t end = 0;

	for (const char *s = path; *s;) {
		size_t len = strcspn(s, "/");

		if (is_bdf(s, len))
			end = (size_t)(s - path) + len;
		else if (!strncmp(s, "usb", 3))
			return 0;
		s += len;
		s += *s == '/';
	}
	return end;
}

const char *device_pci_path(struct arena *a, const char *path)
{
	return arena_strndup(a, path, pci_end(path));
}

/* The value of KEY= in a uevent file, or NULL. */
static const char *uevent_value(struct arena *a, const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = text; *s;) {
		size_t len = strcspn(s, "\n");

		if (len > n && !memcmp(s, key, n) && s[n] == '=')
			return text_safe(a, s + n + 1, len - n - 1, NAME_MAX_SHOWN);
		s += len;
		s += *s == '\n';
	}
	return NULL;
}

static void take_ids(struct ports *l, struct port *p, const char *pci_id)
{
	unsigned vendor, device;
	uint64_t v;

	if (pci_id && sscanf(pci_id, "%4x:%4x", &vendor, &device) == 2) {
		p->pci_vendor = (uint16_t)vendor;
		p->pci_device = (uint16_t)device;
		return;
	}
	if (files_u64(l->k, &v, "%s/vendor", p->pci_path) == 0 && v <= UINT16_MAX)
		p->pci_vendor = (uint16_t)v;
	if (files_u64(l->k, &v, "%s/device", p->pci_path) == 0 && v <= UINT16_MAX)
		p->pci_device = (uint16_t)v;
}

static void take_driver(struct ports *l, struct port *p, const char *dir)
{
	const char *uevent, *name = NULL, *pci_id = NULL;

	if (files_text(l->k, &uevent, "%s/uevent", dir) == 0) {
		name = uevent_value(l->arena, uevent, "DRIVER");
		pci_id = uevent_value(l->arena, uevent, "PCI_ID");
	} else if (files_link(l->k, &name, "%s/driver", dir) == 0) {
		name = text_safe(l->arena, name, strlen(name), NAME_MAX_SHOWN);
	}
	if (name)
		p->driver = name;
	if (*p->pci_path)
		take_ids(l, p, pci_id);
}

static void take_numa(struct ports *l, struct port *p, const char *dir)
{
	const char *s;
	uint64_t node;

	/* "-1": the firmware did not say */
	if (files_text(l->k, &s, "%s/numa_node", dir) == 0 && text_u64(s, &node) && node < 65536)
		p->numa_node = (int)node;
}

/* A sub-function's device: "mlx5_core.sf.2" below the PCI function. Its name is its address on the auxiliary bus. */
static const char *sub_function(struct arena *a, const char *path, size_t end)
{
	const char *s = path + end + (path[end] == '/');
	size_t len = strcspn(s, "/");
	const char *sf = memmem(s, len, ".sf.", 4);

	return sf ? arena_strndup(a, s, len) : NULL;
}

static void take_function(struct ports *l, struct port *p, const char *path, size_t end)
{
	const char *physfn, *sf = sub_function(l->arena, path, end);

	p->function = FUNCTION_PF;
	if (sf) {
		p->function = FUNCTION_SF;
		p->bdf = sf;
	} else if (files_link(l->k, &physfn, "%s/physfn", p->pci_path) == 0) {
		p->function = FUNCTION_VF;
		p->physfn = text_safe(l->arena, physfn, strlen(physfn), NAME_MAX_SHOWN);
	}
}

void device_take(struct ports *l, struct port *p, const char *path)
{
	size_t end = pci_end(path);
	const char *class = strstr(path, "/net/");
	const char *dir;

	if (!class)
		class = strstr(path, "/infiniband/");
	if (end) {
		p->pci_path = arena_strndup(l->arena, path, end);
		p->bdf = strrchr(p->pci_path, '/') ? strrchr(p->pci_path, '/') + 1 : p->pci_path;
		dir = p->pci_path;
	} else if (class) {
		dir = arena_strndup(l->arena, path, (size_t)(class - path));
	} else {
		return;
	}
	take_driver(l, p, dir);
	take_numa(l, p, dir);
	if (end)
		take_function(l, p, path, end);
}

bool device_rides(const struct port *q, const struct port *p)
{
	if (q == p || !*p->bdf)
		return false;
	if (q->function == FUNCTION_VF)
		return !strcmp(q->physfn, p->bdf);
	if (q->function == FUNCTION_SF)
		return p->function == FUNCTION_PF && *q->pci_path && !strcmp(q->pci_path, p->pci_path);
	return false;
}
