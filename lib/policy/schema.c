/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the language as a tree, and what to say of a key that is not in it. */
#include "policy/schema.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "model/catalog.h"
#include "policy/language.h"

/* --- the language's own fields ---------------------------------------------- */

static bool hex_digits(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdefABCDEF") >= n;
}

/* The whole address: machines have several PCI domains, and a domain left out would be a guess. */
static int parse_pci(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	size_t domain = strspn(s, "0123456789abcdefABCDEF"), n = strlen(s);
	const char *rest = s + domain;

	(void)f;
	if (domain < 4 || domain > 8 || n != domain + 8 || rest[0] != ':' || rest[3] != ':' || rest[6] != '.' ||
	    !hex_digits(rest + 1, 2) || !hex_digits(rest + 4, 2) || rest[7] < '0' || rest[7] > '7') {
		*why = "is not a whole PCI address: write domain, bus, device and function, such as 0000:9a:00.0";
		return -EINVAL;
	}
	v->text = arena_strdup(a, s);
	return 0;
}

static int parse_id(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	(void)f;
	if (strlen(s) != 9 || s[4] != ':' || !hex_digits(s, 4) || !hex_digits(s + 5, 4)) {
		*why = "is not a PCI vendor and device: write four hex digits each, such as \"15b3:101d\"";
		return -EINVAL;
	}
	v->text = arena_strdup(a, s);
	return 0;
}

/* enum link_layer and enum function less 1: what is unknown cannot be asked for. */
static const char *const link_words[] = { "ethernet", "infiniband", NULL };
static const char *const function_words[] = { "pf", "vf", "sf", NULL };

static const char *const rails_words[] = { "pci", "gpu", "ifname", NULL };	/* RAILS_BY_* */

static const struct field group_fields[] = {
	[GROUP_DRIVER] = { "match.driver", KIND_TEXT,
			   .doc = "driver of the PCI function, exact (mlx5_core), or rdma_rxe, siw" },
	[GROUP_IFNAME] = { "match.ifname", KIND_TEXT, .doc = "netdev name, a glob (ens*f0np0)" },
	[GROUP_IBDEV] = { "match.ibdev", KIND_TEXT, .doc = "RDMA device name, a glob (mlx5_*)" },
	[GROUP_PCI] = { "match.pci", KIND_TEXT, .parse = parse_pci, .doc = "whole PCI address: 0000:9a:00.0" },
	[GROUP_ID] = { "match.id", KIND_TEXT, .parse = parse_id, .doc = "PCI vendor and device: \"15b3:101d\"" },
	[GROUP_BOARD] = { "match.board", KIND_TEXT, .doc = "board id (PSID), exact" },
	[GROUP_LINK] = { "match.link", KIND_WORD, .words = link_words, .doc = "link layer" },
	[GROUP_NUMA] = { "match.numa", KIND_UINT, .max = INT_MAX, .doc = "NUMA node of the PCI function" },
	[GROUP_FUNCTION] = { "match.function", KIND_WORD, .words = function_words,
			     .doc = "PCI function: pf, vf or sf" },
	[GROUP_SPEED] = { "match.speed", KIND_UINT, .min = 1, .max = UINT32_MAX, .unit = "Mb/s",
			  .doc = "speed of the link now" },
	[GROUP_RAIL] = { "match.rail", KIND_UINT, .max = 4095, .doc = "number that rails: gives the port, from 0" },
	[GROUP_FABRIC] = { "fabric", KIND_TEXT,
			   .doc = "fabric whose classes and MTU these ports take; the one named default without it, and null for none" },
	[GROUP_OPTIONAL] = { "optional", KIND_TEXTS, .doc = "settings whose lack is no drift" },
	[GROUP_RAILS] = { "rails.by", KIND_WORD, .words = rails_words,
			  .doc = "order in which the group's ports are numbered: PCI address, nearest GPU, or name" },
	[GROUP_EXCEPT] = { "except", KIND_TEXTS, .doc = "odd NICs and nodes, and what is asked of them instead" },
	{ 0 },
};
const struct setting schema_group = { .name = "group", .fields = group_fields };

static const struct field class_fields[] = {
	[CLASS_PRIORITY] = { "priority", KIND_UINT, .max = 7, .doc = "priority (PCP, PFC) of the class" },
	[CLASS_DSCP] = { "dscp", KIND_SET, .max = 63, .doc = "DSCPs of the class" },
	[CLASS_LOSSLESS] = { "lossless", KIND_BOOL, .doc = "PFC protects it" },
	[CLASS_STRICT] = { "strict", KIND_BOOL, .doc = "its traffic class is served before all that share bandwidth" },
	[CLASS_BANDWIDTH] = { "bandwidth", KIND_UINT, .max = 100, .unit = "%", .doc = "its share of the bandwidth" },
	[CLASS_TC] = { "tc", KIND_UINT, .max = 7, .doc = "traffic class, if not the priority's number" },
	{ 0 },
};
static const struct setting class_setting = { .name = "class", .fields = class_fields };

static const struct field fabric_fields[] = {
	[FABRIC_MTU] = { "mtu", KIND_UINT, .min = 68, .max = 65535, .unit = "bytes",
			 .doc = "IP MTU of every RDMA port" },
	{ 0 },
};
static const struct setting fabric_setting = { .name = "fabric", .fields = fabric_fields };

/* --- maps that are no tables of fields ---------------------------------------- */

const struct word schema_top[] = {
	[TOP_VERSION] = { "version", "of the language; stands in each file" },
	[TOP_REQUIRES] = { "requires", "versions of rdmactl that may read it: \">=0.1\", \">=0.1 <2\"" },
	[TOP_INCLUDE] = { "include", "further files, relative to this one" },
	[TOP_REVISION] = { "revision", "yours to choose; stands in every report" },
	[TOP_CLUSTER] = { "cluster", "name of the cluster, for people" },
	[TOP_FABRIC] = { "fabric", "the one fabric, named default" },
	[TOP_FABRICS] = { "fabrics", "by name: MTU and classes of traffic, said once for both ends of the wire" },
	[TOP_PROFILES] = { "profiles", "by name: what nodes of one kind are asked for" },
	[TOP_NODES] = { "nodes", "by name, host list or glob: what these nodes are asked for" },
	[TOP_COHORTS] = { "cohorts", "by name: nodes that take new values first" },
	{ 0 },
};
#define PARTS \
	[PART_NODE] = { "node", "settings of the node itself" }, \
	[PART_PORTS] = { "ports", "by a name of yours: groups of ports, and what they are asked for" }

const struct word schema_part[] = { PARTS, { 0 } };
const struct word schema_profile[] = {
	PARTS,
	[PROFILE_EXTENDS] = { "extends", "profiles that this one builds on, from left to right" },
	{ 0 },
};
const struct word schema_entry[] = {
	[ENTRY_PROFILES] = { "profiles", "profiles of these nodes, from left to right" },
	[ENTRY_LABELS] = { "labels", "free words, for cohorts" },
	[ENTRY_SET] = { "set", "settings of these nodes, over those of the profiles" },
	{ 0 },
};
const struct word schema_cohort[] = {
	[COHORT_BY_NODES] = { "nodes", "host list of the nodes that belong to it" },
	[COHORT_BY_LABELS] = { "labels", "nodes that have all of these labels" },
	[COHORT_BY_HASH] = { "hash", "share of the nodes, picked by their names: 1%, 0.25%" },
	[COHORT_SET] = { "set", "settings that beat those of all entries" },
	{ 0 },
};
const struct word schema_exception[] = {
	[EXCEPT_NODES] = { "nodes", "host list of the nodes that it is for; without it all" },
	[EXCEPT_MATCH] = { "match", "which ports of the group it is for; without it all" },
	[EXCEPT_SET] = { "set", "settings of these ports instead of the group's" },
	[EXCEPT_BECAUSE] = { "because", "why, for whoever reads it in a year" },
	[EXCEPT_UNTIL] = { "until", "its last day, 2027-01-31; after it, it is a finding" },
	{ 0 },
};
const struct word schema_classes[] = {
	[CLASSES_CNP] = { CLASS_CNP, "the class of congestion notifications: it has one DSCP, and ecn: fabric takes it from here" },
	[CLASSES_DEFAULT] = { CLASS_DEFAULT, "the class of every DSCP that no other one names; it lists none itself" },
	{ 0 },
};
const struct word schema_fabric[] = {
	[FABRIC_CLASSES] = { "classes", "by name: classes of traffic; cnp and default have a meaning" },
	[FABRIC_TIERS] = { "tiers", "by name: switches of one kind" },
	{ 0 },
};
const struct word schema_tier[] = {
	[TIER_LINKS] = { "links", "by name: ports of these switches of one kind" },
	{ 0 },
};

/* --- the tree --------------------------------------------------------------- */

/* Is it the @n bytes at @name, whatever they are. */
static bool key_named(const struct key *k, const char *name, size_t n)
{
	return strlen(k->name) == n && !memcmp(k->name, name, n);
}

const struct key *key_child(const struct key *k, const char *name, size_t n)
{
	for (size_t i = 0; n && *name != '*' && i < k->n; i++)
		if (key_named(k->child[i], name, n))
			return k->child[i];
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->child[i]->name, "*"))
			return k->child[i];
	return NULL;
}

bool key_derives(const struct key *k)
{
	return k->setting->derive && k->setting->scope != SCOPE_NODE;	/* a node belongs to no fabric: its settings judge names */
}

bool key_is_of_group(const struct key *k)
{
	return k->setting == &schema_group ? k->index != GROUP_FABRIC && k->index != GROUP_OPTIONAL
					   : k->setting->scope == SCOPE_GROUP;
}

static void list_child(struct key *k, struct arena *a, struct key *child)
{
	if (k->n == k->room) {
		k->child = arena_grow(a, k->child, k->n, k->n + 4, sizeof(struct key *));
		k->room += k->n + 4;
	}
	k->child[k->n++] = child;
}

/* The last word of a path needs no copy: it ends where the path does. */
static struct key *child_named(struct key *k, struct arena *a, const char *path, size_t start, size_t end)
{
	size_t n = end - start;
	struct key *child;

	for (size_t i = 0; i < k->n; i++)
		if (key_named(k->child[i], path + start, n))
			return k->child[i];
	child = arena_new_of(a, struct key);
	child->name = path[end] ? arena_strndup(a, path + start, n) : path + start;
	child->path = path[end] ? arena_strndup(a, path, end) : path;
	list_child(k, a, child);
	return child;
}

static struct key *key_of(struct key *root, struct arena *a, const struct setting *setting, unsigned index)
{
	const char *path = setting->fields[index].name;
	struct key *k = root;
	size_t start = 0, end;

	do {
		end = start + strcspn(path + start, ".");
		k = child_named(k, a, path, start, end);
		start = end + 1;
	} while (path[end]);
	k->field = &setting->fields[index];
	k->setting = setting;
	k->index = index;
	k->starred = strchr(path, '*');
	return k;
}

static void add_field(struct schema *s, struct key *root, struct arena *a, const struct setting *setting,
		      unsigned index)
{
	struct key *k = key_of(root, a, setting, index);

	k->leaf = (unsigned)s->nleaves;
	if (s->nleaves == s->room) {
		s->leaf = arena_grow(a, s->leaf, s->nleaves, s->nleaves + 64, sizeof(*s->leaf));
		s->room += s->nleaves + 64;
	}
	s->leaf[s->nleaves++] = k;
}

static void add_setting(struct schema *s, struct key *root, struct arena *a, const struct setting *setting)
{
	for (unsigned i = 0; setting->fields[i].name; i++)
		add_field(s, root, a, setting, i);
}

static struct key *root_new(struct arena *a)
{
	struct key *k = arena_new_of(a, struct key);

	k->name = k->path = "";
	return k;
}

struct schema *schema_new(struct arena *a, const struct catalog *c)
{
	struct schema *s = arena_new_of(a, struct schema);

	s->node = root_new(a);
	s->group = root_new(a);
	s->class = root_new(a);
	s->fabric = root_new(a);
	add_setting(s, s->group, a, &schema_group);
	add_setting(s, s->class, a, &class_setting);
	add_setting(s, s->fabric, a, &fabric_setting);
	for (size_t i = 0; i < c->nsettings; i++)
		add_setting(s, c->setting[i]->scope == SCOPE_NODE ? s->node : s->group, a, c->setting[i]);
	return s;
}

struct tier_keys schema_tiers(struct arena *a)
{
	struct key *tier = root_new(a), *link = root_new(a);

	for (unsigned i = 0; i < FABRIC_LINK_FIELDS; i++)
		key_of(i == FABRIC_PORTS ? link : tier, a, &fabric_link_setting, i);
	for (size_t i = 0; i < tier->n; i++) {
		struct key *k = tier->child[i];

		if (!k->field || (k->index != FABRIC_NOS && k->index != FABRIC_ASIC))
			list_child(link, a, k);
	}
	return (struct tier_keys){ tier, link };
}

/* --- keys that are not there ------------------------------------------------ */

bool schema_later(const char *path)
{
	static const char *const later[] = {
		"ports.affinity", "ports.dcbx.mode", "ports.qos.rate", "ports.qos.pfc_stall_prevention",
		"ports.pcie.max_read_request", "ports.pcie.relaxed_ordering", "ports.ecn.algorithm",
	};

	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (!strcmp(later[i], path))
			return true;
	return false;
}

/* What people take from elsewhere, and what stands for it here. */
static const char *other_name(const char *path)
{
	static const struct {
		const char *path, *instead;
	} names[] = {
		{ "ports.ecn.np_cnp_dscp", "write ecn: {cnp: {dscp: 48}}" },
		{ "ports.ecn.np_cnp_prio", "write ecn: {cnp: {priority: 6}}" },
		{ "ports.ecn.np_cnp_prio_mode", "write ecn: {cnp: {priority: 6}}, which sets the mode as well" },
		{ "ports.gid.index", "an index is never wanted: it differs between nodes and moves; write gid: {version: v2, family: ipv4}" },
		{ "ports.match.vendor", "write match: {id: \"15b3:101d\"}, PCI vendor and device" },
		{ "ports.match.psid", "write match: {board: …}" },
		{ "class.cos", "write priority" },
		{ "class.prio", "write priority" },
		{ "class.pfc", "write lossless: true" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].path, path))
			return names[i].instead;
	return NULL;
}

static const char *nearest(const struct key *map, struct arena *a, const char *name, const struct word *words)
{
	size_t n = 0, nwords = 0;
	const char **all;

	for (; words && words[nwords].key; nwords++)
		;
	all = arena_array_of(a, const char *, nwords + (map ? map->n : 0) + 1);
	for (; n < nwords; n++)
		all[n] = words[n].key;
	for (size_t i = 0; map && i < map->n; i++)
		if (strcmp(map->child[i]->name, "*") != 0)
			all[n++] = map->child[i]->name;
	return text_nearest(name, all);
}

static bool is_of_fabric(const char *context)
{
	static const char *const all[] = { "fabric", "class", "tier", "link" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i], context))
			return true;
	return false;
}

const char *schema_hint(const struct schema *s, struct arena *a, const char *context, const struct key *map,
			const char *name, const struct word *words)
{
	const char *path =
		arena_printf(a, "%s%s%s.%s", context, map && *map->path ? "." : "", map ? map->path : "", name);
	const char *other = other_name(path), *near;

	if (other)
		return other;
	if (strchr(name, ':') && !strchr(name, ' '))
		return "a blank must stand behind the colon: `key: value`";
	near = nearest(map, a, name, words);
	other = language_elsewhere(s, a, map, is_of_fabric(context), name);
	if (near && other)
		return arena_printf(a, "%s; or did you mean %s?", other, near);
	return near ? arena_printf(a, "did you mean %s?", near) : other;
}
