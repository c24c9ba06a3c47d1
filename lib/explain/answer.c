/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: sentences under headings, and offers that the catalog's own parsers have seen. How they look: answer_print.c. */
#include "explain/answer.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/units.h"
#include "explain/shell.h"
#include "explain/tool.h"
#include "model/catalog.h"

const char *exists_name(enum exists e)
{
	static const char *const names[] = {
		[EXISTS_YES] = "yes", [EXISTS_PARTLY] = "partly", [EXISTS_NO] = "no", [EXISTS_GONE] = "no longer",
		[EXISTS_UNKNOWN] = "not known",
	};

	return names[e];
}

void answer_init(struct answer *a, struct arena *arena, const struct catalog *c, const struct simple *command)
{
	*a = (struct answer){ .arena = arena, .catalog = c, .command = command, .text = shell_words(arena, command) };
}

/* --- sentences ----------------------------------------------------------------- */

static void add_line(struct lines *l, const char *s, struct arena *a)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i], s))
			return;
	list_add(l, a) = s;
}

#define ANSWER_LINE(heading) \
	void answer_##heading(struct answer *a, const char *fmt, ...) \
	{ \
		va_list ap; \
\
		va_start(ap, fmt); \
		add_line(&a->heading, arena_vprintf(a->arena, fmt, ap), a->arena); \
		va_end(ap); \
	}
ANSWER_LINE(is)
ANSWER_LINE(does)
ANSWER_LINE(beware)
ANSWER_LINE(instead)
ANSWER_LINE(no_policy)
#undef ANSWER_LINE

void answer_wrong(struct answer *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&a->wrong, arena_vprintf(a->arena, fmt, ap), a->arena);
	va_end(ap);
	if (a->exists == EXISTS_YES)
		a->exists = EXISTS_PARTLY;
}

void answer_not(struct answer *a, enum exists exists)
{
	a->exists = exists;
}

void answer_effect(struct answer *a, const struct effect *e)
{
	a->writes = true;
	if (e->impact > a->impact)
		a->impact = e->impact;
	if (e->traffic)
		add_line(&a->traffic, e->traffic, a->arena);
	if (e->lasts)
		add_line(&a->lasts, e->lasts, a->arena);
	if (e->beware)
		add_line(&a->beware, e->beware, a->arena);
}

/* --- facts --------------------------------------------------------------------- */

bool fact_named(const struct fact *f, const char *name)
{
	return f->name && shell_among(f->name, name);
}

/* The spelling that says most: the last one of "-f --pfc". */
static const char *fact_title(const struct fact *f)
{
	const char *blank = strrchr(f->name, ' ');

	return blank ? blank + 1 : f->name;
}

/* "[VALUE]" may be left out. */
static bool lacks_value(const struct fact *f, const char *value)
{
	return f->value && f->value[0] != '[' && (!value || !*value);
}

void answer_fact(struct answer *a, const struct fact *f, const char *value)
{
	bool lacks = lacks_value(f, value);

	if (lacks)
		answer_wrong(a, "%s needs a value: %s", f->name, f->value);
	if (f->exists == EXISTS_NO)
		answer_wrong(a, "%s does not exist, and never did", fact_title(f));
	else if (f->exists == EXISTS_GONE)
		answer_wrong(a, "%s is gone", fact_title(f));
	if (f->does)
		answer_does(a, "%s: %s", fact_title(f), f->does);
	if (f->effect)
		answer_effect(a, f->effect);
	if (f->beware)
		answer_beware(a, "%s", f->beware);
	if (f->instead)
		answer_instead(a, "%s", f->instead);
	if (f->key && value && !lacks)
		answer_offer(a, f->key, value);
	if (f->take && !lacks)
		f->take(a, value ? value : "");
}

const char *answer_arg(const struct answer *a, const char *name)
{
	for (size_t i = a->args.n; i; i--)
		if (fact_named(a->args.at[i - 1].fact, name))
			return a->args.at[i - 1].value;
	return NULL;
}

bool answer_has(const struct answer *a, const char *name)
{
	for (size_t i = 0; i < a->args.n; i++)
		if (fact_named(a->args.at[i].fact, name))
			return true;
	return false;
}

/* --- offers ------------------------------------------------------------------- */

/* "modules.ib_core.options.netns_mode" by "modules.*.options.*": four; a star at the end takes all that is left. */
static void cut_key(struct offer *o, struct arena *a)
{
	const char *key = o->key, *name = o->field->name;

	while (*name) {
		size_t n = strcspn(name, "."), len = name[n] ? strcspn(key, ".") : strlen(key);

		list_add(&o->part, a) = arena_strndup(a, key, len);
		name += n + (name[n] == '.');
		key += len + (key[len] == '.');
	}
}

static bool is_text(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

/* Can this be told at all: a known key, and a value without variables? */
static const struct field *offered_field(struct answer *a, const char *key, const char *value, const struct setting **s)
{
	const struct field *f = catalog_field(a->catalog, key, s);

	if (!f)
		answer_no_policy(a, "this version has no key for it (it would be %s)", key);
	else if (shell_open_value(value) || shell_open_value(key))
		answer_no_policy(a, "%s, with what `%s` stands for", f->name, shell_open_value(value) ? value : key);
	else if (!is_text(value) || !is_text(key) || !text_is_utf8(value, strlen(value)))
		answer_wrong(a, "%s: this value has control characters or is no UTF-8", f->name);
	else
		return f;
	return NULL;
}

/* Plain where YAML takes it for nothing else, in double quotes elsewhere. */
static const char *yaml_word(struct arena *a, const char *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";

	if (isalnum((unsigned char)*s) && !s[strspn(s, plain)])
		return s;
	text_char(&t, '"');
	for (; *s; s++)
		text_addn(&t, *s == '"' || *s == '\\' ? (char[]){ '\\', *s } : s, *s == '"' || *s == '\\' ? 2 : 1);
	text_char(&t, '"');
	return arena_strndup(a, text_str(&t), t.n);
}

static bool is_refused(const struct answer *a, const char *key)
{
	for (size_t i = 0; i < a->refused.n; i++)
		if (!strcmp(a->refused.at[i], key))
			return true;
	return false;
}

void answer_refuse(struct answer *a, const char *key)
{
	list_add(&a->refused, a->arena) = arena_strdup(a->arena, key);
	for (size_t i = 0; i < a->offers.n; i++)
		if (!strcmp(a->offers.at[i].key, key))
			a->offers.at[i--] = a->offers.at[--a->offers.n];
}

static struct offer *find_offer(struct answer *a, const char *key, const struct field *f, enum scope scope)
{
	struct offer *o;

	for (size_t i = 0; i < a->offers.n; i++)
		if (!strcmp(a->offers.at[i].key, key))
			return &a->offers.at[i];
	o = &list_add(&a->offers, a->arena);
	*o = (struct offer){ .key = arena_strdup(a->arena, key), .field = f, .scope = scope };
	cut_key(o, a->arena);
	for (size_t i = 0; i < o->part.n; i++)
		o->part.at[i] = yaml_word(a->arena, o->part.at[i]);
	return o;
}

static const char *yaml_value(struct answer *a, const struct field *f, const struct value *v, const char *s)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (f->kind == KIND_BOOL)
		return v->num ? "true" : "false";
	if (f->kind != KIND_UINT || !f->unit || !units_suffixed(f->unit))
		return yaml_word(a->arena, s);
	units_print(v->num, f->unit, &t);
	return arena_strndup(a->arena, text_str(&t), t.n);
}

/* Settings of the node judge a value together with the name that a `*` stands for: a range of one sysctl. */
static bool derives(struct answer *a, const struct setting *s, const struct field *f, const char *key, const struct value *v)
{
	struct offer o = { .key = key, .field = f };
	const char *star[2] = { NULL, NULL }, *name = f->name;
	struct record *want = record_new(a->arena, s);
	struct cell *cell;
	struct diags d;
	size_t n = 0;

	if (s->scope != SCOPE_NODE || !s->derive || !strchr(name, '*'))
		return true;
	cut_key(&o, a->arena);
	for (size_t i = 0; i < o.part.n; name += strcspn(name, ".") + 1, i++)
		if (*name == '*' && n < 2)
			star[n++] = o.part.at[i];
	cell = record_named(want, (unsigned)(f - s->fields), star[0], star[1]);
	cell->state = CELL_VALUE;
	cell->value = *v;
	diags_init(&d, a->arena);
	if (s->derive(&(const struct wishes){ .arena = a->arena }, want, &d) == 0)
		return true;
	answer_wrong(a, "%s: %s%s%s", key, d.n ? d.at[0].what : "is refused", d.n && d.at[0].hint ? "; " : "",
		     d.n && d.at[0].hint ? d.at[0].hint : "");
	return false;
}

void answer_offer(struct answer *a, const char *key, const char *value)
{
	const struct setting *s;
	const struct field *f = offered_field(a, key, value, &s);
	const char *why = NULL;
	struct value v = { 0 };

	if (!f || is_refused(a, key))
		return;
	if (value_parse(f, value, &v, a->arena, &why) < 0) {
		answer_wrong(a, "%s: %s %s", key, value, why ? why : "is not a value of it");
		answer_refuse(a, key);
	} else if (derives(a, s, f, key, &v)) {
		find_offer(a, key, f, s->scope)->value = yaml_value(a, f, &v, value);
	}
}

static int parse_entry(struct answer *a, const struct field *f, const char *value, const char **why)
{
	int64_t amount;
	uint8_t v;

	if (f->kind == KIND_AMOUNTS)
		return value_parse_amount(f, value, &amount, a->arena, why);
	return value_parse_entry(f, value, &v, a->arena, why);
}

/* "26: 3" of a map, "3" of a list; NULL: told why not */
static const char *entry_of(struct answer *a, const struct field *f, const char *name, const char *value)
{
	const char *why = NULL;
	unsigned first, last;

	if (name && value_parse_keys(f, name, &first, &last, &why) < 0)
		answer_wrong(a, "%s: %s %s", f->name, name, why ? why : "is no key of it");
	else if (parse_entry(a, f, value, &why) < 0)
		answer_wrong(a, "%s: %s %s", f->name, value, why ? why : "is no value of it");
	else
		return name ? arena_printf(a->arena, "%s: %s", name, value) : arena_strdup(a->arena, value);
	return NULL;
}

/* The same key of a map again: the later entry holds. */
static void set_entry(struct offer *o, const char *entry, struct arena *a)
{
	size_t n = strcspn(entry, ":");

	for (size_t i = 0; i < o->entries.n; i++)
		if (strcspn(o->entries.at[i], ":") == n && !strncmp(o->entries.at[i], entry, n)) {
			o->entries.at[i] = entry;
			return;
		}
	list_add(&o->entries, a) = entry;
}

void answer_entry(struct answer *a, const char *key, const char *name, const char *value)
{
	const struct setting *s;
	const struct field *f = offered_field(a, key, value, &s);
	const char *entry = f && !(name && shell_open_value(name)) ? entry_of(a, f, name, value) : NULL;

	if (entry && !is_refused(a, key))
		set_entry(find_offer(a, key, f, s->scope), entry, a->arena);
	else if (!entry)
		answer_refuse(a, key);
	if (f && name && shell_open_value(name))
		answer_no_policy(a, "%s, with what `%s` stands for", key, name);
}

void answer_empty(struct answer *a, const char *key)
{
	const struct setting *s;
	const struct field *f = offered_field(a, key, "", &s);

	if (f && !is_refused(a, key))
		find_offer(a, key, f, s->scope);
}

void answer_check_shares(struct answer *a)
{
	for (size_t i = 0; i < a->offers.n; i++) {
		const struct lines *entries = &a->offers.at[i].entries;
		int sum = 0;

		if (a->offers.at[i].field->kind != KIND_SHARES)
			continue;
		for (size_t k = 0; k < entries->n; k++)
			sum += strchr(entries->at[k], '%') ? tool_share(strchr(entries->at[k], ':') + 1) : 0;
		if (!sum || sum == 100)
			continue;
		answer_no_policy(a, "%s: the shares given sum to %d; it takes those of all classes, which make 100",
				 a->offers.at[i].key, sum);
		a->offers.at[i] = a->offers.at[--a->offers.n];
		return;
	}
}
