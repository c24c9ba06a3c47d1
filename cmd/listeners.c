/* SPDX-License-Identifier: Apache-2.0 */
/* Who listens since before max_backlog was changed, see listeners.h. Speaks to RDMA netlink (RES_CM_ID) and /proc/PID. */
#include "listeners.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/applied.h"
#include "engine/journal.h"
#include "kernel/files.h"
#include "kernel/rdmanl.h"

#define NAME "max_backlog"

enum { CM_LISTEN = 8, USER_HZ = 100, LISTED = 8 };	/* enum rdma_cm_state; ticks of /proc, on every architecture */

static bool is(struct applied_name name, const char *s)
{
	return name.n == strlen(s) && !memcmp(name.s, s, name.n);
}

static bool is_backlog(struct applied_name target, struct applied_name cell, void *arg)
{
	(void)arg;
	return is(target, "node") && is(cell, NAME);
}

struct listeners {
	int64_t run;			/* that set it last; 0: this one */
	const char *at;			/* when that was, as text in UTC; NULL: on no run of this boot, or not asked yet */
	bool asked;
	struct { uint32_t *at; size_t n, room; } pid;
	struct text names;
	size_t more;
};

/* The run that last set it, or -1. */
static int64_t last_run(struct session *s)
{
	struct applied_list l;
	int64_t run;

	if (applied_load(s->kernel, s->arena, is_backlog, NULL, &l, &s->diags) < 0)
		return -1;
	run = l.n ? l.at[0].run : -1;
	applied_done(&l);
	return run;
}

/* When the run set it, if that was on this boot. The journal of a run is long: it is read once there is a listener. */
static const char *changed_at(struct session *s, struct listeners *l)
{
	struct past *p;

	if (l->asked)
		return l->at;
	l->asked = true;
	if (past_load(s->kernel, s->arena, past_path(s->arena, l->run), &p, &s->diags) < 0)
		return NULL;
	if (!strcmp(p->head.boot_id, s->facts->boot_id))
		l->at = arena_strdup(s->arena, p->head.at);
	past_done(p);
	return l->at;
}

/* "btime 1764420000" of /proc/stat; -1: not told */
static int64_t booted_s(struct session *s)
{
	const char *text, *at;

	if (files_text(s->kernel, &text, "proc/stat") < 0)
		return -1;
	at = strstr(text, "btime ");
	return at ? strtoll(at + 6, NULL, 10) : -1;
}

/* Field 22 of /proc/PID/stat, counted behind the name, which may hold anything: ticks from boot to its start. */
static int64_t start_ticks(const char *stat)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoll(at, NULL, 10) : -1;
}

/* Did it start before the change? One whose start is not told may have. */
static bool is_older(struct session *s, struct listeners *l, uint32_t pid)
{
	int64_t boot = booted_s(s), ticks;
	const char *stat, *at;
	char start[UNITS_UTC];

	if (!l->run)
		return true;
	at = changed_at(s, l);
	if (!at)
		return false;
	if (boot < 0 || files_text(s->kernel, &stat, "proc/%u/stat", pid) < 0)
		return true;
	ticks = start_ticks(stat);
	if (ticks < 0)
		return true;
	units_utc(boot + ticks / USER_HZ, start);
	return strcmp(start, at) < 0;
}

static void add_pid(struct session *s, struct listeners *l, uint32_t pid)
{
	const char *comm;

	for (size_t i = 0; i < l->pid.n; i++)
		if (l->pid.at[i] == pid)
			return;
	list_add(&l->pid, s->arena) = pid;
	if (l->pid.n > LISTED) {
		l->more++;
		return;
	}
	text_add(&l->names, l->names.n ? ", " : "");
	if (files_text(s->kernel, &comm, "proc/%u/comm", pid) == 0)
		text_add_safe(&l->names, comm, strlen(comm));
	text_printf(&l->names, "%s(%u)", l->names.n && l->names.s[l->names.n - 1] != ' ' ? " " : "process ", pid);
}

static void look(struct session *s, struct listeners *l, uint32_t ibindex)
{
	const struct rdma_holder *h;
	size_t n;

	if (rdmanl_holders(s->kernel, ibindex, RDMA_CM_ID, &h, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (!h[i].kernel && h[i].pid && h[i].state == CM_LISTEN && is_older(s, l, h[i].pid))
			add_pid(s, l, h[i].pid);
}

static bool seen_before(const struct facts *f, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (f->port[j].ibindex_known && f->port[j].ibindex == f->port[i].ibindex)
			return true;
	return false;
}

void listeners_note(struct session *s, struct outcome *o)
{
	struct listeners l = { 0 };
	struct row *row = NULL;

	for (size_t i = 0; i < o->nrows; i++)
		if (!strcmp(o->row[i].name, NAME) && !o->row[i].live_wrong && o->row[i].want && o->row[i].live)
			row = &o->row[i];
	if (!row || s->kernel->files_only)
		return;
	l.run = row->changed ? 0 : last_run(s);
	if (l.run < 0)
		return;
	for (size_t i = 0; i < s->facts->nports; i++)
		if (s->facts->port[i].ibindex_known && !seen_before(s->facts, i))
			look(s, &l, s->facts->port[i].ibindex);
	if (l.more)
		text_printf(&l.names, " and %zu more", l.more);
	if (l.names.n) {
		row->event = "listener-restart";
		diag_note(&s->diags, NULL, NAME ": %s listened before it was changed%s%s", text_str(&l.names), l.at ? ", or may have: started before " : "",
			  l.at ? l.at : "");
		diag_hint(&s->diags, "a listener keeps the limit that stood when it began: restart it; the kernel does not tell which it has");
	}
	text_done(&l.names);
}
