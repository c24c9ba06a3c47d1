/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told about one command: does it exist, what it does, what that costs, what stays of it, and the policy
 * lines in its place. Tools fill it from their tables; how it looks, for people and for programs, is answer_print.c's.
 */
#ifndef EXPLAIN_ANSWER_H
#define EXPLAIN_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/setting.h"

struct arena;
struct catalog;
struct diags;
struct json;
struct simple;
struct text;

enum exists {
	EXISTS_YES,
	EXISTS_PARTLY,			/* the program does, an option or a value of this line does not */
	EXISTS_NO,			/* never did */
	EXISTS_GONE,			/* did once */
	EXISTS_UNKNOWN,			/* nothing is known of it here: not that it is missing */
};

/* What writing one kernel object means, by whatever tool. A fact has its place here, not in each tool. */
struct effect {
	enum impact impact;		/* the most that it does on any driver */
	const char *traffic;		/* where drivers differ */
	const char *lasts;
	const char *beware;
};

struct answer;

/*
 * Something that a command line can hold, a row of its tool's table: an option, a keyword, a file.
 * Tables end with { 0 }.
 */
struct fact {
	const char *name;		/* "-f --pfc" all spellings; "prio-pfc"; "infiniband/…/traffic_class" */
	const char *value;		/* what its value is, "LIST"; NULL: takes none */
	const char *does;		/* NULL: nothing of its own to tell */
	const struct effect *effect;
	const char *beware;
	const char *key;		/* the policy key that takes the value as it stands; NULL: see take */
	void (*take)(struct answer *a, const char *value);	/* offers policy lines, finds faults */
	enum exists exists;
	const char *instead;		/* the true interface, or what replaces it */
};

struct lines {
	const char **at;
	size_t n, room;
};

/* One policy key with its value, in YAML: "104", or the entries of a list or map. */
struct offer {
	const char *key;		/* "sysctl.net.core.rmem_max" */
	const struct field *field;
	enum scope scope;
	struct lines part;		/* the key's maps, outermost first: "sysctl", "net.core.rmem_max" */
	const char *value;		/* NULL: a collection */
	struct lines entries;		/* "26: 3" of a map, "3" of a list */
};

struct arg {
	const struct fact *fact;
	const char *value;
};

struct answer {
	struct arena *arena;
	const struct catalog *catalog;
	const struct simple *command;
	const char *text;		/* the command, as a line */
	const char *device;		/* what it is about: an interface, an RDMA device, a PCI address; NULL: none named */

	/* options and keywords as they were found, and the words that are none */
	struct { struct arg *at; size_t n, room; } args;
	struct lines rest;

	enum exists exists;
	struct lines is, wrong, does, beware, instead, traffic, lasts, no_policy;
	enum impact impact;
	bool idle;			/* nothing to tell: words printed, a pipe filtered */
	bool writes;			/* something is changed, so that impact has a meaning */
	struct { struct offer *at; size_t n, room; } offers;
	struct lines refused;		/* keys of which nothing is offered: a part of it is wrong */
};

void answer_init(struct answer *a, struct arena *arena, const struct catalog *c, const struct simple *command);

/** answer_is, … - add a sentence under that heading; the same one twice is told once */
#define ANSWER_LINE(heading) \
	void answer_##heading(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)))
ANSWER_LINE(is);
ANSWER_LINE(does);
ANSWER_LINE(beware);
ANSWER_LINE(instead);
ANSWER_LINE(no_policy);		/* why there is no policy line, or not the whole of it */
ANSWER_LINE(wrong);		/* also: exists in part */
#undef ANSWER_LINE

/** answer_not - this does not exist: the command never did, or an option of it */
void answer_not(struct answer *a, enum exists exists);
void answer_effect(struct answer *a, const struct effect *e);
/** answer_fact - all that a row says; @value NULL: it stands there without one */
void answer_fact(struct answer *a, const struct fact *f, const char *value);
/**
 * answer_offer - a policy line: @key of the catalog with its value
 * A value that the key does not take is told as a fault, in the key's own words; one that holds a variable of the
 * shell, and a key that this rdmactl lacks, as the reason why there is no policy line.
 */
void answer_offer(struct answer *a, const char *key, const char *value);
/** answer_entry - the same for one entry of a map ("26", "3") or of a list (NULL, "3"); those of one key are joined */
void answer_entry(struct answer *a, const char *key, const char *name, const char *value);
/** answer_empty - an empty map or list: not the same as silence */
void answer_empty(struct answer *a, const char *key);
/** answer_check_shares - shares that do not make 100 are no policy line */
void answer_check_shares(struct answer *a);
/** answer_arg - the value of the last argument with this spelling; NULL: not given, or given without one */
const char *answer_arg(const struct answer *a, const char *name);
bool answer_has(const struct answer *a, const char *name);

/** answer_refuse - a part of what the command gives @key is wrong or not known: nothing is offered for it, now or later */
void answer_refuse(struct answer *a, const char *key);
/** answer_policy - what was offered for the node ("node: {…}") or, a line each, for a group of ports; "" if nothing */
void answer_policy(const struct answer *a, bool node, struct text *out);
void answer_print(const struct answer *a, struct text *out);
void answer_json(const struct answer *a, struct json *j);
const char *exists_name(enum exists e);
/** fact_named - has the row this spelling? */
bool fact_named(const struct fact *f, const char *name);

#endif
