/* SPDX-License-Identifier: Apache-2.0 */
/* pause.rx, pause.tx: one PAUSE_SET for both, what is silent kept, PFC beside it refused. */
#include "ports.h"

#include "settings/pause.h"

static void reads_both(void **state)
{
	struct bench *b = *state;
	struct record *r;

	b->pause_tx = true;
	r = look(b, &setting_pause);
	assert_string_equal(shown(b, r, PAUSE_RX), "false");
	assert_string_equal(shown(b, r, PAUSE_TX), "true");
	b->no_pause = true;
	assert_string_equal(shown(b, look(b, &setting_pause), PAUSE_RX), "driver-lacks");
	b->talk_err = -ENODATA;
	assert_string_equal(shown(b, look(b, &setting_pause), PAUSE_RX), "not-recorded");
}

static void one_set_keeps_the_other(void **state)
{
	struct bench *b = *state;

	b->pause_rx = b->pause_tx = true;
	want_num(b, &setting_pause, PAUSE_RX, 0);
	assert_int_equal(the_change(b)->impact, IMPACT_TRAFFIC);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pause 0 1\n");
	want_num(b, &setting_pause, PAUSE_TX, 0);
	assert_int_equal(applied(b), 0);
	assert_log(b, "pause 0 0\n");
	assert_int_equal(applied(b), 0);
	assert_log(b, "");
}

static void pfc_excludes_it(void **state)
{
	struct bench *b = *state;

	b->dcb.pfc.pfc_en = 8;
	want_num(b, &setting_pause, PAUSE_RX, 1);
	assert_int_equal(the_change(b)->refused, REFUSED_IMPOSSIBLE);
	assert_has(the_change(b)->refused_why, "PFC is on");
	want_num(b, &setting_pause, PAUSE_RX, 0);
	b->pause_rx = true;
	assert_int_equal(the_change(b)->refused, REFUSED_NOT);
}

static void ignored_is_no_success(void **state)
{
	struct bench *b = *state;

	b->pause_rx = b->ignores = true;
	want_num(b, &setting_pause, PAUSE_RX, 0);
	assert_int_equal(applied(b), 3);
	assert_has(told(b), "pause.rx: wanted false");
}

static void fabric_means_off(void **state)
{
	struct bench *b = *state;

	want_fabric(b, &setting_pause, PAUSE_RX);
	want_fabric(b, &setting_pause, PAUSE_TX);
	assert_int_equal(derive(b, &setting_pause, fabric_of(b)), 0);
	assert_string_equal(shown(b, want(b, &setting_pause), PAUSE_RX), "false");
	assert_string_equal(shown(b, want(b, &setting_pause), PAUSE_TX), "false");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on(reads_both, setup_other),	       test_on(one_set_keeps_the_other, setup_other),
		test_on(pfc_excludes_it, setup_other),	       test_on(ignored_is_no_success, setup_other),
		test_on(fabric_means_off, setup_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
