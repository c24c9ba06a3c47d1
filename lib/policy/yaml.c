/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's events to a tree. libyaml reports duplicate keys, further documents and aliases as plain events and
 * leaves them to its caller: what is refused of them is refused here.
 *
 * Children of what is still open wait on one stack; a collection that closes moves its own into the arena as one
 * array. So an alias costs one node, whatever it stands for, and a node never moves once somebody can point to it.
 */
#include "policy/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "policy/yaml_explain.h"

enum { SHOWN_MAX = 60, KEYS_FEW = 8, REST_OF_LINE = UINT16_MAX };

struct anchor {
	const char *name;
	struct yaml node;
	uint64_t size;			/* nodes that an alias of it stands for */
	bool open;			/* its collection has not ended: an alias would hold itself */
};

struct frame {				/* a collection that is open */
	struct yaml node;
	size_t base;			/* where its children begin on the stack */
	uint64_t size;
	uint32_t anchor;		/* number + 1; 0: none */
};

struct builder {
	struct arena *a;
	const struct source *source;
	struct diags *d;
	struct yaml *stack;
	size_t n, room;
	struct frame frame[YAML_DEPTH_MAX];
	unsigned depth;
	struct {
		struct anchor *at;
		size_t n, room;
	} anchors;
	uint32_t *slots;		/* hash of anchors: number + 1 */
	size_t nslots;
	uint64_t nodes, expanded, seed;
	size_t chars, bytes;		/* the same place in the source, counted both ways */
	bool ascii, document;
};

/* --- small things ----------------------------------------------------------- */

struct pos yaml_pos(const struct source *source, const struct yaml *y)
{
	return (struct pos){ .source = source, .line = y->line, .col = y->col, .len = y->len, .use_line = y->use_line,
			     .use_col = y->use_col };
}

static bool is_plain(const struct yaml *y, const char *s)
{
	return !y->quoted && yaml_is(y, s);
}

bool yaml_is(const struct yaml *y, const char *s)
{
	return y->shape == SHAPE_SCALAR && strlen(s) == y->n && !memcmp(y->text, s, y->n);
}

bool yaml_same(const struct yaml *x, const struct yaml *y)
{
	return x->shape == SHAPE_SCALAR && y->shape == SHAPE_SCALAR && x->n == y->n && !memcmp(x->text, y->text, x->n);
}

bool yaml_null(const struct yaml *y)
{
	return is_plain(y, "null") || is_plain(y, "~") || is_plain(y, "Null") || is_plain(y, "NULL");
}

bool yaml_empty(const struct yaml *y)
{
	return is_plain(y, "");
}

const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	for (size_t i = 0; map->shape == SHAPE_MAP && i < map->n; i++)
		if (yaml_is(yaml_key(map, i), key))
			return yaml_value(map, i);
	return NULL;
}

char *yaml_dup(struct arena *a, const struct yaml *y)
{
	return arena_strndup(a, y->text, y->n);
}

const char *yaml_shown(struct arena *a, const struct yaml *y)
{
	return text_safe(a, y->text, y->n, SHOWN_MAX);
}

const char *yaml_what(struct arena *a, const struct yaml *y)
{
	if (y->shape == SHAPE_MAP)
		return "a map";
	if (y->shape == SHAPE_LIST)
		return "a list";
	if (yaml_empty(y))
		return "nothing";
	return yaml_null(y) ? "null" : arena_printf(a, "\"%s\"", yaml_shown(a, y));
}

/* Room on the heap: stacks and hash tables are given back, unlike what lies in the arena. */
static void *must(void *p)
{
	if (!p) {
		fputs("rdmactl: out of memory\n", stderr);
		abort();
	}
	return p;
}

/* --- the text --------------------------------------------------------------- */

/* What of C0 may stand in a text: tab, newline, and a carriage return before a newline. */
static bool is_allowed(const char *s, size_t n, uint32_t cp)
{
	if (cp == '\r')
		return n > 1 && s[1] == '\n';
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return cp == '\t' || cp == '\n';
	return cp != 0x2028 && cp != 0x2029 && cp != 0xfeff && cp != 0xfffe && cp != 0xffff;
}

static const char *refusal(const char *s, size_t len, uint32_t cp)
{
	if (!len)
		return "is not valid UTF-8 here";
	if (!cp)
		return "holds a NUL byte: this is no text, or not UTF-8";
	if (*s == '\r')
		return "holds a carriage return without a newline behind it";
	if (cp == 0x85 || cp == 0x2028 || cp == 0x2029)
		return "holds a Unicode line break, which editors do not count as one: use a newline";
	if (cp == 0xfeff)
		return "holds a byte order mark in its middle: were two files joined?";
	return "holds a control character";
}

/* Every byte of the text, before libyaml sees it: so that our lines and columns are those of an editor. */
static int check_text(struct builder *b)
{
	const char *s = b->source->text, *end = s + b->source->len, *line = s;
	struct pos pos = { .source = b->source, .line = 1, .len = 1 };
	uint32_t cp = 0, passed;
	size_t len = 0;

	b->ascii = true;
	for (; s < end; s += len) {
		len = 1;
		if (*s >= 0x20 && *s < 0x7f)
			continue;
		len = text_utf8(s, (size_t)(end - s), &cp);
		if (!len || !is_allowed(s, (size_t)(end - s), cp))
			break;
		b->ascii = b->ascii && len == 1;
		if (*s == '\n') {
			pos.line++;
			line = s + 1;
		}
	}
	if (s == end)
		return 0;
	for (pos.col = 1; line < s; line += text_utf8(line, (size_t)(s - line), &passed))
		pos.col++;
	diag_error(b->d, &pos, "the file %s", refusal(s, len, cp));
	if (end - b->source->text >= 2 &&
	    (!memcmp(b->source->text, "\xff\xfe", 2) || !memcmp(b->source->text, "\xfe\xff", 2)))
		diag_hint(b->d, "it looks like UTF-16; save it as UTF-8");
	return -EINVAL;
}

/* Byte of the source at a mark, which counts characters. Marks come in order; SIZE_MAX for one that does not. */
static size_t byte_at(struct builder *b, const yaml_mark_t *mark)
{
	uint32_t cp;

	if (b->ascii)
		return mark->index;
	if (mark->index < b->chars)
		return SIZE_MAX;
	for (; b->chars < mark->index && b->bytes < b->source->len; b->chars++)
		b->bytes += text_utf8(b->source->text + b->bytes, b->source->len - b->bytes, &cp);
	return b->bytes;
}

/* A scalar's text is that of the source where no quotes, escapes or folded lines stand between them. */
static const char *text_of(struct builder *b, const yaml_event_t *e)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t n = e->data.scalar.length, at = byte_at(b, &e->start_mark), skip;

	skip = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;
	if (at < b->source->len && n + skip <= b->source->len - at && !memcmp(b->source->text + at + skip, s, n))
		return b->source->text + at + skip;
	return arena_strndup(b->a, s, n);
}

/* --- anchors ---------------------------------------------------------------- */

static uint32_t *slot_of(const struct builder *b, const char *name)
{
	for (size_t i = hash_slot(hash_add(b->seed, name, strlen(name)), b->nslots);; i++) {
		uint32_t *slot = &b->slots[i & (b->nslots - 1)];

		if (!*slot || !strcmp(b->anchors.at[*slot - 1].name, name))
			return slot;
	}
}

static void slots_grow(struct builder *b)
{
	b->nslots = b->nslots ? b->nslots * 2 : 64;
	free(b->slots);
	b->slots = must(calloc(b->nslots, sizeof(*b->slots)));
	for (uint32_t i = 0; i < b->anchors.n; i++)	/* of two with one name the later one counts */
		*slot_of(b, b->anchors.at[i].name) = i + 1;
}

/* *number: number + 1; 0 without a name */
static int anchor_add(struct builder *b, const yaml_char_t *name, const struct yaml *node, bool open, uint32_t *number)
{
	struct pos pos = yaml_pos(b->source, node);

	*number = 0;
	if (!name)
		return 0;
	if (b->anchors.n == YAML_ANCHORS_MAX) {
		diag_error(b->d, &pos, "the file holds more than %d anchors", YAML_ANCHORS_MAX);
		return -EINVAL;
	}
	if (b->anchors.n * 2 >= b->nslots)
		slots_grow(b);
	list_add(&b->anchors, b->a) = (struct anchor){
		.name = arena_strdup(b->a, (const char *)name), .node = *node, .size = 1, .open = open,
	};
	*number = (uint32_t)b->anchors.n;
	*slot_of(b, (const char *)name) = *number;
	return 0;
}

/* --- the tree --------------------------------------------------------------- */

/* Room for @n more on the stack. */
static void stack_room(struct builder *b, size_t n)
{
	if (b->n + n <= b->room)
		return;
	b->room = b->room ? b->room * 2 : 256;
	b->stack = must(realloc(b->stack, b->room * sizeof(*b->stack)));
}

static int push(struct builder *b, const struct yaml *node, uint64_t size)
{
	struct pos pos = yaml_pos(b->source, node);

	if (++b->nodes > YAML_NODES_MAX) {
		diag_error(b->d, &pos, "the file holds more than %d values", YAML_NODES_MAX);
		return -EINVAL;
	}
	stack_room(b, 1);
	b->stack[b->n++] = *node;
	if (b->depth)
		b->frame[b->depth - 1].size += size;
	return 0;
}

static int expand(struct builder *b, const struct pos *pos, uint64_t size)
{
	b->expanded += size;
	if (b->expanded <= YAML_EXPANDED_MAX)
		return 0;
	diag_error(b->d, pos, "the aliases up to here stand for more than %d values", YAML_EXPANDED_MAX);
	diag_hint(b->d, "aliases of aliases multiply; write profiles instead");
	return -EINVAL;
}

static struct yaml node_at(const yaml_event_t *e, enum yaml_shape shape)
{
	struct yaml y = { .shape = shape,
			  .line = (uint32_t)e->start_mark.line + 1,
			  .col = (uint32_t)e->start_mark.column + 1 };
	size_t len = e->end_mark.column - e->start_mark.column;

	if (shape != SHAPE_SCALAR)
		y.len = 1;
	else if (e->end_mark.line != e->start_mark.line || len > REST_OF_LINE)
		y.len = REST_OF_LINE;
	else
		y.len = (uint16_t)len;
	return y;
}

static int refuse_tag(struct builder *b, const yaml_char_t *tag, const struct yaml *at)
{
	struct pos pos = yaml_pos(b->source, at);

	if (!tag)
		return 0;
	diag_error(b->d, &pos, "a `!` begins a YAML tag here, and tags have no meaning in a policy");
	diag_hint(b->d, "text that begins with ! must be quoted; host lists have no exclusions");
	return -EINVAL;
}

/* An escape in double quotes. Whoever reads the tree may take a text for one of C's. */
static int refuse_nul(struct builder *b, const yaml_event_t *e, const struct yaml *at)
{
	struct pos pos = yaml_pos(b->source, at);

	if (!memchr(e->data.scalar.value, 0, e->data.scalar.length))
		return 0;
	diag_error(b->d, &pos, "the text holds a NUL character, which no name and no value has");
	diag_hint(b->d, "in double quotes a backslash begins an escape: write it twice, or use single quotes");
	return -EINVAL;
}

static int on_scalar(struct builder *b, const yaml_event_t *e)
{
	struct yaml y = node_at(e, SHAPE_SCALAR);
	int r = refuse_tag(b, e->data.scalar.tag, &y);
	uint32_t anchor;

	r = r < 0 ? r : refuse_nul(b, e, &y);
	if (r < 0)
		return r;
	y.text = text_of(b, e);
	y.n = (uint32_t)e->data.scalar.length;
	y.quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	y.flow = b->depth && b->frame[b->depth - 1].node.flow;
	r = anchor_add(b, e->data.scalar.anchor, &y, false, &anchor);
	return r < 0 ? r : push(b, &y, 1);
}

static int on_alias(struct builder *b, const yaml_event_t *e)
{
	struct yaml at = node_at(e, SHAPE_SCALAR), used;
	const char *name = (const char *)e->data.alias.anchor;
	struct pos pos = yaml_pos(b->source, &at);
	uint32_t found = b->nslots ? *slot_of(b, name) : 0;
	const struct anchor *anchor = found ? &b->anchors.at[found - 1] : NULL;
	int r;

	if (!anchor) {
		diag_error(b->d, &pos, "the alias *%s has no anchor before it", name);
		diag_hint(b->d, "a name that begins with * must be quoted: \"*%s\"", name);
		return -EINVAL;
	}
	if (anchor->open) {
		diag_error(b->d, &pos, "the alias *%s stands inside its own anchor: it would hold itself without end",
			   name);
		return -EINVAL;
	}
	r = expand(b, &pos, anchor->size);
	if (r < 0)
		return r;
	used = anchor->node;
	used.use_line = at.line;
	used.use_col = at.col;
	return push(b, &used, anchor->size);
}

static int open_frame(struct builder *b, const struct yaml *y, const yaml_char_t *anchor)
{
	struct frame *f = &b->frame[b->depth];
	struct pos pos = yaml_pos(b->source, y);

	if (b->depth == YAML_DEPTH_MAX) {
		diag_error(b->d, &pos, "the file is nested deeper than %d levels", YAML_DEPTH_MAX);
		return -EINVAL;
	}
	*f = (struct frame){ .node = *y, .base = b->n, .size = 1 };
	b->depth++;
	return anchor_add(b, anchor, y, true, &f->anchor);
}

static int on_list(struct builder *b, const yaml_event_t *e)
{
	struct yaml y = node_at(e, SHAPE_LIST);
	int r = refuse_tag(b, e->data.sequence_start.tag, &y);

	y.flow = e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	return r < 0 ? r : open_frame(b, &y, e->data.sequence_start.anchor);
}

static int on_map(struct builder *b, const yaml_event_t *e)
{
	struct yaml y = node_at(e, SHAPE_MAP);
	int r = refuse_tag(b, e->data.mapping_start.tag, &y);

	y.flow = e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	return r < 0 ? r : open_frame(b, &y, e->data.mapping_start.anchor);
}

/* --- maps ------------------------------------------------------------------- */

static void tell_duplicate(struct builder *b, const struct yaml *first, const struct yaml *second)
{
	struct pos pos = yaml_pos(b->source, second);
	struct diag *one = diag_error(b->d, &pos, "duplicate key \"%s\" (lines %u and %u)", yaml_shown(b->a, second),
				      first->line, second->line);

	one->other = yaml_pos(b->source, first);
	one->other_what = "first given here";
}

/* The keys of one map, by text; a table only where there are many. */
struct keys {
	const struct yaml *pair;
	size_t n;
	uint32_t *slots;
	size_t nslots;
	uint64_t seed;
};

static size_t keys_begin(const struct keys *k, const struct yaml *key)
{
	return hash_slot(hash_add(k->seed, key->text, key->n), k->nslots);
}

static const struct yaml *keys_find(struct keys *k, const struct yaml *key)
{
	if (!k->slots) {
		for (size_t i = 0; i < k->n; i++)
			if (yaml_same(&k->pair[2 * i], key))
				return &k->pair[2 * i];
		return NULL;
	}
	for (size_t i = keys_begin(k, key);; i++) {
		uint32_t slot = k->slots[i & (k->nslots - 1)];

		if (!slot || yaml_same(&k->pair[2 * (slot - 1)], key))
			return slot ? &k->pair[2 * (slot - 1)] : NULL;
	}
}

static void keys_slot(struct keys *k, size_t pair)
{
	size_t i = keys_begin(k, &k->pair[2 * pair]);

	while (k->slots[i & (k->nslots - 1)])
		i++;
	k->slots[i & (k->nslots - 1)] = (uint32_t)pair + 1;
}

/* Takes pair number k->n, which stands in its place already. */
static void keys_add(struct keys *k)
{
	k->n++;
	if (k->slots && k->n * 2 < k->nslots) {
		keys_slot(k, k->n - 1);
		return;
	}
	if (k->n <= KEYS_FEW)
		return;
	k->nslots = k->nslots ? k->nslots * 2 : 64;
	free(k->slots);
	k->slots = must(calloc(k->nslots, sizeof(*k->slots)));
	for (size_t i = 0; i < k->n; i++)
		keys_slot(k, i);
}

static void refuse_key(struct builder *b, const struct yaml *key)
{
	struct pos pos = yaml_pos(b->source, key);
	bool map = key->shape == SHAPE_MAP;

	diag_error(b->d, &pos, "%s stands where a key is due", map ? "a map" : "a list");
	if (map && key->flow)
		diag_hint(b->d, "{{ … }} looks like a template that was not rendered");
	else
		diag_hint(b->d, "a key that begins with a bracket must be quoted");
}

/*
 * Puts the pairs of @value, which a merge key names, behind the own ones, which win; of several maps the earlier ones
 * win. Their size counts already, with that of the alias.
 */
static void merge_one(struct builder *b, struct keys *k, const struct yaml *value, const struct pos *pos)
{
	if (value->shape != SHAPE_MAP) {
		diag_error(b->d, pos, "<< takes a map or a list of maps, not %s", yaml_what(b->a, value));
		return;
	}
	for (size_t i = 0; i < value->n; i++) {
		struct yaml *pair;

		if (keys_find(k, yaml_key(value, i)))
			continue;
		stack_room(b, 2);
		pair = &b->stack[b->n];
		pair[0] = *yaml_key(value, i);
		pair[1] = *yaml_value(value, i);
		for (unsigned part = 0; part < 2 && value->use_line; part++) {
			pair[part].use_line = value->use_line;
			pair[part].use_col = value->use_col;
		}
		b->n += 2;
		k->pair = pair - 2 * k->n;
		keys_add(k);
	}
}

static void merge(struct builder *b, struct keys *k, const struct yaml *key, const struct yaml *value)
{
	struct pos pos = yaml_pos(b->source, key);

	if (value->shape != SHAPE_LIST)
		merge_one(b, k, value, &pos);
	else
		for (size_t i = 0; i < value->n; i++)
			merge_one(b, k, &value->at[i], &pos);
}

/* The pairs of the map that closes, from @base on: keys checked, duplicates taken out, merge keys resolved. */
static void close_pairs(struct builder *b, size_t base)
{
	size_t npairs = (b->n - base) / 2;
	struct keys k = { .seed = b->seed };
	struct yaml merge_key, merge_value;
	bool merges = false;

	if (!npairs)
		return;			/* there may be no stack yet */
	k.pair = b->stack + base;
	b->n = base;
	for (size_t i = 0; i < npairs; i++) {
		struct yaml key = b->stack[base + 2 * i], value = b->stack[base + 2 * i + 1];
		const struct yaml *first = NULL;

		if (key.shape != SHAPE_SCALAR) {
			refuse_key(b, &key);
			continue;
		}
		if (is_plain(&key, "<<"))
			first = merges ? &merge_key : NULL;
		else
			first = keys_find(&k, &key);
		if (first) {
			tell_duplicate(b, first, &key);
			continue;
		}
		if (is_plain(&key, "<<")) {
			merges = true;
			merge_key = key;
			merge_value = value;
			continue;
		}
		b->stack[b->n++] = key;
		b->stack[b->n++] = value;
		keys_add(&k);
	}
	if (merges)
		merge(b, &k, &merge_key, &merge_value);
	free(k.slots);
}

static int on_close(struct builder *b)
{
	struct frame f = b->frame[b->depth - 1];
	struct yaml *at;

	if (f.node.shape == SHAPE_MAP)
		close_pairs(b, f.base);
	at = arena_array_of(b->a, struct yaml, b->n - f.base);
	if (b->n > f.base)
		memcpy(at, b->stack + f.base, (b->n - f.base) * sizeof(*at));
	f.node.at = at;
	f.node.n = (uint32_t)(b->n - f.base) / (f.node.shape == SHAPE_MAP ? 2 : 1);
	b->n = f.base;
	b->depth--;
	if (f.anchor) {
		b->anchors.at[f.anchor - 1].node = f.node;
		b->anchors.at[f.anchor - 1].size = f.size;
		b->anchors.at[f.anchor - 1].open = false;
	}
	return push(b, &f.node, f.size);
}

/* --- the stream ------------------------------------------------------------- */

static int on_document(struct builder *b, const yaml_event_t *e)
{
	struct yaml at = node_at(e, SHAPE_MAP);
	struct pos pos = yaml_pos(b->source, &at);

	if (b->document) {
		diag_error(b->d, &pos, "a second document begins here: a policy is one");
		diag_hint(b->d, "remove the --- line, or put what follows into a file of its own");
		return -EINVAL;
	}
	b->document = true;
	return 0;
}

static int on_event(struct builder *b, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return on_document(b, e);
	case YAML_ALIAS_EVENT:
		return on_alias(b, e);
	case YAML_SCALAR_EVENT:
		return on_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT:
		return on_list(b, e);
	case YAML_MAPPING_START_EVENT:
		return on_map(b, e);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return on_close(b);
	default:
		return 0;
	}
}

static int build(struct builder *b, yaml_parser_t *p)
{
	yaml_event_t e;
	bool end;
	int r;

	do {
		if (!yaml_parser_parse(p, &e)) {
			yaml_explain(p, b->source, b->d);
			return -EINVAL;
		}
		end = e.type == YAML_STREAM_END_EVENT;
		r = on_event(b, &e);
		yaml_event_delete(&e);
	} while (r == 0 && !end);
	return r;
}

int yaml_parse(struct arena *a, const struct source *source, struct yaml *root, struct diags *d)
{
	struct builder b = { .a = a, .source = source, .d = d, .seed = hash_seed() };
	struct pos pos = { .source = source };
	yaml_parser_t p;
	int r = check_text(&b);

	if (r < 0)
		return r;
	if (!yaml_parser_initialize(&p))
		abort();
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, (const unsigned char *)source->text, source->len);
	r = build(&b, &p);
	yaml_parser_delete(&p);
	if (r == 0 && (!b.n || yaml_empty(&b.stack[0]) || yaml_null(&b.stack[0]))) {
		diag_error(d, &pos, "policy is empty");
		diag_hint(d, "it would ask for nothing, and everything would be in sync; was a template not rendered?");
		r = -EINVAL;
	}
	if (r == 0)
		*root = b.stack[0];
	free(b.stack);
	free(b.slots);
	return r;
}
