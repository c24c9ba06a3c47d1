/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's inside: one struct without pointers, so that it can lie in a file that several processes map, and
 * what the files of this folder offer one another.
 *
 *   sim.c       opening, locking, the doors · log.c    sets counted, logged, made to fail
 *   reset.c     a machine as it leaves the factory · nic.c    load and reload of a driver, links, MTU
 *   drivers.c   the table of drivers · mlx5.c bnxt.c ice.c hns3.c   their DCB manners
 *   tree.c      paths and what they lead to · overlay.c    plain files · sysctl.c    /proc/sys
 *   pcifiles.c netfiles.c ibfiles.c modules.c ccparams.c cmfiles.c   what stands in sysfs, debugfs, configfs
 *   message.c   netlink requests taken apart, answers built · rtnl.c dcb.c genl.c devlink.c ethnl.c nldev.c
 *   lldp.c      lldpd and the switches · ethtool.c   the ioctl · counters.c    what is counted, by each driver's names · verbs.c    GIDs, port query · users.c    who holds what on an RDMA device
 *   commands.c fileorders.c settable.c hardware.c observe.c   what simctl can do, and print
 *   ask.c transcript.c transcript_files.c   a conversation that real kernels had, too
 *   simctl.c machine.c    the two programs
 */
#ifndef TESTS_SIM_STATE_H
#define TESTS_SIM_STATE_H

#include <linux/dcbnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "kernel/kernel.h"
#include "sim.h"

enum {
	SIM_NICS = 128,
	SIM_UPPERS = 16,
	SIM_APPS = 128,
	SIM_GIDS = 16,
	SIM_ADDRS = 4,
	SIM_FILES = 4096,
	SIM_PATH = 256,
	SIM_DENIED = 16,
	SIM_CM_DIRS = 16,
	SIM_NAME = 16,			/* IFNAMSIZ */
	SIM_USERS = 256,
	SIM_IBNAME = 64,
	SIM_TCS = 8,
	SIM_FRAMES = 64,
	SIM_SAID = 128,
};
#define SIM_HEAP (16u << 20)
#define SIM_LOG	 (64u << 10)
#define SIM_MAGIC 0x726473696d303031u

/* What a fault can be attached to; get…: reading it. */
enum op {
	OP_ETS, OP_PFC, OP_APP, OP_DELAPP, OP_BUFFER, OP_MAXRATE, OP_TRUST, OP_DCBX, OP_MTU, OP_PAUSE, OP_CC, OP_ECN,
	OP_RELOAD, OP_ROCE, OP_TCLASS, OP_CM, OP_GETETS, OP_GETPFC, OP_GETBUFFER, OP_GETCC,
	OPS
};

enum fault_kind { FAULT_NONE, FAULT_ERR, FAULT_IGNORE, FAULT_CLAMP, FAULT_LOSE, FAULT_VANISH, FAULT_RENAME, FAULT_LATE };

struct fault {
	enum fault_kind kind;
	uint32_t arg;			/* errno, or upper bound */
	int32_t left;			/* how many calls it still hits; -1: all */
};

enum { CC_COUNT = 20 };
enum manners { MANNERS_MLX5, MANNERS_BNXT, MANNERS_ICE, MANNERS_HNS3, MANNERS };

/* In blocks of a priority each; then ethtool's others, hw_counters/ (the last of them congestion), counters/. */
enum { COUNTER_RX_PAUSE = 0, COUNTER_TX_PAUSE = 8, COUNTER_RX_PACKETS = 16, COUNTER_TX_PACKETS = 24, COUNTER_RX_DISCARDS = 32,
       COUNTER_RX_PAUSED = 40, COUNTER_TX_PAUSED = 48, COUNTER_REST = 56, COUNTER_LINK_DOWN = 59, COUNTER_HW = 61,
       COUNTER_CC = 67, COUNTER_PORT = 74, COUNTERS = 85 };

struct pcie { uint8_t speed, width; };	/* speed as in the registers: 1 is 2.5 GT/s, 6 is 64 */

/* The adapter and its firmware: what outlives a driver, be it reloaded or the card taken out and put back. */
struct hw {
	struct ieee_ets ets;		/* mlx5's driver resets it at each load */
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	uint8_t pfc_en;
	bool rx_pause, tx_pause, dscp_trust, dcbx_host, fw_lldp;
	uint8_t dscp2prio[64];
	uint32_t cc[CC_COUNT];
	uint8_t ecn_np, ecn_rp;		/* a bit for each priority */
	uint64_t counter[COUNTERS], rate[COUNTERS];	/* rate: per second that a waiting program lets pass */
	char fw[32], fw_stored[32], board[32];
	bool pfc_reset_on_mtu, flap_on_set;
	uint32_t flap_ms, speed;	/* Mb/s */
	struct pcie link, uplink, slot;	/* of the NIC, of the switch's upstream port; what the slot can do */
	bool cable;
};

/* What is lost with the netdev. */
struct net {
	uint32_t ifindex, mtu;
	bool up;
	uint64_t link_back_ns;		/* CLOCK_MONOTONIC; the carrier is off until then */
	uint32_t carrier_ups, carrier_downs;
	uint32_t mtu_alone;		/* in a bond: what it had before, and has again after */
	struct dcb_app app[SIM_APPS];	/* the kernel's list, newest first */
	uint32_t napps, dscp_apps;	/* of them, those that count for trust */
	uint64_t dscp_mapped;		/* ice, hns3: a bit for each DSCP */
	bool ets_known, pfc_known;	/* bnxt: was it ever set through this driver */
	bool manual_buffer;
	uint16_t cable_m;
	uint8_t dcbx;
	uint32_t addr[SIM_ADDRS];	/* IPv4, host order; 0: none */
};

/* The RDMA device; what rdma_cm keeps dies with it. */
struct ib {
	bool present;
	char name[SIM_IBNAME];
	uint32_t index;
	bool cm_v1;			/* default RoCE mode */
	uint8_t cm_tos;
	int32_t tclass;			/* the vendor's global traffic class, -1: unset */
};

struct nic {
	bool present;			/* on the PCI bus, with its driver */
	char name[SIM_NAME];
	bool roce, roce_pending;	/* devlink enable_roce: as loaded, as set */
	bool iwarp;
	int16_t numa;
	struct hw hw;
	struct net net;
	struct ib ib;
	struct fault fault[OPS];
};

enum upper_kind { UPPER_NONE, UPPER_BOND, UPPER_VLAN };

struct upper {
	enum upper_kind kind;
	char name[SIM_NAME];
	uint32_t ifindex, mtu;
	uint64_t member[2];		/* bond: a bit for each NIC */
	uint32_t lower;			/* VLAN: ifindex below */
	uint32_t addr[SIM_ADDRS];	/* IPv4, host order; 0: none */
	bool up;
};

struct plain_file {
	char path[SIM_PATH];
	uint32_t mode;			/* with S_IFREG, S_IFLNK or S_IFDIR */
	uint32_t at, len, room;		/* in the heap; a link's target */
	int64_t mtime_ns;
	bool used, kernel;		/* kernel: made by the machine, not by simctl or rdmactl */
};

struct denied { char path[SIM_PATH]; int err; };

enum user_kind { USER_NONE, USER_CONTEXT, USER_QP, USER_CM_ID, USER_KINDS };

/* One object that somebody holds on an RDMA device. */
struct user {
	enum user_kind kind;
	uint32_t nic, id;
	bool kernel;
	uint32_t pid;			/* 0: of another PID namespace, if it is not the kernel's */
	uint8_t port, type;		/* port 0: not bound to one; type: of a queue pair, enum ib_qp_type */
	char name[SIM_NAME];
};

struct lldp_frame {			/* the last one of a neighbour */
	uint32_t nic, len;		/* len 0: none */
	uint8_t bytes[1518];
};

struct lldp_said {			/* a custom TLV that lldpd was told to send on a NIC */
	uint32_t nic, len;
	uint8_t oui[3], subtype, bytes[507];
};

struct lldp_count {			/* what lldpd counts on a NIC */
	bool deaf;			/* it does not listen there */
	uint32_t received, discarded, inserted, deleted, expired;
};

struct state {
	uint64_t magic, size;
	uint64_t generation;		/* of the paths: changes with every name that comes or goes */
	bool old;			/* Linux 6.1 instead of 6.12 */
	bool rdma, devlink, dcb, ofed, cm, unprivileged;
	int memory_errno;		/* what a write to var/lib/rdmactl meets; 0: none */
	bool eq_size;			/* devlink has a parameter that is no boolean, too */
	bool debugfs, configfs;		/* mounted */
	uint32_t modules;		/* bit per row of modules.c */
	enum manners manners, identity;	/* how its DCB behaves; whose firmware, parameters and MTU it has */
	char driver[32], ibname[32], ifname[32], node[64];
	uint32_t next_ifindex, next_ibindex, nnics;
	struct nic nic[SIM_NICS];
	struct upper upper[SIM_UPPERS];
	char cm_dir[SIM_CM_DIRS][SIM_IBNAME];
	uint64_t writes, cm_dirs_made;
	uint32_t fail_in;		/* the write that fails: 1 is the next one; 0: none */
	int32_t fail_err;
	uint32_t fail_calls;		/* how many fail from there on */
	struct denied denied[SIM_DENIED];
	struct user user[SIM_USERS];
	uint32_t next_user;
	int lldpd_err;			/* what asking lldpd meets; 0: it answers */
	bool lldpd_real;		/* it is the one that runs where the program does */
	uint64_t lldpd_asked;
	struct lldp_frame frame[SIM_FRAMES];
	struct lldp_count heard[SIM_NICS];
	uint32_t nsaid;
	struct lldp_said said[SIM_SAID];
	uint32_t log_len;
	char log[SIM_LOG];
	uint32_t nfiles;		/* none is used from here on */
	struct plain_file file[SIM_FILES];
	uint32_t heap_used;
	char heap[SIM_HEAP];
};

/* The set that goes wrong, counted through all doors: with any fault, or late. */
struct sim_nth {
	unsigned in;			/* 1 is the next one; 0: none */
	enum fault_kind kind;
	uint32_t arg;
	bool armed;			/* by the set that is being made */
	unsigned late;			/* reads that still give what was there before */
	unsigned hit;			/* 1 once it was met */
};

/* One thing that a driver was told through dcbnl, and what it answered. */
struct sim_set {
	enum op op;			/* OP_ETS, OP_PFC, OP_APP, OP_DELAPP */
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct dcb_app app;
	int status;
};

struct tree;

enum { COMES_RENAME, COMES_RENAME_RDMA, COMES_LOAD, COMES_RELOAD, COMES };

struct sim {
	struct state *st;
	struct arena *arena;
	struct tree *tree;		/* of generation tree_generation */
	uint64_t tree_generation;
	int fd;				/* of the state file, or -1 */
	int locked;			/* depth */
	unsigned kill_in;		/* the program is killed at the door so many further on; 0: not */
	unsigned comes_in[COMES];	/* likewise what a machine does by itself meanwhile */
	unsigned tear_in;		/* likewise in the middle of the append so many further on, of which half is done */
	bool loud;			/* refusals of what was not taught go to standard error, too */
	char why[256];
	/* For tests of this process alone: */
	void (*watch)(struct sim *s, struct nic *n, const struct sim_set *set, void *arg);	/* after each of them */
	void *watch_arg;
	struct sim_nth nth;
	struct nic late;		/* what reads give while nth.late */
};

/* --- sim.c, log.c --- */
void sim_lock(struct sim *s);
void sim_unlock(struct sim *s);
/** sim_set_begin - counts and logs a set that came through a door. Return: 0, or -errno it is to fail with */
int sim_set_begin(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** sim_nth - the @n th set from now on meets that fault, in whatever it does; FAULT_LATE: @arg reads still give the old */
void sim_nth(struct sim *s, unsigned n, enum fault_kind kind, uint32_t arg);
/** sim_untaught - a refusal of what nobody taught: logged. Return: -ENOSYS */
int sim_untaught(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** sim_refuse - why a command is refused. Return: @err */
int sim_refuse(struct sim *s, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void sim_log_add(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** sim_fault - Return: < 0 fail with it; 1 say yes and do nothing; 0 go on, *val (may be NULL) possibly clamped */
int sim_fault(struct sim *s, struct nic *n, enum op op, uint32_t *val);
extern const char *const op_names[OPS + 1], *const fault_kinds[];

/* --- reset.c --- */
/** reset_machine - everything anew, from the words behind `reset`. Return: 0, -EINVAL with the reason told */
int reset_machine(struct sim *s, int argc, char *const *argv);

/* --- nic.c --- */
struct nic *nic_by_name(struct sim *s, const char *ifname);
struct nic *nic_by_index(struct sim *s, uint32_t ifindex);
struct nic *nic_by_bdf(struct sim *s, const char *bdf);
struct nic *nic_by_ibdev(struct sim *s, const char *ibdev);
unsigned nic_number(const struct sim *s, const struct nic *n);
void nic_bdf(const struct sim *s, const struct nic *n, char bdf[16]);
void nic_mac(const struct sim *s, const struct nic *n, uint8_t mac[6]);
void nic_attach(struct sim *s, struct nic *n);	/* the driver finds the card */
void nic_detach(struct sim *s, struct nic *n);
/** nic_reload - devlink reload, driver_reinit: the netdev and the RDMA device are new ones */
void nic_reload(struct sim *s, struct nic *n);
/** nic_rename, nic_rename_rdma - as udev does soon after it appears: "nic0" is "ennic0" then, "mlx5_0" is "enmlx5_0" */
void nic_rename(struct sim *s, struct nic *n);
void nic_rename_rdma(struct sim *s, struct nic *n);
void nic_rdma_plug(struct sim *s, struct nic *n, bool on);	/* ice: at once */
bool nic_carrier(const struct nic *n);
void nic_flap(struct nic *n);			/* what a change does to a link that is up */
void nic_set_up(struct nic *n, bool up);
void nic_time_passes(struct nic *n, uint32_t ms);	/* counters move, a link comes back earlier */
bool nic_in_bond(const struct sim *s, const struct nic *n);
struct upper *upper_by_name(struct sim *s, const char *ifname);
struct upper *upper_by_index(struct sim *s, uint32_t ifindex);
/** mtu_set - dev_set_mtu() of any netdev, by its number; *why gets the extended ACK's text */
int mtu_set(struct sim *s, uint32_t ifindex, uint32_t mtu, const char **why);
uint32_t mtu_active(const struct sim *s, const struct nic *n);	/* RDMA's, in bytes */

/* --- users.c --- */
/** users_gone - the device went, and with it all that was held on it */
void users_gone(struct sim *s, const struct nic *n);
/** users_each - the next object of a kind on a device from *at on, in the order of their numbers, or NULL */
const struct user *users_each(const struct sim *s, const struct nic *n, enum user_kind kind, uint32_t *at);

/* --- drivers.c --- */
/* Returns are what dcbnl puts into its status byte: 0, -errno, or ice's own positive numbers. NULL: not implemented. */
struct dcb_ops {
	int (*get_ets)(struct sim *s, struct nic *n, struct ieee_ets *ets);
	int (*set_ets)(struct sim *s, struct nic *n, const struct ieee_ets *ets);
	int (*get_pfc)(struct sim *s, struct nic *n, struct ieee_pfc *pfc);
	int (*set_pfc)(struct sim *s, struct nic *n, const struct ieee_pfc *pfc);
	int (*get_buffer)(struct sim *s, struct nic *n, struct dcbnl_buffer *b);
	int (*set_buffer)(struct sim *s, struct nic *n, const struct dcbnl_buffer *b);
	int (*get_maxrate)(struct sim *s, struct nic *n, struct ieee_maxrate *r);
	int (*set_maxrate)(struct sim *s, struct nic *n, const struct ieee_maxrate *r);
	int (*set_app)(struct sim *s, struct nic *n, const struct dcb_app *app);
	int (*del_app)(struct sim *s, struct nic *n, const struct dcb_app *app);
	uint8_t (*set_dcbx)(struct sim *s, struct nic *n, uint8_t mode);	/* 0 accepted, 1 refused */
	int (*set_pause)(struct sim *s, struct nic *n, bool autoneg, bool rx, bool tx);
};

struct devlink_version_row { uint16_t attr; const char *name, *value; };	/* value NULL: the NIC's own firmware */

struct driver {
	const char *name, *short_name;	/* "mlx5_core", "mlx5" */
	struct dcb_ops dcb;
	void (*factory)(struct hw *hw);	/* the adapter when new */
	void (*load)(struct sim *s, struct nic *n);	/* a netdev is made */
	uint32_t min_mtu, max_mtu, roce_overhead;
	bool mtu_flaps;			/* closes and opens the port for a new MTU */
	bool cc_params;			/* debugfs mlx5/BDF/cc_params */
	bool roce_v1;			/* GIDs of both types */
	uint8_t roce_cmode;		/* devlink enable_roce: 0 runtime, 1 driverinit, 255 none */
	const struct devlink_version_row *versions;
	const char *fw, *board;
};
/** driver_of - whose manners; identity_of - whose name: the same, unless reset was told other manners */
const struct driver *driver_of(const struct sim *s);
const struct driver *identity_of(const struct sim *s);

/* the kernel's list of APP entries */
int app_list_add(struct nic *n, const struct dcb_app *app);	/* -EEXIST */
int app_list_del(struct nic *n, const struct dcb_app *app);	/* -ENOENT */
bool app_is_dscp(const struct dcb_app *app);
void dscp_default(uint8_t map[64]);
int ets_sum(const struct ieee_ets *ets, unsigned tcs, bool *any, bool *zero);

extern const struct driver driver_mlx5, driver_bnxt, driver_ice, driver_hns3;

/* --- tree.c: what paths lead to --- */
enum node_kind { NODE_DIR, NODE_FILE, NODE_LINK };

struct node;
typedef int node_show(struct sim *s, const struct node *n, struct text *out);
typedef int node_store(struct sim *s, const struct node *n, const char *text, size_t len);

struct node {
	const char *path;
	enum node_kind kind;
	uint32_t mode;
	const char *target;		/* of a link */
	node_show *show;
	node_store *store;
	struct nic *nic;
	uint32_t arg;			/* the function's own */
	struct plain_file *file;
};

/* Adding, for the files below; paths are formatted into the tree's memory. */
struct node *tree_dir(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct node *tree_link(struct sim *s, const char *target, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct node *tree_file(struct sim *s, struct nic *n, uint32_t mode, node_show *show, node_store *store, uint32_t arg,
		       const char *fmt, ...) __attribute__((format(printf, 7, 8)));
const char *tree_path(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** tree_up - the "../../" that leads from @dir ("sys/…") to sys */
const char *tree_up(struct sim *s, const char *dir);

/** tree_find - @path with links followed (the last one only if @follow). Return: 0, -ENOENT, -ENOTDIR, -ELOOP */
int tree_find(struct sim *s, const char *path, bool follow, const struct node **node);
/** tree_real - the same path without links, also of a last component that does not exist yet */
int tree_real(struct sim *s, const char *path, char real[SIM_PATH]);
int tree_list(struct sim *s, const struct node *dir, struct arena *a, struct names *out);
void tree_drop(struct sim *s);

/* --- what stands in the tree --- */
void pcifiles_add(struct sim *s, struct nic *n);
const char *pci_dir(struct sim *s, const struct nic *n);	/* of the NIC, "sys/devices/pci0001:00/…" */
void netfiles_add(struct sim *s);
void ibfiles_add(struct sim *s, struct nic *n);
void ccparams_add(struct sim *s, struct nic *n);
void ccparams_factory(struct hw *hw);
int ccparams_row(const char *name);		/* by upstream's name, or -1 */
int ccparams_set(struct sim *s, struct nic *n, unsigned row, uint32_t val);
const char *ccparams_name(unsigned row);
void cmfiles_add(struct sim *s);
int cmfiles_mkdir(struct sim *s, const char *path);
int cmfiles_rmdir(struct sim *s, const char *path);
void modules_add(struct sim *s);
bool module_loaded(const struct sim *s, const char *name);
/** module_load, module_unload - as modprobe and modprobe -r do, with the files that come and go */
int module_load(struct sim *s, const char *name, int argc, char *const *argv);
int module_unload(struct sim *s, const char *name);
void modules_list(const struct sim *s, struct text *out);

/* --- overlay.c, sysctl.c: plain files --- */
struct plain_file *overlay_find(struct sim *s, const char *path);
/** overlay_put - make or replace. Return: 0, -ENAMETOOLONG, -ENOSPC */
int overlay_put(struct sim *s, const char *path, const void *text, size_t len, uint32_t mode, bool kernel);
void overlay_remove(struct sim *s, struct plain_file *f);
void overlay_remove_below(struct sim *s, const char *dir, bool kernel_only);
const char *overlay_text(const struct sim *s, const struct plain_file *f);
void overlay_add(struct sim *s);		/* into the tree */
int overlay_store(struct sim *s, const struct node *n, const char *text, size_t len);
/** sysctl_store - a write below proc/sys, with the kernel's parsing, ranges and formatting */
int sysctl_store(struct sim *s, struct plain_file *f, const char *text, size_t len);
void sysctl_defaults(struct sim *s);
void sysctl_netdev(struct sim *s, const char *ifname, bool there);
void sysctl_netdev_renamed(struct sim *s, const char *from, const char *to);
void sysctl_module(struct sim *s, const char *module, bool there);

/* --- the other doors --- */
int talk(struct sim *s, int protocol, const void *request, size_t n, struct text *reply);
int ethtool_ioctl(struct sim *s, const char *ifname, void *cmd, size_t n);
int verbs_query(struct sim *s, const char *ibdev, uint32_t port, struct verbs_port *out);
size_t gids_of(struct sim *s, const struct nic *n, struct gid_entry entry[SIM_GIDS]);
int lldp_query(struct sim *s, struct arena *a, struct lldp *out);
int lldp_tell(struct sim *s, const struct lldp_words *w);
void lldp_print_said(struct sim *s, const struct nic *n, struct text *out);	/* "0080c20b:0808 …" */

/* --- counters.c --- */
/** counter_name - as this machine's driver shows it now; NULL: it does not */
const char *counter_name(const struct sim *s, const struct nic *n, unsigned i, char buf[32]);
uint64_t counter_value(const struct nic *n, unsigned i);	/* those of counters/ stop at their width */
/** counter_find - by this driver's name or mlx5's, or -1 */
int counter_find(const struct sim *s, const char *name);

#endif
