/* SPDX-License-Identifier: Apache-2.0 */
/* sysctl.d: which file and line win, as systemd-sysctl of Debian 12 (252) applies them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/sysctld.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *why;
	struct { const char *path, *text; } file[5];
	const char *key, *value, *source;	/* value NULL: nothing sets it */
	unsigned line;
} cases[] = {
	{ "one line", { { "etc/sysctl.d/50-a.conf", "# x\n\nnet.core.rmem_max = 1\n" } },
	  "net.core.rmem_max", "1", "/etc/sysctl.d/50-a.conf", 3 },
	{ "last line of a file", { { "etc/sysctl.d/50-a.conf", "net.core.rmem_max=1\nnet.core.rmem_max=2\n" } },
	  "net.core.rmem_max", "2", "/etc/sysctl.d/50-a.conf", 2 },
	{ "order is that of base names, not of directories",
	  { { "etc/sysctl.d/10-a.conf", "net.core.rmem_max=1\n" }, { "usr/lib/sysctl.d/50-b.conf", "net.core.rmem_max=2\n" } },
	  "net.core.rmem_max", "2", "/usr/lib/sysctl.d/50-b.conf", 1 },
	{ "a higher directory hides the name",
	  { { "etc/sysctl.d/50-b.conf", "vm.swappiness=3\n" }, { "usr/lib/sysctl.d/50-b.conf", "net.core.rmem_max=2\n" } },
	  "net.core.rmem_max", NULL, NULL, 0 },
	{ "run is above usr/local/lib, that above usr/lib",
	  { { "run/sysctl.d/a.conf", "vm.swappiness=1\n" }, { "usr/local/lib/sysctl.d/a.conf", "vm.swappiness=2\n" },
	    { "usr/lib/sysctl.d/a.conf", "vm.swappiness=3\n" } },
	  "vm.swappiness", "1", "/run/sysctl.d/a.conf", 1 },
	{ "a link to /dev/null hides the name",
	  { { "etc/sysctl.d/50-b.conf", "@/dev/null" }, { "usr/lib/sysctl.d/50-b.conf", "net.core.rmem_max=2\n" } },
	  "net.core.rmem_max", NULL, NULL, 0 },
	{ "a link that leads nowhere hides it too",
	  { { "etc/sysctl.d/50-b.conf", "@../gone" }, { "usr/lib/sysctl.d/50-b.conf", "net.core.rmem_max=2\n" } },
	  "net.core.rmem_max", NULL, NULL, 0 },
	{ "sysctl.conf counts only through a link",
	  { { "etc/sysctl.conf", "net.core.rmem_max=9\n" }, { "etc/sysctl.d/1.conf", "net.core.rmem_max=1\n" } },
	  "net.core.rmem_max", "1", "/etc/sysctl.d/1.conf", 1 },
	{ "split /usr: /lib counts, below /usr/lib",
	  { { "lib/sysctl.d/60-x.conf", "net.core.rmem_max=6\n" } },
	  "net.core.rmem_max", "6", "/lib/sysctl.d/60-x.conf", 1 },
	{ "merged /usr: /lib is not read twice",
	  { { "lib", "@usr/lib" }, { "usr/lib/sysctl.d/60-x.conf", "net.core.rmem_max=6\n" } },
	  "net.core.rmem_max", "6", "/usr/lib/sysctl.d/60-x.conf", 1 },
	{ "only *.conf, nothing hidden",
	  { { "etc/sysctl.d/a", "net.core.rmem_max=1\n" }, { "etc/sysctl.d/.b.conf", "net.core.rmem_max=2\n" },
	    { "etc/sysctl.d/c.conf.bak", "net.core.rmem_max=3\n" }, { "etc/sysctl.d/.conf", "net.core.rmem_max=4\n" } },
	  "net.core.rmem_max", NULL, NULL, 0 },
	{ "a directory with such a name says nothing",
	  { { "etc/sysctl.d/a.conf/b", "net.core.rmem_max=1\n" }, { "etc/sysctl.d/0.conf", "net.core.rmem_max=2\n" } },
	  "net.core.rmem_max", "2", "/etc/sysctl.d/0.conf", 1 },
	{ "no newline at the end, blanks and carriage returns around",
	  { { "etc/sysctl.d/a.conf", " \tnet.core.rmem_max\t =  1 2\t3 \r" } },
	  "net.core.rmem_max", "1 2\t3", "/etc/sysctl.d/a.conf", 1 },
	{ "comments, with # and ;",
	  { { "etc/sysctl.d/a.conf", "net.core.rmem_max=1\n#net.core.rmem_max=2\n  ; net.core.rmem_max=3\n" } },
	  "net.core.rmem_max", "1", "/etc/sysctl.d/a.conf", 1 },
	{ "text behind the value belongs to it", { { "etc/sysctl.d/a.conf", "net.core.rmem_max=1 # one\n" } },
	  "net.core.rmem_max", "1 # one", "/etc/sysctl.d/a.conf", 1 },
	{ "a value may hold =", { { "etc/sysctl.d/a.conf", "kernel.core_pattern=|/x a=%p\n" } },
	  "kernel.core_pattern", "|/x a=%p", "/etc/sysctl.d/a.conf", 1 },
	{ "an empty value is one", { { "etc/sysctl.d/a.conf", "kernel.core_pattern=\n" } },
	  "kernel.core_pattern", "", "/etc/sysctl.d/a.conf", 1 },
	{ "a line without = is skipped", { { "etc/sysctl.d/a.conf", "net.core.rmem_max=1\nnet.core.rmem_max 2\n" } },
	  "net.core.rmem_max", "1", "/etc/sysctl.d/a.conf", 1 },
	{ "- in front ignores failure", { { "etc/sysctl.d/a.conf", "-net.core.rmem_max = 4\n" } },
	  "net.core.rmem_max", "4", "/etc/sysctl.d/a.conf", 1 },
	{ "slashes", { { "etc/sysctl.d/a.conf", "net/core/rmem_max=1\n" } },
	  "net.core.rmem_max", "1", "/etc/sysctl.d/a.conf", 1 },
	{ "a dot in a name", { { "etc/sysctl.d/a.conf", "net.ipv4.conf.eth0/100.rp_filter=2\n" } },
	  "net/ipv4/conf/eth0.100/rp_filter", "2", "/etc/sysctl.d/a.conf", 1 },
	{ "if a slash comes first, dots are letters", { { "etc/sysctl.d/a.conf", "net/ipv4/conf/eth0.100/rp_filter=2\n" } },
	  "net.ipv4.conf.eth0/100.rp_filter", "2", "/etc/sysctl.d/a.conf", 1 },
	{ "a pattern", { { "etc/sysctl.d/a.conf", "net.ipv4.conf.*.rp_filter=2\n" } },
	  "net.ipv4.conf.eth0.rp_filter", "2", "/etc/sysctl.d/a.conf", 1 },
	{ "a pattern does not cross a slash", { { "etc/sysctl.d/a.conf", "net.*.rp_filter=2\n" } },
	  "net.ipv4.conf.eth0.rp_filter", NULL, NULL, 0 },
	{ "a name beats a later pattern",
	  { { "etc/sysctl.d/a.conf", "net.ipv4.conf.all.rp_filter=0\n" }, { "etc/sysctl.d/b.conf", "net.ipv4.conf.*.rp_filter=2\n" } },
	  "net.ipv4.conf.all.rp_filter", "0", "/etc/sysctl.d/a.conf", 1 },
	{ "-key takes it out of a pattern",
	  { { "etc/sysctl.d/a.conf", "net.ipv4.conf.*.rp_filter=2\n-net.ipv4.conf.all.rp_filter\n" } },
	  "net.ipv4.conf.all.rp_filter", NULL, NULL, 0 },
	{ "-key undoes an assignment before it", { { "etc/sysctl.d/a.conf", "vm.swappiness=1\n-vm.swappiness\n" } },
	  "vm.swappiness", NULL, NULL, 0 },
	{ "but not one behind it", { { "etc/sysctl.d/a.conf", "-vm.swappiness\nvm.swappiness=1\n" } },
	  "vm.swappiness", "1", "/etc/sysctl.d/a.conf", 2 },
	{ "the last of two patterns",
	  { { "etc/sysctl.d/a.conf", "net.ipv4.conf.*.rp_filter=1\nnet.ipv4.conf.eth*.rp_filter=2\n" } },
	  "net.ipv4.conf.eth0.rp_filter", "2", "/etc/sysctl.d/a.conf", 2 },
	{ "a pattern said again with the same value keeps its place",
	  { { "etc/sysctl.d/a.conf",
	      "net.ipv4.conf.*.rp_filter=1\nnet.ipv4.conf.eth*.rp_filter=2\nnet.ipv4.conf.*.rp_filter=1\n" } },
	  "net.ipv4.conf.eth0.rp_filter", "2", "/etc/sysctl.d/a.conf", 2 },
	{ "with another value it moves to the end",
	  { { "etc/sysctl.d/a.conf",
	      "net.ipv4.conf.*.rp_filter=1\nnet.ipv4.conf.eth*.rp_filter=2\nnet.ipv4.conf.*.rp_filter=0\n" } },
	  "net.ipv4.conf.eth0.rp_filter", "0", "/etc/sysctl.d/a.conf", 3 },
	{ "no directory at all", { { "etc/hostname", "x\n" } }, "vm.swappiness", NULL, NULL, 0 },
};

static void winners(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct root *r = root_open(NULL);
		const struct sysctld *s;
		struct sysctl_answer a;

		for (size_t f = 0; f < COUNT(cases[i].file) && cases[i].file[f].path; f++)
			root_put(r, cases[i].file[f].path, cases[i].file[f].text);
		assert_int_equal(sysctld_load(r->k, &s), 0);
		a = sysctld_find(s, r->a, sysctld_path(r->a, cases[i].key));
		assert_null(a.unread);
		if (!a.wins != !cases[i].value)
			fail_msg("%s: %s", cases[i].why, a.wins ? a.wins->value : "nothing sets it");
		if (a.wins) {
			assert_string_equal(a.wins->value, cases[i].value);
			assert_string_equal(a.wins->pos.source->name, cases[i].source);
			assert_int_equal(a.wins->pos.line, cases[i].line);
		}
		root_close(r);
	}
}

static void paths(void **state)
{
	static const struct { const char *key, *path, *back; } rows[] = {
		{ "net.core.rmem_max", "net/core/rmem_max", "net.core.rmem_max" },
		{ "net/core/rmem_max", "net/core/rmem_max", "net.core.rmem_max" },
		{ "/net/core/rmem_max", "net/core/rmem_max", "net.core.rmem_max" },
		{ "net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter", "net/ipv4/conf/eth0.100/rp_filter" },
		{ "net/ipv4/conf/eth0.100/rp_filter", "net/ipv4/conf/eth0.100/rp_filter", "net/ipv4/conf/eth0.100/rp_filter" },
		{ "/a.b/c", "a.b/c", "/a.b/c" },
		{ "net..core//rmem", "net/core..rmem", "net/core..rmem" },
		{ "swap", "swap", "swap" },
		{ "", "", "" },
		{ ".", "", "" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *path = sysctld_path(a, rows[i].key);

		assert_string_equal(path, rows[i].path);
		assert_string_equal(sysctld_key(a, path), rows[i].back);
		assert_string_equal(sysctld_path(a, sysctld_key(a, path)), path);
	}
	arena_free(a);
}

/* What lost and why, and what would beat a file of ours. */
static void losers(void **state)
{
	static const struct { const char *key; unsigned n; struct { const char *place, *value, *why; } loser[5]; } rows[] = {
		{ "vm.swappiness", 5, { { "/etc/sysctl.d/10-a.conf:1", "1", "/etc/sysctl.d/zz-zzz.conf is read later" },
					{ "/etc/sysctl.d/10-a.conf:2", "7", "/etc/sysctl.d/zz-zzz.conf is read later" },
					{ "/etc/sysctl.d/10-a.conf:3", "1", "a pattern: an assignment by name wins" },
					{ "/usr/lib/sysctl.d/10-a.conf:2", "9", "the file is hidden by /etc/sysctl.d/10-a.conf" },
					{ "/etc/sysctl.conf:1", "5", "systemd-sysctl does not read this file" } } },
		{ "vm.dirty_ratio", 2, { { "/etc/sysctl.d/10-a.conf:3", "1", "the key is taken out of all patterns" },
					 { "/etc/sysctl.d/10-a.conf:4", "8", "the key is taken out again" } } },
		{ "net.a.b", 1, { { "/etc/sysctl.d/zz-zzz.conf:3", "1", "a later line of the file counts" } } },
		{ "kernel.panic", 1, { { "/etc/sysctl.conf:2", "3", "counts only through a link in sysctl.d" } } },
		{ "kernel.other", 0, { { 0 } } },
	};
	struct root *r = root_open(NULL);
	const struct sysctld *s;
	struct sysctl_answer a;

	(void)state;
	root_put(r, "etc/sysctl.d/10-a.conf", "vm.swappiness=1\nvm.swappiness=7\nvm.*=1\nvm.dirty_ratio=8\n-vm.dirty_ratio\n");
	root_put(r, "usr/lib/sysctl.d/10-a.conf", "vm.swappiness=2\nvm.swappiness=9\n");
	root_put(r, "etc/sysctl.d/zz-zzz.conf", "vm.swappiness=60\nkernel.panic=1\nnet.a.b=1\nnet.a.b=2\n");
	root_put(r, "etc/sysctl.conf", "vm.swappiness=5\nkernel.panic=3\n");
	assert_int_equal(sysctld_load(r->k, &s), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *path = sysctld_path(r->a, rows[i].key);
		struct confd_losers l = { 0 };

		a = sysctld_find(s, r->a, path);
		sysctld_losers(r->k, s, path, &a, &l);
		assert_int_equal(l.n, rows[i].n);
		for (size_t j = 0; j < l.n; j++) {
			assert_string_equal(arena_printf(r->a, "%s:%u", l.at[j].pos.source->name, l.at[j].pos.line), rows[i].loser[j].place);
			assert_string_equal(l.at[j].value, rows[i].loser[j].value);
			if (!strstr(l.at[j].why, rows[i].loser[j].why))
				fail_msg("%s", l.at[j].why);
		}
	}
	a = sysctld_find(s, r->a, "vm/swappiness");
	assert_ptr_equal(sysctld_after(s, "vm/swappiness", "zz-rdmactl.conf"), a.wins);
	assert_null(sysctld_after(s, "vm/swappiness", "zz-zzz.conf"));
	assert_null(sysctld_after(s, "vm/other", "zz-rdmactl.conf"));
	assert_string_equal(sysctld_procps(r->k, s, "kernel/panic")->value, "3");	/* it reads that file last */
	assert_string_equal(sysctld_procps(r->k, s, "net/a/b")->value, "2");
	assert_null(sysctld_procps(r->k, s, "vm/swappiness"));		/* a pattern: no claim */
	assert_null(sysctld_procps(r->k, s, "kernel/other"));
	root_close(r);
}

/* Debian's 99-sysctl.conf is a link to it: then the file is read, and loses to nobody for its place. */
static void sysctl_conf_by_link(void **state)
{
	struct root *r = root_open("tests/cases/sysctl-99-sysctl-conf-wins/tree.tsv");
	struct confd_losers l = { 0 };
	const struct sysctld *s;
	struct sysctl_answer a;

	(void)state;
	assert_int_equal(sysctld_load(r->k, &s), 0);
	a = sysctld_find(s, r->a, "net/core/rmem_max");
	sysctld_losers(r->k, s, "net/core/rmem_max", &a, &l);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.at[0].pos.source->name, "/etc/sysctl.d/99-rdmactl.conf");
	root_close(r);
}

static int (*plain_read)(struct kernel *k, const char *path, struct text *out);
static const char *forbidden;

static int read_but(struct kernel *k, const char *path, struct text *out)
{
	return strcmp(path, forbidden) ? plain_read(k, path, out) : -EACCES;
}

/* A file that could not be read may win, unless one behind it says so by name. */
static void unread(void **state)
{
	static const struct { const char *forbidden, *key; bool unknown; } rows[] = {
		{ "etc/sysctl.d/50-b.conf", "vm.swappiness", true },
		{ "etc/sysctl.d/10-a.conf", "vm.swappiness", false },
		{ "etc/sysctl.d/10-a.conf", "vm.other", true },
		{ "etc/sysctl.d/90-c.conf", "vm.swappiness", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const struct sysctld *s;
		struct sysctl_answer a;

		root_put(r, "etc/sysctl.d/10-a.conf", "vm.swappiness=1\n");
		root_put(r, "etc/sysctl.d/20-a.conf", "vm.swappiness=2\n");
		root_put(r, "etc/sysctl.d/50-b.conf", "vm.x=1\n");
		root_put(r, "etc/sysctl.d/90-c.conf", "vm.x=1\n");
		plain_read = r->ops.read;
		r->ops.read = read_but;
		forbidden = rows[i].forbidden;
		assert_int_equal(sysctld_load(r->k, &s), 0);
		a = sysctld_find(s, r->a, sysctld_path(r->a, rows[i].key));
		assert_int_equal(a.unread != NULL, rows[i].unknown);
		if (a.unread) {
			assert_int_equal(a.unread->err, -EACCES);
			assert_string_equal(a.unread->path, rows[i].forbidden);
		}
		root_close(r);
	}
}

static int list_refused(struct kernel *k, const char *path, struct names *out)
{
	(void)k;
	(void)path;
	(void)out;
	return -ENODATA;
}

static void directory_refused(void **state)
{
	struct root *r = root_open(NULL);
	const struct sysctld *s = NULL;

	(void)state;
	r->ops.list = list_refused;
	assert_int_equal(sysctld_load(r->k, &s), -ENODATA);
	assert_null(s);
	root_close(r);
}

static unsigned reads;

static int read_counted(struct kernel *k, const char *path, struct text *out)
{
	reads++;
	return plain_read(k, path, out);
}

static void read_once(void **state)
{
	struct root *r = root_open(NULL);
	const struct sysctld *s, *again;

	(void)state;
	root_put(r, "etc/sysctl.d/a.conf", "vm.x=1\n");
	root_put(r, "usr/lib/sysctl.d/b.conf", "vm.y=1\n");
	plain_read = r->ops.read;
	r->ops.read = read_counted;
	reads = 0;
	assert_int_equal(sysctld_load(r->k, &s), 0);
	assert_int_equal(sysctld_load(r->k, &again), 0);
	assert_ptr_equal(s, again);
	assert_int_equal(reads, 2);
	kernel_renew(r->k);
	assert_int_equal(sysctld_load(r->k, &again), 0);
	assert_int_equal(reads, 4);
	root_close(r);
}

static void links(void **state)
{
	struct root *r = root_open("tests/cases/sysctl-99-sysctl-conf-wins/tree.tsv");
	const struct sysctld *s;
	struct sysctl_answer a;

	(void)state;
	assert_int_equal(sysctld_load(r->k, &s), 0);
	a = sysctld_find(s, r->a, "net/core/rmem_max");
	assert_string_equal(a.wins->value, "212992");
	assert_string_equal(a.wins->pos.source->name, "/etc/sysctl.d/99-sysctl.conf");
	assert_string_equal(confd_link(r->k, a.wins->file), "../sysctl.conf");
	assert_null(confd_link(r->k, &s->confd->at[0]));
	root_close(r);
}

static void udev_rules(void **state)
{
	static const struct { const char *rule; bool applies; } rows[] = {
		{ "ACTION==\"add\", SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", RUN+=\"/lib/systemd/systemd-sysctl "
		  "--prefix=/net/rdma_ucm\"\n", true },
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", RUN+=\"/sbin/sysctl --system\"\n", true },
		{ "#SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", RUN+=\"/lib/systemd/systemd-sysctl\"\n", false },
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", RUN+=\"/bin/logger\"\n", false },
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_cm\", RUN+=\"/lib/systemd/systemd-sysctl\"\n", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const struct confd_file *f;

		root_put(r, "etc/udev/rules.d/90-ucm.rules", rows[i].rule);
		f = sysctld_on_module(r->k, "rdma_ucm");
		assert_int_equal(f != NULL, rows[i].applies);
		root_close(r);
	}
}

/* Any bytes at all: nothing is read beyond them, and what is said has a line. */
static void any_bytes(void **state)
{
	static const char bytes[] = "=-#;.*/\\\n\r\t \0a[]9\x80\xff";
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct root *r = root_open(NULL);
		const struct sysctld *s;
		char text[64] = "";
		char path[256];
		FILE *f;

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
		}
		root_put(r, "etc/sysctl.d/a.conf", "x\n");
		snprintf(path, sizeof(path), "%s/etc/sysctl.d/a.conf", r->dir);
		f = fopen(path, "w");
		assert_int_equal(fwrite(text, 1, sizeof(text), f), sizeof(text));
		fclose(f);
		assert_int_equal(sysctld_load(r->k, &s), 0);
		for (size_t i = 0; i < s->n; i++) {
			assert_in_range(s->at[i].pos.line, 1, 64);
			sysctld_find(s, r->a, s->at[i].path);
		}
		root_close(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(winners),	   cmocka_unit_test(paths),	cmocka_unit_test(losers),
		cmocka_unit_test(sysctl_conf_by_link),
		cmocka_unit_test(unread),	   cmocka_unit_test(read_once), cmocka_unit_test(links),
		cmocka_unit_test(directory_refused), cmocka_unit_test(udev_rules), cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
