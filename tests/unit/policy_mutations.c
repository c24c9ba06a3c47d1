/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies that somebody damaged: bytes changed, lines doubled, pieces of other policies put in. Whatever comes, the
 * result and what was told agree: an error and -EINVAL, or neither. The same seed gives the same damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "model/desired.h"
#include "model/facts.h"
#include "policy/policy.h"

enum { ROUNDS = 3000, TEXT_MAX = 16384 };

static const char *const files[] = {
	"policies/roce-gpu.yaml", "policies/roce-storage.yaml", "policies/minimal.yaml",
	"tests/cases/yaml-alias-bomb/policy.yaml", "tests/cases/yaml-no-octal-bigint/policy.yaml",
};

/* What parsers stumble over. */
static const char *const pieces[] = {
	"[", "]", "{", "}", ":", ": ", ",", "- ", "\n", "\n  ", "\t", "&a ", "*a", "<<: *a", "!!map ", "\"", "'", "|\n", ">\n",
	"null", "~", "fabric", "010", "1e3", "99999999999999999999", "-1", "0-63", "26:3", "*", "?", "gpu[01-64]", "[[[[[[[[",
	"---\n", "...\n", "%YAML 1.1\n", "\xff", "\xc3\xa9", "\xe2\x80\xae", "\xef\xbb\xbf", "# ", "@x", "extends: [gpu]\n",
	"qos: fabric\n", "set: {node: null}\n", "ports: {rail: null}\n",
};

static uint64_t seed = 1;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

struct sample {
	char s[TEXT_MAX];
	size_t n;
};

static struct sample samples[sizeof(files) / sizeof(files[0])];

static int load_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *f = fopen(files[i], "r");

		if (!f)
			return -1;
		samples[i].n = fread(samples[i].s, 1, TEXT_MAX / 2, f);
		fclose(f);
	}
	return 0;
}

static void insert(struct sample *t, size_t at, const char *s, size_t n)
{
	if (t->n + n > TEXT_MAX)
		return;
	memmove(t->s + at + n, t->s + at, t->n - at);
	memcpy(t->s + at, s, n);
	t->n += n;
}

static void damage(struct sample *t)
{
	const struct sample *other = &samples[below(sizeof(files) / sizeof(files[0]))];
	size_t at = below((unsigned)t->n + 1), from = below((unsigned)other->n), n;
	const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];

	switch (below(5)) {
	case 0:
		if (at < t->n)
			t->s[at] = (char)below(256);
		break;
	case 1:
		n = below(40);
		n = n < t->n - at ? n : t->n - at;
		memmove(t->s + at, t->s + at + n, t->n - at - n);
		t->n -= n;
		break;
	case 2:
		n = below(200);
		insert(t, at, other->s + from, n < other->n - from ? n : other->n - from);
		break;
	default:
		insert(t, at, piece, strlen(piece));
	}
}

static void visit(const struct policy_group *g, void *arg, struct diags *d)
{
	(void)d;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->record[i]->n; k++) {
			const struct cell *c = &g->record[i]->at[k];
			TEXT_CLEANUP struct text t = { 0 };

			assert_int_not_equal(c->state, CELL_FABRIC);
			if (c->state == CELL_VALUE)
				value_print(c->field, &c->value, &t);
			*(size_t *)arg += t.n;
		}
}

static const struct port port = {
	.name = "ens1f0", .ifname = "ens1f0", .ifindex = 2, .master = "", .ibdev = "mlx5_0", .ibport = 1, .node_desc = "",
	.fw_version = "", .protocol = "roce", .link_layer = LINK_LAYER_ETHERNET, .bdf = "0000:03:00.0", .pci_path = "",
	.driver = "mlx5_core", .board = "", .function = FUNCTION_PF, .physfn = "", .numa_node = 0,
};

static void judge(const struct sample *t, size_t *printed)
{
	struct facts facts = { .hostname = "gpu0001", .port = &port, .nports = 1 };
	TEXT_CLEANUP struct text told = { 0 };
	struct arena *a = arena_new();
	struct desired *desired;
	struct policy *p;
	struct diags d;
	int r;

	diags_init(&d, a);
	r = policy_parse(a, "p", t->s, t->n, catalog_default(), &p, &d);
	assert_int_equal(r < 0, d.errors > 0);
	if (r == 0) {
		r = policy_each(p, NULL, catalog_default(), visit, printed, &d);
		assert_int_equal(r < 0, d.errors > 0);
		d.errors = 0;
		r = policy_compile(p, "gpu0001", &facts, catalog_default(), &desired, &d);
		if (r == 0)
			assert_true(desired->n > 0);
	}
	diags_print(&d, false, &told);
	assert_true(text_is_utf8(text_str(&told), told.n));
	arena_free(a);
}

static void mutations(void **state)
{
	size_t printed = 0;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct sample t = samples[below(sizeof(files) / sizeof(files[0]))];
		unsigned n = 1 + below(4);

		for (unsigned k = 0; k < n; k++)
			damage(&t);
		judge(&t, &printed);
	}
	assert_true(printed > 0);	/* some of them still were policies */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutations) };

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, load_samples, NULL);
}
