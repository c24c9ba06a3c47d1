/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher of `apply --confirm` as a unit of systemd's: it belongs to no session, no terminal and no cgroup of ours,
 * and needs no network. Speaks to org.freedesktop.systemd1 through sd-bus, over the system bus, or where that does not
 * run over systemd's own socket, as systemctl does. libsystemd is opened here and given back at once.
 */
#include "kernel/systemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"

#define LIBRARY "libsystemd.so.0"
#define PRIVATE "unix:path=/run/systemd/private"
#define SERVICE "org.freedesktop.systemd1"
#define PATH	"/org/freedesktop/systemd1"
#define MANAGER "org.freedesktop.systemd1.Manager"

enum { START_S = 20, CALL_S = 10, UNIT_NAME = 64, EXIT_IN_BETWEEN = 4 };

/* --- libsystemd --------------------------------------------------------------- */

struct sd_bus;
struct sd_message;
struct sd_error { const char *name, *message; int need_free; };
typedef int sd_handler(struct sd_message *m, void *arg, struct sd_error *e);

struct library {
	void *handle;
	int (*open_system)(struct sd_bus **);
	int (*new)(struct sd_bus **);
	int (*set_address)(struct sd_bus *, const char *);
	int (*start)(struct sd_bus *);
	struct sd_bus *(*close)(struct sd_bus *);
	int (*match)(struct sd_bus *, void **slot, const char *sender, const char *path, const char *interface, const char *member,
		     sd_handler *, void *arg);
	int (*call_method)(struct sd_bus *, const char *to, const char *path, const char *interface, const char *member,
			   struct sd_error *, struct sd_message **reply, const char *types, ...);
	int (*new_call)(struct sd_bus *, struct sd_message **, const char *to, const char *path, const char *interface,
			const char *member);
	int (*call)(struct sd_bus *, struct sd_message *, uint64_t us, struct sd_error *, struct sd_message **reply);
	int (*process)(struct sd_bus *, struct sd_message **);
	int (*wait)(struct sd_bus *, uint64_t us);
	int (*append)(struct sd_message *, const char *types, ...);
	int (*open)(struct sd_message *, char type, const char *contents);
	int (*shut)(struct sd_message *);
	int (*read)(struct sd_message *, const char *types, ...);
	struct sd_message *(*unref)(struct sd_message *);
	void (*error_free)(struct sd_error *);
};

static const struct { const char *name; size_t offset; } symbols[] = {
	{ "sd_bus_open_system", offsetof(struct library, open_system) },
	{ "sd_bus_new", offsetof(struct library, new) },
	{ "sd_bus_set_address", offsetof(struct library, set_address) },
	{ "sd_bus_start", offsetof(struct library, start) },
	{ "sd_bus_close_unref", offsetof(struct library, close) },
	{ "sd_bus_match_signal", offsetof(struct library, match) },
	{ "sd_bus_call_method", offsetof(struct library, call_method) },
	{ "sd_bus_message_new_method_call", offsetof(struct library, new_call) },
	{ "sd_bus_call", offsetof(struct library, call) },
	{ "sd_bus_process", offsetof(struct library, process) },
	{ "sd_bus_wait", offsetof(struct library, wait) },
	{ "sd_bus_message_append", offsetof(struct library, append) },
	{ "sd_bus_message_open_container", offsetof(struct library, open) },
	{ "sd_bus_message_close_container", offsetof(struct library, shut) },
	{ "sd_bus_message_read", offsetof(struct library, read) },
	{ "sd_bus_message_unref", offsetof(struct library, unref) },
	{ "sd_bus_error_free", offsetof(struct library, error_free) },
};

/* Return: NULL, or why it cannot be used. */
static const char *library_open(struct library *l)
{
	*l = (struct library){ .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };
	if (!l->handle)
		return dlerror();
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *f = dlsym(l->handle, symbols[i].name);

		if (!f)
			return symbols[i].name;
		memcpy((char *)l + symbols[i].offset, &f, sizeof(f));
	}
	return NULL;
}

static int bus_open(const struct library *l, struct sd_bus **bus)
{
	int r = l->open_system(bus);

	if (r >= 0)
		return 0;
	r = l->new(bus);
	if (r < 0)
		return r;
	r = l->set_address(*bus, PRIVATE);
	r = r < 0 ? r : l->start(*bus);
	if (r < 0)
		l->close(*bus);
	return r < 0 ? r : 0;
}

/* --- the unit ------------------------------------------------------------------- */

/*
 * No dependency but the end of the machine, so that no target that is stopped or isolated takes it along; then it ends
 * without undoing anything: the next boot finds an unconfirmed run. Nobody starts it again after it said "in between".
 */
static const struct { const char *name, *type, *text; int number; } properties[] = {
	{ "Type", "s", "exec", 0 },
	{ "Restart", "s", "on-failure", 0 },
	{ "CollectMode", "s", "inactive-or-failed", 0 },
	{ "DefaultDependencies", "b", NULL, 0 },
	{ "IgnoreOnIsolate", "b", NULL, 1 },
	{ "OOMScoreAdjust", "i", NULL, -1000 },
	{ "Conflicts", "as", "shutdown.target", 0 },
	{ "Before", "as", "shutdown.target", 0 },
	{ "RequiresMountsFor", "as", "/var/lib/rdmactl", 0 },
};

static int put_properties(const struct library *l, struct sd_message *m)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(properties) / sizeof(properties[0]); i++) {
		if (!strcmp(properties[i].type, "s"))
			r = l->append(m, "(sv)", properties[i].name, "s", properties[i].text);
		else if (!strcmp(properties[i].type, "as"))
			r = l->append(m, "(sv)", properties[i].name, "as", 1, properties[i].text);
		else
			r = l->append(m, "(sv)", properties[i].name, properties[i].type, properties[i].number);
	}
	r = r < 0 ? r : l->append(m, "(sv)", "RestartUSec", "t", (uint64_t)1000000);
	return r < 0 ? r : l->append(m, "(sv)", "RestartPreventExitStatus", "(aiai)", 1, EXIT_IN_BETWEEN, 0);
}

static int put_unit(const struct library *l, struct sd_message *m, const char *unit, const char *program, const char *run)
{
	char what[80];
	int r = l->append(m, "ss", unit, "fail");

	snprintf(what, sizeof(what), "rdmactl: undoes run %s unless it is confirmed", run);
	r = r < 0 ? r : l->open(m, 'a', "(sv)");
	r = r < 0 ? r : l->append(m, "(sv)", "Description", "s", what);
	r = r < 0 ? r : put_properties(l, m);
	r = r < 0 ? r : l->append(m, "(sv)", "ExecStart", "a(sasb)", 1, program, 4, "rdmactl", "confirm", "--watch", run, 0);
	r = r < 0 ? r : l->shut(m);
	return r < 0 ? r : l->append(m, "a(sa(sv))", 0);
}

/* --- starting it ------------------------------------------------------------------ */

struct start {
	const struct library *l;
	struct sd_bus *bus;
	const char *unit;
	char result[32];		/* of its job, once that is over: "done", "failed", … */
};

static int on_job_removed(struct sd_message *m, void *arg, struct sd_error *e)
{
	struct start *s = arg;
	const char *path, *unit, *result;
	uint32_t id;

	(void)e;
	if (s->l->read(m, "uoss", &id, &path, &unit, &result) > 0 && !strcmp(unit, s->unit))
		snprintf(s->result, sizeof(s->result), "%s", result);
	return 0;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000000 + t.tv_nsec / 1000;
}

static int wait_for_job(struct start *s)
{
	int64_t end = now_us() + START_S * (int64_t)1000000;

	while (!*s->result) {
		int64_t left = end - now_us();
		int r = s->l->process(s->bus, NULL);

		if (r == 0)
			r = left <= 0 ? -ETIMEDOUT : s->l->wait(s->bus, (uint64_t)left);
		if (r < 0 && r != -EINTR)
			return r;
	}
	return 0;
}

/* Type=exec: the job is done once the program runs. */
static int start_unit(struct start *s, const char *program, const char *run, struct sd_error *e)
{
	const struct library *l = s->l;
	struct sd_message *m = NULL;
	int r = l->match(s->bus, NULL, NULL, PATH, MANAGER, "JobRemoved", on_job_removed, s);

	r = r < 0 ? r : l->call_method(s->bus, SERVICE, PATH, MANAGER, "Subscribe", e, NULL, "");
	r = r < 0 ? r : l->new_call(s->bus, &m, SERVICE, PATH, MANAGER, "StartTransientUnit");
	r = r < 0 ? r : put_unit(l, m, s->unit, program, run);
	r = r < 0 ? r : l->call(s->bus, m, CALL_S * (uint64_t)1000000, e, NULL);
	if (m)
		l->unref(m);
	return r < 0 ? r : wait_for_job(s);
}

static void tell(struct diags *d, int err, const char *unit, const char *words)
{
	diag_error(d, NULL, "systemd cannot start %s, the watcher of --confirm", unit)->err = err;
	if (words && *words)
		diag_kernel(d, "%s", words);
	diag_hint(d, "nothing was changed; `journalctl -u %s` may say more, and without --confirm no watcher is needed", unit);
}

static int start(const struct library *l, const char *unit, const char *program, const char *run, struct diags *d)
{
	struct start s = { .l = l, .unit = unit };
	struct sd_error e = { 0 };
	int r = bus_open(l, &s.bus);

	if (r < 0) {
		tell(d, -r, unit, "no answer on the system bus");
		return r;
	}
	r = start_unit(&s, program, run, &e);
	if (r < 0)
		tell(d, -r, unit, e.message);
	else if (strcmp(s.result, "done") != 0)
		tell(d, 0, unit, s.result);
	l->error_free(&e);
	l->close(s.bus);
	return r < 0 ? r : strcmp(s.result, "done") != 0 ? -ECHILD : 0;
}

/* --- the program ------------------------------------------------------------------ */

/* The path by which systemd finds this very program: not one that was deleted, or that is another one where systemd is. */
static int own_program(char path[PATH_MAX], struct diags *d)
{
	char there[PATH_MAX + sizeof("/proc/1/root")];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	struct stat self, found;

	if (n > 0 && n < PATH_MAX - 1) {
		path[n] = '\0';
		snprintf(there, sizeof(there), "/proc/1/root%s", path);
		if (stat("/proc/self/exe", &self) == 0 && stat(there, &found) == 0 && self.st_dev == found.st_dev &&
		    self.st_ino == found.st_ino)
			return 0;
	}
	diag_error(d, NULL, "systemd would not find this program, which is to watch over the run");
	diag_hint(d, "it was replaced or removed since it started, or stands in a container: try again, outside");
	return -ENOEXEC;
}

int systemd_transient(const char *run, struct diags *d)
{
	char program[PATH_MAX], unit[UNIT_NAME];
	struct library l;
	const char *why;
	int r;

	if (access("/run/systemd/system", F_OK) < 0)
		return -ENOENT;
	r = own_program(program, d);
	if (r < 0)
		return r;
	snprintf(unit, sizeof(unit), "rdmactl-confirm-%s.service", run);
	why = library_open(&l);
	if (why)
		tell(d, 0, unit, why);
	r = why ? -ELIBACC : start(&l, unit, program, run, d);
	if (l.handle)
		dlclose(l.handle);
	return r;
}
