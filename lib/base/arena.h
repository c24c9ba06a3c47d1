/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's memory. What comes from policy, plan or report is allocated here and
 * never freed singly. Allocation does not fail: it ends the program, which is
 * safe because nothing is half done without the journal or the undo list.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

/** arena_new - an empty arena; arena_free() gives everything back at once */
struct arena *arena_new(void);
void arena_free(struct arena *a);

/** arena_alloc - @size zeroed bytes, aligned for any type; never NULL */
void *arena_alloc(struct arena *a, size_t size);
/** arena_grow - a larger copy of an array of @n elements of @size; the old one stays behind */
void *arena_grow(struct arena *a, const void *old, size_t n, size_t more, size_t size);

char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array_of(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

/*
 * An array that grows: struct { T *at; size_t n, room; } list;  list_add(&list, arena) = value;
 */
#define list_add(list, a) \
	(*(((list)->n == (list)->room ? \
	    ((list)->at = arena_grow((a), (list)->at, (list)->n, (list)->room ? (list)->room : 8, sizeof(*(list)->at)), \
	     (list)->room += (list)->room ? (list)->room : 8) : 0), \
	   &(list)->at[(list)->n++]))

#endif
