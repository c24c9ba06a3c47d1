/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the policy in /etc/rdmactl ask the same of this node as the one of -p? The boot unit applies that one, so that
 * live may be right by -p today and otherwise tomorrow. Digests of what is asked are compared; the values for this
 * machine say what differs.
 */
#include "installed.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "boot/units.h"
#include "kernel/kernel.h"
#include "policy/policy.h"

enum { KEYS_SHOWN = 5 };

/* Below --root it is that of the tree. */
static const char *installed_path(const struct session *s)
{
	return s->opt->root ? arena_printf(s->arena, "%s/%s", s->opt->root, POLICY_DEFAULT) : machine_policy();
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !strcmp(a, b) || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* --- what differs ----------------------------------------------------------------- */

static const struct cell *find(const struct desired *des, const struct target *t, const char *name)
{
	for (size_t i = 0; i < des->n; i++) {
		const struct wish *w = &des->wish[i];
		const struct cell *c;

		if (w->target->scope != t->scope || strcmp(w->target->name, t->name) != 0)
			continue;
		c = record_find(w->want, name);
		if (c && c->state == CELL_VALUE)
			return c;
	}
	return NULL;
}

struct keys {
	struct text text;
	const char *name[KEYS_SHOWN];	/* each once, also where many ports differ */
	size_t n, more;
};

static void add_cell(struct text *t, const struct cell *c)
{
	if (c)
		value_print(c->field, &c->value, t);
	else
		text_add(t, "not asked for");
}

static void add_key(struct keys *k, const struct target *t, const char *name, const struct cell *here,
		    const struct cell *there)
{
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->name[i], name))
			return;
	if (k->n == KEYS_SHOWN) {
		k->more++;
		return;
	}
	k->name[k->n++] = name;
	text_printf(&k->text, "%s%s of ", k->text.n ? "; " : "", name);
	text_add_safe(&k->text, t->name, strlen(t->name));
	text_add(&k->text, ": ");
	add_cell(&k->text, there);
	text_add(&k->text, ", here ");
	add_cell(&k->text, here);
}

static bool same_text(const struct cell *a, const struct cell *b)
{
	TEXT_CLEANUP struct text x = { 0 }, y = { 0 };

	add_cell(&x, a);
	add_cell(&y, b);
	return !strcmp(text_str(&x), text_str(&y));
}

/* Values of @a that @b has otherwise; with @lacks only those that it has not at all. */
static void add_keys(struct keys *k, const struct desired *a, const struct desired *b, bool lacks)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < a->wish[i].want->n; j++) {
			const struct cell *c = &a->wish[i].want->at[j], *other;

			if (c->state != CELL_VALUE)
				continue;
			other = find(b, a->wish[i].target, c->name);
			if (lacks && !other)
				add_key(k, a->wish[i].target, c->name, NULL, c);
			else if (!lacks && (!other || !same_text(c, other)))
				add_key(k, a->wish[i].target, c->name, c, other);
		}
}

static const char *what_differs(struct arena *a, const char *path, const struct desired *here,
				const struct desired *there)
{
	struct keys k = { 0 };
	const char *why;

	add_keys(&k, here, there, false);
	add_keys(&k, there, here, true);
	if (!k.n)
		text_add(&k.text, "in nothing that the ports of this machine show");
	else if (k.more)
		text_add(&k.text, "; and more");
	why = arena_printf(a, "%s asks something else of this node: %s", path, text_str(&k.text));
	text_done(&k.text);
	return why;
}

/* --- looking ------------------------------------------------------------------------ */

/* NULL: it asks the same. */
static const char *compare(struct session *s, const char *path)
{
	struct diags told;
	struct policy *p;
	struct desired *there;

	diags_init(&told, s->arena);
	if (access(path, F_OK) < 0)
		return arena_printf(s->arena, "there is no %s for it to apply", path);
	if (policy_load(s->arena, path, s->catalog, &p, &told) < 0 ||
	    policy_compile(p, s->desired->node, s->facts, s->catalog, &there, &told) < 0)
		return arena_printf(s->arena, "%s has an error: %s", path,
				    told.n ? told.at[0].what : "it cannot be read");
	policy_desired_digest(p, there);
	policy_desired_digest(s->policy, s->desired);
	return strcmp(there->digest, s->desired->digest) ? what_differs(s->arena, path, s->desired, there) : NULL;
}

void installed_look(struct session *s)
{
	const char *path = installed_path(s), *judged = policy_path(s->opt);
	struct installed *in;

	if (!s->opt->policy || s->opt->from || is_same_file(judged, path) || units_exist(s->kernel) <= 0)
		return;
	in = arena_new_of(s->arena, struct installed);
	in->why = compare(s, path);
	in->remedy = arena_printf(s->arena, "make what is judged the installed one: install -D -m 644 %s %s",
				  strcmp(judged, "-") ? judged : "FILE", path);
	s->desired->installed = in;
}

void installed_boot(struct outcome *o)
{
	bool on = false;

	for (size_t i = 0; i < o->nrows && !on; i++)
		on = !strcmp(o->row[i].name, "boot.unit") && o->row[i].status == STATUS_IN_SYNC;
	for (size_t i = 0; on && i < o->nrows; i++) {
		struct row *r = &o->row[i];

		if (!r->boot && !r->setting->boot.read && !r->field->verify_only)
			r->boot = r->want;
	}
}
