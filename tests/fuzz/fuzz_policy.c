/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy, read, judged for all its nodes and compiled for one: result and what was told agree, and what is told can be
 * printed.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "judge.h"
#include "lint/lint.h"
#include "model/desired.h"
#include "model/facts.h"
#include "policy/policy.h"

static const struct port ports[] = {
	{ .name = "ens1f0", .ifname = "ens1f0", .ifindex = 2, .master = "", .ibdev = "mlx5_0", .ibport = 1, .node_desc = "",
	  .fw_version = "", .protocol = "roce", .link_layer = LINK_LAYER_ETHERNET, .bdf = "0000:03:00.0", .pci_path = "",
	  .driver = "mlx5_core", .board = "", .function = FUNCTION_PF, .physfn = "", .numa_node = 0 },
	{ .name = "ens2f0np0", .ifname = "ens2f0np0", .ifindex = 3, .master = "", .ibdev = "bnxt_re0", .ibport = 1, .node_desc = "",
	  .fw_version = "", .protocol = "roce", .link_layer = LINK_LAYER_ETHERNET, .bdf = "0000:9a:00.0", .pci_path = "",
	  .driver = "bnxt_en", .board = "", .function = FUNCTION_PF, .physfn = "", .numa_node = 1 },
};
static const char *const nodes[] = { "gpu0001", "n", "storage01.example.com" };

/* Errors that were told, whether the text of one of them had been told before or not. */
static void agree(int r, const struct diags *d)
{
	if (r < 0 && !d->errors)
		abort();
}

static void compile(struct policy *p, const char *node, struct diags *d)
{
	const struct facts facts = { .hostname = node, .kernel = "", .observed_at = "", .boot_id = "", .rdma = true,
				     .port = ports, .nports = sizeof(ports) / sizeof(ports[0]) };
	struct desired *desired = NULL;
	int r = policy_compile(p, node, &facts, catalog_default(), &desired, d);

	agree(r, d);
	if (r == 0)
		policy_desired_digest(p, desired);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	TEXT_CLEANUP struct text told = { 0 };
	struct arena *a = arena_new();
	struct policy *p;
	struct diags d;
	struct lint l;
	int r;

	diags_init(&d, a);
	r = policy_parse(a, "p", (const char *)data, n, catalog_default(), &p, &d);
	if ((r < 0) != (d.errors > 0))
		abort();
	if (p) {
		lint_init(&l, catalog_default(), &d);
		agree(judge_policy(&l, p, NULL), &d);
	}
	for (size_t i = 0; r == 0 && i < sizeof(nodes) / sizeof(nodes[0]); i++)
		compile(p, nodes[i], &d);
	diags_print(&d, false, &told);
	if (!text_is_utf8(text_str(&told), told.n))
		abort();
	arena_free(a);
	return 0;
}
