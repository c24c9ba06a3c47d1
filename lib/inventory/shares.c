/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds how much of RDMA devices, summed up by holder and put into words; /proc/PID/comm has the names of processes. */
#include "inventory/shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define NAMED_MAX  3 /* of others the number */
#define COMM_SHOWN 64

/*
 * A kernel name is that of the module that made the object. What a driver makes for itself has the name of a module
 * that drives devices (mlx5_ib), which no consumer does.
 */
static bool is_drivers_own(struct kernel *k, const struct share *s)
{
	return s->what == RDMA_QP && s->kernel && files_component(s->kernel) &&
	       files_exist(k, "sys/module/%s/drivers", s->kernel);
}

static int compare_holder(const struct share *a, const struct share *b)
{
	if (!a->kernel != !b->kernel)
		return a->kernel ? 1 : -1;
	if (a->kernel)
		return strcmp(a->kernel, b->kernel);
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int weight(enum rdma_resource what)
{
	static const int weights[] = { [RDMA_CONTEXT] = 2, [RDMA_CM_ID] = 1, [RDMA_QP] = 0 };

	return weights[what];
}

static int by_holder(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;
	int r = compare_holder(a, b);

	return r ? r : weight(a->what) - weight(b->what);
}

static int by_weight(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;

	if (a->what != b->what)
		return weight(a->what) - weight(b->what);
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return compare_holder(a, b);
}

void shares_sum_up(struct kernel *k, struct shares *l)
{
	size_t n = 0, kept = 0;

	if (!l->n)
		return;
	qsort(l->at, l->n, sizeof(*l->at), by_holder);
	for (size_t i = 1; i < l->n; i++) {
		if (compare_holder(&l->at[n], &l->at[i]) != 0)
			l->at[++n] = l->at[i];
		else if (l->at[n].what == l->at[i].what)
			l->at[n].n++;
	}
	for (size_t i = 0; i <= n; i++)
		if (!is_drivers_own(k, &l->at[i]))
			l->at[kept++] = l->at[i];
	l->n = kept;
	qsort(l->at, l->n, sizeof(*l->at), by_weight);
}

/* "python3 (4711)", "nvme_rdma (kernel)" */
static void add_holder(struct kernel *k, struct arena *a, const struct share *s, struct text *t)
{
	TEXT_CLEANUP struct text comm = { 0 };
	char path[64];

	if (s->kernel) {
		text_printf(t, "%s (kernel)", s->kernel);
		return;
	}
	if (!s->pid) {
		text_add(t, "a process that cannot be seen from here");
		return;
	}
	snprintf(path, sizeof(path), "proc/%u/comm", s->pid);
	if (kernel_read(k, path, &comm) < 0 || !text_trim(text_str(&comm), comm.n)) {
		text_printf(t, "process %u", s->pid);
		return;
	}
	text_add(t, text_safe(a, text_str(&comm), text_trim(text_str(&comm), comm.n), COMM_SHOWN));
	text_printf(t, " (%u)", s->pid);
}

const char *shares_text(struct kernel *k, struct arena *a, const struct shares *l)
{
	static const char *const nouns[][2] = {
		[RDMA_CONTEXT] = { "open context", "open contexts" },
		[RDMA_QP] = { "queue pair", "queue pairs" },
		[RDMA_CM_ID] = { "CM ID", "CM IDs" },
	};
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < l->n && i < NAMED_MAX; i++) {
		const struct share *s = &l->at[i];

		text_printf(&t, "%s%zu ", i ? ", " : "", s->n);
		if (!i || s->what != s[-1].what)
			text_printf(&t, "%s ", nouns[s->what][s->n != 1]);
		text_add(&t, "of ");
		add_holder(k, a, s, &t);
	}
	if (l->n > NAMED_MAX)
		text_printf(&t, "; %zu more", l->n - NAMED_MAX);
	return arena_strdup(a, text_str(&t));
}
