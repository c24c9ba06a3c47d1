/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: observe, compare, plan, write, read back. Knows no setting and no vendor. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "model/catalog.h"
#include "model/desired.h"
#include "model/row.h"

struct arena;
struct diags;
struct kernel;

/* What one wish was found to be. Parallel to desired->wish. */
struct finding {
	const struct wish *wish;
	struct record *live, *boot;	/* cells as in wish->want; boot NULL if the setting has no such home */
};

struct run {
	struct kernel *kernel;
	struct arena *arena;
	const struct catalog *catalog;
	const struct facts *facts;
	const struct desired *desired;
	const char *const *only;	/* --only: selectors, NULL at the end, or NULL */
	enum impact allow_idle, allow_busy;
	bool boot_files_only;		/* apply --root */
	bool want_rows;			/* rows in sync, too, are wanted by the report */
	/* observe a machine anew after a reload: facts and desired are replaced */
	int (*renew)(struct run *run, struct diags *d);
	void *renew_arg;
};

/**
 * observe - asks the homes of every wish, field by field (vendor's providers first, then the setting's own)
 * Return: 0; findings in @out (arena).
 */
int observe(struct run *run, struct finding **out, struct diags *d);
/** observe_all - every field of every setting on every target, without a policy (show, dump) */
int observe_all(struct run *run, const struct target *const *target, size_t ntargets, struct finding **out, size_t *n,
		struct diags *d);
/** observe_again - one wish read afresh into @f */
void observe_again(struct run *run, struct finding *f, struct diags *d);

struct plan {
	struct row *row;
	size_t nrows;
	struct change **change;		/* in order; those refused are at the end */
	size_t n, nrefused;
};

/** plan_build - observe, compare, group into changes, weigh, order. No writes. */
int plan_build(struct run *run, struct plan **plan, struct diags *d);

/**
 * apply_run - makes it so
 * Return: the exit status of design.md section 5 (0, 1, 2, 3, 4), with @out filled.
 */
int apply_run(struct run *run, struct outcome *out, struct diags *d);
/** outcome_of_plan - rows, counts, result and exit status of a plan that is not applied (drift, plan) */
void outcome_of_plan(struct run *run, const struct plan *plan, struct outcome *out);

#endif
