/* SPDX-License-Identifier: Apache-2.0 */
/* lib/explain: every word comes from the tables; what is unknown is answered with what is near. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "catalog.h"
#include "explain/explain.h"
#include "model/catalog.h"

static int no_write(struct kernel *k, const struct change *c, struct diags *d)
{
	(void)k;
	(void)c;
	(void)d;
	return -EIO;
}

static int no_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	(void)k;
	(void)c;
	(void)d;
	return -EIO;
}

static const char *const words[] = { "pcp", "dscp", "both", NULL };
static const struct field qos[] = {
	{ "qos.pfc", KIND_SET, .max = 7, .doc = "priorities that are paused" },
	{ "qos.trust", KIND_WORD, .words = words, .doc = "header field" },
	{ 0 },
};
static const struct field backlog[] = {
	{ "max_backlog", KIND_UINT, .min = 1, .max = 8192, .unit = "connections", .doc = "largest backlog" },
	{ 0 },
};
static const struct field keys[] = { { "sysctl.*", KIND_TEXT,
				       .doc = "any sysctl; a second part that is told with the key alone, and is so "
					      "long that it takes more than one line" },
				     { 0 } };
static const struct field link_fields[] = {
	{ "link.speed", KIND_UINT, .min = 100, .max = 800000, .unit = "Mb/s", .doc = "speed", .verify_only = true },
	{ 0 },
};
static const struct setting setting_qos = {
	.name = "qos", .why = "It drops.", .scope = SCOPE_WIRE, .fields = qos,
	.live = { .write = no_write, .weigh = no_weigh, .interface = "dcb netlink" },
};
static const struct setting setting_backlog = {
	.name = "max_backlog", .why = "It hangs.", .scope = SCOPE_NODE, .fields = backlog,
	.live = { .write = no_write, .effective = EFFECTIVE_NEW_CONNECTIONS, .interface = "procfs" },
	.boot = { .write = no_write, .interface = "sysctl.d" },
};
static const struct setting setting_sysctl = { .name = "sysctl", .why = "?", .scope = SCOPE_NODE, .fields = keys };
static const struct setting setting_link = {
	.name = "link", .why = "It is slow.", .scope = SCOPE_WIRE, .fields = link_fields, .live = { .write = no_write },
};
static const struct home flow = { .interface = "PFCC register" }, own = { 0 };
static const struct provider providers[] = {
	{ &setting_link, &own }, { &setting_qos, &flow }, { &setting_qos, &own }, { 0 }
};
static const struct vendor mlx5 = { .name = "mlx5", .providers = providers }, other = { .name = "other" };
static const struct setting *const settings[] = { &setting_qos, &setting_backlog, &setting_sysctl, &setting_link };
static const struct vendor *const vendors[] = { &other, &mlx5 };
static const struct catalog catalog = { settings, 4, vendors, 2, NULL };

static void assert_explained(const char *key, const char *expected)
{
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text t = { 0 };
	struct diags d;

	diags_init(&d, a);
	assert_int_equal(explain_key(&catalog, NULL, key, &t, NULL, &d), 0);
	assert_string_equal(text_str(&t), expected);
	assert_int_equal(d.n, 0);
	arena_free(a);
}

static void explains_keys(void **state)
{
	(void)state;
	assert_explained("qos.pfc", "qos.pfc\n"
				    "  means       priorities that are paused\n"
				    "  takes       a list of numbers from 0 to 7; [] is none\n"
				    "  belongs to  each physical port, also inside a bond\n"
				    "  rdmactl     set now; nothing keeps it over a reboot or a reload of the driver\n"
				    "  live        dcb netlink\n"
				    "              mlx5: PFCC register\n"
				    "              mlx5: its own\n"
				    "  impact      by driver and difference, at least none\n"
				    "              `rdmactl plan` says it beforehand\n"
				    "  effective   now\n"
				    "  if wrong    It drops.\n");
	assert_explained("max_backlog", "max_backlog\n"
					"  means       largest backlog\n"
					"  takes       a number, 1 to 8192 connections\n"
					"  belongs to  the node\n"
					"  rdmactl     set now and for the next boot\n"
					"  live        procfs\n"
					"  next boot   sysctl.d\n"
					"  impact      none\n"
					"  effective   new-connections\n"
					"  if wrong    It hangs.\n");
	assert_explained("link.speed", "link.speed\n"
				       "  means       speed\n"
				       "  takes       a number, 100Mb/s to 800Gb/s\n"
				       "  belongs to  each physical port, also inside a bond\n"
				       "  rdmactl     verified only: rdmactl never writes it\n"
				       "              mlx5: its own\n"
				       "  if wrong    It is slow.\n");
	assert_explained(
		"sysctl.net.core.rmem_max",
		"sysctl.net.core.rmem_max\n"
		"  means       any sysctl; a second part that is told with the key alone, and is so long that it\n"
		"              takes more than one line\n"
		"  takes       a text\n"
		"  belongs to  the node\n"
		"  rdmactl     verified only: rdmactl never writes it\n"
		"  if wrong    ?\n");
}

static void lists_prefixes(void **state)
{
	(void)state;
	assert_explained("qos", "qos.pfc                           priorities that are paused\n"
				"qos.trust                         header field\n");
	assert_explained("", "qos.pfc                           priorities that are paused\n"
			     "qos.trust                         header field\n"
			     "max_backlog                       largest backlog\n"
			     "sysctl.*                          any sysctl\n"
			     "link.speed                        speed\n");
}

static void unknown_keys_get_a_hint(void **state)
{
	static const struct {
		const char *key, *hint;
	} cases[] = {
		{ "qos.pcf", "did you mean 'qos.pfc'? `rdmactl explain` lists them all" },
		{ "pfc", "did you mean 'qos.pfc'? `rdmactl explain` lists them all" },
		{ "max-backlog", "did you mean 'max_backlog'? `rdmactl explain` lists them all" },
		{ "bananas", "`rdmactl explain` lists them all" },
		{ "qo", "`rdmactl explain` lists them all" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		TEXT_CLEANUP struct text t = { 0 };
		struct diags d;

		diags_init(&d, a);
		assert_int_equal(explain_key(&catalog, NULL, cases[i].key, &t, NULL, &d), -ENOENT);
		assert_int_equal(t.n, 0);
		assert_int_equal(d.errors, 1);
		assert_string_equal(d.at[0].hint, cases[i].hint);
		arena_free(a);
	}
}

static void writes_json(void **state)
{
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text t = { 0 }, untouched = { 0 };
	struct diags d;
	struct json j;

	(void)state;
	diags_init(&d, a);
	json_init(&j, &t, false);
	json_array_open(&j, NULL);
	assert_int_equal(explain_key(&catalog, NULL, "qos.trust", &untouched, &j, &d), 0);
	assert_int_equal(explain_key(&catalog, NULL, "max_backlog", &untouched, &j, &d), 0);
	json_array_close(&j);
	assert_int_equal(untouched.n, 0);
	assert_string_equal(
		text_str(&t),
		"[{\"key\":\"qos.trust\",\"means\":\"header "
		"field\",\"kind\":\"word\",\"words\":[\"pcp\",\"dscp\",\"both\"],"
		"\"belongs_to\":\"each physical port, also inside a bond\",\"set\":true,\"live\":\"dcb netlink\","
		"\"providers\":[{\"vendor\":\"mlx5\",\"interface\":\"PFCC register\"},{\"vendor\":\"mlx5\"}],"
		"\"least_impact\":\"none\",\"effective\":\"now\",\"if_wrong\":\"It drops.\"},"
		"{\"key\":\"max_backlog\",\"means\":\"largest "
		"backlog\",\"kind\":\"number\",\"unit\":\"connections\",\"min\":1,"
		"\"max\":8192,\"belongs_to\":\"the node\",\"set\":true,\"live\":\"procfs\",\"providers\":[],"
		"\"next_boot\":\"sysctl.d\",\"impact\":\"none\",\"effective\":\"new-connections\",\"if_wrong\":\"It "
		"hangs.\"}]");
	arena_free(a);
}

/* Every field of the product has what explain needs, and one line each in the list. */
static void the_real_tables_are_complete(void **state)
{
	const struct catalog *c = catalog_default();
	struct arena *a = arena_new();
	struct diags d;

	(void)state;
	diags_init(&d, a);
	for (size_t i = 0; i < c->nsettings; i++) {
		const struct setting *s = c->setting[i];

		assert_non_null(s->why);
		for (const struct field *f = s->fields; f->name; f++) {
			TEXT_CLEANUP struct text t = { 0 };

			assert_int_equal(explain_key(c, NULL, f->name, &t, NULL, &d), 0);
			if (!f->doc || strchr(f->doc, '\n'))
				fail_msg("%s has no doc of one line", f->name);
			if (!s->live.interface && !s->boot.interface)
				fail_msg("%s names no interface", f->name);
			assert_memory_equal(text_str(&t), f->name, strlen(f->name));
		}
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explains_keys),
		cmocka_unit_test(lists_prefixes),
		cmocka_unit_test(unknown_keys_get_a_hint),
		cmocka_unit_test(writes_json),
		cmocka_unit_test(the_real_tables_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
