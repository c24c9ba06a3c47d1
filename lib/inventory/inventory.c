/* SPDX-License-Identifier: Apache-2.0 */
/* The host, and its ports in order: found by netlink or by files, completed from devlink and ethtool. */
#include "inventory/inventory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/units.h"
#include "inventory/ports.h"
#include "kernel/devlink.h"
#include "kernel/ethnl.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "model/catalog.h"

#define HOSTNAME_SHOWN 255

struct port *ports_add(struct ports *l)
{
	list_add(l, l->arena) = (struct port){
		.name = "", .ifname = "", .master = "", .ibdev = "", .protocol = "", .node_desc = "", .fw_version = "",
		.bdf = "", .pci_path = "", .driver = "", .board = "", .physfn = "", .numa_node = -1,
	};
	return &l->at[l->n - 1];
}

void ports_software(struct ports *l, struct port *p, const char *driver)
{
	if (catalog_vendor(l->catalog, p->driver) == l->catalog->vendor[l->catalog->nvendors - 1])
		p->driver = driver;
}

static int read_line(struct kernel *k, struct arena *a, const char *path, const char **line)
{
	const char *s;
	int r = files_text(k, &s, "%s", path);

	if (r < 0)
		return r;
	*line = text_safe(a, s, text_trim(s, strcspn(s, "\n")), HOSTNAME_SHOWN);
	return 0;
}

/* A tree has its node's name in etc/hostname; its proc, if any, may be another machine's. */
static const char *hostname_of(struct kernel *k, struct arena *a)
{
	const char *name;

	if (k->files_only && read_line(k, a, "etc/hostname", &name) == 0 && *name)
		return name;
	if (read_line(k, a, "proc/sys/kernel/hostname", &name) == 0)
		return name;
	return "";
}

static void take_host(struct kernel *k, struct arena *a, const char *hostname, struct facts *f)
{
	char when[UNITS_UTC];

	f->hostname = hostname ? hostname : hostname_of(k, a);
	f->kernel = f->boot_id = "";
	read_line(k, a, "proc/sys/kernel/osrelease", &f->kernel);
	read_line(k, a, "proc/sys/kernel/random/boot_id", &f->boot_id);
	f->observed_s = k->observed_s ? k->observed_s : time(NULL);
	units_utc(f->observed_s, when);
	f->observed_at = arena_strdup(a, when);
}

static int read_of_ibdev(struct kernel *k, struct arena *a, const char *ibdev, const char *name, const char **line)
{
	if (!files_component(ibdev))
		return -ENODEV;
	return read_line(k, a, arena_printf(a, "sys/class/infiniband/%s/%s", ibdev, name), line);
}

/* Board by devlink's names for it: PSID, or part number; what RDMA itself says where there is no devlink. */
static const char *board_of(struct kernel *k, struct arena *a, const struct port *p, const struct devlink_info *info)
{
	static const char *const names[] = { "fw.psid", "board.id" };
	const char *s;

	for (size_t n = 0; info && n < sizeof(names) / sizeof(names[0]); n++)
		for (size_t i = 0; i < info->nversions; i++)
			if (info->version[i].kind == DEVLINK_FIXED && !strcmp(info->version[i].name, names[n]))
				return info->version[i].value;
	return !info && *p->bdf && read_of_ibdev(k, a, p->ibdev, "board_id", &s) == 0 ? s : "";
}

static void complete(struct kernel *k, struct arena *a, const struct catalog *c, struct port *p)
{
	const struct devlink_info *info = NULL;
	const struct ethnl_mode *mode;
	const char *s;
	int err;

	if (*p->bdf)
		info = devlink_info(k, p->bdf, &err);
	if (info && !*p->driver)
		p->driver = info->driver;
	p->board = board_of(k, a, p, info);
	mode = p->ifindex && !k->files_only ? ethnl_mode(k, p->ifindex, &err) : NULL;
	if (mode && mode->speed_mbps != UINT32_MAX)
		p->speed_mbps = mode->speed_mbps;
	if (p->link_layer == LINK_LAYER_INFINIBAND && read_of_ibdev(k, a, p->ibdev, "node_desc", &s) == 0)
		p->node_desc = s;
	p->vendor = catalog_vendor(c, p->driver);
}

/* By PCI address (a longer domain is a larger one), then port number, then name; ports without an address last. */
static int in_order(const void *one, const void *other)
{
	const struct port *a = one, *b = other;
	size_t na = strlen(a->bdf), nb = strlen(b->bdf);
	int r;

	if (!na != !nb)
		return na ? -1 : 1;
	if (na != nb)
		return na < nb ? -1 : 1;
	r = strcmp(a->bdf, b->bdf);
	if (!r && a->ibport != b->ibport)
		r = a->ibport < b->ibport ? -1 : 1;
	return r ? r : strcmp(a->name, b->name);
}

int inventory_take(struct kernel *k, struct arena *a, const struct catalog *c, const char *hostname,
		   struct facts **facts, struct diags *d)
{
	struct ports l = { .arena = a, .k = k, .catalog = c };
	struct facts *f = arena_new_of(a, struct facts);
	int r = k->files_only ? -ENODATA : ports_from_netlink(&l);

	if (r < 0)
		r = ports_from_sysfs(&l);
	take_host(k, a, hostname, f);
	if (r < 0 && !*f->kernel) {
		struct diag *one = diag_error(d, NULL, "cannot learn anything about this machine");

		one->err = -r;
		diag_hint(d, "neither netlink nor /sys/class/net can be read here");
		return r;
	}
	for (size_t i = 0; i < l.n; i++)
		complete(k, a, c, &l.at[i]);
	if (l.n)
		qsort(l.at, l.n, sizeof(*l.at), in_order);
	f->port = l.at;
	f->nports = l.n;
	f->upper = l.upper.at;
	f->nuppers = l.upper.n;
	f->rdma = l.rdma;
	f->rdma_why = l.rdma ? NULL : l.rdma_why;
	f->rdma_err = l.rdma ? 0 : l.rdma_err;
	*facts = f;
	return 0;
}
