/* SPDX-License-Identifier: Apache-2.0 */
/* roce.enabled: what runs, apart from what the next reload gives; set and reload; drivers that do it otherwise. */
#include "ports.h"

enum { ROCE_ENABLED };

static void what_runs_and_what_waits(void **state)
{
	struct bench *b = *state;
	struct record *r = look(b, &setting_roce);

	assert_string_equal(shown(b, r, ROCE_ENABLED), "true");
	assert_null(r->at[ROCE_ENABLED].because);
	b->param[DEVLINK_DRIVERINIT] = false;		/* set, and not yet reloaded */
	r = look(b, &setting_roce);
	assert_string_equal(shown(b, r, ROCE_ENABLED), "true");
	assert_has(r->at[ROCE_ENABLED].because, "set to false and waits for a devlink reload");
	runs(b, false);
	r = look(b, &setting_roce);
	assert_string_equal(shown(b, r, ROCE_ENABLED), "false");
	assert_null(r->at[ROCE_ENABLED].because);
	b->param[DEVLINK_DRIVERINIT] = true;
	r = look(b, &setting_roce);
	assert_string_equal(shown(b, r, ROCE_ENABLED), "false");
	assert_has(r->at[ROCE_ENABLED].because, "set to true, but RoCE does not run");
}

/* mlx5 without RoCE keeps a device of raw Ethernet: nldev names no protocol, and there is no GID. */
static void a_device_without_roce(void **state)
{
	struct bench *b = *state;

	b->port.protocol = "";
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "false");
	put(b, "sys/class/infiniband/mlx5_0/ports/1/gids/0", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "false");
	put(b, "sys/class/infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001\n");
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "true");
	b->port.protocol = "ib";
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "false");
}

static void why_there_is_none(void **state)
{
	struct bench *b = *state;
	struct record *r;

	memset(b->has_param, 0, sizeof(b->has_param));
	r = look(b, &setting_roce);
	assert_string_equal(shown(b, r, ROCE_ENABLED), "driver-lacks");
	assert_has(r->at[ROCE_ENABLED].because, "RoCE runs on mlx5_0");
	b->devlink = false;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "driver-lacks");
	b->port.bdf = "";
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "driver-lacks");
	b->port.link_layer = LINK_LAYER_INFINIBAND;
	assert_has(look(b, &setting_roce)->at[ROCE_ENABLED].because, "InfiniBand");
	b->port.link_layer = LINK_LAYER_ETHERNET;
	b->facts.rdma = false;
	b->facts.rdma_why = "ib_core is built out";
	r = look(b, &setting_roce);
	assert_string_equal(shown(b, r, ROCE_ENABLED), "module-not-loaded");
	assert_string_equal(r->at[ROCE_ENABLED].because, "ib_core is built out");
	b->facts.rdma_err = -EPROTONOSUPPORT;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "module-not-loaded");
	b->facts.rdma_err = -ENODATA;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "not-recorded");
	b->facts.rdma_err = -EPERM;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "not-permitted");
	b->facts.rdma_err = -ENOENT;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "unreadable");
}

/* Without netlink a running device is proof; that none is seen is not. */
static void without_netlink(void **state)
{
	struct bench *b = *state;

	b->talk_err = -ENODATA;
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "true");
	runs(b, false);
	assert_string_equal(shown(b, look(b, &setting_roce), ROCE_ENABLED), "not-recorded");
}

static void set_and_reloaded(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	b->param[DEVLINK_DRIVERINIT] = false;
	runs(b, false);
	want_num(b, &setting_roce, ROCE_ENABLED, 1);
	c = the_change(b);
	assert_int_equal(c->impact, IMPACT_RELOAD);
	assert_int_equal(c->effective, EFFECTIVE_RELOAD);
	b->run.consent.idle = IMPACT_TRAFFIC;
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
	assert_string_equal(row_of(b, "roce.enabled")->reason, "above-allow");
	b->run.consent.idle = IMPACT_RELOAD;
	assert_int_equal(applied(b), 0);
	assert_log(b, "enable_roce 1 true\nreload\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

/* The value is there and waits: the reload is all that is missing. */
static void only_the_reload_is_missing(void **state)
{
	struct bench *b = *state;

	runs(b, false);
	want_num(b, &setting_roce, ROCE_ENABLED, 1);
	assert_int_equal(applied(b), 0);
	assert_log(b, "reload\n");
}

static void at_once_on_ice(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_ice);
	memset(b->has_param, 0, sizeof(b->has_param));
	b->has_param[DEVLINK_RUNTIME] = true;
	runs(b, false);
	want_num(b, &setting_roce, ROCE_ENABLED, 1);
	assert_int_equal(the_change(b)->impact, IMPACT_RELOAD);
	assert_int_equal(the_change(b)->effective, EFFECTIVE_NOW);
	assert_int_equal(applied(b), 0);
	assert_log(b, "enable_roce 0 true\n");
}

static void in_nvram_on_bnxt(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_bnxt);
	memset(b->has_param, 0, sizeof(b->has_param));
	b->has_param[DEVLINK_PERMANENT] = true;
	runs(b, false);
	want_num(b, &setting_roce, ROCE_ENABLED, 1);
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "devlink dev param set pci/0000:03:00.0 name enable_roce");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void all_of_the_port_is_disturbed(void **state)
{
	const struct setting *const *s = setting_roce.live.disturbs;
	static const struct setting *const expected[] = {
		&setting_mtu, &setting_pause, &setting_ets, &setting_pfc, &setting_dscp, &setting_ecn, &setting_cm,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++, s++)
		assert_ptr_equal(*s, expected[i]);
	assert_null(*s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(what_runs_and_what_waits, setup_mlx5),
		test_on(a_device_without_roce, setup_mlx5),
		test_on(why_there_is_none, setup_mlx5),
		test_on(without_netlink, setup_mlx5),
		test_on(set_and_reloaded, setup_mlx5),
		test_on(only_the_reload_is_missing, setup_mlx5),
		test_on(at_once_on_ice, setup_mlx5),
		test_on(in_nvram_on_bnxt, setup_mlx5),
		cmocka_unit_test(all_of_the_port_is_disturbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
