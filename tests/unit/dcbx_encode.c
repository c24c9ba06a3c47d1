/* SPDX-License-Identifier: Apache-2.0 */
/* What is put together as 802.1Qaz TLVs is taken apart to the same: there and back, and the bytes of the standard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/dcbx.h"
#include "kernel/lldp.h"

struct frame {
	struct lldp_tlv tlv[DCBX_PARTS];
	uint8_t bytes[DCBX_PARTS][LLDP_INFO];
	size_t n;
};

static void encode(const struct dcbx *x, struct frame *f)
{
	f->n = 0;
	for (int p = 0; p < DCBX_PARTS; p++) {
		struct lldp_tlv *t = &f->tlv[f->n];

		memcpy(t->oui, DCBX_OUI, sizeof(t->oui));
		t->subtype = dcbx_subtype((enum dcbx_part)p);
		t->info = f->bytes[f->n];
		t->n = dcbx_encode((enum dcbx_part)p, x, f->bytes[f->n]);
		f->n += t->n > 0;
	}
}

/* A generator that gives the same numbers everywhere. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void any_table(uint32_t *seed, __u8 prio_tc[8], __u8 share[8], __u8 tsa[8])
{
	static const __u8 known[] = { IEEE_8021QAZ_TSA_STRICT, IEEE_8021QAZ_TSA_CB_SHAPER, IEEE_8021QAZ_TSA_ETS,
				      IEEE_8021QAZ_TSA_VENDOR };

	for (int i = 0; i < 8; i++) {
		prio_tc[i] = next(seed) % 8;
		share[i] = next(seed) % 101;
		tsa[i] = known[next(seed) % 4];
	}
	for (int i = 7, left = 100; i >= 0; i--) {	/* those that share have 100 together */
		bool first = true;

		for (int k = 0; k < i; k++)
			first &= tsa[k] != IEEE_8021QAZ_TSA_ETS;
		if (tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		share[i] = first ? left : (int)(next(seed) % (unsigned)(left + 1));
		left -= share[i];
	}
}

static void any_dcbx(uint32_t *seed, struct dcbx *x)
{
	uint64_t seen = 0;

	memset(x, 0, sizeof(*x));
	x->ets.willing = next(seed) & 1;
	x->ets.cbs = next(seed) & 1;
	x->ets.ets_cap = (__u8)(1 + next(seed) % 8);
	any_table(seed, x->ets.prio_tc, x->ets.tc_tx_bw, x->ets.tc_tsa);
	any_table(seed, x->ets.reco_prio_tc, x->ets.tc_reco_bw, x->ets.tc_reco_tsa);
	x->pfc_willing = next(seed) & 1;
	x->pfc.mbc = next(seed) & 1;
	x->pfc.pfc_cap = (__u8)(next(seed) % 9);
	x->pfc.pfc_en = (__u8)next(seed);
	for (unsigned n = 1 + next(seed) % DCBX_APPS; x->napps < n; x->napps++) {
		struct dcb_app a = { .selector = (__u8)(1 + next(seed) % 5), .priority = (__u8)(next(seed) % 8) };

		a.protocol = (__u16)next(seed);
		if (a.selector == IEEE_8021QAZ_APP_SEL_DSCP) {
			a.protocol %= 64;
			if (seen >> a.protocol & 1)
				a.selector = IEEE_8021QAZ_APP_SEL_DGRAM;
			seen |= (uint64_t)1 << a.protocol;
		}
		x->app[x->napps] = a;
	}
}

static void there_and_back(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct dcbx x, y;
		struct frame f;

		any_dcbx(&seed, &x);
		encode(&x, &f);
		assert_int_equal(f.n, DCBX_PARTS);
		dcbx_decode(f.tlv, f.n, &y);
		for (int p = 0; p < DCBX_PARTS; p++)
			assert_int_equal(y.state[p], DCBX_SAID);
		assert_memory_equal(&y.ets, &x.ets, sizeof(x.ets));
		assert_int_equal(y.pfc_willing, x.pfc_willing);
		assert_memory_equal(&y.pfc, &x.pfc, sizeof(x.pfc));
		assert_int_equal(y.napps, x.napps);
		assert_memory_equal(y.app, x.app, x.napps * sizeof(x.app[0]));
	}
}

/* As a switch that was listened to sends them: priority 3, DSCP 26 and UDP 4791 on it, priority n in class n. */
static void the_bytes(void **state)
{
	static const uint8_t pfc[] = { 0x08, 0x08 }, app[] = { 0x00, 0x65, 0x00, 0x1a, 0x63, 0x12, 0xb7 };
	static const uint8_t ets[21] = { 0x00, 0x01, 0x23, 0x45, 0x67, 40, 0, 0, 60, [13] = 2, [16] = 2 };
	struct dcbx x = { .pfc = { .pfc_cap = 8, .pfc_en = 0x08 },
			  .app = { { IEEE_8021QAZ_APP_SEL_DSCP, 3, 26 }, { IEEE_8021QAZ_APP_SEL_DGRAM, 3, 4791 } }, .napps = 2 };
	struct frame f;

	(void)state;
	x.ets = (struct ieee_ets){ .ets_cap = 8, .prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 }, .tc_tx_bw = { 40, 0, 0, 60 },
				   .tc_tsa = { 2, 0, 0, 2 } };
	encode(&x, &f);
	assert_int_equal(f.tlv[0].subtype, 9);
	assert_int_equal(f.tlv[0].n, sizeof(ets));
	assert_memory_equal(f.tlv[0].info, ets, sizeof(ets));
	assert_int_equal(f.tlv[2].subtype, 11);
	assert_int_equal(f.tlv[2].n, sizeof(pfc));
	assert_memory_equal(f.tlv[2].info, pfc, sizeof(pfc));
	assert_int_equal(f.tlv[3].subtype, 12);
	assert_int_equal(f.tlv[3].n, sizeof(app));
	assert_memory_equal(f.tlv[3].info, app, sizeof(app));
}

static void no_entry_is_no_tlv(void **state)
{
	struct dcbx x = { .napps = 0 };
	uint8_t to[LLDP_INFO];

	(void)state;
	assert_int_equal(dcbx_encode(DCBX_APP, &x, to), 0);
	assert_int_equal(dcbx_encode(DCBX_PFC, &x, to), 2);
}

static void who_speaks(void **state)
{
	static const struct {
		struct lldp_tlv tlv;
		bool speaks;
	} rows[] = {
		{ { .oui = { 0x00, 0x80, 0xc2 }, .subtype = 8 }, false },	{ { .oui = { 0x00, 0x80, 0xc2 }, .subtype = 9 }, true },
		{ { .oui = { 0x00, 0x80, 0xc2 }, .subtype = 12 }, true },	{ { .oui = { 0x00, 0x80, 0xc2 }, .subtype = 13 }, false },
		{ { .oui = { 0x00, 0x1b, 0x21 }, .subtype = 1 }, true },	{ { .oui = { 0x00, 0x1b, 0x21 }, .subtype = 2 }, true },
		{ { .oui = { 0x00, 0x1b, 0x21 }, .subtype = 3 }, false },	{ { .oui = { 0x00, 0x12, 0x0f }, .subtype = 11 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(dcbx_speaks(&rows[i].tlv), rows[i].speaks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(the_bytes),
		cmocka_unit_test(no_entry_is_no_tlv),
		cmocka_unit_test(who_speaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
