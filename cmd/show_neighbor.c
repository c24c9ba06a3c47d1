/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the switch at the end of each cable says: a row for each neighbour of each port, all that it sends below with -v.
 * Whatever a neighbour said is made safe; in JSON, strings are as they came.
 */
#include "show_neighbor.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/dscp.h"
#include "base/json.h"
#include "base/units.h"
#include "cmd.h"
#include "kernel/dcbx.h"
#include "kernel/lldp.h"
#include "report/grid.h"
#include "report/report.h"
#include "settings/neighbor.h"

struct port_heard {
	const struct port *port;
	struct neighbor_seen seen;
	const struct lldp *lldp;	/* NULL: lldpd was not asked */
};

static const struct field classes = { .kind = KIND_MAP, .max = 7, .span = PRIORITIES },
			  shares = { .kind = KIND_SHARES, .max = SHARE_UNKNOWN, .span = PRIORITIES },
			  priorities = { .kind = KIND_SET, .max = 7 },
			  dscps = { .kind = KIND_MAP, .max = 7, .span = DSCPS };

static const char *safe(struct arena *a, const char *s)
{
	return text_safe(a, s, strlen(s), SIZE_MAX);
}

static const char *printed(struct arena *a, const struct field *f, const struct value *v)
{
	TEXT_CLEANUP struct text t = { 0 };

	value_print(f, v, &t);
	return arena_strdup(a, text_str(&t));
}

static bool is_here(const struct lldp_neighbor *n, const struct port *p)
{
	return *p->ifname && !strcmp(n->ifname, p->ifname);
}

/* --- for people ---------------------------------------------------------------------- */

/* The value of a TLV, or what is the matter with it; "" where it was not sent. */
static const char *part_text_of(struct arena *a, const struct dcbx *x, enum dcbx_part part, const struct field *f,
				const struct value *v)
{
	if (x->state[part] == DCBX_SAID)
		return printed(a, f, v);
	if (x->state[part] == DCBX_MALFORMED)
		return "malformed";
	return x->cee ? "CEE peer" : x->cin ? "CIN peer" : "";
}

static const char *ets_of(struct arena *a, const struct dcbx *x)
{
	uint8_t share[PRIORITIES];

	neighbor_shares(x->ets.tc_tsa, x->ets.tc_tx_bw, share);
	return part_text_of(a, x, DCBX_ETS, &shares, &(struct value){ .map = share });
}

static const char *dscp_of(struct arena *a, const struct dcbx *x)
{
	uint8_t map[DSCPS];

	neighbor_dscp(x, map);
	return part_text_of(a, x, DCBX_APP, &dscps, &(struct value){ .map = map });
}

static void add_line(struct text *t, const char *name, const char *s)
{
	if (*s)
		text_printf(t, "    %-15s %s\n", name, s);
}

static const char *yes_if(bool yes, const char *what)
{
	return yes ? what : "";
}

static void add_dcbx(struct arena *a, const struct dcbx *x, struct text *t)
{
	uint8_t share[PRIORITIES];

	if (x->state[DCBX_ETS] == DCBX_SAID)
		add_line(t, "ETS:", arena_printf(a, "priority to class %s; %u classes%s%s",
						 printed(a, &classes, &(struct value){ .map = x->ets.prio_tc }), x->ets.ets_cap,
						 yes_if(x->ets.cbs, ", credit shaper"), yes_if(x->ets.willing, ", willing")));
	neighbor_shares(x->ets.tc_reco_tsa, x->ets.tc_reco_bw, share);
	if (x->state[DCBX_ETS_RECOMMENDED] == DCBX_SAID)
		add_line(t, "recommends:", arena_printf(a, "priority to class %s; shares %s",
							printed(a, &classes, &(struct value){ .map = x->ets.reco_prio_tc }),
							printed(a, &shares, &(struct value){ .map = share })));
	if (x->state[DCBX_PFC] == DCBX_SAID)
		add_line(t, "PFC:", arena_printf(a, "%u classes can have it%s%s", x->pfc.pfc_cap,
						 yes_if(x->pfc.mbc, ", MACsec bypass"), yes_if(x->pfc_willing, ", willing")));
	for (size_t i = 0; i < x->napps; i++)
		if (x->app[i].selector != IEEE_8021QAZ_APP_SEL_DSCP)
			add_line(t, "APP:", arena_printf(a, "selector %u, protocol %u: priority %u", x->app[i].selector,
							 x->app[i].protocol, x->app[i].priority));
}

/* What is wrong is told in any case, the rest with -v. */
static const char *below(struct session *s, const struct lldp_neighbor *n, const struct dcbx *x)
{
	TEXT_CLEANUP struct text t = { 0 };
	char since[UNITS_UTC];

	for (unsigned i = 0; i < DCBX_PARTS; i++)
		if (x->state[i] == DCBX_MALFORMED)
			add_line(&t, "malformed:", arena_printf(s->arena, "the %s TLV %s", dcbx_name((enum dcbx_part)i), x->why[i]));
	if (s->opt->verbose) {
		units_utc(n->changed_s, since);
		add_line(&t, "chassis:", safe(s->arena, n->chassis_id));
		add_line(&t, "system:", safe(s->arena, n->chassis_descr));
		add_line(&t, "port:", safe(s->arena, n->port_descr));
		add_line(&t, "heard by:", arena_printf(s->arena, "%s, TTL %u s, unchanged since %s", safe(s->arena, n->protocol), n->ttl, since));
		add_dcbx(s->arena, x, &t);
	}
	return t.n ? arena_strdup(s->arena, text_str(&t)) : NULL;
}

static void add_neighbor(struct session *s, struct grid *g, const struct port_heard *h, const struct lldp_neighbor *n)
{
	struct grid_row *row = grid_add(g);
	struct dcbx x;
	size_t i = 0;

	dcbx_decode(n->tlv, n->ntlvs, &x);
	row->cell[i++] = safe(s->arena, h->port->name);
	row->cell[i++] = safe(s->arena, neighbor_name(n));
	row->cell[i++] = safe(s->arena, n->port_id);
	row->cell[i++] = n->mfs ? arena_printf(s->arena, "%u", n->mfs) : "";
	row->cell[i++] = part_text_of(s->arena, &x, DCBX_PFC, &priorities, &(struct value){ .num = x.pfc.pfc_en });
	row->cell[i++] = ets_of(s->arena, &x);
	row->cell[i++] = dscp_of(s->arena, &x);
	row->tone = h->seen.is == n ? TONE_PLAIN : TONE_DOUBT;
	row->below = below(s, n, &x);
}

/* A port of which nothing is known has a row all the same, and its reason. */
static void add_port(struct session *s, struct grid *g, const struct port_heard *h)
{
	struct grid_row *row;
	bool any = false;

	for (size_t i = 0; h->lldp && i < h->lldp->n; i++)
		if (is_here(&h->lldp->neighbor[i], h->port)) {
			add_neighbor(s, g, h, &h->lldp->neighbor[i]);
			any = true;
		}
	if (h->seen.is)
		return;
	row = any ? &g->at[g->n - 1] : grid_add(g);
	row->tone = TONE_DOUBT;
	if (!any) {
		row->cell[0] = safe(s->arena, h->port->name);
		row->cell[1] = reason_name(h->seen.reason);
	}
	row->below = arena_printf(s->arena, "%s    %s\n", row->below ? row->below : "", h->seen.why ? h->seen.why : reason_name(h->seen.reason));
	if (h->seen.remedy)
		row->below = arena_printf(s->arena, "%s    remedy: %s\n", row->below, h->seen.remedy);
}

static void print_table(struct session *s, const struct port_heard *h, size_t n)
{
	static const char *const heads[] = { "PORT", "SYSTEM", "THERE", "FRAME", "PFC", "ETS", "DSCP" };
	struct grid g = { .arena = s->arena };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		grid_column(&g, heads[i]);
	for (size_t i = 0; i < n; i++)
		add_port(s, &g, &h[i]);
	grid_print(&g, session_color(s, STDOUT_FILENO), &s->out);
	if (!g.n)
		text_add(&s->out, "no RDMA port\n");
}

/* --- for programs ---------------------------------------------------------------------- */

static void string_if(struct json *j, const char *key, const char *s)
{
	if (s && *s)
		json_string(j, key, s);
}

static void ets_json(struct json *j, const struct dcbx *x)
{
	uint8_t share[PRIORITIES];

	if (x->state[DCBX_ETS] == DCBX_SAID) {
		neighbor_shares(x->ets.tc_tsa, x->ets.tc_tx_bw, share);
		json_object_open(j, "ets");
		json_boolean(j, "willing", x->ets.willing != 0);
		json_int(j, "classes", x->ets.ets_cap);
		value_json(&classes, &(struct value){ .map = x->ets.prio_tc }, j, "tc");
		value_json(&shares, &(struct value){ .map = share }, j, "shares");
		json_object_close(j);
	}
	if (x->state[DCBX_ETS_RECOMMENDED] == DCBX_SAID) {
		neighbor_shares(x->ets.tc_reco_tsa, x->ets.tc_reco_bw, share);
		json_object_open(j, "ets_recommendation");
		value_json(&classes, &(struct value){ .map = x->ets.reco_prio_tc }, j, "tc");
		value_json(&shares, &(struct value){ .map = share }, j, "shares");
		json_object_close(j);
	}
}

static void app_json(struct json *j, const struct dcbx *x)
{
	json_array_open(j, "app");
	for (size_t i = 0; i < x->napps; i++) {
		json_object_open(j, NULL);
		json_int(j, "selector", x->app[i].selector);
		json_int(j, "protocol", x->app[i].protocol);
		json_int(j, "priority", x->app[i].priority);
		json_object_close(j);
	}
	json_array_close(j);
}

static void malformed_json(struct json *j, const struct dcbx *x)
{
	bool any = false;

	for (unsigned i = 0; i < DCBX_PARTS; i++)
		any = any || x->state[i] == DCBX_MALFORMED;
	if (!any)
		return;
	json_array_open(j, "malformed");
	for (unsigned i = 0; i < DCBX_PARTS; i++) {
		if (x->state[i] != DCBX_MALFORMED)
			continue;
		json_object_open(j, NULL);
		json_string(j, "tlv", dcbx_name((enum dcbx_part)i));
		json_string(j, "why", x->why[i]);
		json_object_close(j);
	}
	json_array_close(j);
}

static void dcbx_json(struct json *j, const struct dcbx *x)
{
	if (x->cee || x->cin)
		json_string(j, "older_dcbx", x->cee ? "cee" : "cin");
	ets_json(j, x);
	if (x->state[DCBX_PFC] == DCBX_SAID) {
		json_object_open(j, "pfc");
		json_boolean(j, "willing", x->pfc_willing);
		json_int(j, "classes", x->pfc.pfc_cap);
		value_json(&priorities, &(struct value){ .num = x->pfc.pfc_en }, j, "priorities");
		json_object_close(j);
	}
	if (x->state[DCBX_APP] == DCBX_SAID)
		app_json(j, x);
	malformed_json(j, x);
}

static void neighbor_json(struct json *j, const struct lldp_neighbor *n)
{
	char since[UNITS_UTC];
	struct dcbx x;

	dcbx_decode(n->tlv, n->ntlvs, &x);
	units_utc(n->changed_s, since);
	json_object_open(j, NULL);
	json_string(j, "protocol", n->protocol);
	json_string(j, "chassis", n->chassis_id);
	string_if(j, "system", n->chassis_name);
	string_if(j, "system_description", n->chassis_descr);
	json_string(j, "port", n->port_id);
	string_if(j, "port_description", n->port_descr);
	json_int(j, "ttl", n->ttl);
	json_string(j, "changed", since);
	if (n->mfs)
		json_int(j, "frame", n->mfs);
	dcbx_json(j, &x);
	json_object_close(j);
}

static void port_json(struct json *j, const struct port_heard *h)
{
	json_object_open(j, NULL);
	json_string(j, "port", h->port->name);
	if (!h->seen.is) {
		json_string(j, "reason", reason_name(h->seen.reason));
		string_if(j, "why", h->seen.why);
		string_if(j, "remedy", h->seen.remedy);
	}
	json_array_open(j, "seen");
	for (size_t i = 0; h->lldp && i < h->lldp->n; i++)
		if (is_here(&h->lldp->neighbor[i], h->port))
			neighbor_json(j, &h->lldp->neighbor[i]);
	json_array_close(j);
	json_object_close(j);
}

static void print_json(struct session *s, const struct port_heard *h, size_t n)
{
	struct json j;

	json_init(&j, &s->out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_int(&j, "report", REPORT_FORMAT);
	json_string(&j, "command", "show");
	json_string(&j, "node", s->facts->hostname);
	json_string(&j, "kernel", s->facts->kernel);
	json_string(&j, "time", s->facts->observed_at);
	json_array_open(&j, "neighbors");
	for (size_t i = 0; i < n; i++)
		port_json(&j, &h[i]);
	json_array_close(&j);
	json_object_close(&j);
	text_char(&s->out, '\n');
}

int show_neighbors(struct session *s)
{
	struct { struct port_heard *at; size_t n, room; } list = { 0 };
	const struct target **target;
	const struct lldp *lldp;
	size_t n;
	int r = session_targets(s, &target, &n), err;

	if (r)
		return r;
	err = lldp_get(s->kernel, &lldp);
	for (size_t i = 0; i < n; i++) {
		struct port_heard h = { .port = target[i]->port, .lldp = err < 0 ? NULL : lldp };

		if (target[i]->scope != SCOPE_WIRE)
			continue;
		neighbor_look(s->kernel, s->arena, h.port, &h.seen);
		list_add(&list, s->arena) = h;
	}
	(s->opt->output == OUTPUT_JSON ? print_json : print_table)(s, list.at, list.n);
	return err < 0 ? EXIT_UNKNOWN : EXIT_SYNC;
}
