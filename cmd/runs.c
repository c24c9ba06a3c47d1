/* SPDX-License-Identifier: Apache-2.0 */
/* What the writing commands share: the lock, the journal of a run, and runs that have not ended. */
#include "runs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "engine/recover.h"
#include "inventory/inventory.h"
#include "model/targets.h"
#include "policy/policy.h"
#include "progress.h"

enum { WATCHER_S = 5 };			/* how late the watcher may be on a busy machine */

/* --- who may write ------------------------------------------------------------- */

int runs_permitted(struct session *s)
{
	const char *name = s->command->name;

	if (s->opt->from) {
		diag_error(&s->diags, NULL, "%s does not write to a dump", name);
		diag_hint(&s->diags, "`rdmactl plan --from` says what apply would write");
		return EXIT_USAGE;
	}
	if (!machine_is_real() || s->opt->root || geteuid() == 0)
		return 0;
	diag_error(&s->diags, NULL, "%s needs root (CAP_NET_ADMIN in the initial user namespace, and files of root)", name);
	diag_hint(&s->diags, "`rdmactl plan` and `rdmactl history` need no rights");
	return EXIT_NOT_PERMITTED;
}

/*
 * Who writes is not cut off between two writes: apply undoes what it did (engine/apply.c), the others are done in a moment.
 * Our watcher is another thing: it waits for a day, and holds back what it must by itself.
 */
static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int runs_lock(struct session *s, int *lock)
{
	int r;

	*lock = -1;
	if (s->opt->root)
		return 0;
	if (s->opt->wait_s)
		progress(s, "waits at most %u s for another rdmactl", s->opt->wait_s);
	r = file_lock(machine_lock(), s->command->name, s->opt->wait_s, lock, &s->diags);
	if (s->opt->wait_s)
		progress_end(s);
	if (r < 0)
		return r == -EAGAIN ? EXIT_LOCKED : r == -EACCES || r == -EPERM ? EXIT_NOT_PERMITTED : EXIT_UNKNOWN;
	if (s->opt->watch < 0)
		hold_signals();
	return 0;
}

/* --- a run's journal ------------------------------------------------------------ */

/* "root", "uid 1000", "root (sudo by alice)", "boot.service": whom to ask why. */
static const char *user(struct arena *a)
{
	const char *unit = session_unit(), *sudo = getenv("SUDO_USER");
	const char *who = geteuid() == 0 ? "root" : arena_printf(a, "uid %ld", (long)geteuid());

	if (unit)
		return text_safe(a, unit, strlen(unit), 80);
	return sudo && *sudo ? arena_printf(a, "%s (sudo by %s)", who, text_safe(a, sudo, strlen(sudo), 80)) : who;
}

static int next_run(struct session *s, int64_t *next)
{
	const int64_t *run;
	size_t n;

	if (past_runs(s->kernel, s->arena, &run, &n, &s->diags) < 0)
		return EXIT_UNKNOWN;
	*next = n ? run[n - 1] + 1 : 1;
	if (*next <= RUN_LAST)
		return 0;
	diag_error(&s->diags, NULL, "there is no number left for another run: /%s", past_path(s->arena, run[n - 1]));
	diag_hint(&s->diags, "if this file is none of ours, take it away");
	return EXIT_UNKNOWN;
}

int runs_journal(struct session *s, struct run *run)
{
	struct journal *j = arena_new_of(s->arena, struct journal);
	char now[UNITS_UTC];
	int r;

	if (s->kernel->files_only)
		return 0;
	*j = (struct journal){ .kernel = s->kernel, .arena = s->arena };
	r = next_run(s, &j->head.run);
	if (r)
		return r;
	units_now(now);
	if (s->desired)
		policy_desired_digest(s->policy, s->desired);
	j->head.command = s->command->name;
	j->head.at = arena_strdup(s->arena, now);
	j->head.boot_id = s->facts->boot_id;
	j->head.node = s->facts->hostname;
	j->head.kernel = s->facts->kernel;
	j->head.version = VERSION;
	j->head.policy = s->desired ? s->desired->policy_file : "";
	j->head.revision = s->desired ? s->desired->revision : "";
	j->head.policy_digest = s->desired ? s->desired->policy_digest : "";
	j->head.digest = s->desired && s->desired->digest ? s->desired->digest : "";
	j->head.user = user(s->arena);
	j->head.pid = getpid();
	j->head.confirm_s = s->opt->confirm_s;
	run->journal = j;
	return 0;
}

/* --- a run that has not ended ---------------------------------------------------- */

int64_t runs_boottime_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

int runs_pending(struct session *s, struct past **p)
{
	int r = session_facts(s);

	*p = NULL;
	if (r)
		return r;
	r = past_load(s->kernel, s->arena, JOURNAL_RUN, p, &s->diags);
	if (r == -ENODATA || r == -ENOENT)
		return 0;
	if (r == -EACCES && !(s->command->options & OPTION_WRITES))
		return 0;		/* told; who only reads goes on without, who writes would write over it */
	return r < 0 ? EXIT_IN_BETWEEN : 0;
}

bool runs_waits(const struct session *s, const struct past *p)
{
	return p->state == PAST_WAITING && !strcmp(p->head.boot_id, s->facts->boot_id);
}

/* The watcher comes within a second of the deadline, and undoes it under the lock. Does it still wait, as far as time goes? */
static bool in_time(const struct session *s, const struct past *p)
{
	return runs_waits(s, p) && (s->opt->from || runs_boottime_s() - WATCHER_S < p->deadline_s);
}

static const char *how_it_stopped(const struct session *s, const struct past *p)
{
	if (p->state == PAST_ENDED)
		return "has ended, but its journal was not put away";
	if (strcmp(p->head.boot_id, s->facts->boot_id) != 0)
		return p->head.confirm_s ? "was not confirmed before the machine started anew" : "was cut off when the machine went down";
	return p->state == PAST_WAITING ? "was not confirmed in time, and its watcher is gone" : "did not end: it was killed";
}

static int tell_unfinished(struct session *s, const struct past *p)
{
	diag_error(&s->diags, NULL, "run %lld (%s by %s, %s) %s", (long long)p->head.run, p->head.command, p->head.user, p->head.at,
		   how_it_stopped(s, p));
	diag_hint(&s->diags, p->state == PAST_ENDED ? "the node is as it left it: `rdmactl recover` puts the journal away" :
						     "the node may be in between: `rdmactl recover` finishes or undoes it");
	return EXIT_IN_BETWEEN;
}

static void tell_waiting(struct session *s, const struct past *p, enum severity severity)
{
	struct diag *(*add)(struct diags *, const struct pos *, const char *, ...) =
		severity == SEVERITY_ERROR ? diag_error : diag_warning;

	add(&s->diags, NULL, "run %lld (%s) waits for `rdmactl confirm` until %s", (long long)p->head.run, p->head.at, p->deadline_at);
	diag_hint(&s->diags, "`rdmactl confirm` keeps it, `rdmactl rollback` undoes it now; otherwise it is undone then");
}

int runs_check_writing(struct session *s)
{
	struct past *p;
	int r = runs_pending(s, &p);

	if (r || !p)
		return r;
	if (in_time(s, p)) {
		tell_waiting(s, p, SEVERITY_ERROR);
		r = EXIT_LOCKED;
	} else {
		r = tell_unfinished(s, p);
	}
	past_done(p);
	return r;
}

/*
 * Is the run that has not ended still going on: *held as file_locked() says. Its end may fall between a look at the
 * journal and one at the lock, so only a run that is there before a look at a free lock and after it was cut off.
 */
static int pending_and_lock(struct session *s, struct past **p, int *held, char who[FILE_HOLDER])
{
	int r = runs_pending(s, p);
	int64_t run;

	who[0] = '\0';
	*held = 0;
	if (r || !*p || s->opt->from || s->opt->root)
		return r;
	*held = file_locked(machine_lock(), who);
	if (*held)
		return 0;
	run = (*p)->head.run;
	past_done(*p);
	r = runs_pending(s, p);
	if (r == 0 && *p && (*p)->head.run != run)
		*held = 1;			/* another one began meanwhile */
	return r;
}

int runs_check_reading(struct session *s, struct run *run)
{
	char who[FILE_HOLDER];
	struct past *p;
	int held, r = pending_and_lock(s, &p, &held, who);

	if (r || !p)
		return r;
	if (in_time(s, p) || (runs_waits(s, p) && held != 0)) {
		tell_waiting(s, p, SEVERITY_WARNING);
		run->confirm = true;
	} else if (held == 0) {
		r = tell_unfinished(s, p);
	} else {
		diag_note(&s->diags, NULL, "a run is going on%s%s: what is reported may change under it", *who ? ": " : "",
			  text_safe(s->arena, who, strlen(who), FILE_HOLDER));
	}
	past_done(p);
	return r;
}

/* --- a run without a policy ------------------------------------------------------- */

/* Targets of all ports: what a run of the past touched is found among them. */
static int renew(struct run *run, struct diags *d)
{
	struct session *s = run->renew_arg;
	struct desired *all = arena_new_of(s->arena, struct desired);

	(void)d;
	kernel_renew(s->kernel);
	s->facts = NULL;
	if (session_targets(s, &all->target, &all->ntargets))
		return -ENODEV;
	run->facts = s->facts;
	run->desired = all;
	return 0;
}

int runs_run(struct session *s, struct run *run)
{
	*run = (struct run){ .kernel = s->kernel, .arena = s->arena, .catalog = s->catalog, .consent = s->opt->consent,
			     .renew = renew, .renew_arg = s };
	return renew(run, &s->diags) < 0 ? EXIT_UNKNOWN : 0;
}
