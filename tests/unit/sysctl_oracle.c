/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl.d over random trees: what systemd-sysctl really sets is what we say it will, and where we warn of `sysctl --system`
 * it really sets what the warning says. Both run in a root of their own, with a network namespace whose keys they may
 * spoil. Root alone may make those.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/text.h"
#include "boot/sysctld.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
enum { TREES = 240, UNTOUCHED = 1000 };

/* Integers of a network namespace that take any value, and that nothing acts on. */
static const char *const keys[] = {
	"net/ipv4/conf/lo/tag", "net/ipv4/conf/all/tag", "net/ipv4/conf/default/tag", "net/ipv4/conf/lo/medium_id",
	"net/ipv4/conf/all/medium_id",
};

static const char *const dirs[] = { "etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d" };
static const char *const names[] = { "10-a.conf", "50-b.conf", "60-c.conf", "99-sysctl.conf", "zz.conf", "old.conf.bak", ".h.conf" };

static const char *const lines[] = {
	"net.ipv4.conf.lo.tag = %u", "net.ipv4.conf.all.tag=%u", "net/ipv4/conf/default/tag = %u", "net.ipv4.conf.lo.medium_id=%u",
	" \tnet.ipv4.conf.lo.tag\t=\t%u ", "-net.ipv4.conf.lo.tag = %u", "-net.ipv4.conf.all.tag", "-net.ipv4.conf.lo.tag",
	"net.ipv4.conf.*.tag = %u", "net.ipv4.conf.[al]*.tag=%u", "net.ipv4.conf.*.medium_id = %u", "-net.ipv4.conf.*.tag = %u",
	"# net.ipv4.conf.lo.tag = %u", "; net.ipv4.conf.all.tag = %u", "net.ipv4.conf.lo.tag %u", "net.ipv4.conf.all.medium_id = 0x%x",
	"-net/ipv4/conf/lo/medium_id", "net.ipv4.conf.l?.medium_id = %u", "",
};

static uint32_t seed = 20261129;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static const char *jail;		/* a directory of ours, where the two loaders find the tree as their root */

static void bind(const char *from, const char *to)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", jail, to);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		fail_msg("%s: %s", path, strerror(errno));
	if (mount(from, path, NULL, MS_BIND | MS_REC, NULL) < 0)
		fail_msg("%s on %s: %s", from, path, strerror(errno));
}

static void make_jail(const struct root *r)
{
	static const char *const host[] = { "usr", "proc", "dev" }, *const tree[] = { "etc", "run", "usr/local", "usr/lib/sysctl.d" };
	char from[512], path[512];

	for (size_t i = 0; i < COUNT(host); i++) {
		snprintf(from, sizeof(from), "/%s", host[i]);
		bind(from, host[i]);
	}
	for (size_t i = 0; i < COUNT(tree); i++) {
		snprintf(from, sizeof(from), "%s/%s", r->dir, tree[i]);
		bind(from, tree[i]);
	}
	for (const char *const *l = (const char *const[]){ "lib", "lib64", "bin", "sbin", NULL }; *l; l++) {
		snprintf(from, sizeof(from), "usr/%s", *l);
		snprintf(path, sizeof(path), "%s/%s", jail, *l);
		if (symlink(from, path) < 0)
			abort();
	}
}

/* Runs a loader with the tree as its root. */
static void load(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (chroot(jail) < 0 || chdir("/") < 0)
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), 0, 125);		/* bad lines are none of its successes */
}

static FILE *key_file(const char *key, const char *mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/%s", key);
	f = fopen(path, mode);
	assert_non_null(f);
	return f;
}

static void reset_keys(void)
{
	for (size_t i = 0; i < COUNT(keys); i++) {
		FILE *f = key_file(keys[i], "w");

		fprintf(f, "%d\n", UNTOUCHED);
		assert_int_equal(fclose(f), 0);
	}
}

static long key_value(const char *key)
{
	FILE *f = key_file(key, "r");
	long v;

	assert_int_equal(fscanf(f, "%ld", &v), 1);
	fclose(f);
	return v;
}

static void random_text(char *out, size_t room)
{
	size_t n = 0;

	*out = 0;
	for (uint32_t i = below(5); i-- > 0;) {
		char line[128];

		snprintf(line, sizeof(line), lines[below(COUNT(lines))], below(90));
		n += (size_t)snprintf(out + n, room - n, "%s\n", line);
	}
}

/* Files of the round before go; the directories stay, since they are mounted. */
static void random_tree(const struct root *r)
{
	char path[512], text[1024];

	for (size_t d = 0; d < COUNT(dirs); d++)
		for (size_t n = 0; n < COUNT(names); n++) {
			snprintf(path, sizeof(path), "%s/%s", dirs[d], names[n]);
			random_text(text, sizeof(text));
			if (below(4))
				unlinkat(AT_FDCWD, (snprintf(text, sizeof(text), "%s/%s", r->dir, path), text), 0);
			else if (d == 0 && n == 3 && below(2))
				root_put(r, path, "@../sysctl.conf");
			else
				root_put(r, path, below(8) ? text : "@/dev/null");
		}
	random_text(text, sizeof(text));
	root_put(r, "etc/sysctl.conf", text);
}

static void compare(struct root *r, unsigned round, size_t *set, size_t *warned)
{
	const struct sysctld *s;

	kernel_renew(r->k);
	assert_int_equal(sysctld_load(r->k, &s), 0);
	reset_keys();
	load((char *[]){ (char[]){ "/lib/systemd/systemd-sysctl" }, NULL });
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct sysctl_answer a = sysctld_find(s, r->a, keys[i]);
		long ours = a.wins ? strtol(a.wins->value, NULL, 0) : UNTOUCHED, theirs = key_value(keys[i]);

		*set += a.wins != NULL;
		if (ours != theirs)
			fail_msg("tree %u, %s: systemd-sysctl sets %ld, we say %ld (%s:%u)", round, keys[i], theirs, ours,
				 a.wins ? a.wins->pos.source->name : "nothing", a.wins ? a.wins->pos.line : 0);
	}
	reset_keys();
	load((char *[]){ (char[]){ "/sbin/sysctl" }, (char[]){ "-e" }, (char[]){ "--system" }, NULL });
	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct sysctl_line *l = sysctld_procps(r->k, s, keys[i]);

		if (!l || !l->value)
			continue;
		++*warned;
		if (strtol(l->value, NULL, 0) != key_value(keys[i]))
			fail_msg("tree %u, %s: sysctl --system sets %ld, we say %s (%s:%u)", round, keys[i], key_value(keys[i]),
				 l->value, l->pos.source->name, l->pos.line);
	}
}

static bool may_run(void)
{
	return geteuid() == 0 && !access("/lib/systemd/systemd-sysctl", X_OK) && !access("/sbin/sysctl", X_OK) &&
	       unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 && mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0;
}

static void loaders_agree(void **state)
{
	char dir[] = "/tmp/rdmactl-jail-XXXXXX";
	size_t set = 0, said = 0;
	struct root *r;

	(void)state;
	if (!may_run()) {
		print_message("SKIP: %s\n", "systemd-sysctl, procps and root are needed");
		skip();
	}
	jail = mkdtemp(dir);
	assert_non_null(jail);
	assert_int_equal(mount("none", jail, "tmpfs", 0, NULL), 0);	/* goes with the namespace */
	r = root_open(NULL);
	for (size_t d = 0; d < COUNT(dirs); d++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/x", dirs[d]);
		root_put(r, path, "");
	}
	make_jail(r);
	for (unsigned round = 0; round < TREES; round++) {
		random_tree(r);
		compare(r, round, &set, &said);
	}
	print_message("%d trees, %zu keys set by systemd-sysctl, %zu by sysctl --system\n", TREES, set, said);
	assert_true(set > TREES && said > TREES / 4);
	umount2(jail, MNT_DETACH);
	rmdir(jail);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(loaders_agree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
