/* SPDX-License-Identifier: Apache-2.0 */
/* qos.trust, qos.dscp: what is read, which entries are sent in which order, what comes back, who is not fought. */
#include "ports.h"

#include "settings/dscp.h"

static void app(struct bench *b, uint8_t selector, uint16_t protocol, uint8_t priority)
{
	b->dcb.app[b->dcb.napps++] = (struct dcb_app){.selector = selector, .protocol = protocol, .priority = priority};
}

static void dscp(struct bench *b, uint16_t dscp_, uint8_t priority)
{
	app(b, IEEE_8021QAZ_APP_SEL_DSCP, dscp_, priority);
}

static void reads_selector_5_only(void **state)
{
	struct bench *b = *state;
	struct record *r;

	app(b, 3, 4791, 3);		/* RoCE's UDP port: no DSCP */
	app(b, 1, 0x8915, 3);
	r = look(b, &setting_dscp);
	assert_string_equal(shown(b, r, QOS_TRUST), "pcp");
	assert_string_equal(shown(b, r, QOS_DSCP), "none");
	dscp(b, 26, 3);
	dscp(b, 48, 6);
	r = look(b, &setting_dscp);
	assert_string_equal(shown(b, r, QOS_TRUST), "dscp");
	assert_string_equal(shown(b, r, QOS_DSCP), "26:3 48:6");
}

static void hostile_entries_are_no_entries(void **state)
{
	struct bench *b = *state;

	dscp(b, 64, 3);
	dscp(b, 65535, 3);
	dscp(b, 26, 200);
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), "none");
}

static void why_there_is_none(void **state)
{
	static const struct { int err; const char *reason;
	} cases[] = {
		{-EOPNOTSUPP, "driver-lacks"},
		{-ENODEV, "vanished"},
		{-EPERM, "not-permitted"},
		{-EIO, "unreadable"},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b->dcb_err = cases[i].err;
		assert_string_equal(shown(b, look(b, &setting_dscp), QOS_TRUST), cases[i].reason);
		assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), cases[i].reason);
	}
	b->talk_err = -ENODATA;
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), "not-recorded");
}

/* Two entries for one DSCP: whichever is not wanted is shown, so that it can never pass for in sync. */
static void a_second_entry_is_drift(void **state)
{
	struct bench *b = *state;

	b->adds_second = true;
	dscp(b, 26, 3);
	dscp(b, 26, 5);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	planned(b);
	assert_int_equal(row_of(b, "qos.dscp")->status, STATUS_DRIFT);
	assert_has(row_of(b, "qos.dscp")->cause, "more than one entry");
	assert_int_equal(applied(b), 0);
	assert_log(b, "-26:3 -26:5 \n+26:3 \n");	/* the device forgets a DSCP of which an entry goes */
}

static void in_sync_sends_nothing(void **state)
{
	struct bench *b = *state;

	dscp(b, 26, 3);
	dscp(b, 10, 1);
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

/* One message, all 64, and what is not named stays. */
static void adds_and_replaces_in_one_go(void **state)
{
	struct bench *b = *state;

	dscp(b, 26, 5);
	dscp(b, 10, 1);
	app(b, 3, 4791, 3);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3 48:6");
	assert_int_equal(applied(b), 0);
	assert_log(b, "+48:6 +26:3 \n");
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), "10:1 26:3 48:6");
	assert_int_equal(b->dcb.napps, 4);
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

/* bnxt and ice keep or refuse a second entry: the old one goes first, the new DSCPs are there already. */
static void deletes_first_where_the_driver_wants_it(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_bnxt);
	b->adds_second = true;
	dscp(b, 26, 5);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3 48:6");
	assert_int_equal(applied(b), 0);
	assert_log(b, "+48:6 \n-26:5 \n+26:3 \n");
}

static void one_entry_a_message_on_ice(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_ice);
	b->adds_second = true;
	dscp(b, 0, 0);
	want_map(b, &setting_dscp, QOS_DSCP, "8-10:1");
	assert_int_equal(applied(b), 0);
	assert_log(b, "+8:1 \n+9:1 \n+10:1 \n");
}

static void no_entries_is_trust_pcp(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	dscp(b, 26, 3);
	dscp(b, 48, 6);
	want_map(b, &setting_dscp, QOS_DSCP, "");
	c = the_change(b);
	assert_int_equal(c->impact, IMPACT_TRAFFIC);
	assert_null(c->leaves);		/* all that goes can be put back */
	assert_int_equal(applied(b), 0);
	assert_log(b, "-26:3 -48:6 \n");
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_TRUST), "pcp");
}

static void trust_pcp_alone_takes_all_entries(void **state)
{
	struct bench *b = *state;

	dscp(b, 26, 3);
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_PCP);
	assert_int_equal(applied(b), 0);
	assert_log(b, "-26:3 \n");
}

static void trust_dscp_needs_an_entry(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_IMPOSSIBLE);
	assert_has(c->refused_why, "add qos.dscp");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void one_fault_is_one_finding(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	planned(b);
	assert_int_equal(b->out.count[STATUS_DRIFT], 1);
	assert_true(row_of(b, "qos.dscp")->follows);
}

static void says_what_it_leaves(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_has(the_change(b)->leaves, "hidden map of 64 DSCPs");	/* the first entry */
	dscp(b, 10, 1);
	assert_int_equal(the_change(b)->impact, IMPACT_NONE);
	assert_has(the_change(b)->leaves, "DSCP 26 had no entry: undone, it would have priority 0");
	dscp(b, 26, 5);
	assert_null(the_change(b)->leaves);
	bench_vendor(b, &vendor_ice);
	b->dcb.napps = 1;
	assert_has(the_change(b)->leaves, "priority 2");	/* 26 % 8 */
	bench_vendor(b, &vendor_bnxt);
	assert_null(the_change(b)->leaves);
}

/* A later change of the run fails: the table reads as before, entry for entry. */
static void undone_is_as_before(void **state)
{
	struct bench *b = *state;

	dscp(b, 26, 5);
	dscp(b, 10, 1);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3 48:6");
	b->run.consent.idle = IMPACT_RELOAD;
	want_num(b, &setting_ecn, 2, 40);		/* ecn.cnp.dscp, written after the map: its file fails */
	put(b, "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_cnp_dscp", "48\n");
	b->write_err = -EIO;
	assert_int_equal(applied(b), 3);
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), "10:1 26:5");
	assert_log(b, "+48:6 +26:3 \nnp_cnp_dscp = 40\n+26:5 \n-48:6 \n");
}

static void undone_to_pcp(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3 48:6");
	want_num(b, &setting_ecn, 2, 40);
	put(b, "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_cnp_dscp", "48\n");
	b->write_err = -EIO;
	assert_int_equal(applied(b), 3);
	assert_int_equal(b->dcb.napps, 0);
}

/* trust: pcp says nothing about the entries, yet takes them: they are kept for the way back. */
static void undone_from_pcp(void **state)
{
	struct bench *b = *state;

	dscp(b, 26, 3);
	dscp(b, 48, 6);
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_PCP);
	want_num(b, &setting_ecn, 2, 40);
	put(b, "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_cnp_dscp", "48\n");
	b->write_err = -EIO;
	assert_int_equal(applied(b), 3);
	assert_string_equal(shown(b, look(b, &setting_dscp), QOS_DSCP), "26:3 48:6");
}

/* Law 4: want, wrote and got. */
static void an_ignored_entry_is_no_success(void **state)
{
	struct bench *b = *state;

	b->ignores = true;
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "qos.dscp: wanted 26:3");
}

static void other_owners_are_named(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	put(b, "proc/net/unix", "Num RefCount\n0000: 00000002 0 10000 0002 01 22 @/com/intel/lldpad2\n");
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	put(b, "proc/net/unix", "Num RefCount\n0000: 00000002 0 10000 0002 01 22 @/com/intel/lldpad\n"
				"0000: 00000002 0 10000 0002 01 22 /run/x\n");
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
	assert_has(c->refused_why, "lldpad");
	put(b, "proc/net/unix", "");
	b->dcb.dcbx = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
	assert_has(c->refused_why, "no HOST bit");
	assert_has(c->refused_why, "LLDP_NB_DCBX_P1");
	b->dcb.dcbx = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_LLD_MANAGED;
	bench_vendor(b, &vendor_ice);
	assert_has(the_change(b)->refused_why, "fw-lldp-agent off");
	assert_int_equal(applied(b), 1);
	assert_string_equal(row_of(b, "qos.dscp")->reason, "other-owner");
	assert_log(b, "");
}

static void ice_takes_nothing_in_a_bond(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_ice);
	b->port.master = "bond0";
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "bond0");
	bench_vendor(b, &vendor_mlx5);
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
}

static void derived_from_classes(void **state)
{
	struct bench *b = *state;
	const struct fabric *f = fabric_of(b);

	want_fabric(b, &setting_dscp, QOS_TRUST);
	want_fabric(b, &setting_dscp, QOS_DSCP);
	assert_int_equal(derive(b, &setting_dscp, NULL), 0);
	assert_int_equal(want(b, &setting_dscp)->at[QOS_DSCP].state, CELL_FABRIC);	/* the caller's error */
	assert_int_equal(derive(b, &setting_dscp, f), 0);
	assert_string_equal(shown(b, want(b, &setting_dscp), QOS_TRUST), "dscp");
	assert_string_equal(shown(b, want(b, &setting_dscp), QOS_DSCP), "0-25:0 26:3 27-47:0 48:6 49-63:0");
}

static void contradictions_are_errors(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_dscp, QOS_TRUST, TRUST_PCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_int_equal(derive(b, &setting_dscp, NULL), -EINVAL);
	assert_has(told(b), "qos.trust is pcp, but qos.dscp names entries");
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "");
	assert_int_equal(derive(b, &setting_dscp, NULL), -EINVAL);
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_PCP);
	assert_int_equal(derive(b, &setting_dscp, NULL), 0);
}

/* The netdev goes between read and write: nothing is sent to whoever has the name next. */
static void gone_before_the_write(void **state)
{
	struct bench *b = *state;
	struct plan *p;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	p = planned(b);
	b->gone = true;
	kernel_renew(&b->k);
	clear_log(b);
	assert_int_equal(p->change[0]->part[0].home->write(&b->k, p->change[0], &b->d), -ENODEV);
	assert_log(b, "");
	assert_has(told(b), "qos.dscp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads_selector_5_only, setup_mlx5),
		test_on(hostile_entries_are_no_entries, setup_mlx5),
		test_on(why_there_is_none, setup_mlx5),
		test_on(a_second_entry_is_drift, setup_other),
		test_on(in_sync_sends_nothing, setup_mlx5),
		test_on(adds_and_replaces_in_one_go, setup_mlx5),
		test_on(deletes_first_where_the_driver_wants_it, setup_mlx5),
		test_on(one_entry_a_message_on_ice, setup_mlx5),
		test_on(no_entries_is_trust_pcp, setup_mlx5),
		test_on(trust_pcp_alone_takes_all_entries, setup_mlx5),
		test_on(trust_dscp_needs_an_entry, setup_mlx5),
		test_on(one_fault_is_one_finding, setup_mlx5),
		test_on(says_what_it_leaves, setup_mlx5),
		test_on(undone_is_as_before, setup_mlx5),
		test_on(undone_to_pcp, setup_mlx5),
		test_on(undone_from_pcp, setup_mlx5),
		test_on(an_ignored_entry_is_no_success, setup_mlx5),
		test_on(other_owners_are_named, setup_mlx5),
		test_on(ice_takes_nothing_in_a_bond, setup_mlx5),
		test_on(derived_from_classes, setup_mlx5),
		test_on(contradictions_are_errors, setup_mlx5),
		test_on(gone_before_the_write, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
