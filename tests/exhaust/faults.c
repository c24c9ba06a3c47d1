/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every write of every pair goes wrong in turn, in every way that is known: afterwards the port reads as before or as
 * wanted, and the exit status says which. What a device does not give back is what plan announced (leaves), and is not to
 * be read anyway.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "exhaust.h"

enum { SAMPLE = 60, WRITES = 400 };

static const struct wrong {
	const char *name;
	enum fault_kind kind;
	uint32_t arg;
} wrongs[] = {
	{ "EBUSY", FAULT_ERR, EBUSY },
	{ "EIO", FAULT_ERR, EIO },
	{ "EOPNOTSUPP", FAULT_ERR, EOPNOTSUPP },
	{ "status 244", FAULT_ERR, ENOMEM },
	{ "ignored", FAULT_IGNORE, 0 },
	{ "clamped", FAULT_CLAMP, 1 },
	{ "late", FAULT_LATE, 3 },
	{ "device gone", FAULT_VANISH, 0 },
};

enum { WRONGS = sizeof(wrongs) / sizeof(wrongs[0]) };

struct counts {
	unsigned runs, as_before, as_wanted, gone;
};

/* What the kernel shows of a port's DCB. */
struct shown {
	struct port_now entries;
	struct ieee_ets ets;
	uint8_t pfc;
};

static void look(const struct bench *b, const struct nic *start, struct shown *s)
{
	const struct dcb_ops *ops = &driver_of(b->sim)->dcb;
	struct nic n = *start;
	struct port_now p;
	struct ieee_pfc pfc;

	memset(s, 0, sizeof(*s));
	port_look(b->sim, &n, &p);
	memcpy(s->entries.entry, p.entry, sizeof(p.entry));
	ops->get_ets(b->sim, &n, &s->ets);
	ops->get_pfc(b->sim, &n, &pfc);
	s->pfc = pfc.pfc_en;
}

static void end_gone(struct bench *b, unsigned from, unsigned to, int status, struct counts *n)
{
	n->gone++;
	if (status != 1 && status != 2)
		bench_explain(b, from, to, arena_printf(b->a, "the device is gone, and apply returned %d", status));
}

static void check(struct bench *b, unsigned from, unsigned to, const struct wrong *w, unsigned nth, int status,
		  const struct shown *wanted, struct counts *n)
{
	struct shown before, now;
	const struct nic *nic = &b->sim->st->nic[0];
	const char *what = arena_printf(b->a, "write %u: %s, and apply returned %d", nth, w->name, status);

	if (!nic->present) {
		end_gone(b, from, to, status, n);
		return;
	}
	look(b, &b->start[from], &before);
	look(b, nic, &now);
	if (status != 3 && status != (b->plan->nrefused ? 1 : 0))
		bench_explain(b, from, to, what);
	if (memcmp(&now, status == 3 ? &before : wanted, sizeof(now)) != 0)
		bench_explain(b, from, to, what);
	if (strcmp(b->out.result, status == 3 ? "failed-rolled-back" : status ? "drift" : "in-sync") != 0)
		bench_explain(b, from, to, "the text says something else than the exit status");
	n->as_before += status == 3;
	n->as_wanted += status != 3;
}

/* A card that fell off the bus is put back, with all its numbers. */
static void put_back(struct bench *b, uint32_t ifindex, uint32_t ibindex)
{
	if (b->sim->st->nic[0].present)
		return;
	sim_do(b->sim, "rescan");
	b->sim->st->next_ifindex = ifindex;
	b->sim->st->next_ibindex = ibindex;
}

static void one_wrong(struct bench *b, unsigned from, unsigned to, const struct wrong *w, const struct shown *wanted,
		      struct counts *n)
{
	bool met = true;

	for (unsigned nth = 1; met && nth < WRITES; nth++) {
		uint32_t ifindex = b->sim->st->next_ifindex, ibindex = b->sim->st->next_ibindex;
		int status;

		bench_begin(b, from, to, false);
		sim_nth(b->sim, nth, w->kind, w->arg);
		status = bench_apply(b);
		met = b->sim->nth.hit;
		sim_nth(b->sim, 0, FAULT_NONE, 0);
		n->runs++;
		check(b, from, to, w, nth, status, wanted, n);
		bench_end(b);
		put_back(b, ifindex, ibindex);
	}
	assert_false(met);
}

static void every_write(struct bench *b, unsigned from, unsigned to, struct counts *n)
{
	struct shown wanted;

	bench_begin(b, from, to, false);
	bench_apply(b);
	look(b, &b->sim->st->nic[0], &wanted);
	bench_end(b);
	for (size_t i = 0; i < WRONGS; i++)
		one_wrong(b, from, to, &wrongs[i], &wanted, n);
}

static void every_pair(const char *options)
{
	struct bench *b = malloc(sizeof(*b));
	struct counts n = { 0 };

	assert_non_null(b);
	bench_open(b, options);
	for (unsigned from = 0; from < CONFIGS; from++)
		for (unsigned to = 0; to < CONFIGS; to++)
			if (pair_wanted(from * CONFIGS + to, SAMPLE))
				every_write(b, from, to, &n);
	print_message("%s: %u runs; %u as before, %u as wanted, %u without the device\n", options, n.runs, n.as_before,
		      n.as_wanted, n.gone);
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
