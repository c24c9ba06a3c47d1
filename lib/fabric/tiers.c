/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches as a policy describes them: the table of what a tier or a link can say, and the questions that rules and
 * switch systems ask of it. The policy's decoder fills the records (lib/policy/tiers.c).
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "model/setting.h"

enum { ALPHA_LEAST = -8, ALPHA_MOST = 7, PMAX_MOST = 100, PMAX_TAKEN = 1000 };

/* --- spellings ---------------------------------------------------------------- */

static int parse_alpha(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	const char *denominator = !strncmp(s, "1/", 2) ? s + 2 : NULL;
	uint64_t n;

	(void)f;
	(void)a;
	for (int e = 0; text_u64(denominator ? denominator : s, &n) && e <= -ALPHA_LEAST; e++)
		if (n == (uint64_t)1 << e && (denominator || e <= ALPHA_MOST)) {
			v->num = denominator ? -e : e;
			return 0;
		}
	*why = "is no alpha that a switch has: a power of two from 1/256 to 128, such as 1/8 or 2";
	return -EINVAL;
}

static void print_alpha(const struct field *f, const struct value *v, struct text *out)
{
	(void)f;
	text_printf(out, v->num < 0 ? "1/%u" : "%u", 1u << (v->num < 0 ? -v->num : v->num));
}

/* Above 100 too: lint says so together with all else that is wrong with the thresholds (ecn-pmax-range). */
static int parse_pmax(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	struct field loose = *f;

	loose.parse = NULL;
	loose.max = PMAX_TAKEN;
	return value_parse(&loose, s, v, a, why);
}

/* Speeds that Ethernet links have, Mb/s. A bare number is Mb/s, as everywhere; that of a speed in Gb/s is hardly meant so. */
static const unsigned speeds[] = { 10, 100, 1000, 2500, 5000, 10000, 20000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000 };

static bool is_speed(int64_t mbps)
{
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (mbps == speeds[i])
			return true;
	return false;
}

static int parse_speed(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	struct field loose = *f;
	uint64_t bare;
	int64_t mbps;

	loose.parse = NULL;
	loose.min = 1;
	if (text_u64(s, &bare) && bare <= 1600 && is_speed((int64_t)bare * 1000)) {
		*why = arena_printf(a, "has no unit, which would make it %ju Mb/s; did you mean %juGb/s?", (uintmax_t)bare, (uintmax_t)bare);
		return -EINVAL;
	}
	if (value_parse(&loose, s, v, a, why) < 0)
		return -EINVAL;
	mbps = v->num;
	if (is_speed(mbps))
		return 0;
	*why = is_speed(mbps * 1000) ? arena_printf(a, "is a speed that no link has; did you mean %jdGb/s?", (intmax_t)mbps) :
				       "is a speed that no link has: 10, 25, 40, 50, 100, 200, 400, 800Gb/s, …";
	return -EINVAL;
}

/* --- the table ---------------------------------------------------------------- */

static const char *const nos_words[] = {
	[NOS_SONIC] = "sonic", [NOS_CUMULUS] = "cumulus", [NOS_EOS] = "eos", [NOS_NXOS] = "nxos", [NOS_JUNOS] = "junos",
	[NOS_OS10] = "os10", NULL,
};
const char *const fabric_action_words[] = {
	[ACTION_DROP] = "drop", [ACTION_FORWARD] = "forward", [ACTION_ALERT] = "alert", NULL,
};

static const struct field fields[] = {
	[FABRIC_NOS] = { "nos", KIND_WORD, .words = nos_words, .doc = "network operating system of these switches" },
	[FABRIC_ASIC] = { "asic", KIND_TEXT, .doc = "switch chip, as headroom is computed for it: Spectrum-4" },
	[FABRIC_PORTS] = { "ports", KIND_TEXT, .doc = "ports of one switch, a list: \"Ethernet[0-248/8]\"" },
	[FABRIC_SPEED] = { "speed", KIND_UINT, .min = 100, .max = 3200000, .unit = "Mb/s", .parse = parse_speed,
			   .doc = "speed of each link" },
	[FABRIC_CABLE] = { "cable", KIND_UINT, .min = 1, .max = 100000, .unit = "m", .doc = "longest cable" },
	[FABRIC_FRAME] = { "frame", KIND_UINT, .min = 512, .max = 65535, .unit = "bytes",
			   .doc = "largest frame, header, tag and check sequence included; default: MTU + 22" },
	[FABRIC_LOSSLESS_MTU] = { "lossless_mtu", KIND_UINT, .min = 64, .max = 65535, .unit = "bytes",
				  .doc = "largest frame of lossless traffic, for headroom" },
	[FABRIC_SMALL_PACKETS] = { "small_packets", KIND_UINT, .max = 100, .unit = "%",
				   .doc = "share of 64-byte packets, by count, for headroom" },
	[FABRIC_SHARED_POOL] = { "shared_pool", KIND_BOOL, .doc = "headroom comes from a pool that all ports share" },
	[FABRIC_LANES] = { "lanes", KIND_UINT, .min = 1, .max = 16, .doc = "lanes of a port, for headroom" },
	[FABRIC_POOL] = { "pool", KIND_UINT, .min = 1, .max = INT64_C(1) << 40, .unit = "bytes",
			  .doc = "shared buffer that is left after headroom" },
	[FABRIC_ALPHA] = { "alpha", KIND_UINT, .min = ALPHA_LEAST, .max = ALPHA_MOST, .parse = parse_alpha,
			   .print = print_alpha,
			   .doc = "share of the free pool that one lossless queue may take: 1/8, 1, 2" },
	[FABRIC_QUEUE_BUFFER] = { "queue_buffer", KIND_UINT, .min = 1, .max = INT64_C(1) << 40, .unit = "bytes",
				  .doc = "buffer of one egress queue, where a switch marks in percent of it" },
	[FABRIC_WATCHDOG_DETECT] = { "watchdog.detect", KIND_UINT, .min = 1, .max = 60000, .unit = "ms",
				     .doc = "a queue that is paused this long is stuck" },
	[FABRIC_WATCHDOG_RESTORE] = { "watchdog.restore", KIND_UINT, .min = 1, .max = 600000, .unit = "ms",
				      .doc = "without pause for this long, it is well again" },
	[FABRIC_WATCHDOG_ACTION] = { "watchdog.action", KIND_WORD, .words = fabric_action_words,
				     .doc = "what becomes of packets of a stuck queue" },
	[FABRIC_ECN_KMIN] = { "ecn.*.kmin", KIND_UINT, .min = 1, .max = INT64_C(1) << 40, .unit = "bytes",
			      .doc = "queue length at which marking begins" },
	[FABRIC_ECN_KMAX] = { "ecn.*.kmax", KIND_UINT, .min = 1, .max = INT64_C(1) << 40, .unit = "bytes",
			      .doc = "queue length from which all packets are marked" },
	[FABRIC_ECN_PMAX] = { "ecn.*.pmax", KIND_UINT, .max = PMAX_MOST, .unit = "%", .parse = parse_pmax,
			      .doc = "probability of marking just below kmax" },
	{ 0 },
};

const struct setting fabric_link_setting = { .name = "tier", .fields = fields };

/* --- questions ---------------------------------------------------------------- */

const struct fabric_tier *fabric_tier(const struct fabric *f, const char *name)
{
	for (size_t i = 0; i < f->ntiers; i++)
		if (!strcmp(f->tier[i].name, name))
			return &f->tier[i];
	return NULL;
}

const struct cell *fabric_says(const struct record *has, unsigned field)
{
	return record_has(has, field) ? &has->at[field] : NULL;
}

const struct cell *fabric_ecn(const struct fabric_link *l, const char *class, unsigned field)
{
	for (size_t i = FABRIC_LINK_FIELDS; i < l->has->n; i++) {
		const struct cell *c = &l->has->at[i];

		if (c->field == &fields[field] && c->state == CELL_VALUE && !strcmp(c->star[0], class))
			return c;
	}
	return NULL;
}

bool fabric_marks(const struct fabric_link *l, const char *class)
{
	for (unsigned field = FABRIC_ECN_KMIN; field <= FABRIC_ECN_PMAX; field++)
		if (fabric_ecn(l, class, field))
			return true;
	return false;
}

unsigned fabric_frame(const struct fabric *f, const struct fabric_link *l)
{
	const struct cell *said = fabric_says(l->has, FABRIC_FRAME);

	if (said)
		return (unsigned)said->value.num;
	return f->mtu ? frames_of_mtu((unsigned)f->mtu, 1) : 0;
}

size_t fabric_tier_ports(const struct fabric_tier *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (!t->link[i].nports)
			return 0;
		n += t->link[i].nports;
	}
	return n;
}
