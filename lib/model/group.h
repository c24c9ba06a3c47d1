/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy asks of one group of ports, or of the node itself: made by policy/, judged by lint/. No machine. */
#ifndef MODEL_GROUP_H
#define MODEL_GROUP_H

#include <stddef.h>

struct diags;
struct fabric;
struct port;
struct pos;
struct record;

struct policy_group {
	const char *node;		/* an example of the nodes that have it */
	const char *group;		/* "" for the node's own settings */
	const struct fabric *fabric;	/* or NULL */
	const char *driver;		/* that match names, or "" */
	const struct pos *driver_pos;	/* where it does; NULL: it names none */
	const struct pos *rails_pos;	/* of rails: NULL: its ports have no numbers */
	const char *const *optional;	/* selectors of settings whose lack is no drift, or NULL */
	const struct port *port;	/* imaginary, as far as match describes it; NULL for the node, and where nobody imagined one */
	struct record *const *record;	/* a record per setting of the catalog, in its order; unmanaged ones silent */
	size_t n;
};

typedef void (*policy_visit)(const struct policy_group *g, void *arg, struct diags *d);

#endif
