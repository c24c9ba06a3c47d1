/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a policy: one, those of a directory in the order of their names, and what they include. A file that two
 * others include is read once; one that includes itself by whatever way is an error. What each must say by itself, its
 * version and what it requires of rdmactl, is looked at here, before any other key.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "policy/load.h"
#include "policy/requires.h"
#include "policy/tell.h"

/* --- what each file says by itself ------------------------------------------ */

static void check_requires(struct loader *l, const struct yaml *root)
{
	const struct yaml *y = yaml_get(root, schema_top[TOP_REQUIRES].key);
	struct pos pos;
	bool met = false;

	if (!y)
		return;
	pos = load_pos(l, y);
	if (y->shape != SHAPE_SCALAR || requires_met(yaml_dup(l->p->a, y), VERSION, &met) < 0) {
		tell_error(l->d, &pos, "write \">=0.1\", or \">=0.1 <2\"", "requires: %s is no condition on a version",
			   yaml_what(l->p->a, y));
		return;
	}
	if (met)
		return;
	tell_error(l->d, &pos, "install a version that the policy takes", "the policy requires rdmactl %s, and this is %s",
		   yaml_shown(l->p->a, y), VERSION);
	l->stop = true;
}

static void check_version(struct loader *l, const struct yaml *root)
{
	const struct yaml *y = yaml_get(root, schema_top[TOP_VERSION].key);
	struct pos pos = load_pos(l, y ? y : root);

	if (y && yaml_is(y, "1"))
		return;
	if (!y) {
		tell_error(l->d, &pos, "write `version: 1` at the top",
			   "the policy does not say its version of the language%s", l->p->files.n > 1 ? ": each file does" : "");
		return;
	}
	tell_error(l->d, &pos, NULL, "version: this rdmactl knows version 1 of the language, and this is %s",
		   yaml_what(l->p->a, y));
	l->stop = true;
}

/* --- one file --------------------------------------------------------------- */

/* A file is not read, and that was told: whatever is missing now may stand in it. */
static void lose(struct loader *l)
{
	l->lost = ~0u;
}

static size_t mark_len(const struct source *file)
{
	return file->len >= 3 && !memcmp(file->text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Return: the file if it holds a map that this version may read, else NULL. */
static struct policy_file *parse(struct loader *l, const struct source *text)
{
	struct policy *p = l->p;
	struct policy_file *f = arena_new_of(p->a, struct policy_file);
	struct source *source = arena_new_of(p->a, struct source);
	struct yaml *root = arena_new_of(p->a, struct yaml);
	size_t mark = mark_len(text);
	struct pos pos;

	*source = (struct source){ text->name, text->text + mark, text->len - mark };
	*f = (struct policy_file){ .source = source };
	l->x.source = source;
	list_add(&p->files, p->a) = f;
	sha256_add(&l->sha, text->text, text->len);
	l->bytes += text->len;
	if (yaml_parse(p->a, source, root, l->d) < 0) {
		lose(l);
		return NULL;
	}
	pos = load_pos(l, root);
	if (root->shape != SHAPE_MAP) {
		tell_error(l->d, &pos, "it begins with `version: 1`", "a policy is a map of keys, and this is %s",
			   yaml_what(p->a, root));
		lose(l);
		return NULL;
	}
	check_requires(l, root);
	if (!l->stop)
		check_version(l, root);
	if (l->stop)
		return NULL;
	f->root = root;
	return f;
}

/* A compiled form is looked for where the policy is long, or nobody knows yet how long it is. */
static bool try_cache(struct loader *l, const char *path)
{
	if (l->cache && !l->compiled && !l->p->directory)
		l->compiled = cache_load(l->cache, l->p->a, path, l->p->catalog, l->p->schema);
	return l->compiled;
}

/* --- includes --------------------------------------------------------------- */

/* A file that is being read, and who included it. */
struct chain {
	const struct chain *above;
	const char *path;
	dev_t dev;
	ino_t ino;
	unsigned depth;
};

static const char *relative(struct arena *a, const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');

	return *name == '/' || !slash ? name : arena_printf(a, "%.*s/%s", (int)(slash - file), file, name);
}

static bool is_open(const struct chain *c, const struct stat *st)
{
	for (; c; c = c->above)
		if (c->dev == st->st_dev && c->ino == st->st_ino)
			return true;
	return false;
}

static bool is_read(const struct loader *l, const struct stat *st)
{
	for (size_t i = 0; i < l->p->files.n; i++)
		if (l->p->files.at[i]->st.st_dev == st->st_dev && l->p->files.at[i]->st.st_ino == st->st_ino)
			return true;
	return false;
}

static void read_file(struct loader *l, const char *path, const struct stat *st, const struct chain *above,
		      const struct pos *from);

/* What the path leads to; of mode 0 if that cannot be seen: opening it tells why. */
static struct stat look_at(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 ? st : (struct stat){ .st_mode = 0 };
}

static void read_included(struct loader *l, const char *path, const struct chain *above, const struct pos *from)
{
	struct stat st = look_at(path);

	read_file(l, path, &st, above, from);
}

static const char *include_name(struct loader *l, const struct yaml *key, const struct yaml *y, const char *file)
{
	const char *name;
	struct pos pos = load_pos(l, y);

	if (!decode_is(&l->x, y, SHAPE_SCALAR, key, schema_top[TOP_INCLUDE].key)) {
		lose(l);
		return NULL;
	}
	if (yaml_is(y, "-") || yaml_is(y, "")) {
		tell_error(l->d, &pos, "name a file; what the policy is read from is said with -p",
			   "include: \"%s\" is no name of a file", yaml_shown(l->p->a, y));
		lose(l);
		return NULL;
	}
	name = yaml_dup(l->p->a, y);
	if (l->from_memory || (!strcmp(file, "-") && *name != '/')) {
		tell_error(l->d, &pos, l->from_memory ? NULL : "give its whole path, or read the policy from a file",
			   "include: \"%s\" is relative to a file, and this policy is none", yaml_shown(l->p->a, y));
		lose(l);
		return NULL;
	}
	return name;
}

static void read_includes(struct loader *l, const struct yaml *root, const struct chain *c)
{
	const struct yaml *y = yaml_get(root, schema_top[TOP_INCLUDE].key);
	const struct yaml *key = y ? y - 1 : NULL;	/* a key stands before its value */
	const struct source *source = l->x.source;

	if (!y)
		return;
	if (!decode_is(&l->x, y, SHAPE_LIST, key, schema_top[TOP_INCLUDE].key)) {
		lose(l);
		return;
	}
	if (l->p->files.n == 1 && try_cache(l, c->path))
		return;
	for (size_t i = 0; i < y->n && !l->stop; i++) {
		const char *name = include_name(l, key, &y->at[i], c->path);
		struct pos pos = load_pos(l, &y->at[i]);

		if (name)
			read_included(l, relative(l->p->a, c->path, name), c, &pos);
		l->x.source = source;
	}
}

static bool may_read(struct loader *l, const char *path, const struct chain *above, const struct pos *from)
{
	const char *shown = text_safe(l->p->a, path, strlen(path), POLICY_TEXT_MAX);

	l->stop = l->p->files.n == POLICY_FILES_MAX;
	if (l->stop)
		tell_error(l->d, from, NULL, "the policy has more than %d files", POLICY_FILES_MAX);
	else if (above && above->depth == POLICY_INCLUDE_DEPTH_MAX)
		tell_error(l->d, from, NULL, "include: %s: files include each other more than %d deep", shown,
			   POLICY_INCLUDE_DEPTH_MAX);
	else
		return true;
	lose(l);
	return false;
}

/* What is wrong with a file that another one includes is told at its own place, and where it came from. */
static void tell_from(struct loader *l, const struct pos *from)
{
	struct diag *one = l->d->n ? &l->d->at[l->d->n - 1] : NULL;

	if (!from || !one || one->other.source)
		return;
	one->other = *from;
	one->other_what = "included here";
}

static const struct source *source_named(struct loader *l, const char *path)
{
	struct source *source = arena_new_of(l->p->a, struct source);

	source->name = arena_strdup(l->p->a, path);
	return source;
}

static void read_file(struct loader *l, const char *path, const struct stat *st, const struct chain *above,
		      const struct pos *from)
{
	struct chain c = { .above = above, .path = path, .depth = above ? above->depth + 1 : 1 };
	struct policy_file *f, *last;
	const struct source *text;
	bool known = S_ISREG(st->st_mode);
	size_t errors;

	if (known && is_open(above, st)) {
		tell_error(l->d, from, NULL, "include: %s includes itself%s%s",
			   text_safe(l->p->a, path, strlen(path), POLICY_TEXT_MAX),
			   above->dev == st->st_dev && above->ino == st->st_ino ? "" : ", by way of ",
			   above->dev == st->st_dev && above->ino == st->st_ino ? "" : above->path);
		return;
	}
	if ((known && is_read(l, st)) || !may_read(l, path, above, from))
		return;
	if (S_ISFIFO(st->st_mode) && (above || l->p->directory)) {	/* nobody may ever write into it */
		diag_error(l->d, &(struct pos){ .source = source_named(l, path) }, "is a pipe: only the policy itself can be one");
		tell_from(l, from);
		lose(l);
		return;
	}
	if (file_load(l->p->a, path, POLICY_FILE_MAX, &text, l->d) < 0) {
		tell_from(l, from);
		lose(l);
		return;
	}
	if (l->bytes + text->len > POLICY_FILE_MAX) {
		tell_error(l->d, &(struct pos){ .source = text }, NULL,
			   "is the file with which the policy gets longer than %u bytes, the most that is taken",
			   POLICY_FILE_MAX);
		lose(l);
		return;
	}
	errors = l->d->errors;
	f = parse(l, text);
	if (!f && l->d->errors > errors)
		tell_from(l, from);
	last = l->p->files.at[l->p->files.n - 1];
	last->path = path;
	if (known) {
		last->st = *st;
		c.dev = st->st_dev;
		c.ino = st->st_ino;
	}
	if (f)
		read_includes(l, f->root, &c);
}

/* --- directories ------------------------------------------------------------ */

static int is_yaml(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".yaml");
}

static int by_bytes(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static void read_directory(struct loader *l, const char *path, const struct stat *st)
{
	struct source *source = arena_new_of(l->p->a, struct source);
	struct dirent **name = NULL;
	int n = scandir(path, &name, is_yaml, by_bytes);

	source->name = arena_strdup(l->p->a, path);
	l->p->directory = arena_new_of(l->p->a, struct policy_file);
	*l->p->directory = (struct policy_file){ .path = source->name, .st = *st };
	if (n < 0)
		diag_error(l->d, &(struct pos){ .source = source }, "cannot be read")->err = errno;
	else if (!n)
		diag_error(l->d, &(struct pos){ .source = source }, "holds no *.yaml: there is no policy");
	for (int i = 0; i < n; i++) {
		if (!l->stop)
			read_included(l, arena_printf(l->p->a, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
						      name[i]->d_name), NULL, NULL);
		free(name[i]);
	}
	free(name);
}

void files_read(struct loader *l, const char *path)
{
	struct stat st = look_at(path);

	if ((S_ISDIR(st.st_mode) || st.st_size >= CACHE_PAYS) && try_cache(l, path))
		return;
	if (S_ISDIR(st.st_mode))
		read_directory(l, path, &st);
	else
		read_file(l, arena_strdup(l->p->a, path), &st, NULL, NULL);
}

void files_texts(struct policy *p)
{
	struct diags told;

	diags_init(&told, p->a);
	for (size_t i = 0; p->partial && i < p->files.n; i++) {
		struct source *source = (struct source *)p->files.at[i]->source;	/* cache.c made it, without a text */
		const struct source *text;
		size_t mark;

		if (source->text || file_load(p->a, p->files.at[i]->path, POLICY_FILE_MAX, &text, &told) < 0)
			continue;
		mark = mark_len(text);
		source->len = text->len - mark;
		source->text = text->text + mark;
	}
}

void files_take(struct loader *l, const struct source *text)
{
	struct policy_file *f;
	struct chain c = { .path = text->name, .depth = 1 };

	l->from_memory = true;
	f = parse(l, text);
	l->p->files.at[0]->path = text->name;
	if (f)
		read_includes(l, f->root, &c);
}
