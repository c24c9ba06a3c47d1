/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendors' tables: every driver finds its own, nothing in them is half. ice's one object of trust, map and ETS.
 * With the verdict of tests/cases/netlink-ieee-get-dscp-pfc.
 */
#include "ports.h"

#include "settings/dscp.h"
#include "settings/ets.h"
#include "settings/pfc.h"

static const struct vendor *const vendors[] = {
#define VENDOR(name) &vendor_##name,
#include "vendors/list.h"
#undef VENDOR
};

enum { VENDORS = sizeof(vendors) / sizeof(vendors[0]) };

static void each_driver_finds_its_own(void **state)
{
	static const struct { const char *driver, *vendor; unsigned overhead; bool dcb; } cases[] = {
		{ "mlx5_core", "mlx5", 96, true }, { "bnxt_en", "bnxt", 96, true },  { "ice", "ice", 0, true },
		{ "hns3", "hns", 96, true },	   { "ionic", "ionic", 96, false }, { "mana", "mana", 0, false },
		{ "rdma_rxe", "soft", 80, false }, { "siw", "soft", 80, false },    { "e1000e", "other", 96, false },
		{ "", "other", 96, false },
	};
	const struct catalog c = { .vendor = vendors, .nvendors = VENDORS };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct vendor *v = catalog_vendor(&c, cases[i].driver);

		assert_string_equal(v->name, cases[i].vendor);
		assert_int_equal(v->roce_overhead, cases[i].overhead);
		assert_int_equal(v->manners != NULL, cases[i].dcb);
	}
}

static void no_driver_twice(void **state)
{
	const char *seen[64];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 2 * VENDORS; i++)
		for (const char *const *d = i < VENDORS ? vendors[i]->drivers : vendors[i - VENDORS]->rdma_drivers; d && *d; d++) {
			for (size_t j = 0; j < n; j++)
				assert_string_not_equal(seen[j], *d);
			seen[n++] = *d;
		}
	assert_int_equal(n, 16);
	assert_string_equal(vendors[VENDORS - 1]->name, "other");
}

/* A home that can be read can be explained, and one that can be written says of which object. */
static void providers_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < VENDORS; i++)
		for (const struct provider *p = vendors[i]->providers; p && p->setting; p++) {
			assert_non_null(p->live);
			assert_non_null(p->live->read);
			assert_non_null(p->live->write);
			assert_non_null(p->live->interface);
		}
}

static void remedies_against_firmware_dcbx(void **state)
{
	(void)state;
	for (size_t i = 0; i < VENDORS; i++)
		if (vendors[i]->manners)
			assert_non_null(vendors[i]->manners->dcbx_remedy);
}

/* --- ice ---------------------------------------------------------------------- */

static void ice_is_one_object(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	want_map(b, &setting_ets, QOS_ETS, "0:40 3:60");
	assert_int_equal(planned(b)->n, 1);
	assert_string_equal(b->plan->change[0]->object, "dcb");
	assert_int_equal(b->plan->change[0]->impact, IMPACT_TRAFFIC);
	assert_null(b->plan->change[0]->leaves);
	assert_int_equal(applied(b), 0);
	assert_log(b, "+26:3 \nets \n");		/* the map first: it resets ETS */
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void ice_names_the_ets_that_goes(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	assert_has(the_change(b)->leaves, "ETS");
}

static void ice_fixes_the_class_of_a_priority(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	want_map(b, &setting_ets, QOS_TC, "3:1");
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "priority n on traffic class n");
	b->desired.n = 0;
	want_map(b, &setting_ets, QOS_TC, "3:1");	/* under PCP trust it is free */
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	b->dcb.app[b->dcb.napps++] = (struct dcb_app){ .selector = 5, .protocol = 8, .priority = 1 };
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
}

/* After the reset TC 0 has all the bandwidth: a policy that gives it to others and keeps 0 in use cannot be meant. */
static void ice_judges_what_the_reset_leaves(void **state)
{
	struct bench *b = *state;

	want_map(b, &setting_dscp, QOS_DSCP, "26:3");
	want_map(b, &setting_ets, QOS_ETS, "3:100");
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "traffic class 0 takes 100%");
}

/* --- the case ------------------------------------------------------------------ */

static struct text reply_hex;

static int hex_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	const struct nlmsghdr *h = request;

	if (protocol != NETLINK_ROUTE || h->nlmsg_type != RTM_GETDCB)
		return bench_talk(k, protocol, request, n, reply);
	text_addn(reply, reply_hex.s, reply_hex.n);
	return 0;
}

static void load_hex(const char *file)
{
	FILE *f = fopen(file, "r");
	unsigned byte;

	assert_non_null(f);
	while (fscanf(f, "%2x", &byte) == 1)
		text_char(&reply_hex, (char)byte);
	fclose(f);
	assert_int_equal(reply_hex.n, 272);
}

/* As wanted, UDP port 4791 is no DSCP, and the delay would be written back as it is. */
static void case_netlink_ieee_get_dscp_pfc(void **state)
{
	struct bench *b = *state;
	struct record *r;

	load_hex("tests/cases/netlink-ieee-get-dscp-pfc/reply.hex");
	b->port.ifname = b->port.name = "ens1f0np0";
	bench_vendor(b, &vendor_mlx5);
	b->ops.talk = hex_talk;
	want_num(b, &setting_dscp, QOS_TRUST, TRUST_DSCP);
	want_map(b, &setting_dscp, QOS_DSCP, "26:3 48:6");
	want_num(b, &setting_pfc, QOS_PFC, 1 << 3);
	assert_int_equal(planned(b)->n, 0);
	assert_int_equal(b->out.exit_code, 0);
	assert_int_equal(b->out.count[STATUS_IN_SYNC], 3);
	r = look(b, &setting_dscp);
	assert_string_equal(shown(b, r, QOS_DSCP), "26:3 48:6");
	assert_string_equal(shown(b, look(b, &setting_ets), QOS_TC), "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
	text_done(&reply_hex);
}

static int setup_ice(void **state)
{
	*state = bench_open(&vendor_ice);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_driver_finds_its_own),
		cmocka_unit_test(no_driver_twice),
		cmocka_unit_test(providers_are_whole),
		cmocka_unit_test(remedies_against_firmware_dcbx),
		test_on(ice_is_one_object, setup_ice),
		test_on(ice_names_the_ets_that_goes, setup_ice),
		test_on(ice_fixes_the_class_of_a_priority, setup_ice),
		test_on(ice_judges_what_the_reset_leaves, setup_ice),
		test_on(case_netlink_ieee_get_dscp_pfc, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
