/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemd's network files: udev's .link (once, at appearance), networkd's .network (each time it configures the link)
 * and .netdev (once, when it makes the device). All directories together in the order of their names, a higher
 * directory hides a name below it, the first file whose [Match] fits wins alone, and its drop-ins (those of NAME.d) come
 * behind its own lines. Where the programs have told what they took (run/systemd/netif/links/IFINDEX, udev's
 * ID_NET_LINK_FILE), that is believed. What [Match] asks for and files do not tell (OriginalName of a netdev that was
 * renamed, Host, Virtualization and their like) is a doubt, not a yes.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { FILES_MAX = 512, WORD = 256 };

enum fits { FITS_NOT, FITS_MAYBE, FITS };

/* --- reading --------------------------------------------------------------------- */

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), len = strlen(suffix);

	return n > len && !strcmp(s + n - len, suffix);
}

static void add_drop_ins(struct netcfg *n, const struct confd_file *f, struct ini *ini)
{
	static const char *const suffixes[] = { ".conf", NULL };
	const char *dir = arena_printf(n->k->arena, "systemd/network/%s.d", f->name);
	const struct confd *c;

	if (confd_load(n->k, dir, suffixes, &c) < 0)
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (c->at[i].err)
			netcfg_unread(n, c->at[i].path, strerror(-c->at[i].err));
		ini_add(n->k, &c->at[i], ini);
	}
}

void systemd_load(struct netcfg *n)
{
	static const char *const suffixes[] = { ".link", ".network", ".netdev", NULL };
	const struct confd *c;
	int r = confd_load(n->k, "systemd/network", suffixes, &c);

	n->networkd = files_exist(n->k, "run/systemd/netif/links") || unit_enabled(n->k, "systemd-networkd");
	if (r < 0) {
		netcfg_unread(n, "etc/systemd/network", strerror(-r));
		return;
	}
	n->systemd = arena_array_of(n->k->arena, struct ini, c->n + 1);
	for (size_t i = 0; i < c->n && i < FILES_MAX; i++) {
		struct ini *ini = &n->systemd[n->nsystemd];

		if (c->at[i].err)
			netcfg_unread(n, c->at[i].path, strerror(-c->at[i].err));
		if (!c->at[i].source.len)	/* empty, or a link to /dev/null: masked, with its drop-ins */
			continue;
		ini->path = c->at[i].path;
		ini_add(n->k, &c->at[i], ini);
		add_drop_ins(n, &c->at[i], ini);
		netcfg_cut(n, ini->path, ini->cut);
		n->nsystemd++;
	}
	netcfg_cut(n, "etc/systemd/network", c->n > FILES_MAX);
}

/* --- matching -------------------------------------------------------------------- */

/*
 * Words of a list; value_of() has put the `!` of a line before each of its words. Any of @name (NULL at the end) may fit:
 * one that must not fit decides, then one that must, if there is any.
 */
static enum fits fits_names(const char *list, const char *const *name)
{
	bool any = false, positive = false;
	char word[WORD];

	while (word_next(&list, " \t", word, sizeof(word))) {
		bool invert = *word == '!', fits = false;

		positive |= !invert;
		for (const char *const *at = name; *at && !fits; at++)
			fits = **at && fnmatch(word + invert, *at, 0) == 0;
		if (fits && invert)
			return FITS_NOT;
		any |= fits;
	}
	return any || !positive ? FITS : FITS_NOT;
}

/* "aa:bb:…", "aa-bb-…" and "aabb.…" are one address. */
static bool same_mac(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, ":-.");
		b += strspn(b, ":-.");
		if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return !*a && !*b;
	}
}

static enum fits fits_mac(const char *list, const char *mac)
{
	char word[WORD];

	if (!*mac)
		return FITS_MAYBE;
	while (word_next(&list, " \t", word, sizeof(word)))
		if (same_mac(word, mac))
			return FITS;
	return FITS_NOT;
}

/* What udev names it by some policy are its alternative names. */
static enum fits match_name(const struct netdev *d, const char *list)
{
	static const char *const keys[] = { "ID_NET_NAME_ONBOARD", "ID_NET_NAME_SLOT", "ID_NET_NAME_PATH", "ID_NET_NAME_MAC" };
	char other[4][64];
	const char *name[6] = { d->l->ifname };
	size_t n = 1;

	for (size_t i = 0; i < 4; i++)
		if (netdev_property(d, keys[i], other[i], sizeof(other[i])))
			name[n++] = other[i];
	return fits_names(list, name);
}

static enum fits match_known(const char *list, const char *value)
{
	const char *name[] = { value, NULL };

	return *value ? fits_names(list, name) : FITS_MAYBE;
}

static enum fits match_mac(const struct netdev *d, const char *list)
{
	return fits_mac(list, d->mac);
}

static enum fits match_permanent(const struct netdev *d, const char *list)
{
	return fits_mac(list, d->permanent_mac);
}

/* Without udev's record the name may be another than the kernel's. */
static enum fits match_original(const struct netdev *d, const char *list)
{
	(void)d;
	return !strcmp(list, "*") ? FITS : FITS_MAYBE;
}

static enum fits match_path(const struct netdev *d, const char *list)
{
	char path[WORD] = "";

	netdev_property(d, "ID_PATH", path, sizeof(path));
	return match_known(list, path);
}

static enum fits match_driver(const struct netdev *d, const char *list)
{
	char driver[64] = "";

	netdev_property(d, "ID_NET_DRIVER", driver, sizeof(driver));
	return match_known(list, *driver ? driver : d->l->driver);
}

static enum fits match_type(const struct netdev *d, const char *list)
{
	return match_known(list, d->type);
}

static enum fits match_kind(const struct netdev *d, const char *list)
{
	return fits_names(list, (const char *const[]){ d->l->kind, NULL });
}

static enum fits match_property(const struct netdev *d, const char *list)
{
	char word[WORD], value[WORD];

	if (!d->udev)
		return FITS_MAYBE;
	while (word_next(&list, " \t", word, sizeof(word))) {
		bool invert = *word == '!';
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = 0;
		if ((netdev_property(d, word + invert, value, sizeof(value)) && fnmatch(equals + 1, value, 0) == 0) == invert)
			return FITS_NOT;
	}
	return FITS;
}

static enum fits match_never(const struct netdev *d, const char *list)
{
	(void)d;
	(void)list;
	return FITS_NOT;
}

static enum fits match_unknown(const struct netdev *d, const char *list)
{
	(void)d;
	(void)list;
	return FITS_MAYBE;
}

static const struct {
	const char *key;
	enum fits (*fits)(const struct netdev *d, const char *list);
	bool selects;			/* without one of these a file matches nothing */
} conditions[] = {
	{ "Name", match_name, true }, { "OriginalName", match_original, true }, { "MACAddress", match_mac, true },
	{ "PermanentMACAddress", match_permanent, true }, { "Path", match_path, true }, { "Driver", match_driver, true },
	{ "Type", match_type, true }, { "Kind", match_kind, true }, { "Property", match_property, true },
	{ "WLANInterfaceType", match_never, true }, { "SSID", match_never, true }, { "BSSID", match_never, true },
	{ "Host", match_unknown, false }, { "Virtualization", match_unknown, false },
	{ "KernelCommandLine", match_unknown, false }, { "KernelVersion", match_unknown, false },
	{ "Version", match_unknown, false }, { "Credential", match_unknown, false },
	{ "Architecture", match_unknown, false }, { "Firmware", match_unknown, false },
};

static void add_words(const char *value, struct text *out)
{
	bool invert = *value == '!';
	char word[WORD];

	value += invert;
	while (word_next(&value, " \t", word, sizeof(word))) {
		text_add(out, out->n ? " " : "");
		text_add(out, invert ? "!" : "");
		text_add(out, word);
	}
}

/* All lines of one key are one list, in which an empty one begins anew. */
static bool value_of(const struct ini *f, const char *key, struct text *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct ini_line *l = &f->at[i];

		if (strcmp(l->section, "Match") || strcmp(l->key, key))
			continue;
		if (!*l->value)
			text_reset(out);
		add_words(l->value, out);
	}
	return out->n;
}

/* A file without a condition, or with none that is known, matches nothing. @why: the first that nobody can judge here */
static enum fits file_fits(const struct ini *f, const struct netdev *d, const char **why)
{
	enum fits all = FITS;
	bool asked = false;

	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		enum fits one;

		if (!value_of(f, conditions[i].key, &t))
			continue;
		asked |= conditions[i].selects;
		one = conditions[i].fits(d, text_str(&t));
		if (one == FITS_NOT)
			return FITS_NOT;
		if (one == FITS_MAYBE && all == FITS) {
			all = FITS_MAYBE;
			*why = conditions[i].key;
		}
	}
	return asked ? all : FITS_NOT;
}

/* --- claims ---------------------------------------------------------------------- */

static const char *taken_by_networkd(const struct netcfg *n, const struct netdev *d, bool *known)
{
	const char *text, *at;

	*known = d->l->ifindex && files_text(n->k, &text, "run/systemd/netif/links/%u", d->l->ifindex) == 0;
	at = *known ? strstr(text, "NETWORK_FILE=/") : NULL;
	return at ? arena_strndup(n->k->arena, at + 14, strcspn(at + 14, "\n")) : NULL;
}

static const char *taken_by_udev(const struct netcfg *n, const struct netdev *d, bool *known)
{
	char path[WORD];

	*known = netdev_property(d, "ID_NET_LINK_FILE", path, sizeof(path)) && path[0] == '/';
	return *known ? arena_strdup(n->k->arena, path + 1) : NULL;
}

/* MTUBytes of one file, if it has any. */
static void claim_of(const struct netcfg *n, const struct ini *f, const char *section, const char *owner,
		     enum netcfg_when when, const char *doubt, struct claims *c)
{
	const struct ini_line *l = ini_last(f, section, "MTUBytes");
	uint32_t mtu;

	if (l && mtu_parse(l->value, &mtu))
		claim(n, c, owner, &l->pos, mtu, when, doubt);
}

static const char *doubt_of(const struct netcfg *n, const char *why)
{
	return arena_printf(n->k->arena, "its [Match] asks for %s, which cannot be judged here", why);
}

/* The first file of a kind that fits; those before it that may fit are claims in doubt. */
static void first_that_fits(const struct netcfg *n, const struct netdev *d, const char *suffix, const char *owner,
			    enum netcfg_when when, struct claims *c)
{
	for (size_t i = 0; i < n->nsystemd; i++) {
		const struct ini *f = &n->systemd[i];
		const char *why = NULL;
		enum fits fits = ends(f->path, suffix) ? file_fits(f, d, &why) : FITS_NOT;

		if (fits != FITS_NOT)
			claim_of(n, f, "Link", owner, when, fits == FITS ? NULL : doubt_of(n, why), c);
		if (fits == FITS)
			return;
	}
}

/* The programs may name a file of /usr/lib by its path below /lib. */
static const struct ini *file_taken(const struct netcfg *n, const char *path)
{
	for (size_t i = 0; path && i < n->nsystemd; i++) {
		const char *have = n->systemd[i].path;

		if (!strcmp(have, path) || (!strncmp(have, "usr/lib/", 8) && !strcmp(have + 4, path)))
			return &n->systemd[i];
	}
	return NULL;
}

static void made_by_networkd(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	for (size_t i = 0; i < n->nsystemd; i++) {
		const struct ini *f = &n->systemd[i];
		const struct ini_line *name = ends(f->path, ".netdev") ? ini_last(f, "NetDev", "Name") : NULL;

		if (name && !strcmp(name->value, d->l->ifname))
			claim_of(n, f, "NetDev", "systemd-networkd", NETCFG_MADE, NULL, c);
	}
}

/* UseMTU=yes: the lease says how much (run/systemd/netif/leases/IFINDEX). */
static void by_lease(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	struct ini lease = { 0 };
	const struct ini_line *l;
	uint32_t mtu;
	char path[64];

	snprintf(path, sizeof(path), "run/systemd/netif/leases/%u", d->l->ifindex);
	if (!d->l->ifindex || ini_file(n->k, arena_strdup(n->k->arena, path), &lease) < 0)
		return;
	l = ini_last(&lease, "", "MTU");
	if (l && mtu_parse(l->value, &mtu))
		claim(n, c, "systemd-networkd (DHCP lease)", &l->pos, mtu, NETCFG_UP, NULL);
}

static void claims_of_networkd(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	bool known;
	const struct ini *f = file_taken(n, taken_by_networkd(n, d, &known));
	const struct ini_line *use = f ? ini_last(f, "DHCPv4", "UseMTU") : NULL;

	if (f && !use)
		use = ini_last(f, "DHCP", "UseMTU");
	if (use && truth(use->value))
		by_lease(n, d, c);
	if (f)
		claim_of(n, f, "Link", "systemd-networkd", NETCFG_UP, NULL, c);
	else if (!known)
		first_that_fits(n, d, ".network", "systemd-networkd", NETCFG_UP, c);
	made_by_networkd(n, d, c);
}

void systemd_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	bool known;
	const struct ini *f = file_taken(n, taken_by_udev(n, d, &known));

	if (f)
		claim_of(n, f, "Link", "systemd-udevd", NETCFG_APPEARS, NULL, c);
	else if (!known)
		first_that_fits(n, d, ".link", "systemd-udevd", NETCFG_APPEARS, c);
	if (n->networkd)
		claims_of_networkd(n, d, c);
}
