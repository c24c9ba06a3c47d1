/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the node match its policy: under the lock, journalled, read back, undone if it fails or is not confirmed. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "compiled.h"
#include "listeners.h"
#include "policy/policy.h"
#include "runs.h"
#include "watcher.h"

enum { APPEARING = 5 };		/* runs for devices that come one after the other, before a unit gives up */

/* Is the policy, and all that it includes, one that root can trust? */
static int trusted(struct session *s)
{
	int r;

	if (!machine_is_real() || s->opt->root || s->opt->trust_policy)
		return 0;
	r = session_policy(s);
	if (r)
		return r;
	return policy_trusted(s->policy, &s->diags) < 0 ? EXIT_NOT_PERMITTED : 0;
}

/*
 * A state that was tried and not confirmed must not come back by itself with the next boot: a unit leaves it alone until
 * a person applied it.
 */
static int refused_digest(struct session *s, const struct run *run)
{
	TEXT_CLEANUP struct text digest = { 0 };
	int r = session_unit() && run->journal ? kernel_read(s->kernel, JOURNAL_REFUSED, &digest) : -ENOENT;

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0) {
		diag_error(&s->diags, NULL, "cannot read /%s: whether this state was refused is not known", JOURNAL_REFUSED)->err = -r;
		return EXIT_UNKNOWN;
	}
	if (strcmp(text_str(&digest), run->journal->head.digest) != 0)
		return 0;
	diag_error(&s->diags, NULL, "what this policy asks of the node was applied before and not confirmed: %s leaves it alone",
		   run->journal->head.user);
	diag_hint(&s->diags, "`rdmactl apply` by hand, and `rdmactl confirm` if it was with --confirm");
	return EXIT_DRIFT;
}

/* A person applied something, and it stands: no state is refused to the units any more. */
static void allow_digest(struct session *s, const struct run *run, const struct outcome *o)
{
	bool stands = o->exit_code != EXIT_ROLLED_BACK && o->exit_code != EXIT_IN_BETWEEN && strcmp(o->result, "not-begun") != 0;
	struct kernel_stat st;

	if (stands && run->journal && !session_unit() && kernel_stat(s->kernel, JOURNAL_REFUSED, &st) == 0)
		kernel_drop(s->kernel, JOURNAL_REFUSED);
}

/* Asked by the engine once the journal is on disk, before the first write. */
static int before_writing(struct run *run, const struct plan *plan, struct diags *d)
{
	session_notice(run->renew_arg, plan, run->confirm);
	return run->confirm ? watcher_start(run->journal->head.run, d) : 0;
}

/* From now on the window is open. */
static void open_window(struct session *s, struct run *run, struct outcome *o)
{
	int64_t deadline_s = runs_boottime_s() + s->opt->confirm_s;
	char at[UNITS_UTC];

	if (o->exit_code == EXIT_ROLLED_BACK || o->exit_code == EXIT_IN_BETWEEN || !run->journal->begun)
		return;
	units_utc(time(NULL) + s->opt->confirm_s, at);
	if (journal_wait(run->journal, deadline_s, at, &s->diags) < 0) {
		o->exit_code = EXIT_IN_BETWEEN;
		o->result = "in-between";
		return;
	}
	diag_note(&s->diags, NULL, "run %lld is undone at %s unless `rdmactl confirm` comes before", (long long)run->journal->head.run, at);
}

/* The next port from *@i on; with @bdf, of this PCI function. */
static const struct port *next_port(const struct facts *f, size_t *i, const char *bdf)
{
	while (*i < f->nports) {
		const struct port *p = &f->port[(*i)++];

		if (!bdf || !strcmp(p->bdf, bdf))
			return p;
	}
	return NULL;
}

/* Are the ports (of this PCI function) what they were, by the same names? A device that came back has other numbers. */
static bool same_ports(const struct facts *a, const struct facts *b, const char *bdf)
{
	const struct port *p, *q;
	size_t i = 0, j = 0;

	while ((p = next_port(a, &i, bdf)) != NULL) {
		q = next_port(b, &j, bdf);
		if (!q || p->ifindex != q->ifindex || p->ibindex != q->ibindex)
			return false;
		if (strcmp(p->bdf, q->bdf) != 0 || strcmp(p->ifname, q->ifname) != 0 || strcmp(p->ibdev, q->ibdev) != 0)
			return false;
	}
	return !next_port(b, &j, bdf);
}

/*
 * A device that comes while its unit runs starts no second run: systemd takes two starts for one. So a unit's run looks
 * again before it ends, and goes on with what came, or got its last name, meanwhile. Once more it tries, too, after a
 * device went away, since the engine leaves it alone even if it is back, and after a run that was undone: while a machine
 * boots, devices and modules come under it, and nobody is there to try again.
 */
static void apply_all(struct session *s, struct run *run, struct outcome *o)
{
	bool changed = false;

	for (int round = 0; round < APPEARING; round++) {
		const struct facts *seen;
		bool once_more;

		apply_run(run, o, &s->diags);
		changed |= o->changed;
		o->changed = changed;
		seen = s->facts;
		once_more = round == 0 && (o->lost || (o->exit_code == EXIT_ROLLED_BACK && !o->stopped));
		if (!session_unit() || run->confirm || (o->exit_code > EXIT_UNKNOWN && !once_more) || run->renew(run, &s->diags) < 0)
			return;
		if ((same_ports(seen, s->facts, s->opt->port) && !once_more) || runs_journal(s, run))
			return;
		if (o->exit_code == EXIT_ROLLED_BACK)
			diag_note(&s->diags, NULL, "what failed was undone; it is tried once more, for the machine may be still on its way up");
		s->users = NULL;		/* who uses what came is not known yet */
	}
}

static int locked_apply(struct session *s)
{
	struct outcome o = { .command = "apply" };
	struct run run;
	int r = s->opt->root ? 0 : runs_check_writing(s);

	r = r ? r : session_run(s, &run);
	r = r ? r : runs_journal(s, &run);
	r = r ? r : refused_digest(s, &run);
	if (r)
		return r;
	run.want_rows = true;			/* of a device that vanishes, all rows are unknown */
	run.confirm = s->opt->confirm_s != 0;
	run.before_writing = before_writing;
	apply_all(s, &run, &o);
	if (s->opt->confirm_s)
		open_window(s, &run, &o);
	allow_digest(s, &run, &o);
	listeners_note(s, &o);
	compiled_leave(s);
	return session_report(s, &o);
}

static int apply(struct session *s)
{
	int lock, r = runs_permitted(s);

	r = r ? r : trusted(s);
	if (r)
		return r;
	if (s->opt->dry_run)
		return command_plan.run(s);
	r = runs_lock(s, &lock);		/* before looking: what we see stays so */
	if (r)
		return r;
	r = locked_apply(s);
	if (lock >= 0)
		file_unlock(lock);
	return r;
}

const struct command command_apply = {
	"apply", "", "Makes this node match its policy, verified; undoes what fails",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_CHANGES | OPTION_ALLOW | OPTION_APPLY | OPTION_WRITES, apply,
};
