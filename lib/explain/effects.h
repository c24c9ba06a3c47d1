/* SPDX-License-Identifier: Apache-2.0 */
/* What writing a kernel object costs and leaves, once for all tools that write it. */
#ifndef EXPLAIN_EFFECTS_H
#define EXPLAIN_EFFECTS_H

#include "explain/answer.h"

extern const struct effect effect_pfc, effect_ets, effect_dscp, effect_rate, effect_buffer, effect_cable, effect_dcbx,
	effect_pause, effect_stall, effect_mtu, effect_link, effect_cm, effect_global_tc, effect_roce_driverinit,
	effect_roce_now, effect_nv, effect_reload, effect_ecn, effect_bnxt_cc, effect_sysctl, effect_sysctl_file,
	effect_backlog, effect_option_file, effect_parameter, effect_load, effect_unload, effect_load_file, effect_agent,
	effect_lldpad, effect_pcie, effect_soft_device, effect_netns_mode, effect_moderation, effect_rename, effect_service,
	effect_initramfs, effect_udev, effect_qdisc, effect_offload, effect_switch, effect_flash, effect_flash_reset,
	effect_netdev, effect_affinity, effect_process, effect_load_on_wire, effect_counters;

#endif
