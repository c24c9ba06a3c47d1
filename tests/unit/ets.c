/* SPDX-License-Identifier: Apache-2.0 */
/* qos.tc, qos.ets: one struct, written whole; what is silent stays; what cannot be is refused before it is sent. */
#include "ports.h"

#include "settings/ets.h"

static void tc(struct bench *b, unsigned i, uint8_t tsa, uint8_t bw)
{
	b->dcb.ets.tc_tsa[i] = tsa;
	b->dcb.ets.tc_tx_bw[i] = bw;
}

/* As mlx5's driver leaves it: all vendor, 0 and 1 swapped, 100 % where Linux 6.1 shows what nobody set. */
static void as_loaded(struct bench *b)
{
	for (unsigned i = 0; i < 8; i++)
		tc(b, i, IEEE_8021QAZ_TSA_VENDOR, 100);
	b->dcb.ets.prio_tc[0] = 1;
	b->dcb.ets.prio_tc[1] = 0;
}

static const char *wanted_shares = "0:40 3:60 6:101";

static void reads_both(void **state)
{
	struct bench *b = *state;
	struct record *r;

	as_loaded(b);
	tc(b, 3, IEEE_8021QAZ_TSA_ETS, 60);
	tc(b, 4, IEEE_8021QAZ_TSA_CB_SHAPER, 0);
	tc(b, 6, IEEE_8021QAZ_TSA_STRICT, 100);
	r = look(b, &setting_ets);
	assert_string_equal(shown(b, r, QOS_TC), "0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7");
	assert_string_equal(shown(b, r, QOS_ETS), "0-2:vendor 3:60% 4:cbs 5:vendor 6:strict 7:vendor");
	tc(b, 3, IEEE_8021QAZ_TSA_ETS, 200);	/* no share is above 100 */
	tc(b, 4, 77, 0);
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_ETS),
			    "0-2:vendor 3-4:unknown 5:vendor 6:strict 7:vendor");
}

/* dcbnl leaves an answer out for either reason: a driver that is known to have ETS has failed. */
static void an_answer_without_ets(void **state)
{
	struct bench *b = *state;

	b->dcb.has_ets = false;
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_ETS), "unreadable");
	bench_vendor(b, &vendor_other);
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_ETS), "driver-lacks");
}

static void both_are_one_write(void **state)
{
	struct bench *b = *state;

	as_loaded(b);
	want_map(b, &setting_ets, QOS_TC, "0:0 3:3 6:6");
	want_map(b, &setting_ets, QOS_ETS, wanted_shares);
	assert_int_equal(planned(b)->n, 1);
	assert_int_equal(b->plan->change[0]->impact, IMPACT_NONE);
	assert_int_equal(applied(b), 0);
	assert_log(b, "ets \n");
	assert_int_equal(b->dcb.ets.prio_tc[1], 0);			/* not named: kept */
	assert_int_equal(b->dcb.ets.tc_tsa[1], IEEE_8021QAZ_TSA_VENDOR);
	assert_int_equal(b->dcb.ets.tc_tx_bw[1], 100);			/* byte for byte */
	assert_int_equal(b->dcb.ets.tc_tsa[6], IEEE_8021QAZ_TSA_STRICT);
	assert_int_equal(b->dcb.ets.tc_tx_bw[3], 60);
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void willing_and_the_rest_are_kept(void **state)
{
	struct bench *b = *state;

	b->dcb.ets.willing = 1;
	b->dcb.ets.cbs = 1;
	b->dcb.ets.tc_rx_bw[2] = 9;
	b->dcb.ets.reco_prio_tc[5] = 4;
	want_map(b, &setting_ets, QOS_TC, "2:5");
	assert_int_equal(applied(b), 0);
	assert_int_equal(b->dcb.ets.willing, 1);
	assert_int_equal(b->dcb.ets.cbs, 1);
	assert_int_equal(b->dcb.ets.tc_rx_bw[2], 9);
	assert_int_equal(b->dcb.ets.reco_prio_tc[5], 4);
	assert_int_equal(b->dcb.ets.prio_tc[2], 5);
}

static void an_unused_class_gives_its_bandwidth_back(void **state)
{
	struct bench *b = *state;

	tc(b, 0, IEEE_8021QAZ_TSA_ETS, 30);
	tc(b, 5, IEEE_8021QAZ_TSA_ETS, 70);
	b->dcb.ets.prio_tc[5] = 0;
	want_map(b, &setting_ets, QOS_ETS, wanted_shares);
	assert_int_equal(applied(b), 0);
	assert_int_equal(b->dcb.ets.tc_tsa[5], IEEE_8021QAZ_TSA_STRICT);
	assert_int_equal(b->dcb.ets.tc_tx_bw[5], 0);
}

static void refused(struct bench *b, const char *why)
{
	const struct change *c = the_change(b);

	assert_int_equal(c->refused, REFUSED_IMPOSSIBLE);
	assert_has(c->refused_why, why);
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void a_used_class_without_a_name_is_refused(void **state)
{
	struct bench *b = *state;

	tc(b, 5, IEEE_8021QAZ_TSA_ETS, 100);
	want_map(b, &setting_ets, QOS_ETS, wanted_shares);
	refused(b, "traffic class 5 takes 100% of the bandwidth and priority 5 uses it");
}

static void shares_sum_to_100(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_ets, QOS_ETS, "0:40 3:50");
	refused(b, "would sum to 90%");
}

static void no_class_above_what_the_device_has(void **state)
{
	struct bench *b = *state;

	b->dcb.ets.ets_cap = 4;
	memset(b->dcb.ets.prio_tc, 0, 8);
	want_map(b, &setting_ets, QOS_TC, "3:4");
	refused(b, "priority 3 would use traffic class 4, and this device has classes 0 to 3");
}

/* tc alone: the shares are not the policy's, and their sum is none of this change's business. */
static void shares_are_judged_only_where_wanted(void **state)
{
	struct bench *b = *state;

	tc(b, 0, IEEE_8021QAZ_TSA_ETS, 80);
	want_map(b, &setting_ets, QOS_TC, "3:5");
	assert_int_equal(applied(b), 0);
	assert_int_equal(b->dcb.ets.tc_tx_bw[0], 80);
}

static void manners_of_bnxt_and_hns(void **state)
{
	struct bench *b = *state;

	b->dcb.ets.tc_tsa[1] = IEEE_8021QAZ_TSA_ETS;	/* set before, so its zeros are no zeros */
	b->dcb.ets.tc_tx_bw[1] = 100;
	bench_vendor(b, &vendor_bnxt);
	want_map(b, &setting_ets, QOS_ETS, "0:40 1:0 3:60");
	refused(b, "traffic class 1 would have 0%");
	tc(b, 5, IEEE_8021QAZ_TSA_VENDOR, 0);
	want_map(b, &setting_ets, QOS_ETS, "0:40 1:101 3:60");
	refused(b, "traffic class 5 is neither strict nor has a share");
	tc(b, 5, IEEE_8021QAZ_TSA_STRICT, 0);
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	assert_int_equal(the_change(b)->impact, IMPACT_NONE);	/* as many classes as before */
	want_map(b, &setting_ets, QOS_TC, "0-6:0 7:5");
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_string_equal(the_change(b)->does, "NIC reopen");
	want_map(b, &setting_ets, QOS_TC, "0-7:0");
	bench_vendor(b, &vendor_hns);
	memset(b->dcb.ets.prio_tc, 0, 8);
	refused(b, "traffic class 3 would have a share, but the highest class in use is 0");
}

/* bnxt answers zeros until its driver has set ETS: only a policy that says it all may write over them. */
static void zeros_say_nothing(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_bnxt);
	memset(b->dcb.ets.prio_tc, 0, 8);
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_TC), "unreadable");
	want_map(b, &setting_ets, QOS_TC, "0-7:0");
	planned(b);
	assert_int_equal(row_of(b, "qos.tc")->status, STATUS_UNKNOWN);	/* not in sync, though zeros are wanted */
	assert_int_equal(applied(b), 2);
	assert_log(b, "");
	want_map(b, &setting_ets, QOS_TC, "0-2:0 3:1 4-7:0");
	want_map(b, &setting_ets, QOS_ETS, "0:40 1:60");
	assert_int_equal(applied(b), 0);
	assert_log(b, "ets \n");
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_ETS), "0:40% 1:60% 2-7:strict");
}

static void undone_to_vendor(void **state)
{
	struct bench *b = *state;
	struct ieee_ets before;

	as_loaded(b);
	before = b->dcb.ets;
	want_map(b, &setting_ets, QOS_TC, "0:0 3:3 6:6");
	want_map(b, &setting_ets, QOS_ETS, wanted_shares);
	b->pfc_is = (uint8_t)-EIO;
	want_num(b, &setting_pfc, 0, 8);
	assert_int_equal(applied(b), 3);
	assert_memory_equal(b->dcb.ets.prio_tc, before.prio_tc, 8);
	assert_memory_equal(b->dcb.ets.tc_tsa, before.tc_tsa, 8);
}

static void a_refusal_of_the_kernel_is_told(void **state)
{
	struct bench *b = *state;
	static const struct source policy = { .name = "p.yaml" };

	want_map(b, &setting_ets, QOS_ETS, wanted_shares);
	want(b, &setting_ets)->at[QOS_ETS].pos = (struct pos){ .source = &policy, .line = 7, .col = 3 };
	b->ets_is = (uint8_t)-EINVAL;
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "p.yaml:7:3: error: eth0 (mlx5_0/1): cannot set ETS: Invalid argument");
}

static void derived_from_classes(void **state)
{
	struct bench *b = *state;
	struct fabric *f = fabric_of(b);

	want_fabric(b, &setting_ets, QOS_TC);
	want_fabric(b, &setting_ets, QOS_ETS);
	assert_int_equal(derive(b, &setting_ets, NULL), 0);
	assert_int_equal(want(b, &setting_ets)->at[QOS_TC].state, CELL_FABRIC);
	assert_int_equal(derive(b, &setting_ets, f), 0);
	assert_string_equal(shown(b, want(b, &setting_ets), QOS_TC), "0:0 3:3 6:6");
	assert_string_equal(shown(b, want(b, &setting_ets), QOS_ETS), "0:40% 3:60% 6:strict");
	want_fabric(b, &setting_ets, QOS_TC);
	bench_vendor(b, &vendor_bnxt);	/* it must be told all of it */
	assert_int_equal(derive(b, &setting_ets, f), 0);
	assert_string_equal(shown(b, want(b, &setting_ets), QOS_TC), "0-2:0 3:3 4-5:0 6:6 7:0");
	for (size_t i = 0; i < f->n; i++) {	/* classes without bandwidth: nothing is managed */
		f->at[i].strict = false;
		f->at[i].bandwidth_percent = -1;
	}
	want_fabric(b, &setting_ets, QOS_ETS);
	assert_int_equal(derive(b, &setting_ets, f), 0);
	assert_string_equal(shown(b, want(b, &setting_ets), QOS_ETS), "silent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads_both, setup_mlx5),
		test_on(an_answer_without_ets, setup_mlx5),
		test_on(both_are_one_write, setup_mlx5),
		test_on(willing_and_the_rest_are_kept, setup_mlx5),
		test_on(an_unused_class_gives_its_bandwidth_back, setup_mlx5),
		test_on(a_used_class_without_a_name_is_refused, setup_mlx5),
		test_on(shares_sum_to_100, setup_mlx5),
		test_on(no_class_above_what_the_device_has, setup_mlx5),
		test_on(shares_are_judged_only_where_wanted, setup_mlx5),
		test_on(manners_of_bnxt_and_hns, setup_mlx5),
		test_on(zeros_say_nothing, setup_mlx5),
		test_on(undone_to_vendor, setup_mlx5),
		test_on(a_refusal_of_the_kernel_is_told, setup_mlx5),
		test_on(derived_from_classes, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
