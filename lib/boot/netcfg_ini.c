/* SPDX-License-Identifier: Apache-2.0 */
/* Sections, keys and values of systemd's files and of GLib's key files, with the line that each stands in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "kernel/kernel.h"

enum { LINES_MAX = 20000 };		/* of one file with its drop-ins */

static const char *part(struct arena *a, const char *s, size_t n)
{
	while (n && strchr(" \t", s[0])) {
		s++;
		n--;
	}
	return arena_strndup(a, s, text_trim(s, n));
}

/* A line that ends with a backslash goes on in the next one; a comment in between is left out. */
static void joined(struct confd_line *l, struct text *out)
{
	for (;;) {
		bool more = l->n && l->s[l->n - 1] == '\\';

		text_addn(out, l->s, more ? l->n - 1 : l->n);
		if (!more)
			return;
		text_char(out, ' ');
		do {
			if (!confd_line(l))
				return;
		} while (l->n && strchr("#;", l->s[0]));
	}
}

static void add_line(struct arena *a, struct ini *ini, const char *section, const struct text *t, struct pos pos)
{
	const char *s = text_str(t), *equals = memchr(s, '=', t->n);

	if (!equals)
		return;
	if (ini->n == LINES_MAX) {
		ini->cut = true;
		return;
	}
	list_add(ini, a) = (struct ini_line){ .section = section, .pos = pos, .key = part(a, s, (size_t)(equals - s)),
					      .value = part(a, equals + 1, t->n - (size_t)(equals + 1 - s)) };
}

void ini_add(struct kernel *k, const struct confd_file *f, struct ini *ini)
{
	struct confd_line l = { .source = &f->source };
	const char *section = "";

	while (confd_line(&l)) {
		TEXT_CLEANUP struct text t = { 0 };
		struct pos pos;

		if (!l.n || strchr("#;", l.s[0]))
			continue;
		if (l.s[0] == '[') {
			section = part(k->arena, l.s + 1, l.n - 1 - (l.s[l.n - 1] == ']'));
			continue;
		}
		pos = confd_pos(&l, l.s, 0);
		joined(&l, &t);
		add_line(k->arena, ini, section, &t, pos);
	}
}

int ini_file(struct kernel *k, const char *path, struct ini *ini)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct confd_file *f = arena_new_of(k->arena, struct confd_file);	/* positions point to it */
	int r = kernel_read(k, path, &t);

	if (r < 0)
		return r;
	f->path = path;
	f->source = (struct source){ .name = arena_printf(k->arena, "/%s", path), .len = t.n,
				     .text = arena_strndup(k->arena, text_str(&t), t.n) };
	ini->path = path;
	ini_add(k, f, ini);
	return 0;
}

const struct ini_line *ini_last(const struct ini *ini, const char *section, const char *key)
{
	for (size_t i = ini->n; i-- > 0;)
		if (!strcmp(ini->at[i].section, section) && !strcmp(ini->at[i].key, key))
			return &ini->at[i];
	return NULL;
}

bool word_next(const char **s, const char *separators, char *word, size_t room)
{
	size_t n = 0;
	char quote = 0;

	*s += strspn(*s, separators);
	if (!**s)
		return false;
	for (; **s && (quote || !strchr(separators, **s)); ++*s) {
		char c = **s;

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else if (n + 1 < room)
			word[n++] = c;
	}
	word[n] = 0;
	return true;
}

bool mtu_parse(const char *s, uint32_t *mtu)
{
	static const char suffixes[] = "KMG";
	char *end;
	unsigned long long v;
	const char *suffix;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (errno || (*end && (!suffix || end[1])) || v > UINT32_MAX)
		return false;
	if (suffix)
		v <<= 10 * (suffix - suffixes + 1);
	if (!v || v > UINT32_MAX)
		return false;
	*mtu = (uint32_t)v;
	return true;
}

bool truth(const char *s)
{
	static const char *const yes[] = { "yes", "true", "on", "1", "y", "t" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!strcasecmp(s, yes[i]))
			return true;
	return false;
}
