/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the planner share: plan.c compares and groups, consent.c limits, order.c and safest.c order. */
#ifndef ENGINE_PLANNING_H
#define ENGINE_PLANNING_H

#include "engine/engine.h"

/** plan_weigh - impact, effect, what is left behind; refuses what cannot be. Told in @d */
void plan_weigh(struct run *run, struct change *c, struct diags *d);
/** plan_part - the part of @s in @c, or NULL */
struct change_part *plan_part(const struct change *c, const struct setting *s);

/* --- consent.c ----------------------------------------------------------------- */

/** consent_in_use - a port in use that the change would touch, and *use of it; NULL: none */
const struct port *consent_in_use(struct run *run, const struct change *c, const struct use **use, struct diags *d);
/** consent_limit - refuses what is above the limit of its port; with --if-idle all, if a port is in use */
void consent_limit(struct run *run, struct change *const *change, size_t n, struct diags *d);

/* --- order.c -------------------------------------------------------------------- */

/** order_changes - one port at a time, each in its safest order (law 8); may make one change of two. Boot files last */
void order_changes(struct run *run, struct plan *plan, struct diags *d);
/** order_compare - by port and pass: what grows in the catalog's order, what shrinks backwards; what tells others, last */
int order_compare(const struct run *run, const struct change *x, const struct change *y);

/* --- safest.c ------------------------------------------------------------------- */

/* A port whose moments are judged: what it has, and what it is to have after the changes. */
struct judged;

/** judged_port - the judged changes of @port among those; NULL: there is none, or nobody judges */
struct judged *judged_port(struct run *run, const struct plan *plan, const struct port *port, struct change *const *change,
			   size_t n, struct diags *d);
/** judged_resets - is setting @i of the judge asked for, in no change, and reset by one of them */
bool judged_resets(const struct judged *j, size_t i);
/** judged_has - is @c one of them */
bool judged_has(const struct judged *j, const struct change *c);
/** judged_holds_back - refuses those without which the port would be unsafe for good, since others were refused */
void judged_holds_back(struct judged *j);
/** judged_order - the changes in the order in which they are to be made: *out, in the run's arena. Return: how many */
size_t judged_order(struct judged *j, struct change ***out);

#endif
