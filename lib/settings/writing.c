/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writes of port settings share. Optics of 100 to 400 Gb/s train for seconds after a bounce (interfaces.md
 * 14), so a write that may toggle the link waits for it here.
 */
#include "settings/writing.h"

#include <errno.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/rtnl.h"

enum { WAIT_TRIES = 150, WAIT_MS = 100 };

bool writing_cell(const struct change_part *p, unsigned field)
{
	if (field >= p->want->n || p->want->at[field].state != CELL_VALUE)
		return false;
	return !p->differs || p->differs[field];
}

/* "eth0 (mlx5_0/1)", and behind it the file that a door named */
static const char *object_of(const struct target *t, const char *door, struct arena *a)
{
	const char *file = door && *door == '/' ? door : NULL, *colon = file ? ": " : "";
	const struct port *port = t->port;

	file = file ? file : "";
	if (port && *port->ibdev && *t->ifname)
		return arena_printf(a, "%s (%s/%u)%s%s", t->ifname, port->ibdev, port->ibport, colon, file);
	return arena_printf(a, "%s%s%s", t->name, colon, file);
}

int writing_told(const struct change *c, const struct cell *want, struct diags *d, size_t told, int r)
{
	struct diag *one;

	if (r >= 0)
		return r;
	if (d->n == told)
		diag_error(d, NULL, "cannot set %s", want ? want->name : c->object)->err = -r;
	one = &d->at[d->n - 1];
	if (!one->pos.source && want && want->pos.source)
		one->pos = want->pos;
	one->object = object_of(c->target, one->object, d->arena);
	return r;
}

static const struct rtnl_link *link_of(struct kernel *k, const struct target *t)
{
	return t->ifindex ? rtnl_link_by_index(k, t->ifindex) : rtnl_link(k, t->ifname);
}

/* "4: ACTIVE"; false also where nobody knows, and for a port without RDMA. */
static bool port_active(struct kernel *k, const struct target *t)
{
	const struct port *p = t->port;
	const char *text;

	return p && *p->ibdev && files_component(p->ibdev) &&
	       files_text(k, &text, "sys/class/infiniband/%s/ports/%u/state", p->ibdev, p->ibport) == 0 && *text == '4';
}

struct writing_link writing_link(struct kernel *k, const struct target *t)
{
	const struct rtnl_link *link = link_of(k, t);

	return (struct writing_link){ .carrier = link && link->up && link->carrier, .active = port_active(k, t) };
}

void writing_wait_link(struct kernel *k, const struct change *c, struct writing_link was, struct diags *d)
{
	struct writing_link now = { 0 };

	for (int try = 0; try < WAIT_TRIES && (was.carrier || was.active); try++) {
		now = writing_link(k, c->target);
		if ((now.carrier || !was.carrier) && (now.active || !was.active))
			return;
		if (!link_of(k, c->target))
			return;		/* gone: whoever reads it back says so */
		kernel_wait(k, WAIT_MS);
		kernel_renew(k);
	}
	if (!was.carrier && !was.active)
		return;
	diag_warning(d, NULL, "the %s did not come back within %d s of writing %s",
		     was.carrier && !now.carrier ? "link" : "RDMA port (state ACTIVE)", WAIT_TRIES * WAIT_MS / 1000, c->object);
	diag_object(d, "%s", c->target->name);
	diag_hint(d, "it was up before; look at the other end of the cable, and at the kernel log");
}
