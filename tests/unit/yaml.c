/* SPDX-License-Identifier: Apache-2.0 */
/* YAML to a tree: what it becomes, what is refused and where, and what hostile text costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/yaml.h"

struct parsed {
	struct arena *a;
	struct source source;
	struct yaml root;
	struct diags d;
	int r;
	struct text told;
};

static struct parsed parse(const char *text, size_t n)
{
	struct parsed p = { .a = arena_new() };

	diags_init(&p.d, p.a);
	p.source = (struct source){ "p", text, n };
	return p;
}

/* In two steps: the tree's positions point to the source inside. */
static void run(struct parsed *p)
{
	p->r = yaml_parse(p->a, &p->source, &p->root, &p->d);
	diags_print(&p->d, false, &p->told);
}

static void done(struct parsed *p)
{
	text_done(&p->told);
	arena_free(p->a);
}

/* --- what it becomes -------------------------------------------------------- */

static void dump(const struct yaml *y, struct text *out)
{
	size_t n = y->shape == SHAPE_MAP ? 2 * (size_t)y->n : y->n;

	if (y->shape == SHAPE_SCALAR) {
		text_add(out, y->quoted ? "'" : "");
		text_addn(out, y->text, y->n);
		text_add(out, y->quoted ? "'" : yaml_empty(y) ? "()" : "");
		return;
	}
	text_char(out, y->shape == SHAPE_MAP ? '{' : '[');
	for (size_t i = 0; i < n; i++) {
		text_add(out, !i ? "" : y->shape == SHAPE_MAP && i % 2 ? ":" : ",");
		dump(&y->at[i], out);
	}
	text_char(out, y->shape == SHAPE_MAP ? '}' : ']');
}

static void trees(void **state)
{
	static const struct {
		const char *text, *tree;
	} rows[] = {
		{ "a: 1\n", "{a:1}" },
		{ "---\na: 1\n...\n", "{a:1}" },
		{ "%YAML 1.1\n---\na: 1\n", "{a:1}" },
		{ "# only\na: 1 # here\n", "{a:1}" },
		{ "a: 1\r\nb: [x,\r\n  y]\r\n", "{a:1,b:[x,y]}" },
		{ "a: on\nb: 28.39\nc: 010\nd: 1:30\ne: 0x10\n", "{a:on,b:28.39,c:010,d:1:30,e:0x10}" },
		{ "a: \"1\\t2\"\nb: 'it''s'\nc: \"x\"\n", "{a:'1\t2',b:'it's',c:'x'}" },
		{ "a: >\n  folded\n  text\nb: |\n  x\n", "{a:'folded text\n',b:'x\n'}" },
		{ "a: two\n  lines\n", "{a:two lines}" },
		{ "a:\nb: ~\nc: null\n", "{a:(),b:~,c:null}" },
		{ "a: {}\nb: []\n", "{a:{},b:[]}" },
		{ "a: [x, [y, {z: 1}]]\n", "{a:[x,[y,{z:1}]]}" },
		{ "gpu[01-64]: {x: 1}\n", "{gpu[01-64]:{x:1}}" },
		{ "\"*\": 1\n", "{'*':1}" },
		{ "ü: é\nb: c\n", "{ü:é,b:c}" },
		{ "ü: \"é\"\nb: 'c'\n", "{ü:'é',b:'c'}" },
		{ "a: &x 1\nb: *x\n", "{a:1,b:1}" },
		{ "a: &x {p: 1}\nb: *x\nc: [*x, *x]\n", "{a:{p:1},b:{p:1},c:[{p:1},{p:1}]}" },
		{ "a: &x 1\nb: &x 2\nc: *x\n", "{a:1,b:2,c:2}" },
		{ "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n", "{a:{p:1,q:2},b:{q:3,p:1}}" },
		{ "a: &x {p: 1}\nb: &y {p: 2, q: 2}\nc: {<<: [*x, *y]}\n", "{a:{p:1},b:{p:2,q:2},c:{p:1,q:2}}" },
		{ "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n", "{a:{p:1},b:{q:2,p:1},c:{q:2,p:1}}" },
		{ "a: {<<: {p: 1}, p: 2}\n", "{a:{p:2}}" },
		{ "\"<<\": 1\n", "{'<<':1}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		struct parsed p = parse(rows[i].text, strlen(rows[i].text));

		run(&p);
		if (p.r < 0 || p.d.n)
			fail_msg("%s: %s", rows[i].text, text_str(&p.told));
		dump(&p.root, &t);
		assert_string_equal(text_str(&t), rows[i].tree);
		done(&p);
	}
}

static void merges_many(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	text_add(&t, "a: &x\n");
	for (int i = 0; i < 1000; i++)
		text_printf(&t, "  k%d: %d\n", i, i);
	text_add(&t, "b:\n  <<: *x\n  k7: own\n");
	for (int i = 0; i < 100; i++)
		text_printf(&t, "  m%d: %d\n", i, i);
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.n, 0);
	assert_int_equal(yaml_get(&p.root, "b")->n, 1100);
	assert_true(yaml_is(yaml_get(yaml_get(&p.root, "b"), "k7"), "own"));
	assert_true(yaml_is(yaml_get(yaml_get(&p.root, "b"), "k999"), "999"));
	assert_true(yaml_is(yaml_get(yaml_get(&p.root, "b"), "m99"), "99"));
	assert_null(yaml_get(&p.root, "c"));
	done(&p);
}

static void positions(void **state)
{
	static const char text[] = "a: 1\nüü: {b: \"two\", c: [x]}\n";
	struct parsed p = parse(text, strlen(text));
	const struct yaml *map, *b;

	(void)state;
	run(&p);
	map = yaml_get(&p.root, "üü");
	b = yaml_get(map, "b");
	assert_int_equal(map->line, 2);
	assert_int_equal(map->col, 5);	/* characters, not bytes */
	assert_true(map->flow);
	assert_int_equal(b->line, 2);
	assert_int_equal(b->col, 9);
	assert_int_equal(b->len, 5);
	assert_true(b->quoted);
	assert_int_equal(yaml_key(map, 1)->col, 16);
	done(&p);
}

/* --- what is refused -------------------------------------------------------- */

static void refusals(void **state)
{
	static const struct {
		const char *text;
		const char *says[4];	/* all of them */
	} rows[] = {
		{ "a: 1\nb: 2\na: 3\n", { "p:3:1: error: duplicate key \"a\" (lines 1 and 3)", "p:1:1: note: first given here" } },
		{ "a: {b: 1, \"b\": 2}\n", { "p:1:11: error: duplicate key \"b\"" } },
		{ "a: {<<: {b: 1}, <<: {c: 1}}\n", { "duplicate key \"<<\"" } },
		{ "a: 1\n---\nb: 1\n", { "p:2:1: error: a second document begins here" } },
		{ "a: 1\n...\n---\nb: 1\n", { "p:3:1: error: a second document" } },
		{ "a: &x [*x]\n", { "p:1:8: error: the alias *x stands inside its own anchor" } },
		{ "a: &x {b: {c: *x}}\n", { "stands inside its own anchor" } },
		{ "a: *x\n", { "p:1:4: error: the alias *x has no anchor before it", "quoted: \"*x\"" } },
		{ "a: [*b, &b 1]\n", { "the alias *b has no anchor before it" } },
		{ "*: 1\n", { "p:1:1: error: not valid YAML", "must be quoted" } },
		{ "*.example.com: 1\n", { "p:1:1: error: not valid YAML", "must be quoted" } },
		{ "{gpu[01-64]: {x: 1}}\n", { "p:1:5: error: not valid YAML", "a host list must be quoted: \"gpu[01-64]\"" } },
		{ "a: [gpu[01-64], x]\n", { "p:1:8: error: not valid YAML", "a host list must be quoted" } },
		{ "a: {nodes: gpu[01-64]}\n", { "p:1:15: error: not valid YAML", "a host list must be quoted" } },
		{ "a:\n\tb: 1\n", { "p:2:1: error: not valid YAML", "a tab stands here" } },
		{ "a:\n  b: 1\n\tc: 1\n", { "p:3:", "a tab stands here" } },
		{ "@gpu: 1\n", { "p:1:1: error: not valid YAML", "no @groups" } },
		{ "a: %x\n", { "p:1:4: error: not valid YAML", "% or ` must be quoted" } },
		{ "a: `x`\n", { "must be quoted" } },
		{ "!x: 1\n", { "p:1:1: error: a `!` begins a YAML tag", "no exclusions" } },
		{ "a: !!str 1\n", { "p:1:4: error: a `!` begins a YAML tag" } },
		{ "a: !!map {b: 1}\n", { "a `!` begins a YAML tag" } },
		{ "a: !!seq [b]\n", { "a `!` begins a YAML tag" } },
		{ "mtu:9000\nb: 1\n", { "p:2:2: error: not valid YAML", "behind the colon of the line above" } },
		{ "a: 1\nmtu:9000\nb: 1\n", { "p:2:1: error: not valid YAML", "a blank must stand behind the colon" } },
		{ "a: 1\nb\nc: 1\n", { "p:2:1: error: not valid YAML", "without its colon and value" } },
		{ "a: b: c\n", { "p:1:5: error: not valid YAML", "text that holds `: ` must be quoted" } },
		{ "a: [1, 2\nb: 1\n", { "not valid YAML", "a comma is missing here, or the bracket is not closed" } },
		{ "a: {b: 1 c: 2}\n", { "not valid YAML" } },
		{ "a: {\"b\\0c\": 1}\n", { "p:1:5: error: the text holds a NUL character", "write it twice" } },
		{ "a: \"\\x00\"\n", { "p:1:4: error: the text holds a NUL character" } },
		{ "a: \"x\nb: 1\n", { "p:1:4: error: not valid YAML", "the quote that begins here is not closed" } },
		{ "a:\n  b: 1\n c: 1\n", { "p:3:2: error: not valid YAML", "indented as the others" } },
		{ "a: {{ mtu }}\n", { "p:1:5: error: a map stands where a key is due", "template that was not rendered" } },
		{ "[a, b]: 1\n", { "p:1:1: error: a list stands where a key is due", "must be quoted" } },
		{ "a: {<<: 1}\n", { "p:1:5: error: << takes a map or a list of maps, not \"1\"" } },
		{ "a: {<<: [{b: 1}, 2]}\n", { "<< takes a map or a list of maps, not \"2\"" } },
		{ "", { "p: error: policy is empty" } },
		{ "\n\n", { "policy is empty" } },
		{ "# the template failed to render: comments only\n", { "policy is empty" } },
		{ "---\n", { "policy is empty" } },
		{ "--- \n...\n", { "policy is empty" } },
		{ "null\n", { "policy is empty" } },
		{ "~\n", { "policy is empty" } },
		{ "a: \xff\n", { "p:1:4: error: the file is not valid UTF-8 here" } },
		{ "ü\na: \xc3\n", { "p:2:4: error: the file is not valid UTF-8 here" } },
		{ "a: \x1b[2J\n", { "p:1:4: error: the file holds a control character" } },
		{ "a: \xc2\x9b\n", { "a control character" } },
		{ "a: 1\rb: 2\n", { "p:1:5: error: the file holds a carriage return without a newline" } },
		{ "a: 1\xe2\x80\xa8", { "p:1:5: error: the file holds a Unicode line break" } },
		{ "a: 1\n\xef\xbb\xbf", { "p:2:1: error: the file holds a byte order mark in its middle" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parsed p = parse(rows[i].text, strlen(rows[i].text));

		run(&p);
		assert_true(p.d.errors > 0);
		for (size_t k = 0; k < 4 && rows[i].says[k]; k++)
			if (!strstr(text_str(&p.told), rows[i].says[k]))
				fail_msg("%s\ntold: %s\nexpected: %s", rows[i].text, text_str(&p.told), rows[i].says[k]);
		done(&p);
	}
}

static void duplicates_all(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	for (int i = 0; i < 5000; i++)
		text_printf(&t, "node%d: %d\n", i, i);
	text_add(&t, "node17: x\nnode4999: y\nother: z\nnode17: w\n");
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.r, 0);
	assert_int_equal(p.d.errors, 3);
	assert_non_null(strstr(text_str(&p.told), "p:5001:1: error: duplicate key \"node17\" (lines 18 and 5001)"));
	assert_non_null(strstr(text_str(&p.told), "p:5004:1: error: duplicate key \"node17\" (lines 18 and 5004)"));
	assert_int_equal(p.root.n, 5001);
	assert_true(yaml_is(yaml_get(&p.root, "node17"), "17"));
	done(&p);
}

static void bytes(void **state)
{
	static const char nul[] = "a: 1\nb\0c: 1\n", wide[] = "\xff\xfe"
							      "a\0";
	struct parsed p = parse(nul, sizeof(nul) - 1);

	(void)state;
	run(&p);
	assert_non_null(strstr(text_str(&p.told), "p:2:2: error: the file holds a NUL byte"));
	done(&p);
	p = parse(wide, sizeof(wide) - 1);
	run(&p);
	assert_non_null(strstr(text_str(&p.told), "it looks like UTF-16"));
	done(&p);
	p = parse("a: bcd", 4);		/* nothing behind the end is looked at */
	run(&p);
	assert_int_equal(p.r, 0);
	assert_true(yaml_is(yaml_get(&p.root, "a"), "b"));
	done(&p);
}

/* --- what hostile text costs ------------------------------------------------ */

static void depth(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		text_char(&t, '[');
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		text_char(&t, ']');
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.r, 0);
	done(&p);
	text_reset(&t);
	for (int i = 0; i < 1000000; i++)
		text_char(&t, '[');
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.errors, 1);
	assert_non_null(strstr(text_str(&p.told), "p:1:33: error: the file is nested deeper than 32 levels"));
	done(&p);
}

static void bombs(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	text_add(&t, "a0: &a0 {x: 1, y: 2}\n");		/* by merge keys */
	for (int i = 1; i < 40; i++)
		text_printf(&t, "a%d: &a%d {<<: [*a%d, *a%d], z%d: [*a%d, *a%d]}\n", i, i, i - 1, i - 1, i, i - 1, i - 1);
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.errors, 1);
	assert_non_null(strstr(text_str(&p.told), "stand for more than 4194304 values"));
	done(&p);
	text_reset(&t);
	text_add(&t, "a: &a [");			/* by many aliases of one large list */
	for (int i = 0; i < 10000; i++)
		text_add(&t, "x,");
	text_add(&t, "]\nb: [");
	for (int i = 0; i < 1000; i++)
		text_add(&t, "*a,");
	text_add(&t, "]\n");
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.errors, 1);
	assert_non_null(strstr(text_str(&p.told), "p:2:"));
	done(&p);
}

static void anchors(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	for (int i = 0; i < YAML_ANCHORS_MAX; i++)
		text_printf(&t, "k%d: &a%d x\n", i, i);
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.n, 0);
	done(&p);
	text_add(&t, "last: &b {c: 1}\n");
	p = parse(t.s, t.n);
	run(&p);
	assert_non_null(strstr(text_str(&p.told), "p:65537:7: error: the file holds more than 65536 anchors"));
	done(&p);
}

/* A few thousand nodes that share one anchored set are no bomb. */
static void shared(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct parsed p;

	(void)state;
	text_add(&t, "a: &a {b: {c: 1, d: [1, 2, 3]}}\n");
	for (int i = 0; i < 20000; i++)
		text_printf(&t, "n%d: *a\n", i);
	p = parse(t.s, t.n);
	run(&p);
	assert_int_equal(p.d.n, 0);
	assert_ptr_equal(yaml_get(&p.root, "n0")->at, yaml_get(&p.root, "n19999")->at);
	done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees),    cmocka_unit_test(merges_many),    cmocka_unit_test(positions),
		cmocka_unit_test(refusals), cmocka_unit_test(duplicates_all), cmocka_unit_test(bytes),
		cmocka_unit_test(depth),    cmocka_unit_test(bombs),	      cmocka_unit_test(anchors),
		cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
