/* SPDX-License-Identifier: Apache-2.0 */
/* What a key of the policy language means that is no setting, and what a rule of lint says: both from lists of other rooms. */
#ifndef EXPLAIN_LANGUAGE_H
#define EXPLAIN_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/language.h"
#include "model/rule.h"

struct arena;
struct json;
struct text;

struct explain_lists {
	const struct language_key *key;
	size_t nkeys;
	const struct rule *const *rule;
	size_t nrules;
};

/* How near a question must come to a key. */
enum language_match {
	LANGUAGE_WHOLE,			/* "match.driver", "match", "cohorts.hash" */
	LANGUAGE_WORD,			/* also "driver" */
};

/** language_explain - all keys that @what asks for, to @out or @json. Return: how many */
size_t language_explain(const struct explain_lists *l, const char *what, enum language_match match, struct text *out,
			struct json *json);
/** rule_explain - the rule of that name. Return: is there one */
bool rule_explain(const struct explain_lists *l, const char *what, struct text *out, struct json *json);
/** language_nearest - the key or rule that is spelled most like it, or NULL */
const char *language_nearest(const struct explain_lists *l, const char *what, struct arena *a);

#endif
