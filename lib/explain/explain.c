/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting means, from its field, its homes and the vendors' providers. */
#include "explain/explain.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "model/catalog.h"

enum { LABEL_COLUMNS = 12, LIST_COLUMNS = 33, WIDTH = 100 };

/* --- pieces ------------------------------------------------------------------ */

static const char *kind_name(enum kind k)
{
	static const char *const names[] = {
		[KIND_BOOL] = "boolean", [KIND_UINT] = "number", [KIND_WORD] = "word",	   [KIND_TEXT] = "text",
		[KIND_SET] = "list",	 [KIND_MAP] = "map",	 [KIND_SHARES] = "shares", [KIND_TEXTS] = "texts",
		[KIND_AMOUNTS] = "amounts",
	};

	return names[k];
}

static void add_range(const struct field *f, struct text *out)
{
	if (f->max <= f->min)
		return;
	text_add(out, ", ");
	units_print(f->min, f->unit, out);
	text_add(out, " to ");
	units_print(f->max, f->unit, out);
	if (f->unit && !units_suffixed(f->unit))
		text_printf(out, " %s", f->unit);
}

static void add_words(const struct field *f, struct text *out)
{
	for (size_t i = 0; f->words[i]; i++)
		text_printf(out, "%s%s", i == 0 ? "" : f->words[i + 1] ? ", " : " or ", f->words[i]);
}

static void add_type(const struct field *f, struct text *out)
{
	switch (f->kind) {
	case KIND_BOOL:
		text_add(out, "true or false");
		break;
	case KIND_UINT:
		text_add(out, "a number");
		add_range(f, out);
		break;
	case KIND_WORD:
		add_words(f, out);
		break;
	case KIND_TEXT:
		text_add(out, "a text");
		break;
	case KIND_SET:
		text_printf(out, "a list of numbers from 0 to %lld; [] is none", (long long)f->max);
		break;
	case KIND_MAP:
		text_printf(out, "a map: 0 to %u, each to 0 to %lld", f->span - 1, (long long)f->max);
		break;
	case KIND_SHARES:
		text_add(out, "a map: traffic class 0 to 7, each to a share such as 40%, or strict");
		break;
	case KIND_AMOUNTS:
		text_printf(out, "a map: 0 to %u, each to a number", AMOUNTS - 1u);
		add_range(f, out);
		break;
	case KIND_TEXTS:
		text_add(out, "a list of texts");
		break;
	}
}

static const char *scope_words(enum scope s)
{
	static const char *const words[] = {
		[SCOPE_NODE] = "the node",
		[SCOPE_GROUP] = "a group of ports",
		[SCOPE_RDMA_PORT] = "each RDMA port",
		[SCOPE_WIRE] = "each physical port, also inside a bond",
		[SCOPE_NETDEV] = "each netdev; of a bond, the bond",
	};

	return words[s];
}

/* The home that writes it live: the setting's own, or else a vendor's; NULL: none. */
static const struct home *live_writer(const struct catalog *c, const struct setting *s)
{
	if (s->live.write)
		return &s->live;
	for (size_t i = 0; i < c->nvendors; i++)
		for (const struct provider *p = c->vendor[i]->providers; p && p->setting; p++)
			if (p->setting == s && p->live->write)
				return p->live;
	return NULL;
}

/* What rdmactl can do about it. */
static const char *doing(const struct catalog *c, const struct setting *s, const struct field *f)
{
	if (!catalog_writes(c, s, f))
		return "verified only: rdmactl never writes it";
	if (!live_writer(c, s))
		return "set for the next boot or load of the module; what runs is verified";
	return home_sets(&s->boot) ? "set now and for the next boot"
			     : "set now; nothing keeps it over a reboot or a reload of the driver";
}

/* The home that a change of this field goes to first. */
static const struct home *writing_home(const struct catalog *c, const struct setting *s)
{
	const struct home *live = live_writer(c, s);

	return live ? live : home_sets(&s->boot) ? &s->boot : &s->live;
}

/* Walks the vendors that have a home of their own for this setting; *i is where to go on. */
static const struct provider *next_provider(const struct catalog *c, const struct setting *s, size_t *vendor, size_t *i)
{
	for (; *vendor < c->nvendors; ++*vendor, *i = 0) {
		const struct provider *p = c->vendor[*vendor]->providers;

		for (; p && p[*i].setting; ++*i)
			if (p[*i].setting == s)
				return &p[(*i)++];
	}
	return NULL;
}

/* --- for people -------------------------------------------------------------- */

static void label(struct text *out, const char *word)
{
	text_printf(out, "  %-*s", LABEL_COLUMNS, word);
}

/* As many bytes of @s as a line takes: to the last blank that fits, or a word that is too long by itself. */
static size_t fitting(const char *s)
{
	size_t n = strlen(s), room = WIDTH - 2 - LABEL_COLUMNS, cut = room;

	if (n <= room)
		return n;
	while (cut && s[cut] != ' ')
		cut--;
	return cut ? cut : strcspn(s, " ");
}

static void line(struct text *out, const char *word, const char *s)
{
	for (; s; word = "") {
		size_t n = fitting(s);

		label(out, word);
		text_addn(out, s, n);
		text_char(out, '\n');
		s = s[n] ? s + n + 1 : NULL;
	}
}

static void print_providers(const struct catalog *c, const struct setting *s, struct text *out)
{
	size_t vendor = 0, i = 0;
	const struct provider *p;

	while ((p = next_provider(c, s, &vendor, &i)) != NULL) {
		const char *interface = p->live->interface ? p->live->interface : "its own";

		if (s->live.interface && !strcmp(interface, s->live.interface))
			continue;
		label(out, "");
		text_printf(out, "%s: %s\n", c->vendor[vendor]->name, interface);
	}
}

static void print_change(const struct catalog *c, const struct setting *s, struct text *out)
{
	const struct home *h = writing_home(c, s);

	label(out, "impact");
	text_printf(out, "%s%s\n", h->weigh ? "by driver and difference, at least " : "", impact_name(h->impact));
	if (h->weigh)
		line(out, "", "`rdmactl plan` says it beforehand");
	line(out, "effective", effective_name(h->effective));
}

static void print_key(const struct catalog *c, const struct setting *s, const struct field *f, const char *key,
		      struct text *out)
{
	text_add_safe(out, key, strlen(key));
	text_char(out, '\n');
	line(out, "means", f->doc);
	label(out, "takes");
	add_type(f, out);
	text_char(out, '\n');
	line(out, "belongs to", scope_words(s->scope));
	line(out, "rdmactl", doing(c, s, f));
	line(out, "live", s->live.interface);
	print_providers(c, s, out);
	line(out, "next boot", s->boot.interface);
	if (catalog_writes(c, s, f))
		print_change(c, s, out);
	line(out, "if wrong", s->why);
}

/* --- for programs ------------------------------------------------------------ */

static void json_if(struct json *j, const char *key, const char *s)
{
	if (s)
		json_string(j, key, s);
}

static void json_words(struct json *j, const struct field *f)
{
	if (!f->words)
		return;
	json_array_open(j, "words");
	for (size_t i = 0; f->words[i]; i++)
		json_string(j, NULL, f->words[i]);
	json_array_close(j);
}

static void json_providers(struct json *j, const struct catalog *c, const struct setting *s)
{
	size_t vendor = 0, i = 0;
	const struct provider *p;

	json_array_open(j, "providers");
	while ((p = next_provider(c, s, &vendor, &i)) != NULL) {
		json_object_open(j, NULL);
		json_string(j, "vendor", c->vendor[vendor]->name);
		json_if(j, "interface", p->live->interface);
		json_object_close(j);
	}
	json_array_close(j);
}

static void json_key(struct json *j, const struct catalog *c, const struct setting *s, const struct field *f,
		     const char *key)
{
	const struct home *h = writing_home(c, s);

	json_object_open(j, NULL);
	json_string(j, "key", key);
	json_if(j, "means", f->doc);
	json_string(j, "kind", kind_name(f->kind));
	json_if(j, "unit", f->unit);
	if (f->max > f->min) {
		json_int(j, "min", f->min);
		json_int(j, "max", f->max);
	}
	json_words(j, f);
	json_string(j, "belongs_to", scope_words(s->scope));
	json_boolean(j, "set", catalog_writes(c, s, f));
	json_if(j, "live", s->live.interface);
	json_providers(j, c, s);
	json_if(j, "next_boot", s->boot.interface);
	if (catalog_writes(c, s, f)) {
		json_string(j, h->weigh ? "least_impact" : "impact", impact_name(h->impact));
		json_string(j, "effective", effective_name(h->effective));
	}
	json_if(j, "if_wrong", s->why);
	json_object_close(j);
}

/* --- which key ---------------------------------------------------------------- */

/* All keys that @prefix selects, a line each with the first part of its meaning. Return: how many. */
static size_t list_keys(const struct catalog *c, const char *prefix, struct text *out, struct json *j)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++) {
			if (*prefix && !catalog_selects(prefix, f->name))
				continue;
			n++;
			if (j)
				json_key(j, c, c->setting[i], f, f->name);
			else
				text_printf(out, "%-*s %.*s\n", LIST_COLUMNS, f->name,
					    f->doc ? (int)strcspn(f->doc, ";") : 0, f->doc ? f->doc : "");
		}
	return n;
}

/* "pfc" is nearer to "qos.pfc" than its spelling says. */
static const char *key_ending_in(const struct catalog *c, const char *end)
{
	const char *verified = NULL;

	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++) {
			const char *dot = strrchr(f->name, '.');

			if (!dot || strcmp(dot + 1, end) != 0)
				continue;
			if (!f->verify_only)
				return f->name;
			if (!verified)
				verified = f->name;
		}
	return verified;
}

static const char *nearest_key(const struct catalog *c, const char *key, struct arena *a)
{
	struct { const char **at; size_t n, room; } words = { 0 };

	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++)
			list_add(&words, a) = f->name;
	list_add(&words, a) = NULL;
	return text_nearest(key, words.at);
}

static int unknown(const struct catalog *c, const char *key, struct diags *d)
{
	const char *near = key_ending_in(c, key);

	if (!near)
		near = nearest_key(c, key, d->arena);
	diag_error(d, NULL, "there is no setting '%s'", key);
	if (near)
		diag_hint(d, "did you mean '%s'? `rdmactl explain` lists them all", near);
	else
		diag_hint(d, "`rdmactl explain` lists them all");
	return -ENOENT;
}

int explain_key(const struct catalog *c, const char *key, struct text *out, struct json *json, struct diags *d)
{
	const struct setting *s = NULL;
	const struct field *f = *key ? catalog_field(c, key, &s) : NULL;

	if (!f)
		return list_keys(c, key, out, json) ? 0 : unknown(c, key, d);
	if (json)
		json_key(json, c, s, f, key);
	else
		print_key(c, s, f, key, out);
	return 0;
}
