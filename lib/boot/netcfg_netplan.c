/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netplan: YAML of /etc, /run and /lib, from which it writes files for networkd (run/systemd/network/10-netplan-ID) or
 * NetworkManager (netplan-ID.nmconnection) at every boot and `netplan apply`. What must be changed is the YAML, so its
 * line is named. A scanner of lines, not a YAML parser: it sees block style and flow mappings within one line; a flow
 * mapping over several lines, anchors, tags and text blocks it does not see, and says so where one may hide an mtu.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { DEPTH = 8, WORD = 128, ENTRIES_MAX = 4000 };

#define OWNER "netplan"
#define FLOW "it has a flow mapping, { }, of several lines, which is not looked into"
#define FOR_NETWORKD "/run/systemd/network/10-netplan-"
#define FOR_NM "/run/NetworkManager/system-connections/netplan-"

/* network → ethernets → ID → mtu or set-name, or ID → match → name, macaddress, driver: as "mtu", "match.name" */
struct entry {
	const char *id, *key, *value;
	struct pos pos;
};

struct netplan {
	struct entry *at;
	size_t n, room;
	struct ids { const char **at; size_t n, room; } ids;
};

struct scan {
	struct netcfg *netcfg;
	struct netplan *to;
	struct level { size_t indent; char key[WORD]; } level[DEPTH];
	size_t depth;
	struct pos pos;
	const char *path;
};

/* --- scanning -------------------------------------------------------------------- */

static void remember_id(struct scan *s, const char *id)
{
	for (size_t i = 0; i < s->to->ids.n; i++)
		if (!strcmp(s->to->ids.at[i], id))
			return;
	list_add(&s->to->ids, s->netcfg->k->arena) = id;
}

/* The name of a key that counts, or NULL. */
static const char *name_of(const struct scan *s, size_t depth, const char *key)
{
	static const char *const of_match[] = { "name", "macaddress", "driver" };

	if (depth == 3 && !strcmp(key, "mtu"))
		return "mtu";
	if (depth == 3 && !strcmp(key, "set-name"))
		return "set-name";
	for (size_t i = 0; i < 3 && depth == 4 && !strcmp(s->level[3].key, "match"); i++)
		if (!strcmp(key, of_match[i]))
			return arena_printf(s->netcfg->k->arena, "match.%s", key);
	return NULL;
}

/* A value at the place that the levels describe. */
static void found(struct scan *s, size_t depth, const char *key, const char *value)
{
	struct arena *a = s->netcfg->k->arena;
	const char *name = name_of(s, depth, key);

	if (!name || strcmp(s->level[0].key, "network"))
		return;
	netcfg_cut(s->netcfg, s->path, s->to->n == ENTRIES_MAX);
	if (s->to->n == ENTRIES_MAX)
		return;
	list_add(s->to, a) = (struct entry){ .id = arena_strdup(a, s->level[2].key), .key = name, .pos = s->pos,
					     .value = arena_strdup(a, value) };
	remember_id(s, s->to->at[s->to->n - 1].id);
}

/* A scalar, plain or in quotes, up to one of @ends; returns what is behind it. */
static const char *scalar(const char *s, const char *ends, char *out)
{
	size_t n = 0;
	char quote = *s == '"' || *s == '\'' ? *s++ : 0;

	for (; *s && (quote ? *s != quote : !strchr(ends, *s)); s++)
		if (n + 1 < WORD)
			out[n++] = *s;
	s += quote && *s ? 1 : 0;
	while (!quote && n && strchr(" \t", out[n - 1]))
		n--;
	out[n] = 0;
	return s;
}

/* {a: b, c: {d: e}} in one line. Returns behind it, or NULL if it does not end here. */
static const char *flow(struct scan *s, size_t depth, const char *t)
{
	char key[WORD], value[WORD];

	t++;
	for (;;) {
		t += strspn(t, " \t,");
		if (*t == '}')
			return t + 1;
		t = scalar(t, ":,{}", key);
		t += strspn(t, " \t");
		if (*t != ':')
			return NULL;
		t++;
		t += strspn(t, " \t");
		if (*t == '{' && depth < DEPTH - 1) {
			snprintf(s->level[depth].key, WORD, "%s", key);
			t = flow(s, depth + 1, t);
			if (!t)
				return NULL;
			continue;
		}
		if (*t == '[') {
			t += strcspn(t, "]");
			t += *t ? 1 : 0;
			continue;
		}
		t = scalar(t, ",}", value);
		found(s, depth, key, value);
	}
}

/* What a line says behind "key:". */
static void line_value(struct scan *s, size_t depth, const char *key, const char *value)
{
	char word[WORD];

	if (*value == '{') {
		snprintf(s->level[depth].key, WORD, "%s", key);
		if (!flow(s, depth + 1, value))
			netcfg_unread(s->netcfg, s->path, FLOW);
	} else if (*value) {
		scalar(value, "#", word);
		found(s, depth, key, word);
	}
}

static void scan_line(struct scan *s, const char *line)
{
	size_t indent = strspn(line, " ");
	const char *t = line + indent;
	char key[WORD];

	if (!*t || *t == '#' || *t == '-' || *t == '%')
		return;
	while (s->depth && s->level[s->depth - 1].indent >= indent)
		s->depth--;
	if (*t == '{' && s->depth == 0) {
		if (!flow(s, 0, t))
			netcfg_unread(s->netcfg, s->path, FLOW);
		return;
	}
	t = scalar(t, ":", key);
	t += strspn(t, " \t");
	if (*t != ':' || s->depth >= DEPTH - 1)
		return;
	t++;
	t += strspn(t, " \t");
	line_value(s, s->depth, key, *t == '#' ? "" : t);
	s->level[s->depth].indent = indent;
	snprintf(s->level[s->depth].key, WORD, "%s", key);
	s->depth++;
}

static void scan_file(struct netcfg *n, struct netplan *to, const struct confd_file *f)
{
	struct scan s = { .netcfg = n, .to = to, .path = f->path };
	struct confd_line l = { .source = &f->source };

	while (confd_line(&l)) {
		TEXT_CLEANUP struct text t = { 0 };
		const char *start = l.s;

		while (start > f->source.text && start[-1] != '\n')
			start--;	/* confd_line() takes blanks off, and here they are the meaning */
		text_addn(&t, start, l.n + (size_t)(l.s - start));
		s.pos = confd_pos(&l, l.s, l.n);
		scan_line(&s, text_str(&t));
	}
}

/* /run hides the same name in /etc, and that one in /lib; all in the order of names. */
void netplan_load(struct netcfg *n)
{
	static const char *const dirs[] = { "run/netplan", "etc/netplan", "usr/lib/netplan", "lib/netplan", NULL };
	static const char *const suffixes[] = { ".yaml", NULL };
	static const char *const installed[] = { "usr/sbin/netplan", "usr/libexec/netplan/generate", "usr/lib/netplan/generate",
						 "lib/netplan/generate" };
	struct netplan *to = arena_new_of(n->k->arena, struct netplan);
	const struct confd *c;
	bool there = false;
	int r;

	for (size_t i = 0; i < sizeof(installed) / sizeof(installed[0]) && !there; i++)
		there = files_exist(n->k, "%s", installed[i]);
	n->netplan = to;
	if (!there)
		return;
	r = confd_dirs(n->k, dirs, suffixes, &c);
	if (r < 0) {
		netcfg_unread(n, "etc/netplan", strerror(-r));
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->at[i].err)
			netcfg_unread(n, c->at[i].path, strerror(-c->at[i].err));
		scan_file(n, to, &c->at[i]);
	}
}

/* --- claims ---------------------------------------------------------------------- */

static const struct entry *last(const struct netplan *p, const char *id, const char *key)
{
	for (size_t i = p->n; i-- > 0;)
		if (!strcmp(p->at[i].id, id) && !strcmp(p->at[i].key, key))
			return &p->at[i];
	return NULL;
}

/* Without match: the ID is the name. With it the ID is a word, and set-name may give the netdev another name. */
static bool id_fits(const struct netplan *p, const char *id, const struct netdev *d)
{
	const struct entry *name = last(p, id, "match.name"), *mac = last(p, id, "match.macaddress");
	const struct entry *driver = last(p, id, "match.driver"), *set = last(p, id, "set-name");

	if (!name && !mac && !driver)
		return !strcmp(id, d->l->ifname);
	if (mac && strcasecmp(mac->value, d->permanent_mac) != 0)
		return false;
	if (driver && fnmatch(driver->value, d->l->driver, 0) != 0)
		return false;
	return !name || fnmatch(name->value, d->l->ifname, 0) == 0 || (set && !strcmp(set->value, d->l->ifname));
}

static bool made_by_netplan(const struct pos *p)
{
	return !strncmp(p->source->name, FOR_NETWORKD, strlen(FOR_NETWORKD)) ||
	       !strncmp(p->source->name, FOR_NM, strlen(FOR_NM));
}

/* What it wrote for others is its own claim: the line of the YAML takes its place if it says the same. */
static void take_place(struct claims *c, const struct netcfg_claim *own)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!made_by_netplan(&c->at[i].pos) || c->at[i].mtu != own->mtu)
			c->at[n++] = c->at[i];
	c->n = n;
}

void netplan_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	const struct netplan *p = n->netplan;

	for (size_t i = 0; i < p->ids.n; i++) {
		const struct entry *e = last(p, p->ids.at[i], "mtu");
		uint32_t mtu;

		if (!e || !id_fits(p, p->ids.at[i], d) || !mtu_parse(e->value, &mtu))
			continue;
		take_place(c, &(struct netcfg_claim){ .mtu = mtu });
		claim(n, c, OWNER, &e->pos, mtu, NETCFG_UP, NULL);
	}
	for (size_t i = 0; i < c->n; i++)
		if (made_by_netplan(&c->at[i].pos))
			c->at[i].owner = "netplan (this file is made from /etc/netplan)";
}
