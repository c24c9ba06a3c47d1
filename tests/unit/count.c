/* SPDX-License-Identifier: Apache-2.0 */
/* count: zero matches are drift, whether or not the policy gives a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "root.h"

extern const struct setting setting_count;

static const struct port ports[20] = {
	[0] = { .name = "ens1f0np0", .driver = "mlx5_core", .bdf = "0000:03:00.0" },
	[1] = { .name = "rxe0/1", .driver = "rdma_rxe", .bdf = "" },
	[2] = { .name = "odd\033[31m", .driver = "", .bdf = "" },
};

static struct record *look(struct root *r, unsigned matched, size_t nports, int64_t wanted, struct record **want)
{
	struct target t = { .scope = SCOPE_GROUP, .name = "compute", .group = "compute", .matched = matched };
	struct facts f = { .port = ports, .nports = nports, .rdma = true };

	*want = record_new(r->a, &setting_count);
	cell_set_num(&(*want)->at[0], wanted);
	return root_ask(r, &setting_count, &setting_count.live, &t, &f, *want, NULL);
}

static const char *shown(struct root *r, const struct record *have)
{
	struct text t = { 0 };
	const char *s;

	value_print(have->at[0].field, &have->at[0].value, &t);
	s = arena_strdup(r->a, text_str(&t));
	text_done(&t);
	return s;
}

static void compared(void **state)
{
	static const struct {
		unsigned matched;
		int64_t want;
		bool same;
		const char *want_shown, *have_shown;
	} rows[] = {
		{ 0, 0, false, "at least 1", "0" },
		{ 1, 0, true, "at least 1", "1" },
		{ 9, 0, true, "at least 1", "9" },
		{ 8, 8, true, "8", "8" },
		{ 7, 8, false, "8", "7" },
		{ 9, 8, false, "8", "9" },
		{ 0, 8, false, "8", "0" },
	};
	struct root *r = root_open(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record *want, *have = look(r, rows[i].matched, 3, rows[i].want, &want);
		const struct cell *c = &have->at[0];

		assert_int_equal(value_same(c->field, &want->at[0].value, &c->value, have), rows[i].same);
		assert_string_equal(shown(r, want), rows[i].want_shown);
		assert_string_equal(shown(r, have), rows[i].have_shown);
		assert_int_equal(c->because == NULL, rows[i].same);
	}
	root_close(r);
}

static void lists_what_is_there(void **state)
{
	struct root *r = root_open(NULL);
	struct record *want, *have;

	(void)state;
	have = look(r, 0, 3, 0, &want);
	assert_string_equal(have->at[0].because,
			    "no port matches; this machine has 3: ens1f0np0 mlx5_core 0000:03:00.0, "
			    "rxe0/1 rdma_rxe, odd\\x1b[31m");
	have = look(r, 1, 1, 8, &want);
	assert_string_equal(have->at[0].because,
			    "1 port matches; this machine has 1: ens1f0np0 mlx5_core 0000:03:00.0");
	have = look(r, 0, 0, 8, &want);
	assert_string_equal(have->at[0].because, "no port matches: this machine has none");
	root_close(r);
}

/* What could not be asked for may be there: too few are no drift then, and enough are enough. */
static void nobody_knows(void **state)
{
	struct target t = { .scope = SCOPE_GROUP, .name = "compute", .group = "compute", .matched = 1 };
	struct facts f = { .port = ports, .nports = 1, .rdma_err = -ENODATA };
	struct root *r = root_open(NULL);
	struct record *want = record_new(r->a, &setting_count), *have;

	(void)state;
	cell_set_num(&want->at[0], 2);
	have = root_ask(r, &setting_count, &setting_count.live, &t, &f, want, NULL);
	assert_int_equal(have->at[0].state, CELL_REASON);
	assert_int_equal(have->at[0].reason, REASON_NOT_RECORDED);
	cell_set_num(&want->at[0], 1);
	have = root_ask(r, &setting_count, &setting_count.live, &t, &f, want, NULL);
	assert_string_equal(shown(r, have), "1");
	f.rdma_err = -EPROTONOSUPPORT;		/* known not to be there */
	cell_set_num(&want->at[0], 2);
	have = root_ask(r, &setting_count, &setting_count.live, &t, &f, want, NULL);
	assert_string_equal(shown(r, have), "1");
	root_close(r);
}

static void policy_values(void **state)
{
	struct root *r = root_open(NULL);
	const char *why;
	struct value v;

	(void)state;
	assert_int_equal(value_parse(&setting_count.fields[0], "0", &v, r->a, &why), -EINVAL);
	assert_int_equal(value_parse(&setting_count.fields[0], "8x", &v, r->a, &why), -EINVAL);
	assert_int_equal(value_parse(&setting_count.fields[0], "8", &v, r->a, &why), 0);
	assert_int_equal(v.num, 8);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compared),
		cmocka_unit_test(lists_what_is_there),
		cmocka_unit_test(nobody_knows),
		cmocka_unit_test(policy_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
