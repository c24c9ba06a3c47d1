/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the compiled form of a policy (cache_form.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/rule.h"
#include "policy/cache.h"
#include "policy/cache_form.h"
#include "policy/load.h"
#include "policy/names.h"

struct place {
	uint32_t at, n;
};

struct maker {
	const struct policy *p;
	struct arena *a;
	struct cache_head head;
	struct text section, blocks;
	struct place *entry;		/* by number */
	uint32_t adding;
	struct {
		struct cache_slot *at;
		size_t n, room;
	} slots;
};

/* --- numbers and trees ------------------------------------------------------ */

static void put_number(struct text *t, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		text_char(t, (char)(v | 0x80));
	text_char(t, (char)v);
}

static void put_string(struct text *t, const char *s, size_t n)
{
	put_number(t, n);
	text_addn(t, s, n);
}

static bool put_tree(struct text *t, const struct yaml *y, unsigned depth)
{
	size_t n = y->shape == SHAPE_MAP ? 2 * (size_t)y->n : y->n;
	bool good = depth < CACHE_DEPTH_MAX;

	put_number(t, (uint64_t)(y->shape | y->quoted << 2 | y->flow << 3 | (y->use_line ? 1 << 4 : 0)));
	put_number(t, y->line);
	put_number(t, y->col);
	put_number(t, y->len);
	if (y->use_line) {
		put_number(t, y->use_line);
		put_number(t, y->use_col);
	}
	put_number(t, y->n);
	if (y->shape == SHAPE_SCALAR)
		text_addn(t, y->text, y->n);
	else
		for (size_t i = 0; good && i < n; i++)
			good = put_tree(t, &y->at[i], depth + 1);
	return good;
}

static size_t file_of(const struct policy *p, const struct source *source)
{
	size_t i = 0;

	while (i < p->files.n && p->files.at[i]->source != source)
		i++;
	return i;
}

/* A pair of a map as a block of its own. */
static int put_block(struct maker *m, size_t number, size_t file, const struct yaml *key, const struct yaml *value,
		     struct place *place)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct cache_block head;

	put_number(&t, number);
	put_number(&t, file);
	if (!put_tree(&t, key, 0) || !put_tree(&t, value, 0) || t.n > CACHE_BLOCK_MAX || m->blocks.n > INT32_MAX)
		return -E2BIG;
	*place = (struct place){ (uint32_t)m->blocks.n, (uint32_t)(sizeof(head) + t.n) };
	head.sum = cache_sum(place->at, text_str(&t), t.n);
	text_addn(&m->blocks, &head, sizeof(head));
	text_addn(&m->blocks, text_str(&t), t.n);
	return 0;
}

/* --- sources ---------------------------------------------------------------- */

/* Could a file change once more and look the same? Some file systems count seconds, all by ticks. */
static bool is_settled(const struct stat *st)
{
	int64_t least_ns = st->st_ctim.tv_nsec ? 50000000 : 2000000000;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - st->st_ctim.tv_sec) * 1000000000 + (now.tv_nsec - st->st_ctim.tv_nsec) > least_ns;
}

static bool is_same(const struct stat *x, const struct stat *y)
{
	uint64_t is[CACHE_STAT], was[CACHE_STAT];

	cache_stat(x, was);
	cache_stat(y, is);
	return !memcmp(was, is, sizeof(is));
}

static int put_file(struct text *t, const struct policy_file *f)
{
	const struct stat *st = &f->st;
	uint64_t is[CACHE_STAT];
	struct stat now;

	if (!st->st_mode || stat(f->path, &now) < 0 || !is_same(st, &now) || !is_settled(st))
		return -ESTALE;
	put_string(t, f->path, strlen(f->path));
	cache_stat(st, is);
	for (size_t i = 0; i < CACHE_STAT; i++)
		put_number(t, is[i]);
	return 0;
}

/* The file's map without what is in blocks, and without what was looked at when the file was read. */
static bool put_root(struct maker *m, const struct yaml *root)
{
	static const int left_out[] = { TOP_PROFILES, TOP_NODES, TOP_INCLUDE, TOP_REQUIRES };
	struct yaml rest = *root, *pair = arena_array_of(m->a, struct yaml, 2 * (size_t)root->n);

	rest.at = pair;
	rest.n = 0;
	for (size_t i = 0; i < root->n; i++) {
		bool in = true;

		for (size_t k = 0; k < sizeof(left_out) / sizeof(left_out[0]); k++)
			in = in && !yaml_is(yaml_key(root, i), schema_top[left_out[k]].key);
		if (!in)
			continue;
		*pair++ = *yaml_key(root, i);
		*pair++ = *yaml_value(root, i);
		rest.n++;
	}
	return put_tree(&m->section, &rest, 0);
}

static int put_sources(struct maker *m)
{
	const struct policy *p = m->p;
	struct text *t = &m->section;
	int r = 0;

	put_string(t, VERSION, strlen(VERSION));
	put_string(t, p->name, strlen(p->name));
	put_string(t, p->digest, strlen(p->digest));
	put_number(t, p->directory != NULL);
	if (p->directory)
		r = put_file(t, p->directory);
	put_number(t, p->files.n);
	for (size_t i = 0; i < p->files.n && r == 0; i++) {
		const struct source *s = p->files.at[i]->source;

		r = put_file(t, p->files.at[i]);
		put_number(t, memmem(s->text, s->len, RULE_MARK, strlen(RULE_MARK)) != NULL);
		if (r == 0 && !put_root(m, p->files.at[i]->root))
			r = -E2BIG;
	}
	return r;
}

/* --- profiles and entries --------------------------------------------------- */

static int put_profiles(struct maker *m)
{
	const struct policy *p = m->p;
	size_t number = 0;
	int r = 0;

	put_number(&m->section, p->nprofiles);
	for (size_t f = 0; f < p->files.n; f++) {
		const struct yaml *map = yaml_get(p->files.at[f]->root, schema_top[TOP_PROFILES].key);

		for (size_t i = 0; map && i < map->n && r == 0; i++) {
			struct place place;

			r = put_block(m, number++, f, yaml_key(map, i), yaml_value(map, i), &place);
			if (r < 0)
				break;
			put_string(&m->section, yaml_key(map, i)->text, yaml_key(map, i)->n);
			put_number(&m->section, place.at);
			put_number(&m->section, place.n);
		}
	}
	return r;
}

static void add_slot(uint64_t key, void *arg)
{
	struct maker *m = arg;
	struct place *e = &m->entry[m->adding];

	list_add(&m->slots, m->a) = (struct cache_slot){ key, e->at, e->n };
}

static int put_entries(struct maker *m)
{
	const struct policy *p = m->p;
	size_t globs = 0;
	int r = 0;

	m->entry = arena_array_of(m->a, struct place, p->nentries);
	for (size_t i = 0; i < p->nentries && r == 0; i++) {
		const struct entry *e = &p->entry[i];

		r = put_block(m, i, file_of(p, e->source), e->key, e->body, &m->entry[i]);
		m->adding = (uint32_t)i;
		globs += e->hosts.rank == RANK_GLOB;
		names_of_list(e->hosts, m->head.seed, &m->head.scales, add_slot, m);
	}
	put_number(&m->section, globs);
	for (size_t i = 0; i < p->nentries && r == 0; i++) {
		if (p->entry[i].hosts.rank != RANK_GLOB)
			continue;
		put_string(&m->section, p->entry[i].hosts.s, p->entry[i].hosts.n);
		put_number(&m->section, m->entry[i].at);
		put_number(&m->section, m->entry[i].n);
	}
	return r;
}

/* --- pages ------------------------------------------------------------------ */

static bool fill_pages(const struct maker *m, struct cache_page *page, uint32_t pages)
{
	memset(page, 0, sizeof(*page) * pages);
	for (size_t i = 0; i < m->slots.n; i++) {
		struct cache_page *to = &page[m->slots.at[i].key % pages];

		if (to->n == CACHE_SLOTS)
			return false;
		to->slot[to->n++] = m->slots.at[i];
	}
	for (uint32_t i = 0; i < pages; i++)
		page[i].sum = cache_sum(i, &page[i].n, sizeof(page[i]) - sizeof(page[i].sum));
	return true;
}

/* As few pages as hold all keys; more for keys that crowd in one, but not without end: many may be the same key. */
static const struct cache_page *make_pages(struct maker *m)
{
	size_t least = m->slots.n / (CACHE_SLOTS / 2) + 1;

	for (size_t pages = least; pages <= 4 * least; pages *= 2) {
		struct cache_page *page = arena_array_of(m->a, struct cache_page, pages);

		m->head.pages = (uint32_t)pages;
		if (fill_pages(m, page, m->head.pages))
			return page;
	}
	return NULL;
}

static int make(struct maker *m, struct text *out)
{
	const struct cache_page *page;
	int r = put_sources(m);

	r = r ? r : put_profiles(m);
	r = r ? r : put_entries(m);
	if (r < 0)
		return r;
	page = make_pages(m);
	if (!page || m->section.n > CACHE_SECTION_MAX)
		return -E2BIG;
	m->head.section = (uint32_t)m->section.n;
	m->head.sum = cache_head_sum(m->head, text_str(&m->section));
	text_addn(out, &m->head, sizeof(m->head));
	text_addn(out, text_str(&m->section), m->section.n);
	text_addn(out, page, sizeof(*page) * m->head.pages);
	text_addn(out, text_str(&m->blocks), m->blocks.n);
	return out->n > INT32_MAX ? -E2BIG : 0;
}

bool cache_pays(const struct policy *p)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->files.n; i++)
		bytes += p->files.at[i]->source->len;
	return bytes >= CACHE_PAYS;
}

int cache_make(const struct policy *p, struct text *out)
{
	struct maker m = { .p = p, .head = { .magic = CACHE_MAGIC_BYTES, .format = CACHE_FORMAT } };
	int r;

	if (p->bad || p->partial)
		return -EINVAL;
	if (getrandom(&m.head.seed, sizeof(m.head.seed), 0) != sizeof(m.head.seed))
		return -EIO;
	m.a = arena_new();
	r = make(&m, out);
	text_done(&m.section);
	text_done(&m.blocks);
	arena_free(m.a);
	return r;
}
