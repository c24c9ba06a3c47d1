/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of ours that a change replaces as a whole. What stands there is looked at first: a file that is neither as it was
 * when the plan was made nor as it is to be was changed by somebody else, and is left alone.
 */
#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "engine/doing.h"
#include "engine/journal.h"
#include "kernel/kernel.h"

static bool same(const char *want, bool there, const struct text *now)
{
	return want ? there && now->n == strlen(want) && !memcmp(text_str(now), want, now->n) : !there;
}

static int read_file(struct kernel *k, const char *path, struct text *now, bool *there)
{
	int r = kernel_read(k, path, now);

	*there = r == 0;
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int tell(struct diags *d, int r, const char *verb, const char *path)
{
	diag_error(d, NULL, "cannot %s /%s", verb, path)->err = -r;
	if (r == -EROFS)
		diag_hint(d, "the file system, or this run, is read-only");
	return r;
}

/* @before: what an undo wants there again, NULL: nothing */
static int tell_changed(struct diags *d, const char *path, bool undo, const char *before)
{
	diag_error(d, NULL, "/%s is left alone: somebody changed it %s", path, undo ? "since the run that is undone" : "while this run went on");
	if (!undo)
		diag_hint(d, "look at it, and apply again");
	else if (before)
		diag_hint(d, "`rdmactl recover` goes on once it reads as before the run: its text is \"before\" in /%s", JOURNAL_RUN);
	else
		diag_hint(d, "there was none before the run: remove it, and `rdmactl recover` goes on");
	return -ESTALE;
}

static int put(struct kernel *k, const char *path, const char *from, const char *to, bool undo, struct diags *d)
{
	TEXT_CLEANUP struct text now = { 0 };
	bool there;
	int r = read_file(k, path, &now, &there);

	if (r < 0)
		return tell(d, r, "read", path);
	if (same(to, there, &now))
		return 0;
	if (!same(from, there, &now))
		return tell_changed(d, path, undo, to);
	r = to ? kernel_replace(k, path, to, strlen(to), 0644) : kernel_remove(k, path);
	return r < 0 ? tell(d, r, to ? "write" : "remove", path) : 0;
}

int boot_file_write(struct kernel *k, const struct change *c, struct diags *d)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->nfiles; i++) {
		const struct change_file *f = &c->file[c->undo ? c->nfiles - 1 - i : i];

		r = c->undo ? put(k, f->path, f->after, f->before, true, d) : put(k, f->path, f->before, f->after, false, d);
		if (r == 0 && c->undo && kernel_tidy(k, f->path) < 0)
			diag_note(d, NULL, "something of a killed run is left beside /%s", f->path);
	}
	return r;
}

bool boot_file_is(struct kernel *k, const struct change *c, bool before)
{
	for (size_t i = 0; i < c->nfiles; i++) {
		TEXT_CLEANUP struct text now = { 0 };
		bool there;

		if (read_file(k, c->file[i].path, &now, &there) < 0 ||
		    !same(before ? c->file[i].before : c->file[i].after, there, &now))
			return false;
	}
	return true;
}
