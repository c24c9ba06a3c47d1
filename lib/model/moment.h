/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a port holds at one time, as far as its order of writes is judged by it (law 8). The engine copies moments and
 * has them judged; what is in one is known to the judge alone, which the catalog hands in (settings/lossless.c).
 */
#ifndef MODEL_MOMENT_H
#define MODEL_MOMENT_H

#include "model/change.h"

struct moment;

struct judge {
	const struct setting *const *setting;	/* that it looks at, of one port; NULL at the end */
	size_t size;			/* bytes of a moment, for copies */
	/** start - @have: what each of its settings reads, by their order; @managed: does the policy ask for it */
	void (*start)(struct moment *m, const struct target *t, const struct record *const *have, const bool *managed);
	/**
	 * make - the port after @c was written and what that disturbs was put back; @see is called for each moment on the
	 *	way, the last one is that after it. NULL: not asked
	 */
	void (*make)(struct moment *m, const struct change *c, void (*see)(const struct moment *m, void *arg), void *arg);
	/**
	 * unsafe - would a port that had @before and is to have @after lose, or misplace, what it carries in @now?
	 * @why: set to the reason in @a if it would; both NULL: no words are needed
	 */
	bool (*unsafe)(const struct moment *before, const struct moment *now, const struct moment *after, struct arena *a,
		       const char **why);
	/** holds - does @m hold of setting @i what @other does */
	bool (*holds)(const struct moment *m, const struct moment *other, size_t i);
};

#endif
