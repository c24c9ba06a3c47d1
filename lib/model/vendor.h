/* SPDX-License-Identifier: Apache-2.0 */
/* Who does it differently: a vendor is tables. Nobody else asks for a driver's name. */
#ifndef MODEL_VENDOR_H
#define MODEL_VENDOR_H

#include "model/setting.h"

/* Asked before the setting's own live home, in this order, field by field. */
struct provider {
	const struct setting *setting;
	const struct home *live;
};

struct ieee_ets;

enum unlisted {
	UNLISTED_HIDDEN,		/* the kernel does not show it */
	UNLISTED_PCP,			/* the VLAN tag decides, as without any entry */
	UNLISTED_ZERO,			/* priority 0 */
	UNLISTED_CLASS,			/* its class selector, DSCP / 8; deleted_becomes after its entry was deleted */
};

enum { ETS_BANDWIDTH = 1, ETS_TSA = 2, ETS_MAP = 4 };	/* ETS_MAP: without another number of classes */

/* How a driver wants its DCB (interfaces.md 5.2 to 5.6). */
struct dcb_manners {
	bool one_app_per_message;	/* ice: a non-zero status stops the rest */
	bool delete_before_replace;	/* bnxt adds a second entry, ice refuses: delete the old one first */
	bool not_in_bond;		/* ice */
	bool activates_all_64;		/* mlx5: one entry turns DSCP trust on for all 64 */
	bool delay_is_cable;		/* mlx5: metres of cable, from which it derives xoff of receive buffers */
	bool zeros_until_set;		/* bnxt: GET says nothing before the driver has set */
	uint8_t deleted_becomes;	/* priority of a DSCP whose entry was deleted, or DELETED_*; VALUE_UNSET: as without one */
	enum impact pfc_impact, ets_impact, app_impact, trust_impact, mtu_impact;
	const char *pfc_does, *ets_does, *app_does, *trust_does, *mtu_does;	/* to traffic: "link bounce" */
	uint8_t ets_free;		/* ETS_*: differences that cost nothing, although ets_impact is more */
	const char *trust_leaves;	/* "the hidden map of 64 DSCPs" */
	/* What a port does between two writes (settings/lossless.c): */
	bool switches_trust;		/* the first DSCP entry turns DSCP trust on, the last one that goes turns it off */
	enum unlisted unlisted;		/* priority of a DSCP without an entry, while others have one */
	const struct ieee_ets *first_entry_ets, *last_entry_ets;	/* ETS is reset to that with the trust; NULL: kept */
	bool last_entry_stops_pfc;	/* PFC goes off with the last entry */
	bool no_zero_share;		/* bnxt, hns: a TC with TSA ETS needs at least 1 % */
	bool strict_or_ets;		/* bnxt, hns: no other TSA is taken */
	bool ets_up_to_highest_tc;	/* hns: no ETS TC above the highest that a priority uses */
	const char *dcbx_remedy;	/* how firmware's DCBX is told to leave DCB to the host */
	const char *dcbx_owner;		/* who has DCB while the host has not; NULL: the adapter's firmware */
	const char *agent_flag;		/* ethtool private flag that runs an LLDP agent in firmware (ice), or NULL */
	bool needs_host_mode;		/* takes no DCB change unless dcbx has HOST: no --take-over helps */
};

enum { DELETED_MODULO_8 = 254 };	/* dcb_manners.deleted_becomes: dscp % 8 */

struct vendor {
	const char *name;
	const char *const *drivers;	/* of the PCI function; NULL at the end */
	const char *const *rdma_drivers;	/* of the RDMA device on top of it, likewise; may be NULL */
	const struct provider *providers;	/* setting NULL at the end; may be NULL */
	const struct dcb_manners *manners;	/* NULL: no DCB */
	unsigned roce_overhead;		/* bytes that RoCE takes off the netdev MTU: 96, 80, 0 */
	bool software;			/* rxe, siw */
	bool firmware_family;		/* the first number of a firmware version names the card's family (mlx5) */
};

#endif
