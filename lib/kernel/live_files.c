/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of this machine, or of a tree below --root. Below a root all links are resolved inside it, by the kernel
 * (openat2, RESOLVE_IN_ROOT) or, where it is older than 5.6, by our own eyes; nothing but plain files is opened
 * there, since a foreign tree may hold devices. Files that rdmactl owns are replaced by rename, never edited.
 */
#include "kernel/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

#define LINKS_MAX	40	/* as in the kernel */
#define ENTRIES_MAX	(1u << 20)
#define READ_STEP	4096u
#define WHOLE_BELOW	1024u

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define FD_CLEANUP __attribute__((cleanup(fd_close)))

static void pop(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* Puts @target and what is left behind it into @rest. */
static int unfold(char rest[PATH_MAX], const char *target, const char *behind)
{
	char both[2 * PATH_MAX];
	int n = snprintf(both, sizeof(both), "%s/%s", target, behind);

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(rest, both, (size_t)n + 1);
	return 0;
}

int live_resolve(int root, const char *path, bool follow, char out[PATH_MAX])
{
	char rest[PATH_MAX], name[PATH_MAX], target[PATH_MAX];
	int links = 0;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(rest, path);
	*out = '\0';
	for (char *next = rest; *next;) {
		size_t n = strcspn(next, "/");
		ssize_t got;
		char *behind = next + n;

		behind += strspn(behind, "/");
		memcpy(name, next, n);
		name[n] = '\0';
		next = behind;
		if (!n || !strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			pop(out);
			continue;
		}
		if (strlen(out) + n + 2 > PATH_MAX)
			return -ENAMETOOLONG;
		if (*out)
			strcat(out, "/");
		strcat(out, name);
		if (!*next && !follow)
			break;
		got = readlinkat(root, out, target, sizeof(target) - 1);
		if (got < 0)
			continue;
		if (++links > LINKS_MAX)
			return -ELOOP;
		target[got] = '\0';
		pop(out);
		if (*target == '/')
			*out = '\0';
		if (unfold(rest, target, next) < 0)
			return -ENAMETOOLONG;
		next = rest;
	}
	return 0;
}

static int open_textual(struct live *l, const char *path, int flags)
{
	char plain[PATH_MAX];
	int r = live_resolve(l->root, path, !(flags & O_NOFOLLOW), plain);
	int fd;

	if (r < 0)
		return r;
	fd = openat(l->root, *plain ? plain : ".", flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_inside(struct live *l, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(unsigned)flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	long fd = -1;

	if (l->no_openat2)
		return open_textual(l, path, flags);
	for (int tries = 0; tries < 8; tries++) { /* EAGAIN: something was renamed beside a `..` */
		fd = syscall(SYS_openat2, l->root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	if (fd >= 0)
		return (int)fd;
	if (errno != ENOSYS && errno != EPERM) /* EPERM: a container's filter that does not know the call */
		return -errno;
	l->no_openat2 = errno == ENOSYS;
	return open_textual(l, path, flags);
}

int live_open(struct live *l, const char *path, int flags)
{
	int fd;

	if (!*path)
		path = ".";
	if (!l->whole)
		return open_inside(l, path, flags);
	fd = openat(l->root, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * A short read ends a plain file, and a kernel file of one value: asking again would be one more firmware command for
 * files such as mlx5's cc_params. Lists of the kernel come in pieces, each shorter than a page, and are read on.
 */
static bool is_end(const char *path, size_t got)
{
	bool sys = !strncmp(path, "sys/", 4), proc = !strncmp(path, "proc/", 5);

	if (!sys && !proc)
		return got < READ_STEP;
	return got < WHOLE_BELOW && (sys || !strncmp(path, "proc/sys/", 9));
}

void live_leave(struct live *l)
{
	if (l->near.fd >= 0)
		close(l->near.fd);
	l->near.fd = -1;
	l->near.n = 0;
}

/*
 * Opens a file to read. From the second of one directory on, it is opened from there: a path through sysfs has up to
 * twenty components, and a port's parameters are twenty files. What is not there is looked for by its whole path.
 */
static int open_near(struct live *l, const char *path)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int fd = -1;

	if (!l->whole || !n || n >= sizeof(l->near.path))
		return live_open(l, path, flags);
	if (n != l->near.n || memcmp(path, l->near.path, n)) {
		live_leave(l);
		memcpy(l->near.path, path, n);
		l->near.path[n] = '\0';
		l->near.n = n;
		return live_open(l, path, flags);
	}
	if (l->near.fd < 0)
		l->near.fd = openat(l->root, l->near.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->near.fd >= 0)
		fd = openat(l->near.fd, slash + 1, flags);
	return fd >= 0 ? fd : live_open(l, path, flags);
}

/* A foreign tree may hold devices and pipes. */
static int plain_file(struct live *l, int fd)
{
	struct stat st;

	if (l->whole)
		return 0;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

int live_read(struct kernel *k, const char *path, struct text *out)
{
	struct live *l = k->self;
	FD_CLEANUP int fd = open_near(l, path);
	size_t total = 0, before = out->n;
	ssize_t got;
	int r = fd < 0 ? fd : plain_file(l, fd);

	if (r < 0)
		return r;
	for (;;) {
		got = read(fd, text_room(out, READ_STEP), READ_STEP);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		text_used(out, (size_t)got);
		total += (size_t)got;
		if (total > KERNEL_FILE_MAX)
			break;
		if (is_end(path, (size_t)got))
			return 0;
	}
	r = got < 0 ? -errno : got > 0 ? -EFBIG : 0;
	if (r < 0 && total) {
		out->n = before;
		out->s[before] = '\0';
	}
	return r;
}

int live_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n)
{
	struct live *l = k->self;
	FD_CLEANUP int fd = open_near(l, path);
	ssize_t got;
	int r = fd < 0 ? fd : plain_file(l, fd);

	if (r < 0)
		return r;
	if (n > KERNEL_FILE_MAX)
		n = KERNEL_FILE_MAX;
	do
		got = pread(fd, to, n, offset);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : (int)got;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int live_list(struct kernel *k, const char *path, struct names *out)
{
	FD_CLEANUP int fd = live_open(k->self, path, O_RDONLY | O_DIRECTORY);
	struct { const char **at; size_t n, room; } list = { 0 };
	_Alignas(struct dirent64) char buf[8192];
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = getdents64(fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *e = (const void *)(buf + at);

			at += e->d_reclen;
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
				continue;
			if (list.n == ENTRIES_MAX)
				return -EFBIG;
			list_add(&list, k->arena) = arena_strdup(k->arena, e->d_name);
		}
	if (got < 0)
		return -errno;
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_name);
	*out = (struct names){ .at = list.at, .n = list.n };
	return 0;
}

int live_link(struct kernel *k, const char *path, struct text *out)
{
	struct live *l = k->self;
	char target[PATH_MAX];
	ssize_t got;

	if (l->whole) {
		got = readlinkat(l->root, path, target, sizeof(target));
	} else {
		FD_CLEANUP int fd = live_open(l, path, O_PATH | O_NOFOLLOW);

		if (fd < 0)
			return fd;
		got = readlinkat(fd, "", target, sizeof(target));
		if (got < 0 && errno == ENOENT)
			return -EINVAL; /* what an empty name says of something that is no link */
	}
	if (got < 0)
		return -errno;
	if ((size_t)got == sizeof(target))
		return -ENAMETOOLONG;
	text_addn(out, target, (size_t)got);
	return 0;
}

int live_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	struct live *l = k->self;
	struct stat s;

	if (l->whole) {
		if (fstatat(l->root, *path ? path : ".", &s, 0) < 0)
			return -errno;
	} else {
		FD_CLEANUP int fd = live_open(l, path, O_PATH);

		if (fd < 0)
			return fd;
		if (fstat(fd, &s) < 0)
			return -errno;
	}
	*st = (struct kernel_stat){
		.mode = s.st_mode,
		.size = (uint64_t)s.st_size,
		.mtime_ns = s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec,
	};
	return 0;
}

int live_write(struct kernel *k, const char *path, const char *s, size_t n)
{
	FD_CLEANUP int fd = live_open(k->self, path, O_WRONLY | O_NOCTTY);
	ssize_t done;

	live_leave(k->self);
	if (fd < 0)
		return fd;
	do
		done = write(fd, s, n);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -EIO;
}

/* Makes @prefix, a directory whose parent is open as @dir; a link there that leads nowhere stays -ENOENT. */
static int make_dir(struct live *l, int dir, const char *prefix)
{
	const char *slash = strrchr(prefix, '/');

	if (mkdirat(dir, slash ? slash + 1 : prefix, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (fsync(dir) < 0)
		return -errno;
	return live_open(l, prefix, O_RDONLY | O_DIRECTORY);
}

/* Opens the directory that holds @path, makes what is missing of it if asked, and sets *name to the last part. */
static int open_parent(struct live *l, const char *path, bool make, const char **name)
{
	char part[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int fd, dir = -1;

	*name = slash ? slash + 1 : path;
	if (!**name)
		return -EINVAL;
	snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - path) : 0, path);
	fd = live_open(l, part, O_RDONLY | O_DIRECTORY);
	if (fd != -ENOENT || !make)
		return fd;
	dir = live_open(l, "", O_RDONLY | O_DIRECTORY);
	for (const char *s = path; dir >= 0 && s < slash; s += strcspn(s, "/"), s += *s == '/') {
		size_t n = strcspn(s, "/");

		snprintf(part, sizeof(part), "%.*s", (int)(s - path + (ptrdiff_t)n), path);
		fd = live_open(l, part, O_RDONLY | O_DIRECTORY);
		if (fd == -ENOENT)
			fd = make_dir(l, dir, part);
		close(dir);
		dir = fd;
	}
	return dir;
}

int live_mkdir(struct kernel *k, const char *path)
{
	struct live *l = k->self;

	live_leave(l);
	return mkdirat(l->root, path, 0755) < 0 ? -errno : 0;
}

int live_rmdir(struct kernel *k, const char *path)
{
	struct live *l = k->self;

	live_leave(l);
	return unlinkat(l->root, path, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int live_remove(struct kernel *k, const char *path)
{
	const char *name;
	FD_CLEANUP int dir = open_parent(k->self, path, false, &name);

	live_leave(k->self);
	if (dir < 0)
		return dir;
	if (unlinkat(dir, name, 0) < 0)
		return -errno;
	return fsync(dir) < 0 ? -errno : 0;
}

/* The label that the administrator or the policy gave the old file; where there is none, the directory decides. */
static void keep_label(int dir, const char *name, int to)
{
	FD_CLEANUP int from = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char label[1024];
	ssize_t n = from < 0 ? -1 : fgetxattr(from, "security.selinux", label, sizeof(label));

	if (n > 0 && fsetxattr(to, "security.selinux", label, (size_t)n, 0) < 0)
		return; /* not ours to set here: what the directory gives must do */
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			s += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static int fill_new(int dir, const char *name, const char *temp, const char *s, size_t n, uint32_t mode)
{
	FD_CLEANUP int fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, s, n);
	if (r < 0)
		return r;
	keep_label(dir, name, fd);
	if (fchmod(fd, mode & 07777) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int live_replace(struct kernel *k, const char *path, const char *s, size_t n, uint32_t mode)
{
	const char *name;
	FD_CLEANUP int dir = open_parent(k->self, path, true, &name);
	char temp[NAME_MAX + 1];
	struct stat st;
	int r;

	live_leave(k->self);
	if (dir < 0)
		return dir;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return S_ISLNK(st.st_mode) ? -ELOOP : S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	/* one name for all times: what a killed run left is taken away by the next, and no *.conf reader sees it */
	if (snprintf(temp, sizeof(temp), KERNEL_BESIDE, name) >= (int)sizeof(temp))
		return -ENAMETOOLONG;
	unlinkat(dir, temp, 0);
	r = fill_new(dir, name, temp, s, n, mode);
	if (r == 0 && renameat(dir, temp, dir, name) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dir, temp, 0);
		return r;
	}
	return fsync(dir) < 0 ? -errno : 0;
}

/*
 * O_APPEND and one write: a run that is killed leaves a line or none. On a full disk some of it may have been taken, and
 * goes again.
 */
int live_append(struct kernel *k, const char *path, const char *s, size_t n, bool sync)
{
	const char *name;
	FD_CLEANUP int dir = open_parent(k->self, path, true, &name);
	int fd;
	struct stat st = { 0 };
	int r = 0;

	live_leave(k->self);
	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else
		r = write_all(fd, s, n);
	if (r == 0 && sync && (fsync(fd) < 0 || fsync(dir) < 0))
		r = -errno;
	if (r < 0 && S_ISREG(st.st_mode) && ftruncate(fd, st.st_size) < 0)
		r = -EIO;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

int live_rename(struct kernel *k, const char *from, const char *to)
{
	const char *was, *is;
	FD_CLEANUP int old = open_parent(k->self, from, false, &was);
	FD_CLEANUP int new = open_parent(k->self, to, true, &is);

	live_leave(k->self);
	if (old < 0 || new < 0)
		return old < 0 ? old : new;
	if (renameat(old, was, new, is) < 0)
		return -errno;
	return fsync(new) < 0 || fsync(old) < 0 ? -errno : 0;
}
