/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates that a network engineer can read: text with {{name}}, and lines that repeat.
 *
 *	{{name}}		its value; a name that is not known is an error
 *	{{for port}} … {{end}}	once for each; inside, its own names come before those outside
 *	{{if name}} … {{end}}	if there is such a value or list, and it is not empty; {{if !name}}: if not
 *	{{,}}			a comma, except in the last round of all the lists around it
 *	{{# words}}		a remark
 *
 * A line that holds nothing but for, if, end or a remark leaves no line behind.
 */
#ifndef NOS_TEMPLATE_H
#define NOS_TEMPLATE_H

#include <stddef.h>

#include "base/diag.h"

struct arena;
struct vars;
struct text;

/** vars_new - names that hide those of @up (NULL: none) */
struct vars *vars_new(struct arena *a, const struct vars *up);
void vars_set(struct vars *n, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** vars_add - a further entry of a list; the entry's names hide those of @n */
struct vars *vars_add(struct vars *n, const char *list);
/** vars_put - the same for an entry that is there already, of another list: its own names and what is around it stay */
void vars_put(struct vars *n, const char *list, struct vars *entry);
/** vars_get - the value, or NULL */
const char *vars_get(const struct vars *n, const char *name);

/** template_render - Return: 0; -EINVAL, told with line and column of the template */
int template_render(const struct source *s, const struct vars *n, struct text *out, struct diags *d);

#endif
