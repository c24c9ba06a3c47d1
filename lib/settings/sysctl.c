/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl.KEY: any key of /proc/sys, by its name. Values are text; where both sides are lists of numbers they are
 * compared as such, since the kernel prints tabs (net.ipv4.tcp_rmem). Ranges are known for the keys that people set on
 * RDMA hosts; for others the kernel's refusal is told when the value is written.
 *
 * What surprised us: a value that overflows a 32-bit key is refused by the kernel, but `sysctl -e` and systemd-sysctl
 * go on with status 0 and leave the old one; 010 is 8, since the kernel reads numbers in C's bases.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "settings/homes.h"

enum { SYSCTL };

/* --- values --------------------------------------------------------------------- */

static const char *next_word(const char *s, size_t *n)
{
	s += strspn(s, " \t");
	*n = strcspn(s, " \t");
	return s;
}

/* A whole number in C's bases, as the kernel takes it. */
static bool number(const char *s, size_t n, long long *num)
{
	char word[32], *end;

	if (n == 0 || n >= sizeof(word))
		return false;
	memcpy(word, s, n);
	word[n] = 0;
	*num = strtoll(word, &end, 0);
	return !*end && *num != LLONG_MAX && *num != LLONG_MIN;
}

static bool same_word(const char *a, size_t na, const char *b, size_t nb)
{
	return (na == nb && !memcmp(a, b, na)) || homes_same_number(a, na, b, nb);
}

static bool sysctl_same(const struct field *f, const struct value *want, const struct value *have,
			const struct record *observed)
{
	const char *a = want->text, *b = have->text;
	size_t na, nb;

	(void)f;
	(void)observed;
	do {
		a = next_word(a, &na);
		b = next_word(b, &nb);
		if (!same_word(a, na, b, nb))
			return false;
		a += na;
		b += nb;
	} while (na || nb);
	return true;
}

static bool octal(const char *s, size_t n)
{
	return n > 1 && s[0] == '0' && strspn(s, "0123456789") >= n;
}

static int sysctl_parse(const struct field *f, const char *text, struct value *v, struct arena *a, const char **why)
{
	const char *s = text, *value = homes_squeeze(a, text);
	size_t n;

	(void)f;
	if (!*value) {
		*why = "is empty";
		return -EINVAL;
	}
	if (!homes_value_ok(text, false)) {
		*why = "has control characters or more than one line, which a line of sysctl.d cannot hold";
		return -EINVAL;
	}
	for (s = next_word(s, &n); n; s = next_word(s + n, &n))
		if (octal(s, n)) {
			*why = "has a number with a leading zero, which the kernel reads as octal: write it without";
			return -EINVAL;
		}
	v->text = value;
	return 0;
}

/* --- keys ----------------------------------------------------------------------- */

/* Keys whose numbers are C ints, or less. */
static const struct range {
	const char *path;		/* a pattern */
	long long min, max;
} ranges[] = {
	{ "net/core/[rw]mem_max", 1, INT_MAX },		{ "net/core/[rw]mem_default", 1, INT_MAX },
	{ "net/core/optmem_max", 0, INT_MAX },		{ "net/core/netdev_max_backlog", 0, INT_MAX },
	{ "net/core/somaxconn", 0, INT_MAX },		{ "net/core/netdev_budget", 0, INT_MAX },
	{ "net/core/netdev_budget_usecs", 0, INT_MAX },	{ "net/core/busy_poll", 0, INT_MAX },
	{ "net/core/busy_read", 0, INT_MAX },		{ "net/ipv4/tcp_[rw]mem", 1, INT_MAX },
	{ "net/ipv4/conf/*/arp_ignore", 0, 8 },		{ "net/ipv4/conf/*/arp_announce", 0, 2 },
	{ "net/ipv4/conf/*/arp_filter", 0, 1 },		{ "net/ipv4/conf/*/rp_filter", 0, 2 },
	{ "net/ipv4/ip_forward", 0, 1 },		{ "net/iw_cm/default_backlog", 0, INT_MAX },
	{ "vm/swappiness", 0, 200 },			{ "vm/zone_reclaim_mode", 0, 7 },
};

static const struct key_row rows[] = {
	{ SYSCTL, "*", .kind = KEY_SYSCTL },
	{ 0 },
};

static const struct range *range_of(const char *path)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (!fnmatch(ranges[i].path, path, FNM_PATHNAME))
			return &ranges[i];
	return NULL;
}

static int check_range(const struct cell *c, const char *path, struct diags *d)
{
	const struct range *range = range_of(path);
	const char *s = c->value.text;
	long long num;
	size_t n;

	if (!range)
		return 0;
	for (s = next_word(s, &n); n; s = next_word(s + n, &n)) {
		if (number(s, n, &num) && num >= range->min && num <= range->max)
			continue;
		diag_error(d, &c->pos, "%.*s is out of range for %s: %lld to %lld", (int)(n < 40 ? n : 40), s,
			   c->star[0], range->min, range->max);
		if (range->max == INT_MAX)
			diag_hint(d,
				  "the kernel holds it in 32 bits and would refuse the line; at boot nobody sees that");
		return -EINVAL;
	}
	return 0;
}

/* The folder of @path that holds one folder for each interface, and below it nothing but keys; "" if it is in none. */
static const char *interfaces_of(const char *path)
{
	static const char *const tables[] = { "net/ipv4/conf/", "net/ipv6/conf/", "net/ipv4/neigh/", "net/ipv6/neigh/" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strncmp(path, tables[i], strlen(tables[i])))
			return tables[i];
	return "";
}

/* Written with dots, the name of a VLAN comes apart, and the key is one of its port that no kernel has. */
static int check_interface(const struct cell *c, const char *path, struct diags *d)
{
	const char *table = interfaces_of(path), *name = path + strlen(table), *key = strrchr(name, '/');
	char *ifname = arena_strndup(d->arena, name, key ? (size_t)(key - name) : 0);

	if (!*table || (key && !strchr(ifname, '/')))
		return 0;
	if (!key) {
		diag_error(d, &c->pos, "%s names no interface, and there is no such key", c->star[0]);
		diag_hint(d, "write %sIFNAME/%s with the name of one", table, name);
		return -EINVAL;
	}
	diag_error(d, &c->pos, "%s is a key of the interface %.*s that no kernel has", c->star[0], (int)strcspn(ifname, "/"), ifname);
	for (char *s = strchr(ifname, '/'); s; s = strchr(s, '/'))
		*s = '.';
	diag_hint(d, "for the interface %s write %s%s%s: after a slash, dots belong to names", ifname, table, ifname, key);
	return -EINVAL;
}

static int check_key(const struct cell *c, const char *path, struct diags *d)
{
	if (!path) {
		diag_error(d, &c->pos, "\"%s\" cannot be the name of a sysctl", c->star[0]);
		diag_hint(d, "write net.core.rmem_max or net/core/rmem_max; a dot inside a name is a slash in the "
			     "first form (net.ipv4.conf.eth0/100.rp_filter); patterns are not taken");
		return -EINVAL;
	}
	if (!strcmp(path, "net/rdma_ucm/max_backlog")) {
		diag_error(d, &c->pos, "%s has a key of its own", c->star[0]);
		diag_hint(d, "write `max_backlog: %s` beside `sysctl:`; it knows that rdma_ucm must be loaded first",
			  c->value.text);
		return -EINVAL;
	}
	return check_interface(c, path, d) < 0 ? -EINVAL : check_range(c, path, d);
}

/* Nothing comes from the classes; but what one key may be is known only here, where its name is. */
static int sysctl_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	const char **path = arena_array_of(w->arena, const char *, want->n);
	struct hash_set seen = { 0 };
	int r = 0;

	for (size_t i = 0; i < want->n; i++) {
		const struct cell *c = &want->at[i];

		if (c->state != CELL_VALUE)
			continue;
		path[i] = homes_path(w->arena, rows, c);
		if (check_key(c, path[i], d) < 0)
			r = -EINVAL;
		if (!path[i] || hash_set_add(&seen, w->arena, hash_add(hash_seed(), path[i], strlen(path[i]))))
			continue;
		for (size_t j = 0; j < i; j++)
			if (path[j] && !strcmp(path[i], path[j])) {
				struct diag *one = diag_error(d, &c->pos, "%s and %s are one key", want->at[j].star[0],
							      c->star[0]);

				one->other = want->at[j].pos;
				one->other_what = "the other spelling";
				r = -EINVAL;
			}
	}
	return r;
}

static const struct field fields[] = {
	[SYSCTL] = { "sysctl.*", KIND_TEXT, .parse = sysctl_parse, .same = sysctl_same,
		     .doc = "value of a key of /proc/sys, named as in sysctl.d: net.core.rmem_max, or with slashes where "
			    "a name has a dot (net/ipv4/conf/eth0.100/rp_filter); lists of numbers are compared as "
			    "numbers" },
	{ 0 },
};

const struct setting setting_sysctl = {
	.name = "sysctl",
	.scope = SCOPE_NODE,
	.fields = fields,
	.derive = sysctl_derive,
	.why = "A sysctl that somebody sets by hand is gone after the next boot, and one in sysctl.d may be beaten by a "
	       "file whose name sorts later, or name a key that is not there yet; all three go without a message.",
	.live = { .read = sysctl_read, .write = sysctl_write, .table = rows, .effective = EFFECTIVE_NOW,
		  .interface = "/proc/sys" },
	.boot = { .read = boot_read, .files = boot_files, .weigh = boot_weigh, .table = rows, .object = BOOT_FILES,
		  .effective = EFFECTIVE_REBOOT, .interface = "sysctl.d" },
};
