/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/sys: which keys there are, and what the kernel makes of a write: numbers of any base, ranges, at least one
 * value of a vector, blanks between, tabs when it prints; text behind the last number is left over.
 */
#include "state.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define VALUES_MAX 4

struct row {
	const char *key, *text;		/* below proc/sys; at boot */
	long long min, max;
	const char *module;		/* that brings it, or NULL */
	uint32_t mode;			/* 0: 0644 */
};

static const struct row rows[] = {
	{ "net/core/rmem_max", "212992", 2304, INT_MAX, NULL, 0 },
	{ "net/core/wmem_max", "212992", 4608, INT_MAX, NULL, 0 },
	{ "net/core/rmem_default", "212992", 2304, INT_MAX, NULL, 0 },
	{ "net/core/wmem_default", "212992", 4608, INT_MAX, NULL, 0 },
	{ "net/core/netdev_max_backlog", "1000", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/core/somaxconn", "4096", 0, 65535, NULL, 0 },
	{ "net/ipv4/tcp_rmem", "4096\t131072\t6291456", 1, INT_MAX, NULL, 0 },
	{ "net/ipv4/tcp_wmem", "4096\t16384\t4194304", 1, INT_MAX, NULL, 0 },
	{ "net/ipv4/tcp_ecn", "2", 0, 2, NULL, 0 },
	{ "net/ipv4/ip_local_port_range", "32768\t60999", 1, 65535, NULL, 0 },
	{ "net/ipv4/conf/all/arp_ignore", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/ipv4/conf/all/arp_announce", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/ipv4/conf/all/rp_filter", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/ipv4/conf/default/arp_ignore", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/ipv4/conf/default/arp_announce", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "net/ipv4/conf/default/rp_filter", "0", INT_MIN, INT_MAX, NULL, 0 },
	{ "kernel/numa_balancing", "0", 0, 4, NULL, 0 },
	{ "vm/nr_hugepages", "0", 0, INT_MAX, NULL, 0 },
	{ "vm/overcommit_memory", "0", 0, 2, NULL, 0 },
	{ "vm/swappiness", "60", 0, 200, NULL, 0 },
	{ "net/rdma_ucm/max_backlog", "1024", INT_MIN, INT_MAX, "rdma_ucm", 0 },
	{ "net/iw_cm/default_backlog", "256", INT_MIN, INT_MAX, "iw_cm", 0 },
	{ "kernel/ostype", "Linux", 0, 0, NULL, 0444 },
	{ "kernel/random/boot_id", "5f1e0c9a-3b52-4c1d-9d3e-7a60b2c4d8ef", 0, 0, NULL, 0444 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const conf_keys[] = { "arp_ignore", "arp_announce", "rp_filter" };

static void put(struct sim *s, const char *key, const char *text, uint32_t mode)
{
	char path[SIM_PATH], line[128];

	snprintf(path, sizeof(path), "proc/sys/%s", key);
	snprintf(line, sizeof(line), "%s\n", text);
	overlay_put(s, path, line, strlen(line), 0100000 | (mode ? mode : 0644), true);
}

static void drop(struct sim *s, const char *key)
{
	char path[SIM_PATH];

	snprintf(path, sizeof(path), "proc/sys/%s", key);
	overlay_remove_below(s, path, false);
}

void sysctl_defaults(struct sim *s)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!rows[i].module)
			put(s, rows[i].key, rows[i].text, rows[i].mode);
	put(s, "kernel/hostname", s->st->node, 0644);
	put(s, "kernel/osrelease", s->st->old ? "6.1.0-57-amd64" : "6.12.95+deb12-amd64", 0444);
	sysctl_netdev(s, "lo", true);
}

void sysctl_module(struct sim *s, const char *module, bool there)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].module || strcmp(rows[i].module, module))
			continue;
		if (there)
			put(s, rows[i].key, rows[i].text, rows[i].mode);
		else
			drop(s, rows[i].key);
	}
}

/* A new interface starts with what `default` says. */
void sysctl_netdev(struct sim *s, const char *ifname, bool there)
{
	for (size_t i = 0; i < sizeof(conf_keys) / sizeof(conf_keys[0]); i++) {
		char key[128], path[SIM_PATH], text[64] = "0";
		const struct plain_file *f;

		snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/default/%s", conf_keys[i]);
		f = overlay_find(s, path);
		if (f)
			snprintf(text, sizeof(text), "%.*s", (int)text_trim(overlay_text(s, f), f->len), overlay_text(s, f));
		snprintf(key, sizeof(key), "net/ipv4/conf/%s/%s", ifname, conf_keys[i]);
		if (there)
			put(s, key, text, 0644);
		else
			drop(s, key);
	}
}

/* Its values are the interface's, whatever it is called (inetdev_event, NETDEV_CHANGENAME). */
void sysctl_netdev_renamed(struct sim *s, const char *from, const char *to)
{
	for (size_t i = 0; i < sizeof(conf_keys) / sizeof(conf_keys[0]); i++) {
		TEXT_CLEANUP struct text value = { 0 };
		char key[128], path[SIM_PATH];
		const struct plain_file *f;

		snprintf(key, sizeof(key), "net/ipv4/conf/%s/%s", from, conf_keys[i]);
		snprintf(path, sizeof(path), "proc/sys/%s", key);
		f = overlay_find(s, path);
		if (!f)
			continue;
		text_addn(&value, overlay_text(s, f), text_trim(overlay_text(s, f), f->len));
		drop(s, key);
		snprintf(key, sizeof(key), "net/ipv4/conf/%s/%s", to, conf_keys[i]);
		put(s, key, text_str(&value), 0644);
	}
}

/* --- a write --- */

static unsigned values_of(const char *text, long long v[VALUES_MAX])
{
	unsigned n = 0;

	while (n < VALUES_MAX) {
		char *end;

		v[n] = strtoll(text, &end, 10);
		if (end == text)
			break;
		n++;
		text = end;
	}
	while (isspace((unsigned char)*text))
		text++;
	return *text ? 0 : n;		/* 0: not a row of numbers */
}

static const struct row *row_of(const char *key)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].key, key))
			return &rows[i];
	return NULL;
}

/* proc_get_long(): a sign, a number of any base, then a blank or the end. */
static int number(const char **at, long long *v)
{
	const char *s = *at;
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	if (!*s)
		return -ENODATA;
	if (!isdigit((unsigned char)s[*s == '-']))
		return -EINVAL;
	errno = 0;
	*v = strtoll(s, &end, 0);
	if (errno || (*end && !isspace((unsigned char)*end)))
		return -EINVAL;
	*at = end;
	return 0;
}

static int store_numbers(struct sim *s, struct plain_file *f, const char *text, long long v[VALUES_MAX], unsigned n)
{
	const struct row *row = row_of(f->path + strlen("proc/sys/"));
	long long min = row ? row->min : INT_MIN, max = row ? row->max : INT_MAX;
	TEXT_CLEANUP struct text line = { 0 };
	int r;

	for (unsigned i = 0; i < n; i++) {
		long long one;

		r = number(&text, &one);
		if (r == -ENODATA && i)
			break;		/* fewer than there are: the others stay */
		if (r < 0 || one < min || one > max)
			return -EINVAL;
		v[i] = one;
	}
	for (unsigned i = 0; i < n; i++)
		text_printf(&line, "%s%lld", i ? "\t" : "", v[i]);
	text_char(&line, '\n');
	r = overlay_put(s, f->path, line.s, line.n, f->mode, f->kernel);
	/* what stands behind the last number is not taken: a short write, which is an error at the door */
	return r == 0 && text[strspn(text, " \t\n")] ? -EIO : r;
}

int sysctl_store(struct sim *s, struct plain_file *f, const char *text, size_t len)
{
	char copy[256], line[258];
	long long v[VALUES_MAX];
	unsigned n = values_of(overlay_text(s, f), v);

	if (len >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
	if (n)
		return store_numbers(s, f, copy, v, n);
	copy[strcspn(copy, "\n")] = 0;	/* proc_dostring(): one line */
	snprintf(line, sizeof(line), "%s\n", copy);
	return overlay_put(s, f->path, line, strlen(line), f->mode, f->kernel);
}
