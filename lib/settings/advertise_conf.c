/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcbx.conf: /etc/lldpd.d/rdmactl.conf, which lldpd reads when it starts, and which has a line for each TLV that a port is
 * to say (advertise.c). It is one file for all ports, so it is the node's. Asked of every node: a policy that is silent
 * about a port takes away what was there for it, from the file, and from lldpd as it runs.
 *
 * A port that is not there may be one that has yet to appear: its lines stay as long as anything is asked for. So do
 * those of ports that a run leaves out, or whose values could not be read.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/confd.h"
#include "boot/ours.h"
#include "kernel/kernel.h"
#include "model/desired.h"
#include "settings/advertise.h"
#include "settings/neighbor.h"

enum { CONF };

enum { SHOWN = 120 };

/* --- lines ----------------------------------------------------------------------------- */

/* "configure ports IF lldp …": where IF stands, and its length in *n, which is 0 of any other line */
static const char *name_in(const struct confd_line *l, size_t *n)
{
	static const char start[] = "configure ports ";
	const char *name = l->s + sizeof(start) - 1, *end;

	*n = 0;
	if (l->n < sizeof(start) || memcmp(l->s, start, sizeof(start) - 1) != 0)
		return NULL;
	*n = l->n - (sizeof(start) - 1);
	end = memchr(name, ' ', *n);
	if (end)
		*n = (size_t)(end - name);
	return name;
}

static const char *port_of(struct arena *a, const struct confd_line *l)
{
	size_t n;
	const char *name = name_in(l, &n);

	return n ? arena_strndup(a, name, n) : "";
}

static bool is_of(const struct confd_line *l, const char *ifname)
{
	size_t n;
	const char *name = name_in(l, &n);

	return n && n == strlen(ifname) && !memcmp(name, ifname, n);
}

static bool is_comment(const struct confd_line *l)
{
	return !l->n || *l->s == '#';
}

static bool has_port(const struct facts *f, const char *ifname)
{
	for (size_t i = 0; i < f->nports; i++)
		if (!strcmp(f->port[i].ifname, ifname))
			return true;
	return false;
}

static bool anything_asked(const struct desired *des)
{
	for (size_t i = 0; i < des->n; i++)
		if (des->wish[i].setting == &setting_advertise && record_num(des->wish[i].want, DCBX_ADVERTISE, 0))
			return true;
	return false;
}

/* Is the policy, as far as this run sees it, silent about that port? */
static bool is_dropped(const struct facts *f, const struct desired *des, const char *ifname)
{
	if (advertise_asked(des, ifname) || des->limited)
		return false;
	return has_port(f, ifname) || !anything_asked(des);
}

struct lines {
	struct text text;
	struct kernel *k;
	struct arena *a;
	const struct facts *facts;
	const struct desired *des;
	const struct source *now;	/* the file as it is, if it is ours; or NULL */
};

static void keep_lines(struct lines *x, const char *ifname)
{
	struct confd_line l = { .source = x->now };

	while (x->now && confd_line(&l))
		if (is_of(&l, ifname)) {
			text_addn(&x->text, l.s, l.n);
			text_char(&x->text, '\n');
		}
}

/* A port that has another owner, or whose values are not known, keeps what it has: its own row says why. */
static void add_port(struct lines *x, const struct target *t)
{
	struct change c = { .target = t, .facts = x->facts, .desired = x->des, .arena = x->a };
	struct advertised due;

	if (advertise_due(x->k, t, x->des, &due) < 0 || advertise_obstacle(x->k, &c, &due)) {
		keep_lines(x, t->ifname);
		return;
	}
	for (int p = 0; p < DCBX_PARTS; p++)
		if (due.tlv[p].n)
			advertise_line(&x->text, t->ifname, &due.tlv[p]);
}

static void add_lines(struct lines *x)
{
	struct confd_line l = { .source = x->now };
	const char *last = "";

	for (size_t i = 0; i < x->des->n; i++)
		if (x->des->wish[i].setting == &setting_advertise && record_num(x->des->wish[i].want, DCBX_ADVERTISE, 0))
			add_port(x, x->des->wish[i].target);
	while (x->now && confd_line(&l)) {
		const char *ifname = is_comment(&l) ? "" : port_of(x->a, &l);

		if (!*ifname || !strcmp(ifname, last) || advertise_asked(x->des, ifname) || is_dropped(x->facts, x->des, ifname))
			continue;
		keep_lines(x, ifname);
		last = ifname;
	}
}

static bool has_line(const char *text, const char *line, size_t n)
{
	for (const char *end; *text; text = end + 1) {
		end = strchr(text, '\n');
		if ((size_t)(end - text) == n && !memcmp(text, line, n))
			return true;
	}
	return false;
}

/* --- reading --------------------------------------------------------------------------- */

static void tell(struct part *p, int64_t wrong, const struct pos *pos, const char *because)
{
	struct cell *c = &p->have->at[CONF];

	part_num(p, CONF, wrong, NULL);
	if (!wrong)
		return;
	c->because = because;
	if (pos && pos->source) {
		c->pos = *pos;
		c->via = pos->source->name;
	}
}

/* Does the file have these lines and no other, in this order? It does on most runs; compare() looks for each in all. */
static bool same_lines(const struct source *now, const char *due)
{
	struct confd_line l = { .source = now };

	while (now && confd_line(&l)) {
		if (is_comment(&l))
			continue;
		if (strnlen(due, l.n + 1) <= l.n || memcmp(due, l.s, l.n) != 0 || due[l.n] != '\n')
			return false;
		due += l.n + 1;
	}
	return !*due;
}

/* Lines of the file that are not to be there, and such as are to be and are not; says the first of them. */
static void compare(struct part *p, const struct lines *x)
{
	const char *path = ours_path(OURS_LLDPD), *due = text_str(&x->text), *because = NULL;
	struct confd_line l = { .source = x->now };
	struct pos pos = { 0 };
	int64_t wrong = 0;

	if (same_lines(x->now, due)) {
		tell(p, 0, NULL, NULL);
		return;
	}
	while (x->now && confd_line(&l)) {
		if (is_comment(&l) || has_line(due, l.s, l.n))
			continue;
		if (wrong++)
			continue;
		pos = confd_pos(&l, l.s, l.n);
		because = arena_printf(p->arena, "%s:%u says \"%s\", which is not, or not any more, what is to be sent", path, pos.line,
				       text_safe(p->arena, l.s, l.n, SHOWN));
	}
	for (const char *end; *due; due = end + 1) {
		bool there = false;

		end = strchr(due, '\n');
		l = (struct confd_line){ .source = x->now };
		while (x->now && !there && confd_line(&l))
			there = l.n == (size_t)(end - due) && !memcmp(l.s, due, l.n);
		if (!there && !wrong++)
			because = arena_printf(p->arena, "%s lacks \"%s\"", path, text_safe(p->arena, due, (size_t)(end - due), SHOWN));
	}
	tell(p, wrong, &pos, because);
}

static int conf_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct lines x = { .k = k, .a = p->arena, .facts = p->facts, .des = p->desired };
	int r;

	(void)d;
	if (!p->desired || !part_open(p, CONF))
		return 0;
	r = ours_source(k, OURS_LLDPD, &x.now);
	if (r < 0) {
		part_reason(p, CONF, reason_of(r), ours_path(OURS_LLDPD), "%s could not be read (%s)", ours_path(OURS_LLDPD), strerror(-r));
		return 0;
	}
	if (x.now || anything_asked(x.des))
		add_lines(&x);
	compare(p, &x);
	text_done(&x.text);
	return 0;
}

/* How many TLVs of our file lldpd sends on this port. */
static int64_t still_said(struct kernel *k, const struct lldp_port *port)
{
	int64_t n = 0;

	for (size_t i = 0; port && i < port->ntlvs; i++)
		n += advertise_ours(k, port->ifname, &port->tlv[i]);
	return n;
}

/* As with advertise.c, while a run is undone: does each port that the change had fall silent say again what it said? */
static bool says_before(struct kernel *k, struct arena *a, const struct change *c)
{
	char *lines = arena_strdup(a, c->before ? c->before : ""), *end;
	const struct lldp *l;

	if (lldp_get(k, &l) < 0)
		return false;
	for (; (end = strchr(lines, '\n')); lines = end + 1) {
		char *said = strchr(lines, ' ');
		const struct lldp_port *port;

		*end = 0;
		if (said)
			*said++ = 0;
		port = lldp_port(l, lines);
		if (!port || !said || !advertise_is(a, port, said))
			return false;
	}
	return true;
}

/* Ports of our file that the policy is silent about; lldpd is asked only if there is one. */
static int rest_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct source *now = NULL;
	struct confd_line l = { 0 };
	const struct lldp *lldp = NULL;
	const char *last = "", *first = NULL;
	struct neighbor_seen seen;
	int64_t wrong = 0;

	(void)d;
	if (!p->want) {
		p->have->at[CONF].state = CELL_SILENT;	/* a count of what a policy does not ask for */
		return 0;
	}
	if (p->undo && p->checked) {
		int64_t want = record_num(p->want, CONF, 0);

		part_num(p, CONF, says_before(k, p->arena, p->checked) == p->checked->undo ? want : !want, "lldpd");
		return 0;
	}
	if (!p->desired || ours_source(k, OURS_LLDPD, &now) < 0)
		now = NULL;		/* the boot home tells */
	for (l.source = now; now && confd_line(&l);) {
		const char *ifname = is_comment(&l) ? "" : port_of(p->arena, &l);
		int64_t n;
		int r;

		if (!*ifname || !strcmp(ifname, last) || !is_dropped(p->facts, p->desired, ifname))
			continue;
		r = lldp ? 0 : lldp_get(k, &lldp);
		if (advertise_nobody(r))
			break;
		if (r < 0) {
			neighbor_trouble(p->arena, r, &seen);
			part_reasons(p, seen.reason, "lldpd", "%s", seen.why);
			p->have->at[CONF].remedy = seen.remedy;
			return 0;
		}
		n = still_said(k, lldp_port(lldp, ifname));
		first = n && !first ? ifname : first;
		wrong += n;
		last = ifname;
	}
	tell(p, wrong, NULL, first ? arena_printf(p->arena, "lldpd still sends on %s what the policy asks for no more",
						  text_safe(p->arena, first, strlen(first), SHOWN)) : NULL);
	return 0;
}

/* --- writing --------------------------------------------------------------------------- */

static int conf_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	const char *foreign = ours_foreign(k, c->arena, OURS_LLDPD);

	(void)d;
	c->barred = foreign != NULL;
	return foreign ? change_refuse(c, REFUSED_OTHER_OWNER, "%s", foreign) : 0;
}

static int conf_files(struct kernel *k, struct change *c, struct diags *d)
{
	struct lines x = { .k = k, .a = c->arena, .facts = c->facts, .des = c->desired };
	int r = c->desired ? ours_source(k, OURS_LLDPD, &x.now) : -EINVAL;

	if (r < 0) {
		diag_error(d, NULL, "cannot read %s", ours_path(OURS_LLDPD))->err = -r;
		return r;
	}
	add_lines(&x);
	c->file = arena_new_of(c->arena, struct change_file);
	*c->file = (struct change_file){ .path = ours_path(OURS_LLDPD) + 1, .before = x.now ? x.now->text : NULL,
					 .after = ours_text(c->arena, OURS_LLDPD, c->desired->policy_file, text_str(&x.text)) };
	c->nfiles = x.now || c->file->after ? 1 : 0;
	text_done(&x.text);
	return 0;
}

/* "nic0 11:0808", a line for each port that is to fall silent, for the undo */
static int rest_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	TEXT_CLEANUP struct text before = { 0 };
	const struct lldp *l;
	int r = lldp_get(k, &l);

	(void)d;
	for (size_t i = 0; r == 0 && i < l->nports; i++)
		if (is_dropped(c->facts, c->desired, l->port[i].ifname) && still_said(k, &l->port[i]))
			text_printf(&before, "%s %s\n", l->port[i].ifname, advertise_said(c->arena, &l->port[i]));
	c->before = arena_strdup(c->arena, text_str(&before));
	return r;
}

/* What a line of it names is done: back to what was said, or to what others have said there. */
static int write_line(struct kernel *k, const struct change *c, char *line)
{
	char *said = strchr(line, ' ');
	const struct lldp_port *port;
	const struct lldp *l;
	int r;

	if (!said)
		return -EINVAL;
	*said++ = 0;
	if (c->undo)
		return advertise_back(k, c->arena, line, said);
	r = lldp_get(k, &l);
	port = r == 0 ? lldp_port(l, line) : NULL;
	return port ? advertise_end(k, c->arena, port) : r;
}

static int rest_write(struct kernel *k, const struct change *c, struct diags *d)
{
	char *lines = arena_strdup(c->arena, c->before ? c->before : ""), *end;
	int r = 0;

	for (; r == 0 && (end = strchr(lines, '\n')); lines = end + 1) {
		*end = 0;
		r = write_line(k, c, lines);
	}
	if (r < 0)
		diag_error(d, NULL, "cannot tell lldpd what to send no more")->err = -r;
	return r;
}

static void conf_print(const struct field *f, const struct value *v, struct text *out)
{
	(void)f;
	if (v->num)
		text_printf(out, "%lld wrong", (long long)v->num);
	else
		text_add(out, "as asked");
}

static const struct field fields[] = {
	[CONF] = { "dcbx.conf", KIND_UINT, .min = 0, .max = 0, .always = true, .print = conf_print,
		   .doc = "lines of /etc/lldpd.d/rdmactl.conf that are missing or that the policy does not ask for, and what lldpd still "
			  "sends of the latter; asked of every node: 0" },
	{ 0 },
};

const struct setting setting_advertise_conf = {
	.name = "advertise_conf",
	.scope = SCOPE_NODE,
	.fields = fields,
	.why = "A switch would go on to compare itself with what the node was, or lldpd would come up from a reboot saying nothing.",
	.live = { .object = "lldpd.d", .read = rest_read, .write = rest_write, .weigh = rest_weigh,
		  .interface = "liblldpctl: custom TLVs of ports" },
	.boot = { .object = "lldpd.d", .read = conf_read, .files = conf_files, .weigh = conf_weigh, .effective = EFFECTIVE_REBOOT,
		  .interface = "/etc/lldpd.d/rdmactl.conf" },
};
