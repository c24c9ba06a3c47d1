/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/diag: the form of a message, with tabs, wide and long lines, and text that would harm a terminal. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

static struct source source_of(const char *text)
{
	return (struct source){ .name = "prod.yaml", .text = text, .len = strlen(text) };
}

static void assert_printed(const struct diag *one, const char *expected)
{
	TEXT_CLEANUP struct text t = { 0 };

	diag_print(one, false, &(struct diag_cursor){ 0 }, &t);
	assert_string_equal(text_str(&t), expected);
}

static void as_in_the_guide(void **state)
{
	struct source s = source_of("version: 1\nports:\n    mtu: 9700\n");
	struct arena *a = arena_new();
	struct diag *one;
	struct diags d;

	(void)state;
	diags_init(&d, a);
	one = diag_error(&d, &(struct pos){ .source = &s, .line = 3, .col = 10, .len = 4 }, "cannot set mtu to %d", 9700);
	one->err = EINVAL;
	diag_object(&d, "%s (%s/%d)", "ens1f0np0", "mlx5_0", 1);
	diag_kernel(&d, "mtu greater than device maximum (%s)", "RTM_SETLINK IFLA_MTU");
	diag_hint(&d, "this port takes 68 to 9216; see `rdmactl show mtu`");
	assert_printed(one, "prod.yaml:3:10: error: ens1f0np0 (mlx5_0/1): cannot set mtu to 9700: Invalid argument\n"
			    "    3 |     mtu: 9700\n"
			    "      |          ^~~~\n"
			    "  kernel: mtu greater than device maximum (RTM_SETLINK IFLA_MTU)\n"
			    "  hint: this port takes 68 to 9216; see `rdmactl show mtu`\n");
	arena_free(a);
}

#define AT(l, c, n) { .source = &s, .line = l, .col = c, .len = n }

static void places(void **state)
{
	struct source s = source_of("a: 1\n\tb: \xe4\xb8\xad x\r\n\nlast: 2");
	struct source nameless = { .name = "x.yaml" };
	const struct {
		struct pos pos;
		const char *printed;
	} cases[] = {
		{ { 0 }, "rdmactl: error: m\n" },
		{ { .source = &nameless }, "x.yaml: error: m\n" },
		{ { .source = &nameless, .line = 4 }, "x.yaml:4: error: m\n" },
		{ AT(1, 0, 0), "prod.yaml:1: error: m\n    1 | a: 1\n" },
		{ AT(1, 4, 0), "prod.yaml:1:4: error: m\n    1 | a: 1\n" },
		{ AT(1, 4, 1), "prod.yaml:1:4: error: m\n    1 | a: 1\n      |    ^\n" },
		/* a tab takes what it takes, a wide character two columns, and CR is not shown */
		{ AT(2, 2, 1), "prod.yaml:2:2: error: m\n    2 |         b: \xe4\xb8\xad x\n      |         ^\n" },
		{ AT(2, 5, 1),
		  "prod.yaml:2:5: error: m\n    2 |         b: \xe4\xb8\xad x\n      |            ^~\n" },
		{ AT(2, 7, 1),
		  "prod.yaml:2:7: error: m\n    2 |         b: \xe4\xb8\xad x\n      |               ^\n" },
		{ AT(3, 1, 1), "prod.yaml:3:1: error: m\n    3 | \n      | ^\n" },
		{ AT(4, 7, 9), "prod.yaml:4:7: error: m\n    4 | last: 2\n      |       ^\n" }, /* len too long */
		{ AT(4, 8, 1), "prod.yaml:4:8: error: m\n    4 | last: 2\n      |        ^\n" }, /* at the end */
		{ AT(4, 400, 1), "prod.yaml:4:400: error: m\n    4 | last: 2\n      |        ^\n" },
		{ AT(5, 1, 1), "prod.yaml:5:1: error: m\n" }, /* no such line */
		{ AT(UINT32_MAX, UINT32_MAX, UINT32_MAX), "prod.yaml:4294967295:4294967295: error: m\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_printed(&(struct diag){ .severity = SEVERITY_ERROR, .pos = cases[i].pos, .what = "m" },
			       cases[i].printed);
}

static void long_lines_are_cut(void **state)
{
	char text[3001], expected[400];
	struct source s;

	(void)state;
	memset(text, '.', 3000);
	text[3000] = '\0';
	memcpy(text + 1000, "HERE", 4);
	s = source_of(text);
	snprintf(expected, sizeof(expected),
		 "prod.yaml:1:1001: error: m\n"
		 "    1 | \xe2\x80\xa6%.32sHERE%.60s\xe2\x80\xa6\n"
		 "      |  %32s^~~~\n", text, text, "");
	assert_printed(&(struct diag){ .severity = SEVERITY_ERROR, .pos = { &s, 1, 1001, 4 }, .what = "m" }, expected);
	snprintf(expected, sizeof(expected), "prod.yaml:1:3: error: m\n    1 | %.96s\xe2\x80\xa6\n      |   ^~\n",
		 text);
	assert_printed(&(struct diag){ .severity = SEVERITY_ERROR, .pos = { &s, 1, 3, 2 }, .what = "m" }, expected);
}

static void harm_is_spelled_out(void **state)
{
	struct source s = source_of("key: \033[2Jx");
	struct diag one = {
		.severity = SEVERITY_WARNING,
		.pos = { &s, 1, 6, 1 },
		.object = "e\033th",
		.what = "a\nb",
		.kernel = "k\a",
		.hint = "h\xff",
		.rule = "some-rule",
	};

	(void)state;
	assert_printed(&one, "prod.yaml:1:6: warning: e\\x1bth: a\\x0ab [some-rule]\n"
			     "    1 | key: \\x1b[2Jx\n"
			     "      |      ^~~~\n"
			     "  kernel: k\\x07\n"
			     "  hint: h\\xff\n");
}

static void second_place(void **state)
{
	struct source s = source_of("a: 1\nb: 2\na: 3\n");
	struct diag one = {
		.severity = SEVERITY_ERROR, .pos = { &s, 3, 1, 1 }, .what = "duplicate key a", .other = { &s, 1, 1, 1 },
		.other_what = "first defined here",
	};

	(void)state;
	assert_printed(&one, "prod.yaml:3:1: error: duplicate key a\n    3 | a: 3\n      | ^\n"
			     "prod.yaml:1:1: note: first defined here\n    1 | a: 1\n      | ^\n");
}

static void odd_errnos(void **state)
{
	(void)state;
	assert_printed(&(struct diag){ .severity = SEVERITY_NOTE, .what = "m", .err = 244 },
		       "rdmactl: note: m: error 244\n");
}

static void colors_only_when_asked(void **state)
{
	struct diag one = { .severity = SEVERITY_ERROR, .what = "m" };
	TEXT_CLEANUP struct text t = { 0 };

	(void)state;
	diag_print(&one, true, &(struct diag_cursor){ 0 }, &t);
	assert_non_null(strstr(t.s, "\033[1;31merror:\033[0m m\n"));
}

static void floods_are_bounded(void **state)
{
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text t = { 0 };
	struct diags d;

	(void)state;
	diags_init(&d, a);
	for (int i = 0; i < DIAGS_MAX + 5; i++) {
		diag_note(&d, NULL, "n%d", i)->err = 1;
		diag_hint(&d, "h%d", i);
	}
	diag_error(&d, NULL, "the error");
	diag_hint(&d, "its hint");
	diag_note(&d, NULL, "lost");
	diag_hint(&d, "lost, too");
	assert_int_equal(d.notes, DIAGS_MAX + 6);
	assert_int_equal(d.errors, 1);
	assert_int_equal(d.n, DIAGS_MAX + 1);
	diags_print(&d, false, &t);
	assert_non_null(strstr(t.s, "hint: h999\nrdmactl: error: the error\n  hint: its hint\n"
				    "rdmactl: note: 6 more are not shown\n"));
	assert_null(strstr(t.s, "lost"));
	arena_free(a);
}

static void lines_are_found_in_any_order(void **state)
{
	struct source s = source_of("one\ntwo\nthree\n");
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text t = { 0 };
	struct diags d;

	(void)state;
	diags_init(&d, a);
	diag_warning(&d, &(struct pos){ .source = &s, .line = 3 }, "x");
	diag_warning(&d, &(struct pos){ .source = &s, .line = 1 }, "y");
	diag_warning(&d, &(struct pos){ .source = &s, .line = 2 }, "z");
	diags_print(&d, false, &t);
	assert_string_equal(text_str(&t),
			    "prod.yaml:3: warning: x\n    3 | three\nprod.yaml:1: warning: y\n    1 | one\n"
			    "prod.yaml:2: warning: z\n    2 | two\n");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_in_the_guide),     cmocka_unit_test(places),
		cmocka_unit_test(long_lines_are_cut),  cmocka_unit_test(harm_is_spelled_out),
		cmocka_unit_test(second_place),	       cmocka_unit_test(odd_errnos),
		cmocka_unit_test(colors_only_when_asked), cmocka_unit_test(floods_are_bounded),
		cmocka_unit_test(lines_are_found_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
