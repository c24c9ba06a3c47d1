/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every pair: what plan announces is what apply does, in order; where it claims that all moments are safe, they are; and
 * where it says that no order is, brute force finds none. Each on an idle port, and on one in use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "exhaust.h"

enum { SAMPLE = 40 };

struct counts {
	unsigned runs, safe, cheaper, none, refused, searched;
};

static bool claims_safe(struct change *const *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i]->unsafe)
			return false;
	return true;
}

/* No order is safe; else, on an idle port, the cheaper one was taken. */
static bool claims_none(struct change *const *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i]->instead && !strncmp(c[i]->instead, "no order is safe", 16))
			return true;
	return false;
}

static void judge(struct bench *b, unsigned from, unsigned to, struct counts *n)
{
	const struct nic *start = &b->start[from];
	const char *why;
	int found;

	if (claims_safe(b->plan->change, b->plan->n)) {
		n->safe++;
		if (!brute_safe(b, start, &why))
			bench_explain(b, from, to, why);
		return;
	}
	if (!claims_none(b->plan->change, b->plan->n)) {
		n->cheaper++;
		if (b->busy)
			bench_explain(b, from, to, "the port is in use, and the cheaper way was taken");
	} else {
		n->none++;
	}
	n->searched++;
	found = brute_finds(b, start);
	if (found < 0)
		bench_explain(b, from, to, "too many orders to try");
	if (found != !claims_none(b->plan->change, b->plan->n))
		bench_explain(b, from, to, found ? "no order is safe, it says, and there is one" : "the safe way that it tells is none");
}

static void again(struct bench *b, unsigned from, unsigned to, int status)
{
	uint64_t writes = sim_writes(b->sim);

	if (bench_apply(b) != status || sim_writes(b->sim) != writes)
		bench_explain(b, from, to, "the second apply is another one, or writes");
}

static void one(struct bench *b, unsigned from, unsigned to, bool busy, struct counts *n)
{
	int status;

	bench_begin(b, from, to, busy);
	status = bench_apply(b);
	n->runs++;
	n->refused += b->plan->nrefused > 0;
	if (status != (b->plan->nrefused ? 1 : 0))
		bench_explain(b, from, to, arena_printf(b->a, "apply returned %d", status));
	if (strcmp(b->out.result, status ? "drift" : "in-sync") != 0)
		bench_explain(b, from, to, "the text says something else than the exit status");
	if (strcmp(b->planned, changes_text(b->a, b->out.change, b->out.nchanges)) != 0)
		bench_explain(b, from, to, "apply did not do what plan announced");
	judge(b, from, to, n);
	again(b, from, to, status);
	bench_end(b);
}

static void every_pair(const char *options)
{
	struct bench *b = malloc(sizeof(*b));
	struct counts n = { 0 };

	assert_non_null(b);
	bench_open(b, options);
	for (unsigned from = 0; from < CONFIGS; from++)
		for (unsigned to = 0; to < CONFIGS; to++)
			for (int busy = 0; busy < 2; busy++)
				if (pair_wanted((from * CONFIGS + to) * 2 + (unsigned)busy, SAMPLE))
					one(b, from, to, busy, &n);
	print_message("%s: %u runs; %u safe throughout, %u on the cheaper of two ways, %u without a safe order, %u with a "
		      "change left alone; %u times every order was tried\n",
		      options, n.runs, n.safe, n.cheaper, n.none, n.refused, n.searched);
	bench_close(b);
	free(b);
}

static void mlx5(void **state)
{
	(void)state;
	every_pair(driver_options[0]);
}

static void bnxt(void **state)
{
	(void)state;
	every_pair(driver_options[1]);
}

static void ice(void **state)
{
	(void)state;
	every_pair(driver_options[2]);
}

static void hns(void **state)
{
	(void)state;
	every_pair(driver_options[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mlx5),
		cmocka_unit_test(bnxt),
		cmocka_unit_test(ice),
		cmocka_unit_test(hns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
