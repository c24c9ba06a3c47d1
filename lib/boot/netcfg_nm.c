/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NetworkManager: profiles (key files of /etc, /run and /usr/lib), of which it says in run/NetworkManager/devices/IFINDEX
 * which one is up on a netdev. Before it ran, the one that fits and starts by itself with the highest priority will be.
 * mtu=0, the default, leaves the MTU alone; a default of [connection] in its configuration stands in for it. What is
 * unmanaged (unmanaged-devices, [device] managed=0, NM_UNMANAGED of udev) is not touched. A profile kept in memory alone
 * has no file, and no MTU that anybody could read here.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { PROFILES_MAX = 2048, WORD = 256 };

#define OWNER "NetworkManager"

/* --- reading --------------------------------------------------------------------- */

/* Its configuration: packages' files, those of this boot, the main one, the administrator's; the last one wins. */
static void load_conf(struct netcfg *n)
{
	static const char *const dirs[] = { "etc/NetworkManager/conf.d", "run/NetworkManager/conf.d",
					    "usr/lib/NetworkManager/conf.d", NULL };
	static const char *const suffixes[] = { ".conf", NULL };
	const struct confd *c;

	if (confd_dirs(n->k, dirs, suffixes, &c) < 0)
		return;
	for (size_t pass = 3; pass-- > 0;) {	/* usr/lib, run, then the main file, etc */
		if (pass == 0)
			ini_file(n->k, "etc/NetworkManager/NetworkManager.conf", &n->nm_conf);
		for (size_t i = 0; i < c->n; i++)
			if (!strncmp(c->at[i].path, dirs[pass], strlen(dirs[pass])))
				ini_add(n->k, &c->at[i], &n->nm_conf);
	}
	netcfg_cut(n, "etc/NetworkManager/conf.d", n->nm_conf.cut);
}

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), len = strlen(suffix);

	return n >= len && !strcmp(s + n - len, suffix);
}

/* In /etc any name counts but those of editors and packagers; elsewhere only .nmconnection. */
static bool is_profile(const struct confd_file *f)
{
	static const char *const not[] = { "~", ".bak", ".swp", ".rpmnew", ".rpmsave", ".rpmorig", ".dpkg-old", ".dpkg-dist",
					   ".pem", ".der", ".nmmeta", ".orig" };

	if (strncmp(f->path, "etc/", 4) != 0)
		return ends(f->name, ".nmconnection");
	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (ends(f->name, not[i]))
			return false;
	return true;
}

static void load_profiles(struct netcfg *n)
{
	static const char *const dirs[] = { "run/NetworkManager/system-connections", "etc/NetworkManager/system-connections",
					    "usr/lib/NetworkManager/system-connections", NULL };
	static const char *const suffixes[] = { "", NULL };
	const struct confd *c;
	int r = confd_dirs(n->k, dirs, suffixes, &c);

	if (r < 0) {
		netcfg_unread(n, "etc/NetworkManager/system-connections", strerror(-r));
		return;
	}
	n->profile = arena_array_of(n->k->arena, struct ini, c->n + 1);
	for (size_t i = 0; i < c->n && n->nprofiles < PROFILES_MAX; i++) {
		if (!is_profile(&c->at[i]))
			continue;
		if (c->at[i].err)
			netcfg_unread(n, c->at[i].path, strerror(-c->at[i].err));
		n->profile[n->nprofiles].path = c->at[i].path;
		ini_add(n->k, &c->at[i], &n->profile[n->nprofiles]);
		netcfg_cut(n, c->at[i].path, n->profile[n->nprofiles++].cut);
	}
	netcfg_cut(n, "etc/NetworkManager/system-connections", n->nprofiles == PROFILES_MAX);
}

void nm_load(struct netcfg *n)
{
	n->nm = files_exist(n->k, "run/NetworkManager") || unit_enabled(n->k, "NetworkManager");
	if (!n->nm)
		return;
	load_conf(n);
	load_profiles(n);
}

/* --- device lists ---------------------------------------------------------------- */

static bool spec_fits(const char *spec, const struct netdev *d)
{
	char driver[64] = "";

	if (!strcmp(spec, "*"))
		return true;
	if (!strncmp(spec, "interface-name:=", 16))
		return !strcmp(spec + 16, d->l->ifname);
	if (!strncmp(spec, "interface-name:", 15))
		return fnmatch(spec + 15 + (spec[15] == '~'), d->l->ifname, 0) == 0;
	if (!strncmp(spec, "mac:", 4))
		return !strcasecmp(spec + 4, d->permanent_mac);
	if (!strncmp(spec, "type:", 5))
		return !strcmp(spec + 5, !strcmp(d->type, "ether") ? "ethernet" : d->type);
	if (!strncmp(spec, "driver:", 7)) {
		netdev_property(d, "ID_NET_DRIVER", driver, sizeof(driver));
		return fnmatch(spec + 7, *driver ? driver : d->l->driver, 0) == 0;
	}
	return !strcmp(spec, d->l->ifname) || !strcasecmp(spec, d->permanent_mac);
}

/* One that fits, and none with except: that does. A list of nothing but except: is all the others. */
static bool list_fits(const char *list, const struct netdev *d)
{
	bool fits = false, positive = false;
	char word[WORD];

	while (word_next(&list, ",; \t", word, sizeof(word))) {
		bool except = !strncmp(word, "except:", 7);

		if (except && spec_fits(word + 7, d))
			return false;
		positive |= !except;
		fits |= !except && spec_fits(word, d);
	}
	return fits || !positive;
}

static bool section_fits(const struct netcfg *n, const char *section, const struct netdev *d)
{
	const struct ini_line *match = ini_last(&n->nm_conf, section, "match-device");

	return !match || list_fits(match->value, d);
}

/*
 * What the configuration says of a key: of the sections [NAME-…] that are for this netdev the first, those of later files
 * before those of earlier ones; then [NAME] itself.
 */
static const struct ini_line *conf_of(const struct netcfg *n, const char *name, const char *key, const struct netdev *d)
{
	const struct ini_line *at = n->nm_conf.at, *found = NULL;
	size_t len = strlen(name);

	for (size_t end = n->nm_conf.n, from = end; end > 0 && !found; end = from) {
		while (from > 0 && at[from - 1].pos.source == at[end - 1].pos.source)
			from--;
		for (size_t i = from; i < end && !found; i++)
			if (!strncmp(at[i].section, name, len) && at[i].section[len] == '-' && !strcmp(at[i].key, key) &&
			    section_fits(n, at[i].section, d))
				found = &at[i];
	}
	if (!found && section_fits(n, name, d))
		found = ini_last(&n->nm_conf, name, key);
	return found;
}

static bool unmanaged(const struct netcfg *n, const struct netdev *d)
{
	static const char *const lists[] = { "unmanaged-devices", "unmanaged-devices+" };	/* + adds to it */
	const struct ini_line *managed = conf_of(n, "device", "managed", d);
	char value[16];

	for (size_t i = 0; i < 2; i++) {
		const struct ini_line *list = ini_last(&n->nm_conf, "keyfile", lists[i]);

		if (list && *list->value && list_fits(list->value, d))
			return true;
	}
	if (managed && !truth(managed->value))
		return true;
	return netdev_property(d, "NM_UNMANAGED", value, sizeof(value)) && truth(value);
}

/* --- profiles -------------------------------------------------------------------- */

static const char *said(const struct ini *f, const char *section, const char *key)
{
	const struct ini_line *l = ini_last(f, section, key);

	return l ? l->value : "";
}

/* The section of a wired profile has two names. */
static const struct ini_line *wired(const struct ini *f, const char *key)
{
	static const char *const sections[] = { "ethernet", "802-3-ethernet", "infiniband" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct ini_line *l = ini_last(f, sections[i], key);

		if (l)
			return l;
	}
	return NULL;
}

static bool type_fits(const char *type, const struct netdev *d)
{
	if (!strcmp(type, "ethernet") || !strcmp(type, "802-3-ethernet"))
		return !strcmp(d->type, "ether");
	return !strcmp(type, d->type);
}

/* May this profile start by itself on this netdev? */
static bool profile_fits(const struct ini *f, const struct netdev *d)
{
	const char *name = said(f, "connection", "interface-name"), *patterns = said(f, "match", "interface-name");
	const struct ini_line *mac = wired(f, "mac-address");
	const char *automatic = said(f, "connection", "autoconnect");

	if (!type_fits(said(f, "connection", "type"), d) || (*automatic && !truth(automatic)))
		return false;
	if (*name && strcmp(name, d->l->ifname) != 0)
		return false;
	if (*patterns) {
		char word[WORD];
		bool any = false;

		while (word_next(&patterns, ";, \t", word, sizeof(word)))
			any |= fnmatch(word, d->l->ifname, 0) == 0;
		if (!any)
			return false;
	}
	return !mac || !*mac->value || !strcasecmp(mac->value, d->permanent_mac);
}

static void claim_of(const struct netcfg *n, const struct ini *f, const struct netdev *d, const char *doubt, struct claims *c)
{
	const struct ini_line *l = wired(f, "mtu");
	uint32_t mtu;

	if (!l || !mtu_parse(l->value, &mtu))
		l = conf_of(n, "connection", d->l->infiniband ? "infiniband.mtu" : "ethernet.mtu", d);
	if (l && mtu_parse(l->value, &mtu))
		claim(n, c, OWNER, &l->pos, mtu, NETCFG_UP, doubt);
}

/* Of the same UUID the file of /run counts, then that of /etc. */
static const struct ini *profile_of(const struct netcfg *n, const char *uuid)
{
	static const char *const order[] = { "run/", "etc/", "usr/" };

	for (size_t o = 0; o < 3; o++)
		for (size_t i = 0; i < n->nprofiles; i++)
			if (!strncmp(n->profile[i].path, order[o], 4) &&
			    !strcmp(said(&n->profile[i], "connection", "uuid"), uuid))
				return &n->profile[i];
	return NULL;
}

static long priority(const struct ini *f)
{
	return strtol(said(f, "connection", "autoconnect-priority"), NULL, 10);
}

/* Nothing is up yet: the highest priority starts. Of equals, the one that was last up, and no file here says which. */
static void claims_of_fitting(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	long best = -1000;
	size_t equals = 0;

	for (size_t i = 0; i < n->nprofiles; i++) {
		const struct ini *f = &n->profile[i];

		if (!profile_fits(f, d) || priority(f) < best)
			continue;
		equals = priority(f) > best ? 1 : equals + 1;
		best = priority(f);
	}
	for (size_t i = 0; i < n->nprofiles; i++)
		if (profile_fits(&n->profile[i], d) && priority(&n->profile[i]) == best)
			claim_of(n, &n->profile[i], d,
				 equals == 1 ? NULL : "several of its profiles fit, with one priority", c);
}

void nm_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	struct ini state = { 0 };
	char path[64];
	const char *uuid;

	if (!n->nm || unmanaged(n, d))
		return;
	snprintf(path, sizeof(path), "run/NetworkManager/devices/%u", d->l->ifindex);
	if (!d->l->ifindex || ini_file(n->k, arena_strdup(n->k->arena, path), &state) < 0) {
		claims_of_fitting(n, d, c);
		return;
	}
	uuid = said(&state, "device", "connection-uuid");
	if (*uuid && profile_of(n, uuid))
		claim_of(n, profile_of(n, uuid), d, NULL, c);
	else if (!*uuid && (!*said(&state, "device", "managed") || truth(said(&state, "device", "managed"))))
		claims_of_fitting(n, d, c);
}
