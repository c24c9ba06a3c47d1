/* SPDX-License-Identifier: Apache-2.0 */
/* Who wins in sysctl.d, see sysctld.h. Held against systemd-sysctl 252 on random trees. */
#include "boot/sysctld.h"

#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/udev.h"
#include "kernel/kernel.h"

char *sysctld_path(struct arena *a, const char *key)
{
	char *path = arena_strdup(a, key), *to = path;
	size_t first = strcspn(path, "./");
	bool swap = path[first] == '.';

	for (char *s = path; swap && *s; s++)
		*s = *s == '.' ? '/' : *s == '/' ? '.' : *s;
	for (const char *s = path; *s; s++)	/* slashes in front and double ones go */
		if (*s != '/' || (to > path && to[-1] != '/'))
			*to++ = *s;
	while (to > path && to[-1] == '/')
		to--;
	*to = 0;
	return path;
}

const char *sysctld_key(struct arena *a, const char *path)
{
	char *key;

	if (strchr(path, '.'))		/* the first separator has to be a slash */
		return strcspn(path, "./") == strcspn(path, "/") ? path : arena_printf(a, "/%s", path);
	key = arena_strdup(a, path);
	for (char *s = key; *s; s++)
		if (*s == '/')
			*s = '.';
	return key;
}

static size_t trimmed(const char **s, size_t n)
{
	for (; n && strchr(" \t\r\v\f", **s); (*s)++, n--)
		;
	for (; n && strchr(" \t\r\v\f", (*s)[n - 1]); n--)
		;
	return n;
}

/* False: a comment, or no assignment. */
static bool parse_line(struct arena *a, const struct confd_line *l, struct sysctl_line *out)
{
	const char *eq, *s = l->s;
	size_t n = l->n, nkey;

	if (n == 0 || *s == '#' || *s == ';')
		return false;
	eq = memchr(s, '=', n);
	if (*s != '-' && !eq)
		return false;
	nkey = eq ? (size_t)(eq - s) : n;
	if (*s == '-') {
		s++;
		nkey--;
	}
	nkey = trimmed(&s, nkey);
	*out = (struct sysctl_line){ .path = sysctld_path(a, arena_strndup(a, s, nkey)) };
	out->pattern = strpbrk(out->path, "*?[") != NULL;
	if (eq) {
		const char *v = eq + 1;
		size_t nv = trimmed(&v, n - (size_t)(v - l->s));

		out->value = arena_strndup(a, v, nv);
	}
	out->pos = confd_pos(l, l->s, n);
	return *out->path != 0;
}

int sysctld_load(struct kernel *k, const struct sysctld **out)
{
	static const char *const suffixes[] = { ".conf", NULL };
	void **memo = kernel_memo(k, "boot:sysctl.d");
	struct { struct sysctl_line *at; size_t n, room; } lines = { 0 };
	const struct confd *confd;
	struct sysctld *s;
	int r;

	if (*memo) {
		*out = *memo;
		return 0;
	}
	r = confd_load(k, "sysctl.d", suffixes, &confd);
	if (r < 0)
		return r;
	for (size_t i = 0; i < confd->n; i++) {
		struct confd_line l = { .source = &confd->at[i].source };

		while (confd_line(&l)) {
			struct sysctl_line one;

			if (!parse_line(k->arena, &l, &one))
				continue;
			one.file = &confd->at[i];
			list_add(&lines, k->arena) = one;
		}
	}
	s = arena_new_of(k->arena, struct sysctld);
	*s = (struct sysctld){ confd, lines.at, lines.n };
	*memo = s;
	*out = s;
	return 0;
}

/* --- who wins ---------------------------------------------------------------- */

static const struct sysctl_line *last_by_name(const struct sysctld *s, const char *path)
{
	for (size_t i = s->n; i-- > 0;)
		if (!s->at[i].pattern && !strcmp(s->at[i].path, path))
			return &s->at[i];
	return NULL;
}

static bool matches(const struct sysctl_line *l, const char *path)
{
	return l->pattern && !fnmatch(l->path, path, FNM_PATHNAME | FNM_PERIOD);
}

/*
 * Patterns are applied in the order in which they were first said; said again with another value, a pattern moves to
 * the end, with the same value it keeps its place.
 */
static const struct sysctl_line *last_pattern(const struct sysctld *s, struct arena *a, const char *path)
{
	struct { const struct sysctl_line **at; size_t n, room; } order = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		const struct sysctl_line *l = &s->at[i];
		size_t j = 0;

		if (!matches(l, path))
			continue;
		while (j < order.n && strcmp(order.at[j]->path, l->path) != 0)
			j++;
		if (j < order.n && l->value && order.at[j]->value && !strcmp(order.at[j]->value, l->value))
			continue;
		if (j < order.n) {
			memmove(&order.at[j], &order.at[j + 1], (order.n - j - 1) * sizeof(order.at[0]));
			order.n--;
		}
		list_add(&order, a) = l;
	}
	for (size_t i = order.n; i-- > 0;)
		if (order.at[i]->value)		/* a pattern without a value does nothing */
			return order.at[i];
	return NULL;
}

struct sysctl_answer sysctld_find(const struct sysctld *s, struct arena *a, const char *path)
{
	const struct sysctl_line *named = last_by_name(s, path);
	struct sysctl_answer answer = { 0 };

	answer.unread = confd_unread(s->confd, named ? (size_t)(named->file - s->confd->at) + 1 : 0);
	if (named && named->value)
		answer.wins = named;
	else if (named)
		answer.undone = named;
	else
		answer.wins = last_pattern(s, a, path);
	return answer;
}

/* --- who does not ------------------------------------------------------------- */

static bool concerns(const struct sysctl_line *l, const char *path)
{
	return l->pattern ? matches(l, path) : !strcmp(l->path, path);
}

static const char *why_beaten(struct arena *a, const struct sysctl_line *l, const struct sysctl_answer *answer)
{
	const struct sysctl_line *by = answer->wins ? answer->wins : answer->undone;

	if (l->pattern && !by->pattern)
		return answer->wins ? "a pattern: an assignment by name wins, wherever it stands" : "the key is taken out of all patterns";
	if (answer->undone)
		return "the key is taken out again";
	if (l->file == by->file)
		return "a later line of the file counts";
	return arena_printf(a, "/%s is read later", by->file->path);
}

static void add_loser(struct kernel *k, struct confd_losers *out, const struct sysctl_line *l, const char *why)
{
	list_add(out, k->arena) = (struct confd_loser){ l->pos, l->value, why };
}

/* Lines of a file that is not among those that are read; the last one for @path is enough. */
static bool last_in(struct kernel *k, const struct source *s, const char *path, struct sysctl_line *last)
{
	struct confd_line l = { .source = s };
	bool any = false;

	while (confd_line(&l)) {
		struct sysctl_line one;

		if (!parse_line(k->arena, &l, &one) || !one.value || !concerns(&one, path))
			continue;
		*last = one;
		any = true;
	}
	return any;
}

/* Not read but through a link in sysctl.d, as Debian's 99-sysctl.conf is one. NULL: no such file */
static const struct source *sysctl_conf(struct kernel *k)
{
	void **memo = kernel_memo(k, "boot:sysctl.conf");
	struct source *s = *memo;

	if (!s) {
		TEXT_CLEANUP struct text t = { 0 };

		s = arena_new_of(k->arena, struct source);
		if (kernel_read(k, "etc/sysctl.conf", &t) == 0)
			*s = (struct source){ "/etc/sysctl.conf", arena_strndup(k->arena, text_str(&t), t.n), t.n };
		*kernel_memo(k, "boot:sysctl.conf") = s;
	}
	return s->name ? s : NULL;
}

/* Does a link in sysctl.d lead there? Told by the text, as a link may take any way. */
static bool is_linked(struct kernel *k, const struct sysctld *s, const struct source *conf)
{
	for (size_t i = 0; i < s->confd->n; i++) {
		const struct source *file = &s->confd->at[i].source;

		if (file->len == conf->len && !memcmp(file->text, conf->text, conf->len) && confd_link(k, &s->confd->at[i]))
			return true;
	}
	return false;
}

void sysctld_losers(struct kernel *k, const struct sysctld *s, const char *path, const struct sysctl_answer *answer,
		    struct confd_losers *out)
{
	const struct source *conf = sysctl_conf(k);
	struct sysctl_line last;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].value && &s->at[i] != answer->wins && concerns(&s->at[i], path))
			add_loser(k, out, &s->at[i], why_beaten(k->arena, &s->at[i], answer));
	confd_hidden(k, s->confd);
	for (size_t i = 0; i < s->confd->nhidden; i++) {
		const struct confd_file *f = &s->confd->hidden[i];

		if (last_in(k, &f->source, path, &last))
			add_loser(k, out, &last, arena_printf(k->arena, "the file is hidden by /%s", confd_hides(s->confd, f)->path));
	}
	if (conf && !is_linked(k, s, conf) && last_in(k, conf, path, &last))
		add_loser(k, out, &last, "systemd-sysctl does not read this file: it counts only through a link in sysctl.d");
}

/* --- the other loader ---------------------------------------------------------- */

const struct sysctl_line *sysctld_procps(struct kernel *k, const struct sysctld *s, const char *path)
{
	struct sysctl_line *last = arena_new_of(k->arena, struct sysctl_line), one;
	const struct source *conf = sysctl_conf(k);

	for (size_t i = 0; i < s->confd->n; i++)
		if (last_in(k, &s->confd->at[i].source, path, &one)) {
			*last = one;
			last->file = &s->confd->at[i];
			if (one.pattern)
				return NULL;
		}
	if (conf && last_in(k, conf, path, &one))
		*last = one;
	return last->path && !last->pattern ? last : NULL;
}

/* --- ours ------------------------------------------------------------------------ */

const struct sysctl_line *sysctld_after(const struct sysctld *s, const char *path, const char *name)
{
	const struct sysctl_line *l = last_by_name(s, path);

	return l && strcmp(l->file->name, name) > 0 ? l : NULL;
}

/* --- late keys ---------------------------------------------------------------- */

static bool line_has(const struct confd_line *l, const char *word)
{
	return memmem(l->s, l->n, word, strlen(word)) != NULL;
}

const struct confd_file *sysctld_on_module(struct kernel *k, const char *module)
{
	const struct udev *u;

	if (udev_load(k, UDEV_HOST, &u) < 0)
		return NULL;
	for (size_t i = 0; i < u->confd->n; i++) {
		struct confd_line l = { .source = &u->confd->at[i].source };

		while (confd_line(&l))
			if (l.n && *l.s != '#' && line_has(&l, module) && line_has(&l, "module") &&
			    (line_has(&l, "systemd-sysctl") || line_has(&l, "sysctl --system")))
				return &u->confd->at[i];
	}
	return NULL;
}
