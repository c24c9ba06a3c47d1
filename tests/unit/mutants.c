/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies that are there to copy, each with one thing wrong: every scalar, keys too, one more or less, four times as much,
 * swapped with its neighbour, gone, twice, misspelt, in another unit. Each is refused, or lint says something that it did
 * not say before; or tests/mutants.txt says why it is a right policy too. Where there are several findings, one names the
 * root.
 */
#include <fnmatch.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "catalog.h"
#include "judge.h"
#include "policy/policy.h"
#include "policy/yaml.h"

enum { PATTERNS_MAX = 256, TEXT_MAX = 1 << 20, TOLD_MAX = 200 };

enum damage { MORE, LESS, TIMES, SWAPPED, GONE, TWICE, MISSPELT, UNIT, KINDS };

static const char *const kinds[] = { "+1", "-1", "*4", "swapped", "gone", "twice", "misspelt", "unit" };

/* What is done, and where: to an entry of a map or a list; to its key, or to its value. */
struct mutation {
	enum damage kind;
	const struct yaml *map;
	size_t entry;
	bool key;
};

/* --- scalars that are wrong ----------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last number in it, as a version or a host list has several. False: there is none. */
static bool find_number(const struct text *s, size_t *at, size_t *n)
{
	size_t end = s->n;

	while (end && !is_digit(s->s[end - 1]))
		end--;
	for (*at = end; *at && is_digit(s->s[*at - 1]); --*at)
		;
	*n = end - *at;
	return *n && *n < 10;
}

static bool count(struct text *s, enum damage kind)
{
	TEXT_CLEANUP struct text t = { 0 };
	size_t at, n;
	long v;

	if (!find_number(s, &at, &n))
		return false;
	v = strtol(s->s + at, NULL, 10);
	v = kind == MORE ? v + 1 : kind == LESS ? v - 1 : v * 4;
	text_addn(&t, s->s, at);
	if (s->s[at] == '0' && n > 1)
		text_printf(&t, "%0*ld", (int)n, v);
	else
		text_printf(&t, "%ld", v);
	text_addn(&t, s->s + at + n, s->n - at - n);
	text_reset(s);
	text_addn(s, text_str(&t), t.n);
	return true;
}

/* A letter gone from the middle. */
static bool misspell(struct text *s)
{
	size_t at = s->n / 2;

	if (s->n < 2 || is_digit(s->s[at]))
		return false;
	memmove(s->s + at, s->s + at + 1, s->n - at);
	s->n--;
	return true;
}

static bool other_unit(struct text *s)
{
	static const char *const units[][2] = {
		{ "Gb/s", "Mb/s" }, { "GT/s", "MT/s" }, { "us", "ms" }, { "ms", "us" }, { "KiB", "MiB" }, { "%", "m" }, { "m", "km" },
		{ "", "KiB" },
	};

	if (!s->n || !is_digit(s->s[0]))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i][0]);

		if (s->n <= n || strcmp(s->s + s->n - n, units[i][0]) != 0 || !is_digit(s->s[s->n - n - 1]))
			continue;
		s->n -= n;
		s->s[s->n] = 0;
		text_add(s, units[i][1]);
		return true;
	}
	return false;
}

static bool do_damage(struct text *s, enum damage kind)
{
	switch (kind) {
	case MORE:
	case LESS:
	case TIMES:
		return count(s, kind);
	case MISSPELT:
		return misspell(s);
	case UNIT:
		return other_unit(s);
	default:
		return true;
	}
}

/* --- the tree as text again ----------------------------------------------------- */

static void emit(const struct yaml *y, const struct mutation *m, unsigned depth, struct text *out);

static void emit_scalar(const struct yaml *y, const struct mutation *m, struct text *out)
{
	TEXT_CLEANUP struct text s = { 0 };

	text_addn(&s, y->text, y->n);
	text_str(&s);
	if (m)
		do_damage(&s, m->kind);
	text_printf(out, y->quoted ? "\"%s\"" : "%s", text_str(&s));
}

/* Entries of a map or list that are there, of which one may be gone. */
static size_t left(const struct yaml *y, const struct mutation *m)
{
	return y->n - (m && m->map == y && m->kind == GONE);
}

/* An entry of a map or list, @from which its value is taken. */
static void emit_entry(const struct yaml *y, size_t i, size_t from, const struct mutation *m, unsigned depth, struct text *out)
{
	bool here = m && m->map == y && m->entry == i, map = y->shape == SHAPE_MAP;
	const struct yaml *value = map ? yaml_value(y, from) : &y->at[from];
	const struct mutation *of = m;

	text_printf(out, "%*s", (int)depth * 2, "");
	if (map)
		emit_scalar(yaml_key(y, i), here && m->key ? m : NULL, out);
	text_add(out, map ? ":" : "-");
	if (here)
		of = value->shape == SHAPE_SCALAR && !m->key ? m : NULL;
	if (value->shape == SHAPE_SCALAR) {
		text_add(out, " ");
		emit_scalar(value, here ? of : NULL, out);
		text_add(out, "\n");
	} else if (!left(value, m)) {
		text_add(out, value->shape == SHAPE_MAP ? " {}\n" : " []\n");
	} else {
		text_add(out, "\n");
		emit(value, m, depth + 1, out);
	}
}

static void emit(const struct yaml *y, const struct mutation *m, unsigned depth, struct text *out)
{
	for (size_t i = 0; i < y->n; i++) {
		bool here = m && m->map == y && m->entry == i, swapped = m && m->map == y && m->kind == SWAPPED;
		size_t from = swapped && i == m->entry ? i + 1 : swapped && i == m->entry + 1 ? i - 1 : i;

		if (here && m->kind == GONE)
			continue;
		emit_entry(y, i, from, m, depth, out);
		if (here && m->kind == TWICE)
			emit_entry(y, i, from, m, depth, out);
	}
}

/* --- judging -------------------------------------------------------------------- */

struct verdict {
	size_t errors, warnings, notes, roots;
	char told[1024];
};

/*
 * Findings that point at one line, or of which one points at the other's, have one root; so have those of one rule, and
 * those that say the same of several places: what is missing is missed wherever it is named.
 */
static bool same_root(const struct diag *a, const struct diag *b)
{
	if ((a->rule && b->rule && !strcmp(a->rule, b->rule)) || !strcmp(a->what, b->what))
		return true;
	return a->pos.line == b->pos.line || (a->other.source && a->other.line == b->pos.line) ||
	       (b->other.source && b->other.line == a->pos.line);
}

static size_t roots_of(const struct diags *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		bool known = d->at[i].severity == SEVERITY_NOTE;

		for (size_t k = 0; k < i && !known; k++)
			known = d->at[k].severity != SEVERITY_NOTE && same_root(&d->at[k], &d->at[i]);
		n += !known;
	}
	return n;
}

static struct verdict judge(const struct text *t)
{
	struct arena *a = arena_new();
	struct verdict v = { 0 };
	struct policy *p;
	struct diags d;
	struct lint l;

	diags_init(&d, a);
	lint_init(&l, catalog_default(), &d);
	policy_parse(a, "mutant", text_str(t), t->n, catalog_default(), &p, &d);
	if (p)
		judge_policy(&l, p, NULL);
	v = (struct verdict){ .errors = d.errors, .warnings = d.warnings, .notes = d.notes, .roots = roots_of(&d) };
	for (size_t i = 0, n = 0; i < d.n && n < sizeof(v.told) - TOLD_MAX - 80; i++)
		n += (size_t)snprintf(v.told + n, TOLD_MAX, "    %u: %.120s [%s]\n", d.at[i].pos.line, d.at[i].what,
				      d.at[i].rule ? d.at[i].rule : "");
	arena_free(a);
	return v;
}

/* --- those that pass ------------------------------------------------------------ */

struct pattern {
	const char *glob, *reason;
	size_t used;
};

struct mutants {
	struct arena *a;
	struct pattern pattern[PATTERNS_MAX];
	size_t npatterns;
	const char *file;
	struct verdict base;
	size_t made[KINDS], refused[KINDS], flagged[KINDS], right[KINDS], failed;
};

static void load_patterns(struct mutants *x)
{
	const struct source *s;
	struct diags d;
	char *line;

	diags_init(&d, x->a);
	assert_int_equal(file_load(x->a, "tests/mutants.txt", TEXT_MAX, &s, &d), 0);
	line = arena_strndup(x->a, s->text, s->len);
	for (char *next; *line; line = next) {
		char *tab;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (*line == '#' || !*line)
			continue;
		tab = strchr(line, '\t');
		if (!tab || !tab[1])
			fail_msg("tests/mutants.txt: no reason: %s", line);
		*tab = 0;
		assert_true(x->npatterns < PATTERNS_MAX);
		x->pattern[x->npatterns++] = (struct pattern){ line, tab + 1, 0 };
	}
}

static bool is_right(struct mutants *x, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < x->npatterns; i++)
		if (!fnmatch(x->pattern[i].glob, name, 0)) {
			x->pattern[i].used++;
			any = true;
		}
	return any;
}

static void failed(struct mutants *x, const char *name, const char *why, const struct verdict *v)
{
	x->failed++;
	print_message("%s: %s\n%s", name, why, v->told);
}

/* What lint said of it before does not count. */
static void weigh(struct mutants *x, enum damage kind, const char *name, const struct text *t)
{
	struct verdict v = judge(t);
	char many[600];

	x->made[kind]++;
	if (v.errors) {
		x->refused[kind]++;
	} else if (v.warnings > x->base.warnings || v.notes > x->base.notes) {
		x->flagged[kind]++;
	} else if (is_right(x, name)) {
		x->right[kind]++;
	} else {
		failed(x, name, "nobody notices", &v);
		return;
	}
	snprintf(many, sizeof(many), "%s roots", name);
	if (v.roots > (kind == SWAPPED ? 2 : 1) && !is_right(x, many))	/* of two values that are swapped, two are wrong */
		failed(x, many, "several findings, and not one root", &v);
}

/* --- all of them ---------------------------------------------------------------- */

struct walk {
	struct mutants *x;
	const struct yaml *root;
	const struct text *whole;	/* the policy, written by emit() */
};

static void make(struct walk *w, const char *path, struct mutation m)
{
	TEXT_CLEANUP struct text t = { 0 };
	char name[512];

	emit(w->root, &m, 0, &t);
	if (t.n == w->whole->n && !memcmp(t.s, w->whole->s, t.n))
		return;
	snprintf(name, sizeof(name), "%s %s%s %s", w->x->file, path, m.key ? " key" : "", kinds[m.kind]);
	weigh(w->x, m.kind, name, &t);
}

static void walk(struct walk *w, const struct yaml *y, const char *path);

static void walk_entry(struct walk *w, const struct yaml *y, size_t i, const char *path)
{
	bool map = y->shape == SHAPE_MAP;
	const struct yaml *value = map ? yaml_value(y, i) : &y->at[i], *next = NULL;
	bool scalar = value->shape == SHAPE_SCALAR;

	if (i + 1 < y->n)
		next = map ? yaml_value(y, i + 1) : &y->at[i + 1];
	for (int k = 0; k < KINDS; k++) {
		struct mutation m = { (enum damage)k, y, i, false };

		if (k == SWAPPED && (!next || next->shape != SHAPE_SCALAR))
			continue;
		if (k == GONE || k == TWICE || scalar)
			make(w, path, m);
		m.key = true;
		if (map && (k == MORE || k == LESS || k == TIMES || k == MISSPELT))
			make(w, path, m);
	}
	if (!scalar)
		walk(w, value, path);
}

static void walk(struct walk *w, const struct yaml *y, const char *path)
{
	for (size_t i = 0; i < y->n; i++) {
		char at[400];

		if (y->shape == SHAPE_MAP)
			snprintf(at, sizeof(at), "%s%s%.*s", path, *path ? "." : "", (int)yaml_key(y, i)->n, yaml_key(y, i)->text);
		else
			snprintf(at, sizeof(at), "%s[]", path);
		walk_entry(w, y, i, at);
	}
}

static void mutate_file(struct mutants *x, const char *path)
{
	TEXT_CLEANUP struct text whole = { 0 };
	struct walk w = { .x = x, .whole = &whole };
	struct yaml root;
	const struct source *s;
	struct diags d;

	diags_init(&d, x->a);
	assert_int_equal(file_load(x->a, path, TEXT_MAX, &s, &d), 0);
	assert_int_equal(yaml_parse(x->a, s, &root, &d), 0);
	x->file = strrchr(path, '/') + 1;
	emit(&root, NULL, 0, &whole);
	x->base = judge(&whole);
	if (x->base.errors || x->base.warnings)
		fail_msg("%s, written in another way, has findings:\n%s", path, x->base.told);
	w.root = &root;
	walk(&w, &root, "");
}

static void report(const struct mutants *x)
{
	for (int k = 0; k < KINDS; k++)
		print_message("%-8s %5zu made: %5zu refused, %4zu flagged, %4zu right as well\n", kinds[k], x->made[k], x->refused[k],
			      x->flagged[k], x->right[k]);
}

static void mutants(void **state)
{
	struct mutants x = { .a = arena_new() };
	glob_t g;

	(void)state;
	load_patterns(&x);
	assert_int_equal(glob("policies/*.yaml", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 4);
	for (size_t i = 0; i < g.gl_pathc; i++)
		mutate_file(&x, g.gl_pathv[i]);
	globfree(&g);
	report(&x);
	for (size_t i = 0; i < x.npatterns; i++)
		if (!x.pattern[i].used) {
			print_message("tests/mutants.txt: nothing is like this any more: %s\n", x.pattern[i].glob);
			x.failed++;
		}
	for (int k = 0; k < KINDS; k++)
		assert_true(x.made[k] > 10);
	arena_free(x.a);
	assert_int_equal(x.failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
