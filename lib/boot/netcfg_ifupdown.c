/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ifupdown: /etc/network/interfaces and what it sources. `mtu N` in an iface stanza, and `ip link set … mtu N` or
 * `ifconfig … mtu N` in its up, post-up and pre-up lines. Stanzas of one name all count, the last MTU wins. Of `source`
 * the patterns of the last path component are followed, no variables or commands of a shell.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { DEPTH = 8, SOURCED_MAX = 256, WORD = 256 };

#define BLANKS " \t"

struct iface {
	const char *name;
	uint32_t mtu;
	struct pos pos;
};

struct ifaces {
	struct iface *at;
	size_t n, room;
	struct seen { const char **at; size_t n, room; } seen;
};

static void read_file(struct netcfg *n, struct ifaces *to, const char *path, unsigned depth);

/* --- source ---------------------------------------------------------------------- */

static bool plain_name(const char *name)	/* source-directory takes these alone */
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name);
}

/* @pattern NULL: all plain names */
static void read_dir(struct netcfg *n, struct ifaces *to, const char *dir, const char *pattern, unsigned depth)
{
	struct names names;

	if (kernel_list(n->k, dir, &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.at[i];

		if (pattern ? fnmatch(pattern, name, FNM_PERIOD) == 0 : plain_name(name))
			read_file(n, to, arena_printf(n->k->arena, "%s/%s", dir, name), depth + 1);
	}
}

/* Relative to the folder of the file that says so. */
static const char *path_of(struct arena *a, const char *said, const char *from)
{
	const char *slash = strrchr(from, '/');

	return *said == '/' ? arena_strdup(a, said + strspn(said, "/")) :
			      arena_printf(a, "%.*s/%s", (int)(slash - from), from, said);
}

static void source(struct netcfg *n, struct ifaces *to, const char *said, const char *from, bool directory, unsigned depth)
{
	char *path = arena_strdup(n->k->arena, path_of(n->k->arena, said, from));
	char *slash = strrchr(path, '/');

	if (strpbrk(path, "$`") || (slash && strcspn(path, "*?[") < (size_t)(slash - path))) {
		netcfg_unread(n, path, "variables and patterns of folders are not looked into");
		return;
	}
	if (directory) {
		if (slash && !slash[1])
			*slash = 0;
		read_dir(n, to, path, NULL, depth);
	} else if (slash && strpbrk(slash, "*?[")) {
		*slash = 0;
		read_dir(n, to, path, slash + 1, depth);
	} else {
		read_file(n, to, path, depth + 1);
	}
}

/* --- stanzas --------------------------------------------------------------------- */

struct command {
	bool ours;			/* ip or ifconfig */
	char dev[WORD], mtu[WORD];
};

static bool sets_mtu(const struct command *c, const char *iface, uint32_t *mtu)
{
	bool this = !strcmp(c->dev, iface) || !strcmp(c->dev, "$IFACE") || !strcmp(c->dev, "${IFACE}");

	return c->ours && this && mtu_parse(c->mtu, mtu);
}

/* "ip link set dev eth0 mtu 9000", "ip link set mtu 9000 $IFACE up", "/sbin/ifconfig eth0 mtu 9000" */
static bool command_mtu(const char *s, const char *iface, uint32_t *mtu)
{
	struct command c = { 0 };
	char word[WORD], before[WORD] = "";

	while (word_next(&s, BLANKS ";&|", word, sizeof(word))) {
		const char *name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;

		if (!strcmp(name, "ip") || !strcmp(name, "ifconfig")) {
			if (sets_mtu(&c, iface, mtu))
				return true;
			c = (struct command){ .ours = true };
		} else if (!strcmp(before, "mtu")) {
			snprintf(c.mtu, sizeof(c.mtu), "%s", word);
		} else if (!strcmp(word, iface) || !strncmp(word, "$IFACE", 6) || !strncmp(word, "${IFACE}", 8)) {
			snprintf(c.dev, sizeof(c.dev), "%s", word);
		}
		snprintf(before, sizeof(before), "%s", name);
	}
	return sets_mtu(&c, iface, mtu);
}

static void stanza_line(struct netcfg *n, struct ifaces *to, const char *iface, const char *line, const struct pos *pos)
{
	static const char *const commands[] = { "up", "post-up", "pre-up" };
	const char *rest = line;
	char key[WORD], value[WORD];
	uint32_t mtu;
	bool sets = false;

	if (!word_next(&rest, BLANKS, key, sizeof(key)))
		return;
	if (!strcmp(key, "mtu"))
		sets = word_next(&rest, BLANKS, value, sizeof(value)) && mtu_parse(value, &mtu);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && !sets; i++)
		sets = !strcmp(key, commands[i]) && command_mtu(rest, iface, &mtu);
	if (sets)
		list_add(to, n->k->arena) = (struct iface){ .name = iface, .mtu = mtu, .pos = *pos };
}

/* Does this line begin something else than an iface stanza goes on with? */
static bool begins(const char *word)
{
	static const char *const words[] = { "mapping", "auto", "source", "source-directory", "template", "rename",
					     "no-auto-down", "no-scripts" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return !strncmp(word, "allow-", 6);
}

static void one_line(struct netcfg *n, struct ifaces *to, const char *from, const char **iface, const char *line,
		     const struct pos *pos, unsigned depth)
{
	const char *rest = line;
	char word[WORD], value[WORD];

	if (!word_next(&rest, BLANKS, word, sizeof(word)))
		return;
	if (!strcmp(word, "iface")) {
		*iface = word_next(&rest, BLANKS, value, sizeof(value)) ? arena_strdup(n->k->arena, value) : NULL;
		return;
	}
	if (!begins(word)) {
		if (*iface)
			stanza_line(n, to, *iface, line, pos);
		return;
	}
	*iface = NULL;
	if (!strncmp(word, "source", 6))
		while (word_next(&rest, BLANKS, value, sizeof(value)))
			source(n, to, value, from, !strcmp(word, "source-directory"), depth);
}

static bool seen(struct netcfg *n, struct ifaces *to, const char *path)
{
	for (size_t i = 0; i < to->seen.n; i++)
		if (!strcmp(to->seen.at[i], path))
			return true;
	list_add(&to->seen, n->k->arena) = path;
	return false;
}

/* A backslash at the end of a line joins the next one to it. */
static void read_lines(struct netcfg *n, struct ifaces *to, const struct confd_file *f, unsigned depth)
{
	struct confd_line l = { .source = &f->source };
	const char *iface = NULL;

	while (confd_line(&l)) {
		TEXT_CLEANUP struct text t = { 0 };
		struct pos pos = confd_pos(&l, l.s, 0);
		bool more = true;

		if (!l.n || *l.s == '#')
			continue;
		while (more) {
			more = l.n && l.s[l.n - 1] == '\\';
			text_addn(&t, l.s, more ? l.n - 1 : l.n);
			more = more && confd_line(&l);
		}
		one_line(n, to, f->path, &iface, text_str(&t), &pos, depth);
	}
}

static void read_file(struct netcfg *n, struct ifaces *to, const char *path, unsigned depth)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct confd_file *f;
	int r;

	if (seen(n, to, path))
		return;
	if (depth > DEPTH || to->seen.n > SOURCED_MAX) {
		netcfg_unread(n, path, "too many files are sourced, one by the other");
		return;
	}
	r = kernel_read(n->k, path, &t);
	if (r < 0) {
		if (r != -ENOENT && r != -ENOTDIR && r != -EISDIR)
			netcfg_unread(n, path, strerror(-r));
		return;
	}
	f = arena_new_of(n->k->arena, struct confd_file);
	f->path = path;
	f->source = (struct source){ .name = arena_printf(n->k->arena, "/%s", path), .len = t.n,
				     .text = arena_strndup(n->k->arena, text_str(&t), t.n) };
	read_lines(n, to, f, depth);
}

void ifupdown_load(struct netcfg *n)
{
	struct ifaces *to = arena_new_of(n->k->arena, struct ifaces);

	n->ifaces = to;
	if (files_exist(n->k, "usr/sbin/ifup") || files_exist(n->k, "sbin/ifup"))
		read_file(n, to, "etc/network/interfaces", 0);
}

void ifupdown_claims(const struct netcfg *n, const struct netdev *d, struct claims *c)
{
	for (size_t i = n->ifaces->n; i-- > 0;) {
		const struct iface *f = &n->ifaces->at[i];

		if (strcmp(f->name, d->l->ifname))
			continue;
		claim(n, c, "ifupdown", &f->pos, f->mtu, NETCFG_UP, NULL);
		return;
	}
}
