/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain files: what the machine's file systems hold (/etc, /var, /boot), what /proc/sys and /sys/module say, and
 * whatever a test puts anywhere. Text lies in the state's heap, which is packed when it is full.
 */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct plain_file *overlay_find(struct sim *s, const char *path)
{
	for (struct plain_file *f = s->st->file; f < s->st->file + s->st->nfiles; f++)
		if (f->used && !strcmp(f->path, path))
			return f;
	return NULL;
}

const char *overlay_text(const struct sim *s, const struct plain_file *f)
{
	return s->st->heap + f->at;
}

/* Moves all texts to the front, in the order in which they lie. */
static void pack(struct state *st)
{
	uint32_t to = 0, done = 0;

	for (;;) {
		struct plain_file *next = NULL;

		for (struct plain_file *f = st->file; f < st->file + st->nfiles; f++)
			if (f->used && f->room && f->at >= done && (!next || f->at < next->at))
				next = f;
		if (!next)
			break;
		done = next->at + next->room;
		memmove(st->heap + to, st->heap + next->at, next->room);
		next->at = to;
		to += next->room;
	}
	st->heap_used = to;
}

static int store_text(struct state *st, struct plain_file *f, const void *text, size_t len)
{
	if (len + 1 > f->room) {
		uint32_t need = (uint32_t)(len + 64) & ~31u;

		if (len > KERNEL_FILE_MAX)
			return -EFBIG;
		if (st->heap_used + need > SIM_HEAP)
			pack(st);
		if (st->heap_used + need > SIM_HEAP)
			return -ENOSPC;
		f->at = st->heap_used;
		f->room = need;
		st->heap_used += need;
	}
	memcpy(st->heap + f->at, text, len);
	st->heap[f->at + len] = 0;
	f->len = (uint32_t)len;
	return 0;
}

static struct plain_file *new_file(struct sim *s, const char *path)
{
	for (struct plain_file *f = s->st->file; f < s->st->file + SIM_FILES; f++) {
		if (f->used)
			continue;
		*f = (struct plain_file){ .used = true };
		strcpy(f->path, path);
		if (s->st->nfiles <= f - s->st->file)
			s->st->nfiles = (uint32_t)(f - s->st->file) + 1;
		s->st->generation++;
		return f;
	}
	return NULL;
}

int overlay_put(struct sim *s, const char *path, const void *text, size_t len, uint32_t mode, bool kernel)
{
	struct plain_file *old = overlay_find(s, path), *f = old;
	struct timespec now;
	int r;

	if (strlen(path) >= SIM_PATH)
		return -ENAMETOOLONG;
	if (!f)
		f = new_file(s, path);
	if (!f)
		return -ENOSPC;
	r = store_text(s->st, f, text, len);
	if (r < 0 && !old)
		overlay_remove(s, f);
	if (r < 0)
		return r;
	if ((f->mode ^ mode) & S_IFMT)
		s->st->generation++;
	clock_gettime(CLOCK_REALTIME, &now);
	f->mode = mode;
	f->kernel = kernel;
	f->mtime_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	return 0;
}

void overlay_remove(struct sim *s, struct plain_file *f)
{
	f->used = false;
	s->st->generation++;
}

void overlay_remove_below(struct sim *s, const char *dir, bool kernel_only)
{
	size_t n = strlen(dir);

	for (struct plain_file *f = s->st->file; f < s->st->file + s->st->nfiles; f++)
		if (f->used && !strncmp(f->path, dir, n) && (!f->path[n] || f->path[n] == '/') &&
		    (f->kernel || !kernel_only))
			overlay_remove(s, f);
}

/* --- in the tree --- */

static int show(struct sim *s, const struct node *n, struct text *out)
{
	text_addn(out, overlay_text(s, n->file), n->file->len);
	return 0;
}

void overlay_add(struct sim *s)
{
	for (struct plain_file *f = s->st->file; f < s->st->file + s->st->nfiles; f++) {
		struct node *n;

		if (!f->used)
			continue;
		if (S_ISLNK(f->mode))
			n = tree_link(s, overlay_text(s, f), "%s", f->path);
		else if (S_ISDIR(f->mode))
			n = tree_dir(s, "%s", f->path);
		else
			n = tree_file(s, NULL, f->mode & 07777, show, overlay_store, 0, "%s", f->path);
		n->file = f;
	}
}

/* A module parameter: bool is Y or N whatever was written; a number stays one. */
static int parameter_store(struct sim *s, struct plain_file *f, const char *text, size_t len)
{
	const char *now = overlay_text(s, f);
	char value[128];
	unsigned long long u;
	int end = 0;

	len = text_trim(text, len);
	if (len >= sizeof(value))
		return -ENOSPC;
	snprintf(value, sizeof(value), "%.*s", (int)len, text);
	if (*now == 'Y' || *now == 'N') {
		if (len != 1 || !strchr("YyNn10", value[0]))
			return -EINVAL;
		strcpy(value, strchr("Yy1", value[0]) ? "Y" : "N");
	} else if (*now >= '0' && *now <= '9') {
		if (sscanf(value, "%lli%n", (long long *)&u, &end) != 1 || value[end])
			return -EINVAL;
		snprintf(value, sizeof(value), "%llu", u);
	}
	strcat(value, "\n");
	return store_text(s->st, f, value, strlen(value));
}

int overlay_store(struct sim *s, const struct node *n, const char *text, size_t len)
{
	const char *path = n->path;

	if (!strncmp(path, "proc/sys/", 9))
		return sysctl_store(s, n->file, text, len);
	if (!strncmp(path, "sys/module/", 11) && strstr(path, "/parameters/"))
		return parameter_store(s, n->file, text, len);
	if (!strncmp(path, "proc/", 5) || !strncmp(path, "sys/", 4))
		return sim_untaught(s, "a write to %s, which a test put there", path);
	return store_text(s->st, n->file, text, len);
}
