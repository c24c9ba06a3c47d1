/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rails: the ports of a group, numbered from 0 in the order of their PCI addresses, of their names, or of the GPUs that
 * they are nearest to. Which GPU is nearest, the PCI tree says: the one whose path has most steps in common.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/facts.h"
#include "policy/match.h"
#include "policy/tell.h"

struct place {
	const struct port *port;
	size_t index;			/* of the port in the facts, which are in the order of PCI addresses */
	size_t gpu;
};

static int by_pci(const void *x, const void *y)
{
	const struct place *p = x, *q = y;

	return p->index < q->index ? -1 : p->index > q->index;
}

/* ens2f0 comes before ens10f0. */
static int by_ifname(const void *x, const void *y)
{
	const struct place *p = x, *q = y;
	int order = strverscmp(p->port->name, q->port->name);

	return order ? order : by_pci(x, y);
}

static int by_gpu(const void *x, const void *y)
{
	const struct place *p = x, *q = y;

	return p->gpu != q->gpu ? p->gpu < q->gpu ? -1 : 1 : by_pci(x, y);
}

static int (*const orders[])(const void *x, const void *y) = {
	[RAILS_BY_PCI] = by_pci, [RAILS_BY_GPU] = by_gpu, [RAILS_BY_IFNAME] = by_ifname,
};

/* Whole steps that two paths begin with in common. */
static unsigned common(const char *x, const char *y)
{
	unsigned steps = 0;

	for (; *x && *x == *y; x++, y++)
		steps += *x == '/';
	return steps + ((!*x || *x == '/') && (!*y || *y == '/'));
}

static size_t nearest_gpu(const struct facts *f, const struct port *p)
{
	unsigned best = 0;
	size_t nearest = f->ngpus;

	for (size_t g = 0; g < f->ngpus; g++) {
		unsigned steps = common(p->pci_path, f->gpu[g]);

		if (steps > best) {
			best = steps;
			nearest = g;
		}
	}
	return nearest;
}

int match_rails(const struct part_of_layer *group, const struct facts *f, const bool *in, int *rail, struct diags *d)
{
	const struct item *by = group->item[GROUP_RAILS];
	struct place *place = arena_array_of(d->arena, struct place, f->nports);
	size_t n = 0;

	for (size_t i = 0; i < f->nports; i++)
		rail[i] = -1;
	if (!item_says(by))
		return 0;
	if (by->value.num == RAILS_BY_GPU && !f->ngpus) {
		tell_error(d, &by->pos, "number them by pci or ifname, or see why lspci shows no GPU here",
			   "group %s: rails by gpu: this machine shows no GPU", group->name);
		return -EINVAL;
	}
	for (size_t i = 0; i < f->nports; i++)
		if (in[i])
			place[n++] = (struct place){ &f->port[i], i, nearest_gpu(f, &f->port[i]) };
	if (n)
		qsort(place, n, sizeof(*place), orders[by->value.num]);
	for (size_t i = 0; i < n; i++)
		rail[place[i].index] = (int)i;
	return 0;
}
