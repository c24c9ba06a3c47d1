/* SPDX-License-Identifier: Apache-2.0 */
/* The .d directories: which files count, in which order. Speaks to the file door alone; see confd.h. */
#include "boot/confd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

enum { LINK_MAX_SHOWN = 200 };

struct building {
	struct kernel *k;
	struct confd_file *at;
	size_t n, room;
	struct { struct confd_file *at; size_t n, room; } hidden;
};

static bool counts(const char *name, const char *const *suffixes)
{
	size_t n = strlen(name);

	if (name[0] == '.')
		return false;
	for (; *suffixes; suffixes++) {
		size_t len = strlen(*suffixes);

		if (n > len && !strcmp(name + n - len, *suffixes))
			return true;
	}
	return false;
}

static bool have_name(const struct building *b, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(b->at[i].name, name))
			return true;
	return false;
}

static int add_dir(struct building *b, const char *dir, const char *const *suffixes)
{
	size_t higher = b->n;
	struct names names;
	int r = kernel_list(b->k, dir, &names);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		struct confd_file *f;

		if (!counts(names.at[i], suffixes))
			continue;
		f = have_name(b, higher, names.at[i]) ? &list_add(&b->hidden, b->k->arena) : &list_add(b, b->k->arena);
		*f = (struct confd_file){ .name = names.at[i] };
		f->path = arena_printf(b->k->arena, "%s/%s", dir, names.at[i]);
	}
	return 0;
}

/* A link to /dev/null hides a file; below a root it leads nowhere, or to a device that is not opened there. */
static bool leads_to_null(struct kernel *k, const struct confd_file *f)
{
	TEXT_CLEANUP struct text t = { 0 };

	return kernel_link(k, f->path, &t) == 0 && !strcmp(text_str(&t), "/dev/null");
}

static void load_file(struct kernel *k, struct confd_file *f)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, f->path, &t);

	f->source.name = arena_printf(k->arena, "/%s", f->path);
	f->source.text = "";
	if (r == -ENOENT || r == -EISDIR)	/* nothing is said there */
		return;
	if (r < 0) {
		f->err = leads_to_null(k, f) ? 0 : r;
		return;
	}
	f->source.text = arena_strndup(k->arena, text_str(&t), t.n);
	f->source.len = t.n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct confd_file *)a)->name, ((const struct confd_file *)b)->name);
}

int confd_dirs(struct kernel *k, const char *const *dirs, const char *const *suffixes, const struct confd **out)
{
	struct building b = { .k = k };
	struct confd *c;

	for (; *dirs; dirs++) {
		int r = add_dir(&b, *dirs, suffixes);

		if (r < 0)
			return r;
	}
	if (b.n)
		qsort(b.at, b.n, sizeof(b.at[0]), by_name);
	for (size_t i = 0; i < b.n; i++)
		load_file(k, &b.at[i]);
	c = arena_new_of(k->arena, struct confd);
	*c = (struct confd){ b.at, b.n, b.hidden.at, b.hidden.n };
	*out = c;
	return 0;
}

/* Where /usr is merged, /lib is a link to /usr/lib, and one of the two is enough. */
static bool lib_is_directory(struct kernel *k)
{
	TEXT_CLEANUP struct text t = { 0 };

	return kernel_link(k, "lib", &t) == -EINVAL;
}

int confd_load(struct kernel *k, const char *subdir, const char *const *suffixes, const struct confd **out)
{
	static const char *const prefixes[] = { "etc", "run", "usr/local/lib", "usr/lib", "lib" };
	const char *dirs[sizeof(prefixes) / sizeof(prefixes[0]) + 1] = { 0 };
	size_t n = sizeof(prefixes) / sizeof(prefixes[0]);

	if (!lib_is_directory(k))
		n--;
	for (size_t i = 0; i < n; i++)
		dirs[i] = arena_printf(k->arena, "%s/%s", prefixes[i], subdir);
	return confd_dirs(k, dirs, suffixes, out);
}

const struct confd_file *confd_unread(const struct confd *c, size_t from)
{
	for (size_t i = from; i < c->n; i++)
		if (c->at[i].err)
			return &c->at[i];
	return NULL;
}

void confd_hidden(struct kernel *k, const struct confd *c)
{
	for (size_t i = 0; i < c->nhidden; i++)
		if (!c->hidden[i].source.name)
			load_file(k, &c->hidden[i]);
}

const struct confd_file *confd_hides(const struct confd *c, const struct confd_file *f)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].name, f->name))
			return &c->at[i];
	return NULL;
}

const char *confd_link(struct kernel *k, const struct confd_file *f)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (kernel_link(k, f->path, &t) < 0)
		return NULL;
	return text_safe(k->arena, text_str(&t), t.n, LINK_MAX_SHOWN);
}

/* --- lines ------------------------------------------------------------------ */

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

bool confd_line(struct confd_line *l)
{
	const char *text = l->source->text, *end;

	if (l->next >= l->source->len)
		return false;
	l->s = text + l->next;
	end = memchr(l->s, '\n', l->source->len - l->next);
	if (!end)
		end = text + l->source->len;
	l->next = (size_t)(end - text) + 1;
	l->line++;
	for (; l->s < end && blank(*l->s); l->s++)
		;
	for (; end > l->s && blank(end[-1]); end--)
		;
	l->n = (size_t)(end - l->s);
	return true;
}

/* Characters as an editor counts them: bytes that continue one are none. */
static unsigned characters(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += ((unsigned char)*from & 0xc0) != 0x80;
	return n;
}

struct pos confd_pos(const struct confd_line *l, const char *s, size_t n)
{
	const char *start = l->s;

	while (start > l->source->text && start[-1] != '\n')
		start--;
	return (struct pos){ .source = l->source, .line = l->line, .col = characters(start, s) + 1,
			     .len = characters(s, s + n) };
}
