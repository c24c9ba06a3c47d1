/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of a Junos configuration. What `apply-groups` brings in is in force as if it stood where it is applied, unless another
 * value stands there. It is not expanded here: a file whose groups say more than the file itself is refused with the command
 * that expands them, and one that was printed by that command is read.
 */
#include "nos/junos.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "nos/lines.h"
#include "nos/nos.h"

enum { STEPS_MOST = 1 << 22, WAY_MOST = 16 };

struct inheritance {
	const struct switch_file *f;
	size_t steps;
	const struct word *missing;	/* of a group, not in the file */
};

/* Words below which values add up; of others, the one that stands in the file wins. */
static bool is_list(const char *key)
{
	static const char *const lists[] = { "code-points", "code-point", "fill-level", "drop-probability", "forwarding-class", "class", "dscp",
					     "interfaces", "unit", "family", "loss-priority" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (!strcmp(key, lists[i]))
			return true;
	return false;
}

static bool has_ends_only(const struct word *w)
{
	for (const struct word *c = word_children(w); c; c = c->next)
		if (word_children(c))
			return false;
	return word_children(w);
}

/* Of interfaces only their MTU is judged. */
static bool matters(const struct word *w, bool interfaces, unsigned depth)
{
	if (!interfaces || !strcmp(w->key, "mtu"))
		return true;
	for (const struct word *c = word_children(w); depth && c; c = c->next)
		if (matters(c, true, depth - 1))
			return true;
	return false;
}

static void covered(struct inheritance *x, const struct word *group, const struct word *at, bool interfaces);

/* "<et-*>" means all names below @at that it matches. */
static void covered_pattern(struct inheritance *x, const struct word *pattern, const struct word *at, bool interfaces)
{
	size_t n = strlen(pattern->key);
	const char *stars = arena_strndup(x->f->arena, pattern->key + 1, n - 2);

	for (const struct word *w = word_children(at); w && !x->missing; w = w->next) {
		if (++x->steps > STEPS_MOST)
			x->missing = pattern;
		else if (port_matches(stars, w->key))
			covered(x, pattern, w, interfaces);
	}
}

static void covered(struct inheritance *x, const struct word *group, const struct word *at, bool interfaces)
{
	if (has_ends_only(group) && word_children(at) && !is_list(group->key))
		return;
	for (const struct word *c = word_children(group); c && !x->missing; c = c->next) {
		size_t n = strlen(c->key);
		const struct word *w;

		if (++x->steps > STEPS_MOST) {
			x->missing = c;
		} else if (!matters(c, interfaces, WAY_MOST)) {
			continue;
		} else if (n > 2 && *c->key == '<' && c->key[n - 1] == '>') {
			covered_pattern(x, c, at, interfaces);
		} else {
			w = word_at(&x->f->tree, at, c->key);
			if (!w)
				x->missing = c;
			else
				covered(x, c, w, interfaces);
		}
	}
}

static int refuse(const struct inheritance *x, const struct word *applied)
{
	const struct switch_file *f = x->f;
	const struct pos pos = word_pos(&f->tree, applied);

	diag_error(f->diags, &pos, "group %s is applied here, and what it says in line %u is not in the file itself",
		   text_safe(f->arena, applied->key, strnlen(applied->key, 60), 60), x->missing->line);
	diag_hint(f->diags, "export it with `show configuration | display inheritance | display set`; "
			    "if that is what it is, leave out the `set groups` lines");
	return -EINVAL;
}

static int check_group(const struct switch_file *f, const struct word *applied, const struct word *const *way, size_t n)
{
	static const char *const judged[] = { "class-of-service", "interfaces" };
	const struct word *group = word_at(&f->tree, word_at(&f->tree, &f->tree.root, "groups"), applied->key);

	for (size_t i = 0; i < 2; i++) {
		struct inheritance x = { .f = f };
		const struct word *from = word_at(&f->tree, group, judged[i]), *at = word_at(&f->tree, &f->tree.root, judged[i]);

		if (!from || (n && strcmp(way[0]->key, judged[i]) != 0))
			continue;
		for (size_t k = 1; k < n && from; k++) {
			from = word_at(&f->tree, from, way[k]->key);
			at = way[k];
		}
		if (!from)
			continue;
		if (at)
			covered(&x, from, at, i == 1);
		else
			x.missing = from;
		if (x.missing)
			return refuse(&x, applied);
	}
	return 0;
}

/* Each apply-groups below @up, of the judged parts of the file. */
static int check_below(const struct switch_file *f, const struct word *up, const struct word **way, size_t n)
{
	for (const struct word *w = word_children(up); w; w = w->next) {
		int r = 0;

		if (!strcmp(w->key, "apply-groups")) {
			for (const struct word *g = word_children(w); r == 0 && g; g = g->next)
				r = check_group(f, g, way, n);
		} else if (n < WAY_MOST && (n || !strcmp(w->key, "class-of-service") || !strcmp(w->key, "interfaces"))) {
			way[n] = w;
			r = check_below(f, w, way, n + 1);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int junos_groups(const struct switch_file *f)
{
	const struct word *way[WAY_MOST];

	return word_at(&f->tree, &f->tree.root, "groups") ? check_below(f, &f->tree.root, way, 0) : 0;
}
