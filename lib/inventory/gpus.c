/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs by their PCI class, for policies that number ports by them. Every PCI function has to be asked for its class, so
 * this is done only where a policy needs it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "inventory/inventory.h"
#include "inventory/ports.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define DEVICES "sys/bus/pci/devices"

/* PCI class codes: 3D controllers and accelerators; VGA controllers only of those who make GPUs, for servers have others. */
static bool is_gpu(struct kernel *k, const char *name)
{
	const char *class, *vendor;

	if (!files_component(name) || files_text(k, &class, DEVICES "/%s/class", name) < 0)
		return false;
	if (!strncmp(class, "0x0302", 6) || !strncmp(class, "0x1200", 6) || !strncmp(class, "0x0380", 6))
		return true;
	return !strncmp(class, "0x0300", 6) && files_text(k, &vendor, DEVICES "/%s/vendor", name) == 0 &&
	       (!strcmp(vendor, "0x10de") || !strcmp(vendor, "0x1002"));
}

/* By the address at the end of the path; a longer domain is a larger one. */
static int by_address(const void *x, const void *y)
{
	const char *a = strrchr(*(const char *const *)x, '/'), *b = strrchr(*(const char *const *)y, '/');
	size_t na = strlen(a), nb = strlen(b);

	return na != nb ? (na < nb ? -1 : 1) : strcmp(a, b);
}

void inventory_gpus(struct kernel *k, struct arena *a, struct facts *f)
{
	struct {
		const char **at;
		size_t n, room;
	} gpus = { 0 };
	struct ports l = { .arena = a, .k = k };
	struct names names;
	int err;

	if (kernel_list(k, DEVICES, &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		const char *path = is_gpu(k, names.at[i]) ? device_path(&l, DEVICES, names.at[i], &err) : NULL;

		if (path && strchr(path, '/'))
			list_add(&gpus, a) = path;
	}
	if (gpus.n)
		qsort(gpus.at, gpus.n, sizeof(*gpus.at), by_address);
	f->gpu = gpus.at;
	f->ngpus = gpus.n;
}
