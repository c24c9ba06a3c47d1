/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switch systems: what is rendered reads back as the policy says, for every system, tier and link; every fault of a table,
 * planted into the text, is found, named, and the only finding. The counts are printed.
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
#include "nos/template.h"
#include "policy/policy.h"

static const char policy_text[] =
	"version: 1\n"
	"fabric:\n"
	"  mtu: 9000\n"
	"  classes:\n"
	"    rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}\n"
	"    cnp: {priority: 6, dscp: [48], strict: true}\n"
	"    default: {priority: 0, bandwidth: 40%}\n"
	"  tiers:\n"
	"    leaf:\n"
	"      asic: Spectrum-4\n"
	"      frame: 9216\n"
	"      pool: 26451968\n"
	"      alpha: 1\n"
	"      shared_pool: true\n"
	"      small_packets: 50%\n"
	"      lossless_mtu: 4096\n"
	"      queue_buffer: 3000KiB\n"
	"      watchdog: {detect: 200ms, restore: 400ms, action: drop}\n"
	"      links:\n"
	"        down: {ports: \"Ethernet[0-16/8]\", speed: 400Gb/s, cable: 30m, ecn: {rdma: {kmin: 150KiB, kmax: 1500KiB, pmax: 20%}}}\n"
	"        up: {ports: \"Ethernet[256,264]\", speed: 800Gb/s, cable: 80m, lanes: 8, ecn: {rdma: {kmin: 300KiB, kmax: 3000KiB, pmax: 30%}}}\n"
	"    spine:\n"
	"      queue_buffer: 3000KiB\n"
	"      links:\n"
	"        all: {ports: \"Ethernet[1-2]\", speed: 800Gb/s, cable: 80m, ecn: {rdma: {kmin: 300KiB, kmax: 3000KiB, pmax: 30%}}}\n"
	"nodes: {n1: {set: {node: {sysctl: {kernel.panic: 1}}}}}\n";

struct bench {
	struct arena *arena;
	struct diags diags;
	struct policy *policy;
	const struct fabric *fabric;
};

static void tell(const struct diags *d)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(d, false, &t);
	print_message("%s", text_str(&t));
}

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->arena = arena_new();
	diags_init(&b->diags, b->arena);
	if (policy_parse(b->arena, "policy.yaml", policy_text, sizeof(policy_text) - 1, catalog_default(), &b->policy,
			 &b->diags) < 0) {
		tell(&b->diags);
		return -1;
	}
	b->fabric = policy_fabric_at(b->policy, 0);
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

static struct switch_tier *tier_of(struct bench *b, const struct nos *nos, const char *tier)
{
	struct switch_tier *t;

	if (nos_tier(b->arena, nos, b->fabric, fabric_tier(b->fabric, tier), &t, &b->diags) < 0) {
		tell(&b->diags);
		fail_msg("%s %s", nos->name, tier);
	}
	return t;
}

static void render(struct bench *b, struct switch_tier *t, struct text *out)
{
	if (nos_render(t, NULL, out, &b->diags) < 0) {
		tell(&b->diags);
		fail_msg("%s %s", t->nos->name, t->tier->name);
	}
}

static bool is_finding(const struct row *r)
{
	return r->status != STATUS_IN_SYNC && !r->follows;
}

/* Reads a text and compares; -1 if it cannot be read. */
static int findings(struct bench *b, struct switch_tier *t, const char *text, size_t n, struct row **row, size_t *nrows)
{
	const struct source source = { "switch.conf", text, n };
	struct source *s = arena_new_of(b->arena, struct source);
	struct switch_file *f;
	int found = 0;

	*s = source;
	if (nos_read(b->arena, t->nos, s, &f, &b->diags) < 0)
		return -1;
	nos_compare(t, f, row, nrows);
	for (size_t i = 0; i < *nrows; i++)
		found += is_finding(&(*row)[i]);
	return found;
}

/* --- there and back -------------------------------------------------------------------------- */

static void round_trip(void **state)
{
	static const char *const tiers[] = { "leaf", "spine" };
	struct bench *b = *state;
	const struct nos *nos;
	size_t values = 0, texts = 0;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++)
		for (size_t j = 0; j < 2; j++) {
			TEXT_CLEANUP struct text out = { 0 };
			struct switch_tier *t = tier_of(b, nos, tiers[j]);
			struct row *row;
			size_t n;

			render(b, t, &out);
			assert_int_equal(findings(b, t, text_str(&out), out.n, &row, &n), 0);
			assert_true(n >= 8);
			for (size_t k = 0; k < n; k++)
				assert_int_equal(row[k].status, STATUS_IN_SYNC);
			assert_ptr_equal(nos_guess(&(struct source){ "x", text_str(&out), out.n }), nos);
			values += n;
			texts++;
		}
	print_message("round trip: %zu values of %zu texts read back as they were\n", values, texts);
}

/* --- planted faults ---------------------------------------------------------------------------- */

struct fault {
	const char *nos, *tier, *from, *to, *setting;	/* the first occurrence of @from; to NULL: its line goes */
	bool all;			/* every occurrence */
};

#include "switch_faults.h"

enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

static void cut_line(const char **from, size_t *n, const char *text)
{
	const char *end = strchr(*from, '\n');

	while (*from > text && (*from)[-1] != '\n')
		(*from)--;
	*n = end ? (size_t)(end + 1 - *from) : strlen(*from);
}

/* Return: how many places were changed. */
static size_t plant(const struct fault *f, const char *text, struct text *out)
{
	size_t places = 0;
	const char *at;

	while ((at = strstr(text, f->from)) != NULL && (f->all || !places)) {
		const char *from = at;
		size_t n = strlen(f->from);

		if (!f->to)
			cut_line(&from, &n, text);
		text_addn(out, text, (size_t)(from - text));
		text_add(out, f->to ? f->to : "");
		text = from + n;
		places++;
	}
	text_add(out, text);
	return places;
}

static bool found_alone(struct bench *b, struct switch_tier *t, const struct fault *f, const char *text)
{
	TEXT_CLEANUP struct text planted = { 0 };
	struct row *row = NULL;
	size_t n = 0;
	int found;

	assert_true(plant(f, text, &planted) > 0);
	found = findings(b, t, text_str(&planted), planted.n, &row, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_finding(&row[i]))
			continue;
		if (found == 1 && !strcmp(row[i].name, f->setting))
			return true;
		print_message("%s: %s -> %s: %s is not %s alone\n", f->nos, f->from, f->to ? f->to : "(nothing)", row[i].name, f->setting);
	}
	if (found <= 0)
		print_message("%s: %s -> %s: %s\n", f->nos, f->from, f->to ? f->to : "(nothing)", found ? "not read" : "not found");
	return false;
}

static void planted_faults(void **state)
{
	struct bench *b = *state;
	const struct nos *nos;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++) {
		size_t n = 0, right = 0;

		for (size_t j = 0; j < FAULTS; j++) {
			TEXT_CLEANUP struct text out = { 0 };
			struct switch_tier *t;

			if (strcmp(faults[j].nos, nos->name) != 0)
				continue;
			t = tier_of(b, nos, faults[j].tier);
			render(b, t, &out);
			if (!strstr(text_str(&out), faults[j].from))
				fail_msg("%s has no \"%s\"", nos->name, faults[j].from);
			right += found_alone(b, t, &faults[j], text_str(&out));
			n++;
		}
		print_message("%s: %zu of %zu planted faults found, named, and the only finding\n", nos->name, right, n);
		assert_int_equal(right, n);
		assert_true(n >= 30);
	}
}

/* --- templates ----------------------------------------------------------------------------------- */

static void templates(void **state)
{
	static const struct {
		const char *text, *want;	/* NULL: an error */
	} cases[] = {
		{ "a {{x}} b", "a 1 b" },
		{ "{{for l}}{{y}}{{,}}{{end}}", "p,q" },
		{ "{{for l}}\n{{y}}{{x}}\n{{end}}\nend\n", "p1\nq1\nend\n" },
		{ "{{if none}}no{{end}}{{if !none}}yes{{end}}{{if x}}{{if l}}both{{end}}{{end}}", "yesboth" },
		{ "  {{# a remark}}\nx\n", "x\n" },
		{ "{{for l}}{{for l}}{{y}}{{,}}{{end}}{{end}}", "p,q,p,q" },
		{ "{{for none}}x{{end}}", "" },
		{ "{ {{x}} }", "{ 1 }" },
		{ "{{z}}", NULL }, { "{{for l}}", NULL }, { "{{end}}", NULL }, { "{{", NULL }, { "{{}}", NULL }, { "{{for}}{{end}}", NULL },
		{ "{{when x}}", NULL },
	};
	struct bench *b = *state;
	struct vars *n = vars_new(b->arena, NULL);

	vars_set(n, "x", "%d", 1);
	vars_set(n, "none", "%s", "");
	vars_set(vars_add(n, "l"), "y", "%s", "p");
	vars_set(vars_add(n, "l"), "y", "%s", "q");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct source s = { "t", cases[i].text, strlen(cases[i].text) };
		TEXT_CLEANUP struct text out = { 0 };
		int r = template_render(&s, n, &out, &b->diags);

		assert_int_equal(r < 0, !cases[i].want);
		if (cases[i].want)
			assert_string_equal(text_str(&out), cases[i].want);
	}
}

/* --- written by hand --------------------------------------------------------------------------------- */

/* The spine in other words: other order, lists and ranges, words cut short, lines that nobody asked for, other ports. */
static const struct {
	const char *nos, *text;
} by_hand[] = {
	{ "cumulus",
	  "[{\"header\": {\"version\": \"5.9\"}}, {\"set\": {\"system\": {\"hostname\": \"x\"},\n"
	  "\"interface\": {\"Ethernet1-4\": {\"link\": {\"mtu\": 9216}, \"qos\": {\"mapping\": {\"profile\": \"m\"}, \"pfc\": {\"profile\": \"p\"},\n"
	  "\"congestion-control\": {\"profile\": \"c\"}, \"egress-scheduler\": {\"profile\": \"s\"}}}},\n"
	  "\"qos\": {\"mapping\": {\"m\": {\"trust\": \"l3\", \"dscp\": {\"26\": {\"switch-priority\": 3}, \"48\": {\"switch-priority\": 6},"
	  "\"0-25,27-47,49-63\": {\"switch-priority\": 0}}}},\n"
	  "\"pfc\": {\"p\": {\"switch-priority\": {\"3\": {}}, \"tx\": \"enabled\", \"rx\": \"on\", \"cable-length\": 80}},\n"
	  "\"congestion-control\": {\"c\": {\"traffic-class\": {\"3\": {\"ecn\": \"enable\", \"min-threshold\": 307200, \"max-threshold\": 3072000,"
	  "\"probability\": 30}}}},\n"
	  "\"egress-scheduler\": {\"s\": {\"traffic-class\": {\"0\": {\"mode\": \"dwrr\", \"bw-percent\": 40}, \"3\": {\"bw-percent\": 60},"
	  "\"6\": {\"mode\": \"strict\"}}}}}}}]\n" },
	{ "cumulus",
	  "- header:\n    model: vx\n- set:\n    interface:\n      Ethernet1,Ethernet2:\n        qos:\n          mapping:\n            profile: m\n"
	  "          pfc: {}\n      Ethernet1-2:\n        qos:\n          pfc:\n            profile: 'p'\n          congestion-control:\n"
	  "            profile: c   # a remark\n          egress-scheduler:\n            profile: s\n    qos:\n      mapping:\n        m:\n"
	  "          trust: both\n          dscp:\n            '26':\n              switch-priority: 3\n            '48':\n"
	  "              switch-priority: 6\n            0-25,27-47,49-63:\n              switch-priority: 0\n      pfc:\n        p:\n"
	  "          switch-priority:\n            '3': {}\n          cable-length: 80\n      congestion-control:\n        c:\n"
	  "          traffic-class:\n            '3':\n              ecn: enable\n              min-threshold: 307200\n"
	  "              max-threshold: 3072000\n              probability: 30\n      egress-scheduler:\n        s:\n          traffic-class:\n"
	  "            '0':\n              bw-percent: 40\n            '3':\n              bw-percent: 60\n            '6':\n"
	  "              mode: strict\n" },
	{ "sonic",
	  "some words of the command\n{\"DEVICE_METADATA\": {\"localhost\": {\"buffer_model\": \"dynamic\"}}, \"PORT_QOS_MAP\": {\"global\": {\"dscp_to_tc_map\": \"[DSCP_TO_TC_MAP|A]\"},\n"
	  "\"Ethernet1,Ethernet2\": {\"tc_to_queue_map\": \"[TC_TO_QUEUE_MAP|A]\", \"tc_to_pg_map\": \"A\", \"pfc_enable\": \"3\"}},\n"
	  "\"DSCP_TO_TC_MAP\": {\"A\": {DSCPS}},\n"
	  "\"TC_TO_QUEUE_MAP\": {\"A\": {\"0\": \"0\", \"3\": \"3\", \"6\": \"6\", \"7\": \"7\"}}, \"TC_TO_PRIORITY_GROUP_MAP\": {\"A\": {\"3\": \"3\"}},\n"
	  "\"QUEUE\": {\"Ethernet1,Ethernet2|3\": {\"wred_profile\": \"[WRED_PROFILE|W]\", \"scheduler\": \"d\"}, \"Ethernet1,Ethernet2|0\": {\"scheduler\": \"o\"},"
	  "\"Ethernet1,Ethernet2|5-6\": {\"scheduler\": \"s\"}},\n"
	  "\"SCHEDULER\": {\"d\": {\"type\": \"DWRR\", \"weight\": \"60\"}, \"o\": {\"type\": \"WRR\", \"weight\": \"40\"}, \"s\": {\"type\": \"STRICT\"}},\n"
	  "\"WRED_PROFILE\": {\"W\": {\"ecn\": \"ecn_all\", \"wred_green_enable\": \"true\", \"green_min_threshold\": \"307200\","
	  "\"green_max_threshold\": \"3072000\", \"green_drop_probability\": \"30\", \"red_min_threshold\": \"1\"}},\n"
	  "\"BUFFER_PG\": {\"Ethernet1|3-4\": {\"profile\": \"NULL\"}, \"Ethernet2|3-4\": {\"profile\": \"NULL\"}}, \"CABLE_LENGTH\": {\"X\": {\"Ethernet1\": \"80m\","
	  "\"Ethernet2\": \"80m\"}}, \"PORT\": {\"Ethernet1\": {\"mtu\": \"9100\"}, \"Ethernet2\": {\"mtu\": \"9000\"}, \"Ethernet3\": {}}}" },
	{ "eos",
	  "! Command: show running-config\nhostname leaf1\ninterface Et1-2\n   mtu 9214\n   service-prof X\n   description \x1b[31m\n"
	  "interface Management0\n   ip address 1.2.3.4/24\nqos prof X\n   qos tru dscp\n   uc-tx-queue 6\n      priority strict\n   tx-queue 3\n"
	  "      random-det ecn min 300 kbytes max 3000 kbytes max-mark 30 weight 0\n      no prio\n      bandw percent 60\n   tx-queue 0\n      band perc 40\n"
	  "   priority-flow-control priority 3 no-drop\n   priority-flow on\nqos map dscp 0-23,27-47 49-63 25 24 to traffic-class 0\n" },
	{ "nxos",
	  "class-map match-all A\n  match dscp af31\nclass-map type qos match-any B\n  match dscp cs6\nclass-map type queuing match-any MINE\n"
	  "  match qos-group 3\npolicy-map type qos IN\n  class A\n    set qos-group 3\n  class B\n    set qos-group 7\n"
	  "policy-map type queuing OUT\n  class type queuing c-out-q7\n    priority level 1\n  class type queuing MINE\n"
	  "    random-detect minimum-threshold 307200 bytes maximum-threshold 3072000 bytes drop-probability 30 weight 0 ecn\n"
	  "    bandwidth remaining percent 60\n  class type queuing c-out-q-default\n    bandwidth remaining percent 40\n"
	  "policy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n    mtu 9216\n"
	  "system qos\n  service-policy type network-qos NQ\n  service-policy type queuing output OUT\n"
	  "int Eth1 , Eth2\n  mtu 9216\n  priority-flow-control mode auto\n  service-policy type qos input IN\n  no shutdown\n" },
	{ "junos",
	  "set version 23.4\nset class-of-service interfaces Ethernet* unit * classifiers dscp C\nset class-of-service interfaces Ethernet* scheduler-map M\n"
	  "set class-of-service interfaces Ethernet1 congestion-notification-profile P\nset class-of-service interfaces Ethernet2 congestion-notification-profile P\n"
	  "set interfaces Ethernet1 mtu 9216\nset interfaces Ethernet2 mtu 9216\nset class-of-service classifiers dscp C forwarding-class R loss-priority low code-points af31\n"
	  "set class-of-service classifiers dscp C forwarding-class N loss-priority high code-points cs6\nJUNOS"
	  "set class-of-service forwarding-classes class R queue-num 3\nset class-of-service forwarding-classes class R pfc-priority 3\n"
	  "set class-of-service forwarding-classes class R no-loss\nset class-of-service forwarding-classes class N queue-num 6\n"
	  "set class-of-service forwarding-classes class D queue-num 0\nset class-of-service congestion-notification-profile P input dscp code-point af31 pfc\n"
	  "set class-of-service congestion-notification-profile P output ieee-802.1 code-point 011 flow-control-queue 3\n"
	  "set class-of-service congestion-notification-profile P input cable-length 80\nset class-of-service scheduler-maps M forwarding-class R scheduler R\n"
	  "set class-of-service scheduler-maps M forwarding-class N scheduler N\nset class-of-service scheduler-maps M forwarding-class D scheduler D\n"
	  "set class-of-service schedulers N priority strict-high\nset class-of-service schedulers D transmit-rate percent 40\n"
	  "set class-of-service schedulers R transmit-rate percent 60\nset class-of-service schedulers R explicit-congestion-notification\n"
	  "set class-of-service schedulers R drop-profile-map loss-priority any protocol any drop-profile X\n"
	  "set class-of-service drop-profiles X interpolate drop-probability 0\nset class-of-service drop-profiles X interpolate drop-probability 30\n"
	  "set class-of-service drop-profiles X interpolate fill-level 10\nset class-of-service drop-profiles X interpolate fill-level 100\n" },
};

/* Two words of the table stand for a line for each DSCP of the default class. */
static void expand(const char *text, struct text *out)
{
	for (; *text; text++) {
		bool json = !strncmp(text, "DSCPS", 5), sets = !strncmp(text, "JUNOS", 5);

		if (!json && !sets)
			text_char(out, *text);
		for (unsigned d = 0; (json || sets) && d < 64; d++) {
			unsigned to = d == 26 ? 3 : d == 48 ? 6 : 0;

			if (json)
				text_printf(out, "%s\"%u\": \"%u\"", d ? ", " : "", d, to);
			else if (!to)
				text_printf(out, "set class-of-service classifiers dscp C forwarding-class D loss-priority low code-points %u%u%u%u%u%u\n",
					    d >> 5 & 1, d >> 4 & 1, d >> 3 & 1, d >> 2 & 1, d >> 1 & 1, d & 1);
		}
		text += json || sets ? 4 : 0;
	}
}

static void hand_written(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		TEXT_CLEANUP struct text text = { 0 };
		struct switch_tier *t = tier_of(b, nos_find(by_hand[i].nos), "spine");
		struct row *row = NULL;
		size_t n = 0;
		int found;

		expand(by_hand[i].text, &text);
		found = findings(b, t, text_str(&text), text.n, &row, &n);
		for (size_t k = 0; k < n; k++)
			if (is_finding(&row[k]))
				print_message("%s %zu: %s: %s\n", by_hand[i].nos, i, row[k].name, row[k].cause ? row[k].cause : "");
		if (found < 0)
			tell(&b->diags);
		assert_int_equal(found, 0);
	}
}

/* --- what stands behind a right configuration ----------------------------------------------------------- */

enum { REFUSED = STATUS_N };

struct edit {
	const char *nos, *tail;
	const char *setting;		/* it is found with @status; NULL: any is, or none if they are in sync */
	int status;
};

#include "switch_edits.h"

/* Does some row say what is expected, and if nothing is, does none. */
static bool as_expected(const struct edit *e, int found, const struct row *row, size_t n)
{
	if (e->status == REFUSED || e->status == STATUS_IN_SYNC)
		return found == (e->status == REFUSED ? -1 : 0);
	for (size_t i = 0; found > 0 && i < n; i++)
		if ((int)row[i].status == e->status && (!e->setting || !strcmp(row[i].name, e->setting)))
			return row[i].cause && (e->status != STATUS_UNKNOWN || strstr(row[i].cause, "switch.conf"));
	return false;
}

static void edited(void **state)
{
	enum { EDITS = sizeof(edits) / sizeof(edits[0]) };
	struct bench *b = *state;
	size_t right = 0;

	for (size_t i = 0; i < EDITS; i++) {
		const struct edit *e = &edits[i];
		TEXT_CLEANUP struct text out = { 0 };
		struct switch_tier *t = tier_of(b, nos_find(e->nos), "leaf");
		struct row *row = NULL;
		size_t n = 0;
		int found;

		render(b, t, &out);
		text_add(&out, e->tail);
		found = findings(b, t, text_str(&out), out.n, &row, &n);
		if (as_expected(e, found, row, n)) {
			right++;
			continue;
		}
		print_message("%s: %s: %d findings\n", e->nos, e->tail, found);
		for (size_t k = 0; k < n; k++)
			if (is_finding(&row[k]))
				print_message("\t%s %d %s\n", row[k].name, row[k].status, row[k].cause ? row[k].cause : "");
	}
	print_message("%zu of %u edits have the effect they have on a switch, or are not known\n", right, EDITS);
	assert_int_equal(right, EDITS);
}

/* What is in doubt of the first port is not of the others, though they share what it refers to. */
static void doubt_of_one_port(void **state)
{
	static const struct { const char *nos, *tail; } doubts[] = {
		{ "nxos", "interface Ethernet0\n  no service-policy type qos input OTHER\n" },
		{ "eos", "interface Ethernet0\n   no service-profile other\nno qos map dscp 26\n" },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++) {
		TEXT_CLEANUP struct text out = { 0 };
		struct switch_tier *t = tier_of(b, nos_find(doubts[i].nos), "leaf");
		struct row *row = NULL;
		size_t n = 0, unknown = 0;

		render(b, t, &out);
		text_add(&out, doubts[i].tail);
		assert_true(findings(b, t, text_str(&out), out.n, &row, &n) > 0);
		for (size_t k = 0; k < n; k++) {
			if (row[k].status != STATUS_UNKNOWN)
				continue;
			unknown++;
			assert_string_equal(row[k].target->name, "Ethernet0");
		}
		assert_true(unknown);
	}
}

/* A byte order mark and carriage returns change nothing; the text of one system is not read as that of another. */
static void as_saved(void **state)
{
	struct bench *b = *state;
	const struct nos *nos, *other;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++) {
		TEXT_CLEANUP struct text out = { 0 };
		TEXT_CLEANUP struct text saved = { 0 };
		struct switch_tier *t = tier_of(b, nos, "leaf");
		struct row *row;
		size_t n;

		render(b, t, &out);
		text_add(&saved, "\xef\xbb\xbf");
		for (const char *s = text_str(&out); *s; s++)
			text_printf(&saved, *s == '\n' ? "\r\n" : "%c", *s);
		assert_int_equal(findings(b, t, text_str(&saved), saved.n, &row, &n), 0);
		assert_int_equal(findings(b, t, "\xff\xfe{", 3, &row, &n), -1);
		for (size_t j = 0; (other = nos_at(j)) != NULL; j++)
			if (other != nos)
				assert_int_equal(findings(b, tier_of(b, other, "leaf"), text_str(&out), out.n, &row, &n), -1);
	}
}

/* Many of everything takes no longer for each; what no switch has is refused. */
static void many(void **state)
{
	struct bench *b = *state;
	TEXT_CLEANUP struct text maps = { 0 };
	TEXT_CLEANUP struct text ports = { 0 };
	TEXT_CLEANUP struct text lines = { 0 };
	struct switch_tier *t = tier_of(b, nos_find("nxos"), "leaf");
	struct row *row;
	size_t n;

	render(b, t, &maps);
	for (unsigned i = 0; i < 90000; i++)
		text_printf(&maps, "class-map type qos match-any C%u\n  match dscp %u\n", i, i % 64);
	assert_int_equal(findings(b, t, text_str(&maps), maps.n, &row, &n), 0);
	render(b, t, &ports);
	text_add(&ports, "interface e1/1-4000\ninterface e2/1-4000\n");
	assert_int_equal(findings(b, t, text_str(&ports), ports.n, &row, &n), -1);
	render(b, t, &lines);
	text_add(&lines, "policy-map type qos RDMA-IN\n");
	for (unsigned i = 0; i < 2000; i++)
		text_printf(&lines, "  class C%u\n", i);
	assert_int_equal(findings(b, t, text_str(&lines), lines.n, &row, &n), -1);
}

/* --- broken files ----------------------------------------------------------------------------------- */

/* Cut anywhere, a file is an error or has findings, and never reads as in sync before its last value. */
static void truncated(void **state)
{
	struct bench *b = *state;
	const struct nos *nos;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++) {
		TEXT_CLEANUP struct text out = { 0 };
		struct switch_tier *t = tier_of(b, nos, "spine");
		struct row *row;
		size_t n;

		render(b, t, &out);
		for (size_t cut = 0; cut < out.n * 9 / 10; cut += 7)
			assert_int_not_equal(findings(b, t, text_str(&out), cut, &row, &n), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(planted_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(hand_written, setup, teardown),
		cmocka_unit_test_setup_teardown(templates, setup, teardown),
		cmocka_unit_test_setup_teardown(edited, setup, teardown),
		cmocka_unit_test_setup_teardown(doubt_of_one_port, setup, teardown),
		cmocka_unit_test_setup_teardown(as_saved, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test_setup_teardown(truncated, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
