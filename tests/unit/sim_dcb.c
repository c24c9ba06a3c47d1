/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's mlx5: each side effect of DCB, and each refusal, by raw requests. */
#include "sim_test.h"

#define IF "nic0"

static const struct ieee_ets good_ets = {
	.prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 }, .tc_tsa = { 2, 0, 0, 2 }, .tc_tx_bw = { 40, 0, 0, 60 },
};

static void test_first_entry_turns_trust_on(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	SEES(&m, "get trust nic0", "pcp");
	SEES(&m, "get dscp nic0", "");
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	SEES(&m, "get trust nic0", "dscp");
	/* one entry is listed, and all 64 count: the others as the factory has them */
	SEES(&m, "get dscp nic0", "26:4");
	SEES(&m, "get map nic0", "0000000011111111222222223343333344444444555555556666666677777777");
	machine_close_sim(&m);
}

static void test_last_entry_hides_the_map(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	assert_int_equal(dcb_add(&m, IF, 10, 5), 0);
	assert_int_equal(dcb_del(&m, IF, 10, 5), 0);
	SEES(&m, "get trust nic0", "dscp");
	assert_int_equal(dcb_del(&m, IF, 26, 4), 0);
	SEES(&m, "get trust nic0", "pcp");
	SEES(&m, "get dscp nic0", "");
	/* a deleted DSCP goes to 0, the rest of the hidden map stays */
	SEES(&m, "get map nic0", "0000000011011111222222223303333344444444555555556666666677777777");
	/* and counts again with the next entry */
	assert_int_equal(dcb_add(&m, IF, 0, 0), 0);
	SEES(&m, "get trust nic0", "dscp");
	machine_close_sim(&m);
}

static void test_one_priority_a_dscp(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 3), 0);
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	SEES(&m, "get dscp nic0", "26:4");
	assert_int_equal(dcb_del(&m, IF, 26, 3), -ENOENT);
	assert_int_equal(dcb_del(&m, IF, 27, 3), -ENOENT);
	assert_int_equal(dcb_del(&m, IF, 26, 4), 0);
	assert_int_equal(dcb_del(&m, IF, 26, 4), -ENOENT);
	SEES(&m, "get trust nic0", "pcp");
	machine_close_sim(&m);
}

static void test_app_message_stops_at_its_first_failure(void **state)
{
	const struct dcb_app app[] = { { 5, 1, 12 }, { 5, 1, 64 }, { 5, 1, 14 } };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_apps(&m, IF, DCB_CMD_IEEE_SET, app, 3), -EINVAL);
	SEES(&m, "get dscp nic0", "12:1");	/* and takes nothing back */
	assert_int_equal(dcb_apps(&m, IF, DCB_CMD_IEEE_SET, &(struct dcb_app){ 1, 3, 0 }, 1), -EINVAL);
	assert_int_equal(dcb_apps(&m, IF, DCB_CMD_IEEE_SET, &(struct dcb_app){ 5, 8, 3 }, 1), -EINVAL);
	machine_close_sim(&m);
}

static void test_pfc_change_toggles_the_link(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	SEES(&m, "get pfc nic0", "3");
	SEES(&m, "get downs nic0", "1");
	READS(&m, "sys/class/net/nic0/carrier_down_count", "1");
	/* the same mask costs nothing, so that the cable's length can be set alone */
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 30), 0);
	SEES(&m, "get downs nic0", "1");
	SEES(&m, "get cable nic0", "30");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 1000), 0);
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	SEES(&m, "get cable nic0", "30");
	SEES(&m, "get downs nic1", "0");
	machine_close_sim(&m);
}

static void test_link_stays_down_for_a_while(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set flap_ms nic0 60000");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x10, 0), 0);
	SEES(&m, "get carrier nic0", "off");
	READS(&m, "sys/class/net/nic0/carrier", "0");
	READS(&m, "sys/class/net/nic0/speed", "-1");
	READS(&m, "sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
	SEES(&m, "get carrier nic1", "on");
	DO(&m, "set flap_ms nic1 0");
	assert_int_equal(dcb_set_pfc(&m, "nic1", 0x10, 0), 0);
	SEES(&m, "get carrier nic1", "on");
	machine_close_sim(&m);
}

static void test_pause_and_pfc_are_one_register(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	SEES(&m, "get pause nic0", "rx on tx on");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	SEES(&m, "get pause nic0", "rx off tx off");
	DO(&m, "set pause nic0 rx on tx off");
	SEES(&m, "get pfc nic0", "");
	assert_int_equal(sim_do(m.s, "set pause nic0 maybe"), -EINVAL);
	machine_close_sim(&m);
}

static void test_ets_of_a_new_load(void **state)
{
	static const struct { const char *options; int bw; } rows[] = { { "--release 6.1", 100 }, { "--release 6.12", 0 } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		TEXT_CLEANUP struct text reply = { 0 };
		const size_t at = NLMSG_HDRLEN + sizeof(struct dcbmsg) + 12 + 2 * NLA_HDRLEN; /* behind IFNAME "nic0" */
		struct ieee_ets ets;
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		ask_dcb(&m.ask, RTM_GETDCB, DCB_CMD_IEEE_GET, IF);
		assert_int_equal(verdict(&m, NETLINK_ROUTE, &reply), 0);
		assert_true(reply.n > at + sizeof(ets));
		memcpy(&ets, reply.s + at, sizeof(ets));
		assert_int_equal(ets.ets_cap, 8);
		for (int tc = 0; tc < 8; tc++) {
			assert_int_equal(ets.tc_tsa[tc], 255);
			assert_int_equal(ets.tc_tx_bw[tc], rows[i].bw);
		}
		assert_memory_equal(ets.prio_tc, "\1\0\2\3\4\5\6\7", 8);
		machine_close_sim(&m);
	}
}

static void test_ets_is_checked(void **state)
{
	struct ieee_ets ets = good_ets;
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	ets.tc_tx_bw[3] = 50;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets)), -EINVAL);
	SEES(&m, "get ets nic0", "0:vendor 1:vendor 2:vendor 3:vendor 4:vendor 5:vendor 6:vendor 7:vendor");
	ets = good_ets;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets)), 0);
	SEES(&m, "get ets nic0", "0:40% 1:strict 2:strict 3:60% 4:strict 5:strict 6:strict 7:strict");
	SEES(&m, "get tc nic0", "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
	ets.prio_tc[2] = 8;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets)), -EINVAL);
	ets = good_ets;
	ets.tc_tsa[1] = 1;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets)), -EOPNOTSUPP);
	machine_close_sim(&m);
	machine_open_sim(&m, "--release 6.1");
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets)), 0);
	machine_close_sim(&m);
}

static void test_reload_brings_back_what_hardware_has(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_add(&m, IF, 26, 4), 0);
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 30), 0);
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, &good_ets, sizeof(good_ets)), 0);
	DO(&m, "set mtu nic0 9000");
	DO(&m, "set roce_tos nic0 106");
	SEES(&m, "get ifindex nic0", "2");
	DO(&m, "reload nic0");
	/* the netdev is a new one */
	SEES(&m, "get ifindex nic0", "4");
	SEES(&m, "get mtu nic0", "1500");
	SEES(&m, "get link nic0", "down");
	SEES(&m, "get cable nic0", "7");
	SEES(&m, "get roce_tos nic0", "0");
	SEES(&m, "get ibdev nic0", "mlx5_0");
	/* the driver's own ETS */
	SEES(&m, "get tc nic0", "0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7");
	SEES(&m, "get ets nic0", "0:vendor 1:vendor 2:vendor 3:vendor 4:vendor 5:vendor 6:vendor 7:vendor");
	/* PFC, trust and map are hardware's, and all 64 are published */
	SEES(&m, "get pfc nic0", "3");
	SEES(&m, "get trust nic0", "dscp");
	assert_non_null(strstr(see(&m, "get dscp nic0"), "24:3 25:3 26:4 27:3"));
	assert_non_null(strstr(see(&m, "get dscp nic0"), "63:7"));
	machine_close_sim(&m);
}

static void test_buffers(void **state)
{
	struct dcbnl_buffer b = { .prio2buffer = { 0 }, .buffer_size = { 131072, 131100 } };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), 0);
	/* room first, then the map: a map is judged by the sizes that are there */
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), 0);
	b.prio2buffer[3] = 1;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), 0);
	/* cells of 128 bytes */
	SEES(&m, "get buffer nic0", "131072 131072 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0");
	b.buffer_size[1] = 20000;
	assert_int_equal((uint8_t)dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), 244);
	b.buffer_size[1] = 600000;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), -EINVAL);
	b.buffer_size[1] = 131072;
	b.prio2buffer[7] = 8;
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_DCB_BUFFER, &b, sizeof(b)), -EINVAL);
	SEES(&m, "get buffer nic0", "131072 131072 0 0 0 0 0 0 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0");
	machine_close_sim(&m);
}

static void test_rates_are_rounded_down(void **state)
{
	static const struct { const char *options; uint64_t kbps; int status; const char *got; } rows[] = {
		{ "--release 6.1", 150000, 0, "100000 0 0 0 0 0 0 0" },
		{ "--release 6.1", 1, 0, "100000 0 0 0 0 0 0 0" },
		{ "--release 6.1", 25550000, 0, "25000000 0 0 0 0 0 0 0" },
		{ "--release 6.1", 255000000, 0, "255000000 0 0 0 0 0 0 0" },
		{ "--release 6.1", 256000000, -EINVAL, "0 0 0 0 0 0 0 0" },
		{ "--release 6.12", 25550000, 0, "25500000 0 0 0 0 0 0 0" },
		{ "--release 6.12", 6553500000, 0, "6553500000 0 0 0 0 0 0 0" },
		{ "--release 6.12", 7000000000, -EINVAL, "0 0 0 0 0 0 0 0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ieee_maxrate r = { .tc_maxrate = { rows[i].kbps } };
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_MAXRATE, &r, sizeof(r)), rows[i].status);
		SEES(&m, "get maxrate nic0", rows[i].got);
		machine_close_sim(&m);
	}
}

static void test_trust_table_is_refused_or_skipped(void **state)
{
	const struct { uint16_t len, type; uint8_t selector, pad[3]; } one = { 5, 1, 5, { 0 } };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--release 6.12");
	assert_int_equal(dcb_set(&m, IF, 11 | NLA_F_NESTED, &one, sizeof(one)), -EOPNOTSUPP);
	machine_close_sim(&m);
	machine_open_sim(&m, "--release 6.1");
	assert_int_equal(dcb_set(&m, IF, 11 | NLA_F_NESTED, &one, sizeof(one)), 0);	/* and nothing happened */
	SEES(&m, "get trust nic0", "pcp");
	machine_close_sim(&m);
}

static void test_dcbx(void **state)
{
	static const struct { uint8_t mode; int status; const char *then; } rows[] = {
		{ 0x06, 1, "0x0d" },	/* managed by firmware's engine */
		{ 0x04, 1, "0x0d" },	/* not host */
		{ 0x09, 0, "0x09" },
		{ 0x00, 0, "0x08" },	/* control to firmware */
		{ 0x0d, 0, "0x0d" },
	};
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ask_dcb(&m.ask, RTM_SETDCB, DCB_CMD_SDCBX, IF);
		ask_u8(&m.ask, DCB_ATTR_DCBX, rows[i].mode);
		assert_int_equal(dcb_status(&m), rows[i].status);
		SEES(&m, "get dcbx nic0", rows[i].then);
	}
	machine_close_sim(&m);
}

/* Before a driver is asked: NLMSG_ERROR. */
static void test_refusals_of_dcbnl(void **state)
{
	static const struct { const char *options, *ifname; uint8_t cmd; int error; } rows[] = {
		{ "", "nic9", DCB_CMD_IEEE_GET, -ENODEV },
		{ "", "lo", DCB_CMD_IEEE_GET, -EOPNOTSUPP },
		{ "", NULL, DCB_CMD_IEEE_GET, -EINVAL },
		{ "", "abcdefghijklmnop", DCB_CMD_IEEE_GET, -EINVAL },
		{ "", IF, 200, -EINVAL },
		{ "", IF, DCB_CMD_GCAP, -ENOSYS },
		{ "--no-dcb", IF, DCB_CMD_IEEE_GET, -EOPNOTSUPP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		ask_dcb(&m.ask, RTM_GETDCB, rows[i].cmd, rows[i].ifname);
		assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), rows[i].error);
		machine_close_sim(&m);
	}
}

static void test_refusals_of_sets(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_ETS, "0123456789", 10), -ERANGE);
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_PFC, "0123456789", 10), -ERANGE);
	assert_int_equal(dcb_set(&m, IF, DCB_ATTR_IEEE_QCN, "0123456789", 10), -ENOSYS);	/* not taught */
	assert_non_null(strstr(sim_log(m.s), "not taught: attribute 8"));
	ask_dcb(&m.ask, RTM_SETDCB, DCB_CMD_IEEE_SET, IF);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -EINVAL);
	ask_dcb(&m.ask, RTM_SETDCB, DCB_CMD_SDCBX, IF);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -EINVAL);
	ask_begin(&m.ask, RTM_GETDCB, NLM_F_DUMP, &(struct dcbmsg){ .cmd = DCB_CMD_IEEE_GET }, sizeof(struct dcbmsg));
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -EOPNOTSUPP);
	DO(&m, "user nobody");
	assert_int_equal(dcb_set_pfc(&m, IF, 0x08, 0), -EPERM);
	ask_dcb(&m.ask, RTM_GETDCB, DCB_CMD_IEEE_GET, IF);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), 0);	/* reading is for everybody */
	SEES(&m, "get pfc nic0", "");
	assert_int_equal(sim_writes(m.s), 0);
	machine_close_sim(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_entry_turns_trust_on),
		cmocka_unit_test(test_last_entry_hides_the_map),
		cmocka_unit_test(test_one_priority_a_dscp),
		cmocka_unit_test(test_app_message_stops_at_its_first_failure),
		cmocka_unit_test(test_pfc_change_toggles_the_link),
		cmocka_unit_test(test_link_stays_down_for_a_while),
		cmocka_unit_test(test_pause_and_pfc_are_one_register),
		cmocka_unit_test(test_ets_of_a_new_load),
		cmocka_unit_test(test_ets_is_checked),
		cmocka_unit_test(test_reload_brings_back_what_hardware_has),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_rates_are_rounded_down),
		cmocka_unit_test(test_trust_table_is_refused_or_skipped),
		cmocka_unit_test(test_dcbx),
		cmocka_unit_test(test_refusals_of_dcbnl),
		cmocka_unit_test(test_refusals_of_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
