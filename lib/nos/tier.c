/* SPDX-License-Identifier: Apache-2.0 */
/* A tier of a policy, as a switch system can say it. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "model/record.h"
#include "nos/nos.h"

enum { NAME_MOST = 24 };		/* so that a profile and a class still fit into the 32 characters of the strictest */

/* Names go into configurations: what could end a string or a line there is refused. */
static bool harmless(const char *s, const char *also)
{
	if (!isalnum((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(also, *s))
			return false;
	return true;
}

static int bad_name(struct diags *d, const struct pos *pos, const char *kind, const char *name)
{
	diag_error(d, pos, "%s \"%s\" cannot be a name in a switch's configuration", kind, name);
	diag_hint(d, "letters, digits, - and _, at most %d of them", NAME_MOST);
	return -EINVAL;
}

static int check_name(struct diags *d, const struct pos *pos, const char *kind, const char *name)
{
	return harmless(name, "-_") && strlen(name) <= NAME_MOST ? 0 : bad_name(d, pos, kind, name);
}

static int check_ports(const struct fabric_link *l, struct diags *d)
{
	for (size_t i = 0; i < l->nports; i++)
		if (!harmless(l->port[i], "-_/.:"))
			return bad_name(d, &l->pos, "port", l->port[i]);
	return 0;
}

/* A threshold alone would leave the other to the switch's default. */
static int check_marking(const struct fabric *f, const struct fabric_link *l, struct diags *d)
{
	static const struct {
		unsigned field;
		const char *name;
	} all[] = { { FABRIC_ECN_KMIN, "kmin" }, { FABRIC_ECN_KMAX, "kmax" }, { FABRIC_ECN_PMAX, "pmax" } };

	for (size_t i = 0; i < f->n; i++)
		for (size_t j = 0; fabric_marks(l, f->at[i].name) && j < 3; j++)
			if (!fabric_ecn(l, f->at[i].name, all[j].field)) {
				diag_error(d, &l->pos, "link %s says no ecn.%s.%s, and a switch needs all three", l->name,
					   f->at[i].name, all[j].name);
				return -EINVAL;
			}
	return 0;
}

/* Two classes of one queue are marked alike, and are all strict or none. */
static int check_queues(const struct fabric *f, const struct fabric_link *l, struct diags *d)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct traffic_class *a = &f->at[j], *b = &f->at[i];

			if (a->tc != b->tc || (a->strict == b->strict && !(fabric_marks(l, a->name) && fabric_marks(l, b->name))))
				continue;
			diag_error(d, &b->pos, "classes %s and %s share queue %d, and ask different things of it", a->name, b->name, a->tc);
			return -EINVAL;
		}
	return 0;
}

static int check(const struct fabric *f, const struct fabric_tier *t, struct diags *d)
{
	int r = check_name(d, &t->pos, "tier", t->name);

	for (size_t i = 0; r == 0 && i < f->n; i++)
		r = check_name(d, &f->at[i].pos, "class", f->at[i].name);
	for (size_t i = 0; r == 0 && i < t->n; i++) {
		r = check_name(d, &t->link[i].pos, "link", t->link[i].name);
		r = r ? r : check_ports(&t->link[i], d);
		r = r ? r : check_marking(f, &t->link[i], d);
		r = r ? r : check_queues(f, &t->link[i], d);
	}
	if (r == 0 && !t->n) {
		diag_error(d, &t->pos, "tier %s has no links", t->name);
		return -EINVAL;
	}
	return r;
}

int nos_tier(struct arena *a, const struct nos *nos, const struct fabric *f, const struct fabric_tier *tier,
	     struct switch_tier **out, struct diags *d)
{
	struct switch_tier *t = arena_new_of(a, struct switch_tier);

	if (check(f, tier, d) < 0)
		return -EINVAL;
	*t = (struct switch_tier){ .arena = a, .fabric = f, .tier = tier, .nos = nos, .may_lack = nos->may_lack,
				   .n = tier->n };
	t->link = arena_array_of(a, struct switch_link, t->n);
	for (size_t i = 0; i < t->n; i++)
		t->link[i] = (struct switch_link){ .tier = tier, .link = &tier->link[i],
						   .want = switch_port_want(a, f, &tier->link[i]),
						   .profile = arena_printf(a, "%s_%s", tier->name, tier->link[i].name) };
	if (nos->express(t, d) < 0)
		return -EINVAL;
	*out = t;
	return 0;
}
