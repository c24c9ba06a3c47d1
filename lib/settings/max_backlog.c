/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max_backlog: net.rdma_ucm.max_backlog, the smallest setting; read it first. Speaks to /proc/sys and sysctl.d.
 *
 * What surprised us: the key exists only while rdma_ucm is loaded, and udev loads that about two seconds after
 * systemd-sysctl ran, so a line in sysctl.d alone is lost at every boot, without a message. The boot home says so, and
 * its write puts rdma_ucm into modules-load.d as well. Kernels up to 6.12 take 0 and negative numbers, which become an
 * unlimited backlog. A listener keeps the limit that stood when it began to listen: restart it after raising.
 */
#include <limits.h>

#include "settings/homes.h"

enum { MAX_BACKLOG };

static const struct field fields[] = {
	[MAX_BACKLOG] = { "max_backlog", KIND_UINT, .min = 1, .max = INT_MAX, .unit = "connections",
			  .doc = "largest backlog that an RDMA CM listener can have: connection requests not yet accepted; the "
				 "kernel's own value is 1024; holds for listeners that start afterwards, not for kernel consumers" },
	{ 0 },
};

static const struct key_row rows[] = {
	{ MAX_BACKLOG, "net.rdma_ucm.max_backlog", .module = "rdma_ucm", .otherwise = 1024 },
	{ 0 },
};

const struct setting setting_max_backlog = {
	.name = "max_backlog",
	.scope = SCOPE_NODE,
	.fields = fields,
	.why = "When the backlog of a listener is full, the kernel drops connection requests without a reject, a counter or a "
	       "line in the log. Clients try again for a minute and more: large jobs start slowly or time out, storage "
	       "reconnects in storms.",
	.live = { .read = sysctl_read, .write = sysctl_write, .table = rows, .effective = EFFECTIVE_NEW_CONNECTIONS,
		  .interface = "/proc/sys/net/rdma_ucm/max_backlog" },
	.boot = { .read = boot_read, .files = boot_files, .weigh = boot_weigh, .table = rows, .object = BOOT_FILES,
		  .effective = EFFECTIVE_REBOOT, .interface = "sysctl.d, modules-load.d" },
};
