/* SPDX-License-Identifier: Apache-2.0 */
/* What a config_db says of the headroom of one port: profiles of its priority groups, their pool, and the cable. */
#include "nos/sonic.h"

#include <string.h>

#include "base/arena.h"
#include "model/record.h"
#include "nos/lines.h"
#include "nos/nos.h"

static void read_alpha(const struct switch_file *f, const struct word *w, struct cell *c)
{
	uint64_t n;

	if (!w)
		return;
	if (line_number(w->key + (*w->key == '-'), *w->key == '-' ? 8 : 7, &n))
		conf_say(f, c, w, *w->key == '-' ? -(int64_t)n : (int64_t)n);
	else
		sonic_unsure(c, sonic_why(f, w, "is no dynamic_th from -8 to 7"));
}

/* A profile that says only a part is not taken. */
static void check_whole(const struct switch_file *f, const struct word *profile, unsigned p, struct record *have)
{
	static const struct {
		unsigned field;
		const char *name;
	} parts[] = { { SWITCH_XOFF, "xoff" }, { SWITCH_XON, "xon" }, { SWITCH_SIZE, "size" }, { SWITCH_ALPHA, "dynamic_th" } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!sonic_member(f, profile, parts[i].name))
			sonic_unsure(switch_port_cell(have, parts[i].field, p),
			       sonic_why(f, profile, arena_printf(f->arena, "says no %s", parts[i].name)));
}

/* Of xoff counts what the group has behind xon, and what the pool has for all groups. */
static void limit_xoff(const struct switch_file *f, const struct word *profile, const struct word *pool, unsigned p,
		       struct record *have)
{
	struct cell *xoff = switch_port_cell(have, SWITCH_XOFF, p);
	const struct cell *size = switch_port_at(have, SWITCH_SIZE, p), *xon = switch_port_at(have, SWITCH_XON, p);
	const struct word *shared = sonic_member(f, pool, "xoff");
	uint64_t n = 0;
	int64_t room;

	if (shared && !line_number(shared->key, UINT64_C(1) << 40, &n)) {
		sonic_unsure(xoff, sonic_why(f, shared, "is no size of a shared headroom pool"));
		return;
	}
	if (!size || !xon || xoff->state != CELL_VALUE)
		return;
	room = size->value.num > xon->value.num ? size->value.num - xon->value.num : 0;
	room += (int64_t)n;
	if (room < xoff->value.num)
		conf_say(f, xoff, shared ? shared : sonic_member(f, profile, "size"), room);
}

static void read_pool_size(const struct switch_file *f, const struct word *pool, struct record *have)
{
	const struct word *size = sonic_member(f, pool, "size");
	uint64_t n;

	if (size && line_number(size->key, UINT64_C(1) << 40, &n))
		conf_say(f, &have->at[SWITCH_POOL], size, (int64_t)n);
	else
		sonic_unsure(&have->at[SWITCH_POOL], sonic_why(f, size ? size : pool, "has no size of the pool"));
}

static void read_pool(const struct switch_file *f, const struct word *profile, unsigned p, struct record *have)
{
	const struct word *name = sonic_member(f, profile, "pool"), *pool = sonic_referred(f, name, "BUFFER_POOL");
	const struct word *type = sonic_member(f, pool, "type"), *mode = sonic_member(f, pool, "mode");
	struct cell *given = switch_port_cell(have, SWITCH_GIVEN, p);

	if (!pool) {
		sonic_unsure(given, sonic_why(f, name ? name : profile, name ? "is a pool that the file does not have" : "says no pool"));
		return;
	}
	if (type && strcmp(type->key, "ingress") != 0 && strcmp(type->key, "both") != 0)
		sonic_unsure(given, sonic_why(f, type, "is no type of pool that a priority group has: ingress"));
	if (mode && strcmp(mode->key, "dynamic") != 0)
		sonic_unsure(switch_port_cell(have, SWITCH_ALPHA, p), sonic_why(f, mode, "is a mode of the pool where dynamic_th does not count"));
	limit_xoff(f, profile, pool, p, have);
	read_pool_size(f, pool, have);
}

/* Profile NULL, or one that only says dynamic_th: computed, where the model is the dynamic one. */
static void read_computed(const struct switch_file *f, const struct word *name, const struct word *profile, unsigned p,
			  struct record *have)
{
	const struct word *meta = sonic_table(f, "DEVICE_METADATA");
	const struct word *model = sonic_member(f, word_at(&f->tree, meta, "localhost"), "buffer_model");
	const struct word *defaults = word_children(sonic_table(f, "DEFAULT_LOSSLESS_BUFFER_PARAMETER"));
	const struct word *alpha = sonic_member(f, profile, "dynamic_th");
	struct cell *given = switch_port_cell(have, SWITCH_GIVEN, p);

	conf_say(f, given, model ? model : name, model && !strcmp(model->key, "dynamic"));
	if (!meta)
		sonic_unsure(given, "the switch computes headroom if its buffer_model is dynamic, and the file has no DEVICE_METADATA that says so");
	switch_port_cell(have, SWITCH_XOFF, p)->because = "the switch computes headroom itself (profile NULL)";
	read_alpha(f, alpha ? alpha : sonic_member(f, defaults, "default_dynamic_th"), switch_port_cell(have, SWITCH_ALPHA, p));
}

static void read_group(const struct switch_file *f, const struct word *pg, unsigned p, struct record *have)
{
	const struct word *name = sonic_member(f, pg, "profile"), *profile = sonic_referred(f, name, "BUFFER_PROFILE");
	const struct word *kind = sonic_member(f, profile, "headroom_type");

	if ((name && !strcmp(name->key, "NULL")) || (kind && !strcmp(kind->key, "dynamic"))) {
		read_computed(f, name, profile, p, have);
		return;
	}
	conf_say(f, switch_port_cell(have, SWITCH_GIVEN, p), name ? name : pg, sonic_member(f, profile, "xoff") != NULL);
	if (!sonic_member(f, profile, "xoff"))
		return;
	sonic_number(f, sonic_member(f, profile, "xoff"), switch_port_cell(have, SWITCH_XOFF, p));
	sonic_number(f, sonic_member(f, profile, "xon"), switch_port_cell(have, SWITCH_XON, p));
	sonic_number(f, sonic_member(f, profile, "size"), switch_port_cell(have, SWITCH_SIZE, p));
	read_alpha(f, sonic_member(f, profile, "dynamic_th"), switch_port_cell(have, SWITCH_ALPHA, p));
	check_whole(f, profile, p, have);
	read_pool(f, profile, p, have);
}

static void read_groups(struct switch_file *f, const char *port, struct record *have)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct word *pg = sonic_entry(f, "BUFFER_PG", port, (int)p);
		const char *twice = sonic_twice(f, pg);

		read_group(f, pg, p, have);
		if (twice)
			sonic_unsure(switch_port_cell(have, SWITCH_GIVEN, p), twice);
	}
}

static void read_length(const struct switch_file *f, const struct word *length, struct cell *c)
{
	size_t n = strlen(length->key);
	uint64_t metres;

	if (n < 2 || length->key[n - 1] != 'm' || !line_number(arena_strndup(f->arena, length->key, n - 1), 100000, &metres))
		sonic_unsure(c, sonic_why(f, length, "is no length such as 40m"));
	else if (c->state == CELL_VALUE && c->value.num != (int64_t)metres)
		sonic_unsure(c, sonic_why(f, length, "is one of two lengths that are said"));
	else
		conf_say(f, c, length, (int64_t)metres);
}

static void read_cable(struct switch_file *f, const char *port, struct record *have)
{
	for (const struct word *w = word_children(sonic_table(f, "CABLE_LENGTH")); w; w = w->next) {
		const struct word *length = sonic_member(f, w, port);

		if (length)
			read_length(f, length, &have->at[SWITCH_CABLE]);
	}
	for (const struct word *w = word_children(sonic_table(f, "LOSSLESS_TRAFFIC_PATTERN")); w; w = w->next) {
		sonic_number(f, sonic_member(f, w, "mtu"), &have->at[SWITCH_LOSSLESS_MTU]);
		sonic_number(f, sonic_member(f, w, "small_packet_percentage"), &have->at[SWITCH_SMALL_PACKETS]);
	}
}

void sonic_buffers(struct switch_file *f, const char *port, struct record *have)
{
	read_groups(f, port, have);
	read_cable(f, port, have);
}
