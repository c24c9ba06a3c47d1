/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modprobe.d and the kernel command line, see modprobe.h. Where it differs from what people expect: a comment begins
 * in the first column or not at all; a line that begins with an unknown word is skipped with a message nobody reads;
 * options of one module are joined over all files, and the kernel takes the last of each. `modprobe --showconfig` is
 * the oracle.
 */
#include "boot/modprobe.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

#define BLANKS " \t"

char *modprobe_name(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);

	for (char *c = s; *c; c++)
		if (*c == '-')
			*c = '_';
	return s;
}

bool modprobe_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

/* --- lines -------------------------------------------------------------------- */

struct reading {
	struct arena *a;
	struct modprobe_line *at;
	size_t n, room;
};

/* Cuts the next word off *s, separated by blanks; NULL: none left. */
static char *next_word(char **s)
{
	char *word = *s + strspn(*s, BLANKS);
	size_t n = strcspn(word, BLANKS);

	if (!n)
		return NULL;
	*s = word + n + (word[n] != 0);
	word[n] = 0;
	return word;
}

static const struct {
	const char *word;
	enum modprobe_kind kind;
	bool needs_rest;
} directives[] = {
	{ "options", MODPROBE_OPTIONS, true }, { "blacklist", MODPROBE_BLACKLIST, false },
	{ "install", MODPROBE_INSTALL, true }, { "alias", MODPROBE_ALIAS, true },
	{ "softdep", MODPROBE_SOFTDEP, true }, { "remove", MODPROBE_NOTHING, true },	/* of unloading: no boot does that */
};

static struct modprobe_line bad_line(const char *word, const char *why)
{
	return (struct modprobe_line){ .kind = MODPROBE_BAD, .module = word, .rest = "", .why = why };
}

/* @text: a logical line, taken apart in place */
static struct modprobe_line parse(struct arena *a, char *text)
{
	char *word = next_word(&text), *module;

	if (!word)
		return (struct modprobe_line){ .kind = MODPROBE_NOTHING };
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (strcmp(directives[i].word, word) != 0)
			continue;
		module = next_word(&text);
		if (!module)
			return bad_line(word, "names no module");
		if (directives[i].needs_rest && !*text)
			return bad_line(word, "says nothing about the module");
		if (directives[i].kind == MODPROBE_ALIAS) {
			text = next_word(&text);
			text = text ? modprobe_name(a, text) : NULL;
		}
		return (struct modprobe_line){ .kind = directives[i].kind, .module = modprobe_name(a, module),
					       .rest = directives[i].needs_rest && text ? text : "" };
	}
	if (*word == '#')
		return bad_line(word, "is no comment: that begins in the first column");
	if (!strcmp(word, "include") || !strcmp(word, "config"))
		return bad_line(word, "is a word that modprobe no longer takes");
	return bad_line(word, "begins with a word that modprobe does not know");
}

/*
 * The logical line from @offset on: a backslash joins the next line or else goes, also in comments.
 * Return: offset behind it; *lines counts those it spans.
 */
static size_t logical_line(const struct source *s, size_t offset, struct text *out, unsigned *lines)
{
	*lines = 1;
	while (offset < s->len) {
		char c = s->text[offset++];

		if (c == '\n')
			break;
		if (c == '\\') {
			if (offset >= s->len)
				break;
			c = s->text[offset++];
			if (c == '\n') {
				++*lines;
				continue;
			}
		}
		text_char(out, c ? c : ' ');
	}
	return offset;
}

static struct pos pos_of(const struct source *s, unsigned line, size_t offset, unsigned lines)
{
	struct confd_line l = { .source = s, .next = offset, .line = line - 1 };

	confd_line(&l);
	return confd_pos(&l, l.s, lines == 1 ? l.n : 0);
}

static void read_file(struct reading *r, const struct confd_file *f)
{
	TEXT_CLEANUP struct text t = { 0 };
	unsigned line = 1, lines;

	for (size_t at = 0, next; at < f->source.len; at = next, line += lines) {
		struct modprobe_line l;

		text_reset(&t);
		next = logical_line(&f->source, at, &t, &lines);
		if (!t.n || text_str(&t)[0] == '#')
			continue;
		l = parse(r->a, arena_strndup(r->a, text_str(&t), t.n));
		if (l.kind == MODPROBE_NOTHING)
			continue;
		l.pos = pos_of(&f->source, line, at, lines);
		l.file = f;
		list_add(r, r->a) = l;
	}
}

/* --- kernel command line ------------------------------------------------------ */

/* Neither modprobe nor the kernel spells these names anew: with a dash one is that of no module. */
static void add_blacklist(struct reading *r, const struct cmdline_word *w)
{
	char *list = arena_strdup(r->a, w->value), *save = NULL;

	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		struct modprobe_line l = { .kind = MODPROBE_BLACKLIST, .module = name, .rest = "" };

		if (strchr(name, '-'))
			l = bad_line(modprobe_name(r->a, name), "spells a module with a dash, which counts as another name there");
		l.pos = w->pos;
		list_add(r, r->a) = l;
	}
}

/* module.param=value; a value may be missing, the parameter's name has no dot */
static void add_parameter(struct reading *r, const struct cmdline_word *w)
{
	const char *dot = strchr(w->name, '.');
	struct modprobe_line l = { .kind = MODPROBE_OPTIONS, .pos = w->pos };

	if (!dot || dot == w->name || !dot[1] || strchr(dot + 1, '.'))
		return;
	l.module = modprobe_name(r->a, arena_strndup(r->a, w->name, (size_t)(dot - w->name)));
	l.rest = w->value ? arena_printf(r->a, "%s=\"%s\"", dot + 1, w->value) : dot + 1;
	list_add(r, r->a) = l;
}

static void read_cmdline(struct reading *r, const struct cmdline *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct cmdline_word *w = &c->at[i];

		if (w->value &&
		    (modprobe_same(w->name, "modprobe.blacklist") || modprobe_same(w->name, "module_blacklist")))
			add_blacklist(r, w);
		else
			add_parameter(r, w);
	}
}

int modprobe_load(struct kernel *k, const struct modprobe **out)
{
	static const char *const suffixes[] = { ".conf", ".alias", NULL };
	void **memo = kernel_memo(k, "boot:modprobe.d");
	struct reading r = { .a = k->arena };
	const struct confd *confd;
	const struct cmdline *cmdline;
	struct modprobe *m;
	int err;

	if (*memo) {
		*out = *memo;
		return 0;
	}
	err = confd_load(k, "modprobe.d", suffixes, &confd);
	if (err == 0)
		err = cmdline_load(k, &cmdline);
	if (err < 0)
		return err;
	for (size_t i = 0; i < confd->n; i++)
		read_file(&r, &confd->at[i]);
	read_cmdline(&r, cmdline);
	m = arena_new_of(k->arena, struct modprobe);
	*m = (struct modprobe){ confd, r.at, r.n };
	*memo = m;
	*out = m;
	return 0;
}

/* --- options ------------------------------------------------------------------ */

struct token {
	const char *s;			/* "prof_sel=2", quotes and all */
	size_t n;
};

/* As the kernel splits them: blanks inside double quotes belong to the value. */
static bool next_token(const char **s, struct token *t)
{
	bool quoted = false;

	*s += strspn(*s, " \t\n\r\v\f");
	if (!**s)
		return false;
	t->s = *s;
	for (; **s && (quoted || !strchr(" \t\n\r\v\f", **s)); (*s)++)
		if (**s == '"')
			quoted = !quoted;
	t->n = (size_t)(*s - t->s);
	return true;
}

static const char *without_quotes(struct arena *a, const char *s, size_t n)
{
	if (n && *s == '"') {
		s++;
		n--;
		if (n && s[n - 1] == '"')
			n--;
	}
	return arena_strndup(a, s, n);
}

/* The value that @t gives to @param, or NULL: not this one. A name alone turns a boolean on. */
static const char *token_value(struct arena *a, const struct token *t, const char *param)
{
	const char *s = without_quotes(a, t->s, t->n), *eq = strchr(s, '=');
	const char *name = eq ? arena_strndup(a, s, (size_t)(eq - s)) : s;

	if (!modprobe_same(name, param))
		return NULL;
	return eq ? without_quotes(a, eq + 1, strlen(eq + 1)) : "Y";
}

/* Where the token stands, if the line is still as it was written. */
static struct pos token_pos(const struct modprobe_line *l, const struct token *t)
{
	const struct source *src = l->pos.source;
	const char *line = src->text, *end, *found;
	struct pos pos = l->pos;

	for (unsigned i = 1; i < pos.line && line; i++) {
		line = memchr(line, '\n', src->len - (size_t)(line - src->text));
		line = line ? line + 1 : NULL;
	}
	if (!l->file || !pos.len || !line)
		return pos;
	end = memchr(line, '\n', src->len - (size_t)(line - src->text));
	end = end ? end : src->text + src->len;
	for (found = line; (found = memmem(found, (size_t)(end - found), t->s, t->n)) != NULL; found++)
		if (found > line && strchr(BLANKS, found[-1])) {
			struct confd_line cl = { .source = src, .s = line, .line = pos.line };

			return confd_pos(&cl, found, t->n);
		}
	return pos;
}

static bool in_line(const struct modprobe_line *l, struct arena *a, const char *param, struct modprobe_option *out)
{
	struct modprobe_option found = { 0 };
	const char *s = l->rest;
	struct token t;

	while (next_token(&s, &t)) {
		const char *value = token_value(a, &t, param);

		if (!value)
			continue;
		found.value = value;
		found.pos = token_pos(l, &t);
		found.line = l;
	}
	if (!found.line)
		return false;
	*out = found;
	return true;
}

static struct modprobe_option find(const struct modprobe *m, struct arena *a, const char *module, const char *param,
				   bool cmdline_only)
{
	struct modprobe_option o = { 0 };

	for (size_t i = m->n; i-- > 0;) {
		const struct modprobe_line *l = &m->at[i];

		if (l->kind != MODPROBE_OPTIONS || !modprobe_same(l->module, module) || (cmdline_only && l->file))
			continue;
		if (in_line(l, a, param, &o))
			return o;
	}
	return (struct modprobe_option){ 0 };
}

struct modprobe_option modprobe_option(const struct modprobe *m, struct arena *a, const char *module, const char *param)
{
	struct modprobe_option o = find(m, a, module, param, false);

	if (!o.line || o.line->file)
		o.unread = confd_unread(m->confd, o.line ? (size_t)(o.line->file - m->confd->at) + 1 : 0);
	return o;
}

struct modprobe_option modprobe_option_cmdline(const struct modprobe *m, struct arena *a, const char *module,
					       const char *param)
{
	return find(m, a, module, param, true);
}

/* --- options that do not count ---------------------------------------------------- */

static const char *why_beaten(struct arena *a, const struct modprobe_line *l, bool builtin, const struct modprobe_option *wins)
{
	if (builtin && l->file)
		return "the module is built into the kernel: modprobe.d does not apply";
	if (!wins->line->file)
		return l->file ? "the kernel command line wins" : "a later word counts";
	if (l->file == wins->line->file)
		return "a later line of the file counts";
	return arena_printf(a, "/%s is read later", wins->line->file->path);
}

/* Is @alias another name of @module: with options of its own, which count only if the module is loaded by that name? */
static bool is_alias(const struct modprobe *m, const char *alias, const char *module)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].kind == MODPROBE_ALIAS && modprobe_same(m->at[i].module, alias) &&
		    modprobe_same(m->at[i].rest, module))
			return true;
	return false;
}

static void hidden_losers(struct kernel *k, const struct modprobe *m, const char *module, const char *param,
			  struct confd_losers *out)
{
	confd_hidden(k, m->confd);
	for (size_t i = 0; i < m->confd->nhidden; i++) {
		const struct confd_file *f = &m->confd->hidden[i];
		struct reading r = { .a = k->arena };
		struct modprobe_option o;

		read_file(&r, f);
		o = find(&(struct modprobe){ m->confd, r.at, r.n }, k->arena, module, param, false);
		if (o.value)
			list_add(out, k->arena) = (struct confd_loser){
				o.pos, o.value, arena_printf(k->arena, "the file is hidden by /%s", confd_hides(m->confd, f)->path) };
	}
}

void modprobe_losers(struct kernel *k, const struct modprobe *m, const char *module, const char *param, bool builtin,
		     const struct modprobe_option *wins, struct confd_losers *out)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct modprobe_line *l = &m->at[i];
		struct modprobe_option o;

		bool same = modprobe_same(l->module, module);

		if (l->kind != MODPROBE_OPTIONS || l == wins->line || !in_line(l, k->arena, param, &o) ||
		    (!same && !is_alias(m, l->module, module)))
			continue;
		list_add(out, k->arena) = (struct confd_loser){
			o.pos, o.value, same ? why_beaten(k->arena, l, builtin, wins) :
					       "it names an alias: it counts only where the module is loaded by that name" };
	}
	hidden_losers(k, m, module, param, out);
}

/* --- loading ------------------------------------------------------------------ */

/* Does the line speak of @module, as a whole word? */
static bool mentions(const struct modprobe_line *l, const char *module)
{
	const struct source *src = l->pos.source;
	struct confd_line cl = { .source = src };
	size_t len = strlen(module);

	while (confd_line(&cl) && cl.line < l->pos.line)
		;
	for (size_t i = 0; i + len <= cl.n; i++) {
		char word[64] = "";

		if (len >= sizeof(word) || (i && !strchr(BLANKS ",:", cl.s[i - 1])))
			continue;
		memcpy(word, cl.s + i, len);
		if (modprobe_same(word, module) && (i + len == cl.n || strchr(BLANKS ",:", cl.s[i + len])))
			return true;
	}
	return false;
}

static bool from(const struct modprobe_line *l, const char *source)
{
	return source && !strcmp(l->pos.source->name, source);
}

const struct modprobe_line *modprobe_blacklisted(const struct modprobe *m, const char *module, const char *except)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].kind == MODPROBE_BLACKLIST && modprobe_same(m->at[i].module, module) &&
		    !from(&m->at[i], except))
			return &m->at[i];
	return NULL;
}

/* "/bin/true", "/usr/bin/false", "true": a command that does nothing */
static bool does_nothing(const char *command)
{
	size_t n = strcspn(command += strspn(command, BLANKS), BLANKS);
	const char *slash = memrchr(command, '/', n), *base = slash ? slash + 1 : command;

	n -= (size_t)(base - command);
	return (n == 4 && !strncmp(base, "true", n)) || (n == 5 && !strncmp(base, "false", n));
}

/* kmod runs no install line of a module that brings others along. */
static bool has_softdep(const struct modprobe *m, const char *module)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].kind == MODPROBE_SOFTDEP && fnmatch(m->at[i].module, module, 0) == 0)
			return true;
	return false;
}

/* A name that is an alias too is looked up as that first: what it stands for is loaded instead ("alias mlx4_en off"). */
static const struct modprobe_line *aliased(const struct modprobe *m, const char *module, const char *except)
{
	const struct modprobe_line *first = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct modprobe_line *l = &m->at[i];

		if (l->kind != MODPROBE_ALIAS || fnmatch(l->module, module, 0) != 0 || from(l, except))
			continue;
		if (modprobe_same(l->rest, module))
			return NULL;
		first = first ? first : l;
	}
	return first;
}

const struct modprobe_line *modprobe_disabled(const struct modprobe *m, const char *module, const char *except)
{
	const struct modprobe_line *l = aliased(m, module, except);

	l = l ? l : modprobe_blacklisted(m, module, except);
	for (size_t i = 0; !l && !has_softdep(m, module) && i < m->n; i++) {
		if (m->at[i].kind != MODPROBE_INSTALL || fnmatch(m->at[i].module, module, 0) != 0 ||
		    from(&m->at[i], except))
			continue;
		if (does_nothing(m->at[i].rest))
			l = &m->at[i];
		break;			/* the first install line that fits is the one that is run */
	}
	return l;
}

const struct modprobe_line *modprobe_softdep(const struct modprobe *m, const char *module)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].kind == MODPROBE_SOFTDEP && !modprobe_same(m->at[i].module, module) && mentions(&m->at[i], module))
			return &m->at[i];
	return NULL;
}

/* --- faults ------------------------------------------------------------------- */

static bool hands_on_comment(const struct modprobe_line *l)
{
	const char *s = l->rest;
	struct token t;

	while (next_token(&s, &t))
		if (*t.s == '#')
			return true;
	return false;
}

const char *modprobe_fault(const struct modprobe_line *l, const char *module)
{
	if (l->kind == MODPROBE_BAD)
		return mentions(l, module) ? l->why : NULL;
	if (l->kind == MODPROBE_INSTALL && modprobe_same(l->module, module) && !does_nothing(l->rest))
		return "runs a command instead of loading it: whether that hands on its options is not known";
	if (l->kind != MODPROBE_OPTIONS || !l->file || !modprobe_same(l->module, module))
		return NULL;
	return hands_on_comment(l) ? "has text after # that is passed to the module as parameters" : NULL;
}
