/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ports a group means: all criteria that it names must hold. Names of netdevs and RDMA devices are globs; all
 * else is exact. What a machine did not tell of a port (a VF's board, the speed of a link that is down) meets no
 * criterion.
 */
#include "policy/match.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Fields of the group come first among the leaves of a schema, so that their enumerators are their numbers. */
static const struct item *asked(const struct part_of_layer *g, unsigned field)
{
	const struct item *i = g->item[field];

	return item_says(i) ? i : NULL;
}

static bool text_is(const struct value *v, const char *have)
{
	return !strcmp(v->text, have);
}

static bool glob(const struct value *v, const char *have)
{
	return *have && !fnmatch(v->text, have, 0);
}

static bool is_driver(const struct value *v, const struct port *p)
{
	return text_is(v, p->driver);
}

static bool is_ifname(const struct value *v, const struct port *p)
{
	return glob(v, p->ifname);
}

static bool is_ibdev(const struct value *v, const struct port *p)
{
	return glob(v, p->ibdev);
}

/* Domain and all, as numbers: "0000" and "00000000" are one domain, 0000 and 0001 are two. */
static bool is_pci(const struct value *v, const struct port *p)
{
	const char *want = strchr(v->text, ':'), *have = strchr(p->bdf, ':');

	return have && !strcasecmp(want, have) && strtoul(v->text, NULL, 16) == strtoul(p->bdf, NULL, 16);
}

static bool is_id(const struct value *v, const struct port *p)
{
	char have[16];

	snprintf(have, sizeof(have), "%04x:%04x", p->pci_vendor, p->pci_device);
	return !strcasecmp(v->text, have);
}

static bool is_board(const struct value *v, const struct port *p)
{
	return text_is(v, p->board);
}

static bool is_link(const struct value *v, const struct port *p)
{
	return (int64_t)p->link_layer == v->num + 1;
}

static bool is_numa(const struct value *v, const struct port *p)
{
	return p->numa_node == v->num;
}

static bool is_function(const struct value *v, const struct port *p)
{
	return (int64_t)p->function == v->num + 1;
}

static bool is_speed(const struct value *v, const struct port *p)
{
	return p->speed_mbps == v->num;
}

static bool (*const criteria[GROUP_MATCHES])(const struct value *v, const struct port *p) = {
	[GROUP_DRIVER] = is_driver, [GROUP_IFNAME] = is_ifname, [GROUP_IBDEV] = is_ibdev, [GROUP_PCI] = is_pci,
	[GROUP_ID] = is_id,	    [GROUP_BOARD] = is_board,	[GROUP_LINK] = is_link,	  [GROUP_NUMA] = is_numa,
	[GROUP_FUNCTION] = is_function, [GROUP_SPEED] = is_speed, [GROUP_RAIL] = NULL,	/* no fact of the port */
};

bool match_any(const struct part_of_layer *group)
{
	for (unsigned f = 0; f < GROUP_MATCHES; f++)
		if (asked(group, f))
			return true;
	return false;
}

bool match_port(const struct item *const *wanted, const struct port *port, int rail)
{
	for (unsigned f = 0; f < GROUP_MATCHES; f++) {
		const struct item *i = wanted[f];

		if (!item_says(i))
			continue;
		if (criteria[f] ? !criteria[f](&i->value, port) : rail >= 0 && rail != i->value.num)
			return false;
	}
	return true;
}

static bool same_text(const struct item *x, const struct item *y)
{
	return !strcmp(x->value.text, y->value.text);
}

static bool same_number(const struct item *x, const struct item *y)
{
	return x->value.num == y->value.num;
}

/* In hexadecimal, as text_is() would not take it. */
static bool same_hex(const struct item *x, const struct item *y)
{
	return !strcasecmp(x->value.text, y->value.text);
}

static bool same_pci(const struct item *x, const struct item *y)
{
	return is_pci(&y->value, &(struct port){ .bdf = x->value.text });
}

/* A glob takes whatever a name without wildcards or the same glob takes. */
static bool glob_takes(const struct item *x, const struct item *y)
{
	return same_text(x, y) || !strcmp(y->value.text, "*") ||
	       (!strpbrk(x->value.text, "*?[\\") && glob(&y->value, x->value.text));
}

/* Does what meets @x meet @y, by criterion. */
static bool (*const takes[GROUP_MATCHES])(const struct item *x, const struct item *y) = {
	[GROUP_DRIVER] = same_text, [GROUP_IFNAME] = glob_takes, [GROUP_IBDEV] = glob_takes,   [GROUP_PCI] = same_pci,
	[GROUP_ID] = same_hex,	    [GROUP_BOARD] = same_text,	 [GROUP_LINK] = same_number,   [GROUP_NUMA] = same_number,
	[GROUP_FUNCTION] = same_number, [GROUP_SPEED] = same_number, [GROUP_RAIL] = same_number,
};

bool match_within(const struct item *const *narrow, const struct item *const *wide)
{
	for (unsigned f = 0; f < GROUP_MATCHES; f++)
		if (item_says(wide[f]) && !(item_says(narrow[f]) && takes[f](narrow[f], wide[f])))
			return false;
	return true;
}

/* Names are globs: of those nothing is said. */
const struct item *match_excluded(const struct part_of_layer *group, const struct item *const *wanted)
{
	for (unsigned f = 0; f < GROUP_MATCHES; f++)
		if (f != GROUP_IFNAME && f != GROUP_IBDEV && item_says(wanted[f]) && asked(group, f) &&
		    !takes[f](wanted[f], asked(group, f)))
			return wanted[f];
	return NULL;
}

static const char *asked_text(const struct part_of_layer *g, unsigned field)
{
	const struct item *i = asked(g, field);

	return i ? i->value.text : "";
}

void match_imagine(const struct part_of_layer *group, struct port *port)
{
	const struct item *link = asked(group, GROUP_LINK), *function = asked(group, GROUP_FUNCTION), *speed = asked(group, GROUP_SPEED);

	*port = (struct port){
		.name = group->name,
		.ifname = group->name,
		.master = "",
		.ibdev = group->name,
		.ibport = 1,
		.driver = asked_text(group, GROUP_DRIVER),
		.bdf = asked_text(group, GROUP_PCI),
		.pci_path = "",
		.board = asked_text(group, GROUP_BOARD),
		.physfn = "",
		.node_desc = "",
		.fw_version = "",
		.speed_mbps = speed ? (uint32_t)speed->value.num : 0,
		.numa_node = -1,
		.link_layer = link ? (enum link_layer)(link->value.num + 1) : LINK_LAYER_ETHERNET,
		.function = function ? (enum function)(function->value.num + 1) : FUNCTION_PF,
	};
	if (*asked_text(group, GROUP_ID)) {
		port->pci_vendor = (uint16_t)strtoul(asked_text(group, GROUP_ID), NULL, 16);
		port->pci_device = (uint16_t)strtoul(strchr(asked_text(group, GROUP_ID), ':') + 1, NULL, 16);
	}
	port->protocol = port->link_layer == LINK_LAYER_INFINIBAND ? "ib" : "roce";
}
