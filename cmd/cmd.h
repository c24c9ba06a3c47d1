/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share: options, a session (doors, facts, policy), and exit statuses. Nothing else prints. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"
#include "catalog.h"
#include "engine/engine.h"
#include "fabric/fabric.h"

struct kernel;
struct policy;
struct users;

enum {				/* design: exit statuses; the text says the same */
	EXIT_SYNC = 0,
	EXIT_DRIFT = 1,
	EXIT_UNKNOWN = 2,
	EXIT_ROLLED_BACK = 3,
	EXIT_IN_BETWEEN = 4,
	EXIT_USAGE = 64,
	EXIT_POLICY = 65,
	EXIT_LOCKED = 75,
	EXIT_NOT_PERMITTED = 77,
};

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_SARIF, OUTPUT_PROMETHEUS, OUTPUT_NAGIOS };

struct options {
	const char *policy;		/* NULL: the default file */
	const char *node, *port, *root, *from;
	enum output output;
	const char *color;		/* "auto", "always", "never" */
	bool rules;			/* lint --rules */
	const char *compile;		/* lint --compile: a file, or NULL */
	bool strict, quiet, verbose, ignore_pending, dry_run, trust_policy, verbs;
	bool live, boot;		/* drift: this home alone */
	const char *textfile;		/* drift: metrics into this file as well, or NULL */
	bool counters;			/* dump: what metrics ask, too */
	struct consent consent;		/* --allow, --if-idle */
	bool take_over, revert_dropped;
	unsigned wait_s, confirm_s, until_ready_s;	/* 0: not at all */
	int64_t to, watch;		/* rollback --to, confirm --watch: a run, or -1 */
	const char **only;		/* NULL at the end, or NULL */
	const char *link[FABRIC_LINK_FIELDS];	/* headroom: what a policy would say of a link; render switch: nos */
	const char *peer_response;	/* headroom: bytes, with decimals */
	const char *tier, *templates, *against;	/* switches: a tier of the policy, folder of templates, a file */
	bool unverified;		/* render switch: also syntax that no source confirmed */
	const char *const *arg;		/* what is no option */
	int nargs;
};

struct session {
	struct arena *arena;
	const struct options *opt;
	const struct command *command;
	const struct catalog *catalog;
	struct diags diags;
	size_t printed;			/* diagnostics that are already on standard error */
	bool remarks;			/* lint: its notes are told; other commands keep them for -v */
	struct kernel *kernel;
	struct facts *facts;
	struct policy *policy;
	struct desired *desired;
	struct users *users;		/* who uses the ports, once it was asked */
	const char *hostname;		/* of a dump's header, else NULL */
	int64_t begun_us;		/* CLOCK_MONOTONIC, when the command began */
	bool reported;			/* its one document is printed */
	struct text out;		/* standard output, written at the end */
};

struct command {
	const char *name;
	const char *args;		/* placeholder of what is no option (options.h); "": it takes none */
	const char *does;		/* a sentence without its end; a line of --help beside the name */
	unsigned options;		/* OPTION_* that it takes */
	int (*run)(struct session *s);
};

enum {
	OPTION_POLICY = 1 << 0,		/* -p, --node, --strict */
	OPTION_MACHINE = 1 << 1,	/* --root, --from, --port */
	OPTION_REPORT = 1 << 2,		/* -o, -q, -v, --color */
	OPTION_CHANGES = 1 << 3,	/* --only, --take-over */
	OPTION_DRIFT = 1 << 4,		/* --only, --ignore-pending, --live, --boot, --textfile; -o prometheus, nagios */
	OPTION_APPLY = 1 << 5,		/* --dry-run, --trust-policy */
	OPTION_OUTPUT = 1 << 6,		/* -o alone */
	OPTION_SHOW = 1 << 7,		/* --verbs */
	OPTION_ROOT = 1 << 18,		/* --root alone */
	OPTION_LINT = 1 << 16,		/* --rules, and -o sarif */
	OPTION_ORIGIN = 1 << 17,	/* -p, --node, --port GROUP: explain, of one node */
	OPTION_CAPTURE = 1 << 27,	/* --node */
	OPTION_DUMP = 1 << 28,		/* --counters */
	OPTION_WRITES = 1 << 8,		/* --wait */
	OPTION_ALLOW = 1 << 9,		/* --allow, --if-idle */
	OPTION_TO = 1 << 10,		/* --to, --dry-run */
	OPTION_CONFIRM = 1 << 11,	/* --watch: our own watcher's, not listed */
	OPTION_HEADROOM = 1 << 24,	/* --asic and the other inputs */
	OPTION_TIER = 1 << 25,		/* --tier, --nos */
	OPTION_RENDER = 1 << 26,	/* --templates, --against, --unverified */
	OPTION_UNLISTED = 1 << 30,	/* no options: the list of --help leaves the command out */
};

#define POLICY_DEFAULT "/etc/rdmactl/policy.yaml"
#define SESSION_UNIT   "RDMACTL_UNIT"	/* environment: the unit that runs this, so that it is not taken for a person */

/* session.c: each step does what it needs of the ones before; returns 0 or the exit status that ends the command */
int session_machine(struct session *s);
int session_facts(struct session *s);
int session_policy(struct session *s);
int session_desired(struct session *s);
/** session_run - a run over the session's desired state; findings of lint are told first (an error of them is 65) */
int session_run(struct session *s, struct run *run);
/** session_use - is a port in use: all ports are looked at in the first call, which may wait a second. Never NULL */
const struct use *session_use(struct session *s, const struct port *p);
/** session_in_use - lets a run ask that: one of session_run() may already */
void session_in_use(struct session *s, struct run *run);
/**
 * session_notice - warns if a change of @p above impact none is on a port that carries the caller's own session
 * Told on standard error at once: call it before the first write. Looks at nothing if no such change is planned.
 * @confirm: the run is undone by itself, so that this needs no hint
 */
void session_notice(struct session *s, const struct plan *p, bool confirm);
/** session_targets - every target of the machine, for show and dump; --port applied */
int session_targets(struct session *s, const struct target ***target, size_t *n);
/** session_report - prints the outcome in the form asked for, and its metrics into --textfile; returns its exit status */
int session_report(struct session *s, struct outcome *o);
/** session_failed - the same of a run that got no outcome, where a program waits for a document: exit status for @status */
int session_failed(struct session *s, int status);
int64_t session_now_us(void);		/* CLOCK_MONOTONIC */
bool session_color(const struct session *s, int fd);
/** session_unit - name of the unit that runs this, or NULL: a person */
const char *session_unit(void);
void session_tell(struct session *s);	/* diagnostics so far, to standard error */

/**
 * lint_policy - all rules of lint/ over what a policy asks of its nodes, or of @node alone; told in @d. judge.c
 * Return: 0 or -EINVAL if the policy could not be compiled for some node; findings are counted in @d.
 */
int lint_policy(struct policy *p, const char *node, const struct catalog *c, struct diags *d);

/* machine.c; tests/sim has another one */
struct kernel *machine_open(struct arena *a);
bool machine_is_real(void);
const char *machine_lock(void);		/* path of the lock that its writers take */
const char *machine_policy(void);	/* path of the policy that its boot unit applies */

/* commands.c */
extern const struct command *const commands[];
const struct command *command_named(const char *name);	/* or NULL */
const char *policy_path(const struct options *o);
/** policy_hint - directly after a policy could not be loaded: that none was named, if the usual one is not there */
void policy_hint(const struct options *o, struct diags *d);

#define COMMAND(name) extern const struct command command_##name;
#include "list.h"
#undef COMMAND

#endif
