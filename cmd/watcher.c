/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher of `apply --confirm`, see watcher.h. It looks at the journal once a second and works from it alone: no
 * policy, no network, no terminal. A run that was cut off is undone at once, since nobody would go on with it. Detached
 * it has nobody to tell: `rdmactl history` does; as a unit it tells the system's journal.
 */
#include "watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "engine/recover.h"
#include "kernel/systemd.h"
#include "runs.h"

/* What the journal cannot say, and an undo that fails, is tried again a few times: a device may be busy. */
enum { LOCK_WAIT_S = 600, UNDO_TRIES = 3, UNDO_PAUSE_S = 5 };

/* --- its life ----------------------------------------------------------------- */

enum sight { SIGHT_WAIT, SIGHT_OVER, SIGHT_UNDO, SIGHT_DAMAGED };

/* What the journal and the lock say now; the run is ours only under its own number. Once a second: as little as possible. */
static enum sight look(struct session *s, int64_t run)
{
	char who[FILE_HOLDER];
	bool held = file_locked(machine_lock(), who) != 0;	/* asked first: who takes it later finds the same journal */
	enum sight sight = SIGHT_OVER;
	struct past *p;
	int r = session_machine(s) ? -EIO : past_load(s->kernel, s->arena, JOURNAL_RUN, &p, &s->diags);

	if (r < 0)
		return r == -ENOENT ? SIGHT_OVER : r == -EBADMSG ? SIGHT_DAMAGED : SIGHT_WAIT;
	if (p->head.run == run && p->state == PAST_WAITING)
		sight = runs_boottime_s() >= p->deadline_s ? SIGHT_UNDO : SIGHT_WAIT;
	else if (p->head.run == run && p->state == PAST_UNFINISHED)
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
	if (p->head.run == number && p->state != PAST_ENDED) {
		r = runs_run(s, &run);
		r = r ? r : rollback_waiting(&run, p, true, &o, &s->diags);
	}
	past_done(p);
	return r;
}

/*
 * A machine that goes down, or who stops the unit, waits until the undo is through: systemd gives it 90 seconds. What is
 * not begun by then stays: the next boot finds a run that was not confirmed.
 */
static int undo(struct session *s, int64_t run)
{
	sigset_t set, old;
	int lock, r;

	if (runs_lock(s, &lock))
		return -EAGAIN;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	fprintf(stderr, "rdmactl: run %lld was not confirmed in time, or was cut off: it is undone\n", (long long)run);
	r = undo_locked(s, run);
	file_unlock(lock);
	session_tell(s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}

/* Each look is a session of its own, so that nothing piles up over a day. Return: exit status of its end, or -EAGAIN */
static int step(int64_t run)
{
	struct options opt = { .color = "never", .to = -1, .watch = run, .wait_s = LOCK_WAIT_S };
	struct arena *a = arena_new();
	struct session s = { .arena = a, .opt = &opt, .command = &command_confirm, .catalog = catalog_default() };
	enum sight sight;
	int r = -EAGAIN;

	diags_init(&s.diags, a);
	sight = look(&s, run);
	if (sight == SIGHT_OVER)
		r = 0;
	if (sight == SIGHT_UNDO)
		r = undo(&s, run);
	if (sight == SIGHT_DAMAGED) {
		session_tell(&s);
		r = EXIT_IN_BETWEEN;
	}
	if (s.kernel)
		kernel_close(s.kernel);
	arena_free(a);
	return r;
}

int watcher_run(int64_t run)
{
	struct timespec pause = { .tv_sec = 1 };
	int r, tries = 0;

	signal(SIGINT, SIG_IGN);
	while ((r = step(run)) != 0) {
		if (r != -EAGAIN && ++tries == UNDO_TRIES)
			break;
		pause.tv_sec = r == -EAGAIN ? 1 : UNDO_PAUSE_S;
		clock_nanosleep(CLOCK_BOOTTIME, 0, &pause, NULL);
	}
	return r;
}

/* --- its birth ---------------------------------------------------------------- */

/*
 * Out of the cgroup that may be killed with the session, into the root of the hierarchy: the only one, or of two sorts
 * the one by which processes are managed. Return: 0, also where there is none; -errno.
 */
static int leave_cgroup(void)
{
	static const char *const root[] = { "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
					    "/sys/fs/cgroup/systemd/cgroup.procs" };
	int r = 0;

	for (size_t i = 0; i < sizeof(root) / sizeof(root[0]); i++) {
		int fd = open(root[i], O_WRONLY | O_CLOEXEC);

		if (fd < 0 ? errno != ENOENT : write(fd, "0", 1) != 1)
			r = -errno;
		if (fd >= 0)
			close(fd);
	}
	return r;
}

/* Not one of those that are killed when memory runs short; where that may not be said, it has to do without. */
static void spare_from_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "-1000", 5) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

/* No terminal, no cgroup, nothing of the caller's open; and this program anew. Returns only if that fails: -errno. */
static int become(const char *number)
{
	const char *argv[] = { "rdmactl", "confirm", "--watch", number, NULL };
	int null, r = machine_is_real() ? leave_cgroup() : 0;
	sigset_t none;

	if (r < 0)
		return r;
	spare_from_oom();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);		/* what apply holds back is no business of its watcher */
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    chdir("/") < 0)
		return -errno;
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	execv("/proc/self/exe", (char *const *)argv);
	return -errno;
}

/* A session of its own and, being no leader of it, never a terminal again. What fails is told through @fd. */
static void detach(const char *number, int fd)
{
	pid_t pid = setsid() < 0 ? -1 : fork();
	int err = errno;

	if (pid > 0)
		_exit(0);
	if (pid == 0)
		err = -become(number);
	(void)!write(fd, &err, sizeof(err));
	_exit(1);
}

/* Return: 0: it runs; -errno. */
static int start_detached(const char *number)
{
	int fd[2], err = 0;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();			/* law 12: no helper, but this program again */
	if (pid == 0)
		detach(number, fd[1]);
	err = pid < 0 ? errno : 0;
	close(fd[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && read(fd[0], &err, sizeof(err)) != sizeof(err))
		err = 0;		/* the other end went with the exec */
	close(fd[0]);
	return -err;
}

int watcher_start(int64_t run, struct diags *d)
{
	char number[24];
	int r;

	snprintf(number, sizeof(number), "%lld", (long long)run);
	r = machine_is_real() ? systemd_transient(number, d) : -ENOENT;
	if (r != -ENOENT)
		return r;
	r = start_detached(number);
	if (r < 0) {
		diag_error(d, NULL, "cannot start the watcher of --confirm")->err = -r;
		diag_hint(d, "nothing was changed: without it nobody would undo the run");
	}
	return r;
}
