/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the user and files of our own. A reader of a replaced file sees the old or the new content, also after a
 * crash; symbolic links are not followed where we write, so that nobody can point root's pen elsewhere.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"

enum { LOAD_CHUNK = 64 << 10, LABEL_MAX = 4096, TRIES = 100 };

#define LABEL "security.selinux"

/* Reads to the end into memory that grows; -EFBIG beyond @max. */
static int load(struct arena *a, int fd, size_t hint, size_t max, char **text, size_t *len)
{
	size_t room = hint + 1, n = 0;
	char *s = arena_alloc(a, room + 1);
	ssize_t got;

	for (;;) {
		if (n == room) {
			s = arena_grow(a, s, room, room + 1, 1);
			room *= 2;
		}
		got = read(fd, s + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		n += (size_t)got;
		if (n > max)
			return -EFBIG;
		if (got == 0)
			break;
	}
	s[n] = '\0';
	*text = s;
	*len = n;
	return 0;
}

static int load_fd(struct arena *a, int fd, size_t max, char **text, size_t *len)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return load(a, fd, LOAD_CHUNK, max, text, len);
	if ((uint64_t)st.st_size > max)
		return -EFBIG;
	return load(a, fd, (size_t)st.st_size, max, text, len);
}

int file_load(struct arena *a, const char *path, size_t max, const struct source **out, struct diags *d)
{
	bool standard = strcmp(path, "-") == 0;
	struct source *s = arena_new_of(a, struct source);
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct diag *one;
	char *text;
	int r;

	s->name = standard ? "<stdin>" : arena_strdup(a, path);
	r = fd < 0 ? -errno : load_fd(a, fd, max, &text, &s->len);
	if (fd >= 0 && !standard)
		close(fd);
	if (r == 0) {
		s->text = text;
		*out = s;
		return 0;
	}
	one = diag_error(d, &(struct pos){ .source = s }, "cannot be read");
	if (r == -EFBIG)
		one->what = arena_printf(d->arena, "is longer than %zu bytes, the most that is taken", max);
	else
		one->err = -r;
	return r;
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t put = write(fd, s, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		s += put;
		n -= (size_t)put;
	}
	return 0;
}

/* A new file ".NAME.xxxxxxxx" beside NAME, whose name nobody could guess; returns its descriptor or -errno. */
static int open_beside(int dirfd, const char *name, char *beside, size_t room)
{
	for (int i = 0; i < TRIES; i++) {
		uint32_t random;
		int n, fd;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		n = snprintf(beside, room, ".%s.%08x", name, random);
		if (n < 0 || (size_t)n >= room)
			return -ENAMETOOLONG;
		fd = openat(dirfd, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/* What stays of the old file: mode (unless @exact), owner where we may give files away, label where the system has labels. */
static int keep_attributes(int dirfd, const char *name, int fd, mode_t mode, bool exact)
{
	int old = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char label[LABEL_MAX];
	struct stat st;
	ssize_t n;
	int r = 0;

	if (old < 0 && errno == ENOENT)
		return fchmod(fd, mode) < 0 ? -errno : 0;
	if (old < 0)
		return -errno;
	n = fgetxattr(old, LABEL, label, sizeof(label));
	if (fstat(old, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EEXIST;
	else if (fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		r = -errno;
	else if (fchmod(fd, exact ? mode : st.st_mode & 07777) < 0)
		r = -errno;
	else if (n > 0 && fsetxattr(fd, LABEL, label, (size_t)n, 0) < 0 && errno != EOPNOTSUPP && errno != EPERM)
		r = -errno;
	close(old);
	return r;
}

static int fill(int dirfd, const char *name, int fd, const void *s, size_t n, mode_t mode, bool exact)
{
	int r = write_all(fd, s, n);

	if (r < 0)
		return r;
	r = keep_attributes(dirfd, name, fd, mode, exact);
	if (r < 0)
		return r;
	return fsync(fd) < 0 ? -errno : 0;
}

static int replace_at(int dirfd, const char *name, const void *s, size_t n, mode_t mode, bool exact)
{
	char beside[NAME_MAX + 1];
	int fd = open_beside(dirfd, name, beside, sizeof(beside));
	int r;

	if (fd < 0)
		return fd;
	r = fill(dirfd, name, fd, s, n, mode, exact);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(dirfd, beside, dirfd, name) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dirfd, beside, 0);
		return r;
	}
	return fsync(dirfd) < 0 ? -errno : 0;
}

int file_replace_at(int dirfd, const char *name, const void *s, size_t n, mode_t mode)
{
	return replace_at(dirfd, name, s, n, mode, false);
}

static int replace(const char *path, const void *s, size_t n, mode_t mode, bool exact, struct diags *d)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dir = !slash	  ? "." :
			  slash == path ? "/" :
					  arena_strndup(d->arena, path, (size_t)(slash - path));
	int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = dirfd < 0 ? -errno : *name ? replace_at(dirfd, name, s, n, mode, exact) : -EISDIR;
	struct diag *one;

	if (dirfd >= 0)
		close(dirfd);
	if (r == 0)
		return 0;
	one = diag_error(d, NULL, "cannot write %s", path);
	one->err = -r;
	if (r == -ELOOP)
		diag_hint(d, "it is a symbolic link, which is not followed; name the file itself");
	return r;
}

int file_replace(const char *path, const void *s, size_t n, mode_t mode, struct diags *d)
{
	return replace(path, s, n, mode, false, d);
}

int file_replace_mode(const char *path, const void *s, size_t n, mode_t mode, struct diags *d)
{
	return replace(path, s, n, mode, true, d);
}

static void tell_holder(int fd, const char *path, struct diags *d)
{
	char who[FILE_HOLDER];
	ssize_t n = pread(fd, who, sizeof(who), 0);

	diag_error(d, NULL, "another rdmactl holds the lock %s", path);
	n = (ssize_t)text_trim(who, n > 0 ? (size_t)n : 0);
	if (n)
		diag_hint(d, "held by %s; wait for it to end", text_safe(d->arena, who, (size_t)n, FILE_HOLDER));
}

static int take(int fd, const char *who)
{
	char line[FILE_HOLDER], now[UNITS_UTC];
	int n, r;

	units_utc(time(NULL), now);
	n = snprintf(line, sizeof(line), "process %ld, rdmactl %s, since %s\n", (long)getpid(), who, now);
	if (ftruncate(fd, 0) < 0)
		return -errno;
	r = (int)pwrite(fd, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1, 0);
	return r < 0 ? -errno : 0;
}

/*
 * A lock of the open file description: it dies with the process like flock's, and others can ask for it without taking it,
 * so that a reader never makes a writer fail.
 */
static int try_lock(int fd, int cmd, struct flock *l)
{
	*l = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
	if (fcntl(fd, cmd, l) == 0)
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int lock_within(int fd, unsigned wait_s)
{
	const struct timespec step = { .tv_nsec = 50000000 };
	int64_t end = now_ms() + 1000 * (int64_t)wait_s;
	struct flock l;
	int r;

	while ((r = try_lock(fd, F_OFD_SETLK, &l)) == -EAGAIN && now_ms() < end)
		nanosleep(&step, NULL);
	return r;
}

int file_lock(const char *path, const char *who, unsigned wait_s, int *fd, struct diags *d)
{
	int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	int r = f < 0 ? -errno : lock_within(f, wait_s);

	if (r == 0)
		r = take(f, who);
	if (r == 0) {
		*fd = f;
		return 0;
	}
	if (r == -EAGAIN)
		tell_holder(f, path, d);
	else
		diag_error(d, NULL, "cannot take the lock %s", path)->err = -r;
	if (f >= 0)
		close(f);
	return r;
}

int file_locked(const char *path, char who[FILE_HOLDER])
{
	int f = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int r = f < 0 ? -errno : 0;
	struct flock l;
	ssize_t n;

	who[0] = '\0';
	if (f < 0)
		return r == -ENOENT ? 0 : r;
	r = try_lock(f, F_OFD_GETLK, &l);
	if (r == 0 && l.l_type != F_UNLCK) {
		n = pread(f, who, FILE_HOLDER - 1, 0);
		who[n > 0 ? text_trim(who, (size_t)n) : 0] = '\0';
		r = 1;
	}
	close(f);
	return r;
}

void file_unlock(int fd)
{
	/* the lock goes with the descriptor; a name left in the file would only mislead */
	if (ftruncate(fd, 0) < 0)
		errno = 0;
	close(fd);
}
