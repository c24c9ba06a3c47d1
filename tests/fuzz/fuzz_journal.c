/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a run, and what we set last. Sums are made right, or the fuzzer would never come past them: damage that a
 * sum finds is the unit test's. The machine has one port and answers nothing.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/applied.h"
#include "engine/journal.h"
#include "engine/sums.h"
#include "model/catalog.h"

extern const struct catalog *catalog_default(void);

struct given {
	const char *file;		/* that holds @text; others do not exist */
	struct text *text;
};

static int read_given(struct kernel *k, const char *path, struct text *out)
{
	const struct given *g = k->self;

	if (strcmp(path, g->file) != 0)
		return -ENOENT;
	text_addn(out, text_str(g->text), g->text->n);
	return 0;
}

static int list_none(struct kernel *k, const char *path, struct names *out)
{
	(void)k, (void)path, (void)out;
	return -ENOENT;
}

static int link_none(struct kernel *k, const char *path, struct text *out)
{
	(void)k, (void)path, (void)out;
	return -EINVAL;
}

static int stat_none(struct kernel *k, const char *path, struct kernel_stat *st)
{
	(void)k, (void)path, (void)st;
	return -ENOENT;
}

static const struct kernel_ops ops = { .read = read_given, .list = list_none, .link = link_none, .stat = stat_none };

/* Each line with the sum that belongs to it. */
static void with_sums(const char *s, size_t n, struct text *out)
{
	char before[SUM_TEXT] = "", sum[SUM_TEXT];

	while (n) {
		const char *newline = memchr(s, '\n', n);
		size_t len = newline ? (size_t)(newline - s) : n;

		if (len && s[len - 1] == '}') {
			sum_of(before, s, len - 1, sum);
			text_addn(out, s, len - 1);
			text_printf(out, ",\"sum\":\"%s\"}\n", sum);
			memcpy(before, sum, sizeof(sum));
		}
		s += newline ? len + 1 : len;
		n -= newline ? len + 1 : len;
	}
}

static void look(struct arena *a, struct kernel *k, struct diags *d)
{
	const struct catalog *c = catalog_default();
	const struct port port = { .name = "nic0", .ifname = "nic0", .ifindex = 2, .ibdev = "mlx5_0", .ibport = 1,
				   .bdf = "0001:03:00.0", .pci_path = "", .driver = "mlx5_core", .master = "", .protocol = "roce",
				   .node_desc = "", .fw_version = "", .board = "", .physfn = "",
				   .vendor = catalog_vendor(c, "mlx5_core") };
	const struct facts facts = { .hostname = "n", .kernel = "", .observed_at = "", .boot_id = "", .rdma = true,
				     .port = &port, .nports = 1 };
	struct run run = { .kernel = k, .arena = a, .catalog = c, .facts = &facts };
	struct change **change;
	struct past *p;
	size_t n;

	if (past_load(k, a, JOURNAL_RUN, &p, d) < 0) {
		if (!d->errors)
			abort();
		return;
	}
	if (past_changes(&run, p, PAST_ALL, &change, &n, d) == 0)
		for (size_t i = 0; i < n; i++)
			if (!change[i]->target || !change[i]->nparts)
				abort();
	past_done(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct arena *a = arena_new();
	struct given given = { JOURNAL_RUN, &t };
	struct kernel k = { .ops = &ops, .self = &given, .arena = a, .kind = "fuzz" };
	struct applied_list l;
	struct diags d;

	diags_init(&d, a);
	with_sums((const char *)data, n, &t);
	look(a, &k, &d);
	given.file = JOURNAL_APPLIED;
	if (applied_load(&k, a, NULL, NULL, &l, &d) == 0)
		applied_done(&l);
	arena_free(a);
	return 0;
}
