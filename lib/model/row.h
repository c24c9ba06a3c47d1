/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a report: what one cell of one target was found to be. Values are printed only when somebody looks. */
#ifndef MODEL_ROW_H
#define MODEL_ROW_H

#include "model/change.h"

struct readings;

enum status { STATUS_IN_SYNC, STATUS_DRIFT, STATUS_PENDING, STATUS_UNSUPPORTED, STATUS_UNKNOWN, STATUS_UNMANAGED, STATUS_N };

const char *status_name(enum status s);

struct row {
	const struct target *target;
	const struct setting *setting;
	const struct field *field;
	const char *name;		/* the cell's full name */
	const struct cell *want, *live, *boot;	/* each may be NULL */
	enum status status;
	const char *reason;		/* "driver-lacks", "above-allow", "other-owner", …; "" if none */
	const char *cause, *scope, *remedy;	/* sentences, or NULL */
	const char *event;		/* what it waits for: "reload", "reboot", "initramfs", "listener-restart", "confirm"; or NULL */
	enum impact impact;		/* of the change that would put it right; only with changes */
	enum effective effective;
	const struct change *change;	/* that would put it right, or NULL; also if refused */
	bool live_wrong, boot_wrong;	/* which home differs from what is wanted; both may, and of a pending row live does */
	bool follows;			/* explained by another row: not counted, shown with -v */
	bool changed;			/* apply: this row was written in this run */
};

/* What of the node a run was told to look at; all of it where nothing is said. */
struct limits {
	const char *const *only;	/* settings or what begins them, NULL at the end; or NULL */
	const char *port;		/* or NULL. What belongs to the node is looked at in any case */
	bool live, boot;		/* this home alone */
};

/* One report. */
struct outcome {
	const char *command;		/* "drift" */
	struct limits limits;
	const struct facts *facts;
	const struct desired *desired;	/* NULL for show */
	const struct catalog *catalog;
	struct row *row;
	size_t nrows;
	struct change *const *change;	/* plan: planned, in order; apply: made; those refused stand behind */
	size_t nchanges, nrefused;	/* the refused ones are change[nchanges] and on */
	size_t count[STATUS_N];
	bool changed;			/* anything was written */
	bool lost;			/* apply: a device went away in this run, and may be back */
	bool stopped;			/* apply: by a signal */
	size_t nwrites;			/* sets done through the doors */
	bool returns;			/* rollback, recover, confirm: the changes are those of a run of the past, undone or finished */
	const int64_t *undoes;		/* rollback: the runs that it undoes, newest first, 0 at the end; or NULL */
	int64_t back_to;		/* rollback: the run before them that stands; 0: none that is known */
	int exit_code;
	const char *result;		/* "in-sync", "drift", "pending", "unknown", "failed-rolled-back", "in-between" */
	const struct diags *diags;
	const struct readings *readings;	/* what ports have counted, if metrics are asked for; else NULL */
	int64_t ended_s, took_us;	/* metrics: since the epoch; how long it took, -1: nobody measured */
};

#endif
