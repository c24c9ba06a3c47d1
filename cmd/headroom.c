/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PFC headroom of one link, or of every link of a policy, with the arithmetic: a number that nobody can check is one more
 * value that is copied from page to page.
 */
#include "fabric/headroom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/units.h"
#include "cmd.h"
#include "model/setting.h"
#include "policy/policy.h"

/* One link, and what it came to. */
struct answer {
	const struct fabric *fabric;	/* NULL: of the command line */
	const char *tier, *link;
	const char *asic;		/* as named, or NULL */
	struct headroom_link in;
	struct headroom h;
	enum headroom_way way;
};

static const struct {
	const char *name, *words;
} ways[] = {
	[HEADROOM_COMPUTED] = { "computed", "computed, as switch software does it" },
	[HEADROOM_REFERENCE] = { "reference", "reference: what images ship for this ASIC, not computed" },
	[HEADROOM_ESTIMATE] = { "estimate", "estimate by bit times (IEEE 802.1Q), for cells of 256 bytes: an upper bound" },
};

/* --- text -------------------------------------------------------------------- */

static void add_decimal(struct text *out, double v)
{
	if (v == (double)(int64_t)v)
		text_printf(out, "%.0f", v);
	else
		text_printf(out, "%.4f", v);
}

static void print_terms(const struct headroom *h, struct text *out)
{
	for (size_t i = 0; i < h->n; i++) {
		TEXT_CLEANUP struct text v = { 0 };

		add_decimal(&v, h->term[i].value);
		text_printf(out, "  %-12s %14s %-9s  %s\n", h->term[i].name, text_str(&v), h->term[i].unit, h->term[i].how);
	}
}

static void print_link(const struct answer *a, struct text *out)
{
	if (a->fabric)
		text_printf(out, "%s %s: ", a->tier, a->link);
	text_add_safe(out, a->asic ? a->asic : "unknown ASIC", a->asic ? strlen(a->asic) : 12);
	text_add(out, ", ");
	units_print(a->in.speed_mbps, "Mb/s", out);
	text_printf(out, ", %u m, port MTU %u, lossless MTU %u, %u%% small packets%s", a->in.cable_m, a->in.port_mtu,
		    a->in.lossless_mtu, a->in.small_percent, a->in.shared_pool ? ", shared pool" : "");
	if (a->in.lanes)
		text_printf(out, ", %u lanes", a->in.lanes);
	text_char(out, '\n');
}

static void print_answer(const struct answer *a, struct text *out)
{
	print_link(a, out);
	print_terms(&a->h, out);
	text_printf(out, "  xoff %ju bytes", (uintmax_t)a->h.xoff);
	if (a->h.size)
		text_printf(out, ", xon %ju bytes, size %ju bytes", (uintmax_t)a->h.xon, (uintmax_t)a->h.size);
	text_printf(out, " (%s)\n", ways[a->way].words);
}

/* --- JSON -------------------------------------------------------------------- */

static void json_answer(struct json *j, const struct answer *a)
{
	json_object_open(j, NULL);
	if (a->fabric) {
		json_string(j, "fabric", a->fabric->name);
		json_string(j, "tier", a->tier);
		json_string(j, "link", a->link);
	}
	if (a->asic)
		json_string(j, "asic", a->asic);
	json_int(j, "speed_mbps", a->in.speed_mbps);
	json_int(j, "cable_m", a->in.cable_m);
	json_int(j, "port_mtu", a->in.port_mtu);
	json_int(j, "lossless_mtu", a->in.lossless_mtu);
	json_int(j, "small_percent", a->in.small_percent);
	json_boolean(j, "shared_pool", a->in.shared_pool);
	json_string(j, "way", ways[a->way].name);
	json_int(j, "xoff", (int64_t)a->h.xoff);
	if (a->h.size) {
		json_int(j, "xon", (int64_t)a->h.xon);
		json_int(j, "size", (int64_t)a->h.size);
	}
	json_array_open(j, "terms");
	for (size_t i = 0; i < a->h.n; i++) {
		json_object_open(j, NULL);
		json_string(j, "name", a->h.term[i].name);
		json_decimal(j, "value", a->h.term[i].value);
		json_string(j, "unit", a->h.term[i].unit);
		json_string(j, "how", a->h.term[i].how);
		json_object_close(j);
	}
	json_array_close(j);
	json_object_close(j);
}

static void print_all(struct session *s, const struct answer *a, size_t n)
{
	struct json j;

	if (s->opt->output != OUTPUT_JSON) {
		for (size_t i = 0; i < n; i++)
			print_answer(&a[i], &s->out);
		return;
	}
	json_init(&j, &s->out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_string(&j, "command", "headroom");
	json_array_open(&j, "links");
	for (size_t i = 0; i < n; i++)
		json_answer(&j, &a[i]);
	json_array_close(&j);
	json_object_close(&j);
	text_char(&s->out, '\n');
}

/* --- a policy's links ---------------------------------------------------------- */

static int compute(struct session *s, struct answer *a, const struct pos *pos)
{
	if (headroom_best(&a->in, a->asic, &a->h, &a->way) == 0)
		return 0;
	if (a->in.asic) {
		diag_error(&s->diags, pos, "%s%s%s%sheadroom is not known: no standard says how long the peer of %s takes at this speed",
			   a->fabric ? a->tier : "", a->fabric ? " " : "", a->fabric ? a->link : "", a->fabric ? ": " : "", a->asic);
		diag_hint(&s->diags, "--peer-response BYTES says it, for a link of the command line");
		return EXIT_UNKNOWN;
	}
	diag_error(&s->diags, pos, "%s%s%s%sheadroom is not known: neither a formula, nor a reference, nor bit times for this speed",
		   a->fabric ? a->tier : "", a->fabric ? " " : "", a->fabric ? a->link : "", a->fabric ? ": " : "");
	diag_hint(&s->diags, "bit times are published for 10, 25, 40 and 100Gb/s; name an --asic that is known for others");
	return EXIT_UNKNOWN;
}

static int of_link(struct session *s, const struct fabric *f, const struct fabric_tier *t, const struct fabric_link *l,
		   struct answer *a)
{
	const struct cell *asic = fabric_says(l->has, FABRIC_ASIC);

	*a = (struct answer){ .fabric = f, .tier = t->name, .link = l->name, .asic = asic ? asic->value.text : NULL };
	headroom_link_of(f, l->has, &a->in);
	if (a->in.speed_mbps && a->in.cable_m)
		return compute(s, a, &l->pos);
	diag_error(&s->diags, &l->pos, "%s %s: headroom needs %s", t->name, l->name, a->in.speed_mbps ? "cable" : "speed");
	return EXIT_UNKNOWN;
}

static int of_policy(struct session *s)
{
	struct { struct answer *at; size_t n, room; } all = { 0 };
	const struct fabric *f;
	struct answer one;
	int status = session_policy(s);

	for (size_t i = 0; status == 0 && (f = policy_fabric_at(s->policy, i)) != NULL; i++)
		for (size_t t = 0; t < f->ntiers; t++)
			for (size_t l = 0; l < f->tier[t].n; l++) {
				if (of_link(s, f, &f->tier[t], &f->tier[t].link[l], &one))
					status = EXIT_UNKNOWN;
				else
					list_add(&all, s->arena) = one;
			}
	if (!all.n && !status) {
		diag_error(&s->diags, NULL, "this policy has no tiers of switches");
		status = EXIT_UNKNOWN;
	}
	print_all(s, all.at, all.n);
	return status;
}

/* --- a link of the command line -------------------------------------------------- */

static int wrong(struct session *s, const char *option, const char *value, const char *why)
{
	diag_error(&s->diags, NULL, "--%s %s %s", option, value, why);
	return EXIT_USAGE;
}

/* Options are read as the policy's keys are. */
static int take_link(struct session *s, struct record *has)
{
	static const struct {
		unsigned field;
		const char *option;
	} taken[] = { { FABRIC_ASIC, "asic" },	{ FABRIC_SPEED, "speed" },
		      { FABRIC_CABLE, "cable" }, { FABRIC_FRAME, "port-mtu" },
		      { FABRIC_LOSSLESS_MTU, "lossless-mtu" }, { FABRIC_SMALL_PACKETS, "small-packets" },
		      { FABRIC_SHARED_POOL, "shared-pool" }, { FABRIC_LANES, "lanes" } };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		struct cell *c = &has->at[taken[i].field];
		const char *text = s->opt->link[taken[i].field], *why;

		if (!text)
			continue;
		if (value_parse(c->field, text, &c->value, s->arena, &why) < 0)
			return wrong(s, taken[i].option, text, why);
		c->state = CELL_VALUE;
	}
	return 0;
}

/* One letter more or less makes it an unknown ASIC, of which there is an estimate at most: not what was asked. */
static int check_asic(struct session *s, const char *asic)
{
	const char *near = asic && !headroom_asic(asic) && !headroom_has_reference(asic) ? headroom_like(asic) : NULL;

	if (!near)
		return 0;
	diag_error(&s->diags, NULL, "--asic %s is not known; did you mean %s?", text_safe(s->arena, asic, strlen(asic), 40), near);
	diag_hint(&s->diags, "without --asic there is an estimate, for the speeds whose bit times are published");
	return EXIT_USAGE;
}

static int take_peer(struct session *s, struct headroom_link *l)
{
	const char *text = s->opt->peer_response;
	char *end;

	if (!text)
		return 0;
	l->peer = HEADROOM_PEER_BYTES;
	l->peer_bytes = strtod(text, &end);
	if (end == text || *end || !(l->peer_bytes >= 0 && l->peer_bytes <= 1e9) || strspn(text, "0123456789.") != strlen(text))
		return wrong(s, "peer-response", text, "is no number of bytes from 0 to 1000000000, such as 3891.2");
	return 0;
}

static int of_options(struct session *s)
{
	static const struct fabric none = { .name = "" };
	struct record *has = record_new(s->arena, &fabric_link_setting);
	struct answer a = { .asic = s->opt->link[FABRIC_ASIC] };
	int r = take_link(s, has);

	if (r)
		return r;
	if (!s->opt->link[FABRIC_SPEED] || !s->opt->link[FABRIC_CABLE]) {
		diag_error(&s->diags, NULL, "headroom of which link?");
		diag_hint(&s->diags, "--asic Spectrum-4 --speed 400Gb/s --cable 30m, or -p POLICY for all links of its tiers");
		return EXIT_USAGE;
	}
	headroom_link_of(&none, has, &a.in);
	r = check_asic(s, a.asic);
	r = r ? r : take_peer(s, &a.in);
	r = r ? r : compute(s, &a, NULL);
	if (!r)
		print_all(s, &a, 1);
	return r;
}

/* With a policy the links say all: an option beside it would be one that does nothing. */
static int alone(struct session *s)
{
	bool more = s->opt->peer_response;

	for (size_t i = 0; i < sizeof(s->opt->link) / sizeof(s->opt->link[0]); i++)
		more |= s->opt->link[i] != NULL;
	if (!more)
		return 0;
	diag_error(&s->diags, NULL, "headroom of a policy's links, or of the link that options describe: not both");
	diag_hint(&s->diags, "leave out -p, or the options; what a policy says of a link stands in its tiers");
	return EXIT_USAGE;
}

static int headroom(struct session *s)
{
	int r = s->opt->policy ? alone(s) : 0;

	if (r)
		return r;
	return s->opt->policy ? of_policy(s) : of_options(s);
}

const struct command command_headroom = {
	"headroom", "", "Computes PFC headroom of a link, or of all links of a policy",
	OPTION_POLICY | OPTION_OUTPUT | OPTION_HEADROOM, headroom,
};
