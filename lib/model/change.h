/* SPDX-License-Identifier: Apache-2.0 */
/* A change is one kernel object on one target, with a part for each setting that lives in it. Undo swaps have and want. */
#ifndef MODEL_CHANGE_H
#define MODEL_CHANGE_H

#include "model/setting.h"

enum refusal {
	REFUSED_NOT,
	REFUSED_OTHER_OWNER,
	REFUSED_UNREAD,
	REFUSED_IMPOSSIBLE,
	REFUSED_ALLOW,
	REFUSED_WITHOUT,		/* not safe without another one of the port that is refused */
};

/* One value is left as it is, while the rest of its change is made; why NULL: it is made. */
struct change_left {
	const char *why;		/* for the row; with the remedy */
	enum refusal refusal;
};

struct change_part {
	const struct setting *setting;
	const struct home *home;
	const struct record *have;	/* as observed */
	const struct record *want;	/* what is to be there; silent cells are kept as they are */
	bool *differs;			/* per cell of want: does it differ; NULL: all managed ones */
	const struct change_left *left;	/* per cell of want; NULL: all are made */
};

/* A file of ours that a boot change replaces as a whole; undo swaps before and after. */
struct change_file {
	const char *path;		/* "etc/sysctl.d/zz-rdmactl.conf", as the doors take it */
	const char *before, *after;	/* whole text; NULL: no such file */
};

/*
 * Where one pass would not be safe, a change is made twice: grown to what serves both ends, and later shrunk to what is
 * wanted. The second one has what the first one wanted.
 */
enum phase { PHASE_GROW, PHASE_SHRINK, PHASE_BOOT };

struct change {
	const struct target *target;
	const struct facts *facts;
	const struct desired *desired;	/* all that is asked of the machine; NULL: undone from the journal */
	const char *object;		/* "ets", "app", "PFCC", "sysctl.d"; or the field's name */
	struct change_part *part;
	size_t nparts;
	enum phase phase;
	enum impact impact;
	enum effective effective;
	const char *does;		/* what the write does to traffic: "link bounce"; NULL: nothing, or nobody described it */
	const char *leaves;		/* what the write cannot undo, or NULL */
	bool ahead;			/* from weigh: what home.tells would be told is true only once they are written, too */
	bool again;			/* what is there is right, and an earlier change of the plan resets it */
	/* The planner's words, or NULL: */
	const char *because;		/* why it is made although the value is right */
	const char *unsafe;		/* the moment in it that is not safe, and why (law 8) */
	const char *instead;		/* the other order that there is, and what it costs; or what the device cannot hold */
	enum refusal refused;
	const char *refused_why;	/* for the row; with the remedy */
	bool take_over;			/* --take-over: another owner is no refusal, unless it is a boot file or ... */
	bool barred;			/* ... the driver takes no change while he owns it: set by weigh before it refuses */
	const char *overwrites;		/* taken over: who may overwrite it, for a warning; else NULL */
	struct change_before {		/* what the write is known to disturb, as it was before it: put back, or named */
		const struct setting *setting;
		const struct target *target;
		const struct record *before;
	} *disturbed;
	size_t ndisturbed;
	unsigned number;		/* in the journal, from 1; 0: not there */
	bool undo;			/* written back after a failure: have and want are swapped */
	/*
	 * What the home keeps for its own undo beside the cells, in its own words, or NULL: set by weigh, given back to
	 * write on undo, perhaps by another process from the journal: parsed there as any foreign text.
	 */
	const char *before;
	struct change_file *file;	/* of a home with files() */
	size_t nfiles;
	bool undone;			/* put back since: what another undo disturbs of it is put back there */
	bool done;			/* written, read back and found right */
	struct arena *arena;
};

/** change_want, change_have - the part of @s, or NULL if the change has none */
const struct record *change_want(const struct change *c, const struct setting *s);
const struct record *change_have(const struct change *c, const struct setting *s);
/** change_differs - is this field one that is to be changed */
bool change_differs(const struct change *c, const struct setting *s, unsigned field);
/** change_costs - from weigh: the impact is at least @impact, for @does ("link bounce"; static, or NULL) */
void change_costs(struct change *c, enum impact impact, const char *does);
/**
 * change_refuse - from weigh: this change is not to be made; the row gets @why (cause and remedy)
 * With take_over another owner is told in overwrites, and the change is weighed further. Returns 0
 */
int change_refuse(struct change *c, enum refusal r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
