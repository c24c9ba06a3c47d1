/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: observe, compare, plan, write, read back. Knows no setting and no vendor. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "model/catalog.h"
#include "model/desired.h"
#include "model/row.h"
#include "model/use.h"

struct arena;
struct diags;
struct kernel;

/* What one wish was found to be. */
struct finding {
	const struct wish *wish;
	const struct target *target;
	const struct setting *setting;
	const struct record *want;	/* the wish, less what --only leaves out; NULL without a policy */
	struct record *live, *boot;	/* cells as in want; boot NULL if the setting has no such home */
};

/* --allow IDLE[/BUSY]: the highest impact of a change on a port that nobody uses, and on one in use. */
struct consent {
	enum impact idle, busy;
	bool if_idle;			/* a port in use refuses the whole run */
};

struct plan;

struct run {
	struct kernel *kernel;
	struct arena *arena;
	const struct catalog *catalog;
	const struct facts *facts;
	const struct desired *desired;
	const char *const *only;	/* --only: selectors, NULL at the end, or NULL */
	struct consent consent;
	bool take_over;			/* what another owner may overwrite is written all the same */
	/*
	 * Is this port in use: asked only if a change above none is planned, and watched once a run, all ports at once.
	 * NULL: not asked (drift), all ports count as idle. Return: never NULL.
	 */
	const struct use *(*in_use)(struct run *run, const struct port *p, struct diags *d);
	void *in_use_arg;
	/* asked once, when the journal is on disk and nothing is written yet; NULL: nothing to do. Told; fails the run */
	int (*before_writing)(struct run *run, const struct plan *plan, struct diags *d);
	const char *repeat;		/* " -p FILE", what a command of a remedy has to say again, so that it judges the same; or NULL */
	struct journal *journal;	/* NULL: nothing is remembered (apply --root) */
	bool confirm;			/* boot files are left for `rdmactl confirm` */
	bool tells_dropped;		/* rows for what the policy asked for once, and we set: not in a run over a part of it */
	bool boot_files_only;		/* apply --root: nothing live is touched */
	bool undoing;			/* a run failed, and what it did is being undone */
	const struct change *checked;	/* its homes are asked what has become of it; else NULL */
	bool want_rows;			/* rows in sync are wanted by the report, not just their number */
	bool without_live, without_boot;	/* drift --boot (apply --root), --live: that home is not asked, and nothing is said of it */
	/* observes the machine anew after a reload, or when a device vanished: replaces facts and desired */
	int (*renew)(struct run *run, struct diags *d);
	void *renew_arg;
};

struct journal;

struct plan {
	struct finding *finding;
	size_t nfindings;
	struct row *row;
	size_t nrows;
	size_t count[STATUS_N];
	struct change **change;		/* in order; those refused stand behind, from n on */
	size_t n, nrefused;
};

/* observe.c */
/** observe - asks the homes of every wish, field by field (vendor's providers first, then the setting's own) */
int observe(struct run *run, struct finding **out, size_t *n, struct diags *d);
/** observe_all - every field of every setting on these targets, without a policy (show, dump); live only */
int observe_all(struct run *run, const struct target *const *target, size_t ntargets, struct finding **out, size_t *n,
		struct diags *d);
/** observe_again - one finding read afresh; each cell by the home that served it before */
void observe_again(struct run *run, struct finding *f, struct diags *d);
/** observe_record - the cells of @want that hold a value, live */
struct record *observe_record(struct run *run, const struct target *t, const struct setting *s, const struct record *want,
			      struct diags *d);
/** observe_setting - one setting of one target, every field, live */
struct record *observe_setting(struct run *run, const struct target *t, const struct setting *s, struct diags *d);

/* plan.c */
/** plan_build - observe, compare, group into changes, weigh, order. No writes. Return: 0 or -errno */
int plan_build(struct run *run, struct plan **plan, struct diags *d);
/** plan_live_waits - does live follow by itself once an event comes that boot is right for? */
bool plan_live_waits(const struct cell *live);
/** plan_waits - a run waits for `rdmactl confirm`: what boot files lack is pending until then */
void plan_waits(struct plan *plan);
/** plan_outcome - rows, counts, result and exit status of a plan that is not applied (drift, plan, show) */
void plan_outcome(struct run *run, const struct plan *plan, bool ignore_pending, struct outcome *out);

/* dropped.c */
/** dropped_rows - adds a row for each value that the policy dropped and that still is as we set it */
int dropped_rows(struct run *run, struct plan *plan, struct diags *d);
/** dropped_revert - adds a wish to @des for each of them, for what was there before we first set it */
int dropped_revert(struct run *run, struct desired *des, struct diags *d);

/* apply.c */
/**
 * apply_run - makes it so: plan, write, read back, until a plan is empty; a failure undoes what was done, newest first
 * Return: the exit status of design.md section 5 (0, 1, 2, 3, 4), with @out filled.
 */
int apply_run(struct run *run, struct outcome *out, struct diags *d);

#endif
