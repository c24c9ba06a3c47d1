/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of commands as people type them: words may be cut short, numbers may be lists, ports may be ranges.
 */
#ifndef NOS_LINES_H
#define NOS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_ARGS = 8, LINE_ARG = 128 };

struct line_args {
	char at[LINE_ARGS][LINE_ARG];	/* what stood for each %, cut at LINE_ARG - 1 bytes */
	unsigned n;
	const char *rest;		/* what stood for "...", whole */
};

/**
 * line_match - does a line (single blanks) say @pattern
 * Words of a pattern: `%` takes one word, `...` the rest, `[word]` may be missing; others are the word itself or its
 * beginning of three letters or more, whatever the case.
 */
bool line_match(const char *line, const char *pattern, struct line_args *args);
/** line_touches - may "no @rest" take back a line that says @pattern: their words agree as far as both go */
bool line_touches(const char *rest, const char *pattern);
/** line_number - the whole of a word as a number of at most @max */
bool line_number(const char *s, uint64_t max, uint64_t *n);
/** line_set - "24-31,48 50" as a mask; false if it is none, or has a number above @max (at most 63) */
bool line_set(const char *s, unsigned max, uint64_t *mask);
/** line_dscps - the same for DSCPs, which also have names: "af31,cs6,46" */
bool line_dscps(const char *s, uint64_t *mask);
/** line_seconds - "0.2" in milliseconds; false if it is no such number */
bool line_seconds(const char *s, int64_t *ms);

/** list_covers - do the numbers or ports that @list names ("24,26", "swp1-32") cover those of @of */
enum list_covers { COVERS_NONE, COVERS_SOME, COVERS_ALL };
enum list_covers list_covers(const char *list, const char *of);

/**
 * ports_each - visits each port that a list names: "swp1-32,swp40", "Ethernet1/1-4"; at most PORTS_MOST
 * A name with a star is visited as it is. It ends where @visit returns false.
 */
enum { PORTS_MOST = 4096 };
void ports_each(const char *list, bool (*visit)(const char *port, void *arg), void *arg);

/*
 * Systems whose interfaces have types: the type may be cut short, in any case, and a blank may follow it. @types are in the order
 * in which a cut word is taken, NULL at the end; the first is that of the switch's ports.
 */
/** port_name - "e1/1", "ETH 1/1": "Ethernet1/1", at most LINE_ARG - 1 bytes. Return: the number of its type, -1: none of @types */
int port_name(const char *const *types, const char *s, size_t n, char name[LINE_ARG]);
/**
 * ports_typed - the same as ports_each: "Et1/1-4,7/1", "ethernet 1/1/1-1/1/4", "e1/1 - 4 , e1/7"
 * Return: false if it cannot be told which ports they are, or there are more than PORTS_MOST.
 */
bool ports_typed(const char *const *types, const char *list, bool (*visit)(const char *port, void *arg), void *arg);
/** port_matches - does a pattern with stars ("et-*") mean this port */
bool port_matches(const char *pattern, const char *port);

#endif
