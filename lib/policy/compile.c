/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a policy to what it asks of one node: groups claim ports, classes become values, and each value becomes a wish
 * of the object that owns it (model/targets.h).
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "model/desired.h"
#include "model/targets.h"
#include "policy/claims.h"
#include "policy/digest.h"
#include "policy/match.h"
#include "policy/parts.h"
#include "policy/pattern.h"
#include "policy/records.h"
#include "policy/tell.h"

struct derived {			/* records for one kind of port, or for one port if they hold patterns */
	const struct port *port;
	uint64_t exceptions;
	struct record **record;
};

struct variant {			/* what ports are asked for to which the same exceptions apply */
	uint64_t exceptions;
	struct asked asked;
};

struct claim {				/* a group, and the ports that it claims */
	const struct part_of_layer *part;
	struct asked asked;
	bool *matches;			/* by port of the facts */
	int *rail;			/* likewise; NULL: none */
	uint64_t *exceptions;		/* likewise: bit n: exception n of the group; NULL: none */
	unsigned matched;
	/*
	 * A port is missing, or there is one too many: then the numbers of the others may be wrong, and nothing that depends on
	 * them is judged or written. bit n: exception n is for a rail; names of what is left alone.
	 */
	bool unsure;
	uint64_t unsure_exceptions;
	struct {
		const char **at;
		size_t n, room;
	} left;
	struct {
		struct derived *at;
		size_t n, room;
	} kinds;
	struct {
		struct variant *at;
		size_t n, room;
	} variants;
};

struct compiler {
	const struct policy *p;
	struct arena *a;
	const struct facts *f;
	const struct catalog *c;
	const struct layer *layer;
	struct diags *d;
	struct desired *out;
	struct claim *claim;
	size_t nclaims, troom;
	struct clashes clashes;		/* of groups over ports of this machine */
};

/* --- wishes ----------------------------------------------------------------- */

static void add_target(struct compiler *x, const struct target *t)
{
	struct desired *out = x->out;

	if (out->ntargets == x->troom) {
		out->target = arena_grow(x->a, out->target, out->ntargets, out->ntargets + 16, sizeof(*out->target));
		x->troom += out->ntargets + 16;
	}
	out->target[out->ntargets++] = t;
}

/* One object of the machine; one that is missing (no RDMA device, no netdev) is its port's own. */
static bool same_object(const struct target *x, const struct target *y)
{
	if (x->scope != y->scope)
		return false;
	if (x->scope == SCOPE_NETDEV ? !*x->ifname : x->scope == SCOPE_RDMA_PORT && !*x->port->ibdev)
		return x->port == y->port;
	return target_same(x, y);
}

static bool is_managed(const struct cell *c)
{
	return c->state == CELL_VALUE;
}

static void note_clash(struct compiler *x, const struct wish *first, const struct wish *second)
{
	struct clash *clash = NULL;

	for (size_t i = 0; i < second->want->n; i++) {
		const struct cell *c = &second->want->at[i], *other = record_find(first->want, c->name);

		if (!is_managed(c) || !other || !is_managed(other))
			continue;
		if (!clash)
			clash = clash_of(&x->clashes, x->a, first->target->group, second->target->group);
		if (!clash->hint)
			clash->hint = arena_printf(x->a, "both match %s", second->target->name);
		clash_add(clash, x->a, c->name, &other->pos, &c->pos);
	}
}

static void add_wish(struct compiler *x, const struct target *t, const struct record *want, const char *const *optional)
{
	struct wish wish = { .target = t, .setting = want->setting, .want = want, .optional = optional };

	for (size_t i = 0; t->port && x->nclaims > 1 && i < x->out->n; i++) {
		const struct wish *other = &x->out->wish[i];

		if (other->setting == wish.setting && strcmp(other->target->group, t->group) != 0 &&
		    same_object(other->target, t))
			note_clash(x, other, &wish);
	}
	if (x->out->n == x->out->room) {
		x->out->wish = arena_grow(x->a, x->out->wish, x->out->n, x->out->n + 32, sizeof(*x->out->wish));
		x->out->room += x->out->n + 32;
	}
	x->out->wish[x->out->n++] = wish;
}

static void add_wishes(struct compiler *x, const struct target *t, struct record *const *record,
		       const struct asked *asked)
{
	for (size_t i = 0; i < asked->n; i++)
		if (record[i]->setting->scope == t->scope && record_managed(record[i]))
			add_wish(x, t, record[i], asked->optional);
}

/* --- the node --------------------------------------------------------------- */

static int compile_node(struct compiler *x, const struct layer *l)
{
	struct target *t = target_of_node(x->a);
	struct record **record;
	struct asked asked;

	add_target(x, t);
	if (records_of(x->p, x->a, l, &l->node, x->c, &asked, x->d) < 0)
		return -EINVAL;
	record = records_derive(&asked, x->a, t, x->d);
	if (!record)
		return -EINVAL;
	add_wishes(x, t, record, &asked);
	return 0;
}

/* --- groups ----------------------------------------------------------------- */

static bool asked_already(const struct desired *des, const struct setting *s)
{
	for (size_t i = 0; i < des->n; i++)
		if (des->wish[i].setting == s)
			return true;
	return false;
}

/* What is asked for in every group, also where the policy is silent: a group that matches nothing must be seen. */
static void ask_always(const struct asked *asked)
{
	for (size_t i = 0; i < asked->n; i++) {
		const struct setting *s = asked->record[i]->setting;

		for (unsigned f = 0; s->scope == SCOPE_GROUP && s->fields[f].name; f++) {
			struct cell *c = &asked->record[i]->at[f];

			if (!s->fields[f].always || c->state == CELL_VALUE)
				continue;
			cell_set_num(c, 0);
			c->pos = asked->part->pos;
		}
	}
}

/* Moves the last wish behind those of the node. */
static void sort_in(struct desired *des)
{
	struct wish last = des->wish[des->n - 1];
	size_t i = des->n - 1;

	for (; i > 0 && des->wish[i - 1].target != last.target; i--)
		des->wish[i] = des->wish[i - 1];
	des->wish[i] = last;
}

/* What is asked of every node, when all else is known: a policy that asks nothing else asks nothing. */
static void ask_node_always(struct compiler *x)
{
	const struct target *t = x->out->target[0];

	for (size_t i = 0; i < x->c->nsettings; i++) {
		const struct setting *s = x->c->setting[i];
		struct record *want;

		if (s->scope != SCOPE_NODE || !s->fields[0].always || asked_already(x->out, s))
			continue;
		want = record_new(x->a, s);
		cell_set_num(&want->at[0], 0);
		add_wish(x, t, want, NULL);
		sort_in(x->out);
	}
}

/* Numbers for the ports that match but for their number; then the number may be a criterion, too. */
static int number_ports(struct compiler *x, struct claim *claim)
{
	const struct item *rails = claim->part->item[GROUP_RAILS];

	if (!item_says(rails))
		return 0;
	claim->rail = arena_array_of(x->a, int, x->f->nports);
	if (match_rails(claim->part, x->f, claim->matches, claim->rail, x->d) < 0)
		return -EINVAL;
	for (size_t i = 0; i < x->f->nports; i++) {
		if (!claim->matches[i] || match_port(claim->part->item, &x->f->port[i], claim->rail[i]))
			continue;
		claim->matches[i] = false;
		claim->matched--;
	}
	return 0;
}

/* --- exceptions ------------------------------------------------------------- */

static void tell_expired(struct compiler *x, const struct exception *e, const struct part_of_layer *part)
{
	char today[UNITS_UTC];

	if (x->f->observed_s < e->until_s)
		return;
	units_utc(x->f->observed_s, today);
	diag_warning(x->d, &e->until_pos, "an exception of group %s has expired, and still counts; today is %.10s", part->name, today);
	diag_hint(x->d, "because: %s; remove it, or give it another day", e->because);
	x->out->findings++;
}

static void tell_no_port(struct compiler *x, const struct exception *e, const struct part_of_layer *part)
{
	diag_warning(x->d, &e->pos, "an exception of group %s is for this node, and matches none of the group's ports", part->name);
	diag_hint(x->d, "because: %s; correct its match, or remove it", e->because);
}

static void except_ports(struct compiler *x, struct claim *claim)
{
	const struct exceptions *all = records_exceptions(claim->part);

	for (size_t n = 0; all && n < all->n; n++) {
		const struct exception *e = &all->at[n];
		bool any = false;

		if (e->nodes.n && !hostlist_match(e->nodes, x->out->node))
			continue;
		if (claim->unsure && e->match[GROUP_RAIL]) {
			claim->unsure_exceptions |= (uint64_t)1 << n;
			continue;
		}
		if (!claim->exceptions)
			claim->exceptions = arena_array_of(x->a, uint64_t, x->f->nports);
		for (size_t i = 0; i < x->f->nports; i++) {
			if (!claim->matches[i] ||
			    !match_port(e->match, &x->f->port[i], claim->rail ? claim->rail[i] : -1))
				continue;
			claim->exceptions[i] |= (uint64_t)1 << n;
			any = true;
		}
		if (any)
			tell_expired(x, e, claim->part);
		else if (e->nodes.n && claim->matched)
			tell_no_port(x, e, claim->part);
	}
}

/* What the ports to which @exceptions apply are asked for; NULL if that cannot be said, told. */
static const struct asked *asked_with(struct compiler *x, struct claim *claim, uint64_t exceptions)
{
	struct variant v = { .exceptions = exceptions };
	struct variant *at;

	if (!exceptions)
		return &claim->asked;
	for (size_t i = 0; i < claim->variants.n; i++)
		if (claim->variants.at[i].exceptions == exceptions)
			return claim->variants.at[i].asked.record ? &claim->variants.at[i].asked : NULL;
	if (records_except(x->p, x->a, x->layer, claim->part, exceptions, x->c, &v.asked, x->d) < 0)
		v.asked.record = NULL;
	at = &list_add(&claim->variants, x->a);
	*at = v;
	return at->asked.record ? &at->asked : NULL;
}

/* --- ports that a group claims ---------------------------------------------- */

static int claim_ports(struct compiler *x, const struct layer *l, const struct part_of_layer *part)
{
	struct claim *claim = &x->claim[x->nclaims++];
	struct target *t = arena_new_of(x->a, struct target);

	*claim = (struct claim){ .part = part, .matches = arena_array_of(x->a, bool, x->f->nports) };
	if (records_of(x->p, x->a, l, part, x->c, &claim->asked, x->d) < 0)
		return -EINVAL;
	ask_always(&claim->asked);
	for (size_t i = 0; i < x->f->nports; i++) {
		claim->matches[i] = match_port(part->item, &x->f->port[i], -1);
		claim->matched += claim->matches[i];
	}
	if (number_ports(x, claim) < 0)
		return -EINVAL;
	claim->unsure = claim->rail && records_count(&claim->asked) && records_count(&claim->asked) != claim->matched;
	except_ports(x, claim);
	*t = (struct target){
		.scope = SCOPE_GROUP, .name = part->name, .group = part->name, .ifname = "", .matched = claim->matched,
	};
	add_target(x, t);
	add_wishes(x, t, claim->asked.record, &claim->asked);
	return 0;
}

static int compile_groups(struct compiler *x, const struct layer *l)
{
	int result = 0;

	x->claim = arena_array_of(x->a, struct claim, l->groups.n);
	for (size_t i = 0; i < l->groups.n; i++)
		if (!l->groups.at[i]->removed && claim_ports(x, l, l->groups.at[i]) < 0)
			result = -EINVAL;
	return result;
}

/* --- ports ------------------------------------------------------------------ */

static bool same_kind(const struct port *p, const struct port *q)
{
	return p->vendor == q->vendor && p->link_layer == q->link_layer && p->function == q->function &&
	       !strcmp(p->driver, q->driver) && !strcmp(p->protocol, q->protocol);
}

static struct record **fill_patterns(struct compiler *x, const struct claim *claim, const struct target *t,
				     struct record *const *record, size_t n)
{
	struct record **own = arena_array_of(x->a, struct record *, n);
	struct pattern_words words = {
		.node = x->out->node, .ifname = t->port->ifname, .rail = claim->rail ? claim->rail[t->port - x->f->port] : -1,
	};

	for (size_t i = 0; i < n; i++)
		own[i] = pattern_fill(x->a, record[i], &words);
	return own;
}

/* Ports of one kind share their records: a node with a hundred ports wants the same of each. */
static struct record **derived_for(struct compiler *x, struct claim *claim, const struct asked *asked, const struct target *t,
				   uint64_t exceptions)
{
	struct record **record;

	for (size_t i = 0; i < claim->kinds.n; i++) {
		const struct derived *have = &claim->kinds.at[i];

		if (have->exceptions == exceptions && (asked->patterns ? have->port == t->port : same_kind(have->port, t->port)))
			return have->record;
	}
	record = records_derive(asked, x->a, t, x->d);
	if (record && asked->patterns)
		record = fill_patterns(x, claim, t, record, asked->n);
	list_add(&claim->kinds, x->a) = (struct derived){ t->port, exceptions, record };
	return record;
}

static void leave(struct compiler *x, struct claim *claim, struct record *r, const char *name)
{
	struct cell *c = record_find(r, name);

	if (!c || c->state != CELL_VALUE)
		return;
	c->state = CELL_SILENT;
	for (size_t i = 0; i < claim->left.n; i++)
		if (!strcmp(claim->left.at[i], name))
			return;
	list_add(&claim->left, x->a) = name;
}

static bool same_cell(const struct cell *x, const struct cell *y, const struct record *of_y)
{
	return y && x->state == y->state && (x->state != CELL_VALUE || value_same(x->field, &x->value, &y->value, of_y));
}

/* Without what depends on the port's number: values that name it, and those that an exception for a rail sets. */
static struct record **without_rails(struct compiler *x, struct claim *claim, const struct asked *asked, const struct target *t,
				     uint64_t exceptions, struct record *const *record)
{
	struct record **own = arena_array_of(x->a, struct record *, asked->n);

	for (size_t i = 0; i < asked->n; i++) {
		own[i] = record_copy(x->a, record[i]);
		for (size_t k = 0; k < asked->record[i]->n; k++)
			if (pattern_names_rail(&asked->record[i]->at[k]))
				leave(x, claim, own[i], asked->record[i]->at[k].name);
	}
	for (unsigned n = 0; n < 64; n++) {
		uint64_t with = exceptions | (uint64_t)1 << n;
		const struct asked *other;
		struct record **differs;

		if (!(claim->unsure_exceptions >> n & 1))
			continue;
		other = asked_with(x, claim, with);
		differs = other ? derived_for(x, claim, other, t, with) : NULL;
		if (!differs)
			return NULL;
		for (size_t i = 0; i < asked->n; i++)
			for (size_t k = 0; k < record[i]->n; k++)
				if (!same_cell(&record[i]->at[k], record_find(differs[i], record[i]->at[k].name), differs[i]))
					leave(x, claim, own[i], record[i]->at[k].name);
	}
	return own;
}

static void tell_unsure(struct compiler *x, const struct claim *claim)
{
	TEXT_CLEANUP struct text names = { 0 };
	struct desired *out = x->out;

	if (!claim->left.n)
		return;
	out->unsure = arena_grow(x->a, out->unsure, out->nunsure, claim->left.n, sizeof(*out->unsure));
	for (size_t i = 0; i < claim->left.n; i++) {
		text_printf(&names, "%s%s", i ? ", " : "", claim->left.at[i]);
		out->unsure[out->nunsure++] = claim->left.at[i];
	}
	diag_warning(x->d, &claim->part->item[GROUP_RAILS]->pos,
		     "group %s has %u ports here, not %d: which of them is which rail is not known, so these are left alone: %s",
		     claim->part->name, claim->matched, (int)records_count(&claim->asked), text_str(&names));
	diag_hint(x->d, "once all ports are there, their numbers are what they were");
	out->findings++;		/* with --port the row of count is not there */
}

/*
 * A target also for an object that is missing (no RDMA device, no netdev): the home then says so; a row that is left
 * out would pass for one in sync.
 */
static const struct target *target_for(struct compiler *x, const struct port *port, enum scope scope, const char *group)
{
	struct target *t = target_of_port(x->a, x->f, port, scope, group);

	if (t)
		return t;
	t = target_of_port(x->a, x->f, port, SCOPE_WIRE, group);
	t->scope = scope;
	return t;
}

/* Two members of a bond have one netdev: what is wished of it once is wished of both. */
static bool had_target(const struct compiler *x, const struct target *t)
{
	for (size_t i = 0; t->scope != SCOPE_WIRE && i < x->out->ntargets; i++) {
		const struct target *other = x->out->target[i];

		if (other->scope != t->scope || (t->scope == SCOPE_NETDEV && other->ifindex != t->ifindex))
			continue;
		if (same_object(other, t) && !strcmp(other->group, t->group))
			return true;
	}
	return false;
}

/* Of an object that several ports have in common (a bond's netdev), the exceptions of any of them. */
static uint64_t exceptions_of(struct compiler *x, const struct claim *claim, const struct target *t)
{
	uint64_t all = 0;

	for (size_t i = 0; claim->exceptions && i < x->f->nports; i++)
		if (claim->exceptions[i] && same_object(target_for(x, &x->f->port[i], t->scope, t->group), t))
			all |= claim->exceptions[i];
	return all;
}

static int compile_port(struct compiler *x, const struct port *port, struct claim *claim)
{
	static const enum scope scopes[] = { SCOPE_WIRE, SCOPE_RDMA_PORT, SCOPE_NETDEV };

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		const struct target *t = target_for(x, port, scopes[i], claim->part->name);
		const struct asked *asked;
		struct record **record;
		uint64_t exceptions;

		if (had_target(x, t))
			continue;
		exceptions = exceptions_of(x, claim, t);
		asked = asked_with(x, claim, exceptions);
		record = asked ? derived_for(x, claim, asked, t, exceptions) : NULL;
		if (record && claim->unsure)
			record = without_rails(x, claim, asked, t, exceptions, record);
		if (!record)
			return -EINVAL;
		add_target(x, t);
		add_wishes(x, t, record, asked);
	}
	return 0;
}

static int compile_ports(struct compiler *x)
{
	int result = 0;

	for (size_t i = 0; i < x->f->nports; i++)
		for (size_t k = 0; k < x->nclaims; k++)
			if (x->claim[k].matches[i] && compile_port(x, &x->f->port[i], &x->claim[k]) < 0)
				result = -EINVAL;
	for (size_t k = 0; k < x->nclaims; k++)
		tell_unsure(x, &x->claim[k]);
	return result;
}

/* --- all of it -------------------------------------------------------------- */

static int compile(struct compiler *x, const struct layer *l)
{
	struct pos pos = { .source = x->p->source };
	size_t errors = tell_seen(x->d);
	int node, groups, ports;

	x->layer = l;
	node = compile_node(x, l);
	groups = compile_groups(x, l);
	ports = node < 0 || groups < 0 ? -EINVAL : compile_ports(x);
	clashes_tell(&x->clashes, x->a, x->d);
	if (ports < 0 || tell_seen(x->d) > errors)
		return -EINVAL;
	if (x->out->n) {
		ask_node_always(x);
		return 0;
	}
	tell_error(x->d, &pos, "give its entry profiles or a set; a policy that asks for nothing is always in sync",
		   "the policy asks nothing of node %s", x->out->node);
	return -EINVAL;
}

int policy_compile(struct policy *p, const char *node, const struct facts *f, const struct catalog *c,
		   struct desired **out, struct diags *d)
{
	struct compiler x = { .p = p, .a = p->a, .f = f, .c = c, .d = d };
	struct resolved *r = arena_new_of(p->a, struct resolved);

	if (policy_find(p, p->a, node, r, d) < 0 || policy_resolve(p, p->a, r, d) < 0)
		return -EINVAL;
	x.out = arena_new_of(p->a, struct desired);
	*x.out = (struct desired){
		.node = arena_strdup(p->a, node), .policy_file = p->name, .revision = p->revision,
		.policy_digest = p->digest, .layer = &r->layer,
	};
	if (compile(&x, &r->layer) < 0)
		return -EINVAL;
	*out = x.out;
	return 0;
}

void policy_desired_digest(const struct policy *p, struct desired *des)
{
	char digest[SHA256_TEXT];

	digest_of(p, des->layer, des->node, digest);
	des->digest = arena_strdup(p->a, digest);
}
