/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pairs of small configurations, on the simulator of each driver: the port has one and is to have the other. What
 * the planner claims about the moments in between is checked on the simulator's own state, by code that shares nothing
 * with it, and where it says that no order is safe, every order is tried.
 *
 *   pairs.c     the configurations, and one run of plan and apply · safety.c   what a port carries, and is it safe
 *   brute.c     every order of the writes · order.c faults.c   the two programs
 *
 * Without EXHAUST=all in the environment they do a sample; SEED=N picks another one.
 */
#ifndef TESTS_EXHAUST_EXHAUST_H
#define TESTS_EXHAUST_EXHAUST_H

#include <stdbool.h>

#include "../sim/state.h"
#include "base/diag.h"
#include "engine/engine.h"

enum { CONFIGS = 45, MOMENTS = 512, BY_TAG = 8 };

/* --- safety.c --- */

/* What the hardware does with a packet, from the simulator's registers. */
struct port_now {
	uint8_t on[64];			/* priority of each DSCP, or BY_TAG */
	uint8_t pfc, tc[8], tsa[8], bw[8];
	uint8_t entry[64];		/* the kernel's list, a bit for each priority */
};

void port_look(const struct sim *s, const struct nic *n, struct port_now *p);
bool port_same(const struct port_now *a, const struct port_now *b);
/** port_danger - NULL: a port on its way from @before to @after is safe in @now; else which rule it breaks */
const char *port_danger(const struct port_now *before, const struct port_now *now, const struct port_now *after);

/* --- pairs.c --- */

struct recorded {
	struct sim_set set[MOMENTS];
	struct port_now after[MOMENTS];
	unsigned n;
};

struct bench {
	struct sim *sim;
	struct arena *sim_arena;
	struct nic start[CONFIGS];	/* the port in each configuration */
	bool possible[CONFIGS];
	struct recorded recorded;
	/* of the run at hand: */
	struct arena *a;
	struct kernel kernel;
	struct diags d;
	struct policy *policy;
	struct facts *facts;
	struct desired *desired;
	struct run run;
	struct plan *plan;
	struct outcome out;
	const char *planned;		/* the changes that plan announced, as text */
	bool busy;			/* the port counts as in use */
};

extern const char *const driver_options[];	/* NULL at the end */

void bench_open(struct bench *b, const char *options);
void bench_close(struct bench *b);
/** bench_begin - the port has configuration @from; a plan for @to is made */
void bench_begin(struct bench *b, unsigned from, unsigned to, bool busy);
/** bench_apply - what rdmactl returns; sets are recorded */
int bench_apply(struct bench *b);
void bench_end(struct bench *b);
const char *config_text(struct bench *b, unsigned i);
/** changes_text - of a plan or an outcome, in order */
const char *changes_text(struct arena *a, struct change *const *c, size_t n);
/** bench_explain - everything about the run at hand, for a person; ends the test */
void bench_explain(struct bench *b, unsigned from, unsigned to, const char *what) __attribute__((noreturn));
/** pair_wanted - is this pair in the sample, or is everything run */
bool pair_wanted(unsigned number, unsigned one_in);

/* --- brute.c --- */

/**
 * brute_finds - an order of the recorded sets, with the unions of PFC, in which no moment is dangerous, whatever a map
 *	holds that the kernel does not show
 * Return: 1 found, 0 none, -1 there were too many to try.
 */
int brute_finds(struct bench *b, const struct nic *start);
/** brute_safe - are the recorded sets in their own order safe, whatever such a map holds; *why: which rule is broken */
bool brute_safe(struct bench *b, const struct nic *start, const char **why);

#endif
