/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SONiC's config_db: what changes a judged value without looking like it. Each case is one change of a rendered file, and the one
 * row that it must show as, drift or unknown: none of them may read as in sync. Files that are no config_db are refused.
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
#include "base/diag.h"
#include "base/text.h"
#include "catalog.h"
#include "model/row.h"
#include "nos/nos.h"
#include "policy/policy.h"

#define TIER(name, asic, more)                                                                                                      \
	"    " name ":\n      asic: " asic "\n      frame: 9216\n" more                                                           \
	"      watchdog: {detect: 200ms, restore: 400ms, action: drop}\n"                                                         \
	"      links:\n"                                                                                                          \
	"        down: {ports: \"Ethernet[0,8]\", speed: 400Gb/s, cable: 30m, ecn: {rdma: {kmin: 150KiB, kmax: 1500KiB, pmax: 20%}}}\n"

static const char policy_text[] =
	"version: 1\n"
	"fabric:\n"
	"  mtu: 9000\n"
	"  classes:\n"
	"    rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}\n"
	"    cnp: {priority: 6, dscp: [48], strict: true}\n"
	"    default: {priority: 0, bandwidth: 40%}\n"
	"  tiers:\n"
	TIER("said", "Spectrum-4", "      pool: 26451968\n      alpha: 1\n      shared_pool: true\n")
	TIER("left", "Spectrum-4", "")
	TIER("other", "Nobody-1", "")
	"nodes: {n1: {set: {node: {sysctl: {kernel.panic: 1}}}}}\n";

/* What an operator's switch has in place of profile NULL. */
#define POOLS "\"BUFFER_POOL\": {\"p\": {\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \"26451968\", \"xoff\": \"9000000\"}},\n"
#define PROFILE(size, xon, xoff) POOLS "\"BUFFER_PROFILE\": {\"x\": {\"pool\": \"p\", \"size\": \"" size "\", \"xon\": \"" xon \
	"\", \"xoff\": \"" xoff "\", \"dynamic_th\": \"0\"}},\n"
#define STATIC(size, xon, xoff) "\"BUFFER_PG\": {", PROFILE(size, xon, xoff) "\"BUFFER_PG\": {", "\"NULL\"", "\"x\""
#define WD "\"PFC_WD\": {\n    \"GLOBAL\": { \"POLL_INTERVAL\": \"200\" }"

static const struct edit {
	const char *tier, *from, *to, *also, *too;	/* both changes in every place */
	const char *row;		/* "group drift"; "": all in sync; NULL: refused */
	const char *words;		/* of its cause, or of the error */
} changes[] = {
	{ "left", "{", "{", NULL, NULL, "", NULL },
	{ "said", "{", "{", NULL, NULL, "", NULL },
	/* what shares with a lossless priority */
	{ "left", "\"6\": \"0\"\n", "\"6\": \"3\"\n", NULL, NULL, "group drift", "priority 6 is not lossless" },
	{ "left", "\"6\": \"0\"\n", "\"5\": \"3\", \"6\": \"0\"\n", NULL, NULL, "group drift", "priority 5 is not lossless" },
	{ "left", "\"3\": \"3\",\n      \"6\": \"6\"", "\"5\": \"3\", \"3\": \"3\",\n      \"6\": \"6\"", NULL, NULL, "queue drift",
	  "priority 5 is not lossless" },
	{ "left", "\"6\": \"0\"\n", "\"9\": \"3\", \"6\": \"0\"\n", NULL, NULL, "group unknown", "traffic class 9" },
	/* profiles of the switch's own */
	{ "left", STATIC("19456", "19456", "500000"), "", NULL },
	{ "left", STATIC("600000", "19456", "500000"), "", NULL },
	{ "left", STATIC("100", "19456", "500000"), "headroom.3.size drift", NULL },
	{ "left", STATIC("19456", "19456", "100"), "headroom.3.xoff drift", NULL },
	{ "left", STATIC("19456", "100", "500000"), "headroom.3.xon drift", NULL },
	{ "left", STATIC("19456", "38912", "500000"), "", NULL },
	{ "other", STATIC("19456", "19456", "500000"), "headroom.3.given unknown", "whether that is enough" },
	{ "other", STATIC("100", "1", "1"), "headroom.3.given unknown", "whether that is enough" },
	{ "said", "\"size\": \"26451968\"", "\"size\": \"100\"", NULL, NULL, "pool drift", NULL },
	{ "said", "\"type\": \"ingress\"", "\"type\": \"egress\"", NULL, NULL, "headroom.3.given unknown", "type of pool" },
	{ "said", "\"mode\": \"dynamic\"", "\"mode\": \"static\"", NULL, NULL, "headroom.3.alpha unknown", "dynamic_th does not count" },
	{ "said", "\"ingress_lossless_pool\": {", "\"lossy\": {", NULL, NULL, "headroom.3.given unknown", "a pool that the file does not have" },
	{ "said", ", \"xoff\": \"", ", \"xoff\": \"0\", \"was\": \"", NULL, NULL, "headroom.3.xoff drift", NULL },
	{ "said", "\"dynamic_th\": \"0\"", "\"static_th\": \"0\"", NULL, NULL, "headroom.3.alpha unknown", "says no dynamic_th" },
	{ "said", "\"dynamic_th\": \"0\"", "\"dynamic_th\": \"8\"", NULL, NULL, "headroom.3.alpha unknown", "-8 to 7" },
	{ "said", "\"xon\": \"19456\"", "\"xon_offset\": \"1\"", NULL, NULL, "headroom.3.xon unknown", "says no xon" },
	{ "left", "\"buffer_model\": \"dynamic\"", "\"buffer_model\": \"traditional\"", NULL, NULL, "headroom.3.given drift", NULL },
	{ "left", "\"DEVICE_METADATA\"", "\"DEVICE\"", NULL, NULL, "headroom.3.given unknown", "DEVICE_METADATA" },
	/* watchdog */
	{ "left", "\"POLL_INTERVAL\": \"200\"", "\"POLL_INTERVAL\": \"300\"", NULL, NULL, "watchdog.detect drift", NULL },
	{ "left", "\"POLL_INTERVAL\": \"200\"", "\"POLL_INTERVAL\": \"400\"", NULL, NULL, "watchdog.detect drift", NULL },
	{ "left", "\"PFC_WD\": {", "\"FLEX_COUNTER_TABLE\": {\"PFCWD\": {\"FLEX_COUNTER_STATUS\": \"disable\"}}, \"PFC_WD\": {", NULL, NULL,
	  "watchdog.enabled drift", NULL },
	{ "left", "\"PFC_WD\": {", "\"FLEX_COUNTER_TABLE\": {\"PFCWD\": {\"FLEX_COUNTER_STATUS\": \"enable\"}}, \"PFC_WD\": {", NULL, NULL, "", NULL },
	{ "left", "\"SCHEDULER\": {", "\"SCHEDULER\": {\"P\": {\"type\": \"STRICT\", \"pir\": \"1000\"},", "\"pfc_enable\":", "\"scheduler\": \"P\", \"pfc_enable\":",
	  "shares unknown", "does not exceed" },
	{ "left", WD, "\"PFC_WD\": {\"GLOBAL\": {}", NULL, NULL, "", NULL },
	{ "left", "\"POLL_INTERVAL\": \"200\"", "\"BIG_RED_SWITCH\": \"enable\"", NULL, NULL, "watchdog.enabled drift", NULL },
	{ "left", "\"action\": \"drop\"", "\"action\": \"dorp\"", NULL, NULL, "watchdog.enabled drift", NULL },
	{ "left", "\"action\": \"drop\", ", "", NULL, NULL, "", NULL },
	{ "left", ", \"detection_time\": \"200\"", "", NULL, NULL, "watchdog.enabled drift", NULL },
	{ "left", "\"detection_time\": \"200\"", "\"detection_time\": \"50\"", NULL, NULL, "watchdog.enabled drift", NULL },
	{ "left", "\"pfcwd_sw_enable\": \"3\"", "\"pfcwd_sw_enable\": \"\"", NULL, NULL, "watchdog.queues drift", NULL },
	/* keys that overlap */
	{ "left", "\"BUFFER_PG\": {", "\"BUFFER_PG\": {\"Ethernet0|3-4\": {\"profile\": \"NULL\"},", NULL, NULL, "headroom.3.given unknown", "two entries" },
	{ "left", "\"BUFFER_PG\": {", "\"BUFFER_PG\": {\"Ethernet0,Ethernet4|3-4\": {\"profile\": \"NULL\"},", NULL, NULL, "headroom.3.given unknown",
	  "two entries" },
	{ "left", "\"PFC_WD\": {", "\"PFC_WD\": {\"Ethernet0,Ethernet8\": {\"detection_time\": \"200\"},", NULL, NULL, "watchdog.enabled unknown",
	  "two entries" },
	{ "left", "\"PORT_QOS_MAP\": {", "\"PORT_QOS_MAP\": {\"Ethernet0,Ethernet8\": {\"pfc_enable\": \"4\"},", NULL, NULL, "trust unknown", "two entries" },
	{ "left", "\"Ethernet0|3\": { \"profile\"", "\"Ethernet0|3,4\": { \"profile\"", NULL, NULL, "headroom.3.given drift", NULL },
	/* values that are not taken */
	{ "left", "\"26\": \"3\"", "\"26\": [\"3\"]", NULL, NULL, NULL, "\"26\" is a list" },
	{ "left", "\"26\": \"3\"", "\"26\": {\"3\": \"3\"}", NULL, NULL, NULL, "\"26\" is an object" },
	{ "left", "\"26\": \"3\"", "\"26\": true", NULL, NULL, NULL, "without quotes" },
	{ "left", "\"26\": \"3\"", "\"26\": 3", NULL, NULL, "", NULL },
	{ "left", "\"26\": \"3\"", "\"26\": \"3\", \"26\": \"4\"", NULL, NULL, NULL, "says \"26\" twice" },
	{ "left", "\"QUEUE\": {", "\"QUEUE\": {}, \"QUEUE\": {", NULL, NULL, NULL, "says \"QUEUE\" twice" },
	{ "left", "\"26\": \"3\"", "\"26\": \"3\", \"x\": \"1\"", NULL, NULL, "dscp unknown", "\"x\" is no number" },
	{ "left", "\"26\": \"3\"", "\"26\": \"3\", \"064\": \"1\"", NULL, NULL, "dscp unknown", "\"064\" is no number" },
	{ "left", "\"wred_green_enable\": \"true\"", "\"wred_green_enable\": true", NULL, NULL, NULL, "without quotes" },
	{ "left", "\"green_min_threshold\": \"153600\"", "\"green_min_threshold\": \"153600.0\"", NULL, NULL, "ecn.3.kmin unknown", "no number" },
	{ "left", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"3-3\"", NULL, NULL, "pfc unknown", "no list of priorities" },
	{ "left", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"3,4\"", NULL, NULL, "pfc drift", NULL },
	{ "left", "\"pfc_to_pg_map\": \"RDMA\"", "\"pfc_to_pg_map\": \"AZURE\"", NULL, NULL, "pause.group unknown", "a map that the file does not have" },
	{ "left", "\"mtu\": \"9194\"", "\"mtu\": \"9194\", \"pfc_asym\": \"on\"", NULL, NULL, "pfc unknown", "pfc_asym" },
	{ "left", "\"weight\": \"60\"", "\"weight\": \"60\", \"pir\": \"1000\"", NULL, NULL, "shares unknown", "does not exceed" },
	{ "left", "\"type\": \"DWRR\", \"weight\": \"60\"", "\"weight\": \"60\"", NULL, NULL, "shares unknown", "says no type" },
	{ "left", "\"type\": \"DWRR\", \"weight\": \"60\"", "\"type\": \"FIFO\", \"weight\": \"60\"", NULL, NULL, "shares unknown", "STRICT, DWRR and WRR" },
	{ "left", "\"30m\"", "\"30\"", NULL, NULL, "cable unknown", "no length" },
	{ "left", "\"CABLE_LENGTH\": {", "\"CABLE_LENGTH\": {\"B\": {\"Ethernet0\": \"5m\"},", NULL, NULL, "cable unknown", "one of two lengths" },
	/* other tables that have a say */
	{ "left", "\"PORT\": {", "\"PORTCHANNEL\": {\"PortChannel1\": {\"mtu\": \"1500\"}}, \"PORTCHANNEL_MEMBER\": {\"PortChannel1|Ethernet0\": {}},\n\"PORT\": {",
	  NULL, NULL, "frame drift", NULL },
	{ "left", "\"PORT_QOS_MAP\": {\n    \"Ethernet0\"", "\"PORT_QOS_MAP\": {\n    \"Ethernet4\"", NULL, NULL, "trust drift", NULL },
};

struct bench {
	struct arena *arena;
	struct diags diags;
	const struct fabric *fabric;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct policy *p;

	b->arena = arena_new();
	diags_init(&b->diags, b->arena);
	if (policy_parse(b->arena, "policy.yaml", policy_text, sizeof(policy_text) - 1, catalog_default(), &p, &b->diags) < 0)
		return -1;
	b->fabric = policy_fabric_at(p, 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	arena_free(b->arena);
	free(b);
	return 0;
}

/* @from becomes @to wherever it stands. */
static const char *changed(struct arena *a, const char *text, const char *from, const char *to)
{
	TEXT_CLEANUP struct text out = { 0 };
	const char *at;

	assert_non_null(strstr(text, from));
	for (; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
		text_addn(&out, text, (size_t)(at - text));
		text_add(&out, to);
	}
	text_add(&out, text);
	return arena_strndup(a, text_str(&out), out.n);
}

static const char *render(struct bench *b, const char *tier, struct switch_tier **t)
{
	TEXT_CLEANUP struct text out = { 0 };

	assert_int_equal(nos_tier(b->arena, nos_find("sonic"), b->fabric, fabric_tier(b->fabric, tier), t, &b->diags), 0);
	assert_int_equal(nos_render(*t, NULL, &out, &b->diags), 0);
	return arena_strndup(b->arena, text_str(&out), out.n);
}

/* Rows that are not in sync, "name status cause", a line each; NULL: refused. */
static const char *verdict(struct bench *b, struct switch_tier *t, const char *text)
{
	TEXT_CLEANUP struct text out = { 0 };
	struct source *s = arena_new_of(b->arena, struct source);
	struct switch_file *f;
	struct row *row;
	size_t n;

	*s = (struct source){ "config_db.json", text, strlen(text) };
	if (nos_read(b->arena, t->nos, s, &f, &b->diags) < 0)
		return NULL;
	nos_compare(t, f, &row, &n);
	for (size_t i = 0; i < n; i++)
		if (row[i].status != STATUS_IN_SYNC && !row[i].follows)
			text_printf(&out, "%s %s %s\n", row[i].name, row[i].status == STATUS_DRIFT ? "drift" : "unknown", row[i].cause);
	return arena_strndup(b->arena, text_str(&out), out.n);
}

static const char *told(struct bench *b)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(&b->diags, false, &t);
	return arena_strndup(b->arena, text_str(&t), t.n);
}

/* One row or none, the right one, and for the right reason. */
static bool is_right(struct bench *b, const struct edit *c, const char *rows)
{
	if (!c->row || !rows)
		return !c->row && !rows && strstr(told(b), c->words);
	if (!*c->row)
		return !*rows;
	return !strncmp(rows, c->row, strlen(c->row)) && (!c->words || strstr(rows, c->words));
}

static void one_change(void **state)
{
	struct bench *b = *state;
	size_t right = 0, n = sizeof(changes) / sizeof(changes[0]);

	for (size_t i = 0; i < n; i++) {
		const struct edit *c = &changes[i];
		struct switch_tier *t;
		const char *text = render(b, c->tier, &t), *rows;

		text = i < 2 ? text : changed(b->arena, text, c->from, c->to);
		text = c->also ? changed(b->arena, text, c->also, c->too) : text;
		rows = verdict(b, t, text);
		if (is_right(b, c, rows))
			right++;
		else
			print_message("%s: %s -> %s\n  %s\n", c->tier, c->from, c->to, rows ? rows : "(refused)");
	}
	print_message("%zu of %zu changes told\n", right, n);
	assert_int_equal(right, n);
}

/* A byte order mark is told; what follows is judged. */
static void byte_order_mark(void **state)
{
	struct bench *b = *state;
	struct switch_tier *t;
	const char *text = render(b, "left", &t);

	assert_string_equal(verdict(b, t, arena_printf(b->arena, "\xef\xbb\xbf%s", text)), "");
	assert_non_null(strstr(told(b), "byte order mark"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_change, setup, teardown),
		cmocka_unit_test_setup_teardown(byte_order_mark, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
