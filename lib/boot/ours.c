/* SPDX-License-Identifier: Apache-2.0 */
/* The boot files that rdmactl owns, see ours.h. */
#include "boot/ours.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/modload.h"
#include "boot/modprobe.h"
#include "boot/sysctld.h"
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
	[OURS_LLDPD] = { "/etc/lldpd.d/rdmactl.conf", "rdmactl.conf",
			 "lldpd reads it when it starts. PFC, ETS and APP of each port, as 802.1Qaz has them." },
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

/* The directory as it was read in this observation, or NULL: nobody looked at it. */
static const struct confd *directory(struct kernel *k, enum ours f)
{
	void *memo;

	switch (f) {
	case OURS_MODLOAD:
		memo = *kernel_memo(k, "boot:modules-load.d");
		return memo ? ((const struct modload *)memo)->early : NULL;
	case OURS_MODPROBE:
		memo = *kernel_memo(k, "boot:modprobe.d");
		return memo ? ((const struct modprobe *)memo)->confd : NULL;
	case OURS_SYSCTL:
		memo = *kernel_memo(k, "boot:sysctl.d");
		return memo ? ((const struct sysctld *)memo)->confd : NULL;
	case OURS_LLDPD:
	case OURS_ALL:
		break;
	}
	return NULL;
}

/* What the directory has of it; NULL: no such file. */
static const struct confd_file *among(const struct confd *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].path, path + 1))
			return &c->at[i];
	return NULL;
}

static int read_source(struct kernel *k, enum ours f, struct source *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *path = files[f].path;
	const struct confd *dir = directory(k, f);
	const struct confd_file *file = dir ? among(dir, path) : NULL;
	int r = 0;

	if (dir) {
		*s = file ? file->source : (struct source){ 0 };
		return file ? file->err : 0;
	}
	r = kernel_read(k, path + 1, &t);
	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR || r == -EISDIR ? 0 : r;
	*s = (struct source){ path, arena_strndup(k->arena, text_str(&t), t.n), t.n };
	return 0;
}

static int look_at(struct kernel *k, enum ours f, const struct source **out)
{
	TEXT_CLEANUP struct text link = { 0 };
	struct source *s = arena_new_of(k->arena, struct source);
	int r = read_source(k, f, s);

	if (r < 0)
		return r;
	if (s->len >= strlen(MARK) && !memcmp(s->text, MARK, strlen(MARK)) && kernel_link(k, files[f].path + 1, &link) != 0)
		*out = s;
	return 0;
}

int ours_source(struct kernel *k, enum ours f, const struct source **out)
{
	struct looked {
		int err;
		const struct source *source;
	} *l;
	void **slot = kernel_memo(k, files[f].path);

	if (!*slot) {
		*slot = l = arena_new_of(k->arena, struct looked);
		l->err = look_at(k, f, &l->source);
	}
	l = *slot;
	if (l->err == 0)
		*out = l->source;
	return l->err;
}

/* A name that came from a command line must not become a line, and a backslash at an end would join the next one. */
const char *ours_text(struct arena *a, enum ours f, const char *policy, const char *lines)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (!*lines)
		return NULL;
	if (policy)
		text_printf(&t, MARK " from the policy %s.\n", text_safe(a, policy, strlen(policy), POLICY_SHOWN));
	else
		text_add(&t, MARK ".\n");
	text_printf(&t, "# Change the policy, not this file: it is replaced as a whole.\n# %s\n", files[f].order);
	text_add(&t, lines);
	return arena_strdup(a, text_str(&t));
}
