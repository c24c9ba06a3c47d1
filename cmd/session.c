/* SPDX-License-Identifier: Apache-2.0 */
/* From options to a run: opens the machine or its stand-in, takes facts, reads and compiles the policy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "cmd.h"
#include "compiled.h"
#include "installed.h"
#include "inventory/inventory.h"
#include "inventory/session.h"
#include "inventory/users.h"
#include "kernel/dump.h"
#include "kernel/kernel.h"
#include "metrics.h"
#include "model/targets.h"
#include "policy/policy.h"
#include "report/report.h"

#define DUMP_MAX (256u << 20)

bool session_color(const struct session *s, int fd)
{
	const char *never = getenv("NO_COLOR");

	if (!strcmp(s->opt->color, "always"))
		return true;
	if (!strcmp(s->opt->color, "never") || (never && *never))
		return false;
	return isatty(fd);
}

void session_tell(struct session *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct diag_cursor c = { 0 };
	size_t told = s->diags.errors + s->diags.warnings + s->diags.notes;
	bool color = session_color(s, STDERR_FILENO);
	for (; s->printed < s->diags.n; s->printed++) {
		const struct diag *one = &s->diags.at[s->printed];
		bool remark = one->severity == SEVERITY_NOTE && (s->opt->quiet || (one->rule && !s->opt->verbose && !s->remarks));

		if (remark)
			continue;
		if (s->policy)
			policy_texts(s->policy);
		diag_print(one, color, &c, &t);
	}
	if (told > s->diags.n)
		text_printf(&t, "rdmactl: note: %zu more are not shown\n", told - s->diags.n);
	if (t.n)
		fputs(text_str(&t), stderr);
}

/* --- the machine ------------------------------------------------------------ */

static int open_dump(struct session *s)
{
	const struct source *src;
	struct dump_header h = { 0 };

	if (file_load(s->arena, s->opt->from, DUMP_MAX, &src, &s->diags) < 0)
		return EXIT_USAGE;
	s->kernel = kernel_replay(s->arena, src->name, src->text, src->len, &h, &s->diags);
	if (!s->kernel)
		return EXIT_USAGE;
	s->hostname = h.hostname;
	return 0;
}

int session_machine(struct session *s)
{
	if (s->kernel)
		return 0;
	if (s->opt->from && s->opt->root) {
		diag_error(&s->diags, NULL, "--from and --root exclude each other");
		return EXIT_USAGE;
	}
	if (s->opt->from)
		return open_dump(s);
	s->kernel = s->opt->root ? kernel_live(s->arena, s->opt->root) : machine_open(s->arena);
	if (s->kernel)
		return 0;
	diag_error(&s->diags, NULL, "cannot open %s", s->opt->root ? s->opt->root : "this machine")->err = errno;
	return EXIT_USAGE;
}

int session_facts(struct session *s)
{
	int r = session_machine(s);

	if (r || s->facts)
		return r;
	return inventory_take(s->kernel, s->arena, s->catalog, s->hostname, &s->facts, &s->diags) < 0 ? EXIT_UNKNOWN : 0;
}

/* --- the policy ------------------------------------------------------------- */

int session_policy(struct session *s)
{
	struct policy *p;
	int r;

	if (s->policy)
		return 0;
	r = compiled_load(s, &p);
	if (r == 0)
		s->policy = p;
	return r;
}

static bool port_is_called(const struct port *p, const char *name)
{
	char ib[80];

	snprintf(ib, sizeof(ib), "%s/%u", p->ibdev, p->ibport);
	return !strcmp(p->name, name) || !strcmp(p->ifname, name) || !strcmp(p->ibdev, name) || !strcmp(ib, name) ||
	       !strcmp(p->bdf, name);
}

/* A bond answers to its own name and to that of each member. */
static bool port_is(const struct facts *f, const struct target *t, const char *name)
{
	if (!*name)
		return false;
	if (!strcmp(t->group, name))
		return true;
	if (!t->port)
		return false;
	if (!strcmp(t->name, name) || port_is_called(t->port, name))
		return true;
	for (size_t i = 0; t->ifindex && t->ifindex != t->port->ifindex && i < f->nports; i++)
		if (f->port[i].master_ifindex == t->ifindex && port_is_called(&f->port[i], name))
			return true;
	return false;
}

const char *session_unit(void)
{
	const char *unit = getenv(SESSION_UNIT);

	return unit && *unit ? unit : NULL;
}

/*
 * --port: only these ports; the node's own rows stay, as apply does them in any case. A unit is started for every device
 * that appears, also for one that the policy does not know.
 */
static int limit_ports(struct session *s)
{
	struct desired *des = s->desired;
	size_t n = 0;
	bool any = false;

	if (!s->opt->port)
		return 0;
	for (size_t i = 0; i < des->n; i++) {
		const struct target *t = des->wish[i].target;
		bool is = port_is(s->facts, t, s->opt->port);

		any |= is && t->scope != SCOPE_NODE;
		if (is || t->scope == SCOPE_NODE)
			des->wish[n++] = des->wish[i];
	}
	des->n = n;
	des->limited = true;
	if (any || session_unit())
		return 0;
	diag_error(&s->diags, NULL, "--port %s: the policy asks nothing of a port of this name here", s->opt->port);
	diag_hint(&s->diags, "a group, interface, RDMA device (with or without /PORT) or full PCI address; see `rdmactl show ports`");
	return EXIT_USAGE;
}

int session_desired(struct session *s)
{
	const char *node;
	int r = session_policy(s);

	r = r ? r : session_facts(s);
	if (r)
		return r;
	if (policy_sees_gpus(s->policy))
		inventory_gpus(s->kernel, s->arena, s->facts);
	node = s->opt->node ? s->opt->node : s->facts->hostname;
	if (policy_compile(s->policy, node, s->facts, s->catalog, &s->desired, &s->diags) < 0)
		return EXIT_POLICY;
	installed_look(s);
	return limit_ports(s);
}

/* --- the run ---------------------------------------------------------------- */

/* `apply --root` and its plan: nothing runs there. `drift --root` reads the files of /proc and /sys in it as well. */
static bool judges_an_image(const struct session *s)
{
	return s->opt->root && (s->command->options & OPTION_CHANGES);
}

/* What of the options needs a machine that runs. */
static int check_image(struct session *s)
{
	if (!judges_an_image(s))
		return 0;
	if (s->opt->confirm_s) {
		diag_error(&s->diags, NULL, "--confirm and --root exclude each other: nothing runs there that could be lost");
		return EXIT_USAGE;
	}
	if (!s->opt->revert_dropped)
		return 0;
	diag_error(&s->diags, NULL, "--revert-dropped and --root exclude each other: only what runs is given back, and nothing runs there");
	diag_hint(&s->diags, "without it: a boot file of ours holds what the policy asks for and no other line");
	return EXIT_USAGE;
}

static int check_only(struct session *s)
{
	for (const char *const *o = s->opt->only ? (const char *const *)s->opt->only : (const char *const[]){ NULL }; *o; o++) {
		bool asked = false;

		for (size_t i = 0; i < s->desired->n && !asked; i++)
			for (size_t j = 0; j < s->desired->wish[i].want->n && !asked; j++)
				asked = s->desired->wish[i].want->at[j].state != CELL_SILENT &&
					catalog_selects(*o, s->desired->wish[i].want->at[j].name);
		if (asked)
			continue;
		diag_error(&s->diags, NULL, "--only %s: the policy asks nothing of that name here", *o);
		diag_hint(&s->diags, "a setting as reports name it, or what comes before a dot of it; `drift -v` shows all that is asked for");
		return EXIT_USAGE;
	}
	return 0;
}

static int renew(struct run *run, struct diags *d)
{
	struct session *s = run->renew_arg;

	(void)d;			/* the session's own */
	kernel_renew(s->kernel);
	s->facts = NULL;
	if (session_desired(s))
		return -ENODEV;
	run->facts = s->facts;
	run->desired = s->desired;
	return s->opt->revert_dropped ? dropped_revert(run, s->desired, &s->diags) : 0;
}

const struct use *session_use(struct session *s, const struct port *p)
{
	if (!s->users)
		s->users = users_new(s->arena, (uint32_t)getpid());
	return users_of(s->users, s->kernel, s->facts, p);
}

static const struct use *in_use(struct run *run, const struct port *p, struct diags *d)
{
	(void)d;
	return session_use(run->in_use_arg, p);
}

void session_in_use(struct session *s, struct run *run)
{
	run->in_use = in_use;
	run->in_use_arg = s;
}

/* Of the first @end changes, those that may cut what goes over the netdev or port of this name. */
static size_t cuts(const struct plan *p, size_t end, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < end; i++)
		n += p->change[i]->impact > IMPACT_NONE && !strcmp(p->change[i]->target->name, name);
	return n;
}

static void tell_session(struct session *s, const struct own_session *own, const struct target *t, size_t n, bool confirm)
{
	diag_warning(&s->diags, NULL, "your own session (%s on %s) comes over this port: %zu change%s here may cut it", own->address,
		     own->ifname, n, n == 1 ? "" : "s");
	diag_object(&s->diags, "%s", t->name);
	if (!confirm)
		diag_hint(&s->diags, "`rdmactl apply --confirm 120` undoes the run unless `rdmactl confirm` comes within two minutes");
}

void session_notice(struct session *s, const struct plan *p, bool confirm)
{
	const struct own_session *own = NULL;
	size_t warned = s->diags.warnings;

	if (s->kernel->read_only || s->kernel->files_only)
		return;
	for (size_t i = 0; i < p->n; i++) {
		const struct change *c = p->change[i];

		if (c->impact == IMPACT_NONE || !c->target->port || cuts(p, i, c->target->name))
			continue;
		own = own ? own : session_own(s->kernel, s->arena, getenv("SSH_CONNECTION"));
		if (session_over(own, s->kernel, s->facts, c->target->port))
			tell_session(s, own, c->target, cuts(p, p->n, c->target->name), confirm);
	}
	if (own && own->why && (own->address || s->opt->verbose))
		diag_note(&s->diags, NULL, "whether your own session comes over a port that is changed is not known: %s", own->why);
	if (s->diags.warnings > warned)
		session_tell(s);	/* it may be the last that is seen */
}

/* What a comment allows stands in the text: it is read where a rule found something. */
static void lint_node(struct session *s)
{
	struct diags found;

	diags_init(&found, s->arena);
	if (policy_allows_later(s->policy)) {
		lint_policy(s->policy, s->desired->node, s->catalog, &found);
		if (!found.n)
			return;
		policy_texts(s->policy);
	}
	lint_policy(s->policy, s->desired->node, s->catalog, &s->diags);
}

enum { POLICY_PATH_SHOWN = 1024 };

static void add_option(struct session *s, struct text *t, const char *option, const char *value)
{
	if (!value)
		return;
	text_printf(t, " %s ", option);
	text_add_word(t, text_safe(s->arena, value, strlen(value), POLICY_PATH_SHOWN), false);
}

/* What decides what is asked for, unless it is the default; of a dump as of the machine itself, so that both print the same. */
static const char *to_repeat(struct session *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *policy = s->opt->policy;

	if (policy && strcmp(policy, machine_policy()) != 0)
		add_option(s, &t, "-p", strcmp(policy, "-") != 0 ? policy : "FILE");
	add_option(s, &t, "--node", s->opt->node);
	add_option(s, &t, "--root", s->opt->root);
	return t.n ? arena_strdup(s->arena, text_str(&t)) : NULL;
}

int session_run(struct session *s, struct run *run)
{
	int r = check_image(s);

	r = r ? r : session_desired(s);
	if (r)
		return r;
	lint_node(s);
	if (s->diags.errors)
		return EXIT_POLICY;
	r = check_only(s);
	*run = (struct run){ .kernel = s->kernel, .arena = s->arena, .catalog = s->catalog, .facts = s->facts,
			     .desired = s->desired, .only = (const char *const *)s->opt->only, .consent = s->opt->consent,
			     .take_over = s->opt->take_over, .repeat = to_repeat(s),
			     .boot_files_only = s->kernel->files_only, .without_live = judges_an_image(s),
			     .renew = renew, .renew_arg = s,
			     .want_rows = s->opt->verbose || s->opt->output == OUTPUT_JSON };
	run->tells_dropped = !s->opt->only && !s->opt->port && !s->kernel->files_only && !s->opt->revert_dropped;
	session_in_use(s, run);
	if (r == 0 && s->opt->revert_dropped && dropped_revert(run, s->desired, &s->diags) < 0)
		return EXIT_UNKNOWN;
	return r;
}

int session_targets(struct session *s, const struct target ***target, size_t *n)
{
	static const enum scope scopes[] = { SCOPE_WIRE, SCOPE_NETDEV, SCOPE_RDMA_PORT };
	struct { const struct target **at; size_t n, room; } list = { 0 };
	int r = session_facts(s);

	if (r)
		return r;
	if (!s->opt->port)
		list_add(&list, s->arena) = target_of_node(s->arena);
	for (size_t i = 0; i < s->facts->nports; i++)
		for (size_t j = 0; j < sizeof(scopes) / sizeof(scopes[0]); j++) {
			const struct target *t = target_of_port(s->arena, s->facts, &s->facts->port[i], scopes[j], "");
			bool known = !t || (s->opt->port && !port_is(s->facts, t, s->opt->port));

			for (size_t k = 0; k < list.n && !known; k++)
				known = target_same(list.at[k], t);
			if (!known)
				list_add(&list, s->arena) = t;
		}
	*target = list.at;
	*n = list.n;
	if (list.n || !s->opt->port)
		return 0;
	diag_error(&s->diags, NULL, "--port %s: there is no port of this name", s->opt->port);
	diag_hint(&s->diags, "an interface, RDMA device (with or without /PORT) or full PCI address; see `rdmactl show ports`");
	return EXIT_USAGE;
}

int64_t session_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void judge_findings(struct session *s, struct outcome *o)
{
	bool warned = (s->opt->strict && s->diags.warnings) || (s->desired && s->desired->findings);

	if (o->exit_code != EXIT_SYNC || !warned)
		return;
	o->exit_code = EXIT_DRIFT;
	o->result = "warnings";
}

static int print_report(struct session *s, struct outcome *o)
{
	struct report_options opt = { .all = s->opt->verbose, .color = session_color(s, STDOUT_FILENO), .quiet = s->opt->quiet };

	switch (s->opt->output) {
	case OUTPUT_JSON: report_json(o, true, &s->out); break;
	case OUTPUT_PROMETHEUS: report_prometheus(o, &s->out); break;
	case OUTPUT_NAGIOS: return report_nagios(o, &s->out);
	default: report_table(o, &opt, &s->out);
	}
	return o->exit_code;
}

static void add_session(struct session *s, struct outcome *o)
{
	s->reported = true;
	o->facts = s->facts;
	o->catalog = s->catalog;
	o->desired = s->desired;
	o->diags = &s->diags;
	o->limits = (struct limits){ (const char *const *)s->opt->only, s->opt->port, s->opt->live, s->opt->boot || judges_an_image(s) };
	if (s->desired && (s->opt->output == OUTPUT_JSON || metrics_wanted(s->opt)))
		policy_desired_digest(s->policy, s->desired);
}

int session_report(struct session *s, struct outcome *o)
{
	add_session(s, o);
	judge_findings(s, o);
	metrics_report(s, o);
	return print_report(s, o);
}

int session_failed(struct session *s, int status)
{
	struct outcome o = { .command = s->command->name, .result = "failed", .exit_code = status };

	add_session(s, &o);
	metrics_report(s, &o);
	return s->opt->output == OUTPUT_TABLE || s->opt->output == OUTPUT_SARIF ? status : print_report(s, &o);
}
