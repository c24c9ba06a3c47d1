/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all implementations of the machine have in common: who may set anything, which paths are taken, the count
 * of writes, and the memos that let many settings share one answer.
 */
#include "kernel/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define MEMO_BUCKETS 256u

struct memo_entry {
	struct memo_entry *next;
	uint64_t hash;
	void *value;
	char key[];
};

struct memo {
	struct memo_entry *bucket[MEMO_BUCKETS];
};

/* FNV-1a's step on eight bytes at a time: keys hold paths, and there are hundreds. */
static uint64_t hash_of(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u, word;

	for (; n >= sizeof(word); s += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = (h ^ word) * 1099511628211u;
		h ^= h >> 32;
	}
	for (; n; s++, n--)
		h = (h ^ (uint8_t)*s) * 1099511628211u;
	return h;
}

void **kernel_memo(struct kernel *k, const char *key)
{
	size_t n = strlen(key) + 1;
	uint64_t hash = hash_of(key, n - 1);
	struct memo_entry *e, **head;

	if (!k->memo)
		k->memo = arena_new_of(k->arena, struct memo);
	head = &k->memo->bucket[hash % MEMO_BUCKETS];
	for (e = *head; e; e = e->next)
		if (e->hash == hash && !strcmp(e->key, key))
			return &e->value;
	e = arena_alloc(k->arena, sizeof(*e) + n);
	memcpy(e->key, key, n);
	e->hash = hash;
	e->next = *head;
	*head = e;
	return &e->value;
}

void kernel_renew(struct kernel *k)
{
	if (k->memo)
		memset(k->memo, 0, sizeof(*k->memo));
}

void kernel_changed(struct kernel *k)
{
	k->writes++;
	kernel_renew(k);
}

/* Names in paths are checked where they come in (files_component); this is the second lock on the door. */
static int path_check(const char *path)
{
	if (*path == '/')
		return -EINVAL;
	if (!strstr(path, ".."))
		return strlen(path) < PATH_MAX ? 0 : -ENAMETOOLONG;
	for (const char *s = path; *s; s += strcspn(s, "/"), s += *s == '/')
		if (s[0] == '.' && s[1] == '.' && (s[2] == '/' || !s[2]))
			return -EINVAL;
	return strlen(path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int kernel_read(struct kernel *k, const char *path, struct text *out)
{
	int r = path_check(path);

	return r < 0 ? r : k->ops->read(k, path, out);
}

int kernel_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n)
{
	int r = path_check(path);

	if (r < 0)
		return r;
	return k->ops->read_at ? k->ops->read_at(k, path, offset, to, n) : -EOPNOTSUPP;
}

int kernel_list(struct kernel *k, const char *path, struct names *out)
{
	int r = path_check(path);

	return r < 0 ? r : k->ops->list(k, path, out);
}

int kernel_link(struct kernel *k, const char *path, struct text *out)
{
	int r = path_check(path);

	return r < 0 ? r : k->ops->link(k, path, out);
}

int kernel_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	int r = path_check(path);

	return r < 0 ? r : k->ops->stat(k, path, st);
}

int kernel_write(struct kernel *k, const char *path, const char *s, size_t n)
{
	int r = path_check(path);

	if (r == 0 && (k->read_only || k->files_only))
		r = -EROFS;
	if (r < 0)
		return r;
	r = k->ops->write(k, path, s, n);
	kernel_changed(k);
	return r;
}

int kernel_mkdir(struct kernel *k, const char *path)
{
	int r = path_check(path);

	if (r < 0)
		return r;
	return k->files_only ? -EROFS : k->ops->mkdir(k, path);
}

int kernel_rmdir(struct kernel *k, const char *path)
{
	int r = path_check(path);

	if (r < 0)
		return r;
	return k->files_only ? -EROFS : k->ops->rmdir(k, path);
}

int kernel_replace(struct kernel *k, const char *path, const char *s, size_t n, uint32_t mode)
{
	int r = path_check(path);

	if (r == 0 && k->read_only)
		r = -EROFS;
	if (r < 0)
		return r;
	r = k->ops->replace(k, path, s, n, mode);
	kernel_changed(k);
	return r;
}

int kernel_remove(struct kernel *k, const char *path)
{
	int r = path_check(path);

	if (r == 0 && k->read_only)
		r = -EROFS;
	if (r < 0)
		return r;
	r = k->ops->remove(k, path);
	kernel_changed(k);
	return r;
}

int kernel_tidy(struct kernel *k, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char beside[PATH_MAX];
	int n = snprintf(beside, sizeof(beside), "%.*s" KERNEL_BESIDE, (int)(name - path), path, name), r = path_check(path);

	if (r == 0 && (k->read_only || n >= (int)sizeof(beside)))
		r = k->read_only ? -EROFS : -ENAMETOOLONG;
	r = r < 0 ? r : k->ops->remove(k, beside);
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

/* Is this a place of our own memory, and may it be written? */
static int may_keep(const struct kernel *k, const char *path)
{
	int r = path_check(path);

	if (r == 0 && strncmp(path, KERNEL_OWN, strlen(KERNEL_OWN)) != 0)
		r = -EINVAL;
	return r == 0 && k->read_only ? -EROFS : r;
}

int kernel_append(struct kernel *k, const char *path, const char *s, size_t n, bool sync)
{
	int r = may_keep(k, path);

	if (r < 0)
		return r;
	return k->ops->append ? k->ops->append(k, path, s, n, sync) : -EOPNOTSUPP;
}

int kernel_rename(struct kernel *k, const char *from, const char *to)
{
	int r = may_keep(k, from);

	r = r < 0 ? r : may_keep(k, to);
	if (r < 0)
		return r;
	return k->ops->rename ? k->ops->rename(k, from, to) : -EOPNOTSUPP;
}

int kernel_keep(struct kernel *k, const char *path, const char *s, size_t n)
{
	int r = may_keep(k, path);

	return r < 0 ? r : k->ops->replace(k, path, s, n, 0644);
}

int kernel_drop(struct kernel *k, const char *path)
{
	int r = may_keep(k, path);

	return r < 0 ? r : k->ops->remove(k, path);
}

int kernel_talk(struct kernel *k, int protocol, const void *request, size_t n, bool sets, struct text *reply)
{
	int r;

	if (!k->ops->talk)
		return -EOPNOTSUPP;
	if (sets && (k->read_only || k->files_only))
		return -EROFS;
	r = k->ops->talk(k, protocol, request, n, reply);
	if (sets)
		kernel_changed(k);
	return r;
}

int kernel_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n, bool sets)
{
	int r;

	if (!k->ops->ethtool)
		return -EOPNOTSUPP;
	if (sets && (k->read_only || k->files_only))
		return -EROFS;
	r = k->ops->ethtool(k, ifname, cmd, n);
	if (sets)
		kernel_changed(k);
	return r;
}

int kernel_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	if (!k->asks_verbs)
		return -ENODATA;
	return k->ops->verbs ? k->ops->verbs(k, ibdev, port, out) : -EOPNOTSUPP;
}

int kernel_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	return k->ops->gids ? k->ops->gids(k, ibdev, entry, room, n) : -EOPNOTSUPP;
}

int kernel_lldp(struct kernel *k, struct lldp *out)
{
	return k->ops->lldp ? k->ops->lldp(k, out) : -EOPNOTSUPP;
}

int kernel_lldp_say(struct kernel *k, const struct lldp_words *w)
{
	int r;

	if (!k->ops->lldp_say)
		return -EOPNOTSUPP;
	if (k->read_only || k->files_only)
		return -EROFS;
	r = k->ops->lldp_say(k, w);
	kernel_changed(k);
	return r;
}

int kernel_wait(struct kernel *k, uint32_t ms)
{
	return k->ops->wait ? k->ops->wait(k, ms) : -EOPNOTSUPP;
}

void kernel_close(struct kernel *k)
{
	if (k && k->ops->close)
		k->ops->close(k);
}
