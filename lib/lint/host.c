/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sysctls that do nothing for RDMA, and module options that do not exist: all are accepted without a word. Values that
 * do not fit are refused by the settings themselves.
 */
#include <string.h>

#include "lint/lint.h"
#include "model/record.h"

/* Calls @judge for each value of the group under a `*` of this field's name. */
static void each_named(struct lint *l, const char *field, void (*judge)(struct lint *l, const struct cell *c))
{
	for (size_t i = 0; i < l->group->n; i++)
		for (size_t j = 0; j < l->group->record[i]->n; j++) {
			const struct cell *c = &l->group->record[i]->at[j];

			if (c->state == CELL_VALUE && c->star[0] && !strcmp(c->field->name, field))
				judge(l, c);
		}
}

/* --- sysctl ------------------------------------------------------------------ */

/* "net/core/rmem_max" is another spelling of the key with dots. */
static bool is_key(const char *s, const char *key)
{
	for (; *s && (*s == *key || (*s == '/' && *key == '.')); s++, key++)
		;
	return *s == *key;
}

static void judge_mem_max(struct lint *l, const struct cell *c)
{
	if (is_key(c->star[0], "net.core.rmem_max") || is_key(c->star[0], "net.core.wmem_max"))
		lint_find(l, &c->pos, "%s bounds socket buffers, which RDMA does not use", c->star[0]);
}

static void judge_mem_default(struct lint *l, const struct cell *c)
{
	if (is_key(c->star[0], "net.core.rmem_default") || is_key(c->star[0], "net.core.wmem_default"))
		lint_find(l, &c->pos, "%s is given to every socket of the node, and to no RDMA queue", c->star[0]);
}

static void sysctl_mem_max(struct lint *l)
{
	each_named(l, "sysctl.*", judge_mem_max);
}

static void sysctl_mem_default(struct lint *l)
{
	each_named(l, "sysctl.*", judge_mem_default);
}

/* --- module options ---------------------------------------------------------- */

/* Published again and again; the kernel logs "unknown parameter ignored" at best. */
static const struct {
	const char *module, *option, *instead;
} no_such_option[] = {
	{ "mlx5_core", "log_num_mtt", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "mlx5_core", "log_mtts_per_seg", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "mlx5_core", "num_vfs", "it is an option of mlx4_core; for mlx5 write sriov_numvfs in sysfs" },
	{ "mlx5_core", "port_type_array",
	  "it is an option of mlx4_core; the port type of mlx5 is a firmware setting (LINK_TYPE)" },
	{ "mlx5_core", "roce_en", "say roce: {enabled: true} for the ports (devlink enable_roce)" },
	{ "mlx5_core", "num_tc", "say qos.tc and qos.ets for the ports" },
	{ "mlx5_core", "cq_eq_repack", "nothing replaces it" },
	{ "mlx5_ib", "log_num_mtt", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "ib_core", "rdma_dev_reset_on_close",
	  "nothing replaces it; ib_core has netns_mode, send_queue_size, recv_queue_size" },
};

static bool same_name(const char *a, const char *b)	/* - and _ are one to modprobe and kernel */
{
	for (; *a || *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return true;
}

static void judge_option(struct lint *l, const struct cell *c)
{
	for (size_t i = 0; i < sizeof(no_such_option) / sizeof(no_such_option[0]); i++) {
		if (!same_name(c->star[0], no_such_option[i].module) ||
		    !same_name(c->star[1], no_such_option[i].option))
			continue;
		if (lint_find(l, &c->pos, "module %s has no option %s", c->star[0], c->star[1]))
			diag_hint(l->d, "%s", no_such_option[i].instead);
	}
}

static void no_option(struct lint *l)
{
	each_named(l, "modules.*.options.*", judge_option);
}

const struct lint_rule lint_host[] = {
	{ "sysctl-mem-max", SEVERITY_NOTE, "It helps TCP beside RDMA, and is no cure for anything RDMA does.",
	  "verbs queues are registered memory, not socket buffers", "keep it if TCP needs it", sysctl_mem_max },
	{ "sysctl-mem-default", SEVERITY_WARNING,
	  "Thousands of idle sockets then hold memory that RDMA registrations want.",
	  "socket(7): SO_RCVBUF and SO_SNDBUF of sockets that do not ask",
	  "leave it out; raise the *_max and let programs ask", sysctl_mem_default },
	{ "module-option-missing", SEVERITY_ERROR,
	  "The kernel ignores an option that a module lacks, so that the file looks applied and does nothing.",
	  "kernel: \"unknown parameter ignored\"; modinfo -p names those that exist", NULL, no_option },
	{ 0 },
};
