/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of udev that set an MTU: ATTR{mtu}="9000", when the device appears. The .link file of the device is applied among
 * them, by 80-net-setup-link.rules: a file whose name sorts behind that beats it. What a rule may set (its conditions cannot
 * be judged here, or it runs a program) is no claim, and told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "boot/netcfg_parts.h"
#include "boot/udev.h"
#include "kernel/kernel.h"

#define OWNER "systemd-udevd (a rule)"

void udev_rules_load(struct netcfg *n)
{
	int r = udev_load(n->k, UDEV_ALL, &n->udev);

	if (r < 0)
		netcfg_unread(n, "etc/udev/rules.d", strerror(-r));
}

/* As sysfs takes it, in C's bases; false: the kernel refuses it. */
static bool number(const char *s, uint32_t *mtu)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (*s < '0' || *s > '9' || *end || errno || !v || v > UINT32_MAX)
		return false;
	*mtu = (uint32_t)v;
	return true;
}

static bool is_link_file(const struct netcfg_claim *c)
{
	return c->when == NETCFG_APPEARS && !c->doubt;
}

static void add_may(const struct netcfg *n, const struct udev_act *act, uint32_t mtu, const char *why, struct mays *m)
{
	list_add(m, n->k->arena) = (struct netcfg_may){ act->pos, mtu, why };
}

void udev_rules_claims(const struct netcfg *n, const struct netcfg_link *l, struct claims *c, struct mays *m)
{
	struct udev_device d = udev_netdev(n->k, l);
	struct udev_acts acts = { 0 };
	size_t nlinks = c->n;

	if (!n->udev)
		return;
	udev_attr(n->udev, &d, "mtu", &acts);
	m->unread = acts.unread;
	for (size_t i = 0; i < acts.n; i++) {
		const struct udev_act *act = &acts.at[i];
		bool behind = strcmp(act->file, UDEV_NAMES_LINKS) > 0, beaten = false;
		uint32_t mtu = 0;

		if (act->value && !number(act->value, &mtu) && !act->doubt)
			continue;
		if (act->doubt) {
			add_may(n, act, mtu, act->doubt, m);
			continue;
		}
		for (size_t j = 0; j < c->n; j++)
			if (is_link_file(&c->at[j]) && (behind || j >= nlinks))
				c->at[j].counts = false;
			else if (is_link_file(&c->at[j]))
				beaten = true;
		claim(n, c, OWNER, &act->pos, mtu, NETCFG_APPEARS, NULL);
		c->at[c->n - 1].counts = !beaten;
	}
}
