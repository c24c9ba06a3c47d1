/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's bnxt, ice and hns3: what they do differently. */
#include "sim_test.h"

#define IF "nic0"

static int set_ets(struct machine *m, const char *tc, const char *tsa, const char *bw)
{
	struct ieee_ets ets = { 0 };

	for (int i = 0; i < 8; i++) {
		ets.prio_tc[i] = (uint8_t)(tc[i] - '0');
		ets.tc_tsa[i] = tsa[i] == 'v' ? 255 : (uint8_t)(tsa[i] - '0');
		ets.tc_tx_bw[i] = (uint8_t)(10 * (bw[i] - '0'));
	}
	return dcb_set(m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
}

static void test_bnxt_reads_zeros_until_set(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver bnxt_en");
	SEES(&m, "get dcbx nic0", "0x09");
	SEES(&m, "get tc nic0", "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), -EINVAL);	/* PFC before ETS, also for none */
	assert_int_equal(dcb_set_pfc(&m, IF, 0, 0), -EINVAL);
	assert_int_equal(set_ets(&m, "01234567", "20020000", "40060000"), 0);
	SEES(&m, "get tc nic0", "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	assert_int_equal(dcb_set_pfc(&m, IF, 0x38, 0), -EINVAL);	/* two lossless at most */
	SEES(&m, "get pfc nic0", "3");
	DO(&m, "reload nic0");		/* forgotten, whatever hardware holds */
	SEES(&m, "get tc nic0", "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), -EINVAL);
	machine_close_sim(&m);
}

static void test_bnxt_ets(void **state)
{
	static const struct { const char *tc, *tsa, *bw; int status; } rows[] = {
		{ "01234567", "20020000", "40060000", 0 },
		{ "01234567", "20020000", "60060000", -EINVAL },	/* 120 % */
		{ "01234567", "20020000", "30030000", 0 },		/* less than 100 will do */
		{ "01234567", "22020000", "40060000", -EINVAL },	/* 100 %, and one without any */
		{ "01234567", "v0020000", "00060000", -12 },		/* 524, cut to a byte */
		{ "01234567", "10020000", "00060000", -12 },
		{ "00000001", "22000000", "09000000", 0 },	/* the highest class in use is not looked at */
		{ "00000008", "20000000", "90000000", 0 },	/* nor is a class beyond the last refused */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, "--driver bnxt_en");
		assert_int_equal(set_ets(&m, rows[i].tc, rows[i].tsa, rows[i].bw), rows[i].status);
		machine_close_sim(&m);
	}
}

static void test_bnxt_adds_instead_of_replacing(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver bnxt_en");
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 3), -EEXIST);
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	SEES(&m, "get dscp nic0", "26:3 26:4");
	assert_int_equal(dcb_del(&m, IF, 26, 3), 0);
	SEES(&m, "get dscp nic0", "26:4");
	machine_close_sim(&m);
}

static void test_bnxt_wants_host_mode(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver bnxt_en");
	assert_int_equal(sim_do(m.s, "set dcbx nic0 0x0d"), -EINVAL);	/* no CEE */
	assert_int_equal(sim_do(m.s, "set dcbx nic0 0x08"), -EINVAL);
	DO(&m, "set dcbx nic0 0x19");
	machine_close_sim(&m);
}

static void test_lacks_answer_zero(void **state)
{
	const struct dcbnl_buffer b = { .buffer_size = { 131072 } };
	const struct ieee_maxrate r = { .tc_maxrate = { 100000 } };
	static const char *const options[] = { "--driver bnxt_en", "--driver ice", "--driver hns3" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct machine m;

		machine_open_sim(&m, options[i]);
		assert_int_equal(dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), 0);
		assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_MAXRATE, &r, sizeof(r)), 0);
		SEES(&m, "get buffer nic0", "0 0 0 0 0 0 0 0 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0");
		SEES(&m, "get maxrate nic0", "0 0 0 0 0 0 0 0");
		machine_close_sim(&m);
	}
}

static void test_ice_first_entry_resets_ets(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver ice");
	SEES(&m, "get tc nic0", "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0");
	assert_int_equal(set_ets(&m, "00030000", "20020000", "40060000"), 0);
	SEES(&m, "get tc nic0", "0:0 1:0 2:0 3:3 4:0 5:0 6:0 7:0");
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	SEES(&m, "get trust nic0", "dscp");
	SEES(&m, "get ets nic0", "0:100% 1:0% 2:0% 3:0% 4:0% 5:0% 6:0% 7:0%");
	/* the table of priorities is fixed now, and taken without a word */
	assert_int_equal(set_ets(&m, "00030000", "20020000", "40060000"), 0);
	SEES(&m, "get tc nic0", "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	assert_int_equal(dcb_del(&m, IF, 26, 3), 0);	/* the last one: all defaults, with a reset */
	SEES(&m, "get trust nic0", "pcp");
	SEES(&m, "get pfc nic0", "");
	SEES(&m, "get ets nic0", "0:100% 1:strict 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict");
	machine_close_sim(&m);
}

static void test_ice_one_entry_a_message(void **state)
{
	const struct dcb_app three[] = { { 5, 3, 26 }, { 5, 6, 48 }, { 5, 1, 10 } };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver ice");
	assert_int_equal(dcb_apps(&m, IF, DCB_CMD_IEEE_SET, three, 3), 0);
	SEES(&m, "get dscp nic0", "10:1 26:3 48:6");
	/* "done without a reset" is 2, and whatever is not 0 ends the message */
	assert_int_equal(dcb_apps(&m, IF, DCB_CMD_IEEE_DEL, three, 3), 2);
	SEES(&m, "get dscp nic0", "10:1 48:6");
	/* a deleted DSCP is mapped to itself modulo 8 */
	assert_non_null(strstr(see(&m, "get map nic0"), "33233333"));
	machine_close_sim(&m);
}

static void test_ice_replaces_nothing(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver ice");
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 3), -EEXIST);
	assert_int_equal(dcb_add(&m, IF, 26, 4), -EINVAL);	/* "already user mapped" */
	SEES(&m, "get dscp nic0", "26:3");
	machine_close_sim(&m);
}

static void test_ice_in_a_bond_or_with_its_agent(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver ice");
	DO(&m, "bond bond0 nic0 nic1");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), -EINVAL);
	assert_int_equal(dcb_add(&m, IF, 26, 3), -EINVAL);
	assert_int_equal(set_ets(&m, "01234567", "20020000", "40060000"), -EINVAL);
	DO(&m, "unlink bond0");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	DO(&m, "set fw_lldp nic0 on");
	SEES(&m, "get dcbx nic0", "0x0a");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), -EINVAL);
	assert_int_equal(sim_do(m.s, "set dcbx nic0 0x09"), -EINVAL);
	DO(&m, "set fw_lldp nic0 off");
	assert_int_equal(sim_do(m.s, "set dcbx nic0 0x09"), -EINVAL);	/* it says no to what it has */
	machine_close_sim(&m);
}

static void test_no_pause_beside_pfc(void **state)
{
	static const char *const options[] = { "--driver ice", "--driver hns3" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct machine m;

		machine_open_sim(&m, options[i]);
		DO(&m, "set pause nic0 off");
		assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
		assert_int_equal(sim_do(m.s, "set pause nic0 on"), -EOPNOTSUPP);
		SEES(&m, "get pfc nic0", "3");
		SEES(&m, "get pause nic0", "rx off tx off");
		machine_close_sim(&m);
	}
}

static void test_hns3(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver hns3");
	assert_int_equal(set_ets(&m, "00010000", "22000000", "46000000"), 0);
	assert_int_equal(set_ets(&m, "00010000", "22000000", "45000000"), -EINVAL);	/* 90 % */
	assert_int_equal(set_ets(&m, "00010000", "22000000", "90000000"), -EINVAL);	/* one without a share */
	assert_int_equal(set_ets(&m, "00010000", "22200000", "46000000"), -EINVAL);	/* TC 2 is above the last in use */
	assert_int_equal(set_ets(&m, "00010000", "2v000000", "90000000"), -EINVAL);
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	SEES(&m, "get dscp nic0", "26:4");
	assert_int_equal(dcb_del(&m, IF, 26, 3), -EINVAL);
	assert_int_equal(dcb_del(&m, IF, 26, 4), 0);
	SEES(&m, "get trust nic0", "pcp");
	/* a failed set is remembered all the same, and asked again it is none */
	DO(&m, "fault nic0 pfc err EIO 1");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x10, 0), -EIO);
	SEES(&m, "get pfc nic0", "4");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x10, 0), 0);
	machine_close_sim(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bnxt_reads_zeros_until_set),
		cmocka_unit_test(test_bnxt_ets),
		cmocka_unit_test(test_bnxt_adds_instead_of_replacing),
		cmocka_unit_test(test_bnxt_wants_host_mode),
		cmocka_unit_test(test_lacks_answer_zero),
		cmocka_unit_test(test_ice_first_entry_resets_ets),
		cmocka_unit_test(test_ice_one_entry_a_message),
		cmocka_unit_test(test_ice_replaces_nothing),
		cmocka_unit_test(test_ice_in_a_bond_or_with_its_agent),
		cmocka_unit_test(test_no_pause_beside_pfc),
		cmocka_unit_test(test_hns3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
