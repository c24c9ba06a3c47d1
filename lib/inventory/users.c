/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who uses a port. A context or a connection identifier (CM ID) is held on a device, and nldev tells no port of it; a
 * queue pair has a port only from INIT on, and on iWARP none. So whatever has no port counts for every port of
 * its device: an idle port of a busy device is told busy rather than the other way round.
 */
#include "inventory/users.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "inventory/counters.h"
#include "inventory/ports.h"
#include "inventory/shares.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/rdmanl.h"
#include "model/facts.h"

#define WATCH_MS 1000u
#define VFS_MAX	 4096u

enum { PORT_DOWN = 1 };			/* as in sysfs "1: DOWN" */

struct device {
	uint32_t ibindex;
	const char *ibdev;
	const struct rdma_holder *holder[RDMA_RESOURCES];
	size_t n[RDMA_RESOURCES];
	enum rdma_resource failed;	/* what could not be asked, if err */
	int err;
};

/* One RDMA port of the machine, with what its counters said. */
struct watched {
	const struct rdma_port *rp;
	const struct device *dev;
	const struct port *owner;	/* NULL: it sits on no port of ours */
	bool watch;
	struct counters before, after;
	int err;
};

struct known {
	const char *bdf, *name;
	uint32_t ibport;
	struct use use;
};

struct users {
	struct arena *arena;
	struct kernel *k;
	const struct facts *f;
	uint32_t self;
	bool looked;
	struct { struct device *at; size_t n, room; } devices;
	struct { struct watched *at; size_t n, room; } ports;
	struct { struct known *at; size_t n, room; } known;
};

struct users *users_new(struct arena *a, uint32_t self)
{
	struct users *u = arena_new_of(a, struct users);

	u->arena = a;
	u->self = self;
	return u;
}

/* --- which RDMA ports are a port's ------------------------------------------- */

/* One RDMA device for a whole bond: found on one member, it is the others' as well. */
static bool shares_bond(const struct port *q, const struct port *p)
{
	return q != p && !*p->ibdev && p->master_ifindex && q->master_ifindex == p->master_ifindex;
}

/* A device that sits on the port's netdev, its bond, or a VLAN above either. */
static bool sits_above(const struct facts *f, const struct rdma_port *rp, const struct port *p)
{
	uint32_t at = rp->netdev_index;

	for (size_t depth = 0; at && depth <= f->nuppers; depth++) {
		const struct bond *upper;

		if (at == p->ifindex || at == p->master_ifindex)
			return true;
		upper = facts_upper(f, at);
		at = upper ? upper->lower_ifindex : 0;
	}
	return false;
}

static bool serves(const struct facts *f, const struct watched *w, const struct port *p)
{
	if (w->owner && (w->owner == p || device_rides(w->owner, p) || shares_bond(w->owner, p)))
		return true;
	return sits_above(f, w->rp, p);
}

static const struct port *owner_of(const struct facts *f, const struct rdma_port *rp)
{
	for (size_t i = 0; i < f->nports; i++)
		if (f->port[i].ibindex_known && f->port[i].ibindex == rp->ibindex && f->port[i].ibport == rp->port)
			return &f->port[i];
	return NULL;
}

/* --- who holds what ------------------------------------------------------------ */

static void ask_device(struct users *u, const struct rdma_port *rp)
{
	struct device d = { .ibindex = rp->ibindex, .ibdev = rp->ibdev };

	for (int what = 0; what < RDMA_RESOURCES; what++) {
		int r = rdmanl_holders(u->k, rp->ibindex, (enum rdma_resource)what, &d.holder[what], &d.n[what]);

		if (r < 0 && d.err == 0) {
			d.err = r;
			d.failed = (enum rdma_resource)what;
		}
	}
	list_add(&u->devices, u->arena) = d;
}

/* rdmactl's own, and the queue pairs of the kernel's management agents. */
static bool is_no_user(const struct users *u, enum rdma_resource what, const struct rdma_holder *h)
{
	if (!h->kernel)
		return h->pid && h->pid == u->self;
	return what == RDMA_QP && (h->type == RDMA_QPT_SMI || h->type == RDMA_QPT_GSI);
}

static void take_shares(struct users *u, const struct watched *w, struct shares *to)
{
	for (int what = 0; what < RDMA_RESOURCES; what++)
		for (size_t i = 0; i < w->dev->n[what]; i++) {
			const struct rdma_holder *h = &w->dev->holder[what][i];

			if ((h->port && h->port != w->rp->port) || is_no_user(u, (enum rdma_resource)what, h))
				continue;
			list_add(to, u->arena) = (struct share){ .what = (enum rdma_resource)what, .kernel = h->kernel,
								 .pid = h->pid, .n = 1 };
		}
}

/* --- counters ----------------------------------------------------------------- */

static bool serves_an_idle_one(struct users *u, const struct watched *w)
{
	for (size_t i = 0; i < u->known.n; i++)
		if (u->known.at[i].use.state == USE_IDLE && serves(u->f, w, &u->f->port[i]))
			return true;
	return false;
}

static void read_counters(struct users *u, struct watched *w, struct counters *to)
{
	if (w->watch && w->err == 0)
		w->err = counters_read(u->k, u->arena, w->rp->ibdev, w->rp->port, to);
}

/* Nothing moves over a port that is down; a second for each of twenty units at boot would be long. */
static bool is_down(const struct watched *w)
{
	return w->owner && w->owner->ib_state == PORT_DOWN;
}

/* Both readings, and the second between them; none if no counter could tell of a port that seems idle. */
static void watch_counters(struct users *u)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < u->ports.n; i++) {
		u->ports.at[i].watch = !is_down(&u->ports.at[i]) && serves_an_idle_one(u, &u->ports.at[i]);
		read_counters(u, &u->ports.at[i], &u->ports.at[i].before);
		any |= u->ports.at[i].before.n > 0;
	}
	if (!any)
		return;
	r = kernel_wait(u->k, WATCH_MS);
	for (size_t i = 0; i < u->ports.n; i++) {
		if (r < 0 && u->ports.at[i].err == 0)
			u->ports.at[i].err = r;
		read_counters(u, &u->ports.at[i], &u->ports.at[i].after);
	}
}

static struct use judge_counters(struct users *u, const struct port *p)
{
	struct use use = { .state = USE_IDLE };

	for (size_t i = 0; i < u->ports.n; i++) {
		const struct watched *w = &u->ports.at[i];
		const struct counter *moved;
		uint64_t from;

		if (!serves(u->f, w, p))
			continue;
		moved = w->err ? NULL : counters_moved(&w->before, &w->after, &from);
		if (moved)
			return (struct use){ USE_BUSY, arena_printf(u->arena, "%s of %s/%u moves: from %llu to %llu within a second",
								    moved->name, w->rp->ibdev, w->rp->port,
								    (unsigned long long)from, (unsigned long long)moved->value) };
		if (w->err)
			use = (struct use){ USE_UNKNOWN, arena_printf(u->arena, "counters of %s/%u: %s", w->rp->ibdev,
								      w->rp->port, strerror(-w->err)) };
	}
	return use;
}

/* --- all ports ------------------------------------------------------------------ */

/* Virtual functions that are handed to guests: who uses them there, nobody here can tell. */
static unsigned handed_out(struct users *u, const struct port *p)
{
	const char *vf, *driver;
	unsigned n = 0;

	for (unsigned i = 0; p->function == FUNCTION_PF && *p->pci_path && i < VFS_MAX; i++) {
		if (files_link(u->k, &vf, "%s/virtfn%u", p->pci_path, i) < 0)
			break;
		if (files_component(vf) && files_link(u->k, &driver, "sys/bus/pci/devices/%s/driver", vf) == 0)
			n += strstr(driver, "vfio") != NULL;
	}
	return n;
}

static const char *why_not_asked(struct users *u, const struct device *d)
{
	static const char *const names[] = {
		[RDMA_CONTEXT] = "open contexts", [RDMA_QP] = "queue pairs", [RDMA_CM_ID] = "CM IDs",
	};

	if (d->err == -ENODATA)
		return "who uses it is not recorded here";
	return arena_printf(u->arena, "%s of %s cannot be listed: %s%s", names[d->failed], d->ibdev, strerror(-d->err),
			    d->failed == RDMA_CONTEXT && d->err == -EINVAL ? " (Linux before 5.14 cannot)" : "");
}

static struct use judge_holders(struct users *u, const struct port *p)
{
	struct use use = { .state = USE_IDLE, .why = "it has no RDMA device" };
	struct shares all = { 0 };
	unsigned guests;

	for (size_t i = 0; i < u->ports.n; i++) {
		const struct watched *w = &u->ports.at[i];

		if (!serves(u->f, w, p))
			continue;
		take_shares(u, w, &all);
		if (w->dev->err)
			use = (struct use){ USE_UNKNOWN, why_not_asked(u, w->dev) };
		else if (use.state == USE_IDLE)
			use.why = NULL;
	}
	shares_sum_up(u->k, &all);
	if (all.n)
		return (struct use){ USE_BUSY, shares_text(u->k, u->arena, &all) };
	guests = use.state == USE_IDLE ? handed_out(u, p) : 0;
	if (guests)
		use = (struct use){ USE_UNKNOWN, arena_printf(u->arena, "%u of its virtual functions %s handed to guests (vfio)",
							      guests, guests == 1 ? "is" : "are") };
	return use;
}

static void all_alike(struct users *u, struct use use)
{
	for (size_t i = 0; i < u->known.n; i++)
		u->known.at[i].use = use;
}

static const struct device *device_of(struct users *u, const struct rdma_port *rp)
{
	for (size_t i = 0; i < u->devices.n; i++)
		if (u->devices.at[i].ibindex == rp->ibindex)
			return &u->devices.at[i];
	return NULL;
}

static void ask_all(struct users *u, const struct rdma_port *rp, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!i || rp[i].ibindex != rp[i - 1].ibindex)
			ask_device(u, &rp[i]);
	for (size_t i = 0; i < n; i++)
		list_add(&u->ports, u->arena) = (struct watched){ .rp = &rp[i], .dev = device_of(u, &rp[i]),
								  .owner = owner_of(u->f, &rp[i]) };
	for (size_t i = 0; i < u->known.n; i++)
		u->known.at[i].use = judge_holders(u, &u->f->port[i]);
	watch_counters(u);
	for (size_t i = 0; i < u->known.n; i++)
		if (u->known.at[i].use.state == USE_IDLE && !u->known.at[i].use.why)
			u->known.at[i].use = judge_counters(u, &u->f->port[i]);
}

static void look(struct users *u)
{
	const struct rdma_port *rp;
	size_t n;
	int r = rdmanl_ports(u->k, &rp, &n);

	u->looked = true;
	for (size_t i = 0; i < u->f->nports; i++) {
		const struct port *p = &u->f->port[i];

		list_add(&u->known, u->arena) = (struct known){ .bdf = p->bdf, .name = p->name, .ibport = p->ibport };
	}
	if (r == -EPROTONOSUPPORT)
		all_alike(u, (struct use){ USE_IDLE, "RDMA is not loaded" });
	else if (r == -ENODATA)
		all_alike(u, (struct use){ USE_UNKNOWN, "who uses it is not recorded here" });
	else if (r < 0)
		all_alike(u, (struct use){ USE_UNKNOWN, arena_printf(u->arena, "RDMA devices cannot be listed: %s", strerror(-r)) });
	else
		ask_all(u, rp, n);
}

/* A port by what outlives a reload: its PCI function and number, or its name where it has none. */
static bool is_same(const struct known *known, const struct port *p)
{
	if (*known->bdf || *p->bdf)
		return !strcmp(known->bdf, p->bdf) && (known->ibport == p->ibport || !known->ibport || !p->ibport);
	return !strcmp(known->name, p->name);
}

const struct use *users_of(struct users *u, struct kernel *k, const struct facts *f, const struct port *p)
{
	static const struct use newcomer = { USE_UNKNOWN, "it appeared after the ports had been looked at" };

	if (!u->looked) {
		u->k = k;
		u->f = f;
		look(u);
	}
	for (size_t i = 0; i < u->known.n; i++)
		if (is_same(&u->known.at[i], p))
			return &u->known.at[i].use;
	return &newcomer;
}
