/* SPDX-License-Identifier: Apache-2.0 */
/* simctl's commands for files: plain ones put anywhere, paths that are denied, file systems mounted or not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "observe.h"

/* A text file ends with a newline. */
static int put_text(struct sim *s, const char *path, const char *text)
{
	TEXT_CLEANUP struct text t = { 0 };
	char real[SIM_PATH];
	int r = tree_real(s, path, real);

	text_add(&t, text);
	if (t.n && text[t.n - 1] != '\n')
		text_char(&t, '\n');
	if (r == 0)
		r = overlay_put(s, real, text_str(&t), t.n, 0100644, false);
	return r < 0 ? sim_refuse(s, r, "%s: %s", path, strerror(-r)) : 0;
}

int order_put(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return put_text(s, argv[0], argv[1]);
}

/* `echo TEXT >PATH`: a file of the kernel takes it or not, another one is made or replaced. */
int order_set_file(struct sim *s, const char *path, const char *text)
{
	TEXT_CLEANUP struct text t = { 0 };
	const struct node *n;
	int r;

	if (tree_find(s, path, true, &n) < 0 || (strncmp(n->path, "sys/", 4) && strncmp(n->path, "proc/", 5)))
		return put_text(s, path, text);
	text_printf(&t, "%s\n", text);
	r = n->store ? n->store(s, n, text_str(&t), t.n) : -EACCES;
	return r < 0 ? sim_refuse(s, r, "%s: %s", path, strerror(-r)) : 0;
}

int order_cat(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct node *n;
	int r = tree_find(s, argv[0], true, &n);

	(void)argc;
	if (r == 0)
		r = n->kind == NODE_DIR ? -EISDIR : n->show(s, n, out);
	return r < 0 ? sim_refuse(s, r, "%s: %s", argv[0], strerror(-r)) : 0;
}

int order_ls(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct arena *a = arena_new();
	struct names names = { 0 };
	const struct node *n;
	int r = tree_find(s, argv[0], true, &n);

	(void)argc;
	if (r == 0)
		r = n->kind == NODE_DIR ? tree_list(s, n, a, &names) : -ENOTDIR;
	for (size_t i = 0; r == 0 && i < names.n; i++)
		text_printf(out, "%s\n", names.at[i]);
	arena_free(a);
	return r < 0 ? sim_refuse(s, r, "%s: %s", argv[0], strerror(-r)) : 0;
}

int order_del(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct node *n;
	int r = tree_find(s, argv[0], false, &n);

	(void)argc;
	(void)out;
	if (r < 0 || !n->file)
		return sim_refuse(s, -ENOENT, "%s: no plain file", argv[0]);
	overlay_remove(s, n->file);
	return 0;
}

static int put_other(struct sim *s, const char *path, const char *target, uint32_t mode)
{
	char real[SIM_PATH];
	int r = tree_real(s, path, real);

	if (r == 0)
		r = overlay_put(s, real, target, strlen(target), mode, false);
	s->st->generation++;		/* a link may lead elsewhere now */
	return r < 0 ? sim_refuse(s, r, "%s: %s", path, strerror(-r)) : 0;
}

int order_symlink(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return put_other(s, argv[0], argv[1], 0120777);
}

int order_mkdir(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return put_other(s, argv[0], "", 0040755);
}

int order_touch(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct plain_file *f;
	char real[SIM_PATH];
	long seconds;
	int r = word_number(s, argv[1], 0, INT64_MAX / 1000000000, &seconds);

	(void)argc;
	(void)out;
	if (r < 0)
		return r;
	f = tree_real(s, argv[0], real) == 0 ? overlay_find(s, real) : NULL;
	if (!f)
		return sim_refuse(s, -ENOENT, "%s: no plain file", argv[0]);
	f->mtime_ns = (int64_t)seconds * 1000000000;
	return 0;
}

int order_deny(struct sim *s, int argc, char *const *argv, struct text *out)
{
	int err = strcmp(argv[1], "none") ? word_errno(s, argv[1]) : 0;
	struct denied *d = s->st->denied, *end = d + SIM_DENIED;
	char real[SIM_PATH];

	(void)argc;
	(void)out;
	if (err < 0)
		return err;
	if (tree_real(s, argv[0], real) < 0)
		return sim_refuse(s, -EINVAL, "%s: no path", argv[0]);
	while (d < end && strcmp(d->path, real))
		d++;
	for (struct denied *e = s->st->denied; d == end && e < end; e++)
		if (!e->err)
			d = e;
	if (d == end)
		return sim_refuse(s, -ENOSPC, "too many paths are denied");
	strcpy(d->path, real);
	d->err = err;
	return 0;
}

static int mount_what(struct sim *s, const char *what, bool on)
{
	bool *to = !strcmp(what, "debugfs") ? &s->st->debugfs : !strcmp(what, "configfs") ? &s->st->configfs : NULL;

	if (!to)
		return sim_refuse(s, -EINVAL, "debugfs or configfs");
	*to = on;
	s->st->generation++;
	return 0;
}

int order_mount(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return mount_what(s, argv[0], true);
}

int order_umount(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return mount_what(s, argv[0], false);
}

int order_user(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	if (strcmp(argv[0], "root") && strcmp(argv[0], "nobody"))
		return sim_refuse(s, -EINVAL, "user: root or nobody");
	s->st->unprivileged = argv[0][0] == 'n';
	return 0;
}

int order_memory(struct sim *s, int argc, char *const *argv, struct text *out)
{
	int err = strcmp(argv[0], "ok") ? word_errno(s, argv[0]) : 0;

	(void)argc;
	(void)out;
	if (err < 0)
		return err;
	s->st->memory_errno = err;
	return 0;
}
