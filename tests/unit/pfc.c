/* SPDX-License-Identifier: Apache-2.0 */
/* qos.pfc: the mask in a struct whose rest is kept; on mlx5 one object with global pause. */
#include "ports.h"

#include "settings/pause.h"
#include "settings/pfc.h"

enum { THREE = 1 << 3, FOUR = 1 << 4 };

static void reads_the_mask(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.pfc_en = THREE | FOUR;
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "3,4");
	b->dcb.pfc.pfc_en = 0;
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "none");
	b->dcb.has_pfc = false;
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "unreadable");
	b->dcb_err = -EOPNOTSUPP;
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "driver-lacks");
	b->port.ifname = "";
	bench_vendor(b, &vendor_mlx5);
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "unreadable");
}

static void the_delay_is_kept(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.delay = 7;
	b->dcb.pfc.mbc = 1;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pfc \n");
	assert_int_equal(b->dcb.pfc.pfc_en, THREE);
	assert_int_equal(b->dcb.pfc.delay, 7);
	assert_int_equal(b->dcb.pfc.mbc, 1);
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void empty_is_a_value(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.pfc_en = THREE;
	want_num(b, &setting_pfc, QOS_PFC, 0);
	assert_int_equal(applied(b), 0);
	assert_int_equal(b->dcb.pfc.pfc_en, 0);
}

static void no_more_than_the_device_can(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.pfc_cap = 2;
	want_num(b, &setting_pfc, QOS_PFC, THREE | FOUR | 1);
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "3 priorities with PFC, and this device can have 2");
}

static void grows_to_the_union(void **state)
{
	struct bench *b = *state;
	struct record *have = look(b, &setting_pfc), *both;

	cell_set_num(&have->at[QOS_PFC], THREE);
	want_num(b, &setting_pfc, QOS_PFC, FOUR);
	both = record_copy(b->a, want(b, &setting_pfc));
	setting_pfc.grow(have, want(b, &setting_pfc), both);
	assert_int_equal(record_num(both, QOS_PFC, 0), THREE | FOUR);
}

static void bnxt_wants_ets_first(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_bnxt);
	memset(b->dcb.ets.prio_tc, 0, 8);
	assert_string_equal(shown(b, look(b, &setting_pfc), QOS_PFC), "unreadable");
	want_num(b, &setting_pfc, QOS_PFC, 0);
	assert_has((planned(b), row_of(b, "qos.pfc")->cause), "answers 0 until it has set PFC once");
	assert_int_equal(row_of(b, "qos.pfc")->status, STATUS_DRIFT);	/* its 0 is not in sync with none */
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
	assert_has(row_of(b, "qos.pfc")->remedy, "takes PFC only after it has set ETS once");
	want_map(b, &setting_ets, 0, "0-2:0 3:3 4-7:0"); /* shares are missing: what is unread is not written over */
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
	want_map(b, &setting_ets, 1, "0:40 3:60");
	assert_int_equal(planned(b)->n, 1);
	assert_int_equal(applied(b), 0);
	assert_log(b, "ets \npfc \n");
}

/* The link trains before anything else is touched; what comes next finds it up. */
static void waits_for_the_link(void **state)
{
	struct bench *b = *state;

	b->bounce = 3;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	assert_int_equal(applied(b), 0);
	assert_int_equal(b->down, 0);
	assert_int_equal(b->d.n, 0);
}

/* mlx5: the PFC write turns pause off by itself, so one set does for both wishes. */
static void pause_and_pfc_are_one_object(void **state)
{
	struct bench *b = *state;

	b->pause_rx = b->pause_tx = b->pfc_clears_pause = true;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	want_num(b, &setting_pause, PAUSE_RX, 0);
	want_num(b, &setting_pause, PAUSE_TX, 0);
	assert_int_equal(planned(b)->n, 1);
	assert_string_equal(b->plan->change[0]->object, "PFCC");
	assert_null(b->plan->change[0]->leaves);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pfc \n");
	b->pause_rx = true;		/* somebody turned it on again */
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pause 0 0\n");	/* the same mask is not sent: it would cost nothing, and says nothing */
}

static void pause_that_goes_is_named(void **state)
{
	struct bench *b = *state;

	b->pause_rx = b->pfc_clears_pause = true;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	assert_has(the_change(b)->leaves, "global pause (rx): it goes off when PFC comes");
	assert_int_equal(applied(b), 0);
	assert_false(b->pause_rx);
}

/* PFC goes: global pause is the policy's silence, and stays as it was. */
static void pause_is_kept_when_pfc_goes(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.pfc_en = THREE;
	b->pause_rx = b->pfc_clears_pause = true;
	want_num(b, &setting_pfc, QOS_PFC, 0);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pfc \npause 1 0\n");
	assert_true(b->pause_rx);
}

static void not_both_at_once(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_pfc, QOS_PFC, THREE);
	want_num(b, &setting_pause, PAUSE_RX, 1);
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "one register");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void undone_with_pause(void **state)
{
	struct bench *b = *state;

	b->pause_rx = b->pause_tx = b->pfc_clears_pause = true;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	want_num(b, &setting_ecn, 2, 40);
	put(b, "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_cnp_dscp", "48\n");
	b->write_err = -EIO;
	assert_int_equal(applied(b), 3);
	assert_int_equal(b->dcb.pfc.pfc_en, 0);
	assert_true(b->pause_rx && b->pause_tx);
}

static void an_unread_pause_keeps_pfc_unwritten(void **state)
{
	struct bench *b = *state;

	b->no_pause = true;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	assert_int_equal(applied(b), 0);	/* pause is not asked for, and not there */
	b->dcb.pfc.pfc_en = 0;
	want_num(b, &setting_pause, PAUSE_RX, 0);
	assert_int_equal(applied(b), 1);	/* a lack of pause: told, and PFC is set */
	assert_string_equal(row_of(b, "pause.rx")->reason, "driver-lacks");
	assert_int_equal(b->dcb.pfc.pfc_en, THREE);
}

/* Silent or not, what could not be read of an object keeps it from being written. */
static void an_unread_half_is_not_written_over(void **state)
{
	struct bench *b = *state;

	b->pause_rx = true;
	b->dcb.has_pfc = false;
	want_num(b, &setting_pause, PAUSE_RX, 0);
	assert_int_equal(the_change(b)->refused, REFUSED_UNREAD);
	assert_has(the_change(b)->refused_why, "PFC could not be read");
	b->dcb_err = -EOPNOTSUPP;		/* a driver built without DCB: there is no PFC to spoil */
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	b->dcb_err = 0;
	b->dcb.has_pfc = true;
	b->desired.n = 0;
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	b->pause_err = -EIO;
	assert_int_equal(the_change(b)->refused, REFUSED_UNREAD);
	assert_has(the_change(b)->refused_why, "global pause could not be read");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void derived_from_classes(void **state)
{
	struct bench *b = *state;
	struct fabric *f = fabric_of(b);

	want_fabric(b, &setting_pfc, QOS_PFC);
	assert_int_equal(derive(b, &setting_pfc, f), 0);
	assert_string_equal(shown(b, want(b, &setting_pfc), QOS_PFC), "3");
	f->at[0].lossless = false;
	want_fabric(b, &setting_pfc, QOS_PFC);
	assert_int_equal(derive(b, &setting_pfc, f), 0);
	assert_string_equal(shown(b, want(b, &setting_pfc), QOS_PFC), "none");	/* none, not silent */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads_the_mask, setup_mlx5),
		test_on(the_delay_is_kept, setup_mlx5),
		test_on(empty_is_a_value, setup_mlx5),
		test_on(no_more_than_the_device_can, setup_mlx5),
		test_on(grows_to_the_union, setup_mlx5),
		test_on(bnxt_wants_ets_first, setup_mlx5),
		test_on(waits_for_the_link, setup_mlx5),
		test_on(pause_and_pfc_are_one_object, setup_mlx5),
		test_on(pause_that_goes_is_named, setup_mlx5),
		test_on(pause_is_kept_when_pfc_goes, setup_mlx5),
		test_on(not_both_at_once, setup_mlx5),
		test_on(undone_with_pause, setup_mlx5),
		test_on(an_unread_pause_keeps_pfc_unwritten, setup_mlx5),
		test_on(an_unread_half_is_not_written_over, setup_mlx5),
		test_on(derived_from_classes, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
