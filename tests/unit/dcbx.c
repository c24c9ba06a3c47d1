/* SPDX-License-Identifier: Apache-2.0 */
/* DCBX TLVs as bytes: what each form says, and what is malformed about the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kernel/dcbx.h"
#include "kernel/lldp.h"

#define QAZ { 0x00, 0x80, 0xc2 }
#define CEE { 0x00, 0x1b, 0x21 }
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define ETS_BYTES(flags, first, share, tsa) \
	BYTES(flags, first, 0x23, 0x45, 0x67, share, 0, 0, 60, 0, 0, 0, 0, tsa, 0, 0, 2, 0, 0, 0, 0)

static void ets_is_taken_apart(void **state)
{
	const struct lldp_tlv tlv[] = { { QAZ, 9, ETS_BYTES(0xc0, 0x10, 40, 2) }, { QAZ, 10, ETS_BYTES(0xff, 0x01, 30, 255) } };
	struct dcbx x;

	(void)state;
	dcbx_decode(tlv, 2, &x);
	assert_int_equal(x.state[DCBX_ETS], DCBX_SAID);
	assert_int_equal(x.ets.willing, 1);
	assert_int_equal(x.ets.cbs, 1);
	assert_int_equal(x.ets.ets_cap, 8);
	assert_memory_equal(x.ets.prio_tc, ((uint8_t[]){ 1, 0, 2, 3, 4, 5, 6, 7 }), 8);
	assert_memory_equal(x.ets.tc_tx_bw, ((uint8_t[]){ 40, 0, 0, 60, 0, 0, 0, 0 }), 8);
	assert_memory_equal(x.ets.tc_tsa, ((uint8_t[]){ 2, 0, 0, 2, 0, 0, 0, 0 }), 8);
	assert_int_equal(x.state[DCBX_ETS_RECOMMENDED], DCBX_SAID);
	assert_memory_equal(x.ets.reco_prio_tc, ((uint8_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 }), 8);
	assert_int_equal(x.ets.tc_reco_bw[0], 30);
	assert_int_equal(x.ets.tc_reco_tsa[0], IEEE_8021QAZ_TSA_VENDOR);
	assert_int_equal(x.state[DCBX_PFC], DCBX_ABSENT);
	assert_false(x.cee || x.cin);
}

static void pfc_and_app_are_taken_apart(void **state)
{
	const struct lldp_tlv tlv[] = { { QAZ, 11, BYTES(0xc8, 0x18) },
					{ QAZ, 12, BYTES(0, 0x65, 0x00, 26, 0x63, 0x12, 0xb7, 0xe7, 0xff, 0xff) } };
	struct dcbx x;

	(void)state;
	dcbx_decode(tlv, 2, &x);
	assert_true(x.pfc_willing);
	assert_int_equal(x.pfc.mbc, 1);
	assert_int_equal(x.pfc.pfc_cap, 8);
	assert_int_equal(x.pfc.pfc_en, 0x18);
	assert_int_equal(x.napps, 3);
	assert_int_equal(x.app[0].selector, IEEE_8021QAZ_APP_SEL_DSCP);
	assert_int_equal(x.app[0].protocol, 26);
	assert_int_equal(x.app[0].priority, 3);
	assert_int_equal(x.app[1].selector, 3);
	assert_int_equal(x.app[1].protocol, 4791);
	assert_int_equal(x.app[2].priority, 7);	/* selector 7 is reserved, and kept */
}

/* As the standard has it: reserved bits are not looked at. */
static void reserved_bits_do_no_harm(void **state)
{
	const struct lldp_tlv tlv[] = { { QAZ, 11, BYTES(0x38, 0x08) }, { QAZ, 9, ETS_BYTES(0x38, 0x01, 40, 2) },
					{ QAZ, 12, BYTES(0xff, 0x7d, 0x00, 26) } };
	struct dcbx x;

	(void)state;
	dcbx_decode(tlv, 3, &x);
	assert_int_equal(x.state[DCBX_PFC], DCBX_SAID);
	assert_false(x.pfc_willing);
	assert_int_equal(x.state[DCBX_ETS], DCBX_SAID);
	assert_int_equal(x.ets.willing, 0);
	assert_int_equal(x.state[DCBX_APP], DCBX_SAID);
	assert_int_equal(x.app[0].selector, 5);
	assert_int_equal(x.app[0].priority, 3);
}

static void malformed_ones_say_why(void **state)
{
	static const uint8_t many[1 + 3 * (DCBX_APPS + 1)];
	static const uint8_t none[1];
	const struct {
		struct lldp_tlv tlv;
		const char *why;
	} rows[] = {
		{ { QAZ, 9, none, 0 }, "has 0 bytes, and 21 are due" },
		{ { QAZ, 9, many, 22 }, "has 22 bytes, and 21 are due" },
		{ { QAZ, 10, many, 20 }, "has 20 bytes, and 21 are due" },
		{ { QAZ, 9, ETS_BYTES(0, 0x81, 40, 2) }, "puts priority 0 into class 8, and 7 is the last" },
		{ { QAZ, 9, ETS_BYTES(0, 0x0f, 40, 2) }, "puts priority 1 into class 15, and 7 is the last" },
		{ { QAZ, 10, ETS_BYTES(0, 0x01, 101, 2) }, "gives class 0 101 % of the bandwidth" },
		{ { QAZ, 9, ETS_BYTES(0, 0x01, 40, 3) }, "has transmission selection 3 for class 0, which is reserved" },
		{ { QAZ, 9, ETS_BYTES(0, 0x01, 40, 254) }, "has transmission selection 254 for class 0, which is reserved" },
		{ { QAZ, 9, ETS_BYTES(0, 0x01, 41, 2) }, "gives its classes 101 % of the bandwidth together" },
		{ { QAZ, 11, BYTES(8) }, "has 1 bytes, and 2 are due" },
		{ { QAZ, 11, BYTES(8, 8, 8) }, "has 3 bytes, and 2 are due" },
		{ { QAZ, 11, BYTES(9, 8) }, "says that 9 classes can have PFC" },
		{ { QAZ, 12, none, 0 }, "has 0 bytes, which is no number of entries" },
		{ { QAZ, 12, BYTES(0, 0x65, 0) }, "has 3 bytes, which is no number of entries" },
		{ { QAZ, 12, many, sizeof(many) }, "has 508 bytes, which is no number of entries" },
		{ { QAZ, 12, BYTES(0, 0x65, 0, 64) }, "names DSCP 64, and 63 is the last" },
		{ { QAZ, 12, BYTES(0, 0x65, 0, 26, 0x65, 0, 26) }, "names DSCP 26 twice" },
	};
	struct dcbx x;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned part = rows[i].tlv.subtype - 9u;

		dcbx_decode(&rows[i].tlv, 1, &x);
		assert_int_equal(x.state[part], DCBX_MALFORMED);
		assert_string_equal(x.why[part], rows[i].why);
		assert_int_equal(x.napps, 0);
	}
}

static void twice_is_neither(void **state)
{
	const struct lldp_tlv tlv[] = { { QAZ, 11, BYTES(8, 8) }, { QAZ, 11, BYTES(8, 8) }, { QAZ, 12, BYTES(0, 0x65, 0, 26) },
					{ QAZ, 12, BYTES(0, 0x85, 0, 26) } };
	struct dcbx x;

	(void)state;
	dcbx_decode(tlv, 4, &x);
	assert_int_equal(x.state[DCBX_PFC], DCBX_MALFORMED);
	assert_string_equal(x.why[DCBX_PFC], "is there twice");
	assert_int_equal(x.state[DCBX_APP], DCBX_MALFORMED);
	assert_int_equal(x.napps, 0);
}

static void others_are_passed_over(void **state)
{
	const struct lldp_tlv tlv[] = { { { 0x00, 0x12, 0x0f }, 11, BYTES(8, 8) }, { QAZ, 1, BYTES(0, 1) }, { QAZ, 13, BYTES(0) },
					{ QAZ, 0, BYTES(0) }, { CEE, 2, BYTES(2) }, { CEE, 11, BYTES(8, 8) } };
	struct dcbx x;

	(void)state;
	dcbx_decode(tlv, 4, &x);
	for (unsigned i = 0; i < DCBX_PARTS; i++)
		assert_int_equal(x.state[i], DCBX_ABSENT);
	assert_false(x.cee || x.cin);
	dcbx_decode(tlv, 6, &x);
	assert_true(x.cee);
	assert_false(x.cin);
	assert_int_equal(x.state[DCBX_PFC], DCBX_ABSENT);
	dcbx_decode(&(struct lldp_tlv){ CEE, 1, BYTES(2) }, 1, &x);
	assert_true(x.cin);
	dcbx_decode(NULL, 0, &x);
	assert_false(x.cee || x.cin);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ets_is_taken_apart),
		cmocka_unit_test(pfc_and_app_are_taken_apart),
		cmocka_unit_test(reserved_bits_do_no_harm),
		cmocka_unit_test(malformed_ones_say_why),
		cmocka_unit_test(twice_is_neither),
		cmocka_unit_test(others_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
