/* SPDX-License-Identifier: Apache-2.0 */
/* What lldpd knows as a line of a dump, written and read back. Read, it is foreign: lengths and numbers are bounded. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "kernel/dump_parts.h"
#include "kernel/lldp.h"

/* What is no UTF-8 stands in hexadecimal, under a name of its own. */
static void add_foreign(struct json *j, const char *key, const char *s)
{
	TEXT_CLEANUP struct text hex = { 0 };

	if (text_is_utf8(s, strlen(s))) {
		json_string(j, key, s);
		return;
	}
	text_printf(&hex, "%s_hex", key);
	dump_add_hex(j, text_str(&hex), s, strlen(s));
}

static void add_tlvs(struct json *j, const struct lldp_tlv *tlv, size_t n)
{
	json_array_open(j, "tlvs");
	for (size_t i = 0; i < n; i++) {
		json_object_open(j, NULL);
		dump_add_hex(j, "oui", tlv[i].oui, sizeof(tlv[i].oui));
		json_int(j, "subtype", tlv[i].subtype);
		dump_add_hex(j, "info", tlv[i].info, tlv[i].n);
		json_object_close(j);
	}
	json_array_close(j);
}

static void add_neighbor(struct json *j, const struct lldp_neighbor *n)
{
	json_object_open(j, NULL);
	add_foreign(j, "ifname", n->ifname);
	add_foreign(j, "protocol", n->protocol);
	add_foreign(j, "chassis_id", n->chassis_id);
	add_foreign(j, "chassis_name", n->chassis_name);
	add_foreign(j, "chassis_descr", n->chassis_descr);
	add_foreign(j, "port_id", n->port_id);
	add_foreign(j, "port_descr", n->port_descr);
	json_int(j, "ttl", n->ttl);
	json_int(j, "changed_s", n->changed_s);
	json_int(j, "mfs", n->mfs);
	add_tlvs(j, n->tlv, n->ntlvs);
	json_object_close(j);
}

static void add_port(struct json *j, const struct lldp_port *p)
{
	json_object_open(j, NULL);
	add_foreign(j, "ifname", p->ifname);
	json_int(j, "received", (int64_t)p->received);
	json_int(j, "discarded", (int64_t)p->discarded);
	json_int(j, "inserted", (int64_t)p->inserted);
	json_int(j, "deleted", (int64_t)p->deleted);
	json_int(j, "expired", (int64_t)p->expired);
	add_tlvs(j, p->tlv, p->ntlvs);
	json_object_close(j);
}

void dump_lldp_put(struct json *j, const struct lldp *l)
{
	json_array_open(j, "ports");
	for (size_t i = 0; i < l->nports; i++)
		add_port(j, &l->port[i]);
	json_array_close(j);
	json_array_open(j, "neighbors");
	for (size_t i = 0; i < l->n; i++)
		add_neighbor(j, &l->neighbor[i]);
	json_array_close(j);
}

/* A string of a neighbour: text, or hexadecimal where it is no UTF-8. */
static const char *foreign_of(struct arena *a, struct json_object *o, const char *key)
{
	const char *s = json_text_at(o, key);
	char name[32];
	size_t n;

	if (s)
		return strlen(s) <= LLDP_TEXT ? arena_strdup(a, s) : NULL;
	snprintf(name, sizeof(name), "%s_hex", key);
	s = dump_hex_of(a, o, name, &n);
	return s && n <= LLDP_TEXT && !memchr(s, 0, n) ? s : NULL;
}

static bool tlv_of(struct arena *a, struct json_object *o, struct lldp_tlv *tlv)
{
	size_t noui;
	const char *oui = dump_hex_of(a, o, "oui", &noui);
	int64_t subtype;

	if (!oui || noui != sizeof(tlv->oui) || !json_int_at(o, "subtype", 0, UINT8_MAX, &subtype))
		return false;
	memcpy(tlv->oui, oui, noui);
	tlv->subtype = (uint8_t)subtype;
	tlv->info = (const uint8_t *)dump_hex_of(a, o, "info", &tlv->n);
	return tlv->info && tlv->n <= LLDP_INFO;
}

static bool tlvs_of(struct arena *a, struct json_object *o, const struct lldp_tlv **to, size_t *n)
{
	struct json_object *list = json_list_at(o, "tlvs", n);
	struct lldp_tlv *tlv;

	if (!list || *n > LLDP_TLVS)
		return false;
	*to = tlv = arena_array_of(a, struct lldp_tlv, *n + 1);
	for (size_t i = 0; i < *n; i++)
		if (!json_is_object(json_entry(list, i)) || !tlv_of(a, json_entry(list, i), &tlv[i]))
			return false;
	return true;
}

static bool neighbor_of(struct arena *a, struct json_object *o, struct lldp_neighbor *n)
{
	int64_t ttl, mfs;

	n->ifname = foreign_of(a, o, "ifname");
	n->protocol = foreign_of(a, o, "protocol");
	n->chassis_id = foreign_of(a, o, "chassis_id");
	n->chassis_name = foreign_of(a, o, "chassis_name");
	n->chassis_descr = foreign_of(a, o, "chassis_descr");
	n->port_id = foreign_of(a, o, "port_id");
	n->port_descr = foreign_of(a, o, "port_descr");
	if (!n->ifname || !n->protocol || !n->chassis_id || !n->chassis_name || !n->chassis_descr || !n->port_id ||
	    !n->port_descr || !json_int_at(o, "mfs", 0, UINT32_MAX, &mfs) || !json_int_at(o, "ttl", 0, UINT16_MAX, &ttl) ||
	    !json_int_at(o, "changed_s", 0, (int64_t)1 << 40, &n->changed_s))
		return false;
	n->ttl = (uint16_t)ttl;
	n->mfs = (uint32_t)mfs;
	return tlvs_of(a, o, &n->tlv, &n->ntlvs);
}

static bool count_of(struct json_object *o, const char *key, uint64_t *v)
{
	int64_t wide;

	if (!json_int_at(o, key, 0, INT64_MAX, &wide))
		return false;
	*v = (uint64_t)wide;
	return true;
}

static bool port_of(struct arena *a, struct json_object *o, struct lldp_port *p)
{
	p->ifname = foreign_of(a, o, "ifname");
	return p->ifname && count_of(o, "received", &p->received) && count_of(o, "discarded", &p->discarded) &&
	       count_of(o, "inserted", &p->inserted) && count_of(o, "deleted", &p->deleted) &&
	       count_of(o, "expired", &p->expired) && tlvs_of(a, o, &p->tlv, &p->ntlvs);
}

bool dump_lldp_get(struct arena *a, struct json_object *o, struct lldp *l)
{
	struct json_object *ports = json_list_at(o, "ports", &l->nports), *list = json_list_at(o, "neighbors", &l->n);
	struct lldp_port *port;
	struct lldp_neighbor *neighbor;

	if (!ports || !list || l->nports > LLDP_PORTS || l->n > (size_t)LLDP_PORTS * LLDP_NEIGHBORS)
		return false;
	l->port = port = arena_array_of(a, struct lldp_port, l->nports + 1);
	l->neighbor = neighbor = arena_array_of(a, struct lldp_neighbor, l->n + 1);
	for (size_t i = 0; i < l->nports; i++)
		if (!json_is_object(json_entry(ports, i)) || !port_of(a, json_entry(ports, i), &port[i]))
			return false;
	for (size_t i = 0; i < l->n; i++)
		if (!json_is_object(json_entry(list, i)) || !neighbor_of(a, json_entry(list, i), &neighbor[i]))
			return false;
	return true;
}
