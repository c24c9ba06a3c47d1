/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks every program that may set an MTU, and says which of them is the last to do so. Speaks to the file door: the
 * programs' files, what udev keeps of a netdev (run/udev/data/nIFINDEX), and its address.
 */
#include "boot/netcfg.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

const char *netcfg_when_name(enum netcfg_when w)
{
	switch (w) {
	case NETCFG_APPEARS:
		return "when the device appears";
	case NETCFG_MADE:
		return "when it makes the device";
	case NETCFG_UP:
		break;
	}
	return "whenever it brings the link up";
}

void netcfg_unread(struct netcfg *n, const char *path, const char *why)
{
	if (!n->unread)
		n->unread = arena_printf(n->k->arena, "/%s: %s", text_safe(n->k->arena, path, strlen(path), 200), why);
}

void netcfg_cut(struct netcfg *n, const char *path, bool cut)
{
	if (cut)
		netcfg_unread(n, path, "it holds more than is looked at");
}

void claim(const struct netcfg *n, struct claims *c, const char *owner, const struct pos *pos, uint32_t mtu,
	   enum netcfg_when when, const char *doubt)
{
	list_add(c, n->k->arena) = (struct netcfg_claim){ .owner = owner, .pos = *pos, .mtu = mtu, .when = when,
							  .doubt = doubt, .counts = true };
}

bool unit_enabled(struct kernel *k, const char *unit)
{
	static const char *const dirs[] = { "etc/systemd/system", "run/systemd/system", "run/systemd/generator",
					    "usr/lib/systemd/system" };
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *path = arena_printf(k->arena, "%s/multi-user.target.wants/%s.service", dirs[i], unit);

		if (kernel_link(k, path, &t) == 0)
			return true;
	}
	return false;
}

int netcfg_load(struct kernel *k, const struct netcfg **out)
{
	void **slot = kernel_memo(k, "netcfg");
	struct netcfg *n = *slot;

	if (!n) {
		struct names names;

		if (kernel_list(k, "etc/systemd/network", &names) == -ENODATA)
			return -ENODATA;
		n = arena_new_of(k->arena, struct netcfg);
		n->k = k;
		udev_rules_load(n);	/* a dump gets its own lines of those */
		k->keep = netcfg_keep;
		systemd_load(n);
		nm_load(n);
		netplan_load(n);
		ifupdown_load(n);
		ifcfg_load(n);
		k->keep = NULL;
		*kernel_memo(k, "netcfg") = n;
	}
	*out = n;
	return 0;
}

/* --- the netdev ------------------------------------------------------------------ */

bool netdev_property(const struct netdev *d, const char *key, char *value, size_t room)
{
	size_t n = strlen(key);

	for (const char *line = d->udev; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		if (strncmp(line, "E:", 2) || strncmp(line + 2, key, n) || line[2 + n] != '=')
			continue;
		line += 3 + n;
		n = strcspn(line, "\n");
		if (n >= room)
			return false;
		memcpy(value, line, n);
		value[n] = 0;
		return true;
	}
	return false;
}

static const char *small_letters(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

static const char *address(struct kernel *k, const char *ifname, const char *file)
{
	const char *text;

	return files_text(k, &text, "sys/class/net/%s/%s", ifname, file) == 0 ? small_letters(k->arena, text) : "";
}

/* DEVTYPE of its uevent, else what kind of link it is. */
static const char *type_of(struct kernel *k, const struct netcfg_link *l)
{
	const char *text, *at;

	if (files_text(k, &text, "sys/class/net/%s/uevent", l->ifname) == 0 && (at = strstr(text, "DEVTYPE=")))
		return arena_strndup(k->arena, at + 8, strcspn(at + 8, "\n"));
	if (*l->kind)
		return l->kind;
	return l->infiniband ? "infiniband" : "ether";
}

struct netdev netdev_of(struct kernel *k, const struct netcfg_link *l)
{
	struct netdev d = { .l = l, .mac = "", .permanent_mac = "", .type = type_of(k, l) };

	d.mac = address(k, l->ifname, "address");
	d.permanent_mac = address(k, l->ifname, "bonding_slave/perm_hwaddr");	/* a member wears its bond's address */
	if (!*d.permanent_mac)
		d.permanent_mac = d.mac;
	if (!l->ifindex || files_text(k, &d.udev, "run/udev/data/n%u", l->ifindex) < 0)
		d.udev = NULL;
	return d;
}

/* --- who wins -------------------------------------------------------------------- */

/* What is set each time the link comes up beats what was set once; of two such programs nobody knows which is last. */
static void find_those_that_count(struct claims *c)
{
	enum netcfg_when last = NETCFG_APPEARS;

	for (size_t i = 0; i < c->n; i++)
		if (!c->at[i].doubt && c->at[i].when > last)
			last = c->at[i].when;
	for (size_t i = 0; i < c->n; i++)
		c->at[i].counts &= c->at[i].when >= last;
}

static int weight(const struct netcfg_claim *c)
{
	return (c->counts ? 8 : 0) + (c->doubt ? 0 : 4) + (int)c->when;
}

static void sort(struct claims *c)
{
	for (size_t i = 1; i < c->n; i++)
		for (size_t j = i; j > 0 && weight(&c->at[j]) > weight(&c->at[j - 1]); j--) {
			const struct netcfg_claim other = c->at[j];

			c->at[j] = c->at[j - 1];
			c->at[j - 1] = other;
		}
}

void netcfg_mtu(const struct netcfg *n, const struct netcfg_link *l, struct netcfg_answer *out)
{
	struct claims c = { 0 };
	struct mays m = { 0 };
	struct netdev d;

	*out = (struct netcfg_answer){ .unread = n->unread };
	if (!files_component(l->ifname))
		return;
	d = netdev_of(n->k, l);
	systemd_claims(n, &d, &c);
	udev_rules_claims(n, l, &c, &m);
	nm_claims(n, &d, &c);
	netplan_claims(n, &d, &c);
	ifupdown_claims(n, &d, &c);
	ifcfg_claims(n, &d, &c);
	find_those_that_count(&c);
	sort(&c);
	*out = (struct netcfg_answer){ c.at, c.n, m.at, m.n, n->unread ? n->unread : m.unread };
}
