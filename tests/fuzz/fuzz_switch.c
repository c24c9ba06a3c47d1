/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of switches and templates: every reader is given the same bytes, and what it says of ports is printed. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "model/row.h"
#include "nos/nos.h"
#include "nos/template.h"
#include "policy/policy.h"

static const char policy_text[] =
	"version: 1\n"
	"fabric:\n"
	"  mtu: 9000\n"
	"  classes: {rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}, default: {priority: 0, bandwidth: 40%}}\n"
	"  tiers:\n"
	"    leaf:\n"
	"      queue_buffer: 3000KiB\n"
	"      asic: Spectrum-4\n"
	"      links:\n"
	"        some: {ports: \"Ethernet[0,8]\", speed: 400Gb/s, cable: 30m, ecn: {rdma: {kmin: 150KiB, kmax: 1500KiB, pmax: 20%}}}\n"
	"        rest: {speed: 800Gb/s, cable: 80m}\n"
	"nodes: {n1: {set: {node: {sysctl: {kernel.panic: 1}}}}}\n";

static const struct fabric *fabric(struct arena *a)
{
	struct policy *p;
	struct diags d;

	diags_init(&d, a);
	if (policy_parse(a, "policy.yaml", policy_text, sizeof(policy_text) - 1, catalog_default(), &p, &d) < 0)
		abort();
	return policy_fabric_at(p, 0);
}

static void print_safe(const struct diags *d, const struct row *row, size_t n)
{
	TEXT_CLEANUP struct text out = { 0 };

	diags_print(d, false, &out);
	for (size_t i = 0; i < n; i++) {
		if (!row[i].target || !row[i].name || row[i].status >= STATUS_N)
			abort();
		if (row[i].live && row[i].live->state == CELL_VALUE)
			value_print(row[i].field, &row[i].live->value, &out);
	}
	for (size_t i = 0; i < out.n; i++)
		if (out.s[i] == 27 || (out.s[i] < ' ' && out.s[i] >= 0 && out.s[i] != '\n'))
			abort();
}

static void read_as(struct arena *a, const struct nos *nos, const struct fabric *f, const struct source *s)
{
	struct diags d;
	struct switch_tier *t;
	struct switch_file *file;
	struct row *row = NULL;
	TEXT_CLEANUP struct text out = { 0 };
	size_t n = 0;

	diags_init(&d, a);
	if (nos_tier(a, nos, f, &f->tier[0], &t, &d) < 0)
		abort();
	nos_guess(s);
	if (nos_read(a, nos, s, &file, &d) == 0) {
		nos_compare(t, file, &row, &n);
		nos_against(nos, s, s, a, &out, &d);
	}
	print_safe(&d, row, n);
}

static void render(struct arena *a, const struct source *s)
{
	struct vars *v = vars_new(a, NULL);
	TEXT_CLEANUP struct text out = { 0 };
	struct diags d;

	diags_init(&d, a);
	vars_set(v, "a", "%s", "1");
	vars_set(vars_add(v, "l"), "a", "%s", "2");
	vars_set(vars_add(v, "l"), "b", "%s", "");
	template_render(s, v, &out, &d);
	print_safe(&d, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *a = arena_new();
	const struct source s = { "switch.conf", arena_strndup(a, (const char *)data, n), n };
	const struct fabric *f = fabric(a);
	const struct nos *nos;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++)
		read_as(a, nos, f, &s);
	render(a, &s);
	arena_free(a);
	return 0;
}
