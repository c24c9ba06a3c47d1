/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated machine opened, closed, locked, and its doors: each takes the lock, so that a program, simctl and a
 * test can have one machine at the same time.
 */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

void sim_lock(struct sim *s)
{
	if (s->locked++ == 0 && s->fd >= 0)
		while (flock(s->fd, LOCK_EX) < 0 && errno == EINTR)
			;
}

void sim_unlock(struct sim *s)
{
	if (--s->locked == 0 && s->fd >= 0)
		flock(s->fd, LOCK_UN);
}

static struct sim *sim_map(struct arena *a, int fd)
{
	struct sim *s;
	void *at = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
			fd, 0);

	if (at == MAP_FAILED)
		return NULL;
	s = arena_new_of(a, struct sim);
	s->st = at;
	s->arena = a;
	s->fd = fd;
	return s;
}

struct sim *sim_open(struct arena *a, const char *file, bool create)
{
	int fd = open(file, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
	struct stat st;
	struct sim *s;

	if (fd < 0)
		return NULL;
	if (create && (ftruncate(fd, sizeof(struct state)) < 0))
		goto fail;
	if (fstat(fd, &st) < 0)
		goto fail;
	errno = EINVAL;
	if ((uint64_t)st.st_size != sizeof(struct state))
		goto fail;
	s = sim_map(a, fd);
	if (!s)
		goto fail;
	if (create || (s->st->magic == SIM_MAGIC && s->st->size == sizeof(struct state)))
		return s;
	sim_close(s);
	errno = EINVAL;
	return NULL;
fail:
	close(fd);
	return NULL;
}

struct sim *sim_new(struct arena *a, const char *options)
{
	struct sim *s = sim_map(a, -1);

	if (!s || sim_do(s, "reset %s", options) < 0) {
		fprintf(stderr, "sim_new(\"%s\"): %s\n", options, s ? s->why : strerror(errno));
		abort();
	}
	return s;
}

void sim_close(struct sim *s)
{
	tree_drop(s);
	munmap(s->st, sizeof(struct state));
	if (s->fd >= 0)
		close(s->fd);
}

const char *sim_why(const struct sim *s)
{
	return s->why;
}

/* --- the doors: files --- */

static int denied(const struct sim *s, const char *real)
{
	for (int i = 0; i < SIM_DENIED; i++) {
		const struct denied *d = &s->st->denied[i];
		size_t n = strlen(d->path);

		if (d->err && !strncmp(real, d->path, n) && (!real[n] || real[n] == '/'))
			return -d->err;
	}
	return 0;
}

/* debugfs is root's own folder. */
static bool hidden(const struct sim *s, const char *real)
{
	return s->st->unprivileged && s->st->debugfs && !strncmp(real, "sys/kernel/debug/", 17);
}

static int find(struct sim *s, const char *path, bool follow, const struct node **node)
{
	int r = tree_find(s, path, follow, node);

	if (r == 0 && hidden(s, (*node)->path))
		r = -EACCES;
	return r < 0 ? r : denied(s, (*node)->path);
}

static int do_read(struct sim *s, const char *path, struct text *out)
{
	const struct node *n;
	int r = find(s, path, true, &n);

	if (r < 0)
		return r;
	if (n->kind == NODE_DIR)
		return -EISDIR;
	if (s->st->unprivileged ? !(n->mode & 0004) : !(n->mode & 0444))
		return -EACCES;
	return n->show(s, n, out);
}

static int do_list(struct sim *s, struct kernel *k, const char *path, struct names *out)
{
	const struct node *n;
	int r = find(s, path, true, &n);

	if (r < 0)
		return r;
	return n->kind == NODE_DIR ? tree_list(s, n, k->arena, out) : -ENOTDIR;
}

static int do_link(struct sim *s, const char *path, struct text *out)
{
	const struct node *n;
	int r = find(s, path, false, &n);

	if (r < 0)
		return r;
	if (n->kind != NODE_LINK)
		return -EINVAL;
	text_add(out, n->target);
	return 0;
}

static int do_stat(struct sim *s, const char *path, struct kernel_stat *st)
{
	static const uint32_t kinds[] = { [NODE_DIR] = S_IFDIR, [NODE_FILE] = S_IFREG, [NODE_LINK] = S_IFLNK };
	const struct node *n;
	int r = tree_find(s, path, true, &n);

	if (r == 0 && hidden(s, n->path))
		r = -EACCES;
	if (r < 0)
		return r;
	*st = (struct kernel_stat){ .mode = kinds[n->kind] | (n->mode & 07777) };
	if (n->file) {
		st->size = n->file->len;
		st->mtime_ns = n->file->mtime_ns;
	} else if (!strncmp(n->path, "sys/", 4) && n->kind == NODE_FILE) {
		st->size = 4096;	/* what sysfs says of any file */
	}
	return 0;
}

static int do_write(struct sim *s, const char *path, const char *text, size_t len)
{
	const struct node *n;
	int r = find(s, path, true, &n);

	if (r < 0)
		return r;
	if (n->kind == NODE_DIR)
		return -EISDIR;
	if (s->st->unprivileged || !(n->mode & 0222))
		return -EACCES;
	r = sim_set_begin(s, "write %s %.*s", n->path, (int)text_trim(text, len), text);
	if (r < 0)
		return r;
	return n->store ? n->store(s, n, text, len) : sim_untaught(s, "a write to %s", n->path);
}

/* Only rdma_cm's part of configfs makes directories for a mkdir; the others say what the real ones say. */
static int do_mkdir(struct sim *s, const char *path)
{
	const struct node *n;
	char real[SIM_PATH];
	int r = tree_find(s, path, true, &n);

	if (r == 0)
		return -EEXIST;
	r = tree_real(s, path, real);
	if (r == 0)
		r = denied(s, real);
	if (r < 0)
		return r;
	if (s->st->unprivileged)
		return -EACCES;
	if (!strncmp(real, "proc/", 5))
		return -ENOENT;
	if (!strncmp(real, "sys/kernel/config/rdma_cm/", 26))
		return cmfiles_mkdir(s, real);
	if (!strncmp(real, "sys/", 4))
		return -EPERM;
	return sim_untaught(s, "mkdir %s", real);
}

static int do_rmdir(struct sim *s, const char *path)
{
	const struct node *n;
	int r = find(s, path, false, &n);

	if (r < 0)
		return r;
	if (n->kind != NODE_DIR)
		return -ENOTDIR;
	if (s->st->unprivileged)
		return -EACCES;
	if (!strncmp(n->path, "sys/kernel/config/rdma_cm/", 26))
		return cmfiles_rmdir(s, n->path);
	if (!strncmp(n->path, "sys/", 4) || !strncmp(n->path, "proc/", 5))
		return -EPERM;
	return sim_untaught(s, "rmdir %s", n->path);
}

/* A new file in a folder of the kernel's own file systems is refused when it is created. */
static int may_create(struct sim *s, const char *real)
{
	if (!strncmp(real, "proc/", 5))
		return -ENOENT;
	return s->st->unprivileged || !strncmp(real, "sys/", 4) ? -EACCES : denied(s, real);
}

/* The program's own memory is no setting: not counted, not failed by the fault of a setting. */
static bool own_memory(const char *path)
{
	return !strncmp(path, "var/lib/rdmactl/", 16);
}

static int may_remember(struct sim *s, const char *path)
{
	if (s->st->unprivileged)
		return -EACCES;
	if (!own_memory(path))
		return sim_untaught(s, "remembering in %s", path);
	return -s->st->memory_errno;
}

static int do_replace(struct sim *s, const char *path, const char *text, size_t len, uint32_t mode)
{
	const struct node *n;
	char real[SIM_PATH];
	int r = tree_real(s, path, real);

	if (r == 0)
		r = may_create(s, real);
	if (r == 0 && tree_find(s, real, false, &n) == 0 && n->kind != NODE_FILE)
		r = n->kind == NODE_LINK ? -ELOOP : -EISDIR;
	if (r == 0)
		r = own_memory(real) ? may_remember(s, real) : sim_set_begin(s, "replace %s %zu bytes", real, len);
	return r < 0 ? r : overlay_put(s, real, text, len, 0100000 | mode, false);
}

static int do_remove(struct sim *s, const char *path)
{
	const struct node *n;
	int r = find(s, path, false, &n);

	if (r < 0)
		return r;
	if (n->kind == NODE_DIR)
		return -EISDIR;
	r = may_create(s, n->path);
	if (r == 0)
		r = own_memory(n->path) ? may_remember(s, n->path) : sim_set_begin(s, "remove %s", n->path);
	if (r < 0)
		return r;
	if (!n->file)
		return sim_untaught(s, "removing %s", n->path);
	overlay_remove(s, n->file);
	return 0;
}

static int do_append(struct sim *s, const char *path, const char *text, size_t len)
{
	struct plain_file *old = overlay_find(s, path);
	TEXT_CLEANUP struct text whole = { 0 };
	int r = may_remember(s, path);
	bool torn;

	if (r < 0)
		return r;
	if (old)
		text_addn(&whole, overlay_text(s, old), old->len);
	torn = s->tear_in && --s->tear_in == 0;
	text_addn(&whole, text, torn ? len / 2 : len);
	r = overlay_put(s, path, text_str(&whole), whole.n, 0100644, false);
	if (torn)
		raise(SIGKILL);
	return r;
}

static int do_rename(struct sim *s, const char *from, const char *to)
{
	struct plain_file *old = overlay_find(s, from);
	TEXT_CLEANUP struct text whole = { 0 };
	int r = may_remember(s, from);

	if (r == 0)
		r = may_remember(s, to);
	if (r < 0)
		return r;
	if (!old)
		return -ENOENT;
	text_addn(&whole, overlay_text(s, old), old->len);
	r = overlay_put(s, to, text_str(&whole), whole.n, 0100644, false);
	if (r == 0)
		overlay_remove(s, overlay_find(s, from));
	return r;
}

/* --- the doors --- */

static bool comes(unsigned *in)
{
	return *in && --*in == 0;
}

/* A test that wants the program killed on its way gets that between two doors: the machine changes only in them. */
static void maybe_killed(struct sim *s)
{
	if (comes(&s->kill_in))
		raise(SIGKILL);
}

/* udev, modprobe and a driver are at work beside us. */
static void maybe_changed(struct sim *s)
{
	if (comes(&s->comes_in[COMES_RENAME]))
		nic_rename(s, &s->st->nic[0]);
	if (comes(&s->comes_in[COMES_RENAME_RDMA]))
		nic_rename_rdma(s, &s->st->nic[0]);
	if (comes(&s->comes_in[COMES_LOAD]))
		module_load(s, "rdma_ucm", 0, NULL);
	if (comes(&s->comes_in[COMES_RELOAD]))
		nic_reload(s, &s->st->nic[0]);
}

#define DOOR(call)                     \
	struct sim *s = k->self;       \
	int r;                         \
				       \
	maybe_killed(s);               \
	sim_lock(s);                   \
	maybe_changed(s);              \
	r = (call);                    \
	sim_unlock(s);                 \
	return r

static int door_read(struct kernel *k, const char *path, struct text *out)
{
	DOOR(do_read(s, path, out));
}

static int door_list(struct kernel *k, const char *path, struct names *out)
{
	DOOR(do_list(s, k, path, out));
}

static int door_link(struct kernel *k, const char *path, struct text *out)
{
	DOOR(do_link(s, path, out));
}

static int door_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	DOOR(do_stat(s, path, st));
}

static int door_write(struct kernel *k, const char *path, const char *text, size_t n)
{
	DOOR(do_write(s, path, text, n));
}

static int door_mkdir(struct kernel *k, const char *path)
{
	DOOR(do_mkdir(s, path));
}

static int door_rmdir(struct kernel *k, const char *path)
{
	DOOR(do_rmdir(s, path));
}

static int door_replace(struct kernel *k, const char *path, const char *text, size_t n, uint32_t mode)
{
	DOOR(do_replace(s, path, text, n, mode));
}

static int door_remove(struct kernel *k, const char *path)
{
	DOOR(do_remove(s, path));
}

static int door_append(struct kernel *k, const char *path, const char *text, size_t n, bool sync)
{
	(void)sync;		/* the state file is memory that everybody sees */
	DOOR(do_append(s, path, text, n));
}

static int door_rename(struct kernel *k, const char *from, const char *to)
{
	DOOR(do_rename(s, from, to));
}

static int door_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	DOOR(talk(s, protocol, request, n, reply));
}

static int door_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	DOOR(ethtool_ioctl(s, ifname, cmd, n));
}

static int door_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	DOOR(verbs_query(s, ibdev, port, out));
}

static int do_gids(struct sim *s, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	struct gid_entry all[SIM_GIDS];
	const struct nic *nic = nic_by_ibdev(s, ibdev);

	if (!nic)
		return -ENODEV;
	*n = gids_of(s, nic, all);
	if (*n > room)
		*n = room;
	memcpy(entry, all, *n * sizeof(*entry));
	return 0;
}

static int door_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	DOOR(do_gids(s, ibdev, entry, room, n));
}

static int door_lldp(struct kernel *k, struct lldp *out)
{
	DOOR(lldp_query(s, k->arena, out));
}

static int door_lldp_say(struct kernel *k, const struct lldp_words *w)
{
	DOOR(lldp_tell(s, w));
}

/* Nobody sleeps: what takes time here is that much further on. */
static int do_wait(struct sim *s, uint32_t ms)
{
	for (unsigned i = 0; i < s->st->nnics; i++)
		nic_time_passes(&s->st->nic[i], ms);
	return 0;
}

static int door_wait(struct kernel *k, uint32_t ms)
{
	DOOR(do_wait(s, ms));
}

static void door_close(struct kernel *k)
{
	struct sim *s = k->self;

	if (s->loud)		/* a program's own; the machine stays, and so does one that a test made */
		sim_close(s);
}

static const struct kernel_ops sim_ops = {
	.read = door_read,
	.list = door_list,
	.link = door_link,
	.stat = door_stat,
	.write = door_write,
	.mkdir = door_mkdir,
	.rmdir = door_rmdir,
	.replace = door_replace,
	.remove = door_remove,
	.append = door_append,
	.rename = door_rename,
	.talk = door_talk,
	.ethtool = door_ethtool,
	.verbs = door_verbs,
	.gids = door_gids,
	.lldp = door_lldp,
	.lldp_say = door_lldp_say,
	.wait = door_wait,
	.close = door_close,
};

struct kernel *sim_kernel(struct sim *s)
{
	struct kernel *k = arena_new_of(s->arena, struct kernel);

	k->ops = &sim_ops;
	k->self = s;
	k->arena = s->arena;
	k->kind = "sim";
	return k;
}
