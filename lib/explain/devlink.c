/* SPDX-License-Identifier: Apache-2.0 */
/* devlink of iproute2: device parameters, reloads, firmware versions. */
#include <string.h>

#include "explain/tool.h"

static void enable_roce(struct answer *a, const char *value)
{
	const char *cmode = answer_arg(a, "cmode");

	(void)value;
	value = answer_arg(a, "value");
	if (!cmode)
		answer_wrong(a, "cmode is missing: driverinit (mlx5), permanent (bnxt), runtime (ice)");
	answer_effect(a, cmode && strcmp(cmode, "driverinit") != 0 ? &effect_roce_now : &effect_roce_driverinit);
	if (cmode && !strcmp(cmode, "driverinit"))
		answer_beware(a, "nothing happens before `devlink dev reload`");
	if (value)
		tool_switch(a, "roce.enabled", value, "true 1", "false 0");
}

static void enable_rdma(struct answer *a, const char *value)
{
	(void)value;
	answer_effect(a, &effect_roce_driverinit);
	answer_no_policy(a, "it removes the RDMA device altogether: count and roce.enabled find that");
}

static void other_owner(struct answer *a, const char *value)
{
	(void)value;
	answer_effect(a, &effect_reload);
	answer_no_policy(a, "rdmactl sets no such parameter");
}

/* What `name NAME` can be; anything else is a driver's own. */
static const struct fact parameters[] = {
	{ "enable_roce", .does = "RoCE of the function", .take = enable_roce },
	{ "enable_rdma", .does = "whether the function has an RDMA device at all", .take = enable_rdma },
	{ "enable_iwarp", .does = "iWARP of the function (ice); excludes enable_roce", .take = other_owner },
	{ "enable_sriov", .does = "virtual functions possible", .take = other_owner },
	{ "flow_steering_mode", .does = "who writes steering rules, firmware (dmfs) or driver (smfs, hmfs)",
	  .take = other_owner },
	{ 0 },
};

static void take_name(struct answer *a, const char *value)
{
	for (const struct fact *f = parameters; f->name; f++)
		if (!strcmp(f->name, value)) {
			answer_fact(a, f, NULL);
			return;
		}
	answer_does(a, "%s: a parameter of the driver that is not known here; `devlink dev param show` lists those "
		       "there are",
		    value);
	other_owner(a, NULL);
}

static const struct fact param[] = {
	{ "name", "PARAMETER", .take = take_name }, { "value", .value = "VALUE" },
	{ "cmode", .value = "runtime|driverinit|permanent" }, { 0 }
};
static const struct fact param_show[] = { { "name", .value = "PARAMETER" }, { 0 } };
static const struct fact reload[] = {
	{ "action", "driver_reinit|fw_activate",
	  .does = "driver_reinit loads the driver's part anew, fw_activate starts the "
							 "firmware that is stored" },
	{ "limit", .value = "no_reset" }, { "netns", .value = "NAME" }, { 0 }
};
static const struct fact eswitch[] = {
	{ "mode", "legacy|switchdev", .does = "how virtual functions are switched",
	  .effect = &effect_reload }, { "inline-mode", .value = "MODE" }, { "encap-mode", .value = "MODE" }, { 0 }
};
static const struct fact function[] = {
	{ "roce", "enable|disable", .does = "RoCE of a virtual or sub-function, before its driver binds" },
	{ "state", .value = "STATE" },
	{ "hw_addr", .value = "ADDRESS" }, { "migratable", .value = "enable|disable" }, { 0 }
};
static const struct fact flash[] = { { "file", .value = "FILE" }, { "component", .value = "NAME" },
{ "overwrite", .value = "WHAT" }, { 0 } };

static const struct form forms[] = {
	{ "dev param set", 1, { 0 }, param },
	{ "dev param show", 1, { .does = "shows parameters; of driverinit ones the pending value, not the "
					 "running" }, param_show },
	{ "dev reload", 1, { .does = "takes the driver off the function and puts it back", .effect = &effect_reload,
			     .beware = "rdmactl does it only when --allow lets a reload" }, reload },
	{ "dev info", 1, { .does = "shows versions, running and stored; mlx5 answers for physical functions "
				   "only" }, NULL },
	{ "dev flash", 1, { .does = "writes firmware", .effect = &effect_flash }, flash },
	{ "dev eswitch set", 1, { 0 }, eswitch },
	{ "dev eswitch show", 1, { .does = "shows how virtual functions are switched" }, NULL },
	{ "dev show", 1, { .does = "lists devices" }, NULL },
	{ "port function set", 1, { 0 }, function },
	{ "port show", 1, { .does = "lists ports" }, NULL },
	{ "health show", 1, { .does = "shows health reporters and their counts of recovery" }, NULL },
	{ "health", 5, { .does = "diagnoses or configures health reporters" }, NULL },
	{ "trap", 5, { .does = "packets that a switch traps" }, NULL },
	{ "sb", 9, { .does = "shared buffers of a switch; no NIC has them" }, NULL },
	{ 0 },
};

const struct tool tools_devlink[] = {
	{ .names = "devlink", .is = "of iproute2, over devlink netlink", .forms = forms,
	  .no_policy = "roce.enabled is what rdmactl sets over devlink; firmware.version is verified" },
	{ 0 },
};
