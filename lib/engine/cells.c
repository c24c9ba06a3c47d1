/* SPDX-License-Identifier: Apache-2.0 */
/* Cells and targets as JSON, see cells.h. Read back they are foreign text: every number and length is checked. */
#include "engine/cells.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "model/catalog.h"
#include "model/setting.h"
#include "model/targets.h"

enum { TEXTS_MAX = 1000 };

static const char *const scopes[] = {
	[SCOPE_NODE] = "node", [SCOPE_GROUP] = "group", [SCOPE_RDMA_PORT] = "rdma-port", [SCOPE_WIRE] = "wire",
	[SCOPE_NETDEV] = "netdev",
};

enum { NSCOPES = sizeof(scopes) / sizeof(scopes[0]) };

/* Entries of a field's map; 0: it has none. */
static size_t span_of(const struct field *f)
{
	return f->kind == KIND_SHARES || f->kind == KIND_MAP ? value_span(f) : 0;
}

/* --- cells ------------------------------------------------------------------ */

static void put_map(struct json *j, const uint8_t *map, size_t n)
{
	json_array_open(j, "map");
	for (size_t i = 0; i < n; i++)
		json_int(j, NULL, map[i]);
	json_array_close(j);
}

static void put_amounts(struct json *j, const int64_t *amount)
{
	json_array_open(j, "amounts");
	for (unsigned i = 0; i < AMOUNTS; i++)
		json_int(j, NULL, amount[i]);
	json_array_close(j);
}

static void put_value(struct json *j, const struct field *f, const struct value *v)
{
	TEXT_CLEANUP struct text is = { 0 };

	value_print(f, v, &is);
	json_string(j, "is", text_str(&is));
	json_int(j, "num", v->num);
	if (v->text)
		json_string(j, "text", v->text);
	if (v->map && span_of(f))
		put_map(j, v->map, span_of(f));
	if (v->amount)
		put_amounts(j, v->amount);
	if (!v->texts)
		return;
	json_array_open(j, "texts");
	for (size_t i = 0; v->texts[i]; i++)
		json_string(j, NULL, v->texts[i]);
	json_array_close(j);
}

void cell_put(struct json *j, const char *key, const struct cell *c)
{
	if (c->state != CELL_VALUE && c->state != CELL_REASON) {
		json_null(j, key);
		return;
	}
	json_object_open(j, key);
	if (c->state == CELL_VALUE)
		put_value(j, c->field, &c->value);
	else
		json_string(j, "reason", reason_name(c->reason));
	json_object_close(j);
}

static int get_map(struct json_object *o, size_t span, struct value *v, struct arena *a)
{
	size_t n;
	struct json_object *list = json_list_at(o, "map", &n);
	uint8_t *map;
	int64_t num;

	if (!list || n != span)
		return -EBADMSG;
	map = arena_array_of(a, uint8_t, span);
	for (size_t i = 0; i < n; i++) {
		if (!json_int_of(json_entry(list, i), 0, 255, &num))
			return -EBADMSG;
		map[i] = (uint8_t)num;
	}
	v->map = map;
	return 0;
}

static int get_amounts(struct json_object *o, const struct field *f, struct value *v, struct arena *a)
{
	size_t n;
	struct json_object *list = json_list_at(o, "amounts", &n);
	int64_t *amount = arena_array_of(a, int64_t, AMOUNTS);

	if (!list || n != AMOUNTS)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++)
		if (!json_int_of(json_entry(list, i), AMOUNT_UNSET, f->max, &amount[i]))
			return -EBADMSG;
	v->amount = amount;
	return 0;
}

static int get_texts(struct json_object *o, struct value *v, struct arena *a)
{
	size_t n;
	struct json_object *list = json_list_at(o, "texts", &n);
	const char **texts;

	if (!list || n > TEXTS_MAX)
		return -EBADMSG;
	texts = arena_array_of(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *s = json_text_of(json_entry(list, i));

		if (!s)
			return -EBADMSG;
		texts[i] = arena_strdup(a, s);
	}
	v->texts = texts;
	return 0;
}

/* A number within what the field can hold: what is written from it goes to a device. */
static bool fits(const struct field *f, const struct value *v)
{
	size_t words = 0;

	switch (f->kind) {
	case KIND_BOOL:
		return v->num == 0 || v->num == 1;
	case KIND_WORD:
		while (f->words[words])
			words++;
		return v->num >= 0 && (size_t)v->num < words;
	case KIND_SET:
		return v->num >= 0 && (f->max >= 62 || v->num < (int64_t)1 << (f->max + 1));
	case KIND_TEXT:
		return v->text != NULL;
	case KIND_TEXTS:
		return v->texts != NULL;
	case KIND_MAP:
	case KIND_SHARES:
		return v->map != NULL;
	case KIND_AMOUNTS:
		return v->amount != NULL;
	case KIND_UINT:
		break;
	}
	return true;
}

int cell_get(struct json_object *o, const char *key, struct cell *c, struct arena *a)
{
	struct json_object *v = json_at(o, key);
	const char *text;
	int r = 0;

	if (!v) {
		c->state = CELL_SILENT;
		return 0;
	}
	if (json_has(v, "reason")) {
		cell_set_reason(c, REASON_UNREADABLE, NULL);
		return 0;
	}
	c->value = (struct value){ 0 };
	if (!json_int_at(v, "num", INT64_MIN, INT64_MAX, &c->value.num))
		return -EBADMSG;
	text = json_text_at(v, "text");
	if (text)
		c->value.text = arena_strdup(a, text);
	if (span_of(c->field))
		r = get_map(v, span_of(c->field), &c->value, a);
	if (c->field->kind == KIND_AMOUNTS)
		r = get_amounts(v, c->field, &c->value, a);
	if (r == 0 && c->field->kind == KIND_TEXTS)
		r = get_texts(v, &c->value, a);
	if (r == 0 && !fits(c->field, &c->value))
		r = -EBADMSG;
	if (r == 0)
		c->state = CELL_VALUE;
	return r;
}

void cell_name_put(struct json *j, const struct cell *c)
{
	json_string(j, "cell", c->name);
	if (!c->star[0])
		return;
	json_string(j, "field", c->field->name);
	json_array_open(j, "stars");
	for (size_t i = 0; i < 2 && c->star[i]; i++)
		json_string(j, NULL, c->star[i]);
	json_array_close(j);
}

struct cell *cell_named(struct record *r, struct json_object *o, struct arena *a)
{
	const char *name = json_text_at(o, "cell"), *field = json_text_at(o, "field"), *star[2] = { NULL, NULL };
	size_t n = 0;
	struct json_object *stars = json_list_at(o, "stars", &n);
	struct cell *c;

	if (!name || n > 2 || (stars != NULL) != (field != NULL))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		star[i] = json_text_of(json_entry(stars, i));
		if (!star[i])
			return NULL;
		star[i] = arena_strdup(a, star[i]);
	}
	field = field ? field : name;
	for (unsigned i = 0; r->setting->fields[i].name; i++) {
		if (strcmp(r->setting->fields[i].name, field) != 0)
			continue;
		c = stars ? record_named(r, i, star[0], star[1]) : &r->at[i];
		return !strcmp(c->name, name) ? c : NULL;
	}
	return NULL;
}

/* --- targets ---------------------------------------------------------------- */

void target_put(struct json *j, const char *key, const struct target *t)
{
	json_object_open(j, key);
	json_string(j, "scope", scopes[t->scope]);
	json_string(j, "name", t->name);
	json_string(j, "group", t->group);
	if (t->port) {
		json_string(j, "pci", t->port->bdf);
		json_int(j, "port", t->port->ibport);
		json_string(j, "port_name", t->port->name);
		json_string(j, "ifname", t->ifname);
	}
	json_object_close(j);
}

/* The same port: by PCI address, else by name; a function without RoCE has no RDMA port, and 0 is any. */
static const struct port *find_port(const struct facts *f, const char *bdf, uint32_t ibport, const char *name)
{
	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = &f->port[i];

		if (*bdf ? !strcmp(p->bdf, bdf) && (p->ibport == ibport || !p->ibport || !ibport) : !strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static const struct target *of_port(struct arena *a, const struct facts *f, enum scope scope, struct json_object *o)
{
	const char *bdf = json_text_at(o, "pci"), *port = json_text_at(o, "port_name"), *name = json_text_at(o, "name"),
		   *group = json_text_at(o, "group");
	const struct port *p;
	struct target *t;
	int64_t ibport;

	if (!bdf || !port || !json_int_at(o, "port", 0, UINT32_MAX, &ibport))
		return NULL;
	p = find_port(f, bdf, (uint32_t)ibport, port);
	t = p ? target_of_port(a, f, p, scope, group ? arena_strdup(a, group) : "") : NULL;
	/* a bond's name is its own; where the port has left it, the port's MTU is another thing */
	if (t && scope == SCOPE_NETDEV && strcmp(name, port) != 0 && strcmp(t->ifname, name) != 0)
		return NULL;
	return t;
}

int target_get(struct json_object *o, const char *key, const struct facts *f, struct arena *a, const struct target **t,
	       const char **name)
{
	struct json_object *of = json_at(o, key);
	const char *scope = json_text_at(of, "scope"), *is = json_text_at(of, "name");
	size_t i = 0;

	while (scope && i < NSCOPES && strcmp(scopes[i], scope) != 0)
		i++;
	if (!scope || !is || i == NSCOPES || i == SCOPE_GROUP)
		return -EBADMSG;
	*name = text_safe(a, is, strlen(is), 64);
	*t = i == SCOPE_NODE ? target_of_node(a) : of_port(a, f, (enum scope)i, of);
	return *t ? 0 : -ENODEV;
}

/* "wire 0000:03:00.0/1", without printf: a drift check makes one for each target. */
static const char *port_key(struct arena *a, const char *scope, const char *name, uint32_t port)
{
	char *s = arena_alloc(a, strlen(scope) + strlen(name) + sizeof("  4294967295")), *at = s, digit[10];
	size_t n = 0;

	at = stpcpy(stpcpy(stpcpy(at, scope), " "), name);
	*at++ = '/';
	do
		digit[n++] = (char)('0' + port % 10);
	while (port /= 10);
	while (n)
		*at++ = digit[--n];
	return s;
}

const char *target_key(struct arena *a, const struct target *t)
{
	const struct port *p = t->port;

	if (!p)
		return t->scope == SCOPE_NODE ? "node" : arena_printf(a, "group %s", t->group);
	if (t->scope == SCOPE_NETDEV && strcmp(t->ifname, p->ifname) != 0)
		return arena_printf(a, "netdev %s", t->ifname);
	return port_key(a, scopes[t->scope], *p->bdf ? p->bdf : p->name, p->ibport);
}

const struct target *target_of_key(struct arena *a, const struct facts *f, const char *key)
{
	if (!strcmp(key, "node"))
		return target_of_node(a);
	for (size_t i = 0; i < f->nports; i++)
		for (size_t s = 0; s < NSCOPES; s++) {
			const struct target *t = s == SCOPE_NODE || s == SCOPE_GROUP ? NULL :
						 target_of_port(a, f, &f->port[i], (enum scope)s, "");

			if (t && !strcmp(target_key(a, t), key))
				return t;
		}
	return NULL;
}
