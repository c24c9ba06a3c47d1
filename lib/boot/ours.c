/* SPDX-License-Identifier: Apache-2.0 */
/* The boot files that rdmactl owns, see ours.h. */
#include "boot/ours.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/kernel.h"

#define MARK "# Written by rdmactl"
enum { POLICY_SHOWN = 300 };

static const struct {
	const char *path, *name, *order;
} files[] = {
	[OURS_MODLOAD] = { "/etc/modules-load.d/rdmactl.conf", "rdmactl.conf",
			   "Modules that are loaded before systemd-sysctl sets their keys." },
	[OURS_MODPROBE] = { "/etc/modprobe.d/zz-rdmactl.conf", "zz-rdmactl.conf",
			    "The name sorts late: of an option that is given twice, the last one counts." },
	[OURS_SYSCTL] = { "/etc/sysctl.d/zz-rdmactl.conf", "zz-rdmactl.conf",
			  "The name sorts late: of a key that is set twice, the last one counts." },
};

const char *ours_name(enum ours f)
{
	return files[f].name;
}

const char *ours_path(enum ours f)
{
	return files[f].path;
}

static bool has_mark(const struct text *t)
{
	return t->n >= strlen(MARK) && !memcmp(t->s, MARK, strlen(MARK));
}

const char *ours_foreign(struct kernel *k, struct arena *a, enum ours f)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *path = files[f].path;
	int r;

	if (kernel_link(k, path + 1, &t) == 0)
		return arena_printf(a, "%s is a symbolic link, which rdmactl does not write through: take it away",
				    path);
	text_reset(&t);
	r = kernel_read(k, path + 1, &t);
	if (r == -ENOENT || r == -ENOTDIR || (r == 0 && has_mark(&t)))
		return NULL;
	if (r < 0)
		return arena_printf(a, "%s cannot be read (%s), so it may be somebody else's", path, strerror(-r));
	return arena_printf(a, "%s was not written by rdmactl (no \"%s\" in its first line): take it away or rename it",
			    path, MARK);
}

/* A name that came from a command line must not become a line, and a backslash at an end would join the next one. */
static void add_header(struct kernel *k, enum ours f, const char *policy, struct text *out)
{
	if (policy)
		text_printf(out, MARK " from the policy %s.\n",
			    text_safe(k->arena, policy, strlen(policy), POLICY_SHOWN));
	else
		text_add(out, MARK ".\n");
	text_printf(out, "# Change the policy, not this file: it is replaced as a whole.\n# %s\n", files[f].order);
}

static int tell(struct diags *d, int r, const char *verb, const char *path)
{
	diag_error(d, NULL, "cannot %s %s", verb, path)->err = -r;
	if (r == -EROFS)
		diag_hint(d, "the file system, or this run, is read-only");
	return r;
}

int ours_write(struct kernel *k, enum ours f, const char *policy, const char *lines, struct diags *d)
{
	TEXT_CLEANUP struct text before = { 0 }, now = { 0 };
	const char *path = files[f].path, *foreign = ours_foreign(k, k->arena, f);
	int r;

	if (foreign) {
		diag_error(d, NULL, "cannot write %s", path);
		diag_hint(d, "%s", foreign);
		return -EEXIST;
	}
	r = kernel_read(k, path + 1, &before);
	if (!*lines) {
		if (r == -ENOENT || r == -ENOTDIR)
			return 0;
		r = kernel_remove(k, path + 1);
		return r < 0 && r != -ENOENT ? tell(d, r, "remove", path) : 0;
	}
	add_header(k, f, policy, &now);
	text_add(&now, lines);
	if (r == 0 && before.n == now.n && !memcmp(before.s, now.s, now.n))
		return 0;
	r = kernel_replace(k, path + 1, now.s, now.n, 0644);
	return r < 0 ? tell(d, r, "write", path) : 0;
}
