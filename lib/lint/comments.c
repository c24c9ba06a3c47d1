/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the comments that allow something: rules without a view, told by lint_end() when all was judged. */
#include "base/arena.h"
#include "base/text.h"
#include "lint/lint.h"

enum { NOT_UNDERSTOOD, UNKNOWN_RULE, UNUSED };

#define WORDS "write `# rdmactl: allow RULE because REASON`, at the end of the line or alone above it"

const struct lint_rule lint_comments[] = {
	[NOT_UNDERSTOOD] = { { "allow-not-understood", SEVERITY_WARNING,
			       "Nothing is allowed without a rule and a reason that a reader can judge.",
			       "docs/lint.md", WORDS, "a comment `# rdmactl: …`" },
			     .after = NULL },
	[UNKNOWN_RULE] = { { "allow-unknown-rule", SEVERITY_WARNING, "It allows nothing, though it looks as if it did.",
			     "docs/lint.md", "`rdmactl lint --rules` lists them", "a comment `# rdmactl: allow …`" },
			   .after = NULL },
	[UNUSED] = { { "allow-unused", SEVERITY_WARNING,
		       "What it once allowed is gone, or stands in another line; left behind, it would hide the next "
		       "fault.",
		       "docs/lint.md", "remove it, or put it on the line that the finding points at",
		       "a comment `# rdmactl: allow …`" },
		     .after = NULL },
	{ .is.name = NULL },
};

static const char *nearest_rule(const struct lint *l, const char *name)
{
	const struct rule *rule[LINT_RULES_MAX];
	const char *names[LINT_RULES_MAX + 1] = { NULL }, *near;
	size_t n = lint_rules(rule);

	for (size_t i = 0; i < n; i++)
		names[i] = rule[i]->name;
	near = text_nearest(name, names);
	return near ? arena_printf(l->d->arena, "did you mean %s?", near) : lint_comments[UNKNOWN_RULE].is.fix;
}

static void tell(struct lint *l, const struct allow *one, bool whole)
{
	unsigned which = !one->rule ? NOT_UNDERSTOOD : !lint_named(one->rule) ? UNKNOWN_RULE : UNUSED;
	struct diag *d;

	if (which == UNUSED && !whole)
		return;
	l->rule = &lint_comments[which];
	l->number = lint_number(l->rule->is.name);
	if (which == NOT_UNDERSTOOD)
		d = lint_find(l, &one->pos,
			      "this comment allows nothing: it lacks `allow`, a rule, or `because` with a reason");
	else if (which == UNKNOWN_RULE)
		d = lint_find(l, &one->pos, "there is no rule \"%s\"", one->rule);
	else
		d = lint_find(l, &one->pos, "%s finds nothing in line %u", one->rule, one->line);
	if (d && *d->what && which == UNKNOWN_RULE)
		d->hint = nearest_rule(l, one->rule);
}

void lint_end(struct lint *l, const struct source *s, bool whole)
{
	struct allows *all = &l->allows;
	size_t first = lint_number(lint_comments[NOT_UNDERSTOOD].is.name);

	allows_of(all, s, l->d->arena);
	l->object = NULL;
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].pos.source != s)
			continue;
		l->judged[first + NOT_UNDERSTOOD] = l->judged[first + UNKNOWN_RULE] = l->judged[first + UNUSED] = true;
		if (!all->at[i].used)
			tell(l, &all->at[i], whole);
	}
}
