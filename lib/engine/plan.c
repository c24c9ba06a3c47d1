/* SPDX-License-Identifier: Apache-2.0 */
/* Compares findings with wishes, groups what differs into changes (one kernel object on one target), has them weighed. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "engine/doing.h"
#include "engine/planning.h"
#include "kernel/kernel.h"
#include "model/moment.h"

struct build {
	struct run *run;
	struct plan *plan;
	struct { struct row *at; size_t n, room; } rows;
	struct { struct change **at; size_t n, room; } changes;
	struct diags *d;
};

/* --- rows ------------------------------------------------------------------- */

static bool is_optional(const struct wish *w, const char *name)
{
	if (!w || !w->optional)
		return false;
	for (const char *const *o = w->optional; *o; o++)
		if (catalog_selects(*o, name))
			return true;
	return false;
}

enum verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_DIFFERS, VERDICT_UNKNOWN, VERDICT_LACKS };

static enum verdict judge(const struct cell *want, const struct cell *have, const struct record *observed)
{
	if (!have || have->state == CELL_SILENT || have->state == CELL_OPEN)
		return VERDICT_NONE;
	if (have->state == CELL_VALUE)
		return cell_same(want, &have->value, observed) ? VERDICT_SAME : VERDICT_DIFFERS;
	if (reason_is_lack(have->reason))
		return VERDICT_LACKS;
	return reason_is_unknown(have->reason) ? VERDICT_UNKNOWN : VERDICT_DIFFERS;
}

bool plan_live_waits(const struct cell *live)
{
	return (live->state == CELL_REASON && live->reason == REASON_MODULE_NOT_LOADED) ||
	       (live->home && !home_sets(live->home));
}

/* Nobody has such a value: no fault where the wish is only for those that have it. */
static bool is_without(const struct cell *live, enum verdict v)
{
	return v == VERDICT_LACKS || (v == VERDICT_UNKNOWN && live->reason == REASON_NOT_ADVERTISED);
}

static enum status status_of(const struct row *r, enum verdict live, enum verdict boot, bool optional)
{
	if (optional && is_without(r->live, live))
		return STATUS_UNSUPPORTED;
	if (boot == VERDICT_DIFFERS || boot == VERDICT_LACKS)
		return STATUS_DRIFT;
	if (live == VERDICT_DIFFERS || live == VERDICT_LACKS)
		return boot == VERDICT_SAME && plan_live_waits(r->live) ? STATUS_PENDING : STATUS_DRIFT;
	if (live == VERDICT_UNKNOWN || boot == VERDICT_UNKNOWN)
		return STATUS_UNKNOWN;
	return STATUS_IN_SYNC;
}

static bool by_hand(const struct cell *c)
{
	return c->state == CELL_REASON && reason_is_by_hand(c->reason);
}

/* The cell that the row's reason and cause come from. */
static const struct cell *telling(const struct row *r, enum verdict live)
{
	if (r->boot && by_hand(r->boot))
		return r->boot;			/* explains what runs as well */
	if (r->live && live != VERDICT_SAME && live != VERDICT_NONE)
		return r->live;
	if (r->boot && r->boot_wrong)
		return r->boot;
	if (r->boot && r->status == STATUS_UNKNOWN && r->boot->state == CELL_REASON)
		return r->boot;
	return r->live;
}

/* What has to happen before a row that waits is in sync; NULL: it does not wait. */
static const char *event_of(const struct row *r)
{
	if (r->boot && by_hand(r->boot))
		return "initramfs";
	if (r->status != STATUS_PENDING)
		return NULL;
	if (r->live->event)
		return r->live->event;
	if (r->live->state == CELL_VALUE && r->live->home && r->live->home->effective == EFFECTIVE_RELOAD)
		return "reload";
	return "reboot";
}

/* What a port lacks for good is a matter of the policy alone. Of a key of the node the cause says what is wrong with it. */
static const char *remedy_of(const struct row *r, const struct cell *tells)
{
	if (r->status == STATUS_IN_SYNC || tells->remedy)
		return r->status == STATUS_IN_SYNC ? NULL : tells->remedy;
	if (r->status != STATUS_DRIFT || r->boot_wrong || !*r->target->group || tells != r->live || tells->state != CELL_REASON)
		return NULL;
	return reason_is_lack(tells->reason) ? "take it out of the policy, or list it as optional in the group if other nodes have it" : NULL;
}

static struct row row_of(const struct finding *f, size_t i, bool *live_differs, bool *boot_differs)
{
	const struct cell *want = &f->want->at[i], *tells;
	struct row r = { .target = f->target, .setting = f->setting, .field = want->field, .name = want->name,
			 .want = want, .live = &f->live->at[i], .boot = f->boot ? &f->boot->at[i] : NULL, .reason = "",
			 .scope = f->target->name };
	enum verdict live = judge(want, r.live, f->live), boot = judge(want, r.boot, f->boot);

	if (boot == VERDICT_NONE)
		r.boot = NULL;
	if (live == VERDICT_NONE)
		r.live = NULL;
	r.live_wrong = live == VERDICT_DIFFERS || live == VERDICT_LACKS;
	r.boot_wrong = boot == VERDICT_DIFFERS || boot == VERDICT_LACKS;
	r.status = status_of(&r, live, boot, want->if_supported || is_optional(f->wish, want->name));
	tells = telling(&r, live);
	if (tells) {
		if (tells->state == CELL_REASON)
			r.reason = reason_name(tells->reason);
		r.cause = tells->because;
		r.remedy = remedy_of(&r, tells);
	}
	if (!r.cause && r.boot_wrong && r.boot)
		r.cause = r.boot->because;
	if (!r.remedy && r.boot_wrong && r.boot)
		r.remedy = r.boot->remedy;
	r.event = event_of(&r);
	*live_differs = live == VERDICT_DIFFERS && r.live->state == CELL_VALUE;
	*boot_differs = r.boot_wrong;
	return r;
}

/* --- changes ---------------------------------------------------------------- */

static bool one_object(const struct home *a, const struct home *b)
{
	return a->object && b->object && !strcmp(a->object, b->object);
}

static struct change *change_for(struct build *b, const struct target *t, const struct home *home, const char *name, bool boot)
{
	const char *object = home->object ? home->object : name;
	struct change *c;

	for (size_t i = 0; i < b->changes.n; i++) {
		c = b->changes.at[i];
		if (c->target == t && (c->phase == PHASE_BOOT) == boot && !strcmp(c->object, object))
			return c;
	}
	c = arena_new_of(b->run->arena, struct change);
	*c = (struct change){ .target = t, .facts = b->run->facts, .desired = b->run->desired,
			      .object = object, .arena = b->run->arena };
	c->phase = boot ? PHASE_BOOT : PHASE_GROW;
	c->part = arena_array_of(b->run->arena, struct change_part, b->run->catalog->nsettings);
	list_add(&b->changes, b->run->arena) = c;
	return c;
}

/*
 * A finding's part of a change: the wish for all cells that the object's homes serve, so that whoever writes the
 * object whole (a file, a register) has them all; with an object of its own, only the cell in question.
 */
static void part_add(struct build *b, struct change *c, const struct finding *f, const struct home *home, size_t only,
		     bool boot)
{
	const struct record *have = boot ? f->boot : f->live;
	struct record *want = record_copy(b->run->arena, f->want);
	struct change_part *p = &c->part[c->nparts++];

	for (size_t i = 0; i < want->n; i++) {
		const struct home *serves = have->at[i].home;

		if (home->object ? !serves || !one_object(serves, home) : i != only)
			want->at[i].state = CELL_SILENT;
	}
	*p = (struct change_part){ .setting = f->setting, .home = home, .have = have, .want = want };
	p->differs = arena_array_of(b->run->arena, bool, want->n);
}

struct change_part *plan_part(const struct change *c, const struct setting *s)
{
	for (size_t i = 0; i < c->nparts; i++)
		if (c->part[i].setting == s)
			return &c->part[i];
	return NULL;
}

/* Cell @i of @f differs in one home: it goes into the change of the kernel object that holds it. */
static struct change *want_change(struct build *b, const struct finding *f, size_t i, bool boot)
{
	const struct record *have = boot ? f->boot : f->live;
	const struct home *home = have->at[i].home;
	struct change *c;
	struct change_part *p;

	if (!home || !home_sets(home) || (b->run->boot_files_only && !boot))
		return NULL;
	if (boot && by_hand(&have->at[i]))
		return NULL;			/* our files are right: a command of somebody else's has to carry them on */
	c = change_for(b, f->target, home, f->want->at[i].name, boot);
	p = plan_part(c, f->setting);
	if (!p) {
		part_add(b, c, f, home, i, boot);
		p = plan_part(c, f->setting);
	}
	p->differs[i] = true;
	return c;
}

/* Other settings of the same target that live in a change's object: they are written with it, so they are told. */
static void complete_live(struct build *b, struct change *c)
{
	const struct plan *plan = b->plan;

	for (size_t i = 0; i < plan->nfindings; i++) {
		const struct finding *f = &plan->finding[i];

		if (f->target != c->target || plan_part(c, f->setting))
			continue;
		for (size_t j = 0; j < f->live->n; j++)
			if (f->live->at[j].home && home_sets(f->live->at[j].home) && f->want->at[j].state == CELL_VALUE &&
			    one_object(f->live->at[j].home, c->part[0].home)) {
				part_add(b, c, f, f->live->at[j].home, j, false);
				break;
			}
	}
}

/* A boot file is written whole: also the lines of settings that --only leaves out, or they would be lost. */
static void complete_boot(struct build *b, struct change *c)
{
	for (size_t i = 0; i < b->run->desired->n; i++) {
		const struct wish *w = &b->run->desired->wish[i];
		struct change_part *p = plan_part(c, w->setting);

		if (w->target != c->target || !one_object(&w->setting->boot, c->part[0].home))
			continue;
		if (p) {
			p->want = w->want;
			continue;
		}
		c->part[c->nparts++] = (struct change_part){ .setting = w->setting, .home = &w->setting->boot, .want = w->want,
							     .have = record_copy(b->run->arena, w->want),
							     .differs = arena_array_of(b->run->arena, bool, w->want->n) };
	}
}

/* Law 3: a field of the object that could not be read must not be written over. */
static bool holds_unread(struct change *c)
{
	for (size_t i = 0; i < c->nparts; i++)
		for (size_t j = 0; j < c->part[i].want->n; j++) {
			const struct cell *have = &c->part[i].have->at[j];

			if (c->part[i].want->at[j].state != CELL_VALUE || have->state != CELL_REASON ||
			    !reason_is_unknown(have->reason))
				continue;
			change_refuse(c, REFUSED_UNREAD, "%s could not be read (%s), and is written together with it",
				      have->name, reason_name(have->reason));
			return true;
		}
	return false;
}

/* Grows, shrinks, or neither: says in which pass a change is made, see order.c. */
static void find_phase(struct arena *a, struct change *c)
{
	for (size_t i = 0; i < c->nparts && c->phase != PHASE_BOOT; i++) {
		struct change_part *p = &c->part[i];
		struct record *both;
		bool grows = false;

		if (!p->setting->grow)
			return;
		both = record_copy(a, p->want);
		p->setting->grow(p->have, p->want, both);
		for (size_t j = 0; j < both->n; j++)
			if (both->at[j].state == CELL_VALUE && p->have->at[j].state == CELL_VALUE)
				grows |= !value_same(both->at[j].field, &both->at[j].value, &p->have->at[j].value, p->have);
		c->phase = grows ? PHASE_GROW : PHASE_SHRINK;
		if (grows)
			return;
	}
}

void plan_weigh(struct run *run, struct change *c, struct diags *d)
{
	for (size_t i = 0; i < c->nparts; i++) {
		const struct home *h = c->part[i].home;

		change_costs(c, h->impact, NULL);
		if (h->effective > c->effective)
			c->effective = h->effective;
	}
	if (holds_unread(c))
		return;
	c->take_over = run->take_over;
	for (size_t i = 0; i < c->nparts && !c->refused; i++) {
		const struct home *h = c->part[i].home;
		bool asked = !h->weigh;

		for (size_t j = 0; j < i; j++)
			asked |= c->part[j].home->weigh == h->weigh;
		if (asked)
			continue;
		if (h->weigh(run->kernel, c, d) < 0 && !c->refused)
			change_refuse(c, REFUSED_IMPOSSIBLE, "it could not be weighed");
	}
	if (!c->refused && c->part[0].home->files && c->part[0].home->files(run->kernel, c, d) < 0)
		change_refuse(c, REFUSED_IMPOSSIBLE, "the boot files could not be made");
	find_phase(run->arena, c);
}

static const char *refusal_reason(enum refusal refused)
{
	switch (refused) {
	case REFUSED_OTHER_OWNER:
		return "other-owner";
	case REFUSED_ALLOW:
		return "above-allow";
	case REFUSED_WITHOUT:
		return "held-back";
	case REFUSED_UNREAD:
		return "object-unread";
	case REFUSED_IMPOSSIBLE:
		return "refused";
	case REFUSED_NOT:
		break;
	}
	return "";
}

/* --- together --------------------------------------------------------------- */

/* Another owner may undo what --take-over writes. */
static void warn_of_owner(struct build *b, const struct change *c)
{
	if (!c->overwrites || c->refused)
		return;
	diag_warning(b->d, NULL, "%s is written although another owner may overwrite it: %s", c->object, c->overwrites)->object =
		c->target->name;
}

/* The field whose fault would explain this row's, by the table or by what the home said; NULL: none. */
static const char *explained_by(const struct row *r)
{
	if (r->boot_wrong && !r->live_wrong && r->boot->follows)
		return r->boot->follows;
	if (r->live && r->live->follows && (!r->boot_wrong || r->boot->follows))
		return r->live->follows;
	return r->field->follows ? r->setting->fields[r->field->follows - 1].name : NULL;
}

/* Drift explains anything; what waits explains what waits with it, and so does what is unknown, if the home said so. */
static bool explains(enum status one, const struct row *other)
{
	return one == STATUS_DRIFT || (one == STATUS_PENDING && other->status == STATUS_PENDING) ||
	       (one == STATUS_UNKNOWN && other->status == STATUS_UNKNOWN && other->live && other->live->follows);
}

/* One fault, one finding: a row that another row of the same port explains is not counted. */
static bool explained(const struct build *b, const struct row *r)
{
	const char *name = explained_by(r);

	if (!name || (r->status != STATUS_DRIFT && r->status != STATUS_UNKNOWN && r->status != STATUS_PENDING))
		return false;
	for (size_t i = 0; i < b->rows.n; i++)
		if (explains(b->rows.at[i].status, r) && b->rows.at[i].target->port == r->target->port &&
		    !strcmp(b->rows.at[i].name, name))
			return true;
	return false;
}

static void count_rows(struct build *b)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct row *r = &b->rows.at[i];

		r->follows = explained(b, r);
		if (!r->follows)
			b->plan->count[r->status]++;
	}
}

static void add_finding(struct build *b, const struct finding *f)
{
	for (size_t i = 0; i < f->want->n; i++) {
		bool live_differs, boot_differs;
		struct row r;

		if (f->want->at[i].state != CELL_VALUE)
			continue;
		r = row_of(f, i, &live_differs, &boot_differs);
		if (!r.live && !r.boot)
			continue;			/* no home that is asked has it */
		if (r.status == STATUS_IN_SYNC && r.field->always && !r.want->pos.source && home_sets(&r.setting->boot))
			continue;			/* asked of everybody, by no policy, and written by us: told where it is wrong */
		if (live_differs)
			r.change = want_change(b, f, i, false);
		if (boot_differs) {
			const struct change *boot = want_change(b, f, i, true);

			if (!r.change)
				r.change = boot;
		}
		if (r.status == STATUS_IN_SYNC && !b->run->want_rows)
			b->plan->count[STATUS_IN_SYNC]++;
		else
			list_add(&b->rows, b->run->arena) = r;
	}
}

/*
 * What is written together is asked for together: pause and PFC of one register would else be two interruptions, the
 * second of them for a row that followed from the first and was not told.
 */
static const char *only(const struct build *b, const struct row *r)
{
	TEXT_CLEANUP struct text names = { 0 };

	for (size_t i = 0; r->change->phase != PHASE_BOOT && i < r->change->nparts; i++) {
		const struct change_part *p = &r->change->part[i];

		for (size_t k = 0; p->differs && k < p->want->n; k++)
			if (p->differs[k])
				text_printf(&names, "%s%s", names.n ? "," : "", p->want->at[k].name);
	}
	return names.n ? arena_strdup(b->run->arena, text_str(&names)) : r->name;
}

/* The command that puts one row right; what it costs is said there, so that nobody is surprised. */
static const char *how_to(const struct build *b, const struct row *r)
{
	const struct target *t = r->target;

	return arena_printf(b->run->arena, "%srdmactl apply --only %s%s%s%s%s%s",
			    b->run->confirm ? "rdmactl confirm or rdmactl rollback, then " : "", only(b, r), t->port ? " --port " : "",
			    t->port ? t->name : "", r->change->impact == IMPACT_RELOAD ? " --allow reload" : "",
			    b->run->repeat ? b->run->repeat : "", r->change->impact == IMPACT_NONE ? "" : arena_printf(b->run->arena, " (impact: %s)", impact_name(r->change->impact)));
}

/* Is this value left, while others of its change are made? NULL: no. */
static const struct change_left *left_of(const struct row *r)
{
	for (size_t i = 0; i < r->change->nparts; i++) {
		const struct change_part *p = &r->change->part[i];

		for (size_t k = 0; p->setting == r->setting && p->left && k < p->want->n; k++)
			if (!strcmp(p->want->at[k].name, r->name))
				return p->left[k].why ? &p->left[k] : NULL;
	}
	return NULL;
}

static void row_is_left(struct row *r, struct change_left left)
{
	if (r->status == STATUS_DRIFT && !*r->reason)
		r->reason = refusal_reason(left.refusal);
	if (r->status == STATUS_DRIFT && !r->remedy)
		r->remedy = left.why;
}

static void rows_from_changes(struct build *b)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct row *r = &b->rows.at[i];
		const struct change_left *left;

		if (!r->change)
			continue;
		r->impact = r->change->impact;
		r->effective = r->change->effective;
		left = left_of(r);
		if (r->change->refused)
			row_is_left(r, (struct change_left){ r->change->refused_why, r->change->refused });
		else if (left)
			row_is_left(r, *left);
		else if (r->status == STATUS_DRIFT && !r->remedy)
			r->remedy = how_to(b, r);
	}
}

/* What a change of the same port is known to reset is written again, although it is right at the moment. */
static void add_again(struct build *b, const struct judged *j, const struct change *by)
{
	for (size_t i = 0; b->run->catalog->judge->setting[i]; i++)
		for (size_t k = 0; judged_resets(j, i) && k < b->plan->nfindings; k++) {
			const struct finding *f = &b->plan->finding[k];
			struct change *c = NULL;

			if (f->setting != b->run->catalog->judge->setting[i] || f->target->port != by->target->port)
				continue;
			for (size_t n = 0; n < f->want->n; n++)
				if (f->want->at[n].state == CELL_VALUE && f->live->at[n].state == CELL_VALUE)
					c = want_change(b, f, n, false);
			if (!c)
				continue;
			c->again = true;
			c->because = arena_printf(b->run->arena, "a change of %s resets it", by->object);
		}
}

static void add_resets(struct build *b)
{
	for (size_t i = 0, n = b->changes.n; i < n; i++) {
		const struct change *c = b->changes.at[i];
		const struct port *port = c->target->port;
		struct judged *j;
		bool first = port && !c->refused;

		for (size_t k = 0; first && k < i; k++)
			first = b->changes.at[k]->target->port != port || b->changes.at[k]->refused;
		if (!first)
			continue;
		j = judged_port(b->run, b->plan, port, b->changes.at, n, b->d);
		if (j)
			add_again(b, j, c);
	}
}

static void hold_back(struct build *b)
{
	for (size_t i = 0; i < b->changes.n; i++) {
		const struct port *port = b->changes.at[i]->target->port;
		struct judged *j = port && b->changes.at[i]->refused == REFUSED_ALLOW ?
					   judged_port(b->run, b->plan, port, b->changes.at, b->changes.n, b->d) : NULL;

		if (j)
			judged_holds_back(j);
	}
}

static bool is_among(const struct setting *const *list, const struct change *c)
{
	for (; list && *list; list++)
		if (plan_part(c, *list))
			return true;
	return false;
}

/* Nobody is told of values that the port will not have: the change of one of them is left alone, or not part of this run. */
static void hold_back_ahead(struct build *b)
{
	for (size_t i = 0; i < b->changes.n; i++) {
		struct change *c = b->changes.at[i];
		bool made = false, left = false;

		if (!c->ahead || c->refused)
			continue;
		for (size_t j = 0; j < b->changes.n; j++) {
			const struct change *o = b->changes.at[j];

			if (!doing_same_port(o->target->port, c->target->port) || !is_among(c->part[0].home->tells, o))
				continue;
			made |= !o->refused;
			left |= o->refused;
		}
		if (left || !made)
			change_refuse(c, REFUSED_WITHOUT, "it would tell of values that the port does not have, since their change is %s",
				      left ? "left alone" : "not part of this run");
	}
}

static void sort_out_refused(struct build *b)
{
	struct plan *plan = b->plan;
	struct change **sorted = arena_array_of(b->run->arena, struct change *, b->changes.n);

	for (size_t i = 0; i < b->changes.n; i++)
		if (!b->changes.at[i]->refused)
			sorted[plan->n++] = b->changes.at[i];
	for (size_t i = 0; i < b->changes.n; i++)
		if (b->changes.at[i]->refused)
			sorted[plan->n + plan->nrefused++] = b->changes.at[i];
	plan->change = sorted;
}

static void complete_and_weigh(struct build *b, size_t from)
{
	for (size_t i = from; i < b->changes.n; i++) {
		if (b->changes.at[i]->phase == PHASE_BOOT)
			complete_boot(b, b->changes.at[i]);
		else
			complete_live(b, b->changes.at[i]);
		plan_weigh(b->run, b->changes.at[i], b->d);
	}
}

int plan_build(struct run *run, struct plan **plan, struct diags *d)
{
	struct build b = { .run = run, .d = d, .plan = arena_new_of(run->arena, struct plan) };
	size_t weighed;
	int r;

	r = observe(run, &b.plan->finding, &b.plan->nfindings, d);
	if (r < 0)
		return r;
	for (size_t i = 0; i < b.plan->nfindings; i++)
		add_finding(&b, &b.plan->finding[i]);
	complete_and_weigh(&b, 0);
	weighed = b.changes.n;
	add_resets(&b);
	complete_and_weigh(&b, weighed);
	consent_limit(run, b.changes.at, b.changes.n, d);
	hold_back(&b);
	hold_back_ahead(&b);
	for (size_t i = 0; i < b.changes.n; i++)
		warn_of_owner(&b, b.changes.at[i]);
	count_rows(&b);
	rows_from_changes(&b);
	sort_out_refused(&b);
	order_changes(run, b.plan, d);
	b.plan->row = b.rows.at;
	b.plan->nrows = b.rows.n;
	*plan = b.plan;
	return 0;
}

void plan_outcome(struct run *run, const struct plan *plan, bool ignore_pending, struct outcome *out)
{
	out->facts = run->facts;
	out->desired = run->desired;
	out->catalog = run->catalog;
	out->row = plan->row;
	out->nrows = plan->nrows;
	out->change = plan->change;
	out->nchanges = plan->n;
	out->nrefused = plan->nrefused;
	memcpy(out->count, plan->count, sizeof(out->count));
	out->nwrites = run->kernel->writes;
	if (plan->count[STATUS_DRIFT]) {
		out->result = "drift";
		out->exit_code = 1;
	} else if (plan->count[STATUS_UNKNOWN]) {
		out->result = "unknown";
		out->exit_code = 2;
	} else if (plan->count[STATUS_PENDING]) {
		out->result = "pending";
		out->exit_code = ignore_pending ? 0 : 1;
	} else {
		out->result = "in-sync";
		out->exit_code = 0;
	}
}
