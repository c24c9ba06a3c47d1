/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a port's user has consented to (law 7). Whether a port is in use is asked only where the answer decides: it
 * costs a second of watching counters, once a run, and only if a change is planned that traffic would notice.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/planning.h"

/* A bond's netdev is that of its members; a reload takes all ports of a function; the node has them all. */
static bool touches(const struct change *c, const struct port *p)
{
	const struct target *t = c->target;

	if (!t->port)
		return true;
	if (t->scope == SCOPE_NETDEV && t->ifindex && t->ifindex != t->port->ifindex && p->master_ifindex == t->ifindex)
		return true;
	if (c->impact == IMPACT_RELOAD && *p->bdf && !strcmp(p->bdf, t->port->bdf))
		return true;
	return p == t->port;
}

const struct port *consent_in_use(struct run *run, const struct change *c, const struct use **use, struct diags *d)
{
	for (size_t i = 0; run->in_use && i < run->facts->nports; i++) {
		const struct port *p = &run->facts->port[i];

		if (!touches(c, p))
			continue;
		*use = run->in_use(run, p, d);
		if ((*use)->state != USE_IDLE)
			return p;
	}
	return NULL;
}

static const char *why_in_use(struct arena *a, const struct port *p, const struct use *use)
{
	return arena_printf(a, "%s %s%s%s%s", p->name, use->state == USE_BUSY ? "is in use" : "may be in use",
			    use->why ? " (" : "", use->why ? use->why : "", use->why ? ")" : "");
}

/* The option that allows it, and lowers no limit. */
static const char *option_for(struct arena *a, const struct consent *has, enum impact impact, bool busy)
{
	enum impact idle = has->idle > impact ? has->idle : impact, in_use = busy && impact > has->busy ? impact : has->busy;

	if (!busy || idle == in_use)
		return arena_printf(a, "--allow %s", impact_name(idle));
	return arena_printf(a, "--allow %s/%s", impact_name(idle), impact_name(in_use));
}

static void limit(struct run *run, struct change *c, struct diags *d)
{
	const struct consent *has = &run->consent;
	const struct port *port = NULL;
	const struct use *use = NULL;
	const char *does = c->does ? arena_printf(c->arena, "%s (%s)", impact_name(c->impact), c->does) : impact_name(c->impact);

	if (c->impact <= has->idle && c->impact <= has->busy)
		return;
	if (c->impact <= has->idle || c->impact <= has->busy)
		port = consent_in_use(run, c, &use, d);
	if (c->impact <= (port ? has->busy : has->idle))
		return;
	if (port)
		change_refuse(c, REFUSED_ALLOW, "its impact is %s, and %s: allow it with %s", does,
			      why_in_use(c->arena, port, use), option_for(c->arena, has, c->impact, true));
	else
		change_refuse(c, REFUSED_ALLOW, "its impact is %s: allow it with %s", does,
			      option_for(c->arena, has, c->impact, false));
}

/* Told once: all changes have one reason. */
static bool refuse_all(struct run *run, struct change *const *change, size_t n, struct diags *d)
{
	const struct port *port = NULL;
	const struct use *use = NULL;
	const char *why;

	for (size_t i = 0; !port && i < n; i++)
		if (!change[i]->refused && change[i]->impact > IMPACT_NONE && change[i]->impact <= run->consent.idle)
			port = consent_in_use(run, change[i], &use, d);
	if (!port)
		return false;
	why = why_in_use(run->arena, port, use);
	for (size_t i = 0; i < n; i++)
		if (!change[i]->refused)
			change_refuse(change[i], REFUSED_ALLOW, "%s, and --if-idle was given: nothing is done", why);
	diag_error(d, NULL, "%s: nothing is done (--if-idle)", why);
	diag_hint(d, "wait until nobody uses the port, or give --allow IDLE/BUSY without --if-idle");
	return true;
}

void consent_limit(struct run *run, struct change *const *change, size_t n, struct diags *d)
{
	if (run->consent.if_idle && refuse_all(run, change, n, d))
		return;
	for (size_t i = 0; i < n; i++)
		if (!change[i]->refused)
			limit(run, change[i], d);
}
