/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher of `apply --confirm`, see watcher.h. It looks at the journal once a second and works from it alone: no
 * policy, no network, no terminal. A run that was cut off is undone at once, since nobody would go on with it.
 */
#include "watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "engine/recover.h"
#include "kernel/systemd.h"
#include "runs.h"

enum { LOCK_WAIT_S = 600 };

/* --- its life ----------------------------------------------------------------- */

enum sight { SIGHT_WAIT, SIGHT_OVER, SIGHT_UNDO };

/* What the journal and the lock say now; the run is ours only under its own number. */
static enum sight look(struct session *s, int64_t run)
{
	char who[FILE_HOLDER];
	bool held = file_locked(machine_lock(), who) == 1;
	struct past *p;
	enum sight sight;

	if (runs_pending(s, &p))
		return SIGHT_WAIT;		/* it cannot be read at the moment */
	if (!p)
		return held ? SIGHT_WAIT : SIGHT_OVER;
	if (p->head.run != run || p->state == PAST_ENDED)
		sight = SIGHT_OVER;
	else if (p->state == PAST_WAITING)
		sight = runs_boottime_s() >= p->deadline_s ? SIGHT_UNDO : SIGHT_WAIT;
	else
		sight = held ? SIGHT_WAIT : SIGHT_UNDO;
	past_done(p);
	return sight;
}

static int undo_locked(struct session *s, int64_t number)
{
	struct outcome o = { .command = "rollback" };
	struct past *p;
	struct run run;
	int r = runs_pending(s, &p);

	if (r || !p)
		return r;
	if (p->head.run == number && p->state != PAST_ENDED && runs_run(s, &run) == 0)
		r = rollback_waiting(&run, p, true, &o, &s->diags);
	past_done(p);
	return r;
}

/* Each look is a session of its own, so that nothing piles up over a day. Return: 1 to go on, 0, or -1 - exit status. */
static int step(int64_t run)
{
	struct options opt = { .color = "never", .to = -1, .watch = run, .wait_s = LOCK_WAIT_S };
	struct arena *a = arena_new();
	struct session s = { .arena = a, .opt = &opt, .command = &command_confirm, .catalog = catalog_default() };
	int lock, r = 1;
	enum sight sight;

	diags_init(&s.diags, a);
	sight = look(&s, run);
	if (sight == SIGHT_OVER)
		r = 0;
	if (sight == SIGHT_UNDO && runs_lock(&s, &lock) == 0) {
		fprintf(stderr, "rdmactl: run %lld was not confirmed in time, and is undone\n", (long long)run);
		r = -1 - undo_locked(&s, run);
		file_unlock(lock);
		session_tell(&s);
	}
	if (s.kernel)
		kernel_close(s.kernel);
	arena_free(a);
	return r;
}

int watcher_run(int64_t run)
{
	const struct timespec second = { .tv_sec = 1 };
	int r;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	while ((r = step(run)) == 1)
		clock_nanosleep(CLOCK_BOOTTIME, 0, &second, NULL);
	return r < 0 ? -1 - r : 0;
}

/* --- its birth ---------------------------------------------------------------- */

/* Out of the cgroup that may be killed with the session: into the root of the hierarchy, where we may. */
static void leave_cgroup(void)
{
	static const char *const root[] = { "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs" };

	for (size_t i = 0; i < sizeof(root) / sizeof(root[0]); i++) {
		int fd = open(root[i], O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, "0", 1) == 1)
			i = 1;
		if (fd >= 0)
			close(fd);
	}
}

/* A session of its own, no terminal, no parent, nothing of ours open; standard error stays, if it is no terminal. */
static void detach(const char *program, const char *number)
{
	const char *argv[] = { program, "confirm", "--watch", number, NULL };
	int null;

	if (setsid() < 0 || fork() != 0)
		_exit(0);
	leave_cgroup();
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close_range(3, ~0U, 0);
	if (chdir("/") < 0)
		_exit(1);
	execv("/proc/self/exe", (char *const *)argv);
	_exit(1);
}

int watcher_start(int64_t run, struct diags *d)
{
	char number[24];
	pid_t pid;
	int r;

	snprintf(number, sizeof(number), "%lld", (long long)run);
	r = machine_is_real() ? systemd_transient(number, d) : -ENOENT;
	if (r != -ENOENT)
		return r;
	pid = fork();			/* law 12: no helper, but this program again */
	if (pid == 0)
		detach("rdmactl", number);
	r = pid < 0 ? -errno : waitpid(pid, NULL, 0) < 0 ? -errno : 0;
	if (r < 0)
		diag_error(d, NULL, "cannot start the watcher of --confirm")->err = -r;
	return r;
}
