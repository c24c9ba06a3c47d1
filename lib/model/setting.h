/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be set. A setting is a file in lib/settings and a line in its list.h: fields (policy keys, report rows,
 * schema, completion, manual), and homes (ways to where values live). See docs/adding-a-setting.md.
 */
#ifndef MODEL_SETTING_H
#define MODEL_SETTING_H

#include "model/facts.h"
#include "model/record.h"
#include "model/value.h"

struct change;
struct fabric_sketch;
struct desired;
struct kernel;

enum impact { IMPACT_NONE, IMPACT_TRAFFIC, IMPACT_RELOAD };	/* on traffic; the order is that of --allow */
enum effective { EFFECTIVE_NOW, EFFECTIVE_NEW_CONNECTIONS, EFFECTIVE_RELOAD, EFFECTIVE_REBOOT };

const char *impact_name(enum impact i);
const char *effective_name(enum effective e);

struct field {
	const char *name;		/* "qos.ets"; a `*` stands for each name that the policy gives */
	enum kind kind;
	int64_t min, max;		/* UINT; SET and MAP: of keys' values (max) */
	unsigned span;			/* MAP: number of keys (64 DSCPs, 8 priorities) */
	const char *unit;		/* base/units.h, or a noun */
	const char *const *words;	/* WORD: NULL at the end */
	const char *doc;
	int (*parse)(const struct field *f, const char *text, struct value *v, struct arena *a, const char **why);
	void (*print)(const struct field *f, const struct value *v, struct text *out);
	bool (*same)(const struct field *f, const struct value *want, const struct value *have,
		     const struct record *observed);
	/* this field's drift is explained by that of field follows-1 of the same setting (0: none): one fault, one finding */
	unsigned follows;
	bool verify_only;		/* no home writes it; said by lint and explain */
	bool pattern;			/* TEXT: {rail}, {node} and {ifname} stand for the port's own */
	bool always;			/* of a group or the node: asked for in each, with 0 where the policy gives no value */
};

/* What a home is asked: cells of @have that are CELL_OPEN are to be answered, others left alone. */
struct part {
	const struct setting *setting;
	const struct home *home;
	const struct target *target;
	const struct facts *facts;
	const struct record *want;	/* NULL: nothing wanted (show) */
	struct record *have;
	struct arena *arena;
	bool undo;			/* read to see whether an undo gave back what was there: want is what was read then */
	const struct change *checked;	/* the change of which this read is to say whether it, or its undo, was made; or NULL */
	const struct desired *desired;	/* all that is asked of the machine, for a home that answers for a whole file; or NULL */
	bool tells_all;			/* rows in sync are shown as well: also what costs a look more is told */
};

struct home {
	const char *object;		/* kernel object: one name on one target, one change; NULL: each field alone */
	/*
	 * Answers the open cells that this home serves with a value or a reason. Left open: not its field. A reason
	 * that is a lack, not-mounted or not-recorded lets the next home try. Return 0; -errno only if nothing could
	 * be asked at all: the engine gives reason_of() it to what is still open.
	 */
	int (*read)(struct kernel *k, struct part *p, struct diags *d);
	int (*write)(struct kernel *k, const struct change *c, struct diags *d);	/* NULL: verify only */
	/*
	 * Instead of write, where values live in files of ours: sets c->file from all parts, each file whole as it is and as it
	 * is to be. Writes nothing: the engine does, and puts the files back byte for byte.
	 */
	int (*files)(struct kernel *k, struct change *c, struct diags *d);
	/* Sets impact, effective, leaves from the difference, or refuses (change_refuse). No writes. */
	int (*weigh)(struct kernel *k, struct change *c, struct diags *d);
	enum impact impact;
	enum effective effective;
	const struct setting *const *disturbs;	/* read back, verified and undone together with it */
	const struct setting *const *tells;	/* it tells others what these have on the port: see struct change, ahead */
	const void *table;
	const char *interface;		/* for explain: "dcb netlink IEEE_SET ETS" */
};

struct setting {
	const char *name;		/* "qos.ets" stands under its file's name: "ets" */
	const char *why;		/* what goes wrong when it drifts */
	enum scope scope;
	const struct field *fields;	/* name NULL at the end */
	struct home live, boot;
	/*
	 * Completes the wish from the classes of the target's fabric: cells in CELL_FABRIC, class names. What stays
	 * CELL_FABRIC becomes an error of the caller. Errors carry the cell's position. Called once for each kind of
	 * port in a group (vendor, driver, link layer, protocol, function), with one of them as target.
	 */
	int (*derive)(const struct wishes *w, struct record *want, struct diags *d);
	/* the way back: what a port's values say of the classes that it belongs to (capture); NULL: nothing */
	void (*suggest)(const struct record *have, struct fabric_sketch *s);
	/* what serves both ends of a change, for the grow pass; NULL: only one pass */
	void (*grow)(const struct record *have, const struct record *want, struct record *both);
};

/** home_sets - can values be set through this home */
bool home_sets(const struct home *h);
/** setting_nfields - number of fields before the NULL name */
unsigned setting_nfields(const struct setting *s);

/* Answers, for homes. @i: index into p->have->at. They do nothing unless the cell is open. */
bool part_open(const struct part *p, unsigned i);
void part_num(struct part *p, unsigned i, int64_t num, const char *via);
void part_map(struct part *p, unsigned i, const uint8_t *map, size_t n, const char *via);
void part_amounts(struct part *p, unsigned i, const int64_t amount[AMOUNTS], const char *via);
void part_text(struct part *p, unsigned i, const char *text, const char *via);	/* text kept: arena or static */
void part_reason(struct part *p, unsigned i, enum reason r, const char *via, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/** part_no_rdma - why there is no RDMA device to ask: ib_core is not loaded, or why nobody knows */
enum reason part_no_rdma(const struct part *p);
/** part_reasons - the same reason for every cell that is still open */
void part_reasons(struct part *p, enum reason r, const char *via, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
