/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the policy language that are no settings, as policy/ knows them: for explain, which names no key itself. */
#ifndef MODEL_LANGUAGE_H
#define MODEL_LANGUAGE_H

struct field;

struct language_key {
	const char *place;		/* "cohorts", or "" at the top: cohorts.hash is one way to ask for it */
	const char *key;		/* "hash", "match.driver" */
	const char *written;		/* "cohorts: {NAME: {hash: …}}" */
	const char *doc;
	const struct field *field;	/* what it takes; NULL: a map, a list or a text, as doc says */
};

#endif
