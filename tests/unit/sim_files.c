/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's files: what may be read, written and made, and what a write to one does elsewhere. */
#include <sys/stat.h>

#include "sim_test.h"

#define CC "sys/kernel/debug/mlx5/0001:03:00.0/cc_params/"
#define CM "sys/kernel/config/rdma_cm/"

struct write_row { const char *path, *text; int error; const char *then; };

static void check_writes(const char *options, const char *first, const struct write_row *rows, size_t n)
{
	struct machine m;

	machine_open_sim(&m, options);
	if (first)
		assert_int_equal(m.k->ops->mkdir(m.k, first), 0);
	for (size_t i = 0; i < n; i++) {
		int r = write_line(&m, rows[i].path, rows[i].text);

		if (r != rows[i].error)
			fail_msg("%s '%s': %d", rows[i].path, rows[i].text, r);
		if (rows[i].then)
			READS(&m, rows[i].path, rows[i].then);
	}
	machine_close_sim(&m);
}

static void test_sysctls(void **state)
{
	static const struct write_row rows[] = {
		{ "proc/sys/net/core/rmem_max", "2147483648", -EINVAL, "212992" },
		{ "proc/sys/net/core/rmem_max", "1", -EINVAL, "212992" },
		{ "proc/sys/net/core/rmem_max", "abc", -EINVAL, "212992" },
		{ "proc/sys/net/core/rmem_max", "", -EINVAL, "212992" },
		{ "proc/sys/net/core/rmem_max", "0x1000", 0, "4096" },
		{ "proc/sys/net/core/rmem_max", "010000", 0, "4096" },	/* octal */
		{ "proc/sys/net/core/rmem_max", "5.000", -EINVAL, "4096" },
		{ "proc/sys/net/core/rmem_max", "5000000 x", -EIO, "5000000" },	/* taken, and text left over */
		{ "proc/sys/net/ipv4/tcp_rmem", "8192 131072 16777216", 0, "8192\t131072\t16777216" },
		{ "proc/sys/net/ipv4/tcp_rmem", "4096 100000", 0, "4096\t100000\t16777216" },
		{ "proc/sys/net/ipv4/tcp_rmem", "0 0 0", -EINVAL, "4096\t100000\t16777216" },
		{ "proc/sys/net/ipv4/tcp_ecn", "7", -EINVAL, "2" },
		{ "proc/sys/net/ipv4/conf/nic0/rp_filter", "2", 0, "2" },
		{ "proc/sys/net/rdma_ucm/max_backlog", "8192", 0, "8192" },
		{ "proc/sys/net/rdma_ucm/max_backlog", "-1", 0, "-1" },	/* these kernels take any int */
		{ "proc/sys/net/rdma_ucm/max_backlog", "99999999999", -EINVAL, "-1" },
		{ "proc/sys/kernel/ostype", "x", -EACCES, "Linux" },
		{ "proc/sys/net/core/nothing", "1", -ENOENT, NULL },
	};

	(void)state;
	check_writes("", NULL, rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_ucm_comes_with_its_module(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--no-ucm");
	READS(&m, "proc/sys/net/rdma_ucm/max_backlog", "error -2");
	assert_int_equal(write_line(&m, "proc/sys/net/rdma_ucm/max_backlog", "8192"), -ENOENT);
	READS(&m, "sys/module/rdma_ucm/initstate", "error -2");
	DO(&m, "load rdma_ucm");
	READS(&m, "proc/sys/net/rdma_ucm/max_backlog", "1024");
	READS(&m, "sys/module/rdma_ucm/initstate", "live");
	assert_int_equal(write_line(&m, "proc/sys/net/rdma_ucm/max_backlog", "8192"), 0);
	assert_int_equal(sim_do(m.s, "unload rdma_cm"), -EBUSY);
	DO(&m, "unload rdma_ucm");
	DO(&m, "load rdma_ucm");
	READS(&m, "proc/sys/net/rdma_ucm/max_backlog", "1024");
	machine_close_sim(&m);
}

static void test_modules(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	READS(&m, "sys/module/ib_core/parameters/netns_mode", "Y");
	assert_int_equal(write_line(&m, "sys/module/ib_core/parameters/netns_mode", "N"), -EACCES);
	DO(&m, "load ib-ipoib recv_queue_size=512 no_such=1");	/* - and _ are one */
	READS(&m, "sys/module/ib_ipoib/parameters/recv_queue_size", "512");
	assert_non_null(strstr(sim_log(m.s), "ib_ipoib: unknown parameter 'no_such=1' ignored"));
	assert_int_equal(write_line(&m, "sys/module/ib_ipoib/parameters/debug_level", "0x10"), 0);
	READS(&m, "sys/module/ib_ipoib/parameters/debug_level", "16");
	assert_int_equal(write_line(&m, "sys/module/ib_ipoib/parameters/debug_level", "x"), -EINVAL);
	assert_int_equal(sim_do(m.s, "load no_such"), -ENOENT);
	machine_close_sim(&m);
	machine_open_sim(&m, "--no-rdma");
	READS(&m, "sys/module/ib_core/initstate", "error -2");
	READS(&m, "sys/class/infiniband", "error -2");
	READS(&m, "proc/sys/net/rdma_ucm/max_backlog", "error -2");
	READS(&m, CC "np_cnp_dscp", "error -2");
	assert_int_equal(sim_do(m.s, "load rdma_ucm"), -ENOENT);
	machine_close_sim(&m);
}

static void test_congestion_control(void **state)
{
	static const struct write_row rows[] = {
		{ CC "np_cnp_dscp", "46", 0, "46" },
		{ CC "np_cnp_dscp", "64", -EINVAL, "46" },
		{ CC "np_cnp_dscp", "0x10", 0, "16" },
		{ CC "np_cnp_dscp", "ab", -EINVAL, "16" },
		{ CC "np_cnp_dscp", "000000000012", -EINVAL, "16" },	/* longer than the driver's buffer */
		{ CC "rp_min_dec_fac", "0", -EINVAL, "50" },
		{ CC "rp_dce_tcp_g", "1024", -EINVAL, "1019" },
		{ CC "rp_initial_alpha_value", "0", -EINVAL, "1023" },
		{ CC "rp_threshold", "31", 0, "31" },
		{ CC "nothing", "1", -ENOENT, NULL },
		/* a fixed priority ends "that of the packet" */
		{ CC "np_cnp_prio_mode", "1", 0, "1" },
		{ CC "np_cnp_prio", "5", 0, "5" },
		{ CC "np_cnp_prio_mode", "2", -EINVAL, "0" },
	};

	(void)state;
	check_writes("", NULL, rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_vendor_files_are_optional(void **state)
{
	static const struct write_row rows[] = {
		{ "sys/class/net/nic0/ecn/roce_np/enable/3", "0", 0, "0" },
		{ "sys/class/net/nic0/ecn/roce_np/enable/3", "3", 0, "1" },	/* bit 0 alone counts */
		{ "sys/class/net/nic0/ecn/roce_np/cnp_dscp", "46", 0, "46" },
		{ "sys/class/net/nic0/ecn/roce_np/cnp_dscp", "text", 0, "0" },	/* taken as some number */
		{ CC "np_cnp_dscp", "12", 0, "12" },				/* the same register */
		{ "sys/class/infiniband/mlx5_0/tc/1/traffic_class", "106", 0, "Global tclass=106" },
		{ "sys/class/infiniband/mlx5_0/tc/1/traffic_class", "tclass=104", 0, "Global tclass=104" },
		{ "sys/class/infiniband/mlx5_0/tc/1/traffic_class", "256", -EINVAL, "Global tclass=104" },
		{ "sys/class/infiniband/mlx5_0/tc/1/traffic_class", "dst_ip=10.0.0.0/8,tclass=1", -ENOSYS, "Global tclass=104" },
		{ "sys/class/infiniband/mlx5_0/tc/1/traffic_class", "-1", 0, "" },
		{ "sys/class/net/nic0/device/roce_enable", "2", -EINVAL, "1" },
		{ "sys/class/net/nic0/device/roce_enable", "0", 0, "0" },
	};
	struct machine m;

	(void)state;
	check_writes("--ofed", NULL, rows, sizeof(rows) / sizeof(rows[0]));
	machine_open_sim(&m, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strncmp(rows[i].path, CC, strlen(CC)))
			READS(&m, rows[i].path, "error -2");
	machine_close_sim(&m);
}

static void test_configfs(void **state)
{
	static const struct write_row rows[] = {
		{ CM "mlx5_0/ports/1/default_roce_mode", "RoCE v1", -EINVAL, "RoCE v2" },
		{ CM "mlx5_0/ports/1/default_roce_mode", "RoCE v2x", -EINVAL, "RoCE v2" },
		{ CM "mlx5_0/ports/1/default_roce_mode", "IB/RoCE v1", 0, "IB/RoCE v1" },
		{ CM "mlx5_0/ports/1/default_roce_mode", "RoCE v2", 0, "RoCE v2" },
		{ CM "mlx5_0/ports/1/default_roce_tos", "256", -ERANGE, "0" },
		{ CM "mlx5_0/ports/1/default_roce_tos", "-1", -EINVAL, "0" },
		{ CM "mlx5_0/ports/1/default_roce_tos", "0x6a", 0, "106" },
		{ CM "mlx5_0", "x", -EISDIR, NULL },
	};

	(void)state;
	check_writes("", CM "mlx5_0", rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_configfs_folders(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	READS(&m, CM "mlx5_0/ports/1/default_roce_tos", "error -2");
	assert_int_equal(m.k->ops->mkdir(m.k, CM "nothing"), -ENODEV);
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_0"), 0);
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_0"), -EEXIST);
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_0/ports/2"), -EPERM);
	assert_int_equal(m.k->ops->rmdir(m.k, CM "mlx5_0/ports"), -EPERM);
	assert_int_equal(m.k->ops->rmdir(m.k, CM "mlx5_0/ports/1/default_roce_tos"), -ENOTDIR);
	assert_int_equal(write_line(&m, CM "mlx5_0/ports/1/default_roce_tos", "106"), 0);
	/* the value lives in the device: it is there again with the next folder, and gone with the device */
	assert_int_equal(m.k->ops->rmdir(m.k, CM "mlx5_0"), 0);
	assert_int_equal(m.k->ops->rmdir(m.k, CM "mlx5_0"), -ENOENT);
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_0"), 0);
	READS(&m, CM "mlx5_0/ports/1/default_roce_tos", "106");
	DO(&m, "reload nic0");
	READS(&m, CM "mlx5_0/ports/1/default_roce_tos", "0");
	DO(&m, "vanish nic0");
	READS(&m, CM "mlx5_0/ports/1/default_roce_tos", "error -19");
	assert_int_equal(m.k->ops->rmdir(m.k, CM "mlx5_0"), 0);
	SEES(&m, "ls sys/kernel/config/rdma_cm", "");
	/* neither is a set */
	SEES(&m, "count mkdirs", "2");
	assert_int_equal(sim_writes(m.s), 1);
	DO(&m, "umount configfs");
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_1"), -ENOENT);
	machine_close_sim(&m);
}

static void test_folders_that_nobody_makes(void **state)
{
	static const struct { const char *path; int error; } rows[] = {
		{ "sys/x", -EPERM }, { "sys/class/net/nic0/x", -EPERM }, { "sys/kernel/debug/x", -EPERM },
		{ "sys/kernel/config/x", -EPERM }, { "proc/sys/x", -ENOENT }, { "sys/class/net", -EEXIST },
		{ "etc/x", -ENOSYS },
	};
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(m.k->ops->mkdir(m.k, rows[i].path), rows[i].error);
	assert_int_equal(m.k->ops->rmdir(m.k, "sys/class/net"), -EPERM);
	machine_close_sim(&m);
}

static void test_read_only_and_missing(void **state)
{
	static const struct write_row rows[] = {
		{ "sys/class/net/nic0/operstate", "x", -EACCES, "up" },
		{ "sys/class/infiniband/mlx5_0/fw_ver", "x", -EACCES, "22.41.1000" },
		{ "sys/class/net/nic0", "x", -EISDIR, "error -21" },
		{ "sys/class/net/nic0/mtu/x", "x", -ENOTDIR, "error -20" },
		{ "sys/class/net/nic9/mtu", "1", -ENOENT, "error -2" },
		{ "sys/class/net/nic0/phys_switch_id", "1", -EACCES, "error -95" },
		{ "sys/class/net/nic0/mtu", "99999", -EINVAL, "1500" },
		{ "sys/class/net/nic0/mtu", "9000", 0, "9000" },
		{ "sys/class/net/nic0/device/config", "x", -ENOSYS, NULL },	/* not taught */
	};

	(void)state;
	check_writes("", NULL, rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_link_files_of_a_port_that_is_down(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	READS(&m, "sys/class/net/nic0/speed", "100000");
	DO(&m, "set carrier nic0 off");
	READS(&m, "sys/class/net/nic0/carrier", "0");
	READS(&m, "sys/class/net/nic0/speed", "-1");
	DO(&m, "set link nic0 down");
	READS(&m, "sys/class/net/nic0/carrier", "error -22");
	READS(&m, "sys/class/net/nic0/speed", "error -22");
	READS(&m, "sys/class/net/nic0/operstate", "down");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/phys_state", "3: Disabled");
	machine_close_sim(&m);
}

static void test_pcie(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	READS(&m, "sys/class/net/nic0/device/current_link_speed", "16.0 GT/s PCIe");
	DO(&m, "set pcie nic0 3 8");
	READS(&m, "sys/class/net/nic0/device/current_link_speed", "8.0 GT/s PCIe");
	READS(&m, "sys/class/net/nic0/device/current_link_width", "8");
	READS(&m, "sys/class/net/nic0/device/max_link_width", "16");
	READS(&m, "sys/bus/pci/devices/0001:02:00.0/current_link_width", "8");	/* the other end */
	READS(&m, "sys/class/net/nic1/device/current_link_width", "16");
	DO(&m, "set slot nic1 3 4");
	READS(&m, "sys/bus/pci/devices/0002:02:00.0/max_link_width", "4");
	READS(&m, "sys/class/net/nic1/device/current_link_width", "4");
	DO(&m, "set uplink nic1 2 16");
	READS(&m, "sys/bus/pci/devices/0002:01:00.0/current_link_speed", "5.0 GT/s PCIe");
	READS(&m, "sys/bus/pci/devices/0002:00:00.0/current_link_speed", "5.0 GT/s PCIe");
	DO(&m, "set pcie nic0 0 0");
	READS(&m, "sys/class/net/nic0/device/current_link_speed", "Unknown");
	machine_close_sim(&m);
}

static void test_gids(void **state)
{
	struct gid_entry g[16];
	struct machine m;
	size_t n = 0;

	(void)state;
	machine_open_sim(&m, "");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gids/1", "fe80:0000:0000:0000:ba59:9fff:fe00:0001");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0", "IB/RoCE v1");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/2", "error -22");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gids/2", "0000:0000:0000:0000:0000:0000:0000:0000");
	DO(&m, "set addr nic0 192.0.2.1");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gids/3", "0000:0000:0000:0000:0000:ffff:c000:0201");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3", "RoCE v2");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3", "nic0");
	assert_int_equal(m.k->ops->gids(m.k, "mlx5_0", g, 16, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(g[3].type, 2);
	assert_int_equal(g[3].ifindex, 2);
	assert_int_equal(m.k->ops->gids(m.k, "mlx5_9", g, 16, &n), -ENODEV);
	machine_close_sim(&m);
	machine_open_sim(&m, "--driver ice");	/* RoCE v2 alone: half as many */
	assert_int_equal(m.k->ops->gids(m.k, "mlx5_0", g, 16, &n), 0);
	assert_int_equal(n, 1);
	machine_close_sim(&m);
}

static void test_verbs(void **state)
{
	static const struct { const char *options; unsigned mtu, active; } rows[] = {
		{ "", 4192, 4096 }, { "", 4191, 2048 }, { "", 1500, 1024 }, { "--driver ice", 4096, 4096 },
	};
	struct verbs_port p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		DO(&m, "set mtu nic0 %u", rows[i].mtu);
		assert_int_equal(m.k->ops->verbs(m.k, "mlx5_0", 1, &p), 0);
		assert_int_equal(p.active_mtu, rows[i].active);
		assert_int_equal(m.k->ops->verbs(m.k, "mlx5_0", 2, &p), -EINVAL);
		assert_int_equal(m.k->ops->verbs(m.k, "mlx5_9", 1, &p), -ENODEV);
		machine_close_sim(&m);
	}
}

static int replace(struct machine *m, const char *path, const char *text)
{
	return m->k->ops->replace(m->k, path, text, strlen(text), 0644);
}

static void test_plain_files(void **state)
{
	struct kernel_stat st;
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(replace(&m, "etc/sysctl.d/zz-rdmactl.conf", "a = 1\n"), 0);	/* folders are made */
	READS(&m, "etc/sysctl.d/zz-rdmactl.conf", "a = 1");
	assert_int_equal(replace(&m, "etc/sysctl.d/zz-rdmactl.conf", "b = 2\n"), 0);
	READS(&m, "etc/sysctl.d/zz-rdmactl.conf", "b = 2");
	SEES(&m, "ls etc/sysctl.d", "zz-rdmactl.conf");
	DO(&m, "put etc/modprobe.d/a.conf options ib_core  netns_mode=0");
	READS(&m, "etc/modprobe.d/a.conf", "options ib_core  netns_mode=0");
	DO(&m, "touch etc/modprobe.d/a.conf 1000");
	assert_int_equal(m.k->ops->stat(m.k, "etc/modprobe.d/a.conf", &st), 0);
	assert_int_equal(st.mtime_ns, 1000000000000);
	assert_int_equal(st.mode, S_IFREG | 0644);
	assert_int_equal(st.size, 30);
	assert_int_equal(m.k->ops->remove(m.k, "etc/sysctl.d/zz-rdmactl.conf"), 0);
	assert_int_equal(m.k->ops->remove(m.k, "etc/sysctl.d/zz-rdmactl.conf"), -ENOENT);
	assert_int_equal(m.k->ops->stat(m.k, "etc/sysctl.d", &st), -ENOENT);	/* a folder lives by what is in it */
	assert_int_equal(replace(&m, "sys/class/net/nic0/x", "1"), -EACCES);
	assert_int_equal(replace(&m, "proc/sys/x", "1"), -ENOENT);
	assert_int_equal(replace(&m, "etc/hostname/x", "1"), -ENOTDIR);
	assert_int_equal(m.k->ops->remove(m.k, "sys/class/net/nic0/mtu"), -EACCES);
	machine_close_sim(&m);
}

static void test_links(void **state)
{
	TEXT_CLEANUP struct text to = { 0 };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "put etc/sysctl.conf net.core.rmem_max = 1");
	DO(&m, "symlink etc/sysctl.d/99-sysctl.conf ../sysctl.conf");
	READS(&m, "etc/sysctl.d/99-sysctl.conf", "net.core.rmem_max = 1");
	assert_int_equal(m.k->ops->link(m.k, "etc/sysctl.d/99-sysctl.conf", &to), 0);
	assert_string_equal(text_str(&to), "../sysctl.conf");
	assert_int_equal(replace(&m, "etc/sysctl.d/99-sysctl.conf", "x"), -ELOOP);
	assert_int_equal(m.k->ops->link(m.k, "etc/sysctl.conf", &to), -EINVAL);
	DO(&m, "symlink etc/a b");
	DO(&m, "symlink etc/b a");
	READS(&m, "etc/a", "error -40");
	DO(&m, "symlink etc/c /proc/sys/kernel/ostype");	/* from the machine's own root */
	READS(&m, "etc/c", "Linux");
	text_reset(&to);
	assert_int_equal(m.k->ops->link(m.k, "sys/class/net/nic0/device/driver", &to), 0);
	assert_string_equal(text_str(&to), "../../../../../../bus/pci/drivers/mlx5_core");
	machine_close_sim(&m);
}

static void test_a_test_puts_text_over_the_machine(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "put sys/class/net/nic0/device/max_link_width 255");
	READS(&m, "sys/class/net/nic0/device/max_link_width", "255");
	DO(&m, "del sys/class/net/nic0/device/max_link_width");
	READS(&m, "sys/class/net/nic0/device/max_link_width", "16");
	DO(&m, "put proc/sys/net/core/mine 7");
	assert_int_equal(write_line(&m, "proc/sys/net/core/mine", "9"), 0);
	READS(&m, "proc/sys/net/core/mine", "9");
	DO(&m, "put sys/class/net/nic0/mine 7");
	assert_int_equal(write_line(&m, "sys/class/net/nic0/mine", "9"), -ENOSYS);
	machine_close_sim(&m);
}

static void test_denied(void **state)
{
	struct names names;
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "deny sys/kernel/debug EPERM");		/* as lockdown does */
	READS(&m, CC "np_cnp_dscp", "error -1");
	assert_int_equal(write_line(&m, CC "np_cnp_dscp", "1"), -EPERM);
	assert_int_equal(m.k->ops->list(m.k, "sys/kernel/debug/mlx5", &names), -EPERM);
	DO(&m, "deny sys/kernel/debug none");
	READS(&m, CC "np_cnp_dscp", "48");
	DO(&m, "deny sys/class/net/nic0/device/config EIO");
	READS(&m, "sys/bus/pci/devices/0001:03:00.0/config", "error -5");	/* the same file */
	DO(&m, "deny etc/sysctl.d EROFS");
	assert_int_equal(replace(&m, "etc/sysctl.d/zz-rdmactl.conf", "x"), -EROFS);
	assert_int_equal(replace(&m, "etc/sysctl.e", "x"), 0);
	machine_close_sim(&m);
}

static void test_nobody(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "user nobody");
	READS(&m, CC "np_cnp_dscp", "error -13");
	READS(&m, "sys/class/net/nic0/mtu", "1500");
	assert_int_equal(write_line(&m, "sys/class/net/nic0/mtu", "9000"), -EACCES);
	assert_int_equal(replace(&m, "etc/x", "x"), -EACCES);
	assert_int_equal(m.k->ops->mkdir(m.k, CM "mlx5_0"), -EACCES);
	assert_int_equal(sim_writes(m.s), 0);
	machine_close_sim(&m);
}

static void test_debugfs_unmounted(void **state)
{
	struct names names;
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--no-debugfs");
	READS(&m, CC "np_cnp_dscp", "error -2");
	assert_int_equal(m.k->ops->list(m.k, "sys/kernel/debug", &names), 0);
	assert_int_equal(names.n, 0);
	assert_null(strstr(read_file(&m, "proc/mounts"), "debugfs"));
	DO(&m, "mount debugfs");
	READS(&m, CC "np_cnp_dscp", "48");
	machine_close_sim(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysctls),
		cmocka_unit_test(test_ucm_comes_with_its_module),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_congestion_control),
		cmocka_unit_test(test_vendor_files_are_optional),
		cmocka_unit_test(test_configfs),
		cmocka_unit_test(test_configfs_folders),
		cmocka_unit_test(test_folders_that_nobody_makes),
		cmocka_unit_test(test_read_only_and_missing),
		cmocka_unit_test(test_link_files_of_a_port_that_is_down),
		cmocka_unit_test(test_pcie),
		cmocka_unit_test(test_gids),
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_plain_files),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_a_test_puts_text_over_the_machine),
		cmocka_unit_test(test_denied),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_debugfs_unmounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
