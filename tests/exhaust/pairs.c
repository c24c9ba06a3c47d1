/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations, how a port gets one behind rdmactl's back, and one run of plan and apply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/catalog.h"
#include "base/arena.h"
#include "exhaust.h"
#include "inventory/inventory.h"
#include "policy/policy.h"

const char *const driver_options[] = { "--pairs 1 --driver mlx5_core", "--pairs 1 --driver bnxt_en", "--pairs 1 --driver ice",
				       "--pairs 1 --driver hns3", NULL };

/* DSCP maps; 11 is on 3 where ice puts it when its entry goes, 8 where it is by default, and 0 nowhere else. */
static const char *const maps[] = { "",	       "26: 3",		"26: 4",		 "26: 3, 48: 6", "26: 4, 48: 6",
				    "11: 3",   "11: 4, 48: 6",	"0: 0, 9: 1, 26: 3, 48: 6", "0-63: 0, 26: 4, 48: 6" };
static const char *const masks[] = { "", "3", "4", "3, 4", "5, 6" };

struct classes {
	uint8_t tc[8], share[8];	/* 101: strict */
};

static const struct classes classes[] = {
	{ { 0 }, { 100, 101, 101, 101, 101, 101, 101, 101 } },
	{ { 0, 0, 0, 1, 2, 0, 3, 0 }, { 40, 30, 30, 101, 101, 101, 101, 101 } },
	{ { 0, 0, 0, 2, 1, 0, 2, 0 }, { 50, 50, 101, 101, 101, 101, 101, 101 } },
};
/* ice under DSCP trust has priority n on class n: these all name shares alone */
static const struct classes classes_ice[] = {
	{ { 0 }, { 100, 0, 0, 0, 0, 0, 0, 0 } },
	{ { 0 }, { 40, 0, 0, 60, 0, 0, 101, 0 } },
	{ { 0 }, { 50, 0, 0, 0, 50, 0, 101, 101 } },
};

enum { MAPS = sizeof(maps) / sizeof(maps[0]), MASKS = sizeof(masks) / sizeof(masks[0]), CLASSES = 3 };

static bool is_ice(const struct bench *b)
{
	return b->sim->st->manners == MANNERS_ICE;
}

static const struct classes *classes_of(const struct bench *b, unsigned i)
{
	return &(is_ice(b) ? classes_ice : classes)[(i / MASKS + i % MASKS) % CLASSES];
}

static const char *map_of(unsigned i)
{
	return maps[i / MASKS];
}

static const char *mask_of(unsigned i)
{
	return masks[i % MASKS];
}

/* --- behind its back -------------------------------------------------------------- */

static bool set_classes(struct bench *b, struct nic *n, const struct classes *c)
{
	struct ieee_ets ets = { .willing = n->hw.ets.willing };

	for (int i = 0; i < 8; i++) {
		ets.prio_tc[i] = is_ice(b) ? n->hw.ets.prio_tc[i] : c->tc[i];
		ets.tc_tsa[i] = c->share[i] > 100 ? IEEE_8021QAZ_TSA_STRICT : IEEE_8021QAZ_TSA_ETS;
		ets.tc_tx_bw[i] = c->share[i] > 100 ? 0 : c->share[i];
	}
	return driver_of(b->sim)->dcb.set_ets(b->sim, n, &ets) >= 0;
}

static bool set_entries(struct bench *b, struct nic *n, const char *map)
{
	uint8_t prio[64];
	unsigned from, to, p;
	int len;

	memset(prio, 255, sizeof(prio));
	for (; *map; map += len) {
		if (sscanf(map, "%u-%u: %u%n", &from, &to, &p, &len) != 3) {
			if (sscanf(map, "%u: %u%n", &from, &p, &len) != 2)
				return false;
			to = from;
		}
		memset(prio + from, (int)p, to - from + 1);
		map += strspn(map + len, ", ");
	}
	for (uint16_t i = 0; i < 64; i++)
		if (prio[i] < 8 && driver_of(b->sim)->dcb.set_app(b->sim, n, &(struct dcb_app){ IEEE_8021QAZ_APP_SEL_DSCP, prio[i], i }) < 0)
			return false;
	return true;
}

static bool set_mask(struct bench *b, struct nic *n, const char *mask)
{
	struct ieee_pfc pfc = { 0 };

	for (; *mask; mask++)
		if (*mask >= '0' && *mask <= '7')
			pfc.pfc_en |= (uint8_t)(1u << (*mask - '0'));
	return driver_of(b->sim)->dcb.set_pfc(b->sim, n, &pfc) >= 0;
}

void bench_open(struct bench *b, const char *options)
{
	struct nic *n, factory;

	memset(b, 0, sizeof(*b));
	b->sim_arena = arena_new();
	b->sim = sim_new(b->sim_arena, options);
	n = &b->sim->st->nic[0];
	n->hw.rx_pause = n->hw.tx_pause = false;
	factory = *n;
	for (unsigned i = 0; i < CONFIGS; i++) {
		*n = factory;
		b->possible[i] = set_entries(b, n, map_of(i)) && set_classes(b, n, classes_of(b, i)) && set_mask(b, n, mask_of(i));
		b->start[i] = *n;
		if (!b->possible[i])
			fail_msg("%s refuses configuration %u", options, i);
	}
}

void bench_close(struct bench *b)
{
	sim_close(b->sim);
	arena_free(b->sim_arena);
}

/* --- the policy -------------------------------------------------------------------- */

static void add_classes(const struct bench *b, const struct classes *c, struct text *t)
{
	text_add(t, ", ets: {");
	for (int i = 0; i < 8; i++) {
		text_printf(t, "%s%d: ", i ? ", " : "", i);
		if (c->share[i] > 100)
			text_add(t, "strict");
		else
			text_printf(t, "%u%%", c->share[i]);
	}
	text_add(t, "}");
	for (int i = 0; !is_ice(b) && i < 8; i++)
		text_printf(t, "%s%d: %u%s", i ? ", " : ", tc: {", i, c->tc[i], i == 7 ? "}" : "");
}

const char *config_text(struct bench *b, unsigned i)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_printf(&t, "{dscp: {%s}, pfc: [%s]", map_of(i), mask_of(i));
	add_classes(b, classes_of(b, i), &t);
	text_add(&t, "}");
	return arena_strdup(b->a ? b->a : b->sim_arena, text_str(&t));
}

/* --- a run ------------------------------------------------------------------------- */

static void watch(struct sim *s, struct nic *n, const struct sim_set *set, void *arg)
{
	struct recorded *r = arg;

	if (r->n == MOMENTS)
		fail_msg("more than %d sets", MOMENTS);
	r->set[r->n] = *set;
	port_look(s, n, &r->after[r->n++]);
}

static int look(struct bench *b)
{
	kernel_renew(&b->kernel);
	if (inventory_take(&b->kernel, b->a, catalog_default(), NULL, &b->facts, &b->d) < 0)
		return -ENODEV;
	return policy_compile(b->policy, b->facts->hostname, b->facts, catalog_default(), &b->desired, &b->d);
}

static int renew(struct run *run, struct diags *d)
{
	struct bench *b = run->renew_arg;
	int r = look(b);

	(void)d;
	run->facts = b->facts;
	run->desired = b->desired;
	return r;
}

static const struct use *in_use(struct run *run, const struct port *p, struct diags *d)
{
	static const struct use idle = { USE_IDLE, NULL }, busy = { USE_BUSY, "a queue pair" };
	const struct bench *b = run->in_use_arg;

	(void)p;
	(void)d;
	return b->busy ? &busy : &idle;
}

const char *changes_text(struct arena *a, struct change *const *c, size_t n)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < n; i++) {
		text_printf(&t, "%s %s %s:", c[i]->target->name, c[i]->object, impact_name(c[i]->impact));
		for (size_t j = 0; j < c[i]->nparts; j++)
			for (size_t k = 0; k < c[i]->part[j].want->n; k++) {
				const struct change_part *p = &c[i]->part[j];

				if (!p->differs[k])
					continue;
				text_printf(&t, " %s ", p->want->at[k].name);
				value_print(p->want->at[k].field, &p->have->at[k].value, &t);
				text_add(&t, " -> ");
				value_print(p->want->at[k].field, &p->want->at[k].value, &t);
			}
		text_printf(&t, "%s%s%s%s\n", c[i]->unsafe ? "\n  unsafe: " : "", c[i]->unsafe ? c[i]->unsafe : "",
			    c[i]->instead ? "\n  order: " : "", c[i]->instead ? c[i]->instead : "");
	}
	return arena_strdup(a, text_str(&t));
}

static void plan(struct bench *b)
{
	if (look(b) < 0)
		fail_msg("no facts, or no desired state");
	b->run = (struct run){ .kernel = &b->kernel, .arena = b->a, .catalog = catalog_default(), .facts = b->facts,
			       .desired = b->desired, .consent = { IMPACT_RELOAD, IMPACT_RELOAD, false }, .renew = renew,
			       .renew_arg = b, .in_use = in_use, .in_use_arg = b };
	if (plan_build(&b->run, &b->plan, &b->d) < 0)
		fail_msg("no plan");
	b->planned = changes_text(b->a, b->plan->change, b->plan->n);
}

void bench_begin(struct bench *b, unsigned from, unsigned to, bool busy)
{
	const char *text;

	b->a = arena_new();
	diags_init(&b->d, b->a);
	b->kernel = *sim_kernel(b->sim);
	b->kernel.arena = b->a;
	b->sim->st->nic[0] = b->start[from];
	b->sim->st->log_len = 0;
	b->busy = busy;
	b->recorded.n = 0;
	text = arena_printf(b->a, "version: 1\nnodes: {'*': {profiles: [p]}}\nprofiles: {p: {ports: {c: {match: {link: ethernet}, qos: %s}}}}\n",
			    config_text(b, to));
	if (policy_parse(b->a, "p.yaml", text, strlen(text), catalog_default(), &b->policy, &b->d) < 0)
		bench_explain(b, from, to, "the policy is wrong");
	plan(b);
}

int bench_apply(struct bench *b)
{
	int r;

	b->sim->watch = watch;
	b->sim->watch_arg = &b->recorded;
	r = apply_run(&b->run, &b->out, &b->d);
	b->sim->watch = NULL;
	return r;
}

void bench_end(struct bench *b)
{
	kernel_close(&b->kernel);
	arena_free(b->a);
	b->a = NULL;
}

void bench_explain(struct bench *b, unsigned from, unsigned to, const char *what)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(&b->d, false, &t);
	print_message("from %u %s\nto   %u %s\n%s\nplanned (port %s):\n%s%s\n%s\n", from, config_text(b, from), to, config_text(b, to), what,
		      b->busy ? "in use" : "idle", b->planned ? b->planned : "", text_str(&t), sim_log(b->sim));
	if (b->out.change)
		print_message("done:\n%s\n", changes_text(b->a, b->out.change, b->out.nchanges));
	fail();
	abort();
}

/* A generator of its own, so that a seed means the same everywhere. */
bool pair_wanted(unsigned number, unsigned one_in)
{
	const char *all = getenv("EXHAUST"), *seed = getenv("SEED");
	uint64_t x = (uint64_t)number * 0x9e3779b97f4a7c15u + (seed ? strtoull(seed, NULL, 10) : 1) * 0xbf58476d1ce4e5b9u;

	if (all && !strcmp(all, "all"))
		return true;
	x ^= x >> 31;
	x *= 0x94d049bb133111ebu;
	x ^= x >> 29;
	return x % one_in == 0;
}
