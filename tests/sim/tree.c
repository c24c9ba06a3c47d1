/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths. The whole tree of the simulated machine is a sorted list of nodes, made anew when a name came or went (the
 * state's generation), and kept in the process; what a file says is asked when it is read.
 */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define LINKS_MAX 40

struct tree {
	struct arena *arena;
	struct node *at;
	size_t n, room;
};

void tree_drop(struct sim *s)
{
	if (s->tree)
		arena_free(s->tree->arena);
	s->tree = NULL;
}

const char *tree_path(struct sim *s, const char *fmt, ...)
{
	va_list ap;
	const char *path;

	va_start(ap, fmt);
	path = arena_vprintf(s->tree->arena, fmt, ap);
	va_end(ap);
	return path;
}

const char *tree_up(struct sim *s, const char *dir)
{
	const char *up = "";

	for (const char *at = strchr(dir, '/'); at; at = strchr(at + 1, '/'))
		up = tree_path(s, "../%s", up);
	return up;
}

static struct node *add(struct sim *s, const struct node *n, const char *fmt, va_list ap)
{
	struct tree *t = s->tree;

	list_add(t, t->arena) = *n;
	t->at[t->n - 1].path = arena_vprintf(t->arena, fmt, ap);
	return &t->at[t->n - 1];
}

struct node *tree_dir(struct sim *s, const char *fmt, ...)
{
	const struct node n = { .kind = NODE_DIR, .mode = 0755 };
	struct node *at;
	va_list ap;

	va_start(ap, fmt);
	at = add(s, &n, fmt, ap);
	va_end(ap);
	return at;
}

struct node *tree_link(struct sim *s, const char *target, const char *fmt, ...)
{
	const struct node n = { .kind = NODE_LINK, .mode = 0777, .target = arena_strdup(s->tree->arena, target) };
	struct node *at;
	va_list ap;

	va_start(ap, fmt);
	at = add(s, &n, fmt, ap);
	va_end(ap);
	return at;
}

struct node *tree_file(struct sim *s, struct nic *nic, uint32_t mode, node_show *show, node_store *store, uint32_t arg,
		       const char *fmt, ...)
{
	const struct node n = {
		.kind = NODE_FILE, .mode = mode, .show = show, .store = store, .nic = nic, .arg = arg,
	};
	struct node *at;
	va_list ap;

	va_start(ap, fmt);
	at = add(s, &n, fmt, ap);
	va_end(ap);
	return at;
}

/* --- making it --- */

/* Of one path the plain file counts, then the first that was added: so that a test can put text over the machine's. */
static int compare(const void *pa, const void *pb)
{
	const struct node *a = pa, *b = pb;
	int r = strcmp(a->path, b->path);

	if (r)
		return r;
	return (b->file != NULL) - (a->file != NULL);
}

static void sort(struct tree *t)
{
	size_t kept = 0;

	qsort(t->at, t->n, sizeof(*t->at), compare);
	for (size_t i = 0; i < t->n; i++)
		if (!kept || strcmp(t->at[kept - 1].path, t->at[i].path))
			t->at[kept++] = t->at[i];
	t->n = kept;
}

/* First node whose path is not before @path. */
static size_t lower_bound(const struct tree *t, const char *path)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(t->at[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct node *exact(const struct tree *t, const char *path)
{
	size_t i = lower_bound(t, path);

	return i < t->n && !strcmp(t->at[i].path, path) ? &t->at[i] : NULL;
}

/* Every node has a folder that it stands in. */
static void add_parents(struct sim *s)
{
	struct tree *t = s->tree, sorted;

	do {
		sorted = *t;
		for (size_t i = 0; i < sorted.n; i++) {
			const char *path = sorted.at[i].path, *slash = strrchr(path, '/');
			char parent[SIM_PATH];

			snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) : 0, path);
			if (!exact(&sorted, parent))
				tree_dir(s, "%s", parent);
		}
		sort(t);
	} while (t->n != sorted.n);
}

static void build(struct sim *s)
{
	struct arena *a = arena_new();

	tree_drop(s);
	s->tree = arena_new_of(a, struct tree);
	s->tree->arena = a;
	s->tree_generation = s->st->generation;
	tree_dir(s, "%s", "");
	for (unsigned i = 0; i < s->st->nnics; i++) {
		struct nic *n = &s->st->nic[i];

		pcifiles_add(s, n);
		if (n->present && n->ib.present)
			ibfiles_add(s, n);
		if (n->present)
			ccparams_add(s, n);
	}
	netfiles_add(s);
	modules_add(s);
	cmfiles_add(s);
	overlay_add(s);
	sort(s->tree);
	add_parents(s);
}

static const struct tree *tree_of(struct sim *s)
{
	if (!s->tree || s->tree_generation != s->st->generation)
		build(s);
	return s->tree;
}

/* --- walking it --- */

/* Appends one component to @at, or takes one away for "..". */
static int step(char at[SIM_PATH], const char *name, size_t n)
{
	size_t have = strlen(at);

	if (n == 0 || (n == 1 && name[0] == '.'))
		return 0;
	if (n == 2 && !memcmp(name, "..", 2)) {
		char *slash = strrchr(at, '/');

		*(slash ? slash : at) = 0;
		return 0;
	}
	if (have + n + 2 > SIM_PATH)
		return -ENAMETOOLONG;
	snprintf(at + have, SIM_PATH - have, "%s%.*s", have ? "/" : "", (int)n, name);
	return 0;
}

/* @rest below @at, links spliced in. The last component may be missing if @missing_ok. */
static int walk(const struct tree *t, const char *path, bool follow, bool missing_ok, char at[SIM_PATH])
{
	char rest[2][2 * SIM_PATH];
	int links = 0, now = 0, r;

	if (strlen(path) >= sizeof(rest[0]))
		return -ENAMETOOLONG;
	strcpy(rest[0], path);
	*at = 0;
	for (char *s = rest[now]; *s;) {
		size_t n = strcspn(s, "/");
		bool last = !s[n + strspn(s + n, "/")];
		char before[SIM_PATH];
		const struct node *node;

		strcpy(before, at);
		r = step(at, s, n);
		if (r < 0)
			return r;
		s += n + strspn(s + n, "/");
		node = exact(t, at);
		if (!node)
			return last && missing_ok ? 0 : -ENOENT;
		if (node->kind == NODE_FILE && !last)
			return -ENOTDIR;
		if (node->kind != NODE_LINK || (last && !follow))
			continue;
		if (++links > LINKS_MAX)
			return -ELOOP;
		now = !now;
		if ((size_t)snprintf(rest[now], sizeof(rest[now]), "%s/%s", node->target, s) >= sizeof(rest[now]))
			return -ENAMETOOLONG;
		strcpy(at, node->target[0] == '/' ? "" : before);
		s = rest[now];
	}
	return 0;
}

int tree_find(struct sim *s, const char *path, bool follow, const struct node **node)
{
	const struct tree *t = tree_of(s);
	char at[SIM_PATH];
	int r;

	*node = exact(t, path);
	if (*node && ((*node)->kind != NODE_LINK || !follow))
		return 0;
	r = walk(t, path, follow, false, at);
	if (r < 0)
		return r;
	*node = exact(t, at);
	return *node ? 0 : -ENOENT;
}

int tree_real(struct sim *s, const char *path, char real[SIM_PATH])
{
	const struct tree *t = tree_of(s);
	const char *slash = strrchr(path, '/');
	char dir[SIM_PATH];
	int r;

	/* folders that are missing are made by whoever puts a file there */
	r = walk(t, path, false, true, real);
	if (r != -ENOENT)
		return r;
	if (!slash || slash - path >= SIM_PATH)
		return -ENAMETOOLONG;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	r = tree_real(s, dir, real);
	return r < 0 ? r : step(real, slash + 1, strlen(slash + 1));
}

int tree_list(struct sim *s, const struct node *dir, struct arena *a, struct names *out)
{
	const struct tree *t = tree_of(s);
	size_t len = *dir->path ? strlen(dir->path) + 1 : 0, room = 0;
	char key[SIM_PATH + 2];

	snprintf(key, sizeof(key), "%s%s", dir->path, len ? "/" : "");
	*out = (struct names){ 0 };
	for (size_t i = lower_bound(t, key); i < t->n && !strncmp(t->at[i].path, key, len);) {
		const char *name = t->at[i].path + len, *slash = strchr(name, '/');

		if (slash) {		/* over what lies deeper: '0' comes behind '/' */
			char past[SIM_PATH + 2];

			snprintf(past, sizeof(past), "%.*s0", (int)(slash - t->at[i].path), t->at[i].path);
			i = lower_bound(t, past);
			continue;
		}
		i++;
		if (!*name)
			continue;
		if (out->n == room) {
			out->at = arena_grow(a, out->at, out->n, room ? room : 16, sizeof(*out->at));
			room += room ? room : 16;
		}
		out->at[out->n++] = arena_strdup(a, name);
	}
	return 0;
}
