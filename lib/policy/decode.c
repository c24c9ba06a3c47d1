/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to items. A scalar means what its key's kind says; a shape that is not the kind's is an error, and so is a key
 * without a value: what a template left empty must not pass for a wish to leave something alone.
 */
#include "policy/decode.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/pattern.h"
#include "policy/tell.h"

enum { STAR_NAME_MAX = 255 };

/* --- places ----------------------------------------------------------------- */

struct pos decode_pos(const struct decoder *x, const struct yaml *y)
{
	struct pos pos = yaml_pos(x->source, y);

	if (!x->used)
		return pos;
	pos.use_line = x->used->use_line;
	pos.use_col = x->used->use_col;
	return pos;
}

const struct yaml *decode_enter(struct decoder *x, const struct yaml *y)
{
	const struct yaml *above = x->used;

	if (!above && y->use_line)
		x->used = y;
	return above;
}

/* --- words of errors -------------------------------------------------------- */

const char *item_name(struct arena *a, const struct item *i)
{
	TEXT_CLEANUP struct text t = { 0 };
	unsigned star = 0;

	for (const char *s = i->key->path; *s; s++) {
		if (*s == '*' && i->star[star])
			text_add(&t, i->star[star++]);
		else
			text_char(&t, *s);
	}
	return text_safe(a, text_str(&t), t.n, 120);
}

bool decode_is(struct decoder *x, const struct yaml *y, enum yaml_shape shape, const struct yaml *key, const char *what)
{
	static const char *const due[] = {
		[SHAPE_SCALAR] = "a value", [SHAPE_LIST] = "a list, such as [one, two],", [SHAPE_MAP] = "a map of keys",
	};
	struct pos pos = decode_pos(x, yaml_empty(y) ? key : y);

	if (y->shape == shape && !(shape == SHAPE_SCALAR && (yaml_empty(y) || yaml_null(y))))
		return true;
	tell_error(x->d, &pos, NULL, "%s%s%s%s is due here, found %s", x->where, what, *what ? ": " : "", due[shape],
		   yaml_what(x->a, y));
	return false;
}

void decode_unknown(struct decoder *x, const struct key *map, const struct yaml *key, const struct word *others)
{
	struct pos pos = decode_pos(x, key);
	const char *name = yaml_dup(x->a, key), *path;

	path = *x->context ? arena_printf(x->a, "%s%s%s.%s", x->context, map && *map->path ? "." : "",
					  map ? map->path : "", name)
			   : name;
	if (schema_later(path)) {
		tell_error(x->d, &pos, "the key is part of the language; a later version will know it",
			   "%s%s is not supported by this version of rdmactl", x->where, yaml_shown(x->a, key));
		return;
	}
	tell_error(x->d, &pos, schema_hint(x->schema, x->a, x->context, map, name, others), "%sunknown key \"%s\"%s%s",
		   x->where, yaml_shown(x->a, key), map && *map->path ? " in " : "", map ? map->path : "");
}

static void wrong(struct decoder *x, const struct item *i, const struct yaml *at, const char *hint, const char *why)
{
	struct pos pos = decode_pos(x, at);

	tell_error(x->d, &pos, hint, "%s%s %s", x->where, item_name(x->a, i), why);
}

/* --- one value -------------------------------------------------------------- */

/* Newlines and other controls would end a line of a file that is written from it. */
static bool is_clean(const struct yaml *y)
{
	for (size_t i = 0; i < y->n; i++)
		if (((unsigned char)y->text[i] < 0x20 && y->text[i] != '\t') || y->text[i] == 0x7f)
			return false;
	return true;
}

static const char *scalar_of(struct decoder *x, const struct item *i, const struct yaml *y)
{
	if (y->shape != SHAPE_SCALAR) {
		wrong(x, i, y, NULL, arena_printf(x->a, "holds %s where a value is due", yaml_what(x->a, y)));
		return NULL;
	}
	if (!is_clean(y)) {
		bool line = memchr(y->text, '\n', y->n);

		wrong(x, i, y, line ? "`|` and `>` keep a line break at the end; write the value behind its key" : NULL,
		      line ? "holds a line break" : "holds a control character");
		return NULL;
	}
	return yaml_dup(x->a, y);
}

static struct keyed *keyed_new(struct arena *a)
{
	struct keyed *keyed = arena_new_of(a, struct keyed);

	memset(keyed->one, VALUE_UNSET, sizeof(keyed->one));
	memset(keyed->range, VALUE_UNSET, sizeof(keyed->range));
	return keyed;
}

/* A map that its field spells as one word or text. */
static void keyed_of_map(struct decoder *x, struct item *i)
{
	unsigned span = value_span(i->key->field);
	struct keyed *keyed = keyed_new(x->a);

	keyed->whole = true;
	memcpy(keyed->one, i->value.map, span);
	i->keyed = keyed;
}

static bool decode_scalar(struct decoder *x, struct item *i, const struct yaml *y)
{
	const char *s = scalar_of(x, i, y), *why;

	if (!s)
		return false;
	if (i->key->field->pattern && pattern_check(s, &why) < 0) {
		wrong(x, i, y, NULL, why);
		return false;
	}
	if (value_parse(i->key->field, s, &i->value, x->a, &why) == 0) {
		if (i->key->field->kind == KIND_MAP || i->key->field->kind == KIND_SHARES)
			keyed_of_map(x, i);
		return true;
	}
	wrong(x, i, y, y->quoted && yaml_is(y, "fabric") ? "write fabric without quotes" : NULL, why);
	return false;
}

/* [0, 0, 0, 1, 0, 0, 0, 0] is what other tools take for [3]. */
static bool is_mask(const struct field *f, const struct yaml *y)
{
	bool mask = f->max == 7 && y->n == 8;

	for (size_t k = 0; mask && k < y->n; k++)
		mask = yaml_is(&y->at[k], "0") || yaml_is(&y->at[k], "1");
	return mask;
}

static bool wrong_mask(struct decoder *x, const struct item *i, const struct yaml *y)
{
	TEXT_CLEANUP struct text list = { 0 };

	for (unsigned k = 0; k < y->n; k++)
		if (yaml_is(&y->at[k], "1"))
			text_printf(&list, "%s%u", list.n ? ", " : "", k);
	wrong(x, i, y, arena_printf(x->a, "write the numbers of those that are on: [%s]", text_str(&list)),
	      "holds eight switches where numbers of priorities are due");
	return false;
}

static bool decode_set(struct decoder *x, struct item *i, const struct yaml *y)
{
	uint64_t set = 0;
	bool good = true;

	if (is_mask(i->key->field, y))
		return wrong_mask(x, i, y);
	for (size_t k = 0; k < y->n; k++) {
		const char *s = scalar_of(x, i, &y->at[k]), *why;
		uint8_t v = 0;

		if (!s) {
			good = false;
		} else if (value_parse_entry(i->key->field, s, &v, x->a, &why) < 0) {
			wrong(x, i, &y->at[k], NULL, why);
			good = false;
		} else if (set >> v & 1) {
			wrong(x, i, &y->at[k], NULL, arena_printf(x->a, "names %u twice", v));
			good = false;
		}
		set |= (uint64_t)1 << v;
	}
	i->value.num = (int64_t)set;
	return good;
}

static bool decode_texts(struct decoder *x, struct item *i, const struct yaml *y)
{
	const char **texts = arena_array_of(x->a, const char *, y->n + 1);
	bool good = true;

	for (size_t k = 0; k < y->n; k++) {
		texts[k] = scalar_of(x, i, &y->at[k]);
		if (texts[k] && yaml_empty(&y->at[k]))
			wrong(x, i, y, NULL, "has an empty entry");
		good = good && texts[k] && !yaml_empty(&y->at[k]);
	}
	i->value.texts = texts;
	return good;
}

static uint8_t *keyed_at(struct keyed *keyed, unsigned first, unsigned last)
{
	return first == last ? keyed->one : keyed->range;
}

/* Which key of the map said it: of a single number, and of a range. */
struct said {
	const struct yaml *one[64], *range[64];
};

static const char *there(struct decoder *x, const struct yaml *key)
{
	struct pos pos = decode_pos(x, key);

	return arena_printf(x->a, "%s:%u:%u", pos.source->name, pos.line, pos.col);
}

static bool names_all(const struct item *i, const struct yaml *range)
{
	return range->n == 3 && !strncmp(range->text, "0-7", 3) && i->key->field->span <= 8;
}

/*
 * A single number beats the range of all the rest. One that a smaller range has as well is more likely a slip of the range's end;
 * of DSCPs, where ranges of a class with one beside them are usual, any range is beaten.
 */
static bool keyed_slip(struct decoder *x, const struct item *i, const struct keyed *keyed, const struct said *said, unsigned k)
{
	if (i->key->field->span > 8 || !said->one[k] || !said->range[k] || keyed->one[k] == keyed->range[k] ||
	    names_all(i, said->range[k]))
		return false;
	wrong(x, i, said->one[k],
	      arena_printf(x->a, "the range stands at %s; only 0-7, which is all the rest, may hold what a single number says otherwise",
			   there(x, said->range[k])),
	      arena_printf(x->a, "names %u twice in one map: by itself and in the range %s", k, yaml_shown(x->a, said->range[k])));
	return true;
}

/* Into keys @first to @last; what overlaps with another range of the same map must agree with it. */
static bool keyed_put(struct decoder *x, const struct item *i, struct keyed *keyed, struct said *said, const struct yaml *key,
		      unsigned first, unsigned last, uint8_t v)
{
	uint8_t *at = keyed_at(keyed, first, last);
	const struct yaml **by = first == last ? said->one : said->range;

	for (unsigned k = first; k <= last; k++) {
		if (at[k] != VALUE_UNSET && at[k] != v) {
			wrong(x, i, key, arena_printf(x->a, "the other stands at %s, and the two say different things of it", there(x, by[k])),
			      arena_printf(x->a, "names %u twice in one map", k));
			return false;
		}
		at[k] = v;
		by[k] = key;
		if (keyed_slip(x, i, keyed, said, k))
			return false;
	}
	return true;
}

static bool decode_pair(struct decoder *x, const struct item *i, struct keyed *keyed, struct said *said, const struct yaml *key,
			const struct yaml *value)
{
	const char *name = scalar_of(x, i, key), *s, *why = NULL;
	unsigned first, last;
	uint8_t v = KEYED_NULL;

	if (!name)
		return false;
	if (yaml_empty(value)) {
		wrong(x, i, key, strchr(name, ':') ? "a blank must stand behind the colon: {26: 3}" : NULL,
		      arena_printf(x->a, "has \"%s\" without a value", yaml_shown(x->a, key)));
		return false;
	}
	if (value_parse_keys(i->key->field, name, &first, &last, &why) < 0) {
		wrong(x, i, key, NULL, arena_printf(x->a, "has the key \"%s\", which %s", yaml_shown(x->a, key), why));
		return false;
	}
	s = scalar_of(x, i, value);
	if (!s)
		return false;
	if (!yaml_null(value) && value_parse_entry(i->key->field, s, &v, x->a, &why) < 0) {
		wrong(x, i, value, NULL, arena_printf(x->a, "of %s %s", yaml_shown(x->a, key), why));
		return false;
	}
	return keyed_put(x, i, keyed, said, key, first, last, v);
}

#define LEAVE_OUT "leave the key out, or write null, for what is not to be managed"

/* In every device each of the eight priorities or classes has an entry: of maps only those of DSCPs can be without. */
bool decode_may_be_empty(const struct field *f)
{
	return f->kind == KIND_MAP && f->span > 8;
}

static bool decode_keyed(struct decoder *x, struct item *i, const struct yaml *y)
{
	struct keyed *keyed = keyed_new(x->a);
	struct said said = { 0 };
	bool good = true;

	keyed->whole = !y->n;
	if (!y->n && !decode_may_be_empty(i->key->field)) {
		wrong(x, i, y, LEAVE_OUT, "is empty");
		good = false;
	}
	for (size_t k = 0; k < y->n; k++)
		good = decode_pair(x, i, keyed, &said, yaml_key(y, k), yaml_value(y, k)) && good;
	i->keyed = keyed;
	return good;
}

static bool decode_amount(struct decoder *x, const struct item *i, int64_t *amount, struct said *said, const struct yaml *key,
			  const struct yaml *value)
{
	const char *name = scalar_of(x, i, key), *s = name ? scalar_of(x, i, value) : NULL, *why = NULL;
	unsigned first, last;
	int64_t v = AMOUNT_NULL;

	if (!s)
		return false;
	if (yaml_empty(value)) {
		wrong(x, i, key, strchr(name, ':') ? "a blank must stand behind the colon: {1: 96KiB}" : NULL,
		      arena_printf(x->a, "has \"%s\" without a value", yaml_shown(x->a, key)));
		return false;
	}
	if (value_parse_keys(i->key->field, name, &first, &last, &why) < 0) {
		wrong(x, i, key, NULL, arena_printf(x->a, "has the key \"%s\", which %s", yaml_shown(x->a, key), why));
		return false;
	}
	if (!yaml_null(value) && value_parse_amount(i->key->field, s, &v, x->a, &why) < 0) {
		wrong(x, i, value, NULL, arena_printf(x->a, "of %s %s", yaml_shown(x->a, key), why));
		return false;
	}
	for (unsigned k = first; k <= last; k++) {
		if (amount[k] != AMOUNT_UNSET) {
			wrong(x, i, key, arena_printf(x->a, "the other stands at %s", there(x, said->one[k])),
			      arena_printf(x->a, "names %u twice in one map", k));
			return false;
		}
		amount[k] = v;
		said->one[k] = key;
	}
	return true;
}

static bool decode_amounts(struct decoder *x, struct item *i, const struct yaml *y)
{
	int64_t *amount = arena_array_of(x->a, int64_t, AMOUNTS);
	struct said said = { 0 };
	bool good = true;

	for (unsigned k = 0; k < AMOUNTS; k++)
		amount[k] = AMOUNT_UNSET;
	if (!y->n)
		wrong(x, i, y, LEAVE_OUT, "is empty");
	for (size_t k = 0; k < y->n; k++)
		good = decode_amount(x, i, amount, &said, yaml_key(y, k), yaml_value(y, k)) && good;
	i->value.amount = amount;
	return good && y->n;
}

static const struct {
	enum yaml_shape shape;
	bool (*decode)(struct decoder *x, struct item *i, const struct yaml *y);
	const char *due;
} kinds[] = {
	[KIND_BOOL] = { SHAPE_SCALAR, decode_scalar, "true or false" },
	[KIND_UINT] = { SHAPE_SCALAR, decode_scalar, "a number" },
	[KIND_WORD] = { SHAPE_SCALAR, decode_scalar, "a word" },
	[KIND_TEXT] = { SHAPE_SCALAR, decode_scalar, "a text" },
	[KIND_SET] = { SHAPE_LIST, decode_set, "a list, such as [3], or [] for none," },
	[KIND_MAP] = { SHAPE_MAP, decode_keyed, "a map, such as {26: 3}," },
	[KIND_SHARES] = { SHAPE_MAP, decode_keyed, "a map, such as {0: 40%, 6: strict}," },
	[KIND_AMOUNTS] = { SHAPE_MAP, decode_amounts, "a map, such as {1: 96KiB}," },
	[KIND_TEXTS] = { SHAPE_LIST, decode_texts, "a list, such as [one, two]," },
};

static void decode_leaf(struct decoder *x, struct item *i, const struct yaml *y)
{
	enum kind kind = i->key->field->kind;
	bool good;

	if (i->key->setting == &schema_group && i->key->index == GROUP_EXCEPT) {
		good = decode_except(x, i, y);
	} else if (y->shape == kinds[kind].shape) {
		good = kinds[kind].decode(x, i, y);
	} else if (y->shape == SHAPE_SCALAR && i->key->field->parse) {	/* the field has a spelling of its own */
		good = decode_scalar(x, i, y);
	} else {
		good = false;
		wrong(x, i, y, yaml_is(y, "fabric") ? "it does not follow from the classes of a fabric" : NULL,
		      arena_printf(x->a, "takes %s but is %s", kinds[kind].due, yaml_what(x->a, y)));
	}
	if (!good)
		i->op = ITEM_BAD;
	list_add(x->out, x->a) = *i;
}

/* --- keys ------------------------------------------------------------------- */

/* Names of the policy become parts of paths and lines of files. */
static bool star_ok(struct decoder *x, const struct item *i, const struct yaml *key)
{
	bool dots = false, blank = false;

	for (size_t k = 0; k < key->n; k++) {
		blank = blank || (unsigned char)key->text[k] <= ' ' || (unsigned char)key->text[k] >= 0x7f;
		dots = dots || (key->text[k] == '.' && k + 1 < key->n && key->text[k + 1] == '.');
	}
	if (key->n && key->n <= STAR_NAME_MAX && !blank && !dots && key->text[0] != '/')
		return true;
	wrong(x, i, key, NULL, arena_printf(x->a, "cannot have the name \"%s\"", yaml_shown(x->a, key)));
	return false;
}

/* One word, null or fabric, for all fields below a key. */
static bool spread(struct decoder *x, struct item *i, const struct key *k)
{
	bool any = false;

	if (k->field) {
		if (i->op == ITEM_FABRIC && (!key_derives(k) || (k->starred && !i->star[0])))
			return false;
		i->key = k;
		list_add(x->out, x->a) = *i;
		return true;
	}
	for (size_t c = 0; c < k->n; c++)
		any = spread(x, i, k->child[c]) || any;
	return any;
}

static bool is_fabric(const struct key *k, const struct yaml *y)
{
	return !y->quoted && yaml_is(y, "fabric") && (!k->field || key_derives(k));
}

static void decode_children(struct decoder *x, const struct item *parent, unsigned stars, const struct key *k,
			    const struct yaml *map, const struct word *others);

static void decode_value(struct decoder *x, struct item i, unsigned stars, const struct key *k, const struct yaml *key,
			 const struct yaml *y)
{
	i.key = k;
	i.pos = decode_pos(x, y->shape == SHAPE_SCALAR && !yaml_empty(y) ? y : key);
	if (yaml_empty(y)) {
		wrong(x, &i, key, "write null to leave it unmanaged", "has no value");
	} else if (yaml_null(y) || is_fabric(k, y)) {
		i.op = yaml_null(y) ? ITEM_NULL : ITEM_FABRIC;
		if (!spread(x, &i, k))
			wrong(x, &i, y, NULL, "does not follow from the classes of a fabric");
	} else if (k->field) {
		decode_leaf(x, &i, y);
	} else if (y->shape != SHAPE_MAP) {
		wrong(x, &i, y, yaml_is(y, "fabric") ? "write fabric without quotes" : NULL,
		      arena_printf(x->a, "takes a map of keys but is %s", yaml_what(x->a, y)));
	} else {
		decode_children(x, &i, stars, k, y, NULL);
	}
}

static bool is_word_of(const struct word *words, const struct yaml *key)
{
	for (; words && words->key; words++)
		if (yaml_is(key, words->key))
			return true;
	return false;
}

static void decode_children(struct decoder *x, const struct item *parent, unsigned stars, const struct key *k,
			    const struct yaml *map, const struct word *others)
{
	const struct yaml *above;
	size_t names = 0;

	for (size_t p = 0; p < map->n; p++) {
		const struct yaml *key = yaml_key(map, p);
		const struct key *child = key_child(k, key->text, key->n);
		struct item i = *parent;
		bool star = child && !strcmp(child->name, "*");

		if (is_word_of(others, key))
			continue;
		if (!child) {
			decode_unknown(x, k, key, others);
			continue;
		}
		i.key = child;
		if (star && !star_ok(x, &i, key))
			continue;
		if (star && ++names > DECODE_STARS_MAX) {
			wrong(x, &i, key, NULL, arena_printf(x->a, "has more than %d names", DECODE_STARS_MAX));
			return;
		}
		if (star && stars < 2)
			i.star[stars] = yaml_dup(x->a, key);
		above = decode_enter(x, yaml_value(map, p));
		decode_value(x, i, stars + star, child, key, yaml_value(map, p));
		x->used = above;
	}
}

void decode_map(struct decoder *x, const struct key *key, const struct yaml *map, const struct word *others)
{
	decode_children(x, &(struct item){ .group = x->group }, 0, key, map, others);
}

/* --- profiles and sets ------------------------------------------------------ */

static bool name_ok(struct decoder *x, const struct yaml *key)
{
	struct pos pos = decode_pos(x, key);

	if (key->n && key->n <= DECODE_NAME_MAX && !memchr(key->text, '/', key->n) && is_clean(key))
		return true;
	tell_error(x->d, &pos, NULL, "a group of ports cannot have the name \"%s\"", yaml_shown(x->a, key));
	return false;
}

/* What had an error in it is marked, so that nothing is said that only follows from it. */
static void mark_bad(struct decoder *x, const char *group, const struct pos *pos, size_t errors)
{
	if (tell_seen(x->d) > errors)
		list_add(x->out, x->a) = (struct item){ .group = group, .op = ITEM_BAD, .pos = *pos };
}

static void decode_group(struct decoder *x, const struct yaml *key, const struct yaml *y)
{
	struct item named = { .group = yaml_dup(x->a, key), .pos = decode_pos(x, key) };
	size_t errors = tell_seen(x->d);

	if (!name_ok(x, key))
		return;
	named.op = yaml_null(y) ? ITEM_NULL : ITEM_VALUE;
	list_add(x->out, x->a) = named;
	x->group = named.group;
	x->context = schema_part[PART_PORTS].key;
	if (!yaml_null(y) && decode_is(x, y, SHAPE_MAP, key, arena_printf(x->a, "group %s", yaml_shown(x->a, key))))
		decode_map(x, x->schema->group, y, NULL);
	x->group = NULL;
	mark_bad(x, named.group, &named.pos, errors);
}

static void decode_ports(struct decoder *x, const struct yaml *map)
{
	for (size_t i = 0; i < map->n; i++) {
		struct pos pos = decode_pos(x, yaml_key(map, i));
		const struct yaml *above;

		if (i == DECODE_GROUPS_MAX) {
			tell_error(x->d, &pos, NULL, "more than %d groups of ports", DECODE_GROUPS_MAX);
			return;
		}
		above = decode_enter(x, yaml_value(map, i));
		decode_group(x, yaml_key(map, i), yaml_value(map, i));
		x->used = above;
	}
}

void decode_part(struct decoder *x, const struct yaml *map)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct yaml *key = yaml_key(map, i), *y = yaml_value(map, i);
		bool node = yaml_is(key, schema_part[PART_NODE].key), ports = yaml_is(key, schema_part[PART_PORTS].key);
		struct pos pos = decode_pos(x, key);
		size_t errors = tell_seen(x->d);
		const struct yaml *above = decode_enter(x, y);

		if ((!node && !ports) || !decode_is(x, y, SHAPE_MAP, key, schema_part[node ? PART_NODE : PART_PORTS].key)) {
			x->used = above;
			continue;
		}
		x->context = schema_part[PART_NODE].key;
		if (node) {
			decode_map(x, x->schema->node, y, NULL);
			mark_bad(x, NULL, &pos, errors);
		} else {
			decode_ports(x, y);
		}
		x->used = above;
	}
}
