/* SPDX-License-Identifier: Apache-2.0 */
/* Effects, from the source of the drivers: the kernel interface decides them, not the tool that speaks to it. */
#include "explain/effects.h"

#define UNTIL_DRIVER "until the driver is loaded anew or the node boots; nothing in the kernel stores it"

const struct effect effect_pfc = {
	IMPACT_TRAFFIC,
	"mlx5 takes the link down and up whenever the mask differs: switch, bond and routing see it. bnxt, ice and "
	"hns3 "
	"close and reopen the port",
	UNTIL_DRIVER,
	"PFC on one end only loses packets or pauses the wrong side: the switch port needs the same priorities",
};
const struct effect effect_ets = {
	IMPACT_TRAFFIC, "bnxt, ice and hns3 reopen the port; mlx5 does not", UNTIL_DRIVER,
	"mlx5 begins each load with its own classes, priorities 0 and 1 swapped; bnxt refuses PFC before any ETS",
};
const struct effect effect_dscp = {
	IMPACT_TRAFFIC,
	"the first entry turns trust DSCP on and the last that goes turns it off, which may rebuild the queues of "
	"mlx5; ice "
	"reopens the port for each entry",
	UNTIL_DRIVER " (moved to another network namespace, the kernel's list is dropped)",
	"on mlx5 one entry makes all 64 mappings of the hardware active: name all 64",
};
const struct effect effect_rate = { IMPACT_NONE, "mlx5 alone has it", UNTIL_DRIVER,
				    "stored in steps of 100 Mb/s or 1 Gb/s, rounded down" };
const struct effect effect_buffer = {
	IMPACT_TRAFFIC, "mlx5 alone has it", UNTIL_DRIVER,
	"the port stays in manual buffer mode from then on, and firmware no longer sizes buffers when PFC changes",
};
const struct effect effect_cable = {
	IMPACT_NONE, "changed alone it does not move the link (mlx5)", UNTIL_DRIVER,
	"only mlx5 takes the delay for metres of cable; on paper it is in bit times",
};
const struct effect effect_dcbx = {
	IMPACT_NONE, NULL, "mlx5: in the port's firmware parameters; the others until the driver is loaded anew",
	"bnxt cannot leave firmware mode this way; ice refuses while its fw-lldp-agent is on",
};
const struct effect effect_pause = {
	IMPACT_TRAFFIC, "the port may renegotiate or be reopened", UNTIL_DRIVER,
	"global pause and PFC exclude each other: on mlx5 one register holds both, ice and hns3 refuse it while PFC "
	"is on",
};
const struct effect effect_stall = { IMPACT_NONE, NULL, UNTIL_DRIVER, NULL };
const struct effect effect_mtu = {
	IMPACT_TRAFFIC, "mlx5 rebuilds its channels, bnxt, ice and hns3 take the port down and up: packets are lost",
	UNTIL_DRIVER "; networkd, NetworkManager or ifupdown write theirs at each reconnect",
	"RoCE takes 96 bytes of it: 4192 is the least for RoCE MTU 4096. Established connections keep their path MTU",
};
const struct effect effect_link = { IMPACT_TRAFFIC, "the link goes down or trains anew", UNTIL_DRIVER, NULL };
const struct effect effect_cm = {
	IMPACT_NONE, "connections made afterwards use it, those that exist do not",
	"until the RDMA device goes: driver reload, change of LAG or RoCE, reboot",
	"for users of librdmacm only; programs that build queue pairs themselves (NCCL, perftest without -R) do not "
	"see it",
};
const struct effect effect_global_tc = {
	IMPACT_TRAFFIC, "connections that run are moved to the new class where firmware can", UNTIL_DRIVER,
	"it overrides what every application asked for, and only the vendor's stack (MLNX_OFED, DOCA-OFED) has it",
};
const struct effect effect_roce_driverinit = {
	IMPACT_RELOAD, "nothing before the devlink reload, which removes netdev and RDMA device: a full outage",
	"over a devlink reload; not over a reload of the module or a reboot",
	"read back, it shows what is pending, not what runs",
};
const struct effect effect_roce_now = {
	IMPACT_RELOAD, "the RDMA device is removed or created at once", "bnxt: in NVRAM; ice: until the driver is "
									"loaded anew",
	NULL,
};
const struct effect effect_nv = {
	IMPACT_RELOAD, "nothing before the firmware is reset (mlxfwreset, a cold boot), which takes the card away",
	"in the card's non-volatile memory, over reboots, also into another node", NULL,
};
const struct effect effect_reload = {
	IMPACT_RELOAD, "netdev and RDMA device vanish for seconds to a minute: jobs die", NULL,
	"all kernel state of the port is gone afterwards: MTU, DCB, RDMA CM defaults, ECN",
};
const struct effect effect_ecn = {
	IMPACT_NONE, "all queue pairs of the port follow at once; the link stays", UNTIL_DRIVER,
	NULL,
};
const struct effect effect_bnxt_cc = {
	IMPACT_NONE, "all queue pairs of the port follow", UNTIL_DRIVER,
	"a failed firmware command is not reported: read it back",
};
const struct effect effect_sysctl = {
	IMPACT_NONE, NULL, "until the node boots", NULL,
};
const struct effect effect_sysctl_file = {
	IMPACT_NONE, NULL, "over reboots, if no later file in sysctl.d names the same key", NULL,
};
const struct effect effect_backlog = {
	IMPACT_NONE, "listeners that start afterwards get it; those that listen keep theirs, so restart the service",
	"until rdma_ucm is loaded anew",
	"a sysctl.d line alone is lost at boot: the key exists only once rdma_ucm is loaded, so load that early as "
	"well",
};
const struct effect effect_option_file = {
	IMPACT_NONE, "nothing before the module is loaded anew, which is an outage for a NIC's driver",
	"over reboots; a copy of the file may sit in the initramfs", NULL,
};
const struct effect effect_parameter = { IMPACT_NONE, NULL, "until the module is loaded anew", NULL };
const struct effect effect_load = { IMPACT_NONE, NULL, "until the node boots", NULL };
const struct effect effect_unload = {
	IMPACT_RELOAD, "every port of the driver is gone until it is loaded again", NULL,
	"all kernel state of the ports is lost, and modules-load.d does not run again",
};
const struct effect effect_load_file = { IMPACT_NONE, NULL, "over reboots", NULL };
const struct effect effect_agent = {
	IMPACT_TRAFFIC, "DCB of the port is set up anew", "on the device, over reboots",
	"the agent owns DCB while it is on: ETS, PFC and DSCP are refused",
};
const struct effect effect_lldpad = {
	IMPACT_NONE, NULL, "in /var/lib/lldpad, over reboots, as long as lldpad runs",
	"lldpad writes its values again after every link event: nobody else's last beside it",
};
const struct effect effect_pcie = {
	IMPACT_NONE, NULL, "until a reset or reboot; drivers may rewrite it",
	"a write to config space is not checked by anybody, and refused under kernel lockdown",
};
const struct effect effect_soft_device = { IMPACT_NONE, NULL, "until the node boots", NULL };
const struct effect effect_netns_mode = {
	IMPACT_NONE, "refused while network namespaces exist beside the first", "until ib_core is loaded anew", NULL,
};
const struct effect effect_moderation = { IMPACT_NONE, NULL, UNTIL_DRIVER, NULL };
const struct effect effect_rename = { IMPACT_NONE, NULL, "until the device appears anew; udev renames it by its own "
							 "rule",
				      "whatever names the old device no longer finds it" };
const struct effect effect_service = { IMPACT_NONE, NULL, NULL, NULL };
const struct effect effect_initramfs = { IMPACT_NONE, NULL, "over reboots", NULL };
const struct effect effect_udev = { IMPACT_NONE, NULL, "over reboots", NULL };
const struct effect effect_qdisc = {
	IMPACT_TRAFFIC, "packets in the old queue are lost", "until the interface goes or the node boots",
	"hardware RoCE passes no qdisc: RDMA traffic does not see it",
};
const struct effect effect_offload = { IMPACT_TRAFFIC, "the driver may rebuild its channels", UNTIL_DRIVER, NULL };
const struct effect effect_switch = { IMPACT_TRAFFIC, "on the switch: the port's queues may be rebuilt",
				      "as the switch stores its configuration", NULL };
const struct effect effect_flash = { IMPACT_NONE, "nothing before the reset", "in the card's flash, over "
									      "reboots", NULL };
const struct effect effect_flash_reset = { IMPACT_RELOAD, "the card vanishes and comes back: jobs die", NULL, NULL };
const struct effect effect_netdev = { IMPACT_NONE, NULL, "until the node boots; networkd, NetworkManager or ifupdown have their own", NULL };
const struct effect effect_affinity = { IMPACT_NONE, NULL, "until the driver is loaded anew or irqbalance moves "
							   "it", NULL };
const struct effect effect_process = { IMPACT_NONE, NULL, "for this process and those it starts", NULL };
const struct effect effect_load_on_wire = {
	IMPACT_TRAFFIC, "it fills the link: what runs beside it is slowed down, on lossless classes far beyond this "
			"port", NULL,
	NULL,
};
const struct effect effect_counters = {
	IMPACT_NONE, NULL, NULL, "counters set to zero break the rates of everybody else who reads them",
};
