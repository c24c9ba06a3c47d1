/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of netcfg: ini files, what is known of a netdev, and the programs, each of which adds its claims. */
#ifndef BOOT_NETCFG_PARTS_H
#define BOOT_NETCFG_PARTS_H

#include "boot/confd.h"
#include "boot/netcfg.h"

/* --- ini files (netcfg_ini.c): systemd's and GLib's key files alike ------------- */

struct ini_line {
	const char *section, *key, *value;	/* blanks at both ends taken off */
	struct pos pos;
};

struct ini {
	const char *path;		/* as kernel.h wants it */
	struct ini_line *at;
	size_t n, room;
	bool cut;			/* there are more lines than are kept */
};

/** ini_add - the lines of @f behind those of @ini; comments begin with # or ; and a backslash joins lines */
void ini_add(struct kernel *k, const struct confd_file *f, struct ini *ini);
/** ini_last - the last line of @key in a section that is called so, or NULL */
const struct ini_line *ini_last(const struct ini *ini, const char *section, const char *key);
/** ini_file - one file by itself ("run/…"). Return: 0 or -errno of the read */
int ini_file(struct kernel *k, const char *path, struct ini *ini);
/** word_next - the next word of a list with these separators; false at the end. Quotes around a word are taken off */
bool word_next(const char **s, const char *separators, char *word, size_t room);
/** mtu_parse - plain bytes, or with systemd's suffixes K, M, G (of 1024); false: no MTU, or 0 */
bool mtu_parse(const char *s, uint32_t *mtu);
/** truth - yes, true, on, 1 */
bool truth(const char *s);

/* --- a netdev, as files may match it (netcfg.c) ---------------------------------- */

struct netdev {
	const struct netcfg_link *l;
	const char *mac, *permanent_mac;	/* "aa:bb:…" in small letters, "" if not known */
	const char *type;		/* "ether", "bond", "vlan", "infiniband" */
	const char *udev;		/* what udev keeps of it ("E:KEY=VALUE" lines), NULL: nothing is known */
};

struct netdev netdev_of(struct kernel *k, const struct netcfg_link *l);
/** netdev_property - a property that udev keeps, in @room bytes; false: it has none of that name */
bool netdev_property(const struct netdev *d, const char *key, char *value, size_t room);

/* --- all that was read ------------------------------------------------------------- */

struct claims {
	struct netcfg_claim *at;
	size_t n, room;
};

struct mays {
	struct netcfg_may *at;
	size_t n, room;
	const char *unread;
};

struct netplan;
struct ifaces;

struct netcfg {
	struct kernel *k;
	struct ini *systemd;		/* .link, .network, .netdev, by name, drop-ins behind the lines of each file */
	size_t nsystemd;
	bool networkd;			/* runs, or is enabled */
	struct ini *profile;		/* NetworkManager's */
	size_t nprofiles;
	struct ini nm_conf;
	bool nm;
	const struct netplan *netplan;
	const struct ifaces *ifaces;	/* ifupdown's */
	const struct confd *ifcfg;
	struct ini openib;
	bool ofed;
	const struct udev *udev;	/* NULL: the rules' directories could not be listed */
	const char *unread;
};

/** netcfg_unread - remembers the first file that might say more */
void netcfg_unread(struct netcfg *n, const char *path, const char *why);
/** netcfg_cut - the same for a file or folder of which only the beginning counts here, if @cut */
void netcfg_cut(struct netcfg *n, const char *path, bool cut);
void claim(const struct netcfg *n, struct claims *c, const char *owner, const struct pos *pos, uint32_t mtu,
	   enum netcfg_when when, const char *doubt);

/* each program: reads its files into @n, and adds what it claims of a netdev */
void systemd_load(struct netcfg *n);
void systemd_claims(const struct netcfg *n, const struct netdev *d, struct claims *c);
void nm_load(struct netcfg *n);
void nm_claims(const struct netcfg *n, const struct netdev *d, struct claims *c);
void netplan_load(struct netcfg *n);
void netplan_claims(const struct netcfg *n, const struct netdev *d, struct claims *c);
void ifupdown_load(struct netcfg *n);
void ifupdown_claims(const struct netcfg *n, const struct netdev *d, struct claims *c);
void ifcfg_load(struct netcfg *n);
void ifcfg_claims(const struct netcfg *n, const struct netdev *d, struct claims *c);

/* udev's rules (netcfg_udev.c): after systemd_claims(), since .link files are applied among them */
void udev_rules_load(struct netcfg *n);
void udev_rules_claims(const struct netcfg *n, const struct netcfg_link *l, struct claims *c, struct mays *m);

/** netcfg_keep - may this line of a network manager's file go into a dump: no password is in it */
bool netcfg_keep(const char *line, size_t n);

/** unit_enabled - is this systemd unit (without .service) wanted by a target, as `systemctl enable` does it */
bool unit_enabled(struct kernel *k, const char *unit);

#endif
