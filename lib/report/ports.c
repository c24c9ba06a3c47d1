/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's ports: netdev, RDMA port and PCI function that belong together. */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "model/facts.h"
#include "model/use.h"
#include "report/grid.h"
#include "report/report.h"

static const char *function_name(enum function f)
{
	static const char *const names[] = { "", "pf", "vf", "sf" };

	return names[f];
}

static const char *link_layer_name(enum link_layer l)
{
	static const char *const names[] = { "", "ethernet", "infiniband" };

	return names[l];
}

static const char *safe(struct arena *a, const char *s)
{
	return text_safe(a, s, strlen(s), SIZE_MAX);
}

static const char *link_words(const struct port *p)
{
	if (!p->link_known)
		return "";
	return p->carrier ? "up" : p->up ? "no carrier" : "down";
}

static const char *use_name(const struct use *u)
{
	static const char *const names[] = { [USE_IDLE] = "idle", [USE_BUSY] = "busy", [USE_UNKNOWN] = "unknown" };

	return names[u->state];
}

static void add_port(struct grid *g, const struct port *p, const struct use *use)
{
	struct grid_row *row = grid_add(g);
	struct arena *a = g->arena;
	size_t i = 0;

	row->cell[i++] = safe(a, p->name);
	row->cell[i++] = *p->ibdev ? arena_printf(a, "%s/%u", safe(a, p->ibdev), p->ibport) : "";
	row->cell[i++] = safe(a, p->bdf);
	row->cell[i++] = safe(a, p->driver);
	row->cell[i++] = function_name(p->function);
	row->cell[i++] = p->numa_node >= 0 ? arena_printf(a, "%d", p->numa_node) : "";
	row->cell[i++] = link_layer_name(p->link_layer);
	row->cell[i++] = link_words(p);
	row->cell[i++] = p->mtu ? arena_printf(a, "%u", p->mtu) : "";
	row->cell[i++] = safe(a, p->master);
	row->cell[i++] = safe(a, p->board);
	row->cell[i++] = safe(a, p->fw_version);
	if (use)
		row->cell[i++] = use_name(use);
}

static void why_in_use(const struct facts *f, const struct use *const *use, struct arena *a, struct text *out)
{
	const char *before = "\n";

	for (size_t i = 0; i < f->nports; i++) {
		if (!use[i]->why)
			continue;
		text_printf(out, "%s%s: %s\n", before, safe(a, f->port[i].name), safe(a, use[i]->why));
		before = "";
	}
}

static void ports_table(const struct facts *f, const struct use *const *use, bool color, struct text *out)
{
	static const char *const heads[] = { "PORT",  "RDMA", "PCI", "DRIVER", "FUNCTION", "NUMA",
					     "LAYER", "LINK", "MTU", "MASTER", "BOARD",	   "FIRMWARE" };
	struct arena *a = arena_new();
	struct grid g = { .arena = a };

	_Static_assert(sizeof(heads) / sizeof(heads[0]) < GRID_COLUMNS, "a grid has room for all columns");
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		grid_column(&g, heads[i]);
	if (use)
		grid_column(&g, "USE");
	for (size_t i = 0; i < f->nports; i++)
		add_port(&g, &f->port[i], use ? use[i] : NULL);
	grid_print(&g, color, out);
	if (use)
		why_in_use(f, use, a, out);
	if (!f->rdma)
		text_printf(out, "%sno RDMA subsystem%s%s\n", g.n ? "\n" : "", f->rdma_why ? ": " : "",
			    f->rdma_why ? safe(a, f->rdma_why) : "");
	else if (!g.n)
		text_add(out, "no RDMA port\n");
	arena_free(a);
}

static void string_if(struct json *j, const char *key, const char *s)
{
	if (*s)
		json_string(j, key, s);
}

static void port_json(struct json *j, const struct port *p, const struct use *use)
{
	json_object_open(j, NULL);
	j->pretty = false;
	json_string(j, "name", p->name);
	string_if(j, "ifname", p->ifname);
	string_if(j, "ibdev", p->ibdev);
	if (*p->ibdev)
		json_int(j, "ibport", p->ibport);
	string_if(j, "pci", p->bdf);
	string_if(j, "driver", p->driver);
	string_if(j, "function", function_name(p->function));
	if (p->numa_node >= 0)
		json_int(j, "numa_node", p->numa_node);
	string_if(j, "link_layer", link_layer_name(p->link_layer));
	if (p->link_known) {
		json_boolean(j, "up", p->up);
		json_boolean(j, "carrier", p->carrier);
	}
	if (p->mtu)
		json_int(j, "mtu", p->mtu);
	string_if(j, "master", p->master);
	string_if(j, "protocol", p->protocol);
	string_if(j, "board", p->board);
	string_if(j, "firmware", p->fw_version);
	if (use) {
		json_string(j, "use", use_name(use));
		string_if(j, "use_why", use->why ? use->why : "");
	}
	json_object_close(j);
	j->pretty = true;
}

static void ports_json(const struct facts *f, const struct use *const *use, struct text *out)
{
	struct json j;

	json_init(&j, out, true);
	json_object_open(&j, NULL);
	json_string(&j, "rdmactl", VERSION);
	json_int(&j, "report", REPORT_FORMAT);
	json_string(&j, "command", "show");
	json_string(&j, "node", f->hostname);
	json_string(&j, "kernel", f->kernel);
	json_string(&j, "time", f->observed_at);
	json_boolean(&j, "rdma", f->rdma);
	json_array_open(&j, "ports");
	for (size_t i = 0; i < f->nports; i++)
		port_json(&j, &f->port[i], use ? use[i] : NULL);
	json_array_close(&j);
	json_object_close(&j);
	text_char(out, '\n');
}

void report_ports(const struct facts *f, const struct use *const *use, bool json, bool color, struct text *out)
{
	if (json)
		ports_json(f, use, out);
	else
		ports_table(f, use, color, out);
}
