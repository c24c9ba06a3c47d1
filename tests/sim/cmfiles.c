/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_cm's configfs: mkdir of a device's name makes ports/1 with two files; the values live in the device, the
 * folder outlives it, and then its files say ENODEV.
 */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE "sys/kernel/config/rdma_cm"

static bool there(const struct sim *s)
{
	return s->st->configfs && module_loaded(s, "rdma_cm");
}

static char *dir_of(struct sim *s, const char *ibdev)
{
	for (int i = 0; i < SIM_CM_DIRS; i++)
		if (!strcmp(s->st->cm_dir[i], ibdev))
			return s->st->cm_dir[i];
	return NULL;
}

int cmfiles_mkdir(struct sim *s, const char *path)
{
	const char *name = path + strlen(BASE "/");
	char *dir;

	if (!there(s))
		return -ENOENT;
	if (strchr(name, '/'))
		return tree_find(s, BASE, true, &(const struct node *){ NULL }) < 0 ? -ENOENT : -EPERM;
	if (!s->st->cm || !nic_by_ibdev(s, name))
		return -ENODEV;
	dir = dir_of(s, "");
	if (!dir)
		return -ENOSPC;
	snprintf(dir, SIM_IBNAME, "%s", name);
	s->st->cm_dirs_made++;
	s->st->generation++;
	return 0;
}

int cmfiles_rmdir(struct sim *s, const char *path)
{
	const char *name = path + strlen(BASE "/");
	char *dir = strchr(name, '/') ? NULL : dir_of(s, name);

	if (!dir)
		return -EPERM;		/* what came with the folder goes with it */
	*dir = 0;
	s->st->generation++;
	return 0;
}

static struct nic *nic_of(struct sim *s, const struct node *n)
{
	return nic_by_ibdev(s, s->st->cm_dir[n->arg]);
}

static int show_mode(struct sim *s, const struct node *n, struct text *out)
{
	const struct nic *nic = nic_of(s, n);

	if (!nic)
		return -ENODEV;
	text_add(out, nic->ib.cm_v1 ? "IB/RoCE v1\n" : "RoCE v2\n");
	return 0;
}

static int store_mode(struct sim *s, const struct node *n, const char *text, size_t len)
{
	struct nic *nic = nic_of(s, n);
	bool v1;
	int r;

	if (!nic)
		return -ENODEV;
	if (len && text[len - 1] == '\n')
		len--;
	v1 = len == 10 && !memcmp(text, "IB/RoCE v1", len);
	if (!v1 && (len != 7 || memcmp(text, "RoCE v2", len)))
		return -EINVAL;
	if (v1 && !identity_of(s)->roce_v1)
		return -EINVAL;
	r = sim_fault(s, nic, OP_CM, NULL);
	if (r == 0)
		nic->ib.cm_v1 = v1;
	return r < 0 ? r : 0;
}

static int show_tos(struct sim *s, const struct node *n, struct text *out)
{
	const struct nic *nic = nic_of(s, n);

	if (!nic)
		return -ENODEV;
	text_printf(out, "%u\n", nic->ib.cm_tos);
	return 0;
}

static int store_tos(struct sim *s, const struct node *n, const char *text, size_t len)
{
	struct nic *nic = nic_of(s, n);
	char copy[32], *end;
	unsigned long v;
	uint32_t tos;
	int r;

	if (!nic)
		return -ENODEV;
	if (len >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%.*s", len && text[len - 1] == '\n' ? (int)len - 1 : (int)len, text);
	v = strtoul(copy, &end, 0);
	if (copy[0] < '0' || copy[0] > '9' || *end)
		return -EINVAL;
	if (v > 255)
		return -ERANGE;
	tos = (uint32_t)v;
	r = sim_fault(s, nic, OP_CM, &tos);
	if (r == 0)
		nic->ib.cm_tos = (uint8_t)tos;
	return r < 0 ? r : 0;
}

void cmfiles_add(struct sim *s)
{
	tree_dir(s, "sys/kernel/config");
	if (!there(s))
		return;
	tree_dir(s, BASE);
	for (unsigned i = 0; i < SIM_CM_DIRS; i++) {
		const char *name = s->st->cm_dir[i];

		if (!*name)
			continue;
		tree_file(s, NULL, 0644, show_mode, store_mode, i, BASE "/%s/ports/1/default_roce_mode", name);
		tree_file(s, NULL, 0644, show_tos, store_tos, i, BASE "/%s/ports/1/default_roce_tos", name);
	}
}
