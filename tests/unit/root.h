/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine of files for unit tests: a tree.tsv (path, content, mode; \n \r \t are escapes, @target is a link) built
 * below a new directory, opened as `--root` does. Doors can be put in front: k->ops is the test's own copy.
 */
#ifndef TESTS_UNIT_ROOT_H
#define TESTS_UNIT_ROOT_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/kernel.h"
#include "model/setting.h"

struct root {
	char dir[64];
	struct arena *a;
	struct diags d;
	struct kernel *k;
	struct kernel_ops ops;
};

static inline void root_parents(const char *path)
{
	char part[512];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			abort();
	}
}

static inline void root_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		const char *escape = *s == '\\' && s[1] ? strchr("n\nr\rt\t\\\\", s[1]) : NULL;

		s += escape ? 1 : 0;
		*to++ = escape ? escape[1] : *s;
	}
	*to = 0;
}

/* One file or link of the tree; a test changes the machine with it, too. */
static inline void root_put(const struct root *r, const char *path, const char *content)
{
	char full[512], text[8192];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", r->dir, path);
	root_parents(full);
	unlink(full);
	if (*content == '@') {
		if (symlink(content + 1, full) < 0)
			abort();
		return;
	}
	snprintf(text, sizeof(text), "%s", content);
	root_unescape(text);
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) < 0)
		abort();
}

static inline void root_lines(const struct root *r, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *content = strchr(line, '\t'), *mode = content ? strchr(content + 1, '\t') : NULL;
		char full[512];

		if (*line == '#' || !content)
			continue;
		*content++ = 0;
		if (mode)
			*mode++ = 0;
		root_put(r, line, content);
		snprintf(full, sizeof(full), "%s/%s", r->dir, line);
		if (mode && chmod(full, (mode_t)strtoul(mode, NULL, 8)) < 0)
			abort();
	}
}

/* @file: a tree.tsv, or NULL for an empty machine */
static inline struct root *root_open(const char *file)
{
	struct root *r = calloc(1, sizeof(*r));
	char text[65536] = "";

	strcpy(r->dir, "/tmp/rdmactl-root-XXXXXX");
	if (!mkdtemp(r->dir))
		abort();
	if (file) {
		FILE *f = fopen(file, "r");

		if (!f) {
			fprintf(stderr, "%s: %s (unit tests run in the source tree)\n", file, strerror(errno));
			abort();
		}
		text[fread(text, 1, sizeof(text) - 1, f)] = 0;
		fclose(f);
		root_lines(r, text);
	}
	r->a = arena_new();
	diags_init(&r->d, r->a);
	r->k = kernel_live(r->a, r->dir);
	if (!r->k)
		abort();
	r->ops = *r->k->ops;
	r->k->ops = &r->ops;
	return r;
}

static inline int root_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void root_close(struct root *r)
{
	kernel_close(r->k);
	arena_free(r->a);
	nftw(r->dir, root_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(r);
}

/* What one home of a setting answers, afresh, to a wish (NULL: show); *err gets its return value, or must be 0. */
static inline struct record *root_ask(struct root *r, const struct setting *s, const struct home *home,
				      const struct target *t, const struct facts *f, const struct record *want,
				      int *err)
{
	struct part p = { .setting = s, .home = home, .target = t, .facts = f, .want = want, .arena = r->a };
	int e;

	kernel_renew(r->k);
	p.have = record_open(r->a, s, want);
	e = home->read(r->k, &p, &r->d);
	if (err)
		*err = e;
	else if (e != 0)
		abort();
	return p.have;
}

/* A wish of one field, as a policy spells it. */
static inline void root_want(struct root *r, struct record *want, unsigned field, const char *text)
{
	struct cell *c = &want->at[field];
	const char *why = NULL;

	if (value_parse(c->field, text, &c->value, r->a, &why) < 0) {
		fprintf(stderr, "%s %s\n", text, why ? why : "");
		abort();
	}
	c->state = CELL_VALUE;
}

#endif
