/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting means, from its field, its homes and the vendors' providers. */
#include "explain/explain.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "explain/kinds.h"
#include "explain/language.h"
#include "explain/print.h"
#include "model/catalog.h"

enum { LIST_COLUMNS = 33 };

/* --- pieces ------------------------------------------------------------------ */

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

static void print_providers(const struct catalog *c, const struct setting *s, struct text *out)
{
	size_t vendor = 0, i = 0;
	const struct provider *p;

	while ((p = next_provider(c, s, &vendor, &i)) != NULL) {
		const char *interface = p->live->interface ? p->live->interface : "its own";

		if (s->live.interface && !strcmp(interface, s->live.interface))
			continue;
		print_label(out, "");
		text_printf(out, "%s: %s\n", c->vendor[vendor]->name, interface);
	}
}

static void print_change(const struct catalog *c, const struct setting *s, struct text *out)
{
	const struct home *h = writing_home(c, s);

	print_label(out, "impact");
	text_printf(out, "%s%s\n", h->weigh ? "by driver and difference, at least " : "", impact_name(h->impact));
	if (h->weigh)
		print_line(out, "", "`rdmactl plan` says it beforehand");
	print_line(out, "effective", effective_name(h->effective));
}

static void print_key(const struct catalog *c, const struct setting *s, const struct field *f, const char *key,
		      struct text *out)
{
	text_add_safe(out, key, strlen(key));
	text_char(out, '\n');
	print_line(out, "means", f->doc);
	print_label(out, "takes");
	kind_takes(f, out);
	text_char(out, '\n');
	print_line(out, "belongs to", scope_words(s->scope));
	print_line(out, "rdmactl", doing(c, s, f));
	print_line(out, "live", s->live.interface);
	print_providers(c, s, out);
	print_line(out, "next boot", s->boot.interface);
	if (catalog_writes(c, s, f))
		print_change(c, s, out);
	print_line(out, "if wrong", s->why);
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

static int unknown(const struct catalog *c, const struct explain_lists *lists, const char *key, struct diags *d)
{
	const char *near = key_ending_in(c, key);

	if (!near)
		near = nearest_key(c, key, d->arena);
	if (!near)
		near = language_nearest(lists, key, d->arena);
	diag_error(d, NULL, "there is no setting '%s'", key);
	if (near)
		diag_hint(d, "did you mean '%s'? `rdmactl explain` lists them all", near);
	else
		diag_hint(d, "`rdmactl explain` lists them all");
	return -ENOENT;
}

int explain_key(const struct catalog *c, const struct explain_lists *lists, const char *key, struct text *out, struct json *json,
		struct diags *d)
{
	const struct setting *s = NULL;
	const struct field *f = *key ? catalog_field(c, key, &s) : NULL;

	if (!f)
		return list_keys(c, key, out, json) ? 0 : unknown(c, lists, key, d);
	if (json)
		json_key(json, c, s, f, key);
	else
		print_key(c, s, f, key, out);
	return 0;
}
