/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of udev against udev: random rules for the loopback device of a network namespace, which `udevadm test` applies; the
 * MTU and the keys that it has then are those of the last rule that we say is surely done, or of one in doubt behind it.
 * TREES=N asks for more than the few that make check has time for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "boot/netcfg.h"
#include "boot/udev.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { UNTOUCHED = 1 };			/* no rule says so: see number() */

static const char *const dirs[] = { "etc/udev/rules.d", "run/udev/rules.d", "usr/lib/udev/rules.d" };
static const char *const names[] = { "10-a.rules", "50-b.rules", "99-c.rules", "60-d.conf" };

static const char *const parts[] = {
	"SUBSYSTEM==\"net\", ", "SUBSYSTEM!=\"net\", ", "SUBSYSTEM==\"net|block\",", "KERNEL==\"lo\", ", "KERNEL==\"l?\", ", "KERNEL!=\"lo\", ",
	"KERNEL==\"eth*|lo\" ", "ACTION==\"add\", ", "ACTION!=\"remove\", ", "ACTION==\"change\", ", "ACTION==\"add|change\",\t",
	"ENV{INTERFACE}==\"lo\", ", "ENV{INTERFACE}==\"lo?\", ", "ATTR{address}==\"00:*\", ", "ATTR{address}!=\"00:*\", ", "ATTR{type}==\"772\", ",
	"ATTR{dev_port}==\"1\", ", "ATTR{nothing}!=\"1\", ", "KERNELS==\"lo\", ", "SUBSYSTEMS==\"net\", ", "SUBSYSTEMS==\"pci\", ", "DRIVERS==\"\", ",
	"DRIVERS==\"?*\", ", "KERNELS==\"lo\", SUBSYSTEMS==\"net\", ", "DRIVER==\"\", ", "KERNEL==\"\", ", "KERNEL==\"|lo\", ",
	"SUBSYSTEM==\"[n]et\", ", "NAME==\"x\", ", "ENV{NOTHING}==\"\", ", "ENV{X}=\"1\", ", "TAG+=\"t\", ", "SUBSYSTEM=\"net\", ", "BUS==\"net\", ",
	"KERNEL{a}==\"lo\", ", "ENV==\"lo\", ", "KERNEL==lo, ", "\\\n", "\\\n# between\n", "\\ \n", "\n", " # no comment ", "GOTO=\"a\" ", "GOTO=\"b\"\n",
	"LABEL=\"a\"\n", "LABEL=\"b\"\n", "LABEL=\"a\" ",
};

static const char *const acts[] = {
	"ATTR{mtu}=\"%u\"\n", "ATTR{mtu}=\"%u\"\n", "ATTR{mtu}+=\"%u\"\n", "ATTR{mtu}:=\"%u\"\n", "ATTR{mtu}-=\"%u\"\n", "ATTR{[net/lo]mtu}=\"%u\"\n",
	"ATTR{mtu}=\"%u\" #\n", "ATTR{mtu}==\"%u\"\n", "ATTR{mtu}=\"0x%x\"\n", "ATTR{mtu}=e\"%u\"\n", "ATTR{mtu}=\"%u\\\n", "SYSCTL{net/ipv4/conf/lo/tag}=\"%u\"\n",
	"SYSCTL{net.ipv4.conf.lo.tag}=\"%u\", ", "SYSCTL{net/ipv4/conf/$name/tag}=\"%u\"\n", "SYSCTL{net/ipv4/conf/%%k/tag}:=\"%u\"\n",
	"SYSCTL{net/ipv4/conf/all/tag}=\"%u\"\n",
};

static uint32_t seed = 20261129;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static uint32_t number(void)
{
	return 2000 + below(7000);
}

static void random_rules(char *out, size_t room)
{
	size_t n = 0;

	*out = 0;
	for (uint32_t rules = 1 + below(5); rules-- > 0;) {
		for (uint32_t i = below(4); i-- > 0;)
			n += (size_t)snprintf(out + n, room - n, "%s", parts[below(COUNT(parts))]);
		n += (size_t)snprintf(out + n, room - n, acts[below(COUNT(acts))], number());
	}
}

/* The files are those of the machine itself, in our own name space. */
static void random_tree(struct root *r)
{
	for (size_t d = 0; d < COUNT(dirs); d++)
		for (size_t i = 0; i < COUNT(names); i++) {
			char text[2048], path[128], full[130];
			FILE *f;

			snprintf(path, sizeof(path), "%s/%s", dirs[d], names[i]);
			snprintf(full, sizeof(full), "/%s", path);
			unlink(full);
			root_put(r, path, "");		/* and its folder */
			snprintf(text, sizeof(text), "%s/%s", r->dir, path);
			unlink(text);
			if (below(3))
				continue;
			if (!below(8)) {
				root_put(r, path, "@/dev/null");
				assert_int_equal(symlink("/dev/null", full), 0);
				continue;
			}
			f = fopen(text, "w");
			random_rules(text, sizeof(text));
			assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
			f = fopen(full, "w");
			assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
		}
}

/* --- udev ------------------------------------------------------------------------ */

static const struct value_file { const char *path, *attr, *key; long untouched; } values[] = {
	{ "/sys/class/net/lo/mtu", "mtu", NULL, 65536 },
	{ "/proc/sys/net/ipv4/conf/lo/tag", NULL, "net/ipv4/conf/lo/tag", UNTOUCHED },
	{ "/proc/sys/net/ipv4/conf/all/tag", NULL, "net/ipv4/conf/all/tag", UNTOUCHED },
};

static void reset(void)
{
	for (size_t i = 0; i < COUNT(values); i++) {
		FILE *f = fopen(values[i].path, "w");

		assert_non_null(f);
		fprintf(f, "%ld\n", values[i].untouched);
		assert_int_equal(fclose(f), 0);
	}
}

static long value_now(const struct value_file *v)
{
	FILE *f = fopen(v->path, "r");
	long n = 0;

	assert_true(f && fscanf(f, "%ld", &n) == 1 && fclose(f) == 0);
	return n;
}

static void let_udev_apply(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/bin/udevadm", "udevadm", "test", "--action=add", "/sys/class/net/lo", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 126);
}

/* --- both -------------------------------------------------------------------------- */

static void compare(struct root *r, const struct value_file *v, unsigned round, size_t *sure, size_t *doubts)
{
	static const struct netcfg_link lo = { .ifname = "lo", .ifindex = 1, .kind = "", .driver = "" };
	struct udev_acts found = { 0 };
	long theirs = value_now(v), ours = v->untouched;
	struct udev_device d = udev_netdev(r->k, &lo);
	const struct udev *u;
	bool fits = false;

	assert_int_equal(udev_load(r->k, UDEV_ALL, &u), 0);
	if (v->attr)
		udev_attr(u, &d, v->attr, &found);
	else
		udev_sysctl(u, &d, v->key, &found);
	for (size_t i = 0; i < found.n; i++) {
		const struct udev_act *act = &found.at[i];

		*(act->doubt ? doubts : sure) += 1;
		if (!act->doubt) {
			assert_non_null(act->value);
			ours = strtol(act->value, NULL, 0);
			fits = false;
		} else if (act->value && strtol(act->value, NULL, 0) == theirs) {
			fits = true;
		}
	}
	if (ours == theirs || fits)
		return;
	for (size_t i = 0; i < u->confd->n; i++)
		print_message("--- %s\n%s", u->confd->at[i].source.name, u->confd->at[i].source.text);
	fail_msg("tree %u, %s: udev sets %ld, we say %ld", round, v->path, theirs, ours);
}

static bool mount_new(const char *path)
{
	return mount("none", path, "tmpfs", 0, NULL) == 0;
}

static bool may_run(void)
{
	return geteuid() == 0 && !access("/bin/udevadm", X_OK) && unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 &&
	       mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0 && mount("none", "/sys", "sysfs", 0, NULL) == 0 &&
	       mount_new("/etc/udev") && mount_new("/usr/lib/udev") && mount_new("/run");
}

/* What of the device we look at. */
static void copy_sysfs(const struct root *r)
{
	root_put(r, "sys/devices/virtual/net/lo/address", "00:00:00:00:00:00\n");
	root_put(r, "sys/devices/virtual/net/lo/type", "772\n");
	root_put(r, "sys/devices/virtual/net/lo/dev_port", "0\n");
	root_put(r, "sys/class/net/lo", "@../../devices/virtual/net/lo");
}

static void udev_agrees(void **state)
{
	const char *more = getenv("TREES");
	unsigned trees = more ? (unsigned)atoi(more) : 60;
	size_t sure = 0, doubts = 0;
	struct root *r;

	(void)state;
	if (!may_run()) {
		print_message("SKIP: %s\n", "udevadm and root are needed");
		skip();
	}
	r = root_open(NULL);
	copy_sysfs(r);
	for (size_t d = 0; d < COUNT(dirs); d++) {
		char path[512];

		snprintf(path, sizeof(path), "/%s/x", dirs[d]);
		root_parents(path);
	}
	for (unsigned round = 0; round < trees; round++) {
		random_tree(r);
		reset();
		let_udev_apply();
		kernel_renew(r->k);
		for (size_t i = 0; i < COUNT(values); i++)
			compare(r, &values[i], round, &sure, &doubts);
	}
	print_message("%u trees, %zu writes that are sure, %zu in doubt\n", trees, sure, doubts);
	assert_true(sure > trees && sure > doubts);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(udev_agrees) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
