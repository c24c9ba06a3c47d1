/* SPDX-License-Identifier: Apache-2.0 */
/* The list of switch systems, and what their readers share. */
#include "nos/nos.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/record.h"
#include "nos/lines.h"

#define NOS(name) extern const struct nos nos_##name;
#include "nos/list.h"
#undef NOS

static const struct nos *const all[] = {
#define NOS(name) &nos_##name,
#include "nos/list.h"
#undef NOS
};

enum { SYSTEMS = sizeof(all) / sizeof(all[0]), NAMED_MOST = 1 << 20 };

const struct nos *nos_at(size_t i)
{
	return i < SYSTEMS ? all[i] : NULL;
}

const struct nos *nos_find(const char *name)
{
	for (size_t i = 0; i < SYSTEMS; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

const struct nos *nos_of(enum fabric_nos id)
{
	for (size_t i = 0; i < SYSTEMS; i++)
		if (all[i]->id == id)
			return all[i];
	return NULL;
}

const struct nos *nos_guess(const struct source *s)
{
	for (size_t i = 0; i < SYSTEMS; i++)
		if (all[i]->looks(s))
			return all[i];
	return NULL;
}

/* --- reading ------------------------------------------------------------------------- */

int nos_read(struct arena *a, const struct nos *nos, const struct source *s, struct switch_file **out, struct diags *d)
{
	struct switch_file *f = arena_new_of(a, struct switch_file);

	*f = (struct switch_file){ .arena = a, .diags = d, .source = s, .nos = nos };
	tree_init(&f->tree, a, s);
	tree_init(&f->ports, a, s);
	if (nos->parse(f) < 0)
		return -EINVAL;
	*out = f;
	return 0;
}

/* A port of the file; NULL if there are too many: no switch has that many, and ranges of ranges must end. */
static struct word *port_word(struct switch_file *f, const char *port)
{
	struct word *w;

	if (f->named >= NAMED_MOST || (f->port.n >= PORTS_MOST && !word_at(&f->ports, &f->ports.root, port)))
		return NULL;
	f->named++;
	w = tree_word(&f->ports, &f->ports.root, port, strlen(port), 0);
	if (!w->line) {
		w->line = 1;		/* seen */
		list_add(&f->port, f->arena) = w->key;
	}
	return w;
}

bool conf_has_port(const struct switch_file *f, const char *port)
{
	if (word_at(&f->ports, &f->ports.root, port))
		return true;
	for (size_t i = 0; i < f->port.n; i++)
		if (port_same(f->port.at[i], port))
			return true;
	return false;
}

static bool add_port(const char *port, void *arg)
{
	return port_word(arg, port);
}

void conf_ports(struct switch_file *f, const char *list)
{
	ports_each(list, add_port, f);
}

struct naming {
	struct switch_file *f;
	const struct word *section;
};

static bool name_section(const char *port, void *arg)
{
	const struct naming *x = arg;
	struct word *w = port_word(x->f, port);

	if (w)
		tree_word(&x->f->ports, w, x->section->key, strlen(x->section->key), x->section->line);
	return w;
}

void conf_section(struct switch_file *f, const struct word *section, const char *ports)
{
	ports_each(ports, name_section, &(struct naming){ f, section });
}

static size_t add_sections(const struct switch_file *f, const struct word *up, const struct word *port, size_t n,
			   const struct word *out[CONF_SECTIONS])
{
	for (const struct word *w = word_children(port); w; w = w->next) {
		const struct word *section = word_at(&f->tree, up, w->key);

		if (section && n < CONF_SECTIONS)
			out[n++] = section;
	}
	return n;
}

size_t conf_sections(const struct switch_file *f, const struct word *up, const char *port, const struct word *out[CONF_SECTIONS])
{
	const struct word *exact = word_at(&f->ports, &f->ports.root, port);
	size_t n = 0;

	for (size_t i = 0; i < f->port.n; i++)
		if (port_same(f->port.at[i], port) && strcmp(f->port.at[i], port) != 0)
			n = add_sections(f, up, word_at(&f->ports, &f->ports.root, f->port.at[i]), n, out);
	return add_sections(f, up, exact, n, out);
}

void conf_say(const struct switch_file *f, struct cell *c, const struct word *w, int64_t num)
{
	cell_set_num(c, num);
	c->pos = word_pos(&f->tree, w);
}

void conf_say_map(const struct switch_file *f, struct cell *c, const struct word *w, const uint8_t *map, size_t n)
{
	cell_set_map(c, f->arena, map, n);
	c->pos = word_pos(&f->tree, w);
}

bool conf_number(const struct switch_file *f, const struct word *w, uint64_t max, int64_t *n)
{
	const struct pos pos = word_pos(&f->tree, w);
	uint64_t v;

	if (!w)
		return false;
	if (!line_number(w->key, max, &v)) {
		diag_note(f->diags, &pos, "\"%s\" is no number up to %ju",
			  text_safe(f->arena, w->key, strnlen(w->key, 40), 40), (uintmax_t)max);
		return false;
	}
	*n = (int64_t)v;
	return true;
}

const struct word *conf_line(const struct conf_place *p, const char *pattern, struct line_args *args)
{
	const struct word *found = NULL;
	struct line_args a;

	for (size_t i = 0; i < p->n; i++)
		for (const struct word *w = word_children(p->at[i]); w; w = w->next)
			if (line_match(w->key, pattern, &a)) {
				found = w;
				*args = a;
			}
	return found;
}

const struct word *conf_global(const struct switch_file *f, const char *pattern, struct line_args *args)
{
	const struct conf_place p = { { &f->tree.root }, 1 };

	return conf_line(&p, pattern, args);
}

const struct word *conf_named(const struct switch_file *f, const char *pattern, const char *name)
{
	const struct word *found = NULL;
	struct line_args args;

	for (const struct word *w = f->tree.root.child; w; w = w->next)
		if (line_match(w->key, pattern, &args) && !strcmp(args.at[0], name))
			found = w;
	return found;
}

const struct word *conf_bound(const struct switch_file *f, const struct conf_place *p, const char *bind, const char *section)
{
	struct line_args args, name = { .n = 0 };
	const struct word *system = conf_global(f, "system qos", &args);
	const struct conf_place of_system = { { system }, system != NULL };

	if (!conf_line(p, bind, &name) && !conf_line(&of_system, bind, &name))
		return NULL;
	return conf_named(f, section, name.at[0]);
}

int conf_running(struct switch_file *f, const struct conf_form *form)
{
	const struct pos pos = { f->source, 1, 0, 0 };
	struct line_args args;
	bool any = false;

	tree_indented(&f->tree);
	for (const struct word *w = f->tree.root.child; w; w = w->next) {
		for (const char *const *known = form->known; *known; known++)
			any |= line_match(w->key, *known, NULL);
		if ((form->but && line_match(w->key, form->but, NULL)) || !line_match(w->key, form->interface, &args))
			continue;
		conf_section(f, w, args.at[0]);
		any = true;
	}
	if (any)
		return 0;
	diag_error(f->diags, &pos, "this is %s", form->what);
	return -EINVAL;
}

bool conf_has(const struct source *s, const char *words)
{
	return memmem(s->text, s->len, words, strlen(words));
}
