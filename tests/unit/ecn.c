/* SPDX-License-Identifier: Apache-2.0 */
/* ecn.*: field by field from the file that has it, only the files that are asked, and why there is none. */
#include "ports.h"

#include "settings/ecn.h"
#include "settings/port_files.h"

#define CC  "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/"
#define ECN "sys/class/net/eth0/ecn/"

static void enable(struct bench *b, const char *role, uint8_t mask)
{
	char path[128];

	for (unsigned i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), ECN "%s/enable/%u", role, i);
		put(b, path, mask >> i & 1 ? "1\n" : "0\n");
	}
}

static const char *one(struct bench *b, unsigned field)
{
	return shown(b, look(b, &setting_ecn), field);
}

static void from_debugfs(void **state)
{
	struct bench *b = *state;
	struct record *r;

	put(b, CC "rp_threshold", "1\n");
	put(b, CC "np_min_time_between_cnps", "4\n");
	put(b, CC "rp_clamp_tgt_rate", "1\n");
	put(b, CC "np_cnp_dscp", "48\n");
	put(b, CC "np_cnp_prio", "6\n");
	put(b, CC "np_cnp_prio_mode", "0\n");
	r = look(b, &setting_ecn);
	assert_string_equal(shown(b, r, ECN_RP_THRESHOLD), "1");
	assert_string_equal(shown(b, r, ECN_NP_MIN_TIME_BETWEEN_CNPS), "4us");
	assert_string_equal(shown(b, r, ECN_RP_CLAMP_TGT_RATE), "true");
	assert_string_equal(shown(b, r, ECN_CNP_DSCP), "48");
	assert_string_equal(shown(b, r, ECN_CNP_PRIORITY), "6");
	assert_string_equal(r->at[ECN_RP_THRESHOLD].via, "/" CC "rp_threshold");
}

static void why_there_is_none(void **state)
{
	static const struct { int err; const char *reason;
	} cases[] = {
		{EPERM, "locked-down"},
		{EACCES, "not-permitted"},
		{EIO, "unreadable"},
		{EBUSY, "busy"},
		{ENODEV, "vanished"},
		{ENXIO, "vanished"},
		{EOPNOTSUPP, "firmware-lacks"},
		{ENODATA, "not-recorded"},
	};
	struct bench *b = *state;

	assert_string_equal(one(b, ECN_RP_GD), "not-mounted");
	put(b, "proc/mounts", "debugfs /sys/kernel/debug debugfs rw 0 0\n");
	assert_string_equal(one(b, ECN_RP_GD), "driver-lacks");
	assert_has(look(b, &setting_ecn)->at[ECN_RP_GD].because, "mlx5_ib is not bound");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_err(b, CC "rp_gd", cases[i].err);
		assert_string_equal(one(b, ECN_RP_GD), cases[i].reason);
	}
	put(b, CC "rp_gd", "eleven\n");
	assert_string_equal(one(b, ECN_RP_GD), "unreadable");
	b->port.bdf = "";
	assert_string_equal(one(b, ECN_RP_GD), "driver-lacks");
	bench_vendor(b, &vendor_other);
	assert_has(look(b, &setting_ecn)->at[ECN_RP_GD].because, "rdmactl knows of");
}

/* Per priority there is a switch in the vendor's stack only, and it says so. */
static void np_and_rp(void **state)
{
	struct bench *b = *state;

	put(b, "proc/mounts", "debugfs /sys/kernel/debug debugfs rw 0 0\n");
	assert_string_equal(one(b, ECN_NP), "driver-lacks");
	assert_has(look(b, &setting_ecn)->at[ECN_NP].because, "ROCE_CC_PRIO_MASK");
	enable(b, "roce_np", 0xff);
	enable(b, "roce_rp", 0x08);
	assert_string_equal(one(b, ECN_NP), "0,1,2,3,4,5,6,7");
	assert_string_equal(one(b, ECN_RP), "3");
	want_num(b, &setting_ecn, ECN_NP, 1 << 3);
	want_num(b, &setting_ecn, ECN_RP, 1 << 3 | 1 << 4);
	assert_int_equal(applied(b), 0);
	assert_log(b, "0 = 0\n1 = 0\n2 = 0\n4 = 0\n5 = 0\n6 = 0\n7 = 0\n4 = 1\n");	/* what differs, nothing else */
	assert_string_equal(one(b, ECN_NP), "3");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

/* The vendor's file serves what it has, debugfs the rest: no register through two files. */
static void field_by_field(void **state)
{
	struct bench *b = *state;
	struct record *r;

	put(b, ECN "roce_rp/rpg_gd", "11\n");
	put(b, CC "rp_gd", "12\n");
	put(b, CC "rp_ai_rate", "5\n");
	r = look(b, &setting_ecn);
	assert_string_equal(shown(b, r, ECN_RP_GD), "11");
	assert_string_equal(r->at[ECN_RP_GD].via, "/" ECN "roce_rp/rpg_gd");
	assert_string_equal(shown(b, r, ECN_RP_AI_RATE), "5Mb/s");
	want_num(b, &setting_ecn, ECN_RP_GD, 10);
	want_num(b, &setting_ecn, ECN_RP_AI_RATE, 50);
	assert_int_equal(planned(b)->n, 2);		/* each field alone */
	assert_int_equal(b->plan->change[0]->impact, IMPACT_NONE);
	assert_int_equal(applied(b), 0);
	assert_string_equal(text_of(b, ECN "roce_rp/rpg_gd"), "10\n");
	assert_string_equal(text_of(b, CC "rp_gd"), "12\n");
	assert_string_equal(text_of(b, CC "rp_ai_rate"), "50\n");
}

static unsigned reads;

static int counting_read(struct kernel *k, const char *path, struct text *out)
{
	if (strstr(path, "cc_params"))
		reads++;
	return bench_read_file(k, path, out);
}

/* On silicon each file is a firmware command. */
static void only_what_is_asked(void **state)
{
	struct bench *b = *state;

	put(b, CC "rp_threshold", "1\n");
	put(b, CC "rp_gd", "11\n");
	put(b, CC "rp_ai_rate", "5\n");
	want_num(b, &setting_ecn, ECN_RP_THRESHOLD, 1);
	b->ops.read = counting_read;
	reads = 0;
	assert_int_equal(planned(b)->n, 0);
	assert_int_equal(reads, 1);
}

/* np_cnp_prio_mode 1: the number is there and does not count. Writing it makes it count. */
static void a_priority_that_is_not_in_use(void **state)
{
	struct bench *b = *state;

	put(b, CC "np_cnp_prio", "6\n");
	put(b, CC "np_cnp_prio_mode", "1\n");
	want_num(b, &setting_ecn, ECN_CNP_PRIORITY, 6);
	planned(b);
	assert_int_equal(row_of(b, "ecn.cnp.priority")->status, STATUS_DRIFT);
	assert_string_equal(row_of(b, "ecn.cnp.priority")->cause, "the number is not in use: np_cnp_prio_mode is 1");
	assert_int_equal(applied(b), 3);		/* this device does not reset the mode: found out, and undone */
	assert_has(told(b), "ecn.cnp.priority: wanted 6");
	put(b, CC "np_cnp_prio_mode", "x\n");
	planned(b);
	assert_int_equal(row_of(b, "ecn.cnp.priority")->status, STATUS_UNKNOWN);
	put(b, CC "np_cnp_prio_mode", "0\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void rounded_is_told(void **state)
{
	struct bench *b = *state;

	b->ignores = true;
	put(b, CC "rp_ai_rate", "5\n");
	want_num(b, &setting_ecn, ECN_RP_AI_RATE, 7);
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "ecn.rp_ai_rate: wanted 7Mb/s, wrote 7Mb/s, got 5Mb/s");
}

static void the_file_is_named(void **state)
{
	struct bench *b = *state;

	put(b, CC "rp_ai_rate", "5\n");
	want_num(b, &setting_ecn, ECN_RP_AI_RATE, 7);
	b->write_err = -EINVAL;
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "eth0 (mlx5_0/1): /" CC "rp_ai_rate: cannot write 7: Invalid argument");
}

static int rtt_write_file(struct kernel *k, const char *path, const char *s, size_t n)
{
	int r = bench_write_file(k, path, s, n);

	if (r == 0 && strstr(path, "rtt_resp_dscp") && !strstr(path, "valid"))
		put(bench_of(k), CC "rtt_resp_dscp_valid", "1\n");
	return r;
}

/* Writing the DSCP sets the flag: what the policy says of the flag, or its silence, holds afterwards. */
static void the_rtt_flag_is_written_last(void **state)
{
	struct bench *b = *state;

	b->ops.write = rtt_write_file;
	put(b, CC "rtt_resp_dscp", "0\n");
	put(b, CC "rtt_resp_dscp_valid", "0\n");
	want_num(b, &setting_ecn, ECN_RTT_RESP_DSCP, 40);
	assert_int_equal(applied(b), 0);
	assert_log(b, "rtt_resp_dscp = 40\nrtt_resp_dscp_valid = 0\n");
	put(b, CC "rtt_resp_dscp", "0\n");
	want_num(b, &setting_ecn, ECN_RTT_RESP_DSCP_VALID, 1);
	assert_int_equal(planned(b)->n, 1);		/* one register */
	assert_int_equal(applied(b), 0);
	assert_log(b, "rtt_resp_dscp = 40\n");
	want_num(b, &setting_ecn, ECN_RTT_RESP_DSCP_VALID, 0);
	assert_int_equal(applied(b), 0);
	assert_log(b, "rtt_resp_dscp_valid = 0\n");
}

static void derived_from_classes(void **state)
{
	struct bench *b = *state;
	struct fabric *f = fabric_of(b);
	struct record *r = want(b, &setting_ecn);

	for (unsigned i = 0; i < r->n; i++)
		want_fabric(b, &setting_ecn, i);		/* ecn: fabric */
	assert_int_equal(derive(b, &setting_ecn, f), 0);
	assert_string_equal(shown(b, r, ECN_NP), "3");
	assert_string_equal(shown(b, r, ECN_RP), "3");
	assert_true(r->at[ECN_NP].if_supported && r->at[ECN_RP].if_supported);
	assert_string_equal(shown(b, r, ECN_CNP_DSCP), "48");
	assert_string_equal(shown(b, r, ECN_CNP_PRIORITY), "6");
	for (unsigned i = ECN_NP_MIN_TIME_BETWEEN_CNPS; i < ECN_FIELDS; i++)
		assert_int_equal(r->at[i].state, CELL_SILENT);
	want_fabric(b, &setting_ecn, ECN_RP_GD);		/* alone, nobody can say: the caller's error */
	assert_int_equal(derive(b, &setting_ecn, f), 0);
	assert_int_equal(r->at[ECN_RP_GD].state, CELL_FABRIC);
	r->at[ECN_RP_GD].state = CELL_SILENT;
	f->n = 1;						/* no class cnp */
	want_fabric(b, &setting_ecn, ECN_CNP_DSCP);
	assert_int_equal(derive(b, &setting_ecn, f), -EINVAL);
	assert_has(told(b), "the fabric backend has no class cnp");
	assert_int_equal(r->at[ECN_CNP_DSCP].state, CELL_SILENT);
}

/* What is derived for drivers that have such a switch is no drift on one that has none. */
static void derived_and_lacking_is_unsupported(void **state)
{
	struct bench *b = *state;

	put(b, "proc/mounts", "debugfs /sys/kernel/debug debugfs rw 0 0\n");
	want_fabric(b, &setting_ecn, ECN_NP);
	assert_int_equal(derive(b, &setting_ecn, fabric_of(b)), 0);
	planned(b);
	assert_int_equal(row_of(b, "ecn.np")->status, STATUS_UNSUPPORTED);
	assert_int_equal(b->out.exit_code, 0);
	want(b, &setting_ecn)->at[ECN_NP].if_supported = false;	/* spelled out it is asked for */
	planned(b);
	assert_int_equal(row_of(b, "ecn.np")->status, STATUS_DRIFT);
}

static void paths(void **state)
{
	static const struct { const char *pattern, *path; int r; } cases[] = {
		{ "a/{ifname}/b", "a/eth0/b", 0 },
		{ "{ibdev}/{port}/{bdf}", "mlx5_0/1/0000:03:00.0", 0 },
		{ "x/{prio}", "x/5", 0 },
		{ "no/{such}/thing", "no/{such}/thing", 0 },
		{ "plain", "plain", 0 },
		{ "", "", 0 },
	};
	struct bench *b = *state;
	struct target t = *target_for(b, &setting_ecn);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEXT_CLEANUP struct text out = { 0 };

		assert_int_equal(file_path(&t, cases[i].pattern, 5, &out), cases[i].r);
		assert_string_equal(text_str(&out), cases[i].path);
	}
	t.ifname = "../../etc";		/* a name is one component, whoever made it up */
	for (size_t i = 0; i < 1; i++) {
		TEXT_CLEANUP struct text out = { 0 };

		assert_int_equal(file_path(&t, "a/{ifname}", 0, &out), -ENOENT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(from_debugfs, setup_mlx5),
		test_on(why_there_is_none, setup_mlx5),
		test_on(np_and_rp, setup_mlx5),
		test_on(field_by_field, setup_mlx5),
		test_on(only_what_is_asked, setup_mlx5),
		test_on(a_priority_that_is_not_in_use, setup_mlx5),
		test_on(rounded_is_told, setup_mlx5),
		test_on(the_file_is_named, setup_mlx5),
		test_on(the_rtt_flag_is_written_last, setup_mlx5),
		test_on(derived_from_classes, setup_mlx5),
		test_on(derived_and_lacking_is_unsupported, setup_mlx5),
		test_on(paths, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
