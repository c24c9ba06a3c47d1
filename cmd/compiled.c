/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply leaves the compiled form of a long policy beside its journal, and drift, which runs every minute, reads it: the text
 * of a hundred thousand nodes costs more than all else of a check. Commands that write read the text.
 */
#include "compiled.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/file.h"
#include "cmd.h"
#include "kernel/kernel.h"
#include "policy/cache.h"
#include "policy/policy.h"

#define COMPILED KERNEL_OWN "policy.compiled"

struct reader {
	struct session *s;
	int r;				/* exit status of a step that failed and was told */
};

static int read_at(void *arg, uint32_t offset, void *to, size_t n)
{
	struct reader *r = arg;

	r->r = r->r ? r->r : session_machine(r->s);
	return r->r ? -EIO : kernel_read_at(r->s->kernel, COMPILED, offset, to, n);
}

static const char *node(void *arg)
{
	struct reader *r = arg;

	r->r = r->r ? r->r : session_facts(r->s);
	if (r->r)
		return NULL;
	return r->s->opt->node ? r->s->opt->node : r->s->facts->hostname;
}

int compiled_load(struct session *s, struct policy **p)
{
	struct reader r = { .s = s };
	struct cache c = { read_at, node, &r, NULL };
	bool judges = s->command->options & OPTION_DRIFT;
	int loaded = policy_load_for(s->arena, policy_path(s->opt), s->catalog, judges ? &c : NULL, p, &s->diags);

	if (c.why && s->opt->verbose && !r.r)
		diag_note(&s->diags, NULL, "the text of the policy was read: its compiled form, /%s, is not used, since %s", COMPILED, c.why);
	if (r.r)
		return r.r;
	if (loaded < 0)
		policy_hint(s->opt, &s->diags);
	return loaded < 0 ? EXIT_POLICY : 0;
}

void compiled_leave(struct session *s)
{
	struct reader r = { .s = s };
	struct cache c = { read_at, node, &r, NULL };
	TEXT_CLEANUP struct text t = { 0 };

	if (!s->policy || s->kernel->files_only || !cache_pays(s->policy) || cache_holds(&c, s->arena, policy_path(s->opt)))
		return;
	if (cache_make(s->policy, &t) == 0)
		kernel_keep(s->kernel, COMPILED, text_str(&t), t.n);	/* without it the text is read */
}

/* A form of before, or nothing yet: whoever mixes up the two names must not lose his policy. */
static bool may_replace(const char *path)
{
	char have[CACHE_BEGIN] = { 0 };
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(have, 1, sizeof(have), f) : 0;

	if (f)
		fclose(f);
	return !n || cache_begins(have, n);
}

int compiled_save(struct session *s, const struct policy *p, const char *path)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = cache_make(p, &t);

	if (!may_replace(path)) {
		diag_error(&s->diags, NULL, "%s holds something else than a compiled form, and is kept", path);
		diag_hint(&s->diags, "--compile FILE names the file that is written");
		return -EEXIST;
	}
	if (r == 0)
		return file_replace(path, text_str(&t), t.n, 0644, &s->diags);
	diag_error(&s->diags, NULL, "no compiled form is written to %s", path);
	diag_hint(&s->diags, "%s", r == -ESTALE ? "it holds as long as its files are unchanged: standard input is none, and a file that changed "
						  "a moment ago could change again unseen; try again" :
						  "a profile or an entry is too large, or too many host lists overlap; the text is read instead");
	return r;
}
