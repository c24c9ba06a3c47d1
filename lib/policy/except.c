/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of a group: one riser that gives eight lanes, one node with an older cable. Each says why, and may say until
 * when; what it sets are settings of ports, never what the group itself is.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/decode.h"
#include "policy/tell.h"

enum { BECAUSE_MAX = 256 };

/* --- dates ------------------------------------------------------------------ */

static bool digits(const char *s, size_t n, int *v)
{
	*v = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		*v = *v * 10 + s[i] - '0';
	}
	return true;
}

static int days_in(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days since the epoch; years begin in March, so that the leap day is their last. */
static int64_t days_since_epoch(int year, int month, int day)
{
	int64_t y = month > 2 ? year : year - 1, era = y / 400, in_era = y - era * 400;
	int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

/* "2027-01-31" to the first second of the day behind it, in UTC. */
static bool date_parse(const char *s, size_t n, int64_t *end_s)
{
	int year, month, day;

	if (n != 10 || s[4] != '-' || s[7] != '-' || !digits(s, 4, &year) || !digits(s + 5, 2, &month) ||
	    !digits(s + 8, 2, &day) || year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in(year, month))
		return false;
	*end_s = (days_since_epoch(year, month, day) + 1) * 86400;
	return true;
}

/* --- keys ------------------------------------------------------------------- */

static bool take_nodes(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	struct pos pos = decode_pos(x, y);
	const char *why;
	size_t at;

	if (!decode_is(x, y, SHAPE_SCALAR, key, "except: nodes"))
		return false;
	e->nodes = hostlist_of(y->text, y->n);
	why = hostlist_check(e->nodes, &at);
	if (why)
		tell_error(x->d, &pos, NULL, "%sthe node name \"%s\" %s", x->where, yaml_shown(x->a, y), why);
	return !why;
}

static bool take_match(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	struct items items = { 0 };
	struct decoder inner = *x;
	size_t errors = tell_seen(x->d);

	if (!decode_is(x, y, SHAPE_MAP, key, "except: match"))
		return false;
	inner.out = &items;
	decode_map(&inner, key_child(x->schema->group, "match", 5), y, NULL);
	for (size_t i = 0; i < items.n; i++) {
		if (items.at[i].op == ITEM_NULL)
			tell_error(x->d, &items.at[i].pos, "leave the key out, or say which ports are meant",
				   "%sexcept: %s is null, which says of no port that it is meant", x->where, items.at[i].key->path);
		e->match[items.at[i].key->index] = &items.at[i];
	}
	return tell_seen(x->d) == errors;
}

static bool take_set(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	struct decoder inner = *x;
	size_t errors = tell_seen(x->d);
	struct pos pos = decode_pos(x, key);

	if (!decode_is(x, y, SHAPE_MAP, key, "except: set"))
		return false;
	inner.out = &e->set;
	decode_map(&inner, x->schema->group, y, NULL);
	for (size_t i = 0; i < e->set.n; i++)
		if (key_is_of_group(e->set.at[i].key))
			tell_error(x->d, &e->set.at[i].pos, NULL, "%sexcept: %s belongs to the group, and no exception sets it",
				   x->where, e->set.at[i].key->path);
	if (!y->n)
		tell_error(x->d, &pos, NULL, "%sexcept: set is empty", x->where);
	return tell_seen(x->d) == errors;
}

static bool take_because(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	struct pos pos = decode_pos(x, y);

	if (!decode_is(x, y, SHAPE_SCALAR, key, "except: because"))
		return false;
	e->because = text_safe(x->a, y->text, y->n, BECAUSE_MAX);
	if (!y->n)
		tell_error(x->d, &pos, NULL, "%sexcept: because is empty: say why, for whoever reads it in a year", x->where);
	return y->n;
}

static bool take_until(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	e->until_pos = decode_pos(x, y);
	if (!decode_is(x, y, SHAPE_SCALAR, key, "except: until"))
		return false;
	if (date_parse(y->text, y->n, &e->until_s))
		return true;
	tell_error(x->d, &e->until_pos, "write its last day as 2027-01-31", "%sexcept: until is %s, which is no date", x->where,
		   yaml_what(x->a, y));
	return false;
}

static bool (*const takes[EXCEPT_WORDS])(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y) = {
	[EXCEPT_NODES] = take_nodes, [EXCEPT_MATCH] = take_match, [EXCEPT_SET] = take_set, [EXCEPT_BECAUSE] = take_because,
	[EXCEPT_UNTIL] = take_until,
};

static bool take(struct decoder *x, struct exception *e, const struct yaml *key, const struct yaml *y)
{
	const char *context = x->context;

	for (size_t k = 0; k < EXCEPT_WORDS; k++)
		if (yaml_is(key, schema_exception[k].key)) {
			const struct yaml *above = decode_enter(x, y);
			bool good = takes[k](x, e, key, y);

			x->used = above;
			return good;
		}
	x->context = "except";
	decode_unknown(x, NULL, key, schema_exception);
	x->context = context;
	return false;
}

/* --- one exception, and all of them ----------------------------------------- */

static bool selects(const struct exception *e)
{
	for (unsigned f = 0; f < GROUP_MATCHES; f++)
		if (e->match[f])
			return true;
	return e->nodes.n;
}

static bool decode_one(struct decoder *x, struct exception *e, const struct yaml *at, const struct yaml *y)
{
	bool good = true;

	*e = (struct exception){ .pos = decode_pos(x, y), .until_s = INT64_MAX };
	if (!decode_is(x, y, SHAPE_MAP, at, "except"))
		return false;
	for (size_t i = 0; i < y->n; i++)
		good = take(x, e, yaml_key(y, i), yaml_value(y, i)) && good;
	if (!good)
		return false;
	if (y->n)
		e->pos = decode_pos(x, yaml_key(y, 0));
	if (!e->because)
		tell_error(x->d, &e->pos, "add because: \"riser RMA 4711\"", "%sexcept: it does not say why", x->where);
	else if (!e->set.n)
		tell_error(x->d, &e->pos, "add set: {…}", "%sexcept: it sets nothing", x->where);
	else if (!selects(e))
		tell_error(x->d, &e->pos, "add nodes: NAME or match: {pci: …}",
			   "%sexcept: it names neither nodes nor ports: what holds for all of the group belongs into the group",
			   x->where);
	else
		return true;
	return false;
}

bool decode_except(struct decoder *x, struct item *i, const struct yaml *list)
{
	struct exceptions *all = arena_new_of(x->a, struct exceptions);
	bool good = true;

	if (!decode_is(x, list, SHAPE_LIST, list, "except"))
		return false;
	if (list->n > DECODE_EXCEPTIONS_MAX) {
		tell_error(x->d, &i->pos, NULL, "%sexcept has more than %d exceptions", x->where, DECODE_EXCEPTIONS_MAX);
		return false;
	}
	all->at = arena_array_of(x->a, struct exception, list->n);
	for (; all->n < list->n; all->n++) {
		const struct yaml *above = decode_enter(x, &list->at[all->n]);

		good = decode_one(x, &all->at[all->n], list, &list->at[all->n]) && good;
		x->used = above;
	}
	i->except = all;
	return good;
}
