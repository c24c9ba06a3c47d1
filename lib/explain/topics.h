/* SPDX-License-Identifier: Apache-2.0 */
/* Words that are neither a key nor a command, but asked for: what rdmactl does about it, or why it does nothing. */
#ifndef EXPLAIN_TOPICS_H
#define EXPLAIN_TOPICS_H

#include <stdbool.h>

struct arena;
struct json;
struct text;

struct topic {
	const char *names;		/* "memory-pool mr-pool": all spellings; blanks and - in a question are one */
	bool out;			/* out of scope, and says is the reason */
	const char *says;
	const char *keys;		/* of the policy, with blanks between them; NULL: none */
};

/** topic_find - by any spelling; NULL: none */
const struct topic *topic_find(const char *name, struct arena *a);
const char *topic_nearest(const char *name, struct arena *a);
void topic_print(const struct topic *t, const char *name, struct text *out);
void topic_json(const struct topic *t, const char *name, struct json *j);
/** topic_at - the i-th, for tests and lists; NULL behind the last */
const struct topic *topic_at(unsigned i);

#endif
