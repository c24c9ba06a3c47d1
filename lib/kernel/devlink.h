/* SPDX-License-Identifier: Apache-2.0 */
/* devlink over generic netlink: one INFO_GET dump, one PARAM_GET dump; PARAM_SET and RELOAD. */
#ifndef KERNEL_DEVLINK_H
#define KERNEL_DEVLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diags;
struct kernel;

enum devlink_version { DEVLINK_FIXED, DEVLINK_RUNNING, DEVLINK_STORED };
enum devlink_cmode { DEVLINK_RUNTIME, DEVLINK_DRIVERINIT, DEVLINK_PERMANENT, DEVLINK_CMODES };

struct devlink_info {
	const char *bdf, *driver, *serial;	/* "" if not told */
	struct devlink_info_version {
		enum devlink_version kind;
		const char *name, *value;	/* "fw.version", "28.39.1002" */
	} *version;
	size_t nversions;
};

struct devlink_param {			/* of type bool only */
	const char *bdf, *name;		/* "enable_roce" */
	bool has[DEVLINK_CMODES], value[DEVLINK_CMODES];	/* driverinit: what the next reload gives, not what runs */
};

/**
 * devlink_infos, devlink_params - all devices, one dump each, kept for this observation
 * Return: 0; -ENOENT no devlink family in this kernel; -ENODATA not asked.
 */
int devlink_infos(struct kernel *k, const struct devlink_info **info, size_t *n);
int devlink_params(struct kernel *k, const struct devlink_param **param, size_t *n);
const struct devlink_info *devlink_info(struct kernel *k, const char *bdf, int *err);
const struct devlink_param *devlink_param(struct kernel *k, const char *bdf, const char *name, int *err);

/** devlink_set_bool - PARAM_SET; kernel's words in @d */
int devlink_set_bool(struct kernel *k, const char *bdf, const char *name, enum devlink_cmode cmode, bool v, struct diags *d);
/** devlink_reload - RELOAD with action driver_reinit: netdev and RDMA device vanish and come back */
int devlink_reload(struct kernel *k, const char *bdf, struct diags *d);

#endif
