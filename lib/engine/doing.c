/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One change: a successful write proves nothing (law 4), so it is read back freshly, and so is everything that its
 * homes say it disturbs. What the policy is silent about is put back, or named if it cannot be had together.
 */
#include "engine/doing.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "engine/journal.h"
#include "kernel/kernel.h"

#define SETTLE_TRIES 20			/* a late answer is waited for: 20 × 50 ms */
#define SETTLE_MS 50

/* --- read back --------------------------------------------------------------- */

/* The first cell of a part that is not as wanted after the write, or NULL. */
static const struct cell *not_as_wanted(const struct change_part *p, const struct record *got, size_t *at)
{
	for (size_t i = 0; i < p->want->n; i++) {
		const struct cell *w = &p->want->at[i], *h = i < got->n ? &got->at[i] : NULL;

		if (w->state != CELL_VALUE || (p->differs && !p->differs[i]))
			continue;
		if (h && h->state == CELL_REASON && reason_is_by_hand(h->reason))
			continue;
		if (!h || h->state != CELL_VALUE || !value_same(w->field, &w->value, &h->value, got)) {
			*at = i;
			return w;
		}
	}
	return NULL;
}

static struct record *read_part(struct applying *a, const struct change *c, const struct change_part *p)
{
	struct finding f = { .target = c->target, .setting = p->setting, .want = p->want };

	f.live = (struct record *)(uintptr_t)p->have;	/* says which home serves which cell */
	a->run->checked = c;
	observe_again(a->run, &f, a->d);
	a->run->checked = NULL;
	return c->phase == PHASE_BOOT ? f.boot : f.live;
}

static void tell_unproven(struct applying *a, const struct change *c, const struct cell *want, const struct record *before,
			  const struct record *got, size_t i)
{
	TEXT_CLEANUP struct text wanted = { 0 }, have = { 0 };
	const char *verb = "but holds";

	value_print(want->field, &want->value, &wanted);
	if (got && i < got->n && got->at[i].state == CELL_VALUE) {
		value_print(want->field, &got->at[i].value, &have);
		if (i < before->n && before->at[i].state == CELL_VALUE &&
		    value_same(want->field, &before->at[i].value, &got->at[i].value, got))
			verb = "and ignored it: it still holds";
	} else {
		text_add(&have, got && i < got->n ? reason_name(got->at[i].reason) : "nothing");
	}
	diag_error(a->d, want->pos.source ? &want->pos : NULL, "%s: wanted %s, wrote %s, got %s: the device accepted the write %s %s",
		   want->name, text_str(&wanted), text_str(&wanted), text_str(&have), verb, text_str(&have));
	diag_object(a->d, "%s", c->target->name);
	diag_hint(a->d, "the kernel log may say why; `rdmactl show %s` shows what the device holds", want->name);
}

/*
 * Files put back are compared byte for byte: what they gave to the next boot follows from that. So are those of a run that
 * is confirmed: the journal has what was to be in them, and not the policy that says why.
 */
static int verify_files(struct applying *a, const struct change *c)
{
	if (boot_file_is(a->run->kernel, c, c->undo))
		return 0;
	diag_error(a->d, NULL, "the boot files do not read as %s", c->undo ? "before" : "written");
	return -EIO;
}

/* Read back freshly, with a bounded wait for late answers. */
static int verify(struct applying *a, const struct change *c)
{
	bool recorded = c->part[0].home->files && (c->undo || !c->desired);
	int r = recorded ? verify_files(a, c) : 0;

	if (r < 0 || (recorded && c->undo))
		return r;
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *p = &c->part[i];
		const struct cell *wrong = NULL;
		struct record *got = NULL;
		size_t at = 0;

		if (recorded && p->setting->fields[0].always)
			continue;		/* counts what the policy does not ask for */
		for (int try = 0; try < SETTLE_TRIES; try++) {
			if (try) {
				kernel_wait(a->run->kernel, SETTLE_MS);
				kernel_renew(a->run->kernel);
			}
			got = read_part(a, c, p);
			wrong = got ? not_as_wanted(p, got, &at) : NULL;
			if (!wrong)
				break;
			if (at < got->n && got->at[at].state == CELL_REASON && got->at[at].reason == REASON_VANISHED)
				return -ENODEV;
		}
		if (wrong) {
			tell_unproven(a, c, wrong, p->have, got, at);
			return -EIO;
		}
	}
	return 0;
}

/* --- what a write disturbs --------------------------------------------------- */

static bool in_change(const struct change *c, const struct setting *s)
{
	for (size_t i = 0; i < c->nparts; i++)
		if (c->part[i].setting == s)
			return true;
	return false;
}

/*
 * Does a change of this run set that cell? Then it is the change's, not something that was disturbed: unless it is put
 * back already, since nobody comes back to it then.
 */
static bool in_changes(const struct applying *a, const struct target *t, const char *name)
{
	for (size_t i = 0; i < a->done.n; i++) {
		const struct change *c = a->done.at[i];

		if (c->undone || c->target->scope != t->scope || !doing_same_port(c->target->port, t->port))
			continue;
		for (size_t j = 0; j < c->nparts; j++) {
			const struct cell *want = record_find(c->part[j].want, name);

			if (want && want->state == CELL_VALUE)
				return true;
		}
	}
	return false;
}

/* Is this cell asked for on the same port? Then the next plan puts it right; an undo has none. */
static bool managed(const struct applying *a, const struct target *t, const struct cell *c, bool undo)
{
	const struct desired *desired = a->run->desired;

	for (size_t i = 0; !undo && i < desired->n; i++) {
		const struct wish *w = &desired->wish[i];
		const struct cell *want = w->target->port == t->port && w->target->scope == t->scope ?
						  record_find(w->want, c->name) : NULL;

		if (want && want->state != CELL_SILENT)
			return true;
	}
	return in_changes(a, t, c->name);
}

bool doing_same_port(const struct port *a, const struct port *b)
{
	if (a == b || !a || !b)
		return a == b;
	if (!*a->bdf)
		return !strcmp(a->name, b->name);
	/* a function without RoCE has no RDMA port: 0 is any */
	return !strcmp(a->bdf, b->bdf) && (a->ibport == b->ibport || !a->ibport || !b->ibport);
}

bool doing_is_gone(struct applying *a, const struct target *t)
{
	const struct port *was = t->port;

	kernel_renew(a->run->kernel);
	if (!was || !a->run->renew || a->run->renew(a->run, a->d) < 0)
		return false;
	for (size_t i = 0; i < a->run->facts->nports; i++) {
		const struct port *now = &a->run->facts->port[i];

		if (doing_same_port(now, was))
			return now->ifindex != was->ifindex || (was->ibindex_known && now->ibindex != was->ibindex);
	}
	return true;
}

/* The target of the same port in the scope that @s has, as the machine is now, so that a disturbed setting can be read. */
static const struct target *target_like(const struct run *run, const struct target *t, const struct setting *s)
{
	for (size_t i = 0; i < run->desired->ntargets; i++)
		if (run->desired->target[i]->scope == s->scope && doing_same_port(run->desired->target[i]->port, t->port))
			return run->desired->target[i];
	return NULL;
}

/* Reads what the change is known to disturb. */
static void look_before(struct applying *a, struct change *c)
{
	struct { struct change_before *at; size_t n, room; } list = { 0 };

	for (size_t i = 0; i < c->nparts; i++) {
		const struct setting *const *s = c->part[i].home->disturbs;

		for (; s && *s; s++) {
			const struct target *t = in_change(c, *s) ? NULL : target_like(a->run, c->target, *s);

			if (t)
				list_add(&list, a->run->arena) =
					(struct change_before){ *s, t, observe_setting(a->run, t, *s, a->d) };
		}
	}
	c->disturbed = list.at;
	c->ndisturbed = list.n;
}

void doing_prepare(struct applying *a, struct change *const *change, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!change[i]->undo)
			look_before(a, change[i]);
}

/* Does @home write into the very object that the change has just written? Then one of the two has to give way. */
static bool one_register(const struct home *home, const struct change *c)
{
	return home->object && !strcmp(home->object, c->object);
}

/* Puts one disturbed setting back; what cannot be put back is named. */
static void put_back(struct applying *a, const struct change *c, const struct change_before *b)
{
	const struct target *t = target_like(a->run, b->target, b->setting);
	struct record *now = t ? observe_setting(a->run, t, b->setting, a->d) : NULL;
	const struct home *home = NULL;
	struct change_part part = { .setting = b->setting, .have = now, .want = b->before };
	struct change back = { .target = t, .facts = a->run->facts, .part = &part, .nparts = 1, .undo = true,
			       .object = b->setting->name, .arena = a->run->arena };
	size_t n;

	if (!now)
		return;
	n = now->n < b->before->n ? now->n : b->before->n;	/* a record may have cells that the other had not yet */
	part.differs = arena_array_of(a->run->arena, bool, b->before->n);
	for (size_t i = 0; i < n; i++) {
		const struct cell *was = &b->before->at[i];

		if (was->state != CELL_VALUE || managed(a, t, was, c->undo) || (now->at[i].state == CELL_VALUE &&
		    value_same(was->field, &was->value, &now->at[i].value, now)))
			continue;
		part.differs[i] = true;
		home = now->at[i].home;
	}
	if (!home)
		return;
	part.home = home;
	if (home->write && !one_register(home, c) && home->write(a->run->kernel, &back, a->d) == 0 && verify(a, &back) == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		TEXT_CLEANUP struct text was = { 0 };

		if (!part.differs[i])
			continue;
		value_print(b->before->at[i].field, &b->before->at[i].value, &was);
		diag_note(a->d, NULL, "leaves: %s was %s before %s was written, and cannot be had together with it",
			  b->before->at[i].name, text_str(&was), c->object);
		diag_object(a->d, "%s", t->name);
	}
}

static void put_all_back(struct applying *a, const struct change *c)
{
	for (size_t i = 0; i < c->ndisturbed; i++)
		put_back(a, c, &c->disturbed[i]);
}

/*
 * After a reload the devices are new, and udev may still be giving them their names: observed anew until the port is
 * back and two looks agree, within 10 seconds.
 */
static int come_back(struct applying *a, const struct change *c)
{
	const char *name = NULL;

	for (int try = 0; try < 50; try++) {
		const struct port *back = NULL;
		int r;

		kernel_wait(a->run->kernel, 4 * SETTLE_MS);
		r = a->run->renew ? a->run->renew(a->run, a->d) : 0;
		if (r < 0)
			return r;
		for (size_t i = 0; i < a->run->facts->nports; i++)
			if (doing_same_port(&a->run->facts->port[i], c->target->port) && *a->run->facts->port[i].ifname)
				back = &a->run->facts->port[i];
		if (back && name && !strcmp(name, back->name))
			return 0;
		name = back ? back->name : NULL;
	}
	diag_error(a->d, NULL, "the device did not come back after its reload, within 10 seconds");
	diag_object(a->d, "%s", c->target->name);
	diag_hint(a->d, "see the kernel log; `devlink dev reload` may be tried again by hand");
	return -ETIMEDOUT;
}

/*
 * Nothing came of a change: it was refused, or ignored. Undoing it would write what is there, and may be refused as
 * well. A home that keeps more than the cells for its undo, or several files, or a value that waits for a reload, looks
 * for itself.
 */
static bool undone_already(struct applying *a, const struct change *u)
{
	if (!u->undo || u->done || u->before || u->phase == PHASE_BOOT || u->impact == IMPACT_RELOAD)
		return false;
	kernel_renew(a->run->kernel);
	return !doing_differs(a, u);
}

const struct cell *doing_differs(struct applying *a, const struct change *c)
{
	size_t at;

	for (size_t i = 0; i < c->nparts; i++) {
		const struct record *got = read_part(a, c, &c->part[i]);
		const struct cell *wrong = got ? not_as_wanted(&c->part[i], got, &at) : &c->part[i].want->at[0];

		if (wrong)
			return wrong;
	}
	return NULL;
}

int doing_change(struct applying *a, struct change *c)
{
	int r = 0;

	if (undone_already(a, c)) {
		put_all_back(a, c);
		return 0;
	}
	if (a->run->journal && !a->run->undoing)
		r = journal_start(a->run->journal, c, a->d);
	if (r < 0)
		return r;
	r = c->part[0].home->files ? boot_file_write(a->run->kernel, c, a->d) :
				     c->part[0].home->write(a->run->kernel, c, a->d);
	if (r < 0)
		return r;
	/* after a reload the targets are new: the next plan verifies */
	r = c->impact == IMPACT_RELOAD ? come_back(a, c) : verify(a, c);
	if (r < 0)
		return r;
	c->done = true;
	put_all_back(a, c);
	return 0;
}
