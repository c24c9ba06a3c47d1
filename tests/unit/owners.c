/* SPDX-License-Identifier: Apache-2.0 */
/* Other owners of DCB and MTU: found, named, refused, or with --take-over overwritten and warned of. */
#include "ports.h"

#include "settings/dscp.h"
#include "settings/ets.h"
#include "settings/mtu.h"
#include "settings/pfc.h"

#define LLDPAD "Num RefCount\n0000: 00000002 0 10000 0002 01 22 @/com/intel/lldpad\n"
#define NETWORK "etc/systemd/network/10-rails.network"

static void want_pfc(struct bench *b)
{
	want_num(b, &setting_pfc, QOS_PFC, 1 << 3);
}

/* --- DCB ------------------------------------------------------------------------- */

static void lldpad_is_named(void **state)
{
	struct bench *b = *state;

	want_pfc(b);
	put(b, "proc/net/unix", LLDPAD);
	assert_int_equal(the_change(b)->refused, REFUSED_OTHER_OWNER);
	assert_has(the_change(b)->refused_why, "lldpad runs (@/com/intel/lldpad)");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

static void lldpad_may_be_overwritten(void **state)
{
	struct bench *b = *state;

	want_pfc(b);
	put(b, "proc/net/unix", LLDPAD);
	b->run.take_over = true;
	assert_int_equal(applied(b), 0);
	assert_log(b, "pfc \n");
	assert_has(told(b), "warning: eth0: PFCC is written although another owner may overwrite it: lldpad runs");
	assert_int_equal(b->d.warnings, 1);
}

/* The rest of weighing is not skipped: a change that is impossible stays so. */
static void taken_over_is_weighed_to_the_end(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_ice);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	want_map(b, &setting_ets, QOS_TC, "3:1");
	put(b, "proc/net/unix", LLDPAD);
	b->run.take_over = true;
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_int_equal(b->d.warnings, 0);
}

static void the_agent_of_ice_is_named_by_its_flag(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	bench_vendor(b, &vendor_ice);
	want_pfc(b);
	b->has_agent = true;
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	b->agent = true;
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
	assert_has(c->refused_why, "private flag fw-lldp-agent");
	assert_has(c->refused_why, "fw-lldp-agent off");
	assert_false(c->barred);
	b->dcb.dcbx = DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_LLD_MANAGED;
	b->run.take_over = true;	/* its driver takes nothing in this mode */
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
	assert_has(c->refused_why, "dcbx mode 0x0a, LLD_MANAGED");
	assert_has(c->refused_why, "with --take-over or without");
	assert_int_equal(applied(b), 1);
	assert_log(b, "");
}

/* Its flags are asked of ice alone. */
static void an_agent_elsewhere_is_none(void **state)
{
	struct bench *b = *state;

	want_pfc(b);
	b->has_agent = b->agent = true;
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
}

static void firmware_by_driver(void **state)
{
	struct bench *b = *state;
	static const struct { const struct vendor *v; uint8_t dcbx; const char *says; bool barred; } cases[] = {
		{ &vendor_mlx5, 0x0c, "the adapter's firmware owns DCB here (dcbx mode 0x0c, no HOST bit)", false },
		{ &vendor_bnxt, 0x0a, "the adapter's firmware owns DCB here (dcbx mode 0x0a, LLD_MANAGED)", true },
		{ &vendor_bnxt, 0x08, "NVRAM", true },
		{ &vendor_ice, 0x0a, "fw-lldp-agent off", true },
		{ &vendor_hns, 0x00, "a mqprio qdisc owns DCB here", true },
	};

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct change *c;

		bench_vendor(b, cases[i].v);
		b->dcb.dcbx = cases[i].dcbx;
		c = the_change(b);
		assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
		assert_has(c->refused_why, cases[i].says);
		assert_int_equal(c->barred, cases[i].barred);
	}
}

/* A willing bit without an agent refuses nothing; with one it says who decides. */
static void willing_is_no_owner(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	b->dcb.ets.willing = 1;
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	b->dcb.dcbx = 0x0c;
	assert_has(the_change(b)->refused_why, "takes what the switch offers (willing)");
}

/* --- MTU ------------------------------------------------------------------------- */

static void networkd(struct bench *b, const char *text)
{
	put(b, "run/systemd/netif/links/9", "");	/* it runs */
	put(b, NETWORK, text);
}

static void who_sets_another_mtu_is_named(void **state)
{
	struct bench *b = *state;
	const struct change *c;

	want_num(b, &setting_mtu, MTU, 9000);
	networkd(b, "[Match]\nName=eth0\n\n[Link]\nMTUBytes=1500\n");
	c = the_change(b);
	assert_int_equal(c->refused, REFUSED_OTHER_OWNER);
	assert_string_equal(c->refused_why, "/" NETWORK ":5: systemd-networkd sets the MTU of eth0 to 1500 whenever it brings "
					    "the link up: change it there, or apply with --take-over");
	assert_int_equal(applied(b), 1);
	assert_string_equal(row_of(b, "mtu")->reason, "other-owner");
	assert_log(b, "");
}

static void who_sets_this_very_mtu_is_no_obstacle(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_mtu, MTU, 9000);
	networkd(b, "[Match]\nName=eth*\n[Link]\nMTUBytes=9000\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "mtu 9000\n");
}

static void an_mtu_may_be_taken_over(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_mtu, MTU, 9000);
	networkd(b, "[Match]\nName=eth0\n[Link]\nMTUBytes=1500\n");
	b->run.take_over = true;
	assert_int_equal(applied(b), 0);
	assert_log(b, "mtu 9000\n");
	assert_has(told(b), "may overwrite it: /" NETWORK ":4: systemd-networkd sets the MTU of eth0 to 1500");
	assert_has(text_of(b, NETWORK), "MTUBytes=1500");
	assert_int_equal(b->d.warnings, 1);
}

/* eth0.100 would be clamped to what its own owner does not want. */
static void a_vlan_that_shrinks_is_asked(void **state)
{
	struct bench *b = *state;

	b->mtu = b->vlan_mtu = 9000;
	want_num(b, &setting_mtu, MTU, 4200);
	networkd(b, "[Match]\nName=eth0.100\n[Link]\nMTUBytes=9000\n");
	assert_int_equal(the_change(b)->refused, REFUSED_OTHER_OWNER);
	assert_has(the_change(b)->refused_why, "the MTU of the VLAN above it, eth0.100 to 9000");
	networkd(b, "[Match]\nName=eth0.100\n[Link]\nMTUBytes=1500\n");
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
}

static void what_cannot_be_read_is_told_once(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_mtu, MTU, 9000);
	put_err(b, "etc/NetworkManager/system-connections/a", EACCES);
	put(b, "run/NetworkManager/conf.d/x", "");
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	assert_has(told(b), "not wholly known: /etc/NetworkManager/system-connections/a: Permission denied");
	assert_int_equal(b->d.warnings, 1);
}

/* In sync, none of those files is looked at. */
static void in_sync_nobody_asks(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_mtu, MTU, 1500);
	networkd(b, "[Match]\nName=eth0\n[Link]\nMTUBytes=9000\n");
	put_err(b, NETWORK, EACCES);
	assert_int_equal(planned(b)->n + b->plan->nrefused, 0);
	assert_int_equal(b->d.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(lldpad_is_named, setup_mlx5),
		test_on(lldpad_may_be_overwritten, setup_mlx5),
		test_on(taken_over_is_weighed_to_the_end, setup_mlx5),
		test_on(the_agent_of_ice_is_named_by_its_flag, setup_mlx5),
		test_on(an_agent_elsewhere_is_none, setup_mlx5),
		test_on(firmware_by_driver, setup_mlx5),
		test_on(willing_is_no_owner, setup_mlx5),
		test_on(who_sets_another_mtu_is_named, setup_mlx5),
		test_on(who_sets_this_very_mtu_is_no_obstacle, setup_mlx5),
		test_on(an_mtu_may_be_taken_over, setup_mlx5),
		test_on(a_vlan_that_shrinks_is_asked, setup_mlx5),
		test_on(what_cannot_be_read_is_told_once, setup_mlx5),
		test_on(in_sync_nobody_asks, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
