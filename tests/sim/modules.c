/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel modules: sys/module, what comes and goes with one (sysctls, configfs), and the few files that say what
 * the kernel has: proc/modules, proc/mounts. Parameters are plain files, made when a module is loaded.
 */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { PARAMS = 3 };
enum needs { NEEDS_NOTHING, NEEDS_RDMA };

static const struct module {
	const char *name;
	enum needs needs;
	const char *on;			/* the module below it, loaded first */
	struct { const char *name, *value; uint16_t mode; } param[PARAMS];
} modules[] = {
	{ "ib_core", NEEDS_RDMA, NULL,
	  { { "netns_mode", "Y", 0444 }, { "recv_queue_size", "512", 0444 }, { "send_queue_size", "128", 0444 } } },
	{ "ib_uverbs", NEEDS_RDMA, "ib_core", { { 0 } } },
	{ "ib_cm", NEEDS_RDMA, "ib_core", { { 0 } } },
	{ "iw_cm", NEEDS_RDMA, "ib_core", { { 0 } } },
	{ "rdma_cm", NEEDS_RDMA, "iw_cm", { { 0 } } },
	{ "rdma_ucm", NEEDS_RDMA, "rdma_cm", { { 0 } } },
	{ "ib_ipoib", NEEDS_RDMA, "ib_cm",
	  { { "recv_queue_size", "256", 0444 }, { "send_queue_size", "128", 0444 }, { "debug_level", "0", 0644 } } },
	{ "mlx5_core", NEEDS_NOTHING, NULL, { { "debug_mask", "0", 0644 }, { "prof_sel", "2", 0444 } } },
	{ "mlx5_ib", NEEDS_RDMA, "ib_uverbs", { { 0 } } },
	{ "bnxt_en", NEEDS_NOTHING, NULL, { { 0 } } },
	{ "bnxt_re", NEEDS_RDMA, "ib_uverbs", { { 0 } } },
	{ "ice", NEEDS_NOTHING, NULL, { { "debug", "-1", 0644 } } },
	{ "irdma", NEEDS_RDMA, "ib_uverbs", { { 0 } } },
	{ "hns3", NEEDS_NOTHING, NULL, { { "tx_sgl", "1", 0600 }, { "page_pool_enabled", "Y", 0400 } } },
	{ "hns_roce_hw_v2", NEEDS_RDMA, "ib_uverbs", { { 0 } } },
	{ "configfs", NEEDS_NOTHING, NULL, { { 0 } } },
	{ "nvme_rdma", NEEDS_RDMA, "rdma_cm", { { "register_always", "Y", 0444 } } },
	{ "rdma_rxe", NEEDS_RDMA, "ib_uverbs", { { 0 } } },
};
#define MODULES (sizeof(modules) / sizeof(modules[0]))

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b)))
			return false;
	return *a == *b;
}

static const struct module *module_of(const char *name)
{
	for (size_t i = 0; i < MODULES; i++)
		if (same_name(modules[i].name, name))
			return &modules[i];
	return NULL;
}

static uint32_t bit_of(const struct module *m)
{
	return 1u << (m - modules);
}

bool module_loaded(const struct sim *s, const char *name)
{
	const struct module *m = module_of(name);

	return m && s->st->modules & bit_of(m);
}

static void parameters_put(struct sim *s, const struct module *m, int argc, char *const *argv)
{
	for (int i = 0; i < PARAMS && m->param[i].name; i++) {
		const char *value = m->param[i].value;
		char path[SIM_PATH], line[64];

		for (int k = 0; k < argc; k++) {
			size_t n = strcspn(argv[k], "=");

			if (strlen(m->param[i].name) == n && !strncmp(argv[k], m->param[i].name, n))
				value = argv[k][n] ? argv[k] + n + 1 : "1";
		}
		if (strchr("YN", *m->param[i].value))	/* a bool prints as one */
			value = strchr("Yy1", *value) ? "Y" : "N";
		snprintf(path, sizeof(path), "sys/module/%s/parameters/%s", m->name, m->param[i].name);
		snprintf(line, sizeof(line), "%s\n", value);
		overlay_put(s, path, line, strlen(line), 0100000u | m->param[i].mode, true);
	}
}

static bool has_parameter(const struct module *m, const char *word)
{
	size_t n = strcspn(word, "=");

	for (int i = 0; i < PARAMS && m->param[i].name; i++)
		if (strlen(m->param[i].name) == n && !strncmp(word, m->param[i].name, n))
			return true;
	return false;
}

int module_load(struct sim *s, const char *name, int argc, char *const *argv)
{
	const struct module *m = module_of(name);
	int r;

	if (!m)
		return sim_refuse(s, -ENOENT, "no module %s", name);
	if (m->needs == NEEDS_RDMA && !s->st->rdma)
		return sim_refuse(s, -ENOENT, "this kernel has no RDMA: no module %s", name);
	if (s->st->modules & bit_of(m))
		return 0;
	r = m->on ? module_load(s, m->on, 0, NULL) : 0;
	if (r < 0)
		return r;
	for (int i = 0; i < argc; i++)	/* the kernel loads it all the same */
		if (!has_parameter(m, argv[i]))
			sim_log_add(s, "%s: unknown parameter '%s' ignored", m->name, argv[i]);
	s->st->modules |= bit_of(m);
	s->st->generation++;
	parameters_put(s, m, argc, argv);
	sysctl_module(s, m->name, true);
	return 0;
}

int module_unload(struct sim *s, const char *name)
{
	const struct module *m = module_of(name);
	char path[SIM_PATH];

	if (!m || !(s->st->modules & bit_of(m)))
		return sim_refuse(s, -ENOENT, "module %s is not loaded", name);
	for (size_t i = 0; i < MODULES; i++)
		if (s->st->modules & 1u << i && modules[i].on && !strcmp(modules[i].on, m->name))
			return sim_refuse(s, -EBUSY, "module %s is in use by %s", m->name, modules[i].name);
	s->st->modules &= ~bit_of(m);
	snprintf(path, sizeof(path), "sys/module/%s", m->name);
	overlay_remove_below(s, path, true);
	sysctl_module(s, m->name, false);
	if (!strcmp(m->name, "rdma_cm"))
		memset(s->st->cm_dir, 0, sizeof(s->st->cm_dir));
	s->st->generation++;
	return 0;
}

void modules_list(const struct sim *s, struct text *out)
{
	for (size_t i = 0; i < MODULES; i++)
		if (s->st->modules & 1u << i)
			text_printf(out, "%s\n", modules[i].name);
}

/* --- files --- */

static int show_live(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "live\n");
	return 0;
}

static int show_refcnt(struct sim *s, const struct node *n, struct text *out)
{
	unsigned users = 0;

	for (size_t i = 0; i < MODULES; i++)
		users += s->st->modules & 1u << i && modules[i].on && !strcmp(modules[i].on, modules[n->arg].name);
	text_printf(out, "%u\n", users);
	return 0;
}

static int show_modules(struct sim *s, const struct node *n, struct text *out)
{
	(void)n;
	for (size_t i = 0; i < MODULES; i++)
		if (s->st->modules & 1u << i)
			text_printf(out, "%s 65536 0 - Live 0x0000000000000000\n", modules[i].name);
	return 0;
}

static int show_mounts(struct sim *s, const struct node *n, struct text *out)
{
	(void)n;
	text_add(out, "proc /proc proc rw,relatime 0 0\nsys /sys sysfs rw,relatime 0 0\n"
		      "dev /dev devtmpfs rw,relatime,size=490072k,nr_inodes=122518,mode=755,inode64 0 0\n"
		      "/dev/sda1 / ext4 rw,relatime 0 0\n");
	if (s->st->debugfs)
		text_add(out, "debugfs /sys/kernel/debug debugfs rw,relatime 0 0\n");
	if (s->st->configfs)
		text_add(out, "none /sys/kernel/config configfs rw,relatime 0 0\n");
	return 0;
}

static int show_cmdline(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n");
	return 0;
}

static int show_unix(struct sim *s, const struct node *n, struct text *out)
{
	(void)s;
	(void)n;
	text_add(out, "Num       RefCount Protocol Flags    Type St Inode Path\n");
	return 0;
}

void modules_add(struct sim *s)
{
	static const char *const dirs[] = { "sys/kernel/debug", "sys/class", "etc", "run", "var", "usr", "lib", "tmp" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		tree_dir(s, "%s", dirs[i]);
	for (size_t i = 0; i < MODULES; i++) {
		if (!(s->st->modules & 1u << i))
			continue;
		tree_file(s, NULL, 0444, show_live, NULL, 0, "sys/module/%s/initstate", modules[i].name);
		tree_file(s, NULL, 0444, show_refcnt, NULL, (uint32_t)i, "sys/module/%s/refcnt", modules[i].name);
	}
	if (module_loaded(s, "ib_core"))
		tree_dir(s, "sys/class/infiniband");
	if (module_loaded(s, "ib_uverbs"))
		tree_dir(s, "sys/class/infiniband_verbs");
	tree_file(s, NULL, 0444, show_modules, NULL, 0, "proc/modules");
	tree_file(s, NULL, 0444, show_mounts, NULL, 0, "proc/mounts");
	tree_file(s, NULL, 0444, show_mounts, NULL, 0, "proc/self/mounts");
	tree_file(s, NULL, 0444, show_cmdline, NULL, 0, "proc/cmdline");
	tree_file(s, NULL, 0444, show_unix, NULL, 0, "proc/net/unix");
}
