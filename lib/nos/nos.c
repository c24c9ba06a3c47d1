/* SPDX-License-Identifier: Apache-2.0 */
/* The list of switch systems, and what their readers share. */
#include "nos/nos.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

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

enum { SYSTEMS = sizeof(all) / sizeof(all[0]), NAMED_MOST = 1 << 20, SECTION_MOST = 1024 };

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

/* How many of its marks a text has; one that is judged by its form counts as two. */
static size_t marks_of(const struct nos *nos, const struct source *s)
{
	size_t n = nos->looks && nos->looks(s) ? 2 : 0;

	for (const char *const *mark = nos->marks; mark && *mark; mark++)
		n += conf_has(s, *mark);
	return n;
}

const struct nos *nos_guess(const struct source *s)
{
	const struct nos *most = NULL;
	size_t marks = 0;

	for (size_t i = 0; i < SYSTEMS; i++) {
		size_t n = marks_of(all[i], s);

		if (n > marks) {
			most = all[i];
			marks = n;
		}
	}
	return most;
}

/* --- reading ------------------------------------------------------------------------- */

static int foreign(const struct source *s, const struct nos *nos, const struct nos *looks, struct diags *d)
{
	const struct pos pos = { .source = s, .line = 1 };

	diag_error(d, &pos, "this looks like a configuration of %s, not of %s", looks->called, nos->called);
	diag_hint(d, "--nos %s reads it so", looks->name);
	return -EINVAL;
}

/*
 * The text behind a byte order mark, but for a system that loads JSON: its reader has a word about it. NULL, told, if it is in
 * another encoding than UTF-8.
 */
static const struct source *plain(struct arena *a, const struct nos *nos, const struct source *s, struct diags *d)
{
	const struct pos pos = { .source = s, .line = 1 };
	struct source *without;

	if (s->len >= 2 && (!memcmp(s->text, "\xff\xfe", 2) || !memcmp(s->text, "\xfe\xff", 2))) {
		diag_error(d, &pos, "this is text in UTF-16: save it as UTF-8");
		return NULL;
	}
	if (nos->patch || s->len < 3 || memcmp(s->text, "\xef\xbb\xbf", 3) != 0)
		return s;
	without = arena_new_of(a, struct source);
	*without = *s;
	without->text += 3;
	without->len -= 3;
	return without;
}

static int too_many(const struct switch_file *f)
{
	const struct pos pos = { .source = f->source, .line = 1 };

	diag_error(f->diags, &pos, "this file names more ports than any switch has: %d are read", PORTS_MOST);
	return -EINVAL;
}

int nos_read(struct arena *a, const struct nos *nos, const struct source *s, struct switch_file **out, struct diags *d)
{
	struct switch_file *f = arena_new_of(a, struct switch_file);
	const struct nos *looks;

	s = plain(a, nos, s, d);
	if (!s)
		return -EINVAL;
	looks = nos_guess(s);
	if (looks && looks != nos && marks_of(looks, s) > marks_of(nos, s))
		return foreign(s, nos, looks, d);
	*f = (struct switch_file){ .arena = a, .diags = d, .source = s, .nos = nos, .notes = arena_new_of(a, struct switch_notes) };
	tree_init(&f->tree, a, s);
	tree_init(&f->ports, a, s);
	tree_init(&f->notes->index, a, s);
	if (nos->parse(f) < 0)
		return -EINVAL;
	if (f->named >= NAMED_MOST || f->port.n >= PORTS_MOST)
		return too_many(f);
	*out = f;
	return 0;
}

/* --- ports ----------------------------------------------------------------------------- */

/* One spelling for each port, which it is found by; ports of the switch, and not its other interfaces, have type 0 or none. */
static const char *spelled(const struct switch_file *f, const char *port, char name[LINE_ARG], int *type)
{
	*type = f->nos->types ? port_name(f->nos->types, port, strnlen(port, LINE_ARG), name) : -1;
	return f->nos->types ? name : port;
}

static const struct word *port_find(const struct switch_file *f, const char *port)
{
	char name[LINE_ARG];
	int type;

	return word_at(&f->ports, &f->ports.root, spelled(f, port, name, &type));
}

bool conf_same(const struct switch_file *f, const char *a, const char *b)
{
	char x[LINE_ARG], y[LINE_ARG];
	int type;

	return !strcmp(spelled(f, a, x, &type), spelled(f, b, y, &type));
}

/* A port of the file; NULL if there are too many: no switch has that many, and ranges of ranges must end. */
static struct word *port_word(struct switch_file *f, const char *port)
{
	struct word *w = (struct word *)port_find(f, port);
	char name[LINE_ARG];
	int type;

	if (f->named >= NAMED_MOST || (f->port.n >= PORTS_MOST && !w))
		return NULL;
	f->named++;
	if (w)
		return w;
	port = spelled(f, port, name, &type);
	w = tree_word(&f->ports, &f->ports.root, port, strlen(port), 0);
	if (type <= 0)
		list_add(&f->port, f->arena) = w->key;
	if (!f->nos->types && strchr(port, '*'))
		list_add(&f->star, f->arena) = w->key;
	return w;
}

bool conf_has_port(const struct switch_file *f, const char *port)
{
	if (port_find(f, port))
		return true;
	for (size_t i = 0; i < f->star.n; i++)
		if (port_matches(f->star.at[i], port))
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
		else if (section)
			f->notes->port_unsure = section;
	}
	return n;
}

size_t conf_sections(const struct switch_file *f, const struct word *up, const char *port, const struct word *out[CONF_SECTIONS])
{
	const struct word *exact = port_find(f, port);
	size_t n = 0;

	for (size_t i = 0; i < f->star.n; i++)
		if (port_matches(f->star.at[i], port) && strcmp(f->star.at[i], port) != 0)
			n = add_sections(f, up, word_at(&f->ports, &f->ports.root, f->star.at[i]), n, out);
	if (exact && exact->doubt)
		f->notes->port_unsure = exact->doubt;
	return add_sections(f, up, exact, n, out);
}

/* --- doubt ------------------------------------------------------------------------------- */

void conf_fresh(const struct switch_file *f)
{
	f->notes->unsure = NULL;
}

void conf_doubt(const struct switch_file *f, const struct word *w)
{
	f->notes->unsure = w;
}

void conf_serve(const struct switch_file *f, const struct word *w, uint8_t now, uint8_t *share)
{
	if (*share != VALUE_UNSET && (*share == SHARE_STRICT) != (now == SHARE_STRICT))
		conf_doubt(f, w);
	*share = now;
}

void conf_doubt_marking(const struct switch_file *f, struct record *have, unsigned q)
{
	for (unsigned field = SWITCH_ECN; field <= SWITCH_PMAX && f->notes->unsure; field++)
		conf_say(f, switch_port_cell(have, field, q), NULL, 0);
}

void conf_sure(const struct switch_file *f, const struct word *w)
{
	for (; f->tree.doubts && w; w = w->up)
		if (w->doubt)
			f->notes->unsure = w->doubt;
}

bool conf_takes(const struct switch_file *f, const struct word *w, const char *pattern, bool said)
{
	const char *rest = tree_taken_back(w->key);

	if (!rest || !line_touches(rest, pattern))
		return false;
	if (said && !w->took)
		f->notes->unsure = w;
	return true;
}

/* Return: the cell is unknown. */
static bool in_doubt(const struct switch_file *f, struct cell *c)
{
	const struct word *w = f->notes->port_unsure ? f->notes->port_unsure : f->notes->unsure;

	if (!w)
		return false;
	cell_set_reason(c, REASON_UNREADABLE, arena_printf(f->arena, "%s:%u: what \"%s\" leaves of this cannot be told", f->source->name, w->line,
							   text_safe(f->arena, w->key, strnlen(w->key, 80), 80)));
	return true;
}

void conf_say(const struct switch_file *f, struct cell *c, const struct word *w, int64_t num)
{
	conf_sure(f, w);
	if (in_doubt(f, c))
		return;
	cell_set_num(c, num);
	c->pos = word_pos(&f->tree, w);
}

void conf_say_kb(const struct switch_file *f, struct cell *c, const struct word *w, int64_t kb)
{
	conf_sure(f, w);
	if (in_doubt(f, c))
		return;
	switch_port_kb(c, kb);
	c->pos = word_pos(&f->tree, w);
}

void conf_say_map(const struct switch_file *f, struct cell *c, const struct word *w, const uint8_t *map, size_t n)
{
	conf_sure(f, w);
	if (in_doubt(f, c))
		return;
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

/* --- lines --------------------------------------------------------------------------------- */

/* The last lines so far that say a pattern, and that take it back. */
struct lines {
	const struct word *found, *no;
};

static const struct word *later(const struct word *a, const struct word *b)
{
	return a && a->line > b->line ? a : b;
}

static void look_below(const struct word *up, const char *pattern, struct lines *x)
{
	for (const struct word *w = word_children(up); w; w = w->next) {
		const char *rest;

		if (line_match(w->key, pattern, NULL)) {
			x->found = later(x->found, w);
			continue;
		}
		rest = tree_taken_back(w->key);
		if (rest && line_touches(rest, pattern))
			x->no = later(x->no, w);
	}
}

/* @up beats what @x has from before it; a line that takes back what is not there does nothing. */
static void beat(struct lines *x, const struct lines *up)
{
	if (up->found)
		*x = *up;
	else if (x->found && up->no)
		x->no = up->no;
	if (!x->found || (x->no && up->found && x->no->line < x->found->line))
		x->no = NULL;
}

const struct word *conf_line(const struct switch_file *f, const struct conf_place *p, const char *pattern, struct line_args *args)
{
	struct lines whole = { NULL, NULL }, own = { NULL, NULL };

	for (size_t i = 0; i < p->n; i++) {
		struct lines one = { NULL, NULL };

		look_below(p->at[i], pattern, i < p->own ? &one : &own);
		if (i < p->own)
			beat(&whole, &one);
	}
	beat(&whole, &own);
	if (whole.no)
		conf_doubt(f, whole.no);
	if (whole.found)
		line_match(whole.found->key, pattern, args);
	return whole.found;
}

const struct word *conf_below(const struct switch_file *f, const struct word *w, const char *pattern, struct line_args *args)
{
	return conf_line(f, &(struct conf_place){ { w }, 1, 0 }, pattern, args);
}

/* What the index says of a pattern, or of a name below it. */
static const struct word *indexed(const struct switch_file *f, const struct word *entry)
{
	if (entry && entry->doubt)
		conf_doubt(f, entry->doubt);
	return entry ? entry->is : NULL;
}

const struct word *conf_global(const struct switch_file *f, const char *pattern, struct line_args *args)
{
	struct tree *index = &f->notes->index;
	struct word *entry = (struct word *)word_at(index, &index->root, pattern);
	const struct word *found;

	if (!entry) {
		struct lines whole = { NULL, NULL }, top = { NULL, NULL };

		look_below(&f->tree.root, pattern, &top);
		beat(&whole, &top);
		entry = tree_word(index, &index->root, pattern, strlen(pattern), 0);
		entry->is = whole.found;
		entry->doubt = whole.no;
	}
	found = indexed(f, entry);
	if (found)
		line_match(found->key, pattern, args);
	return found;
}

static const char *last_word(const char *s)
{
	const char *blank = strrchr(s, ' ');

	return blank ? blank + 1 : s;
}

/* "no KIND NAME": gone if it says the whole pattern; else nobody can tell which of this name it is. */
static void index_negation(struct tree *index, const struct word *by, const struct word *w, const char *rest, const char *pattern)
{
	struct line_args args;
	bool whole = line_match(rest, pattern, &args);
	struct word *entry;

	if (!whole && (strncasecmp(rest, pattern, strcspn(pattern, " ")) != 0 || strlen(rest) <= strcspn(pattern, " ")))
		return;
	entry = (struct word *)word_at(index, by, whole ? args.at[0] : last_word(rest));
	if (!entry || !entry->is)
		return;
	if (whole)
		entry->is = NULL;
	entry->doubt = whole ? NULL : w;
	entry->line = w->line;
}

static struct word *index_names(const struct switch_file *f, const char *pattern)
{
	struct tree *index = &f->notes->index;
	struct word *by = tree_word(index, &index->root, pattern, strlen(pattern), 0), *entry;
	struct line_args args;

	for (const struct word *w = f->tree.root.child; w; w = w->next) {
		const char *rest = tree_taken_back(w->key);

		if (rest) {
			index_negation(index, by, w, rest, pattern);
		} else if (line_match(w->key, pattern, &args)) {
			uint32_t since;

			entry = (struct word *)word_at(index, by, args.at[0]);
			since = entry ? entry->line : 0;
			entry = tree_word(index, by, args.at[0], strlen(args.at[0]), since);
			entry->is = w;
			entry->doubt = since && w->child && w->child->line < since ? w->child : NULL;
		}
	}
	return by;
}

const struct word *conf_named(const struct switch_file *f, const char *pattern, const char *name)
{
	struct tree *index = &f->notes->index;
	const struct word *by = word_at(index, &index->root, pattern);

	return indexed(f, word_at(index, by ? by : index_names(f, pattern), name));
}

bool conf_named_number(const struct switch_file *f, const char *pattern, const char *name, const char *line, unsigned *n)
{
	const struct word *w = conf_named(f, pattern, name);
	struct line_args args;
	uint64_t number;

	if (!w || !conf_below(f, w, line, &args) || !line_number(args.at[0], 7, &number))
		return false;
	*n = (unsigned)number;
	return true;
}

const struct word *conf_bound(const struct switch_file *f, const struct conf_place *p, const char *bind, const char *section)
{
	struct line_args args, name = { .n = 0 };
	const struct word *system = conf_global(f, "system qos", &args);

	if (!conf_line(f, p, bind, &name) && (!system || !conf_below(f, system, bind, &name)))
		return NULL;
	return conf_named(f, section, name.at[0]);
}

bool conf_says(const struct switch_file *f, const char *type, const char *number, const char *const *patterns)
{
	const struct word *port = port_find(f, arena_printf(f->arena, "%s%s", type, number));

	for (const struct word *name = word_children(port); name; name = name->next) {
		const struct word *section = word_at(&f->tree, &f->tree.root, name->key);

		for (const struct word *w = word_children(section); w; w = w->next)
			for (const char *const *pattern = patterns; *pattern; pattern++)
				if (line_match(w->key, *pattern, NULL))
					return true;
	}
	return false;
}

void conf_changes(const struct switch_file *f, const struct conf_place *p, const char *const *patterns)
{
	struct line_args args;

	for (; *patterns; patterns++) {
		const struct word *w = conf_line(f, p, *patterns, &args);

		if (w)
			conf_doubt(f, w);
	}
}

void conf_pauses(const struct switch_file *f, const struct conf_place *p)
{
	static const char *const patterns[] = { "flowcontrol receive %", "flowcontrol send %", "flowcontrol transmit %" };
	struct line_args args;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const struct word *w = conf_line(f, p, patterns[i], &args);

		if (w && strcasecmp(args.at[0], "off") != 0)
			conf_doubt(f, w);
	}
}

void conf_channel(const struct switch_file *f, const char *type, const char *const *patterns, struct conf_place *p)
{
	const struct conf_place own = *p;
	struct conf_place channel = { .n = 0 };
	struct line_args args;
	const struct word *member = conf_line(f, &own, "channel-group % ...", &args);

	if (!member)
		return;
	channel.n = conf_sections(f, &f->tree.root, arena_printf(f->arena, "%s%s", type, args.at[0]), channel.at);
	for (; *patterns; patterns++) {
		const struct word *here = conf_line(f, &own, *patterns, &args), *there = conf_line(f, &channel, *patterns, &args);

		if (here && there && strcmp(here->key, there->key) != 0)
			f->notes->port_unsure = there;
	}
	if (own.n + channel.n > sizeof(own.at) / sizeof(own.at[0])) {
		f->notes->port_unsure = member;
		return;
	}
	memcpy(p->at, channel.at, channel.n * sizeof(p->at[0]));
	memcpy(p->at + channel.n, own.at, own.n * sizeof(p->at[0]));
	p->n += channel.n;
	p->own += channel.n;
}

void *conf_memo(const struct switch_file *f, const void *of, size_t size, bool *first)
{
	struct switch_notes *n = f->notes;

	for (size_t i = 0; i < n->memo.n; i++)
		if (n->memo.at[i].of == of) {
			*first = false;
			return n->memo.at[i].is;
		}
	*first = true;
	list_add(&n->memo, f->arena).of = of;
	n->memo.at[n->memo.n - 1].is = arena_alloc(f->arena, size);
	return n->memo.at[n->memo.n - 1].is;
}

/* --- running-configs --------------------------------------------------------------------------- */

/* An interface's section and the line that resets it: what stood before is gone for its ports. */
static bool reset_port(const char *port, void *arg)
{
	const struct naming *x = arg;
	struct word *w = port_word(x->f, port);

	if (!w)
		return false;
	tree_take_back_below(w);
	w->line = x->section->line;
	w->doubt = NULL;
	return true;
}

/* Lines of this section from before a reset stand beside later ones only if the section was said twice. */
static bool section_port(const char *port, void *arg)
{
	const struct naming *x = arg;
	struct word *w = port_word(x->f, port);
	const struct word *child = x->section->child;

	if (!w)
		return false;
	if (w->line && child && child->line < w->line) {
		if (x->section->last->line < w->line)
			return true;
		w->doubt = child;
	}
	tree_word(&x->f->ports, w, x->section->key, strlen(x->section->key), 0);
	return true;
}

static bool is_any(const char *line, const char *const *pattern)
{
	for (; *pattern; pattern++)
		if (line_match(line, *pattern, NULL))
			return true;
	return false;
}

static int told_at(const struct switch_file *f, const struct word *w, const char *what)
{
	const struct pos pos = word_pos(&f->tree, w);

	diag_error(f->diags, &pos, "%s", what);
	return -EINVAL;
}

int conf_narrow(const struct switch_file *f, const struct word *up, unsigned depth)
{
	size_t n = 0;

	for (const struct word *w = word_children(up); w; w = w->next)
		if ((!depth && ++n > SECTION_MOST) || conf_narrow(f, w, depth ? depth - 1 : 0) < 0)
			return n > SECTION_MOST ? told_at(f, up, "more stands below this word than any switch takes") : -EINVAL;
	return 0;
}

/* Sections are looked at for each port that refers to them. */
static int check_length(const struct switch_file *f, const struct word *section)
{
	size_t n = 0;

	for (const struct word *w = section->child; w; w = w->next)
		if (++n > SECTION_MOST)
			return told_at(f, section, "this section has more lines than any switch takes");
	return 0;
}

/* Return: 1 if this line is an interface, or resets one; 0; -EINVAL, told. */
static int interface(struct switch_file *f, const struct conf_form *form, const struct word *w)
{
	const char *reset = tree_taken_back(w->key), *line = reset ? reset : w->key;
	struct naming x = { f, w };
	struct line_args args;

	if (is_any(line, form->but) || !line_match(line, form->interface, &args))
		return 0;
	if (check_length(f, w) < 0)
		return -EINVAL;
	if (!ports_typed(f->nos->types, args.rest, reset ? reset_port : section_port, &x))
		return told_at(f, w, "which interfaces this line means cannot be told");
	return 1;
}

int conf_running(struct switch_file *f, const struct conf_form *form)
{
	const struct pos pos = { .source = f->source, .line = 1 };
	bool any = false;

	if (tree_indented(&f->tree, form->texts, f->diags) < 0)
		return -EINVAL;
	for (const struct word *w = f->tree.root.child; w; w = w->next) {
		int r = interface(f, form, w);

		if (r == 0 && is_any(w->key, form->known))
			r = check_length(f, w) < 0 ? -EINVAL : 1;
		if (r < 0)
			return -EINVAL;
		any |= r;
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
