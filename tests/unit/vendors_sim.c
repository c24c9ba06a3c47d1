/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Port settings from policy to device, on the simulator with the manners of each driver: one apply makes the node
 * match, the next one writes nothing, and whichever write fails, the node reads as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../cmd/catalog.h"
#include "../sim/sim.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "engine/engine.h"
#include "inventory/inventory.h"
#include "kernel/kernel.h"
#include "policy/policy.h"

#define CLASSES \
	"version: 1\n" \
	"fabrics:\n" \
	"  backend:\n" \
	"    mtu: 9000\n" \
	"    classes:\n" \
	"      rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}\n" \
	"      cnp: {priority: 6, dscp: [48], strict: true}\n" \
	"      default: {priority: 0, bandwidth: 40%}\n" \
	"nodes: {'*': {profiles: [p]}}\n" \
	"profiles:\n" \
	"  p:\n" \
	"    ports:\n" \
	"      compute:\n" \
	"        match: {link: ethernet}\n" \
	"        fabric: backend\n" \
	"        mtu: fabric\n" \
	"        qos: fabric\n" \
	"        pause: {rx: false, tx: false}\n"
#define TOS	"        roce: {mode: v2, tos: rdma}\n"
#define ECN	"        ecn: {np: [3], rp: [3], cnp: {dscp: 46, priority: 5}, rp_threshold: 3, rp_time_reset: 200us}\n"
#define ROCE	"        roce: {enabled: true, mode: v2, tos: rdma}\n"

struct node {
	struct arena *a;
	struct sim *sim;
	struct kernel *k;
	struct diags d;
	struct policy *policy;
	struct facts *facts;
	struct desired *desired;
	struct run run;
	struct outcome out;
};

static int look(struct node *n)
{
	kernel_renew(n->k);
	if (inventory_take(n->k, n->a, catalog_default(), NULL, &n->facts, &n->d) < 0)
		return -ENODEV;
	return policy_compile(n->policy, n->facts->hostname, n->facts, catalog_default(), &n->desired, &n->d);
}

static int renew(struct run *run, struct diags *d)
{
	struct node *n = run->renew_arg;
	int r = look(n);

	(void)d;
	run->facts = n->facts;
	run->desired = n->desired;
	return r;
}

static void node_open(struct node *n, const char *options, const char *policy)
{
	memset(n, 0, sizeof(*n));
	n->a = arena_new();
	diags_init(&n->d, n->a);
	n->sim = sim_new(n->a, options);
	n->k = sim_kernel(n->sim);
	assert_int_equal(policy_parse(n->a, "p.yaml", policy, strlen(policy), catalog_default(), &n->policy, &n->d), 0);
}

static void node_close(struct node *n)
{
	kernel_close(n->k);
	sim_close(n->sim);
	arena_free(n->a);
}

static void explain(struct node *n)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(&n->d, false, &t);
	print_message("%s\n%s", text_str(&t), sim_log(n->sim));
}

static int apply(struct node *n)
{
	assert_int_equal(look(n), 0);
	n->run = (struct run){ .kernel = n->k, .arena = n->a, .catalog = catalog_default(), .facts = n->facts,
			       .desired = n->desired, .consent = { IMPACT_RELOAD, IMPACT_RELOAD, false }, .renew = renew, .renew_arg = n };
	return apply_run(&n->run, &n->out, &n->d);
}

static void expect(struct node *n, int status)
{
	int r = apply(n);

	if (r != status)
		explain(n);
	assert_int_equal(r, status);
	assert_null(strstr(sim_log(n->sim), "not taught:"));
}

struct device { const char *options, *policy; };

static const struct device kinds[] = {
	{ "--driver mlx5_core --manners mlx5 --ofed", CLASSES TOS ECN },
	{ "--driver mlx5_core --manners mlx5", CLASSES TOS "        ecn: {cnp: {dscp: 46, priority: 5}}\n" },
	{ "--driver mlx5_core --manners mlx5 --release 6.1 --ofed", CLASSES TOS ECN },
	{ "--driver bnxt_en --manners bnxt", CLASSES },
	{ "--driver ice --manners ice", CLASSES },
	{ "--driver hns3 --manners hns3", CLASSES },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void one_apply_is_enough(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct node n;
		uint64_t writes;

		node_open(&n, kinds[i].options, kinds[i].policy);
		expect(&n, 0);
		writes = sim_writes(n.sim);
		assert_true(writes > 0);
		expect(&n, 0);
		assert_int_equal(sim_writes(n.sim), writes);
		node_close(&n);
	}
}

/* Law 9, write by write; the last n is one at which no write fails any more. */
static void whichever_write_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		bool done = false;

		for (unsigned nth = 1; !done && nth < 200; nth++) {
			TEXT_CLEANUP struct text before = { 0 };
			TEXT_CLEANUP struct text after = { 0 };
			struct node n;
			int r;

			node_open(&n, kinds[i].options, kinds[i].policy);
			sim_snapshot(n.sim, &before);
			sim_fail_nth_write(n.sim, nth, EIO);
			r = apply(&n);
			done = r == 0;
			sim_snapshot(n.sim, &after);
			if (!done && (r != 3 || strcmp(text_str(&before), text_str(&after)))) {
				explain(&n);
				print_message("%s: write %u\n--- before\n%s--- after\n%s", kinds[i].options, nth,
					      text_str(&before), text_str(&after));
				fail();
			}
			node_close(&n);
		}
		assert_true(done);
	}
}

/* RoCE off and on again: all that the reload took is wished for, and comes back. */
static void roce_comes_and_goes(void **state)
{
	struct node n;

	(void)state;
	node_open(&n, "--driver mlx5_core --manners mlx5", CLASSES ROCE);
	assert_int_equal(sim_do(n.sim, "set roce nic0 off"), 0);
	assert_int_equal(sim_do(n.sim, "reload nic0"), 0);
	expect(&n, 0);
	expect(&n, 0);
	node_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_apply_is_enough),
		cmocka_unit_test(whichever_write_fails),
		cmocka_unit_test(roce_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
