/* SPDX-License-Identifier: Apache-2.0 */
/* What is loaded by name and when, what a module is now, and the files that are ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/modload.h"
#include "boot/ours.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void lists(void **state)
{
	static const struct {
		const char *why;
		struct { const char *path, *text; } file[3];
		const char *module, *place;	/* place NULL: nobody loads it */
		unsigned line;
		bool early;
	} rows[] = {
		{ "modules-load.d", { { "etc/modules-load.d/a.conf", "# x\n\n rdma-ucm \n" } },
		  "rdma_ucm", "/etc/modules-load.d/a.conf", 3, true },
		{ "a link, as Debian has it", { { "etc/modules", "rdma_ucm\n" }, { "etc/modules-load.d/modules.conf", "@../modules" } },
		  "rdma_ucm", "/etc/modules-load.d/modules.conf", 1, true },
		{ "of rdma-core: late", { { "etc/rdma/modules/rdma.conf", "rdma_ucm\n" } },
		  "rdma_ucm", "/etc/rdma/modules/rdma.conf", 1, false },
		{ "early before late",
		  { { "etc/rdma/modules/rdma.conf", "rdma_ucm\n" }, { "usr/lib/modules-load.d/z.conf", "rdma_ucm" } },
		  "rdma_ucm", "/usr/lib/modules-load.d/z.conf", 1, true },
		{ "kernel command line", { { "proc/cmdline", "quiet modules_load=a,rdma-ucm,b" } },
		  "rdma_ucm", "/proc/cmdline", 1, true },
		{ "with a dash", { { "proc/cmdline", "modules-load=rdma_ucm" } }, "rdma_ucm", "/proc/cmdline", 1, true },
		{ "of the initramfs: not counted", { { "proc/cmdline", "rd.modules_load=rdma_ucm" } }, "rdma_ucm", NULL, 0, false },
		{ "comments", { { "etc/modules-load.d/a.conf", "#rdma_ucm\n;rdma_ucm\n" } }, "rdma_ucm", NULL, 0, false },
		{ "a hidden name",
		  { { "etc/modules-load.d/a.conf", "" }, { "usr/lib/modules-load.d/a.conf", "rdma_ucm\n" } },
		  "rdma_ucm", NULL, 0, false },
		{ "a name is a line", { { "etc/modules-load.d/a.conf", "rdma_ucm rdma_cm\n" } }, "rdma_ucm", NULL, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const struct modload_line *l;
		const struct modload *m;

		for (size_t f = 0; f < COUNT(rows[i].file) && rows[i].file[f].path; f++)
			root_put(r, rows[i].file[f].path, rows[i].file[f].text);
		assert_int_equal(modload_load(r->k, &m), 0);
		l = modload_find(m, rows[i].module, NULL);
		if (!l != !rows[i].place)
			fail_msg("%s", rows[i].why);
		if (l) {
			assert_string_equal(l->pos.source->name, rows[i].place);
			assert_int_equal(l->pos.line, rows[i].line);
			assert_int_equal(l->early, rows[i].early);
			l = modload_find(m, rows[i].module, rows[i].place);
			assert_true(!l || strcmp(l->pos.source->name, rows[i].place));
		}
		root_close(r);
	}
}

static void states(void **state)
{
	static const struct { const char *path, *text, *release; enum module_state state; } rows[] = {
		{ "sys/module/ib_core/initstate", "live\n", "6.1.0", MODULE_LOADED },
		{ "sys/module/ib_core/parameters/netns_mode", "Y\n", "6.1.0", MODULE_LOADED },
		{ "lib/modules/6.1.0/modules.builtin", "kernel/x/y.ko\nkernel/infiniband/ib-core.ko\n", "6.1.0", MODULE_BUILTIN },
		{ "lib/modules/6.1.0/modules.builtin", "kernel/x/xib_core.ko\nib_core.kox\n", "6.1.0", MODULE_UNKNOWN },
		{ "lib/modules/6.1.0/modules.builtin", "ib_core.ko\n", "", MODULE_UNKNOWN },
		{ "lib/modules/6.1.0/modules.builtin", "ib_core.ko\n", "../6.1.0", MODULE_UNKNOWN },
		{ "sys/module/mlx5_core/initstate", "live\n", "6.1.0", MODULE_ABSENT },
		{ "etc/hostname", "x\n", "6.1.0", MODULE_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		enum module_state found;

		root_put(r, rows[i].path, rows[i].text);
		assert_int_equal(modload_state(r->k, rows[i].release, "ib_core", &found), 0);
		if (found != rows[i].state)
			fail_msg("row %zu: %d", i, found);
		root_close(r);
	}
}

static void ours(void **state)
{
	struct root *r = root_open(NULL);
	const char *path = ours_path(OURS_SYSCTL), *text;

	(void)state;
	assert_null(ours_foreign(r->k, r->a, OURS_SYSCTL));
	assert_null(ours_text(r->a, OURS_SYSCTL, "/etc/p", ""));

	text = ours_text(r->a, OURS_SYSCTL, "/etc/x\n/p\\", "vm.x = 1\n");
	assert_ptr_equal(strstr(text, "# Written by rdmactl from the policy /etc/x\\x0a/p\\.\n"), text);
	assert_non_null(strstr(text, "\nvm.x = 1\n"));
	assert_int_equal(kernel_replace(r->k, path + 1, text, strlen(text), 0644), 0);
	assert_null(ours_foreign(r->k, r->a, OURS_SYSCTL));
	root_close(r);
}

static void others(void **state)
{
	static const struct { const char *content, *says; } rows[] = {
		{ "vm.x = 1\n", "was not written by rdmactl" },
		{ "", "was not written by rdmactl" },
		{ "@../x.conf", "is a symbolic link" },
		{ "@/dev/null", "is a symbolic link" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const char *why;

		root_put(r, "etc/modprobe.d/zz-rdmactl.conf", rows[i].content);
		why = ours_foreign(r->k, r->a, OURS_MODPROBE);
		assert_non_null(why);
		assert_non_null(strstr(why, rows[i].says));
		assert_non_null(strstr(why, "/etc/modprobe.d/zz-rdmactl.conf"));
		assert_int_equal(r->k->writes, 0);
		root_close(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),  cmocka_unit_test(states),    cmocka_unit_test(ours),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
