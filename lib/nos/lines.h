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
};

/**
 * line_match - does a line (single blanks) say @pattern
 * Words of a pattern: `%` takes one word, `...` the rest, `[word]` may be missing; others are the word itself or its
 * beginning of three letters or more, whatever the case.
 */
bool line_match(const char *line, const char *pattern, struct line_args *args);
/** line_number - the whole of a word as a number of at most @max */
bool line_number(const char *s, uint64_t max, uint64_t *n);
/** line_set - "24-31,48 50" as a mask; false if it is none, or has a number above @max (at most 63) */
bool line_set(const char *s, unsigned max, uint64_t *mask);
/** line_dscps - the same for DSCPs, which also have names: "af31,cs6,46" */
bool line_dscps(const char *s, uint64_t *mask);
/** line_seconds - "0.2" in milliseconds; false if it is no such number */
bool line_seconds(const char *s, int64_t *ms);

/**
 * ports_each - visits each port that a list names: "swp1-32,swp40", "Ethernet1/1-4", "Eth1/1, Eth1/3"; at most PORTS_MOST
 * A name with a star is visited as it is. It ends where @visit returns false.
 */
enum { PORTS_MOST = 4096 };
void ports_each(const char *list, bool (*visit)(const char *port, void *arg), void *arg);
/** port_same - the same port: the letters may be cut short ("Eth1/1", "et1/1"), or hold a star ("et-*") */
bool port_same(const char *pattern, const char *port);

#endif
