/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the manual: `manual DATE STORIES PAGES` writes a page in mdoc(7) into the folder PAGES for each command and for each
 * file of STORIES. A story is what tables do not say; where a line is @NAME@, what tables say comes in:
 *
 *   @OPTIONS@ of the command, @EXIT@ statuses, @COMMANDS@ all of them, @SETTINGS@ all keys as `rdmactl explain` has them,
 *   @LANGUAGE@ the other keys of a policy
 *
 * Runs while rdmactl is built, and is not installed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cmd.h"
#include "explain/explain.h"
#include "explain/print.h"
#include "help.h"
#include "options.h"
#include "policy/schema.h"

enum { STORY_MAX = 1 << 20, LINE_BYTES = 78 };

struct manual {
	struct arena *a;
	struct diags d;
	const char *date, *stories, *pages;
	const struct command *command;	/* whose page it is, or NULL */
	struct text out;
};

/* --- mdoc --------------------------------------------------------------------- */

/* What stands for itself in neither mdoc nor all encodings. */
static const struct {
	const char *is, *stands;
} escapes[] = {
	{ "\\", "\\e" }, { "`", "\\(ga" }, { "\"", "\\(dq" }, { "…", "..." },
};

/* Return: bytes of @s that were taken; 0: it stands for itself. */
static size_t add_escaped(struct text *out, const char *s)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		size_t n = strlen(escapes[i].is);

		if (strncmp(s, escapes[i].is, n) != 0)
			continue;
		text_add(out, escapes[i].stands);
		return n;
	}
	return 0;
}

/* A line of text: nothing in it is a request, and each sentence has a line of its own, as mdoc wants it. */
static void add_words(struct text *out, const char *s, size_t n)
{
	if (n && strchr(".'", *s))
		text_add(out, "\\&");
	for (size_t i = 0; i < n;) {
		bool end = i && s[i] == ' ' && strchr(".?!", s[i - 1]) && i + 1 < n && isupper((unsigned char)s[i + 1]);
		size_t taken = add_escaped(out, s + i);

		if (!taken)
			text_char(out, end ? '\n' : s[i]);
		i += taken ? taken : 1;
	}
}

static void add_line(struct text *out, const char *s)
{
	add_words(out, s, strlen(s));
	text_char(out, '\n');
}

/* A sentence of a table that has neither a capital nor an end. */
static void add_sentence(struct text *out, const char *s)
{
	size_t n = strlen(s);

	text_char(out, (char)toupper((unsigned char)*s));
	add_words(out, s + 1, n - 1);
	text_add(out, strchr(".?!", s[n - 1]) ? "\n" : ".\n");
}

/* The argument of a macro, in quotes where it has blanks. */
static void add_arg(struct text *out, const char *s)
{
	text_add(out, " \"");
	add_words(out, s, strlen(s));
	text_char(out, '"');
}

/* --- what tables say ---------------------------------------------------------- */

static void add_options(struct manual *m)
{
	const struct option_row *o;

	text_add(&m->out, ".Pp\nThe options are as follows:\n.Bl -tag -width Ds\n");
	for (size_t i = 0; (o = option_at(i)) != NULL; i++) {
		const char *value = option_value(m->command, o, m->a);

		if (!o->doc || !option_taken(m->command, o))
			continue;
		text_add(&m->out, ".It");
		if (o->letter)
			text_printf(&m->out, " Fl %c ,", o->letter);
		text_printf(&m->out, " Fl -%s", o->name);
		if (value) {
			text_add(&m->out, " Ar");
			add_arg(&m->out, value);
		}
		text_char(&m->out, '\n');
		add_sentence(&m->out, o->doc);
		if (o->more)
			add_line(&m->out, o->more);
	}
	text_add(&m->out, ".El\n");
}

static void add_exit(struct manual *m)
{
	const struct exit_row *e;

	text_add(&m->out, ".Sh EXIT STATUS\n");
	if (m->command) {
		text_add(&m->out, "The same for all commands, see\n.Xr rdmactl 8 .\n");
		return;
	}
	text_add(&m->out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; (e = help_exit(i)) != NULL; i++) {
		text_printf(&m->out, ".It %d\n", e->status);
		add_sentence(&m->out, e->means);
	}
	text_add(&m->out, ".El\n");
}

static void add_commands(struct manual *m)
{
	text_add(&m->out, ".Bl -tag -width Ds\n");
	for (const struct command *const *c = commands; *c; c++) {
		text_printf(&m->out, ".It Xr rdmactl-%s 8\n", (*c)->name);
		add_sentence(&m->out, (*c)->does);
	}
	text_add(&m->out, ".El\n");
}

/* The lines of `rdmactl explain KEY`: a label, and text that goes on below it; of interfaces, a line for each driver. */
static void add_explanation(struct text *out, const char *s)
{
	bool lists = false;

	text_add(out, ".Bl -tag -width \"belongs to\" -compact\n");
	while (*s) {
		size_t n = strcspn(s, "\n"), skip = n < 2 + PRINT_LABEL ? n : 2 + PRINT_LABEL;
		size_t label = n > 2 ? text_trim(s + 2, skip - 2) : 0;

		if (label)
			text_printf(out, ".It %.*s\n", (int)label, s + 2);
		else if (lists)
			text_add(out, ".br\n");
		lists = label ? !strncmp(s + 2, "live", 4) || !strncmp(s + 2, "impact", 6) : lists;
		add_words(out, s + skip, n - skip);
		text_char(out, '\n');
		s += n + (s[n] == '\n');
	}
	text_add(out, ".El\n");
}

static void add_settings(struct manual *m)
{
	const struct catalog *c = catalog_default();

	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++) {
			TEXT_CLEANUP struct text t = { 0 };
			const char *s;

			explain_key(c, NULL, f->name, &t, NULL, &m->d);
			s = strchr(text_str(&t), '\n');
			text_printf(&m->out, ".Ss %s\n", f->name);
			if (s)
				add_explanation(&m->out, s + 1);
		}
}

static void add_key(struct text *out, const char *name, const char *doc)
{
	text_printf(out, ".It Cm %s\n", name);
	if (doc)
		add_sentence(out, doc);
}

static void add_word_table(struct text *out, const char *head, const struct word *w)
{
	text_printf(out, ".Ss %s\n.Bl -tag -width Ds\n", head);
	for (; w->key; w++)
		add_key(out, w->key, w->doc);
	text_add(out, ".El\n");
}

static void add_fields(struct text *out, const struct key *map)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct key *k = map->child[i];

		if (k->field)
			add_key(out, k->field->name, k->field->doc);
		else
			add_fields(out, k);
	}
}

static void add_field_table(struct text *out, const char *head, const struct key *map)
{
	text_printf(out, ".Ss %s\n.Bl -tag -width Ds\n", head);
	add_fields(out, map);
	text_add(out, ".El\n");
}

/* The language apart from settings: the maps and fields of the schema by which a policy is decoded. */
static void add_language(struct manual *m)
{
	const struct schema *schema = schema_new(m->a, catalog_default());
	const struct tier_keys tiers = schema_tiers(m->a);
	struct text *out = &m->out;

	add_word_table(out, "Top of a policy", schema_top);
	add_word_table(out, "Profiles", schema_profile);
	add_word_table(out, "Entries of nodes", schema_entry);
	add_word_table(out, "Cohorts", schema_cohort);
	add_word_table(out, "Exceptions", schema_exception);
	text_add(out, ".Ss Groups of ports, besides settings\n.Bl -tag -width Ds\n");
	for (const struct field *f = schema_group.fields; f->name; f++)
		add_key(out, f->name, f->doc);
	text_add(out, ".El\n");
	add_word_table(out, "Fabrics", schema_fabric);
	add_field_table(out, "Values of a fabric", schema->fabric);
	add_field_table(out, "Classes of traffic", schema->class);
	add_field_table(out, "Tiers of switches", tiers.tier);
	add_field_table(out, "Links of a tier", tiers.link);
}

/* --- pages -------------------------------------------------------------------- */

static const struct {
	const char *line;
	void (*add)(struct manual *m);
} tables[] = {
	{ "@OPTIONS@", add_options }, { "@EXIT@", add_exit }, { "@COMMANDS@", add_commands }, { "@SETTINGS@", add_settings },
	{ "@LANGUAGE@", add_language },
};

static void add_story(struct manual *m, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n"), i = 0;

		while (i < sizeof(tables) / sizeof(tables[0]) &&
		       (strlen(tables[i].line) != n || strncmp(tables[i].line, s, n) != 0))
			i++;
		if (i < sizeof(tables) / sizeof(tables[0])) {
			tables[i].add(m);
		} else {
			text_addn(&m->out, s, n);
			text_char(&m->out, '\n');
		}
		s += n + (s[n] == '\n');
	}
}

/* @section: "8"; the name in capitals stands in the head of each page */
static void add_head(struct manual *m, const char *name, char section)
{
	text_printf(&m->out, ".\\\" Made from docs/man and the tables of rdmactl; change those.\n.Dd %s\n.Dt ", m->date);
	for (const char *s = name; *s; s++)
		text_char(&m->out, (char)toupper((unsigned char)*s));
	text_printf(&m->out, " %c\n.Os\n", section);
}

static void add_synopsis(struct manual *m)
{
	const struct command *c = m->command;

	text_printf(&m->out, ".Sh NAME\n.Nm rdmactl-%s\n.Nd %c", c->name, tolower((unsigned char)*c->does));
	add_line(&m->out, c->does + 1);
	text_printf(&m->out, ".Sh SYNOPSIS\n.Nm rdmactl %s\n.Op Ar option ...\n", c->name);
	if (*c->args) {
		text_add(&m->out, ".Ar");
		add_arg(&m->out, c->args);
		text_char(&m->out, '\n');
	}
	text_add(&m->out, ".Sh DESCRIPTION\n");
}

/* A long line in pieces, none of which begins as a request. */
static void add_folded(struct text *out, const char *s, size_t n)
{
	while (n > LINE_BYTES) {
		size_t cut = LINE_BYTES;

		while (cut && s[cut] != ' ')
			cut--;
		if (!cut)
			break;
		text_addn(out, s, cut);
		text_char(out, '\n');
		s += cut + 1;
		n -= cut + 1;
		if (n && strchr(".'", *s))
			text_add(out, "\\&");
	}
	text_addn(out, s, n);
	text_char(out, '\n');
}

/* The page as it is written: no line of text is longer than a terminal's, but in a display. */
static void fold(const char *s, struct text *out)
{
	bool display = false;

	while (*s) {
		size_t n = strcspn(s, "\n");

		if (!strncmp(s, ".Bd", 3) || !strncmp(s, ".Ed", 3))
			display = s[1] == 'B';
		if (*s == '.' || display) {
			text_addn(out, s, n);
			text_char(out, '\n');
		} else {
			add_folded(out, s, n);
		}
		s += n + (s[n] == '\n');
	}
}

static int save(struct manual *m, const char *name, char section)
{
	const char *path = arena_printf(m->a, "%s/%s.%c", m->pages, name, section);
	TEXT_CLEANUP struct text page = { 0 };
	FILE *f = fopen(path, "w");
	bool right;

	fold(text_str(&m->out), &page);
	right = f && fwrite(text_str(&page), 1, page.n, f) == page.n;
	if (f)
		right = !fclose(f) && right;
	if (!right)
		fprintf(stderr, "manual: %s: %s\n", path, strerror(errno));
	text_reset(&m->out);
	return right ? 0 : -EIO;
}

/* The story of a page, or what is told of a command that has none. */
static const char *story(struct manual *m, const char *name)
{
	const char *path = arena_printf(m->a, "%s/%s.mdoc", m->stories, name);
	const struct source *src;
	struct diags d;

	diags_init(&d, m->a);
	return file_load(m->a, path, STORY_MAX, &src, &d) < 0 ? NULL : src->text;
}

static int make_command(struct manual *m, const struct command *c)
{
	const char *name = arena_printf(m->a, "rdmactl-%s", c->name), *s = story(m, name);

	m->command = c;
	add_head(m, name, '8');
	add_synopsis(m);
	if (!s)
		add_sentence(&m->out, c->does);
	add_story(m, s ? s : "@OPTIONS@\n@EXIT@\n");
	text_add(&m->out, ".Sh SEE ALSO\n.Xr rdmactl-policy 5 ,\n.Xr rdmactl-settings 7 ,\n.Xr rdmactl 8\n");
	return save(m, name, '8');
}

static int make_page(struct manual *m, const char *name, char section)
{
	const char *s = story(m, name);

	if (!s) {
		fprintf(stderr, "manual: there is no %s/%s.mdoc\n", m->stories, name);
		return -ENOENT;
	}
	m->command = NULL;
	add_head(m, name, section);
	add_story(m, s);
	return save(m, name, section);
}

int main(int argc, char **argv)
{
	struct manual m = { .a = arena_new() };
	int r;

	if (argc != 4) {
		fputs("usage: manual DATE STORIES PAGES\n", stderr);
		return EXIT_USAGE;
	}
	diags_init(&m.d, m.a);
	m.date = argv[1];
	m.stories = argv[2];
	m.pages = argv[3];
	r = make_page(&m, "rdmactl", '8') | make_page(&m, "rdmactl-policy", '5') | make_page(&m, "rdmactl-settings", '7');
	for (const struct command *const *c = commands; *c; c++)
		r |= make_command(&m, *c);
	text_done(&m.out);
	arena_free(m.a);
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
