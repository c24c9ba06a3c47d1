/* SPDX-License-Identifier: Apache-2.0 */
/* mtu: read by netlink or from the file, RoCE's own derived beside it, clamped VLANs named, refusals told whole. */
#include "ports.h"

#include "settings/mtu.h"

static const char *because(struct bench *b, uint32_t mtu)
{
	b->mtu = mtu;
	return look(b, &setting_mtu)->at[MTU].because;
}

static void the_roce_mtu_is_told(void **state)
{
	struct bench *b = *state;

	assert_string_equal(because(b, 9000), "RoCE MTU 4096 (derived)");
	assert_string_equal(because(b, 4192), "RoCE MTU 4096 (derived)");
	assert_string_equal(because(b, 4191),
			    "netdev MTU 4191 yields RoCE MTU 2048 (derived); 4096 needs 4192, set 4200");
	assert_string_equal(because(b, 4096),
			    "netdev MTU 4096 yields RoCE MTU 2048 (derived); 4096 needs 4192, set 4200");
	assert_string_equal(because(b, 4095), "RoCE MTU 2048 (derived)");
	assert_string_equal(because(b, 1500), "RoCE MTU 1024 (derived)");
	assert_string_equal(because(b, 1119), "RoCE MTU 512 (derived)");
	assert_string_equal(because(b, 352), "RoCE MTU 256 (derived)");
	assert_string_equal(because(b, 351), "too small for any RoCE MTU (derived)");
	bench_vendor(b, &vendor_soft);
	assert_string_equal(because(b, 4176), "RoCE MTU 4096 (derived)");
	bench_vendor(b, &vendor_mana);
	assert_string_equal(because(b, 4096), "RoCE MTU 4096 (derived)");
	b->port.protocol = "iw";
	assert_null(because(b, 9000));
}

static void why_there_is_none(void **state)
{
	struct bench *b = *state;

	b->gone = true;
	assert_string_equal(shown(b, look(b, &setting_mtu), MTU), "vanished");
	b->talk_err = -EPERM;
	assert_string_equal(shown(b, look(b, &setting_mtu), MTU), "not-permitted");
}

static void below_a_root_the_file_has_it(void **state)
{
	struct bench *b = *state;
	struct record *r;

	b->talk_err = -ENODATA;
	assert_string_equal(shown(b, look(b, &setting_mtu), MTU), "not-recorded");
	put(b, "sys/class/net/eth0/mtu", "9000\n");
	r = look(b, &setting_mtu);
	assert_string_equal(shown(b, r, MTU), "9000");
	assert_string_equal(r->at[MTU].because, "RoCE MTU 4096 (derived)");
	put(b, "sys/class/net/eth0/mtu", "lots\n");
	assert_string_equal(shown(b, look(b, &setting_mtu), MTU), "not-recorded");
}

static void is_set_once(void **state)
{
	struct bench *b = *state;

	want_num(b, &setting_mtu, MTU, 9000);
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_int_equal(applied(b), 0);
	assert_log(b, "mtu 9000\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void a_software_device_drops_nothing(void **state)
{
	struct bench *b = *state;

	bench_vendor(b, &vendor_soft);
	want_num(b, &setting_mtu, MTU, 9000);
	assert_int_equal(the_change(b)->impact, IMPACT_NONE);
}

static void clamped_vlans_are_named(void **state)
{
	struct bench *b = *state;

	b->mtu = b->vlan_mtu = 9000;
	want_num(b, &setting_mtu, MTU, 4200);
	assert_string_equal(the_change(b)->leaves, "VLANs above, clamped to 4200: eth0.100 (9000)");
	b->vlan_mtu = 1500;
	assert_null(the_change(b)->leaves);
	b->vlan_mtu = 4200;
	want_num(b, &setting_mtu, MTU, 9500);
	assert_null(the_change(b)->leaves);
}

/* The error of the style guide: place, port, value, the kernel's reason, what this port takes. */
static void out_of_range_is_told_whole(void **state)
{
	struct bench *b = *state;
	static const char text[] = "ports:\n    mtu: 9700\n";
	static const struct source policy = { .name = "prod.yaml", .text = text, .len = sizeof(text) - 1 };

	b->max_mtu = 9216;
	want_num(b, &setting_mtu, MTU, 9700);
	want(b, &setting_mtu)->at[MTU].pos = (struct pos){ .source = &policy, .line = 2, .col = 10, .len = 4 };
	assert_int_equal(applied(b), 3);
	assert_log(b, "mtu 9700\n");		/* the old value is there still: it is not sent again */
	assert_has(told(b), "prod.yaml:2:10: error: eth0 (mlx5_0/1): cannot set mtu to 9700: Invalid argument\n");
	assert_has(told(b), "hint: this port takes 68 to 9216; see `rdmactl show mtu`");
}

static void an_ignored_mtu_is_no_success(void **state)
{
	struct bench *b = *state;

	b->ignores = true;
	want_num(b, &setting_mtu, MTU, 9000);
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "mtu: wanted 9000, wrote 9000, got 1500");
}

static void derived_from_the_fabric(void **state)
{
	struct bench *b = *state;
	struct fabric *f = fabric_of(b);

	want_fabric(b, &setting_mtu, MTU);
	assert_int_equal(derive(b, &setting_mtu, f), 0);
	assert_int_equal(record_num(want(b, &setting_mtu), MTU, 0), 9000);
	f->mtu = 0;
	want_fabric(b, &setting_mtu, MTU);
	assert_int_equal(derive(b, &setting_mtu, f), -EINVAL);
	assert_has(told(b), "mtu: the fabric backend says none");
	assert_int_equal(want(b, &setting_mtu)->at[MTU].state, CELL_SILENT);
}

static void grows_to_the_larger(void **state)
{
	struct bench *b = *state;
	static const struct { int64_t have, want, both; } cases[] = { { 1500, 9000, 9000 }, { 9000, 1500, 9000 } };

	for (size_t i = 0; i < 2; i++) {
		struct record *have = record_new(b->a, &setting_mtu), *both;

		cell_set_num(&have->at[MTU], cases[i].have);
		want_num(b, &setting_mtu, MTU, cases[i].want);
		both = record_copy(b->a, want(b, &setting_mtu));
		setting_mtu.grow(have, want(b, &setting_mtu), both);
		assert_int_equal(record_num(both, MTU, 0), cases[i].both);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(the_roce_mtu_is_told, setup_mlx5),
		test_on(why_there_is_none, setup_mlx5),
		test_on(below_a_root_the_file_has_it, setup_mlx5),
		test_on(is_set_once, setup_mlx5),
		test_on(a_software_device_drops_nothing, setup_mlx5),
		test_on(clamped_vlans_are_named, setup_mlx5),
		test_on(out_of_range_is_told_whole, setup_mlx5),
		test_on(an_ignored_mtu_is_no_success, setup_mlx5),
		test_on(derived_from_the_fabric, setup_mlx5),
		test_on(grows_to_the_larger, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
