/* SPDX-License-Identifier: Apache-2.0 */
/* One value a file: text without its newline, numbers, names behind links; each file is read once an observation. */
#include "kernel/files.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/kernel.h"

struct kept {
	int err;
	const char *text;
};

/* "file:PATH" or "link:PATH" in @key; the path begins behind the colon */
static int key_of(char key[PATH_MAX + 8], const char *kind, const char *fmt, va_list ap)
{
	int at = (int)strlen(kind) + 1, n;

	memcpy(key, kind, (size_t)at - 1);
	key[at - 1] = ':';
	n = vsnprintf(key + at, PATH_MAX, fmt, ap);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : at;
}

static int read_text(struct kernel *k, const char *path, const char **out)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, path, &t);

	if (r < 0)
		return r;
	if (t.n && memchr(t.s, '\0', t.n))
		return -EBADMSG;
	if (t.n && t.s[t.n - 1] == '\n')
		t.n--;
	*out = arena_strndup(k->arena, text_str(&t), t.n);
	return 0;
}

static int read_link(struct kernel *k, const char *path, const char **out)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_link(k, path, &t);
	const char *slash;

	if (r < 0)
		return r;
	slash = strrchr(text_str(&t), '/');
	*out = arena_strdup(k->arena, slash ? slash + 1 : text_str(&t));
	return 0;
}

static int keep(struct kernel *k, const char *key, int at, int (*ask)(struct kernel *, const char *, const char **),
		const char **out)
{
	void **slot = kernel_memo(k, key);
	struct kept *kept = *slot;

	if (!kept) {
		*slot = kept = arena_new_of(k->arena, struct kept);
		kept->err = ask(k, key + at, &kept->text);
	}
	if (kept->err == 0)
		*out = kept->text;
	return kept->err;
}

int files_text(struct kernel *k, const char **text, const char *fmt, ...)
{
	char key[PATH_MAX + 8];
	va_list ap;
	int at;

	va_start(ap, fmt);
	at = key_of(key, "file", fmt, ap);
	va_end(ap);
	return at < 0 ? at : keep(k, key, at, read_text, text);
}

int files_link(struct kernel *k, const char **name, const char *fmt, ...)
{
	char key[PATH_MAX + 8];
	va_list ap;
	int at;

	va_start(ap, fmt);
	at = key_of(key, "link", fmt, ap);
	va_end(ap);
	return at < 0 ? at : keep(k, key, at, read_link, name);
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Kernels print ids with leading zeros, as in "0x01"; decimal ones never. */
static bool hex_u64(const char *s, uint64_t *v)
{
	uint64_t sum = 0;

	if (s[0] != '0' || (s[1] | 0x20) != 'x' || !s[2])
		return false;
	for (s += 2; *s; s++) {
		int digit = hex_digit(*s);

		if (digit < 0 || sum >> 60)
			return false;
		sum = sum << 4 | (unsigned)digit;
	}
	*v = sum;
	return true;
}

/* @key: "file:PATH" */
static int number_of(struct kernel *k, uint64_t *v, const char *key)
{
	const char *s = "";
	int r = keep(k, key, (int)strlen("file:"), read_text, &s);

	if (r < 0)
		return r;
	return text_u64(s, v) || hex_u64(s, v) ? 0 : -EBADMSG;
}

int files_u64(struct kernel *k, uint64_t *v, const char *fmt, ...)
{
	char key[PATH_MAX + 8];
	va_list ap;
	int at;

	va_start(ap, fmt);
	at = key_of(key, "file", fmt, ap);
	va_end(ap);
	return at < 0 ? at : number_of(k, v, key);
}

int files_number(struct kernel *k, uint64_t *v, const char *path)
{
	char key[PATH_MAX + 8];
	size_t n = strlen(path);

	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(key, "file:", strlen("file:"));
	memcpy(key + strlen("file:"), path, n + 1);
	return number_of(k, v, key);
}

bool files_exist(struct kernel *k, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct kernel_stat st;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return n >= 0 && n < (int)sizeof(path) && kernel_stat(k, path, &st) == 0;
}

/* The next blank-separated word of *s, cut off by a NUL in place; NULL at the end of the line. */
static const char *word(char **s)
{
	char *at = *s + strspn(*s, " \t"), *end = at + strcspn(at, " \t\n");

	if (end == at)
		return NULL;
	*s = end + (*end == ' ' || *end == '\t');
	if (*end != '\n')
		*end = '\0';
	return at;
}

bool files_mounted(struct kernel *k, const char *type, const char *path)
{
	const char *mounts;

	if (files_text(k, &mounts, "proc/mounts") < 0)
		return false;
	for (const char *line = mounts, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		char copy[PATH_MAX], *s = copy;
		const char *where, *what;

		next = line + n + (line[n] == '\n');
		if (n >= sizeof(copy))
			continue;
		memcpy(copy, line, n);
		copy[n] = '\0';
		if (!word(&s))
			continue;
		where = word(&s);
		what = where ? word(&s) : NULL;
		if (what && !strcmp(what, type) && where[0] == '/' && !strcmp(where + 1, path))
			return true;
	}
	return false;
}

int files_write(struct kernel *k, const char *path, const char *text, struct diags *d)
{
	TEXT_CLEANUP struct text line = { 0 };
	struct diag *one;
	int r;

	text_printf(&line, "%s\n", text);
	r = kernel_write(k, path, line.s, line.n);
	if (r >= 0)
		return r;
	one = diag_error(d, NULL, "cannot write %s", text_safe(k->arena, text, strlen(text), 100));
	one->err = -r;
	diag_object(d, "/%s", path);
	if (r == -EACCES || r == -EPERM)
		diag_hint(d, "only root may write here, and not inside a container or under kernel lockdown");
	else if (r == -ENOENT)
		diag_hint(d, "the device or its module went away since it was read");
	return r;
}

bool files_component(const char *name)
{
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < 0x20 || *name == 0x7f)
			return false;
	return true;
}
