/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 802.1Qaz TLVs. As the standard has it, reserved bits are not looked at; but a value that it reserves (a traffic class
 * above 7, a transmission selection that nobody knows) makes its TLV malformed, as do a wrong length and a second TLV of
 * the same kind in one frame: which of the two would hold nobody can know.
 */
#include "kernel/dcbx.h"

#include <stdio.h>
#include <string.h>

#include "kernel/lldp.h"

enum { CLASSES = 8, ETS_BYTES = 21, PFC_BYTES = 2, APP_BYTES = 3, SUBTYPE_FIRST = 9 };
enum { WILLING = 0x80, CBS = 0x40, MBC = 0x40, ETS_CLASSES = 0x07, PFC_CLASSES = 0x0f };
enum { SUBTYPE_CIN = 1, SUBTYPE_CEE = 2, DSCPS = 64 };

static const uint8_t oui_qaz[3] = { 0x00, 0x80, 0xc2 }, oui_cee[3] = { 0x00, 0x1b, 0x21 };

/* A decoder says what is wrong with its TLV: true if something is. */
#define WRONG(why, ...) (snprintf(why, sizeof(((struct dcbx *)0)->why[0]), __VA_ARGS__), true)

static bool wrong_length(char *why, size_t n, size_t due)
{
	return n != due && WRONG(why, "has %zu bytes, and %zu are due", n, due);
}

/* Behind the first byte both ETS TLVs are the same: a nibble for each priority, a share and a selection for each class. */
static bool ets_table(const uint8_t *s, __u8 prio_tc[CLASSES], __u8 share[CLASSES], __u8 tsa[CLASSES], char *why)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		uint8_t tc = i % 2 ? s[1 + i / 2] & 15 : s[1 + i / 2] >> 4, bw = s[5 + i], how = s[13 + i];

		if (tc >= CLASSES)
			return WRONG(why, "puts priority %u into class %u, and 7 is the last", i, tc);
		if (bw > 100)
			return WRONG(why, "gives class %u %u %% of the bandwidth", i, bw);
		if (how > IEEE_8021QAZ_TSA_ETS && how != IEEE_8021QAZ_TSA_VENDOR)
			return WRONG(why, "has transmission selection %u for class %u, which is reserved", how, i);
		prio_tc[i] = tc;
		share[i] = bw;
		tsa[i] = how;
	}
	return false;
}

static bool ets(const struct lldp_tlv *t, struct dcbx *x, char *why)
{
	struct ieee_ets *e = &x->ets;

	if (wrong_length(why, t->n, ETS_BYTES))
		return true;
	e->willing = (t->info[0] & WILLING) != 0;
	e->cbs = (t->info[0] & CBS) != 0;
	e->ets_cap = t->info[0] & ETS_CLASSES ? t->info[0] & ETS_CLASSES : CLASSES;
	return ets_table(t->info, e->prio_tc, e->tc_tx_bw, e->tc_tsa, why);
}

static bool ets_recommended(const struct lldp_tlv *t, struct dcbx *x, char *why)
{
	return wrong_length(why, t->n, ETS_BYTES) ||
	       ets_table(t->info, x->ets.reco_prio_tc, x->ets.tc_reco_bw, x->ets.tc_reco_tsa, why);
}

static bool pfc(const struct lldp_tlv *t, struct dcbx *x, char *why)
{
	if (wrong_length(why, t->n, PFC_BYTES))
		return true;
	x->pfc_willing = (t->info[0] & WILLING) != 0;
	x->pfc.mbc = (t->info[0] & MBC) != 0;
	x->pfc.pfc_cap = t->info[0] & PFC_CLASSES;
	x->pfc.pfc_en = t->info[1];
	return x->pfc.pfc_cap > CLASSES && WRONG(why, "says that %u classes can have PFC", x->pfc.pfc_cap);
}

/* A selector that is reserved is kept: it does no harm to the others. */
static bool app(const struct lldp_tlv *t, struct dcbx *x, char *why)
{
	uint64_t seen = 0;

	if (t->n % APP_BYTES != 1 || t->n / APP_BYTES > DCBX_APPS)
		return WRONG(why, "has %zu bytes, which is no number of entries", t->n);
	for (size_t i = 1; i < t->n; i += APP_BYTES) {
		struct dcb_app a = { .selector = t->info[i] & 7, .priority = t->info[i] >> 5,
				     .protocol = (__u16)(t->info[i + 1] << 8 | t->info[i + 2]) };

		if (a.selector == IEEE_8021QAZ_APP_SEL_DSCP && a.protocol >= DSCPS)
			return WRONG(why, "names DSCP %u, and 63 is the last", a.protocol);
		if (a.selector == IEEE_8021QAZ_APP_SEL_DSCP && seen >> a.protocol & 1)
			return WRONG(why, "names DSCP %u twice", a.protocol);
		if (a.selector == IEEE_8021QAZ_APP_SEL_DSCP)
			seen |= (uint64_t)1 << a.protocol;
		x->app[x->napps++] = a;
	}
	return false;
}

static const struct {
	const char *name;
	bool (*decode)(const struct lldp_tlv *t, struct dcbx *x, char *why);
} parts[DCBX_PARTS] = {			/* in the order of their subtypes, from 9 on */
	[DCBX_ETS] = { "ETS", ets },
	[DCBX_ETS_RECOMMENDED] = { "ETS recommendation", ets_recommended },
	[DCBX_PFC] = { "PFC", pfc },
	[DCBX_APP] = { "APP", app },
};

static void take(const struct lldp_tlv *t, enum dcbx_part part, struct dcbx *x)
{
	char *why = x->why[part];
	bool wrong = x->state[part] != DCBX_ABSENT ? WRONG(why, "is there twice") : parts[part].decode(t, x, why);

	x->state[part] = wrong ? DCBX_MALFORMED : DCBX_SAID;
}

void dcbx_decode(const struct lldp_tlv *tlv, size_t n, struct dcbx *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		const struct lldp_tlv *t = &tlv[i];

		if (!memcmp(t->oui, oui_qaz, sizeof(oui_qaz)) && t->subtype >= SUBTYPE_FIRST &&
		    t->subtype < SUBTYPE_FIRST + DCBX_PARTS)
			take(t, (enum dcbx_part)(t->subtype - SUBTYPE_FIRST), out);
		if (memcmp(t->oui, oui_cee, sizeof(oui_cee)) != 0)
			continue;
		out->cee = out->cee || t->subtype == SUBTYPE_CEE;
		out->cin = out->cin || t->subtype == SUBTYPE_CIN;
	}
	if (out->state[DCBX_APP] == DCBX_MALFORMED)
		out->napps = 0;
}

const char *dcbx_name(enum dcbx_part part)
{
	return parts[part].name;
}
