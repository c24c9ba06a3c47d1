/* SPDX-License-Identifier: Apache-2.0 */
/* Modules loaded by name, see modload.h. Speaks to modules-load.d, /etc/rdma/modules, /sys/module, modules.builtin. */
#include "boot/modload.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/cmdline.h"
#include "boot/modprobe.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

struct reading {
	struct arena *a;
	struct modload_line *at;
	size_t n, room;
};

static void read_files(struct reading *r, const struct confd *c, bool early)
{
	for (size_t i = 0; i < c->n; i++) {
		struct confd_line l = { .source = &c->at[i].source };

		while (confd_line(&l)) {
			struct modload_line one = { .early = early };

			if (!l.n || *l.s == '#' || *l.s == ';')
				continue;
			one.module = modprobe_name(r->a, arena_strndup(r->a, l.s, l.n));
			one.pos = confd_pos(&l, l.s, l.n);
			list_add(r, r->a) = one;
		}
	}
}

static void read_cmdline(struct reading *r, const struct cmdline *c)
{
	for (size_t i = 0; i < c->n; i++) {
		char *list, *save = NULL;

		if (!c->at[i].value || strcmp(modprobe_name(r->a, c->at[i].name), "modules_load") != 0)
			continue;
		list = arena_strdup(r->a, c->at[i].value);
		for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
			struct modload_line one = { modprobe_name(r->a, name), c->at[i].pos, true };

			list_add(r, r->a) = one;
		}
	}
}

int modload_load(struct kernel *k, const struct modload **out)
{
	static const char *const suffixes[] = { ".conf", NULL };
	static const char *const rdma[] = { "etc/rdma/modules", NULL };
	void **memo = kernel_memo(k, "boot:modules-load.d");
	struct reading r = { .a = k->arena };
	const struct confd *early, *late;
	const struct cmdline *cmdline;
	struct modload *m;
	int err;

	if (*memo) {
		*out = *memo;
		return 0;
	}
	err = confd_load(k, "modules-load.d", suffixes, &early);
	if (err == 0)
		err = confd_dirs(k, rdma, suffixes, &late);
	if (err == 0)
		err = cmdline_load(k, &cmdline);
	if (err < 0)
		return err;
	read_files(&r, early, true);
	read_cmdline(&r, cmdline);
	read_files(&r, late, false);
	m = arena_new_of(k->arena, struct modload);
	*m = (struct modload){ early, r.at, r.n };
	*memo = m;
	*out = m;
	return 0;
}

const struct modload_line *modload_find(const struct modload *m, const char *module, const char *except)
{
	for (size_t i = 0; i < m->n; i++)	/* early ones were read first */
		if (!strcmp(m->at[i].module, module) && (!except || strcmp(m->at[i].pos.source->name, except) != 0))
			return &m->at[i];
	return NULL;
}

/* --- as it runs ---------------------------------------------------------------- */

/* "kernel/drivers/infiniband/core/ib_core.ko": the name is the last component, '-' and '_' being one */
static bool is_builtin(struct kernel *k, const char *release, const char *module)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct source s = { "modules.builtin", NULL, 0 };
	struct confd_line l = { .source = &s };
	size_t len = strlen(module);
	const char *path;

	if (!files_component(release))
		return false;
	path = arena_printf(k->arena, "lib/modules/%s/modules.builtin", release);
	if (kernel_read(k, path, &t) < 0)
		return false;
	s.text = text_str(&t);
	s.len = t.n;
	while (confd_line(&l)) {
		const char *slash = memrchr(l.s, '/', l.n), *base = slash ? slash + 1 : l.s;
		size_t n = l.n - (size_t)(base - l.s), i = 0;

		if (n != len + 3 || memcmp(base + len, ".ko", 3) != 0)
			continue;
		while (i < len && (base[i] == '-' ? '_' : base[i]) == module[i])
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static int exists(struct kernel *k, const char *path)
{
	struct kernel_stat st;
	int r = kernel_stat(k, path, &st);

	return r == 0 ? 1 : r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int look(struct kernel *k, const char *release, const char *module, enum module_state *state)
{
	int r = exists(k, arena_printf(k->arena, "sys/module/%s/initstate", module));

	if (r == 1)
		*state = MODULE_LOADED;
	if (r != 0)
		return r < 0 ? r : 0;
	r = exists(k, arena_printf(k->arena, "sys/module/%s", module));
	if (r < 0)
		return r;
	if (is_builtin(k, release, module)) {
		*state = MODULE_BUILTIN;
		return 0;
	}
	*state = r ? MODULE_LOADED : MODULE_ABSENT;
	if (r)
		return 0;
	r = exists(k, "sys/module");
	if (r == 0)
		*state = MODULE_UNKNOWN;
	return r < 0 ? r : 0;
}

int modload_state(struct kernel *k, const char *release, const char *module, enum module_state *state)
{
	void **memo = kernel_memo(k, arena_printf(k->arena, "boot:module:%s", module));
	enum module_state *known = *memo;
	int r;

	if (!known) {
		known = arena_new_of(k->arena, enum module_state);
		r = look(k, release, module, known);
		if (r < 0)
			return r;
		*memo = known;
	}
	*state = *known;
	return 0;
}
