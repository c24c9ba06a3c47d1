/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who could have written a policy. Whoever can replace a file, a directory above it, or a symbolic link on the way
 * decides what root does; so every step of the way is looked at, links and what they lead to as well.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/parts.h"

enum { LINKS_MAX = 40, SHOWN_MAX = 256 };

static int refuse(const char *path, const struct stat *st, struct diags *d)
{
	const char *shown = text_safe(d->arena, path, strlen(path), SHOWN_MAX);

	if (st->st_uid)
		diag_error(d, NULL, "%s is not owned by root but by user %u", shown, st->st_uid);
	else
		diag_error(d, NULL, "%s can be written by others than root (mode %04o)", shown, st->st_mode & 07777);
	diag_hint(d, "whoever can write a policy, or a directory above it, decides what root does; chown and chmod it, or say "
		     "--trust-policy");
	return -EPERM;
}

static int fail(const char *path, int err, struct diags *d)
{
	diag_error(d, NULL, "cannot look at %s", text_safe(d->arena, path, strlen(path), SHOWN_MAX))->err = err;
	return -err;
}

/* The first step of @path into @name, "" behind the last. Return: what is left of it, or NULL if a name is too long. */
static const char *step(const char *path, char name[NAME_MAX + 1])
{
	size_t n;

	path += strspn(path, "/");
	n = strcspn(path, "/");
	if (n > NAME_MAX)
		return NULL;
	memcpy(name, path, n);
	name[n] = 0;
	return path + n;
}

/* @name below @dir, into @out; `.` and `..` as the kernel takes them, since @dir holds no link. */
static bool descend(const char *dir, const char *name, char out[PATH_MAX])
{
	size_t n = strlen(dir);

	if (n + strlen(name) + 2 > PATH_MAX)
		return false;
	memcpy(out, dir, n + 1);
	if (!strcmp(name, "."))
		return true;
	if (!strcmp(name, "..")) {
		char *slash = strrchr(out, '/');

		slash[slash == out] = 0;
		return true;
	}
	out[n] = '/';
	strcpy(out + n + (strcmp(dir, "/") != 0), name);
	return true;
}

/* Walks @path from the directory @dir, which is trusted already. */
static int walk(const char *dir, const char *path, unsigned *links, struct diags *d)
{
	char at[PATH_MAX], next[PATH_MAX], target[PATH_MAX], name[NAME_MAX + 1];
	struct stat st;
	ssize_t n;

	strcpy(at, dir);
	for (path = step(path, name); path && *name; path = step(path, name)) {
		if (!descend(at, name, next))
			return fail(at, ENAMETOOLONG, d);
		if (lstat(next, &st) < 0)
			return fail(next, errno, d);
		if (!S_ISLNK(st.st_mode)) {
			if (st.st_uid || (st.st_mode & (S_IWGRP | S_IWOTH)))
				return refuse(next, &st, d);
			strcpy(at, next);
			continue;
		}
		if (st.st_uid)
			return refuse(next, &st, d);
		n = readlink(next, target, sizeof(target) - 1);
		if (n < 0 || ++*links > LINKS_MAX || (size_t)n + strlen(path) + 1 > sizeof(target))
			return fail(next, n < 0 ? errno : ELOOP, d);
		strcpy(target + n, path);
		return walk(*target == '/' ? "/" : at, target, links, d);
	}
	return path ? 0 : fail(dir, ENAMETOOLONG, d);
}

static int check(const char *path, struct diags *d)
{
	char here[PATH_MAX];
	unsigned links = 0;
	struct stat root;

	if (lstat("/", &root) < 0)
		return fail("/", errno, d);
	if (root.st_uid || (root.st_mode & (S_IWGRP | S_IWOTH)))
		return refuse("/", &root, d);
	if (*path == '/')
		return walk("/", path, &links, d);
	if (!getcwd(here, sizeof(here)))
		return fail(".", errno, d);
	return walk("/", arena_printf(d->arena, "%s/%s", here, path), &links, d);
}

int policy_trusted(const struct policy *p, struct diags *d)
{
	int result = 0;

	for (size_t i = 0; i < p->files.n && result == 0; i++)
		if (strcmp(p->files.at[i]->path, "-") != 0)
			result = check(p->files.at[i]->path, d);
	return result;
}
