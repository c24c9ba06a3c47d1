/* SPDX-License-Identifier: Apache-2.0 */
/* buffer: sizes, map and cable, what is sent and in which order, what is rounded, and what is refused beforehand. */
#include "ports.h"

#include "settings/buffer.h"
#include "settings/mtu.h"
#include "settings/pause.h"
#include "settings/pfc.h"

enum { THREE = 1 << 3, TOTAL = 524288 };

static void with_buffers(struct bench *b)
{
	b->dcb.has_buffer = true;
	b->dcb.buffer = (struct dcbnl_buffer){ .buffer_size = { 262144 }, .total_size = TOTAL };
	b->dcb.pfc.delay = 7;
	b->dcb.pfc.pfc_en = 0;
	b->port.speed_mbps = 100000;
	b->mtu = 9000;
	b->max_mtu = 9978;
}

static void want_sizes(struct bench *b, int64_t zero, int64_t one)
{
	int64_t amount[AMOUNTS] = { zero, one, AMOUNT_UNSET, AMOUNT_UNSET, AMOUNT_UNSET, AMOUNT_UNSET, AMOUNT_UNSET, AMOUNT_UNSET };

	cell_set_amounts(&want(b, &setting_buffer)->at[BUFFER_SIZES], b->a, amount);
}

static void reads(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.buffer.prio2buffer[3] = 1;
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_SIZES), "0:256KiB 1-7:0");
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_PRIO), "0-2:0 3:1 4-7:0");
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_CABLE), "7m");
	assert_has(look(b, &setting_buffer)->at[BUFFER_CABLE].because,
		   "xoff is 56080 bytes (100Gb/s, 7m, MTU 9000), a lossless buffer 66304 at least");
	b->dcb.has_buffer = false;
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_SIZES), "unreadable");
	bench_vendor(b, &vendor_bnxt);
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_SIZES), "driver-lacks");
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_CABLE), "driver-lacks");
	b->dcb.has_buffer = true;	/* a delay that is no cable */
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_SIZES), "0:256KiB 1-7:0");
	assert_string_equal(shown(b, look(b, &setting_buffer), BUFFER_CABLE), "driver-lacks");
}

/* Room for both, the map, the sizes; then the longer cable, of which a shorter one comes first. */
static void in_the_drivers_order(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	want_sizes(b, 131072, 100000);
	want_map(b, &setting_buffer, BUFFER_PRIO, "3:1");
	want_num(b, &setting_buffer, BUFFER_CABLE, 30);
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_has(the_change(b)->leaves, "manual buffers");
	assert_int_equal(applied(b), 0);
	assert_log(b, "buffer 262144 100000 at 0 \nbuffer 262144 100000 at 1 \nbuffer 131072 100000 at 1 \npfc \n");
	assert_int_equal(b->dcb.pfc.delay, 30);
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
	assert_has(row_of(b, "buffer.sizes")->cause, "of 100000 bytes buffer 1 keeps 99968");
	want_num(b, &setting_buffer, BUFFER_CABLE, 5);
	want_sizes(b, 131072, 99000);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pfc \nbuffer 131072 99000 at 1 \n");
}

/* A byte more is another size to the driver, and the same cells to the device: only then it has the buffers. */
static void the_cable_takes_the_buffers(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	want_num(b, &setting_buffer, BUFFER_CABLE, 30);
	assert_int_equal(applied(b), 0);
	assert_log(b, "buffer 262145 at 0 \npfc \n");
	assert_int_equal(b->dcb.buffer.buffer_size[0], 262144);
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

/* A full port has no byte more: a cell less, and back, is two other sizes. */
static void takes_full_buffers(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.buffer.buffer_size[0] = TOTAL;
	want_num(b, &setting_buffer, BUFFER_CABLE, 30);
	assert_int_equal(applied(b), 0);
	assert_log(b, "buffer 524287 at 0 \nbuffer 524288 at 0 \npfc \n");
	assert_int_equal(b->dcb.buffer.buffer_size[0], TOTAL);
}

/* Of what was there no more is kept than it needs, until the map is another one. */
static void no_room_for_both(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.buffer.buffer_size[0] = 409600;
	b->dcb.pfc.pfc_en = THREE;
	want_sizes(b, 50048, 400000);
	want_map(b, &setting_buffer, BUFFER_PRIO, "3:1");
	assert_int_equal(applied(b), 0);
	assert_log(b, "buffer 66304 400000 at 0 \nbuffer 66304 400000 at 1 \nbuffer 50048 400000 at 1 \n");
}

static void too_small_for_the_cable(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.pfc.pfc_en = THREE;
	b->dcb.pfc.delay = 30;
	b->dcb.buffer.buffer_size[1] = 65536;
	b->dcb.buffer.prio2buffer[3] = 1;
	want_num(b, &setting_buffer, BUFFER_CABLE, 30);
	assert_int_equal(row_of((planned(b), b), "buffer.cable")->status, STATUS_DRIFT);
	assert_has(row_of(b, "buffer.cable")->cause, "buffer 1 has 65536 bytes: xoff is 60980 bytes");
	assert_int_equal(applied(b), 0);
	assert_log(b, "buffer 262144 71168 at 1 \n");
	want_sizes(b, 262144, 65536);	/* said, so that it is not for us to make it larger */
	assert_has(the_change(b)->refused_why, "receive buffer 1 is lossless and would have 65536 bytes; xoff is 60980");
}

static void refused_beforehand(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	want_sizes(b, 131072, 40000);
	want_map(b, &setting_buffer, BUFFER_PRIO, "3:1");
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);	/* nothing is lossless in it */
	want_num(b, &setting_pfc, QOS_PFC, THREE);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "receive buffer 1 is lossless and would have 40000 bytes");
	want_sizes(b, 524288, 131072);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "would take 655360 bytes together, and the port has 524288");
	want_sizes(b, 131072, 0);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "priority 3 would have receive buffer 1, which has no bytes");
}

/* 66186 bytes are enough for the driver until it reads the 66176 that the device keeps of them. */
static void whole_cells(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.pfc.pfc_en = THREE;
	want_map(b, &setting_buffer, BUFFER_PRIO, "3:1");
	want_sizes(b, 131072, 66186);
	assert_has((planned(b), row_of(b, "buffer.sizes"))->remedy, "a lossless buffer 66304 at least: correct buffer.sizes");
	want_sizes(b, 131072, 66304);
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
}

static void lossless_by_pause(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	want_sizes(b, 20000, 131072);
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
	want_num(b, &setting_pause, PAUSE_RX, 1);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "receive buffer 0 is lossless and would have 20000 bytes");
}

/* Enough for the MTU that comes, and not for the one that is there. */
static void after_the_mtu(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->dcb.pfc.pfc_en = THREE;
	want_sizes(b, 50048, 131072);
	want_num(b, &setting_mtu, MTU, 1500);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "MTU 9000), a lossless buffer 66304 at least: apply writes it after PFC, pause or "
						      "the MTU");
	want_sizes(b, 40000, 131072);
	planned(b);
	assert_has(row_of(b, "buffer.sizes")->remedy, "MTU 1500), a lossless buffer 45824 at least: correct buffer.sizes");
}

static void ignored(void **state)
{
	struct bench *b = *state;

	with_buffers(b);
	b->ignores = true;
	want_sizes(b, 131072, 0);
	assert_int_not_equal(applied(b), 0);
	assert_int_equal(b->dcb.buffer.buffer_size[0], 262144);
}

static void grows(void **state)
{
	struct bench *b = *state;
	struct record *both, *have;

	with_buffers(b);
	want_sizes(b, 131072, 65536);
	have = look(b, &setting_buffer);
	both = record_copy(b->a, want(b, &setting_buffer));
	setting_buffer.grow(have, want(b, &setting_buffer), both);
	assert_int_equal(record_amount(both, BUFFER_SIZES, 0, 0), 262144);
	assert_int_equal(record_amount(both, BUFFER_SIZES, 1, 0), 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads, setup_mlx5),
		test_on(in_the_drivers_order, setup_mlx5),
		test_on(the_cable_takes_the_buffers, setup_mlx5),
		test_on(takes_full_buffers, setup_mlx5),
		test_on(no_room_for_both, setup_mlx5),
		test_on(too_small_for_the_cable, setup_mlx5),
		test_on(refused_beforehand, setup_mlx5),
		test_on(whole_cells, setup_mlx5),
		test_on(lossless_by_pause, setup_mlx5),
		test_on(after_the_mtu, setup_mlx5),
		test_on(ignored, setup_mlx5),
		test_on(grows, setup_mlx5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
