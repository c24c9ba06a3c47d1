/* SPDX-License-Identifier: Apache-2.0 */
/* Files: one value each, links inside the root only, what may be replaced and what is refused, mounts, configfs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/xattr.h>

#include "kernel/configfs.h"
#include "kernel/files.h"
#include "kernel/live.h"
#include "root.h"

/* --- values --------------------------------------------------------------------- */

static void numbers(void **state)
{
	static const struct { const char *content; int want; uint64_t value; } cases[] = {
		{ "4096\\n", 0, 4096 },	      { "0x15b3\\n", 0, 0x15b3 },     { "0\\n", 0, 0 },
		{ "0xffffffffffffffff", 0, UINT64_MAX }, { "0x01", 0, 1 },    { "", -EBADMSG, 0 },
		{ "-1\\n", -EBADMSG, 0 },     { "0x\\n", -EBADMSG, 0 },	      { "12 \\n", -EBADMSG, 0 },
		{ "1\\n2\\n", -EBADMSG, 0 },  { "0x10000000000000000", -EBADMSG, 0 },
		{ "18446744073709551616", -EBADMSG, 0 }, { "0xfg", -EBADMSG, 0 },
	};
	struct root *r = root_open(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = 77;

		root_put(r, "sys/value", cases[i].content);
		kernel_renew(r->k);
		print_message("%s\n", cases[i].content);
		assert_int_equal(files_u64(r->k, &v, "sys/%s", "value"), cases[i].want);
		assert_int_equal(v, cases[i].want == 0 ? cases[i].value : 77);
	}
	root_close(r);
}

static void texts_are_read_once(void **state)
{
	struct root *r = root_open(NULL);
	const char *s = "untouched";

	(void)state;
	assert_int_equal(files_text(r->k, &s, "sys/none"), -ENOENT);
	assert_string_equal(s, "untouched");
	root_put(r, "sys/value", "one\\ntwo\\n\\n");
	assert_int_equal(files_text(r->k, &s, "sys/value"), 0);
	assert_string_equal(s, "one\ntwo\n");
	root_put(r, "sys/value", "new\\n");
	assert_int_equal(files_text(r->k, &s, "sys/value"), 0);
	assert_string_equal(s, "one\ntwo\n");
	kernel_renew(r->k);
	assert_int_equal(files_text(r->k, &s, "sys/value"), 0);
	assert_string_equal(s, "new");
	assert_int_equal(files_text(r->k, &s, "sys/%4096s", "x"), -ENAMETOOLONG);
	root_close(r);
}

static void bytes_that_are_no_text(void **state)
{
	struct root *r = root_open(NULL);
	const char *s;
	char path[128];
	FILE *f;

	(void)state;
	root_put(r, "sys/value", "");
	snprintf(path, sizeof(path), "%s/sys/value", r->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite("a\0b", 1, 3, f), 3);
	fclose(f);
	assert_int_equal(files_text(r->k, &s, "sys/value"), -EBADMSG);
	assert_int_equal(truncate(path, KERNEL_FILE_MAX + 1), 0);
	kernel_renew(r->k);
	assert_int_equal(files_text(r->k, &s, "sys/value"), -EFBIG);
	root_close(r);
}

static void files_of_any_length(void **state)
{
	static const size_t sizes[] = { 0, 1, 1023, 1024, 4095, 4096, 4097, 8192, 8193, 50000 };
	static const char *const places[] = { "etc/file", "sys/file", "proc/file" };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t p = 0; p < 3; p++) {
			struct root *r = root_open(NULL);
			struct text t = { 0 };
			char path[128];

			root_put(r, places[p], "");
			snprintf(path, sizeof(path), "%s/%s", r->dir, places[p]);
			assert_int_equal(truncate(path, (off_t)sizes[i]), 0);
			assert_int_equal(kernel_read(r->k, places[p], &t), 0);
			assert_int_equal(t.n, sizes[i]);
			text_done(&t);
			root_close(r);
		}
}

static void components(void **state)
{
	static const struct { const char *name; bool want; } cases[] = {
		{ "eth0", true }, { "mlx5_0", true }, { "..hidden", true }, { "", false }, { ".", false }, { "..",
		  false },
		{ "a/b", false }, { "/", false }, { "a\033[0m", false }, { "a\nb", false }, { "\x7f", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(files_component(cases[i].name), cases[i].want);
}

static void mounts(void **state)
{
	struct root *r = root_open(NULL);

	(void)state;
	assert_false(files_mounted(r->k, "debugfs", "sys/kernel/debug"));
	root_put(r, "proc/mounts",
		 "sysfs /sys sysfs rw 0 0\\n"
		 "tmpfs /sys/kernel/config tmpfs rw 0 0\\n"
		 "short\\n\\nshort line\\n"
		 "none /sys/kernel/debug debugfs rw 0 0");
	kernel_renew(r->k);
	assert_true(files_mounted(r->k, "debugfs", "sys/kernel/debug"));
	assert_true(files_mounted(r->k, "sysfs", "sys"));
	assert_false(files_mounted(r->k, "configfs", "sys/kernel/config"));
	assert_false(files_mounted(r->k, "debugfs", "sys/kernel"));
	root_close(r);
}

/* --- links stay inside the root ----------------------------------------------------- */

struct link_case {
	const char *path, *target;	/* a link to make, then PATH is read */
	int want;
};

static const struct link_case links[] = {
	{ "a/link", "@file", 0 },
	{ "a/link", "@/a/file", 0 },
	{ "a/link", "@../../../../a/file", 0 },
	{ "a/link", "@/etc/passwd", -ENOENT },
	{ "a/link", "@../../../../etc/passwd", -ENOENT },
	{ "a/link", "@link", -ELOOP },
	{ "a/link", "@./../a/./file", 0 },
	{ "a/link", "@file/more", -ENOTDIR },
};

static void links_inside(void **state)
{
	(void)state;
	for (int textual = 0; textual < 2; textual++) {
		struct root *r = root_open(NULL);

		((struct live *)r->k->self)->no_openat2 = textual;
		root_put(r, "a/file", "inside\\n");
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			const char *s = "";

			root_put(r, links[i].path, links[i].target);
			kernel_renew(r->k);
			print_message("%s%s\n", links[i].target, textual ? " (without openat2)" : "");
			assert_int_equal(files_text(r->k, &s, "%s", links[i].path), links[i].want);
			assert_string_equal(s, links[i].want == 0 ? "inside" : "");
		}
		root_close(r);
	}
}

static void links_are_told_as_they_are(void **state)
{
	(void)state;
	for (int textual = 0; textual < 2; textual++) {
		struct root *r = root_open(NULL);
		const char *name;

		((struct live *)r->k->self)->no_openat2 = textual;
		root_put(r, "bus/drivers/mlx5_core/x", "");
		root_put(r, "dev/driver", "@../bus/drivers/mlx5_core");
		root_put(r, "way", "@dev");
		assert_int_equal(files_link(r->k, &name, "dev/driver"), 0);
		assert_string_equal(name, "mlx5_core");
		assert_int_equal(files_link(r->k, &name, "way/driver"), 0);
		assert_int_equal(files_link(r->k, &name, "bus/drivers/mlx5_core/x"), -EINVAL);
		assert_int_equal(files_link(r->k, &name, "dev/none"), -ENOENT);
		assert_true(files_exist(r->k, "dev/driver"));
		assert_true(files_exist(r->k, "dev/driver/x"));
		assert_false(files_exist(r->k, "dev/none"));
		root_close(r);
	}
}

static void directories(void **state)
{
	struct root *r = root_open(NULL);
	struct names names;

	(void)state;
	root_put(r, "d/b", "");
	root_put(r, "d/a", "");
	root_put(r, "d/B", "");
	assert_int_equal(kernel_list(r->k, "d", &names), 0);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.at[0], "B");
	assert_string_equal(names.at[1], "a");
	assert_string_equal(names.at[2], "b");
	assert_int_equal(kernel_list(r->k, "d/a", &names), -ENOTDIR);
	assert_int_equal(kernel_list(r->k, "none", &names), -ENOENT);
	assert_int_equal(kernel_list(r->k, "", &names), 0);
	assert_int_equal(names.n, 1);
	root_close(r);
}

static void no_devices_and_pipes_in_a_root(void **state)
{
	struct root *r = root_open(NULL);
	struct text t = { 0 };
	char path[128];

	(void)state;
	root_put(r, "d/a", "x");
	snprintf(path, sizeof(path), "%s/d/pipe", r->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(kernel_read(r->k, "d/pipe", &t), -EINVAL);
	assert_int_equal(kernel_read(r->k, "d", &t), -EISDIR);
	assert_int_equal(t.n, 0);
	text_done(&t);
	root_close(r);
}

static void paths_that_lead_out(void **state)
{
	static const char *const paths[] = { "/etc/passwd", "../etc/passwd", "a/../b", "a/..", ".." };
	struct root *r = root_open(NULL);
	struct text t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(kernel_read(r->k, paths[i], &t), -EINVAL);
		assert_int_equal(kernel_replace(r->k, paths[i], "x", 1, 0644), -EINVAL);
		assert_int_equal(kernel_remove(r->k, paths[i]), -EINVAL);
	}
	assert_int_equal(r->k->writes, 0);
	text_done(&t);
	root_close(r);
}

/* --- files of our own ------------------------------------------------------------------ */

static void a_file_is_replaced(void **state)
{
	(void)state;
	for (int textual = 0; textual < 2; textual++) {
		struct root *r = root_open(NULL);
		struct kernel_stat st;
		struct names names;
		const char *s;

		((struct live *)r->k->self)->no_openat2 = textual;
		assert_int_equal(kernel_replace(r->k, "etc/sysctl.d/zz.conf", "a = 1\n", 6, 0644), 0);
		assert_int_equal(kernel_stat(r->k, "etc/sysctl.d/zz.conf", &st), 0);
		assert_int_equal(st.mode & 07777, 0644);
		assert_int_equal(st.size, 6);
		root_put(r, "etc/sysctl.d/.zz.conf.rdmactl-new", "left by a killed run");
		assert_int_equal(kernel_replace(r->k, "etc/sysctl.d/zz.conf", "b = 2\n", 6, 0600), 0);
		assert_int_equal(files_text(r->k, &s, "etc/sysctl.d/zz.conf"), 0);
		assert_string_equal(s, "b = 2");
		assert_int_equal(kernel_stat(r->k, "etc/sysctl.d/zz.conf", &st), 0);
		assert_int_equal(st.mode & 07777, 0600);
		assert_int_equal(kernel_list(r->k, "etc/sysctl.d", &names), 0);
		assert_int_equal(names.n, 1);
		root_put(r, "etc/sysctl.d/.zz.conf.rdmactl-new", "left by a killed run");
		assert_int_equal(kernel_tidy(r->k, "etc/sysctl.d/zz.conf"), 0);
		assert_int_equal(kernel_tidy(r->k, "etc/sysctl.d/zz.conf"), 0);
		assert_int_equal(kernel_tidy(r->k, "etc/no.d/zz.conf"), 0);
		assert_false(files_exist(r->k, "etc/sysctl.d/.zz.conf.rdmactl-new"));
		assert_int_equal(r->k->writes, 2);
		assert_int_equal(kernel_remove(r->k, "etc/sysctl.d/zz.conf"), 0);
		assert_int_equal(kernel_remove(r->k, "etc/sysctl.d/zz.conf"), -ENOENT);
		assert_false(files_exist(r->k, "etc/sysctl.d/zz.conf"));
		root_close(r);
	}
}

/* The label goes with the name. Setting one takes root and a file system with labels; elsewhere there is none to lose. */
static void the_label_is_kept(void **state)
{
	static const char label[] = "system_u:object_r:etc_t:s0";
	struct root *r = root_open(NULL);
	char path[128], got[64] = "";

	(void)state;
	root_put(r, "etc/file", "old");
	snprintf(path, sizeof(path), "%s/etc/file", r->dir);
	if (setxattr(path, "security.selinux", label, sizeof(label), 0) == 0) {
		assert_int_equal(kernel_replace(r->k, "etc/file", "new", 3, 0644), 0);
		assert_int_equal(getxattr(path, "security.selinux", got, sizeof(got)), sizeof(label));
		assert_string_equal(got, label);
	}
	assert_int_equal(kernel_replace(r->k, "etc/other", "new", 3, 0644), 0);
	root_close(r);
}

static void links_and_directories_are_not_replaced(void **state)
{
	struct root *r = root_open(NULL);
	const char *s;

	(void)state;
	root_put(r, "etc/other", "theirs");
	root_put(r, "etc/link", "@other");
	root_put(r, "etc/dir/x", "");
	root_put(r, "etc/loop", "@loop");
	assert_int_equal(kernel_replace(r->k, "etc/link", "x", 1, 0644), -ELOOP);
	assert_int_equal(kernel_replace(r->k, "etc/loop/x", "x", 1, 0644), -ELOOP);
	assert_int_equal(kernel_replace(r->k, "etc/dir", "x", 1, 0644), -EISDIR);
	assert_int_equal(kernel_replace(r->k, "etc/other/x", "x", 1, 0644), -ENOTDIR);
	assert_int_equal(kernel_replace(r->k, "etc/dir/", "x", 1, 0644), -EINVAL);
	assert_int_equal(files_text(r->k, &s, "etc/other"), 0);
	assert_string_equal(s, "theirs");
	root_close(r);
}

/* A directory that is a link to the outside: what is written lands inside. */
static void a_directory_link_leads_inside(void **state)
{
	struct root *r = root_open(NULL);

	(void)state;
	root_put(r, "etc/modprobe.d", "@/srv/modprobe.d");
	assert_int_equal(kernel_replace(r->k, "etc/modprobe.d/x.conf", "x", 1, 0644), -ENOENT);
	root_put(r, "srv/modprobe.d/other.conf", "");
	assert_int_equal(kernel_replace(r->k, "etc/modprobe.d/x.conf", "x", 1, 0644), 0);
	assert_true(files_exist(r->k, "srv/modprobe.d/x.conf"));
	root_close(r);
}

static void a_root_has_no_other_doors(void **state)
{
	struct root *r = root_open(NULL);
	struct gid_entry entry;
	struct verbs_port port;
	struct text t = { 0 };
	size_t n;

	(void)state;
	root_put(r, "sys/value", "1\\n");
	assert_int_equal(files_write(r->k, "sys/value", "2", &r->d), -EROFS);
	assert_string_equal(r->d.at[0].object, "/sys/value");
	assert_int_equal(kernel_mkdir(r->k, "sys/dir"), -EROFS);
	assert_int_equal(kernel_rmdir(r->k, "sys"), -EROFS);
	assert_int_equal(kernel_talk(r->k, 0, "", 0, false, &t), -ENODATA);
	assert_int_equal(kernel_talk(r->k, 0, "", 0, true, &t), -EROFS);
	assert_int_equal(kernel_ethtool(r->k, "eth0", NULL, 0, false), -ENODATA);
	assert_int_equal(kernel_gids(r->k, "mlx5_0", &entry, 1, &n), -ENODATA);
	assert_int_equal(kernel_verbs(r->k, "mlx5_0", 1, &port), -ENODATA);
	assert_int_equal(r->k->writes, 0);
	root_close(r);
}

static void no_root(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_null(kernel_live(a, "/tmp/rdmactl-no-such-directory"));
	assert_int_equal(errno, ENOENT);
	arena_free(a);
}

/* --- rdma_cm ----------------------------------------------------------------------------- */

/* What the kernel does when a directory is made, over a root of files; fails reading where told to. */
struct configfs {
	struct root *r;
	int mkdir_err, read_err;
	unsigned made, removed;
};

static struct configfs *configfs;

static int configfs_mkdir(struct kernel *k, const char *path)
{
	char file[256];

	(void)k;
	if (configfs->mkdir_err)
		return configfs->mkdir_err;
	configfs->made++;
	snprintf(file, sizeof(file), "%s/ports/1/default_roce_mode", path);
	root_put(configfs->r, file, "RoCE v2\\n");
	snprintf(file, sizeof(file), "%s/ports/1/default_roce_tos", path);
	root_put(configfs->r, file, "106\\n");
	return 0;
}

static int configfs_rmdir(struct kernel *k, const char *path)
{
	char full[512];

	(void)k;
	snprintf(full, sizeof(full), "%s/%s", configfs->r->dir, path);
	configfs->removed++;
	return nftw(full, root_remove, 16, FTW_DEPTH | FTW_PHYS) < 0 ? -errno : 0;
}

static int configfs_read(struct kernel *k, const char *path, struct text *out)
{
	if (configfs->read_err && strstr(path, "default_roce_tos"))
		return configfs->read_err;
	return live_read(k, path, out);
}

static void configfs_open(struct configfs *c)
{
	configfs = c;
	c->r = root_open(NULL);
	c->r->ops.mkdir = configfs_mkdir;
	c->r->ops.rmdir = configfs_rmdir;
	c->r->ops.read = configfs_read;
	c->r->k->files_only = false;
	root_put(c->r, "proc/mounts", "none /sys/kernel/config configfs rw 0 0\\n");
}

static void values_of_rdma_cm(void **state)
{
	struct configfs c = { 0 };
	struct rdma_cm_defaults v;

	(void)state;
	configfs_open(&c);
	root_put(c.r, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode", "IB/RoCE v1\\n");
	root_put(c.r, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "0\\n");
	assert_int_equal(configfs_get_rdma_cm(c.r->k, "mlx5_0", 1, &v), 0);
	assert_string_equal(v.mode, "IB/RoCE v1");
	assert_int_equal(v.tos, 0);
	assert_int_equal(c.made + c.removed, 0);
	assert_int_equal(configfs_get_rdma_cm(c.r->k, "mlx5_1", 1, &v), 0);
	assert_string_equal(v.mode, "RoCE v2");
	assert_int_equal(v.tos, 106);
	assert_int_equal(c.made, 1);
	assert_int_equal(c.removed, 1);
	assert_false(files_exist(c.r->k, "sys/kernel/config/rdma_cm/mlx5_1"));
	assert_true(files_exist(c.r->k, "sys/kernel/config/rdma_cm/mlx5_0"));
	assert_int_equal(c.r->k->writes, 0);
	root_close(c.r);
}

static void nothing_is_left_behind(void **state)
{
	static const struct { int mkdir_err, read_err,
		want; uint32_t port; unsigned removed; const char *mounts; } cases[] = {
		{ 0, -EIO, -EIO, 1, 1, NULL },
		{ 0, 0, -ENODEV, 2, 1, NULL },		/* no such port */
		{ -ENODEV, 0, -ENODEV, 1, 0, NULL },
		{ -EACCES, 0, -EACCES, 1, 0, NULL },
		{ -EEXIST, 0, -ENODEV, 1, 0, NULL },	/* somebody else made it, and took it away */
		{ -ENOENT, 0, -ENOENT, 1, 0, NULL },	/* rdma_cm is not there */
		{ -ENOENT, 0, -ENXIO, 1, 0, "sysfs /sys sysfs rw 0 0\\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct configfs c = { .mkdir_err = cases[i].mkdir_err, .read_err = cases[i].read_err };
		struct rdma_cm_defaults v;

		configfs_open(&c);
		if (cases[i].mounts)
			root_put(c.r, "proc/mounts", cases[i].mounts);
		print_message("case %zu\n", i);
		assert_int_equal(configfs_get_rdma_cm(c.r->k, "mlx5_0", cases[i].port, &v), cases[i].want);
		assert_int_equal(c.removed, cases[i].removed);
		assert_false(files_exist(c.r->k, "sys/kernel/config/rdma_cm/mlx5_0"));
		root_close(c.r);
	}
}

static void names_of_devices_are_checked(void **state)
{
	static const char *const names[] = { "..", "a/b", "", "a\033" };
	struct configfs c = { 0 };
	struct rdma_cm_defaults v;

	(void)state;
	configfs_open(&c);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(configfs_get_rdma_cm(c.r->k, names[i], 1, &v), -ENODEV);
		assert_int_equal(configfs_set_rdma_cm(c.r->k, names[i], 1, NULL, 106, &c.r->d), -ENODEV);
	}
	assert_int_equal(c.made, 0);
	assert_int_equal(c.r->d.errors, 4);
	c.r->k->files_only = true;
	assert_int_equal(configfs_get_rdma_cm(c.r->k, "mlx5_0", 1, &v), -ENODATA);
	root_close(c.r);
}

static void values_are_set(void **state)
{
	struct configfs c = { 0 };

	(void)state;
	configfs_open(&c);
	assert_int_equal(configfs_set_rdma_cm(c.r->k, "mlx5_0", 1, "RoCE v2", 104, &c.r->d), 0);
	assert_int_equal(c.made, 1);
	assert_int_equal(c.removed, 1);
	assert_int_equal(c.r->k->writes, 2);
	root_put(c.r, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "0\\n");
	assert_int_equal(configfs_set_rdma_cm(c.r->k, "mlx5_0", 1, NULL, 104, &c.r->d), 0);
	assert_int_equal(c.made, 1);
	assert_int_equal(configfs_set_rdma_cm(c.r->k, "mlx5_0", 1, "RoCE v2", -1, &c.r->d), -ENOENT);
	assert_int_equal(c.r->d.errors, 1);
	assert_int_equal(c.removed, 1);
	root_close(c.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts_are_read_once),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(files_of_any_length),
		cmocka_unit_test(components),
		cmocka_unit_test(mounts),
		cmocka_unit_test(links_inside),
		cmocka_unit_test(links_are_told_as_they_are),
		cmocka_unit_test(directories),
		cmocka_unit_test(no_devices_and_pipes_in_a_root),
		cmocka_unit_test(paths_that_lead_out),
		cmocka_unit_test(a_file_is_replaced),
		cmocka_unit_test(the_label_is_kept),
		cmocka_unit_test(links_and_directories_are_not_replaced),
		cmocka_unit_test(a_directory_link_leads_inside),
		cmocka_unit_test(a_root_has_no_other_doors),
		cmocka_unit_test(no_root),
		cmocka_unit_test(values_of_rdma_cm),
		cmocka_unit_test(nothing_is_left_behind),
		cmocka_unit_test(names_of_devices_are_checked),
		cmocka_unit_test(values_are_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
