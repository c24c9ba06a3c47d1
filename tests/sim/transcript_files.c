/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript's files: what is read, written and made, in sysfs, debugfs, configfs and /proc/sys. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernel/kernel.h"
#include "transcript.h"

static const char *const read_paths[] = {
	"sys/class/net/nic0/mtu", "sys/class/net/nic0/address", "sys/class/net/nic0/carrier", "sys/class/net/nic0/operstate",
	"sys/class/net/nic0/speed", "sys/class/net/nic0/duplex", "sys/class/net/nic0/phys_port_name",
	"sys/class/net/nic0/phys_switch_id", "sys/class/net/nic0/dev_port", "sys/class/net/nic0/type",
	"sys/class/net/nic0/ifindex", "sys/class/net/nic0/flags", "sys/class/net/lo/speed", "sys/class/net/lo/operstate",
	"sys/class/net/nic0", "sys/class/net/nic9/mtu", "sys/class/net/nic0/mtu/x",
	"sys/class/net/nic0/device/vendor", "sys/class/net/nic0/device/device", "sys/class/net/nic0/device/class",
	"sys/class/net/nic0/device/subsystem_device", "sys/class/net/nic0/device/numa_node",
	"sys/class/net/nic0/device/current_link_speed", "sys/class/net/nic0/device/current_link_width",
	"sys/class/net/nic0/device/max_link_speed", "sys/class/net/nic0/device/max_link_width",
	"sys/bus/pci/devices/0001:02:00.0/max_link_speed", "sys/bus/pci/devices/0001:01:00.0/current_link_speed",
	"sys/bus/pci/devices/0001:00:00.0/max_link_width", "sys/bus/pci/devices/0001:04:00.0/class",
	"sys/class/infiniband/mlx5_0/fw_ver", "sys/class/infiniband/mlx5_0/board_id", "sys/class/infiniband/mlx5_0/hca_type",
	"sys/class/infiniband/mlx5_0/node_guid", "sys/class/infiniband/mlx5_0/node_type",
	"sys/class/infiniband/mlx5_0/ports/1/state", "sys/class/infiniband/mlx5_0/ports/1/phys_state",
	"sys/class/infiniband/mlx5_0/ports/1/link_layer", "sys/class/infiniband/mlx5_0/ports/1/rate",
	"sys/class/infiniband/mlx5_0/ports/1/gids/0", "sys/class/infiniband/mlx5_0/ports/1/gids/1",
	"sys/class/infiniband/mlx5_0/ports/1/gids/2", "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0",
	"sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/1", "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/2",
	"sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/2",
	"sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan", "sys/module/ib_core/parameters/netns_mode",
	"sys/module/ib_core/initstate", "sys/module/rdma_ucm/initstate", "sys/module/nothing/initstate",
	"proc/sys/net/core/rmem_max", "proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/rdma_ucm/max_backlog",
	"proc/sys/net/ipv4/conf/nic0/rp_filter", "proc/sys/net/core/nothing", "proc/sys/kernel/ostype",
};

static const char *const list_paths[] = {
	"sys/class/net", "sys/class/infiniband", "sys/class/infiniband/mlx5_0/ports/1/hw_counters",
	"sys/class/infiniband/mlx5_0/ports", "sys/kernel/debug/mlx5/0001:03:00.0/cc_params", "sys/kernel/config/rdma_cm",
	"sys/kernel/config", "sys/class/net/nic0/mtu", "sys/class/nothing", "sys/bus/pci/drivers/mlx5_core/0001:03:00.0/net",
};

static const char *const link_paths[] = {
	"sys/class/net/nic0", "sys/class/net/nic0/device", "sys/class/net/nic0/device/driver",
	"sys/class/net/nic0/device/subsystem", "sys/class/net/nic0/subsystem", "sys/class/infiniband/mlx5_0",
	"sys/class/infiniband/mlx5_0/device", "sys/bus/pci/devices/0001:03:00.0",
	"sys/class/net/nic0/mtu", "sys/class/net",
};

#define CC "sys/kernel/debug/mlx5/0001:03:00.0/cc_params/"
#define CM "sys/kernel/config/rdma_cm/mlx5_0"

static const struct { const char *path, *text; } write_paths[] = {
	{ "proc/sys/net/core/rmem_max", "2147483648" }, { "proc/sys/net/core/rmem_max", "-1" },
	{ "proc/sys/net/core/rmem_max", "abc" }, { "proc/sys/net/core/rmem_max", "1" }, { "proc/sys/net/core/rmem_max", "" },
	{ "proc/sys/net/core/rmem_max", "0x1000" }, { "proc/sys/net/core/rmem_max", "010" },
	{ "proc/sys/net/core/rmem_max", "010000" }, { "proc/sys/net/core/rmem_max", "5 000" },
	{ "proc/sys/net/core/rmem_max", "5.000" }, { "proc/sys/net/core/rmem_max", "5000000 x" },
	{ "proc/sys/net/core/rmem_max", " 600000" }, { "proc/sys/net/rdma_ucm/max_backlog", "-1" },
	{ "proc/sys/net/rdma_ucm/max_backlog", "99999999999" }, { "proc/sys/net/rdma_ucm/max_backlog", "8192" },
	{ "proc/sys/net/ipv4/tcp_rmem", "8192 131072 16777216" }, { "proc/sys/net/ipv4/tcp_rmem", "4096 100000" },
	{ "proc/sys/net/ipv4/tcp_rmem", "4096\t131072 6291456 5" }, { "proc/sys/net/ipv4/tcp_rmem", "0 0 0" },
	{ "proc/sys/net/ipv4/tcp_ecn", "7" }, { "proc/sys/net/ipv4/tcp_ecn", "1" }, { "proc/sys/kernel/ostype", "x" },
	{ "proc/sys/net/ipv4/conf/nic0/rp_filter", "2" }, { "proc/sys/net/core/nothing", "1" },
	{ "sys/class/net/nic0/operstate", "x" }, { "sys/class/net/nic0", "x" }, { "sys/class/net/nic0/mtu", "2000" },
	{ "sys/class/net/nic0/mtu", "99999" }, { "sys/class/net/nic0/mtu", "x" },
	{ "sys/module/ib_core/parameters/netns_mode", "N" },
	{ CC "np_cnp_prio_mode", "1" }, { CC "np_cnp_prio_mode", "2" }, { CC "np_cnp_prio", "5" }, { CC "np_cnp_dscp", "64" },
	{ CC "np_cnp_dscp", "0x10" }, { CC "np_cnp_dscp", "ab" }, { CC "np_cnp_dscp", "000000000012" },
	{ CC "rp_min_dec_fac", "0" }, { CC "rp_dce_tcp_g", "1024" }, { CC "rp_time_reset", "131072" }, { CC "nothing", "1" },
	{ CM "/ports/1/default_roce_mode", "RoCE v1" }, { CM "/ports/1/default_roce_mode", "IB/RoCE v1" },
	{ CM "/ports/1/default_roce_mode", "RoCE v2x" }, { CM "/ports/1/default_roce_mode", "RoCE v2" },
	{ CM "/ports/1/default_roce_tos", "256" }, { CM "/ports/1/default_roce_tos", "-1" },
	{ CM "/ports/1/default_roce_tos", "0x6a" }, { CM "/ports/1/default_roce_tos", "x" }, { CM, "x" },
};

static const char *const mkdir_paths[] = {
	CM, CM, "sys/kernel/config/rdma_cm/nothing", "sys/kernel/config/x", CM "/x", CM "/ports/2", "sys/x",
	"sys/class/net/nic0/x", "sys/kernel/debug/x", "proc/sys/x", "sys/kernel/config/rdma_cm/mlx5_0/ports/1/x",
};
static const char *const rmdir_paths[] = {
	CM "/ports", CM "/ports/1", "sys/kernel/config/rdma_cm", "sys/class/net", "sys/kernel/debug/mlx5",
	CM "/ports/1/default_roce_tos", "sys/kernel/config/rdma_cm/nothing", CM, CM,
};

#define EACH(list, i) for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)

static void print_file(struct kernel *k, struct text *out, const char *path)
{
	TEXT_CLEANUP struct text text = { 0 };
	int r = k->ops->read(k, path, &text);

	text_printf(out, "  %d '", r);
	text_add_safe(out, text_str(&text), text.n);
	text_add(out, "'\n");
}

void transcript_reads(struct kernel *k, struct text *out)
{
	EACH(read_paths, i) {
		text_printf(out, "read %s\n", read_paths[i]);
		print_file(k, out, read_paths[i]);
	}
	EACH(list_paths, i) {
		struct names names = { 0 };
		int r = k->ops->list(k, list_paths[i], &names);

		text_printf(out, "list %s\n  %d", list_paths[i], r);
		for (size_t j = 0; r == 0 && j < names.n; j++)
			text_printf(out, " %s", names.at[j]);
		text_char(out, '\n');
	}
	EACH(link_paths, i) {
		TEXT_CLEANUP struct text text = { 0 };
		int r = k->ops->link(k, link_paths[i], &text);

		text_printf(out, "link %s\n  %d %s\n", link_paths[i], r, text_str(&text));
	}
}

void transcript_writes(struct kernel *k, struct text *out)
{
	EACH(mkdir_paths, i)
		text_printf(out, "mkdir %s\n  %d\n", mkdir_paths[i], k->ops->mkdir(k, mkdir_paths[i]));
	EACH(write_paths, i) {
		char line[64];
		int r;

		snprintf(line, sizeof(line), "%s\n", write_paths[i].text);
		r = k->ops->write(k, write_paths[i].path, line, strlen(line));
		text_printf(out, "write %s '%s'\n  %d\n", write_paths[i].path, write_paths[i].text, r);
		print_file(k, out, write_paths[i].path);
	}
	text_add(out, "after np_cnp_prio\n");
	print_file(k, out, CC "np_cnp_prio_mode");
	EACH(rmdir_paths, i)
		text_printf(out, "rmdir %s\n  %d\n", rmdir_paths[i], k->ops->rmdir(k, rmdir_paths[i]));
}
