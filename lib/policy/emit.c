/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy from what was read: fabrics where values follow from classes, a profile for the nodes' own settings and one for
 * each group of ports, what is odd as exceptions, and in comments what was not read. It says what was found, not what is
 * right.
 */
#include "policy/emit.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/text.h"
#include "fabric/sketch.h"
#include "model/targets.h"
#include "policy/fold.h"
#include "policy/gather.h"
#include "policy/hostlist.h"

enum { COMMENT_MAX = 200, COLUMNS = 110 };

struct emitter {
	struct arena *a;
	struct text *out;
	struct diags *d;
	struct gather g;
	const struct gather_object *usual;	/* the node's own settings as most nodes have them */
	struct {
		const char *name, *body;	/* what it holds, as it is written */
	} *fabric;			/* of each group; name NULL: none */
	const char ***value;		/* of each group and key: what is asked of all, NULL: nothing */
};

/* --- lines --------------------------------------------------------------------- */

struct line {
	const char *path, *value;	/* "qos.pfc", "[3]" */
};

struct lines {
	struct line *at;
	size_t n, room;
};

static void indent(struct text *t, unsigned depth)
{
	while (depth--)
		text_add(t, "  ");
}

static void put(struct emitter *x, struct text *t, const struct lines *lines, size_t prefix, int depth);

/* All lines below one word, taken out of where they stand, as a map in a line (@depth < 0) or of lines. */
static void put_map(struct emitter *x, struct text *t, const struct lines *lines, size_t first, size_t prefix, int depth)
{
	const char *path = lines->at[first].path;
	size_t end = prefix + strcspn(path + prefix, ".") + 1;
	struct lines below = { 0 };

	for (size_t i = first; i < lines->n; i++)
		if (!strncmp(lines->at[i].path, path, end))
			list_add(&below, x->a) = lines->at[i];
	text_printf(t, "%.*s:", (int)(end - 1 - prefix), path + prefix);
	text_add(t, depth < 0 ? " {" : "\n");
	put(x, t, &below, end, depth < 0 ? depth : depth + 1);
	text_add(t, depth < 0 ? "}" : "");
}

static bool stands_before(const struct lines *lines, size_t i, size_t prefix)
{
	size_t end = prefix + strcspn(lines->at[i].path + prefix, ".") + 1;

	for (size_t k = 0; k < i; k++)
		if (!strncmp(lines->at[k].path, lines->at[i].path, end))
			return true;
	return false;
}

static void put(struct emitter *x, struct text *t, const struct lines *lines, size_t prefix, int depth)
{
	for (size_t i = 0, n = 0; i < lines->n; i++) {
		const char *word = lines->at[i].path + prefix;

		if (strchr(word, '.') && stands_before(lines, i, prefix))
			continue;
		if (depth >= 0)
			indent(t, (unsigned)depth);
		else
			text_add(t, n++ ? ", " : "");
		if (strchr(word, '.'))
			put_map(x, t, lines, i, prefix, depth);
		else
			text_printf(t, depth < 0 ? "%s: %s" : "%s: %s\n", word, lines->at[i].value);
	}
}

/* Lines in one: "pcie: {width: 8}" */
static const char *in_one(struct emitter *x, const struct lines *lines)
{
	TEXT_CLEANUP struct text t = { 0 };

	put(x, &t, lines, 0, -1);
	return arena_strdup(x->a, text_str(&t));
}

static const char *safe(struct emitter *x, const char *s)
{
	return text_safe(x->a, s, strlen(s), COMMENT_MAX);
}

/* --- classes ------------------------------------------------------------------- */

static const char *fabric_body(struct emitter *x, const struct fabric *f)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (f->mtu)
		text_printf(&t, "    mtu: %lld\n", (long long)f->mtu);
	text_add(&t, "    classes:\n");
	for (size_t i = 0; i < f->n; i++) {
		const struct traffic_class *c = &f->at[i];
		struct value dscp = { .num = (int64_t)c->dscp };

		text_printf(&t, "      %s: {priority: %d", c->name, c->priority);
		if (strcmp(c->name, CLASS_DEFAULT) != 0)
			text_printf(&t, ", dscp: %s", gather_yaml(x->a, &(struct field){ .kind = KIND_SET }, &dscp));
		text_add(&t, c->lossless ? ", lossless: true" : "");
		text_add(&t, c->strict ? ", strict: true" : "");
		if (c->bandwidth_percent >= 0)
			text_printf(&t, ", bandwidth: %d%%", c->bandwidth_percent);
		if (c->tc != c->priority)
			text_printf(&t, ", tc: %d", c->tc);
		text_add(&t, "}\n");
	}
	return arena_strdup(x->a, text_str(&t));
}

/* Does the classes' own arithmetic give just this value for this key. */
static bool follows(struct emitter *x, const struct gather_object *o, const struct fabric *f, size_t k)
{
	const struct gather_key *key = &x->g.key[k];
	struct record *want = record_new(x->a, key->setting), *all[] = { want };
	struct wishes w = { .fabric = f, .record = all, .n = 1, .arena = x->a };
	const char *yaml;
	struct diags told;

	if (!key->setting->derive || !o->yaml[k])
		return false;
	diags_init(&told, x->a);
	w.target = target_of_port(x->a, o->node->facts, o->port, key->setting->scope, "");
	want->at[key->index].state = CELL_FABRIC;
	if (!w.target || key->setting->derive(&w, want, &told) < 0 || want->at[key->index].state != CELL_VALUE)
		return false;
	yaml = gather_yaml(x->a, key->field, &want->at[key->index].value);
	return yaml && !strcmp(yaml, o->yaml[k]);
}

static void look_for_classes(struct emitter *x, size_t i)
{
	const struct gather_object *o = x->g.group[i].usual;
	struct fabric_sketch sketch;
	struct fabric f;
	bool any = false;

	fabric_sketch_init(&sketch);
	for (size_t k = 0; k < x->g.nkeys; k++) {
		const struct record *have = x->g.key[k].setting->suggest ? gather_record(&x->g, o, x->g.key[k].setting) : NULL;

		if (have)
			x->g.key[k].setting->suggest(have, &sketch);
	}
	if (!fabric_of_sketch(x->a, &sketch, x->g.group[i].name, &f))
		return;
	for (size_t k = 0; k < x->g.nkeys; k++)
		if (follows(x, o, &f, k)) {
			x->value[i][k] = "fabric";
			any = true;
		}
	if (!any)
		return;
	x->fabric[i].body = fabric_body(x, &f);
	x->fabric[i].name = f.name;
	for (size_t k = 0; k < i; k++)
		if (x->fabric[k].name && !strcmp(x->fabric[k].body, x->fabric[i].body))
			x->fabric[i].name = x->fabric[k].name;
}

static void find_values(struct emitter *x)
{
	const struct gather *g = &x->g;

	x->fabric = arena_alloc(x->a, sizeof(*x->fabric) * (g->ngroups + 1));
	x->value = arena_array_of(x->a, const char **, g->ngroups + 1);
	for (size_t i = 0; i < g->ngroups; i++) {
		x->value[i] = arena_array_of(x->a, const char *, g->nkeys + 1);
		memcpy(x->value[i], g->group[i].usual->yaml, sizeof(const char *) * g->nkeys);
		look_for_classes(x, i);
	}
}

static void put_fabrics(struct emitter *x)
{
	bool any = false;

	for (size_t i = 0; i < x->g.ngroups; i++) {
		if (!x->fabric[i].name || strcmp(x->fabric[i].name, x->g.group[i].name) != 0)
			continue;
		text_printf(x->out, "%s  %s:\n%s", any ? "" : "\nfabrics:\n", x->fabric[i].name, x->fabric[i].body);
		any = true;
	}
}

/* --- what was not read --------------------------------------------------------- */

/* Why a policy does not ask for it, or NULL if it does. */
static const char *lacking(struct emitter *x, const struct gather_object *o, size_t k)
{
	const struct cell *c = o->cell[k];
	TEXT_CLEANUP struct text t = { 0 };

	if (!c || (c->state == CELL_VALUE && o->yaml[k]))
		return NULL;
	if (c->state == CELL_VALUE) {
		text_add(&t, "found to be ");
		value_print(c->field, &c->value, &t);
		text_add(&t, ", which no policy can ask for");
	} else {
		text_printf(&t, "not read, %s", reason_name(c->reason));
		if (c->because)
			text_printf(&t, ": %s", c->because);
	}
	return safe(x, text_str(&t));
}

/* "# …", in lines that a person reads without a wide screen. */
static void put_comment(struct emitter *x, const char *s, unsigned depth)
{
	size_t width = COLUMNS - 2 * depth - 2;

	while (*s) {
		size_t n = strlen(s);

		if (n > width)
			for (n = width; n && s[n] != ' '; n--)
				;
		n = n ? n : strcspn(s, " ");
		indent(x->out, depth);
		text_printf(x->out, "# %.*s\n", (int)n, s);
		s += n + (s[n] == ' ');
	}
}

/* One comment for all keys of one reason. */
static void put_lacking(struct emitter *x, const struct gather_object *o, unsigned depth)
{
	for (size_t k = 0; k < x->g.nkeys; k++) {
		const char *why = lacking(x, o, k), *other;
		TEXT_CLEANUP struct text t = { 0 };
		bool told = false;

		for (size_t i = 0; i < k && why && !told; i++) {
			other = lacking(x, o, i);
			told = other && !strcmp(other, why);
		}
		if (!why || told)
			continue;
		for (size_t i = k; i < x->g.nkeys; i++) {
			other = lacking(x, o, i);
			if (other && !strcmp(other, why))
				text_printf(&t, "%s%s", t.n ? ", " : "", x->g.key[i].field->name);
		}
		text_printf(&t, ": %s", why);
		put_comment(x, text_str(&t), depth);
	}
}

/* Entries of traffic classes that no policy can ask for. */
static void put_partial(struct emitter *x, const struct gather_object *o, unsigned depth)
{
	for (size_t k = 0; k < x->g.nkeys; k++) {
		const struct cell *c = o->cell[k];
		TEXT_CLEANUP struct text t = { 0 };
		bool some = false;

		if (!o->yaml[k] || x->g.key[k].field->kind != KIND_SHARES)
			continue;
		for (unsigned i = 0; i < 8; i++)
			some = some || c->value.map[i] == SHARE_CBS || c->value.map[i] == SHARE_UNKNOWN;
		if (!some)
			continue;
		text_printf(&t, "%s was ", c->name);
		value_print(c->field, &c->value, &t);
		text_add(&t, ": what is not named is left as it is");
		put_comment(x, text_str(&t), depth);
	}
}

/* --- what is odd ---------------------------------------------------------------- */

struct odd {
	const char *set, *match;
	struct { const char **at; size_t n, room; } nodes;
	size_t ports;
};

struct odds {
	struct odd *at;
	size_t n, room;
};

static void differences(struct emitter *x, const struct gather_object *usual, const struct gather_object *o, struct lines *out)
{
	for (size_t k = 0; k < x->g.nkeys; k++)
		if (gather_differs(usual, o, k))
			list_add(out, x->a) = (struct line){ x->g.key[k].field->name, o->yaml[k] ? o->yaml[k] : "null" };
}

static const char *odd_set(struct emitter *x, const struct gather_group *g, const struct gather_object *o)
{
	struct lines lines = { 0 };

	differences(x, g->usual, o, &lines);
	return in_one(x, &lines);
}

/* What names this port alone among those of its group on its node; "" if all of them there are odd in this way. */
static const char *odd_match(struct emitter *x, const struct gather_group *g, const struct gather_object *o, const char *set)
{
	static const unsigned by[] = { GROUP_PCI, GROUP_IFNAME, GROUP_IBDEV };
	bool all = true;

	for (size_t i = 0; i < g->n; i++)
		all = all && (g->at[i]->node != o->node || !strcmp(odd_set(x, g, g->at[i]), set));
	if (all && x->g.nnodes > 1)
		return "";
	for (size_t b = 0; b < sizeof(by) / sizeof(by[0]); b++) {
		const char *mine = gather_criterion(x->a, o->port, by[b]);
		bool others = !*mine;

		for (size_t i = 0; i < g->n && !others; i++)
			others = g->at[i] != o && g->at[i]->node == o->node &&
				 !strcmp(gather_criterion(x->a, g->at[i]->port, by[b]), mine);
		if (!others)
			return arena_printf(x->a, "%s: %s", schema_group.fields[by[b]].name + strlen("match."),
					    gather_quoted(x->a, mine));
	}
	return NULL;
}

static struct odd *odd_find(struct emitter *x, struct odds *all, const char *set, const char *match)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].set, set) && !strcmp(all->at[i].match, match))
			return &all->at[i];
	list_add(all, x->a) = (struct odd){ .set = set, .match = match };
	return &all->at[all->n - 1];
}

static void find_odd(struct emitter *x, const struct gather_group *g, struct odds *all)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *set = odd_set(x, g, g->at[i]), *match = *set ? odd_match(x, g, g->at[i], set) : NULL;
		struct odd *o;

		if (!match)
			continue;
		diag_note(x->d, NULL, "%s: %s is odd: %s", g->at[i]->node->name, safe(x, g->at[i]->port->name), set);
		o = odd_find(x, all, set, match);
		o->ports++;
		if (!o->nodes.n || strcmp(o->nodes.at[o->nodes.n - 1], g->at[i]->node->name) != 0)
			list_add(&o->nodes, x->a) = g->at[i]->node->name;
	}
}

static int put_odd(struct emitter *x, const struct gather_group *g)
{
	struct odds all = { 0 };
	size_t n = 0;

	find_odd(x, g, &all);
	for (size_t i = 0; i < all.n; i++) {
		const char *const *hosts = fold_hosts(x->a, all.at[i].nodes.at, all.at[i].nodes.n);

		for (; *hosts; hosts++) {
			if (n++ >= DECODE_EXCEPTIONS_MAX)
				break;
			text_printf(x->out, "%s          - {nodes: \"%s\"", n == 1 ? "        except:\n" : "", *hosts);
			if (*all.at[i].match)
				text_printf(x->out, ", match: {%s}", all.at[i].match);
			text_printf(x->out, ", set: {%s},\n             because: \"found so on %zu of %zu ports\"}\n", all.at[i].set,
				    all.at[i].ports, g->n);
		}
	}
	if (n <= DECODE_EXCEPTIONS_MAX)
		return 0;
	diag_error(x->d, NULL, "group %s has more than %d kinds of odd ports", g->name, DECODE_EXCEPTIONS_MAX);
	diag_hint(x->d, "these nodes have too little in common for one policy: capture fewer of them, or those that are alike");
	return -EINVAL;
}

/* --- profiles ------------------------------------------------------------------- */

static void put_match(struct emitter *x, const struct gather_group *g)
{
	size_t n = 0;

	text_add(x->out, "        match: {");
	for (unsigned c = 0; c < GROUP_MATCHES; c++) {
		const char *value = g->match >> c & 1 ? gather_criterion(x->a, g->at[0]->port, c) : "";

		if (*value)
			text_printf(x->out, "%s%s: %s", n++ ? ", " : "", schema_group.fields[c].name + strlen("match."),
				    gather_quoted(x->a, value));
	}
	text_add(x->out, "}\n");
}

static int put_group(struct emitter *x, size_t i)
{
	const struct gather_group *g = &x->g.group[i];
	struct lines lines = { 0 };

	text_printf(x->out, "  %s:\n    ports:\n      %s:\n", g->name, g->name);
	if (!g->match) {
		text_add(x->out, "        # nothing tells these ports from others\n");
		diag_warning(x->d, NULL, "group %s: nothing tells its ports from others: write its match by hand", g->name);
	}
	put_match(x, g);
	text_printf(x->out, "        count: %zu\n", g->count);
	if (x->fabric[i].name)
		text_printf(x->out, "        fabric: %s\n", x->fabric[i].name);
	for (size_t k = 0; k < x->g.nkeys; k++)
		if (x->value[i][k])
			list_add(&lines, x->a) = (struct line){ x->g.key[k].field->name, x->value[i][k] };
	put(x, x->out, &lines, 0, 4);
	put_partial(x, g->usual, 4);
	put_lacking(x, g->usual, 4);
	return put_odd(x, g);
}

/* Of a node's own settings, its values. */
static uint64_t hash_of(const struct emitter *x, const struct gather_object *o)
{
	uint64_t h = hash_seed();

	for (size_t k = 0; k < x->g.nkeys; k++)
		h = o->yaml[k] ? hash_add(h, o->yaml[k], strlen(o->yaml[k]) + 1) : hash_number(h, k);
	return h;
}

/* The node whose own settings most nodes have. */
static void find_usual(struct emitter *x)
{
	uint64_t *hash = arena_array_of(x->a, uint64_t, x->g.nnodes);
	size_t best = 0;

	for (size_t i = 0; i < x->g.nnodes; i++)
		hash[i] = hash_of(x, &x->g.nodes[i]);
	for (size_t i = 0; i < x->g.nnodes; i++) {
		size_t same = 0;

		for (size_t j = 0; j < x->g.nnodes; j++)
			same += hash[i] == hash[j];
		if (same > best) {
			best = same;
			x->usual = &x->g.nodes[i];
		}
	}
}

static bool has_own(const struct emitter *x)
{
	for (size_t k = 0; k < x->g.nkeys; k++)
		if (x->usual->yaml[k])
			return true;
	return false;
}

static int put_profiles(struct emitter *x)
{
	struct lines lines = { 0 };
	int r = 0;

	for (size_t k = 0; k < x->g.nkeys; k++)
		if (x->usual->yaml[k])
			list_add(&lines, x->a) = (struct line){ x->g.key[k].field->name, x->usual->yaml[k] };
	text_add(x->out, "\nprofiles:\n");
	if (lines.n)
		text_add(x->out, "  node:\n    node:\n");
	put(x, x->out, &lines, 0, 3);
	put_lacking(x, x->usual, lines.n ? 3 : 1);
	for (size_t i = 0; i < x->g.ngroups && r == 0; i++)
		r = put_group(x, i);
	return r;
}

/* --- nodes ---------------------------------------------------------------------- */

static const char *entry_of(struct emitter *x, size_t node)
{
	struct lines set = { 0 }, own = { 0 };
	TEXT_CLEANUP struct text t = { 0 };
	size_t n = 0;

	text_add(&t, "{profiles: [");
	if (has_own(x))
		text_add(&t, n++ ? ", node" : "node");
	for (size_t i = 0; i < x->g.ngroups; i++) {
		const struct gather_group *g = &x->g.group[i];

		if (!g->on[node])
			continue;
		text_printf(&t, "%s%s", n++ ? ", " : "", g->name);
		if (g->on[node] != g->count)
			list_add(&set, x->a) = (struct line){ arena_printf(x->a, "ports.%s.count", g->name),
							      arena_printf(x->a, "%zu", g->on[node]) };
	}
	text_add(&t, "]");
	differences(x, x->usual, &x->g.nodes[node], &own);
	for (size_t i = 0; i < own.n; i++)
		list_add(&set, x->a) = (struct line){ arena_printf(x->a, "node.%s", own.at[i].path), own.at[i].value };
	if (set.n)
		text_printf(&t, ", set: {%s}", in_one(x, &set));
	text_add(&t, "}");
	return arena_strdup(x->a, text_str(&t));
}

static void tell_odd_nodes(struct emitter *x, const char *const *entry, const size_t *alike)
{
	size_t most = 0;

	for (size_t i = 0; i < x->g.nnodes; i++)
		most = alike[i] > alike[most] ? i : most;
	for (size_t i = 0; i < x->g.nnodes; i++)
		if (strcmp(entry[i], entry[most]) != 0)
			diag_note(x->d, NULL, "%s is odd: %s, and most are %s", x->g.node[i].name, entry[i], entry[most]);
}

/* Is it a text for every reader: no number, no null, nothing that begins a list or a sign of YAML. */
static bool is_plain_key(struct arena *a, const char *hosts)
{
	return !strchr("[-.0123456789", *hosts) && (strpbrk(hosts, "[,") || !strcmp(gather_quoted(a, hosts), hosts));
}

static void put_nodes(struct emitter *x)
{
	const char **entry = arena_array_of(x->a, const char *, x->g.nnodes);
	size_t *alike = arena_array_of(x->a, size_t, x->g.nnodes);

	for (size_t i = 0; i < x->g.nnodes; i++)
		entry[i] = entry_of(x, i);
	text_add(x->out, "\nnodes:\n");
	for (size_t i = 0; i < x->g.nnodes; i++) {
		struct { const char **at; size_t n, room; } names = { 0 };
		bool told = false;

		for (size_t k = 0; k < i && !told; k++)
			told = !strcmp(entry[k], entry[i]);
		for (size_t k = i; k < x->g.nnodes && !told; k++)
			if (!strcmp(entry[k], entry[i]))
				list_add(&names, x->a) = x->g.node[k].name;
		alike[i] = names.n;
		if (told)
			continue;
		for (const char *const *h = fold_hosts(x->a, names.at, names.n); *h; h++)
			text_printf(x->out, is_plain_key(x->a, *h) ? "  %s: %s\n" : "  \"%s\": %s\n", *h, entry[i]);
	}
	tell_odd_nodes(x, entry, alike);
}

/* --- all of it ------------------------------------------------------------------ */

static int check_names(struct emitter *x, const struct emit_node *node, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct hostlist h = hostlist_of(node[i].name, strlen(node[i].name));
		size_t at;

		if (!hostlist_check(h, &at) && h.rank == RANK_EXACT)
			continue;
		diag_error(x->d, NULL, "a node cannot have the name \"%s\" in a policy", safe(x, node[i].name));
		diag_hint(x->d, "it comes from the machine's host name; --node NAME gives another one");
		return -EINVAL;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(node[i].name, node[k].name)) {
				diag_error(x->d, NULL, "node %s was given twice", safe(x, node[i].name));
				return -EINVAL;
			}
	return 0;
}

static void put_head(struct emitter *x)
{
	const struct emit_node *first = &x->g.node[0];

	text_add(x->out, "# What was found on ");
	if (x->g.nnodes == 1)
		text_printf(x->out, "%s (%s)", first->name, safe(x, first->facts->kernel));
	else
		text_printf(x->out, "%zu nodes", x->g.nnodes);
	text_printf(x->out, ", by rdmactl %s: not what is right, and no reason why it is so. What is not\n"
		    "# asked for stands in comments. Before it is used: read it, and take out what need not be so.\n"
		    "version: 1\nrevision: captured %s\n", VERSION, safe(x, first->facts->observed_at));
}

int emit_policy(struct arena *a, const struct catalog *c, const struct emit_node *node, size_t n, struct text *out,
		struct diags *d)
{
	struct emitter x = { .a = a, .out = out, .d = d };
	int r = check_names(&x, node, n);

	if (r < 0)
		return r;
	gather_ports(&x.g, a, c, node, n);
	find_usual(&x);
	find_values(&x);
	if (!x.g.ngroups && !has_own(&x)) {
		diag_error(d, NULL, "%s: nothing was found that a policy could ask for", safe(&x, node[0].name));
		return -EINVAL;
	}
	put_head(&x);
	put_fabrics(&x);
	r = put_profiles(&x);
	if (r == 0)
		put_nodes(&x);
	return r;
}
