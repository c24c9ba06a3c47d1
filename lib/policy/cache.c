/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the compiled form of a policy (cache_form.h) for one node: entries that match by the index, their profiles and
 * what those extend. Of them and of the rest of each file's tree a map is made, and loaded as if it had just been parsed.
 * The text of the sources is left out; messages read it (policy_texts).
 */
#include "policy/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "policy/cache_form.h"
#include "policy/load.h"
#include "policy/names.h"

enum { AT_ONCE = 8192, PIECES_MAX = 1 << 16 };

/* Bytes that are taken apart; once something is wrong with them, all that follows is 0. */
struct cursor {
	struct arena *a;
	const uint8_t *at, *end;
	bool bad;
};

/* A profile or an entry, a pair of a map. */
struct piece {
	uint64_t number, file;
	struct yaml key, value;
};

struct pieces {
	struct piece *at;
	size_t n, room;
};

struct named {				/* a profile, or a glob */
	const char *name;
	size_t n;
	uint32_t at, bytes;		/* its block */
	bool taken;
};

struct form {
	struct cache *c;
	struct arena *a;
	struct cache_head head;
	uint32_t pages_at, blocks_at;
	struct policy_file *directory, *file;
	struct yaml *root;		/* by file */
	size_t nfiles;
	const char *digest;
	struct named *profile, *glob;
	size_t nprofiles, nglobs;
	struct pieces profiles, entries;
	const char *node;
	bool bad;
};

/* --- bytes ------------------------------------------------------------------ */

static uint64_t take_number(struct cursor *x)
{
	uint64_t v = 0;

	for (unsigned shift = 0; x->at < x->end && shift < 64; shift += 7) {
		uint8_t byte = *x->at++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	x->bad = true;
	return 0;
}

static const char *take_bytes(struct cursor *x, uint64_t n)
{
	const char *s = (const char *)x->at;

	x->bad = x->bad || n > (uint64_t)(x->end - x->at);
	if (x->bad)
		return "";
	x->at += n;
	return s;
}

/* *n: 0 if there are not as many as it says. */
static const char *take_string(struct cursor *x, size_t *n)
{
	const char *s;

	*n = take_number(x);
	s = take_bytes(x, *n);
	*n = x->bad ? 0 : *n;
	return s;
}

/* A count of things that take a byte each at least. */
static size_t take_count(struct cursor *x)
{
	uint64_t n = take_number(x);

	x->bad = x->bad || n > (uint64_t)(x->end - x->at);
	return x->bad ? 0 : n;
}

static void take_tree(struct cursor *x, struct yaml *y, unsigned depth)
{
	uint64_t kind = take_number(x), line = take_number(x), col = take_number(x), len = take_number(x);
	uint64_t use_line = kind >> 4 & 1 ? take_number(x) : 0, use_col = kind >> 4 & 1 ? take_number(x) : 0;
	uint64_t n = take_number(x);
	size_t children = (kind & 3) == SHAPE_MAP ? 2 * n : n;
	struct yaml *at;

	*y = (struct yaml){ .text = "" };
	x->bad = x->bad || depth == CACHE_DEPTH_MAX || kind > 31 || (kind & 3) > SHAPE_MAP || len > UINT16_MAX ||
		 line > UINT32_MAX || col > UINT32_MAX || use_line > UINT32_MAX || use_col > UINT32_MAX ||
		 n > CACHE_SECTION_MAX || children > (size_t)(x->end - x->at);
	if (x->bad)
		return;
	*y = (struct yaml){
		.text = "", .n = (uint32_t)n, .line = (uint32_t)line, .col = (uint32_t)col, .len = (uint16_t)len,
		.use_line = (uint32_t)use_line, .use_col = (uint32_t)use_col,
		.shape = kind & 3, .quoted = kind >> 2 & 1, .flow = kind >> 3 & 1,
	};
	if (y->shape == SHAPE_SCALAR) {
		y->text = take_bytes(x, n);
		return;
	}
	y->at = at = arena_array_of(x->a, struct yaml, children + 1);
	for (size_t i = 0; i < children; i++) {
		take_tree(x, &at[i], depth + 1);
		x->bad = x->bad || (y->shape == SHAPE_MAP && i % 2 == 0 && at[i].shape != SHAPE_SCALAR);
	}
}

static bool read_all(struct form *f, uint32_t at, void *to, size_t n)
{
	return n <= INT32_MAX && f->c->read_at(f->c->arg, at, to, n) == (int)n;
}

static bool take_piece(struct form *f, uint32_t at, uint32_t n, struct piece *p)
{
	struct cache_block head;
	struct cursor x = { .a = f->a };
	uint8_t *s;

	if (n <= sizeof(head) || n > CACHE_BLOCK_MAX + sizeof(head) || at > UINT32_MAX - f->blocks_at)
		return false;
	s = arena_alloc(f->a, n);
	if (!read_all(f, f->blocks_at + at, s, n))
		return false;
	memcpy(&head, s, sizeof(head));
	x.at = s + sizeof(head);
	x.end = s + n;
	if (head.sum != cache_sum(at, x.at, n - sizeof(head)))
		return false;
	p->number = take_number(&x);
	p->file = take_number(&x);
	take_tree(&x, &p->key, 0);
	take_tree(&x, &p->value, 0);
	return !x.bad && p->file < f->nfiles && p->key.shape == SHAPE_SCALAR;
}

/* --- does it hold ------------------------------------------------------------- */

/* Is the file what it was when the form was made? */
static bool is_unchanged(struct cursor *x, const struct stat *st)
{
	uint64_t is[CACHE_STAT];

	cache_stat(st, is);
	for (size_t i = 0; i < CACHE_STAT; i++)
		if (take_number(x) != is[i])
			return false;
	return true;
}

static bool take_file(struct cursor *x, struct policy_file *f)
{
	size_t n;
	const char *path = take_string(x, &n);

	f->path = arena_strndup(x->a, path, n);
	return !x->bad && strlen(f->path) == n && stat(f->path, &f->st) == 0 && is_unchanged(x, &f->st);
}

static bool take_sources(struct form *f, struct cursor *x)
{
	if (take_number(x)) {
		f->directory = arena_new_of(f->a, struct policy_file);
		if (!take_file(x, f->directory))
			return false;
	}
	f->nfiles = take_count(x);
	if (!f->nfiles || f->nfiles > POLICY_FILES_MAX)
		return false;
	f->file = arena_array_of(f->a, struct policy_file, f->nfiles);
	f->root = arena_array_of(f->a, struct yaml, f->nfiles);
	for (size_t i = 0; i < f->nfiles; i++) {
		struct source *source = arena_new_of(f->a, struct source);

		if (!take_file(x, &f->file[i]))
			return false;
		f->file[i].speaks = take_number(x);
		source->name = f->file[i].path;
		f->file[i].source = source;
		take_tree(x, &f->root[i], 0);
		if (x->bad || f->root[i].shape != SHAPE_MAP)
			return false;
	}
	return true;
}

static struct named *take_named(struct form *f, struct cursor *x, size_t *n)
{
	struct named *list;

	*n = take_count(x);
	list = arena_array_of(f->a, struct named, *n + 1);
	for (size_t i = 0; i < *n; i++) {
		list[i].name = take_string(x, &list[i].n);
		list[i].at = (uint32_t)take_number(x);
		list[i].bytes = (uint32_t)take_number(x);
	}
	return list;
}

static bool is_text(struct cursor *x, const char *s)
{
	size_t n;
	const char *have = take_string(x, &n);

	return !x->bad && n == strlen(s) && !memcmp(have, s, n);
}

static const char *take_section(struct form *f, struct cursor *x, const char *path)
{
	size_t n;
	const char *digest;

	if (!is_text(x, VERSION))
		return "it is of another version of rdmactl";
	if (!is_text(x, path))
		return "it is of another policy";
	digest = take_string(x, &n);
	f->digest = arena_strndup(f->a, digest, n < SHA256_TEXT ? n : 0);
	if (!take_sources(f, x))
		return x->bad ? "it is damaged" : "a file of the policy changed";
	f->profile = take_named(f, x, &f->nprofiles);
	f->glob = take_named(f, x, &f->nglobs);
	return x->bad ? "it is damaged" : NULL;
}

/* Return: NULL: it holds, as far as that can be seen without a node; "": there is none. */
static const char *open_form(struct form *f, const char *path)
{
	static const char magic[] = CACHE_MAGIC_BYTES;
	uint8_t *s = arena_alloc(f->a, AT_ONCE);
	int got = f->c->read_at(f->c->arg, 0, s, AT_ONCE);
	struct cursor x = { .a = f->a };
	uint64_t all;

	if (got <= 0)
		return "";
	if ((size_t)got < sizeof(f->head))
		return "it is damaged";
	memcpy(&f->head, s, sizeof(f->head));
	if (memcmp(f->head.magic, magic, sizeof(magic)) != 0 || f->head.format != CACHE_FORMAT)
		return "it is of another version of rdmactl";
	all = sizeof(f->head) + (uint64_t)f->head.section;
	if (f->head.section > CACHE_SECTION_MAX || !f->head.pages || f->head.pages > INT32_MAX / CACHE_PAGE)
		return "it is damaged";
	if (all > (uint64_t)got) {
		s = arena_alloc(f->a, all);
		if (!read_all(f, 0, s, all))
			return "it is damaged";
	}
	x.at = s + sizeof(f->head);
	x.end = s + all;
	if (f->head.sum != cache_head_sum(f->head, x.at))
		return "it is damaged";
	f->pages_at = (uint32_t)all;
	f->blocks_at = f->pages_at + f->head.pages * CACHE_PAGE;
	return take_section(f, &x, path);
}

/* --- what a node needs -------------------------------------------------------- */

static bool add_entry(struct form *f, uint32_t at, uint32_t n)
{
	struct hostlist hosts;
	struct piece *p;
	size_t wrong;

	if (f->entries.n == PIECES_MAX)
		return false;
	p = &list_add(&f->entries, f->a);
	if (!take_piece(f, at, n, p))
		return false;
	hosts = hostlist_of(p->key.text, p->key.n);
	if (hostlist_check(hosts, &wrong))
		return false;
	if (!hostlist_match(hosts, f->node))
		f->entries.n--;
	return true;
}

static void look_up(uint64_t key, void *arg)
{
	struct form *f = arg;
	uint32_t number = (uint32_t)(key % f->head.pages);
	struct cache_page page;

	if (f->bad || !read_all(f, f->pages_at + number * CACHE_PAGE, &page, sizeof(page)) ||
	    page.sum != cache_sum(number, &page.n, sizeof(page) - sizeof(page.sum)) || page.n > CACHE_SLOTS) {
		f->bad = true;
		return;
	}
	for (size_t i = 0; i < page.n && !f->bad; i++)
		if (page.slot[i].key == key)
			f->bad = !add_entry(f, page.slot[i].at, page.slot[i].n);
}

static int by_number(const void *x, const void *y)
{
	const struct piece *p = x, *q = y;

	return p->number < q->number ? -1 : p->number > q->number;
}

/* In the order of the files; one that stands under several keys once. */
static void sort_pieces(struct pieces *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_number);
	for (size_t i = 0; i < list->n; i++)
		if (!n || list->at[i].number != list->at[n - 1].number)
			list->at[n++] = list->at[i];
	list->n = n;
}

static bool take_entries(struct form *f)
{
	for (size_t i = 0; i < f->nglobs; i++)
		if (hostlist_match(hostlist_of(f->glob[i].name, f->glob[i].n), f->node) &&
		    !add_entry(f, f->glob[i].at, f->glob[i].bytes))
			return false;
	names_of_node(f->node, f->head.seed, f->head.scales, look_up, f);
	sort_pieces(&f->entries);
	return !f->bad && f->entries.n;
}

static bool take_profile(struct form *f, const struct yaml *name)
{
	for (size_t i = 0; i < f->nprofiles; i++) {
		struct named *p = &f->profile[i];

		if (name->shape != SHAPE_SCALAR || p->n != name->n || memcmp(p->name, name->text, p->n) != 0)
			continue;
		if (p->taken)
			return true;
		p->taken = true;
		return take_piece(f, p->at, p->bytes, &list_add(&f->profiles, f->a));
	}
	return false;
}

static bool take_profiles_of(struct form *f, const struct yaml *map, const char *key)
{
	const struct yaml *names = yaml_get(map, key);

	for (size_t i = 0; names && names->shape == SHAPE_LIST && i < names->n; i++)
		if (!take_profile(f, &names->at[i]))
			return false;
	return true;
}

static bool take_profiles(struct form *f)
{
	for (size_t i = 0; i < f->entries.n; i++)
		if (!take_profiles_of(f, &f->entries.at[i].value, schema_entry[ENTRY_PROFILES].key))
			return false;
	for (size_t i = 0; i < f->profiles.n; i++) {	/* which grows meanwhile */
		struct yaml map = f->profiles.at[i].value;

		if (!take_profiles_of(f, &map, schema_profile[PROFILE_EXTENDS].key))
			return false;
	}
	sort_pieces(&f->profiles);
	return true;
}

/* --- put together ------------------------------------------------------------- */

static struct yaml word(const char *s)
{
	return (struct yaml){ .text = s, .n = (uint32_t)strlen(s), .line = 1, .col = 1, .shape = SHAPE_SCALAR };
}

/* Adds to a map what is of @file, as a map under @key; nothing if none is. */
static void add_pieces(struct form *f, struct yaml *pair, uint32_t *n, const char *key, const struct pieces *list,
		       size_t file)
{
	struct yaml map = { .line = 1, .col = 1, .shape = SHAPE_MAP }, *at = arena_array_of(f->a, struct yaml, 2 * list->n);

	map.at = at;
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].file != file)
			continue;
		*at++ = list->at[i].key;
		*at++ = list->at[i].value;
		map.n++;
	}
	if (!map.n)
		return;
	pair[2 * (size_t)*n] = word(key);
	pair[2 * (size_t)*n + 1] = map;
	++*n;
}

static const struct yaml *root_of(struct form *f, size_t file)
{
	struct yaml *root = &f->root[file], *pair = arena_array_of(f->a, struct yaml, 2 * ((size_t)root->n + 2));

	memcpy(pair, root->at, 2 * (size_t)root->n * sizeof(*pair));
	root->at = pair;
	add_pieces(f, pair, &root->n, schema_top[TOP_PROFILES].key, &f->profiles, file);
	add_pieces(f, pair, &root->n, schema_top[TOP_NODES].key, &f->entries, file);
	return root;
}

static struct policy *put_together(struct form *f, const char *path, const struct catalog *catalog,
				   const struct schema *schema)
{
	struct diags told;
	struct loader *l;
	struct policy *p;

	diags_init(&told, f->a);
	l = loader_new(f->a, path, catalog, schema, &told);
	p = l->p;
	for (size_t i = 0; i < f->nfiles; i++) {
		f->file[i].root = root_of(f, i);
		list_add(&p->files, f->a) = &f->file[i];
	}
	p->directory = f->directory;
	p->source = f->file[0].source;
	p->partial = true;
	strcpy(p->digest, f->digest);
	load_top(l);
	return told.n ? NULL : p;
}

struct policy *cache_load(struct cache *c, struct arena *a, const char *path, const struct catalog *catalog,
			  const struct schema *schema)
{
	struct form f = { .c = c, .a = a };
	struct policy *p = NULL;
	const char *why = open_form(&f, path);

	if (!why) {
		f.node = c->node(c->arg);
		if (f.node && take_entries(&f) && take_profiles(&f))
			p = put_together(&f, path, catalog, schema);
		why = p ? NULL : "it does not have all of this node";
	}
	c->why = why && *why ? why : NULL;
	return p;
}

bool cache_holds(struct cache *c, struct arena *a, const char *path)
{
	struct form f = { .c = c, .a = a };

	return !open_form(&f, path);
}

bool cache_begins(const char *s, size_t n)
{
	static const char magic[] = CACHE_MAGIC_BYTES;

	return n >= sizeof(magic) && !memcmp(s, magic, sizeof(magic) - 1);	/* its last byte is a version */
}
