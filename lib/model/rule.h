/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule says of itself: each finding names one, lint/ judges by them, and report/ and docs/lint.md show them. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include "base/diag.h"

#define RULE_MARK "rdmactl:"		/* begins a comment of a policy that allows findings */

struct rule {
	const char *name;		/* "data-dscp-not-lossless" */
	enum severity severity;		/* errors are the policy's (65), warnings count with --strict, notes never */
	const char *reason;		/* what happens otherwise */
	const char *source;		/* who says so */
	const char *fix;		/* hint, unless the finding has a better one; NULL: it always has */
	const char *needs;		/* what a policy must say for it to be judged: "qos.dscp and qos.pfc" */
};

#endif
