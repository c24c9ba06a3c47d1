/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was found on the machine, as far as settings and policy need to know it: the host, its ports, and targets
 * (what a setting is written to).
 */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct fabric;
struct record;
struct setting;
struct vendor;

enum function { FUNCTION_UNKNOWN, FUNCTION_PF, FUNCTION_VF, FUNCTION_SF };
enum link_layer { LINK_LAYER_UNKNOWN, LINK_LAYER_ETHERNET, LINK_LAYER_INFINIBAND };

/* A physical port: netdev + RDMA port + PCI function; any of the three may be missing. Strings are never NULL, but "". */
struct port {
	const char *name;		/* for people and --port: ifname, or "IBDEV/PORT" without a netdev */
	const char *ifname;
	uint32_t ifindex;		/* 0: none or not known (--root) */
	const char *master;		/* bond that the netdev is a member of */
	uint32_t master_ifindex;
	uint32_t mtu, min_mtu, max_mtu;	/* bytes; 0: not known; max 0: no limit told */
	bool up, carrier;		/* administratively up · lower layer up */
	bool link_known;		/* up and carrier were told */
	const char *ibdev;
	uint32_t ibport, ibindex;	/* port from 1; nldev index */
	bool ibindex_known;
	uint8_t ib_state, ib_phys_state;	/* as in sysfs "4: ACTIVE"; 0: not known */
	const char *protocol;		/* "roce", "iw", "ib" */
	const char *node_desc;		/* InfiniBand only: nobody else asks for it */
	const char *fw_version;		/* of the RDMA device; "" where empty */
	enum link_layer link_layer;
	const char *bdf;		/* DDDD:BB:DD.F; a sub-function's name on its bus ("mlx5_core.sf.2"); "": virtual */
	const char *pci_path;		/* "sys/devices/pci0000:26/0000:26:02.0/0000:27:00.0", "" if none */
	const char *driver;		/* of the PCI function ("mlx5_core"); "rdma_rxe", "siw" for software devices */
	const char *board;		/* PSID or board id; "" if not told */
	uint16_t pci_vendor, pci_device;
	enum function function;
	const char *physfn;		/* VF: BDF of its PF; else "" */
	int numa_node;			/* -1: not told */
	uint32_t speed_mbps;		/* of the link now; 0: not known, or down (for match: {speed: …}) */
	const struct vendor *vendor;	/* by driver; never NULL once inventory is done */
};

struct bond {				/* or another netdev above ports: kind "bond", "vlan" */
	const char *ifname;
	uint32_t ifindex, lower_ifindex, mtu;
	const char *kind;
};

struct facts {
	const char *hostname;		/* full, as the kernel has it */
	const char *kernel;		/* release */
	const char *observed_at;	/* ISO 8601, UTC: the report's time, also from a dump */
	int64_t observed_s;		/* the same since the epoch */
	const char *boot_id;
	bool rdma;			/* is ib_core there */
	const char *rdma_why;		/* why not, or NULL */
	int rdma_err;			/* the same as -errno; not -EPROTONOSUPPORT: nobody knows whether it is there */
	const struct port *port;	/* by PCI address, then port number, then name */
	size_t nports;
	const struct bond *upper;
	size_t nuppers;
	const char *const *gpu;		/* PCI paths of GPUs, by PCI address; NULL until inventory_gpus() has looked */
	size_t ngpus;
};

/** facts_upper - netdev above ports, by index, or NULL */
const struct bond *facts_upper(const struct facts *f, uint32_t ifindex);

/* Whose a setting is. */
enum scope {
	SCOPE_NODE,			/* one per machine */
	SCOPE_GROUP,			/* one per group of ports (count) */
	SCOPE_RDMA_PORT,		/* ibdev and port: configfs, GIDs */
	SCOPE_WIRE,			/* physical port, also inside a bond: DCB, pause, PCIe, firmware, ECN */
	SCOPE_NETDEV,			/* where the MTU is: the bond instead of its members */
};

struct target {
	enum scope scope;
	const char *name;		/* "node", the group's name, ifname, or "IBDEV/PORT" */
	const char *group;		/* name of the group, "" for the node */
	const struct port *port;	/* NULL for node and group; any member for a bond's netdev */
	const char *ifname;		/* netdev to talk to: the bond's for SCOPE_NETDEV; "" if none */
	uint32_t ifindex;
	unsigned matched;		/* SCOPE_GROUP: how many ports the group has here */
	const struct vendor *vendor;	/* port's, or NULL */
};

/* What a target is asked for, for derive(). */
struct wishes {
	const struct target *target;
	const struct fabric *fabric;	/* of the group, or NULL */
	struct record *const *record;
	size_t n;
	struct arena *arena;
};

#endif
