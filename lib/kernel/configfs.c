/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_cm in configfs: default RoCE mode and ToS of the connection manager. A device's directory is a view that
 * mkdir opens and rmdir closes; the values live in the kernel's device. What we make, we take away again, also when
 * something between fails.
 */
#include "kernel/configfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define TOP "sys/kernel/config/rdma_cm"

struct kept {
	int err;
	struct rdma_cm_defaults v;
};

static int read_file(struct kernel *k, const char *ibdev, uint32_t port, const char *name, struct text *out)
{
	char path[512];
	int n = snprintf(path, sizeof(path), TOP "/%s/ports/%u/%s", ibdev, port, name);
	int r;

	if (n < 0 || n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = kernel_read(k, path, out);
	if (r == 0 && out->n)
		out->n = text_trim(out->s, out->n);
	return r;
}

/* Both values through a directory that is there. */
static int read_values(struct kernel *k, const char *ibdev, uint32_t port, struct rdma_cm_defaults *v)
{
	TEXT_CLEANUP struct text mode = { 0 };
	TEXT_CLEANUP struct text tos = { 0 };
	uint64_t number;
	int r = read_file(k, ibdev, port, "default_roce_mode", &mode);

	if (r == 0)
		r = read_file(k, ibdev, port, "default_roce_tos", &tos);
	if (r < 0)
		return r;
	if (tos.n)
		tos.s[tos.n] = '\0';
	if (!text_u64(text_str(&tos), &number) || number > UINT8_MAX)
		return -EBADMSG;
	v->mode = text_safe(k->arena, mode.s, mode.n, 32);
	v->tos = (uint32_t)number;
	return 0;
}

/* Opens the view. Return: 1 if it was made here and is to be taken away, 0 if somebody has it already */
static int view_open(struct kernel *k, const char *ibdev, char *path, size_t room)
{
	int r;

	if (k->files_only)
		return -ENODATA;
	snprintf(path, room, TOP "/%s", ibdev);
	r = kernel_mkdir(k, path);
	if (r == -ENOENT && !files_mounted(k, "configfs", "sys/kernel/config"))
		return -ENXIO;
	return r == -EEXIST ? 0 : r == 0 ? 1 : r;
}

/* What opens a view closes it again, also if somebody presses ^C in between: signals wait for the few system calls. */
static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
}

static int ask_through_view(struct kernel *k, const char *ibdev, uint32_t port, struct rdma_cm_defaults *v)
{
	char path[512];
	int made = view_open(k, ibdev, path, sizeof(path)), r;

	if (made < 0)
		return made;
	r = read_values(k, ibdev, port, v);
	if (made)
		kernel_rmdir(k, path);
	return r == -ENOENT ? -ENODEV : r; /* the device has no such port */
}

static int ask(struct kernel *k, const char *ibdev, uint32_t port, struct rdma_cm_defaults *v)
{
	sigset_t before;
	int r;

	if (!files_component(ibdev) || strlen(ibdev) > 128)
		return -ENODEV;
	r = read_values(k, ibdev, port, v);
	if (r != -ENOENT)
		return r;
	hold_signals(&before);
	r = ask_through_view(k, ibdev, port, v);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

int configfs_get_rdma_cm(struct kernel *k, const char *ibdev, uint32_t port, struct rdma_cm_defaults *v)
{
	char key[192];
	struct kept *kept;
	void **slot;

	snprintf(key, sizeof(key), "rdma_cm:%.128s:%u", ibdev, port);
	slot = kernel_memo(k, key);
	kept = *slot;
	if (!kept) {
		*slot = kept = arena_new_of(k->arena, struct kept);
		kept->err = ask(k, ibdev, port, &kept->v);
	}
	if (kept->err == 0)
		*v = kept->v;
	return kept->err;
}

static int write_file(struct kernel *k, const char *ibdev, uint32_t port, const char *name, const char *text,
		      struct diags *d)
{
	char path[512];

	snprintf(path, sizeof(path), TOP "/%s/ports/%u/%s", ibdev, port, name);
	return files_write(k, path, text, d);
}

static int write_values(struct kernel *k, const char *ibdev, uint32_t port, const char *mode, int tos, struct diags *d)
{
	char number[16];
	int r = 0;

	if (mode)
		r = write_file(k, ibdev, port, "default_roce_mode", mode, d);
	if (r < 0 || tos < 0)
		return r;
	snprintf(number, sizeof(number), "%d", tos);
	return write_file(k, ibdev, port, "default_roce_tos", number, d);
}

static int tell(struct diags *d, int r, const char *ibdev)
{
	struct diag *one = diag_error(d, NULL, "cannot open the device in configfs");

	one->err = -r;
	diag_object(d, "%s", ibdev);
	if (r == -ENXIO)
		diag_hint(d, "mount configfs: mount -t configfs none /sys/kernel/config");
	else if (r == -ENOENT)
		diag_hint(d, "load rdma_cm: modprobe rdma_cm");
	return r;
}

static int set_through_view(struct kernel *k, const char *ibdev, uint32_t port, const char *mode, int tos, struct diags *d)
{
	char path[512];
	int made = view_open(k, ibdev, path, sizeof(path)), r;

	if (made < 0)
		return tell(d, made, ibdev);
	r = write_values(k, ibdev, port, mode, tos, d);
	if (made)
		kernel_rmdir(k, path);
	return r;
}

int configfs_set_rdma_cm(struct kernel *k, const char *ibdev, uint32_t port, const char *mode, int tos, struct diags *d)
{
	sigset_t before;
	int r;

	if (!files_component(ibdev) || strlen(ibdev) > 128)
		return tell(d, -ENODEV, ibdev);
	if (files_exist(k, TOP "/%s", ibdev))
		return write_values(k, ibdev, port, mode, tos, d);
	hold_signals(&before);
	r = set_through_view(k, ibdev, port, mode, tos, d);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
