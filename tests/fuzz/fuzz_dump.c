/* SPDX-License-Identifier: Apache-2.0 */
/* A dump file, and the inventory of the machine that it pretends to be. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diag.h"
#include "inventory/inventory.h"
#include "kernel/configfs.h"
#include "kernel/dcbnl.h"
#include "kernel/dump.h"
#include "kernel/kernel.h"
#include "kernel/pci.h"
#include "model/catalog.h"
#include "model/facts.h"

static const char *const nobody[] = { NULL };
static const struct vendor any = { .name = "any", .drivers = nobody };
static const struct vendor *const vendors[] = { &any };
static const struct catalog one_vendor = { .vendor = vendors, .nvendors = 1 };

static void look(struct kernel *k, const struct port *p)
{
	const struct dcb *dcb;
	const struct pci_hop *hop;
	struct rdma_cm_defaults cm;
	struct gid_entry gid[16];
	uint32_t speed, width;
	size_t n;

	if (!p->vendor)
		abort();
	dcbnl_get(k, p->ifname, &dcb);
	pci_now(k, p->pci_path, &speed, &width);
	pci_hops(k, p->pci_path, &hop, &n);
	configfs_get_rdma_cm(k, p->ibdev, p->ibport, &cm);
	if (kernel_gids(k, p->ibdev, gid, 16, &n) == 0 && n > 16)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *a = arena_new();
	struct dump_header h;
	struct facts *facts;
	struct kernel *k;
	struct diags d;

	diags_init(&d, a);
	k = kernel_replay(a, "fuzz.dump", (const char *)data, n, &h, &d);
	if (!k && !d.errors)
		abort();
	if (k && inventory_take(k, a, &one_vendor, h.hostname, &facts, &d) == 0)
		for (size_t i = 0; i < facts->nports; i++)
			look(k, &facts->port[i]);
	arena_free(a);
	return 0;
}
