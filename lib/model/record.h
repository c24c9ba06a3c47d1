/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record holds a setting's fields for one target: what is wanted or what was observed (one type for both).
 * Cells 0..n-1 are the setting's fields in their order, so that a field's enumerator indexes the record. Fields
 * with a `*` in their name have a silent cell there; a cell for each name stands behind them (record_named).
 */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "base/diag.h"
#include "model/value.h"

struct arena;
struct home;
struct setting;

enum cell_state {
	CELL_SILENT,		/* wish: unmanaged. observed: not asked */
	CELL_OPEN,		/* observed: asked, not answered yet */
	CELL_FABRIC,		/* wish: "fabric", to be derived from the classes */
	CELL_VALUE,
	CELL_REASON,		/* observed: asked, and why there is no value */
};

/* A line that one might think decides what the next boot gives, and does not. Safe text. */
struct loser {
	struct pos pos;
	const char *value;		/* what it says */
	const char *why;		/* why it does not count: "a later file sets it" */
};

struct cell {
	const struct field *field;
	const char *name;		/* "qos.pfc", "sysctl.net.core.rmem_max", "modules.ib_core.options.netns_mode" */
	const char *star[2];		/* what stands for each `*`, else NULL */
	enum cell_state state;
	enum reason reason;
	struct value value;
	const struct value *also;	/* wish: this one is in sync as well (a cohort's verified setting), or NULL */
	bool if_supported;		/* wish: derived for drivers that have such a switch; a lack is no drift */
	struct pos pos;			/* wish: in the policy. boot: file and line that win. source NULL: none */
	const char *because;		/* observed: more about the reason or the value, or NULL; safe text */
	const char *remedy;		/* observed: what a person can do about it, or NULL */
	const char *event;		/* observed: what it waits for, where its home's effective does not say it; or NULL */
	const char *follows;		/* observed: name of the field whose fault explains this one, or NULL */
	const struct loser *loser;	/* boot: what does not win, those that say what is wanted first */
	size_t nlosers;
	const char *via;		/* observed: interface that answered: "dcb IEEE_GET", "/proc/sys/…" */
	const struct home *home;	/* observed: who serves this cell for the whole run */
};

struct record {
	const struct setting *setting;
	struct cell *at;
	size_t n, room;
	struct arena *arena;
};

/** record_new - all fields silent */
struct record *record_new(struct arena *a, const struct setting *s);
/** record_copy - cells copied, values shared */
struct record *record_copy(struct arena *a, const struct record *r);
/** record_named - the cell of a `*` field for its name(s), added silent if missing; @star1 NULL for one star */
struct cell *record_named(struct record *r, unsigned field, const char *star0, const char *star1);
/** record_add - the same for a name that the record is known not to have: nothing is looked for */
struct cell *record_add(struct record *r, unsigned field, const char *star0, const char *star1);
/** record_find - a cell by its full name, or NULL */
struct cell *record_find(const struct record *r, const char *name);
/** record_open - a record with the cells of @want (NULL: all fields without `*`), those that are managed open */
struct record *record_open(struct arena *a, const struct setting *s, const struct record *want);

/** record_has - does the cell hold a value */
bool record_has(const struct record *r, unsigned field);
/** record_num - the number there, or @otherwise */
int64_t record_num(const struct record *r, unsigned field, int64_t otherwise);
/** record_at - entry @i of a map, or @otherwise if the cell is silent or the map has none */
uint8_t record_at(const struct record *r, unsigned field, unsigned i, uint8_t otherwise);
/** record_amount - entry @i of amounts, or @otherwise likewise */
int64_t record_amount(const struct record *r, unsigned field, unsigned i, int64_t otherwise);
/** record_managed - is any cell wanted (value or fabric) */
bool record_managed(const struct record *r);

/** cell_same - is what was found as @want asks for; both hold values */
bool cell_same(const struct cell *want, const struct value *have, const struct record *observed);

void cell_set_num(struct cell *c, int64_t num);
void cell_set_text(struct cell *c, const char *text);
void cell_set_map(struct cell *c, struct arena *a, const uint8_t *map, size_t n);
void cell_set_amounts(struct cell *c, struct arena *a, const int64_t amount[AMOUNTS]);
void cell_set_reason(struct cell *c, enum reason reason, const char *because);

#endif
