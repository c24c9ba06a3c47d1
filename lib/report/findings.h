/* SPDX-License-Identifier: Apache-2.0 */
/* What lint found, and the rules by which it looked: for people, for programs, and for merge requests (SARIF). */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/rule.h"

struct text;

struct findings {
	const struct diags *diags;
	const struct rule *const *rule;	/* all there are */
	const bool *judged;		/* of each: did the policy say what it needs */
	size_t nrules;
	int exit_code;
	const char *folder;		/* present one, without a slash at its end: paths below it are told relative to it */
};

/** findings_table - one line that counts; before it, with @all, the rules that were not checked and what they need */
void findings_table(const struct findings *f, bool all, struct text *out);
/** findings_json - docs/findings.schema.json */
void findings_json(const struct findings *f, struct text *out);
/** findings_sarif - SARIF 2.1.0 (OASIS): all rules, all findings; what a comment allows is suppressed in source */
void findings_sarif(const struct findings *f, struct text *out);
/** findings_rules - the rules by themselves; @all: with source, fix and needs as well */
void findings_rules(const struct findings *f, bool json, bool all, bool color, struct text *out);

#endif
