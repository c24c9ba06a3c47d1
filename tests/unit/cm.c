/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roce.mode, roce.tos: configfs with the DSCP in a byte, and on mlx5 the vendor stack's traffic class that overrides
 * it. With tests/cases/tclass-106-is-dscp-26.
 */
#include "ports.h"
#include "root.h"

#include "settings/cm.h"

#define CM	"sys/kernel/config/rdma_cm/mlx5_0/ports/1/"
#define MODE	CM "default_roce_mode"
#define TOS	CM "default_roce_tos"
#define TCLASS	"sys/class/infiniband/mlx5_0/tc/1/traffic_class"

static void configfs(struct bench *b, const char *mode, const char *tos)
{
	put(b, MODE, mode);
	put(b, TOS, tos);
}

static void reads_both(void **state)
{
	struct bench *b = *state;
	struct record *r;

	configfs(b, "RoCE v2\n", "106\n");
	r = look(b, &setting_cm);
	assert_string_equal(shown(b, r, CM_MODE), "v2");
	assert_string_equal(shown(b, r, CM_TOS), "106");
	configfs(b, "IB/RoCE v1\n", "0\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_MODE), "v1");
	configfs(b, "RoCE v3\n", "0\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_MODE), "unreadable");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "0");
}

static void why_there_is_none(void **state)
{
	struct bench *b = *state;
	struct record *r;

	r = look(b, &setting_cm);		/* no configfs at all */
	assert_string_equal(shown(b, r, CM_TOS), "not-mounted");
	put(b, "proc/mounts", "configfs /sys/kernel/config configfs rw 0 0\n");
	r = look(b, &setting_cm);
	assert_string_equal(shown(b, r, CM_TOS), "module-not-loaded");
	assert_has(r->at[CM_TOS].because, "rdma_cm");
	put(b, "sys/module/rdma_cm/initstate", "live\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "driver-lacks");
	put_err(b, MODE, EACCES);
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "not-permitted");
	put_err(b, MODE, ENODEV);
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "vanished");
	b->port.protocol = "iw";
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "driver-lacks");
	b->facts.rdma = false;
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "module-not-loaded");
}

static void spellings_of_a_tos(void **state)
{
	static const struct { const char *text, *class; int64_t num; const char *why; } cases[] = {
		{ "0", NULL, 0, NULL },
		{ "106", NULL, 106, NULL },
		{ "255", NULL, 255, NULL },
		{ "rdma", "rdma", 0, NULL },
		{ "256", NULL, 0, "out of range: 0 to 255" },
		{ "010", NULL, 0, "leading zero" },
		{ "-1", NULL, 0, "out of range: 0 to 255" },
		{ "0x68", NULL, 0, "neither a class" },
		{ "99999999999999999999", NULL, 0, "neither a class" },
		{ "", NULL, 0, "neither a class" },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = NULL;
		struct value v = { 0 };
		int r = value_parse(&setting_cm.fields[CM_TOS], cases[i].text, &v, b->a, &why);

		assert_int_equal(r, cases[i].why ? -EINVAL : 0);
		if (cases[i].why)
			assert_has(why, cases[i].why);
		else
			assert_int_equal(v.num, cases[i].num);
		if (r == 0 && cases[i].class)
			assert_string_equal(v.text, cases[i].class);
		else if (r == 0)
			assert_null(v.text);
	}
}

static void a_class_compares_the_dscp(void **state)
{
	static const struct { bool class; int64_t want, have; bool same;
	} cases[] = {
		{true, 104, 104, true},	  {true, 104, 105, true},   {true, 104, 106, true}, {true, 104, 107, true},
		{true, 104, 103, false},  {true, 104, 108, false},  {true, 104, 26, false}, {false, 106, 106, true},
		{false, 106, 104, false}, {false, 104, 106, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct value want = { .num = cases[i].want, .text = cases[i].class ? "rdma" : NULL };
		struct value have = { .num = cases[i].have };

		assert_int_equal(value_same(&setting_cm.fields[CM_TOS], &want, &have, NULL), cases[i].same);
	}
}

static void want_class(struct bench *b, const char *class)
{
	struct cell *c = &want(b, &setting_cm)->at[CM_TOS];

	c->state = CELL_VALUE;
	c->value = (struct value){ .text = class };
}

/* The case: both files say 106, and the policy speaks of DSCP 26. */
static void case_tclass_106_is_dscp_26(void **state)
{
	struct bench *b = *state;
	struct root *root = root_open("tests/cases/tclass-106-is-dscp-26/tree.tsv");

	root->k->ops = &root->ops;
	b->run.kernel = root->k;
	want_class(b, "rdma");
	assert_int_equal(derive(b, &setting_cm, fabric_of(b)), 0);
	assert_int_equal(plan_build(&b->run, &b->plan, &b->d), 0);
	plan_outcome(&b->run, b->plan, false, &b->out);
	assert_int_equal(b->plan->n, 0);
	assert_int_equal(row_of(b, "roce.tos")->status, STATUS_IN_SYNC);
	assert_int_equal(b->out.exit_code, 0);
	root_close(root);
}

static void a_class_becomes_its_dscp(void **state)
{
	struct bench *b = *state;
	struct fabric *f = fabric_of(b);

	want_class(b, "rdma");
	assert_int_equal(derive(b, &setting_cm, f), 0);
	assert_int_equal(record_num(want(b, &setting_cm), CM_TOS, 0), 104);
	assert_int_equal(derive(b, &setting_cm, f), 0);		/* twice is the same */
	assert_int_equal(record_num(want(b, &setting_cm), CM_TOS, 0), 104);
	want_fabric(b, &setting_cm, CM_TOS);			/* the only lossless one */
	assert_int_equal(derive(b, &setting_cm, f), 0);
	assert_int_equal(record_num(want(b, &setting_cm), CM_TOS, 0), 104);
	f->at[2].lossless = true;
	want_fabric(b, &setting_cm, CM_TOS);			/* which of two? the caller's error */
	assert_int_equal(derive(b, &setting_cm, f), 0);
	assert_int_equal(want(b, &setting_cm)->at[CM_TOS].state, CELL_FABRIC);
	want_class(b, "rmda");
	assert_int_equal(derive(b, &setting_cm, f), -EINVAL);
	assert_has(told(b), "the fabric backend has no class \"rmda\"");
	assert_has(told(b), "did you mean rdma?");
	want_class(b, "nvme");
	assert_int_equal(derive(b, &setting_cm, f), -EINVAL);
	assert_has(told(b), "it has rdma, ");
	want_class(b, "rdma");
	assert_int_equal(derive(b, &setting_cm, NULL), -EINVAL);
	assert_has(told(b), "this group has no fabric");
	f->at[0].dscp = 0;
	assert_int_equal(derive(b, &setting_cm, f), -EINVAL);
	assert_has(told(b), "the class rdma has no DSCP");
}

static void a_class_keeps_the_ecn_bits(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	configfs(b, "RoCE v2\n", "98\n");		/* DSCP 24, ECT(0) */
	want_class(b, "rdma");
	derive(b, &setting_cm, fabric_of(b));
	c = the_change(b);
	assert_int_equal(c->impact, IMPACT_NONE);
	assert_int_equal(c->effective, EFFECTIVE_NEW_CONNECTIONS);
	assert_int_equal(applied(b), 0);
	assert_log(b, "default_roce_tos = 106\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void each_is_written_alone(void **state)
{
	struct bench *b = *state;

	configfs(b, "IB/RoCE v1\n", "104\n");
	want_num(b, &setting_cm, CM_MODE, 1);
	want_num(b, &setting_cm, CM_TOS, 104);
	assert_int_equal(applied(b), 0);
	assert_log(b, "default_roce_mode = RoCE v2\n");
	configfs(b, "RoCE v2\n", "0\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "default_roce_tos = 104\n");
}

static void undone_to_the_byte(void **state)
{
	struct bench *b = *state;

	configfs(b, "IB/RoCE v1\n", "98\n");
	want_num(b, &setting_cm, CM_MODE, 1);
	want_class(b, "rdma");
	derive(b, &setting_cm, fabric_of(b));
	b->ignores = true;
	assert_int_equal(applied(b), 3);
	assert_string_equal(text_of(b, MODE), "IB/RoCE v1\n");
	assert_string_equal(text_of(b, TOS), "98\n");
}

/* --- the vendor stack's traffic class ----------------------------------------- */

static void unset_or_absent_it_is_configfs_alone(void **state)
{
	struct bench *b = *state;

	configfs(b, "RoCE v2\n", "104\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "104");
	put(b, TCLASS, "");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "104");
	put(b, TCLASS, "src_ip=10.0.0.1/32,tclass=8\n");	/* rules, and no global value */
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "104");
}

static void set_it_overrides(void **state)
{
	struct bench *b = *state;
	struct record *r;

	configfs(b, "RoCE v2\n", "0\n");
	put(b, TCLASS, "Global tclass=106\nsrc_ip=10.0.0.1/32,tclass=8\n");
	r = look(b, &setting_cm);
	assert_string_equal(shown(b, r, CM_TOS), "106");
	assert_string_equal(r->at[CM_TOS].because,
			    "rdma_cm has 0, and the port's global traffic class 106 overrides it");
	assert_string_equal(shown(b, r, CM_MODE), "v2");
	put(b, TCLASS, "Global tclass=300\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "unreadable");
	put(b, TCLASS, "Global tclass=x\n");
	assert_string_equal(shown(b, look(b, &setting_cm), CM_TOS), "unreadable");
}

/* Either of the two that is wrong is drift, and only the wrong one is written. */
static void both_have_to_agree(void **state)
{
	static const struct { const char *global, *cm, *live, *log; } cases[] = {
		{ "Global tclass=106\n", "0\n", "0", "default_roce_tos = 104\n" },
		{ "Global tclass=8\n", "106\n", "8", "traffic_class = 104\n" },
		{ "Global tclass=8\n", "0\n", "8", "traffic_class = 104\ndefault_roce_tos = 104\n" },
	};
	struct bench *b = *state;

	want_class(b, "rdma");
	derive(b, &setting_cm, fabric_of(b));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		configfs(b, "RoCE v2\n", cases[i].cm);
		put(b, TCLASS, cases[i].global);
		planned(b);
		assert_int_equal(row_of(b, "roce.tos")->status, STATUS_DRIFT);
		assert_string_equal(shown(b, b->plan->finding[0].live, CM_TOS), cases[i].live);
		clear_log(b);
		assert_int_equal(b->plan->change[0]->part[0].home->write(&b->k, b->plan->change[0], &b->d), 0);
		assert_log(b, cases[i].log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads_both, setup_other),
		test_on(why_there_is_none, setup_other),
		test_on(spellings_of_a_tos, setup_other),
		test_on(a_class_compares_the_dscp, setup_other),
		test_on(case_tclass_106_is_dscp_26, setup_mlx5),
		test_on(a_class_becomes_its_dscp, setup_other),
		test_on(a_class_keeps_the_ecn_bits, setup_other),
		test_on(each_is_written_alone, setup_other),
		test_on(undone_to_the_byte, setup_other),
		test_on(unset_or_absent_it_is_configfs_alone, setup_mlx5),
		test_on(set_it_overrides, setup_mlx5),
		test_on(both_have_to_agree, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
