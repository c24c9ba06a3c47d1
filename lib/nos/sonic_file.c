/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A config_db.json as a tree: whether it has the shape that the switch loads, keys that name several ports or numbers taken
 * apart, and the questions that are asked of its tables.
 */
#include "nos/sonic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"

enum { NUMBER_MOST = 1 << 30, ALIASES_MOST = 1 << 17 };

/* A table of ours beside those of the file: no name of SONiC's has a blank. */
#define MEMBERS "members of channels"

/* --- questions --------------------------------------------------------------------------------------- */

const struct word *sonic_table(const struct switch_file *f, const char *name)
{
	return word_at(&f->tree, &f->tree.root, name);
}

const char *sonic_why(const struct switch_file *f, const struct word *w, const char *what)
{
	return arena_printf(f->arena, "\"%s\" %s (%s:%u)", text_safe(f->arena, w->key, strlen(w->key), 40), what, f->source->name, w->line);
}

void sonic_unsure(struct cell *c, const char *why)
{
	cell_set_reason(c, REASON_UNREADABLE, why);
}

const struct word *sonic_entry(const struct switch_file *f, const char *name, const char *port, int number)
{
	char key[LINE_ARG + 16];

	if (number < 0)
		return word_at(&f->tree, sonic_table(f, name), port);
	if (snprintf(key, sizeof(key), "%s|%d", port, number) >= (int)sizeof(key))
		return NULL;
	return word_at(&f->tree, sonic_table(f, name), key);
}

const struct word *sonic_member(const struct switch_file *f, const struct word *w, const char *name)
{
	return word_value(word_at(&f->tree, w, name));
}

const char *sonic_twice(const struct switch_file *f, const struct word *w)
{
	return w && w->twice ? sonic_why(f, w, "is said by two entries, of which one has a range or a list") : NULL;
}

const struct word *sonic_referred(const struct switch_file *f, const struct word *w, const char *name)
{
	const char *s = word_text(w), *bar = s ? strchr(s, '|') : NULL;

	if (s && *s == '[' && bar)
		s = arena_strndup(f->arena, bar + 1, strcspn(bar + 1, "]"));
	return s ? word_at(&f->tree, sonic_table(f, name), s) : NULL;
}

const struct word *sonic_channel(const struct switch_file *f, const char *port)
{
	const struct word *channel = word_value(word_at(&f->tree, sonic_table(f, MEMBERS), port));

	return channel ? word_at(&f->tree, sonic_table(f, "PORTCHANNEL"), channel->key) : NULL;
}

void sonic_number(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t n;

	if (w && line_number(w->key, NUMBER_MOST, &n))
		conf_say(f, c, w, (int64_t)n);
	else if (w)
		sonic_unsure(c, sonic_why(f, w, "is no number that is taken here"));
}

/* --- keys ---------------------------------------------------------------------------------------------- */

/* "3" or "3-4", as keys have it: numbers of at most two digits. */
static bool key_numbers(const char *s, uint64_t *numbers)
{
	return strspn(s, "0123456789-") == strlen(s) && line_set(s, 63, numbers);
}

static bool alias(struct switch_file *f, struct word *of, const char *port, const char *behind)
{
	uint64_t numbers = 0;

	if (f->named++ >= ALIASES_MOST)
		return false;		/* no switch has so many: ranges of ranges must end */
	if (!*behind) {
		tree_alias(&f->tree, of, port);
		return true;
	}
	if (!key_numbers(behind + 1, &numbers))
		return false;
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (numbers >> i & 1)
			tree_alias(&f->tree, of, arena_printf(f->arena, "%s|%u", port, i));
	return true;
}

/* The next of "Ethernet0,Ethernet4"; NULL behind the last. A dash is part of a name: ports have no ranges here. */
static const char *next_port(struct arena *a, const char **list)
{
	size_t n = strcspn(*list, ",");
	const char *port = n ? arena_strndup(a, *list, n) : NULL;

	*list += n + ((*list)[n] == ',');
	return port;
}

/* "Ethernet0,Ethernet4|3-4" becomes four names for the same. */
static void expand_keys(struct switch_file *f, const char *name)
{
	struct word *up = (struct word *)sonic_table(f, name), *end = up ? up->last : NULL;

	for (struct word *w = up ? up->child : NULL; w; w = w == end ? NULL : w->next) {
		const char *bar = strchr(w->key, '|'), *list, *port;

		if (!strchr(w->key, ',') && !(bar && strchr(bar, '-')))
			continue;
		list = arena_strndup(f->arena, w->key, strcspn(w->key, "|"));
		while ((port = next_port(f->arena, &list)) != NULL)
			if (!alias(f, w, port, bar ? bar : ""))
				break;
	}
}

static void list_ports(struct switch_file *f, const char *name)
{
	for (const struct word *w = word_children(sonic_table(f, name)); w; w = w->next) {
		const char *list = arena_strndup(f->arena, w->key, strcspn(w->key, "|")), *port;

		while (!w->is && strcmp(w->key, "global") != 0 && (port = next_port(f->arena, &list)) != NULL)
			conf_ports(f, port);
	}
}

/* A port that is up is one, also where nothing else is said of it. Those inside a chassis are somebody else's. */
static void list_up(struct switch_file *f)
{
	for (const struct word *w = word_children(sonic_table(f, "PORT")); w; w = w->next) {
		const struct word *up = sonic_member(f, w, "admin_status"), *role = sonic_member(f, w, "role");

		if (up && !strcmp(up->key, "up") && (!role || !strcmp(role->key, "Ext")))
			conf_ports(f, w->key);
	}
}

/* Members of a port channel take its MTU: which one a port is in, by the port. */
static void list_members(struct switch_file *f)
{
	const struct word *w = word_children(sonic_table(f, "PORTCHANNEL_MEMBER"));
	struct word *members = w ? tree_word(&f->tree, &f->tree.root, MEMBERS, strlen(MEMBERS), 0) : NULL;

	for (; w; w = w->next) {
		const char *bar = strchr(w->key, '|');

		if (bar)
			tree_word(&f->tree, tree_word(&f->tree, members, bar + 1, strlen(bar + 1), w->line), w->key,
				  (size_t)(bar - w->key), w->line);
	}
}

/* --- shapes -------------------------------------------------------------------------------------------- */

static int bad_shape(const struct switch_file *f, const char *name, const struct word *w, const char *what)
{
	const struct pos pos = word_pos(&f->tree, w);

	diag_error(f->diags, &pos, "%s: \"%s\" %s: a config_db has strings here", name,
		   text_safe(f->arena, w->key, strlen(w->key), 60), what);
	return -EINVAL;
}

static int check_member(const struct switch_file *f, const char *name, const struct word *m)
{
	const struct word *v = word_value(m);

	if (m->list || m->object)
		return bad_shape(f, name, m, m->list ? "is a list" : "is an object");
	if (m->scalar)
		return bad_shape(f, name, m, "stands without a name");
	if (v && v->bare && strchr("tfn", *v->key))
		return bad_shape(f, name, m, "is true, false or null without quotes");
	return 0;
}

/* A table of entries of members, each a string; numbers become strings when they are loaded. */
static int check_table(const struct switch_file *f, const char *name)
{
	const struct word *t = sonic_table(f, name);

	if (t && (t->list || (!t->object && t->child)))
		return bad_shape(f, name, t, "is no object");
	for (const struct word *w = word_children(t); w; w = w->next) {
		if (w->list || (!w->object && w->child))
			return bad_shape(f, name, w, "is no object");
		for (const struct word *m = w->child; m; m = m->next)
			if (check_member(f, name, m) < 0)
				return -EINVAL;
	}
	return 0;
}

static int check_port_members(const struct switch_file *f)
{
	static const char *const members[] = { "mtu", "speed", "pfc_asym", "admin_status", "role" };

	for (const struct word *w = word_children(sonic_table(f, "PORT")); w; w = w->next)
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
			const struct word *m = word_at(&f->tree, w, members[i]);

			if (m && check_member(f, "PORT", m) < 0)
				return -EINVAL;
		}
	return 0;
}

static int check_shapes(const struct switch_file *f)
{
	static const char *const judged[] = {
		"PORT_QOS_MAP", "QUEUE", "SCHEDULER", "WRED_PROFILE", "BUFFER_PG", "BUFFER_PROFILE", "BUFFER_POOL", "CABLE_LENGTH", "PFC_WD",
		"LOSSLESS_TRAFFIC_PATTERN", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP",
		"MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	};

	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++)
		if (check_table(f, judged[i]) < 0)
			return -EINVAL;
	return check_port_members(f);
}

static void warn_of_mark(const struct switch_file *f)
{
	const struct pos pos = { .source = f->source, .line = 1 };

	if (f->source->len >= 3 && !memcmp(f->source->text, "\xef\xbb\xbf", 3))
		diag_warning(f->diags, &pos, "this file begins with a byte order mark: SONiC does not load it so");
}

int sonic_parse(struct switch_file *f)
{
	static const char *const expanded[] = { "PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "PFC_WD" };
	static const char *const known[] = { "PORT", "PORT_QOS_MAP", "QUEUE", "WRED_PROFILE", "DSCP_TO_TC_MAP", "DEVICE_METADATA" };
	bool any = false;

	if (tree_json(&f->tree, f->diags) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		any |= sonic_table(f, known[i]) != NULL;
	if (!any) {
		const struct pos pos = { .source = f->source, .line = 1 };

		diag_error(f->diags, &pos, "this is no config_db of SONiC: it has none of its tables");
		return -EINVAL;
	}
	if (check_shapes(f) < 0)
		return -EINVAL;
	warn_of_mark(f);
	for (size_t i = 0; i < sizeof(expanded) / sizeof(expanded[0]); i++)
		expand_keys(f, expanded[i]);
	list_ports(f, "PORT_QOS_MAP");
	list_ports(f, "QUEUE");
	list_up(f);
	list_members(f);
	return 0;
}
