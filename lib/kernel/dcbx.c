/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 802.1Qaz TLVs, taken apart and put together. As the standard has it, reserved bits are not looked at; but a value that it
 * reserves (a traffic class above 7, a transmission selection that nobody knows) makes its TLV malformed, as do a wrong
 * length, an ETS configuration whose shares are not 100 % together, and a second TLV of the same kind in one frame: which of
 * the two would hold nobody can know.
 */
#include "kernel/dcbx.h"

#include <stdio.h>
#include <string.h>

#include "base/dscp.h"
#include "kernel/lldp.h"

enum { CLASSES = 8, ETS_BYTES = 21, PFC_BYTES = 2, APP_BYTES = 3, SUBTYPE_FIRST = 9 };
enum { WILLING = 0x80, CBS = 0x40, MBC = 0x40, ETS_CLASSES = 0x07, PFC_CLASSES = 0x0f };
enum { SUBTYPE_CIN = 1, SUBTYPE_CEE = 2 };

enum { OUI = 3 };
static const char oui_qaz[] = DCBX_OUI, oui_cee[] = "\x00\x1b\x21";

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

/* What the classes that share bandwidth have together, if there are any. */
static bool wrong_sum(const struct ieee_ets *e, char *why)
{
	unsigned sum = 0, sharing = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (e->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			sum += e->tc_tx_bw[i];
			sharing++;
		}
	return sharing && sum != 100 && WRONG(why, "gives its classes %u %% of the bandwidth together", sum);
}

static bool ets(const struct lldp_tlv *t, struct dcbx *x, char *why)
{
	struct ieee_ets *e = &x->ets;

	if (wrong_length(why, t->n, ETS_BYTES))
		return true;
	e->willing = (t->info[0] & WILLING) != 0;
	e->cbs = (t->info[0] & CBS) != 0;
	e->ets_cap = t->info[0] & ETS_CLASSES ? t->info[0] & ETS_CLASSES : CLASSES;
	return ets_table(t->info, e->prio_tc, e->tc_tx_bw, e->tc_tsa, why) || wrong_sum(e, why);
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

		if (!memcmp(t->oui, oui_qaz, OUI) && t->subtype >= SUBTYPE_FIRST &&
		    t->subtype < SUBTYPE_FIRST + DCBX_PARTS)
			take(t, (enum dcbx_part)(t->subtype - SUBTYPE_FIRST), out);
		if (memcmp(t->oui, oui_cee, OUI) != 0)
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

uint8_t dcbx_subtype(enum dcbx_part part)
{
	return (uint8_t)(SUBTYPE_FIRST + part);
}

bool dcbx_speaks(const struct lldp_tlv *t)
{
	if (!memcmp(t->oui, oui_cee, OUI))
		return t->subtype == SUBTYPE_CEE || t->subtype == SUBTYPE_CIN;
	return !memcmp(t->oui, oui_qaz, OUI) && t->subtype >= SUBTYPE_FIRST && t->subtype < SUBTYPE_FIRST + DCBX_PARTS;
}

/* --- the way back ------------------------------------------------------------------ */

static size_t put_ets(const __u8 prio_tc[CLASSES], const __u8 share[CLASSES], const __u8 tsa[CLASSES], uint8_t *to)
{
	memset(to + 1, 0, ETS_BYTES - 1);
	for (unsigned i = 0; i < CLASSES; i++) {
		to[1 + i / 2] |= (uint8_t)((prio_tc[i] & 15) << (i % 2 ? 0 : 4));
		to[5 + i] = share[i];
		to[13 + i] = tsa[i];
	}
	return ETS_BYTES;
}

static size_t put_app(const struct dcbx *x, uint8_t *to)
{
	for (size_t i = 0; i < x->napps; i++) {
		uint8_t *at = to + 1 + i * APP_BYTES;

		at[0] = (uint8_t)(x->app[i].priority << 5 | (x->app[i].selector & 7));
		at[1] = (uint8_t)(x->app[i].protocol >> 8);
		at[2] = (uint8_t)x->app[i].protocol;
	}
	return x->napps ? 1 + x->napps * APP_BYTES : 0;
}

size_t dcbx_encode(enum dcbx_part part, const struct dcbx *x, uint8_t *to)
{
	to[0] = 0;
	switch (part) {
	case DCBX_ETS:
		to[0] = (uint8_t)((x->ets.willing ? WILLING : 0) | (x->ets.cbs ? CBS : 0) | (x->ets.ets_cap & ETS_CLASSES));
		return put_ets(x->ets.prio_tc, x->ets.tc_tx_bw, x->ets.tc_tsa, to);
	case DCBX_ETS_RECOMMENDED:
		return put_ets(x->ets.reco_prio_tc, x->ets.tc_reco_bw, x->ets.tc_reco_tsa, to);
	case DCBX_PFC:
		to[0] = (uint8_t)((x->pfc_willing ? WILLING : 0) | (x->pfc.mbc ? MBC : 0) | (x->pfc.pfc_cap & PFC_CLASSES));
		to[1] = x->pfc.pfc_en;
		return PFC_BYTES;
	case DCBX_APP:
		return put_app(x, to);
	case DCBX_PARTS:
		break;
	}
	return 0;
}
