/* SPDX-License-Identifier: Apache-2.0 */
/* Our units, as systemd and udev would find them; see units.h. */
#include "boot/units.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

static const char *const places[] = { "etc", "run", "usr/local/lib", "usr/lib", "lib" };

enum { PLACES = sizeof(places) / sizeof(places[0]), PLACE_ETC = 0, PLACE_RUN = 1 };

static const struct file {
	const char *dir, *name;
	const char *mark;		/* in a file of ours, also in one that somebody copied to /etc and changed */
} files[] = {
	{ "systemd/system", UNITS_NODE, "rdmactl apply" },
	{ "systemd/system", UNITS_PORT, "rdmactl apply" },
	{ "systemd/system", UNITS_MODULE, "rdmactl apply" },
	{ "udev/rules.d", UNITS_RULE, "rdmactl@" },
};

int units_exist(struct kernel *k)
{
	struct kernel_stat st;
	int r = kernel_stat(k, "run/systemd/system", &st);

	if (r == -ENOENT || r == -ENOTDIR || r == -ENODATA)
		return 0;
	return r < 0 ? r : 1;
}

static bool is_absent(int r)
{
	return r == -ENOENT || r == -ENOTDIR;
}

static int fault(struct units_fault *f, const char *because, const char *remedy)
{
	*f = (struct units_fault){ because, remedy };
	return 1;
}

/* A link to /dev/null is a device, an empty file has no bytes. */
static bool is_mask(const struct kernel_stat *st)
{
	return !S_ISREG(st->mode) || st->size == 0;
}

/* Below --root there may be no device that the link could lead to. */
static bool is_null_link(struct kernel *k, const char *path)
{
	TEXT_CLEANUP struct text to = { 0 };

	return k->files_only && kernel_link(k, path, &to) == 0 && !strcmp(text_str(&to), "/dev/null");
}

static int masked(struct arena *a, const struct file *file, const char *path, struct units_fault *f)
{
	bool unit = strcmp(file->name, UNITS_RULE) != 0;

	return fault(f, arena_printf(a, "/%s masks it", path),
		     unit ? arena_printf(a, "systemctl unmask %s", file->name) : arena_printf(a, "rm /%s", path));
}

/* Found where an administrator puts files, it may be a changed copy of ours, or another one of that name. */
static int check_copy(struct kernel *k, struct arena *a, const struct file *file, const char *path,
		      struct units_fault *f)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, path, &t);

	if (r < 0)
		return r;
	if (strstr(text_str(&t), file->mark))
		return 0;
	return fault(f, arena_printf(a, "/%s hides ours and does not start rdmactl", path),
		     arena_printf(a, "take /%s away", path));
}

static int check_file(struct kernel *k, struct arena *a, const struct file *file, struct units_fault *f)
{
	for (int i = 0; i < PLACES; i++) {
		const char *path = arena_printf(a, "%s/%s/%s", places[i], file->dir, file->name);
		struct kernel_stat st;
		int r = kernel_stat(k, path, &st);

		if (is_absent(r) && !is_null_link(k, path))
			continue;
		if (r < 0 && !is_absent(r))
			return r;
		if (r < 0 || is_mask(&st))
			return masked(a, file, path, f);
		return i <= PLACE_RUN ? check_copy(k, a, file, path, f) : 0;
	}
	return fault(f, arena_printf(a, "%s is not installed", file->name),
		     "install rdmactl's package, or `make install`, on this node");
}

/* "multi-user.target.wants": what rdmactl@.service looks for, too, before it runs */
static bool is_wants(const char *dir)
{
	const char *dot = strrchr(dir, '.');

	return dot && !strcmp(dot, ".wants");
}

/* Is the link there, also if it leads to nowhere here: an image may be mounted below --root. */
static int has_link(struct kernel *k, struct arena *a, const char *place, const char *dir)
{
	TEXT_CLEANUP struct text to = { 0 };
	int r = kernel_link(k, arena_printf(a, "%s/systemd/system/%s/" UNITS_NODE, place, dir), &to);

	if (is_absent(r) || r == -EINVAL)		/* systemd passes over what is no link */
		return 0;
	return r < 0 ? r : 1;
}

static int is_enabled(struct kernel *k, struct arena *a)
{
	int r = has_link(k, a, places[PLACE_ETC], "multi-user.target.wants");	/* where nearly everybody has it */

	for (int i = 0; i < PLACES && r == 0; i++) {
		struct names dirs;

		r = kernel_list(k, arena_printf(a, "%s/systemd/system", places[i]), &dirs);
		if (is_absent(r)) {
			r = 0;
			continue;
		}
		for (size_t j = 0; r == 0 && j < dirs.n; j++)
			if (is_wants(dirs.at[j]))
				r = has_link(k, a, places[i], dirs.at[j]);
	}
	return r;
}

int units_fault(struct kernel *k, struct arena *a, struct units_fault *f)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(files[0]); i++)
		r = check_file(k, a, &files[i], f);
	if (r != 0)
		return r;
	r = is_enabled(k, a);
	if (r < 0)
		return r;
	return r ? 0 : fault(f, UNITS_NODE " is not enabled", "systemctl enable " UNITS_NODE);
}
