/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ifcfg files (MTU=), read by the network scripts of Red Hat's kin, by their NetworkManager, and by SUSE's wicked; and
 * the interface manager of the vendor's RDMA stack, which for Ethernet sets no MTU: with SET_IPOIB_CM=yes (or auto, on
 * mlx5) in /etc/infiniband/openib.conf it puts IPoIB netdevs into connected mode with the MTU that ifcfg or ifupdown
 * say, else IPOIB_MTU, else 65520.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define SCRIPTS "etc/sysconfig/network-scripts/"

enum { WORD = 256, CONNECTED_MTU = 65520 };

/* KEY=VALUE as a shell assigns it, the last one; quotes taken off, variables not looked into. */
static bool assigned(const struct source *s, const char *key, char *value, size_t room, struct pos *pos)
{
	struct confd_line l = { .source = s };
	size_t n = strlen(key);
	bool any = false;

	while (confd_line(&l)) {
		const char *rest;

		if (l.n <= n || strncmp(l.s, key, n) || l.s[n] != '=')
			continue;
		rest = l.s + n + 1;
		value[0] = 0;
		if (rest < l.s + l.n && !strchr(" \t#", *rest))
			word_next(&rest, " \t\r\n;#", value, room);
		if (pos)
			*pos = confd_pos(&l, l.s, l.n);
		any = true;
	}
	return any && *value;
}

/* --- ifcfg ----------------------------------------------------------------------- */

static bool left_over(const char *name)
{
	static const char *const endings[] = { "~", ".bak", ".orig", ".rpmnew", ".rpmsave", ".rpmorig", ".old", ".swp",
					       ".scpmbackup" };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t len = strlen(endings[i]);

		if (n > len && !strcmp(name + n - len, endings[i]))
			return true;
	}
	return strncmp(name, "ifcfg-", 6) != 0;
}

void ifcfg_load(struct netcfg *n)
{
	static const char *const dirs[] = { "etc/sysconfig/network-scripts", "etc/sysconfig/network", NULL };
	static const char *const suffixes[] = { "", NULL };
	int r = confd_dirs(n->k, dirs, suffixes, &n->ifcfg);

	if (r < 0)
		netcfg_unread(n, dirs[0], strerror(-r));
	for (size_t i = 0; r == 0 && i < n->ifcfg->n; i++)
		if (n->ifcfg->at[i].err && !left_over(n->ifcfg->at[i].name))
			netcfg_unread(n, n->ifcfg->at[i].path, strerror(-n->ifcfg->at[i].err));
	n->ofed = (files_exist(n->k, "usr/bin/mlnx_interface_mgr.sh") || files_exist(n->k, "bin/mlnx_interface_mgr.sh") ||
		   files_exist(n->k, "etc/init.d/openibd")) &&
		  ini_file(n->k, "etc/infiniband/openib.conf", &n->openib) == 0;
}

/* Files that nobody reads any more are left on many machines. */
static bool anybody_reads(const struct netcfg *n, const struct confd_file *f)
{
	if (!strncmp(f->path, SCRIPTS, strlen(SCRIPTS)))
		return n->nm || files_exist(n->k, SCRIPTS "ifup-eth");
	return files_exist(n->k, "usr/sbin/wicked") || files_exist(n->k, "sbin/wicked");
}

static bool for_netdev(const struct confd_file *f, const struct netdev *d)
{
	char value[WORD];

	if (assigned(&f->source, "DEVICE", value, sizeof(value), NULL))
		return !strcmp(value, d->l->ifname);
	if (assigned(&f->source, "HWADDR", value, sizeof(value), NULL))
		return !strcasecmp(value, d->permanent_mac);
	return !strcmp(f->name + 6, d->l->ifname);
}

static void ofed_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	const struct ini_line *cm = ini_last(&n->openib, "", "SET_IPOIB_CM"), *mtu = ini_last(&n->openib, "", "IPOIB_MTU");
	uint32_t bytes = CONNECTED_MTU;

	if (!n->ofed || !d->l->infiniband || !cm)
		return;
	if (strcmp(cm->value, "yes") && !(!strcmp(cm->value, "auto") && !strncmp(d->l->driver, "mlx5", 4)))
		return;
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].owner, "ifupdown") || !strcmp(c->at[i].owner, "ifcfg"))
			return;		/* it takes theirs */
	if (mtu)
		mtu_parse(mtu->value, &bytes);
	claim(n, c, "the vendor's interface manager (mlnx_interface_mgr)", mtu ? &mtu->pos : &cm->pos, bytes,
	      NETCFG_UP, NULL);
}

void ifcfg_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	for (size_t i = 0; n->ifcfg && i < n->ifcfg->n; i++) {
		const struct confd_file *f = &n->ifcfg->at[i];
		char value[WORD];
		struct pos pos;
		uint32_t mtu;

		if (left_over(f->name) || !for_netdev(f, d) || !anybody_reads(n, f))
			continue;
		if (assigned(&f->source, "MTU", value, sizeof(value), &pos) && mtu_parse(value, &mtu))
			claim(n, c, "ifcfg", &pos, mtu, NETCFG_UP, NULL);
	}
	ofed_claims(n, d, c);
}
