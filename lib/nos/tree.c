/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of words: how they are built and asked. tree_forms.c reads the forms of files. */
#include "nos/tree.h"

#include <string.h>

#include "base/arena.h"

enum { SLOTS_FIRST = 256 };

void tree_init(struct tree *t, struct arena *a, const struct source *s)
{
	*t = (struct tree){ .arena = a, .source = s };
}

static size_t hash(const struct word *up, const char *key, size_t n)
{
	uint64_t h = (uint64_t)(uintptr_t)up * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)key[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 29);
}

static bool is(const struct word *w, const struct word *up, const char *key, size_t n)
{
	return w->up == up && !strncmp(w->key, key, n) && !w->key[n];
}

/* The slot of a word, or the empty one where it would be. There is always one that is empty. */
static struct word **slot_of(const struct tree *t, const struct word *up, const char *key, size_t n)
{
	size_t i = hash(up, key, n) & (t->nslots - 1);

	while (t->slot[i] && !is(t->slot[i], up, key, n))
		i = (i + 1) & (t->nslots - 1);
	return &t->slot[i];
}

static void make_room(struct tree *t)
{
	struct word **old = t->slot;
	size_t n = t->nslots;

	if (t->n * 2 < n)
		return;
	t->nslots = n ? n * 2 : SLOTS_FIRST;
	t->slot = arena_array_of(t->arena, struct word *, t->nslots);
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot_of(t, old[i]->up, old[i]->key, strlen(old[i]->key)) = old[i];
}

static void link_last(struct word *up, struct word *w)
{
	w->next = NULL;
	w->before = up->last;
	if (up->last)
		up->last->next = w;
	else
		up->child = w;
	up->last = w;
}

static void unlink_word(struct word *w)
{
	struct word *up = w->up;

	if (w->before)
		w->before->next = w->next;
	else
		up->child = w->next;
	if (w->next)
		w->next->before = w->before;
	else
		up->last = w->before;
	w->next = w->before = NULL;
}

static struct word *add(struct tree *t, struct word *up, const char *key, size_t n)
{
	struct word *w = arena_new_of(t->arena, struct word);

	w->key = arena_strndup(t->arena, key, n);
	w->up = up;
	link_last(up, w);
	t->n++;
	return w;
}

/* Said again, a word moves to the end: the last one counts. */
static void again(struct word *w)
{
	if (w->gone)
		w->gone = false;
	else
		unlink_word(w);
	link_last(w->up, w);
}

struct word *tree_word(struct tree *t, struct word *up, const char *key, size_t n, uint32_t line)
{
	struct word **slot;

	n = strnlen(key, n);
	make_room(t);
	slot = slot_of(t, up, key, n);
	if (*slot)
		again(*slot);
	else
		*slot = add(t, up, key, n);
	(*slot)->line = line;
	return *slot;
}

/* Its slot stays: what is said again takes it. Depth is that of the file, which is bounded. */
void tree_take_back(struct word *w)
{
	tree_take_back_below(w);
	unlink_word(w);
	w->gone = true;
	w->inactive = w->scalar = false;
	w->doubt = w->is = NULL;
	w->took = w->indent = 0;
}

void tree_take_back_below(struct word *w)
{
	while (w->child)
		tree_take_back(w->child);
}

void tree_alias(struct tree *t, struct word *of, const char *key)
{
	size_t n = strlen(key);
	struct word **slot, *w;

	make_room(t);
	slot = slot_of(t, of->up, key, n);
	w = *slot;
	if (!w)
		w = *slot = add(t, of->up, key, n);
	else if (w->gone)
		again(w);
	else
		w->twice |= w != of && w->is != of;
	if (w != of && !w->is && !w->child && !w->twice) {
		w->is = of;
		w->line = of->line;
	}
}

/* --- questions ------------------------------------------------------------------ */

static const struct word *real(const struct word *w)
{
	return w && w->is ? w->is : w;
}

const struct word *word_children(const struct word *w)
{
	return w ? real(w)->child : NULL;
}

const struct word *word_at(const struct tree *t, const struct word *up, const char *key)
{
	const struct word *w = up && key && t->nslots ? *slot_of(t, real(up), key, strlen(key)) : NULL;

	return w && !w->gone ? w : NULL;
}

const struct word *word_path(const struct tree *t, const struct word *up, const char *path)
{
	char key[128];

	while (up && *path) {
		size_t n = strcspn(path, " ");

		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = 0;
		up = word_at(t, up, key);
		path += n + (path[n] == ' ');
	}
	return up;
}

const struct word *word_value(const struct word *w)
{
	return w ? real(w)->last : NULL;
}

const char *word_text(const struct word *w)
{
	return w ? w->key : NULL;
}

struct pos word_pos(const struct tree *t, const struct word *w)
{
	return (struct pos){ .source = t->source, .line = w ? w->line : 0 };
}
