/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCBX as a neighbour's frame carries it: the organisational TLVs of IEEE 802.1Qaz (OUI 00-80-C2, subtypes 9 to 12) taken
 * apart and put together. Pure: bytes in, values out. What is malformed is said so with a word, and never half used. The
 * older forms, CEE and CIN (OUI 00-1B-21), are recognised and not decoded: a peer that speaks them does not speak this one.
 */
#ifndef KERNEL_DCBX_H
#define KERNEL_DCBX_H

#include <linux/dcbnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lldp_tlv;

enum dcbx_part { DCBX_ETS, DCBX_ETS_RECOMMENDED, DCBX_PFC, DCBX_APP, DCBX_PARTS };
enum dcbx_state { DCBX_ABSENT, DCBX_SAID, DCBX_MALFORMED };
enum { DCBX_APPS = 168 };	/* as many entries as one TLV can hold */

struct dcbx {
	enum dcbx_state state[DCBX_PARTS];
	char why[DCBX_PARTS][80];	/* of a malformed one: "has 3 bytes, and 2 are due" */
	bool cee, cin;			/* the frame has a TLV of that form */
	bool pfc_willing;		/* struct ieee_pfc has no room for it; that of ETS is ets.willing */
	/*
	 * As far as DCBX_SAID: willing, ets_cap (classes, 1..8), cbs, prio_tc, tc_tx_bw, tc_tsa of the configuration; reco_prio_tc,
	 * tc_reco_bw, tc_reco_tsa of the recommendation. Bandwidths are percent, each at most 100; those of the configuration's
	 * ETS classes are 100 together.
	 */
	struct ieee_ets ets;
	struct ieee_pfc pfc;		/* pfc_en, pfc_cap, mbc */
	struct dcb_app app[DCBX_APPS];	/* all selectors; DSCPs (selector 5) are below 64 and not told twice */
	size_t napps;
};

/** dcbx_decode - all TLVs of one frame; those of other organisations are passed over */
void dcbx_decode(const struct lldp_tlv *tlv, size_t n, struct dcbx *out);
/** dcbx_name - "PFC", for messages */
const char *dcbx_name(enum dcbx_part part);

#define DCBX_OUI "\x00\x80\xc2"		/* of IEEE 802.1 */
/** dcbx_subtype - of the TLV that carries @part */
uint8_t dcbx_subtype(enum dcbx_part part);
/** dcbx_speaks - is this a TLV of DCBX, in any of its forms, which two agents on one wire must not both send */
bool dcbx_speaks(const struct lldp_tlv *tlv);
/**
 * dcbx_encode - the bytes behind OUI and subtype that say @part of @x; states and reasons are not looked at
 * @to: LLDP_INFO bytes
 * Return: how many; 0 if there is nothing to say: no APP entry.
 */
size_t dcbx_encode(enum dcbx_part part, const struct dcbx *x, uint8_t *to);

#endif
